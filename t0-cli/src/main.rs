//! The `t0` command.
//!
//! Exit status: 0 fine, 1 a finding or a failed check, 2 wrong usage. `--json` prints one JSON document on standard
//! output; notes and errors go to standard error.
#![forbid(unsafe_code)]

mod arrays;
mod asm;
mod bench;
mod build;
mod card;
mod check;
mod device;
mod dis;
mod error;
mod hex;
mod isa;
mod kernarg;
mod kernels;
mod lines;
mod npy;
mod output;
mod page;
mod profile;
mod registry;
mod run;
mod spec;
mod trace;
mod types;
mod work;

use clap::{Parser, Subcommand};
use error::CliError;
use output::{Outcome, Output};
use std::process::ExitCode;
use t0_backend_rdna3::target::{Target, GFX1100, TARGETS};

/// GPU kernels in Rust for AMD RDNA3: build, list, disassemble and run them.
#[derive(Debug, Parser)]
#[command(name = "t0", version, disable_help_subcommand = true)]
struct Cli {
    /// Print one JSON document
    #[arg(long, global = true)]
    json: bool,
    /// The chip to make or read code for [default: gfx1100, or what a file says]
    #[arg(long, global = true, value_parser = parse_target)]
    target: Option<Target>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the registered kernels
    Kernels,
    /// Show a kernel's instructions below the Rust lines they come from
    Isa(isa::Args),
    /// Compile a kernel to a code object
    Build(build::Args),
    /// Assemble a file to a code object, or lines of instructions to hex
    Asm(asm::Args),
    /// Disassemble a code object, or lines of hex
    Dis(dis::Args),
    /// Look for waits, hazards and sizes that are wrong in a code object
    Check(check::Args),
    /// Launch a kernel of a code object
    Run(Box<run::Args>),
    /// Say how fast a kernel is by the cycle model, why, and what to change first
    Card(Box<card::Args>),
    /// Write the cycle model's timeline of a launch, for the Perfetto UI
    Trace(Box<trace::Args>),
    /// Measure; every result is checked first
    #[command(subcommand)]
    Bench(bench::Bench),
}

fn parse_target(name: &str) -> Result<Target, String> {
    let known = || TARGETS.iter().map(|t| t.name).collect::<Vec<_>>().join(", ");
    Target::from_name(name).ok_or_else(|| format!("t0 makes code for {}", known()))
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => {
            // Help and version go to standard output and are fine; the rest is wrong usage.
            let _ = e.print();
            if !e.use_stderr() {
                return ExitCode::SUCCESS;
            }
            if std::env::args_os().any(|a| a == "--json") {
                let text = e.to_string();
                let text = text.trim().trim_start_matches("error: ");
                let _ = Output::stdout(true).document(&serde_json::json!({ "error": text }));
            }
            return ExitCode::from(2);
        }
    };
    let mut out = Output::stdout(cli.json);
    let target = cli.target.unwrap_or(GFX1100);
    let result = match cli.command {
        Command::Kernels => kernels::run(&mut out),
        Command::Isa(args) => isa::run(&args, cli.target, &mut out),
        Command::Build(args) => build::run(&args, &target, &mut out),
        Command::Asm(args) => asm::run(&args, cli.target, &mut out),
        Command::Dis(args) => dis::run(&args, cli.target, &mut out),
        Command::Check(args) => check::run(&args, cli.target, &mut out),
        Command::Run(args) => run::run(&args, cli.target, &mut out),
        Command::Card(args) => card::run(&args, cli.target, &mut out),
        Command::Trace(args) => trace::run(&args, cli.target, &mut out),
        Command::Bench(what) => bench::run(&what, &target, &mut out),
    };
    match result.and_then(|outcome| out.flush().map(|()| outcome)) {
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::Finding) => ExitCode::from(1),
        Err(e) => report(&e, &mut out),
    }
}

fn report(error: &CliError, out: &mut Output) -> ExitCode {
    if error.is_closed_pipe() {
        // The reader has seen enough (`t0 dis … | head`).
        return ExitCode::SUCCESS;
    }
    let text = error.chain();
    eprintln!("error: {text}");
    if out.json() {
        let _ = out.document(&serde_json::json!({ "error": text }));
    }
    ExitCode::from(error.status())
}
