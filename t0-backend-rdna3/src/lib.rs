//! The gfx11 instruction set, code generator and code objects of t0.
#![forbid(unsafe_code)]

pub mod isa;
pub mod listing;
pub mod object;
pub mod occupancy;
pub mod target;
