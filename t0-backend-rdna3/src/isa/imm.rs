//! Text of 16-bit immediates: counters, delays, messages, hardware registers, swizzles.
//!
//! Sources: LLVM 19 output for gfx1100; RDNA3 ISA manual sections 4.4 and 5.7 (fields). Each printer has its parser below it.

use super::parse::number;
use super::row::ImmKind;
use std::fmt::{self, Formatter};

/// Text of immediate `v`; empty when it is left out.
pub(crate) fn print(kind: ImmKind, v: i64) -> String {
    let u = (v & 0xffff) as u32;
    match kind {
        ImmKind::Signed | ImmKind::Hex => format!("{u:#x}"),
        ImmKind::Dec if u > 64 => format!("{u:#x}"),
        ImmKind::Dec | ImmKind::Branch => u.to_string(),
        ImmKind::Optional if u == 0 => String::new(),
        ImmKind::Optional => u.to_string(),
        ImmKind::WaitCnt => waitcnt(u),
        ImmKind::DepCtr => depctr(u),
        ImmKind::DelayAlu => delay_alu(u),
        ImmKind::SendMsg => sendmsg(u),
        ImmKind::HwReg => hwreg(u),
        ImmKind::ExpTarget => super::graphics::target_name(v).unwrap_or_default(),
        ImmKind::Attr => super::graphics::attr_name(u),
        ImmKind::Version => version(u),
    }
}

/// Fields of `s_waitcnt`: name, shift, mask.
const WAITCNT: [(&str, u32, u32); 3] = [("vmcnt", 10, 63), ("expcnt", 0, 7), ("lgkmcnt", 4, 63)];

fn waitcnt(u: u32) -> String {
    let all = WAITCNT.iter().all(|&(_, s, m)| u >> s & m == m);
    let parts: Vec<String> = WAITCNT
        .iter()
        .filter(|&&(_, s, m)| all || u >> s & m != m)
        .map(|&(n, s, m)| format!("{n}({})", u >> s & m))
        .collect();
    parts.join(" ")
}

/// Fields of `s_waitcnt_depctr`: name, shift, mask.
const DEPCTR: [(&str, u32, u32); 7] = [
    ("depctr_hold_cnt", 7, 1),
    ("depctr_sa_sdst", 0, 1),
    ("depctr_va_vdst", 12, 15),
    ("depctr_va_sdst", 9, 7),
    ("depctr_va_ssrc", 8, 1),
    ("depctr_va_vcc", 1, 1),
    ("depctr_vm_vsrc", 2, 7),
];
/// Bits no field of `s_waitcnt_depctr` uses; set bits there make LLVM print a number.
const DEPCTR_UNUSED: u32 = 0x60;

fn depctr(u: u32) -> String {
    if u & DEPCTR_UNUSED != 0 {
        return format!("{u:#x}");
    }
    let all = DEPCTR.iter().all(|&(_, s, m)| u >> s & m == m);
    let parts: Vec<String> = DEPCTR
        .iter()
        .filter(|&&(_, s, m)| all || u >> s & m != m)
        .map(|&(n, s, m)| format!("{n}({})", u >> s & m))
        .collect();
    parts.join(" ")
}

const DELAY_ID: [&str; 12] = [
    "NO_DEP",
    "VALU_DEP_1",
    "VALU_DEP_2",
    "VALU_DEP_3",
    "VALU_DEP_4",
    "TRANS32_DEP_1",
    "TRANS32_DEP_2",
    "TRANS32_DEP_3",
    "FMA_ACCUM_CYCLE_1",
    "SALU_CYCLE_1",
    "SALU_CYCLE_2",
    "SALU_CYCLE_3",
];
const DELAY_SKIP: [&str; 6] = ["SAME", "NEXT", "SKIP_1", "SKIP_2", "SKIP_3", "SKIP_4"];

/// Whether every field of `s_delay_alu` has a value with a meaning.
fn is_delay(v: i64) -> bool {
    let id = |shift: u32| (v >> shift & 15) < DELAY_ID.len() as i64;
    id(0) && id(7) && (v >> 4 & 7) < DELAY_SKIP.len() as i64 && (0..1 << 11).contains(&v)
}

