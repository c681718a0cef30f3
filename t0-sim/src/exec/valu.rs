//! Arithmetic patterns of the vector ALU: what the per-family matches are made of.
//!
//! Each helper fetches, computes 32 lanes and writes back. f32 has a fast path (round to nearest, denormals kept:
//! the host's arithmetic) and an exact path for every other MODE; see [`crate::num`].

use std::mem::MaybeUninit;

use super::double::{is_nan64, nan64};
use super::fma::fma_row;
use super::lanes::{each, Lanes, Row16, Row64};
use super::wide::wide;
use super::Step;
use crate::num::trans::{self, Trans};
use crate::num::{self, fma_dir, fract_odd, is_nan32, nan16, nan32, FpMode, Round};
use crate::program::Dst;
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
#[cold]
#[inline(never)]
fn fix_nans(r: &mut Row, srcs: &[&Row]) {
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
    wide! {
        /// 32-bit integer or bit operation of one source.
        pub fn u1(x, op: impl Fn(u32) -> u32) -> Step {
            let mut room = MaybeUninit::uninit();
            let a = x.row(0, &mut room);
            let r = each(|l| op(a[l]));
            x.set32(&r);
            Ok(())
        }

        /// Of two sources.
        pub fn u2(x, op: impl Fn(u32, u32) -> u32) -> Step {
            let mut room = [MaybeUninit::uninit(); 2];
            let [p, q] = &mut room;
            let (a, b) = (x.row(0, p), x.row(1, q));
            let r = each(|l| op(a[l], b[l]));
            x.set32(&r);
            Ok(())
        }

        /// Of three sources.
        pub fn u3(x, op: impl Fn(u32, u32, u32) -> u32) -> Step {
            let mut room = [MaybeUninit::uninit(); 3];
            let [p, q, s] = &mut room;
            let (a, b, c) = (x.row(0, p), x.row(1, q), x.row(2, s));
            let r = each(|l| op(a[l], b[l], c[l]));
            x.set32(&r);
            Ok(())
        }

        /// Lane by lane the first source, or the second where mask source 2 has a bit.
        pub fn select(x) -> Step {
            let mut room = [MaybeUninit::uninit(); 2];
            let [p, q] = &mut room;
            let (a, b, m) = (x.row(0, p), x.row(1, q), x.mask_src(2));
            let r = each(|l| if m >> l & 1 == 1 { b[l] } else { a[l] });
            x.set32(&r);
            Ok(())
        }

        /// 16-bit integer operation of two sources.
        pub fn h2(x, op: impl Fn(u16, u16) -> u16) -> Step {
            let (a, b) = (x.s16(0), x.s16(1));
            x.put16(&each(|l| op(a[l], b[l])));
            Ok(())
        }

        /// 16-bit integer operation of three sources.
        pub fn h3(x, op: impl Fn(u16, u16, u16) -> u16) -> Step {
            let (a, b, c) = (x.s16(0), x.s16(1), x.s16(2));
            x.put16(&each(|l| op(a[l], b[l], c[l])));
            Ok(())
        }

        /// 64-bit operation of a dword and a quadword.
        pub fn shift64(x, op: impl Fn(u32, u64) -> u64) -> Step {
            let (a, b) = (x.s32(0), x.s64(1));
            x.put64(&each(|l| op(a[l], b[l])));
            Ok(())
        }

        /// Add-like or multiply-like f32 operation: `fast` in the host's f32, `exact` in f64 rounded to odd.
        pub fn f2(x, fast: impl Fn(f32, f32) -> f32, exact: impl Fn(f64, f64) -> f64) -> Step {
            let mut room = [MaybeUninit::uninit(); 2];
            let [p, q] = &mut room;
            let (a, b, m) = (x.row(0, p), x.row(1, q), x.fp);
            let mut r: Row = if m.plain32() {
                each(|l| fast(f(a[l]), f(b[l])).to_bits())
            } else {
                each(|l| m.to32(exact(d(m.in32(a[l])), d(m.in32(b[l])))))
            };
            if any_nan(&r) {
                fix_nans(&mut r, &[a, b]);
            }
            x.setf32(&r);
            Ok(())
        }

        /// f32 fused multiply-add of rows.
        pub fn fma32(x, a: &Row, b: &Row, c: &Row) -> Step {
            let mut r = fma32_row(x.fp, a, b, c);
            if any_nan(&r) {
                fix_nans(&mut r, &[a, b, c]);
            }
            x.setf32(&r);
            Ok(())
        }

        /// f32 fused multiply-add of the three sources.
        pub fn fma3(x) -> Step {
            let mut room = [MaybeUninit::uninit(); 3];
            let [p, q, s] = &mut room;
            let (a, b, c) = (x.row(0, p), x.row(1, q), x.row(2, s));
            let mut r = fma32_row(x.fp, a, b, c);
            if any_nan(&r) {
                fix_nans(&mut r, &[a, b, c]);
            }
            x.setf32(&r);
            Ok(())
        }

        /// f32 fused multiply-add of two sources onto the destination.
        pub fn fmac(x) -> Step {
            let mut room = [MaybeUninit::uninit(); 2];
            let [p, q] = &mut room;
            let c = match x.i.dst[0] {
                Dst::V(r) => x.w.v(usize::from(r)),
                _ => &[0; LANES],
            };
            let (a, b) = (x.row(0, p), x.row(1, q));
            let mut r = fma32_row(x.fp, a, b, c);
            if any_nan(&r) {
                fix_nans(&mut r, &[a, b, c]);
            }
            x.setf32(&r);
            Ok(())
        }

        /// The DX9 multiply-add: zero times anything is zero.
        pub fn fma_dx9(x, a: &Row, b: &Row, c: &Row) -> Step {
            let zero = |x: u32| x & 0x7fff_ffff == 0;
            let m = x.fp;
            let r: Row = each(|l| {
                let (x, y, z) = (m.in32(a[l]), m.in32(b[l]), m.in32(c[l]));
                if zero(x) || zero(y) {
                    return if is_nan32(z) { z | 0x0040_0000 } else { m.out32(z) };
                }
                let v = fma_dir(m.round32, d(x), d(y), d(z));
                if v.is_nan() {
                    nan32(&[x, y, z])
                } else {
                    m.to32(v)
                }
            });
            x.putf32(&r);
            Ok(())
        }

        /// f32 operation of one source that gives f32 bits; NaNs pass through quiet.
        pub fn f1(x, op: impl Fn(f32) -> f32) -> Step {
            let mut room = MaybeUninit::uninit();
            let (a, m) = (x.row(0, &mut room), x.fp);
            let r = each(|l| {
                let v = m.in32(a[l]);
                let y = op(f(v));
                if y.is_nan() {
                    nan32(&[v])
                } else {
                    m.out32(y.to_bits())
                }
            });
            x.setf32(&r);
            Ok(())
        }

        /// The fractional part, below 1 whatever the rounding (LLVM selects it for `min(x - floor(x), 1 - ulp)`).
        pub fn fract32(x) -> Step {
            let mut room = MaybeUninit::uninit();
            let (a, m) = (x.row(0, &mut room), x.fp);
            let r = each(|l| {
                let v = fract_odd(m.round32, d(m.in32(a[l])));
                if v.is_nan() {
                    nan32(&[a[l]])
                } else {
                    match m.to32(v) {
                        0x3f80_0000 => 0x3f7f_ffff,
                        r => r,
                    }
                }
            });
            x.setf32(&r);
            Ok(())
        }

        /// The same on f16.
        pub fn fract16(x) -> Step {
            let (a, m) = (x.s16(0), x.fp);
            let r = each(|l| match half1(m, a[l], |v| fract_odd(m.round16, v)) {
                0x3c00 => 0x3bff,
                r => r,
            });
            x.putf16(&r);
            Ok(())
        }

        /// f32 operation on bit patterns of one source.
        pub fn fb1(x, op: impl Fn(u32) -> u32) -> Step {
            let mut room = MaybeUninit::uninit();
            let (a, m) = (x.row(0, &mut room), x.fp);
            let r = each(|l| op(m.in32(a[l])));
            x.setf32(&r);
            Ok(())
        }

        /// f32 minimum or maximum.
        pub fn minmax32(x, max: bool) -> Step {
            let mut room = [MaybeUninit::uninit(); 2];
            let [p, q] = &mut room;
            let (a, b) = (x.row(0, p), x.row(1, q));
            let r = minmax(x.fp, a, b, max);
            x.setf32(&r);
            Ok(())
        }

        /// f16 minimum or maximum.
        pub fn minmax16(x, max: bool) -> Step {
            let (a, b, m) = (x.s16(0), x.s16(1), x.fp);
            x.putf16(&each(|l| m.out16(num::minmax16(m.in16(a[l]), m.in16(b[l]), max, m.ieee))));
            Ok(())
        }

        /// f16 operation of one source in f64, exact up to one rounding.
        pub fn hf1(x, op: impl Fn(f64) -> f64) -> Step {
            let (a, m) = (x.s16(0), x.fp);
            let r = each(|l| half1(m, a[l], &op));
            x.putf16(&r);
            Ok(())
        }

        /// f16 operation of two sources.
        pub fn hf2(x, exact: impl Fn(f64, f64) -> f64) -> Step {
            let (a, b, m) = (x.s16(0), x.s16(1), x.fp);
            let r = each(|l| half2(m, a[l], b[l], &exact));
            x.putf16(&r);
            Ok(())
        }

        /// f16 fused multiply-add of rows.
        pub fn hfma(x, a: &Row16, b: &Row16, c: &Row16) -> Step {
            let m = x.fp;
            let r = each(|l| half_fma(m, a[l], b[l], c[l]));
            x.putf16(&r);
            Ok(())
        }
    }

    wide! {
        /// Transcendental on f32.
        pub fn trans32(x, t: Trans) -> Step {
            let mut room = MaybeUninit::uninit();
            let r = trans::row32(t, x.row(0, &mut room));
            x.setf32(&r);
            Ok(())
        }

        /// Transcendental on f16.
        pub fn trans16(x, t: Trans) -> Step {
            let r = trans::row16(t, &x.s16(0), x.fp);
            x.putf16(&r);
            Ok(())
        }
    }

    wide! {
        /// f64 operation of `n` sources on bit patterns; a NaN operand wins.
        pub fn d64(x, n: usize, op: impl Fn([u64; 3], Round) -> u64) -> Step {
            let m = x.fp;
            let mut src = [[0u64; LANES]; 3];
            for (k, s) in src.iter_mut().enumerate().take(n) {
                let row = x.s64(k);
                *s = each(|l| in64(m, row[l]));
            }
            let r: Row64 = each(|l| {
                let bits = [src[0][l], src[1][l], src[2][l]];
                let y = op(bits, m.round16);
                if is_nan64(y) {
                    nan64(&bits[..n])
                } else {
                    out64(m, y)
                }
            });
            x.putf64(&r);
            Ok(())
        }
    }

    /// f64 operation of one source on the host's f64, for operations that do not round (or only to nearest).
    #[inline(always)]
    pub fn d1(&mut self, op: impl Fn(f64) -> f64) -> Step {
        self.d64(1, |v, _| op(f64::from_bits(v[0])).to_bits())
    }

    /// Sources as f64 values, MODE applied.
    pub fn f64src(&self, k: usize) -> [f64; LANES] {
        let (m, row) = (self.fp, self.s64(k));
        each(|l| f64::from_bits(in64(m, row[l])))
    }
}

