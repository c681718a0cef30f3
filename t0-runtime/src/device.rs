//! The device: opening it, its event page, its faults, and memory that waits to be freed.
//!
//! Invariants: nothing waits for ever (every wait has the device's time limit and watches the exception events), and
//! the first fault makes every later call fail with [`Error::DeviceLost`], as the queues of the process are dead then.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use t0_backend_rdna3::target::Target;
use t0_kfd::uapi::{self, CreateEvent, EventData};
use t0_kfd::{Doorbells, Found, Kfd, KfdError, Node, QueueStatus, RealKfd, Stores, WaitOutcome};
use t0_sim::driver::{Message, Severity};

use t0_sim::card::Card;

use crate::dump::Cards;
use crate::error::{Error, Result};
use crate::kernel::KernelKey;
use crate::memory::{Driver, GpuMem, Kind};
use crate::module::{Kernel, SimOptions};
use crate::queue::{Fence, Queue, QueueInner};

/// A GPU: a real card through KFD, or the simulated one. Clones are handles of the same device.
#[derive(Clone)]
pub struct Gpu {
    pub(crate) device: Arc<Device>,
}

/// What all handles of a device share.
pub(crate) struct Device {
    /// Dropped before the event page and the driver, see field order.
    graveyard: Mutex<Vec<(Vec<Fence>, GpuMem)>>,
    cache: Mutex<Vec<GpuMem>>,
    cache_limit: u64,
    pub kernels: Mutex<HashMap<KernelKey, Kernel>>,
    pub queues: Mutex<Vec<Weak<QueueInner>>>,
    doorbells: OnceLock<Arc<Doorbells>>,
    event_page: GpuMem,
    memory_event: u32,
    hw_event: u32,
    lost: OnceLock<Lost>,
    /// What a sanitizer finds is an error of the wait for the launch.
    sanitizes: bool,
    /// Findings that have been such an error and not been asked for.
    found: Mutex<Vec<Found>>,
    /// What the cycle model says of launches.
    cards: Arc<Cards>,
    time_limit_ms: AtomicU64,
    how: String,
    pub driver: Arc<Driver>,
}

/// Why a device is lost.
#[derive(Clone)]
struct Lost {
    kernel: String,
    /// In one line.
    detail: String,
    /// As rustc would print it.
    report: String,
}

/// KFD binds a process to its GPU for life, so the real device is opened once.
static REAL: Mutex<Option<Gpu>> = Mutex::new(None);

const REAL_TIME_LIMIT: Duration = Duration::from_secs(60);
/// The simulator is thousands of times slower than a card and stops endless kernels itself.
const SIM_TIME_LIMIT: Duration = Duration::from_secs(600);
/// Freed memory of a real card kept for the next allocation of the same size.
const CACHE_LIMIT: u64 = 256 << 20;
/// Longest single wait for events: bounds the damage of an event that was lost.
const EVENT_SLICE: Duration = Duration::from_millis(100);
const SPIN: Duration = Duration::from_micros(50);

