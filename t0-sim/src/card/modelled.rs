//! What the cycle model says of a launch, by units, by reasons, by instructions and by Rust lines.

use serde::Serialize;
use t0_backend_rdna3::isa::Class;
use t0_backend_rdna3::listing::{Entry, Listing};

use crate::timing::{Costs, Recording, Site, Timing, Unit, STALLS, UNITS};

/// Instructions and lines that are listed at most.
const MOST: usize = 12;

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
    pub fn units(&self) -> [(&'static str, f64); 12] {
        [
            ("wmma", self.wmma),
            ("valu", self.valu),
            ("trans", self.trans),
            ("salu", self.salu),
            ("smem", self.smem),
            ("lds", self.lds),
            ("vmem", self.vmem),
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
            l2_path: t.memory[1],
            infinity_cache: t.memory[2],
            dram: t.memory[3],
            atomics: t.memory[4],
            dispatch: t.dispatch,
        }
    }
}

/// An instruction waves wait at.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stalled {
    /// Share of all wave cycles waited.
    pub share: f64,
    /// Cycles a wave waits at it each time.
    pub cycles: f64,
    /// What for, mostly: see [`crate::timing::Stall::name`].
    pub why: &'static str,
    /// Bytes from the kernel's first instruction.
    pub offset: u64,
    /// Its text.
    pub instruction: String,
    /// Times a wave issued it, in the part that was played back.
    pub issued: u64,
    /// Rust source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// See `file`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// A source line waves wait at.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ByLine {
    /// Share of all wave cycles waited.
    pub share: f64,
    /// Rust source.
    pub file: String,
    /// See `file`.
    pub line: u32,
    /// Text of the line, if it was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// Cycles lost to banks in the part that was played back.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BankConflicts {
    /// Passes through the LDS, and how many of them only because lanes met in a bank.
    pub lds_passes: u64,
    /// See `lds_passes`.
    pub lds: u64,
    /// Cycles pairs and matrix instructions lost because their registers share a bank.
    pub vgpr: u64,
}

/// Where the launch stands between what the ALUs and what the memory allow.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Roofline {
    /// Floating-point operations for each byte from beyond the L2.
    pub flop_per_byte: f64,
    /// TFLOP/s the Infinity Cache and DRAM allow at that: if all of it came from there.
    pub infinity_cache_tflops: f64,
    /// See `infinity_cache_tflops`.
    pub dram_tflops: f64,
    /// TFLOP/s the two allow with the share of each, and the peak of the operations the kernel uses.
    pub memory_tflops: f64,
    /// See `memory_tflops`.
    pub peak_tflops: f64,
    /// What the peak is of.
    pub peak_of: &'static str,
}

/// The model's answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Modelled {
    /// Always `modelled`: nothing was measured.
    pub basis: &'static str,
    /// Cycles from the packet to the signal.
    pub cycles: u64,
    /// The same in seconds.
    pub seconds: f64,
    /// At this clock.
    pub clock_mhz: u32,
    /// Floating-point operations a second, every lane counted; `None` for kernels without any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tflops: Option<f64>,
    /// Workgroups of the launch, and how many are resident on the card at once.
    pub groups: u64,
    /// See `groups`.
    pub resident_groups: u64,
    /// Share of the cycles that the launch itself costs, before and after the waves run.
    pub launch_share: f64,
    /// What keeps it from being faster: a unit that is busy, or what waves wait for.
    pub limiter: String,
    /// How busy the units were.
    pub utilisation: Utilisation,
    /// Waits by reason, as shares of all.
    pub waits: Vec<(&'static str, f64)>,
    /// Instructions waves wait at, longest first.
    pub stalls: Vec<Stalled>,
    /// The same by source line.
    pub stalls_by_line: Vec<ByLine>,
    /// Conflicts of banks.
    pub bank_conflicts: BankConflicts,
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
    /// `None` without floating-point operations or without memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roofline: Option<Roofline>,
}

