//! VOP3 and VOP3SD. Semantics: RDNA3 ISA manual 16.11.

use t0_backend_rdna3::isa::{Vop3, Vop3sd};

use super::double;
use super::lanes::{each, lane_mask, Lanes, Row64};
use super::valu::{d, half_fma, i24, in64, out64, u24};
use super::vop1::{snorm16, unorm16};
use super::Step;
use crate::num::{self, bf16_to_f32, is_nan32, FpMode};
use crate::program::{Dst, Instr, Src};
use crate::wave::{Row, Wave, LANES};

pub(super) fn exec(w: &mut Wave, i: &Instr, op: Vop3) -> Step {
    use Vop3::*;
    let mut x = Lanes::new(w, i);
    let (clamp, fp) = (i.mods.clamp, x.fp);
    let add = move |a: u32, b: u32| if clamp { a.saturating_add(b) } else { a.wrapping_add(b) };
    match op {
        v_fma_f32 => x.fma3(),
        v_fma_dx9_zero_f32 => {
            let (a, b, c) = (x.s32(0), x.s32(1), x.s32(2));
            x.fma_dx9(&a, &b, &c)
        }
        v_fma_f64 => x.d64(3, |v, r| double::fma(v[0], v[1], v[2], r)),
        v_add_f64 => x.d64(2, |v, r| double::add(v[0], v[1], r)),
        v_mul_f64 => x.d64(2, |v, r| double::mul(v[0], v[1], r)),
        v_min_f64 => minmax64(&mut x, false),
        v_max_f64 => minmax64(&mut x, true),
        v_ldexp_f64 => ldexp64(&mut x),
        v_mad_i32_i24 => x.u3(|a, b, c| {
            let t = i64::from(i24(a)) * i64::from(i24(b)) + i64::from(c as i32);
            if clamp {
                t.clamp(i32::MIN.into(), i32::MAX.into()) as u32
            } else {
                t as u32
            }
        }),
        v_mad_u32_u24 => x.u3(|a, b, c| {
            let t = u64::from(u24(a)) * u64::from(u24(b)) + u64::from(c);
            if clamp {
                t.min(u32::MAX.into()) as u32
            } else {
                t as u32
            }
        }),
        v_bfe_u32 => x.u3(|a, b, c| (a >> (b & 31)) & ((1u32 << (c & 31)) - 1)),
        v_bfe_i32 => x.u3(|a, b, c| {
            let n = c & 31;
            if n == 0 {
                0
            } else {
                (((a as i32) >> (b & 31)) << (32 - n) >> (32 - n)) as u32
            }
        }),
        v_bfi_b32 => x.u3(|a, b, c| (a & b) | (!a & c)),
        v_lerp_u8 => x.u3(|a, b, c| bytes(|k| ((byte(a, k) + byte(b, k) + (byte(c, k) & 1)) >> 1) << (8 * k))),
        v_alignbit_b32 => x.u3(|a, b, c| ((u64::from(a) << 32 | u64::from(b)) >> (c & 31)) as u32),
        v_alignbyte_b32 => x.u3(|a, b, c| ((u64::from(a) << 32 | u64::from(b)) >> (8 * (c & 3))) as u32),
        v_min3_f32 | v_max3_f32 | v_med3_f32 | v_maxmin_f32 | v_minmax_f32 => three_f32(&mut x, op),
        v_min3_f16 | v_max3_f16 | v_med3_f16 | v_maxmin_f16 | v_minmax_f16 => three_f16(&mut x, op),
        v_min3_i32 => x.u3(|a, b, c| (a as i32).min(b as i32).min(c as i32) as u32),
        v_max3_i32 => x.u3(|a, b, c| (a as i32).max(b as i32).max(c as i32) as u32),
        v_med3_i32 => x.u3(|a, b, c| med(a as i32, b as i32, c as i32) as u32),
        v_min3_u32 => x.u3(|a, b, c| a.min(b).min(c)),
        v_max3_u32 => x.u3(|a, b, c| a.max(b).max(c)),
        v_med3_u32 => x.u3(med),
        v_maxmin_u32 => x.u3(|a, b, c| a.max(b).min(c)),
        v_minmax_u32 => x.u3(|a, b, c| a.min(b).max(c)),
        v_maxmin_i32 => x.u3(|a, b, c| (a as i32).max(b as i32).min(c as i32) as u32),
        v_minmax_i32 => x.u3(|a, b, c| (a as i32).min(b as i32).max(c as i32) as u32),
        v_min3_i16 => x.h3(|a, b, c| (a as i16).min(b as i16).min(c as i16) as u16),
        v_max3_i16 => x.h3(|a, b, c| (a as i16).max(b as i16).max(c as i16) as u16),
        v_med3_i16 => x.h3(|a, b, c| med(a as i16, b as i16, c as i16) as u16),
        v_min3_u16 => x.h3(|a, b, c| a.min(b).min(c)),
        v_max3_u16 => x.h3(|a, b, c| a.max(b).max(c)),
        v_med3_u16 => x.h3(med),
        v_sad_u8 => x.u3(|a, b, c| sum(c, sad8(a, b), clamp)),
        v_sad_hi_u8 => x.u3(|a, b, c| sum(c, sad8(a, b) << 16, clamp)),
        v_sad_u16 => x.u3(|a, b, c| {
            let t = (a & 0xffff).abs_diff(b & 0xffff) + (a >> 16).abs_diff(b >> 16);
            sum(c, t, clamp)
        }),
        v_sad_u32 => x.u3(|a, b, c| sum(c, a.abs_diff(b), clamp)),
        v_msad_u8 => x.u3(|a, b, c| sum(c, msad8(a, b), clamp)),
        v_mullit_f32 => {
            let (a, b, c, m) = (x.s32(0), x.s32(1), x.s32(2), x.fp);
            let r = each(|l| mullit(m, a[l], b[l], c[l]));
            x.putf32(&r);
            Ok(())
        }
        v_cvt_pk_u8_f32 => {
            let (a, b, c, m) = (x.s32(0), x.s32(1), x.s32(2), x.fp);
            let r = each(|l| {
                let at = 8 * (b[l] & 3);
                // UNVERIFIED(hw): truncates like the other conversions to integer.
                (c[l] & !(0xff << at)) | u32::from(d(m.in32(a[l])) as u8) << at
            });
            x.put32(&r);
            Ok(())
        }
        v_div_fixup_f32 => {
            let (a, b, c, m) = (x.s32(0), x.s32(1), x.s32(2), x.fp);
            let r = each(|l| m.out32(num::div_fixup32(m.in32(a[l]), m.in32(b[l]), m.in32(c[l]))));
            x.putf32(&r);
            Ok(())
        }
        v_div_fixup_f16 => {
            let (a, b, c, m) = (x.s16(0), x.s16(1), x.s16(2), x.fp);
            let r = each(|l| m.out16(num::div_fixup16(m.in16(a[l]), m.in16(b[l]), m.in16(c[l]))));
            x.putf16(&r);
            Ok(())
        }
        v_div_fmas_f32 => {
            let (a, b, c, m, vcc) = (x.s32(0), x.s32(1), x.s32(2), x.fp, x.vcc());
            let r = each(|l| num::div_fmas32(m.in32(a[l]), m.in32(b[l]), m.in32(c[l]), vcc >> l & 1 == 1, m));
            x.putf32(&r);
            Ok(())
        }
        v_div_fixup_f64 => {
            let (a, b, c, m) = (x.s64(0), x.s64(1), x.s64(2), x.fp);
            let r = each(|l| out64(m, double::div_fixup(in64(m, a[l]), in64(m, b[l]), in64(m, c[l]))));
            x.putf64(&r);
            Ok(())
        }
        v_div_fmas_f64 => {
            let (a, b, c, m, vcc) = (x.s64(0), x.s64(1), x.s64(2), x.fp, x.vcc());
            let r = each(|l| {
                let [a, b, c] = [a[l], b[l], c[l]].map(|v| in64(m, v));
                out64(m, double::div_fmas(a, b, c, vcc >> l & 1 == 1, m.round16))
            });
            x.putf64(&r);
            Ok(())
        }
        v_cubeid_f32 | v_cubesc_f32 | v_cubetc_f32 | v_cubema_f32 => {
            let (a, b, c, m) = (x.s32(0), x.s32(1), x.s32(2), x.fp);
            let r = each(|l| m.out32(cube(op, m.in32(a[l]), m.in32(b[l]), m.in32(c[l]), m)));
            x.putf32(&r);
            Ok(())
        }
        v_qsad_pk_u16_u8 => quads16(&mut x, sad8),
        v_mqsad_pk_u16_u8 => quads16(&mut x, msad8),
        v_mqsad_u32_u8 => {
            let (a, b, i) = (x.s64(0), x.s32(1), x.i);
            let c: [Row; 4] = each(|k| match i.src[2] {
                Src::V(r) => *x.w.v(usize::from(r) + k),
                other => {
                    [if k < 2 {
                        (super::scalar64(x.w, other) >> (32 * k)) as u32
                    } else {
                        0
                    }; LANES]
                }
            });
            let r: [Row; 4] = each(|k| each(|l| sum(c[k][l], msad8((a[l] >> (8 * k)) as u32, b[l]), clamp)));
            if let Dst::V(d) = i.dst[0] {
                r.iter().enumerate().for_each(|(k, row)| x.put(usize::from(d) + k, row));
            }
            Ok(())
        }
        v_trig_preop_f64 => {
            let (a, b, m) = (x.s64(0), x.s32(1), x.fp);
            let r = each(|l| out64(m, double::trig_preop(in64(m, a[l]), b[l], m.round16)));
            x.putf64(&r);
            Ok(())
        }
        v_xor3_b32 => x.u3(|a, b, c| a ^ b ^ c),
        v_perm_b32 => x.u3(perm),
        v_xad_u32 => x.u3(|a, b, c| (a ^ b).wrapping_add(c)),
        v_lshl_add_u32 => x.u3(|a, b, c| (a << (b & 31)).wrapping_add(c)),
        v_add_lshl_u32 => x.u3(|a, b, c| a.wrapping_add(b) << (c & 31)),
        v_add3_u32 => x.u3(|a, b, c| a.wrapping_add(b).wrapping_add(c)),
        v_lshl_or_b32 => x.u3(|a, b, c| (a << (b & 31)) | c),
        v_and_or_b32 => x.u3(|a, b, c| (a & b) | c),
        v_or3_b32 => x.u3(|a, b, c| a | b | c),
        v_mad_u16 => x.h3(|a, b, c| {
            let t = u32::from(a) * u32::from(b) + u32::from(c);
            if clamp {
                t.min(0xffff) as u16
            } else {
                t as u16
            }
        }),
        v_mad_i16 => x.h3(|a, b, c| {
            let t = i32::from(a as i16) * i32::from(b as i16) + i32::from(c as i16);
            if clamp {
                t.clamp(-32768, 32767) as u16
            } else {
                t as u16
            }
        }),
        v_mad_u32_u16 => mixed16(&mut x, |a, b, c| add(u32::from(a) * u32::from(b), c)),
        v_mad_i32_i16 => mixed16(&mut x, |a, b, c| {
            let p = i32::from(a as i16) * i32::from(b as i16);
            (if clamp {
                p.saturating_add(c as i32)
            } else {
                p.wrapping_add(c as i32)
            }) as u32
        }),
        v_fma_f16 => {
            let (a, b, c) = (x.s16(0), x.s16(1), x.s16(2));
            x.hfma(&a, &b, &c)
        }
        v_dot2_f16_f16 => {
            let (a, b, c, m) = (x.raw(0), x.raw(1), x.s16(2), x.fp);
            // Two fused steps; the card's adder is not documented.
            let r = each(|l| {
                let t = half_fma(m, a[l] as u16, b[l] as u16, c[l]);
                half_fma(m, (a[l] >> 16) as u16, (b[l] >> 16) as u16, t)
            });
            x.putf16(&r);
            Ok(())
        }
        v_dot2_bf16_bf16 => {
            let (a, b, c) = (x.raw(0), x.raw(1), x.s16(2));
            let r = each(|l| dot2_bf16(a[l], b[l], c[l]));
            x.put16(&r);
            Ok(())
        }
        v_permlane16_b32 => permlane(&mut x, false),
        v_permlanex16_b32 => permlane(&mut x, true),
        v_cndmask_b16 => {
            let (a, b, m) = (x.s16(0), x.s16(1), x.mask_src(2));
            let r = each(|l| if m >> l & 1 == 1 { b[l] } else { a[l] });
            x.put16(&r);
            Ok(())
        }
        v_add_nc_u16 if clamp => x.h2(u16::saturating_add),
        v_add_nc_u16 => x.h2(u16::wrapping_add),
        v_sub_nc_u16 if clamp => x.h2(u16::saturating_sub),
        v_sub_nc_u16 => x.h2(u16::wrapping_sub),
        v_add_nc_i16 if clamp => x.h2(|a, b| (a as i16).saturating_add(b as i16) as u16),
        v_add_nc_i16 => x.h2(u16::wrapping_add),
        v_sub_nc_i16 if clamp => x.h2(|a, b| (a as i16).saturating_sub(b as i16) as u16),
        v_sub_nc_i16 => x.h2(u16::wrapping_sub),
        v_mul_lo_u16 => x.h2(u16::wrapping_mul),
        v_max_u16 => x.h2(u16::max),
        v_min_u16 => x.h2(u16::min),
        v_max_i16 => x.h2(|a, b| (a as i16).max(b as i16) as u16),
        v_min_i16 => x.h2(|a, b| (a as i16).min(b as i16) as u16),
        v_lshlrev_b16 => x.h2(|a, b| b << (a & 15)),
        v_lshrrev_b16 => x.h2(|a, b| b >> (a & 15)),
        v_ashrrev_i16 => x.h2(|a, b| (b as i16 >> (a & 15)) as u16),
        v_and_b16 => x.h2(|a, b| a & b),
        v_or_b16 => x.h2(|a, b| a | b),
        v_xor_b16 => x.h2(|a, b| a ^ b),
        v_cvt_pk_i16_f32 => pack32(&mut x, |v| v as i16 as u16),
        v_cvt_pk_u16_f32 => pack32(&mut x, |v| v as u16),
        v_cvt_pk_norm_i16_f32 => pack32(&mut x, |v| snorm16(v) as u16),
        v_cvt_pk_norm_u16_f32 => pack32(&mut x, unorm16),
        v_cvt_pk_norm_i16_f16 => pack16(&mut x, |v| snorm16(num::f16_to_f64(fp.in16(v))) as u16),
        v_cvt_pk_norm_u16_f16 => pack16(&mut x, |v| unorm16(num::f16_to_f64(fp.in16(v)))),
        v_pack_b32_f16 => pack16(&mut x, |v| v),
        v_cvt_pk_u16_u32 => x.u2(|a, b| a.min(0xffff) | b.min(0xffff) << 16),
        v_cvt_pk_i16_i32 => x.u2(|a, b| {
            let s = |v: u32| u32::from((v as i32).clamp(-32768, 32767) as u16);
            s(a) | s(b) << 16
        }),
        v_ldexp_f32 => {
            let (a, b, m) = (x.s32(0), x.s32(1), x.fp);
            let r = each(|l| num::ldexp32(m.in32(a[l]), b[l] as i32, m));
            x.putf32(&r);
            Ok(())
        }
        v_bfm_b32 => x.u2(|a, b| ((1u32 << (a & 31)) - 1) << (b & 31)),
        v_bcnt_u32_b32 => x.u2(|a, b| b.wrapping_add(a.count_ones())),
        // The low instruction counts lanes 0..=31 below the own one, the high one lanes 32..=63.
        v_mbcnt_lo_u32_b32 if x.w.half() == 1 => x.u2(|a, b| b.wrapping_add(a.count_ones())),
        v_mbcnt_hi_u32_b32 if x.w.half() == 0 => x.u2(|_, b| b),
        v_mbcnt_lo_u32_b32 | v_mbcnt_hi_u32_b32 => {
            let (a, b) = (x.s32(0), x.s32(1));
            x.put32(&each(|l| b[l].wrapping_add((a[l] & ((1u32 << l) - 1)).count_ones())));
            Ok(())
        }
        v_sub_nc_i32 if clamp => x.u2(|a, b| (a as i32).saturating_sub(b as i32) as u32),
        v_sub_nc_i32 => x.u2(u32::wrapping_sub),
        v_add_nc_i32 if clamp => x.u2(|a, b| (a as i32).saturating_add(b as i32) as u32),
        v_add_nc_i32 => x.u2(u32::wrapping_add),
        v_mul_lo_u32 => x.u2(u32::wrapping_mul),
        v_mul_hi_u32 => x.u2(|a, b| ((u64::from(a) * u64::from(b)) >> 32) as u32),
        v_mul_hi_i32 => x.u2(|a, b| ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32),
        v_lshlrev_b64 => x.shift64(|a, b| b << (a & 63)),
        v_lshrrev_b64 => x.shift64(|a, b| b >> (a & 63)),
        v_ashrrev_i64 => x.shift64(|a, b| (b as i64 >> (a & 63)) as u64),
        v_readlane_b32 => {
            let lane = x.scalar(1) & (x.w.lanes() - 1);
            let v = x.lane(0, lane as usize);
            if let Dst::S(r) = i.dst[0] {
                x.w.set_s(usize::from(r), v);
            }
            Ok(())
        }
        v_writelane_b32 => {
            let (v, lane) = (x.scalar(0), x.scalar(1) & (x.w.lanes() - 1));
            if let Dst::V(r) = i.dst[0] {
                x.w.set_lane(usize::from(r), lane as usize, v);
            }
            Ok(())
        }
    }
}

