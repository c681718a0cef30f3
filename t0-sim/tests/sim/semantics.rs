//! Each operation at edge values against a scalar model written from the manual, one lane at a time.
#![allow(clippy::unwrap_used, clippy::type_complexity)]

use crate::common::*;
use t0_sim::wave::Row;

type F2 = fn(u32, u32) -> u32;
type F3 = fn(u32, u32, u32) -> u32;

/// Runs `op v2, v0, v1` on every pair of edges plus random rows, with holes in EXEC.
fn check2(op: &str, edges: &[u32], want: impl Fn(u32, u32) -> u32) {
    let code = assemble(&format!("{op} v2, v0, v1\ns_endpgm"));
    let mut rng = Rng(0x9e37_79b9_7f4a_7c15);
    let mut rows = pairs(edges);
    rows.extend((0..20).map(|_| (rng.row(), rng.row())));
    let mut m = Machine::new();
    for (k, (a, b)) in rows.iter().enumerate() {
        let exec = if k % 3 == 0 { 0x0ff0_5aa5 } else { u32::MAX };
        m.set_v(0, *a).set_v(1, *b).set_v(2, [0xdead_beef; 32]).set_s(126, exec);
        m.run_code(&code).unwrap();
        let got = m.v(2);
        for l in 0..32 {
            let expect = if exec >> l & 1 == 1 {
                want(a[l], b[l])
            } else {
                0xdead_beef
            };
            assert_eq!(got[l], expect, "{op} {:#x}, {:#x} lane {l}", a[l], b[l]);
        }
    }
}

fn check3(op: &str, want: impl Fn(u32, u32, u32) -> u32) {
    let code = assemble(&format!("{op} v3, v0, v1, v2\ns_endpgm"));
    let mut rng = Rng(0x1234_5678_1234_5678);
    let mut m = Machine::new();
    for k in 0..300 {
        let pick = |rng: &mut Rng| -> Row {
            std::array::from_fn(|_| {
                if rng.u32() % 3 == 0 {
                    rng.u32()
                } else {
                    EDGES_INT[rng.u32() as usize % 16]
                }
            })
        };
        let (a, b, c) = (pick(&mut rng), pick(&mut rng), pick(&mut rng));
        let exec = if k % 3 == 0 { 0xf0f0_1357 } else { u32::MAX };
        m.set_v(0, a).set_v(1, b).set_v(2, c).set_v(3, [7; 32]).set_s(126, exec);
        m.run_code(&code).unwrap();
        for l in 0..32 {
            let expect = if exec >> l & 1 == 1 { want(a[l], b[l], c[l]) } else { 7 };
            assert_eq!(m.v(3)[l], expect, "{op} {:#x}, {:#x}, {:#x}", a[l], b[l], c[l]);
        }
    }
}

fn check1(op: &str, edges: &[u32], want: impl Fn(u32) -> u32) {
    let code = assemble(&format!("{op} v1, v0\ns_endpgm"));
    let mut rng = Rng(42);
    let mut values = edges.to_vec();
    values.extend((0..2000).map(|_| rng.u32()));
    let mut m = Machine::new();
    for chunk in values.chunks(32) {
        let a: Row = std::array::from_fn(|l| chunk[l % chunk.len()]);
        m.set_v(0, a);
        m.run_code(&code).unwrap();
        for l in 0..32 {
            assert_eq!(m.v(1)[l], want(a[l]), "{op} {:#x}", a[l]);
        }
    }
}

