//! Kernels that need more registers than there are. Random ones under low limits are in `tests/fuzz`.

use crate::machine::{self, findings};
use t0_backend_rdna3::object::CodeObject;
use t0_backend_rdna3::target::GFX1100;
use t0_backend_rdna3::{compile, Options};
use t0_ir::interp::{self, Arg, Memory};
use t0_ir::testing::{Case, Rng};
use t0_ir::{Access, Builder, Func, OpKind, Param, ParamKind, Pred, Scalar, Span, Ty, Value};

const LANES: u32 = 64;

/// A kernel that reads `x`, `values` elements per lane (or for all, when `uniform`), and stores what `body` makes of them.
fn case(values: u32, uniform: bool, body: impl FnOnce(&mut Builder, &Lane) -> Value) -> Case {
    let slice = |name: &str, access| Param {
        name: name.into(),
        kind: ParamKind::Slice(Scalar::U32, access),
    };
    let params = vec![slice("x", Access::Read), slice("out", Access::Write)];
    let mut func = Func::new("many", LANES, params);
    func.files = vec!["many.rs".into()];
    let [x, out] = func.body.args[..] else {
        panic!("two parameters")
    };
    let mut b = Builder::new(func);
    at(&mut b, 10);
    let lane = b.op1(OpKind::LocalId, &[]);
    let stride = b.u32(LANES);
    let all = (0..values)
        .map(|k| {
            let row = b.u32(k);
            let i = match uniform {
                true => row,
                false => {
                    let row = b.op1(OpKind::Mul, &[row, stride]);
                    b.op1(OpKind::Add, &[row, lane])
                }
            };
            b.op1_as(OpKind::Load, &[x, i], Ty::U32)
        })
        .collect();
    let result = body(&mut b, &Lane { all, id: lane });
    at(&mut b, 40);
    b.op0(OpKind::Store, &[out, lane, result]);
    let func = b.finish();
    let mut rng = Rng::new(7);
    let mut memory = Memory::new();
    let words = |rng: &mut Rng, n: u32| {
        (0..n)
            .flat_map(|_| (rng.bits() as u32).to_le_bytes())
            .collect::<Vec<u8>>()
    };
    let args = [values * LANES, LANES].map(|n| {
        let base = memory.alloc(&words(&mut rng, n));
        Arg::Slice { base, len: n }
    });
    Case {
        func,
        args: args.into(),
        memory,
        groups: [1, 1, 1],
    }
}

/// What the body of a kernel has.
struct Lane {
    all: Vec<Value>,
    id: Value,
}

fn at(b: &mut Builder, line: u32) {
    b.set_span(Span {
        file: 0,
        line,
        column: 1,
    });
}

fn sum(b: &mut Builder, all: &[Value]) -> Value {
    all.iter().copied().reduce(|a, x| b.op1(OpKind::Add, &[a, x])).unwrap()
}

/// Each value with its neighbour in it.
fn mix(b: &mut Builder, all: &[Value]) -> Vec<Value> {
    let next = all.iter().cycle().skip(1);
    let mixed = all.iter().zip(next).map(|(&x, &y)| {
        let five = b.u32(5);
        let x = b.op1(OpKind::Mul, &[x, five]);
        b.op1(OpKind::Xor, &[x, y])
    });
    mixed.collect()
}

/// Compiles, runs, compares; the warnings as text.
fn spills(case: &Case, dwords: [std::ops::Range<u32>; 2]) -> String {
    let mut expected = case.memory.clone();
    interp::run(&case.func, &case.args, &mut expected, case.groups).unwrap();
    let mut warnings = String::new();
    for plain in [true, false] {
        let options = Options {
            check: true,
            plain,
            ..Options::default()
        };
        let c = compile(&case.func, &GFX1100, &options).unwrap();
        let (got, rules) = machine::run_with(case, &c.code_object, true).unwrap();
        case.compare(&expected, &got).unwrap();
        assert!(rules.is_empty(), "{rules:?}");
        let object = CodeObject::parse(&c.code_object).unwrap();
        assert_eq!(findings(&object), Vec::<String>::new());
        let spilled = object.kernels[0].metadata.as_ref().unwrap().spills;
        for k in 0..2 {
            assert!(dwords[k].contains(&spilled[k]), "{spilled:?} of {dwords:?}");
        }
        let scratch = object.kernels[0].descriptor.private_segment_bytes;
        assert_eq!(scratch, c.resources.scratch_bytes);
        assert!(scratch <= 4 * spilled[1] && (scratch > 0) == (spilled[1] > 0));
        assert_eq!(c.warnings.is_empty(), spilled == [0; 2]);
        warnings = c
            .warnings
            .0
            .iter()
            .map(|w| w.render(&c.files))
            .collect::<Vec<_>>()
            .join("\n");
    }
    warnings
}

