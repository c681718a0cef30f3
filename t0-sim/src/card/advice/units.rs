//! Ideas where a unit is the limit: what takes work from it.

use t0_backend_rdna3::isa::Class;

use super::{idea, Idea, Scene};
use crate::card::places::At;
use crate::card::shape::could_be_wider;

/// A change of unknown size is taken for this share of the unit's work.
const SOME: f64 = 0.1;

/// Ideas for the unit that is the limit; the last resort for each is always among them.
pub(super) fn ideas(s: &Scene, out: &mut Vec<Idea>) {
    let Some((unit, _)) = s.limit() else {
        let busy =
            s.m.utilisation
                .units()
                .iter()
                .find(|u| u.0 == "lds")
                .map_or(0.0, |u| u.1);
        conflicts(s, busy * s.m.bank_conflicts.lds_time * (1.0 - s.m.launch_share), out);
        return;
    };
    match unit {
        "wmma" | "valu" => vector(s, unit, out),
        "lds" => lds(s, out),
        "vmem" | "l2 path" | "infinity cache" | "dram" => memory(s, out),
        _ => {}
    }
    let at = s.m.limiting.as_ref().and_then(|l| l.by_instruction.first());
    let at = at.filter(|h| h.share >= 0.2 && !matches!(unit, "wmma" | "dispatch"));
    let at = at.map(|h| match (&h.at.file, h.at.line) {
        (Some(file), Some(line)) => format!(" (most at {file}:{line})"),
        _ => format!(" (most at {:#x})", h.at.offset),
    });
    let text = last_resort(s, unit);
    out.push(idea(
        s.less_work(SOME).max(super::LEAST),
        format!("{text}{}", at.unwrap_or_default()),
    ));
}

fn last_resort(s: &Scene, unit: &str) -> String {
    let written = share(s, |a| a.site.beyond, |a| a.instr.class != Class::VmemLoad);
    match unit {
        "wmma" => "the matrix units are busy: nothing but fewer or narrower matrix instructions is faster".into(),
        "valu" => "the VALU is busy: fewer vector instructions for the same result".into(),
        "trans" => "the transcendental unit is busy: fewer exponentials, logarithms, roots and divisions, or polynomials on the VALU in their place".into(),
        "salu" => "the scalar unit is busy: unroll loops, and take addresses and conditions that do not change out of them".into(),
        "smem" => "the scalar memory unit is busy: load neighbouring values by one wider load, once before the loop".into(),
        "lds" => "the LDS is busy: keep more values in registers, and use each that was loaded more often".into(),
        "vmem" => "the address unit is busy: lanes side by side should read side by side, in wider loads".into(),
        "l0" => "the way from the L0 to the registers is busy: use each value that was loaded more often, in registers, or load it once for the workgroup through the LDS".into(),
        "l2 path" => "the way from the L2 is busy: larger tiles, or share what is read through the LDS".into(),
        "atomics" => "atomics take turns in the L2: add up within a wave or workgroup first, or spread them over more addresses".into(),
        "dispatch" => "starting waves is what takes the time: fewer and longer waves, more work for each work-item".into(),
        "infinity cache" => format!(
            "the Infinity Cache is busy, {:.0} % with writes: smaller types, each byte once; tiles help where workgroups read the same",
            100.0 * written
        ),
        _ => format!(
            "DRAM is busy, {:.0} % with writes: smaller types, each byte once, or let workgroups that run together share what they read",
            100.0 * written
        ),
    }
}

/// Which share of a sum over all instructions some of them have.
fn share(s: &Scene, what: impl Fn(&At) -> u64, some: impl Fn(&At) -> bool) -> f64 {
    let all: u64 = s.sites.iter().map(&what).sum();
    let of: u64 = s.sites.iter().filter(|a| some(a)).map(&what).sum();
    of as f64 / all.max(1) as f64
}