#[test]
fn integer_operations_of_two_sources() {
    let table: &[(&str, F2)] = &[
        ("v_add_nc_u32", |a, b| (u64::from(a) + u64::from(b)) as u32),
        ("v_sub_nc_u32", |a, b| (i64::from(a) - i64::from(b)) as u32),
        ("v_subrev_nc_u32", |a, b| (i64::from(b) - i64::from(a)) as u32),
        ("v_mul_lo_u32", |a, b| (u64::from(a) * u64::from(b)) as u32),
        ("v_mul_hi_u32", |a, b| ((u128::from(a) * u128::from(b)) >> 32) as u32),
        ("v_mul_hi_i32", |a, b| {
            ((i128::from(a as i32) * i128::from(b as i32)) >> 32) as u32
        }),
        ("v_mul_u32_u24", |a, b| {
            ((u64::from(a % 0x100_0000) * u64::from(b % 0x100_0000)) & 0xffff_ffff) as u32
        }),
        ("v_mul_i32_i24", |a, b| {
            let s = |x: u32| {
                let x = i64::from(x % 0x100_0000);
                if x >= 0x80_0000 {
                    x - 0x100_0000
                } else {
                    x
                }
            };
            (s(a) * s(b)) as u32
        }),
        ("v_and_b32", |a, b| a & b),
        ("v_or_b32", |a, b| a | b),
        ("v_xor_b32", |a, b| (a | b) & !(a & b)),
        ("v_xnor_b32", |a, b| !((a | b) & !(a & b))),
        ("v_lshlrev_b32", |a, b| (u64::from(b) << (a % 32)) as u32),
        ("v_lshrrev_b32", |a, b| (u64::from(b) >> (a % 32)) as u32),
        ("v_ashrrev_i32", |a, b| (i64::from(b as i32) >> (a % 32)) as u32),
        ("v_min_i32", |a, b| if (a as i32) < (b as i32) { a } else { b }),
        ("v_max_i32", |a, b| if (a as i32) < (b as i32) { b } else { a }),
        ("v_min_u32", |a, b| if a < b { a } else { b }),
        ("v_max_u32", |a, b| if a < b { b } else { a }),
        ("v_bfm_b32", |a, b| {
            ((((1u64 << (a % 32)) - 1) << (b % 32)) & 0xffff_ffff) as u32
        }),
        ("v_bcnt_u32_b32", |a, b| {
            b.wrapping_add((0..32).map(|k| a >> k & 1).sum())
        }),
        ("v_cvt_pk_u16_u32", |a, b| a.min(65535) + (b.min(65535) << 16)),
        ("v_cvt_pk_i16_i32", |a, b| {
            let s = |x: u32| {
                let x = i64::from(x as i32);
                (if x > 32767 {
                    32767
                } else if x < -32768 {
                    -32768
                } else {
                    x
                }) as u32
                    & 0xffff
            };
            s(a) | s(b) << 16
        }),
    ];
    table.iter().for_each(|(op, f)| check2(op, &EDGES_INT, f));
}

#[test]
fn integer_operations_of_three_sources() {
    let table: &[(&str, F3)] = &[
        ("v_mad_u32_u24", |a, b, c| {
            (u64::from(a & 0xff_ffff) * u64::from(b & 0xff_ffff) + u64::from(c)) as u32
        }),
        ("v_bfe_u32", |a, b, c| {
            ((u64::from(a) >> (b & 31)) % (1 << (c & 31))) as u32
        }),
        ("v_bfe_i32", |a, b, c| {
            let n = c & 31;
            let f = (i64::from(a as i32) >> (b & 31)) & ((1 << n) - 1);
            (if n > 0 && f >> (n - 1) & 1 == 1 {
                f - (1 << n)
            } else {
                f
            }) as u32
        }),
        ("v_bfi_b32", |a, b, c| (a & b) | (!a & c)),
        ("v_alignbit_b32", |a, b, c| {
            (((u64::from(a) << 32) + u64::from(b)) >> (c % 32)) as u32
        }),
        ("v_alignbyte_b32", |a, b, c| {
            (((u64::from(a) << 32) + u64::from(b)) >> (8 * (c % 4))) as u32
        }),
        ("v_min3_i32", |a, b, c| {
            [a, b, c].map(|x| x as i32).into_iter().min().unwrap() as u32
        }),
        ("v_max3_u32", |a, b, c| [a, b, c].into_iter().max().unwrap()),
        ("v_med3_i32", |a, b, c| {
            let mut v = [a, b, c].map(|x| x as i32);
            v.sort();
            v[1] as u32
        }),
        ("v_med3_u32", |a, b, c| {
            let mut v = [a, b, c];
            v.sort();
            v[1]
        }),
        ("v_maxmin_i32", |a, b, c| (a as i32).max(b as i32).min(c as i32) as u32),
        ("v_xor3_b32", |a, b, c| a ^ b ^ c),
        ("v_add3_u32", |a, b, c| {
            (u64::from(a) + u64::from(b) + u64::from(c)) as u32
        }),
        ("v_lshl_add_u32", |a, b, c| {
            ((u64::from(a) << (b % 32)) + u64::from(c)) as u32
        }),
        ("v_add_lshl_u32", |a, b, c| {
            (((u64::from(a) + u64::from(b)) & 0xffff_ffff) << (c % 32)) as u32
        }),
        ("v_lshl_or_b32", |a, b, c| (u64::from(a) << (b % 32)) as u32 | c),
        ("v_and_or_b32", |a, b, c| (a & b) | c),
        ("v_or3_b32", |a, b, c| a | b | c),
        ("v_xad_u32", |a, b, c| ((a ^ b) as u64 + c as u64) as u32),
        ("v_sad_u32", |a, b, c| c.wrapping_add(if a > b { a - b } else { b - a })),
        ("v_perm_b32", |a, b, c| {
            let data: Vec<u8> = b.to_le_bytes().into_iter().chain(a.to_le_bytes()).collect();
            u32::from_le_bytes(c.to_le_bytes().map(|s| match s {
                0..=7 => data[s as usize],
                8..=11 => {
                    if data[(s as usize - 8) * 2 + 1] & 0x80 != 0 {
                        0xff
                    } else {
                        0
                    }
                }
                12 => 0,
                _ => 0xff,
            }))
        }),
    ];
    table.iter().for_each(|(op, f)| check3(op, f));
}

