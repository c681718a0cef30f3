//! Queues, buffers and faults with an executor that only pretends: what the runtime guarantees whatever a kernel does.
#![allow(clippy::unwrap_used)]

mod common;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use common::{assemble, SAXPY};
use t0_kfd::Errno;
use t0_runtime::{Access, Args, Error, Gpu, Kernel, Module, Queue};
use t0_sim::driver::{Access as VmAccess, Dispatch, DispatchStats, ExecFault, ExecFaultKind, Executor, SimKfd, Vm};

/// Behaves as the first argument word says; remembers the second one.
#[derive(Default)]
struct Pretend {
    seen: Mutex<Vec<u32>>,
    release: AtomicBool,
}

const NOTHING: u32 = 0;
const HANG: u32 = 1;
const WAIT_FOR_RELEASE: u32 = 2;
const ILLEGAL: u32 = 3;
const ENDLESS: u32 = 4;
const PANIC: u32 = 5;

impl Executor for Pretend {
    fn dispatch(&self, d: &Dispatch, vm: &Vm) -> Result<DispatchStats, ExecFault> {
        let [what, tag]: [u32; 2] = vm.read(d.kernarg()).map_err(|f| ExecFault::new(f.into()))?;
        match what {
            HANG => {
                while !d.cancel.load(Ordering::Acquire) {
                    std::thread::sleep(Duration::from_millis(1));
                }
                return Err(ExecFault::new(ExecFaultKind::Cancelled));
            }
            WAIT_FOR_RELEASE => {
                while !self.release.load(Ordering::Acquire) {
                    std::thread::sleep(Duration::from_micros(100));
                }
                // The memory must still be there.
                let va: u64 = vm.read(d.kernarg() + 8).map_err(|f| ExecFault::new(f.into()))?;
                if va != 0 {
                    vm.resolve(va, 4, VmAccess::Write)
                        .map_err(|f| ExecFault::new(f.into()))?;
                }
            }
            ILLEGAL => {
                return Err(ExecFault::new(ExecFaultKind::IllegalInstruction {
                    words: vec![0xffff_ffff],
                }))
            }
            ENDLESS => {
                return Err(ExecFault::new(ExecFaultKind::Endless {
                    instructions: 7,
                    place: None,
                    waves: Vec::new(),
                }))
            }
            PANIC => panic!("pretended"),
            _ => {}
        }
        self.seen.lock().unwrap().push(tag);
        Ok(DispatchStats::default())
    }
}

struct Bench {
    gpu: Gpu,
    pretend: Arc<Pretend>,
    sim: Arc<SimKfd>,
}

impl Bench {
    fn new() -> Bench {
        let pretend = Arc::new(Pretend::default());
        let sim = Arc::new(SimKfd::new(pretend.clone()).unwrap());
        let gpu = Gpu::with_driver(sim.clone(), "test").unwrap();
        gpu.set_time_limit(Duration::from_secs(30));
        Bench { gpu, pretend, sim }
    }

    fn kernel(&self) -> Kernel {
        Module::load(&self.gpu, &assemble("pretend", SAXPY, 24))
            .unwrap()
            .kernel("pretend")
            .unwrap()
    }

    fn args(&self, q: &Queue, kernel: &Kernel, what: u32, tag: u32) -> Args {
        let mut a = q.args(kernel);
        a.scalar(what);
        a.scalar(tag);
        a.grid_groups("test", 1, 1).unwrap();
        a
    }

    fn run(&self, q: &Queue, kernel: &Kernel, what: u32, tag: u32) {
        q.submit(kernel, self.args(q, kernel, what, tag)).unwrap();
    }
}

#[test]
fn twenty_thousand_launches_wrap_ring_and_argument_space_in_order() {
    let b = Bench::new();
    let (q, kernel) = (b.gpu.queue().unwrap(), b.kernel());
    const N: u32 = 20_000;
    for i in 0..N {
        b.run(&q, &kernel, NOTHING, i);
    }
    q.wait().unwrap();
    assert!(b.pretend.seen.lock().unwrap().iter().copied().eq(0..N));
}

