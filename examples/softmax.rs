//! Softmax of each row of a matrix: `cargo run --release --example softmax [-- ROWS COLS]`.

mod common;

use common::{argument, check_memory, finish, only_help, Outcome, Random};
use std::process::ExitCode;
use t0::prelude::*;
use t0_kernels::softmax;

fn main() -> ExitCode {
    match only_help("[ROWS COLS]", 2) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => finish(run()),
        Err(text) => finish(Err(text.into())),
    }
}

fn run() -> Outcome {
    let rows: usize = argument(1, "ROWS", 257)?;
    let cols: usize = argument(2, "COLS", 1000)?;
    // Both matrices, and the device's (in this memory when it is simulated).
    check_memory(&[(rows, cols, 4 * 4)])?;
    let mut random = Random::new(7);
    let xs: Vec<f32> = (0..rows * cols).map(|_| random.unit() * 20.0).collect();

    let gpu = Gpu::open()?;
    println!("device: {}", gpu.describe());
    let q = gpu.queue()?;
    let x = gpu.upload_mat(rows, cols, &xs)?;
    let mut y = gpu.alloc_mat::<f32>(rows, cols)?;

    let start = std::time::Instant::now();
    q.launch(softmax { x: &x, y: &mut y })?;
    let got = y.to_vec()?;
    println!(
        "{rows} x {cols}, launch to result: {:.1} ms",
        start.elapsed().as_secs_f64() * 1e3
    );

    let mut worst = 0f64;
    for r in 0..rows {
        let row: Vec<f64> = xs[r * cols..(r + 1) * cols].iter().map(|&v| f64::from(v)).collect();
        let max = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = row.iter().map(|v| (v - max).exp()).sum();
        for (c, v) in row.iter().enumerate() {
            let expected = (v - max).exp() / sum;
            let error = (f64::from(got[r * cols + c]) - expected).abs() / expected.max(1e-12);
            worst = if error.is_nan() {
                f64::INFINITY
            } else {
                worst.max(error)
            };
        }
    }
    // Three roundings of about 2^-24 each, two exponentials of 2 ulp, and a sum over up to ⌈cols/32⌉ + 5 terms per lane.
    let bound = (16.0 + cols as f64 / 32.0) * 2f64.powi(-23);
    let text = format!("softmax: {rows} x {cols}, relative error {worst:.2e} (bound {bound:.2e})");
    Ok(if worst <= bound { Ok(text) } else { Err(text) })
}
