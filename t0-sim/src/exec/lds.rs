//! DS: the local data share and the lane crossbar. Semantics: RDNA3 ISA manual 12 and 16.15.
//!
//! Addresses are 32-bit and wrap; an access that is not wholly inside of the workgroup's allocation loads zero or is
//! dropped. Lanes act in ascending order, so of several stores to one address the highest lane's stays.

use t0_backend_rdna3::isa::{Ds, Flags};

use super::atomic::{apply32, apply64, Rmw, Width};
use super::lanes::{each, merge16};
use super::vmem::Part;
use super::{Env, Fault, Step};
use crate::mem::Lds;
use crate::program::{Dst, Instr, Src};
use crate::wave::{Row, Wave, LANES};

/// What a DS instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    /// Sub-dword load.
    Load(Part),
    /// Sub-dword load into one half.
    LoadD16(Part, bool),
    /// Load of dwords.
    LoadWide(usize),
    /// Two loads of dwords; the stride multiplies the offsets.
    Load2(usize, u32),
    /// Store of the low bytes.
    Store(u32),
    /// Store of bytes from bit 16.
    StoreHi(u32),
    /// Store of dwords.
    StoreWide(usize),
    /// Two stores of dwords.
    Store2(usize, u32),
    /// Read-modify-write.
    Atomic(Rmw, Width),
    /// Two exchanges.
    Swap2(usize, u32),
    /// Two conditional dword exchanges.
    CondXchg,
    Swizzle,
    Permute,
    BPermute,
    /// Not simulated.
    Missing,
}

