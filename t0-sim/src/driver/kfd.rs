//! [`SimKfd`]: the kernel's side of every ioctl, with the kernel's errno.
//!
//! Invariant: what Linux ≥ 6.12 refuses is refused here with the same errno, and the reason the kernel keeps to its
//! debug log is in the error's detail. Not simulated: user pointers, doorbell and MMIO buffers, PM4 and SDMA queues, SVM.
//!
//! Source: `kfd_chardev.c`, `amdgpu_amdkfd_gpuvm.c`, `kfd_process.c`, `kfd_doorbell.c`.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use t0_backend_rdna3::object::CodeObject;
use t0_ir::testing::Rng;
use t0_kfd::uapi::{self, CreateEvent, CreateQueue, EventData, GetClockCounters};
use t0_kfd::{
    Allocation, Doorbells, Errno, FaultDetail, Found, Kfd, KfdError, Node, QueueSizes, QueueStatus, Stores, Topology,
    VaRange, WaitOutcome,
};

use super::access::Clocks;
use super::arena::{lock, PAGE, POISON};
use super::events::{Events, Refusal};
use super::processor::Processor;
use super::vm::{PageFlags, Vm};
use super::{queue, DispatchStats, Executor, Finding, Severity, Watch};

/// A simulated Radeon (RX 7900 XTX unless told otherwise) behind a simulated KFD, in this process.
pub struct SimKfd {
    shared: Arc<Shared>,
    state: Mutex<State>,
    inject: Mutex<Option<(u32, Errno)>>,
}

/// What the driver and its queue threads share.
pub(super) struct Shared {
    pub node: Node,
    pub vm: Arc<Vm>,
    pub events: Events,
    pub executor: Arc<dyn Executor>,
    /// Set by the first fault: no queue takes another packet.
    pub stopped: AtomicBool,
    fault: Mutex<Option<FaultDetail>>,
    stats: Mutex<DispatchStats>,
    /// Longest stall in ns (0: none) and the state of the random numbers.
    torture: [AtomicU64; 2],
}

impl Shared {
    /// Stops all queues; the first fault is the one that is reported.
    pub fn record(&self, detail: FaultDetail) {
        lock(&self.fault).get_or_insert(detail);
        self.stopped.store(true, Ordering::Release);
    }

    /// Sleeps a random time when torture is on.
    pub fn stall(&self) {
        let max = self.torture[0].load(Ordering::Relaxed);
        if max == 0 {
            return;
        }
        // Any thread may take the next number.
        let seed = self.torture[1].fetch_add(1, Ordering::Relaxed);
        thread::sleep(Duration::from_nanos(Rng::new(seed).bits() % max));
    }

    pub fn count(&self, s: &DispatchStats) {
        let mut all = lock(&self.stats);
        all.workgroups += s.workgroups;
        all.waves += s.waves;
        all.instructions += s.instructions;
        if let Some(c) = s.cycles {
            all.cycles = Some(all.cycles.unwrap_or(0) + c);
        }
        drop(all);
        self.keep_findings(&s.findings);
    }

    /// Keeps findings until the client asks for them, also those of a launch that faulted.
    pub fn keep_findings(&self, new: &[Finding]) {
        let kept = &mut lock(&self.stats).findings;
        let room = MAX_FINDINGS.saturating_sub(kept.len());
        kept.extend(new.iter().take(room).cloned());
    }
}

#[derive(Default)]
struct State {
    vm_acquired: bool,
    runtime_enabled: bool,
    buffers: BTreeMap<u64, Buffer>,
    next_buffer: u64,
    vram_used: u64,
    queues: BTreeMap<u32, Queue>,
    next_queue: u32,
    doorbells: Vec<bool>,
}

/// One buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Buffer {
    pub va: u64,
    pub size: u64,
    pub mapped: bool,
    flags: u32,
    offset: u64,
    held_by_queues: u32,
}

struct Queue {
    cancel: Arc<AtomicBool>,
    thread: JoinHandle<()>,
    status: Arc<Mutex<QueueStatus>>,
    watch: Arc<Watch>,
    held: Vec<u64>,
    doorbell: u32,
}

