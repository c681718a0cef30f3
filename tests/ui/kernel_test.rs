use t0::prelude::*;
use t0::testing::KernelTest;

#[kernel_test(case = 3)]
fn a_case_is_text(t: &mut KernelTest) {}

#[kernel_test(cases = 0)]
fn no_cases(t: &mut KernelTest) {}

#[kernel_test(cases = 3, case = "n=1")]
fn both(t: &mut KernelTest) {}

#[kernel_test(seeds = 3)]
fn unknown(t: &mut KernelTest) {}

#[kernel_test(instructions = "many")]
fn no_number(t: &mut KernelTest) {}

#[kernel_test]
fn nothing_to_draw_from() {}

#[kernel_test]
fn by_value(t: KernelTest) {}

#[kernel_test]
async fn with_a_result<T>(t: &mut KernelTest) -> bool {
    true
}

#[kernel_test]
struct NoFunction;

fn main() {}
