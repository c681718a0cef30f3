//! Who stored what, after a launch under the sanitizer: the way from a wrong value in memory to the line that put it there.
//!
//! Problem: of a wrong element a test knows the index, and a reader needs the line. Method: the sanitizer's shadow memory has
//! the last store of each dword, so it and the launch's code are kept when a client asks for them ([`Simulator::keep_written`]);
//! a question costs a look-up, and once for each storing instruction a backward slice (`origin.rs`). Nothing is done or kept
//! in a launch that nobody will ask about.
//!
//! Invariant: what is told is true of the launch whose record this is, and of no other.
//!
//! [`Simulator::keep_written`]: crate::Simulator::keep_written

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use t0_backend_rdna3::isa::Class;

use crate::driver::{Site, StoredBy};
use crate::origin::Origins;
use crate::places::Places;
use crate::program::{Dst, Instr, Program, Src};
use crate::sanitize::{Entry, Sanitizer};

/// Lines of a list that are told.
const MOST: usize = 12;
/// A kernel of so many lines is short enough to name them all.
const SHORT: usize = 4;

/// Lines of source: file, and number from 1.
pub type Lines = Vec<(Arc<str>, u32)>;

/// The lines a store depends on besides its own, nearest first. A line may be in it that is not to blame; global memory is
/// not looked into.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// What the value is computed from.
    pub value: Lines,
    /// What the address is computed from.
    pub place: Lines,
    /// What decides whether the lane stores.
    pub condition: Lines,
    /// The value depends on every line of the kernel; to list them would say nothing.
    pub everything: bool,
}

impl Origin {
    /// The lines that a message tells: the nearest twelve of value, place and condition.
    pub fn told(&self) -> [&[(Arc<str>, u32)]; 3] {
        let first = |lines: &'_ Lines| lines.len().min(MOST);
        let value = if self.everything { 0 } else { first(&self.value) };
        [
            &self.value[..value],
            &self.place[..first(&self.place)],
            &self.condition[..first(&self.condition)],
        ]
    }
}

/// A store, or an atomic, that wrote memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// The instruction, and who executed it.
    pub site: Site,
    /// Kernel name, when known.
    pub kernel: Option<String>,
    /// It is an atomic: others may have had a part in the value.
    pub atomic: bool,
    /// Where the value comes from.
    pub origin: Origin,
}

/// Stores, or atomics, out of range, which a buffer's range check dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// The instruction, and who executed it first.
    pub site: Site,
    /// How often a lane executed it out of range.
    pub count: u64,
    /// The buffer, if its name is known.
    pub buffer: String,
}

/// Who wrote what in one launch.
#[derive(Debug)]
pub struct Written {
    pub(crate) sanitizer: Arc<Sanitizer>,
    pub(crate) program: Arc<Program>,
    pub(crate) places: Places,
    pub(crate) kernel: Option<String>,
}

impl Written {
    /// The last store of any of the `len` bytes at `va`; `None` if there was none, or a byte-wise one that is not known any
    /// more.
    pub fn last(&self, va: u64, len: u64) -> Option<Stored> {
        let entry = (va..va.saturating_add(len)).find_map(|at| self.sanitizer.writer(at))?;
        Some(self.stored(&Origins::new(&self.program), &entry))
    }

    /// Of the stores of other bytes of a buffer those nearest to `va`, one for each source line, at most `most`.
    pub fn around(&self, va: u64, buffer: Range<u64>, most: usize) -> Vec<Stored> {
        let mut all = self.writers(va, buffer);
        self.one_a_line(&mut all);
        let origins = Origins::new(&self.program);
        all.iter().take(most).map(|e| self.stored(&origins, e)).collect()
    }

    /// All stores to global memory the kernel has, whether a lane got there or not, one for each source line, at most `most`; their
    /// workgroup, wave and lane say nothing.
    pub fn all(&self, most: usize) -> Vec<Stored> {
        let global = |i: &&Instr| {
            matches!(i.class, Class::VmemStore | Class::VmemAtomic) && !i.op.row().name.starts_with("scratch_")
        };
        let entry = |i: &Instr| Entry {
            at: i.index,
            ..Entry::default()
        };
        let mut all: Vec<Entry> = self.program.code.iter().filter(global).map(entry).collect();
        self.one_a_line(&mut all);
        let origins = Origins::new(&self.program);
        all.iter().take(most).map(|e| self.stored(&origins, e)).collect()
    }

    /// Stores out of range, for each instruction; without those that are meant to be dropped.
    pub fn dropped(&self) -> Vec<Dropped> {
        let dropped = |(e, count, buffer): (Entry, u64, String)| Dropped {
            site: self
                .places
                .site(&self.program, e.at, e.group.into(), e.wave.into(), e.lane().into()),
            count,
            buffer,
        };
        let all = self.sanitizer.dropped().into_iter();
        all.filter(|d| !self.masked(d.0.at)).map(dropped).collect()
    }

