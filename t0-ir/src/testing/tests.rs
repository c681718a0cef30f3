#![allow(clippy::unwrap_used)]

use super::*;
use crate::interp::{run, run_with};
use crate::passes::rewrite::canonical;
use crate::passes::{optimize, PassOptions, PIPELINE};
use crate::text::{parse, print};
use crate::verify::verify;

fn after(case: &Case, func: &Func) -> Memory {
    let mut m = case.memory.clone();
    if let Err(e) = run(func, &case.args, &mut m, case.groups) {
        panic!("{e}\n{}", print(func));
    }
    m
}

const CASES: u64 = 400;

#[test]
fn random_kernels_verify_and_survive_text() {
    for seed in 0..CASES {
        let case = random_case(seed, &Options::default());
        verify(&case.func).unwrap_or_else(|d| panic!("seed {seed}: {d}\n{}", print(&case.func)));
        let back = parse(&print(&case.func)).unwrap_or_else(|d| panic!("seed {seed}: {d}"));
        assert_eq!(back, canonical(&case.func), "seed {seed}");
    }
}

#[test]
fn optimizing_keeps_the_meaning() {
    for seed in 0..CASES {
        let ops = 30 + (seed as usize % 5) * 40;
        let case = random_case(
            seed,
            &Options {
                ops,
                ..Options::default()
            },
        );
        let want = after(&case, &case.func);
        let mut func = case.func.clone();
        optimize(&mut func, &PassOptions::default()).unwrap_or_else(|d| panic!("seed {seed}: {d}"));
        let got = after(&case, &func);
        if let Err(what) = case.compare(&want, &got) {
            let pass = first_bad_pass(&case, &want);
            panic!("seed {seed}: {what}; first wrong after {pass}");
        }
    }
}

/// Which pass of the pipeline changes the meaning.
fn first_bad_pass(case: &Case, want: &Memory) -> String {
    let mut func = case.func.clone();
    for (i, pass) in PIPELINE.iter().enumerate() {
        let before = print(&func);
        (pass.run)(&mut func).unwrap();
        if case.compare(want, &after(case, &func)).is_err() {
            return format!("{} (number {i}):\n{before}\n{}", pass.name, print(&func));
        }
    }
    "none of them alone".into()
}

#[test]
fn optimizing_twice_changes_little() {
    // A second run finds almost nothing: rules do not undo each other.
    let (mut first, mut second) = (0, 0);
    for seed in 0..50 {
        let mut func = random_case(seed, &Options::default()).func;
        optimize(&mut func, &PassOptions::default()).unwrap();
        first += func.ops.len();
        optimize(&mut func, &PassOptions::default()).unwrap();
        second += func.ops.len();
    }
    assert!(
        second <= first && first - second < first / 50,
        "{first} operations, then {second}"
    );
}

#[test]
fn a_case_survives_its_text() {
    for seed in 0..100 {
        let case = random_case(seed, &Options::default());
        let written = file::print(&case);
        let back = file::parse(&written).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{written}"));
        assert_eq!(back.func, canonical(&case.func), "seed {seed}");
        assert_eq!((back.groups, file::print(&back)), (case.groups, written), "seed {seed}");
        let (want, got) = (after(&case, &case.func), after(&back, &back.func));
        case.compare(&want, &got).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    }
}

#[test]
fn what_is_wrong_with_the_text_of_a_case_is_said() {
    let kernel = "kernel k group 32\nparam n u32\nbody %n.0:u32 {\n}\n";
    let says = |head: &str| file::parse(&format!("{head}{kernel}")).unwrap_err().to_string();
    assert_eq!(says("arg n 0x5\n"), "line 1: no line `launch X Y Z`");
    assert_eq!(says("launch 1 1\n"), "line 1: `launch X Y Z` wants three numbers");
    assert_eq!(says("launch 1 1 1\n"), "parameter `n` has no argument of its kind");
    assert_eq!(
        says("// why\nlaunch 1 1 1\narg n 5\n"),
        "line 3: `5` is not `0xBITS` or `0xBITS*TIMES`"
    );
}

/// A compiler that takes `a ^ b` for `a | b`.
fn broken(func: &Func) -> Func {
    let mut new = func.clone();
    for op in &mut new.ops {
        if op.kind == OpKind::Xor {
            op.kind = OpKind::Or;
        }
    }
    new
}

#[test]
fn a_failing_case_becomes_small() {
    let ends = |func: &Func, case: &Case| {
        let mut memory = case.memory.clone();
        let limits = crate::interp::Options {
            max_ops: 1 << 20,
            ..Default::default()
        };
        let ran = run_with(func, &case.args, &mut memory, case.groups, limits);
        ran.ok().map(|_| memory)
    };
    let fails = |case: &Case| match (ends(&case.func, case), ends(&broken(&case.func), case)) {
        (Some(a), Some(b)) => case.compare(&a, &b).is_err(),
        _ => false,
    };
    let (mut shrunk, mut all) = (0, 0);
    for seed in 0..400 {
        let case = random_case(seed, &Options::default());
        if shrunk == 8 || !fails(&case) {
            continue;
        }
        let small = shrink(&case, &fails);
        assert!(fails(&small), "seed {seed}");
        // What a difference needs: operands, the operation, the index of a store (thirteen operations), the store.
        let text = print(&small.func);
        let count = text.lines().filter(|l| l.starts_with("  ")).count();
        // Where the difference decides how long a loop runs, the loop and its condition stay, too.
        assert!(count <= 40, "seed {seed}: {count} operations\n{text}");
        (shrunk, all) = (shrunk + 1, all + count);
    }
    assert!(shrunk == 8, "only {shrunk} cases failed");
    assert!(all <= 22 * shrunk, "{all} operations in {shrunk} cases");
}
