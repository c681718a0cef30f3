//! Floating-point arithmetic of the vector unit, the same on every host.
//!
//! Problem: the card rounds once (also in fused and 16-bit operations), in four directions, with or without
//! denormals, and its transcendental unit is accurate to 1 ulp. A host's libm promises none of that.
//!
//! Method: every f16/f32 operation is evaluated in f64 with *round to odd* (`add_odd`) and narrowed once by
//! [`narrow`]; 53 bits rounded to odd lose nothing for any format of at most 51 bits, so the final rounding is
//! the only one (Boldo and Melquiond, "When double rounding is odd", 2005). Transcendentals are in [`trans`], the
//! card's dot-product adder is in [`dot`].
//!
//! Invariant: a NaN result is the first NaN operand made quiet, or the default NaN `0x7fc00000` (`0x7e00`);
//! never what the host happens to produce.

pub mod dot;
pub mod trans;

pub use trans::Trans;

/// How floating-point dot products (`v_dot2_f32_*`, `v_dot2acc_f32_*`, float `v_wmma_*`) are summed. Everything else is
/// the same in both modes, and so are these where every partial sum is exact and no two addends differ in sign.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Numerics {
    /// f32 accumulation in the order k = 0, 1, …: `acc = fma(a[k], b[k], acc)`, rounded to nearest at every step; 16-bit
    /// results are rounded once more at the end. t0's IR means the same, so kernels can be compared bit by bit.
    #[default]
    Fast,
    /// The card's adder as far as it is published, see [`dot`].
    Silicon,
}

impl Numerics {
    /// The name the command line and `T0_NUMERICS` use.
    pub fn name(self) -> &'static str {
        match self {
            Numerics::Fast => "fast",
            Numerics::Silicon => "silicon",
        }
    }
}

/// A numerics mode that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no numerics mode; write `fast` (ordered fused multiply-adds) or `silicon` (the card's adder)")]
pub struct UnknownNumerics(pub String);

impl std::str::FromStr for Numerics {
    type Err = UnknownNumerics;

    fn from_str(s: &str) -> Result<Numerics, UnknownNumerics> {
        match s {
            "fast" => Ok(Numerics::Fast),
            "silicon" => Ok(Numerics::Silicon),
            _ => Err(UnknownNumerics(s.to_owned())),
        }
    }
}

/// The rounding direction in MODE.round (0..=3 in the hardware's order).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    /// To nearest, ties to even.
    Nearest,
    /// Toward plus infinity.
    Up,
    /// Toward minus infinity.
    Down,
    /// Toward zero.
    Zero,
}

impl Round {
    /// Decodes the two bits of MODE.
    pub fn from_bits(bits: u32) -> Round {
        match bits & 3 {
            0 => Round::Nearest,
            1 => Round::Up,
            2 => Round::Down,
            _ => Round::Zero,
        }
    }
}

/// An IEEE-like binary format narrower than f64.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Stored fraction bits.
    pub frac: u32,
    /// Exponent bias.
    pub bias: i32,
    /// Exponent bits.
    pub exp: u32,
}

/// binary16.
pub const F16: Format = Format {
    frac: 10,
    bias: 15,
    exp: 5,
};
/// binary32.
pub const F32: Format = Format {
    frac: 23,
    bias: 127,
    exp: 8,
};
/// bfloat16.
pub const BF16: Format = Format {
    frac: 7,
    bias: 127,
    exp: 8,
};

