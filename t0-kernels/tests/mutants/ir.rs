//! Bugs planted into the IR: what optimisers, lowerings and kernel authors get wrong.
//!
//! A bug goes into the kernel as it was staged, or as it is after the passes; either way the compiler takes it from there
//! (its passes change nothing in what has been through them).

use std::collections::BTreeSet;
use std::panic::{catch_unwind, AssertUnwindSafe};

use t0::ir::passes::{optimize, PassOptions};
use t0::ir::{Func, Op, OpId, OpKind, Region, Scalar, Ty, Value};

use crate::case::{build, Case};
use crate::judge::{Mutant, Spot};
use crate::orders::HAND_OVER;

/// Makes the mutants of one case.
pub struct Maker<'a> {
    pub number: usize,
    pub case: &'a Case,
    pub staged: Func,
    pub lowered: Func,
    pub out: Vec<Mutant>,
}

/// All mutants of a case's IR.
pub fn mutants(number: usize, case: &Case) -> Vec<Mutant> {
    let Some(staged) = case.func.clone() else {
        return Vec::new();
    };
    let mut lowered = staged.clone();
    optimize(&mut lowered, &PassOptions::default()).unwrap();
    let mut m = Maker {
        number,
        case,
        staged,
        lowered,
        out: Vec::new(),
    };
    m.orders();
    if case.name == HAND_OVER {
        return m.out;
    }
    m.indices();
    m.strides();
    m.bases();
    m.shifts();
    m.barriers();
    m.merges();
    m.loops();
    m.precision();
    m.passes();
    m.language();
    m.checked();
    m.out
}

