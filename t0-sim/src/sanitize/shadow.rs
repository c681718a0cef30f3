//! Shadow memory: who accessed each dword last.
//!
//! Problem: to find races one must know, for every byte, which earlier accesses could conflict. Method, after HiRace
//! (Jacobson et al., SC 2024: fixed-size state per address): a [`Cell`] per dword holds the last store, two loads and two
//! atomics of different waves. Two are enough: whoever conflicts with "several readers" conflicts with at least one of
//! two different ones. An access that is ordered before the new one gives its place away.
//!
//! Byte masks keep accesses of different bytes of a dword apart. Of narrow accesses to one cell only the last of a kind
//! and wave is remembered (those of one instruction together), so a race among bytes can be missed, never invented.

use std::collections::HashMap;

/// An access as a cell keeps it: whole ([`Entry`]), or shorter, by reference.
pub(super) trait Slot: Copy {
    /// No access.
    const NONE: Self;
    /// Loads go through a cache.
    const CACHED: bool;
    /// Bytes of the cell; 0: no access.
    fn mask(&self) -> u8;
    /// A compare-and-swap.
    fn compares(&self) -> bool;
    fn same_wave(&self, other: &Self) -> bool;
    /// Whether both are of the same execution of an instruction.
    fn same_access(&self, other: &Self) -> bool;
    /// The same with the bytes of another part of it, too. Of several lanes the first one counts, or the last one if it goes
    /// `over` the others.
    fn with(self, other: &Self, over: bool) -> Self;

    /// `self` in the place of `old`, which keeps its bytes if it is the same access.
    #[inline(always)]
    fn joined(&self, old: &Self, over: bool) -> Self {
        match self.same_access(old) {
            true => old.with(self, over),
            false => *self,
        }
    }
}

/// One access of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Number of the workgroup.
    pub group: u32,
    /// Number among the wave's operations of `counter`, see `Waits::issued`.
    pub number: u32,
    /// Index of the instruction.
    pub at: u32,
    /// Wave of the workgroup.
    pub wave: u8,
    /// Lanes of the wave, for each byte of the cell.
    pub lanes: [u8; 4],
    /// Bytes of the cell; 0: no access.
    pub mask: u8,
    /// Counter that tells when it is finished: VMcnt, LGKMcnt, VScnt, and 3 for DS operations, see `clocks`.
    pub counter: u8,
    /// A compare-and-swap, which proves by itself that a value read before is still there.
    pub compares: bool,
}

impl Entry {
    /// The lane that touched byte `byte` of the cell.
    pub fn lane_of(&self, byte: u32) -> u8 {
        self.lanes[byte as usize % 4]
    }

    /// The lane of the first byte.
    pub fn lane(&self) -> u8 {
        self.lane_of(self.mask.trailing_zeros())
    }
}

impl Slot for Entry {
    const CACHED: bool = true;
    const NONE: Entry = Entry {
        group: 0,
        number: 0,
        at: 0,
        wave: 0,
        lanes: [0; 4],
        mask: 0,
        counter: 0,
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
    fn same_wave(&self, other: &Entry) -> bool {
        self.group == other.group && self.wave == other.wave
    }

    #[inline(always)]
    fn same_access(&self, other: &Entry) -> bool {
        self.same_wave(other) && self.number == other.number && self.counter == other.counter && self.at == other.at
    }

    #[inline(always)]
    fn with(mut self, other: &Entry, over: bool) -> Entry {
        let new = if over { other.mask } else { other.mask & !self.mask };
        let theirs = (0..4).filter(|b| new >> b & 1 == 1);
        theirs.for_each(|b| self.lanes[b] = other.lanes[b]);
        self.mask |= other.mask;
        self
    }
}

/// What an earlier access did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Role {
    Load,
    Store,
    Atomic,
}

