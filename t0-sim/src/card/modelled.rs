//! What the cycle model says of a launch, by units, by reasons, by instructions and by Rust lines.

use serde::Serialize;
use t0_backend_rdna3::isa::Class;
use t0_backend_rdna3::listing::{Entry, Listing};
use t0_backend_rdna3::target::{Target, GFX1100};

use super::places::{self, At, ByLine, Coalescing, Limiting, Stalled};
use crate::timing::{Costs, Recording, Stall, Timing, Unit, STALLS, UNITS};

/// Shares of the time units were busy, 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Utilisation {
    /// Matrix instructions, of the VALU.
    pub wmma: f64,
    /// VALU, matrix instructions included.
    pub valu: f64,
    /// Transcendental unit.
    pub trans: f64,
    /// Scalar ALU.
    pub salu: f64,
    /// Scalar memory.
    pub smem: f64,
    /// LDS of a CU.
    pub lds: f64,
    /// A CU's address unit of vector memory.
    pub vmem: f64,
    /// The way from a CU's L0 to the registers.
    pub l0: f64,
    /// A CU's path to the L2.
    pub l2_path: f64,
    /// A WGP's share of the Infinity Cache.
    pub infinity_cache: f64,
    /// A WGP's share of DRAM.
    pub dram: f64,
    /// The busiest place of the L2 for atomics.
    pub atomics: f64,
    /// The dispatcher that starts the waves of a shader array.
    pub dispatch: f64,
}

impl Utilisation {
    /// All of them with their names, those that are shares of others left out.
    pub fn units(&self) -> [(&'static str, f64); 13] {
        [
            ("wmma", self.wmma),
            ("valu", self.valu),
            ("trans", self.trans),
            ("salu", self.salu),
            ("smem", self.smem),
            ("lds", self.lds),
            ("vmem", self.vmem),
            ("l0", self.l0),
            ("l2 path", self.l2_path),
            ("infinity cache", self.infinity_cache),
            ("dram", self.dram),
            ("atomics", self.atomics),
            ("dispatch", self.dispatch),
        ]
    }

    fn of(t: &Timing) -> Utilisation {
        let unit = |u: Unit| UNITS.iter().position(|x| *x == u).map_or(0.0, |k| t.units[k]);
        Utilisation {
            wmma: t.wmma,
            valu: unit(Unit::Valu),
            trans: unit(Unit::Trans),
            salu: unit(Unit::Salu),
            smem: unit(Unit::Smem),
            lds: t.lds,
            vmem: t.memory[0],
            l0: t.memory[1],
            l2_path: t.memory[2],
            infinity_cache: t.memory[3],
            dram: t.memory[4],
            atomics: t.memory[5],
            dispatch: t.dispatch,
        }
    }
}

/// Cycles lost to banks in the part that was played back.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BankConflicts {
    /// Passes through the LDS, and how many of them only because lanes met in a bank.
    pub lds_passes: u64,
    /// See `lds_passes`.
    pub lds: u64,
    /// Share of the LDS's time these cost: stores are sent slower than most conflicts are resolved.
    pub lds_time: f64,
    /// Cycles pairs and matrix instructions lost because their registers share a bank.
    pub vgpr: u64,
}

/// Where the launch stands between what the ALUs and what the memory allow.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Roofline {
    /// Operations for each byte from beyond the L2; `None` where nothing comes from there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flop_per_byte: Option<f64>,
    /// TFLOP/s (TOP/s of integers) the Infinity Cache and DRAM allow at that: if all of it came from there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub infinity_cache_tflops: Option<f64>,
    /// See `infinity_cache_tflops`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dram_tflops: Option<f64>,
    /// TFLOP/s the two allow with the share of each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_tflops: Option<f64>,
    /// The peak of the operations the kernel uses.
    pub peak_tflops: f64,
    /// What the peak is of.
    pub peak_of: &'static str,
    /// The peak if all of them were in pairs that issue together, for kernels without any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paired_tflops: Option<f64>,
}

