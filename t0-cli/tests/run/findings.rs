//! What `t0 run` finds: mistakes of the kernel, and faults.

use crate::*;

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
