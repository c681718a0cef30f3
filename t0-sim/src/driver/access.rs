//! How the driver's and the firmware's side touch client memory: typed, checked, one access per function.
//!
//! Invariant: every access resolves its GPU address first and is naturally aligned, so the worst a hostile client can
//! do is race with plain copies, whose result is then arbitrary bytes of plain old data.

#![allow(unsafe_code)]

use std::sync::atomic::{AtomicI64, AtomicU16, AtomicU32, AtomicU64};

use bytemuck::Pod;

use super::vm::{Access, Near, Vm, VmFault, VmFaultKind};

impl Vm {
    /// Reads plain old data that the client wrote before it released an index or header we acquired.
    pub fn read<T: Pod>(&self, va: u64) -> Result<T, VmFault> {
        let r = self.resolve(va, size_of::<T>() as u64, Access::Read)?;
        // SAFETY: resolved for `size_of::<T>()` bytes; `T` is valid for any bytes and need not be aligned.
        Ok(unsafe { r.as_ptr().cast::<T>().read_unaligned() })
    }

    /// Writes plain old data.
    pub fn write<T: Pod>(&self, va: u64, value: &T) -> Result<(), VmFault> {
        let r = self.resolve(va, size_of::<T>() as u64, Access::Write)?;
        // SAFETY: resolved for `size_of::<T>()` writable bytes.
        unsafe { r.as_ptr().cast::<T>().write_unaligned(*value) };
        Ok(())
    }

    pub(super) fn atomic_u64(&self, va: u64, access: Access) -> Result<&AtomicU64, VmFault> {
        let p = self.aligned(va, 8, access)?;
        // SAFETY: 8 resolved, aligned bytes of arena memory, which lives as long as `self`; all concurrent accesses to
        // words used so are atomic.
        Ok(unsafe { AtomicU64::from_ptr(p.cast()) })
    }

    pub(super) fn atomic_i64(&self, va: u64, access: Access) -> Result<&AtomicI64, VmFault> {
        let p = self.aligned(va, 8, access)?;
        // SAFETY: as in `atomic_u64`.
        Ok(unsafe { AtomicI64::from_ptr(p.cast()) })
    }

    pub(super) fn atomic_u32(&self, va: u64, access: Access) -> Result<&AtomicU32, VmFault> {
        let p = self.aligned(va, 4, access)?;
        // SAFETY: as in `atomic_u64`, 4 bytes.
        Ok(unsafe { AtomicU32::from_ptr(p.cast()) })
    }

    pub(super) fn atomic_u16(&self, va: u64, access: Access) -> Result<&AtomicU16, VmFault> {
        let p = self.aligned(va, 2, access)?;
        // SAFETY: as in `atomic_u64`, 2 bytes.
        Ok(unsafe { AtomicU16::from_ptr(p.cast()) })
    }

    /// The doorbell of slot `index` (arena bytes 0 to 8191).
    pub(super) fn doorbell(&self, index: u32) -> &AtomicU64 {
        debug_assert!(index < 1024);
        // SAFETY: inside the arena, 8-byte aligned, lives as long as `self`; clients store whole 64-bit values.
        unsafe { AtomicU64::from_ptr(self.arena().host(u64::from(index) * 8).cast()) }
    }

    /// Slot `index` of the event page at arena offset `page`.
    pub(super) fn event_slot(&self, page: u64, index: u32) -> &AtomicU64 {
        // SAFETY: as in `doorbell`; the page was checked to hold every slot.
        unsafe { AtomicU64::from_ptr(self.arena().host(page + u64::from(index) * 8).cast()) }
    }

    fn aligned(&self, va: u64, size: u64, access: Access) -> Result<*mut u8, VmFault> {
        let r = self.resolve(va, size, access)?;
        if va % size != 0 {
            let kind = VmFaultKind::Misaligned;
            return Err(self.explain(VmFault {
                va,
                len: size,
                access,
                kind,
                nearest: Near::Unknown,
            }));
        }
        Ok(r.as_ptr())
    }
}

/// The three clocks GET_CLOCK_COUNTERS reports.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clocks {
    /// CLOCK_MONOTONIC_RAW, ns.
    pub raw: u64,
    /// CLOCK_BOOTTIME, ns.
    pub boot: u64,
    /// 100 MHz counter of the card, derived from CLOCK_BOOTTIME.
    pub gpu: u64,
}

impl Clocks {
    pub fn now() -> Self {
        let boot = clock(libc::CLOCK_BOOTTIME);
        Clocks {
            raw: clock(libc::CLOCK_MONOTONIC_RAW),
            boot,
            gpu: boot / 10,
        }
    }
}

fn clock(id: libc::clockid_t) -> u64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `t` is a valid timespec to write to; a failure leaves zeros.
    unsafe { libc::clock_gettime(id, &mut t) };
    t.tv_sec as u64 * 1_000_000_000 + t.tv_nsec as u64
}
