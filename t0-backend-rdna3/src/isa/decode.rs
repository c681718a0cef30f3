//! Bytes to instruction.
//!
//! Method: the top bits choose the form, the opcode field chooses the row, each operand is read from its field, and the
//! result is encoded again: only bytes the encoder would produce are accepted. So reserved bits, illegal operands and
//! unknown instructions are errors and never silently read as something else, and `decode` inverts `encode` exactly.

use super::encode::encoded;
use super::form::{segment, Form, OPCODE_Y};
use super::graphics;
use super::inst::{Dpp16, Dpp8, Enc, Mods};
use super::legal::EncodeError;
use super::row::{Class, Field, Flags, ImmKind, Kind, OperandSpec, Row, Ty};
use super::{Inst, Opcode, Operand, Reg, Vopdy};
use crate::target::Target;
use std::sync::OnceLock;

/// Why bytes are no instruction of this table. Carries the bytes that were looked at.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum DecodeError {
    #[error("{len} bytes left, the instruction needs {need}", len = bytes.len())]
    Truncated { bytes: Vec<u8>, need: usize },
    #[error("unknown encoding: first dword {dword:#010x}")]
    UnknownEncoding { bytes: Vec<u8>, dword: u32 },
    #[error("unknown {form} opcode {code:#x}: first dword {dword:#010x}")]
    UnknownOpcode {
        bytes: Vec<u8>,
        form: &'static str,
        code: u32,
        dword: u32,
    },
    #[error("illegal instruction: {source}")]
    Illegal { bytes: Vec<u8>, source: EncodeError },
    #[error("{name}: reserved bits are set or a selector is undefined")]
    Reserved { bytes: Vec<u8>, name: &'static str },
}

impl DecodeError {
    /// The bytes that did not decode.
    pub fn bytes(&self) -> &[u8] {
        match self {
            DecodeError::Truncated { bytes, .. }
            | DecodeError::UnknownEncoding { bytes, .. }
            | DecodeError::UnknownOpcode { bytes, .. }
            | DecodeError::Illegal { bytes, .. }
            | DecodeError::Reserved { bytes, .. } => bytes,
        }
    }
}

/// Decodes the instruction at the start of `code`; returns it and the bytes it takes.
///
/// # Errors
/// The bytes are too short, unknown, or not what the encoder would produce.
pub fn decode(code: &[u8], target: &Target) -> Result<(Inst, usize), DecodeError> {
    let dword = dword_at(code, 0, 4)?;
    let form = form_of(dword).ok_or_else(|| DecodeError::UnknownEncoding {
        bytes: code[..4].to_vec(),
        dword,
    })?;
    let base = form.bytes();
    let hi = if base == 8 { dword_at(code, 4, 8)? } else { 0 };
    let mut word = u64::from(hi) << 32 | u64::from(dword);
    let (op, e64) = lookup(form, word).ok_or_else(|| DecodeError::UnknownOpcode {
        bytes: code[..base].to_vec(),
        form: form_name(form),
        code: opcode_field(form, word),
        dword,
    })?;
    let row = op.row();
    let form = Form::of(row, if e64 { Enc::E64 } else { Enc::Natural }).unwrap_or(form);
    let mut size = base;
    let mut enc = if e64 { Enc::E64 } else { Enc::Natural };
    let mut dpp_src0 = None;
    let mut mods = read_mods(row, form, word);
    if let Some(n) = graphics::nsa_addresses(row, form, word, &mods) {
        enc = Enc::Nsa(n);
        size += 4;
        dword_at(code, base, size)?;
    }
    if form.is_short() {
        mods.op_sel = halves(row, form, &mut word);
    }
    if form.is_vector_alu() && form != Form::Vopd {
        let src0 = form.field(Field::Src0).map_or(0, |(s, w)| field(word, s, w));
        if matches!(src0, 233 | 234 | 250) {
            let d = dword_at(code, base, base + 4)?;
            size += 4;
            dpp_src0 = Some(d & 0xff);
            if form.is_short() && row.operands.iter().any(|o| o.half_bit() == Some(0)) {
                dpp_src0 = Some(d & 0x7f);
                mods.op_sel |= d >> 7 & 1;
            }
            enc = read_dpp(&mut mods, src0, d, e64, form);
        }
    }
    let mut reader = Reader {
        form,
        word,
        code,
        base,
        literal: None,
        narrowed: false,
        dpp_src0,
        mods,
        wave_size: target.wave_size,
        enc,
    };
    let vopd_y = match form {
        Form::Vopd => Some(second_half(code, word, dword)?),
        _ => None,
    };
    let mut inst = Inst {
        op,
        enc,
        operands: Vec::new(),
        mods,
        vopd_y,
    };
    let mut operands = Vec::with_capacity(row.operands.len());
    for spec in inst.specs() {
        let o = reader.operand(&spec)?.ok_or_else(|| DecodeError::Reserved {
            bytes: code[..size.min(code.len())].to_vec(),
            name: row.name,
        })?;
        operands.push(o);
    }
    if reader.literal.is_some() {
        size += 4;
    }
    inst.operands = operands;
    // DPP and a literal selector together may name more dwords than there are; the encoder refuses them anyway.
    let taken = &code[..size.min(code.len())];
    match encoded(&inst, target) {
        Err(source) => Err(DecodeError::Illegal {
            bytes: taken.to_vec(),
            source,
        }),
        Ok(e) if e.bytes() == taken || *e.bytes() == as_encoded(row, form, taken, reader.narrowed)[..] => {
            Ok((inst, size))
        }
        Ok(_) => Err(DecodeError::Reserved {
            bytes: taken.to_vec(),
            name: row.name,
        }),
    }
}

