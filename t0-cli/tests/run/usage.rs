//! What the user asks for and cannot have, and what options and the environment choose.

use crate::*;

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

#[test]
fn metadata_that_allows_no_workgroup_is_refused() {
    let dir = folder("no_group");
    let refused = |most: u32, required: Option<[u32; 3]>, text: &str| {
        let k = KernelCode {
            max_group_size: most,
            required_group_size: required,
            ..kernel("axpy", &AXPY, 24, Vec::new())
        };
        let path = dir.join("k.co");
        std::fs::write(&path, write(&GFX1100, &[k]).unwrap()).unwrap();
        let path = path.to_str().unwrap();
        let ran = t0(&["run", path, "--grid", "1", "--block", "32", "--device", "sim"]);
        assert_eq!(ran.status, 2, "{}", ran.err);
        assert!(ran.err.contains(text), "{}", ran.err);
        let checked = t0(&["check", path]);
        assert!(checked.status == 1 && checked.out.contains(text), "{}", checked.out);
    };
    refused(
        0,
        None,
        "asks for workgroups of 0 work-items at most, which must be 1 to 1024",
    );
    refused(
        2000,
        None,
        "asks for workgroups of 2000 work-items at most, which must be 1 to 1024",
    );
    let text = "asks for workgroups that must have 96 work-items and can have 1 to 64";
    refused(64, Some([32, 3, 1]), text);
}

#[test]
fn what_is_no_file_is_refused_by_every_command() {
    let dir = folder("no_files");
    let pipe = dir.join("pipe");
    assert!(std::process::Command::new("mkfifo")
        .arg(&pipe)
        .status()
        .unwrap()
        .success());
    let out = dir.join("o.co");
    for (path, what) in [
        (pipe.as_path(), "a pipe"),
        (dir.as_path(), "a directory"),
        (Path::new("/dev/null"), "a device"),
    ] {
        let path = path.to_str().unwrap();
        let commands: [&[&str]; 4] = [
            &["check", path],
            &["dis", path],
            &["asm", path, "-o", out.to_str().unwrap()],
            &["run", path, "--grid", "1", "--block", "1", "--device", "sim"],
        ];
        for command in commands {
            let ran = t0(command);
            assert_eq!(ran.status, 2, "{command:?}: {}", ran.err);
            assert!(
                ran.err.contains(&format!("it is {what}; give a file")),
                "{command:?}: {}",
                ran.err
            );
        }
    }
}
