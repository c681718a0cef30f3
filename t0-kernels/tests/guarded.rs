//! Every ready kernel at awkward shapes, its outputs inside guard bands and poisoned before the launch.
//!
//! A kernel is compiled to a code object and dispatched with an argument block written here, byte by byte from
//! `t0_ir::abi`'s description, so that its buffers can lie in the middle of larger ones: whatever it writes outside its
//! output changes a guard.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Card, Guarded, Random, MATRICES, SHAPES};
use t0::prelude::*;
use t0_kernels::{edges, gemm, reduce, saxpy, softmax};

#[test]
fn saxpy_writes_its_elements_and_nothing_else() {
    let card = Card::open();
    let kernel = card.load::<saxpy>();
    for n in SHAPES {
        let xs: Vec<f32> = (0..n).map(|i| i as f32 - 7.0).collect();
        let ys: Vec<f32> = (0..n).map(|i| (i % 13) as f32).collect();
        let (x, y) = (Guarded::new(&card, &xs), Guarded::new(&card, &ys));
        let args = card.args().scalar(2.5f32.to_bits()).slice(&x, n).slice(&y, n);
        card.run(&kernel, [n.div_ceil(256), 1], args);
        let expected: Vec<f32> = xs.iter().zip(&ys).map(|(x, y)| 2.5 * x + y).collect();
        assert_eq!(y.read("y"), expected, "n = {n}");
        assert_eq!(x.read("x"), xs, "n = {n}");
    }
}

#[test]
fn softmax_fills_its_rows() {
    let card = Card::open();
    let kernel = card.load::<softmax>();
    for (rows, cols) in [
        (0, 5),
        (5, 0),
        (1, 1),
        (1, 31),
        (3, 32),
        (8, 33),
        (9, 257),
        (2, 1009),
        (31, 7),
    ] {
        for gap in [0, 3] {
            let stride = cols + gap;
            let mut random = Random::new(3);
            let xs: Vec<f32> = (0..rows * stride).map(|_| random.unit() * 30.0).collect();
            let (x, y) = (Guarded::new(&card, &xs), Guarded::<f32>::poisoned(&card, rows * stride));
            let args = card.args().mat(&x, rows, cols, stride).mat(&y, rows, cols, stride);
            card.run(&kernel, [rows.div_ceil(8), 1], args);
            let got = y.read("y");
            for r in 0..rows {
                let row = &xs[r * stride..][..cols];
                let max = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                let sum: f64 = row.iter().map(|v| f64::from(v - max).exp()).sum();
                for c in 0..cols {
                    let expected = f64::from(row[c] - max).exp() / sum;
                    let error = (f64::from(got[r * stride + c]) - expected).abs();
                    assert!(
                        error <= 4e-6 * expected + 1e-37,
                        "{rows}x{cols}+{gap} at ({r}, {c}): {error:e}"
                    );
                }
                y.assert_poisoned(
                    r * stride + cols..(r * stride + stride).min(got.len()),
                    "gap after a row",
                );
            }
        }
    }
}

#[test]
fn reduce_adds_once_per_element() {
    let card = Card::open();
    let kernel = card.load::<reduce>();
    for n in SHAPES {
        let xs: Vec<f32> = (0..n).map(|i| (i % 15) as f32 - 6.0).collect();
        let (x, total) = (Guarded::new(&card, &xs), Guarded::new(&card, &[100.0f32]));
        let args = card.args().slice(&x, n).slice(&total, 1);
        card.run(&kernel, [n.div_ceil(256), 1], args);
        assert_eq!(total.read("total"), [100.0 + xs.iter().sum::<f32>()], "n = {n}");
    }
}

