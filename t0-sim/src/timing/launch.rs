//! A whole launch: from the traces of some workgroups to the time of all.
//!
//! Method: the WGP that gets most groups is played back, of a long queue the beginning and the tail, with some of the middle,
//! whose pace the rest keeps ([`super::steady`]).
//!
//! What lies beyond the L2 is a share ([`super::footprint`]).

use std::ops::Range;
use std::sync::Arc;

use t0_backend_rdna3::listing::Listing;

use crate::job::Source;
use crate::program::Program;

use super::costs::Costs;
use super::flops;
use super::footprint::{Far, Sources};
use super::plan::Plan;
use super::record::GroupTrace;
use super::steady::{self, Queue};
use super::wave::STALLS;
use super::wgp::{Issue, Options, Run, Site, Wgp, SIMDS, UNITS};

/// What was kept of a launch for the model.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The kernel, as far as it is known.
    pub kernel: Option<String>,
    pub(crate) program: Arc<Program>,
    pub(crate) plan: Plan,
    pub(crate) groups: Vec<GroupTrace>,
    /// Groups may use both CUs of a WGP.
    pub wgp_mode: bool,
    /// Lanes of a wave.
    pub wave_size: u32,
    /// Waves of a workgroup.
    pub waves: u32,
    /// The code object the client told of.
    pub(crate) source: Option<Source>,
    /// Named allocations, ascending.
    pub(crate) buffers: Vec<Range<u64>>,
    /// WGPs of a shader array.
    pub(crate) array: u64,
}

/// The model's answer for a launch.
#[derive(Clone, Debug)]
pub struct Timing {
    /// Cycles from the packet to the signal.
    pub cycles: u64,
    /// Cycles of the part that was played back, and how many groups of one WGP that were.
    pub played: (u64, u64),
    /// Groups the busiest WGP gets, and how many are resident on it.
    pub groups: (u64, u64),
    /// Shader clock in MHz.
    pub clock_mhz: u32,
    /// Groups of the launch, and how many are resident on the whole card.
    pub all_groups: (u64, u64),
    /// WGPs that have workgroups, and all of the card.
    pub wgps: (u64, u64),
    /// Waves on a SIMD of the WGP that was played back, averaged over its time.
    pub waves: f64,
    /// Floating-point operations of the whole launch by lanes that were on, a fused multiply-add as two.
    pub flops: f64,
    /// The same of integers, by matrix instructions.
    pub integer_ops: f64,
    /// By instruction, in the order of the program.
    pub sites: Vec<Site>,
    /// Share of the time each unit of a SIMD was held, in the order of [`UNITS`].
    pub units: [f64; UNITS.len()],
    /// Share of the time the VALU was held by matrix instructions.
    pub wmma: f64,
    /// Share of the time the LDS of a CU was busy.
    pub lds: f64,
    /// Share of the time a CU's address unit, the way from its L0 to the registers, its path to the L2, the Infinity Cache, DRAM and the busiest unit for atomics
    /// were busy.
    pub memory: [f64; 6],
    /// Share of the time the dispatcher of a shader array was busy.
    pub dispatch: f64,
    /// Sectors of 64 bytes that loads and stores asked for, those found in the L0, and those from beyond the L2.
    pub sectors: [u64; 3],
    /// Where what misses the L0 comes from.
    pub far: Far,
    /// Bytes of the cache lines the launch touches, and whether an earlier launch of the same kind has left them in the
    /// caches, as far as they fit.
    pub touched: u64,
    /// See `touched`.
    pub warm: bool,
    /// Every issue, if a timeline was asked for.
    pub issues: Vec<Issue>,
}

impl Timing {
    /// Seconds at the model's clock.
    pub fn seconds(&self) -> f64 {
        self.cycles as f64 / (f64::from(self.clock_mhz) * 1e6)
    }