/// An earlier access that conflicts with a new one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conflict<S> {
    pub other: S,
    pub role: Role,
    /// Both stored the same bytes.
    pub same: bool,
    /// Both stores are by waves that had loaded what they stored over.
    pub updates: bool,
    /// That load of the new access's wave.
    pub read: Option<S>,
}

impl<S> Conflict<S> {
    /// One of accesses of which nothing else is known.
    pub fn with(other: S, role: Role) -> Conflict<S> {
        Conflict {
            other,
            role,
            same: false,
            updates: false,
            read: None,
        }
    }
}

/// What few cells have.
#[derive(Clone, Debug)]
struct Rest<S> {
    atomics: [S; 2],
    /// A load that the last store of another wave came after: its cache may still hold what it saw.
    older: S,
    /// What was exchanged for the old value.
    swapped: u32,
}

impl<S: Slot> Rest<S> {
    /// Notes what a lane exchanges; the exchange of another lane by the same instruction, of another value: nobody knows which
    /// one stays.
    #[inline(never)]
    fn exchange(&mut self, me: &S, value: u32) -> Option<Conflict<S>> {
        let same = |e: &&S| e.mask() & me.mask() != 0 && e.same_access(me);
        let other = self.atomics.iter().find(same).copied();
        let differs = |o: &S| (value ^ self.swapped) & spread(o.mask() & me.mask()) != 0;
        let found = other.filter(differs).map(|o| Conflict::with(o, Role::Atomic));
        let bytes = spread(me.mask());
        self.swapped = self.swapped & !bytes | value & bytes;
        found
    }

    const EMPTY: Rest<S> = Rest {
        atomics: [S::NONE; 2],
        older: S::NONE,
        swapped: 0,
    };
}

/// The accesses of a dword.
#[derive(Clone, Debug)]
pub(super) struct Cell<S> {
    store: S,
    loads: [S; 2],
    /// Apart, because most cells never need it.
    rest: Option<Box<Rest<S>>>,
    /// What was stored.
    value: u32,
    /// The wave of the store had loaded from here before.
    updates: bool,
}

impl<S: Slot> Cell<S> {
    pub const EMPTY: Cell<S> = Cell {
        store: S::NONE,
        loads: [S::NONE; 2],
        rest: None,
        value: 0,
        updates: false,
    };

    /// Calls `f` with every place that holds an access.
    pub fn each(&mut self, f: impl FnMut(&mut S)) {
        let atomics = self.rest.iter_mut().flat_map(|r| r.atomics.iter_mut());
        let all = self.loads.iter_mut().chain(atomics).chain([&mut self.store]);
        all.filter(|e| e.mask() != 0).for_each(f);
    }

    /// The last store.
    #[cfg(test)]
    fn last_store(&self) -> S {
        self.store
    }

    /// Who wrote byte `byte` last, as far as is known.
    pub fn writer(&self, byte: u32) -> Option<&S> {
        // A store takes the atomics before it away.
        let atomics = self.rest.iter().flat_map(|r| &r.atomics);
        let all = [&self.store].into_iter().chain(atomics);
        all.filter(|e| e.mask() >> (byte & 3) & 1 == 1).last()
    }

    /// Notes a load. `before` tells what is ordered before it.
    #[inline(always)]
    pub fn load(&mut self, me: &S, before: impl Fn(&S) -> bool) -> Option<Conflict<S>> {
        let proven = |e: &S| e.compares() || before(e);
        let found = stores(self, me, &before).or_else(|| atomics(self, me, &proven));
        keep(&mut self.loads, me, &before);
        found
    }

    /// Notes an atomic; `value` is what it puts here, if nobody asks what was here.
    #[inline(always)]
    pub fn atomic(&mut self, me: &S, value: Option<u32>, before: impl Fn(&S) -> bool) -> Option<Conflict<S>> {
        let found = stores(self, me, &before).or_else(|| loads(self, me, &|e: &S| me.compares() || before(e)));
        let rest = self.rest.get_or_insert_with(|| Box::new(Rest::EMPTY));
        let found = found.or_else(|| rest.exchange(me, value?));
        keep(&mut rest.atomics, me, &before);
        found
    }

