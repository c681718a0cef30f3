//! Typed buffers, images, exports and interpolation: their modifier bits, register counts, legality and text.
//!
//! Problem: these families carry modifiers nothing else has, and the registers of an image access follow from its
//! modifiers. Method: everything the families need beyond their rows is here, called from the encoder, decoder, printer
//! and parser at one place each. Invariant: the bits written by `mod_bits` are the bits read by `read_mods`.
//! Sources: AMD machine-readable RDNA3 ISA (bit positions), RDNA3 ISA manual sections 9.5, 10, 13, LLVM 19
//! (`getAddrSizeMIMGOp`, `validateMIMG*`) for register counts and legality, its output for names.

use super::form::Form;
use super::inst::{Enc, Mods};
use super::legal::EncodeError;
use super::parse::number;
use super::print::cache;
use super::row::{Class, Family, Field, Flags, Gradients, ImgAddr, ImgData, Kind, OperandSpec, Row};
use super::{Inst, Operand};
use std::fmt::{self, Formatter};

/// A dimension of images: name after `SQ_RSRC_IMG_`, coordinates, gradients.
struct Dim(&'static str, u32, u32);

const DIM_TABLE: [Dim; 8] = [
    Dim("1D", 1, 2),
    Dim("2D", 2, 4),
    Dim("3D", 3, 6),
    Dim("CUBE", 3, 4),
    Dim("1D_ARRAY", 2, 2),
    Dim("2D_ARRAY", 3, 4),
    Dim("2D_MSAA", 3, 4),
    Dim("2D_MSAA_ARRAY", 4, 4),
];

/// Names of image dimensions after `SQ_RSRC_IMG_`, in the order of their numbers.
pub const DIMS: [&str; 8] = {
    let mut names = [""; 8];
    let mut i = 0;
    while i < 8 {
        names[i] = DIM_TABLE[i].0;
        i += 1;
    }
    names
};

/// Names of typed buffer formats after `BUF_FMT_`, in the order of their numbers; numbers from 64 on have none.
pub const FORMATS: [&str; 64] = [
    "INVALID",
    "8_UNORM",
    "8_SNORM",
    "8_USCALED",
    "8_SSCALED",
    "8_UINT",
    "8_SINT",
    "16_UNORM",
    "16_SNORM",
    "16_USCALED",
    "16_SSCALED",
    "16_UINT",
    "16_SINT",
    "16_FLOAT",
    "8_8_UNORM",
    "8_8_SNORM",
    "8_8_USCALED",
    "8_8_SSCALED",
    "8_8_UINT",
    "8_8_SINT",
    "32_UINT",
    "32_SINT",
    "32_FLOAT",
    "16_16_UNORM",
    "16_16_SNORM",
    "16_16_USCALED",
    "16_16_SSCALED",
    "16_16_UINT",
    "16_16_SINT",
    "16_16_FLOAT",
    "10_11_11_FLOAT",
    "11_11_10_FLOAT",
    "10_10_10_2_UNORM",
    "10_10_10_2_SNORM",
    "10_10_10_2_UINT",
    "10_10_10_2_SINT",
    "2_10_10_10_UNORM",
    "2_10_10_10_SNORM",
    "2_10_10_10_USCALED",
    "2_10_10_10_SSCALED",
    "2_10_10_10_UINT",
    "2_10_10_10_SINT",
    "8_8_8_8_UNORM",
    "8_8_8_8_SNORM",
    "8_8_8_8_USCALED",
    "8_8_8_8_SSCALED",
    "8_8_8_8_UINT",
    "8_8_8_8_SINT",
    "32_32_UINT",
    "32_32_SINT",
    "32_32_FLOAT",
    "16_16_16_16_UNORM",
    "16_16_16_16_SNORM",
    "16_16_16_16_USCALED",
    "16_16_16_16_SSCALED",
    "16_16_16_16_UINT",
    "16_16_16_16_SINT",
    "16_16_16_16_FLOAT",
    "32_32_32_UINT",
    "32_32_32_SINT",
    "32_32_32_FLOAT",
    "32_32_32_32_UINT",
    "32_32_32_32_SINT",
    "32_32_32_32_FLOAT",
];

/// Format LLVM leaves out of the text: `BUF_FMT_8_UNORM`.
const DEFAULT_FORMAT: u32 = 1;

/// Largest attribute operand: attribute 32, channel w.
pub(crate) const MAX_ATTR: i64 = 32 * 4 + 3;

/// Modifiers these families have when nothing is written.
pub(crate) fn default_mods(row: &Row, m: &mut Mods) {
    if row.family == Family::Mtbuf {
        m.format = DEFAULT_FORMAT;
    }
    if row.flags.has(Flags::GDS_ONLY) {
        m.gds = true;
    }
}

fn field(w: u64, shift: u32, width: u32) -> u32 {
    (w >> shift & ((1 << width) - 1)) as u32
}

/// Modifier bits of the machine word.
pub(crate) fn mod_bits(inst: &Inst, form: Form) -> u64 {
    let m = &inst.mods;
    let bit = |b: bool, n: u32| u64::from(b) << n;
    let caches = bit(m.slc, 12) | bit(m.dlc, 13) | bit(m.glc, 14);
    match form {
        Form::Mtbuf => {
            u64::from(m.offset as u32 & 0xfff)
                | caches
                | u64::from(m.format) << 19
                | bit(m.offen, 54)
                | bit(m.idxen, 55)
        }
        Form::Mimg => {
            bit(matches!(inst.enc, Enc::Nsa(_)), 0)
                | u64::from(m.dim) << 2
                | bit(m.unorm || is_ray(inst.row()), 7)
                | u64::from(if is_ray(inst.row()) { 15 } else { m.dmask }) << 8
                | caches
                | bit(m.r128 || is_ray(inst.row()), 15)
                | bit(m.a16, 16)
                | bit(m.d16, 17)
                | bit(m.tfe, 53)
                | bit(m.lwe, 54)
        }
        Form::Ldsdir => u64::from(m.wait) << 16,
        Form::Vinterp => u64::from(m.wait) << 8 | u64::from(m.op_sel) << 11 | bit(m.clamp, 15) | u64::from(m.neg) << 61,
        Form::Exp => {
            let enabled = (0..4).filter(|&i| inst.operands.get(i + 1) != Some(&Operand::OFF));
            enabled.fold(0, |w, i| w | 1 << i) | bit(m.done, 11) | bit(m.row_en, 13)
        }
        _ => 0,
    }
}

/// Reads modifiers out of the machine word, the inverse of `mod_bits`.
pub(crate) fn read_mods(row: &Row, form: Form, w: u64, m: &mut Mods) {
    let bit = |n: u32| w >> n & 1 == 1;
    if matches!(form, Form::Mtbuf | Form::Mimg) {
        (m.slc, m.dlc, m.glc) = (bit(12), bit(13), bit(14));
    }
    match form {
        Form::Mtbuf => {
            m.offset = field(w, 0, 12) as i32;
            m.format = field(w, 19, 7);
            (m.offen, m.idxen) = (bit(54), bit(55));
        }
        Form::Mimg => {
            m.dim = field(w, 2, 3);
            (m.a16, m.d16, m.tfe, m.lwe) = (bit(16), bit(17), bit(53), bit(54));
            if !is_ray(row) {
                (m.unorm, m.r128) = (bit(7), bit(15));
                m.dmask = field(w, 8, 4);
            }
        }
        Form::Ldsdir => m.wait = field(w, 16, 4),
        Form::Vinterp => {
            m.wait = field(w, 8, 3);
            m.op_sel = field(w, 11, 4);
            m.clamp = bit(15);
            m.neg = field(w, 61, 3);
        }
        Form::Exp => (m.done, m.row_en) = (bit(11), bit(13)),
        _ => {}
    }
}

/// Ray intersections have fixed modifiers (dmask 15, unorm, r128), which are not written.
pub(crate) fn is_ray(row: &Row) -> bool {
    row.operands
        .iter()
        .any(|s| matches!(s.kind, Kind::ImgAddr(ImgAddr::Ray { .. })))
}

fn dim(m: &Mods) -> &'static Dim {
    &DIM_TABLE[m.dim as usize % DIM_TABLE.len()]
}

