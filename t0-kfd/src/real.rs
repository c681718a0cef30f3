//! The real driver: `/dev/kfd`, a render node and sysfs.
//!
//! Invariant: the render node given to ACQUIRE_VM stays open as long as the process may use the GPU, and calls
//! interrupted by a signal are repeated.
//!
//! UNVERIFIED(hw): nothing in this file has met a kernel with an amdgpu device yet.

#![allow(unsafe_code)]

use std::collections::HashMap;
use std::fs::File;
use std::os::fd::{AsFd, AsRawFd};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::error::{Errno, KfdError};
use crate::kfd::{Allocation, Doorbells, Kfd, WaitOutcome};
use crate::topology::{Node, Topology, SYSFS_NODES};
use crate::uapi::{self, Request};
use crate::va::VaRange;

/// Driver of the running kernel.
#[derive(Debug)]
pub struct RealKfd {
    kfd: File,
    render: Mutex<HashMap<u32, File>>,
}

fn open(path: &str) -> Result<File, KfdError> {
    let fail = |e: std::io::Error| KfdError::Open {
        path: path.into(),
        errno: Errno(e.raw_os_error().unwrap_or(0)),
    };
    File::options().read(true).write(true).open(path).map_err(fail)
}

impl RealKfd {
    /// Opens `/dev/kfd`.
    pub fn open() -> Result<Self, KfdError> {
        Ok(RealKfd {
            kfd: open("/dev/kfd")?,
            render: Mutex::default(),
        })
    }

    /// Sends one request, repeating it when a signal interrupts it.
    fn ioctl<T: Request>(&self, args: &mut T) -> Result<(), KfdError> {
        loop {
            // SAFETY: the request number carries the size of `T` (asserted in `uapi`), so the kernel reads and writes
            // exactly the bytes of `args`, which is plain old data. Pointers inside it are valid for the call.
            let r = unsafe {
                libc::ioctl(
                    self.kfd.as_raw_fd(),
                    libc::c_ulong::from(T::REQUEST) as _,
                    args as *mut T,
                )
            };
            if r >= 0 {
                return Ok(());
            }
            match Errno::last() {
                Errno::EINTR => {}
                errno => {
                    return Err(KfdError::Ioctl {
                        call: T::NAME,
                        errno,
                        detail: None,
                    })
                }
            }
        }
    }
}

impl Kfd for RealKfd {
    fn is_simulated(&self) -> bool {
        false
    }

    fn version(&self) -> Result<(u32, u32), KfdError> {
        let mut a = uapi::GetVersion::default();
        self.ioctl(&mut a)?;
        Ok((a.major, a.minor))
    }

    fn topology(&self) -> Result<Topology, KfdError> {
        Topology::read(Path::new(SYSFS_NODES))
    }

    fn acquire_vm(&self, node: &Node) -> Result<(), KfdError> {
        let file = open(&format!("/dev/dri/renderD{}", node.drm_render_minor))?;
        let mut a = uapi::AcquireVm {
            drm_fd: file.as_raw_fd() as u32,
            gpu_id: node.gpu_id,
        };
        self.ioctl(&mut a)?;
        self.render
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(node.gpu_id, file);
        Ok(())
    }

    fn runtime_enable(&self, r_debug: u64, mode_mask: u32) -> Result<u32, KfdError> {
        let mut a = uapi::RuntimeEnable {
            r_debug,
            mode_mask,
            capabilities_mask: 0,
        };
        self.ioctl(&mut a)?;
        Ok(a.capabilities_mask)
    }

    fn alloc_memory(&self, gpu_id: u32, range: &VaRange, flags: u32) -> Result<Allocation, KfdError> {
        let (va_addr, size) = (range.va(), range.len());
        let mut a = uapi::AllocMemory {
            va_addr,
            size,
            gpu_id,
            flags,
            ..Default::default()
        };
        self.ioctl(&mut a)?;
        Ok(Allocation {
            handle: a.handle,
            mmap_offset: a.mmap_offset,
        })
    }

    fn free_memory(&self, handle: u64) -> Result<(), KfdError> {
        self.ioctl(&mut uapi::FreeMemory { handle })
    }

    fn map_memory(&self, handle: u64, gpu_ids: &[u32]) -> Result<u32, KfdError> {
        let device_ids_array_ptr = gpu_ids.as_ptr() as u64;
        let n_devices = gpu_ids.len() as u32;
        let mut a = uapi::MapMemory {
            handle,
            device_ids_array_ptr,
            n_devices,
            n_success: 0,
        };
        self.ioctl(&mut a)?;
        Ok(a.n_success)
    }

