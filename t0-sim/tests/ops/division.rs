//! The division sequences compilers emit, against exact division.
#![allow(clippy::unwrap_used)]

use crate::common::{Machine, Rng};
use crate::soft::{F32, F64};
use crate::vector::float_bits;

/// LLVM's expansion of an f32 division with denormals (`LowerFDIV32`): v2 = v0 / v1.
const F32_TEXT: &str = "
    v_div_scale_f32 v3, null, v1, v1, v0
    v_div_scale_f32 v4, vcc_lo, v0, v1, v0
    v_rcp_f32 v5, v3
    s_waitcnt_depctr 0xfff
    v_fma_f32 v6, -v3, v5, 1.0
    v_fmac_f32 v5, v6, v5
    v_mul_f32 v6, v4, v5
    v_fma_f32 v7, -v3, v6, v4
    v_fmac_f32 v6, v7, v5
    v_fma_f32 v4, -v3, v6, v4
    v_div_fmas_f32 v4, v4, v5, v6
    v_div_fixup_f32 v2, v4, v1, v0";

/// LLVM's expansion of an f64 division (`LowerFDIV64`): v[4:5] = v[0:1] / v[2:3].
const F64_TEXT: &str = "
    v_div_scale_f64 v[6:7], null, v[2:3], v[2:3], v[0:1]
    v_div_scale_f64 v[8:9], vcc_lo, v[0:1], v[2:3], v[0:1]
    v_rcp_f64 v[10:11], v[6:7]
    s_waitcnt_depctr 0xfff
    v_fma_f64 v[12:13], -v[6:7], v[10:11], 1.0
    v_fma_f64 v[10:11], v[10:11], v[12:13], v[10:11]
    v_fma_f64 v[12:13], -v[6:7], v[10:11], 1.0
    v_fma_f64 v[10:11], v[10:11], v[12:13], v[10:11]
    v_mul_f64 v[12:13], v[8:9], v[10:11]
    v_fma_f64 v[6:7], -v[6:7], v[12:13], v[8:9]
    v_div_fmas_f64 v[6:7], v[6:7], v[10:11], v[12:13]
    v_div_fixup_f64 v[4:5], v[6:7], v[2:3], v[0:1]";

/// Operands whose quotient lies anywhere: random pairs, and pairs with quotients at the ends of the format.
fn pair(f: crate::soft::Fmt, rng: &mut Rng) -> (u64, u64) {
    let a = float_bits(f, rng);
    let b = match rng.u32() % 3 {
        0 => a ^ (rng.u64() & 7),
        _ => float_bits(f, rng),
    };
    (a, b)
}

#[test]
fn f32_division_is_correctly_rounded() {
    let mut m = Machine::new();
    let mut rng = Rng(0xd1f1_de5e_ed00);
    for _ in 0..600 {
        let v: Vec<(u32, u32)> = (0..32)
            .map(|_| pair(F32, &mut rng))
            .map(|(a, b)| (a as u32, b as u32))
            .collect();
        m.set_v(0, std::array::from_fn(|l| v[l].0));
        m.set_v(1, std::array::from_fn(|l| v[l].1));
        m.run(F32_TEXT).unwrap();
        for (l, (a, b)) in v.into_iter().enumerate() {
            let (got, want) = (f32::from_bits(m.v(2)[l]), f32::from_bits(a) / f32::from_bits(b));
            let same = got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan());
            assert!(same, "{a:#x} / {b:#x} = {got:e}, not {want:e}");
        }
    }
}

#[test]
fn f64_division_is_correctly_rounded() {
    let mut m = Machine::new();
    let mut rng = Rng(0xd1f1_de64_ed00);
    for _ in 0..600 {
        let v: Vec<(u64, u64)> = (0..32).map(|_| pair(F64, &mut rng)).collect();
        for k in 0..2 {
            m.set_v(k, std::array::from_fn(|l| (v[l].0 >> (32 * k)) as u32));
            m.set_v(2 + k, std::array::from_fn(|l| (v[l].1 >> (32 * k)) as u32));
        }
        m.run(F64_TEXT).unwrap();
        for (l, (a, b)) in v.into_iter().enumerate() {
            let got = f64::from_bits(u64::from(m.v(4)[l]) | u64::from(m.v(5)[l]) << 32);
            let want = f64::from_bits(a) / f64::from_bits(b);
            let same = got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan());
            assert!(same, "{a:#x} / {b:#x} = {got:e}, not {want:e}");
        }
    }
}
