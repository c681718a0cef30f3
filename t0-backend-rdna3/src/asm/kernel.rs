//! `.amdhsa_kernel … .end_amdhsa_kernel` and `.amdgpu_metadata`.
//!
//! Problem: the directives of a block, in any order, become the 64 bytes of a kernel descriptor. Method: one table says
//! which bits of which word a directive sets; the register counts and user SGPRs, which depend on several directives,
//! are settled at the end of the block. Invariant: the bytes and the refusals are those of LLVM 19 for gfx11.
//! Source: LLVM 19 `AMDGPUAsmParser::ParseDirectiveAMDHSAKernel`, `AMDHSAKernelDescriptor.h`.

use super::error::{AsmError, AsmErrorKind, KernelError};
use super::expr::{self, Binary, Expr, Variant};
use super::lex::{Cursor, Place};
use super::state::{Assembler, Definition, FixupKind, Kernel, Line};
use crate::object::KernelDescriptor;
use crate::object::{rules, yaml};
use object::elf;
use std::collections::HashMap;

/// The words of a descriptor that directives set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word {
    /// Static LDS bytes.
    GroupSegment,
    /// Scratch bytes.
    PrivateSegment,
    /// Bytes of the argument block.
    Kernarg,
    /// COMPUTE_PGM_RSRC1.
    Rsrc1,
    /// COMPUTE_PGM_RSRC2.
    Rsrc2,
    /// COMPUTE_PGM_RSRC3.
    Rsrc3,
    /// kernel_code_properties.
    Properties,
    /// No bits of its own: settled at the end of the block.
    Later,
}

/// Not a directive of LLVM's: GRANULATED_WAVEFRONT_SGPR_COUNT, reserved since gfx10, where hardware does not read it.
/// llvm-mc always writes 0, but the compilers of LLVM 19 and before count SGPRs into it in nearly every object, which
/// llvm-objdump therefore shows as bytes. A name of its own keeps such kernels kernels, and their bytes.
pub const GRANULATED_SGPRS: &str = "granulated_wavefront_sgpr_count";

/// A directive LLVM 19 does not have: its llvm-mc always writes 0, newer compilers (Triton's) the size of their code.
pub const INST_PREF_SIZE: &str = "inst_pref_size";

/// Directive (without `.amdhsa_`), word, lowest bit, bits.
const DIRECTIVES: [(&str, Word, u32, u32); 41] = [
    ("group_segment_fixed_size", Word::GroupSegment, 0, 32),
    ("private_segment_fixed_size", Word::PrivateSegment, 0, 32),
    ("kernarg_size", Word::Kernarg, 0, 32),
    ("user_sgpr_count", Word::Later, 0, 63),
    ("user_sgpr_dispatch_ptr", Word::Properties, 1, 1),
    ("user_sgpr_queue_ptr", Word::Properties, 2, 1),
    ("user_sgpr_kernarg_segment_ptr", Word::Properties, 3, 1),
    ("user_sgpr_dispatch_id", Word::Properties, 4, 1),
    ("user_sgpr_private_segment_size", Word::Properties, 6, 1),
    ("wavefront_size32", Word::Properties, 10, 1),
    ("uses_dynamic_stack", Word::Properties, 11, 1),
    ("enable_private_segment", Word::Rsrc2, 0, 1),
    ("system_sgpr_workgroup_id_x", Word::Rsrc2, 7, 1),
    ("system_sgpr_workgroup_id_y", Word::Rsrc2, 8, 1),
    ("system_sgpr_workgroup_id_z", Word::Rsrc2, 9, 1),
    ("system_sgpr_workgroup_info", Word::Rsrc2, 10, 1),
    ("system_vgpr_workitem_id", Word::Rsrc2, 11, 2),
    ("next_free_vgpr", Word::Later, 0, 63),
    ("next_free_sgpr", Word::Later, 0, 63),
    ("reserve_vcc", Word::Later, 0, 1),
    ("reserve_xnack_mask", Word::Later, 0, 1),
    (GRANULATED_SGPRS, Word::Rsrc1, 6, 4),
    ("float_round_mode_32", Word::Rsrc1, 12, 2),
    ("float_round_mode_16_64", Word::Rsrc1, 14, 2),
    ("float_denorm_mode_32", Word::Rsrc1, 16, 2),
    ("float_denorm_mode_16_64", Word::Rsrc1, 18, 2),
    ("dx10_clamp", Word::Rsrc1, 21, 1),
    ("ieee_mode", Word::Rsrc1, 23, 1),
    ("fp16_overflow", Word::Rsrc1, 26, 1),
    ("workgroup_processor_mode", Word::Rsrc1, 29, 1),
    ("memory_ordered", Word::Rsrc1, 30, 1),
    ("forward_progress", Word::Rsrc1, 31, 1),
    ("shared_vgpr_count", Word::Rsrc3, 0, 4),
    (INST_PREF_SIZE, Word::Rsrc3, 4, 6),
    ("exception_fp_ieee_invalid_op", Word::Rsrc2, 24, 1),
    ("exception_fp_denorm_src", Word::Rsrc2, 25, 1),
    ("exception_fp_ieee_div_zero", Word::Rsrc2, 26, 1),
    ("exception_fp_ieee_overflow", Word::Rsrc2, 27, 1),
    ("exception_fp_ieee_underflow", Word::Rsrc2, 28, 1),
    ("exception_fp_ieee_inexact", Word::Rsrc2, 29, 1),
    ("exception_int_div_zero", Word::Rsrc2, 30, 1),
];

