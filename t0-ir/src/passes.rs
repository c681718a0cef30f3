//! The passes over the IR, in the order they run.
//!
//! Each pass is one file with one function `run`. Timing, checking after each pass and observing the function between
//! passes are done here, once, for all.

pub mod bounds;
pub mod dce;
pub mod gvn;
pub mod if_convert;
pub mod licm;
pub mod lower_tiles;
pub mod pipeline_lds;
pub mod place_barriers;
pub mod rewrite;
pub mod simplify;
#[cfg(test)]
mod tile_tests;
pub mod unroll;
pub mod unroll_short;

use std::time::{Duration, Instant};

use crate::diag::Diags;
use crate::func::Func;
use crate::verify;

/// A pass: a name and what it does.
#[derive(Clone, Copy)]
pub struct Pass {
    /// Name, as in file tests and print-after.
    pub name: &'static str,
    /// Changes the function, or says what is wrong with the kernel.
    pub run: fn(&mut Func) -> Result<(), Diags>,
    /// Backends need what it does; the others only make the code better.
    pub needed: bool,
}

/// A pass without which there is no code.
const fn needed(name: &'static str, run: fn(&mut Func) -> Result<(), Diags>) -> Pass {
    Pass {
        name,
        run,
        needed: true,
    }
}

/// A pass that makes the code better.
const fn better(name: &'static str, run: fn(&mut Func) -> Result<(), Diags>) -> Pass {
    Pass {
        name,
        run,
        needed: false,
    }
}

/// The pipeline from the staged kernel to what a backend selects instructions from.
#[rustfmt::skip]
pub const PIPELINE: &[Pass] = &[
    better("simplify",        simplify::run),
    better("gvn",             gvn::run),
    better("dce",             dce::run),
    needed("unroll",          unroll::run),
    better("gvn",             gvn::run),
    better("dce",             dce::run),
    needed("pipeline_lds",    pipeline_lds::run),
    needed("lower_tiles",     lower_tiles::run),
    needed("place_barriers",  place_barriers::run),
    better("unroll_short",    unroll_short::run),
    better("bounds",          bounds::run),
    better("simplify",        simplify::run),
    better("gvn",             gvn::run),
    better("if_convert",      if_convert::run),
    better("licm",            licm::run),
    better("simplify",        simplify::run),
    better("gvn",             gvn::run),
    better("dce",             dce::run),
];

/// Gets a pass's name and the function after it.
pub type Observer<'a> = &'a dyn Fn(&'static str, &Func);

/// Switches of [`optimize`].
#[derive(Clone, Copy, Default)]
pub struct PassOptions<'a> {
    /// Called with each pass's name and the function after it: print-after, with the caller's choice of passes and sink.
    pub after: Option<Observer<'a>>,
    /// Check the function after every pass. Always done in builds with debug assertions.
    pub verify: bool,
    /// Only the passes that are needed.
    pub plain: bool,
}

/// What a pass took.
#[derive(Clone, Copy, Debug)]
pub struct PassTime {
    /// The pass.
    pub name: &'static str,
    /// Wall-clock time.
    pub time: Duration,
    /// Number of operations before it and after it (those in the arena).
    pub ops: (usize, usize),
}

/// What [`optimize`] did.
#[derive(Clone, Debug, Default)]
pub struct PassReport {
    /// One entry per pass run, in order.
    pub passes: Vec<PassTime>,
}

/// Checks a function, runs the pipeline on it and checks that the result fits the machine.
///
/// # Errors
/// What is wrong with the kernel.
///
/// # Panics
/// If a pass leaves an ill-formed function: a bug, with the pass's name.
pub fn optimize(func: &mut Func, options: &PassOptions<'_>) -> Result<PassReport, Diags> {
    let mut report = PassReport::default();
    verify::verify(func)?;
    for pass in PIPELINE.iter().filter(|p| p.needed || !options.plain) {
        report.passes.push(run_pass(pass, func, options)?);
    }
    verify::limits(func)?;
    Ok(report)
}

fn run_pass(pass: &Pass, func: &mut Func, options: &PassOptions<'_>) -> Result<PassTime, Diags> {
    let before = func.ops.len();
    let start = Instant::now();
    (pass.run)(func)?;
    let time = start.elapsed();
    if let Some(after) = options.after {
        after(pass.name, func);
    }
    if options.verify || cfg!(debug_assertions) {
        let checked = verify::structure(func).and_then(|()| verify::collectives(func));
        if let Err(diags) = checked {
            panic!("pass {} left `{}` ill-formed: {diags}", pass.name, func.name);
        }
    }
    Ok(PassTime {
        name: pass.name,
        time,
        ops: (before, func.ops.len()),
    })
}

/// A pass by name, to run it alone.
pub fn find(name: &str) -> Option<&'static Pass> {
    PIPELINE.iter().find(|p| p.name == name)
}
