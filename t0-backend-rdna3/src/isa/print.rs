//! Assembler text, exactly as LLVM 19's disassembler prints it for gfx1100.
//!
//! Source: output of `llvm-mc-19 -mcpu=gfx1100 -disassemble` for every row, compared in the tests.

use super::form::Form;
use super::imm;
use super::inst::{Dpp16, Dpp8, Enc};
use super::legal::LegalMods;
use super::row::{Class, Family, Field, Flags, Kind, OperandSpec, Row, Ty};
use super::{Inst, Operand, Reg, RegFile};
use std::fmt::{self, Display, Formatter};

impl Display for Reg {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Reg { file, index, count } = *self;
        if file == RegFile::V {
            return range(f, "v", index, count);
        }
        match (index, count) {
            (124, _) => f.write_str("null"),
            (106, 1) => f.write_str("vcc_lo"),
            (107, 1) => f.write_str("vcc_hi"),
            (106, 2) => f.write_str("vcc"),
            (125, _) => f.write_str("m0"),
            (126, 1) => f.write_str("exec_lo"),
            (127, 1) => f.write_str("exec_hi"),
            (126, 2) => f.write_str("exec"),
            (253, _) => f.write_str("scc"),
            (108..=123, _) => range(f, "ttmp", index - 108, count),
            _ => range(f, "s", index, count),
        }
    }
}

fn range(f: &mut Formatter<'_>, file: &str, index: u32, count: u32) -> fmt::Result {
    if count == 1 {
        write!(f, "{file}{index}")
    } else {
        write!(f, "{file}[{index}:{}]", index + count - 1)
    }
}

impl Display for Inst {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let row = self.row();
        f.write_str(row.name)?;
        f.write_str(self.suffix())?;
        let specs: Vec<OperandSpec> = self.specs().collect();
        let mut sep = " ";
        let mut source = 0;
        let first_half = row.operands.len();
        for (i, (spec, o)) in specs.iter().zip(&self.operands).enumerate() {
            if let (true, Some(y)) = (i == first_half, self.vopd_y) {
                write!(f, " :: {}", y.row().name)?;
                sep = " ";
            }
            let is_source = spec.is_src() && spec.field != Field::Vdst;
            let index = source;
            source += u32::from(is_source);
            let mut text = self.operand_text(spec, *o, is_source.then_some(index));
            if text.is_empty() {
                continue;
            }
            // Separate address registers of an image access stand in brackets.
            if let (Enc::Nsa(n), Kind::ImgAddr(_)) = (self.enc, spec.kind) {
                match spec.field {
                    Field::Nsa(i) if i + 1 == n => text.push(']'),
                    Field::Nsa(_) => {}
                    _ => text.insert(0, '['),
                }
            }
            write!(f, "{sep}{text}")?;
            // The target of an export stands like a part of the mnemonic.
            sep = if spec.field == Field::Target { " " } else { ", " };
        }
        self.modifiers(f, &specs)
    }
}

