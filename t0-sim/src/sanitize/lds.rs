//! Races in the LDS.
//!
//! Problem: kernels that multiply matrices touch the LDS so often that the check of it is most of the sanitizer's time.
//! Method: a cell of the shadow names its accesses by a number ([`Mark`]), what they were stands once in a list, so cells
//! are small. The accesses before a barrier that have been waited for are *settled*: ordered before everything that any
//! wave will do. Their numbers are below a limit, so most cells are checked by comparing numbers.
//!
//! Invariant: marks are kept by the rules of all cells (`shadow`), so neither changes what is found.

use super::clocks::Clocks;
use super::race::{report, visit, Access};
use super::report::Reports;
use super::shadow::{Cell, Conflict, Entry, Role, Slot};
use crate::mem::lanes_of;

/// An access of a cell of the LDS.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    /// Place in the list of accesses, from 1 on; 0: settled long ago, or none.
    id: u32,
    wave: u8,
    lane: u8,
    /// Bytes of the cell; 0: no access.
    mask: u8,
    compares: bool,
}

impl Slot for Mark {
    const CACHED: bool = false;
    const NONE: Mark = Mark {
        id: 0,
        wave: 0,
        lane: 0,
        mask: 0,
        compares: false,
    };

    #[inline(always)]
    fn mask(&self) -> u8 {
        self.mask
    }

    #[inline(always)]
    fn compares(&self) -> bool {
        self.compares
    }

    #[inline(always)]
    fn same_wave(&self, other: &Mark) -> bool {
        self.wave == other.wave
    }

    #[inline(always)]
    fn same_access(&self, other: &Mark) -> bool {
        self.id == other.id
    }

    #[inline(always)]
    fn with(mut self, other: &Mark, over: bool) -> Mark {
        // The lane is that of the first byte.
        let [theirs, ours] = [other.mask, self.mask].map(u8::trailing_zeros);
        if theirs < ours || over && theirs == ours {
            self.lane = other.lane;
        }
        self.mask |= other.mask;
        self
    }
}

/// Accesses in the list before those no cell names are removed.
const LIST: usize = 1 << 18;
/// Waves of a workgroup: 1024 threads by 32.
const WAVES: usize = 32;

/// Shadow of a workgroup's LDS.
#[derive(Debug)]
pub(super) struct Lds {
    cells: Vec<Cell<Mark>>,
    /// The accesses that marks name; lane, mask and `compares` are the mark's.
    list: Vec<Entry>,
    /// The last one of each wave.
    last: [u32; WAVES],
    /// Marks with a lower number are ordered before everything that follows.
    settled: u32,
}

impl Lds {
    /// Of so many dwords.
    pub fn new(dwords: usize) -> Lds {
        Lds {
            cells: vec![Cell::EMPTY; dwords],
            list: Vec::new(),
            last: [0; WAVES],
            settled: 1,
        }
    }

    /// Forgets another workgroup's accesses.
    pub fn clear(&mut self) {
        if !self.list.is_empty() {
            self.cells.fill(Cell::EMPTY);
            self.list.clear();
        }
        (self.last, self.settled) = ([0; WAVES], 1);
    }

    /// A barrier has opened, and `clocks` know it: every wave knows the same.
    pub fn barrier(&mut self, clocks: &Clocks) {
        let open = self.list.get(self.settled as usize - 1..).unwrap_or_default();
        self.settled += open.iter().take_while(|e| clocks.before(e, 0)).count() as u32;
    }

    /// The number of an access: the same for all parts of one instruction.
    fn number(&mut self, who: &Entry) -> u32 {
        let k = usize::from(who.wave) % WAVES;
        let old = (self.last[k] as usize).checked_sub(1).and_then(|n| self.list.get(n));
        if old.is_some_and(|e| e.same_access(who)) {
            return self.last[k];
        }
        if self.list.len() >= LIST {
            self.compact();
        }
        self.list.push(*who);
        self.last[k] = self.list.len() as u32;
        self.last[k]
    }

    /// Removes accesses from the list that are settled or that no cell names any more.
    #[cold]
    fn compact(&mut self) {
        let mut new = vec![0u32; self.list.len() + 1];
        let settled = self.settled;
        let cells = &mut self.cells;
        let open = |m: &Mark| m.id >= settled;
        cells
            .iter_mut()
            .for_each(|c| c.each(|m| new[m.id as usize] = u32::from(open(m))));
        let mut kept = Vec::new();
        for (e, n) in self.list.iter().zip(&mut new[1..]) {
            if *n != 0 {
                kept.push(*e);
                *n = kept.len() as u32;
            }
        }
        cells.iter_mut().for_each(|c| c.each(|m| m.id = new[m.id as usize]));
        self.list = kept;
        (self.last, self.settled) = ([0; WAVES], 1);
    }

