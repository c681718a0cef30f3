//! Reports while they are collected, and how they become findings.
//!
//! Invariant: of several occurrences at one instruction (of a race: at one pair) the first in the order of checking is
//! described, the others are counted; that order does not depend on host threads, see `race`.

use std::collections::BTreeMap;

use super::shadow::{Entry, Role, Slot};
use super::taint::Found;
use crate::driver::Severity;

/// Both sides of a race.
#[derive(Clone, Copy, Debug)]
pub(super) struct Both {
    /// In the LDS (else in global memory).
    pub local: bool,
    pub role: Role,
    /// Address of the dword.
    pub at: u64,
    pub other: Entry,
    pub other_role: Role,
    /// Both stored the same bytes.
    pub same: bool,
    /// The store may be an atomic one.
    pub doubtful: bool,
    pub gap: Gap,
    /// Both stores are by waves (or lanes of one) that had loaded what they stored over.
    pub updates: bool,
    /// That load on this side.
    pub read: Option<u32>,
}

/// What is missing between the sides of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gap {
    /// Anything that orders them.
    Order,
    /// A flag orders them, but the reader's caches may hold older values.
    Caches,
    /// A flag would order them if it were passed between workgroups, not within one.
    Scope,
    /// Both are atomics, and one of them is of workgroup scope.
    Narrow,
}

/// What was found.
#[derive(Clone, Debug)]
pub(super) enum What {
    /// Two accesses that nothing orders.
    Race(Both),
    /// A value nobody has defined is used.
    Undefined(Found),
    /// A wave waits at a barrier that another one has never met: it ended there.
    Skipped(Entry),
    /// A mistake of one access: rule, severity and text.
    Plain(&'static str, Severity, String),
}

/// One report.
#[derive(Clone, Debug)]
pub(super) struct Report {
    /// Who.
    pub who: Entry,
    pub what: What,
    pub count: u64,
}

impl Report {
    pub fn rule(&self) -> &'static str {
        match &self.what {
            What::Race(b) if b.gap == Gap::Narrow => "scope-too-narrow",
            What::Race(b) if b.local => "lds-race",
            What::Race(_) => "global-race",
            What::Undefined(_) => "uninitialised",
            What::Skipped(_) => "barrier-divergence",
            What::Plain(rule, ..) => rule,
        }
    }

    pub fn severity(&self) -> Severity {
        match &self.what {
            What::Race(b) if b.same || b.doubtful => Severity::Warning,
            What::Race(_) | What::Undefined(_) => Severity::Error,
            What::Skipped(_) => Severity::Warning,
            What::Plain(_, severity, _) => *severity,
        }
    }
}

/// Rule of reports that are none of mistakes: stores and atomics that a buffer's range check dropped, which is defined. Their
/// text is the buffer's name.
pub(super) const DROPPED: &str = "dropped";

/// Rule, instruction, other instruction: one report each.
type Key = (&'static str, u32, u32);

/// All reports of a group, or of a launch.
#[derive(Clone, Debug, Default)]
pub(super) struct Reports(BTreeMap<Key, Report>);

/// Reports kept: a kernel with more different mistakes is well served with these.
const MOST: usize = 1000;

impl Reports {
    /// Adds an occurrence.
    pub fn add(&mut self, who: &Entry, what: What) {
        let report = Report {
            who: *who,
            what,
            count: 1,
        };
        let other = match &report.what {
            // Lanes of one wave are told apart from waves.
            What::Race(b) if who.same_wave(&b.other) => u32::MAX - 1,
            What::Race(b) => b.other.at,
            What::Skipped(end) => end.at,
            What::Plain(..) | What::Undefined(_) => u32::MAX,
        };
        self.put((report.rule(), who.at, other), report);
    }

    /// Whether there is a report of this rule at an instruction; counts the occurrence if so. Spares the text.
    pub fn again(&mut self, rule: &'static str, at: u32) -> bool {
        let old = self.0.get_mut(&(rule, at, u32::MAX));
        old.map(|r| r.count += 1).is_some()
    }

    fn put(&mut self, key: Key, new: Report) {
        let room = self.0.len() < MOST;
        match self.0.get_mut(&key) {
            // The worse of two: different values, where there were only equal ones.
            Some(old) if new.severity() > old.severity() => {
                *old = Report {
                    count: old.count + new.count,
                    ..new
                }
            }
            Some(old) => {
                old.count += new.count;
                if let (What::Race(old), What::Race(new)) = (&mut old.what, &new.what) {
                    (old.updates, old.read) = (old.updates || new.updates, old.read.or(new.read));
                }
            }
            None if room => drop(self.0.insert(key, new)),
            None => {}
        }
    }

    /// Adds what was found later.
    pub fn merge(&mut self, later: Reports) {
        later.0.into_iter().for_each(|(key, report)| self.put(key, report));
    }

    /// Takes out what was dropped.
    pub fn take_dropped(&mut self) -> Vec<Report> {
        let (dropped, others) = std::mem::take(&mut self.0)
            .into_iter()
            .partition(|(key, _)| key.0 == DROPPED);
        self.0 = others;
        let dropped: BTreeMap<Key, Report> = dropped;
        dropped.into_values().collect()
    }

    /// All of them, by rule and instruction.
    pub fn into_iter(self) -> impl Iterator<Item = Report> {
        self.0.into_values()
    }
}
