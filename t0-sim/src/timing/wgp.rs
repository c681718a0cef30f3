//! A WGP: four SIMDs that issue instructions of many waves, the LDS and the memory paths.
//!
//! Method: events. Every wave knows the earliest time of its next instruction; the earliest of all, the oldest first of
//! equals, issues if its unit is free, otherwise it comes again when the unit is. A SIMD issues at most one instruction of a
//! kind (VALU, SALU, SMEM, VMEM, LDS, branch) a cycle, each of another wave (SQTT shows different kinds in one cycle).
//! Invariant: what is issued is what was executed, no unit is faster than its rate; tests hold the model to it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use t0_backend_rdna3::isa::{Class, Opcode, Vop3p};

use crate::program::{Instr, Program};

use super::banks;
use super::costs::Costs;
use super::footprint::Sources;
use super::memory::{Memory, Server};
use super::record::{Access, Step, LINE, SECTOR};
use super::steady::Queue;
use super::wave::{passes, Player, Ready, Stall, STALLS};

/// SIMDs of a WGP.
pub(super) const SIMDS: usize = 4;

/// What instructions go through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unit {
    /// Vector ALU, WMMA included.
    Valu,
    /// Transcendental unit.
    Trans,
    /// Scalar ALU.
    Salu,
    /// Scalar memory.
    Smem,
    /// LDS.
    Lds,
    /// Vector memory.
    Vmem,
    /// Branches and messages.
    Branch,
    /// What the instruction buffer does by itself: waits, `s_nop`, barriers.
    Buffer,
}

/// All units, in order.
pub const UNITS: [Unit; 8] = [
    Unit::Valu,
    Unit::Trans,
    Unit::Salu,
    Unit::Smem,
    Unit::Lds,
    Unit::Vmem,
    Unit::Branch,
    Unit::Buffer,
];

impl Unit {
    /// The unit of an instruction.
    pub fn of(class: Class) -> Unit {
        match class {
            Class::ValuTrans => Unit::Trans,
            c if c.is_valu() => Unit::Valu,
            c if c.is_vmem() => Unit::Vmem,
            Class::LdsDir => Unit::Lds,
            c if c.is_lds() => Unit::Lds,
            Class::Salu => Unit::Salu,
            Class::Smem | Class::SmemInv => Unit::Smem,
            Class::Branch | Class::Msg | Class::Export => Unit::Branch,
            _ => Unit::Buffer,
        }
    }

    /// Its name in reports and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Valu => "valu",
            Unit::Trans => "trans",
            Unit::Salu => "salu",
            Unit::Smem => "smem",
            Unit::Lds => "lds",
            Unit::Vmem => "vmem",
            Unit::Branch => "branch",
            Unit::Buffer => "buffer",
        }
    }
}

/// What is known of an instruction after a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Site {
    /// Times a wave issued it.
    pub issued: u64,
    /// Wave cycles it waited, by [`Stall`].
    pub stalls: [u64; STALLS.len()],
    /// Cycles it held its unit.
    pub busy: u64,
    /// Passes through the banks of the LDS, and those due to conflicts.
    pub passes: u64,
    /// Conflicts among banks: of the LDS, or cycles for VGPR banks.
    pub conflicts: u64,
    /// Lanes that were on, of all issues.
    pub lanes: u64,
    /// Bytes they asked for, of the LDS or of memory.
    pub bytes: u64,
    /// Lines of 128 bytes of memory they lie in, and sectors of 64 bytes, each once an issue.
    pub lines: u64,
    /// See `lines`.
    pub sectors: u64,
    /// Sectors of them that went over the path between L0 and L2, and those from beyond the L2.
    pub moved: u64,
    /// See `moved`.
    pub beyond: u64,
    /// Hundredths of cycles it held the LDS, and those it would not have held it without conflicts.
    pub lds: u64,
    /// See `lds`.
    pub lds_lost: u64,
    /// When it was first issued.
    pub first: u64,
}

/// An issue, for timelines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Issue {
    /// Group in the order they started, wave in the group, SIMD.
    pub group: u32,
    /// Wave of the group.
    pub wave: u32,
    /// SIMD it runs on.
    pub simd: u32,
    /// Index of the instruction in the program.
    pub at: u32,
    /// Cycle it could have issued in after the one before, cycle of issue, cycle its unit was free again.
    pub from: u64,
    /// Cycle of issue.
    pub time: u64,
    /// Cycle its unit is free again.
    pub until: u64,
    /// What it waited for.
    pub why: Stall,
}

