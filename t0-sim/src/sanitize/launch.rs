//! The sanitizer's side of a launch: what its groups share, and the order in which their logs are checked.
//!
//! Groups end in any order; logs are checked and reports added in ascending order of groups (a log that has come too
//! early waits). After a fault in group `n` nothing of later groups counts, so the result is the same for any number of
//! host threads. Exception: a log of more than [`LOG`] events is checked at once, in whatever order that happens.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use t0_backend_rdna3::object::Kernel;
use t0_ir::Scope;

use super::bounds::Bounds;
use super::clocks::Clocks;
use super::lds::Lds;
use super::race::{Event, Shadow};
use super::report::{Gap, Report, Reports, What};
use super::shadow::{Entry, Role, Slot};
use super::taint::Found;
use super::{Touch, Watch, ARGUMENTS};
use crate::aperture::Space;
use crate::driver::{Finding, Offset, Site, Unwritten, Vm};
use crate::group::Setup;
use crate::job::lock;
use crate::mem::lanes_of;

/// Events of one group's log before it is checked out of order.
pub(super) const LOG: usize = 1 << 21;
/// The way out where a kernel of t0 uses what a buffer held that nobody has written. Who makes buffers in a way of his own
/// has another one to tell.
pub const UNWRITTEN: &str = "memory of `alloc` holds nothing until somebody writes it: `upload` and `alloc_zeroed` do";
/// LDS shadows kept for later groups.
const POOL: usize = 64;

/// What a launch's instructions are like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Code {
    /// It has ordered instructions and runs on one thread.
    pub ordered: bool,
    /// Waves wait for others of their workgroup by plain loads of global memory.
    pub spins: bool,
    /// It is code of t0.
    pub rust: bool,
}

/// What the groups of a launch share.
#[derive(Debug)]
pub(crate) struct Sanitizer {
    pub(super) bounds: Bounds,
    pub(super) unwritten: Undefined,
    /// Accesses of global memory are checked at once, with the order that atomics make.
    pub(super) ordered: bool,
    pub(super) shadow: Mutex<Shadow>,
    /// Addresses of the kernel's arguments; empty when its descriptor does not say how many bytes they have.
    pub(super) arguments: std::ops::Range<u64>,
    /// Those of them that no argument covers.
    pub(super) padding: Vec<std::ops::Range<u64>>,
    /// One L0 serves a workgroup.
    pub(super) cu: bool,
    /// Waves wait for others of their workgroup by plain loads of global memory.
    pub(super) spins: bool,
    /// Code of t0.
    pub(super) rust: bool,
    /// Scopes of atomics by offset from the kernel's entry, as far as the code object tells.
    pub(super) scopes: HashMap<u64, Scope>,
    ledger: Mutex<Ledger>,
    /// Shadows of LDS nobody uses.
    pool: Mutex<Vec<Lds>>,
    lds: u32,
    waves: u32,
}

/// Memory nobody has written, by address.
#[derive(Debug)]
pub(super) struct Undefined(Vec<Arc<Unwritten>>);

impl Undefined {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The first range that ends behind `va`.
    fn behind(&self, va: u64) -> Option<&Unwritten> {
        let k = self.0.partition_point(|u| u.range().end <= va);
        self.0.get(k).map(|u| &**u)
    }

