//! Arithmetic patterns of the vector ALU: what the per-family matches are made of.
//!
//! Each helper fetches, computes 32 lanes and writes back. f32 has a fast path (round to nearest, denormals kept:
//! the host's arithmetic) and an exact path for every other MODE; see [`crate::num`].

use super::fma::fma_row;
use super::lanes::{each, Lanes, Row16, Row64};
use super::{Fault, Step};
use crate::num::{self, fma_odd, is_nan32, nan16, nan32, FpMode, Round};
use crate::wave::{Row, LANES};

#[inline(always)]
pub(super) fn f(b: u32) -> f32 {
    f32::from_bits(b)
}

#[inline(always)]
pub(super) fn d(b: u32) -> f64 {
    f64::from(f32::from_bits(b))
}

#[inline(always)]
fn any_nan(r: &Row) -> bool {
    r.iter().fold(0, |m, &b| m | u32::from(is_nan32(b))) != 0
}

/// Replaces NaN results by what the card returns.
#[inline(always)]
fn fix_nans(r: &mut Row, srcs: &[&Row]) {
    if !any_nan(r) {
        return;
    }
    for l in 0..LANES {
        if is_nan32(r[l]) {
            let mut ops = [0; 3];
            for (o, s) in ops.iter_mut().zip(srcs) {
                *o = s[l];
            }
            r[l] = nan32(&ops[..srcs.len()]);
        }
    }
}

