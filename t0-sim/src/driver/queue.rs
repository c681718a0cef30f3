//! What CREATE_QUEUE checks.
//!
//! Source: `kfd_chardev.c` (`set_queue_properties_from_user`), `kfd_queue.c` (`kfd_queue_acquire_buffers`), Linux 6.12:
//! ring, index pages, end-of-pipe buffer and context save area must be whole buffers of exactly the right size.

use std::collections::BTreeMap;

use t0_kfd::aql::{self, AmdQueue};
use t0_kfd::uapi::{self, CreateQueue};
use t0_kfd::{Errno, QueueSizes};

use super::arena::PAGE;
use super::events::Refusal;
use super::kfd::Buffer;
use super::vm::Vm;

/// `ENOTSUPP` of the kernel, which is not an errno of user space.
const ENOTSUPP: Errno = Errno(524);
const MIN_AQL_RING: u32 = 1024;

fn invalid<T>(why: String) -> Result<T, Refusal> {
    Err((Errno::EINVAL, why))
}

/// Checks the arguments in the kernel's order; returns the handles of the buffers the queue holds on to.
pub(super) fn check(
    a: &CreateQueue,
    gpu_id: u32,
    vm_acquired: bool,
    sizes: &QueueSizes,
    buffers: &BTreeMap<u64, Buffer>,
    vm: &Vm,
) -> Result<Vec<u64>, Refusal> {
    if a.queue_percentage & 0xff > 100 {
        return invalid(format!("queue_percentage {} exceeds 100", a.queue_percentage & 0xff));
    }
    if a.queue_priority > 15 {
        return invalid(format!("queue_priority {} exceeds 15", a.queue_priority));
    }
    if !a.ring_size.is_power_of_two() {
        return invalid(format!("ring_size {:#x} is not a power of two", a.ring_size));
    }
    match a.queue_type {
        uapi::QUEUE_TYPE_COMPUTE_AQL => {}
        uapi::QUEUE_TYPE_COMPUTE | uapi::QUEUE_TYPE_SDMA => {
            return Err((
                ENOTSUPP,
                format!("queue type {} is not simulated, use AQL (2)", a.queue_type),
            ))
        }
        t => return Err((ENOTSUPP, format!("queue type {t} does not exist"))),
    }
    if a.gpu_id != gpu_id {
        return invalid(format!("no GPU {}", a.gpu_id));
    }
    if !vm_acquired {
        return Err((Errno(libc::ESRCH), "ACQUIRE_VM must come first".into()));
    }
    if a.ring_size < MIN_AQL_RING {
        return invalid(format!(
            "ring_size {} is below {MIN_AQL_RING} bytes (16 packets)",
            a.ring_size
        ));
    }
    if a.eop_buffer_size != sizes.eop {
        return invalid(format!(
            "eop_buffer_size {:#x} must be {:#x}",
            a.eop_buffer_size, sizes.eop
        ));
    }
    if u64::from(a.ctl_stack_size) != sizes.ctl_stack {
        return invalid(format!(
            "ctl_stack_size {:#x} must be {:#x}",
            a.ctl_stack_size, sizes.ctl_stack
        ));
    }
    if u64::from(a.ctx_save_restore_size) < sizes.ctx_save_restore {
        return invalid(format!(
            "ctx_save_restore_size {:#x} is below {:#x}",
            a.ctx_save_restore_size, sizes.ctx_save_restore
        ));
    }
    let exact = |what, va: u64, size| exact_buffer(buffers, what, va, size);
    let held = vec![
        exact("write pointer", a.write_pointer_address & !(PAGE - 1), PAGE)?,
        exact("read pointer", a.read_pointer_address & !(PAGE - 1), PAGE)?,
        exact("ring", a.ring_base_address, a.ring_size.into())?,
        exact("end-of-pipe", a.eop_buffer_address, a.eop_buffer_size)?,
        exact("context save", a.ctx_save_restore_address, sizes.ctx_buffer)?,
    ];
    check_amd_queue(a, vm)?;
    Ok(held)
}

fn exact_buffer(buffers: &BTreeMap<u64, Buffer>, what: &str, va: u64, size: u64) -> Result<u64, Refusal> {
    let found = buffers
        .iter()
        .find(|(_, b)| b.mapped && b.va <= va && va < b.va + b.size);
    match found {
        None => invalid(format!("the {what} buffer at {va:#x} is not mapped to the GPU")),
        Some((_, b)) if b.va != va || b.size != size => invalid(format!(
            "the {what} buffer must start at {va:#x} and have {size:#x} bytes, it starts at {:#x} and has {:#x}",
            b.va, b.size
        )),
        Some((handle, _)) => Ok(*handle),
    }
}

/// Firmware would misbehave silently: the fake refuses a wrong `amd_queue_t` at once.
fn check_amd_queue(a: &CreateQueue, vm: &Vm) -> Result<(), Refusal> {
    let va = a.read_pointer_address.wrapping_sub(aql::QUEUE_READ_ID);
    if va % 64 != 0 {
        return invalid(format!(
            "the read pointer {:#x} is not 128 bytes into a 64-byte aligned amd_queue_t",
            a.read_pointer_address
        ));
    }
    let q: AmdQueue = vm.read(va).map_err(|f| (Errno::EINVAL, format!("amd_queue_t: {f}")))?;
    if a.write_pointer_address != va + aql::QUEUE_WRITE_ID {
        return invalid(format!(
            "the write pointer {:#x} is not write_dispatch_id of the amd_queue_t",
            a.write_pointer_address
        ));
    }
    if q.read_dispatch_id_field_base_byte_offset != aql::QUEUE_READ_ID as u32 {
        return invalid("read_dispatch_id_field_base_byte_offset of the amd_queue_t is not 128".into());
    }
    if q.base_address != a.ring_base_address || u64::from(q.size) * aql::PACKET_BYTES as u64 != u64::from(a.ring_size) {
        return invalid("base address or size of the amd_queue_t is not the ring's".into());
    }
    if q.read_dispatch_id != 0 || q.write_dispatch_id != 0 {
        return invalid("read and write index of the amd_queue_t must start at 0".into());
    }
    Ok(())
}
