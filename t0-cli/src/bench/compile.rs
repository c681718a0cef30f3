//! `t0 bench compile`: how long t0's compiler takes, beside clang.
//!
//! Method: each kernel of the list ([`super::same`]) is compiled by t0 from its staged IR to the code object, in this process and
//! on one thread, and by clang from the text to the code object, as a process of its own; both take turns, so that what else
//! runs on the host disturbs both alike. Medians count. An empty file tells what starting clang and its linker costs. Straight
//! code of growing length tells whether the time grows with it.

use super::same::{self, clang::Clang, geomean, Work};
use crate::error::CliError;
use crate::output::{Outcome, Output};
use serde::Serialize;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use t0_backend_rdna3::listing::Listing;
use t0_backend_rdna3::object::CodeObject;
use t0_backend_rdna3::target::GFX1100;
use t0_backend_rdna3::{compile, Compiled, Options, PassTime};
use t0_ir::{Access, Builder, Func, OpKind, Param, ParamKind, Scalar, Ty};

/// Arguments of `t0 bench compile`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Kernels of the list; without: all
    kernels: Vec<String>,
    /// How often clang compiles each kernel; t0 does it twenty times as often
    #[arg(long, default_value = "5", value_parser = parse_runs, allow_hyphen_values = true)]
    runs: usize,
    /// Also tell what each pass took
    #[arg(long)]
    passes: bool,
    /// Instructions of the longest straight code, of which five shorter ones are made, too
    #[arg(long, default_value = "50000", value_parser = parse_longest, allow_hyphen_values = true)]
    longest: usize,
    /// clang 19 or newer
    #[arg(long, default_value = "clang-19", value_name = "PROGRAM")]
    clang: PathBuf,
}

fn parse_runs(s: &str) -> Result<usize, String> {
    let runs = s.parse().ok().filter(|n| (1..=100).contains(n));
    runs.ok_or_else(|| format!("`{s}` is no number of runs; write 1 to 100"))
}

fn parse_longest(s: &str) -> Result<usize, String> {
    let n = s.parse().ok().filter(|n| (50..=200_000).contains(n));
    n.ok_or_else(|| format!("`{s}` is no number of instructions; write 50 to 200000"))
}

const BASIS: &str = "t0: staged IR to code object, in this process on one thread; clang: text to code object, the process's start and its linker's included; medians, measured";

/// Times without optimisation tell nothing about the compiler.
const DEBUG: &str = "this is a debug build, so its times are no figures: build with --release";

/// Compilations by t0 for each by clang.
const TIMES: usize = 20;

/// What a kernel took.
#[derive(Debug, Serialize)]
struct Row {
    kernel: String,
    instructions: usize,
    t0_seconds: f64,
    clang_seconds: f64,
    /// clang's time over t0's.
    ratio: f64,
    /// The same less what clang takes for an empty file; not known where that is no less.
    ratio_without_start: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    passes: Vec<Pass>,
}

/// What a pass took in the run of the median.
#[derive(Debug, Serialize)]
struct Pass {
    name: &'static str,
    seconds: f64,
}

/// What straight code took.
#[derive(Debug, Serialize)]
struct Growth {
    instructions: usize,
    seconds: f64,
    nanoseconds_per_instruction: f64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    passes: Vec<Pass>,
}

#[derive(Debug, Serialize)]
struct Report {
    basis: &'static str,
    debug_build: bool,
    clang: String,
    empty_file_seconds: f64,
    results: Vec<Row>,
    /// Geometric means.
    ratio: f64,
    ratio_without_start: Option<f64>,
    growth: Vec<Growth>,
}

