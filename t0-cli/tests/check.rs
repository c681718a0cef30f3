//! `t0 check` from outside.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use common::{folder, json, t0};
use serde_json::{json, Value};

/// A kernel that uses a load before it is there, and one that is right.
const SOURCE: &str = "\t.text\n\t.p2align 8\n\t.type bad,@function\nbad:\n\ts_load_b64 s[2:3], s[0:1], 0x8\n\tv_mov_b32_e32 v0, 0\n\
    \tv_mov_b32_e32 v1, s2\n\ts_endpgm\n.Lbad:\n\t.size bad, .Lbad-bad\n\t.p2align 8\n\t.type good,@function\ngood:\n\ts_endpgm\n\
    .Lgood:\n\t.size good, .Lgood-good\n\t.fill 64, 4, 0xbf9f0000\n\t.section .rodata,\"a\",@progbits\n\t.p2align 6\n\
    \t.amdhsa_kernel bad\n\t\t.amdhsa_next_free_vgpr 2\n\t\t.amdhsa_next_free_sgpr 8\n\t\t.amdhsa_user_sgpr_count 15\n\t\t.amdhsa_user_sgpr_kernarg_segment_ptr 1\n\t.end_amdhsa_kernel\n\
    \t.p2align 6\n\t.amdhsa_kernel good\n\t\t.amdhsa_next_free_vgpr 2\n\t\t.amdhsa_next_free_sgpr 8\n\t\t.amdhsa_user_sgpr_count 15\n\t\t.amdhsa_user_sgpr_kernarg_segment_ptr 1\n\t.end_amdhsa_kernel\n";

#[test]
fn findings_are_text_or_json_and_errors_set_the_status() {
    let dir = folder("check-text");
    let path = |name: &str| dir.join(name).to_str().unwrap().to_owned();
    std::fs::write(path("k.s"), SOURCE).unwrap();
    let made = t0(&["asm", &path("k.s"), "-o", &path("k.co")]);
    assert_eq!(made.status, 0, "{}", made.err);
    let ran = t0(&["check", &path("k.co")]);
    assert_eq!((ran.status, ran.err.as_str()), (1, ""));
    let expected = format!(
        "error[missing-wait] bad+0xc: v_mov_b32_e32 v1, s2\n  s2 is read while `s_load_b64 s[2:3], s[0:1], 0x8` may be in flight \
         (see +0x0)\n  fix: s_waitcnt lgkmcnt(0) before it\n{}: 2 kernels, 1 error, 0 warnings\n",
        path("k.co")
    );
    assert_eq!(ran.out, expected);
    // The document scripts rely on.
    let ran = t0(&["check", &path("k.co"), "--json"]);
    let address = &json(&ran)["kernels"][0]["findings"][0]["address"].clone();
    assert!(address.as_u64().unwrap() % 256 == 12, "{address}");
    let finding = json!({
        "rule": "missing-wait",
        "severity": "error",
        "offset": 12,
        "address": address,
        "function": null,
        "instruction": "v_mov_b32_e32 v1, s2",
        "register": "s2",
        "related": 0,
        "text": "s2 is read while `s_load_b64 s[2:3], s[0:1], 0x8` may be in flight",
        "fix": "s_waitcnt lgkmcnt(0) before it",
        "file": null,
        "line": null,
        "column": null,
    });
    let all = json!({ "kernels": [{ "name": "bad", "findings": [finding] }, { "name": "good", "findings": [] }] });
    assert_eq!((ran.status, json(&ran)), (1, all));
    let ran = t0(&["check", &path("k.co"), "--kernel", "good"]);
    assert_eq!(ran.status, 0, "{}", ran.out);
    assert_eq!(ran.out, format!("{}: 1 kernel, 0 errors, 0 warnings\n", path("k.co")));
}

#[test]
fn wrong_usage_is_told_from_wrong_files() {
    let dir = folder("check-usage");
    let file = dir.join("x.co").to_str().unwrap().to_owned();
    assert_eq!(t0(&["check"]).status, 2);
    assert_eq!(t0(&["check", &file]).status, 2);
    std::fs::write(&file, "no code object").unwrap();
    let ran = t0(&["check", &file]);
    assert!(ran.status == 2 && ran.err.contains("no intact ELF file"), "{}", ran.err);
    assert_eq!(t0(&["build", "saxpy", "-o", &file]).status, 0);
    let ran = t0(&["check", &file, "--kernel", "other"]);
    assert!(
        ran.status == 2 && ran.err.contains("there is no kernel `other`"),
        "{}",
        ran.err
    );
}

#[test]
fn a_file_without_kernels_is_not_fine() {
    let dir = folder("check-library");
    let path = |name: &str| dir.join(name).to_str().unwrap().to_owned();
    let source = "\t.text\n\t.globl f\n\t.type f,@function\nf:\n\ts_setpc_b64 s[30:31]\n.Lf:\n\t.size f, .Lf-f\n";
    std::fs::write(path("f.s"), source).unwrap();
    assert_eq!(t0(&["asm", &path("f.s"), "-o", &path("f.co")]).status, 0);
    let ran = t0(&["check", &path("f.co")]);
    assert_eq!((ran.status, ran.out.as_str()), (2, ""));
    assert!(
        ran.err.contains("has no kernel") && ran.err.contains("it has only the function f."),
        "{}",
        ran.err
    );
}

