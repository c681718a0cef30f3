//! Packets, queues and signals of the Architected Queuing Language, as the command processor reads them.
//!
//! Invariant: every type here is plain old data with the exact size and offsets of the HSA headers; the constants
//! at the end of the file refuse to compile otherwise.
//!
//! Source: HSA Platform System Architecture Specification 1.2 §2.8/2.9; `amd_hsa_queue.h`, `amd_hsa_signal.h`.

use std::mem::{offset_of, size_of};

use bytemuck::{Pod, Zeroable};

/// Size of every AQL packet, in bytes.
pub const PACKET_BYTES: usize = 64;

/// Packet type in bits 7:0 of the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum PacketType {
    /// Vendor packet; AMD carries PM4 in it.
    Vendor = 0,
    /// The slot holds no packet (yet).
    Invalid = 1,
    /// Kernel dispatch.
    Dispatch = 2,
    /// Barrier that waits until all five dependencies are zero.
    BarrierAnd = 3,
    /// Agent dispatch; a GPU queue refuses it.
    Agent = 4,
    /// Barrier that waits until one dependency is zero.
    BarrierOr = 5,
}

impl PacketType {
    /// The type in a header, or `None` for a number no specification gives a meaning.
    pub fn of_header(header: u16) -> Option<Self> {
        Some(match header & 0xff {
            0 => Self::Vendor,
            1 => Self::Invalid,
            2 => Self::Dispatch,
            3 => Self::BarrierAnd,
            4 => Self::Agent,
            5 => Self::BarrierOr,
            _ => return None,
        })
    }
}

/// Header bit: start only after every earlier packet of the queue has completed.
pub const HEADER_BARRIER: u16 = 1 << 8;
/// Scope of a fence in a header: none, this GPU, or the whole system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum FenceScope {
    /// No fence.
    None = 0,
    /// Visible on this GPU.
    Agent = 1,
    /// Visible to the host too.
    System = 2,
}

/// Header word: type, barrier bit, acquire scope (bits 10:9) and release scope (bits 12:11).
pub const fn header(ty: PacketType, barrier: bool, acquire: FenceScope, release: FenceScope) -> u16 {
    ty as u16 | if barrier { HEADER_BARRIER } else { 0 } | (acquire as u16) << 9 | (release as u16) << 11
}

/// Kernel dispatch packet. `grid` is in work-items, `kernel_object` is the address of the 64-byte descriptor.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct DispatchPacket {
    /// See [`header`].
    pub header: u16,
    /// Number of dimensions (1 to 3) in bits 1:0.
    pub setup: u16,
    /// Work-items of a workgroup in x, y, z.
    pub workgroup: [u16; 3],
    /// Zero.
    pub reserved0: u16,
    /// Work-items of the grid in x, y, z.
    pub grid: [u32; 3],
    /// Scratch bytes per work-item.
    pub private_segment_size: u32,
    /// LDS bytes per workgroup, static plus dynamic.
    pub group_segment_size: u32,
    /// GPU address of the kernel descriptor, 64-byte aligned.
    pub kernel_object: u64,
    /// GPU address of the kernel arguments.
    pub kernarg_address: u64,
    /// Zero.
    pub reserved2: u64,
    /// GPU address of an [`AmdSignal`], or 0.
    pub completion_signal: u64,
}

/// Barrier-AND or barrier-OR packet.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct BarrierPacket {
    /// See [`header`].
    pub header: u16,
    /// Zero.
    pub reserved0: u16,
    /// Zero.
    pub reserved1: u32,
    /// GPU addresses of [`AmdSignal`]s; 0 entries are ignored.
    pub dep_signal: [u64; 5],
    /// Zero.
    pub reserved2: u64,
    /// GPU address of an [`AmdSignal`], or 0.
    pub completion_signal: u64,
}

