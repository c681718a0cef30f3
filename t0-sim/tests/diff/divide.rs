//! Quotients and remainders are those of Rust, by constants and by what a variable holds, for lanes and for the whole wave.

use crate::machine;
use t0_backend_rdna3::target::GFX1100;
use t0_backend_rdna3::{compile, Options};
use t0_ir::interp::{Arg, Memory};
use t0_ir::testing::Case;
use t0_ir::{Access, Builder, Const, Func, OpKind, Param, ParamKind, Scalar, Ty};

const LANES: u32 = 64;

/// `quotients[i] ← x[i] / d`, `remainders[i] ← x[i] % d` for a constant d; element 0 of both is that of the scalar `n` instead.
fn kernel(ty: Scalar, d: i64) -> Func {
    let slice = |name: &str, access| Param {
        name: name.into(),
        kind: ParamKind::Slice(ty, access),
    };
    let params = vec![
        Param {
            name: "n".into(),
            kind: ParamKind::Scalar(ty),
        },
        slice("x", Access::Read),
        slice("quotients", Access::Write),
        slice("remainders", Access::Write),
    ];
    let f = Func::new("divide", LANES, params);
    let [n, x, quotients, remainders] = f.body.args[..] else {
        panic!("four parameters")
    };
    let mut b = Builder::new(f);
    let d = b.constant(ty, d as u64 & t0_ir::eval::mask(ty));
    let i = b.op1(OpKind::LocalId, &[]);
    let zero = b.u32(0);
    let first = b.op1(OpKind::Cmp { pred: t0_ir::Pred::Eq }, &[i, zero]);
    let own = b.op1_as(OpKind::Load, &[x, i], Ty::Scalar(ty));
    for (out, kind) in [(quotients, OpKind::Div), (remainders, OpKind::Rem)] {
        let (of_wave, of_lane) = (b.op1(kind.clone(), &[n, d]), b.op1(kind, &[own, d]));
        let v = b.op1(OpKind::Select, &[first, of_wave, of_lane]);
        b.op0(OpKind::Store, &[out, i, v]);
    }
    b.finish()
}

fn limits(ty: Scalar) -> (i64, i64) {
    match (ty.is_signed(), ty.bits()) {
        (true, bits) => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        (false, bits) => (0, (1 << bits) - 1),
    }
}

/// Dividends at the ends, around 0 and around multiples of the divisor.
fn dividends(ty: Scalar, d: i64) -> Vec<i64> {
    let (low, high) = limits(ty);
    let most = high / d.abs().max(1);
    let around = |k: i64| [d * k - 1, d * k, d * k + 1];
    let all = [0, 1, 2, 3, 7, most - 1, most, most / 2, -1, -2]
        .into_iter()
        .flat_map(around);
    let ends = [low, low + 1, high, high - 1, high / 2, high / 3, low / 2];
    let mut v: Vec<i64> = all
        .chain(ends)
        .chain(-20..20)
        .filter(|n| (low..=high).contains(n))
        .collect();
    v.truncate(LANES as usize);
    v.resize(LANES as usize, high / 5);
    v
}

fn check(ty: Scalar, d: i64) {
    let func = kernel(ty, d);
    let size = ty.bytes() as usize;
    let numbers = dividends(ty, d);
    let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()[..size].to_vec()).collect();
    let mut memory = Memory::new();
    let [x, quotients, remainders] = [0; 3].map(|_| memory.alloc(&bytes));
    let slice = |base| Arg::Slice { base, len: LANES };
    let scalar = Arg::Scalar(Const::new(ty, numbers[0] as u64));
    let case = Case {
        func,
        args: vec![scalar, slice(x), slice(quotients), slice(remainders)],
        memory,
        groups: [1, 1, 1],
    };
    let compiled = compile(&case.func, &GFX1100, &Options::default()).unwrap();
    let after = machine::run(&case, &compiled.code_object).unwrap();
    let (low, high) = limits(ty);
    let wrapped = |q: i64| if q > high { low } else { q };
    for (i, &n) in numbers.iter().enumerate() {
        for (of, want) in [(quotients, wrapped(n / d)), (remainders, n % d)] {
            let got = &after.buffer(of).unwrap()[i * size..][..size];
            assert_eq!(got, &want.to_le_bytes()[..size], "{n} and {d}, {ty}");
        }
    }
}

#[test]
fn constants_divide_exactly() {
    let sizes = [
        1,
        2,
        3,
        5,
        6,
        7,
        9,
        10,
        11,
        12,
        25,
        28,
        60,
        64,
        100,
        125,
        127,
        128,
        641,
        1000,
        32_767,
        32_768,
        65_535,
        1 << 20,
    ];
    let large = [
        (1i64 << 31) - 1,
        1 << 31,
        (1 << 31) + 1,
        0xffff_fffb,
        0xffff_ffff,
        1_000_003,
        0x5555_5556,
    ];
    for ty in [
        Scalar::I8,
        Scalar::U8,
        Scalar::I16,
        Scalar::U16,
        Scalar::I32,
        Scalar::U32,
    ] {
        let (low, high) = limits(ty);
        for size in sizes.into_iter().chain(large) {
            for d in [size, -size] {
                if (low..=high).contains(&d) {
                    check(ty, d);
                }
            }
        }
    }
}

