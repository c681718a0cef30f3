//! Views, vectors and indices at and past the ends, against the interpreter.

use crate::machine;
use t0_backend_rdna3::target::GFX1100;
use t0_backend_rdna3::{compile, Options};
use t0_ir::interp::{self, Arg, Memory};
use t0_ir::testing::Case;
use t0_ir::{Access, Builder, Func, OpKind, Param, ParamKind, Pred, Rmw, Scalar, Scope, Ty, Value};

fn slice(name: &str, elem: Scalar, access: Access) -> Param {
    Param {
        name: name.into(),
        kind: ParamKind::Slice(elem, access),
    }
}

/// Runs a kernel of one wave over a buffer of `len` elements counting up and an output of `out` elements.
fn check(elem: Scalar, len: u32, out: u32, build: impl FnOnce(&mut Builder, Value, Value)) {
    let params = vec![slice("x", elem, Access::Read), slice("out", elem, Access::Write)];
    let f = Func::new("memory", 32, params);
    let (x, o) = (f.body.args[0], f.body.args[1]);
    let mut b = Builder::new(f);
    build(&mut b, x, o);
    let func = b.finish();
    let mut memory = Memory::new();
    let content: Vec<u8> = (0..len * elem.bytes()).map(|i| (i % 251) as u8 + 1).collect();
    let (x, o) = (
        memory.alloc(&content),
        memory.alloc(&vec![0xcc; (out * elem.bytes()) as usize]),
    );
    let args = vec![Arg::Slice { base: x, len }, Arg::Slice { base: o, len: out }];
    compare(Case {
        func,
        args,
        memory,
        groups: [1, 1, 1],
    });
}

/// Runs a case on the simulated card and in the interpreter.
fn compare(case: Case) {
    let mut expected = case.memory.clone();
    interp::run(&case.func, &case.args, &mut expected, case.groups).unwrap();
    let compiled = compile(
        &case.func,
        &GFX1100,
        &Options {
            check: true,
            keep_text: true,
            ..Options::default()
        },
    )
    .unwrap();
    let got = machine::run(&case, &compiled.code_object).unwrap();
    if let Err(e) = case.compare(&expected, &got) {
        panic!("{}\n{e}", compiled.mir_text.unwrap()[1]);
    }
}

const TYPES: [Scalar; 5] = [Scalar::U8, Scalar::I16, Scalar::Bf16, Scalar::U32, Scalar::U64];

#[test]
fn indices_past_the_end_and_those_that_wrap_when_scaled() {
    for elem in TYPES {
        for constant in [
            0u32,
            5,
            6,
            7,
            0x2000_0001,
            0x4000_0000,
            0x4000_0001,
            0x8000_0003,
            u32::MAX,
        ] {
            check(elem, 7, 64, |b, x, out| {
                let lane = b.op1(OpKind::LaneId, &[]);
                let fixed = b.u32(constant);
                let v = b.op1(OpKind::Add, &[lane, fixed]);
                let loaded = b.op1_as(OpKind::Load, &[x, v], Ty::Scalar(elem));
                b.op0(OpKind::Store, &[out, lane, loaded]);
                let loaded = b.op1_as(OpKind::Load, &[x, fixed], Ty::Scalar(elem));
                let n = b.u32(32);
                let at = b.op1(OpKind::Add, &[lane, n]);
                b.op0(OpKind::Store, &[out, at, loaded]);
                b.op0(OpKind::Store, &[out, v, loaded]);
            });
        }
    }
}

/// A buffer that begins with some elements and says that it is `len` elements long: the indices of the lanes, which go down from
/// `first`, are in it or past its end as 32-bit numbers, however they scale.
#[test]
fn long_buffers_end_where_they_say() {
    let lens = [0, 1, 2, (1 << 30) - 1, 1 << 30, (1 << 30) + 1, 1 << 31, u32::MAX];
    for elem in TYPES {
        for len in lens {
            for first in [31, len.wrapping_add(31), (1 << 30) + 31, 0x8000_0000 + 31, u32::MAX] {
                past_the_end(elem, len, first);
            }
        }
    }
}

