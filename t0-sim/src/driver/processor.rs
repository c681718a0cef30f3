//! The packet processor: what the command processor's firmware does with one AQL queue.
//!
//! Method: one thread per queue obeys the queue's doorbell (index of the last packet), reads packets in order, runs
//! kernels through the [`Executor`](super::Executor) and completes signals. It never looks at the write index to find
//! work; it only checks that a doorbell did not pass it.
//!
//! Invariants: the read index moves on *before* a packet completes, as on hardware, so nothing may be inferred from
//! it; a packet that faults never completes, and after a fault no queue of the process takes another packet.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{fence, AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use t0_kfd::aql::{self, AmdQueue, AmdSignal, BarrierPacket, DispatchPacket, PacketType, PACKET_BYTES};
use t0_kfd::uapi::{HwException, MemoryException};
use t0_kfd::{FaultDetail, QueueStatus};

use super::access::Clocks;
use super::arena::{lock, PAGE};
use super::checks::{check_dispatch, check_scratch, Stop};
use super::kfd::Shared;
use super::vm::{Access, VmFault, VmFaultKind};
use super::{Dispatch, ExecFault, ExecFaultKind, Message, Severity, Watch};

/// One queue, as its thread sees it.
pub(super) struct Processor {
    pub shared: Arc<Shared>,
    pub queue_id: u32,
    pub doorbell: u32,
    pub ring_va: u64,
    pub slots: u64,
    pub write_index_va: u64,
    pub read_index_va: u64,
    pub cancel: Arc<AtomicBool>,
    pub status: Arc<Mutex<QueueStatus>>,
    pub watch: Arc<Watch>,
}

/// How processing of a packet ended, when it did not complete.
enum End {
    /// The header is still INVALID: look again later.
    NotYet,
    /// The queue is being destroyed.
    Cancelled,
    /// The queue stops.
    Stop(Stop),
    /// A kernel faulted.
    Fault(Box<ExecFault>),
}

impl From<Stop> for End {
    fn from(s: Stop) -> Self {
        End::Stop(s)
    }
}

impl From<VmFault> for End {
    fn from(f: VmFault) -> Self {
        End::Stop(Stop::Memory(f))
    }
}

/// Spin briefly, then sleep longer and longer (up to 1 ms): doorbells are plain memory, nothing wakes us.
struct Backoff {
    since: Instant,
    nap: Duration,
}

impl Backoff {
    const SPIN: Duration = Duration::from_micros(30);

    fn new() -> Self {
        Backoff {
            since: Instant::now(),
            nap: Duration::from_micros(20),
        }
    }

    fn wait(&mut self) {
        if self.since.elapsed() < Self::SPIN {
            thread::yield_now();
        } else {
            thread::sleep(self.nap);
            self.nap = (self.nap * 2).min(Duration::from_millis(1));
        }
    }
}

impl Processor {
    /// Runs until the queue is destroyed.
    pub fn run(self) {
        let mut next = 0u64;
        let mut idle = Backoff::new();
        while !self.cancel.load(Ordering::Acquire) {
            let bell = self.shared.vm.doorbell(self.doorbell).load(Ordering::Acquire);
            let has_work = bell != u64::MAX && bell >= next && !self.shared.stopped.load(Ordering::Acquire);
            if !has_work {
                self.note(next, bell, None);
                idle.wait();
                continue;
            }
            match self.packet(next, bell) {
                Ok(()) => {
                    next += 1;
                    idle = Backoff::new();
                }
                Err(End::NotYet) => {
                    let why = format!("packet {next}, whose header is still INVALID though the doorbell rang for it");
                    self.note(next, bell, Some(why));
                    idle.wait();
                }
                Err(End::Cancelled) => return,
                Err(End::Stop(s)) => self.stop(next, s),
                Err(End::Fault(f)) => self.fault(next, *f),
            }
        }
    }

    fn note(&self, read_index: u64, doorbell: u64, waits_for: Option<String>) {
        *lock(&self.status) = QueueStatus {
            read_index,
            doorbell,
            waits_for,
            waves: Vec::new(),
        };
    }

