//! VOP3P: packed 16-bit, mixed precision, dot products; WMMA is in [`wmma`]. Semantics: RDNA3 ISA manual 7.5 and 16.10.

use t0_backend_rdna3::isa::Vop3p;

use super::lanes::{each, merge16, Lanes};
use super::valu::{d, half2, half_fma};
use super::wmma::{self, Form};
use super::Step;
use crate::num::dot::{self, Half};
use crate::num::{self, add_odd, bf16_to_f32, f16_to_f32, fma_dir, nan32, sum_odd, FpMode, Numerics};
use crate::program::Instr;
use crate::wave::{Row, Wave};

/// One packed source: the values used for the low and the high result.
struct Packed {
    row: Row,
    lo: u32,
    hi: u32,
    neg_lo: u16,
    neg_hi: u16,
}

impl Packed {
    fn get(&self, l: usize) -> (u16, u16) {
        (
            (self.row[l] >> self.lo) as u16 ^ self.neg_lo,
            (self.row[l] >> self.hi) as u16 ^ self.neg_hi,
        )
    }
}

/// Source `k` with `op_sel`, `op_sel_hi` and, for floats, `neg_lo`, `neg_hi`.
fn packed(x: &Lanes, k: usize, float: bool) -> Packed {
    let m = &x.i.mods;
    let sign = |mask: u32| if float && mask >> k & 1 == 1 { 0x8000 } else { 0 };
    Packed {
        row: x.raw(k),
        lo: 16 * (m.op_sel >> k & 1),
        hi: 16 * (m.op_sel_hi >> k & 1),
        neg_lo: sign(m.neg_lo),
        neg_hi: sign(m.neg_hi),
    }
}

fn pair(lo: u16, hi: u16) -> u32 {
    u32::from(lo) | u32::from(hi) << 16
}

fn ints2(x: &mut Lanes, op: impl Fn(u16, u16) -> u16) -> Step {
    let (a, b) = (packed(x, 0, false), packed(x, 1, false));
    x.put32(&each(|l| {
        let ((p, q), (r, s)) = (a.get(l), b.get(l));
        pair(op(p, r), op(q, s))
    }));
    Ok(())
}

fn ints3(x: &mut Lanes, op: impl Fn(u16, u16, u16) -> u16) -> Step {
    let (a, b, c) = (packed(x, 0, false), packed(x, 1, false), packed(x, 2, false));
    x.put32(&each(|l| {
        let ((p, q), (r, s), (t, u)) = (a.get(l), b.get(l), c.get(l));
        pair(op(p, r, t), op(q, s, u))
    }));
    Ok(())
}

fn floats2(x: &mut Lanes, op: impl Fn(FpMode, u16, u16) -> u16) -> Step {
    let (a, b, m) = (packed(x, 0, true), packed(x, 1, true), x.fp);
    let clamp = clamp16(x);
    x.put32(&each(|l| {
        let ((p, q), (r, s)) = (a.get(l), b.get(l));
        pair(clamp(op(m, p, r)), clamp(op(m, q, s)))
    }));
    Ok(())
}

/// The clamp of packed f16 results.
fn clamp16(x: &Lanes) -> impl Fn(u16) -> u16 {
    let (on, dx10) = (x.i.mods.clamp, x.fp.dx10_clamp);
    move |h| match h {
        _ if !on => h,
        _ if num::is_nan16(h) => {
            if dx10 {
                0
            } else {
                h
            }
        }
        _ if h & 0x8000 != 0 => 0,
        _ => h.min(0x3c00),
    }
}

