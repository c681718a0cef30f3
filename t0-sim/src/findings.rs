//! Findings while they are collected: per wave, then per dispatch.
//!
//! Invariant: of several occurrences at one instruction the one with the lowest (workgroup, wave) is kept, the first
//! within a wave; so what is reported does not depend on how host threads were timed.

use std::collections::BTreeMap;

use crate::driver::FindingKind;

/// Findings of one wave.
#[derive(Clone, Debug, Default)]
pub struct Findings(Vec<Seen>);

/// The first occurrence at one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Index of the instruction in the program.
    pub at: u32,
    /// Lane of the wave.
    pub lane: u32,
    /// What happened.
    pub kind: FindingKind,
    /// Occurrences.
    pub count: u64,
}

impl Findings {
    /// Notes an occurrence.
    pub fn note(&mut self, at: u32, lane: u32, kind: FindingKind) {
        match self.0.iter_mut().find(|s| s.at == at) {
            Some(s) => s.count += 1,
            None => self.0.push(Seen {
                at,
                lane,
                kind,
                count: 1,
            }),
        }
    }

    /// The first occurrences, one per instruction.
    pub fn seen(&self) -> &[Seen] {
        &self.0
    }
}

/// Findings of a dispatch, by instruction: number of the workgroup, wave, first occurrence.
#[derive(Debug, Default)]
pub(crate) struct Collected(BTreeMap<u32, (u64, u32, Seen)>);

impl Collected {
    /// Adds what one wave saw.
    pub fn add(&mut self, group: u64, wave: u32, findings: &Findings) {
        for &new in findings.seen() {
            let entry = self.0.entry(new.at).or_insert((group, wave, Seen { count: 0, ..new }));
            let count = entry.2.count + new.count;
            if (group, wave) < (entry.0, entry.1) {
                *entry = (group, wave, new);
            }
            entry.2.count = count;
        }
    }

    /// Those whose first occurrence was in a workgroup up to number `last`.
    pub fn up_to(mut self, last: u64) -> Collected {
        self.0.retain(|_, (group, ..)| *group <= last);
        self
    }

    /// All of them, by instruction.
    pub fn into_iter(self) -> impl Iterator<Item = (u64, u32, Seen)> {
        self.0.into_values()
    }
}