/// User SGPRs a property takes, by its bit.
const USER_SGPRS: [(u32, i64); 5] = [(1, 2), (2, 2), (3, 2), (4, 2), (6, 1)];

/// Directives of other chips, and why they are refused.
const ELSEWHERE: [(&str, &str); 9] = [
    (
        "user_sgpr_private_segment_buffer",
        "is not supported with architected flat scratch",
    ),
    (
        "user_sgpr_flat_scratch_init",
        "is not supported with architected flat scratch",
    ),
    (
        "system_sgpr_private_segment_wavefront_offset",
        "is not supported with architected flat scratch",
    ),
    ("reserve_flat_scratch", "is not supported with architected flat scratch"),
    ("user_sgpr_kernarg_preload_length", "requires gfx90a or gfx940"),
    ("user_sgpr_kernarg_preload_offset", "requires gfx90a or gfx940"),
    ("accum_offset", "requires gfx90a or gfx940"),
    ("tg_split", "requires gfx90a or gfx940"),
    ("round_robin_scheduling", "requires gfx12"),
];

/// Directives whose value must be known where they stand, besides those for user SGPRs.
const AT_ONCE: [&str; 3] = ["kernarg_size", "wavefront_size32", "shared_vgpr_count"];

/// What a directive sets.
#[derive(Debug, Clone)]
struct Setting {
    /// 0 for as long as it is not known.
    value: i64,
    /// A value that symbols defined later decide.
    later: Option<Expr>,
    place: Place,
}

/// An open block.
#[derive(Debug, Clone)]
pub struct KernelBlock {
    name: String,
    place: Place,
    values: HashMap<&'static str, Setting>,
}

/// A descriptor some of whose values are known at the end of the file only.
#[derive(Debug, Clone)]
pub struct LateKernel {
    block: KernelBlock,
    wave_size: u32,
    end: Place,
    /// Section and offset of the descriptor.
    pub at: (usize, u64),
}

/// Refuses a value with more bits than the directive has.
fn check_bits(key: &str, value: i64, bits: u32, place: &Place) -> Result<(), AsmError> {
    if value >= 0 && value >> bits == 0 {
        return Ok(());
    }
    let range = KernelError::Range {
        name: format!(".amdhsa_{key}"),
        value,
        bits,
    };
    Err(place.error(AsmErrorKind::Kernel(range)))
}