#[test]
fn of_many_findings_text_shows_some_and_json_all() {
    let dir = folder("check-many");
    let path = |name: &str| dir.join(name).to_str().unwrap().to_owned();
    let wrong = "\ts_load_b64 s[2:3], s[0:1], 0x8\n\tv_mov_b32_e32 v1, s2\n";
    let source = SOURCE
        .replace("\tv_mov_b32_e32 v0, 0\n", "")
        .replace(wrong, &wrong.repeat(25));
    std::fs::write(path("many.s"), source).unwrap();
    assert_eq!(t0(&["asm", &path("many.s"), "-o", &path("many.co")]).status, 0);
    let ran = t0(&["check", &path("many.co")]);
    assert_eq!(ran.status, 1);
    assert_eq!(ran.out.matches("error[missing-wait]").count(), 20, "{}", ran.out);
    assert!(
        ran.out.contains("5 more of [missing-wait] in bad (--json has all)\n"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains(": 2 kernels, 25 errors, 0 warnings"), "{}", ran.out);
    let all = json(&t0(&["check", &path("many.co"), "--json"]));
    assert_eq!(all["kernels"][0]["findings"].as_array().unwrap().len(), 25);
}

/// Numbers for const generics that kernels compile with.
fn instances(name: &str, consts: &[Value]) -> Vec<String> {
    match (name, consts.len()) {
        (_, 0) => vec![name.to_owned()],
        ("gemm" | "gemm_nn" | "gemm_tn", _) => [
            "64,64,16",
            "64,64,32",
            "128,64,32",
            "128,128,16",
            "128,128,32",
            "64,128,32",
        ]
        .map(|c| format!("{name}::<{c}>"))
        .into(),
        (_, n) => [4, 8, 16, 32]
            .map(|c| format!("{name}::<{}>", vec![c.to_string(); n].join(",")))
            .into(),
    }
}

#[test]
fn no_compiled_kernel_has_a_finding() {
    let file = folder("check-compiled").join("k.co").to_str().unwrap().to_owned();
    let list = json(&t0(&["kernels", "--json"]));
    for kernel in list["kernels"].as_array().unwrap() {
        let name = kernel["name"].as_str().unwrap();
        let mut built = 0;
        for instance in instances(name, kernel["consts"].as_array().unwrap()) {
            for target in ["gfx1100", "gfx1102", "gfx1150"] {
                if t0(&["build", &instance, "-o", &file, "--target", target]).status != 0 {
                    continue;
                }
                built += 1;
                let ran = t0(&["check", &file]);
                let clean = ran.out.ends_with(": 1 kernel, 0 errors, 0 warnings\n");
                assert!(
                    ran.status == 0 && clean,
                    "{instance} on {target}: {}{}",
                    ran.out,
                    ran.err
                );
            }
        }
        assert!(built > 0, "no instance of {name} was built");
    }
}

#[test]
fn a_wait_taken_out_of_a_compiled_kernel_is_found_at_its_line() {
    let file = folder("check-mutant").join("k.co").to_str().unwrap().to_owned();
    assert_eq!(t0(&["build", "saxpy", "-o", &file]).status, 0);
    let bytes = std::fs::read(&file).unwrap();
    let listing = json(&t0(&["isa", "saxpy", "--format", "json"]));
    let waits: Vec<&Value> = listing["instructions"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|i| i["text"].as_str().unwrap().starts_with("s_waitcnt "))
        .collect();
    assert!(waits.len() > 1);
    let mut placed = 0;
    for wait in waits {
        // The instruction's word, of which there may be several equal ones: the code starts at a page.
        let offset = wait["offset"].as_u64().unwrap() as usize;
        let word = |at: usize| bytes.get(at..at + 4);
        let own = wait["bytes"].as_str().unwrap();
        let first = listing["instructions"][0]["bytes"].as_str().unwrap();
        let hex = |b: &[u8]| b.iter().map(|b| format!("{b:02x}")).collect::<String>();
        let start = (0..bytes.len()).step_by(256).find(|&at| {
            word(at).is_some_and(|w| first.starts_with(&hex(w))) && word(at + offset).is_some_and(|w| hex(w) == own)
        });
        let at = start.unwrap() + offset;
        let mut mutant = bytes.clone();
        mutant[at..at + 4].copy_from_slice(&0xbf80_0000u32.to_le_bytes());
        std::fs::write(&file, &mutant).unwrap();
        let ran = t0(&["check", &file, "--json"]);
        let report = json(&ran);
        let found = &report["kernels"][0]["findings"][0];
        assert_eq!(
            (ran.status, found["rule"].as_str()),
            (1, Some("missing-wait")),
            "{report}"
        );
        assert!(found["offset"].as_u64().unwrap() as usize > offset, "{found}");
        // The place is the one the listing gives; the code around the kernel's body has none.
        let all = listing["instructions"].as_array().unwrap();
        let used = all.iter().find(|i| i["offset"] == found["offset"]).unwrap();
        assert_eq!(
            (&found["file"], &found["line"]),
            (&used["file"], &used["line"]),
            "{found}"
        );
        let text = t0(&["check", &file]).out;
        if let Some(line) = found["line"].as_u64() {
            placed += 1;
            assert!(text.contains(&format!("vector.rs:{line}:")), "{text}");
        }
    }
    assert!(placed > 0);
}
