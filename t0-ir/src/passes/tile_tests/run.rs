//! Results: the kernel as written, lowered and pipelined gives the same bits as plain Rust, at every kind of border, without
//! a race, and a race as soon as any barrier is missing.

use half::{bf16, f16};

use super::gemm::{lower, Form, Gemm};
use crate::func::{Func, Region};
use crate::interp::{self, Arg, InterpError, Memory};
use crate::op::OpKind;
use crate::passes::{lower_tiles, optimize, PassOptions};
use crate::ty::Scalar;

const SIZES: [u32; 9] = [0, 1, 15, 16, 17, 33, 47, 128, 133];

/// Sizes and row strides (beyond the row) of a problem.
#[derive(Clone, Copy, Debug)]
struct Shape {
    mnk: [u32; 3],
    pad: [u32; 3],
}

/// Every pair of sizes in every two places, once per variant: a Latin square.
fn latin(variant: usize) -> Vec<Shape> {
    let mut out = Vec::new();
    for (i, &m) in SIZES.iter().enumerate() {
        for (j, &n) in SIZES.iter().enumerate() {
            let k = SIZES[(i + (1 + variant % 2) * j + variant) % 9];
            // Rows that follow each other, whole chunks with and without a rest, and odd strides.
            let whole = |n: u32| n.next_multiple_of(8) - n;
            let pads = [0, whole(k), 3, whole(k) + 8];
            let pad = [
                pads[(i + variant) % 4],
                pads[(i + 2 * j) % 4],
                [0, 1, whole(n)][(i + j) % 3],
            ];
            out.push(Shape { mnk: [m, n, k], pad });
        }
    }
    out
}

/// A small whole number from a place, the same everywhere.
fn sample(which: u32, row: u32, col: u32) -> i32 {
    let h = (which * 7919 + row * 131 + col * 31).wrapping_mul(2_654_435_761) >> 24;
    (h % 7) as i32 - 3
}

fn encode(elem: Scalar, x: i32) -> Vec<u8> {
    match elem {
        Scalar::Bf16 => bf16::from_f32(x as f32).to_le_bytes().to_vec(),
        Scalar::F16 => f16::from_f32(x as f32).to_le_bytes().to_vec(),
        Scalar::F32 => (x as f32).to_le_bytes().to_vec(),
        Scalar::I8 => vec![x as i8 as u8],
        _ => x.to_le_bytes().to_vec(),
    }
}

/// Bytes between rows, and of results before they are written: a NaN in every float type, so that even 0 times it shows.
const UNWRITTEN: u8 = 0xff;

/// A matrix exactly as long as it must be; `content` gives elements, what lies between rows is unwritten.
fn matrix(elem: Scalar, rows: u32, cols: u32, stride: u32, content: impl Fn(u32, u32) -> Option<i32>) -> Vec<u8> {
    if rows == 0 || cols == 0 {
        return Vec::new();
    }
    let size = elem.bytes() as usize;
    let mut bytes = vec![UNWRITTEN; ((rows - 1) * stride + cols) as usize * size];
    for r in 0..rows {
        for c in 0..cols {
            if let Some(x) = content(r, c) {
                let at = (r * stride + c) as usize * size;
                bytes[at..at + size].copy_from_slice(&encode(elem, x));
            }
        }
    }
    bytes
}

/// Rows and columns of the matrices.
fn extents(g: &Gemm, s: &Shape) -> [[u32; 2]; 3] {
    let [m, n, k] = s.mnk;
    let turned = |t: bool, rows, cols| if t { [cols, rows] } else { [rows, cols] };
    [turned(g.transposed[0], m, k), turned(g.transposed[1], n, k), [m, n]]
}

/// C as plain Rust computes it.
fn reference(g: &Gemm, s: &Shape) -> Vec<u8> {
    let [m, n, k] = s.mnk;
    let dot = |r, c| (0..k).map(|i| sample(1, r, i) * sample(2, c, i)).sum();
    matrix(g.out, m, n, n + s.pad[2], |r, c| Some(dot(r, c)))
}

