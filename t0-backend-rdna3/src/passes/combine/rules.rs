//! What two instructions become.

use super::{is_vector, Code, Combined};
use crate::isa::inst::specs_of;
use crate::isa::{Class as Unit, Enc, Family, Field, Flags, Mods, Opcode, Operand, Sop1, Sop2, Ty, Vop2, Vop3};
use crate::mir::{Class, MInst, MOp, MOperand};

use Kind::*;

/// The rules, the first that fits is taken.
pub(super) const ALL: &[fn(&Code, usize) -> Option<Combined>] = &[
    narrow_product,
    clamp,
    bit_field,
    three_operands,
    shifted_sum,
    packed_halves,
    sign,
    address,
    narrowing,
];

/// What an instruction makes of two dwords, on either unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Add,
    Sub,
    Mul,
    /// Product of the low 24 bits.
    MulU24,
    /// The same with signs.
    MulI24,
    /// Shifts: first what is shifted.
    Shl,
    Shr,
    Sar,
    And,
    Or,
    Xor,
    MinU,
    MaxU,
    MinI,
    MaxI,
}

/// Kind and sources of an instruction without modifiers.
pub(super) fn binary(i: &MInst) -> Option<(Kind, MOperand, MOperand)> {
    use {Opcode as O, Sop2 as S, Vop2 as V};
    let op = i.opcode()?;
    if i.mods != Mods::for_op(op) || i.enc.is_dpp() {
        return None;
    }
    let (kind, reversed) = match op {
        O::Vop2(V::v_add_nc_u32) | O::Sop2(S::s_add_u32 | S::s_add_i32) => (Add, false),
        O::Vop2(V::v_sub_nc_u32) | O::Sop2(S::s_sub_u32 | S::s_sub_i32) => (Sub, false),
        O::Vop3(Vop3::v_mul_lo_u32) | O::Sop2(S::s_mul_i32) => (Mul, false),
        O::Vop2(V::v_mul_u32_u24) => (MulU24, false),
        O::Vop2(V::v_mul_i32_i24) => (MulI24, false),
        O::Vop2(V::v_lshlrev_b32) => (Shl, true),
        O::Vop2(V::v_lshrrev_b32) => (Shr, true),
        O::Vop2(V::v_ashrrev_i32) => (Sar, true),
        O::Sop2(S::s_lshl_b32) => (Shl, false),
        O::Sop2(S::s_lshr_b32) => (Shr, false),
        O::Sop2(S::s_ashr_i32) => (Sar, false),
        O::Vop2(V::v_and_b32) | O::Sop2(S::s_and_b32) => (And, false),
        O::Vop2(V::v_or_b32) | O::Sop2(S::s_or_b32) => (Or, false),
        O::Vop2(V::v_xor_b32) | O::Sop2(S::s_xor_b32) => (Xor, false),
        O::Vop2(V::v_min_u32) | O::Sop2(S::s_min_u32) => (MinU, false),
        O::Vop2(V::v_max_u32) | O::Sop2(S::s_max_u32) => (MaxU, false),
        O::Vop2(V::v_min_i32) | O::Sop2(S::s_min_i32) => (MinI, false),
        O::Vop2(V::v_max_i32) | O::Sop2(S::s_max_i32) => (MaxI, false),
        _ => return None,
    };
    let (a, b) = (i.operands[1], i.operands[2]);
    Some(if reversed { (kind, b, a) } else { (kind, a, b) })
}

/// A constant as an operand of 32 bits has it.
pub(super) fn number(o: MOperand) -> Option<u32> {
    match o {
        MOperand::Isa(Operand::Literal(l)) => Some(l),
        MOperand::Isa(o) => o.const_b32(),
        _ => None,
    }
}

fn constant(k: u32) -> MOperand {
    Operand::b32(k).into()
}

/// Both ways to name two operands.
fn either(a: MOperand, b: MOperand) -> [(MOperand, MOperand); 2] {
    [(a, b), (b, a)]
}