const MAX_QUEUES: usize = 1024;
/// Findings kept until the client asks for them.
const MAX_FINDINGS: usize = 256;
/// How long a running kernel may take to say where its waves stand.
const ANSWER_LIMIT: Duration = Duration::from_secs(1);
/// How long DESTROY_QUEUE waits for a running kernel.
const PREEMPTION_LIMIT: Duration = Duration::from_secs(9);
/// Host-invisible buffers above this size (context save areas) stay zero: filling them costs more than it finds.
const POISON_LIMIT: u64 = 16 << 20;
const TYPES: u32 =
    uapi::ALLOC_VRAM | uapi::ALLOC_GTT | uapi::ALLOC_USERPTR | uapi::ALLOC_DOORBELL | uapi::ALLOC_MMIO_REMAP;

fn invalid<T>(why: impl Into<String>) -> Result<T, Refusal> {
    Err((Errno::EINVAL, why.into()))
}

impl SimKfd {
    /// A 7900 XTX whose kernels `executor` runs.
    pub fn new(executor: Arc<dyn Executor>) -> Result<Self, KfdError> {
        Self::with_node(Node::rx7900xtx(), executor)
    }

    /// A card of another shape.
    pub fn with_node(node: Node, executor: Arc<dyn Executor>) -> Result<Self, KfdError> {
        let vm = Vm::new().map_err(|e| KfdError::Simulated { what: e.to_string() })?;
        let shared = Shared {
            node,
            vm: Arc::new(vm),
            events: Events::default(),
            executor,
            stopped: AtomicBool::new(false),
            fault: Mutex::default(),
            stats: Mutex::default(),
            torture: Default::default(),
        };
        Ok(SimKfd {
            shared: Arc::new(shared),
            state: Mutex::default(),
            inject: Mutex::default(),
        })
    }

    /// The GPU's address space.
    pub fn vm(&self) -> &Vm {
        &self.shared.vm
    }

    /// Leaves kernels only the `len` bytes from `va` on of the buffer that starts at `home`, under this name in
    /// messages; every other access to the buffer is a fault, see [`Vm::narrow`]. False if the bytes are not in it.
    pub fn narrow_memory(&self, home: u64, va: u64, len: u64, name: &str) -> bool {
        self.shared.vm.narrow(home, va, len, name)
    }

    /// Nobody has written the `len` bytes at `va`, whatever the host put there: a sanitizer reports who uses them.
    pub fn unwritten_memory(&self, va: u64, len: u64) {
        self.shared.vm.set_unwritten(va, len);
    }

    /// The fault that stopped the card, if one did.
    pub fn last_fault(&self) -> Option<FaultDetail> {
        lock(&self.shared.fault).clone()
    }

    /// Sums over all dispatches that completed; findings also of those that faulted.
    pub fn stats(&self) -> DispatchStats {
        lock(&self.shared.stats).clone()
    }

    /// Buffers that are allocated now: 0 after a client cleaned up.
    pub fn live_buffers(&self) -> usize {
        lock(&self.state).buffers.len()
    }

    #[cfg(test)]
    pub(super) fn state_handle_at(&self, va: u64) -> u64 {
        lock(&self.state)
            .buffers
            .iter()
            .find(|(_, b)| b.va == va)
            .map_or(0, |(h, _)| *h)
    }

    /// Stalls packet processing by random times up to `max` at every step a client can observe: before a packet is
    /// read, between read index and execution, before completion and before its event. Zero switches it off.
    pub fn torture(&self, max: Duration, seed: u64) {
        self.shared.torture[1].store(seed, Ordering::Relaxed);
        self.shared.torture[0].store(max.as_nanos() as u64, Ordering::Relaxed);
    }

    /// Makes the call after the next `after` ones fail with `errno`, once: for tests of error paths.
    pub fn fail_call(&self, after: u32, errno: Errno) {
        *lock(&self.inject) = Some((after, errno));
    }

    /// Runs one ioctl: injected failures first, then `f` on the driver's state.
    fn call<T>(&self, call: &'static str, f: impl FnOnce(&mut State) -> Result<T, Refusal>) -> Result<T, KfdError> {
        self.injected(call)?;
        f(&mut lock(&self.state)).map_err(|r| refused(call, r))
    }