#[rustfmt::skip]
fn meaning(op: Ds) -> Op {
    use Ds::*;
    use Op::*;
    match op {
        ds_add_u32 | ds_add_rtn_u32 => Atomic(Rmw::Add, Width::W32),
        ds_sub_u32 | ds_sub_rtn_u32 => Atomic(Rmw::Sub, Width::W32),
        ds_rsub_u32 | ds_rsub_rtn_u32 => Atomic(Rmw::RSub, Width::W32),
        ds_inc_u32 | ds_inc_rtn_u32 => Atomic(Rmw::Inc, Width::W32),
        ds_dec_u32 | ds_dec_rtn_u32 => Atomic(Rmw::Dec, Width::W32),
        ds_min_i32 | ds_min_rtn_i32 => Atomic(Rmw::MinI, Width::W32),
        ds_max_i32 | ds_max_rtn_i32 => Atomic(Rmw::MaxI, Width::W32),
        ds_min_u32 | ds_min_rtn_u32 => Atomic(Rmw::MinU, Width::W32),
        ds_max_u32 | ds_max_rtn_u32 => Atomic(Rmw::MaxU, Width::W32),
        ds_and_b32 | ds_and_rtn_b32 => Atomic(Rmw::And, Width::W32),
        ds_or_b32 | ds_or_rtn_b32 => Atomic(Rmw::Or, Width::W32),
        ds_xor_b32 | ds_xor_rtn_b32 => Atomic(Rmw::Xor, Width::W32),
        ds_mskor_b32 | ds_mskor_rtn_b32 => Atomic(Rmw::MskOr, Width::W32),
        ds_store_b32 => StoreWide(1),
        ds_store_2addr_b32 => Store2(1, 1),
        ds_store_2addr_stride64_b32 => Store2(1, 64),
        ds_cmpstore_b32 | ds_cmpstore_rtn_b32 => Atomic(Rmw::CmpSwap, Width::W32),
        ds_cmpstore_f32 | ds_cmpstore_rtn_f32 => Atomic(Rmw::CmpSwapF, Width::W32),
        ds_min_f32 | ds_min_rtn_f32 => Atomic(Rmw::MinF, Width::W32),
        ds_max_f32 | ds_max_rtn_f32 => Atomic(Rmw::MaxF, Width::W32),
        ds_add_f32 | ds_add_rtn_f32 => Atomic(Rmw::AddF, Width::W32),
        ds_store_b8 => Store(1),
        ds_store_b16 => Store(2),
        ds_storexchg_rtn_b32 => Atomic(Rmw::Swap, Width::W32),
        ds_storexchg_2addr_rtn_b32 => Swap2(1, 1),
        ds_storexchg_2addr_stride64_rtn_b32 => Swap2(1, 64),
        ds_wrap_rtn_b32 => Atomic(Rmw::Wrap, Width::W32),
        ds_swizzle_b32 => Swizzle,
        ds_load_b32 => LoadWide(1),
        ds_load_2addr_b32 => Load2(1, 1),
        ds_load_2addr_stride64_b32 => Load2(1, 64),
        ds_load_i8 => Load(Part::I8),
        ds_load_u8 => Load(Part::U8),
        ds_load_i16 => Load(Part::I16),
        ds_load_u16 => Load(Part::U16),
        ds_add_u64 | ds_add_rtn_u64 => Atomic(Rmw::Add, Width::W64),
        ds_sub_u64 | ds_sub_rtn_u64 => Atomic(Rmw::Sub, Width::W64),
        ds_rsub_u64 | ds_rsub_rtn_u64 => Atomic(Rmw::RSub, Width::W64),
        ds_inc_u64 | ds_inc_rtn_u64 => Atomic(Rmw::Inc, Width::W64),
        ds_dec_u64 | ds_dec_rtn_u64 => Atomic(Rmw::Dec, Width::W64),
        ds_min_i64 | ds_min_rtn_i64 => Atomic(Rmw::MinI, Width::W64),
        ds_max_i64 | ds_max_rtn_i64 => Atomic(Rmw::MaxI, Width::W64),
        ds_min_u64 | ds_min_rtn_u64 => Atomic(Rmw::MinU, Width::W64),
        ds_max_u64 | ds_max_rtn_u64 => Atomic(Rmw::MaxU, Width::W64),
        ds_and_b64 | ds_and_rtn_b64 => Atomic(Rmw::And, Width::W64),
        ds_or_b64 | ds_or_rtn_b64 => Atomic(Rmw::Or, Width::W64),
        ds_xor_b64 | ds_xor_rtn_b64 => Atomic(Rmw::Xor, Width::W64),
        ds_mskor_b64 | ds_mskor_rtn_b64 => Atomic(Rmw::MskOr, Width::W64),
        ds_store_b64 => StoreWide(2),
        ds_store_2addr_b64 => Store2(2, 1),
        ds_store_2addr_stride64_b64 => Store2(2, 64),
        ds_cmpstore_b64 | ds_cmpstore_rtn_b64 => Atomic(Rmw::CmpSwap, Width::W64),
        ds_cmpstore_f64 | ds_cmpstore_rtn_f64 => Atomic(Rmw::CmpSwapF, Width::W64),
        ds_min_f64 | ds_min_rtn_f64 => Atomic(Rmw::MinF, Width::W64),
        ds_max_f64 | ds_max_rtn_f64 => Atomic(Rmw::MaxF, Width::W64),
        ds_storexchg_rtn_b64 => Atomic(Rmw::Swap, Width::W64),
        ds_storexchg_2addr_rtn_b64 => Swap2(2, 1),
        ds_storexchg_2addr_stride64_rtn_b64 => Swap2(2, 64),
        ds_load_b64 => LoadWide(2),
        ds_load_2addr_b64 => Load2(2, 1),
        ds_load_2addr_stride64_b64 => Load2(2, 64),
        ds_condxchg32_rtn_b64 => CondXchg,
        ds_store_b8_d16_hi => StoreHi(1),
        ds_store_b16_d16_hi => StoreHi(2),
        ds_load_u8_d16 => LoadD16(Part::U8, false),
        ds_load_u8_d16_hi => LoadD16(Part::U8, true),
        ds_load_i8_d16 => LoadD16(Part::I8, false),
        ds_load_i8_d16_hi => LoadD16(Part::I8, true),
        ds_load_u16_d16 => LoadD16(Part::U16, false),
        ds_load_u16_d16_hi => LoadD16(Part::U16, true),
        ds_load_addtid_b32 | ds_store_addtid_b32 | ds_append | ds_consume => Missing,
        ds_gws_sema_release_all | ds_gws_init | ds_gws_sema_v | ds_gws_sema_br | ds_gws_sema_p | ds_gws_barrier
        | ds_ordered_count | ds_add_gs_reg_rtn | ds_sub_gs_reg_rtn | ds_bvh_stack_rtn_b32 => Missing,
        ds_permute_b32 => Permute,
        ds_bpermute_b32 => BPermute,
        ds_store_b96 => StoreWide(3),
        ds_store_b128 => StoreWide(4),
        ds_load_b96 => LoadWide(3),
        ds_load_b128 => LoadWide(4),
    }
}

