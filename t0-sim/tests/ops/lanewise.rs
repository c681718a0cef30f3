//! Every lane-by-lane vector instruction in all its forms and under all of MODE.
#![allow(clippy::unwrap_used)]

use crate::common::{Machine, Rng};
use crate::vector::{check_row, lane_rows, Models};

/// Rows checked elsewhere.
const OTHERWISE: &[&str] = &[
    "v_nop",
    "v_pipeflush",
    // In `lanes`.
    "v_swap_b32",
    "v_swaprel_b32",
    "v_mov_b16",
    "v_movreld_b32",
    "v_movrels_b32",
    "v_movrelsd_b32",
    "v_movrelsd_2_b32",
    // By error bound in `bounds`.
    "v_exp_f32",
    "v_log_f32",
    "v_rcp_f32",
    "v_rcp_iflag_f32",
    "v_rsq_f32",
    "v_sqrt_f32",
    "v_sin_f32",
    "v_cos_f32",
    "v_rcp_f64",
    "v_rsq_f64",
    "v_sqrt_f64",
    "v_rcp_f16",
    "v_sqrt_f16",
    "v_rsq_f16",
    "v_log_f16",
    "v_exp_f16",
    "v_sin_f16",
    "v_cos_f16",
    // Sums of products in float: their own module.
    "v_dot2acc_f32_f16",
    "v_dot2_f32_f16",
    "v_dot2_f32_bf16",
    "v_dot2_f16_f16",
    "v_dot2_bf16_bf16",
];

fn models() -> Models {
    let mut t = crate::valu::models();
    t.extend(crate::vfloat::models());
    t
}

/// MODE as t0 and LLVM set it; then everything else it can be.
const PLAIN: [u32; 1] = [0x3f0];

fn all_modes() -> Vec<u32> {
    let mut rng = Rng(0xdecaf);
    let mut v: Vec<u32> = (0..200).map(|_| rng.u32() & 0x3ff).collect();
    v.extend([0x0, 0x3f0, 0xf0, 0x1f0, 0x2f0]);
    v
}

fn run(mut m: Machine, keep: impl Fn(&str) -> bool, trials: u32, modes: &[u32]) {
    let models = models();
    let mut rng = Rng(0xfeed_5eed_1234_5678);
    let mut failures = Vec::new();
    for op in lane_rows().filter(|op| keep(op.name())) {
        if let Some(model) = models.get(op.name()) {
            failures.extend(check_row(op, model, trials, &mut rng, &mut m, modes));
        }
    }
    assert!(
        failures.is_empty(),
        "{} differences:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

fn is_compare(n: &str) -> bool {
    n.starts_with("v_cmp")
}

#[test]
fn arithmetic_in_the_usual_mode() {
    run(Machine::new(), |n| !is_compare(n), 60, &PLAIN);
}

#[test]
fn arithmetic_in_every_mode() {
    run(Machine::new(), |n| !is_compare(n) && n.contains("_f"), 60, &all_modes());
}

#[test]
fn compares() {
    run(Machine::new(), is_compare, 12, &all_modes());
}

#[test]
fn two_passes_of_a_wave64() {
    run(Machine::wave64(), |_| true, 12, &all_modes());
}

#[test]
fn every_row_has_a_model() {
    let models = models();
    let missing: Vec<_> = lane_rows()
        .map(|op| op.name())
        .filter(|n| !models.contains_key(*n) && !OTHERWISE.contains(n))
        .collect();
    assert!(missing.is_empty(), "no model for {missing:?}");
}