fn byte(v: u32, k: u32) -> u32 {
    v >> (8 * k) & 255
}

fn bytes(f: impl Fn(u32) -> u32) -> u32 {
    f(0) | f(1) | f(2) | f(3)
}

fn sad8(a: u32, b: u32) -> u32 {
    (0..4).map(|k| byte(a, k).abs_diff(byte(b, k))).sum()
}

/// As [`sad8`], without the bytes where `b` is zero.
fn msad8(a: u32, b: u32) -> u32 {
    let term = |k: u32| byte(a, k).abs_diff(byte(b, k));
    (0..4).filter(|&k| byte(b, k) != 0).map(term).sum()
}

/// An accumulation, saturating with clamp.
#[inline(always)]
fn sum(c: u32, t: u32, clamp: bool) -> u32 {
    if clamp {
        c.saturating_add(t)
    } else {
        c.wrapping_add(t)
    }
}

/// Four sums of absolute differences of byte windows, added to the 16-bit fields of source 2.
fn quads16(x: &mut Lanes, op: impl Fn(u32, u32) -> u32) -> Step {
    let (a, b, c, clamp) = (x.s64(0), x.s32(1), x.s64(2), x.i.mods.clamp);
    let r: Row64 = each(|l| {
        (0..4).fold(0, |r, k| {
            let t = (c[l] >> (16 * k) & 0xffff) as u32 + op((a[l] >> (8 * k)) as u32, b[l]);
            r | u64::from(if clamp { t.min(0xffff) } else { t & 0xffff }) << (16 * k)
        })
    });
    x.put64(&r);
    Ok(())
}

