//! WMMA against a matrix product written from the layout tables, not from the executor.
#![allow(clippy::unwrap_used, clippy::needless_range_loop)]

use crate::common::*;
use half::{bf16, f16};
use t0_sim::wave::Row;

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
                    acc += a[i][k].to_f32() * b[k][j].to_f32();
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
