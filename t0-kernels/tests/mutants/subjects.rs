//! The kernels that get the bugs: the ready ones, and small ones for what those do not have.

use std::sync::Arc;

use t0::prelude::*;
use t0_backend_rdna3::asm::{assemble, AsmOptions};
use t0_kernels::{edges, gemm, reduce, saxpy, softmax};

use crate::case::{floats, same, Arg, Buf, Case, Check, Odd, Shot, Wrong, POISON};
use crate::orders::hand_over_case;

/// Every lane hands its element to its mirror image in the group and back, through LDS.
#[kernel(group = 64, grid = x.len())]
pub fn exchange(x: &[f32], y: &[Atomic<f32>]) {
    let mut t = Shared::<[f32; 64]>::new();
    let i = thread::index();
    let l = thread::local();
    t[l] = x[i];
    group::barrier();
    let a = t[63 - l];
    group::barrier();
    t[l] = a * 2.0;
    group::barrier();
    let b = t[63 - l];
    y[i].fetch_add(a + b, Relaxed, Device);
}

/// Sums of partitions, one wave each: the half of a split-K product that needs no matrices.
#[kernel(group = 64)]
pub fn partitions(chunk: usize, x: &[f32], y: &mut Waves<[f32]>) {
    for (r, out) in y {
        let mut sum = 0.0;
        let mut k = 0;
        while k < chunk {
            sum += x[r * chunk + k];
            k += 1;
        }
        for (_, o) in out.lanes_mut() {
            *o = sum;
        }
    }
}

/// Sweeps in which one work-item hands a pair to all 32 waves of its group, again and again.
#[kernel(group = 1024, grid = x.len())]
pub fn sweeps(x: &[f32], y: &[Atomic<f32>]) {
    let mut pair = Shared::<[f32; 2]>::new();
    let i = thread::index();
    let l = thread::local();
    let mut v = x[i];
    for s in 0..3 {
        if l == s * 333 {
            pair[0] = v;
            pair[1] = v + 1.0;
        }
        group::barrier();
        v += pair[0] + pair[1];
        group::barrier();
    }
    y[i].fetch_add(v, Relaxed, Device);
}

/// Quotient and remainder.
#[kernel(group = 64)]
pub fn divide(a: &[u32], b: &[u32], y: &mut Lanes<u32>) {
    for (i, y) in y {
        let (n, d) = (a[i], b[i]);
        *y = (n / d) ^ ((n % d) << 1);
    }
}

/// Products that are rounded to bf16.
#[kernel(group = 64)]
pub fn products(x: &[bf16], w: &[bf16], y: &mut Lanes<bf16>) {
    for (i, y) in y {
        *y = x[i] * w[i];
    }
}

/// Every lane draws a number that no other has.
#[kernel(group = 64, grid = y.len())]
pub fn tickets(next: &[Atomic<f32>], y: &[Atomic<f32>]) {
    let old = next[0].fetch_add(1.0, Relaxed, Device);
    y[thread::index()].fetch_add(old, Relaxed, Device);
}

/// `2x + 1` of elements; x and x + 1 pass through private memory. It does not ask how many there are.
pub const SPILL: &str = "
.amdgcn_target \"amdgcn-amd-amdhsa--gfx1100\"
.text
.globl spill
.p2align 8
.type spill,@function
spill:
s_load_b128 s[4:7], s[0:1], null
s_load_b64 s[8:9], s[0:1], 0x10
v_and_b32_e32 v0, 0x3ff, v0
v_lshlrev_b32_e32 v1, 2, v0
s_lshl_b32 s10, s15, 8
s_delay_alu instid0(VALU_DEP_1)
v_add_nc_u32_e32 v1, s10, v1
s_waitcnt lgkmcnt(0)
global_load_b32 v2, v1, s[4:5]
s_waitcnt vmcnt(0)
scratch_store_b32 off, v2, off
v_add_f32_e32 v4, 1.0, v2
scratch_store_b32 off, v4, off offset:4
s_waitcnt_vscnt null, 0x0
scratch_load_b32 v3, off, off
scratch_load_b32 v5, off, off offset:4
s_waitcnt vmcnt(0)
v_add_f32_e32 v3, v3, v5
global_store_b32 v1, v3, s[8:9]
s_endpgm
.Lend:
.size spill, .Lend-spill
.fill 64, 4, 0xbf9f0000
.rodata
.p2align 6
.amdhsa_kernel spill
.amdhsa_private_segment_fixed_size 8
.amdhsa_enable_private_segment 1
.amdhsa_float_denorm_mode_32 3
.amdhsa_kernarg_size 32
.amdhsa_user_sgpr_count 15
.amdhsa_user_sgpr_kernarg_segment_ptr 1
.amdhsa_next_free_vgpr 8
.amdhsa_next_free_sgpr 16
.amdhsa_wavefront_size32 1
.end_amdhsa_kernel
";

