//! Random programs: the reference interpreter, the code as it was written (`plain`) and the optimised code on the simulated card leave
//! the same memory, bit for bit (NaNs alike).
//!
//! * `ir`: well-typed kernels of the IR with branches, loops, divergent lanes, LDS, collectives and atomics;
//! * `code`: straight machine code through the passes behind selection;
//! * `gemm`: matrix products over tile shapes, layouts of waves, pipeline depths, element types and odd sizes.
//!
//! Random sources of the kernel language are in `tests/sources` of the package `t0`. `T0_FUZZ_SECONDS` makes each test go on for so long,
//! from another seed every time (`T0_FUZZ_SEED` gives the first one). What fails is made as small as possible and written to
//! `tests/fuzz/found`, whose files `found` runs again.
#![allow(clippy::unwrap_used)]

mod code;
mod compare;
mod found;
mod gemm;
mod ir;
#[path = "../diff/machine.rs"]
mod machine;

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Calls `test` with `count` seeds from `first` on, or with others as long as `T0_FUZZ_SECONDS` says.
fn seeds(first: u64, count: u64, mut test: impl FnMut(u64)) {
    let number = |name: &str| std::env::var(name).ok().and_then(|s| s.parse::<u64>().ok());
    let Some(seconds) = number("T0_FUZZ_SECONDS") else {
        return (first..first + count).for_each(test);
    };
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let from = number("T0_FUZZ_SEED").unwrap_or(clock.as_nanos() as u64 >> 8);
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut seed = from;
    while Instant::now() < end {
        test(seed);
        seed += 1;
    }
    println!("seeds {from} to {}", seed - 1);
}