/// Rounds an exact (or rounded-to-odd) f64 to `fmt` once and returns the bit pattern.
pub fn narrow(x: f64, fmt: Format, round: Round) -> u32 {
    let bits = x.to_bits();
    let sign = ((bits >> 63) as u32) << (fmt.frac + fmt.exp);
    let exp_field = ((bits >> 52) & 0x7ff) as i32;
    let frac = bits & ((1 << 52) - 1);
    let inf = ((1u32 << fmt.exp) - 1) << fmt.frac;
    if exp_field == 0x7ff {
        if frac == 0 {
            return sign | inf;
        }
        return sign | inf | (1 << (fmt.frac - 1)) | (frac >> (52 - fmt.frac)) as u32;
    }
    if exp_field == 0 && frac == 0 {
        return sign;
    }
    let (mant, exp) = if exp_field == 0 {
        (frac, -1022)
    } else {
        (frac | 1 << 52, exp_field - 1023)
    };
    let emin = 1 - fmt.bias;
    let below = (emin - exp).max(0);
    let shift = 52 - fmt.frac as i32 + below;
    let (kept, rest, half) = if shift > 62 {
        (0u64, 1u64, 2u64)
    } else {
        (mant >> shift, mant & ((1u64 << shift) - 1), 1u64 << (shift - 1))
    };
    let negative = sign != 0;
    let up = match round {
        Round::Nearest => rest > half || (rest == half && kept & 1 == 1),
        Round::Up => rest != 0 && !negative,
        Round::Down => rest != 0 && negative,
        Round::Zero => false,
    };
    let kept = kept + u64::from(up);
    let magnitude = if below > 0 {
        kept as u32
    } else {
        let e = (exp + fmt.bias) as u64;
        let wide = (e << fmt.frac) + (kept - (1 << fmt.frac));
        if wide >= u64::from(inf) {
            inf
        } else {
            wide as u32
        }
    };
    if magnitude >= inf {
        let to_inf = match round {
            Round::Nearest => true,
            Round::Up => !negative,
            Round::Down => negative,
            Round::Zero => false,
        };
        return sign | if to_inf { inf } else { inf - 1 };
    }
    sign | magnitude
}

/// `a + b` rounded to odd in f64: exact, or the neighbour whose last bit is set.
pub fn add_odd(a: f64, b: f64) -> f64 {
    let s = a + b;
    if !s.is_finite() {
        return s;
    }
    let bb = s - a;
    let err = (a - (s - bb)) + (b - bb);
    if err != 0.0 && s.to_bits() & 1 == 0 {
        let away = (err > 0.0) == (s > 0.0);
        return f64::from_bits(if away { s.to_bits() + 1 } else { s.to_bits() - 1 });
    }
    s
}

/// [`add_odd`] with the sign the direction gives an exact zero: -0 when rounding down, unless both terms are +0.
#[inline(always)]
pub fn sum_odd(round: Round, a: f64, b: f64) -> f64 {
    if round == Round::Down {
        -add_odd(-a, -b)
    } else {
        add_odd(a, b)
    }
}

/// `a * b + c` of f32 or f16 values held in f64, rounded to odd. The product of two 24-bit values is exact in f64.
pub fn fma_odd(a: f64, b: f64, c: f64) -> f64 {
    add_odd(a * b, c)
}

/// [`fma_odd`] with the sign the direction gives an exact zero.
#[inline(always)]
pub fn fma_dir(round: Round, a: f64, b: f64, c: f64) -> f64 {
    sum_odd(round, a * b, c)
}

/// The fractional part of an f16 or f32 value, rounded to odd.
pub fn fract_odd(round: Round, x: f64) -> f64 {
    sum_odd(round, x, -x.floor())
}

/// f16 bits to f32, exact. Signalling NaNs become quiet.
#[inline(always)]
pub fn f16_to_f32(h: u16) -> f32 {
    let sign = u32::from(h & 0x8000) << 16;
    let em = u32::from(h & 0x7fff);
    // Exponent re-bias by an exact power of two also normalises denormals.
    let finite = (f32::from_bits(em << 13) * f32::from_bits(0x7780_0000)).to_bits();
    let special = 0x7f80_0000 | (em << 13) | if em > 0x7c00 { 0x0040_0000 } else { 0 };
    f32::from_bits(sign | if em >= 0x7c00 { special } else { finite })
}

/// f32 to f16 bits, rounded to nearest even, without branches. NaNs become the default NaN with their sign.
#[inline(always)]
pub fn f32_to_f16_nearest(x: f32) -> u16 {
    let b = x.to_bits();
    let (sign, a) = ((b >> 16 & 0x8000) as u16, b & 0x7fff_ffff);
    // Below 2^-14: adding 0.5, whose last bit is 2^-24, makes the host's addition round to f16's denormal grid.
    let tiny = (f32::from_bits(a) + 0.5).to_bits().wrapping_sub(0x3f00_0000);
    // Else: re-bias the exponent and round the 13 bits that go; a carry out of the largest finite value is infinity.
    let normal = a.wrapping_sub(0x3800_0000).wrapping_add(0xfff + (a >> 13 & 1)) >> 13;
    let finite = if a < 0x3880_0000 { tiny } else { normal };
    let large = if a > 0x7f80_0000 { 0x7e00 } else { 0x7c00 };
    sign | if a >= 0x4780_0000 { large } else { finite } as u16
}

