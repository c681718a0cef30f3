//! `t0 kernels`, `t0 isa`, `t0 build` from outside, and a built kernel through `t0 run`.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use common::{folder, json, t0};
use serde_json::Value;
use std::process::Command;

#[test]
fn kernels_are_listed_with_their_places() {
    let ran = t0(&["kernels"]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    for expected in [
        "saxpy(a: f32, x: &[f32], y: &mut Lanes<f32>)",
        "gemm::<BM,BN,BK>(",
        "vector.rs:",
        "groups of 256",
    ] {
        let squeeze = |s: &str| s.replace(' ', "");
        assert!(
            squeeze(&ran.out).contains(&squeeze(expected)),
            "{expected} is missing in\n{}",
            ran.out
        );
    }
    let v = json(&t0(&["kernels", "--json"]));
    let kernels = v["kernels"].as_array().unwrap();
    let gemm = kernels.iter().find(|k| k["name"] == "gemm").unwrap();
    assert_eq!(gemm["consts"], serde_json::json!(["BM", "BN", "BK"]));
    assert_eq!(
        (gemm["params"][0]["name"].as_str(), gemm["group"].as_u64()),
        (Some("a"), Some(256))
    );
    assert!(
        gemm["file"].as_str().unwrap().ends_with(".rs") && gemm["line"].as_u64().unwrap() > 1,
        "{gemm}"
    );
}

#[test]
fn isa_as_text_names_lines_and_resources() {
    let ran = t0(&["isa", "saxpy"]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    let header: Vec<&str> = ran.out.lines().take(3).collect();
    assert_eq!(header[0], "; kernel saxpy for gfx1100");
    assert!(
        header[1].contains(" VGPR, ") && header[1].contains("0 bytes LDS, 0 bytes scratch"),
        "{}",
        header[1]
    );
    assert_eq!(header[2], "; 16 waves/SIMD with groups of 256: all wave slots");
    // The Rust line itself, as the source has it, above its instructions.
    assert!(
        ran.out.contains("vector.rs:") && ran.out.contains("a * x[i]"),
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains("v_mul_f32") && ran.out.contains("buffer_load_b32") && ran.out.contains("s_endpgm"),
        "{}",
        ran.out
    );
}

/// The fields `t0 isa --format json` promises.
fn check_json(v: &Value, kernel: &str) {
    assert_eq!(
        (v["kernel"].as_str(), v["target"].as_str()),
        (Some(kernel), Some("gfx1100"))
    );
    let r = &v["resources"];
    for field in ["vgpr", "sgpr", "lds", "scratch", "waves_per_simd"] {
        assert!(r[field].is_u64(), "{field}: {r}");
    }
    assert!(r["limited_by"].is_string());
    let instructions = v["instructions"].as_array().unwrap();
    let mut offset = 0;
    for i in instructions {
        assert_eq!(i["offset"].as_u64(), Some(offset));
        offset += i["bytes"].as_str().unwrap().len() as u64 / 2;
        assert!(i["text"].is_string() && i["error"].is_null(), "{i}");
        assert!(i["live_vgpr"].as_u64().unwrap() <= r["vgpr"].as_u64().unwrap(), "{i}");
        assert!(
            i["live_sgpr"].as_u64().unwrap() <= r["sgpr"].as_u64().unwrap() + 2,
            "{i}"
        );
    }
    assert!(instructions
        .iter()
        .any(|i| i["file"].is_string() && i["line"].as_u64() > Some(0)));
}

#[test]
fn isa_as_json_has_the_promised_fields() {
    for kernel in ["saxpy", "softmax", "reduce", "edges"] {
        let ran = t0(&["isa", kernel, "--format", "json"]);
        assert_eq!(ran.status, 0, "{kernel}: {}", ran.err);
        check_json(&json(&ran), kernel);
        assert_eq!(t0(&["isa", kernel, "--json"]).out, ran.out);
    }
    let gemm = t0(&["isa", "gemm::<64, 64, 32>", "--json"]);
    assert_eq!(gemm.status, 0, "{}", gemm.err);
    let v = json(&gemm);
    check_json(&v, "gemm::<64,64,32>");
    assert!(v["instructions"].to_string().contains("v_wmma_f32_16x16x16_bf16"));
    assert!(v["resources"]["lds"].as_u64() > Some(0));
}

#[test]
fn isa_as_html_is_a_page_of_its_own() {
    let dir = folder("html");
    let path = dir.join("k.html");
    let ran = t0(&[
        "isa",
        "saxpy",
        "--size",
        "64",
        "--format",
        "html",
        "-o",
        path.to_str().unwrap(),
    ]);
    assert_eq!((ran.status, ran.out.as_str()), (0, ""), "{}", ran.err);
    let page = std::fs::read_to_string(path).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.contains("s_endpgm") && page.contains("vector.rs:"));
    for fetches in [
        " src=",
        "<link",
        "@import",
        "url(",
        "fetch(",
        "XMLHttpRequest",
        "import(",
    ] {
        assert!(!page.contains(fetches), "{fetches}: nothing may be fetched");
    }
}

#[test]
fn a_built_kernel_is_a_code_object_llvm_reads_and_runs() {
    let dir = folder("build");
    let path = |name: &str| dir.join(name).to_str().unwrap().to_owned();
    let co = path("saxpy.co");
    let ran = t0(&["build", "saxpy", "-o", &co, "--json"]);
    let v = json(&ran);
    assert_eq!((ran.status, v["symbol"].as_str()), (0, Some("saxpy")), "{}", ran.err);
    assert_eq!(v["bytes"].as_u64(), Some(std::fs::metadata(&co).unwrap().len()));
    let dis = t0(&["dis", &co]);
    assert!(
        dis.status == 0 && dis.out.contains(".type_name:      f32"),
        "{}",
        dis.out
    );
    if let Ok(dump) = Command::new("llvm-objdump-19")
        .args(["-d", "--mcpu=gfx1100", &co])
        .output()
    {
        assert!(
            dump.status.success() && dump.stderr.is_empty(),
            "{}",
            String::from_utf8_lossy(&dump.stderr)
        );
    }
    let numbers = |v: &[f32]| v.iter().flat_map(|f| f.to_le_bytes()).collect::<Vec<u8>>();
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }\n";
    let npy = |v: &[f32]| {
        [
            b"\x93NUMPY\x01\x00",
            &(header.len() as u16).to_le_bytes()[..],
            header.as_bytes(),
            &numbers(v),
        ]
        .concat()
    };
    std::fs::write(path("x.npy"), npy(&[1.0, 2.0, 3.0])).unwrap();
    std::fs::write(path("y.npy"), npy(&[10.0, 20.0, 30.0])).unwrap();
    // One argument for each Rust parameter: lengths follow from the arrays.
    let (x, y) = (
        format!("in:{}", path("x.npy")),
        format!("inout:{}:{}", path("y.npy"), path("o.npy")),
    );
    let line = [
        "run", &co, "--grid", "1", "--block", "256", "--device", "sim", "--arg", "f32:2", "--arg", &x, "--arg", &y,
    ];
    let ran = t0(&line);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    let file = std::fs::read(path("o.npy")).unwrap();
    assert_eq!(file[file.len() - 12..], numbers(&[12.0, 24.0, 36.0]));
}

#[test]
fn wrong_names_are_wrong_usage() {
    let check = |args: &[&str], text: &str| {
        let ran = t0(args);
        assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{args:?}");
        assert!(ran.err.contains(text), "{args:?}: {}", ran.err);
    };
    check(&["isa", "nope"], "there is no kernel `nope`; `t0 kernels` lists them:");
    check(
        &["isa", "gemm"],
        "`gemm` wants BM, BN, BK: write 'gemm::<BM,BN,BK>' with a number for each (0 given)",
    );
    check(&["build", "saxpy::<1>", "-o", "x.co"], "`saxpy` has no const generics");
    check(&["build", "saxpy"], "--output");
    check(&["isa", "saxpy", "--format", "pdf"], "pdf");
}

#[test]
fn a_file_that_cannot_be_written_is_wrong_usage() {
    let ran = t0(&["build", "saxpy", "-o", "/no/such/folder/k.co"]);
    assert_eq!(ran.status, 2);
    assert!(
        ran.err.contains("cannot write /no/such/folder/k.co: No such file"),
        "{}",
        ran.err
    );
}
