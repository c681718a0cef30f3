//! What the machine code tells without a launch: resources, the next step of occupancy, loops.

use serde::Serialize;
use t0_backend_rdna3::isa::Class;
use t0_backend_rdna3::listing::{Entry, Listing};
use t0_backend_rdna3::occupancy::{occupancy, Limit, Usage};

use crate::timing::{Recording, Timing};

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
    /// Offsets of its first instruction and of the branch that closes it.
    pub from: u64,
    /// See `from`.
    pub to: u64,
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
    /// Cycles a wave takes for a round in the modelled launch, waits included; `None`: not launched, or never gone round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycles_per_round: Option<f64>,
}

/// Loops by the branches that go back, outer ones first.
pub(super) fn loops(l: &Listing) -> Vec<Loop> {
    let mut spans: Vec<(u64, u64)> = Vec::new();
    for e in &l.entries {
        let Some(to) = e.branch_target.filter(|&t| t <= e.offset) else {
            continue;
        };
        // Branches back to one place are one loop.
        match spans.iter_mut().find(|s| s.0 == to) {
            Some(s) => s.1 = s.1.max(e.offset),
            None => spans.push((to, e.offset)),
        }
    }
    spans.sort_by_key(|s| (s.0, std::cmp::Reverse(s.1)));
    let depth = |s: &(u64, u64)| spans.iter().filter(|o| *o != s && o.0 <= s.0 && s.1 <= o.1).count() as u32;
    spans.iter().map(|s| one(l, *s, depth(s))).collect()
}

fn one(l: &Listing, (from, to): (u64, u64), depth: u32) -> Loop {
    let mut out = Loop {
        from,
        to,
        depth,
        ..Loop::default()
    };
    let mut lines: Vec<((String, u32), u32)> = Vec::new();
    for e in l.entries.iter().filter(|e| (from..=to).contains(&e.offset)) {
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

/// Fills in how long a wave takes for a round of each loop.
pub(super) fn rounds(loops: &mut [Loop], recording: &Recording, t: &Timing) {
    let at: Vec<u64> = recording.instructions().map(|i| i.0).collect();
    for l in loops {
        let (mut cycles, mut rounds) = (0, 0);
        for (offset, s) in at.iter().zip(&t.sites).filter(|x| (l.from..=l.to).contains(x.0)) {
            cycles += s.issued + s.stalls.iter().sum::<u64>();
            if *offset == l.to {
                rounds = s.issued;
            }
        }
        l.cycles_per_round = (rounds > 0).then(|| cycles as f64 / rounds as f64);
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
        Limit::Vgprs => {
            let more = |n: &u32| at(Usage { vgprs: *n, ..l.usage }).groups > now.groups;
            let vgprs = (1..l.usage.vgprs).rev().find(more)?;
            let to = at(Usage { vgprs, ..l.usage }).waves_per_simd;
            let free = l.vgprs.saturating_sub(vgprs);
            Some(step(now.waves_per_simd, to, &format!("≤ {vgprs} VGPRs: free {free}")))
        }
        Limit::Lds => {
            let more = |n: &u32| {
                at(Usage {
                    lds_bytes: *n,
                    ..l.usage
                })
                .groups
                    > now.groups
            };
            // The LDS is handed out in kilobytes.
            let lds = (0..l.usage.lds_bytes.div_ceil(1024))
                .rev()
                .map(|k| k * 1024)
                .find(more)?;
            let to = at(Usage {
                lds_bytes: lds,
                ..l.usage
            })
            .waves_per_simd;
            Some(step(
                now.waves_per_simd,
                to,
                &format!("≤ {lds} bytes of LDS: free {}", l.usage.lds_bytes - lds),
            ))
        }
    }
}

fn step(from: u32, to: u32, needs: &str) -> String {
    format!("{from} → {to} waves needs {needs}")
}
