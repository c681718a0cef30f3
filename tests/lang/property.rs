//! `#[kernel_test]`: wrong kernels are found and their smallest case is printed as a test.

use t0::prelude::*;
use t0::testing::{run, KernelTest, Plan, Tolerance, Values};

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

pub fn says(name: &str, plan: Plan, body: fn(&mut KernelTest)) -> String {
    let name = name.to_string();
    let end = std::thread::spawn(move || run(&name, &plan, body)).join();
    *end.unwrap_err().downcast::<String>().unwrap()
}

#[test]
fn a_wrong_kernel_prints_its_smallest_case() {
    let text = says("adds_one", Plan::cases(64), wrong::adds_one);
    assert!(text.starts_with("adds_one fails: y[37] is 0, expected 1\n"), "{text}");
    assert!(text.ends_with(include_str!("printed.rs")), "{text}");
    let again = says("adds_one", Plan::case("n=38"), wrong::adds_one);
    assert!(
        again.contains("expected 1\nnote: ") && again.contains("\nnote: found by the test at "),
        "{again}"
    );
    run("adds_one", &Plan::case("n=37"), wrong::adds_one);
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
    let text = says("reverses", Plan::cases(64), reverses);
    assert!(text.starts_with("reverses fails: y[0][40] is "), "{text}");
    assert!(text.contains("(poison: never written), expected"), "{text}");
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
    let text = says("shifts", Plan::cases(64), shifts);
    assert!(
        text.contains("index 6 is out of range of `x`, whose length is 6"),
        "{text}"
    );
    assert!(text.contains("(case = \"by=6 n=1\")"), "{text}");
}

/// y ← 6x, but 3x where x is even: the mistake is above the loop.
#[kernel(group = 64)]
pub fn sums(x: &[u32], y: &mut Lanes<u32>) {
    for (i, y) in y {
        let limit = if x[i] % 2 == 0 { 3 } else { 4 };
        let mut sum = 0;
        for k in 0..limit {
            sum += k * x[i];
        }
        let other = x[i] ^ 5;
        if other != 99 {
            *y = sum;
        }
    }
}

fn sums_up(t: &mut KernelTest) {
    let n = t.shape("n", 0..=300);
    let x = t.input_of::<u32>("x", n, Values::Whole(1, 9));
    let mut y = t.output::<u32>("y", n);
    t.launch(sums { x: &x, y: &mut y });
    t.expect(&y, |i| 6 * x[i], Tolerance::EXACT);
}

/// A launch of `add_one` that gives the kernel another address for `y` than a buffer's: what launch structs rule out.
struct Astray<'a> {
    x: &'a Buffer<u32>,
    at: u64,
    len: u32,
}

impl t0::Launch for Astray<'_> {
    fn kernel(&self) -> t0::KernelKey {
        t0::KernelKey::new(wrong::add_one::ENTRY, vec![])
    }

    fn bind(&self, args: &mut t0::Args) -> Result<(), t0::Error> {
        args.buffer("x", self.x, t0::ir::Access::Read)?;
        args.scalar(self.at);
        args.scalar(self.len);
        args.scalar(0u32);
        args.grid_lanes("y", self.len as usize)
    }
}

fn astray(t: &mut KernelTest, at: impl Fn(&Buffer<u32>, &Buffer<u32>) -> u64) {
    let n = t.shape("n", 0..=300);
    let x = t.input_of::<u32>("x", n, Values::Whole(1, 9));
    let y = t.output::<u32>("y", n);
    let (at, len) = (at(&x, &y), n as u32);
    t.launch(Astray { x: &x, at, len });
}

/// The failure up to the case that shows it.
fn failure(name: &str, body: fn(&mut KernelTest)) -> String {
    let text = says(name, Plan::cases(64), body);
    let (failure, _) = text.split_once("\n\ncase ").unwrap();
    failure.to_string() + "\n"
}

#[test]
fn failures_name_the_line_that_stored() {
    crate::golden("stored_value.txt", &failure("sums_up", sums_up));
    crate::golden("stored_others.txt", &failure("reverses", reverses));
    let band = |t: &mut KernelTest| astray(t, |_, y| y.va() + 4);
    crate::golden("stored_band.txt", &failure("adds_behind", band));
    let input = |t: &mut KernelTest| astray(t, |x, _| x.va());
    crate::golden("stored_input.txt", &failure("adds_to_x", input));
    // Nobody stores anything: the kernel's store and what decides about it.
    let nothing = |t: &mut KernelTest| {
        let mut y = t.output::<u8>("y", 1);
        t.launch(poison_but_one { n: 0, y: &mut y });
        t.expect(&y, |_| 7, Tolerance::EXACT);
    };
    crate::golden("stored_nothing.txt", &failure("fills_nothing", nothing));
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
    let text = says("doubles", Plan::cases(64), |t| {
        let n = t.shape("n", 0..=300);
        let x = t.input_of::<i32>("x", n, Values::Whole(-9, 9));
        let mut y = t.output::<i32>("y", n);
        t.launch(double { x: &x, y: &mut y });
        t.expect(&y, |i| x[i] * 2, Tolerance::EXACT);
    });
    assert!(text.contains("(case = \"n=1 x=0:-7\")"), "{text}");
}

