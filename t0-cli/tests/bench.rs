//! `t0 bench` from outside. Times are not judged here, results are: the command checks them itself.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use common::{json, t0};

#[test]
fn the_simulators_speed_is_measured_on_checked_results() {
    let ran = t0(&["bench", "sim", "--seconds", "0.01", "--threads", "2", "--json"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let v = json(&ran);
    assert_eq!(v["basis"], "host speed of the simulator, measured");
    let results = v["results"].as_array().unwrap();
    let names: Vec<&str> = results.iter().map(|r| r["name"].as_str().unwrap()).collect();
    for name in [
        "valu",
        "salu",
        "lds",
        "global",
        "trans",
        "wmma_f32_f16",
        "wmma_f32_bf16",
        "wmma_i32_iu8",
        "wmma_i32_iu4",
    ] {
        assert!(names.contains(&name), "{names:?}");
    }
    for r in results {
        assert!(r["wave_instructions_per_second"].as_f64().unwrap() > 0.0, "{r}");
        assert_eq!(r["threads"], 2);
        let matrix = r["name"].as_str().unwrap().starts_with("wmma");
        assert_eq!(r["wmma_per_second"].as_f64().is_some_and(|w| w > 0.0), matrix, "{r}");
    }
}

#[test]
fn silicon_numerics_give_the_same_integers() {
    let ran = t0(&[
        "bench",
        "sim",
        "--seconds",
        "0.001",
        "--threads",
        "1",
        "--numerics",
        "silicon",
    ]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(
        ran.out.starts_with("host speed of the simulator, measured\n"),
        "{}",
        ran.out
    );
    assert_eq!(ran.out.lines().count(), 10, "{}", ran.out);
}

#[test]
fn the_sanitizers_cost_is_measured_on_checked_results() {
    let ran = t0(&["bench", "sanitizer", "--size", "128", "--launches", "1", "--json"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let v = json(&ran);
    let results = v["results"].as_array().unwrap();
    let names: Vec<&str> = results.iter().map(|r| r["kernel"].as_str().unwrap()).collect();
    assert_eq!(names, ["saxpy", "softmax", "gemm"]);
    for r in results {
        let [plain, with, ratio] = ["plain_seconds", "sanitized_seconds", "ratio"].map(|k| r[k].as_f64().unwrap());
        assert!(plain > 0.0 && with > 0.0 && (ratio - with / plain).abs() < 1e-9, "{r}");
    }
}

#[test]
fn wrong_usage_is_explained() {
    for args in [
        ["bench", "sim", "--seconds", "0"],
        ["bench", "sim", "--threads", "0"],
        ["bench", "sanitizer", "--size", "0"],
        ["bench", "sanitizer", "--launches", "0"],
    ] {
        let ran = t0(&args);
        assert!(ran.status == 2 && ran.err.contains("`0` is no "), "{}", ran.err);
    }
}
