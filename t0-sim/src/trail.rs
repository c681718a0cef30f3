//! Which loop a wave does not leave.
//!
//! Problem: a wave that has used up its instructions stands anywhere in the loop that does not end, often in an inner one that
//! does. Method: for the last instructions before the limit every branch backwards that is taken is counted. A loop goes on to
//! the end if its branch was taken again and again and the last time is not longer ago than usual; of several, one in the
//! other, the outermost is the one nobody leaves. Invariant: taking notice does not change what a wave executes.

use std::collections::HashMap;

use crate::exec::{run, Env, Step, Stop};
use crate::program::Program;
use crate::wave::{Wave, WaveState};

/// Instructions before the limit that are watched; half of them all if the limit is lower than twice that.
const WINDOW: u64 = 1 << 20;
/// How many times its average period a loop may take for one iteration.
const UNUSUAL: u64 = 8;

/// Instructions after which a wave is watched.
pub(crate) fn watched_from(budget: u64) -> u64 {
    budget - WINDOW.min(budget / 2)
}

/// A branch backwards.
#[derive(Clone, Copy, Debug)]
struct Back {
    taken: u64,
    first: u64,
    last: u64,
}

/// The branches backwards that one wave took, by branch and target.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trail {
    backs: HashMap<(u32, u32), Back>,
}

impl Trail {
    /// Runs a wave as [`run`] does, and takes notice of its branches.
    pub fn follow(&mut self, w: &mut Wave, env: &mut Env, until: u64) -> Step<Stop> {
        while w.issued < until && w.state == WaveState::Running {
            let at = w.pc;
            match run(w, env, w.issued + 1)? {
                Stop::Paused => self.note(env.program, at, w),
                stop => return Ok(stop),
            }
        }
        Ok(Stop::Paused)
    }

    fn note(&mut self, program: &Program, at: u32, w: &Wave) {
        let Some(i) = program.code.get(at as usize).filter(|i| i.target == w.pc) else {
            return;
        };
        let back = program
            .code
            .get(w.pc as usize)
            .is_some_and(|to| to.offset as i64 <= i.offset as i64);
        if back {
            let seen = self.backs.entry((at, w.pc)).or_insert(Back {
                taken: 0,
                first: w.issued,
                last: 0,
            });
            seen.taken += 1;
            seen.last = w.issued;
        }
    }

    /// Index of the branch that closes the outermost loop which goes on at `now`, counted in instructions.
    pub fn endless(&self, program: &Program, now: u64) -> Option<u32> {
        let goes_on = |b: &Back| b.taken > 1 && now - b.last <= UNUSUAL * (b.last - b.first).div_ceil(b.taken - 1);
        let size = |&(from, to): &(u32, u32)| {
            let offset = |at: u32| program.code.get(at as usize).map_or(0, |i| i.offset as i64);
            (offset(from) - offset(to), from)
        };
        let on = self.backs.iter().filter(|(_, b)| goes_on(b)).map(|(edge, _)| edge);
        on.max_by_key(|e| size(e)).map(|e| e.0)
    }
}
