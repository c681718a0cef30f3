//! f64: the division sequence compilers emit, rounding directions, output modifiers.
#![allow(clippy::unwrap_used)]

use crate::common::*;
use t0_sim::wave::Row;

/// Rows of low and high dwords.
fn split(v: &[u64]) -> (Row, Row) {
    let get = |l: usize| v[l % v.len()];
    (
        std::array::from_fn(|l| get(l) as u32),
        std::array::from_fn(|l| (get(l) >> 32) as u32),
    )
}

fn set(m: &mut Machine, r: usize, v: &[u64]) {
    let (lo, hi) = split(v);
    m.set_v(r, lo).set_v(r + 1, hi);
}

fn get(m: &Machine, r: usize) -> Vec<u64> {
    let (lo, hi) = (m.v(r), m.v(r + 1));
    (0..32).map(|l| u64::from(lo[l]) | u64::from(hi[l]) << 32).collect()
}

fn same(a: u64, b: f64) -> bool {
    a == b.to_bits() || (f64::from_bits(a).is_nan() && b.is_nan())
}

/// What clang-19 makes of `x / y` on gfx1100 (x in v[0:1], y in v[2:3]).
const DIVISION: &str = "
    v_div_scale_f64 v[4:5], null, v[2:3], v[2:3], v[0:1]
    v_rcp_f64_e32 v[6:7], v[4:5]
    s_waitcnt_depctr 0xfff
    v_fma_f64 v[8:9], -v[4:5], v[6:7], 1.0
    v_fma_f64 v[6:7], v[6:7], v[8:9], v[6:7]
    v_fma_f64 v[8:9], -v[4:5], v[6:7], 1.0
    v_fma_f64 v[6:7], v[6:7], v[8:9], v[6:7]
    v_div_scale_f64 v[8:9], vcc_lo, v[0:1], v[2:3], v[0:1]
    v_mul_f64 v[10:11], v[8:9], v[6:7]
    v_fma_f64 v[4:5], -v[4:5], v[10:11], v[8:9]
    v_div_fmas_f64 v[4:5], v[4:5], v[6:7], v[10:11]
    v_div_fixup_f64 v[4:5], v[4:5], v[2:3], v[0:1]";

#[test]
fn the_division_sequence_is_exact() {
    let mut r = Rng(0x1357_9bdf_2468_ace1);
    let edges = [
        0.0,
        -0.0,
        1.0,
        -3.0,
        f64::MIN_POSITIVE,
        5e-324,
        1e-310,
        f64::MAX,
        f64::INFINITY,
        f64::NAN,
        1e300,
        1e-300,
        7.0,
        2f64.powi(-1021),
        2f64.powi(1022),
        1.0 - f64::EPSILON / 2.0,
    ];
    let mut cases: Vec<(f64, f64)> = edges.iter().flat_map(|&a| edges.iter().map(move |&b| (a, b))).collect();
    for k in 0..8000 {
        let (a, b) = (r.u64(), r.u64());
        let near = |v: u64| (v & !(0x7ff << 52)) | (900 + (v >> 52) % 250) << 52;
        let (a, b) = if k % 2 == 0 { (a, b) } else { (near(a), near(b)) };
        cases.push((f64::from_bits(a), f64::from_bits(b)));
    }
    let code = assemble(&format!("{DIVISION}\ns_endpgm"));
    for chunk in cases.chunks(32) {
        let mut m = Machine::new();
        set(&mut m, 0, &chunk.iter().map(|c| c.0.to_bits()).collect::<Vec<_>>());
        set(&mut m, 2, &chunk.iter().map(|c| c.1.to_bits()).collect::<Vec<_>>());
        m.run_code(&code).unwrap();
        for (got, (a, b)) in get(&m, 4).into_iter().zip(chunk) {
            assert!(
                same(got, a / b),
                "{a:e} / {b:e} = {:e}, not {:e}",
                f64::from_bits(got),
                a / b
            );
        }
    }
}

#[test]
fn sums_and_products_follow_the_rounding_field() {
    // 1 + 2^-60 and 3 * (1 + 2^-52) are not representable; MODE[3:2] is the direction.
    let tiny = 2f64.powi(-60);
    let up = f64::from_bits(1f64.to_bits() + 1);
    for (round, sum, negative) in [(0, 1.0, -1.0), (1, up, -1.0), (2, 1.0, -up), (3, 1.0, -1.0)] {
        let mut m = Machine::new();
        m.wave.set_mode((MODE & !0xf) | round << 2);
        set(&mut m, 0, &[1f64.to_bits(), (-1f64).to_bits()]);
        set(&mut m, 2, &[tiny.to_bits(), (-tiny).to_bits()]);
        m.run("v_add_f64 v[4:5], v[0:1], v[2:3]\nv_fma_f64 v[6:7], v[2:3], 1.0, v[0:1]")
            .unwrap();
        for r in [4, 6] {
            assert_eq!(get(&m, r)[..2], [sum.to_bits(), f64::to_bits(negative)], "mode {round}");
        }
    }
}

#[test]
fn output_modifiers_need_flushed_denormals_and_no_ieee_mode() {
    let run = |mode: u32| {
        let mut m = Machine::new();
        m.wave.set_mode(mode);
        m.set_v(0, std::array::from_fn(|l| if l == 0 { 3f32 } else { -0f32 }.to_bits()));
        m.run("v_mul_f32 v1, 1.0, v0 mul:4").unwrap();
        (f32::from_bits(m.v(1)[0]), m.v(1)[1])
    };
    // Denormals flushed, IEEE off: it works, and -0 becomes +0.
    assert_eq!(run(0x100), (12.0, 0));
    // IEEE on, or output denormals kept: ignored.
    assert_eq!(run(0x300), (3.0, 0x8000_0000));
    assert_eq!(run(0x1f0), (3.0, 0x8000_0000));
}

#[test]
fn fractions_stay_below_one() {
    let mut m = Machine::new();
    m.set_v(0, [(-1e-30f32).to_bits(); 32]).set_v(1, [0x8001; 32]);
    set(&mut m, 2, &[(-1e-300f64).to_bits()]);
    m.run("v_fract_f32 v4, v0\nv_fract_f16 v5, v1\nv_fract_f64 v[6:7], v[2:3]")
        .unwrap();
    assert_eq!((m.v(4)[0], m.v(5)[0] & 0xffff), (0x3f7f_ffff, 0x3bff));
    assert_eq!(get(&m, 6)[0], 1f64.to_bits() - 1);
    m.set_v(0, [0x7f80_0000; 32]);
    m.run("v_fract_f32 v4, v0").unwrap();
    assert_eq!(m.v(4)[0], 0x7fc0_0000);
}