    /// Whether the index of a store is moved to the largest one where a condition says so, as those of a tile's elements that lie
    /// over the matrix's border are: the code is meant to drop what is stored there.
    fn masked(&self, at: u32) -> bool {
        let code = &self.program.code;
        let vector = |s: Src| match s {
            Src::V(r) => Some(r),
            _ => None,
        };
        let largest = |s: &Src| matches!(s, Src::K(k) if *k as u32 == u32::MAX);
        let Some(store) = code.get(at as usize) else {
            return false;
        };
        let Some(mut reg) = store.src.get(1).copied().and_then(vector) else {
            return false;
        };
        for i in code[..at as usize].iter().rev() {
            let halves = i.pair.as_deref().map_or([i, i], |p| [&p.first, &p.second]);
            let Some(i) = halves.into_iter().find(|i| i.dst[0] == Dst::V(reg)) else {
                continue;
            };
            let from = i.src.into_iter().filter_map(vector).next_back();
            match (i.op.row().name, from) {
                ("v_cndmask_b32", _) if i.src[..2].iter().any(largest) => return true,
                ("v_min_u32" | "v_lshlrev_b32" | "v_mov_b32", Some(r)) => reg = r,
                _ => return false,
            }
        }
        false
    }

    /// Keeps the first of each source line.
    fn one_a_line(&self, all: &mut Vec<Entry>) {
        let mut seen = Vec::new();
        all.retain(|e| {
            let row = self.places.row(&self.program, e.at);
            let new = row.is_none() || !seen.contains(&row);
            seen.push(row);
            new
        });
    }

    /// Of each instruction that stored in a buffer the store nearest to `va`; those nearest first.
    fn writers(&self, va: u64, buffer: Range<u64>) -> Vec<Entry> {
        let mut nearest: BTreeMap<u32, (u64, Entry)> = BTreeMap::new();
        for at in (buffer.start & !3..buffer.end).step_by(4) {
            let bytes = at.max(buffer.start)..(at + 4).min(buffer.end);
            for e in bytes.filter_map(|b| self.sanitizer.writer(b)) {
                let far = at.abs_diff(va);
                let old = nearest.entry(e.at).or_insert((far, e));
                if far < old.0 {
                    *old = (far, e);
                }
            }
        }
        let mut all: Vec<(u64, Entry)> = nearest.into_values().collect();
        all.sort_by_key(|n| (n.0, n.1.at));
        all.into_iter().map(|n| n.1).collect()
    }

    fn stored(&self, origins: &Origins, e: &Entry) -> Stored {
        let class = self.program.code.get(e.at as usize).map(|i| i.class);
        let (group, lane) = (u64::from(e.group), u32::from(e.lane()));
        Stored {
            site: self.places.site(&self.program, e.at, group, e.wave.into(), lane),
            kernel: self.kernel.clone(),
            atomic: class == Some(Class::VmemAtomic),
            origin: self.origin(origins, e.at),
        }
    }

    fn origin(&self, origins: &Origins, at: u32) -> Origin {
        let slice = origins.slice(at);
        let own = self.places.row(&self.program, at);
        let lines = |instructions: &[u32]| {
            let mut out = Lines::new();
            for row in instructions.iter().filter_map(|&i| self.places.row(&self.program, i)) {
                if Some(&row) != own.as_ref() && !out.contains(&row) {
                    out.push(row);
                }
            }
            out
        };
        let all: Vec<u32> = (0..self.program.code.len() as u32).collect();
        let all = lines(&all);
        let value = lines(&slice.value);
        Origin {
            everything: all.len() >= SHORT && value.len() == all.len(),
            value,
            place: lines(&slice.place),
            condition: lines(&slice.condition),
        }
    }
}

impl t0_kfd::Stores for Written {
    fn last(&self, va: u64, len: u64) -> Option<String> {
        self.last(va, len).map(|s| StoredBy::Here(&s).to_string())
    }

    fn around(&self, va: u64, buffer: Range<u64>, most: usize) -> Vec<String> {
        let all = self.around(va, buffer, most);
        all.iter().map(|s| StoredBy::Others(s).to_string()).collect()
    }

    fn dropped(&self, most: usize) -> Vec<String> {
        self.dropped().iter().take(most).map(ToString::to_string).collect()
    }

    fn all(&self, most: usize) -> Vec<String> {
        self.all(most).iter().map(|s| StoredBy::Nobody(s).to_string()).collect()
    }
}

impl fmt::Display for Origin {
    /// `the value is computed from lines 9, 10; its place from line 4`; empty if there is nothing to say. Lines of other files
    /// than the first have their file's name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [value, place, condition] = self.told();
        let parts = [
            ("the value is computed from", value),
            ("its place from", place),
            ("whether it is stored depends on", condition),
        ];
        let files: Vec<&Arc<str>> = parts.iter().flat_map(|p| p.1).map(|l| &l.0).collect();
        let several = files.windows(2).any(|w| w[0] != w[1]);
        let mut first = true;
        for (what, lines) in parts.iter().filter(|p| !p.1.is_empty()) {
            let names = lines.iter().map(|(file, line)| match several {
                true => format!("{file}:{line}"),
                false => line.to_string(),
            });
            let names: Vec<String> = names.collect();
            let noun = match (several, names.len()) {
                (true, _) => "",
                (false, 1) => "line ",
                (false, _) => "lines ",
            };
            let comma = if std::mem::take(&mut first) { "" } else { "; " };
            write!(f, "{comma}{what} {noun}{}", names.join(", "))?;
        }
        Ok(())
    }
}
