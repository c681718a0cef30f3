//! The sanitizer of the simulated card: finds what a card does silently wrong, and names the Rust line.
//!
//! Problem: on a card an access outside of an allocation, a race or a misplaced atomic gives rare wrong numbers and no
//! message. Method: with the sanitizer on, `exec` shows every access of a wave to the group's [`Watch`] before it takes
//! effect, from one place per kind of memory (`vmem::linear` and `show_scattered` for GLOBAL, FLAT and buffers, `typed`,
//! `smem`, `lds::show`, `scratch::private`). Fast paths that know no lanes are skipped then; off, each of these places
//! costs one predictable branch.
//!
//! What an access is checked for: `bounds` (exact sizes, names), `race` (with `shadow`, `lds`, `clocks` and `sync`), and a few
//! traps that depend on values and so escape a static checker: float atomics on fine-grained memory, FLAT and scratch
//! addresses that only an offset brings into their aperture (entries of the errata table with scope "values").
//!
//! What values are checked for: `taint` follows those nobody has defined from instruction to instruction.
//!
//! Invariant: watching changes nothing a program can see.

mod bounds;
mod clocks;
mod launch;
mod lds;
pub(crate) mod outside;
mod race;
mod report;
mod scopes;
mod shadow;
mod sync;
mod taint;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;

use t0_backend_rdna3::errata::Rule;
use t0_backend_rdna3::isa::Class;

use crate::aperture::Space;
use crate::driver::{bytes, Severity};
use crate::group::Setup;
use crate::job::lock;
use crate::mem::{lanes_of, Addresses};
use crate::program::{Dst, Instr, Src};
use crate::wave::{Row, Wave, WaveState};

use bounds::Good;
use clocks::{Clocks, Done, Finished, Rows, Views, DS};
pub use launch::UNWRITTEN;
pub(crate) use launch::{Between, Code, Sanitizer};
use lds::Lds;
use race::{Access, Event, Logged};
use report::{Reports, What};
pub(crate) use shadow::Entry;
use shadow::Role;
use sync::{Acquired, Held};
use taint::{Bytes, Taint};

/// Bytes of a cache line of the scalar unit.
const ARGUMENTS: u64 = 64;

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Reads and writes at once.
    Atomic,
}

/// An access of some lanes of one pass, all of the same size.
///
/// The scope bits are `instr.mods.{glc, slc, dlc}`, lane `l` of the pass is lane `l + 32 * wave.half()` of the wave.
#[derive(Clone, Copy, Debug)]
pub struct Touch<'t> {
    /// The instruction.
    pub instr: &'t Instr,
    /// Which memory.
    pub space: Space,
    /// What it does.
    pub kind: Kind,
    /// Lanes of the pass that take part; bit 0 for a scalar load.
    pub lanes: u32,
    /// First byte of each lane: a GPU address, an LDS offset, or an offset in the lane's private memory.
    pub at: &'t Addresses,
    /// Bytes of each lane.
    pub bytes: u32,
    /// What a store or an exchange writes, when it stands in registers: the first one, and the bit of it at which the bytes
    /// begin.
    pub data: Option<(usize, u32)>,
    /// Where a load, or an atomic that returns the old value, puts it.
    pub landing: Landing,
}

/// Registers that memory is loaded into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Landing {
    /// None.
    None,
    /// Vector registers: the bytes as they are, from bit `shift` of `reg` on; or a value narrower than a dword, extended to
    /// so many bits, by its sign or by zero.
    Vector {
        /// First register.
        reg: usize,
        /// First bit.
        shift: u32,
        /// Bits, and whether the sign fills them.
        narrow: Option<(u32, bool)>,
    },
    /// A converted value: `count` registers that depend on every byte.
    All {
        /// First register.
        reg: usize,
        /// Registers.
        count: usize,
    },
    /// Scalar registers.
    Scalar(usize),
}