/// The face, coordinates and major axis of a direction on a cube map.
fn cube(op: Vop3, x: u32, y: u32, z: u32, m: FpMode) -> u32 {
    let f = f32::from_bits;
    let (fx, fy, fz) = (f(x), f(y), f(z));
    let flip = |v: u32| v ^ 0x8000_0000;
    let on_z = fz.abs() >= fx.abs() && fz.abs() >= fy.abs();
    let on_y = fy.abs() >= fx.abs();
    let (major, below) = match (on_z, on_y) {
        (true, _) => (z, fz < 0.0),
        (_, true) => (y, fy < 0.0),
        _ => (x, fx < 0.0),
    };
    let face = if on_z { 4 } else { 2 * u32::from(on_y) } + u32::from(below);
    match op {
        Vop3::v_cubeid_f32 => (face as f32).to_bits(),
        Vop3::v_cubesc_f32 => match face {
            5 => flip(x),
            2..=4 => x,
            1 => z,
            _ => flip(z),
        },
        Vop3::v_cubetc_f32 => match face {
            3 => flip(z),
            2 => z,
            _ => flip(y),
        },
        _ if is_nan32(major) => num::nan32(&[major]),
        _ => m.to32(d(major) * 2.0),
    }
}

fn med<T: Ord + Copy>(a: T, b: T, c: T) -> T {
    a.max(b).min(a.min(b).max(c))
}