/// Dwords of an image address in one run of registers.
fn address_regs(a: ImgAddr, m: &Mods) -> u32 {
    let pack = |n: u32| if m.a16 { n.div_ceil(2) } else { n };
    match a {
        ImgAddr::Ray { node } => node + 1 + if m.a16 { 6 } else { 9 },
        ImgAddr::Texel {
            extra,
            gradients,
            coords,
            lod,
        } => {
            let Dim(_, n_coords, n_gradients) = *dim(m);
            let gradients = match gradients {
                Gradients::None => 0,
                Gradients::Full => n_gradients,
                // Each direction starts a new register.
                Gradients::Half => (n_gradients / 2).div_ceil(2) * 2,
            };
            extra + gradients + pack(if coords { n_coords } else { 0 } + u32::from(lod))
        }
    }
}

/// Dwords of each part of an image address given as separate registers; fewer than two parts have no such form.
fn address_parts(a: ImgAddr, m: &Mods) -> Vec<u32> {
    match a {
        ImgAddr::Ray { node } if m.a16 => vec![node, 1, 3, 3],
        ImgAddr::Ray { node } => vec![node, 1, 3, 3, 3],
        ImgAddr::Texel { .. } => {
            let total = address_regs(a, m);
            // The fifth and last part takes the rest in one run.
            (0..total.min(5)).map(|i| if i == 4 { total - 4 } else { 1 }).collect()
        }
    }
}

