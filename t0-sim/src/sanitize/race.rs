//! Races: two accesses of the same bytes by different waves, at least one of them a store, that nothing orders.
//!
//! Within a workgroup `clocks` knows the order, between workgroups `sync`. LDS is checked as it is accessed, by the one
//! thread that runs the group, see `lds`. Global memory is shared by groups that run on several host threads; for a report that does
//! not depend on them there are two ways. A launch without ordered instructions (see `order.rs`) has no order between
//! its groups at all: each group writes down its accesses ([`Event`]), and the logs are checked in ascending order of
//! groups. Any other launch runs on one thread under the sanitizer, in the order of the token, and is checked at once.
//!
//! What is no race: two atomics; a plain load and a compare-and-swap (loops that compilers make of float atomics begin
//! with one, and the comparison proves that its value still held); an atomic load (one with `glc`, or by which a wave waits
//! for others of its workgroup, see `spin`) and anything, because an atomic store looks like a plain one; two stores where
//! some wave uses atomics or atomic loads, for the same reason; in a launch with ordered instructions a store right behind
//! `s_waitcnt_vscnt 0` counts as atomic, because release stores look so, and so does one of a wave with no store on its way to
//! dwords that atomics use. A store that meets an atomic of the same whole
//! dwords may be an atomic store: in code that is not t0's, which has none, that is a warning.

use std::collections::HashSet;
use std::sync::Arc;

use t0_ir::Scope;

use super::clocks::{Clocks, Done, Finished, Views};
use super::report::{Both, Gap, Reports, What};
use super::scopes::Scopes;
use super::shadow::{Cell, Conflict, Entry, Pages, Role, Slot};
use super::sync::{Acquired, Held, Releases};
use super::Kind;
use crate::mem::{lanes_of, Addresses};
use crate::wave::Row;

/// An access as the race check sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access<'a> {
    /// Group, wave, instruction and number; the lane is that of the pass's lane 0.
    pub who: Entry,
    pub role: Role,
    /// An atomic load.
    pub polls: bool,
    /// One that sees what its own workgroup does and nobody else.
    pub narrow: bool,
    /// A store behind a wait for all stores.
    pub flushed: bool,
    /// No store of the wave may be on its way.
    pub quiet: bool,
    /// The old value is fetched.
    pub returns: bool,
    pub lanes: u32,
    pub at: &'a Addresses,
    pub bytes: u32,
    /// What is stored: a register row per dword, and how far its bytes are shifted to the left.
    pub values: Option<(&'a [Row], u32)>,
    /// What the wave has finished.
    pub done: Finished,
    /// One L0 serves the workgroup.
    pub cu: bool,
    /// Code of t0.
    pub rust: bool,
    /// Scope of an atomic, where the code object tells.
    pub scope: Option<Scope>,
    /// A store may release, though nothing is waited for: in CU mode that needs no wait.
    pub tells: bool,
}

impl Access<'_> {
    /// Calls `f` with the entry, the dword's address and the value stored, for every dword that a lane of `lanes` touches.
    #[inline(always)]
    pub fn cells(&self, lanes: u32, mut f: impl FnMut(&Entry, u64, Option<u32>)) {
        let whole = self.bytes % 4 == 0;
        for l in lanes_of(lanes) {
            let at = self.at[l];
            let e = Entry {
                lanes: [self.who.lane() + l as u8; 4],
                mask: 15,
                ..self.who
            };
            if whole && at % 4 == 0 {
                for k in 0..self.bytes / 4 {
                    let value = self.values.and_then(|(rows, _)| rows.get(k as usize)).map(|r| r[l]);
                    f(&e, at + 4 * u64::from(k), value);
                }
                continue;
            }
            self.parts(l, e, &mut f);
        }
    }

    /// The same of a lane whose bytes are not whole dwords.
    #[inline(never)]
    fn parts(&self, l: usize, mut e: Entry, f: &mut impl FnMut(&Entry, u64, Option<u32>)) {
        let at = self.at[l];
        let end = at + u64::from(self.bytes);
        for cell in (at & !3..end).step_by(4) {
            let (from, to) = (at.max(cell), end.min(cell + 4));
            e.mask = (from..to).fold(0, |m, b| m | 1 << (b - cell));
            let value = self
                .values
                .map(|(rows, shift)| (from..to).fold(0, |v, b| v | byte(rows, shift, l, b - at) << (8 * (b - cell))));
            f(&e, cell, value);
        }
    }
}

