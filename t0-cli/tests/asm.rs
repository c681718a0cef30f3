//! `t0 asm` and its way back through `t0 dis`, from outside.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use common::{folder, json, t0, t0_with};

#[test]
fn hex_answers_every_line() {
    let input = "s_endpgm\n\n  ; only a comment\nv_frob v0\nv_add_f32 v0, v1, v2 // sum\ns_mov_b32 s0\n";
    let ran = t0_with(&["asm", "--hex", "-"], input);
    let lines: Vec<&str> = ran.out.lines().collect();
    // Bytes from llvm-mc-19 -mcpu=gfx1100 -show-encoding.
    assert_eq!(lines[..3], ["0000b0bf", "", ""]);
    assert_eq!(lines[3], "error: line 4: unknown instruction `v_frob`");
    assert_eq!(lines[4], "01050006");
    assert!(
        lines[5].starts_with("error: line 6: s_mov_b32 takes 2 operands"),
        "{}",
        lines[5]
    );
    assert_eq!((lines.len(), ran.status, ran.err.as_str()), (6, 1, ""));
    let v = json(&t0_with(&["--json", "asm", "--hex", "-"], "s_endpgm\nx\n"));
    assert_eq!(v["results"][0]["bytes"], "0000b0bf");
    assert_eq!(v["results"][1]["line"], 2);
}

#[test]
fn wave_sizes_read_their_own_masks() {
    for (size, mask, other) in [("32", "vcc_lo", "vcc"), ("64", "vcc", "vcc_lo")] {
        let line = |m: &str| format!("v_cmp_eq_u32_e32 {m}, v0, v1\n");
        let right = t0_with(&["asm", "--hex", "-", "--wave-size", size], &line(mask));
        assert_eq!((right.status, right.out.as_str()), (0, "0003947c\n"), "{size}");
        assert_eq!(
            t0_with(&["asm", "--hex", "-", "--wave-size", size], &line(other)).status,
            1
        );
        let back = t0_with(&["dis", "--hex", "-", "--wave-size", size], "0003947c\n");
        assert_eq!(back.out, line(mask));
    }
    assert_eq!(t0_with(&["asm", "--hex", "-", "--wave-size", "48"], "").status, 2);
}

const SOURCE: &str =
    "k:\n\ts_cbranch_scc0 .Lend\n\ts_nop 1\n.Lend:\n\ts_endpgm\n\t.rodata\n\t.p2align 6\n\t.amdhsa_kernel k\n\
    \t.amdhsa_next_free_vgpr 8\n\t.amdhsa_next_free_sgpr 8\n\t.end_amdhsa_kernel\n";

#[test]
fn files_go_there_and_back() {
    let dir = folder("asm-files");
    let path = |name: &str| dir.join(name).to_str().unwrap().to_owned();
    std::fs::write(path("k.s"), SOURCE).unwrap();
    let ran = t0(&["asm", &path("k.s"), "-o", &path("k.co")]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    assert!(ran.out.contains("kernel `k`"), "{}", ran.out);
    for extra in [&[][..], &["--symbolize-operands"]] {
        let text = t0(&[&["dis", &path("k.co")], extra].concat());
        assert_eq!(text.status, 0, "{}", text.err);
        let branch = if extra.is_empty() {
            "s_cbranch_scc0 1 "
        } else {
            "s_cbranch_scc0 .LBB0_0 "
        };
        assert!(text.out.contains(branch), "{}", text.out);
        let again = t0_with(&["--json", "asm", "-", "-o", &path("again.co")], &text.out);
        assert_eq!(json(&again)["kernels"][0], "k");
        let same = std::fs::read(path("again.co")).unwrap() == std::fs::read(path("k.co")).unwrap();
        assert!(same, "another file comes back from\n{}", text.out);
    }
}

#[test]
fn errors_name_file_line_and_column() {
    let dir = folder("asm-errors");
    let source = dir.join("bad.s").to_str().unwrap().to_owned();
    std::fs::write(&source, "\ts_nop 0\n\ts_branch nowhere\n").unwrap();
    let out = dir.join("bad.co");
    let ran = t0(&["asm", &source, "-o", out.to_str().unwrap(), "--json"]);
    assert_eq!(ran.status, 1);
    assert!(
        ran.err.contains("bad.s:2:11: symbol `nowhere` is not defined"),
        "{}",
        ran.err
    );
    let error = &json(&ran)["errors"][0];
    assert_eq!(
        (&error["line"], &error["column"], &error["text"]),
        (&2.into(), &11.into(), &"nowhere".into())
    );
    assert!(!out.exists());
    assert_eq!(t0(&["asm", &source]).status, 2);
    std::fs::write(&source, b"\t.data\n\t.ascii \"\xff\xfe\"\n").unwrap();
    let ran = t0(&["asm", &source, "-o", out.to_str().unwrap()]);
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("bad.s:2: byte 0xff is not UTF-8"), "{}", ran.err);
    let other = "\t.amdgcn_target \"amdgcn-amd-amdhsa--gfx1102\"\n";
    std::fs::write(&source, other).unwrap();
    let ran = t0(&["asm", &source, "-o", out.to_str().unwrap(), "--target", "gfx1100"]);
    assert!(
        ran.status == 1 && ran.err.contains("give --target gfx1102"),
        "{}",
        ran.err
    );
}

