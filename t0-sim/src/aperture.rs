//! Where LDS and private memory appear among 64-bit FLAT addresses.
//!
//! Bits 63:48 of an address choose the space. The driver sets the two values (SH_MEM_BASES: 1 for LDS, 2 for private
//! memory on GFX9 and later, `kfd_flat_memory.c`), a kernel reads them through `src_shared_base` and
//! `src_private_base` or in the queue's `amd_queue_t`; each aperture is 4 GiB long.

/// Address of byte 0 of the LDS, the value of `src_shared_base`.
pub const SHARED_BASE: u64 = 1 << 48;
/// Address of byte 0 of the lane's private memory, the value of `src_private_base`.
pub const PRIVATE_BASE: u64 = 2 << 48;
/// Bytes of each aperture; `src_shared_limit` and `src_private_limit` are base + this - 1.
pub const APERTURE_BYTES: u64 = 1 << 32;

/// The memory a FLAT address points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Global memory.
    Global,
    /// LDS at an offset.
    Shared,
    /// The lane's private memory at an offset.
    Private,
}

impl Space {
    /// The space of an address, before an instruction's offset is added.
    #[inline(always)]
    pub fn of(va: u64) -> Space {
        match va >> 48 {
            1 => Space::Shared,
            2 => Space::Private,
            _ => Space::Global,
        }
    }
}