#[test]
fn a_division_by_a_constant_is_a_multiplication() {
    for (ty, most) in [(Scalar::U32, 18), (Scalar::I32, 26)] {
        let options = Options {
            keep_text: true,
            ..Options::default()
        };
        let done = compile(&kernel(ty, 7), &GFX1100, &options).unwrap();
        let [_, text] = done.mir_text.unwrap();
        let arithmetic = ["v_mul", "v_sub", "v_add", "v_lshrrev", "v_ashrrev", "s_mul", "s_add"];
        let n = text
            .lines()
            .filter(|l| arithmetic.iter().any(|a| l.trim_start().starts_with(a)))
            .count();
        assert!(
            text.contains("mul_hi") && !text.contains("rcp") && n <= most,
            "{n}\n{text}"
        );
    }
}

/// As [`kernel`], but the divisors are in `y`, that of the wave is `m`; `both`: the quotients are there when the remainders are made.
fn by_variables(ty: Scalar, both: bool) -> Func {
    let slice = |name: &str, access| Param {
        name: name.into(),
        kind: ParamKind::Slice(ty, access),
    };
    let scalar = |name: &str| Param {
        name: name.into(),
        kind: ParamKind::Scalar(ty),
    };
    let params = vec![
        scalar("n"),
        scalar("m"),
        slice("x", Access::Read),
        slice("y", Access::Read),
        slice("quotients", Access::Write),
        slice("remainders", Access::Write),
    ];
    let f = Func::new("divide", LANES, params);
    let [n, m, x, y, quotients, remainders] = f.body.args[..] else {
        panic!("six parameters")
    };
    let mut b = Builder::new(f);
    let i = b.op1(OpKind::LocalId, &[]);
    let zero = b.u32(0);
    let first = b.op1(OpKind::Cmp { pred: t0_ir::Pred::Eq }, &[i, zero]);
    let [own, d] = [x, y].map(|from| b.op1_as(OpKind::Load, &[from, i], Ty::Scalar(ty)));
    let mut outs = vec![(quotients, OpKind::Div), (remainders, OpKind::Rem)];
    if !both {
        outs.reverse();
    }
    for (out, kind) in outs {
        let (of_wave, of_lane) = (b.op1(kind.clone(), &[n, m]), b.op1(kind, &[own, d]));
        let v = b.op1(OpKind::Select, &[first, of_wave, of_lane]);
        b.op0(OpKind::Store, &[out, i, v]);
    }
    b.finish()
}

#[test]
fn variables_divide_exactly() {
    for ty in [
        Scalar::U8,
        Scalar::I8,
        Scalar::U16,
        Scalar::I16,
        Scalar::U32,
        Scalar::I32,
    ] {
        let size = ty.bytes() as usize;
        let (low, high) = limits(ty);
        let divisors = [0, 1, 2, 3, 7, 10, 127, high / 3, high - 1, high, low, low + 1, -1, -3];
        for both in [false, true] {
            let func = by_variables(ty, both);
            let compiled = compile(&func, &GFX1100, &Options::default()).unwrap();
            for d in divisors.into_iter().filter(|d| (low..=high).contains(d)) {
                let numbers = dividends(ty, d);
                // The wave divides each of some numbers by `d`, the lanes divide theirs by all of the divisors in turn.
                for &n in numbers.iter().step_by(9) {
                    let turns: Vec<i64> = (0..numbers.len() as i64)
                        .map(|i| divisors[i as usize % divisors.len()].clamp(low, high))
                        .collect();
                    let bytes =
                        |v: &[i64]| -> Vec<u8> { v.iter().flat_map(|n| n.to_le_bytes()[..size].to_vec()).collect() };
                    let mut memory = Memory::new();
                    let [x, y] = [&numbers, &turns].map(|v| memory.alloc(&bytes(v)));
                    let [quotients, remainders] = [0; 2].map(|_| memory.alloc(&bytes(&numbers)));
                    let slice = |base| Arg::Slice { base, len: LANES };
                    let scalar = |v: i64| Arg::Scalar(Const::new(ty, v as u64));
                    let case = Case {
                        func: func.clone(),
                        args: vec![
                            scalar(n),
                            scalar(d),
                            slice(x),
                            slice(y),
                            slice(quotients),
                            slice(remainders),
                        ],
                        memory,
                        groups: [1, 1, 1],
                    };
                    let after = machine::run(&case, &compiled.code_object).unwrap();
                    for i in 0..LANES as usize {
                        let (n, d) = if i == 0 { (n, d) } else { (numbers[i], turns[i]) };
                        let (q, r) = match d {
                            0 => (-1, n),
                            _ => (n / d, n % d),
                        };
                        for (of, want) in [(quotients, q), (remainders, r)] {
                            let got = &after.buffer(of).unwrap()[i * size..][..size];
                            assert_eq!(got, &want.to_le_bytes()[..size], "{n} and {d}, {ty}");
                        }
                    }
                }
            }
        }
    }
}
