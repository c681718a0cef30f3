//! What firmware checks of a kernel dispatch before it launches a wave, and a little more.
//!
//! Source: HSA Platform System Architecture Specification 1.2 §2.8; error bits as ROCr reads them from
//! `queue_inactive_signal`; descriptor layout: LLVM AMDGPUUsage, "Kernel Descriptor".

use t0_kfd::aql::{self, AmdQueue, DispatchPacket};

use super::vm::{Access, Vm, VmFault};
use super::Scratch;

/// LDS one workgroup can have, in bytes.
const MAX_LDS: u32 = 64 << 10;
const MAX_WORKGROUP: u32 = 1024;

/// Why firmware stops the queue at a packet.
#[derive(Clone, Debug)]
pub(super) enum Stop {
    /// A queue error: bits for `queue_inactive_signal`, and the reason.
    Queue(i64, String),
    /// A memory fault.
    Memory(VmFault),
}

impl From<VmFault> for Stop {
    fn from(f: VmFault) -> Self {
        Stop::Memory(f)
    }
}

fn stop<T>(bits: i64, why: String) -> Result<T, Stop> {
    Err(Stop::Queue(bits, why))
}

/// Checks a dispatch; returns its number of dimensions.
pub(super) fn check_dispatch(vm: &Vm, p: &DispatchPacket) -> Result<u32, Stop> {
    let dims = u32::from(p.setup & 3);
    if dims == 0 || p.setup > 3 {
        return stop(
            aql::QUEUE_ERROR_DIMS,
            format!("setup {:#x} does not hold 1 to 3 dimensions", p.setup),
        );
    }
    for i in 0..3 {
        let unused = i >= dims as usize;
        if p.grid[i] == 0 || unused && p.grid[i] != 1 {
            return stop(
                aql::QUEUE_ERROR_DIMS,
                format!("grid {:?} does not fit {dims} dimensions", p.grid),
            );
        }
        if p.workgroup[i] == 0 || unused && p.workgroup[i] != 1 {
            return stop(
                aql::QUEUE_ERROR_WORKGROUP,
                format!("workgroup {:?} does not fit {dims} dimensions", p.workgroup),
            );
        }
    }
    // The processor counts workgroups in 64 bits; work-items of all dimensions have 96.
    let items = p.grid.iter().fold(1u128, |n, &g| n * u128::from(g));
    if items > u128::from(u64::MAX) {
        return stop(
            aql::QUEUE_ERROR_DIMS,
            format!(
                "a grid of {:?} has more than 2^64 work-items, which nothing ever ends",
                p.grid
            ),
        );
    }
    let size: u64 = p.workgroup.iter().map(|&w| u64::from(w)).product();
    if size > u64::from(MAX_WORKGROUP) {
        return stop(
            aql::QUEUE_ERROR_WORKGROUP,
            format!("a workgroup of {size} work-items exceeds {MAX_WORKGROUP}"),
        );
    }
    if p.group_segment_size > MAX_LDS {
        return stop(
            aql::QUEUE_ERROR_GROUP_MEMORY,
            format!("{} bytes of LDS exceed {MAX_LDS}", p.group_segment_size),
        );
    }
    check_descriptor(vm, p)?;
    Ok(dims)
}

fn check_descriptor(vm: &Vm, p: &DispatchPacket) -> Result<(), Stop> {
    let va = p.kernel_object;
    if va % 64 != 0 || va == 0 {
        return stop(
            aql::QUEUE_ERROR_CODE,
            format!("kernel object {va:#x} is not a 64-byte aligned address"),
        );
    }
    let d: [u32; 16] = vm.read(va)?;
    let [lds, private] = [d[0], d[1]];
    let entry = va.wrapping_add(u64::from(d[4]) | u64::from(d[5]) << 32);
    if entry % 256 != 0 {
        return stop(
            aql::QUEUE_ERROR_CODE,
            format!("entry {entry:#x} of kernel object {va:#x} is not 256-byte aligned"),
        );
    }
    vm.resolve(entry, 4, Access::Execute)?;
    if p.group_segment_size < lds {
        let why = format!(
            "the packet gives {} bytes of LDS, the kernel needs {lds}",
            p.group_segment_size
        );
        return stop(aql::QUEUE_ERROR_GROUP_MEMORY, why);
    }
    if p.private_segment_size < private {
        let why = format!(
            "the packet gives {} bytes of scratch, the kernel needs {private}",
            p.private_segment_size
        );
        return stop(aql::QUEUE_ERROR_CODE, why);
    }
    // COMPUTE_PGM_RSRC1 bits 5:0: VGPRs in units of 8 (wave32) or 4 (wave64), less one.
    let wave32 = d[14] & 1 << 10 != 0;
    let vgprs = ((d[12] & 0x3f) + 1) * if wave32 { 8 } else { 4 };
    if vgprs > 256 {
        return stop(
            aql::QUEUE_ERROR_REGISTERS,
            format!("the kernel asks for {vgprs} VGPRs, there are 256"),
        );
    }
    Ok(())
}

/// Scratch of the queue if it is enough for `p`, `Ok(None)` if the kernel needs none, else the bits firmware raises to
/// ask for more.
pub(super) fn check_scratch(vm: &Vm, p: &DispatchPacket, q: &AmdQueue) -> Result<Result<Option<Scratch>, i64>, Stop> {
    let have = Scratch {
        va: q.scratch_backing_memory_location,
        bytes: q.scratch_backing_memory_byte_size,
        tmpring_size: q.compute_tmpring_size,
        descriptor: q.scratch_resource_descriptor,
    };
    let configured = q.compute_tmpring_size != 0;
    if p.private_segment_size == 0 {
        return Ok(Ok(configured.then_some(have)));
    }
    let d: [u32; 16] = vm.read(p.kernel_object)?;
    let wave32 = d[14] & 1 << 10 != 0;
    let lanes = if wave32 { 32 } else { 64 };
    // WAVESIZE counts 256-byte units of one wave.
    let wave_bytes = u64::from(q.compute_tmpring_size >> 12 & 0x7fff) * 256;
    if wave_bytes < u64::from(p.private_segment_size) * lanes {
        let bits = if wave32 {
            aql::QUEUE_NEEDS_SCRATCH_WAVE32
        } else {
            aql::QUEUE_NEEDS_SCRATCH_WAVE64
        };
        return Ok(Err(bits));
    }
    Ok(Ok(Some(have)))
}
