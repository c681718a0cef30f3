//! What a launch executed, instruction by instruction: kept only when asked for, see
//! [`crate::Simulator::with_profile`].

use std::collections::BTreeMap;
use std::sync::Arc;

use t0_backend_rdna3::isa::{Class, Inst, Opcode};

use crate::num::Numerics;
use crate::program::Program;

/// Counts of one launch while it runs; every worker has its own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    /// Executions of each instruction of the program.
    counts: Vec<u64>,
    /// WMMA executions whose A or B copies differed between lanes 0..=15 and 16..=31.
    uneven: u64,
}

impl Tally {
    pub fn new(program: &Program) -> Tally {
        Tally {
            counts: vec![0; program.code.len()],
            uneven: 0,
        }
    }

    #[inline(always)]
    pub fn note(&mut self, at: u32, uneven: bool) {
        let at = at as usize;
        if at >= self.counts.len() {
            // The program grew.
            self.counts.resize(at + 1, 0);
        }
        self.counts[at] += 1;
        self.uneven += u64::from(uneven);
    }

    /// Takes back a note: the instruction will be executed again.
    pub fn forget(&mut self, at: u32) {
        if let Some(n) = self.counts.get_mut(at as usize) {
            *n -= 1;
        }
    }

    pub fn merge(&mut self, other: &Tally) {
        self.counts.resize(self.counts.len().max(other.counts.len()), 0);
        self.counts.iter_mut().zip(&other.counts).for_each(|(a, b)| *a += b);
        self.uneven += other.uneven;
    }
}

/// What a launch executed.
#[derive(Clone, Debug)]
pub struct Profile {
    /// The kernel, as far as it is known.
    pub kernel: Option<String>,
    /// How dot products were summed.
    pub numerics: Numerics,
    /// Lanes of a wave.
    pub wave_size: u32,
    pub(crate) program: Arc<Program>,
    pub(crate) tally: Tally,
}

/// Wave instructions of one opcode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpCount {
    /// Mnemonic; both halves of a dual-issue pair, joined by ` :: `.
    pub name: String,
    /// Its machine unit.
    pub class: Class,
    /// How many waves executed it, each time counted.
    pub count: u64,
}

/// The mnemonic, of a dual-issue pair both.
pub(crate) fn name(inst: &Inst) -> String {
    match inst.vopd_y {
        Some(y) => format!("{} :: {}", inst.row().name, Opcode::Vopdy(y).row().name),
        None => inst.row().name.to_owned(),
    }
}

/// The name of a class in reports: `VmemLoad` is `vmem-load`.
pub fn class_name(class: Class) -> String {
    let mut out = String::new();
    for c in format!("{class:?}").chars() {
        if c.is_uppercase() && !out.is_empty() {
            out.push('-');
        }
        out.extend(c.to_lowercase());
    }
    out
}

impl Profile {
    /// Wave instructions in all.
    pub fn instructions(&self) -> u64 {
        self.tally.counts.iter().sum()
    }

    /// How often the instruction at this index of the program was executed.
    pub(crate) fn count(&self, index: u32) -> u64 {
        self.tally.counts.get(index as usize).copied().unwrap_or(0)
    }

    /// WMMA executions whose A or B copies in the upper lanes differed from those in lanes 0..=15.
    pub fn uneven_tiles(&self) -> u64 {
        self.tally.uneven
    }

    /// Executed instructions: index in the program, instruction, executions.
    pub(crate) fn executed(&self) -> impl Iterator<Item = (u32, &Inst, u64)> {
        let all = self.program.code.iter().map(|i| i.index);
        all.filter_map(|k| Some((k, self.program.inst(k)?, self.count(k))))
            .filter(|(.., n)| *n > 0)
    }

    /// Executed opcodes, most frequent first, then by name.
    pub fn by_opcode(&self) -> Vec<OpCount> {
        let mut sums: BTreeMap<String, (Class, u64)> = BTreeMap::new();
        for (_, inst, n) in self.executed() {
            sums.entry(name(inst)).or_insert((inst.row().class, 0)).1 += n;
        }
        let mut out: Vec<OpCount> = sums
            .into_iter()
            .map(|(name, (class, count))| OpCount { name, class, count })
            .collect();
        out.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.name.cmp(&b.name)));
        out
    }

    /// Executed classes, most frequent first, then by name.
    pub fn by_class(&self) -> Vec<(String, u64)> {
        let mut sums: BTreeMap<String, u64> = BTreeMap::new();
        for (_, inst, n) in self.executed() {
            *sums.entry(class_name(inst.row().class)).or_default() += n;
        }
        let mut out: Vec<_> = sums.into_iter().collect();
        out.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        out
    }
}
