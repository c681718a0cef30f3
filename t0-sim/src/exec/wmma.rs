//! WMMA: D = A x B + C on 16 x 16 x 16 tiles.
//!
//! Layout (AMD matrix instruction calculator; C/D confirmed on gfx1151 silicon by ROCm/FlyDSL pull requests 485 and 544):
//! A's row i lies in lane i, B's column j in lane j, k along the registers. The sixteen C/D elements of row i lie in
//! lanes 16 * (i & 1) + j, in wave32 of register i >> 1, in wave64 of register i >> 2 and lanes 32..=63 for odd i >> 1.
//! Lanes 16.. must repeat A and B; the values of lanes 0..=15 are used for the whole tile. UNVERIFIED(hw): what the card
//! does when the copies differ; the fidelity report counts such operands.
//!
//! Numerics: [`Numerics::Fast`] takes the products in the order k = 0, 1, .. 15, `acc = fma(a, b, acc)` in f32, each
//! rounded to nearest; 16-bit results are rounded once more at the end. t0's IR interpreter does the same.
//! [`Numerics::Silicon`] is in [`crate::num::dot`]. MODE is ignored: f32 denormals are kept in fast mode. NaN results are
//! the default NaN. EXEC is ignored. Integer forms are exact.

use super::fma::{multiply, multiply_integers, Integers, Operand, M16};
use super::vmem::{rows, rows_mut};
use super::Step;
use crate::num::dot::{dot2, Half};
use crate::num::{bf16_to_f32, f16_to_f32, f32_to_bf16, f32_to_f16_nearest, Numerics};
use crate::program::{Dst, Instr, Src};
use crate::wave::Wave;

/// The six forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    F32F16,
    F32Bf16,
    F16F16,
    Bf16Bf16,
    I32Iu8,
    I32Iu4,
}

/// C or D, a dword for each element.
type Tile = M16<u32>;

pub(super) fn exec(w: &mut Wave, i: &Instr, form: Form) -> Step {
    w.wmma += 1;
    match form {
        Form::F32F16 => f32_form(w, i, Half::F16)?,
        Form::F32Bf16 => f32_form(w, i, Half::Bf16)?,
        Form::F16F16 => half_form(w, i, Half::F16)?,
        Form::Bf16Bf16 => half_form(w, i, Half::Bf16)?,
        Form::I32Iu8 => int_form::<8>(w, i)?,
        Form::I32Iu4 => int_form::<4>(w, i)?,
    }
    w.set_half(0);
    Ok(())
}

fn first(s: Src) -> usize {
    match s {
        Src::V(r) => usize::from(r),
        _ => 0,
    }
}

/// Whether the lanes from 16 on repeat A and B otherwise than lanes 0..=15 have them.
pub(super) fn copies_differ(w: &Wave, i: &Instr) -> bool {
    use t0_backend_rdna3::isa::{Opcode, Vop3p};
    let regs = match i.op {
        Opcode::Vop3p(Vop3p::v_wmma_i32_16x16x16_iu8) => 4,
        Opcode::Vop3p(Vop3p::v_wmma_i32_16x16x16_iu4) => 2,
        _ => 8,
    };
    let lanes = w.lanes() as usize;
    let differs = |r: usize| (16..lanes).any(|l| w.lane(r, l) != w.lane(r, l & 15));
    (0..2).any(|k| (first(i.src[k])..).take(regs).any(differs))
}

/// The pass and register of C/D's matrix rows 2p and 2p + 1, counted from the operand's first register.
#[inline(always)]
fn place(w: &Wave, p: usize) -> (usize, usize) {
    if w.lanes() == 64 {
        (p & 1, p >> 1)
    } else {
        (0, p)
    }
}

/// A or B of a float form: `neg_lo` flips even k, `neg_hi` odd k.
fn operand<'w>(w: &'w Wave, i: &Instr, k: usize) -> Step<Operand<'w>> {
    let lo = if i.mods.neg_lo >> k & 1 == 1 { 0x8000 } else { 0 };
    let hi = if i.mods.neg_hi >> k & 1 == 1 { 0x8000_0000 } else { 0 };
    Ok(Operand {
        rows: rows(w, first(i.src[k]))?,
        flip: lo | hi,
    })
}

