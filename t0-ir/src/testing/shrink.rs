//! Making a failing kernel small: parts are left out one after the other as long as it still fails in the way the caller asks for.
//!
//! Nothing is tried that would turn a case into one whose result is left open: barriers stay as long as LDS is in use, and what indices of
//! stores and the guards of bit patterns (see [`super`]) come from is taken away only as a whole.

use super::Case;
use crate::eval::Const;
use crate::func::{Func, Op, OpId, Region, Value};
use crate::interp::{Arg, Memory};
use crate::op::{Effect, OpKind};
use crate::passes::rewrite::canonical;
use crate::ty::{Scalar, Ty};
use crate::verify::verify;
use std::collections::{HashMap, HashSet};

/// How often [`shrink`] may ask whether a smaller case still fails.
const TRIES: usize = 4000;

/// The smallest case found that `fails`; the given one must.
pub fn shrink(case: &Case, fails: &dyn Fn(&Case) -> bool) -> Case {
    let mut s = Shrink {
        best: case.clone(),
        fails,
        left: TRIES,
    };
    loop {
        let before = s.left;
        let mut smaller = s.launch();
        smaller |= s.lists();
        smaller |= s.nests();
        smaller |= s.operands();
        smaller |= s.unused();
        smaller |= s.data();
        if !smaller || s.left == 0 || s.left == before {
            return s.best;
        }
    }
}

/// A list of operations: the body's, or that of a region of an operation.
#[derive(Clone, Copy, PartialEq)]
enum List {
    Body,
    Region(OpId, usize),
}

struct Shrink<'a> {
    best: Case,
    fails: &'a dyn Fn(&Case) -> bool,
    left: usize,
}

