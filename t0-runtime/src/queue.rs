//! AQL queues: ring, kernel arguments, completion signals.
//!
//! Problem: many launches may be in flight; their slots, arguments, signals and code must stay until they are done.
//! Method: packet `i` uses ring slot, signal and in-flight entry `i mod slots`; entries retire in order when their
//! signals are 0. Arguments are carved from a byte ring that retires with them.
//!
//! A checked kernel's arguments end with the address of a report, one slot per packet, cleared before the packet is
//! published and read when it retires.
//!
//! Invariants: the packet body is written before its header (one 32-bit release store), the write index after the
//! header, the doorbell last, with the index of the last packet. Completion is read from signals only, never from the
//! read index, which runs ahead. All packets carry the barrier bit: launches of one queue run in order.
//!
//! Source: HSA Platform System Architecture Specification 1.2 §2.8; sizes: `kfd_queue.c` of Linux 6.12.

use std::collections::VecDeque;
use std::mem::offset_of;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::time::Duration;

use t0_kfd::aql::{self, AmdQueue, AmdSignal, DispatchPacket, FenceScope, PacketType, PACKET_BYTES};
use t0_kfd::uapi::{self, CreateEvent, CreateQueue};
use t0_kfd::{Doorbells, QueueSizes, QueueStatus};

use crate::device::{lock, Device, Gpu};
use crate::error::{Error, Result};
use crate::kernel::{Args, Build, Launch};
use crate::memory::{ring, GpuMem, Kind};
use crate::module::Kernel;
use crate::stop::Stops;
use t0_ir::Report;

/// Packets in flight at most. 4096 B of ring is the least the driver takes (64 packets).
const SLOTS: u64 = 1024;
const KERNARG_BYTES: u64 = 256 << 10;
/// Each launch's arguments start on their own cache line.
const KERNARG_ALIGN: u64 = 64;
const SIGNAL_BYTES: u64 = size_of::<AmdSignal>() as u64;
/// Waves with scratch one compute unit can hold when the topology does not say.
const SCRATCH_SLOTS: u64 = 32;
/// Scratch memory above this is given to fewer waves than the GPU can hold, in bytes.
const SCRATCH_LIMIT: u64 = 512 << 20;
/// Most scratch bytes of a wave: WAVESIZE of COMPUTE_TMPRING_SIZE has 15 bits and counts 256 bytes.
/// Source: Linux gc_11_0_0_sh_mask.h; LLVM GCNSubtarget::getMaxWaveScratchSize.
const MAX_WAVE_SCRATCH: u64 = 0x7fff * 256;
const REPORT_BYTES: u64 = 4 * Report::WORDS as u64;
/// Waves of the largest workgroup.
const GROUP_WAVES: u64 = 32;

/// An in-order queue of launches. Dropping it waits for them.
#[derive(Clone)]
pub struct Queue {
    pub(crate) inner: Arc<QueueInner>,
    build: Build,
}

pub(crate) struct QueueInner {
    device: Arc<Device>,
    queue_id: u32,
    doorbells: Arc<Doorbells>,
    doorbell: u64,
    event: u32,
    /// All packets before this one are complete.
    retired: AtomicU64,
    /// The wait that ended at its time limit: nobody waits for that work a second time when the queue is dropped.
    hung: Mutex<Option<Error>>,
    state: Mutex<State>,
    /// Held by a whole launch: one producer at a time. The scratch memory and its bytes per work-item.
    producer: Mutex<Option<(GpuMem, u64)>>,
    ring: GpuMem,
    /// Slot `SLOTS` is the queue's error signal.
    signals: GpuMem,
    kernargs: GpuMem,
    /// One report per slot, made with the first checked launch.
    reports: OnceLock<GpuMem>,
    stops: Arc<Stops>,
    amd_queue: GpuMem,
    _eop: GpuMem,
    _save_area: GpuMem,
}

#[derive(Default)]
struct State {
    next: u64,
    kernarg_head: u64,
    kernarg_tail: u64,
    in_flight: VecDeque<InFlight>,
}

