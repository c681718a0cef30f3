//! GLOBAL, FLAT and SCRATCH memory. Semantics: RDNA3 ISA manual 11.
//!
//! A FLAT address in the shared aperture goes to the LDS, one in the private aperture to the lane's private memory,
//! any other to global memory; lanes of one instruction may differ.

use t0_backend_rdna3::isa::{Flags, Flat};

use super::atomic::{Rmw, Width};
use super::lanes::each;
use super::vmem::{self, Access, Part, Regs};
use super::{lds, scalar64, scratch, Env, Fault, Step};
use crate::aperture::{Space, APERTURE_BYTES};
use crate::driver::ExecFaultKind;
use crate::mem::{lanes_of, Addresses};
use crate::program::{Instr, Src};
use crate::wave::Wave;

#[rustfmt::skip]
fn meaning(op: Flat) -> Access {
    use Access::*;
    use Flat::*;
    match op {
        flat_load_u8 | scratch_load_u8 | global_load_u8 => Load(Part::U8),
        flat_load_i8 | scratch_load_i8 | global_load_i8 => Load(Part::I8),
        flat_load_u16 | scratch_load_u16 | global_load_u16 => Load(Part::U16),
        flat_load_i16 | scratch_load_i16 | global_load_i16 => Load(Part::I16),
        flat_load_b32 | scratch_load_b32 | global_load_b32 => LoadWide(1),
        flat_load_b64 | scratch_load_b64 | global_load_b64 => LoadWide(2),
        flat_load_b96 | scratch_load_b96 | global_load_b96 => LoadWide(3),
        flat_load_b128 | scratch_load_b128 | global_load_b128 => LoadWide(4),
        flat_store_b8 | scratch_store_b8 | global_store_b8 => Store(1),
        flat_store_b16 | scratch_store_b16 | global_store_b16 => Store(2),
        flat_store_b32 | scratch_store_b32 | global_store_b32 => StoreWide(1),
        flat_store_b64 | scratch_store_b64 | global_store_b64 => StoreWide(2),
        flat_store_b96 | scratch_store_b96 | global_store_b96 => StoreWide(3),
        flat_store_b128 | scratch_store_b128 | global_store_b128 => StoreWide(4),
        flat_load_d16_u8 | scratch_load_d16_u8 | global_load_d16_u8 => LoadD16(Part::U8, false),
        flat_load_d16_i8 | scratch_load_d16_i8 | global_load_d16_i8 => LoadD16(Part::I8, false),
        flat_load_d16_b16 | scratch_load_d16_b16 | global_load_d16_b16 => LoadD16(Part::U16, false),
        flat_load_d16_hi_u8 | scratch_load_d16_hi_u8 | global_load_d16_hi_u8 => LoadD16(Part::U8, true),
        flat_load_d16_hi_i8 | scratch_load_d16_hi_i8 | global_load_d16_hi_i8 => LoadD16(Part::I8, true),
        flat_load_d16_hi_b16 | scratch_load_d16_hi_b16 | global_load_d16_hi_b16 => LoadD16(Part::U16, true),
        flat_store_d16_hi_b8 | scratch_store_d16_hi_b8 | global_store_d16_hi_b8 => StoreHi(1),
        flat_store_d16_hi_b16 | scratch_store_d16_hi_b16 | global_store_d16_hi_b16 => StoreHi(2),
        flat_atomic_swap_b32 | global_atomic_swap_b32 => Atomic(Rmw::Swap, Width::W32),
        flat_atomic_cmpswap_b32 | global_atomic_cmpswap_b32 => Atomic(Rmw::CmpSwap, Width::W32),
        flat_atomic_add_u32 | global_atomic_add_u32 => Atomic(Rmw::Add, Width::W32),
        flat_atomic_sub_u32 | global_atomic_sub_u32 => Atomic(Rmw::Sub, Width::W32),
        flat_atomic_min_i32 | global_atomic_min_i32 => Atomic(Rmw::MinI, Width::W32),
        flat_atomic_min_u32 | global_atomic_min_u32 => Atomic(Rmw::MinU, Width::W32),
        flat_atomic_max_i32 | global_atomic_max_i32 => Atomic(Rmw::MaxI, Width::W32),
        flat_atomic_max_u32 | global_atomic_max_u32 => Atomic(Rmw::MaxU, Width::W32),
        flat_atomic_and_b32 | global_atomic_and_b32 => Atomic(Rmw::And, Width::W32),
        flat_atomic_or_b32 | global_atomic_or_b32 => Atomic(Rmw::Or, Width::W32),
        flat_atomic_xor_b32 | global_atomic_xor_b32 => Atomic(Rmw::Xor, Width::W32),
        flat_atomic_inc_u32 | global_atomic_inc_u32 => Atomic(Rmw::Inc, Width::W32),
        flat_atomic_dec_u32 | global_atomic_dec_u32 => Atomic(Rmw::Dec, Width::W32),
        flat_atomic_swap_b64 | global_atomic_swap_b64 => Atomic(Rmw::Swap, Width::W64),
        flat_atomic_cmpswap_b64 | global_atomic_cmpswap_b64 => Atomic(Rmw::CmpSwap, Width::W64),
        flat_atomic_add_u64 | global_atomic_add_u64 => Atomic(Rmw::Add, Width::W64),
        flat_atomic_sub_u64 | global_atomic_sub_u64 => Atomic(Rmw::Sub, Width::W64),
        flat_atomic_min_i64 | global_atomic_min_i64 => Atomic(Rmw::MinI, Width::W64),
        flat_atomic_min_u64 | global_atomic_min_u64 => Atomic(Rmw::MinU, Width::W64),
        flat_atomic_max_i64 | global_atomic_max_i64 => Atomic(Rmw::MaxI, Width::W64),
        flat_atomic_max_u64 | global_atomic_max_u64 => Atomic(Rmw::MaxU, Width::W64),
        flat_atomic_and_b64 | global_atomic_and_b64 => Atomic(Rmw::And, Width::W64),
        flat_atomic_or_b64 | global_atomic_or_b64 => Atomic(Rmw::Or, Width::W64),
        flat_atomic_xor_b64 | global_atomic_xor_b64 => Atomic(Rmw::Xor, Width::W64),
        flat_atomic_inc_u64 | global_atomic_inc_u64 => Atomic(Rmw::Inc, Width::W64),
        flat_atomic_dec_u64 | global_atomic_dec_u64 => Atomic(Rmw::Dec, Width::W64),
        flat_atomic_cmpswap_f32 | global_atomic_cmpswap_f32 => Atomic(Rmw::CmpSwapF, Width::W32),
        flat_atomic_min_f32 | global_atomic_min_f32 => Atomic(Rmw::MinF, Width::W32),
        flat_atomic_max_f32 | global_atomic_max_f32 => Atomic(Rmw::MaxF, Width::W32),
        flat_atomic_add_f32 | global_atomic_add_f32 => Atomic(Rmw::AddF, Width::W32),
        global_load_addtid_b32 => LoadWide(1),
        global_store_addtid_b32 => StoreWide(1),
        global_atomic_csub_u32 => Atomic(Rmw::CSub, Width::W32),
    }
}