/// What the sanitizer knows about a running workgroup.
#[derive(Debug)]
pub struct Watch {
    launch: Arc<Sanitizer>,
    group: u32,
    clocks: Views,
    /// The clocks at the beginning of the log.
    started: Clocks,
    log: Vec<Event>,
    /// Shadow of the LDS.
    lds: Lds,
    /// Undefined bits of the waves' registers and of the LDS; empty when values are not followed.
    taint: Vec<Taint>,
    undefined: Bytes,
    /// What was released through flags in the LDS.
    flags: HashMap<u64, Flag>,
    /// Some wave waits for others by plain loads of the LDS.
    lds_spins: bool,
    acquired: Vec<Acquired>,
    /// Where the last access was in bounds.
    good: Good,
    /// Accesses of lanes that a buffer's range check kept from memory: defined behaviour, only counted.
    swallowed: u64,
    reports: Reports,
    #[cfg(test)]
    shown: Vec<tests::Seen>,
}

/// What was released at a dword of the LDS.
#[derive(Debug)]
struct Flag {
    rows: Rows,
    acquired: Vec<Held>,
    /// It was exchanged or compared and swapped, as locks are.
    lock: bool,
}

/// What a watch leaves: log, clocks at its beginning, reports, swallowed accesses.
type Left = (Vec<Event>, Clocks, Reports, u64);

impl Watch {
    fn new(launch: Arc<Sanitizer>, group: u32, waves: usize, lds: Lds) -> Watch {
        let both = launch.ordered && launch.cu;
        Watch {
            launch,
            group,
            clocks: Views::new(waves, both),
            started: Clocks::new(waves),
            log: Vec::new(),
            lds,
            taint: Vec::new(),
            undefined: Bytes::default(),
            flags: HashMap::new(),
            lds_spins: false,
            acquired: vec![Acquired::default(); waves],
            good: 0..0,
            swallowed: 0,
            reports: Reports::default(),
            #[cfg(test)]
            shown: Vec::new(),
        }
    }

    /// The same of a group that stands still for good.
    fn parts(&self) -> Left {
        let reports = self.reports.clone();
        (self.log.clone(), self.started.clone(), reports, self.swallowed)
    }

    fn into_parts(self) -> (Lds, Left) {
        (self.lds, (self.log, self.started, self.reports, self.swallowed))
    }

    /// Follows values from here on: the waves stand before their first instruction. Defined are what the packet gives the
    /// kernel and what its descriptor asks for.
    pub fn follow(&mut self, waves: &[Wave], s: &Setup) {
        let first = (s.rsrc2 >> 1 & 31) as usize;
        let system = (s.rsrc2 >> 7 & 15).count_ones() as usize;
        let strict = self.launch.rust;
        let new = |w| Taint::new(w, s.user.len(), first..first + system, strict);
        self.taint = waves.iter().map(new).collect();
        self.undefined = Bytes::new(s.lds as usize);
    }

    /// Whether waves wait for each other by plain loads of the LDS.
    pub fn spins(&mut self, lds: bool) {
        self.lds_spins = lds;
    }

    /// An instruction that is about to execute.
    #[inline(always)]
    pub fn flow(&mut self, w: &mut Wave, i: &Instr) {
        if i.selects {
            outside::note(w, i);
        }
        let Some(t) = self.taint.get_mut(w.index as usize) else {
            return;
        };
        t.flow(w, i);
        if !t.found.is_empty() {
            self.report_uses(w, i);
        }
    }

    /// Reports the uses of undefined values that were found at an instruction.
    #[cold]
    fn report_uses(&mut self, w: &Wave, i: &Instr) {
        let Some(t) = self.taint.get_mut(w.index as usize) else {
            return;
        };
        for found in std::mem::take(&mut t.found) {
            let e = Entry {
                group: self.group,
                at: i.index,
                wave: w.index as u8,
                lanes: [found.lane.unwrap_or(0); 4],
                ..Entry::default()
            };
            self.reports.add(&e, What::Undefined(found));
        }
    }

    /// What an access makes of undefined values.
    fn values(&mut self, w: &Wave, touch: &Touch) {
        let Some(t) = self.taint.get_mut(w.index as usize) else {
            return;
        };
        match touch.space {
            Space::Global => {
                t.global(w, touch, &self.launch.unwritten);
                if touch.kind == Kind::Load {
                    let through = through_arguments(w, touch, &self.launch.arguments);
                    t.arguments(w, touch, (&self.launch.arguments, &self.launch.padding), through);
                }
            }
            _ => t.local(w, touch, &mut self.undefined),
        }
        if !t.found.is_empty() {
            self.report_uses(w, touch.instr);
        }
    }