/// V_PERM_B32: bytes 0-3 of the source are `b`, 4-7 are `a`; each byte of `c` selects one (manual 16.11).
pub(super) fn perm(a: u32, b: u32, c: u32) -> u32 {
    let data = u64::from(a) << 32 | u64::from(b);
    let sign = |k: u32| if data >> (8 * k + 7) & 1 == 1 { 0xff } else { 0 };
    bytes(|k| {
        let v = match byte(c, k) {
            s @ 0..=7 => (data >> (8 * s)) as u32 & 255,
            8 => sign(1),
            9 => sign(3),
            10 => sign(5),
            11 => sign(7),
            12 => 0,
            _ => 0xff,
        };
        v << (8 * k)
    })
}

fn mullit(m: FpMode, a: u32, b: u32, c: u32) -> u32 {
    let (fb, fc) = (f32::from_bits(m.in32(b)), f32::from_bits(m.in32(c)));
    if fb == f32::MIN || fb == f32::NEG_INFINITY || fb.is_nan() || fc <= 0.0 || fc.is_nan() {
        return f32::MIN.to_bits();
    }
    let y = d(m.in32(a)) * f64::from(fb);
    if y.is_nan() {
        num::nan32(&[a, b])
    } else {
        m.to32(y)
    }
}

/// The median as the manual defines it: the larger of the two that are left when the first operand equal to the
/// maximum is taken away. Zeros compare equal there, so a zero of either sign may be the one taken.
fn median<T: Copy + Into<u32>>(v: [T; 3], mm: impl Fn(T, T, bool) -> T) -> T {
    let [p, q, s] = v;
    let top: u32 = mm(mm(p, q, true), s, true).into();
    let is_top = |x: T| {
        let x: u32 = x.into();
        // Shifted left, the sign of a 32-bit pattern falls off; a 16-bit pattern has its own sign bit.
        let zero = |x: u32| x << 1 == 0 || (std::mem::size_of::<T>() == 2 && x & 0x7fff == 0);
        x == top || (zero(x) && zero(top))
    };
    if is_top(p) {
        mm(q, s, true)
    } else if is_top(q) {
        mm(p, s, true)
    } else {
        mm(p, q, true)
    }
}