pub(super) fn exec(w: &mut Wave, env: &mut Env, i: &Instr, op: Flat) -> Step {
    let what = meaning(op);
    if i.flags.has(Flags::SCRATCH) {
        return scratch::exec(w, env, i, what);
    }
    if matches!(op, Flat::global_load_addtid_b32 | Flat::global_store_addtid_b32) {
        return add_tid(w, env, i, what);
    }
    let r = Regs::new(i, what, i.src[1]);
    let offset = i64::from(i.mods.offset) as u64;
    let Src::V(a) = i.src[0] else {
        return Err(Fault::rule("a global access needs an address register"));
    };
    let a = usize::from(a);
    if i.flags.has(Flags::FLAT) {
        let (lo, hi) = (w.v(a), w.v(a + 1));
        let va: Addresses = each(|l| u64::from(lo[l]) | u64::from(hi[l]) << 32);
        return flat(w, env, i, what, &va, offset, r);
    }
    let base = if what.is_load() { i.src[1] } else { i.src[2] };
    let va: Addresses = match base {
        Src::None => {
            let (lo, hi) = (w.v(a), w.v(a + 1));
            each(|l| (u64::from(lo[l]) | u64::from(hi[l]) << 32).wrapping_add(offset))
        }
        s => return vmem::based(w, env, i, what, scalar64(w, s).wrapping_add(offset), a, r),
    };
    vmem::linear(w, env, i, what, w.exec(), &va, r)
}

/// `global_*_addtid_b32`: saddr + offset + 4 * lane.
fn add_tid(w: &mut Wave, env: &mut Env, i: &Instr, what: Access) -> Step {
    let (data, saddr) = if what.is_load() {
        (Src::None, i.src[0])
    } else {
        (i.src[0], i.src[1])
    };
    let offset = i64::from(i.mods.offset) + 128 * w.half() as i64;
    let first = scalar64(w, saddr).wrapping_add(offset as u64);
    let va: Addresses = each(|l| first.wrapping_add(4 * l as u64));
    vmem::linear(w, env, i, what, w.exec(), &va, Regs::new(i, what, data))
}

/// A FLAT access: every lane goes to the space its address names *before* the offset is added.
fn flat(w: &mut Wave, env: &mut Env, i: &Instr, what: Access, base: &Addresses, offset: u64, r: Regs) -> Step {
    let exec = w.exec();
    let of = |space| lanes_of(exec).fold(0, |m, l| m | u32::from(Space::of(base[l]) == space) << l);
    let (shared, private) = (of(Space::Shared), of(Space::Private));
    let va: Addresses = each(|l| base[l].wrapping_add(offset));
    if let Some(watch) = env.watch.as_deref_mut() {
        watch.flat(w, i, exec, base, &va);
    }
    if shared | private != 0 {
        if let Some(l) = lanes_of(shared | private).find(|&l| base[l] & 0xffff_ffff_ffff >= APERTURE_BYTES) {
            let f = Fault::new(ExecFaultKind::OutOfAperture {
                space: "aperture",
                address: base[l] & 0xffff_ffff_ffff,
                len: what.bytes(),
                size: APERTURE_BYTES,
            });
            return Err(vmem::blame(l, f));
        }
        let at: Addresses = each(|l| va[l] & 0xffff_ffff_ffff);
        if env.watched() {
            vmem::show(w, env, i, what, Space::Shared, (shared, &at), r);
        }
        lds::access(w, env, i, what, shared, &at, r)?;
        scratch::private(w, env, i, what, private, &at, r)?;
    }
    vmem::linear(w, env, i, what, exec & !shared & !private, &va, r)
}