/// How to run.
#[derive(Clone, Debug)]
pub(super) struct Options<'s> {
    /// Groups that are resident on the WGP at once.
    pub resident: usize,
    /// Groups of the queue to play.
    pub groups: usize,
    /// Groups may use all four SIMDs.
    pub wgp_mode: bool,
    pub sources: &'s Sources,
    /// WGPs of a shader array, which get their waves from one dispatcher.
    pub array: u64,
    /// WGPs that share what is beyond the L2.
    pub units: u64,
    /// The caches and the address translation know nothing at the beginning.
    pub cold: bool,
    /// Keep every issue.
    pub timeline: bool,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Run {
    /// When each group began and ended, in the order of its start.
    pub groups: Vec<(u64, u64)>,
    pub sites: Vec<Site>,
    /// Cycles each unit was held, of all SIMDs; WMMA apart.
    pub units: [u64; UNITS.len()],
    pub wmma: u64,
    /// Cycles the LDS of the busier half was busy.
    pub lds: u64,
    /// Cycles of address, L0, L2, Infinity Cache and DRAM paths and of atomics, see [`Memory::busy`].
    pub memory: [u64; 6],
    /// Cycles of the dispatcher.
    pub dispatch: u64,
    pub sectors: [u64; 3],
    /// Cycles of the unit that has most to do, of several of a kind their mean: groups to come may use them otherwise.
    pub held: u64,
    /// Cycles of all waves from the start of their group to their end.
    pub resident: u64,
    pub issues: Vec<Issue>,
}

impl Run {
    pub fn end(&self) -> u64 {
        self.groups.iter().map(|g| g.1).max().unwrap_or(0)
    }
}

struct Slot<'t> {
    player: Player<'t>,
    group: usize,
    index: u32,
    simd: usize,
    /// How often the group's trace was played back before.
    times: u64,
    waits: bool,
    /// What its next instruction waited for, when the unit was asked first.
    ready: Option<Ready>,
}

/// A WGP at work.
pub(super) struct Wgp<'t> {
    program: &'t Program,
    costs: &'t Costs,
    options: Options<'t>,
    queue: &'t Queue<'t>,
    started: usize,
    /// Each group's first wave.
    first: Vec<usize>,
    waves: Vec<Slot<'t>>,
    /// Waves on each SIMD, waves of each group that run and that stand at the barrier.
    load: [usize; SIMDS],
    alive: Vec<usize>,
    arrived: Vec<usize>,
    free: [[u64; UNITS.len()]; SIMDS],
    lds: [Server; 2],
    memory: Memory<'t>,
    dispatcher: Server,
    heap: BinaryHeap<Reverse<(u64, usize)>>,
    run: Run,
}

impl<'t> Wgp<'t> {
    /// Plays back `queue`, group after group as room becomes free.
    pub fn play(program: &'t Program, costs: &'t Costs, options: Options<'t>, queue: &'t Queue<'t>) -> Run {
        let mut w = Wgp {
            memory: Memory::new(costs, options.sources, options.units, options.cold),
            dispatcher: Server::default(),
            run: Run {
                sites: vec![Site::default(); program.code.len()],
                ..Run::default()
            },
            program,
            costs,
            queue,
            started: 0,
            first: Vec::new(),
            waves: Vec::new(),
            load: [0; SIMDS],
            alive: Vec::new(),
            arrived: Vec::new(),
            free: [[0; UNITS.len()]; SIMDS],
            lds: Default::default(),
            heap: BinaryHeap::new(),
            options,
        };
        for _ in 0..w.options.resident.max(1) {
            w.start(0);
        }
        while let Some(Reverse((at, k))) = w.heap.pop() {
            w.turn(at, k);
        }
        w.run.lds = w.lds.iter().map(Server::busy).max().unwrap_or(0);
        w.run.memory = w.memory.busy();
        w.run.dispatch = w.dispatcher.busy();
        w.run.sectors = w.memory.sectors;
        w.run.held = w.held();
        w.run
    }

