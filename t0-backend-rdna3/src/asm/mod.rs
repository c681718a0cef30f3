//! The assembler: LLVM's syntax for amdgcn, as clang writes it and llvm-mc reads it, to a loadable code object.
//!
//! Problem: hand-written and foreign kernels must become files that every loader accepts, with the bytes LLVM would
//! give. Method: one pass over the statements appends bytes to sections and notes what cannot be known yet (labels,
//! addresses); every instruction's size is known when it is read, so nothing moves afterwards. Then the sections are
//! laid out as ld.lld does ([`crate::object::link`]) and the noted places are filled in. Invariant: machine code and
//! kernel descriptors equal those of llvm-mc 19 and ld.lld 19; what they refuse is refused with its line and reason.
//!
//! Unlike llvm-mc, the wave size needs no option: without one, each kernel's `.amdhsa_wavefront_size32` decides how its
//! code is read. Accepted without effect: `.file`, `.loc`, `.cfi_*`, `.ident`, `.addrsig`. Source: LLVM 19
//! `AMDGPUAsmParser.cpp`, `ELFAsmParser.cpp`, `AsmParser.cpp`; LLVM AMDGPUUsage "Assembler".

mod directive;
mod error;
mod expr;
mod finish;
mod inst;
mod kernel;
mod lex;
mod macros;
mod state;

pub use error::{AsmError, AsmErrorKind, KernelError};
pub use kernel::{kernel_directives, GRANULATED_SGPRS};

use crate::isa;
use crate::target::Target;
use lex::Comments;
use state::{Assembler, Line};
use std::collections::HashMap;

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
}

/// Most errors that are reported.
const MAX_ERRORS: usize = 100;

/// Assembles a file.
///
/// Errors: every statement that is refused, in the order of the lines; at least one.
pub fn assemble(source: &str, options: &AsmOptions) -> Result<Assembled, Vec<AsmError>> {
    let waves = wave_sizes(source);
    let mut a = Assembler::new(options, waves);
    a.feed(lines(source));
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
        return Err(a.errors);
    }
    let (target, kernels) = (a.target, a.kernels.iter().map(|k| k.name.clone()).collect());
    let target = target.with_wave_size(32);
    a.finish().map(|file| Assembled { file, target, kernels })
}

/// Whether the assembler makes these bytes of this text.
pub(crate) fn reads_back(text: &str, bytes: &[u8], target: &Target) -> bool {
    let inst = isa::parse(text, target).ok();
    inst.and_then(|i| isa::encode(&i, target).ok())
        .is_some_and(|b| b == bytes)
}

/// The lines without comments; the text of metadata stays as it is.
fn lines(source: &str) -> Vec<Line> {
    let mut comments = Comments::default();
    let mut in_metadata = false;
    let mut out = Vec::new();
    for (number, raw) in (1u32..).zip(source.lines()) {
        let raw = raw.strip_suffix('\r').unwrap_or(raw);
        let text = if in_metadata {
            raw.to_owned()
        } else {
            comments.strip(raw)
        };
        match text.trim() {
            ".amdgpu_metadata" => in_metadata = true,
            ".end_amdgpu_metadata" => in_metadata = false,
            _ => {}
        }
        out.push(Line { number, text });
    }
    out
}

/// What the kernel descriptors of the file say about wave sizes, by kernel name.
fn wave_sizes(source: &str) -> HashMap<String, u32> {
    let mut sizes = HashMap::new();
    let mut kernel = None;
    for line in source.lines() {
        let mut words = line.split_whitespace();
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
