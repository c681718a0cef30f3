//! Text and bytes against llvm-mc 19 itself, when it is installed.
#![allow(clippy::unwrap_used)]

mod isa_support;

use isa_support::{hex, llvm_assemble_for, llvm_disassemble_for, llvm_mc, random_corpus_for, text_hides_form, Rng};
use t0_backend_rdna3::isa::{decode, encode, Inst, Operand, Ty};
use t0_backend_rdna3::target::{Target, GFX1100, GFX1150, TARGETS};

/// `T0_SEED` asks for other random instructions than the usual ones.
fn seed() -> u64 {
    std::env::var("T0_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(42)
}

fn report(errors: &[String], total: usize) {
    for e in errors.iter().take(60) {
        eprintln!("{e}");
    }
    assert!(errors.is_empty(), "{} of {total} differ from llvm-mc", errors.len());
}

fn f64_literal_with_modifier(inst: &Inst) -> bool {
    let literal = inst
        .specs()
        .zip(&inst.operands)
        .any(|(s, o)| s.ty == Ty::F64 && matches!(o, Operand::Literal(_)));
    literal && (inst.mods.neg | inst.mods.abs) != 0
}

#[test]
fn bytes_and_text_agree_with_llvm() {
    agree(&GFX1100, 10);
}

#[test]
fn bytes_and_text_agree_with_llvm_in_wave64() {
    agree(&GFX1100.with_wave_size(64), 10);
}

#[test]
fn bytes_and_text_agree_with_llvm_on_every_target() {
    for target in TARGETS {
        agree(target, 2);
    }
}

fn agree(target: &Target, count: usize) {
    if llvm_mc().is_none() {
        eprintln!("llvm-mc-19 is not installed: only the recorded corpus is checked");
        return;
    }
    let insts = random_corpus_for(target, seed(), count);
    let codes: Vec<Vec<u8>> = insts.iter().map(|i| encode(i, target).unwrap()).collect();
    let texts: Vec<String> = insts.iter().map(|i| i.to_string()).collect();
    let mut errors = Vec::new();
    for ((code, text), theirs) in codes.iter().zip(&texts).zip(llvm_disassemble_for(target, &codes)) {
        if theirs.as_deref() != Some(text.as_str()) {
            errors.push(format!(
                "dis {} ours `{text}` llvm `{}`",
                hex(code),
                theirs.unwrap_or("invalid".into())
            ));
        }
    }
    for (((inst, code), text), theirs) in insts
        .iter()
        .zip(&codes)
        .zip(&texts)
        .zip(llvm_assemble_for(target, &texts))
    {
        match theirs {
            Ok(b) if b == *code => {}
            // LLVM 19 parses no modifier around an f64 literal; its disassembler prints them.
            Err(_) if f64_literal_with_modifier(inst) => {}
            _ if text_hides_form(inst) => {}
            Ok(b) => errors.push(format!("asm `{text}` ours {} llvm {}", hex(code), hex(&b))),
            Err(e) => errors.push(format!("asm `{text}` ours {} llvm refuses: {e}", hex(code))),
        }
    }
    report(&errors, codes.len());
}

/// Instructions with a few bits flipped: what still decodes must read as LLVM reads it.
#[test]
fn flipped_bits_agree_with_llvm() {
    flipped(&GFX1100);
}

#[test]
fn flipped_bits_agree_with_llvm_in_wave64() {
    flipped(&GFX1100.with_wave_size(64));
}

#[test]
fn flipped_bits_agree_with_llvm_on_gfx1150() {
    flipped(&GFX1150);
}

fn flipped(target: &Target) {
    if llvm_mc().is_none() {
        eprintln!("llvm-mc-19 is not installed: only the recorded corpus is checked");
        return;
    }
    let mut rng = Rng(seed() + 1);
    let mut codes = Vec::new();
    for inst in random_corpus_for(target, seed(), 10) {
        let mut code = encode(&inst, target).unwrap();
        for _ in 0..1 + rng.below(3) {
            let bit = rng.below(8 * code.len() as u32) as usize;
            code[bit / 8] ^= 1 << (bit % 8);
        }
        codes.push(code);
    }
    let mut errors = Vec::new();
    let mut stricter = Vec::new();
    for (code, theirs) in codes.iter().zip(llvm_disassemble_for(target, &codes)) {
        // Spellings of other compilers that we read but do not write.
        let foreign = decode(code, target).is_ok_and(|(i, n)| encode(&i, target).is_ok_and(|b| b != code[..n]));
        if foreign {
            continue;
        }
        match (decode(code, target), theirs) {
            (Ok((inst, size)), Some(text)) if size == code.len() && inst.to_string() != text => {
                errors.push(format!("dis {} ours `{inst}` llvm `{text}`", hex(code)));
            }
            (Ok((inst, size)), None) if size == code.len() => {
                errors.push(format!("dis {} ours `{inst}` llvm refuses", hex(code)));
            }
            (Err(e), Some(text)) if !text.contains("/*") => stricter.push(format!("{} `{text}`: {e}", hex(code))),
            _ => {}
        }
    }
    if std::env::var_os("T0_STRICTER").is_some() {
        stricter.iter().for_each(|s| eprintln!("stricter {s}"));
    }
    report(&errors, codes.len());
}
