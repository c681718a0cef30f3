//! Kernels built by hand compile, and LLVM's disassembler agrees with the bytes.
#![allow(clippy::unwrap_used)]

use t0_backend_rdna3::target::GFX1100;
use t0_backend_rdna3::{compile, Options};
use t0_ir::{Access, Builder, Func, LoopHints, OpKind, Param, ParamKind, Pred, Scalar, Ty};

fn slice(name: &str, s: Scalar, access: Access) -> Param {
    Param {
        name: name.into(),
        kind: ParamKind::Slice(s, access),
    }
}

/// y ← a·x + y, one element per lane.
fn saxpy() -> Func {
    let params = vec![
        Param {
            name: "a".into(),
            kind: ParamKind::Scalar(Scalar::F32),
        },
        slice("x", Scalar::F32, Access::Read),
        slice("y", Scalar::F32, Access::Write),
    ];
    let f = Func::new("saxpy", 256, params);
    let [a, x, y] = f.body.args[..] else {
        panic!("three parameters")
    };
    let mut b = Builder::new(f);
    let group = b.op1(OpKind::GroupId { axis: 0 }, &[]);
    let size = b.u32(256);
    let start = b.op1(OpKind::Mul, &[group, size]);
    let lane = b.op1(OpKind::LocalId, &[]);
    let i = b.op1(OpKind::Add, &[start, lane]);
    let len = b.op1(OpKind::BufferLen, &[y]);
    let inside = b.op1(OpKind::Cmp { pred: Pred::Lt }, &[i, len]);
    b.if_(
        inside,
        &[],
        |b| {
            let xv = b.op1_as(OpKind::Load, &[x, i], Ty::F32);
            let yv = b.op1_as(OpKind::Load, &[y, i], Ty::F32);
            let p = b.op1(OpKind::Mul, &[a, xv]);
            let s = b.op1(OpKind::Add, &[p, yv]);
            b.op0(OpKind::Store, &[y, i, s]);
            vec![]
        },
        |_| vec![],
    );
    b.finish()
}

/// out[i] ← Σ_{k<n} x[k]·i, a loop whose length is the same for all.
fn sum_loop() -> Func {
    let params = vec![
        slice("x", Scalar::F32, Access::Read),
        slice("out", Scalar::F32, Access::Write),
    ];
    let f = Func::new("sum_loop", 64, params);
    let [x, out] = f.body.args[..] else {
        panic!("two parameters")
    };
    let mut b = Builder::new(f);
    let lane = b.op1(OpKind::LocalId, &[]);
    let scale = b.op1_as(OpKind::Cast, &[lane], Ty::F32);
    let (lo, step) = (b.u32(0), b.u32(1));
    let n = b.op1(OpKind::BufferLen, &[x]);
    let zero = b.f32(0.0);
    let sum = b.for_([lo, n, step], LoopHints::default(), &[zero], |b, k, acc| {
        let v = b.op1_as(OpKind::Load, &[x, k], Ty::F32);
        vec![b.op1(OpKind::MulAdd, &[v, scale, acc[0]])]
    });
    b.op0(OpKind::Store, &[out, lane, sum[0]]);
    b.finish()
}

fn show(f: &Func) {
    let c = compile(
        f,
        &GFX1100,
        &Options {
            keep_text: true,
            check: true,
        },
    )
    .unwrap();
    let [selected, last] = c.mir_text.unwrap();
    println!("{}\n{selected}\n{last}\n{:?}", c.ir_text.unwrap(), c.resources);
}

#[test]
fn saxpy_compiles() {
    show(&saxpy());
}

#[test]
fn loop_compiles() {
    show(&sum_loop());
}
