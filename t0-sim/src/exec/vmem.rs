//! Loads, stores and atomics of 32 lanes on global memory, shared by GLOBAL, FLAT, SCRATCH and the buffers.
//!
//! Two ways in: [`linear`] for lanes that access consecutive bytes from one address each, [`scattered`] for lanes
//! whose parts lie apart or may be missing (swizzled memory, range checks). Lanes act in ascending order.

use super::atomic::{add_flush32, apply32, apply64, Rmw, Width};
use super::lanes::{each, merge16};
use super::{Env, Fault, Step};
use crate::aperture::Space;
use crate::driver::ExecFaultKind;
use crate::mem::{lanes_of, Addresses, LaneFault};
use crate::program::{Dst, Instr, Src};
use crate::sanitize::{Kind, Landing, Touch};
use crate::wave::{Row, Wave};

/// A value narrower than a dword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    U8,
    I8,
    U16,
    I16,
}

impl Part {
    pub fn bytes(self) -> u32 {
        match self {
            Part::U8 | Part::I8 => 1,
            Part::U16 | Part::I16 => 2,
        }
    }

    fn signed(self) -> bool {
        matches!(self, Part::I8 | Part::I16)
    }

    /// The raw bytes as a dword.
    pub fn extend(self, raw: u32) -> u32 {
        match self {
            Part::U8 | Part::U16 => raw,
            Part::I8 => raw as i8 as u32,
            Part::I16 => raw as i16 as u32,
        }
    }
}

/// What a memory instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// Sub-dword load into a whole register.
    Load(Part),
    /// Sub-dword load into one half (`true`: the high one); the other half stays.
    LoadD16(Part, bool),
    /// Load of dwords.
    LoadWide(usize),
    /// Store of the low bytes.
    Store(u32),
    /// Store of bytes from bit 16.
    StoreHi(u32),
    /// Store of dwords.
    StoreWide(usize),
    /// Read-modify-write.
    Atomic(Rmw, Width),
}

impl Access {
    pub fn is_load(self) -> bool {
        matches!(self, Access::Load(_) | Access::LoadD16(..) | Access::LoadWide(_))
    }

    /// Load, store or atomic.
    pub fn kind(self) -> Kind {
        match self {
            Access::Load(_) | Access::LoadD16(..) | Access::LoadWide(_) => Kind::Load,
            Access::Store(_) | Access::StoreHi(_) | Access::StoreWide(_) => Kind::Store,
            Access::Atomic(..) => Kind::Atomic,
        }
    }

    /// Where the bytes of a store or an exchange are, when its first data register is `r`: register and bit.
    pub fn data(self, r: usize) -> Option<(usize, u32)> {
        match self {
            Access::Store(_) | Access::StoreWide(_) | Access::Atomic(Rmw::Swap, _) => Some((r, 0)),
            Access::StoreHi(_) => Some((r, 16)),
            _ => None,
        }
    }

    /// Where what it loads ends up.
    pub fn landing(self, r: Regs) -> Landing {
        let (shift, narrow) = match self {
            Access::Load(p) => (0, Some((32, p.signed()))),
            Access::LoadD16(p, high) => (16 * u32::from(high), Some((16, p.signed()))),
            Access::LoadWide(_) => (0, None),
            Access::Atomic(..) if r.returns => (0, None),
            _ => return Landing::None,
        };
        Landing::Vector {
            reg: r.dst,
            shift,
            narrow,
        }
    }

    /// Bytes one lane accesses.
    pub fn bytes(self) -> u64 {
        match self {
            Access::Load(p) | Access::LoadD16(p, _) => p.bytes().into(),
            Access::Store(n) | Access::StoreHi(n) => n.into(),
            Access::LoadWide(n) | Access::StoreWide(n) => 4 * n as u64,
            Access::Atomic(_, w) => w.bytes(),
        }
    }
}