/// Loads and stores of the elements `first - lane` that are past the end or among the first 64, directly and through a view of
/// all elements but one.
fn past_the_end(elem: Scalar, len: u32, first: u32) {
    let params = vec![
        slice("x", elem, Access::Read),
        slice("y", elem, Access::Write),
        slice("out", elem, Access::Write),
    ];
    let f = Func::new("far", 32, params);
    let [x, y, out] = f.body.args[..] else {
        panic!("three parameters")
    };
    let mut b = Builder::new(f);
    let lane = b.op1(OpKind::LaneId, &[]);
    let from = b.u32(first);
    let index = b.op1(OpKind::Sub, &[from, lane]);
    let (one, far) = (b.constant(Scalar::U64, 1), b.u32(64));
    let n = b.op1(OpKind::BufferLen, &[x]);
    let (zero, less) = (b.u32(0), b.u32(1));
    let empty = b.op1(OpKind::Cmp { pred: Pred::Eq }, &[n, zero]);
    let rest = b.op1(OpKind::Sub, &[n, less]);
    let rest = b.op1(OpKind::Select, &[empty, zero, rest]);
    let near = b.op1(OpKind::Cmp { pred: Pred::Lt }, &[index, far]);
    for (k, whole) in [true, false].into_iter().enumerate() {
        let (from, to, len) = match whole {
            true => (x, y, n),
            false => (
                b.op1(OpKind::View, &[x, one, rest]),
                b.op1(OpKind::View, &[y, one, rest]),
                rest,
            ),
        };
        let outside = b.op1(OpKind::Cmp { pred: Pred::Ge }, &[index, len]);
        let safe = b.op1(OpKind::Or, &[near, outside]);
        b.if_(
            safe,
            &[],
            |b| {
                let v = b.op1_as(OpKind::Load, &[from, index], Ty::Scalar(elem));
                let base = b.u32(32 * k as u32);
                let at = b.op1(OpKind::Add, &[lane, base]);
                b.op0(OpKind::Store, &[out, at, v]);
                b.op0(OpKind::Store, &[to, index, v]);
                vec![]
            },
            |_| vec![],
        );
    }
    let func = b.finish();
    let mut memory = Memory::new();
    // As many as can be reached: the first 64, or those there are, and one for the view.
    let there = len.min(65);
    let content: Vec<u8> = (0..there * elem.bytes()).map(|i| (i % 251) as u8 + 1).collect();
    let [x, y] = [(); 2].map(|()| memory.alloc(&content));
    let out = memory.alloc(&vec![0xcc; (64 * elem.bytes()) as usize]);
    let args = vec![
        Arg::Slice { base: x, len },
        Arg::Slice { base: y, len },
        Arg::Slice { base: out, len: 64 },
    ];
    compare(Case {
        func,
        args,
        memory,
        groups: [1, 1, 1],
    });
}

#[test]
fn vectors_are_checked_element_by_element() {
    for (elem, n) in [(Scalar::F32, 2), (Scalar::F32, 4), (Scalar::U64, 2), (Scalar::U8, 2)] {
        check(elem, 21, 80, |b, x, out| {
            let lane = b.op1(OpKind::LaneId, &[]);
            let v = b.op1_as(OpKind::Load, &[x, lane], Ty::Vec(elem, n));
            let parts: Vec<Value> = (0..n)
                .rev()
                .map(|index| b.op1(OpKind::VecGet { index }, &[v]))
                .collect();
            let turned = b.op1_as(OpKind::VecBuild, &parts, Ty::Vec(elem, n));
            let (size, offset) = (b.u32(n), b.u32(3));
            let at = b.op1(OpKind::Mul, &[lane, size]);
            let at = b.op1(OpKind::Add, &[at, offset]);
            b.op0(OpKind::Store, &[out, at, turned]);
        });
    }
    for elem in [Scalar::Bf16, Scalar::F16, Scalar::I16] {
        check(elem, 48, 8 * 32 - 6, |b, x, out| {
            let lane = b.op1(OpKind::LaneId, &[]);
            let two = b.u32(2);
            let from = b.op1(OpKind::Mul, &[lane, two]);
            let v = b.op1_as(OpKind::Load, &[x, from], Ty::Vec(elem, 8));
            let eight = b.u32(8);
            let at = b.op1(OpKind::Mul, &[lane, eight]);
            b.op0(OpKind::Store, &[out, at, v]);
        });
    }
}

