//! Host memory behind the simulated VRAM and system memory.
//!
//! Problem: a buffer has two views, the client's mapping at its GPU address and the GPU's own, and the second must
//! outlive the first (a client may unmap or free while a kernel runs). Method: one sparse anonymous file; the client
//! maps pieces of it where it likes, the simulator maps all of it once and for good.
//!
//! Invariant: the simulator's view stays mapped, readable and writable for the life of the [`Arena`], so a host
//! pointer into it never dangles; at worst it shows memory that was given back.

#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::sync::Mutex;

/// Size of a page of host and GPU, in bytes.
pub const PAGE: u64 = 4096;
/// Value of every byte of fresh VRAM: memory nobody wrote must not look like zero.
pub(crate) const POISON: u8 = 0xa5;

/// The sparse file and the simulator's view of it.
pub struct Arena {
    file: OwnedFd,
    view: *mut u8,
    size: u64,
    free: Mutex<BTreeMap<u64, u64>>,
}

// SAFETY: `view` is a mapping owned by this value for its whole life; the pointer itself is never changed.
unsafe impl Send for Arena {}
// SAFETY: as above; `free` is behind a mutex, memory behind `view` is accessed through raw pointers by the callers.
unsafe impl Sync for Arena {}

/// Why host memory for the simulated card could not be had.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ArenaError {
    /// A system call failed.
    #[error("cannot reserve {size} bytes of address space for the simulated card: {call} failed with errno {errno}; raise `ulimit -v` or allow memfd_create")]
    Os {
        /// The call.
        call: &'static str,
        /// Its errno.
        errno: i32,
        /// Bytes asked for.
        size: u64,
    },
    /// No free range is large enough.
    #[error("the simulated card has no free range of {size} bytes; free some buffers")]
    Full {
        /// Bytes asked for.
        size: u64,
    },
    /// The host has not enough free memory.
    #[error("the host has {available} bytes of free memory, fewer than the {size} bytes asked for")]
    HostMemory {
        /// Bytes asked for.
        size: u64,
        /// Bytes the host could give.
        available: u64,
    },
}

fn errno() -> i32 {
    std::io::Error::last_os_error().raw_os_error().unwrap_or(0)
}

