//! Devices, buffers, queues and kernel launch of t0.
