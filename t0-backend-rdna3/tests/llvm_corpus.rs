//! The recorded corpus `corpus/gfx1100.txt`: `hex ; text` pairs printed by llvm-mc 19, covering every row in every encoding
//! form. Checked both ways without LLVM; `T0_BLESS=1` records it anew (needs llvm-mc-19).
#![allow(clippy::unwrap_used)]

mod isa_support;

use isa_support::{hex, llvm_assemble, llvm_disassemble, llvm_mc, random_corpus};
use std::collections::HashSet;
use std::path::PathBuf;
use t0_backend_rdna3::isa::{decode, encode, parse, Opcode};
use t0_backend_rdna3::target::GFX1100;

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/gfx1100.txt")
}

const HEADER: &str = "# Instructions as llvm-mc 19 (-mcpu=gfx1100) disassembles them: bytes in memory order ; text.\n\
                      # Recorded by `T0_BLESS=1 cargo test --test llvm_corpus`.\n";

fn bless() {
    assert!(llvm_mc().is_some(), "recording the corpus needs llvm-mc-19");
    let codes: Vec<Vec<u8>> = random_corpus(2024, 3)
        .iter()
        .map(|i| encode(i, &GFX1100).unwrap())
        .collect();
    let texts: Vec<String> = llvm_disassemble(&codes)
        .into_iter()
        .map(|t| t.expect("llvm-mc decodes it"))
        .collect();
    let mut out = HEADER.to_string();
    let mut seen = HashSet::new();
    for ((code, text), assembled) in codes.iter().zip(&texts).zip(llvm_assemble(&texts)) {
        // LLVM cannot read back a few things it prints (modifiers around f64 literals); everything else must agree.
        if assembled.as_ref().is_ok_and(|b| b == code) && seen.insert(code.clone()) {
            out += &format!("{} ; {text}\n", hex(code));
        }
    }
    std::fs::write(path(), out).unwrap();
}

fn unhex(s: &str) -> Vec<u8> {
    (0..s.len() / 2)
        .map(|i| u8::from_str_radix(&s[2 * i..2 * i + 2], 16).unwrap())
        .collect()
}

#[test]
fn corpus_agrees_both_ways() {
    if std::env::var_os("T0_BLESS").is_some() {
        bless();
    }
    let corpus = std::fs::read_to_string(path()).unwrap();
    let mut rows = HashSet::new();
    let mut lines = 0;
    for line in corpus.lines().filter(|l| !l.starts_with('#')) {
        let (bytes, text) = line.split_once(" ; ").unwrap();
        let bytes = unhex(bytes);
        let (inst, size) = decode(&bytes, &GFX1100).unwrap_or_else(|e| panic!("{line}: {e}"));
        assert_eq!(size, bytes.len(), "{line}");
        assert_eq!(inst.to_string(), text);
        let parsed = parse(text, &GFX1100).unwrap_or_else(|e| panic!("{line}: {e}"));
        assert_eq!(hex(&encode(&parsed, &GFX1100).unwrap()), hex(&bytes), "{text}");
        rows.insert(inst.op);
        rows.extend(inst.vopd_y.map(Opcode::from));
        lines += 1;
    }
    assert!(lines > 6000, "only {lines} lines");
    let missing: Vec<&str> = Opcode::all()
        .filter(|op| !rows.contains(op) && op.row().feature().map_or(true, |f| GFX1100.has(f)))
        .map(Opcode::name)
        .collect();
    assert!(missing.is_empty(), "rows without a line: {missing:?}");
}
