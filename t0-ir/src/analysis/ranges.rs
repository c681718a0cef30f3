//! Between which two numbers an integer lies: an interval for each value, from its definition and from the conditions that must
//! be true where it is defined or used.
//!
//! Method: one walk in the order of the program. An operation's interval follows from its operands' (interval arithmetic; what may
//! wrap may be anything). Inside of an `if`, a loop or behind a check, the condition narrows the intervals of what it
//! compares until the region ends; what is defined there keeps what followed. A loop's index is below its end. What a
//! loop carries may be anything its type holds, but for what the condition of a `while` says: no iteration is needed.

use crate::eval::Const;
use crate::func::{Func, Op, OpId, Region, Value};
use crate::op::{OpKind, Pred, Rmw};
use crate::ty::{Scalar, Ty};

use super::uniform::terminator;

/// The numbers from `lo` to `hi`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The smallest.
    pub lo: i128,
    /// The largest.
    pub hi: i128,
}

impl Interval {
    /// One number.
    pub fn one(n: i128) -> Interval {
        Interval { lo: n, hi: n }
    }

    /// The numbers from `lo` to `hi`.
    pub fn new(lo: i128, hi: i128) -> Interval {
        Interval { lo, hi }
    }

    /// All numbers of a type; `bool`s are 0 and 1.
    pub fn full(ty: Scalar) -> Interval {
        let bits = ty.bits();
        match ty.is_signed() {
            true => Interval::new(-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            false => Interval::new(0, (1 << bits) - 1),
        }
    }

    /// The number, if it is only one.
    pub fn single(self) -> Option<i128> {
        (self.lo == self.hi).then_some(self.lo)
    }

    fn hull(self, other: Interval) -> Interval {
        Interval::new(self.lo.min(other.lo), self.hi.max(other.hi))
    }

    /// The numbers in both; `None`: there are none.
    fn meet(self, other: Interval) -> Option<Interval> {
        let both = Interval::new(self.lo.max(other.lo), self.hi.min(other.hi));
        (both.lo <= both.hi).then_some(both)
    }

    fn within(self, other: Interval) -> bool {
        other.lo <= self.lo && self.hi <= other.hi
    }
}

/// Deepest nesting of `and`, `or` and `not` that is looked through in a condition.
const DEPTH: u32 = 8;

/// Intervals of the values of a function, at the current place of the walk, or where they are defined when it is over.
#[derive(Clone, Debug)]
pub struct Ranges {
    values: Vec<Interval>,
    defs: Vec<Option<OpId>>,
    /// Intervals before they were narrowed, to go back to.
    undo: Vec<(Value, Interval)>,
    group: i128,
    waves: i128,
}

impl Ranges {
    /// The interval of each value where it is defined.
    pub fn of(func: &Func) -> Ranges {
        Ranges::walk(func, &mut |_, _| {})
    }

    /// Calls `visit` after each operation, nested ones first, with the intervals that hold there.
    pub fn walk(func: &Func, visit: &mut dyn FnMut(&Ranges, OpId)) -> Ranges {
        let mut r = Ranges {
            values: func.values.iter().map(|v| full(v.ty)).collect(),
            defs: vec![None; func.values.len()],
            undo: Vec::new(),
            group: i128::from(func.group.max(1)),
            waves: i128::from(func.waves().max(1)),
        };
        r.operations(func, &func.body, visit);
        r.back_to(0);
        r
    }

    /// The interval of an integer or `bool`.
    pub fn get(&self, v: Value) -> Interval {
        self.values[v.0 as usize]
    }

    fn set(&mut self, v: Value, range: Interval) {
        self.values[v.0 as usize] = range;
    }

    fn operations(&mut self, func: &Func, region: &Region, visit: &mut dyn FnMut(&Ranges, OpId)) {
        for &id in &region.ops {
            let op = func.op(id);
            for &v in &op.results {
                self.defs[v.0 as usize] = Some(id);
            }
            match op.kind {
                OpKind::If => self.if_(func, op, visit),
                OpKind::For { .. } => self.for_(func, op, visit),
                OpKind::While => self.while_(func, op, visit),
                OpKind::Check { .. } => self.assume(func, op.args[0], true, DEPTH),
                _ => {
                    if let [v] = op.results[..] {
                        let own = self.of_op(func, op, v);
                        self.set(v, own);
                    }
                }
            }
            visit(self, id);
        }
    }

    // ---- control ---------------------------------------------------------------------------------------------------