/// Operations in the order they stand.
pub fn order(f: &Func) -> Vec<OpId> {
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

/// Calls `change` with the list of operations that has `id`.
pub fn in_list(f: &mut Func, id: OpId, change: impl FnOnce(&mut Vec<OpId>, usize)) {
    let at = |r: &Region| r.ops.iter().position(|&o| o == id);
    if let Some(k) = at(&f.body) {
        return change(&mut f.body.ops, k);
    }
    let region = f
        .ops
        .iter_mut()
        .flat_map(|o| &mut o.regions)
        .find_map(|r| at(r).map(|k| (r, k)));
    if let Some((r, k)) = region {
        change(&mut r.ops, k);
    }
}

/// A new operation directly before `id`; its result.
pub fn before(f: &mut Func, id: OpId, kind: OpKind, args: Vec<Value>, ty: Ty) -> Value {
    let span = f.op(id).span;
    let new = f.new_op(kind, args, &[ty], vec![], span);
    let result = f.op(new).results[0];
    in_list(f, id, |list, k| list.insert(k, new));
    result
}

pub fn number(f: &mut Func, id: OpId, n: u64, ty: Scalar) -> Value {
    before(f, id, OpKind::Const { ty, bits: n }, vec![], Ty::Scalar(ty))
}

/// Which operand of a memory access is its index, and how far one element is.
pub fn index(op: &Op) -> Option<(usize, u32)> {
    match op.kind {
        OpKind::Load | OpKind::Store | OpKind::Atomic { .. } => Some((1, 1)),
        OpKind::LdsLoad { .. } | OpKind::LdsStore { .. } | OpKind::LdsFragLoad { .. } => Some((0, 4)),
        _ => None,
    }
}

pub fn defining(f: &Func, v: Value) -> Option<OpId> {
    order(f).into_iter().find(|&id| f.op(id).results.contains(&v))
}

pub fn constant(f: &Func, v: Value) -> Option<u64> {
    match f.op(defining(f, v)?).kind {
        OpKind::Const { bits, .. } => Some(bits),
        _ => None,
    }
}

pub fn replace_uses(f: &mut Func, old: Value, new: Value) {
    let uses = f.ops.iter_mut().flat_map(|o| &mut o.args);
    uses.filter(|v| **v == old).for_each(|v| *v = new);
}

impl Maker<'_> {
    pub fn spot(&self, f: &Func, id: OpId) -> Option<Spot> {
        let s = f.op(id).span;
        (s.line > 0).then(|| format!("{}:{}", f.files[s.file as usize], s.line))
    }

    pub fn push(&mut self, class: &'static str, what: String, planted: Option<Spot>, f: Func) -> &mut Mutant {
        let built = catch_unwind(AssertUnwindSafe(|| build(&f)));
        self.out.push(Mutant {
            class,
            case: self.number,
            what,
            planted,
            object: built.unwrap_or_else(|_| Err("a pass refuses what it was given".into())),
            rules: &[],
            suffers: BTreeSet::new(),
            equivalent: None,
            shots: None,
            touched: Default::default(),
        });
        self.out.last_mut().unwrap()
    }

    /// Each operation of `f` that fits, changed.
    pub fn each(
        &mut self,
        f: &Func,
        class: &'static str,
        fits: impl Fn(&Func, &Op) -> bool,
        change: impl Fn(&mut Func, OpId),
    ) {
        for id in order(f) {
            if fits(f, f.op(id)) {
                let mut new = f.clone();
                change(&mut new, id);
                let (what, spot) = (f.op(id).kind.row().name.to_string(), self.spot(f, id));
                self.push(class, what, spot, new);
            }
        }
    }

    /// Index + 1.
    fn indices(&mut self) {
        let f = self.lowered.clone();
        self.each(
            &f,
            "index off by one",
            |_, op| index(op).is_some(),
            |f, id| {
                let Some((k, step)) = index(f.op(id)) else { return };
                let one = number(f, id, step.into(), Scalar::U32);
                let old = f.op(id).args[k];
                f.op_mut(id).args[k] = before(f, id, OpKind::Add, vec![old, one], Ty::U32);
            },
        );
    }

    /// Columns or rows of a matrix where its stride belongs.
    fn strides(&mut self) {
        let mut at = 0;
        for p in self.staged.params.clone() {
            let n = p.kind.values().len();
            if n == 4 {
                let [rows, stride] = [1, 3].map(|k| self.staged.body.args[at + k]);
                let mut f = self.staged.clone();
                let touched = lines(&f, |op| op.args.contains(&stride));
                replace_uses(&mut f, stride, rows);
                let what = format!("rows of `{}` for its stride", p.name);
                self.push("transposed stride", what, None, f).touched = touched;
            }
            at += n;
        }
    }

    /// The base of a tile or row is added twice, or is 0 for all.
    fn bases(&mut self) {
        let f = self.staged.clone();
        let base = |op: &Op| match op.kind {
            OpKind::View => Some(1),
            OpKind::TileLoad { .. } | OpKind::TileStore => Some(4),
            _ => None,
        };
        self.each(
            &f,
            "double-counted offset",
            |_, op| base(op).is_some(),
            |f, id| {
                let Some(k) = base(f.op(id)) else { return };
                let old = f.op(id).args[k];
                let ty = f.ty(old);
                f.op_mut(id).args[k] = before(f, id, OpKind::Add, vec![old, old], ty);
            },
        );
        let owned = |f: &Func, op: &Op| op.kind == OpKind::View && written(f, op.args[0]);
        self.each(&f, "overlapping partitions", owned, |f, id| {
            f.op_mut(id).args[1] = number(f, id, 0, Scalar::U64);
        });
        for m in self.out.iter_mut().filter(|m| m.class == "overlapping partitions") {
            m.rules = &["global-race"];
            m.suffers = stores(&f);
        }
        let reads = |f: &Func, op: &Op| {
            op.kind == OpKind::Mul && self.case.name == "partitions" && f.ty(op.results[0]) == Ty::U32
        };
        let mut extra = Vec::new();
        for id in order(&f) {
            if reads(&f, f.op(id)) {
                let mut new = f.clone();
                let zero = number(&mut new, id, 0, Scalar::U32);
                new.op_mut(id).args[0] = zero;
                extra.push((self.spot(&f, id), new));
            }
        }
        for (spot, new) in extra {
            self.push(
                "split-K with stride 0",
                "every partition reads the first".into(),
                spot,
                new,
            );
        }
    }

    /// Division by a number of chunks that is no power of two as shift and mask. Such a division is a multiplication by a
    /// reciprocal: `q = a * factor >> shift`, and the remainder is `a - q * by`.
    fn shifts(&mut self) {
        let f = self.lowered.clone();
        let product = |v: Value| {
            let d = f.op(defining(&f, v)?);
            let by = constant(&f, *d.args.get(1)?)?;
            (d.kind == OpKind::Mul && !by.is_power_of_two()).then(|| (d.args[0], by))
        };
        for id in order(&f) {
            let op = f.op(id);
            let Some((a, _)) = op
                .args
                .first()
                .and_then(|&v| product(v))
                .filter(|_| op.kind == OpKind::Shr)
            else {
                continue;
            };
            let q = op.results[0];
            let rest = order(&f).into_iter().find_map(|r| {
                let sub = f.op(r);
                let (of, by) = sub.args.get(1).and_then(|&v| product(v))?;
                (sub.kind == OpKind::Sub && sub.args[0] == a && of == q).then_some((r, by))
            });
            let Some((rest, by)) = rest else { continue };
            let mut new = f.clone();
            let (log, mask) = (u64::from(by.ilog2()), by - 1);
            let log = number(&mut new, id, log, Scalar::U32);
            new.op_mut(id).args = vec![a, log];
            let mask = number(&mut new, rest, mask, Scalar::U32);
            let op = new.op_mut(rest);
            (op.kind, op.args) = (OpKind::And, vec![a, mask]);
            let what = format!("`>> {}` and `& {}` for `/ {by}` and `% {by}`", by.ilog2(), by - 1);
            self.push("shift and mask for tile_k 48", what, self.spot(&f, id), new);
        }
    }

    fn barriers(&mut self) {
        let mut f = self.lowered.clone();
        // Else the compiler would put them back.
        f.lds.iter_mut().for_each(|l| l.tile = false);
        self.each(
            &f,
            "missing barrier",
            |_, op| op.kind == OpKind::Barrier,
            |f, id| {
                in_list(f, id, |list, k| {
                    list.remove(k);
                });
            },
        );
        let suffers = lines(&f, |op| {
            matches!(
                op.kind,
                OpKind::LdsLoad { .. } | OpKind::LdsStore { .. } | OpKind::LdsFragLoad { .. }
            )
        });
        for m in self.out.iter_mut().filter(|m| m.class == "missing barrier") {
            m.rules = &["lds-race"];
            m.suffers = suffers.clone();
        }
    }

    /// What common subexpression elimination merges when its key lacks constants, or when it does not see barriers.
    fn merges(&mut self) {
        let f = self.lowered.clone();
        let all = order(&f);
        let mut made = 0;
        for (n, &a) in all.iter().enumerate() {
            for &b in &all[n + 1..] {
                let (x, y) = (f.op(a), f.op(b));
                if x.kind != y.kind
                    || !matches!(x.kind, OpKind::Add | OpKind::Sub | OpKind::Mul)
                    || x.args[0] != y.args[0]
                {
                    continue;
                }
                let both = |k: usize| constant(&f, x.args[k]).zip(constant(&f, y.args[k]));
                let differ = |k: usize| x.args[k] != y.args[k] && both(k).is_none_or(|(m, n)| m == n);
                if x.args == y.args || differ(1) || made == 3 || !same_list(&f, a, b) {
                    continue;
                }
                made += 1;
                let mut new = f.clone();
                let (keep, gone) = (x.results[0], y.results[0]);
                replace_uses(&mut new, gone, keep);
                let what = format!("two `{}` with different constants merged", x.kind.row().name);
                self.push("CSE ignores constants", what, self.spot(&f, b), new);
            }
        }
        let loads: Vec<OpId> = all
            .iter()
            .copied()
            .filter(|&id| matches!(f.op(id).kind, OpKind::LdsLoad { .. }))
            .collect();
        for pair in loads.windows(2) {
            if f.ty(f.op(pair[0]).results[0]) == f.ty(f.op(pair[1]).results[0]) && same_list(&f, pair[0], pair[1]) {
                let mut new = f.clone();
                let (keep, gone) = (f.op(pair[0]).results[0], f.op(pair[1]).results[0]);
                replace_uses(&mut new, gone, keep);
                self.push(
                    "CSE across a barrier",
                    "second load merged with the first".into(),
                    self.spot(&f, pair[1]),
                    new,
                );
            }
        }
    }

    /// Hoisted loads and stores, a lost increment, a result that is the initial value.
    fn loops(&mut self) {
        let f = self.lowered.clone();
        for id in order(&f) {
            let op = f.op(id).clone();
            let (first, args) = match op.kind {
                OpKind::For { .. } => (op.args.first().copied(), &op.regions[0].args[..1]),
                OpKind::While => (op.args.first().copied(), &op.regions[1].args[..]),
                _ => continue,
            };
            for &inner in op.regions.iter().flat_map(|r| &r.ops) {
                let Some((k, _)) = index(f.op(inner)) else { continue };
                let old = f.op(inner).args[k];
                let varies = args.contains(&old)
                    || defining(&f, old).is_some_and(|d| op.regions.iter().any(|r| r.ops.contains(&d)));
                if let (true, Some(first)) = (varies && matches!(op.kind, OpKind::For { .. }), first) {
                    let mut new = f.clone();
                    if !hoist(&mut new, inner, k, op.regions[0].args[0], first) {
                        continue;
                    }
                    let what = format!(
                        "`{}` with the index of the first iteration",
                        f.op(inner).kind.row().name
                    );
                    self.push("LICM of what varies", what, self.spot(&f, inner), new);
                }
            }
            self.carried(&f, id, &op);
        }
    }

    fn carried(&mut self, f: &Func, id: OpId, op: &Op) {
        let init = match op.kind {
            OpKind::For { .. } => &op.args[3..],
            _ => &op.args[..],
        };
        for (&result, &init) in op.results.iter().zip(init) {
            if f.ops.iter().any(|o| o.args.contains(&result)) {
                let mut new = f.clone();
                replace_uses(&mut new, result, init);
                let what = "the initial value for the result of a loop".into();
                self.push("copy propagation", what, self.spot(f, id), new);
            }
        }
        let (head, body) = (&op.regions[0], &op.regions[op.regions.len() - 1]);
        let next = body.ops[body.ops.len() - 1];
        let own = usize::from(op.kind != OpKind::While);
        for k in 0..body.args.len() - own {
            let (value, arg) = (f.op(next).args[k], body.args[k + own]);
            if value == arg {
                continue;
            }
            let mut new = f.clone();
            new.op_mut(next).args[k] = arg;
            if own == 0 && depends(f, head, head.args[k]) {
                let what = "the loop's counter stands still".to_string();
                let line = self.spot(f, id);
                let m = self.push("lost increment", what, line.clone(), new);
                m.rules = &["endless-loop"];
                m.suffers = line.into_iter().collect();
            } else if f.ops.iter().any(|o| o.args.contains(&arg)) {
                let spot = defining(f, value).and_then(|d| self.spot(f, d));
                self.push("lost update", "a carried value stays what it was".into(), spot, new);
            }
        }
    }

    /// Sums kept in f16.
    fn precision(&mut self) {
        let f = self.lowered.clone();
        let f32s = Ty::Scalar(Scalar::F32);
        for id in order(&f) {
            let Some(body) = f.op(id).regions.last() else { continue };
            if !matches!(f.op(id).kind, OpKind::For { .. } | OpKind::While) {
                continue;
            }
            let last = body.ops[body.ops.len() - 1];
            for k in 0..f.op(last).args.len() {
                let v = f.op(last).args[k];
                let adds = defining(&f, v).is_some_and(|d| f.op(d).kind == OpKind::Add);
                if f.ty(v) == f32s && adds {
                    let mut new = f.clone();
                    let half = before(&mut new, last, OpKind::Cast, vec![v], Ty::Scalar(Scalar::F16));
                    let back = before(&mut new, last, OpKind::Cast, vec![half], f32s);
                    new.op_mut(last).args[k] = back;
                    self.push("f16 accumulator", "a sum carried in f16".into(), self.spot(&f, id), new);
                }
            }
        }
    }
}

