//! Loads in flight: which load feeds which use, on every path.
//!
//! Method: a forward dataflow over the blocks. Per load in flight it keeps how many operations of its counter are behind it
//! in the queue, the fewest over all paths that lead here: a wait for `n` ends it when there are at least `n`. That is
//! exact for every load by itself, because the path with the fewest is the last one on which a wait ends it. SMEM, messages
//! and FLAT finish in any order, so on a path that has one of them LGKMcnt means nothing but at 0: for each LDS operation it
//! is kept apart whether it is in flight on paths with and on paths without them. A touch of a register in flight is a
//! finding; the walk goes on as if the wait that mends it stood there, so one missing wait is told once.
//!
//! Rules and exceptions are those of the simulated card (t0-sim, `wait`): loads of one in-order kind may write the same
//! register without a wait in between, a D16 load is in flight for one half of its register, data registers of stores need
//! no wait, the 64th operation of a counter stalls until the first is done. Source: RDNA3 ISA manual 4.4, LLVM
//! `SIInsertWaitcnts`.

use super::graph::{Block, Graph, Step};
use super::Raw;
use crate::errata::{first, Facts, SSet, VSet};
use crate::isa::{scalar_name, Class, Flags, Inst, Opcode, Operand, Sopk, Sopp};
use std::collections::BTreeSet;

/// Operations a counter counts (RDNA3 ISA manual 4.4).
const MAX: u32 = 63;

/// How operations of a kind finish.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Vmem,
    Lds,
}

/// What an instruction does to the counters.
#[derive(Clone, Copy, Default)]
struct Effect {
    /// Counted by VMcnt.
    vm: bool,
    /// Counted by LGKMcnt, in order.
    lds: bool,
    /// Counted by LGKMcnt, in any order.
    any: bool,
    /// Kind whose earlier loads it may overwrite.
    own: Option<Order>,
    /// Half of the register a D16 load writes.
    high: Option<bool>,
    wait: Wait,
    barrier: bool,
    lds_store: bool,
    /// Does none of this, so that only its registers count.
    idle: bool,
}

/// Counts a wait allows; `None`: any.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Wait {
    vm: Option<u32>,
    lgkm: Option<u32>,
}

impl Wait {
    fn any(self) -> bool {
        self.vm.is_some() || self.lgkm.is_some()
    }
}

impl std::fmt::Display for Wait {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("s_waitcnt")?;
        if let Some(n) = self.vm {
            write!(f, " vmcnt({n})")?;
        }
        if let Some(n) = self.lgkm {
            write!(f, " lgkmcnt({n})")?;
        }
        Ok(())
    }
}

fn effect(inst: &Inst) -> Effect {
    let row = inst.row();
    let count = inst.wait();
    let flat = row.flags.has(Flags::FLAT);
    let own = match row.class {
        Class::VmemLoad | Class::VmemAtomic if !flat => Some(Order::Vmem),
        Class::LdsLoad | Class::LdsAtomic | Class::LdsLane => Some(Order::Lds),
        _ => None,
    };
    let lds = row.class.is_lds() && count.lgkm > 0;
    let mut e = Effect {
        vm: count.vm > 0,
        lds,
        any: count.lgkm > 0 && !lds,
        own,
        high: inst.half_loaded(),
        wait: wait(inst),
        barrier: row.class == Class::Barrier,
        lds_store: matches!(row.class, Class::LdsStore | Class::LdsAtomic) && !inst.mods.gds,
        idle: false,
    };
    e.idle = !(e.vm || e.lds || e.any || e.barrier || e.wait.any());
    e
}

/// The counts a wait instruction waits for. A register that is added to the immediate (none in compilers' code) counts
/// as 0: what it holds is not known.
fn wait(inst: &Inst) -> Wait {
    let imm = inst.operands.iter().find_map(|o| match o {
        Operand::Imm(n) => Some(*n as u32),
        _ => None,
    });
    let all = Some(0);
    match (inst.op, imm) {
        (Opcode::Sopp(Sopp::s_waitcnt), Some(n)) => Wait {
            vm: Some(n >> 10 & 63),
            lgkm: Some(n >> 4 & 63),
        },
        (Opcode::Sopp(Sopp::s_wait_idle), _) => Wait { vm: all, lgkm: all },
        (Opcode::Sopk(Sopk::s_waitcnt_vmcnt), Some(n)) => Wait {
            vm: Some(n & 63),
            lgkm: None,
        },
        (Opcode::Sopk(Sopk::s_waitcnt_lgkmcnt), Some(n)) => Wait {
            vm: None,
            lgkm: Some(n & 63),
        },
        _ => Wait::default(),
    }
}