impl Shrink<'_> {
    /// Takes a candidate when it is well-formed and still fails.
    fn try_case(&mut self, mut case: Case) -> bool {
        if self.left == 0 || verify(&case.func).is_err() {
            return false;
        }
        case.func = canonical(&case.func);
        if same(&case, &self.best) {
            return false;
        }
        self.left -= 1;
        let fails = (self.fails)(&case);
        if fails {
            self.best = case;
        }
        fails
    }

    fn try_func(&mut self, func: Func) -> bool {
        let case = Case {
            func,
            ..self.best.clone()
        };
        self.try_case(case)
    }

    /// Fewer workgroups.
    fn launch(&mut self) -> bool {
        let mut any = false;
        for axis in 0..3 {
            if self.best.groups[axis] > 1 {
                let mut case = self.best.clone();
                case.groups[axis] = 1;
                any |= self.try_case(case);
            }
        }
        any
    }

    /// Runs of operations left out, long ones first.
    fn lists(&mut self) -> bool {
        let mut any = false;
        let mut length = 64;
        while length > 0 {
            // Numbers change with every success: lists are looked up anew, from the last to the first.
            let mut from_end = 0;
            loop {
                let lists = lists(&self.best.func);
                let Some(&list) = lists.iter().rev().nth(from_end) else {
                    break;
                };
                any |= self.list(list, length);
                from_end += 1;
            }
            length /= 2;
        }
        any
    }

    fn list(&mut self, list: List, length: usize) -> bool {
        let mut any = false;
        let ops = ops(&self.best.func, list);
        let ends = ops.len() - usize::from(list != List::Body);
        let mut end = ends;
        while end > 0 {
            let start = end.saturating_sub(length);
            let count = self.best.func.ops.len();
            let without = without(&self.best.func, list, start..end);
            if without.is_some_and(|f| self.try_func(f)) {
                any = true;
                if self.best.func.ops.len() == count {
                    return any; // only constants instead of constants
                }
                // The operations are numbered anew: this list may be another now.
                if !lists(&self.best.func).contains(&list) {
                    return any;
                }
                let now = self.ops_before_end(list);
                end = start.min(now);
                continue;
            }
            end = start;
        }
        any
    }

    fn ops_before_end(&self, list: List) -> usize {
        ops(&self.best.func, list).len() - usize::from(list != List::Body)
    }

    /// Branches and loops replaced by one of their regions.
    fn nests(&mut self) -> bool {
        let mut any = false;
        let mut from_end = 0;
        loop {
            let func = &self.best.func;
            let nested: Vec<OpId> = order(func)
                .into_iter()
                .filter(|&id| !func.op(id).regions.is_empty())
                .collect();
            let Some(&id) = nested.iter().rev().nth(from_end) else {
                return any;
            };
            let regions = func.op(id).regions.len();
            let done = (0..regions).any(|r| {
                let new = flatten(&self.best.func, id, r);
                self.try_func(new)
            });
            any |= done;
            from_end += usize::from(!done);
        }
    }

    /// Operations replaced by one of their operands, and operands by constants.
    fn operands(&mut self) -> bool {
        let mut any = false;
        let mut k = 0;
        let mut keep = protected(&self.best.func);
        loop {
            let func = &self.best.func;
            let all = order(func);
            let Some(&id) = all.iter().rev().nth(k) else {
                return any;
            };
            k += 1;
            if keep.contains(&id) {
                continue;
            }
            if replacements(func, id).into_iter().any(|f| self.try_func(f)) {
                any = true;
                keep = protected(&self.best.func);
            }
        }
    }

    /// Parameters nobody uses.
    fn unused(&mut self) -> bool {
        let mut any = false;
        for k in (0..self.best.func.params.len()).rev() {
            let mut case = self.best.clone();
            let used: HashSet<Value> = order(&case.func)
                .iter()
                .flat_map(|&id| case.func.op(id).args.clone())
                .collect();
            let sizes: Vec<usize> = case.func.params.iter().map(|p| p.kind.values().len()).collect();
            let first = sizes[..k].iter().sum::<usize>();
            let range = first..first + sizes[k];
            if case.func.body.args[range.clone()].iter().any(|v| used.contains(v)) {
                continue;
            }
            case.func.params.remove(k);
            case.func.body.args.drain(range);
            case.args.remove(k);
            any |= self.try_case(case);
        }
        any
    }

    /// Arguments replaced by zeros.
    fn data(&mut self) -> bool {
        let mut any = false;
        for k in 0..self.best.args.len() {
            let case = match self.best.args[k] {
                Arg::Scalar(c) if c.bits != 0 => {
                    let mut case = self.best.clone();
                    case.args[k] = Arg::Scalar(Const::zero(c.ty));
                    Some(case)
                }
                Arg::Slice { base, .. } => self.zeroed(base),
                _ => None,
            };
            any |= case.is_some_and(|case| self.try_case(case));
        }
        any
    }

    fn zeroed(&self, base: u64) -> Option<Case> {
        let content = self.best.memory.buffer(base)?;
        // Outputs are poisoned with equal bytes, which says as little as zeros.
        if content.windows(2).all(|w| w[0] == w[1]) {
            return None;
        }
        let mut case = self.best.clone();
        let mut memory: Memory = case.memory.clone();
        memory.write(base, content.len() as u64)?.fill(0);
        case.memory = memory;
        Some(case)
    }
}

/// Whether nothing but data could differ, and those do not.
fn same(a: &Case, b: &Case) -> bool {
    let buffers = |c: &Case| -> Vec<Option<Vec<u8>>> {
        let content = |arg: &Arg| match *arg {
            Arg::Slice { base, .. } => c.memory.buffer(base).map(<[u8]>::to_vec),
            _ => None,
        };
        c.args.iter().map(content).collect()
    };
    a.func == b.func && a.groups == b.groups && a.args == b.args && buffers(a) == buffers(b)
}

fn order(f: &Func) -> Vec<OpId> {
    fn walk(f: &Func, r: &Region, out: &mut Vec<OpId>) {
        for &id in &r.ops {
            out.push(id);
            f.op(id).regions.iter().for_each(|r| walk(f, r, out));
        }
    }
    let mut out = Vec::new();
    walk(f, &f.body, &mut out);
    out
}

fn lists(f: &Func) -> Vec<List> {
    let nested = |id: OpId| (0..f.op(id).regions.len()).map(move |r| List::Region(id, r));
    std::iter::once(List::Body)
        .chain(order(f).into_iter().flat_map(nested))
        .collect()
}