    /// Processes packet `index`.
    fn packet(&self, index: u64, bell: u64) -> Result<(), End> {
        let vm = &self.shared.vm;
        let write_index = vm
            .atomic_u64(self.write_index_va, Access::Read)?
            .load(Ordering::Acquire);
        if bell >= write_index {
            let why = format!(
                "doorbell value {bell} is not below the write index {write_index}: it is the index of the last packet"
            );
            return Err(Stop::Queue(aql::QUEUE_ERROR_PACKET, why).into());
        }
        if write_index - index > self.slots {
            let why = format!(
                "write index {write_index} is more than {} packets ahead of packet {index}",
                self.slots
            );
            return Err(Stop::Queue(aql::QUEUE_ERROR_PACKET, why).into());
        }
        let va = self.ring_va + index % self.slots * PACKET_BYTES as u64;
        let header = vm.atomic_u32(va, Access::Read)?.load(Ordering::Acquire) as u16;
        let bytes: [u8; PACKET_BYTES] = vm.read(va)?;
        let unsupported = |why: String| Err(Stop::Queue(aql::QUEUE_ERROR_PACKET, why).into());
        self.shared.stall();
        match PacketType::of_header(header) {
            Some(PacketType::Invalid) => Err(End::NotYet),
            Some(PacketType::Dispatch) => self.dispatch(index, va, bytemuck::cast(bytes)),
            Some(PacketType::BarrierAnd) => self.barrier(index, va, bytemuck::cast(bytes), true),
            Some(PacketType::BarrierOr) => self.barrier(index, va, bytemuck::cast(bytes), false),
            Some(PacketType::Vendor) => {
                let why = "vendor packets (PM4) are not simulated".to_string();
                Err(Stop::Queue(aql::QUEUE_ERROR_VENDOR, why).into())
            }
            Some(PacketType::Agent) => unsupported("a GPU queue takes no agent dispatch packets".into()),
            None => unsupported(format!("packet type {} does not exist", header & 0xff)),
        }
    }

    /// Frees the slot: INVALID header, then the read index. `seen` is the packet as it was when its header was valid.
    fn consume(&self, index: u64, va: u64, seen: &[u8]) -> Result<(), End> {
        let vm = &self.shared.vm;
        let now: [u8; PACKET_BYTES] = vm.read(va)?;
        if now != seen {
            let why = "the packet changed after its header was published: write the header last".to_string();
            return Err(Stop::Queue(aql::QUEUE_ERROR_PACKET, why).into());
        }
        vm.atomic_u16(va, Access::Write)?
            .store(PacketType::Invalid as u16, Ordering::Release);
        vm.atomic_u64(self.read_index_va, Access::Write)?
            .store(index + 1, Ordering::Release);
        Ok(())
    }

    fn queue_va(&self) -> u64 {
        self.read_index_va - aql::QUEUE_READ_ID
    }

