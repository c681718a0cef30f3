//! A KFD driver in a box: the kernel's and the firmware's side of the driver interface, in the same process.
//!
//! Problem: the runtime must be testable without a card, through the very calls it makes on a real one. Method: the
//! [`Vm`] holds the memory and the GPU page table, the packet processor obeys doorbells and reads AQL packets, and
//! an [`Executor`] runs the kernels they name. Anything Linux ≥ 6.12 or the firmware refuses is refused here too.
//!
//! Invariant: a kernel reaches memory only through [`Vm::resolve`], that is through buffers that were allocated *and*
//! mapped to the GPU; after a fault the completion signal of the faulting packet never fires.

// A fault ends its dispatch: its size never matters.
#![allow(clippy::result_large_err)]

use std::sync::atomic::AtomicBool;
use std::sync::Arc;

use t0_kfd::aql::DispatchPacket;

mod access;
mod arena;
mod checks;
mod events;
mod fault;
mod finding;
mod kfd;
mod node;
mod processor;
mod queue;
mod render;
#[cfg(test)]
#[allow(clippy::unwrap_used, unsafe_code)]
mod tests;
mod unwritten;
mod vm;
mod watch;

pub use arena::{available_memory, Arena, ArenaError, PAGE};
pub use fault::{ExecFault, ExecFaultKind};
pub use finding::{Finding, FindingKind, Severity, Site, Source};
pub use kfd::SimKfd;
pub use node::node_of;
pub use render::{Message, StoredBy};
pub use unwritten::Unwritten;
pub(crate) use vm::bytes;
pub use vm::{Access, Freed, HostRange, Mapping, Near, Nearest, PageFlags, PageTable, Vm, VmFault, VmFaultKind};
pub use watch::Watch;

/// Runs kernels for the packet processor.
pub trait Executor: Send + Sync {
    /// Runs every workgroup of one dispatch to its end, or to the first fault.
    ///
    /// The packet has passed the checks firmware makes (dimensions, LDS size, workgroup size, descriptor mapped and
    /// 64-byte aligned). Memory is reached through `vm` only; a run should stop soon after [`Dispatch::cancel`] is set.
    fn dispatch(&self, d: &Dispatch, vm: &Vm) -> Result<DispatchStats, ExecFault>;

    /// Runs waves and workgroups of the dispatches from here on in another order; 0: in the usual one.
    fn vary_order(&self, _by: u64) {}

    /// Keeps from here on who stored what in the last dispatch, if it can, or forgets it.
    fn keep_written(&self, _on: bool) {}

    /// Who stored what in the last dispatch, if that was to be kept.
    fn take_written(&self) -> Option<Arc<crate::Written>> {
        None
    }
}

/// One kernel dispatch as the packet processor hands it to an [`Executor`].
#[derive(Clone, Debug)]
pub struct Dispatch {
    /// The packet, copied out of the ring.
    pub packet: DispatchPacket,
    /// Dimensions of the dispatch, 1 to 3.
    pub dimensions: u32,
    /// GPU address of the packet in the ring (the `dispatch_ptr` user SGPRs).
    pub packet_va: u64,
    /// GPU address of the queue's `amd_queue_t` (the `queue_ptr` user SGPRs).
    pub queue_va: u64,
    /// Index of the packet since the queue was made (the `dispatch_id` user SGPRs).
    pub dispatch_id: u64,
    /// Scratch memory of the queue, when it has any.
    pub scratch: Option<Scratch>,
    /// Set when the queue is destroyed: stop as soon as convenient.
    pub cancel: Arc<AtomicBool>,
    /// Where the client asks how far the dispatch is.
    pub watch: Arc<Watch>,
}

impl Dispatch {
    /// GPU address of the 64-byte kernel descriptor.
    pub fn kernel_object(&self) -> u64 {
        self.packet.kernel_object
    }

    /// GPU address of the kernel arguments.
    pub fn kernarg(&self) -> u64 {
        self.packet.kernarg_address
    }

    /// Grid in work-items; unused dimensions are 1.
    pub fn grid(&self) -> [u32; 3] {
        self.packet.grid
    }

    /// Workgroup in work-items; unused dimensions are 1.
    pub fn workgroup(&self) -> [u32; 3] {
        self.packet.workgroup.map(u32::from)
    }

    /// Workgroups in x, y, z: the grid divided by the workgroup, rounded up (the last one may be partial).
    pub fn groups(&self) -> [u32; 3] {
        let (g, w) = (self.grid(), self.workgroup());
        [0, 1, 2].map(|i| g[i].div_ceil(w[i].max(1)))
    }
}

/// Scratch memory of a queue, as `amd_queue_t` describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scratch {
    /// GPU address.
    pub va: u64,
    /// Bytes.
    pub bytes: u64,
    /// COMPUTE_TMPRING_SIZE.
    pub tmpring_size: u32,
    /// The buffer descriptor a kernel gets in its first user SGPRs when it asks for it.
    pub descriptor: [u32; 4],
}

impl Scratch {
    /// Bytes of one wave's slot: WAVESIZE of COMPUTE_TMPRING_SIZE (bits 26:12) counts 256-byte units on gfx11.
    pub fn wave_bytes(&self) -> u64 {
        u64::from(self.tmpring_size >> 12 & 0x7fff) * 256
    }
}

/// What a finished dispatch counted, and what its author should know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DispatchStats {
    /// Workgroups run.
    pub workgroups: u64,
    /// Waves run.
    pub waves: u64,
    /// Wave instructions executed.
    pub instructions: u64,
    /// Shader clock cycles, when a timing model was on.
    pub cycles: Option<u64>,
    /// What hardware swallows silently; empty for a clean kernel.
    pub findings: Vec<Finding>,
}

/// Where an instruction is: its offset from the kernel's entry, or the called function with the offset in it.
pub(crate) fn place(pc: u64, function: Option<&(Arc<str>, u64)>) -> String {
    match function {
        Some((name, offset)) => format!("{name}+{offset:#x}"),
        None => Offset(pc).to_string(),
    }
}

/// A byte offset from a kernel's entry, negative in two's complement, as `+0x1c` or `-0x40`.
#[derive(Clone, Copy, Debug)]
pub struct Offset(pub u64);

impl std::fmt::Display for Offset {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let at = self.0 as i64;
        let sign = if at < 0 { '-' } else { '+' };
        write!(f, "{sign}{:#x}", at.unsigned_abs())
    }
}