    fn injected(&self, call: &'static str) -> Result<(), KfdError> {
        let mut inject = lock(&self.inject);
        match inject.as_mut() {
            Some((0, errno)) => {
                let errno = *errno;
                *inject = None;
                Err(refused(call, (errno, "injected failure".into())))
            }
            Some((n, _)) => {
                *n -= 1;
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn check_gpu(&self, gpu_id: u32) -> Result<(), Refusal> {
        if gpu_id != self.shared.node.gpu_id {
            return invalid(format!("no GPU {gpu_id}"));
        }
        Ok(())
    }

    fn change_mapping(&self, handle: u64, gpu_ids: &[u32], on: bool) -> Result<u32, KfdError> {
        let call = if on {
            "MAP_MEMORY_TO_GPU"
        } else {
            "UNMAP_MEMORY_FROM_GPU"
        };
        self.call(call, |s| {
            if gpu_ids.is_empty() {
                return invalid("n_devices is 0");
            }
            self.check_gpu((handle >> 32) as u32)?;
            if !s.vm_acquired {
                return Err((Errno::ENODEV, "ACQUIRE_VM must come first".into()));
            }
            let unknown = (Errno::ENOMEM, format!("no buffer with handle {handle:#x}"));
            let b = s.buffers.get_mut(&handle).ok_or(unknown)?;
            for (done, &id) in gpu_ids.iter().enumerate() {
                if let Err(e) = self.check_gpu(id) {
                    return if done == 0 { Err(e) } else { Ok(done as u32) };
                }
                self.change_one(b, on)?;
            }
            Ok(gpu_ids.len() as u32)
        })
    }

    fn change_one(&self, b: &mut Buffer, on: bool) -> Result<(), Refusal> {
        let vm = &self.shared.vm;
        match (on, b.mapped) {
            (true, true) => {}
            (true, false) => {
                if !vm.map(b.va, b.size, b.offset, page_flags(b.flags)) {
                    return invalid(format!("the addresses {:#x}+{:#x} are mapped already", b.va, b.size));
                }
                b.mapped = true;
            }
            (false, false) => return invalid("the buffer is not mapped"),
            (false, true) => {
                if b.held_by_queues > 0 {
                    return Err((Errno::EBUSY, "a queue uses the buffer".into()));
                }
                vm.unmap(b.va);
                b.mapped = false;
            }
        }
        Ok(())
    }

    fn allocate(&self, s: &mut State, gpu_id: u32, range: &VaRange, flags: u32) -> Result<Allocation, Refusal> {
        let (va, size) = (range.va(), range.len());
        self.check_gpu(gpu_id)?;
        if !s.vm_acquired {
            return Err((Errno::ENODEV, "ACQUIRE_VM must come first".into()));
        }
        if size == 0 || size % PAGE != 0 || va % PAGE != 0 || va >> 47 != 0 {
            return invalid(format!("{size:#x} bytes at {va:#x} are not whole pages below 2^47"));
        }
        let vram = match flags & TYPES {
            uapi::ALLOC_VRAM => true,
            uapi::ALLOC_GTT => false,
            0 => return invalid("flags name no type of memory"),
            t => return invalid(format!("memory type {t:#x} is not simulated, use VRAM (1) or GTT (2)")),
        };
        if vram && flags & uapi::ALLOC_PUBLIC != 0 && !self.shared.node.large_bar {
            return invalid("host-visible VRAM needs a large BAR");
        }
        if vram && s.vram_used + size > self.shared.node.vram_bytes {
            let free = self.shared.node.vram_bytes - s.vram_used;
            return Err((
                Errno::ENOMEM,
                format!("{size} bytes asked for, {free} bytes of VRAM are free"),
            ));
        }
        let arena = self.shared.vm.arena();
        let offset = arena.take(size).map_err(|e| (Errno::ENOMEM, e.to_string()))?;
        if vram && (flags & uapi::ALLOC_PUBLIC != 0 || size <= POISON_LIMIT) {
            arena.fill(offset, size, POISON);
        }
        let handle = u64::from(gpu_id) << 32 | s.next_buffer;
        s.next_buffer += 1;
        s.vram_used += if vram { size } else { 0 };
        s.buffers.insert(
            handle,
            Buffer {
                va,
                size,
                mapped: false,
                flags,
                offset,
                held_by_queues: 0,
            },
        );
        self.shared.vm.name(
            va,
            size,
            if vram {
                "a VRAM buffer"
            } else {
                "a system memory buffer"
            },
        );
        Ok(Allocation {
            handle,
            mmap_offset: offset,
        })
    }

    fn start_queue(&self, s: &mut State, a: &mut CreateQueue) -> Result<(), Refusal> {
        let gpu_id = self.shared.node.gpu_id;
        let sizes = QueueSizes::of(&self.shared.node);
        let held = queue::check(a, gpu_id, s.vm_acquired, &sizes, &s.buffers, &self.shared.vm)?;
        let doorbell = s.doorbells.iter().position(|used| !used).unwrap_or(s.doorbells.len());
        if doorbell >= MAX_QUEUES {
            return Err((Errno::ENOSPC, format!("all {MAX_QUEUES} doorbells are in use")));
        }
        self.shared
            .vm
            .doorbell(doorbell as u32)
            .store(u64::MAX, Ordering::Release);
        let cancel = Arc::new(AtomicBool::new(false));
        let status = Arc::new(Mutex::new(QueueStatus {
            doorbell: u64::MAX,
            ..Default::default()
        }));
        let watch = Arc::new(Watch::default());
        let processor = Processor {
            shared: self.shared.clone(),
            queue_id: s.next_queue,
            doorbell: doorbell as u32,
            ring_va: a.ring_base_address,
            slots: u64::from(a.ring_size) / t0_kfd::aql::PACKET_BYTES as u64,
            write_index_va: a.write_pointer_address,
            read_index_va: a.read_pointer_address,
            cancel: cancel.clone(),
            status: status.clone(),
            watch: watch.clone(),
        };
        let thread = thread::Builder::new()
            .name(format!("t0-sim-queue-{}", s.next_queue))
            .spawn(move || processor.run())
            .map_err(|e| (Errno::ENOMEM, format!("cannot start a thread: {e}")))?;
        if doorbell == s.doorbells.len() {
            s.doorbells.push(true);
        } else {
            s.doorbells[doorbell] = true;
        }
        for h in &held {
            if let Some(b) = s.buffers.get_mut(h) {
                b.held_by_queues += 1;
            }
        }
        a.queue_id = s.next_queue;
        a.doorbell_offset = uapi::mmap_offset(uapi::MMAP_TYPE_DOORBELL, gpu_id) | (doorbell as u64 * 8);
        s.queues.insert(
            s.next_queue,
            Queue {
                cancel,
                thread,
                status,
                watch,
                held,
                doorbell: doorbell as u32,
            },
        );
        s.next_queue += 1;
        Ok(())
    }
}

fn page_flags(flags: u32) -> PageFlags {
    PageFlags {
        writable: flags & uapi::ALLOC_WRITABLE != 0,
        executable: flags & uapi::ALLOC_EXECUTABLE != 0,
        vram: flags & uapi::ALLOC_VRAM != 0,
        uncached: flags & uapi::ALLOC_UNCACHED != 0,
    }
}

fn refused(call: &'static str, (errno, why): Refusal) -> KfdError {
    KfdError::Ioctl {
        call,
        errno,
        detail: Some(why),
    }
}

/// Waits until a thread ended; false if it still runs at the end of the time.
fn join(thread: JoinHandle<()>, limit: Duration) -> bool {
    let end = Instant::now() + limit;
    let mut nap = Duration::from_micros(50);
    while !thread.is_finished() {
        if Instant::now() >= end {
            return false;
        }
        thread::sleep(nap);
        nap = (nap * 2).min(Duration::from_millis(5));
    }
    // A panic of the thread was caught inside it; there is nothing else to learn.
    let _ = thread.join();
    true
}

impl Kfd for SimKfd {
    fn is_simulated(&self) -> bool {
        true
    }

    fn version(&self) -> Result<(u32, u32), KfdError> {
        self.call("GET_VERSION", |_| Ok((1, 17)))
    }

    fn topology(&self) -> Result<Topology, KfdError> {
        let cpu = Node {
            name: "simulated host".into(),
            cpu_cores_count: 1,
            ..Node::default()
        };
        Ok(Topology {
            nodes: vec![cpu, self.shared.node.clone()],
        })
    }

    fn acquire_vm(&self, node: &Node) -> Result<(), KfdError> {
        self.call("ACQUIRE_VM", |s| {
            self.check_gpu(node.gpu_id)?;
            if node.drm_render_minor != self.shared.node.drm_render_minor {
                return invalid(format!("renderD{} does not belong to this GPU", node.drm_render_minor));
            }
            if std::mem::replace(&mut s.vm_acquired, true) {
                return Err((
                    Errno::EBUSY,
                    "the process has an address space on this GPU already".into(),
                ));
            }
            Ok(())
        })
    }

    fn runtime_enable(&self, _r_debug: u64, mode_mask: u32) -> Result<u32, KfdError> {
        self.call("RUNTIME_ENABLE", |s| {
            if mode_mask & 1 == 0 {
                s.runtime_enabled = false;
                return Ok(0);
            }
            if !s.queues.is_empty() {
                return Err((Errno::EEXIST, "the process has queues already".into()));
            }
            if std::mem::replace(&mut s.runtime_enabled, true) {
                return Err((Errno::EBUSY, "the runtime is enabled already".into()));
            }
            Ok(0)
        })
    }

    fn alloc_memory(&self, gpu_id: u32, range: &VaRange, flags: u32) -> Result<Allocation, KfdError> {
        self.call("ALLOC_MEMORY_OF_GPU", |s| self.allocate(s, gpu_id, range, flags))
    }

    fn free_memory(&self, handle: u64) -> Result<(), KfdError> {
        self.call("FREE_MEMORY_OF_GPU", |s| {
            let Some(b) = s.buffers.get(&handle).copied() else {
                return invalid(format!("no buffer with handle {handle:#x}"));
            };
            if b.mapped {
                return Err((Errno::EBUSY, "the buffer is still mapped to the GPU".into()));
            }
            if self.shared.events.page() == Some(b.offset) {
                return Err((Errno::EPERM, "the buffer is the event page".into()));
            }
            s.buffers.remove(&handle);
            if b.flags & uapi::ALLOC_VRAM != 0 {
                s.vram_used -= b.size;
            }
            self.shared.vm.forget(b.va);
            self.shared.vm.arena().give(b.offset, b.size);
            Ok(())
        })
    }

    fn map_memory(&self, handle: u64, gpu_ids: &[u32]) -> Result<u32, KfdError> {
        self.change_mapping(handle, gpu_ids, true)
    }

    fn unmap_memory(&self, handle: u64, gpu_ids: &[u32]) -> Result<u32, KfdError> {
        self.change_mapping(handle, gpu_ids, false)
    }

    fn mmap_memory(&self, _gpu_id: u32, range: &VaRange, mmap_offset: u64) -> Result<(), KfdError> {
        let fail = |errno| KfdError::Mmap {
            what: "a GPU buffer",
            len: range.len(),
            errno,
        };
        self.injected("mmap")?;
        let s = lock(&self.state);
        let b = s
            .buffers
            .values()
            .find(|b| b.offset == mmap_offset)
            .ok_or_else(|| fail(Errno::EINVAL))?;
        if b.flags & uapi::ALLOC_VRAM != 0 && b.flags & uapi::ALLOC_PUBLIC == 0 {
            return Err(fail(Errno::EPERM));
        }
        if range.len() > b.size {
            return Err(fail(Errno::EINVAL));
        }
        range.map(self.shared.vm.arena().file(), mmap_offset, "a GPU buffer")
    }

    fn create_event(&self, args: &mut CreateEvent) -> Result<(), KfdError> {
        self.call("CREATE_EVENT", |s| {
            if args.event_page_offset != 0 {
                let Some(b) = s.buffers.get(&args.event_page_offset) else {
                    return invalid(format!(
                        "event_page_offset {:#x} is no buffer's handle",
                        args.event_page_offset
                    ));
                };
                if b.flags & uapi::ALLOC_GTT == 0 || b.size < uapi::EVENT_PAGE_BYTES || !b.mapped {
                    return invalid(format!(
                        "the event page must be {:#x} bytes of mapped GTT",
                        uapi::EVENT_PAGE_BYTES
                    ));
                }
                self.shared.events.set_page(&self.shared.vm, b.offset)?;
            }
            self.shared.events.create(args, self.shared.node.gpu_id)
        })
    }

    fn destroy_event(&self, event_id: u32) -> Result<(), KfdError> {
        self.call("DESTROY_EVENT", |_| self.shared.events.destroy(event_id))
    }

    fn set_event(&self, event_id: u32) -> Result<(), KfdError> {
        self.call("SET_EVENT", |_| self.shared.events.set(event_id, true))
    }

    fn reset_event(&self, event_id: u32) -> Result<(), KfdError> {
        self.call("RESET_EVENT", |_| self.shared.events.set(event_id, false))
    }

    fn wait_events(&self, events: &mut [EventData], all: bool, timeout_ms: u32) -> Result<WaitOutcome, KfdError> {
        // Not through `call`: a wait must not hold the driver's lock.
        self.injected("WAIT_EVENTS")?;
        self.shared
            .events
            .wait(events, all, timeout_ms)
            .map_err(|r| refused("WAIT_EVENTS", r))
    }

    fn create_queue(&self, args: &mut CreateQueue) -> Result<(), KfdError> {
        self.call("CREATE_QUEUE", |s| self.start_queue(s, args))
    }

    fn destroy_queue(&self, queue_id: u32) -> Result<(), KfdError> {
        let call = "DESTROY_QUEUE";
        let q = self.call(call, |s| match s.queues.remove(&queue_id) {
            Some(q) => Ok(q),
            None => invalid(format!("no queue {queue_id}")),
        })?;
        q.cancel.store(true, Ordering::Release);
        let ended = join(q.thread, PREEMPTION_LIMIT);
        let mut s = lock(&self.state);
        s.doorbells[q.doorbell as usize] = false;
        for h in &q.held {
            if let Some(b) = s.buffers.get_mut(h) {
                b.held_by_queues -= 1;
            }
        }
        match ended {
            true => Ok(()),
            false => Err(refused(
                call,
                (Errno(libc::ETIME), "the running kernel does not stop".into()),
            )),
        }
    }

    fn mmap_doorbells(&self, offset: u64, len: u64) -> Result<Doorbells, KfdError> {
        let what = "the doorbell page";
        let right = uapi::mmap_offset(uapi::MMAP_TYPE_DOORBELL, self.shared.node.gpu_id);
        if offset != right || len != uapi::DOORBELL_BYTES || !lock(&self.state).vm_acquired {
            return Err(KfdError::Mmap {
                what,
                len,
                errno: Errno::EINVAL,
            });
        }
        let range = VaRange::reserve(len, len)?;
        range.map(self.shared.vm.arena().file(), 0, what)?;
        Ok(Doorbells::new(range))
    }

    fn clock_counters(&self, gpu_id: u32) -> Result<GetClockCounters, KfdError> {
        self.call("GET_CLOCK_COUNTERS", |_| {
            self.check_gpu(gpu_id)?;
            let c = Clocks::now();
            Ok(GetClockCounters {
                gpu_clock_counter: c.gpu,
                cpu_clock_counter: c.raw,
                system_clock_counter: c.boot,
                system_clock_freq: 1_000_000_000,
                gpu_id,
                pad: 0,
            })
        })
    }

    fn name_memory(&self, va: u64, len: u64, name: &str) {
        self.shared.vm.name(va, len, name);
    }

    fn guard_memory(&self, va: u64) {
        self.shared.vm.guard(va);
    }

    fn memory_unwritten(&self, va: u64, len: u64) {
        self.shared.vm.set_unwritten(va, len);
    }

    fn memory_written(&self, va: u64, len: u64) {
        self.shared.vm.set_written(va, len);
    }

    fn written_bytes(&self, va: u64, len: u64) -> Vec<bool> {
        self.shared.vm.written_bytes(va, len)
    }

    fn name_code(&self, va: u64, code_object: &[u8]) {
        // A file the loader accepted; if not, faults are only less well described.
        if let Ok(object) = CodeObject::parse(code_object) {
            self.shared.vm.add_code(va, Arc::new(object));
        }
    }

    fn vary_order(&self, by: u64) {
        self.shared.executor.vary_order(by);
    }

    fn keep_stores(&self, on: bool) {
        self.shared.executor.keep_written(on);
    }

    fn take_stores(&self) -> Option<Arc<dyn Stores>> {
        self.shared.executor.take_written().map(|w| w as Arc<dyn Stores>)
    }

    fn take_findings(&self) -> Vec<Found> {
        let mut stats = lock(&self.shared.stats);
        let found = stats.findings.drain(..).map(|f| Found {
            severe: f.severity == Severity::Error,
            text: f.to_string(),
        });
        found.collect()
    }

    fn fault_detail(&self) -> Option<FaultDetail> {
        self.last_fault()
    }

    fn queue_status(&self, queue_id: u32) -> Option<QueueStatus> {
        let (mut status, watch) = {
            let state = lock(&self.state);
            let q = state.queues.get(&queue_id)?;
            let status = lock(&q.status).clone();
            (status, q.watch.clone())
        };
        if let Some(waves) = watch.is_running().then(|| watch.ask(ANSWER_LIMIT)).flatten() {
            status.waves = waves;
        }
        Some(status)
    }
}

impl Drop for SimKfd {
    fn drop(&mut self) {
        let queues = std::mem::take(&mut lock(&self.state).queues);
        for q in queues.values() {
            q.cancel.store(true, Ordering::Release);
        }
        for q in queues.into_values() {
            join(q.thread, PREEMPTION_LIMIT);
        }
    }
}
