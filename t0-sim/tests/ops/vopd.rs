//! Dual-issue pairs: every first half with every second half, at edge values.
//!
//! Method: each half is the ordinary operation of its name, whose model is in `valu` and `vfloat`; both halves read the
//! registers as they were before the pair (RDNA3 ISA manual 7.6). Registers are few, so that one half often reads what
//! the other writes; what the encoder refuses is drawn again.
#![allow(clippy::unwrap_used)]

use crate::common::{Machine, Rng};
use crate::soft::{product, sum, Mode, Num, Round, F16, F32};
use crate::vector::{constant, flt, value, In, Model, Models, V};
use t0_backend_rdna3::isa::{self, Family, Inst, Kind, Mods, Opcode, Operand, RegFile, Role, Ty, Vopdx, Vopdy};
use t0_backend_rdna3::target::GFX1100;

/// Models of all halves by the name behind `v_dual_`.
fn models() -> Models {
    let mut t = crate::valu::models();
    t.extend(crate::vfloat::models());
    // Fast numerics: two fused steps, low elements first; products of f16 are exact.
    let dot: Model = Box::new(|x: &In| {
        flt(
            F32,
            [0, 16].into_iter().fold(x.d as u64, |acc, k| {
                let half = |i: usize| F16.num(x.s[i] as u64 >> k & 0xffff);
                match sum(product(half(0), half(1)), F32.num(acc), Round::Near) {
                    Num::Nan => F32.nan(),
                    Num::Inf(n) => F32.inf(n),
                    Num::Fin(v) => F32.round(v, Round::Near),
                }
            }),
        )
    });
    t.insert("v_dot2acc_f32_f16".into(), dot);
    t
}

fn single(name: &str) -> String {
    name.replace("v_dual_", "v_")
}

const REGS: u32 = 8;

/// Operands in a random form the encoder takes.
fn build(x: Vopdx, y: Vopdy, rng: &mut Rng) -> (Inst, Vec<u8>) {
    for _ in 0..10_000 {
        let mut inst = Inst::dual(x, y, Vec::new());
        let literal = rng.u32();
        let specs: Vec<_> = inst.specs().collect();
        for spec in specs {
            let v = Operand::vn(rng.u32() % REGS, 1);
            let o = match (spec.kind, spec.role) {
                (Kind::Literal, _) => Operand::Literal(literal),
                (Kind::VSrc, _) => match rng.u32() % 8 {
                    0 => Operand::sn(8 + rng.u32() % 4, 1),
                    1 if spec.ty != Ty::PkF16 => {
                        let k = rng.u32() % 90;
                        Operand::Const(if k < 81 { 128 + k } else { 240 + k - 81 })
                    }
                    2 => Operand::Literal(literal),
                    _ => v,
                },
                _ => v,
            };
            inst.operands.push(o);
        }
        if let Ok(code) = isa::encode(&inst, &GFX1100) {
            return (inst, code);
        }
    }
    panic!("{} :: {}: no form is accepted", x.row().name, y.row().name);
}

/// The destination of a half and its value in one lane.
fn half(
    name: &str,
    model: &Model,
    specs: &[isa::OperandSpec],
    ops: &[Operand],
    m: &Machine,
    lane: usize,
) -> (u32, u32) {
    let w = &m.wave;
    let read = |o: Operand, ty: Ty| match o {
        Operand::Reg(r) if r.file == RegFile::V => w.lane(r.index as usize, lane).into(),
        Operand::Reg(r) => w.sgpr[r.index as usize].into(),
        o => constant(o, ty).unwrap_or_else(|| panic!("{name}: {o:?}")),
    };
    let mut s = [0u128; 3];
    let mut dst = 0;
    let mut n = 0;
    for (spec, &o) in specs.iter().zip(ops) {
        if matches!(spec.role, Role::Dst | Role::DstSrc) {
            let Operand::Reg(r) = o else { panic!("{name}: {o:?}") };
            dst = r.index;
            continue;
        }
        s[n] = read(o, spec.ty);
        n += 1;
    }
    let out = model(&In {
        s,
        d: w.lane(dst as usize, lane).into(),
        bit: w.sgpr[106] >> lane & 1 == 1,
        lane: lane as u32,
        m: Mode(w.mode),
        mods: Mods::default(),
    });
    let v = match out.v {
        V::I(v) => v as u32,
        V::F(_, v) => v as u32,
        V::B(v) => v as u32,
    };
    (dst, v)
}

