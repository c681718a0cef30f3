//! Scalar loads and private memory: addresses of every row in every form.
#![allow(clippy::unwrap_used)]

use crate::common::{assemble_for, Machine, Rng};
use crate::memory::{apply, Op, Regs, LDS_MODE};
use t0_backend_rdna3::isa::{Class, Opcode};
use t0_backend_rdna3::target::GFX1100;
use t0_sim::Scratch;

const BASE: u64 = 0x40_0000;

/// Dwords of a scalar load by its name.
fn dwords(name: &str) -> Option<usize> {
    let bits: usize = name.rsplit_once("_b")?.1.parse().ok()?;
    Some(bits / 32)
}

/// One load in a random addressing form.
fn scalar_trial(name: &str, n: usize, rng: &mut Rng) -> Result<(), String> {
    let buffer = name.contains("buffer");
    let words: Vec<u32> = (0..1024).map(|_| rng.u32()).collect();
    let mut m = Machine::new();
    m.buffer(BASE, "data", &words);
    let middle = 0x800;
    // One part at most is not a multiple of four: the low bits of the address do not count.
    let odd = rng.u32() % 4;
    let tilt = |k: u32, v: i64, rng: &mut Rng| if odd == k { v + i64::from(rng.u32() % 4) } else { v };
    let register = i64::from(rng.u32() % 128) * 4;
    let register = tilt(1, register, rng);
    let imm = i64::from(rng.u32() % 256) * 4 - if buffer { 0 } else { 512 };
    let imm = tilt(2, imm, rng);
    let (stride, number): (u32, u32) = [(0, 0x200), (4, 0x80), (16, 0x40), (0, 0x1000)][rng.u32() as usize % 4];
    let (base, limit) = if buffer {
        let size = u64::from(number) * if stride == 0 { 1 } else { u64::from(stride) };
        m.set_s64(4, BASE | u64::from(stride) << 48)
            .set_s(6, number)
            .set_s(7, 0x3100_4000);
        (0, size as i64)
    } else {
        m.set_s64(4, BASE + middle);
        (middle as i64, i64::MAX)
    };
    m.set_s(9, register as u32).set_s(125, register as u32);
    let source = if buffer { "s[4:7]" } else { "s[4:5]" };
    let dst = if n == 1 {
        "s32".into()
    } else {
        format!("s[32:{}]", 31 + n)
    };
    let hex = if imm < 0 {
        format!("-{:#x}", -imm)
    } else {
        format!("{imm:#x}")
    };
    let (tail, at) = match rng.u32() % 4 {
        0 => (hex.clone(), imm),
        1 => ("s9".into(), register),
        2 => ("m0".into(), register),
        _ => (format!("s9 offset:{hex}"), register + imm),
    };
    for r in 32..32 + n + 1 {
        m.set_s(r, 0xdead_0000);
    }
    let text = format!("{name} {dst}, {source}, {tail}\ns_waitcnt lgkmcnt(0)");
    m.run(&text).map_err(|e| format!("{text}: {e}"))?;
    let at = (base + at) & !3;
    for k in 0..n {
        let a = at + 4 * k as i64;
        let want = if a >= limit { 0 } else { words[a as usize / 4] };
        if m.s(32 + k) != want {
            return Err(format!(
                "{text}: dword {k} at {a:#x} is {:#x}, model {want:#x}; stride {stride} records {number:#x}",
                m.s(32 + k)
            ));
        }
    }
    if m.s(32 + n) != 0xdead_0000 {
        return Err(format!("{text}: writes one register too many"));
    }
    Ok(())
}

