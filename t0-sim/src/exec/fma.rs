//! Rows and tiles on the host's vector units when it has them.
//!
//! Method: a body is written once, as loops over arrays; the compiler makes one copy for every host and one for hosts
//! with AVX2, and the copy is chosen when it runs. A fused multiply-add is exactly specified, and `+ - * /` and `sqrt`
//! are too, so every copy gives the same bits.

#![allow(unsafe_code)]

use std::mem::MaybeUninit;

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
    pub rows: &'a [Row; 8],
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
    let (mut x, mut y) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    mac16(
        matrix_avx2(a, half, &mut x),
        matrix_avx2(b, half, &mut y),
        acc,
        f32::mul_add,
    );
}

fn multiply_portable(a: Operand, b: Operand, half: Half, acc: &mut M16) {
    mac16(&matrix_portable(a, half), &matrix_portable(b, half), acc, fma_portable);
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

/// Registers as a matrix of the halves in them.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,f16c")]
fn matrix_avx2<'m>(o: Operand, half: Half, m: &'m mut MaybeUninit<M16>) -> &'m M16 {
    use std::arch::x86_64::{
        __m256i, _mm256_and_si256, _mm256_castsi256_ps, _mm256_castsi256_si128, _mm256_cvtph_ps,
        _mm256_extracti128_si256, _mm256_loadu_si256, _mm256_permute4x64_epi64, _mm256_set1_epi32, _mm256_set_epi64x,
        _mm256_shuffle_epi8, _mm256_slli_epi32, _mm256_storeu_ps, _mm256_xor_si256,
    };
    let (high, flip) = (
        _mm256_set1_epi32(0xffff_0000u32 as i32),
        _mm256_set1_epi32(o.flip as i32),
    );
    // Within 128 bits: the low halves of four dwords, then the high ones.
    let (lows, highs) = (0x0d0c_0908_0504_0100, 0x0f0e_0b0a_0706_0302);
    let apart = _mm256_set_epi64x(highs, lows, highs, lows);
    let to = m.as_mut_ptr().cast::<f32>();
    for (v, row) in o.rows.iter().enumerate() {
        for part in 0..2 {
            // SAFETY: a row of 32 dwords is four vectors of 32 bytes; the loads need no alignment.
            let x = unsafe { _mm256_loadu_si256(row.as_ptr().cast::<__m256i>().add(part)) };
            let x = _mm256_xor_si256(x, flip);
            let (even, odd) = match half {
                Half::Bf16 => (
                    _mm256_castsi256_ps(_mm256_slli_epi32::<16>(x)),
                    _mm256_castsi256_ps(_mm256_and_si256(x, high)),
                ),
                Half::F16 => {
                    let x = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_shuffle_epi8(x, apart));
                    (
                        _mm256_cvtph_ps(_mm256_castsi256_si128(x)),
                        _mm256_cvtph_ps(_mm256_extracti128_si256::<1>(x)),
                    )
                }
            };
            // SAFETY: eight of the sixteen floats of matrix rows 2v and 2v + 1; the stores need no alignment.
            unsafe {
                _mm256_storeu_ps(to.add(32 * v + 8 * part), even);
                _mm256_storeu_ps(to.add(32 * v + 8 * part + 16), odd);
            }
        }
    }
    // SAFETY: eight registers filled two rows of sixteen floats each.
    unsafe { m.assume_init_ref() }
}

fn matrix_portable(o: Operand, half: Half) -> M16 {
    let value = |h: u32| match half {
        Half::F16 => f16_to_f32(h as u16),
        Half::Bf16 => f32::from_bits(h << 16),
    };
    let mut m = [[0.0; 16]; 16];
    for (row, pair) in o.rows.iter().zip(m.chunks_exact_mut(2)) {
        for l in 0..16 {
            let x = row[l] ^ o.flip;
            pair[0][l] = value(x & 0xffff);
            pair[1][l] = value(x >> 16);
        }
    }
    m
}

/// A or B of an integer WMMA: the registers, of which lanes 0..=15 count, and whether the elements are signed.
#[derive(Clone, Copy)]
pub(super) struct Integers<'a> {
    pub rows: &'a [Row],
    pub signed: bool,
}

