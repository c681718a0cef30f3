//! WMMA against a matrix product written from the layout tables, not from the executor.
#![allow(clippy::unwrap_used, clippy::needless_range_loop)]

use crate::common::*;
use half::{bf16, f16};
use t0_sim::wave::{Row, Wave};
use t0_sim::Numerics;

type M<T> = [[T; 16]; 16];

fn random<T>(rng: &mut Rng, f: impl Fn(u32) -> T) -> M<T> {
    std::array::from_fn(|_| std::array::from_fn(|_| f(rng.u32())))
}

/// A[i][k] or B[k][j] with `lane` = i or j: 16-bit elements, two per register, low half first.
fn pack16(get: impl Fn(usize, usize) -> u16) -> Vec<Row> {
    (0..8)
        .map(|v| std::array::from_fn(|l| u32::from(get(l % 16, 2 * v)) | u32::from(get(l % 16, 2 * v + 1)) << 16))
        .collect()
}

fn load(m: &mut Machine, first: usize, rows: &[Row]) {
    rows.iter().enumerate().for_each(|(k, r)| {
        m.set_v(first + k, *r);
    });
}

/// Row and column of a C/D element: register `v`, lane `l`.
fn place(v: usize, l: usize) -> (usize, usize) {
    (2 * v + l / 16, l % 16)
}

fn set_c(m: &mut Machine, first: usize, c: impl Fn(usize, usize) -> u32) {
    for v in 0..8 {
        m.set_v(
            first + v,
            std::array::from_fn(|l| {
                let (i, j) = place(v, l);
                c(i, j)
            }),
        );
    }
}

fn get_d(m: &Machine, first: usize) -> M<u32> {
    let mut d = [[0; 16]; 16];
    for v in 0..8 {
        for l in 0..32 {
            let (i, j) = place(v, l);
            d[i][j] = m.v(first + v)[l];
        }
    }
    d
}

#[test]
fn f32_accumulation_in_the_documented_order() {
    let mut rng = Rng(1);
    for round in 0..20 {
        let real = round % 2 == 0;
        let value = |x: u32| {
            if real {
                (x as i32 as f32) / 2e9
            } else {
                (x % 17) as f32 - 8.0
            }
        };
        let (a, b) = (
            random(&mut rng, |x| f16::from_f32(value(x))),
            random(&mut rng, |x| f16::from_f32(value(x))),
        );
        let c = random(&mut rng, |x| value(x));
        let mut m = Machine::new();
        load(&mut m, 0, &pack16(|i, k| a[i][k].to_bits()));
        load(&mut m, 8, &pack16(|j, k| b[k][j].to_bits()));
        set_c(&mut m, 16, |i, j| c[i][j].to_bits());
        m.set_s(126, 0); // EXEC is ignored
        m.run("v_wmma_f32_16x16x16_f16 v[24:31], v[0:7], v[8:15], v[16:23]")
            .unwrap();
        let d = get_d(&m, 24);
        for i in 0..16 {
            for j in 0..16 {
                let mut acc = c[i][j];
                for k in 0..16 {
                    acc = a[i][k].to_f32().mul_add(b[k][j].to_f32(), acc);
                }
                assert_eq!(f32::from_bits(d[i][j]), acc, "({i}, {j})");
                if !real {
                    let exact: i64 = (0..16)
                        .map(|k| a[i][k].to_f32() as i64 * b[k][j].to_f32() as i64)
                        .sum::<i64>()
                        + c[i][j] as i64;
                    assert_eq!(f32::from_bits(d[i][j]), exact as f32);
                }
            }
        }
    }
}

#[test]
fn bf16_and_inline_c_and_in_place_accumulation() {
    let mut rng = Rng(2);
    let small = |x: u32| bf16::from_f32((x % 9) as f32 - 4.0);
    let (a, b) = (random(&mut rng, small), random(&mut rng, small));
    let mut m = Machine::new();
    load(&mut m, 0, &pack16(|i, k| a[i][k].to_bits()));
    load(&mut m, 8, &pack16(|j, k| b[k][j].to_bits()));
    m.run("v_wmma_f32_16x16x16_bf16 v[16:23], v[0:7], v[8:15], 1.0\nv_wmma_f32_16x16x16_bf16 v[16:23], v[0:7], v[8:15], v[16:23]").unwrap();
    let d = get_d(&m, 16);
    for i in 0..16 {
        for j in 0..16 {
            let dot: f32 = (0..16).map(|k| a[i][k].to_f32() * b[k][j].to_f32()).sum();
            assert_eq!(f32::from_bits(d[i][j]), 1.0 + 2.0 * dot);
        }
    }
    // neg_lo/neg_hi negate even/odd k of A; both together negate the product.
    m.run("v_wmma_f32_16x16x16_bf16 v[16:23], v[0:7], v[8:15], 0 neg_lo:[1,0,0] neg_hi:[1,0,0]")
        .unwrap();
    let d = get_d(&m, 16);
    let dot: f32 = (0..16).map(|k| a[5][k].to_f32() * b[k][9].to_f32()).sum();
    assert_eq!(f32::from_bits(d[5][9]), -dot);
}