#[test]
fn straight_code_of_320_values() {
    let case = case(320, false, |b, lane| {
        at(b, 20);
        let s = sum(b, &lane.all);
        let again: Vec<Value> = lane.all.iter().map(|&x| b.op1(OpKind::Mul, &[x, s])).collect();
        let mixed = mix(b, &again);
        sum(b, &mixed)
    });
    let warnings = spills(&case, [0..1, 64..700]);
    assert!(
        warnings.starts_with("warning: the kernel does not fit in 256 VGPRs: "),
        "{warnings}"
    );
    assert!(warnings.contains("many.rs:10:1"), "{warnings}");
}

#[test]
fn a_loop_of_300_values_is_named() {
    let case = case(300, false, |b, lane| {
        at(b, 30);
        let (lo, hi, step) = (b.u32(0), lane.all[0], b.u32(1));
        let fifteen = b.u32(15);
        let hi = b.op1(OpKind::And, &[hi, fifteen]);
        let hi = b.op1(OpKind::WaveBroadcast, &[hi, lo]);
        let all = b.for_([lo, hi, step], Default::default(), &lane.all, |b, _, v| {
            at(b, 31);
            let next = mix(b, v);
            at(b, 30);
            next
        });
        let mixed = mix(b, &all);
        sum(b, &mixed)
    });
    let warnings = spills(&case, [0..1, 44..700]);
    assert!(warnings.contains("--> many.rs:30:1"), "{warnings}");
    assert!(warnings.contains("each round of this loop loads them"), "{warnings}");
}

#[test]
fn lanes_that_are_off_keep_their_values() {
    let case = case(280, false, |b, lane| {
        let one = b.u32(1);
        let zero = b.u32(0);
        let mut all = lane.all.clone();
        for bit in 0..3 {
            at(b, 20 + bit);
            let k = b.u32(bit);
            let x = b.op1(OpKind::Shr, &[lane.id, k]);
            let x = b.op1(OpKind::And, &[x, one]);
            let odd = b.op1(OpKind::Cmp { pred: Pred::Eq }, &[x, one]);
            let tys = vec![Ty::U32; all.len()];
            let (then, otherwise) = (all.clone(), all.clone());
            all = b.if_(
                odd,
                &tys,
                |b| mix(b, &then),
                |b| match bit {
                    0 => otherwise,
                    _ => otherwise.iter().rev().map(|&v| b.op1(OpKind::Add, &[v, one])).collect(),
                },
            );
        }
        at(b, 30);
        let seven = b.u32(7);
        let rounds = b.op1(OpKind::And, &[lane.id, seven]);
        let all = b.for_([zero, rounds, one], Default::default(), &all, |b, _, v| mix(b, v));
        let mixed = mix(b, &all);
        sum(b, &mixed)
    });
    let warnings = spills(&case, [0..60, 24..2000]);
    assert!(warnings.contains("--> many.rs:30:1"), "{warnings}");
}

#[test]
fn more_than_106_uniform_values() {
    let case = case(140, true, |b, lane| {
        at(b, 30);
        let (lo, step) = (b.u32(0), b.u32(1));
        let seven = b.u32(7);
        let hi = b.op1(OpKind::And, &[lane.all[3], seven]);
        let all = b.for_([lo, hi, step], Default::default(), &lane.all, |b, _, v| mix(b, v));
        let s = sum(b, &all);
        b.op1(OpKind::Add, &[s, lane.id])
    });
    let warnings = spills(&case, [34..400, 0..1]);
    assert!(warnings.contains("does not fit in 106 SGPRs"), "{warnings}");
    assert!(warnings.contains("lanes of "), "{warnings}");
}

/// Values that one instruction makes are made again and need no memory.
#[test]
fn constants_are_made_again() {
    let case = case(200, false, |b, lane| {
        let s = sum(b, &lane.all);
        let many: Vec<Value> = (0..100).map(|k| b.u32(0x1234_5678 + 77 * k)).collect();
        let more: Vec<Value> = lane
            .all
            .iter()
            .zip(many.iter().cycle())
            .map(|(&x, &c)| b.op1(OpKind::Xor, &[x, c]))
            .collect();
        let t = sum(b, &more);
        b.op1(OpKind::Xor, &[s, t])
    });
    assert_eq!(spills(&case, [0..1, 0..1]), "");
}