    fn unmap_memory(&self, handle: u64, gpu_ids: &[u32]) -> Result<u32, KfdError> {
        let device_ids_array_ptr = gpu_ids.as_ptr() as u64;
        let n_devices = gpu_ids.len() as u32;
        let mut a = uapi::UnmapMemory {
            handle,
            device_ids_array_ptr,
            n_devices,
            n_success: 0,
        };
        self.ioctl(&mut a)?;
        Ok(a.n_success)
    }

    fn mmap_memory(&self, gpu_id: u32, range: &VaRange, mmap_offset: u64) -> Result<(), KfdError> {
        let render = self.render.lock().unwrap_or_else(PoisonError::into_inner);
        let what = "a GPU buffer";
        match render.get(&gpu_id) {
            Some(file) => range.map(file.as_fd(), mmap_offset, what),
            None => Err(KfdError::Mmap {
                what,
                len: range.len(),
                errno: Errno::ENODEV,
            }),
        }
    }

    fn create_event(&self, args: &mut uapi::CreateEvent) -> Result<(), KfdError> {
        self.ioctl(args)
    }

    fn destroy_event(&self, event_id: u32) -> Result<(), KfdError> {
        self.ioctl(&mut uapi::DestroyEvent { event_id, pad: 0 })
    }

    fn set_event(&self, event_id: u32) -> Result<(), KfdError> {
        self.ioctl(&mut uapi::SetEvent { event_id, pad: 0 })
    }

    fn reset_event(&self, event_id: u32) -> Result<(), KfdError> {
        self.ioctl(&mut uapi::ResetEvent { event_id, pad: 0 })
    }

    fn wait_events(&self, events: &mut [uapi::EventData], all: bool, ms: u32) -> Result<WaitOutcome, KfdError> {
        let end = Instant::now() + Duration::from_millis(ms.into());
        loop {
            let left = end.saturating_duration_since(Instant::now()).as_millis() as u32;
            let mut a = uapi::WaitEvents {
                events_ptr: events.as_mut_ptr() as u64,
                num_events: events.len() as u32,
                wait_for_all: u32::from(all),
                timeout: left,
                wait_result: 0,
            };
            // Not `ioctl`: a wait that was interrupted must go on with the time that is left, not all of it.
            // SAFETY: as in `ioctl`; `events_ptr` and `num_events` describe a live slice of plain old data.
            let r = unsafe {
                libc::ioctl(
                    self.kfd.as_raw_fd(),
                    libc::c_ulong::from(uapi::WaitEvents::REQUEST) as _,
                    &mut a,
                )
            };
            match (r, a.wait_result) {
                (0.., uapi::WAIT_COMPLETE) => return Ok(WaitOutcome::Complete),
                (0.., uapi::WAIT_TIMEOUT) => return Ok(WaitOutcome::Timeout),
                (0.., _) => {
                    return Err(KfdError::Ioctl {
                        call: uapi::WaitEvents::NAME,
                        errno: Errno::EIO,
                        detail: None,
                    })
                }
                _ => match Errno::last() {
                    Errno::EINTR if left > 0 => {}
                    Errno::EINTR => return Ok(WaitOutcome::Timeout),
                    errno => {
                        return Err(KfdError::Ioctl {
                            call: uapi::WaitEvents::NAME,
                            errno,
                            detail: None,
                        })
                    }
                },
            }
        }
    }

    fn create_queue(&self, args: &mut uapi::CreateQueue) -> Result<(), KfdError> {
        self.ioctl(args)
    }

    fn destroy_queue(&self, queue_id: u32) -> Result<(), KfdError> {
        self.ioctl(&mut uapi::DestroyQueue { queue_id, pad: 0 })
    }

    fn mmap_doorbells(&self, offset: u64, len: u64) -> Result<Doorbells, KfdError> {
        let range = VaRange::reserve(len, len)?;
        range.map(self.kfd.as_fd(), offset, "the doorbell page")?;
        Ok(Doorbells::new(range))
    }

    fn clock_counters(&self, gpu_id: u32) -> Result<uapi::GetClockCounters, KfdError> {
        let mut a = uapi::GetClockCounters {
            gpu_id,
            ..Default::default()
        };
        self.ioctl(&mut a)?;
        Ok(a)
    }
}
