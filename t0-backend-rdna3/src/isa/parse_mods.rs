//! Modifier text: what stands after the operands.
//!
//! Each modifier may stand once. Values outside its range, and modifiers the form does not have, are refused with the
//! reason. Source: LLVM 19 `AMDGPUAsmParser`, compared with llvm-mc.

use super::form::Form;
use super::graphics;
use super::imm;
use super::inst::{Dpp16, Dpp8, Enc};
use super::legal::LegalMods;
use super::parse::{number, ParseError, Parser};
use super::print::accumulates;
use super::row::{Class, Family, Field, Flags, Row};

/// DPP modifiers as they are met.
#[derive(Default)]
pub(crate) struct Dpp {
    ctrl: Option<u32>,
    sel: Option<[u32; 8]>,
    row_mask: Option<u32>,
    bank_mask: Option<u32>,
    bound_ctrl: Option<bool>,
    fi: Option<bool>,
}

impl Dpp {
    /// A DPP16 control is there.
    pub(crate) fn moves_rows(&self) -> bool {
        self.ctrl.is_some()
    }

    /// Natural and VOP3 form with this DPP control; `None` without one.
    pub(crate) fn forms(&self) -> Result<Option<(Enc, Enc)>, &'static str> {
        let masks = self.row_mask.is_some() || self.bank_mask.is_some() || self.bound_ctrl.is_some();
        let fi = self.fi.unwrap_or(false);
        match (self.ctrl, self.sel) {
            (Some(_), Some(_)) => Err("two DPP controls"),
            (None, Some(_)) if masks => Err("dpp8 has neither row_mask, bank_mask nor bound_ctrl"),
            (None, Some(sel)) => {
                let dpp = Dpp8 { sel, fi };
                Ok(Some((Enc::Dpp8(dpp), Enc::E64Dpp8(dpp))))
            }
            (None, None) if masks || self.fi.is_some() => {
                Err("row_mask, bank_mask, bound_ctrl and fi belong to a DPP control")
            }
            (None, None) => Ok(None),
            (Some(ctrl), None) => {
                let dpp = Dpp16 {
                    ctrl,
                    row_mask: self.row_mask.unwrap_or(15),
                    bank_mask: self.bank_mask.unwrap_or(15),
                    bound_ctrl: self.bound_ctrl.unwrap_or(false),
                    fi,
                };
                Ok(Some((Enc::Dpp16(dpp), Enc::E64Dpp16(dpp))))
            }
        }
    }
}

/// Names of the modifiers met so far.
#[derive(Default)]
pub(crate) struct Seen(Vec<String>);

impl Seen {
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|s| s == name)
    }

    /// A modifier that stands where the form has none.
    pub(crate) fn unused(&self, row: &Row, form: Form, legal: &LegalMods) -> Option<&'static str> {
        let packed = form == Form::Vop3p && row.class != Class::Wmma;
        [
            ("clamp", legal.clamp),
            ("omod", legal.omod),
            ("op_sel", legal.op_sel != 0 || packed),
            ("op_sel_hi", legal.op_sel_hi != 0 || packed),
            ("neg_lo", legal.neg_lo != 0),
            ("neg_hi", legal.neg_hi != 0),
        ]
        .into_iter()
        .find(|(name, ok)| !ok && self.has(name))
        .map(|(name, _)| name)
    }
}

/// LLVM's order of vector ALU modifiers; those of one group exclude each other.
const VALU_ORDER: &[&[&str]] = &[
    &["op_sel"],
    &["op_sel_hi"],
    &["neg_lo"],
    &["neg_hi"],
    &["clamp"],
    &["omod"],
    &[
        "quad_perm",
        "row_shl",
        "row_shr",
        "row_ror",
        "row_mirror",
        "row_half_mirror",
        "row_share",
        "row_xmask",
        "dpp8",
    ],
    &["row_mask"],
    &["bank_mask"],
    &["bound_ctrl"],
    &["fi"],
];

/// LLVM's order of memory modifiers; those of one group may stand in any order.
const MEMORY_ORDER: &[&[&str]] = &[
    &["format"],
    &["idxen"],
    &["offen"],
    &["offset", "offset0"],
    &["offset1"],
    &["glc", "slc", "dlc", "gds"],
    &["tfe"],
];

/// LLVM's order of image modifiers.
const IMAGE_ORDER: &[&[&str]] = &[
    &["dmask"],
    &["dim"],
    &["unorm"],
    &["glc", "slc", "dlc"],
    &["r128"],
    &["a16"],
    &["tfe"],
    &["lwe"],
    &["d16"],
];

/// LLVM's order of the modifiers of interpolation and exports.
const GRAPHICS_ORDER: &[&[&str]] = &[&["clamp", "done"], &["op_sel", "row_en"], &["wait_exp"]];

