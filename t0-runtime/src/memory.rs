//! GPU memory: allocation, and the only place where host code touches it through raw addresses.
//!
//! Problem: rings, signals, kernel arguments and buffers are memory that two processors use at once, at one address.
//! Method: a [`GpuMem`] owns address range, buffer and mapping; reads and writes are bounds-checked copies, words that
//! GPU and host share while both run are atomics.
//!
//! Invariants: the mapping lives as long as the [`GpuMem`]; addresses are given back only after the GPU's page tables
//! have let go of them, so neither side can reach somebody else's memory through a stale address.
//!
//! Source of flags and order: libhsakmt and tinygrad traces of the KFD interface (ALLOC → MAP → mmap; unmap in reverse).

#![allow(unsafe_code)]

use std::sync::atomic::{fence, AtomicI64, AtomicU32, AtomicU64, Ordering};
use std::sync::Arc;

use t0_kfd::{uapi, Doorbells, Kfd, KfdError, Node, VaRange};

/// The driver and the GPU all memory of a device belongs to.
pub(crate) struct Driver {
    pub kfd: Arc<dyn Kfd>,
    pub node: Node,
}

impl Driver {
    pub fn gpu_id(&self) -> u32 {
        self.node.gpu_id
    }
}

/// What memory is for; decides where it lies and who may do what with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Data in video memory, visible to the host.
    Vram,
    /// Video memory the host never touches (scratch, save areas).
    Hidden,
    /// Kernel code in video memory.
    Code,
    /// System memory, coherent and uncached: rings, signals, events.
    Gtt,
    /// System memory for kernel arguments.
    Kernarg,
}

impl Kind {
    fn flags(self) -> u32 {
        use uapi::*;
        match self {
            Kind::Vram => ALLOC_VRAM | ALLOC_WRITABLE | ALLOC_PUBLIC | ALLOC_NO_SUBSTITUTE,
            Kind::Hidden => ALLOC_VRAM | ALLOC_WRITABLE | ALLOC_EXECUTABLE | ALLOC_NO_SUBSTITUTE,
            Kind::Code => ALLOC_VRAM | ALLOC_WRITABLE | ALLOC_EXECUTABLE | ALLOC_PUBLIC | ALLOC_NO_SUBSTITUTE,
            // Executable although nothing is executed here: what ROCr and tinygrad ask for, and what is known to run.
            Kind::Gtt | Kind::Kernarg => {
                ALLOC_GTT | ALLOC_WRITABLE | ALLOC_EXECUTABLE | ALLOC_NO_SUBSTITUTE | ALLOC_COHERENT | ALLOC_UNCACHED
            }
        }
    }

    fn host_visible(self) -> bool {
        self != Kind::Hidden
    }

    fn write_combined(self) -> bool {
        matches!(self, Kind::Vram | Kind::Code)
    }
}

/// A buffer of the driver, mapped for GPU and (unless hidden) host at one address. Freed on drop.
pub(crate) struct GpuMem {
    driver: Arc<Driver>,
    range: VaRange,
    handle: u64,
    mapped: bool,
    /// The kernel keeps it until the process ends (the event page).
    pinned: bool,
    kind: Kind,
}

impl std::fmt::Debug for GpuMem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "GpuMem({:?}, {:#x}+{:#x})", self.kind, self.va(), self.len())
    }
}

const HUGE_PAGE: u64 = 2 << 20;

impl GpuMem {
    /// At least `len` bytes (whole pages, at least one). `name` is what fault messages call it.
    pub fn new(driver: &Arc<Driver>, len: u64, kind: Kind, name: &str) -> Result<Self, KfdError> {
        let align = if len >= HUGE_PAGE { HUGE_PAGE } else { t0_kfd::va::PAGE };
        let range = VaRange::reserve(len, align)?;
        let kfd = &driver.kfd;
        let a = kfd.alloc_memory(driver.gpu_id(), &range, kind.flags())?;
        // From here on drop undoes what was done.
        let mut mem = GpuMem {
            driver: driver.clone(),
            range,
            handle: a.handle,
            mapped: false,
            pinned: false,
            kind,
        };
        let success = kfd.map_memory(a.handle, &[driver.gpu_id()])?;
        if success != 1 {
            return Err(KfdError::Partial {
                call: "MAP_MEMORY_TO_GPU",
                success,
                wanted: 1,
            });
        }
        mem.mapped = true;
        if kind.host_visible() {
            kfd.mmap_memory(driver.gpu_id(), &mem.range, a.mmap_offset)?;
        }
        kfd.name_memory(mem.va(), len, name);
        Ok(mem)
    }

    /// First address, for host and GPU.
    pub fn va(&self) -> u64 {
        self.range.va()
    }

    /// Bytes.
    pub fn len(&self) -> u64 {
        self.range.len()
    }

    /// What it is for.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Number of the buffer, for CREATE_EVENT.
    pub fn handle(&self) -> u64 {
        self.handle
    }

    /// The kernel took the buffer over: it is never freed.
    pub fn pin(&mut self) {
        self.pinned = true;
    }

    /// Renames the first `len` bytes for fault messages.
    pub fn rename(&self, len: u64, name: &str) {
        self.driver.kfd.name_memory(self.va(), len, name);
    }

