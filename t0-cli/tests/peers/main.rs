//! Kernels that another compiler made: OpenCL C (the `.cl` files beside this one), compiled by clang 19 when the tests
//! run, launched with `t0 run` on the simulated card and compared with references in Rust.
//!
//! The simulator executes what it is given, so code whose shape t0's own compiler never makes (calls, stacks, spills,
//! waves of 64 lanes, compare-and-swap loops) shows whether it is the card that is simulated or t0's habits.
#![allow(clippy::unwrap_used, missing_docs)]

mod atomics;
mod calls;
mod check;
mod flags;
mod floats;
mod gemm;
mod harness;
mod integers;
mod linear;
mod rows;
mod scratch;
mod waves;