/// Whether instructions of this row have such a memory modifier.
fn belongs(row: &Row, key: &str) -> bool {
    let buffer = matches!(row.family, Family::Mubuf | Family::Mtbuf) && !row.operands.is_empty();
    let image = row.family == Family::Mimg;
    let two = row.flags.has(Flags::OFFSETS2);
    match key {
        "glc" | "dlc" => buffer || image || matches!(row.family, Family::Flat | Family::Smem),
        "slc" => buffer || image || row.family == Family::Flat,
        "offen" | "idxen" => buffer,
        "tfe" => buffer || image,
        "gds" => row.family == Family::Ds,
        "offset" => {
            buffer
                || row.family == Family::Flat
                || (row.family == Family::Smem && !row.operands.is_empty())
                || (row.family == Family::Ds && !two && row.name != "ds_nop")
        }
        "offset0" | "offset1" => row.family == Family::Ds && two,
        _ => true,
    }
}

/// Whether LLVM has `no` before this modifier of the row: where it is a bit of the instruction, not another opcode.
fn negatable(row: &Row, key: &str) -> bool {
    let image = row.family == Family::Mimg;
    match key {
        "glc" | "slc" | "dlc" => !graphics::is_ray(row),
        "clamp" => true,
        "gds" => {
            let permutes = row.class == Class::LdsLane && row.name != "ds_swizzle_b32";
            !permutes && !row.flags.has(Flags::NO_GDS)
        }
        "a16" => image,
        "d16" => image && !graphics::is_ray(row) && !row.flags.has(Flags::NO_D16),
        "unorm" | "r128" | "tfe" | "lwe" => image && !graphics::is_ray(row),
        _ => false,
    }
}

impl Parser {
    /// Reads one modifier.
    pub(crate) fn modifier(&mut self, text: &str) -> Result<(), ParseError> {
        self.read_modifier(text).map_err(|why| self.bad_modifier(text, why))
    }

    fn read_modifier(&mut self, text: &str) -> Result<(), &'static str> {
        const VALUE: &str = "the value is out of range";
        let (key, value) = text.split_once(':').unwrap_or((text, ""));
        // `noglc` says that `glc` is off, which it is.
        let negated = key.strip_prefix("no").filter(|k| negatable(self.row, k));
        let off = negated.is_some();
        let key = negated.unwrap_or(key);
        let name = if matches!(key, "mul" | "div") { "omod" } else { key };
        if self.seen.has(name) {
            return Err("it stands twice");
        }
        let late = |order: &[&[&str]]| {
            let at = |n: &str| order.iter().position(|group| group.contains(&n));
            let here = at(name);
            here.is_some() && self.seen.0.iter().any(|s| at(s) > here)
        };
        if matches!(self.row.family, Family::Vinterp | Family::Exp) && late(GRAPHICS_ORDER) {
            return Err("it stands too late; the order is clamp, op_sel, wait_exp; of exports done, row_en");
        }
        if self.row.family == Family::Mimg && late(IMAGE_ORDER) {
            return Err("it stands too late; the order is dmask, dim, unorm, glc/slc/dlc, r128, a16, tfe, lwe, d16");
        }
        if self.row.family != Family::Vinterp && late(VALU_ORDER) {
            return Err(
                "it stands too late; the order is op_sel, neg, clamp, mul or div, DPP control, masks, bound_ctrl, fi",
            );
        }
        if self.row.family != Family::Mimg && late(MEMORY_ORDER) {
            return Err("it stands too late; the order is format, idxen, offen, offset, glc/slc/dlc or gds, tfe");
        }
        self.seen.0.push(name.to_string());
        let scalar = off && self.row.family == Family::Smem;
        let loads = !self.row.operands.is_empty() && !self.row.name.starts_with("s_atc_probe");
        let never_on = scalar && loads && key == "slc";
        if (!belongs(self.row, key) || scalar && !loads) && !never_on {
            return Err("the instruction has no such modifier");
        }
        if off {
            // What exists for the global data share only goes there, whatever is said.
            self.mods.gds |= key == "gds" && self.row.flags.has(Flags::GDS_ONLY);
            return Ok(());
        }
        let n = || number(value).ok_or(VALUE);
        let flag = |on: &mut bool| {
            *on = true;
            value.is_empty().then_some(()).ok_or("it takes no value")
        };
        let m = &mut self.mods;
        match key {
            "glc" => flag(&mut m.glc)?,
            "slc" => flag(&mut m.slc)?,
            "dlc" => flag(&mut m.dlc)?,
            "offen" => flag(&mut m.offen)?,
            "idxen" => flag(&mut m.idxen)?,
            "tfe" => flag(&mut m.tfe)?,
            "gds" => flag(&mut m.gds)?,
            "clamp" => flag(&mut m.clamp)?,
            "mul" => m.omod = [1, 2, 4].iter().position(|&v| n() == Ok(v)).ok_or("mul is 1, 2 or 4")? as u32,
            "div" => m.omod = [1, 2].iter().position(|&v| n() == Ok(v)).ok_or("div is 1 or 2")? as u32 * 3,
            "offset" if value.starts_with("swizzle") => {
                let swizzle = imm::parse_swizzle(value).filter(|_| self.row.name == "ds_swizzle_b32");
                m.offset = swizzle.ok_or("a swizzle is for ds_swizzle_b32, which has four modes of it")?;
            }
            "offset" => m.offset = i32::try_from(n()?).map_err(|_| VALUE)?,
            "offset0" => m.offset0 = u32::try_from(n()?).map_err(|_| VALUE)?,
            "offset1" => m.offset1 = u32::try_from(n()?).map_err(|_| VALUE)?,
            "op_sel" => m.op_sel = op_sel(self.row, value).ok_or(VALUE)?,
            "op_sel_hi" => {
                // Bits of sources that do not exist keep LLVM's default.
                let none = 7 & !sources(self.row);
                m.op_sel_hi = mask(value).ok_or(VALUE)? & !none | m.op_sel_hi & none;
            }
            "neg_lo" => m.neg_lo = mask(value).ok_or(VALUE)? & sources(self.row),
            "neg_hi" => m.neg_hi = mask(value).ok_or(VALUE)? & sources(self.row),
            _ => {
                if graphics::parse_modifier(self.row, m, key, value).is_none() {
                    self.dpp.modifier(key, value)?;
                }
            }
        }
        Ok(())
    }
}

