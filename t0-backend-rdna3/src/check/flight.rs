//! What is in flight at one place of the code: operations that have not written (or read) their registers yet.
//!
//! Method: operations that touch the same registers in the same way are one [`Sort`]. Of each sort in flight the latest one
//! is kept, with the number of operations of its queue that are behind it, the fewest over all paths that lead here (its
//! age): whatever waits for that one waits for the others of its sort. So a flight is small however long the code is.
//! A wait for `n` leaves at most `n` operations of the counter, so of a queue, which finishes in order, at most the latest `n`,
//! whatever else the counter counts. SMEM and messages finish in any order: only a wait for 0 ends them.
//!
//! Sources: RDNA3 ISA manual 4.4; LLVM `SIInsertWaitcnts`; Mesa ACO `aco_insert_waitcnt`. FLAT operations are counted on both
//! sides, in order with vector memory loads in VMcnt and with DS operations in LGKMcnt: that is LLVM's rule from gfx10 on
//! (`hasFlatLgkmVMemCountInOrder`), which clang's code relies on; the RDNA3 manual says that FLAT may return out of order.
//! UNVERIFIED(hw): which of them is right. t0's own compiler makes no FLAT accesses.

use super::graph::Step;
use crate::errata::{first, Facts, SSet, VSet};
use crate::isa::{scalar_name, Class, Family, Field, Flags, Inst, Opcode, Operand, Sopk, Sopp};
use std::collections::BTreeMap;

/// Operations VMcnt and LGKMcnt count, and EXPcnt: the next one stalls (RDNA3 ISA manual 4.4).
const MAX: u32 = 63;
const MAX_EXP: u32 = 7;

/// What finishes in order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Queue {
    /// Vector memory loads.
    Vm,
    /// DS and FLAT.
    Lds,
    /// SMEM, messages, global data share: LGKMcnt in any order.
    Any,
    /// Exports to colours, positions, parameters, and others; reads of LDS without address; the global data share. One kind is
    /// in order, two are not.
    Exp(u32),
}

/// EXPcnt's kinds beyond those of exports.
const EXP_LDS: u32 = 4;
const EXP_GDS: u32 = 5;

/// How vector memory loads write their registers: one kind in order, two in any order, although the counter counts down in
/// order (LLVM `VmemType`, ACO).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Unit {
    Plain,
    Sampler,
    Bvh,
}

/// Operations that touch the same registers in the same way.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Sort {
    queue: Queue,
    unit: Unit,
    /// Registers it writes, or with `guard` reads, late.
    v: VSet,
    s: SSet,
    /// Half of the register a D16 load writes.
    high: Option<bool>,
    /// Reads them late: they must not be written.
    guard: bool,
    /// Stores to LDS.
    store: bool,
}

/// Whose earlier results an instruction may write over: they arrive in order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Own {
    Vm(Unit),
    Lds,
}

/// What an instruction does to the counters.
#[derive(Clone, Default)]
pub(super) struct Effect {
    /// The queues it enters, and as what, if that matters to anybody.
    issues: [Option<(Queue, Option<usize>)>; 2],
    own: Option<Own>,
    /// Half of the register a D16 load writes.
    high: Option<bool>,
    pub wait: Wait,
    pub barrier: bool,
    /// Does none of this, so that only its registers count.
    idle: bool,
}

/// Counts a wait allows; `None`: any.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Wait {
    vm: Option<u32>,
    lgkm: Option<u32>,
    exp: Option<u32>,
}

impl Wait {
    fn any(self) -> bool {
        self != Wait::default()
    }

    /// What waits for both.
    pub fn and(self, other: Wait) -> Wait {
        let least = |a: Option<u32>, b: Option<u32>| [a, b].into_iter().flatten().min();
        Wait {
            vm: least(self.vm, other.vm),
            lgkm: least(self.lgkm, other.lgkm),
            exp: least(self.exp, other.exp),
        }
    }

    fn of(queue: Queue, n: u32) -> Wait {
        let mut w = Wait::default();
        let slot = match queue {
            Queue::Vm => &mut w.vm,
            Queue::Lds | Queue::Any => &mut w.lgkm,
            Queue::Exp(_) => &mut w.exp,
        };
        *slot = Some(n);
        w
    }

    /// Whether an operation of this age is certain to be done.
    fn ends(self, queue: Queue, age: u32) -> bool {
        let n = match queue {
            Queue::Vm => self.vm,
            Queue::Lds | Queue::Any => self.lgkm,
            Queue::Exp(_) => self.exp,
        };
        n.is_some_and(|n| n == 0 || queue != Queue::Any && age >= n)
    }
}

