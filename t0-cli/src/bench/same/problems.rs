//! Data of the launches, and the results as plain loops in f64 or integers.

use super::{Arg, Array, Expected, Problem};
use half::bf16;
use std::f64::consts::PI;

/// Numbers that look random, from -1 to 1; the same for the same place.
fn noise(i: usize, salt: u32) -> f32 {
    let mut h = (i as u32).wrapping_mul(0x9e37_79b9) ^ salt.wrapping_mul(0x85eb_ca6b);
    h = (h ^ (h >> 16)).wrapping_mul(0x7feb_352d);
    h = (h ^ (h >> 15)).wrapping_mul(0x846c_a68b);
    ((h ^ (h >> 16)) >> 8) as f32 / f32::from_bits(0x4b00_0000) - 1.0
}

fn floats(n: usize, salt: u32, scale: f32) -> Vec<f32> {
    (0..n).map(|i| scale * noise(i, salt)).collect()
}

fn vector(data: &[f32]) -> Array {
    matrix(1, data.len(), data)
}

fn matrix(rows: usize, cols: usize, data: &[f32]) -> Array {
    let bytes = data.iter().flat_map(|x| x.to_le_bytes()).collect();
    Array { bytes, rows, cols }
}

fn words(data: &[u32]) -> Array {
    let bytes = data.iter().flat_map(|x| x.to_le_bytes()).collect();
    Array {
        bytes,
        rows: 1,
        cols: data.len(),
    }
}

/// An output: what no kernel of the list computes.
fn unwritten(rows: usize, cols: usize) -> Array {
    Array {
        bytes: vec![0xff; 4 * rows * cols],
        rows,
        cols,
    }
}

fn near(array: usize, want: Vec<f64>, relative: f64, absolute: f64) -> Expected {
    Expected {
        array,
        want,
        float: true,
        relative,
        absolute,
    }
}

fn exactly(array: usize, want: &[u32]) -> Expected {
    Expected {
        array,
        want: want.iter().map(|w| f64::from(*w)).collect(),
        float: false,
        relative: 0.0,
        absolute: 0.0,
    }
}

/// `y ← 1.5 x + y`; t0's views of both, and how the elements lie.
fn axpy(n: usize, view: fn(usize) -> Arg, (rows, cols): (usize, usize), groups: usize, last: usize) -> Problem {
    let (x, y) = (floats(n, 1, 4.0), floats(n, 2, 4.0));
    let want = x.iter().zip(&y).map(|(x, y)| 1.5 * f64::from(*x) + f64::from(*y));
    Problem {
        size: n.to_string(),
        expected: vec![near(1, want.collect(), 1e-6, 2e-6)],
        arrays: vec![matrix(rows, cols, &x), matrix(rows, cols, &y)],
        groups: [groups as u64, 1, 1],
        ours: vec![Arg::F32(1.5), view(0), view(1)],
        theirs: vec![Arg::F32(1.5), Arg::Pointer(0), Arg::Pointer(1), Arg::U32(last as u32)],
    }
}

pub fn saxpy(n: usize) -> Problem {
    axpy(n * n, Arg::Slice, (1, n * n), n * n / 256, n * n)
}

pub fn saxpy_rows(n: usize) -> Problem {
    axpy(n * n, Arg::Mat, (n * n / 128, 128), n * n / 1024, n * n / 4)
}

/// A kernel that works on rows of n × n numbers: array 0 in, the last one out, vectors of n elements between them.
fn rows(n: usize, eps: Option<f32>, vectors: &[Vec<f32>], result: impl Fn(&[f32], usize) -> Vec<f64>) -> Problem {
    let x = floats(n * n, 3, 4.0);
    let want = x.chunks(n).enumerate().flat_map(|(r, row)| result(row, r)).collect();
    let out = vectors.len() + 1;
    let mut arrays = vec![matrix(n, n, &x)];
    arrays.extend(vectors.iter().map(|v| vector(v)));
    arrays.push(unwritten(n, n));
    let first = eps.map(Arg::F32);
    let ours = [Arg::Mat(0)]
        .into_iter()
        .chain((1..out).map(Arg::Slice))
        .chain([Arg::Mat(out)]);
    let sizes = [Arg::U32(n as u32); 2];
    Problem {
        size: format!("{n}x{n}"),
        arrays,
        groups: [n as u64 / 8, 1, 1],
        ours: first.into_iter().chain(ours).collect(),
        theirs: first
            .into_iter()
            .chain((0..=out).map(Arg::Pointer))
            .chain(sizes)
            .collect(),
        expected: vec![near(out, want, 1e-5, 1e-5)],
    }
}

