//! Random kernels of the IR.

use crate::compare::{both, check};
use crate::seeds;
use t0_backend_rdna3::Options;
use t0_ir::testing::{random_case, Options as Random};
use t0_ir::{OpKind, Scalar};

/// What the compiler has code for and the interpreter computes to the bit.
fn supported(kind: &OpKind, from: Scalar, to: Scalar) -> bool {
    use OpKind as K;
    let wide = from.bytes() == 8;
    match kind {
        K::Exp | K::Exp2 | K::Ln | K::Log2 | K::Sin | K::Cos => false, // to within a bound
        K::Div | K::Rem => !wide,
        K::Cast if from.is_float() => to.bytes() < 8,
        _ => from != Scalar::F64 && to != Scalar::F64,
    }
}

/// Kernels per test.
const CASES: u64 = 120;

fn check_many(name: &str, first: u64, options: &Random<'_>) {
    seeds(first, CASES, |seed| {
        let spilled = check(&format!("{name}_{seed}"), &random_case(seed, options), &both());
        assert_eq!(
            spilled, [0; 2],
            "{name}, seed {seed}: spilled with all registers there are"
        );
    });
}

#[test]
fn straight_line() {
    let options = Random {
        control: false,
        collectives: false,
        lds: false,
        atomics: false,
        types: &[Scalar::I32, Scalar::F32, Scalar::F16, Scalar::Bf16],
        allow: &supported,
        ..Random::default()
    };
    check_many("straight_line", 0, &options);
}

#[test]
fn every_type() {
    let types: Vec<Scalar> = Scalar::ALL.into_iter().filter(|&s| s != Scalar::F64).collect();
    let options = Random {
        ops: 100,
        control: false,
        collectives: false,
        lds: false,
        atomics: false,
        types: &types,
        allow: &supported,
        ..Random::default()
    };
    check_many("every_type", 1000000, &options);
}

#[test]
fn branches_and_loops() {
    let options = Random {
        ops: 80,
        collectives: false,
        lds: false,
        atomics: false,
        allow: &supported,
        ..Random::default()
    };
    check_many("branches_and_loops", 2000000, &options);
}

#[test]
fn everything() {
    let types: Vec<Scalar> = Scalar::ALL.into_iter().filter(|&s| s != Scalar::F64).collect();
    let options = Random {
        ops: 120,
        types: &types,
        allow: &supported,
        ..Random::default()
    };
    check_many("everything", 3000000, &options);
}

/// Registers for a seed: from hardly any to nearly enough; with all passes, and now and then with the needed ones only.
pub fn few(seed: u64) -> Options {
    Options {
        max_vgprs: Some(10 + (seed % 9) as u32),
        max_sgprs: Some(24 + (seed % 7) as u32 * 2),
        plain: seed % 4 == 3,
        ..Options::default()
    }
}

/// Kernels with fewer registers than they need; most of them spill.
fn check_spilling(name: &str, first: u64, options: &Random<'_>) {
    let (mut all, mut spilling) = (0, [0; 2]);
    seeds(first, CASES, |seed| {
        let case = random_case(seed, options);
        let dwords = check(&format!("{name}_{seed}"), &case, &[("spilling", few(seed))]);
        all += 1;
        (0..2).for_each(|k| spilling[k] += u32::from(dwords[k] > 0));
    });
    assert!(spilling.iter().all(|n| 3 * n > all), "{spilling:?} of {all}");
}

#[test]
fn straight_line_with_few_registers() {
    let types: Vec<Scalar> = Scalar::ALL.into_iter().filter(|&s| s != Scalar::F64).collect();
    let options = Random {
        ops: 200,
        control: false,
        types: &types,
        allow: &supported,
        ..Random::default()
    };
    check_spilling("few_straight", 5_000_000, &options);
}

#[test]
fn everything_with_few_registers() {
    let types: Vec<Scalar> = Scalar::ALL.into_iter().filter(|&s| s != Scalar::F64).collect();
    let options = Random {
        ops: 250,
        types: &types,
        allow: &supported,
        ..Random::default()
    };
    check_spilling("few", 6_000_000, &options);
}
