//! Ready kernels of t0.
