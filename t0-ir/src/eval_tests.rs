//! Judges: Rust's own operators for integers, f32 and f64; for 16-bit floats a search over all values of the type with
//! exact comparison of distances.
#![allow(clippy::unwrap_used)]

use super::*;

fn ev(kind: OpKind, args: &[Const], ty: Scalar) -> Const {
    eval(&kind, args, Ty::Scalar(ty)).unwrap()
}

fn c(ty: Scalar, x: i128) -> Const {
    Const::new(ty, x as u64)
}

/// The nearest value of a 16-bit float type to an exactly known number, ties to even, by search; `half_max` is where
/// rounding goes to infinity.
fn nearest(ty: Scalar, x: f64) -> u64 {
    let inf: u64 = if ty == Scalar::F16 { 0x7c00 } else { 0x7f80 };
    let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
    let x = x.abs();
    let val = |bits: u64| {
        if bits == inf {
            // what the next exponent would give: the rounding boundary lies half-way to it
            2.0 * Const::new(ty, inf - (1 << if ty == Scalar::F16 { 10 } else { 7 })).float()
        } else {
            Const::new(ty, bits).float()
        }
    };
    let (mut lo, mut hi) = (0u64, inf);
    while hi - lo > 1 {
        let mid = (lo + hi) / 2;
        if val(mid) <= x {
            lo = mid;
        } else {
            hi = mid;
        }
    }
    let (dl, dh) = (x - val(lo), val(hi) - x);
    let pick = if dl < dh || (dl == dh && lo & 1 == 0) { lo } else { hi };
    pick | sign
}

#[test]
fn rounding_to_16_bits() {
    for ty in [Scalar::F16, Scalar::Bf16] {
        for bits in 0..0x8000u64 {
            let a = Const::new(ty, bits);
            if a.is_nan() {
                assert_eq!(round(ty, a.float()).bits, canonical_nan(ty));
                continue;
            }
            assert_eq!(round(ty, a.float()).bits, bits);
            let next = Const::new(ty, bits + 1);
            if next.is_nan() || next.float().is_infinite() || a.float().is_infinite() {
                continue;
            }
            let mid = (a.float() + next.float()) / 2.0; // exact in f64
            for x in [
                mid,
                f64::from_bits(mid.to_bits() - 1),
                f64::from_bits(mid.to_bits() + 1),
            ] {
                assert_eq!(round(ty, x).bits, nearest(ty, x), "{ty} {x:e}");
                assert_eq!(round(ty, -x).bits, nearest(ty, -x), "{ty} {x:e}");
            }
        }
    }
    assert_eq!(round(Scalar::F16, 65519.999).bits, 0x7bff);
    assert_eq!(round(Scalar::F16, 65520.0).bits, 0x7c00);
    assert_eq!(round(Scalar::F16, -1e300).bits, 0xfc00);
    assert_eq!(round(Scalar::Bf16, 1e300).bits, 0x7f80);
    assert_eq!(round(Scalar::F16, 1e-300).bits, 0);
    assert_eq!(round(Scalar::Bf16, -1e-300).bits, 0x8000);
}

#[test]
fn f16_arithmetic_is_correctly_rounded() {
    let mut seed = 1u32;
    let mut next = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        Const::new(Scalar::F16, u64::from(seed >> 16))
    };
    for _ in 0..200_000 {
        let (a, b, cc) = (next(), next(), next());
        let (x, y, z) = (a.float(), b.float(), cc.float());
        if !(x.is_finite() && y.is_finite() && z.is_finite()) {
            continue;
        }
        // Sums and products of f16 numbers are exact in f64.
        assert_eq!(
            ev(OpKind::Add, &[a, b], Scalar::F16).bits,
            nearest(Scalar::F16, x + y),
            "{x} + {y}"
        );
        assert_eq!(
            ev(OpKind::Mul, &[a, b], Scalar::F16).bits,
            nearest(Scalar::F16, x * y),
            "{x} * {y}"
        );
        // x·y + z exactly, in units of 2^-48, as an integer: at most 2^80.
        let unit = 2f64.powi(48);
        let exact = (x * y * unit) as i128 + (z * unit) as i128;
        let got = ev(OpKind::MulAdd, &[a, b, cc], Scalar::F16);
        if exact == 0 || got.float().is_infinite() {
            assert!(exact.unsigned_abs() >= 65520u128 << 48 || got.float() == 0.0);
            continue;
        }
        let err = ((got.float() * unit) as i128 - exact).unsigned_abs();
        let up = Const::new(Scalar::F16, got.bits + 1);
        let down = Const::new(Scalar::F16, got.bits.wrapping_sub(1));
        for n in [up, down] {
            if n.is_nan() || n.float().is_infinite() || got.float() == 0.0 {
                continue;
            }
            let other = ((n.float() * unit) as i128 - exact).unsigned_abs();
            assert!(
                err < other || (err == other && got.bits & 1 == 0),
                "{x} * {y} + {z}: {} or {}",
                got.float(),
                n.float()
            );
        }
    }
}