impl Modelled {
    /// Of a launch.
    pub fn new(listing: &Listing, recording: &Recording, t: &Timing) -> Modelled {
        let all: u64 = t.stalls().iter().sum::<u64>().max(1);
        let sites = joined(listing, recording, t);
        let utilisation = Utilisation::of(t);
        let beyond_l2 = (t.sectors[0] > t.sectors[1]).then_some(t.far.beyond_l2);
        let mut waits: Vec<(&'static str, f64)> = STALLS
            .iter()
            .zip(t.stalls())
            .map(|(s, n)| (s.name(), n as f64 / all as f64))
            .collect();
        waits.sort_by(|a, b| b.1.total_cmp(&a.1));
        Modelled {
            basis: "modelled",
            cycles: t.cycles,
            seconds: t.seconds(),
            clock_mhz: t.clock_mhz,
            tflops: (t.flops > 0.0).then(|| t.flops / t.seconds() / 1e12),
            groups: t.all_groups.0,
            resident_groups: t.all_groups.1.min(t.all_groups.0),
            launch_share: (f64::from(Costs::default().dispatch) / t.cycles.max(1) as f64).min(1.0),
            limiter: limiter(&utilisation, &waits),
            waits,
            stalls: stalls(&sites, all),
            stalls_by_line: by_line(listing, &sites, all),
            bank_conflicts: conflicts(&sites),
            beyond_l2,
            from_dram: beyond_l2.filter(|b| *b > 0.0).map(|_| t.far.dram),
            touched_bytes: t.touched,
            caches: if t.warm { WARM } else { COLD },
            roofline: roofline(&sites, t),
            utilisation,
        }
    }
}

/// What is assumed of the caches, see `timing::footprint`.
const WARM: &str = "warm from an earlier launch of the same kind, as far as all it touches fits";
const COLD: &str = "cold but for the Infinity Cache, which has what was just written";

type Joined<'a> = (Option<&'a Entry>, u64, String, &'a Site);

/// What the model knows of each instruction, with its listing's entry.
fn joined<'a>(listing: &'a Listing, recording: &Recording, t: &'a Timing) -> Vec<Joined<'a>> {
    let entry = |offset: u64| {
        let k = listing.entries.binary_search_by_key(&offset, |e| e.offset).ok()?;
        listing.entries.get(k)
    };
    let with = |((offset, text), site): ((u64, String), &'a Site)| (entry(offset), offset, text, site);
    recording.instructions().zip(&t.sites).map(with).collect()
}

fn limiter(u: &Utilisation, waits: &[(&'static str, f64)]) -> String {
    // Matrix instructions are VALU time; they are named when they are most of it.
    let own = |n: &str| n != "valu" || u.wmma < 0.5 * u.valu;
    let busiest = u
        .units()
        .into_iter()
        .filter(|(n, _)| own(n))
        .max_by(|a, b| a.1.total_cmp(&b.1));
    match (busiest, waits.first()) {
        (Some((unit, share)), _) if share >= 0.7 => format!("{unit}: busy {:.0} % of the time", 100.0 * share),
        (_, Some((why, share))) if *share > 0.0 => {
            format!("latency: waves wait for {why} ({:.0} % of all waits)", 100.0 * share)
        }
        _ => "nothing: waves never wait".into(),
    }
}

fn stalls(sites: &[Joined], all: u64) -> Vec<Stalled> {
    let stalled = |(entry, offset, text, s): &Joined| {
        let waited: u64 = s.stalls.iter().sum();
        let (k, _) = s.stalls.iter().enumerate().max_by_key(|x| x.1)?;
        let line = entry.and_then(|e| e.line.as_ref());
        (waited > 0).then(|| Stalled {
            share: waited as f64 / all as f64,
            cycles: waited as f64 / s.issued.max(1) as f64,
            why: STALLS[k].name(),
            offset: *offset,
            instruction: text.clone(),
            issued: s.issued,
            file: line.map(|l| l.file.to_string()),
            line: line.map(|l| l.line),
        })
    };
    let mut out: Vec<Stalled> = sites.iter().filter_map(stalled).collect();
    out.sort_by(|a, b| b.share.total_cmp(&a.share));
    out.truncate(MOST);
    out
}

fn by_line(listing: &Listing, sites: &[Joined], all: u64) -> Vec<ByLine> {
    let mut out: Vec<ByLine> = Vec::new();
    for (entry, _, _, s) in sites {
        let Some(line) = entry.and_then(|e| e.line.as_ref()) else {
            continue;
        };
        let share = s.stalls.iter().sum::<u64>() as f64 / all as f64;
        match out.iter_mut().find(|b| b.line == line.line && *b.file == *line.file) {
            Some(b) => b.share += share,
            None => out.push(ByLine {
                share,
                file: line.file.to_string(),
                line: line.line,
                source: listing.source(line).map(str::to_owned),
            }),
        }
    }
    out.retain(|b| b.share > 0.0);
    out.sort_by(|a, b| b.share.total_cmp(&a.share));
    out.truncate(MOST);
    out
}

fn conflicts(sites: &[Joined]) -> BankConflicts {
    let of = |lds: bool| {
        sites
            .iter()
            .filter(move |s| s.0.and_then(|e| e.class).is_some_and(|c| c.is_lds()) == lds)
    };
    BankConflicts {
        lds_passes: of(true).map(|s| s.3.passes).sum(),
        lds: of(true).map(|s| s.3.conflicts).sum(),
        vgpr: of(false).map(|s| s.3.conflicts).sum(),
    }
}

/// TFLOP/s of all WGPs at the model's clock; operations a cycle and SIMD as in the RDNA3 manual's rates (see `timing::costs`).
fn roofline(sites: &[Joined], t: &Timing) -> Option<Roofline> {
    // Residents of the card over those of a WGP; four SIMDs each.
    let simds = 4.0 * (t.all_groups.1 / t.groups.1.max(1)) as f64;
    let bytes = 64.0 * t.sectors[2] as f64 / t.played.1.max(1) as f64 * t.all_groups.0 as f64;
    if t.flops <= 0.0 || bytes <= 0.0 {
        return None;
    }
    let uses = |f: &dyn Fn(&Entry) -> bool| sites.iter().any(|s| s.3.issued > 0 && s.0.is_some_and(f));
    let (rate, peak_of) = if uses(&|e| e.class == Some(Class::Wmma)) {
        (256.0, "matrix instructions")
    } else if uses(&|e| e.text.starts_with("v_dual_")) {
        (128.0, "f32 multiply-adds in pairs")
    } else if uses(&|e| e.text.starts_with("v_pk_") || e.text.starts_with("v_dot2")) {
        (128.0, "packed f16 multiply-adds")
    } else if uses(&|e| e.class == Some(Class::ValuF64)) {
        (4.0, "f64 multiply-adds")
    } else {
        (64.0, "f32 multiply-adds")
    };
    let clock = f64::from(t.clock_mhz) * 1e6;
    let c = Costs::default();
    let (mall, dram) = (f64::from(c.mall_bytes) * clock, f64::from(c.dram_bytes) * clock);
    // What does not come from DRAM comes at the Infinity Cache's rate, both at once.
    let bandwidth = if t.far.dram > 0.0 {
        mall.min(dram / t.far.dram)
    } else {
        mall
    };
    let flop_per_byte = t.flops / bytes;
    Some(Roofline {
        flop_per_byte,
        infinity_cache_tflops: flop_per_byte * mall / 1e12,
        dram_tflops: flop_per_byte * dram / 1e12,
        memory_tflops: flop_per_byte * bandwidth / 1e12,
        peak_tflops: rate * simds * clock / 1e12,
        peak_of,
    })
}