pub fn shot(
    args: Vec<Arg>,
    groups: [u32; 3],
    check: impl Fn(&[Vec<u8>]) -> Result<(), Wrong> + Send + Sync + 'static,
) -> Shot {
    Shot {
        args,
        groups,
        check: Arc::new(check) as Check,
        odd: Odd::default(),
    }
}

/// Numbers of both signs that are exact in every type.
fn whole(n: usize, seed: usize) -> Vec<f32> {
    (0..n).map(|i| ((i * 37 + seed * 11) % 23) as f32 - 9.0).collect()
}

fn all(v: impl IntoIterator<Item = f64>) -> Vec<Option<f64>> {
    v.into_iter().map(Some).collect()
}

/// Past the end of x zeros are read.
fn saxpy_shot(of_x: usize) -> Shot {
    let n = 300;
    let (mut x, y) = (whole(n, 1), whole(n, 2));
    x[of_x..].fill(0.0);
    let want = all(x.iter().zip(&y).map(|(x, y)| f64::from(2.5 * x + y)));
    let args = vec![
        Arg::Scalar(2.5f32.to_bits()),
        Arg::Slice(Buf::f32s(&x[..of_x]), of_x as u32),
        Arg::Slice(Buf::f32s(&y), n as u32),
    ];
    let mut shot = shot(args, [2, 1, 1], move |b| same(b, 1, &want, 0.0));
    shot.odd.past = of_x < n;
    shot
}

fn saxpy_case() -> Case {
    Case::of::<saxpy<'_>>("saxpy", vec![saxpy_shot(300), saxpy_shot(281)])
}

fn reduce_case() -> Case {
    // Their sums fit f32 exactly, and f16 does not hold them.
    let x: Vec<f32> = whole(300, 3).iter().map(|v| v * 513.0).collect();
    let want = vec![Some(f64::from(100.0 + x.iter().sum::<f32>()))];
    let args = vec![Arg::Slice(Buf::f32s(&x), 300), Arg::Slice(Buf::f32s(&[100.0]), 1)];
    let shot = shot(args, [2, 1, 1], move |b| same(b, 1, &want, 0.0));
    Case::of::<reduce<'_>>("reduce", vec![shot])
}

/// Softmax with rows `stride` elements apart in x.
pub fn softmax_shot(rows: usize, cols: usize, stride: u64) -> Shot {
    softmax_rows([rows; 2], cols, stride)
}

