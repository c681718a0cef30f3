//! A tile kernel end to end: C ← A·Bᵀ in bf16 with f32 sums, tiles through LDS, two pipeline stages.

use crate::machine;
use t0_backend_rdna3::target::GFX1100;
use t0_backend_rdna3::{compile, Options};
use t0_ir::interp::{Arg, Memory};
use t0_ir::testing::Case;
use t0_ir::{Access, Builder, Func, LoopHints, OpKind, Param, ParamKind, Role, Scalar, TileTy, Ty, Value};

const TILE: [u32; 3] = [64, 64, 32];
const WAVES: u32 = 4;

fn mat(name: &str, elem: Scalar, access: Access) -> Param {
    Param {
        name: name.into(),
        kind: ParamKind::Mat(elem, access),
    }
}

/// One 64×64 tile of C per workgroup, a quarter of it per wave. `transposed`: B is K×N.
fn kernel(elem: Scalar, stages: u32, transposed: bool) -> Func {
    let sum = if elem.is_float() { Scalar::F32 } else { Scalar::I32 };
    let params = vec![
        mat("a", elem, Access::Read),
        mat("bt", elem, Access::Read),
        mat("c", sum, Access::Write),
    ];
    let f = Func::new("gemm", 32 * WAVES, params);
    let v = |n: usize| f.body.args[n];
    let mats = [0, 4, 8].map(|n| [v(n), v(n + 1), v(n + 2), v(n + 3)]);
    let mut b = Builder::new(f);
    let at: [Value; 2] = [0, 1].map(|axis| {
        let (g, size) = (b.op1(OpKind::GroupId { axis }, &[]), b.u32(TILE[axis as usize]));
        b.op1(OpKind::Mul, &[g, size])
    });
    let (wave, two) = (b.op1(OpKind::WaveId, &[]), b.u32(2));
    let part = [b.op1(OpKind::Div, &[wave, two]), b.op1(OpKind::Rem, &[wave, two])];
    let acc_ty = Ty::Frag(Role::Acc, sum);
    let zero = b.constant(sum, 0);
    let init: Vec<Value> = (0..4).map(|_| b.op1_as(OpKind::FragSplat, &[zero], acc_ty)).collect();
    let (lo, step) = (b.u32(0), b.u32(TILE[2]));
    let hints = LoopHints {
        stages,
        ..LoopHints::default()
    };
    let acc = b.for_([lo, mats[0][2], step], hints, &init, |b, k, acc| {
        let tiles = [0, 1].map(|m| {
            let ty = Ty::LdsTile(TileTy {
                elem,
                rows: TILE[m],
                cols: TILE[2],
            });
            let [buf, rows, cols, stride] = mats[m];
            let transposed = transposed && m == 1;
            let [row, col] = if transposed { [k, at[m]] } else { [at[m], k] };
            b.op1_as(
                OpKind::TileLoad { transposed },
                &[buf, rows, cols, stride, row, col],
                ty,
            )
        });
        let mut acc = acc.to_vec();
        for kk in 0..TILE[2] / 16 {
            let kk = b.u32(kk * 16);
            let frags = [0, 1].map(|m| {
                [0, 1].map(|i| {
                    let (n, i) = (b.u32(2), b.u32(i));
                    let first = b.op1(OpKind::Mul, &[part[m], n]);
                    let block = b.op1(OpKind::Add, &[first, i]);
                    b.op1_as(OpKind::TileFrag, &[tiles[m], block, kk], Ty::Frag(Role::Input, elem))
                })
            });
            for (n, sum) in acc.iter_mut().enumerate() {
                *sum = b.op1(OpKind::Wmma, &[frags[0][n / 2], frags[1][n % 2], *sum]);
            }
        }
        acc
    });
    for (n, sum) in acc.into_iter().enumerate() {
        let place: [Value; 2] = [0, 1].map(|m| {
            let (share, block) = (b.u32(32), b.u32(16 * [n as u32 / 2, n as u32 % 2][m]));
            let own = b.op1(OpKind::Mul, &[part[m], share]);
            let own = b.op1(OpKind::Add, &[own, block]);
            b.op1(OpKind::Add, &[at[m], own])
        });
        let [buf, rows, cols, stride] = mats[2];
        b.op0(OpKind::TileStore, &[buf, rows, cols, stride, place[0], place[1], sum]);
    }
    b.finish()
}

