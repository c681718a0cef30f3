//! GPU kernels in Rust for AMD RDNA3.
