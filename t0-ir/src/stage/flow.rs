//! `if`, loops and early exits as structured control flow.

use std::collections::HashMap;

use crate::func::{Region, Value};
use crate::op::{LoopHints, OpKind};
use crate::stage::region::{Carry, Merge};
use crate::stage::{At, Stage, Val, VarId};
use crate::ty::{Scalar, Ty};

/// What the macro knows of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Loop {
    /// Its label, without the tick.
    pub label: Option<&'static str>,
    /// Does its body hold a `break`, `continue` or `return` that leaves it or its iteration?
    pub exits: bool,
    /// `#[unroll]`.
    pub unroll: bool,
    /// `#[pipeline(stages = N)]`, or 0.
    pub stages: u32,
}

impl Loop {
    pub(crate) fn hints(self) -> LoopHints {
        LoopHints {
            unroll: self.unroll,
            stages: self.stages,
            turns: false,
        }
    }
}

/// A loop or function that can be left early.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    label: Option<&'static str>,
    function: bool,
    /// Flag: the rest of this iteration (or function) is skipped.
    skip: VarId,
    /// Flag: the loop is left.
    out: Option<VarId>,
    /// The function's result.
    ret: Option<VarId>,
}

type Body<'b> = &'b dyn Fn(&mut Stage) -> Val;

impl Stage {
    /// `if cond { then } else { otherwise }`, as a statement or an expression. A condition known while staging stages one branch.
    pub fn if_(&mut self, cond: &Val, then: Body, otherwise: Body, at: At) -> Val {
        self.at(at);
        let Some(cond) = self.value(cond) else {
            return self.poison();
        };
        self.if_value(cond, then, otherwise)
    }

    pub(crate) fn if_value(&mut self, cond: Value, then: Body, otherwise: Body) -> Val {
        match self.known_bits(cond) {
            Some(0) => return self.scoped(otherwise),
            Some(_) => return self.scoped(then),
            None => {}
        }
        let span = self.b.span();
        let first = self.b.func().values.len() as u32;
        let before = self.slots.clone();
        let (then, then_val) = self.branch(then);
        let then_slots = std::mem::replace(&mut self.slots, before);
        let (otherwise, else_val) = self.branch(otherwise);
        let else_slots = self.slots.clone();
        self.b.set_span(span);

        let mut merge = Merge::default();
        let mut val = self.merge(cond, &then_val, &else_val, first, &mut merge);
        for (i, (a, b)) in then_slots.iter().zip(&else_slots).enumerate() {
            if a.val != b.val {
                self.slots[i].val = self.merge(cond, &a.val, &b.val, first, &mut merge);
            }
        }
        let results = self.emit_if(cond, then, otherwise, &merge);
        Stage::resolve_merge(&mut val, &results);
        for i in 0..self.slots.len() {
            if then_slots[i].val != else_slots[i].val {
                Stage::resolve_merge(&mut self.slots[i].val, &results);
                if let &[v] = self.slots[i].val.leaves().as_slice() {
                    let name = self.slots[i].name;
                    if results.contains(&v) {
                        self.name(v, name);
                    }
                }
            }
        }
        val
    }

    /// Stages a branch as a region that yields nothing yet.
    fn branch(&mut self, body: Body) -> (Region, Val) {
        self.begin_region(&[]);
        let val = self.scoped(body);
        (self.end_region(OpKind::Yield, &[]), val)
    }

    /// Locals of the body end with it.
    fn scoped(&mut self, body: Body) -> Val {
        let mark = self.slots.len();
        let val = body(self);
        self.slots.truncate(mark);
        val
    }

    fn emit_if(&mut self, cond: Value, then: Region, otherwise: Region, merge: &Merge) -> Vec<Value> {
        if then.ops.len() == 1 && otherwise.ops.len() == 1 && merge.then.is_empty() {
            return Vec::new();
        }
        for (region, values) in [(&then, &merge.then), (&otherwise, &merge.otherwise)] {
            if let Some(&id) = region.ops.last() {
                self.b.func_mut().op_mut(id).args.clone_from(values);
            }
        }
        let tys: Vec<Ty> = merge.then.iter().map(|&v| self.ty(v)).collect();
        let results = self.b.emit(OpKind::If, &[cond], &tys, vec![then, otherwise]);
        for (&r, &v) in results.iter().zip(&merge.then) {
            self.follow(r, v);
        }
        results
    }