struct InFlight {
    name: String,
    kernarg_end: u64,
    /// Keeps the code on the device.
    kernel: Kernel,
}

/// A point in a queue: reached when the launch it stands for is complete.
#[derive(Clone, Debug)]
pub(crate) struct Fence {
    queue: Weak<QueueInner>,
    stops: Arc<Stops>,
    index: u64,
}

impl Fence {
    /// Complete? A queue that is gone has completed everything.
    pub fn is_done(&self) -> bool {
        self.queue.upgrade().is_none_or(|q| q.is_retired(self.index))
    }

    /// Waits until what the launch should have done is there; an error if it or one before it stopped.
    pub fn wait(&self, device: &Device) -> Result<()> {
        match self.queue.upgrade() {
            Some(q) => q.wait_for(self.index),
            None => {
                device.check()?;
                self.stops.check(self.index, 0)
            }
        }
    }

    /// Waits until the launch uses its memory no more.
    pub fn wait_over(&self, device: &Device) -> Result<()> {
        match self.queue.upgrade() {
            Some(q) => q.wait_over(self.index),
            None => device.check(),
        }
    }

    pub fn is_of(&self, queue: &Arc<QueueInner>) -> bool {
        std::ptr::eq(self.queue.as_ptr(), Arc::as_ptr(queue))
    }
}

/// A launch that was submitted. Dropping it waits for nothing.
#[derive(Clone, Debug)]
pub struct Submission {
    fence: Option<Fence>,
    device: Arc<Device>,
}

impl Submission {
    /// True once the launch is complete.
    pub fn is_done(&self) -> bool {
        self.fence.as_ref().is_none_or(Fence::is_done)
    }

    /// Whether there was nothing to do: a grid of no workgroup.
    pub(crate) fn is_empty(&self) -> bool {
        self.fence.is_none()
    }

    /// Waits until the launch is complete.
    pub fn wait(&self) -> Result<()> {
        match &self.fence {
            Some(f) => f.wait(&self.device),
            None => self.device.check(),
        }
    }

    /// Time from start to end on the device (10 ns steps), while the queue still remembers it.
    pub fn duration(&self) -> Option<Duration> {
        let f = self.fence.as_ref().filter(|f| f.is_done())?;
        let q = f.queue.upgrade()?;
        let s = lock(&q.state);
        if s.next - f.index > SLOTS {
            return None;
        }
        let at = |o: usize| {
            q.signals
                .atomic_u64(f.index % SLOTS * SIGNAL_BYTES + o as u64)
                .load(Ordering::Relaxed)
        };
        let ticks = at(offset_of!(AmdSignal, end_ts)).checked_sub(at(offset_of!(AmdSignal, start_ts)))?;
        Some(Duration::from_nanos(ticks * 10))
    }
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Device")
    }
}

impl std::fmt::Debug for QueueInner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Queue({})", self.queue_id)
    }
}

impl Queue {
    pub(crate) fn new(gpu: &Gpu) -> Result<Queue> {
        let device = gpu.device.clone();
        let inner = Arc::new(QueueInner::new(device)?);
        let mut queues = lock(&gpu.device.queues);
        queues.retain(|q| q.strong_count() > 0);
        queues.push(Arc::downgrade(&inner));
        drop(queues);
        let checked = crate::module::checked_from_environment()?;
        Ok(Queue {
            inner,
            build: Build { checked, plain: false },
        })
    }

    /// Whether everything launched through it has checked indices.
    pub(crate) fn is_checked(&self) -> bool {
        self.build.checked
    }

    /// The same queue for launches with checked indices (or not, unless the kernel asks for it with `#[kernel(checked)]`):
    /// a kernel stops at the first index out of range, and whoever waits for it gets [`Error::OutOfRange`].
    #[must_use]
    pub fn with_checked(mut self, checked: bool) -> Queue {
        self.build.checked = checked;
        self
    }

    /// The same queue for launches of kernels compiled without the passes that only make code better (or with them, as
    /// usual): to find out whether a pass is to blame.
    #[must_use]
    pub fn with_plain_code(mut self, plain: bool) -> Queue {
        self.build.plain = plain;
        self
    }

