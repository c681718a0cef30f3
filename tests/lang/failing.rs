//! What a failing `#[kernel_test]` tells: a case of the test that fails in the same way, soon, and where.

use std::time::{Duration, Instant};

use t0::prelude::*;
use t0::testing::{run, KernelTest, Plan, Tolerance, Values};

use crate::property::says;

/// The case a failing test prints.
fn case_of(text: &str) -> String {
    let (_, rest) = text.split_once("(case = \"").unwrap();
    rest.split_once('"').unwrap().0.to_string()
}

/// y[i] ← Σ v[offsets[i] .. offsets[i + 1]]; `WRONG`: 1 takes the end of the next segment, 2 never ends.
#[kernel(group = 64)]
pub fn segment_sums<const WRONG: usize>(offsets: &[u32], v: &[f32], y: &mut Lanes<f32>) {
    for (i, y) in y {
        let mut j = offsets[i] as usize;
        let end = if WRONG == 1 { offsets[i + 2] } else { offsets[i + 1] } as usize;
        let mut s = 0.0;
        while j < end {
            s += v[j];
            if WRONG != 2 {
                j += 1;
            }
        }
        *y = s;
    }
}

fn sums_segments<const WRONG: usize>(t: &mut KernelTest) {
    let n = t.shape("n", 0..=200);
    let m = t.shape("m", 0..=60);
    let offsets = t.input_of::<u32>("offsets", n + 1, Values::Whole(0, m as i64));
    let v = t.input_of::<f32>("v", m, Values::Whole(-100, 100));
    let mut y = t.output::<f32>("y", n);
    t.launch(segment_sums::<WRONG> {
        offsets: &offsets,
        v: &v,
        y: &mut y,
    });
    let sum = |i: usize| (offsets[i]..offsets[i + 1]).map(|j| v[j as usize]).sum();
    t.expect(&y, sum, Tolerance::EXACT);
}

#[test]
fn a_printed_case_is_one_of_the_test() {
    let text = says("sums", Plan::cases(64), sums_segments::<1>);
    assert!(text.starts_with("sums fails: y["), "{text}");
    // the right kernel passes it, the wrong one fails as it did
    let case = case_of(&text);
    run("sums", &Plan::case(&case), sums_segments::<0>);
    let again = says("sums", Plan::case(&case), sums_segments::<1>);
    assert_eq!(again.lines().next(), text.lines().next());
    // what the test does not ask for is refused
    let text = says("sums", Plan::case("n=1 offsets=1:3"), sums_segments::<0>);
    let why = "`offsets`: 3 is none of the values the test asks for, whole numbers from 0 to 0";
    assert_eq!(text, format!("sums fails: {why}; correct the case or remove it"));
}

#[test]
fn loops_without_an_end_are_told_soon() {
    let start = Instant::now();
    let text = says("sums", Plan::cases(64), sums_segments::<2>);
    let start_of = "the launch failed (plain code): kernel `segment_sums_2` faulted:\nerror[endless-loop]: ";
    assert!(text.contains(start_of), "{text}");
    assert!(
        text.contains("failing.rs") && text.contains("`#[kernel_test(instructions = N)]`"),
        "{text}"
    );
    assert!(!text.contains("device is lost"), "{text}");
    run("sums", &Plan::case(&case_of(&text)), sums_segments::<0>);
    // about 5 s; several times that where others build
    assert!(start.elapsed() < Duration::from_secs(90), "{:?}", start.elapsed());
}

/// y ← x rounds of counting: some ten instructions each.
#[kernel(group = 32)]
pub fn count(x: &[u32], y: &mut Lanes<u32>) {
    for (i, y) in y {
        let mut n = 0;
        while n != x[i] {
            n += 1;
        }
        *y = n;
    }
}

fn counts(t: &mut KernelTest) {
    let x = t.input_of::<u32>("x", 1, Values::Whole(0, 1 << 20));
    let mut y = t.output::<u32>("y", 1);
    t.launch(count { x: &x, y: &mut y });
    t.expect(&y, |i| x[i], Tolerance::EXACT);
}

#[test]
fn a_test_may_take_long_if_it_says_so() {
    let long = "x=0:150000";
    let text = says("counts", Plan::case(long), counts);
    assert!(text.contains("did not end within 1048576 instructions"), "{text}");
    run("counts", &Plan::case(long).instructions(1 << 24), counts);
}

/// y[at[i]] ← x[i]; what is out of range is dropped.
#[kernel(group = 32, grid = x.len())]
pub fn scatter(x: &[u32], at: &[u32], y: &[Atomic<u32>]) {
    let i = thread::index();
    if i < x.len() {
        y[at[i] as usize].swap(x[i], Relaxed, Device);
    }
}

