//! Starting a dispatch: the kernel descriptor, the initial state it asks for, the decoded kernel. The run itself is
//! in `job.rs`.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use t0_backend_rdna3::occupancy::{occupancy, room, NoRoom, Usage};
use t0_backend_rdna3::target::{Target, GFX1100};

use crate::driver::{
    node_of, Dispatch, DispatchStats, ExecFault, ExecFaultKind, Executor, Finding, PageFlags, Scratch, Vm, Watch, PAGE,
};
use crate::exec::{run, Env, Polls, Stop};
use crate::group::Setup;
use crate::job::{self, lock, no_code, source, Job};
use crate::mem::{Global, Lds};
use crate::num::Numerics;
use crate::profile::Profile;
use crate::program::{Program, FETCH};
use crate::sanitize::{Code, Sanitizer};
use crate::scratch::Area;
use crate::timing::{Plan, Recorder, Recording, Rounds};
use crate::wave::{Wave, WaveState};
use crate::written::Written;

/// Default limit of instructions per wave.
pub const DEFAULT_BUDGET: u64 = 1 << 28;
/// The least a wave's share of a launch's instructions can be.
pub const LEAST_SHARE: u64 = 1 << 16;
/// Decoded kernels kept.
const CACHE: usize = 256;
/// Waves that find private memory in a launch without a queue.
const SLOTS: u32 = 512;
/// Bytes of private memory per work-item that a kernel with a dynamic stack gets on top of what its descriptor counts.
pub const DYNAMIC_STACK: u32 = 16 << 10;

/// The executor of the simulated card.
#[derive(Debug)]
pub struct Simulator {
    budget: u64,
    /// The same of all waves of a launch, if they are to share.
    of_a_launch: Option<u64>,
    threads: usize,
    target: Target,
    numerics: Numerics,
    profiling: bool,
    /// The cycle model's traces are kept; true: only those, the rest of a launch does not run.
    recording: Option<bool>,
    /// How much of a WGP's queue is played back.
    rounds: Rounds,
    sanitizing: bool,
    /// Which order waves and workgroups run in, and what a client has added to it.
    order: u64,
    varied: AtomicU64,
    profiles: Mutex<Vec<Profile>>,
    /// Whether to keep who stored what, and the last launch's.
    keeping: AtomicBool,
    written: Mutex<Option<Arc<Written>>>,
    recordings: Mutex<Vec<Recording>>,
    cache: Mutex<HashMap<(u64, u32, u32), Cached>>,
}

/// A decoded kernel and the bytes it was decoded from.
#[derive(Debug, Clone)]
struct Cached {
    /// Offset from the entry and bytes of each decoded part.
    runs: Vec<(u64, Vec<u8>)>,
    program: Arc<Program>,
}

/// A kernel launch without a queue: for tests of kernels and of the simulator itself.
#[derive(Clone, Debug)]
pub struct Launch {
    /// GPU address of the 64-byte kernel descriptor.
    pub descriptor: u64,
    /// GPU address of the kernel arguments.
    pub kernarg: u64,
    /// Grid in work-items.
    pub grid: [u32; 3],
    /// Workgroup in work-items.
    pub workgroup: [u32; 3],
    /// LDS bytes of a workgroup.
    pub lds: u32,
}

/// What a run counted, and what its author should know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunStats {
    /// Workgroups run.
    pub workgroups: u64,
    /// Waves run.
    pub waves: u64,
    /// Wave instructions executed.
    pub instructions: u64,
    /// WMMA instructions among them.
    pub wmma: u64,
    /// Accesses of single lanes that the range check of a buffer kept from memory, which is defined behaviour; counted by
    /// the sanitizer only.
    pub out_of_range: u64,
    /// What hardware swallows silently; empty for a clean kernel.
    pub findings: Vec<Finding>,
}

impl Default for Simulator {
    fn default() -> Self {
        Simulator::new()
    }
}