pub(super) fn exec(w: &mut Wave, env: &mut Env, i: &Instr, op: Ds) -> Step {
    if i.mods.gds {
        return Err(Fault::unsupported("the global data share"));
    }
    if meaning(op) == Op::Missing {
        return Err(Fault::unsupported("LDS addresses made of M0"));
    }
    let lds = &mut *env.lds;
    let a = reg(i.src[0]);
    let exec = w.exec();
    let offset = i.mods.offset as u32;
    let addr: Row = w.v(a).map(|v| v.wrapping_add(offset));
    let base: Row = *w.v(a);
    let active = move || (0..LANES).filter(move |l| exec >> l & 1 == 1);
    let d = match i.dst[0] {
        Dst::V(r) => usize::from(r),
        _ => 0,
    };
    let (s0, s1) = (reg(i.src[1]), reg(i.src[2]));
    match meaning(op) {
        Op::LoadWide(n) => active().for_each(|l| load(w, lds, d, l, addr[l], n)),
        Op::Missing => {}
        Op::Load2(n, stride) => {
            let [p, q] = offsets(i, n, stride);
            active().for_each(|l| {
                load(w, lds, d, l, base[l].wrapping_add(p), n);
                load(w, lds, d + n, l, base[l].wrapping_add(q), n);
            });
        }
        Op::Load(part) => active().for_each(|l| w.v_mut(d)[l] = small(lds, addr[l], part)),
        Op::LoadD16(part, high) => {
            active().for_each(|l| w.v_mut(d)[l] = merge16(w.v(d)[l], small(lds, addr[l], part) as u16, high));
        }
        Op::StoreWide(n) => active().for_each(|l| store(w, lds, s0, l, addr[l], n)),
        Op::Store2(n, stride) => {
            let [p, q] = offsets(i, n, stride);
            active().for_each(|l| {
                store(w, lds, s0, l, base[l].wrapping_add(p), n);
                store(w, lds, s1, l, base[l].wrapping_add(q), n);
            });
        }
        Op::Store(bytes) => active().for_each(|l| store_small(lds, addr[l], bytes, w.v(s0)[l])),
        Op::StoreHi(bytes) => active().for_each(|l| store_small(lds, addr[l], bytes, w.v(s0)[l] >> 16)),
        Op::Atomic(rmw, width) => {
            for l in active() {
                aligned(addr[l], if width == Width::W32 { 4 } else { 8 }, l)?;
                let old = atomic(w, lds, rmw, width, addr[l], (s0, s1), l);
                if i.flags.has(Flags::RTN) {
                    w.v_mut(d)[l] = old as u32;
                    if width == Width::W64 {
                        w.v_mut(d + 1)[l] = (old >> 32) as u32;
                    }
                }
            }
        }
        Op::Swap2(n, stride) => {
            let [p, q] = offsets(i, n, stride);
            for l in active() {
                for (k, (at, s)) in [(base[l].wrapping_add(p), s0), (base[l].wrapping_add(q), s1)]
                    .into_iter()
                    .enumerate()
                {
                    aligned(at, 4 * n as u32, l)?;
                    let new: [u32; 2] = each(|m| if m < n { w.v(s + m)[l] } else { 0 });
                    load(w, lds, d + k * n, l, at, n);
                    store_words(lds, at, &new[..n]);
                }
            }
        }
        Op::CondXchg => {
            for l in active() {
                let data = [w.v(s0)[l], w.v(s0 + 1)[l]];
                for (k, v) in data.into_iter().enumerate() {
                    let at = (addr[l] & !7).wrapping_add(4 * k as u32);
                    w.v_mut(d + k)[l] = u32::from_le_bytes(lds.get(at));
                    if v >> 31 == 1 {
                        lds.set(at, (v & 0x7fff_ffff).to_le_bytes());
                    }
                }
            }
        }
        Op::Swizzle => {
            let from = swizzle(i.mods.offset as u32)?;
            gather(w, d, &base, exec, from);
        }
        Op::BPermute => {
            let data = *w.v(s0);
            gather(w, d, &data, exec, |l| (addr[l] / 4 % 32) as usize);
        }
        Op::Permute => {
            let mut out = [0; LANES];
            active().for_each(|l| out[(addr[l] / 4 % 32) as usize] = w.v(s0)[l]);
            active().for_each(|l| w.v_mut(d)[l] = out[l]);
        }
    }
    Ok(())
}