/// The same, not checked by itself.
#[kernel(group = 64)]
pub fn unchecked_shift(by: usize, x: &[u32], y: &mut Lanes<u32>) {
    for (i, y) in y {
        *y = x[i + by];
    }
}

fn shifts_unchecked(t: &mut KernelTest) {
    let (n, by) = (t.shape("n", 0..=300), t.shape("by", 0..=9));
    let x = t.input::<u32>("x", n + 5);
    let mut y = t.output::<u32>("y", n);
    t.launch(unchecked_shift { by, x: &x, y: &mut y });
}

#[test]
fn a_test_checks_indices_when_asked_to() {
    run("shifts", &Plan::cases(64), shifts_unchecked);
    let text = says("shifts", Plan::cases(64).checked(), shifts_unchecked);
    assert!(text.contains("out of range of `x`, whose length is 6"), "{text}");
    assert!(text.contains("(case = \"by=6 n=1\", checked)"), "{text}");
}

/// y ← x + y: undefined for a y nobody has written.
#[kernel(group = 64)]
pub fn raise(x: &[u32], y: &mut Lanes<u32>) {
    for (i, y) in y {
        *y += x[i];
    }
}

#[test]
fn an_output_is_undefined_until_it_is_written() {
    let text = says("raises", Plan::cases(64), |t| {
        let n = t.shape("n", 0..=300);
        let x = t.input::<u32>("x", n);
        let mut y = t.output::<u32>("y", n);
        t.launch(raise { x: &x, y: &mut y });
        t.expect(&y, |i| x[i].wrapping_add(0xa5a5_a5a5), Tolerance::EXACT);
    });
    assert!(
        text.contains("uninitialised") && text.contains("(case = \"n=1\")"),
        "{text}"
    );
    assert!(
        text.contains("read from `y`, index 0, which nobody has written"),
        "{text}"
    );
    assert!(
        text.contains("made by `t.inout`") && !text.contains("`alloc`"),
        "{text}"
    );
    // one that a launch before has written is defined
    run("raises", &Plan::cases(8), |t| {
        let n = t.shape("n", 0..=300);
        let x = t.input::<u32>("x", n);
        let mut y = t.output::<u32>("y", n);
        t.launch(unchecked_shift {
            by: 0,
            x: &x,
            y: &mut y,
        });
        t.launch(raise { x: &x, y: &mut y });
        t.expect(&y, |i| x[i].wrapping_mul(2), Tolerance::EXACT);
    });
}

/// y ← 0xa5 but for the last one.
#[kernel(group = 64)]
pub fn poison_but_one(n: usize, y: &mut Lanes<u8>) {
    for (i, y) in y {
        if i + 1 < n {
            *y = 0xa5;
        }
    }
}

#[test]
fn what_is_not_written_is_wrong_even_if_it_fits() {
    let text = says("fills", Plan::cases(64), |t| {
        let n = t.shape("n", 0..=300);
        let mut y = t.output::<u8>("y", n);
        t.launch(poison_but_one { n, y: &mut y });
        t.expect(&y, |_| 0xa5, Tolerance::EXACT);
    });
    let start = "fills fails: y[0] is 165 (poison: never written), expected 165\n";
    assert!(text.starts_with(start), "{text}");
}

#[test]
fn a_panic_of_the_reference_names_its_line() {
    let text = says("reads_on", Plan::cases(64), |t| {
        let n = t.shape("n", 1..=300);
        let x = t.input::<u32>("x", n);
        let mut y = t.output::<u32>("y", n);
        t.launch(unchecked_shift {
            by: 1,
            x: &x,
            y: &mut y,
        });
        t.expect(&y, |i| x[i + 1], Tolerance::EXACT);
    });
    let place = format!("reads_on fails: the test panicked at {}:{}:27: ", file!(), line!() - 2);
    assert!(text.starts_with(&place), "{text}");
    assert!(text.contains(": x[1]: the input has 1 elements\n"), "{text}");
}

