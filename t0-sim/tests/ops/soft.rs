//! Floating point by definition: numbers are sign, integer and power of two; every operation is exact and is rounded
//! once by the code below. Nothing here comes from the simulator.
//!
//! Invariant of [`X`]: `m < 2^126`, and when bits were lost below bit 0 the lost part is remembered by setting bit 0
//! (only done when the last bit any format keeps lies far above it).

/// A binary format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fmt {
    pub exp: u32,
    pub man: u32,
}
pub const F16: Fmt = Fmt { exp: 5, man: 10 };
pub const BF16: Fmt = Fmt { exp: 8, man: 7 };
pub const F32: Fmt = Fmt { exp: 8, man: 23 };
pub const F64: Fmt = Fmt { exp: 11, man: 52 };

/// Rounding of MODE: nearest even, up, down, toward zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    Near,
    Up,
    Down,
    Zero,
}

/// The MODE register. Source: RDNA3 ISA manual 3.4.4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode(pub u32);

impl Mode {
    fn group(self, f: Fmt) -> u32 {
        if f == F32 {
            0
        } else {
            2
        }
    }
    pub fn round(self, f: Fmt) -> Round {
        [Round::Near, Round::Up, Round::Down, Round::Zero][(self.0 >> self.group(f) & 3) as usize]
    }
    /// Denormal inputs are kept.
    pub fn din(self, f: Fmt) -> bool {
        self.0 >> (4 + self.group(f)) & 1 == 1
    }
    /// Denormal results are kept.
    pub fn dout(self, f: Fmt) -> bool {
        self.0 >> (5 + self.group(f)) & 1 == 1
    }
    pub fn dx10(self) -> bool {
        self.0 >> 8 & 1 == 1
    }
    pub fn ieee(self) -> bool {
        self.0 >> 9 & 1 == 1
    }
    /// FP16_OVFL.
    pub fn ovfl(self) -> bool {
        self.0 >> 23 & 1 == 1
    }
}

/// `(-1)^neg * m * 2^e`; zero keeps its sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct X {
    pub neg: bool,
    pub m: u128,
    pub e: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Num {
    Nan,
    Inf(bool),
    Fin(X),
}