    fn dispatch(&self, index: u64, va: u64, packet: DispatchPacket) -> Result<(), End> {
        let vm = &self.shared.vm;
        let dimensions = check_dispatch(vm, &packet)?;
        let scratch = loop {
            let queue: AmdQueue = vm.read(self.queue_va())?;
            match check_scratch(vm, &packet, &queue)? {
                Ok(s) => break s,
                Err(bits) => self.ask_for_scratch(index, bits)?,
            }
        };
        self.consume(index, va, bytemuck::bytes_of(&packet))?;
        self.note(index + 1, index, Some(format!("the kernel of packet {index}")));
        let d = Dispatch {
            packet,
            dimensions,
            packet_va: va,
            queue_va: self.queue_va(),
            dispatch_id: index,
            scratch,
            cancel: self.cancel.clone(),
            watch: self.watch.clone(),
        };
        self.shared.stall();
        let start = Clocks::now();
        let executor = &self.shared.executor;
        self.watch.set_running(true);
        let ran = catch_unwind(AssertUnwindSafe(|| executor.dispatch(&d, vm)));
        self.watch.set_running(false);
        fence(Ordering::SeqCst);
        match ran {
            Ok(Ok(stats)) => {
                self.shared.count(&stats);
                self.complete(packet.completion_signal, start)
            }
            Ok(Err(mut f)) => {
                self.shared.keep_findings(&std::mem::take(&mut f.findings));
                match f.kind {
                    ExecFaultKind::Cancelled => Err(End::Cancelled),
                    _ => Err(End::Fault(Box::new(f))),
                }
            }
            Err(panic) => {
                let text = panic.downcast_ref::<String>().cloned();
                let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string()));
                let what = format!("the simulator panicked: {}", text.unwrap_or_default());
                Err(End::Fault(Box::new(ExecFault::new(ExecFaultKind::Rule { what }))))
            }
        }
    }

    /// The dynamic scratch protocol: raise the bits, wait until the runtime stores 0, look again.
    fn ask_for_scratch(&self, index: u64, bits: i64) -> Result<(), End> {
        let vm = &self.shared.vm;
        let queue: AmdQueue = vm.read(self.queue_va())?;
        if queue.queue_inactive_signal == 0 {
            let why = "the kernel needs scratch memory, the queue has none and no queue_inactive_signal to ask through";
            return Err(Stop::Queue(bits, why.into()).into());
        }
        self.raise_inactive(bits)?;
        let value = vm.atomic_i64(queue.queue_inactive_signal + aql::SIGNAL_VALUE, Access::Read)?;
        self.wait(
            index,
            || value.load(Ordering::Acquire) == 0,
            || "the runtime to provide scratch memory".into(),
        )
    }

    fn barrier(&self, index: u64, va: u64, packet: BarrierPacket, all: bool) -> Result<(), End> {
        let vm = &self.shared.vm;
        let start = Clocks::now();
        let mut values = Vec::new();
        for &signal in packet.dep_signal.iter().filter(|&&s| s != 0) {
            values.push(vm.atomic_i64(signal + aql::SIGNAL_VALUE, Access::Read)?);
        }
        let zero = |v: &&std::sync::atomic::AtomicI64| v.load(Ordering::Acquire) == 0;
        let ready = || {
            values.is_empty()
                || if all {
                    values.iter().all(zero)
                } else {
                    values.iter().any(zero)
                }
        };
        self.wait(index, ready, || {
            let what = if all { "all" } else { "one" };
            format!(
                "{what} of the {} signals of barrier packet {index} to become 0",
                values.len()
            )
        })?;
        self.consume(index, va, bytemuck::bytes_of(&packet))?;
        self.complete(packet.completion_signal, start)
    }

    fn wait(&self, index: u64, ready: impl Fn() -> bool, what: impl Fn() -> String) -> Result<(), End> {
        let mut backoff = Backoff::new();
        let mut told = false;
        while !ready() {
            if self.cancel.load(Ordering::Acquire) || self.shared.stopped.load(Ordering::Acquire) {
                return Err(End::Cancelled);
            }
            if !told {
                self.note(index, index, Some(what()));
                told = true;
            }
            backoff.wait();
        }
        Ok(())
    }

    /// Time stamps, then the value, then the event.
    fn complete(&self, signal: u64, start: Clocks) -> Result<(), End> {
        if signal == 0 {
            return Ok(());
        }
        let vm = &self.shared.vm;
        let queue: AmdQueue = vm.read(self.queue_va())?;
        if queue.queue_properties & aql::QUEUE_PROPERTY_ENABLE_PROFILING != 0 {
            let at = |offset: usize| vm.atomic_u64(signal + offset as u64, Access::Write);
            at(std::mem::offset_of!(AmdSignal, start_ts))?.store(start.gpu, Ordering::Relaxed);
            at(std::mem::offset_of!(AmdSignal, end_ts))?.store(Clocks::now().gpu, Ordering::Relaxed);
        }
        let value = vm.atomic_i64(signal + aql::SIGNAL_VALUE, Access::Atomic)?;
        // Where to notify is read first: the client may reuse the signal as soon as it is 0.
        let s: AmdSignal = vm.read(signal)?;
        self.shared.stall();
        value.fetch_sub(1, Ordering::AcqRel);
        self.shared.stall();
        self.notify(&s)
    }

    /// Raises the event of a signal, if it has one.
    fn notify(&self, s: &AmdSignal) -> Result<(), End> {
        let vm = &self.shared.vm;
        if s.event_mailbox_ptr != 0 {
            let mailbox: &AtomicU64 = vm.atomic_u64(s.event_mailbox_ptr, Access::Write)?;
            mailbox.store(s.event_id.into(), Ordering::Release);
            self.shared.events.interrupt(vm, s.event_id);
        }
        Ok(())
    }

    fn raise_inactive(&self, bits: i64) -> Result<(), End> {
        let vm = &self.shared.vm;
        let queue: AmdQueue = vm.read(self.queue_va())?;
        let signal = queue.queue_inactive_signal;
        if signal == 0 {
            return Ok(());
        }
        let s: AmdSignal = vm.read(signal)?;
        vm.atomic_i64(signal + aql::SIGNAL_VALUE, Access::Write)?
            .store(bits, Ordering::Release);
        self.notify(&s)
    }

    /// Firmware stops the queue.
    fn stop(&self, index: u64, stop: Stop) {
        match stop {
            Stop::Memory(f) => {
                let text = format!("packet {index} of queue {}: {f}", self.queue_id);
                let detail = FaultDetail {
                    va: Some(f.va),
                    packet: Some(index),
                    ..refusal(text)
                };
                self.memory_fault(&f, detail);
            }
            Stop::Queue(bits, why) => {
                let text = format!("packet {index} of queue {} was refused: {why}", self.queue_id);
                self.queue_error(
                    bits,
                    FaultDetail {
                        packet: Some(index),
                        ..refusal(text)
                    },
                );
            }
        }
    }

    /// A kernel faulted: stop everything, tell the client the way hardware would.
    fn fault(&self, index: u64, mut f: ExecFault) {
        let report = f.message().to_string();
        // The kernel is told apart from the short story.
        let kernel = f.kernel.take();
        let detail = FaultDetail {
            text: f.to_string(),
            report,
            kernel,
            va: if let ExecFaultKind::Memory(m) = &f.kind {
                Some(m.va)
            } else {
                None
            },
            packet: Some(index),
        };
        match &f.kind {
            ExecFaultKind::Memory(m) => self.memory_fault(m, detail),
            ExecFaultKind::OutOfAperture { .. } => self.queue_error(aql::QUEUE_ERROR_APERTURE, detail),
            ExecFaultKind::Trap { .. } => self.queue_error(aql::QUEUE_ERROR_TRAP, detail),
            ExecFaultKind::IllegalInstruction { .. }
            | ExecFaultKind::MisalignedAtomic { .. }
            | ExecFaultKind::Unsupported { .. }
            | ExecFaultKind::Named { .. }
            | ExecFaultKind::Rule { .. } => self.queue_error(aql::QUEUE_ERROR_ILLEGAL_INSTRUCTION, detail),
            ExecFaultKind::Endless { .. } | ExecFaultKind::Deadlock { .. } | ExecFaultKind::Cancelled => {
                // Hardware would hang until the driver resets the GPU.
                self.shared.record(detail);
                let gpu_id = self.shared.node.gpu_id;
                self.shared.events.hw_exception(&HwException {
                    memory_lost: true,
                    gpu_id,
                    ..Default::default()
                });
            }
        }
    }

    fn memory_fault(&self, f: &VmFault, detail: FaultDetail) {
        self.shared.record(detail);
        self.shared.events.memory_exception(&MemoryException {
            not_present: matches!(f.kind, VmFaultKind::NotPresent | VmFaultKind::Straddles),
            read_only: matches!(
                f.kind,
                VmFaultKind::ReadOnly | VmFaultKind::Code | VmFaultKind::Kernarg | VmFaultKind::Runtime
            ),
            no_execute: matches!(f.kind, VmFaultKind::NoExecute),
            imprecise: false,
            va: f.va & !(PAGE - 1),
            gpu_id: self.shared.node.gpu_id,
            error_type: 0,
        });
    }

    fn queue_error(&self, bits: i64, detail: FaultDetail) {
        self.shared.record(detail);
        if let Err(End::Stop(Stop::Memory(f))) = self.raise_inactive(bits) {
            let text = format!(
                "queue {}: its queue_inactive_signal cannot be written: {f}",
                self.queue_id
            );
            self.memory_fault(
                &f,
                FaultDetail {
                    va: Some(f.va),
                    ..refusal(text)
                },
            );
        }
    }
}

/// What is told of a packet or queue that cannot be used.
fn refusal(text: String) -> FaultDetail {
    FaultDetail {
        report: Message::new(Severity::Error, "packet", text.as_str()).to_string(),
        text,
        ..Default::default()
    }
}
