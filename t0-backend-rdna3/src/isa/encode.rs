//! Instruction to bytes.
//!
//! Method: fields are placed by encoding form, operand by operand; every rule of the hardware is checked on the way (see
//! [`super::legal`]), so bytes that leave here are executable or the caller gets a named error.

use super::form::{segment, Form, OPCODE_Y};
use super::inst::{Dpp16, Dpp8, Enc};
use super::legal::{Ctx, EncodeError};
use super::row::{Class, Family, Field, Flags, Kind, OperandSpec, Row};
use super::{Inst, Operand, RegFile};
use crate::target::{Feature, Target, TARGETS};

/// Encodes one instruction.
///
/// # Errors
/// Names the operand or modifier and the rule it breaks.
pub fn encode(inst: &Inst, target: &Target) -> Result<Vec<u8>, EncodeError> {
    encoded(inst, target).map(|e| e.bytes().to_vec())
}

/// The bytes of an instruction; decoding compares them without asking for memory.
#[derive(Clone, Copy)]
pub(super) struct Encoded {
    bytes: [u8; MOST_BYTES],
    len: usize,
}

/// Bytes of the longest instructions: 8, and a literal, a DPP dword or addresses of an image.
const MOST_BYTES: usize = 12;

impl Encoded {
    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    fn push(&mut self, dword: u32) {
        self.bytes[self.len..self.len + 4].copy_from_slice(&dword.to_le_bytes());
        self.len += 4;
    }
}

/// As [`encode`].
pub(super) fn encoded(inst: &Inst, target: &Target) -> Result<Encoded, EncodeError> {
    let row = inst.op.row();
    let name = row.name;
    if let Some(feature) = row.feature().filter(|f| !target.has(*f)) {
        return Err(EncodeError::Target {
            name,
            target: target.name,
            on: first_with(feature),
        });
    }
    let pair = matches!(row.family, Family::Vopdx | Family::Vopdy);
    if row.family == Family::Vopdy || pair != inst.vopd_y.is_some() {
        return Err(EncodeError::NoPair { name });
    }
    if pair && target.wave_size != 32 {
        return Err(EncodeError::WaveSize { name, lanes: 32 });
    }
    let form = Form::of(row, inst.enc).ok_or(EncodeError::NoForm { name })?;
    let specs = inst.spec_list();
    if specs.len() != inst.operands.len() {
        return Err(EncodeError::OperandCount {
            name,
            want: specs.len(),
            got: inst.operands.len(),
        });
    }
    let ctx = Ctx {
        inst,
        row,
        form,
        target,
    };
    let mut word = opcode_bits(row, form, inst.enc);
    let mut literals = Vec::new();
    let mut dpp_src0 = 0;
    let mut nsa = 0;
    for (i, (spec, &o)) in specs.iter().zip(&inst.operands).enumerate() {
        let (value, literal) = ctx.operand(i, spec, o)?;
        literals.extend(literal);
        if inst.enc.is_dpp() && spec.field == Field::Src0 {
            dpp_src0 = value | half(inst, form, spec);
            word |= u64::from(dpp_selector(inst.enc)) << form.field(Field::Src0).map_or(0, |f| f.0);
            continue;
        }
        if let Field::Nsa(i) = spec.field {
            nsa |= value << (8 * (i - 1));
        }
        word |= place(
            form,
            spec,
            o,
            value | if is_vgpr(o) { half(inst, form, spec) } else { 0 },
        );
    }
    ctx.whole(&specs, &literals)?;
    ctx.mods(&specs)?;
    word |= mod_bits(inst, row, form);
    let mut bytes = Encoded {
        bytes: [0; MOST_BYTES],
        len: form.bytes(),
    };
    bytes.bytes[..8].copy_from_slice(&word.to_le_bytes());
    match inst.enc {
        Enc::Dpp16(d) | Enc::E64Dpp16(d) => {
            let mods = if inst.enc.is_e64() || form != Form::Vop1 && form != Form::Vop2 && form != Form::Vopc {
                (0, 0)
            } else {
                (inst.mods.neg, inst.mods.abs)
            };
            bytes.push(dpp16_dword(name, d, dpp_src0, mods)?);
        }
        Enc::Dpp8(d) | Enc::E64Dpp8(d) => bytes.push(dpp8_dword(name, d, dpp_src0)?),
        Enc::Nsa(_) => bytes.push(nsa),
        _ => {
            if let Some(&l) = literals.first() {
                bytes.push(l);
            }
        }
    }
    Ok(bytes)
}

/// Top bits and opcode number.
fn opcode_bits(row: &Row, form: Form, enc: Enc) -> u64 {
    let (prefix, pshift, oshift, _) = form.opcode();
    let code = if enc.is_e64() {
        row.e64_code().unwrap_or(row.code)
    } else {
        row.code
    };
    prefix << pshift | u64::from(code) << oshift
}

fn is_vgpr(o: Operand) -> bool {
    matches!(o, Operand::Reg(r) if r.file == RegFile::V)
}

/// Bit 7 of a register field of a 32-bit form whose operand is the high half of a VGPR.
fn half(inst: &Inst, form: Form, spec: &OperandSpec) -> u32 {
    match spec.half_bit() {
        Some(bit) if form.is_short() => (inst.mods.op_sel >> bit & 1) << 7,
        _ => 0,
    }
}

