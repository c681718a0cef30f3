//! The card's adder behind `v_dot2_f32_f16`, `v_dot2_f32_bf16` and, in steps of two products, the float WMMA forms.
//!
//! Problem: silicon does not add in f32 one term after the other, as the manual's pseudocode says. Source: measurements
//! on gfx1151 (ROCm/rocm-systems issue 12056; its author's model agrees with silicon on 12 million cases).
//!
//! Method, as published there: both products are exact; the accumulator and the products are aligned on one grid and
//! added as integers. The grid's step is 2^-24 of the largest addend's exponent, where a product's exponent is the *sum
//! of its operands'* exponents, not that of its normalised value; a denormal operand has the least exponent. The sum's
//! sign frame is the accumulator's sign: an addend of the other sign is bit-inverted without the + 1 that would complete
//! the negation, so it counts one step too many (`-1 + 3*8 + 8*4` gives 55.0000038). The result is rounded once, to
//! nearest even. bf16 denormal *operands* and f32 denormals are flushed, f16 denormals are not. Infinities and NaNs
//! follow IEEE.
//!
//! Consequence: addends of one sign that fit the grid are summed exactly.
//!
//! UNVERIFIED(hw): not published in words, chosen here: bits below the grid are dropped before the inversion; a product
//! that is exactly zero does not take part; an accumulator of zero gives the frame its sign bit; a sum of zero is +0,
//! or -0 when all three addends are. That gfx1100 does what gfx1151 does. For WMMA: that the 16 products go through the
//! adder in eight steps of two, k ascending, each step rounded to f32, the 16-bit forms rounded once more at the end
//! (to nearest, RDNA3 ISA manual 7.9).

use super::{Format, BF16, F16};

/// The format of a product's operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// binary16.
    F16,
    /// bfloat16.
    Bf16,
}

impl Half {
    fn format(self) -> Format {
        match self {
            Half::F16 => F16,
            Half::Bf16 => BF16,
        }
    }
}

/// A finite number: sign, integer significand, exponent of the significand's implicit-one place.
#[derive(Clone, Copy)]
struct Unpacked {
    negative: bool,
    significand: u32,
    exponent: i32,
}

/// `None` for infinities and NaNs.
#[inline(always)]
fn unpack(h: u16, half: Half) -> Option<Unpacked> {
    let f = half.format();
    let field = i32::from(h >> f.frac) & ((1 << f.exp) - 1);
    if field == (1 << f.exp) - 1 {
        return None;
    }
    let fraction = u32::from(h) & ((1 << f.frac) - 1);
    let significand = match (field, half) {
        (0, Half::F16) => fraction,
        (0, Half::Bf16) => 0,
        _ => fraction | 1 << f.frac,
    };
    Some(Unpacked {
        negative: h & 0x8000 != 0,
        significand,
        exponent: field.max(1) - f.bias,
    })
}

/// The exact product of two halves.
#[inline(always)]
fn product(a: u16, b: u16, half: Half) -> Option<Unpacked> {
    let (a, b) = (unpack(a, half)?, unpack(b, half)?);
    Some(Unpacked {
        negative: a.negative != b.negative,
        significand: a.significand * b.significand,
        exponent: a.exponent + b.exponent,
    })
}

/// `c + a[0] * b[0] + a[1] * b[1]` as the card's adder gives it; `c` and the result are f32 patterns.
pub fn dot2(c: u32, a: [u16; 2], b: [u16; 2], half: Half) -> u32 {
    let (Some(p), Some(q), false) = (
        product(a[0], b[0], half),
        product(a[1], b[1], half),
        c & 0x7f80_0000 == 0x7f80_0000,
    ) else {
        return not_finite(c, a, b, half);
    };
    let frame = c >> 31 == 1;
    let normal = c & 0x7f80_0000 != 0;
    let c = Unpacked {
        negative: frame,
        significand: if normal { c & 0x7f_ffff | 0x80_0000 } else { 0 },
        exponent: (c >> 23 & 255) as i32 - 127,
    };
    let fraction = 2 * half.format().frac as i32;
    let addends = [(c, 23), (p, fraction), (q, fraction)];
    let live = addends.iter().filter(|(x, _)| x.significand != 0);
    let Some(top) = live.map(|(x, _)| x.exponent).max() else {
        let all_negative = addends.iter().all(|(x, _)| x.negative);
        return u32::from(all_negative) << 31;
    };
    let mut sum = 0i64;
    for (x, fraction) in addends {
        if x.significand == 0 {
            continue;
        }
        let shift = 24 - fraction - (top - x.exponent);
        let units = if shift >= 0 {
            i64::from(x.significand) << shift
        } else {
            i64::from(x.significand) >> (-shift).min(63)
        };
        sum += if x.negative == frame { units } else { !units };
    }
    // At most 29 bits times a power of two in f64's normal range: exact, so `as f32` is the only rounding.
    let value = sum as f64 * super::pow2(top - 24);
    let r = (if frame { -value } else { value } as f32).to_bits();
    match r & 0x7f80_0000 {
        _ if sum == 0 => 0,
        0 => r & 0x8000_0000,
        _ => r,
    }
}