/// The model's answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Modelled {
    /// Always `modelled`: nothing was measured.
    pub basis: &'static str,
    /// The card that is modelled, whatever chip the code is for.
    pub model: &'static str,
    /// The chip the code is for, where it is another one.
    #[serde(skip)]
    pub other_chip: Option<&'static str>,
    /// Cycles from the packet to the signal.
    pub cycles: u64,
    /// The same in seconds.
    pub seconds: f64,
    /// At this clock.
    pub clock_mhz: u32,
    /// Floating-point operations a second, of lanes that are on; `None` for kernels without any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tflops: Option<f64>,
    /// Operations of integers by matrix instructions, in 10^12 a second; `None` for kernels without any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tops: Option<f64>,
    /// Workgroups of the launch, and how many are resident on the card at once.
    pub groups: u64,
    /// See `groups`.
    pub resident_groups: u64,
    /// How many could be resident, had the launch that many.
    pub resident_most: u64,
    /// WGPs that have workgroups, and all of the card.
    pub wgps: (u64, u64),
    /// Waves on a SIMD, averaged over the time of the WGP that has most to do.
    pub waves_per_simd: f64,
    /// Work of the whole card, of what it would be if every WGP had as much to do as the one that has most.
    pub balance: f64,
    /// Share of the lanes of vector instructions that are on; `None` without any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lanes_active: Option<f64>,
    /// Share of the cycles that the launch itself costs, before and after the waves run.
    pub launch_share: f64,
    /// What keeps it from being faster: a unit that is busy, or what waves wait for.
    pub limiter: String,
    /// How busy the units were.
    pub utilisation: Utilisation,
    /// What the unit that is the limit spends its time on; `None` when no unit is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limiting: Option<Limiting>,
    /// Waits by reason, as shares of all. Waiting for a unit that other waves use is none of them.
    pub waits: Vec<(&'static str, f64)>,
    /// Share of the waves' time, issuing included, in which they wait for a unit that other waves use.
    pub queued: f64,
    /// Instructions waves wait at, longest first.
    pub stalls: Vec<Stalled>,
    /// The same by source line.
    pub stalls_by_line: Vec<ByLine>,
    /// Conflicts of banks.
    pub bank_conflicts: BankConflicts,
    /// How accesses of memory lie together; `None` without any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coalescing: Option<Coalescing>,
    /// Share of the L0's misses that also miss the L2; `None` without any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beyond_l2: Option<f64>,
    /// Share of what misses the L2 that comes from DRAM; `None` where nothing does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_dram: Option<f64>,
    /// Bytes of the cache lines the launch touches.
    pub touched_bytes: u64,
    /// What the caches hold when it starts.
    pub caches: &'static str,
    /// `None` for kernels that count no operations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roofline: Option<Roofline>,
}

impl Modelled {
    /// Of a launch.
    pub fn new(listing: &Listing, recording: &Recording, t: &Timing) -> Modelled {
        Modelled::of(listing, recording, &places::joined(listing, recording, t), t)
    }

    pub(super) fn of(listing: &Listing, recording: &Recording, sites: &[At], t: &Timing) -> Modelled {
        let queued = of_reason(t, Stall::Unit);
        let all = (t.stalls().iter().sum::<u64>() - queued).max(1);
        let busy: u64 = t.sites.iter().map(|s| s.issued).sum();
        let utilisation = Utilisation::of(t);
        let beyond_l2 = (t.sectors[0] > t.sectors[1]).then_some(t.far.beyond_l2);
        let mut waits: Vec<(&'static str, f64)> = STALLS
            .iter()
            .filter(|s| **s != Stall::Unit)
            .map(|s| (s.name(), of_reason(t, *s) as f64 / all as f64))
            .collect();
        waits.sort_by(|a, b| b.1.total_cmp(&a.1));
        let rate = |n: f64| (n > 0.0).then(|| n / t.seconds() / 1e12);
        Modelled {
            basis: "modelled",
            model: MODEL,
            other_chip: other_chip(&listing.target),
            cycles: t.cycles,
            seconds: t.seconds(),
            clock_mhz: t.clock_mhz,
            tflops: rate(t.flops),
            tops: rate(t.integer_ops),
            groups: t.all_groups.0,
            resident_groups: t.all_groups.1.min(t.all_groups.0),
            resident_most: t.all_groups.1,
            wgps: t.wgps,
            waves_per_simd: t.waves,
            balance: t.all_groups.0 as f64 / (t.wgps.1 * t.groups.0).max(1) as f64,
            lanes_active: places::active(sites, recording.wave_size),
            launch_share: (f64::from(Costs::default().dispatch) / t.cycles.max(1) as f64).min(1.0),
            limiter: limiter(&utilisation, &waits),
            limiting: busiest(&utilisation).map(|(unit, _)| Limiting::new(listing, sites, unit)),
            waits,
            queued: queued as f64 / (queued + all + busy) as f64,
            stalls: places::stalls(sites, all),
            stalls_by_line: places::by_line(listing, sites, all, |a| a.waited()),
            bank_conflicts: conflicts(sites),
            coalescing: places::coalescing(sites),
            beyond_l2,
            from_dram: beyond_l2.filter(|b| *b > 0.0).map(|_| t.far.dram),
            touched_bytes: t.touched,
            caches: if t.warm { WARM } else { COLD },
            roofline: roofline(sites, t),
            utilisation,
        }
    }
}

/// The card that the cycle model is of.
pub const MODEL: &str = "RX 7900 XTX";

/// The name of a chip that is not that card's.
pub fn other_chip(target: &Target) -> Option<&'static str> {
    Some(target.name).filter(|name| *name != GFX1100.name)
}

