//! Untyped buffer access through a 128-bit resource descriptor. Semantics: RDNA3 ISA manual 9.
//!
//! `address = base + soffset + index * stride + offset`, `offset = inst_offset + (offen ? vaddr : 0)`. An access
//! outside of the descriptor's range loads zero and stores nothing: raw buffers (`oob_select` 3) count `offset +
//! soffset` against num_records bytes, structured ones (0) `index` against num_records and `offset` against the
//! stride. Wide accesses are checked per dword, atomics as a whole. All arithmetic is 64-bit, so it cannot wrap.
//!
//! UNVERIFIED(hw): soffset takes part in the raw range check (manual: `num_records - sgpr_offset`).

use t0_backend_rdna3::isa::Mubuf;

use super::atomic::{Rmw, Width};
use super::lanes::each;
use super::vmem::{access, Access, Part, Place};
use super::{scalar32, Env, Fault, Step};
use crate::program::{Dst, Instr, Src};
use crate::wave::{Wave, LANES};

#[rustfmt::skip]
fn meaning(op: Mubuf) -> Option<Access> {
    use Access::*;
    use Mubuf::*;
    Some(match op {
        buffer_load_format_x | buffer_load_format_xy | buffer_load_format_xyz | buffer_load_format_xyzw
        | buffer_store_format_x | buffer_store_format_xy | buffer_store_format_xyz | buffer_store_format_xyzw
        | buffer_load_d16_format_x | buffer_load_d16_format_xy | buffer_load_d16_format_xyz
        | buffer_load_d16_format_xyzw | buffer_store_d16_format_x | buffer_store_d16_format_xy
        | buffer_store_d16_format_xyz | buffer_store_d16_format_xyzw | buffer_load_d16_hi_format_x
        | buffer_store_d16_hi_format_x | buffer_load_lds_u8 | buffer_load_lds_i8 | buffer_load_lds_u16
        | buffer_load_lds_i16 | buffer_load_lds_b32 | buffer_load_lds_format_x => return None,
        buffer_load_u8 => Load(Part::U8),
        buffer_load_i8 => Load(Part::I8),
        buffer_load_u16 => Load(Part::U16),
        buffer_load_i16 => Load(Part::I16),
        buffer_load_b32 => LoadWide(1),
        buffer_load_b64 => LoadWide(2),
        buffer_load_b96 => LoadWide(3),
        buffer_load_b128 => LoadWide(4),
        buffer_store_b8 => Store(1),
        buffer_store_b16 => Store(2),
        buffer_store_b32 => StoreWide(1),
        buffer_store_b64 => StoreWide(2),
        buffer_store_b96 => StoreWide(3),
        buffer_store_b128 => StoreWide(4),
        buffer_load_d16_u8 => LoadD16(Part::U8, false),
        buffer_load_d16_i8 => LoadD16(Part::I8, false),
        buffer_load_d16_b16 => LoadD16(Part::U16, false),
        buffer_load_d16_hi_u8 => LoadD16(Part::U8, true),
        buffer_load_d16_hi_i8 => LoadD16(Part::I8, true),
        buffer_load_d16_hi_b16 => LoadD16(Part::U16, true),
        buffer_store_d16_hi_b8 => StoreHi(1),
        buffer_store_d16_hi_b16 => StoreHi(2),
        buffer_gl0_inv | buffer_gl1_inv => Inv,
        buffer_atomic_swap_b32 => Atomic(Rmw::Swap, Width::W32),
        buffer_atomic_cmpswap_b32 => Atomic(Rmw::CmpSwap, Width::W32),
        buffer_atomic_add_u32 => Atomic(Rmw::Add, Width::W32),
        buffer_atomic_sub_u32 => Atomic(Rmw::Sub, Width::W32),
        buffer_atomic_csub_u32 => Atomic(Rmw::CSub, Width::W32),
        buffer_atomic_min_i32 => Atomic(Rmw::MinI, Width::W32),
        buffer_atomic_min_u32 => Atomic(Rmw::MinU, Width::W32),
        buffer_atomic_max_i32 => Atomic(Rmw::MaxI, Width::W32),
        buffer_atomic_max_u32 => Atomic(Rmw::MaxU, Width::W32),
        buffer_atomic_and_b32 => Atomic(Rmw::And, Width::W32),
        buffer_atomic_or_b32 => Atomic(Rmw::Or, Width::W32),
        buffer_atomic_xor_b32 => Atomic(Rmw::Xor, Width::W32),
        buffer_atomic_inc_u32 => Atomic(Rmw::Inc, Width::W32),
        buffer_atomic_dec_u32 => Atomic(Rmw::Dec, Width::W32),
        buffer_atomic_swap_b64 => Atomic(Rmw::Swap, Width::W64),
        buffer_atomic_cmpswap_b64 => Atomic(Rmw::CmpSwap, Width::W64),
        buffer_atomic_add_u64 => Atomic(Rmw::Add, Width::W64),
        buffer_atomic_sub_u64 => Atomic(Rmw::Sub, Width::W64),
        buffer_atomic_min_i64 => Atomic(Rmw::MinI, Width::W64),
        buffer_atomic_min_u64 => Atomic(Rmw::MinU, Width::W64),
        buffer_atomic_max_i64 => Atomic(Rmw::MaxI, Width::W64),
        buffer_atomic_max_u64 => Atomic(Rmw::MaxU, Width::W64),
        buffer_atomic_and_b64 => Atomic(Rmw::And, Width::W64),
        buffer_atomic_or_b64 => Atomic(Rmw::Or, Width::W64),
        buffer_atomic_xor_b64 => Atomic(Rmw::Xor, Width::W64),
        buffer_atomic_inc_u64 => Atomic(Rmw::Inc, Width::W64),
        buffer_atomic_dec_u64 => Atomic(Rmw::Dec, Width::W64),
        buffer_atomic_cmpswap_f32 => Atomic(Rmw::CmpSwapF, Width::W32),
        buffer_atomic_min_f32 => Atomic(Rmw::MinF, Width::W32),
        buffer_atomic_max_f32 => Atomic(Rmw::MaxF, Width::W32),
        buffer_atomic_add_f32 => Atomic(Rmw::AddF, Width::W32),
    })
}

