//! The `t0` command from outside: exit status, what goes to which stream, JSON shapes, error texts.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use common::{folder, json, t0, t0_with, words};
use std::path::Path;
use std::process::{Command, Stdio};
use t0_backend_rdna3::object::{write, Arg, KernelCode, Line, Resources};
use t0_backend_rdna3::target::GFX1100;

/// A code object with two kernels; `loop` branches back to its second instruction.
fn code_object(dir: &Path) -> String {
    let kernel = |name: &str, code: &[u32]| KernelCode {
        name: name.to_owned(),
        code: words(code),
        resources: Resources {
            vgprs: 97,
            sgprs: 16,
            lds_bytes: 1024,
            kernarg_bytes: 16,
            ..Resources::default()
        },
        args: vec![Arg::by_value("a", "f32", 0, 4), Arg::buffer("x", "&[f32]", 8)],
        lds: Vec::new(),
        max_group_size: 256,
        required_group_size: Some([256, 1, 1]),
        spills: [0; 2],
        lines: vec![
            Line {
                offset: 0,
                file: "src/k.rs".into(),
                line: 3,
                column: 1,
            },
            Line {
                offset: 8,
                file: "src/k.rs".into(),
                line: 4,
                column: 1,
            },
        ],
        atomics: Vec::new(),
        sources: Vec::new(),
    };
    let kernels = [
        // v_add_f32_e32 v0, v1, v2; s_nop 0; s_endpgm
        kernel("plain", &[0x0600_0501, 0xbf80_0000, 0xbfb0_0000]),
        // s_nop 0; s_nop 0; s_cbranch_scc0 -2; s_endpgm
        kernel("loop", &[0xbf80_0000, 0xbf80_0000, 0xbfa1_fffe, 0xbfb0_0000]),
    ];
    let path = dir.join("k.co");
    std::fs::write(&path, write(&GFX1100, &kernels).unwrap()).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn help_is_fine_and_nonsense_is_wrong_usage() {
    let help = t0(&["--help"]);
    assert_eq!(help.status, 0);
    assert!(help.out.contains("dis") && help.err.is_empty());
    for args in [
        &["nonsense"][..],
        &[],
        &["dis"],
        &["dis", "--hex"],
        &["dis", "a.co", "--hex", "-"],
        &["dis", "--no-such"],
    ] {
        let ran = t0(args);
        assert_eq!(ran.status, 2, "{args:?}: {}", ran.err);
        assert!(ran.out.is_empty() && !ran.err.is_empty(), "{args:?}");
    }
    for args in [
        &["--json", "nonsense"][..],
        &["dis", "--json", "--no-such"],
        &["--json", "isa", "nope"],
    ] {
        let ran = t0(args);
        let v = json(&ran);
        let text = v["error"].as_str().unwrap();
        assert_eq!(ran.status, 2, "{args:?}");
        assert!(!text.is_empty() && !text.starts_with("error:"), "{text}");
    }
    let ran = t0(&["isa", "saxpy", "--output", "/no/such/directory/x.txt"]);
    assert_eq!(ran.status, 2, "{}", ran.err);
    assert!(ran.err.contains("cannot write /no/such/directory/x.txt"), "{}", ran.err);
    for (option, value, text) in [
        ("--seconds", "-1", "`-1` is no time"),
        ("--seconds", "nan", "`nan` is no time"),
        ("--seconds", "x", "`x` is no time"),
        ("--threads", "-1", "`-1` is no number of threads"),
        ("--threads", "0", "`0` is no number of threads"),
    ] {
        let ran = t0(&["bench", "sim", option, value]);
        assert_eq!(ran.status, 2, "{option} {value}: {}", ran.err);
        assert!(ran.err.contains(text), "{option} {value}: {}", ran.err);
    }
    let wave = t0(&["dis", "--hex", "-", "--wave-size", "-1"]);
    assert!(
        wave.status == 2 && wave.err.contains("waves have 32 or 64 lanes"),
        "{}",
        wave.err
    );
    let target = t0(&["dis", "x.co", "--target", "gfx906"]);
    assert_eq!(target.status, 2);
    assert!(target.err.contains("t0 makes code for gfx1100"), "{}", target.err);
}

#[test]
fn hex_answers_every_line() {
    let input = "000080bf\n0000b0bf\nnonsense\n\n[0x01,0x05,0x00,0x06]\nffffffff\n000080bf 000080bf\n0000";
    let ran = t0_with(&["dis", "--hex", "-"], input);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines.len(), input.lines().count(), "{}", ran.out);
    assert_eq!(lines[..2], ["s_nop 0", "s_endpgm"]);
    assert_eq!(lines[4], "v_add_f32_e32 v0, v1, v2");
    assert_eq!(lines[3], "");
    for i in [2, 5, 6, 7] {
        assert!(
            lines[i].starts_with(&format!("error: line {}: ", i + 1)),
            "{}",
            lines[i]
        );
    }
    assert!(lines[6].contains("4 bytes are left"), "{}", lines[6]);
    assert_eq!((ran.status, ran.err.as_str()), (1, ""));
    let fine = t0_with(&["dis", "--hex", "-"], "0000b0bf\r\n");
    assert_eq!((fine.status, fine.out.as_str()), (0, "s_endpgm\n"));
    assert_eq!(
        (
            t0_with(&["dis", "--hex", "-"], "").out.as_str(),
            t0(&["dis", "--hex", "-"]).status
        ),
        ("", 0)
    );
}

