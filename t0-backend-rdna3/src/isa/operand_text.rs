//! Operand text to operands: registers, special sources, numbers.
//!
//! A number becomes an inline constant where the operand's type has one of that value, else a literal, by LLVM's rules
//! (`AMDGPUOperand::isInlinableImm`, `isLiteralImm`): an integer must fit the operand signed or unsigned, a float may lose
//! precision but neither overflow nor underflow, and 64-bit integers take no float that is not inline.

use super::expr;
use super::print::special_name;
use super::row::{Field, Kind, OperandSpec, Ty};
use super::{Operand, Reg, RegFile};

/// A number as written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Int(i64),
    Float(f64),
}

impl Number {
    /// Reads a number; `lit(x)` means x, as in LLVM 19.
    pub(crate) fn read(text: &str) -> Option<Number> {
        let text = text
            .strip_prefix("lit(")
            .and_then(|t| t.strip_suffix(')'))
            .unwrap_or(text)
            .trim();
        expr::float(text)
            .map(Number::Float)
            .or_else(|| expr::integer(text).map(Number::Int))
    }

    /// The number with `abs` and `neg` of its operand type applied.
    pub(crate) fn modified(self, neg: bool, abs: bool, ty: Ty) -> Number {
        match self {
            Number::Float(v) => {
                let v = if abs { v.abs() } else { v };
                Number::Float(if neg { -v } else { v })
            }
            Number::Int(v) => {
                let bits = ty.bits().min(64);
                let sign = 1i64 << (bits - 1);
                let v = if bits < 64 { v & ((1 << bits) - 1) } else { v };
                let v = if abs { v & !sign } else { v };
                Number::Int(if neg { v ^ sign } else { v })
            }
        }
    }
}

const OFF: &str = "`off` stands for an absent address only";
const FEW_VGPRS: &str = "there are 256 VGPRs, v0 to v255";
const FEW_SGPRS: &str = "there are 106 SGPRs, s0 to s105";
const FEW_TTMPS: &str = "there are 16 trap registers, ttmp0 to ttmp15";

/// Whether the text names registers, existing ones or not.
pub(crate) fn names_register(text: &str) -> bool {
    !matches!(register(text), Ok(None))
}

/// A register by name or list; `Ok(None)` when the text is no register at all.
pub(crate) fn register(text: &str) -> Result<Option<Reg>, &'static str> {
    if let Some(r) = named(text) {
        return Ok(Some(r));
    }
    if let Some(inner) = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')) {
        return list(inner).map(Some);
    }
    /// Prefix, the run's maker, how many there are and what to say of more.
    type File = (&'static str, fn(u32, u32) -> Reg, u32, &'static str);
    const FILES: [File; 3] = [
        ("ttmp", |i, n| Reg::sn(108 + i, n), 16, FEW_TTMPS),
        ("v", Reg::vn, 256, FEW_VGPRS),
        ("s", Reg::sn, 106, FEW_SGPRS),
    ];
    for (prefix, make, limit, few) in FILES {
        let Some(rest) = text.strip_prefix(prefix) else {
            continue;
        };
        let (lo, hi) = match rest.strip_prefix('[').and_then(|t| t.strip_suffix(']')) {
            Some(inner) => {
                let (lo, hi) = inner.split_once(':').unwrap_or((inner, inner));
                match (expr::integer(lo), expr::integer(hi)) {
                    (Some(lo), Some(hi)) => (lo, hi),
                    _ => return Err("a register index must be a number"),
                }
            }
            None if !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()) => {
                let i = rest.parse().unwrap_or(i64::MAX);
                (i, i)
            }
            None => continue,
        };
        if hi < lo {
            return Err("the last register of a range comes before its first");
        }
        if lo < 0 || hi >= i64::from(limit) {
            return Err(few);
        }
        return Ok(Some(make(lo as u32, (hi - lo + 1) as u32)));
    }
    Ok(None)
}

fn named(text: &str) -> Option<Reg> {
    Some(match text {
        "null" => Reg::NULL,
        "vcc_lo" => Reg::VCC,
        "vcc_hi" => Reg::VCC_HI,
        "vcc" => Reg::vcc(64),
        "m0" => Reg::M0,
        "exec_lo" => Reg::EXEC,
        "exec_hi" => Reg::EXEC_HI,
        "exec" => Reg::exec(64),
        _ => return None,
    })
}

/// `[s0,s1,s2]`: consecutive single registers of one file.
fn list(inner: &str) -> Result<Reg, &'static str> {
    let mut whole: Option<Reg> = None;
    for part in inner.split(',') {
        let one = register(part.trim())?.filter(|r| r.count == 1);
        let one = one.ok_or("a register list holds single registers")?;
        whole = Some(match whole {
            None => one,
            Some(w) if w.file == one.file && w.index + w.count == one.index => Reg {
                count: w.count + 1,
                ..w
            },
            Some(_) => return Err("the registers of a list must follow each other"),
        });
    }
    whole.ok_or("a register list holds single registers")
}

