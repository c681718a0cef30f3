//! Instructions from operands: picks inline constants and literals by operand type, makes result registers, moves
//! values between register classes. Which encoding form and how many scalar operands are legal is [`super::super`]'s
//! `passes::legalize` business.

use super::{dwords, Buf, Rep, Select, X};
use crate::isa::{Enc, Family, Kind, Opcode, Operand, Reg, Sop1, Sop2, Sopc, Ty as OTy, Vop1, Vop2, Vop3sd, Vopc};
use crate::mir::{BlockId, Class, MInst, MOp, MOperand, Sub};
use t0_ir::{Ty, Value};

/// The encoding form an instruction gets at first: VOP3 where the natural form ties an operand to VCC, and for 16-bit
/// operands, which reach only v0–v127 in the natural form (RDNA3 ISA manual 7.4).
pub fn natural_enc(op: Opcode) -> Enc {
    let row = op.row();
    let vop = matches!(row.family, Family::Vop1 | Family::Vop2 | Family::Vopc);
    let tied = row.operands.iter().any(|o| o.kind == Kind::Vcc);
    let half = row
        .operands
        .iter()
        .any(|o| matches!(o.ty, OTy::F16 | OTy::U16 | OTy::I16 | OTy::B16 | OTy::Bf16));
    if vop && (tied || half) {
        Enc::E64
    } else {
        Enc::Natural
    }
}

/// A 32-bit constant as an operand of this type.
fn constant(bits: u32, ty: OTy) -> Operand {
    match ty {
        OTy::F16 | OTy::U16 | OTy::I16 | OTy::B16 | OTy::Bf16 => Operand::b16(bits as u16),
        OTy::I64 | OTy::U64 | OTy::B64 => Operand::int(bits as i32),
        _ => Operand::b32(bits),
    }
}

