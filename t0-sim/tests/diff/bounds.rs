//! `exp`, `ln` and their like stay within the bounds the IR states; division, square root and remainder are exact.

use crate::machine;
use t0_backend_rdna3::target::GFX1100;
use t0_backend_rdna3::{compile, Options};
use t0_ir::interp::{Arg, Memory};
use t0_ir::testing::{Case, Rng};
use t0_ir::{Access, Builder, Func, OpKind, Param, ParamKind, Pred, Scalar, Ty};

/// `out[i] ← op(x[i], y[i])` over all elements.
fn run(kind: OpKind, x: &[f32], y: Option<&[f32]>) -> Vec<f32> {
    let slice = |name: &str, access| Param {
        name: name.into(),
        kind: ParamKind::Slice(Scalar::F32, access),
    };
    let params = vec![
        slice("x", Access::Read),
        slice("y", Access::Read),
        slice("out", Access::Write),
    ];
    let f = Func::new("math", 64, params);
    let [xs, ys, out] = f.body.args[..] else {
        panic!("three parameters")
    };
    let mut b = Builder::new(f);
    let (group, size) = (b.op1(OpKind::GroupId { axis: 0 }, &[]), b.u32(64));
    let local = b.op1(OpKind::LocalId, &[]);
    let first = b.op1(OpKind::Mul, &[group, size]);
    let i = b.op1(OpKind::Add, &[first, local]);
    let n = b.op1(OpKind::BufferLen, &[out]);
    let inside = b.op1(OpKind::Cmp { pred: Pred::Lt }, &[i, n]);
    b.if_(
        inside,
        &[],
        |b| {
            let mut args = vec![b.op1_as(OpKind::Load, &[xs, i], Ty::F32)];
            if y.is_some() {
                args.push(b.op1_as(OpKind::Load, &[ys, i], Ty::F32));
            }
            let r = b.op1(kind, &args);
            b.op0(OpKind::Store, &[out, i, r]);
            vec![]
        },
        |_| vec![],
    );
    let func = b.finish();
    let mut memory = Memory::new();
    let mut alloc = |v: &[f32]| memory.alloc(&v.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>());
    let (bx, by, bo) = (alloc(x), alloc(y.unwrap_or(x)), alloc(x));
    let len = x.len() as u32;
    let args = [bx, by, bo].map(|base| Arg::Slice { base, len }).to_vec();
    let case = Case {
        func,
        args,
        memory,
        groups: [len.div_ceil(64), 1, 1],
    };
    let compiled = compile(
        &case.func,
        &GFX1100,
        &Options {
            check: true,
            keep_text: false,
            ..Options::default()
        },
    )
    .unwrap();
    let after = machine::run(&case, &compiled.code_object).unwrap();
    let bytes = after.buffer(bo).unwrap();
    bytes
        .chunks(4)
        .map(|c| f32::from_le_bytes(c.try_into().unwrap()))
        .collect()
}

/// Distance in units in the last place of the nearest f32.
fn ulps(got: f32, want: f64) -> f64 {
    let near = want as f32;
    if got.is_nan() || near.is_nan() {
        return if got.is_nan() == near.is_nan() {
            0.0
        } else {
            f64::INFINITY
        };
    }
    if got == near || got.is_infinite() || near.is_infinite() {
        return if got == near { 0.0 } else { f64::INFINITY };
    }
    let exponent = near.abs().max(f32::MIN_POSITIVE).log2().floor() as i32;
    (f64::from(got) - want).abs() / 2f64.powi(exponent - 23)
}

fn any_floats(n: usize, seed: u64) -> Vec<f32> {
    let mut rng = Rng::new(seed);
    (0..n)
        .map(|_| f32::from_bits(rng.scalar(Scalar::F32).bits as u32))
        .collect()
}

fn spread(n: usize, seed: u64, low: f64, high: f64) -> Vec<f32> {
    let mut rng = Rng::new(seed);
    (0..n)
        .map(|_| (low + (high - low) * (rng.bits() >> 11) as f64 / (1u64 << 53) as f64) as f32)
        .collect()
}

fn within(kind: OpKind, xs: &[f32], bound: f64, exact: impl Fn(f64) -> f64) {
    let name = kind.row().name;
    let got = run(kind, xs, None);
    for (&x, &g) in xs.iter().zip(&got) {
        let off = ulps(g, exact(f64::from(x)));
        assert!(off <= bound, "{name}({x:e}) = {g:e}, {off} ulp off");
    }
}

#[test]
fn exponentials_and_logarithms() {
    let mut xs = any_floats(3000, 1);
    xs.extend(spread(3000, 2, -110.0, 95.0));
    xs.extend(spread(1000, 3, -151.0, -120.0));
    within(OpKind::Exp, &xs, 2.0, f64::exp);
    within(OpKind::Exp2, &xs, 2.0, f64::exp2);
    let mut xs = any_floats(3000, 4);
    xs.extend(spread(3000, 5, 0.0, 4.0));
    within(OpKind::Ln, &xs, 3.0, f64::ln);
    within(OpKind::Log2, &xs, 2.0, f64::log2);
}

#[test]
fn sines() {
    let xs = spread(6000, 6, -256.0, 256.0);
    for (kind, f) in [(OpKind::Sin, f64::sin as fn(f64) -> f64), (OpKind::Cos, f64::cos)] {
        let got = run(kind, &xs, None);
        for (&x, &g) in xs.iter().zip(&got) {
            let off = (f64::from(g) - f(f64::from(x))).abs();
            assert!(off <= 2f64.powi(-20), "of {x}: {g}, {off:e} off");
        }
    }
}

#[test]
fn correctly_rounded() {
    let (xs, ys) = (any_floats(6000, 7), any_floats(6000, 8));
    within(OpKind::Sqrt, &xs, 0.5, f64::sqrt);
    let same = |a: f32, b: f32| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
    for (kind, f) in [
        (OpKind::Div, (|a, b| a / b) as fn(f32, f32) -> f32),
        (OpKind::Rem, |a, b| a % b),
    ] {
        let got = run(kind.clone(), &xs, Some(&ys));
        for ((&x, &y), &g) in xs.iter().zip(&ys).zip(&got) {
            assert!(
                same(g, f(x, y)),
                "{} {x:e} {y:e}: {g:e}, not {:e}",
                kind.row().name,
                f(x, y)
            );
        }
    }
}