/// What an f32 operation returns when its host result is `r`.
fn canonical(r: f32, ops: &[u32]) -> u32 {
    if !r.is_nan() {
        return r.to_bits();
    }
    ops.iter()
        .find(|&&b| f32::from_bits(b).is_nan())
        .map_or(0x7fc0_0000, |b| b | 0x0040_0000)
}

#[test]
fn f32_arithmetic() {
    let f = f32::from_bits;
    check2("v_add_f32", &EDGES_F32, |a, b| canonical(f(a) + f(b), &[a, b]));
    check2("v_sub_f32", &EDGES_F32, |a, b| canonical(f(a) - f(b), &[a, b]));
    check2("v_subrev_f32", &EDGES_F32, |a, b| canonical(f(b) - f(a), &[a, b]));
    check2("v_mul_f32", &EDGES_F32, |a, b| canonical(f(a) * f(b), &[a, b]));
    let mut m = Machine::new();
    let code = assemble("v_mov_b32 v3, v2\nv_fma_f32 v4, v0, v1, v2\nv_fmac_f32 v3, v0, v1\ns_endpgm");
    let mut rng = Rng(3);
    for _ in 0..500 {
        let pick = |rng: &mut Rng| -> Row {
            std::array::from_fn(|_| {
                if rng.u32() % 4 == 0 {
                    EDGES_F32[rng.u32() as usize % 20]
                } else {
                    rng.u32()
                }
            })
        };
        let (a, b, c) = (pick(&mut rng), pick(&mut rng), pick(&mut rng));
        m.set_v(0, a).set_v(1, b).set_v(2, c);
        m.run_code(&code).unwrap();
        for l in 0..32 {
            let want = canonical(f(a[l]).mul_add(f(b[l]), f(c[l])), &[a[l], b[l], c[l]]);
            assert_eq!(
                (m.v(3)[l], m.v(4)[l]),
                (want, want),
                "fma {:#x} {:#x} {:#x}",
                a[l],
                b[l],
                c[l]
            );
        }
    }
}

#[test]
fn f32_min_max_follow_ieee_mode() {
    let model = |max: bool| {
        move |a: u32, b: u32| {
            let f = f32::from_bits;
            let snan = |x: u32| f(x).is_nan() && x & 0x0040_0000 == 0;
            if snan(a) || snan(b) {
                return if snan(a) { a | 0x0040_0000 } else { b | 0x0040_0000 };
            }
            match (f(a).is_nan(), f(b).is_nan()) {
                (_, true) => a,
                (true, false) => b,
                _ if f(a) == f(b) => {
                    // Equal values differ only as zeros of both signs.
                    let negative = if a >> 31 == 1 { (a, b) } else { (b, a) };
                    if max {
                        negative.1
                    } else {
                        negative.0
                    }
                }
                _ => {
                    if (f(a) > f(b)) == max {
                        a
                    } else {
                        b
                    }
                }
            }
        }
    };
    check2("v_max_f32", &EDGES_F32, model(true));
    check2("v_min_f32", &EDGES_F32, model(false));
}

