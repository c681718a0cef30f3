//! Making the kernels.

use super::{Case, Options, Rng};
use crate::build::Builder;
use crate::func::{Access, Func, LdsAlloc, Param, ParamKind, Value};
use crate::interp::{Arg, Memory};
use crate::op::{LdsId, LoopHints, OpKind, Pred, Rmw, Scope};
use crate::ty::{Scalar, Ty};

/// Elements of each input slice.
const INPUT_LEN: u32 = 77;

/// Elements of the slice for atomics.
const COUNTERS: u32 = 8;

/// A random kernel with a random launch of it.
pub fn random_case(seed: u64, options: &Options<'_>) -> Case {
    let mut rng = Rng::new(seed);
    let mut types = vec![Scalar::U32];
    types.extend(options.types.iter().filter(|&&t| t != Scalar::U32 && t != Scalar::Bool));
    let group = rng.pick(&[32, 64, 96]);
    let mut params: Vec<Param> = Vec::new();
    let slice = |s, a| ParamKind::Slice(s, a);
    for &t in &types {
        params.push(param(format!("p_{t}"), ParamKind::Scalar(t)));
        params.push(param(format!("in_{t}"), slice(t, Access::Read)));
        params.push(param(format!("out_{t}"), slice(t, Access::Write)));
    }
    params.push(param("flag".into(), ParamKind::Scalar(Scalar::Bool)));
    params.push(param("counters".into(), slice(Scalar::U32, Access::Atomic)));
    let mut func = Func::new(format!("random_{seed}"), group, params);
    let lds = func.new_lds(LdsAlloc {
        name: "shared".into(),
        bytes: group * 4,
        align: 4,
        slots: 1,
        elem: None,
        tile: false,
        swizzled: false,
    });
    let args = func.body.args.clone();
    let groups = [1 + rng.below(3) as u32, 1 + u32::from(rng.one_in(4)), 1];
    let mut g = Gen {
        options,
        types,
        slots: Vec::new(),
        inputs: Vec::new(),
        outputs: Vec::new(),
        counters: Value(0),
        own: Value(0),
        total: Value(0),
        lds,
        pool: Vec::new(),
        left: options.ops as i64,
        rng,
        b: Builder::new(func),
    };
    g.prologue(&args);
    g.block(0, true);
    g.epilogue();
    let lanes = groups[0] * groups[1] * group;
    let (slots, mut rng, func) = (g.slots, g.rng, g.b.finish());
    launch(func, groups, lanes, &slots, &mut rng)
}

fn param(name: String, kind: ParamKind) -> Param {
    Param { name, kind }
}

/// Arguments and memory: what the slots of each output need is known now.
fn launch(func: Func, groups: [u32; 3], lanes: u32, slots: &[u32], rng: &mut Rng) -> Case {
    let mut memory = Memory::new();
    let mut args = Vec::new();
    let mut outputs = slots.iter();
    for p in &func.params {
        args.push(match p.kind {
            ParamKind::Slice(s, access) => {
                let (len, poison) = match access {
                    Access::Read => (INPUT_LEN, false),
                    Access::Write => (lanes * outputs.next().copied().unwrap_or(0), true),
                    Access::Atomic => (COUNTERS, false),
                };
                let n = s.bytes() as usize;
                let mut bytes = vec![0xcd; len as usize * n];
                for e in bytes.chunks_mut(n).filter(|_| !poison) {
                    e.copy_from_slice(&rng.scalar(s).bits.to_le_bytes()[..n]);
                }
                let base = memory.alloc(&bytes);
                Arg::Slice { base, len }
            }
            ParamKind::Scalar(s) | ParamKind::Mat(s, _) => Arg::Scalar(rng.scalar(s)),
        });
    }
    Case {
        func,
        args,
        memory,
        groups,
    }
}

/// A value that can be used here.
#[derive(Clone, Copy)]
struct Entry {
    v: Value,
    s: Scalar,
    /// The same in all lanes of the group.
    uniform: bool,
}

struct Gen<'a> {
    options: &'a Options<'a>,
    /// Number types in use.
    types: Vec<Scalar>,
    /// Results written so far, per output.
    slots: Vec<u32>,
    inputs: Vec<(Scalar, Value)>,
    outputs: Vec<(Scalar, Value)>,
    counters: Value,
    /// Index of this work-item in the grid, and their number.
    own: Value,
    total: Value,
    lds: LdsId,
    pool: Vec<Entry>,
    left: i64,
    rng: Rng,
    b: Builder,
}

