//! Identities of floats that hold for every operand: infinities, zeros of both signs, denormals, NaN.

use super::{build, constant, def};
use crate::eval::{round, Const};
use crate::func::Value;
use crate::op::OpKind;
use crate::passes::rewrite::Rewriter;

pub(super) fn simpler(r: &mut Rewriter<'_>, kind: &OpKind, args: &[Value], consts: &[Option<Const>]) -> Option<Value> {
    let ty = r.b.func().ty(args[0]);
    let right = consts.get(1).copied().flatten();
    let is = |x: f64| {
        right.is_some_and(|c| c.float() == x && (x != 0.0 || c.float().is_sign_negative() == x.is_sign_negative()))
    };
    match kind {
        OpKind::Add if is(-0.0) => Some(args[0]), // x + +0 is not x for x = -0
        OpKind::Sub if is(0.0) => Some(args[0]),
        OpKind::Mul | OpKind::Div if is(1.0) => Some(args[0]),
        OpKind::Mul | OpKind::Div if is(-1.0) => Some(build(r, OpKind::Neg, &[args[0]], ty)),
        OpKind::Div => {
            let inverse = exact_inverse(right?)?;
            let inverse = constant(r, inverse);
            Some(build(r, OpKind::Mul, &[args[0], inverse], ty))
        }
        OpKind::Neg => match def(r, args[0])? {
            (OpKind::Neg, inner) => Some(inner[0]),
            _ => None,
        },
        OpKind::Abs => match def(r, args[0])? {
            (OpKind::Neg, inner) => Some(build(r, OpKind::Abs, &inner, ty)),
            (OpKind::Abs, _) => Some(args[0]),
            _ => None,
        },
        OpKind::Min | OpKind::Max if args[0] == args[1] => Some(args[0]),
        OpKind::MulAdd if is(1.0) => Some(build(r, OpKind::Add, &[args[0], args[2]], ty)),
        _ => None,
    }
}

/// 1/c where it is a number of the type, so that dividing by c and multiplying by 1/c round the same real number.
fn exact_inverse(c: Const) -> Option<Const> {
    let x = c.float();
    let inverse = round(c.ty, 1.0 / x);
    let y = inverse.float();
    let power_of_two = x.is_normal() && x.to_bits() << 12 == 0;
    (power_of_two && y.is_finite() && y != 0.0 && x * y == 1.0).then_some(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverses() {
        assert_eq!(exact_inverse(Const::f32(4.0)), Some(Const::f32(0.25)));
        assert_eq!(exact_inverse(Const::f32(-0.5)), Some(Const::f32(-2.0)));
        assert_eq!(exact_inverse(Const::f32(3.0)), None);
        assert_eq!(exact_inverse(Const::f32(0.0)), None);
        assert_eq!(exact_inverse(Const::f32(f32::INFINITY)), None);
        assert_eq!(exact_inverse(Const::f32(f32::from_bits(1))), None); // 2^149 is past the largest f32
        let large = Const::f32(f32::from_bits(0x7f00_0000)); // 2^127: its inverse is a denormal and exact
        assert_eq!(exact_inverse(large), Some(Const::f32(f32::from_bits(0x0040_0000))));
    }
}