    /// An access that is about to take effect.
    pub fn touch(&mut self, w: &Wave, t: &Touch) {
        if t.lanes == 0 {
            return;
        }
        #[cfg(test)]
        self.shown.push(tests::Seen::of(w, t));
        match t.space {
            Space::Global => {
                self.bounds(w, t);
                if t.kind == Kind::Atomic {
                    self.float_atomic(w, t);
                }
                self.global(w, t);
            }
            Space::Shared => self.local(w, t),
            // A lane's own, and checked against its size where it is accessed.
            Space::Private => {}
        }
        self.values(w, t);
    }

    fn entry(&self, w: &Wave, t: &Touch, l: usize) -> Entry {
        let wait = &t.instr.wait;
        let counter = match t.space {
            Space::Shared if t.instr.class.is_lds() => DS,
            Space::Shared if wait.lgkm > 0 => 1,
            _ if wait.vs > 0 => 2,
            _ if wait.vm > 0 => 0,
            _ => 1,
        };
        Entry {
            group: self.group,
            number: w.waits.issued()[if counter == DS { 1 } else { counter }],
            at: t.instr.index,
            wave: w.index as u8,
            lanes: [(l + 32 * w.half()) as u8; 4],
            mask: 15,
            counter: counter as u8,
            compares: t.kind == Kind::Atomic && t.instr.op.row().name.contains("cmp"),
        }
    }

    fn access<'a>(&self, w: &'a Wave, t: &'a Touch) -> Access<'a> {
        let m = &t.instr.mods;
        let returns = t.instr.dst[0] != Dst::None && (m.glc || t.space == Space::Shared);
        // An exchange whose old value nobody asks for is a store.
        let stored = t.data.filter(|_| t.kind == Kind::Store || !returns);
        let values = stored.map(|(r, shift)| {
            let regs = (t.bytes as usize).div_ceil(4);
            (w.vs(r, regs), shift)
        });
        let scope = m.glc || m.dlc;
        let scope_of = match self.launch.scopes.is_empty() {
            true => None,
            false => self.launch.scopes.get(&t.instr.offset).copied(),
        };
        // An atomic load of the LDS looks like any other.
        let listed = scope_of.is_some() && t.space == Space::Shared;
        let waits = listed || t.instr.spins && (self.launch.cu || t.space == Space::Shared);
        Access {
            who: self.entry(w, t, 0),
            role: t.kind.into(),
            polls: t.kind == Kind::Load && (waits || scope && t.space == Space::Global),
            narrow: waits && !scope,
            flushed: w.waits.flushed,
            quiet: !w.waits.storing,
            returns,
            lanes: t.lanes,
            at: t.at,
            bytes: t.bytes,
            values,
            done: self.finished(w),
            cu: self.launch.cu,
            rust: self.launch.rust,
            scope: scope_of.filter(|_| t.space == Space::Global),
            tells: self.launch.spins && self.launch.cu,
        }
    }

    fn finished(&self, w: &Wave) -> Finished {
        let (others, issued) = (done(w), w.waits.issued());
        let own = match self.launch.cu {
            true => [issued[0], others[1], issued[2], others[DS]],
            false => others,
        };
        Finished { own, others }
    }

    fn global(&mut self, w: &Wave, t: &Touch) {
        let a = self.access(w, t);
        if self.launch.ordered {
            let acquired = &mut self.acquired[usize::from(a.who.wave)];
            lock(&self.launch.shadow).check_ordered(&self.clocks, acquired, &mut self.reports, &a);
            return;
        }
        if a.polls {
            return;
        }
        self.log.push(Event::Access(Box::new(Logged::of(&a))));
        if self.log.len() >= launch::LOG {
            let log = std::mem::take(&mut self.log);
            self.launch.check(&log, &mut self.started, &mut self.reports);
        }
    }