#[test]
fn every_scalar_load() {
    let mut rng = Rng(0x9_1122_3344_5566);
    let mut rows = 0;
    let mut failures = Vec::new();
    for op in Opcode::all().filter(|op| op.row().class == Class::Smem) {
        let name = op.name();
        // Probes translate an address and return nothing.
        if name.starts_with("s_atc_probe") {
            continue;
        }
        let n = dwords(name).unwrap_or_else(|| panic!("no model for {name}"));
        rows += 1;
        failures.extend((0..24).find_map(|_| scalar_trial(name, n, &mut rng).err()));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert_eq!(rows, 10);
}

const PRIVATE: usize = 256;

/// One access to private memory: dword `d` of lane `l` lies at `base + 4 * (d * lanes + l)`.
fn private_trial(name: &str, op: &Op, lanes: u32, rng: &mut Rng) -> Result<(), String> {
    let n = lanes as usize;
    let words: Vec<u32> = (0..PRIVATE / 4 * n).map(|_| rng.u32()).collect();
    let mut m = if lanes == 64 { Machine::wave64() } else { Machine::new() };
    m.buffer(BASE, "private", &words);
    m.wave.scratch = Scratch {
        base: BASE,
        bytes: PRIVATE as u32,
    };
    for r in 4..20 {
        (0..n).for_each(|l| m.wave.set_lane(r, l, rng.u32()));
    }
    for r in [126, 127] {
        m.wave.sgpr[r] = if rng.u32() % 2 == 0 { u32::MAX } else { rng.u32() };
    }
    let (vector, scalar) = (rng.u32() % 2 == 0, rng.u32() % 2 == 0);
    (0..n).for_each(|l| m.wave.set_lane(0, l, 4 * (rng.u32() % 16)));
    let s = 4 * (rng.u32() % 16);
    m.set_s(4, s);
    let imm = if vector || scalar {
        rng.u32() as i32 % 17 * 4
    } else {
        4 * (rng.u32() % 40) as i32
    };
    // A negative offset may not lead below the start of the segment.
    let imm = if vector { imm.abs() } else { imm.max(-(s as i32)) };
    let bytes = match op {
        Op::Load { bytes, .. } | Op::Store { bytes, .. } => *bytes,
        _ => return Err(format!("{name}: no model")),
    };
    // Parts of dwords at any place, the rest at whole dwords.
    let imm = if bytes < 4 {
        imm + (rng.u32() as usize % (5 - bytes)) as i32
    } else {
        imm
    };
    let regs = |first: u32| match bytes {
        0..=4 => format!("v{first}"),
        b => format!("v[{first}:{}]", first + b as u32 / 4 - 1),
    };
    let v = if vector { "v0" } else { "off" };
    let sa = if scalar { "s4" } else { "off" };
    let load = matches!(op, Op::Load { .. });
    let text = if load {
        format!("{name} {}, {v}, {sa} offset:{imm}\ns_waitcnt vmcnt(0)", regs(4))
    } else {
        format!("{name} {v}, {}, {sa} offset:{imm}\ns_waitcnt_vscnt null, 0", regs(8))
    };
    let before = m.wave.clone();
    let code = assemble_for(&format!("{text}\ns_endpgm"), &GFX1100.with_wave_size(lanes));
    m.run_code(&code).map_err(|e| format!("{text} ({lanes} lanes): {e}"))?;
    let mut want = words;
    let exec = before.whole_exec();
    for l in (0..n).filter(|l| exec >> l & 1 == 1) {
        let at = if vector { before.lane(0, l) } else { 0 } as i32 + if scalar { s as i32 } else { 0 } + imm;
        let mut own: Vec<u8> = (0..PRIVATE / 4).flat_map(|d| want[d * n + l].to_le_bytes()).collect();
        let run = |r: usize| (0..4).fold(0u128, |v, k| v | u128::from(before.lane(r + k, l)) << (32 * k));
        let mut r = Regs {
            d: run(4),
            x: run(8),
            y: 0,
            m: LDS_MODE,
        };
        if let Op::Load { half: Some(_), .. } = op {
            r.d &= 0xffff_ffff;
        }
        apply(op, &mut own, at as usize, 0, &mut r);
        for d in 0..PRIVATE / 4 {
            want[d * n + l] = u32::from_le_bytes(own[4 * d..4 * d + 4].try_into().unwrap());
        }
        for k in 0..if load { bytes.div_ceil(4) } else { 0 } {
            let (got, want) = (m.wave.lane(4 + k, l), (r.d >> (32 * k)) as u32);
            if got != want {
                return Err(format!(
                    "{text} ({lanes} lanes): lane {l} v{} is {got:#x}, model {want:#x}",
                    4 + k
                ));
            }
        }
    }
    let after = m.memory(BASE, want.len());
    match (0..want.len()).find(|&k| after[k] != want[k]) {
        Some(k) => Err(format!(
            "{text} ({lanes} lanes): dword {k} is {:#x}, model {:#x}",
            after[k], want[k]
        )),
        None => Ok(()),
    }
}

#[test]
fn every_private_access() {
    let mut rng = Rng(0xa_1122_3344_5566);
    let mut rows = 0;
    let mut failures = Vec::new();
    for op in Opcode::all().filter(|op| op.name().starts_with("scratch_")) {
        rows += 1;
        let name = op.name();
        match Op::parse(name) {
            None => failures.push(format!("{name}: no model")),
            Some(kind) => {
                for lanes in [32, 64] {
                    failures.extend((0..6).find_map(|_| private_trial(name, &kind, lanes, &mut rng).err()));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert_eq!(rows, 22);
}
