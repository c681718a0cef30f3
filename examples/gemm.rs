//! `C = A · Bᵀ`, bf16 in, f32 out: `cargo run --release --example gemm [-- M N K]` (default 256 256 256; any sizes ≥ 0).

mod common;

use common::{argument, check_memory, finish, only_help, Outcome, Random};
use std::process::ExitCode;
use std::time::Instant;
use t0::prelude::*;
use t0_kernels::gemm;

fn main() -> ExitCode {
    match only_help("[M N K]", 3) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => finish(run()),
        Err(text) => finish(Err(text.into())),
    }
}

fn run() -> Outcome {
    let m: usize = argument(1, "M", 256)?;
    let n: usize = argument(2, "N", 256)?;
    let k: usize = argument(3, "K", 256)?;
    // bf16, its copy on the device (in this memory when it is simulated), f64 for the check; f32 there and here.
    check_memory(&[(m, k, 2 + 2 + 8), (n, k, 2 + 2 + 8), (m, n, 4 + 4)])?;
    let mut random = Random::new(42);
    let mut matrix = |rows: usize| -> Vec<bf16> { (0..rows * k).map(|_| bf16::from_f32(random.unit())).collect() };
    let (a_host, b_host) = (matrix(m), matrix(n));

    let gpu = Gpu::open()?;
    println!("device: {}", gpu.describe());
    let q = gpu.queue()?;
    let a = gpu.upload_mat(m, k, &a_host)?;
    let bt = gpu.upload_mat(n, k, &b_host)?;
    let mut c = gpu.alloc_mat::<f32>(m, n)?;

    let start = Instant::now();
    q.launch(gemm::<128, 128, 32> {
        a: &a,
        bt: &bt,
        c: &mut c,
    })?;
    let got = c.to_vec()?;
    let seconds = start.elapsed().as_secs_f64();
    println!("shape:  M = {m}, N = {n}, K = {k}, tile 128x128x32");
    println!("time:   {seconds:.3} s from launch to result (host clock; includes compiling)");

    check(m, n, k, &a_host, &b_host, &got)
}

/// Compares with a product in f64. A sum of k terms in f32 is off by at most k·2⁻²⁴ times the sum of the terms' magnitudes.
fn check(m: usize, n: usize, k: usize, a: &[bf16], bt: &[bf16], got: &[f32]) -> Outcome {
    let a: Vec<f64> = a.iter().map(|v| v.to_f64()).collect();
    let bt: Vec<f64> = bt.iter().map(|v| v.to_f64()).collect();
    let unit = 2f64.powi(-24);
    let (mut worst, mut worst_share) = (0f64, 0f64);
    for i in 0..m {
        for j in 0..n {
            let (mut sum, mut magnitude) = (0f64, 0f64);
            for (x, y) in a[i * k..(i + 1) * k].iter().zip(&bt[j * k..(j + 1) * k]) {
                sum += x * y;
                magnitude += (x * y).abs();
            }
            let error = (f64::from(got[i * n + j]) - sum).abs();
            let bound = (k as f64 + 2.0) * unit * magnitude;
            if error.is_nan() || error > bound {
                return Ok(Err(format!(
                    "gemm: C[{i}][{j}] = {}, expected {sum} (error {error:.2e}, bound {bound:.2e})",
                    got[i * n + j]
                )));
            }
            worst = worst.max(error);
            if bound > 0.0 {
                worst_share = worst_share.max(error / bound);
            }
        }
    }
    println!(
        "error:  {worst:.2e} absolute, {:.1} % of the bound for f32 sums of {k} terms",
        worst_share * 100.0
    );
    Ok(Ok(format!(
        "gemm: {m} x {n} x {k}, all {} elements within the bound",
        m * n
    )))
}