/// LLVM prints `/* invalid instid value */` for numbers without a meaning, which nothing reads; it reads the number.
fn delay_alu(u: u32) -> String {
    if !is_delay(i64::from(u)) {
        return format!("{u:#x}");
    }
    let (id0, skip, id1) = (u & 15, u >> 4 & 7, u >> 7 & 15);
    let mut parts = Vec::new();
    let id = |v: u32| DELAY_ID.get(v as usize).copied().unwrap_or_default();
    if id0 != 0 {
        parts.push(format!("instid0({})", id(id0)));
    }
    if skip != 0 {
        let name = DELAY_SKIP.get(skip as usize).copied().unwrap_or_default();
        parts.push(format!("instskip({name})"));
    }
    if id1 != 0 {
        parts.push(format!("instid1({})", id(id1)));
    }
    if parts.is_empty() {
        "0".to_string()
    } else {
        parts.join(" | ")
    }
}

/// Messages of `s_sendmsg`, and of `s_sendmsg_rtn` from 128 on, by the low eight bits.
const MESSAGES: [(u32, &str); 13] = [
    (1, "MSG_INTERRUPT"),
    (2, "MSG_HS_TESSFACTOR"),
    (3, "MSG_DEALLOC_VGPRS"),
    (5, "MSG_STALL_WAVE_GEN"),
    (6, "MSG_HALT_WAVES"),
    (9, "MSG_GS_ALLOC_REQ"),
    (128, "MSG_RTN_GET_DOORBELL"),
    (129, "MSG_RTN_GET_DDID"),
    (130, "MSG_RTN_GET_TMA"),
    (131, "MSG_RTN_GET_REALTIME"),
    (132, "MSG_RTN_SAVE_WAVE"),
    (133, "MSG_RTN_GET_TBA"),
    (134, "MSG_RTN_GET_TBA_TO_PC"),
];

fn sendmsg(u: u32) -> String {
    match MESSAGES.iter().find(|m| m.0 == u & 0xff) {
        Some((_, name)) => format!("sendmsg({name})"),
        None if u <= 0xff => format!("sendmsg({u}, 0, 0)"),
        None => u.to_string(),
    }
}

/// Microcode versions of `s_version`, and the bits that may be set beside them.
const VERSIONS: [(u32, &str); 7] = [
    (0, "UC_VERSION_GFX7"),
    (4, "UC_VERSION_GFX10"),
    (6, "UC_VERSION_GFX11"),
    (9, "UC_VERSION_GFX12"),
    (0x2000, "UC_VERSION_W64_BIT"),
    (0x4000, "UC_VERSION_W32_BIT"),
    (0x8000, "UC_VERSION_MDP_BIT"),
];

fn version(u: u32) -> String {
    if u & 0x1f00 != 0 {
        return format!("{u:#x}");
    }
    let named = |v: u32| VERSIONS.iter().find(|n| n.0 == v).map(|n| n.1.to_string());
    let mut text = named(u & 0xff).unwrap_or_else(|| (u & 0xff).to_string());
    let bits = [0x2000, 0x4000, 0x8000].into_iter().filter(|b| u & b != 0);
    for (i, name) in bits.filter_map(named).enumerate() {
        text = if i == 0 {
            format!("{text}|{name}")
        } else {
            format!("({text})|{name}")
        };
    }
    text
}

/// An expression in which versions and bits have names.
fn parse_version(text: &str) -> Option<u32> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut numbers = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("UC_VERSION_") {
        let (before, named) = rest.split_at(start);
        let name = &named[..named.find(|c| !word(c)).unwrap_or(named.len())];
        let value = VERSIONS.iter().find(|n| n.1 == name)?.0;
        if before.ends_with(word) {
            return None;
        }
        numbers.push_str(before);
        numbers.push_str(&value.to_string());
        rest = &named[name.len()..];
    }
    numbers.push_str(rest);
    number(&numbers).and_then(|v| u32::try_from(v).ok())
}

/// Hardware registers of gfx11 for `s_getreg_b32` and `s_setreg_b32`.
const HWREGS: [(u32, &str); 15] = [
    (1, "HW_REG_MODE"),
    (2, "HW_REG_STATUS"),
    (3, "HW_REG_TRAPSTS"),
    (5, "HW_REG_GPR_ALLOC"),
    (6, "HW_REG_LDS_ALLOC"),
    (7, "HW_REG_IB_STS"),
    (15, "HW_REG_SH_MEM_BASES"),
    (18, "HW_REG_PERF_SNAPSHOT_PC_LO"),
    (19, "HW_REG_PERF_SNAPSHOT_PC_HI"),
    (20, "HW_REG_FLAT_SCR_LO"),
    (21, "HW_REG_FLAT_SCR_HI"),
    (23, "HW_REG_HW_ID1"),
    (24, "HW_REG_HW_ID2"),
    (27, "HW_REG_PERF_SNAPSHOT_DATA"),
    (29, "HW_REG_SHADER_CYCLES"),
];

