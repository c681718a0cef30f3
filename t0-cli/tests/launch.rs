//! Launches of `t0 run` whose files, arrays or memory are not as they should be, with a kernel written by hand.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use common::{folder, json, t0, Ran};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Each work-item keeps its number in its private memory, 64 bytes from the beginning, and stores it: `y[item] = item`.
/// The descriptor has 16 bytes, as that of a function which calls itself.
const DEEP: &str = "\t.text\n\t.p2align 8\n\t.type deep,@function\ndeep:\n\ts_load_b64 s[0:1], s[0:1], 0x0\n\
    \tscratch_store_b32 off, v0, off offset:64\n\tscratch_load_b32 v1, off, off offset:64\n\tv_lshlrev_b32_e32 v2, 2, v0\n\
    \ts_waitcnt vmcnt(0) lgkmcnt(0)\n\tglobal_store_b32 v2, v1, s[0:1]\n\ts_endpgm\n.Ldeep:\n\t.size deep, .Ldeep-deep\n\
    \t.fill 64, 4, 0xbf9f0000\n\t.section .rodata,\"a\",@progbits\n\t.p2align 6\n\t.amdhsa_kernel deep\n\
    \t\t.amdhsa_next_free_vgpr 3\n\t\t.amdhsa_next_free_sgpr 8\n\t\t.amdhsa_user_sgpr_count 15\n\
    \t\t.amdhsa_user_sgpr_kernarg_segment_ptr 1\n\t\t.amdhsa_kernarg_size 8\n\t\t.amdhsa_private_segment_fixed_size 16\n\
    \t\t.amdhsa_enable_private_segment 1\n\t.end_amdhsa_kernel\n";

/// A folder with the kernel in `k.co` and an array of 64 u32 in `x.npy`.
fn case(name: &str, source: &str) -> PathBuf {
    let dir = folder(name);
    let path = |name: &str| dir.join(name).to_str().unwrap().to_owned();
    std::fs::write(path("k.s"), source).unwrap();
    let made = t0(&["asm", &path("k.s"), "-o", &path("k.co")]);
    assert_eq!(made.status, 0, "{}", made.err);
    let out = format!("out:{}:u32:64:7", path("x.npy"));
    let made = t0(&[
        "run",
        &path("k.co"),
        "--grid",
        "0",
        "--block",
        "64",
        "--device",
        "sim",
        "--arg",
        &out,
    ]);
    assert_eq!(made.status, 0, "{}", made.err);
    dir
}

fn run(dir: &Path, grid: &str, more: &str) -> Ran {
    let file = dir.join("k.co").display().to_string();
    let more: Vec<String> = more
        .split(' ')
        .map(|a| a.replace('@', &format!("{}/", dir.display())))
        .collect();
    let mut all = vec!["run", &file, "--grid", grid, "--block", "64", "--device", "sim"];
    all.extend(more.iter().map(String::as_str));
    t0(&all)
}

fn numbers(file: &Path) -> Vec<u32> {
    npyz::NpyFile::new(&std::fs::read(file).unwrap()[..])
        .unwrap()
        .into_vec()
        .unwrap()
}

#[test]
fn a_stack_can_be_made_larger() {
    let dir = case("launch-stack", DEEP);
    let ran = run(&dir, "1", "--arg out:@y.npy:u32:64 --json");
    let v = json(&ran);
    assert_eq!(
        (ran.status, v["findings"][0]["rule"].as_str()),
        (1, Some("scratch-out-of-bounds")),
        "{v}"
    );
    let help = v["findings"][0]["help"].as_str().unwrap();
    assert!(help.contains("--stack BYTES gives each work-item more"), "{help}");
    assert_eq!(run(&dir, "1", "--stack 51 --arg out:@y.npy:u32:64").status, 1);
    let counted: Vec<u32> = (0..64).collect();
    assert_eq!(run(&dir, "1", "--stack 52 --arg out:@y.npy:u32:64").status, 0);
    assert_eq!(numbers(&dir.join("y.npy")), counted);
    // A descriptor that says its stack is not all has some more from the start, unless told.
    let told = "\t\t.amdhsa_uses_dynamic_stack 1\n\t.end_amdhsa_kernel";
    let dir = case("launch-dynamic-stack", &DEEP.replace("\t.end_amdhsa_kernel", told));
    assert_eq!(run(&dir, "1", "--arg out:@y.npy:u32:64").status, 0);
    assert_eq!(numbers(&dir.join("y.npy")), counted);
    assert_eq!(run(&dir, "1", "--stack 0 --arg out:@y.npy:u32:64").status, 1);
    let ran = run(&dir, "1", "--stack 4000000000 --arg out:@y.npy:u32:64");
    assert!(ran.status == 2 && ran.err.contains("the most is"), "{}", ran.err);
}