/// An operand, and the constant that is the other one.
fn with_constant(a: MOperand, b: MOperand) -> Option<(MOperand, u32)> {
    either(a, b).into_iter().find_map(|(x, k)| Some((x, number(k)?)))
}

impl Code {
    fn binary_at(&self, at: usize) -> Option<(Kind, MOperand, MOperand)> {
        binary(self.insts[at].as_ref()?)
    }

    /// Where an operand is made and of what, if the instruction can be taken in.
    fn made(&self, at: usize, o: MOperand) -> Option<(usize, (Kind, MOperand, MOperand))> {
        let def = self.inner(at, o)?;
        Some((def, self.binary_at(def)?))
    }

    fn on_valu(&self, at: usize) -> bool {
        self.insts[at].as_ref().is_some_and(is_vector)
    }
}

/// Reader, what it reads, and the instruction that is `kind(inner(a, b), other)` of `a`, `b` and `other`.
const THREE: &[(Kind, Kind, Vop3)] = &[
    (Add, Shl, Vop3::v_lshl_add_u32),
    (Add, MulU24, Vop3::v_mad_u32_u24),
    (Add, MulI24, Vop3::v_mad_i32_i24),
    (Add, Xor, Vop3::v_xad_u32),
    (Add, Add, Vop3::v_add3_u32),
    (Shl, Add, Vop3::v_add_lshl_u32),
    (Or, Shl, Vop3::v_lshl_or_b32),
    (Or, And, Vop3::v_and_or_b32),
    (Or, Or, Vop3::v_or3_b32),
    (MinU, MinU, Vop3::v_min3_u32),
    (MaxU, MaxU, Vop3::v_max3_u32),
    (MinI, MinI, Vop3::v_min3_i32),
    (MaxI, MaxI, Vop3::v_max3_i32),
];

/// Two operations of three numbers. What is made on the SALU goes along, if SCC allows.
fn three_operands(c: &Code, at: usize) -> Option<Combined> {
    let (outer, x, y) = c.binary_at(at).filter(|_| c.on_valu(at))?;
    THREE.iter().filter(|row| row.0 == outer).find_map(|&(_, inner, op)| {
        let ways = either(x, y).into_iter().take(if outer == Shl { 1 } else { 2 });
        ways.into_iter().find_map(|(from, other)| {
            let (def, (kind, a, b)) = c.made(at, from)?;
            (kind == inner).then_some(())?;
            c.combined(at, op, &[a, b, other], &[def])
        })
    })
}

/// A product of numbers below 2^24 needs no quarter-rate multiplier.
fn narrow_product(c: &Code, at: usize) -> Option<Combined> {
    let (Mul, a, b) = c.binary_at(at).filter(|_| c.on_valu(at))? else {
        return None;
    };
    let (x, y) = (c.range(a), c.range(b));
    let op = match () {
        () if x.fits_unsigned(24) && y.fits_unsigned(24) => Vop2::v_mul_u32_u24,
        () if x.fits_signed(24) && y.fits_signed(24) => Vop2::v_mul_i32_i24,
        () => return None,
    };
    c.combined(at, op, &[a, b], &[])
}

/// Limits on both sides, the lower one not above the upper one: the middle of three numbers, in whichever order.
fn clamp(c: &Code, at: usize) -> Option<Combined> {
    let (outer, x, y) = c.binary_at(at).filter(|_| c.on_valu(at))?;
    let (from, outer_limit) = with_constant(x, y)?;
    let (def, (inner, a, b)) = c.made(at, from)?;
    let (value, inner_limit) = with_constant(a, b)?;
    let (op, low, high) = match (outer, inner) {
        (MinU, MaxU) => (Vop3::v_med3_u32, inner_limit, outer_limit),
        (MaxU, MinU) => (Vop3::v_med3_u32, outer_limit, inner_limit),
        (MinI, MaxI) => (Vop3::v_med3_i32, inner_limit, outer_limit),
        (MaxI, MinI) => (Vop3::v_med3_i32, outer_limit, inner_limit),
        _ => return None,
    };
    let ordered = match op {
        Vop3::v_med3_u32 => low <= high,
        _ => low as i32 <= high as i32,
    };
    ordered.then_some(())?;
    c.combined(at, op, &[value, constant(low), constant(high)], &[def])
}

