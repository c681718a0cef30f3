//! Replaces operations by simpler ones of exactly the same result.
//!
//! Constants are folded with `eval`; what remains goes through identities that hold bit for bit (all NaNs counting as one):
//! floats are never reassociated. Constants move to the right of commutative operations, so that equal expressions look
//! equal to `gvn`. Control goes where its condition or its bounds are constants. The rules are in `simpler` by kind of operation:
//! one arm each.

mod floats;
mod ints;

use super::rewrite::{kept, rewrite, Rewrite, Rewriter};
use crate::analysis::uniform::terminator;
use crate::diag::Diags;
use crate::eval::{eval, Const};
use crate::func::{Func, OpId, Value};
use crate::op::{OpKind, Pred};
use crate::ty::{Scalar, Ty};

/// Simplifies a function.
///
/// # Errors
/// None.
pub fn run(func: &mut Func) -> Result<(), Diags> {
    rewrite(func, &mut Simplify)
}

struct Simplify;

impl Rewrite for Simplify {
    fn op(&mut self, r: &mut Rewriter<'_>, id: OpId) -> Result<(), Diags> {
        visit(self, r, id)
    }
}

/// Simplifies one operation on behalf of a pass, which visits the operations in its regions.
pub(super) fn visit(pass: &mut impl Rewrite, r: &mut Rewriter<'_>, id: OpId) -> Result<(), Diags> {
    let op = r.old.op(id);
    match op.kind {
        OpKind::If => return if_(pass, r, id),
        OpKind::For { .. } => return for_(pass, r, id),
        OpKind::Check { .. } => {
            let ok = r.get(op.args[0]);
            if r.const_bits(ok).is_some_and(|bits| bits != 0) {
                return Ok(());
            }
        }
        _ => {}
    }
    if let ([result], true) = (&op.results[..], op.regions.is_empty()) {
        let args = r.get_all(&op.args);
        if let Some(v) = simpler(r, &op.kind, &args, r.old.ty(*result)) {
            r.set(*result, v);
            return Ok(());
        }
    }
    r.copy(pass, id)
}

fn if_(pass: &mut impl Rewrite, r: &mut Rewriter<'_>, id: OpId) -> Result<(), Diags> {
    let op = r.old.op(id);
    let cond = r.get(op.args[0]);
    if let Some(bits) = r.const_bits(cond) {
        let region = if bits != 0 { &op.regions[0] } else { &op.regions[1] };
        let (_, values) = r.inline(pass, region)?;
        r.set_all(&op.results, &values);
        return Ok(());
    }
    let scalars = op.results.iter().all(|&v| r.old.ty(v).scalar().is_some());
    if scalars && op.regions.iter().all(|g| g.ops.len() == 1) {
        let (a, b) = (terminator(r.old, &op.regions[0]), terminator(r.old, &op.regions[1]));
        for (i, &result) in op.results.iter().enumerate() {
            let v = build(r, OpKind::Select, &[cond, r.get(a[i]), r.get(b[i])], r.old.ty(result));
            r.set(result, v);
        }
        return Ok(());
    }
    r.copy(pass, id)?;
    // What both sides agree on comes from outside of the `if`.
    let Some(&first) = op.results.first() else {
        return Ok(());
    };
    let built = r.get(first);
    let yields = r.def(built).map(|op| op.regions.clone()).unwrap_or_default();
    if let [a, b] = &yields[..] {
        let (a, b) = (terminator(r.b.func(), a).to_vec(), terminator(r.b.func(), b).to_vec());
        for (i, &result) in op.results.iter().enumerate() {
            if a[i] == b[i] {
                r.set(result, a[i]);
            }
        }
    }
    Ok(())
}

/// Rounds of a `for` whose bounds are constants.
pub(super) fn trip_count(r: &mut Rewriter<'_>, bounds: [Value; 3]) -> Option<(Const, i128, u64)> {
    let ty = r.b.func().ty(bounds[0]).elem();
    let mut ints = [0i128; 3];
    for (n, v) in ints.iter_mut().zip(bounds) {
        *n = Const::new(ty, r.const_bits(v)?).int();
    }
    let [lo, hi, step] = ints;
    let count = if step > 0 && lo < hi {
        (hi - lo + step - 1) / step
    } else {
        0
    };
    Some((Const::new(ty, lo as u64), step, count as u64))
}

