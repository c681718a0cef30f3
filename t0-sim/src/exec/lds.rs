//! DS: the local data share and the lane crossbar. Semantics: RDNA3 ISA manual 12 and 16.15.
//!
//! Addresses are 32-bit and wrap. Each dword of an access that is not inside of the workgroup's allocation loads zero
//! or is dropped, an atomic as a whole; the wave keeps a finding of it. Lanes act in ascending order, so of several
//! stores to one address the highest lane's stays. Loads and stores may be misaligned (SH_MEM_CONFIG alignment mode
//! "unaligned", as the driver sets it), atomics may not.

use t0_backend_rdna3::isa::{Ds, Flags};

use super::atomic::{apply32, apply64, Rmw, Width};
use super::lanes::each;
use super::vmem::{self, blame, consecutive, put_narrow, put_old, reg, rows, rows_mut, Access, Part, Regs};
use super::{Env, Fault, Step};
use crate::aperture::Space;
use crate::driver::{ExecFaultKind, FindingKind};
use crate::mem::{lanes_of, Addresses, Lds};
use crate::program::{Dst, Instr};
use crate::sanitize::{Kind, Landing, Touch};
use crate::wave::{Row, Wave, EXEC, LANES, M0};

/// What a DS instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    /// One access per lane.
    One(Access),
    /// Two loads of dwords; the stride multiplies the offsets.
    Load2(usize, u32),
    /// Two stores of dwords.
    Store2(usize, u32),
    /// Two exchanges.
    Swap2(usize, u32),
    /// Two conditional dword exchanges.
    CondXchg,
    Swizzle,
    Permute,
    BPermute,
    /// An access at M0 + offset + 4 * lane.
    AddTid(Access),
    /// One counter per wave at M0 + offset: adds (`true`) or subtracts the number of active lanes.
    Count(bool),
    /// Does nothing.
    Nop,
    /// Needs the graphics pipeline or the global wave sync unit.
    Graphics,
}