impl std::fmt::Display for Wait {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("s_waitcnt")?;
        for (name, n) in [("vmcnt", self.vm), ("expcnt", self.exp), ("lgkmcnt", self.lgkm)] {
            if let Some(n) = n {
                write!(f, " {name}({n})")?;
            }
        }
        Ok(())
    }
}

fn unit(inst: &Inst) -> Unit {
    let row = inst.row();
    if row.name.starts_with("image_bvh") {
        Unit::Bvh
    } else if row.family == Family::Mimg && row.operands.iter().any(|o| o.field == Field::Ssamp) {
        Unit::Sampler
    } else {
        Unit::Plain
    }
}

/// The queue of an export by its target: colours, positions and primitives, parameters, anything else.
fn export(inst: &Inst) -> u32 {
    let target = inst.operands.iter().find_map(|o| match o {
        Operand::Imm(n) => Some(*n),
        _ => None,
    });
    match target {
        Some(0..=8) => 0,
        Some(12..=20) => 1,
        Some(32..=63) => 2,
        _ => 3,
    }
}

/// The counts an instruction waits for. A register that is added to the immediate (none in compilers' code) counts as 0:
/// what it holds is not known.
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
            exp: Some(n & 7),
        },
        (Opcode::Sopp(Sopp::s_wait_idle), _) => Wait {
            vm: all,
            lgkm: all,
            exp: all,
        },
        (Opcode::Sopk(Sopk::s_waitcnt_vmcnt), Some(n)) => Wait::of(Queue::Vm, n & 63),
        (Opcode::Sopk(Sopk::s_waitcnt_lgkmcnt), Some(n)) => Wait::of(Queue::Any, n & 63),
        (Opcode::Sopk(Sopk::s_waitcnt_expcnt), Some(n)) => Wait::of(Queue::Exp(0), n & 7),
        // Interpolation waits by itself.
        (Opcode::Vinterp(_), _) => Wait::of(Queue::Exp(0), inst.mods.wait & 7),
        _ => Wait::default(),
    }
}

/// The instructions and what they do.
pub(super) struct Code<'a> {
    pub steps: &'a [Step],
    pub effects: Vec<Effect>,
    sorts: Vec<Sort>,
}

impl<'a> Code<'a> {
    pub fn new(steps: &'a [Step]) -> Code<'a> {
        let mut code = Code {
            steps,
            effects: Vec::with_capacity(steps.len()),
            sorts: Vec::new(),
        };
        let mut known = BTreeMap::new();
        for s in steps {
            let e = match &s.inst {
                Some(i) => code.effect(i, &s.facts, &mut known),
                None => Effect {
                    idle: true,
                    ..Effect::default()
                },
            };
            code.effects.push(e);
        }
        code
    }

    fn effect(&mut self, inst: &Inst, facts: &Facts, known: &mut BTreeMap<Sort, usize>) -> Effect {
        let row = inst.row();
        let count = inst.wait();
        let flat = row.flags.has(Flags::FLAT);
        let mut e = Effect {
            high: inst.half_loaded(),
            wait: wait(inst),
            barrier: row.class == Class::Barrier,
            own: match row.class {
                Class::VmemLoad | Class::VmemAtomic if !flat => Some(Own::Vm(unit(inst))),
                Class::LdsLoad | Class::LdsAtomic | Class::LdsLane => Some(Own::Lds),
                _ => None,
            },
            ..Effect::default()
        };
        let sort = Sort {
            queue: Queue::Vm,
            unit: Unit::Plain,
            v: facts.vwrite,
            s: [0; 2],
            high: e.high,
            guard: false,
            store: false,
        };
        let mut sorts = [None, None];
        if count.vm > 0 {
            let unit = unit(inst);
            sorts[0] = Some(Sort { unit, ..sort.clone() });
        }
        if count.exp > 0 {
            let lds = row.class == Class::LdsDir;
            let kind = match row.class {
                Class::LdsDir => EXP_LDS,
                Class::Export => export(inst),
                _ => EXP_GDS,
            };
            sorts[0] = Some(Sort {
                queue: Queue::Exp(kind),
                v: if lds { facts.vwrite } else { facts.vread },
                guard: !lds,
                ..sort.clone()
            });
        }
        if count.lgkm > 0 {
            let ordered = (row.class.is_lds() || flat) && !inst.mods.gds;
            sorts[1] = Some(Sort {
                queue: if ordered { Queue::Lds } else { Queue::Any },
                s: if row.class.is_lds() || flat {
                    [0; 2]
                } else {
                    facts.swrite
                },
                store: matches!(row.class, Class::LdsStore | Class::LdsAtomic) && !inst.mods.gds,
                ..sort
            });
        }
        e.issues = sorts.map(|sort| {
            let sort = sort?;
            let queue = sort.queue;
            let matters = sort.store || sort.v != [0; 4] || sort.s != [0; 2];
            let mut number = || {
                self.sorts.push(sort.clone());
                self.sorts.len() - 1
            };
            Some((
                queue,
                matters.then(|| *known.entry(sort.clone()).or_insert_with(&mut number)),
            ))
        });
        e.idle = e.issues == [None, None] && !e.barrier && !e.wait.any();
        e
    }
}

/// The latest operation of a sort in flight.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Op {
    sort: usize,
    /// Operations of its queue behind it.
    age: u32,
    step: usize,
}