#[test]
fn files_that_are_read_are_not_overwritten() {
    let dir = case("launch-overwrite", DEEP);
    std::fs::copy(dir.join("x.npy"), dir.join("y.npy")).unwrap();
    std::os::unix::fs::symlink(dir.join("x.npy"), dir.join("link.npy")).unwrap();
    let before = std::fs::read(dir.join("x.npy")).unwrap();
    for args in [
        "--arg inout:@y.npy:@x.npy --arg in:@x.npy",
        "--arg in:@x.npy --arg out:@x.npy:u32:64",
        "--arg in:@x.npy --arg out:@link.npy:u32:64",
        "--arg in:@x.npy --arg out:@./x.npy:u32:64",
        "--arg out:@k.co:u32:64",
    ] {
        let ran = run(&dir, "1", args);
        assert_eq!(ran.status, 2, "{args}: {}", ran.err);
        let text = "an argument would overwrite a file that is read: ";
        assert!(ran.err.contains(text), "{args}: {}", ran.err);
        assert_eq!(std::fs::read(dir.join("x.npy")).unwrap(), before);
    }
    // In place is what the user says.
    let ran = run(&dir, "1", "--stack 64 --arg inout:@y.npy:@y.npy");
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    assert_eq!(numbers(&dir.join("y.npy"))[..3], [0, 1, 2]);
}

#[test]
fn devices_are_no_files() {
    let dir = case("launch-devices", DEEP);
    let out = dir.join("o.co").display().to_string();
    let text = "cannot read /dev/zero: it is a device; give a file";
    for args in [
        &["check", "/dev/zero"][..],
        &["dis", "/dev/zero"],
        &["asm", "/dev/zero", "-o", &out],
        &["run", "/dev/zero", "--grid", "1", "--block", "64"],
    ] {
        let ran = t0(args);
        assert!(ran.status == 2 && ran.err.contains(text), "{args:?}: {}", ran.err);
    }
    let ran = run(&dir, "1", "--arg in:/dev/zero");
    assert!(ran.status == 2 && ran.err.contains(text), "{}", ran.err);
}

/// The most memory a run has had, as far as can be seen from outside.
#[test]
fn arrays_are_held_once() {
    const MIB: u64 = 1 << 20;
    let dir = case("launch-memory", DEEP);
    let out = |file: &str| format!("out:{}:u32:16777216:3", dir.join(file).display());
    let inout = format!("inout:{0}:{0}", dir.join("big.npy").display());
    for arg in [out("big.npy"), inout] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_t0"))
            .arg("run")
            .arg(dir.join("k.co"))
            .args(["--grid", "0", "--block", "64", "--device", "sim", "--arg", &arg])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let status = format!("/proc/{}/status", child.id());
        let mut most = 0;
        while child.try_wait().unwrap().is_none() {
            let text = std::fs::read_to_string(&status).unwrap_or_default();
            let line = text.lines().find_map(|l| l.strip_prefix("VmHWM:"));
            let kib = line.and_then(|l| l.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
            most = most.max(kib.unwrap_or(0) << 10);
        }
        assert!(child.wait().unwrap().success());
        // The array has 64 MiB, the command some by itself.
        assert!((64 * MIB..240 * MIB).contains(&most), "{arg}: {} MiB", most / MIB);
    }
    let bytes = std::fs::read(dir.join("big.npy")).unwrap();
    assert!(bytes.len() as u64 > 64 * MIB && bytes.ends_with(&[3, 0, 0, 0, 3, 0, 0, 0]));
}

/// Sizes of a descriptor no launch can have are told at once, not after memory was filled.
#[test]
fn a_kernel_that_wants_too_much_is_refused() {
    let dir = folder("absurd");
    let refused = |field: &str, expected: &str| {
        let text = format!(
            ".amdgcn_target \"amdgcn-amd-amdhsa--gfx1100\"\n.text\n.globl k\n.p2align 8\n.type k,@function\nk:\ns_endpgm\n\
             .fill 64, 4, 0xbf9f0000\n.amdhsa_kernel k\n.amdhsa_next_free_vgpr 8\n.amdhsa_next_free_sgpr 8\n{field}\n\
             .end_amdhsa_kernel\n"
        );
        let (source, file) = (dir.join("k.s"), dir.join("k.co"));
        std::fs::write(&source, text).unwrap();
        let made = t0(&["asm", source.to_str().unwrap(), "-o", file.to_str().unwrap()]);
        assert_eq!(made.status, 0, "{}", made.err);
        let ran = t0(&["run", file.to_str().unwrap(), "--grid", "1", "--block", "1"]);
        assert!(ran.status == 2 && ran.err.contains(expected), "{}", ran.err);
    };
    refused(
        ".amdhsa_kernarg_size 4294967295",
        "declares 4294967295 bytes of arguments, a launch takes at most 65536",
    );
    refused(
        ".amdhsa_group_segment_fixed_size 65537",
        "declares 65537 bytes of LDS, a workgroup has 65536 at most",
    );
}