/// Name of the first target that has a feature.
fn first_with(feature: Feature) -> &'static str {
    TARGETS.iter().find(|t| t.has(feature)).map_or("no target", |t| t.name)
}

/// Puts a checked operand into its field.
fn place(form: Form, spec: &OperandSpec, o: Operand, value: u32) -> u64 {
    let Some((shift, width)) = form.field(spec.field) else {
        return 0; // implied (VCC), the literal dword or the third dword of an image access
    };
    let vgpr = is_vgpr(o);
    let value = match spec.field {
        Field::Sbase => value / 2,
        Field::Srsrc | Field::Ssamp => value / 4,
        Field::VdstY => value / 2,
        // `off` addresses encode as zero.
        Field::Addr | Field::Vaddr | Field::Export(_) if !vgpr => 0,
        _ if width == 9 && vgpr => value + 256,
        _ => value,
    };
    u64::from(value) << shift
}

fn dpp_selector(enc: Enc) -> u32 {
    match enc {
        Enc::Dpp8(d) | Enc::E64Dpp8(d) => 233 + u32::from(d.fi),
        _ => 250,
    }
}

fn dpp16_dword(name: &'static str, d: Dpp16, src0: u32, (neg, abs): (u32, u32)) -> Result<u32, EncodeError> {
    let ctrl_ok =
        matches!(d.ctrl, 0..=0xff | 0x101..=0x10f | 0x111..=0x11f | 0x121..=0x12f | 0x140 | 0x141 | 0x150..=0x16f);
    if !ctrl_ok {
        return Err(EncodeError::DppControl { name, what: "ctrl" });
    }
    if d.row_mask > 15 || d.bank_mask > 15 {
        return Err(EncodeError::DppControl { name, what: "mask" });
    }
    Ok(src0
        | d.ctrl << 8
        | u32::from(d.fi) << 18
        | u32::from(d.bound_ctrl) << 19
        | (neg & 1) << 20
        | (abs & 1) << 21
        | (neg >> 1 & 1) << 22
        | (abs >> 1 & 1) << 23
        | d.bank_mask << 24
        | d.row_mask << 28)
}

fn dpp8_dword(name: &'static str, d: Dpp8, src0: u32) -> Result<u32, EncodeError> {
    if d.sel.iter().any(|&s| s > 7) {
        return Err(EncodeError::DppControl { name, what: "lane" });
    }
    Ok(d.sel.iter().enumerate().fold(src0, |w, (i, s)| w | s << (8 + 3 * i)))
}

/// Modifier bits and per-family constants of the machine word.
fn mod_bits(inst: &Inst, row: &Row, form: Form) -> u64 {
    let m = &inst.mods;
    let bit = |b: bool, n: u32| u64::from(b) << n;
    match form {
        Form::Vop3 | Form::Vop3sd => {
            let mut w = bit(m.clamp, 15) | u64::from(m.neg) << 61 | u64::from(m.omod) << 59;
            if form == Form::Vop3 {
                w |= u64::from(m.abs) << 8 | u64::from(m.op_sel) << 11;
            }
            if row.family == Family::Vopc && row.flags.has(Flags::W_EXEC) {
                w |= 126; // v_cmpx names EXEC in the destination field
            }
            w
        }
        Form::Vop3p => {
            let mix = m.neg | m.neg_lo;
            let hi = m.abs | m.neg_hi;
            bit(m.clamp, 15)
                | u64::from(mix) << 61
                | u64::from(hi) << 8
                | u64::from(m.op_sel) << 11
                | u64::from(m.op_sel_hi & 3) << 59
                | u64::from(m.op_sel_hi >> 2 & 1) << 14
        }
        Form::Vopd => u64::from(inst.vopd_y.map_or(0, |y| y.row().code)) << OPCODE_Y.0,
        Form::Smem if row.class == Class::Smem => {
            u64::from(m.offset as u32 & 0x1f_ffff) << 32 | bit(m.glc, 14) | bit(m.dlc, 13)
        }
        Form::Ds => {
            let off = if row.flags.has(Flags::OFFSETS2) {
                m.offset0 | m.offset1 << 8
            } else {
                m.offset as u32 & 0xffff
            };
            u64::from(off) | bit(m.gds, 17)
        }
        Form::Flat => flat_bits(inst, row),
        Form::Mubuf if row.class != Class::VmemInv => {
            u64::from(m.offset as u32 & 0xfff)
                | bit(m.slc, 12)
                | bit(m.dlc, 13)
                | bit(m.glc, 14)
                | bit(m.tfe, 53)
                | bit(m.offen, 54)
                | bit(m.idxen, 55)
        }
        _ => super::graphics::mod_bits(inst, form),
    }
}

fn flat_bits(inst: &Inst, row: &Row) -> u64 {
    let m = &inst.mods;
    let bit = |b: bool, n: u32| u64::from(b) << n;
    let mut w =
        u64::from(m.offset as u32 & 0x1fff) | bit(m.dlc, 13) | bit(m.glc, 14) | bit(m.slc, 15) | segment(row) << 16;
    if row.flags.has(Flags::FLAT) {
        w |= 124 << 48; // no scalar address
    }
    if row.flags.has(Flags::SCRATCH) {
        let vgpr = inst
            .specs()
            .zip(&inst.operands)
            .any(|(s, o)| s.kind == Kind::SAddrV && matches!(o, Operand::Reg(r) if r.file == RegFile::V));
        w |= bit(vgpr, 55);
    }
    w
}
