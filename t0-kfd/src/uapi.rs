//! The ioctl structs and request numbers of `/dev/kfd`.
//!
//! Invariant: size, offsets and request number of every struct are asserted at compile time against numbers computed
//! from the C header. KFD looks requests up by number only and copies as many bytes as the *request* says, so a wrong
//! size is not refused, it silently truncates: these assertions are the only guard.
//!
//! Source: `include/uapi/linux/kfd_ioctl.h` (KFD 1.17), `drivers/gpu/drm/amd/amdkfd/kfd_chardev.c`, `kfd_events.h`.

use std::mem::{offset_of, size_of};

use bytemuck::{Pod, Zeroable};

/// An ioctl: its request number and argument struct.
pub trait Request: Pod {
    /// The full request number.
    const REQUEST: u32;
    /// Name in the C header, without `AMDKFD_IOC_`.
    const NAME: &'static str;
}

/// `_IOC(dir, 'K', nr, size)` with dir 1 = write (to the kernel), 2 = read, 3 = both.
pub const fn request(dir: u32, nr: u32, size: usize) -> u32 {
    dir << 30 | (size as u32) << 16 | (b'K' as u32) << 8 | nr
}

const W: u32 = 1;
const R: u32 = 2;
const RW: u32 = 3;

macro_rules! ioctl_structs {
    ($($(#[$doc:meta])* $name:ident = $dir:ident $nr:literal $text:literal == $number:literal {
        $($(#[$fdoc:meta])* $field:ident: $ty:ty = $offset:literal,)*
    })*) => {$(
        $(#[$doc])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
        pub struct $name { $($(#[$fdoc])* pub $field: $ty,)* }

        impl Request for $name {
            const REQUEST: u32 = request($dir, $nr, size_of::<$name>());
            const NAME: &'static str = $text;
        }

        const _: () = {
            assert!($name::REQUEST == $number);
            $(assert!(offset_of!($name, $field) == $offset);)*
        };
    )*};
}

ioctl_structs! {
    /// Version of the interface.
    GetVersion = R 0x01 "GET_VERSION" == 0x8008_4b01 {
        /// Out: 1.
        major: u32 = 0,
        /// Out.
        minor: u32 = 4,
    }
    /// Makes a queue. The kernel checks every size exactly (see [`crate::QueueSizes`]).
    CreateQueue = RW 0x02 "CREATE_QUEUE" == 0xc060_4b02 {
        /// Address of the ring; the buffer must start there and be `ring_size` long.
        ring_base_address: u64 = 0,
        /// In: address of the write index, in a buffer of exactly one page.
        write_pointer_address: u64 = 8,
        /// In: address of the read index, in a buffer of exactly one page.
        read_pointer_address: u64 = 16,
        /// Out: mmap offset of the doorbell page plus the offset in it.
        doorbell_offset: u64 = 24,
        /// Bytes, a power of two.
        ring_size: u32 = 32,
        /// Which GPU.
        gpu_id: u32 = 36,
        /// See `QUEUE_TYPE_*`.
        queue_type: u32 = 40,
        /// 0 to 100; 0 disables the queue.
        queue_percentage: u32 = 44,
        /// 0 to 15; 7 is normal.
        queue_priority: u32 = 48,
        /// Out.
        queue_id: u32 = 52,
        /// End-of-pipe buffer.
        eop_buffer_address: u64 = 56,
        /// Exactly 4096 on gfx11.
        eop_buffer_size: u64 = 64,
        /// Context save area.
        ctx_save_restore_address: u64 = 72,
        /// Bytes of control stack and wave data.
        ctx_save_restore_size: u32 = 80,
        /// Bytes of the control stack, exactly.
        ctl_stack_size: u32 = 84,
        /// SDMA engine for type 4.
        sdma_engine_id: u32 = 88,
        /// Zero.
        pad: u32 = 92,
    }
    /// Destroys a queue.
    DestroyQueue = RW 0x03 "DESTROY_QUEUE" == 0xc008_4b03 {
        /// Which.
        queue_id: u32 = 0,
        /// Zero.
        pad: u32 = 4,
    }
    /// Cache policy of the process on one GPU.
    SetMemoryPolicy = W 0x04 "SET_MEMORY_POLICY" == 0x4020_4b04 {
        /// Start of the range with the alternate policy.
        alternate_aperture_base: u64 = 0,
        /// Its bytes.
        alternate_aperture_size: u64 = 8,
        /// Which GPU.
        gpu_id: u32 = 16,
        /// 0 coherent, 1 non-coherent.
        default_policy: u32 = 20,
        /// 0 coherent, 1 non-coherent.
        alternate_policy: u32 = 24,
        /// Zero.
        pad: u32 = 28,
    }
    /// Clock counters of GPU and host, read together.
    GetClockCounters = RW 0x05 "GET_CLOCK_COUNTERS" == 0xc028_4b05 {
        /// Out: GPU counter (100 MHz on gfx11).
        gpu_clock_counter: u64 = 0,
        /// Out: CLOCK_MONOTONIC_RAW, ns.
        cpu_clock_counter: u64 = 8,
        /// Out: CLOCK_BOOTTIME, ns.
        system_clock_counter: u64 = 16,
        /// Out: frequency of the system clock, Hz.
        system_clock_freq: u64 = 24,
        /// Which GPU.
        gpu_id: u32 = 32,
        /// Zero.
        pad: u32 = 36,
    }
    /// Makes an event; the first call hands over the event page.
    CreateEvent = RW 0x08 "CREATE_EVENT" == 0xc020_4b08 {
        /// In: handle of the event page's buffer, first call only, else 0. Out: not 0 for signal events.
        event_page_offset: u64 = 0,
        /// Out: value the GPU writes to trigger the event.
        event_trigger_data: u32 = 8,
        /// See `EVENT_*`.
        event_type: u32 = 12,
        /// 1: a successful wait resets the event.
        auto_reset: u32 = 16,
        /// GPU node, for node events.
        node_id: u32 = 20,
        /// Out: number of the event.
        event_id: u32 = 24,
        /// Out: slot of the event page, for signal events.
        event_slot_index: u32 = 28,
    }
    /// Destroys an event.
    DestroyEvent = W 0x09 "DESTROY_EVENT" == 0x4008_4b09 {
        /// Which.
        event_id: u32 = 0,
        /// Zero.
        pad: u32 = 4,
    }
    /// Signals an event from the host.
    SetEvent = W 0x0a "SET_EVENT" == 0x4008_4b0a {
        /// Which.
        event_id: u32 = 0,
        /// Zero.
        pad: u32 = 4,
    }
    /// Resets an event.
    ResetEvent = W 0x0b "RESET_EVENT" == 0x4008_4b0b {
        /// Which.
        event_id: u32 = 0,
        /// Zero.
        pad: u32 = 4,
    }
    /// Waits for one or all of some events.
    WaitEvents = RW 0x0c "WAIT_EVENTS" == 0xc018_4b0c {
        /// Address of an array of [`EventData`].
        events_ptr: u64 = 0,
        /// Its length.
        num_events: u32 = 8,
        /// 1: wait for all.
        wait_for_all: u32 = 12,
        /// Milliseconds; 0 polls, 0xffff_ffff waits for ever.
        timeout: u32 = 16,
        /// Out: 0 complete, 1 timeout, 2 failure.
        wait_result: u32 = 20,
    }
    /// Gives the process a GPU address space.
    AcquireVm = W 0x15 "ACQUIRE_VM" == 0x4008_4b15 {
        /// Open render node; must stay open as long as the process uses the GPU.
        drm_fd: u32 = 0,
        /// Which GPU.
        gpu_id: u32 = 4,
    }
    /// Allocates a buffer at a virtual address.
    AllocMemory = RW 0x16 "ALLOC_MEMORY_OF_GPU" == 0xc028_4b16 {
        /// Page-aligned GPU address.
        va_addr: u64 = 0,
        /// Bytes, a multiple of the page size.
        size: u64 = 8,
        /// Out.
        handle: u64 = 16,
        /// In: host address for user memory. Out: mmap offset in the render node.
        mmap_offset: u64 = 24,
        /// Which GPU.
        gpu_id: u32 = 32,
        /// See `ALLOC_*`.
        flags: u32 = 36,
    }
    /// Frees a buffer, which must not be mapped any more.
    FreeMemory = W 0x17 "FREE_MEMORY_OF_GPU" == 0x4008_4b17 {
        /// Which.
        handle: u64 = 0,
    }
    /// Maps a buffer into the page tables of some GPUs.
    MapMemory = RW 0x18 "MAP_MEMORY_TO_GPU" == 0xc018_4b18 {
        /// Which buffer.
        handle: u64 = 0,
        /// Address of an array of `gpu_id` (u32).
        device_ids_array_ptr: u64 = 8,
        /// Its length.
        n_devices: u32 = 16,
        /// In: 0. Out: GPUs that mapped it.
        n_success: u32 = 20,
    }
    /// Takes a buffer out of the page tables of some GPUs.
    UnmapMemory = RW 0x19 "UNMAP_MEMORY_FROM_GPU" == 0xc018_4b19 {
        /// Which buffer.
        handle: u64 = 0,
        /// Address of an array of `gpu_id` (u32).
        device_ids_array_ptr: u64 = 8,
        /// Its length.
        n_devices: u32 = 16,
        /// In: 0. Out: GPUs that unmapped it.
        n_success: u32 = 20,
    }
    /// Tells KFD that a runtime uses the process's queues. Must precede the first queue.
    RuntimeEnable = RW 0x25 "RUNTIME_ENABLE" == 0xc010_4b25 {
        /// Address of the debugger's rendezvous struct, or 0.
        r_debug: u64 = 0,
        /// Bit 0 enable, bit 1 save trap temporaries.
        mode_mask: u32 = 8,
        /// Out.
        capabilities_mask: u32 = 12,
    }
}

/// Element of the array of [`WaitEvents`].
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct EventData {
    /// What happened; which of the three readings applies depends on the event's type.
    pub payload: [u32; 8],
    /// Zero.
    pub kfd_event_data_ext: u64,
    /// In: which event.
    pub event_id: u32,
    /// Zero.
    pub pad: u32,
}

impl EventData {
    /// Waits for `event_id`, whatever its age.
    pub fn new(event_id: u32) -> Self {
        EventData {
            event_id,
            ..Default::default()
        }
    }

    /// For a signal event: in, the age seen last (0: ignore ages); out, the age now.
    pub fn last_event_age(&self) -> u64 {
        u64::from(self.payload[0]) | u64::from(self.payload[1]) << 32
    }

    /// Sets [`EventData::last_event_age`].
    pub fn set_last_event_age(&mut self, age: u64) {
        self.payload[0] = age as u32;
        self.payload[1] = (age >> 32) as u32;
    }

    /// For a memory event: the faulting access.
    pub fn memory_exception(&self) -> MemoryException {
        let p = &self.payload;
        MemoryException {
            not_present: p[0] != 0,
            read_only: p[1] != 0,
            no_execute: p[2] != 0,
            imprecise: p[3] != 0,
            va: u64::from(p[4]) | u64::from(p[5]) << 32,
            gpu_id: p[6],
            error_type: p[7],
        }
    }

    /// Stores what [`EventData::memory_exception`] reads.
    pub fn set_memory_exception(&mut self, m: &MemoryException) {
        self.payload = [
            u32::from(m.not_present),
            u32::from(m.read_only),
            u32::from(m.no_execute),
            u32::from(m.imprecise),
            m.va as u32,
            (m.va >> 32) as u32,
            m.gpu_id,
            m.error_type,
        ];
    }

    /// For a hardware event: (reset type, reset cause, memory lost, gpu id).
    pub fn hw_exception(&self) -> HwException {
        let p = &self.payload;
        HwException {
            reset_type: p[0],
            reset_cause: p[1],
            memory_lost: p[2] != 0,
            gpu_id: p[3],
        }
    }

    /// Stores what [`EventData::hw_exception`] reads.
    pub fn set_hw_exception(&mut self, h: &HwException) {
        self.payload = [
            h.reset_type,
            h.reset_cause,
            u32::from(h.memory_lost),
            h.gpu_id,
            0,
            0,
            0,
            0,
        ];
    }
}

/// Payload of a memory event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryException {
    /// No page there.
    pub not_present: bool,
    /// A write to a read-only page.
    pub read_only: bool,
    /// An instruction fetch from a page without code.
    pub no_execute: bool,
    /// The address is approximate.
    pub imprecise: bool,
    /// Page-aligned GPU address.
    pub va: u64,
    /// Which GPU.
    pub gpu_id: u32,
    /// 0 no RAS error.
    pub error_type: u32,
}

/// Payload of a hardware event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HwException {
    /// 0 whole GPU, 1 per engine.
    pub reset_type: u32,
    /// 0 hang, 1 ECC.
    pub reset_cause: u32,
    /// VRAM content is gone.
    pub memory_lost: bool,
    /// Which GPU.
    pub gpu_id: u32,
}

const _: () = {
    assert!(size_of::<EventData>() == 48);
    assert!(offset_of!(EventData, kfd_event_data_ext) == 32);
    assert!(offset_of!(EventData, event_id) == 40);
};

/// PM4 compute queue.
pub const QUEUE_TYPE_COMPUTE: u32 = 0;
/// SDMA queue.
pub const QUEUE_TYPE_SDMA: u32 = 1;
/// AQL compute queue.
pub const QUEUE_TYPE_COMPUTE_AQL: u32 = 2;

/// Event type: completion signals.
pub const EVENT_SIGNAL: u32 = 0;
/// Event type: GPU reset and other hardware exceptions.
pub const EVENT_HW_EXCEPTION: u32 = 3;
/// Event type: debugger.
pub const EVENT_DEBUG: u32 = 5;
/// Event type: memory faults.
pub const EVENT_MEMORY: u32 = 8;
/// First number of events that are neither signal nor debug events (`KFD_FIRST_NONSIGNAL_EVENT_ID`).
pub const FIRST_NONSIGNAL_EVENT_ID: u32 = 0x4000_0000;
/// Slots of the event page (`KFD_SIGNAL_EVENT_LIMIT`).
pub const SIGNAL_EVENT_LIMIT: u32 = 4096;
/// Bytes of the event page.
pub const EVENT_PAGE_BYTES: u64 = 8 * SIGNAL_EVENT_LIMIT as u64;

/// Result of a wait: the condition holds.
pub const WAIT_COMPLETE: u32 = 0;
/// Result of a wait: the time is up.
pub const WAIT_TIMEOUT: u32 = 1;
/// Result of a wait: failure.
pub const WAIT_FAIL: u32 = 2;

/// Buffer in video memory.
pub const ALLOC_VRAM: u32 = 1 << 0;
/// Buffer in system memory.
pub const ALLOC_GTT: u32 = 1 << 1;
/// The caller's own memory.
pub const ALLOC_USERPTR: u32 = 1 << 2;
/// The doorbell page.
pub const ALLOC_DOORBELL: u32 = 1 << 3;
/// The HDP flush registers.
pub const ALLOC_MMIO_REMAP: u32 = 1 << 4;
/// The GPU may write.
pub const ALLOC_WRITABLE: u32 = 1 << 31;
/// The GPU may execute.
pub const ALLOC_EXECUTABLE: u32 = 1 << 30;
/// The host may map it (needs a large BAR for VRAM).
pub const ALLOC_PUBLIC: u32 = 1 << 29;
/// No other kind of memory instead.
pub const ALLOC_NO_SUBSTITUTE: u32 = 1 << 28;
/// Ring mapped twice (gfx7, gfx8).
pub const ALLOC_AQL_QUEUE_MEM: u32 = 1 << 27;
/// Coherent with the host.
pub const ALLOC_COHERENT: u32 = 1 << 26;
/// Not cached by the GPU.
pub const ALLOC_UNCACHED: u32 = 1 << 25;

/// mmap offset of `/dev/kfd`: bits 63:62 kind, bits 61:46 the low 16 bits of the gpu id.
pub const fn mmap_offset(kind: u64, gpu_id: u32) -> u64 {
    kind << 62 | (gpu_id as u64 & 0xffff) << 46
}
/// Kind of [`mmap_offset`]: doorbells. Sets bit 63, so the offset is negative as `off_t`.
pub const MMAP_TYPE_DOORBELL: u64 = 3;
/// Kind of [`mmap_offset`]: events.
pub const MMAP_TYPE_EVENTS: u64 = 2;
/// Bytes of a process's doorbell page on gfx9 and later: 1024 doorbells of 8 bytes. Must be mapped whole.
pub const DOORBELL_BYTES: u64 = 8192;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doorbell_offset_has_bit_63() {
        let offset = mmap_offset(MMAP_TYPE_DOORBELL, 45232);
        assert_eq!(offset, 0xec2c_0000_0000_0000);
        assert!((offset as i64) < 0);
    }

    #[test]
    fn exceptions_survive_the_payload() {
        let m = MemoryException {
            read_only: true,
            va: 0xdead_0000_0000,
            gpu_id: 7,
            ..Default::default()
        };
        let mut e = EventData::new(FIRST_NONSIGNAL_EVENT_ID);
        e.set_memory_exception(&m);
        assert_eq!(e.memory_exception(), m);
        // va at byte 16, gpu_id at byte 24 of the union.
        assert_eq!(
            &bytemuck::bytes_of(&e)[16..28],
            &[0, 0, 0, 0, 0xad, 0xde, 0, 0, 7, 0, 0, 0]
        );
        let h = HwException {
            memory_lost: true,
            gpu_id: 9,
            ..Default::default()
        };
        e.set_hw_exception(&h);
        assert_eq!(e.hw_exception(), h);
        e.set_last_event_age(0x1_0000_0002);
        assert_eq!(e.last_event_age(), 0x1_0000_0002);
    }
}