    fn if_(&mut self, func: &Func, op: &Op, visit: &mut dyn FnMut(&Ranges, OpId)) {
        let mut out: Vec<Option<Interval>> = vec![None; op.results.len()];
        for (region, truth) in op.regions.iter().zip([true, false]) {
            let mark = self.undo.len();
            self.assume(func, op.args[0], truth, DEPTH);
            self.operations(func, region, visit);
            for (o, &v) in out.iter_mut().zip(terminator(func, region)) {
                let range = self.get(v);
                *o = Some(o.map_or(range, |o| o.hull(range)));
            }
            self.back_to(mark);
        }
        for (&v, range) in op.results.iter().zip(out) {
            self.set(v, range.unwrap_or_else(|| full(func.ty(v))));
        }
    }

    fn for_(&mut self, func: &Func, op: &Op, visit: &mut dyn FnMut(&Ranges, OpId)) {
        let region = &op.regions[0];
        let (first, end) = (self.get(op.args[0]), self.get(op.args[1]));
        if first.lo < end.hi {
            self.set(region.args[0], Interval::new(first.lo, end.hi - 1));
        }
        let mark = self.undo.len();
        self.operations(func, region, visit);
        for (i, &v) in op.results.iter().enumerate() {
            let next = self.get(terminator(func, region)[i]);
            self.set(v, next.hull(self.get(op.args[i + 3])));
        }
        self.back_to(mark);
    }

    fn while_(&mut self, func: &Func, op: &Op, visit: &mut dyn FnMut(&Ranges, OpId)) {
        let mark = self.undo.len();
        self.operations(func, &op.regions[0], visit);
        let passed = terminator(func, &op.regions[0]);
        for (to, truth) in [(&op.regions[1].args, true), (&op.results, false)] {
            let mark = self.undo.len();
            self.assume(func, passed[0], truth, DEPTH);
            for (&to, &from) in to.iter().zip(&passed[1..]) {
                self.set(to, self.get(from));
            }
            self.back_to(mark);
        }
        self.back_to(mark);
        self.assume(func, passed[0], true, DEPTH);
        self.operations(func, &op.regions[1], visit);
        self.back_to(mark);
    }

    // ---- conditions ------------------------------------------------------------------------------------------------

    fn back_to(&mut self, mark: usize) {
        while self.undo.len() > mark {
            if let Some((v, range)) = self.undo.pop() {
                self.set(v, range);
            }
        }
    }

    /// Narrows an interval from here on. Nothing is done where no number is left: no lane gets there.
    fn narrow(&mut self, v: Value, to: Interval) {
        let old = self.get(v);
        if let Some(new) = old.meet(to).filter(|&new| new != old) {
            self.undo.push((v, old));
            self.set(v, new);
        }
    }

    /// Notes what follows from a condition's being true or false.
    fn assume(&mut self, func: &Func, cond: Value, truth: bool, depth: u32) {
        self.narrow(cond, Interval::one(truth.into()));
        let (Some(id), true) = (self.defs[cond.0 as usize], depth > 0) else {
            return;
        };
        let op = func.op(id);
        match (&op.kind, truth) {
            (OpKind::And, true) | (OpKind::Or, false) => {
                self.assume(func, op.args[0], truth, depth - 1);
                self.assume(func, op.args[1], truth, depth - 1);
            }
            (OpKind::Not, _) => self.assume(func, op.args[0], !truth, depth - 1),
            (OpKind::Cmp { pred }, _) if is_int(func.ty(op.args[0])) => {
                let pred = if truth { *pred } else { pred.negated() };
                self.compared(op.args[0], pred, op.args[1]);
                self.compared(op.args[1], pred.swapped(), op.args[0]);
            }
            _ => {}
        }
    }

    /// Narrows `a`, which compares so with `b`.
    fn compared(&mut self, a: Value, pred: Pred, b: Value) {
        let (x, y) = (self.get(a), self.get(b));
        let to = match pred {
            Pred::Eq => y,
            Pred::Ne if y.single() == Some(x.lo) => Interval::new(x.lo + 1, x.hi),
            Pred::Ne if y.single() == Some(x.hi) => Interval::new(x.lo, x.hi - 1),
            Pred::Ne => x,
            Pred::Lt => Interval::new(x.lo, y.hi - 1),
            Pred::Le => Interval::new(x.lo, y.hi),
            Pred::Gt => Interval::new(y.lo + 1, x.hi),
            Pred::Ge => Interval::new(y.lo, x.hi),
        };
        self.narrow(a, to);
    }

    // ---- operations ------------------------------------------------------------------------------------------------