pub fn softmax(n: usize) -> Problem {
    let mut p = rows(n, None, &[], |row, _| {
        let max = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let e: Vec<f64> = row.iter().map(|v| (f64::from(*v) - f64::from(max)).exp()).collect();
        let sum: f64 = e.iter().sum();
        e.into_iter().map(|e| e / sum).collect()
    });
    // Elements are small.
    p.expected[0].absolute = 0.0;
    p
}

const EPS: f32 = 1e-5;

pub fn rmsnorm(n: usize) -> Problem {
    let weight = floats(n, 4, 2.0);
    let w = weight.clone();
    rows(n, Some(EPS), &[weight], move |row, _| {
        let squares: f64 = row.iter().map(|v| f64::from(*v).powi(2)).sum();
        let scale = 1.0 / (squares / row.len() as f64 + f64::from(EPS)).sqrt();
        let each = row.iter().zip(&w);
        each.map(|(v, w)| f64::from(*v) * scale * f64::from(*w)).collect()
    })
}

pub fn layernorm(n: usize) -> Problem {
    let (weight, bias) = (floats(n, 4, 2.0), floats(n, 5, 2.0));
    let (w, b) = (weight.clone(), bias.clone());
    rows(n, Some(EPS), &[weight, bias], move |row, _| {
        let cols = row.len() as f64;
        let mean = row.iter().map(|v| f64::from(*v)).sum::<f64>() / cols;
        let squares: f64 = row.iter().map(|v| (f64::from(*v) - mean).powi(2)).sum();
        let scale = 1.0 / (squares / cols + f64::from(EPS)).sqrt();
        let each = row.iter().zip(w.iter().zip(&b));
        each.map(|(v, (w, b))| (f64::from(*v) - mean) * scale * f64::from(*w) + f64::from(*b))
            .collect()
    })
}

pub fn conv3x3(n: usize) -> Problem {
    let weight = floats(9, 6, 1.0);
    let (x, w) = (floats(n * n, 3, 4.0), weight.clone());
    rows(n, None, &[weight], move |row, r| {
        let border = |i: usize| i.clamp(1, n) - 1;
        let of = |c: usize| {
            let term = |k: usize| f64::from(x[border(r + k / 3) * n + border(c + k % 3)]) * f64::from(w[k]);
            (0..9).map(term).sum()
        };
        (0..row.len()).map(of).collect()
    })
}

pub fn transpose(n: usize) -> Problem {
    let x = floats(n * n, 3, 4.0);
    let want = (0..n * n).map(|i| f64::from(x[i % n * n + i / n])).collect();
    Problem {
        size: format!("{n}x{n}"),
        arrays: vec![matrix(n, n, &x), unwritten(1, n * n)],
        groups: [(n as u64 / 32).pow(2), 1, 1],
        ours: vec![Arg::Mat(0), Arg::Slice(1)],
        theirs: vec![Arg::Pointer(0), Arg::Pointer(1), Arg::U32(n as u32), Arg::U32(n as u32)],
        expected: vec![near(1, want, 0.0, 0.0)],
    }
}

pub fn reduce(n: usize) -> Problem {
    // Whole numbers, so that their sum is exact in any order.
    let x: Vec<f32> = floats(n * n, 7, 8.0).iter().map(|x| x.round()).collect();
    let want = x.iter().map(|x| f64::from(*x)).sum::<f64>() + 1.0;
    Problem {
        size: (n * n).to_string(),
        arrays: vec![vector(&x), vector(&[1.0])],
        groups: [(n * n / 256) as u64, 1, 1],
        ours: vec![Arg::Slice(0), Arg::Slice(1)],
        theirs: vec![Arg::Pointer(0), Arg::Pointer(1), Arg::U32((n * n) as u32)],
        expected: vec![near(1, vec![want], 0.0, 0.0)],
    }
}

