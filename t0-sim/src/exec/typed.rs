//! Typed buffer accesses (MTBUF and the MUBUF `format` instructions) and loads from buffers into the LDS.
//!
//! MTBUF takes the format from the instruction and the components as they are; MUBUF takes the format and `dst_sel`
//! (which component, 0 or 1 goes where) from the descriptor; a store sends each value back to the component it would
//! be loaded from. An element is in range as a whole or not at all (RDNA3 ISA manual 9.4).
//!
//! `buffer_load_lds_*` write one dword per lane to LDS address `M0[15:0] + inst_offset + 4 * lane`.

use t0_backend_rdna3::isa::{Mtbuf, Mubuf};

use super::format::Format;
use super::lanes::merge16;
use super::mubuf::{resident, Places};
use super::vmem::{get, reg, set, Part};
use super::{lds, Env, Fault, Step};
use crate::aperture::Space;
use crate::mem::lanes_of;
use crate::program::{Dst, Instr};
use crate::sanitize::{Kind, Landing, Touch};
use crate::wave::{Wave, LANES, M0};

/// What a typed instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Typed {
    store: bool,
    /// Components in registers.
    count: usize,
    /// Two components to a register.
    d16: bool,
    /// The one component is in the high half.
    high: bool,
}

impl Typed {
    fn new(store: bool, count: usize, d16: bool) -> Typed {
        Typed {
            store,
            count,
            d16,
            high: false,
        }
    }
}

/// A dword of the identity `dst_sel`.
const IDENTITY: [u32; 4] = [4, 5, 6, 7];

/// An MTBUF instruction.
pub(super) fn mtbuf(w: &mut Wave, env: &mut Env, i: &Instr, op: Mtbuf) -> Step {
    use Mtbuf::*;
    let t = match op {
        tbuffer_load_format_x => Typed::new(false, 1, false),
        tbuffer_load_format_xy => Typed::new(false, 2, false),
        tbuffer_load_format_xyz => Typed::new(false, 3, false),
        tbuffer_load_format_xyzw => Typed::new(false, 4, false),
        tbuffer_store_format_x => Typed::new(true, 1, false),
        tbuffer_store_format_xy => Typed::new(true, 2, false),
        tbuffer_store_format_xyz => Typed::new(true, 3, false),
        tbuffer_store_format_xyzw => Typed::new(true, 4, false),
        tbuffer_load_d16_format_x => Typed::new(false, 1, true),
        tbuffer_load_d16_format_xy => Typed::new(false, 2, true),
        tbuffer_load_d16_format_xyz => Typed::new(false, 3, true),
        tbuffer_load_d16_format_xyzw => Typed::new(false, 4, true),
        tbuffer_store_d16_format_x => Typed::new(true, 1, true),
        tbuffer_store_d16_format_xy => Typed::new(true, 2, true),
        tbuffer_store_d16_format_xyz => Typed::new(true, 3, true),
        tbuffer_store_d16_format_xyzw => Typed::new(true, 4, true),
    };
    typed(w, env, i, t, Some(i.mods.format))
}

/// The MUBUF instructions that use the descriptor's format; `None` for others.
pub(super) fn mubuf(op: Mubuf) -> Option<Typed> {
    use Mubuf::*;
    Some(match op {
        buffer_load_format_x => Typed::new(false, 1, false),
        buffer_load_format_xy => Typed::new(false, 2, false),
        buffer_load_format_xyz => Typed::new(false, 3, false),
        buffer_load_format_xyzw => Typed::new(false, 4, false),
        buffer_store_format_x => Typed::new(true, 1, false),
        buffer_store_format_xy => Typed::new(true, 2, false),
        buffer_store_format_xyz => Typed::new(true, 3, false),
        buffer_store_format_xyzw => Typed::new(true, 4, false),
        buffer_load_d16_format_x => Typed::new(false, 1, true),
        buffer_load_d16_format_xy => Typed::new(false, 2, true),
        buffer_load_d16_format_xyz => Typed::new(false, 3, true),
        buffer_load_d16_format_xyzw => Typed::new(false, 4, true),
        buffer_store_d16_format_x => Typed::new(true, 1, true),
        buffer_store_d16_format_xy => Typed::new(true, 2, true),
        buffer_store_d16_format_xyz => Typed::new(true, 3, true),
        buffer_store_d16_format_xyzw => Typed::new(true, 4, true),
        buffer_load_d16_hi_format_x => Typed {
            high: true,
            ..Typed::new(false, 1, true)
        },
        buffer_store_d16_hi_format_x => Typed {
            high: true,
            ..Typed::new(true, 1, true)
        },
        _ => return None,
    })
}