/// Takes the bits that choose halves of VGPRs out of the register fields of a 32-bit form, as `op_sel`.
fn halves(row: &Row, form: Form, word: &mut u64) -> u32 {
    let mut op_sel = 0;
    for spec in row.operands {
        let (Some(bit), Some((shift, width))) = (spec.half_bit(), form.field(spec.field)) else {
            continue;
        };
        let vgpr = width < 9 || field(*word, shift, width) >= 256;
        if vgpr && field(*word, shift + 7, 1) == 1 {
            *word &= !(1 << (shift + 7));
            op_sel |= 1 << bit;
        }
    }
    op_sel
}

/// The second half of a dual-issue pair.
fn second_half(code: &[u8], word: u64, dword: u32) -> Result<Vopdy, DecodeError> {
    let y = field(word, OPCODE_Y.0, OPCODE_Y.1);
    let found = Vopdy::ALL.iter().find(|op| op.row().code == y);
    found.copied().ok_or_else(|| DecodeError::UnknownOpcode {
        bytes: code[..8].to_vec(),
        form: "VOPD (second half)",
        code: y,
        dword,
    })
}

/// The bytes of an instruction as our encoder writes them where other compilers choose differently and the card does not
/// care: LLVM from version 21 on writes the inline constant 0 (0x80) into the source fields a VOP3 instruction does not
/// use, we write 0; clang sign-extends the literal of a 16-bit integer (`narrowed`), we write 16 bits.
fn as_encoded(row: &Row, form: Form, taken: &[u8], narrowed: bool) -> Vec<u8> {
    const ZERO: u32 = 0x80;
    let mut bytes = taken.to_vec();
    if narrowed {
        let n = bytes.len();
        bytes[n - 2..].fill(0);
    }
    if !matches!(form, Form::Vop3 | Form::Vop3sd) {
        return bytes;
    }
    let Some(hi) = bytes.get_mut(4..8) else { return bytes };
    let mut word = hi.iter().rev().fold(0, |w, &b| w << 8 | u32::from(b));
    for f in [Field::Src1, Field::Src2] {
        let used = row.operands.iter().any(|o| o.field == f);
        let shift = form.field(f).map_or(0, |(s, _)| s - 32);
        if !used && word >> shift & 0x1ff == ZERO {
            word &= !(0x1ff << shift);
        }
    }
    hi.copy_from_slice(&word.to_le_bytes());
    bytes
}

fn dword_at(code: &[u8], at: usize, need: usize) -> Result<u32, DecodeError> {
    match code.get(at..at + 4) {
        Some(b) => Ok(u32::from_le_bytes([b[0], b[1], b[2], b[3]])),
        None => Err(DecodeError::Truncated {
            bytes: code.to_vec(),
            need,
        }),
    }
}

fn field(word: u64, shift: u32, width: u32) -> u32 {
    (word >> shift & ((1 << width) - 1)) as u32
}