/// Byte `b` of what lane `l` stores.
fn byte(rows: &[Row], shift: u32, l: usize, b: u64) -> u32 {
    let bit = 8 * b as u32 + shift;
    rows.get(bit as usize / 32).map_or(0, |r| r[l] >> (bit % 32) & 0xff)
}

/// Notes an access in a cell.
#[inline(always)]
pub(super) fn visit<S: Slot>(
    cell: &mut Cell<S>,
    role: Role,
    e: &S,
    value: Option<u32>,
    before: impl Fn(&S) -> bool,
) -> Option<Conflict<S>> {
    match role {
        Role::Load => cell.load(e, before),
        Role::Store => cell.store(e, value, before),
        Role::Atomic => cell.atomic(e, value, before),
    }
}

/// Describes a conflict of an access of the dword at `va`.
fn both(local: bool, role: Role, va: u64, c: &Conflict<Entry>) -> Both {
    Both {
        local,
        role,
        at: va,
        other: c.other,
        other_role: c.role,
        same: c.same,
        doubtful: false,
        gap: Gap::Order,
        updates: c.updates,
        read: c.read.map(|e| e.at),
    }
}

/// Reports a conflict of the access `e` of the dword at `va`.
#[cold]
pub(super) fn report(reports: &mut Reports, local: bool, role: Role, e: &Entry, va: u64, c: &Conflict<Entry>) {
    reports.add(e, What::Race(both(local, role, va, c)));
}

/// Reports a load that may get what its wave's L0 holds and not what another wave of its workgroup has stored since.
#[inline(always)]
fn stale(cell: &Cell<Entry>, clocks: &Clocks, reports: &mut Reports, e: &Entry, va: u64) {
    let in_cache = |older: &Entry| clocks.in_cache(older);
    if let Some(c) = cell.missed(e, in_cache).filter(|c| clocks.before(&c.other, e.wave)) {
        let gap = Gap::Caches;
        let race = both(false, Role::Load, va, &c);
        reports.add(e, What::Race(Both { gap, ..race }));
    }
}

/// What is known of all groups' accesses of global memory.
#[derive(Debug, Default)]
pub(super) struct Shadow {
    pages: Pages,
    releases: Releases,
    /// Dwords that somebody uses as atomics.
    atomic: HashSet<u64>,
    /// Dwords with stores that look like atomic ones.
    stored: HashSet<u64>,
    /// Stores of different values to the same dword; no races where it is one of an atomic.
    stores: Vec<(Entry, Both)>,
    scopes: Scopes,
}

/// Conflicts of stores that are kept until it is known which dwords are atomics'.
const MOST: usize = 1 << 16;

impl Shadow {
    /// Checks an access of a launch without ordered instructions.
    pub fn check(&mut self, clocks: &Clocks, reports: &mut Reports, a: &Access) {
        self.scopes(a, reports, |_, _| false);
        if a.polls {
            return;
        }
        let before = |e: &Entry| e.group == a.who.group && clocks.before(e, a.who.wave);
        let pages = &mut self.pages;
        let caches = a.role == Role::Load && !a.cu;
        a.cells(a.lanes, |e, va, value| {
            let cell = pages.cell(va);
            if caches {
                stale(cell, clocks, reports, e, va);
            }
            if let Some(c) = visit(cell, a.role, e, value, before) {
                let doubtful = a.may_be_atomic(e, &c);
                let race = both(false, a.role, va, &c);
                reports.add(e, What::Race(Both { doubtful, ..race }));
            }
        });
    }

    /// Reports an atomic that others of another workgroup do not see.
    fn scopes(&mut self, a: &Access, reports: &mut Reports, before: impl Fn(&Releases, &Entry) -> bool) {
        let Some(scope) = a.scope else { return };
        let Shadow { scopes, releases, .. } = self;
        a.cells(a.lanes, |e, va, _| {
            let Some(other) = scopes.note(e, va, scope, |o| before(releases, o)) else {
                return;
            };
            let clash = Conflict::with(other, Role::Atomic);
            let gap = Gap::Narrow;
            let race = both(false, Role::Atomic, va, &clash);
            reports.add(e, What::Race(Both { gap, ..race }));
        });
    }