/// f32 to f16 bits, one rounding.
pub fn f32_to_f16(x: f32, round: Round) -> u16 {
    narrow(f64::from(x), F16, round) as u16
}

/// f16 bits to f64, exact.
pub fn f16_to_f64(h: u16) -> f64 {
    f64::from(f16_to_f32(h))
}

/// bf16 bits to f32, exact.
#[inline(always)]
pub fn bf16_to_f32(h: u16) -> f32 {
    f32::from_bits(u32::from(h) << 16)
}

/// f32 to bf16 bits, one rounding to nearest even; NaNs stay NaN and become quiet.
#[inline(always)]
pub fn f32_to_bf16(x: f32) -> u16 {
    let b = x.to_bits();
    if b & 0x7fff_ffff > 0x7f80_0000 {
        return (b >> 16) as u16 | 0x40;
    }
    ((b + 0x7fff + ((b >> 16) & 1)) >> 16) as u16
}

/// True for an f32 pattern that is a NaN.
#[inline(always)]
pub fn is_nan32(b: u32) -> bool {
    b & 0x7fff_ffff > 0x7f80_0000
}

/// True for an f16 pattern that is a NaN.
#[inline(always)]
pub fn is_nan16(b: u16) -> bool {
    b & 0x7fff > 0x7c00
}

/// The NaN an f32 operation returns for these operands.
pub fn nan32(ops: &[u32]) -> u32 {
    ops.iter()
        .copied()
        .find(|&b| is_nan32(b))
        .map_or(0x7fc0_0000, |b| b | 0x0040_0000)
}

/// The NaN an f16 operation returns for these operands.
pub fn nan16(ops: &[u16]) -> u16 {
    ops.iter()
        .copied()
        .find(|&b| is_nan16(b))
        .map_or(0x7e00, |b| b | 0x0200)
}

/// The floating-point part of MODE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FpMode {
    /// Direction for f32.
    pub round32: Round,
    /// Direction for f16 and f64.
    pub round16: Round,
    /// Bit 0: keep f32 denormal inputs; bit 1: keep f32 denormal outputs.
    pub denorm32: u32,
    /// The same for f16 and f64.
    pub denorm16: u32,
    /// IEEE mode: min/max quiet signalling NaNs.
    pub ieee: bool,
    /// Clamp turns NaN into 0.
    pub dx10_clamp: bool,
    /// f16 overflow gives the largest finite value unless an operand was infinite.
    pub fp16_ovfl: bool,
}

impl FpMode {
    /// From the MODE hardware register (and, with the same layout shifted by 12, from compute_pgm_rsrc1).
    /// MODE: round in bits 3:0, denorm in 7:4, dx10_clamp 8, ieee 9, fp16_ovfl 23.
    pub fn from_mode(mode: u32) -> FpMode {
        FpMode {
            round32: Round::from_bits(mode),
            round16: Round::from_bits(mode >> 2),
            denorm32: (mode >> 4) & 3,
            denorm16: (mode >> 6) & 3,
            dx10_clamp: mode >> 8 & 1 == 1,
            ieee: mode >> 9 & 1 == 1,
            fp16_ovfl: mode >> 23 & 1 == 1,
        }
    }

    /// Round to nearest with denormals kept: the host's own f32 arithmetic is the card's.
    #[inline(always)]
    pub fn plain32(self) -> bool {
        self.denorm32 == 3 && self.round32 == Round::Nearest
    }

    /// An f32 operand as the unit sees it.
    #[inline(always)]
    pub fn in32(self, b: u32) -> u32 {
        if self.denorm32 & 1 == 0 && b & 0x7f80_0000 == 0 {
            b & 0x8000_0000
        } else {
            b
        }
    }

    /// An f32 result as the unit delivers it.
    #[inline(always)]
    pub fn out32(self, b: u32) -> u32 {
        if self.denorm32 & 2 == 0 && b & 0x7f80_0000 == 0 {
            b & 0x8000_0000
        } else {
            b
        }
    }