#[test]
fn hex_as_json_is_one_document() {
    let ran = t0_with(&["--json", "dis", "--hex", "-"], "0000b0bf\nx\n");
    let v = json(&ran);
    assert_eq!(v["results"][0]["text"], "s_endpgm");
    assert!(v["results"][1]["error"].as_str().unwrap().contains("`x`"));
    assert_eq!((ran.status, v["results"].as_array().unwrap().len()), (1, 2));
}

#[test]
fn dis_shows_descriptor_metadata_and_code() {
    let file = code_object(&folder("dis"));
    let ran = t0(&["dis", &file]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    for expected in [
        "gfx1100",
        ".amdhsa_kernel plain",
        ".amdhsa_kernarg_size 16",
        ".amdhsa_user_sgpr_count 13",
        ".value_kind:     global_buffer",
        ".type_name:      '&[f32]'",
        "v_add_f32_e32 v0, v1, v2",
        "// 000000001800: 06000501",
        "s_cbranch_scc0",
        "<loop+0x4>",
        "s_endpgm",
    ] {
        assert!(ran.out.contains(expected), "{expected} is missing in\n{}", ran.out);
    }
    let one = t0(&["dis", &file, "--kernel", "loop"]);
    assert!(one.out.contains("loop:") && !one.out.contains("plain"), "{}", one.out);
    let none = t0(&["dis", &file, "--kernel", "x"]);
    assert_eq!((none.status, none.out.as_str()), (2, ""));
    assert!(
        none.err
            .contains("there is no kernel `x`; the code object has `plain`, `loop`"),
        "{}",
        none.err
    );
}

#[test]
fn dis_as_json() {
    let file = code_object(&folder("dis_json"));
    let ran = t0(&["dis", &file, "--json"]);
    let v = json(&ran);
    assert_eq!(
        (ran.status, v["target"].as_str(), v["abi_version"].as_u64()),
        (0, Some("gfx1100"), Some(3))
    );
    let k = &v["kernels"][0];
    assert_eq!(k["name"], "plain");
    assert_eq!(k["descriptor"]["kernarg_size"], 16);
    assert_eq!(k["metadata"]["args"][1]["kind"], "global_buffer");
    let i = &k["instructions"][0];
    assert_eq!((i["offset"].as_u64(), i["bytes"].as_str()), (Some(0), Some("01050006")));
    assert_eq!(
        (i["text"].as_str(), i["line"].as_u64()),
        (Some("v_add_f32_e32 v0, v1, v2"), Some(3))
    );
    assert_eq!(
        (i["live_vgpr"].as_u64(), i["file"].as_str()),
        (Some(2), Some("src/k.rs"))
    );
    assert_eq!(k["instructions"].as_array().unwrap().len(), 3);
}

#[test]
fn unreadable_files_say_what_to_do() {
    let dir = folder("unreadable");
    let path = |name: &str| dir.join(name).to_str().unwrap().to_owned();
    let missing = t0(&["dis", &path("missing.co")]);
    assert_eq!(missing.status, 2);
    assert!(
        missing.err.starts_with("error: cannot read ") && missing.err.contains("No such file"),
        "{}",
        missing.err
    );
    std::fs::write(path("text"), "hello").unwrap();
    let text = t0(&["dis", &path("text"), "--json"]);
    assert_eq!(text.status, 2);
    assert!(
        text.err.contains("no intact ELF file") && text.err.contains("t0 build"),
        "{}",
        text.err
    );
    assert!(json(&text)["error"].as_str().unwrap().contains("no intact ELF file"));
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let file = code_object(&folder("pipe"));
    let mut child = Command::new(env!("CARGO_BIN_EXE_t0"))
        .args(["dis", &file])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let out = child.wait_with_output().unwrap();
    assert_eq!((out.status.code(), out.stderr.as_slice()), (Some(0), &b""[..]));
}

/// A file made by clang 19, when it is there: every instruction is one, and LLVM prints the same text.
#[test]
fn clangs_kernels_disassemble_as_llvm_does() {
    let dir = folder("clang");
    let source = "kernel void axpy(global float* y, global const float* x, float a, uint n) {\
        uint i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x(); if (i < n) y[i] += a * x[i]; }";
    std::fs::write(dir.join("k.cl"), source).unwrap();
    let args = "-x cl -cl-std=CL2.0 --target=amdgcn-amd-amdhsa -mcpu=gfx1100 -nogpulib -O2 k.cl -o k.co";
    let clang = Command::new("clang-19")
        .args(args.split(' '))
        .current_dir(&dir)
        .output();
    let dump = Command::new("llvm-objdump-19")
        .args(["-d", "--mcpu=gfx1100", "k.co"])
        .current_dir(&dir)
        .output();
    let (Ok(clang), Ok(dump)) = (clang, dump) else {
        eprintln!("clang-19 or llvm-objdump-19 is not installed: not compared live");
        return;
    };
    assert!(
        clang.status.success() && dump.status.success(),
        "{}",
        String::from_utf8_lossy(&clang.stderr)
    );
    let expected: Vec<String> = String::from_utf8(dump.stdout)
        .unwrap()
        .lines()
        .filter_map(|l| l.strip_prefix('\t')?.split("//").next())
        .map(|text| text.trim().to_owned())
        .collect();
    let ran = t0(&["dis", dir.join("k.co").to_str().unwrap(), "--json"]);
    let v = json(&ran);
    let ours = v["kernels"][0]["instructions"].as_array().unwrap();
    assert_eq!(ran.status, 0, "{}", ran.out);
    let ours: Vec<&str> = ours.iter().map(|i| i["text"].as_str().unwrap()).collect();
    assert_eq!(ours, expected[..ours.len()]);
    assert!(ours.contains(&"s_endpgm"));
}

#[test]
fn source_lines_are_shown_from_any_directory() {
    let out = Command::new(env!("CARGO_BIN_EXE_t0"))
        .args(["isa", "saxpy"])
        .current_dir("/")
        .output()
        .unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    let (status, source) = (out.status.code(), "a * x");
    assert!(status == Some(0) && text.contains(source), "{text}");
}