#[test]
fn views_of_views() {
    for elem in TYPES {
        for by_lane in [false, true] {
            check(elem, 100, 128, |b, x, out| {
                let lane = b.op1(OpKind::LaneId, &[]);
                let start = if by_lane { lane } else { b.u32(17) };
                let start = b.op1_as(OpKind::Cast, &[start], Ty::Scalar(Scalar::U64));
                let (count, two) = (b.u32(9), b.u32(2));
                let outer = b.op1(OpKind::View, &[x, start, count]);
                let (inner_start, inner_len) = (b.constant(Scalar::U64, 3), b.u32(4));
                let inner = b.op1(OpKind::View, &[outer, inner_start, inner_len]);
                for (n, view) in [outer, inner].into_iter().enumerate() {
                    let index = b.op1(OpKind::Shr, &[lane, two]);
                    let v = b.op1_as(OpKind::Load, &[view, index], Ty::Scalar(elem));
                    let base = b.u32(32 * n as u32);
                    let at = b.op1(OpKind::Add, &[lane, base]);
                    b.op0(OpKind::Store, &[out, at, v]);
                    let len = b.op1(OpKind::BufferLen, &[view]);
                    let len = b.op1_as(
                        OpKind::Cast,
                        &[len],
                        Ty::Scalar(if elem.is_float() { Scalar::F32 } else { elem }),
                    );
                    let len = if elem == Scalar::Bf16 {
                        b.op1_as(OpKind::Cast, &[len], Ty::Scalar(elem))
                    } else {
                        len
                    };
                    let base = b.u32(64 + 32 * n as u32);
                    let at = b.op1(OpKind::Add, &[lane, base]);
                    b.op0(OpKind::Store, &[out, at, len]);
                }
            });
        }
    }
}

#[test]
fn vectors_through_views_that_differ_between_lanes() {
    check(Scalar::F32, 50, 150, |b, x, out| {
        let lane = b.op1(OpKind::LaneId, &[]);
        let start = b.op1_as(OpKind::Cast, &[lane], Ty::Scalar(Scalar::U64));
        let five = b.u32(5);
        let view = b.op1(OpKind::View, &[x, start, five]);
        let three = b.u32(3);
        let index = b.op1(OpKind::Rem, &[lane, five]);
        let v = b.op1_as(OpKind::Load, &[view, index], Ty::Vec(Scalar::F32, 4));
        let four = b.u32(4);
        let at = b.op1(OpKind::Mul, &[lane, four]);
        let at = b.op1(OpKind::Add, &[at, three]);
        b.op0(OpKind::Store, &[out, at, v]);
    });
}

#[test]
fn atomics_return_the_old_value_and_stop_at_the_end() {
    for op in [Rmw::Add, Rmw::Min, Rmw::Max, Rmw::And, Rmw::Or, Rmw::Xor, Rmw::Swap] {
        for elem in [Scalar::U32, Scalar::I32] {
            check(elem, 40, 96, |b, x, out| {
                let lane = b.op1(OpKind::LaneId, &[]);
                let v = b.op1_as(OpKind::Load, &[x, lane], Ty::Scalar(elem));
                let (seven, far) = (b.u32(7), b.u32(80));
                let other = b.op1(OpKind::Add, &[lane, seven]);
                let w = b.op1_as(OpKind::Load, &[x, other], Ty::Scalar(elem));
                b.op0(OpKind::Store, &[out, lane, v]);
                let old = b.op1(
                    OpKind::Atomic {
                        op,
                        scope: Scope::Device,
                    },
                    &[out, lane, w],
                );
                let n = b.u32(32);
                let at = b.op1(OpKind::Add, &[lane, n]);
                b.op0(OpKind::Store, &[out, at, old]);
                let beyond = b.op1(OpKind::Add, &[lane, far]);
                let old = b.op1(
                    OpKind::Atomic {
                        op,
                        scope: Scope::Device,
                    },
                    &[out, beyond, w],
                );
                let at = b.op1(OpKind::Add, &[at, n]);
                let keep = b.op1(OpKind::Cmp { pred: t0_ir::Pred::Ge }, &[beyond, far]);
                let zero = b.constant(elem, 0);
                let shown = b.op1(OpKind::Select, &[keep, old, zero]);
                let at = b.op1(OpKind::Min, &[at, far]);
                let last = b.op1(OpKind::Cmp { pred: t0_ir::Pred::Lt }, &[at, far]);
                b.if_(
                    last,
                    &[],
                    |b| {
                        b.op0(OpKind::Store, &[out, at, shown]);
                        vec![]
                    },
                    |_| vec![],
                );
            });
        }
    }
}

