//! Rows and tiles on the host's vector units when it has them.
//!
//! Method: a body is written once, as loops over arrays; the compiler makes one copy for every host and one for hosts
//! with AVX2, and the copy is chosen when it runs. A fused multiply-add is exactly specified, and `+ - * /` and `sqrt`
//! are too, so every copy gives the same bits.

#![allow(unsafe_code)]

use super::lanes::each;
use crate::num::dot::Half;
use crate::num::{f16_to_f32, fma_odd, narrow, Round, F32};
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
pub(super) type M16<T = f32> = [[T; 16]; 16];

/// The registers of A or B of a WMMA, of which lanes 0..=15 count, and the bits to flip in each dword.
#[derive(Clone, Copy)]
pub(super) struct Operand<'a> {
    pub rows: &'a [Row],
    pub flip: u32,
}

/// `acc[i][j] = fma(a[i][k], b[k][j], acc[i][j])` for k = 0..16 in that order. Each dword of A and B holds two elements,
/// even k in its low half. NaNs become the default NaN.
pub(super) fn multiply(a: Operand, b: Operand, half: Half, acc: &mut M16) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        if has!("fma") && has!("avx2") && has!("f16c") {
            // SAFETY: the host has the features the function needs, by the line above.
            return unsafe { multiply_avx2(a, b, half, acc) };
        }
    }
    multiply_portable(a, b, half, acc);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c")]
fn multiply_avx2(a: Operand, b: Operand, half: Half, acc: &mut M16) {
    let (mut x, mut y): (M16, M16) = ([[0.0; 16]; 16], [[0.0; 16]; 16]);
    match half {
        Half::F16 => {
            f16_matrix_f16c(a, &mut x);
            f16_matrix_f16c(b, &mut y);
        }
        Half::Bf16 => {
            bf16_matrix(a, &mut x);
            bf16_matrix(b, &mut y);
        }
    }
    mac16(&x, &y, acc, f32::mul_add);
}

fn multiply_portable(a: Operand, b: Operand, half: Half, acc: &mut M16) {
    let (mut x, mut y): (M16, M16) = ([[0.0; 16]; 16], [[0.0; 16]; 16]);
    match half {
        Half::F16 => {
            f16_matrix_portable(a, &mut x);
            f16_matrix_portable(b, &mut y);
        }
        Half::Bf16 => {
            bf16_matrix(a, &mut x);
            bf16_matrix(b, &mut y);
        }
    }
    mac16(&x, &y, acc, fma_portable);
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

/// `a[k][i]`, `b[k][j]`.
#[inline(always)]
fn mac16(a: &M16, b: &M16, acc: &mut M16, fma: impl Fn(f32, f32, f32) -> f32) {
    let default = f32::from_bits(0x7fc0_0000);
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
        for (out, s) in acc[i..i + 4].iter_mut().zip(&s) {
            for j in 0..16 {
                out[j] = if s[j].is_nan() { default } else { s[j] };
            }
        }
    }
}

/// Registers as a matrix of the bf16 in them.
#[inline(always)]
fn bf16_matrix(o: Operand, m: &mut M16) {
    for (row, pair) in o.rows.iter().zip(m.chunks_exact_mut(2)) {
        for l in 0..16 {
            let x = row[l] ^ o.flip;
            pair[0][l] = f32::from_bits(x << 16);
            pair[1][l] = f32::from_bits(x & 0xffff_0000);
        }
    }
}

/// Registers as a matrix of the f16 in them.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,f16c")]
fn f16_matrix_f16c(o: Operand, m: &mut M16) {
    use std::arch::x86_64::{
        __m256i, _mm256_and_si256, _mm256_castsi256_si128, _mm256_cvtph_ps, _mm256_extracti128_si256,
        _mm256_loadu_si256, _mm256_packus_epi32, _mm256_permute4x64_epi64, _mm256_set1_epi32, _mm256_srli_epi32,
        _mm256_storeu_ps, _mm256_xor_si256,
    };
    let (low, flip) = (_mm256_set1_epi32(0xffff), _mm256_set1_epi32(o.flip as i32));
    for (row, pair) in o.rows.iter().zip(m.chunks_exact_mut(2)) {
        let at = row.as_ptr().cast::<__m256i>();
        // SAFETY: a row of 32 dwords is four vectors of 32 bytes; the loads need no alignment.
        let (x, y) = unsafe { (_mm256_loadu_si256(at), _mm256_loadu_si256(at.add(1))) };
        let (x, y) = (_mm256_xor_si256(x, flip), _mm256_xor_si256(y, flip));
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
}

fn f16_matrix_portable(o: Operand, m: &mut M16) {
    for (row, pair) in o.rows.iter().zip(m.chunks_exact_mut(2)) {
        for l in 0..16 {
            let x = row[l] ^ o.flip;
            pair[0][l] = f16_to_f32(x as u16);
            pair[1][l] = f16_to_f32((x >> 16) as u16);
        }
    }
}

/// A or B of an integer WMMA: the registers, of which lanes 0..=15 count, and whether the elements are signed.
#[derive(Clone, Copy)]
pub(super) struct Integers<'a> {
    pub rows: &'a [Row],
    pub signed: bool,
}

/// Two 16-bit integers in a dword, even k below odd k: `m[k / 2][i]`.
type Pairs = [[u32; 16]; 8];

