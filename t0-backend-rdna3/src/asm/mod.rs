//! The assembler: LLVM's syntax for amdgcn, as clang writes it and llvm-mc reads it, to a loadable code object.
//!
//! Problem: hand-written and foreign kernels must become files that every loader accepts, with the bytes LLVM would
//! give. Method: one pass over the statements appends bytes to sections and notes what cannot be known yet (labels,
//! addresses); every instruction's size is known when it is read, so nothing moves afterwards. Then the sections are
//! laid out as ld.lld does ([`crate::object::link`]) and the noted places are filled in. Invariant: machine code and
//! kernel descriptors equal those of llvm-mc 19 and ld.lld 19; what they refuse is refused with its line and reason.
//!
//! Unlike llvm-mc, the wave size needs no option: without one, each kernel's `.amdhsa_wavefront_size32` decides how its
//! code is read. Accepted without effect: `.file`, `.loc`, `.cfi_*`
//! for debuggers, `.ident`, `.addrsig`, `.extern`, `.line`. Source: LLVM 19
//! `AMDGPUAsmParser.cpp`, `ELFAsmParser.cpp`, `AsmParser.cpp`; LLVM AMDGPUUsage "Assembler".

mod conditions;
mod directive;
mod error;
mod expr;
mod finish;
mod inst;
mod kernel;
mod leb;
mod lex;
mod macros;
mod state;
mod symbols;

pub use error::{AsmError, AsmErrorKind, KernelError};
pub use kernel::{kernel_directives, GRANULATED_SGPRS, INST_PREF_SIZE};

use crate::isa;
use crate::target::Target;
use lex::Lines;
use state::{Assembler, Line};
use std::collections::{HashMap, HashSet};

/// How to read a file.
#[derive(Debug, Clone, Copy, Default)]
pub struct AsmOptions {
    /// The chip; without it, the file's `.amdgcn_target` decides, or else it is gfx1100.
    pub target: Option<Target>,
    /// Lanes of a wave, 32 or 64; without it, each kernel's descriptor decides.
    pub wave_size: Option<u32>,
}

/// What became of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assembled {
    /// The code object.
    pub file: Vec<u8>,
    /// The chip it is for.
    pub target: Target,
    /// The kernels in the order of their descriptors.
    pub kernels: Vec<String>,
    /// What the file says with `.warning` and `.print`, in the order of the lines.
    pub notes: Vec<Note>,
}

/// A remark of the file on itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Line, from 1.
    pub line: u32,
    /// From `.warning`; or else from `.print`.
    pub is_warning: bool,
    /// The text.
    pub text: String,
}

/// The text of a file. Comments may hold any bytes; those that are no UTF-8 become question marks.
///
/// Errors: the offset of the first byte elsewhere that is no UTF-8: in a string it would come out as others than it
/// went in.
pub fn text_of(bytes: &[u8]) -> Result<std::borrow::Cow<'_, str>, usize> {
    lex::text_of(bytes)
}

/// Most errors that are reported.
const MAX_ERRORS: usize = 100;

/// Assembles a file.
///
/// Errors: every statement that is refused, in the order of the lines; at least one.
pub fn assemble(source: &str, options: &AsmOptions) -> Result<Assembled, Vec<AsmError>> {
    let mut lebs = Vec::new();
    loop {
        match assemble_once(source, options, &lebs)? {
            Pass::Done(assembled) => return Ok(assembled),
            // Sizes only grow, and to ten bytes at most, so this has an end.
            Pass::Longer(sizes) => lebs = sizes,
        }
    }
}

/// What a reading of the file gave.
enum Pass {
    /// The code object.
    Done(Assembled),
    /// Numbers of `.uleb128` and `.sleb128` that are known only when all is read need so many bytes.
    Longer(Vec<usize>),
}

fn assemble_once(source: &str, options: &AsmOptions, lebs: &[usize]) -> Result<Pass, Vec<AsmError>> {
    let mut reader = Lines::new(source);
    let lines: Vec<Line> = reader.by_ref().collect();
    let mut a = Assembler::new(options, wave_sizes(&lines));
    a.errors = reader.errors;
    a.leb_sizes = lebs.to_vec();
    a.feed(lines);
    while let Some(line) = a.next_line() {
        if let Err(e) = a.line(&line) {
            a.errors.push(e);
            if a.errors.len() >= MAX_ERRORS {
                break;
            }
        }
    }
    a.check_closed();
    if !a.errors.is_empty() {
        // Nothing more is said of a line with a character that cannot be read.
        let unread = |e: &AsmError| matches!(e.kind, AsmErrorKind::Character { .. });
        let lines: HashSet<u32> = a.errors.iter().filter(|e| unread(e)).map(|e| e.line).collect();
        a.errors.retain(|e| unread(e) || !lines.contains(&e.line));
        a.errors.sort_by_key(|e| e.line);
        return Err(a.errors);
    }
    let notes = std::mem::take(&mut a.notes);
    let (target, kernels) = (a.target, a.kernels.iter().map(|k| k.name.clone()).collect());
    let target = target.with_wave_size(32);
    if let Some(sizes) = a.write_lebs().map_err(|e| vec![e])? {
        return Ok(Pass::Longer(sizes));
    }
    a.finish().map(|file| {
        Pass::Done(Assembled {
            file,
            target,
            kernels,
            notes,
        })
    })
}

/// Whether the assembler makes these bytes of this text.
pub(crate) fn reads_back(text: &str, bytes: &[u8], target: &Target) -> bool {
    let inst = isa::parse(text, target).ok();
    inst.and_then(|i| isa::encode(&i, target).ok())
        .is_some_and(|b| b == bytes)
}

/// What the kernel descriptors of the file say about wave sizes, by kernel name.
fn wave_sizes(lines: &[Line]) -> HashMap<String, u32> {
    let mut sizes = HashMap::new();
    let mut kernel = None;
    for line in lines {
        let mut words = line.text.split_whitespace();
        match (words.next(), words.next()) {
            (Some(".amdhsa_kernel"), Some(name)) => {
                kernel = Some(name.trim_matches('"').to_owned());
                sizes.insert(name.trim_matches('"').to_owned(), 32);
            }
            (Some(".amdhsa_wavefront_size32"), Some("0")) => {
                if let Some(k) = &kernel {
                    sizes.insert(k.clone(), 64);
                }
            }
            (Some(".end_amdhsa_kernel"), _) => kernel = None,
            _ => {}
        }
    }
    sizes
}