    /// See [`Run::held`].
    fn held(&self) -> u64 {
        let simds = self.run.units.iter().map(|u| u / SIMDS as u64);
        let lds = self.lds.iter().map(Server::busy).sum::<u64>() / 2;
        simds
            .chain([lds, self.dispatcher.busy(), self.memory.held()])
            .max()
            .unwrap_or(0)
    }

    /// Starts the next group of the queue.
    fn start(&mut self, at: u64) {
        let more = self.started < self.options.groups;
        let Some((group, times)) = self.queue.get(self.started).filter(|_| more) else {
            return;
        };
        let number = self.started;
        self.started += 1;
        let latency = match number < self.options.resident {
            true => self.costs.launch,
            false => self.costs.restart,
        };
        // The dispatcher hands waves to the WGPs of its array in turn.
        let waves = group.waves.len() as u64 * self.options.array * u64::from(self.costs.array_wave);
        let (at, _) = self.dispatcher.cycles(at, waves);
        let begin = at + u64::from(latency);
        self.run.groups.push((at, begin));
        self.alive.push(group.waves.len());
        self.arrived.push(0);
        self.first.push(self.waves.len());
        // In CU mode a group stays on the CU that has fewer waves.
        let cu = usize::from(self.load[0] + self.load[1] > self.load[2] + self.load[3]);
        for (index, trace) in group.waves.iter().enumerate() {
            let simds = if self.options.wgp_mode {
                0..SIMDS
            } else {
                2 * cu..2 * cu + 2
            };
            let simd = simds.min_by_key(|&s| (self.load[s], s)).unwrap_or(0);
            self.load[simd] += 1;
            let mut player = Player::new(trace, begin);
            player.hold(begin, Stall::Own);
            self.waves.push(Slot {
                player,
                group: number,
                index: index as u32,
                simd,
                times,
                waits: false,
                ready: None,
            });
            self.heap.push(Reverse((begin, self.waves.len() - 1)));
        }
    }

    /// A wave's next instruction may be due.
    fn turn(&mut self, at: u64, k: usize) {
        let slot = &self.waves[k];
        let Some((step, i)) = slot
            .player
            .step()
            .and_then(|s| Some((s, self.program.code.get(s.at() as usize)?)))
        else {
            self.leave(k, at);
            return;
        };
        let ready = slot.ready.unwrap_or_else(|| slot.player.ready(i, self.costs));
        let unit = Unit::of(i.class);
        let free = self.unit_free(slot.simd, unit);
        let due = ready.at.max(free).max(at);
        if due > at {
            self.waves[k].ready = Some(ready);
            self.heap.push(Reverse((due, k)));
            return;
        }
        self.issue(at, k, (step, i), ready);
    }

    fn unit_free(&self, simd: usize, unit: Unit) -> u64 {
        let free = &self.free[simd];
        match unit {
            Unit::Buffer => 0,
            // Transcendental functions issue through the VALU's port.
            Unit::Trans => free[Unit::Trans as usize].max(free[Unit::Valu as usize]),
            u => free[u as usize],
        }
    }

    fn issue(&mut self, at: u64, k: usize, (step, i): (Step, &Instr), ready: Ready) {
        let (simd, unit) = (self.waves[k].simd, Unit::of(i.class));
        let access = self.waves[k].player.take_access(step);
        let (lanes, before) = (self.waves[k].player.lanes(), self.waves[k].player.before());
        let (hold, latency, conflicts) = self.cost(i, step);
        let mut busy = at + hold;
        let mut done = at + latency;
        if unit == Unit::Lds {
            (busy, done) = self.lds(i, simd, at, &access);
        } else if unit == Unit::Vmem || unit == Unit::Smem {
            (busy, done) = self.access(i, k, at, &access);
        }
        let site = &mut self.run.sites[i.index as usize];
        site.lanes += u64::from(lanes);
        site.bytes += u64::from(access.bytes);
        site.passes += u64::from(access.lds);
        site.conflicts += u64::from(access.conflicts) + conflicts;
        let free = &mut self.free[simd];
        free[unit as usize] = busy;
        if unit == Unit::Trans {
            free[Unit::Valu as usize] = free[Unit::Valu as usize].max(at + passes(i, step));
        }
        let slot = &mut self.waves[k];
        let from = slot.player.issued;
        slot.player.issue(i, step, at, (busy, done), self.costs);
        slot.player.count(i, done);
        slot.ready = None;
        let first = slot.player.next == 1;
        let begin = if first { from } else { from + 1 };
        self.note(i, (begin, at, busy), ready, before);
        if self.options.timeline {
            let slot = &self.waves[k];
            self.run.issues.push(Issue {
                group: slot.group as u32,
                wave: slot.index,
                simd: simd as u32,
                at: i.index,
                from: begin,
                time: at,
                until: busy.max(at + 1),
                why: if ready.at >= at { ready.why } else { Stall::Unit },
            });
        }
        self.after(at, k, i);
    }