/// The registers of an access.
#[derive(Clone, Copy, Debug)]
pub(super) struct Regs {
    /// First destination register.
    pub dst: usize,
    /// First data register.
    pub data: usize,
    /// The first register of an atomic's second operand.
    pub data2: usize,
    /// An atomic returns the old value.
    pub returns: bool,
}

impl Regs {
    /// Registers of a VMEM instruction: an atomic's second operand follows the first.
    pub fn new(i: &Instr, what: Access, data: Src) -> Regs {
        let s = reg(data);
        Regs {
            dst: match i.dst[0] {
                Dst::V(r) => r.into(),
                _ => 0,
            },
            data: s,
            data2: match what {
                Access::Atomic(_, Width::W64) => s + 2,
                _ => s + 1,
            },
            returns: i.mods.glc,
        }
    }
}

/// The first vector register of an operand.
pub(super) fn reg(s: Src) -> usize {
    match s {
        Src::V(r) => r.into(),
        _ => 0,
    }
}

/// A refused access.
#[cold]
pub(super) fn refused(f: LaneFault) -> Box<Fault> {
    Fault::memory(f.fault, f.lane as u32)
}

/// A fault of lane `l` of the pass.
pub(super) fn blame(l: usize, mut f: Box<Fault>) -> Box<Fault> {
    f.lane = Some(l as u32);
    f
}

/// The registers from `r` on as an array of rows.
#[inline(always)]
pub(super) fn rows<const N: usize>(w: &Wave, r: usize) -> Step<&[Row; N]> {
    w.vs(r, N).try_into().map_err(|_| Fault::rule("too few registers"))
}

/// The same, to write.
#[inline(always)]
pub(super) fn rows_mut<const N: usize>(w: &mut Wave, r: usize) -> Step<&mut [Row; N]> {
    w.vs_mut(r, N).try_into().map_err(|_| Fault::rule("too few registers"))
}

/// Executes an access at one address per lane of `exec`.
#[inline(always)]
pub(super) fn linear(w: &mut Wave, env: &mut Env, i: &Instr, what: Access, exec: u32, va: &Addresses, r: Regs) -> Step {
    if env.watched() {
        show(w, env, i, what, Space::Global, (exec, va), r);
    }
    match what {
        _ if exec == 0 => Ok(()),
        Access::LoadWide(1) => load::<1>(w, env, exec, va, r),
        Access::LoadWide(2) => load::<2>(w, env, exec, va, r),
        Access::LoadWide(3) => load::<3>(w, env, exec, va, r),
        Access::LoadWide(_) => load::<4>(w, env, exec, va, r),
        Access::StoreWide(1) => store::<1>(w, env, exec, va, r),
        Access::StoreWide(2) => store::<2>(w, env, exec, va, r),
        Access::StoreWide(3) => store::<3>(w, env, exec, va, r),
        Access::StoreWide(_) => store::<4>(w, env, exec, va, r),
        _ => narrow(w, env, what, exec, va, r),
    }
}

/// Shows an access of all of `exec` to the sanitizer.
#[cold]
pub(super) fn show(
    w: &Wave,
    env: &mut Env,
    i: &Instr,
    what: Access,
    space: Space,
    (exec, at): (u32, &Addresses),
    r: Regs,
) {
    let touch = Touch {
        instr: i,
        space,
        kind: what.kind(),
        lanes: exec,
        at,
        bytes: what.bytes() as u32,
        data: what.data(r.data),
        landing: what.landing(r),
    };
    env.show(w, &touch);
}

/// The start of 32 consecutive accesses of `N` dwords, if all lanes are active and access such.
#[inline(always)]
pub(super) fn consecutive<const N: usize>(exec: u32, addr: &Row) -> Option<u64> {
    let step = 4 * N as u32;
    let odd = addr
        .iter()
        .enumerate()
        .fold(0, |odd, (l, &a)| odd | (a ^ addr[0].wrapping_add(step * l as u32)));
    (exec == u32::MAX && odd == 0 && addr[0] <= addr[31]).then_some(addr[0].into())
}

