//! The fake against its contract: a client written with the bare interface, one wrong step at a time.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use t0_kfd::aql::{self, AmdQueue, AmdSignal, BarrierPacket, DispatchPacket, FenceScope, PacketType};
use t0_kfd::uapi::{self, CreateEvent, CreateQueue, EventData};
use t0_kfd::{Errno, Kfd, KfdError, Node, QueueSizes, VaRange, WaitOutcome};

use super::vm::{Access, PageFlags};
use super::*;

const GTT: u32 = uapi::ALLOC_GTT
    | uapi::ALLOC_WRITABLE
    | uapi::ALLOC_EXECUTABLE
    | uapi::ALLOC_NO_SUBSTITUTE
    | uapi::ALLOC_COHERENT
    | uapi::ALLOC_UNCACHED;
const VRAM: u32 = uapi::ALLOC_VRAM | uapi::ALLOC_WRITABLE | uapi::ALLOC_EXECUTABLE | uapi::ALLOC_PUBLIC;

/// Remembers the kernel arguments of the dispatches it saw; faults when an argument is `0xdead`.
#[derive(Default)]
struct Stub {
    seen: Mutex<Vec<u64>>,
}

impl Executor for Stub {
    fn dispatch(&self, d: &Dispatch, vm: &Vm) -> Result<DispatchStats, ExecFault> {
        let arg = d.kernarg();
        if arg == 0xdead {
            let mut f = ExecFault::new(vm.resolve(0xdead_0000, 4, Access::Read).unwrap_err().into());
            f.kernel = Some("stub".into());
            return Err(f);
        }
        if arg == 0xbad {
            panic!("stub panics");
        }
        self.seen.lock().unwrap().push(arg);
        Ok(DispatchStats {
            workgroups: d.groups().iter().map(|&g| u64::from(g)).product(),
            ..Default::default()
        })
    }
}

struct Client {
    sim: SimKfd,
    stub: Arc<Stub>,
    gpu: u32,
    node: Node,
    ranges: Vec<VaRange>,
}

impl Client {
    fn bare() -> Self {
        let stub = Arc::new(Stub::default());
        let node = Node::rx7900xtx();
        let sim = SimKfd::new(stub.clone()).unwrap();
        Client {
            sim,
            stub,
            gpu: node.gpu_id,
            node,
            ranges: Vec::new(),
        }
    }

    fn new() -> Self {
        let c = Self::bare();
        c.sim.acquire_vm(&c.node).unwrap();
        c.sim.runtime_enable(0, 1).unwrap();
        c
    }

    /// A mapped buffer: (handle, address).
    fn buffer(&mut self, len: u64, flags: u32) -> (u64, u64) {
        let range = VaRange::reserve(len, 4096).unwrap();
        let a = self.sim.alloc_memory(self.gpu, &range, flags).unwrap();
        assert_eq!(self.sim.map_memory(a.handle, &[self.gpu]).unwrap(), 1);
        let va = range.va();
        self.ranges.push(range);
        (a.handle, va)
    }

    fn event_page(&mut self) -> u64 {
        let (handle, _) = self.buffer(uapi::EVENT_PAGE_BYTES, GTT);
        handle
    }