impl Simulator {
    /// A simulator with the default instruction budget, on all host cores.
    pub fn new() -> Simulator {
        Simulator {
            budget: DEFAULT_BUDGET,
            of_a_launch: None,
            threads: rayon::current_num_threads().max(1),
            target: GFX1100,
            numerics: Numerics::Fast,
            profiling: false,
            recording: None,
            rounds: Rounds::default(),
            sanitizing: false,
            order: 0,
            varied: AtomicU64::new(0),
            profiles: Mutex::default(),
            keeping: AtomicBool::new(false),
            written: Mutex::default(),
            recordings: Mutex::default(),
            cache: Mutex::default(),
        }
    }

    /// Limits the instructions one wave may execute.
    pub fn with_budget(mut self, instructions: u64) -> Simulator {
        self.budget = instructions;
        self
    }

    /// Limits the instructions that all waves of a launch may execute: each wave gets an even share, but at least
    /// [`LEAST_SHARE`], and at most what [`Simulator::with_budget`] allows. So a launch whose waves all wait for ever is over
    /// soon, however many they are.
    pub fn with_launch_budget(mut self, instructions: u64) -> Simulator {
        self.of_a_launch = Some(instructions);
        self
    }

    /// Chooses the card whose instruction set is executed; gfx1100 unless told otherwise. Instructions the card does
    /// not have are illegal.
    pub fn with_target(mut self, target: Target) -> Simulator {
        self.target = target;
        self
    }

    /// Limits the host threads one dispatch uses.
    pub fn with_threads(mut self, threads: usize) -> Simulator {
        self.threads = threads.max(1);
        self
    }

    /// Chooses how floating-point dot products are summed.
    pub fn with_numerics(mut self, numerics: Numerics) -> Simulator {
        self.numerics = numerics;
        self
    }

    /// How floating-point dot products are summed.
    pub fn numerics(&self) -> Numerics {
        self.numerics
    }

    /// Keeps a [`Profile`] of every launch, for [`Simulator::take_profiles`]. Counting costs some speed.
    pub fn with_profile(mut self) -> Simulator {
        self.profiling = true;
        self
    }

    /// Keeps a [`Recording`] of every launch for the cycle model, for [`Simulator::take_recordings`].
    pub fn with_timing(mut self) -> Simulator {
        self.recording = Some(false);
        self
    }

    /// The same, but of a launch only those workgroups run that the cycle model looks at, some of them only in part: the
    /// launch computes nothing useful, and large ones take a second.
    pub fn with_sampling(mut self) -> Simulator {
        self.recording = Some(true);
        self
    }

    /// Chooses how many of the workgroups a WGP gets the cycle model plays back.
    pub fn with_rounds(mut self, rounds: Rounds) -> Simulator {
        self.rounds = rounds;
        self
    }

    /// The recordings of the launches since the last call, in the order they ended.
    pub fn take_recordings(&self) -> Vec<Recording> {
        std::mem::take(&mut *lock(&self.recordings))
    }

    /// Watches every access of memory: bounds, races, misplaced atomics (`sanitize/`). What it finds is in
    /// [`RunStats::findings`].
    pub fn with_sanitizer(mut self, on: bool) -> Simulator {
        self.sanitizing = on;
        self
    }

    /// Chooses in which order the waves of a workgroup, and workgroups that are resident together, take turns: 0 is the usual
    /// one, ascending. A program whose results depend on it lacks a barrier, or has atomics that do not commute.
    pub fn with_order_seed(mut self, seed: u64) -> Simulator {
        self.order = seed;
        self
    }

    /// Whether every access of memory is watched.
    pub fn sanitizes(&self) -> bool {
        self.sanitizing
    }

    /// The profiles of the launches since the last call, in the order they ended; those that faulted count up to the
    /// fault.
    pub fn take_profiles(&self) -> Vec<Profile> {
        std::mem::take(&mut *lock(&self.profiles))
    }

    /// Keeps, under the sanitizer, who stored what in the last launch, for [`Simulator::take_written`]; it takes as much memory
    /// as the sanitizer itself. Off, what is kept is forgotten.
    pub fn keep_written(&self, on: bool) {
        self.keeping.store(on, Ordering::Relaxed);
        lock(&self.written).take();
    }

    /// Who stored what in the last launch that ended without a fault, once.
    pub fn take_written(&self) -> Option<Arc<Written>> {
        lock(&self.written).take()
    }