pub(super) fn exec(w: &mut Wave, i: &Instr, op: Vop3p) -> Step {
    use Vop3p::*;
    let mut x = Lanes::new(w, i);
    let c = i.mods.clamp;
    match op {
        v_pk_mad_i16 => ints3(&mut x, |a, b, d| {
            let t = i32::from(a as i16) * i32::from(b as i16) + i32::from(d as i16);
            if c {
                t.clamp(-32768, 32767) as u16
            } else {
                t as u16
            }
        }),
        v_pk_mad_u16 => ints3(&mut x, |a, b, d| {
            let t = u32::from(a) * u32::from(b) + u32::from(d);
            if c {
                t.min(0xffff) as u16
            } else {
                t as u16
            }
        }),
        v_pk_mul_lo_u16 if c => ints2(&mut x, u16::saturating_mul),
        v_pk_mul_lo_u16 => ints2(&mut x, u16::wrapping_mul),
        v_pk_add_i16 if c => ints2(&mut x, |a, b| (a as i16).saturating_add(b as i16) as u16),
        v_pk_sub_i16 if c => ints2(&mut x, |a, b| (a as i16).saturating_sub(b as i16) as u16),
        v_pk_add_u16 if c => ints2(&mut x, u16::saturating_add),
        v_pk_sub_u16 if c => ints2(&mut x, u16::saturating_sub),
        v_pk_add_i16 | v_pk_add_u16 => ints2(&mut x, u16::wrapping_add),
        v_pk_sub_i16 | v_pk_sub_u16 => ints2(&mut x, u16::wrapping_sub),
        v_pk_lshlrev_b16 => ints2(&mut x, |a, b| b << (a & 15)),
        v_pk_lshrrev_b16 => ints2(&mut x, |a, b| b >> (a & 15)),
        v_pk_ashrrev_i16 => ints2(&mut x, |a, b| (b as i16 >> (a & 15)) as u16),
        v_pk_max_i16 => ints2(&mut x, |a, b| (a as i16).max(b as i16) as u16),
        v_pk_min_i16 => ints2(&mut x, |a, b| (a as i16).min(b as i16) as u16),
        v_pk_max_u16 => ints2(&mut x, u16::max),
        v_pk_min_u16 => ints2(&mut x, u16::min),
        v_pk_fma_f16 => {
            let (a, b, d, m) = (packed(&x, 0, true), packed(&x, 1, true), packed(&x, 2, true), x.fp);
            let clamp = clamp16(&x);
            x.put32(&each(|l| {
                let ((p, q), (r, s), (t, u)) = (a.get(l), b.get(l), d.get(l));
                pair(clamp(half_fma(m, p, r, t)), clamp(half_fma(m, q, s, u)))
            }));
            Ok(())
        }
        v_pk_add_f16 => floats2(&mut x, |m, a, b| half2(m, a, b, |p, q| sum_odd(m.round16, p, q))),
        v_pk_mul_f16 => floats2(&mut x, |m, a, b| half2(m, a, b, |p, q| p * q)),
        v_pk_min_f16 => floats2(&mut x, |m, a, b| {
            m.out16(num::minmax16(m.in16(a), m.in16(b), false, m.ieee))
        }),
        v_pk_max_f16 => floats2(&mut x, |m, a, b| {
            m.out16(num::minmax16(m.in16(a), m.in16(b), true, m.ieee))
        }),
        v_dot2_f32_f16 => dot2(&mut x, Half::F16),
        v_dot2_f32_bf16 => dot2(&mut x, Half::Bf16),
        v_dot4_i32_iu8 => dot_int(&mut x, 8, true),
        v_dot8_i32_iu4 => dot_int(&mut x, 4, true),
        v_dot4_u32_u8 => dot_int(&mut x, 8, false),
        v_dot8_u32_u4 => dot_int(&mut x, 4, false),
        v_fma_mix_f32 => {
            let (a, b, c) = (mix(&x, 0), mix(&x, 1), mix(&x, 2));
            x.fma32(&a, &b, &c)
        }
        v_fma_mixlo_f16 => mix_half(&mut x, false),
        v_fma_mixhi_f16 => mix_half(&mut x, true),
        v_wmma_f32_16x16x16_f16 => wmma::exec(x.w, i, Form::F32F16),
        v_wmma_f32_16x16x16_bf16 => wmma::exec(x.w, i, Form::F32Bf16),
        v_wmma_f16_16x16x16_f16 => wmma::exec(x.w, i, Form::F16F16),
        v_wmma_bf16_16x16x16_bf16 => wmma::exec(x.w, i, Form::Bf16Bf16),
        v_wmma_i32_16x16x16_iu8 => wmma::exec(x.w, i, Form::I32Iu8),
        v_wmma_i32_16x16x16_iu4 => wmma::exec(x.w, i, Form::I32Iu4),
    }
}

/// A packed float source after `op_sel`/`neg` as one dword.
fn signed_pair(x: &Lanes, k: usize) -> Row {
    let p = packed(x, k, true);
    each(|l| {
        let (lo, hi) = p.get(l);
        pair(lo, hi)
    })
}

/// The f32 accumulator of a dot product with its sign modifier.
fn signed_scalar(x: &Lanes) -> Row {
    let flip = if x.i.mods.neg_lo >> 2 & 1 == 1 { 0x8000_0000 } else { 0 };
    x.raw(2).map(|v| v ^ flip)
}

