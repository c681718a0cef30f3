//! Makes code fit the registers: an order of instructions, a register for each value, memory for the rest.
//!
//! Method: the order that hides latency, unless it keeps so many values alive that fewer waves are resident; then the order
//! of the source; when that is too much for the registers, too, values are spilled (see `passes::spill`), with a warning
//! that names the loop and the values. An allocation that fails for gaps between tuples is tried again with fewer values
//! alive.

use crate::compile::{Clock, Options};
use crate::isa::{Class as Unit, Flags};
use crate::mir::{Class, MFunc, MInst, MOperand};
use crate::occupancy;
use crate::passes::allocate::{allocate, Assignment, OutOfRegisters};
use crate::passes::liveness::liveness;
use crate::passes::schedule;
use crate::passes::spill::{spill, Spilled, Value};
use crate::target::Target;
use t0_ir::{Diag, Func, Span};

/// Limits that spilling is tried with before it is given up.
const TRIES: usize = 16;
/// Values that a warning names.
const NAMED: usize = 4;

/// Code and its registers.
pub(crate) struct Fit {
    /// Where each register lies.
    pub assignment: Assignment,
    /// What did not fit.
    pub spilled: Option<Spilled>,
}

/// Orders `m` and gives its values registers of `available`, or memory.
///
/// Errors: an instruction needs more than there are.
pub(crate) fn fit(
    func: &Func,
    m: &mut MFunc,
    available: &Target,
    options: &Options,
    clock: &mut Clock,
) -> Result<Fit, OutOfRegisters> {
    let failed = match place(func, m, available, options, clock) {
        Ok(assignment) => {
            return Ok(Fit {
                assignment,
                spilled: None,
            })
        }
        Err(e) => e,
    };
    let check = options.check || cfg!(debug_assertions);
    let mut limits = [available.max_sgprs, available.max_vgprs];
    for _ in 0..TRIES {
        let Some(mut spilled) = clock.time("spill", || spill(m, limits, check)) else {
            break;
        };
        let mut code = std::mem::take(&mut spilled.m);
        match place(func, &mut code, available, options, clock) {
            Ok(assignment) => {
                *m = code;
                let spilled = Some(spilled);
                return Ok(Fit { assignment, spilled });
            }
            Err(e) => {
                let limit = &mut limits[usize::from(e.class == Class::V)];
                *limit = limit.saturating_sub((*limit / 24).max(1));
            }
        }
    }
    Err(failed)
}

/// Registers for `m` in the order that hides most, or else in the one it has.
fn place(
    func: &Func,
    m: &mut MFunc,
    available: &Target,
    options: &Options,
    clock: &mut Clock,
) -> Result<Assignment, OutOfRegisters> {
    if !options.plain {
        if let Some((order, assignment)) = schedule_and_allocate(func, m, available, clock) {
            *m = order;
            return Ok(assignment);
        }
    }
    clock.time("allocate", || allocate(m, available))
}

/// Another order and its registers, unless it takes so many that fewer waves are resident, or more than there are.
fn schedule_and_allocate(func: &Func, m: &MFunc, available: &Target, clock: &mut Clock) -> Option<(MFunc, Assignment)> {
    let live = clock.time("schedule", || liveness(m));
    let most = vgprs_for_occupancy(func, schedule::peak(m, &live)[1], available);
    let mut order = m.clone();
    // A little is left for what cannot be placed without gaps.
    let limits = [available.max_sgprs.saturating_sub(10), most - most / 16];
    clock.time("schedule", || schedule::schedule(&mut order, &live, limits));
    let assignment = clock.time("allocate", || allocate(&order, available)).ok()?;
    (assignment.vgprs <= most).then_some((order, assignment))
}

/// The most VGPRs of a wave with which as many waves are resident as with `vgprs`.
fn vgprs_for_occupancy(func: &Func, vgprs: u32, available: &Target) -> u32 {
    let groups = |vgprs| {
        let usage = occupancy::Usage {
            vgprs,
            lds_bytes: func.lds_bytes(),
            group_size: func.group,
            wave_size: available.wave_size,
            wgp_mode: true,
        };
        occupancy::occupancy(available, &usage).groups
    };
    let now = groups(vgprs);
    let more = (vgprs..=available.max_vgprs).rev();
    more.into_iter()
        .find(|&v| groups(v) >= now)
        .unwrap_or(available.max_vgprs)
}

/// VGPRs a wave may have so that all waves of a workgroup fit on the four SIMDs of a WGP at once, as barriers need.
/// Source: RDNA3 ISA manual 2.3, 3.3.2.
pub(crate) fn vgprs_available(group: u32, target: &Target) -> u32 {
    let per_simd = group.div_ceil(target.wave_size).div_ceil(4);
    (1..=target.max_vgprs)
        .rev()
        .find(|&v| target.waves_per_simd(v) >= per_simd)
        .unwrap_or(1)
}

