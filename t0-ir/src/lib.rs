//! Kernel vocabulary, SSA IR, passes and reference interpreter of t0.