pub(crate) fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Gpu {
    /// Opens the GPU `T0_DEVICE` names: `kfd` a real card, `sim` the simulated one, `auto` (default) a real gfx11 card
    /// if there is one, else the simulated one. [`Gpu::describe`] says which and why.
    pub fn open() -> Result<Gpu> {
        Self::open_with(&SimOptions::default())
    }

    /// The same, with options for the simulated card if it is that one.
    pub fn open_with(options: &SimOptions) -> Result<Gpu> {
        match std::env::var("T0_DEVICE").as_deref() {
            Err(_) | Ok("auto" | "") => match Self::real() {
                Ok(gpu) => Ok(gpu),
                Err(why) => Self::simulate(&why.to_string(), options),
            },
            Ok("sim") => Self::simulate("T0_DEVICE=sim", options),
            Ok("kfd") => Self::real(),
            Ok(other) => Err(Error::DeviceChoice { value: other.into() }),
        }
    }

    /// A simulated Radeon RX 7900 XTX of its own.
    pub fn simulated() -> Result<Gpu> {
        Self::simulated_with(&SimOptions::default())
    }

    /// The same with options, which go before what the environment says.
    pub fn simulated_with(options: &SimOptions) -> Result<Gpu> {
        Self::simulate("asked for", options)
    }

    fn simulate(why: &str, options: &SimOptions) -> Result<Gpu> {
        let (executor, sanitizes, cards) = crate::module::simulator(options)?;
        let sim = t0_sim::driver::SimKfd::new(executor)?;
        let mut device = Device::open(Arc::new(sim), why)?;
        device.sanitizes = sanitizes;
        device.cards = cards;
        Ok(Gpu {
            device: Arc::new(device),
        })
    }

    /// The real card.
    fn real() -> Result<Gpu> {
        let mut real = lock(&REAL);
        if let Some(gpu) = &*real {
            return Ok(gpu.clone());
        }
        let gpu = Self::with_driver(Arc::new(RealKfd::open()?), "found through /dev/kfd")?;
        *real = Some(gpu.clone());
        Ok(gpu)
    }

    /// Opens the first gfx11 GPU of a driver. `why` ends up in [`Gpu::describe`].
    pub fn with_driver(kfd: Arc<dyn Kfd>, why: &str) -> Result<Gpu> {
        Ok(Gpu {
            device: Arc::new(Device::open(kfd, why)?),
        })
    }

    /// Which device this is, and why.
    pub fn describe(&self) -> String {
        let node = &self.device.driver.node;
        let (cu, mib) = (node.cu_count(), node.vram_bytes >> 20);
        let chip = node.target();
        let kind = if self.is_simulated() {
            let product = Target::from_name(&chip).map_or("GPU", |t| t.product);
            format!("simulated {product}")
        } else {
            "GPU".to_owned()
        };
        format!("{kind} ({chip}, {cu} CU, {mib} MiB): {}", self.device.how)
    }

    /// True for the simulated card.
    pub fn is_simulated(&self) -> bool {
        self.device.driver.kfd.is_simulated()
    }

    /// The chip: `gfx1100` and the like.
    pub fn target(&self) -> String {
        self.device.driver.node.target()
    }

    /// Properties of the GPU.
    pub fn node(&self) -> &Node {
        &self.device.driver.node
    }

    /// A new queue of its own. Launches in one queue run in order.
    pub fn queue(&self) -> Result<Queue> {
        Queue::new(self)
    }

    /// The longest any wait may take.
    pub fn set_time_limit(&self, limit: Duration) {
        self.device
            .time_limit_ms
            .store(limit.as_millis() as u64, Ordering::Relaxed);
    }

    /// What kernels did that hardware swallows silently, each as rustc prints an error, since the last call: accesses outside of a
    /// workgroup's shared memory and, with the sanitizer, races and accesses outside of buffers. Only the simulated card can tell; call it after [`Gpu::wait`].
    pub fn findings(&self) -> Vec<String> {
        let mut all = std::mem::take(&mut *lock(&self.device.found));
        all.extend(self.device.driver.kfd.take_findings());
        all.into_iter().map(|f| f.text).collect()
    }

    /// What the cycle model says of the launches that ended since the last call, of a simulated card that was opened with
    /// `SimOptions::timing`; call it after [`Gpu::wait`].
    ///
    /// # Errors
    /// A card that `T0_DUMP` asks for could not be written.
    pub fn cards(&self) -> Result<Vec<Card>> {
        self.device.cards.take()
    }

    /// Runs waves of the launches from here on in another order; 0: in the usual one. A card has its own.
    pub(crate) fn vary_order(&self, by: u64) {
        self.device.driver.kfd.vary_order(by);
    }

    /// Keeps, from here on, who stored what in the last launch, or forgets it.
    pub(crate) fn keep_stores(&self, on: bool) {
        self.device.driver.kfd.keep_stores(on);
    }

    /// Who stored what in the last launch, once, if that was to be kept. Only the simulated card with the sanitizer can tell.
    pub(crate) fn take_stores(&self) -> Option<Arc<dyn Stores>> {
        self.device.driver.kfd.take_stores()
    }

    /// Waits until all queues are idle.
    pub fn wait(&self) -> Result<()> {
        self.device.live_queues().iter().try_for_each(|q| q.wait_idle())
    }
}