    /// The ranges that have bytes of `part`.
    fn meeting(&self, part: &std::ops::Range<u64>) -> impl Iterator<Item = &Unwritten> + use<'_> {
        let (k, end) = (self.0.partition_point(|u| u.range().end <= part.start), part.end);
        let from = self.0.get(k..).unwrap_or_default();
        from.iter().map(|u| &**u).take_while(move |u| u.range().start < end)
    }

    /// The bytes from the lowest lane's first to the highest one's last, and whether that is all and nothing between.
    fn span(t: &Touch, lanes: u32) -> (std::ops::Range<u64>, bool) {
        let (lo, hi) = lanes_of(lanes).fold((u64::MAX, 0), |(lo, hi), l| (lo.min(t.at[l]), hi.max(t.at[l])));
        let (end, bytes) = (hi.saturating_add(t.bytes.into()), u64::from(t.bytes));
        // Ascending lanes side by side.
        let dense = lanes_of(lanes)
            .enumerate()
            .all(|(k, l)| t.at[l] == lo.saturating_add(bytes * k as u64));
        (lo..end, dense)
    }

    /// Whether an access reads nothing that is not written.
    pub fn all_written(&self, t: &Touch) -> bool {
        let (span, dense) = Undefined::span(t, t.lanes);
        match self.behind(span.start) {
            None => true,
            Some(u) if u.range().start >= span.end => true,
            Some(u) if dense && span.end <= u.range().end => u.is_written(span),
            _ => lanes_of(t.lanes).all(|l| self.is_written(t.at[l], t.bytes)),
        }
    }

    fn is_written(&self, va: u64, len: u32) -> bool {
        let part = va..va.saturating_add(len.into());
        self.meeting(&part).all(|u| u.is_written(part.clone()))
    }

    /// Notes what lanes write.
    pub fn written(&self, t: &Touch, lanes: u32) {
        if lanes == 0 {
            return;
        }
        let (span, dense) = Undefined::span(t, lanes);
        match self.behind(span.start) {
            None => {}
            Some(u) if u.range().start >= span.end => {}
            Some(_) if dense => self.meeting(&span).for_each(|u| u.set(span.clone(), true)),
            _ => {
                for l in lanes_of(lanes) {
                    let part = t.at[l]..t.at[l].saturating_add(t.bytes.into());
                    self.meeting(&part).for_each(|u| u.set(part.clone(), true));
                }
            }
        }
    }

    /// Notes a byte that is written, or holds again what nobody knows.
    pub fn mark(&self, va: u64, written: bool) {
        if let Some(u) = self.behind(va).filter(|u| u.range().contains(&va)) {
            u.set(va..va + 1, written);
        }
    }

    /// Undefined bits of up to four bytes.
    pub fn bits(&self, va: u64, len: u32) -> u32 {
        let unwritten = |k: &u32| !self.is_written(va + u64::from(*k), 1);
        (0..len.min(4)).filter(unwritten).fold(0, |m, k| m | 0xff << (8 * k))
    }
}

/// What lies between two instructions, as far as their addresses tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Between {
    /// A barrier.
    pub barrier: bool,
    /// A loop holds both.
    pub looped: bool,
}

/// The instructions by which several waves load an element and store it again: two stores, and the load before one of them.
fn updates(reports: &[Report]) -> Vec<[u32; 3]> {
    let of = |r: &Report| match &r.what {
        What::Race(b) if b.updates => Some([r.who.at, b.other.at, b.read.unwrap_or(r.who.at)]),
        _ => None,
    };
    reports.iter().filter_map(of).collect()
}

/// What groups that have ended left.
#[derive(Debug, Default)]
struct Ledger {
    /// The lowest number not added.
    next: u64,
    waiting: BTreeMap<u64, Left>,
    /// Number of the first group that faulted.
    stop: Option<u64>,
    reports: Reports,
    swallowed: u64,
    /// Stores out of range, once the launch is over.
    dropped: Vec<Report>,
}

#[derive(Debug)]
struct Left {
    log: Vec<Event>,
    clocks: Clocks,
    reports: Reports,
    swallowed: u64,
}

impl From<super::Left> for Left {
    fn from((log, clocks, reports, swallowed): super::Left) -> Left {
        Left {
            log,
            clocks,
            reports,
            swallowed,
        }
    }
}

