//! Global memory as the executor's hot path sees it, and the LDS of a workgroup.
//!
//! Problem: every lane of every load is an address to check. Method: [`Global`] keeps the page table of the moment
//! and the last few mappings it hit, like a TLB; an access of 32 lanes that lies in one of them is checked by one
//! branch-free sweep over its addresses and then runs on plain host pointers.
//!
//! A launch *shields* what no correct kernel writes though a card lets it: the pages of its own decoded code and its
//! kernarg segment. A mapping that holds a shield, or that is the runtime's own, is never remembered as writable, so
//! stores into it take the slow way, where they are checked one by one; all others pay nothing.
//!
//! Concurrency: workgroups run on several host threads and kernels may race. Dwords are accessed as relaxed atomics
//! (plain moves on every host), misaligned dwords and halves as relaxed atomic bytes, read-modify-writes as
//! compare-and-swap loops. What remains outside Rust's model is that two racing kernels may touch the same bytes
//! with different access sizes; hosts define that, and so does the card.

#![allow(unsafe_code)]

use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicU8, Ordering::Relaxed};
use std::sync::Arc;

use crate::driver::{Access, Mapping, Near, PageTable, Vm, VmFault, VmFaultKind, PAGE};
use crate::program::Program;
use crate::wave::{Row, LANES};

/// One address per lane.
pub type Addresses = [u64; LANES];

/// A refused access and the lane of the pass that made it.
pub struct LaneFault {
    /// What was refused.
    pub fault: VmFault,
    /// Lane of the pass, 0..=31.
    pub lane: usize,
}

/// A mapping hit lately.
#[derive(Clone, Copy)]
struct Entry {
    start: u64,
    end: u64,
    host: *mut u8,
    writable: bool,
}

impl Entry {
    const NONE: Entry = Entry {
        start: 0,
        end: 0,
        host: std::ptr::null_mut(),
        writable: false,
    };

    #[inline(always)]
    fn holds(&self, va: u64, len: u64, write: bool) -> bool {
        va >= self.start && va < self.end && self.end - va >= len && (self.writable || !write)
    }

    #[inline(always)]
    fn at(&self, va: u64) -> *mut u8 {
        self.host.wrapping_add(va.wrapping_sub(self.start) as usize)
    }

    /// True when `len` bytes at every active lane's address are inside.
    #[inline(always)]
    fn holds_all(&self, va: &Addresses, exec: u32, len: u64, write: bool) -> bool {
        let Some(room) = (self.end - self.start).checked_sub(len) else {
            return false;
        };
        if write && !self.writable {
            return false;
        }
        let mut bad = 0u32;
        for (l, &a) in va.iter().enumerate() {
            bad |= u32::from(a.wrapping_sub(self.start) > room) << l;
        }
        bad & exec == 0
    }
}

/// Mappings remembered.
const ENTRIES: usize = 4;

/// Addresses a kernel must not write, and why.
#[derive(Clone, Debug)]
struct Shield {
    range: Range<u64>,
    kind: VmFaultKind,
}

/// A view of the GPU's address space for one worker thread.
pub struct Global<'a> {
    vm: &'a Vm,
    /// Atomics that changed memory.
    pub changes: u64,
    shields: Vec<Shield>,
    /// The program the shields are for.
    shielded: Option<Arc<Program>>,
    table: Arc<PageTable>,
    recent: [Entry; ENTRIES],
}

/// The active lanes of a mask in ascending order.
#[inline(always)]
pub fn lanes_of(mut exec: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let l = exec.trailing_zeros();
        (exec != 0).then(|| {
            exec &= exec - 1;
            l as usize
        })
    })
}

