//! Private memory: where the lanes of a wave find theirs.
//!
//! Problem: every lane has its own byte range from 0, the memory behind is one area per queue. Method, as hardware
//! does it: a wave holds one slot of the area while it runs; inside of the slot the dwords of the lanes are
//! interleaved, so that a row of equal offsets is one row of memory:
//! `address = slot + (offset / 4 * lanes + lane) * 4 + offset % 4`.
//!
//! Invariant: a slot belongs to one wave at a time. It is poisoned before the wave starts, so what a wave reads
//! before it writes does not depend on who had the slot before.
//!
//! Source: RDNA3 ISA manual 11.1 (scratch swizzle), ROCr `ScratchCache` (COMPUTE_TMPRING_SIZE on gfx11: WAVESIZE
//! [26:12] in units of 256 bytes). UNVERIFIED(hw): which slot a wave gets.

use std::sync::{Mutex, PoisonError};

/// The private memory of one wave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scratch {
    /// GPU address of the wave's slot (FLAT_SCRATCH).
    pub base: u64,
    /// Bytes each lane has; 0 for a kernel without private memory.
    pub bytes: u32,
}

impl Scratch {
    /// GPU address of a byte of one lane's private memory.
    #[inline(always)]
    pub fn address(&self, lane: u32, lanes: u32, offset: u64) -> u64 {
        self.base + (offset / 4 * u64::from(lanes) + u64::from(lane)) * 4 + offset % 4
    }
}

/// The scratch area of a dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Area {
    /// GPU address.
    pub va: u64,
    /// Bytes of a slot.
    pub wave_bytes: u64,
    /// Slots.
    pub slots: u32,
    /// Bytes each lane may use.
    pub lane_bytes: u32,
}

impl Area {
    /// The memory of slot `n`.
    pub fn slot(&self, n: u32) -> Scratch {
        Scratch {
            base: self.va + u64::from(n) * self.wave_bytes,
            bytes: self.lane_bytes,
        }
    }
}

/// The slots nobody holds.
#[derive(Debug, Default)]
pub(crate) struct Slots(Mutex<Vec<u32>>);

impl Slots {
    /// All of `n` slots.
    pub fn new(n: u32) -> Slots {
        Slots(Mutex::new((0..n).rev().collect()))
    }

    /// Takes `n` slots, or none.
    pub fn take(&self, n: u32) -> Option<Vec<u32>> {
        let mut free = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let rest = free.len().checked_sub(n as usize)?;
        Some(free.split_off(rest))
    }

    /// Gives slots back.
    pub fn give(&self, slots: &[u32]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(slots);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_interleave_by_dword() {
        let s = Scratch {
            base: 0x1000,
            bytes: 64,
        };
        assert_eq!(s.address(0, 32, 0), 0x1000);
        assert_eq!(s.address(1, 32, 3), 0x1007);
        assert_eq!(s.address(31, 32, 4), 0x1000 + 128 + 124);
        assert_eq!(s.address(63, 64, 8), 0x1000 + 512 + 252);
    }

    #[test]
    fn slots_are_handed_out_once() {
        let s = Slots::new(3);
        let a = s.take(2);
        assert!(s.take(2).is_none());
        assert_eq!(s.take(1).map(|v| v.len()), Some(1));
        s.give(&a.unwrap_or_default());
        assert!(s.take(2).is_some());
    }
}
