//! WMMA: D = A x B + C on 16 x 16 x 16 tiles, wave32.
//!
//! Layout (AMD matrix instruction calculator, confirmed on silicon for C/D): A's row i lies in lane i, B's column j
//! in lane j, k along the registers; C/D element (i, j) lies in register i >> 1 of lane 16 * (i & 1) + j. Lanes
//! 16..31 must repeat A and B; the values of lanes 0..15 are used.
//!
//! Numerics, "fast" mode: the accumulator is f32 and takes the products in the order k = 0, 1, .. 15, product and sum
//! each rounded to nearest: `acc = acc + (a * b)`. Products of two f16 are exact in f32; products of two bf16 are
//! exact unless they leave the f32 range. 16-bit results are rounded once at the end. Silicon adds on a common grid
//! and may differ in the last bits; values whose partial sums are integers below 2^24 agree exactly. MODE is ignored.

use super::fma::{mac16, M16};
use super::lanes::each;
use super::Step;
use crate::num::{bf16_to_f32, f16_to_f32, f32_to_bf16, f32_to_f16, Round};
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

pub(super) fn exec(w: &mut Wave, i: &Instr, form: Form) -> Step {
    w.wmma += 1;
    let load = match form {
        Form::F32F16 | Form::F16F16 => operand_f16,
        Form::F32Bf16 | Form::Bf16Bf16 => operand_bf16,
        Form::I32Iu8 => return int_form(w, i, 8),
        Form::I32Iu4 => return int_form(w, i, 4),
    };
    let (a, b) = (load(w, i, 0), load(w, i, 1));
    match form {
        Form::F16F16 => half_form(w, i, &a, &b, f16_to_f32, |x| f32_to_f16(x, Round::Nearest)),
        Form::Bf16Bf16 => half_form(w, i, &a, &b, bf16_to_f32, f32_to_bf16),
        _ => f32_form(w, i, &a, &b),
    }
}

fn operand_f16(w: &Wave, i: &Instr, k: usize) -> M16 {
    operand(w, i, k, f16_to_f32)
}

fn operand_bf16(w: &Wave, i: &Instr, k: usize) -> M16 {
    operand(w, i, k, bf16_to_f32)
}

fn first(s: Src) -> usize {
    match s {
        Src::V(r) => usize::from(r),
        _ => 0,
    }
}

/// A or B as `m[k][lane]`, `neg_lo` on even k, `neg_hi` on odd k.
#[inline(always)]
fn operand(w: &Wave, i: &Instr, k: usize, to_f32: impl Fn(u16) -> f32) -> M16 {
    let base = first(i.src[k]);
    let mut m: M16 = [[0.0; 16]; 16];
    let (flip_lo, flip_hi) = (i.mods.neg_lo >> k & 1 == 1, i.mods.neg_hi >> k & 1 == 1);
    for v in 0..8 {
        let row = w.v(base + v);
        m[2 * v] = each(|l| to_f32(row[l] as u16));
        m[2 * v + 1] = each(|l| to_f32((row[l] >> 16) as u16));
        if flip_lo {
            m[2 * v].iter_mut().for_each(|x| *x = -*x);
        }
        if flip_hi {
            m[2 * v + 1].iter_mut().for_each(|x| *x = -*x);
        }
    }
    m
}

/// C as eight register rows, `neg_hi[2]` is abs and `neg_lo[2]` neg, applied to bits in `sign`.
fn accumulator(w: &Wave, i: &Instr, sign: u32) -> [Row; 8] {
    let keep = if i.mods.neg_hi >> 2 & 1 == 1 { !sign } else { u32::MAX };
    let flip = if i.mods.neg_lo >> 2 & 1 == 1 { sign } else { 0 };
    each(|v| {
        let row = match i.src[2] {
            Src::V(r) => *w.v(usize::from(r) + v),
            Src::K(k) => [k as u32; LANES],
            _ => [0; LANES],
        };
        row.map(|x| (x & keep) ^ flip)
    })
}