/// `a[i][k] * b[k][j]` summed over k, exact, for elements of `BITS` bits, packed from the lowest up.
pub(super) fn multiply_integers<const BITS: u32>(a: Integers, b: Integers) -> M16<i32> {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the host has the features the function needs, by the line above.
        return unsafe { multiply_integers_avx2::<BITS>(a, b) };
    }
    mac16_i16_portable(&pairs::<BITS>(a), &pairs::<BITS>(b))
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn multiply_integers_avx2<const BITS: u32>(a: Integers, b: Integers) -> M16<i32> {
    mac16_i16_avx2(&pairs::<BITS>(a), &pairs::<BITS>(b))
}

#[inline(always)]
fn pairs<const BITS: u32>(o: Integers) -> Pairs {
    let mut out = [[0; 16]; 8];
    let top = 32 - BITS;
    for (row, pairs) in o.rows.iter().zip(out.chunks_exact_mut(16 / BITS as usize)) {
        // Each pair takes the two lowest elements, which are then shifted away.
        let mut rest = [0; 16];
        rest.copy_from_slice(&row[..16]);
        for pair in pairs {
            for l in 0..16 {
                let (lo, hi) = (rest[l] << top, rest[l] << (top - BITS));
                let signed = ((lo as i32 >> top) as u32 & 0xffff) | ((hi as i32 >> top) as u32) << 16;
                let unsigned = lo >> top | hi >> top << 16;
                pair[l] = if o.signed { signed } else { unsigned };
                rest[l] >>= 2 * BITS;
            }
        }
    }
    out
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

/// Products of two pairs fit 32 bits, and so do eight of them.
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

    fn rows<const N: usize>(mut next: impl FnMut() -> u32) -> [Row; N] {
        [(); N].map(|()| [(); LANES].map(|()| next()))
    }

    #[test]
    fn both_matrix_paths_agree() {
        let mut next = random();
        for round in 0..60 {
            // Two rounds of three stay near 1, where roundings matter and nothing overflows.
            let keep = if round % 3 == 0 { u32::MAX } else { 0x83ff_83ff };
            let one = if round % 3 == 0 { 0 } else { 0x3c00_3c00 };
            let (a, b) = (rows::<8>(|| next() & keep | one), rows::<8>(|| next() & keep | one));
            let c: M16 = [(); 16].map(|()| [(); 16].map(|()| f32::from_bits(next() & 0xbfff_ffff)));
            for half in [Half::F16, Half::Bf16] {
                let (mut p, mut q) = (c, c);
                let [a, b] = [(&a, 0x8000), (&b, 0x8000_0000)].map(|(rows, flip)| Operand { rows, flip });
                multiply(a, b, half, &mut p);
                multiply_portable(a, b, half, &mut q);
                assert_eq!(
                    p.map(|r| r.map(f32::to_bits)),
                    q.map(|r| r.map(f32::to_bits)),
                    "{half:?}"
                );
            }
        }
    }

    #[test]
    fn both_conversions_agree_on_every_half() {
        for block in 0..512u32 {
            let rows: [Row; 8] = std::array::from_fn(|v| {
                std::array::from_fn(|l| {
                    let h = (128 * block + 16 * v as u32 + l as u32) & 0xffff;
                    h | (h ^ 0x5555) << 16
                })
            });
            // With the identity for A, row k of the result is row k of B.
            let identity: [Row; 8] = std::array::from_fn(|v| {
                std::array::from_fn(|l| (0x3c00 * u32::from(l == 2 * v)) | (0x3c00_0000 * u32::from(l == 2 * v + 1)))
            });
            let (mut p, mut q) = ([[0.0; 16]; 16], [[0.0; 16]; 16]);
            let [a, b] = [&identity, &rows].map(|rows| Operand { rows, flip: 0 });
            multiply(a, b, Half::F16, &mut p);
            multiply_portable(a, b, Half::F16, &mut q);
            assert_eq!(p.map(|r| r.map(f32::to_bits)), q.map(|r| r.map(f32::to_bits)));
            let column = |j: usize| (0..8).flat_map(move |v| [rows[v][j] as u16, (rows[v][j] >> 16) as u16]);
            for j in (0..16).filter(|&j| column(j).all(|h| h & 0x7c00 != 0x7c00)) {
                let want: Vec<f32> = column(j).map(f16_to_f32).collect();
                assert!(p.iter().zip(want).all(|(row, want)| row[j] == want));
            }
        }
    }

    #[test]
    fn both_integer_paths_agree() {
        let mut next = random();
        for round in 0..60 {
            let (a, b) = (rows::<4>(&mut next), rows::<4>(&mut next));
            let [x, y] = [(&a, round & 1 == 1), (&b, round & 2 == 2)].map(|(rows, signed)| Integers { rows, signed });
            let want = mac16_i16_portable(&pairs::<8>(x), &pairs::<8>(y));
            assert_eq!(multiply_integers::<8>(x, y), want);
            let [x, y] = [x, y].map(|o| Integers {
                rows: &o.rows[..2],
                ..o
            });
            let want = mac16_i16_portable(&pairs::<4>(x), &pairs::<4>(y));
            assert_eq!(multiply_integers::<4>(x, y), want);
        }
    }
}