    fn queue_args(&mut self, slots: u32) -> CreateQueue {
        let sizes = QueueSizes::of(&self.node);
        let (_, ring) = self.buffer(u64::from(slots) * 64, GTT);
        let (_, queue) = self.buffer(4096, GTT);
        let (_, eop) = self.buffer(
            sizes.eop,
            uapi::ALLOC_VRAM | uapi::ALLOC_WRITABLE | uapi::ALLOC_EXECUTABLE,
        );
        let (_, ctx) = self.buffer(sizes.ctx_buffer, uapi::ALLOC_VRAM | uapi::ALLOC_WRITABLE);
        let q = AmdQueue {
            base_address: ring,
            size: slots,
            read_dispatch_id_field_base_byte_offset: 128,
            queue_properties: aql::QUEUE_PROPERTY_IS_PTR64 | aql::QUEUE_PROPERTY_ENABLE_PROFILING,
            ..bytemuck::Zeroable::zeroed()
        };
        self.sim.vm().write(queue, &q).unwrap();
        for i in 0..u64::from(slots) {
            self.sim.vm().write(ring + i * 64, &1u32).unwrap();
        }
        CreateQueue {
            ring_base_address: ring,
            write_pointer_address: queue + aql::QUEUE_WRITE_ID,
            read_pointer_address: queue + aql::QUEUE_READ_ID,
            ring_size: slots * 64,
            gpu_id: self.gpu,
            queue_type: uapi::QUEUE_TYPE_COMPUTE_AQL,
            queue_percentage: 100,
            queue_priority: 7,
            eop_buffer_address: eop,
            eop_buffer_size: sizes.eop,
            ctx_save_restore_address: ctx,
            ctx_save_restore_size: sizes.ctx_save_restore as u32,
            ctl_stack_size: sizes.ctl_stack as u32,
            ..Default::default()
        }
    }

    fn queue(&mut self, slots: u32) -> TestQueue {
        let mut a = self.queue_args(slots);
        self.sim.create_queue(&mut a).unwrap();
        TestQueue {
            a,
            slots: slots.into(),
            next: 0,
        }
    }

    /// A descriptor of a kernel whose code follows 256 bytes later.
    fn kernel(&mut self, lds: u32) -> u64 {
        let (_, va) = self.buffer(4096, VRAM);
        let mut d = [0u32; 16];
        d[0] = lds;
        d[4] = 256;
        d[14] = 1 << 10;
        self.sim.vm().write(va, &d).unwrap();
        va
    }

    fn signal(&mut self, value: i64) -> u64 {
        let (_, va) = self.buffer(4096, GTT);
        self.sim
            .vm()
            .write(
                va,
                &AmdSignal {
                    kind: 1,
                    value,
                    ..Default::default()
                },
            )
            .unwrap();
        va
    }

    fn value(&self, signal: u64) -> i64 {
        self.sim
            .vm()
            .atomic_i64(signal + 8, Access::Read)
            .unwrap()
            .load(Ordering::Acquire)
    }

    fn wait_value(&self, signal: u64, want: i64) {
        let end = Instant::now() + Duration::from_secs(20);
        while self.value(signal) != want {
            assert!(
                Instant::now() < end,
                "signal stays at {}; {:?}",
                self.value(signal),
                self.sim.last_fault()
            );
            std::thread::sleep(Duration::from_micros(100));
        }
    }
}

struct TestQueue {
    a: CreateQueue,
    slots: u64,
    next: u64,
}

impl TestQueue {
    /// Writes a packet body first and its header last, waiting for a free slot.
    fn push(&mut self, c: &Client, mut bytes: [u8; 64]) {
        let vm = c.sim.vm();
        let end = Instant::now() + Duration::from_secs(20);
        while self.next - vm.read::<u64>(self.a.read_pointer_address).unwrap() >= self.slots {
            assert!(Instant::now() < end, "ring stays full");
            std::thread::yield_now();
        }
        let header = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        bytes[..4].copy_from_slice(&[1, 0, 0, 0]);
        let va = self.a.ring_base_address + self.next % self.slots * 64;
        vm.write(va, &bytes).unwrap();
        vm.atomic_u32(va, Access::Write)
            .unwrap()
            .store(header, Ordering::Release);
        self.next += 1;
        vm.atomic_u64(self.a.write_pointer_address, Access::Write)
            .unwrap()
            .store(self.next, Ordering::Release);
    }

    fn ring(&self, c: &Client, value: u64) {
        c.sim
            .vm()
            .doorbell((self.a.doorbell_offset & 0x1fff) as u32 / 8)
            .store(value, Ordering::Release);
    }

    fn submit(&mut self, c: &Client, bytes: [u8; 64]) {
        self.push(c, bytes);
        self.ring(c, self.next - 1);
    }
}