/// Runs the command.
pub fn run(args: &Args, out: &mut Output) -> Result<Outcome, CliError> {
    let list = same::named(&args.kernels)?;
    let clang = Clang::find(&args.clang)?;
    let debug_build = cfg!(debug_assertions);
    let empty = (0..args.runs).map(|_| clang.compile("empty", "").map(|(_, t)| t));
    let empty = median(empty.collect::<Result<_, _>>()?);
    if !out.json() {
        if debug_build {
            out.line(DEBUG)?;
        }
        out.line(BASIS)?;
        out.line(&format!(
            "{}; an empty file: {:.2} ms",
            clang.version,
            1e3 * seconds(empty)
        ))?;
        out.line(HEADER)?;
        out.flush()?;
    }
    let mut results = Vec::new();
    for work in list {
        let row = row(work, args, &clang, empty)?;
        if !out.json() {
            out.text(&text(&row))?;
            out.flush()?;
        }
        results.push(row);
    }
    let growth = growth(args, out)?;
    let without: Option<Vec<f64>> = results.iter().map(|r| r.ratio_without_start).collect();
    let report = Report {
        basis: BASIS,
        debug_build,
        clang: clang.version.clone(),
        empty_file_seconds: seconds(empty),
        ratio: geomean(results.iter().map(|r| r.ratio)),
        ratio_without_start: without.map(|all| geomean(all.into_iter())),
        results,
        growth,
    };
    if out.json() {
        out.document(&report)?;
        return Ok(Outcome::Fine);
    }
    let without = report.ratio_without_start;
    let without = without.map_or(String::new(), |r| format!(", {r:.1} times less an empty file"));
    out.line(&format!(
        "geometric mean: clang takes {:.1} times as long{without}",
        report.ratio
    ))?;
    Ok(Outcome::Fine)
}

fn row(work: &Work, args: &Args, clang: &Clang, empty: Duration) -> Result<Row, CliError> {
    let key = work.key();
    let kernel = key.entry.display(&key.consts);
    let func = key.entry.stage(&key.consts).map_err(|d| CliError::Bench {
        name: work.name,
        what: d.to_string(),
    })?;
    let source = work.source();
    // The first compilations fetch code and memory.
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    clang.compile(work.name, &source)?;
    timed(work.name, &func)?;
    for _ in 0..args.runs {
        theirs.push(clang.compile(work.name, &source)?.1);
        for _ in 0..TIMES {
            ours.push(timed(work.name, &func)?);
        }
    }
    ours.sort_by_key(|o| o.0);
    let (t0, compiled) = &ours[ours.len() / 2];
    let theirs = median(theirs);
    let (t0, clang) = (seconds(*t0), seconds(theirs));
    let more = seconds(theirs.saturating_sub(empty));
    Ok(Row {
        kernel,
        instructions: instructions(work.name, compiled)?,
        t0_seconds: t0,
        clang_seconds: clang,
        ratio: clang / t0,
        ratio_without_start: (more > 0.0).then(|| more / t0),
        passes: passes(&compiled.timings, args),
    })
}

/// A compilation and its time.
fn timed(name: &'static str, func: &Func) -> Result<(Duration, Compiled), CliError> {
    let start = Instant::now();
    let compiled = compile(func, &GFX1100, &Options::default());
    let spent = start.elapsed();
    let failed = |e: t0_backend_rdna3::CompileError| CliError::Bench {
        name,
        what: e.to_string(),
    };
    Ok((spent, compiled.map_err(failed)?))
}

/// Instructions of the code.
fn instructions(name: &'static str, compiled: &Compiled) -> Result<usize, CliError> {
    let unreadable = |e: t0_backend_rdna3::object::ObjectError| CliError::Bench {
        name,
        what: e.to_string(),
    };
    let object = CodeObject::parse(&compiled.code_object).map_err(unreadable)?;
    let kernel = object.kernel(&compiled.name).map_err(unreadable)?;
    Ok(Listing::new(&object, kernel).entries.len())
}

/// Time by pass, all its runs together, in the order of their first; nothing where nobody asks.
fn passes(timings: &[PassTime], args: &Args) -> Vec<Pass> {
    let mut all: Vec<Pass> = Vec::new();
    for t in timings.iter().filter(|_| args.passes) {
        let spent = seconds(t.time);
        match all.iter_mut().find(|p| p.name == t.name) {
            Some(p) => p.seconds += spent,
            None => all.push(Pass {
                name: t.name,
                seconds: spent,
            }),
        }
    }
    all
}

/// Straight code of growing length.
fn growth(args: &Args, out: &mut Output) -> Result<Vec<Growth>, CliError> {
    if !out.json() {
        out.line("straight code: instructions, ms, ns an instruction")?;
    }
    let mut all = Vec::new();
    for part in [50, 25, 10, 5, 2, 1] {
        let func = straight(args.longest / part);
        timed(GROWTH, &func)?;
        let mut runs = (0..args.runs)
            .map(|_| timed(GROWTH, &func))
            .collect::<Result<Vec<_>, _>>()?;
        runs.sort_by_key(|r| r.0);
        let (spent, compiled) = &runs[runs.len() / 2];
        let instructions = instructions(GROWTH, compiled)?;
        let g = Growth {
            instructions,
            seconds: seconds(*spent),
            nanoseconds_per_instruction: 1e9 * seconds(*spent) / instructions as f64,
            passes: passes(&compiled.timings, args),
        };
        if !out.json() {
            let (n, ms, each) = (g.instructions, 1e3 * g.seconds, g.nanoseconds_per_instruction);
            out.line(&format!("{n:>8} {ms:10.3} {each:8.0}"))?;
            out.text(&passes_text(&g.passes, g.seconds))?;
            out.flush()?;
        }
        all.push(g);
    }
    Ok(all)
}