#[rustfmt::skip]
fn meaning(op: Ds) -> Op {
    use Access::*;
    use Ds::*;
    use Op::*;
    match op {
        ds_add_u32 | ds_add_rtn_u32 => One(Atomic(Rmw::Add, Width::W32)),
        ds_sub_u32 | ds_sub_rtn_u32 => One(Atomic(Rmw::Sub, Width::W32)),
        ds_rsub_u32 | ds_rsub_rtn_u32 => One(Atomic(Rmw::RSub, Width::W32)),
        ds_inc_u32 | ds_inc_rtn_u32 => One(Atomic(Rmw::Inc, Width::W32)),
        ds_dec_u32 | ds_dec_rtn_u32 => One(Atomic(Rmw::Dec, Width::W32)),
        ds_min_i32 | ds_min_rtn_i32 => One(Atomic(Rmw::MinI, Width::W32)),
        ds_max_i32 | ds_max_rtn_i32 => One(Atomic(Rmw::MaxI, Width::W32)),
        ds_min_u32 | ds_min_rtn_u32 => One(Atomic(Rmw::MinU, Width::W32)),
        ds_max_u32 | ds_max_rtn_u32 => One(Atomic(Rmw::MaxU, Width::W32)),
        ds_and_b32 | ds_and_rtn_b32 => One(Atomic(Rmw::And, Width::W32)),
        ds_or_b32 | ds_or_rtn_b32 => One(Atomic(Rmw::Or, Width::W32)),
        ds_xor_b32 | ds_xor_rtn_b32 => One(Atomic(Rmw::Xor, Width::W32)),
        ds_mskor_b32 | ds_mskor_rtn_b32 => One(Atomic(Rmw::MskOr, Width::W32)),
        ds_store_b32 => One(StoreWide(1)),
        ds_store_2addr_b32 => Store2(1, 1),
        ds_store_2addr_stride64_b32 => Store2(1, 64),
        ds_cmpstore_b32 | ds_cmpstore_rtn_b32 => One(Atomic(Rmw::CmpSwap, Width::W32)),
        ds_cmpstore_f32 | ds_cmpstore_rtn_f32 => One(Atomic(Rmw::CmpSwapF, Width::W32)),
        ds_min_f32 | ds_min_rtn_f32 => One(Atomic(Rmw::MinF, Width::W32)),
        ds_max_f32 | ds_max_rtn_f32 => One(Atomic(Rmw::MaxF, Width::W32)),
        ds_add_f32 | ds_add_rtn_f32 => One(Atomic(Rmw::AddF, Width::W32)),
        ds_store_b8 => One(Store(1)),
        ds_store_b16 => One(Store(2)),
        ds_storexchg_rtn_b32 => One(Atomic(Rmw::Swap, Width::W32)),
        ds_storexchg_2addr_rtn_b32 => Swap2(1, 1),
        ds_storexchg_2addr_stride64_rtn_b32 => Swap2(1, 64),
        ds_wrap_rtn_b32 => One(Atomic(Rmw::Wrap, Width::W32)),
        ds_swizzle_b32 => Swizzle,
        ds_load_b32 => One(LoadWide(1)),
        ds_load_2addr_b32 => Load2(1, 1),
        ds_load_2addr_stride64_b32 => Load2(1, 64),
        ds_load_i8 => One(Load(Part::I8)),
        ds_load_u8 => One(Load(Part::U8)),
        ds_load_i16 => One(Load(Part::I16)),
        ds_load_u16 => One(Load(Part::U16)),
        ds_add_u64 | ds_add_rtn_u64 => One(Atomic(Rmw::Add, Width::W64)),
        ds_sub_u64 | ds_sub_rtn_u64 => One(Atomic(Rmw::Sub, Width::W64)),
        ds_rsub_u64 | ds_rsub_rtn_u64 => One(Atomic(Rmw::RSub, Width::W64)),
        ds_inc_u64 | ds_inc_rtn_u64 => One(Atomic(Rmw::Inc, Width::W64)),
        ds_dec_u64 | ds_dec_rtn_u64 => One(Atomic(Rmw::Dec, Width::W64)),
        ds_min_i64 | ds_min_rtn_i64 => One(Atomic(Rmw::MinI, Width::W64)),
        ds_max_i64 | ds_max_rtn_i64 => One(Atomic(Rmw::MaxI, Width::W64)),
        ds_min_u64 | ds_min_rtn_u64 => One(Atomic(Rmw::MinU, Width::W64)),
        ds_max_u64 | ds_max_rtn_u64 => One(Atomic(Rmw::MaxU, Width::W64)),
        ds_and_b64 | ds_and_rtn_b64 => One(Atomic(Rmw::And, Width::W64)),
        ds_or_b64 | ds_or_rtn_b64 => One(Atomic(Rmw::Or, Width::W64)),
        ds_xor_b64 | ds_xor_rtn_b64 => One(Atomic(Rmw::Xor, Width::W64)),
        ds_mskor_b64 | ds_mskor_rtn_b64 => One(Atomic(Rmw::MskOr, Width::W64)),
        ds_store_b64 => One(StoreWide(2)),
        ds_store_2addr_b64 => Store2(2, 1),
        ds_store_2addr_stride64_b64 => Store2(2, 64),
        ds_cmpstore_b64 | ds_cmpstore_rtn_b64 => One(Atomic(Rmw::CmpSwap, Width::W64)),
        ds_cmpstore_f64 | ds_cmpstore_rtn_f64 => One(Atomic(Rmw::CmpSwapF, Width::W64)),
        ds_min_f64 | ds_min_rtn_f64 => One(Atomic(Rmw::MinF, Width::W64)),
        ds_max_f64 | ds_max_rtn_f64 => One(Atomic(Rmw::MaxF, Width::W64)),
        ds_storexchg_rtn_b64 => One(Atomic(Rmw::Swap, Width::W64)),
        ds_storexchg_2addr_rtn_b64 => Swap2(2, 1),
        ds_storexchg_2addr_stride64_rtn_b64 => Swap2(2, 64),
        ds_load_b64 => One(LoadWide(2)),
        ds_load_2addr_b64 => Load2(2, 1),
        ds_load_2addr_stride64_b64 => Load2(2, 64),
        ds_condxchg32_rtn_b64 => CondXchg,
        ds_store_b8_d16_hi => One(StoreHi(1)),
        ds_store_b16_d16_hi => One(StoreHi(2)),
        ds_load_u8_d16 => One(LoadD16(Part::U8, false)),
        ds_load_u8_d16_hi => One(LoadD16(Part::U8, true)),
        ds_load_i8_d16 => One(LoadD16(Part::I8, false)),
        ds_load_i8_d16_hi => One(LoadD16(Part::I8, true)),
        ds_load_u16_d16 => One(LoadD16(Part::U16, false)),
        ds_load_u16_d16_hi => One(LoadD16(Part::U16, true)),
        ds_load_addtid_b32 => AddTid(LoadWide(1)),
        ds_store_addtid_b32 => AddTid(StoreWide(1)),
        ds_nop => Nop,
        ds_append => Count(true),
        ds_consume => Count(false),
        ds_gws_sema_release_all | ds_gws_init | ds_gws_sema_v | ds_gws_sema_br | ds_gws_sema_p | ds_gws_barrier
        | ds_ordered_count | ds_add_gs_reg_rtn | ds_sub_gs_reg_rtn | ds_bvh_stack_rtn_b32 => Graphics,
        ds_permute_b32 => Permute,
        ds_bpermute_b32 => BPermute,
        ds_store_b96 => One(StoreWide(3)),
        ds_store_b128 => One(StoreWide(4)),
        ds_load_b96 => One(LoadWide(3)),
        ds_load_b128 => One(LoadWide(4)),
    }
}

