//! What is wrong with an assembler file, and where.

use crate::isa::{EncodeError, ParseError};
use std::fmt;

/// Why a statement was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum AsmErrorKind {
    #[error(transparent)]
    Instruction(#[from] ParseError),
    #[error(transparent)]
    Encode(#[from] EncodeError),
    #[error("expected {expected}")]
    Expected { expected: &'static str },
    #[error("expected {expected}, found `{found}`")]
    Found { expected: &'static str, found: String },
    #[error(
        "unknown directive `{name}`; t0 knows the data, section, symbol, macro, `.amdgcn_` and `.amdhsa_` directives of LLVM"
    )]
    UnknownDirective { name: String },
    #[error("`{name}` is not supported ({why}); remove it")]
    Unsupported { name: String, why: &'static str },
    #[error("`{name}` is already defined on line {line}")]
    Redefined { name: String, line: u32 },
    #[error("symbol `{name}` is not defined in this file; define it, t0 links one file at a time")]
    Undefined { name: String },
    #[error("there is no label `{name}` {direction} this line")]
    NoNumericLabel { name: String, direction: &'static str },
    #[error("this needs a number that is known here; the expression depends on where code is placed")]
    NotAbsolute,
    #[error("the expression refers to itself")]
    Cyclic,
    #[error("the expression divides by zero")]
    DivisionByZero,
    #[error("{what} is {value}, it must be {low} to {high}")]
    Range {
        what: &'static str,
        value: i64,
        low: i64,
        high: i64,
    },
    #[error("the branch goes {words} words far, the limit is -32768 to 32767; use s_getpc_b64 and s_setpc_b64")]
    BranchTooFar { words: i64 },
    #[error("the branch goes to byte {bytes} from here; instructions start at multiples of 4 bytes")]
    BranchUnaligned { bytes: i64 },
    #[error("an address does not fit here; write it as `.quad`, or relative to the place: `{name}@rel32@lo+4`")]
    AddressTooNarrow { name: String },
    #[error(
        "section `{section}` is read-only, the loader cannot put an address there; use `.section .data.rel.ro,\"aw\"`"
    )]
    AddressInReadOnly { section: String },
    #[error("`@{name}` is no relocation that t0 resolves; there are rel32@lo, rel32@hi, rel64, gotpcrel32@lo, gotpcrel32@hi and abs64")]
    Variant { name: String },
    #[error("this relocation cannot be used here")]
    VariantHere,
    #[error("{0}")]
    Mergeable(crate::object::merge::MergeError),
    #[error("this is behind the last string or constant of `{section}`, whose pieces linkers move; put a piece there")]
    BehindPieces { section: String },
    #[error("section `{name}` was opened before with other flags, another type or another size of entries")]
    SectionChanged { name: String },
    #[error("ld.lld refuses sections of type {kind:#x}; write @progbits, @nobits or @note")]
    SectionType { kind: u32 },
    #[error("section `{section}` has flag `e`: linkers leave it out, and nothing that stays can refer to it")]
    Excluded { section: String },
    #[error("the section has no bytes in the file; only zeros can be put there")]
    NoBits,
    #[error("`{name}` is {was} already and cannot be made {wanted}")]
    Rebound {
        name: String,
        was: &'static str,
        wanted: &'static str,
    },
    #[error("the padding of {pad} bytes is no multiple of the fill's {unit}; align to {unit} first")]
    Padding { pad: u64, unit: u64 },
    #[error("call frames make a section `.eh_frame` that is loaded, which no loader of code objects reads; write `.cfi_sections .debug_frame`, or remove them")]
    Frames,
    #[error("this stands between `.cfi_startproc` and `.cfi_endproc` only")]
    OutsideFrame,
    #[error("{0}")]
    Kernel(KernelError),
    #[error("`{directive}` without `{opening}`")]
    Unopened {
        directive: &'static str,
        opening: &'static str,
    },
    #[error("`{opening}` is never closed by `{closing}`")]
    Unclosed {
        opening: &'static str,
        closing: &'static str,
    },
    #[error("the file is for {file}, but {asked} was asked for; give --target {file}")]
    TargetMismatch { file: String, asked: String },
    #[error("`{id}` is no target of t0; it makes code for amdgcn-amd-amdhsa with {known}")]
    UnknownTarget { id: String, known: String },
    #[error("code object version {version} does not exist here; use 4, 5 or 6")]
    CodeObjectVersion { version: i64 },
    #[error("metadata: {0}")]
    Metadata(String),
    #[error("{message}")]
    User { message: String },
    #[error("character U+{code:04X} cannot stand here; words are separated by spaces and tabs")]
    Character { code: u32 },
    #[error("macro `{name}` is already defined; `.purgem {name}` removes it")]
    MacroRedefined { name: String },
    #[error("there is no macro `{name}`")]
    MacroUnknown { name: String },
    #[error("macros are nested more than {limit} deep, as far as LLVM goes; one of them may have no end")]
    MacroDepth { limit: usize },
    #[error("parameter `{name}` takes the rest of the line; it must be the last one")]
    VarargLast { name: String },
    #[error("macro `{in_macro}` has two parameters `{name}`")]
    ParameterTwice { name: String, in_macro: String },
    #[error("`:{found}` says nothing about a parameter; there are `:req` and `:vararg`")]
    Qualifier { found: String },
    #[error("macro `{in_macro}` has no parameter `{name}`")]
    NoParameter { name: String, in_macro: String },
    #[error("an argument without name stands after one with a name; give it its name, too")]
    MixedArguments,
    #[error("macro `{in_macro}` needs a value for its parameter `{name}`")]
    MissingArgument { name: String, in_macro: String },
    #[error("ld.lld knows no `@abs32`; for an address write `{name}@rel32@lo+4`, or `.quad {name}`, for a number the number")]
    Abs32 { name: String },
    #[error("LLVM would take the distance from here to this symbol, not its value; define it above as a plain number, or write the expression here")]
    LaterNumber,
    #[error("the value must be known when this line is read; LLVM takes it from symbols defined above only")]
    NotYet,
    #[error("more than {limit} lines come out of macros; one of them has no end")]
    TooMuch { limit: usize },
}

/// What is wrong with an `.amdhsa_kernel` block; the words are LLVM's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum KernelError {
    #[error("unknown .amdhsa_kernel directive `{name}`")]
    Unknown { name: String },
    #[error("expected .amdhsa_ directive or .end_amdhsa_kernel")]
    NotAmdhsa,
    #[error("{name} cannot be repeated")]
    Repeated { name: String },
    #[error("{name}: the value {value} is out of range, it has {bits} bits")]
    Range { name: String, value: i64, bits: u32 },
    #[error("{name} is required")]
    Required { name: &'static str },
    #[error("{name} {why}")]
    NotHere { name: String, why: &'static str },
    #[error("{vgprs} VGPRs are more than the {limit} a wave may use")]
    Vgprs { vgprs: i64, limit: i64 },
    #[error(".amdhsa_user_sgpr_count {count} is smaller than the {implied} that the enabled user SGPRs take")]
    UserSgprs { count: i64, implied: i64 },
    #[error("{count} user SGPRs are more than 31")]
    TooManyUserSgprs { count: i64 },
    #[error(".amdhsa_shared_vgpr_count is not valid with wave size 32")]
    SharedVgprs,
    #[error("twice the shared VGPR count plus the VGPR blocks is {total}, more than 63")]
    SharedVgprTotal { total: i64 },
    #[error(
        "the code of kernel `{name}` is not defined in this file; put a label `{name}:` before its first instruction"
    )]
    NoCode { name: String },
}

/// An error with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AsmError {
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
    /// The offending text; empty when the error is about the end of something.
    pub text: String,
    /// What is wrong.
    pub kind: AsmErrorKind,
}

impl fmt::Display for AsmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.kind)?;
        let told = self.kind.to_string().contains(&format!("`{}`", self.text));
        if self.text.is_empty() || told {
            return Ok(());
        }
        write!(f, " at `{}`", self.text)
    }
}

impl std::error::Error for AsmError {}
