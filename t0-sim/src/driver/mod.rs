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

pub use arena::{Arena, ArenaError, PAGE};
pub use finding::{Finding, FindingKind, Severity, Site, Source};
pub use kfd::SimKfd;
pub use node::node_of;
pub use unwritten::Unwritten;
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

/// Why a dispatch stopped, and where.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{kind}{}", FaultPlace(self))]
pub struct ExecFault {
    /// What happened.
    pub kind: ExecFaultKind,
    /// Kernel name, when known.
    pub kernel: Option<String>,
    /// Byte offset of the instruction from the kernel's entry; negative in two's complement for a function before it.
    pub pc: Option<u64>,
    /// The called function it stands in, and its offset there; `None` in the kernel's own code.
    pub function: Option<(Arc<str>, u64)>,
    /// The instruction as text.
    pub instruction: Option<String>,
    /// Place in the Rust source.
    pub source_line: Option<String>,
    /// Workgroup in x, y, z.
    pub workgroup: Option<[u32; 3]>,
    /// Wave of the workgroup.
    pub wave: Option<u32>,
    /// Lane of the wave, when one lane is to blame.
    pub lane: Option<u32>,
    /// What the launch did before it faulted that hardware swallows silently. Of each instruction the first occurrence
    /// is described; `count` is 1, because how far other workgroups came says nothing.
    pub findings: Vec<Finding>,
}

impl ExecFault {
    /// A fault with nothing known but its kind; fill the places in that are known.
    pub fn new(kind: ExecFaultKind) -> Self {
        ExecFault {
            kind,
            kernel: None,
            pc: None,
            function: None,
            instruction: None,
            source_line: None,
            workgroup: None,
            wave: None,
            lane: None,
            findings: Vec::new(),
        }
    }
}

struct FaultPlace<'a>(&'a ExecFault);

impl std::fmt::Display for FaultPlace<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let e = self.0;
        if let Some(k) = &e.kernel {
            write!(f, "; kernel `{k}`")?;
        }
        if let Some(i) = &e.instruction {
            write!(f, "; instruction `{i}`")?;
        }
        if let Some(pc) = e.pc {
            write!(f, " at {}", place(pc, e.function.as_ref()))?;
        }
        if let Some([x, y, z]) = e.workgroup {
            write!(f, "; workgroup ({x}, {y}, {z})")?;
        }
        if let Some(w) = e.wave {
            write!(f, " wave {w}")?;
        }
        if let Some(l) = e.lane {
            write!(f, " lane {l}")?;
        }
        // An endless loop has told its line already.
        let told = matches!(e.kind, ExecFaultKind::Endless { place: Some(_), .. });
        if let Some(s) = e.source_line.as_ref().filter(|_| !told) {
            write!(f, "; {s}")?;
        }
        Ok(())
    }
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

/// Kinds of [`ExecFault`].
#[derive(Clone, Debug, thiserror::Error)]
pub enum ExecFaultKind {
    /// Memory the kernel may not touch.
    #[error("{0}")]
    Memory(#[from] VmFault),
    /// LDS or scratch access outside of its allocation, or an address in no aperture.
    #[error("{space} access of {len} bytes at {address:#x} is outside of its {size} bytes")]
    OutOfAperture {
        /// `LDS`, `scratch` …
        space: &'static str,
        /// Offset in the space.
        address: u64,
        /// Bytes accessed.
        len: u64,
        /// Size of the space.
        size: u64,
    },
    /// An atomic whose address is not a multiple of its size.
    #[error("{space} atomic at {address:#x} is not aligned to {bytes} bytes; hardware raises a memory violation")]
    MisalignedAtomic {
        /// `LDS` or `global`.
        space: &'static str,
        /// The address, or the offset in the LDS.
        address: u64,
        /// Bytes of the value.
        bytes: u64,
    },
    /// Bytes that are no instruction of the target.
    #[error("illegal instruction {}", Words(.words))]
    IllegalInstruction {
        /// The dwords at the program counter.
        words: Vec<u32>,
    },
    /// A real instruction the simulator cannot execute.
    #[error("the simulator does not execute this instruction ({reason})")]
    Unsupported {
        /// What is missing.
        reason: &'static str,
    },
    /// `s_trap`: an assertion of the kernel failed.
    #[error("trap {id}")]
    Trap {
        /// Operand of `s_trap`.
        id: u8,
    },
    /// A rule of the instruction set or the code object was broken.
    #[error("{what}")]
    Rule {
        /// The rule, and how it was broken.
        what: String,
    },
    /// The kernel did not end within the limit of the simulator.
    #[error("endless loop{}: a wave did not end within {instructions} instructions; where the waves stand: {waves}", place.as_deref().map(|p| format!(" at {p}")).unwrap_or_default())]
    Endless {
        /// The limit.
        instructions: u64,
        /// The loop in the Rust source, when the code object tells: the line of the branch that closes it.
        place: Option<String>,
        /// Where every wave of the workgroup stands.
        waves: String,
    },
    /// All waves of a workgroup wait for something that cannot happen.
    #[error("deadlock: {what}")]
    Deadlock {
        /// Who waits for what.
        what: String,
    },
    /// The queue was destroyed while the kernel ran.
    #[error("stopped because the queue was destroyed")]
    Cancelled,
}

impl ExecFaultKind {
    /// Stable name of the rule that was broken; `fault` where none has a name of its own.
    pub fn rule(&self) -> &'static str {
        match self {
            ExecFaultKind::Memory(f) => match (&f.kind, &f.nearest) {
                (VmFaultKind::Misaligned, _) => "misaligned-atomic",
                (VmFaultKind::NotPresent, Near::Allocation(n)) if n.freed.is_some() && n.range.contains(&f.va) => {
                    "use-after-free"
                }
                (VmFaultKind::NotPresent | VmFaultKind::Straddles | VmFaultKind::ReadOnly, _) => "out-of-bounds",
                _ => "fault",
            },
            ExecFaultKind::MisalignedAtomic { .. } => "misaligned-atomic",
            ExecFaultKind::OutOfAperture { space: "scratch", .. } => "scratch-out-of-bounds",
            ExecFaultKind::OutOfAperture { .. } => "out-of-bounds",
            ExecFaultKind::Endless { .. } => "endless-loop",
            ExecFaultKind::Deadlock { .. } => "deadlock",
            ExecFaultKind::IllegalInstruction { .. } => "illegal-instruction",
            ExecFaultKind::Trap { .. } => "trap",
            ExecFaultKind::Unsupported { .. } | ExecFaultKind::Rule { .. } | ExecFaultKind::Cancelled => "fault",
        }
    }
}

struct Words<'a>(&'a [u32]);

impl std::fmt::Display for Words<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, w) in self.0.iter().enumerate() {
            write!(f, "{}{w:08x}", if i == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}