    /// Compiles (once), checks and submits a launch; returns before it has run.
    pub fn launch(&self, k: impl Launch) -> Result<Submission> {
        let mut key = k.kernel();
        key.build.checked |= self.build.checked;
        key.build.plain |= self.build.plain;
        let kernel = crate::module::kernel_for(&self.gpu(), &key)?;
        let mut args = Args::new(&self.inner, kernel.name());
        k.bind(&mut args)?;
        self.submit(&kernel, args)
    }

    /// Submits a loaded kernel with checked arguments.
    pub fn submit(&self, kernel: &Kernel, args: Args) -> Result<Submission> {
        let group = kernel.group_size()?;
        let groups = args.groups(group, kernel.wave_size())?;
        let (kernarg, uses) = args.finish()?;
        // A buffer last used in another queue: that use must be over first.
        for f in uses.iter().flat_map(|u| u.waits_for(&self.inner)) {
            f.wait(&self.inner.device)?;
        }
        let fence = self.inner.dispatch(kernel, groups, group, &kernarg)?;
        if let Some(f) = &fence {
            uses.iter().for_each(|u| u.note(f));
        }
        Ok(Submission {
            fence,
            device: self.inner.device.clone(),
        })
    }

    /// Submits a loaded kernel with raw argument bytes: `groups` workgroups of `group` work-items. The caller keeps the
    /// memory the arguments point to.
    pub fn dispatch(&self, kernel: &Kernel, groups: [u64; 3], group: [u32; 3], kernarg: &[u8]) -> Result<Submission> {
        let fence = self.inner.dispatch(kernel, groups, group, kernarg)?;
        Ok(Submission {
            fence,
            device: self.inner.device.clone(),
        })
    }

    /// Arguments for [`Queue::submit`].
    pub fn args(&self, kernel: &Kernel) -> Args {
        Args::new(&self.inner, kernel.name())
    }

    /// Waits until everything submitted is complete.
    pub fn wait(&self) -> Result<()> {
        self.inner.wait_idle()
    }

    /// The device.
    pub fn gpu(&self) -> Gpu {
        Gpu {
            device: self.inner.device.clone(),
        }
    }
}

