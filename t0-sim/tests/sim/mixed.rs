//! Doubles, dot products, mixed precision, packing and half-precision odds and ends.

use crate::common::*;
use half::f16;

fn h(x: f32) -> u32 {
    u32::from(f16::from_f32(x).to_bits())
}

fn pair(lo: f32, hi: f32) -> [u32; 32] {
    [h(lo) | h(hi) << 16; 32]
}

fn set64(m: &mut Machine, r: usize, x: f64) {
    m.set_v(r, [x.to_bits() as u32; 32])
        .set_v(r + 1, [(x.to_bits() >> 32) as u32; 32]);
}

fn get64(m: &Machine, r: usize) -> f64 {
    f64::from_bits(u64::from(m.v(r)[7]) | u64::from(m.v(r + 1)[7]) << 32)
}

#[test]
fn doubles() {
    let mut m = Machine::new();
    let mut rng = Rng(21);
    for _ in 0..200 {
        let random = |r: &mut Rng| (r.u64() as i64 as f64) / 1e15;
        let (a, b, c) = (random(&mut rng), random(&mut rng), random(&mut rng));
        set64(&mut m, 0, a);
        set64(&mut m, 2, b);
        set64(&mut m, 4, c);
        m.set_v(6, [(-3i32) as u32; 32]);
        m.run("v_add_f64 v[10:11], v[0:1], -v[2:3]\nv_mul_f64 v[12:13], v[0:1], v[2:3]\nv_fma_f64 v[14:15], v[0:1], v[2:3], v[4:5]\nv_max_f64 v[16:17], v[0:1], |v[2:3]|\nv_ldexp_f64 v[18:19], v[0:1], v6\nv_cvt_f32_f64 v20, v[0:1]\nv_cvt_i32_f64 v21, v[0:1]\nv_rndne_f64 v[22:23], v[0:1]\nv_cmp_lt_f64 vcc_lo, v[0:1], v[2:3]\nv_add_f64 v[24:25], v[0:1], 1.0").unwrap();
        assert_eq!(get64(&m, 10), a - b);
        assert_eq!(get64(&m, 12), a * b);
        assert_eq!(get64(&m, 14), a.mul_add(b, c));
        assert_eq!(get64(&m, 16), a.max(b.abs()));
        assert_eq!(get64(&m, 18), a / 8.0);
        assert_eq!(m.v(20)[0], (a as f32).to_bits());
        assert_eq!(m.v(21)[0], a as i32 as u32);
        assert_eq!(get64(&m, 22), a.round_ties_even());
        assert_eq!(m.s(106), if a < b { u32::MAX } else { 0 });
        assert_eq!(get64(&m, 24), a + 1.0);
    }
}

#[test]
fn dot_products() {
    let mut m = Machine::new();
    let mut rng = Rng(31);
    let bytes = |v: u32, bits: u32, signed: bool| -> Vec<i64> {
        (0..32 / bits)
            .map(|k| {
                let x = i64::from(v >> (k * bits) & ((1 << bits) - 1));
                if signed && x >> (bits - 1) == 1 {
                    x - (1 << bits)
                } else {
                    x
                }
            })
            .collect()
    };
    for _ in 0..100 {
        let (a, b, c) = (rng.u32(), rng.u32(), rng.u32());
        m.set_v(0, [a; 32]).set_v(1, [b; 32]).set_v(2, [c; 32]);
        m.run("v_dot4_i32_iu8 v3, v0, v1, v2 neg_lo:[1,0,0]\nv_dot4_u32_u8 v4, v0, v1, v2\nv_dot8_i32_iu4 v5, v0, v1, v2 neg_lo:[1,1,0]\nv_dot8_u32_u4 v6, v0, v1, v2\nv_dot4_i32_iu8 v7, v0, v1, v2 neg_lo:[1,1,0] clamp").unwrap();
        let dot = |bits, sa, sb| -> i64 {
            bytes(a, bits, sa)
                .iter()
                .zip(bytes(b, bits, sb))
                .map(|(x, y)| x * y)
                .sum()
        };
        assert_eq!(m.v(3)[0], (dot(8, true, false) + i64::from(c as i32)) as u32);
        assert_eq!(m.v(4)[0], (dot(8, false, false) + i64::from(c)) as u32);
        assert_eq!(m.v(5)[0], (dot(4, true, true) + i64::from(c as i32)) as u32);
        assert_eq!(m.v(6)[0], (dot(4, false, false) + i64::from(c)) as u32);
        let clamped = (dot(8, true, true) + i64::from(c as i32)).clamp(i32::MIN.into(), i32::MAX.into());
        assert_eq!(m.v(7)[0], clamped as u32);
    }
    m.set_v(0, pair(3.0, -4.0))
        .set_v(1, pair(5.0, 6.0))
        .set_v(2, [100f32.to_bits(); 32]);
    m.run("v_dot2_f32_f16 v3, v0, v1, v2\nv_dot2_f32_f16 v4, v0, v1, v2 neg_lo:[1,0,0] neg_hi:[1,0,0]\nv_mov_b32 v5, v2\nv_dot2acc_f32_f16 v5, v0, v1").unwrap();
    assert_eq!([3, 4, 5].map(|r| f32::from_bits(m.v(r)[0])), [91.0, 109.0, 91.0]);
}

