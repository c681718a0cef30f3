//! Analyses over a function: facts that passes, the verifier and backends ask for, computed on demand and never stored.

pub mod ranges;
pub mod uniform;