/// The same with so many rows in x and in y; what x does not have reads 0, and a largest element is not found there.
fn softmax_rows([rows, all]: [usize; 2], cols: usize, stride: u64) -> Shot {
    let gap = 3;
    let mut x: Vec<f32> = (0..rows * cols)
        .map(|i| ((i * i * 7 + i * 29) % 1009) as f32 * 0.0215 - 9.0)
        .collect();
    // Which element is the largest matters only where the exponential of another difference overflows.
    for (r, c) in [(0, 0), (1, 50 % cols), (rows - 1, cols - 1)] {
        x[r * cols + c] = 200.0;
    }
    // What lanes past the end of a row read is larger than all in it.
    if cols < 32 {
        x.iter_mut().for_each(|v| *v -= 210.0);
    }
    // Nothing of a sum, without a NaN.
    x[1] = f32::NEG_INFINITY;
    let mut want = Vec::new();
    let mut pieces = Vec::new();
    for r in 0..rows {
        let row = &x[r * cols..][..cols];
        let max = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let exp: Vec<f64> = row.iter().map(|v| f64::from(v - max).exp()).collect();
        let sum: f64 = exp.iter().sum();
        want.extend(exp.iter().map(|e| Some(e / sum)));
        want.extend((0..gap).map(|_| None));
        let bytes = row.iter().flat_map(|v| v.to_le_bytes()).collect();
        pieces.push((r as u64 * stride * 4, bytes));
    }
    for _ in rows..all {
        want.extend((0..cols).map(|_| Some(f64::INFINITY)));
        want.extend((0..gap).map(|_| None));
    }
    let size = ((rows as u64 - 1) * stride + cols as u64) * 4;
    let wide = cols + gap;
    want.truncate((all - 1) * wide + cols);
    let args = vec![
        Arg::Mat(Buf { size, pieces }, [rows as u32, cols as u32, stride as u32]),
        Arg::Mat(Buf::poisoned(4 * want.len()), [all as u32, cols as u32, wide as u32]),
    ];
    let mut shot = shot(args, [all.div_ceil(8) as u32, 1, 1], move |b| same(b, 1, &want, 4e-6));
    shot.odd.past = rows < all;
    shot
}

fn softmax_case() -> Case {
    // Fewer rows in x than in y; many sums, of which some need every step of a division.
    let shots = vec![
        softmax_shot(9, 70, 75),
        softmax_shot(5, 20, 23),
        softmax_rows([5, 9], 40, 45),
        softmax_shot(150, 5, 9),
    ];
    Case::of::<softmax<'_>>("softmax", shots)
}

/// Edges of a picture of so many rows, of which x has some: those below its last one are 0. Rows lie `stride` apart.
fn edges_shot(rows: [usize; 2], cols: usize, stride: u32) -> Shot {
    edges_shot_of(rows, cols, stride, |i| i)
}

/// The same with a picture whose pixel `i` is another one's.
fn edges_shot_of([rows, all]: [usize; 2], cols: usize, stride: u32, of: impl Fn(usize) -> usize) -> Shot {
    let pixel = |i: usize| ((i * i * 7 + i * 31) % 251) as u8;
    let x: Vec<u8> = (0..rows * cols).map(|i| pixel(of(i))).collect();
    let mut want = Vec::new();
    for r in 0..all {
        for c in 0..cols {
            let p = |dr: isize, dc: isize| {
                let r = match dr {
                    1 => (r + 1).min(rows - 1),
                    _ => r.saturating_add_signed(dr),
                };
                let at = r * cols + c.saturating_add_signed(dc).min(cols - 1);
                x.get(at).copied().map_or(0, i32::from)
            };
            let gx = p(-1, 1) + 2 * p(0, 1) + p(1, 1) - p(-1, -1) - 2 * p(0, -1) - p(1, -1);
            let gy = p(1, -1) + 2 * p(1, 0) + p(1, 1) - p(-1, -1) - 2 * p(-1, 0) - p(-1, 1);
            want.push(((gx * gx + gy * gy) as f32).sqrt() as u8);
        }
    }
    let shape = |rows: usize| [rows as u32, cols as u32, stride];
    let buf = |rows: usize, of: &dyn Fn(usize) -> Vec<u8>| Buf {
        size: (rows as u64 - 1) * u64::from(stride) + cols as u64,
        pieces: (0..rows).map(|r| (r as u64 * u64::from(stride), of(r))).collect(),
    };
    let args = vec![
        Arg::Mat(buf(rows, &|r| x[r * cols..][..cols].to_vec()), shape(rows)),
        Arg::Mat(buf(all, &|_| vec![crate::case::POISON; cols]), shape(all)),
    ];
    let check = move |b: &[Vec<u8>]| match b[1].iter().zip(&want).position(|(g, w)| g != w) {
        Some(i) => {
            let text = format!("pixel {i} is {}, {} expected", b[1][i], want[i]);
            Err(Wrong::value(1, i, 1, text))
        }
        None => Ok(()),
    };
    let mut shot = shot(args, [all.div_ceil(8) as u32, 1, 1], check);
    shot.odd.past = rows < all;
    shot
}