fn dispatch(kernel: u64, arg: u64, signal: u64) -> DispatchPacket {
    DispatchPacket {
        header: aql::header(PacketType::Dispatch, true, FenceScope::System, FenceScope::System),
        setup: 1,
        workgroup: [64, 1, 1],
        grid: [256, 1, 1],
        kernel_object: kernel,
        kernarg_address: arg,
        completion_signal: signal,
        ..Default::default()
    }
}

fn barrier(ty: PacketType, deps: &[u64], signal: u64) -> BarrierPacket {
    let mut dep_signal = [0; 5];
    dep_signal[..deps.len()].copy_from_slice(deps);
    let header = aql::header(ty, true, FenceScope::System, FenceScope::System);
    BarrierPacket {
        header,
        dep_signal,
        completion_signal: signal,
        ..Default::default()
    }
}

fn errno<T: std::fmt::Debug>(r: Result<T, KfdError>) -> Errno {
    r.unwrap_err().errno().unwrap()
}

#[test]
fn order_of_calls_is_enforced() {
    let mut c = Client::bare();
    let range = VaRange::reserve(4096, 4096).unwrap();
    assert_eq!(errno(c.sim.alloc_memory(c.gpu, &range, GTT)), Errno::ENODEV);
    assert_eq!(
        errno(c.sim.create_queue(&mut CreateQueue {
            ring_size: 4096,
            gpu_id: c.gpu,
            queue_type: 2,
            ..Default::default()
        })),
        Errno(libc::ESRCH)
    );
    assert_eq!(
        errno(c.sim.acquire_vm(&Node {
            gpu_id: 5,
            ..c.node.clone()
        })),
        Errno::EINVAL
    );
    c.sim.acquire_vm(&c.node).unwrap();
    assert_eq!(errno(c.sim.acquire_vm(&c.node)), Errno::EBUSY);
    let _q = c.queue(64);
    assert_eq!(errno(c.sim.runtime_enable(0, 1)), Errno::EEXIST);
    assert_eq!(c.sim.runtime_enable(0, 0), Ok(0), "mode 0 is accepted at any time");
}

#[test]
fn memory_calls_refuse_what_the_kernel_refuses() {
    let c = Client::new();
    let range = VaRange::reserve(8192, 4096).unwrap();
    let alloc = |flags| c.sim.alloc_memory(c.gpu, &range, flags);
    assert_eq!(errno(alloc(uapi::ALLOC_WRITABLE)), Errno::EINVAL, "no type");
    assert_eq!(errno(c.sim.alloc_memory(7, &range, GTT)), Errno::EINVAL, "no such GPU");
    let a = alloc(VRAM).unwrap();
    assert_eq!(a.handle >> 32, u64::from(c.gpu));
    assert!(a.mmap_offset >= 1 << 32);
    assert_eq!(
        errno(c.sim.unmap_memory(a.handle, &[c.gpu])),
        Errno::EINVAL,
        "not mapped"
    );
    assert_eq!(errno(c.sim.map_memory(a.handle, &[])), Errno::EINVAL, "no devices");
    assert_eq!(
        errno(c.sim.map_memory(a.handle + 1, &[c.gpu])),
        Errno::ENOMEM,
        "bad handle"
    );
    assert_eq!(c.sim.map_memory(a.handle, &[c.gpu]), Ok(1));
    assert_eq!(errno(c.sim.free_memory(a.handle)), Errno::EBUSY, "mapped");
    let b = alloc(GTT).unwrap();
    assert_eq!(
        errno(c.sim.map_memory(b.handle, &[c.gpu])),
        Errno::EINVAL,
        "same addresses"
    );
    assert_eq!(
        c.sim.vm().read::<u32>(range.va()).unwrap(),
        0xa5a5_a5a5,
        "VRAM is poisoned"
    );
    c.sim.unmap_memory(a.handle, &[c.gpu]).unwrap();
    c.sim.free_memory(a.handle).unwrap();
    assert_eq!(errno(c.sim.free_memory(a.handle)), Errno::EINVAL, "freed");
    c.sim.map_memory(b.handle, &[c.gpu]).unwrap();
    assert_eq!(
        c.sim.vm().read::<u32>(range.va()).unwrap(),
        0,
        "system memory is cleared"
    );
    assert_eq!(
        errno(c.sim.mmap_memory(c.gpu, &range, b.mmap_offset + 4096)),
        Errno::EINVAL
    );
    let hidden = c
        .sim
        .alloc_memory(c.gpu, &VaRange::reserve(4096, 4096).unwrap(), uapi::ALLOC_VRAM)
        .unwrap();
    assert_eq!(
        errno(
            c.sim
                .mmap_memory(c.gpu, &VaRange::reserve(4096, 4096).unwrap(), hidden.mmap_offset)
        ),
        Errno::EPERM
    );
}