pub(super) fn exec(w: &mut Wave, env: &mut Env, i: &Instr, op: Ds) -> Step {
    if i.mods.gds {
        return Err(Fault::unsupported("the global data share"));
    }
    if env.watched() {
        show(w, env, i, meaning(op));
    }
    let (a, exec, offset) = (reg(i.src[0]), w.exec(), i.mods.offset as u32);
    let at = |w: &Wave, offset: u32| -> Row {
        let base = w.v(a);
        each(|l| base[l].wrapping_add(offset))
    };
    let r = Regs {
        dst: match i.dst[0] {
            Dst::V(r) => r.into(),
            _ => 0,
        },
        data: reg(i.src[1]),
        data2: reg(i.src[2]),
        returns: i.flags.has(Flags::RTN),
    };
    match meaning(op) {
        Op::One(Access::LoadWide(n)) => load_rows(w, env.lds, i, n, exec, &at(w, offset), r.dst)?,
        Op::One(Access::StoreWide(n)) => store_rows(w, env.lds, i, n, exec, &at(w, offset), r.data)?,
        Op::One(what) => one(w, env, i, what, exec, &at(w, offset), r)?,
        Op::Load2(n, stride) => {
            let [o, p] = offsets(i, n, stride);
            let (p, q) = (at(w, o), at(w, p));
            load_rows(w, env.lds, i, n, exec, &p, r.dst)?;
            load_rows(w, env.lds, i, n, exec, &q, r.dst + n)?;
        }
        Op::Store2(n, stride) => {
            let [o, p] = offsets(i, n, stride);
            let (p, q) = (at(w, o), at(w, p));
            store_rows(w, env.lds, i, n, exec, &p, r.data)?;
            store_rows(w, env.lds, i, n, exec, &q, r.data2)?;
        }
        Op::Swap2(n, stride) => {
            let (base, width) = (at(w, 0), if n == 1 { Width::W32 } else { Width::W64 });
            for l in lanes_of(exec) {
                for (k, o) in offsets(i, n, stride).into_iter().enumerate() {
                    let r = Regs {
                        dst: r.dst + k * n,
                        data: if k == 0 { r.data } else { r.data2 },
                        ..r
                    };
                    atomic(w, env.lds, i, (Rmw::Swap, width), base[l].wrapping_add(o).into(), r, l)?;
                }
            }
        }
        Op::CondXchg => {
            let addr = at(w, offset);
            lanes_of(exec).for_each(|l| condxchg(w, env.lds, i, addr[l] & !7, r, l));
        }
        Op::Swizzle => {
            let data = at(w, 0);
            gather(w, r.dst, &data, exec, |l| swizzle(offset, l));
        }
        Op::BPermute => {
            let (addr, data) = (at(w, offset), *w.v(r.data));
            gather(w, r.dst, &data, exec, |l| (addr[l] / 4 % 32) as usize);
        }
        Op::Permute => {
            let (addr, mut out) = (at(w, offset), [0; LANES]);
            lanes_of(exec).for_each(|l| out[(addr[l] / 4 % 32) as usize] = w.v(r.data)[l]);
            lanes_of(exec).for_each(|l| w.v_mut(r.dst)[l] = out[l]);
        }
        Op::AddTid(what) => add_tid(w, env, i, what)?,
        Op::Count(up) => count(w, env.lds, i, up)?,
        Op::Nop => {}
        Op::Graphics => return Err(Fault::unsupported("it needs the graphics pipeline or global wave sync")),
    }
    Ok(())
}