/// C; `neg_hi[2]` is abs and `neg_lo[2]` neg, applied to bits in `sign`.
#[inline(always)]
fn accumulator(w: &mut Wave, i: &Instr, sign: u32) -> Tile {
    let mut c: Tile = match i.src[2] {
        // The registers of a wave of 32 lanes hold the matrix row after row.
        Src::V(r) if w.lanes() == 32 => {
            let c: &[[u32; 16]] = bytemuck::cast_slice(w.vs(r.into(), 8));
            std::array::from_fn(|k| c[k])
        }
        Src::V(r) => gather(w, r.into()),
        Src::K(k) => [[k as u32; 16]; 16],
        _ => [[0; 16]; 16],
    };
    let keep = if i.mods.neg_hi >> 2 & 1 == 1 { !sign } else { u32::MAX };
    let flip = if i.mods.neg_lo >> 2 & 1 == 1 { sign } else { 0 };
    if (keep, flip) != (u32::MAX, 0) {
        c.iter_mut().flatten().for_each(|x| *x = (*x & keep) ^ flip);
    }
    c
}

/// C in the registers from `r` on of a wave of 64 lanes.
fn gather(w: &mut Wave, r: usize) -> Tile {
    let mut c = [[0; 16]; 16];
    for (p, pair) in c.chunks_exact_mut(2).enumerate() {
        let (half, v) = place(w, p);
        w.set_half(half);
        let (even, odd) = w.v(r + v).split_at(16);
        pair[0].copy_from_slice(even);
        pair[1].copy_from_slice(odd);
    }
    w.set_half(0);
    c
}

/// Writes D; `keep` are the bits of the old value that stay.
#[inline(always)]
fn store(w: &mut Wave, i: &Instr, d: &Tile, keep: u32) -> Step {
    let Dst::V(r) = i.dst[0] else { return Ok(()) };
    if keep == 0 && w.lanes() == 32 {
        *rows_mut::<8>(w, r.into())? = *bytemuck::cast_ref(d);
    } else {
        scatter(w, r.into(), d, keep);
    }
    Ok(())
}

fn scatter(w: &mut Wave, r: usize, d: &Tile, keep: u32) {
    for (p, pair) in d.chunks_exact(2).enumerate() {
        let (half, v) = place(w, p);
        w.set_half(half);
        for (old, new) in w.v_mut(r + v).iter_mut().zip(pair.iter().flatten()) {
            *old = (*old & keep) | new;
        }
    }
}

/// A x B + C with f32 accumulation; NaNs come out as the default NaN.
fn accumulate(w: &Wave, i: &Instr, half: Half, acc: &mut M16) -> Step {
    let (a, b) = (operand(w, i, 0)?, operand(w, i, 1)?);
    if w.numerics == Numerics::Fast {
        multiply(a, b, half, acc);
        return Ok(());
    }
    // As the card's adder does it: eight steps of two products.
    let split = |x: u32| [x as u16, (x >> 16) as u16];
    for (x, y) in a.rows.iter().zip(b.rows) {
        for (row, x) in acc.iter_mut().zip(x) {
            for (s, y) in row.iter_mut().zip(y) {
                *s = f32::from_bits(dot2(s.to_bits(), split(x ^ a.flip), split(y ^ b.flip), half));
            }
        }
    }
    Ok(())
}

fn f32_form(w: &mut Wave, i: &Instr, half: Half) -> Step {
    let mut c = accumulator(w, i, 0x8000_0000);
    accumulate(w, i, half, bytemuck::cast_mut(&mut c))?;
    store(w, i, &c, 0)
}

/// 16-bit C and D live in the half `op_sel[2]` names; the other half of D keeps its value.
fn half_form(w: &mut Wave, i: &Instr, half: Half) -> Step {
    let shift = 16 * (i.mods.op_sel >> 2 & 1);
    let mut c = accumulator(w, i, 0x8000_8000);
    let widen = |x: u32| match half {
        Half::F16 => f16_to_f32((x >> shift) as u16).to_bits(),
        Half::Bf16 => bf16_to_f32((x >> shift) as u16).to_bits(),
    };
    c.iter_mut().flatten().for_each(|x| *x = widen(*x));
    accumulate(w, i, half, bytemuck::cast_mut(&mut c))?;
    let narrow = |x: u32| match half {
        Half::F16 => u32::from(f32_to_f16_nearest(f32::from_bits(x))) << shift,
        Half::Bf16 => u32::from(f32_to_bf16(f32::from_bits(x))) << shift,
    };
    c.iter_mut().flatten().for_each(|x| *x = narrow(*x));
    store(w, i, &c, !(0xffff << shift))
}

/// iu8 and iu4: `neg_lo[k]` says that an operand's elements are signed; clamp saturates.
fn int_form<const BITS: u32>(w: &mut Wave, i: &Instr) -> Step {
    let mut c = accumulator(w, i, 0);
    let get = |k: usize| Integers {
        rows: w.vs(first(i.src[k]), BITS as usize / 2),
        signed: i.mods.neg_lo >> k & 1 == 1,
    };
    multiply_integers::<BITS>(get(0), get(1), i.mods.clamp, bytemuck::cast_mut(&mut c));
    store(w, i, &c, 0)
}