/// Two 16-bit integers in a dword. Which k share a dword does not matter as long as A and B agree: sums are exact.
type Pairs = [[u32; 16]; 8];

/// `a[i][k] * b[k][j]` summed over k, exact, for elements of `BITS` bits, packed from the lowest up; then added to
/// `acc[i][j]`, modulo 2^32 or saturating.
pub(super) fn multiply_integers<const BITS: u32>(a: Integers, b: Integers, clamp: bool, acc: &mut M16<i32>) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the host has the features the function needs, by the line above.
        return unsafe { multiply_integers_avx2::<BITS>(a, b, clamp, acc) };
    }
    mac16_i16_portable(&pairs::<BITS>(a), &pairs::<BITS>(b), clamp, acc);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn multiply_integers_avx2<const BITS: u32>(a: Integers, b: Integers, clamp: bool, acc: &mut M16<i32>) {
    mac16_i16_avx2(&pairs_avx2::<BITS>(a), &pairs_avx2::<BITS>(b), clamp, acc);
}

/// As [`pairs`], which the compiler does not reliably turn into vector instructions.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn pairs_avx2<const BITS: u32>(o: Integers) -> Pairs {
    use std::arch::x86_64::{
        __m256i, _mm256_loadu_si256, _mm256_sll_epi16, _mm256_sra_epi16, _mm256_srl_epi16, _mm256_storeu_si256,
        _mm_cvtsi32_si128,
    };
    let mut out = [[0; 16]; 8];
    let down = _mm_cvtsi32_si128(16 - BITS as i32);
    for (row, pairs) in o.rows.iter().zip(out.chunks_exact_mut(16 / BITS as usize)) {
        for part in 0..2 {
            // SAFETY: a row of 32 dwords is four vectors of 32 bytes; the loads need no alignment.
            let x = unsafe { _mm256_loadu_si256(row.as_ptr().cast::<__m256i>().add(part)) };
            for (n, pair) in pairs.iter_mut().enumerate() {
                let top = _mm256_sll_epi16(x, _mm_cvtsi32_si128(16 - BITS as i32 * (n as i32 + 1)));
                let pairs = if o.signed {
                    _mm256_sra_epi16(top, down)
                } else {
                    _mm256_srl_epi16(top, down)
                };
                // SAFETY: 16 dwords are two vectors of 32 bytes; the stores need no alignment.
                unsafe { _mm256_storeu_si256(pair.as_mut_ptr().cast::<__m256i>().add(part), pairs) };
            }
        }
    }
    out
}

/// Pair n of a register: bits `BITS * n` on of both halves of its dwords.
fn pairs<const BITS: u32>(o: Integers) -> Pairs {
    let mut out = [[0; 16]; 8];
    for (row, pairs) in o.rows.iter().zip(out.chunks_exact_mut(16 / BITS as usize)) {
        let halves: &[u16] = bytemuck::cast_slice(&row[..16]);
        for (n, pair) in pairs.iter_mut().enumerate() {
            let left = 16 - BITS * (n as u32 + 1);
            for (x, &half) in bytemuck::cast_slice_mut(pair).iter_mut().zip(halves) {
                let (top, down): (u16, u32) = (half << left, 16 - BITS);
                *x = if o.signed {
                    (top as i16 >> down) as u16
                } else {
                    top >> down
                };
            }
        }
    }
    out
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn mac16_i16_avx2(a: &Pairs, b: &Pairs, clamp: bool, acc: &mut M16<i32>) {
    use std::arch::x86_64::{
        __m256i, _mm256_add_epi32, _mm256_loadu_si256, _mm256_madd_epi16, _mm256_set1_epi32, _mm256_setzero_si256,
        _mm256_storeu_si256,
    };
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
        for (row, s) in acc[i..i + 4].iter_mut().zip(s) {
            let at = row.as_mut_ptr().cast::<__m256i>();
            for (half, s) in s.into_iter().enumerate() {
                // SAFETY: a row of 16 dwords is two vectors of 32 bytes; loads and stores need no alignment.
                unsafe {
                    let c = _mm256_loadu_si256(at.add(half));
                    let sum = if clamp {
                        adds_epi32(c, s)
                    } else {
                        _mm256_add_epi32(c, s)
                    };
                    _mm256_storeu_si256(at.add(half), sum);
                }
            }
        }
    }
}