/// Every observable step of the card is delayed at random: ordering must come from signals alone.
#[test]
fn results_are_right_under_torture() {
    let b = Bench::new();
    b.sim.torture(Duration::from_micros(300), 7);
    let (q1, q2, kernel) = (b.gpu.queue().unwrap(), b.gpu.queue().unwrap(), b.kernel());
    let shared = b.gpu.alloc::<u32>(4).unwrap();
    for i in 0..200 {
        // Alternating queues that write the same buffer, with buffers that come and go in between.
        let q = if i % 3 == 0 { &q1 } else { &q2 };
        let mut a = b.args(q, &kernel, WAIT_FOR_RELEASE, i);
        let own = b.gpu.upload(&[i; 100]).unwrap();
        a.buffer(
            if i % 2 == 0 { "own" } else { "shared" },
            if i % 2 == 0 { &own } else { &shared },
            Access::Write,
        )
        .unwrap();
        b.pretend.release.store(true, Ordering::Release);
        q.submit(&kernel, a).unwrap();
        if i % 50 == 49 {
            assert_eq!(own.to_vec().unwrap(), [i; 100]);
        }
    }
    b.gpu.wait().unwrap();
    let mut seen = b.pretend.seen.lock().unwrap().clone();
    let odd: Vec<u32> = seen.iter().copied().filter(|i| i % 2 == 1).collect();
    assert!(
        odd.is_sorted(),
        "writers of one buffer run in order across queues: {odd:?}"
    );
    seen.sort_unstable();
    assert!(seen.into_iter().eq(0..200));
}

#[test]
fn launches_from_several_threads_all_run_once() {
    let b = Bench::new();
    let (q, kernel) = (b.gpu.queue().unwrap(), b.kernel());
    std::thread::scope(|s| {
        for t in 0..4u32 {
            let (b, q, kernel) = (&b, q.clone(), kernel.clone());
            s.spawn(move || (0..500).for_each(|i| b.run(&q, &kernel, NOTHING, t * 500 + i)));
        }
    });
    q.wait().unwrap();
    let mut seen = b.pretend.seen.lock().unwrap().clone();
    seen.sort_unstable();
    assert!(seen.into_iter().eq(0..2000));
}

#[test]
fn a_buffer_written_in_one_queue_is_waited_for_in_another() {
    let b = Bench::new();
    let (q1, q2, kernel) = (b.gpu.queue().unwrap(), b.gpu.queue().unwrap(), b.kernel());
    let y = b.gpu.alloc::<u32>(4).unwrap();
    let launch = |q: &Queue, what, tag| {
        let mut a = b.args(q, &kernel, what, tag);
        a.buffer("y", &y, Access::Write).unwrap();
        q.submit(&kernel, a).unwrap();
    };
    launch(&q1, WAIT_FOR_RELEASE, 1);
    std::thread::scope(|s| {
        s.spawn(|| launch(&q2, NOTHING, 2));
        std::thread::sleep(Duration::from_millis(50));
        assert!(b.pretend.seen.lock().unwrap().is_empty());
        b.pretend.release.store(true, Ordering::Release);
    });
    b.gpu.wait().unwrap();
    assert_eq!(*b.pretend.seen.lock().unwrap(), [1, 2]);
}

#[test]
fn dropping_a_buffer_in_flight_frees_it_later() {
    let b = Bench::new();
    let (q, kernel) = (b.gpu.queue().unwrap(), b.kernel());
    let y = b.gpu.alloc::<u32>(4).unwrap();
    let mut a = b.args(&q, &kernel, WAIT_FOR_RELEASE, 1);
    a.buffer("y", &y, Access::Write).unwrap();
    let s = q.submit(&kernel, a).unwrap();
    let live = b.sim.live_buffers();
    drop(y);
    drop(b.gpu.upload(&[0u8; 10]).unwrap());
    assert_eq!(b.sim.live_buffers(), live, "the buffer in flight stays, the other goes");
    assert!(!s.is_done());
    b.pretend.release.store(true, Ordering::Release);
    s.wait().unwrap();
    drop(b.gpu.upload(&[0u8; 10]).unwrap());
    assert_eq!(b.sim.live_buffers(), live - 1);
}

