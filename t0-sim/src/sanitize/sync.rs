//! How waves order their accesses of global memory: by atomics, waits and cache invalidations.
//!
//! Method: what a wave has finished (its own accesses it has waited for, those of its group it knows of) is *released* by
//! its next atomic, and in code that is not t0's, which has no atomic stores, by any store: machine code does not tell a store
//! that releases from another, and whatever was waited for is over when it is seen. A load with `glc` or an atomic that
//! returns a value from the same dword *acquires* everything released there before, once its value has been waited for. Stores and atomics may rely on it at once, plain loads after the wave has invalidated the caches
//! that may hold older values: of another workgroup's data L0 and L1 (`buffer_gl0_inv`, `buffer_gl1_inv`: device scope), of its
//! own workgroup's L0 (workgroup scope), and in CU mode, where one L0 serves all of them, none. There a load by which a wave
//! waits needs no `glc` either, and acquires from its own workgroup only. Sources: LLVM AMDGPUUsage, memory model GFX11; RDNA3
//! ISA manual 4.4.
//!
//! A release is looked up only when two accesses conflict, so counters that every workgroup increments cost little. Of
//! several releases of one wave at one place the latest counts, also for those that acquired an earlier one: a race may be
//! missed, none is invented.

use std::collections::HashMap;
use std::sync::Arc;

use super::clocks::{Done, Rows, COUNTERS};
use super::shadow::Entry;

/// A dword and how many releases there had been.
pub(super) type Seen = (u64, u32);

/// What was acquired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Held {
    pub seen: Seen,
    /// Only from the own workgroup.
    pub near: bool,
}

/// What one wave released at one place.
#[derive(Debug)]
struct Release {
    group: u32,
    wave: u8,
    /// Its number there, when the wave released there first.
    first: u32,
    rows: Rows,
    acquired: Arc<[Held]>,
}

#[derive(Debug, Default)]
struct Place {
    count: u32,
    /// By group and wave.
    releases: Vec<Release>,
}

impl Place {
    fn of_group(&self, group: u32) -> &[Release] {
        let from = self.releases.partition_point(|r| r.group < group);
        let all = &self.releases[from..];
        &all[..all.partition_point(|r| r.group == group)]
    }
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
    pub fn release(&mut self, va: u64, group: u32, wave: u8, rows: &Rows, acquired: &Arc<[Held]>) {
        let place = self.places.entry(va).or_default();
        let first = place.count;
        place.count += 1;
        let new = |first| Release {
            group,
            wave,
            first,
            rows: rows.clone(),
            acquired: acquired.clone(),
        };
        let all = &mut place.releases;
        match all.binary_search_by_key(&(group, wave), |r| (r.group, r.wave)) {
            Ok(k) => all[k] = new(all[k].first),
            Err(k) => {
                // Most places have one.
                all.reserve_exact(usize::from(all.is_empty()));
                all.insert(k, new(first));
            }
        }
    }

    /// Whether a wave of `group` that acquired this knows that an access is over.
    pub fn cover(&self, acquired: impl Iterator<Item = Held>, e: &Entry, group: u32) -> bool {
        let of = |h: Held, group: u32| (h.seen, h.near.then_some(group));
        let mut open: Vec<(Seen, Option<u32>)> = acquired.map(|h| of(h, group)).collect();
        let mut seen: HashMap<(u64, Option<u32>), u32> = HashMap::new();
        while let Some(((va, count), only)) = open.pop() {
            let Some(place) = self.places.get(&va) else { continue };
            let known = seen.entry((va, only)).or_insert(0);
            if *known >= count {
                continue;
            }
            *known = count;
            let released = |r: &&Release| r.first < count;
            let covers = |r: &Release| {
                let rows = if e.group == group { &r.rows.own } else { &r.rows.others };
                let done = rows.get(usize::from(e.wave));
                done.is_some_and(|d| e.number < d[usize::from(e.counter) % COUNTERS])
            };
            let from = |g: u32| only.is_none_or(|o| o == g);
            if from(e.group) && place.of_group(e.group).iter().filter(released).any(covers) {
                return true;
            }
            let relayed = match only {
                Some(g) => place.of_group(g),
                None => &place.releases,
            };
            for r in relayed.iter().filter(released) {
                open.extend(r.acquired.iter().map(|&h| of(h, r.group)));
            }
        }
        false
    }
}

