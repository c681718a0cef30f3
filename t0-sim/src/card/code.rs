//! What the machine code tells without a launch: resources, the next step of occupancy, loops.

use serde::Serialize;
use t0_backend_rdna3::flow::{Flow, NaturalLoop};
use t0_backend_rdna3::isa::Class;
use t0_backend_rdna3::listing::{Entry, Listing};
use t0_backend_rdna3::occupancy::{occupancy, Limit, Usage};

use super::places::At;

/// What a kernel takes, and how many waves that leaves room for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Resources {
    /// Vector registers of a wave.
    pub vgpr: u32,
    /// Scalar registers of a wave.
    pub sgpr: u32,
    /// LDS bytes of a workgroup.
    pub lds: u32,
    /// Scratch bytes of a work-item.
    pub scratch: u32,
    /// Work-items of a workgroup.
    pub group_size: u32,
    /// Lanes of a wave.
    pub wave_size: u32,
    /// Waves on the fullest SIMD.
    pub waves_per_simd: u32,
    /// What keeps it from being more, see [`Limit::name`].
    pub limited_by: &'static str,
}

impl Resources {
    /// Of a listing.
    pub fn of(l: &Listing) -> Resources {
        Resources {
            vgpr: l.vgprs,
            sgpr: l.sgprs,
            lds: l.lds_bytes,
            scratch: l.scratch_bytes,
            group_size: l.group_size,
            wave_size: l.usage.wave_size,
            waves_per_simd: l.occupancy.waves_per_simd,
            limited_by: l.occupancy.limited_by.name(),
        }
    }
}

/// A loop of the machine code.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Loop {
    /// Offset of the instruction every round begins with.
    pub from: u64,
    /// Offset of the last instruction that leads back there.
    pub to: u64,
    /// Offsets of the first and the last instruction of each run of its instructions; code compilers put elsewhere is a run of its own.
    pub spans: Vec<(u64, u64)>,
    /// The line most of its instructions come from.
    pub file: Option<String>,
    /// See `file`.
    pub line: Option<u32>,
    /// Loops around it.
    pub depth: u32,
    /// Instructions, and those of each kind.
    pub instructions: u32,
    /// Matrix instructions.
    pub wmma: u32,
    /// Other vector instructions.
    pub valu: u32,
    /// Scalar instructions.
    pub salu: u32,
    /// Instructions of the LDS.
    pub lds: u32,
    /// Instructions of global memory.
    pub vmem: u32,
    /// Waits.
    pub waits: u32,
    /// Barriers.
    pub barriers: u32,
    /// Accesses of private memory: spilled registers and local arrays.
    pub scratch: u32,
    /// Rounds of all waves in the part of the launch that was played back; `None`: not launched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u64>,
    /// Accesses of private memory a wave executed in a round; `None`: not launched, or never gone round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scratch_per_round: Option<f64>,
    /// Cycles a wave takes for a round in the modelled launch, waits included; `None`: not launched, or never gone round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycles_per_round: Option<f64>,
}

/// The natural loops, outer ones first.
pub(super) fn loops(l: &Listing) -> Vec<Loop> {
    let flow = Flow::new(&l.entries);
    flow.loops.iter().map(|x| one(l, &flow, x)).collect()
}

fn one(l: &Listing, flow: &Flow, natural: &NaturalLoop) -> Loop {
    let offset = |k: usize| l.entries.get(k).map_or(0, |e| e.offset);
    let spans = flow.spans(natural);
    let last = natural.latches.last().map_or(0, |&b| flow.blocks[b].last);
    let mut out = Loop {
        from: offset(flow.blocks[natural.header].first),
        to: offset(last),
        spans: spans.iter().map(|s| (offset(s.0), offset(s.1))).collect(),
        depth: natural.depth,
        ..Loop::default()
    };
    let mut lines: Vec<((String, u32), u32)> = Vec::new();
    for e in spans.iter().flat_map(|s| &l.entries[s.0..=s.1]) {
        count(&mut out, e);
        let Some(line) = &e.line else { continue };
        let place = (line.file.to_string(), line.line);
        match lines.iter_mut().find(|x| x.0 == place) {
            Some(x) => x.1 += 1,
            None => lines.push((place, 1)),
        }
    }
    if let Some(((file, line), _)) = lines.into_iter().max_by_key(|x| x.1) {
        (out.file, out.line) = (Some(file), Some(line));
    }
    out
}