/// min3, max3, med3, maxmin, minmax on f32.
fn three_f32(x: &mut Lanes, op: Vop3) -> Step {
    let (a, b, c, m) = (x.s32(0), x.s32(1), x.s32(2), x.fp);
    let mm = |p, q, max| num::minmax32(p, q, max, m.ieee);
    let r: Row = each(|l| {
        let [p, q, s] = [a[l], b[l], c[l]].map(|v| m.in32(v));
        m.out32(match op {
            Vop3::v_min3_f32 => mm(mm(p, q, false), s, false),
            Vop3::v_max3_f32 => mm(mm(p, q, true), s, true),
            Vop3::v_maxmin_f32 => mm(mm(p, q, true), s, false),
            Vop3::v_minmax_f32 => mm(mm(p, q, false), s, true),
            _ if [p, q, s].iter().any(|&v| is_nan32(v)) => mm(mm(p, q, false), s, false),
            _ => median([p, q, s], mm),
        })
    });
    x.putf32(&r);
    Ok(())
}

/// The same on f16.
fn three_f16(x: &mut Lanes, op: Vop3) -> Step {
    let (a, b, c, m) = (x.s16(0), x.s16(1), x.s16(2), x.fp);
    let mm = |p, q, max| num::minmax16(p, q, max, m.ieee);
    let r = each(|l| {
        let [p, q, s] = [a[l], b[l], c[l]].map(|v| m.in16(v));
        m.out16(match op {
            Vop3::v_min3_f16 => mm(mm(p, q, false), s, false),
            Vop3::v_max3_f16 => mm(mm(p, q, true), s, true),
            Vop3::v_maxmin_f16 => mm(mm(p, q, true), s, false),
            Vop3::v_minmax_f16 => mm(mm(p, q, false), s, true),
            _ if [p, q, s].iter().any(|&v| num::is_nan16(v)) => mm(mm(p, q, false), s, false),
            _ => median([p, q, s], mm),
        })
    });
    x.putf16(&r);
    Ok(())
}