impl<'a> Global<'a> {
    /// A view of the mappings as they are now.
    pub fn new(vm: &'a Vm) -> Global<'a> {
        Global {
            vm,
            changes: 0,
            shields: Vec::new(),
            shielded: None,
            table: vm.table(),
            recent: [Entry::NONE; ENTRIES],
        }
    }

    /// Takes notice of mappings made or removed since.
    pub fn refresh(&mut self) {
        if self.table.generation() != self.vm.generation() {
            self.table = self.vm.table();
            self.recent = [Entry::NONE; ENTRIES];
        }
    }

    /// Shields the code of a kernel at `entry`, as far as it is decoded, and its arguments.
    pub(crate) fn shield(&mut self, program: &Arc<Program>, entry: u64, kernarg: &Range<u64>) {
        if self.shielded.as_ref().is_some_and(|p| Arc::ptr_eq(p, program)) {
            return;
        }
        let pages = program.runs().into_iter().map(|(at, len)| {
            let start = entry.wrapping_add(at);
            let end = start.saturating_add(len as u64).next_multiple_of(PAGE);
            (start & !(PAGE - 1)..end, VmFaultKind::Code)
        });
        self.shields.clear();
        for (range, kind) in pages.chain([(kernarg.clone(), VmFaultKind::Kernarg)]) {
            match self.shields.last_mut() {
                Some(last) if last.kind == kind && range.start <= last.range.end => {
                    last.range.end = last.range.end.max(range.end)
                }
                _ => self.shields.push(Shield { range, kind }),
            }
        }
        self.shielded = Some(program.clone());
        self.recent = [Entry::NONE; ENTRIES];
    }

    /// The shield that `len` bytes at `va` touch.
    fn touched(&self, va: u64, len: u64) -> Option<VmFaultKind> {
        let hit = |s: &&Shield| va < s.range.end && va.saturating_add(len) > s.range.start;
        self.shields.iter().find(hit).map(|s| s.kind)
    }

    /// Whether stores anywhere in a mapping need no second look.
    fn open(&self, m: &Mapping) -> bool {
        m.flags.writable && !m.guarded && self.touched(m.va, m.len).is_none()
    }

    /// Moves the mapping that holds `va` to the front, if there is one.
    #[inline]
    fn recall(&mut self, va: u64) {
        if self.recent[0].holds(va, 1, false) {
            return;
        }
        for k in 1..ENTRIES {
            if self.recent[k].holds(va, 1, false) {
                self.recent[..=k].rotate_right(1);
                return;
            }
        }
        if let Some(m) = self.table.find(va) {
            let entry = Entry {
                start: m.va,
                end: m.va + m.len,
                host: m.host(),
                writable: self.open(m),
            };
            self.recent.rotate_right(1);
            self.recent[0] = entry;
        }
    }

    /// Host address of `len` bytes at `va`; valid while the [`Vm`] lives.
    #[inline(always)]
    fn host(&mut self, va: u64, len: u64, access: Access) -> Result<*mut u8, VmFault> {
        let write = access != Access::Read;
        if self.recent[0].holds(va, len, write) {
            return Ok(self.recent[0].at(va));
        }
        self.miss(va, len, access)
    }

    #[cold]
    fn miss(&mut self, va: u64, len: u64, access: Access) -> Result<*mut u8, VmFault> {
        let range = self.table.resolve(va, len, access).map_err(|f| self.vm.explain(f))?;
        if access != Access::Read {
            let guarded = || self.table.find(va).filter(|m| m.guarded).map(|_| VmFaultKind::Runtime);
            if let Some(kind) = self.touched(va, len).or_else(guarded) {
                let nearest = Near::Unknown;
                return Err(self.vm.explain(VmFault {
                    va,
                    len,
                    access,
                    kind,
                    nearest,
                }));
            }
        }
        self.recall(va);
        Ok(range.as_ptr())
    }

    /// The mapping all active lanes' accesses of `len` bytes lie in, if there is one.
    #[inline(always)]
    fn window(&mut self, va: &Addresses, exec: u32, len: u64, write: bool) -> Option<Entry> {
        if self.recent[0].holds_all(va, exec, len, write) {
            return Some(self.recent[0]);
        }
        self.recall(va[exec.trailing_zeros() as usize % LANES]);
        self.recent[0].holds_all(va, exec, len, write).then_some(self.recent[0])
    }

    /// Loads `N` dwords per active lane into `N` rows.
    #[inline(always)]
    pub fn load<const N: usize>(&mut self, va: &Addresses, exec: u32, rows: &mut [Row; N]) -> Result<(), LaneFault> {
        let Some(m) = self.window(va, exec, 4 * N as u64, false) else {
            return self.load_apart(va, exec, rows);
        };
        if exec == u32::MAX && m.host as usize % 4 == 0 && va.iter().fold(m.start, |a, v| a | v) % 4 == 0 {
            for (l, &a) in va.iter().enumerate() {
                let p = m.at(a);
                for (k, row) in rows.iter_mut().enumerate() {
                    // SAFETY: `window` vouches for 4 * N bytes from `p`; host and GPU addresses are multiples of 4.
                    row[l] = unsafe { AtomicU32::from_ptr(p.wrapping_add(4 * k).cast()) }.load(Relaxed);
                }
            }
            return Ok(());
        }
        for l in lanes_of(exec) {
            let p = m.at(va[l]);
            for (k, row) in rows.iter_mut().enumerate() {
                // SAFETY: `window` vouches for 4 * N bytes from `p`, mapped while the Vm lives.
                row[l] = unsafe { read32(p.wrapping_add(4 * k)) };
            }
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn load_apart<const N: usize>(&mut self, va: &Addresses, exec: u32, rows: &mut [Row; N]) -> Result<(), LaneFault> {
        for l in lanes_of(exec) {
            let mut words = [0; N];
            self.read(va[l], &mut words)
                .map_err(|fault| LaneFault { fault, lane: l })?;
            for (row, w) in rows.iter_mut().zip(words) {
                row[l] = w;
            }
        }
        Ok(())
    }

    /// Stores `N` dwords per active lane, in ascending order of lanes.
    #[inline(always)]
    pub fn store<const N: usize>(&mut self, va: &Addresses, exec: u32, rows: &[Row; N]) -> Result<(), LaneFault> {
        let Some(m) = self.window(va, exec, 4 * N as u64, true) else {
            return self.store_apart(va, exec, rows);
        };
        if exec == u32::MAX && m.host as usize % 4 == 0 && va.iter().fold(m.start, |a, v| a | v) % 4 == 0 {
            for (l, &a) in va.iter().enumerate() {
                let p = m.at(a);
                for (k, row) in rows.iter().enumerate() {
                    // SAFETY: `window` vouches for 4 * N writable bytes from `p`; both addresses are multiples of 4.
                    unsafe { AtomicU32::from_ptr(p.wrapping_add(4 * k).cast()) }.store(row[l], Relaxed);
                }
            }
            return Ok(());
        }
        for l in lanes_of(exec) {
            let p = m.at(va[l]);
            for (k, row) in rows.iter().enumerate() {
                // SAFETY: `window` vouches for 4 * N writable bytes from `p`.
                unsafe { write32(p.wrapping_add(4 * k), row[l]) };
            }
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn store_apart<const N: usize>(&mut self, va: &Addresses, exec: u32, rows: &[Row; N]) -> Result<(), LaneFault> {
        for l in lanes_of(exec) {
            let words: [u32; N] = std::array::from_fn(|k| rows[k][l]);
            self.write(va[l], &words)
                .map_err(|fault| LaneFault { fault, lane: l })?;
        }
        Ok(())
    }

    /// Loads 32 runs of `N` dwords that follow each other; false, doing nothing, unless they are aligned and lie in
    /// the mapping hit last or one hit lately.
    #[inline(always)]
    pub fn load_run<const N: usize>(&mut self, va: u64, rows: &mut [Row; N]) -> bool {
        let Some(p) = self.run(va, N, false) else { return false };
        for l in 0..LANES {
            for (k, row) in rows.iter_mut().enumerate() {
                // SAFETY: `run` vouches for 32 * N aligned dwords from `p`.
                row[l] = unsafe { AtomicU32::from_ptr(p.wrapping_add(4 * (l * N + k)).cast()) }.load(Relaxed);
            }
        }
        true
    }

    /// The same for stores.
    #[inline(always)]
    pub fn store_run<const N: usize>(&mut self, va: u64, rows: &[Row; N]) -> bool {
        let Some(p) = self.run(va, N, true) else { return false };
        for l in 0..LANES {
            for (k, row) in rows.iter().enumerate() {
                // SAFETY: `run` vouches for 32 * N aligned, writable dwords from `p`.
                unsafe { AtomicU32::from_ptr(p.wrapping_add(4 * (l * N + k)).cast()) }.store(row[l], Relaxed);
            }
        }
        true
    }

    /// Host address of 32 * `n` dwords at an aligned `va`.
    #[inline(always)]
    fn run(&mut self, va: u64, n: usize, write: bool) -> Option<*mut u8> {
        let len = (4 * LANES * n) as u64;
        if !self.recent[0].holds(va, len, write) {
            self.recall(va);
            if !self.recent[0].holds(va, len, write) {
                return None;
            }
        }
        let p = self.recent[0].at(va);
        (p as usize % 4 == 0).then_some(p)
    }

    /// Loads one dword per active lane from 32 consecutive ones.
    pub fn load_row(&mut self, va: u64, exec: u32, row: &mut Row) -> Result<(), VmFault> {
        let p = self.host(va, 4 * LANES as u64, Access::Read)?;
        for l in lanes_of(exec) {
            // SAFETY: `host` vouches for 32 dwords from `p`.
            row[l] = unsafe { read32(p.wrapping_add(4 * l)) };
        }
        Ok(())
    }

    /// Stores one dword per active lane to 32 consecutive ones.
    pub fn store_row(&mut self, va: u64, exec: u32, row: &Row) -> Result<(), VmFault> {
        let p = self.host(va, 4 * LANES as u64, Access::Write)?;
        for l in lanes_of(exec) {
            // SAFETY: `host` vouches for 32 writable dwords from `p`.
            unsafe { write32(p.wrapping_add(4 * l), row[l]) };
        }
        Ok(())
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

    /// Fills `len` bytes, a multiple of 4, with a dword.
    pub fn fill(&mut self, va: u64, len: u64, dword: u32) -> Result<(), VmFault> {
        let p = self.host(va, len, Access::Write)?;
        for k in (0..len as usize).step_by(4) {
            // SAFETY: `host` vouches for `len` writable bytes from `p`.
            unsafe { write32(p.wrapping_add(k), dword) };
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
        self.changes += u64::from(f(old) != old);
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
        self.changes += u64::from(f(old) != old);
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

/// The bit of every lane in a mask.
const BIT: Row = {
    let mut bits = [0; LANES];
    let mut l = 0;
    while l < LANES {
        bits[l] = 1 << l;
        l += 1;
    }
    bits
};

/// The local data share of one workgroup. Loads outside of the allocation read zero, stores there are dropped
/// (RDNA3 manual 12.2); [`Lds::holds`] tells, so that the access can be reported.
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

    /// Bytes of the allocation.
    pub fn size(&self) -> u32 {
        self.bytes.len() as u32
    }

    /// Reads `N` bytes, or zeros when they are not all inside.
    #[inline(always)]
    pub fn get<const N: usize>(&self, at: u64) -> [u8; N] {
        let at = at as usize;
        let mut out = [0; N];
        if let Some(s) = self.bytes.get(at..at + N) {
            out.copy_from_slice(s);
        }
        out
    }

    /// Writes `N` bytes, or nothing when they are not all inside.
    #[inline(always)]
    pub fn set<const N: usize>(&mut self, at: u64, v: [u8; N]) {
        let at = at as usize;
        if let Some(s) = self.bytes.get_mut(at..at + N) {
            s.copy_from_slice(&v);
        }
    }

    /// True when `len` bytes at every active lane's address are inside.
    #[inline(always)]
    fn holds_all(&self, addr: &Row, exec: u32, len: usize) -> bool {
        let last = self.bytes.len().checked_sub(len);
        let Some(last) = last.and_then(|last| i32::try_from(last).ok()) else {
            return false;
        };
        // The last good start is below 2^31: an address past it has bit 31 set, or the difference has. No compare of
        // unsigned numbers, which hosts without AVX2 have to put together.
        let over = |a: u32| a | (last as u32).wrapping_sub(a);
        let mut bad = 0;
        if exec == u32::MAX {
            for &a in addr {
                bad |= over(a);
            }
        } else {
            for (l, &a) in addr.iter().enumerate() {
                bad |= if exec & BIT[l] != 0 { over(a) } else { 0 };
            }
        }
        bad >> 31 == 0
    }

    /// Loads `N` dwords per active lane into `N` rows; false, doing nothing, unless all are inside.
    #[inline(always)]
    pub fn load<const N: usize>(&self, addr: &Row, exec: u32, rows: &mut [Row; N]) -> bool {
        if !self.holds_all(addr, exec, 4 * N) {
            return false;
        }
        let start = self.bytes.as_ptr();
        let mut lane = |l: usize| {
            // SAFETY: `holds_all` vouches for 4 * N bytes at every active lane's address; bytes need no alignment.
            let item: [[u8; 4]; N] = unsafe { start.add(addr[l] as usize).cast::<[[u8; 4]; N]>().read() };
            for (row, dword) in rows.iter_mut().zip(item) {
                row[l] = u32::from_le_bytes(dword);
            }
        };
        if exec == u32::MAX {
            (0..LANES).for_each(lane);
        } else {
            lanes_of(exec).for_each(&mut lane);
        }
        true
    }

    /// Stores `N` dwords per active lane, in ascending order of lanes; false, doing nothing, unless all are inside.
    #[inline(always)]
    pub fn store<const N: usize>(&mut self, addr: &Row, exec: u32, rows: &[Row; N]) -> bool {
        if !self.holds_all(addr, exec, 4 * N) {
            return false;
        }
        let start = self.bytes.as_mut_ptr();
        let lane = |l: usize| {
            let mut item = [[0; 4]; N];
            for (dword, row) in item.iter_mut().zip(rows) {
                *dword = row[l].to_le_bytes();
            }
            // SAFETY: as in `load`.
            unsafe { start.add(addr[l] as usize).cast::<[[u8; 4]; N]>().write(item) };
        };
        if exec == u32::MAX {
            (0..LANES).for_each(lane);
        } else {
            lanes_of(exec).for_each(lane);
        }
        true
    }

    /// Loads 1 or 2 bytes per active lane, others give 0; `None` unless all are inside.
    #[inline(always)]
    pub fn load_small(&self, addr: &Row, exec: u32, bytes: u32) -> Option<Row> {
        if !self.holds_all(addr, exec, bytes as usize) {
            return None;
        }
        let start = self.bytes.as_ptr();
        let mut out = [0; LANES];
        for l in lanes_of(exec) {
            let p = start.wrapping_add(addr[l] as usize);
            // SAFETY: `holds_all` vouches for `bytes` bytes at every active lane's address; bytes need no alignment.
            out[l] = unsafe {
                match bytes {
                    1 => p.read().into(),
                    _ => u16::from_le_bytes(p.cast::<[u8; 2]>().read()).into(),
                }
            };
        }
        Some(out)
    }

    /// Stores the low 1 or 2 bytes of `row`, in ascending order of lanes; false, doing nothing, unless all are inside.
    #[inline(always)]
    pub fn store_small(&mut self, addr: &Row, exec: u32, bytes: u32, row: &Row) -> bool {
        if !self.holds_all(addr, exec, bytes as usize) {
            return false;
        }
        let start = self.bytes.as_mut_ptr();
        for l in lanes_of(exec) {
            let p = start.wrapping_add(addr[l] as usize);
            // SAFETY: as in `load_small`.
            unsafe {
                match bytes {
                    1 => p.write(row[l] as u8),
                    _ => p.cast::<[u8; 2]>().write((row[l] as u16).to_le_bytes()),
                }
            }
        }
        true
    }

    /// Loads 32 runs of `N` dwords that follow each other; false, doing nothing, unless all are inside.
    #[inline(always)]
    pub fn load_run<const N: usize>(&self, at: u64, rows: &mut [Row; N]) -> bool {
        let Some(s) = self.bytes.get(at as usize..).and_then(|s| s.get(..4 * N * LANES)) else {
            return false;
        };
        if N == 1 {
            // Through a row of its own, so that the compiler sees that source and destination do not overlap.
            let mut row = [0; LANES];
            for (x, d) in row.iter_mut().zip(s.chunks_exact(4)) {
                *x = u32::from_le_bytes([d[0], d[1], d[2], d[3]]);
            }
            rows[0] = row;
            return true;
        }
        for (l, item) in s.chunks_exact(4 * N).enumerate() {
            for (k, row) in rows.iter_mut().enumerate() {
                let mut dword = [0; 4];
                dword.copy_from_slice(&item[4 * k..4 * k + 4]);
                row[l] = u32::from_le_bytes(dword);
            }
        }
        true
    }

    /// The same for stores.
    #[inline(always)]
    pub fn store_run<const N: usize>(&mut self, at: u64, rows: &[Row; N]) -> bool {
        let Some(s) = self
            .bytes
            .get_mut(at as usize..)
            .and_then(|s| s.get_mut(..4 * N * LANES))
        else {
            return false;
        };
        if N == 1 {
            let row = rows[0];
            for (d, x) in s.chunks_exact_mut(4).zip(row) {
                d.copy_from_slice(&x.to_le_bytes());
            }
            return true;
        }
        for (l, item) in s.chunks_exact_mut(4 * N).enumerate() {
            for (k, row) in rows.iter().enumerate() {
                item[4 * k..4 * k + 4].copy_from_slice(&row[l].to_le_bytes());
            }
        }
        true
    }

    /// True when `n` bytes at `at` are inside.
    #[inline(always)]
    pub fn holds(&self, at: u64, n: u64) -> bool {
        at + n <= self.bytes.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_check_of_all_lanes_says_what_single_checks_say() {
        let mut x = 1u64;
        let mut next = || {
            x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (x >> 32) as u32
        };
        let edges = [0, 1, 0x7fff_fff0, 0x8000_0000, 0x8000_0010, 0xffff_fff0, u32::MAX];
        let mut seen = [0; 2];
        for size in [0, 3, 4, 15, 16, 255, 256, 65536] {
            let lds = Lds::new(size);
            for len in [1, 2, 4, 8, 12, 16] {
                for round in 0..200 {
                    let mut addr: Row = [(); LANES].map(|()| next() % (size + 1).saturating_sub(len).max(1));
                    for _ in 0..round % 3 {
                        let near = (size + 8).wrapping_sub(len + next() % 16);
                        let odd = [edges[next() as usize % edges.len()], near][next() as usize % 2];
                        addr[next() as usize % LANES] = odd;
                    }
                    let exec = [u32::MAX, next(), 1 << (next() % 32), 0][round % 4];
                    let want = lanes_of(exec).all(|l| lds.holds(addr[l].into(), len.into()));
                    // Without active lanes either answer leaves nothing to do.
                    if exec != 0 {
                        assert_eq!(
                            lds.holds_all(&addr, exec, len as usize),
                            want,
                            "{size} {len} {exec:x} {addr:x?}"
                        );
                        seen[usize::from(want)] += 1;
                    }
                }
            }
        }
        assert!(seen.iter().all(|&n| n > 1000), "{seen:?}");
    }
}
