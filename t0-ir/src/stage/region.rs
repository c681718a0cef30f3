//! Merging locals where control flow meets, and carrying them round loops.

use std::collections::HashMap;

use crate::func::{Region, Value};
use crate::op::OpKind;
use crate::stage::{Slot, Stage, Val};
use crate::ty::{Role, Scalar, Ty};

/// What two regions of an `if` yield, leaf by leaf.
#[derive(Debug, Default)]
pub(crate) struct Merge {
    pub(crate) then: Vec<Value>,
    pub(crate) otherwise: Vec<Value>,
}

/// Locals as they were before a loop, and the loop's region arguments that stand for their leaves.
#[derive(Debug)]
pub(crate) struct Carry {
    before: Vec<Slot>,
    init: Vec<Value>,
}

impl Carry {
    /// Number of locals.
    pub(crate) fn len(&self) -> usize {
        self.before.len()
    }
}

impl Stage {
    /// Merges two values. Leaves that are equal stay; others become results of the `if`, numbered from `merge.then.len()`
    /// and named by [`Value`]s that [`Stage::resolve_merge`] replaces. `first`: the first value built inside the `if`.
    pub(crate) fn merge(&mut self, cond: Value, a: &Val, b: &Val, first: u32, merge: &mut Merge) -> Val {
        let (shape, a, b) = match (a, b) {
            (Val::Poison, _) | (_, Val::Poison) => return Val::Poison,
            (Val::Never | Val::Uninit, Val::Never | Val::Uninit) => {
                return if *a == Val::Never { b.clone() } else { a.clone() }
            }
            (Val::Never | Val::Uninit, b) => (b, None, Some(b.leaves())),
            (a, Val::Never | Val::Uninit) => (a, Some(a.leaves()), None),
            (a, b) if a.same_shape(b) => (a, Some(a.leaves()), Some(b.leaves())),
            _ => {
                return self.fail(
                    "the two ways through this `if` give values that cannot be one value on the device",
                    "use each of them inside its own branch",
                )
            }
        };
        let n = a.as_ref().or(b.as_ref()).map_or(0, Vec::len);
        let mut out = Vec::with_capacity(n);
        for i in 0..n {
            let leaf = match (a.as_ref().map(|a| a[i]), b.as_ref().map(|b| b[i])) {
                (Some(x), Some(y)) => self.merge_leaf(cond, x, y, first, merge),
                (Some(x), None) | (None, Some(x)) if x.0 < first => Some(x),
                (Some(x), None) => self.filler(x).and_then(|z| self.merge_leaf(cond, x, z, first, merge)),
                (None, Some(y)) => self.filler(y).and_then(|z| self.merge_leaf(cond, z, y, first, merge)),
                (None, None) => None,
            };
            match leaf {
                Some(v) => out.push(v),
                None => return Val::Poison,
            }
        }
        shape.with_leaves(&out)
    }

    fn merge_leaf(&mut self, cond: Value, x: Value, y: Value, first: u32, merge: &mut Merge) -> Option<Value> {
        if x == y {
            return Some(x);
        }
        let scalar = |s: &Stage, v| matches!(s.ty(v), Ty::Scalar(_));
        if scalar(self, x) && scalar(self, y) && !self.unify(x, y) {
            return None;
        }
        if self.ty(x) == Ty::BOOL {
            if let Some(v) = self.merge_flag(cond, x, y, first) {
                return Some(v);
            }
        }
        if let (Some(a), Some(b)) = (self.known_bits(x), self.known_bits(y)) {
            if a == b && !self.is_open(x) {
                return Some(self.constant(self.scalar(x), a));
            }
        }
        merge.then.push(x);
        merge.otherwise.push(y);
        Some(Value(u32::MAX - (merge.then.len() as u32 - 1)))
    }

    /// Flags of early exits are mostly constants: boolean arithmetic instead of results.
    fn merge_flag(&mut self, cond: Value, x: Value, y: Value, first: u32) -> Option<Value> {
        let outside = |v: Value| v.0 < first;
        let not = |s: &mut Stage| s.b.op1(OpKind::Not, &[cond]);
        match (self.known_bits(x), self.known_bits(y)) {
            (Some(1), Some(0)) => Some(cond),
            (Some(0), Some(1)) => Some(not(self)),
            (Some(1), None) if outside(y) => Some(self.b.op1(OpKind::Or, &[cond, y])),
            (Some(0), None) if outside(y) => {
                let c = not(self);
                Some(self.b.op1(OpKind::And, &[c, y]))
            }
            (None, Some(0)) if outside(x) => Some(self.b.op1(OpKind::And, &[cond, x])),
            (None, Some(1)) if outside(x) => {
                let c = not(self);
                Some(self.b.op1(OpKind::Or, &[c, x]))
            }
            _ => None,
        }
    }

    /// Replaces the stand-ins of [`Stage::merge`] by the results of the `if`.
    pub(crate) fn resolve_merge(val: &mut Val, results: &[Value]) {
        val.leaves_mut(&mut |v| {
            let i = (u32::MAX - v.0) as usize;
            if i < results.len() {
                *v = results[i];
            }
        });
    }