    fn local(&mut self, w: &Wave, t: &Touch) {
        let mut a = self.access(w, t);
        let first = t.at[t.lanes.trailing_zeros() as usize % 32];
        let one = || lanes_of(t.lanes).all(|l| t.at[l] == first);
        if t.instr.class.is_lds() && t.kind != Kind::Load {
            // Whoever sees a flag sees the store that set it.
            a.done = a.done.with_ds(a.who.number + u32::from(one()));
        }
        if a.polls {
            return self.each_place(&a, |s, at| s.hear(a.who.wave, at));
        }
        // A lock is opened by an atomic store, which looks like any other. t0's language has none.
        let is_lock = |l: usize| self.flags.get(&t.at[l]).is_some_and(|f| f.lock);
        let unlocks = t.kind == Kind::Store
            && t.bytes == 4
            && !a.rust
            && !self.flags.is_empty()
            && lanes_of(t.lanes).all(is_lock);
        if unlocks {
            a.role = Role::Atomic;
        }
        let (launch, acquired) = (&self.launch, &self.acquired[usize::from(a.who.wave)]);
        let also = |e: &Entry| !acquired.is_empty() && lock(&launch.shadow).covers(acquired, &a, e);
        self.lds.check(&self.clocks.own, &also, &mut self.reports, &a);
        // Where nobody waits in a loop only tickets and locks pass something on: atomics with one address for all lanes, and
        // what is stored there.
        match t.kind {
            Kind::Atomic if self.lds_spins || one() => {
                let locks = a.returns && locks(t.instr);
                self.each_place(&a, |s, at| s.pass_on(&a, at, locks));
            }
            Kind::Store if self.lds_spins => self.each_place(&a, |s, at| s.tell(&a, at, true)),
            Kind::Store if unlocks => self.each_place(&a, |s, at| s.tell(&a, at, true)),
            _ => {}
        }
    }

    /// Calls `f` with the dword of each lane, once for neighbours with the same.
    fn each_place(&mut self, a: &Access, f: impl Fn(&mut Watch, u64)) {
        let mut last = None;
        for at in lanes_of(a.lanes).map(|l| a.at[l] & !3) {
            if last.replace(at) != Some(at) {
                f(self, at);
            }
        }
    }

    /// Atomics of the LDS (tickets, "the last wave does it"): each wave that gets the old value learns what those before it
    /// knew. There are no caches to invalidate.
    fn pass_on(&mut self, a: &Access, at: u64, locks: bool) {
        if a.returns {
            self.hear(a.who.wave, at);
        }
        self.tell(a, at, false);
        if let Some(flag) = self.flags.get_mut(&at).filter(|_| locks) {
            flag.lock = true;
        }
    }

    /// A wave learns what was released at a dword of the LDS.
    fn hear(&mut self, wave: u8, at: u64) {
        let Some(flag) = self.flags.get(&at) else { return };
        let own = flag.rows.own.clone();
        self.clocks.learn(wave, &flag.rows);
        self.acquired[usize::from(wave)].learn(&flag.acquired);
        self.note(Event::Learn(wave, own));
    }

    /// A wave releases what it knows at a dword of the LDS; an atomic goes on with what was released there before.
    fn tell(&mut self, a: &Access, at: u64, anew: bool) {
        let mut rows = self.clocks.rows(a.who.wave, a.done);
        let mut acquired: Vec<Held> = self.acquired[usize::from(a.who.wave)]
            .for_stores(&a.done.others)
            .collect();
        let old = self.flags.remove(&at);
        let lock = old.as_ref().is_some_and(|f| f.lock);
        if let Some(old) = old.filter(|_| !anew) {
            rows = rows.joined(&old.rows);
            acquired.extend(
                old.acquired
                    .iter()
                    .filter(|h| !acquired.contains(h))
                    .copied()
                    .collect::<Vec<_>>(),
            );
        }
        self.flags.insert(at, Flag { rows, acquired, lock });
    }

    fn note(&mut self, event: Event) {
        if !self.launch.ordered {
            self.log.push(event);
        }
    }