/// An acquire on its way.
#[derive(Clone, Copy, Debug)]
struct Pending {
    held: Held,
    /// Number of the operation that fetches the value; `None` when it is there.
    number: Option<u32>,
    counter: u8,
    /// L0 and L1 have been invalidated since.
    caches: [bool; 2],
}

impl Pending {
    fn finished(&self, done: &Done) -> bool {
        self.number
            .is_none_or(|n| n < done[usize::from(self.counter) % COUNTERS])
    }
}

/// What one wave has acquired.
#[derive(Clone, Debug, Default)]
pub(super) struct Acquired {
    held: Vec<Held>,
    pending: Vec<Pending>,
}

fn hold(held: &mut Vec<Held>, new: Held) {
    let same = |h: &&mut Held| h.seen.0 == new.seen.0 && h.near == new.near;
    match held.iter_mut().find(same) {
        Some(h) => h.seen.1 = h.seen.1.max(new.seen.1),
        None => held.push(new),
    }
}

impl Acquired {
    /// The operation `number` of `counter` fetches a value; the wave has finished `done`.
    pub fn fetch(&mut self, held: Held, number: u32, counter: u8, done: &Done) {
        if held.seen.1 == 0 {
            return;
        }
        // Of earlier ones only the last whose value is there counts on.
        let same = |p: &Pending| p.held.seen.0 == held.seen.0;
        let last = self.pending.iter().rposition(|p| same(p) && p.finished(done));
        let mut k = 0;
        self.pending.retain(|p| {
            k += 1;
            !same(p) || last == Some(k - 1)
        });
        self.pending.push(Pending {
            held,
            number: Some(number),
            counter,
            caches: [false; 2],
        });
    }

    /// The wave, which has finished `done`, invalidates a cache: 0 for L0, 1 for L1.
    pub fn invalidate(&mut self, cache: usize, done: &Done) {
        let held = &mut self.held;
        for p in self.pending.iter_mut().filter(|p| p.finished(done)) {
            p.caches[cache] = true;
            if cache == 0 {
                hold(held, Held { near: true, ..p.held });
            }
        }
        self.pending.retain(|p| {
            let both = p.caches == [true; 2];
            if both {
                hold(held, p.held);
            }
            !both
        });
    }

    /// What plain loads may rely on; `cu` in CU mode.
    pub fn for_loads<'a>(&'a self, done: &'a Done, cu: bool) -> impl Iterator<Item = Held> + 'a {
        let fetched = self.pending.iter().filter(move |p| cu && p.finished(done));
        let near = fetched.map(|p| Held { near: true, ..p.held });
        self.held.iter().copied().chain(near)
    }

    /// What stores and atomics may rely on.
    pub fn for_stores<'a>(&'a self, done: &'a Done) -> impl Iterator<Item = Held> + 'a {
        let fetched = self.pending.iter().filter(|p| p.finished(done)).map(|p| p.held);
        self.held.iter().copied().chain(fetched)
    }

    /// The same if every flag had been read, and every cache invalidated, at device scope.
    pub fn if_wider<'a>(&'a self, done: &'a Done) -> impl Iterator<Item = Held> + 'a {
        self.for_stores(done).map(|h| Held { near: false, ..h })
    }

    /// Whether some flag was read, or some cache invalidated, at workgroup scope only.
    pub fn narrow(&self, done: &Done) -> bool {
        let of = |p: &Pending| p.held.near || p.caches == [true, false];
        self.held
            .iter()
            .any(|h| h.near && !self.held.contains(&Held { near: false, ..*h }))
            || self.pending.iter().any(|p| p.finished(done) && of(p))
    }

    /// What another wave had acquired when it released it to this one.
    pub fn learn(&mut self, theirs: &[Held]) {
        theirs.iter().for_each(|&h| hold(&mut self.held, h));
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
            for p in a.pending.iter().filter(|p| p.finished(done)) {
                if !sum.pending.iter().any(|q| q.held == p.held && q.caches == p.caches) {
                    sum.pending.push(Pending { number: None, ..*p });
                }
            }
        }
        for (a, done) in all.iter_mut().zip(done) {
            sum.held.iter().for_each(|&s| hold(&mut a.held, s));
            a.pending.retain(|p| !p.finished(done));
            a.pending.extend(sum.pending.iter().copied());
        }
    }
}
