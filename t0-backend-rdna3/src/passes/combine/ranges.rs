//! Between which numbers a register is.
//!
//! The bounds are those of a number that the register holds modulo 2^32: where they are not negative it is the unsigned value,
//! where they are within the signed numbers it is the signed one. Sums and products need no more. A register with several
//! definitions or one for some lanes at a time can be anything.

use super::rules::{binary, number, Kind};
use crate::isa::{Ds, Mubuf, Opcode, Operand, Reg, Vop1, Vop2, Vop3};
use crate::mir::{MFunc, MInst, MOp, MOperand};

/// Lowest and highest number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub low: i64,
    pub high: i64,
}

/// Every dword.
const ANY: Range = Range {
    low: 0,
    high: u32::MAX as i64,
};

impl Range {
    /// The range, or [`ANY`] where it has numbers that are one modulo 2^32.
    fn new(low: i64, high: i64) -> Range {
        match low >= i64::from(i32::MIN) && high <= ANY.high && high - low < ANY.high {
            true => Range { low, high },
            false => ANY,
        }
    }

    /// Whether it has no negative number, so that it bounds the unsigned value.
    pub fn unsigned(self) -> bool {
        self.low >= 0
    }

    /// Whether all numbers have at most that many bits, without sign.
    pub fn fits_unsigned(self, bits: u32) -> bool {
        self.unsigned() && self.high < 1 << bits
    }

    /// Whether all numbers have at most that many bits, the sign among them.
    pub fn fits_signed(self, bits: u32) -> bool {
        self.low >= -(1 << (bits - 1)) && self.high < 1 << (bits - 1)
    }
}

/// The range of an operand.
pub(super) fn operand(ranges: &[Range], o: MOperand) -> Range {
    match (o, number(o)) {
        (_, Some(k)) => Range::new(i64::from(k as i32), i64::from(k as i32)),
        (MOperand::Virt(s), _) if s.count == 1 => ranges[s.reg.0 as usize],
        _ => ANY,
    }
}

/// The range of each virtual register.
pub(super) fn of(m: &MFunc) -> Vec<Range> {
    let mut defs = vec![0u32; m.vregs.len()];
    let all = || m.blocks.iter().flat_map(|b| &b.insts);
    for i in all() {
        for (a, o) in i.accesses().iter().zip(&i.operands) {
            if let (true, MOperand::Virt(s)) = (a.def, o) {
                defs[s.reg.0 as usize] += 1;
            }
        }
    }
    let mut ranges = vec![ANY; m.vregs.len()];
    for i in all() {
        let Some(MOperand::Virt(to)) = i.operands.first() else {
            continue;
        };
        let info = m.info(to.reg);
        if info.width == 1 && !info.sticky && defs[to.reg.0 as usize] == 1 {
            ranges[to.reg.0 as usize] = match i.operands.get(1) {
                // The entry is the only place where it is named.
                Some(&v0) if i.op == MOp::Copy && v0 == Operand::Reg(Reg::v(0)).into() && m.group > 0 => {
                    Range::new(0, i64::from(m.group) - 1)
                }
                _ => result(&ranges, i),
            };
        }
    }
    ranges
}

