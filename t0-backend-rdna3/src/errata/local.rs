//! Rules about one instruction by itself.

use super::facts::{first, of_regs, VSet};
use super::{Facts, Hit, Rule};
use crate::isa::{Class, Inst, Kind, Opcode, Operand, Reg, RegFile, Vop1, Vop2, Vop3, Vop3sd, Vopc};
use crate::target::Target;

/// What is wrong with an instruction by itself.
pub(crate) fn hits(inst: &Inst, f: &Facts, target: &Target) -> Vec<Hit> {
    let checks = [
        wmma_overlap,
        mad_overlap,
        pk_fmac_constant,
        pk_fmac_dpp,
        f16_integer_constant,
        same_sgpr,
    ];
    checks
        .iter()
        .filter_map(|check| check(inst, f))
        .filter(|hit| (hit.rule.entry().applies)(target))
        .collect()
}

fn regs(inst: &Inst, at: std::ops::Range<usize>) -> VSet {
    let list: Vec<Reg> = inst
        .operands
        .get(at)
        .unwrap_or(&[])
        .iter()
        .filter_map(|o| o.reg())
        .collect();
    of_regs(&list).0
}

fn wmma_overlap(inst: &Inst, f: &Facts) -> Option<Hit> {
    if inst.row().class != Class::Wmma {
        return None;
    }
    let d = regs(inst, 0..1);
    let c = regs(inst, 3..4);
    let inputs = f.wmma.and_then(|ab| first(&d, &ab));
    let reg = inputs.or_else(|| if c == d { None } else { first(&d, &c) })?;
    Some(Hit::vgpr(Rule::WmmaOverlap, reg, None))
}

fn mad_overlap(inst: &Inst, _: &Facts) -> Option<Hit> {
    if !matches!(inst.op, Opcode::Vop3sd(Vop3sd::v_mad_u64_u32 | Vop3sd::v_mad_i64_i32)) {
        return None;
    }
    let n = inst.operands.len();
    let factors = regs(inst, 2..n - 1);
    let (d, addend) = (
        inst.operands.first()?.reg()?,
        inst.operands.last().and_then(|o| o.reg()),
    );
    let reg = match addend {
        // LLVM's 32-bit multiply-add: only the low halves are wanted, the high half of the addend is anything.
        Some(a) if a.file == RegFile::V && d.index == a.index + 1 => first(&regs(inst, 0..1), &factors)?,
        _ => first(&regs(inst, 0..1), &regs(inst, 2..n))?,
    };
    Some(Hit::vgpr(Rule::MadOverlap, reg, None))
}

fn pk_fmac_constant(inst: &Inst, _: &Facts) -> Option<Hit> {
    let is = matches!(inst.op, Opcode::Vop2(Vop2::v_pk_fmac_f16))
        && inst
            .operands
            .iter()
            .any(|o| matches!(o, Operand::Const(_)) && !is_zero(o));
    is.then(|| Hit::plain(Rule::PkFmacConstant))
}

fn pk_fmac_dpp(inst: &Inst, _: &Facts) -> Option<Hit> {
    let is = matches!(inst.op, Opcode::Vop2(Vop2::v_pk_fmac_f16)) && inst.enc.is_dpp();
    is.then(|| Hit::plain(Rule::PkFmacDpp))
}

fn is_zero(o: &Operand) -> bool {
    o.const_int() == Some(0)
}

fn f16_integer_constant(inst: &Inst, _: &Facts) -> Option<Hit> {
    let second = match inst.op {
        Opcode::Vopc(Vopc::v_cmp_class_f16 | Vopc::v_cmpx_class_f16) | Opcode::Vop2(Vop2::v_ldexp_f16) => {
            inst.operands.last()?
        }
        _ => return None,
    };
    let float = matches!(second, Operand::Const(_)) && second.const_int().is_none();
    float.then(|| Hit::plain(Rule::F16IntegerConstant))
}

/// Lane masks are read and written pass by pass; other scalars whole.
fn same_sgpr(inst: &Inst, f: &Facts) -> Option<Hit> {
    if !f.valu
        || f.swrite == [0; 2]
        || matches!(
            inst.op,
            Opcode::Vop3(Vop3::v_readlane_b32) | Opcode::Vop1(Vop1::v_readfirstlane_b32)
        )
    {
        return None;
    }
    let values: Vec<Reg> = inst
        .specs()
        .zip(&inst.operands)
        .filter(|(spec, _)| spec.is_src() && !matches!(spec.kind, Kind::Mask | Kind::Vcc))
        .filter_map(|(_, o)| o.reg())
        .filter(|r| r.file == RegFile::S)
        .collect();
    let reg = first(&of_regs(&values).1, &f.swrite)?;
    Some(Hit::sgpr(Rule::Wave64SameSgpr, reg, None))
}

/// The VGPRs a dual-issue pair reads through one source port in both halves with one parity, if any.
pub(crate) fn same_parity(inst: &Inst) -> Option<VSet> {
    let [x, y] = crate::isa::vopd::sources(inst)?;
    let mut set = [0; 4];
    for (a, b) in x.into_iter().zip(y) {
        if let (Some(a), Some(b)) = (a, b) {
            if a % 2 == b % 2 {
                for r in [a, b] {
                    set[(r / 64) as usize] |= 1 << (r % 64);
                }
            }
        }
    }
    (set != [0; 4]).then_some(set)
}