/// The fields of a buffer resource this simulator uses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resource {
    pub base: u64,
    pub stride: u64,
    pub num_records: u64,
    oob: u32,
}

impl Resource {
    /// Reads the descriptor in SGPRs from `r`.
    pub fn read(w: &Wave, r: usize) -> Step<Resource> {
        let d: [u32; 4] = each(|k| w.sgpr[(r + k) & 127]);
        if d[1] >> 30 != 0 || d[3] >> 23 & 1 != 0 {
            return Err(Fault::unsupported("buffer descriptors with swizzle or add_tid"));
        }
        if d[3] >> 30 != 0 {
            return Err(Fault::rule(format!(
                "s[{r}:{}] is no buffer descriptor: its type field is {} instead of 0",
                r + 3,
                d[3] >> 30
            )));
        }
        Ok(Resource {
            base: u64::from(d[0]) | u64::from(d[1] & 0xffff) << 32,
            stride: u64::from(d[1] >> 16 & 0x3fff),
            num_records: u64::from(d[2]),
            oob: d[3] >> 28 & 3,
        })
    }

    /// Bytes that may be accessed from `offset` on, and the address.
    fn place(&self, index: u64, offset: u64, soffset: u64) -> Place {
        let limit = match self.oob {
            0 if index >= self.num_records => 0,
            0 => self.stride.saturating_sub(offset),
            1 if index >= self.num_records => 0,
            1 => u64::MAX,
            2 if self.num_records == 0 => 0,
            2 => u64::MAX,
            _ => self.num_records.saturating_sub(offset + soffset),
        };
        Place {
            va: (self.base + soffset + index * self.stride + offset) & ((1 << 48) - 1),
            limit,
        }
    }
}

pub(super) fn exec(w: &mut Wave, env: &mut Env, i: &Instr, op: Mubuf) -> Step {
    let Some(what) = meaning(op) else {
        return Err(Fault::unsupported("buffer formats and loads into LDS"));
    };
    if what == Access::Inv {
        return Ok(());
    }
    if i.mods.tfe {
        return Err(Fault::unsupported("texture fail enable"));
    }
    // Stores list their data first; loads and atomics have it as destination.
    let first = usize::from(what.is_store());
    let Src::S(r) = i.src[first + 1] else {
        return Err(Fault::rule("a buffer access needs a descriptor in SGPRs"));
    };
    let res = Resource::read(w, usize::from(r))?;
    let soffset = u64::from(scalar32(w, i.src[first + 2]));
    let at = match i.src[first] {
        Src::V(a) => usize::from(a),
        _ => 0,
    };
    let (index_reg, offset_reg) = (
        i.mods.idxen.then_some(at),
        i.mods.offen.then_some(at + usize::from(i.mods.idxen)),
    );
    let inst = i.mods.offset as u64;
    let places: [Place; LANES] = each(|l| {
        let reg = |r: Option<usize>| r.map_or(0, |r| u64::from(w.v(r)[l]));
        res.place(reg(index_reg), inst + reg(offset_reg), soffset)
    });
    let data = match (what.is_store(), i.dst[0]) {
        (true, _) => i.src[0],
        (false, Dst::V(d)) => Src::V(d),
        _ => Src::None,
    };
    access(w, env, i, what, &places, data)
}