impl Fmt {
    pub fn bits(self) -> u32 {
        1 + self.exp + self.man
    }
    pub fn bias(self) -> i32 {
        (1 << (self.exp - 1)) - 1
    }
    pub fn emask(self) -> u64 {
        (1 << self.exp) - 1
    }
    pub fn sign_bit(self) -> u64 {
        1 << (self.bits() - 1)
    }
    pub fn all(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }
    pub fn inf(self, neg: bool) -> u64 {
        self.emask() << self.man | if neg { self.sign_bit() } else { 0 }
    }
    pub fn zero(self, neg: bool) -> u64 {
        if neg {
            self.sign_bit()
        } else {
            0
        }
    }
    pub fn one(self) -> u64 {
        (self.bias() as u64) << self.man
    }
    pub fn max(self, neg: bool) -> u64 {
        self.inf(neg) - 1
    }
    /// What an invalid operation gives.
    pub fn nan(self) -> u64 {
        self.inf(false) | 1 << (self.man - 1)
    }
    pub fn is_neg(self, b: u64) -> bool {
        b & self.sign_bit() != 0
    }
    pub fn abs(self, b: u64) -> u64 {
        b & (self.all() >> 1)
    }
    pub fn is_nan(self, b: u64) -> bool {
        self.abs(b) > self.inf(false)
    }
    pub fn is_snan(self, b: u64) -> bool {
        self.is_nan(b) && b >> (self.man - 1) & 1 == 0
    }
    pub fn is_inf(self, b: u64) -> bool {
        self.abs(b) == self.inf(false)
    }
    pub fn is_zero(self, b: u64) -> bool {
        self.abs(b) == 0
    }
    pub fn is_denorm(self, b: u64) -> bool {
        self.abs(b) != 0 && self.abs(b) >> self.man == 0
    }
    pub fn quiet(self, b: u64) -> u64 {
        b | 1 << (self.man - 1)
    }
    /// The exponent field.
    pub fn field(self, b: u64) -> i32 {
        (b >> self.man & self.emask()) as i32
    }
    /// Denormal inputs become zero of their sign unless MODE keeps them.
    pub fn flush_in(self, b: u64, m: Mode) -> u64 {
        if self.is_denorm(b) && !m.din(self) {
            b & self.sign_bit()
        } else {
            b
        }
    }
    pub fn flush_out(self, b: u64, m: Mode) -> u64 {
        if self.is_denorm(b) && !m.dout(self) {
            b & self.sign_bit()
        } else {
            b
        }
    }
    pub fn num(self, b: u64) -> Num {
        if self.is_nan(b) {
            return Num::Nan;
        }
        if self.is_inf(b) {
            return Num::Inf(self.is_neg(b));
        }
        let frac = u128::from(b & ((1 << self.man) - 1));
        let field = self.field(b);
        let (m, e) = if field == 0 {
            (frac, 1)
        } else {
            (frac | 1 << self.man, field)
        };
        Num::Fin(X {
            neg: self.is_neg(b),
            m,
            e: e - self.bias() - self.man as i32,
        })
    }
    /// Finite value of bits known to be finite.
    pub fn fin(self, b: u64) -> X {
        match self.num(b) {
            Num::Fin(x) => x,
            n => panic!("{n:?} is not finite"),
        }
    }
    /// Rounds once; denormals are kept.
    pub fn round(self, x: X, r: Round) -> u64 {
        if x.m == 0 {
            return self.zero(x.neg);
        }
        let top = 127 - x.m.leading_zeros() as i32;
        let lowest = 1 - self.bias() - self.man as i32;
        let q = (top + x.e - self.man as i32).max(lowest);
        let shift = q - x.e;
        let mut keep = if shift <= 0 {
            x.m << -shift
        } else if shift > 127 {
            0
        } else {
            x.m >> shift
        };
        let rest = if shift <= 0 {
            0
        } else if shift > 127 {
            x.m
        } else {
            x.m & ((1 << shift) - 1)
        };
        let half = if (1..=127).contains(&shift) {
            1u128 << (shift - 1)
        } else {
            u128::MAX
        };
        let up = match r {
            Round::Near => rest > half || (rest == half && keep & 1 == 1),
            Round::Up => rest != 0 && !x.neg,
            Round::Down => rest != 0 && x.neg,
            Round::Zero => false,
        };
        keep += u128::from(up);
        // A carry into the next binade needs no shift: the integer encoding carries by itself.
        let base = if keep >> self.man == 0 { 0 } else { (q - lowest) as u128 };
        let bits = keep + (base << self.man);
        if bits >= u128::from(self.inf(false)) {
            let away = match r {
                Round::Near => true,
                Round::Up => !x.neg,
                Round::Down => x.neg,
                Round::Zero => false,
            };
            return if away { self.inf(x.neg) } else { self.max(x.neg) };
        }
        bits as u64 | self.zero(x.neg)
    }
    /// Rounds by MODE, flushes, saturates f16 when FP16_OVFL says so.
    pub fn result(self, x: X, m: Mode) -> u64 {
        self.result_by(x, m.round(self), m)
    }
    pub fn result_by(self, x: X, r: Round, m: Mode) -> u64 {
        let b = self.round(x, r);
        if self == F16 && m.ovfl() && self.is_inf(b) {
            return self.max(x.neg);
        }
        self.flush_out(b, m)
    }
    pub fn add(self, a: u64, b: u64, m: Mode) -> u64 {
        let (a, b) = (self.flush_in(a, m), self.flush_in(b, m));
        if let Some(n) = self.first_nan(&[a, b]) {
            return n;
        }
        match sum(self.num(a), self.num(b), m.round(self)) {
            Num::Nan => self.nan(),
            Num::Inf(n) => self.inf(n),
            Num::Fin(x) => self.result(x, m),
        }
    }
    pub fn mul(self, a: u64, b: u64, m: Mode) -> u64 {
        let (a, b) = (self.flush_in(a, m), self.flush_in(b, m));
        if let Some(n) = self.first_nan(&[a, b]) {
            return n;
        }
        match self.product(a, b) {
            Num::Nan => self.nan(),
            Num::Inf(n) => self.inf(n),
            Num::Fin(x) => self.result(x, m),
        }
    }
    /// One rounding after multiply and add.
    pub fn fma(self, a: u64, b: u64, c: u64, m: Mode) -> u64 {
        self.fma_scaled(a, b, c, 0, m)
    }
    /// `(a * b + c) * 2^by`, one rounding.
    pub fn fma_scaled(self, a: u64, b: u64, c: u64, by: i32, m: Mode) -> u64 {
        let [a, b, c] = [a, b, c].map(|v| self.flush_in(v, m));
        if let Some(n) = self.first_nan(&[a, b, c]) {
            return n;
        }
        match sum(self.product(a, b), self.num(c), m.round(self)) {
            Num::Nan => self.nan(),
            Num::Inf(n) => self.inf(n),
            Num::Fin(x) => self.result(X { e: x.e + by, ..x }, m),
        }
    }
    /// The first NaN of the sources, quiet.
    pub fn first_nan(self, v: &[u64]) -> Option<u64> {
        v.iter().find(|&&b| self.is_nan(b)).map(|&b| self.quiet(b))
    }
    fn product(self, a: u64, b: u64) -> Num {
        product(self.num(a), self.num(b))
    }
    /// As another format. NaN keeps sign and the upper payload.
    pub fn to(self, b: u64, t: Fmt, r: Round, m: Mode) -> u64 {
        let b = self.flush_in(b, m);
        match self.num(b) {
            Num::Nan => {
                let frac = b & ((1 << self.man) - 1);
                let frac = if t.man >= self.man {
                    frac << (t.man - self.man)
                } else {
                    frac >> (self.man - t.man)
                };
                t.quiet(t.inf(self.is_neg(b)) | frac)
            }
            Num::Inf(n) => t.inf(n),
            Num::Fin(x) => t.result_by(x, r, m),
        }
    }
    /// `a < b`, `a == b`, or unordered (`None`).
    pub fn cmp(self, a: u64, b: u64) -> Option<std::cmp::Ordering> {
        if self.is_nan(a) || self.is_nan(b) {
            return None;
        }
        let key = |v: u64| {
            let k = self.abs(v) as i128;
            if self.is_neg(v) {
                -k
            } else {
                k
            }
        };
        Some(key(a).cmp(&key(b)))
    }
    pub fn to_f64(self, b: u64) -> f64 {
        let m = Mode(0xf0);
        f64::from_bits(self.to(b, F64, Round::Near, m))
    }
}

