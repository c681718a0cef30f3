//! Identities of integers and `bool`. Arithmetic wraps, so sums and products of constants may be regrouped.

use super::{build, const_of, constant, def, negated};
use crate::eval::{eval, mask, Const};
use crate::func::Value;
use crate::op::OpKind;
use crate::passes::rewrite::Rewriter;
use crate::ty::{Scalar, Ty};

pub(super) fn simpler(r: &mut Rewriter<'_>, kind: &OpKind, args: &[Value], consts: &[Option<Const>]) -> Option<Value> {
    let scalar = r.b.func().ty(args[0]).scalar()?;
    let ty = Ty::Scalar(scalar);
    let zero = |r: &mut Rewriter<'_>| Some(constant(r, Const::zero(scalar)));
    let right = consts.get(1).copied().flatten();
    let same = args.len() == 2 && args[0] == args[1];
    match kind {
        OpKind::Sub | OpKind::Xor if same => return zero(r),
        OpKind::And | OpKind::Or | OpKind::Min | OpKind::Max if same => return Some(args[0]),
        OpKind::Neg => return undo(r, OpKind::Neg, args[0]),
        OpKind::Not => return not(r, args[0], ty),
        OpKind::Sub if consts[0].is_some_and(|c| c.bits == 0) => return Some(r.b.op1(OpKind::Neg, &[args[1]])),
        _ => {}
    }
    let c = right?;
    let all = c.bits == mask(scalar);
    match kind {
        OpKind::Add | OpKind::Sub | OpKind::Or | OpKind::Xor if c.bits == 0 => Some(args[0]),
        OpKind::Shl | OpKind::Shr if c.bits % u64::from(scalar.bits()) == 0 => Some(args[0]),
        OpKind::And if all => Some(args[0]),
        OpKind::And | OpKind::Mul if c.bits == 0 => zero(r),
        OpKind::Or if all => Some(constant(r, c)),
        OpKind::Xor if all => Some(build(r, OpKind::Not, &[args[0]], ty)),
        OpKind::Mul | OpKind::Div if c.bits == 1 => Some(args[0]),
        OpKind::Rem if c.bits == 1 => zero(r),
        OpKind::Sub => {
            let minus = eval(&OpKind::Neg, &[c], ty)?;
            let minus = constant(r, minus);
            Some(build(r, OpKind::Add, &[args[0], minus], ty))
        }
        OpKind::Mul if c.bits.is_power_of_two() => shift(r, OpKind::Shl, args[0], c.bits.trailing_zeros(), ty),
        OpKind::Div if !scalar.is_signed() && c.bits.is_power_of_two() => {
            shift(r, OpKind::Shr, args[0], c.bits.trailing_zeros(), ty)
        }
        OpKind::Rem if !scalar.is_signed() && c.bits.is_power_of_two() => {
            let low = constant(r, Const::new(scalar, c.bits - 1));
            Some(build(r, OpKind::And, &[args[0], low], ty))
        }
        OpKind::Add | OpKind::Mul | OpKind::And | OpKind::Or | OpKind::Xor => {
            place(r, kind, args[0], c).or_else(|| regroup(r, kind, args[0], c, ty))
        }
        OpKind::Shl | OpKind::Shr => place(r, kind, args[0], c).or_else(|| shift_twice(r, kind, args[0], c, ty)),
        _ => None,
    }
}

fn shift(r: &mut Rewriter<'_>, kind: OpKind, x: Value, by: u32, ty: Ty) -> Option<Value> {
    let by = r.b.u32(by);
    Some(build(r, kind, &[x, by], ty))
}

/// `f(f(x))` is `x`.
fn undo(r: &mut Rewriter<'_>, kind: OpKind, x: Value) -> Option<Value> {
    match def(r, x)? {
        (k, inner) if k == kind => Some(inner[0]),
        _ => None,
    }
}

fn not(r: &mut Rewriter<'_>, x: Value, ty: Ty) -> Option<Value> {
    match def(r, x)? {
        (OpKind::Not, inner) => Some(inner[0]),
        (OpKind::Cmp { pred }, inner) => {
            let pred = negated(pred, r.b.func().ty(inner[0]).elem())?;
            Some(build(r, OpKind::Cmp { pred }, &inner, ty))
        }
        _ => None,
    }
}

/// `(x op c1) op c2` is `x op (c1 op c2)`.
fn regroup(r: &mut Rewriter<'_>, kind: &OpKind, x: Value, c2: Const, ty: Ty) -> Option<Value> {
    let (inner_kind, inner) = def(r, x)?;
    if inner_kind != *kind {
        return None;
    }
    let c1 = const_of(r, inner[1])?;
    let c = constant(r, eval(kind, &[c1, c2], ty)?);
    Some(build(r, kind.clone(), &[inner[0], c], ty))
}

/// Two shifts one way are one, while the sum is below the width.
fn shift_twice(r: &mut Rewriter<'_>, kind: &OpKind, x: Value, c2: Const, ty: Ty) -> Option<Value> {
    let (inner_kind, inner) = def(r, x)?;
    if inner_kind != *kind {
        return None;
    }
    let bits = u64::from(ty.elem().bits());
    let sum = const_of(r, inner[1])?.bits % bits + c2.bits % bits;
    if sum >= bits {
        return None;
    }
    shift(r, kind.clone(), inner[0], sum as u32, ty)
}

/// A work-item's index is `32 · wave + lane`: its parts are known by name, and the wave's is uniform.
fn place(r: &mut Rewriter<'_>, kind: &OpKind, x: Value, c: Const) -> Option<Value> {
    let (OpKind::LocalId, _) = def(r, x)? else {
        return None;
    };
    match (kind, c.bits) {
        (OpKind::And, 31) => Some(r.b.op1(OpKind::LaneId, &[])),
        (OpKind::Shr, n) if c.ty == Scalar::U32 && (5..32).contains(&n) => {
            let wave = r.b.op1(OpKind::WaveId, &[]);
            shift(r, OpKind::Shr, wave, n as u32 - 5, Ty::U32)
        }
        _ => None,
    }
}