    /// Runs a launch to its end or its first fault.
    pub fn run(&self, launch: &Launch, vm: &Vm) -> Result<RunStats, ExecFault> {
        self.run_packet(launch, 0, vm)
    }

    /// As [`Simulator::run`], with a dispatch packet at this GPU address for kernels that read it. Private memory is
    /// mapped for the time of the run if the kernel needs any; a dynamic stack gets [`DYNAMIC_STACK`] bytes.
    pub fn run_packet(&self, launch: &Launch, packet: u64, vm: &Vm) -> Result<RunStats, ExecFault> {
        let mut user = Inputs {
            kernarg: launch.kernarg,
            dispatch_ptr: packet,
            ..Inputs::default()
        };
        let d = Descriptor::read(&Global::new(vm), launch.descriptor).map_err(ExecFault::new)?;
        let (cancel, watch) = (AtomicBool::new(false), Watch::default());
        user.private_size = d.private + if d.dynamic_stack() { DYNAMIC_STACK } else { 0 };
        if user.private_size == 0 {
            return self.start(launch, &user, vm, (&cancel, &watch));
        }
        let lent = Lent::new(vm, user.private_size)?;
        user.scratch = Some(lent.area);
        self.start(launch, &user, vm, (&cancel, &watch))
    }

    /// Runs one wave on `code` from its first byte, with the registers `wave` has, until `s_endpgm`: for tests of
    /// single instructions. `lds` is the wave's LDS before, the result its LDS after.
    pub fn run_wave(&self, code: &[u8], wave: &mut Wave, lds: Vec<u8>, vm: &Vm) -> Result<Vec<u8>, ExecFault> {
        let fetch = |at: u64| {
            let code = usize::try_from(at).ok().and_then(|at| code.get(at..)).unwrap_or(&[]);
            code[..code.len().min(FETCH)].to_vec()
        };
        let mut program = Program::decode(&fetch, &self.target.with_wave_size(wave.lanes()), wave.vgprs());
        // What an earlier program left in flight is none of this one's business.
        wave.waits = Default::default();
        wave.hazards = program.hazards(false);
        wave.pc = program.entry;
        let (mut mem, mut lds) = (Global::new(vm), Lds::from_bytes(lds));
        let until = wave.issued + self.budget;
        let mut polls = Polls::default();
        let outcome = loop {
            let mut env = Env {
                program: &program,
                mem: &mut mem,
                lds: &mut lds,
                entry: 0,
                waves: 1,
                tally: None,
                token: true,
                order: 0,
                polls: &mut polls,
                watch: None,
                trace: None,
            };
            match run(wave, &mut env, until) {
                Ok(Stop::Jump(to)) if !fetch(to).is_empty() => program.grow(&fetch, to),
                Ok(Stop::Jump(to)) => break Err(no_code(to)),
                Ok(Stop::Paused) => break Ok(()),
                Ok(Stop::Token | Stop::Yield) => polls.reset(),
                Err(f) => break Err(f),
            }
        };
        let locate = |kind, lane| ExecFault {
            pc: program.code.get(wave.pc as usize).map(|i| i.offset),
            instruction: Some(program.text(wave.pc)),
            wave: Some(wave.index),
            lane,
            ..ExecFault::new(kind)
        };
        match outcome {
            Err(f) => Err(locate(f.kind, f.lane)),
            Ok(()) if wave.state == WaveState::Running => {
                let kind = ExecFaultKind::Endless {
                    instructions: self.budget,
                    place: None,
                    waves: vec![String::from("a single wave")],
                };
                Err(locate(kind, None))
            }
            Ok(()) => Ok(lds.into_bytes()),
        }
    }

