//! The transcendental unit: 1/x, 1/sqrt, sqrt, 2^x, log2, sin, cos on rows of f32 and f16.
//!
//! Problem: the card promises 1 ulp for f32 and 0.51 ulp for f16 (RDNA3 ISA manual, VOP1), by tables nobody has
//! published; a host's libm is neither fast on rows nor the same everywhere.
//!
//! Method: each function is a fixed sequence of `+ - * /` and `sqrt` in f64 (or one IEEE f32 operation where that is
//! already the correctly rounded value), so every host gives the same bits; there are no branches on values, so the
//! host compiler makes vector code of a row. Polynomials are Chebyshev fits (mpmath, 60 digits) with relative errors of
//! 2^-40 (2^x), 2^-43 (log2) and 2^-41 (sin): f32 results are the correctly rounded value except within 2^-16 ulp of a
//! tie, so the error is below 0.501 ulp; f16 results are rounded from those.
//!
//! Invariant: a NaN operand comes back quiet; a NaN the function makes itself is the default NaN.
//!
//! The f32 unit has no denormals on either side whatever MODE says (LLVM lowers exp2, log2, sqrt and rcp with explicit
//! scaling for that reason). UNVERIFIED(hw): sqrt and rsq flush like rcp, exp and log do.

use super::{f16_to_f32, f32_to_f16_nearest, is_nan16, is_nan32, FpMode};
use crate::wave::{Row, LANES};

/// The functions of the transcendental unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trans {
    /// 1/x.
    Rcp,
    /// 1/sqrt(x).
    Rsq,
    /// sqrt(x).
    Sqrt,
    /// 2^x.
    Exp,
    /// log2(x).
    Log,
    /// sin(2 pi x).
    Sin,
    /// cos(2 pi x).
    Cos,
}

/// 2^x on [-1/2, 1/2].
const EXP2: [f64; 9] = [
    1.0,
    0.6931471805459335,
    0.2402265069581299,
    0.05550410941205933,
    0.009618129159402558,
    0.0013333450568000645,
    0.00015403455852453838,
    1.5310079402249296e-05,
    1.3255224878668817e-06,
];

/// sin(2 pi sqrt(u)) / sqrt(u) on [0, 1/16].
const SIN: [f64; 7] = [
    6.28318530717927,
    -41.341702239903675,
    81.60524914901583,
    -76.70584754377326,
    42.058134871372054,
    -15.081483206893,
    3.6658551595639612,
];

/// 2 atanh(sqrt(u)) / (sqrt(u) ln 2) on [0, 0.02945].
const LOG2: [f64; 6] = [
    2.8853900817778504,
    0.9617966941126749,
    0.5770779425301307,
    0.4122092382250214,
    0.31990618475532295,
    0.2828943745715255,
];

/// Adding and subtracting it rounds an f64 below 2^51 to the nearest integer, ties to even.
const TO_INTEGER: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52

#[inline(always)]
fn polynomial<const N: usize>(c: &[f64; N], x: f64) -> f64 {
    let mut sum = c[N - 1];
    for k in (0..N - 1).rev() {
        sum = sum * x + c[k];
    }
    sum
}

/// 2^x; beyond +-200 as at +-200, which no f32 holds either.
#[inline(always)]
fn exp2(x: f64) -> f64 {
    let x = if x > 200.0 { 200.0 } else { x };
    let x = if x < -200.0 { -200.0 } else { x };
    let n = x + TO_INTEGER;
    let p = polynomial(&EXP2, x - (n - TO_INTEGER));
    // The low bits of `n` are the integer; shifted up they wrap into an exponent field.
    p * f64::from_bits((n.to_bits() << 52).wrapping_add(1023 << 52))
}

/// log2 of a positive, normal, finite f32 pattern.
#[inline(always)]
fn log2(b: u32) -> f64 {
    const ROOT_HALF: u32 = 0x3f35_04f3;
    // Mantissa in [sqrt(1/2), sqrt(2)): no cancellation between exponent and logarithm.
    let t = b.wrapping_sub(ROOT_HALF) as i32;
    let e = f64::from(t >> 23);
    let m = f64::from(f32::from_bits((t as u32 & 0x7f_ffff) + ROOT_HALF));
    let s = (m - 1.0) / (m + 1.0);
    e + s * polynomial(&LOG2, s * s)
}