    /// An f16 operand as the unit sees it.
    #[inline(always)]
    pub fn in16(self, b: u16) -> u16 {
        if self.denorm16 & 1 == 0 && b & 0x7c00 == 0 {
            b & 0x8000
        } else {
            b
        }
    }

    /// An f16 result as the unit delivers it.
    #[inline(always)]
    pub fn out16(self, b: u16) -> u16 {
        if self.denorm16 & 2 == 0 && b & 0x7c00 == 0 {
            b & 0x8000
        } else {
            b
        }
    }

    /// Narrows an exact value to an f32 pattern under this mode.
    pub fn to32(self, x: f64) -> u32 {
        self.out32(narrow(x, F32, self.round32))
    }

    /// Narrows an exact value to an f16 pattern under this mode.
    pub fn to16(self, x: f64) -> u16 {
        let h = narrow(x, F16, self.round16) as u16;
        let h = if self.fp16_ovfl && h & 0x7fff == 0x7c00 && x.is_finite() {
            (h & 0x8000) | 0x7bff
        } else {
            h
        };
        self.out16(h)
    }
}

/// minNum/maxNum of the unit on f32 patterns (manual, V_MIN_F32 / V_MAX_F32): -0 < +0; a quiet NaN loses to a
/// number; in IEEE mode a signalling NaN wins and becomes quiet.
#[inline(always)]
pub fn minmax32(a: u32, b: u32, max: bool, ieee: bool) -> u32 {
    let snan = |x: u32| is_nan32(x) && x & 0x0040_0000 == 0;
    if ieee && snan(a) {
        return a | 0x0040_0000;
    }
    if ieee && snan(b) {
        return b | 0x0040_0000;
    }
    if is_nan32(b) {
        return a;
    }
    if is_nan32(a) {
        return b;
    }
    let (ka, kb) = (order32(a), order32(b));
    let first = if max { ka > kb } else { ka < kb };
    if first {
        a
    } else {
        b
    }
}

/// A total order on non-NaN f32 patterns as signed integers.
#[inline(always)]
pub fn order32(b: u32) -> i32 {
    let s = b as i32;
    s ^ (((s >> 31) as u32) >> 1) as i32
}

/// minNum/maxNum on f16 patterns, as [`minmax32`].
pub fn minmax16(a: u16, b: u16, max: bool, ieee: bool) -> u16 {
    let snan = |x: u16| is_nan16(x) && x & 0x0200 == 0;
    if ieee && snan(a) {
        return a | 0x0200;
    }
    if ieee && snan(b) {
        return b | 0x0200;
    }
    if is_nan16(b) {
        return a;
    }
    if is_nan16(a) {
        return b;
    }
    let key = |x: u16| {
        let s = x as i16;
        s ^ (((s >> 15) as u16) >> 1) as i16
    };
    let first = if max { key(a) > key(b) } else { key(a) < key(b) };
    if first {
        a
    } else {
        b
    }
}

/// The exponent field of an f32 pattern.
fn exponent(b: u32) -> i32 {
    ((b >> 23) & 0xff) as i32
}

/// 2^k as f64, |k| below 1000.
pub fn pow2(k: i32) -> f64 {
    f64::from_bits(((k + 1023) as u64) << 52)
}

/// `x * 2^k` with one rounding (V_LDEXP_F32).
pub fn ldexp32(b: u32, k: i32, mode: FpMode) -> u32 {
    if is_nan32(b) {
        return b | 0x0040_0000;
    }
    mode.to32(f64::from(f32::from_bits(b)) * pow2(k.clamp(-600, 600)))
}

