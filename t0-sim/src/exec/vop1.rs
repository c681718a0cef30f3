//! VOP1. Semantics: RDNA3 ISA manual 16.9.

use t0_backend_rdna3::isa::Vop1;

use super::lanes::{each, Lanes};
use super::valu::d;
use super::{double, Fault, Step};
use crate::num::{self, Trans};
use crate::program::{Dst, Instr, Src};
use crate::wave::{Wave, M0};

pub(super) fn exec(w: &mut Wave, i: &Instr, op: Vop1) -> Step {
    use Vop1::*;
    let mut x = Lanes::new(w, i);
    match op {
        v_nop | v_pipeflush => Ok(()),
        v_mov_b16 => {
            let a = x.s16(0);
            x.put16(&a);
            Ok(())
        }
        v_movrels_b32 | v_movreld_b32 | v_movrelsd_b32 | v_movrelsd_2_b32 => move_relative(&mut x, op),
        v_swaprel_b32 => {
            let (d, s) = (relative(&x, true, 16, 0x3ff)?, relative(&x, false, 0, 0x3ff)?);
            swap(&mut x, d, s)
        }
        v_mov_b32 => x.u1(|a| a),
        v_readfirstlane_b32 => read_first_lane(&mut x),
        v_swap_b32 => {
            let (d, s) = (relative(&x, true, 0, 0)?, relative(&x, false, 0, 0)?);
            swap(&mut x, d, s)
        }
        v_permlane64_b32 => permlane64(&mut x),
        v_cvt_f32_i32 => from_int(&mut x, |a| f64::from(a as i32)),
        v_cvt_f32_u32 => from_int(&mut x, f64::from),
        v_cvt_f32_ubyte0 => from_int(&mut x, |a| f64::from(a & 255)),
        v_cvt_f32_ubyte1 => from_int(&mut x, |a| f64::from(a >> 8 & 255)),
        v_cvt_f32_ubyte2 => from_int(&mut x, |a| f64::from(a >> 16 & 255)),
        v_cvt_f32_ubyte3 => from_int(&mut x, |a| f64::from(a >> 24)),
        v_cvt_off_f32_i4 => from_int(&mut x, |a| f64::from((a as i32) << 28 >> 28) / 16.0),
        v_cvt_u32_f32 => to_int(&mut x, |a| a as u32),
        v_cvt_i32_f32 => to_int(&mut x, |a| a as i32 as u32),
        v_cvt_nearest_i32_f32 => to_int(&mut x, |a| (a + 0.5).floor() as i32 as u32),
        v_cvt_floor_i32_f32 => to_int(&mut x, |a| a.floor() as i32 as u32),
        v_cvt_f16_f32 => {
            let (a, m) = (x.s32(0), x.fp);
            let r = a.map(|b| {
                let v = d(m.in32(b));
                // Directed rounding of this conversion follows the f16 field of MODE.
                if v.is_nan() {
                    (num::narrow(v, num::F16, num::Round::Nearest)) as u16
                } else {
                    m.to16(v)
                }
            });
            x.putf16(&r);
            Ok(())
        }
        v_cvt_f32_f16 => {
            let (a, m) = (x.s16(0), x.fp);
            x.putf32(&each(|l| m.out32(num::f16_to_f32(m.in16(a[l])).to_bits())));
            Ok(())
        }
        v_cvt_f32_f64 => {
            let (a, m) = (x.f64src(0), x.fp);
            x.putf32(&a.map(|v| m.to32(v)));
            Ok(())
        }
        v_cvt_f64_f32 => {
            let (a, m) = (x.s32(0), x.fp);
            x.putf64(&a.map(|b| d(m.in32(b)).to_bits()));
            Ok(())
        }
        v_cvt_f64_i32 => {
            let a = x.s32(0);
            x.putf64(&a.map(|b| f64::from(b as i32).to_bits()));
            Ok(())
        }
        v_cvt_f64_u32 => {
            let a = x.s32(0);
            x.putf64(&a.map(|b| f64::from(b).to_bits()));
            Ok(())
        }
        v_cvt_i32_f64 => {
            let a = x.f64src(0);
            x.put32(&a.map(|v| v as i32 as u32));
            Ok(())
        }
        v_cvt_u32_f64 => {
            let a = x.f64src(0);
            x.put32(&a.map(|v| v as u32));
            Ok(())
        }
        v_trunc_f64 => x.d1(f64::trunc),
        v_ceil_f64 => x.d1(f64::ceil),
        v_rndne_f64 => x.d1(f64::round_ties_even),
        v_floor_f64 => x.d1(f64::floor),
        v_fract_f64 => x.d64(1, |v, r| {
            let floor = f64::from_bits(v[0]).floor();
            match double::add(v[0], (-floor).to_bits(), r) {
                0x3ff0_0000_0000_0000 => 0x3fef_ffff_ffff_ffff,
                r => r,
            }
        }),
        // First approximations for software to refine: 2^29 ulp on the card, exact or within 1 ulp here.
        v_rcp_f64 => x.d1(|v| 1.0 / v),
        v_rsq_f64 => x.d1(|v| 1.0 / v.sqrt()),
        v_sqrt_f64 => x.d1(f64::sqrt),
        v_frexp_exp_i32_f64 => {
            let a = x.f64src(0);
            x.put32(&a.map(|v| frexp64(v).1 as u32));
            Ok(())
        }
        v_frexp_mant_f64 => x.d1(|v| frexp64(v).0),
        v_fract_f32 => x.fract32(),
        v_trunc_f32 => x.f1(f32::trunc),
        v_ceil_f32 => x.f1(f32::ceil),
        v_rndne_f32 => x.f1(f32::round_ties_even),
        v_floor_f32 => x.f1(f32::floor),
        v_exp_f32 => x.trans32(Trans::Exp),
        v_log_f32 => x.trans32(Trans::Log),
        v_rcp_f32 | v_rcp_iflag_f32 => x.trans32(Trans::Rcp),
        v_rsq_f32 => x.trans32(Trans::Rsq),
        v_sqrt_f32 => x.trans32(Trans::Sqrt),
        v_sin_f32 => x.trans32(Trans::Sin),
        v_cos_f32 => x.trans32(Trans::Cos),
        v_not_b32 => x.u1(|a| !a),
        v_bfrev_b32 => x.u1(u32::reverse_bits),
        v_clz_i32_u32 => x.u1(|a| if a == 0 { u32::MAX } else { a.leading_zeros() }),
        v_ctz_i32_b32 => x.u1(|a| if a == 0 { u32::MAX } else { a.trailing_zeros() }),
        v_cls_i32 => x.u1(super::salu::cls32),
        v_frexp_exp_i32_f32 => {
            let (a, m) = (x.s32(0), x.fp);
            x.put32(&a.map(|b| num::frexp_exp32(m.in32(b)) as u32));
            Ok(())
        }
        v_frexp_mant_f32 => x.fb1(num::frexp_mant32),
        v_cvt_f16_u16 => int_to_half(&mut x, f64::from),
        v_cvt_f16_i16 => int_to_half(&mut x, |h| f64::from(h as i16)),
        v_cvt_u16_f16 => half_to_int(&mut x, |v| v as u16),
        v_cvt_i16_f16 => half_to_int(&mut x, |v| v as i16 as u16),
        v_cvt_norm_i16_f16 => half_to_int(&mut x, |v| snorm16(v) as u16),
        v_cvt_norm_u16_f16 => half_to_int(&mut x, unorm16),
        v_rcp_f16 => x.trans16(Trans::Rcp),
        v_sqrt_f16 => x.trans16(Trans::Sqrt),
        v_rsq_f16 => x.trans16(Trans::Rsq),
        v_log_f16 => x.trans16(Trans::Log),
        v_exp_f16 => x.trans16(Trans::Exp),
        v_sin_f16 => x.trans16(Trans::Sin),
        v_cos_f16 => x.trans16(Trans::Cos),
        v_frexp_mant_f16 => x.hf1(|v| frexp64(v).0),
        v_frexp_exp_i16_f16 => half_to_int(&mut x, |v| frexp64(v).1 as u16),
        v_floor_f16 => x.hf1(f64::floor),
        v_ceil_f16 => x.hf1(f64::ceil),
        v_trunc_f16 => x.hf1(f64::trunc),
        v_rndne_f16 => x.hf1(f64::round_ties_even),
        v_fract_f16 => x.fract16(),
        v_sat_pk_u8_i16 => {
            let a = x.raw(0);
            let sat = |h: u32| (h as u16 as i16).clamp(0, 255) as u16;
            x.put16(&a.map(|v| sat(v) | sat(v >> 16) << 8));
            Ok(())
        }
        v_not_b16 => {
            let a = x.s16(0);
            x.put16(&a.map(|h| !h));
            Ok(())
        }
        v_cvt_i32_i16 => {
            let a = x.s16(0);
            x.put32(&a.map(|h| h as i16 as u32));
            Ok(())
        }
        v_cvt_u32_u16 => {
            let a = x.s16(0);
            x.put32(&a.map(u32::from));
            Ok(())
        }
    }
}