/// sin(2 pi r) for |r| <= 3/4.
#[inline(always)]
fn sin_turns(r: f64) -> f64 {
    let r = r - ((r + TO_INTEGER) - TO_INTEGER);
    // sin(pi - x) = sin(x): fold into [-1/4, 1/4]. Both differences are exact.
    let half = if r < 0.0 { -0.5 } else { 0.5 };
    let t = if r.abs() > 0.25 { half - r } else { r };
    t * polynomial(&SIN, t * t)
}

/// sin or cos of f32 turns. Outside +-256 turns the unit gives the value at 0 (GCN3 manual, V_SIN_F32/V_COS_F32).
/// UNVERIFIED(hw): RDNA3 keeps that range rule.
#[inline(always)]
fn circular(x: f32, quarter: f64) -> f32 {
    let d = f64::from(x);
    let d = if x.abs() > 256.0 { 0.0 } else { d };
    let r = d - ((d + TO_INTEGER) - TO_INTEGER);
    sin_turns(r + quarter) as f32
}

/// The function on an f32 whose denormals have been flushed; NaNs are the caller's.
#[inline(always)]
fn eval(f: Trans, b: u32) -> u32 {
    let x = f32::from_bits(b);
    let y = match f {
        Trans::Rcp => 1.0 / x,
        Trans::Sqrt => x.sqrt(),
        Trans::Rsq => (1.0 / f64::from(x).sqrt()) as f32,
        Trans::Exp => exp2(f64::from(x)) as f32,
        Trans::Log => {
            let y = log2(b) as f32;
            let y = if x == 0.0 { f32::NEG_INFINITY } else { y };
            let y = if x == f32::INFINITY { x } else { y };
            if x < 0.0 {
                f32::NAN
            } else {
                y
            }
        }
        Trans::Sin | Trans::Cos => {
            let y = circular(x, if f == Trans::Cos { 0.25 } else { 0.0 });
            let y = if f == Trans::Sin && x == 0.0 { x } else { y };
            if x.abs() == f32::INFINITY {
                f32::NAN
            } else {
                y
            }
        }
    };
    y.to_bits()
}

#[inline(always)]
fn flush(b: u32) -> u32 {
    if b & 0x7f80_0000 == 0 {
        b & 0x8000_0000
    } else {
        b
    }
}

/// The function on an f32 pattern.
#[inline(always)]
fn lane32(f: Trans, b: u32) -> u32 {
    let r = flush(eval(f, flush(b)));
    let r = if is_nan32(r) { 0x7fc0_0000 } else { r };
    if is_nan32(b) {
        b | 0x0040_0000
    } else {
        r
    }
}

/// The function on an f16 pattern: the f32 value rounded to f16; denormals follow MODE.
#[inline(always)]
fn lane16(f: Trans, h: u16, mode: FpMode) -> u16 {
    let r = eval(f, f16_to_f32(mode.in16(h)).to_bits());
    let r = mode.out16(f32_to_f16_nearest(f32::from_bits(r)));
    let r = if is_nan16(r) { 0x7e00 } else { r };
    if is_nan16(h) {
        h | 0x0200
    } else {
        r
    }
}

/// Makes a loop per function, so that each is vectorised by itself.
macro_rules! per_function {
    ($f:expr, $g:ident => $loop:expr) => {
        match $f {
            Trans::Rcp => {
                let $g = Trans::Rcp;
                $loop
            }
            Trans::Rsq => {
                let $g = Trans::Rsq;
                $loop
            }
            Trans::Sqrt => {
                let $g = Trans::Sqrt;
                $loop
            }
            Trans::Exp => {
                let $g = Trans::Exp;
                $loop
            }
            Trans::Log => {
                let $g = Trans::Log;
                $loop
            }
            Trans::Sin => {
                let $g = Trans::Sin;
                $loop
            }
            Trans::Cos => {
                let $g = Trans::Cos;
                $loop
            }
        }
    };
}

/// The function on a row of f32 patterns.
#[inline(always)]
pub fn row32(f: Trans, a: &Row) -> Row {
    let mut r = [0; LANES];
    per_function!(f, g => r.iter_mut().zip(a).for_each(|(r, &b)| *r = lane32(g, b)));
    r
}