impl Sanitizer {
    /// For a launch whose groups start so; `code` is what its instructions are like, `kernarg` are its arguments.
    pub fn new(vm: &Vm, setup: &Setup, code: Code, kernel: Option<&Kernel>, kernarg: &[u32]) -> Sanitizer {
        let mut bounds = Bounds::new(vm);
        if let Some(m) = kernel.and_then(|k| k.metadata.as_ref()) {
            bounds.name_parameters(&m.args, kernarg);
            bounds.name_lds(&m.lds);
        }
        let padding = kernel
            .filter(|_| !setup.kernarg.is_empty())
            .into_iter()
            .flat_map(Kernel::padding);
        let at =
            |r: std::ops::Range<u32>| setup.kernarg.start + u64::from(r.start)..setup.kernarg.start + u64::from(r.end);
        Sanitizer {
            bounds,
            unwritten: Undefined(vm.unwritten()),
            ordered: code.ordered,
            shadow: Mutex::default(),
            arguments: setup.kernarg.clone(),
            padding: padding.map(at).collect(),
            cu: !setup.wgp_mode,
            rust: code.rust,
            spins: code.spins,
            scopes: kernel
                .iter()
                .flat_map(|k| &k.atomics)
                .map(|a| (a.offset, a.scope))
                .collect(),
            ledger: Mutex::default(),
            pool: Mutex::default(),
            lds: setup.lds,
            waves: setup.waves(),
        }
    }

    /// The watch over a group that starts.
    pub fn watch(self: &Arc<Self>, group: u64) -> Box<Watch> {
        let used = lock(&self.pool).pop();
        let mut lds = used.unwrap_or_else(|| Lds::new(self.lds.div_ceil(4) as usize));
        lds.clear();
        Box::new(Watch::new(self.clone(), group as u32, self.waves as usize, lds))
    }

    /// A group stands still for good: the launch hangs.
    pub fn park(&self, n: u64, watch: &Watch) {
        let left = Left::from(watch.parts());
        lock(&self.ledger).waiting.insert(n, left);
    }

    /// A group has ended, perhaps by a fault.
    pub fn retire(&self, n: u64, watch: Watch, faulted: bool) {
        let (lds, left) = watch.into_parts();
        let mut pool = lock(&self.pool);
        if pool.len() < POOL {
            pool.push(lds);
        }
        drop(pool);
        let mut ledger = lock(&self.ledger);
        ledger.waiting.insert(n, left.into());
        if faulted {
            ledger.stop = Some(ledger.stop.map_or(n, |s| s.min(n)));
        }
        loop {
            let next = ledger.next;
            let Some(left) = ledger.waiting.remove(&next) else {
                break;
            };
            self.add(&mut ledger, left);
        }
    }

    fn add(&self, ledger: &mut Ledger, mut left: Left) {
        let n = ledger.next;
        ledger.next += 1;
        if ledger.stop.is_some_and(|stop| n > stop) {
            return;
        }
        self.check(&left.log, &mut left.clocks, &mut left.reports);
        ledger.reports.merge(left.reports);
        ledger.swallowed += left.swallowed;
    }

    /// Checks a log; `clocks` are those of its beginning.
    pub(super) fn check(&self, log: &[Event], clocks: &mut Clocks, reports: &mut Reports) {
        let shadow = &mut *lock(&self.shadow);
        for event in log {
            match event {
                Event::Access(a) => a.check(shadow, clocks, reports),
                Event::Barrier(done) => clocks.barrier(done),
                Event::Learn(wave, row) => clocks.learn(*wave, row),
                Event::Empty(wave, loads) => clocks.empty(*wave, *loads),
            }
        }
    }

    /// Who wrote a byte of global memory last, of all groups that have ended.
    pub fn writer(&self, va: u64) -> Option<Entry> {
        lock(&self.shadow).writer(va)
    }

    /// Stores and atomics that were dropped because they were out of range, for each instruction: the first, how many, and the
    /// buffer's name; known once the launch is over.
    pub fn dropped(&self) -> Vec<(Entry, u64, String)> {
        let name = |r: &Report| match &r.what {
            What::Plain(_, _, name) => name.clone(),
            _ => String::new(),
        };
        lock(&self.ledger)
            .dropped
            .iter()
            .map(|r| (r.who, r.count, name(r)))
            .collect()
    }