fn count(out: &mut Loop, e: &Entry) {
    out.instructions += 1;
    let Some(class) = e.class else { return };
    match class {
        Class::Wmma => out.wmma += 1,
        c if c.is_valu() => out.valu += 1,
        Class::Salu => out.salu += 1,
        c if c.is_lds() => out.lds += 1,
        c if c.is_vmem() => out.vmem += 1,
        Class::Wait => out.waits += 1,
        Class::Barrier => out.barriers += 1,
        _ => {}
    }
    out.scratch += u32::from(e.text.starts_with("scratch_"));
}

/// Fills in what a launch says of each loop: its rounds are what its first instruction was issued.
pub(super) fn rounds(loops: &mut [Loop], sites: &[At]) {
    for l in loops {
        let inside = |a: &&At| l.spans.iter().any(|span| (span.0..=span.1).contains(&a.offset));
        let rounds = sites.iter().find(|a| a.offset == l.from).map_or(0, |a| a.site.issued);
        l.rounds = Some(rounds);
        if rounds == 0 {
            continue;
        }
        let each = |n: u64| n as f64 / rounds as f64;
        let cycles = |a: &At| a.site.issued + a.site.stalls.iter().sum::<u64>();
        l.cycles_per_round = Some(each(sites.iter().filter(inside).map(cycles).sum()));
        let scratch = sites.iter().filter(inside).filter(|a| a.is_scratch());
        l.scratch_per_round = Some(each(scratch.map(|a| a.site.issued).sum()));
    }
}

/// What the next workgroup on a CU or WGP needs.
pub(super) fn next_step(l: &Listing) -> Option<String> {
    let now = l.occupancy;
    let at = |usage: Usage| occupancy(&l.target, &usage);
    match now.limited_by {
        Limit::Waves => None,
        Limit::DoesNotFit => {
            Some("a workgroup does not fit on the card: use smaller workgroups, fewer registers or less LDS".into())
        }
        Limit::Groups => {
            let mut sizes = (l.usage.group_size..=1024).step_by(32);
            let size = sizes.find(|&n| {
                at(Usage {
                    group_size: n,
                    ..l.usage
                })
                .waves_per_simd
                    > now.waves_per_simd
            })?;
            Some(step(
                now.waves_per_simd,
                at(Usage {
                    group_size: size,
                    ..l.usage
                })
                .waves_per_simd,
                &format!("workgroups of {size}"),
            ))
        }
        Limit::Vgprs | Limit::Lds => resources_for_one_more(l),
    }
}

/// Registers and LDS with which one more workgroup fits: either, or both where both stop at the same number.
fn resources_for_one_more(l: &Listing) -> Option<String> {
    let now = l.occupancy;
    let at = |vgprs, lds_bytes| {
        let usage = Usage {
            vgprs,
            lds_bytes,
            ..l.usage
        };
        occupancy(&l.target, &usage)
    };
    let more = |vgprs, lds_bytes| at(vgprs, lds_bytes).groups > now.groups;
    let Usage { vgprs, lds_bytes, .. } = l.usage;
    // Each with the other out of the way.
    let fewer_vgprs = (1..=vgprs.max(1)).rev().find(|&n| more(n, 0))?;
    let less_lds = match more(1, lds_bytes) {
        true => lds_bytes,
        // The LDS is handed out in kilobytes.
        false => (0..lds_bytes.div_ceil(1024))
            .rev()
            .map(|k| k * 1024)
            .find(|&n| more(1, n))?,
    };
    let to = at(fewer_vgprs, less_lds);
    let mut needs = Vec::new();
    if fewer_vgprs < vgprs {
        needs.push(format!(
            "≤ {fewer_vgprs} VGPRs: free {}",
            l.vgprs.saturating_sub(fewer_vgprs)
        ));
    }
    if less_lds < lds_bytes {
        needs.push(format!("≤ {less_lds} bytes of LDS: free {}", lds_bytes - less_lds));
    }
    let needs = needs.join(", and ");
    if to.waves_per_simd > now.waves_per_simd {
        return Some(step(now.waves_per_simd, to.waves_per_simd, &needs));
    }
    // Small workgroups: one more is less than a wave on each SIMD.
    let place = if l.usage.wgp_mode { "WGP" } else { "CU" };
    Some(format!(
        "{} → {} workgroups a {place} needs {needs}",
        now.groups, to.groups
    ))
}

fn step(from: u32, to: u32, needs: &str) -> String {
    format!("{from} → {to} waves needs {needs}")
}