    /// Whether a wave that acquired this knows that an access of the LDS, which has no cache, is over.
    pub fn covers(&self, acquired: &Acquired, a: &Access, e: &Entry) -> bool {
        self.releases.cover(acquired.for_stores(&a.done.others), e, a.who.group)
    }

    /// Checks an access of a launch with ordered instructions, and follows what it releases and acquires.
    pub fn check_ordered(&mut self, views: &Views, acquired: &mut Acquired, reports: &mut Reports, a: &Access) {
        let role = match a.role {
            Role::Store if a.flushed && !a.rust || self.stores_atomically(a) => Role::Atomic,
            role => role,
        };
        let (done, group) = (&a.done.others, a.who.group);
        self.scopes(a, reports, |r, e| r.cover(acquired.for_stores(done), e, group));
        let dwords = lanes_of(a.lanes).map(|l| a.at[l] & !3);
        match (a.role, role) {
            (Role::Store, Role::Atomic) => self.stored.extend(dwords),
            _ if a.polls || role == Role::Atomic => self.atomic.extend(dwords),
            _ => {}
        }
        if !a.polls {
            let Shadow { releases, pages, .. } = &mut *self;
            let before = |e: &Entry| {
                let known = e.group == group && views.own.before(e, a.who.wave);
                known
                    || !acquired.is_empty()
                        && match role {
                            Role::Load => releases.cover(acquired.for_loads(done, a.cu), e, group),
                            _ => releases.cover(acquired.for_stores(done), e, group),
                        }
            };
            let mut found = Vec::new();
            let caches = role == Role::Load && !a.cu;
            a.cells(a.lanes, |e, va, value| {
                let cell = pages.cell(va);
                if caches {
                    stale(cell, &views.own, reports, e, va);
                }
                if let Some(c) = visit(cell, role, e, value, before) {
                    found.push((*e, va, c));
                }
            });
            for (e, va, c) in found {
                self.conflict(acquired, reports, (a, role), (&e, va, &c));
            }
        }
        let stores = role == Role::Store && (a.tells || !a.rust);
        if a.polls || role == Role::Atomic || stores {
            self.synchronise(views, acquired, role, a);
        }
    }

    /// Whether a store looks like an atomic one that had nothing to wait for.
    fn stores_atomically(&self, a: &Access) -> bool {
        !a.rust
            && a.quiet
            && !self.atomic.is_empty()
            && lanes_of(a.lanes).all(|l| self.atomic.contains(&(a.at[l] & !3)))
    }

    #[cold]
    fn conflict(
        &mut self,
        acquired: &Acquired,
        reports: &mut Reports,
        (a, role): (&Access, Role),
        (e, va, c): (&Entry, u64, &Conflict<Entry>),
    ) {
        let done = &a.done.others;
        let wider = || self.releases.cover(acquired.if_wider(done), &c.other, a.who.group);
        let gap = match () {
            () if acquired.is_empty() || e.same_wave(&c.other) || !wider() => Gap::Order,
            () if c.other.group != a.who.group && acquired.narrow(done) => Gap::Scope,
            () => Gap::Caches,
        };
        let race = Both {
            doubtful: a.may_be_atomic(e, c),
            gap,
            ..both(false, role, va, c)
        };
        // A store to a dword of atomics was one all along.
        let store = role == Role::Store || a.role == Role::Store && !a.flushed;
        let stores = store && c.role == Role::Store && !c.same;
        if stores && e.mask == 15 && self.stores.len() < MOST {
            self.stores.push((*e, race));
        } else {
            reports.add(e, What::Race(race));
        }
    }

    /// Who wrote a byte of global memory last; its lane is that of the byte.
    pub fn writer(&self, va: u64) -> Option<Entry> {
        let byte = (va % 4) as u32;
        let e = self.pages.known(va)?.writer(byte)?;
        let lanes = [e.lane_of(byte); 4];
        Some(Entry { lanes, ..*e })
    }

    /// Reports the conflicts of stores that are none of atomic ones.
    pub fn finish(&mut self, reports: &mut Reports) {
        for (e, race) in std::mem::take(&mut self.stores) {
            if !self.atomic.contains(&race.at) && !self.stored.contains(&race.at) {
                reports.add(&e, What::Race(race));
            }
        }
    }