    /// Runs a launch that can be cancelled and asked where it stands.
    fn start(
        &self,
        launch: &Launch,
        inputs: &Inputs,
        vm: &Vm,
        (cancel, watch): (&AtomicBool, &Watch),
    ) -> Result<RunStats, ExecFault> {
        let source = source(vm, launch.descriptor);
        let name = kernel_name(vm, launch.descriptor, source.as_ref());
        let named = |kind: ExecFaultKind| ExecFault {
            kernel: name.clone(),
            ..ExecFault::new(kind)
        };
        let mem = Global::new(vm);
        let d = Descriptor::read(&mem, launch.descriptor).map_err(&named)?;
        let mut setup = d.setup(launch, inputs, self.budget).map_err(&named)?;
        if let Some(all) = self.of_a_launch {
            let groups: u64 = setup.groups().into_iter().map(u64::from).product();
            let share = all / (groups * u64::from(setup.waves())).max(1);
            setup.budget = setup.budget.min(share.max(LEAST_SHARE));
        }
        setup.numerics = self.numerics;
        room(&self.target, &usage(&setup)).map_err(|e| named(no_room(&e)))?;
        setup.resident = self.resident(&setup);
        setup.order = self.order.wrapping_add(self.varied.load(Ordering::Relaxed));
        setup.check_scratch().map_err(&named)?;
        let program = self.program(&mem, &setup).map_err(&named)?;
        let known = program.code.len();
        vm.begin_launch();
        lock(&self.written).take();
        // Under the sanitizer groups that notice each other run on one thread: races among them depend on the order.
        let spins = program.spins().1;
        let ordered = program.orders() || self.sanitizing && spins;
        let threads = if self.sanitizing && ordered { 1 } else { self.threads };
        if !self.sanitizing {
            vm.forget_unwritten();
        }
        let sanitizer = self
            .sanitizing
            .then(|| sanitizer(vm, &setup, source.as_ref(), (ordered, spins)));
        let mut job = Job::new(setup, program, source, (cancel, watch), threads);
        if let Some(s) = sanitizer {
            job.sanitize(s);
        }
        if self.profiling {
            job.count_instructions();
        }
        if let Some(sampled) = self.recording {
            job.record(Recorder::new(self.plan(job.setup()), sampled));
        }
        job.run(vm);
        let program = job.program();
        if program.code.len() > known {
            self.keep(&mem, job.setup(), program.clone());
        }
        if let Some(tally) = job.take_tally() {
            lock(&self.profiles).push(Profile {
                kernel: name.clone(),
                numerics: self.numerics,
                wave_size: job.setup().lanes,
                program,
                tally,
            });
        }
        let written = self.keeping.load(Ordering::Relaxed).then(|| job.written(name.clone()));
        if let Some(recorder) = job.take_recorder() {
            let (plan, groups) = recorder.into_traces();
            let s = job.setup();
            lock(&self.recordings).push(Recording {
                kernel: name.clone(),
                program: job.program(),
                plan,
                groups,
                source: job.source(),
                wgp_mode: s.wgp_mode,
                wave_size: s.lanes,
                waves: s.waves(),
                buffers: vm.allocations().into_iter().map(|a| a.0).collect(),
                array: u64::from(node_of(&self.target).cu_per_simd_array) / 2,
            });
        }
        let stats = job.finish(name)?;
        *lock(&self.written) = written.flatten().map(Arc::new);
        Ok(stats)
    }

    /// What the cycle model looks at in a launch.
    fn plan(&self, s: &Setup) -> Plan {
        let groups = s.groups().iter().map(|&n| u64::from(n)).product();
        let wgps = u64::from(node_of(&self.target).cu_count()) / 2;
        let resident = self.on_unit(s) * if s.wgp_mode { 1 } else { 2 };
        Plan::new(wgps, resident, groups).with_rounds(self.rounds)
    }

    /// Workgroups a CU has room for at once, in WGP mode a WGP.
    fn on_unit(&self, s: &Setup) -> u64 {
        u64::from(occupancy(&self.target, &usage(s)).groups).max(1)
    }

    /// Workgroups of a launch the card has room for at once.
    fn resident(&self, s: &Setup) -> u64 {
        let cus = u64::from(node_of(&self.target).cu_count());
        let units = if s.wgp_mode { cus / 2 } else { cus };
        let by_units = units * self.on_unit(s);
        let by_scratch = s.scratch.map_or(u64::MAX, |a| u64::from(a.slots / s.waves()));
        by_units.min(by_scratch)
    }