    /// Tells the driver that kernels have no business writing here.
    pub fn guard(&self) {
        self.driver.kfd.guard_memory(self.va());
    }

    /// Tells the driver that nobody has written these bytes, whatever they hold.
    pub fn unwritten(&self, offset: u64, len: u64) {
        self.driver.kfd.memory_unwritten(self.va() + offset, len);
    }

    /// Which of the first `len` bytes have been written, as far as the driver knows.
    pub fn written_bytes(&self, len: u64) -> Vec<bool> {
        self.driver.kfd.written_bytes(self.va(), len)
    }

    fn at(&self, offset: u64, len: u64) -> *mut u8 {
        let end = offset.checked_add(len);
        assert!(
            self.kind.host_visible() && end.is_some_and(|e| e <= self.len()),
            "{self:?}: {offset:#x}+{len:#x}"
        );
        (self.va() + offset) as *mut u8
    }

    /// Copies bytes in. The caller makes sure the GPU does not use them at the same time.
    pub fn write(&self, offset: u64, bytes: &[u8]) {
        let p = self.at(offset, bytes.len() as u64);
        // SAFETY: `at` checked that the range lies in this mapping, which nothing in the host has a reference into.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), p, bytes.len()) };
        self.written(offset, bytes.len() as u64);
        self.flush(offset, bytes.len() as u64);
    }

    /// Sets bytes. The caller makes sure the GPU does not use them at the same time.
    pub fn fill(&self, offset: u64, len: u64, byte: u8) {
        let p = self.at(offset, len);
        // SAFETY: as in `write`.
        unsafe { std::ptr::write_bytes(p, byte, len as usize) };
        self.written(offset, len);
        self.flush(offset, len);
    }

    fn written(&self, offset: u64, len: u64) {
        if self.kind == Kind::Vram {
            self.driver.kfd.memory_written(self.va() + offset, len);
        }
    }

    /// Video memory is write-combined behind the PCIe bus: drain the processor's buffers, then read one byte back so
    /// that the host data path has delivered everything before a doorbell can overtake it.
    ///
    /// UNVERIFIED(hw): that reading back is enough without the HDP flush register.
    fn flush(&self, offset: u64, len: u64) {
        if len == 0 || !self.kind.write_combined() {
            return;
        }
        fence(Ordering::SeqCst);
        #[cfg(target_arch = "x86_64")]
        // SAFETY: `sfence` has no operands and is part of the x86-64 baseline.
        unsafe {
            std::arch::x86_64::_mm_sfence()
        };
        let p = self.at(offset + len - 1, 1);
        // SAFETY: `at` checked the byte.
        unsafe { p.read_volatile() };
    }

    /// Copies bytes out. The caller makes sure the GPU does not write them at the same time.
    pub fn read(&self, offset: u64, out: &mut [u8]) {
        let p = self.at(offset, out.len() as u64);
        // SAFETY: `at` checked that the range lies in this mapping; `out` cannot overlap it.
        unsafe { std::ptr::copy_nonoverlapping(p, out.as_mut_ptr(), out.len()) };
    }

    /// A 32-bit word shared with the GPU.
    pub fn atomic_u32(&self, offset: u64) -> &AtomicU32 {
        let p = self.at(offset, 4);
        assert_eq!(offset % 4, 0);
        // SAFETY: mapped, aligned (the mapping is page-aligned), lives as long as `self`; all host accesses of words
        // used so go through atomics.
        unsafe { AtomicU32::from_ptr(p.cast()) }
    }

    /// A 64-bit word shared with the GPU.
    pub fn atomic_u64(&self, offset: u64) -> &AtomicU64 {
        let p = self.at(offset, 8);
        assert_eq!(offset % 8, 0);
        // SAFETY: as in `atomic_u32`.
        unsafe { AtomicU64::from_ptr(p.cast()) }
    }

    /// A signed 64-bit word shared with the GPU.
    pub fn atomic_i64(&self, offset: u64) -> &AtomicI64 {
        let p = self.at(offset, 8);
        assert_eq!(offset % 8, 0);
        // SAFETY: as in `atomic_u32`.
        unsafe { AtomicI64::from_ptr(p.cast()) }
    }
}

impl Drop for GpuMem {
    fn drop(&mut self) {
        if self.pinned {
            return;
        }
        // Host mapping, then GPU mapping, then buffer; the addresses stay reserved until `range` drops. There is nobody
        // to report a refusal to: the driver frees the rest when the process ends.
        self.range.clear();
        let kfd = &self.driver.kfd;
        if self.mapped {
            let _ = kfd.unmap_memory(self.handle, &[self.driver.gpu_id()]);
        }
        let _ = kfd.free_memory(self.handle);
    }
}

/// Rings doorbell `offset` (bytes into the page) with the index of the last packet.
///
/// The release store orders everything written before it; on x86-64 uncached stores drain write-combining buffers.
pub(crate) fn ring(doorbells: &Doorbells, offset: u64, index: u64) {
    assert!(offset % 8 == 0 && offset < uapi::DOORBELL_BYTES);
    let p = (doorbells.va() + offset) as *mut u64;
    // SAFETY: inside the mapped doorbell page, aligned; the page lives as long as `doorbells`.
    unsafe { AtomicU64::from_ptr(p) }.store(index, Ordering::Release);
}