fn ops(f: &Func, list: List) -> &[OpId] {
    match list {
        List::Body => &f.body.ops,
        List::Region(id, r) => f.op(id).regions.get(r).map_or(&[], |r| &r.ops),
    }
}

fn ops_mut(f: &mut Func, list: List) -> &mut Vec<OpId> {
    match list {
        List::Body => &mut f.body.ops,
        List::Region(id, r) => &mut f.op_mut(id).regions[r].ops,
    }
}

fn defining(f: &Func, v: Value) -> Option<OpId> {
    order(f).into_iter().find(|&id| f.op(id).results.contains(&v))
}

fn replace_uses(f: &mut Func, old: Value, new: Value) {
    let uses = f.ops.iter_mut().flat_map(|o| &mut o.args);
    uses.filter(|a| **a == old).for_each(|a| *a = new);
}

/// All operations nested in one, and itself.
fn within(f: &Func, id: OpId) -> Vec<OpId> {
    let mut out = vec![id];
    for r in &f.op(id).regions {
        out.extend(r.ops.iter().flat_map(|&o| within(f, o)));
    }
    out
}

fn shares_lds(op: &Op) -> bool {
    matches!(op.kind, OpKind::LdsLoad { .. } | OpKind::LdsStore { .. })
}

/// Operations that may only go together with what uses them: what indices of stores come from, the conditions of the loops that
/// count, and the guards of bit patterns.
fn protected(f: &Func) -> HashSet<OpId> {
    let all = order(f);
    let made: HashMap<Value, OpId> = all
        .iter()
        .flat_map(|&id| f.op(id).results.iter().map(move |&r| (r, id)))
        .collect();
    let defining = |_: &Func, v: Value| made.get(&v).copied();
    let mut out = HashSet::new();
    let mut work: Vec<Value> = Vec::new();
    for &id in &all {
        let op = f.op(id);
        match op.kind {
            OpKind::Store | OpKind::Atomic { .. } => work.push(op.args[1]),
            OpKind::LdsStore { .. } | OpKind::LdsLoad { .. } => work.push(op.args[0]),
            // A loop's counter is the first value it carries.
            OpKind::Condition => {
                out.insert(id);
                work.extend(&op.args[..2]);
            }
            OpKind::For { .. } => {
                out.insert(id);
                work.extend(&op.args[..3]);
            }
            OpKind::While => {
                out.insert(id);
                let last = op.regions[1].ops.last();
                work.extend(last.and_then(|&l| f.op(l).args.first()));
            }
            OpKind::Yield => {
                out.insert(id);
            }
            OpKind::Bitcast => {
                let guard = defining(f, op.args[0]);
                let compare = guard.and_then(|g| f.op(g).args.first().and_then(|&v| defining(f, v)));
                out.extend(guard.into_iter().chain(compare));
            }
            // Guards whose bit pattern was made by a cast of bits.
            OpKind::Select => {
                let compare = op.args.first().and_then(|&v| defining(f, v));
                let same = compare.filter(|&c| f.op(c).args.first() == f.op(c).args.get(1));
                out.extend(same.map(|_| id).into_iter().chain(same));
            }
            _ => {}
        }
    }
    while let Some(v) = work.pop() {
        if let Some(id) = defining(f, v).filter(|&id| out.insert(id)) {
            work.extend(&f.op(id).args);
        }
    }
    out
}

