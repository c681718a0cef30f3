//! The kernel language: what kernels mean, what they become, what is refused.
#![allow(missing_docs, clippy::unwrap_used)]

mod diags;
mod meaning;
mod simt;
mod staging;