/// The format an instruction uses, and which component goes where.
fn choose(places: &Places, named: Option<u32>) -> Step<(Format, [u32; 4])> {
    let (number, select) = match named {
        Some(n) => (n, IDENTITY),
        None => (places.res.format, places.res.dst_sel),
    };
    let format = Format::new(number).ok_or_else(|| {
        Fault::rule(format!(
            "{number} is no buffer format; {} names it",
            if named.is_some() {
                "the instruction"
            } else {
                "the descriptor"
            }
        ))
    })?;
    Ok((format, select))
}

/// Runs a typed access; `named` is the format of MTBUF.
pub(super) fn typed(w: &mut Wave, env: &mut Env, i: &Instr, t: Typed, named: Option<u32>) -> Step {
    let places = Places::new(w, i, usize::from(t.store))?;
    let (format, select) = choose(&places, named)?;
    let exec = w.exec();
    if t.store {
        let data = reg(i.src[0]);
        for l in lanes_of(exec) {
            let mut values = [0; 4];
            for (c, &s) in select.iter().enumerate().take(t.count) {
                if s >= 4 {
                    values[s as usize - 4] = component(w, data, t, c, l);
                }
            }
            if env.watched() {
                show(w, env, i, &places, format.bytes(), (Kind::Store, Landing::None), l);
            }
            write(env, &places, format, l, format.store(values, t.d16))?;
        }
        return Ok(());
    }
    let Dst::V(d) = i.dst[0] else { return Ok(()) };
    let d = usize::from(d);
    let count = if t.d16 { t.count.div_ceil(2) } else { t.count };
    let landing = Landing::All { reg: d, count };
    for l in lanes_of(exec) {
        if env.watched() {
            show(w, env, i, &places, format.bytes(), (Kind::Load, landing), l);
        }
        let loaded = read(env, &places, format, l)?.map(|e| format.load(e, t.d16));
        for (c, &s) in select.iter().enumerate().take(t.count) {
            // What is out of range reads 0 in every component.
            let v = match (loaded, s) {
                (None, _) | (_, 0 | 2 | 3) => 0,
                (_, 1) => format.one(t.d16),
                (Some(values), _) => values[(s & 3) as usize],
            };
            put(w, d, t, (c, l), v);
        }
    }
    if i.mods.tfe {
        resident(w, exec, d + count)?;
    }
    Ok(())
}

/// Shows lane `l`'s element to the sanitizer, if it is in range.
#[cold]
fn show(w: &Wave, env: &mut Env, i: &Instr, places: &Places, bytes: u64, (kind, landing): (Kind, Landing), l: usize) {
    if places.at(l, 0, bytes).is_none() {
        if let Some(watch) = env.watch.as_deref_mut() {
            watch.swallowed(w, i, kind, 1 << l, places.res.base);
        }
        return;
    }
    // A swizzled element may change between any two dwords.
    for b in (0..bytes).step_by(4) {
        let mut at = [0; LANES];
        at[l] = places.address(l, b);
        let touch = Touch {
            instr: i,
            space: Space::Global,
            kind,
            lanes: 1 << l,
            at: &at,
            bytes: (bytes - b).min(4) as u32,
            data: None,
            landing,
        };
        env.show(w, &touch);
    }
}