    /// Notes a store of `value`, if that is known.
    #[inline(always)]
    pub fn store(&mut self, me: &S, value: Option<u32>, before: impl Fn(&S) -> bool) -> Option<Conflict<S>> {
        let mut found = stores(self, me, &before);
        if let (Some(c), Some(v)) = (&mut found, value) {
            let bytes = spread(c.other.mask() & me.mask());
            c.same = (v ^ self.value) & bytes == 0;
        }
        // One that a barrier came after is no part of an update.
        let mine = |e: &&S| e.mask() & me.mask() != 0 && e.same_wave(me) && !before(e);
        let read = self.loads.iter().find(mine).copied();
        if let Some(c) = &mut found {
            (c.updates, c.read) = (self.updates && read.is_some(), read);
        }
        let found = found
            .filter(|c| !c.same)
            .or_else(|| loads(self, me, &before))
            .or_else(|| atomics(self, me, &before))
            .or_else(|| self.twice(me, value))
            .or(found);
        // Lanes of one instruction have loaded alike; the first one's store takes the load away.
        self.updates = read.is_some() || self.updates && self.store.same_access(me);
        self.store = me.joined(&self.store, true);
        let bytes = spread(me.mask());
        self.value = self.value & !bytes | value.unwrap_or(!self.value) & bytes;
        let over = |e: &S| e.mask() != 0 && (e.same_wave(me) || before(e));
        if S::CACHED {
            let theirs = self.loads.iter().find(|e| !e.same_wave(me) && over(e));
            match (theirs, &mut self.rest) {
                (Some(e), rest) => rest.get_or_insert_with(|| Box::new(Rest::EMPTY)).older = *e,
                (None, Some(rest)) if rest.older.same_wave(me) => rest.older = S::NONE,
                _ => {}
            }
        }
        self.loads.iter_mut().filter(|e| over(e)).for_each(|e| *e = S::NONE);
        if let Some(rest) = &mut self.rest {
            rest.atomics.iter_mut().filter(|e| over(e)).for_each(|e| *e = S::NONE);
        }
        found
    }
}

impl<S: Slot> Cell<S> {
    /// The store of another lane by the same instruction, of another value: nobody knows which one stays.
    #[inline(always)]
    fn twice(&self, me: &S, value: Option<u32>) -> Option<Conflict<S>> {
        let both = self.store.mask() & me.mask();
        let differs = both != 0 && (value? ^ self.value) & spread(both) != 0;
        (differs && self.store.same_access(me)).then(|| Conflict {
            updates: self.updates,
            ..Conflict::with(self.store, Role::Store)
        })
    }
}

impl Cell<Entry> {
    /// The store a load of the same workgroup may miss, though it came before: the wave has loaded an older value, and `in_cache` says that
    /// its L0 may still hold that.
    #[inline(always)]
    pub fn missed(&self, me: &Entry, in_cache: impl Fn(&Entry) -> bool) -> Option<Conflict<Entry>> {
        let older = self.rest.as_deref()?.older;
        let theirs = self.store.group == me.group && !self.store.same_wave(me);
        let stale = theirs && older.mask & self.store.mask & me.mask != 0 && older.same_wave(me) && in_cache(&older);
        stale.then(|| Conflict::with(self.store, Role::Store))
    }
}

/// Bits of the bytes of a mask.
#[inline(always)]
fn spread(mask: u8) -> u32 {
    (0..4).fold(0, |m, k| m | if mask >> k & 1 == 1 { 0xff << (8 * k) } else { 0 })
}