#[test]
fn conversions_saturate() {
    let f = f32::from_bits;
    let sat = |x: f64, lo: f64, hi: f64| if x.is_nan() { 0.0 } else { x.trunc().max(lo).min(hi) };
    check1("v_cvt_u32_f32", &EDGES_F32, |a| {
        sat(f(a).into(), 0.0, 4294967295.0) as u64 as u32
    });
    check1("v_cvt_i32_f32", &EDGES_F32, |a| {
        sat(f(a).into(), -2147483648.0, 2147483647.0) as i64 as u32
    });
    check1("v_cvt_f32_i32", &EDGES_INT, |a| (a as i32 as f32).to_bits());
    check1("v_cvt_f32_u32", &EDGES_INT, |a| (a as f32).to_bits());
    check1("v_cvt_f32_ubyte2", &EDGES_INT, |a| {
        (a.to_le_bytes()[2] as f32).to_bits()
    });
    check1("v_rndne_f32", &EDGES_F32, |a| canonical(f(a).round_ties_even(), &[a]));
    check1("v_floor_f32", &EDGES_F32, |a| canonical(f(a).floor(), &[a]));
    check1("v_ceil_f32", &EDGES_F32, |a| canonical(f(a).ceil(), &[a]));
    check1("v_trunc_f32", &EDGES_F32, |a| canonical(f(a).trunc(), &[a]));
    check1("v_bfrev_b32", &EDGES_INT, |a| {
        (0..32).map(|k| (a >> k & 1) << (31 - k)).sum()
    });
    check1("v_clz_i32_u32", &EDGES_INT, |a| {
        (0..32).find(|k| a >> (31 - k) & 1 == 1).unwrap_or(u32::MAX)
    });
    check1("v_ctz_i32_b32", &EDGES_INT, |a| {
        (0..32).find(|k| a >> k & 1 == 1).unwrap_or(u32::MAX)
    });
    check1("v_cls_i32", &EDGES_INT, |a| {
        (1..32).find(|k| a >> (31 - k) & 1 != a >> 31).unwrap_or(u32::MAX)
    });
    check1("v_not_b32", &EDGES_INT, |a| u32::MAX - a);
}

#[test]
fn half_precision_writes_one_half_and_rounds_once() {
    // v_cvt_f16_f32 keeps the upper half of its destination.
    let mut m = Machine::new();
    let mut rng = Rng(11);
    for _ in 0..200 {
        let a: Row = std::array::from_fn(|_| (rng.u32() & 0x83ff_ffff) | (100 + rng.u32() % 50) << 23);
        m.set_v(0, a).set_v(1, [0xabcd_0000; 32]);
        m.run("v_cvt_f16_f32 v1, v0").unwrap();
        for l in 0..32 {
            let h = half::f16::from_f32(f32::from_bits(a[l]));
            assert_eq!(m.v(1)[l], 0xabcd_0000 | u32::from(h.to_bits()));
        }
    }
    // Every operation on random halves against exact arithmetic in f64 with one rounding.
    let ops: &[(&str, fn(f64, f64) -> f64)] = &[
        ("v_add_f16", |a, b| a + b),
        ("v_sub_f16", |a, b| a - b),
        ("v_mul_f16", |a, b| a * b),
    ];
    for (op, f) in ops {
        let code = assemble(&format!("v_mov_b32 v2, 0\n{op} v2, v0, v1\ns_endpgm"));
        for _ in 0..500 {
            let (a, b) = (rng.row(), rng.row());
            m.set_v(0, a).set_v(1, b);
            m.run_code(&code).unwrap();
            for l in 0..32 {
                let [x, y] = [a[l], b[l]].map(|v| half::f16::from_bits(v as u16));
                // Sums and products of two halves are exact in f64.
                let want = half::f16::from_f64(f(x.to_f64(), y.to_f64()));
                let got = half::f16::from_bits(m.v(2)[l] as u16);
                assert!(
                    got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan()),
                    "{op} {x:?} {y:?}: {got:?}"
                );
            }
        }
    }
    // Packed: op_sel picks halves, neg_hi negates the high product.
    m.set_v(0, [0x4000_3c00; 32]).set_v(1, [0x4400_4200; 32]);
    m.run("v_pk_mul_f16 v2, v0, v1").unwrap();
    assert_eq!(m.v(2)[5], 0x4800_4200); // 2 * 4, 1 * 3
    m.run("v_pk_mul_f16 v2, v0, v1 op_sel:[1,0] op_sel_hi:[0,1] neg_hi:[1,0]")
        .unwrap();
    assert_eq!(m.v(2)[5], 0xc400_4600); // -(1 * 4), 2 * 3
    m.set_v(2, [0x3c00_3c00; 32]);
    m.run("v_pk_fma_f16 v3, v0, v1, v2").unwrap();
    assert_eq!(m.v(3)[9], 0x4880_4400); // 2 * 4 + 1, 1 * 3 + 1
}

#[test]
fn f16_fma_is_fused() {
    let mut m = Machine::new();
    let mut rng = Rng(8);
    let code = assemble("v_mov_b32 v3, 0\nv_fma_f16 v3, v0, v1, v2\ns_endpgm");
    for _ in 0..2000 {
        let (a, b, c) = (rng.row(), rng.row(), rng.row());
        m.set_v(0, a).set_v(1, b).set_v(2, c);
        m.run_code(&code).unwrap();
        for l in 0..32 {
            let [x, y, z] = [a[l], b[l], c[l]].map(|v| half::f16::from_bits(v as u16));
            if ![x, y, z].iter().all(|v| v.is_finite()) {
                continue;
            }
            // Exact: every finite half is an integer multiple of 2^-24, so the sum is one of 2^-48.
            let fix = |h: half::f16| (h.to_f64() * 16777216.0) as i128;
            let exact = fix(x) * fix(y) + (fix(z) << 24);
            let want = round_fixed_to_f16(exact);
            let got = m.v(3)[l] as u16;
            assert!(
                got == want || (exact == 0 && got & 0x7fff == 0),
                "{x} {y} {z}: {got:#x} {want:#x}"
            );
        }
    }
}

