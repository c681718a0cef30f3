//! Products of matrices with the matrix instructions.

use crate::harness::{each_build, near, same, Num, Object, Ran, Random};
use half::{bf16, f16};

const SHAPES: [[usize; 3]; 6] = [
    [1, 1, 1],
    [16, 16, 16],
    [31, 33, 17],
    [32, 32, 32],
    [33, 65, 48],
    [64, 40, 7],
];

fn run<T: Num, C: Num>(object: &Object, kernel: &str, [m, n, k]: [usize; 3], a: &[T], b: &[T]) -> Ran {
    let grid = [n.div_ceil(32) as u32, m.div_ceil(32) as u32];
    let launch = object.launch(kernel, grid, 4 * object.build.wave);
    launch.output::<C>(m * n).input(a).input(b).u32(m).u32(n).u32(k).run()
}

/// The product and, for bounds, that of the absolute values.
fn product([m, n, k]: [usize; 3], a: impl Fn(usize) -> f64, b: impl Fn(usize) -> f64) -> (Vec<f64>, Vec<f64>) {
    let dot =
        |i: usize, f: &dyn Fn(f64) -> f64| -> f64 { (0..k).map(|l| f(a(i / n * k + l) * b(l * n + i % n))).sum() };
    // Plus 0: no negative zeros, the card's sums start at 0.
    let exact = (0..m * n).map(|i| dot(i, &|v| v) + 0.0).collect();
    (exact, (0..m * n).map(|i| dot(i, &f64::abs)).collect())
}

#[test]
fn floats_into_f32() {
    each_build("gemm.cl", |object| {
        let mut r = Random::new(8);
        for shape in SHAPES {
            let [m, n, k] = shape;
            // Every addition may lose a unit, in whatever order the card adds.
            let bound = |size: &[f64], i: usize| (k + 16) as f64 * 2f64.powi(-23) * size[i];
            let (a, b) = (
                r.vec(m * k, |r| f16::from_f64(r.unit())),
                r.vec(k * n, |r| f16::from_f64(r.unit())),
            );
            let ran = run::<f16, f32>(object, "gemm_f16", shape, &a, &b);
            let (want, size) = product(shape, |i| a[i].to_f64(), |i| b[i].to_f64());
            near(
                "gemm_f16",
                ran.get::<f32>(0).into_iter().map(f64::from),
                &want,
                |i, _| bound(&size, i),
            );

            let (a, b) = (
                r.vec(m * k, |r| bf16::from_f64(r.unit())),
                r.vec(k * n, |r| bf16::from_f64(r.unit())),
            );
            let bits = |v: &[bf16]| v.iter().map(|h| h.to_bits() as i16).collect::<Vec<_>>();
            let ran = run::<i16, f32>(object, "gemm_bf16", shape, &bits(&a), &bits(&b));
            let (want, size) = product(shape, |i| a[i].to_f64(), |i| b[i].to_f64());
            near(
                "gemm_bf16",
                ran.get::<f32>(0).into_iter().map(f64::from),
                &want,
                |i, _| bound(&size, i),
            );
        }
    });
}

#[test]
fn small_integers_are_exact_in_every_float() {
    each_build("gemm.cl", |object| {
        let mut r = Random::new(9);
        for shape in SHAPES {
            let [m, n, k] = shape;
            // Sums stay within 2·48, which even bf16 holds exactly.
            let a = r.vec(m * k, |r| (r.u64() % 3) as f64 - 1.0);
            let b = r.vec(k * n, |r| (r.u64() % 5) as f64 - 2.0);
            let (want, _) = product(shape, |i| a[i], |i| b[i]);
            let halves = |v: &[f64]| v.iter().map(|&x| f16::from_f64(x)).collect::<Vec<_>>();
            let brains = |v: &[f64]| {
                v.iter()
                    .map(|&x| bf16::from_f64(x).to_bits() as i16)
                    .collect::<Vec<_>>()
            };
            let ran = run::<f16, f32>(object, "gemm_f16", shape, &halves(&a), &halves(&b));
            same(
                "gemm_f16",
                &ran.get::<f32>(0),
                &want.iter().map(|&v| v as f32).collect::<Vec<_>>(),
            );
            let ran = run::<f16, f16>(object, "gemm_f16_f16", shape, &halves(&a), &halves(&b));
            same("gemm_f16_f16", &ran.get::<f16>(0), &halves(&want));
            let ran = run::<i16, i16>(object, "gemm_bf16_bf16", shape, &brains(&a), &brains(&b));
            same("gemm_bf16_bf16", &ran.get::<i16>(0), &brains(&want));
        }
    });
}

#[test]
fn integers() {
    each_build("gemm.cl", |object| {
        let mut r = Random::new(10);
        for shape in SHAPES {
            let [m, n, k] = shape;
            let (a, b) = (r.vec(m * k, |r| r.u64() as u8), r.vec(k * n, |r| r.u64() as u8));
            for (kernel, signed_a, signed_b) in [
                ("gemm_u8", false, false),
                ("gemm_i8", true, true),
                ("gemm_iu8", true, false),
            ] {
                let number = |v: u8, signed: bool| if signed { (v as i8).into() } else { f64::from(v) };
                let (want, _) = product(shape, |i| number(a[i], signed_a), |i| number(b[i], signed_b));
                let ran = run::<u8, i32>(object, kernel, shape, &a, &b);
                same(
                    kernel,
                    &ran.get::<i32>(0),
                    &want.iter().map(|&v| v as i32).collect::<Vec<_>>(),
                );
            }
        }
        let (m, n) = (48, 32);
        let (a, b) = (r.vec(m, Random::u64), r.vec(n, Random::u64));
        let launch = object.launch("gemm_i4", [2, 3], object.build.wave);
        // The kernel takes pairs of words.
        let words = |v: &[u64]| bytemuck::cast_slice::<u64, u32>(v).to_vec();
        let launch = launch.output::<i32>(m * n).input(&words(&a)).input(&words(&b));
        let ran = launch.u32(n).run();
        let nibble = |v: u64, l: u32| ((v >> (4 * l)) as i32) << 28 >> 28;
        let dot = |i: usize| (0..16).map(|l| nibble(a[i / n], l) * nibble(b[i % n], l)).sum();
        same(
            "gemm_i4",
            &ran.get::<i32>(0),
            &(0..m * n).map(dot).collect::<Vec<i32>>(),
        );
    });
}