/// Bits from the middle of a dword: first bit, how many, and whether the highest is the sign.
fn field(outer: Kind, by: u32, inner: Kind, inner_by: u32) -> Option<(u32, u32, bool)> {
    let ones = |mask: u32| (mask & mask.wrapping_add(1) == 0).then(|| mask.count_ones());
    let all = match (outer, inner) {
        (And, Shr) => (inner_by & 31, ones(by)?, false),
        (Shr, And) => (by & 31, ones(inner_by)?.checked_sub(by & 31)?, false),
        (Shr | Sar, Shl) => ((by & 31).checked_sub(inner_by & 31)?, 32 - (by & 31), outer == Sar),
        _ => return None,
    };
    (1..32).contains(&all.1).then_some(all)
}

/// A shift and a mask, or two shifts. On the SALU SCC says of either that the result is not 0.
fn bit_field(c: &Code, at: usize) -> Option<Combined> {
    let (outer, x, y) = c.binary_at(at)?;
    let (from, by) = match outer {
        And => with_constant(x, y)?,
        _ => (x, number(y)?),
    };
    let (def, (inner, a, b)) = c.made(at, from)?;
    let (value, inner_by) = match inner {
        And => with_constant(a, b)?,
        _ => (a, number(b)?),
    };
    let (first, bits, signed) = field(outer, by, inner, inner_by)?;
    if c.on_valu(at) {
        let op = if signed { Vop3::v_bfe_i32 } else { Vop3::v_bfe_u32 };
        return c.combined(at, op, &[value, constant(first), constant(bits)], &[def]);
    }
    let op = if signed { Sop2::s_bfe_i32 } else { Sop2::s_bfe_u32 };
    c.combined(at, op, &[value, constant(first | bits << 16)], &[def])
}

/// The SALU shifts by up to four bits before it adds; SCC is then another carry.
fn shifted_sum(c: &Code, at: usize) -> Option<Combined> {
    let (Add, x, y) = c.binary_at(at).filter(|_| !c.on_valu(at) && !c.scc[at])? else {
        return None;
    };
    either(x, y).into_iter().find_map(|(from, other)| {
        let (def, (Shl, value, by)) = c.made(at, from)? else {
            return None;
        };
        let op = match number(by)? {
            1 => Sop2::s_lshl1_add_u32,
            2 => Sop2::s_lshl2_add_u32,
            3 => Sop2::s_lshl3_add_u32,
            4 => Sop2::s_lshl4_add_u32,
            _ => return None,
        };
        c.combined(at, op, &[value, other], &[def])
    })
}

/// Two halves become a dword on the SALU, which leaves SCC alone.
fn packed_halves(c: &Code, at: usize) -> Option<Combined> {
    let (Or, x, y) = c.binary_at(at).filter(|_| !c.on_valu(at) && !c.scc[at])? else {
        return None;
    };
    either(x, y).into_iter().find_map(|(low, high)| {
        let (masked, (And, a, b)) = c.made(at, low)? else {
            return None;
        };
        let (shifted, (Shl, upper, by)) = c.made(at, high)? else {
            return None;
        };
        let (lower, mask) = with_constant(a, b)?;
        (mask == 0xffff && number(by)? == 16).then_some(())?;
        c.combined(at, Sop2::s_pack_ll_b32_b16, &[lower, upper], &[masked, shifted])
    })
}

