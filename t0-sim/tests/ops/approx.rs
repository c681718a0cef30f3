//! What is not bit-exact by definition: the transcendental unit by error bound and special values, float dot products
//! by an exact sum.
#![allow(clippy::unwrap_used)]

use crate::common::{Machine, Rng};
use crate::soft::{Fmt, Num, Round, BF16, F16, F32, F64};
use crate::vector::float_bits;

/// Error of `got` against `want` in units of the last place of `want` in the format.
fn ulps(f: Fmt, got: u64, want: f64) -> f64 {
    let g = f.to_f64(got);
    if g == want || (g.is_nan() && want.is_nan()) {
        return 0.0;
    }
    let e = (want.abs().log2().floor() as i32).max(1 - f.bias()) - f.man as i32;
    (g - want).abs() / 2f64.powi(e)
}

/// Inputs of 32 lanes, results of one instruction.
fn run1(m: &mut Machine, f: Fmt, name: &str, v: &[u64]) -> Vec<u64> {
    m.set_v(0, std::array::from_fn(|l| v[l] as u32));
    m.set_v(1, std::array::from_fn(|l| (v[l] >> 32) as u32));
    let wide = f == F64;
    let text = if wide {
        format!("{name} v[2:3], v[0:1]")
    } else {
        format!("{name} v2, v0")
    };
    m.run(&text).unwrap();
    (0..32)
        .map(|l| (u64::from(m.v(2)[l]) | if wide { u64::from(m.v(3)[l]) << 32 } else { 0 }) & f.all())
        .collect()
}

/// Source: manual and LLVM: 1 ulp for f32 and f16; the f64 seeds carry about 2^-20 and are refined by software.
#[test]
fn transcendentals_within_their_bounds() {
    use std::f64::consts::TAU;
    type F = fn(f64) -> f64;
    let table: [(&str, F, bool); 7] = [
        ("rcp", |x| 1.0 / x, true),
        ("rsq", |x| 1.0 / x.sqrt(), true),
        ("sqrt", f64::sqrt, true),
        ("exp", f64::exp2, false),
        ("log", f64::log2, false),
        ("sin", |x| (x * TAU).sin(), false),
        ("cos", |x| (x * TAU).cos(), false),
    ];
    let mut m = Machine::new();
    let mut rng = Rng(0x7a7a_0001_7a7a);
    for (name, g, double) in table {
        for (suffix, f) in [("f16", F16), ("f32", F32), ("f64", F64)] {
            if f == F64 && !double {
                continue;
            }
            for _ in 0..60 {
                let v: Vec<u64> = (0..32).map(|_| float_bits(f, &mut rng)).collect();
                let got = run1(&mut m, f, &format!("v_{name}_{suffix}"), &v);
                for (&a, &r) in v.iter().zip(&got) {
                    check(name, f, g, a, r);
                }
            }
        }
    }
}

fn check(name: &str, f: Fmt, g: fn(f64) -> f64, a: u64, got: u64) {
    let x = f.to_f64(a);
    if x.is_nan() {
        assert_eq!(got, f.quiet(a), "{name}({a:#x})");
        return;
    }
    // The f32 unit treats denormals as zero on both sides whatever MODE says.
    let flushes = f == F32;
    let x = if flushes && f.is_denorm(a) { 0.0 * x } else { x };
    let want = g(x);
    if matches!(name, "sin" | "cos") {
        // An absolute bound, on the reduced argument; beyond 256 turns the unit gives the value at 0.
        if x.is_infinite() {
            assert!(f.is_nan(got));
        } else if x.abs() <= 256.0 {
            let r = x - x.round();
            let want = g(r);
            let tiny = if f == F16 { 1.0 / 1024.0 } else { 1.0 / 4_000_000.0 };
            assert!((f.to_f64(got) - want).abs() <= tiny, "{name}({x:e})");
        }
        return;
    }
    let tolerance = if f == F64 { 2f64.powi(32) } else { 1.0 };
    let small = want != 0.0 && want.abs() < 2f64.powi(1 - f.bias());
    if small && flushes {
        let r = f.to_f64(got).abs();
        assert!(r == 0.0 || r <= 2f64.powi(1 - f.bias()), "{name}({x:e}) = {r:e}");
        return;
    }
    if want.is_nan() {
        assert!(f.is_nan(got), "{name}({x:e}) = {got:#x}");
        return;
    }
    let rounded = f.round_f64(want);
    if f.is_inf(rounded) || f.is_zero(rounded) {
        let near = got == rounded || (f.is_inf(rounded) && got == f.max(f.is_neg(rounded)));
        assert!(near || f.abs(got) <= 1, "{name}({x:e}) = {got:#x}, not {rounded:#x}");
        return;
    }
    assert!(
        ulps(f, got, want) <= tolerance,
        "{name}({x:e}) = {got:#x}, not {want:e}"
    );
}