fn hwreg(u: u32) -> String {
    let (id, offset, size) = (u & 63, u >> 6 & 31, (u >> 11 & 31) + 1);
    let name = match HWREGS.iter().find(|h| h.0 == id) {
        Some((_, n)) => (*n).to_string(),
        None => id.to_string(),
    };
    if (offset, size) == (0, 32) {
        format!("hwreg({name})")
    } else {
        format!("hwreg({name}, {offset}, {size})")
    }
}

/// ` offset:swizzle(..)` of `ds_swizzle_b32`.
pub(crate) fn print_swizzle(f: &mut Formatter<'_>, offset: i32) -> fmt::Result {
    let u = offset as u32 & 0xffff;
    if u == 0 {
        return Ok(());
    }
    if u & 0xff00 == 0x8000 {
        return write!(
            f,
            " offset:swizzle(QUAD_PERM,{},{},{},{})",
            u & 3,
            u >> 2 & 3,
            u >> 4 & 3,
            u >> 6 & 3
        );
    }
    if u & 0x8000 != 0 {
        return write!(f, " offset:{u}");
    }
    let (and, or, xor) = (u & 31, u >> 5 & 31, u >> 10 & 31);
    if and == 31 && or == 0 && xor.is_power_of_two() {
        return write!(f, " offset:swizzle(SWAP,{xor})");
    }
    if and == 31 && or == 0 && xor > 0 && (xor + 1).is_power_of_two() {
        return write!(f, " offset:swizzle(REVERSE,{})", xor + 1);
    }
    let group = 32 - and;
    if xor == 0 && group > 1 && group.is_power_of_two() && or < group {
        return write!(f, " offset:swizzle(BROADCAST,{group},{or})");
    }
    f.write_str(" offset:swizzle(BITMASK_PERM,\"")?;
    for bit in (0..5).rev() {
        let c = match (and >> bit & 1, or >> bit & 1, xor >> bit & 1) {
            (0, 0, 0) => '0',
            (0, o, x) if o ^ x == 1 => '1',
            (0, ..) => '0',
            (1, 0, 0) => 'p',
            (1, 0, 1) => 'i',
            (_, 1, 0) => '1',
            _ => '0',
        };
        write!(f, "{c}")?;
    }
    f.write_str("\")")
}

/// A number as text; LLVM takes a float for its 64 bits, of which those of 0.0 fit.
fn number_or_bits(kind: ImmKind, text: &str) -> Option<i64> {
    let float = || super::expr::float(text).map(|v| v.to_bits() as i64);
    match kind {
        ImmKind::Attr | ImmKind::ExpTarget => None,
        ImmKind::Signed | ImmKind::Dec | ImmKind::Hex => number(text).or_else(float),
        _ => number(text),
    }
}

/// Reads the text of an immediate; the inverse of [`print`], and plain numbers for every kind.
pub(crate) fn parse(kind: ImmKind, text: &str) -> Option<i64> {
    if let Some(v) = number_or_bits(kind, text) {
        return match kind {
            // Signed kinds may be written as the 16 bits they occupy.
            ImmKind::Signed | ImmKind::Branch if (32768..=65535).contains(&v) => Some(v - 65536),
            ImmKind::Signed | ImmKind::Branch => Some(v),
            ImmKind::Dec | ImmKind::Hex | ImmKind::DepCtr | ImmKind::WaitCnt | ImmKind::DelayAlu | ImmKind::Version
                if (-32768..0).contains(&v) =>
            {
                Some(v + 65536)
            }
            _ => Some(v),
        };
    }
    let u = match kind {
        ImmKind::WaitCnt => parse_fields(text, &WAITCNT, 0xfff7)?,
        ImmKind::DepCtr => parse_fields(text, &DEPCTR, 0xffff & !DEPCTR_UNUSED)?,
        ImmKind::DelayAlu => parse_delay(text)?,
        ImmKind::Version => parse_version(text)?,
        ImmKind::SendMsg => parse_message(text)?,
        ImmKind::HwReg if text.starts_with('{') => parse_hwreg_fields(text)?,
        ImmKind::HwReg => {
            let (id, args) = parse_call(text, "hwreg", &HWREGS)?;
            let (offset, size) = match args[..] {
                [] => (0, 32),
                [offset, size] => (offset, size),
                _ => return None,
            };
            (id < 64 && offset < 32 && (1..=32).contains(&size)).then(|| id | offset << 6 | (size - 1) << 11)?
        }
        ImmKind::ExpTarget => super::graphics::parse_target(text)?,
        ImmKind::Attr => super::graphics::parse_attr(text)?,
        _ => return None,
    };
    Some(i64::from(u))
}