#[test]
fn small_bar_and_full_vram() {
    let node = Node {
        large_bar: false,
        vram_bytes: 1 << 20,
        ..Node::rx7900xtx()
    };
    let sim = SimKfd::with_node(node.clone(), Arc::new(Stub::default())).unwrap();
    sim.acquire_vm(&node).unwrap();
    let big = VaRange::reserve(1 << 20, 4096).unwrap();
    assert_eq!(errno(sim.alloc_memory(node.gpu_id, &big, VRAM)), Errno::EINVAL);
    sim.alloc_memory(node.gpu_id, &big, uapi::ALLOC_VRAM).unwrap();
    let more = VaRange::reserve(4096, 4096).unwrap();
    let e = sim.alloc_memory(node.gpu_id, &more, uapi::ALLOC_VRAM).unwrap_err();
    assert_eq!(e.errno(), Some(Errno::ENOMEM));
    assert!(
        e.to_string().contains("4096 bytes asked for, 0 bytes of VRAM are free"),
        "{e}"
    );
}

#[test]
fn host_and_gpu_see_the_same_bytes() {
    let c = Client::new();
    let range = VaRange::reserve(4096, 4096).unwrap();
    let a = c.sim.alloc_memory(c.gpu, &range, VRAM).unwrap();
    c.sim.map_memory(a.handle, &[c.gpu]).unwrap();
    c.sim.mmap_memory(c.gpu, &range, a.mmap_offset).unwrap();
    let p = range.va() as *mut u32;
    // SAFETY: the page was just mapped at this address.
    unsafe {
        assert_eq!(p.read_volatile(), 0xa5a5_a5a5);
        p.write_volatile(77);
    }
    assert_eq!(c.sim.vm().read::<u32>(range.va()).unwrap(), 77);
    c.sim.vm().write(range.va() + 4, &78u32).unwrap();
    // SAFETY: as above.
    assert_eq!(unsafe { p.add(1).read_volatile() }, 78);
}

#[test]
fn queue_sizes_must_be_exact() {
    let mut c = Client::new();
    let good = c.queue_args(64);
    let refuse = |f: &dyn Fn(&mut CreateQueue)| {
        let mut a = good;
        f(&mut a);
        errno(c.sim.create_queue(&mut a))
    };
    assert_eq!(refuse(&|a| a.ctl_stack_size += 4096), Errno::EINVAL);
    assert_eq!(refuse(&|a| a.ctx_save_restore_size -= 4096), Errno::EINVAL);
    assert_eq!(refuse(&|a| a.eop_buffer_size = 8192), Errno::EINVAL);
    assert_eq!(
        refuse(&|a| a.ring_size = 2048),
        Errno::EINVAL,
        "ring smaller than its buffer"
    );
    assert_eq!(refuse(&|a| a.ring_size = 4096 + 64), Errno::EINVAL, "no power of two");
    assert_eq!(refuse(&|a| a.ring_size = 512), Errno::EINVAL, "below 16 packets");
    assert_eq!(refuse(&|a| a.queue_percentage = 101), Errno::EINVAL);
    assert_eq!(refuse(&|a| a.queue_priority = 16), Errno::EINVAL);
    assert_eq!(refuse(&|a| a.queue_type = 0), Errno(524));
    assert_eq!(refuse(&|a| a.gpu_id = 1), Errno::EINVAL);
    assert_eq!(
        refuse(&|a| a.write_pointer_address += 8),
        Errno::EINVAL,
        "not write_dispatch_id"
    );
    assert_eq!(
        refuse(&|a| a.read_pointer_address = a.ring_base_address + 128),
        Errno::EINVAL
    );
    assert_eq!(
        refuse(&|a| a.ctx_save_restore_address += 4096),
        Errno::EINVAL,
        "not the start of its buffer"
    );
    assert_eq!(refuse(&|a| a.eop_buffer_address = 0x1000), Errno::EINVAL, "not mapped");
    let mut a = good;
    c.sim.create_queue(&mut a).unwrap();
    assert_eq!(a.doorbell_offset, 0xec2c_0000_0000_0000);
    let ring = c.sim.state_handle_at(a.ring_base_address);
    assert_eq!(
        errno(c.sim.unmap_memory(ring, &[c.gpu])),
        Errno::EBUSY,
        "a queue holds it"
    );
    assert_eq!(errno(c.sim.destroy_queue(99)), Errno::EINVAL);
    c.sim.destroy_queue(a.queue_id).unwrap();
    c.sim.unmap_memory(ring, &[c.gpu]).unwrap();
}