/// V_DIV_SCALE_F32: the scaled operand and the lane's VCC bit. `s0` is the operand to scale (equal to `den` or
/// `num`). "Denormal" in the manual's text is read as "magnitude below 2^-126", and the case of a huge
/// denominator with a denormal quotient scales the denominator *down*; scaling it up, as the text has it, would
/// overflow.
pub fn div_scale32(s0: u32, den: u32, num: u32, mode: FpMode) -> (u32, bool) {
    let (d, n) = (f64::from(f32::from_bits(den)), f64::from(f32::from_bits(num)));
    if d == 0.0 || n == 0.0 {
        return (0x7fc0_0000, false);
    }
    let tiny = pow2(-126);
    let denormal = |x: f64| x != 0.0 && x.abs() < tiny;
    let (rcp_denorm, quotient_denorm) = (denormal(1.0 / d), denormal(n / d));
    let is_den = f32::from_bits(s0) == f32::from_bits(den);
    let is_num = f32::from_bits(s0) == f32::from_bits(num);
    if exponent(num) - exponent(den) >= 96 {
        (if is_den { ldexp32(s0, 64, mode) } else { s0 }, true)
    } else if exponent(den) == 0 {
        (ldexp32(s0, 64, mode), false)
    } else if rcp_denorm && quotient_denorm {
        (if is_den { ldexp32(s0, -64, mode) } else { s0 }, true)
    } else if rcp_denorm {
        (ldexp32(s0, -64, mode), false)
    } else if quotient_denorm {
        (if is_num { ldexp32(s0, 64, mode) } else { s0 }, true)
    } else if exponent(num) <= 23 {
        (ldexp32(s0, 64, mode), false)
    } else {
        (s0, false)
    }
}

/// V_DIV_FMAS_F32: fma, times 2^64 or 2^-64 when div_scale asked for it, rounded once. The direction follows from
/// the quotient estimate `c`: above 1 the denominator was scaled up, below 1 the quotient was scaled up.
pub fn div_fmas32(a: u32, b: u32, c: u32, scaled: bool, mode: FpMode) -> u32 {
    if [a, b, c].iter().any(|&x| is_nan32(x)) {
        return nan32(&[a, b, c]);
    }
    let f = |x| f64::from(f32::from_bits(x));
    let exact = fma_dir(mode.round32, f(a), f(b), f(c));
    if exact.is_nan() {
        return 0x7fc0_0000;
    }
    let k = match (scaled, exponent(c) > 127) {
        (false, _) => 0,
        (true, true) => 64,
        (true, false) => -64,
    };
    mode.to32(exact * pow2(k))
}

/// V_DIV_FIXUP_F32: the special cases of `num / den`, else the quotient with the right sign. A quotient that must
/// overflow gives infinity; the manual lists only the infinite denominator there.
pub fn div_fixup32(q: u32, den: u32, num: u32) -> u32 {
    let sign = (den ^ num) & 0x8000_0000;
    let (d, n) = (den & 0x7fff_ffff, num & 0x7fff_ffff);
    if is_nan32(num) {
        return num | 0x0040_0000;
    }
    if is_nan32(den) {
        return den | 0x0040_0000;
    }
    const INF: u32 = 0x7f80_0000;
    match (d, n) {
        (0, 0) | (INF, INF) => 0xffc0_0000,
        (0, _) | (_, INF) => sign | INF,
        (INF, _) | (_, 0) => sign,
        _ if exponent(num) - exponent(den) < -150 => sign,
        _ if exponent(num) - exponent(den) >= 129 => sign | INF,
        _ => sign | (q & 0x7fff_ffff),
    }
}

/// V_DIV_FIXUP_F16, as [`div_fixup32`].
pub fn div_fixup16(q: u16, den: u16, num: u16) -> u16 {
    let sign = (den ^ num) & 0x8000;
    if is_nan16(num) {
        return num | 0x0200;
    }
    if is_nan16(den) {
        return den | 0x0200;
    }
    match (den & 0x7fff, num & 0x7fff) {
        (0, 0) | (0x7c00, 0x7c00) => 0xfe00,
        (0, _) | (_, 0x7c00) => sign | 0x7c00,
        (0x7c00, _) | (_, 0) => sign,
        _ => sign | (q & 0x7fff),
    }
}

/// V_FREXP_EXP_I32_F32.
pub fn frexp_exp32(b: u32) -> i32 {
    let x = f64::from(f32::from_bits(b));
    if !x.is_finite() || x == 0.0 {
        return 0;
    }
    ((x.to_bits() >> 52) & 0x7ff) as i32 - 1022
}