impl QueueInner {
    fn new(device: Arc<Device>) -> Result<Self> {
        device.check()?;
        let driver = &device.driver;
        let sizes = QueueSizes::of(&driver.node);
        let mem = |len, kind, name| GpuMem::new(driver, len, kind, name);
        let ring = mem(SLOTS * PACKET_BYTES as u64, Kind::Gtt, "a queue's ring")?;
        let signals = mem((SLOTS + 1) * SIGNAL_BYTES, Kind::Gtt, "a queue's signals")?;
        let kernargs = mem(KERNARG_BYTES, Kind::Kernarg, "kernel arguments")?;
        let amd_queue = mem(size_of::<AmdQueue>() as u64, Kind::Gtt, "a queue's state")?;
        let eop = mem(sizes.eop, Kind::Hidden, "a queue's end-of-pipe buffer")?;
        let save_area = mem(sizes.ctx_buffer, Kind::Hidden, "a queue's context save area")?;
        for own in [&ring, &signals, &kernargs, &amd_queue, &eop, &save_area] {
            own.guard();
        }
        for slot in 0..SLOTS {
            ring.atomic_u32(slot * PACKET_BYTES as u64)
                .store(PacketType::Invalid as u32, Ordering::Relaxed);
        }
        let mut e = CreateEvent {
            event_type: uapi::EVENT_SIGNAL,
            auto_reset: 1,
            ..Default::default()
        };
        driver.kfd.create_event(&mut e)?;
        let event = DestroyOnDrop {
            device: &device,
            event: Some(e.event_id),
        };
        let signal = AmdSignal {
            kind: aql::SIGNAL_KIND_USER,
            event_mailbox_ptr: device.event_slot(e.event_slot_index),
            event_id: e.event_id,
            ..Default::default()
        };
        for slot in 0..=SLOTS {
            signals.write(slot * SIGNAL_BYTES, bytemuck::bytes_of(&signal));
        }
        let error_signal = signals.va() + SLOTS * SIGNAL_BYTES;
        amd_queue.write(
            0,
            bytemuck::bytes_of(&amd_queue_of(&driver.node, ring.va(), error_signal)),
        );
        let mut a = CreateQueue {
            ring_base_address: ring.va(),
            write_pointer_address: amd_queue.va() + aql::QUEUE_WRITE_ID,
            read_pointer_address: amd_queue.va() + aql::QUEUE_READ_ID,
            ring_size: (SLOTS * PACKET_BYTES as u64) as u32,
            gpu_id: driver.gpu_id(),
            queue_type: uapi::QUEUE_TYPE_COMPUTE_AQL,
            queue_percentage: 100,
            queue_priority: 7,
            eop_buffer_address: eop.va(),
            eop_buffer_size: sizes.eop,
            ctx_save_restore_address: save_area.va(),
            ctx_save_restore_size: sizes.ctx_save_restore as u32,
            ctl_stack_size: sizes.ctl_stack as u32,
            ..Default::default()
        };
        driver.kfd.create_queue(&mut a)?;
        let doorbells = device.doorbells(a.doorbell_offset).inspect_err(|_| {
            let _ = driver.kfd.destroy_queue(a.queue_id);
        })?;
        let event = event.keep();
        Ok(QueueInner {
            queue_id: a.queue_id,
            doorbells,
            doorbell: a.doorbell_offset & (uapi::DOORBELL_BYTES - 1),
            event,
            retired: AtomicU64::new(0),
            hung: Mutex::default(),
            state: Mutex::default(),
            producer: Mutex::default(),
            ring,
            signals,
            kernargs,
            reports: OnceLock::new(),
            stops: Arc::default(),
            amd_queue,
            _eop: eop,
            _save_area: save_area,
            device,
        })
    }

    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    fn value(&self, slot: u64) -> i64 {
        self.signals
            .atomic_i64(slot * SIGNAL_BYTES + aql::SIGNAL_VALUE)
            .load(Ordering::Acquire)
    }

    /// Why firmware stopped the queue, if it did.
    pub fn error(&self) -> Option<String> {
        let bits = self.value(SLOTS);
        let named: [(i64, &str); 9] = [
            (aql::QUEUE_ERROR_DIMS, "wrong dimensions"),
            (aql::QUEUE_ERROR_GROUP_MEMORY, "wrong LDS size"),
            (aql::QUEUE_ERROR_CODE, "invalid kernel object"),
            (aql::QUEUE_ERROR_PACKET | aql::QUEUE_ERROR_VENDOR, "unsupported packet"),
            (aql::QUEUE_ERROR_WORKGROUP, "wrong workgroup size"),
            (aql::QUEUE_ERROR_REGISTERS, "too many registers"),
            (aql::QUEUE_ERROR_APERTURE, "an address outside of every aperture"),
            (aql::QUEUE_ERROR_ILLEGAL_INSTRUCTION, "an illegal instruction"),
            (aql::QUEUE_ERROR_TRAP, "a trap"),
        ];
        let what: Vec<&str> = named.iter().filter(|(b, _)| bits & b != 0).map(|(_, n)| *n).collect();
        match (bits, what.is_empty()) {
            (0, _) => None,
            (_, true) => Some(format!("the queue stopped with code {bits:#x}")),
            _ => Some(format!("the queue stopped because of {}", what.join(" and "))),
        }
    }

    /// Name of the oldest launch that is not complete.
    pub fn oldest(&self) -> Option<String> {
        let mut s = lock(&self.state);
        self.retire(&mut s);
        s.in_flight.front().map(|f| f.name.clone())
    }

    fn is_retired(&self, index: u64) -> bool {
        if self.retired.load(Ordering::Acquire) > index {
            return true;
        }
        self.retire(&mut lock(&self.state));
        self.retired.load(Ordering::Acquire) > index
    }

    /// Drops the entries of complete packets.
    fn retire(&self, s: &mut State) {
        let mut index = self.retired.load(Ordering::Acquire);
        while index < s.next && self.value(index % SLOTS) <= 0 {
            if let Some(f) = s.in_flight.pop_front() {
                s.kernarg_tail = f.kernarg_end;
                self.look_at_report(index, &f);
            }
            index += 1;
        }
        self.retired.store(index, Ordering::Release);
    }