#[test]
fn doorbell_page_is_mapped_whole_or_not_at_all() {
    let mut c = Client::new();
    let q = c.queue(64);
    let page = q.a.doorbell_offset & !0x1fff;
    assert_eq!(errno(c.sim.mmap_doorbells(page, 4096)), Errno::EINVAL);
    assert_eq!(errno(c.sim.mmap_doorbells(page & !(1 << 63), 8192)), Errno::EINVAL);
    let d = c.sim.mmap_doorbells(page, 8192).unwrap();
    // SAFETY: the page was just mapped there.
    assert_eq!(unsafe { (d.va() as *const u64).read_volatile() }, u64::MAX);
}

#[test]
fn events_have_the_kernels_numbers_and_errors() {
    let mut c = Client::new();
    let mut first = CreateEvent {
        event_type: uapi::EVENT_SIGNAL,
        ..Default::default()
    };
    assert_eq!(errno(c.sim.create_event(&mut first)), Errno::EINVAL, "no page yet");
    let (vram, _) = c.buffer(uapi::EVENT_PAGE_BYTES, VRAM);
    assert_eq!(
        errno(c.sim.create_event(&mut CreateEvent {
            event_page_offset: vram,
            ..Default::default()
        })),
        Errno::EINVAL
    );
    let page = c.event_page();
    first.event_page_offset = page;
    c.sim.create_event(&mut first).unwrap();
    assert_eq!(
        (first.event_id, first.event_slot_index, first.event_trigger_data),
        (1, 1, 1)
    );
    assert_eq!(
        errno(c.sim.create_event(&mut first)),
        Errno::EINVAL,
        "outputs sent back as inputs"
    );
    let mut memory = CreateEvent {
        event_type: uapi::EVENT_MEMORY,
        ..Default::default()
    };
    c.sim.create_event(&mut memory).unwrap();
    assert_eq!((memory.event_id, memory.event_page_offset), (0x4000_0000, 0));
    assert_eq!(
        errno(c.sim.set_event(memory.event_id)),
        Errno::EINVAL,
        "the host sets signal events only"
    );
    assert_eq!(errno(c.sim.set_event(0)), Errno::EINVAL);
    let mut w = [EventData::new(1), EventData::new(memory.event_id)];
    assert_eq!(c.sim.wait_events(&mut w, false, 0), Ok(WaitOutcome::Timeout));
    c.sim.set_event(1).unwrap();
    assert_eq!(c.sim.wait_events(&mut w, false, 0), Ok(WaitOutcome::Complete));
    assert_eq!(c.sim.wait_events(&mut w, true, 1), Ok(WaitOutcome::Timeout));
    c.sim.reset_event(1).unwrap();
    // The age moved from 1 to 2 though the event is reset: a waiter that saw age 1 must not sleep.
    let mut aged = [EventData::new(1)];
    aged[0].set_last_event_age(1);
    assert_eq!(c.sim.wait_events(&mut aged, false, 0), Ok(WaitOutcome::Complete));
    assert_eq!(aged[0].last_event_age(), 2);
    assert_eq!(c.sim.wait_events(&mut aged, false, 1), Ok(WaitOutcome::Timeout));
    std::thread::scope(|s| {
        let waiter = s.spawn(|| c.sim.wait_events(&mut [EventData::new(1)], false, 20_000));
        std::thread::sleep(Duration::from_millis(20));
        c.sim.destroy_event(1).unwrap();
        assert_eq!(errno(waiter.join().unwrap()), Errno::EIO);
    });
    assert_eq!(
        errno(c.sim.wait_events(&mut [EventData::new(1)], false, 0)),
        Errno::EINVAL
    );
}

