//! `t0 run` from outside, on the simulated card, with kernels clang 19 compiled from OpenCL (their words are recorded
//! here, so the tests need no clang).
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use common::{folder, json, t0, words, Ran};
use std::path::{Path, PathBuf};
use t0_backend_rdna3::object::{write, Arg, ArgKind, KernelCode, Line, Resources};
use t0_backend_rdna3::target::{Target, GFX1100, TARGETS};

/// `kernel void axpy(global float* y, global const float* x, float a, uint n)`:
/// `i = group * 64 + item; if (i < n) y[i] += a * x[i];`
const AXPY: [u32; 34] = [
    0xf4040080, 0xf8000010, 0xd6460000, 0x04010c0f, 0xbf89fc07, 0xbf870001, 0x7c980003, 0xbe83206a, 0xbfa50016,
    0xf4080100, 0xf8000000, 0x7e020280, 0xbf8700a1, 0xd73c0000, 0x00020082, 0xbf89fc07, 0xd7006a02, 0x00020006,
    0xbf870002, 0x40060207, 0xd7006a00, 0x00020004, 0x40020205, 0xdc520000, 0x027c0002, 0xdc520000, 0x037c0000,
    0xbf8903f7, 0x56060402, 0xdc6a0000, 0x007c0300, 0xbf800000, 0xbfb60003, 0xbfb00000,
];
/// `kernel void dyn(global float* y, local float* l)`:
/// `l[item] = item; barrier(); y[group * 64 + item] = l[63 - item];`
const DYN: [u32; 31] = [
    0xf4000080, 0xf8000008, 0x30020082, 0xf4040000, 0xf8000000, 0x7e042300, 0xd6460000, 0x04010c0f, 0xbf89fc07,
    0x4a060202, 0x4c020202, 0xd8340000, 0x00000203, 0xbf89fc07, 0xbfbd0000, 0xd8d800fc, 0x02000001, 0x7e020280,
    0xbf870091, 0xd73c0000, 0x00020082, 0xd7006a00, 0x00020000, 0xbf870002, 0x40020201, 0xbf89fc07, 0xdc6a0000,
    0x007c0200, 0xbf800000, 0xbfb60003, 0xbfb00000,
];

fn code_object(dir: &Path) -> String {
    code_object_for(dir, &GFX1100)
}

fn kernel(name: &str, code: &[u32], kernarg_bytes: u32, args: Vec<Arg>) -> KernelCode {
    KernelCode {
        name: name.to_owned(),
        code: words(code),
        resources: Resources {
            vgprs: 8,
            sgprs: 16,
            kernarg_bytes,
            workgroup_ids: [true, false, false],
            ..Resources::default()
        },
        args,
        lds: Vec::new(),
        max_group_size: 256,
        required_group_size: None,
        spills: [0; 2],
        lines: vec![Line {
            offset: 0,
            file: "axpy.cl".into(),
            line: 7,
            column: 1,
        }],
        atomics: Vec::new(),
    }
}

fn code_object_for(dir: &Path, target: &Target) -> String {
    let lds = Arg {
        name: "l".into(),
        type_name: "float*".into(),
        offset: 8,
        size: 4,
        kind: ArgKind::DynamicLds,
    };
    let axpy_args = vec![
        Arg::buffer("y", "float*", 0),
        Arg::buffer("x", "float*", 8),
        Arg::by_value("a", "float", 16, 4),
        Arg::by_value("n", "uint", 20, 4),
    ];
    let kernels = [
        kernel("axpy", &AXPY, 24, axpy_args),
        kernel("dyn", &DYN, 12, vec![Arg::buffer("y", "float*", 0), lds]),
    ];
    let path = dir.join("k.co");
    std::fs::write(&path, write(target, &kernels).unwrap()).unwrap();
    path.to_str().unwrap().to_owned()
}

/// A `.npy` file of f32 numbers, written without t0's own code.
fn save(path: &Path, data: &[f32]) {
    use npyz::WriterBuilder;
    let file = std::io::BufWriter::new(std::fs::File::create(path).unwrap());
    let mut w = npyz::WriteOptions::<f32>::new()
        .default_dtype()
        .shape(&[data.len() as u64])
        .writer(file)
        .begin_nd()
        .unwrap();
    w.extend(data.iter().copied()).unwrap();
    w.finish().unwrap();
}

fn load(path: &Path) -> (Vec<u64>, Vec<f32>) {
    let file = npyz::NpyFile::new(std::io::BufReader::new(std::fs::File::open(path).unwrap())).unwrap();
    (file.shape().to_vec(), file.into_vec().unwrap())
}

struct Case {
    dir: PathBuf,
    file: String,
}

