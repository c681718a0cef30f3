//! `#[kernel_test]`: wrong kernels are found and their smallest case is printed as a test.

use t0::prelude::*;
use t0::testing::{run, KernelTest, Tolerance, Values};

mod wrong {
    use super::*;

    /// y ← x + 1, but for element 37.
    #[kernel(group = 64)]
    pub fn add_one(x: &[u32], y: &mut Lanes<u32>) {
        for (i, y) in y {
            *y = if i == 37 { x[i] } else { x[i] + 1 };
        }
    }

    pub fn adds_one(t: &mut KernelTest) {
        let n = t.shape("n", 0..=2000);
        let x = t.input::<u32>("x", n);
        let mut y = t.output::<u32>("y", n);
        t.launch(add_one { x: &x, y: &mut y });
        t.expect(&y, |i| x[i].wrapping_add(1), Tolerance::EXACT);
    }
}

/// The kernel mended; the printed case is a test next to the property now, as it was printed.
mod mended {
    use super::*;

    #[kernel(group = 64)]
    pub fn add_one(x: &[u32], y: &mut Lanes<u32>) {
        for (i, y) in y {
            *y = x[i] + 1;
        }
    }

    #[kernel_test(cases = 30)]
    fn adds_one(t: &mut KernelTest) {
        let n = t.shape("n", 0..=2000);
        let x = t.input::<u32>("x", n);
        let mut y = t.output::<u32>("y", n);
        t.launch(add_one { x: &x, y: &mut y });
        t.expect(&y, |i| x[i].wrapping_add(1), Tolerance::EXACT);
    }

    include!("printed.rs");
}

fn says(name: &str, case: Option<&'static str>, body: fn(&mut KernelTest)) -> String {
    let name = name.to_string();
    let end = std::thread::spawn(move || run(&name, case, 64, body)).join();
    *end.unwrap_err().downcast::<String>().unwrap()
}

#[test]
fn a_wrong_kernel_prints_its_smallest_case() {
    let text = says("adds_one", None, wrong::adds_one);
    assert!(text.starts_with("adds_one fails: y[37] is 0, expected 1\n"), "{text}");
    assert!(text.ends_with(include_str!("printed.rs")), "{text}");
    let again = says("adds_one", Some("n=38"), wrong::adds_one);
    assert_eq!(again, "adds_one fails: y[37] is 0, expected 1");
    run("adds_one", Some("n=37"), 64, wrong::adds_one);
}

/// y ← each row of x, reversed; the last column is left out.
#[kernel(group = 64)]
pub fn reverse(x: &Mat<f32>, y: &mut Waves<[f32]>) {
    for (r, out) in y {
        let n = out.len();
        for (c, o) in out.lanes_mut() {
            if c < 40 {
                *o = x[r][n - 1 - c];
            }
        }
    }
}

fn reverses(t: &mut KernelTest) {
    let (rows, cols) = (t.shape("rows", 0..=20), t.shape("cols", 0..=80));
    let x = t.input_mat_of::<f32>("x", rows, cols, Values::Finite);
    let mut y = t.output_mat::<f32>("y", rows, cols);
    t.launch(reverse { x: &x, y: &mut y });
    t.expect_mat(&y, |r, c| x[(r, cols - 1 - c)], Tolerance::EXACT);
}

#[test]
fn what_is_not_written_is_found() {
    let text = says("reverses", None, reverses);
    assert!(text.starts_with("reverses fails: y[0][40] is "), "{text}");
    assert!(text.contains("(poison: not written), expected 0"), "{text}");
    assert!(text.contains("(case = \"cols=41 rows=1\")"), "{text}");
    assert!(text.contains("fn reverses_cols41_rows1("), "{text}");
}

/// Stops where x is too short.
#[kernel(group = 64, checked)]
pub fn shift(by: usize, x: &[u32], y: &mut Lanes<u32>) {
    for (i, y) in y {
        *y = x[i + by];
    }
}

fn shifts(t: &mut KernelTest) {
    let (n, by) = (t.shape("n", 0..=300), t.shape("by", 0..=9));
    let x = t.input::<u32>("x", n + 5);
    let mut y = t.output::<u32>("y", n);
    t.launch(shift { by, x: &x, y: &mut y });
    t.expect(&y, |i| x[i + by], Tolerance::EXACT);
}

#[test]
fn checked_kernels_tell_their_index() {
    let text = says("shifts", None, shifts);
    assert!(
        text.contains("index 6 is out of range of `x`, whose length is 6"),
        "{text}"
    );
    assert!(text.contains("(case = \"by=6 n=1\")"), "{text}");
}

/// A value that plain and optimised code agree on, found at one value among many.
#[kernel(group = 64)]
pub fn double(x: &[i32], y: &mut Lanes<i32>) {
    for (i, y) in y {
        *y = if x[i] == -7 { 0 } else { x[i] * 2 };
    }
}

#[test]
fn values_are_made_simple_too() {
    let text = says("doubles", None, |t| {
        let n = t.shape("n", 0..=300);
        let x = t.input_of::<i32>("x", n, Values::Whole(-9, 9));
        let mut y = t.output::<i32>("y", n);
        t.launch(double { x: &x, y: &mut y });
        t.expect(&y, |i| x[i] * 2, Tolerance::EXACT);
    });
    assert!(text.contains("(case = \"n=1 x=0:-7\")"), "{text}");
}

#[test]
fn the_environment_overrides_the_number_of_cases() {
    let with = |variable: &str, value: &str| {
        let out = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["property::mended::adds_one::cases", "--exact"])
            .env(variable, value)
            .output()
            .unwrap();
        (out.status.success(), String::from_utf8_lossy(&out.stdout).into_owned())
    };
    assert!(with("T0_TEST_CASES", "2").0);
    assert!(with("T0_TEST_SEED", "0x1f").0);
    let (ok, text) = with("T0_TEST_CASES", "many");
    assert!(
        !ok && text.contains("T0_TEST_CASES is `many`; use a whole number"),
        "{text}"
    );
}