/// The lowest active lane, or lane 0 when none is.
fn read_first_lane(x: &mut Lanes) -> Step {
    let exec = x.w.whole_exec();
    let lane = if exec == 0 { 0 } else { exec.trailing_zeros() as usize };
    let v = x.lane(0, lane);
    if let Dst::S(r) = x.i.dst[0] {
        x.w.set_s(usize::from(r), v);
    }
    Ok(())
}

/// Exchanges lanes 0..=31 and 32..=63; does nothing in a wave of 32 lanes.
fn permlane64(x: &mut Lanes) -> Step {
    let (Dst::V(d), Src::V(s), 64) = (x.i.dst[0], x.i.src[0], x.w.lanes()) else {
        return Ok(());
    };
    let (d, s, exec) = (usize::from(d), usize::from(s), x.w.whole_exec());
    for l in 0..32 {
        let (lo, hi) = (x.w.lane(s, l), x.w.lane(s, l + 32));
        if exec >> l & 1 == 1 {
            x.w.set_lane(d, l, hi);
        }
        if exec >> (l + 32) & 1 == 1 {
            x.w.set_lane(d, l + 32, lo);
        }
    }
    Ok(())
}

fn swap(x: &mut Lanes, p: usize, q: usize) -> Step {
    let (a, b) = (*x.w.v(p), *x.w.v(q));
    x.put(p, &b);
    x.put(q, &a);
    Ok(())
}