/// `{id: 1, offset: 0, size: 32}`: any fields in any order, by number.
fn parse_hwreg_fields(text: &str) -> Option<u32> {
    let inner = text.strip_prefix('{')?.strip_suffix('}')?.trim();
    let mut fields = [None; 3];
    for part in inner.split(',').filter(|_| !inner.is_empty()) {
        let (name, value) = part.split_once(':')?;
        let at = ["id", "offset", "size"].iter().position(|n| *n == name.trim())?;
        let value = u32::try_from(number(value)?).ok()?;
        if fields[at].replace(value).is_some() {
            return None;
        }
    }
    let [id, offset, size] = [(0, 0), (1, 0), (2, 32)].map(|(at, default)| fields[at].unwrap_or(default));
    (id < 64 && offset < 32 && (1..=32).contains(&size)).then(|| id | offset << 6 | (size - 1) << 11)
}

/// `name(value)` lists over fields; fields not named keep their bits of `start`.
fn parse_fields(text: &str, fields: &[(&str, u32, u32)], start: u32) -> Option<u32> {
    let mut u = start;
    let mut seen = Vec::new();
    let dependencies = fields.len() == DEPCTR.len();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (name, inner) = rest.split_once('(')?;
        let end = closing(inner)?;
        let (name, value) = (name.trim(), &inner[..end]);
        rest = inner[end + 1..].trim_start();
        // One separator may stand between two fields.
        if let Some(after) = rest.strip_prefix(['&', ',']) {
            rest = after.trim_start();
            if rest.is_empty() {
                return None;
            }
        }
        // `vmcnt_sat(n)` takes the largest count for anything larger.
        let counter = name.strip_suffix("_sat").filter(|_| !dependencies);
        let (name, saturates) = counter.map_or((name, false), |n| (n, true));
        let &(_, shift, mask) = fields.iter().find(|f| f.0 == name)?;
        // The last count of a counter holds, but a dependency may be named once only.
        if dependencies && seen.contains(&shift) {
            return None;
        }
        seen.push(shift);
        let v = u32::try_from(number(value)?).ok()?;
        let v = if saturates { v.min(mask) } else { v };
        if v > mask {
            return None;
        }
        u = u & !(mask << shift) | v << shift;
    }
    Some(u)
}

/// Where the parenthesis that stands before the text is closed.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0u32;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(at),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn parse_delay(text: &str) -> Option<u32> {
    let mut u = 0;
    for part in text.split('|') {
        let (name, value) = part.trim().strip_suffix(')')?.split_once('(')?;
        let at = |names: &[&str]| names.iter().position(|n| *n == value.trim()).map(|i| i as u32);
        u |= match name.trim() {
            "instid0" => at(&DELAY_ID)?,
            "instskip" => at(&DELAY_SKIP)? << 4,
            "instid1" => at(&DELAY_ID)? << 7,
            _ => return None,
        };
    }
    Some(u)
}

/// `name(ID[, args])` with ID symbolic or a number.
fn parse_call(text: &str, name: &str, ids: &[(u32, &str)]) -> Option<(u32, Vec<u32>)> {
    let inner = text.strip_prefix(name)?.trim().strip_prefix('(')?.strip_suffix(')')?;
    let mut parts = inner.split(',').map(str::trim);
    let id = parts.next()?;
    let id = match ids.iter().find(|i| i.1 == id) {
        Some(i) => i.0,
        None => u32::try_from(number(id)?).ok()?,
    };
    let args = parts
        .map(|p| number(p).and_then(|v| u32::try_from(v).ok()))
        .collect::<Option<Vec<u32>>>()?;
    Some((id, args))
}