#[test]
fn mixed_precision_chooses_its_operands() {
    let mut m = Machine::new();
    m.set_v(0, pair(2.0, 3.0))
        .set_v(1, pair(5.0, 7.0))
        .set_v(2, [0.5f32.to_bits(); 32])
        .set_v(3, [0x7777_7777; 32]);
    let mut go = |text: &str, r: usize| {
        m.run(text).unwrap();
        m.v(r)[3]
    };
    assert_eq!(
        f32::from_bits(go("v_fma_mix_f32 v4, v0, v1, v2 op_sel:[1,0,0] op_sel_hi:[1,1,0]", 4)),
        15.5
    );
    assert_eq!(
        f32::from_bits(go(
            "v_fma_mix_f32 v4, v0, -v1, |v2| op_sel:[0,1,0] op_sel_hi:[1,1,0]",
            4
        )),
        -13.5
    );
    assert_eq!(f32::from_bits(go("v_fma_mix_f32 v4, v2, v2, v2", 4)), 0.75);
    assert_eq!(
        go("v_fma_mixlo_f16 v3, v0, v1, v2 op_sel_hi:[1,1,0]", 3),
        0x7777_0000 | h(10.5)
    );
    assert_eq!(
        go("v_fma_mixhi_f16 v3, v0, v1, v2 op_sel:[1,1,0] op_sel_hi:[1,1,0]", 3),
        h(21.5) << 16 | h(10.5)
    );
}

#[test]
fn packing_and_halves() {
    let mut m = Machine::new();
    m.set_v(0, [1.0003f32.to_bits(); 32])
        .set_v(1, [(-70000.0f32).to_bits(); 32])
        .set_v(2, pair(1.5, -2.5))
        .set_v(3, pair(0.25, 9.0));
    m.run("v_cvt_pk_rtz_f16_f32 v4, v0, v1\nv_pack_b32_f16 v5, v2, v3 op_sel:[1,0,0]\nv_cvt_pk_i16_f32 v6, v0, v1\nv_cvt_f32_f16 v7, v2\nv_cvt_f32_f16_e64 v8, -v2\nv_mov_b32 v9, 0\nv_mov_b32 v13, 0x3c00\nv_fma_f16 v9, v2, v13, v3 op_sel:[1,0,1,1]\nv_pk_max_f16 v10, v2, v3\nv_pk_add_u16 v11, v2, -1 op_sel_hi:[1,0]\nv_pk_lshlrev_b16 v12, 4, v3 op_sel_hi:[0,1]").unwrap();
    // Toward zero: no overflow to infinity.
    assert_eq!(m.v(4)[0], 0xfbff_3c00);
    assert_eq!(m.v(5)[0], h(-2.5) | h(0.25) << 16);
    assert_eq!(m.v(6)[0], 0x8000_0001);
    assert_eq!((f32::from_bits(m.v(7)[0]), f32::from_bits(m.v(8)[0])), (1.5, -1.5));
    assert_eq!(m.v(9)[0], h(6.5) << 16);
    assert_eq!(m.v(10)[0], h(1.5) | h(9.0) << 16);
    let (lo, hi) = (h(1.5), h(-2.5));
    assert_eq!(m.v(11)[0], (lo - 1) | (hi - 1) << 16);
    assert_eq!(m.v(12)[0], ((h(0.25) << 4) & 0xffff) | ((h(9.0) << 4) & 0xffff) << 16);
    // Half-precision transcendentals within one unit of the last place.
    m.run("v_mov_b32 v4, 0\nv_mov_b32 v5, 0\nv_mov_b32 v6, 0\nv_exp_f16 v4, v2\nv_rcp_f16 v5, v3\nv_sqrt_f16 v6, v3")
        .unwrap();
    for (r, want) in [(4, 1.5f32.exp2()), (5, 4.0), (6, 0.5)] {
        let got = f16::from_bits(m.v(r)[0] as u16).to_f32();
        assert!((got - want).abs() <= want / 1000.0, "v{r}: {got} {want}");
    }
}

#[test]
fn f32_helpers() {
    let mut m = Machine::new();
    let row = |x: f32| [x.to_bits(); 32];
    m.set_v(0, row(3.0))
        .set_v(1, row(-7.0))
        .set_v(2, row(5.0))
        .set_v(3, [10; 32])
        .set_v(4, row(0.15625))
        .set_v(5, row(f32::NAN));
    m.run("v_med3_f32 v10, v0, v1, v2\nv_max3_f32 v11, v0, v1, v2\nv_minmax_f32 v12, v0, v1, v2\nv_ldexp_f32 v13, v0, v3\nv_frexp_mant_f32 v14, v4\nv_frexp_exp_i32_f32 v15, v4\nv_fract_f32 v16, v1\nv_min_f32 v17, v0, v5\nv_cvt_nearest_i32_f32 v18, v4\nv_mul_dx9_zero_f32 v19, 0, v5\nv_cvt_off_f32_i4 v20, 9\nv_cvt_pk_norm_u16_f32 v21, v4, v2").unwrap();
    let f = |r: usize| f32::from_bits(m.v(r)[0]);
    assert_eq!((f(10), f(11), f(12), f(13)), (3.0, 5.0, 5.0, 3072.0));
    assert_eq!((f(14), m.v(15)[0] as i32, f(16), f(17)), (0.625, -2, 0.0, 3.0));
    assert_eq!((m.v(18)[0], f(19), f(20)), (0, 0.0, -0.4375));
    assert_eq!(m.v(21)[0], 0xffff_0000 | (0.15625f32 * 65535.0).round() as u32);
}