#[test]
fn f16_mul_add_needs_one_rounding() {
    // 1 + 2^-11 exactly half-way, then a nudge of 2^-24 that an f64-free f32 path would also keep, and one of 2^-48 it would lose.
    let a = Const::new(Scalar::F16, 0x0001); // 2^-24
    let one = Const::new(Scalar::F16, 0x3c00);
    let got = ev(OpKind::MulAdd, &[a, a, one], Scalar::F16);
    assert_eq!(got.bits, 0x3c00);
    let big = Const::new(Scalar::F16, 0x7bff); // 65504
    let x = Const::new(Scalar::F16, 0x4c00); // 16: 65504 + 16 = half-way to infinity, minus 2^-48 stays finite
    let p = ev(OpKind::MulAdd, &[one, big, x], Scalar::F16);
    assert_eq!(p.bits, 0x7c00);
}

macro_rules! int_tests {
    ($($t:ident $s:ident),*) => { $(
        #[test]
        fn $t() {
            let xs = [0, 1, 2, 3, 5, 7, 8, 31, 100, $t::MAX, $t::MAX - 1, $t::MIN, $t::MIN + 1, $t::MAX / 3, $t::MIN / 3, (0 as $t).wrapping_sub(1), (0 as $t).wrapping_sub(7)];
            let s = Scalar::$s;
            for &x in &xs {
                let a = c(s, x as i128);
                assert_eq!(a.int(), x as i128);
                assert_eq!(ev(OpKind::Neg, &[a], s), c(s, x.wrapping_neg() as i128));
                assert_eq!(ev(OpKind::Not, &[a], s), c(s, !x as i128));
                assert_eq!(ev(OpKind::CountOnes, &[a], Scalar::U32).bits, u64::from(x.count_ones()));
                assert_eq!(ev(OpKind::LeadingZeros, &[a], Scalar::U32).bits, u64::from(x.leading_zeros()));
                assert_eq!(ev(OpKind::TrailingZeros, &[a], Scalar::U32).bits, u64::from(x.trailing_zeros()));
                assert_eq!(ev(OpKind::ReverseBits, &[a], s), c(s, x.reverse_bits() as i128));
                assert_eq!(ev(OpKind::Cast, &[a], Scalar::F32).bits, u64::from((x as f32).to_bits()));
                assert_eq!(ev(OpKind::Cast, &[a], Scalar::F64).bits, (x as f64).to_bits());
                assert_eq!(ev(OpKind::Cast, &[a], Scalar::I8), c(Scalar::I8, x as i8 as i128));
                assert_eq!(ev(OpKind::Cast, &[a], Scalar::U16), c(Scalar::U16, x as u16 as i128));
                assert_eq!(ev(OpKind::Cast, &[a], Scalar::I32), c(Scalar::I32, x as i32 as i128));
                assert_eq!(ev(OpKind::Cast, &[a], Scalar::U64), c(Scalar::U64, x as u64 as i128));
                assert_eq!(ev(OpKind::Cast, &[a], Scalar::I64), c(Scalar::I64, x as i64 as i128));
                for &y in &xs {
                    let b = c(s, y as i128);
                    let two = |k| ev(k, &[a, b], s);
                    assert_eq!(two(OpKind::Add), c(s, x.wrapping_add(y) as i128));
                    assert_eq!(two(OpKind::Sub), c(s, x.wrapping_sub(y) as i128));
                    assert_eq!(two(OpKind::Mul), c(s, x.wrapping_mul(y) as i128));
                    assert_eq!(two(OpKind::And), c(s, (x & y) as i128));
                    assert_eq!(two(OpKind::Or), c(s, (x | y) as i128));
                    assert_eq!(two(OpKind::Xor), c(s, (x ^ y) as i128));
                    assert_eq!(two(OpKind::Min), c(s, x.min(y) as i128));
                    assert_eq!(two(OpKind::Max), c(s, x.max(y) as i128));
                    let div = if y == 0 { -1 } else { x.wrapping_div(y) as i128 };
                    let rem = if y == 0 { x as i128 } else { x.wrapping_rem(y) as i128 };
                    assert_eq!(two(OpKind::Div), c(s, div), "{x} / {y}");
                    assert_eq!(two(OpKind::Rem), c(s, rem), "{x} % {y}");
                    let n = y as u32;
                    assert_eq!(ev(OpKind::Shl, &[a, Const::u32(n)], s), c(s, x.wrapping_shl(n) as i128));
                    assert_eq!(ev(OpKind::Shr, &[a, Const::u32(n)], s), c(s, x.wrapping_shr(n) as i128));
                    for (pred, want) in [(Pred::Eq, x == y), (Pred::Ne, x != y), (Pred::Lt, x < y), (Pred::Le, x <= y), (Pred::Gt, x > y), (Pred::Ge, x >= y)] {
                        assert_eq!(ev(OpKind::Cmp { pred }, &[a, b], Scalar::Bool), Const::bool(want));
                    }
                }
            }
        }
    )* };
}
int_tests!(i8 I8, i16 I16, i32 I32, i64 I64, u8 U8, u16 U16, u32 U32, u64 U64);