/// Encoding form by the top bits of the first dword.
fn form_of(d: u32) -> Option<Form> {
    Some(match d >> 23 {
        0b1_0111_1101 => Form::Sop1,
        0b1_0111_1110 => Form::Sopc,
        0b1_0111_1111 => Form::Sopp,
        _ => match (d >> 30, d >> 28, d >> 26, d >> 25) {
            (_, 0b1011, _, _) => Form::Sopk,
            (0b10, _, _, _) => Form::Sop2,
            (_, _, _, 0b011_1111) => Form::Vop1,
            (_, _, _, 0b011_1110) => Form::Vopc,
            (0b00 | 0b01, _, _, _) => Form::Vop2,
            (_, _, 0b11_0101, _) => Form::Vop3,
            (_, _, 0b11_0011, _) if d >> 24 == 0xcc => Form::Vop3p,
            (_, _, 0b11_0010, _) => Form::Vopd,
            (_, _, 0b11_0110, _) => Form::Ds,
            (_, _, 0b11_0111, _) => Form::Flat,
            (_, _, 0b11_1000, _) => Form::Mubuf,
            (_, _, 0b11_1101, _) => Form::Smem,
            (_, _, 0b11_1010, _) => Form::Mtbuf,
            (_, _, 0b11_1100, _) => Form::Mimg,
            (_, _, 0b11_1110, _) => Form::Exp,
            (_, _, 0b11_0011, _) if d >> 24 == 0xcd => Form::Vinterp,
            (_, _, 0b11_0011, _) if d >> 24 == 0xce => Form::Ldsdir,
            _ => return None,
        },
    })
}

fn form_name(form: Form) -> &'static str {
    match form {
        Form::Sop1 => "SOP1",
        Form::Sop2 => "SOP2",
        Form::Sopc => "SOPC",
        Form::Sopk => "SOPK",
        Form::Sopp => "SOPP",
        Form::Smem => "SMEM",
        Form::Vop1 => "VOP1",
        Form::Vop2 => "VOP2",
        Form::Vopc => "VOPC",
        Form::Vop3 | Form::Vop3sd => "VOP3",
        Form::Vop3p => "VOP3P",
        Form::Vopd => "VOPD",
        Form::Ds => "DS",
        Form::Flat => "FLAT",
        Form::Mubuf => "MUBUF",
        Form::Mtbuf => "MTBUF",
        Form::Mimg => "MIMG",
        Form::Ldsdir => "LDSDIR",
        Form::Vinterp => "VINTERP",
        Form::Exp => "EXP",
    }
}

fn opcode_field(form: Form, word: u64) -> u32 {
    let (_, _, shift, width) = form.opcode();
    field(word, shift, width)
}

/// Index key: form, opcode number, segment (FLAT only).
fn key(form: Form, code: u32, seg: u64) -> usize {
    let f = match form {
        Form::Vop3sd => Form::Vop3 as usize,
        f => f as usize,
    };
    (f << 12) | ((seg as usize) << 10) | code as usize
}

/// Row of the opcode in `word`, and whether it is the VOP3 form of a shorter one.
fn lookup(form: Form, word: u64) -> Option<(Opcode, bool)> {
    static INDEX: OnceLock<Vec<Option<(Opcode, bool)>>> = OnceLock::new();
    let index = INDEX.get_or_init(|| {
        let mut v = vec![None; 32 << 12];
        for op in Opcode::all() {
            let row = op.row();
            if let Some(form) = Form::of(row, Enc::Natural) {
                let seg = if form == Form::Flat { segment(row) } else { 0 };
                v[key(form, row.code, seg)] = Some((op, false));
            }
            if let (Some(code), Some(form)) = (row.e64_code(), Form::of(row, Enc::E64)) {
                v[key(form, code, 0)] = Some((op, true));
            }
        }
        v
    });
    let seg = if form == Form::Flat {
        u64::from(field(word, 16, 2))
    } else {
        0
    };
    index.get(key(form, opcode_field(form, word), seg)).copied().flatten()
}

