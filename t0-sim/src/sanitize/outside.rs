//! Indices of arrays in LDS that are out of range.
//!
//! Problem: t0's code compares an index with the length and accesses an address outside of all LDS instead of the neighbouring
//! array (`LDS_OUTSIDE` in `t0-ir`); the access tells that something was out of range, and no longer what. Method: the
//! instruction that chooses between both addresses (`v_cndmask_b32`, `s_cselect_b32`) is watched, and the address that was
//! not taken is kept with the register until the access comes.

use t0_backend_rdna3::isa::{Opcode, Sop2, Vop2};

use crate::exec::scalar32;
use crate::mem::lanes_of;
use crate::program::{Dst, Instr, Src};
use crate::wave::{Outside, Wave, LANES};

/// The address t0's code takes for an index out of range.
const OUTSIDE: u32 = 0x1_0000;
/// Registers remembered.
const MOST: usize = 8;

/// The source that is not outside, of an instruction that may choose.
fn inside(i: &Instr, value: impl Fn(Src) -> Option<u32>) -> Option<Src> {
    match i.op {
        Opcode::Vop2(Vop2::v_cndmask_b32) | Opcode::Sop2(Sop2::s_cselect_b32) => {}
        _ => return None,
    }
    match [value(i.src[0]), value(i.src[1])] {
        [Some(OUTSIDE), _] => Some(i.src[1]),
        [_, Some(OUTSIDE)] => Some(i.src[0]),
        _ => None,
    }
}

/// Whether an instruction may choose such an address.
pub(crate) fn selects(i: &Instr) -> bool {
    let may = |i: &Instr| {
        let value = |s: Src| match s {
            Src::K(k) => Some(k as u32),
            Src::S(_) => Some(OUTSIDE),
            _ => None,
        };
        inside(i, value).is_some()
    };
    match i.pair.as_deref() {
        Some(p) => may(&p.first) || may(&p.second),
        None => may(i),
    }
}

/// Remembers what an instruction that may choose is about to keep from being accessed.
#[cold]
pub(super) fn note(w: &mut Wave, i: &Instr) {
    if let Some(p) = i.pair.as_deref() {
        note(w, &p.first);
        return note(w, &p.second);
    }
    let value = |s: Src| match s {
        Src::V(_) => None,
        other => Some(scalar32(w, other)),
    };
    let Some(from) = inside(i, value) else { return };
    let reg = match i.dst[0] {
        Dst::V(r) => r,
        Dst::S(r) => r + 256,
        Dst::None => return,
    };
    let mut offset = [scalar32(w, from); 64];
    if let Src::V(r) = from {
        for (half, row) in offset.chunks_mut(LANES).enumerate().take(w.lanes() as usize / LANES) {
            lanes_of(u32::MAX).for_each(|l| row[l] = w.lane(r.into(), l + LANES * half));
        }
    }
    w.outside.retain(|o| o.reg != reg);
    if w.outside.len() >= MOST {
        w.outside.remove(0);
    }
    w.outside.push(Outside { reg, offset });
}

impl Wave {
    /// The offset that a lane would access, were the address in `src` not outside of the LDS; of an address that comes from a
    /// scalar register the last one.
    pub(crate) fn wanted(&self, src: Src, lane: usize) -> Option<u32> {
        let Src::V(r) = src else { return None };
        let of = |o: &Outside| o.offset.get(lane).copied();
        let own = self.outside.iter().rev().find(|o| o.reg == r);
        own.or_else(|| self.outside.iter().rev().find(|o| o.reg >= 256))
            .and_then(of)
    }
}
