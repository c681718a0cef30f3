//! Which workgroups of a launch the model looks at, and how their traces are kept.
//!
//! Problem: a launch may have a million workgroups that all do the same. Method: the card hands groups out in ascending
//! order, one to each WGP in turn. One WGP is played back: the *queue* of groups it gets, of which at most three times as many
//! are recorded as are resident on it at once; how it goes on is [`super::steady`]'s. The beginning of all groups that are resident on the
//! card together, the *window*, tells what they share in the L2, and that of the next ones which of it is new. Some more,
//! *spread* over the launch, tell what all of it touches ([`super::footprint`]).
//! UNVERIFIED(hw): the order in which the dispatcher hands groups to WGPs; ascending, in turn, is what traces of small
//! launches show.

use std::collections::BTreeSet;
use std::sync::Mutex;

use crate::job::lock;

use super::record::GroupTrace;
use super::steady::Rounds;

/// Instructions of a wave that belong to the window.
pub(crate) const WINDOW: usize = 2048;
/// Groups spread over the launch whose beginning tells what it touches in all.
const SPREAD: u64 = 64;

/// The choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    /// WGPs of the card.
    pub units: u64,
    /// Groups resident on a WGP at once.
    pub resident: u64,
    /// Groups the busiest WGP gets in all.
    pub on_unit: u64,
    /// Groups of its queue that are recorded.
    pub queue: u64,
    /// Groups of the launch.
    pub total: u64,
    /// How much of the queue is played back.
    pub rounds: Rounds,
}

impl Plan {
    /// The plan of a launch of `total` groups.
    pub fn new(units: u64, resident: u64, total: u64) -> Plan {
        let (units, resident) = (units.max(1), resident.max(1));
        let on_unit = total.div_ceil(units);
        Plan {
            units,
            resident,
            on_unit,
            queue: on_unit.min(3 * resident),
            total,
            rounds: Rounds::default(),
        }
    }

    /// The same with that many rounds of the queue to play back.
    pub fn with_rounds(self, rounds: Rounds) -> Plan {
        let queue = match rounds {
            Rounds::All => self.on_unit,
            _ => self.queue,
        };
        Plan { rounds, queue, ..self }
    }

    /// Number of the `k`th group of the queue.
    fn queued(&self, k: u64) -> u64 {
        k * self.units
    }

    /// Whether the whole trace of a group is kept.
    pub fn whole(&self, n: u64) -> bool {
        n % self.units == 0 && n / self.units < self.queue
    }

    /// Whether the beginning of a group belongs to a window: 0 is that of the groups that start together, 1 that of those after
    /// them.
    pub fn window(&self, n: u64) -> Option<usize> {
        let at_once = self.units * self.resident;
        (n < 2 * at_once).then_some(usize::from(n >= at_once))
    }

    /// Whether the beginning of a group is looked at for what the launch touches: all of a small one, of others one of each of
    /// as many equal parts, not always at the same place of it.
    pub fn spread(&self, n: u64) -> bool {
        if self.total <= 2 * self.units * self.resident {
            return true;
        }
        let part = (u128::from(n) * u128::from(SPREAD) / u128::from(self.total)) as u64;
        (part..=part + 1).any(|k| self.of_part(k) == n)
    }

    /// The group looked at in part `k`.
    fn of_part(&self, k: u64) -> u64 {
        let begin = |k: u64| (u128::from(k) * u128::from(self.total) / u128::from(SPREAD)) as u64;
        let length = (begin(k + 1) - begin(k)).max(1);
        // Any mixing of the bits does: a fixed stride would meet the same column of a grid each time.
        let mixed = (k + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        begin(k) + (mixed ^ mixed >> 29) % length
    }

    /// All groups that must run, ascending.
    pub fn groups(&self) -> Vec<u64> {
        let mut all: BTreeSet<u64> = (0..self.total.min(2 * self.units * self.resident)).collect();
        if self.total > 2 * self.units * self.resident {
            all.extend((0..SPREAD).map(|k| self.of_part(k)).filter(|&n| n < self.total));
        }
        all.extend((0..self.queue).map(|k| self.queued(k)));
        all.into_iter().collect()
    }
}

/// The traces of a launch.
#[derive(Debug)]
pub(crate) struct Recorder {
    pub plan: Plan,
    /// Only the groups of the plan run, and those of the window no longer than it.
    pub sampled: bool,
    /// Groups that run, when `sampled`.
    pub numbers: Vec<u64>,
    done: Mutex<Vec<GroupTrace>>,
}

impl Recorder {
    pub fn new(plan: Plan, sampled: bool) -> Recorder {
        Recorder {
            numbers: if sampled { plan.groups() } else { Vec::new() },
            plan,
            sampled,
            done: Mutex::default(),
        }
    }

    /// The trace a group starts with, if it has to keep one.
    pub fn start(&self, n: u64, waves: usize) -> Option<GroupTrace> {
        let whole = self.plan.whole(n);
        let begin = self.plan.window(n).is_some() || self.plan.spread(n);
        (whole || begin).then(|| GroupTrace::new(n, waves, if whole { usize::MAX } else { WINDOW }))
    }

    /// A group has ended, or has kept enough.
    pub fn keep(&self, trace: GroupTrace) {
        lock(&self.done).push(trace);
    }

    /// All traces, by number of the group.
    pub fn into_traces(self) -> (Plan, Vec<GroupTrace>) {
        let mut all = self
            .done
            .into_inner()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        all.sort_by_key(|t| t.number);
        (self.plan, all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues() {
        let small = Plan::new(48, 4, 100);
        assert_eq!((small.on_unit, small.queue), (3, 3));
        assert_eq!(small.groups().len(), 100);
        let large = Plan::new(48, 4, 48 * 23);
        assert_eq!((large.on_unit, large.queue), (23, 12));
        assert_eq!(large.clone().with_rounds(Rounds::All).queue, 23);
        assert!(large.whole(48 * 11) && !large.whole(48 * 12) && !large.whole(1));
        let groups = large.groups();
        let spread: Vec<u64> = (0..1104).filter(|&n| large.spread(n)).collect();
        assert_eq!(spread.len(), 64);
        assert!(spread.iter().all(|n| groups.binary_search(n).is_ok()));
        // One in each 17 or 18 groups, in all columns of a grid 16 wide.
        assert!(spread.windows(2).all(|w| (1..36).contains(&(w[1] - w[0]))));
        assert_eq!(spread.iter().map(|n| n % 16).collect::<BTreeSet<_>>().len(), 16);
        assert!((0..384).chain([384, 432, 480, 528]).all(|n| groups.contains(&n)));
        assert!(groups.len() <= 2 * 192 + 4 + 64);
        assert_eq!(Plan::new(48, 4, 0).groups(), Vec::<u64>::new());
    }
}