impl Arena {
    /// An arena of `size` bytes of address space (memory is taken page by page when touched); the first `reserved`
    /// bytes are never handed out by [`Arena::take`].
    pub fn new(size: u64, reserved: u64) -> Result<Self, ArenaError> {
        let fail = |call| ArenaError::Os {
            call,
            errno: errno(),
            size,
        };
        // SAFETY: the name is a NUL-terminated literal.
        let raw = unsafe { libc::memfd_create(c"t0-simulated-card".as_ptr(), libc::MFD_CLOEXEC) };
        if raw < 0 {
            return Err(fail("memfd_create"));
        }
        // SAFETY: `raw` was just opened and has no other owner.
        let file = unsafe { OwnedFd::from_raw_fd(raw) };
        // SAFETY: plain system call on an owned descriptor.
        if unsafe { libc::ftruncate(file.as_raw_fd(), size as libc::off_t) } != 0 {
            return Err(fail("ftruncate"));
        }
        // SAFETY: a fresh mapping at an address the kernel chooses replaces nothing.
        let view = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                size as usize,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_NORESERVE,
                file.as_raw_fd(),
                0,
            )
        };
        if view == libc::MAP_FAILED {
            return Err(fail("mmap"));
        }
        // SAFETY: the range is the mapping made above; both are advice, failure changes nothing.
        unsafe {
            libc::madvise(view, size as usize, libc::MADV_DONTDUMP);
            libc::madvise(view, size as usize, libc::MADV_HUGEPAGE);
        }
        let free = Mutex::new(BTreeMap::from([(reserved, size - reserved)]));
        Ok(Arena {
            file,
            view: view.cast(),
            size,
            free,
        })
    }

    /// The file, for the client's own mappings.
    pub fn file(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// Address of `offset` in the simulator's view.
    ///
    /// Panics when `offset` is outside of the arena.
    pub fn host(&self, offset: u64) -> *mut u8 {
        assert!(offset < self.size, "offset {offset:#x} outside of the arena");
        // SAFETY: inside the mapping, by the line above.
        unsafe { self.view.add(offset as usize) }
    }

    /// Takes `size` bytes (a multiple of 4096); returns the offset. The bytes are zero.
    pub fn take(&self, size: u64) -> Result<u64, ArenaError> {
        debug_assert_eq!(size % PAGE, 0);
        check_host_memory(size)?;
        let mut free = lock(&self.free);
        let Some((&at, &len)) = free.iter().find(|(_, &len)| len >= size) else {
            return Err(ArenaError::Full { size });
        };
        free.remove(&at);
        if len > size {
            free.insert(at + size, len - size);
        }
        Ok(at)
    }

    /// Gives a range from [`Arena::take`] back; its pages return to the host and read as zero from now on.
    pub fn give(&self, offset: u64, size: u64) {
        // SAFETY: plain system call on an owned descriptor; a failure leaves old bytes, which is allowed.
        unsafe {
            libc::fallocate(
                self.file.as_raw_fd(),
                libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE,
                offset as libc::off_t,
                size as libc::off_t,
            );
        }
        let mut free = lock(&self.free);
        let (mut at, mut len) = (offset, size);
        if let Some((&prev, &prev_len)) = free.range(..offset).next_back() {
            if prev + prev_len == offset {
                free.remove(&prev);
                at = prev;
                len += prev_len;
            }
        }
        if let Some(next_len) = free.remove(&(offset + size)) {
            len += next_len;
        }
        free.insert(at, len);
    }

    /// Fills a range with `byte`.
    pub fn fill(&self, offset: u64, size: u64, byte: u8) {
        assert!(
            offset.checked_add(size).is_some_and(|end| end <= self.size),
            "range outside of the arena"
        );
        // SAFETY: the range is inside the mapping, by the line above.
        unsafe { std::ptr::write_bytes(self.view.add(offset as usize), byte, size as usize) }
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `new` and nothing else unmaps it.
        unsafe { libc::munmap(self.view.cast(), self.size as usize) };
    }
}

/// Large allocations are refused when the host could not back them: better an error than the host's OOM killer.
fn check_host_memory(size: u64) -> Result<(), ArenaError> {
    const WORTH_ASKING: u64 = 64 << 20;
    if size < WORTH_ASKING {
        return Ok(());
    }
    match available_memory() {
        Some(available) if size > available => Err(ArenaError::HostMemory { size, available }),
        _ => Ok(()),
    }
}

/// Bytes of host memory that can be had without swapping, as far as the host says.
pub fn available_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let kib = text.lines().find_map(|l| {
        l.strip_prefix("MemAvailable:")?
            .trim()
            .strip_suffix("kB")?
            .trim()
            .parse::<u64>()
            .ok()
    })?;
    Some(kib << 10)
}

/// A lock whose holder panicked still guards consistent data here: every update is a single insert or remove.
pub(crate) fn lock<T>(m: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    m.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_reused_and_joined() {
        let a = Arena::new(1 << 20, PAGE).unwrap();
        let x = a.take(2 * PAGE).unwrap();
        let y = a.take(PAGE).unwrap();
        let z = a.take(PAGE).unwrap();
        assert_eq!((x, y, z), (PAGE, 3 * PAGE, 4 * PAGE));
        a.fill(y, PAGE, POISON);
        a.give(x, 2 * PAGE);
        a.give(z, PAGE);
        a.give(y, PAGE);
        assert_eq!(a.take((1 << 20) - PAGE).unwrap(), PAGE);
        assert!(matches!(a.take(PAGE), Err(ArenaError::Full { .. })));
        // SAFETY: `y` is inside the arena.
        assert_eq!(unsafe { a.host(y).read() }, 0, "given pages read as zero");
    }
}