/// Never ends for 77.
#[kernel(group = 64)]
pub fn count_down(x: &[u32], y: &mut Lanes<u32>) {
    for (i, y) in y {
        let mut n = x[i];
        while n != 0 {
            if n != 77 {
                n -= 1;
            }
        }
        *y = n;
    }
}

#[test]
fn a_loop_without_an_end_ends_the_case() {
    let text = says("counts_down", Plan::case("n=1 x=0:80"), |t| {
        let n = t.shape("n", 0..=3);
        let x = t.input_of::<u32>("x", n, Values::Whole(0, 100));
        let mut y = t.output::<u32>("y", n);
        t.launch(count_down { x: &x, y: &mut y });
    });
    assert!(text.contains("error[endless-loop]: a wave did not end"), "{text}");
    assert!(text.contains("--> tests/lang/property.rs:"), "{text}");
    assert!(text.contains("|         while n != 0 {\n"), "{text}");
    assert!(text.contains("= note: where the waves stand:\n"), "{text}");
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

/// The README's example of `Shared`.
#[kernel(group = 256, grid = x.len())]
pub fn reduce(x: &[f32], total: &[Atomic<f32>]) {
    let mut parts = Shared::<[f32; 8]>::new();
    let part = wave::sum(x[thread::index()]);
    if lane::id() == 0 {
        parts[wave::id()] = part;
    }
    group::barrier();
    if thread::local() == 0 {
        let mut sum = 0.0;
        for w in 0..8 {
            sum += parts[w];
        }
        total[0].fetch_add(sum, Relaxed, Device);
    }
}

#[kernel_test(cases = 24)]
fn reduces(t: &mut KernelTest) {
    let n = t.shape("n", 0..=2000);
    let x = t.input_of::<f32>("x", n, Values::Whole(-8, 8));
    let mut total = t.inout_of::<f32>("total", 1, Values::Whole(0, 0));
    t.launch(reduce {
        x: &x,
        total: &mut total,
    });
    t.expect(&total, |_| x.data().iter().sum(), Tolerance::EXACT);
}

/// Each wave of a workgroup draws a number, as if they came in order.
#[kernel(group = 128, grid = 128)]
pub fn draw_numbers(next: &[Atomic<u32>], drawn: &[Atomic<u32>]) {
    if lane::id() == 0 {
        let mine = next[0].fetch_add(1, Relaxed, Group);
        drawn[wave::id()].fetch_add(mine, Relaxed, Group);
    }
}

#[test]
fn a_result_that_depends_on_the_order_of_waves_is_found() {
    let text = says("numbers", Plan::cases(4), |t| {
        let mut next = t.inout_of::<u32>("next", 1, Values::Whole(0, 0));
        let mut drawn = t.inout_of::<u32>("drawn", 4, Values::Whole(0, 0));
        t.launch(draw_numbers {
            next: &mut next,
            drawn: &mut drawn,
        });
        t.expect(&next, |_| 4, Tolerance::EXACT);
        t.expect(&drawn, |i| i as u32, Tolerance::EXACT);
    });
    assert!(text.starts_with("numbers fails: drawn["), "{text}");
    assert!(
        text.contains("the result depends on the order; several waves write it"),
        "{text}"
    );
    // who wrote it: the same wave by the same line in either order, which is told once
    let line = "drawn[wave::id()].fetch_add(mine, Relaxed, Group);";
    assert!(
        text.matches(line).count() == 1
            && text.contains("\nnote: where it is right the same store made it, of another value:"),
        "{text}"
    );
}

/// Counts the elements, too.
#[kernel(group = 64)]
pub fn count_ones(y: &mut Lanes<u32>, count: &[Atomic<u32>]) {
    for (_, y) in y {
        *y = 1;
        count[0].fetch_add(1, Relaxed, Device);
    }
}

#[test]
fn a_grid_that_is_empty_is_named() {
    let text = says("ones", Plan::cases(4), |t| {
        let n = t.shape("n", 0..=100);
        let mut y = t.output::<u32>("y", n);
        let mut count = t.inout_of::<u32>("count", 1, Values::Whole(0, 0));
        t.launch(count_ones {
            y: &mut y,
            count: &mut count,
        });
        t.expect(&count, |_| n as u32 + 1, Tolerance::EXACT);
    });
    assert!(text.starts_with("ones fails: count[0] is 0, expected 1"), "{text}");
    let note = text.lines().find(|l| l.starts_with("note: the grid of the launch at "));
    let note = note.unwrap_or_else(|| panic!("{text}"));
    assert!(
        note.contains("property.rs:") && note.ends_with("is empty (0 workgroups): nothing ran there"),
        "{text}"
    );
}