    /// Zero of the type of `like`.
    pub(crate) fn filler(&mut self, like: Value) -> Option<Value> {
        match self.ty(like) {
            Ty::Scalar(_) if self.is_open(like) => {
                let float = self.ty(like) == Ty::Scalar(Scalar::F64);
                let zero = if float {
                    self.float("0.0", None)
                } else {
                    self.int(0, None)
                };
                match zero {
                    Val::V(v) => Some(v),
                    _ => None,
                }
            }
            Ty::Scalar(s) => Some(self.constant(s, 0)),
            ty @ Ty::Frag(role, s) => {
                let zero = self.constant(s, 0);
                debug_assert!(matches!(role, Role::Input | Role::Acc));
                Some(self.b.op1_as(OpKind::FragSplat, &[zero], ty))
            }
            _ => {
                self.fail(
                    "a view of memory made on one way through this `if` is used after it",
                    "make the view before the `if`, or use it inside",
                );
                None
            }
        }
    }

    /// Starts a loop: all locals become carried values; those the body leaves alone are taken back by [`Stage::end_carry`].
    pub(crate) fn carry(&mut self) -> Carry {
        let before = self.slots.clone();
        let init = before.iter().flat_map(|s| s.val.leaves()).collect();
        Carry { before, init }
    }

    /// Types of the carried values.
    pub(crate) fn carry_tys(&self, carry: &Carry) -> Vec<Ty> {
        carry.init.iter().map(|&v| self.ty(v)).collect()
    }

    /// The locals are these region arguments from now on.
    pub(crate) fn enter(&mut self, carry: &Carry, args: &[Value]) {
        let mut at = 0;
        for (i, slot) in carry.before.iter().enumerate() {
            let n = slot.val.leaves().len();
            for (&arg, &init) in args[at..at + n].iter().zip(&carry.init[at..at + n]) {
                self.follow(arg, init);
                if n == 1 {
                    self.name(arg, slot.name);
                }
            }
            self.slots[i].val = slot.val.with_leaves(&args[at..at + n]);
            at += n;
        }
    }

    /// The values of the locals at the end of a region, in the order of the carried values; `None`: has no value to carry.
    /// Locals that had no value before the loop are returned separately, by slot.
    pub(crate) fn leave(&mut self, carry: &Carry, args: &[Value]) -> (Vec<Value>, Vec<usize>) {
        let (mut out, mut born) = (Vec::new(), Vec::new());
        let mut at = 0;
        for (i, slot) in carry.before.iter().enumerate() {
            let n = slot.val.leaves().len();
            let now = self.slots[i].val.clone();
            if slot.val == Val::Uninit && !matches!(now, Val::Uninit | Val::Never | Val::Poison) {
                born.push(i);
            } else if now.same_shape(&slot.val) {
                let new = now.leaves();
                for (&v, &arg) in new.iter().zip(&args[at..at + n]) {
                    if matches!(self.ty(arg), Ty::Scalar(_)) {
                        self.unify(v, arg);
                    }
                }
                out.extend(new);
            } else {
                if !matches!(now, Val::Poison | Val::Never | Val::Uninit) {
                    self.fail(
                        format!(
                            "`{}` stands for something of another kind after an iteration of this loop",
                            slot.name
                        ),
                        "use a local of its own for each",
                    );
                }
                out.extend(&args[at..at + n]);
            }
            at += n;
        }
        (out, born)
    }

    /// Sets the locals after a loop: results where carried, else what they were.
    pub(crate) fn exit(&mut self, carry: &Carry, results: &[Option<Value>]) {
        self.slots.truncate(carry.before.len());
        let mut at = 0;
        for (i, slot) in carry.before.iter().enumerate() {
            let n = slot.val.leaves().len();
            let (init, results) = (&carry.init[at..at + n], &results[at..at + n]);
            let leaves: Vec<Value> = init.iter().zip(results).map(|(&v, r)| r.unwrap_or(v)).collect();
            for (&like, r) in init.iter().zip(results) {
                if let Some(r) = *r {
                    self.follow(r, like);
                    if n == 1 {
                        self.name(r, slot.name);
                    }
                }
            }
            if self.slots[i].val != Val::Poison {
                self.slots[i].val = slot.val.with_leaves(&leaves);
            }
            at += n;
        }
    }

    /// Initial values of the carried values.
    pub(crate) fn carry_init<'c>(&self, carry: &'c Carry) -> &'c [Value] {
        &carry.init
    }

    /// Leaves of a local born in a loop, with a filler for each to start from.
    pub(crate) fn born(&mut self, leaves: &[Value]) -> Vec<Value> {
        leaves.iter().filter_map(|&v| self.filler(v)).collect()
    }

    /// Replaces values in all operations of a region.
    pub(crate) fn replace(&mut self, region: &Region, map: &HashMap<Value, Value>) {
        if map.is_empty() {
            return;
        }
        let mut todo: Vec<_> = region.ops.clone();
        while let Some(id) = todo.pop() {
            let op = self.b.func_mut().op_mut(id);
            for a in &mut op.args {
                while let Some(&b) = map.get(a) {
                    *a = b;
                }
            }
            todo.extend(op.regions.iter().flat_map(|r| r.ops.iter().copied()));
        }
    }
}
