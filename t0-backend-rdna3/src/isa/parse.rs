//! Assembler text to instruction.
//!
//! Accepts what [`Display`](std::fmt::Display) prints and LLVM's spellings without encoding suffix: then the shortest legal form
//! is taken, as LLVM does. Method: operands are split at top-level commas, modifiers at spaces after the last operand, and
//! the candidate forms are tried in order until the encoder accepts one.

use super::encode::encode;
use super::imm;
use super::inst::{specs_of, Dpp16, Dpp8, Enc, Mods};
use super::legal::EncodeError;
use super::print::{special_name, text_ty, FLOAT_NAMES};
use super::row::{Class, Family, Field, Flags, ImmKind, Kind, OperandSpec, Row, Ty};
use super::{Inst, Opcode, Operand, Reg, RegFile, Vopdx, Vopdy};
use crate::target::Target;

/// Why a line is no instruction.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum ParseError {
    #[error("unknown instruction `{name}`")]
    Unknown { name: String },
    #[error("{name} takes {want} operands, got {got}")]
    OperandCount {
        name: &'static str,
        want: usize,
        got: usize,
    },
    #[error("`{name}` cannot be the {half} half of a dual-issue pair")]
    NotInPair { name: String, half: &'static str },
    #[error("{name}: cannot read operand `{text}`")]
    Operand { name: &'static str, text: String },
    #[error("{name}: cannot read modifier `{text}`")]
    Modifier { name: &'static str, text: String },
    #[error(transparent)]
    Illegal(#[from] EncodeError),
}

/// Parses one instruction; text after `;` or `//` is ignored.
///
/// # Errors
/// Unknown mnemonic, unreadable operand or modifier, or an instruction no encoding form can hold.
pub fn parse(text: &str, target: &Target) -> Result<Inst, ParseError> {
    let text = text.split(';').next().unwrap_or_default();
    let text = text.split("//").next().unwrap_or_default().trim();
    if let Some((x, y)) = text.split_once("::") {
        return pair(x.trim(), y.trim(), target);
    }
    let (mnemonic, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let (op, suffix) = find(mnemonic).ok_or_else(|| ParseError::Unknown {
        name: mnemonic.to_string(),
    })?;
    let row = op.row();
    let (operand_texts, modifier_texts) = split(row, rest.trim());
    let mut p = Parser {
        row,
        mods: Mods::for_op(op),
        dpp: Dpp::default(),
        nsa: 0,
    };
    p.mods.glc = false; // written out where it matters
    p.mods.gds = false;
    for m in modifier_texts {
        p.modifier(m).ok_or_else(|| ParseError::Modifier {
            name: row.name,
            text: m.to_string(),
        })?;
    }
    let operands = p.operands(&operand_texts)?;
    let mut first_error = None;
    for enc in p.candidates(suffix) {
        let inst = Inst {
            op,
            enc,
            operands: operands.clone(),
            mods: p.mods,
            vopd_y: None,
        };
        match encode(&inst, target) {
            Ok(_) => return Ok(inst),
            Err(e) => {
                first_error.get_or_insert(e);
            }
        }
    }
    Err(ParseError::Illegal(
        first_error.unwrap_or(EncodeError::NoForm { name: row.name }),
    ))
}

/// Both halves of a dual-issue pair.
fn pair(x: &str, y: &str, target: &Target) -> Result<Inst, ParseError> {
    let half = |text: &str, second: bool| -> Result<(Opcode, Vec<Operand>), ParseError> {
        let (mnemonic, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let found = if second {
            Vopdy::ALL
                .iter()
                .find(|op| op.row().name == mnemonic)
                .map(|&op| op.into())
        } else {
            Vopdx::ALL
                .iter()
                .find(|op| op.row().name == mnemonic)
                .map(|&op| op.into())
        };
        let op: Opcode = found.ok_or_else(|| ParseError::NotInPair {
            name: mnemonic.to_string(),
            half: if second { "second" } else { "first" },
        })?;
        let row = op.row();
        let (operands, modifiers) = split(row, rest.trim());
        if let Some(m) = modifiers.first() {
            return Err(ParseError::Modifier {
                name: row.name,
                text: (*m).to_string(),
            });
        }
        let mut p = Parser {
            row,
            mods: Mods::for_op(op),
            dpp: Dpp::default(),
            nsa: 0,
        };
        let operands = p.operands(&operands)?;
        if p.mods != Mods::for_op(op) {
            return Err(ParseError::Illegal(EncodeError::Modifier {
                name: row.name,
                modifier: "neg or abs",
            }));
        }
        Ok((op, operands))
    };
    let (op, mut operands) = half(x, false)?;
    let (op_y, second) = half(y, true)?;
    operands.extend(second);
    let mut inst = Inst::new(op, operands);
    inst.vopd_y = match op_y {
        Opcode::Vopdy(y) => Some(y),
        _ => None,
    };
    encode(&inst, target)?;
    Ok(inst)
}

/// Encoding suffix of a mnemonic.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Suffix {
    None,
    E32,
    E64,
    Dpp,
    E64Dpp,
}

fn find(mnemonic: &str) -> Option<(Opcode, Suffix)> {
    if let Some(op) = Opcode::from_name(mnemonic) {
        return Some((op, Suffix::None));
    }
    let suffixes = [
        ("_e64_dpp", Suffix::E64Dpp),
        ("_dpp", Suffix::Dpp),
        ("_e32", Suffix::E32),
        ("_e64", Suffix::E64),
    ];
    suffixes
        .into_iter()
        .find_map(|(s, suffix)| Some((Opcode::from_name(mnemonic.strip_suffix(s)?)?, suffix)))
}

/// Splits at a separator outside brackets, parentheses and quotes.
fn split_top(text: &str, sep: fn(char) -> bool) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut quoted, mut start) = (0i32, false, 0);
    for (i, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '(' | '[' if !quoted => depth += 1,
            ')' | ']' if !quoted => depth -= 1,
            c if sep(c) && depth == 0 && !quoted => {
                parts.push(text[start..i].trim());
                start = i + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}

/// Operand texts and modifier texts.
fn split<'a>(row: &Row, rest: &'a str) -> (Vec<&'a str>, Vec<&'a str>) {
    if rest.is_empty() {
        return (Vec::new(), Vec::new());
    }
    // Counter and delay lists contain spaces and are the only operand.
    if matches!(row.operands, [s] if matches!(s.kind, Kind::Imm(_))) {
        return (vec![rest], Vec::new());
    }
    let mut operands = split_top(rest, |c| c == ',');
    if row.family == Family::Exp {
        // The target may stand without a comma.
        if let Some((target, first)) = operands[0].split_once(char::is_whitespace) {
            operands[0] = target;
            operands.insert(1, first.trim());
        }
    }
    let mut tail: Vec<&str> = match operands.pop() {
        Some(last) => split_top(last, char::is_whitespace)
            .into_iter()
            .filter(|t| !t.is_empty())
            .collect(),
        None => Vec::new(),
    };
    if !row.operands.is_empty() && !tail.is_empty() {
        operands.push(tail.remove(0));
    }
    (operands, tail)
}

/// DPP modifiers as they are met.
#[derive(Default)]
struct Dpp {
    ctrl: Option<u32>,
    sel: Option<[u32; 8]>,
    row_mask: Option<u32>,
    bank_mask: Option<u32>,
    bound_ctrl: bool,
    fi: bool,
}

struct Parser {
    row: &'static Row,
    mods: Mods,
    dpp: Dpp,
    /// Separate address registers of an image access.
    nsa: u32,
}

impl Parser {
    /// Forms to try, shortest first.
    fn candidates(&self, suffix: Suffix) -> Vec<Enc> {
        let d = &self.dpp;
        if let Some(sel) = d.sel {
            let dpp = Dpp8 { sel, fi: d.fi };
            return match suffix {
                Suffix::E64Dpp if self.row.e64_code().is_none() => vec![Enc::Dpp8(dpp)],
                Suffix::E64Dpp | Suffix::E64 => vec![Enc::E64Dpp8(dpp)],
                Suffix::Dpp | Suffix::E32 => vec![Enc::Dpp8(dpp)],
                Suffix::None => vec![Enc::Dpp8(dpp), Enc::E64Dpp8(dpp)],
            };
        }
        if let Some(ctrl) = d.ctrl {
            let dpp = Dpp16 {
                ctrl,
                row_mask: d.row_mask.unwrap_or(15),
                bank_mask: d.bank_mask.unwrap_or(15),
                bound_ctrl: d.bound_ctrl,
                fi: d.fi,
            };
            return match suffix {
                Suffix::E64Dpp if self.row.e64_code().is_none() => vec![Enc::Dpp16(dpp)],
                Suffix::E64Dpp | Suffix::E64 => vec![Enc::E64Dpp16(dpp)],
                Suffix::Dpp | Suffix::E32 => vec![Enc::Dpp16(dpp)],
                Suffix::None => vec![Enc::Dpp16(dpp), Enc::E64Dpp16(dpp)],
            };
        }
        if self.nsa > 0 {
            return vec![Enc::Nsa(self.nsa)];
        }
        match suffix {
            Suffix::E32 => vec![Enc::Natural],
            Suffix::E64 if self.row.e64_code().is_some() => vec![Enc::E64],
            Suffix::E64 => vec![Enc::Natural],
            _ => vec![Enc::Natural, Enc::E64],
        }
    }

    fn operands(&mut self, texts: &[&str]) -> Result<Vec<Operand>, ParseError> {
        let row = self.row;
        let specs: Vec<OperandSpec> = specs_of(row, Enc::Natural, self.mods.glc).collect();
        if let ([spec], []) = (&specs[..], texts) {
            if spec.kind == Kind::Imm(ImmKind::Optional) {
                return Ok(vec![Operand::Imm(0)]);
            }
        }
        if specs.len() != texts.len() {
            return Err(ParseError::OperandCount {
                name: row.name,
                want: specs.len(),
                got: texts.len(),
            });
        }
        let mut out = Vec::with_capacity(specs.len());
        let mut source = 0;
        for (spec, text) in specs.iter().zip(texts) {
            if let (Kind::ImgAddr(_), Some(list)) = (spec.kind, address_list(text)) {
                self.nsa = if list.len() > 1 { list.len() as u32 } else { 0 };
                for part in list {
                    out.push(register(part).ok_or_else(|| ParseError::Operand {
                        name: row.name,
                        text: part.to_string(),
                    })?);
                }
                continue;
            }
            let is_source = spec.is_src() && spec.field != Field::Vdst;
            let o = self.operand(spec, text, is_source.then_some(source));
            out.push(o.ok_or_else(|| ParseError::Operand {
                name: row.name,
                text: (*text).to_string(),
            })?);
            source += u32::from(is_source);
        }
        Ok(out)
    }

    fn operand(&mut self, spec: &OperandSpec, text: &str, source: Option<u32>) -> Option<Operand> {
        if let Kind::Imm(kind) = spec.kind {
            return imm::parse(kind, text).map(Operand::Imm);
        }
        let mut text = text;
        if let Some(i) = source {
            let mut set = |neg: bool| {
                if neg {
                    self.mods.neg |= 1 << i
                } else {
                    self.mods.abs |= 1 << i
                }
            };
            if let Some(t) = text.strip_prefix("neg(").and_then(|t| t.strip_suffix(')')) {
                set(true);
                text = t;
            } else if let Some(t) = text
                .strip_prefix('-')
                .filter(|t| t.starts_with(|c: char| c == '|' || c.is_alphabetic()))
            {
                set(true);
                text = t;
            }
            let bars = text.strip_prefix('|').and_then(|t| t.strip_suffix('|'));
            if let Some(t) = bars.or_else(|| text.strip_prefix("abs(").and_then(|t| t.strip_suffix(')'))) {
                set(false);
                text = t;
            }
        }
        if self.row.flags.has(Flags::TRUE16) {
            let half = text
                .strip_suffix(".l")
                .map(|t| (t, 0))
                .or(text.strip_suffix(".h").map(|t| (t, 1)));
            if let Some((name, half)) = half {
                self.mods.op_sel |= half << if spec.is_dst() { 3 } else { 0 };
                return register(name).filter(is_vgpr);
            }
            if register(text).is_some_and(|o| is_vgpr(&o)) {
                return None;
            }
        }
        if spec.kind == Kind::Null {
            return register(text).filter(|o| *o == Operand::OFF);
        }
        if let Some(o) = register(text) {
            return Some(o);
        }
        if let Some(s) = [235, 236, 237, 238, 251, 252, 253]
            .into_iter()
            .find(|&s| special_name(s) == text)
        {
            return Some(Operand::Special(s));
        }
        if spec.kind == Kind::SOpt && self.row.family == Family::Smem {
            self.mods.offset = i32::try_from(number(text)?).ok()?;
            return Some(Operand::OFF);
        }
        let read_as = OperandSpec {
            ty: text_ty(self.row, spec.ty),
            ..*spec
        };
        constant(&read_as, text)
    }

    fn modifier(&mut self, text: &str) -> Option<()> {
        let (key, value) = text.split_once(':').unwrap_or((text, ""));
        let m = &mut self.mods;
        match key {
            "glc" => m.glc = true,
            "slc" => m.slc = true,
            "dlc" => m.dlc = true,
            "offen" => m.offen = true,
            "idxen" => m.idxen = true,
            "tfe" => m.tfe = true,
            "gds" => m.gds = true,
            "clamp" => m.clamp = true,
            "mul" => m.omod = if value == "4" { 2 } else { 1 },
            "div" => m.omod = 3,
            "offset" if value.starts_with("swizzle(") => m.offset = imm::parse_swizzle(value)?,
            "offset" => m.offset = i32::try_from(number(value)?).ok()?,
            "offset0" => m.offset0 = u32::try_from(number(value)?).ok()?,
            "offset1" => m.offset1 = u32::try_from(number(value)?).ok()?,
            "op_sel" => m.op_sel = op_sel(self.row, value)?,
            "op_sel_hi" => {
                let keep = m.op_sel_hi & !((1 << bits(value)?.len()) - 1);
                m.op_sel_hi = keep | mask(value)?;
            }
            "neg_lo" => m.neg_lo = mask(value)?,
            "neg_hi" => m.neg_hi = mask(value)?,
            _ => {
                if super::graphics::parse_modifier(self.row, m, key, value).is_none() {
                    self.dpp_modifier(key, value)?;
                }
            }
        }
        Some(())
    }

    fn dpp_modifier(&mut self, key: &str, value: &str) -> Option<()> {
        let n = || number(value).and_then(|v| u32::try_from(v).ok()).filter(|v| *v < 16);
        let d = &mut self.dpp;
        match key {
            "quad_perm" => {
                let b = bits(value).filter(|b| b.len() == 4 && b.iter().all(|v| *v < 4))?;
                d.ctrl = Some(b[0] | b[1] << 2 | b[2] << 4 | b[3] << 6);
            }
            "row_shl" => d.ctrl = Some(0x100 + n()?),
            "row_shr" => d.ctrl = Some(0x110 + n()?),
            "row_ror" => d.ctrl = Some(0x120 + n()?),
            "row_mirror" => d.ctrl = Some(0x140),
            "row_half_mirror" => d.ctrl = Some(0x141),
            "row_share" => d.ctrl = Some(0x150 + n()?),
            "row_xmask" => d.ctrl = Some(0x160 + n()?),
            "row_mask" => d.row_mask = Some(n()?),
            "bank_mask" => d.bank_mask = Some(n()?),
            // Historic spelling: both numbers switch it on.
            "bound_ctrl" => d.bound_ctrl = matches!(value, "0" | "1"),
            "fi" => d.fi = value == "1",
            "dpp8" => d.sel = Some(bits(value)?.try_into().ok()?),
            _ => return None,
        }
        Some(())
    }
}

/// The last of n+1 bits is the destination's, which the machine keeps in bit 3.
fn op_sel(row: &Row, value: &str) -> Option<u32> {
    let b = bits(value)?;
    let n = row
        .operands
        .iter()
        .filter(|s| matches!(s.field, Field::Src0 | Field::Src1 | Field::Src2))
        .count();
    let m = mask(value)?;
    let with_dst = b.len() == n + 1 && row.class != Class::ValuLane;
    Some(if with_dst {
        m & ((1 << n) - 1) | (m >> n & 1) << 3
    } else {
        m
    })
}

/// Numbers of `[a,b,..]`.
fn bits(text: &str) -> Option<Vec<u32>> {
    let inner = text.strip_prefix('[')?.strip_suffix(']')?;
    inner.split(',').map(|t| t.trim().parse().ok()).collect()
}

/// Bit mask of `[0,1,..]`, first entry lowest.
fn mask(text: &str) -> Option<u32> {
    let b = bits(text)?;
    (b.len() <= 4 && b.iter().all(|v| *v < 2)).then(|| b.iter().enumerate().fold(0, |m, (i, v)| m | v << i))
}

/// Decimal or hexadecimal integer with optional sign.
pub(crate) fn number(text: &str) -> Option<i64> {
    let (neg, t) = match text.strip_prefix('-') {
        Some(t) => (true, t),
        None => (false, text),
    };
    let v = match t.strip_prefix("0x") {
        Some(h) => i64::from_str_radix(h, 16).ok()?,
        None if t.starts_with(|c: char| c.is_ascii_digit()) => t.parse().ok()?,
        None => return None,
    };
    Some(if neg { -v } else { v })
}

/// Elements of `[v1, v2, ..]`, the separate address registers of an image access.
fn address_list(text: &str) -> Option<Vec<&str>> {
    let inner = text.strip_prefix('[')?.strip_suffix(']')?;
    Some(split_top(inner, |c| c == ','))
}

fn is_vgpr(o: &Operand) -> bool {
    matches!(o, Operand::Reg(r) if r.file == RegFile::V)
}

/// A register by name; `off` is NULL.
fn register(text: &str) -> Option<Operand> {
    let named = match text {
        "off" | "null" => Some(Reg::NULL),
        "vcc_lo" => Some(Reg::VCC),
        "vcc_hi" => Some(Reg::VCC_HI),
        "vcc" => Some(Reg::sn(106, 2)),
        "m0" => Some(Reg::M0),
        "exec_lo" => Some(Reg::EXEC),
        "exec_hi" => Some(Reg::EXEC_HI),
        "exec" => Some(Reg::sn(126, 2)),
        _ => None,
    };
    if let Some(r) = named {
        return Some(Operand::Reg(r));
    }
    let (base, rest): (fn(u32, u32) -> Operand, &str) = if let Some(t) = text.strip_prefix("ttmp") {
        (|i, n| Operand::sn(108 + i, n), t)
    } else if let Some(t) = text.strip_prefix('v') {
        (Operand::vn, t)
    } else {
        (Operand::sn, text.strip_prefix('s')?)
    };
    if let Some(inner) = rest.strip_prefix('[').and_then(|t| t.strip_suffix(']')) {
        let (lo, hi) = inner.split_once(':').unwrap_or((inner, inner));
        let (lo, hi): (u32, u32) = (lo.trim().parse().ok()?, hi.trim().parse().ok()?);
        return (lo <= hi && hi < 256).then(|| base(lo, hi - lo + 1));
    }
    let i: u32 = rest.parse().ok()?;
    (i < 256).then(|| base(i, 1))
}

/// A constant: inline when the operand's type has one of that value, else a literal.
fn constant(spec: &OperandSpec, text: &str) -> Option<Operand> {
    let ty = spec.ty;
    if let Some(i) = FLOAT_NAMES.iter().position(|n| *n == text) {
        return float_constant(spec, 240 + i as u32);
    }
    if matches!(
        text,
        "0.15915494" | "0.15915494309189532" | "0.1591549430918953357688837633725144"
    ) {
        return float_constant(spec, 248);
    }
    if text.contains('.') {
        return float_literal(spec, text.parse().ok()?);
    }
    let v = number(text)?;
    let bits = u32::try_from(v).or_else(|_| i32::try_from(v).map(|i| i as u32)).ok()?;
    if spec.kind == Kind::Literal {
        return Some(Operand::Literal(bits));
    }
    Some(match ty {
        // The value of a 16-bit operand, signed or unsigned; only floats read 0xffff as -1.
        _ if ty.bits() == 16 => match u16::try_from(v).or_else(|_| i16::try_from(v).map(|i| i as u16)) {
            Ok(u) if ty == Ty::F16 => Operand::b16(u),
            Ok(_) if (-16..=64).contains(&v) => Operand::int(v as i32),
            Ok(u) => Operand::Literal(u32::from(u)),
            Err(_) => Operand::Literal(bits),
        },
        Ty::PkF16 => match (Operand::int(bits as i32), u16::try_from(v).map(Operand::b16)) {
            (c @ Operand::Const(_), _) => c,
            (_, Ok(c @ Operand::Const(240..=248))) => c,
            _ => Operand::Literal(bits),
        },
        // An f64 literal is the high half of the value.
        Ty::F64 => match (240..=247)
            .map(Operand::Const)
            .find(|o| o.const_b64() == Some(u64::from(bits) << 32))
        {
            Some(c) => c,
            None => wide(v, bits),
        },
        _ if ty.bits() >= 64 => wide(v, bits),
        _ => Operand::b32(bits),
    })
}

/// A 64-bit operand: its literals zero-extend, so 0xffffffff is not -1.
fn wide(v: i64, bits: u32) -> Operand {
    match i32::try_from(v) {
        Ok(i) => Operand::int(i),
        Err(_) => Operand::Literal(bits),
    }
}

fn float_constant(spec: &OperandSpec, selector: u32) -> Option<Operand> {
    if spec.kind == Kind::Literal {
        let o = Operand::Const(selector);
        return if spec.ty.bits() == 16 {
            o.const_b16().map(|b| Operand::Literal(u32::from(b)))
        } else {
            o.const_b32().map(Operand::Literal)
        };
    }
    Some(Operand::Const(selector))
}

/// A float that is no inline constant, in the operand's format.
fn float_literal(spec: &OperandSpec, v: f64) -> Option<Operand> {
    match spec.ty {
        Ty::F64 => {
            let b = v.to_bits();
            (b as u32 == 0).then_some(Operand::Literal((b >> 32) as u32))
        }
        _ if spec.ty.bits() == 32 => Some(Operand::b32((v as f32).to_bits())),
        _ => None,
    }
}
