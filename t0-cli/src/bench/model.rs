//! `t0 bench model`: the cycle model against kernels whose speed on a card is published.
//!
//! Method: kernels of published measurements are built again (`model/`: the steps of a series of single-precision products,
//! written anew as OpenCL for clang 19, and a bf16 product by Triton). Each runs on the simulated card, small and whole, and is
//! compared with a product in f64; then at the published size, as far as the model needs. A row says whether constants of
//! the model were chosen with it. The published binaries came from other compilers' versions, so an error is of both.

use crate::device::{Device, Options, Timing};
use crate::error::CliError;
use crate::output::{Outcome, Output};
use half::bf16;
use serde::Serialize;
use t0::Module;
use t0_sim::timing::{Costs, Recording, Source, CONSTANTS};

/// Options of the command.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Also make each constant that was neither measured nor documented a quarter smaller and larger, and tell what that changes
    #[arg(long)]
    sensitivity: bool,
}

/// Rows and columns of the published products.
const N: usize = 4096;
/// Rows and columns of those that are checked.
const CHECKED: usize = 256;

/// clang-19 -target amdgcn-amd-amdhsa -mcpu=gfx1100 -nogpulib -O3 -cl-std=CL2.0 sgemm.cl
const WGP_MODE: &[u8] = include_bytes!("model/sgemm.co");
/// The same with -mcumode.
const CU_MODE: &[u8] = include_bytes!("model/sgemm_cu.co");
/// Triton 3.9.0, by `model/gemm_nt.py`.
const TRITON: &[u8] = include_bytes!("model/gemm_nt.co");

const SEB: &str = "S. Vince, Optimizing Matrix Multiplication on RDNA3 (2025), RX 7900 XTX";
const HK: &str = "tuning notes of hk-dsl 0.8.0, W7900D, Triton autotuned: 76.0 to 82.1";

/// The shader clock of a card: of the XTX as in [`Costs`]; of the W7900D what makes its published 100.5 TFLOP/s of matrix
/// instructions alone 256 operations a cycle and SIMD.
const XTX_MHZ: u32 = 2400;
const W7900D_MHZ: u32 = 2045;

/// What a product is of.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// `c = a b` in f32; arguments a, b, c, n.
    F32,
    /// `c = a bᵀ` in bf16; arguments a, b, c, m, n, k and two pointers nobody uses.
    Bf16,
}

/// A published speed.
struct Published {
    name: &'static str,
    kernel: &'static str,
    what: &'static str,
    object: &'static [u8],
    kind: Kind,
    /// Work-items of a group, the part of the product it computes, and its dynamic LDS.
    group: [u32; 2],
    tile: usize,
    lds: u32,
    tflops: f64,
    clock_mhz: u32,
    source: &'static str,
    /// Whether constants of the model were chosen with it.
    fitted: bool,
}

/// A step of the f32 series.
const fn step(name: &'static str, tflops: f64, (group, tile): ([u32; 2], usize), what: &'static str) -> Published {
    Published {
        name,
        kernel: name,
        what,
        object: WGP_MODE,
        kind: Kind::F32,
        group,
        tile,
        lds: 0,
        tflops,
        clock_mhz: XTX_MHZ,
        source: SEB,
        fitted: false,
    }
}

const PUBLISHED: [Published; 6] = [
    step(
        "naive",
        1.01,
        ([16, 16], 16),
        "f32, one value a work-item, from global memory",
    ),
    Published {
        // Bound by the LDS: the rate of its data in WGP mode was chosen with it.
        fitted: true,
        ..step("tile", 4.02, ([32, 32], 32), "f32, 32 x 32 tiles in the LDS")
    },
    step(
        "registers",
        22.8,
        ([256, 1], 128),
        "f32, 128 x 128 x 8 tiles, 8 x 8 values a work-item",
    ),
    step(
        "buffered",
        25.6,
        ([256, 1], 128),
        "f32, the next tile is loaded meanwhile",
    ),
    Published {
        object: CU_MODE,
        ..step(
            "padded",
            33.5,
            ([128, 1], 128),
            "f32, LDS rows padded, 16 x 8 values a work-item, CU mode",
        )
    },
    Published {
        name: "triton",
        kernel: "gemm_nt",
        what: "bf16, WMMA, 128 x 128 x 32 tiles, 4 waves",
        object: TRITON,
        kind: Kind::Bf16,
        group: [128, 1],
        tile: 128,
        lds: 16384,
        tflops: 79.0,
        clock_mhz: W7900D_MHZ,
        source: HK,
        fitted: false,
    },
];