impl Inst {
    /// Suffix of the mnemonic that names the encoding form.
    pub(crate) fn suffix(&self) -> &'static str {
        let row = self.row();
        let short = matches!(row.family, Family::Vop1 | Family::Vop2 | Family::Vopc);
        match self.enc {
            _ if row.flags.has(Flags::BARE) => "",
            Enc::Natural if short && !row.flags.has(Flags::NO_E64) => "_e32",
            Enc::Natural => "",
            Enc::E64 => "_e64",
            // LLVM prints compares under DPP without a suffix.
            Enc::Dpp16(_) | Enc::Dpp8(_) if row.family == Family::Vopc => "",
            Enc::Dpp16(_) | Enc::Dpp8(_) if short => "_dpp",
            Enc::Nsa(_) => "",
            _ => "_e64_dpp",
        }
    }

    /// Whether high halves are part of operands' names (`v0.h`): in encodings without an `op_sel` field, and in VOP3 where
    /// LLVM 19 has no `op_sel` for the instruction but its successors have halves.
    fn halves_in_names(&self) -> bool {
        let row = self.row();
        match row.family {
            Family::Vop1 | Family::Vop2 | Family::Vopc | Family::Vop3 => {
                !self.enc.is_e64() && row.family != Family::Vop3 || !row.flags.has(Flags::OPSEL)
            }
            _ => false,
        }
    }

    fn operand_text(&self, spec: &OperandSpec, o: Operand, source: Option<u32>) -> String {
        let ty = text_ty(self.row(), spec.ty);
        let text = match o {
            Operand::Imm(v) => match spec.kind {
                Kind::Imm(kind) => imm::print(kind, v),
                _ => v.to_string(),
            },
            Operand::Literal(l) if spec.kind == Kind::Literal && spec.ty != Ty::B32 => format!("{l:#x}"),
            Operand::Literal(l) => literal_text(ty, l),
            // LLVM spells 1/(2 pi) of a matrix accumulator by the accumulator's size: long for 8 registers, short for 4.
            Operand::Const(248)
                if spec.kind == Kind::VgprOrConst && self.operands[0].reg().is_some_and(|r| r.count == 4) =>
            {
                const_text(Ty::F32, o)
            }
            Operand::Const(_) => const_text(ty, o),
            Operand::Special(s) => special_name(s).to_string(),
            Operand::Reg(r) if r.is_null() => match spec.kind {
                Kind::SOpt if self.row().family == Family::Smem => return smem_offset(self),
                Kind::SOpt | Kind::VAddr | Kind::SAddrV | Kind::Export => "off".to_string(),
                _ => "null".to_string(),
            },
            Operand::Reg(r) if r.file == RegFile::V && spec.half_bit().is_some() => {
                let high = spec.half_bit().is_some_and(|bit| self.mods.op_sel >> bit & 1 == 1);
                match (high, self.row().flags.has(Flags::TRUE16)) {
                    (false, true) => format!("{r}.l"),
                    // LLVM 19 knows the low halves only and writes them as whole registers.
                    (false, false) => r.to_string(),
                    (true, true) => format!("{r}.h"),
                    (true, false) if self.halves_in_names() => format!("{r}.h"),
                    (true, false) => r.to_string(),
                }
            }
            Operand::Reg(r) => r.to_string(),
        };
        match source {
            Some(i) => self.with_source_mods(i, &text, matches!(o, Operand::Const(_) | Operand::Literal(_))),
            None => text,
        }
    }

    /// `-v1`, `|v1|`, `-|v1|`; constants are negated as `neg(1)`.
    fn with_source_mods(&self, i: u32, text: &str, constant: bool) -> String {
        let neg = self.mods.neg >> i & 1 == 1;
        let abs = self.mods.abs >> i & 1 == 1;
        match (neg, abs) {
            (false, false) => text.to_string(),
            (true, false) if constant => format!("neg({text})"),
            (true, false) => format!("-{text}"),
            (false, true) => format!("|{text}|"),
            (true, true) => format!("-|{text}|"),
        }
    }

    fn modifiers(&self, f: &mut Formatter<'_>, specs: &[OperandSpec]) -> fmt::Result {
        let row = self.row();
        let m = &self.mods;
        match row.family {
            Family::Vop1 | Family::Vop2 | Family::Vopc | Family::Vop3 | Family::Vop3sd => {
                self.vop3_modifiers(f, specs)?
            }
            Family::Vinterp => {
                // Here, and only here, `clamp` comes first.
                cache(f, &[(m.clamp, "clamp")])?;
                self.op_sel(f, specs)?;
                super::graphics::print(f, self)?;
            }
            Family::Vop3p => self.vop3p_modifiers(f, specs)?,
            Family::Smem => {
                let null = matches!(self.operands.get(2), Some(Operand::Reg(r)) if r.is_null());
                if m.offset != 0 && !null {
                    write!(f, " offset:{}", signed_hex(m.offset))?;
                }
                cache(f, &[(m.glc, "glc"), (m.dlc, "dlc")])?;
            }
            Family::Ds => {
                if row.name == "ds_swizzle_b32" {
                    imm::print_swizzle(f, m.offset)?;
                } else if m.offset != 0 {
                    write!(f, " offset:{}", m.offset)?;
                }
                if m.offset0 != 0 {
                    write!(f, " offset0:{}", m.offset0)?;
                }
                if m.offset1 != 0 {
                    write!(f, " offset1:{}", m.offset1)?;
                }
                cache(f, &[(m.gds, "gds")])?;
            }
            Family::Flat => {
                if m.offset != 0 {
                    write!(f, " offset:{}", m.offset)?;
                }
                cache(f, &[(m.glc, "glc"), (m.slc, "slc"), (m.dlc, "dlc")])?;
            }
            Family::Mubuf | Family::Mtbuf => {
                if row.family == Family::Mtbuf {
                    super::graphics::print_format(f, m.format)?;
                }
                cache(f, &[(m.idxen, "idxen"), (m.offen, "offen")])?;
                if m.offset != 0 {
                    write!(f, " offset:{}", m.offset)?;
                }
                cache(f, &[(m.glc, "glc"), (m.slc, "slc"), (m.dlc, "dlc"), (m.tfe, "tfe")])?;
            }
            Family::Mimg | Family::Ldsdir | Family::Exp => super::graphics::print(f, self)?,
            _ => {}
        }
        match self.enc {
            Enc::Dpp16(d) | Enc::E64Dpp16(d) => dpp16(f, d),
            Enc::Dpp8(d) | Enc::E64Dpp8(d) => dpp8(f, d),
            _ => Ok(()),
        }
    }

    fn vop3_modifiers(&self, f: &mut Formatter<'_>, specs: &[OperandSpec]) -> fmt::Result {
        let m = &self.mods;
        self.op_sel(f, specs)?;
        if m.clamp {
            f.write_str(" clamp")?;
        }
        f.write_str(match m.omod {
            1 => " mul:2",
            2 => " mul:4",
            3 => " div:2",
            _ => "",
        })
    }

    fn op_sel(&self, f: &mut Formatter<'_>, specs: &[OperandSpec]) -> fmt::Result {
        let m = &self.mods;
        if m.op_sel != 0 && !self.row().flags.has(Flags::TRUE16) && !self.halves_in_names() {
            // An accumulator that is also the destination counts as a source here.
            let n = source_count(specs) + u32::from(accumulates(self.row()));
            let mut bits: Vec<u32> = (0..n).map(|i| m.op_sel >> i & 1).collect();
            if self.row().class == Class::ValuLane {
                bits.truncate(2);
            } else {
                bits.push(m.op_sel >> 3 & 1);
            }
            write_bits(f, "op_sel", &bits)?;
        }
        Ok(())
    }

    fn vop3p_modifiers(&self, f: &mut Formatter<'_>, specs: &[OperandSpec]) -> fmt::Result {
        let m = &self.mods;
        let n = source_count(specs);
        let all = (1u32 << n) - 1;
        let default_hi = default_op_sel_hi(self.row(), specs);
        for (name, value, default) in [
            ("op_sel", m.op_sel, 0),
            ("op_sel_hi", m.op_sel_hi, default_hi),
            ("neg_lo", m.neg_lo, 0),
            ("neg_hi", m.neg_hi, 0),
        ] {
            if value & all != default & all {
                let bits: Vec<u32> = (0..n).map(|i| value >> i & 1).collect();
                write_bits(f, name, &bits)?;
            }
        }
        if m.clamp {
            f.write_str(" clamp")?;
        }
        Ok(())
    }
}

