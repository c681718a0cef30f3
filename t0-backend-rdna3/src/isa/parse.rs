//! Assembler text to instruction.
//!
//! Accepts what [`Display`](std::fmt::Display) prints and LLVM's spellings without encoding suffix: then the shortest legal form
//! is taken, as LLVM does. Method: operands are split at top-level commas, modifiers at spaces after the last operand, and
//! the candidate forms are tried in order until the encoder accepts one.

use super::blanks::{close_up, nesting, MAX_NESTING};
use super::encode::encode;
use super::form::Form;
use super::imm;
use super::inst::{specs_of, Enc, Mods};
use super::legal::{EncodeError, LegalMods};
use super::operand_text::{constant, is_vgpr, operand, register, to_f16, Number};
use super::parse_mods::{Dpp, Seen};
use super::print::text_ty;
use super::row::{Family, Field, Flags, ImmKind, Kind, OperandSpec, Row, Ty};
use super::{Inst, Opcode, Operand, Reg, Vopdx, Vopdy};
use crate::target::Target;
use std::borrow::Cow;

pub(crate) use super::expr::integer as number;

/// Why a line is no instruction.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum ParseError {
    #[error("unknown instruction `{name}`{hint}")]
    Unknown { name: String, hint: String },
    #[error("{name}: `{text}` holds 64 lanes; for waves of 32 write `{text}_lo`, or assemble for waves of 64 (--wave-size 64)")]
    WideMask { name: &'static str, text: String },
    #[error("{name} takes {want} operands, got {got}")]
    OperandCount {
        name: &'static str,
        want: usize,
        got: usize,
    },
    #[error("`{name}` cannot be the {half} half of a dual-issue pair")]
    NotInPair { name: String, half: &'static str },
    #[error("{name}: cannot read operand `{text}`: {why}")]
    Operand {
        name: &'static str,
        text: String,
        why: &'static str,
    },
    #[error("{name}: cannot read modifier `{text}`: {why}")]
    Modifier {
        name: &'static str,
        text: String,
        why: &'static str,
    },
    #[error("parentheses, brackets and signs are nested more than {limit} deep; write the value")]
    Nesting { limit: usize },
    #[error("{name}: {why}")]
    Form { name: &'static str, why: &'static str },
    #[error(transparent)]
    Illegal(#[from] EncodeError),
}

/// Parses one instruction; text after `;` or `//` is ignored.
///
/// # Errors
/// Unknown mnemonic, unreadable operand or modifier, or an instruction no encoding form can hold.
pub fn parse(text: &str, target: &Target) -> Result<Inst, ParseError> {
    let text = without_comments(text);
    let text = text.trim();
    if nesting(text) > MAX_NESTING {
        return Err(ParseError::Nesting { limit: MAX_NESTING });
    }
    if let Some((x, y)) = text.split_once("::") {
        return pair(x.trim(), y.trim(), target);
    }
    let (mnemonic, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let (op, suffix) = find(&mnemonic.to_ascii_lowercase()).ok_or_else(|| ParseError::Unknown {
        name: mnemonic.to_string(),
        hint: super::hint::hint(mnemonic),
    })?;
    let mut rest = close_up(rest);
    if op.row().family == Family::Mtbuf {
        rest = late_format(&rest).unwrap_or(rest);
    }
    first_reading(op.row(), &rest, |texts| read(op, suffix, texts, target))
}

/// Tries the ways to cut a text into operands and modifiers: LLVM lets commas between operands be left out, and be put
/// between modifiers and at the end. What is wrong is said of the first.
fn first_reading<T>(
    row: &Row,
    rest: &str,
    mut read: impl FnMut(&(Vec<&str>, Vec<&str>)) -> Result<T, ParseError>,
) -> Result<T, ParseError> {
    let error = match read(&split(row, rest)) {
        Ok(inst) => return Ok(inst),
        Err(e) => e,
    };
    let without_last = rest.strip_suffix(',').map(str::trim_end);
    let last = without_last.filter(|r| !r.is_empty() && !r.ends_with([',', ')']));
    if let Some(Ok(inst)) = last.map(|rest| read(&split(row, rest))) {
        return Ok(inst);
    }
    let loose = split_loose(row, last.unwrap_or(rest));
    loose.and_then(|texts| read(&texts).ok()).ok_or(error)
}

/// `v0, off, s[0:3], format:22, 0`: LLVM reads a format that is a number before the scalar offset, too; it is put where
/// it stands otherwise.
fn late_format(rest: &str) -> Option<String> {
    let start = rest.find("format:")?;
    let (before, format) = rest.split_at(start);
    let before = before.strip_suffix([' ', ','])?.trim_end();
    let before = before.strip_suffix(',').unwrap_or(before);
    let (format, after) = format.split_at(format.find([',', ' '])?);
    let after = after.trim_start();
    let after = after.strip_prefix(',').unwrap_or(after).trim_start();
    let (offset, more) = after.split_at(after.find([',', ' ']).unwrap_or(after.len()));
    if offset.is_empty() || is_modifier(offset) || format.contains('[') {
        return None;
    }
    Some(format!("{before}, {offset} {format}{more}"))
}

/// The line without what follows `;` or `//`, and spaces for `/* … */`.
fn without_comments(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let (mut start, mut at) = (0, 0);
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        if c == ';' || rest.starts_with("//") {
            return match start {
                0 => Cow::Borrowed(&text[..at]),
                _ => Cow::Owned(out + &text[start..at]),
            };
        }
        // A comment that is not closed is none.
        let comment = rest.starts_with("/*").then(|| rest[2..].find("*/")).flatten();
        if let Some(length) = comment {
            out.push_str(&text[start..at]);
            out.push(' ');
            at += length + 4;
            start = at;
            continue;
        }
        at += super::blanks::quoted(rest).max(c.len_utf8());
    }
    match start {
        0 => Cow::Borrowed(text),
        _ => Cow::Owned(out + &text[start..]),
    }
}

/// Reads an instruction from the texts of its operands and modifiers.
fn read(
    op: Opcode,
    suffix: Suffix,
    (operand_texts, modifier_texts): &(Vec<&str>, Vec<&str>),
    target: &Target,
) -> Result<Inst, ParseError> {
    let mut p = Parser::new(op, target);
    for m in modifier_texts {
        p.modifier(m)?;
    }
    let operands = p.operands(operand_texts, suffix)?;
    if p.nsa > 0 {
        super::graphics::check_parts(p.row, &p.mods, p.nsa)?;
    }
    let mut first_error = None;
    for enc in p.forms(suffix)? {
        let mut inst = Inst {
            op,
            enc,
            operands: operands.clone(),
            mods: p.mods,
            vopd_y: None,
        };
        p.fold_modifiers(&mut inst);
        match encode(&inst, target)
            .map_err(ParseError::from)
            .and_then(|_| p.unused(&inst))
        {
            Ok(()) => return Ok(inst),
            Err(e) => {
                first_error.get_or_insert(e);
            }
        }
    }
    if let Some(ParseError::Illegal(EncodeError::RegCount {
        operand,
        want: 1,
        got: 2,
        ..
    })) = first_error
    {
        let text = operand_texts
            .get(operand)
            .filter(|_| operand_texts.len() == operands.len());
        if let Some(text) = text.filter(|t| matches!(**t, "vcc" | "exec")) {
            return Err(ParseError::WideMask {
                name: p.row.name,
                text: (*text).to_string(),
            });
        }
    }
    Err(first_error.unwrap_or(ParseError::Illegal(EncodeError::NoForm { name: p.row.name })))
}

/// Both halves of a dual-issue pair.
fn pair(x: &str, y: &str, target: &Target) -> Result<Inst, ParseError> {
    let half = |text: &str, second: bool| -> Result<(Opcode, Vec<Operand>), ParseError> {
        let (mnemonic, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        // LLVM takes the name of the second half as it stands.
        let name = match second {
            true => mnemonic.to_string(),
            false => mnemonic.to_ascii_lowercase(),
        };
        let found = if second {
            Vopdy::ALL.iter().find(|op| op.row().name == name).map(|&op| op.into())
        } else {
            // LLVM takes the suffix on the first half only.
            let name = name.strip_suffix("_e32").unwrap_or(&name);
            Vopdx::ALL.iter().find(|op| op.row().name == name).map(|&op| op.into())
        };
        let op: Opcode = found.ok_or_else(|| ParseError::NotInPair {
            name: mnemonic.to_string(),
            half: if second { "second" } else { "first" },
        })?;
        let rest = close_up(rest);
        let operands = first_reading(op.row(), &rest, |(operands, modifiers)| {
            let mut p = Parser::new(op, target);
            if let Some(m) = modifiers.first() {
                return Err(p.bad_modifier(m, "dual-issue instructions have no modifiers"));
            }
            let operands = p.operands(operands, Suffix::None)?;
            if p.mods.neg | p.mods.abs != 0 {
                return Err(ParseError::Illegal(EncodeError::Modifier {
                    name: p.row.name,
                    modifier: "neg or abs",
                }));
            }
            Ok(operands)
        })?;
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
    let mnemonic = super::table::alias::current(mnemonic).unwrap_or(mnemonic);
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

/// Splits at a separator outside brackets of any kind and quotes.
pub(crate) fn split_top(text: &str, sep: fn(char) -> bool) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut quoted, mut start) = (0i32, false, 0);
    for (i, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '(' | '[' | '{' if !quoted => depth += 1,
            ')' | ']' | '}' if !quoted => depth -= 1,
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
    let last = operands.pop().unwrap_or_default();
    // Modifiers start with the first word after the operand; an expression may have spaces, but no words.
    let words = split_top(last, char::is_whitespace);
    let first = usize::from(!row.operands.is_empty());
    let word = |w: &&str| w.starts_with(|c: char| c.is_ascii_alphabetic());
    let tail: Vec<&str> = words
        .iter()
        .skip(first)
        .copied()
        .skip_while(|w| !word(w))
        .filter(|w| !w.is_empty())
        .collect();
    let operand = match tail.first() {
        Some(t) => last[..t.as_ptr() as usize - last.as_ptr() as usize].trim(),
        None => last,
    };
    if !operand.is_empty() {
        operands.push(operand);
    }
    (operands, tail)
}

/// Modifiers that consist of a name alone.
const BARE_MODIFIERS: [&str; 28] = [
    "glc",
    "slc",
    "dlc",
    "noglc",
    "noslc",
    "nodlc",
    "noclamp",
    "nogds",
    "nounorm",
    "nor128",
    "noa16",
    "notfe",
    "nolwe",
    "nod16",
    "gds",
    "offen",
    "idxen",
    "tfe",
    "lwe",
    "d16",
    "r128",
    "a16",
    "unorm",
    "clamp",
    "done",
    "row_en",
    "row_mirror",
    "row_half_mirror",
];

/// Operand texts and modifier texts where spaces stand for commas, or commas between modifiers.
fn split_loose<'a>(row: &Row, rest: &'a str) -> Option<(Vec<&'a str>, Vec<&'a str>)> {
    if matches!(row.operands, [s] if matches!(s.kind, Kind::Imm(_))) {
        return None;
    }
    let (mut operands, mut modifiers): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    let parts = split_top(rest, |c| c == ',');
    for part in &parts {
        if part.is_empty() {
            return None;
        }
        let cache_before = modifiers.iter().any(|m| is_cache(m));
        let mut last: Option<&str> = None;
        for word in split_top(part, char::is_whitespace) {
            if word.is_empty() {
                continue;
            }
            if is_modifier(word) {
                // Cache bits are one operand to LLVM: no comma goes between them.
                if is_cache(word) && cache_before {
                    return None;
                }
                modifiers.push(word);
                continue;
            }
            if !modifiers.is_empty() {
                return None;
            }
            match (last, operands.last_mut()) {
                (Some(before), Some(operand)) if joins(before, word) => {
                    let start = operand.as_ptr() as usize - rest.as_ptr() as usize;
                    let end = word.as_ptr() as usize - rest.as_ptr() as usize + word.len();
                    *operand = &rest[start..end];
                }
                _ => operands.push(word),
            }
            last = Some(word);
        }
    }
    Some((operands, modifiers))
}

fn is_cache(word: &str) -> bool {
    matches!(word.strip_prefix("no").unwrap_or(word), "glc" | "slc" | "dlc")
}

fn is_modifier(word: &str) -> bool {
    let name = word.split(':').next().unwrap_or_default();
    let named = word.len() > name.len()
        && name
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
    named && name.starts_with(|c: char| c.is_ascii_lowercase()) || BARE_MODIFIERS.contains(&word)
}

/// Whether two words with a space between them are one expression.
fn joins(before: &str, word: &str) -> bool {
    const OPERATORS: &str = "+*/%<>&^=";
    if super::blanks::ends_operand(before) {
        return false;
    }
    let number = before.starts_with(|c: char| c.is_ascii_digit());
    before.ends_with(|c| OPERATORS.contains(c) || matches!(c, '-' | '~' | '!'))
        || word.starts_with(|c| OPERATORS.contains(c))
        || word == "-"
        || number && word.starts_with('-')
}

/// A constant that stands with `neg` or `abs`.
struct Constant {
    operand: usize,
    source: u32,
    spec: OperandSpec,
    number: Number,
}

pub(crate) struct Parser {
    pub row: &'static Row,
    /// The lane mask a form without one of its own uses.
    vcc: Operand,
    pub mods: Mods,
    pub dpp: Dpp,
    /// Modifiers met so far.
    pub seen: Seen,
    /// Separate address registers of an image access.
    nsa: u32,
    /// VCC was left out, which the 32-bit form allows.
    implied_vcc: bool,
    constants: Vec<Constant>,
}

impl Parser {
    fn new(op: Opcode, target: &Target) -> Parser {
        let mut mods = Mods::for_op(op);
        // Written out where they matter.
        (mods.glc, mods.gds) = (false, false);
        Parser {
            row: op.row(),
            vcc: Operand::Reg(Reg::vcc(target.wave_size)),
            mods,
            dpp: Dpp::default(),
            seen: Seen::default(),
            nsa: 0,
            implied_vcc: false,
            constants: Vec::new(),
        }
    }

    pub(crate) fn bad_modifier(&self, text: &str, why: &'static str) -> ParseError {
        ParseError::Modifier {
            name: self.row.name,
            text: text.to_string(),
            why,
        }
    }

    fn bad_operand(&self, text: &str, why: &'static str) -> ParseError {
        ParseError::Operand {
            name: self.row.name,
            text: text.to_string(),
            why,
        }
    }

    /// Forms to try, shortest first.
    fn forms(&self, suffix: Suffix) -> Result<Vec<Enc>, ParseError> {
        let row = self.row;
        let bad = |why| Err(ParseError::Form { name: row.name, why });
        let short = matches!(row.family, Family::Vop1 | Family::Vop2 | Family::Vopc);
        let long = matches!(
            row.family,
            Family::Vop3 | Family::Vop3sd | Family::Vop3p | Family::Vinterp
        );
        let e64 = row.e64_code().is_some();
        let dpp = match self.dpp.forms() {
            Ok(forms) => forms,
            Err(why) => return bad(why),
        };
        match suffix {
            // LLVM reads `_e32` on scalar and memory instructions as nothing.
            Suffix::E32 if long => return bad("has no 32-bit form; leave `_e32` out"),
            Suffix::E64 if !(long || e64) => return bad("has no VOP3 form; leave `_e64` out"),
            Suffix::E64 if matches!(row.name, "v_readlane_b32" | "v_writelane_b32") => {
                return bad("LLVM knows it without `_e64` only");
            }
            Suffix::Dpp if !short => return bad("has no such DPP form; write `_e64_dpp`"),
            Suffix::E64Dpp if !(long || e64) => return bad("has no VOP3 form with DPP"),
            _ if dpp.is_some() && !(short || long) => return bad("DPP is for vector ALU instructions"),
            Suffix::E32 | Suffix::E64 if dpp.is_some() => return bad("DPP modifiers need a `_dpp` mnemonic"),
            Suffix::Dpp | Suffix::E64Dpp if dpp.is_none() => return bad("a `_dpp` mnemonic needs a DPP control"),
            _ => {}
        }
        if self.nsa > 0 {
            return Ok(vec![Enc::Nsa(self.nsa)]);
        }
        if self.implied_vcc {
            return match suffix {
                Suffix::None | Suffix::E32 | Suffix::Dpp => Ok(vec![dpp.map_or(Enc::Natural, |d| d.0)]),
                _ => bad("only the 32-bit form lets VCC be left out"),
            };
        }
        let (natural, vop3) = dpp.unwrap_or((Enc::Natural, Enc::E64));
        Ok(match suffix {
            Suffix::E32 | Suffix::Dpp => vec![natural],
            Suffix::E64 | Suffix::E64Dpp if e64 => vec![vop3],
            Suffix::E64 | Suffix::E64Dpp => vec![natural],
            Suffix::None if short || dpp.is_none() => vec![natural, vop3],
            Suffix::None => vec![natural],
        })
    }

    fn operands(&mut self, texts: &[&str], suffix: Suffix) -> Result<Vec<Operand>, ParseError> {
        let row = self.row;
        let specs: Vec<OperandSpec> = specs_of(row, Enc::Natural, self.mods.glc).collect();
        if let ([spec], []) = (&specs[..], texts) {
            if spec.kind == Kind::Imm(ImmKind::Optional) {
                return Ok(vec![Operand::Imm(0)]);
            }
        }
        let fixed = specs.iter().filter(|s| s.field == Field::Fixed).count();
        // A select keeps its other mask when only VCC as the last operand is left out; additions leave out both.
        self.implied_vcc = fixed > 0 && specs.len() == texts.len() + fixed;
        // LLVM lets VCC be left out of compares, except of floats under DPP16 without `_dpp`.
        let floats = specs.iter().filter(|s| s.field != Field::Fixed).all(|s| s.neg);
        let plain = suffix == Suffix::None && self.dpp.moves_rows();
        if self.implied_vcc && row.family == Family::Vopc && floats && plain {
            return Err(self.bad_operand("", "VCC must be written out here"));
        }
        if row.family == Family::Mimg && !super::graphics::is_ray(row) && !self.seen.has("dim") {
            return Err(self.bad_modifier("dim", "it must be given"));
        }
        // A scalar load without offset reads at its base.
        let no_offset = row.family == Family::Smem && texts.len() + 1 == specs.len() && !self.seen.has("offset");
        if specs.len() != texts.len() && !self.implied_vcc && !no_offset {
            return Err(ParseError::OperandCount {
                name: row.name,
                want: specs.len(),
                got: texts.len(),
            });
        }
        let mut out = Vec::with_capacity(specs.len());
        let mut source = 0;
        let first = texts.first().copied().unwrap_or_default();
        let mut texts = texts.iter();
        for spec in &specs {
            let is_source = spec.is_src() && spec.field != Field::Vdst;
            let index = source;
            source += u32::from(is_source);
            if self.implied_vcc && spec.field == Field::Fixed {
                out.push(self.vcc);
                continue;
            }
            let Some(text) = texts.next() else {
                out.push(Operand::OFF);
                continue;
            };
            if let (Kind::ImgAddr(_), Some(list)) = (spec.kind, address_list(text)) {
                self.nsa = if list.len() > 1 { list.len() as u32 } else { 0 };
                for part in list {
                    let r = register(part).map_err(|why| self.bad_operand(part, why))?;
                    let r = r.ok_or_else(|| self.bad_operand(part, "an address is made of registers"))?;
                    out.push(Operand::Reg(r));
                }
                continue;
            }
            let o = self.operand(spec, text, is_source.then_some(index), out.len());
            out.push(o.map_err(|why| self.bad_operand(text, why))?);
        }
        // Where VCC is left out, LLVM takes the first source for the destination it is not.
        let short = suffix != Suffix::Dpp;
        if self.implied_vcc && row.family == Family::Vopc && short && (self.mods.neg | self.mods.abs) & 1 == 1 {
            return Err(self.bad_operand(first, "VCC must be written out here"));
        }
        Ok(out)
    }

    fn operand(
        &mut self,
        spec: &OperandSpec,
        text: &str,
        source: Option<u32>,
        at: usize,
    ) -> Result<Operand, &'static str> {
        if let Kind::Imm(kind) = spec.kind {
            // Comparisons with an unsigned constant take no negative one.
            let unsigned = self.row.family == Family::Sopk && self.row.name.ends_with("_u32");
            let refused = text.starts_with('|') || unsigned && number(text).is_some_and(|v| v < 0);
            let plain = Some(text).filter(|_| !refused);
            return plain
                .and_then(|t| imm::parse(kind, t))
                .map(Operand::Imm)
                .ok_or("no such immediate");
        }
        let (neg, abs, text) = if source.is_some() {
            self.refused_signs(spec, text)?;
            source_modifiers(text)
        } else {
            (false, false, text)
        };
        if (neg || abs) && Number::read(text).is_some() && self.bare_constants() {
            return Err("constants have no modifiers here; write the value");
        }
        if let Some(i) = source {
            self.mods.neg |= u32::from(neg) << i;
            self.mods.abs |= u32::from(abs) << i;
        }
        if let Some(bit) = spec.half_bit() {
            let half = text
                .strip_suffix(".l")
                .map(|t| (t, 0))
                .or(text.strip_suffix(".h").map(|t| (t, 1)));
            let always = self.row.flags.has(Flags::TRUE16);
            if always || half.is_some() {
                let r = register(half.map_or(text, |h| h.0))?.map(Operand::Reg).filter(is_vgpr);
                match (r, half) {
                    (Some(r), Some((_, half))) => {
                        self.mods.op_sel |= half << bit;
                        return Ok(r);
                    }
                    (None, None) => {}
                    _ => return Err("16-bit operands name a half of a vector register: v0.l, v0.h"),
                }
            }
        }
        if spec.kind == Kind::SOpt && self.row.family == Family::Smem {
            if let Some(offset) = number(text) {
                if self.seen.has("offset") {
                    return Err("the offset stands twice");
                }
                self.mods.offset = i32::try_from(offset).map_err(|_| "the offset does not fit")?;
                return Ok(Operand::OFF);
            }
        }
        let ty = text_ty(self.row, spec.ty);
        if let (true, Some(source), Some(number)) = (neg || abs, source, Number::read(text)) {
            self.constants.push(Constant {
                operand: at,
                source,
                spec: OperandSpec { ty, ..*spec },
                number,
            });
        }
        // LLVM 19 writes the bits of an f32 there, of which the machine reads the low half.
        let halved = self.row.family == Family::Sopc && self.row.name.ends_with("_f16");
        operand(spec, ty, text).map_err(|why| match Number::read(text) {
            Some(Number::Float(_)) if halved => "floats that are no inline constant: write the bits of the f16",
            _ => why,
        })
    }

    /// The row has a short form only, in which LLVM reads constants without modifiers.
    fn bare_constants(&self) -> bool {
        matches!(self.row.family, Family::Vop1 | Family::Vop2) && self.row.e64_code().is_none()
    }

    /// Spellings of a source that LLVM finds ambiguous or has no reading for.
    fn refused_signs(&self, spec: &OperandSpec, text: &str) -> Result<(), &'static str> {
        let row = self.row;
        let mandatory = row.operands.iter().any(|s| s.kind == Kind::Literal);
        let packed = row.family == Family::Vop3p && spec.ty != Ty::MixF32;
        if spec.neg && !mandatory && !packed && text.starts_with("--") {
            return Err("two signs say nothing clear; write neg(-1)");
        }
        if text.starts_with("-lit(") {
            return Err("write the sign inside: lit(-1)");
        }
        if text.starts_with("lit(") && self.bare_constants() && !mandatory && spec.is_src() {
            return Err("LLVM knows no `lit` here; write the number");
        }
        // LLVM holds what it stores as bf16 to the range of f16 in this instruction.
        let number = Number::read(text).filter(|_| row.name == "v_dot2_bf16_bf16");
        match number {
            Some(Number::Float(v)) if v.abs() >= 65520.0 || spec.ty == Ty::Bf16 && to_f16(v).is_none() => {
                Err("LLVM takes floats of f16's range only; write its bits")
            }
            _ => Ok(()),
        }
    }

    /// A form without modifiers takes constants with `neg` or `abs` as constants of the resulting value.
    fn fold_modifiers(&self, inst: &mut Inst) {
        let keeps = inst.enc != Enc::Natural || !matches!(self.row.family, Family::Vop1 | Family::Vop2 | Family::Vopc);
        if keeps {
            return;
        }
        // The mandatory literal has no modifiers, and integers for f64 take the long form.
        let float = |n: Number| matches!(n, Number::Float(_));
        let folds =
            |c: &&Constant| c.spec.neg && c.spec.kind != Kind::Literal && (c.spec.ty != Ty::F64 || float(c.number));
        for c in self.constants.iter().filter(folds) {
            let (neg, abs) = (inst.mods.neg >> c.source & 1 == 1, inst.mods.abs >> c.source & 1 == 1);
            if let Ok(o) = constant(c.spec.kind, c.spec.ty, c.number.modified(neg, abs, c.spec.ty)) {
                inst.operands[c.operand] = o;
                inst.mods.neg &= !(1 << c.source);
                inst.mods.abs &= !(1 << c.source);
            }
        }
    }

    /// Refuses modifiers that say nothing but stand where the form has none.
    fn unused(&self, inst: &Inst) -> Result<(), ParseError> {
        let Some(form) = Form::of(self.row, inst.enc) else {
            return Ok(());
        };
        let specs: Vec<OperandSpec> = inst.specs().collect();
        let srcs: Vec<&OperandSpec> = specs.iter().filter(|s| s.is_src() && s.field != Field::Vdst).collect();
        let legal = LegalMods::of(self.row, form, inst.enc, &srcs);
        match self.seen.unused(self.row, form, &legal) {
            Some(modifier) => Err(ParseError::Illegal(EncodeError::Modifier {
                name: self.row.name,
                modifier,
            })),
            None => Ok(()),
        }
    }
}

/// `-x`, `|x|`, `neg(x)`, `abs(x)` and their combinations: neg, abs, what is inside. A minus before a number is its sign.
fn source_modifiers(text: &str) -> (bool, bool, &str) {
    let (mut neg, mut abs, mut text) = (false, false, text);
    if let Some(t) = call(text, "neg") {
        (neg, text) = (true, t);
    } else if let Some(t) = text
        .strip_prefix('-')
        .filter(|t| t.starts_with(|c: char| matches!(c, '|' | '[') || c.is_ascii_alphabetic()))
    {
        (neg, text) = (true, t);
    }
    if let Some(t) = call(text, "abs") {
        (abs, text) = (true, t);
    } else if let Some(t) = text.strip_prefix('|').and_then(|t| t.strip_suffix('|')) {
        (abs, text) = (true, t.trim());
    }
    (neg, abs, text)
}

/// `x` of `name(x)`.
fn call<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let inner = text.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')')?;
    Some(inner.trim())
}

/// Elements of `[v1, v2, ..]`, the separate address registers of an image access.
fn address_list(text: &str) -> Option<Vec<&str>> {
    let inner = text.strip_prefix('[')?.strip_suffix(']')?;
    Some(split_top(inner, |c| c == ','))
}