/// Rounds `n * 2^-48` to f16, ties to even, by search over integers.
fn round_fixed_to_f16(n: i128) -> u16 {
    let (sign, m) = (if n < 0 { 0x8000 } else { 0 }, n.unsigned_abs());
    let top = 128 - m.leading_zeros() as i32; // m < 2^top
    let exp = (top - 1 - 48).max(-14); // value exponent, floored at the denormal range
    let shift = exp - 10 + 48; // one unit in the last place is 2^(exp - 10)
    let (mut q, rest) = if shift <= 0 {
        (m << -shift, 0)
    } else {
        (m >> shift, m & ((1 << shift) - 1))
    };
    if shift > 0 {
        let half = 1u128 << (shift - 1);
        if rest > half || (rest == half && q & 1 == 1) {
            q += 1;
        }
    }
    let value = if q < 1024 && exp == -14 {
        q as i32
    } else {
        ((exp + 15) << 10) + q as i32 - 1024
    };
    sign | value.min(0x7c00) as u16
}

#[test]
fn modifiers_negate_select_clamp_and_scale() {
    let mut m = Machine::new();
    let row = |x: f32| [x.to_bits(); 32];
    m.set_v(0, row(-3.0)).set_v(1, row(2.0));
    let mut go = |text: &str| {
        m.run(text).unwrap();
        f32::from_bits(m.v(2)[17])
    };
    assert_eq!(go("v_add_f32 v2, -v0, v1"), 5.0);
    assert_eq!(go("v_add_f32 v2, |v0|, v1"), 5.0);
    assert_eq!(go("v_add_f32 v2, -|v0|, v1"), -1.0);
    assert_eq!(go("v_add_f32 v2, v0, v1 clamp"), 0.0);
    assert_eq!(go("v_add_f32 v2, -v0, v1 clamp"), 1.0);
    assert_eq!(go("v_fma_f32 v2, v0, -v1, 1.0"), 7.0);
    // omod is ignored while denormal results are kept, and in IEEE mode.
    assert_eq!(go("v_mul_f32 v2, v1, v1 mul:2"), 4.0);
    assert_eq!(go("s_denorm_mode 0\nv_mul_f32 v2, v1, v1 mul:2"), 4.0);
    assert_eq!(
        go("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 9, 1), 0\nv_mul_f32 v2, v1, v1 mul:2"),
        8.0
    );
    assert_eq!(go("v_mul_f32 v2, v1, v1 div:2"), 2.0);
    assert_eq!(go("v_max_f32 v2, 0x41200000, v1"), 10.0);
    assert_eq!(go("v_fmamk_f32 v2, v0, 0x41200000, v1"), -28.0);
    assert_eq!(go("v_fmaak_f32 v2, v0, v1, 0x41200000"), 4.0);
}

#[test]
fn mode_flushes_denormals_and_rounds() {
    let mut m = Machine::new();
    m.set_v(0, [1; 32]).set_v(1, [0x0080_0000; 32]);
    m.run("v_add_f32 v2, v0, v0").unwrap();
    assert_eq!(m.v(2)[0], 2);
    m.run("s_denorm_mode 0\nv_add_f32 v2, v0, v0\nv_mul_f32 v3, 0.5, v1")
        .unwrap();
    assert_eq!((m.v(2)[0], m.v(3)[0]), (0, 0));
    // Round up: 1 + 2^-30.
    let mut m = Machine::new();
    m.set_v(0, [0x3080_0000; 32]);
    for (mode, want) in [(0, 0x3f80_0000), (1, 0x3f80_0001), (2, 0x3f80_0000), (3, 0x3f80_0000)] {
        m.run(&format!("s_round_mode {mode:#x}\nv_add_f32 v2, 1.0, v0"))
            .unwrap();
        assert_eq!(m.v(2)[0], want, "round mode {mode}");
    }
    m.run("s_getreg_b32 s4, hwreg(HW_REG_MODE, 0, 4)").unwrap();
    assert_eq!(m.s(4), 3);
    m.run("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0x1\ns_getreg_b32 s4, hwreg(HW_REG_MODE, 0, 4)")
        .unwrap();
    assert_eq!(m.s(4), 1);
}