/// What is in flight where paths have come together.
#[derive(Clone, PartialEq, Eq, Default)]
pub(super) struct Flight {
    /// By sort.
    ops: Vec<Op>,
    /// All registers in flight.
    v: VSet,
    s: SSet,
}

fn add<const N: usize>(a: &mut [u64; N], b: &[u64; N]) {
    a.iter_mut().zip(b).for_each(|(x, y)| *x |= y);
}

/// A register of an operation in flight that is touched.
#[derive(Clone)]
pub(super) struct Touch {
    /// The operation's step.
    pub load: usize,
    /// The register.
    pub register: String,
    /// It is only written.
    pub written: bool,
    /// The operation reads it.
    pub guard: bool,
    /// What ends it.
    pub wait: Wait,
}

impl Flight {
    pub fn wait(&mut self, w: Wait, code: &Code<'_>) {
        let before = self.ops.len();
        if before == 0 || !w.any() {
            return;
        }
        self.ops.retain(|o| !w.ends(code.sorts[o.sort].queue, o.age));
        if before != self.ops.len() {
            self.collect(code);
        }
    }

    /// The registers in flight anew.
    fn collect(&mut self, code: &Code<'_>) {
        (self.v, self.s) = ([0; 4], [0; 2]);
        for o in &self.ops {
            add(&mut self.v, &code.sorts[o.sort].v);
            add(&mut self.s, &code.sorts[o.sort].s);
        }
    }

    fn issue(&mut self, k: usize, code: &Code<'_>) {
        for (queue, sort) in code.effects[k].issues.into_iter().flatten() {
            if queue != Queue::Any {
                let most = if matches!(queue, Queue::Exp(_)) { MAX_EXP } else { MAX };
                let before = self.ops.len();
                self.ops.retain_mut(|o| {
                    let own = code.sorts[o.sort].queue == queue;
                    o.age += u32::from(own);
                    !own || o.age < most
                });
                if before != self.ops.len() {
                    self.collect(code);
                }
            }
            let Some(sort) = sort else { continue };
            let op = Op { sort, age: 0, step: k };
            match self.ops.binary_search_by_key(&sort, |o| o.sort) {
                Ok(i) => self.ops[i] = op,
                Err(i) => self.ops.insert(i, op),
            }
            add(&mut self.v, &code.sorts[sort].v);
            add(&mut self.s, &code.sorts[sort].s);
        }
    }

    /// Joins what is in flight on another path; true if that changed something.
    pub fn meet(&mut self, other: &Flight) -> bool {
        let mut changed = false;
        for o in &other.ops {
            match self.ops.binary_search_by_key(&o.sort, |o| o.sort) {
                Ok(i) => {
                    let mine = &mut self.ops[i];
                    if (o.age, o.step) < (mine.age, mine.step) {
                        *mine = *o;
                        changed = true;
                    }
                }
                Err(i) => {
                    self.ops.insert(i, *o);
                    changed = true;
                }
            }
        }
        add(&mut self.v, &other.v);
        add(&mut self.s, &other.s);
        changed
    }

    /// Registers in flight that step `k` touches.
    fn touches(&self, k: usize, code: &Code<'_>) -> Vec<Touch> {
        let mut out = Vec::new();
        for o in &self.ops {
            let sort = &code.sorts[o.sort];
            if let Some((register, written)) = touched(code, k, sort) {
                out.push(Touch {
                    load: o.step,
                    register,
                    written,
                    guard: sort.guard,
                    wait: Wait::of(sort.queue, if sort.queue == Queue::Any { 0 } else { o.age }),
                });
            }
        }
        out
    }