/// V_FREXP_MANT_F32: the value scaled into [0.5, 1).
pub fn frexp_mant32(b: u32) -> u32 {
    let x = f64::from(f32::from_bits(b));
    if x.is_nan() {
        return b | 0x0040_0000;
    }
    if !x.is_finite() || x == 0.0 {
        return b;
    }
    narrow(x * pow2(-frexp_exp32(b)), F32, Round::Nearest)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    struct Rng(u64);
    impl Rng {
        fn next(&mut self) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0
        }
    }

    #[test]
    fn narrowing_agrees_with_the_host_and_with_half() {
        let mut r = Rng(0x1234_5678_9abc_def1);
        for _ in 0..200_000 {
            let bits = r.next() as u32;
            let x = f32::from_bits(bits);
            if x.is_nan() {
                continue;
            }
            assert_eq!(f32_to_f16(x, Round::Nearest), half::f16::from_f32(x).to_bits(), "{x:e}");
            assert_eq!(f32_to_f16_nearest(x), half::f16::from_f32(x).to_bits(), "{x:e}");
            assert_eq!(f32_to_bf16(x), half::bf16::from_f32(x).to_bits(), "{x:e}");
            let d = f64::from_bits(r.next());
            if !d.is_nan() {
                assert_eq!(narrow(d, F32, Round::Nearest), (d as f32).to_bits(), "{d:e}");
            }
        }
        // Every boundary between neighbours, and both sides of it.
        for h in 0..0x7c00u16 {
            let (lo, hi) = (half::f16::from_bits(h).to_f64(), half::f16::from_bits(h + 1).to_f64());
            let hi = if hi.is_infinite() { 65536.0 } else { hi };
            let tie = ((lo + hi) / 2.0) as f32;
            for x in [
                tie,
                f32::from_bits(tie.to_bits() - 1),
                f32::from_bits(tie.to_bits() + 1),
                -tie,
            ] {
                assert_eq!(
                    f32_to_f16_nearest(x),
                    narrow(f64::from(x), F16, Round::Nearest) as u16,
                    "{x:e}"
                );
            }
        }
        for h in 0..=u16::MAX {
            let want = half::f16::from_bits(h).to_f32();
            if want.is_nan() {
                assert!(f16_to_f32(h).is_nan());
            } else {
                assert_eq!(f16_to_f32(h).to_bits(), want.to_bits());
                assert_eq!(f32_to_f16(want, Round::Zero), h);
                assert_eq!(f32_to_f16_nearest(want), h);
            }
        }
    }

    #[test]
    fn odd_rounding_makes_fma_correct() {
        let mut r = Rng(77);
        for _ in 0..300_000 {
            let v: Vec<f32> = (0..3)
                .map(|_| f32::from_bits((r.next() as u32 & 0x83ff_ffff) | ((r.next() as u32 % 60 + 90) << 23)))
                .collect();
            let want = v[0].mul_add(v[1], v[2]);
            let got = narrow(fma_odd(v[0].into(), v[1].into(), v[2].into()), F32, Round::Nearest);
            assert_eq!(got, want.to_bits(), "{v:?}");
        }
    }

    #[test]
    fn directed_rounding_brackets_the_value() {
        let mut r = Rng(5);
        for _ in 0..100_000 {
            let a = f32::from_bits((r.next() as u32 & 0x807f_ffff) | (127 << 23));
            let b = f32::from_bits((r.next() as u32 & 0x807f_ffff) | (120 << 23));
            let exact = f64::from(a) * f64::from(b);
            let lo = f32::from_bits(narrow(exact, F32, Round::Down));
            let hi = f32::from_bits(narrow(exact, F32, Round::Up));
            let zero = f32::from_bits(narrow(exact, F32, Round::Zero));
            assert!(f64::from(lo) <= exact && exact <= f64::from(hi));
            assert!(zero.abs() <= lo.abs().max(hi.abs()) && f64::from(zero).abs() <= exact.abs());
        }
    }

    #[test]
    fn min_and_max_order_zeros_and_nans() {
        let (nz, pz, q, s, one) = (0x8000_0000u32, 0u32, 0x7fc0_0000u32, 0x7f80_0001u32, 0x3f80_0000u32);
        assert_eq!(minmax32(nz, pz, true, true), pz);
        assert_eq!(minmax32(pz, nz, false, true), nz);
        assert_eq!(minmax32(q, one, true, true), one);
        assert_eq!(minmax32(one, q, false, true), one);
        assert_eq!(minmax32(s, one, true, true), 0x7fc0_0001);
        assert_eq!(minmax32(s, one, true, false), one);
        assert_eq!(minmax16(0x8000, 0, true, true), 0);
        assert_eq!(minmax16(0xfc00, 0x3c00, false, true), 0xfc00);
    }
}
