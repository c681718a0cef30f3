//! SCRATCH instructions, and FLAT ones whose address lies in the private aperture.
//!
//! An offset into the lane's private memory is `vaddr + saddr + inst_offset`; vaddr and saddr are unsigned (before
//! GFX12 a negative base does not work, LLVM `isFlatScratchBaseLegal`). Memory is swizzled by dword over the lanes,
//! see [`crate::scratch`]. Equal aligned offsets in all lanes, as compilers make them, are rows of memory.

use super::vmem::{blame, reg, scattered, show, Access, Regs};
use super::{scalar32, Env, Fault, Step};
use crate::aperture::Space;
use crate::driver::ExecFaultKind;
use crate::mem::{lanes_of, Addresses};
use crate::program::{Instr, Src};
use crate::wave::{Wave, LANES};

/// A `scratch_*` instruction: vaddr (or off), then saddr (or off).
pub(super) fn exec(w: &mut Wave, env: &mut Env, i: &Instr, what: Access) -> Step {
    let (saddr, data) = if what.is_load() {
        (i.src[1], Src::None)
    } else {
        (i.src[2], i.src[1])
    };
    let base = i64::from(scalar32(w, saddr)) + i64::from(i.mods.offset);
    if let Some(watch) = env.watch.as_deref_mut() {
        let vaddr = match i.src[0] {
            Src::V(_) => *w.v(reg(i.src[0])),
            _ => [0; LANES],
        };
        watch.scratch(w, i, w.exec(), &vaddr, scalar32(w, saddr));
    }
    let offsets: Addresses = match i.src[0] {
        Src::V(_) => {
            let v = w.v(reg(i.src[0]));
            std::array::from_fn(|l| (i64::from(v[l]) + base) as u64)
        }
        _ => [base as u64; LANES],
    };
    private(w, env, i, what, w.exec(), &offsets, Regs::new(i, what, data))
}

/// Executes an access to private memory at one offset per lane.
pub(super) fn private(
    w: &mut Wave,
    env: &mut Env,
    i: &Instr,
    what: Access,
    exec: u32,
    at: &Addresses,
    r: Regs,
) -> Step {
    if exec == 0 {
        return Ok(());
    }
    if env.watched() {
        show(w, env, i, what, Space::Private, (exec, at), r);
    }
    if let Some(l) = lanes_of(exec).find(|&l| !inside(w, at[l], what.bytes())) {
        return Err(blame(l, outside(w, at[l], what.bytes())));
    }
    let (s, lanes, first) = (w.scratch, w.lanes(), 32 * w.half() as u32);
    let o = at[exec.trailing_zeros() as usize];
    let uniform = o % 4 == 0 && lanes_of(exec).all(|l| at[l] == o);
    match what {
        Access::LoadWide(n) if uniform => {
            for k in 0..n {
                let va = s.address(first, lanes, o + 4 * k as u64);
                let row = w.v_mut(r.dst + k);
                env.mem.load_row(va, exec, row).map_err(|f| Fault::new(f.into()))?;
            }
            Ok(())
        }
        Access::StoreWide(n) if uniform => {
            for k in 0..n {
                let va = s.address(first, lanes, o + 4 * k as u64);
                let row = w.v(r.data + k);
                env.mem.store_row(va, exec, row).map_err(|f| Fault::new(f.into()))?;
            }
            Ok(())
        }
        _ => scattered(w, env, what, exec, r, &|l, b, _| {
            Some(s.address(first + l as u32, lanes, at[l] + b))
        }),
    }
}

#[inline(always)]
fn inside(w: &Wave, at: u64, len: u64) -> bool {
    at.checked_add(len).is_some_and(|end| end <= u64::from(w.scratch.bytes))
}

#[cold]
fn outside(w: &Wave, at: u64, len: u64) -> Box<Fault> {
    if w.scratch.bytes == 0 {
        return Fault::rule(
            "private memory is accessed, but the launch gives none: the packet's private_segment_size is 0",
        );
    }
    Fault::new(ExecFaultKind::OutOfAperture {
        space: "scratch",
        address: at,
        len,
        size: w.scratch.bytes.into(),
    })
}