    /// How many lanes' accesses buffers' range checks kept from memory.
    pub fn swallowed(&self) -> u64 {
        lock(&self.ledger).swallowed
    }

    /// Everything that was found. `site` describes an instruction of a group, wave and lane.
    /// `between` tells what lies between two instructions.
    pub fn finish(
        &self,
        kernel: &Option<String>,
        site: &dyn Fn(&Entry) -> Site,
        between: &dyn Fn(u32, u32) -> Between,
    ) -> Vec<Finding> {
        let mut ledger = lock(&self.ledger);
        // Groups between may never have run: a fault or the end of the queue stopped them.
        for (n, left) in std::mem::take(&mut ledger.waiting) {
            ledger.next = n;
            self.add(&mut ledger, left);
        }
        let mut reports = std::mem::take(&mut ledger.reports);
        ledger.dropped = reports.take_dropped();
        lock(&self.shadow).finish(&mut reports);
        let reports: Vec<Report> = reports.into_iter().collect();
        let updates = updates(&reports);
        let findings = reports.into_iter().map(|r| {
            let (rule, severity) = (r.rule(), r.severity());
            let mut found = Finding {
                rule,
                severity,
                text: String::new(),
                kernel: kernel.clone(),
                site: site(&r.who),
                other: None,
                born: None,
                help: None,
                count: r.count,
            };
            match r.what {
                What::Plain(_, _, text) => found.text = text,
                What::Race(b) => {
                    found.other = Some(site(&b.other));
                    found.text = self.race_text(&r.who, &b);
                    let updates = b.updates || updates.iter().any(|u| u.contains(&r.who.at) && u.contains(&b.other.at));
                    found.help = Some(self.race_help(&r.who, &b, updates, between(r.who.at, b.other.at)));
                }
                What::Skipped(end) => {
                    found.other = Some(site(&end));
                    found.text = String::from(
                        "a wave waits at a barrier that another one of its workgroup never meets, because it has ended",
                    );
                    found.help = Some(String::from(match self.rust {
                        true => "let every wave reach the `group::barrier()`: no `return` before it",
                        false => "let every wave reach the barrier: this card counts waves that have ended as arrived, others hang",
                    }));
                }
                What::Undefined(u) => {
                    found.born = u.load().map(|at| site(&Entry { at, ..r.who }));
                    found.text = self.undefined_text(&r.who, &u, site);
                    found.help = self.undefined_help(&u);
                }
            }
            found
        });
        findings.collect()
    }

    fn undefined_text(&self, who: &Entry, u: &Found, site: &dyn Fn(&Entry) -> Site) -> String {
        let instruction = |at: u32| {
            let s = site(&Entry { at, ..*who });
            format!("`{}` at {}", s.instruction, Offset(s.pc))
        };
        let place = |space, at| match space {
            Space::Global
                if at >= self.arguments.end && at - self.arguments.end < ARGUMENTS && !self.arguments.is_empty() =>
            {
                format!("byte {} of the kernel's arguments", at - self.arguments.start)
            }
            Space::Global if self.padding.iter().any(|p| p.contains(&at)) => {
                format!(
                    "byte {} of the kernel's arguments (padding: no argument covers it)",
                    at - self.arguments.start
                )
            }
            Space::Global => self.bounds.place(at),
            Space::Shared if self.bounds.lds_named(at) => self.bounds.lds_place(at),
            Space::Shared => format!("the LDS at offset {at:#x}"),
            Space::Private => format!("private memory at offset {at:#x}"),
        };
        u.text(&instruction, &place)
    }

    fn undefined_help(&self, u: &Found) -> Option<String> {
        let help = match u.space()? {
            Space::Shared if self.rust => "write every element that is read, with a `group::barrier()` between",
            Space::Global if self.rust => UNWRITTEN,
            _ => return None,
        };
        Some(String::from(help))
    }