fn edges_case() -> Case {
    // Fewer rows in x than in y, and rows so far apart that their addresses carry.
    let shots = vec![
        edges_shot([9, 9], 45, 45),
        edges_shot([3, 3], 20, 20),
        edges_shot([5, 9], 33, 33),
        edges_shot([3, 3], 20, 1 << 30),
        // Stripes: all roots are whole numbers.
        edges_shot_of([9, 9], 45, 45, |i| i % 45),
    ];
    Case::of::<edges<'_>>("edges", shots)
}

fn gemm_shot(tile: [usize; 2], mnk: [usize; 3], gap: usize) -> Shot {
    gemm_shot_of(tile, mnk, [gap; 3])
}

/// `gaps`: elements between the rows of the three matrices. Of the first two, those of the matrix with more of them belong to it.
fn gemm_shot_of(tile: [usize; 2], [m, n, k]: [usize; 3], gaps: [usize; 3]) -> Shot {
    let [stride, stride_b] = [k + gaps[0], k + gaps[1]];
    let input = |rows: usize, stride: usize, seed: usize| -> Vec<bf16> {
        let numbers = whole(rows * stride, seed);
        let of = |(i, v): (usize, &f32)| if i % stride < k { *v } else { f32::NAN };
        numbers.iter().enumerate().map(|e| bf16::from_f32(of(e))).collect()
    };
    let (mut a, mut bt) = (input(m, stride, 4), input(n, stride_b, 5));
    let wide = [gaps[0] > gaps[1], gaps[1] > gaps[0]];
    for (v, wide) in [(&mut a, wide[0]), (&mut bt, wide[1])] {
        // Whatever it is, it meets zeros.
        v.iter_mut().filter(|x| wide && x.is_nan()).for_each(|x| *x = bf16::ONE);
    }
    // Some columns are 0, where nothing hides what a sum begins with.
    for j in (5..n).step_by(16) {
        bt[j * stride_b..][..k].fill(bf16::ZERO);
    }
    let mut want = Vec::new();
    for i in 0..m {
        for j in 0..n {
            let (x, y) = (&a[i * stride..][..k], &bt[j * stride_b..][..k]);
            want.push(Some(
                x.iter().zip(y).map(|(x, y)| f64::from(x.to_f32() * y.to_f32())).sum(),
            ));
        }
        want.extend((0..gaps[2]).map(|_| None));
    }
    want.truncate((m - 1) * (n + gaps[2]) + n);
    let cols_a = if wide[0] { stride } else { k };
    let cols_b = if wide[1] { stride_b } else { k };
    let buf = |v: &[bf16], rows: usize, stride: usize, cols: usize| {
        Buf::of(
            v[..(rows - 1) * stride + cols]
                .iter()
                .flat_map(|x| x.to_bits().to_le_bytes())
                .collect(),
        )
    };
    let shape = |rows: usize, cols: usize, stride: usize| [rows as u32, cols as u32, stride as u32];
    let args = vec![
        Arg::Mat(buf(&a, m, stride, cols_a), shape(m, cols_a, stride)),
        Arg::Mat(buf(&bt, n, stride_b, cols_b), shape(n, cols_b, stride_b)),
        Arg::Mat(Buf::poisoned(4 * want.len()), shape(m, n, n + gaps[2])),
    ];
    let groups = [n.div_ceil(tile[1]) as u32, m.div_ceil(tile[0]) as u32, 1];
    shot(args, groups, move |b| same(b, 2, &want, 0.0))
}