/// Checks how many separate registers an image address is given in.
pub(crate) fn check_parts(row: &Row, m: &Mods, got: u32) -> Result<(), EncodeError> {
    let want = row.operands.iter().find_map(|s| match s.kind {
        Kind::ImgAddr(a) => Some(address_parts(a, m).len() as u32),
        _ => None,
    });
    match want {
        Some(want) if want != got => Err(EncodeError::ImageAddress {
            name: row.name,
            want,
            got,
        }),
        _ => Ok(()),
    }
}

fn data_regs(data: ImgData, m: &Mods) -> u32 {
    let values = match data {
        ImgData::Ray => return 4,
        ImgData::Gather | ImgData::Msaa => 4,
        _ => m.dmask.count_ones().max(1),
    };
    let dwords = if m.d16 { values.div_ceil(2) } else { values };
    dwords + u32::from(m.tfe)
}

/// Registers of an image operand under these modifiers; 0 for a part the address does not have.
pub(crate) fn operand_regs(spec: &OperandSpec, enc: Enc, m: &Mods) -> u32 {
    match (spec.kind, enc) {
        (Kind::ImgData(d), _) => data_regs(d, m),
        (Kind::ImgAddr(a), Enc::Nsa(_)) => {
            let part = match spec.field {
                Field::Nsa(i) => i,
                _ => 0,
            };
            address_parts(a, m).get(part as usize).copied().unwrap_or(0)
        }
        (Kind::ImgAddr(a), _) => address_regs(a, m),
        _ => spec.ty.regs(),
    }
}

/// Parts of the address when the word says they are separate registers.
pub(crate) fn nsa_addresses(row: &Row, form: Form, word: u64, m: &Mods) -> Option<u32> {
    if form != Form::Mimg || word & 1 == 0 {
        return None;
    }
    row.operands.iter().find_map(|s| match s.kind {
        Kind::ImgAddr(a) => Some(address_parts(a, m).len().max(1) as u32),
        _ => None,
    })
}

/// Checks the modifiers of these families.
pub(crate) fn check(inst: &Inst, form: Form) -> Result<(), EncodeError> {
    let (m, row) = (&inst.mods, inst.row());
    let bad = |cond: bool, modifier: &'static str| {
        if cond {
            Err(EncodeError::Modifier {
                name: row.name,
                modifier,
            })
        } else {
            Ok(())
        }
    };
    let image = form == Form::Mimg && !is_ray(row);
    bad(m.dmask > if image { 15 } else { 0 }, "dmask")?;
    bad(m.dim > if image { 7 } else { 0 }, "dim")?;
    bad(m.unorm && !image, "unorm")?;
    bad(m.r128 && !image, "r128")?;
    bad(m.lwe && !image, "lwe")?;
    bad(m.d16 && (!image || row.flags.has(Flags::NO_D16)), "d16")?;
    bad(m.a16 && form != Form::Mimg, "a16")?;
    bad(
        is_ray(row) && (m.glc || m.slc || m.dlc || m.tfe),
        "glc, slc, dlc or tfe",
    )?;
    bad(m.format > if form == Form::Mtbuf { 127 } else { 0 }, "format")?;
    bad(m.done && form != Form::Exp, "done")?;
    bad(m.row_en && form != Form::Exp, "row_en")?;
    let (wait, name) = match form {
        Form::Ldsdir => (15, "wait_vdst"),
        Form::Vinterp => (7, "wait_exp"),
        _ => (0, "wait_vdst or wait_exp"),
    };
    bad(m.wait > wait, name)?;
    if form == Form::Mimg {
        check_image(inst, row)?;
    }
    Ok(())
}