/// An LDS operation in flight.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Lds {
    step: usize,
    /// Operations behind it on paths where nothing unordered is in flight.
    clean: Option<u32>,
    /// In flight on a path where something unordered is, too.
    dirty: bool,
}

/// What is in flight where paths have come together.
#[derive(Clone, PartialEq, Eq, Default)]
struct Flight {
    /// Steps counted by VMcnt, by number, with the operations behind them.
    vm: Vec<(usize, u32)>,
    lds: Vec<Lds>,
    /// Steps with a result among SMEM, messages and FLAT.
    any: Vec<usize>,
    /// A path leads here with something unordered in flight; one without.
    dirty: bool,
    clean: bool,
    /// All registers in flight.
    v: VSet,
    s: SSet,
}

fn add<const N: usize>(a: &mut [u64; N], b: &[u64; N]) {
    a.iter_mut().zip(b).for_each(|(x, y)| *x |= y);
}

/// A register of an operation in flight that is touched.
struct Touch {
    load: usize,
    register: String,
    written: bool,
    wait: Wait,
}

/// The instructions and what they do.
struct Code<'a> {
    steps: &'a [Step],
    effects: Vec<Effect>,
}

impl Flight {
    fn start() -> Flight {
        Flight {
            clean: true,
            ..Flight::default()
        }
    }

    fn wait(&mut self, w: Wait, code: &Code<'_>) {
        let before = (self.vm.len(), self.lds.len(), self.any.len());
        if let Some(n) = w.vm {
            self.vm.retain(|o| o.1 < n);
        }
        match w.lgkm {
            Some(0) => {
                self.lds.clear();
                self.any.clear();
                (self.clean, self.dirty) = (true, false);
            }
            Some(n) => {
                for o in &mut self.lds {
                    o.clean = o.clean.filter(|age| *age < n);
                }
                self.lds.retain(|o| o.clean.is_some() || o.dirty);
            }
            None => {}
        }
        if before != (self.vm.len(), self.lds.len(), self.any.len()) {
            self.collect(code);
        }
    }

    /// The registers in flight anew.
    fn collect(&mut self, code: &Code<'_>) {
        (self.v, self.s) = ([0; 4], [0; 2]);
        let vm = self.vm.iter().map(|o| o.0);
        let lds = self.lds.iter().map(|o| o.step);
        for k in vm.chain(lds) {
            add(&mut self.v, &code.steps[k].facts.vwrite);
        }
        for &k in &self.any {
            add(&mut self.v, &code.steps[k].facts.vwrite);
            add(&mut self.s, &code.steps[k].facts.swrite);
        }
    }

    fn issue(&mut self, k: usize, code: &Code<'_>) {
        let (e, f) = (&code.effects[k], &code.steps[k].facts);
        if e.vm {
            self.vm.iter_mut().for_each(|o| o.1 += 1);
            let before = self.vm.len();
            self.vm.retain(|o| o.1 < MAX && o.0 != k);
            let at = self.vm.partition_point(|o| o.0 < k);
            let fewer = before != self.vm.len();
            self.vm.insert(at, (k, 0));
            add(&mut self.v, &f.vwrite);
            if fewer {
                self.collect(code);
            }
        }
        if e.lds {
            self.issue_lds(k, code);
        }
        if e.any {
            (self.dirty, self.clean) = (true, false);
            for o in &mut self.lds {
                o.dirty |= o.clean.take().is_some();
            }
            let empty = f.vwrite == [0; 4] && f.swrite == [0; 2];
            if let (false, Err(at)) = (empty, self.any.binary_search(&k)) {
                self.any.insert(at, k);
                add(&mut self.v, &f.vwrite);
                add(&mut self.s, &f.swrite);
            }
        }
    }

