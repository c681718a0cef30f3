//! Differential tests: kernels that aim at one part of the compiler give the same memory in the reference interpreter as
//! compiled, on the simulated card, bit for bit (NaNs alike). Random kernels are in `tests/fuzz`.
#![allow(clippy::unwrap_used)]

mod bounds;
mod divide;
mod gemm;
mod machine;
mod memory;
mod patterns;
mod spill;
