//! One kernel three ways, and what is done with one that differs.

use crate::machine;
use std::fmt;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::PathBuf;
use t0_backend_rdna3::object::CodeObject;
use t0_backend_rdna3::target::GFX1100;
use t0_backend_rdna3::{compile, Options};
use t0_ir::interp::{self, Memory};
use t0_ir::testing::{file, shrink, Case};

/// Where a kernel goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The interpreter stops: the kernel is no test.
    Interpreter,
    /// The compiler refuses it or panics.
    Compiler,
    /// The simulated card stops.
    Card,
    /// It leaves other memory than the interpreter.
    Memory,
    /// `t0 check` calls something in the code an error.
    Check,
}

/// What went wrong.
#[derive(Clone, Debug)]
pub struct Failure {
    pub stage: Stage,
    /// Which code it is.
    pub way: &'static str,
    pub what: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}, {} code: {}", self.stage, self.way, self.what)
    }
}

/// One way to compile a kernel.
pub type Way = (&'static str, Options);

/// The code as it was written, and optimised.
pub fn both() -> [Way; 2] {
    let plain = Options {
        plain: true,
        ..Options::default()
    };
    [("plain", plain), ("optimised", Options::default())]
}

/// Interpreter = code, each way; the dwords that were spilled, of SGPRs and VGPRs.
pub fn compare(case: &Case, ways: &[Way]) -> Result<[u32; 2], Failure> {
    let failure = |stage, way, what| Failure { stage, way, what };
    let mut expected = case.memory.clone();
    let limits = interp::Options {
        max_ops: 1 << 24,
        ..interp::Options::default()
    };
    interp::run_with(&case.func, &case.args, &mut expected, case.groups, limits)
        .map_err(|e| failure(Stage::Interpreter, "no", e.to_string()))?;
    let mut spilled = [0; 2];
    for (way, options) in ways {
        let dwords = run(case, options, &expected).map_err(|(stage, what)| failure(stage, way, what))?;
        (0..2).for_each(|k| spilled[k] += dwords[k]);
    }
    Ok(spilled)
}

fn run(case: &Case, options: &Options, expected: &Memory) -> Result<[u32; 2], (Stage, String)> {
    let options = Options {
        check: true,
        ..*options
    };
    let compiled = catch_unwind(AssertUnwindSafe(|| compile(&case.func, &GFX1100, &options)))
        .map_err(|p| (Stage::Compiler, panicked(p.as_ref())))?
        .map_err(|e| (Stage::Compiler, e.to_string()))?;
    let got = machine::run(case, &compiled.code_object).map_err(|e| (Stage::Card, e))?;
    case.compare(expected, &got).map_err(|e| (Stage::Memory, e))?;
    let object = CodeObject::parse(&compiled.code_object).map_err(|e| (Stage::Check, e.to_string()))?;
    match machine::findings(&object) {
        found if found.is_empty() => Ok(object.kernels[0].metadata.as_ref().map_or([0; 2], |m| m.spills)),
        found => Err((Stage::Check, found.join("\n"))),
    }
}

fn panicked(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text.or(payload.downcast_ref::<&str>().copied());
    format!("panic: {}", text.unwrap_or("?"))
}

/// Compares a random case; one that fails is made small, written down and reported. The dwords that were spilled.
pub fn check(name: &str, case: &Case, ways: &[Way]) -> [u32; 2] {
    let failure = match compare(case, ways) {
        Ok(spilled) => return spilled,
        Err(failure) => failure,
    };
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    let fails = |c: &Case| compare(c, ways).is_err_and(|f| (f.stage, f.way) == (failure.stage, failure.way));
    let small = shrink(case, &fails);
    std::panic::set_hook(hook);
    let now = compare(&small, ways).err().map(|f| f.to_string()).unwrap_or_default();
    let text = format!("// {}\n{}", now.lines().next().unwrap_or_default(), file::print(&small));
    let path = folder().join(format!("{name}.t0"));
    let written = std::fs::create_dir_all(folder()).and_then(|()| std::fs::write(&path, &text));
    panic!("{name}: {now}\n{text}\nin {}: {written:?}", path.display());
}

/// Where cases that failed are kept.
pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/found")
}