#[test]
fn compares_make_masks() {
    let mut m = Machine::new();
    m.set_v(0, std::array::from_fn(|l| (l as f32 - 16.0).to_bits()));
    m.set_v(1, std::array::from_fn(|l| if l == 3 { f32::NAN.to_bits() } else { 0 }));
    m.set_s(126, 0xffff_fff0 | 0xc);
    m.run("v_cmp_lt_f32 vcc_lo, v0, v1\nv_cmp_nlt_f32 s4, v0, v1\nv_cmp_u_f32 s5, v0, v1")
        .unwrap();
    let exec = 0xffff_fffc;
    assert_eq!(m.s(106), 0x0000_fff7 & exec);
    assert_eq!(m.s(4), !0x0000_fff7 & exec);
    assert_eq!(m.s(5), 8);
    m.run("v_cmp_gt_i32 vcc_lo, 0, v0\nv_cndmask_b32 v2, 1, v0, vcc_lo")
        .unwrap();
    assert_eq!(m.v(2)[5], m.v(0)[5]);
    assert_eq!(m.v(2)[20], 1);
    m.run("v_cmpx_gt_u32 16, v3\n").unwrap();
    let mut m = Machine::new();
    m.set_v(0, std::array::from_fn(|l| l as u32));
    m.run("v_cmpx_gt_u32 10, v0\nv_mov_b32 v1, 5").unwrap();
    assert_eq!(m.s(126), 0x3ff);
    assert_eq!((m.v(1)[9], m.v(1)[10] != 5), (5, true));
    // Class: -0 is bit 5, +denormal bit 7.
    m.set_s(126, u32::MAX).set_v(
        0,
        std::array::from_fn(|l| [0x8000_0000, 1, 0x7f80_0000, 0x7f80_0001][l % 4]),
    );
    m.set_v(1, [1 << 5 | 1 << 7 | 1; 32]);
    m.run("v_cmp_class_f32 vcc_lo, v0, v1").unwrap();
    assert_eq!(m.s(106), 0xbbbb_bbbb);
}

#[test]
fn carries_and_wide_products() {
    let mut m = Machine::new();
    let mut rng = Rng(5);
    for _ in 0..50 {
        let (a, b, c, d) = (rng.row(), rng.row(), rng.row(), rng.row());
        m.set_v(0, a).set_v(1, b).set_v(2, c).set_v(3, d);
        m.run("v_add_co_u32 v4, vcc_lo, v0, v2\nv_add_co_ci_u32 v5, vcc_lo, v1, v3, vcc_lo\nv_sub_co_u32 v6, s4, v0, v2\nv_sub_co_ci_u32 v7, s4, v1, v3, s4\nv_mad_u64_u32 v[8:9], s6, v0, v1, v[2:3]\nv_lshlrev_b64 v[10:11], v0, v[2:3]").unwrap();
        for l in 0..32 {
            let (x, y) = (
                u64::from(a[l]) | u64::from(b[l]) << 32,
                u64::from(c[l]) | u64::from(d[l]) << 32,
            );
            let pair = |m: &Machine, r: usize| u64::from(m.v(r)[l]) | u64::from(m.v(r + 1)[l]) << 32;
            let (sum, carry) = x.overflowing_add(y);
            assert_eq!((pair(&m, 4), m.s(106) >> l & 1 == 1), (sum, carry));
            let (dif, borrow) = x.overflowing_sub(y);
            assert_eq!((pair(&m, 6), m.s(4) >> l & 1 == 1), (dif, borrow));
            let wide = u128::from(a[l]) * u128::from(b[l]) + u128::from(y);
            assert_eq!((pair(&m, 8), m.s(6) >> l & 1), (wide as u64, (wide >> 64) as u32));
            assert_eq!(pair(&m, 10), y << (a[l] % 64));
        }
    }
}