impl Select<'_> {
    /// Appends an instruction; `xs` are all its operands, destinations first.
    pub fn inst(&mut self, op: impl Into<Opcode>, xs: &[X]) -> &mut MInst {
        let op = op.into();
        let row = op.row();
        debug_assert_eq!(row.operands.len(), xs.len(), "{}", row.name);
        let operands = xs
            .iter()
            .zip(row.operands)
            .map(|(&x, spec)| match x {
                X::R(s) => MOperand::Virt(s),
                X::P(r) => MOperand::Isa(Operand::Reg(r)),
                X::K(k) => MOperand::Isa(constant(k, spec.ty)),
            })
            .collect();
        self.raw(op, operands)
    }

    /// Appends an instruction with a result of a class.
    pub(super) fn with_result(&mut self, op: Opcode, class: Class, sources: &[X]) -> Sub {
        let to = self.m.vreg(class, op.row().operands[0].ty.regs());
        let mut xs = vec![X::R(to)];
        xs.extend_from_slice(sources);
        self.inst(op, &xs);
        to
    }

    /// Appends an instruction with a vector result.
    pub fn v(&mut self, op: impl Into<Opcode>, sources: &[X]) -> Sub {
        self.with_result(op.into(), Class::V, sources)
    }

    /// Appends an instruction with a scalar result.
    pub fn s(&mut self, op: impl Into<Opcode>, sources: &[X]) -> Sub {
        self.with_result(op.into(), Class::S, sources)
    }

    /// Appends a vector instruction and sets modifiers on it.
    pub fn vm(&mut self, op: impl Into<Opcode>, sources: &[X], mods: impl FnOnce(&mut crate::isa::Mods)) -> Sub {
        let to = self.v(op, sources);
        let last = self.m.blocks.len() - 1;
        if let Some(inst) = self.m.blocks[last].insts.last_mut() {
            mods(&mut inst.mods);
        }
        to
    }

    /// Vector comparison into a mask.
    pub fn vcmp(&mut self, op: Vopc, a: X, b: X) -> Sub {
        self.s(op, &[a, b])
    }

    /// Scalar comparison into SCC.
    pub fn scmp(&mut self, op: Sopc, a: X, b: X) {
        self.inst(op, &[a, b]);
    }

    /// Per lane: `mask ? yes : no`, one dword.
    pub fn cnd(&mut self, mask: X, yes: X, no: X) -> Sub {
        let mask = self.mask_reg(mask);
        self.v(Vop2::v_cndmask_b32, &[no, yes, mask])
    }

    /// A mask as a register.
    pub fn mask_reg(&mut self, mask: X) -> X {
        match mask {
            X::K(_) => self.s(Sop1::s_mov_b32, &[mask]).into(),
            _ => mask,
        }
    }

    /// Sets SCC to "the mask has active lanes": for a uniform `bool`, to its value.
    pub fn scc_from_mask(&mut self, mask: X) {
        self.s(Sop2::s_and_b32, &[mask, Reg::EXEC.into()]);
    }

    /// `a + b` and the carry mask.
    pub fn add_co(&mut self, op: Vop3sd, a: X, b: X) -> (Sub, Sub) {
        let (to, carry) = (self.m.vreg(Class::V, 1), self.m.vreg(Class::S, 1));
        self.inst(op, &[to.into(), carry.into(), a, b]);
        (to, carry)
    }

    /// A dword in a VGPR.
    pub fn in_v(&mut self, x: X) -> Sub {
        match x {
            X::R(s) if self.class(x) == Class::V => s,
            _ => self.v(Vop1::v_mov_b32, &[x]),
        }
    }

    /// A uniform dword in an SGPR or as a constant.
    pub fn in_s(&mut self, x: X) -> X {
        match self.class(x) {
            Class::S => x,
            Class::V => self.s(Vop1::v_readfirstlane_b32, &[x]).into(),
        }
    }

    /// A uniform dword in an SGPR.
    pub fn s_reg(&mut self, x: X) -> Sub {
        match self.in_s(x) {
            X::R(s) => s,
            other => self.s(Sop1::s_mov_b32, &[other]),
        }
    }

    /// A tuple of `n` dwords in registers of a class.
    pub fn tuple(&mut self, class: Class, xs: &[X]) -> Sub {
        if let Some(s) = self.contiguous(class, xs) {
            return s;
        }
        let to = self.m.vreg(class, xs.len() as u32);
        self.fill(to, xs);
        to
    }

    /// The sources as one range when they already are one.
    fn contiguous(&self, class: Class, xs: &[X]) -> Option<Sub> {
        let X::R(first) = *xs.first()? else { return None };
        let in_place = xs.iter().enumerate().all(|(i, x)| {
            *x == X::R(Sub {
                at: first.at + i as u32,
                ..first
            })
        });
        let aligned = class == Class::V || xs.len() == 1 || (xs.len() == 2 && first.at % 2 == 0) || first.at % 4 == 0;
        (in_place && aligned && self.class(xs[0]) == class).then_some(Sub {
            count: xs.len() as u32,
            ..first
        })
    }

    /// Writes the dwords of a register one after the other.
    pub fn fill(&mut self, to: Sub, xs: &[X]) {
        if let Some(from) = self.contiguous(self.m.info(to.reg).class, xs) {
            self.pseudo(MOp::Copy, vec![to.into(), from.into()]);
            return;
        }
        if to.count > 1 && !self.m.info(to.reg).sticky && self.m.is_whole(to) {
            self.pseudo(MOp::ImplicitDef, vec![to.into()]);
        }
        for (i, &x) in xs.iter().enumerate() {
            self.mov(to.dword(i as u32), x);
        }
    }

    /// `to = x`, one dword, across classes.
    pub fn mov(&mut self, to: Sub, x: X) {
        match (self.m.info(to.reg).class, x) {
            (class, X::R(from)) if self.class(x) == class => {
                self.pseudo(MOp::Copy, vec![to.into(), from.into()]);
            }
            (Class::V, _) => {
                self.inst(Vop1::v_mov_b32, &[to.into(), x]);
            }
            (Class::S, X::R(_)) => {
                self.inst(Vop1::v_readfirstlane_b32, &[to.into(), x]);
            }
            (Class::S, _) => {
                self.inst(Sop1::s_mov_b32, &[to.into(), x]);
            }
        }
    }

    /// All dwords of a value that is no buffer.
    pub fn xs(&self, v: Value) -> Vec<X> {
        (0..dwords(self.ty(v))).map(|k| self.x(v, k)).collect()
    }

    /// A value as a VGPR tuple.
    pub fn v_tuple(&mut self, v: Value) -> Sub {
        let xs = self.xs(v);
        self.tuple(Class::V, &xs)
    }

    /// A uniform value as an SGPR tuple.
    pub fn s_tuple(&mut self, v: Value) -> Sub {
        let xs = self.xs(v);
        self.tuple(Class::S, &xs)
    }

    /// The buffer a value is.
    pub fn buf(&self, v: Value) -> Buf {
        match self.rep(v) {
            Rep::Buf(b) => b,
            _ => panic!("select: value {} is no buffer", v.0),
        }
    }

    /// A branch.
    pub fn branch(&mut self, op: crate::isa::Sopp, to: BlockId) {
        self.raw(op, vec![MOperand::Block(to)]);
        self.begin_block();
    }

    /// Class a value gets when it is merged at joins: uniform integers and masks in SGPRs, the rest in VGPRs.
    pub fn home(&self, v: Value, divergent: bool) -> Class {
        match self.ty(v) {
            Ty::Scalar(t0_ir::Scalar::Bool) => Class::S,
            Ty::Scalar(s) if s.is_int() && self.uniform(v) && !divergent => Class::S,
            _ => Class::V,
        }
    }
}