fn for_(pass: &mut impl Rewrite, r: &mut Rewriter<'_>, id: OpId) -> Result<(), Diags> {
    let op = r.old.op(id);
    let args = r.get_all(&op.args);
    let region = &op.regions[0];
    match trip_count(r, [args[0], args[1], args[2]]) {
        Some((_, _, 0)) => {
            r.set_all(&op.results, &args[3..]);
            return Ok(());
        }
        Some((_, _, 1)) => {
            r.set(region.args[0], args[0]);
            r.set_all(&region.args[1..], &args[3..]);
            let (_, values) = r.inline(pass, region)?;
            r.set_all(&op.results, &values);
            return Ok(());
        }
        _ => {}
    }
    // A carried value that every round hands on as it is stays what it was before the loop.
    let next = terminator(r.old, region);
    let changes: Vec<bool> = (0..next.len())
        .map(|i| next[i] != region.args[i + 1] && next[i] != op.args[i + 3])
        .collect();
    if changes.iter().all(|&c| c) {
        return r.copy(pass, id);
    }
    for (i, _) in changes.iter().enumerate().filter(|(_, &c)| !c) {
        r.set(region.args[i + 1], args[i + 3]);
        r.set(op.results[i], args[i + 3]);
    }
    let mut keep_args = vec![true];
    keep_args.extend(&changes);
    let body = r.region_some(pass, region, &keep_args, &changes)?;
    r.b.set_span(op.span);
    let mut operands = args[..3].to_vec();
    operands.extend(kept(&args[3..], &changes));
    let old_results = kept(&op.results, &changes);
    let tys: Vec<Ty> = old_results.iter().map(|&v| r.old.ty(v)).collect();
    let results = r.b.emit(op.kind.clone(), &operands, &tys, vec![body]);
    r.set_all(&old_results, &results);
    Ok(())
}

/// Builds an operation with a single result, simplified.
pub(super) fn build(r: &mut Rewriter<'_>, kind: OpKind, args: &[Value], ty: Ty) -> Value {
    match simpler(r, &kind, args, ty) {
        Some(v) => v,
        None => r.b.op1_as(kind, args, ty),
    }
}

fn constant(r: &mut Rewriter<'_>, c: Const) -> Value {
    r.b.constant(c.ty, c.bits)
}

/// A new value that is a constant scalar.
fn const_of(r: &mut Rewriter<'_>, v: Value) -> Option<Const> {
    let ty = r.b.func().ty(v).scalar()?;
    r.const_bits(v).map(|bits| Const::new(ty, bits))
}

/// Kind and operands of what defines a new value.
fn def(r: &mut Rewriter<'_>, v: Value) -> Option<(OpKind, Vec<Value>)> {
    r.def(v).map(|op| (op.kind.clone(), op.args.clone()))
}

/// A value equal to the operation's result, if there is something simpler than the operation.
fn simpler(r: &mut Rewriter<'_>, kind: &OpKind, args: &[Value], ty: Ty) -> Option<Value> {
    if matches!(kind, OpKind::Const { .. }) || args.len() > 3 {
        return None;
    }
    let mut found = [None; 3];
    for (c, &a) in found.iter_mut().zip(args) {
        *c = const_of(r, a);
    }
    let consts = &found[..args.len()];
    if !args.is_empty() && consts.iter().all(Option::is_some) {
        let values = found.map(|c| c.unwrap_or(Const::bool(false)));
        if let Some(c) = eval(kind, &values[..args.len()], ty) {
            return Some(constant(r, c));
        }
    }
    if kind.is_commutative() && consts[0].is_some() && consts[1].is_none() {
        return Some(build(r, kind.clone(), &[args[1], args[0]], ty));
    }
    match *kind {
        OpKind::Select => select(r, args, consts, ty),
        OpKind::Cmp { pred } => compare(r, pred, args, consts),
        OpKind::Cast => cast(r, args[0], ty),
        OpKind::Bitcast => bitcast(r, args[0], ty),
        OpKind::VecGet { index } => match def(r, args[0])? {
            (OpKind::VecBuild, elems) => Some(elems[index as usize]),
            (OpKind::FragSplat, elem) => Some(elem[0]),
            _ => None,
        },
        OpKind::BufferLen => match def(r, args[0])? {
            (OpKind::View, view) => Some(view[2]),
            _ => None,
        },
        OpKind::View => match def(r, args[0])? {
            (OpKind::View, outer) => {
                let u64 = Ty::Scalar(Scalar::U64);
                let offset = build(r, OpKind::Add, &[outer[1], args[1]], u64);
                Some(r.b.op1_as(OpKind::View, &[outer[0], offset, args[2]], ty))
            }
            _ => None,
        },
        OpKind::WaveId if r.old.waves() <= 1 => Some(r.b.u32(0)),
        OpKind::LocalId if r.old.waves() <= 1 => Some(r.b.op1(OpKind::LaneId, &[])),
        _ => {
            let elem = r.b.func().ty(*args.first()?).scalar()?;
            if elem.is_float() {
                floats::simpler(r, kind, args, consts)
            } else {
                ints::simpler(r, kind, args, consts)
            }
        }
    }
}