fn read_dpp(mods: &mut Mods, sel: u32, d: u32, e64: bool, form: Form) -> Enc {
    if sel != 250 {
        let dpp = Dpp8 {
            sel: std::array::from_fn(|i| d >> (8 + 3 * i) & 7),
            fi: sel == 234,
        };
        return if e64 { Enc::E64Dpp8(dpp) } else { Enc::Dpp8(dpp) };
    }
    if matches!(form, Form::Vop1 | Form::Vop2 | Form::Vopc) {
        mods.neg = d >> 20 & 1 | d >> 21 & 2;
        mods.abs = d >> 21 & 1 | d >> 22 & 2;
    }
    let dpp = Dpp16 {
        ctrl: d >> 8 & 0x1ff,
        row_mask: d >> 28,
        bank_mask: d >> 24 & 15,
        bound_ctrl: d >> 19 & 1 == 1,
        fi: d >> 18 & 1 == 1,
    };
    if e64 {
        Enc::E64Dpp16(dpp)
    } else {
        Enc::Dpp16(dpp)
    }
}

/// Modifier bits of the machine word, the inverse of the encoder's.
fn read_mods(row: &Row, form: Form, w: u64) -> Mods {
    let bit = |n: u32| w >> n & 1 == 1;
    let mut m = Mods::default();
    match form {
        Form::Vop3 | Form::Vop3sd => {
            m.clamp = bit(15);
            m.neg = field(w, 61, 3);
            m.omod = field(w, 59, 2);
            if form == Form::Vop3 {
                m.abs = field(w, 8, 3);
                m.op_sel = field(w, 11, 4);
            }
        }
        Form::Vop3p => {
            m.clamp = bit(15);
            m.op_sel = field(w, 11, 3);
            m.op_sel_hi = field(w, 59, 2) | field(w, 14, 1) << 2;
            if row.operands[1].ty == Ty::MixF32 {
                m.neg = field(w, 61, 3);
                m.abs = field(w, 8, 3);
            } else {
                m.neg_lo = field(w, 61, 3);
                m.neg_hi = field(w, 8, 3);
            }
        }
        Form::Smem if row.class == Class::Smem => {
            m.offset = (field(w, 32, 21) << 11) as i32 >> 11;
            m.glc = bit(14);
            m.dlc = bit(13);
        }
        Form::Ds => {
            if row.flags.has(Flags::OFFSETS2) {
                m.offset0 = field(w, 0, 8);
                m.offset1 = field(w, 8, 8);
            } else {
                m.offset = field(w, 0, 16) as i32;
            }
            m.gds = bit(17);
        }
        Form::Flat => {
            let raw = field(w, 0, 13);
            m.offset = if row.flags.has(Flags::FLAT) {
                raw as i32
            } else {
                (raw << 19) as i32 >> 19
            };
            m.dlc = bit(13);
            m.glc = bit(14);
            m.slc = bit(15);
        }
        Form::Mubuf if row.class != Class::VmemInv => {
            m.offset = field(w, 0, 12) as i32;
            m.slc = bit(12);
            m.dlc = bit(13);
            m.glc = bit(14);
            m.tfe = bit(53);
            m.offen = bit(54);
            m.idxen = bit(55);
        }
        Form::Mtbuf | Form::Mimg | Form::Ldsdir | Form::Vinterp | Form::Exp => {
            graphics::read_mods(row, form, w, &mut m)
        }
        _ => {}
    }
    m
}

/// Reads operands out of one machine word.
struct Reader<'a> {
    form: Form,
    word: u64,
    code: &'a [u8],
    base: usize,
    literal: Option<u32>,
    /// The literal was a sign-extended 16-bit integer.
    narrowed: bool,
    dpp_src0: Option<u32>,
    mods: Mods,
    wave_size: u32,
    enc: Enc,
}

