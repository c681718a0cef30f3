//! Buffer access through a 128-bit resource descriptor. Semantics: RDNA3 ISA manual 9.
//!
//! `index = (idxen ? vaddr : 0) + (add_tid ? lane : 0)`, `offset = inst_offset + (offen ? vaddr : 0)`,
//! `address = base + soffset + place(index, offset)`. Linear buffers: `place = index * stride + offset`. Swizzled ones
//! interleave `index_stride` records by elements of 4, 8 or 16 bytes: `place = (index / n * stride + offset / e * e) *
//! n + index % n * e + offset % e`.
//!
//! Range checks count the payload (GFX11): structured (`oob_select` 0): index < num_records and offset + payload <=
//! stride; index only (1); num_records != 0 (2); raw (3): as 0 if swizzled with a stride, else offset + payload +
//! soffset <= num_records. What is out of range loads zero and stores nothing; wide accesses are checked per dword,
//! atomics as a whole. All arithmetic is 64-bit, so it cannot wrap. Sources: Mesa `ac_build_buffer_descriptor` on
//! OOB_SELECT, manual 9.4.
//!
//! UNVERIFIED(hw): soffset takes part in the raw range check (manual: `num_records - sgpr_offset`); a dword of a wide
//! access that lies in another element than the first is swizzled on its own.

use t0_backend_rdna3::isa::Mubuf;

use super::atomic::{Rmw, Width};
use super::lanes::each;
use super::typed;
use super::vmem::{linear, scattered, show_scattered, Access, Part, Regs};
use super::{scalar32, Env, Fault, Step};
use crate::mem::{lanes_of, Addresses};
use crate::program::{Dst, Instr, Src};
use crate::wave::{Row, Wave};

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
        buffer_gl0_inv | buffer_gl1_inv => return None,
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

/// A buffer resource descriptor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resource {
    pub base: u64,
    pub stride: u64,
    pub num_records: u64,
    /// Bytes of a swizzled buffer's element; 0 for a linear buffer.
    element: u64,
    /// Records that are interleaved.
    index_stride: u64,
    /// The lane number is added to the index.
    add_tid: bool,
    oob: u32,
    /// Number of the format, see [`super::format`].
    pub format: u32,
    /// What x, y, z, w are: 0 and 1 the constants, 4 to 7 components.
    pub dst_sel: [u32; 4],
}

impl Resource {
    /// Reads the descriptor in SGPRs from `r`.
    pub fn read(w: &Wave, r: usize) -> Step<Resource> {
        let d: [u32; 4] = each(|k| w.sgpr[(r + k) & 127]);
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
            element: [0, 4, 8, 16][(d[1] >> 30) as usize],
            index_stride: 8 << (d[3] >> 21 & 3),
            add_tid: d[3] >> 23 & 1 == 1,
            oob: d[3] >> 28 & 3,
            format: d[3] >> 12 & 63,
            dst_sel: [0, 3, 6, 9].map(|at| d[3] >> at & 7),
        })
    }

    /// True when `len` bytes at `offset` of record `index` may be accessed.
    #[inline(always)]
    fn allows(&self, index: u64, offset: u64, soffset: u64, len: u64) -> bool {
        match self.oob {
            3 if self.element == 0 || self.stride == 0 => offset + soffset + len <= self.num_records,
            0 | 3 => index < self.num_records && offset + len <= self.stride,
            1 => index < self.num_records,
            _ => self.num_records != 0,
        }
    }

    /// Address of a byte.
    #[inline(always)]
    fn address(&self, index: u64, offset: u64, soffset: u64) -> u64 {
        let place = match self.element {
            0 => index * self.stride + offset,
            e => {
                let n = self.index_stride;
                (index / n * self.stride + offset / e * e) * n + index % n * e + offset % e
            }
        };
        (self.base + soffset + place) & ((1 << 48) - 1)
    }
}

/// The places of a buffer instruction's accesses.
pub(super) struct Places {
    pub res: Resource,
    soffset: u64,
    index: Addresses,
    offset: Addresses,
}