/// The word's value.
fn word(d: &mut KernelDescriptor, word: Word) -> Option<&mut u32> {
    match word {
        Word::GroupSegment => Some(&mut d.group_segment_bytes),
        Word::PrivateSegment => Some(&mut d.private_segment_bytes),
        Word::Kernarg => Some(&mut d.kernarg_bytes),
        Word::Rsrc1 => Some(&mut d.rsrc1),
        Word::Rsrc2 => Some(&mut d.rsrc2),
        Word::Rsrc3 => Some(&mut d.rsrc3),
        Word::Properties => Some(&mut d.properties),
        Word::Later => None,
    }
}

/// The descriptor an empty block describes: denormals of 16 and 64 bits kept, DX10_CLAMP, IEEE_MODE, WGP_MODE,
/// MEM_ORDERED, workgroup id x, and the wave size of the code.
fn default_descriptor(wave_size: u32) -> KernelDescriptor {
    KernelDescriptor {
        rsrc1: 3 << 18 | 1 << 21 | 1 << 23 | 1 << 29 | 1 << 30,
        rsrc2: 1 << 7,
        properties: u32::from(wave_size == 32) << 10,
        ..KernelDescriptor::default()
    }
}

/// The directives (without `.amdhsa_`) that make the assembler write this descriptor; `None` when it has bits that no
/// directive sets. The number of SGPRs is not in a descriptor of these chips: 8 stands for it; [`GRANULATED_SGPRS`] and
/// [`INST_PREF_SIZE`] are there only where they are not 0.
pub fn kernel_directives(d: &KernelDescriptor) -> Option<Vec<(&'static str, u32)>> {
    let mut rest = *d;
    let mut out = Vec::new();
    for (name, target, low, bits) in DIRECTIVES {
        let value = match name {
            "user_sgpr_count" => d.user_sgprs(),
            "next_free_vgpr" => d.vgprs(),
            "next_free_sgpr" => 8,
            "reserve_vcc" => 0,
            _ => match word(&mut rest, target) {
                Some(word) => *word >> low & ((1u64 << bits) - 1) as u32,
                None => continue,
            },
        };
        if matches!(name, GRANULATED_SGPRS | INST_PREF_SIZE) && value == 0 {
            continue;
        }
        out.push((name, value));
    }
    let nowhere = Place::default();
    let values = out
        .iter()
        .map(|&(name, v)| {
            let setting = Setting {
                value: i64::from(v),
                later: None,
                place: nowhere.clone(),
            };
            (name, setting)
        })
        .collect();
    let block = KernelBlock {
        name: String::new(),
        place: nowhere.clone(),
        values,
    };
    let made = block.descriptor(d.wave_size(), &nowhere).ok()?;
    (KernelDescriptor {
        entry_offset: d.entry_offset,
        ..made
    } == *d)
        .then_some(out)
}

impl Assembler {
    pub(super) fn open_kernel(&mut self, c: &mut Cursor<'_>, here: &Place) -> Result<(), AsmError> {
        let name = c.name("the kernel's name")?;
        c.finish()?;
        self.block = Some(KernelBlock {
            name,
            place: here.clone(),
            values: HashMap::new(),
        });
        Ok(())
    }