fn minmax64(x: &mut Lanes, max: bool) -> Step {
    let (a, b, m) = (x.s64(0), x.s64(1), x.fp);
    let r = each(|l| out64(m, double::minmax(in64(m, a[l]), in64(m, b[l]), max, m.ieee)));
    x.putf64(&r);
    Ok(())
}

fn ldexp64(x: &mut Lanes) -> Step {
    let (a, k, m) = (x.s64(0), x.s32(1), x.fp);
    let r: Row64 = each(|l| out64(m, double::ldexp(in64(m, a[l]), k[l] as i32, m.round16)));
    x.putf64(&r);
    Ok(())
}

fn mixed16(x: &mut Lanes, op: impl Fn(u16, u16, u32) -> u32) -> Step {
    let (a, b, c) = (x.s16(0), x.s16(1), x.s32(2));
    x.put32(&each(|l| op(a[l], b[l], c[l])));
    Ok(())
}

fn pack32(x: &mut Lanes, op: impl Fn(f64) -> u16) -> Step {
    let (a, b, m) = (x.s32(0), x.s32(1), x.fp);
    let h = |v: u32| u32::from(op(d(m.in32(v))));
    x.put32(&each(|l| h(a[l]) | h(b[l]) << 16));
    Ok(())
}

fn pack16(x: &mut Lanes, op: impl Fn(u16) -> u16) -> Step {
    let (a, b) = (x.s16(0), x.s16(1));
    x.put32(&each(|l| u32::from(op(a[l])) | u32::from(op(b[l])) << 16));
    Ok(())
}