    /// Checks an access; `also` knows of order that the clocks do not.
    pub fn check(&mut self, clocks: &Clocks, also: &dyn Fn(&Entry) -> bool, reports: &mut Reports, a: &Access) {
        let id = self.number(&a.who);
        // Loads for the matrix unit: the upper half of the lanes loads what the lower half does. It finds what that found.
        let low = a.lanes & 0xffff;
        let twice = a.role == Role::Load && a.lanes >> 16 == low && lanes_of(low).all(|l| a.at[l] == a.at[l + 16]);
        let found = match a.role {
            Role::Load => self.part(
                (clocks, also),
                reports,
                a,
                (id, Role::Load),
                if twice { low } else { a.lanes },
            ),
            role => self.part((clocks, also), reports, a, (id, role), a.lanes),
        };
        if twice && found {
            self.part((clocks, also), reports, a, (id, Role::Load), a.lanes & !low);
        }
    }

    /// Checks some of the lanes; whether there was anything to report.
    #[inline(always)]
    fn part(
        &mut self,
        (clocks, also): (&Clocks, &dyn Fn(&Entry) -> bool),
        reports: &mut Reports,
        a: &Access,
        (id, role): (u32, Role),
        lanes: u32,
    ) -> bool {
        let Lds {
            cells, list, settled, ..
        } = self;
        let entry = |m: &Mark| Entry {
            lanes: [m.lane; 4],
            mask: m.mask,
            compares: m.compares,
            ..list.get(m.id as usize - 1).copied().unwrap_or_default()
        };
        let before = |m: &Mark| {
            let over = |e: &Entry| clocks.before(e, a.who.wave) || also(e);
            m.id < *settled || list.get(m.id as usize - 1).is_none_or(over)
        };
        let mut any = false;
        a.cells(lanes, |e, at, value| {
            let Some(cell) = usize::try_from(at / 4).ok().and_then(|k| cells.get_mut(k)) else {
                return; // Outside: reported as that.
            };
            let mark = Mark {
                id,
                wave: e.wave,
                lane: e.lane(),
                mask: e.mask,
                compares: e.compares,
            };
            if let Some(c) = visit(cell, role, &mark, value, before) {
                let c = Conflict {
                    other: entry(&c.other),
                    role: c.role,
                    same: c.same,
                    updates: c.updates,
                    read: c.read.map(|m| entry(&m)),
                };
                report(reports, true, role, e, at, &c);
                any = true;
            }
        });
        any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sanitize::clocks::Finished;
    use crate::sanitize::report::What;
    use crate::wave::Row;

    fn by(wave: u8, number: u32) -> Entry {
        Entry {
            wave,
            number,
            mask: 15,
            counter: 1,
            ..Entry::default()
        }
    }

    /// How many races a store or load of 16 lanes side by side makes.
    fn access(lds: &mut Lds, clocks: &Clocks, who: Entry, role: Role, lanes: u32) -> u64 {
        let at = std::array::from_fn(|l| 4 * (l as u64 % 16));
        let mut reports = Reports::default();
        let a = Access {
            who,
            role,
            polls: false,
            narrow: false,
            flushed: false,
            scope: None,
            quiet: false,
            returns: false,
            lanes,
            at: &at,
            bytes: 4,
            values: None,
            done: Finished::default(),
            cu: false,
            rust: false,
            tells: false,
        };
        lds.check(clocks, &|_| false, &mut reports, &a);
        reports.into_iter().map(|r| r.count).sum()
    }

    #[test]
    fn what_was_waited_for_before_a_barrier_is_settled_and_nothing_else() {
        let (mut lds, mut clocks) = (Lds::new(16), Clocks::new(2));
        assert_eq!(access(&mut lds, &clocks, by(0, 0), Role::Store, 0xffff), 0);
        assert_eq!(access(&mut lds, &clocks, by(0, 1), Role::Store, 0x000f), 0);
        clocks.barrier(&[[0, 1, 0, 0], [0; 4]]);
        lds.barrier(&clocks);
        assert_eq!(lds.settled, 2);
        // The second store is still on its way.
        assert_eq!(access(&mut lds, &clocks, by(1, 0), Role::Load, 0xffff), 4);
        clocks.barrier(&[[0, 2, 0, 0], [0, 1, 0, 0]]);
        lds.barrier(&clocks);
        assert_eq!(lds.settled, 4);
        assert_eq!(access(&mut lds, &clocks, by(1, 1), Role::Load, 0xffff), 0);
    }

    #[test]
    fn both_halves_of_a_load_count() {
        let (mut lds, clocks) = (Lds::new(16), Clocks::new(2));
        assert_eq!(access(&mut lds, &clocks, by(0, 0), Role::Store, 0x0003), 0);
        assert_eq!(access(&mut lds, &clocks, by(1, 0), Role::Load, u32::MAX), 4);
        assert_eq!(access(&mut lds, &clocks, by(1, 1), Role::Load, 0xfff0_fff0), 0);
    }

    #[test]
    fn a_shorter_list_finds_the_same() {
        let (mut lds, clocks) = (Lds::new(16), Clocks::new(3));
        // The first ones are overwritten.
        for n in 0..100 {
            access(&mut lds, &clocks, by(0, n), Role::Store, 0xffff);
        }
        access(&mut lds, &clocks, by(2, 7), Role::Load, 0x0001);
        lds.compact();
        assert_eq!(lds.list, [by(0, 99), by(2, 7)]);
        assert_eq!(access(&mut lds, &clocks, by(1, 0), Role::Load, 0xffff), 16);
        assert_eq!(access(&mut lds, &clocks, by(0, 100), Role::Store, 0xffff), 16);
        lds.clear();
        assert_eq!(access(&mut lds, &clocks, by(1, 1), Role::Load, 0xffff), 0);
    }

    /// Numbers that look random.
    struct Dice(u64);

    impl Dice {
        fn below(&mut self, n: u32) -> u32 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (self.0 >> 33) as u32 % n
        }
    }