/// Saturating sums of eight signed dwords.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn adds_epi32(c: std::arch::x86_64::__m256i, s: std::arch::x86_64::__m256i) -> std::arch::x86_64::__m256i {
    use std::arch::x86_64::{
        _mm256_add_epi32, _mm256_and_si256, _mm256_blendv_ps, _mm256_castps_si256, _mm256_castsi256_ps,
        _mm256_set1_epi32, _mm256_srai_epi32, _mm256_xor_si256,
    };
    let sum = _mm256_add_epi32(c, s);
    // Both addends' signs differ from the sum's: it overflowed in their direction.
    let over = _mm256_and_si256(_mm256_xor_si256(c, sum), _mm256_xor_si256(s, sum));
    let bound = _mm256_xor_si256(_mm256_srai_epi32::<31>(c), _mm256_set1_epi32(i32::MAX));
    let [sum, bound, over] = [sum, bound, over].map(|x| _mm256_castsi256_ps(x));
    _mm256_castps_si256(_mm256_blendv_ps(sum, bound, over))
}

/// Products of two pairs fit 32 bits, and so do eight of them.
fn mac16_i16_portable(a: &Pairs, b: &Pairs, clamp: bool, acc: &mut M16<i32>) {
    let half = |x: u32, high: bool| i32::from(if high { x >> 16 } else { x } as u16 as i16);
    let mut sum = [[0; 16]; 16];
    for (a, b) in a.iter().zip(b) {
        for (row, &x) in sum.iter_mut().zip(a) {
            for (s, &y) in row.iter_mut().zip(b) {
                *s += half(x, false) * half(y, false) + half(x, true) * half(y, true);
            }
        }
    }
    for (c, &s) in acc.iter_mut().flatten().zip(sum.iter().flatten()) {
        *c = if clamp { c.saturating_add(s) } else { c.wrapping_add(s) };
    }
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
        for round in 0..120 {
            let (a, b) = (rows::<4>(&mut next), rows::<4>(&mut next));
            let clamp = round & 4 == 4;
            // Every other round near the bounds, where sums overflow.
            let near = |x: u32| {
                if round & 8 == 8 {
                    (x as i32 >> 31) ^ (i32::MAX - (x & 0x3fff) as i32)
                } else {
                    x as i32
                }
            };
            let c: M16<i32> = [(); 16].map(|()| [(); 16].map(|()| near(next())));
            let [x, y] = [(&a, round & 1 == 1), (&b, round & 2 == 2)].map(|(rows, signed)| Integers { rows, signed });
            let (mut p, mut q) = (c, c);
            multiply_integers::<8>(x, y, clamp, &mut p);
            mac16_i16_portable(&pairs::<8>(x), &pairs::<8>(y), clamp, &mut q);
            assert_eq!(p, q);
            let element = |o: Integers, l: usize, k: usize| {
                let byte = (o.rows[k / 4][l] >> (8 * (k % 4))) as u8;
                i64::from(if o.signed { i16::from(byte as i8) } else { byte.into() })
            };
            for (i, j) in (0..256).map(|n| (n / 16, n % 16)) {
                let exact = (0..16).fold(i64::from(c[i][j]), |s, k| s + element(x, i, k) * element(y, j, k));
                let bound = exact.clamp(i32::MIN.into(), i32::MAX.into());
                assert_eq!(p[i][j], if clamp { bound } else { exact } as i32);
            }
            let [x, y] = [x, y].map(|o| Integers {
                rows: &o.rows[..2],
                ..o
            });
            let (mut p, mut q) = (c, c);
            multiply_integers::<4>(x, y, clamp, &mut p);
            mac16_i16_portable(&pairs::<4>(x), &pairs::<4>(y), clamp, &mut q);
            assert_eq!(p, q);
        }
    }
}
