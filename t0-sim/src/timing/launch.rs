//! A whole launch: from the traces of some workgroups to the time of all.
//!
//! Method: the WGP that gets most groups is played back. When it gets more than three times as many as are resident, only
//! the first `q` are: with `T(q)` the time of `q` groups and `r` residents, the pace is `T(q) - T(q - r)` for `r` groups, and
//! what is left goes on at it. So the beginning and the tail are played back, the middle is repeated.
//!
//! What lies beyond the L2 is a share: of the sectors the resident groups of the card ask for in the window, those that
//! are asked for the first time miss the L2, unless the buffers the launch touches fit in there, as in repeated launches.
//! Of them those come from DRAM that the groups before have not asked for either, as far as the buffers do not fit in the Infinity
//! Cache.

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;
use std::sync::Arc;

use t0_backend_rdna3::listing::Listing;

use crate::job::Source;
use crate::program::Program;

use super::costs::Costs;
use super::flops;
use super::memory::Far;
use super::plan::{Plan, WINDOW};
use super::record::{GroupTrace, SECTOR};
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
    /// Named allocations.
    pub(crate) buffers: Vec<Range<u64>>,
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
    /// Floating-point operations of the whole launch, counted as if every lane took part, a fused multiply-add as two.
    pub flops: f64,
    /// By instruction, in the order of the program.
    pub sites: Vec<Site>,
    /// Share of the time each unit of a SIMD was held, in the order of [`UNITS`].
    pub units: [f64; UNITS.len()],
    /// Share of the time the VALU was held by matrix instructions.
    pub wmma: f64,
    /// Share of the time the LDS of a CU was busy.
    pub lds: f64,
    /// Share of the time a CU's address unit, its path to the L2, the Infinity Cache and DRAM were busy.
    pub memory: [f64; 4],
    /// Sectors of 64 bytes that loads and stores asked for, those found in the L0, and those from beyond the L2.
    pub sectors: [u64; 3],
    /// Where misses of the L0 come from.
    pub far: Far,
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
        let queue: Vec<&GroupTrace> = self.groups.iter().filter(|g| self.plan.whole(g.number)).collect();
        let far = self.far(costs, cold);
        let run = |groups: &[&GroupTrace], timeline| {
            let options = Options {
                resident: self.plan.resident as usize,
                wgp_mode: self.wgp_mode,
                far,
                units: self.plan.units.min(self.plan.total),
                cold,
                timeline,
            };
            Wgp::play(&self.program, costs, options, groups.to_vec())
        };
        let whole = run(&queue, timeline);
        let rest = self.plan.on_unit - self.plan.queue.min(self.plan.on_unit);
        let mut cycles = whole.end();
        if let Some(fewer) = queue
            .len()
            .checked_sub(self.plan.resident as usize)
            .filter(|_| rest > 0)
        {
            let pace = whole.end() - run(&queue[..fewer], false).end().min(whole.end());
            cycles += rest / self.plan.resident * pace;
        }
        self.answer(costs, cycles + u64::from(costs.dispatch), far, whole)
    }

    /// Operations of all groups, taking those that were not played back for like the others.
    fn flops(&self, run: &Run) -> f64 {
        let of = |(i, s): (&crate::program::Instr, &Site)| flops::of_wave(i, self.wave_size) as f64 * s.issued as f64;
        let played: f64 = self.program.code.iter().zip(&run.sites).map(of).sum();
        played / run.groups.len().max(1) as f64 * self.plan.total as f64
    }

    fn answer(&self, costs: &Costs, cycles: u64, far: Far, run: Run) -> Timing {
        let time = run.end().max(1) as f64;
        let share = |busy: u64, of: usize| busy as f64 / (time * of as f64);
        Timing {
            cycles,
            played: (run.end(), run.groups.len() as u64),
            groups: (self.plan.on_unit, self.plan.resident),
            all_groups: (self.plan.total, self.plan.resident * self.plan.units),
            flops: self.flops(&run),
            clock_mhz: costs.clock_mhz,
            units: run.units.map(|u| share(u, SIMDS)),
            wmma: share(run.wmma, SIMDS),
            lds: share(run.lds, 1),
            memory: run.memory.map(|m| share(m, 1)),
            sectors: run.sectors,
            far,
            sites: run.sites,
            issues: run.issues,
        }
    }

    /// What resident groups share, from the beginning of each.
    fn far(&self, costs: &Costs, cold: bool) -> Far {
        let mut windows: [HashSet<u64>; 2] = Default::default();
        let mut asked = 0;
        for g in &self.groups {
            let Some(window) = self.plan.window(g.number) else {
                continue;
            };
            let mut own: HashSet<u64> = HashSet::new();
            for w in &g.waves {
                let accesses = w.steps.iter().take(WINDOW).filter(|s| s.accesses()).count();
                w.accesses
                    .iter()
                    .take(accesses)
                    .for_each(|a| own.extend(w.sectors_of(a)));
            }
            asked += if window == 0 { own.len() } else { 0 };
            windows[window].extend(own);
        }
        let [first, next] = windows;
        let share = |n: usize, of: usize| if of == 0 { 0.0 } else { n as f64 / of as f64 };
        // Of what does not fit a cache nothing that is asked for in turn is found in it again; what fits in part is found in part.
        let beyond = |mib: u32, bytes: u64| {
            let fits = f64::from(mib) * 1048576.0;
            (1.0 - fits / (bytes as f64).max(1.0)).max(0.0)
        };
        let all: HashSet<u64> = first.union(&next).copied().collect();
        let footprint = self.footprint(&all);
        let new = match next.len() {
            0 => 1.0,
            n => share(next.difference(&first).count(), n),
        };
        Far {
            // At first nothing is in the L2.
            beyond_l2: share(first.len(), asked) * if cold { 1.0 } else { beyond(costs.l2_size, footprint) },
            dram: new * beyond(costs.mall_size, footprint),
        }
    }

    /// Bytes of the allocations that sectors belong to.
    fn footprint(&self, sectors: &HashSet<u64>) -> u64 {
        let of = |s: &u64| {
            let at = s * SECTOR;
            let k = self.buffers.partition_point(|b| b.end <= at);
            self.buffers.get(k).filter(|b| b.start < at + SECTOR).map(|_| k)
        };
        let touched: BTreeSet<usize> = sectors.iter().filter_map(of).collect();
        touched
            .iter()
            .map(|&k| self.buffers[k].end - self.buffers[k].start)
            .sum()
    }
}
