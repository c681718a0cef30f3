//! The gfx11 instruction set, code generator and code objects of t0.
//!
//! [`compile()`] turns a kernel's IR into a code object: the IR passes, then the machine passes listed in
//! [`passes::PIPELINE`].
#![forbid(unsafe_code)]

pub mod asm;
pub mod check;
pub mod compile;
pub mod dis;
pub mod errata;
mod fit;
pub mod flow;
pub mod isa;
pub mod listing;
pub mod mir;
pub mod object;
pub mod occupancy;
pub mod passes;
pub mod reasons;
pub mod select;
pub mod target;

pub use compile::{compile, CompileError, Compiled, Options, PassTime, Usage};
