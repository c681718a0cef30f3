//! `t0 bench sanitizer`: how much longer the simulated card takes when it watches every access and follows undefined values.
//!
//! Method: each kernel runs on two simulated cards, one of which watches, the launches taking turns so that what else
//! runs on the host disturbs both alike; the fastest launch of each counts. Compiling and loading happen before. The results
//! of every launch are checked against numbers that are exact in f32.

use crate::error::CliError;
use crate::output::{Outcome, Output};
use half::bf16;
use serde::Serialize;
use std::time::Instant;
use t0_kernels::{gemm, saxpy, softmax};
use t0_runtime::{Gpu, Queue, SimOptions, Submission};

/// Arguments of `t0 bench sanitizer`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Size of the problems, in steps of 128: M, N and K of the matrix product, rows of softmax; saxpy has 1024 elements for each
    #[arg(long, default_value = "256", value_parser = parse_size, allow_hyphen_values = true)]
    size: usize,
    /// Launches of each kernel on each card
    #[arg(long, default_value = "5", value_parser = parse_launches, allow_hyphen_values = true)]
    launches: usize,
}

fn parse_size(s: &str) -> Result<usize, String> {
    let size = s.parse().ok().filter(|n| (128..=2048).contains(n) && n % 128 == 0);
    size.ok_or_else(|| format!("`{s}` is no size; write a multiple of 128 up to 2048"))
}

fn parse_launches(s: &str) -> Result<usize, String> {
    let launches = s.parse().ok().filter(|n| (1..=1000).contains(n));
    launches.ok_or_else(|| format!("`{s}` is no number of launches; write 1 to 1000"))
}

/// What the numbers are.
const BASIS: &str = "host time of a launch on the simulated card, without and with the sanitizer, measured";

/// A measurement.
#[derive(Debug, Serialize)]
struct Measured {
    kernel: &'static str,
    size: String,
    plain_seconds: f64,
    sanitized_seconds: f64,
    ratio: f64,
}

#[derive(Debug, Serialize)]
struct Report {
    basis: &'static str,
    results: Vec<Measured>,
}

/// A card and its queue.
struct Card {
    gpu: Gpu,
    queue: Queue,
}

/// A kernel with its buffers on one card: a launch, and then a check of what it left.
type Run<'a> = Box<dyn FnMut() -> Result<f64, CliError> + 'a>;

/// Runs the command.
pub fn run(args: &Args, out: &mut Output) -> Result<Outcome, CliError> {
    let open = |sanitize| -> Result<Card, CliError> {
        let options = SimOptions {
            sanitize: Some(sanitize),
            ..SimOptions::default()
        };
        let gpu = Gpu::simulated_with(&options)?;
        let queue = gpu.queue()?;
        Ok(Card { gpu, queue })
    };
    let cards = [open(false)?, open(true)?];
    if !out.json() {
        out.line(BASIS)?;
    }
    let n = args.size;
    let mut results = Vec::new();
    for (kernel, size, make) in kernels(n) {
        let mut runs = cards.iter().map(|c| make(c, n)).collect::<Result<Vec<_>, CliError>>()?;
        let mut best = [f64::INFINITY; 2];
        // The first launch compiles and loads.
        for launch in 0..=args.launches {
            for (run, best) in runs.iter_mut().zip(&mut best) {
                let spent = run()?;
                *best = if launch == 0 { f64::INFINITY } else { best.min(spent) };
            }
        }
        let [plain_seconds, sanitized_seconds] = best;
        let m = Measured {
            kernel,
            size,
            plain_seconds,
            sanitized_seconds,
            ratio: sanitized_seconds / plain_seconds,
        };
        if !out.json() {
            let (plain, with) = (m.plain_seconds * 1e3, m.sanitized_seconds * 1e3);
            let (kernel, size) = (m.kernel, &m.size);
            out.line(&format!(
                "{kernel:>8} {size:>13}: {plain:9.2} ms, sanitized {with:9.2} ms, {:5.1} x",
                m.ratio
            ))?;
            out.flush()?;
        }
        results.push(m);
    }
    if out.json() {
        out.document(&Report { basis: BASIS, results })?;
    }
    Ok(Outcome::Fine)
}

type Make = for<'a> fn(&'a Card, usize) -> Result<Run<'a>, CliError>;

fn kernels(n: usize) -> [(&'static str, String, Make); 3] {
    [
        ("saxpy", (1024 * n).to_string(), a_saxpy),
        ("softmax", format!("{n}x1024"), a_softmax),
        ("gemm", format!("{n}x{n}x{n}"), a_gemm),
    ]
}

fn a_saxpy(card: &Card, n: usize) -> Result<Run<'_>, CliError> {
    let (xs, ys): (Vec<f32>, Vec<f32>) = (0..1024 * n).map(|i| ((i % 7) as f32, (i % 5) as f32)).unzip();
    let x = card.gpu.upload(&xs)?;
    let mut y = card.gpu.upload(&ys)?;
    Ok(Box::new(move || {
        y.copy_from(&ys)?;
        let spent = timed(|| {
            card.queue.launch(saxpy {
                a: 2.0,
                x: &x,
                y: &mut y,
            })
        })?;
        let want = |i: usize| 2.0 * (i % 7) as f32 + (i % 5) as f32;
        check("saxpy", &y.to_vec()?, want)?;
        Ok(spent)
    }))
}

fn a_softmax(card: &Card, n: usize) -> Result<Run<'_>, CliError> {
    let x = card.gpu.upload_mat(n, 1024, &vec![3f32; 1024 * n])?;
    Ok(Box::new(move || {
        let mut y = card.gpu.alloc_mat::<f32>(n, 1024)?;
        let spent = timed(|| card.queue.launch(softmax { x: &x, y: &mut y }))?;
        // exp(0) / 1024 · exp(0).
        check("softmax", &y.to_vec()?, |_| 1.0 / 1024.0)?;
        Ok(spent)
    }))
}

fn a_gemm(card: &Card, n: usize) -> Result<Run<'_>, CliError> {
    let bf = |v: usize| bf16::from_f32(v as f32);
    let a = card
        .gpu
        .upload_mat(n, n, &(0..n * n).map(|i| bf(i / n % 4)).collect::<Vec<_>>())?;
    let bt = card
        .gpu
        .upload_mat(n, n, &(0..n * n).map(|i| bf(i / n % 3)).collect::<Vec<_>>())?;
    Ok(Box::new(move || {
        let mut c = card.gpu.alloc_mat::<f32>(n, n)?;
        let spent = timed(|| {
            card.queue.launch(gemm::<128, 128, 32> {
                a: &a,
                bt: &bt,
                c: &mut c,
            })
        })?;
        check("gemm", &c.to_vec()?, |i| (n * (i / n % 4) * (i % n % 3)) as f32)?;
        Ok(spent)
    }))
}

/// Seconds from a launch to its end.
fn timed(launch: impl FnOnce() -> t0_runtime::Result<Submission>) -> Result<f64, CliError> {
    let start = Instant::now();
    launch()?.wait()?;
    Ok(start.elapsed().as_secs_f64())
}

fn check(name: &'static str, got: &[f32], want: impl Fn(usize) -> f32) -> Result<(), CliError> {
    match got.iter().enumerate().find(|&(i, &g)| g != want(i)) {
        None => Ok(()),
        Some((i, g)) => Err(CliError::Bench {
            name,
            what: format!("element {i} is {g} instead of {}", want(i)),
        }),
    }
}
