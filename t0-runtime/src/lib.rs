//! Devices, buffers, queues and kernel launch of t0.
//!
//! Problem: run kernels on a GPU with nothing but the kernel driver in between, and run the very same code on a
//! simulated card. Method: everything here talks to `dyn Kfd`; memory has one address for host and GPU, so rings,
//! packets and signals are written the same way on both. [`Gpu::open`] takes a real card if there is one.
//!
//! Invariants: buffers know their last use, so results are read and memory is freed only after it; nothing waits for
//! ever; a fault names the kernel and makes every later call fail.
//!
//! ```
//! let gpu = t0_runtime::Gpu::simulated()?;
//! let x = gpu.upload(&[1.0f32, 2.0, 3.0])?;
//! assert_eq!(x.to_vec()?, [1.0, 2.0, 3.0]);
//! # Ok::<(), t0_runtime::Error>(())
//! ```
#![deny(unsafe_code)]
// An error ends the work at hand: its size never matters.
#![allow(clippy::result_large_err)]

mod buffer;
mod compile;
mod device;
mod dump;
mod error;
mod kernel;
mod memory;
mod module;
mod param;
mod queue;
mod stop;
pub mod testing;
mod verify;

pub use buffer::{Buffer, MatBuffer};
pub use compile::{compile_kernel, compile_with, read_source, Compile};
pub use device::Gpu;
pub use error::{Error, Result};
pub use kernel::{Args, Build, Grid, KernelKey, Launch, ScalarArg};
pub use memory::Kind;
pub use module::{
    checked_from_environment, numerics_from_environment, order_seed_from_environment, sanitize_from_environment,
    Kernel, Module, SimOptions,
};
pub use param::{Element, Param};
pub use queue::{Queue, Submission};
pub use stop::OutOfRange;
pub use t0_ir::Access;
pub use t0_sim::card::Card;