impl Places {
    /// Reads the address operands: vaddr, descriptor, soffset from source `first` on.
    pub fn new(w: &Wave, i: &Instr, first: usize) -> Step<Places> {
        let Src::S(r) = i.src[first + 1] else {
            return Err(Fault::rule("a buffer access needs a descriptor in SGPRs"));
        };
        let res = Resource::read(w, usize::from(r))?;
        let at = match i.src[first] {
            Src::V(a) => usize::from(a),
            _ => 0,
        };
        let zero: Row = Default::default();
        let index = if i.mods.idxen { w.v(at) } else { &zero };
        let offset = if i.mods.offen {
            w.v(at + usize::from(i.mods.idxen))
        } else {
            &zero
        };
        let lane = |l: usize| if res.add_tid { (l + 32 * w.half()) as u64 } else { 0 };
        Ok(Places {
            res,
            soffset: u64::from(scalar32(w, i.src[first + 2])),
            index: each(|l| u64::from(index[l]) + lane(l)),
            offset: each(|l| i.mods.offset as u64 + u64::from(offset[l])),
        })
    }

    /// Address of `len` bytes from byte `b` of lane `l`'s access, if all are in range.
    #[inline(always)]
    pub fn at(&self, l: usize, b: u64, len: u64) -> Option<u64> {
        let (index, offset) = (self.index[l], self.offset[l] + b);
        self.res
            .allows(index, offset, self.soffset, len)
            .then(|| self.res.address(index, offset, self.soffset))
    }

    /// Address of byte `b` of lane `l`'s access, in range or not.
    pub fn address(&self, l: usize, b: u64) -> u64 {
        self.res.address(self.index[l], self.offset[l] + b, self.soffset)
    }

    /// The address of every lane, if each of `exec` may access `len` consecutive bytes there.
    #[inline(always)]
    fn linear(&self, exec: u32, len: u64) -> Option<Addresses> {
        if self.res.element != 0 {
            return None;
        }
        let mut bad = 0u32;
        for l in 0..self.index.len() {
            bad |= u32::from(!self.res.allows(self.index[l], self.offset[l], self.soffset, len)) << l;
        }
        (bad & exec == 0).then(|| each(|l| self.res.address(self.index[l], self.offset[l], self.soffset)))
    }
}

pub(super) fn exec(w: &mut Wave, env: &mut Env, i: &Instr, op: Mubuf) -> Step {
    let Some(what) = meaning(op) else {
        if let Some(t) = typed::mubuf(op) {
            return typed::typed(w, env, i, t, None);
        }
        if let Some(part) = typed::lds_load(op) {
            return typed::into_lds(w, env, i, part);
        }
        // A cache invalidation: nothing to do, memory is coherent here.
        if let Some(watch) = env.watch.as_deref_mut() {
            watch.invalidate(w, op == Mubuf::buffer_gl1_inv);
        }
        return Ok(());
    };
    // Stores list their data first; loads and atomics have it as destination.
    let store = matches!(what, Access::Store(_) | Access::StoreHi(_) | Access::StoreWide(_));
    let places = Places::new(w, i, usize::from(store))?;
    let data = match (store, i.dst[0]) {
        (true, _) => i.src[0],
        (false, Dst::V(d)) => Src::V(d),
        _ => Src::None,
    };
    let (exec, r) = (w.exec(), Regs::new(i, what, data));
    match places.linear(exec, what.bytes()) {
        Some(va) => linear(w, env, i, what, exec, &va, r)?,
        None => {
            let at = |l: usize, b: u64, len: u64| places.at(l, b, len);
            if env.watched() {
                let lanes = show_scattered(w, env, i, what, (exec, r), &at);
                if let Some(watch) = env.watch.as_deref_mut() {
                    watch.swallowed(w, i, what.kind(), lanes, places.res.base);
                }
            }
            scattered(w, env, what, exec, r, &at)?;
        }
    }
    if i.mods.tfe {
        resident(w, exec, r.dst + (what.bytes() as usize).div_ceil(4))?;
    }
    Ok(())
}

/// Texture fail enable: the register after the data tells whether the memory was resident. It always is: 0.
pub(super) fn resident(w: &mut Wave, exec: u32, status: usize) -> Step {
    if status >= w.vgprs() as usize {
        return Err(Fault::rule(format!(
            "v{status}, where tfe stores its status, does not exist"
        )));
    }
    lanes_of(exec).for_each(|l| w.v_mut(status)[l] = 0);
    Ok(())
}