fn reg(s: Src) -> usize {
    match s {
        Src::V(r) => usize::from(r),
        _ => 0,
    }
}

/// Byte offsets of a two-address access of `n` dwords.
fn offsets(i: &Instr, n: usize, stride: u32) -> [u32; 2] {
    [i.mods.offset0, i.mods.offset1].map(|o| o * 4 * n as u32 * stride)
}

#[inline(always)]
fn load(w: &mut Wave, lds: &Lds, d: usize, l: usize, at: u32, n: usize) {
    let inside = lds.holds(at, 4 * n as u32);
    for k in 0..n {
        w.v_mut(d + k)[l] = if inside {
            u32::from_le_bytes(lds.get(at + 4 * k as u32))
        } else {
            0
        };
    }
}

#[inline(always)]
fn store(w: &Wave, lds: &mut Lds, s: usize, l: usize, at: u32, n: usize) {
    if lds.holds(at, 4 * n as u32) {
        for k in 0..n {
            lds.set(at + 4 * k as u32, w.v(s + k)[l].to_le_bytes());
        }
    }
}

fn store_words(lds: &mut Lds, at: u32, words: &[u32]) {
    if lds.holds(at, 4 * words.len() as u32) {
        for (k, v) in words.iter().enumerate() {
            lds.set(at + 4 * k as u32, v.to_le_bytes());
        }
    }
}

fn small(lds: &Lds, at: u32, part: Part) -> u32 {
    let raw = if part.bytes() == 1 {
        u32::from(lds.get::<1>(at)[0])
    } else {
        u32::from(u16::from_le_bytes(lds.get(at)))
    };
    part.extend(raw)
}

fn store_small(lds: &mut Lds, at: u32, bytes: u32, v: u32) {
    if bytes == 1 {
        lds.set(at, [v as u8]);
    } else {
        lds.set(at, (v as u16).to_le_bytes());
    }
}

fn aligned(at: u32, to: u32, lane: usize) -> Step {
    if at % to == 0 {
        return Ok(());
    }
    let mut f = Fault::rule(format!(
        "LDS atomic at {at:#x} is not aligned to {to} bytes; hardware raises a memory violation"
    ));
    f.lane = Some(lane as u32);
    Err(f)
}

fn atomic(w: &Wave, lds: &mut Lds, rmw: Rmw, width: Width, at: u32, (s0, s1): (usize, usize), l: usize) -> u64 {
    let word = |r: usize| w.v_get(r).map_or(0, |row| row[l]);
    match width {
        Width::W32 => {
            let old = u32::from_le_bytes(lds.get(at));
            lds.set(at, apply32(rmw, old, word(s0), word(s1)).to_le_bytes());
            u64::from(old)
        }
        Width::W64 => {
            let pair = |r: usize| u64::from(word(r)) | u64::from(word(r + 1)) << 32;
            let old = u64::from_le_bytes(lds.get(at));
            lds.set(at, apply64(rmw, old, pair(s0), pair(s1)).to_le_bytes());
            old
        }
    }
}

/// Each active lane takes `data` of lane `from(l)`; a disabled source lane gives 0.
fn gather(w: &mut Wave, d: usize, data: &Row, exec: u32, from: impl Fn(usize) -> usize) {
    let out: Row = each(|l| if exec >> from(l) & 1 == 1 { data[from(l)] } else { 0 });
    for (l, v) in w.v_mut(d).iter_mut().enumerate() {
        if exec >> l & 1 == 1 {
            *v = out[l];
        }
    }
}

/// The lane map of `ds_swizzle_b32`: bit 15 set: any permutation within quads; clear: and, or, xor masks on the lane number.
fn swizzle(offset: u32) -> Step<impl Fn(usize) -> usize> {
    if offset >= 0xc000 {
        return Err(Fault::unsupported("the rotate and FFT modes of ds_swizzle_b32"));
    }
    Ok(move |l: usize| {
        if offset & 0x8000 != 0 {
            return (l & !3) | (offset >> (2 * (l & 3)) & 3) as usize;
        }
        let (and, or, xor) = (offset & 31, offset >> 5 & 31, offset >> 10 & 31);
        (((l as u32 & and) | or) ^ xor) as usize
    })
}
