//! `t0 bench` from outside. Times are not judged here, results are: the command checks them itself.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use common::{folder, json, t0};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

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

/// Whether clang is there; if not, says what is not tested.
fn have_clang() -> bool {
    let have = Command::new("clang-19").arg("--version").output().is_ok();
    if !have {
        eprintln!("not run: clang-19 cannot be started");
    }
    have
}

#[test]
fn code_is_compared_on_checked_results() {
    if !have_clang() {
        return;
    }
    let ran = t0(&[
        "bench",
        "code",
        "reduce",
        "saxpy",
        "--size",
        "128",
        "--triton",
        "/no/such/python",
    ]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let lines: Vec<&str> = ran.out.lines().collect();
    let columns = "kernel by static executed hints waits VGPRs waves/SIMD spills cycles t0 over it: executed cycles";
    let text = "Triton is left out: /no/such/python does not have it; --triton names a Python that does";
    assert_eq!(lines[2], text);
    assert_eq!(lines[3].split_whitespace().collect::<Vec<_>>().join(" "), columns);
    for (line, start) in lines[4..]
        .iter()
        .zip(["reduce       t0 ", " clang ", "saxpy        t0 ", " clang "])
    {
        assert!(line.trim_start().starts_with(start.trim_start()), "{line}");
    }
    assert!(lines[8].starts_with("geometric mean, t0 over clang: "), "{}", lines[8]);
    assert_eq!(lines.len(), 9, "{}", ran.out);

    let ran = t0(&["bench", "code", "reduce", "--size", "128", "--json"]);
    let v = json(&ran);
    let row = &v["results"][0];
    assert_eq!(
        (row["kernel"].as_str(), row["size"].as_str()),
        (Some("reduce"), Some("16384"))
    );
    for by in ["t0", "clang"] {
        let m = |field: &str| {
            row[by][field]
                .as_u64()
                .unwrap_or_else(|| panic!("{by}, {field}: {row}"))
        };
        // 512 waves, which execute what one of them does, and not all of the code.
        assert!(
            m("static_instructions") * 512 > m("executed") && m("executed") > 512 * 10,
            "{row}"
        );
        assert!(
            m("waits") >= 512 && m("vgprs") > 0 && m("waves_per_simd") == 16 && m("cycles") > 0,
            "{row}"
        );
        assert!(m("spills") == 0 && (m("hints") > 0) == (by == "clang"), "{row}");
    }
    let ratio = row["t0"]["executed"].as_f64().unwrap() / row["clang"]["executed"].as_f64().unwrap();
    assert!((v["executed_ratio"].as_f64().unwrap() - ratio).abs() < 1e-9, "{v}");
}

#[test]
fn wrong_results_are_refused_before_their_figures() {
    if !have_clang() {
        return;
    }
    // A compiler that takes every sum for a difference.
    let script = folder("bench-wrong").join("clang");
    let text = "#!/bin/sh\nfor f; do :; done\ncase $f in *.cl) sed -i 's/y\\[i\\] +=/y[i] -=/' \"$f\";; esac\nexec clang-19 \"$@\"\n";
    std::fs::write(&script, text).unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let clang = script.to_str().unwrap();
    let ran = t0(&["bench", "code", "saxpy", "--size", "128", "--clang", clang]);
    assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
    assert!(
        ran.err
            .starts_with("error: bench `saxpy`: clang: element 0 of its result is "),
        "{}",
        ran.err
    );
    assert_eq!(ran.out.lines().count(), 4, "figures were printed: {}", ran.out);
}

#[test]
fn without_clang_the_way_out_is_told() {
    for command in ["code", "compile"] {
        let ran = t0(&["bench", command, "saxpy", "--clang", "/no/such/clang", "--json"]);
        assert_eq!(ran.status, 1, "{}", ran.err);
        let text = "bench `clang`: /no/such/clang cannot be started (No such file or directory (os error 2)); install clang-19 \
                    and lld-19, or say where clang is with --clang";
        assert_eq!(json(&ran)["error"], text);
    }
}

#[test]
fn compile_times_have_passes_and_growth() {
    if !have_clang() {
        return;
    }
    let fast = [
        "bench",
        "compile",
        "saxpy",
        "--runs",
        "1",
        "--longest",
        "5000",
        "--passes",
    ];
    let ran = t0(&fast);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let debug = ran
        .out
        .starts_with("this is a debug build, so its times are no figures");
    assert_eq!(debug, cfg!(debug_assertions), "{}", ran.out);
    assert!(
        ran.out.contains("the process's start and its linker's included"),
        "{}",
        ran.out
    );

    let v = json(&t0(&[&fast[..], &["--json"]].concat()));
    assert_eq!(v["debug_build"], cfg!(debug_assertions));
    assert!(v["empty_file_seconds"].as_f64() > Some(0.0), "{v}");
    let row = &v["results"][0];
    assert_eq!(row["kernel"], "saxpy");
    let [ours, clang, ratio] = ["t0_seconds", "clang_seconds", "ratio"].map(|k| row[k].as_f64().unwrap());
    assert!(ours > 0.0 && (ratio - clang / ours).abs() < 1e-9, "{row}");
    let passes = row["passes"].as_array().unwrap();
    for name in ["select", "allocate", "encode"] {
        assert!(passes.iter().any(|p| p["name"] == name), "{passes:?}");
    }
    let growth = v["growth"].as_array().unwrap();
    let lengths: Vec<u64> = growth.iter().map(|g| g["instructions"].as_u64().unwrap()).collect();
    assert!(
        lengths.len() == 6 && lengths.is_sorted() && lengths[5] > 4000,
        "{lengths:?}"
    );
}

#[test]
fn wrong_usage_is_explained() {
    for args in [
        ["bench", "sim", "--seconds", "0"],
        ["bench", "sim", "--threads", "0"],
        ["bench", "sanitizer", "--size", "0"],
        ["bench", "sanitizer", "--launches", "0"],
        ["bench", "code", "--size", "0"],
        ["bench", "compile", "--runs", "0"],
        ["bench", "compile", "--longest", "0"],
    ] {
        let ran = t0(&args);
        assert!(ran.status == 2 && ran.err.contains("`0` is no "), "{}", ran.err);
    }
}