fn dot2(x: &mut Lanes, half: Half) -> Step {
    let (a, b, c) = (signed_pair(x, 0), signed_pair(x, 1), signed_scalar(x));
    let r = dot2_rows(x, &a, &b, &c, half);
    x.putf32(&r);
    Ok(())
}

/// `c + a.lo * b.lo + a.hi * b.hi` in f32: the order of the manual's pseudocode, products exact, each sum rounded under
/// MODE; or what the card's adder makes of it (see [`crate::num::dot`]), which ignores MODE.
pub(super) fn dot2_rows(x: &Lanes, a: &Row, b: &Row, c: &Row, half: Half) -> Row {
    if x.w.numerics == Numerics::Silicon {
        let split = |v: u32| [v as u16, (v >> 16) as u16];
        return each(|l| dot::dot2(c[l], split(a[l]), split(b[l]), half));
    }
    let m = x.fp;
    match half {
        Half::F16 => each(|l| dot2_ordered(m, a[l], b[l], c[l], f16_to_f32)),
        Half::Bf16 => each(|l| dot2_ordered(m, a[l], b[l], c[l], bf16_to_f32)),
    }
}

fn dot2_ordered(m: FpMode, a: u32, b: u32, c: u32, f: impl Fn(u16) -> f32) -> u32 {
    let p = |s: u32| f64::from(f((a >> s) as u16)) * f64::from(f((b >> s) as u16));
    let narrow = |x: f64| if m.plain32() { (x as f32).to_bits() } else { m.to32(x) };
    let t = narrow(add_odd(d(m.in32(c)), p(0)));
    let r = add_odd(d(t), p(16));
    if r.is_nan() {
        nan32(&[c])
    } else {
        narrow(r)
    }
}

/// Integer dot products. With `chosen`, `neg_lo[0]`/`neg_lo[1]` make A/B signed; clamp saturates.
fn dot_int(x: &mut Lanes, bits: u32, chosen: bool) -> Step {
    let (a, b, c) = (x.raw(0), x.raw(1), x.raw(2));
    let m = x.i.mods;
    let (sa, sb) = (chosen && m.neg_lo & 1 == 1, chosen && m.neg_lo >> 1 & 1 == 1);
    let get = |v: u32, k: u32, signed: bool| {
        let shifted = v << (32 - bits - k * bits);
        if signed {
            shifted as i32 >> (32 - bits)
        } else {
            (shifted >> (32 - bits)) as i32
        }
    };
    x.put32(&each(|l| {
        // At most 4 * 255 * 255: no overflow.
        let sum: i32 = (0..32 / bits).map(|k| get(a[l], k, sa) * get(b[l], k, sb)).sum();
        match (chosen, m.clamp) {
            (true, true) => (c[l] as i32).saturating_add(sum) as u32,
            (false, true) => c[l].saturating_add(sum as u32),
            _ => c[l].wrapping_add(sum as u32),
        }
    }));
    Ok(())
}

/// A source of V_FMA_MIX*: {op_sel_hi, op_sel} chooses f32, low f16, high f16; `neg_hi` is `abs` (manual 7.5).
fn mix(x: &Lanes, k: usize) -> Row {
    let m = &x.i.mods;
    let row = x.raw(k);
    let bit = |v: u32| v >> k & 1 == 1;
    let shift = if bit(m.op_sel) { 16 } else { 0 };
    let half = bit(m.op_sel_hi);
    let abs = bit(m.neg_hi) || bit(m.abs);
    let neg = bit(m.neg_lo) || bit(m.neg);
    row.map(|v| {
        let v = if half {
            f16_to_f32(x.fp.in16((v >> shift) as u16)).to_bits()
        } else {
            v
        };
        let v = if abs { v & 0x7fff_ffff } else { v };
        if neg {
            v ^ 0x8000_0000
        } else {
            v
        }
    })
}

/// V_FMA_MIXLO/MIXHI: the sum is rounded to f32, then to f16 (manual pseudocode).
fn mix_half(x: &mut Lanes, high: bool) -> Step {
    let (a, b, c, m) = (mix(x, 0), mix(x, 1), mix(x, 2), x.fp);
    let clamp = clamp16(x);
    let old = x.old();
    let r = each(|l| {
        let s = fma_dir(m.round32, d(m.in32(a[l])), d(m.in32(b[l])), d(m.in32(c[l])));
        let s = if s.is_nan() {
            nan32(&[a[l], b[l], c[l]])
        } else {
            m.to32(s)
        };
        merge16(old[l], clamp(m.to16(d(s))), high)
    });
    x.put32(&r);
    Ok(())
}
