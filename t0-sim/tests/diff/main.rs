//! Differential tests: random kernels give the same memory in the reference interpreter as compiled, on the simulated
//! card, bit for bit (NaNs alike).
#![allow(clippy::unwrap_used)]

mod bounds;
mod divide;
mod gemm;
mod machine;
mod memory;
mod patterns;
mod random;
mod spill;
