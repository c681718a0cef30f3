//! `t0 bench code`: the code of t0's compiler beside that of clang, kernel by kernel.
//!
//! Method: each kernel of the list ([`super::same`]) runs on the simulated card as t0 and as clang compile it, with the same
//! data, group size and grid; both results are checked before anything is told. What waves executed is counted; cycles are the
//! cycle model's. Where Python has Triton, its code for most of the kernels stands there, too, with groups of its own choice. Hints (`s_delay_alu`, `s_clause`), which only clang gives, do nothing and count apart.

use super::same::{self, clang::Clang, geomean, measure, triton::Triton, Measured, Work};
use crate::error::CliError;
use crate::output::{Outcome, Output};
use serde::Serialize;
use std::path::PathBuf;
use t0_backend_rdna3::target::GFX1100;
use t0_runtime::compile_kernel;

/// Arguments of `t0 bench code`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Kernels of the list; without: all
    kernels: Vec<String>,
    /// Rows and columns of matrices, the root of a vector's length: a multiple of 128
    #[arg(long, default_value = "1024", value_parser = parse_size, allow_hyphen_values = true)]
    size: usize,
    /// clang 19 or newer
    #[arg(long, default_value = "clang-19", value_name = "PROGRAM")]
    clang: PathBuf,
    /// A Python that has Triton; without Triton it is left out
    #[arg(long, default_value = "python3", value_name = "PYTHON")]
    triton: PathBuf,
}

fn parse_size(s: &str) -> Result<usize, String> {
    let size = s.parse().ok().filter(|n| (128..=4096).contains(n) && n % 128 == 0);
    size.ok_or_else(|| format!("`{s}` is no size; write a multiple of 128, up to 4096"))
}

const BASIS: &str = "executed: wave instructions on the simulated card, counted, without hints; cycles: modelled; nothing was measured on a card";

/// A kernel of the table.
#[derive(Debug, Serialize)]
struct Row {
    kernel: &'static str,
    what: &'static str,
    size: String,
    t0: Measured,
    clang: Measured,
    #[serde(skip_serializing_if = "Option::is_none")]
    triton: Option<Measured>,
    /// Executed wave instructions, t0's over clang's.
    executed_ratio: f64,
    /// Modelled cycles, t0's over clang's.
    cycles_ratio: f64,
}

#[derive(Debug, Serialize)]
struct Report {
    basis: &'static str,
    clang: String,
    flags: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    triton: Option<String>,
    results: Vec<Row>,
    /// Geometric means.
    executed_ratio: f64,
    cycles_ratio: f64,
}

/// Runs the command.
pub fn run(args: &Args, out: &mut Output) -> Result<Outcome, CliError> {
    let list = same::named(&args.kernels)?;
    let clang = Clang::find(&args.clang)?;
    let flags = format!("{} -mcpu=gfx1100", same::clang::FLAGS.join(" "));
    let triton = Triton::compile(&args.triton, args.size)?;
    if !out.json() {
        out.line(BASIS)?;
        out.line(&format!("{}: {flags}", clang.version))?;
        let python = args.triton.display();
        out.line(&match &triton {
            Some(t) => format!("Triton {}: groups of its own choice", t.version),
            None => format!("Triton is left out: {python} does not have it; --triton names a Python that does"),
        })?;
        out.line(HEADER)?;
        out.flush()?;
    }
    let mut results = Vec::new();
    for work in list {
        let row = row(work, args.size, &clang, triton.as_ref())?;
        if !out.json() {
            out.text(&text(&row))?;
            out.flush()?;
        }
        results.push(row);
    }
    let report = Report {
        basis: BASIS,
        clang: clang.version.clone(),
        flags,
        triton: triton.map(|t| t.version),
        executed_ratio: geomean(results.iter().map(|r| r.executed_ratio)),
        cycles_ratio: geomean(results.iter().map(|r| r.cycles_ratio)),
        results,
    };
    if out.json() {
        out.document(&report)?;
        return Ok(Outcome::Fine);
    }
    let mean = |by: &str, [executed, cycles]: [f64; 2]| {
        format!("geometric mean, t0 over {by}: {executed:.3} of the executed instructions, {cycles:.3} of the cycles")
    };
    out.line(&mean("clang", [report.executed_ratio, report.cycles_ratio]))?;
    let over = |r: &Row| r.triton.as_ref().map(|t| ratios(&r.t0, t));
    let all: Vec<[f64; 2]> = report.results.iter().filter_map(over).collect();
    if !all.is_empty() {
        let means = [0, 1].map(|k| geomean(all.iter().map(|r| r[k])));
        out.line(&mean(&format!("Triton where it has the kernel ({})", all.len()), means))?;
    }
    Ok(Outcome::Fine)
}

fn row(work: &Work, size: usize, clang: &Clang, triton: Option<&Triton>) -> Result<Row, CliError> {
    let problem = (work.problem)(size);
    let (object, _) = clang.compile(work.name, &work.source())?;
    let theirs = measure(work.name, "clang", &problem, &problem.theirs(&object, work.name))?;
    let third = match triton.map(|t| t.kernel(work.name)).transpose()?.flatten() {
        Some((made, object)) => Some(measure(work.name, "triton", &problem, &problem.tritons(&object, made))?),
        None => None,
    };
    let compiled = compile_kernel(&work.key(), &GFX1100)?;
    let ours = problem.ours(&compiled.code_object, &compiled.name);
    let ours = measure(work.name, "t0", &problem, &ours)?;
    let [executed_ratio, cycles_ratio] = ratios(&ours, &theirs);
    Ok(Row {
        kernel: work.name,
        what: work.what,
        size: problem.size,
        executed_ratio,
        cycles_ratio,
        t0: ours,
        clang: theirs,
        triton: third,
    })
}

const HEADER: &str =
    "kernel       by     static   executed    hints     waits  VGPRs  waves/SIMD  spills     cycles  t0 over it: executed cycles";

/// Executed instructions and cycles, over those of another.
fn ratios(ours: &Measured, theirs: &Measured) -> [f64; 2] {
    [
        ours.executed as f64 / theirs.executed as f64,
        ours.cycles as f64 / theirs.cycles as f64,
    ]
}

/// The lines of a kernel.
fn text(r: &Row) -> String {
    let side = |name: &str, by: &str, m: &Measured| {
        let spills = m.spills.map_or("-".to_owned(), |n| n.to_string());
        format!(
            "{name:<12} {by:<6} {:>6} {:>10} {:>8} {:>9} {:>6} {:>11} {spills:>7} {:>10}",
            m.static_instructions, m.executed, m.hints, m.waits, m.vgprs, m.waves_per_simd, m.cycles
        )
    };
    let mut text = side(r.kernel, "t0", &r.t0) + "\n";
    let others = [("clang", Some(&r.clang)), ("triton", r.triton.as_ref())];
    for (by, m) in others.into_iter().filter_map(|(by, m)| Some((by, m?))) {
        let [executed, cycles] = ratios(&r.t0, m);
        text += &format!("{}  {executed:>18.3} {cycles:>7.3}\n", side("", by, m));
    }
    text
}