const FLOATS: [f32; 26] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    3.0,
    1e-45,
    -1e-45,
    1.1754944e-38,
    1e-20,
    1e20,
    3.4028235e38,
    -3.4028235e38,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    2147483648.0,
    -2147483648.0,
    4294967296.0,
    16777217.0,
    0.1,
    std::f32::consts::PI,
];

fn same(got: Const, want: f32, what: &str) {
    assert!(got.same(Const::f32(want)), "{what}: {} instead of {want}", got.float());
}

#[test]
fn f32_is_the_hosts() {
    for x in FLOATS {
        let a = Const::f32(x);
        let one = |k| ev(k, &[a], Scalar::F32);
        same(one(OpKind::Neg), -x, "neg");
        same(one(OpKind::Abs), x.abs(), "abs");
        same(one(OpKind::Sqrt), x.sqrt(), "sqrt");
        same(one(OpKind::Floor), x.floor(), "floor");
        same(one(OpKind::Ceil), x.ceil(), "ceil");
        same(one(OpKind::Trunc), x.trunc(), "trunc");
        same(one(OpKind::RoundEven), x.round_ties_even(), "round_even");
        let to = |t| ev(OpKind::Cast, &[a], t).int();
        assert_eq!(to(Scalar::I8), x as i8 as i128);
        assert_eq!(to(Scalar::U8), x as u8 as i128);
        assert_eq!(to(Scalar::I16), x as i16 as i128);
        assert_eq!(to(Scalar::U16), x as u16 as i128);
        assert_eq!(to(Scalar::I32), x as i32 as i128);
        assert_eq!(to(Scalar::U32), x as u32 as i128);
        assert_eq!(to(Scalar::I64), x as i64 as i128);
        assert_eq!(to(Scalar::U64), x as u64 as i128);
        let h = ev(OpKind::Cast, &[a], Scalar::F16);
        assert!(h.same(Const::new(Scalar::F16, u64::from(f16::from_f32(x).to_bits()))));
        for y in FLOATS {
            let b = Const::f32(y);
            let two = |k| ev(k, &[a, b], Scalar::F32);
            same(two(OpKind::Add), x + y, "add");
            same(two(OpKind::Sub), x - y, "sub");
            same(two(OpKind::Mul), x * y, "mul");
            same(two(OpKind::Div), x / y, "div");
            same(two(OpKind::Rem), x % y, "rem");
            for (pred, want) in [
                (Pred::Eq, x == y),
                (Pred::Ne, x != y),
                (Pred::Lt, x < y),
                (Pred::Le, x <= y),
                (Pred::Gt, x > y),
                (Pred::Ge, x >= y),
            ] {
                assert_eq!(
                    ev(OpKind::Cmp { pred }, &[a, b], Scalar::Bool),
                    Const::bool(want),
                    "{x} {pred:?} {y}"
                );
            }
            for z in FLOATS {
                let got = ev(OpKind::MulAdd, &[a, b, Const::f32(z)], Scalar::F32);
                same(got, x.mul_add(y, z), "mul_add");
            }
        }
    }
}

#[test]
fn min_max_of_zeros_and_nans() {
    let (p, n, nan, one) = (Const::f32(0.0), Const::f32(-0.0), Const::f32(f32::NAN), Const::f32(1.0));
    for (a, b) in [(p, n), (n, p)] {
        assert_eq!(ev(OpKind::Min, &[a, b], Scalar::F32), n);
        assert_eq!(ev(OpKind::Max, &[a, b], Scalar::F32), p);
    }
    for (a, b) in [(nan, one), (one, nan)] {
        assert_eq!(ev(OpKind::Min, &[a, b], Scalar::F32), one);
        assert_eq!(ev(OpKind::Max, &[a, b], Scalar::F32), one);
    }
    assert!(ev(OpKind::Min, &[nan, nan], Scalar::F32).is_nan());
}

#[test]
fn bools() {
    let (t, f) = (Const::bool(true), Const::bool(false));
    assert_eq!(ev(OpKind::Not, &[t], Scalar::Bool), f);
    assert_eq!(ev(OpKind::And, &[t, f], Scalar::Bool), f);
    assert_eq!(ev(OpKind::Or, &[t, f], Scalar::Bool), t);
    assert_eq!(ev(OpKind::Xor, &[t, t], Scalar::Bool), f);
    assert_eq!(ev(OpKind::Cast, &[t], Scalar::I32), Const::i32(1));
    assert_eq!(eval(&OpKind::Add, &[t, f], Ty::BOOL), None);
    assert_eq!(eval(&OpKind::Cast, &[t], Ty::F32), None);
    assert_eq!(eval(&OpKind::Cast, &[Const::u32(1)], Ty::BOOL), None);
}