/// The VALU and its matrix units.
fn vector(s: &Scene, unit: &str, out: &mut Vec<Idea>) {
    let busy = |a: &At| a.takes_of(unit);
    let all: u64 = s.sites.iter().map(busy).sum();
    let vector = |a: &&At| busy(a) > 0;
    let lost: u64 = s.sites.iter().filter(vector).map(|a| a.site.conflicts).sum();
    let lost = lost as f64 / all.max(1) as f64;
    if lost > 0.0 {
        let how = match unit {
            "wmma" => "let operands begin in different ones",
            _ => "let the registers that are read together lie in different ones",
        };
        out.push(idea(
            s.less_work(lost),
            format!(
                "{:.0} % of the time of the {} is lost to register banks (the number modulo 4): {how}",
                100.0 * lost,
                if unit == "wmma" { "matrix units" } else { "VALU" }
            ),
        ));
    }
    let slow = [
        (
            Class::ValuMul,
            0.75,
            "32-bit integer products hold the VALU four cycles: 24-bit ones, shifts and adds take one",
        ),
        (
            Class::Valu64,
            0.5,
            "64-bit integers hold the VALU two cycles: 32-bit indices take one",
        ),
        (
            Class::ValuF64,
            0.9,
            "f64 holds the VALU 16 cycles: f32, or two f32 for one value, where that is exact enough",
        ),
    ];
    for (class, gain, text) in slow {
        let part = share(s, busy, |a| a.instr.class == class);
        if part >= 0.2 {
            out.push(idea(
                s.less_work(part * gain),
                format!("{text} ({:.0} % of its time)", 100.0 * part),
            ));
        }
    }
    let single = share(s, busy, |a| can_pair(a) && a.instr.pair.is_none());
    if unit == "valu" && s.card.resources.wave_size == 32 && single >= 0.3 {
        out.push(idea(
            s.less_work(single / 2.0),
            format!(
                "{:.0} % of the VALU's time are single f32 operations that could issue in pairs (v_dual_*): two independent ones side by side, of different register banks",
                100.0 * single
            ),
        ));
    }
}

/// Whether there is a dual-issue form of an instruction. Source: RDNA3 ISA manual 7.6, the opcodes of VOPD.
fn can_pair(a: &At) -> bool {
    const BOTH: [&str; 7] = [
        "v_fmac_f32",
        "v_fmaak_f32",
        "v_fmamk_f32",
        "v_mul_f32",
        "v_add_f32",
        "v_sub_f32",
        "v_max_f32",
    ];
    let op = a.text.split([' ', '_']).take(3).collect::<Vec<_>>().join("_");
    BOTH.contains(&op.as_str())
}

fn lds(s: &Scene, out: &mut Vec<Idea>) {
    conflicts(s, s.less_work(s.m.bank_conflicts.lds_time), out);
    let narrow = share(
        s,
        |a| a.site.lds,
        |a| a.instr.class == Class::LdsLoad && a.instr.data_regs == 1,
    );
    if narrow >= 0.3 {
        out.push(idea(
            s.less_work(SOME / 2.0),
            "lanes load 4 bytes each from the LDS: loads of 16 (b128) take fewer instructions",
        ));
    }
}

/// Bank conflicts of the LDS, wherever they take time: where it is not the limit, waves wait for them, at barriers too.
fn conflicts(s: &Scene, saves: f64, out: &mut Vec<Idea>) {
    let lost = s.m.bank_conflicts.lds_time;
    if lost <= 0.05 {
        return;
    }
    let worst = s.sites.iter().max_by_key(|a| a.site.lds_lost);
    let at = worst.map(At::place).unwrap_or_default();
    out.push(idea(
        saves,
        format!(
            "{:.0} % of the time of the LDS are bank conflicts, most at {at}: pad the rows, or permute the columns, where the layout is yours",
            100.0 * lost
        ),
    ));
}

fn memory(s: &Scene, out: &mut Vec<Idea>) {
    let Some(c) = &s.m.coalescing else { return };
    if let Some(w) = c.worst.as_ref().filter(|_| c.used < 0.8) {
        out.push(idea(
            s.less_work(1.0 - c.used),
            format!(
                "only {:.0} % of the bytes that are moved are used: {} touches {:.0} lines of 128 bytes each time; let lanes side by side read and write side by side (another order of the data, or through the LDS)",
                100.0 * c.used,
                w.place,
                w.lines
            ),
        ));
    }
    let narrow = share(s, |a| if a.is_global() { a.site.issued } else { 0 }, could_be_wider);
    if narrow >= 0.5 && s.limit().is_some_and(|l| l.0 == "vmem") {
        out.push(idea(s.less_work(0.5), super::waits::WIDER));
    }
}