fn run(g: &Gemm, f: &Func, s: &Shape) -> Result<Vec<u8>, InterpError> {
    let [m, n, _] = s.mnk;
    let mut memory = Memory::new();
    let mut args = Vec::new();
    for (d, [rows, cols]) in extents(g, s).into_iter().enumerate() {
        let stride = cols + s.pad[d];
        let content = |r, c| match d {
            2 => None,
            _ if g.transposed[d] => Some(sample(d as u32 + 1, c, r)),
            _ => Some(sample(d as u32 + 1, r, c)),
        };
        let elem = if d == 2 { g.out } else { g.elem };
        let base = memory.alloc(&matrix(elem, rows, cols, stride, content));
        args.push(Arg::Mat {
            base,
            rows,
            cols,
            stride,
        });
    }
    let Arg::Mat { base: c, .. } = args[2] else {
        panic!("C is a matrix")
    };
    interp::run(f, &args, &mut memory, g.grid(m, n))?;
    Ok(memory.buffer(c).unwrap().to_vec())
}

/// The kernel must give the reference's bits at all shapes: as written, and lowered with each number of stages.
fn check(g: Gemm, shapes: &[Shape], stages: &[u32]) {
    let mut forms = vec![("as written".to_string(), g.build())];
    for &stages in stages {
        let mut f = Gemm { stages, ..g }.build();
        lower(&mut f);
        assert!(interp::is_lowered(&crate::passes::rewrite::canonical(&f)));
        forms.push((format!("{stages} stages"), f));
    }
    let mut f = Gemm { stages: 2, ..g }.build();
    optimize(&mut f, &PassOptions::default()).unwrap();
    forms.push(("2 stages, all passes".to_string(), f));
    for s in shapes {
        let want = reference(&g, s);
        for (name, f) in &forms {
            let got = run(&g, f, s).unwrap_or_else(|e| panic!("{g:?} {name} {s:?}: {e}"));
            assert_eq!(got, want, "{g:?} {name} {s:?}");
        }
    }
}

#[test]
fn small_tile_at_all_borders() {
    check(Gemm::new([16, 16, 16], [1, 1], 0), &latin(0), &[0, 2]);
}

#[test]
fn waves_share_tiles() {
    check(Gemm::new([32, 64, 32], [2, 2], 0), &every(2, &latin(1)), &[0, 2]);
    check(Gemm::new([32, 64, 32], [2, 2], 0), &every(7, &latin(1)), &[1, 3]);
}

#[test]
fn chunks_per_row_that_are_no_power_of_two() {
    // 6 chunks a row: 16·6 chunks over 64 lanes, 32·6 over 64.
    check(Gemm::new([16, 32, 48], [1, 2], 0), &every(2, &latin(2)), &[0, 2]);
}

#[test]
fn large_tiles() {
    let shapes = [[133, 133, 47], [128, 128, 128], [1, 133, 33], [17, 0, 16], [130, 5, 0]];
    let shapes = shapes.map(|mnk| Shape { mnk, pad: [8, 0, 0] });
    check(Gemm::new([128, 128, 32], [2, 2], 0), &shapes, &[0, 2]);
    check(Gemm::new([64, 128, 16], [4, 2], 0), &shapes, &[0, 3]);
}

#[test]
fn element_types() {
    let shapes = &latin(4)[3..];
    for (elem, out) in [
        (Scalar::F16, Scalar::F32),
        (Scalar::F16, Scalar::F16),
        (Scalar::Bf16, Scalar::Bf16),
        (Scalar::I8, Scalar::I32),
    ] {
        check(
            Gemm {
                elem,
                out,
                ..Gemm::new([32, 16, 32], [2, 1], 0)
            },
            &every(9, shapes),
            &[0, 2],
        );
    }
}

