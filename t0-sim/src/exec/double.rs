//! f64 arithmetic in every rounding direction, the f64 division steps, and the bits of 2/pi.
//!
//! The host's f64 rounds to nearest only. Sums and products in another direction, and every scaled result, go through
//! [`fma_scaled`]: exact 128-bit integers with a sticky bit, rounded once. Both addends are first brought to 125 bits;
//! a product has at most 106 significant ones, so an alignment shift that loses bits is by more than one place, and
//! then cancellation takes at most one bit: the sticky bit stays far below the rounding position.

use crate::num::Round;

const FRACTION: u64 = (1 << 52) - 1;
const INFINITY: u64 = 0x7ff << 52;
const SIGN: u64 = 1 << 63;
const QUIET: u64 = 1 << 51;
/// The NaN of operations without a NaN operand.
pub(super) const DEFAULT_NAN: u64 = INFINITY | QUIET;

/// True for an f64 pattern that is a NaN.
#[inline(always)]
pub(super) fn is_nan64(b: u64) -> bool {
    b & !SIGN > INFINITY
}

/// The NaN an f64 operation returns for these operands.
pub(super) fn nan64(ops: &[u64]) -> u64 {
    ops.iter()
        .copied()
        .find(|&b| is_nan64(b))
        .map_or(DEFAULT_NAN, |b| b | QUIET)
}

/// The exponent field.
fn exponent(b: u64) -> i32 {
    (b >> 52 & 0x7ff) as i32
}

/// A finite value: `mant * 2^exp`.
#[derive(Clone, Copy)]
struct Exact {
    negative: bool,
    exp: i32,
    mant: u128,
}

impl Exact {
    fn of(b: u64) -> Exact {
        let (e, frac) = (exponent(b), b & FRACTION);
        let (exp, mant) = if e == 0 {
            (-1074, frac)
        } else {
            (e - 1075, frac | 1 << 52)
        };
        Exact {
            negative: b >> 63 == 1,
            exp,
            mant: u128::from(mant),
        }
    }

    fn times(self, o: Exact) -> Exact {
        Exact {
            negative: self.negative != o.negative,
            exp: self.exp + o.exp,
            mant: self.mant * o.mant,
        }
    }

    /// The same value with its highest bit at position 124. Not for zero.
    fn normal(self) -> Exact {
        let up = self.mant.leading_zeros() as i32 - 3;
        Exact {
            exp: self.exp - up,
            mant: self.mant << up,
            ..self
        }
    }

    /// The sum; the lowest bit is set when bits below it were lost.
    fn plus(self, o: Exact) -> Exact {
        if self.mant == 0 {
            return o;
        }
        if o.mant == 0 {
            return self;
        }
        let (a, b) = (self.normal(), o.normal());
        let (a, b) = if a.exp >= b.exp { (a, b) } else { (b, a) };
        let down = (a.exp - b.exp) as u32;
        let small = if down > 126 {
            1
        } else {
            b.mant >> down | u128::from(b.mant & ((1 << down) - 1) != 0)
        };
        let (mant, negative) = if a.negative == b.negative {
            (a.mant + small, a.negative)
        } else if a.mant >= small {
            (a.mant - small, a.negative)
        } else {
            (small - a.mant, b.negative)
        };
        Exact {
            negative,
            exp: a.exp,
            mant,
        }
    }

    /// Rounds to f64. Not for zero.
    fn round(self, round: Round) -> u64 {
        let sign = if self.negative { SIGN } else { 0 };
        let top = 127 - self.mant.leading_zeros() as i32 + self.exp;
        let last = if top >= -1022 { top - 52 } else { -1074 };
        let down = last - self.exp;
        let (mut kept, rest, half) = match down {
            ..=0 => ((self.mant << -down) as u64, 0, 1),
            1..=127 => (
                (self.mant >> down) as u64,
                self.mant & ((1 << down) - 1),
                1 << (down - 1),
            ),
            _ => (0, 1, 2),
        };
        let up = match round {
            Round::Nearest => rest > half || (rest == half && kept & 1 == 1),
            Round::Up => rest != 0 && !self.negative,
            Round::Down => rest != 0 && self.negative,
            Round::Zero => false,
        };
        kept += u64::from(up);
        let bits = match top {
            1024.. => INFINITY,
            -1022.. => (((top + 1023) as u64) << 52) + (kept - (1 << 52)),
            _ => kept,
        };
        if bits < INFINITY {
            return sign | bits;
        }
        let infinite = match round {
            Round::Nearest => true,
            Round::Up => !self.negative,
            Round::Down => self.negative,
            Round::Zero => false,
        };
        sign | if infinite { INFINITY } else { INFINITY - 1 }
    }
}

