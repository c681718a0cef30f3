//! Global memory as the executor's hot path sees it, and the LDS of a workgroup.
//!
//! Problem: every lane of every load is an address to check. Method: [`Global`] keeps the page table of the moment
//! and the last mapping it hit, like a TLB with one entry; an access inside it costs two comparisons.
//!
//! Concurrency: workgroups run on several host threads and kernels may race. Dwords are accessed as relaxed atomics
//! (plain moves on every host), misaligned dwords and halves as relaxed atomic bytes, read-modify-writes as
//! compare-and-swap loops. What remains outside Rust's model is that two racing kernels may touch the same bytes
//! with different access sizes; hosts define that, and so does the card.

#![allow(unsafe_code)]

use std::sync::atomic::{AtomicU32, AtomicU64, AtomicU8, Ordering::Relaxed};
use std::sync::Arc;

use crate::driver::{Access, PageTable, Vm, VmFault};

/// A view of the GPU's address space for one worker thread.
pub struct Global<'a> {
    vm: &'a Vm,
    table: Arc<PageTable>,
    start: u64,
    end: u64,
    host: *mut u8,
    writable: bool,
}

impl<'a> Global<'a> {
    /// A view of the mappings as they are now.
    pub fn new(vm: &'a Vm) -> Global<'a> {
        Global {
            vm,
            table: vm.table(),
            start: 0,
            end: 0,
            host: std::ptr::null_mut(),
            writable: false,
        }
    }

    /// Takes notice of mappings made or removed since.
    pub fn refresh(&mut self) {
        if self.table.generation() != self.vm.generation() {
            self.table = self.vm.table();
            (self.start, self.end) = (0, 0);
        }
    }

    /// Host address of `len` bytes at `va`; valid while the [`Vm`] lives.
    #[inline(always)]
    fn host(&mut self, va: u64, len: u64, access: Access) -> Result<*mut u8, VmFault> {
        let inside = va >= self.start && va < self.end && self.end - va >= len;
        if inside && (self.writable || access == Access::Read) {
            return Ok(self.host.wrapping_add((va - self.start) as usize));
        }
        self.miss(va, len, access)
    }

    #[cold]
    fn miss(&mut self, va: u64, len: u64, access: Access) -> Result<*mut u8, VmFault> {
        let range = self.table.resolve(va, len, access).map_err(|f| self.vm.explain(f))?;
        if let Some(m) = self.table.find(va) {
            (self.start, self.end, self.host, self.writable) = (m.va, m.va + m.len, m.host(), m.flags.writable);
        }
        Ok(range.as_ptr())
    }

    /// Reads `out.len()` dwords.
    #[inline(always)]
    pub fn read(&mut self, va: u64, out: &mut [u32]) -> Result<(), VmFault> {
        let p = self.host(va, 4 * out.len() as u64, Access::Read)?;
        for (k, o) in out.iter_mut().enumerate() {
            // SAFETY: `host` vouches for `4 * out.len()` bytes from `p`, mapped while the Vm lives.
            *o = unsafe { read32(p.wrapping_add(4 * k)) };
        }
        Ok(())
    }

    /// Writes dwords.
    #[inline(always)]
    pub fn write(&mut self, va: u64, data: &[u32]) -> Result<(), VmFault> {
        let p = self.host(va, 4 * data.len() as u64, Access::Write)?;
        for (k, &d) in data.iter().enumerate() {
            // SAFETY: `host` vouches for `4 * data.len()` writable bytes from `p`.
            unsafe { write32(p.wrapping_add(4 * k), d) };
        }
        Ok(())
    }

    /// Reads 1 or 2 bytes, little endian.
    #[inline(always)]
    pub fn read_small(&mut self, va: u64, bytes: u32) -> Result<u32, VmFault> {
        let p = self.host(va, u64::from(bytes), Access::Read)?;
        let mut v = 0;
        for k in 0..bytes as usize {
            // SAFETY: `host` vouches for `bytes` bytes from `p`; a byte is always aligned.
            v |= u32::from(unsafe { AtomicU8::from_ptr(p.wrapping_add(k)) }.load(Relaxed)) << (8 * k);
        }
        Ok(v)
    }

    /// Writes the low 1 or 2 bytes of `v`, little endian.
    #[inline(always)]
    pub fn write_small(&mut self, va: u64, bytes: u32, v: u32) -> Result<(), VmFault> {
        let p = self.host(va, u64::from(bytes), Access::Write)?;
        for k in 0..bytes as usize {
            // SAFETY: `host` vouches for `bytes` writable bytes from `p`; a byte is always aligned.
            unsafe { AtomicU8::from_ptr(p.wrapping_add(k)) }.store((v >> (8 * k)) as u8, Relaxed);
        }
        Ok(())
    }

    /// Atomic read-modify-write of a dword; the address is a multiple of 4. Returns the old value.
    pub fn rmw32(&mut self, va: u64, f: impl Fn(u32) -> u32) -> Result<u32, VmFault> {
        debug_assert_eq!(va % 4, 0);
        let p = self.host(va, 4, Access::Atomic)?;
        // SAFETY: `host` vouches for 4 writable bytes; mappings are page aligned on both sides, so `p` is aligned.
        let cell = unsafe { AtomicU32::from_ptr(p.cast()) };
        let mut old = cell.load(Relaxed);
        while let Err(now) = cell.compare_exchange_weak(old, f(old), Relaxed, Relaxed) {
            old = now;
        }
        Ok(old)
    }

    /// Atomic read-modify-write of a quadword; the address is a multiple of 8. Returns the old value.
    pub fn rmw64(&mut self, va: u64, f: impl Fn(u64) -> u64) -> Result<u64, VmFault> {
        debug_assert_eq!(va % 8, 0);
        let p = self.host(va, 8, Access::Atomic)?;
        // SAFETY: as `rmw32`, with 8 bytes.
        let cell = unsafe { AtomicU64::from_ptr(p.cast()) };
        let mut old = cell.load(Relaxed);
        while let Err(now) = cell.compare_exchange_weak(old, f(old), Relaxed, Relaxed) {
            old = now;
        }
        Ok(old)
    }

    /// Copies up to `max` executable bytes (whole dwords) from `va`, to the end of the mapping.
    pub fn code(&self, va: u64, max: usize) -> Result<Vec<u8>, VmFault> {
        let range = self
            .table
            .resolve(va, 4, Access::Execute)
            .map_err(|f| self.vm.explain(f))?;
        let len = range.available().min(max as u64) as usize;
        let p = range.as_ptr();
        let mut out = Vec::with_capacity(len);
        for k in (0..len & !3).step_by(4) {
            // SAFETY: `range` covers `len` bytes from `p`.
            out.extend(unsafe { read32(p.wrapping_add(k)) }.to_le_bytes());
        }
        Ok(out)
    }
}

/// # Safety
/// `p` points to 4 readable bytes.
#[inline(always)]
unsafe fn read32(p: *mut u8) -> u32 {
    if p as usize % 4 == 0 {
        // SAFETY: readable by the caller's promise, aligned by the line above.
        return unsafe { AtomicU32::from_ptr(p.cast()) }.load(Relaxed);
    }
    // SAFETY: readable by the caller's promise; a byte is always aligned.
    u32::from_le_bytes([0, 1, 2, 3].map(|k| unsafe { AtomicU8::from_ptr(p.wrapping_add(k)) }.load(Relaxed)))
}

/// # Safety
/// `p` points to 4 writable bytes.
#[inline(always)]
unsafe fn write32(p: *mut u8, v: u32) {
    if p as usize % 4 == 0 {
        // SAFETY: writable by the caller's promise, aligned by the line above.
        return unsafe { AtomicU32::from_ptr(p.cast()) }.store(v, Relaxed);
    }
    for (k, b) in v.to_le_bytes().into_iter().enumerate() {
        // SAFETY: writable by the caller's promise; a byte is always aligned.
        unsafe { AtomicU8::from_ptr(p.wrapping_add(k)) }.store(b, Relaxed);
    }
}

/// The local data share of one workgroup. Loads outside of the allocation read zero, stores there are dropped
/// (RDNA3 manual 12.2); an access that straddles the end counts as outside.
#[derive(Clone, Debug)]
pub struct Lds {
    bytes: Vec<u8>,
}

impl Lds {
    /// `size` bytes of poison: LDS is not cleared between workgroups.
    pub fn new(size: u32) -> Lds {
        let poison = crate::wave::POISON.to_le_bytes();
        Lds {
            bytes: (0..size as usize).map(|i| poison[i % 4]).collect(),
        }
    }

    /// LDS with the given contents.
    pub fn from_bytes(bytes: Vec<u8>) -> Lds {
        Lds { bytes }
    }

    /// The contents.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Reads `N` bytes, or zeros outside.
    #[inline(always)]
    pub fn get<const N: usize>(&self, at: u32) -> [u8; N] {
        let at = at as usize;
        let mut out = [0; N];
        if let Some(s) = self.bytes.get(at..at + N) {
            out.copy_from_slice(s);
        }
        out
    }

    /// Writes `N` bytes, or nothing outside.
    #[inline(always)]
    pub fn set<const N: usize>(&mut self, at: u32, v: [u8; N]) {
        let at = at as usize;
        if let Some(s) = self.bytes.get_mut(at..at + N) {
            s.copy_from_slice(&v);
        }
    }

    /// True when `n` bytes at `at` are inside.
    #[inline(always)]
    pub fn holds(&self, at: u32, n: u32) -> bool {
        at as usize + n as usize <= self.bytes.len()
    }
}
