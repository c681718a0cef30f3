//! The static checker: what is wrong with a code object, whoever made it, before a card runs it.
//!
//! Problem: a missing wait, a hazard or a descriptor that does not fit its code shows as rarely wrong numbers or as a hang.
//! Method: everything control can reach from a kernel's entry (and the functions it calls) is decoded into blocks
//! (`graph`); loads in flight are followed over every path (`waits`), so are the hazards of [`crate::errata`]
//! (`hazards`); the registers and memory the code uses are held against descriptor and metadata (`resources`,
//! `descriptor`). Invariant: an error is a path through the code on which the card does something wrong, as far as
//! branches can be told apart without values: valid code has none. What depends on values the file does not have is a
//! warning or not looked at. Sources: see the modules; the rules are listed in [`RULES`].
//!
//! Adding a rule: an entry in [`RULES`], its test in the module it belongs to, and a file in `tests/files/check` with a
//! trigger and a near miss.

mod arguments;
mod descriptor;
mod flight;
mod graph;
mod hazards;
mod ids;
mod memory;
mod resources;
mod undefined;
mod waits;

use crate::errata::Severity;
use crate::isa::{decode, Inst};
use crate::object::{CodeObject, Kernel, Line};
use crate::target::Target;
use graph::{Graph, Place};
use std::fmt;

/// The checker's own rules: name, severity (a rule that depends on what a launch adds is an error where that is known), what
/// it is about. Hazards have the names of [`crate::errata::ERRATA`].
#[rustfmt::skip]
pub const RULES: &[(&str, Severity, &str)] = &[
    ("missing-wait", Severity::Error, "a register is read or overwritten while a load that writes it may be in flight"),
    // s_barrier waits for no counter (RDNA3 ISA manual 16.5). A warning, since it breaks no rule of the card: LLVM's back end
    // adds no wait at a barrier on gfx11 either (SIInsertWaitcnts does so only without FeatureBackOffBarrier), the wait comes
    // from a release fence of the source, and `__builtin_amdgcn_s_barrier()` alone is code that may mean it. A barrier of the
    // IR orders memory, so in what this crate's compiler made it is an error.
    ("barrier-without-wait", Severity::Warning, "a store to LDS may be in flight at s_barrier; an error in compiled code"),
    ("illegal-instruction", Severity::Error, "control reaches bytes that are no instruction of this card"),
    ("illegal-operands", Severity::Error, "an instruction whose operands or modifiers the card does not have, dual-issue rules included"),
    ("wave-size", Severity::Error, "code or metadata for waves of another size than the descriptor says"),
    ("jump-into-instruction", Severity::Error, "a branch into the middle of an instruction"),
    ("jump-out-of-code", Severity::Error, "a branch to where no code is loaded"),
    ("missing-end", Severity::Error, "control runs past the end of the code"),
    ("missing-padding", Severity::Warning, "instruction fetch runs beyond the loaded bytes"),
    ("entry-alignment", Severity::Error, "the first instruction is not at a multiple of 256 bytes"),
    ("unreachable-code", Severity::Warning, "instructions nothing leads to"),
    ("vgpr-count", Severity::Error, "a VGPR beyond those the descriptor asks for"),
    ("sgpr-count", Severity::Error, "a scalar register that kernels do not have"),
    ("lds-size", Severity::Warning, "LDS is used and the descriptor has none: the launch must give it"),
    ("lds-out-of-bounds", Severity::Error, "an LDS access at a constant address beyond the descriptor's LDS"),
    ("scratch-size", Severity::Error, "scratch memory is used and the descriptor has none"),
    ("scratch-out-of-bounds", Severity::Error, "a scratch access at a constant address beyond the descriptor's scratch"),
    ("user-sgprs", Severity::Error, "fewer (or more) user SGPRs than the enabled inputs need"),
    ("descriptor-bits", Severity::Error, "reserved bits of the descriptor are set, or those the packet processor fills in"),
    ("float-mode", Severity::Error, "compiled code whose descriptor asks for other arithmetic than IEEE's"),
    ("unfilled-sgpr", Severity::Error, "compiled code that reads an SGPR which neither launch nor code has filled"),
    ("uninitialised", Severity::Error, "a register is read that nothing on any way there has written; a warning where it is only computed with or stored"),
    ("unfilled-work-item-id", Severity::Error, "the y or z part of the work-item id is read and the descriptor does not ask for it"),
    ("metadata-mismatch", Severity::Error, "metadata contradicts the descriptor, the ELF header or the code (a warning for what gfx11 does not need)"),
    ("arguments", Severity::Error, "arguments of the metadata that overlap or lie beyond their block; a warning where they are only not aligned"),
    ("arguments-out-of-bounds", Severity::Error, "a scalar load through the arguments' address of what is no argument"),
    ("check-incomplete", Severity::Warning, "the checker could not follow everything"),
];

/// What the checker may take for granted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The kernel gets no LDS but what its descriptor says, as all kernels of the compiler.
    pub static_lds: bool,
    /// This crate's compiler made it: it rounds and keeps denormals as the IR says, and reads no register that nothing filled
    /// (others may mean it, or read what they do not use), and its barriers order memory.
    pub compiled: bool,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Its rule: a name of [`RULES`] or [`crate::errata::ERRATA`].
    pub rule: &'static str,
    /// Error or warning.
    pub severity: Severity,
    /// The instruction's place; `None` for what the descriptor is about.
    pub at: Option<At>,
    /// The instruction.
    pub instruction: String,
    /// The register it is about.
    pub register: Option<String>,
    /// The other instruction it takes: the load, the branch.
    pub related: Option<At>,
    /// What is wrong.
    pub text: String,
    /// What to do about it.
    pub fix: String,
    /// The source line of the instruction.
    pub line: Option<Line>,
}

