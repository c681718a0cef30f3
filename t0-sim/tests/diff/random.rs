//! Random kernels.

use crate::machine;
use t0_backend_rdna3::target::GFX1100;
use t0_backend_rdna3::{compile, Options};
use t0_ir::interp;
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

fn check(seed: u64, options: &Random<'_>) -> Result<(), String> {
    let case = random_case(seed, options);
    let mut expected = case.memory.clone();
    interp::run(&case.func, &case.args, &mut expected, case.groups).map_err(|e| format!("interpreter: {e}"))?;
    let c = compile(
        &case.func,
        &GFX1100,
        &Options {
            check: true,
            keep_text: true,
            ..Options::default()
        },
    )
    .map_err(|e| e.to_string())?;
    let result = machine::run(&case, &c.code_object);
    let text = || {
        format!(
            "{}\n{}",
            c.ir_text.clone().unwrap_or_default(),
            c.mir_text.clone().unwrap_or_default().join("\n")
        )
    };
    let got = result.map_err(|e| format!("{}\nsimulator: {e}", text()))?;
    case.compare(&expected, &got)
        .map_err(|e| format!("{}\ninterpreter and card differ: {e}", text()))
}

/// Kernels per test.
const CASES: u64 = 120;

/// Checks `CASES` seeds from `first` on; `T0_CASES` asks for more, `T0_SEED` for one only.
fn check_many(first: u64, options: &Random<'_>) {
    let number = |name: &str| std::env::var(name).ok().and_then(|s| s.parse::<u64>().ok());
    let seeds = first..first + number("T0_CASES").unwrap_or(CASES);
    let only = number("T0_SEED");
    let mut failed = 0;
    for seed in seeds {
        if only.is_some_and(|s: u64| s != seed) {
            continue;
        }
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(seed, options)))
            .unwrap_or_else(|_| Err("panic".into()));
        if let Err(e) = result {
            failed += 1;
            if only.is_some() || failed <= 1 {
                println!("{e}");
            }
            println!("seed {seed}: {}", e.lines().last().unwrap_or_default());
        }
    }
    assert_eq!(failed, 0, "kernels that differ");
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
    check_many(0, &options);
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
    check_many(1000000, &options);
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
    check_many(2000000, &options);
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
    check_many(3000000, &options);
}
