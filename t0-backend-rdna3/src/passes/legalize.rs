//! Makes every instruction encodable.
//!
//! Problem: selection puts constants and scalar registers wherever the IR has them; the encodings limit how many and
//! where. Method, one instruction at a time: a scalar second source of a VOP2 instruction swaps with a vector first source
//! if the operation commutes (or has a reversed twin), otherwise the instruction takes its VOP3 form; a source beyond the
//! limits is moved to a register of its own first. Limits, RDNA3 ISA manual 7.2: a VALU instruction reads at most two
//! different scalar values, a literal and a VCC read by the instruction counting, 64-bit shifts one; any instruction has
//! at most one literal.

use crate::isa::inst::specs_of;
use crate::isa::{Class as Unit, Enc, Family, Flags, Kind, Mods, Opcode, Operand, Reg, RegFile, Sop1, Vop1, Vop2};
use crate::mir::{Class, MFunc, MInst, MOp, MOperand, Sub};
use std::collections::HashSet;

/// Runs the pass.
pub fn legalize(m: &mut MFunc) {
    for b in 0..m.blocks.len() {
        let insts = std::mem::take(&mut m.blocks[b].insts);
        let mut out = Vec::with_capacity(insts.len());
        for inst in insts {
            legalize_inst(m, inst, &mut out);
        }
        m.blocks[b].insts = out;
    }
}

fn legalize_inst(m: &mut MFunc, mut inst: MInst, out: &mut Vec<MInst>) {
    let Some(op) = inst.opcode() else {
        out.push(inst);
        return;
    };
    let row = op.row();
    if row.class.is_valu() {
        choose_form(m, &mut inst, op);
        limit_scalars(m, &mut inst, out);
    } else if row.class == Unit::Salu {
        limit_literals(m, &mut inst, out);
    }
    out.push(inst);
}

fn is_vgpr(m: &MFunc, o: MOperand) -> bool {
    match o {
        MOperand::Virt(s) => m.info(s.reg).class == Class::V,
        MOperand::Isa(Operand::Reg(r)) => r.file == RegFile::V,
        _ => false,
    }
}

/// Twin with the first two sources swapped.
fn reversed(op: Opcode) -> Option<Opcode> {
    Some(match op {
        Opcode::Vop2(Vop2::v_sub_f32) => Vop2::v_subrev_f32.into(),
        Opcode::Vop2(Vop2::v_sub_nc_u32) => Vop2::v_subrev_nc_u32.into(),
        _ => return None,
    })
}

/// Settles the encoding form of a VOP1, VOP2 or VOPC instruction.
fn choose_form(m: &MFunc, inst: &mut MInst, op: Opcode) {
    let row = op.row();
    if !matches!(row.family, Family::Vop1 | Family::Vop2) || inst.enc != Enc::Natural {
        return;
    }
    if inst.mods != Mods::for_op(op) {
        inst.enc = Enc::E64;
        return;
    }
    if row.family != Family::Vop2 || is_vgpr(m, inst.operands[2]) {
        return;
    }
    if is_vgpr(m, inst.operands[1]) {
        if row.flags.has(Flags::COMMUTES) {
            inst.operands.swap(1, 2);
            return;
        }
        if let Some(twin) = reversed(op) {
            inst.op = MOp::Isa(twin);
            inst.operands.swap(1, 2);
            return;
        }
    }
    inst.enc = Enc::E64;
}

/// What counts as one scalar value of a VALU instruction.
#[derive(PartialEq, Eq, Hash, Clone, Copy)]
enum Scalar {
    Virt(Sub),
    Phys(Reg),
    Literal(u32),
}

fn limit_scalars(m: &mut MFunc, inst: &mut MInst, out: &mut Vec<MInst>) {
    let MOp::Isa(op) = inst.op else { return };
    let row = op.row();
    let one = row.flags.has(Flags::ONE_SCALAR);
    let mut room = if one { 1 } else { 2 };
    if row.flags.has(Flags::R_VCC) {
        room -= 1;
    }
    let specs: Vec<_> = specs_of(row, inst.enc, inst.mods.glc).collect();
    let mut seen: HashSet<Scalar> = HashSet::new();
    // Masks cannot go anywhere else, so they are counted first.
    let is_mask = |k: Kind| matches!(k, Kind::Mask | Kind::Vcc);
    let mut order: Vec<usize> = (0..specs.len()).filter(|&i| specs[i].is_src()).collect();
    order.sort_by_key(|&i| !is_mask(specs[i].kind));
    let mut literal = false;
    for i in order {
        let o = inst.operands[i];
        let scalar = match o {
            MOperand::Virt(s) if m.info(s.reg).class == Class::S => Scalar::Virt(s),
            MOperand::Isa(Operand::Reg(r)) if r.file == RegFile::S && !r.is_null() => Scalar::Phys(r),
            MOperand::Isa(Operand::Literal(l)) => Scalar::Literal(l),
            _ => continue,
        };
        if matches!(
            specs[i].kind,
            Kind::SRegOrConst | Kind::SSrc | Kind::Imm(_) | Kind::Literal
        ) {
            continue; // lane numbers and the like: scalar by nature
        }
        if seen.contains(&scalar) {
            continue;
        }
        let second_literal = matches!(scalar, Scalar::Literal(_)) && literal;
        if seen.len() < room && !second_literal {
            literal |= matches!(scalar, Scalar::Literal(_));
            seen.insert(scalar);
            continue;
        }
        inst.operands[i] = to_vgpr(m, o, inst, out).into();
    }
}

/// Moves a source to a VGPR of its own.
fn to_vgpr(m: &mut MFunc, o: MOperand, inst: &MInst, out: &mut Vec<MInst>) -> Sub {
    let count = o.virt().map_or(1, |s| s.count);
    let to = m.vreg(Class::V, count);
    if count > 1 {
        out.push(pseudo(MOp::ImplicitDef, vec![to.into()], inst));
    }
    for k in 0..count {
        let from = match o {
            MOperand::Virt(s) => s.dword(k).into(),
            other => other,
        };
        let op = Opcode::from(Vop1::v_mov_b32);
        out.push(MInst {
            op: MOp::Isa(op),
            enc: Enc::Natural,
            operands: vec![to.dword(k).into(), from],
            mods: Mods::for_op(op),
            span: inst.span,
            shared: false,
            atomic: None,
        });
    }
    to
}

fn pseudo(op: MOp, operands: Vec<MOperand>, like: &MInst) -> MInst {
    MInst {
        op,
        enc: Enc::Natural,
        operands,
        mods: Mods::default(),
        span: like.span,
        shared: false,
        atomic: None,
    }
}

fn limit_literals(m: &mut MFunc, inst: &mut MInst, out: &mut Vec<MInst>) {
    let mut first = None;
    for i in 0..inst.operands.len() {
        let MOperand::Isa(Operand::Literal(l)) = inst.operands[i] else {
            continue;
        };
        if *first.get_or_insert(l) == l {
            continue;
        }
        let to = m.vreg(Class::S, 1);
        let op = Opcode::from(Sop1::s_mov_b32);
        out.push(MInst {
            op: MOp::Isa(op),
            enc: Enc::Natural,
            operands: vec![to.into(), inst.operands[i]],
            mods: Mods::for_op(op),
            span: inst.span,
            shared: false,
            atomic: None,
        });
        inst.operands[i] = to.into();
    }
}
