//! The instruction set against LLVM 19.
//!
//! Judges: a recorded corpus (`corpus.gz`, no tool needed), the opcode tables LLVM enumerates (`gfx11*_opcodes.tsv`), and,
//! in the ignored tests, llvm-mc itself on random instructions, bytes and texts:
//! `cargo test -p t0-backend-rdna3 --test llvm -- --ignored`, for `T0_LLVM_SECONDS` seconds (20 when unset) from
//! `T0_SEED`. `T0_BLESS=1` records the corpus anew. `T0_FUZZ_SECONDS` makes the fuzz tests run longer.
#![allow(clippy::unwrap_used)]

mod basic;
mod corpus;
mod fuzz;
mod judge;
mod live;
mod mutate;
mod random;
mod roundtrip;
mod sweep;
mod table;
