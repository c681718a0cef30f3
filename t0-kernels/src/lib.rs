//! Ready kernels of t0, and the list of them that the `t0` command shows.
#![forbid(unsafe_code)]

mod matrix;
mod picture;
mod rows;
mod vector;

pub use matrix::gemm;
pub use picture::edges;
pub use rows::softmax;
pub use vector::{reduce, saxpy};

/// Every kernel of this crate, in alphabetical order.
pub fn all() -> &'static [&'static t0::KernelEntry] {
    t0::kernels![edges, gemm, reduce, saxpy, softmax]
}