/// `op_sel_hi` when nothing is written.
pub(crate) fn default_op_sel_hi(row: &Row, specs: &[OperandSpec]) -> u32 {
    let srcs: Vec<&OperandSpec> = specs.iter().filter(|s| s.is_src() && s.field != Field::Vdst).collect();
    LegalMods::of(row, Form::Vop3p, Enc::Natural, &srcs).op_sel_hi_default
}

/// A two-source row whose destination is its third source (`v_fmac_f16`).
pub(crate) fn accumulates(row: &Row) -> bool {
    row.family == Family::Vop2 && row.operands[0].is_src() && row.operands[0].field == Field::Vdst
}

/// Sources that carry per-source modifiers.
pub(crate) fn source_count(specs: &[OperandSpec]) -> u32 {
    specs
        .iter()
        .filter(|s| s.is_src() && matches!(s.field, Field::Src0 | Field::Src1 | Field::Src2))
        .count() as u32
}

fn write_bits(f: &mut Formatter<'_>, name: &str, bits: &[u32]) -> fmt::Result {
    write!(f, " {name}:[")?;
    for (i, b) in bits.iter().enumerate() {
        write!(f, "{}{b}", if i == 0 { "" } else { "," })?;
    }
    f.write_str("]")
}

pub(crate) fn cache(f: &mut Formatter<'_>, flags: &[(bool, &str)]) -> fmt::Result {
    for (on, name) in flags {
        if *on {
            write!(f, " {name}")?;
        }
    }
    Ok(())
}

fn dpp16(f: &mut Formatter<'_>, d: Dpp16) -> fmt::Result {
    let c = d.ctrl;
    match c {
        0..=0xff => write!(f, " quad_perm:[{},{},{},{}]", c & 3, c >> 2 & 3, c >> 4 & 3, c >> 6 & 3)?,
        0x101..=0x10f => write!(f, " row_shl:{}", c & 15)?,
        0x111..=0x11f => write!(f, " row_shr:{}", c & 15)?,
        0x121..=0x12f => write!(f, " row_ror:{}", c & 15)?,
        0x140 => f.write_str(" row_mirror")?,
        0x141 => f.write_str(" row_half_mirror")?,
        0x150..=0x15f => write!(f, " row_share:{}", c & 15)?,
        _ => write!(f, " row_xmask:{}", c & 15)?,
    }
    write!(f, " row_mask:{:#x} bank_mask:{:#x}", d.row_mask, d.bank_mask)?;
    cache(f, &[(d.bound_ctrl, "bound_ctrl:1"), (d.fi, "fi:1")])
}