/// The function without some operations of a list; constants stand for their results where those are used.
fn without(f: &Func, list: List, range: std::ops::Range<usize>) -> Option<Func> {
    let mut new = f.clone();
    let gone: Vec<OpId> = ops(f, list)[range.clone()].to_vec();
    let inside: HashSet<OpId> = gone.iter().flat_map(|&id| within(f, id)).collect();
    let outside: Vec<OpId> = order(f).into_iter().filter(|id| !inside.contains(id)).collect();
    let barrier = |id: &OpId| matches!(f.op(*id).kind, OpKind::Barrier);
    if inside.iter().any(barrier) && outside.iter().any(|&id| shares_lds(f.op(id))) {
        return None;
    }
    let keep = protected(f);
    let used: HashSet<Value> = outside.iter().flat_map(|&id| f.op(id).args.iter().copied()).collect();
    let mut constants = Vec::new();
    for &id in &gone {
        for &r in &f.op(id).results {
            if !used.contains(&r) {
                continue;
            }
            if keep.contains(&id) && f.op(id).regions.is_empty() {
                return None;
            }
            let Ty::Scalar(s) = f.ty(r) else {
                return None;
            };
            let constant = zero(&mut new, s, id);
            let value = new.op(constant).results[0];
            replace_uses(&mut new, r, value);
            constants.push(constant);
        }
    }
    if constants.len() >= gone.len() && gone.iter().all(|&id| matches!(f.op(id).kind, OpKind::Const { .. })) {
        return None;
    }
    ops_mut(&mut new, list).splice(range, constants);
    Some(new)
}

fn zero(f: &mut Func, s: Scalar, at: OpId) -> OpId {
    let span = f.op(at).span;
    f.new_op(OpKind::Const { ty: s, bits: 0 }, vec![], &[Ty::Scalar(s)], vec![], span)
}

/// A branch or loop replaced by one run of one of its regions, with the values it starts with.
fn flatten(f: &Func, id: OpId, region: usize) -> Func {
    let mut new = f.clone();
    let op = f.op(id);
    let body = &op.regions[region];
    let inits: Vec<Value> = match op.kind {
        // The counter starts at the lower bound; upper bound and step are no region arguments.
        OpKind::For { .. } => [&op.args[..1], &op.args[3..]].concat(),
        _ => op.args.clone(),
    };
    let (last, ops) = match body.ops.split_last() {
        Some((&last, ops)) => (f.op(last), ops),
        None => return new,
    };
    let yields: &[Value] = match last.kind {
        OpKind::Condition => &last.args[1..],
        _ => &last.args,
    };
    let Some(list) = lists(f).into_iter().find(|&l| self::ops(f, l).contains(&id)) else {
        return new;
    };
    let at = self::ops(f, list).iter().position(|&o| o == id).unwrap_or_default();
    ops_mut(&mut new, list).splice(at..=at, ops.iter().copied());
    for (&r, &y) in op.results.iter().zip(yields) {
        replace_uses(&mut new, r, y);
    }
    for (&a, &v) in body.args.iter().zip(&inits) {
        replace_uses(&mut new, a, v);
    }
    new
}

/// The function with an operation replaced by one of its operands, or with an operand replaced by a constant.
fn replacements(f: &Func, id: OpId) -> Vec<Func> {
    let op = f.op(id);
    let mut out = Vec::new();
    let pure = op.kind.row().effect == Effect::Pure && op.regions.is_empty();
    if let (true, [result]) = (pure, &op.results[..]) {
        for &a in op.args.iter().filter(|&&a| f.ty(a) == f.ty(*result)) {
            let mut new = f.clone();
            replace_uses(&mut new, *result, a);
            out.push(new);
        }
    }
    if !op.regions.is_empty() || matches!(op.kind, OpKind::Bitcast) {
        return out;
    }
    for (k, &a) in op.args.iter().enumerate() {
        let Ty::Scalar(s) = f.ty(a) else { continue };
        let constant = defining(f, a).is_some_and(|d| matches!(f.op(d).kind, OpKind::Const { .. }));
        let index = matches!(op.kind, OpKind::Store | OpKind::Atomic { .. }) && k == 1
            || matches!(op.kind, OpKind::LdsStore { .. } | OpKind::LdsLoad { .. }) && k == 0;
        if constant || index {
            continue;
        }
        let mut new = f.clone();
        let c = zero(&mut new, s, id);
        let value = new.op(c).results[0];
        new.op_mut(id).args[k] = value;
        if let Some(list) = lists(f).into_iter().find(|&l| ops(f, l).contains(&id)) {
            let at = ops(f, list).iter().position(|&o| o == id).unwrap_or_default();
            ops_mut(&mut new, list).insert(at, c);
            out.push(new);
        }
    }
    out
}
