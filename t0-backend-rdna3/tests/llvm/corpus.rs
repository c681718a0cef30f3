//! The recorded corpus `corpus.gz`: what llvm-mc 19 says about every row in every form, one thing varied at a time, and
//! about changed texts and bytes. Checked both ways without LLVM; `T0_BLESS=1` records it anew (needs llvm-mc-19).
//!
//! Lines, under a heading `@target wave-size`:
//! `HEX = TEXT` the bytes print as the text and the text assembles to the bytes; `HEX > TEXT` the bytes print as the text,
//! which LLVM's assembler refuses or reads otherwise; `HEX < TEXT` the text assembles to the bytes, which print
//! otherwise: t0 may refuse it; `! TEXT` is refused; `HEX !` is refused.

use super::judge::{
    assemble, differs_on_bytes, differs_on_text, hex, installed, is_mistaken, judge_bytes, judge_bytes_excuse,
    judge_text_excuse, unhex, Bytes,
};
use super::mutate::mutate;
use super::random::{random_corpus, Rng};
use super::sweep::sweep;
use flate2::{read::GzDecoder, write::GzEncoder, Compression};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use t0_backend_rdna3::isa::{decode, encode, parse, Inst, Opcode, Ty};
use t0_backend_rdna3::target::{Target, GFX1100, GFX1150};

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/llvm/corpus.gz")
}

const HEADER: &str =
    "# Machine code and text of gfx11 as llvm-mc 19 (LLVM, Apache-2.0 WITH LLVM-exception) relates them.\n\
                      # Recorded by `T0_BLESS=1 cargo test -p t0-backend-rdna3 --test llvm recorded`.\n";

/// Lines about bytes and texts, each once.
fn record(target: &Target, codes: Vec<Vec<u8>>, texts: Vec<String>, out: &mut String) {
    writeln!(out, "@{} {}", target.name, target.wave_size).unwrap();
    let mut seen = HashSet::new();
    let mut known = HashSet::new();
    let codes: Vec<Vec<u8>> = codes.into_iter().filter(|c| seen.insert(c.clone())).collect();
    for (code, said) in codes.iter().zip(judge_bytes(target, &codes)) {
        match said {
            Bytes::Text(t) => {
                writeln!(out, "{} = {t}", hex(code)).unwrap();
                known.insert(t);
            }
            Bytes::OneWay(t) => {
                writeln!(out, "{} > {t}", hex(code)).unwrap();
                known.insert(t);
            }
            Bytes::Refused => match decode(code, target) {
                Ok((inst, size)) if size == code.len() && judge_bytes_excuse(target, code, &inst) => {}
                _ => writeln!(out, "{} !", hex(code)).unwrap(),
            },
        }
    }
    let mut made = Vec::new();
    let texts: Vec<String> = texts
        .into_iter()
        .filter(|t| !is_mistaken(t) && known.insert(t.clone()))
        .collect();
    for (text, said) in texts.iter().zip(assemble(target, &texts)) {
        match &said {
            Ok(code) => {
                writeln!(out, "{} < {text}", hex(code)).unwrap();
                made.push(code.clone());
            }
            // Only LLVM's assembler refuses it: it is what the disassembler prints.
            Err(_) if judge_text_excuse(target, text, &said) => {}
            Err(_) => writeln!(out, "! {text}").unwrap(),
        }
    }
    // What the assembler made of them is code like any other.
    made.retain(|c| seen.insert(c.clone()));
    for (code, said) in made.iter().zip(judge_bytes(target, &made)) {
        if let Bytes::Text(t) = said {
            writeln!(out, "{} = {t}", hex(code)).unwrap();
        }
    }
}