impl Lanes<'_> {
    /// 32-bit integer or bit operation of one source.
    #[inline(never)]
    pub fn u1(&mut self, op: impl Fn(u32) -> u32) -> Step {
        let a = self.s32(0);
        self.put32(&each(|l| op(a[l])));
        Ok(())
    }

    /// Of two sources.
    #[inline(never)]
    pub fn u2(&mut self, op: impl Fn(u32, u32) -> u32) -> Step {
        let (a, b) = (self.s32(0), self.s32(1));
        self.put32(&each(|l| op(a[l], b[l])));
        Ok(())
    }

    /// Of three sources.
    #[inline(never)]
    pub fn u3(&mut self, op: impl Fn(u32, u32, u32) -> u32) -> Step {
        let (a, b, c) = (self.s32(0), self.s32(1), self.s32(2));
        self.put32(&each(|l| op(a[l], b[l], c[l])));
        Ok(())
    }

    /// 16-bit integer operation of two sources.
    #[inline(never)]
    pub fn h2(&mut self, op: impl Fn(u16, u16) -> u16) -> Step {
        let (a, b) = (self.s16(0), self.s16(1));
        self.put16(&each(|l| op(a[l], b[l])));
        Ok(())
    }

    /// 16-bit integer operation of three sources.
    #[inline(never)]
    pub fn h3(&mut self, op: impl Fn(u16, u16, u16) -> u16) -> Step {
        let (a, b, c) = (self.s16(0), self.s16(1), self.s16(2));
        self.put16(&each(|l| op(a[l], b[l], c[l])));
        Ok(())
    }

    /// Add-like or multiply-like f32 operation: `fast` in the host's f32, `exact` in f64 rounded to odd.
    #[inline(never)]
    pub fn f2(&mut self, fast: impl Fn(f32, f32) -> f32, exact: impl Fn(f64, f64) -> f64) -> Step {
        let (a, b) = (self.s32(0), self.s32(1));
        let r = float2(self.fp, &a, &b, fast, exact);
        self.putf32(&r);
        Ok(())
    }

    /// f32 fused multiply-add of rows.
    #[inline(never)]
    pub fn fma32(&mut self, a: &Row, b: &Row, c: &Row) -> Step {
        let m = self.fp;
        let mut r = if m.plain32() {
            fma_row(a, b, c)
        } else {
            each(|l| m.to32(fma_odd(d(m.in32(a[l])), d(m.in32(b[l])), d(m.in32(c[l])))))
        };
        fix_nans(&mut r, &[a, b, c]);
        self.putf32(&r);
        Ok(())
    }

    /// The DX9 multiply-add: zero times anything is zero.
    #[inline(never)]
    pub fn fma_dx9(&mut self, a: &Row, b: &Row, c: &Row) -> Step {
        let zero = |x: u32| x & 0x7fff_ffff == 0;
        let m = self.fp;
        let mut r: Row = each(|l| {
            let (x, y, z) = (m.in32(a[l]), m.in32(b[l]), m.in32(c[l]));
            if zero(x) || zero(y) {
                z
            } else {
                m.to32(fma_odd(d(x), d(y), d(z)))
            }
        });
        fix_nans(&mut r, &[a, b, c]);
        self.putf32(&r);
        Ok(())
    }

    /// f32 operation of one source that gives f32 bits; NaNs pass through quiet.
    #[inline(never)]
    pub fn f1(&mut self, op: impl Fn(f32) -> f32) -> Step {
        let (a, m) = (self.s32(0), self.fp);
        let r = each(|l| {
            let x = m.in32(a[l]);
            if is_nan32(x) {
                x | 0x0040_0000
            } else {
                m.out32(op(f(x)).to_bits())
            }
        });
        self.putf32(&r);
        Ok(())
    }

    /// f32 operation on bit patterns of one source.
    #[inline(never)]
    pub fn fb1(&mut self, op: impl Fn(u32) -> u32) -> Step {
        let (a, m) = (self.s32(0), self.fp);
        self.putf32(&each(|l| op(m.in32(a[l]))));
        Ok(())
    }

    /// Transcendental on f32.
    #[inline(never)]
    pub fn trans32(&mut self, t: num::Trans) -> Step {
        let (a, mask) = (self.s32(0), self.mask);
        // Results of disabled lanes are dropped: skip the work.
        let r = each(|l| if mask >> l & 1 == 1 { num::trans32(t, a[l]) } else { 0 });
        self.putf32(&r);
        Ok(())
    }

    /// Transcendental on f16.
    #[inline(never)]
    pub fn trans16(&mut self, t: num::Trans) -> Step {
        let (a, m, mask) = (self.s16(0), self.fp, self.mask);
        let r = each(|l| {
            if mask >> l & 1 == 1 {
                num::trans16(t, a[l], m)
            } else {
                0
            }
        });
        self.putf16(&r);
        Ok(())
    }

    /// f32 minimum or maximum of rows, as `putf32` wants it.
    #[inline(never)]
    pub fn minmax(&self, a: &Row, b: &Row, max: bool) -> Row {
        let m = self.fp;
        if m.plain32() && !any_nan(a) && !any_nan(b) {
            return each(|l| {
                if (num::order32(a[l]) > num::order32(b[l])) == max {
                    a[l]
                } else {
                    b[l]
                }
            });
        }
        each(|l| m.out32(num::minmax32(m.in32(a[l]), m.in32(b[l]), max, m.ieee)))
    }

    /// f16 minimum or maximum of rows.
    #[inline(never)]
    pub fn minmax_h(&self, a: &Row16, b: &Row16, max: bool) -> Row16 {
        let m = self.fp;
        each(|l| m.out16(num::minmax16(m.in16(a[l]), m.in16(b[l]), max, m.ieee)))
    }

    /// f16 operation of one source in f64, exact up to one rounding.
    #[inline(never)]
    pub fn hf1(&mut self, op: impl Fn(f64) -> f64) -> Step {
        let (a, m) = (self.s16(0), self.fp);
        let r = each(|l| half1(m, a[l], &op));
        self.putf16(&r);
        Ok(())
    }

    /// f16 operation of two sources.
    #[inline(never)]
    pub fn hf2(&mut self, exact: impl Fn(f64, f64) -> f64) -> Step {
        let (a, b, m) = (self.s16(0), self.s16(1), self.fp);
        let r = each(|l| half2(m, a[l], b[l], &exact));
        self.putf16(&r);
        Ok(())
    }

    /// f16 fused multiply-add of rows.
    #[inline(never)]
    pub fn hfma(&mut self, a: &Row16, b: &Row16, c: &Row16) -> Step {
        let m = self.fp;
        let r = each(|l| half_fma(m, a[l], b[l], c[l]));
        self.putf16(&r);
        Ok(())
    }

    /// f64 operation of `n` sources on the host's f64 (round to nearest only).
    #[inline(never)]
    pub fn f64op(&mut self, n: usize, op: impl Fn([f64; 3]) -> f64) -> Step {
        let m = self.fp;
        if m.round16 != Round::Nearest {
            return Err(Fault::unsupported(
                "f64 arithmetic with a rounding mode other than nearest",
            ));
        }
        let mut src = [[0u64; LANES]; 3];
        for (k, s) in src.iter_mut().enumerate().take(n) {
            *s = self.s64(k).map(|x| in64(m, x));
        }
        let r: Row64 = each(|l| {
            let bits = [src[0][l], src[1][l], src[2][l]];
            let x = op(bits.map(f64::from_bits));
            if x.is_nan() {
                nan64(&bits[..n])
            } else {
                out64(m, x.to_bits())
            }
        });
        self.putf64(&r);
        Ok(())
    }

    /// Sources as f64 values, MODE applied.
    pub fn f64src(&self, k: usize) -> [f64; LANES] {
        let m = self.fp;
        self.s64(k).map(|x| f64::from_bits(in64(m, x)))
    }
}