pub fn product(a: Num, b: Num) -> Num {
    match (a, b) {
        (Num::Fin(x), Num::Fin(y)) => Num::Fin(X {
            neg: x.neg != y.neg,
            m: x.m * y.m,
            e: x.e + y.e,
        }),
        (Num::Nan, _) | (_, Num::Nan) => Num::Nan,
        (Num::Inf(n), Num::Inf(k)) => Num::Inf(n != k),
        (Num::Inf(n), Num::Fin(x)) | (Num::Fin(x), Num::Inf(n)) => {
            if x.m == 0 {
                Num::Nan
            } else {
                Num::Inf(n != x.neg)
            }
        }
    }
}

/// Exact sum (with the jamming described above). The rounding direction gives the sign of an exact zero.
pub fn sum(a: Num, b: Num, r: Round) -> Num {
    match (a, b) {
        (Num::Nan, _) | (_, Num::Nan) => Num::Nan,
        (Num::Inf(n), Num::Inf(k)) => {
            if n == k {
                Num::Inf(n)
            } else {
                Num::Nan
            }
        }
        (Num::Inf(n), _) | (_, Num::Inf(n)) => Num::Inf(n),
        (Num::Fin(x), Num::Fin(y)) => Num::Fin(sum_x(x, y, r)),
    }
}

pub fn sum_x(x: X, y: X, r: Round) -> X {
    if x.m == 0 && y.m == 0 {
        let neg = if x.neg == y.neg { x.neg } else { r == Round::Down };
        return X { neg, m: 0, e: 0 };
    }
    if x.m == 0 {
        return y;
    }
    if y.m == 0 {
        return x;
    }
    let up = |v: X| {
        let s = v.m.leading_zeros() as i32 - 2;
        X {
            m: v.m << s,
            e: v.e - s,
            ..v
        }
    };
    let (x, y) = (up(x), up(y));
    let (big, small) = if (x.e, x.m) >= (y.e, y.m) { (x, y) } else { (y, x) };
    let d = (big.e - small.e) as u32;
    let low = if d > 126 {
        1
    } else {
        small.m >> d | u128::from(small.m & ((1 << d) - 1) != 0)
    };
    if big.neg == small.neg {
        // Two values below 2^126: the sum stays below 2^127.
        return X { m: big.m + low, ..big };
    }
    match big.m - low {
        0 => X {
            neg: r == Round::Down,
            m: 0,
            e: 0,
        },
        m => X { m, ..big },
    }
}

