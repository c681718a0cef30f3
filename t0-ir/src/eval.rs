//! What the pure operations compute on scalars: the one definition used for folding and by the interpreter.
//!
//! Integers follow Rust's wrapping operations with the total rules of [`OpKind`] for division and shifts. f32 and f64 are
//! the host's IEEE arithmetic. f16 operations are correctly rounded; bf16 operations are the f32 operation rounded to
//! nearest even (for all but `mul_add` that is the correctly rounded result too). Integers become f16 and bf16 through
//! f32. `exp`, `sin` … are computed in f64 and rounded. Every NaN result is the canonical quiet NaN of its type.
//! Method for rounding f64 to 16 bits: round to odd in f32 first, then to nearest even, which cannot round twice
//! (S. Boldo, G. Melquiond, "When double rounding is odd", 2005).

use half::{bf16, f16};

use crate::op::{OpKind, Pred, Rmw};
use crate::ty::{Scalar, Ty};

/// A scalar value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Const {
    /// Its type.
    pub ty: Scalar,
    /// Its bits, in the low end; the others are 0.
    pub bits: u64,
}

impl Const {
    /// From bits; those above the type's width are dropped.
    pub fn new(ty: Scalar, bits: u64) -> Const {
        Const {
            ty,
            bits: bits & mask(ty),
        }
    }

    /// A `bool`.
    pub fn bool(x: bool) -> Const {
        Const::new(Scalar::Bool, u64::from(x))
    }

    /// A `u32`.
    pub fn u32(x: u32) -> Const {
        Const::new(Scalar::U32, u64::from(x))
    }

    /// An `i32`.
    pub fn i32(x: i32) -> Const {
        Const::new(Scalar::I32, x as u64)
    }

    /// An `f32`.
    pub fn f32(x: f32) -> Const {
        Const::new(Scalar::F32, u64::from(x.to_bits()))
    }

    /// An integer or `bool` as a number, sign-extended if the type is signed; floats: their bits.
    pub fn int(self) -> i128 {
        if self.ty.is_signed() {
            let up = 64 - self.ty.bits();
            i128::from((self.bits << up) as i64 >> up)
        } else {
            i128::from(self.bits)
        }
    }

    /// A float as `f64` (exact); integers: their value, rounded if above 2^53.
    pub fn float(self) -> f64 {
        match self.ty {
            Scalar::F16 => f16::from_bits(self.bits as u16).to_f64(),
            Scalar::Bf16 => bf16::from_bits(self.bits as u16).to_f64(),
            Scalar::F32 => f64::from(f32::from_bits(self.bits as u32)),
            Scalar::F64 => f64::from_bits(self.bits),
            _ => self.int() as f64,
        }
    }

    /// Is this a NaN?
    pub fn is_nan(self) -> bool {
        self.ty.is_float() && self.float().is_nan()
    }

    /// Same type and bits, or both NaN of the same type: how tests compare.
    pub fn same(self, other: Const) -> bool {
        self == other || (self.ty == other.ty && self.is_nan() && other.is_nan())
    }

    /// An integer reduced to the type's width.
    fn wrap(ty: Scalar, x: i128) -> Const {
        Const::new(ty, x as u64)
    }

    /// The number 0 (or `false`, `+0.0`) of a type.
    pub fn zero(ty: Scalar) -> Const {
        Const::new(ty, 0)
    }
}

/// All bits of a type's width.
pub fn mask(ty: Scalar) -> u64 {
    u64::MAX >> (64 - ty.bits())
}

/// A float type's value of an f64, correctly rounded (to nearest, ties to even), NaN canonical.
///
/// # Panics
/// If `ty` is not a float type.
pub fn round(ty: Scalar, x: f64) -> Const {
    let bits = match ty {
        _ if x.is_nan() => canonical_nan(ty),
        Scalar::F64 => x.to_bits(),
        Scalar::F32 => u64::from((x as f32).to_bits()),
        Scalar::F16 => u64::from(f16::from_f32(round_to_odd(x)).to_bits()),
        Scalar::Bf16 => u64::from(bf16::from_f32(round_to_odd(x)).to_bits()),
        _ => panic!("eval: {ty} is not a float type"),
    };
    Const { ty, bits }
}

fn canonical_nan(ty: Scalar) -> u64 {
    match ty {
        Scalar::F16 => 0x7e00,
        Scalar::Bf16 => 0x7fc0,
        Scalar::F32 => 0x7fc0_0000,
        _ => 0x7ff8_0000_0000_0000,
    }
}

/// f64 → f32 rounding to odd: towards zero, then the last bit set if anything was lost. Not for NaN.
fn round_to_odd(x: f64) -> f32 {
    let near = x as f32;
    let back = f64::from(near);
    if back == x {
        return near;
    }
    let down = if back.abs() > x.abs() {
        f32::from_bits(near.to_bits() - 1) // towards zero: the magnitude is in the low 31 bits; also ∞ → largest
    } else {
        near
    };
    f32::from_bits(down.to_bits() | 1)
}