/// A special source by name, with or without `src_`.
pub(crate) fn special(text: &str) -> Result<Option<u32>, &'static str> {
    let short = text.strip_prefix("src_").unwrap_or(text);
    if matches!(short, "vccz" | "execz") {
        return Err("vccz and execz are no sources on gfx11");
    }
    if short == "pops_exiting_wave_id" {
        return Err("src_pops_exiting_wave_id does not exist on gfx11");
    }
    Ok([235, 236, 237, 238, 253]
        .into_iter()
        .find(|&s| special_name(s).strip_prefix("src_") == Some(short)))
}

/// Reads an operand that is neither an immediate nor carries modifiers. `ty` is how LLVM reads constants there.
pub(crate) fn operand(spec: &OperandSpec, ty: Ty, text: &str) -> Result<Operand, &'static str> {
    let absent = matches!(spec.kind, Kind::VAddr | Kind::SAddrV | Kind::Export) || spec.field == Field::Saddr;
    match text {
        "off" if absent => return Ok(Operand::OFF),
        "off" => return Err(OFF),
        // Scratch and thread-indexed accesses have a form with NULL as scalar address; it means the same.
        "null" if spec.field == Field::Saddr && spec.ty.bits() == 32 => {}
        "null" if absent => return Err("write `off` for an absent address"),
        _ => {}
    }
    if let Some(r) = register(text)? {
        if spec.kind == Kind::Null && !r.is_null() {
            return Err("must be null");
        }
        return Ok(Operand::Reg(r));
    }
    if let Some(s) = special(text)? {
        return Ok(Operand::Special(s));
    }
    match Number::read(text) {
        Some(n) => constant(spec.kind, ty, n),
        None => Err("neither a register nor a number"),
    }
}

const WIDE: &str = "the number does not fit the operand";
const FLOAT: &str = "the float over- or underflows the operand's format";

/// The operand a number becomes.
pub(crate) fn constant(kind: Kind, ty: Ty, n: Number) -> Result<Operand, &'static str> {
    match n {
        Number::Int(v) if kind == Kind::Literal => int_literal(ty, v),
        Number::Int(v) => int(ty, v),
        Number::Float(v) if kind == Kind::Literal && ty.bits() == 16 => {
            to_f16(v).map(|b| Operand::Literal(u32::from(b))).ok_or(FLOAT)
        }
        Number::Float(_) if kind == Kind::Literal && !ty.is_float() => Err("a float says nothing here; write its bits"),
        Number::Float(v) if kind == Kind::Literal => to_f32(v).map(Operand::Literal).ok_or(FLOAT),
        Number::Float(v) => float(ty, v),
    }
}

/// The value in 32 bits, when it fits signed or unsigned.
fn fit32(v: i64) -> Result<u32, &'static str> {
    u32::try_from(v)
        .or_else(|_| i32::try_from(v).map(|i| i as u32))
        .map_err(|_| WIDE)
}

fn fit16(v: i64) -> Result<u16, &'static str> {
    u16::try_from(v)
        .or_else(|_| i16::try_from(v).map(|i| i as u16))
        .map_err(|_| WIDE)
}

fn int_literal(ty: Ty, v: i64) -> Result<Operand, &'static str> {
    if ty.bits() == 16 {
        return fit16(v).map(|b| Operand::Literal(u32::from(b)));
    }
    fit32(v).map(Operand::Literal)
}

fn int(ty: Ty, v: i64) -> Result<Operand, &'static str> {
    if (-16..=64).contains(&v) {
        return Ok(Operand::int(v as i32));
    }
    let inline = |found: fn(Operand) -> Option<u64>, bits: u64, among: std::ops::RangeInclusive<u32>| {
        among.map(Operand::Const).find(|&o| found(o) == Some(bits))
    };
    match ty {
        // An f64 literal is the high half of the value.
        Ty::F64 => {
            if let Some(c) = inline(Operand::const_b64, v as u64, 240..=248) {
                return Ok(c);
            }
            let bits = fit32(v)?;
            Ok(inline(Operand::const_b64, u64::from(bits) << 32, 240..=247).unwrap_or(Operand::Literal(bits)))
        }
        _ if ty.bits() >= 64 => {
            if let Some(c) = inline(Operand::const_b64, v as u64, 240..=248) {
                return Ok(c);
            }
            fit32(v).map(Operand::Literal)
        }
        Ty::F16 => fit16(v).map(Operand::b16),
        Ty::Class16 => fit32(v).map(Operand::b32),
        // Only floats read 0xffff as -1.
        _ if ty.bits() == 16 && ty != Ty::Bf16 => fit16(v).map(|b| Operand::Literal(u32::from(b))),
        Ty::MixF32 => fit16(v).map(Operand::b16),
        Ty::PkF16 => {
            let bits = fit32(v)?;
            let half = u16::try_from(v).ok().map(Operand::b16);
            Ok(half
                .filter(|c| matches!(c, Operand::Const(240..=248)))
                .unwrap_or(small_or_literal(bits)))
        }
        Ty::Bf16 | Ty::PkBf16 => {
            let bits = fit32(v)?;
            Ok(bf16_inline(bits).unwrap_or(small_or_literal(bits)))
        }
        _ => fit32(v).map(Operand::b32),
    }
}

