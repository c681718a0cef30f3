//! Fused multiply-add over a row, and the f32 accumulation of WMMA, on the host's vector units when it has them.
//!
//! A fused multiply-add is exactly specified, so hardware FMA and the portable path give the same bits. The WMMA
//! kernel uses separate multiplies and adds on every host.

#![allow(unsafe_code)]

use super::lanes::each;
use crate::num::{fma_odd, narrow, Round, F32};
use crate::wave::{Row, LANES};

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
pub(super) type M16 = [[f32; 16]; 16];

/// `acc[i][j] += a[k][i] * b[k][j]` for k = 0..16 in that order, product and sum each rounded to f32.
pub(super) fn mac16(a: &M16, b: &M16, acc: &mut M16) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the host has the features the function needs, by the line above.
        return unsafe { mac16_avx2(a, b, acc) };
    }
    mac16_body(a, b, acc);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn mac16_avx2(a: &M16, b: &M16, acc: &mut M16) {
    mac16_body(a, b, acc);
}

#[inline(always)]
fn mac16_body(a: &M16, b: &M16, acc: &mut M16) {
    // Four rows at a time hide the latency of the adds.
    for i in (0..16).step_by(4) {
        let mut s = [acc[i], acc[i + 1], acc[i + 2], acc[i + 3]];
        for k in 0..16 {
            for (r, s) in s.iter_mut().enumerate() {
                let x = a[k][i + r];
                for j in 0..16 {
                    s[j] += x * b[k][j];
                }
            }
        }
        acc[i..i + 4].copy_from_slice(&s);
    }
}

const _: () = assert!(LANES == 32);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_fma_paths_agree() {
        let mut x = 1u64;
        let mut next = || {
            x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (x >> 32) as u32
        };
        for _ in 0..2000 {
            let (a, b, c): (Row, Row, Row) = (
                std::array::from_fn(|_| next()),
                std::array::from_fn(|_| next()),
                std::array::from_fn(|_| next()),
            );
            let (p, q) = (fma_row(&a, &b, &c), fma_row_portable(&a, &b, &c));
            for l in 0..LANES {
                let (p, q) = (f32::from_bits(p[l]), f32::from_bits(q[l]));
                assert!(p.to_bits() == q.to_bits() || (p.is_nan() && q.is_nan()));
            }
        }
    }
}
