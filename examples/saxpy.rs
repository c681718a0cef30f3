//! `y ← a·x + y` on n elements (default 1,000,003): `cargo run --release --example saxpy [-- N]`.

mod common;

use common::{argument, check_memory, finish, only_help, Outcome};
use std::process::ExitCode;
use t0::prelude::*;
use t0_kernels::saxpy;

fn main() -> ExitCode {
    match only_help("[N]", 1) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => finish(run()),
        Err(text) => finish(Err(text.into())),
    }
}

fn run() -> Outcome {
    let n: usize = argument(1, "N", 1_000_003)?;
    // Both arrays, the device's copies (in this memory when it is simulated), and the result.
    check_memory(&[(n, 5, 4)])?;
    let a = 2.5f32;
    let xs: Vec<f32> = (0..n).map(|i| (i % 1009) as f32 - 500.0).collect();
    let ys: Vec<f32> = (0..n).map(|i| (i % 31) as f32 * 0.25).collect();

    let gpu = Gpu::open()?;
    println!("device: {}", gpu.describe());
    let q = gpu.queue()?;
    let x = gpu.upload(&xs)?;
    let mut y = gpu.upload(&ys)?;

    let start = std::time::Instant::now();
    q.launch(saxpy { a, x: &x, y: &mut y })?;
    let got = y.to_vec()?;
    println!(
        "n = {n}, launch to result: {:.1} ms",
        start.elapsed().as_secs_f64() * 1e3
    );

    // Every product and sum here is exact in f32, so the comparison is too.
    let wrong = (0..n).find(|&i| got[i] != a * xs[i] + ys[i]);
    Ok(match wrong {
        None => Ok(format!("saxpy: {n} elements exact")),
        Some(i) => Err(format!("saxpy: y[{i}] = {}, expected {}", got[i], a * xs[i] + ys[i])),
    })
}