fn gemm_case() -> Case {
    let tile = [64, 64];
    // Rows of whole vectors, then rows whose elements are loaded one by one, which end at different ones of a vector.
    let shots = vec![
        gemm_shot(tile, [70, 90, 96], 0),
        gemm_shot(tile, [70, 90, 77], 3),
        gemm_shot(tile, [20, 20, 26], 3),
        // Whole vectors that end within a tile, the first one or the last.
        gemm_shot(tile, [70, 90, 16], 0),
        gemm_shot(tile, [70, 40, 72], 0),
        // Several rounds of tiles that lie inside, and a last one that does not, with something else behind it.
        gemm_shot(tile, [70, 40, 168], 8),
        gemm_shot(tile, [70, 40, 136], 8),
        gemm_shot_of(tile, [70, 40, 136], [8, 64, 0]),
        gemm_shot_of(tile, [70, 40, 136], [64, 8, 0]),
    ];
    Case::of::<gemm<'_, 64, 64, 32>>("gemm::<64,64,32>", shots)
}

fn gemm48_case() -> Case {
    let tile = [128, 64];
    let shots = vec![
        gemm_shot(tile, [150, 70, 144], 0),
        gemm_shot(tile, [150, 70, 77], 3),
        gemm_shot(tile, [150, 70, 32], 0),
        gemm_shot(tile, [150, 70, 104], 0),
        gemm_shot(tile, [150, 40, 248], 8),
        gemm_shot(tile, [150, 40, 200], 8),
        gemm_shot_of(tile, [150, 40, 200], [8, 96, 0]),
        gemm_shot_of(tile, [150, 40, 200], [96, 8, 0]),
        gemm_shot(tile, [20, 40, 26], 3),
        gemm_shot(tile, [20, 24, 26], 3),
    ];
    Case::of::<gemm<'_, 128, 64, 48>>("gemm::<128,64,48>", shots)
}

/// Past the end of x zeros are read, past the end of y nothing is stored.
fn exchange_shot([of_x, of_y]: [usize; 2]) -> Shot {
    let mut x = whole(128, 6);
    x[of_x..].fill(0.0);
    let want = all((0..of_y).map(|i| f64::from(5.0 + x[i / 64 * 64 + 63 - i % 64] + 2.0 * x[i])));
    let args = vec![
        Arg::Slice(Buf::f32s(&x[..of_x]), of_x as u32),
        Arg::Slice(Buf::f32s(&vec![5.0; of_y]), of_y as u32),
    ];
    let mut shot = shot(args, [2, 1, 1], move |b| same(b, 1, &want, 0.0));
    shot.odd.past = [of_x, of_y] != [128; 2];
    shot
}

fn exchange_case() -> Case {
    let shots = [[128, 128], [128, 119], [117, 128]].map(exchange_shot);
    Case::of::<exchange<'_>>("exchange", shots.to_vec())
}

/// Sums of partitions, the rows of the result `stride` elements apart.
fn partitions_shot(parts: usize, chunk: usize, cols: usize, stride: u64) -> Shot {
    // Their sums fit f32 exactly, and f16 does not hold them.
    let x: Vec<f32> = whole(parts * chunk, 7).iter().map(|v| v * 513.0).collect();
    let sum = |r: usize| f64::from(x[r * chunk..][..chunk].iter().sum::<f32>());
    let want = all((0..parts * cols).map(|i| sum(i / cols)));
    let piece = |r: usize| (4 * r as u64 * stride, vec![POISON; 4 * cols]);
    let out = Buf {
        size: 4 * ((parts as u64 - 1) * stride + cols as u64),
        pieces: (0..parts).map(piece).collect(),
    };
    let args = vec![
        Arg::Scalar(chunk as u32),
        Arg::Slice(Buf::f32s(&x), (parts * chunk) as u32),
        Arg::Mat(out, [parts as u32, cols as u32, stride as u32]),
    ];
    shot(args, [parts.div_ceil(2) as u32, 1, 1], move |b| same(b, 1, &want, 0.0))
}

fn partitions_case() -> Case {
    let shots = vec![
        partitions_shot(5, 40, 33, 33),
        partitions_shot(3, 40, 20, 2000),
        partitions_shot(2, 40, 100, 100),
    ];
    Case::of::<partitions<'_>>("partitions", shots)
}