/// `a * b + c` in f32, one rounding; NaN payloads are left to [`fix_nans`].
#[inline(always)]
fn fma32_row(m: FpMode, a: &Row, b: &Row, c: &Row) -> Row {
    if m.plain32() {
        return fma_row(a, b, c);
    }
    each(|l| m.to32(fma_dir(m.round32, d(m.in32(a[l])), d(m.in32(b[l])), d(m.in32(c[l])))))
}

/// f32 minimum or maximum of rows.
#[inline(always)]
pub(super) fn minmax(m: FpMode, a: &Row, b: &Row, max: bool) -> Row {
    if m.plain32() && !any_nan(a) && !any_nan(b) {
        return if max {
            each(|l| {
                if num::order32(a[l]) > num::order32(b[l]) {
                    a[l]
                } else {
                    b[l]
                }
            })
        } else {
            each(|l| {
                if num::order32(a[l]) < num::order32(b[l]) {
                    a[l]
                } else {
                    b[l]
                }
            })
        };
    }
    each(|l| m.out32(num::minmax32(m.in32(a[l]), m.in32(b[l]), max, m.ieee)))
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
    let y = fma_dir(m.round16, g(a), g(b), g(c));
    if y.is_nan() {
        nan16(&[a, b, c])
    } else {
        m.to16(y)
    }
}

/// An f64 operand as the unit sees it.
#[inline(always)]
pub(super) fn in64(m: FpMode, b: u64) -> u64 {
    if m.denorm16 & 1 == 0 && b & 0x7ff0_0000_0000_0000 == 0 {
        b & 1 << 63
    } else {
        b
    }
}

/// An f64 result as the unit delivers it.
#[inline(always)]
pub(super) fn out64(m: FpMode, b: u64) -> u64 {
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