impl Case {
    fn new(test: &str) -> Case {
        let dir = folder(test);
        save(&dir.join("x.npy"), &(0..100).map(|i| i as f32).collect::<Vec<_>>());
        save(&dir.join("y.npy"), &[0.5; 100]);
        Case {
            file: code_object(&dir),
            dir,
        }
    }

    /// Runs with file names in arguments taken as names in the test's folder.
    fn run(&self, line: &str) -> Ran {
        let args: Vec<String> = line
            .split(' ')
            .map(|a| a.replace('@', &format!("{}/", self.dir.display())))
            .collect();
        let mut all = vec!["run", &self.file, "--device", "sim"];
        all.extend(args.iter().map(String::as_str));
        t0(&all)
    }
}

#[test]
fn a_kernel_runs_and_its_output_is_written() {
    let c = Case::new("run");
    let line =
        "--kernel axpy --grid 2 --block 64 --arg inout:@y.npy:@o.npy --arg in:@x.npy --arg f32:2 --arg u32:100 --json";
    let ran = c.run(line);
    let v = json(&ran);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{}", ran.out);
    assert_eq!(
        (v["device"].as_str(), v["findings"].as_array().unwrap().len()),
        (Some("sim"), 0)
    );
    // 4 waves of 25 instructions: each has a lane below n, so none takes the branch.
    assert_eq!(v["wave_instructions"].as_u64(), Some(4 * 25));
    assert!(v["seconds"].as_f64().unwrap() > 0.0);
    let (shape, y) = load(&c.dir.join("o.npy"));
    assert_eq!(shape, [100]);
    assert_eq!(y, (0..100).map(|i| 0.5 + 2.0 * i as f32).collect::<Vec<_>>());
    assert_eq!(load(&c.dir.join("y.npy")).1, [0.5; 100]);
    let text = c.run(&line.replace(" --json", " --count"));
    assert!(
        text.out.starts_with("sim: ") && text.out.contains("100 wave instructions"),
        "{}",
        text.out
    );
    assert!(text.err.contains("simulated Radeon RX 7900 XTX"), "{}", text.err);
}

#[test]
fn dynamic_lds_and_fills() {
    let c = Case::new("lds");
    let ran = c.run("--kernel dyn --grid 1 --block 64 --lds 256 --arg out:@a.npy:f32:2x64 --arg u32:0");
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    let (shape, y) = load(&c.dir.join("a.npy"));
    assert_eq!(shape, [2, 64]);
    assert_eq!(y[..64], (0..64).rev().map(|i| i as f32).collect::<Vec<_>>());
    assert!(
        y[64..].iter().all(|v| v.to_bits() == u32::MAX),
        "what nobody wrote is poison"
    );
    let ran = c.run("--kernel dyn --grid 1 --block 64 --lds 256 --arg out:@b.npy:f32:2x64:-3 --arg u32:0");
    assert_eq!(
        (ran.status, load(&c.dir.join("b.npy")).1[64..].to_vec()),
        (0, vec![-3.0; 64])
    );
    let ran = c.run("--kernel dyn --grid 0 --block 64 --arg out:@c.npy:f32:3x2:7 --arg u32:0 --json");
    // A grid of no workgroups executes nothing; outputs keep their FILL.
    assert_eq!((ran.status, json(&ran)["wave_instructions"].as_u64()), (0, Some(0)));
    let empty = std::fs::read(c.dir.join("c.npy")).unwrap();
    assert_eq!(empty[empty.len() - 24..], 7f32.to_le_bytes().repeat(6));
}