#[inline(always)]
fn among<S: Slot>(entries: &[S], role: Role, me: &S, before: &impl Fn(&S) -> bool) -> Option<Conflict<S>> {
    let clash = |e: &&S| e.mask() & me.mask() != 0 && !e.same_wave(me) && !before(e);
    let other = *entries.iter().find(clash)?;
    Some(Conflict::with(other, role))
}

#[inline(always)]
fn stores<S: Slot>(c: &Cell<S>, me: &S, before: &impl Fn(&S) -> bool) -> Option<Conflict<S>> {
    among(std::slice::from_ref(&c.store), Role::Store, me, before)
}

#[inline(always)]
fn loads<S: Slot>(c: &Cell<S>, me: &S, before: &impl Fn(&S) -> bool) -> Option<Conflict<S>> {
    among(&c.loads, Role::Load, me, before)
}

#[inline(always)]
fn atomics<S: Slot>(c: &Cell<S>, me: &S, before: &impl Fn(&S) -> bool) -> Option<Conflict<S>> {
    among(&c.rest.as_deref()?.atomics, Role::Atomic, me, before)
}

/// Puts an access into one of two places: that of its own wave, an empty one, or one whose access is ordered before.
/// If both are taken by other waves' unordered accesses, those will do.
#[inline(always)]
fn keep<S: Slot>(places: &mut [S; 2], me: &S, before: &impl Fn(&S) -> bool) {
    let own = places.iter().position(|e| e.mask() != 0 && e.same_wave(me));
    let free = || places.iter().position(|e| e.mask() == 0 || before(e));
    if let Some(k) = own.or_else(free) {
        places[k] = me.joined(&places[k], false);
    }
}

/// Bytes of global memory per page of shadow.
const PAGE: u64 = 1024;
const CELLS: usize = PAGE as usize / 4;
/// Pages that are found without a look into the index: rows of a matrix take turns.
const NEAR: usize = 256;

/// The shadow of global memory, made where it is touched.
#[derive(Debug)]
pub(super) struct Pages {
    index: HashMap<u64, u32>,
    pages: Vec<Box<[Cell<Entry>]>>,
    /// Pages used last, and their numbers.
    near: Box<[(u64, u32); NEAR]>,
}

impl Default for Pages {
    fn default() -> Pages {
        Pages {
            index: HashMap::new(),
            pages: Vec::new(),
            // No address has this page.
            near: Box::new([(u64::MAX, 0); NEAR]),
        }
    }
}

impl Pages {
    /// The cell of the dword at `va`.
    #[inline(always)]
    pub fn cell(&mut self, va: u64) -> &mut Cell<Entry> {
        let page = va / PAGE;
        let n = match self.near[page as usize % NEAR] {
            (p, n) if p == page => n,
            _ => self.find(page),
        };
        &mut self.pages[n as usize][(va % PAGE) as usize / 4]
    }

    /// The cell of the dword at `va`, if anything was touched near it.
    pub fn known(&self, va: u64) -> Option<&Cell<Entry>> {
        let n = *self.index.get(&(va / PAGE))?;
        self.pages[n as usize].get((va % PAGE) as usize / 4)
    }

