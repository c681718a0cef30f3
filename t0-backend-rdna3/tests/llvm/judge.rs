//! A batch interface to llvm-mc 19, and what it means to agree with it.
//!
//! LLVM's disassembler and assembler are two judges that contradict each other at the edges: the disassembler ignores bits
//! the assembler always leaves zero, prints texts the assembler refuses, and refuses bytes the assembler makes. So bytes
//! or a text are only held against t0 when both judges agree about them; where they do not, t0 may refuse, but what it
//! does accept must be what one of them says.

use std::collections::{HashMap, HashSet};
use std::io::Write as _;
use std::process::{Command, Stdio};
use t0_backend_rdna3::isa::{decode, encode, parse, Inst, Operand, Ty};
use t0_backend_rdna3::target::Target;

/// What LLVM prints for bytes that are no instruction of gfx11: its comments about invalid operands; `sext(..)`, a notation
/// of older cards it uses for set sign bits of integer sources; the LDS source gfx11 does not have;
/// VCCZ and EXECZ between bars, where its assembler forgets to refuse them.
pub const FOREIGN: [&str; 5] = ["/*", "sext(", "src_lds_direct", "|src_vccz|", "|src_execz|"];

/// Whether llvm-mc 19 is installed.
pub fn installed() -> bool {
    let status = Command::new("llvm-mc-19")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|s| s.success())
}

