//! One workgroup: its waves, its LDS, its barrier.
//!
//! Waves run round-robin: each until its barrier, its end or the end of its time slice, so that waves of a group may
//! wait for each other through LDS or global atomics. A barrier opens when every wave that has not ended stands at
//! it; hardware counts ended waves as arrived. A group can be suspended at any instruction and continued elsewhere; the
//! turns of its waves do not depend on that, because they are counted in instructions. Which wave comes first is `dice.rs`'s
//! matter. A group that seems to wait for
//! another (it polls and writes nothing) yields soon; see `order.rs`.

use std::ops::Range;
use std::sync::Arc;

use crate::backtrace::Standing;
use crate::dice::Dice;
use crate::driver::ExecFaultKind;
use crate::exec::{run, Env, Fault, Polls, Stop};
use crate::mem::{Global, Lds};
use crate::num::Numerics;
use crate::profile::Tally;
use crate::program::Program;
use crate::sanitize::Watch;
use crate::scratch::Area;
use crate::timing::record::{GroupTrace, WaveTrace};
use crate::trail::{watched_from, Trail};
use crate::wave::{Wave, WaveState, EXEC, POISON};

/// What the initial state of a workgroup depends on (kernel descriptor and packet).
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    /// Lanes per wave: 32 or 64.
    pub lanes: u32,
    /// VGPRs per wave.
    pub vgprs: u32,
    /// MODE at launch.
    pub mode: u32,
    /// User SGPRs in order.
    pub user: Vec<u32>,
    /// Number of the dispatch packet.
    pub dispatch_id: u64,
    /// `compute_pgm_rsrc2`.
    pub rsrc2: u32,
    /// LDS bytes.
    pub lds: u32,
    /// Private memory, if the kernel has any.
    pub scratch: Option<Area>,
    /// GPU address of the first instruction.
    pub entry: u64,
    /// GPU addresses of the kernel arguments.
    pub kernarg: Range<u64>,
    /// Grid in work-items.
    pub grid: [u32; 3],
    /// Workgroup in work-items.
    pub workgroup: [u32; 3],
    /// Largest number of instructions one wave may execute.
    pub budget: u64,
    /// How dot products are summed.
    pub numerics: Numerics,
    /// Workgroups may use both CUs of a WGP.
    pub wgp_mode: bool,
    /// Workgroups the card has room for at once.
    pub resident: u64,
    /// Which order of waves and workgroups, see `dice.rs`.
    pub order: u64,
}

impl Setup {
    /// Workgroups in x, y, z.
    pub fn groups(&self) -> [u32; 3] {
        [0, 1, 2].map(|d| self.grid[d].div_ceil(self.workgroup[d].max(1)))
    }

    /// Waves of a whole workgroup.
    pub fn waves(&self) -> u32 {
        let items: u64 = self.workgroup.iter().map(|&n| u64::from(n)).product();
        items.div_ceil(self.lanes.into()).max(1) as u32
    }
}

/// A running workgroup.
#[derive(Debug)]
pub(crate) struct Group {
    pub id: [u32; 3],
    pub waves: Vec<Wave>,
    /// Slots of private memory its waves hold.
    pub slots: Vec<u32>,
    /// The kernel as far as it is decoded.
    pub program: Arc<Program>,
    lds: Lds,
    /// The sanitizer's view of the group, when it is on.
    pub watch: Option<Box<Watch>>,
    /// What is kept of it for the cycle model, when that is on.
    pub trace: Option<GroupTrace>,
    /// The waves in the order of their turns, when that is not the usual one.
    order: Vec<u32>,
    /// Rounds so far.
    round: u64,
    /// The place in the order whose turn it is.
    turn: usize,
    /// Instructions that wave may have executed when its turn ends; 0 before the turn.
    until: u64,
    /// Rounds since the group last yielded.
    rounds: u32,
    /// Rounds since anybody wrote anything.
    idle: u32,
    /// What the group has done since it last yielded.
    polls: Polls,
    /// The loops its waves are in, once they come near their limit.
    trails: Vec<Trail>,
}

/// Why a workgroup stopped without a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pause {
    /// Every wave has ended.
    Ended,
    /// Every wave had its slice.
    Round,
    /// It needs the token to go on.
    Token,
    /// It has to give the token away. True: none of its waves can ever go on unless somebody else writes memory.
    Yield(bool),
    /// It needs the code at this offset to go on.
    Jump(u64),
}

/// Instructions a wave runs before its neighbours get a turn.
const SLICE: u64 = 4096;
/// Rounds after which a group yields.
const PATIENCE: u32 = 256;
/// The same when it wrote nothing meanwhile: it may wait for another group without ordered instructions.
const IDLE_PATIENCE: u32 = 8;

/// A fault and the wave it happened in.
pub(crate) struct GroupFault {
    pub fault: Box<Fault>,
    pub wave: u32,
    pub pc: u32,
}

impl GroupFault {
    fn of(fault: Box<Fault>, w: &Wave) -> GroupFault {
        GroupFault {
            fault,
            wave: w.index,
            pc: w.pc,
        }
    }
}