/// The place of an instruction.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct At {
    /// Address in the code object.
    pub address: u64,
    /// The called function it is in; `None` in the kernel itself.
    pub function: Option<String>,
    /// Bytes from the first instruction of kernel or function.
    pub offset: u64,
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.function {
            Some(name) => write!(f, "{name}+{:#x}", self.offset),
            None => write!(f, "+{:#x}", self.offset),
        }
    }
}

impl fmt::Display for Finding {
    /// `error[rule] at +0x10: instruction: what is wrong; fix: what to do`, without the source line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", self.severity, self.rule)?;
        match &self.at {
            Some(at) => write!(f, " at {at}: `{}`", self.instruction)?,
            None => write!(f, " in the descriptor")?,
        }
        write!(f, ": {}; fix: {}", self.text, self.fix)
    }
}

/// The findings in one kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The kernel.
    pub kernel: String,
    /// What is wrong, by address; the descriptor's first.
    pub findings: Vec<Finding>,
}

/// Checks every kernel of a code object.
pub fn check(object: &CodeObject, options: &Options) -> Vec<Report> {
    let report = |k: &Kernel| Report {
        kernel: k.name.clone(),
        findings: check_kernel(object, k, options),
    };
    object.kernels.iter().map(report).collect()
}

/// Checks one kernel of a code object, with the functions it calls.
pub fn check_kernel(object: &CodeObject, kernel: &Kernel, options: &Options) -> Vec<Finding> {
    let target = object.target.with_wave_size(kernel.descriptor.wave_size());
    let mut raw = Vec::new();
    let place = Place::of(object, kernel);
    let graph = Graph::new(&place, &target, &mut raw);
    let group = kernel.metadata.as_ref().and_then(|m| m.max_group_size).unwrap_or(0);
    let one_wave = (1..=target.wave_size).contains(&group);
    flow(&graph, &target, one_wave, &mut raw);
    if options.compiled {
        let severe = raw.iter_mut().filter(|r| r.rule == "barrier-without-wait");
        severe.for_each(|r| r.severity = Severity::Error);
    }
    graph.layout(&place, &target, &mut raw);
    resources::check(&graph, kernel, options, &mut raw);
    descriptor::check(object, kernel, &graph, options, &mut raw);
    undefined::check(&graph, kernel, &mut raw);
    ids::check(&graph, &kernel.descriptor, &mut raw);
    arguments::check(&graph, kernel, &mut raw);
    finish(raw, &place, &target, |offset| kernel.line_at(offset).cloned())
}

/// Checks instructions that belong to no code object: legality, control flow, waits and hazards.
pub fn check_code(code: &[u8], target: &Target) -> Vec<Finding> {
    let mut raw = Vec::new();
    let place = Place::bare(code);
    let graph = Graph::new(&place, target, &mut raw);
    flow(&graph, target, false, &mut raw);
    finish(raw, &place, target, |_| None)
}

fn flow(graph: &Graph, target: &Target, one_wave: bool, raw: &mut Vec<Raw>) {
    waits::check(graph, one_wave, raw);
    hazards::check(graph, target, raw);
}

/// A finding as the modules make it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Raw {
    rule: &'static str,
    severity: Severity,
    at: Option<u64>,
    register: Option<String>,
    related: Option<u64>,
    text: String,
    fix: String,
}

impl Raw {
    /// A finding of one of the checker's own rules with the rule's severity.
    fn new(rule: &'static str, at: Option<u64>, text: impl Into<String>, fix: impl Into<String>) -> Raw {
        let severity = RULES.iter().find(|r| r.0 == rule).map_or(Severity::Error, |r| r.1);
        Raw {
            rule,
            severity,
            at,
            register: None,
            related: None,
            text: text.into(),
            fix: fix.into(),
        }
    }
}

/// Adds places and instructions, sorts.
fn finish(mut raw: Vec<Raw>, place: &Place<'_>, target: &Target, line: impl Fn(u64) -> Option<Line>) -> Vec<Finding> {
    raw.sort_by(|a, b| (a.at, a.rule, a.related).cmp(&(b.at, b.rule, b.related)));
    raw.dedup();
    let text = |at: u64| match decode(place.bytes_from(at), target) {
        Ok((inst, _)) => inst.to_string(),
        Err(e) => format!(".long {}", words(e.bytes())),
    };
    let mut out = Vec::with_capacity(raw.len());
    for r in raw {
        let at = r.at.map(|a| place.at(a));
        let own = at.as_ref().filter(|a| a.function.is_none());
        out.push(Finding {
            rule: r.rule,
            severity: r.severity,
            instruction: r.at.map(text).unwrap_or_default(),
            register: r.register,
            related: r.related.map(|a| place.at(a)),
            text: r.text,
            fix: r.fix,
            line: own.and_then(|a| line(a.offset)),
            at,
        });
    }
    out
}

fn words(bytes: &[u8]) -> String {
    let word = |w: &[u8]| format!("0x{}", crate::listing::hex_words(w));
    bytes.chunks(4).map(word).collect::<Vec<_>>().join(", ")
}

/// Text of an instruction in a finding.
fn quoted(inst: &Inst) -> String {
    format!("`{inst}`")
}