#[test]
fn sixteen_bit_results_keep_the_other_half() {
    let mut rng = Rng(3);
    let (a, b) = (
        random(&mut rng, |x| f16::from_f32((x % 7) as f32 - 3.0)),
        random(&mut rng, |x| f16::from_f32((x % 5) as f32)),
    );
    let mut m = Machine::new();
    load(&mut m, 0, &pack16(|i, k| a[i][k].to_bits()));
    load(&mut m, 8, &pack16(|j, k| b[k][j].to_bits()));
    set_c(&mut m, 16, |i, j| {
        u32::from(f16::from_f32(i as f32).to_bits()) << 16 | u32::from(f16::from_f32(j as f32).to_bits())
    });
    for (sel, half) in [(0, "low"), (1, "high")] {
        load(&mut m, 24, &[[0x1111_2222; 32]; 8]);
        m.run(&format!(
            "v_wmma_f16_16x16x16_f16 v[24:31], v[0:7], v[8:15], v[16:23] op_sel:[0,0,{sel}]"
        ))
        .unwrap();
        let d = get_d(&m, 24);
        for i in 0..16 {
            for j in 0..16 {
                let dot: f32 = (0..16).map(|k| a[i][k].to_f32() * b[k][j].to_f32()).sum();
                let want = f16::from_f32(dot + if sel == 0 { j as f32 } else { i as f32 }).to_bits();
                let (got, other) = if sel == 0 {
                    (d[i][j] as u16, d[i][j] >> 16)
                } else {
                    ((d[i][j] >> 16) as u16, d[i][j] & 0xffff)
                };
                assert_eq!(got, want, "{half} ({i}, {j})");
                assert_eq!(other, if sel == 0 { 0x1111 } else { 0x2222 });
            }
        }
    }
    let (a, b) = (
        random(&mut rng, |x| bf16::from_f32((x % 7) as f32)),
        random(&mut rng, |x| bf16::from_f32((x % 3) as f32)),
    );
    load(&mut m, 0, &pack16(|i, k| a[i][k].to_bits()));
    load(&mut m, 8, &pack16(|j, k| b[k][j].to_bits()));
    m.run("v_wmma_bf16_16x16x16_bf16 v[24:31], v[0:7], v[8:15], 0").unwrap();
    let dot: f32 = (0..16).map(|k| a[3][k].to_f32() * b[k][4].to_f32()).sum();
    assert_eq!(get_d(&m, 24)[3][4] as u16, bf16::from_f32(dot).to_bits());
}

#[test]
fn integer_forms_are_exact_and_saturate() {
    let mut rng = Rng(4);
    for bits in [8usize, 4] {
        let per = 32 / bits;
        let regs = 16 / per;
        for signed in [(false, false), (true, false), (true, true)] {
            let (a, b) = (
                random(&mut rng, |x| x % (1 << bits)),
                random(&mut rng, |x| x % (1 << bits)),
            );
            let pack = |get: &dyn Fn(usize, usize) -> u32| -> Vec<Row> {
                (0..regs)
                    .map(|v| std::array::from_fn(|l| (0..per).map(|s| get(l % 16, v * per + s) << (s * bits)).sum()))
                    .collect()
            };
            let mut m = Machine::new();
            load(&mut m, 0, &pack(&|i, k| a[i][k]));
            load(&mut m, 8, &pack(&|j, k| b[k][j]));
            let op = if bits == 8 {
                "v_wmma_i32_16x16x16_iu8"
            } else {
                "v_wmma_i32_16x16x16_iu4"
            };
            let neg = format!("neg_lo:[{},{},0]", u32::from(signed.0), u32::from(signed.1));
            let value = |x: u32, s: bool| {
                if s && x >> (bits - 1) == 1 {
                    i64::from(x) - (1 << bits)
                } else {
                    i64::from(x)
                }
            };
            for clamp in ["", " clamp"] {
                set_c(
                    &mut m,
                    16,
                    |i, j| if (i + j) % 2 == 0 { i32::MAX as u32 - 3 } else { 100 },
                );
                m.run(&format!(
                    "{op} v[24:31], v[0:{}], v[8:{}], v[16:23] {neg}{clamp}",
                    regs - 1,
                    7 + regs
                ))
                .unwrap();
                let d = get_d(&m, 24);
                for i in 0..16 {
                    for j in 0..16 {
                        let c = if (i + j) % 2 == 0 { i64::from(i32::MAX) - 3 } else { 100 };
                        let sum: i64 = c
                            + (0..16)
                                .map(|k| value(a[i][k], signed.0) * value(b[k][j], signed.1))
                                .sum::<i64>();
                        let want = if clamp.is_empty() {
                            sum as i32
                        } else {
                            sum.clamp(i32::MIN.into(), i32::MAX.into()) as i32
                        };
                        assert_eq!(d[i][j] as i32, want, "{op} {signed:?}{clamp} ({i}, {j})");
                    }
                }
            }
        }
    }
}