fn result(ranges: &[Range], i: &MInst) -> Range {
    let of = |k: usize| operand(ranges, i.operands[k]);
    if let Some((kind, a, b)) = binary(i) {
        return arithmetic(kind, operand(ranges, a), operand(ranges, b));
    }
    match i.op {
        MOp::Copy => of(1),
        MOp::Isa(Opcode::Vop1(Vop1::v_mov_b32 | Vop1::v_readfirstlane_b32)) if !i.enc.is_dpp() => of(1),
        MOp::Isa(Opcode::Vop2(Vop2::v_cndmask_b32)) if i.mods.neg | i.mods.abs == 0 => {
            let (a, b) = (of(1), of(2));
            Range::new(a.low.min(b.low), a.high.max(b.high))
        }
        MOp::Isa(Opcode::Vop3(Vop3::v_bfe_u32)) => match number(i.operands[3]) {
            Some(width @ 0..=31) => Range::new(0, (1 << width) - 1),
            _ => ANY,
        },
        MOp::Isa(Opcode::Vop3(Vop3::v_bfe_i32)) => match number(i.operands[3]) {
            Some(width @ 1..=31) => Range::new(-(1 << (width - 1)), (1 << (width - 1)) - 1),
            _ => ANY,
        },
        MOp::Isa(Opcode::Mubuf(Mubuf::buffer_load_u8) | Opcode::Ds(Ds::ds_load_u8)) => Range::new(0, 0xff),
        MOp::Isa(Opcode::Mubuf(Mubuf::buffer_load_u16) | Opcode::Ds(Ds::ds_load_u16)) => Range::new(0, 0xffff),
        MOp::Isa(Opcode::Mubuf(Mubuf::buffer_load_i8) | Opcode::Ds(Ds::ds_load_i8)) => Range::new(-0x80, 0x7f),
        MOp::Isa(Opcode::Mubuf(Mubuf::buffer_load_i16) | Opcode::Ds(Ds::ds_load_i16)) => Range::new(-0x8000, 0x7fff),
        _ => ANY,
    }
}

fn arithmetic(kind: Kind, a: Range, b: Range) -> Range {
    let constant = (b.low == b.high).then_some(b.low);
    let shift = constant.filter(|k| (0..32).contains(k));
    let unsigned = a.unsigned() && b.unsigned();
    match kind {
        Kind::Add => Range::new(a.low + b.low, a.high + b.high),
        Kind::Sub => Range::new(a.low - b.high, a.high - b.low),
        Kind::Mul | Kind::MulU24 | Kind::MulI24 => {
            let exact = match kind {
                Kind::MulU24 => a.fits_unsigned(24) && b.fits_unsigned(24),
                Kind::MulI24 => a.fits_signed(24) && b.fits_signed(24),
                _ => true,
            };
            let ends = [(a.low, b.low), (a.low, b.high), (a.high, b.low), (a.high, b.high)];
            let corners = ends.map(|(a, b): (i64, i64)| a.saturating_mul(b));
            match (exact, corners.iter().min(), corners.iter().max()) {
                (true, Some(&low), Some(&high)) => Range::new(low, high),
                _ => ANY,
            }
        }
        Kind::Shl => shift.map_or(ANY, |k| {
            Range::new(a.low.saturating_mul(1 << k), a.high.saturating_mul(1 << k))
        }),
        Kind::Shr if a.unsigned() => Range::new(a.low >> shift.unwrap_or(31), a.high >> shift.unwrap_or(0)),
        Kind::Shr => Range::new(0, ANY.high >> shift.unwrap_or(0)),
        Kind::Sar => {
            let full = (i64::from(i32::MIN), i64::from(i32::MAX));
            let (low, high) = if a.fits_signed(32) { (a.low, a.high) } else { full };
            match shift {
                Some(k) => Range::new(low >> k, high >> k),
                None => Range::new(low.min(0), high.max(0)),
            }
        }
        Kind::And if unsigned => Range::new(0, a.high.min(b.high)),
        Kind::And if a.unsigned() => Range::new(0, a.high),
        Kind::And if b.unsigned() => Range::new(0, b.high),
        Kind::Or | Kind::Xor if unsigned => {
            let bits = 64 - a.high.max(b.high).leading_zeros();
            Range::new(0, (1 << bits) - 1)
        }
        Kind::MinU if unsigned => Range::new(a.low.min(b.low), a.high.min(b.high)),
        Kind::MinU if a.unsigned() => Range::new(0, a.high),
        Kind::MinU if b.unsigned() => Range::new(0, b.high),
        Kind::MaxU if unsigned => Range::new(a.low.max(b.low), a.high.max(b.high)),
        Kind::MinI if a.fits_signed(32) && b.fits_signed(32) => Range::new(a.low.min(b.low), a.high.min(b.high)),
        Kind::MaxI if a.fits_signed(32) && b.fits_signed(32) => Range::new(a.low.max(b.low), a.high.max(b.high)),
        Kind::And | Kind::Or | Kind::Xor | Kind::MinU | Kind::MaxU | Kind::MinI | Kind::MaxI => ANY,
    }
}