    fn synchronise(&mut self, views: &Views, acquired: &mut Acquired, role: Role, a: &Access) {
        let releases = role != Role::Load;
        let fetches = a.polls || role == Role::Atomic && a.returns;
        let done = &a.done.others;
        let released: Option<(_, Arc<[Held]>)> = releases.then(|| {
            let known = acquired.for_stores(done).collect();
            (views.rows(a.who.wave, a.done), known)
        });
        let mut last = None;
        for va in lanes_of(a.lanes).map(|l| a.at[l] & !3) {
            if last.replace(va) == Some(va) {
                continue;
            }
            if fetches {
                let held = Held {
                    seen: (va, self.releases.count(va)),
                    near: a.narrow,
                };
                acquired.fetch(held, a.who.number, a.who.counter, done);
            }
            if let Some((rows, known)) = &released {
                self.releases.release(va, a.who.group, a.who.wave, rows, known);
            }
        }
    }
}

impl Access<'_> {
    /// Whether a conflict is one of a plain store, that looks as atomic ones do, and an atomic; or of two exchanges, which are
    /// whole whichever comes last.
    fn may_be_atomic(&self, e: &Entry, c: &Conflict<Entry>) -> bool {
        let pair = [self.role, c.role];
        if pair == [Role::Atomic; 2] {
            return true;
        }
        let whole = e.mask == 15 && c.other.mask == 15;
        !self.rust && whole && pair.contains(&Role::Store) && pair.contains(&Role::Atomic)
    }
}

/// Addresses as a log keeps them.
#[derive(Clone, Debug)]
enum Places {
    /// `base + step * lane` for the lanes that take part.
    Run(u64, u64),
    Each(Box<Addresses>),
}

impl Places {
    fn of(lanes: u32, at: &Addresses) -> Places {
        let mut of = lanes_of(lanes);
        let (first, second) = (of.next().unwrap_or(0), of.next());
        let step = second.map_or(0, |s| at[s].wrapping_sub(at[first]) / (s - first) as u64);
        let base = at[first].wrapping_sub(step.wrapping_mul(first as u64));
        let straight = |l: usize| at[l] == base.wrapping_add(step.wrapping_mul(l as u64));
        match lanes_of(lanes).all(straight) {
            true => Places::Run(base, step),
            false => Places::Each(Box::new(*at)),
        }
    }

    fn addresses(&self) -> Addresses {
        match self {
            Places::Run(base, step) => std::array::from_fn(|l| base.wrapping_add(step.wrapping_mul(l as u64))),
            Places::Each(at) => **at,
        }
    }
}

/// What happened in a group, to be checked later.
#[derive(Clone, Debug)]
pub(super) enum Event {
    /// An access.
    Access(Box<Logged>),
    /// A barrier, with what each wave had finished.
    Barrier(Box<[Done]>),
    /// A wave learnt what another one knew.
    Learn(u8, Arc<[Done]>),
    /// A wave invalidated its L0, after so many loads.
    Empty(u8, u32),
}

/// An access in a log.
#[derive(Clone, Debug)]
pub(super) struct Logged {
    who: Entry,
    role: Role,
    lanes: u32,
    places: Places,
    bytes: u32,
    values: Option<(Box<[Row]>, u32)>,
    rust: bool,
    cu: bool,
    scope: Option<Scope>,
}

impl Logged {
    /// Writes an access down.
    pub fn of(a: &Access) -> Logged {
        Logged {
            who: a.who,
            role: a.role,
            lanes: a.lanes,
            places: Places::of(a.lanes, a.at),
            bytes: a.bytes,
            values: a.values.map(|(rows, shift)| (rows.into(), shift)),
            rust: a.rust,
            cu: a.cu,
            scope: a.scope,
        }
    }

    /// Checks it.
    pub fn check(&self, shadow: &mut Shadow, clocks: &Clocks, reports: &mut Reports) {
        let a = Access {
            who: self.who,
            role: self.role,
            polls: false,
            narrow: false,
            flushed: false,
            quiet: false,
            returns: false,
            lanes: self.lanes,
            at: &self.places.addresses(),
            bytes: self.bytes,
            values: self.values.as_ref().map(|(rows, shift)| (&rows[..], *shift)),
            done: Finished::default(),
            cu: self.cu,
            rust: self.rust,
            scope: self.scope,
            tells: false,
        };
        shadow.check(clocks, reports, &a);
    }
}

impl From<Kind> for Role {
    fn from(k: Kind) -> Role {
        match k {
            Kind::Load => Role::Load,
            Kind::Store => Role::Store,
            Kind::Atomic => Role::Atomic,
        }
    }
}