fn select(r: &mut Rewriter<'_>, args: &[Value], consts: &[Option<Const>], ty: Ty) -> Option<Value> {
    if let Some(c) = consts[0] {
        return Some(if c.bits != 0 { args[1] } else { args[2] });
    }
    if args[1] == args[2] {
        return Some(args[1]);
    }
    if let Some((OpKind::Not, inner)) = def(r, args[0]) {
        return Some(build(r, OpKind::Select, &[inner[0], args[2], args[1]], ty));
    }
    if consts[2].is_some_and(|c| c.bits == 0) && guarded_load(r, args[0], args[1]) {
        return Some(args[1]);
    }
    match (ty, consts[1], consts[2]) {
        (Ty::BOOL, None, Some(b)) if b.bits == 0 => return Some(build(r, OpKind::And, &[args[0], args[1]], ty)),
        (Ty::BOOL, Some(a), None) if a.bits != 0 => return Some(build(r, OpKind::Or, &[args[0], args[2]], ty)),
        _ => {}
    }
    match (ty, consts[1], consts[2]) {
        (Ty::BOOL, Some(a), Some(b)) if a.bits != b.bits => Some(if a.bits != 0 {
            args[0]
        } else {
            build(r, OpKind::Not, &[args[0]], ty)
        }),
        (_, Some(a), Some(b)) if a == b => Some(args[1]),
        _ => None,
    }
}

/// Does a load read 0 where the condition is false, because that compares its index with the length of the view?
fn guarded_load(r: &mut Rewriter<'_>, cond: Value, load: Value) -> bool {
    let Some((OpKind::Load, place)) = def(r, load) else {
        return false;
    };
    let (index, len) = match def(r, cond) {
        Some((OpKind::Cmp { pred: Pred::Lt }, args)) => (args[0], args[1]),
        Some((OpKind::Cmp { pred: Pred::Gt }, args)) => (args[1], args[0]),
        _ => return false,
    };
    let is_len = matches!(def(r, len), Some((OpKind::BufferLen, of)) if of[0] == place[0]);
    let is_part = matches!(def(r, place[0]), Some((OpKind::View, view)) if view[2] == len);
    index == place[1] && (is_len || is_part)
}

fn compare(r: &mut Rewriter<'_>, pred: Pred, args: &[Value], consts: &[Option<Const>]) -> Option<Value> {
    let ty = r.b.func().ty(args[0]).elem();
    if consts[0].is_some() {
        let kind = OpKind::Cmp { pred: pred.swapped() };
        return Some(build(r, kind, &[args[1], args[0]], Ty::BOOL));
    }
    if ty.is_float() {
        return None;
    }
    if args[0] == args[1] {
        let equal = matches!(pred, Pred::Eq | Pred::Le | Pred::Ge);
        return Some(constant(r, Const::bool(equal)));
    }
    let c = consts[1]?;
    if !ty.is_signed() && c.bits == 0 {
        match pred {
            Pred::Lt => return Some(constant(r, Const::bool(false))),
            Pred::Ge => return Some(constant(r, Const::bool(true))),
            _ => {}
        }
    }
    if ty == Scalar::Bool {
        match (pred, c.bits) {
            (Pred::Eq, 1) | (Pred::Ne, 0) => return Some(args[0]),
            (Pred::Eq, 0) | (Pred::Ne, 1) => return Some(build(r, OpKind::Not, &[args[0]], Ty::BOOL)),
            _ => {}
        }
    }
    None
}

/// The predicate that is true when this one is not; for floats only `==` and `!=` have one.
fn negated(pred: Pred, ty: Scalar) -> Option<Pred> {
    (!ty.is_float() || matches!(pred, Pred::Eq | Pred::Ne)).then(|| pred.negated())
}

fn cast(r: &mut Rewriter<'_>, x: Value, ty: Ty) -> Option<Value> {
    let from = r.b.func().ty(x).scalar()?;
    let to = ty.scalar()?;
    if from == to {
        return Some(x);
    }
    let (kind, inner) = def(r, x)?;
    if kind != OpKind::Cast {
        return None;
    }
    let origin = r.b.func().ty(inner[0]).scalar()?;
    if origin.is_float() {
        // To a wider float and back is exact.
        let wider = matches!(
            (origin, from),
            (Scalar::F16 | Scalar::Bf16, Scalar::F32 | Scalar::F64) | (Scalar::F32, Scalar::F64)
        );
        return (wider && origin == to).then_some(inner[0]);
    }
    if from.is_float() || to.is_float() {
        return None;
    }
    // Integers: the middle type does not matter if it is no narrower than the last, or holds every value of the first.
    let holds = from.bits() > origin.bits() && (!origin.is_signed() || from.is_signed());
    if to.bits() <= from.bits() || holds {
        return Some(build(r, OpKind::Cast, &[inner[0]], ty));
    }
    None
}

fn bitcast(r: &mut Rewriter<'_>, x: Value, ty: Ty) -> Option<Value> {
    if r.b.func().ty(x) == ty {
        return Some(x);
    }
    match def(r, x)? {
        (OpKind::Bitcast, inner) => Some(build(r, OpKind::Bitcast, &inner, ty)),
        _ => None,
    }
}