/// What an operation computes on scalar operands; `None` if it is not a pure scalar operation or its operand types do not
/// fit. `result` is the result's type (it decides for `cast` and `bitcast`).
pub fn eval(kind: &OpKind, args: &[Const], result: Ty) -> Option<Const> {
    let result = result.scalar()?;
    match (kind, args) {
        (OpKind::Const { ty, bits }, []) => Some(Const::new(*ty, *bits)),
        (OpKind::Cast, &[a]) => cast(a, result),
        (OpKind::Bitcast, &[a]) if a.ty.bits() == result.bits() => Some(Const::new(result, a.bits)),
        (OpKind::Select, &[c, a, b]) if c.ty == Scalar::Bool && a.ty == b.ty => Some(if c.bits != 0 { a } else { b }),
        (OpKind::Cmp { pred }, &[a, b]) if a.ty == b.ty => Some(Const::bool(compare(*pred, a, b))),
        (OpKind::Shl | OpKind::Shr, &[a, n]) if a.ty.is_int() && n.ty == Scalar::U32 => {
            let n = n.bits % u64::from(a.ty.bits());
            let shifted = if *kind == OpKind::Shl {
                a.int() << n
            } else {
                a.int() >> n
            };
            Some(Const::wrap(a.ty, shifted))
        }
        (_, &[a]) if a.ty.is_float() => float1(kind, a),
        (_, &[a]) => int1(kind, a),
        (_, &[a, b]) if a.ty != b.ty => None,
        (_, &[a, b]) if a.ty.is_float() => float2(kind, a, b),
        (_, &[a, b]) => int2(kind, a, b),
        (OpKind::MulAdd, &[a, b, c]) if a.ty == b.ty && b.ty == c.ty => mul_add(a, b, c),
        _ => None,
    }
}

/// What an atomic or reduction makes of the old and the new value (`Swap`: the new one); `None` where the type has no such
/// operation (bitwise on floats, arithmetic on `bool`).
pub fn rmw(op: Rmw, old: Const, new: Const) -> Option<Const> {
    let kind = match op {
        Rmw::Add => OpKind::Add,
        Rmw::Min => OpKind::Min,
        Rmw::Max => OpKind::Max,
        Rmw::And => OpKind::And,
        Rmw::Or => OpKind::Or,
        Rmw::Xor => OpKind::Xor,
        Rmw::Swap => return (old.ty == new.ty).then_some(new),
    };
    eval(&kind, &[old, new], Ty::Scalar(old.ty))
}

/// Is there a cast between two scalar types? Everything Rust's `as` allows, and between all float types: not to `bool`
/// from another type, not from `bool` to a float.
pub fn can_cast(from: Scalar, to: Scalar) -> bool {
    from == to || (to != Scalar::Bool && !(from == Scalar::Bool && to.is_float()))
}

fn cast(a: Const, to: Scalar) -> Option<Const> {
    if !can_cast(a.ty, to) {
        return None;
    }
    Some(match (a.ty.is_float(), to.is_float()) {
        _ if a.ty == to && !a.ty.is_float() => a,
        (true, true) => round(to, a.float()),
        (true, false) => saturate(to, a.float()),
        (false, false) => Const::wrap(to, a.int()),
        (false, true) => match to {
            Scalar::F64 => round(to, a.int() as f64),
            _ => round(to, f64::from(a.int() as f32)),
        },
    })
}