/// Shows an instruction's accesses to the sanitizer.
#[cold]
fn show(w: &Wave, env: &mut Env, i: &Instr, op: Op) {
    let exec = w.exec();
    let from = |offset: u32| -> Addresses {
        let base = w.v(reg(i.src[0]));
        each(|l| base[l].wrapping_add(offset).into())
    };
    let (dst, returns) = match i.dst[0] {
        Dst::V(r) => (usize::from(r), true),
        _ => (0, false),
    };
    let mut row = |at: Addresses, what: Access, lanes: u32, data: usize, dst: usize| {
        let r = Regs {
            dst,
            data,
            data2: 0,
            returns,
        };
        vmem::show(w, env, i, what, Space::Shared, (lanes, &at), r);
    };
    let (offset, data) = (i.mods.offset as u32, [reg(i.src[1]), reg(i.src[2])]);
    let mut two = |n: usize, stride: u32, what: Access| {
        for (k, (o, data)) in offsets(i, n, stride).into_iter().zip(data).enumerate() {
            row(from(o), what, exec, data, dst + k * n);
        }
    };
    match op {
        Op::Load2(n, stride) => two(n, stride, Access::LoadWide(n)),
        Op::Store2(n, stride) => two(n, stride, Access::StoreWide(n)),
        Op::Swap2(1, stride) => two(1, stride, Access::Atomic(Rmw::Swap, Width::W32)),
        Op::Swap2(n, stride) => two(n, stride, Access::Atomic(Rmw::Swap, Width::W64)),
        Op::One(what) => row(from(offset), what, exec, data[0], dst),
        Op::CondXchg => {
            let what = Access::Atomic(Rmw::Swap, Width::W64);
            row(from(offset).map(|a| a & !7), what, exec, 0, dst);
        }
        Op::AddTid(what) => {
            let base = m0_address(w, i) + 128 * w.half() as u64;
            row(each(|l| base + 4 * l as u64), what, exec, reg(i.src[0]), dst);
        }
        Op::Count(_) => {
            let first = exec & exec.wrapping_neg();
            let what = Access::Atomic(Rmw::Add, Width::W32);
            row([m0_address(w, i); LANES], what, first, 0, dst);
        }
        Op::Swizzle | Op::Permute | Op::BPermute | Op::Nop | Op::Graphics => {}
    }
}

/// Shows one lane's store of a dword that comes from elsewhere.
#[cold]
pub(super) fn show_dword(w: &Wave, env: &mut Env, i: &Instr, at: u64, l: usize) {
    let touch = Touch {
        instr: i,
        space: Space::Shared,
        kind: Kind::Store,
        lanes: 1 << l,
        at: &[at; LANES],
        bytes: 4,
        data: None,
        landing: Landing::None,
    };
    env.show(w, &touch);
}

/// Where instructions without an address register start: M0 bits 15:0 plus the offset.
fn m0_address(w: &Wave, i: &Instr) -> u64 {
    u64::from(w.sgpr[M0] & 0xffff) + i.mods.offset as u64
}

fn add_tid(w: &mut Wave, env: &mut Env, i: &Instr, what: Access) -> Step {
    let base = m0_address(w, i) + 128 * w.half() as u64;
    let at = each(|l| base + 4 * l as u64);
    let r = Regs::new(i, what, i.src[0]);
    access(w, env, i, what, w.exec(), &at, r)
}

