//! Random kernels.

use crate::machine;
use t0_backend_rdna3::check;
use t0_backend_rdna3::errata::Severity;
use t0_backend_rdna3::object::CodeObject;
use t0_backend_rdna3::target::GFX1100;
use t0_backend_rdna3::{compile, Options};
use t0_ir::interp;
use t0_ir::testing::{random_case, Options as Random};
use t0_ir::{OpKind, Scalar};

/// What the compiler has code for and the interpreter computes to the bit.
pub fn supported(kind: &OpKind, from: Scalar, to: Scalar) -> bool {
    use OpKind as K;
    let wide = from.bytes() == 8;
    match kind {
        K::Exp | K::Exp2 | K::Ln | K::Log2 | K::Sin | K::Cos => false, // to within a bound
        K::Div | K::Rem => !wide,
        K::Cast if from.is_float() => to.bytes() < 8,
        _ => from != Scalar::F64 && to != Scalar::F64,
    }
}

/// What `t0 check` calls an error in compiled code.
pub fn findings(object: &CodeObject) -> Vec<String> {
    let options = check::Options {
        compiled: true,
        ..check::Options::default()
    };
    let all = check::check(object, &options).into_iter().flat_map(|r| r.findings);
    let errors = all.filter(|f| f.severity == Severity::Error);
    errors.map(|f| f.to_string()).collect()
}

/// The dwords that were spilled: of SGPRs and VGPRs.
fn check(seed: u64, options: &Random<'_>, compiler: &Options) -> Result<[u32; 2], String> {
    let case = random_case(seed, options);
    let mut expected = case.memory.clone();
    interp::run(&case.func, &case.args, &mut expected, case.groups).map_err(|e| format!("interpreter: {e}"))?;
    let c = compile(
        &case.func,
        &GFX1100,
        &Options {
            check: true,
            keep_text: true,
            ..*compiler
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
        .map_err(|e| format!("{}\ninterpreter and card differ: {e}", text()))?;
    let object = CodeObject::parse(&c.code_object).map_err(|e| e.to_string())?;
    let doubtful = findings(&object);
    if !doubtful.is_empty() {
        return Err(format!("{}\n{}", text(), doubtful.join("\n")));
    }
    Ok(object.kernels[0].metadata.as_ref().map_or([0; 2], |m| m.spills))
}

/// Kernels per test.
const CASES: u64 = 120;

/// Checks `CASES` seeds from `first` on; `T0_CASES` asks for more, `T0_SEED` for one only.
fn check_many(first: u64, options: &Random<'_>) {
    let spilled = check_with(first, options, |_| Options::default());
    assert_eq!(spilled, [0; 2]);
}

/// [`check_many`] with the compiler's switches for each seed; how many kernels spilled SGPRs and VGPRs.
pub fn check_with(first: u64, options: &Random<'_>, compiler: impl Fn(u64) -> Options) -> [u32; 2] {
    let number = |name: &str| std::env::var(name).ok().and_then(|s| s.parse::<u64>().ok());
    let seeds = first..first + number("T0_CASES").unwrap_or(CASES);
    let only = number("T0_SEED");
    let (mut failed, mut spilled) = (0, [0; 2]);
    for seed in seeds {
        if only.is_some_and(|s: u64| s != seed) {
            continue;
        }
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(seed, options, &compiler(seed))))
            .unwrap_or_else(|_| Err("panic".into()));
        match result {
            Ok(dwords) => (0..2).for_each(|k| spilled[k] += u32::from(dwords[k] > 0)),
            Err(e) => {
                failed += 1;
                if only.is_some() || failed <= 1 {
                    println!("{e}");
                }
                println!("seed {seed}: {}", e.lines().last().unwrap_or_default());
            }
        }
    }
    assert_eq!(failed, 0, "kernels that differ");
    spilled
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