fn run(target: &Target, args: &[&str], input: String) -> (String, String) {
    let mut child = Command::new("llvm-mc-19")
        .args(["-triple=amdgcn", &format!("-mcpu={}", target.name)])
        .args((target.wave_size == 64).then_some("-mattr=-wavefrontsize32,+wavefrontsize64"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let feeder = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let out = child.wait_with_output().unwrap();
    feeder.join().unwrap().unwrap();
    (
        String::from_utf8(out.stdout).unwrap(),
        String::from_utf8(out.stderr).unwrap(),
    )
}

/// Lines `<stdin>:N:..: KIND:` of a diagnostic stream.
fn failing_lines(stderr: &str, kind: &str) -> Vec<(usize, String)> {
    let line = |l: &str| {
        let (n, rest) = l.strip_prefix("<stdin>:")?.split_once(':')?;
        let msg = rest.split_once(kind)?.1;
        Some((n.parse().ok()?, msg.trim().to_string()))
    };
    stderr.lines().filter_map(line).collect()
}

/// What llvm-mc prints for each byte string; `None` when it refuses it or prints something else than one instruction of
/// that length (its comments about invalid operands included).
pub fn disassemble(target: &Target, codes: &[Vec<u8>]) -> Vec<Option<String>> {
    // A marker after each code keeps inputs and outputs aligned whatever happens in between.
    const MARK: &str = "[0xcd,0x7a,0x80,0xbf]\n";
    let mut input = String::new();
    for c in codes {
        let hex: Vec<String> = c.iter().map(|b| format!("{b:#04x}")).collect();
        input += &format!("[{}]\n{MARK}", hex.join(","));
    }
    let (out, err) = run(target, &["-disassemble"], input);
    let bad: HashSet<usize> = failing_lines(&err, "warning:")
        .into_iter()
        .map(|(n, _)| (n - 1) / 2)
        .collect();
    let mut texts = Vec::new();
    let mut current: Vec<String> = Vec::new();
    for line in out.lines().map(clean).filter(|l| !l.is_empty() && !l.starts_with('.')) {
        if line == "s_nop 0x7acd" {
            let one = current.len() == 1 && !FOREIGN.iter().any(|f| current[0].contains(f));
            texts.push(if one { current.pop() } else { None });
            current.clear();
        } else {
            current.push(line);
        }
    }
    assert_eq!(texts.len(), codes.len(), "llvm-mc lost markers");
    let keep = |(i, t): (usize, Option<String>)| t.filter(|_| !bad.contains(&i));
    texts.into_iter().enumerate().map(keep).collect()
}

/// What llvm-mc assembles each line to, or its complaint.
pub fn assemble(target: &Target, lines: &[String]) -> Vec<Result<Vec<u8>, String>> {
    let (out, err) = run(target, &["-show-encoding"], lines.join("\n") + "\n");
    let bad: HashMap<usize, String> = failing_lines(&err, "error:").into_iter().collect();
    let mut encodings = out.lines().filter_map(|l| l.split_once("encoding: [")).map(|(_, e)| {
        let e = e.trim_end().trim_end_matches(']');
        e.split(',')
            .map(|b| u8::from_str_radix(b.trim().trim_start_matches("0x"), 16).unwrap())
            .collect::<Vec<u8>>()
    });
    (0..lines.len())
        .map(|i| match bad.get(&(i + 1)) {
            Some(msg) => Err(msg.clone()),
            None => Ok(encodings.next().expect("one encoding per accepted line")),
        })
        .collect()
}

/// What both judges say about bytes.
#[derive(Clone, Debug, PartialEq)]
pub enum Bytes {
    /// This text, and back.
    Text(String),
    /// This text, which the assembler refuses or reads as other bytes.
    OneWay(String),
    /// No instruction.
    Refused,
}

/// Asks both judges about bytes.
pub fn judge_bytes(target: &Target, codes: &[Vec<u8>]) -> Vec<Bytes> {
    let texts = disassemble(target, codes);
    let known: Vec<String> = texts.iter().flatten().cloned().collect();
    let mut back = assemble(target, &known).into_iter();
    let judge = |(text, code): (Option<String>, &Vec<u8>)| match text {
        None => Bytes::Refused,
        Some(t) if back.next().unwrap().as_ref() == Ok(code) => Bytes::Text(t),
        Some(t) => Bytes::OneWay(t),
    };
    texts.into_iter().zip(codes).map(judge).collect()
}

/// Whether a text names the high half of a vector register (`v1.h`). LLVM 19 knows them only under `+real-true16`, and
/// there only for a few rows: by default it refuses the bytes of short encodings and leaves `.h` out of long ones.
/// Newer LLVMs make such code for gfx1100, t0 reads it, and the kernels of Triton are its judge.
fn names_half(text: &str) -> bool {
    // `v_mov_b16` has its 64-bit form, which registers beyond v127 need, only in the newer ones.
    text.starts_with("v_mov_b16")
        || text
            .match_indices(".h")
            .any(|(at, _)| text[..at].ends_with(|c: char| c.is_ascii_digit()))
}

/// What LLVM's assembler reads although its disassembler prints something else, which it does not read: delays whose
/// numbers mean nothing (a comment in their place, or bits left out), and image atomics of several values with `tfe` (one
/// register of them).
fn prints_unreadably(text: &str) -> bool {
    text.starts_with("s_delay_alu 0x") || text.starts_with("image_atomic") && text.contains(" tfe")
}

/// The complaint when t0 does not agree about bytes.
pub fn differs_on_bytes(target: &Target, code: &[u8], want: &Bytes) -> Option<String> {
    let ours = decode(code, target);
    let text = match &ours {
        Ok((inst, size)) if *size == code.len() => Ok(inst.to_string()),
        Ok((inst, size)) => Err(format!("{size} bytes, `{inst}`")),
        Err(e) => Err(e.to_string()),
    };
    let fine = match (&text, want) {
        (Ok(t), Bytes::Text(w)) => t == w,
        (Ok(t), Bytes::OneWay(w)) => t == w || prints_unreadably(t) || (names_half(t) && t.replace(".h", "") == *w),
        (Ok(t), Bytes::Refused) => names_half(t) || prints_unreadably(t),
        (Err(_), Bytes::Text(_)) => false,
        (Err(_), _) => true,
    };
    (!fine).then(|| format!("bytes {}: llvm {want:?}, t0 {text:?}", hex(code)))
}

/// The complaint when t0 does not agree about a text.
pub fn differs_on_text(target: &Target, text: &str, want: &Result<Vec<u8>, String>) -> Option<String> {
    let ours = parse(text, target)
        .map_err(|e| e.to_string())
        .and_then(|i| encode(&i, target).map_err(|e| e.to_string()));
    let fine = match (&ours, want) {
        (Ok(a), Ok(b)) => a == b,
        (Err(_), Err(_)) => true,
        (Ok(_), Err(_)) => names_half(text),
        _ => false,
    };
    let show = |r: &Result<Vec<u8>, String>| match r {
        Ok(b) => hex(b),
        Err(e) => format!("refuses ({e})"),
    };
    (!fine).then(|| format!("text `{text}`: llvm {}, t0 {}", show(want), show(&ours)))
}

/// One space between words, no comment.
fn clean(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Lower-case hex of bytes.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// Bytes of hex.
pub fn unhex(s: &str) -> Vec<u8> {
    (0..s.len() / 2)
        .map(|i| u8::from_str_radix(&s[2 * i..2 * i + 2], 16).unwrap())
        .collect()
}

/// Whether t0 may read bytes LLVM's disassembler refuses as this instruction: the assembler makes them, or they are a
/// spelling of other tools the decoder tolerates, and LLVM agrees about the canonical one.
pub fn judge_bytes_excuse(target: &Target, code: &[u8], inst: &Inst) -> bool {
    let canonical = encode(inst, target).unwrap();
    let text = inst.to_string();
    let made = || assemble(target, std::slice::from_ref(&text))[0].as_ref() == Ok(&canonical);
    let read = || disassemble(target, std::slice::from_ref(&canonical))[0].as_ref() == Some(&text);
    made() || (canonical != code && read())
}

/// Whether t0 may accept a text LLVM's assembler refuses: its disassembler prints exactly that for the bytes. Modifiers
/// around f64 literals are such texts, whatever the spelling of the mnemonic.
pub fn judge_text_excuse(target: &Target, text: &str, want: &Result<Vec<u8>, String>) -> bool {
    let Ok(inst) = parse(text, target) else {
        return false;
    };
    let Ok(code) = encode(&inst, target) else {
        return false;
    };
    let printed = disassemble(target, &[code]).swap_remove(0);
    let literal = inst.specs().zip(&inst.operands);
    let f64_literal = literal
        .filter(|(s, o)| s.ty == Ty::F64 && matches!(o, Operand::Literal(_)))
        .count()
        > 0;
    let unreadable = f64_literal && inst.mods.neg | inst.mods.abs != 0;
    want.is_err() && printed.is_some_and(|p| p == text || (unreadable && p == inst.to_string()))
}

/// Texts LLVM 19 is wrong about: of a dual-issue pair it takes an inline f16 constant written in hexadecimal for a second
/// literal; it refuses 1/(2 pi) as a 16-bit integer under DPP, but no other inline float;
/// it wants the digits of an f64 or of an f32 for it as a matrix accumulator, by the wave size: t0 reads both.
pub fn is_mistaken(text: &str) -> bool {
    let dpp = ["row_", "quad_perm", "dpp8"].iter().any(|c| text.contains(c));
    (text.contains("v_dual_dot2acc") && text.contains("0x3c00"))
        || (text.contains("0.15915494") && (dpp || text.contains("v_wmma")))
}
