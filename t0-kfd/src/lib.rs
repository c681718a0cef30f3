//! The KFD and AQL binary interface of the Linux amdgpu driver.
//!
//! Problem: a compute queue of a Radeon is reached through a character device (`/dev/kfd`), a DRM render node, a
//! tree of sysfs files and a handful of memory layouts that firmware reads. This crate states them once, as
//! `repr(C)` types whose sizes, offsets and request numbers are checked at compile time, and puts one trait in
//! front of the driver: [`Kfd`], one typed method per ioctl or mmap.
//!
//! Method: everything above (memory, queues, launches) is written against `dyn Kfd`. [`RealKfd`] speaks to the
//! kernel; a simulated card implements the same trait in the same process. GPU memory sits at one virtual address
//! for processor and GPU in both cases, so the code that fills rings, packets and signals is the same code.
//!
//! Sources: `include/uapi/linux/kfd_ioctl.h`, `drivers/gpu/drm/amd/amdkfd/*`, `hsa/amd_hsa_queue.h`,
//! `hsa/amd_hsa_signal.h`, the HSA Platform System Architecture Specification 1.2 (AQL, signals).

pub mod aql;
pub mod topology;
pub mod uapi;
pub mod va;

mod error;
mod kfd;
mod real;

pub use error::{Errno, KfdError};
pub use kfd::{Allocation, Doorbells, FaultDetail, Found, Kfd, QueueStatus, Stores, WaitOutcome};
pub use real::RealKfd;
pub use topology::{Node, QueueSizes, Topology};
pub use va::VaRange;
