//! Where a launch spends its time: by instruction and by Rust line.
//!
//! A wave that waits for a result waits at the instruction that needs it, which is what to look at while latency is the limit.
//! Where a unit is the limit, waves wait for their turn, the youngest most, wherever they stand: then what each instruction
//! takes of the unit is what counts.

use serde::Serialize;
use t0_backend_rdna3::isa::Class;
use t0_backend_rdna3::listing::{Entry, Listing};

use crate::program::Instr;
use crate::timing::{Recording, Site, Stall, Timing, Unit, STALLS};

/// Instructions and lines that are listed at most.
const MOST: usize = 12;
/// Bytes of a sector, as in the model's caches.
const SECTOR: u64 = 64;

/// An instruction with all that is known of it.
pub(super) struct At<'a> {
    pub entry: Option<&'a Entry>,
    pub offset: u64,
    pub text: String,
    pub site: &'a Site,
    pub instr: &'a Instr,
    /// Times it was issued and touched global memory: not where EXEC or bounds left no lane.
    pub reached: f64,
}

/// All instructions of the kernel that are known, by offset.
pub(super) fn joined<'a>(listing: &'a Listing, recording: &'a Recording, t: &'a Timing) -> Vec<At<'a>> {
    let entry = |offset: u64| {
        let k = listing.entries.binary_search_by_key(&offset, |e| e.offset).ok()?;
        listing.entries.get(k)
    };
    let reached = reached(recording);
    let code = recording.program.code.iter().zip(&t.sites).zip(reached);
    let mut all: Vec<At> = code
        .map(|((instr, site), share)| At {
            reached: site.issued as f64 * share,
            entry: entry(instr.offset),
            offset: instr.offset,
            text: recording.program.text(instr.index),
            site,
            instr,
        })
        .collect();
    all.sort_by_key(|a| a.offset);
    all
}

/// Of each instruction the share of its executions in the trace that touched global memory.
fn reached(recording: &Recording) -> Vec<f64> {
    let mut counts = vec![(0u64, 0u64); recording.program.code.len()];
    for w in recording.groups.iter().flat_map(|g| &g.waves) {
        let mut accesses = w.accesses.iter();
        for step in &w.steps {
            let touched = step.accesses() && accesses.next().is_some_and(|a| a.count > 0);
            if let Some((all, hit)) = counts.get_mut(step.at() as usize) {
                *all += 1;
                *hit += u64::from(touched);
            }
        }
    }
    counts
        .iter()
        .map(|(all, hit)| *hit as f64 / (*all).max(1) as f64)
        .collect()
}

impl At<'_> {
    /// Wave cycles waited for anything but a turn at a unit.
    pub fn waited(&self) -> u64 {
        self.site.waited()
    }

    /// The place in words, for advice.
    pub fn place(&self) -> String {
        match self.entry.and_then(|e| e.line.as_ref()) {
            Some(l) => format!("`{}` at {}:{}", self.text, l.file, l.line),
            None => format!("`{}` at {:#x}", self.text, self.offset),
        }
    }

    /// It reads or writes memory, not the private memory of a work-item.
    pub fn is_global(&self) -> bool {
        let class = self.instr.class;
        class.is_vmem() && class != Class::VmemInv && !self.is_scratch()
    }

    /// It goes to private memory.
    pub fn is_scratch(&self) -> bool {
        self.text.starts_with("scratch_")
    }

    /// What it takes of a unit in the unit's own measure: cycles, lines or sectors.
    pub fn takes_of(&self, unit: &str) -> u64 {
        let (s, class) = (self.site, self.instr.class);
        match unit {
            "wmma" if class != Class::Wmma => 0,
            "wmma" => s.busy,
            "lds" => s.lds,
            "vmem" => s.lines,
            "l0" if class != Class::VmemLoad => 0,
            "l0" => s.bytes,
            "l2 path" => s.moved,
            "infinity cache" | "dram" => s.beyond,
            "atomics" if class != Class::VmemAtomic => 0,
            "atomics" => s.sectors,
            name if Unit::of(class).name() == name => s.busy,
            _ => 0,
        }
    }
}

/// An instruction of a launch.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Issued {
    /// Bytes from the kernel's first instruction.
    pub offset: u64,
    /// Its text.
    pub instruction: String,
    /// Times a wave issued it, in the part that was played back.
    pub issued: u64,
    /// Rust source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// See `file`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

impl Issued {
    fn of(a: &At) -> Issued {
        let line = a.entry.and_then(|e| e.line.as_ref());
        Issued {
            offset: a.offset,
            instruction: a.text.clone(),
            issued: a.site.issued,
            file: line.map(|l| l.file.to_string()),
            line: line.map(|l| l.line),
        }
    }
}

/// An instruction waves wait at.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stalled {
    /// Share of all wave cycles waited for results, data and other waves at barriers.
    pub share: f64,
    /// Cycles a wave waits at it each time.
    pub cycles: f64,
    /// What for, mostly: see [`crate::timing::Stall::name`].
    pub why: &'static str,
    /// The instruction.
    #[serde(flatten)]
    pub at: Issued,
}

/// A source line and its share of something.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ByLine {
    /// Share of all wave cycles waited, or of what a unit was busy.
    pub share: f64,
    /// Rust source.
    pub file: String,
    /// See `file`.
    pub line: u32,
    /// Text of the line, if it was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The file is no longer what was compiled.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub changed: bool,
}

/// An instruction and its share of the unit that is the limit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Holds {
    /// Share of what the unit was busy.
    pub share: f64,
    /// The instruction.
    #[serde(flatten)]
    pub at: Issued,
}