const GROWTH: &str = "straight code";

/// A kernel of about so many instructions without a branch: eight chains of sums and products that meet in the end.
fn straight(n: usize) -> Func {
    let slice = |name: &str, access| Param {
        name: name.into(),
        kind: ParamKind::Slice(Scalar::F32, access),
    };
    let f = Func::new(
        "straight",
        256,
        vec![slice("x", Access::Read), slice("y", Access::Write)],
    );
    let (x, y) = (f.body.args[0], f.body.args[1]);
    let mut b = Builder::new(f);
    let lane = b.op1(OpKind::LocalId, &[]);
    let mut chains: Vec<_> = (0..8)
        .map(|k| {
            let k = b.u32(k * 256);
            let at = b.op1(OpKind::Add, &[lane, k]);
            b.op1_as(OpKind::Load, &[x, at], Ty::F32)
        })
        .collect();
    for k in 0..n.saturating_sub(40) {
        let kind = if k / 8 % 2 == 0 { OpKind::Mul } else { OpKind::Add };
        chains[k % 8] = b.op1(kind, &[chains[k % 8], chains[(k + 3) % 8]]);
    }
    let all = chains.into_iter().reduce(|s, c| b.op1(OpKind::Add, &[s, c]));
    if let Some(sum) = all {
        b.op0(OpKind::Store, &[y, lane, sum]);
    }
    b.finish()
}

fn seconds(d: Duration) -> f64 {
    d.as_secs_f64()
}

/// The one in the middle.
fn median(mut all: Vec<Duration>) -> Duration {
    all.sort();
    all.get(all.len() / 2).copied().unwrap_or_default()
}

const HEADER: &str = "kernel                instructions      t0 ms    clang ms  clang/t0  less an empty file";

/// A line of the table, and those of the passes.
fn text(r: &Row) -> String {
    let without = r.ratio_without_start.map_or("-".to_owned(), |x| format!("{x:.1}"));
    let (t0, clang) = (1e3 * r.t0_seconds, 1e3 * r.clang_seconds);
    let mut text = format!(
        "{:<21} {:>12} {t0:>10.3} {clang:>11.2} {:>9.1} {without:>19}\n",
        r.kernel, r.instructions, r.ratio
    );
    text += &passes_text(&r.passes, r.t0_seconds);
    text
}

fn passes_text(passes: &[Pass], all: f64) -> String {
    let line = |p: &Pass| {
        let (us, share) = (1e6 * p.seconds, 100.0 * p.seconds / all);
        format!("    {:<24} {us:>19.1} us {share:5.1} %\n", p.name)
    };
    passes.iter().map(line).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn straight_code_has_about_the_length_asked_for() {
        for n in [200, 2000] {
            let (_, compiled) = timed(GROWTH, &straight(n)).unwrap();
            let made = instructions(GROWTH, &compiled).unwrap();
            assert!(made.abs_diff(n) < n / 5, "{made} for {n}");
        }
    }

    #[test]
    fn passes_that_run_again_are_one() {
        let time = |name, ms| PassTime {
            name,
            time: Duration::from_millis(ms),
        };
        let args = |passes| Args {
            kernels: Vec::new(),
            runs: 1,
            passes,
            longest: 50,
            clang: PathBuf::new(),
        };
        let times = [time("a", 1), time("b", 2), time("a", 4)];
        assert!(passes(&times, &args(false)).is_empty());
        let all = passes(&times, &args(true));
        assert_eq!(all.iter().map(|p| p.name).collect::<Vec<_>>(), ["a", "b"]);
        assert!((all[0].seconds - 0.005).abs() < 1e-12);
    }

    #[test]
    fn medians_are_in_the_middle() {
        let ms = |all: &[u64]| median(all.iter().map(|&n| Duration::from_millis(n)).collect());
        assert_eq!(ms(&[9, 1, 5]), Duration::from_millis(5));
    }
}