/// Executes an access at `base + row`. Lanes side by side, the most frequent case, need one check for all.
#[inline(always)]
pub(super) fn based(w: &mut Wave, env: &mut Env, i: &Instr, what: Access, base: u64, row: usize, r: Regs) -> Step {
    match what {
        _ if env.watched() => linear(w, env, i, what, w.exec(), &offsets(base, w.v(row)), r),
        Access::LoadWide(1) => based_load::<1>(w, env, i, what, base, row, r),
        Access::LoadWide(2) => based_load::<2>(w, env, i, what, base, row, r),
        Access::LoadWide(4) => based_load::<4>(w, env, i, what, base, row, r),
        Access::StoreWide(1) => based_store::<1>(w, env, i, what, base, row, r),
        Access::StoreWide(2) => based_store::<2>(w, env, i, what, base, row, r),
        Access::StoreWide(4) => based_store::<4>(w, env, i, what, base, row, r),
        _ => linear(w, env, i, what, w.exec(), &offsets(base, w.v(row)), r),
    }
}

#[inline(always)]
fn based_load<const N: usize>(
    w: &mut Wave,
    env: &mut Env,
    i: &Instr,
    what: Access,
    base: u64,
    row: usize,
    r: Regs,
) -> Step {
    if let Some(at) = consecutive::<N>(w.exec(), w.v(row)) {
        if env.mem.load_run::<N>(base.wrapping_add(at), rows_mut(w, r.dst)?) {
            return Ok(());
        }
    }
    linear(w, env, i, what, w.exec(), &offsets(base, w.v(row)), r)
}

#[inline(always)]
fn based_store<const N: usize>(
    w: &mut Wave,
    env: &mut Env,
    i: &Instr,
    what: Access,
    base: u64,
    row: usize,
    r: Regs,
) -> Step {
    if let Some(at) = consecutive::<N>(w.exec(), w.v(row)) {
        if env.mem.store_run::<N>(base.wrapping_add(at), rows(w, r.data)?) {
            return Ok(());
        }
    }
    linear(w, env, i, what, w.exec(), &offsets(base, w.v(row)), r)
}

#[inline(always)]
fn load<const N: usize>(w: &mut Wave, env: &mut Env, exec: u32, va: &Addresses, r: Regs) -> Step {
    match env.mem.load::<N>(va, exec, rows_mut(w, r.dst)?) {
        Ok(()) => Ok(()),
        Err(f) => Err(refused(f)),
    }
}

#[inline(always)]
fn store<const N: usize>(w: &mut Wave, env: &mut Env, exec: u32, va: &Addresses, r: Regs) -> Step {
    match env.mem.store::<N>(va, exec, rows(w, r.data)?) {
        Ok(()) => Ok(()),
        Err(f) => Err(refused(f)),
    }
}

/// Sub-dword accesses and atomics.
fn narrow(w: &mut Wave, env: &mut Env, what: Access, exec: u32, va: &Addresses, r: Regs) -> Step {
    for l in lanes_of(exec) {
        let lost = |fault| refused(LaneFault { fault, lane: l });
        match what {
            Access::Load(p) | Access::LoadD16(p, _) => {
                let raw = env.mem.read_small(va[l], p.bytes()).map_err(lost)?;
                put_narrow(w, what, r.dst, l, p.extend(raw));
            }
            Access::Store(n) => env.mem.write_small(va[l], n, w.v(r.data)[l]).map_err(lost)?,
            Access::StoreHi(n) => env.mem.write_small(va[l], n, w.v(r.data)[l] >> 16).map_err(lost)?,
            Access::Atomic(op, width) => atomic(w, env, (op, width), va[l], r, l)?,
            Access::LoadWide(_) | Access::StoreWide(_) => {}
        }
    }
    Ok(())
}