/// `ds_append` and `ds_consume`: the whole wave acts once, in the first pass that has active lanes; all active lanes
/// get the old value. Compilers put the counter's address into M0 (LLVM `SelectDSAppendConsume`).
fn count(w: &mut Wave, lds: &mut Lds, i: &Instr, up: bool) -> Step {
    let (at, first) = (m0_address(w, i), w.exec().trailing_zeros() as usize % LANES);
    if at % 4 != 0 {
        return Err(blame(
            first,
            Fault::rule(format!("the LDS counter at {at:#x} is not aligned to 4 bytes")),
        ));
    }
    check(w, lds, i, at, 4, true, first);
    let lanes = w.sgpr[EXEC].count_ones()
        + if w.lanes() == 64 {
            w.sgpr[EXEC + 1].count_ones()
        } else {
            0
        };
    let step = if up { lanes } else { lanes.wrapping_neg() };
    let now = u32::from_le_bytes(lds.get(at));
    let old = if w.half() == 1 && w.sgpr[EXEC] != 0 {
        if lds.holds(at, 4) {
            now.wrapping_sub(step)
        } else {
            0
        }
    } else {
        lds.set(at, now.wrapping_add(step).to_le_bytes());
        now
    };
    if let Dst::V(d) = i.dst[0] {
        lanes_of(w.exec()).for_each(|l| w.v_mut(d.into())[l] = old);
    }
    Ok(())
}

#[inline(always)]
fn wide(addr: &Row) -> Addresses {
    each(|l| u64::from(addr[l]))
}

/// Byte offsets of a two-address access of `n` dwords.
fn offsets(i: &Instr, n: usize, stride: u32) -> [u32; 2] {
    [i.mods.offset0, i.mods.offset1].map(|o| o * 4 * n as u32 * stride)
}

/// An access of the LDS at one address per lane, for DS and for FLAT.
pub(super) fn access(w: &mut Wave, env: &mut Env, i: &Instr, what: Access, exec: u32, at: &Addresses, r: Regs) -> Step {
    let lds = &mut *env.lds;
    for l in lanes_of(exec) {
        match what {
            Access::LoadWide(n) => load_parts(w, lds, i, n, at[l], r.dst, l),
            Access::StoreWide(n) => store_parts(w, lds, i, n, at[l], r.data, l),
            Access::Load(p) | Access::LoadD16(p, _) => {
                check(w, lds, i, at[l], p.bytes(), false, l);
                let v = match p.bytes() {
                    1 => u32::from(lds.get::<1>(at[l])[0]),
                    _ => u32::from(u16::from_le_bytes(lds.get(at[l]))),
                };
                put_narrow(w, what, r.dst, l, p.extend(v));
            }
            Access::Store(n) | Access::StoreHi(n) => {
                check(w, lds, i, at[l], n, true, l);
                let v = w.v(r.data)[l] >> if matches!(what, Access::StoreHi(_)) { 16 } else { 0 };
                match n {
                    1 => lds.set(at[l], [v as u8]),
                    _ => lds.set(at[l], (v as u16).to_le_bytes()),
                }
            }
            Access::Atomic(op, width) => atomic(w, lds, i, (op, width), at[l], r, l)?,
        }
    }
    Ok(())
}

/// An access of less than a dword, or an atomic.
fn one(w: &mut Wave, env: &mut Env, i: &Instr, what: Access, exec: u32, addr: &Row, r: Regs) -> Step {
    match what {
        Access::Load(p) | Access::LoadD16(p, _) => {
            if let Some(raw) = env.lds.load_small(addr, exec, p.bytes()) {
                lanes_of(exec).for_each(|l| put_narrow(w, what, r.dst, l, p.extend(raw[l])));
                return Ok(());
            }
        }
        Access::Store(n) | Access::StoreHi(n) => {
            let (data, shift) = (w.v(r.data), if matches!(what, Access::StoreHi(_)) { 16 } else { 0 });
            if env.lds.store_small(addr, exec, n, &each(|l| data[l] >> shift)) {
                return Ok(());
            }
        }
        _ => {}
    }
    access(w, env, i, what, exec, &wide(addr), r)
}

