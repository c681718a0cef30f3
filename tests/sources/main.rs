//! Random functions of the kernel language: as plain Rust, in the interpreter, and compiled with and without optimisation, on the
//! simulated card, they give the same.
//!
//! The functions in `recorded.rs` are those of the first seeds; `T0_BLESS=1` writes them anew. `T0_FUZZ_SECONDS` asks for others: they
//! are built as a package of its own, batch by batch, from another seed every time (`T0_FUZZ_SEED` gives the first one), and one that
//! differs is made small by leaving statements out from its end.
#![allow(
    missing_docs,
    clippy::all,
    clippy::unwrap_used,
    unused,
    unused_comparisons,
    arithmetic_overflow,
    unconditional_panic
)]

mod generate;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use t0::ir::interp::{self, Arg, Memory};
use t0::prelude::*;
use t0::testing::{KernelTest, Tolerance};

/// Functions in `recorded.rs`, and statements of each.
const RECORDED: u64 = 12;
const STATEMENTS: usize = 8;
/// Functions of a batch.
const BATCH: u64 = 24;

#[device]
fn bump(n: &mut u32, by: u32) {
    *n = n.wrapping_add(by);
}

/// The kernel in the interpreter against the function in Rust.
fn interpreted<K: Kernel>(f: fn(u32, u32) -> u32) {
    let func = K::stage().unwrap();
    let mut rng = t0::ir::testing::Rng::new(1);
    let n = 128;
    let mut numbers = || {
        (0..n)
            .map(|_| rng.scalar(t0::ir::Scalar::U32).bits as u32)
            .collect::<Vec<_>>()
    };
    let (a, b) = (numbers(), numbers());
    let bytes = |v: &[u32]| v.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let mut memory = Memory::new();
    let slices = [
        memory.alloc(&bytes(&a)),
        memory.alloc(&bytes(&b)),
        memory.alloc(&vec![0xa5; 4 * n]),
    ];
    let args = slices.map(|base| Arg::Slice { base, len: n as u32 });
    interp::run(&func, &args, &mut memory, [2, 1, 1]).unwrap();
    let out = memory.buffer(slices[2]).unwrap();
    for (i, got) in out.chunks(4).enumerate() {
        let got = u32::from_le_bytes(got.try_into().unwrap());
        let want = f(a[i], b[i]);
        assert_eq!(
            got, want,
            "f({:#x}, {:#x}): {got:#x} interpreted, {want:#x} in Rust",
            a[i], b[i]
        );
    }
}

macro_rules! sources {
    ($($name:ident($a:ident, $b:ident) { $($body:tt)* })*) => { $(
        mod $name {
            use super::*;

            #[device]
            pub fn f($a: u32, $b: u32) -> u32 { $($body)* }

            #[kernel(group = 64)]
            pub fn k(a: &[u32], b: &[u32], out: &mut Lanes<u32>) {
                for (i, o) in out {
                    *o = f(a[i], b[i]);
                }
            }

            #[test]
            fn in_the_interpreter() {
                interpreted::<k>(f);
            }

            /// On the card, optimised and not.
            #[kernel_test(cases = 3)]
            fn on_the_card(t: &mut KernelTest) {
                let n = t.shape("n", 1..=200);
                let (a, b) = (t.input::<u32>("a", n), t.input::<u32>("b", n));
                let mut out = t.output::<u32>("out", n);
                t.launch(k { a: &a, b: &b, out: &mut out });
                t.expect(&out, |i| f(a[i], b[i]), Tolerance::EXACT);
            }
        }
    )* };
}

include!("recorded.rs");

/// Functions as `recorded.rs` has them: of each its seed and number of statements.
fn text(all: &[(u64, usize)]) -> String {
    let mut out = String::from("sources! {\n");
    for (seed, statements) in all {
        let body = generate::body(*seed, *statements);
        out += &format!("    s{seed}_{statements}(a, b) {{\n{body}    }}\n");
    }
    out + "}\n"
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sources")
}

#[test]
fn the_recorded_functions_are_those_of_the_generator() {
    let all: Vec<(u64, usize)> = (0..RECORDED).map(|seed| (seed, STATEMENTS)).collect();
    let (path, want) = (folder().join("recorded.rs"), text(&all));
    if std::env::var_os("T0_BLESS").is_some() {
        std::fs::write(&path, &want).unwrap();
    }
    assert!(
        std::fs::read_to_string(&path).unwrap() == want,
        "{} differs; T0_BLESS=1 records it",
        path.display()
    );
}

/// Builds and runs a package with these functions; its output when a test fails, or when rustc or the language refuse one.
fn batch(all: &[(u64, usize)]) -> Result<(), String> {
    let base = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("sources");
    let tests = base.join("tests/sources");
    std::fs::create_dir_all(&tests).unwrap();
    std::fs::create_dir_all(base.join("src")).unwrap();
    let manifest = format!(
        "[package]\nname = \"sources\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[workspace]\n[dependencies]\nt0 = {{ path = {:?} }}\n[profile.dev]\nopt-level = 1\ndebug = 0\n",
        env!("CARGO_MANIFEST_DIR")
    );
    std::fs::write(base.join("Cargo.toml"), manifest).unwrap();
    std::fs::write(base.join("src/lib.rs"), "").unwrap();
    for file in ["main.rs", "generate.rs"] {
        std::fs::copy(folder().join(file), tests.join(file)).unwrap();
    }
    std::fs::write(tests.join("recorded.rs"), text(all)).unwrap();
    let cargo = |more: &[&str]| {
        let mut c = Command::new(env!("CARGO"));
        c.current_dir(&base)
            .args(["test", "-q", "--test", "sources"])
            .args(more);
        c.env_remove("T0_FUZZ_SECONDS").env("RUST_BACKTRACE", "0");
        let out = c.output().unwrap();
        let text = String::from_utf8_lossy(&[out.stdout, out.stderr].concat()).into_owned();
        if out.status.success() {
            Ok(())
        } else {
            Err(text)
        }
    };
    cargo(&["--no-run"]).map_err(|e| format!("does not build:\n{e}"))?;
    cargo(&["--", "in_the_interpreter", "on_the_card"])
}

#[test]
fn other_functions_agree_as_well() {
    let number = |name: &str| std::env::var(name).ok().and_then(|s| s.parse::<u64>().ok());
    let Some(seconds) = number("T0_FUZZ_SECONDS") else {
        return; // the recorded ones are tests of their own
    };
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let mut seed = number("T0_FUZZ_SEED").unwrap_or(clock);
    let end = Instant::now() + Duration::from_secs(seconds);
    while Instant::now() < end {
        let all: Vec<(u64, usize)> = (seed..seed + BATCH).map(|s| (s, 2 * STATEMENTS)).collect();
        if let Err(e) = batch(&all) {
            let name = |s: u64| format!("s{s}_");
            let failing = all.iter().find(|(s, _)| e.contains(&name(*s))).map_or(seed, |x| x.0);
            let shorter: Vec<(u64, usize)> = (0..=2 * STATEMENTS).map(|n| (failing, n)).collect();
            let first = shorter.iter().find_map(|x| batch(&[*x]).err().map(|e| (x, e)));
            let (small, e) = first.map_or((None, e), |(x, e)| (Some(*x), e));
            panic!("seed {failing}: {e}\n{}", small.map_or(String::new(), |x| text(&[x])));
        }
        println!("seeds {seed} to {}", seed + BATCH - 1);
        seed += BATCH;
    }
}