/// What is assumed of the caches, see `timing::footprint`.
const WARM: &str = "warm from an earlier launch of the same kind, as far as all it touches fits";
const COLD: &str = "cold but for the Infinity Cache, which has what was just written";

/// Wave cycles waited for one reason.
fn of_reason(t: &Timing, why: Stall) -> u64 {
    STALLS.iter().zip(t.stalls()).filter(|x| *x.0 == why).map(|x| x.1).sum()
}

/// The unit that is the limit, when one is busy most of the time.
pub(super) fn busiest(u: &Utilisation) -> Option<(&'static str, f64)> {
    // Matrix instructions are VALU time; they are named when they are most of it.
    let own = |n: &str| n != "valu" || u.wmma < 0.5 * u.valu;
    let all = u.units().into_iter().filter(|(n, _)| own(n));
    all.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|x| x.1 >= BUSY)
}

/// Share of the time from which on a unit counts as the limit.
const BUSY: f64 = 0.7;

fn limiter(u: &Utilisation, waits: &[(&'static str, f64)]) -> String {
    match (busiest(u), waits.first()) {
        (Some((unit, share)), _) => format!("{unit}: busy {:.0} % of the time", 100.0 * share),
        (_, Some((why, share))) if *share > 0.0 => {
            format!("latency: waves wait for {why} ({:.0} % of all waits)", 100.0 * share)
        }
        _ => "nothing: waves never wait".into(),
    }
}

fn conflicts(sites: &[At]) -> BankConflicts {
    let of = |lds: bool| sites.iter().filter(move |a| a.instr.class.is_lds() == lds);
    let sum = |f: fn(&At) -> u64| of(true).map(f).sum::<u64>();
    BankConflicts {
        lds_passes: sum(|a| a.site.passes),
        lds: sum(|a| a.site.conflicts),
        lds_time: sum(|a| a.site.lds_lost) as f64 / sum(|a| a.site.lds).max(1) as f64,
        vgpr: of(false).map(|a| a.site.conflicts).sum(),
    }
}

/// TFLOP/s of all WGPs at the model's clock; operations a cycle and SIMD as in the RDNA3 manual's rates (see `timing::costs`).
fn roofline(sites: &[At], t: &Timing) -> Option<Roofline> {
    let operations = t.flops + t.integer_ops;
    if operations <= 0.0 {
        return None;
    }
    let simds = 4.0 * t.wgps.1 as f64;
    let bytes = 64.0 * t.sectors[2] as f64 / t.played.1.max(1) as f64 * t.all_groups.0 as f64;
    let (rate, peak_of) = peak(sites);
    let clock = f64::from(t.clock_mhz) * 1e6;
    let c = Costs::default();
    let (mall, dram) = (f64::from(c.mall_bytes) * clock, f64::from(c.dram_bytes) * clock);
    // What does not come from DRAM comes at the Infinity Cache's rate, both at once.
    let bandwidth = if t.far.dram > 0.0 {
        mall.min(dram / t.far.dram)
    } else {
        mall
    };
    let flop_per_byte = (bytes > 0.0).then(|| operations / bytes);
    let tera = |rate: f64| rate * simds * clock / 1e12;
    Some(Roofline {
        flop_per_byte,
        infinity_cache_tflops: flop_per_byte.map(|f| f * mall / 1e12),
        dram_tflops: flop_per_byte.map(|f| f * dram / 1e12),
        memory_tflops: flop_per_byte.map(|f| f * bandwidth / 1e12),
        peak_tflops: tera(rate),
        peak_of,
        paired_tflops: (peak_of == SINGLE).then(|| tera(2.0 * rate)),
    })
}

const SINGLE: &str = "f32 multiply-adds";

/// Operations a cycle and SIMD of the fastest kind the kernel uses, and what they are.
fn peak(sites: &[At]) -> (f64, &'static str) {
    let uses = |f: &dyn Fn(&Entry) -> bool| sites.iter().any(|a| a.site.issued > 0 && a.entry.is_some_and(f));
    let starts = |s: &'static str| uses(&|e| e.text.starts_with(s));
    if starts("v_wmma_i32_16x16x16_iu4") {
        (512.0, "matrix instructions of iu4")
    } else if uses(&|e| e.class == Some(Class::Wmma)) {
        (256.0, "matrix instructions")
    } else if starts("v_dual_") {
        (128.0, "f32 multiply-adds in pairs")
    } else if starts("v_pk_") || starts("v_dot2") {
        (128.0, "packed f16 multiply-adds")
    } else if uses(&|e| e.class == Some(Class::ValuF64)) {
        (4.0, "f64 multiply-adds")
    } else {
        (64.0, SINGLE)
    }
}