    /// What was found, in full; marks know the lane of the first byte only.
    fn found(reports: Reports) -> String {
        let first = |e: Entry| Entry {
            lanes: [e.lane(); 4],
            ..e
        };
        let short = |mut r: crate::sanitize::report::Report| {
            r.who = first(r.who);
            if let What::Race(b) = &mut r.what {
                b.other = first(b.other);
            }
            r
        };
        format!("{:#?}", reports.into_iter().map(short).collect::<Vec<_>>())
    }

    /// The judge keeps whole entries, looks at every lane and knows nothing of settled accesses.
    #[test]
    fn marks_find_what_whole_entries_find() {
        let mut races = 0;
        for seed in 0..300 {
            let mut dice = Dice(seed);
            let (mut lds, mut clocks) = (Lds::new(40), Clocks::new(4));
            let mut judge: Vec<Cell<Entry>> = vec![Cell::EMPTY; 40];
            let (mut reports, mut judged) = (Reports::default(), Reports::default());
            let mut issued = [0u32; 4];
            for step in 0..120 {
                let wave = dice.below(4) as u8;
                match dice.below(12) {
                    0..=2 => {
                        let done: Vec<_> = issued.map(|n| [0, n.saturating_sub(dice.below(8) / 6), 0, 0]).into();
                        clocks.barrier(&done);
                        lds.barrier(&clocks);
                        continue;
                    }
                    3 => {
                        let row = clocks.row((wave + 1) % 4, [0; 4]);
                        clocks.learn(wave, &row);
                        continue;
                    }
                    4 if dice.below(4) == 0 => {
                        // It never comes between the accesses of one instruction.
                        issued = issued.map(|n| n + 1);
                        lds.compact();
                    }
                    _ => {}
                }
                let role = [Role::Load, Role::Load, Role::Store, Role::Atomic][dice.below(4) as usize];
                let bytes = [1, 2, 4, 8, 16][dice.below(5) as usize];
                let stride = bytes * dice.below(3);
                let (base, narrow) = (bytes * dice.below(6), dice.below(3) > 0);
                let at =
                    std::array::from_fn(|l| u64::from(base + stride * (l as u32 % if narrow { 16 } else { 32 }) % 128));
                let row: Row = std::array::from_fn(|l| (l as u32 + dice.below(2)) % 2);
                let rows = [row; 4];
                let a = Access {
                    who: Entry {
                        at: issued[usize::from(wave)] % 7,
                        compares: role == Role::Atomic && step % 2 == 0,
                        ..by(wave, issued[usize::from(wave)])
                    },
                    role,
                    polls: false,
                    narrow: false,
                    flushed: false,
                    scope: None,
                    quiet: false,
                    returns: false,
                    lanes: [u32::MAX, 0x00ff_00ff, 1 << (step % 32)][dice.below(3) as usize],
                    at: &at,
                    bytes,
                    values: (role == Role::Store).then_some((&rows[..], 0)),
                    done: Finished::default(),
                    cu: false,
                    rust: false,
                    tells: false,
                };
                // Sometimes one instruction makes two accesses.
                issued[usize::from(wave)] += dice.below(5).min(1);
                lds.check(&clocks, &|_| false, &mut reports, &a);
                a.cells(a.lanes, |e, va, value| {
                    let Some(cell) = judge.get_mut(va as usize / 4) else {
                        return;
                    };
                    if let Some(c) = visit(cell, role, e, value, |e: &Entry| clocks.before(e, wave)) {
                        report(&mut judged, true, role, e, va, &c);
                        races += 1;
                    }
                });
            }
            assert_eq!(found(reports), found(judged), "seed {seed}");
        }
        assert!(races > 1000);
    }
}