#[test]
fn packets_run_in_order_through_a_ring_that_wraps_a_thousand_times() {
    let mut c = Client::new();
    let mut q = c.queue(64);
    let kernel = c.kernel(0);
    let done = c.signal(1);
    const N: u64 = 64_000;
    for i in 0..N {
        q.submit(&c, bytemuck::cast(dispatch(kernel, i * 16, 0)));
    }
    q.submit(&c, bytemuck::cast(barrier(PacketType::BarrierAnd, &[], done)));
    c.wait_value(done, 0);
    let seen = c.stub.seen.lock().unwrap();
    assert_eq!(seen.len() as u64, N);
    assert!(seen.iter().enumerate().all(|(i, &a)| a == i as u64 * 16));
    assert_eq!(c.sim.stats().workgroups, 4 * N);
    let s: AmdSignal = c.sim.vm().read(done).unwrap();
    assert!(
        s.start_ts > 0 && s.end_ts >= s.start_ts,
        "profiling queues get time stamps"
    );
}

#[test]
fn barriers_order_two_queues() {
    let mut c = Client::new();
    let (mut a, mut b) = (c.queue(64), c.queue(64));
    let kernel = c.kernel(0);
    let (gate, never, first, second) = (c.signal(1), c.signal(1), c.signal(1), c.signal(1));
    b.submit(&c, bytemuck::cast(barrier(PacketType::BarrierAnd, &[first], 0)));
    b.submit(&c, bytemuck::cast(dispatch(kernel, 2, second)));
    a.submit(&c, bytemuck::cast(barrier(PacketType::BarrierOr, &[never, gate], 0)));
    a.submit(&c, bytemuck::cast(dispatch(kernel, 1, first)));
    std::thread::sleep(Duration::from_millis(30));
    assert!(c.stub.seen.lock().unwrap().is_empty());
    let status = c.sim.queue_status(b.a.queue_id).unwrap();
    assert!(status.waits_for.unwrap().contains("barrier packet 0"));
    c.sim
        .vm()
        .atomic_i64(gate + 8, Access::Write)
        .unwrap()
        .store(0, Ordering::Release);
    c.wait_value(second, 0);
    assert_eq!(*c.stub.seen.lock().unwrap(), [1, 2]);
}

#[test]
fn doorbell_alone_starts_packets_and_must_not_pass_the_write_index() {
    let mut c = Client::new();
    let mut q = c.queue(64);
    let kernel = c.kernel(0);
    q.push(&c, bytemuck::cast(dispatch(kernel, 1, 0)));
    q.push(&c, bytemuck::cast(dispatch(kernel, 2, 0)));
    std::thread::sleep(Duration::from_millis(20));
    assert!(c.stub.seen.lock().unwrap().is_empty(), "the write index starts nothing");
    q.ring(&c, 0);
    std::thread::sleep(Duration::from_millis(30));
    assert_eq!(*c.stub.seen.lock().unwrap(), [1], "the doorbell names the last packet");
    q.ring(&c, 2);
    let end = Instant::now() + Duration::from_secs(10);
    while c.sim.last_fault().is_none() {
        assert!(Instant::now() < end);
        std::thread::sleep(Duration::from_millis(1));
    }
    let f = c.sim.last_fault().unwrap();
    assert!(
        f.text.contains("doorbell value 2 is not below the write index 2"),
        "{f}"
    );
}