impl std::fmt::Debug for Gpu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Gpu({})", self.describe())
    }
}

impl Device {
    fn open(kfd: Arc<dyn Kfd>, why: &str) -> Result<Device> {
        let (major, minor) = kfd.version()?;
        if (major, minor) < (1, 13) || major > 1 {
            return Err(KfdError::Version { major, minor }.into());
        }
        let node = kfd.topology()?.first_gfx11()?.clone();
        kfd.acquire_vm(&node)?;
        if minor >= 14 {
            // Mode 0, as tinygrad does on this chip: no debugger rendezvous.
            // UNVERIFIED(hw): error payloads need mode 1; queue_inactive_signal is used instead.
            kfd.runtime_enable(0, 0)?;
        }
        let simulated = kfd.is_simulated();
        let driver = Arc::new(Driver { kfd, node });
        let mut event_page = GpuMem::new(&driver, uapi::EVENT_PAGE_BYTES, Kind::Gtt, "the event page")?;
        let create = |event_type, event_page_offset| -> Result<u32> {
            let mut a = CreateEvent {
                event_type,
                event_page_offset,
                ..Default::default()
            };
            driver.kfd.create_event(&mut a)?;
            Ok(a.event_id)
        };
        let memory_event = create(uapi::EVENT_MEMORY, event_page.handle())?;
        event_page.pin();
        event_page.guard();
        let hw_event = create(uapi::EVENT_HW_EXCEPTION, 0)?;
        let limit = time_limit_from_environment()?.unwrap_or(if simulated { SIM_TIME_LIMIT } else { REAL_TIME_LIMIT });
        Ok(Device {
            graveyard: Mutex::default(),
            cache: Mutex::default(),
            // Freed simulated memory goes back at once: it is unmapped, and poisoned when it comes back.
            cache_limit: if simulated { 0 } else { CACHE_LIMIT },
            kernels: Mutex::default(),
            queues: Mutex::default(),
            doorbells: OnceLock::new(),
            event_page,
            memory_event,
            hw_event,
            lost: OnceLock::new(),
            sanitizes: false,
            found: Mutex::default(),
            cards: Arc::default(),
            time_limit_ms: AtomicU64::new(limit.as_millis() as u64),
            how: why.to_string(),
            driver,
        })
    }

    /// Memory for `kind`, from the cache if there is some of this size.
    pub fn alloc(&self, len: u64, kind: Kind, name: &str) -> Result<GpuMem> {
        self.check()?;
        self.bury();
        let size = len
            .max(1)
            .checked_next_multiple_of(t0_kfd::va::PAGE)
            .ok_or(Error::TooMuch { bytes: len })?;
        let mut cache = lock(&self.cache);
        if let Some(i) = cache.iter().position(|m| m.kind() == kind && m.len() == size) {
            let mem = cache.swap_remove(i);
            mem.rename(len, name);
            return Ok(mem);
        }
        drop(cache);
        let new = || GpuMem::new(&self.driver, len, kind, name);
        let full = |e: &KfdError| e.errno() == Some(t0_kfd::Errno::ENOMEM);
        match new() {
            Err(e) if full(&e) => {
                // Give back what is only kept, wait for what is still used, and try once more.
                lock(&self.cache).clear();
                self.wait_for_graves();
                new().map_err(|why| Error::OutOfMemory { bytes: len, why })
            }
            r => Ok(r?),
        }
    }

    /// Frees `mem` as soon as all `uses` are over.
    pub fn free(&self, uses: Vec<Fence>, mem: GpuMem) {
        if uses.iter().all(Fence::is_done) {
            self.recycle(mem);
        } else {
            lock(&self.graveyard).push((uses, mem));
        }
    }

    fn recycle(&self, mem: GpuMem) {
        let mut cache = lock(&self.cache);
        let kept: u64 = cache.iter().map(GpuMem::len).sum();
        if kept + mem.len() <= self.cache_limit {
            cache.push(mem);
        }
    }