/// The destination (or source) register an instruction names, moved by the field of M0 at `shift`.
fn relative(x: &Lanes, dst: bool, shift: u32, mask: u32) -> Step<usize> {
    let first = match (dst, x.i.dst[0], x.i.src[0]) {
        (true, Dst::V(r), _) | (false, _, Src::V(r)) => r,
        _ => return Err(Fault::rule("a relative move and a swap need VGPRs")),
    };
    let m0 = x.w.sgpr[M0];
    let at = u64::from(first) + u64::from(m0 >> shift & mask);
    if at >= u64::from(x.w.vgprs()) {
        return Err(Fault::rule(format!(
            "M0 ({m0:#x}) leads from v{first} to v{at}, outside of the {} VGPRs the kernel descriptor allocates",
            x.w.vgprs()
        )));
    }
    Ok(at as usize)
}

/// V_MOVREL*: M0 moves the source, the destination, or both; in the `_2` form each by its own field.
fn move_relative(x: &mut Lanes, op: Vop1) -> Step {
    use Vop1::*;
    let whole = (0, u32::MAX);
    let (to, from) = match op {
        v_movrels_b32 => (None, Some(whole)),
        v_movreld_b32 => (Some(whole), None),
        v_movrelsd_b32 => (Some(whole), Some(whole)),
        _ => (Some((16, 0x3ff)), Some((0, 0x3ff))),
    };
    let row = match from {
        Some((shift, mask)) => *x.w.v(relative(x, false, shift, mask)?),
        None => x.raw(0),
    };
    let (shift, mask) = to.unwrap_or((0, 0));
    let d = relative(x, true, shift, mask)?;
    x.put(d, &row);
    Ok(())
}

/// Integer to f32, rounded under MODE.
fn from_int(x: &mut Lanes, op: impl Fn(u32) -> f64) -> Step {
    let (a, m) = (x.s32(0), x.fp);
    // Rounding to nearest is the host's own conversion.
    let r = if m.round32 == num::Round::Nearest {
        each(|l| (op(a[l]) as f32).to_bits())
    } else {
        each(|l| m.to32(op(a[l])))
    };
    x.putf32(&r);
    Ok(())
}

/// f32 to integer, saturating; NaN gives 0. Rust's `as` is the hardware's rule. Computed in f64, so that the `+ 0.5`
/// of `v_cvt_nearest` does not round.
fn to_int(x: &mut Lanes, op: impl Fn(f64) -> u32) -> Step {
    let (a, m) = (x.s32(0), x.fp);
    x.put32(&each(|l| op(d(m.in32(a[l])))));
    Ok(())
}

fn int_to_half(x: &mut Lanes, op: impl Fn(u16) -> f64) -> Step {
    let (a, m) = (x.s16(0), x.fp);
    x.putf16(&a.map(|h| m.to16(op(h))));
    Ok(())
}

fn half_to_int(x: &mut Lanes, op: impl Fn(f64) -> u16) -> Step {
    let (a, m) = (x.s16(0), x.fp);
    x.put16(&a.map(|h| op(num::f16_to_f64(m.in16(h)))));
    Ok(())
}

/// Signed normalised 16-bit: [-1, 1] to [-32767, 32767], nearest.
pub(super) fn snorm16(v: f64) -> i16 {
    (v.clamp(-1.0, 1.0) * 32767.0).round_ties_even() as i16
}

/// Unsigned normalised 16-bit: [0, 1] to [0, 65535], nearest.
pub(super) fn unorm16(v: f64) -> u16 {
    (v.clamp(0.0, 1.0) * 65535.0).round_ties_even() as u16
}

/// Mantissa in [0.5, 1) and exponent; specials pass with exponent 0.
pub(super) fn frexp64(v: f64) -> (f64, i32) {
    if v == 0.0 || !v.is_finite() {
        return (v, 0);
    }
    // A factor of 2^64 normalises denormals exactly.
    let (v, bias) = if v.abs() < f64::MIN_POSITIVE {
        (v * num::pow2(64), 64)
    } else {
        (v, 0)
    };
    let e = ((v.to_bits() >> 52) & 0x7ff) as i32 - 1022;
    (f64::from_bits((v.to_bits() & !(0x7ff << 52)) | 1022 << 52), e - bias)
}
