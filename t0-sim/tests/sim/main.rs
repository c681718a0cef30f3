//! The executor against independent judges, one module per subject.

// Models spell the manual's rule out, whatever a library function would be shorter.
#![allow(
    clippy::unwrap_used,
    clippy::needless_range_loop,
    clippy::manual_clamp,
    clippy::manual_abs_diff
)]
#![allow(clippy::result_large_err, clippy::redundant_closure, clippy::precedence)]

mod advice;
mod agree;
mod apertures;
mod buffers;
mod common;
mod double;
mod faults;
mod fidelity;
mod formats;
mod groups;
mod lds;
mod machine;
mod memory;
mod mixed;
mod order;
mod orders;
mod padding;
mod races;
mod sanitizer;
mod scratch;
mod semantics;
mod taint;
mod trans;
mod vopd;
mod waits;
mod wave64;
mod wmma;