/// dmask, dimension and register counts of an image access. Source: LLVM 19 `validateMIMGDataSize`,
/// `validateMIMGGatherDMask`, `validateMIMGAtomicDMask`, `validateMIMGMSAA`, `validateMIMGAddrSize`.
fn check_image(inst: &Inst, row: &'static Row) -> Result<(), EncodeError> {
    let (m, name) = (&inst.mods, row.name);
    for spec in row.operands {
        match spec.kind {
            Kind::ImgData(data) => {
                let (mask_ok, want) = match data {
                    ImgData::Gather | ImgData::Msaa => (m.dmask.count_ones() == 1, "one bit"),
                    ImgData::Atomic | ImgData::CmpSwap => (matches!(m.dmask, 1 | 3 | 15), "1, 3, 15"),
                    ImgData::Texel | ImgData::Ray => (true, "any"),
                };
                if !mask_ok {
                    return Err(EncodeError::ImageMask {
                        name,
                        dmask: m.dmask,
                        want,
                    });
                }
                if data == ImgData::Msaa && !matches!(m.dim, 6 | 7) {
                    return Err(EncodeError::ImageDim {
                        name,
                        dim: m.dim,
                        want: "2D_MSAA, 2D_MSAA_ARRAY",
                    });
                }
                let regs = data_regs(data, m);
                let exists = match data {
                    ImgData::Gather => matches!(regs, 2 | 4 | 5),
                    // LLVM has the odd ones for what `tfe` adds.
                    ImgData::Atomic => matches!(regs, 1 | 2 | 3 | 5),
                    ImgData::CmpSwap => matches!(regs, 2..=5),
                    _ => true,
                };
                if !exists {
                    return Err(EncodeError::ImageData { name, regs });
                }
            }
            Kind::ImgAddr(a) => {
                let parts = address_parts(a, m).len() as u32;
                let regs = address_regs(a, m);
                let max = max_address(a, row, inst.enc);
                if regs > max {
                    return Err(EncodeError::ImageDim {
                        name,
                        dim: m.dim,
                        want: "dimensions with at most three coordinates",
                    });
                }
                if let Enc::Nsa(got) = inst.enc {
                    if got != parts || parts < 2 {
                        return Err(EncodeError::ImageAddress { name, want: parts, got });
                    }
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Longest address of a row: sampling and mip levels exist for at most three coordinates, although runs that would be
/// three or seven registers long have versions of four and eight. Source: LLVM 19 `MIMG_Sampler_AddrSizes`.
fn max_address(a: ImgAddr, row: &Row, enc: Enc) -> u32 {
    let ImgAddr::Texel {
        extra, gradients, lod, ..
    } = a
    else {
        return u32::MAX;
    };
    let sampler = row.operands.iter().any(|s| s.field == Field::Ssamp);
    let gradients = match gradients {
        Gradients::None => 0,
        Gradients::Full => 6,
        Gradients::Half => 4,
    };
    let coords = if sampler || lod { 3 } else { 4 };
    let max = extra + gradients + coords + u32::from(lod);
    let full = !matches!(enc, Enc::Nsa(_)) && matches!(max, 3 | 7);
    max + u32::from(full)
}

/// Modifiers of images, exports and LDSDIR as text.
pub(crate) fn print(f: &mut Formatter<'_>, inst: &Inst) -> fmt::Result {
    let (m, row) = (&inst.mods, inst.row());
    match row.family {
        Family::Ldsdir => write!(f, " wait_vdst:{}", m.wait),
        Family::Vinterp => write!(f, " wait_exp:{}", m.wait),
        Family::Exp => cache(f, &[(m.done, "done"), (m.row_en, "row_en")]),
        _ => {
            if !is_ray(row) {
                if m.dmask != 0 {
                    write!(f, " dmask:{:#x}", m.dmask)?;
                }
                write!(f, " dim:SQ_RSRC_IMG_{}", dim(m).0)?;
            }
            cache(
                f,
                &[
                    (m.unorm, "unorm"),
                    (m.glc, "glc"),
                    (m.slc, "slc"),
                    (m.dlc, "dlc"),
                    (m.r128, "r128"),
                    (m.a16, "a16"),
                    (m.tfe, "tfe"),
                    (m.lwe, "lwe"),
                    (m.d16, "d16"),
                ],
            )
        }
    }
}

/// ` format:..` of a typed buffer access.
pub(crate) fn print_format(f: &mut Formatter<'_>, format: u32) -> fmt::Result {
    match FORMATS.get(format as usize) {
        _ if format == DEFAULT_FORMAT => Ok(()),
        Some(name) => write!(f, " format:[BUF_FMT_{name}]"),
        None => write!(f, " format:{format}"),
    }
}

/// Reads a modifier of these families.
pub(crate) fn parse_modifier(row: &Row, m: &mut Mods, key: &str, value: &str) -> Option<()> {
    let n = || number(value).and_then(|v| u32::try_from(v).ok());
    match (row.family, key, value) {
        // Of the rays' instructions these are fixed, and LLVM has no text for them.
        (Family::Mimg, "dmask" | "dim" | "unorm" | "r128" | "d16" | "lwe", _) if is_ray(row) => return None,
        (Family::Mimg, "dmask", _) => m.dmask = n()?,
        (Family::Mimg, "dim", _) => {
            let name = value.strip_prefix("SQ_RSRC_IMG_").unwrap_or(value);
            m.dim = DIMS.iter().position(|d| *d == name)? as u32;
        }
        (Family::Mimg, "unorm", "") => m.unorm = true,
        (Family::Mimg, "r128", "") => m.r128 = true,
        (Family::Mimg, "a16", "") => m.a16 = true,
        (Family::Mimg, "d16", "") => m.d16 = true,
        (Family::Mimg, "lwe", "") => m.lwe = true,
        (Family::Mtbuf, "format", _) => m.format = parse_format(value)?,
        (Family::Exp, "done", "") => m.done = true,
        (Family::Exp, "row_en", "") => m.row_en = true,
        (Family::Ldsdir, "wait_vdst", _) | (Family::Vinterp, "wait_exp", _) => m.wait = n()?,
        _ => return None,
    }
    Some(())
}

/// `[BUF_FMT_32_FLOAT]`, `[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT]` (either may be missing, in any order) or a number.
fn parse_format(value: &str) -> Option<u32> {
    if let Some(v) = number(value) {
        return u32::try_from(v).ok();
    }
    let inner = value.strip_prefix('[')?.strip_suffix(']')?.trim();
    let find = |name: &str| FORMATS.iter().position(|f| *f == name).map(|i| i as u32);
    if let Some(name) = inner.strip_prefix("BUF_FMT_") {
        return find(name);
    }
    let (mut data, mut kind) = (None, None);
    for part in inner.split(',').map(str::trim) {
        if let Some(d) = part.strip_prefix("BUF_DATA_FORMAT_") {
            data = if data.is_none() { Some(d) } else { return None };
        } else {
            let k = part.strip_prefix("BUF_NUM_FORMAT_")?;
            kind = if kind.is_none() { Some(k) } else { return None };
        }
    }
    find(&format!("{}_{}", data.unwrap_or("8"), kind.unwrap_or("UNORM")))
}

/// Name of an export target.
pub(crate) fn target_name(v: i64) -> Option<String> {
    Some(match v {
        0..=7 => format!("mrt{v}"),
        8 => "mrtz".to_string(),
        12..=16 => format!("pos{}", v - 12),
        20 => "prim".to_string(),
        21..=22 => format!("dual_src_blend{}", v - 21),
        _ => return None,
    })
}

/// Reads an export target.
pub(crate) fn parse_target(text: &str) -> Option<u32> {
    (0..64)
        .find(|&v| target_name(v).as_deref() == Some(text))
        .map(|v| v as u32)
}

/// `attr3.z`.
pub(crate) fn attr_name(v: u32) -> String {
    let channel = ["x", "y", "z", "w"][(v & 3) as usize];
    format!("attr{}.{channel}", v >> 2)
}

/// Reads `attr3.z`.
pub(crate) fn parse_attr(text: &str) -> Option<u32> {
    let (attr, channel) = text.strip_prefix("attr")?.split_once('.')?;
    let channel = ["x", "y", "z", "w"].iter().position(|c| *c == channel)? as u32;
    let attr: u32 = attr.parse().ok().filter(|a| *a < 64)?;
    Some(attr << 2 | channel)
}

/// True for instructions that need the graphics pipeline or the global data share around them: images, exports,
/// interpolation, LDS parameters, global wave sync, ordered count, ray stacks.
pub fn is_graphics(row: &Row) -> bool {
    matches!(row.family, Family::Mimg | Family::Vinterp)
        || matches!(row.class, Class::Export | Class::LdsDir)
        || row.flags.has(Flags::GDS_ONLY)
        || row.name == "ds_bvh_stack_rtn_b32"
}