/// Rust's float → integer `as`: towards zero, clamped to the type's range, NaN → 0.
fn saturate(to: Scalar, x: f64) -> Const {
    let bits = to.bits();
    let (lo, hi) = if to.is_signed() {
        (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
    } else {
        (0, (1i128 << bits) - 1)
    };
    Const::wrap(to, (x as i128).clamp(lo, hi)) // `as i128` itself saturates and sends NaN to 0
}

fn compare(pred: Pred, a: Const, b: Const) -> bool {
    let order = if a.ty.is_float() {
        a.float().partial_cmp(&b.float())
    } else {
        Some(a.int().cmp(&b.int()))
    };
    match order {
        None => pred == Pred::Ne,
        Some(o) => match pred {
            Pred::Eq => o.is_eq(),
            Pred::Ne => o.is_ne(),
            Pred::Lt => o.is_lt(),
            Pred::Le => o.is_le(),
            Pred::Gt => o.is_gt(),
            Pred::Ge => o.is_ge(),
        },
    }
}

fn int1(kind: &OpKind, a: Const) -> Option<Const> {
    let ty = a.ty;
    if ty == Scalar::Bool {
        return (*kind == OpKind::Not).then(|| Const::bool(a.bits == 0));
    }
    let width = ty.bits();
    Some(match kind {
        OpKind::Neg => Const::wrap(ty, -a.int()),
        OpKind::Not => Const::wrap(ty, !a.int()),
        OpKind::Abs => Const::wrap(ty, a.int().abs()),
        OpKind::CountOnes => Const::u32(a.bits.count_ones()),
        OpKind::LeadingZeros => Const::u32(a.bits.leading_zeros() - (64 - width)),
        OpKind::TrailingZeros => Const::u32(a.bits.trailing_zeros().min(width)),
        OpKind::ReverseBits => Const::new(ty, a.bits.reverse_bits() >> (64 - width)),
        _ => return None,
    })
}

fn int2(kind: &OpKind, a: Const, b: Const) -> Option<Const> {
    let ty = a.ty;
    let (x, y) = (a.int(), b.int());
    Some(match kind {
        OpKind::And => Const::wrap(ty, x & y),
        OpKind::Or => Const::wrap(ty, x | y),
        OpKind::Xor => Const::wrap(ty, x ^ y),
        _ if ty == Scalar::Bool => return None,
        OpKind::Add => Const::wrap(ty, x + y),
        OpKind::Sub => Const::wrap(ty, x - y),
        OpKind::Mul => Const::wrap(ty, x.wrapping_mul(y)), // u64 · u64 may pass i128::MAX; the low 64 bits are right
        OpKind::Div if y == 0 => Const::new(ty, u64::MAX),
        OpKind::Div => Const::wrap(ty, x / y),
        OpKind::Rem if y == 0 => a,
        OpKind::Rem => Const::wrap(ty, x % y),
        OpKind::Min => Const::wrap(ty, x.min(y)),
        OpKind::Max => Const::wrap(ty, x.max(y)),
        _ => return None,
    })
}

fn float1(kind: &OpKind, a: Const) -> Option<Const> {
    let x = a.float();
    let sign = 1u64 << (a.ty.bits() - 1);
    Some(match kind {
        OpKind::Neg => Const::new(a.ty, a.bits ^ sign),
        OpKind::Abs => Const::new(a.ty, a.bits & !sign),
        OpKind::Sqrt => match a.ty {
            Scalar::F64 | Scalar::F32 => round(a.ty, x.sqrt()), // f64 has more than 2·24 + 2 bits: f32 is not rounded twice
            _ => round(a.ty, f64::from((x as f32).sqrt())),
        },
        OpKind::Exp => round(a.ty, x.exp()),
        OpKind::Exp2 => round(a.ty, x.exp2()),
        OpKind::Ln => round(a.ty, x.ln()),
        OpKind::Log2 => round(a.ty, x.log2()),
        OpKind::Sin => round(a.ty, x.sin()),
        OpKind::Cos => round(a.ty, x.cos()),
        OpKind::Floor => round(a.ty, x.floor()),
        OpKind::Ceil => round(a.ty, x.ceil()),
        OpKind::Trunc => round(a.ty, x.trunc()),
        OpKind::RoundEven => round(a.ty, x.round_ties_even()),
        _ => return None,
    })
}

fn float2(kind: &OpKind, a: Const, b: Const) -> Option<Const> {
    if matches!(kind, OpKind::Min | OpKind::Max) {
        return Some(float_min_max(*kind == OpKind::Max, a, b));
    }
    // f64 has at least 2p + 2 bits for p = 24 and less, so + - * / in f64 then rounding is the correctly rounded result.
    let (x, y) = (a.float(), b.float());
    let z = match kind {
        OpKind::Add => x + y,
        OpKind::Sub => x - y,
        OpKind::Mul => x * y,
        OpKind::Div => x / y,
        OpKind::Rem => x % y, // exact
        _ => return None,
    };
    Some(round(a.ty, z))
}

fn float_min_max(max: bool, a: Const, b: Const) -> Const {
    let (x, y) = (a.float(), b.float());
    let negative = a.bits >> (a.ty.bits() - 1) != 0;
    let take_a = match x.partial_cmp(&y) {
        _ if x.is_nan() => false,
        _ if y.is_nan() => true,
        Some(o) if o.is_lt() => !max,
        Some(o) if o.is_gt() => max,
        _ => negative != max, // equal: only the signs of zeros can differ
    };
    let c = if take_a { a } else { b };
    if c.is_nan() {
        Const::new(a.ty, canonical_nan(a.ty))
    } else {
        c
    }
}

fn mul_add(a: Const, b: Const, c: Const) -> Option<Const> {
    let (x, y, z) = (a.float(), b.float(), c.float());
    Some(match a.ty {
        Scalar::F64 => round(a.ty, x.mul_add(y, z)),
        Scalar::F32 | Scalar::Bf16 => round(a.ty, f64::from((x as f32).mul_add(y as f32, z as f32))),
        Scalar::F16 => round(a.ty, f16_mul_add(x, y, z)),
        _ => return None,
    })
}

/// x·y + z of three f16 numbers, rounded to odd in f64: rounding that to f16 rounds once.
fn f16_mul_add(x: f64, y: f64, z: f64) -> f64 {
    let p = x * y; // exact: 22 bits
    let s = p + z;
    if !s.is_finite() {
        return s;
    }
    let back = s - p; // Knuth's two-sum: s + lost = p + z exactly
    let lost = (p - (s - back)) + (z - back);
    if lost == 0.0 || s.to_bits() & 1 == 1 {
        return s;
    }
    // The last bit is even and something was lost: the odd neighbour on the side of what was lost.
    let away = (lost > 0.0) == (s > 0.0);
    f64::from_bits(if away { s.to_bits() + 1 } else { s.to_bits() - 1 })
}

#[cfg(test)]
#[path = "eval_tests.rs"]
mod tests;