#[test]
fn a_hang_ends_in_a_timeout_that_says_what_hangs() {
    let b = Bench::new();
    b.gpu.set_time_limit(Duration::from_millis(300));
    let (q, kernel) = (b.gpu.queue().unwrap(), b.kernel());
    let y = b.gpu.upload(&[1u32]).unwrap();
    let mut a = b.args(&q, &kernel, HANG, 0);
    a.buffer("y", &y, Access::Write).unwrap();
    q.submit(&kernel, a).unwrap();
    let start = Instant::now();
    let e = q.wait().unwrap_err();
    assert!(start.elapsed() < Duration::from_secs(5));
    let text = e.to_string();
    assert!(matches!(e, Error::Timeout { .. }), "{text}");
    assert!(
        text.contains("`pretend`")
            && text.contains("error[timeout]: kernel `pretend` (packet 0 of queue")
            && text.contains("did not finish within 0.3 s\n")
            && text.contains("= note: the queue waits for the kernel of packet 0\n")
            && text.contains("\nhelp: raise the limit"),
        "{text}"
    );
    // A later launch is held up by the same kernel: that one is named, with its own packet.
    b.run(&q, &kernel, NOTHING, 1);
    let text = q.wait().unwrap_err().to_string();
    assert!(text.contains("(packet 0 of queue"), "{text}");
    // Nobody waits a second time for what did not end in time.
    b.gpu.set_time_limit(Duration::from_secs(60));
    let start = Instant::now();
    drop(q);
    assert!(
        start.elapsed() < Duration::from_secs(20),
        "dropping a hung queue does not wait again"
    );
}

#[test]
fn a_full_ring_of_a_hung_queue_ends_in_a_timeout() {
    let b = Bench::new();
    b.gpu.set_time_limit(Duration::from_millis(200));
    let (q, kernel) = (b.gpu.queue().unwrap(), b.kernel());
    b.run(&q, &kernel, HANG, 0);
    let e = (0..2000)
        .find_map(|i| q.submit(&kernel, b.args(&q, &kernel, NOTHING, i)).err())
        .unwrap();
    assert!(matches!(e, Error::Timeout { .. }), "{e}");
}

#[test]
fn every_kind_of_fault_is_an_error_in_bounded_time() {
    for (what, text) in [
        (ILLEGAL, "illegal instruction ffffffff"),
        (ENDLESS, "did not end within 7 instructions"),
        (PANIC, "the simulator panicked: pretended"),
    ] {
        let b = Bench::new();
        let (q, kernel) = (b.gpu.queue().unwrap(), b.kernel());
        b.run(&q, &kernel, what, 0);
        b.run(&q, &kernel, NOTHING, 1);
        let start = Instant::now();
        let e = q.wait().unwrap_err();
        assert!(start.elapsed() < Duration::from_secs(5));
        assert!(matches!(&e, Error::Fault { kernel, .. } if kernel == "pretend"), "{e}");
        assert!(e.to_string().contains(text), "{e}");
        let form = "kernel `pretend` faulted; the device is lost, open it again with `Gpu::open`:\nerror[";
        assert!(e.to_string().starts_with(form), "{e}");
        assert!(matches!(q.wait(), Err(Error::DeviceLost { .. })));
        assert!(b.pretend.seen.lock().unwrap().is_empty(), "nothing runs after a fault");
    }
}