    /// `a && b` (`and`) or `a || b`, where b is staged under the condition: it reads memory or calls something.
    pub fn short_circuit(&mut self, and: bool, a: &Val, b: Body, at: At) -> Val {
        if and {
            self.if_(a, b, &|s| s.boolean(false), at)
        } else {
            self.if_(a, &|s| s.boolean(true), b, at)
        }
    }

    /// An IR `for` with the carried values that the body changes.
    pub(crate) fn for_op(&mut self, bounds: [Value; 3], hints: LoopHints, body: &dyn Fn(&mut Stage, Value)) {
        let span = self.b.span();
        let carry = self.carry();
        let mut tys = vec![self.ty(bounds[0])];
        tys.extend(self.carry_tys(&carry));
        let args = self.begin_region(&tys);
        self.follow(args[0], bounds[0]);
        self.enter(&carry, &args[1..]);
        body(self, args[0]);
        let (next, born) = self.leave(&carry, &args[1..]);
        let born = self.born_values(&carry, &born);
        let kept: Vec<usize> = (0..next.len()).filter(|&k| next[k] != args[1 + k]).collect();
        let mut yields: Vec<Value> = kept.iter().map(|&k| next[k]).collect();
        yields.extend(born.iter().flat_map(|b| b.1.leaves()));
        let mut region = self.end_region(OpKind::Yield, &yields);
        self.b.set_span(span);

        let init = self.carry_init(&carry).to_vec();
        let born_leaves: Vec<Value> = born.iter().flat_map(|b| b.1.leaves()).collect();
        let fillers = self.born(&born_leaves);
        region.args = vec![args[0]];
        region.args.extend(kept.iter().map(|&k| args[1 + k]));
        for &f in &fillers {
            let arg = self.new_arg(f);
            region.args.push(arg);
        }
        let dropped: HashMap<Value, Value> = (0..next.len())
            .filter(|&k| next[k] == args[1 + k])
            .map(|k| (args[1 + k], init[k]))
            .collect();
        self.replace(&region, &dropped);

        let mut ops = bounds.to_vec();
        ops.extend(kept.iter().map(|&k| init[k]));
        ops.extend(&fillers);
        let tys: Vec<Ty> = ops[3..].iter().map(|&v| self.ty(v)).collect();
        let results = self.b.emit(OpKind::For { hints }, &ops, &tys, vec![region]);
        self.exit_with(&carry, &kept, next.len(), &born, &results);
    }