    fn issue_lds(&mut self, k: usize, code: &Code<'_>) {
        for o in &mut self.lds {
            o.clean = o.clean.map(|age| age + 1).filter(|age| *age < MAX);
        }
        let before = self.lds.len();
        self.lds.retain(|o| (o.clean.is_some() || o.dirty) && o.step != k);
        let fewer = before != self.lds.len();
        let at = self.lds.partition_point(|o| o.step < k);
        let new = Lds {
            step: k,
            clean: self.clean.then_some(0),
            dirty: self.dirty,
        };
        self.lds.insert(at, new);
        add(&mut self.v, &code.steps[k].facts.vwrite);
        if fewer {
            self.collect(code);
        }
    }

    /// Joins what is in flight on another path; true if that changed something.
    fn meet(&mut self, other: &Flight) -> bool {
        let before = self.clone();
        for &(k, age) in &other.vm {
            match self.vm.binary_search_by_key(&k, |o| o.0) {
                Ok(i) => self.vm[i].1 = self.vm[i].1.min(age),
                Err(i) => self.vm.insert(i, (k, age)),
            }
        }
        for o in &other.lds {
            match self.lds.binary_search_by_key(&o.step, |o| o.step) {
                Ok(i) => {
                    let mine = &mut self.lds[i];
                    mine.clean = [mine.clean, o.clean].into_iter().flatten().min();
                    mine.dirty |= o.dirty;
                }
                Err(i) => self.lds.insert(i, *o),
            }
        }
        for k in &other.any {
            if let Err(i) = self.any.binary_search(k) {
                self.any.insert(i, *k);
            }
        }
        self.dirty |= other.dirty;
        self.clean |= other.clean;
        add(&mut self.v, &other.v);
        add(&mut self.s, &other.s);
        *self != before
    }

    /// Registers in flight that step `k` touches.
    fn touches(&self, k: usize, code: &Code<'_>) -> Vec<Touch> {
        let mut out = Vec::new();
        let mut note = |load, order, wait| {
            if let Some((register, written)) = touched(code, k, load, order) {
                out.push(Touch {
                    load,
                    register,
                    written,
                    wait,
                });
            }
        };
        for &(load, age) in &self.vm {
            let wait = Wait {
                vm: Some(age),
                lgkm: None,
            };
            note(load, Some(Order::Vmem), wait);
        }
        let lgkm = |n| Wait {
            vm: None,
            lgkm: Some(n),
        };
        for o in &self.lds {
            let n = if o.dirty { 0 } else { o.clean.unwrap_or(0) };
            note(o.step, Some(Order::Lds), lgkm(n));
        }
        for &load in &self.any {
            note(load, None, lgkm(0));
        }
        out
    }

    fn step(&mut self, k: usize, code: &Code<'_>, found: &mut impl FnMut(&Flight, usize, &[Touch], Wait)) {
        let (e, f) = (&code.effects[k], &code.steps[k].facts);
        if !self.misses(f) {
            let touches = self.touches(k, code);
            let all = touches.iter().fold(Wait::default(), |all, t| Wait {
                vm: [all.vm, t.wait.vm].into_iter().flatten().min(),
                lgkm: [all.lgkm, t.wait.lgkm].into_iter().flatten().min(),
            });
            if !touches.is_empty() {
                found(self, k, &touches, all);
                self.wait(all, code);
            }
        }
        if e.idle {
            return;
        }
        if e.barrier {
            found(self, k, &[], Wait::default());
            self.lds.retain(|o| !code.effects[o.step].lds_store);
        }
        self.wait(e.wait, code);
        self.issue(k, code);
    }

    /// Nothing in flight is touched.
    fn misses(&self, f: &Facts) -> bool {
        let v = (0..4).fold(0, |all, i| all | (f.vread[i] | f.vwrite[i]) & self.v[i]);
        let s = (0..2).fold(0, |all, i| all | (f.sread[i] | f.swrite[i]) & self.s[i]);
        v | s == 0
    }
}