/// `amd_queue_t`: what firmware and runtime share about one queue. Firmware finds it 128 bytes before the read pointer.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct AmdQueue {
    /// `hsa_queue_type_t`: 0 several producers, 1 one producer.
    pub queue_type: u32,
    /// Bit 0: kernel dispatch.
    pub features: u32,
    /// Address of the ring.
    pub base_address: u64,
    /// Doorbell signal handle; unused here.
    pub doorbell_signal: u64,
    /// Slots of the ring.
    pub size: u32,
    /// Zero.
    pub reserved1: u32,
    /// Queue number, for humans.
    pub id: u64,
    /// Capability bits.
    pub caps: u32,
    /// Zero.
    pub reserved2: [u32; 3],
    /// Index of the next packet the producer will reserve.
    pub write_dispatch_id: u64,
    /// Bits 63:32 of the LDS aperture.
    pub group_segment_aperture_base_hi: u32,
    /// Bits 63:32 of the scratch aperture.
    pub private_segment_aperture_base_hi: u32,
    /// Highest compute unit number.
    pub max_cu_id: u32,
    /// Highest wave number of a compute unit.
    pub max_wave_id: u32,
    /// Legacy doorbell fields.
    pub max_legacy_doorbell_dispatch_id_plus_1: u64,
    /// Legacy doorbell lock.
    pub legacy_doorbell_lock: u32,
    /// Zero.
    pub reserved3: [u32; 9],
    /// Index of the next packet firmware will read. Runs ahead of completion.
    pub read_dispatch_id: u64,
    /// 128: distance from the start of this struct to `read_dispatch_id`.
    pub read_dispatch_id_field_base_byte_offset: u32,
    /// COMPUTE_TMPRING_SIZE: WAVES in bits 11:0 (per shader engine), WAVESIZE in bits 26:12 (256-byte units).
    pub compute_tmpring_size: u32,
    /// Buffer descriptor of the scratch memory.
    pub scratch_resource_descriptor: [u32; 4],
    /// GPU address of the scratch memory.
    pub scratch_backing_memory_location: u64,
    /// Bytes of the scratch memory.
    pub scratch_backing_memory_byte_size: u64,
    /// Scratch bytes of one lane of a wave64.
    pub scratch_wave64_lane_byte_size: u32,
    /// See `QUEUE_PROPERTY_*`.
    pub queue_properties: u32,
    /// Zero.
    pub reserved4: [u32; 2],
    /// GPU address of an [`AmdSignal`] that firmware sets when it stops the queue.
    pub queue_inactive_signal: u64,
    /// Alternate scratch fields and padding.
    pub reserved5: [u32; 14],
}

/// `queue_properties` bit: addresses are 64-bit.
pub const QUEUE_PROPERTY_IS_PTR64: u32 = 1 << 1;
/// `queue_properties` bit: firmware writes start and end times into completion signals.
pub const QUEUE_PROPERTY_ENABLE_PROFILING: u32 = 1 << 3;

/// Value of `queue_inactive_signal`: dimensions of a dispatch are wrong.
pub const QUEUE_ERROR_DIMS: i64 = 2;
/// LDS size is wrong.
pub const QUEUE_ERROR_GROUP_MEMORY: i64 = 4;
/// The kernel object or the code it names is wrong.
pub const QUEUE_ERROR_CODE: i64 = 8;
/// The packet type is unsupported.
pub const QUEUE_ERROR_PACKET: i64 = 32;
/// The workgroup is empty or too large.
pub const QUEUE_ERROR_WORKGROUP: i64 = 64;
/// The kernel asks for more registers than there are.
pub const QUEUE_ERROR_REGISTERS: i64 = 128;
/// The vendor packet is unsupported.
pub const QUEUE_ERROR_VENDOR: i64 = 256;
/// A wave touched memory outside of every aperture.
pub const QUEUE_ERROR_APERTURE: i64 = 0x2000_0000;
/// A wave met an illegal instruction.
pub const QUEUE_ERROR_ILLEGAL_INSTRUCTION: i64 = 0x4000_0000;
/// A wave executed `s_trap` and there is no trap handler.
pub const QUEUE_ERROR_TRAP: i64 = 0x8000_0000;
/// Scratch is missing for a wave64 kernel: firmware waits until the runtime stores 0.
pub const QUEUE_NEEDS_SCRATCH_WAVE64: i64 = 1;
/// Scratch is missing for a wave32 kernel: firmware waits until the runtime stores 0.
pub const QUEUE_NEEDS_SCRATCH_WAVE32: i64 = 0x401;

/// `amd_signal_t`: a value, where to shout when it changes, and two time stamps.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, Default, Zeroable)]
pub struct AmdSignal {
    /// 1 for a signal whose value is in memory.
    pub kind: i64,
    /// The value; completion subtracts 1.
    pub value: i64,
    /// Address of the event slot to write `event_id` to, or 0.
    pub event_mailbox_ptr: u64,
    /// Number of the event to raise.
    pub event_id: u32,
    /// Zero.
    pub reserved1: u32,
    /// GPU counter when the packet started (profiling queues only).
    pub start_ts: u64,
    /// GPU counter when the packet ended (profiling queues only).
    pub end_ts: u64,
    /// Zero for user signals.
    pub queue_ptr: u64,
    /// Zero.
    pub reserved3: [u32; 2],
}

/// `kind` of a signal whose value is in memory.
pub const SIGNAL_KIND_USER: i64 = 1;
/// Offset of the value in an [`AmdSignal`].
pub const SIGNAL_VALUE: u64 = offset_of!(AmdSignal, value) as u64;
/// Offset of `write_dispatch_id` in an [`AmdQueue`].
pub const QUEUE_WRITE_ID: u64 = offset_of!(AmdQueue, write_dispatch_id) as u64;
/// Offset of `read_dispatch_id` in an [`AmdQueue`].
pub const QUEUE_READ_ID: u64 = offset_of!(AmdQueue, read_dispatch_id) as u64;