/// Writes a loaded sub-dword value.
#[inline(always)]
pub(super) fn put_narrow(w: &mut Wave, what: Access, d: usize, l: usize, v: u32) {
    let old = &mut w.v_mut(d)[l];
    *old = match what {
        Access::LoadD16(_, high) => merge16(*old, v as u16, high),
        _ => v,
    };
}

/// Writes the old value an atomic returns.
pub(super) fn put_old(w: &mut Wave, width: Width, d: usize, l: usize, old: u64) {
    w.v_mut(d)[l] = old as u32;
    if width == Width::W64 {
        w.v_mut(d + 1)[l] = (old >> 32) as u32;
    }
}

/// The operands of one lane's atomic.
pub(super) fn operands(w: &Wave, width: Width, r: Regs, l: usize) -> (u64, u64) {
    let word = |r: usize| w.v_get(r).map_or(0, |row| u64::from(row[l]));
    match width {
        Width::W32 => (word(r.data), word(r.data2)),
        Width::W64 => (
            word(r.data) | word(r.data + 1) << 32,
            word(r.data2) | word(r.data2 + 1) << 32,
        ),
    }
}

/// One lane's atomic on global memory.
fn atomic(w: &mut Wave, env: &mut Env, (op, width): (Rmw, Width), va: u64, r: Regs, l: usize) -> Step {
    if va % width.bytes() != 0 {
        let f = Fault::new(ExecFaultKind::MisalignedAtomic {
            space: "global",
            address: va,
            bytes: width.bytes(),
        });
        return Err(blame(l, f));
    }
    let (a, b) = operands(w, width, r, l);
    let old = match width {
        Width::W32 if op == Rmw::AddF => env.mem.rmw32(va, |old| add_flush32(old, a as u32)).map(u64::from),
        Width::W32 => env
            .mem
            .rmw32(va, |old| apply32(op, old, a as u32, b as u32))
            .map(u64::from),
        Width::W64 => env.mem.rmw64(va, |old| apply64(op, old, a, b)),
    };
    let old = old.map_err(|fault| refused(LaneFault { fault, lane: l }))?;
    if r.returns {
        put_old(w, width, r.dst, l, old);
    }
    Ok(())
}

/// Executes an access whose bytes lie where `at` says: it is asked for the address of `len` bytes from byte `b` of
/// lane `l`'s access; `None` loads zero and stores nothing. Dwords are asked for one by one, an atomic as a whole.
pub(super) fn scattered(
    w: &mut Wave,
    env: &mut Env,
    what: Access,
    exec: u32,
    r: Regs,
    at: &dyn Fn(usize, u64, u64) -> Option<u64>,
) -> Step {
    for l in lanes_of(exec) {
        match what {
            Access::LoadWide(n) => {
                for k in 0..n {
                    let v = get(env, l, 4 * k as u64, 4, at)?;
                    w.v_mut(r.dst + k)[l] = v;
                }
            }
            Access::StoreWide(n) => {
                for k in 0..n {
                    let v = w.v(r.data + k)[l];
                    set(env, l, (4 * k as u64, 4), v, at)?;
                }
            }
            Access::Load(p) | Access::LoadD16(p, _) => {
                let v = p.extend(get(env, l, 0, p.bytes().into(), at)?);
                put_narrow(w, what, r.dst, l, v);
            }
            Access::Store(n) => set(env, l, (0, n.into()), w.v(r.data)[l], at)?,
            Access::StoreHi(n) => set(env, l, (0, n.into()), w.v(r.data)[l] >> 16, at)?,
            Access::Atomic(op, width) => match at(l, 0, width.bytes()) {
                Some(va) => atomic(w, env, (op, width), va, r, l)?,
                None if r.returns => put_old(w, width, r.dst, l, 0),
                None => {}
            },
        }
    }
    Ok(())
}