#[test]
fn stores_that_were_dropped_are_told() {
    let text = says("scatters", Plan::case("at=0:5,1:6"), |t| {
        let n = 2;
        let x = t.input_of::<u32>("x", n, Values::Whole(7, 7));
        let at = t.input_of::<u32>("at", n, Values::Whole(0, 9));
        let mut y = t.inout_of::<u32>("y", n, Values::Whole(0, 0));
        t.launch(scatter {
            x: &x,
            at: &at,
            y: &mut y,
        });
        t.expect(
            &y,
            |i| if at.data().contains(&(i as u32 + 5)) { 7 } else { 0 },
            Tolerance::EXACT,
        );
    });
    assert!(text.starts_with("scatters fails: y[0] is 0, expected 7"), "{text}");
    assert!(
        text.contains("\nnote: 2 stores out of range of `y` were dropped, the first here: instruction `"),
        "{text}"
    );
    assert!(
        text.contains("|         y[at[i] as usize].swap(x[i], Relaxed, Device);\n"),
        "{text}"
    );
}

/// c ← 0 everywhere, in tiles that lie over the border.
#[kernel(group = 32)]
pub fn zeros(c: &mut Groups<Tile<f32, 16, 16>>) {
    for (_, c) in c {
        c.store(Acc::<f32, 16, 16>::zero());
    }
}

/// What of a tile lies over the matrix's border is not stored, and is no reason for a wrong element.
#[test]
fn tiles_over_the_border_drop_nothing_that_is_told() {
    let text = says("tiles", Plan::case("m=5 n=7"), |t| {
        let (m, n) = (t.shape("m", 0..=20), t.shape("n", 0..=20));
        let mut c = t.output_mat::<f32>("c", m, n);
        t.launch(zeros { c: &mut c });
        t.expect_mat(&c, |i, j| if (i, j) == (4, 6) { 2.0 } else { 0.0 }, Tolerance::EXACT);
    });
    assert!(text.starts_with("tiles fails: c[4][6] is 0"), "{text}");
    assert!(!text.contains("out of range"), "{text}");
}

/// All waves write one element.
#[kernel(group = 64)]
pub fn write_one(y: &mut Lanes<u32>) {
    let mut s = Shared::<[u32; 1]>::new();
    s[0] = thread::local() as u32;
    group::barrier();
    for (_, y) in y {
        *y = s[0];
    }
}

#[test]
fn one_line_on_both_sides_of_a_race_has_its_own_way_out() {
    let text = says("writes", Plan::case(""), |t| {
        let mut y = t.output::<u32>("y", 64);
        t.launch(write_one { y: &mut y });
    });
    assert!(
        text.contains("error[lds-race]: write here and write by another wave"),
        "{text}"
    );
    assert!(
        text.contains("help: the same line on both sides: let one lane do it"),
        "{text}"
    );
}

/// Undefined elements of a matrix.
#[kernel(group = 64)]
pub fn raise_rows(y: &mut Waves<[f32]>) {
    for (_, out) in y {
        for (_, o) in out.lanes_mut() {
            *o += 1.0;
        }
    }
}

#[test]
fn undefined_elements_of_a_matrix_have_row_and_column() {
    let text = says("raises", Plan::case("y.gap=3"), |t| {
        let mut y = t.output_mat::<f32>("y", 2, 5);
        t.launch(raise_rows { y: &mut y });
    });
    assert!(text.contains("read from `y[0][0]`, which nobody has written"), "{text}");
}

const LINE: u32 = line!() + 3;
#[kernel_test(cases = 3)]
#[ignore = "fails on purpose: the test below runs it in a process of its own"]
fn counts_wrong(t: &mut KernelTest) {
    let x = t.input_of::<u32>("x", 1, Values::Whole(5, 5));
    let mut y = t.output::<u32>("y", 1);
    t.launch(count { x: &x, y: &mut y });
    t.expect(&y, |i| x[i] + 1, Tolerance::EXACT);
}

#[test]
fn a_failure_stands_at_its_test_and_the_call_that_found_it() {
    let out = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["failing::counts_wrong::cases", "--exact", "--ignored"])
        .env("T0_CHECKED", "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
    assert!(text.contains(&format!("panicked at {}:{LINE}:4", file!())), "{text}");
    assert!(text.contains("counts_wrong fails: y[0] is 5, expected 6\n"), "{text}");
    let found = format!("note: found by the test at {}:{}:7\n", file!(), LINE + 4);
    assert!(text.contains(&found), "{text}");
    // what the environment asked for is part of the case
    assert!(text.contains("#[t0::kernel_test(case = \"\", checked)]"), "{text}");
}
