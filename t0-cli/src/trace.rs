//! `t0 trace`: the cycle model's timeline of a launch in the Trace Event Format, which the Perfetto UI and `chrome://tracing` open.
//!
//! A process is a SIMD, a thread a wave on it. Every instruction is a slice from its issue until its unit is free again, and
//! what it waited for before is a slice of its own. A cycle is written as a microsecond, as the format has no cycles.
//! Source: "Trace Event Format", Google, complete events (`X`) and metadata events (`M`). Numbers of processes and threads
//! begin with 1: Perfetto takes 0 for the idle process and lays thread 0 over thread 1 (google/perfetto#394,
//! thoren-d/tracing-chrome#32); they have 32 bits (google/perfetto#363).

use crate::error::{check_output, write_file, CliError};
use crate::output::{Outcome, Output};
use crate::work;
use serde::Serialize;
use serde_json::{json, Value};
use std::collections::BTreeSet;
use std::path::PathBuf;
use t0_backend_rdna3::target::Target;
use t0_sim::card::{other_chip, MODEL};
use t0_sim::timing::{Costs, Issue, Stall};

/// Arguments of `t0 trace`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    work: work::What,
    /// Write the trace to this file; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Keep only what is issued up to this cycle
    #[arg(long, default_value = "50000", value_parser = clap::value_parser!(u64).range(1..))]
    cycles: u64,
}

#[derive(Debug, Serialize)]
struct Done {
    file: String,
    events: usize,
    cycles: u64,
    waves: usize,
}

/// Runs the command.
pub fn run(args: &Args, target: Option<Target>, out: &mut Output) -> Result<Outcome, CliError> {
    check_output(&args.output, args.work.inputs())?;
    let work = args.work.open(target)?;
    let listing = work.listing()?;
    let launched = args.work.launch(&work)?.ok_or_else(|| {
        let text = "a timeline needs a launch: give --grid, --block and an --arg for each argument";
        CliError::Usage(text.into())
    })?;
    let timing = launched.recording.time(&Costs::default(), true);
    let code: Vec<Named> = launched
        .recording
        .classes()
        .map(|(offset, text, class)| {
            let k = listing.entries.binary_search_by_key(&offset, |e| e.offset).ok();
            let line = k.and_then(|k| listing.entries[k].line.as_ref());
            Named {
                offset,
                text,
                class,
                line: line.map(|l| format!("{}:{}", l.file, l.line)),
            }
        })
        .collect();
    let kept: Vec<&Issue> = timing.issues.iter().filter(|i| i.time <= args.cycles).collect();
    let waves: BTreeSet<(u32, u32, u32)> = kept.iter().map(|i| (i.simd, i.group, i.wave)).collect();
    let mut events = names(&waves);
    kept.iter().for_each(|i| slices(i, &code, &mut events));
    let document = json!({
        "traceEvents": events,
        "displayTimeUnit": "ns",
        "otherData": {
            "kernel": listing.kernel,
            "basis": format!("cycle model of the {MODEL}; a microsecond is a shader clock"),
            "chip": listing.target.name,
            "launched with": launched.with,
        },
    });
    if args.output.as_os_str() == "-" {
        // Nothing else may be written there.
        out.line(&document.to_string())?;
        return Ok(Outcome::Fine);
    }
    write_file(&args.output, document.to_string().as_bytes())?;
    let done = Done {
        file: args.output.display().to_string(),
        events: events.len(),
        cycles: timing.played.0,
        waves: waves.len(),
    };
    if out.json() {
        out.document(&done)?;
    } else {
        out.line(&format!(
            "{}: {} events of one WGP; open it at https://ui.perfetto.dev (a microsecond there is a shader clock)",
            done.file, done.events
        ))?;
        if let Some(chip) = other_chip(&listing.target) {
            out.line(&format!(
                "the model is of the {MODEL} (gfx1100), the code is for {chip}"
            ))?;
        }
        if timing.played.0 > args.cycles {
            out.line(&format!(
                "kept {} of {} cycles; --cycles N keeps more",
                args.cycles, timing.played.0
            ))?;
        }
    }
    Ok(Outcome::Fine)
}

struct Named {
    offset: u64,
    text: String,
    class: &'static str,
    line: Option<String>,
}

/// Number of a SIMD's process.
fn process(simd: u32) -> u32 {
    simd + 1
}

/// Number of a wave's thread; a workgroup has 32 waves at most.
fn thread(group: u32, wave: u32) -> u32 {
    group.wrapping_mul(32).wrapping_add(wave + 1)
}

/// What SIMDs and waves are called.
fn names(waves: &BTreeSet<(u32, u32, u32)>) -> Vec<Value> {
    let simds: BTreeSet<u32> = waves.iter().map(|w| w.0).collect();
    let simd = |s: u32| {
        [
            json!({"ph": "M", "name": "process_name", "pid": process(s), "args": {"name": format!("SIMD {s}")}}),
            json!({"ph": "M", "name": "process_sort_index", "pid": process(s), "args": {"sort_index": s}}),
        ]
    };
    let wave = |(s, g, w): (u32, u32, u32)| json!({"ph": "M", "name": "thread_name", "pid": process(s), "tid": thread(g, w), "args": {"name": format!("group {g} wave {w}")}});
    simds
        .into_iter()
        .flat_map(simd)
        .chain(waves.iter().copied().map(wave))
        .collect()
}

fn slices(i: &Issue, code: &[Named], events: &mut Vec<Value>) {
    let Some(named) = code.get(i.at as usize) else { return };
    if i.time > i.from {
        events.push(json!({
            "ph": "X", "name": format!("wait: {}", i.why.name()), "cat": if i.why == Stall::Barrier { "barrier" } else { "wait" },
            "pid": process(i.simd), "tid": thread(i.group, i.wave), "ts": i.from, "dur": i.time - i.from,
            "cname": "grey", "args": {"for": named.text},
        }));
    }
    // A wave's slices may not overlap; the unit may be held longer than the wave.
    events.push(json!({
        "ph": "X", "name": named.text, "cat": named.class,
        "pid": process(i.simd), "tid": thread(i.group, i.wave), "ts": i.time, "dur": 1,
        "args": {"offset": format!("{:#x}", named.offset), "line": named.line, "unit held": i.until - i.time},
    }));
}