/// f32 accumulation, truncated to bf16 (measured on gfx1200; UNVERIFIED(hw) on gfx11).
fn dot2_bf16(a: u32, b: u32, c: u16) -> u16 {
    let f = bf16_to_f32;
    let t = f(c) + f(a as u16) * f(b as u16) + f((a >> 16) as u16) * f((b >> 16) as u16);
    if t.is_nan() {
        0x7fc0
    } else {
        (t.to_bits() >> 16) as u16
    }
}

/// V_PERMLANE16_B32 and V_PERMLANEX16_B32: any lane of the own (or the partner) row of 16. `op_sel[0]` is FI: read
/// lanes that EXEC disables; without it such a lane gives 0 with `op_sel[1]` (bound_ctrl), else the destination lane
/// keeps its value (LLVM `llvm.amdgcn.permlane16`).
fn permlane(x: &mut Lanes, cross: bool) -> Step {
    let row = x.raw(0);
    let select = u64::from(x.scalar(1)) | u64::from(x.scalar(2)) << 32;
    let (fi, bound) = (x.i.mods.op_sel & 1 == 1, x.i.mods.op_sel >> 1 & 1 == 1);
    let exec = x.w.exec();
    let old = x.old();
    let out = each(|l| {
        let base = (l & 16) ^ if cross { 16 } else { 0 };
        let from = base + (select >> (4 * (l & 15)) & 15) as usize;
        match (fi || exec >> from & 1 == 1, bound) {
            (true, _) => row[from],
            (false, true) => 0,
            (false, false) => old[l],
        }
    });
    x.put32(&out);
    Ok(())
}