#[test]
fn accesses_past_the_end_are_found() {
    let c = Case::new("guard");
    // One element too many: the load of `x` comes first; then one of `y`, and a store behind an output.
    for (line, wanted) in [
        (
            "--kernel axpy --grid 2 --block 64 --arg inout:@y.npy:@o.npy --arg in:@x.npy --arg f32:2 --arg u32:101",
            [
                "argument 1 (",
                "outside of its 400 bytes: read of 4 bytes",
                "just past the end of `x`",
                "global_load_b32",
            ],
        ),
        (
            "--kernel axpy --grid 2 --block 64 --arg inout:@y.npy:@o.npy --arg out:@z.npy:f32:128:0 --arg f32:2 --arg u32:101",
            [
                "argument 0 (",
                "outside of its 400 bytes: read of 4 bytes",
                "just past the end of `y`",
                "workgroup (1, 0, 0) wave 1 lane 4",
            ],
        ),
        (
            "--kernel dyn --grid 2 --block 64 --lds 256 --arg out:@o.npy:f32:127 --arg u32:0",
            [
                "argument 0 (",
                "outside of its 508 bytes: write of 4 bytes",
                "just past the end of `y`",
                "global_store_b32",
            ],
        ),
    ] {
        let v = json(&c.run(&format!("{line} --json")));
        let f = &v["findings"][0];
        assert_eq!(
            (f["rule"].as_str(), f["severity"].as_str()),
            (Some("out-of-bounds"), Some("error")),
            "{v}"
        );
        let instruction = f["instruction"].as_str().unwrap();
        for w in wanted {
            assert!(f.to_string().contains(w), "{w} is not in {f}");
        }
        let ran = c.run(line);
        assert_eq!(ran.status, 1, "{line}");
        // Without JSON all of it is told in the form of rustc's messages.
        let first = "error[out-of-bounds]: argument ";
        let note = format!("\n   = note: instruction `{instruction}` at +0x");
        let out = ran.out.replace("\n = note", "\n   = note");
        assert!(out.contains(first) && out.contains(&note), "{}", ran.out);
        assert!(out.contains("\nhelp: compare the index with the length before the access"), "{}", ran.out);
        assert!(ran.out.contains("not written"), "{}", ran.out);
        assert!(!ran.out.contains("from before this run"), "{}", ran.out);
    }
    // Only what a dword holds of the array's last bytes may be loaded behind them, and nothing in front.
    let fine = "--kernel dyn --grid 2 --block 64 --lds 256 --arg out:@fine.npy:f32:128 --arg u32:0";
    assert_eq!(c.run(fine).status, 0);
}

#[test]
fn the_sanitizer_names_both_sides_of_a_race() {
    let c = Case::new("race");
    // `dyn` with `s_nop 0` for its barrier: the two waves of a group exchange halves unordered.
    let racy: Vec<u32> = DYN
        .iter()
        .map(|&w| if w == 0xbfbd_0000 { 0xbf80_0000 } else { w })
        .collect();
    let lds = Arg {
        kind: ArgKind::DynamicLds,
        ..Arg::by_value("l", "float*", 8, 4)
    };
    let args = vec![Arg::buffer("y", "float*", 0), lds];
    std::fs::write(&c.file, write(&GFX1100, &[kernel("dyn", &racy, 12, args)]).unwrap()).unwrap();
    let line = "--grid 2 --block 64 --lds 256 --arg out:@o.npy:f32:128 --arg u32:0 --json";
    if std::env::var_os("T0_SANITIZE").is_none() {
        let silent = c.run(line);
        assert_eq!(
            (silent.status, json(&silent)["findings"].as_array().unwrap().len()),
            (0, 0)
        );
    }
    let ran = c.run(&format!("{line} --sanitize"));
    let v = json(&ran);
    let f = &v["findings"][1];
    assert_eq!((ran.status, f["rule"].as_str()), (1, Some("lds-race")), "{v}");
    assert_eq!(
        (f["severity"].as_str(), f["count"].as_u64()),
        (Some("error"), Some(64)),
        "{v}"
    );
    assert_eq!(
        (f["file"].as_str(), f["line"].as_u64(), f["column"].as_u64()),
        (Some("axpy.cl"), Some(7), Some(1))
    );
    assert_eq!(
        (f["wave"].as_u64(), f["lane"].as_u64(), f["workgroup"][0].as_u64()),
        (Some(1), Some(0), Some(0))
    );
    let other = &f["other"];
    assert_eq!(
        (other["wave"].as_u64(), other["lane"].as_u64()),
        (Some(0), Some(31)),
        "{v}"
    );
    assert!(f["instruction"].as_str().unwrap().starts_with("ds_load_b32"), "{v}");
    assert!(
        other["instruction"].as_str().unwrap().starts_with("ds_store_b32"),
        "{v}"
    );
    // The outputs are written all the same.
    assert!(c.dir.join("o.npy").exists());
}

