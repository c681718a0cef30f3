//! Virtual address ranges shared by host and GPU.
//!
//! Problem: a buffer should have one address for both. Method: reserve host address space without access, give the
//! address to the driver, then map the buffer over the reservation (`MAP_FIXED`).
//!
//! Invariant: a [`VaRange`] owns its addresses from reservation to drop, guard pages on both sides included; only
//! [`VaRange::map`] puts memory there, so a fixed mapping can never replace somebody else's.

#![allow(unsafe_code)]

use std::os::fd::{AsRawFd, BorrowedFd};

use crate::error::{Errno, KfdError};

/// Page size of host and GPU, in bytes.
pub const PAGE: u64 = 4096;

/// A reserved range of addresses, with one inaccessible page before and after it.
#[derive(Debug)]
pub struct VaRange {
    reserved: u64,
    reserved_len: u64,
    va: u64,
    len: u64,
}

impl VaRange {
    /// Reserves `len` bytes (rounded up to pages, at least one) aligned to `align` (a power of two, at least a page).
    pub fn reserve(len: u64, align: u64) -> Result<Self, KfdError> {
        let fail = |errno| KfdError::Mmap {
            what: "address space",
            len,
            errno,
        };
        let align = align.max(PAGE);
        let size = len
            .max(1)
            .checked_next_multiple_of(PAGE)
            .ok_or_else(|| fail(Errno::ENOMEM))?;
        let reserved_len = size
            .checked_add(2 * PAGE + (align - PAGE))
            .ok_or_else(|| fail(Errno::ENOMEM))?;
        let prot = libc::PROT_NONE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a fresh mapping at an address the kernel chooses replaces nothing.
        let p = unsafe { libc::mmap(std::ptr::null_mut(), reserved_len as usize, prot, flags, -1, 0) };
        if p == libc::MAP_FAILED {
            return Err(fail(Errno::last()));
        }
        let reserved = p as u64;
        let va = (reserved + PAGE).next_multiple_of(align);
        Ok(VaRange {
            reserved,
            reserved_len,
            va,
            len: size,
        })
    }

    /// First address, for host and GPU.
    pub fn va(&self) -> u64 {
        self.va
    }

    /// Bytes, whole pages.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Never: a range has at least one page.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Maps `file` at `offset` over the whole range, shared, for reading and writing by the host.
    ///
    /// `offset` may have bit 63 set (KFD's doorbell and event offsets do).
    pub fn map(&self, file: BorrowedFd<'_>, offset: u64, what: &'static str) -> Result<(), KfdError> {
        let prot = libc::PROT_READ | libc::PROT_WRITE;
        // The cast keeps all 64 bits; KFD takes the offset apart as an unsigned number.
        let offset = offset as i64 as libc::off_t;
        let flags = libc::MAP_SHARED | libc::MAP_FIXED;
        // SAFETY: the range belongs to `self`, so MAP_FIXED replaces only our own reservation.
        let p = unsafe {
            libc::mmap(
                self.va as *mut _,
                self.len as usize,
                prot,
                flags,
                file.as_raw_fd(),
                offset,
            )
        };
        if p == libc::MAP_FAILED {
            return Err(KfdError::Mmap {
                what,
                len: self.len,
                errno: Errno::last(),
            });
        }
        Ok(())
    }

    /// Takes the memory away again but keeps the addresses reserved.
    pub fn clear(&self) {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED;
        // SAFETY: the range belongs to `self`. A failure leaves the old mapping, which drop removes.
        unsafe { libc::mmap(self.va as *mut _, self.len as usize, libc::PROT_NONE, flags, -1, 0) };
    }
}

impl Drop for VaRange {
    fn drop(&mut self) {
        // SAFETY: reservation and everything mapped over it belong to `self`.
        unsafe { libc::munmap(self.reserved as *mut _, self.reserved_len as usize) };
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn alignment_and_guards() {
        for align in [PAGE, 1 << 16, 1 << 21] {
            let r = VaRange::reserve(5000, align).unwrap();
            assert_eq!(r.va() % align, 0);
            assert_eq!(r.len(), 2 * PAGE);
            assert!(r.reserved < r.va && r.va + r.len < r.reserved + r.reserved_len);
        }
        assert_eq!(VaRange::reserve(0, 1).unwrap().len(), PAGE);
        assert!(VaRange::reserve(u64::MAX, PAGE).is_err());
    }
}
