#![allow(clippy::unwrap_used)]

use super::*;
use crate::build::Builder;
use crate::eval::Const;
use crate::func::{Access, Func, LdsAlloc, Param, ParamKind, Span};
use crate::op::{LoopHints, OpKind, Order, Scope};
use crate::passes::rewrite::canonical;
use crate::ty::{Role, TileTy, Ty};

/// A function with every operation that has attributes, regions of every shape, odd names and spans.
fn everything() -> Func {
    let p = |name: &str, kind| Param {
        name: name.into(),
        kind,
    };
    let mut f = Func::new(
        "a b\"c",
        64,
        vec![
            p("s", ParamKind::Scalar(Scalar::Bf16)),
            p("x y", ParamKind::Slice(Scalar::U32, Access::Atomic)),
            p("m", ParamKind::Mat(Scalar::F32, Access::Write)),
        ],
    );
    f.files = vec!["src/a.rs".into(), "we\\ird\n\"ü.rs".into()];
    f.span = Span {
        file: 1,
        line: 4,
        column: 8,
    };
    let lds = f.new_lds(LdsAlloc {
        name: "t".into(),
        bytes: 4096,
        align: 16,
        slots: 2,
        elem: Some(Scalar::F16),
        tile: true,
        swizzled: true,
    });
    let (buf, m) = (f.body.args[1], f.body.args[2]);
    let mut b = Builder::new(f);
    b.set_span(Span {
        file: 1,
        line: 7,
        column: 3,
    });
    let (zero, one) = (b.u32(0), b.u32(1));
    let i = b.op1(OpKind::GroupId { axis: 2 }, &[]);
    b.func_mut().values[i.0 as usize].name = Some("sp ace.1".into());
    let c = b.op1(OpKind::Cmp { pred: Pred::Ge }, &[i, one]);
    let atomic = |scope| OpKind::Atomic { op: Rmw::Swap, scope };
    b.op1(atomic(Scope::Device), &[buf, i, one]);
    b.op1(atomic(Scope::Group), &[buf, i, one]);
    b.op1(OpKind::AtomicLoad { scope: Scope::Group }, &[buf, i]);
    b.op1_as(OpKind::LdsAtomicLoad { lds, base: 4 }, &[i], Ty::U32);
    let (order, scope) = (Order::AcqRel, Scope::Group);
    b.op0(OpKind::Fence { order, scope }, &[]);
    b.op1(
        OpKind::LdsAtomic {
            lds,
            base: 8,
            op: Rmw::Xor,
        },
        &[i, one],
    );
    let v = b.op1_as(
        OpKind::LdsLoad { lds, base: 0, slot: 1 },
        &[i],
        Ty::Vec(Scalar::Bf16, 8),
    );
    b.op1(OpKind::VecGet { index: 7 }, &[v]);
    b.op1(OpKind::WaveShuffleXor { mask: 16 }, &[i]);
    b.op1(OpKind::WavePerm { mask: 1 }, &[i, zero]);
    let tile = Ty::LdsTile(TileTy {
        elem: Scalar::F32,
        rows: 128,
        cols: 32,
    });
    b.op1_as(OpKind::TileLoad { transposed: true }, &[m, i, i, i, zero, zero], tile);
    b.op1_as(OpKind::TileAt { lds, slot: 1 }, &[zero], tile);
    b.op1_as(OpKind::FragSplat, &[zero], Ty::Frag(Role::Acc, Scalar::U32));
    b.set_span(Span::default());
    let r = b.if_(
        c,
        &[Ty::U32, Ty::BOOL],
        |_| vec![i, c],
        |b| {
            b.op0(OpKind::Barrier, &[]);
            vec![one, c]
        },
    );
    let hints = LoopHints {
        unroll: true,
        stages: 3,
        turns: true,
    };
    b.for_([zero, r[0], one], hints, &[], |b, i, _| {
        b.op0(OpKind::Store, &[buf, i, i]);
        vec![]
    });
    b.while_(
        &[i, c],
        |b, a| {
            let s = b.op1(OpKind::Add, &[a[0], a[0]]);
            (a[1], vec![s, a[1]])
        },
        |_, a| a.to_vec(),
    );
    b.finish()
}

#[test]
fn round_trip() {
    let f = everything();
    let text = print(&f);
    let back = parse(&text).unwrap_or_else(|d| panic!("{d}\n{text}"));
    assert_eq!(back, canonical(&f), "{text}");
    assert_eq!(print(&back), print(&canonical(&f)));
}

#[test]
fn constants_keep_their_bits() {
    for ty in Scalar::ALL {
        let seeds = [
            0u64,
            1,
            2,
            0x8000,
            0x7f80,
            0x7fc1,
            0x7c00,
            0xfc00,
            0x3c00,
            0x3dcc_cccd,
            0x7f80_0000,
            0xff80_0001,
        ];
        let more = (0..2000u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (i % 64));
        for bits in seeds.into_iter().chain(more).chain([u64::MAX, 1 << 63]) {
            let c = Const::new(ty, bits);
            let mut b = Builder::new(Func::new("k", 32, vec![]));
            b.constant(ty, c.bits);
            let f = b.finish();
            let text = print(&f);
            assert_eq!(parse(&text).unwrap(), f, "{text}");
        }
    }
}

#[test]
fn errors_have_a_place() {
    let err = |text: &str| {
        let d = parse(text).unwrap_err();
        format!("{}:{} {}", d.0[0].span.line, d.0[0].span.column, d.0[0].message)
    };
    assert_eq!(err("kernel k group"), "1:15 expected a number, found the end");
    assert_eq!(
        err("kernel k group 32\nbody {\n  %0:f33 = const 1\n}"),
        "3:6 expected a type, found `f33`"
    );
    assert_eq!(
        err("kernel k group 32\nbody {\n  %0:u8 = const 256\n}"),
        "3:17 expected a constant of type u8, found `256`"
    );
    assert_eq!(
        err("kernel k group 32\nbody {\n  add %1, %2\n}"),
        "3:7 %1 is not defined before this"
    );
    assert_eq!(
        err("kernel k group 32\nbody {\n  frob\n}"),
        "3:3 there is no operation `frob`"
    );
    assert_eq!(
        err("kernel k group 32\nbody {\n  %0:u32 = group_id\n}"),
        "3:12 `group_id` needs its `axis` in brackets"
    );
    assert_eq!(
        err("kernel k group 32\nbody {\n  barrier[axis 1]\n}"),
        "3:3 `barrier` has no attribute `axis`"
    );
}