    /// `while`: both closures run once; `cond` gives the condition.
    pub(crate) fn while_op(&mut self, cond: &dyn Fn(&mut Stage) -> Value, body: &dyn Fn(&mut Stage)) {
        let span = self.b.span();
        let carry = self.carry();
        let tys = self.carry_tys(&carry);
        let init = self.carry_init(&carry).to_vec();
        let a0 = self.begin_region(&tys);
        self.enter(&carry, &a0);
        let c = cond(self);
        let (passed, born_early) = self.leave(&carry, &a0);
        let mut head = self.end_region(OpKind::Condition, &[c]);
        if let Some(&i) = born_early.first() {
            let name = self.slots[i].name;
            self.b.set_span(span);
            self.fail(
                format!("`{name}` gets its first value in the condition of a loop"),
                format!("give `{name}` a value before the loop"),
            );
        }
        self.slots.truncate(carry.len());
        // the condition may have told the types of literals
        let tys = self.carry_tys(&carry);
        let a1 = self.begin_region(&tys);
        self.enter(&carry, &a1);
        body(self);
        let (next, born) = self.leave(&carry, &a1);
        let born = self.born_values(&carry, &born);
        let kept: Vec<usize> = (0..tys.len())
            .filter(|&k| next[k] != a1[k] || passed[k] != a0[k])
            .collect();
        let born_leaves: Vec<Value> = born.iter().flat_map(|b| b.1.leaves()).collect();
        let mut yields: Vec<Value> = kept.iter().map(|&k| next[k]).collect();
        yields.extend(&born_leaves);
        let mut tail = self.end_region(OpKind::Yield, &yields);
        self.b.set_span(span);

        let fillers = self.born(&born_leaves);
        head.args = kept.iter().map(|&k| a0[k]).collect();
        tail.args = kept.iter().map(|&k| a1[k]).collect();
        let mut condition = vec![c];
        condition.extend(kept.iter().map(|&k| passed[k]));
        for &f in &fillers {
            let (x, y) = (self.new_arg(f), self.new_arg(f));
            head.args.push(x);
            condition.push(x);
            tail.args.push(y);
        }
        if let Some(&id) = head.ops.last() {
            self.b.func_mut().op_mut(id).args = condition;
        }
        let mut dropped = HashMap::new();
        for k in (0..tys.len()).filter(|k| !kept.contains(k)) {
            dropped.insert(a0[k], init[k]);
            dropped.insert(a1[k], init[k]);
        }
        self.replace(&head, &dropped);
        self.replace(&tail, &dropped);

        let mut ops: Vec<Value> = kept.iter().map(|&k| init[k]).collect();
        ops.extend(&fillers);
        let tys_out: Vec<Ty> = ops.iter().map(|&v| self.ty(v)).collect();
        let results = self.b.emit(OpKind::While, &ops, &tys_out, vec![head, tail]);
        self.exit_with(&carry, &kept, tys.len(), &born, &results);
    }

    fn new_arg(&mut self, like: Value) -> Value {
        let ty = self.ty(like);
        let arg = self.b.func_mut().new_value(ty, None);
        self.follow(arg, like);
        arg
    }

    /// Locals that get their first value in a loop, with that value.
    fn born_values(&self, carry: &Carry, slots: &[usize]) -> Vec<(usize, Val)> {
        slots
            .iter()
            .filter(|&&i| i < carry.len())
            .map(|&i| (i, self.slots[i].val.clone()))
            .collect()
    }

    fn exit_with(&mut self, carry: &Carry, kept: &[usize], n: usize, born: &[(usize, Val)], results: &[Value]) {
        let mut out = vec![None; n];
        for (i, &k) in kept.iter().enumerate() {
            out[k] = Some(results[i]);
        }
        self.exit(carry, &out);
        let mut at = kept.len();
        for (i, val) in born {
            let leaves = val.leaves().len();
            if at + leaves <= results.len() {
                for (&r, &like) in results[at..at + leaves].iter().zip(&val.leaves()) {
                    self.follow(r, like);
                }
                self.slots[*i].val = val.with_leaves(&results[at..at + leaves]);
            }
            at += leaves;
        }
    }

    /// `while cond { body }`; `loop` is `while true`.
    pub fn while_(&mut self, cond: Body, lp: Loop, body: Body, at: At) -> Val {
        self.at(at);
        let mark = self.slots.len();
        let out = lp.exits.then(|| self.flag("left"));
        self.while_op(
            &|s| {
                let go = match out {
                    Some(out) => s.unless(out, cond),
                    None => cond(s),
                };
                s.value(&go).unwrap_or_else(|| s.bool(false))
            },
            &|s| {
                s.iteration(lp, out, &|s| {
                    body(s);
                })
            },
        );
        self.slots.truncate(mark);
        Val::Unit
    }

    /// `!flag && cond`.
    pub(crate) fn unless(&mut self, flag: VarId, cond: Body) -> Val {
        let left = self.flag_value(flag);
        self.if_value(left, &|s| s.boolean(false), cond)
    }