fn fill(m: &mut Machine, dot: bool, rng: &mut Rng) {
    for r in 0..REGS as usize + 4 {
        let ty = match rng.u32() % 6 {
            0 => Ty::B32,
            1 | 2 if dot => Ty::PkF16,
            _ => Ty::F32,
        };
        for lane in 0..32 {
            m.wave.set_lane(r, lane, value(ty, rng) as u32);
        }
    }
    for r in 8..12 {
        m.wave.sgpr[r] = value(if dot { Ty::PkF16 } else { Ty::F32 }, rng) as u32;
    }
    m.wave.sgpr[106] = rng.u32();
    m.wave.sgpr[126] = match rng.u32() % 3 {
        0 => u32::MAX,
        1 => 0xf0f0_5aa5,
        _ => rng.u32(),
    };
    // Matrix-like sums are defined for the usual MODE only.
    m.wave.set_mode(if dot || rng.u32() % 2 == 0 {
        0x3f0
    } else {
        rng.u32() & 0x3ff
    });
}

/// `Err`: a difference. `Ok`: whether one half read a register that the other one writes.
fn trial(x: Vopdx, y: Vopdy, models: &Models, m: &mut Machine, rng: &mut Rng) -> Result<bool, String> {
    let (inst, mut code) = build(x, y, rng);
    code.extend(0xbfb0_0000u32.to_le_bytes());
    let dot = x.row().name.contains("dot2") || y.row().name.contains("dot2");
    fill(m, dot, rng);
    let specs: Vec<_> = inst.specs().collect();
    let n = x.row().operands.len();
    let mut want = m.wave.clone();
    let mut crossed = false;
    for lane in 0..32 {
        if want.sgpr[126] >> lane & 1 == 0 {
            continue;
        }
        let results = [(x.row().name, 0..n), (y.row().name, n..specs.len())].map(|(name, at)| {
            let model = &models[&single(name)];
            half(name, model, &specs[at.clone()], &inst.operands[at], m, lane)
        });
        for (d, v) in results {
            want.set_lane(d as usize, lane, v);
        }
        let reads = |ops: &[Operand], d: u32| ops[1..].contains(&Operand::vn(d, 1));
        crossed |= reads(&inst.operands[n..], results[0].0) || reads(&inst.operands[..n], results[1].0);
    }
    let (mode, before) = (m.wave.mode, m.wave.clone());
    m.run_code(&code).map_err(|e| format!("{inst}: {e}"))?;
    for r in 0..REGS as usize + 4 {
        for lane in 0..32 {
            let (got, want) = (m.wave.lane(r, lane), want.lane(r, lane));
            let same = got == want || dot && f32::from_bits(got).is_nan() && f32::from_bits(want).is_nan();
            if !same {
                let v: Vec<String> = (0..REGS as usize)
                    .map(|r| format!("{:x}", before.lane(r, lane)))
                    .collect();
                return Err(format!(
                    "{inst}: lane {lane} v{r} is {got:#010x}, model {want:#010x}; registers {v:?} mode {mode:#x}"
                ));
            }
        }
    }
    if m.wave.sgpr[..128] != want.sgpr[..128] {
        return Err(format!("{inst}: wrote a scalar register"));
    }
    Ok(crossed)
}

#[test]
fn every_pair() {
    let models = models();
    let mut rng = Rng(0xd0a1_0000_d0a1);
    let mut m = Machine::new();
    let (mut failures, mut pairs, mut crossed) = (Vec::new(), 0, 0);
    let first = || Opcode::all().filter_map(|op| if let Opcode::Vopdx(x) = op { Some(x) } else { None });
    let second = || Opcode::all().filter_map(|op| if let Opcode::Vopdy(y) = op { Some(y) } else { None });
    assert!(first().all(|x| x.row().family == Family::Vopdx));
    for x in first() {
        for y in second() {
            pairs += 1;
            for _ in 0..10 {
                match trial(x, y, &models, &mut m, &mut rng) {
                    Ok(c) => crossed += u32::from(c),
                    Err(e) => {
                        failures.push(e);
                        break;
                    }
                }
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} differences:\n{}",
        failures.len(),
        failures[..failures.len().min(20)].join("\n")
    );
    assert_eq!(pairs, 13 * 16);
    assert!(
        crossed > 300,
        "one half reads the other's result in {crossed} trials only"
    );
}