impl Fmt {
    fn round_f64(self, v: f64) -> u64 {
        match F64.num(v.to_bits()) {
            Num::Nan => self.nan(),
            Num::Inf(n) => self.inf(n),
            Num::Fin(x) => self.round(x, Round::Near),
        }
    }
}

/// Two products and an accumulator: with integers of modest size every order of adding gives the same bits, and so
/// must the instruction, whichever adder it has.
#[test]
fn float_dots_of_integers_are_exact() {
    let mut m = Machine::new();
    let mut rng = Rng(0xd07_d07_d07);
    for _ in 0..60 {
        let mut ints = |n: i64| -> Vec<[i64; 5]> {
            (0..32)
                .map(|_| std::array::from_fn(|_| (rng.u64() % n as u64) as i64))
                .collect()
        };
        let v = ints(40);
        let enc = |f: Fmt, x: i64| f.round_f64(x as f64);
        for (name, f, acc) in [
            ("v_dot2_f32_f16 v3, v0, v1, v2", F16, F32),
            ("v_dot2_f32_bf16 v3, v0, v1, v2", BF16, F32),
            ("v_dot2_f16_f16 v3, v0, v1, v2", F16, F16),
            ("v_dot2acc_f32_f16 v2, v0, v1", F16, F32),
            ("v_dot2_bf16_bf16 v3, v0, v1, v2", BF16, BF16),
        ] {
            // bf16 keeps 8 bits: small factors.
            let cut = |x: i64| if acc == BF16 { x % 8 } else { x };
            let two = |a: i64, b: i64| (enc(f, cut(a)) | enc(f, cut(b)) << 16) as u32;
            m.set_v(0, std::array::from_fn(|l| two(v[l][0], v[l][1])));
            m.set_v(1, std::array::from_fn(|l| two(v[l][2], v[l][3])));
            m.set_v(2, std::array::from_fn(|l| enc(acc, cut(v[l][4])) as u32));
            m.set_v(3, [0; 32]);
            m.run(name).unwrap();
            let d = if name.contains("acc") { 2 } else { 3 };
            for (l, k) in v.iter().enumerate() {
                let k = k.map(cut);
                let want = enc(acc, k[0] * k[2] + k[1] * k[3] + k[4]);
                assert_eq!(u64::from(m.v(d)[l]) & acc.all(), want, "{name} {k:?}");
            }
        }
    }
    // Infinities and NaN follow IEEE.
    let (inf, one) = (0x7c00_3c00u32, 0x3c00_3c00u32);
    m.set_v(0, [inf; 32]).set_v(1, [one; 32]).set_v(2, [0; 32]);
    m.run("v_dot2_f32_f16 v3, v0, v1, v2").unwrap();
    assert_eq!(m.v(3)[0], 0x7f80_0000);
    m.set_v(2, [0xff80_0000; 32]);
    m.run("v_dot2_f32_f16 v3, v0, v1, v2").unwrap();
    assert!(f32::from_bits(m.v(3)[5]).is_nan());
}
