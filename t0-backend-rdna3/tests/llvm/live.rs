//! llvm-mc 19 itself as judge of random instructions, bytes and texts, for a limited time.

use super::judge::{
    assemble, differs_on_bytes, differs_on_text, disassemble, hex, installed, is_mistaken, judge_bytes,
    judge_bytes_excuse, judge_text_excuse, Bytes,
};
use super::mutate::mutate;
use super::random::{random_corpus, Rng};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use t0_backend_rdna3::isa::{decode, encode, parse};
use t0_backend_rdna3::target::{Target, GFX1100, TARGETS};

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|s| s.parse().ok())
}

/// Complaints by kind, few of each mnemonic.
#[derive(Default)]
struct Report {
    found: BTreeMap<String, Vec<String>>,
    total: usize,
    /// Texts LLVM accepts and t0 refuses although LLVM itself would print them otherwise.
    other_spellings: usize,
}

impl Report {
    fn add(&mut self, kind: &str, name: &str, text: String) {
        self.total += 1;
        let list = self.found.entry(format!("{kind} {name}")).or_default();
        if list.len() < 2 {
            list.push(text);
        }
    }
    fn finish(self, checked: usize) {
        let lines: Vec<String> = self.found.into_values().flatten().take(400).collect();
        assert!(
            lines.is_empty(),
            "{} of {checked} differ from llvm-mc:\n{}",
            self.total,
            lines.join("\n")
        );
    }
}

/// Targets in turn, gfx1100 most.
fn target(round: u64) -> Target {
    match round % 4 {
        0 | 2 => GFX1100,
        1 => GFX1100.with_wave_size(64),
        _ => {
            let t = TARGETS[(round / 4) as usize % TARGETS.len()];
            t.with_wave_size(if round / 4 % 2 == 0 { 32 } else { 64 })
        }
    }
}

#[test]
#[ignore = "needs llvm-mc-19 and runs for T0_LLVM_SECONDS"]
fn llvm_agrees_about_random_instructions_bytes_and_texts() {
    assert!(installed(), "llvm-mc-19 is not installed");
    let seed = number("T0_SEED").unwrap_or_else(|| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        now.map_or(1, |d| d.as_secs())
    });
    let limit = Duration::from_secs(number("T0_LLVM_SECONDS").unwrap_or(20));
    println!("T0_SEED={seed}");
    let (start, mut round, mut checked) = (Instant::now(), 0, 0);
    let mut report = Report::default();
    while round == 0 || start.elapsed() < limit {
        let target = target(round);
        let mut rng = Rng(seed.wrapping_add(round));
        checked += instructions(&target, &mut rng, &mut report);
        round += 1;
    }
    println!(
        "{checked} checked in {round} rounds; {} other spellings refused",
        report.other_spellings
    );
    report.finish(checked);
}

fn instructions(target: &Target, rng: &mut Rng, report: &mut Report) -> usize {
    let insts = random_corpus(target, rng.next(), 1);
    let mut codes: Vec<Vec<u8>> = Vec::new();
    let mut texts: Vec<String> = Vec::new();
    for inst in &insts {
        let code = encode(inst, target).unwrap();
        let mut flipped = code.clone();
        for _ in 0..1 + rng.below(3) {
            let bit = rng.below(8 * code.len() as u32) as usize;
            flipped[bit / 8] ^= 1 << (bit % 8);
        }
        let text = inst.to_string();
        texts.push(mutate(rng, &text));
        texts.push(mutate(rng, &text));
        texts.push(text);
        codes.push(code);
        codes.push(flipped);
        let mut any = [rng.next().to_le_bytes(), rng.next().to_le_bytes()].concat();
        any.truncate(4 * (1 + rng.below(4)) as usize);
        codes.push(any);
    }
    bytes(target, &codes, report);
    lines(target, &texts, report);
    codes.len() + texts.len()
}

fn bytes(target: &Target, codes: &[Vec<u8>], report: &mut Report) {
    // Bytes behind an instruction are no part of it.
    let codes: Vec<Vec<u8>> = codes
        .iter()
        .map(|c| match decode(c, target) {
            Ok((_, size)) => c[..size].to_vec(),
            Err(_) => c.clone(),
        })
        .collect();
    for (code, want) in codes.iter().zip(judge_bytes(target, &codes)) {
        let Some(complaint) = differs_on_bytes(target, code, &want) else {
            continue;
        };
        let Ok((inst, _)) = decode(code, target) else {
            let name = match &want {
                Bytes::Text(t) | Bytes::OneWay(t) => t.split(' ').next().unwrap_or_default().to_string(),
                Bytes::Refused => hex(code),
            };
            report.add("refused bytes", &name, complaint);
            continue;
        };
        if want == Bytes::Refused && judge_bytes_excuse(target, code, &inst) {
            continue;
        }
        report.add("bytes", inst.op.name(), complaint);
    }
}

fn lines(target: &Target, texts: &[String], report: &mut Report) {
    for (text, want) in texts.iter().zip(assemble(target, texts)) {
        let Some(complaint) = differs_on_text(target, text, &want).filter(|_| !is_mistaken(text)) else {
            continue;
        };
        let fine = match (&want, parse(text, target)) {
            // Another spelling of an instruction t0 writes in one way only.
            (Ok(code), Err(_)) => disassemble(target, std::slice::from_ref(code))[0].as_ref() != Some(text),
            _ => judge_text_excuse(target, text, &want),
        };
        if fine {
            report.other_spellings += usize::from(want.is_ok());
        } else {
            let name = text.split(' ').next().unwrap_or_default();
            report.add("text", name, complaint);
        }
    }
}