/// Register rows to a matrix: register v holds rows 2v and 2v + 1.
#[inline(always)]
fn to_matrix(c: &[Row; 8], f: impl Fn(u32) -> f32) -> M16 {
    let mut m = [[0.0; 16]; 16];
    for (v, row) in c.iter().enumerate() {
        m[2 * v] = each(|j| f(row[j]));
        m[2 * v + 1] = each(|j| f(row[16 + j]));
    }
    m
}

/// A matrix back to register rows; NaNs become the default NaN.
#[inline(always)]
fn to_rows(m: &M16) -> [Row; 8] {
    let mut rows = [[0; LANES]; 8];
    for (v, row) in rows.iter_mut().enumerate() {
        let (even, odd) = row.split_at_mut(16);
        even.iter_mut().zip(&m[2 * v]).for_each(|(r, x)| *r = canonical(*x));
        odd.iter_mut().zip(&m[2 * v + 1]).for_each(|(r, x)| *r = canonical(*x));
    }
    rows
}

fn store(w: &mut Wave, i: &Instr, d: &[Row; 8]) {
    if let Dst::V(r) = i.dst[0] {
        let r = usize::from(r);
        w.vs_mut(r, 8).copy_from_slice(d);
    }
}

/// A NaN accumulator becomes the default NaN.
fn canonical(x: f32) -> u32 {
    if x.is_nan() {
        0x7fc0_0000
    } else {
        x.to_bits()
    }
}

fn f32_form(w: &mut Wave, i: &Instr, a: &M16, b: &M16) -> Step {
    let mut acc = to_matrix(&accumulator(w, i, 0x8000_0000), f32::from_bits);
    mac16(a, b, &mut acc);
    let d = to_rows(&acc);
    store(w, i, &d);
    Ok(())
}

/// 16-bit C and D live in the half `op_sel[2]` names; the other half of D keeps its value.
fn half_form(w: &mut Wave, i: &Instr, a: &M16, b: &M16, load: impl Fn(u16) -> f32, round: impl Fn(f32) -> u16) -> Step {
    let shift = 16 * (i.mods.op_sel >> 2 & 1);
    let mut acc = to_matrix(&accumulator(w, i, 0x8000_8000), |x| load((x >> shift) as u16));
    mac16(a, b, &mut acc);
    let Dst::V(r) = i.dst[0] else { return Ok(()) };
    let r = usize::from(r);
    let new = to_rows(&acc);
    let d: [Row; 8] = each(|v| {
        let old = w.v(r + v);
        each(|l| (old[l] & !(0xffff << shift)) | u32::from(round(f32::from_bits(new[v][l]))) << shift)
    });
    store(w, i, &d);
    Ok(())
}

/// iu8 and iu4: `neg_lo[0]` and `neg_lo[1]` say that A and B are signed; clamp saturates.
fn int_form(w: &mut Wave, i: &Instr, bits: u32) -> Step {
    let per = 32 / bits;
    let get = |k: usize| -> [[i32; 16]; 16] {
        let (base, signed) = (first(i.src[k]), i.mods.neg_lo >> k & 1 == 1);
        each(|kk| {
            let (v, slot) = (kk as u32 / per, kk as u32 % per);
            each(|l| {
                let x = w.v(base + v as usize)[l] << (32 - bits - slot * bits);
                if signed {
                    x as i32 >> (32 - bits)
                } else {
                    (x >> (32 - bits)) as i32
                }
            })
        })
    };
    let (a, b) = (get(0), get(1));
    let c = accumulator(w, i, 0);
    let d: [Row; 8] = each(|v| {
        each(|l| {
            let (row, col) = (2 * v + (l >> 4), l & 15);
            let sum: i32 = (0..16).map(|k| a[k][row] * b[k][col]).sum();
            let c = c[v][l] as i32;
            (if i.mods.clamp {
                c.saturating_add(sum)
            } else {
                c.wrapping_add(sum)
            }) as u32
        })
    });
    store(w, i, &d);
    Ok(())
}