    fn find(&mut self, page: u64) -> u32 {
        let pages = &mut self.pages;
        let n = *self.index.entry(page).or_insert_with(|| {
            pages.push(vec![Cell::EMPTY; CELLS].into_boxed_slice());
            pages.len() as u32 - 1
        });
        self.near[page as usize % NEAR] = (page, n);
        n
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn by(wave: u8, number: u32, mask: u8) -> Entry {
        Entry {
            wave,
            number,
            mask,
            ..Entry::NONE
        }
    }

    #[test]
    fn a_store_conflicts_with_loads_of_other_waves_only() {
        let none = |_: &Entry| false;
        let mut c = Cell::EMPTY;
        assert!(c.load(&by(0, 0, 15), none).is_none());
        assert!(c.load(&by(1, 0, 15), none).is_none());
        assert!(c.load(&by(2, 0, 15), none).is_none());
        let found = c.store(&by(0, 1, 15), Some(7), none).unwrap();
        assert_eq!((found.other.wave, found.role), (1, Role::Load));
        // Its own load does not count.
        let mut c = Cell::EMPTY;
        c.load(&by(0, 0, 15), none);
        assert!(c.store(&by(0, 1, 15), Some(7), none).is_none());
    }

    #[test]
    fn bytes_of_a_dword_are_kept_apart() {
        let none = |_: &Entry| false;
        let mut c = Cell::EMPTY;
        assert!(c.store(&by(0, 0, 0b0011), None, none).is_none());
        assert!(c.store(&by(1, 0, 0b1100), None, none).is_none());
        assert!(c.load(&by(2, 0, 0b0100), none).is_some());
    }

    #[test]
    fn equal_values_are_told_apart_from_different_ones() {
        let none = |_: &Entry| false;
        let mut c = Cell::EMPTY;
        c.store(&by(0, 0, 15), Some(7), none);
        assert!(c.store(&by(1, 0, 15), Some(7), none).unwrap().same);
        assert!(!c.store(&by(2, 0, 15), Some(8), none).unwrap().same);
        assert!(!c.store(&by(0, 1, 15), None, none).unwrap().same);
    }

    #[test]
    fn lanes_of_one_instruction_may_store_the_same_value_only() {
        let none = |_: &Entry| false;
        let mut c = Cell::EMPTY;
        let lane = |l: u8, mask: u8| Entry {
            lanes: [l; 4],
            ..by(0, 4, mask)
        };
        assert!(c.store(&lane(0, 15), Some(7), none).is_none());
        assert!(c.store(&lane(1, 15), Some(7), none).is_none());
        let found = c.store(&lane(2, 0b0110), Some(0x0100), none).unwrap();
        assert_eq!(
            (found.other.lane_of(1), found.role, found.same),
            (1, Role::Store, false)
        );
        // Other bytes, and the next instruction of the wave.
        let mut c = Cell::EMPTY;
        c.store(&lane(0, 0b0011), Some(1), none);
        assert!(c.store(&lane(1, 0b1100), Some(2 << 16), none).is_none());
        assert!(c.store(&by(0, 5, 15), Some(9), none).is_none());
        // What is not known is not told.
        c.store(&by(0, 6, 15), None, none);
        assert!(c.store(&by(0, 6, 15), None, none).is_none());
    }

    #[test]
    fn atomics_conflict_with_plain_accesses_only() {
        let none = |_: &Entry| false;
        let mut c = Cell::EMPTY;
        assert!(c.atomic(&by(0, 0, 15), None, none).is_none());
        assert!(c.atomic(&by(1, 0, 15), None, none).is_none());
        assert_eq!(c.load(&by(0, 1, 15), none).unwrap().other.wave, 1);
    }

    #[test]
    fn two_readers_are_two_waves() {
        let none = |_: &Entry| false;
        let mut c = Cell::EMPTY;
        c.load(&by(0, 0, 15), none);
        c.load(&by(1, 0, 15), none);
        // Wave 0's store takes its own load away; wave 1's is a race and stays.
        assert!(c.store(&by(0, 1, 15), None, none).is_some());
        c.load(&by(1, 1, 15), |_| true);
        c.load(&by(2, 0, 15), |e| e.wave != 1);
        assert_eq!(c.store(&by(1, 2, 15), None, |e| e.wave == 0).unwrap().other.wave, 2);
    }

    #[test]
    fn a_load_before_a_compare_and_swap_is_none_of_a_race() {
        let none = |_: &Entry| false;
        let swap = |wave| Entry {
            compares: true,
            ..by(wave, 1, 15)
        };
        let mut c = Cell::EMPTY;
        c.load(&by(0, 0, 15), none);
        assert!(c.atomic(&swap(1), None, none).is_none());
        assert!(c.load(&by(2, 0, 15), none).is_none());
        assert!(c.atomic(&by(3, 0, 15), None, none).is_some());
        assert!(c.store(&by(3, 1, 15), None, none).is_some());
    }

    #[test]
    fn what_is_ordered_before_gives_its_place_away() {
        let mut c = Cell::EMPTY;
        let before = |e: &Entry| e.number < 5;
        c.load(&by(0, 1, 15), before);
        c.load(&by(1, 1, 15), before);
        c.load(&by(2, 6, 15), before);
        assert_eq!(c.store(&by(3, 0, 15), None, before).unwrap().other.wave, 2);
    }

    #[test]
    fn the_writer_of_each_byte_is_known() {
        let none = |_: &Entry| false;
        let mut c = Cell::EMPTY;
        for (lane, mask) in [(4, 0b0011), (5, 0b1100)] {
            let mut e = by(1, 7, mask);
            e.lanes = [lane; 4];
            c.store(&e, None, none);
        }
        assert_eq!([0, 1, 2, 3].map(|b| c.writer(b).unwrap().lane_of(b)), [4, 4, 5, 5]);
        // Another instruction knows its own bytes only.
        c.store(&by(1, 8, 0b0001), None, none);
        assert_eq!((c.writer(0).unwrap().number, c.writer(2)), (8, None));
        c.atomic(&by(2, 0, 15), None, |_| true);
        assert_eq!(c.writer(2).unwrap().wave, 2);
        c.store(&by(3, 0, 15), None, |_| true);
        assert_eq!(c.writer(2).unwrap().wave, 3);
    }

    #[test]
    fn lanes_of_one_instruction_may_exchange_the_same_value_only() {
        let none = |_: &Entry| false;
        let mut c = Cell::EMPTY;
        assert!(c.atomic(&by(0, 4, 15), Some(7), none).is_none());
        assert!(c.atomic(&by(0, 4, 15), Some(7), none).is_none());
        let found = c.atomic(&by(0, 4, 15), Some(8), none).unwrap();
        assert_eq!((found.other.number, found.role), (4, Role::Atomic));
        // The next instruction, another wave, and one that asks for the old value.
        assert!(c.atomic(&by(0, 5, 15), Some(9), none).is_none());
        assert!(c.atomic(&by(1, 5, 15), Some(10), none).is_none());
        assert!(c.atomic(&by(1, 5, 15), None, none).is_none());
    }

    #[test]
    fn waves_that_load_and_store_the_same_element_are_told_apart() {
        let none = |_: &Entry| false;
        let mut c = Cell::EMPTY;
        c.load(&by(0, 0, 15), none);
        c.store(&by(0, 1, 15), Some(1), none);
        c.load(&by(1, 0, 15), none);
        let found = c.store(&by(1, 1, 15), Some(2), none).unwrap();
        assert!(found.updates && found.role == Role::Store);
        assert_eq!(found.read.unwrap().wave, 1);
        // One of them, or none, has not loaded.
        assert!(!c.store(&by(2, 0, 15), Some(3), none).unwrap().updates);
        c.load(&by(3, 0, 15), none);
        assert!(!c.store(&by(3, 1, 15), Some(4), none).unwrap().updates);
        // Lanes of one wave.
        let mut c = Cell::EMPTY;
        c.load(&by(0, 0, 15), none);
        c.store(&by(0, 1, 15), Some(1), none);
        assert!(c.store(&by(0, 1, 15), Some(2), none).unwrap().updates);
    }

    #[test]
    fn pages_are_made_where_they_are_touched() {
        let mut p = Pages::default();
        p.cell(0x7000_0000_1000).store(&by(3, 0, 15), None, |_| false);
        assert_eq!(p.cell(0x7000_0000_2000).last_store().mask, 0);
        assert_eq!(p.cell(0x7000_0000_1002).last_store().wave, 3);
        assert_eq!(p.pages.len(), 2);
    }
}