    /// Notes that a launch stopped, if it did.
    fn look_at_report(&self, packet: u64, f: &InFlight) {
        let (Some(checks), Some(reports)) = (f.kernel.checks(), self.reports.get()) else {
            return;
        };
        let mut words = [0u32; Report::WORDS as usize];
        reports.read(packet % SLOTS * REPORT_BYTES, bytemuck::cast_slice_mut(&mut words));
        if let Some(report) = Report::from_words(&words) {
            self.stops.add(packet, checks.error(f.name.clone(), report));
        }
    }

    /// The reports' memory. It is video memory, where atomics are executed by the GPU's own cache.
    fn reports(&self) -> Result<&GpuMem> {
        if let Some(mem) = self.reports.get() {
            return Ok(mem);
        }
        let mem = self
            .device
            .alloc(SLOTS * REPORT_BYTES, Kind::Vram, "a queue's reports")?;
        Ok(self.reports.get_or_init(|| mem))
    }

    fn status(&self) -> Option<QueueStatus> {
        self.device.driver.kfd.queue_status(self.queue_id)
    }

    /// Waits for a packet; an error if its launch or one before it stopped.
    fn wait_for(&self, index: u64) -> Result<()> {
        self.wait_over(index)?;
        let next = lock(&self.state).next;
        self.stops.check(index, next)
    }

    /// Waits until a packet is complete.
    fn wait_over(&self, index: u64) -> Result<()> {
        let what = || {
            // What holds everything up is the oldest launch, whichever one is waited for.
            let kernel = self.oldest().unwrap_or_default();
            let packet = self.retired.load(Ordering::Acquire);
            (
                format!("kernel `{kernel}` (packet {packet} of queue {})", self.queue_id),
                self.status(),
            )
        };
        let ended = self.device.wait_until(|| self.is_retired(index), self.event, what);
        if let Err(e @ Error::Timeout { .. }) = &ended {
            *lock(&self.hung) = Some(e.clone());
        }
        ended.and_then(|()| self.device.check_findings())
    }

    pub fn wait_idle(&self) -> Result<()> {
        let next = lock(&self.state).next;
        match next.checked_sub(1) {
            Some(last) => self.wait_for(last),
            None => self.device.check(),
        }
    }

    /// Waits until nothing is in flight.
    fn drain(&self) -> Result<()> {
        let next = lock(&self.state).next;
        match next.checked_sub(1) {
            Some(last) => self.wait_over(last),
            None => self.device.check(),
        }
    }

    /// A lock on the state with a free slot and `kernarg` bytes of argument space; waits for them.
    fn reserve(&self, kernarg: u64) -> Result<(std::sync::MutexGuard<'_, State>, u64)> {
        loop {
            let mut s = lock(&self.state);
            self.retire(&mut s);
            let full = s.next - self.retired.load(Ordering::Acquire) >= SLOTS;
            // Skip the end of the ring when the arguments would not fit before it.
            let start = s.kernarg_head.next_multiple_of(KERNARG_ALIGN);
            let room = KERNARG_BYTES - start % KERNARG_BYTES;
            let start = if room < kernarg { start + room } else { start };
            if !full && start + kernarg - s.kernarg_tail <= KERNARG_BYTES {
                return Ok((s, start));
            }
            let oldest = self.retired.load(Ordering::Acquire);
            drop(s);
            self.wait_over(oldest)?;
        }
    }

