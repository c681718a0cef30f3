//! Loads, stores and atomics of 32 lanes, shared by GLOBAL and MUBUF.

use super::atomic::{add_flush32, apply32, apply64, Rmw, Width};
use super::lanes::{each, merge16};
use super::{Env, Fault, Step};
use crate::program::{Dst, Instr, Src};
use crate::wave::{Wave, LANES};

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

    /// The raw bytes as a dword.
    pub fn extend(self, raw: u32) -> u32 {
        match self {
            Part::U8 | Part::U16 => raw,
            Part::I8 => raw as i8 as u32,
            Part::I16 => raw as i16 as u32,
        }
    }
}

/// What a vector memory instruction does.
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
    /// Cache invalidation: nothing to do, memory is coherent here.
    Inv,
}

impl Access {
    pub fn is_load(self) -> bool {
        matches!(self, Access::Load(_) | Access::LoadD16(..) | Access::LoadWide(_))
    }

    pub fn is_store(self) -> bool {
        matches!(self, Access::Store(_) | Access::StoreHi(_) | Access::StoreWide(_))
    }
}

/// Where a lane accesses memory, and how many bytes from there a buffer descriptor allows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    pub va: u64,
    pub limit: u64,
}

impl Place {
    pub fn unbounded(va: u64) -> Place {
        Place { va, limit: u64::MAX }
    }
}

/// Executes an access. `data` is the first data register of stores and atomics.
pub(super) fn access(w: &mut Wave, env: &mut Env, i: &Instr, what: Access, places: &[Place; LANES], data: Src) -> Step {
    let exec = w.exec();
    let d = match i.dst[0] {
        Dst::V(r) => usize::from(r),
        _ => 0,
    };
    let s = match data {
        Src::V(r) => usize::from(r),
        _ => 0,
    };
    match what {
        Access::Inv => return Ok(()),
        Access::LoadWide(1) => return load_wide::<1>(w, env, exec, places, d),
        Access::LoadWide(2) => return load_wide::<2>(w, env, exec, places, d),
        Access::LoadWide(3) => return load_wide::<3>(w, env, exec, places, d),
        Access::LoadWide(_) => return load_wide::<4>(w, env, exec, places, d),
        Access::StoreWide(1) => return store_wide::<1>(w, env, exec, places, s),
        Access::StoreWide(2) => return store_wide::<2>(w, env, exec, places, s),
        Access::StoreWide(3) => return store_wide::<3>(w, env, exec, places, s),
        Access::StoreWide(_) => return store_wide::<4>(w, env, exec, places, s),
        _ => {}
    }
    for (l, place) in places.iter().enumerate().filter(|(l, _)| exec >> l & 1 == 1) {
        let Place { va, limit } = *place;
        match what {
            Access::Load(part) => w.v_mut(d)[l] = load_small(env, part, va, limit, l)?,
            Access::LoadD16(part, high) => {
                let v = load_small(env, part, va, limit, l)?;
                w.v_mut(d)[l] = merge16(w.v(d)[l], v as u16, high);
            }
            Access::Store(n) => store_small(env, n, va, limit, w.v(s)[l], l)?,
            Access::StoreHi(n) => store_small(env, n, va, limit, w.v(s)[l] >> 16, l)?,
            Access::Atomic(op, width) => {
                let old = atomic(w, env, (op, width), place, s, l)?;
                if i.mods.glc {
                    w.v_mut(d)[l] = old as u32;
                    if width == Width::W64 {
                        w.v_mut(d + 1)[l] = (old >> 32) as u32;
                    }
                }
            }
            Access::LoadWide(_) | Access::StoreWide(_) | Access::Inv => {}
        }
    }
    Ok(())
}

#[inline(always)]
fn load_wide<const N: usize>(w: &mut Wave, env: &mut Env, exec: u32, places: &[Place; LANES], d: usize) -> Step {
    let rows = w.vs_mut(d, N);
    for (l, p) in places.iter().enumerate() {
        if exec >> l & 1 == 0 {
            continue;
        }
        let mut words = [0; N];
        let whole = (p.limit / 4).min(N as u64) as usize;
        if whole > 0 {
            env.mem
                .read(p.va, &mut words[..whole])
                .map_err(|f| Fault::memory(f, l as u32))?;
        }
        for (row, v) in rows.iter_mut().zip(words) {
            row[l] = v;
        }
    }
    Ok(())
}

#[inline(always)]
fn store_wide<const N: usize>(w: &mut Wave, env: &mut Env, exec: u32, places: &[Place; LANES], s: usize) -> Step {
    let rows = w.vs(s, N);
    for (l, p) in places.iter().enumerate() {
        if exec >> l & 1 == 0 {
            continue;
        }
        let words: [u32; N] = each(|k| rows[k][l]);
        let whole = (p.limit / 4).min(N as u64) as usize;
        if whole > 0 {
            env.mem
                .write(p.va, &words[..whole])
                .map_err(|f| Fault::memory(f, l as u32))?;
        }
    }
    Ok(())
}

fn load_small(env: &mut Env, part: Part, va: u64, limit: u64, l: usize) -> Step<u32> {
    if u64::from(part.bytes()) > limit {
        return Ok(0);
    }
    let raw = env
        .mem
        .read_small(va, part.bytes())
        .map_err(|f| Fault::memory(f, l as u32))?;
    Ok(part.extend(raw))
}

fn store_small(env: &mut Env, bytes: u32, va: u64, limit: u64, v: u32, l: usize) -> Step {
    if u64::from(bytes) > limit {
        return Ok(());
    }
    env.mem
        .write_small(va, bytes, v)
        .map_err(|f| Fault::memory(f, l as u32))
}

/// One lane's atomic; returns the old value. Lanes act in ascending order.
fn atomic(w: &Wave, env: &mut Env, (op, width): (Rmw, Width), p: &Place, s: usize, l: usize) -> Step<u64> {
    let bytes = if width == Width::W32 { 4 } else { 8 };
    if p.limit < bytes {
        return Ok(0);
    }
    if p.va % bytes != 0 {
        let mut f = Fault::rule(format!(
            "atomic at {:#x} is not aligned to {bytes} bytes; hardware raises a memory violation",
            p.va
        ));
        f.lane = Some(l as u32);
        return Err(f);
    }
    let word = |k: usize| w.v_get(s + k).map_or(0, |row| row[l]);
    // The compare value of a compare-and-swap follows the new value in the data registers.
    let old = match width {
        Width::W32 if op == Rmw::AddF => {
            let a = word(0);
            env.mem.rmw32(p.va, |old| add_flush32(old, a)).map(u64::from)
        }
        Width::W32 => {
            let (a, b) = (word(0), word(1));
            env.mem.rmw32(p.va, |old| apply32(op, old, a, b)).map(u64::from)
        }
        Width::W64 => {
            let pair = |k: usize| u64::from(word(k)) | u64::from(word(k + 1)) << 32;
            let (a, b) = (pair(0), pair(2));
            env.mem.rmw64(p.va, |old| apply64(op, old, a, b))
        }
    };
    old.map_err(|f| Fault::memory(f, l as u32))
}
