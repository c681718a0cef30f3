//! Ready kernels of t0, each in a file of its own, and the list of them that the `t0` command shows.
#![forbid(unsafe_code)]

mod edges;
mod gemm;
mod reduce;
mod saxpy;
mod softmax;

pub use edges::edges;
pub use gemm::gemm;
pub use reduce::reduce;
pub use saxpy::saxpy;
pub use softmax::softmax;

/// Every kernel of this crate, in alphabetical order.
pub fn all() -> &'static [&'static t0::KernelEntry] {
    t0::kernels![edges, gemm<0, 0, 0>, reduce, saxpy, softmax]
}