const _: () = {
    assert!(size_of::<DispatchPacket>() == PACKET_BYTES);
    assert!(offset_of!(DispatchPacket, workgroup) == 4);
    assert!(offset_of!(DispatchPacket, grid) == 12);
    assert!(offset_of!(DispatchPacket, private_segment_size) == 24);
    assert!(offset_of!(DispatchPacket, group_segment_size) == 28);
    assert!(offset_of!(DispatchPacket, kernel_object) == 32);
    assert!(offset_of!(DispatchPacket, kernarg_address) == 40);
    assert!(offset_of!(DispatchPacket, completion_signal) == 56);
    assert!(size_of::<BarrierPacket>() == PACKET_BYTES);
    assert!(offset_of!(BarrierPacket, dep_signal) == 8);
    assert!(offset_of!(BarrierPacket, completion_signal) == 56);
    assert!(size_of::<AmdQueue>() == 256);
    assert!(offset_of!(AmdQueue, base_address) == 8);
    assert!(offset_of!(AmdQueue, doorbell_signal) == 16);
    assert!(offset_of!(AmdQueue, size) == 24);
    assert!(offset_of!(AmdQueue, id) == 32);
    assert!(offset_of!(AmdQueue, caps) == 40);
    assert!(offset_of!(AmdQueue, write_dispatch_id) == 56);
    assert!(offset_of!(AmdQueue, group_segment_aperture_base_hi) == 64);
    assert!(offset_of!(AmdQueue, private_segment_aperture_base_hi) == 68);
    assert!(offset_of!(AmdQueue, max_cu_id) == 72);
    assert!(offset_of!(AmdQueue, max_wave_id) == 76);
    assert!(offset_of!(AmdQueue, max_legacy_doorbell_dispatch_id_plus_1) == 80);
    assert!(offset_of!(AmdQueue, legacy_doorbell_lock) == 88);
    assert!(offset_of!(AmdQueue, read_dispatch_id) == 128);
    assert!(offset_of!(AmdQueue, read_dispatch_id_field_base_byte_offset) == 136);
    assert!(offset_of!(AmdQueue, compute_tmpring_size) == 140);
    assert!(offset_of!(AmdQueue, scratch_resource_descriptor) == 144);
    assert!(offset_of!(AmdQueue, scratch_backing_memory_location) == 160);
    assert!(offset_of!(AmdQueue, scratch_backing_memory_byte_size) == 168);
    assert!(offset_of!(AmdQueue, scratch_wave64_lane_byte_size) == 176);
    assert!(offset_of!(AmdQueue, queue_properties) == 180);
    assert!(offset_of!(AmdQueue, queue_inactive_signal) == 192);
    assert!(size_of::<AmdSignal>() == 64);
    assert!(offset_of!(AmdSignal, value) == 8);
    assert!(offset_of!(AmdSignal, event_mailbox_ptr) == 16);
    assert!(offset_of!(AmdSignal, event_id) == 24);
    assert!(offset_of!(AmdSignal, start_ts) == 32);
    assert!(offset_of!(AmdSignal, end_ts) == 40);
    assert!(offset_of!(AmdSignal, queue_ptr) == 48);
};

// SAFETY: `repr(C)`, every field is an integer, and the fields fill all 256 bytes (asserted above), so no padding.
unsafe impl Pod for AmdQueue {}
// SAFETY: `repr(C)`, every field is an integer, and the fields fill all 64 bytes (asserted above), so no padding.
unsafe impl Pod for AmdSignal {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_the_specification() {
        use FenceScope::System;
        assert_eq!(header(PacketType::Dispatch, false, System, System), 0x1402);
        assert_eq!(header(PacketType::Dispatch, true, System, System), 0x1502);
        assert_eq!(header(PacketType::BarrierAnd, true, System, System), 0x1503);
        assert_eq!(
            header(PacketType::Invalid, false, FenceScope::None, FenceScope::None),
            1
        );
        assert_eq!(PacketType::of_header(0x1503), Some(PacketType::BarrierAnd));
        assert_eq!(PacketType::of_header(0x1506), None);
    }

    #[test]
    fn packet_bytes_are_where_firmware_reads_them() {
        let p = DispatchPacket {
            header: 0x1502,
            setup: 3,
            workgroup: [0x0102, 0x0304, 0x0506],
            grid: [7, 8, 9],
            kernel_object: 0x1122_3344_5566_7788,
            ..Default::default()
        };
        let b = bytemuck::bytes_of(&p);
        assert_eq!(&b[..12], &[0x02, 0x15, 3, 0, 2, 1, 4, 3, 6, 5, 0, 0]);
        assert_eq!(&b[12..16], &[7, 0, 0, 0]);
        assert_eq!(&b[32..40], &[0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11]);
    }
}