    /// What comes after an issue: the barrier, the end, or the next instruction.
    fn after(&mut self, at: u64, k: usize, i: &Instr) {
        let group = self.waves[k].group;
        if i.class == Class::End {
            self.leave(k, at);
        } else if i.class == Class::Barrier && self.alive[group] > 1 {
            self.waves[k].waits = true;
            self.arrived[group] += 1;
            self.open(group, at);
        } else {
            self.schedule(k);
        }
    }

    fn schedule(&mut self, k: usize) {
        let slot = &self.waves[k];
        let at = match slot.player.step().and_then(|s| self.program.code.get(s.at() as usize)) {
            Some(i) => slot.player.ready(i, self.costs).at,
            None => slot.player.issued + 1,
        };
        self.heap.push(Reverse((at, k)));
    }

    /// Opens the barrier of a group when all its waves that have not ended stand at it.
    fn open(&mut self, group: usize, at: u64) {
        if self.arrived[group] == 0 || self.arrived[group] < self.alive[group] {
            return;
        }
        self.arrived[group] = 0;
        let end = self.first.get(group + 1).copied().unwrap_or(self.waves.len());
        for k in self.first[group]..end {
            if std::mem::take(&mut self.waves[k].waits) {
                self.waves[k]
                    .player
                    .hold(at + u64::from(self.costs.barrier), Stall::Barrier);
                self.schedule(k);
            }
        }
    }

    /// A wave has ended.
    fn leave(&mut self, k: usize, at: u64) {
        let (group, simd) = (self.waves[k].group, self.waves[k].simd);
        self.run.resident += at + 1 - self.run.groups[group].0;
        self.load[simd] -= 1;
        self.alive[group] -= 1;
        self.run.groups[group].1 = self.run.groups[group].1.max(at + 1);
        if self.alive[group] == 0 {
            self.start(at + 1);
        } else {
            self.open(group, at);
        }
    }

    /// How long an instruction holds its unit, when its result is ready, and cycles lost to VGPR banks.
    fn cost(&self, i: &Instr, step: Step) -> (u64, u64, u64) {
        let c = self.costs;
        let n = passes(i, step);
        let of = |hold: u32, latency: u32| (u64::from(hold) * n, u64::from(latency) + u64::from(hold) * (n - 1), 0);
        if step.idle() && i.class.is_valu() && i.class != Class::Wmma {
            return (1, 1, 0);
        }
        match i.class {
            Class::Wmma => {
                let hold = match i.op {
                    Opcode::Vop3p(Vop3p::v_wmma_i32_16x16x16_iu4) => c.wmma_iu4_issue,
                    _ => c.wmma_issue,
                };
                let lost = if banks::wmma_conflict(i) {
                    u64::from(c.wmma_bank)
                } else {
                    0
                };
                let hold = u64::from(hold) + lost;
                (hold, hold + u64::from(c.wmma), lost)
            }
            Class::ValuTrans => of(c.trans_issue, c.trans),
            Class::ValuMul => of(c.mul_issue, c.mul),
            Class::Valu64 => of(c.valu64_issue, c.valu64),
            Class::ValuF64 => of(c.f64_issue, c.f64),
            Class::Valu if i.pair.is_some() => {
                let lost = u64::from(banks::pair_conflict(&i.vread));
                (1 + lost, u64::from(c.valu) + lost, lost)
            }
            _ => of(1, c.valu),
        }
    }