/// What the unit that is the limit spends its time on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Limiting {
    /// Its name, as in [`super::Utilisation::units`].
    pub unit: &'static str,
    /// By source line, most first.
    pub by_line: Vec<ByLine>,
    /// By instruction.
    pub by_instruction: Vec<Holds>,
}

impl Limiting {
    pub(super) fn new(listing: &Listing, sites: &[At], unit: &'static str) -> Limiting {
        let takes = |a: &At| a.takes_of(unit);
        let all = sites.iter().map(takes).sum::<u64>().max(1);
        let holds = |a: &At| Holds {
            share: takes(a) as f64 / all as f64,
            at: Issued::of(a),
        };
        let mut by_instruction: Vec<Holds> = sites.iter().map(holds).filter(|h| shown(h.share)).collect();
        by_instruction.sort_by(|a, b| b.share.total_cmp(&a.share));
        by_instruction.truncate(MOST);
        Limiting {
            unit,
            by_line: by_line(listing, sites, all, takes),
            by_instruction,
        }
    }
}

/// What would be printed as 0.0 % is not listed.
fn shown(share: f64) -> bool {
    share >= 0.0005
}

/// Instructions waves wait at, longest first; `all` are the cycles of all of them.
pub(super) fn stalls(sites: &[At], all: u64) -> Vec<Stalled> {
    let stalled = |a: &At| {
        let waited = a.waited();
        let reasons = a.site.stalls.iter().zip(STALLS).filter(|(_, s)| *s != Stall::Unit);
        let (_, why) = reasons.max_by_key(|x| *x.0)?;
        Some(Stalled {
            share: waited as f64 / all as f64,
            cycles: waited as f64 / a.site.issued.max(1) as f64,
            why: why.name(),
            at: Issued::of(a),
        })
    };
    let mut out: Vec<Stalled> = sites.iter().filter_map(stalled).filter(|s| shown(s.share)).collect();
    out.sort_by(|a, b| b.share.total_cmp(&a.share));
    out.truncate(MOST);
    out
}

/// Shares of `all` by source line, most first.
pub(super) fn by_line(listing: &Listing, sites: &[At], all: u64, what: impl Fn(&At) -> u64) -> Vec<ByLine> {
    let mut out: Vec<ByLine> = Vec::new();
    for a in sites {
        let Some(line) = a.entry.and_then(|e| e.line.as_ref()) else {
            continue;
        };
        let share = what(a) as f64 / all as f64;
        match out.iter_mut().find(|b| b.line == line.line && *b.file == *line.file) {
            Some(b) => b.share += share,
            None => out.push(ByLine {
                share,
                file: line.file.to_string(),
                line: line.line,
                source: listing.source(line).map(str::to_owned),
                changed: listing.changed_files().any(|f| *f == *line.file),
            }),
        }
    }
    out.retain(|b| shown(b.share));
    out.sort_by(|a, b| b.share.total_cmp(&a.share));
    out.truncate(MOST);
    out
}

/// How the lanes of memory instructions lie together. Private memory is left out: the card interleaves it by itself.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Coalescing {
    /// Lines of 128 bytes an instruction touches, where it touches any.
    pub lines: f64,
    /// Bytes lanes asked for, of those the path between L0 and L2 moved, at most 1.
    pub used: f64,
    /// The instruction that wastes most, if less than half of what it moves is used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worst: Option<Scattered>,
}

/// A memory instruction whose lanes lie far apart.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scattered {
    /// Lines of 128 bytes it touches each time.
    pub lines: f64,
    /// Bytes its lanes ask for, of those of the sectors of 64 bytes they lie in.
    pub used: f64,
    /// Bytes from the kernel's first instruction.
    pub offset: u64,
    /// Its text, and where it comes from, in words.
    pub place: String,
}

/// `None` without accesses of global memory.
pub(super) fn coalescing(sites: &[At]) -> Option<Coalescing> {
    let global = || sites.iter().filter(|a| a.is_global() && a.site.sectors > 0);
    let sum = |f: &dyn Fn(&Site) -> u64| global().map(|a| f(a.site)).sum::<u64>();
    let share = |bytes: u64, sectors: u64| (bytes as f64 / (SECTOR * sectors.max(1)) as f64).min(1.0);
    let reached: f64 = global().map(|a| a.reached).sum();
    if reached <= 0.0 {
        return None;
    }
    let wasted = |a: &At| (1.0 - share(a.site.bytes, a.site.sectors)) * a.site.moved as f64;
    let worst = global().max_by(|a, b| wasted(a).total_cmp(&wasted(b)));
    let worst = worst.filter(|a| share(a.site.bytes, a.site.sectors) < 0.5);
    Some(Coalescing {
        lines: sum(&|s| s.lines) as f64 / reached,
        used: share(sum(&|s| s.bytes), sum(&|s| s.moved)),
        worst: worst.map(|a| Scattered {
            lines: a.site.lines as f64 / a.reached.max(1.0),
            used: share(a.site.bytes, a.site.sectors),
            offset: a.offset,
            place: a.place(),
        }),
    })
}

/// Share of the lanes of vector instructions that were on, matrix instructions and those of one lane left out; `None` without any.
pub(super) fn active(sites: &[At], wave_size: u32) -> Option<f64> {
    let (on, all) = sites.iter().filter(|a| counts_lanes(a)).fold((0, 0), |(on, all), a| {
        (on + a.site.lanes, all + a.site.issued * u64::from(wave_size))
    });
    (all > 0).then(|| on as f64 / all as f64)
}

/// Whether lanes that are off are lost work at it.
pub(super) fn counts_lanes(a: &At) -> bool {
    let class = a.instr.class;
    (class.is_valu() || class.is_vmem() || class.is_lds())
        && !matches!(class, Class::Wmma | Class::ValuLane | Class::VmemInv)
}
