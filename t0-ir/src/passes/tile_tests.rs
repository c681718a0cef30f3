//! Tests of the tile passes together: a GEMM in tile form is run as it is, lowered, and pipelined.
#![allow(clippy::unwrap_used)]

mod barriers;
mod gemm;
mod refused;
mod run;