    fn bounds(&mut self, w: &Wave, t: &Touch) {
        let len = u64::from(t.bytes);
        let inside = |good: &Good, va: u64| va >= good.start && va.saturating_add(len) <= good.end;
        for l in lanes_of(t.lanes) {
            let va = t.at[l];
            if inside(&self.good, va) {
                continue;
            }
            match self.launch.bounds.good(t.kind, va, len) {
                Some(good) => self.good = good,
                None => {
                    let launch = self.launch.clone();
                    self.plain("out-of-bounds", w, t, l, || launch.bounds.outside(t.kind, va, len));
                }
            }
        }
        if t.kind == Kind::Load {
            self.arguments(w, t);
        }
    }

    /// A load that begins in the kernel's arguments, or goes through their address, and ends behind them or begins before them.
    /// Compilers load more than they need; the packet's reader gives them whole cache lines of 64 bytes.
    fn arguments(&mut self, w: &Wave, t: &Touch) {
        let args = self.launch.arguments.clone();
        let through = through_arguments(w, t, &args);
        let end = args.end.next_multiple_of(ARGUMENTS);
        for l in lanes_of(t.lanes) {
            let (va, to) = (t.at[l], t.at[l].saturating_add(t.bytes.into()));
            if through && va < args.start {
                let size = args.end - args.start;
                self.plain("out-of-bounds", w, t, l, || {
                    format!(
                        "load of {} bytes {} before the kernel arguments, which have {size} bytes (kernarg_segment_size)",
                        t.bytes,
                        bytes(args.start - va)
                    )
                });
            }
            if (args.contains(&va) || through && va >= args.end) && to > end {
                let size = args.end - args.start;
                self.plain("out-of-bounds", w, t, l, || {
                    format!(
                        "load of {} bytes {} past the end of the kernel arguments, which have {size} bytes (kernarg_segment_size)",
                        t.bytes,
                        bytes(to - args.end)
                    )
                });
            }
        }
    }

    /// Reports a mistake of one lane.
    fn plain(&mut self, rule: &'static str, w: &Wave, t: &Touch, l: usize, text: impl FnOnce() -> String) {
        if !self.reports.again(rule, t.instr.index) {
            let e = self.entry(w, t, l);
            self.reports.add(&e, What::Plain(rule, Severity::Error, text()));
        }
    }

    fn float_atomic(&mut self, w: &Wave, t: &Touch) {
        let name = t.instr.op.row().name;
        if !name.contains("_f32") || name.contains("cmpswap") {
            return;
        }
        for l in lanes_of(t.lanes) {
            if self.launch.bounds.fine_grained(t.at[l]) {
                let place = self.launch.bounds.place(t.at[l]);
                self.plain(Rule::FloatAtomicFineGrained.name(), w, t, l, || {
                    format!("float atomic on fine-grained (host or uncached) memory at {place}: the card drops it without a fault; use a compare-and-swap loop, or video memory")
                });
            }
        }
    }

    /// Lanes whose access a buffer's range check keeps from memory; the buffer begins at `base`.
    pub fn swallowed(&mut self, w: &Wave, i: &Instr, kind: Kind, lanes: u32, base: u64) {
        self.swallowed += u64::from(lanes.count_ones());
        if kind == Kind::Load {
            return;
        }
        for l in lanes_of(lanes) {
            if !self.reports.again(report::DROPPED, i.index) {
                let e = Entry {
                    group: self.group,
                    at: i.index,
                    wave: w.index as u8,
                    lanes: [(l + 32 * w.half()) as u8; 4],
                    ..Entry::default()
                };
                let of = self.launch.bounds.array_at(base);
                self.reports
                    .add(&e, What::Plain(report::DROPPED, Severity::Warning, of));
            }
        }
    }

    /// A FLAT access: its address registers, and the addresses with the offset added. The register alone chooses the
    /// aperture.
    pub fn flat(&mut self, w: &Wave, i: &Instr, lanes: u32, base: &Addresses, va: &Addresses) {
        for l in lanes_of(lanes) {
            if Space::of(base[l]) != Space::of(va[l]) {
                let (of, to) = (Space::of(base[l]), Space::of(va[l]));
                let text = || {
                    format!(
                        "the address register points to {}, the offset of {} bytes leads to {}: the register alone chooses; add the offset to the register",
                        name(of),
                        va[l].wrapping_sub(base[l]) as i64,
                        name(to),
                    )
                };
                self.value_trap(Rule::FlatOffset.name(), w, i, l, text);
            }
        }
    }

