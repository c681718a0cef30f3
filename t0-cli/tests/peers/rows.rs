//! One workgroup a row: barriers, LDS, reductions, and transposition through LDS.

use crate::harness::{each_build, near, same, Num, Object, Random};
use half::f16;

const SHAPES: [(usize, usize); 6] = [(1, 1), (3, 31), (2, 128), (5, 129), (1, 1009), (4, 500)];

fn softmax_reference(x: &[f64], cols: usize) -> Vec<f64> {
    let row = |row: &[f64]| -> Vec<f64> {
        let m = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let e: Vec<f64> = row.iter().map(|v| (v - m).exp()).collect();
        let sum: f64 = e.iter().sum();
        e.iter().map(|v| v / sum).collect()
    };
    x.chunks(cols).flat_map(row).collect()
}

#[test]
fn softmax() {
    each_build("rows.cl", |object| {
        let mut r = Random::new(4);
        for (rows, cols) in SHAPES {
            let x = r.vec(rows * cols, |r| (r.unit() * 12.0) as f32);
            let ran = object
                .launch("softmax", rows as u32, 128)
                .output::<f32>(x.len())
                .input(&x)
                .u32(cols)
                .run();
            let want = softmax_reference(&x.iter().map(|&v| v.into()).collect::<Vec<_>>(), cols);
            // Arguments of exp2 to 35 carry half a unit of 2^-19, sums and exponentials some units of 2^-24.
            near(
                "softmax",
                ran.get::<f32>(0).into_iter().map(f64::from),
                &want,
                |_, w| w * 8e-6,
            );

            let h = r.vec(rows * cols, |r| f16::from_f64(r.unit() * 5.0));
            let ran = object
                .launch("softmax_exp", rows as u32, 64)
                .output::<f16>(h.len())
                .input(&h)
                .u32(cols)
                .run();
            let want = softmax_reference(&h.iter().map(|v| v.to_f64()).collect::<Vec<_>>(), cols);
            // Half a unit of a half, plus what the f32 result may be away.
            let bound = |_, w: f64| w * (2f64.powi(-11) + 4e-6) + 2f64.powi(-25);
            near(
                "softmax_exp",
                ran.get::<f16>(0).into_iter().map(f64::from),
                &want,
                bound,
            );
        }
    });
}

#[test]
fn rmsnorm() {
    each_build("rows.cl", |object| {
        let mut r = Random::new(5);
        for (rows, cols) in SHAPES {
            let x = r.vec(rows * cols, |r| (r.unit() * 3.0) as f32);
            let w = r.vec(cols, |r| r.unit() as f32);
            let launch = object
                .launch("rmsnorm", rows as u32, 256)
                .output::<f32>(x.len())
                .input(&x)
                .input(&w);
            let ran = launch.u32(cols).value("f32:0.00001").run();
            let want: Vec<f64> = x
                .chunks(cols)
                .flat_map(|row| {
                    let sum: f64 = row.iter().map(|&v| f64::from(v).powi(2)).sum();
                    let scale = 1.0 / (sum / cols as f64 + f64::from(0.00001f32)).sqrt();
                    row.iter()
                        .zip(&w)
                        .map(move |(&v, &w)| f64::from(v) * scale * f64::from(w))
                        .collect::<Vec<_>>()
                })
                .collect();
            // A dozen roundings of 2^-24.
            near(
                "rmsnorm",
                ran.get::<f32>(0).into_iter().map(f64::from),
                &want,
                |_, w| w.abs() * 1e-6,
            );
        }
    });
}

#[test]
fn dynamic_lds() {
    each_build("rows.cl", |object| {
        let mut r = Random::new(6);
        for (rows, cols) in SHAPES {
            let x = r.vec(rows * cols, Random::u32);
            let launch = object
                .launch("reverse_rows", rows as u32, 96)
                .lds(4 * cols)
                .output::<u32>(x.len())
                .input(&x);
            let ran = launch.u32(0).u32(cols).run();
            let want: Vec<u32> = x.chunks(cols).flat_map(|row| row.iter().rev().copied()).collect();
            same("reverse_rows", &ran.get::<u32>(0), &want);
        }
    });
}

/// Elements of `words` numbers each.
fn transposed<T: Num + PartialEq + std::fmt::Debug>(
    object: &Object,
    kernel: &str,
    words: usize,
    make: impl Fn(u64) -> T,
) {
    let mut r = Random::new(7);
    for (rows, cols) in [(1, 1), (31, 33), (32, 32), (65, 1), (1, 65), (37, 101)] {
        let x = r.vec(rows * cols * words, |r| make(r.u64()));
        let grid = [cols.div_ceil(32) as u32, rows.div_ceil(32) as u32];
        let launch = object.launch(kernel, grid, [32, 8]).output::<T>(x.len()).input(&x);
        let ran = launch.u32(rows).u32(cols).run();
        let element = |i: usize| x[i * words..(i + 1) * words].to_vec();
        let want: Vec<T> = (0..rows * cols)
            .flat_map(|i| element(i % rows * cols + i / rows))
            .collect();
        same(kernel, &ran.get::<T>(0), &want);
    }
}

#[test]
fn transpose() {
    each_build("transpose.cl", |object| {
        transposed(object, "transpose_u8", 1, |v| v as u8);
        transposed(object, "transpose_u16", 1, |v| v as u16);
        transposed(object, "transpose_u32", 1, |v| v as u32);
        transposed(object, "transpose_u64", 1, |v| v);
        transposed(object, "transpose_u128", 4, |v| v as u32);
    });
}
