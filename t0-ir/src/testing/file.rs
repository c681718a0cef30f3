//! A case as text: what a failing test leaves behind, and a file test reads again.
//!
//! Comments, then `launch X Y Z`, a line `arg NAME …` per parameter, and the kernel in its text form. A scalar argument is its bits;
//! a slice is its elements' bits, each as `BITS` or `BITS*TIMES`.

use super::Case;
use crate::diag::Diags;
use crate::eval::Const;
use crate::func::{Param, ParamKind};
use crate::interp::{Arg, Memory};
use crate::text;
use std::fmt::Write;

/// Why a text is no case.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CaseError {
    /// A line of the launch that is not as it should be.
    #[error("line {line}: {what}")]
    Line {
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// The launch and the kernel do not belong together.
    #[error("parameter `{0}` has no argument of its kind")]
    Argument(String),
    /// The kernel.
    #[error("{0}")]
    Kernel(Diags),
}

/// The case as text.
///
/// # Panics
/// If an argument is a matrix, which random kernels do not have, or names no buffer of the case's memory.
pub fn print(case: &Case) -> String {
    let [x, y, z] = case.groups;
    let mut out = format!("launch {x} {y} {z}\n");
    for (p, arg) in case.func.params.iter().zip(&case.args) {
        let _ = write!(out, "arg {}", p.name);
        let elements = match (p.kind, arg) {
            (ParamKind::Slice(s, _), &Arg::Slice { base, .. }) => elements(case, base, s.bytes() as usize),
            (_, Arg::Scalar(c)) => vec![c.bits],
            _ => panic!("argument `{}` has no text", p.name),
        };
        for run in elements.chunk_by(|a, b| a == b) {
            let _ = match run.len() {
                1 => write!(out, " {:#x}", run[0]),
                n => write!(out, " {:#x}*{n}", run[0]),
            };
        }
        out.push('\n');
    }
    out + &text::print(&case.func)
}

fn elements(case: &Case, base: u64, size: usize) -> Vec<u64> {
    let Some(bytes) = case.memory.buffer(base) else {
        panic!("no buffer at {base:#x}");
    };
    let number = |e: &[u8]| e.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b));
    bytes.chunks(size).map(number).collect()
}

/// The case of a text.
///
/// # Errors
/// What is wrong with the text. Whether the kernel is well-formed is for the verifier to say.
pub fn parse(source: &str) -> Result<Case, CaseError> {
    let mut launch = None;
    let mut given: Vec<(String, Vec<u64>)> = Vec::new();
    let mut kernel = String::new();
    for (n, line) in source.lines().enumerate() {
        let mut words = line.split_whitespace();
        let first = words.next();
        let wrong = |what: String| CaseError::Line { line: n + 1, what };
        if kernel.is_empty() && first == Some("launch") {
            launch = Some(groups(words).ok_or_else(|| wrong("`launch X Y Z` wants three numbers".into()))?);
        } else if kernel.is_empty() && first == Some("arg") {
            let name = words.next().ok_or_else(|| wrong("`arg` without a name".into()))?;
            given.push((name.into(), numbers(words).map_err(wrong)?));
        } else if !kernel.is_empty() || !line.trim().is_empty() && !line.trim_start().starts_with("//") {
            kernel += line;
            kernel.push('\n');
        }
    }
    let groups = launch.ok_or_else(|| CaseError::Line {
        line: 1,
        what: "no line `launch X Y Z`".into(),
    })?;
    let func = text::parse(&kernel).map_err(CaseError::Kernel)?;
    let mut memory = Memory::new();
    let argument = |p: &Param| {
        let found = given.iter().find(|(name, _)| *name == p.name);
        let arg = found.and_then(|(_, bits)| argument(p.kind, bits, &mut memory));
        arg.ok_or_else(|| CaseError::Argument(p.name.clone()))
    };
    let args = func.params.iter().map(argument).collect::<Result<_, _>>()?;
    Ok(Case {
        func,
        args,
        memory,
        groups,
    })
}

fn argument(kind: ParamKind, bits: &[u64], memory: &mut Memory) -> Option<Arg> {
    match kind {
        ParamKind::Scalar(s) => Some(Arg::Scalar(Const::new(s, *bits.first()?))),
        ParamKind::Slice(s, _) => {
            let size = s.bytes() as usize;
            let bytes: Vec<u8> = bits.iter().flat_map(|b| b.to_le_bytes()[..size].to_vec()).collect();
            let base = memory.alloc(&bytes);
            Some(Arg::Slice {
                base,
                len: u32::try_from(bits.len()).ok()?,
            })
        }
        ParamKind::Mat(..) => None,
    }
}

fn groups<'a>(words: impl Iterator<Item = &'a str>) -> Option<[u32; 3]> {
    let all: Vec<u32> = words.map(|w| w.parse().ok()).collect::<Option<_>>()?;
    all.try_into().ok()
}

fn numbers<'a>(words: impl Iterator<Item = &'a str>) -> Result<Vec<u64>, String> {
    let mut out = Vec::new();
    for word in words {
        let (bits, times) = word.split_once('*').unwrap_or((word, "1"));
        let bits = bits.strip_prefix("0x").and_then(|b| u64::from_str_radix(b, 16).ok());
        match (bits, times.parse::<u32>()) {
            (Some(bits), Ok(times)) => out.extend(std::iter::repeat_n(bits, times as usize)),
            _ => return Err(format!("`{word}` is not `0xBITS` or `0xBITS*TIMES`")),
        }
    }
    Ok(out)
}