    /// Submits one dispatch; nothing for an empty grid.
    fn dispatch(
        self: &Arc<Self>,
        kernel: &Kernel,
        groups: [u64; 3],
        group: [u32; 3],
        kernarg: &[u8],
    ) -> Result<Option<Fence>> {
        self.device.check()?;
        self.device.bury();
        kernel.check_launch(&self.device, group, kernarg.len() as u64)?;
        let mut grid = [0; 3];
        for i in 0..3 {
            let items = groups[i]
                .checked_mul(u64::from(group[i]))
                .and_then(|n| u32::try_from(n).ok());
            grid[i] = items.ok_or_else(|| Error::Grid {
                kernel: kernel.name().into(),
                groups,
                group,
            })?;
        }
        if grid.contains(&0) {
            return Ok(None);
        }
        let mut scratch = lock(&self.producer);
        if kernel.scratch_bytes() > 0 {
            self.provide_scratch(&mut scratch, scratch_of_wave(kernel)?)?;
        }
        let reports = kernel.checks().map(|_| self.reports()).transpose()?;
        let mut kernarg = kernarg.to_vec();
        if reports.is_some() {
            kernarg.resize(kernarg.len().next_multiple_of(8) + 8, 0);
        }
        let (mut s, start) = self.reserve(kernarg.len() as u64)?;
        if let Some(reports) = reports {
            let at = s.next % SLOTS * REPORT_BYTES;
            reports.write(at, &[0; REPORT_BYTES as usize]);
            let last = kernarg.len() - 8;
            kernarg[last..].copy_from_slice(&(reports.va() + at).to_le_bytes());
        }
        self.kernargs.write(start % KERNARG_BYTES, &kernarg);
        let dims = if grid[2] > 1 || group[2] > 1 {
            3
        } else if grid[1] > 1 || group[1] > 1 {
            2
        } else {
            1
        };
        let packet = DispatchPacket {
            header: aql::header(PacketType::Dispatch, true, FenceScope::System, FenceScope::System),
            setup: dims,
            workgroup: group.map(|g| g as u16),
            grid,
            private_segment_size: kernel.scratch_bytes(),
            group_segment_size: kernel.lds_bytes(),
            kernel_object: kernel.descriptor_va(),
            kernarg_address: self.kernargs.va() + start % KERNARG_BYTES,
            completion_signal: self.signals.va() + s.next % SLOTS * SIGNAL_BYTES,
            ..Default::default()
        };
        s.kernarg_head = start + kernarg.len() as u64;
        let entry = InFlight {
            name: kernel.name().into(),
            kernarg_end: s.kernarg_head,
            kernel: kernel.clone(),
        };
        let index = self.publish(&mut s, bytemuck::bytes_of(&packet), entry);
        Ok(Some(Fence {
            queue: Arc::downgrade(self),
            stops: self.stops.clone(),
            index,
        }))
    }

    /// Writes one packet and rings the doorbell. There must be a free slot.
    fn publish(&self, s: &mut State, packet: &[u8], entry: InFlight) -> u64 {
        let index = s.next;
        let slot = index % SLOTS;
        self.signals
            .atomic_i64(slot * SIGNAL_BYTES + aql::SIGNAL_VALUE)
            .store(1, Ordering::Release);
        let at = slot * PACKET_BYTES as u64;
        let (head, body) = packet.split_at(4);
        self.ring.write(at + 4, body);
        let head = u32::from_le_bytes([head[0], head[1], head[2], head[3]]);
        self.ring.atomic_u32(at).store(head, Ordering::Release);
        s.in_flight.push_back(entry);
        s.next += 1;
        self.amd_queue
            .atomic_u64(aql::QUEUE_WRITE_ID)
            .store(s.next, Ordering::Release);
        ring(&self.doorbells, self.doorbell, index);
        index
    }