/// The function on a row of f16 patterns.
#[inline(always)]
pub fn row16(f: Trans, a: &[u16; LANES], mode: FpMode) -> [u16; LANES] {
    let mut r = [0; LANES];
    per_function!(f, g => r.iter_mut().zip(a).for_each(|(r, &h)| *r = lane16(g, h, mode)));
    r
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Trans; 7] = [
        Trans::Rcp,
        Trans::Rsq,
        Trans::Sqrt,
        Trans::Exp,
        Trans::Log,
        Trans::Sin,
        Trans::Cos,
    ];

    fn one(f: Trans, b: u32) -> u32 {
        row32(f, &[b; LANES])[7]
    }

    /// The exact value as well as f64 has it: the host's libm, reductions done exactly first. It judges, it is not used.
    fn exact(f: Trans, x: f64) -> f64 {
        let turns = |x: f64| {
            let r = x - x.round_ties_even();
            // Near a zero of the sine the angle is measured from that zero.
            let t = if r.abs() > 0.25 { 0.5f64.copysign(r) - r } else { r };
            (t * std::f64::consts::TAU).sin()
        };
        match f {
            Trans::Rcp => 1.0 / x,
            Trans::Rsq => 1.0 / x.sqrt(),
            Trans::Sqrt => x.sqrt(),
            Trans::Exp => x.exp2(),
            Trans::Log => x.log2(),
            Trans::Sin if x.abs() > 256.0 => 0.0,
            Trans::Cos if x.abs() > 256.0 => 1.0,
            Trans::Sin => turns(x),
            Trans::Cos => turns(x - x.round_ties_even() + 0.25),
        }
    }

    /// |got - want| in units of the last place `want` has in a format with this many fraction bits and least exponent.
    fn error_in_ulp(got: f64, want: f64, frac: i32, emin: i32) -> f64 {
        let e = (((want.to_bits() >> 52) & 0x7ff) as i32 - 1023).max(emin);
        (got - want).abs() / 2f64.powi(e - frac)
    }

    #[test]
    fn f32_results_are_within_half_an_ulp_over_all_exponents() {
        for f in ALL {
            let mut worst = 0.0f64;
            // A step coprime to 2^32 visits every exponent with both signs.
            for k in 0..(1u32 << 17) {
                let row: Row =
                    std::array::from_fn(|l| (32 * k + l as u32).wrapping_mul(0x0001_00d7 | 1).rotate_left(k & 15));
                for (b, r) in row.into_iter().zip(row32(f, &row)) {
                    let b = flush(b);
                    let (x, got) = (f64::from(f32::from_bits(b)), f32::from_bits(r));
                    if x.is_nan() {
                        assert_eq!(r, b | 0x0040_0000);
                        continue;
                    }
                    let want = if x.is_infinite() && matches!(f, Trans::Sin | Trans::Cos) {
                        f64::NAN
                    } else {
                        exact(f, x)
                    };
                    if want.is_nan() {
                        assert_eq!(r, 0x7fc0_0000, "{f:?}({x:e})");
                    } else if want.abs() < f64::from(f32::MIN_POSITIVE) * (1.0 - 1e-8) {
                        assert_eq!(r & 0x7fff_ffff, 0, "{f:?}({x:e}) is flushed");
                    } else if want.abs() > f64::from(f32::MAX) * (1.0 + 1e-8) {
                        assert!(got.is_infinite(), "{f:?}({x:e}) overflows");
                    } else if want.is_infinite() || got.is_infinite() {
                        assert!(want.abs() > f64::from(f32::MAX), "{f:?}({x:e})");
                    } else {
                        worst = worst.max(error_in_ulp(f64::from(got), want, 23, -126));
                    }
                }
            }
            assert!(worst > 0.3 && worst < 0.501, "{f:?}: {worst}");
        }
    }

    #[test]
    fn f16_results_are_within_half_an_ulp_for_every_operand() {
        let keep = FpMode::from_mode(0x3f0);
        let drop = FpMode::from_mode(0x300);
        for f in ALL {
            let mut worst = 0.0f64;
            for h in 0..=u16::MAX {
                let [got, dropped] = [keep, drop].map(|m| row16(f, &[h; LANES], m)[0]);
                let flushed = |h: u16| if h & 0x7c00 == 0 { h & 0x8000 } else { h };
                assert_eq!(
                    dropped,
                    flushed(row16(f, &[flushed(h); LANES], keep)[0]),
                    "{f:?}({h:#x})"
                );
                let x = half::f16::from_bits(h).to_f64();
                if x.is_nan() {
                    assert_eq!(got, h | 0x0200);
                    continue;
                }
                let want = if x.is_infinite() && matches!(f, Trans::Sin | Trans::Cos) {
                    f64::NAN
                } else {
                    exact(f, x)
                };
                let y = half::f16::from_bits(got).to_f64();
                if want.is_nan() {
                    assert_eq!(got, 0x7e00, "{f:?}({x:e})");
                } else if want.abs() >= 65520.0 {
                    assert!(y.is_infinite() && (y > 0.0) == (want > 0.0), "{f:?}({x:e}) = {y:e}");
                } else {
                    worst = worst.max(error_in_ulp(y, want, 10, -14));
                }
            }
            assert!(worst > 0.3 && worst < 0.501, "{f:?}: {worst}");
        }
    }

    #[test]
    fn special_values() {
        let (inf, nan) = (0x7f80_0000u32, 0x7fc0_0000u32);
        let minus = |b: u32| b | 0x8000_0000;
        for (f, b, want) in [
            (Trans::Rcp, minus(0), minus(inf)),
            (Trans::Rcp, 1, inf),
            (Trans::Rcp, minus(inf), minus(0)),
            (Trans::Rcp, 0x7f00_0000, 0), // 2^127: the result is a denormal
            (Trans::Rcp, 0x7e80_0000, 0x0080_0000),
            (Trans::Rsq, 0, inf),
            (Trans::Rsq, minus(0), minus(inf)),
            (Trans::Rsq, inf, 0),
            (Trans::Rsq, minus(0x3f80_0000), nan),
            (Trans::Sqrt, minus(0), minus(0)),
            (Trans::Sqrt, minus(1), minus(0)),
            (Trans::Sqrt, minus(0x3f80_0000), nan),
            (Trans::Sqrt, inf, inf),
            (Trans::Exp, minus(inf), 0),
            (Trans::Exp, inf, inf),
            (Trans::Exp, 0x4300_0000, inf), // 2^128
            (Trans::Exp, 0x42fe_0000, 0x7f00_0000),
            (Trans::Exp, minus(0x42fc_0000), 0x0080_0000), // 2^-126
            (Trans::Exp, minus(0x42fd_0000), 0),
            (Trans::Exp, 0, 0x3f80_0000),
            (Trans::Exp, 0x7f80_0001, 0x7fc0_0001),
            (Trans::Log, 0, minus(inf)),
            (Trans::Log, minus(0), minus(inf)),
            (Trans::Log, 0x007f_ffff, minus(inf)),
            (Trans::Log, inf, inf),
            (Trans::Log, minus(inf), nan),
            (Trans::Log, 0x3f80_0000, 0),
            (Trans::Log, 0x0080_0000, 0xc2fc_0000), // -126
            (Trans::Sin, minus(0), minus(0)),
            (Trans::Sin, 0x3e80_0000, 0x3f80_0000),
            (Trans::Sin, 0x4380_0000, 0), // 256 turns
            (Trans::Sin, 0x4380_1000, 0), // 256.125 turns: out of range
            (Trans::Sin, inf, nan),
            (Trans::Cos, 0, 0x3f80_0000),
            (Trans::Cos, 0x3e80_0000, 0),
            (Trans::Cos, 0x4380_1000, 0x3f80_0000),
            (Trans::Cos, minus(inf), nan),
        ] {
            assert_eq!(one(f, b), want, "{f:?}({b:#010x}) = {:#010x}", one(f, b));
        }
    }

    /// Values computed with mpmath at 60 digits and rounded to f32.
    #[test]
    fn values_from_an_independent_calculator() {
        for (f, x, want) in [
            (Trans::Exp, 0.1f32, 0x3f89_2fdfu32),
            (Trans::Log, 3.0, 0x3fca_e00d),
            (Trans::Sin, 0.1, 0x3f16_7918),
            (Trans::Cos, 0.1, 0x3f4f_1bbd),
            (Trans::Rsq, 3.0, 0x3f13_cd3a),
        ] {
            assert_eq!(one(f, x.to_bits()), want, "{f:?}({x})");
        }
    }
}
