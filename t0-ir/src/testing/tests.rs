#![allow(clippy::unwrap_used)]

use super::*;
use crate::interp::run;
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
