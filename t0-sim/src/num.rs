//! Floating-point arithmetic of the vector unit, the same on every host.
//!
//! Problem: the card rounds once (also in fused and 16-bit operations), in four directions, with or without
//! denormals, and its transcendental unit is accurate to 1 ulp. A host's libm promises none of that.
//!
//! Method: every f16/f32 operation is evaluated in f64 with *round to odd* (`add_odd`) and narrowed once by
//! [`narrow`]; 53 bits rounded to odd lose nothing for any format of at most 51 bits, so the final rounding is
//! the only one (Boldo and Melquiond, "When double rounding is odd", 2005). Transcendentals are polynomials in
//! f64 built from `+ - * /` and `sqrt` alone (all exactly specified by IEEE 754), then narrowed: error below
//! 0.51 ulp, inside the manual's 1 ulp, and bit-identical everywhere.
//!
//! Invariant: a NaN result is the first NaN operand made quiet, or the default NaN `0x7fc00000` (`0x7e00`);
//! never what the host happens to produce.

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

/// `a * b + c` of f32 or f16 values held in f64, rounded to odd. The product of two 24-bit values is exact in f64.
pub fn fma_odd(a: f64, b: f64, c: f64) -> f64 {
    add_odd(a * b, c)
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

/// 1/k! for k = 0..=19.
const INV_FACTORIAL: [f64; 20] = {
    let mut c = [1.0; 20];
    let mut k = 1;
    let mut f = 1.0;
    while k < 20 {
        // Exact: 19! is below 2^57 with many factors of two.
        f *= k as f64;
        c[k] = 1.0 / f;
        k += 1;
    }
    c
};

/// 1/(2k + 1) for k = 0..=11.
const INV_ODD: [f64; 12] = {
    let mut c = [1.0; 12];
    let mut k = 1;
    while k < 12 {
        c[k] = 1.0 / (2 * k + 1) as f64;
        k += 1;
    }
    c
};

/// 2^x in f64 for |x| below 1000.
pub fn exp2_64(x: f64) -> f64 {
    let n = x.round_ties_even();
    let t = (x - n) * std::f64::consts::LN_2;
    // Taylor series of e^t, |t| <= 0.3466: the first dropped term is below 2^-60.
    let sum = INV_FACTORIAL[..=14].iter().rev().fold(0.0, |sum, c| sum * t + c);
    sum * f64::from_bits(((n as i64 + 1023) as u64) << 52)
}

/// log2(x) for finite positive normal x.
pub fn log2_64(x: f64) -> f64 {
    let bits = x.to_bits();
    let mut e = ((bits >> 52) as i64) - 1023;
    let mut m = f64::from_bits((bits & ((1 << 52) - 1)) | (1023 << 52));
    if m > std::f64::consts::SQRT_2 {
        m *= 0.5;
        e += 1;
    }
    // ln m = 2 atanh(s), s = (m-1)/(m+1), |s| <= 0.1716: s^25 is below 2^-63.
    let s = (m - 1.0) / (m + 1.0);
    let s2 = s * s;
    let sum = INV_ODD.iter().rev().fold(0.0, |sum, c| sum * s2 + c);
    e as f64 + 2.0 * s * sum * std::f64::consts::LOG2_E
}

/// sin(2 pi r) for finite r.
pub fn sin_turns(r: f64) -> f64 {
    let r = r - r.round_ties_even();
    let quadrant = (r * 4.0).round_ties_even();
    let t = (r - quadrant * 0.25) * std::f64::consts::TAU;
    let t2 = -t * t;
    // |t| <= pi/4: t^19/19! is below 2^-63.
    let series = |from: usize| {
        INV_FACTORIAL[from..]
            .iter()
            .step_by(2)
            .rev()
            .fold(0.0, |sum, c| sum * t2 + c)
    };
    match quadrant as i32 & 3 {
        0 => series(1) * t,
        1 => series(0),
        2 => -series(1) * t,
        _ => -series(0),
    }
}

/// cos(2 pi r) for finite r.
pub fn cos_turns(r: f64) -> f64 {
    sin_turns(r - r.round_ties_even() + 0.25)
}

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

impl Trans {
    /// The function in f64, special values included; `None` for a NaN that the operation itself makes.
    fn eval(self, x: f64) -> Option<f64> {
        Some(match self {
            Trans::Rcp => 1.0 / x,
            Trans::Rsq if x == 0.0 => 1.0 / x,
            Trans::Sqrt if x == 0.0 => x,
            Trans::Rsq | Trans::Sqrt | Trans::Log if x < 0.0 => return None,
            Trans::Rsq => 1.0 / x.sqrt(),
            Trans::Sqrt => x.sqrt(),
            Trans::Exp if x > 900.0 => f64::INFINITY,
            Trans::Exp if x < -900.0 => 0.0,
            Trans::Exp => exp2_64(x),
            Trans::Log if x == 0.0 => f64::NEG_INFINITY,
            Trans::Log if x == f64::INFINITY => x,
            Trans::Log => log2_64(x),
            Trans::Sin | Trans::Cos if x.is_infinite() => return None,
            // Outside +-256 turns the unit gives the value at 0 (GCN3 manual, V_SIN_F32/V_COS_F32).
            // UNVERIFIED(hw): RDNA3 keeps that range rule.
            Trans::Sin if x.abs() > 256.0 => 0.0,
            Trans::Cos if x.abs() > 256.0 => 1.0,
            Trans::Sin if x == 0.0 => x,
            Trans::Sin => sin_turns(x),
            Trans::Cos => cos_turns(x),
        })
    }
}

/// A transcendental on an f32 pattern. The f32 unit has no denormals on either side whatever MODE says
/// (LLVM lowers exp2/log2/sqrt/rcp with explicit scaling for that reason).
/// UNVERIFIED(hw): sqrt and rsq flush like rcp, exp and log do.
pub fn trans32(f: Trans, b: u32) -> u32 {
    if is_nan32(b) {
        return b | 0x0040_0000;
    }
    let b = if b & 0x7f80_0000 == 0 { b & 0x8000_0000 } else { b };
    let Some(y) = f.eval(f64::from(f32::from_bits(b))) else {
        return 0x7fc0_0000;
    };
    // The host's conversion rounds to nearest even.
    let r = (y as f32).to_bits();
    if r & 0x7f80_0000 == 0 {
        r & 0x8000_0000
    } else {
        r
    }
}

/// A transcendental on an f16 pattern; denormals follow MODE.
pub fn trans16(f: Trans, h: u16, mode: FpMode) -> u16 {
    if is_nan16(h) {
        return h | 0x0200;
    }
    match f.eval(f16_to_f64(mode.in16(h))) {
        Some(y) => mode.out16(narrow(y, F16, Round::Nearest) as u16),
        None => 0x7e00,
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
    let rcp_denorm = (1.0 / d).abs() < tiny;
    let quotient_denorm = (n / d).abs() < tiny;
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
    let exact = fma_odd(f(a), f(b), f(c));
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
            assert_eq!(f32_to_bf16(x), half::bf16::from_f32(x).to_bits(), "{x:e}");
            let d = f64::from_bits(r.next());
            if !d.is_nan() {
                assert_eq!(narrow(d, F32, Round::Nearest), (d as f32).to_bits(), "{d:e}");
            }
        }
        for h in 0..=u16::MAX {
            let want = half::f16::from_bits(h).to_f32();
            if want.is_nan() {
                assert!(f16_to_f32(h).is_nan());
            } else {
                assert_eq!(f16_to_f32(h).to_bits(), want.to_bits());
                assert_eq!(f32_to_f16(want, Round::Zero), h);
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
    fn transcendentals_are_within_one_ulp_of_the_host() {
        let mut r = Rng(99);
        let check = |f: Trans, x: f32, want: f64| {
            let got = f32::from_bits(trans32(f, x.to_bits()));
            let want32 = want as f32;
            if want32.is_subnormal() || want32 == 0.0 {
                return;
            }
            let ulp = (got.to_bits() as i64 - want32.to_bits() as i64).abs();
            assert!(ulp <= 1, "{f:?}({x:e}) = {got:e}, host {want:e}");
        };
        for _ in 0..100_000 {
            let u = r.next() as f64 / u64::MAX as f64;
            let x = f32::from_bits((r.next() as u32 & 0x7fff_ffff) % 0x7f00_0000).max(f32::MIN_POSITIVE);
            check(Trans::Rcp, x, 1.0 / f64::from(x));
            check(Trans::Sqrt, x, f64::from(x).sqrt());
            check(Trans::Rsq, x, 1.0 / f64::from(x).sqrt());
            check(Trans::Log, x, f64::from(x).log2());
            let e = (u * 250.0 - 124.0) as f32;
            check(Trans::Exp, e, f64::from(e).exp2());
            let t = (u * 2.0 - 1.0) as f32;
            let (s, c) = (
                f64::from(trans_value(Trans::Sin, t)),
                f64::from(trans_value(Trans::Cos, t)),
            );
            let a = f64::from(t) * std::f64::consts::TAU;
            assert!((s - a.sin()).abs() < 1e-7 && (c - a.cos()).abs() < 1e-7, "{t}");
        }
    }

    fn trans_value(f: Trans, x: f32) -> f32 {
        f32::from_bits(trans32(f, x.to_bits()))
    }

    #[test]
    fn special_values_of_the_transcendental_unit() {
        let t = |f, b| trans32(f, b);
        assert_eq!(t(Trans::Rcp, 0x8000_0000), 0xff80_0000);
        assert_eq!(t(Trans::Rcp, 0x0000_0001), 0x7f80_0000);
        assert_eq!(t(Trans::Sqrt, 0x8000_0000), 0x8000_0000);
        assert_eq!(t(Trans::Sqrt, 0xbf80_0000), 0x7fc0_0000);
        assert_eq!(t(Trans::Exp, 0xff80_0000), 0);
        assert_eq!(t(Trans::Exp, 0x4300_0000), 0x7f80_0000);
        assert_eq!(t(Trans::Log, 0), 0xff80_0000);
        assert_eq!(t(Trans::Sin, 0x3e80_0000), 0x3f80_0000);
        assert_eq!(t(Trans::Cos, 0x3e80_0000) & 0x7fff_ffff, 0);
        assert_eq!(t(Trans::Exp, 0x7f80_0001), 0x7fc0_0001);
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
