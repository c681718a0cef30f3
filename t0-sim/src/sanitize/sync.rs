//! How workgroups order their accesses of global memory: by atomics, waits and cache invalidations.
//!
//! Method: what a wave has finished (its own accesses it has waited for, those of its group it knows of) is *released* by
//! its next atomic, or by a store right behind `s_waitcnt_vscnt 0`, as compilers write a release store. A device-scope load
//! (`glc`) or an atomic that returns a value from the same dword *acquires* everything released there before, once its value
//! has been waited for; plain loads may use it after the wave has invalidated L0 and L1 (`buffer_gl0_inv`,
//! `buffer_gl1_inv`), stores and atomics at once. Sources: LLVM AMDGPUUsage, memory model GFX11 (agent scope); RDNA3 ISA
//! manual 4.4.
//!
//! A release is looked up only when two accesses conflict, so counters that every workgroup increments cost little. Of
//! several releases of one wave at one place the latest counts, also for those that acquired an earlier one: a race may be
//! missed, none is invented.

use std::collections::HashMap;
use std::sync::Arc;

use super::clocks::Done;
use super::shadow::Entry;

/// A dword and how many releases there had been.
pub(super) type Seen = (u64, u32);

/// What one wave released at one place.
#[derive(Debug)]
struct Release {
    wave: u8,
    /// Its number there, when the wave released there first.
    first: u32,
    rows: Arc<[Done]>,
    acquired: Arc<[Seen]>,
}

#[derive(Debug, Default)]
struct Place {
    count: u32,
    by_group: HashMap<u32, Vec<Release>>,
}

/// All releases of a launch.
#[derive(Debug, Default)]
pub(super) struct Releases {
    places: HashMap<u64, Place>,
}

impl Releases {
    /// How many releases there have been at `va`.
    pub fn count(&self, va: u64) -> u32 {
        self.places.get(&va).map_or(0, |p| p.count)
    }

    /// Wave `wave` of `group` releases at `va` what it knows of its group and what it has acquired.
    pub fn release(&mut self, va: u64, group: u32, wave: u8, rows: &Arc<[Done]>, acquired: &Arc<[Seen]>) {
        let place = self.places.entry(va).or_default();
        let first = place.count;
        place.count += 1;
        let own = place.by_group.entry(group).or_default();
        let new = |first| Release {
            wave,
            first,
            rows: rows.clone(),
            acquired: acquired.clone(),
        };
        match own.iter_mut().find(|r| r.wave == wave) {
            Some(r) => *r = new(r.first),
            None => own.push(new(first)),
        }
    }

    /// Whether one who acquired this knows that an access is over.
    pub fn cover(&self, acquired: impl Iterator<Item = Seen>, e: &Entry) -> bool {
        let mut open: Vec<Seen> = acquired.collect();
        let mut seen: HashMap<u64, u32> = HashMap::new();
        while let Some((va, count)) = open.pop() {
            let Some(place) = self.places.get(&va) else { continue };
            let known = seen.entry(va).or_insert(0);
            if *known >= count {
                continue;
            }
            *known = count;
            let released = |r: &&Release| r.first < count;
            let covers = |r: &Release| {
                let done = r.rows.get(usize::from(e.wave));
                done.is_some_and(|d| e.number < d[usize::from(e.counter) % 3])
            };
            let group = place.by_group.get(&e.group);
            if group.is_some_and(|g| g.iter().filter(released).any(covers)) {
                return true;
            }
            for r in place.by_group.values().flatten().filter(released) {
                open.extend(r.acquired.iter().copied());
            }
        }
        false
    }
}

/// An acquire on its way.
#[derive(Clone, Copy, Debug)]
struct Pending {
    seen: Seen,
    /// Number of the operation that fetches the value; `None` when it is there.
    number: Option<u32>,
    counter: u8,
    /// L0 and L1 have been invalidated since.
    caches: [bool; 2],
}

impl Pending {
    fn finished(&self, done: &Done) -> bool {
        self.number.is_none_or(|n| n < done[usize::from(self.counter) % 3])
    }
}

/// What one wave has acquired.
#[derive(Clone, Debug, Default)]
pub(super) struct Acquired {
    held: Vec<Seen>,
    pending: Vec<Pending>,
}

fn hold(held: &mut Vec<Seen>, (va, count): Seen) {
    match held.iter_mut().find(|(v, _)| *v == va) {
        Some((_, c)) => *c = (*c).max(count),
        None => held.push((va, count)),
    }
}

impl Acquired {
    /// The operation `number` of `counter` fetches a value.
    pub fn fetch(&mut self, seen: Seen, number: u32, counter: u8) {
        if seen.1 == 0 {
            return;
        }
        self.pending.retain(|p| p.seen.0 != seen.0);
        self.pending.push(Pending {
            seen,
            number: Some(number),
            counter,
            caches: [false; 2],
        });
    }

    /// The wave, which has finished `done`, invalidates a cache: 0 for L0, 1 for L1.
    pub fn invalidate(&mut self, cache: usize, done: &Done) {
        for p in self.pending.iter_mut().filter(|p| p.finished(done)) {
            p.caches[cache] = true;
        }
        let held = &mut self.held;
        self.pending.retain(|p| {
            let both = p.caches == [true; 2];
            if both {
                hold(held, p.seen);
            }
            !both
        });
    }

    /// What plain loads may rely on.
    pub fn for_loads(&self) -> impl Iterator<Item = Seen> + '_ {
        self.held.iter().copied()
    }

    /// What stores and atomics may rely on.
    pub fn for_stores<'a>(&'a self, done: &'a Done) -> impl Iterator<Item = Seen> + 'a {
        let fetched = self.pending.iter().filter(|p| p.finished(done)).map(|p| p.seen);
        self.held.iter().copied().chain(fetched)
    }

    /// Nothing has been acquired.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty() && self.pending.is_empty()
    }

    /// A barrier passes on what each wave has acquired; `done` is what it has finished.
    pub fn barrier(all: &mut [Acquired], done: &[Done]) {
        if all.iter().all(Acquired::is_empty) {
            return;
        }
        let mut sum = Acquired::default();
        for (a, done) in all.iter().zip(done) {
            a.held.iter().for_each(|&s| hold(&mut sum.held, s));
            let over = a.pending.iter().filter(|p| p.finished(done));
            sum.pending.extend(over.map(|p| Pending { number: None, ..*p }));
        }
        for (a, done) in all.iter_mut().zip(done) {
            sum.held.iter().for_each(|&s| hold(&mut a.held, s));
            a.pending.retain(|p| !p.finished(done));
            a.pending.extend(sum.pending.iter().copied());
        }
    }
}