    /// Goes over an instruction. `found` is told what is touched too early and what mends it, and of every barrier.
    pub fn step(&mut self, k: usize, code: &Code<'_>, found: &mut impl FnMut(&Flight, usize, &[Touch])) {
        let (e, f) = (&code.effects[k], &code.steps[k].facts);
        if matches!(code.steps[k].inst.as_ref().map(|i| i.op), Some(Opcode::Vinterp(_))) {
            self.wait(e.wait, code);
        }
        if !self.misses(f) {
            let touches = self.touches(k, code);
            if !touches.is_empty() {
                found(self, k, &touches);
                // As if the wait that mends it stood there, so that one missing wait is told once.
                self.wait(touches.iter().fold(Wait::default(), |all, t| all.and(t.wait)), code);
            }
        }
        if e.idle {
            return;
        }
        if e.barrier {
            found(self, k, &[]);
            self.ops.retain(|o| !code.sorts[o.sort].store);
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

    /// A store to LDS, by its step.
    pub fn lds_store(&self, code: &Code<'_>) -> Option<usize> {
        self.ops.iter().find(|o| code.sorts[o.sort].store).map(|o| o.step)
    }

    /// Loads whose registers are not written yet: step, first register, what ends it.
    pub fn loads<'c>(&'c self, code: &'c Code<'_>) -> impl Iterator<Item = (usize, String, Wait)> + 'c {
        self.ops.iter().filter_map(|o| {
            let sort = &code.sorts[o.sort];
            let v = first(&sort.v, &sort.v).map(|r| format!("v{r}"));
            let register = v.or_else(|| first(&sort.s, &sort.s).map(scalar_name))?;
            let age = if sort.queue == Queue::Any { 0 } else { o.age };
            (!sort.guard).then(|| (o.step, register, Wait::of(sort.queue, age)))
        })
    }
}

impl Flight {
    /// A load that is to write a vector (or scalar) register with this number or a higher one: step, register, what ends it.
    pub fn load_from(&self, code: &Code<'_>, vector: bool, from: u32) -> Option<(usize, String, Wait)> {
        let above = |set: &[u64]| (from..64 * set.len() as u32).find(|r| set[*r as usize / 64] >> (r % 64) & 1 == 1);
        self.ops.iter().find_map(|o| {
            let sort = &code.sorts[o.sort];
            let register = match vector {
                true => above(&sort.v).map(|r| format!("v{r}")),
                false => above(&sort.s).map(scalar_name),
            };
            let age = if sort.queue == Queue::Any { 0 } else { o.age };
            let register = register.filter(|_| !sort.guard)?;
            Some((o.step, register, Wait::of(sort.queue, age)))
        })
    }
}

/// The register of an operation of this sort that step `k` may not touch yet, and whether it is only written.
fn touched(code: &Code<'_>, k: usize, sort: &Sort) -> Option<(String, bool)> {
    let f = &code.steps[k].facts;
    if let (Some(high), Some(r), Some(inst)) = (sort.high, first(&sort.v, &sort.v), &code.steps[k].inst) {
        if inst.touches_only_half(r, !high) {
            return None;
        }
    }
    let (mut read, mut write) = (f.vread, f.vwrite);
    let own = match code.effects[k].own {
        Some(Own::Vm(unit)) => sort.queue == Queue::Vm && sort.unit == unit,
        Some(Own::Lds) => sort.queue == Queue::Lds,
        None => false,
    };
    if own {
        // Data arrive in order. A D16 load reads the rest of its destination where it writes it.
        write = [0; 4];
        if code.effects[k].high.is_some() {
            read.iter_mut().zip(&f.vwrite).for_each(|(r, w)| *r &= !w);
        }
    }
    if sort.guard {
        read = [0; 4];
    }
    let v = |r: u32| format!("v{r}");
    let vector = first(&sort.v, &read).map(|r| (v(r), false));
    let vector = vector.or_else(|| first(&sort.v, &write).map(|r| (v(r), true)));
    vector.or_else(|| {
        let read = first(&sort.s, &f.sread).map(|r| (scalar_name(r), false));
        read.or_else(|| first(&sort.s, &f.swrite).map(|r| (scalar_name(r), true)))
    })
}
