//! The instructions that move values to their homes and back.

use crate::isa::{Enc, Flat, Mods, Opcode, Operand, Sop1, Vop3};
use crate::mir::{Class, MFunc, MInst, MOp, MOperand, Sub, VReg};
use t0_ir::Span;

/// Bytes of scratch memory that an instruction's offset reaches (RDNA3 ISA manual 11.1: 13 bits with a sign).
const REACH: u32 = 4096;

pub(super) fn inst(op: impl Into<Opcode>, operands: Vec<MOperand>, span: Span) -> MInst {
    let op = op.into();
    MInst {
        op: MOp::Isa(op),
        enc: Enc::Natural,
        operands,
        mods: Mods::for_op(op),
        span,
        shared: false,
        atomic: None,
    }
}

pub(super) fn undefined(sub: Sub, span: Span) -> MInst {
    MInst {
        op: MOp::ImplicitDef,
        mods: Mods::default(),
        ..inst(Sop1::s_mov_b32, vec![sub.into()], span)
    }
}

/// Whether a value goes home or comes back.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Store,
    Load,
}

/// Moves `regs` to or from the home that begins at dword `slot`.
pub(super) fn transfer(
    way: Way,
    regs: Sub,
    slot: u32,
    lanes: &[VReg],
    span: Span,
    m: &mut MFunc,
    out: &mut Vec<MInst>,
) {
    match m.info(regs.reg).class {
        Class::S => (0..regs.count).for_each(|k| out.push(lane(way, regs.dword(k), slot + k, lanes, span))),
        Class::V => scratch(way, regs, slot, span, m, out),
    }
}

fn lane(way: Way, dword: Sub, slot: u32, lanes: &[VReg], span: Span) -> MInst {
    let keeper = Sub {
        reg: lanes[(slot / super::super::WAVE_SIZE) as usize],
        at: 0,
        count: 1,
    };
    let number = Operand::int((slot % super::super::WAVE_SIZE) as i32).into();
    match way {
        Way::Store => inst(Vop3::v_writelane_b32, vec![keeper.into(), dword.into(), number], span),
        Way::Load => inst(Vop3::v_readlane_b32, vec![dword.into(), keeper.into(), number], span),
    }
}

fn scratch(way: Way, regs: Sub, slot: u32, span: Span, m: &mut MFunc, out: &mut Vec<MInst>) {
    let mut k = 0;
    let mut base: Option<(u32, MOperand)> = None;
    while k < regs.count {
        let n = (regs.count - k).min(4);
        let byte = 4 * (slot + k);
        let page = byte / REACH * REACH;
        let address = match base {
            _ if page == 0 => MOperand::Isa(Operand::OFF),
            Some((at, address)) if at == page => address,
            _ => {
                let to = m.vreg(Class::S, 1);
                out.push(inst(
                    Sop1::s_mov_b32,
                    vec![to.into(), Operand::Literal(page).into()],
                    span,
                ));
                base = Some((page, to.into()));
                to.into()
            }
        };
        let data = regs.slice(k, n);
        let none = MOperand::Isa(Operand::OFF);
        let mut i = match way {
            Way::Load => inst(load(n), vec![data.into(), none, address], span),
            Way::Store => inst(store(n), vec![none, data.into(), address], span),
        };
        i.mods.offset = (byte - page) as i32;
        out.push(i);
        k += n;
    }
}

fn load(dwords: u32) -> Flat {
    match dwords {
        1 => Flat::scratch_load_b32,
        2 => Flat::scratch_load_b64,
        3 => Flat::scratch_load_b96,
        _ => Flat::scratch_load_b128,
    }
}

fn store(dwords: u32) -> Flat {
    match dwords {
        1 => Flat::scratch_store_b32,
        2 => Flat::scratch_store_b64,
        3 => Flat::scratch_store_b96,
        _ => Flat::scratch_store_b128,
    }
}
