//! The executor against independent judges, one module per subject.

mod common;
mod groups;
mod memory;
mod semantics;
mod speed;
mod waits;
mod wmma;