/// In wave64 row i of C/D lies in register i / 4, lanes 16 * (i % 4) + j (AMD matrix instruction calculator).
#[test]
fn wave64_spreads_four_rows_over_a_register() {
    let mut rng = Rng(5);
    let (a, b) = (
        random(&mut rng, |x| bf16::from_f32((x % 9) as f32 - 4.0)),
        random(&mut rng, |x| bf16::from_f32((x % 5) as f32 - 2.0)),
    );
    let c = random(&mut rng, |x| (x % 100) as f32);
    let mut m = Machine::new();
    m.wave = Wave::with_lanes(64, 64, MODE);
    let (ra, rb) = (pack16(|i, k| a[i][k].to_bits()), pack16(|j, k| b[k][j].to_bits()));
    for half in 0..2 {
        m.wave.set_half(half);
        for v in 0..8 {
            *m.wave.v_mut(v) = ra[v];
            *m.wave.v_mut(8 + v) = rb[v];
        }
        for v in 0..4 {
            *m.wave.v_mut(16 + v) = std::array::from_fn(|l| c[4 * v + 2 * half + l / 16][l % 16].to_bits());
        }
    }
    m.wave.set_half(0);
    // The encoding names the first register only, so the text of wave32 serves.
    m.run("v_wmma_f32_16x16x16_bf16 v[24:31], v[0:7], v[8:15], v[16:23]")
        .unwrap();
    for i in 0..16 {
        m.wave.set_half(i % 4 / 2);
        for j in 0..16 {
            let dot: f32 = (0..16).map(|k| a[i][k].to_f32() * b[k][j].to_f32()).sum();
            let got = f32::from_bits(m.wave.v(24 + i / 4)[16 * (i % 2) + j]);
            assert_eq!(got, c[i][j] + dot, "({i}, {j})");
        }
    }
}

#[test]
fn both_numerics_agree_on_integers_of_one_sign() {
    let mut rng = Rng(6);
    for sign in [1.0, -1.0] {
        let (a, b) = (
            random(&mut rng, |x| f16::from_f32((x % 64) as f32)),
            random(&mut rng, |x| f16::from_f32(sign * (x % 64) as f32)),
        );
        let c = random(&mut rng, |x| sign * (x % 1000) as f32);
        let mut m = Machine::new();
        load(&mut m, 0, &pack16(|i, k| a[i][k].to_bits()));
        load(&mut m, 8, &pack16(|j, k| b[k][j].to_bits()));
        let mut results = Vec::new();
        for numerics in [Numerics::Fast, Numerics::Silicon] {
            m.wave.numerics = numerics;
            set_c(&mut m, 16, |i, j| c[i][j].to_bits());
            m.run("v_wmma_f32_16x16x16_f16 v[24:31], v[0:7], v[8:15], v[16:23]\nv_dot2_f32_f16 v32, v0, v8, v16")
                .unwrap();
            results.push((get_d(&m, 24), m.v(32)));
        }
        for i in 0..16 {
            for j in 0..16 {
                let dot: f32 = (0..16).map(|k| a[i][k].to_f32() * b[k][j].to_f32()).sum();
                assert_eq!(results[0].0[i][j], (c[i][j] + dot).to_bits());
            }
        }
        assert_eq!(results[0], results[1]);
    }
}

/// The published example of the card's adder, through the instructions.
#[test]
fn silicon_numerics_count_one_step_too_many_against_the_accumulators_sign() {
    let h = |lo: f32, hi: f32| u32::from(f16::from_f32(lo).to_bits()) | u32::from(f16::from_f32(hi).to_bits()) << 16;
    let mut m = Machine::new();
    for (numerics, want) in [(Numerics::Fast, 55f32.to_bits()), (Numerics::Silicon, 0x425c_0001)] {
        m.wave.numerics = numerics;
        m.set_v(0, [h(3.0, 8.0); 32])
            .set_v(1, [h(8.0, 4.0); 32])
            .set_v(2, [(-1f32).to_bits(); 32]);
        m.set_v(3, [(-1f32).to_bits(); 32]);
        m.run("v_dot2_f32_f16 v4, v0, v1, v2\nv_dot2acc_f32_f16 v3, v0, v1")
            .unwrap();
        assert_eq!((m.v(4)[9], m.v(3)[9]), (want, want), "{numerics:?}");
        // The same two products in a WMMA: k = 0 and 1; the other products are zero and take no part.
        load(&mut m, 8, &[[0; 32]; 16]);
        m.set_v(8, [h(3.0, 8.0); 32]).set_v(16, [h(8.0, 4.0); 32]);
        m.run("v_wmma_f32_16x16x16_f16 v[24:31], v[8:15], v[16:23], -1.0")
            .unwrap();
        assert_eq!(get_d(&m, 24)[3][4], want, "{numerics:?}");
    }
}
