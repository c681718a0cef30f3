//! `t0 card`, `t0 trace`, `t0 run --timing` and the page of `t0 isa` from outside.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use common::{folder, json, t0};
use serde_json::Value;

#[test]
fn a_card_says_what_a_kernel_takes_and_where_its_time_goes() {
    let ran = t0(&["card", "saxpy", "--size", "512"]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    for expected in [
        "saxpy for gfx1100, workgroups of 256, wave32",
        "occupancy: 16 waves/SIMD, limited by waves\n",
        "modelled: ",
        "t0-kernels/src/vector.rs:10 *y += a * x[i];",
        "change first:\n  1. ",
        "launched with a = 1, x: [262144] f32, y: [262144] f32, grid [1024, 1, 1] (y)",
    ] {
        assert!(ran.out.contains(expected), "{expected} is missing in\n{}", ran.out);
    }
}

#[test]
fn a_card_as_json() {
    let v = json(&t0(&["card", "gemm::<64,64,32>", "--size", "256", "--json"]));
    let resources = &v["resources"];
    for name in ["vgpr", "sgpr", "lds", "waves_per_simd"] {
        assert!(resources[name].as_u64().unwrap() > 0, "{name}: {resources}");
    }
    assert!(v["cycles"].as_u64().unwrap() > 1000 && v["basis"] == "modelled");
    for unit in ["wmma", "valu", "lds", "vmem", "salu"] {
        let share = v["utilisation"][unit].as_f64().unwrap();
        assert!(share > 0.0 && share <= 1.0, "{unit}: {share}");
    }
    let shares: f64 = v["waits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|w| w[1].as_f64().unwrap())
        .sum();
    assert!((shares - 1.0).abs() < 1e-6, "{shares}");
    let stall = &v["stalls"][0];
    assert!(
        stall["instruction"].is_string()
            && stall["line"].as_u64().unwrap() > 1
            && stall["share"].as_f64().unwrap() > 0.0
    );
    assert!(v["bank_conflicts"]["lds_passes"].as_u64().unwrap() > 0);
    assert!(v["limiter"].is_string() && !v["advice"].as_array().unwrap().is_empty());
    // 2 · 256³ operations, by the model's own time.
    let flops = v["tflops"].as_f64().unwrap() * 1e12 * v["seconds"].as_f64().unwrap();
    assert!((flops / (2.0 * 256f64.powi(3)) - 1.0).abs() < 0.01, "{flops}");
    let l = &v["loops"][0];
    assert!(
        l["wmma"].as_u64().unwrap() > 0 && l["cycles_per_round"].as_f64().unwrap() > 32.0,
        "{l}"
    );
}

#[test]
fn a_card_of_a_code_object_needs_a_launch_for_its_times() {
    let dir = folder("card");
    let file = dir.join("k.co");
    let file = file.to_str().unwrap();
    assert_eq!(t0(&["build", "saxpy", "-o", file]).status, 0);
    let v = json(&t0(&["card", file, "--json"]));
    assert!(v["resources"]["vgpr"].as_u64().unwrap() > 0);
    assert!(
        v.get("cycles").is_none() && v.get("utilisation").is_none(),
        "nobody has launched it: {v}"
    );
    let text = t0(&["card", file]).out;
    assert!(
        text.contains("not launched: cycles, utilisation and stalls are unknown"),
        "{text}"
    );

    let arrays = [
        "--arg",
        "f32:2",
        "--arg",
        "out:x.npy:f32:4096:1",
        "--arg",
        "out:y.npy:f32:4096:1",
    ];
    let launch = [&["card", file, "--grid", "16", "--block", "256", "--json"][..], &arrays].concat();
    let v = json(&t0(&launch));
    assert!(v["cycles"].as_u64().unwrap() > 1000 && v["groups"] == 16, "{v}");
    let ran = t0(&["card", file, "--grid", "16"]);
    assert_eq!(ran.status, 2);
    assert!(
        ran.err.contains("needs --grid, --block and an --arg for each argument"),
        "{}",
        ran.err
    );
}

#[test]
fn a_card_refuses_what_it_cannot_have() {
    let check = |args: &[&str], expected: &str| {
        let ran = t0(args);
        assert!(ran.status == 2 && ran.err.contains(expected), "{args:?}: {}", ran.err);
    };
    check(&["card", "nothing"], "there is no kernel `nothing`");
    check(&["card", "saxpy", "--size", "0"], "`0` is no size; write 1 to 16384");
    check(&["card", "saxpy", "--block", "64"], "--size sets its arguments");
    check(
        &["card", "softmax", "--size", "1", "--arg", "u32:1"],
        "are for code objects",
    );
    check(&["trace", "missing.co", "-o", "t.json"], "missing.co");
    check(&["isa", "saxpy", "--diff", "reduce"], "--diff is for --format html");
}

#[test]
fn a_trace_is_in_the_trace_event_format() {
    let path = folder("trace").join("t.json");
    let ran = t0(&[
        "trace",
        "softmax",
        "--size",
        "64",
        "-o",
        path.to_str().unwrap(),
        "--json",
    ]);
    let done = json(&ran);
    let v: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let events = v["traceEvents"].as_array().unwrap();
    assert_eq!(done["events"].as_u64().unwrap() as usize, events.len());
    let names: Vec<&Value> = events.iter().filter(|e| e["ph"] == "M").collect();
    assert!(names.iter().any(|e| e["args"]["name"] == "SIMD 0"));
    // Slices of a wave do not overlap, and every one of them has a name and a length.
    let mut last = std::collections::HashMap::new();
    let mut waits = 0;
    for e in events.iter().filter(|e| e["ph"] == "X") {
        let (at, long) = (e["ts"].as_u64().unwrap(), e["dur"].as_u64().unwrap());
        assert!(long > 0 && e["name"].is_string(), "{e}");
        let end = last.entry((e["pid"].as_u64(), e["tid"].as_u64())).or_insert(0);
        assert!(at >= *end, "{e} begins before {end}");
        *end = at + long;
        waits += u32::from(e["name"].as_str().unwrap().starts_with("wait: "));
    }
    assert!(waits > 0 && last.len() > 1);
}

#[test]
fn a_run_with_timing_tells_cycles() {
    let dir = folder("timing");
    let file = dir.join("k.co");
    let file = file.to_str().unwrap();
    assert_eq!(t0(&["build", "saxpy", "-o", file]).status, 0);
    let out = format!("out:{}:f32:256:1", dir.join("y.npy").display());
    let x = format!("out:{}:f32:256:1", dir.join("x.npy").display());
    let run = [
        "run", file, "--grid", "1", "--block", "256", "--arg", "f32:2", "--arg", &x, "--arg", &out,
    ];
    let v = json(&t0(&[&run[..], &["--timing", "--json"]].concat()));
    assert!(
        v["cycles"].as_u64().unwrap() > 5000 && v["timing"]["basis"] == "modelled",
        "{v}"
    );
    let v = json(&t0(&[&run[..], &["--json"]].concat()));
    assert!(v.get("cycles").is_none() && v.get("timing").is_none(), "{v}");
}

/// The document in a page.
fn data(page: &str) -> Value {
    let line = page.lines().find_map(|l| l.strip_prefix("const DATA = ")).unwrap();
    serde_json::from_str(line.trim_end_matches(';')).unwrap()
}

#[test]
fn a_page_carries_everything_it_shows() {
    let dir = folder("page");
    let path = dir.join("k.html");
    let path = path.to_str().unwrap();
    let ran = t0(&[
        "isa",
        "gemm::<64,64,32>",
        "--size",
        "128",
        "--format",
        "html",
        "-o",
        path,
    ]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    let page = std::fs::read_to_string(path).unwrap();
    let v = data(&page);
    let all = v["instructions"].as_array().unwrap();
    assert!(all.len() > 100 && v["timed"] == true);
    let waits: Vec<&Value> = all.iter().filter(|i| i["opcode"] == "s_waitcnt").collect();
    assert!(waits.iter().all(|i| i["why"].is_string()), "every wait has a reason");
    assert!(waits.iter().any(|i| i["why"].as_str().unwrap().contains("needs what")));
    for i in all {
        let bits: u64 = i["fields"]
            .as_array()
            .unwrap()
            .iter()
            .map(|f| span(f["bits"].as_str().unwrap()))
            .sum();
        assert_eq!(
            bits,
            4 * i["bytes"].as_str().unwrap().len() as u64,
            "the fields are all bits: {i}"
        );
        assert!(
            v["help"][i["opcode"].as_str().unwrap()]["what"].is_string(),
            "no help for {i}"
        );
    }
    let source = v["sources"][0]["lines"].to_string();
    assert!(source.contains("wmma(ta.frag(i, kk)") && !v["loops"].as_array().unwrap().is_empty());
}

/// Bits of `31:26`.
fn span(bits: &str) -> u64 {
    let (last, first) = bits.split_once(':').unwrap();
    last.parse::<u64>().unwrap() - first.parse::<u64>().unwrap() + 1
}

#[test]
fn a_page_shows_what_is_different_between_two_builds() {
    let path = folder("diff").join("k.html");
    let path = path.to_str().unwrap();
    let ran = t0(&[
        "isa",
        "gemm::<64,64,32>",
        "--size",
        "64",
        "--format",
        "html",
        "--diff",
        "gemm::<64,64,16>",
        "-o",
        path,
    ]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    let v = data(&std::fs::read_to_string(path).unwrap());
    let count = |change: Option<&str>| {
        let all = v["instructions"].as_array().unwrap().iter();
        all.filter(|i| i.get("change").and_then(Value::as_str) == change)
            .count()
    };
    let listed = |kernel| {
        json(&t0(&["isa", kernel, "--json"]))["instructions"]
            .as_array()
            .unwrap()
            .len()
    };
    assert_eq!(count(None) + count(Some("add")), listed("gemm::<64,64,32>"));
    assert_eq!(count(None) + count(Some("del")), listed("gemm::<64,64,16>"));
    assert!(count(Some("add")) > 0 && count(Some("del")) > 0 && count(None) > 50);
}

/// The recorded code objects of `t0 bench model` are what clang makes of their source, where it is there.
#[test]
fn the_kernels_of_the_validation_are_those_of_their_source() {
    let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/bench/model");
    let out = folder("sgemm");
    for (name, mode) in [("sgemm.co", None), ("sgemm_cu.co", Some("-mcumode"))] {
        let made = out.join(name);
        let ran = std::process::Command::new("clang-19")
            .args("-target amdgcn-amd-amdhsa -mcpu=gfx1100 -nogpulib -O3 -cl-std=CL2.0".split(' '))
            .args(mode)
            .arg(dir.join("sgemm.cl"))
            .arg("-o")
            .arg(&made)
            .status();
        let Ok(status) = ran else {
            eprintln!("clang-19 is not installed: nothing compared");
            return;
        };
        assert!(status.success());
        assert!(
            std::fs::read(made).unwrap() == std::fs::read(dir.join(name)).unwrap(),
            "{name}"
        );
    }
}