/// Operations of the system message, which keeps the place of its operation on gfx11 although its number has taken it.
const SYSTEM_OPERATIONS: [(u32, &str); 3] = [
    (1, "SYSMSG_OP_ECC_ERR_INTERRUPT"),
    (2, "SYSMSG_OP_REG_RD"),
    (4, "SYSMSG_OP_TTRACE_PC"),
];
/// Operations of the geometry messages of older cards, which LLVM knows for every other message that is a number.
const GEOMETRY_OPERATIONS: [(u32, &str); 4] = [
    (0, "GS_OP_NOP"),
    (1, "GS_OP_CUT"),
    (2, "GS_OP_EMIT"),
    (3, "GS_OP_EMIT_CUT"),
];
/// Number of the system message: the machine reads the number 0x2f, LLVM takes it for a message and operation.
const SYSTEM_MESSAGE: u32 = 15;

/// `sendmsg(ID)`, or with a numeric ID `sendmsg(ID, operation, stream)`: no message of gfx11 but the system's has
/// operations.
fn parse_message(text: &str) -> Option<u32> {
    let inner = text
        .strip_prefix("sendmsg")?
        .trim()
        .strip_prefix('(')?
        .strip_suffix(')')?;
    let value = |text: &str, names: &[(u32, &str)]| match names.iter().find(|n| n.1 == text) {
        Some(n) => Some(n.0),
        None => u32::try_from(number(text)?).ok(),
    };
    let mut parts = inner.split(',').map(str::trim);
    let id_text = parts.next()?;
    let id = match id_text {
        "MSG_SYSMSG" => SYSTEM_MESSAGE,
        _ => value(id_text, &MESSAGES).filter(|id| *id < 256)?,
    };
    let (named, system) = (id_text.starts_with("MSG_"), id == SYSTEM_MESSAGE);
    let names: &[(u32, &str)] = if system {
        &SYSTEM_OPERATIONS
    } else {
        &GEOMETRY_OPERATIONS
    };
    let operation = parts.next().map(|p| value(p, names));
    let stream = parts.next().map(|p| value(p, &[]));
    let all_read = parts.next().is_none() && operation != Some(None) && stream != Some(None);
    let (operation, stream) = (operation.flatten(), stream.flatten());
    let fits = match (named, operation) {
        // What has a name is held to what the message takes.
        (true, Some(operation)) => system && stream.is_none() && SYSTEM_OPERATIONS.iter().any(|o| o.0 == operation),
        (true, None) => !system,
        (false, operation) => operation.unwrap_or(0) < 8 && stream.unwrap_or(0) < 4,
    };
    (all_read && fits).then(|| id | operation.unwrap_or(0) << 4 | stream.unwrap_or(0) << 8)
}

/// Reads `swizzle(MODE,..)`; the inverse of [`print_swizzle`].
pub(crate) fn parse_swizzle(text: &str) -> Option<i32> {
    let inner = text
        .strip_prefix("swizzle")?
        .trim_start()
        .strip_prefix('(')?
        .strip_suffix(')')?;
    let parts: Vec<&str> = inner.split(',').map(str::trim).collect();
    if parts[0] == "BITMASK_PERM" {
        let pattern = parts.get(1)?.strip_prefix('"')?.strip_suffix('"')?;
        let (mut and, mut or, mut xor) = (0, 0, 0);
        for c in pattern.chars() {
            (and, or, xor) = (and << 1, or << 1, xor << 1);
            match c {
                '0' => {}
                '1' => or |= 1,
                'p' => and |= 1,
                'i' => (and, xor) = (and | 1, xor | 1),
                _ => return None,
            }
        }
        return (pattern.len() == 5).then_some(and | or << 5 | xor << 10);
    }
    let value = |p: &&str| number(p).and_then(|v| i32::try_from(v).ok());
    let n: Vec<i32> = parts[1..].iter().map(value).collect::<Option<_>>()?;
    let power = |v: i32| (1..=32).contains(&v) && v.count_ones() == 1;
    match (parts[0], &n[..]) {
        ("QUAD_PERM", [a, b, c, d]) if n.iter().all(|v| (0..4).contains(v)) => {
            Some(0x8000 | a | b << 2 | c << 4 | d << 6)
        }
        ("SWAP", [g]) if power(*g) && *g < 32 => Some(0x1f | g << 10),
        ("REVERSE", [g]) if power(*g) && *g > 1 => Some(0x1f | (g - 1) << 10),
        ("BROADCAST", [g, lane]) if power(*g) && *g > 1 && (0..*g).contains(lane) => Some((32 - g) & 31 | lane << 5),
        _ => None,
    }
}