    /// The decoded kernel of a launch, from the cache when its bytes have not changed.
    fn program(&self, mem: &Global, setup: &Setup) -> Result<Arc<Program>, ExecFaultKind> {
        if let Some(c) = lock(&self.cache).get(&key(setup)) {
            // What lies between and behind the decoded parts may change.
            let same = |(at, bytes): &(u64, Vec<u8>)| {
                mem.code(setup.entry.wrapping_add(*at), bytes.len())
                    .is_ok_and(|now| now == *bytes)
            };
            if c.runs.iter().all(same) {
                return Ok(c.program.clone());
            }
        }
        // Says what is wrong with the entry, where the decoder would only find no code.
        mem.code(setup.entry, FETCH)?;
        let fetch = |at: u64| mem.code(setup.entry.wrapping_add(at), FETCH).unwrap_or_default();
        let target = self.target.with_wave_size(setup.lanes);
        let program = Arc::new(Program::decode(&fetch, &target, setup.vgprs));
        self.keep(mem, setup, program.clone());
        Ok(program)
    }

    /// Puts a decoded kernel into the cache.
    fn keep(&self, mem: &Global, setup: &Setup, program: Arc<Program>) {
        let bytes = |(at, len): (u64, usize)| Some((at, mem.code(setup.entry.wrapping_add(at), len).ok()?));
        let Some(runs) = program.runs().into_iter().map(bytes).collect() else {
            return; // It runs into the end of its mapping: not worth keeping.
        };
        let mut cache = lock(&self.cache);
        if cache.len() >= CACHE {
            cache.clear();
        }
        cache.insert(key(setup), Cached { runs, program });
    }
}

/// The sanitizer of a launch, which knows its arguments.
fn sanitizer(vm: &Vm, setup: &Setup, source: Option<&job::Source>, (ordered, spins): (bool, bool)) -> Sanitizer {
    let mut kernarg = vec![0; ((setup.kernarg.end - setup.kernarg.start) / 4) as usize];
    if Global::new(vm).read(setup.kernarg.start, &mut kernarg).is_err() {
        kernarg.clear(); // The kernel will fault if it needs them.
    }
    let kernel = source.and_then(|(object, kernel)| object.kernels.get(*kernel));
    let rust = kernel.is_some_and(|k| k.lines.iter().any(|l| l.file.ends_with(".rs")));
    let code = Code { ordered, spins, rust };
    Sanitizer::new(vm, setup, code, kernel, &kernarg)
}

/// What a workgroup needs of a card.
fn usage(s: &Setup) -> Usage {
    Usage {
        vgprs: s.vgprs,
        lds_bytes: s.lds,
        group_size: s.workgroup.iter().fold(1, |n: u32, &d| n.saturating_mul(d)),
        wave_size: s.lanes,
        wgp_mode: s.wgp_mode,
    }
}

fn no_room(e: &NoRoom) -> ExecFaultKind {
    rule(format!(
        "{e}; on a card the dispatch would never start and its queue would hang"
    ))
}

/// What a decoded kernel depends on besides its bytes.
fn key(setup: &Setup) -> (u64, u32, u32) {
    (setup.entry, setup.vgprs, setup.lanes)
}

/// Private memory mapped for one run.
struct Lent<'a> {
    vm: &'a Vm,
    offset: u64,
    area: Area,
    bytes: u64,
}

impl<'a> Lent<'a> {
    /// The same number of slots whatever the number of threads: the order of workgroups depends on it.
    fn new(vm: &'a Vm, lane_bytes: u32) -> Result<Lent<'a>, ExecFault> {
        const FIRST: u64 = 0x7e00_0000_0000;
        let wave_bytes = (64 * u64::from(lane_bytes)).next_multiple_of(256);
        let slots = SLOTS;
        let bytes = (wave_bytes * u64::from(slots)).next_multiple_of(PAGE);
        let full = |what: String| ExecFault::new(rule(format!("no memory for the kernel's private memory: {what}")));
        let offset = vm.arena().take(bytes).map_err(|e| full(e.to_string()))?;
        let flags = PageFlags {
            executable: false,
            ..PageFlags::ALL
        };
        let va = (0..64)
            .map(|k| FIRST + k * (1 << 36))
            .find(|&va| vm.map(va, bytes, offset, flags));
        let Some(va) = va else {
            vm.arena().give(offset, bytes);
            return Err(full("the address space is full".into()));
        };
        vm.name(va, bytes, "private memory");
        let area = Area {
            va,
            wave_bytes,
            slots,
            lane_bytes,
        };
        Ok(Lent {
            vm,
            offset,
            area,
            bytes,
        })
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        self.vm.unmap(self.area.va);
        self.vm.forget(self.area.va);
        self.vm.arena().give(self.offset, self.bytes);
    }
}

impl Executor for Simulator {
    fn vary_order(&self, by: u64) {
        self.varied.store(by, Ordering::Relaxed);
    }