#[test]
fn elements_nobody_wrote_are_counted() {
    let c = Case::new("never");
    let line = |y: &str| format!("--kernel dyn --grid 1 --block 64 --lds 256 --arg {y} --arg u32:0 --json --sanitize");
    let ran = c.run(&line("out:@o.npy:f32:16x8"));
    let v = json(&ran);
    let f = v["findings"].as_array().unwrap().last().unwrap();
    assert_eq!((ran.status, f["rule"].as_str()), (0, Some("never-written")), "{v}");
    assert_eq!(
        (f["severity"].as_str(), f["count"].as_u64()),
        (Some("warning"), Some(64))
    );
    let text = f["text"].as_str().unwrap();
    assert!(
        text.contains("64 of 128 elements were never written, the first at index 64"),
        "{text}"
    );
    for all in ["out:@o.npy:f32:64", "out:@o.npy:f32:128:0"] {
        let v = json(&c.run(&line(all)));
        let rules = v["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|f| f["rule"].as_str().unwrap());
        assert_eq!(rules.filter(|r| *r == "never-written").count(), 0, "{v}");
    }
}

#[test]
fn work_that_takes_too_long_is_a_finding() {
    let c = Case::new("too_long");
    let forever = [0xbfa0_ffff, 0xbfb0_0000];
    std::fs::write(
        &c.file,
        write(&GFX1100, &[kernel("forever", &forever, 0, Vec::new())]).unwrap(),
    )
    .unwrap();
    let ran = std::process::Command::new(env!("CARGO_BIN_EXE_t0"))
        .args([
            "run", &c.file, "--grid", "1", "--block", "64", "--device", "sim", "--json",
        ])
        .env("T0_TIMEOUT", "0.1")
        .output()
        .unwrap();
    let v: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
    let f = &v["findings"][0];
    assert_eq!(
        (ran.status.code(), f["rule"].as_str(), f["severity"].as_str()),
        (Some(1), Some("timeout"), Some("error"))
    );
    let text = f["text"].as_str().unwrap();
    assert!(
        text.starts_with("kernel `forever`") && text.ends_with("within 0.1 s"),
        "{text}"
    );
    let notes: Vec<&str> = f["notes"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|n| n.as_str())
        .collect();
    assert_eq!(notes[0], "the queue waits for the kernel of packet 0");
    assert_eq!(
        notes[1],
        "where the waves stand:\n0 of 1 workgroups have ended, 1 have started\n\
         2 waves, first workgroup (0, 0, 0) wave 0, running at +0x0 `s_branch 65535` (axpy.cl:7)"
    );
}

#[test]
fn an_output_without_a_fill_is_undefined() {
    let c = Case::new("undefined");
    let line = |y: &str| {
        format!(
            "--kernel axpy --grid 2 --block 64 --arg {y} --arg in:@x.npy --arg f32:2 --arg u32:100 --json --sanitize"
        )
    };
    // `axpy` adds to `y`: its old value must be there.
    for fine in ["inout:@y.npy:@o.npy", "out:@o.npy:f32:100:0", "out:@o.npy:f32:100:nan"] {
        let ran = c.run(&line(fine));
        assert_eq!(ran.status, 0, "{}", ran.out);
    }
    let ran = c.run(&line("out:@o.npy:f32:100"));
    let v = json(&ran);
    let findings = v["findings"].as_array().unwrap();
    assert_eq!((ran.status, findings.len()), (1, 1), "{v}");
    let f = &findings[0];
    assert_eq!(
        (f["rule"].as_str(), f["severity"].as_str()),
        (Some("uninitialised"), Some("error"))
    );
    assert_eq!(
        (f["file"].as_str(), f["line"].as_u64(), f["lane"].as_u64()),
        (Some("axpy.cl"), Some(7), Some(0))
    );
    let text = f["text"].as_str().unwrap();
    // Whatever registers the code above has.
    let born = "is used as data for global memory but holds what `global_load_b32 v";
    assert!(text.contains(born), "{text}");
    assert!(
        text.ends_with("read from `y`, index 0, which nobody has written"),
        "{text}"
    );
    assert_eq!(
        (f["born"]["file"].as_str(), f["born"]["line"].as_u64()),
        (Some("axpy.cl"), Some(7))
    );
}

#[test]
fn what_a_faulting_launch_leaves() {
    let c = Case::new("leaves");
    // The LDS is half as large as the kernel wants, and so is its output.
    let line = "--kernel dyn --grid 1 --block 64 --lds 128 --arg out:@o.npy:f32:32 --arg u32:0 --json";
    let ran = c.run(line);
    let v = json(&ran);
    let rules: Vec<&str> = v["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f["rule"].as_str().unwrap())
        .collect();
    assert_eq!(
        (ran.status, &rules[..]),
        (1, &["out-of-bounds", "lds-out-of-bounds", "lds-out-of-bounds"][..]),
        "{v}"
    );
    assert!(v.get("wave_instructions").is_none(), "{v}");
    let v = json(&c.run(&format!("{line} --count")));
    assert!(v["wave_instructions"].as_u64().is_some_and(|n| n > 0), "{v}");
    std::fs::write(c.dir.join("o.npy"), "older").unwrap();
    let v = json(&c.run(line));
    let notes = v["findings"][0]["notes"].as_array().unwrap();
    let last = notes.last().unwrap().as_str().unwrap();
    assert!(
        last.ends_with("o.npy was not written; that file is from before this run"),
        "{v}"
    );
    assert_eq!(std::fs::read(c.dir.join("o.npy")).unwrap(), b"older");
}

#[test]
fn types_of_other_compilers_are_compared() {
    let c = Case::new("types");
    let check = |args: &str, text: &str| {
        let ran = c.run(&format!("--kernel axpy --grid 1 --block 64 {args}"));
        assert_eq!(ran.status, 2, "{args}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains(text), "{args}: {}", ran.err);
    };
    let in_x = "--arg in:@x.npy";
    check(
        &format!("{in_x} {in_x} --arg u32:2 --arg u32:1"),
        "argument 2 (`a`) is float, u32 was given; write f32:VALUE",
    );
    check(
        &format!("{in_x} {in_x} --arg f32:2 --arg f32:1"),
        "argument 3 (`n`) is uint, f32 was given; write u32:VALUE",
    );
    check(
        &format!("--arg out:@o.npy:u32:64 {in_x} --arg f32:2 --arg u32:1"),
        "argument 0 (`y`) is float*, an array of uint32 was given; pass an array of dtype float32",
    );
    check(
        &format!("--arg f64:1 {in_x} --arg f32:2 --arg u32:1"),
        "argument 0 (`y`) is a buffer",
    );
    for (name, dtype, bytes) in [("b", "|b1", 1), ("c", "<c8", 8)] {
        let mut file = b"\x93NUMPY\x01\x00".to_vec();
        let header = format!("{{'descr': '{dtype}', 'fortran_order': False, 'shape': (4,), }}\n");
        file.extend((header.len() as u16).to_le_bytes());
        file.extend(header.as_bytes());
        file.extend(vec![0; 4 * bytes]);
        std::fs::write(c.dir.join(format!("{name}.npy")), &file).unwrap();
        let inout = format!("--arg inout:@{name}.npy:@o.npy {in_x} --arg f32:2 --arg u32:1");
        check(&inout, "argument 0 (`y`) is float*, an array of ");
        file.push(0);
        std::fs::write(c.dir.join(format!("{name}.npy")), &file).unwrap();
        check(&inout, "1 bytes follow the ");
    }
    // The bits of an integer are the same with and without a sign; bytes are taken as they are.
    let ran = c.run(&format!(
        "--kernel axpy --grid 1 --block 64 --arg inout:@y.npy:@o.npy {in_x} --arg hex:00000040 --arg i32:4"
    ));
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    assert_eq!(load(&c.dir.join("o.npy")).1[..5], [0.5, 2.5, 4.5, 6.5, 0.5]);
}

#[test]
fn every_chip_is_a_card_of_its_own() {
    let cards = [
        "Radeon RX 7900 XTX (gfx1100, 96 CU",
        "Radeon RX 7800 XT (gfx1101, 60 CU",
        "Radeon RX 7600 (gfx1102, 32 CU",
        "Radeon 780M (gfx1103, 12 CU",
        "Radeon 890M (gfx1150, 16 CU",
        "Radeon 8060S (gfx1151, 40 CU",
        "Radeon 860M (gfx1152, 8 CU",
    ];
    let dir = folder("run-chips");
    for (target, card) in TARGETS.iter().zip(cards) {
        let c = Case {
            dir: dir.clone(),
            file: code_object_for(&dir, target),
        };
        let line = "--kernel dyn --grid 0 --block 64 --lds 256 --arg out:@y.npy:f32:64:63 --arg u32:0";
        let ran = c.run(line);
        assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
        assert!(ran.err.contains(&format!("simulated {card}")), "{}", ran.err);
        assert_eq!(load(&dir.join("y.npy")).1[0], 63.0, "{card}");
        assert_eq!(c.run(&format!("{line} --target {}", target.name)).status, 0);
        let other = if target.name == "gfx1101" { "gfx1100" } else { "gfx1101" };
        let ran = c.run(&format!("{line} --target {other}"));
        assert_eq!(ran.status, 2, "{}", ran.out);
        let text = format!("k.co is for {}, --target says {other}", target.name);
        assert!(ran.err.contains(&text), "{}", ran.err);
    }
}

#[test]
fn a_fault_names_instruction_and_line() {
    let c = Case::new("fault");
    let ran = c.run("--kernel axpy --grid 20000 --block 64 --arg inout:@y.npy:@o.npy --arg in:@x.npy --arg f32:2 --arg u32:2000000 --json");
    let v = json(&ran);
    let f = &v["findings"][0];
    assert_eq!(
        (ran.status, f["rule"].as_str(), f["line"].as_u64()),
        (1, Some("out-of-bounds"), Some(7)),
        "{v}"
    );
    assert_eq!(
        (f["file"].as_str(), f["pc"].as_u64()),
        (Some("axpy.cl"), Some(0x5c)),
        "{v}"
    );
    let text = f["text"].as_str().unwrap();
    assert!(f["instruction"].as_str().unwrap().contains("global_load_b32"), "{f}");
    // The simulated card names the array by its parameter, with the bytes the user gave.
    assert!(
        text.contains("past the end of `") && text.contains("` (400 bytes at"),
        "{f}"
    );
    assert!(!text.contains("`a buffer`"), "{f}");
    let ran = c.run("--kernel axpy --grid 1 --block 64 --arg u64:0 --arg in:@x.npy --arg f32:2 --arg u32:64 --json");
    let v = json(&ran);
    let text = v["findings"][0]["text"].as_str().unwrap();
    assert_eq!(v["findings"][0]["rule"], "out-of-bounds");
    assert!(text.contains("near address 0"), "{text}");
    assert!(!c.dir.join("o.npy").exists(), "no result of a failed run is written");
}

#[test]
fn wrong_usage_is_explained() {
    let c = Case::new("usage");
    let check = |line: &str, text: &str| {
        let ran = c.run(line);
        assert_eq!(ran.status, 2, "{line}: {}", ran.err);
        assert!(ran.err.contains(text) && ran.out.is_empty(), "{line}: {}", ran.err);
    };
    check("--grid 1 --block 64", "has axpy, dyn; choose one with --kernel");
    check(
        "--kernel axpy --grid 1 --block 64 --arg f32:1",
        "the kernel takes 4 arguments: y: float* (global_buffer, 8 bytes)",
    );
    check("--kernel nope --grid 1 --block 64", "there is no kernel `nope`");
    check("--kernel axpy --grid 1,2,3,4 --block 64", "at most three dimensions");
    check("--kernel axpy --grid 1 --block 64 --arg x:1", "is no argument");
    check(
        "--kernel axpy --grid 1 --block 64 --arg out:@o.npy:f32",
        "add type and shape",
    );
    check("--kernel axpy --grid 1 --block 64 --arg in:@missing.npy", "cannot read");
    check("--kernel axpy --grid 1 --block 64 --arg in:@k.co", "cannot read");
    check("--kernel axpy --block 64", "--grid");
    check(
        "--kernel axpy --grid 1 --block 64 --arg out:@o.npy:u8:100000000000000 --arg in:@x.npy --arg f32:1 --arg u32:1",
        "does not fit this machine's memory",
    );
    let four = "--arg in:@x.npy --arg in:@x.npy --arg f32:1";
    check(
        &format!("--kernel axpy --grid 1 --block 64 {four} --arg u64:1"),
        "argument 3 (`n`) is uint, u64 was given; write u32:VALUE",
    );
    check(
        &format!("--kernel axpy --grid 1 --block 64 --arg u32:1 {four}"),
        "argument 0 (`y`) is a buffer",
    );
    check(
        &format!("--kernel axpy --grid 1 --block 512 {four} --arg u32:1"),
        "--block 512 has 512 work-items, kernel `axpy` takes at most 256; write a smaller --block",
    );
    check(
        &format!("--kernel axpy --grid 1 --block 64 --lds 70000 {four} --arg u32:1"),
        "more than the 65536 bytes a workgroup has; write at most 65536",
    );
    check(
        &format!("--kernel axpy --grid 4294967295 --block 64 {four} --arg u32:1"),
        "exceeds 2^32 work-items",
    );
    for (given, text) in [
        ("--grid -1 --block 64", "`-1` is no count; write X, X,Y or X,Y,Z"),
        ("--grid -1,2 --block 64", "`-1` is no count"),
        ("--grid 1 --block -64", "`-64` is no count"),
        ("--grid 1 --block 0", "at least one work-item"),
        ("--grid 1 --block 64 --lds -1", "`-1` is no number of bytes"),
        (
            "--grid 1 --block 64 --arg out:@o.npy:f32:0x400",
            "looks hexadecimal; shapes are decimal",
        ),
        ("--grid 1 --block 64 --arg f32:1e60", "`1e60` is out of range for f32"),
    ] {
        check(&format!("--kernel axpy {given}"), text);
    }
}

#[test]
fn files_that_cannot_be_run_are_wrong_usage() {
    let c = Case::new("files");
    let check = |name: &str, file: &[u8], text: &str| {
        let path = c.dir.join(name);
        std::fs::write(&path, file).unwrap();
        let path = path.to_str().unwrap();
        let ran = t0(&["run", path, "--grid", "1", "--block", "64", "--device", "sim"]);
        assert_eq!(ran.status, 2, "{name}: {}", ran.err);
        assert!(ran.err.contains(text), "{name}: {}", ran.err);
    };
    let object = std::fs::read(&c.file).unwrap();
    let with = |at: usize, byte: u8| {
        let mut file = object.clone();
        file[at] = byte;
        file
    };
    check("text", b"hello", "no intact ELF file");
    check("x86", &with(0x12, 62), "machine 62, not for AMD GPUs");
    check(
        "gfx90a",
        &with(0x30, 0x3f),
        "(gfx90a), which t0 does not know; build it for one of gfx1100, gfx1101",
    );
    check("k.o", &with(0x10, 1), "not linked yet");
    check("short", &object[..object.len() / 2], "");
}

#[test]
fn the_environment_chooses_the_device_when_the_command_line_does_not() {
    let c = Case::new("environment");
    let run = |choice: &str, device: &[&str]| {
        let out = std::process::Command::new(env!("CARGO_BIN_EXE_t0"))
            .args([
                "run", &c.file, "--kernel", "dyn", "--grid", "0", "--block", "64", "--arg", "u64:0", "--arg", "u32:0",
            ])
            .args(device)
            .env("T0_DEVICE", choice)
            .output()
            .unwrap();
        (out.status.code(), String::from_utf8(out.stderr).unwrap())
    };
    let (status, note) = run("sim", &[]);
    assert!(status == Some(0) && note.contains("T0_DEVICE=sim"), "{note}");
    let (status, note) = run("", &[]);
    if !Path::new("/dev/kfd").exists() {
        assert!(
            status == Some(0) && note.contains("): no card can be used, --device kfd says why\n"),
            "{note}"
        );
        let (status, note) = run("", &["--device", "kfd"]);
        assert!(status == Some(1) && note.contains("/dev/kfd"), "{note}");
    }
    let (status, note) = run("toaster", &[]);
    assert!(status == Some(2) && note.contains("T0_DEVICE is \"toaster\""), "{note}");
    let (status, note) = run("toaster", &["--device", "sim"]);
    assert!(status == Some(0) && note.contains("--device sim"), "{note}");
}

#[test]
fn counts_and_fidelity() {
    let c = Case::new("fidelity");
    let line = "--kernel axpy --grid 2 --block 64 --arg inout:@y.npy:@o.npy --arg in:@x.npy --arg f32:2 --arg u32:100 --count --fidelity";
    let v = json(&c.run(&format!("{line} --json")));
    let number = |list: &str, name: &str| {
        let all = v["counts"][list].as_array().unwrap();
        all.iter().find(|o| o["name"] == name).and_then(|o| o["count"].as_u64())
    };
    assert_eq!(v["wave_instructions"].as_u64(), Some(100), "{v}");
    assert_eq!(number("opcodes", "global_load_b32"), Some(8), "{v}");
    assert_eq!(number("opcodes", "v_fmac_f32"), Some(4), "{v}");
    assert_eq!(number("classes", "vmem-store"), Some(4), "{v}");
    let sum: u64 = v["counts"]["classes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c["count"].as_u64().unwrap())
        .sum();
    assert_eq!(sum, 100);
    let f = &v["fidelity"];
    assert_eq!(
        (f["numerics"].as_str(), f["exact"].as_bool()),
        (Some("fast"), Some(true)),
        "{v}"
    );
    assert!(f["reached"].as_array().unwrap().is_empty());
    let text = c.run(line).out;
    assert!(
        text.contains("100 wave instructions") && text.contains("8 global_load_b32"),
        "{text}"
    );
    assert!(text.contains("exact: 100 wave instructions"), "{text}");
    assert!(text.contains("no approximate result reaches an address"), "{text}");
}

#[test]
fn the_numerics_mode_comes_from_the_option_or_the_environment() {
    let c = Case::new("numerics");
    let run = |environment: &str, option: &[&str]| {
        let args = [
            "run", &c.file, "--kernel", "dyn", "--grid", "0", "--block", "64", "--arg", "u64:0", "--arg", "u32:0",
        ];
        let out = std::process::Command::new(env!("CARGO_BIN_EXE_t0"))
            .args(args)
            .args(["--device", "sim", "--json"])
            .args(option)
            .env("T0_NUMERICS", environment)
            .output()
            .unwrap();
        let text = String::from_utf8(out.stdout).unwrap();
        let v: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
        (
            out.status.code(),
            v["numerics"].as_str().map(str::to_owned),
            String::from_utf8(out.stderr).unwrap(),
        )
    };
    assert_eq!(run("", &[]).1.as_deref(), Some("fast"));
    assert_eq!(run("silicon", &[]).1.as_deref(), Some("silicon"));
    assert_eq!(run("silicon", &["--numerics", "fast"]).1.as_deref(), Some("fast"));
    let (status, _, err) = run("exactly", &[]);
    assert!(status == Some(2) && err.matches("write `fast`").count() == 1, "{err}");
    let (status, _, err) = run("", &["--numerics", "exactly"]);
    assert!(status == Some(2) && err.contains("write `fast`"), "{err}");
    let (status, _, err) = run("", &["--numerics", "fast", "--device", "kfd"]);
    assert!(status == Some(2), "{err}");
}

#[test]
fn counting_is_the_simulated_cards() {
    let c = Case::new("counting");
    let line = "--kernel axpy --grid 1 --block 64 --arg in:@x.npy --arg in:@x.npy --arg f32:2 --arg u32:1 --count";
    let line: Vec<&str> = line.split(' ').collect();
    let mut args = vec!["run", c.file.as_str(), "--device", "kfd"];
    let x = format!("in:{}/x.npy", c.dir.display());
    args.extend(line.iter().map(|a| if a.starts_with("in:") { x.as_str() } else { a }));
    let ran = t0(&args);
    assert!(ran.status == 2 && ran.err.contains("add --device sim"), "{}", ran.err);
}

#[test]
fn a_result_that_another_would_overwrite_is_refused() {
    let c = Case::new("same-output");
    let ran = c.run(
        "--kernel axpy --grid 2 --block 64 --arg inout:@y.npy:@o.npy --arg inout:@x.npy:@./o.npy --arg f32:2 --arg u32:100",
    );
    assert_eq!(ran.status, 2);
    assert!(
        ran.err.contains("two arguments write ") && ran.err.contains("give each its own file"),
        "{}",
        ran.err
    );
    let ran = c.run("--kernel axpy --grid 2 --block 64 --arg out::f32:100 --arg in:@x.npy --arg f32:2 --arg u32:100");
    assert_eq!(ran.status, 2, "{}", ran.err);
    let ran =
        c.run("--kernel axpy --grid 2 --block 64 --arg inout:@y.npy:a:b.npy --arg in:@x.npy --arg f32:2 --arg u32:100");
    assert!(ran.err.contains("files without a colon"), "{}", ran.err);
}

/// Calls a function that reads scratch memory of which it declares `scratch` bytes per work-item, `lanes` in a wave.
fn with_scratch(dir: &Path, scratch: u32, wave32: bool) -> String {
    let source = format!(
        "\t.p2align 8\n\t.globl k\n\t.type k,@function\nk:\n\ts_getpc_b64 s[4:5]\n\ts_add_u32 s4, s4, f@rel32@lo+4\n\ts_addc_u32 s5, s5, f@rel32@hi+12\n\
         \ts_swappc_b64 s[30:31], s[4:5]\n\ts_endpgm\n\t.size k, .-k\n\t.type f,@function\nf:\n\
         \tv_mov_b32 v0, {last}\n\tscratch_store_b32 v0, v0, off\n\ts_waitcnt_vscnt null, 0\n\
         \tscratch_store_b32 v0, v0, off offset:4\n\ts_setpc_b64 s[30:31]\n\t.size f, .-f\n\t.rodata\n\t.p2align 6\n\
         \t.amdhsa_kernel k\n\t.amdhsa_next_free_vgpr 8\n\t.amdhsa_next_free_sgpr 32\n\
         \t.amdhsa_private_segment_fixed_size {scratch}\n\t.amdhsa_enable_private_segment 1\n\
         \t.amdhsa_wavefront_size32 {}\n\t.end_amdhsa_kernel\n",
        u32::from(wave32),
        last = scratch - 4,
    );
    let file = dir.join(format!("scratch{scratch}.co")).to_str().unwrap().to_owned();
    let ran = common::t0_with(&["asm", "-", "-o", &file], &source);
    assert_eq!(ran.status, 0, "{}", ran.err);
    file
}

#[test]
fn scratch_is_what_its_register_can_say() {
    let dir = folder("scratch");
    // WAVESIZE of COMPUTE_TMPRING_SIZE: 15 bits of 256 bytes for a wave.
    for (wave32, most) in [(true, 262_136), (false, 131_068)] {
        let run = |bytes| {
            let file = with_scratch(&dir, bytes, wave32);
            t0(&["run", &file, "--device", "sim", "--grid", "1", "--block", "64"])
        };
        // The last dword is there, the one behind it is not.
        let ran = run(most);
        assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
        assert!(
            ran.out.contains("scratch") && ran.out.contains(" at f+0x"),
            "{}",
            ran.out
        );
        let ran = run(most + 4);
        assert_eq!(ran.status, 2, "{}{}", ran.out, ran.err);
        let text = format!(
            "kernel `k` asks for {} bytes of scratch per work-item, the most is {most}",
            most + 4
        );
        assert!(ran.err.contains(&text), "{}", ran.err);
    }
}