    /// Frees what nobody uses any more.
    pub fn bury(&self) {
        let mut graves = lock(&self.graveyard);
        if graves.is_empty() {
            return;
        }
        let (done, left) = std::mem::take(&mut *graves)
            .into_iter()
            .partition(|(u, _)| u.iter().all(Fence::is_done));
        *graves = left;
        drop(graves);
        let done: Vec<(Vec<Fence>, GpuMem)> = done;
        done.into_iter().for_each(|(_, mem)| self.recycle(mem));
    }

    fn wait_for_graves(&self) {
        let uses: Vec<Fence> = lock(&self.graveyard).iter().flat_map(|(u, _)| u.clone()).collect();
        for f in uses {
            // A fault is reported by the next call; here only the memory matters.
            let _ = f.wait_over(self);
        }
        self.bury();
        lock(&self.cache).clear();
    }

    /// GPU address of an event's slot in the event page.
    pub fn event_slot(&self, event_id: u32) -> u64 {
        self.event_page.va() + 8 * u64::from(event_id)
    }

    /// The doorbell page, mapped with the first queue.
    pub fn doorbells(&self, doorbell_offset: u64) -> Result<Arc<Doorbells>> {
        if let Some(d) = self.doorbells.get() {
            return Ok(d.clone());
        }
        let page = doorbell_offset & !(uapi::DOORBELL_BYTES - 1);
        let d = self.driver.kfd.mmap_doorbells(page, uapi::DOORBELL_BYTES)?;
        Ok(self.doorbells.get_or_init(|| Arc::new(d)).clone())
    }

    /// Fails if the device is lost.
    pub fn check(&self) -> Result<()> {
        match self.lost.get() {
            None => Ok(()),
            Some(lost) => Err(Error::DeviceLost {
                kernel: lost.kernel.clone(),
                detail: lost.detail.clone(),
            }),
        }
    }

    /// Whether a sanitizer watches what kernels do.
    pub fn sanitizes(&self) -> bool {
        self.sanitizes
    }

    /// With a sanitizer: fails if it has found something since the last call.
    pub fn check_findings(&self) -> Result<()> {
        if !self.sanitizes {
            return Ok(());
        }
        let new = self.driver.kfd.take_findings();
        let severe = || new.iter().filter(|f| f.severe);
        let result = match severe().next() {
            Some(first) => Err(Error::Findings {
                count: severe().count(),
                first: first.text.clone(),
            }),
            None => Ok(()),
        };
        lock(&self.found).extend(new);
        result
    }

    /// The queues there are now; collected so that no lock is held while they are used or dropped.
    fn live_queues(&self) -> Vec<Arc<QueueInner>> {
        lock(&self.queues).iter().filter_map(Weak::upgrade).collect()
    }

    /// Records a fault; later calls of [`Device::check`] fail. Returns the error for the call that found it.
    fn lose(&self, what: String) -> Error {
        let known = self.driver.kfd.fault_detail();
        let running = || {
            let names: Vec<_> = self.live_queues().iter().filter_map(|q| q.oldest()).collect();
            if names.is_empty() {
                "unknown".to_string()
            } else {
                names.join("` or `")
            }
        };
        let kernel = known.as_ref().and_then(|k| k.kernel.clone()).unwrap_or_else(running);
        let (detail, report) = match known {
            Some(k) => (k.text, k.report),
            None => {
                let report = Message::new(Severity::Error, "fault", what.as_str()).to_string();
                (what, report)
            }
        };
        let new = || Lost { kernel, detail, report };
        let Lost { kernel, detail, report } = self.lost.get_or_init(new).clone();
        Error::Fault { kernel, detail, report }
    }

    /// A queue is destroyed with work in flight: what that work should have written is not there.
    pub fn abandon(&self, kernel: String, why: &Error) {
        self.lost.get_or_init(|| {
            let detail = format!("its queue was destroyed before it was complete: {}", why.brief());
            let report = Message::new(Severity::Error, "fault", detail.as_str()).to_string();
            Lost { kernel, detail, report }
        });
    }