/// The access `id` with its index (operand `k`) as it is when `i` is `first`; false if it does not depend on `i`.
fn hoist(f: &mut Func, id: OpId, k: usize, i: Value, first: Value) -> bool {
    let mut cone = BTreeSet::from([i]);
    for id in order(f) {
        if f.op(id).args.iter().any(|a| cone.contains(a)) {
            cone.extend(&f.op(id).results);
        }
    }
    if !cone.contains(&f.op(id).args[k]) {
        return false;
    }
    fn copy(f: &mut Func, at: OpId, v: Value, i: Value, first: Value, depth: u32) -> Value {
        if v == i {
            return first;
        }
        let Some(d) = defining(f, v).filter(|_| depth > 0) else {
            return v;
        };
        let op = f.op(d).clone();
        if op.kind.row().effect != t0::ir::Effect::Pure || op.results.len() != 1 || !op.regions.is_empty() {
            return v;
        }
        let args = op.args.iter().map(|&a| copy(f, at, a, i, first, depth - 1)).collect();
        let ty = f.ty(op.results[0]);
        before(f, at, op.kind, args, ty)
    }
    let old = f.op(id).args[k];
    f.op_mut(id).args[k] = copy(f, id, old, i, first, 4);
    true
}

/// Whether the condition of a loop's head depends on a value.
fn depends(f: &Func, head: &Region, v: Value) -> bool {
    let mut known = BTreeSet::from([v]);
    for &id in &head.ops {
        let op = f.op(id);
        if op.kind == OpKind::Condition {
            return known.contains(&op.args[0]);
        }
        if op.args.iter().any(|a| known.contains(a)) {
            known.extend(&op.results);
        }
    }
    false
}

pub fn same_list(f: &Func, a: OpId, b: OpId) -> bool {
    let has = |r: &Region| r.ops.contains(&a) && r.ops.contains(&b);
    has(&f.body) || f.ops.iter().flat_map(|o| &o.regions).any(has)
}

fn written(f: &Func, v: Value) -> bool {
    t0::ir::analysis::uniform::param_access(f, v) == Some(t0::ir::Access::Write)
}

pub fn lines(f: &Func, fits: impl Fn(&Op) -> bool) -> BTreeSet<Spot> {
    let ops = order(f)
        .into_iter()
        .map(|id| f.op(id))
        .filter(|op| op.span.line > 0 && fits(op));
    ops.map(|op| format!("{}:{}", f.files[op.span.file as usize], op.span.line))
        .collect()
}

pub fn stores(f: &Func) -> BTreeSet<Spot> {
    lines(f, |op| {
        matches!(op.kind, OpKind::Store | OpKind::TileStore | OpKind::Atomic { .. })
    })
}