/// Shows the parts of a scattered access to the sanitizer: dwords or the whole, byte by byte where those lie apart. The lanes
/// of which nothing is in range.
#[cold]
pub(super) fn show_scattered(
    w: &Wave,
    env: &mut Env,
    i: &Instr,
    what: Access,
    (exec, r): (u32, Regs),
    at: &dyn Fn(usize, u64, u64) -> Option<u64>,
) -> u32 {
    let (all, step) = match what {
        Access::LoadWide(_) | Access::StoreWide(_) => (what.bytes(), 4),
        _ => (what.bytes(), what.bytes()),
    };
    let whole = matches!(what, Access::Atomic(..));
    let mut show = |b: u64, len: u64, take: &dyn Fn(usize) -> bool| {
        let (mut lanes, mut va) = (0, [0; 32]);
        for l in lanes_of(exec).filter(|&l| take(l)) {
            if let Some(a) = at(l, b, len) {
                lanes |= 1 << l;
                va[l] = a;
            }
        }
        let touch = Touch {
            instr: i,
            space: Space::Global,
            kind: what.kind(),
            lanes,
            at: &va,
            bytes: len as u32,
            data: what.data(r.data).map(|(d, shift)| behind(d, shift, b)),
            landing: match what.landing(r) {
                Landing::Vector { reg, shift, narrow } => {
                    let (reg, shift) = behind(reg, shift, b);
                    let narrow = narrow.filter(|_| len == what.bytes());
                    Landing::Vector { reg, shift, narrow }
                }
                other => other,
            },
        };
        env.show(w, &touch);
        lanes
    };
    let mut reached = 0;
    for b in (0..all).step_by(step as usize) {
        let apart = |l: usize| !whole && at(l, b, step).is_some_and(|a| at(l, b + step - 1, 1) != Some(a + step - 1));
        reached |= show(b, step, &|l| !apart(l));
        for k in 0..if lanes_of(exec).any(apart) { step } else { 0 } {
            reached |= show(b + k, 1, &apart);
        }
    }
    exec & !reached
}

/// Register and bit of byte `b` of what begins at bit `shift` of `reg`.
fn behind(reg: usize, shift: u32, b: u64) -> (usize, u32) {
    (reg + b as usize / 4, shift + 8 * (b % 4) as u32)
}

/// Up to 4 bytes of a scattered access.
pub(super) fn get(env: &mut Env, l: usize, b: u64, len: u64, at: &dyn Fn(usize, u64, u64) -> Option<u64>) -> Step<u32> {
    let Some(va) = at(l, b, len) else { return Ok(0) };
    let lost = |fault| refused(LaneFault { fault, lane: l });
    if at(l, b + len - 1, 1) != Some(va + len - 1) {
        let mut v = 0;
        for k in 0..len {
            if let Some(va) = at(l, b + k, 1) {
                v |= env.mem.read_small(va, 1).map_err(lost)? << (8 * k);
            }
        }
        return Ok(v);
    }
    if len == 4 {
        let mut word = [0];
        env.mem.read(va, &mut word).map_err(lost)?;
        return Ok(word[0]);
    }
    env.mem.read_small(va, len as u32).map_err(lost)
}

/// Stores up to 4 bytes of a scattered access.
pub(super) fn set(
    env: &mut Env,
    l: usize,
    (b, len): (u64, u64),
    v: u32,
    at: &dyn Fn(usize, u64, u64) -> Option<u64>,
) -> Step {
    let Some(va) = at(l, b, len) else { return Ok(()) };
    let lost = |fault| refused(LaneFault { fault, lane: l });
    if at(l, b + len - 1, 1) != Some(va + len - 1) {
        for k in 0..len {
            if let Some(va) = at(l, b + k, 1) {
                env.mem.write_small(va, 1, v >> (8 * k)).map_err(lost)?;
            }
        }
        return Ok(());
    }
    if len == 4 {
        return env.mem.write(va, &[v]).map_err(lost);
    }
    env.mem.write_small(va, len as u32, v).map_err(lost)
}

/// The addresses `base + row`.
#[inline(always)]
pub(super) fn offsets(base: u64, row: &Row) -> Addresses {
    each(|l| base.wrapping_add(u64::from(row[l])))
}