/// Two-source f32 arithmetic on rows.
#[inline(always)]
pub(super) fn float2(
    m: FpMode,
    a: &Row,
    b: &Row,
    fast: impl Fn(f32, f32) -> f32,
    exact: impl Fn(f64, f64) -> f64,
) -> Row {
    let mut r: Row = if m.plain32() {
        each(|l| fast(f(a[l]), f(b[l])).to_bits())
    } else {
        each(|l| m.to32(exact(d(m.in32(a[l])), d(m.in32(b[l])))))
    };
    fix_nans(&mut r, &[a, b]);
    r
}

/// One f16 operation of one source.
pub(super) fn half1(m: FpMode, a: u16, op: impl Fn(f64) -> f64) -> u16 {
    let y = op(num::f16_to_f64(m.in16(a)));
    if y.is_nan() {
        nan16(&[a])
    } else {
        m.to16(y)
    }
}

/// One f16 operation of two sources; `exact` gives the exact value or rounds to odd.
#[inline(always)]
pub(super) fn half2(m: FpMode, a: u16, b: u16, exact: impl Fn(f64, f64) -> f64) -> u16 {
    let y = exact(num::f16_to_f64(m.in16(a)), num::f16_to_f64(m.in16(b)));
    if y.is_nan() {
        nan16(&[a, b])
    } else {
        m.to16(y)
    }
}

/// One f16 fused multiply-add, rounded once.
#[inline(always)]
pub(super) fn half_fma(m: FpMode, a: u16, b: u16, c: u16) -> u16 {
    let g = |x| num::f16_to_f64(m.in16(x));
    let y = fma_odd(g(a), g(b), g(c));
    if y.is_nan() {
        nan16(&[a, b, c])
    } else {
        m.to16(y)
    }
}

fn nan64(ops: &[u64]) -> u64 {
    let quiet = 1 << 51;
    ops.iter()
        .copied()
        .find(|&b| f64::from_bits(b).is_nan())
        .map_or(0x7ff8_0000_0000_0000, |b| b | quiet)
}

fn in64(m: FpMode, b: u64) -> u64 {
    if m.denorm16 & 1 == 0 && b & 0x7ff0_0000_0000_0000 == 0 {
        b & 1 << 63
    } else {
        b
    }
}

fn out64(m: FpMode, b: u64) -> u64 {
    if m.denorm16 & 2 == 0 && b & 0x7ff0_0000_0000_0000 == 0 {
        b & 1 << 63
    } else {
        b
    }
}

/// A 24-bit signed operand.
pub(super) fn i24(x: u32) -> i32 {
    (x as i32) << 8 >> 8
}

/// A 24-bit unsigned operand.
pub(super) fn u24(x: u32) -> u32 {
    x & 0xff_ffff
}