/// Loads of `n` dwords per lane.
#[inline(always)]
fn load_rows(w: &mut Wave, lds: &Lds, i: &Instr, n: usize, exec: u32, addr: &Row, d: usize) -> Step {
    match n {
        1 => load::<1>(w, lds, i, exec, addr, d),
        2 => load::<2>(w, lds, i, exec, addr, d),
        3 => load::<3>(w, lds, i, exec, addr, d),
        _ => load::<4>(w, lds, i, exec, addr, d),
    }
}

/// Stores of `n` dwords per lane.
#[inline(always)]
fn store_rows(w: &mut Wave, lds: &mut Lds, i: &Instr, n: usize, exec: u32, addr: &Row, s: usize) -> Step {
    match n {
        1 => store::<1>(w, lds, i, exec, addr, s),
        2 => store::<2>(w, lds, i, exec, addr, s),
        3 => store::<3>(w, lds, i, exec, addr, s),
        _ => store::<4>(w, lds, i, exec, addr, s),
    }
}

/// Lanes side by side are one run of bytes; else one check of all lanes; only when a lane is outside, lane by lane.
#[inline(always)]
fn load<const N: usize>(w: &mut Wave, lds: &Lds, i: &Instr, exec: u32, addr: &Row, d: usize) -> Step {
    let rows = rows_mut::<N>(w, d)?;
    if !(consecutive::<N>(exec, addr).is_some_and(|at| lds.load_run(at, rows)) || lds.load(addr, exec, rows)) {
        load_apart(w, lds, i, N, exec, addr, d);
    }
    Ok(())
}

#[cold]
#[inline(never)]
fn load_apart(w: &mut Wave, lds: &Lds, i: &Instr, n: usize, exec: u32, addr: &Row, d: usize) {
    lanes_of(exec).for_each(|l| load_parts(w, lds, i, n, addr[l].into(), d, l));
}

/// As [`load`].
#[inline(always)]
fn store<const N: usize>(w: &mut Wave, lds: &mut Lds, i: &Instr, exec: u32, addr: &Row, s: usize) -> Step {
    let data = rows::<N>(w, s)?;
    if !(consecutive::<N>(exec, addr).is_some_and(|at| lds.store_run(at, data)) || lds.store(addr, exec, data)) {
        store_apart(w, lds, i, N, exec, addr, s);
    }
    Ok(())
}

#[cold]
#[inline(never)]
fn store_apart(w: &mut Wave, lds: &mut Lds, i: &Instr, n: usize, exec: u32, addr: &Row, s: usize) {
    lanes_of(exec).for_each(|l| store_parts(w, lds, i, n, addr[l].into(), s, l));
}

/// One lane's load of `n` dwords, each zero if it is outside.
fn load_parts(w: &mut Wave, lds: &Lds, i: &Instr, n: usize, at: u64, d: usize, l: usize) {
    check(w, lds, i, at, 4 * n as u32, false, l);
    for k in 0..n {
        w.v_mut(d + k)[l] = u32::from_le_bytes(lds.get(at + 4 * k as u64));
    }
}

/// One lane's store of `n` dwords, each dropped if it is outside.
#[inline(always)]
fn store_parts(w: &mut Wave, lds: &mut Lds, i: &Instr, n: usize, at: u64, s: usize, l: usize) {
    check(w, lds, i, at, 4 * n as u32, true, l);
    for k in 0..n {
        lds.set(at + 4 * k as u64, w.v(s + k)[l].to_le_bytes());
    }
}

/// Stores a dword that comes from elsewhere.
pub(super) fn put_dword(w: &mut Wave, lds: &mut Lds, i: &Instr, at: u64, v: u32, l: usize) {
    check(w, lds, i, at, 4, true, l);
    lds.set(at, v.to_le_bytes());
}

/// Notes an access that ends outside of the LDS.
#[inline(always)]
fn check(w: &mut Wave, lds: &Lds, i: &Instr, at: u64, len: u32, write: bool, l: usize) {
    if !lds.holds(at, len.into()) {
        note(w, lds, i, at, len, write, l);
    }
}

