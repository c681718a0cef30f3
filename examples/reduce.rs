//! The sum of n numbers (default 1,000,003), SIMT style: `cargo run --release --example reduce [-- N]`.

mod common;

use common::{argument, check_memory, finish, only_help, Outcome};
use std::process::ExitCode;
use t0::prelude::*;
use t0_kernels::reduce;

fn main() -> ExitCode {
    match only_help("[N]", 1) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => finish(run()),
        Err(text) => finish(Err(text.into())),
    }
}

fn run() -> Outcome {
    let n: usize = argument(1, "N", 1_000_003)?;
    // The array and the device's copy (in this memory when it is simulated).
    check_memory(&[(n, 2, 4)])?;
    // Small integers: every partial sum stays below 2^24 in magnitude, so the sum is exact in any order.
    let xs: Vec<f32> = (0..n).map(|i| (i % 15) as f32 - 7.0).collect();

    let gpu = Gpu::open()?;
    println!("device: {}", gpu.describe());
    let q = gpu.queue()?;
    let x = gpu.upload(&xs)?;
    let mut total = gpu.upload(&[0.0f32])?;

    let start = std::time::Instant::now();
    q.launch(reduce {
        x: &x,
        total: &mut total,
    })?;
    let got = total.to_vec()?[0];
    println!(
        "n = {n}, launch to result: {:.1} ms",
        start.elapsed().as_secs_f64() * 1e3
    );

    let expected = xs.iter().map(|&v| f64::from(v)).sum::<f64>();
    Ok(if f64::from(got) == expected {
        Ok(format!("reduce: sum of {n} numbers = {got}, exact"))
    } else {
        Err(format!("reduce: sum of {n} numbers = {got}, expected {expected}"))
    })
}