/// A row of the table.
#[derive(Debug, Serialize)]
struct Row {
    kernel: &'static str,
    what: &'static str,
    predicted_tflops: f64,
    published_tflops: f64,
    /// Predicted over published speed, less one.
    error: f64,
    clock_mhz: u32,
    fitted: bool,
    source: &'static str,
    seconds_to_predict: f64,
}

/// What a constant changes.
#[derive(Debug, Serialize)]
struct Sensitivity {
    constant: &'static str,
    value: u32,
    unit: &'static str,
    why: &'static str,
    /// Speed with a quarter less and a quarter more, over the speed as it is, less one; by row.
    less: Vec<f64>,
    more: Vec<f64>,
}

#[derive(Debug, Serialize)]
struct Report {
    basis: &'static str,
    n: usize,
    results: Vec<Row>,
    /// Of the rows no constant was chosen with.
    mean_error: f64,
    /// Whether the predicted order of each source's kernels is the published one.
    order_right: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sensitivity: Vec<Sensitivity>,
}

const BASIS: &str = "modelled: nothing here was measured on a card by this command";

/// Runs the command.
pub fn run(args: &Args, out: &mut Output) -> Result<Outcome, CliError> {
    if !out.json() {
        out.line(BASIS)?;
        out.line(&format!("products {N} x {N} x {N}, TFLOP/s; published: {SEB}; {HK}"))?;
        let more = if args.sensitivity {
            ", and --sensitivity some twenty minutes more"
        } else {
            ""
        };
        out.line(&format!(
            "{} kernels follow, each up to half a minute (with --release){more}",
            PUBLISHED.len()
        ))?;
        out.flush()?;
    }
    let (mut rows, mut recordings) = (Vec::new(), Vec::new());
    for p in &PUBLISHED {
        launch(p, CHECKED, Timing::Off)?;
        let start = std::time::Instant::now();
        let recording =
            launch(p, N, Timing::Sampled)?.ok_or_else(|| wrong(p, "the simulated card kept no trace".to_owned()))?;
        let predicted = speed(p, &recording, &Costs::default());
        let row = Row {
            kernel: p.name,
            what: p.what,
            predicted_tflops: predicted,
            published_tflops: p.tflops,
            error: predicted / p.tflops - 1.0,
            clock_mhz: p.clock_mhz,
            fitted: p.fitted,
            source: p.source,
            seconds_to_predict: start.elapsed().as_secs_f64(),
        };
        if !out.json() {
            out.line(&line(&row))?;
            out.flush()?;
        }
        rows.push(row);
        recordings.push(recording);
    }
    let sensitivity = if args.sensitivity {
        vary(&recordings, &rows)
    } else {
        Vec::new()
    };
    let free: Vec<f64> = rows.iter().filter(|r| !r.fitted).map(|r| r.error.abs()).collect();
    report(
        Report {
            basis: BASIS,
            n: N,
            mean_error: free.iter().sum::<f64>() / free.len() as f64,
            order_right: order_right(&rows),
            results: rows,
            sensitivity,
        },
        out,
    )
}

fn report(report: Report, out: &mut Output) -> Result<Outcome, CliError> {
    if out.json() {
        out.document(&report)?;
        return Ok(Outcome::Fine);
    }
    out.line(&format!(
        "mean error of those no constant was chosen with: {:.1} %; order of each source's kernels: {}",
        100.0 * report.mean_error,
        if report.order_right { "right" } else { "wrong" }
    ))?;
    for s in &report.sensitivity {
        let list = |all: &[f64]| {
            all.iter()
                .map(|x| format!("{:+.1}", 100.0 * x))
                .collect::<Vec<_>>()
                .join(" ")
        };
        let (less, more) = (list(&s.less), list(&s.more));
        out.line(&format!(
            "{} = {} {}: a quarter less {less} %, more {more} %",
            s.constant, s.value, s.unit
        ))?;
    }
    Ok(Outcome::Fine)
}

fn line(r: &Row) -> String {
    format!(
        "{:>10}: predicted {:6.2}, published {:6.2}, error {:+6.1} %{} ({}, {} MHz; {:.1} s to predict)",
        r.kernel,
        r.predicted_tflops,
        r.published_tflops,
        100.0 * r.error,
        if r.fitted { ", used to choose constants" } else { "" },
        r.what,
        r.clock_mhz,
        r.seconds_to_predict
    )
}

/// Whether kernels of one source come in the published order wherever they are more than 5 % apart.
fn order_right(rows: &[Row]) -> bool {
    let pairs = rows.iter().flat_map(|a| rows.iter().map(move |b| (a, b)));
    let apart = pairs.filter(|(a, b)| a.source == b.source && a.published_tflops > 1.05 * b.published_tflops);
    apart.into_iter().all(|(a, b)| a.predicted_tflops > b.predicted_tflops)
}