impl Reader<'_> {
    /// The operand, or `None` for an undefined selector.
    fn operand(&mut self, spec: &OperandSpec) -> Result<Option<Operand>, DecodeError> {
        if spec.kind == Kind::Literal {
            return self.literal().map(|l| Some(Operand::Literal(l)));
        }
        if let Field::Nsa(i) = spec.field {
            let at = self.base + i as usize - 1;
            let byte = self.code.get(at).copied().unwrap_or_default();
            let regs = graphics::operand_regs(spec, self.enc, &self.mods);
            return Ok(Some(Operand::vn(u32::from(byte), regs)));
        }
        let Some((shift, width)) = self.form.field(spec.field) else {
            return Ok(Some(Operand::Reg(Reg::vcc(self.wave_size)))); // the implied mask of natural forms
        };
        let v = field(self.word, shift, width);
        let regs = spec.ty.regs_in(self.wave_size);
        if let (Field::Src0, Some(r)) = (spec.field, self.dpp_src0) {
            return Ok(Some(Operand::vn(r, regs)));
        }
        Ok(match spec.kind {
            Kind::Vgpr if width == 9 => (v >= 256).then(|| Operand::vn(v - 256, regs)),
            Kind::Vgpr if spec.field == Field::VdstY => {
                let x = self.form.field(Field::Vdst).map_or(0, |(s, w)| field(self.word, s, w));
                Some(Operand::v(v << 1 | !x & 1))
            }
            Kind::Vgpr => {
                let extra = u32::from(spec.field == Field::Vdata && self.mods.tfe);
                Some(Operand::vn(v, regs + extra))
            }
            Kind::VSrc | Kind::VgprOrConst if v >= 256 => Some(Operand::vn(v - 256, regs)),
            Kind::VSrc | Kind::SSrc | Kind::SRegOrConst | Kind::VgprOrConst | Kind::Mask => {
                if v == 255 && matches!(spec.kind, Kind::VSrc | Kind::SSrc) {
                    return self.literal().map(|l| Some(Operand::Literal(self.narrow(l, spec))));
                }
                scalar(v, regs)
            }
            Kind::SDst | Kind::SReg | Kind::Vcc | Kind::SOpt => scalar(v, regs),
            Kind::Null => scalar(v, 1),
            Kind::SBase => {
                let scale = if self.form == Form::Smem { 2 } else { 4 };
                scalar(v * scale, regs)
            }
            Kind::VAddr => {
                let n = u32::from(self.mods.offen) + u32::from(self.mods.idxen);
                Some(if n == 0 { Operand::OFF } else { Operand::vn(v, n) })
            }
            Kind::ImgAddr(_) | Kind::ImgData(_) => {
                Some(Operand::vn(v, graphics::operand_regs(spec, self.enc, &self.mods)))
            }
            Kind::Export => {
                let enabled = matches!(spec.field, Field::Export(i) if field(self.word, i, 1) == 1);
                Some(if enabled { Operand::v(v) } else { Operand::OFF })
            }
            Kind::GAddr => {
                let off = field(self.word, 48, 7) == 124;
                Some(Operand::vn(v, if off { 2 } else { 1 }))
            }
            Kind::SAddrV => Some(if field(self.word, 55, 1) == 1 {
                Operand::v(v)
            } else {
                Operand::OFF
            }),
            Kind::Imm(ImmKind::Signed | ImmKind::Branch) => Some(Operand::Imm(i64::from(v as u16 as i16))),
            Kind::Imm(_) => Some(Operand::Imm(i64::from(v))),
            Kind::Literal => None,
        })
    }

    /// The low half of a negative 16-bit integer's literal.
    fn narrow(&mut self, l: u32, spec: &OperandSpec) -> u32 {
        let negative = l >= 0xffff_8000 && spec.ty.bits() == 16 && !spec.ty.is_float() && spec.ty != Ty::Class16;
        self.narrowed |= negative;
        if negative {
            l & 0xffff
        } else {
            l
        }
    }

    fn literal(&mut self) -> Result<u32, DecodeError> {
        let l = dword_at(self.code, self.base, self.base + 4)?;
        self.literal = Some(l);
        Ok(l)
    }
}

/// Operand of a scalar selector.
fn scalar(v: u32, regs: u32) -> Option<Operand> {
    Some(match v {
        124 => Operand::OFF,
        0..=127 => Operand::sn(v, regs),
        128..=208 | 240..=248 => Operand::Const(v),
        235..=238 | 251..=253 => Operand::Special(v),
        _ => return None,
    })
}

/// One line of a disassembly: offset, instruction or error, the bytes it covers.
pub type Line<'a> = (u64, Result<Inst, DecodeError>, &'a [u8]);

/// Walks `code` instruction by instruction. `base` is the address of its first byte. After an undecodable dword the walk
/// goes on four bytes later; a tail of less than four bytes is the last item.
pub fn disassemble<'a>(code: &'a [u8], base: u64, target: &'a Target) -> impl Iterator<Item = Line<'a>> + 'a {
    let mut at = 0usize;
    std::iter::from_fn(move || {
        if at >= code.len() {
            return None;
        }
        let rest = &code[at..];
        let (result, size) = match decode(rest, target) {
            Ok((inst, size)) => (Ok(inst), size),
            Err(e) => (Err(e), rest.len().min(4)),
        };
        let line = (base + at as u64, result, &rest[..size]);
        at += size;
        Some(line)
    })
}
