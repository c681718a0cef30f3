//! The driver as one trait: a typed method per ioctl or mmap.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::error::KfdError;
use crate::topology::{Node, Topology};
use crate::uapi::{CreateEvent, CreateQueue, EventData, GetClockCounters};
use crate::va::VaRange;

/// A buffer the driver allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// Number of the buffer.
    pub handle: u64,
    /// Offset for [`Kfd::mmap_memory`].
    pub mmap_offset: u64,
}

/// How a wait for events ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitOutcome {
    /// One (or all) of the events fired.
    Complete,
    /// The time is up.
    Timeout,
}

/// The doorbell page, mapped; unmapped on drop.
#[derive(Debug)]
pub struct Doorbells {
    range: VaRange,
}

impl Doorbells {
    /// Takes a mapped range.
    pub fn new(range: VaRange) -> Self {
        Doorbells { range }
    }

    /// Host address of the page.
    pub fn va(&self) -> u64 {
        self.range.va()
    }
}

/// Everything known about the fault that stopped the device. Only a simulated driver can say this much.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultDetail {
    /// The whole story in one line: what, where, and the nearest allocation.
    pub text: String,
    /// The same in lines, as rustc prints them.
    pub report: String,
    /// Name of the kernel, when known.
    pub kernel: Option<String>,
    /// Faulting address, for memory faults.
    pub va: Option<u64>,
    /// Index of the packet in its queue.
    pub packet: Option<u64>,
}

impl fmt::Display for FaultDetail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// What a queue is doing. Only a simulated driver can say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueueStatus {
    /// Index of the next packet firmware will read.
    pub read_index: u64,
    /// Value of the doorbell; `u64::MAX` before the first ring.
    pub doorbell: u64,
    /// What the packet processor waits for, if it waits.
    pub waits_for: Option<String>,
    /// Where the waves of the running kernel stand, one place a line.
    pub waves: Vec<String>,
}

/// Something a kernel did that hardware swallows silently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// It gives wrong results, or worse; else it may be meant.
    pub severe: bool,
    /// The whole story, in lines as rustc prints them.
    pub text: String,
}

/// Who stored what in one launch, as notes in the form of rustc's messages. Only a simulated driver with a sanitizer knows.
pub trait Stores: fmt::Debug + Send + Sync {
    /// The last store of any of the `len` bytes at `va`, and where its value comes from; `None` if it is not known.
    fn last(&self, va: u64, len: u64) -> Option<String>;

    /// Of the stores of other bytes of `buffer` (addresses) those nearest to `va`, one for each source line, at most `most`.
    fn around(&self, va: u64, buffer: Range<u64>, most: usize) -> Vec<String>;

    /// Stores and atomics that were out of range of a buffer and dropped, as is defined: one note for each instruction, at most
    /// `most`.
    fn dropped(&self, most: usize) -> Vec<String>;

    /// The kernel's stores to global memory, whether they were reached or not, one for each source line, at most `most`.
    fn all(&self, most: usize) -> Vec<String>;
}

/// The KFD driver. Every call may come from any thread.
///
/// Errors are the kernel's: see [`KfdError::Ioctl`] for the call and its errno.
pub trait Kfd: Send + Sync {
    /// True for a driver without hardware behind it.
    fn is_simulated(&self) -> bool;

    /// GET_VERSION: (major, minor).
    fn version(&self) -> Result<(u32, u32), KfdError>;

    /// The nodes of the machine.
    fn topology(&self) -> Result<Topology, KfdError>;

    /// ACQUIRE_VM: opens the render node of `node` and binds the process's GPU address space to it.
    fn acquire_vm(&self, node: &Node) -> Result<(), KfdError>;

    /// RUNTIME_ENABLE; returns the capability bits. Must precede the first queue.
    fn runtime_enable(&self, r_debug: u64, mode_mask: u32) -> Result<u32, KfdError>;

    /// ALLOC_MEMORY_OF_GPU: a buffer over all of `range`, with `uapi::ALLOC_*` flags.
    fn alloc_memory(&self, gpu_id: u32, range: &VaRange, flags: u32) -> Result<Allocation, KfdError>;

    /// FREE_MEMORY_OF_GPU. EBUSY while mapped.
    fn free_memory(&self, handle: u64) -> Result<(), KfdError>;

