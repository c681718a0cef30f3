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

use super::fma::{f16_matrix, mac16, mac16_i16, tiled, Pairs, M16};
use super::lanes::each;
use super::Step;
use crate::num::dot::{dot2, Half};
use crate::num::{bf16_to_f32, f16_to_f32, f32_to_bf16, f32_to_f16_nearest, Numerics};
use crate::program::{Dst, Instr, Src};
use crate::wave::{Row, Wave, LANES};

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

/// 16 rows of C or D as the registers hold them: two matrix rows in 32 lanes.
type Tile = [Row; 8];

pub(super) fn exec(w: &mut Wave, i: &Instr, form: Form) -> Step {
    w.wmma += 1;
    match form {
        Form::F32F16 => f32_form(w, i, Half::F16),
        Form::F32Bf16 => f32_form(w, i, Half::Bf16),
        Form::F16F16 => half_form(w, i, Half::F16),
        Form::Bf16Bf16 => half_form(w, i, Half::Bf16),
        Form::I32Iu8 => int_form(w, i, 8),
        Form::I32Iu4 => int_form(w, i, 4),
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

/// The dwords of A or B in lanes 0..=15 of the operand's register `v`, with the sign modifiers of float operands.
#[inline(always)]
fn operand(w: &Wave, i: &Instr, k: usize, v: usize) -> [u32; 16] {
    let lo = if i.mods.neg_lo >> k & 1 == 1 { 0x8000 } else { 0 };
    let hi = if i.mods.neg_hi >> k & 1 == 1 { 0x8000_0000 } else { 0 };
    let row = w.v(first(i.src[k]) + v);
    each(|l| row[l] ^ (lo | hi))
}

/// A or B as `m[k][lane]`: even k in the low halves (`neg_lo`), odd k in the high ones (`neg_hi`).
#[inline(always)]
fn matrix(w: &Wave, i: &Instr, k: usize, half: Half) -> M16 {
    let rows: [[u32; 16]; 8] = each(|v| operand(w, i, k, v));
    match half {
        Half::F16 => f16_matrix(&rows),
        Half::Bf16 => {
            let mut m: M16 = [[0.0; 16]; 16];
            for (row, pair) in rows.iter().zip(m.chunks_exact_mut(2)) {
                pair[0] = each(|l| f32::from_bits(row[l] << 16));
                pair[1] = each(|l| f32::from_bits(row[l] & 0xffff_0000));
            }
            m
        }
    }
}

/// C, `neg_hi[2]` is abs and `neg_lo[2]` neg, applied to bits in `sign`.
fn accumulator(w: &mut Wave, i: &Instr, sign: u32) -> Tile {
    let keep = if i.mods.neg_hi >> 2 & 1 == 1 { !sign } else { u32::MAX };
    let flip = if i.mods.neg_lo >> 2 & 1 == 1 { sign } else { 0 };
    let mut c = [[0; LANES]; 8];
    for (p, c) in c.iter_mut().enumerate() {
        *c = match i.src[2] {
            Src::V(r) => {
                let (half, v) = place(w, p);
                w.set_half(half);
                *w.v(usize::from(r) + v)
            }
            Src::K(k) => [k as u32; LANES],
            _ => [0; LANES],
        };
        c.iter_mut().for_each(|x| *x = (*x & keep) ^ flip);
    }
    w.set_half(0);
    c
}

/// The tile as a matrix: a row of 32 lanes is two matrix rows.
#[inline(always)]
fn to_matrix<T: Copy + Default>(c: &Tile, f: impl Fn(u32) -> T) -> M16<T> {
    let mut m = [[T::default(); 16]; 16];
    for (p, row) in c.iter().enumerate() {
        m[2 * p] = each(|j| f(row[j]));
        m[2 * p + 1] = each(|j| f(row[16 + j]));
    }
    m
}

/// A matrix back to rows of 32 lanes.
#[inline(always)]
fn to_tile<T: Copy>(m: &M16<T>, f: impl Fn(T) -> u32) -> Tile {
    let mut d = [[0; LANES]; 8];
    for (p, row) in d.iter_mut().enumerate() {
        let (even, odd) = row.split_at_mut(16);
        even.iter_mut().zip(&m[2 * p]).for_each(|(r, x)| *r = f(*x));
        odd.iter_mut().zip(&m[2 * p + 1]).for_each(|(r, x)| *r = f(*x));
    }
    d
}

/// Writes D; `keep` are the bits of the old value that stay.
fn store(w: &mut Wave, i: &Instr, d: &Tile, keep: u32) {
    let Dst::V(r) = i.dst[0] else { return };
    for (p, row) in d.iter().enumerate() {
        let (half, v) = place(w, p);
        w.set_half(half);
        let old = w.v_mut(usize::from(r) + v);
        old.iter_mut()
            .zip(row)
            .for_each(|(old, new)| *old = (*old & keep) | new);
    }
}

/// A NaN accumulator becomes the default NaN.
#[inline(always)]
fn canonical(x: f32) -> u32 {
    if x.is_nan() {
        0x7fc0_0000
    } else {
        x.to_bits()
    }
}

/// A x B + C with f32 accumulation.
#[inline(always)]
fn multiply(w: &Wave, i: &Instr, half: Half, acc: &mut M16) {
    if w.numerics == Numerics::Silicon {
        return multiply_silicon(w, i, half, acc);
    }
    let (a, b) = tiled(|| (matrix(w, i, 0, half), matrix(w, i, 1, half)));
    mac16(&a, &b, acc);
}

/// As the card's adder does it: eight steps of two products.
fn multiply_silicon(w: &Wave, i: &Instr, half: Half, acc: &mut M16) {
    let split = |x: u32| [x as u16, (x >> 16) as u16];
    for v in 0..8 {
        let (a, b) = (operand(w, i, 0, v), operand(w, i, 1, v));
        for (row, &a) in acc.iter_mut().zip(&a) {
            for (x, &b) in row.iter_mut().zip(&b) {
                *x = f32::from_bits(dot2(x.to_bits(), split(a), split(b), half));
            }
        }
    }
}

fn f32_form(w: &mut Wave, i: &Instr, half: Half) {
    let c = accumulator(w, i, 0x8000_0000);
    let mut acc = to_matrix(&c, f32::from_bits);
    multiply(w, i, half, &mut acc);
    let d = tiled(|| to_tile(&acc, canonical));
    store(w, i, &d, 0);
}

/// 16-bit C and D live in the half `op_sel[2]` names; the other half of D keeps its value.
fn half_form(w: &mut Wave, i: &Instr, half: Half) {
    let shift = 16 * (i.mods.op_sel >> 2 & 1);
    let c = accumulator(w, i, 0x8000_8000);
    let mut acc = tiled(|| match half {
        Half::F16 => to_matrix(&c, |x| f16_to_f32((x >> shift) as u16)),
        Half::Bf16 => to_matrix(&c, |x| bf16_to_f32((x >> shift) as u16)),
    });
    multiply(w, i, half, &mut acc);
    let default = |x: f32| f32::from_bits(canonical(x));
    let d = tiled(|| match half {
        Half::F16 => to_tile(&acc, |x| u32::from(f32_to_f16_nearest(default(x))) << shift),
        Half::Bf16 => to_tile(&acc, |x| u32::from(f32_to_bf16(default(x))) << shift),
    });
    store(w, i, &d, !(0xffff << shift));
}

/// A or B of an integer form as pairs of 16-bit integers; `neg_lo[k]` says that the elements are signed.
#[inline(always)]
fn pairs(w: &Wave, i: &Instr, k: usize, bits: u32) -> Pairs {
    let signed = i.mods.neg_lo >> k & 1 == 1;
    let (base, per) = (first(i.src[k]), 16 / bits as usize);
    each(|p| {
        let (row, slot) = (w.v(base + p / per), (p % per) as u32);
        let get = |x: u32, at: u32| {
            let top = x << (32 - bits - at * bits);
            if signed {
                (top as i32 >> (32 - bits)) as u32
            } else {
                top >> (32 - bits)
            }
        };
        each(|l| get(row[l], 2 * slot) & 0xffff | get(row[l], 2 * slot + 1) << 16)
    })
}

/// iu8 and iu4; clamp saturates.
fn int_form(w: &mut Wave, i: &Instr, bits: u32) {
    let c = accumulator(w, i, 0);
    let (a, b) = tiled(|| (pairs(w, i, 0, bits), pairs(w, i, 1, bits)));
    let sum = mac16_i16(&a, &b);
    let d = tiled(|| {
        let sum = to_tile(&sum, |x| x as u32);
        each(|p| {
            each(|l| {
                let (c, sum) = (c[p][l] as i32, sum[p][l] as i32);
                (if i.mods.clamp {
                    c.saturating_add(sum)
                } else {
                    c.wrapping_add(sum)
                }) as u32
            })
        })
    });
    store(w, i, &d, 0);
}