#[test]
fn lds_holds_every_type() {
    for elem in [
        Scalar::U8,
        Scalar::I8,
        Scalar::I16,
        Scalar::Bf16,
        Scalar::F16,
        Scalar::I32,
        Scalar::F32,
        Scalar::I64,
    ] {
        for n in [1, 2, 4] {
            if elem.bytes() * n > 16 || (elem.bytes() * n) % 4 != 0 && n > 1 {
                continue;
            }
            let ty = if n == 1 { Ty::Scalar(elem) } else { Ty::Vec(elem, n) };
            check(elem, 32 * n, 32 * n, |b, x, out| {
                let bytes = elem.bytes() * n;
                let alloc = t0_ir::LdsAlloc {
                    name: "s".into(),
                    bytes: 40 * bytes,
                    align: 16,
                    slots: 1,
                    elem: None,
                    tile: false,
                    swizzled: false,
                };
                b.func_mut().new_lds(t0_ir::LdsAlloc {
                    bytes: 48,
                    ..alloc.clone()
                });
                let lds = b.func_mut().new_lds(alloc);
                let lane = b.op1(OpKind::LaneId, &[]);
                let (count, size) = (b.u32(n), b.u32(bytes));
                let from = b.op1(OpKind::Mul, &[lane, count]);
                let v = b.op1_as(OpKind::Load, &[x, from], ty);
                let at = b.op1(OpKind::Mul, &[lane, size]);
                b.op0(
                    OpKind::LdsStore {
                        lds,
                        base: 2 * bytes,
                        slot: 0,
                    },
                    &[at, v],
                );
                b.op0(OpKind::Barrier, &[]);
                let last = b.u32(31);
                let other = b.op1(OpKind::Sub, &[last, lane]);
                let at = b.op1(OpKind::Mul, &[other, size]);
                let w = b.op1_as(
                    OpKind::LdsLoad {
                        lds,
                        base: 2 * bytes,
                        slot: 0,
                    },
                    &[at],
                    ty,
                );
                b.op0(OpKind::Store, &[out, from, w]);
            });
        }
    }
}

#[test]
fn lds_atomics_return_the_old_value() {
    for op in [Rmw::Add, Rmw::Min, Rmw::Max, Rmw::And, Rmw::Or, Rmw::Xor, Rmw::Swap] {
        check(Scalar::I32, 64, 64, |b, x, out| {
            let lds = b.func_mut().new_lds(t0_ir::LdsAlloc {
                name: "s".into(),
                bytes: 128,
                align: 16,
                slots: 1,
                elem: None,
                tile: false,
                swizzled: false,
            });
            let lane = b.op1(OpKind::LaneId, &[]);
            let (four, n) = (b.u32(4), b.u32(32));
            let at = b.op1(OpKind::Mul, &[lane, four]);
            let more = b.op1(OpKind::Add, &[lane, n]);
            let v = b.op1_as(OpKind::Load, &[x, lane], Ty::I32);
            let w = b.op1_as(OpKind::Load, &[x, more], Ty::I32);
            b.op0(OpKind::LdsStore { lds, base: 0, slot: 0 }, &[at, v]);
            let old = b.op1(OpKind::LdsAtomic { lds, base: 0, op }, &[at, w]);
            b.op1(OpKind::LdsAtomic { lds, base: 0, op }, &[at, v]);
            b.op0(OpKind::Barrier, &[]);
            let now = b.op1_as(OpKind::LdsLoad { lds, base: 0, slot: 0 }, &[at], Ty::I32);
            b.op0(OpKind::Store, &[out, lane, old]);
            b.op0(OpKind::Store, &[out, more, now]);
        });
    }
}