impl Group {
    /// The workgroup with the given number, before its first instruction.
    ///
    /// Work-items are numbered x first and packed into waves; a group at the edge of the grid has only the
    /// work-items inside of it. UNVERIFIED(hw): a partial group packs by its partial sizes.
    pub fn new(s: &Setup, program: Arc<Program>, id: [u32; 3], slots: Vec<u32>) -> Group {
        let size: [u32; 3] = [0, 1, 2].map(|d| s.workgroup[d].min(s.grid[d] - id[d] * s.workgroup[d]));
        let items = size[0] * size[1] * size[2];
        let waves = items.div_ceil(s.lanes).max(1);
        let groups = s.groups().map(u64::from);
        let hazards = program.hazards(false);
        let make = |index: u32| {
            let mut w = Wave::with_lanes(s.lanes, s.vgprs, s.mode);
            w.index = index;
            w.pc = program.entry;
            w.hazards = hazards.clone();
            w.group = u64::from(id[0]) + groups[0] * (u64::from(id[1]) + groups[1] * u64::from(id[2]));
            w.dispatch_id = s.dispatch_id;
            w.numerics = s.numerics;
            let count = items.saturating_sub(s.lanes * index).min(s.lanes);
            let exec = if count >= 64 { u64::MAX } else { (1 << count) - 1 };
            w.set_s64(EXEC, exec);
            scalars(&mut w, s, id);
            if let (Some(area), Some(&slot)) = (s.scratch, slots.get(index as usize)) {
                w.scratch = area.slot(slot);
            }
            for l in 0..count {
                w.set_lane(0, l as usize, packed_id(s.lanes * index + l, size, s.rsrc2));
            }
            w
        };
        let waves: Vec<Wave> = (0..waves).map(make).collect();
        Group {
            id,
            trails: vec![Trail::default(); waves.len()],
            waves,
            slots,
            program,
            lds: Lds::new(s.lds),
            watch: None,
            trace: None,
            order: Vec::new(),
            round: 0,
            turn: 0,
            until: 0,
            rounds: 0,
            idle: 0,
            polls: Polls::default(),
        }
    }

    /// Fills the private memory of its waves with poison. An area that is not mapped shows when it is accessed.
    pub fn poison(&self, mem: &mut Global) {
        for w in self.waves.iter().filter(|w| w.scratch.bytes > 0) {
            let len = u64::from(w.scratch.bytes.next_multiple_of(4)) * u64::from(w.lanes());
            let _ = mem.fill(w.scratch.base, len, POISON);
        }
    }

    /// Goes on with a program that knows more of the code.
    pub fn adopt(&mut self, program: Arc<Program>) {
        if program.looks_back(self.watch.is_some()) {
            self.waves.iter_mut().for_each(|w| w.hazards.look_back());
        }
        if let Some(watch) = &mut self.watch {
            watch.spins(program.spins().0);
        }
        self.program = program;
    }

    /// Runs every wave for one slice, or goes on with a round that was interrupted.
    pub fn run(
        &mut self,
        s: &Setup,
        mem: &mut Global,
        mut tally: Option<&mut Tally>,
        token: bool,
    ) -> Result<Pause, GroupFault> {
        let count = self.waves.len() as u32;
        if self.turn == 0 && self.until == 0 {
            self.round += 1;
            if s.order != 0 {
                self.order = self.dice(s).order(count);
            }
        }
        while self.turn < self.waves.len() {
            let (k, slice) = (self.current(), self.slice(s));
            let Some(w) = self.waves.get_mut(k) else { break };
            if w.state == WaveState::Running {
                if self.until == 0 {
                    self.until = (w.issued + slice).min(s.budget);
                }
                let mut env = Env {
                    program: &self.program,
                    mem: &mut *mem,
                    lds: &mut self.lds,
                    entry: s.entry,
                    waves: count,
                    tally: tally.as_deref_mut(),
                    token,
                    order: s.order,
                    polls: &mut self.polls,
                    watch: self.watch.as_deref_mut(),
                    trace: self.trace.as_mut().and_then(|t| t.waves.get_mut(k)),
                };
                let stop = match self.trails.get_mut(k) {
                    Some(trail) if self.until > watched_from(s.budget) => trail.follow(w, &mut env, self.until),
                    _ => run(w, &mut env, self.until),
                };
                let stop = stop.map_err(|fault| GroupFault::of(fault, w))?;
                match stop {
                    Stop::Paused => {}
                    Stop::Token => return Ok(Pause::Token),
                    Stop::Yield => return Ok(self.yields(Some(k))),
                    Stop::Jump(to) => return Ok(Pause::Jump(to)),
                }
                if w.state == WaveState::Running && w.issued >= s.budget {
                    return Err(self.endless(s.budget));
                }
            }
            self.turn += 1;
            self.until = 0;
        }
        self.turn = 0;
        self.open_barrier();
        if self.waves.iter().all(|w| w.state == WaveState::Ended) {
            return Ok(Pause::Ended);
        }
        self.rounds += 1;
        self.idle = if self.polls.acted { 0 } else { self.idle + 1 };
        if self.rounds < PATIENCE && self.idle < IDLE_PATIENCE {
            self.forget_standing();
            return Ok(Pause::Round);
        }
        Ok(self.yields(None))
    }

