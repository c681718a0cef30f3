//! Attributes of t0.