/// IEEE sums with an infinity or NaN among the operands: any order gives the same.
#[cold]
fn not_finite(c: u32, a: [u16; 2], b: [u16; 2], half: Half) -> u32 {
    let value = |h: u16| match half {
        Half::F16 => super::f16_to_f64(h),
        Half::Bf16 => f64::from(super::bf16_to_f32(h)),
    };
    // In f64 no finite product or sum overflows, so only true infinities make infinities and NaNs.
    let sum = f64::from(f32::from_bits(c)) + value(a[0]) * value(b[0]) + value(a[1]) * value(b[1]);
    match sum {
        s if s.is_nan() => 0x7fc0_0000,
        s if s > 0.0 => 0x7f80_0000,
        _ => 0xff80_0000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::{bf16, f16};

    fn f16s(c: f32, a: [f32; 2], b: [f32; 2]) -> u32 {
        let h = |x: [f32; 2]| x.map(|x| f16::from_f32(x).to_bits());
        dot2(c.to_bits(), h(a), h(b), Half::F16)
    }

    #[test]
    fn published_examples() {
        assert_eq!(f16s(1.0, [3.0, 8.0], [8.0, 4.0]), 57f32.to_bits());
        assert_eq!(f16s(-1.0, [3.0, 8.0], [8.0, 4.0]), 0x425c_0001); // 55 + 2^-18 = 55.0000038
        assert_eq!(dot2(0, [0x0001, 0], [0x4980, 0], Half::Bf16), 0);
        assert_eq!(dot2(0, [0x0700, 0], [0x3f80, 0], Half::Bf16), 0x0700_0000);
    }

    #[test]
    fn integers_of_one_sign_are_exact() {
        for k in 0..40_000u32 {
            let v = [k % 31, k / 31 % 37, k / 7 % 41, k / 3 % 43].map(|x| x as f32);
            let c = (k * 17) as f32;
            let want = c + v[0] * v[1] + v[2] * v[3];
            assert_eq!(f16s(c, [v[0], v[2]], [v[1], v[3]]), want.to_bits());
            assert_eq!(f16s(-c, [-v[0], v[2]], [v[1], -v[3]]), (-want).to_bits());
            let h = |x: f32| bf16::from_f32(x).to_bits();
            assert_eq!(
                dot2(c.to_bits(), [h(v[0]), h(v[2])], [h(v[1]), h(v[3])], Half::Bf16),
                want.to_bits()
            );
        }
    }

    #[test]
    fn an_addend_against_the_frame_counts_one_step_too_many() {
        // 2^0 is the largest exponent: the step is 2^-24.
        assert_eq!(f16s(1.0, [-1.0, 0.0], [1.0, 0.0]), (-(2f32.powi(-24))).to_bits());
        assert_eq!(f16s(-1.0, [1.0, 0.0], [1.0, 0.0]), 2f32.powi(-24).to_bits());
        // Products that cancel each other leave the step of the one against the frame.
        assert_eq!(f16s(0.0, [2.0, -2.0], [1.0, 1.0]), (-(2f32.powi(-23))).to_bits());
        // 1.5 * 1.5 = 2.25 has exponent 1, its operands' exponents sum to 0: the step is still 2^-24.
        assert_eq!(f16s(-1.5, [1.5, 0.0], [1.5, 0.0]), (0.75 + 2f32.powi(-24)).to_bits());
    }

    #[test]
    fn denormals_and_specials() {
        let (tiny, min) = (0x0001u16, 0x0400u16);
        // f16 denormal operands count: 2^-24 * 2^-14.
        assert_eq!(dot2(0, [tiny, 0], [min, 0], Half::F16), 2f32.powi(-38).to_bits());
        // f32 denormals are flushed on both sides.
        assert_eq!(dot2(0x0000_0001, [0, 0], [0, 0], Half::F16), 0);
        assert_eq!(dot2(0x8000_0001, [0, 0], [0x8000, 0x8000], Half::F16), 0x8000_0000);
        assert_eq!(dot2(0, [0x0080, 0], [0x3f00, 0], Half::Bf16), 0); // 2^-126 * 0.5
        assert_eq!(dot2(0, [0x7c00, 0], [0x3c00, 0], Half::F16), 0x7f80_0000);
        assert_eq!(dot2(0, [0x7c00, 0xfc00], [0x3c00, 0x3c00], Half::F16), 0x7fc0_0000);
        assert_eq!(dot2(0, [0x7c00, 0], [0, 0], Half::F16), 0x7fc0_0000);
        assert_eq!(dot2(0xff80_0000, [0x3c00, 0], [0x3c00, 0], Half::F16), 0xff80_0000);
        assert_eq!(dot2(0x7f7f_ffff, [0x7f00, 0], [0x7f00, 0], Half::Bf16), 0x7f80_0000);
    }
}