#[test]
fn scalar_arithmetic_and_its_condition_code() {
    let mut m = Machine::new();
    let mut check = |op: &str, a: u32, b: u32, want: u32, scc: u32| {
        m.set_s(4, a).set_s(5, b);
        m.run(&format!("{op} s6, s4, s5\ns_cselect_b32 s7, 1, 0")).unwrap();
        assert_eq!((m.s(6), m.s(7)), (want, scc), "{op} {a:#x} {b:#x}");
    };
    check("s_add_u32", 0xffff_ffff, 1, 0, 1);
    check("s_add_i32", 0x7fff_ffff, 1, 0x8000_0000, 1);
    check("s_add_i32", 0xffff_ffff, 1, 0, 0);
    check("s_sub_u32", 0, 1, 0xffff_ffff, 1);
    check("s_sub_i32", 0x8000_0000, 1, 0x7fff_ffff, 1);
    check("s_min_i32", 5, 0xffff_fffe, 0xffff_fffe, 0);
    check("s_max_u32", 5, 0xffff_fffe, 0xffff_fffe, 0);
    check("s_and_not1_b32", 0b1100, 0b0100, 0b1000, 1);
    check("s_lshl_b32", 1, 33, 2, 1);
    check("s_ashr_i32", 0x8000_0000, 31, 0xffff_ffff, 1);
    check("s_bfe_u32", 0xabcd_1234, 8 << 16 | 8, 0x12, 1);
    check("s_bfe_i32", 0x0000_8000, 8 << 16 | 8, 0xffff_ff80, 1);
    check("s_lshl3_add_u32", 0x2000_0000, 5, 5, 1);
    check("s_absdiff_i32", 3, 10, 7, 1);
    m.set_s(8, 0xffff_0000).set_s(126, 0x00ff_ffff);
    m.run("s_and_saveexec_b32 s9, s8\ns_cselect_b32 s10, 1, 0").unwrap();
    assert_eq!((m.s(126), m.s(9), m.s(10)), (0x00ff_0000, 0x00ff_ffff, 1));
    m.set_s64(12, 0x8000_0000_0000_0001);
    m.run("s_lshl_b64 s[14:15], s[12:13], 1\ns_bcnt1_i32_b64 s16, s[12:13]\ns_ctz_i32_b64 s17, 0\ns_mulk_i32 s16, 0x10\ns_movk_i32 s18, 0xfff6\ns_cmpk_lt_i32 s18, 0xfff7\ns_cselect_b32 s19, 3, 4").unwrap();
    assert_eq!(
        (m.s(14), m.s(15), m.s(16), m.s(17), m.s(18) as i32, m.s(19)),
        (2, 0, 32, u32::MAX, -10, 3)
    );
    // NULL reads zero and swallows writes.
    m.run("s_add_u32 null, s12, s12\ns_mov_b32 s20, null").unwrap();
    assert_eq!(m.s(20), 0);
}

#[test]
fn lanes_move() {
    let mut m = Machine::new();
    m.set_v(0, std::array::from_fn(|l| 100 + l as u32));
    m.set_s(4, 0x7654_3210).set_s(5, 0xfedc_ba98);
    m.run("v_permlanex16_b32 v1, v0, s4, s5 op_sel:[1,0]\nv_permlane16_b32 v2, v0, 0, 0\nv_readlane_b32 s6, v0, 7\nv_mov_b32 v3, 0\ns_mov_b32 s8, 55\nv_writelane_b32 v3, s8, 9\nv_readfirstlane_b32 s7, v0").unwrap();
    assert_eq!((m.v(1)[3], m.v(1)[20]), (119, 104));
    assert_eq!((m.v(2)[9], m.v(2)[31]), (100, 116));
    assert_eq!((m.s(6), m.s(7), m.v(3)[9], m.v(3)[8]), (107, 100, 55, 0));
    m.set_s(126, 0xffff_ff00);
    m.run("v_readfirstlane_b32 s7, v0").unwrap();
    assert_eq!(m.s(7), 108);
    m.set_s(126, u32::MAX);
    let dpp = |m: &mut Machine, ctl: &str| {
        m.set_v(2, [1; 32]);
        m.run(&format!("v_mov_b32_dpp v2, v0 {ctl}")).unwrap();
        m.v(2)
    };
    let r = dpp(&mut m, "quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf");
    assert_eq!(&r[..4], &[101, 100, 103, 102]);
    let r = dpp(&mut m, "row_shl:1 row_mask:0xf bank_mask:0xf");
    assert_eq!((r[0], r[15], r[16]), (101, 1, 117));
    let r = dpp(&mut m, "row_shr:2 row_mask:0xf bank_mask:0xf bound_ctrl:1");
    assert_eq!((r[0], r[2], r[18]), (0, 100, 116));
    let r = dpp(&mut m, "row_ror:1 row_mask:0xf bank_mask:0xf");
    assert_eq!((r[0], r[1]), (115, 100));
    let r = dpp(&mut m, "row_mirror row_mask:0x1 bank_mask:0xf");
    assert_eq!((r[0], r[16]), (115, 1));
    let r = dpp(&mut m, "row_xmask:3 row_mask:0xf bank_mask:0x3");
    assert_eq!((r[0], r[7], r[8]), (103, 104, 1));
    let r = dpp(&mut m, "row_share:5 row_mask:0xf bank_mask:0xf");
    assert_eq!((r[0], r[31]), (105, 121));
    m.set_v(2, [1; 32]);
    m.run("v_mov_b32_dpp v2, v0 dpp8:[7,6,5,4,3,2,1,0]").unwrap();
    assert_eq!((m.v(2)[0], m.v(2)[15]), (107, 108));
    // A sum with a shifted copy: the DPP operand is source 0.
    m.run("v_add_nc_u32_dpp v2, v0, v0 row_shl:4 row_mask:0xf bank_mask:0xf bound_ctrl:1")
        .unwrap();
    assert_eq!((m.v(2)[0], m.v(2)[14]), (204, 114));
    m.run("ds_swizzle_b32 v4, v0 offset:swizzle(SWAP,16)\ns_waitcnt lgkmcnt(0)")
        .unwrap();
    assert_eq!((m.v(4)[0], m.v(4)[17]), (116, 101));
    m.set_v(5, std::array::from_fn(|l| 4 * (31 - l as u32)));
    m.run("ds_bpermute_b32 v4, v5, v0\nds_permute_b32 v6, v5, v0\ns_waitcnt lgkmcnt(0)")
        .unwrap();
    assert_eq!((m.v(4)[0], m.v(4)[31], m.v(6)[2]), (131, 100, 129));
    m.set_s(8, 0xffff_fff5);
    m.run("v_mbcnt_lo_u32_b32 v7, s8, 0\nv_mbcnt_hi_u32_b32 v7, -1, v7")
        .unwrap();
    assert_eq!((m.v(7)[0], m.v(7)[1], m.v(7)[4], m.v(7)[31]), (0, 1, 2, 29));
    // A swap under EXEC.
    m.set_s(126, 1).set_v(8, [8; 32]).set_v(9, [9; 32]);
    m.run("v_swap_b32 v8, v9").unwrap();
    assert_eq!((m.v(8)[0], m.v(8)[1], m.v(9)[0]), (9, 8, 8));
}