#[test]
fn edges_agrees_with_the_filter_on_the_cpu() {
    let card = Card::open();
    let kernel = card.load::<edges>();
    for (rows, cols) in MATRICES {
        let mut random = Random::new(5);
        let xs: Vec<u8> = (0..rows * cols)
            .map(|_| ((random.unit() + 1.0) * 127.9) as u8)
            .collect();
        let (x, y) = (Guarded::new(&card, &xs), Guarded::<u8>::poisoned(&card, rows * cols));
        let args = card.args().mat(&x, rows, cols, cols).mat(&y, rows, cols, cols);
        card.run(&kernel, [rows.div_ceil(8), 1], args);
        let at = |r: usize, c: usize, dr: isize, dc: isize| {
            let r = r.saturating_add_signed(dr).min(rows - 1);
            let c = c.saturating_add_signed(dc).min(cols - 1);
            i32::from(xs[r * cols + c])
        };
        let sobel = |r: usize, c: usize| {
            let p = |dr, dc| at(r, c, dr, dc);
            let gx = p(-1, 1) + 2 * p(0, 1) + p(1, 1) - p(-1, -1) - 2 * p(0, -1) - p(1, -1);
            let gy = p(1, -1) + 2 * p(1, 0) + p(1, 1) - p(-1, -1) - 2 * p(-1, 0) - p(-1, 1);
            ((gx * gx + gy * gy) as f32).sqrt() as u8
        };
        let expected: Vec<u8> = (0..rows * cols).map(|i| sobel(i / cols, i % cols)).collect();
        assert_eq!(y.read("y"), expected, "{rows} x {cols}");
    }
}

/// C is M×N with a gap after each row; A and Bᵀ hold small integers, so every sum is exact in f32, and NaN in their gaps, so that
/// reading one shows.
fn gemm_case<const BM: usize, const BN: usize, const BK: usize>(card: &Card, [m, n, k]: [usize; 3], gap: usize) {
    let kernel = card.load::<gemm<'_, BM, BN, BK>>();
    let mut random = Random::new((m * 31 + n * 17 + k + 1) as u64);
    let mut input = |rows: usize| -> Vec<bf16> {
        let mut element = |c: usize| if c < k { (random.unit() * 4.0).round() } else { f32::NAN };
        (0..rows * (k + gap))
            .map(|i| bf16::from_f32(element(i % (k + gap).max(1))))
            .collect()
    };
    let (a, bt) = (input(m), input(n));
    let (ga, gb) = (Guarded::new(card, &a), Guarded::new(card, &bt));
    let c = Guarded::<f32>::poisoned(card, m * (n + gap));
    let args = card
        .args()
        .mat(&ga, m, k, k + gap)
        .mat(&gb, n, k, k + gap)
        .mat(&c, m, n, n + gap);
    card.run(&kernel, [n.div_ceil(BN), m.div_ceil(BM)], args);
    let got = c.read("c");
    for i in 0..m {
        for j in 0..n {
            let (x, y) = (&a[i * (k + gap)..][..k], &bt[j * (k + gap)..][..k]);
            let expected: f32 = x.iter().zip(y).map(|(x, y)| x.to_f32() * y.to_f32()).sum();
            let value = got[i * (n + gap) + j];
            assert!(
                value == expected,
                "{m}x{n}x{k}+{gap}: C[{i}][{j}] = {value}, expected {expected}"
            );
        }
        let row = i * (n + gap);
        c.assert_poisoned(
            (row + n).min(got.len())..(row + n + gap).min(got.len()),
            "gap after a row",
        );
    }
}

const GEMM_SHAPES: [[usize; 3]; 9] = [
    [0, 5, 7],
    [5, 5, 0],
    [1, 1, 1],
    [16, 16, 16],
    [17, 33, 47],
    [31, 257, 32],
    [128, 128, 1],
    [128, 128, 133],
    [129, 97, 64],
];

#[test]
fn gemm_is_exact_on_integers_at_every_border() {
    let card = Card::open();
    for shape in GEMM_SHAPES {
        for gap in [0, 1, 8] {
            gemm_case::<128, 128, 32>(&card, shape, gap);
        }
    }
}

#[test]
fn gemm_with_other_tiles() {
    let card = Card::open();
    for shape in [[1, 1, 1], [17, 33, 47], [65, 129, 96]] {
        gemm_case::<64, 64, 32>(&card, shape, 0);
        gemm_case::<64, 128, 16>(&card, shape, 3);
        gemm_case::<128, 64, 48>(&card, shape, 0);
    }
}

#[test]
fn gemm_512() {
    gemm_case::<128, 128, 32>(&Card::open(), [512, 512, 512], 0);
}