#[cold]
fn note(w: &mut Wave, lds: &Lds, i: &Instr, address: u64, len: u32, write: bool, l: usize) {
    let lane = l as u32 + 32 * w.half() as u32;
    let size = lds.size();
    let wanted = w.wanted(i.src[0], lane as usize);
    w.findings.note(
        i.index,
        lane,
        FindingKind::LdsOutOfRange {
            address,
            len,
            size,
            write,
            wanted,
        },
    );
}

/// One lane's atomic. LDS float adds obey MODE's denormal control and round to nearest (LLVM
/// `shouldExpandAtomicRMWInIR`).
fn atomic(w: &mut Wave, lds: &mut Lds, i: &Instr, (op, width): (Rmw, Width), at: u64, r: Regs, l: usize) -> Step {
    if at % width.bytes() != 0 {
        let f = Fault::new(ExecFaultKind::MisalignedAtomic {
            space: "LDS",
            address: at,
            bytes: width.bytes(),
        });
        return Err(blame(l, f));
    }
    check(w, lds, i, at, width.bytes() as u32, true, l);
    let (a, b) = vmem::operands(w, width, r, l);
    let old = match width {
        Width::W32 => {
            let old = u32::from_le_bytes(lds.get(at));
            let new = match op {
                Rmw::AddF => w.fp.out32(apply32(op, w.fp.in32(old), w.fp.in32(a as u32), 0)),
                _ => apply32(op, old, a as u32, b as u32),
            };
            lds.set(at, new.to_le_bytes());
            u64::from(old)
        }
        Width::W64 => {
            let old = u64::from_le_bytes(lds.get(at));
            lds.set(at, apply64(op, old, a, b).to_le_bytes());
            old
        }
    };
    if r.returns {
        put_old(w, width, r.dst, l, old);
    }
    Ok(())
}

/// `ds_condxchg32_rtn_b64`: two dwords, each replaced by 31 bits of data if the data's bit 31 is set.
fn condxchg(w: &mut Wave, lds: &mut Lds, i: &Instr, at: u32, r: Regs, l: usize) {
    check(w, lds, i, at.into(), 8, true, l);
    let data = [w.v(r.data)[l], w.v(r.data + 1)[l]];
    for (k, v) in data.into_iter().enumerate() {
        let at = u64::from(at) + 4 * k as u64;
        w.v_mut(r.dst + k)[l] = u32::from_le_bytes(lds.get(at));
        if v >> 31 == 1 {
            lds.set(at, (v & 0x7fff_ffff).to_le_bytes());
        }
    }
}

/// Each active lane takes `data` of lane `from(l)`; a disabled source lane gives 0.
fn gather(w: &mut Wave, d: usize, data: &Row, exec: u32, from: impl Fn(usize) -> usize) {
    let out: Row = each(|l| if exec >> from(l) & 1 == 1 { data[from(l)] } else { 0 });
    lanes_of(exec).for_each(|l| w.v_mut(d)[l] = out[l]);
}

/// The lane from which `ds_swizzle_b32` fetches for lane `l` of 32.
///
/// Offset 0xe000 and above: the order of an FFT's butterflies, `mask` keeps low bits in place; 0xc000 and above: a
/// rotation of the lanes within the groups that `mask` leaves free (bit 10: to the left, towards lane 0); bit 15: any
/// permutation within quads; else and, or, xor masks on the lane number.
pub(crate) fn swizzle(offset: u32, l: usize) -> usize {
    let l = l as u32;
    let from = if offset >= 0xe000 {
        let mask = offset & 31;
        (l.reverse_bits() >> 27) >> mask.count_ones() | l & mask
    } else if offset >= 0xc000 {
        let (mask, by) = (offset & 31, offset >> 5 & 31);
        let by = if offset >> 10 & 1 == 1 { by.wrapping_neg() } else { by };
        l & mask | l.wrapping_add(by) & !mask & 31
    } else if offset & 0x8000 != 0 {
        l & !3 | offset >> (2 * (l & 3)) & 3
    } else {
        ((l & offset) & 31 | offset >> 5 & 31) ^ offset >> 10 & 31
    };
    from as usize
}