/// Small whole numbers: every sum is exact in any order.
fn element(i: u32) -> i32 {
    (i.wrapping_mul(2_654_435_761) >> 28) as i32 - 7
}

fn check(elem: Scalar, [m, n, k]: [u32; 3], stages: u32, transposed: bool) {
    let mut memory = Memory::new();
    let shift = if elem == Scalar::U8 { 7 } else { 0 };
    let bytes = |rows: u32, seed: u32| {
        let numbers = (0..rows * k).map(|i| element(i + seed) + shift);
        let stored = |x: i32| match elem.is_float() {
            true => t0_ir::eval::round(elem, f64::from(x)).bits,
            false => x as u64,
        };
        numbers
            .flat_map(|x| stored(x).to_le_bytes()[..elem.bytes() as usize].to_vec())
            .collect::<Vec<u8>>()
    };
    let (a, bt) = (memory.alloc(&bytes(m, 1)), memory.alloc(&bytes(n, 77)));
    let [b_rows, b_cols] = if transposed { [k, n] } else { [n, k] };
    let c = memory.alloc(&vec![0xcc; (4 * m * n) as usize]);
    let args = vec![
        Arg::Mat {
            base: a,
            rows: m,
            cols: k,
            stride: k,
        },
        Arg::Mat {
            base: bt,
            rows: b_rows,
            cols: b_cols,
            stride: b_cols,
        },
        Arg::Mat {
            base: c,
            rows: m,
            cols: n,
            stride: n,
        },
    ];
    let func = kernel(elem, stages, transposed);
    let compiled = compile(
        &func,
        &GFX1100,
        &Options {
            check: true,
            keep_text: true,
            ..Options::default()
        },
    )
    .unwrap();
    if std::env::var("T0_SHOW").is_ok() {
        println!(
            "{}\n{}",
            compiled.ir_text.as_ref().unwrap(),
            compiled.mir_text.as_ref().unwrap()[1]
        );
        println!("{:?} {:?}", compiled.resources, compiled.timings);
    }
    // Whole chunks are single accesses, for tiles of 2-byte elements too.
    let wide = if elem.bytes() == 2 {
        "buffer_load_b128"
    } else {
        "buffer_load_b64"
    };
    assert!(compiled.mir_text.as_ref().unwrap()[1].contains(wide), "no {wide}");
    let case = Case {
        func,
        args,
        memory,
        groups: [m.div_ceil(TILE[0]), n.div_ceil(TILE[1]), 1],
    };
    let after = machine::run(&case, &compiled.code_object).unwrap();
    let out = after.buffer(c).unwrap();
    for i in 0..m {
        for j in 0..n {
            let want: i32 = (0..k)
                .map(|x| {
                    let b = if transposed { x * n + j } else { j * k + x };
                    (element(i * k + x + 1) + shift) * (element(b + 77) + shift)
                })
                .sum();
            let at = 4 * (i * n + j) as usize;
            let got = u32::from_le_bytes(out[at..at + 4].try_into().unwrap());
            let want = if elem.is_float() {
                (want as f32).to_bits()
            } else {
                want as u32
            };
            assert_eq!(got, want, "({i}, {j}) of {m}x{n}x{k}, {stages} stages");
        }
    }
}

#[test]
fn gemm_is_exact_on_whole_numbers() {
    for stages in [0, 2] {
        for size in [
            [1, 1, 1],
            [16, 16, 16],
            [17, 33, 47],
            [128, 128, 1],
            [65, 64, 133],
            [64, 128, 256],
            [3, 5, 0],
        ] {
            check(Scalar::Bf16, size, stages, false);
            check(Scalar::Bf16, size, stages, true);
        }
    }
}

#[test]
fn transposed_tiles_of_halves() {
    for size in [[64, 64, 64], [33, 17, 49], [64, 72, 96]] {
        check(Scalar::F16, size, 2, true);
    }
}

#[test]
fn gemm_in_other_element_types() {
    for elem in [Scalar::F16, Scalar::I8, Scalar::U8] {
        for size in [[64, 64, 64], [33, 17, 49]] {
            check(elem, size, 2, false);
        }
    }
}