/// Assembles, disassembles, assembles again: the same file. The text between, for more checks.
fn round_trip(test: &str, object: &[u8], extra: &[&str]) -> String {
    let dir = folder(test);
    let path = |name: &str| dir.join(name).to_str().unwrap().to_owned();
    std::fs::write(path("in.co"), object).unwrap();
    let text = t0(&[&["dis", &path("in.co")], extra].concat());
    assert_eq!(text.status, 0, "{}", text.err);
    let again = t0_with(&["asm", "-", "-o", &path("out.co")], &text.out);
    assert_eq!(again.status, 0, "{}\n{}", again.err, text.out);
    let same = std::fs::read(path("out.co")).unwrap() == object;
    assert!(same, "another file comes back from\n{}", text.out);
    text.out
}

fn assembled(test: &str, source: &str) -> Vec<u8> {
    let dir = folder(test);
    let path = |name: &str| dir.join(name).to_str().unwrap().to_owned();
    let ran = t0_with(&["asm", "-", "-o", &path("k.co")], source);
    assert_eq!(ran.status, 0, "{}", ran.err);
    std::fs::read(path("k.co")).unwrap()
}

#[test]
fn a_branch_into_padding_keeps_its_label() {
    let source = "f:\n\ts_nop 0\n\ts_branch .Lpad\n\tv_mov_b32 v0, 0x12345\n\ts_endpgm\n.Lpad:\n\t.fill 8, 4, 0xbf800000\ng:\n\ts_endpgm\n";
    let text = round_trip("dis-fill", &assembled("asm-fill", source), &["--symbolize-operands"]);
    assert!(text.contains("s_branch .LBB"), "{text}");
}

#[test]
fn bits_that_no_directive_sets_come_back_from_damaged_descriptors() {
    let whole = assembled("asm-reserved", SOURCE);
    // `.rodata` is the first loaded section behind the tables: the descriptor begins with three zero words, and its
    // properties are the only ones with wave32 set.
    let properties = 0x400u16.to_le_bytes();
    let at = (0..whole.len() - 64)
        .step_by(64)
        .find(|&at| whole[at + 56..at + 58] == properties && whole[at..at + 16] == [0; 16])
        .unwrap();
    for (offset, comment) in [
        (12, "reserved bits set"),
        (24, "reserved bits set"),
        (60, "reserved bits set"),
        (22, "the entry of this descriptor is not where its kernel's symbol is"),
    ] {
        let mut damaged = whole.clone();
        damaged[at + offset] ^= 0x40;
        let text = round_trip(&format!("dis-reserved-{offset}"), &damaged, &[]);
        assert!(text.contains(comment), "{offset}: {text}");
    }
}

#[test]
fn code_objects_go_to_standard_output() {
    let ran = t0_with(&["asm", "-", "-o", "-", "--json"], "s_endpgm\n");
    assert!(
        ran.err.contains("is no text") || ran.out.contains("is no text"),
        "{} {}",
        ran.out,
        ran.err
    );
    assert_eq!(ran.status, 2);
    assert!(!std::path::Path::new("-").exists());
}
