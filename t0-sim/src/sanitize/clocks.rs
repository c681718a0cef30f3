//! What a workgroup's waves know of each other's accesses.
//!
//! Method: a vector clock per wave whose components count finished operations: `known[w][u]` says up to which number of
//! each counter (VMcnt, LGKMcnt, VScnt) the accesses of wave `u` happened before what wave `w` does next. `s_barrier`
//! passes on what each wave has *waited for*; a store still in flight is not ordered by the barrier, because it may
//! reach memory after what another wave does behind it (RDNA3 ISA manual 4.4: `s_barrier` waits for no counter).
//!
//! DS operations of one wave are executed in order (RDNA3 ISA manual 4.4, LLVM AMDGPUUsage, memory model GFX11: no wait
//! before a release in the LDS), so a DS store or atomic that others see tells that all DS operations before it are over. They
//! have a component of their own, apart from what else LGKMcnt counts.
//!
//! In CU mode the waves of a workgroup share one L0, which takes their accesses in order: among themselves what has been
//! issued counts as finished, as LLVM has it (AMDGPUUsage, memory model GFX11: waits for VMcnt and VScnt may be omitted at
//! workgroup scope in CU mode). Other workgroups see what has been waited for, so [`Views`] keeps both.

use std::sync::Arc;

use super::shadow::Entry;

/// Components of a clock.
pub(super) const COUNTERS: usize = 4;
/// The component of DS operations; the others are VMcnt, LGKMcnt and VScnt. Numbers are those of LGKMcnt.
pub(super) const DS: usize = 3;
/// Numbers of finished operations, by counter.
pub(super) type Done = [u32; COUNTERS];

/// The clocks of a workgroup.
#[derive(Clone, Debug, Default)]
pub(super) struct Clocks {
    waves: usize,
    known: Vec<Done>,
    /// How many loads each wave had issued when it last invalidated its L0.
    emptied: Vec<u32>,
}

impl Clocks {
    /// For so many waves, that know nothing of each other.
    pub fn new(waves: usize) -> Clocks {
        Clocks {
            waves,
            known: vec![[0; COUNTERS]; waves * waves],
            emptied: vec![0; waves],
        }
    }

    /// Whether an access of the same workgroup happened before what `wave` does now.
    #[inline(always)]
    pub fn before(&self, e: &Entry, wave: u8) -> bool {
        let at = usize::from(wave) * self.waves + usize::from(e.wave);
        self.known
            .get(at)
            .is_some_and(|k| e.number < k[usize::from(e.counter) % COUNTERS])
    }

    /// Wave `wave` invalidates its L0 after so many loads.
    pub fn empty(&mut self, wave: u8, loads: u32) {
        if let Some(e) = self.emptied.get_mut(usize::from(wave)) {
            *e = loads;
        }
    }

    /// Whether the L0 of its wave may still hold what a load fetched.
    pub fn in_cache(&self, load: &Entry) -> bool {
        let emptied = self.emptied.get(usize::from(load.wave));
        load.counter == 0 && emptied.is_some_and(|&n| load.number >= n)
    }

    /// What `wave` knows, with `done` of itself.
    pub fn row(&self, wave: u8, done: Done) -> Vec<Done> {
        let at = usize::from(wave) * self.waves;
        let mut row = self.known[at..at + self.waves].to_vec();
        join(&mut row[usize::from(wave)], &done);
        row
    }

    /// Wave `wave` learns what another one knew.
    pub fn learn(&mut self, wave: u8, row: &[Done]) {
        let at = usize::from(wave) * self.waves;
        let mine = &mut self.known[at..at + self.waves];
        mine.iter_mut().zip(row).for_each(|(k, r)| join(k, r));
    }

    /// A barrier: everybody learns what everybody knows and has finished.
    pub fn barrier(&mut self, done: &[Done]) {
        let mut all = done.to_vec();
        all.resize(self.waves, [0; COUNTERS]);
        for row in self.known.chunks(self.waves.max(1)) {
            all.iter_mut().zip(row).for_each(|(a, k)| join(a, k));
        }
        for row in self.known.chunks_mut(self.waves.max(1)) {
            row.copy_from_slice(&all);
        }
    }
}

/// What a wave knows: as its own workgroup sees it, and as others do.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    pub own: Arc<[Done]>,
    pub others: Arc<[Done]>,
}

/// The same of all waves of a workgroup.
#[derive(Clone, Debug)]
pub(super) struct Views {
    pub own: Clocks,
    /// Where it differs.
    others: Option<Clocks>,
}

/// What a wave has finished, in the eyes of its own workgroup and of others.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Finished {
    pub own: Done,
    pub others: Done,
}

impl Finished {
    /// The same where DS operations with lower numbers are over, too.
    pub fn with_ds(mut self, number: u32) -> Finished {
        (self.own[DS], self.others[DS]) = (number, number);
        self
    }
}

impl Views {
    /// For so many waves; `both` when others see less.
    pub fn new(waves: usize, both: bool) -> Views {
        Views {
            own: Clocks::new(waves),
            others: both.then(|| Clocks::new(waves)),
        }
    }

    /// What `wave` knows, with what it has finished.
    pub fn rows(&self, wave: u8, done: Finished) -> Rows {
        let own: Arc<[Done]> = self.own.row(wave, done.own).into();
        let others = match &self.others {
            Some(c) => c.row(wave, done.others).into(),
            None => own.clone(),
        };
        Rows { own, others }
    }

    /// Wave `wave` learns what another one of its workgroup knew.
    pub fn learn(&mut self, wave: u8, rows: &Rows) {
        self.own.learn(wave, &rows.own);
        if let Some(c) = &mut self.others {
            c.learn(wave, &rows.others);
        }
    }

    /// A barrier.
    pub fn barrier(&mut self, done: &[Finished]) {
        let of = |f: fn(&Finished) -> Done| -> Vec<Done> { done.iter().map(f).collect() };
        self.own.barrier(&of(|d| d.own));
        if let Some(c) = &mut self.others {
            c.barrier(&of(|d| d.others));
        }
    }
}

impl Rows {
    /// What either knew.
    pub fn joined(&self, more: &Rows) -> Rows {
        let both = |a: &[Done], b: &[Done]| -> Arc<[Done]> {
            let later = |(a, b): (&Done, &Done)| std::array::from_fn(|k| a[k].max(b[k]));
            a.iter().zip(b).map(later).collect()
        };
        Rows {
            own: both(&self.own, &more.own),
            others: both(&self.others, &more.others),
        }
    }
}

/// The later of both, by counter.
fn join(a: &mut Done, b: &Done) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a = (*a).max(*b));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_barrier_orders_what_was_waited_for() {
        let mut c = Clocks::new(2);
        let store = |number| Entry {
            wave: 0,
            number,
            counter: 2,
            mask: 15,
            ..Entry::default()
        };
        assert!(!c.before(&store(0), 1));
        c.barrier(&[[0, 0, 1, 0], [0; 4]]);
        assert!(c.before(&store(0), 1));
        assert!(!c.before(&store(1), 1));
    }

    #[test]
    fn knowledge_passes_through_a_third_wave() {
        let mut c = Clocks::new(3);
        let row = c.row(0, [0, 5, 0, 0]);
        c.learn(1, &row);
        let row = c.row(1, [0; 4]);
        c.learn(2, &row);
        let load = Entry {
            wave: 0,
            number: 4,
            counter: 1,
            mask: 15,
            ..Entry::default()
        };
        assert!(c.before(&load, 2));
        assert!(!c.before(&load, 0) || load.wave == 0);
    }
}