/// Component `c` of the data registers.
fn component(w: &Wave, data: usize, t: Typed, c: usize, l: usize) -> u32 {
    match t.d16 {
        false => w.v(data + c)[l],
        true => w.v(data + c / 2)[l] >> if t.high || c % 2 == 1 { 16 } else { 0 } & 0xffff,
    }
}

/// Writes component `c` to the destination registers.
fn put(w: &mut Wave, d: usize, t: Typed, (c, l): (usize, usize), v: u32) {
    match t.d16 {
        false => w.v_mut(d + c)[l] = v,
        true => {
            let r = &mut w.v_mut(d + c / 2)[l];
            *r = merge16(*r, v as u16, t.high || c % 2 == 1);
        }
    }
}

/// The bytes of lane `l`'s element, if it is in range.
fn read(env: &mut Env, places: &Places, format: Format, l: usize) -> Step<Option<u128>> {
    let size = format.bytes();
    if places.at(l, 0, size).is_none() {
        return Ok(None);
    }
    let mut element = 0;
    for b in (0..size).step_by(4) {
        let v = get(env, l, b, (size - b).min(4), &|l, b, _| Some(places.address(l, b)))?;
        element |= u128::from(v) << (8 * b);
    }
    Ok(Some(element))
}

/// Writes lane `l`'s element, if it is in range.
fn write(env: &mut Env, places: &Places, format: Format, l: usize, element: u128) -> Step {
    let size = format.bytes();
    if places.at(l, 0, size).is_none() {
        return Ok(());
    }
    for b in (0..size).step_by(4) {
        let v = (element >> (8 * b)) as u32;
        set(env, l, (b, (size - b).min(4)), v, &|l, b, _| Some(places.address(l, b)))?;
    }
    Ok(())
}

/// `buffer_load_lds_*`.
pub(super) fn into_lds(w: &mut Wave, env: &mut Env, i: &Instr, part: Load) -> Step {
    let places = Places::new(w, i, 0)?;
    let first = u64::from(w.sgpr[M0] & 0xffff) + i.mods.offset as u64 + 128 * w.half() as u64;
    for l in lanes_of(w.exec()) {
        let bytes = match part {
            Load::Dword => 4,
            Load::Part(p) => p.bytes().into(),
            Load::Format => choose(&places, None)?.0.bytes(),
        };
        if env.watched() {
            show(w, env, i, &places, bytes, (Kind::Load, Landing::None), l);
            lds::show_dword(w, env, i, first + 4 * l as u64, l);
        }
        let v = match part {
            Load::Dword => get(env, l, 0, 4, &|l, b, n| places.at(l, b, n))?,
            Load::Part(p) => p.extend(get(env, l, 0, p.bytes().into(), &|l, b, n| places.at(l, b, n))?),
            Load::Format => {
                let (format, select) = choose(&places, None)?;
                match (read(env, &places, format, l)?, select[0]) {
                    (None, _) | (_, 0 | 2 | 3) => 0,
                    (_, 1) => format.one(false),
                    (Some(e), s) => format.load(e, false)[(s & 3) as usize],
                }
            }
        };
        lds::put_dword(w, env.lds, i, first + 4 * l as u64, v, l);
    }
    Ok(())
}

/// What a load into the LDS fetches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Load {
    Dword,
    Part(Part),
    Format,
}

/// The MUBUF instructions that load into the LDS; `None` for others.
pub(super) fn lds_load(op: Mubuf) -> Option<Load> {
    Some(match op {
        Mubuf::buffer_load_lds_u8 => Load::Part(Part::U8),
        Mubuf::buffer_load_lds_i8 => Load::Part(Part::I8),
        Mubuf::buffer_load_lds_u16 => Load::Part(Part::U16),
        Mubuf::buffer_load_lds_i16 => Load::Part(Part::I16),
        Mubuf::buffer_load_lds_b32 => Load::Dword,
        Mubuf::buffer_load_lds_format_x => Load::Format,
        _ => return None,
    })
}