/// Dwords of the values of a class that are not in registers.
pub(crate) fn dwords(spilled: &Spilled, class: Class) -> u32 {
    of(spilled, class).map(|v| v.width).sum()
}

fn of(spilled: &Spilled, class: Class) -> impl Iterator<Item = &Value> {
    spilled.values.iter().filter(move |v| v.class == class)
}

/// What there is to say about spilled values: one warning for each kind of register.
pub(crate) fn warnings(m: &MFunc, spilled: &Spilled, available: &Target) -> Vec<Diag> {
    let mut out = Vec::new();
    for class in [Class::V, Class::S] {
        let n = of(spilled, class).count();
        if n > 0 {
            out.push(warning(m, spilled, class, available));
        }
    }
    out
}

fn warning(m: &MFunc, spilled: &Spilled, class: Class, available: &Target) -> Diag {
    let values: Vec<&Value> = of(spilled, class).collect();
    let bytes = 4 * dwords(spilled, class);
    let s = if values.len() == 1 { "" } else { "s" };
    let (limit, file, home) = match class {
        Class::V => (
            available.max_vgprs,
            "VGPRs",
            format!("scratch memory ({} bytes of a work-item)", spilled.scratch_bytes),
        ),
        Class::S => (
            available.max_sgprs,
            "SGPRs",
            format!("lanes of {} VGPRs", spilled.lanes.len()),
        ),
    };
    let text = format!(
        "the kernel does not fit in {limit} {file}: {} value{s} of {bytes} bytes live in {home}",
        values.len()
    );
    let worst = loop_with_most(m, spilled, class);
    let first = values.first().map(|v| v.span).unwrap_or_default();
    let mut diag = Diag::warning(worst.map_or(first, |w| w.span), text);
    if let Some(w) = worst {
        diag = diag.note(format!(
            "each round of this loop loads them with {} and stores them with {} instructions",
            w.loads, w.stores
        ));
    }
    let mut lines: Vec<Span> = values.iter().map(|v| v.span).filter(|s| s.line > 0).collect();
    lines.sort_by_key(|s| (s.file, s.line));
    lines.dedup_by_key(|s| (s.file, s.line));
    for span in lines.iter().take(NAMED) {
        let here: Vec<&&Value> = values
            .iter()
            .filter(|v| (v.span.file, v.span.line) == (span.file, span.line))
            .collect();
        let bytes: u32 = here.iter().map(|v| 4 * v.width).sum();
        let s = if here.len() == 1 { "" } else { "s" };
        diag = diag.note_at(
            *span,
            format!("{} of these value{s}, {bytes} bytes, made here", here.len()),
        );
    }
    diag.help("make the tile smaller or unroll less, so that fewer values are needed at once")
}

/// Accesses of spilled values in a loop.
#[derive(Clone, Copy)]
struct Traffic {
    /// The loop's line.
    span: Span,
    depth: u32,
    loads: usize,
    stores: usize,
}

/// The loop, innermost first, that goes to the homes of values most often.
fn loop_with_most(m: &MFunc, spilled: &Spilled, class: Class) -> Option<Traffic> {
    let mut worst: Option<Traffic> = None;
    for back in 0..m.blocks.len() {
        let Some(head) = m.successors(back).into_iter().filter(|&s| s <= back).min() else {
            continue;
        };
        let depth = m.blocks[back].depth;
        let inside = m.blocks[head..=back].iter().filter(|b| b.depth == depth);
        let ways: Vec<bool> = inside
            .flat_map(|b| &b.insts)
            .filter_map(|i| is_store(i, spilled, class))
            .collect();
        let stores = ways.iter().filter(|w| **w).count();
        let all = Traffic {
            span: m.blocks[back].insts.last().map(|i| i.span).unwrap_or_default(),
            depth,
            loads: ways.len() - stores,
            stores,
        };
        let more = |w: &Traffic| (depth, ways.len()) > (w.depth, w.loads + w.stores);
        if !ways.is_empty() && worst.as_ref().is_none_or(more) {
            worst = Some(all);
        }
    }
    worst
}

/// For an access of a home: whether it stores.
fn is_store(i: &MInst, spilled: &Spilled, class: Class) -> Option<bool> {
    let row = i.opcode()?.row();
    match class {
        Class::V => row.flags.has(Flags::SCRATCH).then_some(row.class == Unit::VmemStore),
        Class::S => {
            let keeper = |k: usize| match i.operands.get(k) {
                Some(MOperand::Virt(s)) => spilled.lanes.contains(&s.reg),
                _ => false,
            };
            match (keeper(0), keeper(1)) {
                (true, _) => Some(true),
                (_, true) => Some(false),
                _ => None,
            }
        }
    }
}