pub(super) fn exec_sd(w: &mut Wave, i: &Instr, op: Vop3sd) -> Step {
    use Vop3sd::*;
    let mut x = Lanes::new(w, i);
    let clamp = i.mods.clamp;
    match op {
        v_div_scale_f32 => {
            let (a, b, c, m) = (x.s32(0), x.s32(1), x.s32(2), x.fp);
            let r: [(u32, bool); LANES] = each(|l| num::div_scale32(m.in32(a[l]), m.in32(b[l]), m.in32(c[l]), m));
            x.putf32(&r.map(|p| m.out32(p.0)));
            x.put_mask(1, lane_mask(|l| r[l].1));
            Ok(())
        }
        v_div_scale_f64 => {
            let (a, b, c, m) = (x.s64(0), x.s64(1), x.s64(2), x.fp);
            let r: [(u64, bool); LANES] =
                each(|l| double::div_scale(in64(m, a[l]), in64(m, b[l]), in64(m, c[l]), m.round16));
            x.putf64(&r.map(|p| out64(m, p.0)));
            x.put_mask(1, lane_mask(|l| r[l].1));
            Ok(())
        }
        v_mad_u64_u32 => {
            let (a, b, c) = (x.s32(0), x.s32(1), x.s64(2));
            let r: [(u64, bool); LANES] = each(|l| (u64::from(a[l]) * u64::from(b[l])).overflowing_add(c[l]));
            x.put64(&r.map(|p| if clamp && p.1 { u64::MAX } else { p.0 }));
            x.put_mask(1, lane_mask(|l| r[l].1));
            Ok(())
        }
        v_mad_i64_i32 => {
            let (a, b, c) = (x.s32(0), x.s32(1), x.s64(2));
            let r: [(u64, bool); LANES] = each(|l| {
                let t = i128::from(a[l] as i32) * i128::from(b[l] as i32) + i128::from(c[l] as i64);
                let v = if clamp {
                    t.clamp(i64::MIN.into(), i64::MAX.into())
                } else {
                    t
                };
                // The 65th bit of the sum.
                (v as u64, t >> 64 & 1 == 1)
            });
            x.put64(&r.map(|p| p.0));
            x.put_mask(1, lane_mask(|l| r[l].1));
            Ok(())
        }
        v_add_co_u32 => carry_out(&mut x, u32::overflowing_add),
        v_sub_co_u32 => carry_out(&mut x, u32::overflowing_sub),
        v_subrev_co_u32 => carry_out(&mut x, |a, b| b.overflowing_sub(a)),
    }
}

fn carry_out(x: &mut Lanes, op: impl Fn(u32, u32) -> (u32, bool)) -> Step {
    let (a, b) = (x.s32(0), x.s32(1));
    let r: [(u32, bool); LANES] = each(|l| op(a[l], b[l]));
    let out = if x.i.mods.clamp {
        // Saturation: an add that carries gives all ones, a subtraction that borrows gives 0.
        let add = matches!(x.i.op, t0_backend_rdna3::isa::Opcode::Vop3sd(Vop3sd::v_add_co_u32));
        r.map(|p| {
            if p.1 {
                if add {
                    u32::MAX
                } else {
                    0
                }
            } else {
                p.0
            }
        })
    } else {
        r.map(|p| p.0)
    };
    x.put32(&out);
    x.put_mask(1, lane_mask(|l| r[l].1));
    Ok(())
}