    /// Makes sure every wave the GPU can hold has `wave_bytes` of scratch.
    ///
    /// UNVERIFIED(hw): the descriptor's last word is the one ROCr writes on gfx11.
    fn provide_scratch(&self, scratch: &mut Option<(GpuMem, u64)>, wave_bytes: u64) -> Result<()> {
        if scratch.as_ref().is_some_and(|(_, have)| *have >= wave_bytes) {
            return Ok(());
        }
        // Waves in flight use the old memory.
        self.drain()?;
        let node = &self.device.driver.node;
        let per_cu = match node.max_slots_scratch_cu {
            0 => SCRATCH_SLOTS,
            n => n.into(),
        };
        // Fewer waves at a time when that would take too much memory, but one whole workgroup per engine at least.
        let engines = u64::from(node.shader_engines().max(1));
        let most = u64::from(node.cu_count()) * per_cu / engines;
        let per_engine = most.min(SCRATCH_LIMIT / wave_bytes / engines).max(GROUP_WAVES);
        let waves = per_engine * engines;
        let mem = self.device.alloc(waves * wave_bytes, Kind::Hidden, "scratch memory")?;
        let (va, bytes) = (mem.va(), waves * wave_bytes);
        let tmpring = (wave_bytes / 256) << 12 | per_engine;
        let descriptor = [va as u32, (va >> 32) as u32 | 0x4000_0000, bytes as u32, 0x2081_4fac];
        let q = &self.amd_queue;
        q.write(
            offset_of!(AmdQueue, scratch_resource_descriptor) as u64,
            bytemuck::bytes_of(&descriptor),
        );
        q.write(
            offset_of!(AmdQueue, scratch_backing_memory_location) as u64,
            &va.to_le_bytes(),
        );
        q.write(
            offset_of!(AmdQueue, scratch_backing_memory_byte_size) as u64,
            &bytes.to_le_bytes(),
        );
        q.write(
            offset_of!(AmdQueue, scratch_wave64_lane_byte_size) as u64,
            &((wave_bytes / 64) as u32).to_le_bytes(),
        );
        q.atomic_u32(offset_of!(AmdQueue, compute_tmpring_size) as u64)
            .store(tmpring as u32, Ordering::Release);
        *scratch = Some((mem, wave_bytes));
        Ok(())
    }
}

/// Scratch bytes of one wave of a kernel.
///
/// Errors: [`Error::Scratch`] when WAVESIZE cannot say so much.
fn scratch_of_wave(kernel: &Kernel) -> Result<u64> {
    let lanes = u64::from(kernel.wave_size());
    let wave = (lanes * u64::from(kernel.scratch_bytes())).next_multiple_of(256);
    if wave > MAX_WAVE_SCRATCH {
        return Err(Error::Scratch {
            kernel: kernel.name().into(),
            bytes: kernel.scratch_bytes(),
            most: (MAX_WAVE_SCRATCH / lanes) as u32,
        });
    }
    Ok(wave)
}

impl Drop for QueueInner {
    fn drop(&mut self) {
        // The queue goes in any case; whoever waits for a result of what it had in flight gets the error.
        let hung = lock(&self.hung).take().filter(|_| self.oldest().is_some());
        if let Err(e) = hung.map_or_else(|| self.drain(), Err) {
            if let Some(kernel) = self.oldest() {
                self.device.abandon(kernel, &e);
            }
        }
        let kfd = &self.device.driver.kfd;
        let _ = kfd.destroy_queue(self.queue_id);
        let _ = kfd.destroy_event(self.event);
    }
}

/// Destroys an event unless it is kept.
struct DestroyOnDrop<'a> {
    device: &'a Device,
    event: Option<u32>,
}

impl DestroyOnDrop<'_> {
    fn keep(mut self) -> u32 {
        self.event.take().unwrap_or_default()
    }
}

impl Drop for DestroyOnDrop<'_> {
    fn drop(&mut self) {
        if let Some(e) = self.event {
            let _ = self.device.driver.kfd.destroy_event(e);
        }
    }
}

fn amd_queue_of(node: &t0_kfd::Node, ring: u64, error_signal: u64) -> AmdQueue {
    AmdQueue {
        features: 1,
        base_address: ring,
        size: SLOTS as u32,
        // LDS aperture at 1 << 48, scratch aperture at 2 << 48.
        group_segment_aperture_base_hi: 0x1_0000,
        private_segment_aperture_base_hi: 0x2_0000,
        max_cu_id: node.cu_count().saturating_sub(1),
        max_wave_id: 31,
        read_dispatch_id_field_base_byte_offset: aql::QUEUE_READ_ID as u32,
        queue_properties: aql::QUEUE_PROPERTY_IS_PTR64 | aql::QUEUE_PROPERTY_ENABLE_PROFILING,
        queue_inactive_signal: error_signal,
        ..bytemuck::Zeroable::zeroed()
    }
}
