//! What the driver can refuse, with the errno it refused it with and what to do about it.

use std::fmt;

/// A Linux error number.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Errno(pub i32);

impl Errno {
    /// Operation not permitted.
    pub const EPERM: Errno = Errno(libc::EPERM);
    /// No such file.
    pub const ENOENT: Errno = Errno(libc::ENOENT);
    /// Interrupted by a signal.
    pub const EINTR: Errno = Errno(libc::EINTR);
    /// Input/output error.
    pub const EIO: Errno = Errno(libc::EIO);
    /// Bad file descriptor: among others, the descriptor was opened before a fork.
    pub const EBADF: Errno = Errno(libc::EBADF);
    /// Out of memory; for MAP_MEMORY also: unknown handle.
    pub const ENOMEM: Errno = Errno(libc::ENOMEM);
    /// Permission denied.
    pub const EACCES: Errno = Errno(libc::EACCES);
    /// Bad address.
    pub const EFAULT: Errno = Errno(libc::EFAULT);
    /// Busy.
    pub const EBUSY: Errno = Errno(libc::EBUSY);
    /// Exists already.
    pub const EEXIST: Errno = Errno(libc::EEXIST);
    /// No such device.
    pub const ENODEV: Errno = Errno(libc::ENODEV);
    /// Invalid argument.
    pub const EINVAL: Errno = Errno(libc::EINVAL);
    /// No space.
    pub const ENOSPC: Errno = Errno(libc::ENOSPC);

    /// The error of the last system call of this thread.
    pub fn last() -> Self {
        Errno(std::io::Error::last_os_error().raw_os_error().unwrap_or(0))
    }
}

impl fmt::Display for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", std::io::Error::from_raw_os_error(self.0))
    }
}

impl fmt::Debug for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", nix::errno::Errno::from_raw(self.0))
    }
}

/// Errors of the driver interface.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KfdError {
    /// A device file cannot be opened.
    #[error("cannot open {path}: {errno}; {}", open_remedy(*errno))]
    Open {
        /// Which file.
        path: String,
        /// Why.
        errno: Errno,
    },
    /// An ioctl was refused.
    #[error("{call} was refused: {errno}; {}{}", detail.as_deref().map(|d| format!("{d}; ")).unwrap_or_default(), ioctl_remedy(call, *errno))]
    Ioctl {
        /// Name of the ioctl.
        call: &'static str,
        /// Why.
        errno: Errno,
        /// The exact reason; only the simulated driver gives one.
        detail: Option<String>,
    },
    /// An mmap was refused.
    #[error("mmap of {what} ({len} bytes) failed: {errno}; {}", mmap_remedy(*errno))]
    Mmap {
        /// What was to be mapped.
        what: &'static str,
        /// Bytes.
        len: u64,
        /// Why.
        errno: Errno,
    },
    /// A topology file is missing or makes no sense.
    #[error(
        "cannot read the GPU topology: {path}: {what}; check that the amdgpu driver is loaded and /sys is visible"
    )]
    Topology {
        /// Which file.
        path: String,
        /// What is wrong.
        what: String,
    },
    /// No GPU this crate can drive.
    #[error("no RDNA3 GPU (gfx11) found among {found}; use the simulated card (T0_DEVICE=sim)")]
    NoGpu {
        /// What was found instead.
        found: String,
    },
    /// The kernel's interface is another one.
    #[error("KFD interface {major}.{minor} is not supported (1.13 or later is needed); update the Linux kernel to 6.6 or later")]
    Version {
        /// Major number.
        major: u32,
        /// Minor number.
        minor: u32,
    },
    /// A GPU did not map a buffer.
    #[error("{success} of {wanted} GPUs accepted {call}; free some memory, or restart the process if this repeats")]
    Partial {
        /// Name of the ioctl.
        call: &'static str,
        /// GPUs that did.
        success: u32,
        /// GPUs asked.
        wanted: u32,
    },
    /// The simulated card could not be set up.
    #[error("the simulated card cannot start: {what}")]
    Simulated {
        /// Why, and the way out.
        what: String,
    },
}

impl KfdError {
    /// The errno, where there is one.
    pub fn errno(&self) -> Option<Errno> {
        match self {
            KfdError::Open { errno, .. } | KfdError::Ioctl { errno, .. } | KfdError::Mmap { errno, .. } => Some(*errno),
            _ => None,
        }
    }
}

fn open_remedy(errno: Errno) -> &'static str {
    match errno {
        Errno::ENOENT => "load the amdgpu driver on a machine with a Radeon, pass the device into the container, or use T0_DEVICE=sim",
        Errno::EACCES | Errno::EPERM => "add yourself to the groups `render` and `video` and log in again, or use T0_DEVICE=sim",
        _ => "see `dmesg | grep -i kfd`, or use T0_DEVICE=sim",
    }
}

fn ioctl_remedy(call: &str, errno: Errno) -> &'static str {
    match (call, errno) {
        (_, Errno::EBADF) => "open the device again after fork",
        ("ALLOC_MEMORY_OF_GPU", Errno::ENOMEM) => "free some buffers or make them smaller",
        ("ALLOC_MEMORY_OF_GPU", Errno::EINVAL) => {
            "if the buffer is host-visible VRAM, switch on Resizable BAR and Above 4G Decoding in the firmware setup"
        }
        ("CREATE_QUEUE", Errno::EINVAL) => {
            "the kernel wants exact sizes of ring, index pages, EOP and context save area"
        }
        ("CREATE_QUEUE", Errno::ENOSPC | Errno::ENOMEM) => "destroy some queues first",
        ("ACQUIRE_VM", Errno::EBUSY | Errno::EINVAL) => "another part of the process already uses this GPU",
        ("RUNTIME_ENABLE", Errno::EEXIST) => "enable the runtime before the first queue, once per process",
        _ => "see `dmesg | grep -i -e kfd -e amdgpu` for the kernel's reason",
    }
}

fn mmap_remedy(errno: Errno) -> &'static str {
    match errno {
        Errno::ENOMEM => "raise `ulimit -v` or vm.max_map_count, or free some buffers",
        _ => "see `dmesg | grep -i -e kfd -e amdgpu` for the kernel's reason",
    }
}