fn bless() {
    assert!(installed(), "recording the corpus needs llvm-mc-19");
    let mut out = HEADER.to_string();
    let wave64 = GFX1100.with_wave_size(64);
    let lanes = |op: Opcode| {
        op.row()
            .operands
            .iter()
            .any(|s| s.ty.regs_in(64) != s.ty.regs() || s.ty == Ty::Mask)
    };
    let newer = |op: Opcode| op.row().feature().is_some_and(|f| !GFX1100.has(f));
    for (target, insts) in [
        (GFX1100, sweep(&GFX1100, |_| true)),
        (wave64, sweep(&wave64, lanes)),
        (GFX1150, sweep(&GFX1150, newer)),
    ] {
        let mut rng = Rng(9);
        let mut codes = Vec::new();
        let mut texts = Vec::new();
        for inst in &insts {
            match encode(inst, &target) {
                Ok(code) => {
                    if rng.chance(4) {
                        codes.push(flipped(&mut rng, &code));
                    }
                    codes.push(code);
                }
                // Refused lines are many and alike.
                Err(_) if rng.chance(15) => texts.push(inst.to_string()),
                Err(_) => {}
            }
        }
        for inst in random_corpus(&target, 3, if target == GFX1100 { 2 } else { 1 }) {
            let text = inst.to_string();
            texts.push(mutate(&mut rng, &text));
            texts.push(mutate(&mut rng, &text));
        }
        record(&target, codes, texts, &mut out);
    }
    let mut gz = GzEncoder::new(Vec::new(), Compression::best());
    gz.write_all(out.as_bytes()).unwrap();
    std::fs::write(path(), gz.finish().unwrap()).unwrap();
}

/// The bytes with one or two bits changed.
fn flipped(rng: &mut Rng, code: &[u8]) -> Vec<u8> {
    let mut out = code.to_vec();
    for _ in 0..1 + rng.below(2) {
        let bit = rng.below(8 * code.len() as u32) as usize;
        out[bit / 8] ^= 1 << (bit % 8);
    }
    out
}

/// Checks one line; the instruction it is about, or the complaint.
fn check(target: &Target, line: &str) -> Result<Option<Inst>, String> {
    let complaint = |c: Option<String>| c.map_or(Ok(()), Err);
    if let Some(text) = line.strip_prefix("! ") {
        complaint(differs_on_text(target, text, &Err(String::new())))?;
        return Ok(None);
    }
    let (bytes, rest) = line.split_once(' ').unwrap();
    let (kind, text) = rest.split_at(1);
    let (bytes, text) = (unhex(bytes), text.trim_start());
    let one_way = Bytes::OneWay(text.to_string());
    let both = Bytes::Text(text.to_string());
    match kind {
        "=" => {
            complaint(differs_on_bytes(target, &bytes, &both))?;
            complaint(differs_on_text(target, text, &Ok(bytes.clone())))?;
        }
        ">" => complaint(differs_on_bytes(target, &bytes, &one_way))?,
        // Another spelling LLVM takes: refusing it is no mistake, reading it otherwise is.
        "<" if parse(text, target).is_ok() => complaint(differs_on_text(target, text, &Ok(bytes.clone())))?,
        "<" => return Ok(None),
        _ => complaint(differs_on_bytes(target, &bytes, &Bytes::Refused))?,
    }
    Ok(decode(&bytes, target).ok().map(|(i, _)| i))
}

#[test]
fn recorded_corpus_agrees() {
    if std::env::var_os("T0_BLESS").is_some() {
        bless();
    }
    let mut corpus = String::new();
    let file = std::fs::File::open(path()).unwrap();
    GzDecoder::new(file).read_to_string(&mut corpus).unwrap();
    let mut target = GFX1100;
    let mut rows: HashSet<Opcode> = HashSet::new();
    let (mut lines, mut refused) = (0, 0);
    let mut errors = Vec::new();
    for line in corpus.lines().filter(|l| !l.starts_with('#')) {
        if let Some(heading) = line.strip_prefix('@') {
            let (name, wave_size) = heading.split_once(' ').unwrap();
            target = Target::from_name(name)
                .unwrap()
                .with_wave_size(wave_size.parse().unwrap());
            continue;
        }
        lines += 1;
        refused += usize::from(line.starts_with('!') || line.ends_with('!'));
        match check(&target, line) {
            Ok(inst) => rows.extend(
                inst.iter()
                    .flat_map(|i| [Some(i.op), i.vopd_y.map(Opcode::Vopdy)])
                    .flatten(),
            ),
            Err(e) => errors.push(format!("{} {}: {e}", target.name, target.wave_size)),
        }
    }
    let shown = errors.iter().take(300).cloned().collect::<Vec<_>>().join("\n");
    assert!(
        errors.is_empty(),
        "{} of {lines} lines disagree:\n{shown}",
        errors.len()
    );
    assert!(lines >= 60_000, "only {lines} lines");
    assert!(refused >= 10_000, "only {refused} refused lines");
    let missing: Vec<&str> = Opcode::all()
        .filter(|op| !rows.contains(op))
        .map(Opcode::name)
        .collect();
    assert!(missing.is_empty(), "rows without a line: {missing:?}");
}