/// The inline constant of a 32-bit integer, or a literal.
fn small_or_literal(bits: u32) -> Operand {
    match Operand::int(bits as i32) {
        c @ Operand::Const(_) => c,
        _ => Operand::Literal(bits),
    }
}

fn bf16_inline(bits: u32) -> Option<Operand> {
    let at = super::print::BF16_INLINE.iter().position(|&p| p == bits)?;
    Some(Operand::Const(240 + at as u32))
}

fn float(ty: Ty, v: f64) -> Result<Operand, &'static str> {
    let single = to_f32(v);
    let named = single
        .map(Operand::b32)
        .filter(|c| matches!(c, Operand::Const(240..=248)));
    match ty {
        _ if ty.bits() == 64 => {
            let bits = v.to_bits();
            let exact = (240..=248).map(Operand::Const).find(|o| o.const_b64() == Some(bits));
            // The short spelling of 1/(2 pi) is not the f64 constant.
            match (exact, ty) {
                (Some(c), _) => Ok(c),
                (None, _) if bits == 0 => Ok(Operand::int(0)),
                // Low bits that do not fit are dropped, as LLVM does with a warning.
                (None, Ty::F64) => Ok(Operand::Literal((bits >> 32) as u32)),
                _ => Err("64-bit integers take no float that is not an inline constant"),
            }
        }
        // Accumulators are constants of their element type.
        _ if ty.bits() > 64 => named
            .or((v == 0.0).then(|| Operand::int(0)))
            .ok_or("no such inline constant"),
        Ty::F16 => to_f16(v).map(Operand::b16).ok_or(FLOAT),
        Ty::MixF32 => to_f16(v).map(Operand::b16).ok_or(FLOAT),
        Ty::Class16 => single.map(Operand::b32).ok_or(FLOAT),
        _ if ty.bits() == 16 && !ty.is_float() => {
            let half = to_f16(v).map(Operand::b16).filter(|c| matches!(c, Operand::Const(_)));
            half.ok_or("16-bit integers take no float that is not an inline constant")
        }
        Ty::PkF16 => {
            let half = to_f16(v).ok_or(FLOAT)?;
            Ok(match Operand::b16(half) {
                c @ Operand::Const(_) => c,
                _ => Operand::Literal(u32::from(half)),
            })
        }
        Ty::Bf16 | Ty::PkBf16 => {
            let bits = to_bf16(v).ok_or(FLOAT)?;
            Ok(bf16_inline(bits).unwrap_or(small_or_literal(bits)))
        }
        _ => single.map(Operand::b32).ok_or(FLOAT),
    }
}

/// Nearest f32, unless it over- or underflows.
fn to_f32(v: f64) -> Option<u32> {
    let f = v as f32;
    let lost = f.is_infinite() || (f64::from(f) != v && f.abs() < f32::MIN_POSITIVE);
    (!lost || v.is_infinite()).then(|| f.to_bits())
}

/// Nearest bf16, unless it over- or underflows.
fn to_bf16(v: f64) -> Option<u32> {
    round(v, 8, 127).map(u32::from)
}

/// Nearest f16, unless it over- or underflows.
pub(crate) fn to_f16(v: f64) -> Option<u16> {
    round(v, 11, 15)
}

/// Rounds to a 16-bit format of `precision` significant bits (the hidden one included) and the given exponent bias.
fn round(v: f64, precision: i32, bias: i32) -> Option<u16> {
    let sign = if v.is_sign_negative() { 0x8000 } else { 0 };
    let a = v.abs();
    if a == 0.0 {
        return Some(sign);
    }
    let exponent = ((a.to_bits() >> 52) as i32 - 1023).max(1 - bias);
    // A power of two scales exactly, so this rounds once, to even.
    let units = (a * 2f64.powi(precision - 1 - exponent)).round_ties_even();
    let exact = units * 2f64.powi(exponent - precision + 1) == a;
    let stored = (exponent + bias - 1) as u32;
    let bits = (stored << (precision - 1)).checked_add(units as u32)?;
    let tiny = (units as u32) < 1 << (precision - 1);
    let infinity = ((2 * bias + 1) as u32) << (precision - 1);
    if bits >= infinity || (tiny && !exact) {
        return None;
    }
    Some(sign | bits as u16)
}

pub(crate) fn is_vgpr(o: &Operand) -> bool {
    matches!(o, Operand::Reg(r) if r.file == RegFile::V)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_round_to_nearest_even() {
        // Right: the literals llvm-mc 19 writes.
        for (v, bits) in [
            (0.1, 0x2e66),
            (1.0, 0x3c00),
            (-2.0, 0xc000),
            (65504.0, 0x7bff),
            (1.5, 0x3e00),
        ] {
            assert_eq!(to_f16(v), Some(bits), "{v}");
        }
        assert_eq!(to_bf16(0.1), Some(0x3dcd));
        assert_eq!(to_bf16(1.0), Some(0x3f80));
        for v in [1e10, 1e-10] {
            assert_eq!(to_f16(v), None, "{v}");
        }
        assert_eq!((to_f32(1e50), to_f32(1e-50)), (None, None));
    }
}
