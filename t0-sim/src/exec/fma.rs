//! Rows and tiles on the host's vector units when it has them.
//!
//! Method: a body is written once, as loops over arrays; the compiler makes one copy for every host and one for hosts
//! with AVX2, and the copy is chosen when it runs. A fused multiply-add is exactly specified, and `+ - * /` and `sqrt`
//! are too, so every copy gives the same bits.

#![allow(unsafe_code)]

use super::lanes::each;
use crate::num::{f16_to_f32, fma_odd, narrow, Round, F32};
use crate::wave::{Row, LANES};

/// Runs `f`, compiled for the widest vectors the host has, for what is no method of `Lanes` (see [`super::wide`]). `f`
/// must be small enough to be inlined.
#[inline(always)]
pub(super) fn tiled<R>(f: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the host has the features the function needs, by the line above.
        return unsafe { tiled_avx2(f) };
    }
    f()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn tiled_avx2<R>(f: impl FnOnce() -> R) -> R {
    f()
}

/// `a * b + c` in f32, one rounding to nearest. NaN payloads are the host's; callers canonicalise.
#[inline(always)]
pub(super) fn fma_row(a: &Row, b: &Row, c: &Row) -> Row {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("fma") && std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the host has the features the function needs, by the line above.
        return unsafe { fma_row_avx2(a, b, c) };
    }
    fma_row_portable(a, b, c)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn fma_row_avx2(a: &Row, b: &Row, c: &Row) -> Row {
    let f = f32::from_bits;
    each(|l| f(a[l]).mul_add(f(b[l]), f(c[l])).to_bits())
}

pub(super) fn fma_row_portable(a: &Row, b: &Row, c: &Row) -> Row {
    let f = |x| f64::from(f32::from_bits(x));
    each(|l| narrow(fma_odd(f(a[l]), f(b[l]), f(c[l])), F32, Round::Nearest))
}

/// A 16 x 16 matrix, row after row.
pub(super) type M16<T = f32> = [[T; 16]; 16];

/// `acc[i][j] = fma(a[k][i], b[k][j], acc[i][j])` for k = 0..16 in that order.
pub(super) fn mac16(a: &M16, b: &M16, acc: &mut M16) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("fma") && std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the host has the features the function needs, by the line above.
        return unsafe { mac16_avx2(a, b, acc) };
    }
    mac16_body(a, b, acc, fma_portable);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn mac16_avx2(a: &M16, b: &M16, acc: &mut M16) {
    mac16_body(a, b, acc, f32::mul_add);
}

/// One fused multiply-add where the host's instruction set is not known to have one.
#[inline(always)]
fn fma_portable(a: f32, b: f32, c: f32) -> f32 {
    if cfg!(target_arch = "aarch64") {
        a.mul_add(b, c)
    } else {
        // Rounded to odd in f64, then once to nearest by the host's conversion.
        fma_odd(a.into(), b.into(), c.into()) as f32
    }
}

#[inline(always)]
fn mac16_body(a: &M16, b: &M16, acc: &mut M16, fma: impl Fn(f32, f32, f32) -> f32) {
    // Four rows at a time hide the latency of the sums.
    for i in (0..16).step_by(4) {
        let mut s = [acc[i], acc[i + 1], acc[i + 2], acc[i + 3]];
        for k in 0..16 {
            for (r, s) in s.iter_mut().enumerate() {
                let x = a[k][i + r];
                for j in 0..16 {
                    s[j] = fma(x, b[k][j], s[j]);
                }
            }
        }
        acc[i..i + 4].copy_from_slice(&s);
    }
}

/// Registers of A or B, lanes 0..=15, as a matrix of the f16 in them: even k in the low halves, odd k in the high ones.
pub(super) fn f16_matrix(rows: &[[u32; 16]; 8]) -> M16 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("f16c") && std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the host has the features the function needs, by the line above.
        return unsafe { f16_matrix_f16c(rows) };
    }
    f16_matrix_portable(rows)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,f16c")]