/// `(a * b + c) * 2^scale`, rounded once. A NaN that the operation makes is the default NaN; NaN operands are the
/// caller's.
pub(super) fn fma_scaled(a: u64, b: u64, c: u64, scale: i32, round: Round) -> u64 {
    let f = f64::from_bits;
    if ![a, b, c].iter().all(|&x| f(x).is_finite()) {
        // Fused: a finite product that overflows f64 must not meet an infinity of the other sign.
        let r = f(a).mul_add(f(b), f(c));
        return if r.is_nan() { DEFAULT_NAN } else { r.to_bits() };
    }
    let product = Exact::of(a).times(Exact::of(b));
    let addend = Exact::of(c);
    let mut sum = product.plus(addend);
    if sum.mant == 0 {
        // Equal signs keep theirs; an exact cancellation is positive except when rounding down.
        let negative = match (product.negative, addend.negative) {
            _ if product.mant != 0 || addend.mant != 0 => round == Round::Down,
            (p, q) if p == q => p,
            _ => round == Round::Down,
        };
        return if negative { SIGN } else { 0 };
    }
    sum.exp += scale;
    sum.round(round)
}

/// `a + b`.
pub(super) fn add(a: u64, b: u64, round: Round) -> u64 {
    if round == Round::Nearest {
        return (f64::from_bits(a) + f64::from_bits(b)).to_bits();
    }
    fma_scaled(a, 1f64.to_bits(), b, 0, round)
}

/// `a * b`.
pub(super) fn mul(a: u64, b: u64, round: Round) -> u64 {
    if round == Round::Nearest {
        return (f64::from_bits(a) * f64::from_bits(b)).to_bits();
    }
    // Adding a zero of the product's sign changes nothing.
    fma_scaled(a, b, (a ^ b) & SIGN, 0, round)
}

/// `a * b + c`.
pub(super) fn fma(a: u64, b: u64, c: u64, round: Round) -> u64 {
    if round == Round::Nearest {
        return f64::from_bits(a)
            .mul_add(f64::from_bits(b), f64::from_bits(c))
            .to_bits();
    }
    fma_scaled(a, b, c, 0, round)
}

/// `x * 2^k`, rounded once.
pub(super) fn ldexp(x: u64, k: i32, round: Round) -> u64 {
    if is_nan64(x) {
        return x | QUIET;
    }
    fma_scaled(x, 1f64.to_bits(), x & SIGN, k.clamp(-5000, 5000), round)
}

/// Minimum or maximum: -0 < +0; a quiet NaN loses to a number; in IEEE mode a signalling NaN wins and becomes quiet.
pub(super) fn minmax(a: u64, b: u64, max: bool, ieee: bool) -> u64 {
    let signals = |x: u64| is_nan64(x) && x & QUIET == 0;
    if ieee && signals(a) {
        return a | QUIET;
    }
    if ieee && signals(b) {
        return b | QUIET;
    }
    if is_nan64(b) {
        return a;
    }
    if is_nan64(a) {
        return b;
    }
    let key = |x: u64| {
        let s = x as i64;
        s ^ ((s >> 63) as u64 >> 1) as i64
    };
    if (key(a) > key(b)) == max {
        a
    } else {
        b
    }
}

/// V_DIV_SCALE_F64: the scaled operand and the lane's VCC bit, read as [`crate::num::div_scale32`] reads the f32 one.
pub(super) fn div_scale(s0: u64, den: u64, num: u64, round: Round) -> (u64, bool) {
    let f = f64::from_bits;
    if f(den) == 0.0 || f(num) == 0.0 {
        return (DEFAULT_NAN, false);
    }
    // Below the normal numbers, however far; an infinite denominator gives an exact zero instead.
    let tiny = |x: f64| f(den).is_finite() && x.abs() < f64::MIN_POSITIVE;
    let (rcp_denorm, quotient_denorm) = (tiny(1.0 / f(den)), tiny(f(num) / f(den)));
    let (is_den, is_num) = (f(s0) == f(den), f(s0) == f(num));
    let scaled = |k: i32| ldexp(s0, k, round);
    if exponent(num) - exponent(den) >= 768 {
        (if is_den { scaled(128) } else { s0 }, true)
    } else if exponent(den) == 0 {
        (scaled(128), false)
    } else if rcp_denorm && quotient_denorm {
        (if is_den { scaled(-128) } else { s0 }, true)
    } else if rcp_denorm {
        (scaled(-128), false)
    } else if quotient_denorm {
        (if is_num { scaled(128) } else { s0 }, true)
    } else if exponent(num) <= 53 {
        (scaled(128), false)
    } else {
        (s0, false)
    }
}

/// V_DIV_FMAS_F64: fma, times 2^128 or 2^-128 when div_scale asked for it, rounded once; the direction as in
/// [`crate::num::div_fmas32`].
pub(super) fn div_fmas(a: u64, b: u64, c: u64, scaled: bool, round: Round) -> u64 {
    if [a, b, c].iter().any(|&x| is_nan64(x)) {
        return nan64(&[a, b, c]);
    }
    let k = match (scaled, exponent(c) > 1023) {
        (false, _) => 0,
        (true, true) => 128,
        (true, false) => -128,
    };
    fma_scaled(a, b, c, k, round)
}