    fn keep_written(&self, on: bool) {
        Simulator::keep_written(self, on);
    }

    fn take_written(&self) -> Option<Arc<Written>> {
        Simulator::take_written(self)
    }

    fn dispatch(&self, d: &Dispatch, vm: &Vm) -> Result<DispatchStats, ExecFault> {
        let launch = Launch {
            descriptor: d.kernel_object(),
            kernarg: d.kernarg(),
            grid: d.grid(),
            workgroup: d.workgroup(),
            lds: d.packet.group_segment_size,
        };
        let inputs = Inputs {
            kernarg: d.kernarg(),
            dispatch_ptr: d.packet_va,
            queue_ptr: d.queue_va,
            dispatch_id: d.dispatch_id,
            private_descriptor: d.scratch.map_or([0; 4], |s| s.descriptor),
            private_size: d.packet.private_segment_size,
            scratch: d.scratch.map(|s| area(&s, d.packet.private_segment_size)),
        };
        let s = self.start(&launch, &inputs, vm, (&d.cancel, &d.watch))?;
        Ok(DispatchStats {
            workgroups: s.workgroups,
            waves: s.waves,
            instructions: s.instructions,
            cycles: None,
            findings: s.findings,
        })
    }
}

/// The slots of a queue's scratch memory.
fn area(s: &Scratch, lane_bytes: u32) -> Area {
    let wave_bytes = s.wave_bytes();
    let slots = s.bytes.checked_div(wave_bytes).unwrap_or(0);
    Area {
        va: s.va,
        wave_bytes,
        slots: slots.min(u32::MAX.into()) as u32,
        lane_bytes,
    }
}

impl Setup {
    /// A workgroup's waves must all find a slot.
    fn check_scratch(&self) -> Result<(), ExecFaultKind> {
        match self.scratch {
            Some(a) if a.slots < self.waves() => Err(rule(format!(
                "the queue's scratch memory has room for {} waves, one workgroup has {}; give the queue more",
                a.slots,
                self.waves()
            ))),
            _ => Ok(()),
        }
    }
}

/// Values the user SGPRs may ask for.
#[derive(Clone, Copy, Debug, Default)]
struct Inputs {
    kernarg: u64,
    dispatch_ptr: u64,
    queue_ptr: u64,
    dispatch_id: u64,
    private_descriptor: [u32; 4],
    private_size: u32,
    scratch: Option<Area>,
}

/// The kernel descriptor (code object v5), as far as execution needs it.
#[derive(Clone, Copy, Debug)]
struct Descriptor {
    lds: u32,
    private: u32,
    kernarg: u32,
    entry: u64,
    rsrc1: u32,
    rsrc2: u32,
    properties: u32,
}

impl Descriptor {
    /// USES_DYNAMIC_STACK: the descriptor's private size does not count all of the stack.
    fn dynamic_stack(&self) -> bool {
        self.properties >> 11 & 1 == 1
    }

    fn read(mem: &Global, va: u64) -> Result<Descriptor, ExecFaultKind> {
        let mut words = [0u32; 16];
        let bytes = mem.code(va, 64)?;
        if bytes.len() < 64 {
            return Err(rule(format!(
                "the kernel descriptor at {va:#x} is cut off by the end of its buffer"
            )));
        }
        for (w, c) in words.iter_mut().zip(bytes.chunks_exact(4)) {
            *w = u32::from_le_bytes([c[0], c[1], c[2], c[3]]);
        }
        let offset = (u64::from(words[4]) | u64::from(words[5]) << 32) as i64;
        let entry = va.wrapping_add_signed(offset);
        if entry % 256 != 0 {
            return Err(rule(format!(
                "the kernel's entry {entry:#x} is not aligned to 256 bytes"
            )));
        }
        Ok(Descriptor {
            lds: words[0],
            private: words[1],
            kernarg: words[2],
            entry,
            rsrc1: words[12],
            rsrc2: words[13],
            properties: words[14] & 0xffff,
        })
    }