#[test]
fn completion_raises_the_event_of_the_signal() {
    let mut c = Client::new();
    let (page, page_va) = c.buffer(uapi::EVENT_PAGE_BYTES, GTT);
    let mut e = CreateEvent {
        event_page_offset: page,
        auto_reset: 1,
        ..Default::default()
    };
    c.sim.create_event(&mut e).unwrap();
    let mut q = c.queue(64);
    let kernel = c.kernel(0);
    let s = c.signal(1);
    let mailbox = page_va + u64::from(e.event_slot_index) * 8;
    let signal = AmdSignal {
        kind: 1,
        value: 1,
        event_mailbox_ptr: mailbox,
        event_id: e.event_id,
        ..Default::default()
    };
    c.sim.vm().write(s, &signal).unwrap();
    q.submit(&c, bytemuck::cast(dispatch(kernel, 0, s)));
    assert_eq!(
        c.sim.wait_events(&mut [EventData::new(e.event_id)], false, 20_000),
        Ok(WaitOutcome::Complete)
    );
    assert_eq!(c.value(s), 0);
    assert_eq!(
        c.sim.vm().read::<u64>(mailbox).unwrap(),
        u64::MAX,
        "the slot was acknowledged"
    );
}

fn stopped_by(packet: impl FnOnce(&mut Client, u64) -> [u8; 64]) -> (Client, u64, i64) {
    let mut c = Client::new();
    let page = c.event_page();
    c.sim
        .create_event(&mut CreateEvent {
            event_page_offset: page,
            ..Default::default()
        })
        .unwrap();
    let mut m = CreateEvent {
        event_type: uapi::EVENT_MEMORY,
        ..Default::default()
    };
    c.sim.create_event(&mut m).unwrap();
    let inactive = c.signal(0);
    let mut q = c.queue(64);
    let qva = q.a.read_pointer_address - 128;
    let mut amd: AmdQueue = c.sim.vm().read(qva).unwrap();
    amd.queue_inactive_signal = inactive;
    c.sim.vm().write(qva, &amd).unwrap();
    let done = c.signal(1);
    let bytes = packet(&mut c, done);
    q.submit(&c, bytes);
    let end = Instant::now() + Duration::from_secs(10);
    while c.sim.last_fault().is_none() || c.value(inactive) == 0 && c.sim.last_fault().unwrap().va.is_none() {
        assert!(Instant::now() < end, "no fault");
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(c.value(done), 1, "the completion signal must not fire");
    let mut w = [EventData::new(m.event_id)];
    let memory = c.sim.wait_events(&mut w, false, 200).unwrap() == WaitOutcome::Complete;
    let va = if memory { w[0].memory_exception().va } else { 0 };
    let bits = c.value(inactive);
    (c, va, bits)
}

#[test]
fn faults_reach_the_client_the_way_hardware_sends_them() {
    let (c, va, bits) = stopped_by(|c, done| {
        let k = c.kernel(0);
        bytemuck::cast(dispatch(k, 0xdead, done))
    });
    assert_eq!((va, bits), (0xdead_0000, 0));
    let f = c.sim.last_fault().unwrap();
    assert_eq!((f.kernel.as_deref(), f.va), (Some("stub"), Some(0xdead_0000)));
    assert!(
        f.text
            .starts_with("read of 4 bytes at 0xdead0000: no memory is mapped there"),
        "{f}"
    );

    let bits_of = |f: &dyn Fn(&mut DispatchPacket)| {
        let (c, va, bits) = stopped_by(|c, done| {
            let k = c.kernel(128);
            let mut p = dispatch(k, 0, done);
            p.group_segment_size = 128;
            f(&mut p);
            bytemuck::cast(p)
        });
        assert_eq!(va, 0, "{:?}", c.sim.last_fault());
        bits
    };
    assert_eq!(bits_of(&|p| p.setup = 0), aql::QUEUE_ERROR_DIMS);
    assert_eq!(bits_of(&|p| p.grid[0] = 0), aql::QUEUE_ERROR_DIMS);
    assert_eq!(bits_of(&|p| p.grid[1] = 2), aql::QUEUE_ERROR_DIMS);
    assert_eq!(bits_of(&|p| p.workgroup[0] = 1025), aql::QUEUE_ERROR_WORKGROUP);
    assert_eq!(bits_of(&|p| p.workgroup[0] = 0), aql::QUEUE_ERROR_WORKGROUP);
    assert_eq!(bits_of(&|p| p.group_segment_size = 127), aql::QUEUE_ERROR_GROUP_MEMORY);
    assert_eq!(
        bits_of(&|p| p.group_segment_size = 65537),
        aql::QUEUE_ERROR_GROUP_MEMORY
    );
    assert_eq!(bits_of(&|p| p.kernel_object += 4), aql::QUEUE_ERROR_CODE);
    assert_eq!(bits_of(&|p| p.kernel_object = 0), aql::QUEUE_ERROR_CODE);
    assert_eq!(bits_of(&|p| p.header = 0x1504), aql::QUEUE_ERROR_PACKET);
    assert_eq!(bits_of(&|p| p.header = 0x1509), aql::QUEUE_ERROR_PACKET);
    assert_eq!(bits_of(&|p| p.header = 0x1500), aql::QUEUE_ERROR_VENDOR);
    assert_eq!(
        bits_of(&|p| p.kernarg_address = 0xbad),
        aql::QUEUE_ERROR_ILLEGAL_INSTRUCTION,
        "executor panic"
    );
}

#[test]
fn a_queue_without_scratch_asks_for_it_and_goes_on() {
    let mut c = Client::new();
    let inactive = c.signal(0);
    let mut q = c.queue(64);
    let qva = q.a.read_pointer_address - 128;
    let mut amd: AmdQueue = c.sim.vm().read(qva).unwrap();
    amd.queue_inactive_signal = inactive;
    c.sim.vm().write(qva, &amd).unwrap();
    let (kernel, done) = (c.kernel(0), c.signal(1));
    let mut p = dispatch(kernel, 5, done);
    p.private_segment_size = 16;
    q.submit(&c, bytemuck::cast(p));
    c.wait_value(inactive, aql::QUEUE_NEEDS_SCRATCH_WAVE32);
    assert_eq!(c.value(done), 1);
    let mut amd: AmdQueue = c.sim.vm().read(qva).unwrap();
    // 16 bytes of 32 lanes are two units of 256 bytes.
    amd.compute_tmpring_size = 2 << 12 | 1;
    c.sim.vm().write(qva, &amd).unwrap();
    c.sim.vm().write(inactive + 8, &0i64).unwrap();
    c.wait_value(done, 0);
    assert_eq!(*c.stub.seen.lock().unwrap(), [5]);
}

#[test]
fn kernel_object_in_unmapped_memory_is_a_memory_fault() {
    let (c, va, _) = stopped_by(|_, done| bytemuck::cast(dispatch(0x5000_0000_0000, 0, done)));
    assert_eq!(va, 0x5000_0000_0000);
    assert!(c.sim.last_fault().unwrap().text.contains("packet 0 of queue 0"));
}

#[test]
fn injected_failures_hit_the_chosen_call() {
    let c = Client::new();
    c.sim.fail_call(1, Errno::ENOMEM);
    c.sim.version().unwrap();
    assert_eq!(errno(c.sim.version()), Errno::ENOMEM);
    c.sim.version().unwrap();
}

#[test]
fn executor_reads_what_is_mapped_writable() {
    let mut c = Client::new();
    let (_, va) = c.buffer(4096, uapi::ALLOC_GTT);
    let m = c.sim.vm().table();
    assert_eq!(m.find(va + 4095).unwrap().flags, PageFlags::default());
    assert!(c.sim.vm().resolve(va, 8, Access::Read).is_ok());
    assert!(c.sim.vm().resolve(va, 8, Access::Write).is_err());
}