    /// MAP_MEMORY_TO_GPU: returns how many of the GPUs mapped it.
    fn map_memory(&self, handle: u64, gpu_ids: &[u32]) -> Result<u32, KfdError>;

    /// UNMAP_MEMORY_FROM_GPU: returns how many of the GPUs unmapped it.
    fn unmap_memory(&self, handle: u64, gpu_ids: &[u32]) -> Result<u32, KfdError>;

    /// Maps a buffer for the host at its GPU address, through the render node of `gpu_id`.
    fn mmap_memory(&self, gpu_id: u32, range: &VaRange, mmap_offset: u64) -> Result<(), KfdError>;

    /// CREATE_EVENT.
    fn create_event(&self, args: &mut CreateEvent) -> Result<(), KfdError>;

    /// DESTROY_EVENT.
    fn destroy_event(&self, event_id: u32) -> Result<(), KfdError>;

    /// SET_EVENT.
    fn set_event(&self, event_id: u32) -> Result<(), KfdError>;

    /// RESET_EVENT.
    fn reset_event(&self, event_id: u32) -> Result<(), KfdError>;

    /// WAIT_EVENTS: `timeout_ms` 0 polls. Interrupted waits are continued.
    fn wait_events(&self, events: &mut [EventData], all: bool, timeout_ms: u32) -> Result<WaitOutcome, KfdError>;

    /// CREATE_QUEUE.
    fn create_queue(&self, args: &mut CreateQueue) -> Result<(), KfdError>;

    /// DESTROY_QUEUE.
    fn destroy_queue(&self, queue_id: u32) -> Result<(), KfdError>;

    /// Maps the process's doorbell page. `offset` is [`CreateQueue::doorbell_offset`] with the low 13 bits cleared,
    /// `len` must be [`crate::uapi::DOORBELL_BYTES`].
    fn mmap_doorbells(&self, offset: u64, len: u64) -> Result<Doorbells, KfdError>;

    /// GET_CLOCK_COUNTERS.
    fn clock_counters(&self, gpu_id: u32) -> Result<GetClockCounters, KfdError>;

    /// Names `len` bytes at `va` for fault messages; a real driver ignores it.
    fn name_memory(&self, _va: u64, _len: u64, _name: &str) {}

    /// Tells that kernels have no business writing the buffer at `va` (rings, signals, kernel arguments); a real driver
    /// ignores it.
    fn guard_memory(&self, _va: u64) {}

    /// Tells that nobody has written the `len` bytes at `va` yet, so that a sanitizer can report who uses them; a real
    /// driver ignores it.
    fn memory_unwritten(&self, _va: u64, _len: u64) {}

    /// Tells that the host has written the `len` bytes at `va`; a real driver ignores it.
    fn memory_written(&self, _va: u64, _len: u64) {}

    /// Which of the `len` bytes at `va` have been written since [`Kfd::memory_unwritten`]; what is not known counts as
    /// written. Only a simulated driver with a sanitizer can tell.
    fn written_bytes(&self, _va: u64, len: u64) -> Vec<bool> {
        vec![true; len as usize]
    }

    /// Runs the waves of what is launched from here on in another order: 0 is the usual one. Only a simulated driver can.
    fn vary_order(&self, _by: u64) {}

    /// Tells which code object was loaded at `va`, so that faults name kernel and line; a real driver ignores it.
    fn name_code(&self, _va: u64, _code_object: &[u8]) {}

    /// The fault that stopped the device, if the driver can tell.
    fn fault_detail(&self) -> Option<FaultDetail> {
        None
    }

    /// What kernels did that hardware swallows silently (accesses outside of the LDS, races …); every finding is given
    /// once. Only a simulated driver can tell.
    fn take_findings(&self) -> Vec<Found> {
        Vec::new()
    }

    /// Keeps from here on who stored what in the last launch, or forgets it and keeps it no more; a real driver ignores it.
    fn keep_stores(&self, _on: bool) {}

    /// Who stored what in the last launch, once, if that was to be kept and the driver can tell.
    fn take_stores(&self) -> Option<Arc<dyn Stores>> {
        None
    }

    /// What a queue is doing, if the driver can tell.
    fn queue_status(&self, _queue_id: u32) -> Option<QueueStatus> {
        None
    }
}

const _: Option<&dyn Kfd> = None;