#[test]
fn the_division_sequence_is_correctly_rounded() {
    let code = assemble(
        "v_div_scale_f32 v2, null, v1, v1, v0
         v_rcp_f32 v3, v2
         v_div_scale_f32 v4, vcc_lo, v0, v1, v0
         s_waitcnt_depctr 0xfff
         v_fma_f32 v5, -v2, v3, 1.0
         v_fmac_f32 v3, v5, v3
         v_mul_f32 v5, v4, v3
         v_fma_f32 v6, -v2, v5, v4
         v_fmac_f32 v5, v6, v3
         v_fma_f32 v2, -v2, v5, v4
         v_div_fmas_f32 v2, v2, v3, v5
         v_div_fixup_f32 v2, v2, v1, v0
         s_endpgm",
    );
    let mut m = Machine::new();
    let mut rng = Rng(0xabcdef);
    let mut rows = pairs(&EDGES_F32);
    for k in 0..6000 {
        let shape = |rng: &mut Rng| -> u32 {
            match k % 4 {
                0 => rng.u32(),
                1 => (rng.u32() & 0x807f_ffff) | (rng.u32() % 3 * 126) << 23, // denormal, near one, huge
                2 => rng.u32() & 0x80ff_ffff,                                 // tiny
                _ => (rng.u32() & 0x807f_ffff) | (180 + rng.u32() % 75) << 23,
            }
        };
        rows.push((
            std::array::from_fn(|_| shape(&mut rng)),
            std::array::from_fn(|_| shape(&mut rng)),
        ));
        if k % 4 == 2 {
            let last = rows.len() - 1;
            rows[last].1 = rng.row(); // tiny over anything
        }
    }
    for (a, b) in rows {
        m.set_v(0, a).set_v(1, b);
        m.run_code(&code).unwrap();
        for l in 0..32 {
            let (x, y) = (f32::from_bits(a[l]), f32::from_bits(b[l]));
            let (got, want) = (f32::from_bits(m.v(2)[l]), x / y);
            assert!(
                got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan()),
                "{x:e} / {y:e} = {got:e}, not {want:e}"
            );
        }
    }
}

#[test]
fn exec_zero_runs_scalar_results_only() {
    let mut m = Machine::new();
    m.set_v(1, [3; 32]).set_s(126, 0);
    m.run("v_mov_b32 v1, 4\nv_cmp_eq_u32 vcc_lo, v1, v1\nv_readlane_b32 s4, v1, 5\ns_cbranch_execz skip\ns_mov_b32 s5, 1\nskip:\ns_mov_b32 s6, vcc_lo").unwrap();
    assert_eq!((m.v(1)[0], m.s(4), m.s(6)), (3, 3, 0));
    assert_ne!(m.s(5), 1);
}