/// Past the end of x zeros are read.
fn sweeps_shot(of_x: usize) -> Shot {
    // Their sums fit f32 exactly, and f16 does not hold them.
    let mut x: Vec<f32> = whole(2048, 9).iter().map(|v| v * 513.0).collect();
    x[of_x..].fill(0.0);
    let mut want: Vec<f64> = x.iter().map(|v| f64::from(*v)).collect();
    for group in want.chunks_mut(1024) {
        for s in 0..3 {
            let pair = group[s * 333] + group[s * 333] + 1.0;
            group.iter_mut().for_each(|v| *v += pair);
        }
    }
    let want = all(want.iter().map(|v| v + 5.0));
    let args = vec![
        Arg::Slice(Buf::f32s(&x[..of_x]), of_x as u32),
        Arg::Slice(Buf::f32s(&[5.0; 2048]), 2048),
    ];
    let mut shot = shot(args, [2, 1, 1], move |b| same(b, 1, &want, 0.0));
    shot.odd.past = of_x < 2048;
    shot
}

fn sweeps_case() -> Case {
    Case::of::<sweeps<'_>>("sweeps", vec![sweeps_shot(2048), sweeps_shot(2000)])
}

pub fn words(v: &[u32]) -> Buf {
    Buf::of(v.iter().flat_map(|x| x.to_le_bytes()).collect())
}

/// Of the first elements of `a` and `b` only; the others read 0.
fn divide_shot(short: [usize; 2]) -> Shot {
    // Where a quotient by way of a float reciprocal is wrong: llvm/llvm-project#194829.
    let edges = [
        1,
        2,
        3,
        7,
        10,
        0xffff,
        0x1_0001,
        0x7fff_ffff,
        0x8000_0001,
        0xffff_fffd,
        u32::MAX,
    ];
    let pairs: Vec<(u32, u32)> = edges.iter().flat_map(|&a| edges.map(|b| (a, b))).collect();
    let n = pairs.len() as u32;
    let (mut a, mut b): (Vec<u32>, Vec<u32>) = pairs.into_iter().unzip();
    let left = short.map(|s| n as usize - s);
    a[left[0]..].fill(0);
    b[left[1]..].fill(0);
    let of = |n: u32, d: u32| n.checked_div(d).unwrap_or(u32::MAX) ^ (n.checked_rem(d).unwrap_or(n) << 1);
    let want: Vec<u32> = a.iter().zip(&b).map(|(&n, &d)| of(n, d)).collect();
    let args = vec![
        Arg::Slice(words(&a[..left[0]]), left[0] as u32),
        Arg::Slice(words(&b[..left[1]]), left[1] as u32),
        Arg::Slice(Buf::poisoned(4 * n as usize), n),
    ];
    let check = move |b: &[Vec<u8>]| {
        let got = b[2]
            .chunks_exact(4)
            .map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]));
        match got.zip(&want).position(|(g, w)| g != *w) {
            Some(i) => Err(Wrong::value(
                2,
                4 * i,
                4,
                format!("element {i} is wrong, {} expected", want[i]),
            )),
            None => Ok(()),
        }
    };
    let mut shot = shot(args, [n.div_ceil(64), 1, 1], check);
    shot.odd.past = short != [0; 2];
    shot
}

fn divide_case() -> Case {
    Case::of::<divide<'_>>("divide", vec![divide_shot([0, 0]), divide_shot([20, 30])])
}