    fn race_text(&self, who: &Entry, b: &super::report::Both) -> String {
        let place = match b.local {
            true => self.bounds.lds_place(b.at),
            false => self.bounds.place(b.at),
        };
        if who.same_wave(&b.other) && b.gap == Gap::Order {
            let (lane, other) = (who.lane(), b.other.lane());
            if b.role == Role::Atomic {
                return format!("lanes {other} and {lane} of one wave exchange different values at {place} in one instruction, and nobody asks for the old one: one of them stays");
            }
            return format!("lanes {other} and {lane} of one wave write different values at {place} in one instruction: one of them stays");
        }
        let name = |r: Role| match r {
            Role::Load => "read",
            Role::Store => "write",
            Role::Atomic => "atomic",
        };
        if b.gap == Gap::Narrow {
            return format!("atomics of different workgroups at {place}, and one of them is of `Group` scope");
        }
        let (here, there) = (name(b.role), name(b.other_role));
        let same = if b.same { " of the same value" } else { "" };
        let gap = match b.gap {
            Gap::Order => "with nothing to order them",
            Gap::Caches => "ordered, but the reader's caches may hold an older value",
            Gap::Scope | Gap::Narrow => "ordered by a flag at workgroup scope, which other workgroups do not see",
        };
        let doubt = if b.doubtful {
            " (unless the store is an atomic one)"
        } else {
            ""
        };
        format!("{here} here and {there} by another wave{same} at {place}, {gap}{doubt}")
    }

    fn race_help(&self, who: &Entry, b: &super::report::Both, updates: bool, between: Between) -> String {
        let near = who.group == b.other.group;
        if self.rust && updates && b.gap == Gap::Order {
            return String::from(
                "each side reads this element and writes it back, and what the other one wrote between is lost: use an atomic (`Atomic<..>` with \
                 `fetch_add`, `fetch_max`, ...), or let each work-item have an element of its own",
            );
        }
        if who.same_wave(&b.other) && b.gap == Gap::Order {
            return String::from("let one lane write, or each lane an element of its own");
        }
        String::from(match (b.gap, b.local, near) {
            (Gap::Narrow, ..) => "use `Device` scope on both sides: `Group` is for the work-items of one workgroup",
            (Gap::Scope, ..) => {
                "use device scope: load the flag with glc, then a wait, buffer_gl1_inv and buffer_gl0_inv"
            }
            (Gap::Caches, _, true) => "buffer_gl0_inv behind the barrier or the flag that orders them",
            (Gap::Caches, _, false) => "buffer_gl1_inv and buffer_gl0_inv after the flag was read",
            (Gap::Order, local, near) if self.rust && (local || near) && who.at == b.other.at => match between.looped {
                true => {
                    "the same line on both sides: let one lane do it, or each lane on an element of its own; if the sides are of different \
                     rounds of the loop, put a `group::barrier()` at the end of its body"
                }
                false => "the same line on both sides: let one lane do it, or each lane on an element of its own",
            },
            (Gap::Order, local, near) if self.rust && (local || near) && between.barrier && between.looped => {
                "they are of different rounds of a loop, and the barrier between them orders those of one round only: put another \
                 `group::barrier()` at the end of the loop's body"
            }
            (Gap::Order, local, near) if self.rust && (local || near) => {
                "put a `group::barrier()` between them"
            }
            (Gap::Order, ..) if self.rust => {
                "workgroups run in no order: let each element have one writer, or use atomics"
            }
            (Gap::Order, true, _) => "a barrier must stand between them, and a wait for LGKMcnt before it",
            (Gap::Order, false, true) => "a barrier must stand between them, and a wait for the first one before it",
            (Gap::Order, false, false) => {
                "workgroups run in no order: only an atomic after a wait, and an acquire of it (wait, buffer_gl1_inv, buffer_gl0_inv), makes one"
            }
        })
    }
}
