//! How the queue of a WGP goes on where it is longer than what was recorded of it.
//!
//! Problem: a WGP may get a thousand groups. What the first ones take says little about the rest: they start together, the last ones
//! leave units idle, and which of them waits for which changes from round to round. Method: the recorded groups come again,
//! as others of their kind, for as many *rounds* (as many groups as are resident) as can be afforded. The *pace* is taken from groups that end
//! in the middle, where all room is taken and the beginning is over, and over whole rounds, so that each place has had its turn.
//! Invariant: the pace is not faster than any unit's work for a group allows.

use std::collections::{HashMap, HashSet};

use super::record::{GroupTrace, LINE, SECTOR};
use super::wgp::Run;

/// Rounds that are played back at least.
const LEAST: u64 = 6;
/// And at most.
const MOST: u64 = 32;
/// Wave instructions that may be played back for more than the least.
const STEPS: u64 = 1 << 20;

/// How many rounds of a long queue are played back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rounds {
    /// As many as can be afforded.
    #[default]
    Afforded,
    /// The least, as of a kernel that runs for very long.
    Least,
    /// All, however many: what the others are compared with.
    All,
}

/// What a WGP has to do.
#[derive(Debug)]
pub(super) struct Queue<'t> {
    recorded: Vec<&'t GroupTrace>,
    /// Groups that start together; those after them come again.
    resident: usize,
    /// Lines that more than one of them touches.
    shared: HashSet<u64>,
}

impl<'t> Queue<'t> {
    /// A queue that begins with these groups.
    pub fn new(recorded: Vec<&'t GroupTrace>, resident: u64) -> Queue<'t> {
        let mut by: HashMap<u64, u64> = HashMap::new();
        let mut shared = HashSet::new();
        for g in &recorded {
            for s in g.waves.iter().flat_map(|w| &w.sectors) {
                let line = s * SECTOR / LINE;
                if *by.entry(line).or_insert(g.number) != g.number {
                    shared.insert(line);
                }
            }
        }
        Queue {
            resident: (resident as usize).min(recorded.len().saturating_sub(1)),
            recorded,
            shared,
        }
    }

    /// The trace of the `k`th group, and how often it has been played back before.
    pub fn get(&self, k: usize) -> Option<(&'t GroupTrace, u64)> {
        if let Some(g) = self.recorded.get(k) {
            return Some((g, 0));
        }
        let later = self.recorded.get(self.resident..)?;
        let k = k - self.resident;
        Some((later.get(k % later.len().max(1))?, (k / later.len()) as u64))
    }

    /// The sectors a group asks for that stands for another one: lines nobody else touches are others then.
    pub fn moved(&self, sectors: &[u64], times: u64) -> Vec<u64> {
        // Addresses have 48 bits.
        const FAR: u64 = (1 << 48) / SECTOR;
        let of = |s: &u64| match self.shared.contains(&(s * SECTOR / LINE)) {
            true => *s,
            false => s + times * FAR,
        };
        sectors.iter().map(of).collect()
    }

    /// How many groups of `all` are played back: all, or some rounds and what is no whole round.
    pub fn played(&self, all: u64, resident: u64, rounds: Rounds) -> u64 {
        let recorded = self.recorded.len() as u64;
        let steps: u64 = self
            .recorded
            .iter()
            .flat_map(|g| &g.waves)
            .map(|w| w.steps.len() as u64)
            .sum();
        let round = (steps * resident / recorded.max(1)).max(1);
        let rounds = match rounds {
            Rounds::Afforded => (STEPS / round).clamp(LEAST, MOST),
            Rounds::Least => LEAST,
            Rounds::All => all,
        };
        match all <= recorded || all / resident.max(1) <= rounds {
            true => all,
            false => rounds * resident + all % resident,
        }
    }
}

/// Cycles `rest` groups take after those that were played back, in which `resident` are on the WGP at once.
pub(super) fn after(run: &Run, resident: u64, rest: u64) -> u64 {
    let (played, r) = (run.groups.len() as u64, resident.max(1));
    let rounds = played / r;
    // The last round has nobody to follow it.
    let (from, to) = ((rounds / 3).max(1), rounds.saturating_sub(1));
    let mut ends: Vec<u64> = run.groups.iter().map(|g| g.1).collect();
    ends.sort_unstable();
    let end = |round: u64| -> u64 { ends[((round - 1) * r) as usize..(round * r) as usize].iter().sum() };
    let mut pace = 0;
    if to > from {
        // Mean of a round's ends, so `r` times the cycles.
        let cycles = u128::from(end(to) - end(from).min(end(to)));
        let groups = u128::from((to - from) * r * r);
        pace = (cycles * u128::from(rest)).div_ceil(groups) as u64;
    }
    let least = (u128::from(run.held) * u128::from(rest)).div_ceil(u128::from(played.max(1)));
    pace.max(least as u64)
}