#[test]
fn arguments_are_checked() {
    let b = Bench::new();
    let (q, kernel) = (b.gpu.queue().unwrap(), b.kernel());
    let (x, y) = (b.gpu.alloc::<f32>(8).unwrap(), b.gpu.alloc::<f32>(8).unwrap());
    let mut a = q.args(&kernel);
    a.buffer("x", &x, Access::Read).unwrap();
    a.buffer("x2", &x, Access::Read).unwrap();
    let e = a.buffer("y", &x, Access::Write).unwrap_err().to_string();
    assert!(e.contains("`x` and `y` are the same buffer"), "{e}");
    a.buffer("y", &y, Access::Write).unwrap();
    assert!(matches!(a.buffer("z", &y, Access::Write), Err(Error::Aliased { .. })));
    assert!(matches!(a.buffer("z", &y, Access::Atomic), Err(Error::Aliased { .. })));
    a.grid_lanes("y", 8).unwrap();
    let e = a.grid_waves("z", 8).unwrap_err().to_string();
    assert!(
        e.contains("`y` and `z` give different grids (8 lanes and 8 waves)"),
        "{e}"
    );
    let other = Bench::new();
    let foreign = other.gpu.alloc::<f32>(8).unwrap();
    assert!(matches!(
        a.buffer("f", &foreign, Access::Read),
        Err(Error::OtherDevice { .. })
    ));
    let bare = q.args(&kernel);
    assert!(matches!(q.submit(&kernel, bare), Err(Error::NoGrid { .. })));
    let mut long = q.args(&kernel);
    assert!(matches!(long.size("n", 1 << 32), Err(Error::TooLong { .. })));
}

#[test]
fn matrices_keep_their_stride() {
    let b = Bench::new();
    let data: Vec<u16> = (0..15).collect();
    let m = b.gpu.upload_mat_strided(3, 5, 8, &data).unwrap();
    assert_eq!(m.to_vec().unwrap(), data);
    let all = m.to_vec_with_gaps().unwrap();
    assert_eq!(all[5..8], [0xa5a5; 3], "gaps hold the poison of fresh memory");
    assert_eq!(all[8..13], [5, 6, 7, 8, 9]);
    assert!(matches!(
        b.gpu.upload_mat(3, 5, &data[1..]),
        Err(Error::Shape { want: 15, got: 14, .. })
    ));
    assert!(matches!(
        b.gpu.alloc_mat_strided::<u8>(2, 4, 3),
        Err(Error::Stride { .. })
    ));
    let empty = b.gpu.upload_mat::<f32>(0, 7, &[]).unwrap();
    assert!(empty.to_vec().unwrap().is_empty());
    let mut z = b.gpu.alloc_zeroed::<u64>(3).unwrap();
    assert_eq!(z.to_vec().unwrap(), [0; 3]);
    z.fill(9).unwrap();
    assert_eq!(z.to_vec().unwrap(), [9; 3]);
    assert!(matches!(
        z.copy_from(&[1]),
        Err(Error::Length { left: 3, right: 1, .. })
    ));
}

/// Whatever call of the driver fails, the error comes back and nothing but the event page stays allocated.
#[test]
fn every_driver_call_may_fail_without_leaks() {
    let mut clean_runs = 0;
    for nth in 0.. {
        let sim = Arc::new(SimKfd::new(Arc::new(Pretend::default())).unwrap());
        sim.fail_call(nth, Errno::ENOMEM);
        let work = || -> Result<(), Error> {
            let gpu = Gpu::with_driver(sim.clone(), "test")?;
            let q = gpu.queue()?;
            let kernel = Module::load(&gpu, &assemble("pretend", SAXPY, 24))?.kernel("pretend")?;
            let x = gpu.upload(&[1.0f32; 100])?;
            let mut a = q.args(&kernel);
            a.scalar(NOTHING);
            a.scalar(1u32);
            a.buffer("x", &x, Access::Write)?;
            a.grid_lanes("x", 100)?;
            q.submit(&kernel, a)?;
            x.to_vec()?;
            Ok(())
        };
        let result = work();
        // The failing call may be one of the clean-up or one that is repeated: then the work itself succeeds.
        clean_runs = if result.is_ok() { clean_runs + 1 } else { 0 };
        if clean_runs >= 30 {
            assert!(nth > 40, "only {nth} driver calls");
            return;
        }
        if result.is_err() {
            assert!(
                sim.live_buffers() <= 1,
                "call {nth}: {} buffers left after {:?}",
                sim.live_buffers(),
                result.err()
            );
        }
    }
}

#[test]
fn the_simulated_card_describes_itself() {
    let gpu = Gpu::simulated().unwrap();
    assert!(gpu.is_simulated());
    assert_eq!(gpu.target(), "gfx1100");
    let text = gpu.describe();
    assert!(
        text.contains("simulated Radeon RX 7900 XTX (gfx1100, 96 CU, 24560 MiB)"),
        "{text}"
    );
}