    /// An instruction of the LDS: when the unit is free, and when it is done.
    fn lds(&mut self, i: &Instr, simd: usize, at: u64, access: &Access) -> (u64, u64) {
        let c = self.costs;
        let slow = if self.options.wgp_mode {
            u64::from(c.lds_wgp)
        } else {
            100
        };
        let dwords = u64::from(i.data_regs.max(1));
        let data = u64::from(access.lds.max(1)) * slow;
        let data_cycles = data.div_ceil(100);
        let store = 1 + u64::from(access.bytes.div_ceil(c.lds_store_bytes.max(1)));
        // In hundredths, as far as the unit is held.
        let (held, cycles, latency) = match i.class {
            Class::LdsStore => (data.max(100 * store), data_cycles.max(store), u64::from(c.lds_store)),
            Class::LdsAtomic => (data.max(100 * store), data_cycles.max(store), u64::from(c.lds_atomic)),
            Class::LdsLane => (data, data_cycles, u64::from(c.lds_lane)),
            _ => {
                let latency = u64::from(c.lds_load) + u64::from(c.lds_wide) * (dwords - 1);
                (data, data_cycles, latency)
            }
        };
        let site = &mut self.run.sites[i.index as usize];
        site.lds += held;
        let clean = u64::from(access.lds.saturating_sub(access.conflicts).max(1)) * slow;
        let stores = matches!(i.class, Class::LdsStore | Class::LdsAtomic);
        // Stores whose data take longer than their conflicts lose nothing by them.
        site.lds_lost += held - if stores { clean.max(100 * store) } else { clean };
        let (begin, _) = self.lds[simd / 2].take(at, held, 100);
        // The latencies are those of one dword a lane.
        let least = match i.class {
            Class::LdsStore | Class::LdsAtomic => 1 + 128 / u64::from(c.lds_store_bytes.max(1)),
            _ => slow.div_ceil(100),
        };
        (at + 1, begin + latency + cycles.saturating_sub(least))
    }

    /// An instruction of global memory.
    fn access(&mut self, i: &Instr, k: usize, at: u64, access: &Access) -> (u64, u64) {
        let slot = &self.waves[k];
        let sectors = slot.player.trace.sectors_of(access);
        // Where atomics meet is known of the sectors themselves.
        let moved = match slot.times > 0 && i.class != Class::VmemAtomic {
            true => Some(self.queue.moved(sectors, slot.times)),
            false => None,
        };
        let sectors = moved.as_deref().unwrap_or(sectors);
        if i.class.is_vmem() {
            let before = self.memory.sectors;
            let (done, taken) = self
                .memory
                .vector(i, slot.simd / 2, at, (sectors, access.bytes), self.costs);
            let [asked, found, beyond] = [0, 1, 2].map(|k| self.memory.sectors[k] - before[k]);
            let site = &mut self.run.sites[i.index as usize];
            site.lines += lines(sectors);
            site.sectors += asked;
            site.moved += asked - found.min(asked);
            site.beyond += beyond;
            // Instructions queue up before the tags; the traces show no wave that waits for room.
            return (at.max(taken.saturating_sub(self.costs.vmem_queue.into())) + 1, done);
        }
        (at + 1, self.memory.scalar(at, sectors, self.costs))
    }

    /// Takes down an issue: a wave that could have issued in `begin` did in `at` and holds the unit until `busy`.
    fn note(&mut self, i: &Instr, (begin, at, busy): (u64, u64, u64), ready: Ready, before: Option<u32>) {
        let unit = Unit::of(i.class);
        let own = ready.at.clamp(begin, at);
        // What a barrier or a branch makes wait for is the barrier's or the branch's, not that of what comes next.
        let of_before = match ready.why {
            Stall::Barrier => true,
            Stall::Branch => i.class != Class::Branch,
            _ => false,
        };
        let blamed = before.filter(|_| of_before).unwrap_or(i.index);
        self.run.sites[blamed as usize].stalls[ready.why as usize] += own - begin;
        let site = &mut self.run.sites[i.index as usize];
        if site.issued == 0 {
            site.first = at;
        }
        site.issued += 1;
        site.stalls[Stall::Unit as usize] += at - own;
        let held = busy.saturating_sub(at).max(1);
        if unit != Unit::Buffer {
            site.busy += held;
            self.run.units[unit as usize] += held;
        }
        if i.class == Class::Wmma {
            self.run.wmma += held;
        }
    }
}

/// Lines of 128 bytes that sectors lie in.
fn lines(sectors: &[u64]) -> u64 {
    let mut all: Vec<u64> = sectors.iter().map(|s| s * SECTOR / LINE).collect();
    all.sort_unstable();
    all.dedup();
    all.len() as u64
}