#[test]
fn transposed_tiles() {
    // Rows of 32, 64, 96, 128 and 256 bytes in LDS; fewer pairs of lanes than four-row blocks, as many, more.
    for (n, (tile, waves)) in [
        ([16, 16, 16], [1, 1]),
        ([32, 64, 32], [2, 2]),
        ([16, 32, 48], [1, 2]),
        ([32, 32, 64], [1, 2]),
        ([16, 16, 128], [1, 1]),
        ([16, 48, 32], [1, 3]),
    ]
    .into_iter()
    .enumerate()
    {
        for transposed in [[false, true], [true, false], [true, true]] {
            let g = Gemm {
                transposed,
                ..Gemm::new(tile, waves, 0)
            };
            check(g, &every(9, &latin(n)[n..]), &[0, 2]);
        }
    }
    let whole = [[32, 64, 256], [40, 72, 200], [33, 64, 130]].map(|mnk| Shape { mnk, pad: [8, 0, 0] });
    let g = Gemm {
        transposed: [true; 2],
        ..Gemm::new([32, 64, 32], [2, 2], 0)
    };
    check(g, &whole, &[1, 2, 3]);
    check(Gemm { elem: Scalar::F16, ..g }, &whole[..1], &[2]);
}

#[test]
fn transposed_tiles_in_other_forms() {
    for form in [Form::Persistent, Form::InnerLoop, Form::SpareWave, Form::SignedIndex] {
        let g = Gemm {
            form,
            transposed: [false, true],
            ..Gemm::new([32, 32, 32], [2, 1], 0)
        };
        check(g, &every(13, &latin(3)), &[0, 1, 2]);
    }
}

fn every(n: usize, shapes: &[Shape]) -> Vec<Shape> {
    shapes.iter().copied().step_by(n).collect()
}

#[test]
fn other_forms() {
    for form in [Form::Persistent, Form::InnerLoop, Form::SpareWave, Form::SignedIndex] {
        check(
            Gemm {
                form,
                ..Gemm::new([32, 32, 32], [2, 1], 0)
            },
            &every(7, &latin(3)),
            &[0, 1, 2, 3],
        );
    }
}

fn barriers(f: &Func, region: &Region, out: &mut usize) {
    for &id in &region.ops {
        *out += usize::from(f.op(id).kind == OpKind::Barrier);
        f.op(id).regions.iter().for_each(|r| barriers(f, r, out));
    }
}

/// Removes the `n`-th barrier.
fn without(f: &mut Func, region: &Region, n: &mut usize) -> Region {
    let mut new = Region {
        args: region.args.clone(),
        ops: Vec::new(),
    };
    for &id in &region.ops {
        if f.op(id).kind == OpKind::Barrier {
            *n = n.wrapping_sub(1);
            if *n == usize::MAX {
                continue;
            }
        }
        let regions = f.op(id).regions.clone();
        f.op_mut(id).regions = regions.iter().map(|r| without(f, r, n)).collect();
        new.ops.push(id);
    }
    new
}

#[test]
fn every_barrier_is_needed() {
    // The first has no whole chunks; in the second most tiles lie inside.
    let shapes = [[33, 33, 70], [33, 33, 216]].map(|mnk| Shape { mnk, pad: [0; 3] });
    for form in [Form::Plain, Form::Persistent, Form::InnerLoop, Form::SpareWave] {
        for stages in 0..4 {
            let g = Gemm {
                form,
                ..Gemm::new([32, 32, 16], [2, 1], stages)
            };
            let mut f = g.build();
            lower(&mut f);
            shapes.iter().for_each(|s| drop(run(&g, &f, s).unwrap()));
            let mut count = 0;
            barriers(&f, &f.body, &mut count);
            assert!(count > 0);
            for n in 0..count {
                let mut broken = f.clone();
                let body = without(&mut broken, &f.body, &mut n.clone());
                broken.body = body;
                let races = |s: &Shape| matches!(run(&g, &broken, s), Err(InterpError::Race { .. }));
                assert!(shapes.iter().any(races), "{g:?} without barrier {n} of {count}");
            }
        }
    }
}

#[test]
fn only_place_barriers_makes_it_right() {
    let g = Gemm::new([32, 32, 16], [2, 1], 0);
    let mut f = g.build();
    lower_tiles::run(&mut f).unwrap();
    let e = run(
        &g,
        &f,
        &Shape {
            mnk: [32, 32, 16],
            pad: [0; 3],
        },
    );
    assert!(matches!(e, Err(InterpError::Race { .. })), "{e:?}");
}