pub fn gelu(n: usize) -> Problem {
    let x = floats(n * n, 8, 6.0);
    let of = |x: &f32| {
        let v = f64::from(*x);
        let u = (2.0 / PI).sqrt() * (v + 0.044715 * v.powi(3));
        v / (1.0 + (-2.0 * u).exp())
    };
    Problem {
        size: (n * n).to_string(),
        expected: vec![near(1, x.iter().map(of).collect(), 1e-5, 1e-6)],
        arrays: vec![vector(&x), unwritten(1, n * n)],
        groups: [(n * n / 256) as u64, 1, 1],
        ours: vec![Arg::Slice(0), Arg::Slice(1)],
        theirs: vec![Arg::Pointer(0), Arg::Pointer(1), Arg::U32((n * n) as u32)],
    }
}

pub fn histogram(n: usize) -> Problem {
    let x: Vec<u32> = (0..n * n).map(|i| noise(i, 9).to_bits()).collect();
    let mut want: Vec<u32> = (0..256).collect();
    let bins = words(&want);
    for v in &x {
        want[*v as usize % 256] += 1;
    }
    Problem {
        size: (n * n).to_string(),
        arrays: vec![words(&x), bins],
        groups: [(n * n / 1024) as u64, 1, 1],
        ours: vec![Arg::Slice(0), Arg::Slice(1)],
        theirs: vec![Arg::Pointer(0), Arg::Pointer(1), Arg::U32((n * n) as u32)],
        expected: vec![exactly(1, &want)],
    }
}

pub fn scan_blocks(n: usize) -> Problem {
    let x: Vec<u32> = (0..n * n).map(|i| noise(i, 10).to_bits()).collect();
    let sums = |block: &[u32]| {
        let next = |sum: &mut u32, v: &u32| {
            *sum = sum.wrapping_add(*v);
            Some(*sum)
        };
        block.iter().scan(0, next).collect::<Vec<u32>>()
    };
    let want: Vec<u32> = x.chunks(256).flat_map(sums).collect();
    let totals: Vec<u32> = want.iter().skip(255).step_by(256).copied().collect();
    Problem {
        size: (n * n).to_string(),
        arrays: vec![words(&x), unwritten(1, n * n), unwritten(1, n * n / 256)],
        groups: [(n * n / 256) as u64, 1, 1],
        ours: (0..3).map(Arg::Slice).collect(),
        theirs: (0..3).map(Arg::Pointer).chain([Arg::U32((n * n) as u32)]).collect(),
        expected: vec![exactly(1, &want), exactly(2, &totals)],
    }
}

/// Small whole numbers: every sum is exact in f32.
pub fn gemm(n: usize) -> Problem {
    let whole = |salt| floats(n * n, salt, 4.0).iter().map(|x| x.round()).collect::<Vec<f32>>();
    let (a, bt) = (whole(11), whole(12));
    let halves = |x: &[f32]| Array {
        bytes: x.iter().flat_map(|x| bf16::from_f32(*x).to_le_bytes()).collect(),
        rows: n,
        cols: n,
    };
    let dot = |(i, j): (usize, usize)| {
        let pairs = a[i * n..][..n].iter().zip(&bt[j * n..][..n]);
        f64::from(pairs.map(|(a, b)| a * b).sum::<f32>())
    };
    let want = (0..n * n).map(|at| dot((at / n, at % n))).collect();
    Problem {
        size: format!("{n}x{n}x{n}"),
        arrays: vec![halves(&a), halves(&bt), unwritten(n, n)],
        groups: [n as u64 / 128, n as u64 / 128, 1],
        ours: (0..3).map(Arg::Mat).collect(),
        theirs: (0..3).map(Arg::Pointer).chain([Arg::U32(n as u32); 2]).collect(),
        expected: vec![near(2, want, 0.0, 0.0)],
    }
}