fn f16_matrix_f16c(rows: &[[u32; 16]; 8]) -> M16 {
    use std::arch::x86_64::{
        __m256i, _mm256_and_si256, _mm256_castsi256_si128, _mm256_cvtph_ps, _mm256_extracti128_si256,
        _mm256_loadu_si256, _mm256_packus_epi32, _mm256_permute4x64_epi64, _mm256_set1_epi32, _mm256_srli_epi32,
        _mm256_storeu_ps,
    };
    let mut m: M16 = [[0.0; 16]; 16];
    let low = _mm256_set1_epi32(0xffff);
    for (row, pair) in rows.iter().zip(m.chunks_exact_mut(2)) {
        let at = row.as_ptr().cast::<__m256i>();
        // SAFETY: a row of 16 dwords is two vectors of 32 bytes; the loads need no alignment.
        let (x, y) = unsafe { (_mm256_loadu_si256(at), _mm256_loadu_si256(at.add(1))) };
        let halves = [
            (_mm256_and_si256(x, low), _mm256_and_si256(y, low)),
            (_mm256_srli_epi32::<16>(x), _mm256_srli_epi32::<16>(y)),
        ];
        for (out, (x, y)) in pair.iter_mut().zip(halves) {
            // Packing works within 128 bits: the permutation restores the order of the lanes.
            let packed = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi32(x, y));
            let low = _mm256_cvtph_ps(_mm256_castsi256_si128(packed));
            let high = _mm256_cvtph_ps(_mm256_extracti128_si256::<1>(packed));
            let at = out.as_mut_ptr();
            // SAFETY: a row of 16 floats is two vectors of 8; the stores need no alignment.
            unsafe {
                _mm256_storeu_ps(at, low);
                _mm256_storeu_ps(at.add(8), high);
            }
        }
    }
    m
}

fn f16_matrix_portable(rows: &[[u32; 16]; 8]) -> M16 {
    let mut m: M16 = [[0.0; 16]; 16];
    for (row, pair) in rows.iter().zip(m.chunks_exact_mut(2)) {
        pair[0] = each(|l| f16_to_f32(row[l] as u16));
        pair[1] = each(|l| f16_to_f32((row[l] >> 16) as u16));
    }
    m
}

/// Two 16-bit integers in a dword, even k below odd k: `m[k / 2][i]`.
pub(super) type Pairs = [[u32; 16]; 8];

/// `sum[i][j] = a[k][i] * b[k][j]` summed over k, exact: products of two pairs fit 32 bits, and so do eight of them.
pub(super) fn mac16_i16(a: &Pairs, b: &Pairs) -> M16<i32> {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the host has the features the function needs, by the line above.
        return unsafe { mac16_i16_avx2(a, b) };
    }
    mac16_i16_portable(a, b)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn mac16_i16_avx2(a: &Pairs, b: &Pairs) -> M16<i32> {
    use std::arch::x86_64::{
        __m256i, _mm256_add_epi32, _mm256_loadu_si256, _mm256_madd_epi16, _mm256_set1_epi32, _mm256_setzero_si256,
        _mm256_storeu_si256,
    };
    let mut sum = [[0i32; 16]; 16];
    for i in (0..16).step_by(4) {
        let mut s = [[_mm256_setzero_si256(); 2]; 4];
        for (a, b) in a.iter().zip(b) {
            let at = b.as_ptr().cast::<__m256i>();
            // SAFETY: a row of 16 dwords is two vectors of 32 bytes; the loads need no alignment.
            let b = unsafe { [_mm256_loadu_si256(at), _mm256_loadu_si256(at.add(1))] };
            for (r, s) in s.iter_mut().enumerate() {
                let x = _mm256_set1_epi32(a[i + r] as i32);
                s[0] = _mm256_add_epi32(s[0], _mm256_madd_epi16(x, b[0]));
                s[1] = _mm256_add_epi32(s[1], _mm256_madd_epi16(x, b[1]));
            }
        }
        for (row, s) in sum[i..i + 4].iter_mut().zip(s) {
            let at = row.as_mut_ptr().cast::<__m256i>();
            // SAFETY: a row of 16 dwords is two vectors of 32 bytes; the stores need no alignment.
            unsafe {
                _mm256_storeu_si256(at, s[0]);
                _mm256_storeu_si256(at.add(1), s[1]);
            }
        }
    }
    sum
}