impl Gen<'_> {
    fn prologue(&mut self, args: &[Value]) {
        let mut args = args.iter().copied();
        let mut next = || args.next().unwrap_or(Value(0));
        for t in self.types.clone() {
            let v = next();
            self.pool.push(Entry { v, s: t, uniform: true });
            self.inputs.push((t, next()));
            self.outputs.push((t, next()));
            self.slots.push(0);
        }
        let v = next();
        self.pool.push(Entry {
            v,
            s: Scalar::Bool,
            uniform: true,
        });
        self.counters = next();
        let ids = [0, 1].map(|axis| self.b.op1(OpKind::GroupId { axis }, &[]));
        let counts = [0, 1].map(|axis| self.b.op1(OpKind::GroupCount { axis }, &[]));
        let local = self.b.op1(OpKind::LocalId, &[]);
        let lane = self.b.op1(OpKind::LaneId, &[]);
        let group = self.b.func().group;
        let group = self.b.u32(group);
        let row = self.b.op1(OpKind::Mul, &[ids[1], counts[0]]);
        let flat = self.b.op1(OpKind::Add, &[row, ids[0]]);
        let first = self.b.op1(OpKind::Mul, &[flat, group]);
        self.own = self.b.op1(OpKind::Add, &[first, local]);
        let all = self.b.op1(OpKind::Mul, &[counts[0], counts[1]]);
        self.total = self.b.op1(OpKind::Mul, &[all, group]);
        for (v, uniform) in [
            (ids[0], true),
            (flat, true),
            (local, false),
            (lane, false),
            (self.own, false),
        ] {
            self.pool.push(Entry {
                v,
                s: Scalar::U32,
                uniform,
            });
        }
    }

    /// Writes some of what was computed last.
    fn epilogue(&mut self) {
        for t in self.types.clone() {
            for _ in 0..2 {
                let e = self.recent(t);
                self.store(e);
            }
        }
        let c = self.recent(Scalar::Bool);
        let number = self.emit(OpKind::Cast, &[c], Scalar::U32);
        self.store(number);
    }

    fn push(&mut self, v: Value, s: Scalar, uniform: bool) -> Entry {
        let e = Entry { v, s, uniform };
        self.pool.push(e);
        e
    }

    fn emit(&mut self, kind: OpKind, args: &[Entry], s: Scalar) -> Entry {
        let values: Vec<Value> = args.iter().map(|a| a.v).collect();
        let v = self.b.op1_as(kind, &values, Ty::Scalar(s));
        self.left -= 1;
        self.push(v, s, args.iter().all(|a| a.uniform))
    }

    fn constant(&mut self, s: Scalar) -> Entry {
        let c = self.rng.scalar(s);
        let v = self.b.constant(s, c.bits);
        self.push(v, s, true)
    }

    /// A value of a type: one at hand, or a constant.
    fn operand(&mut self, s: Scalar) -> Entry {
        let at_hand: Vec<Entry> = self.pool.iter().filter(|e| e.s == s).copied().collect();
        if at_hand.is_empty() || self.rng.one_in(6) {
            return self.constant(s);
        }
        // Mostly young ones, so that expressions grow deep.
        let n = at_hand.len();
        let from = if self.rng.one_in(3) { 0 } else { n.saturating_sub(6) };
        at_hand[from + self.rng.below(n - from)]
    }

    fn recent(&mut self, s: Scalar) -> Entry {
        let last = self.pool.iter().rev().find(|e| e.s == s).copied();
        match last {
            Some(e) if !self.rng.one_in(4) => e,
            _ => self.operand(s),
        }
    }

    /// A condition, if possible one that is the same for the group.
    fn condition(&mut self, uniform: bool) -> Entry {
        if uniform {
            let at_hand: Vec<Entry> = self
                .pool
                .iter()
                .filter(|e| e.uniform && e.s != Scalar::Bool)
                .copied()
                .collect();
            let a = at_hand[self.rng.below(at_hand.len())];
            let b = self.constant(a.s);
            return self.compare(a, b);
        }
        let s = self.number();
        let (a, b) = (self.operand(s), self.operand(s));
        self.compare(a, b)
    }

    fn compare(&mut self, a: Entry, b: Entry) -> Entry {
        let pred = self
            .rng
            .pick(&[Pred::Eq, Pred::Ne, Pred::Lt, Pred::Le, Pred::Gt, Pred::Ge]);
        self.emit(OpKind::Cmp { pred }, &[a, b], Scalar::Bool)
    }

    fn number(&mut self) -> Scalar {
        let types = std::mem::take(&mut self.types);
        let s = self.rng.pick(&types);
        self.types = types;
        s
    }

    /// Statements until the budget of this block is spent. `uniform`: all lanes of the group run it.
    fn block(&mut self, depth: u32, uniform: bool) {
        let share = if depth == 0 {
            self.left
        } else {
            self.left.min(4 + self.rng.below(12) as i64)
        };
        let end = self.left - share;
        while self.left > end {
            let before = self.left;
            self.statement(depth, uniform);
            self.left = self.left.min(before - 1); // every statement costs something
        }
    }

    fn statement(&mut self, depth: u32, uniform: bool) {
        let control = self.options.control && depth < 3;
        match self.rng.below(20) {
            0 | 1 if control => self.if_(depth, uniform),
            2 if control => self.for_(depth, uniform),
            3 if control => self.while_(depth),
            4 if uniform && self.options.collectives => self.collective(),
            5 if uniform && self.options.lds => self.exchange(),
            6 if self.options.atomics => self.atomic(),
            7 => {
                let s = self.number();
                let e = self.recent(s);
                self.store(e);
            }
            8 if self.options.vectors && self.rng.one_in(2) => self.vectors(),
            8 | 9 => self.load(),
            10 | 11 => self.convert(),
            12 | 13 => {
                let uniform = self.rng.one_in(3);
                self.condition(uniform);
            }
            14 => self.boolean(),
            _ => self.arithmetic(),
        }
    }

    fn allowed(&self, kind: &OpKind, from: Scalar, to: Scalar) -> bool {
        (self.options.allow)(kind, from, to)
    }

    fn arithmetic(&mut self) {
        use OpKind::*;
        let s = self.number();
        let ints: &[OpKind] = &[
            Add,
            Sub,
            Mul,
            Div,
            Rem,
            Neg,
            And,
            Or,
            Xor,
            Not,
            Shl,
            Shr,
            Min,
            Max,
            Abs,
            CountOnes,
            LeadingZeros,
            TrailingZeros,
            ReverseBits,
            Select,
        ];
        let floats: &[OpKind] = &[
            Add, Sub, Mul, Div, Rem, Neg, Min, Max, Abs, MulAdd, Sqrt, Floor, Ceil, Trunc, RoundEven, Select, Add, Mul,
        ];
        let list = if s.is_float() { floats } else { ints };
        let kind = list[self.rng.below(list.len())].clone();
        let result = match kind {
            CountOnes | LeadingZeros | TrailingZeros => Scalar::U32,
            _ => s,
        };
        if !self.allowed(&kind, s, result) {
            return;
        }
        let a = self.operand(s);
        let args = match kind {
            Shl | Shr => vec![a, self.operand(Scalar::U32)],
            Select => vec![self.operand(Scalar::Bool), a, self.operand(s)],
            MulAdd => vec![a, self.operand(s), self.operand(s)],
            _ if kind.row().arity == crate::op::Arity::Exactly(1) => vec![a],
            _ => vec![a, self.operand(s)],
        };
        self.emit(kind, &args, result);
    }

    fn boolean(&mut self) {
        let kind = [OpKind::And, OpKind::Or, OpKind::Xor, OpKind::Not, OpKind::Select][self.rng.below(5)].clone();
        if !self.allowed(&kind, Scalar::Bool, Scalar::Bool) {
            return;
        }
        let n = match kind {
            OpKind::Not => 1,
            OpKind::Select => 3,
            _ => 2,
        };
        let args: Vec<Entry> = (0..n).map(|_| self.operand(Scalar::Bool)).collect();
        self.emit(kind, &args, Scalar::Bool);
    }

    fn convert(&mut self) {
        let (from, to) = (self.number(), self.number());
        if self.rng.one_in(3) && from.bits() == to.bits() && from != to {
            if !self.allowed(&OpKind::Bitcast, from, to) {
                return;
            }
            let x = self.operand(from);
            let x = self.without_nan(x);
            let y = self.emit(OpKind::Bitcast, &[x], to);
            if to.is_float() {
                self.pool.pop(); // its bits may be a signalling NaN
                self.without_nan(y);
            }
            return;
        }
        let from = if self.rng.one_in(6) && !to.is_float() {
            Scalar::Bool
        } else {
            from
        };
        if from != to && self.allowed(&OpKind::Cast, from, to) {
            let x = self.operand(from);
            self.emit(OpKind::Cast, &[x], to);
        }
    }

    /// A float with NaN replaced by a number; other types as they are.
    fn without_nan(&mut self, x: Entry) -> Entry {
        if !x.s.is_float() {
            return x;
        }
        let is_number = self.emit(OpKind::Cmp { pred: Pred::Eq }, &[x, x], Scalar::Bool);
        let v = self.b.constant(x.s, 0);
        let zero = self.push(v, x.s, true);
        self.emit(OpKind::Select, &[is_number, x, zero], x.s)
    }

    fn load(&mut self) {
        let (s, buf) = self.inputs[self.rng.below(self.inputs.len())];
        let mut index = self.operand(Scalar::U32);
        if !self.rng.one_in(4) {
            let v = self.b.u32(127);
            let low = self.push(v, Scalar::U32, true);
            index = self.emit(OpKind::And, &[index, low], Scalar::U32); // past the end now and then
        }
        let v = self.b.op1_as(OpKind::Load, &[buf, index.v], Ty::Scalar(s));
        self.left -= 1;
        self.push(v, s, index.uniform);
    }

    /// Writes a value to this work-item's next place in the output of its type.
    fn store(&mut self, e: Entry) {
        let Some(at) = self.outputs.iter().position(|o| o.0 == e.s) else {
            return;
        };
        let slot = self.b.u32(self.slots[at]);
        self.slots[at] += 1;
        let first = self.b.op1(OpKind::Mul, &[slot, self.total]);
        let index = self.b.op1(OpKind::Add, &[first, self.own]);
        self.b.op0(OpKind::Store, &[self.outputs[at].1, index, e.v]);
        self.left -= 1;
    }

    /// Loads a vector, changes an element and stores another vector.
    fn vectors(&mut self) {
        let (s, buf) = self.inputs[self.rng.below(self.inputs.len())];
        let n = self.rng.pick(&[2, 4, 8]);
        if s.bytes() * n > 16 {
            return;
        }
        let ty = Ty::Vec(s, n);
        let index = self.operand(Scalar::U32);
        let low = self.b.u32(127);
        let at = self.b.op1(OpKind::And, &[index.v, low]);
        let v = self.b.op1_as(OpKind::Load, &[buf, at], ty);
        let mut elems: Vec<Value> = (0..n).map(|index| self.b.op1(OpKind::VecGet { index }, &[v])).collect();
        for &e in &elems {
            self.push(e, s, false);
        }
        elems[self.rng.below(n as usize)] = self.operand(s).v;
        let v = self.b.op1_as(OpKind::VecBuild, &elems, ty);
        let Some(out) = self.outputs.iter().position(|o| o.0 == s) else {
            return;
        };
        let slot = self.b.u32(self.slots[out]);
        self.slots[out] += n;
        let width = self.b.u32(n);
        let first = self.b.op1(OpKind::Mul, &[slot, self.total]);
        let own = self.b.op1(OpKind::Mul, &[self.own, width]);
        let at = self.b.op1(OpKind::Add, &[first, own]);
        self.b.op0(OpKind::Store, &[self.outputs[out].1, at, v]);
        self.left -= 3;
    }

    fn atomic(&mut self) {
        let op = self
            .rng
            .pick(&[Rmw::Add, Rmw::Min, Rmw::Max, Rmw::And, Rmw::Or, Rmw::Xor]);
        // One kind of operation per counter: those of different kinds do not commute.
        let counter = self.b.u32(op as u32);
        let x = self.operand(Scalar::U32);
        self.b.op1(
            OpKind::Atomic {
                op,
                scope: Scope::Device,
            },
            &[self.counters, counter, x.v],
        );
        self.left -= 1;
    }

    fn collective(&mut self) {
        if self.rng.one_in(8) {
            return self.permutation();
        }
        let s = self.number();
        let how = if s.is_float() {
            self.rng.pick(&[Rmw::Add, Rmw::Min, Rmw::Max])
        } else {
            self.rng
                .pick(&[Rmw::Add, Rmw::Min, Rmw::Max, Rmw::And, Rmw::Or, Rmw::Xor])
        };
        let mask = self.rng.below(32) as u32;
        let kind = match self.rng.below(6) {
            0 => OpKind::WaveReduce { op: how },
            1 => OpKind::WaveScan { op: how },
            2 => OpKind::WaveShuffle,
            3 => OpKind::WaveShuffleXor { mask },
            4 => OpKind::WaveBroadcast,
            _ => OpKind::WaveBallot,
        };
        if !self.allowed(&kind, s, s) {
            return;
        }
        let (args, result) = match kind {
            OpKind::WaveShuffle => (vec![self.operand(s), self.operand(Scalar::U32)], s),
            OpKind::WaveBroadcast => (vec![self.operand(s), self.constant(Scalar::U32)], s),
            OpKind::WaveBallot => (vec![self.operand(Scalar::Bool)], Scalar::U32),
            _ => (vec![self.operand(s)], s),
        };
        let e = self.emit(kind, &args, result);
        // Not taken for uniform, whatever it is.
        if let Some(last) = self.pool.last_mut() {
            last.uniform = false;
        }
        debug_assert!(e.s == result);
    }

    /// Bytes of a lane's own dword and of another's, some picks different from lane to lane.
    fn permutation(&mut self) {
        let mask = self.rng.below(16) as u32;
        let bytes: u32 = (0..4).map(|i| (self.rng.below(8) as u32) << (8 * i)).sum();
        let (x, by) = (self.operand(Scalar::U32), self.operand(Scalar::U32));
        let (pick, small) = (self.b.u32(bytes), self.b.u32(0x0707_0707));
        let pick = self.b.op1(OpKind::Xor, &[by.v, pick]);
        let pick = self.b.op1(OpKind::And, &[pick, small]);
        let v = self.b.op1(OpKind::WavePerm { mask }, &[x.v, pick]);
        self.left -= 3;
        self.push(v, Scalar::U32, false);
    }

    /// Each work-item writes its place in LDS and reads another's.
    fn exchange(&mut self) {
        let x = self.operand(Scalar::U32);
        let other = self.operand(Scalar::U32);
        let (lds, group) = (self.lds, self.b.func().group);
        self.b.op0(OpKind::Barrier, &[]); // readers of the last exchange are done
        let local = self.b.op1(OpKind::LocalId, &[]);
        let four = self.b.u32(4);
        let at = self.b.op1(OpKind::Mul, &[local, four]);
        self.b.op0(OpKind::LdsStore { lds, base: 0, slot: 0 }, &[at, x.v]);
        self.b.op0(OpKind::Barrier, &[]);
        let n = self.b.u32(group);
        let other = self.b.op1(OpKind::Rem, &[other.v, n]);
        let at = self.b.op1(OpKind::Mul, &[other, four]);
        let v = self.b.op1_as(OpKind::LdsLoad { lds, base: 0, slot: 0 }, &[at], Ty::U32);
        self.left -= 4;
        self.push(v, Scalar::U32, false);
    }

    /// Up to three types of values to hand on.
    fn some_types(&mut self) -> Vec<Scalar> {
        let n = self.rng.below(4);
        (0..n)
            .map(|_| {
                if self.rng.one_in(5) {
                    Scalar::Bool
                } else {
                    self.number()
                }
            })
            .collect()
    }

    fn values(&mut self, types: &[Scalar]) -> Vec<Entry> {
        types.iter().map(|&s| self.recent(s)).collect()
    }

    fn if_(&mut self, depth: u32, uniform: bool) {
        let flat = uniform && self.rng.one_in(2);
        let cond = self.condition(flat);
        let types = self.some_types();
        let mut regions = Vec::new();
        let mut same = cond.uniform;
        for _ in 0..2 {
            let outer = self.pool.len();
            self.b.begin_region(&[]);
            self.block(depth + 1, uniform && cond.uniform);
            let yields = self.values(&types);
            same &= yields.iter().all(|e| e.uniform);
            let values: Vec<Value> = yields.iter().map(|e| e.v).collect();
            regions.push(self.b.end_region(OpKind::Yield, &values));
            self.pool.truncate(outer);
        }
        let tys: Vec<Ty> = types.iter().map(|&s| Ty::Scalar(s)).collect();
        let results = self.b.emit(OpKind::If, &[cond.v], &tys, regions);
        for (v, s) in results.into_iter().zip(types) {
            self.push(v, s, same);
        }
    }

    /// A loop of at most nine rounds.
    fn for_(&mut self, depth: u32, uniform: bool) {
        let i32s = self.types.contains(&Scalar::I32) && self.rng.one_in(3);
        let s = if i32s { Scalar::I32 } else { Scalar::U32 };
        let lo = self.b.constant(s, self.rng.below(3) as u64);
        let (hi, same) = if self.rng.one_in(2) {
            (self.b.constant(s, self.rng.below(9) as u64), true)
        } else {
            let x = self.operand(s);
            let v = self.b.constant(s, 7);
            let low = self.push(v, s, true);
            let e = self.emit(OpKind::And, &[x, low], s);
            (e.v, e.uniform)
        };
        let step = self.b.constant(s, 1 + self.rng.below(3) as u64);
        let unroll = same
            && self
                .b
                .func()
                .ops
                .iter()
                .rev()
                .take(3)
                .all(|op| matches!(op.kind, OpKind::Const { .. }));
        let hints = LoopHints {
            unroll: unroll && self.rng.one_in(2),
            stages: 0,
            turns: false,
        };
        let types = self.some_types();
        let init = self.values(&types);
        let tys: Vec<Ty> = types.iter().map(|&s| Ty::Scalar(s)).collect();
        let mut arg_tys = vec![Ty::Scalar(s)];
        arg_tys.extend(&tys);
        let outer = self.pool.len();
        let args = self.b.begin_region(&arg_tys);
        self.push(args[0], s, same);
        for (&v, &s) in args[1..].iter().zip(&types) {
            self.push(v, s, false);
        }
        self.block(depth + 1, uniform && same);
        let next: Vec<Value> = self.values(&types).iter().map(|e| e.v).collect();
        let region = self.b.end_region(OpKind::Yield, &next);
        self.pool.truncate(outer);
        let mut operands = vec![lo, hi, step];
        operands.extend(init.iter().map(|e| e.v));
        let results = self.b.emit(OpKind::For { hints }, &operands, &tys, vec![region]);
        for (v, s) in results.into_iter().zip(types) {
            self.push(v, s, false);
        }
    }

    /// A loop of at most five rounds that may end sooner in some lanes.
    fn while_(&mut self, depth: u32) {
        let types = self.some_types();
        let init = self.values(&types);
        let zero = self.b.u32(0);
        let mut operands = vec![zero];
        operands.extend(init.iter().map(|e| e.v));
        let mut tys = vec![Ty::U32];
        tys.extend(types.iter().map(|&s| Ty::Scalar(s)));
        let outer = self.pool.len();
        let enter = |g: &mut Self| {
            let args = g.b.begin_region(&tys);
            for (&v, ty) in args.iter().zip(&tys) {
                g.push(v, ty.elem(), false);
            }
            args
        };
        let args = enter(self);
        self.block(depth + 2, false);
        let most = self.b.u32(self.rng.below(6) as u32);
        let below = self.b.op1(OpKind::Cmp { pred: Pred::Lt }, &[args[0], most]);
        let wish = self.operand(Scalar::Bool);
        let wish = if self.rng.one_in(3) { below } else { wish.v };
        let go = self.b.op1(OpKind::And, &[below, wish]);
        let mut passed = vec![go, args[0]];
        passed.extend(self.values(&types).iter().map(|e| e.v));
        let before = self.b.end_region(OpKind::Condition, &passed);
        self.pool.truncate(outer);
        let args = enter(self);
        self.block(depth + 1, false);
        let one = self.b.u32(1);
        let mut next = vec![self.b.op1(OpKind::Add, &[args[0], one])];
        next.extend(self.values(&types).iter().map(|e| e.v));
        let after = self.b.end_region(OpKind::Yield, &next);
        self.pool.truncate(outer);
        let results = self.b.emit(OpKind::While, &operands, &tys, vec![before, after]);
        for (v, ty) in results.into_iter().zip(tys) {
            self.push(v, ty.elem(), false);
        }
    }
}
