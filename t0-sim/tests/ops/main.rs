//! Every compute instruction at edge values against a scalar model.
//!
//! Problem: an executor that shares its arithmetic with its tests proves nothing. Method: the models here are written
//! from the RDNA3 ISA manual's pseudocode, one function per opcode, in exact integers; the executor is driven only
//! through machine code. Invariant: a row of the instruction table without a model fails a test here.

// Tables of models, and expressions kept in the order of the manual's pseudocode.
#![allow(
    clippy::type_complexity,
    clippy::precedence,
    clippy::needless_range_loop,
    clippy::result_large_err
)]

mod approx;
#[path = "../sim/common.rs"]
mod common;
mod crossbar;
mod division;
mod fuzz;
mod lanes;
mod lanewise;
mod memory;
mod paths;
mod scalar;
mod scalar_float;
#[allow(dead_code)]
mod soft;
mod typed;
mod valu;
mod vector;
mod vfloat;
mod vopd;
mod wmma;