fn mac16_i16_portable(a: &Pairs, b: &Pairs) -> M16<i32> {
    let half = |x: u32, high: bool| i32::from(if high { x >> 16 } else { x } as u16 as i16);
    let mut sum = [[0; 16]; 16];
    for (a, b) in a.iter().zip(b) {
        for (row, &x) in sum.iter_mut().zip(a) {
            for (s, &y) in row.iter_mut().zip(b) {
                *s += half(x, false) * half(y, false) + half(x, true) * half(y, true);
            }
        }
    }
    sum
}

const _: () = assert!(LANES == 32);

#[cfg(test)]
mod tests {
    use super::*;

    fn random() -> impl FnMut() -> u32 {
        let mut x = 1u64;
        move || {
            x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (x >> 32) as u32
        }
    }

    fn same(p: f32, q: f32) -> bool {
        p.to_bits() == q.to_bits() || (p.is_nan() && q.is_nan())
    }

    #[test]
    fn both_fma_paths_agree() {
        let mut next = random();
        for _ in 0..2000 {
            let (a, b, c): (Row, Row, Row) = (
                std::array::from_fn(|_| next()),
                std::array::from_fn(|_| next()),
                std::array::from_fn(|_| next()),
            );
            let (p, q) = (fma_row(&a, &b, &c), fma_row_portable(&a, &b, &c));
            assert!((0..LANES).all(|l| same(f32::from_bits(p[l]), f32::from_bits(q[l]))));
        }
    }

    #[test]
    fn both_matrix_paths_agree() {
        let mut next = random();
        for round in 0..40 {
            // Every second round stays near 1, where roundings matter and nothing overflows.
            let mut m = || -> M16 {
                [(); 16].map(|()| {
                    [(); 16].map(|()| {
                        let b = next();
                        f32::from_bits(if round % 2 == 0 {
                            b
                        } else {
                            b & 0x83ff_ffff | 0x3c00_0000
                        })
                    })
                })
            };
            let (a, b, c) = (m(), m(), m());
            let (mut p, mut q) = (c, c);
            mac16(&a, &b, &mut p);
            mac16_body(&a, &b, &mut q, fma_portable);
            assert!(p.iter().flatten().zip(q.iter().flatten()).all(|(p, q)| same(*p, *q)));
        }
    }

    #[test]
    fn both_conversions_agree_on_every_half() {
        for block in 0..512u32 {
            let rows = std::array::from_fn(|v| {
                std::array::from_fn(|l| {
                    let h = 128 * block + 16 * v as u32 + l as u32;
                    h | (h ^ 0x5555) << 16
                })
            });
            let (p, q) = (f16_matrix(&rows), f16_matrix_portable(&rows));
            assert_eq!(p.map(|r| r.map(f32::to_bits)), q.map(|r| r.map(f32::to_bits)));
        }
    }

    #[test]
    fn both_integer_paths_agree() {
        let mut next = random();
        for _ in 0..40 {
            // Halves of -256..=255: more than bytes and nibbles become.
            let mut half = || (next() & 0x1ff).wrapping_sub(256) & 0xffff;
            let mut m = || -> Pairs { [(); 8].map(|()| [(); 16].map(|()| half() | half() << 16)) };
            let (a, b) = (m(), m());
            assert_eq!(mac16_i16(&a, &b), mac16_i16_portable(&a, &b));
        }
    }
}
