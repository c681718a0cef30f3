//! Ready kernels of t0, and the list of them that the `t0` command shows.
#![forbid(unsafe_code)]

mod layout;
mod matrix;
mod picture;
mod rows;
mod vector;

pub use layout::transpose;
pub use matrix::{gemm, gemm_nn, gemm_tn};
pub use picture::{conv3x3, edges};
pub use rows::{layernorm, rmsnorm, saxpy_rows, softmax};
pub use vector::{gelu, histogram, reduce, saxpy, scan_blocks};

/// Every kernel of this crate, in alphabetical order.
pub fn all() -> &'static [&'static t0::KernelEntry] {
    t0::kernels![
        conv3x3,
        edges,
        gelu,
        gemm,
        gemm_nn,
        gemm_tn,
        histogram,
        layernorm,
        reduce,
        rmsnorm,
        saxpy,
        saxpy_rows,
        scan_blocks,
        softmax,
        transpose
    ]
}
