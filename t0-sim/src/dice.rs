//! Other orders of waves and workgroups than the usual one.
//!
//! Problem: waves that run one after the other, always in the same order, hide that a program depends on it: atomics of the
//! LDS without a barrier between them are no data race, and still give what the order makes of them. Method: from a seed
//! follow permutations of the waves of a workgroup for each of their rounds, how many instructions each wave runs before the
//! next one's turn, the numbers of the workgroups, and between which ordered instructions of a workgroup others come
//! (`order.rs`), so that two atomics that should have been one are told apart. Seed 0 is the usual order: ascending.
//!
//! Invariants: what follows from a seed depends on nothing else, so a run can be repeated, on any number of host threads.
//! Workgroups change places only with those that are resident at the same time: programs may rely on it that a card
//! starts lower numbers first.

use t0_ir::testing::Rng;

/// Numbers that look random.
#[derive(Clone, Debug)]
pub(crate) struct Dice(Rng);

impl Dice {
    /// From several numbers.
    pub fn new(parts: &[u64]) -> Dice {
        let state = parts.iter().fold(0, |state, p| Rng::new(state ^ p).bits());
        Dice(Rng::new(state))
    }

    /// A number below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.0.bits() % n.max(1)
    }

    /// All numbers below `n`, in some order.
    pub fn order(&mut self, n: u32) -> Vec<u32> {
        let mut all: Vec<u32> = (0..n).collect();
        for k in (1..all.len()).rev() {
            all.swap(k, self.below(k as u64 + 1) as usize);
        }
        all
    }
}

/// The workgroup that runs as number `n` of `total`, of which `resident` are so at once.
pub(crate) fn workgroup(seed: u64, n: u64, total: u64, resident: u64) -> u64 {
    if seed == 0 {
        return n;
    }
    let size = resident.max(1);
    let first = n / size * size;
    let size = size.min(total - first);
    let mut dice = Dice::new(&[seed, first, total]);
    let (start, mut step) = (dice.below(size), 1 + dice.below(size));
    while gcd(step, size) != 1 {
        step = 1 + dice.below(size);
    }
    first + (start + (n - first) % size * step) % size
}

fn gcd(a: u64, b: u64) -> u64 {
    match b {
        0 => a,
        _ => gcd(b, a % b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_workgroup_runs_once_and_in_its_time() {
        for (total, resident) in [(1, 4), (10, 4), (97, 32), (64, 64), (5, 1)] {
            for seed in 0..6 {
                let mut all: Vec<u64> = (0..total).map(|n| workgroup(seed, n, total, resident)).collect();
                assert!(
                    all.iter().zip(0..).all(|(g, n)| g / resident == n / resident),
                    "{all:?}"
                );
                assert!(seed > 0 || all.is_sorted());
                all.sort_unstable();
                assert_eq!(all, (0..total).collect::<Vec<_>>());
            }
        }
        let places = |seed| (0..32).map(|n| workgroup(seed, n, 32, 32)).collect::<Vec<_>>();
        assert_ne!(places(1), places(2));
    }

    #[test]
    fn orders_differ_and_can_be_repeated() {
        let order = |seed| Dice::new(&[seed, 3]).order(8);
        assert_eq!(order(1), order(1));
        assert_ne!(order(1), order(2));
        let mut all = order(1);
        all.sort_unstable();
        assert_eq!(all, (0..8).collect::<Vec<_>>());
    }
}