fn wrong(p: &Published, what: String) -> CliError {
    CliError::Bench { name: p.name, what }
}

fn speed(p: &Published, recording: &Recording, costs: &Costs) -> f64 {
    let seconds = recording.time(costs, false).cycles as f64 / (f64::from(p.clock_mhz) * 1e6);
    2.0 * (N as f64).powi(3) / seconds / 1e12
}

/// What each constant changes that nobody has measured or documented.
fn vary(recordings: &[Recording], rows: &[Row]) -> Vec<Sensitivity> {
    let guessed = |s: Source| matches!(s, Source::Assumed(_) | Source::Fitted(_));
    let with = |name: &str, value: u32| {
        let costs = Costs::default().varied(name, value).unwrap_or_default();
        let all = PUBLISHED.iter().zip(recordings).zip(rows);
        all.map(|((p, r), row)| speed(p, r, &costs) / row.predicted_tflops - 1.0)
            .collect::<Vec<_>>()
    };
    let of = |c: &t0_sim::timing::Constant| {
        let (Source::Assumed(why) | Source::Fitted(why) | Source::Measured(why) | Source::Documented(why)) = c.source;
        let step = c.value.div_ceil(4);
        Sensitivity {
            constant: c.name,
            value: c.value,
            unit: c.unit,
            why,
            less: with(c.name, c.value - step),
            more: with(c.name, c.value + step),
        }
    };
    CONSTANTS.iter().filter(|c| guessed(c.source)).map(of).collect()
}

/// Multiplies small whole numbers; whole launches are checked. What the model needs of it, if that was asked for.
fn launch(p: &Published, n: usize, timing: Timing) -> Result<Option<Recording>, CliError> {
    let options = Options {
        timing,
        ..Options::default()
    };
    let device = Device::simulated("t0 bench model", &options)?;
    let module = Module::load(&device.gpu, p.object)?;
    let kernel = module.kernel(p.kernel)?.with_dynamic_lds(p.lds);
    let number = |k: usize| ((k * 7 + k / n * 3) % 11) as f32 - 5.0;
    let (a, b): (Vec<f32>, Vec<f32>) = ((0..n * n).map(number).collect(), (1..=n * n).map(number).collect());
    let bytes = |all: &[f32]| -> Vec<u8> {
        match p.kind {
            Kind::F32 => all.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Kind::Bf16 => all.iter().flat_map(|x| bf16::from_f32(*x).to_le_bytes()).collect(),
        }
    };
    let (da, db) = (device.gpu.upload(&bytes(&a))?, device.gpu.upload(&bytes(&b))?);
    let dc = device.gpu.upload(&vec![0xffu8; da.len()])?;
    let mut kernarg: Vec<u8> = [da.va(), db.va(), dc.va()]
        .iter()
        .flat_map(|v| v.to_le_bytes())
        .collect();
    let size = (n as u32).to_le_bytes();
    let tiles = (n / p.tile) as u64;
    let grid = match p.kind {
        Kind::F32 => {
            kernarg.extend(size);
            [tiles, tiles, 1]
        }
        Kind::Bf16 => {
            kernarg.extend([size, size, size, [0; 4]].concat());
            kernarg.extend([0; 16]);
            [tiles * tiles, 1, 1]
        }
    };
    let queue = device.gpu.queue()?;
    queue
        .dispatch(&kernel, grid, [p.group[0], p.group[1], 1], &kernarg)?
        .wait()?;
    if timing == Timing::Off {
        check(p, &a, &b, &dc.to_vec()?, n)?;
    }
    Ok(device.recording())
}

/// Compares a product with one in f64, where sums of these numbers are exact.
fn check(p: &Published, a: &[f32], b: &[f32], c: &[u8], n: usize) -> Result<(), CliError> {
    for (i, j) in (0..n * n).map(|at| (at / n, at % n)) {
        let at = i * n + j;
        let (got, want) = match p.kind {
            Kind::F32 => {
                let got = c[4 * at..][..4].try_into().map_or(f32::NAN, f32::from_le_bytes);
                let sum: f64 = (0..n).map(|k| f64::from(a[i * n + k]) * f64::from(b[k * n + j])).sum();
                (f64::from(got), sum)
            }
            Kind::Bf16 => {
                let got = c[2 * at..][..2].try_into().map_or(bf16::NAN, bf16::from_le_bytes);
                let sum: f64 = (0..n).map(|k| f64::from(a[i * n + k]) * f64::from(b[j * n + k])).sum();
                (got.to_f64(), bf16::from_f64(sum).to_f64())
            }
        };
        if got != want {
            return Err(wrong(p, format!("row {i}, column {j} is {got} instead of {want}")));
        }
    }
    Ok(())
}