    /// A line of an open block.
    pub(super) fn kernel_line(&mut self, name: &str, c: &mut Cursor<'_>, here: &Place) -> Result<(), AsmError> {
        let refuse = |e| Err(here.error(AsmErrorKind::Kernel(e)));
        if name == ".end_amdhsa_kernel" {
            c.finish()?;
            return match self.block.take() {
                Some(block) => self.close_kernel(&block, here),
                None => Ok(()),
            };
        }
        let Some(short) = name.strip_prefix(".amdhsa_") else {
            return refuse(KernelError::NotAmdhsa);
        };
        if let Some((_, why)) = ELSEWHERE.iter().find(|e| e.0 == short) {
            return refuse(KernelError::NotHere {
                name: name.to_owned(),
                why,
            });
        }
        let Some(&(key, _, _, bits)) = DIRECTIVES.iter().find(|d| d.0 == short) else {
            return refuse(KernelError::Unknown { name: name.to_owned() });
        };
        let start = c.position();
        let e = expr::parse(c, self)?;
        let place = c.since(start);
        c.finish()?;
        let (value, later) = match self.absolute(&e) {
            Some(value) => (value, None),
            None if key.starts_with("user_sgpr_") || AT_ONCE.contains(&key) => {
                return Err(place.error(AsmErrorKind::NotYet));
            }
            None => (0, Some(e)),
        };
        check_bits(key, value, bits, &place)?;
        if key == "reserve_xnack_mask" && value != 0 {
            return refuse(KernelError::NotHere {
                name: name.to_owned(),
                why: "does not match the target, which has no XNACK",
            });
        }
        match &mut self.block {
            Some(block) if block.values.contains_key(key) => refuse(KernelError::Repeated { name: name.to_owned() }),
            Some(block) => {
                block.values.insert(key, Setting { value, later, place });
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// The label was seen: writes the descriptor into the current section.
    fn close_kernel(&mut self, block: &KernelBlock, end: &Place) -> Result<(), AsmError> {
        let descriptor = block.descriptor(self.target.wave_size, end)?;
        let code = self.symbol_id(&block.name, &block.place);
        let kd = self.symbol_id(&format!("{}.kd", block.name), &block.place);
        // The binding the code has by now: an undefined symbol that nothing was said of is global.
        let is_global = |s: &super::state::Symbol| !s.bound && s.definition.is_none();
        let binding = match &self.symbols[code] {
            s if is_global(s) => elf::STB_GLOBAL,
            s => s.binding,
        };
        let visibility = self.symbols[code].visibility;
        if visibility == elf::STV_DEFAULT {
            self.symbols[code].visibility = elf::STV_PROTECTED;
        }
        let at = Definition::Label(self.current, self.sections[self.current].size);
        self.define(kd, at, &block.place)?;
        self.register(kd);
        let s = &mut self.symbols[kd];
        (s.binding, s.visibility, s.kind, s.bound) = (binding, visibility, elf::STT_OBJECT, true);
        s.size = Some((Expr::Int(64), block.place.clone()));
        let offset = Expr::Binary(
            Binary::Sub,
            Box::new(Expr::Symbol(code, Variant::None)),
            Box::new(Expr::Symbol(kd, Variant::None)),
        );
        let at = (self.current, self.sections[self.current].size);
        self.fixup(FixupKind::Data(8), 16, offset, &block.place);
        if block.values.values().any(|v| v.later.is_some()) {
            self.late.push(LateKernel {
                block: block.clone(),
                wave_size: self.target.wave_size,
                end: end.clone(),
                at,
            });
        }
        self.emit(&descriptor.encode(), &block.place)?;
        self.kernels.push(Kernel {
            name: block.name.clone(),
            code,
            place: block.place.clone(),
        });
        Ok(())
    }

    /// The descriptor of a kernel now that every symbol is known.
    pub(super) fn late_descriptor(&self, late: &LateKernel) -> Result<KernelDescriptor, AsmError> {
        let mut block = late.block.clone();
        for (key, setting) in &mut block.values {
            let Some(e) = setting.later.take() else { continue };
            let place = &setting.place;
            let value = self.sum(&e, place)?.absolute();
            setting.value = value.ok_or_else(|| place.error(AsmErrorKind::NotAbsolute))?;
            let bits = DIRECTIVES.iter().find(|d| d.0 == *key).map_or(63, |d| d.3);
            check_bits(key, setting.value, bits, place)?;
        }
        block.descriptor(late.wave_size, &late.end)
    }

    /// A line of an open `.amdgpu_metadata` block.
    pub(super) fn metadata_line(&mut self, line: &Line) -> Result<(), AsmError> {
        if line.text.trim() != ".end_amdgpu_metadata" {
            if let Some((text, _)) = &mut self.metadata_text {
                text.push_str(&line.text);
                text.push('\n');
            }
            return Ok(());
        }
        let Some((text, place)) = self.metadata_text.take() else {
            return Ok(());
        };
        match yaml::parse_with_places(&text) {
            Ok((value, places)) => {
                if let Err((e, path)) = rules::check(&value) {
                    let at = match places.line(&path) {
                        Some(line) => Place {
                            line: place.line + line,
                            column: 1,
                            text: text
                                .lines()
                                .nth(line as usize - 1)
                                .unwrap_or_default()
                                .trim()
                                .to_owned(),
                        },
                        None => place,
                    };
                    return Err(at.error(AsmErrorKind::Metadata(e.to_string())));
                }
                self.metadata = Some(value);
                Ok(())
            }
            Err(e) => {
                let at = Place {
                    line: place.line + e.line,
                    column: 1,
                    text: e.text.clone(),
                };
                Err(at.error(AsmErrorKind::Metadata(e.to_string())))
            }
        }
    }
}

impl KernelBlock {
    /// An error that the block is not closed.
    pub fn unclosed(&self) -> AsmError {
        let (opening, closing) = (".amdhsa_kernel", ".end_amdhsa_kernel");
        self.place.error(AsmErrorKind::Unclosed { opening, closing })
    }

    fn value(&self, name: &str) -> Option<i64> {
        self.values.get(name).map(|v| v.value)
    }

    fn descriptor(&self, wave_size: u32, end: &Place) -> Result<KernelDescriptor, AsmError> {
        let refuse = |place: &Place, e| place.error(AsmErrorKind::Kernel(e));
        let mut d = default_descriptor(wave_size);
        for (name, target, low, bits) in DIRECTIVES {
            let (Some(value), Some(word)) = (self.value(name), word(&mut d, target)) else {
                continue;
            };
            let mask = ((1u64 << bits) - 1) as u32;
            *word = *word & !(mask << low) | (value as u32) << low;
        }
        let required = |name: &'static str, full: &'static str| {
            self.values
                .get(name)
                .ok_or_else(|| refuse(end, KernelError::Required { name: full }))
        };
        let Setting {
            value: vgprs,
            place: at,
            ..
        } = required("next_free_vgpr", ".amdhsa_next_free_vgpr")?;
        required("next_free_sgpr", ".amdhsa_next_free_sgpr")?;
        // The granule is that of the wave size the block names, or else of the code.
        let wave32 = d.wave_size() == 32;
        let granule = if wave32 { 8 } else { 4 };
        let blocks = (*vgprs).max(1).unsigned_abs().div_ceil(granule) as i64 - 1;
        if blocks > 63 {
            let limit = 64 * granule as i64;
            return Err(refuse(at, KernelError::Vgprs { vgprs: *vgprs, limit }));
        }
        d.rsrc1 |= blocks as u32;
        let taken = |&(bit, count): &(u32, i64)| if d.properties >> bit & 1 == 1 { count } else { 0 };
        let implied: i64 = USER_SGPRS.iter().map(taken).sum();
        let count = self.value("user_sgpr_count").unwrap_or(implied);
        if implied > count {
            return Err(refuse(end, KernelError::UserSgprs { count, implied }));
        }
        if count > 31 {
            return Err(refuse(end, KernelError::TooManyUserSgprs { count }));
        }
        d.rsrc2 |= (count as u32) << 1;
        let shared = self.value("shared_vgpr_count").unwrap_or(0);
        if shared > 0 && self.value("wavefront_size32") == Some(1) {
            return Err(refuse(end, KernelError::SharedVgprs));
        }
        let total = 2 * shared + blocks;
        if total > 63 {
            return Err(refuse(end, KernelError::SharedVgprTotal { total }));
        }
        Ok(d)
    }
}