    fn exceptions(&self) -> [EventData; 2] {
        [EventData::new(self.memory_event), EventData::new(self.hw_event)]
    }

    /// Looks at exception events and the queues' error signals.
    fn look_for_faults(&self) -> Result<()> {
        self.check()?;
        if let Some(what) = self.live_queues().iter().find_map(|q| q.error()) {
            return Err(self.lose(what));
        }
        let mut e = self.exceptions();
        if self.driver.kfd.wait_events(&mut e, false, 0)? == WaitOutcome::Timeout {
            return Ok(());
        }
        let (m, h) = (e[0].memory_exception(), e[1].hw_exception());
        Err(self.lose(if m.gpu_id != 0 {
            let why = match (m.not_present, m.read_only, m.no_execute) {
                (true, ..) => "no memory is mapped there",
                (_, true, _) => "the memory is read-only",
                (.., true) => "the memory is not executable",
                _ => "access refused",
            };
            format!("memory fault in the page at {:#x}: {why}", m.va)
        } else {
            let cause = if h.reset_cause == 1 {
                "an uncorrectable memory error"
            } else {
                "a hang"
            };
            format!("the GPU was reset because of {cause}")
        }))
    }

    /// Waits until `done`, at most the time limit, woken by `event`. `what` is for the error message: what is waited for,
    /// and what the queue does meanwhile.
    pub fn wait_until(
        &self,
        done: impl Fn() -> bool,
        event: u32,
        what: impl Fn() -> (String, Option<QueueStatus>),
    ) -> Result<()> {
        self.check()?;
        let start = Instant::now();
        while start.elapsed() < SPIN {
            if done() {
                return Ok(());
            }
            std::thread::yield_now();
        }
        let limit = Duration::from_millis(self.time_limit_ms.load(Ordering::Relaxed));
        let mut age = 1;
        loop {
            if done() {
                return Ok(());
            }
            self.look_for_faults()?;
            let left = limit.saturating_sub(start.elapsed());
            if left.is_zero() {
                let (what, status) = what();
                return Err(timeout(what, limit.as_secs_f64(), status));
            }
            let [memory, hw] = self.exceptions();
            let mut events = [EventData::new(event), memory, hw];
            events[0].set_last_event_age(age);
            let slice = left.min(EVENT_SLICE).as_millis().max(1) as u32;
            self.driver.kfd.wait_events(&mut events, false, slice)?;
            age = events[0].last_event_age().max(1);
        }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // Queues hold the device, so they are gone and nothing is in flight.
        lock(&self.graveyard).clear();
    }
}

/// The error of a wait that took too long.
fn timeout(what: String, seconds: f64, status: Option<QueueStatus>) -> Error {
    let text = format!("{what} did not finish within {seconds} s");
    let mut m = Message::new(Severity::Error, "timeout", text);
    let QueueStatus { waits_for, waves, .. } = status.unwrap_or_default();
    m.notes.extend(waits_for.map(|w| format!("the queue waits for {w}")));
    if !waves.is_empty() {
        m.notes.push(format!("where the waves stand:\n{}", waves.join("\n")));
    }
    m.help = Some(String::from(
        "raise the limit with `Gpu::set_time_limit` or T0_TIMEOUT (seconds) if the work really takes so long",
    ));
    let message = Box::new(m);
    Error::Timeout { what, seconds, message }
}

/// The time limit of T0_TIMEOUT, if it is set.
fn time_limit_from_environment() -> Result<Option<Duration>> {
    let Some(value) = std::env::var_os("T0_TIMEOUT") else {
        return Ok(None);
    };
    let seconds = value.to_str().and_then(|s| s.parse().ok()).filter(|s| *s > 0.0);
    match seconds.and_then(|s| Duration::try_from_secs_f64(s).ok()) {
        Some(limit) => Ok(Some(limit)),
        None => Err(Error::TimeLimit {
            value: value.to_string_lossy().into_owned(),
        }),
    }
}