/// Direction of rounding to an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Int {
    Trunc,
    Floor,
    Ceil,
    Even,
}

/// The integer next to `x`; magnitudes beyond 2^100 come back as ±2^100.
pub fn to_int(x: X, d: Int) -> i128 {
    if x.m == 0 {
        return 0;
    }
    let top = 127 - x.m.leading_zeros() as i32;
    let sign = |v: i128| if x.neg { -v } else { v };
    if top + x.e >= 100 {
        return sign(1 << 100);
    }
    if x.e >= 0 {
        return sign((x.m as i128) << x.e);
    }
    let s = -x.e;
    let (whole, half, rest) = if s > 127 {
        (0, false, true)
    } else {
        let rest = x.m & ((1u128 << s) - 1);
        ((x.m >> s) as i128, rest == 1u128 << (s - 1), rest != 0)
    };
    let above_half = s <= 127 && x.m & ((1u128 << s) - 1) > 1u128 << (s - 1);
    let away = match d {
        Int::Trunc => false,
        Int::Floor => rest && x.neg,
        Int::Ceil => rest && !x.neg,
        Int::Even => above_half || (half && whole & 1 == 1),
    };
    sign(whole + i128::from(away))
}

/// An integer as an exact number.
pub fn from_int(v: i128) -> X {
    X {
        neg: v < 0,
        m: v.unsigned_abs(),
        e: 0,
    }
}

/// Rounds to an integral value of the same format.
pub fn integral(f: Fmt, b: u64, d: Int) -> u64 {
    let Num::Fin(x) = f.num(b) else {
        return if f.is_nan(b) { f.quiet(b) } else { b };
    };
    if x.e >= 0 {
        return b;
    }
    let v = to_int(x, d);
    f.round(
        X {
            neg: f.is_neg(b),
            ..from_int(v)
        },
        Round::Near,
    )
}

#[test]
fn agrees_with_the_host() {
    let mut s = 88172645463325252u64;
    let mut next = || {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        s
    };
    let m = Mode(0xf0);
    for k in 0..200_000u32 {
        let r = [next(), next(), next()];
        // Exponents near each other and near the ends now and then.
        let near = |v: u64, f: Fmt| match k % 4 {
            0 => v & f.all(),
            1 => v & f.all() & !(f.emask() << f.man) | (f.bias() as u64 + v % 5) << f.man,
            2 => v & f.all() & !(f.emask() << f.man) | (v >> 60) << f.man,
            _ => v & f.all() & !(f.emask() << f.man) | (f.emask() - 1 - (v >> 62)) << f.man,
        };
        let same = |f: Fmt, got: u64, want: u64, host_nan: bool| (host_nan && f.is_nan(got)) || got == want;
        let [a, b, c] = r.map(|v| near(v, F64));
        let [x, y, z] = [a, b, c].map(f64::from_bits);
        let w = x.mul_add(y, z);
        assert!(same(F64, F64.fma(a, b, c, m), w.to_bits(), w.is_nan()), "{x} {y} {z}");
        let w = x + y;
        assert!(same(F64, F64.add(a, b, m), w.to_bits(), w.is_nan()), "{x} {y}");
        let w = x as f32;
        assert!(same(
            F32,
            F64.to(a, F32, Round::Near, m),
            w.to_bits().into(),
            w.is_nan()
        ));
        let [a, b, c] = r.map(|v| near(v, F32));
        let [x, y, z] = [a, b, c].map(|v| f32::from_bits(v as u32));
        let w = x.mul_add(y, z);
        assert!(
            same(F32, F32.fma(a, b, c, m), w.to_bits().into(), w.is_nan()),
            "{x} {y} {z}"
        );
        let w = x * y;
        assert!(same(F32, F32.mul(a, b, m), w.to_bits().into(), w.is_nan()), "{x} {y}");
        assert_eq!(
            to_int(from_int(r[0] as i64 as i128), Int::Even),
            i128::from(r[0] as i64)
        );
        if x.is_finite() {
            assert_eq!(integral(F32, a, Int::Floor), u64::from(x.floor().to_bits()));
            assert_eq!(integral(F32, a, Int::Even), u64::from(x.round_ties_even().to_bits()));
        }
    }
}
