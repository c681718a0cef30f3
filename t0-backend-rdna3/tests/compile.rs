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

/// Compiles and has LLVM disassemble the result, where it is installed; the text without addresses and bytes.
fn compiled(f: &Func) -> String {
    let c = compile(
        f,
        &GFX1100,
        &Options {
            keep_text: true,
            check: true,
            ..Options::default()
        },
    )
    .unwrap();
    let ours = c.mir_text.unwrap()[1].clone();
    let path = std::env::temp_dir().join(format!("t0-compile-{}-{}.o", f.name, std::process::id()));
    std::fs::write(&path, &c.code_object).unwrap();
    let judge = std::process::Command::new("llvm-objdump-19")
        .arg("-d")
        .arg("--no-show-raw-insn")
        .arg(&path)
        .output();
    std::fs::remove_file(&path).unwrap();
    if let Ok(out) = judge {
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        let theirs = String::from_utf8(out.stdout).unwrap();
        let instruction = |l: &&str| l.starts_with("  ") || l.starts_with('\t');
        let names = |text: &str| -> Vec<String> {
            let first = |l: &str| l.split_whitespace().next().unwrap_or_default().to_string();
            text.lines()
                .filter(instruction)
                .map(first)
                .filter(|n| n != "s_code_end")
                .collect()
        };
        assert_eq!(names(&theirs), names(&ours), "{theirs}\n{ours}");
    }
    ours
}

#[test]
fn saxpy_is_branched_over_where_no_lane_is_inside() {
    let text = compiled(&saxpy());
    let order = [
        "v_cmpx_",
        "s_cbranch_execz",
        "buffer_load_b32",
        "s_waitcnt vmcnt(0)",
        "buffer_store_b32",
    ];
    let mut at = 0;
    for what in order {
        at += text[at..]
            .find(what)
            .unwrap_or_else(|| panic!("no {what} after {at}\n{text}"));
    }
}

#[test]
fn a_uniform_loop_counts_in_sgprs_and_leaves_exec_alone() {
    let text = compiled(&sum_loop());
    assert!(text.contains("s_cbranch_scc1") && !text.contains("exec"), "{text}");
    assert_eq!(text.matches("v_fma_f32").count(), 1);
}