    fn setup(&self, launch: &Launch, inputs: &Inputs, budget: u64) -> Result<Setup, ExecFaultKind> {
        // The unit of the VGPR count: 8 in wave32, 4 in wave64 (LLVM AMDGPUUsage, GRANULATED_WORKITEM_VGPR_COUNT).
        let (lanes, unit) = if self.properties >> 10 & 1 == 1 {
            (32, 8)
        } else {
            (64, 4)
        };
        if let Some(n) = [launch.grid, launch.workgroup].iter().position(|s| s.contains(&0)) {
            let (what, [x, y, z]) = [("grid", launch.grid), ("workgroup", launch.workgroup)][n];
            return Err(rule(format!(
                "the packet's {what} is {x} x {y} x {z} work-items; every size must be at least 1"
            )));
        }
        if launch.lds < self.lds {
            return Err(rule(format!(
                "the packet gives {} bytes of LDS, the kernel's descriptor needs {}",
                launch.lds, self.lds
            )));
        }
        if self.private != 0 && inputs.private_size < self.private {
            return Err(rule(format!(
                "the packet gives {} bytes of scratch per work-item, the kernel's descriptor needs {}",
                inputs.private_size, self.private
            )));
        }
        let user = self.user_sgprs(inputs);
        let declared = (self.rsrc2 >> 1 & 31) as usize;
        if user.len() > declared {
            return Err(rule(format!(
                "kernel_code_properties asks for {} user SGPRs, compute_pgm_rsrc2 counts {declared}",
                user.len()
            )));
        }
        Ok(Setup {
            lanes,
            vgprs: (((self.rsrc1 & 63) + 1) * unit).min(256),
            // rsrc1[19:12] is MODE[7:0]; DX10_CLAMP, IEEE and FP16_OVFL have other places there.
            mode: (self.rsrc1 >> 12 & 0xff)
                | (self.rsrc1 >> 21 & 1) << 8
                | (self.rsrc1 >> 23 & 1) << 9
                | (self.rsrc1 >> 26 & 1) << 23,
            user,
            dispatch_id: inputs.dispatch_id,
            rsrc2: self.rsrc2,
            lds: launch.lds,
            scratch: inputs.scratch.filter(|_| inputs.private_size > 0),
            entry: self.entry,
            kernarg: inputs.kernarg..inputs.kernarg.saturating_add(self.kernarg.into()),
            grid: launch.grid,
            workgroup: launch.workgroup,
            budget,
            numerics: Numerics::Fast,
            // COMPUTE_PGM_RSRC1 bit 29 (LLVM AMDGPUUsage).
            wgp_mode: self.rsrc1 >> 29 & 1 == 1,
            resident: 1,
            order: 0,
        })
    }

    /// User SGPRs in the order of kernel_code_properties bits 0..6.
    fn user_sgprs(&self, inputs: &Inputs) -> Vec<u32> {
        let mut out = Vec::new();
        let has = |bit: u32| self.properties >> bit & 1 == 1;
        let pair = |out: &mut Vec<u32>, v: u64| out.extend([v as u32, (v >> 32) as u32]);
        if has(0) {
            out.extend(inputs.private_descriptor);
        }
        for (bit, v) in [
            (1, inputs.dispatch_ptr),
            (2, inputs.queue_ptr),
            (3, inputs.kernarg),
            (4, inputs.dispatch_id),
            (5, 0),
        ] {
            if has(bit) {
                pair(&mut out, v);
            }
        }
        if has(6) {
            out.push(inputs.private_size);
        }
        out
    }
}

fn rule(what: String) -> ExecFaultKind {
    ExecFaultKind::Rule { what }
}

/// The kernel's name in its code object, or that of the allocation the descriptor lies in.
fn kernel_name(vm: &Vm, descriptor: u64, source: Option<&job::Source>) -> Option<String> {
    let known = source.and_then(|(object, kernel)| Some(object.kernels.get(*kernel)?.name.clone()));
    known.or_else(|| vm.name_at(descriptor).map(|name| name.to_string()))
}
