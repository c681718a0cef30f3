//! Bytes, branch distances and the line table.

use super::phys::PFunc;
use crate::isa::{encode as encode_inst, EncodeError, Operand};
use crate::object::{AtomicOp, Line};
use crate::target::Target;
use std::sync::Arc;
use t0_ir::Span;

/// Machine code.
#[derive(Clone, Debug, PartialEq)]
pub struct Code {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Source lines by offset.
    pub lines: Vec<Line>,
    /// Atomic operations by offset.
    pub atomics: Vec<AtomicOp>,
}

/// Why code could not be encoded.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// The encoder refused an instruction.
    #[error("`{text}` cannot be encoded: {source}")]
    Inst {
        /// The instruction.
        text: String,
        /// What is wrong with it.
        source: EncodeError,
    },
    /// A branch further than its 16-bit distance.
    #[error(
        "a branch spans {words} words, the limit is 32767; make the kernel smaller, for example by unrolling less"
    )]
    BranchTooFar {
        /// Distance.
        words: i64,
    },
}

/// Encodes a function; `files` are the names spans refer to.
///
/// Errors: an instruction that the encoder refuses, a branch that goes too far.
pub fn encode(p: &PFunc, target: &Target, files: &[String]) -> Result<Code, Error> {
    let mut starts = Vec::with_capacity(p.blocks.len() + 1);
    let mut at = 0usize;
    for b in &p.blocks {
        starts.push(at);
        at += b.iter().map(|i| i.inst.size()).sum::<usize>();
    }
    starts.push(at);
    let names: Vec<Arc<str>> = files.iter().map(|f| Arc::from(f.as_str())).collect();
    let mut code = Code {
        bytes: Vec::with_capacity(at),
        lines: Vec::new(),
        atomics: Vec::new(),
    };
    let mut last: Option<Span> = None;
    for inst in p.blocks.iter().flatten() {
        let mut i = inst.inst.clone();
        if let Some(t) = inst.target {
            let words = (starts[t] as i64 - code.bytes.len() as i64 - 4) / 4;
            if i16::try_from(words).is_err() {
                return Err(Error::BranchTooFar { words });
            }
            i.operands = vec![Operand::Imm(words)];
        }
        if last != Some(inst.span) {
            last = Some(inst.span);
            let file = names
                .get(inst.span.file as usize)
                .cloned()
                .unwrap_or_else(|| Arc::from(""));
            let (line, column) = (inst.span.line, inst.span.column);
            code.lines.push(Line {
                offset: code.bytes.len() as u64,
                file,
                line,
                column,
            });
        }
        if let Some(scope) = inst.atomic {
            let offset = code.bytes.len() as u64;
            code.atomics.push(AtomicOp { offset, scope });
        }
        let bytes = encode_inst(&i, target).map_err(|source| Error::Inst {
            text: i.to_string(),
            source,
        })?;
        debug_assert_eq!(bytes.len(), i.size(), "size of {i}");
        code.bytes.extend(bytes);
    }
    Ok(code)
}