/// V_DIV_FIXUP_F64: the special cases of `num / den`, else the quotient with the right sign. As
/// [`crate::num::div_fixup32`].
pub(super) fn div_fixup(q: u64, den: u64, num: u64) -> u64 {
    let sign = (den ^ num) & SIGN;
    if is_nan64(num) {
        return num | QUIET;
    }
    if is_nan64(den) {
        return den | QUIET;
    }
    match (den & !SIGN, num & !SIGN) {
        (0, 0) | (INFINITY, INFINITY) => DEFAULT_NAN | SIGN,
        (0, _) | (_, INFINITY) => sign | INFINITY,
        (INFINITY, _) | (_, 0) => sign,
        _ if exponent(num) - exponent(den) < -1075 => sign,
        _ if exponent(num) - exponent(den) >= 1025 => sign | INFINITY,
        _ => sign | (q & !SIGN),
    }
}

/// The first 1201 fraction bits of 2/pi, highest first, then zeros.
const TWO_OVER_PI: [u64; 19] = [
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
    0x0649_2eea_09d1_921c,
    0xfe1d_eb1c_b129_a73e,
    0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41,
    0x3991_d639_8353_39f4,
    0x9c84_5f8b_bdf9_283b,
    0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f,
    0x6d36_7ecf_27cb_09b7,
    0x4f46_3f66_9e5f_ea2d,
    0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea,
    0x6bfb_5fb1_1f8d_5d08,
    0x5603_3046_fc7b_0000,
];

/// V_TRIG_PREOP_F64: 53 bits of 2/pi, segment `segment`, at their place for the reduction of `x`.
pub(super) fn trig_preop(x: u64, segment: u32, round: Round) -> u64 {
    let shift = (segment & 31) * 53 + (exponent(x) - 1077).max(0) as u32;
    let word = |k: u32| TWO_OVER_PI.get(k as usize).copied().unwrap_or(0);
    let (k, bit) = (shift / 64, shift % 64);
    let window = (u128::from(word(k)) << 64 | u128::from(word(k + 1))) << bit >> 75;
    let scale = -53 - shift as i32 + if exponent(x) >= 1968 { 128 } else { 0 };
    ldexp((window as u64 as f64).to_bits(), scale, round)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(x: &mut u64) -> u64 {
        *x ^= *x << 13;
        *x ^= *x >> 7;
        *x ^= *x << 17;
        *x
    }

    /// Random patterns, half of them with exponents close enough to interact.
    fn value(x: &mut u64) -> u64 {
        let r = next(x);
        match r % 4 {
            0 => next(x),
            1 => next(x) & (SIGN | FRACTION) & next(x).rotate_left(7),
            _ => (next(x) & (SIGN | FRACTION)) | (1023 - 60 + r % 120) << 52,
        }
    }

    #[test]
    fn nearest_agrees_with_the_host() {
        let mut x = 0x1234_5678_9abc_def1;
        for _ in 0..200_000 {
            let [a, b, c] = [value(&mut x), value(&mut x), value(&mut x)];
            let f = f64::from_bits;
            let same = |got: u64, want: f64| got == want.to_bits() || (is_nan64(got) && want.is_nan());
            let n = Round::Nearest;
            assert!(
                same(fma_scaled(a, b, c, 0, n), f(a).mul_add(f(b), f(c))),
                "{a:x} {b:x} {c:x}"
            );
            assert!(same(fma_scaled(a, 1f64.to_bits(), b, 0, n), f(a) + f(b)), "{a:x} {b:x}");
            assert!(same(fma_scaled(a, b, (a ^ b) & SIGN, 0, n), f(a) * f(b)), "{a:x} {b:x}");
        }
    }

    #[test]
    fn directed_results_are_neighbours_around_the_nearest() {
        let mut x = 77;
        for _ in 0..100_000 {
            let [a, b, c] = [value(&mut x), value(&mut x), value(&mut x)];
            let all = [Round::Nearest, Round::Up, Round::Down, Round::Zero].map(|r| fma_scaled(a, b, c, 0, r));
            if all.iter().any(|&r| is_nan64(r)) {
                continue;
            }
            let [near, up, down, zero] = all.map(f64::from_bits);
            assert!(down <= near && near <= up);
            assert!(down == up || down.next_up() == up || down == -up, "{down:e} {up:e}");
            assert_eq!(zero, if near > 0.0 || up > 0.0 { down } else { up });
        }
    }

    #[test]
    fn two_over_pi_comes_in_segments() {
        // Summed, the segments are 2/pi; 1.0 needs no shift.
        let one = 1f64.to_bits();
        let first = f64::from_bits(trig_preop(one, 0, Round::Nearest));
        let second = f64::from_bits(trig_preop(one, 1, Round::Nearest));
        assert_eq!(first + second, std::f64::consts::FRAC_2_PI);
        assert!(second > 0.0 && second < first * f64::EPSILON);
        // fdlibm's table of 24-bit chunks: chunk 3 is 0x2757d1, chunk 25 0x398353.
        let bits = |at: usize| {
            let wide = u128::from(TWO_OVER_PI[at / 64]) << 64 | u128::from(TWO_OVER_PI[at / 64 + 1]);
            (wide << (at % 64) >> 104) as u32
        };
        assert_eq!((bits(72), bits(24 * 25)), (0x27_57d1, 0x39_8353));
    }
}
