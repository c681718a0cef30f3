//! The cycle model against silicon, and against itself.
#![allow(clippy::unwrap_used, clippy::result_large_err)]

mod card;
#[path = "../sim/common.rs"]
mod common;
mod gaps;
mod memory;
mod model;
mod pace;