/// The register of load `load` (finishing in `order`) that step `k` may not touch yet, and whether it is only written.
fn touched(code: &Code<'_>, k: usize, load: usize, order: Option<Order>) -> Option<(String, bool)> {
    let (f, l) = (&code.steps[k].facts, &code.steps[load].facts);
    if let (Some(high), Some(r), Some(inst)) = (
        code.effects[load].high,
        first(&l.vwrite, &l.vwrite),
        &code.steps[k].inst,
    ) {
        if inst.touches_only_half(r, !high) {
            return None;
        }
    }
    let (mut read, mut write) = (f.vread, f.vwrite);
    if order.is_some() && code.effects[k].own == order {
        // Data arrive in order. A D16 load reads the rest of its destination where it writes it.
        write = [0; 4];
        if code.effects[k].high.is_some() {
            read.iter_mut().zip(&f.vwrite).for_each(|(r, w)| *r &= !w);
        }
    }
    let v = |r: u32| format!("v{r}");
    let vector = first(&l.vwrite, &read).map(|r| (v(r), false));
    let vector = vector.or_else(|| first(&l.vwrite, &write).map(|r| (v(r), true)));
    // Only unordered operations write scalar registers late.
    vector.or_else(|| {
        order.is_none().then_some(())?;
        let read = first(&l.swrite, &f.sread).map(|r| (scalar_name(r), false));
        read.or_else(|| first(&l.swrite, &f.swrite).map(|r| (scalar_name(r), true)))
    })
}

fn walk(block: &Block, flight: &mut Flight, code: &Code<'_>, found: &mut impl FnMut(&Flight, usize, &[Touch], Wait)) {
    for k in block.steps.clone() {
        flight.step(k, code, found);
    }
    if block.calls {
        *flight = Flight::start();
    }
}

/// What is in flight at the beginning of every block.
fn solve(graph: &Graph, code: &Code<'_>) -> Vec<Option<Flight>> {
    let mut inputs: Vec<Option<Flight>> = vec![None; graph.blocks.len()];
    let mut work = BTreeSet::new();
    for &b in &graph.entries {
        inputs[b] = Some(Flight::start());
        work.insert(b);
    }
    while let Some(b) = work.pop_first() {
        let Some(mut flight) = inputs[b].clone() else { continue };
        walk(&graph.blocks[b], &mut flight, code, &mut |_, _, _, _| {});
        for &n in &graph.blocks[b].next {
            let changed = match &mut inputs[n] {
                Some(old) => old.meet(&flight),
                slot => {
                    *slot = Some(flight.clone());
                    true
                }
            };
            if changed {
                work.insert(n);
            }
        }
    }
    inputs
}

/// Checks the waits. `one_wave`: workgroups are one wave, whose barriers do nothing.
pub(super) fn check(graph: &Graph, one_wave: bool, raw: &mut Vec<Raw>) {
    let effect_of = |s: &Step| match &s.inst {
        Some(i) => effect(i),
        None => Effect {
            idle: true,
            ..Effect::default()
        },
    };
    let code = Code {
        steps: &graph.steps,
        effects: graph.steps.iter().map(effect_of).collect(),
    };
    let inputs = solve(graph, &code);
    for (b, input) in inputs.into_iter().enumerate() {
        let Some(mut flight) = input else { continue };
        walk(&graph.blocks[b], &mut flight, &code, &mut |flight, k, touches, wait| {
            touches.iter().for_each(|t| raw.push(missing(&code, k, t, wait)));
            if code.effects[k].barrier && !one_wave {
                raw.extend(at_barrier(flight, &code, k));
            }
        });
    }
}

fn missing(code: &Code<'_>, k: usize, t: &Touch, wait: Wait) -> Raw {
    let (at, load) = (code.steps[k].at, &code.steps[t.load]);
    let what = if t.written { "overwritten" } else { "read" };
    let text = format!("{} is {what} while {} may be in flight", t.register, load.text());
    let mut raw = Raw::new("missing-wait", Some(at), text, format!("{wait} before it"));
    raw.register = Some(t.register.clone());
    raw.related = Some(load.at);
    raw
}

/// Stores to LDS that other waves may not see behind the barrier (LLVM AMDGPUUsage, memory model GFX10-GFX11: a release
/// waits for lgkmcnt(0) before s_barrier).
fn at_barrier(flight: &Flight, code: &Code<'_>, k: usize) -> Option<Raw> {
    let store = flight.lds.iter().find(|o| code.effects[o.step].lds_store)?;
    let (at, store) = (code.steps[k].at, &code.steps[store.step]);
    let text = format!("{} may not be done at the barrier", store.text());
    let mut raw = Raw::new("barrier-without-wait", Some(at), text, "s_waitcnt lgkmcnt(0) before it");
    raw.related = Some(store.at);
    Some(raw)
}