    /// The wave whose turn it is.
    fn current(&self) -> usize {
        self.order.get(self.turn).map_or(self.turn, |&k| k as usize)
    }

    fn dice(&self, s: &Setup) -> Dice {
        let [x, y, z] = self.id.map(u64::from);
        Dice::new(&[s.order, x | y << 32, z, self.round])
    }

    /// Instructions the wave whose turn it is may run: in another order than the usual one sometimes few.
    fn slice(&self, s: &Setup) -> u64 {
        if s.order == 0 || self.until != 0 {
            return SLICE;
        }
        let [x, y, z] = self.id.map(u64::from);
        let mut dice = Dice::new(&[s.order, x | y << 32, z, self.round, self.turn as u64]);
        [SLICE, SLICE, 64, 8][dice.below(4) as usize]
    }

    /// Gives the token away; `at` is the wave that stands before an ordered instruction.
    ///
    /// A wave that comes to the same instruction with the same registers, though its group has written nothing
    /// meanwhile, does so for ever: it is stuck until somebody else writes memory.
    fn yields(&mut self, at: Option<usize>) -> Pause {
        self.forget_standing();
        let acted = std::mem::take(&mut self.polls).acted;
        (self.rounds, self.idle) = (0, 0);
        if let Some(w) = at.filter(|_| !acted).and_then(|k| self.waves.get_mut(k)) {
            let now = w.fingerprint();
            w.stuck = w.stood == now;
            w.stood = now;
        }
        let waits = |w: &Wave| w.state != WaveState::Running || w.stuck;
        Pause::Yield(!acted && self.waves.iter().all(waits))
    }

    /// What a wave did may free the others.
    fn forget_standing(&mut self) {
        if self.polls.acted {
            self.waves.iter_mut().for_each(|w| (w.stood, w.stuck) = (0, false));
        }
    }

    /// Lets the waves go on when all that have not ended stand at the barrier.
    fn open_barrier(&mut self) {
        if self.waves.iter().any(|w| w.state == WaveState::Running) {
            return;
        }
        if let Some(watch) = &mut self.watch {
            watch.barrier(&self.waves);
        }
        for w in self.waves.iter_mut().filter(|w| w.state == WaveState::AtBarrier) {
            w.state = WaveState::Running;
            // The group got on.
            self.polls.acted = true;
        }
    }

    /// A fault in the wave whose turn it is.
    pub fn fault(&self, fault: Box<Fault>) -> GroupFault {
        let w = &self.waves[self.current().min(self.waves.len() - 1)];
        GroupFault::of(fault, w)
    }

    /// The wave whose turn it is has used up its instructions: the fault stands at the branch that closes its loop.
    fn endless(&self, budget: u64) -> GroupFault {
        let mut fault = self.fault(Fault::new(ExecFaultKind::Endless {
            instructions: budget,
            place: None,
            waves: Vec::new(),
        }));
        let trail = self.trails.get(self.current());
        if let Some(back) = trail.and_then(|t| t.endless(&self.program, budget)) {
            fault.pc = back;
        }
        fault
    }

    /// Whether the cycle model has all it wants of this group.
    pub fn recorded(&self) -> bool {
        let done = |(t, w): (&WaveTrace, &Wave)| t.full() || w.state == WaveState::Ended;
        let trace = self.trace.as_ref();
        trace.is_some_and(|t| t.waves.iter().zip(&self.waves).all(done))
    }

    /// Where every wave stands, for reports of launches that do not end.
    pub fn standing(&self, n: u64) -> impl Iterator<Item = Standing> + '_ {
        self.waves.iter().map(move |w| Standing {
            group: (n, self.id),
            wave: w.index,
            pc: w.pc,
            state: w.state,
        })
    }
}

/// User SGPRs, then the workgroup numbers rsrc2 asks for (bits 7, 8, 9), then the workgroup info word (bit 10).
fn scalars(w: &mut Wave, s: &Setup, id: [u32; 3]) {
    w.sgpr[..s.user.len()].copy_from_slice(&s.user);
    let mut at = (s.rsrc2 >> 1 & 31) as usize;
    for (d, v) in id.into_iter().enumerate() {
        if s.rsrc2 >> (7 + d) & 1 == 1 {
            w.sgpr[at] = v;
            at += 1;
        }
    }
    if s.rsrc2 >> 10 & 1 == 1 {
        w.sgpr[at] = 0;
    }
}

/// v0: x in bits 9:0, y in 19:10, z in 29:20, as many as `rsrc2[12:11]` enables.
fn packed_id(item: u32, size: [u32; 3], rsrc2: u32) -> u32 {
    let x = item % size[0];
    let y = item / size[0] % size[1];
    let z = item / (size[0] * size[1]);
    match rsrc2 >> 11 & 3 {
        0 => x,
        1 => x | y << 10,
        _ => x | y << 10 | z << 20,
    }
}
