//! `t0 bench`: measurements. Every result is checked before its time is printed.

mod code;
mod compile;
mod model;
mod same;
mod sanitizer;
mod sim;

use crate::device::DeviceKind;
use crate::error::CliError;
use crate::output::{Outcome, Output};
use t0_backend_rdna3::target::Target;

/// What to measure.
#[derive(Debug, clap::Subcommand)]
pub enum Bench {
    /// How fast the simulated card executes on this host
    Sim(sim::Args),
    /// The compiler's code beside clang's, for the same work
    Code(code::Args),
    /// How long the compiler takes, beside clang
    Compile(compile::Args),
    /// What the cycle model says of kernels whose speed on a card is published
    Model(model::Args),
    /// How much longer the simulated card takes with the sanitizer
    Sanitizer(sanitizer::Args),
}

/// Runs the command.
pub fn run(what: &Bench, target: &Target, out: &mut Output) -> Result<Outcome, CliError> {
    // They measure the simulated card in any case, but a mistyped name is told here, too.
    DeviceKind::from_environment()?;
    match what {
        Bench::Code(args) => code::run(args, out),
        Bench::Compile(args) => compile::run(args, out),
        Bench::Model(args) => model::run(args, out),
        Bench::Sim(args) => sim::run(args, target, out),
        Bench::Sanitizer(args) => sanitizer::run(args, out),
    }
}