    /// A SCRATCH access: its address registers.
    pub fn scratch(&mut self, w: &Wave, i: &Instr, lanes: u32, vaddr: &Row, saddr: u32) {
        for l in lanes_of(lanes) {
            let base = i64::from(vaddr[l] as i32) + i64::from(saddr as i32);
            if base < 0 && base + i64::from(i.mods.offset) >= 0 {
                let text = || {
                    format!(
                        "the registers of a scratch address add up to {base}, its offset {:+} leads back: a negative base does not work before GFX12; add the offset to the register",
                        i.mods.offset
                    )
                };
                self.value_trap(Rule::ScratchNegativeBase.name(), w, i, l, text);
            }
        }
    }

    fn value_trap(&mut self, rule: &'static str, w: &Wave, i: &Instr, l: usize, text: impl FnOnce() -> String) {
        let t = Touch {
            instr: i,
            space: Space::Global,
            kind: Kind::Load,
            lanes: 1 << l,
            at: &[0; 32],
            bytes: 4,
            data: None,
            landing: Landing::None,
        };
        self.plain(rule, w, &t, l, text);
    }

    /// An invalidation of the L0 cache, or (`gl1`) of the L1.
    pub fn invalidate(&mut self, w: &Wave, gl1: bool) {
        if let Some(a) = self.acquired.get_mut(w.index as usize) {
            a.invalidate(usize::from(gl1), &done(w));
        }
        if !gl1 {
            let (wave, loads) = (w.index as u8, w.waits.issued()[0]);
            self.clocks.own.empty(wave, loads);
            self.note(Event::Empty(wave, loads));
        }
    }

    /// The barrier opens, and some waves never met it: they have ended. Those that did nothing before, such as the waves behind
    /// the end of an array, leave so in many kernels, and the card counts them as arrived.
    fn skipped(&mut self, waves: &[Wave]) {
        let Some(met) = waves.iter().find(|w| w.state == WaveState::AtBarrier) else {
            return;
        };
        let took_part = |w: &&Wave| w.state == WaveState::Ended && (w.writes > 0 || w.barriers > 0);
        if let Some(ended) = waves.iter().find(took_part) {
            let entry = |w: &Wave| Entry {
                group: self.group,
                at: w.stop,
                wave: w.index as u8,
                ..Entry::default()
            };
            let (who, end) = (entry(met), entry(ended));
            self.reports.add(&who, What::Skipped(end));
        }
    }

    /// The barrier opens.
    pub fn barrier(&mut self, waves: &[Wave]) {
        self.skipped(waves);
        let done: Vec<Finished> = waves.iter().map(|w| self.finished(w)).collect();
        self.clocks.barrier(&done);
        self.lds.barrier(&self.clocks.own);
        let others: Vec<Done> = done.iter().map(|d| d.others).collect();
        Acquired::barrier(&mut self.acquired, &others);
        self.note(Event::Barrier(done.iter().map(|d| d.own).collect()));
    }
}

/// Whether an access is a scalar load through the address of the kernel's arguments.
fn through_arguments(w: &Wave, t: &Touch, args: &std::ops::Range<u64>) -> bool {
    match (t.instr.class, t.instr.src[0]) {
        (Class::Smem, Src::S(r)) => !args.is_empty() && w.s64(usize::from(r) & 127) == args.start,
        _ => false,
    }
}

/// What a wave has waited for.
fn done(w: &Wave) -> Done {
    let [vm, lgkm, vs] = w.waits.done();
    [vm, lgkm, vs, lgkm]
}

/// Whether an atomic takes a lock: an exchange, or a compare-and-swap.
fn locks(i: &Instr) -> bool {
    let name = i.op.row().name;
    name.contains("storexchg_rtn_b32") || name.contains("cmpstore_rtn_b32")
}

fn name(s: Space) -> &'static str {
    match s {
        Space::Global => "global memory",
        Space::Shared => "the LDS",
        Space::Private => "private memory",
    }
}
