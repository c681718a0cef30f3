//! VOP2. Semantics: RDNA3 ISA manual 16.8.

use t0_backend_rdna3::isa::Vop2;

use super::lanes::{each, lane_mask, Lanes};
use super::valu::{half_fma, i24, u24};
use super::Step;
use crate::num::{f32_to_f16, is_nan16, sum_odd, Round};
use crate::program::Instr;
use crate::wave::{Wave, LANES};

pub(super) fn exec(w: &mut Wave, i: &Instr, op: Vop2) -> Step {
    use Vop2::*;
    let mut x = Lanes::new(w, i);
    let clamp = i.mods.clamp;
    let (r32, r16) = (x.fp.round32, x.fp.round16);
    match op {
        v_cndmask_b32 => x.select(),
        v_add_f32 => x.f2(|a, b| a + b, move |a, b| sum_odd(r32, a, b)),
        v_sub_f32 => x.f2(|a, b| a - b, move |a, b| sum_odd(r32, a, -b)),
        v_subrev_f32 => x.f2(|a, b| b - a, move |a, b| sum_odd(r32, b, -a)),
        v_mul_f32 => x.f2(|a, b| a * b, |a, b| a * b),
        v_mul_dx9_zero_f32 => {
            let zero = |v: f64| v == 0.0;
            x.f2(
                |a, b| if a == 0.0 || b == 0.0 { 0.0 } else { a * b },
                move |a, b| if zero(a) || zero(b) { 0.0 } else { a * b },
            )
        }
        v_fmac_f32 => x.fmac(),
        // The literal stands where the assembler prints it: `fmamk` multiplies by it, `fmaak` adds it.
        v_fmamk_f32 | v_fmaak_f32 => x.fma3(),
        v_fmac_dx9_zero_f32 => {
            let (a, b, c) = (x.s32(0), x.s32(1), x.old());
            x.fma_dx9(&a, &b, &c)
        }
        v_min_f32 => x.minmax32(false),
        v_max_f32 => x.minmax32(true),
        v_mul_i32_i24 if clamp => x.u2(|a, b| {
            let t = i64::from(i24(a)) * i64::from(i24(b));
            t.clamp(i32::MIN.into(), i32::MAX.into()) as u32
        }),
        v_mul_i32_i24 => x.u2(|a, b| i24(a).wrapping_mul(i24(b)) as u32),
        v_mul_hi_i32_i24 => x.u2(|a, b| ((i64::from(i24(a)) * i64::from(i24(b))) >> 32) as u32),
        v_mul_u32_u24 if clamp => x.u2(|a, b| u24(a).saturating_mul(u24(b))),
        v_mul_u32_u24 => x.u2(|a, b| u24(a).wrapping_mul(u24(b))),
        v_mul_hi_u32_u24 => x.u2(|a, b| ((u64::from(u24(a)) * u64::from(u24(b))) >> 32) as u32),
        v_min_i32 => x.u2(|a, b| (a as i32).min(b as i32) as u32),
        v_max_i32 => x.u2(|a, b| (a as i32).max(b as i32) as u32),
        v_min_u32 => x.u2(u32::min),
        v_max_u32 => x.u2(u32::max),
        v_lshlrev_b32 => x.u2(|a, b| b << (a & 31)),
        v_lshrrev_b32 => x.u2(|a, b| b >> (a & 31)),
        v_ashrrev_i32 => x.u2(|a, b| (b as i32 >> (a & 31)) as u32),
        v_and_b32 => x.u2(|a, b| a & b),
        v_or_b32 => x.u2(|a, b| a | b),
        v_xor_b32 => x.u2(|a, b| a ^ b),
        v_xnor_b32 => x.u2(|a, b| !(a ^ b)),
        v_add_nc_u32 if clamp => x.u2(u32::saturating_add),
        v_add_nc_u32 => x.u2(u32::wrapping_add),
        v_sub_nc_u32 if clamp => x.u2(u32::saturating_sub),
        v_sub_nc_u32 => x.u2(u32::wrapping_sub),
        v_subrev_nc_u32 if clamp => x.u2(|a, b| b.saturating_sub(a)),
        v_subrev_nc_u32 => x.u2(|a, b| b.wrapping_sub(a)),
        v_add_co_ci_u32 => carry(&mut x, u32::MAX, |a, b, c| {
            let t = u64::from(a) + u64::from(b) + u64::from(c);
            (t as u32, t >> 32 != 0)
        }),
        v_sub_co_ci_u32 => carry(&mut x, 0, borrow),
        v_subrev_co_ci_u32 => carry(&mut x, 0, |a, b, c| borrow(b, a, c)),
        v_cvt_pk_rtz_f16_f32 => {
            let (a, b, m) = (x.s32(0), x.s32(1), x.fp);
            let (clamp, dx10) = (x.i.mods.clamp, m.dx10_clamp);
            let h = |v: u32| {
                let h = m.out16(f32_to_f16(f32::from_bits(m.in32(v)), Round::Zero));
                u32::from(match h {
                    _ if !clamp => h,
                    _ if is_nan16(h) => h * u16::from(!dx10),
                    0x8000.. => 0,
                    _ => h.min(0x3c00),
                })
            };
            x.put32(&each(|l| h(a[l]) | h(b[l]) << 16));
            Ok(())
        }
        v_add_f16 => x.hf2(move |a, b| sum_odd(r16, a, b)),
        v_sub_f16 => x.hf2(move |a, b| sum_odd(r16, a, -b)),
        v_subrev_f16 => x.hf2(move |a, b| sum_odd(r16, b, -a)),
        v_mul_f16 => x.hf2(|a, b| a * b),
        v_fmac_f16 => {
            let (a, b, c) = (x.s16(0), x.s16(1), x.old16());
            x.hfma(&a, &b, &c)
        }
        v_fmamk_f16 | v_fmaak_f16 => {
            let (a, b, c) = (x.s16(0), x.s16(1), x.s16(2));
            x.hfma(&a, &b, &c)
        }
        v_min_f16 => x.minmax16(false),
        v_max_f16 => x.minmax16(true),
        v_ldexp_f16 => {
            let (a, b, m) = (x.s16(0), x.s16(1), x.fp);
            let r = each(|l| {
                super::valu::half1(m, a[l], |v| {
                    v * crate::num::pow2(i32::from(b[l] as i16).clamp(-100, 100))
                })
            });
            x.putf16(&r);
            Ok(())
        }
        v_pk_fmac_f16 => {
            let (a, b, c, m) = (x.raw(0), x.raw(1), x.old(), x.fp);
            let half = |v: u32, hi: bool| if hi { (v >> 16) as u16 } else { v as u16 };
            let r = each(|l| {
                let [lo, hi] =
                    [false, true].map(|h| u32::from(half_fma(m, half(a[l], h), half(b[l], h), half(c[l], h))));
                lo | hi << 16
            });
            x.put32(&r);
            Ok(())
        }
        v_dot2acc_f32_f16 => {
            let (a, b, c) = (x.raw(0), x.raw(1), x.old());
            let r = super::vop3p::dot2_rows(&x, &a, &b, &c, crate::num::dot::Half::F16);
            x.putf32(&r);
            Ok(())
        }
    }
}

fn borrow(a: u32, b: u32, c: u32) -> (u32, bool) {
    (
        a.wrapping_sub(b).wrapping_sub(c),
        u64::from(b) + u64::from(c) > u64::from(a),
    )
}

/// Add or subtract with carry in from the mask source and carry out to the mask destination; a result that carries
/// out saturates to `limit` under clamp.
fn carry(x: &mut Lanes, limit: u32, op: impl Fn(u32, u32, u32) -> (u32, bool)) -> Step {
    let (a, b, m) = (x.s32(0), x.s32(1), x.mask_src(2));
    let both: [(u32, bool); LANES] = each(|l| op(a[l], b[l], m >> l & 1));
    // The carry out may go to the register the sources came from: everything was read above.
    let clamp = x.i.mods.clamp;
    x.put32(&both.map(|p| if clamp && p.1 { limit } else { p.0 }));
    x.put_mask(1, lane_mask(|l| both[l].1));
    Ok(())
}
