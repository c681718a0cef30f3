//! The transcendental instructions as instructions: modifiers, EXEC, halves, the f64 approximations. The functions
//! themselves are tested over all exponents where they are defined.
#![allow(clippy::unwrap_used)]

use crate::common::*;

#[test]
fn modifiers_and_exec_apply() {
    let mut m = Machine::new();
    m.set_v(0, std::array::from_fn(|l| (l as f32 - 16.0).to_bits()));
    m.set_v(1, [7; 32]).set_s(126, 0x0fff_fff0);
    m.run("v_exp_f32_e64 v1, -|v0| mul:2").unwrap();
    m.set_s(126, u32::MAX);
    m.run("v_sqrt_f32_e64 v2, |v0| clamp").unwrap();
    for l in 0..32 {
        let x = (l as f32 - 16.0).abs();
        // MODE keeps f32 denormals, so omod does nothing (RDNA3 manual 7.2.2).
        let want = if (4..28).contains(&l) { (-x).exp2().to_bits() } else { 7 };
        assert_eq!(m.v(1)[l], want, "lane {l}");
        assert_eq!(f32::from_bits(m.v(2)[l]), x.sqrt().min(1.0), "lane {l}");
    }
}

#[test]
fn the_other_half_is_kept() {
    let mut m = Machine::new();
    m.set_v(0, [0x3c00_4400; 32]).set_v(1, [0x1111_2222; 32]); // 1.0 above 4.0
    m.run("v_rcp_f16 v1, v0").unwrap();
    assert_eq!(m.v(1), [0x1111_3400; 32]);
}

/// Bits of an f64 function of every operand, 32 at a time.
fn f64s(op: &str, xs: &[f64], mode: u32) -> Vec<u64> {
    let mut out = Vec::new();
    for part in xs.chunks(32) {
        let at = |l: usize| part[l % part.len()].to_bits();
        let mut m = Machine::new();
        m.wave.set_mode(mode);
        m.set_v(0, std::array::from_fn(|l| at(l) as u32));
        m.set_v(1, std::array::from_fn(|l| (at(l) >> 32) as u32));
        m.run(&format!("{op} v[2:3], v[0:1]")).unwrap();
        out.extend((0..part.len()).map(|l| u64::from(m.v(2)[l]) | u64::from(m.v(3)[l]) << 32));
    }
    out
}

#[test]
fn f64_approximations_are_far_inside_their_bound() {
    let mut rng = Rng(3);
    let positive: Vec<f64> = (0..640)
        .map(|_| f64::from_bits(rng.u64() & 0x7fff_ffff_ffff_ffff))
        .filter(|x| x.is_finite() && *x > 0.0)
        .collect();
    for op in ["v_rcp_f64", "v_rsq_f64", "v_sqrt_f64"] {
        for (x, got) in positive.iter().zip(f64s(op, &positive, MODE)) {
            let got = f64::from_bits(got);
            // What the result must give back; every step here is off by a few 2^-53.
            let is = match op {
                "v_rcp_f64" => got * x,
                "v_rsq_f64" => got * (got * x),
                _ => got * (got / x),
            };
            if got.is_normal() {
                assert!((is - 1.0).abs() < 2e-15, "{op}({x:e}) = {got:e}");
            }
        }
    }
}

#[test]
fn f64_special_values_and_denormals() {
    let inf = f64::INFINITY.to_bits();
    let minus = 1u64 << 63;
    let nan = 0x7ff8_0000_0000_0000;
    let tiny = f64::from_bits(1 << 51); // a denormal whose reciprocal is finite
    let flush = MODE & !0xc0;
    for (op, x, mode, want) in [
        ("v_rcp_f64", -0.0, MODE, minus | inf),
        ("v_rcp_f64", f64::NEG_INFINITY, MODE, minus),
        ("v_rcp_f64", f64::from_bits(1), MODE, inf),
        ("v_rcp_f64", tiny, MODE, (1.0 / tiny).to_bits()),
        ("v_rcp_f64", tiny, flush, inf),
        ("v_rcp_f64", f64::MAX, MODE, (1.0 / f64::MAX).to_bits()),
        ("v_rcp_f64", f64::MAX, flush, 0),
        ("v_rsq_f64", 0.0, MODE, inf),
        ("v_rsq_f64", -0.0, MODE, minus | inf),
        ("v_rsq_f64", -1.0, MODE, nan),
        ("v_rsq_f64", f64::INFINITY, MODE, 0),
        ("v_rsq_f64", 0.25, MODE, 2f64.to_bits()),
        ("v_sqrt_f64", -0.0, MODE, minus),
        ("v_sqrt_f64", -2.0, MODE, nan),
        ("v_sqrt_f64", f64::INFINITY, MODE, inf),
        ("v_sqrt_f64", 2.25, MODE, 1.5f64.to_bits()),
        (
            "v_sqrt_f64",
            f64::from_bits(0x7ff0_0000_0000_0001),
            MODE,
            0x7ff8_0000_0000_0001,
        ),
    ] {
        assert_eq!(f64s(op, &[x], mode), [want], "{op}({x:e}) in MODE {mode:#x}");
    }
}