    fn of_op(&self, func: &Func, op: &Op, result: Value) -> Interval {
        let all = full(func.ty(result));
        let Some(ty) = func.ty(result).scalar().filter(|t| !t.is_float()) else {
            return all;
        };
        let arg = |i: usize| self.get(op.args[i]);
        let exact = match op.kind {
            OpKind::Const { ty, bits } => Some(Interval::one(Const::new(ty, bits).int())),
            OpKind::LaneId => Some(Interval::new(0, 31)),
            OpKind::WaveId => Some(Interval::new(0, self.waves - 1)),
            OpKind::LocalId => Some(Interval::new(0, self.group - 1)),
            // A launch has less than 2^32 work-items along an axis.
            OpKind::GroupId { axis: 0 } => Some(Interval::new(0, all.hi / self.group)),
            OpKind::Cmp { pred } if is_int(func.ty(op.args[0])) => compare(pred, arg(0), arg(1)),
            OpKind::Select => match arg(0).single() {
                Some(c) => Some(if c != 0 { arg(1) } else { arg(2) }),
                None => Some(arg(1).hull(arg(2))),
            },
            OpKind::Cast | OpKind::Bitcast if is_int(func.ty(op.args[0])) => Some(arg(0)),
            OpKind::CountOnes | OpKind::LeadingZeros | OpKind::TrailingZeros => {
                Some(Interval::new(0, func.ty(op.args[0]).elem().bits().into()))
            }
            OpKind::WaveShuffle
            | OpKind::WaveShuffleXor { .. }
            | OpKind::WaveBroadcast
            | OpKind::WaveReduce {
                op: Rmw::Min | Rmw::Max,
            } => Some(arg(0)),
            OpKind::Not | OpKind::Abs | OpKind::Neg => unary(&op.kind, ty, arg(0)),
            _ if op.args.len() == 2 && op.args.iter().all(|&a| is_int(func.ty(a))) => {
                binary(&op.kind, ty, arg(0), arg(1))
            }
            _ => None,
        };
        exact.filter(|r| r.within(all)).unwrap_or(all)
    }
}

fn is_int(ty: Ty) -> bool {
    ty.scalar().is_some_and(|s| !s.is_float())
}

fn full(ty: Ty) -> Interval {
    match ty.scalar() {
        Some(s) if !s.is_float() => Interval::full(s),
        _ => Interval::new(i128::MIN, i128::MAX),
    }
}

/// The interval of a comparison of integers: one number where it is decided.
fn compare(pred: Pred, a: Interval, b: Interval) -> Option<Interval> {
    let (yes, no) = match pred {
        Pred::Lt => (a.hi < b.lo, a.lo >= b.hi),
        Pred::Le => (a.hi <= b.lo, a.lo > b.hi),
        Pred::Gt => (a.lo > b.hi, a.hi <= b.lo),
        Pred::Ge => (a.lo >= b.hi, a.hi < b.lo),
        Pred::Eq => (a.single().is_some() && a == b, a.meet(b).is_none()),
        Pred::Ne => (a.meet(b).is_none(), a.single().is_some() && a == b),
    };
    (yes || no).then(|| Interval::one(yes.into()))
}

fn unary(kind: &OpKind, ty: Scalar, a: Interval) -> Option<Interval> {
    let all = Interval::full(ty);
    match kind {
        OpKind::Not => {
            let turn = all.lo + all.hi;
            Some(Interval::new(turn - a.hi, turn - a.lo))
        }
        OpKind::Neg if ty.is_signed() => Some(Interval::new(-a.hi, -a.lo)),
        OpKind::Abs if a.lo >= 0 => Some(a),
        OpKind::Abs => Some(Interval::new(0, a.hi.max(-a.lo))),
        _ => None,
    }
}

/// The least number of the form 2^n - 1 that is no less than `n`.
fn ones(n: i128) -> i128 {
    match n {
        0 => 0,
        _ => i128::MAX >> (n.leading_zeros() - 1),
    }
}

/// The exact result of arithmetic, which may be outside of the type; `None`: nothing is known.
fn binary(kind: &OpKind, ty: Scalar, a: Interval, b: Interval) -> Option<Interval> {
    let nonnegative = a.lo >= 0 && b.lo >= 0;
    match kind {
        OpKind::Add => Some(Interval::new(a.lo + b.lo, a.hi + b.hi)),
        OpKind::Sub => Some(Interval::new(a.lo - b.hi, a.hi - b.lo)),
        OpKind::Min => Some(Interval::new(a.lo.min(b.lo), a.hi.min(b.hi))),
        OpKind::Max => Some(Interval::new(a.lo.max(b.lo), a.hi.max(b.hi))),
        // Two 64-bit numbers may have a product that an `i128` does not hold.
        OpKind::Mul if nonnegative => Some(Interval::new(a.lo.checked_mul(b.lo)?, a.hi.checked_mul(b.hi)?)),
        OpKind::Div if nonnegative && b.lo > 0 => Some(Interval::new(a.lo / b.hi, a.hi / b.lo)),
        OpKind::Rem if nonnegative && a.hi < b.lo => Some(a),
        OpKind::Rem if nonnegative && b.lo > 0 => Some(Interval::new(0, a.hi.min(b.hi - 1))),
        OpKind::Rem if nonnegative => Some(Interval::new(0, a.hi)), // `x % 0` is `x`
        OpKind::And if ty == Scalar::Bool => Some(Interval::new(a.lo & b.lo, a.hi & b.hi)),
        OpKind::And if nonnegative => Some(Interval::new(0, a.hi.min(b.hi))),
        OpKind::And if a.lo >= 0 => Some(Interval::new(0, a.hi)),
        OpKind::And if b.lo >= 0 => Some(Interval::new(0, b.hi)),
        OpKind::Or if nonnegative => Some(Interval::new(a.lo.max(b.lo), ones(a.hi.max(b.hi)))),
        OpKind::Xor if nonnegative => Some(Interval::new(0, ones(a.hi.max(b.hi)))),
        OpKind::Shl | OpKind::Shr if nonnegative && b.hi < i128::from(ty.bits()) => Some(match kind {
            OpKind::Shl => Interval::new(a.lo << b.lo, a.hi << b.hi),
            _ => Interval::new(a.lo >> b.hi, a.hi >> b.lo),
        }),
        _ => None,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::build::Builder;
    use crate::eval::eval;
    use crate::op::LoopHints;

    const KINDS: [OpKind; 12] = {
        use OpKind::{Add, And, Div, Max, Min, Mul, Or, Rem, Shl, Shr, Sub, Xor};
        [Add, Sub, Mul, Div, Rem, Min, Max, And, Or, Xor, Shl, Shr]
    };
    const PREDS: [Pred; 6] = [Pred::Eq, Pred::Ne, Pred::Lt, Pred::Le, Pred::Gt, Pred::Ge];

    /// Intervals of 8-bit numbers about zero, the ends and powers of two.
    fn intervals(ty: Scalar) -> Vec<Interval> {
        let ends: Vec<i128> = [-128, -127, -9, -1, 0, 1, 3, 7, 8, 31, 126, 127, 128, 254, 255]
            .into_iter()
            .filter(|&n| Interval::one(n).within(Interval::full(ty)))
            .collect();
        let pairs = ends.iter().flat_map(|&lo| ends.iter().map(move |&hi| (lo, hi)));
        pairs.filter(|p| p.0 <= p.1).map(|p| Interval::new(p.0, p.1)).collect()
    }

    /// The ends of an interval and what is next to them.
    fn members(r: Interval) -> impl Iterator<Item = i128> {
        let mut all = vec![r.lo, r.hi, r.lo + 1, r.hi - 1, (r.lo + r.hi) / 2, 0, 5];
        all.retain(|&n| Interval::one(n).within(r));
        all.into_iter()
    }

    #[test]
    fn what_operations_compute_lies_in_their_interval() {
        for ty in [Scalar::U8, Scalar::I8] {
            let all = Interval::full(ty);
            let number = |n: i128| Const::new(ty, n as u64);
            for a in intervals(ty) {
                for kind in [OpKind::Not, OpKind::Neg, OpKind::Abs] {
                    let r = unary(&kind, ty, a).filter(|r| r.within(all)).unwrap_or(all);
                    for x in members(a) {
                        let n = eval(&kind, &[number(x)], Ty::Scalar(ty)).unwrap().int();
                        assert!(Interval::one(n).within(r), "{kind:?} {x} of {a:?}: {n} in {r:?}");
                    }
                }
                for b in intervals(ty) {
                    for kind in &KINDS {
                        let r = binary(kind, ty, a, b).filter(|r| r.within(all)).unwrap_or(all);
                        for (x, y) in members(a).flat_map(|x| members(b).map(move |y| (x, y))) {
                            let shift = matches!(kind, OpKind::Shl | OpKind::Shr);
                            let by = if shift { Const::u32(y as u32) } else { number(y) };
                            if shift && y < 0 {
                                continue; // a count is a `u32`
                            }
                            let n = eval(kind, &[number(x), by], Ty::Scalar(ty)).unwrap().int();
                            assert!(
                                Interval::one(n).within(r),
                                "{kind:?} {x} {y} of {a:?} {b:?}: {n} in {r:?}"
                            );
                        }
                    }
                    for pred in PREDS {
                        let Some(r) = compare(pred, a, b) else { continue };
                        for (x, y) in members(a).flat_map(|x| members(b).map(move |y| (x, y))) {
                            let c = eval(&OpKind::Cmp { pred }, &[number(x), number(y)], Ty::BOOL).unwrap();
                            assert_eq!(r.single(), Some(c.int()), "{pred:?} {x} {y} of {a:?} {b:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn the_widest_numbers() {
        for ty in [Scalar::U64, Scalar::I64] {
            let all = Interval::full(ty);
            for kind in &KINDS {
                let limits = [all.lo, all.hi].map(Interval::one);
                for (a, b) in limits.into_iter().flat_map(|a| limits.map(|b| (a, b))) {
                    let by = Const::u32(b.lo as u32);
                    let shift = matches!(kind, OpKind::Shl | OpKind::Shr);
                    let number = |n: Interval| Const::new(ty, n.lo as u64);
                    let n = eval(kind, &[number(a), if shift { by } else { number(b) }], Ty::Scalar(ty)).unwrap();
                    let b = if shift { Interval::one(by.int()) } else { b };
                    let r = binary(kind, ty, a, b).filter(|r| r.within(all)).unwrap_or(all);
                    assert!(
                        Interval::one(n.int()).within(r),
                        "{kind:?} of {a:?} {b:?}: {n:?} in {r:?}"
                    );
                }
            }
        }
    }

    /// What a condition leaves of an interval holds all numbers for which it is true.
    #[test]
    fn conditions_narrow_to_what_they_let_through() {
        let mut f = Func::new("t", 32, Vec::new());
        let (a, b) = (f.new_value(Ty::U32, None), f.new_value(Ty::U32, None));
        for (x, y) in intervals(Scalar::U8)
            .into_iter()
            .flat_map(|x| intervals(Scalar::U8).into_iter().map(move |y| (x, y)))
        {
            for pred in PREDS {
                let mut r = Ranges::of(&f);
                (r.values[0], r.values[1]) = (x, y);
                r.compared(a, pred, b);
                for (m, n) in members(x).flat_map(|m| members(y).map(move |n| (m, n))) {
                    let c = eval(
                        &OpKind::Cmp { pred },
                        &[Const::u32(m as u32), Const::u32(n as u32)],
                        Ty::BOOL,
                    );
                    if c.unwrap().bits != 0 {
                        assert!(
                            Interval::one(m).within(r.get(a)),
                            "{m} {pred:?} {n} of {x:?} {y:?}: {:?}",
                            r.get(a)
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn conditions_hold_until_the_end_of_their_region() {
        let mut b = Builder::new(Func::new("t", 64, Vec::new()));
        let x = b.op1(OpKind::GroupId { axis: 1 }, &[]);
        let (zero, one, ten) = (b.u32(0), b.u32(1), b.u32(10));
        let small = b.op1(OpKind::Cmp { pred: Pred::Lt }, &[x, ten]);
        let (mut inside, mut other, mut round) = (x, x, x);
        let met = b.if_(
            small,
            &[Ty::U32],
            |b| {
                inside = b.op1(OpKind::Add, &[x, one]);
                vec![inside]
            },
            |b| {
                other = b.op1(OpKind::Min, &[x, ten]);
                vec![other]
            },
        );
        let after = b.op1(OpKind::Add, &[x, zero]);
        b.for_([one, ten, one], LoopHints::default(), &[], |b, i, _| {
            round = b.op1(OpKind::Mul, &[i, ten]);
            vec![]
        });
        let counted = b.while_(
            &[zero],
            |b, c| {
                let more = b.op1(OpKind::Cmp { pred: Pred::Lt }, &[c[0], ten]);
                (more, c.to_vec())
            },
            |b, c| vec![b.op1(OpKind::Add, &[c[0], one])],
        );
        let f = b.finish();
        let r = Ranges::of(&f);
        let any = Interval::full(Scalar::U32);
        assert_eq!(r.get(inside), Interval::new(1, 10));
        assert_eq!(r.get(other), Interval::one(10));
        assert_eq!(r.get(met[0]), Interval::new(1, 10));
        assert_eq!(r.get(after), any);
        assert_eq!(r.get(round), Interval::new(10, 90));
        assert_eq!(r.get(counted[0]), Interval::new(10, any.hi));
    }
}