    /// One iteration of a loop, with its frame if something in it leaves early.
    pub(crate) fn iteration(&mut self, lp: Loop, out: Option<VarId>, body: &dyn Fn(&mut Stage)) {
        let mark = self.slots.len();
        if lp.exits {
            let skip = self.flag("skip");
            self.frames.push(Frame {
                label: lp.label,
                function: false,
                skip,
                out,
                ret: None,
            });
            body(self);
            self.frames.pop();
        } else {
            body(self);
        }
        self.slots.truncate(mark);
    }

    /// The body of a function that has `return` in it.
    pub fn function(&mut self, body: Body) -> Val {
        let mark = self.slots.len();
        let skip = self.flag("returned");
        let ret = self.slot("result", Val::Uninit);
        self.frames.push(Frame {
            label: None,
            function: true,
            skip,
            out: None,
            ret: Some(ret),
        });
        let tail = body(self);
        self.frames.pop();
        let returned = self.slots[ret.0].val.clone();
        let flag = self.flag_value(skip);
        let out = match (&tail, &returned) {
            (_, Val::Uninit) => tail,
            (Val::Never, _) => returned,
            _ => self.if_value(flag, &|_| returned.clone(), &|_| tail.clone()),
        };
        self.slots.truncate(mark);
        out
    }

    /// `break 'label;`
    pub fn break_(&mut self, label: Option<&'static str>, at: At) -> Val {
        self.at(at);
        self.leave_to(label, true)
    }

    /// `continue 'label;`
    pub fn continue_(&mut self, label: Option<&'static str>, at: At) -> Val {
        self.at(at);
        self.leave_to(label, false)
    }

    /// `return val;`
    pub fn return_(&mut self, val: &Val, at: At) -> Val {
        self.at(at);
        let yes = Val::V(self.bool(true));
        for i in (0..self.frames.len()).rev() {
            let f = self.frames[i].clone();
            self.slots[f.skip.0].val = yes.clone();
            if let Some(out) = f.out {
                self.slots[out.0].val = yes.clone();
            }
            if f.function {
                if let Some(ret) = f.ret {
                    self.slots[ret.0].val = val.clone();
                }
                break;
            }
        }
        Val::Never
    }

    fn leave_to(&mut self, label: Option<&'static str>, leave: bool) -> Val {
        let yes = Val::V(self.bool(true));
        for i in (0..self.frames.len()).rev() {
            let f = self.frames[i].clone();
            let target = !f.function && (label.is_none() || f.label == label);
            self.slots[f.skip.0].val = yes.clone();
            if let (Some(out), true) = (f.out, leave || !target) {
                self.slots[out.0].val = yes.clone();
            }
            if target || f.function {
                break;
            }
        }
        Val::Never
    }

    /// What follows a statement that may leave the innermost frame: staged under its flag.
    pub fn guard(&mut self, rest: Body) -> Val {
        let Some(f) = self.frames.last() else { return rest(self) };
        let skip = self.flag_value(f.skip);
        self.if_value(skip, &|_| Val::Never, rest)
    }

    fn flag(&mut self, name: &'static str) -> VarId {
        let no = Val::V(self.bool(false));
        self.slot(name, no)
    }

    pub(crate) fn flag_value(&mut self, flag: VarId) -> Value {
        match self.slots[flag.0].val {
            Val::V(v) => v,
            _ => self.bool(false),
        }
    }

    /// `cond` as a `bool` value that is the conjunction of what it was with `other`.
    pub(crate) fn both(&mut self, a: Value, b: Value) -> Value {
        match (self.known_bits(a), self.known_bits(b)) {
            (Some(0), _) | (_, Some(1)) => a,
            (Some(1), _) | (_, Some(0)) => b,
            _ => self.b.op1(OpKind::And, &[a, b]),
        }
    }

    /// The unsigned type of the same width.
    pub(crate) fn unsigned(s: Scalar) -> Scalar {
        match s {
            Scalar::I8 => Scalar::U8,
            Scalar::I16 => Scalar::U16,
            Scalar::I32 => Scalar::U32,
            Scalar::I64 => Scalar::U64,
            other => other,
        }
    }
}
