//! Registers, LDS and scratch the code uses, against what the descriptor asks for.
//!
//! The descriptor covers called functions, too: they run on the registers of their caller. Functions that only calls of
//! unknown target may lead to are left out. Sources: LLVM AMDGPUUsage,
//! "Kernel Descriptor"; RDNA3 ISA manual 3.3 (registers), 12 (LDS).

use super::graph::{Graph, Step};
use super::{memory, Options, Raw};
use crate::errata::Severity;
use crate::isa::{Class, Family, Flags, Opcode, Sop1, Sopp};
use crate::object::{ArgKind, Kernel, KernelDescriptor, KernelMetadata};

/// Trap temporaries by hardware number: only the trap handler has them (RDNA3 ISA manual 3.4).
const TTMP: std::ops::RangeInclusive<u32> = 108..=123;

/// Checks what the code uses.
pub(super) fn check(graph: &Graph, kernel: &Kernel, options: &Options, raw: &mut Vec<Raw>) {
    let d = &kernel.descriptor;
    vgprs(graph, d, raw);
    sgprs(graph, raw);
    let dynamic = |m: &KernelMetadata| m.args.iter().any(|a| a.kind == ArgKind::DynamicLds);
    let told = kernel.metadata.as_ref().is_some_and(dynamic);
    lds(graph, d, options, told, raw);
    scratch(graph, d, raw);
}

/// Instructions that the kernel itself leads to.
fn known(graph: &Graph) -> impl Iterator<Item = &Step> {
    graph.steps.iter().filter(|s| !s.guessed)
}

fn highest(s: &Step) -> Option<u32> {
    let f = &s.facts;
    (0..4).rev().find_map(|k| {
        let both = f.vread[k] | f.vwrite[k];
        (both != 0).then(|| 63 - both.leading_zeros() + 64 * k as u32)
    })
}

/// One finding, at the first instruction, however many there are.
fn vgprs(graph: &Graph, d: &KernelDescriptor, raw: &mut Vec<Raw>) {
    let have = d.vgprs();
    let over = |s: &&Step| highest(s).is_some_and(|r| r >= have);
    let Some(first) = known(graph).find(over) else { return };
    let most = known(graph).filter_map(highest).max().unwrap_or(0);
    let text = format!("the code uses VGPRs up to v{most}, the descriptor asks for {have}");
    let mut r = Raw::new(
        "vgpr-count",
        Some(first.at),
        text,
        format!(".amdhsa_next_free_vgpr {}", most + 1),
    );
    r.register = highest(first).map(|v| format!("v{v}"));
    raw.push(r);
}

fn sgprs(graph: &Graph, raw: &mut Vec<Raw>) {
    let has = |s: &Step| (s.facts.sread[1] | s.facts.swrite[1]) & TTMP_BITS != 0;
    let mut all = graph.steps.iter().enumerate();
    if let Some((_, s)) = all.find(|(k, s)| !s.guessed && has(s) && !before_halt(&graph.steps[*k..])) {
        let text = "the trap temporaries ttmp0 to ttmp15 belong to the trap handler: kernels read 0 and write nothing";
        raw.push(Raw::new("sgpr-count", Some(s.at), text, "s0 to s105"));
    }
}

/// Instructions between a save of M0 and `s_sethalt` in a trap.
const MOST_TO_HALT: usize = 16;

/// Whether an instruction saves M0 in a trap temporary, or gets it back, and the wave then stops: so LLVM ends a kernel where
/// no trap handler does (`__builtin_trap()`, SIInstrInfo::insertSimulatedTrap). What becomes of M0 does not matter there.
fn before_halt(steps: &[Step]) -> bool {
    let op = |s: &Step| s.inst.as_ref().map(|i| i.op);
    let saves =
        |s: &Step| op(s) == Some(Opcode::Sop1(Sop1::s_mov_b32)) && (s.facts.sread[1] | s.facts.swrite[1]) & M0 != 0;
    let halts = |s: &Step| op(s) == Some(Opcode::Sopp(Sopp::s_sethalt));
    let straight = |pair: &[Step]| pair[0].falls_to(&pair[1]);
    let line = 1 + steps.windows(2).take(MOST_TO_HALT).take_while(|p| straight(p)).count();
    steps.first().is_some_and(saves) && steps[..line.min(steps.len())].iter().any(halts)
}

/// M0 as bit of the second word.
const M0: u64 = 1 << (125 - 64);

/// The trap temporaries as bits of the second word of a set of scalar registers.
const TTMP_BITS: u64 = ((1 << (*TTMP.end() - *TTMP.start() + 1)) - 1) << (*TTMP.start() - 64);

fn is_lds(s: &Step) -> bool {
    let Some(i) = &s.inst else { return false };
    let class = matches!(i.row().class, Class::LdsLoad | Class::LdsStore | Class::LdsAtomic);
    class && i.row().family == Family::Ds && !i.mods.gds
}

/// `told`: an argument says that the launch gives LDS.
fn lds(graph: &Graph, d: &KernelDescriptor, options: &Options, told: bool, raw: &mut Vec<Raw>) {
    let Some(first) = known(graph).find(|s| is_lds(s)) else {
        return;
    };
    let size = d.group_segment_bytes;
    let severity = if options.static_lds {
        Severity::Error
    } else {
        Severity::Warning
    };
    if size == 0 && !told {
        let text = "the code uses LDS, the descriptor asks for none: the launch must give it";
        let mut r = Raw::new(
            "lds-size",
            Some(first.at),
            text,
            ".amdhsa_group_segment_fixed_size, or LDS at the launch",
        );
        r.severity = severity;
        raw.push(r);
    }
    memory::lds(graph, size, severity, told, raw);
}

fn scratch(graph: &Graph, d: &KernelDescriptor, raw: &mut Vec<Raw>) {
    let is = |s: &&Step| s.inst.as_ref().is_some_and(|i| i.flags().has(Flags::SCRATCH));
    let Some(first) = known(graph).find(is) else { return };
    if d.dynamic_stack() {
        return;
    }
    if d.private_segment_bytes == 0 {
        let text = "the code uses scratch memory, the descriptor asks for none";
        raw.push(Raw::new(
            "scratch-size",
            Some(first.at),
            text,
            ".amdhsa_private_segment_fixed_size",
        ));
    } else if !d.scratch_enabled() {
        let text = "the code uses scratch memory, the descriptor does not enable it";
        raw.push(Raw::new(
            "scratch-size",
            Some(first.at),
            text,
            ".amdhsa_enable_private_segment 1",
        ));
    } else {
        memory::scratch(graph, d.private_segment_bytes, raw);
    }
}
