//! Scalar floating point of gfx1150 and later: the vector unit's arithmetic on one value. Other cards' decoders do
//! not know these instructions.
//!
//! UNVERIFIED(hw): 16-bit results clear the upper half of their register.

use t0_backend_rdna3::isa::{Sop1, Sop2, Sopc};

use super::valu::{d, half1, half2, half_fma};
use super::{scalar32, Fault, Step};
use crate::num::{self, fma_dir, is_nan32, nan32, sum_odd, FpMode, Round};
use crate::program::{Dst, Instr};
use crate::wave::Wave;

fn put(w: &mut Wave, i: &Instr, v: u32) -> Step {
    if let Dst::S(r) = i.dst[0] {
        w.set_s(usize::from(r), v);
    }
    Ok(())
}

/// The old destination, for accumulation.
fn old(w: &Wave, i: &Instr) -> u32 {
    match i.dst[0] {
        Dst::S(r) => w.sgpr[usize::from(r) & 127],
        _ => 0,
    }
}

/// An exact (or rounded to odd) result of f32 operands.
fn round32(m: FpMode, y: f64, ops: &[u32]) -> u32 {
    if y.is_nan() {
        nan32(ops)
    } else {
        m.to32(y)
    }
}

fn two32(m: FpMode, a: u32, b: u32, exact: impl Fn(f64, f64) -> f64) -> u32 {
    round32(m, exact(d(m.in32(a)), d(m.in32(b))), &[a, b])
}

fn fma32(m: FpMode, a: u32, b: u32, c: u32) -> u32 {
    round32(
        m,
        fma_dir(m.round32, d(m.in32(a)), d(m.in32(b)), d(m.in32(c))),
        &[a, b, c],
    )
}

pub(super) fn sop2(w: &mut Wave, i: &Instr, op: Sop2) -> Step {
    use Sop2::*;
    let m = w.fp;
    let [a, b, c] = [0, 1, 2].map(|k| scalar32(w, i.src[k]));
    let (ha, hb) = (a as u16, b as u16);
    let minmax32 = |max| m.out32(num::minmax32(m.in32(a), m.in32(b), max, m.ieee));
    let minmax16 = |max| u32::from(m.out16(num::minmax16(m.in16(ha), m.in16(hb), max, m.ieee)));
    let v = match op {
        s_add_f32 => two32(m, a, b, |x, y| sum_odd(m.round32, x, y)),
        s_sub_f32 => two32(m, a, b, |x, y| sum_odd(m.round32, x, -y)),
        s_mul_f32 => two32(m, a, b, |x, y| x * y),
        s_min_f32 => minmax32(false),
        s_max_f32 => minmax32(true),
        // The literal stands where the assembler prints it: `fmamk` multiplies by it, `fmaak` adds it.
        s_fmaak_f32 | s_fmamk_f32 => fma32(m, a, b, c),
        s_fmac_f32 => fma32(m, a, b, old(w, i)),
        s_cvt_pk_rtz_f16_f32 => {
            let h = |v: u32| u32::from(m.out16(num::f32_to_f16(f32::from_bits(m.in32(v)), Round::Zero)));
            h(a) | h(b) << 16
        }
        s_add_f16 => half2(m, ha, hb, |x, y| sum_odd(m.round16, x, y)).into(),
        s_sub_f16 => half2(m, ha, hb, |x, y| sum_odd(m.round16, x, -y)).into(),
        s_mul_f16 => half2(m, ha, hb, |x, y| x * y).into(),
        s_min_f16 => minmax16(false),
        s_max_f16 => minmax16(true),
        s_fmac_f16 => half_fma(m, ha, hb, old(w, i) as u16).into(),
        _ => return Err(Fault::rule("not a scalar floating-point instruction")),
    };
    put(w, i, v)
}

/// An f32 operation of one operand that does not round.
fn one32(m: FpMode, a: u32, op: impl Fn(f32) -> f32) -> u32 {
    if is_nan32(a) {
        nan32(&[a])
    } else {
        m.out32(op(f32::from_bits(m.in32(a))).to_bits())
    }
}

pub(super) fn sop1(w: &mut Wave, i: &Instr, op: Sop1) -> Step {
    use Sop1::*;
    let m = w.fp;
    let a = scalar32(w, i.src[0]);
    let h = a as u16;
    let widen = |h: u16| m.out32(num::f16_to_f32(m.in16(h)).to_bits());
    let v = match op {
        s_ceil_f32 => one32(m, a, f32::ceil),
        s_floor_f32 => one32(m, a, f32::floor),
        s_trunc_f32 => one32(m, a, f32::trunc),
        s_rndne_f32 => one32(m, a, f32::round_ties_even),
        s_cvt_f32_i32 => m.to32(f64::from(a as i32)),
        s_cvt_f32_u32 => m.to32(f64::from(a)),
        s_cvt_i32_f32 => d(m.in32(a)) as i32 as u32,
        s_cvt_u32_f32 => d(m.in32(a)) as u32,
        s_cvt_f16_f32 if is_nan32(a) => num::narrow(d(a), num::F16, Round::Nearest),
        s_cvt_f16_f32 => m.to16(d(m.in32(a))).into(),
        s_cvt_f32_f16 => widen(h),
        s_cvt_hi_f32_f16 => widen((a >> 16) as u16),
        s_ceil_f16 => half1(m, h, f64::ceil).into(),
        s_floor_f16 => half1(m, h, f64::floor).into(),
        s_trunc_f16 => half1(m, h, f64::trunc).into(),
        s_rndne_f16 => half1(m, h, f64::round_ties_even).into(),
        _ => return Err(Fault::rule("not a scalar floating-point instruction")),
    };
    put(w, i, v)
}

/// The relation of a scalar floating-point compare.
#[allow(clippy::neg_cmp_op_on_partial_ord)] // The negation is the point: it is true for NaN.
pub(super) fn compare(w: &Wave, i: &Instr, op: Sopc) -> bool {
    use Sopc::*;
    let m = w.fp;
    let [a, b] = [0, 1].map(|k| {
        let v = scalar32(w, i.src[k]);
        if op as u32 >= s_cmp_lt_f16 as u32 {
            num::f16_to_f64(m.in16(v as u16))
        } else {
            d(m.in32(v))
        }
    });
    let unordered = a.is_nan() || b.is_nan();
    match op {
        s_cmp_lt_f32 | s_cmp_lt_f16 => a < b,
        s_cmp_eq_f32 | s_cmp_eq_f16 => a == b,
        s_cmp_le_f32 | s_cmp_le_f16 => a <= b,
        s_cmp_gt_f32 | s_cmp_gt_f16 => a > b,
        s_cmp_lg_f32 | s_cmp_lg_f16 => !unordered && a != b,
        s_cmp_ge_f32 | s_cmp_ge_f16 => a >= b,
        s_cmp_o_f32 | s_cmp_o_f16 => !unordered,
        s_cmp_u_f32 | s_cmp_u_f16 => unordered,
        s_cmp_nge_f32 | s_cmp_nge_f16 => !(a >= b),
        s_cmp_nlg_f32 | s_cmp_nlg_f16 => unordered || a == b,
        s_cmp_ngt_f32 | s_cmp_ngt_f16 => !(a > b),
        s_cmp_nle_f32 | s_cmp_nle_f16 => !(a <= b),
        s_cmp_neq_f32 | s_cmp_neq_f16 => a != b,
        s_cmp_nlt_f32 | s_cmp_nlt_f16 => !(a < b),
        _ => false,
    }
}
