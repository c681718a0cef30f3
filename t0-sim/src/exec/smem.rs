//! Scalar memory loads. Semantics: RDNA3 ISA manual 8.
//!
//! The address is `base + offset + soffset` with its two low bits cleared. `s_buffer_load` reads zero for dwords
//! beyond `num_records * max(stride, 1)` bytes.

use t0_backend_rdna3::isa::Smem;

use super::mubuf::Resource;
use super::{scalar32, scalar64, Env, Fault, Step};
use crate::aperture::Space;
use crate::program::{Dst, Instr, Src};
use crate::sanitize::{Kind, Landing, Touch};
use crate::wave::{Wave, LANES};

pub(super) fn exec(w: &mut Wave, env: &mut Env, i: &Instr, op: Smem) -> Step {
    use Smem::*;
    match op {
        s_load_b32 => load(w, env, i, 1),
        s_load_b64 => load(w, env, i, 2),
        s_load_b128 => load(w, env, i, 4),
        s_load_b256 => load(w, env, i, 8),
        s_load_b512 => load(w, env, i, 16),
        s_buffer_load_b32 => buffer_load(w, env, i, 1),
        s_buffer_load_b64 => buffer_load(w, env, i, 2),
        s_buffer_load_b128 => buffer_load(w, env, i, 4),
        s_buffer_load_b256 => buffer_load(w, env, i, 8),
        s_buffer_load_b512 => buffer_load(w, env, i, 16),
        s_gl1_inv => {
            if let Some(watch) = env.watch.as_deref_mut() {
                watch.invalidate(w, true);
            }
            Ok(())
        }
        s_dcache_inv => Ok(()),
        // Prefetches an address translation: nothing a program can see.
        s_atc_probe | s_atc_probe_buffer => Ok(()),
    }
}

fn dst(i: &Instr) -> usize {
    match i.dst[0] {
        Dst::S(r) => usize::from(r),
        _ => 124,
    }
}

fn offset(w: &Wave, i: &Instr) -> u64 {
    (i64::from(i.mods.offset) as u64).wrapping_add(u64::from(scalar32(w, i.src[1])))
}

fn load(w: &mut Wave, env: &mut Env, i: &Instr, n: usize) -> Step {
    let va = scalar64(w, i.src[0]).wrapping_add(offset(w, i)) & !3;
    let mut words = [0; 16];
    if env.watched() {
        show(w, env, i, va, n, 0);
    }
    env.mem.read(va, &mut words[..n]).map_err(|f| Fault::new(f.into()))?;
    words[..n].iter().enumerate().for_each(|(k, &v)| w.set_s(dst(i) + k, v));
    Ok(())
}

/// Shows a load of `n` dwords, from the `k`-th of the destination on, to the sanitizer.
#[cold]
fn show(w: &Wave, env: &mut Env, i: &Instr, va: u64, n: usize, k: usize) {
    let mut at = [0; LANES];
    at[0] = va;
    let touch = Touch {
        instr: i,
        space: Space::Global,
        kind: Kind::Load,
        lanes: 1,
        at: &at,
        bytes: 4 * n as u32,
        data: None,
        landing: Landing::Scalar(dst(i) + k),
    };
    env.show(w, &touch);
}

fn buffer_load(w: &mut Wave, env: &mut Env, i: &Instr, n: usize) -> Step {
    let Src::S(r) = i.src[0] else {
        return Err(Fault::rule("s_buffer_load needs a descriptor in SGPRs"));
    };
    let res = Resource::read(w, usize::from(r))?;
    let size = res.num_records * res.stride.max(1);
    let at = offset(w, i) & !3;
    for k in 0..n as u64 {
        let o = at.wrapping_add(4 * k);
        let mut word = [0];
        if o.checked_add(4).is_some_and(|end| end <= size) {
            let va = (res.base & !3).wrapping_add(o);
            if env.watched() {
                show(w, env, i, va, 1, k as usize);
            }
            env.mem.read(va, &mut word).map_err(|f| Fault::new(f.into()))?;
        }
        w.set_s(dst(i) + k as usize, word[0]);
    }
    Ok(())
}