    /// Wave cycles waited in all, by reason.
    pub fn stalls(&self) -> [u64; STALLS.len()] {
        let mut all = [0; STALLS.len()];
        for s in &self.sites {
            all.iter_mut().zip(s.stalls).for_each(|(a, b)| *a += b);
        }
        all
    }
}

impl Recording {
    /// Plays the launch back. With `timeline` every issue is kept.
    pub fn time(&self, costs: &Costs, timeline: bool) -> Timing {
        self.play(costs, timeline, false)
    }

    /// The same for the first launch after the data were written: the address translation and the scalar cache are cold.
    pub fn time_cold(&self, costs: &Costs, timeline: bool) -> Timing {
        self.play(costs, timeline, true)
    }

    /// The kernel's listing, if its code object is known.
    pub fn listing(&self) -> Option<Listing> {
        let (object, kernel) = self.source.as_ref()?;
        Some(Listing::new(object, object.kernels.get(*kernel)?))
    }

    /// Instructions of the kernel: offset from its entry and text.
    pub fn instructions(&self) -> impl Iterator<Item = (u64, String)> + '_ {
        self.program.code.iter().map(|i| (i.offset, self.program.text(i.index)))
    }

    /// The same with the unit each issues to.
    pub fn classes(&self) -> impl Iterator<Item = (u64, String, &'static str)> + '_ {
        let of = |i: &crate::program::Instr| (i.offset, self.program.text(i.index), i.class.group());
        self.program.code.iter().map(of)
    }

    fn play(&self, costs: &Costs, timeline: bool, cold: bool) -> Timing {
        let recorded = self.groups.iter().filter(|g| self.plan.whole(g.number)).collect();
        let (all, resident) = (self.plan.on_unit, self.plan.resident);
        let queue = Queue::new(recorded, resident);
        let sources = self.sources(costs, cold);
        let options = Options {
            resident: resident as usize,
            groups: queue.played(all, resident, self.plan.rounds) as usize,
            wgp_mode: self.wgp_mode,
            sources: &sources,
            array: self.array,
            units: self.plan.units.min(self.plan.total),
            cold,
            timeline,
        };
        let run = Wgp::play(&self.program, costs, options, &queue);
        let rest = all.saturating_sub(run.groups.len() as u64);
        let cycles = run.end() + steady::after(&run, resident, rest);
        self.answer(costs, cycles + u64::from(costs.dispatch), (&sources, !cold), run)
    }

    /// Operations of all groups, of floats or of integers, taking those that were not played back for like the others.
    fn operations(&self, run: &Run, integer: bool) -> f64 {
        let of = |(i, s): (&crate::program::Instr, &Site)| flops::of(i, s.issued, s.lanes) as f64;
        let all = self.program.code.iter().zip(&run.sites);
        let played: f64 = all.filter(|x| flops::integer(x.0) == integer).map(of).sum();
        played / run.groups.len().max(1) as f64 * self.plan.total as f64
    }

    fn answer(&self, costs: &Costs, cycles: u64, (sources, warm): (&Sources, bool), run: Run) -> Timing {
        let time = run.end().max(1) as f64;
        let share = |busy: u64, of: usize| busy as f64 / (time * of as f64);
        Timing {
            cycles,
            played: (run.end(), run.groups.len() as u64),
            groups: (self.plan.on_unit, self.plan.resident),
            all_groups: (self.plan.total, self.plan.resident * self.plan.units),
            wgps: (self.plan.units.min(self.plan.total), self.plan.units),
            waves: share(run.resident, SIMDS),
            flops: self.operations(&run, false),
            integer_ops: self.operations(&run, true),
            clock_mhz: costs.clock_mhz,
            units: run.units.map(|u| share(u, SIMDS)),
            wmma: share(run.wmma, SIMDS),
            lds: share(run.lds, 1),
            memory: run.memory.map(|m| share(m, 1)),
            dispatch: share(run.dispatch, 1),
            sectors: run.sectors,
            far: sources.far[0],
            touched: sources.touched,
            warm,
            sites: run.sites,
            issues: run.issues,
        }
    }
}