/// Past the ends of x and w zeros are read.
fn products_shot(short: [usize; 2]) -> Shot {
    // The first two differ when the product is cut off instead of rounded: triton-lang/triton#11217.
    let bits = |seed: u16| (0..100u16).map(move |i| 0x3f80 + (i * 37 + seed * 11) % 128);
    let of =
        |first: [u16; 2], seed| -> Vec<bf16> { first.into_iter().chain(bits(seed)).map(bf16::from_bits).collect() };
    let (mut x, mut w) = (of([0x3f8d, 0x3fb7], 1), of([0x3f93, 0x3fc9], 2));
    (x[5], x[6]) = (bf16::from_bits(0x7fc1), bf16::from_bits(0xff81)); // NaN
    (x[7], w[7]) = (bf16::from_bits(0x3f81), bf16::from_bits(0x3fc0)); // half way, from an odd number
    let n = x.len() as u32;
    let left = short.map(|s| n as usize - s);
    x[left[0]..].fill(bf16::ZERO);
    w[left[1]..].fill(bf16::ZERO);
    let mut want: Vec<u16> = x
        .iter()
        .zip(&w)
        .map(|(x, w)| bf16::from_f32(x.to_f32() * w.to_f32()).to_bits())
        .collect();
    (want[0], want[1]) = (0x3fa2, 0x4010);
    let buf = |v: &[bf16]| Buf::of(v.iter().flat_map(|x| x.to_bits().to_le_bytes()).collect());
    let args = vec![
        Arg::Slice(buf(&x[..left[0]]), left[0] as u32),
        Arg::Slice(buf(&w[..left[1]]), left[1] as u32),
        Arg::Slice(Buf::poisoned(2 * n as usize), n),
    ];
    let check = move |b: &[Vec<u8>]| {
        let got = b[2].chunks_exact(2).map(|c| u16::from_le_bytes([c[0], c[1]]));
        let nan = |v: u16| v & 0x7fff > 0x7f80;
        match got.zip(&want).position(|(g, w)| g != *w && !(nan(g) && nan(*w))) {
            Some(i) => {
                let text = format!("element {i} is wrong, {:#06x} expected", want[i]);
                Err(Wrong::value(2, 2 * i, 2, text))
            }
            None => Ok(()),
        }
    };
    let mut shot = shot(args, [2, 1, 1], check);
    shot.odd.past = short != [0; 2];
    shot
}

fn products_case() -> Case {
    Case::of::<products<'_>>("products", vec![products_shot([0, 0]), products_shot([6, 14])])
}

fn tickets_case() -> Case {
    let n = 128u32;
    let args = vec![Arg::Slice(Buf::f32s(&[0.0]), 1), Arg::Slice(Buf::f32s(&[3.0; 128]), n)];
    let check = |b: &[Vec<u8>]| {
        let mut drawn: Vec<(f32, usize)> = floats(&b[1]).into_iter().zip(0..).collect();
        drawn.sort_by(|x, y| x.0.total_cmp(&y.0));
        let wrong = drawn.iter().enumerate().find(|(i, d)| d.0 != 3.0 + *i as f32);
        match wrong {
            Some((i, (got, k))) => {
                let text = format!("{got} was drawn, {} expected", 3 + i);
                Err(Wrong::value(1, 4 * k, 4, text))
            }
            None if floats(&b[0]) != [128.0] => Err(Wrong::value(0, 0, 4, "the number of tickets is wrong".into())),
            None => Ok(()),
        }
    };
    Case::of::<tickets<'_>>("tickets", vec![shot(args, [2, 1, 1], check)])
}

/// The assembled form of a kernel in assembly.
pub fn assembled(text: &str) -> Vec<u8> {
    assemble(text, &AsmOptions::default()).unwrap().file
}

fn spill_case() -> Case {
    let x = whole(128, 8);
    let want = all(x.iter().map(|v| f64::from(2.0 * v + 1.0)));
    let args = vec![Arg::Slice(Buf::f32s(&x), 128), Arg::Slice(Buf::poisoned(512), 128)];
    let shot = shot(args, [2, 1, 1], move |b| same(b, 1, &want, 0.0));
    Case::of_object("spill (assembly)", assembled(SPILL), 64, vec![shot])
}

/// All of them.
pub fn cases() -> Vec<Case> {
    vec![
        saxpy_case(),
        reduce_case(),
        softmax_case(),
        edges_case(),
        gemm_case(),
        gemm48_case(),
        exchange_case(),
        partitions_case(),
        sweeps_case(),
        divide_case(),
        products_case(),
        tickets_case(),
        hand_over_case(),
        spill_case(),
    ]
}