fn dpp8(f: &mut Formatter<'_>, d: Dpp8) -> fmt::Result {
    write_bits(f, "dpp8", &d.sel)?;
    cache(f, &[(d.fi, "fi:1")])
}

fn signed_hex(v: i32) -> String {
    if v < 0 {
        format!("-{:#x}", -i64::from(v))
    } else {
        format!("{v:#x}")
    }
}

/// Scalar loads put their immediate where the absent offset register would stand.
fn smem_offset(inst: &Inst) -> String {
    match inst.mods.offset {
        0 => "null".to_string(),
        o => signed_hex(o),
    }
}

/// Name of a special source.
pub(crate) fn special_name(s: u32) -> &'static str {
    match s {
        235 => "src_shared_base",
        236 => "src_shared_limit",
        237 => "src_private_base",
        238 => "src_private_limit",
        251 => "src_vccz",
        252 => "src_execz",
        _ => "src_scc",
    }
}

/// Names of the inline floats, selector 240 first.
const FLOAT_NAMES: [&str; 8] = ["0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0"];

/// Integer types of 16 bits show inline floats as their bit pattern.
fn is_int16(ty: Ty) -> bool {
    matches!(ty, Ty::I16 | Ty::U16 | Ty::B16)
}

/// Type LLVM reads and prints an operand's constants as.
pub(crate) fn text_ty(row: &Row, ty: Ty) -> Ty {
    match row.family {
        _ if row.flags.has(Flags::TEXT_B32) => Ty::B32,
        // Scalar f16 compares, as it happens, read and print like 16-bit integers.
        Family::Sopc if ty == Ty::F16 => Ty::B16,
        _ => ty,
    }
}

fn const_text(ty: Ty, o: Operand) -> String {
    if let Some(i) = o.const_int() {
        return i.to_string();
    }
    if is_int16(ty) {
        return o.const_b16().map(|b| format!("{b:#x}")).unwrap_or_default();
    }
    let Operand::Const(c) = o else { return String::new() };
    match FLOAT_NAMES.get((c - 240) as usize) {
        Some(name) => (*name).to_string(),
        None if ty.bits() >= 64 => "0.15915494309189532".to_string(),
        None => "0.15915494".to_string(),
    }
}

/// A literal prints as the inline constant of the same value when its type has one.
fn literal_text(ty: Ty, l: u32) -> String {
    let small = Operand::int(l as i32);
    let inline = match ty {
        // Integers of 16 bits are not sign-extended: 0xffff is not -1.
        _ if is_int16(ty) => (l <= 64).then_some(small),
        Ty::F16 | Ty::MixF32 => Some(Operand::b16(l as u16)),
        Ty::PkF16 => match (u16::try_from(l).map(Operand::b16), small) {
            (_, c @ Operand::Const(_)) => Some(c),
            (Ok(c @ Operand::Const(240..=248)), _) => Some(c),
            _ => None,
        },
        Ty::Bf16 | Ty::PkBf16 => match (BF16_INLINE.iter().position(|&p| p == l), small) {
            (None, _) if ty == Ty::Bf16 => Some(Operand::int(i32::from(l as i16))),
            (Some(i), _) => Some(Operand::Const(240 + i as u32)),
            (None, c) => Some(c),
        },
        Ty::F64 => return f64_literal_text(l),
        // 64-bit integers zero-extend: 0xffffffff is not -1.
        _ if ty.bits() == 64 => (l <= 64).then_some(small),
        _ => Some(Operand::b32(l)),
    };
    match inline {
        Some(c @ Operand::Const(_)) => const_text(ty, c),
        _ => format!("{l:#x}"),
    }
}

/// Bit patterns of the inline floats in bf16, selector 240 first.
pub(crate) const BF16_INLINE: [u32; 9] = [0x3f00, 0xbf00, 0x3f80, 0xbf80, 0x4000, 0xc000, 0x4080, 0xc080, 0x3e23];

fn f64_literal_text(l: u32) -> String {
    let bits = u64::from(l) << 32;
    (240..=247)
        .map(Operand::Const)
        .find(|o| o.const_b64() == Some(bits))
        .map_or_else(
            || if l == 0 { "0".to_string() } else { format!("{l:#x}") },
            |o| const_text(Ty::F64, o),
        )
}