impl Dpp {
    fn modifier(&mut self, key: &str, value: &str) -> Result<(), &'static str> {
        let n = |min: u32| {
            let v = number(value).and_then(|v| u32::try_from(v).ok());
            v.filter(|v| (min..16).contains(v)).ok_or("the value is out of range")
        };
        let bit = || match value {
            "0" => Ok(false),
            "1" => Ok(true),
            _ => Err("the value is 0 or 1"),
        };
        let ctrl = match key {
            "quad_perm" => {
                let b = bits(value).filter(|b| b.len() == 4 && b.iter().all(|v| *v < 4));
                let b = b.ok_or("quad_perm takes four lanes 0..3")?;
                b[0] | b[1] << 2 | b[2] << 4 | b[3] << 6
            }
            "row_shl" => 0x100 + n(1)?,
            "row_shr" => 0x110 + n(1)?,
            "row_ror" => 0x120 + n(1)?,
            "row_mirror" if value.is_empty() => 0x140,
            "row_half_mirror" if value.is_empty() => 0x141,
            "row_share" => 0x150 + n(0)?,
            "row_xmask" => 0x160 + n(0)?,
            "row_mask" => return n(0).map(|v| self.row_mask = Some(v)),
            "bank_mask" => return n(0).map(|v| self.bank_mask = Some(v)),
            "bound_ctrl" => return bit().map(|v| self.bound_ctrl = Some(v)),
            "fi" => return bit().map(|v| self.fi = Some(v)),
            "dpp8" => {
                let sel = bits(value).and_then(|b| <[u32; 8]>::try_from(b).ok());
                let sel = sel.filter(|s| s.iter().all(|v| *v < 8));
                self.sel = Some(sel.ok_or("dpp8 takes eight lanes 0..7")?);
                return Ok(());
            }
            _ => return Err("there is no such modifier on gfx11"),
        };
        if self.ctrl.replace(ctrl).is_some() {
            return Err("two DPP controls");
        }
        Ok(())
    }
}

/// Bit mask of the sources a row has.
fn sources(row: &Row) -> u32 {
    let n = row
        .operands
        .iter()
        .filter(|s| matches!(s.field, Field::Src0 | Field::Src1 | Field::Src2))
        .count();
    (1 << n) - 1
}

/// The bit after the sources' is the destination's, which the machine keeps in bit 3. Packed instructions have none.
fn op_sel(row: &Row, value: &str) -> Option<u32> {
    let m = mask(value)?;
    let all = sources(row);
    if accumulates(row) {
        // The accumulator has an entry, which is read and dropped.
        return Some(m & all | m & 8);
    }
    if row.family == Family::Vop3p {
        return Some(m & all);
    }
    if row.class == Class::ValuLane {
        return Some(m);
    }
    Some(m & all | (m >> all.count_ones() & 1) << 3)
}

/// Numbers of `[a,b,..]`.
fn bits(text: &str) -> Option<Vec<u32>> {
    let inner = text.strip_prefix('[')?.strip_suffix(']')?;
    inner
        .split(',')
        .map(|t| number(t).and_then(|v| u32::try_from(v).ok()))
        .collect()
}

/// Bit mask of `[0,1,..]`, first entry lowest.
fn mask(text: &str) -> Option<u32> {
    let b = bits(text)?;
    (b.len() <= 4 && b.iter().all(|v| *v < 2)).then(|| b.iter().enumerate().fold(0, |m, (i, v)| m | v << i))
}
