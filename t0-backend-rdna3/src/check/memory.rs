//! LDS and scratch accesses at addresses that are constants.
//!
//! Method: within a block, VGPRs that `v_mov_b32` sets to a constant are followed. All lanes that an access has active had
//! the constant moved, unless EXEC has been written in between. Of other LDS addresses only the instruction's offset is known:
//! one beyond the LDS is a warning, since addresses are sums modulo 2³² and a negative register could bring it back.

use super::graph::{Graph, Step};
use super::Raw;
use crate::errata::Severity;
use crate::isa::{Class, Family, Field, Flags, Inst, Opcode, Operand, Reg, RegFile, Vop1};
use crate::target::GFX1100;

/// EXEC as bits of the second word of a set of scalar registers.
const EXEC: u64 = 3 << (126 - 64);

/// LDS accesses beyond `size` bytes. `within`: how bad one is that the launch may have given LDS for; `told`: an argument
/// says that it does.
pub(super) fn lds(graph: &Graph, size: u32, within: Severity, told: bool, raw: &mut Vec<Raw>) {
    for block in &graph.blocks {
        let mut known: Vec<(u32, u32)> = Vec::new();
        for s in &graph.steps[block.steps.clone()] {
            let Some(i) = &s.inst else { continue };
            if i.row().family == Family::Ds {
                raw.extend(access(s, i, &known, size, within, told));
            }
            follow(s, i, &mut known);
        }
    }
}

fn follow(s: &Step, i: &Inst, known: &mut Vec<(u32, u32)>) {
    let f = &s.facts;
    if f.swrite[1] & EXEC != 0 {
        known.clear();
    }
    let written = |r: u32| f.vwrite[(r / 64) as usize & 3] >> (r % 64) & 1 == 1;
    known.retain(|k| !written(k.0));
    if i.op == Opcode::Vop1(Vop1::v_mov_b32) && !i.enc.is_dpp() && i.mods == crate::isa::Mods::for_op(i.op) {
        if let [Operand::Reg(Reg {
            file: RegFile::V,
            index,
            ..
        }), source] = i.operands[..]
        {
            let value = match source {
                Operand::Literal(l) => Some(l),
                o => o.const_b32(),
            };
            known.extend(value.map(|v| (index, v)));
        }
    }
}

fn access(s: &Step, i: &Inst, known: &[(u32, u32)], size: u32, within: Severity, told: bool) -> Option<Raw> {
    let row = i.row();
    if !matches!(row.class, Class::LdsLoad | Class::LdsStore | Class::LdsAtomic) || i.mods.gds {
        return None;
    }
    let mut specs = i.specs().zip(&i.operands);
    let address = specs.find(|(spec, _)| spec.field == Field::Addr)?.1.reg()?;
    let constant = known.iter().find(|k| k.0 == address.index).map(|k| k.1);
    let base = constant.unwrap_or(0);
    let bytes = access_bytes(i)?;
    let end = |offset: u32| u64::from(base.wrapping_add(offset)) + u64::from(bytes);
    let ends = if row.flags.has(Flags::OFFSETS2) {
        let unit = bytes * if row.name.contains("stride64") { 64 } else { 1 };
        [i.mods.offset0, i.mods.offset1].map(|o| end(o * unit))
    } else {
        [end(i.mods.offset as u32); 2]
    };
    let end = ends[0].max(ends[1]);
    let (what, severity) = match size {
        _ if end > u64::from(GFX1100.max_lds) => ("a workgroup can have at most 65536".to_owned(), Severity::Error),
        0 => return None,
        size if end > u64::from(size) => (format!("the descriptor asks for {size}"), within),
        _ => return None,
    };
    let (severity, at) = match constant {
        Some(_) => (severity, String::new()),
        None if told => return None,
        None => (Severity::Warning, format!(" where v{} is 0", address.index)),
    };
    let text = format!("it reaches to byte {end} of LDS{at}, {what}");
    let mut raw = Raw::new(
        "lds-out-of-bounds",
        Some(s.at),
        text,
        "a smaller address, or more LDS in the descriptor",
    );
    raw.severity = severity;
    Some(raw)
}

/// Bytes of one element of an LDS access.
fn access_bytes(i: &Inst) -> Option<u32> {
    let row = i.row();
    let narrow = [
        ("_b8", 1),
        ("_u8", 1),
        ("_i8", 1),
        ("_b16", 2),
        ("_u16", 2),
        ("_i16", 2),
    ];
    if let Some((_, n)) = narrow.iter().find(|(suffix, _)| row.name.contains(suffix)) {
        return Some(*n);
    }
    let bits = |field: Field| row.operands.iter().find(|o| o.field == field).map(|o| o.bits());
    let halves = if row.flags.has(Flags::OFFSETS2) { 2 } else { 1 };
    bits(Field::Data0)
        .or_else(|| bits(Field::Vdst).map(|b| b / halves))
        .map(|b| b / 8)
}

/// Scratch accesses without registers in the address beyond `size` bytes.
pub(super) fn scratch(graph: &Graph, size: u32, raw: &mut Vec<Raw>) {
    for s in &graph.steps {
        let Some(i) = s.inst.as_ref().filter(|i| i.flags().has(Flags::SCRATCH)) else {
            continue;
        };
        let is_off = |f: Field| {
            let mut specs = i.specs().zip(&i.operands);
            specs.any(|(spec, o)| spec.field == f && *o == Operand::OFF)
        };
        let data = i
            .row()
            .operands
            .iter()
            .find(|o| matches!(o.field, Field::Vdst | Field::Data0));
        let (Some(data), true, true) = (data, is_off(Field::Addr), is_off(Field::Saddr)) else {
            continue;
        };
        let narrow = [("b8", 1), ("u8", 1), ("i8", 1), ("b16", 2), ("u16", 2), ("i16", 2)];
        let narrow = narrow.iter().find(|(suffix, _)| i.row().name.ends_with(suffix));
        let bytes = narrow.map_or(data.bits() / 8, |n| n.1);
        let end = i64::from(i.mods.offset) + i64::from(bytes);
        if end > i64::from(size) || i.mods.offset < 0 {
            let text = format!(
                "it reaches from byte {} to {end} of scratch, the descriptor asks for {size}",
                i.mods.offset
            );
            let fix = "a smaller offset, or .amdhsa_private_segment_fixed_size";
            raw.push(Raw::new("scratch-out-of-bounds", Some(s.at), text, fix));
        }
    }
}