/// The other sign of a float, or none, is a modifier of the instruction that reads it.
fn sign(c: &Code, at: usize) -> Option<Combined> {
    let i = c.insts[at].as_ref()?;
    let row = i.opcode()?.row();
    let long = matches!(row.family, Family::Vop1 | Family::Vop2 | Family::Vopc | Family::Vop3);
    if !long || row.flags.has(Flags::NO_E64) || !matches!(row.class, Unit::Valu | Unit::ValuTrans) || i.enc.is_dpp() {
        return None;
    }
    let specs = specs_of(row, Enc::E64, i.mods.glc);
    let sources = specs.enumerate().filter(|(_, s)| s.is_src() && s.field != Field::Vdst);
    sources.enumerate().find_map(|(bit, (k, spec))| {
        let top = match spec.ty {
            Ty::F32 if spec.neg => 0x8000_0000,
            Ty::F16 if spec.neg => 0x8000,
            _ => return None,
        };
        let (def, (kind, a, b)) = c.made(at, i.operands[k])?;
        let (value, mask) = with_constant(a, b)?;
        let mut inst = i.clone();
        inst.operands[k] = value;
        match (kind, i.mods.abs >> bit & 1) {
            (Xor, 0) if mask == top => inst.mods.neg ^= 1 << bit,
            // The sign is not asked for.
            (Xor, _) if mask == top => {}
            (And, _) if mask == top - 1 => inst.mods.abs |= 1 << bit,
            _ => return None,
        }
        if matches!(row.family, Family::Vop1 | Family::Vop2 | Family::Vopc) {
            inst.enc = Enc::E64;
        }
        c.readable(&inst).then(|| Combined { inst, gone: vec![def] })
    })
}

/// A comparison narrows EXEC itself where nobody asks for what EXEC was. SCC, whether lanes are left, is not set then.
fn narrowing(c: &Code, at: usize) -> Option<Combined> {
    let i = c.insts[at].as_ref()?;
    let unread = matches!(i.operands.first(), Some(MOperand::Virt(s)) if c.uses[s.reg.0 as usize] == 0);
    if i.opcode() != Some(Sop1::s_and_saveexec_b32.into()) || !unread || c.scc[at] {
        return None;
    }
    let def = c.inner(at, i.operands[1])?;
    let compare = c.insts[def].as_ref()?;
    let name = compare.opcode().filter(|o| o.row().family == Family::Vopc)?.name();
    let op = Opcode::from_name(&format!("v_cmpx_{}", name.strip_prefix("v_cmp_")?))?;
    let inst = MInst {
        op: MOp::Isa(op),
        enc: Enc::E64,
        operands: compare.operands[1..].to_vec(),
        mods: Mods::for_op(op),
        ..i.clone()
    };
    Some(Combined { inst, gone: vec![def] })
}

/// A constant that is added to an address goes into the instruction, if the sum is the same without end: LDS and buffers add the
/// offset without wrapping, and what is out of range is so either way.
fn address(c: &Code, at: usize) -> Option<Combined> {
    let i = c.insts[at].as_ref()?;
    let row = i.opcode()?.row();
    let (field, most) = match (row.class, row.family) {
        (Unit::LdsLoad | Unit::LdsStore | Unit::LdsAtomic, Family::Ds) if !row.flags.has(Flags::OFFSETS2) => {
            (Field::Addr, 0xffff)
        }
        (Unit::VmemLoad | Unit::VmemStore | Unit::VmemAtomic, Family::Mubuf) if i.mods.offen && !i.mods.idxen => {
            (Field::Vaddr, 0xfff)
        }
        _ => return None,
    };
    let k = specs_of(row, i.enc, i.mods.glc).position(|s| s.field == field)?;
    let (def, (Add, a, b)) = c.made(at, i.operands[k])? else {
        return None;
    };
    let (base, by) = with_constant(a, b)?;
    let range = c.range(base);
    let offset = u32::try_from(i.mods.offset)
        .ok()?
        .checked_add(by)
        .filter(|&o| o <= most)?;
    let exact = range.unsigned() && range.high + i64::from(by) <= i64::from(u32::MAX);
    let vector = matches!(base, MOperand::Virt(s) if c.vregs[s.reg.0 as usize].class == Class::V);
    (exact && vector).then_some(())?;
    let mut inst = i.clone();
    inst.operands[k] = base;
    inst.mods.offset = offset as i32;
    Some(Combined { inst, gone: vec![def] })
}
