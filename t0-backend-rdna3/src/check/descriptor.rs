//! The kernel descriptor by itself, against the metadata, and the SGPRs it promises the code; the metadata's arguments.
//!
//! Source: LLVM AMDGPUUsage, "Kernel Descriptor", "Code Object V5 Metadata" and "compute_pgm_rsrc1/2/3" for GFX11; errata by [`crate::errata`].

use super::graph::{Graph, Step};
use super::{Options, Raw};
use crate::errata::{Rule, Severity};
use crate::object::descriptor::DESCRIPTOR_BYTES;
use crate::object::{Arg, ArgKind, CodeObject, Denorm, Kernel, KernelDescriptor, Round};
use crate::target::{Target, GFX1100};

/// Bits that must be 0 in the words of a descriptor, by byte offset; what they are. Not among them: compute_pgm_rsrc1[9:6],
/// the SGPR count of older cards, which clang fills in and gfx11 ignores.
const RESERVED: &[(usize, u32, &str)] = &[
    (12, u32::MAX, "bytes 12 to 15"),
    (24, u32::MAX, "bytes 24 to 27"),
    (28, u32::MAX, "bytes 28 to 31"),
    (32, u32::MAX, "bytes 32 to 35"),
    (36, u32::MAX, "bytes 36 to 39"),
    (40, u32::MAX, "bytes 40 to 43"),
    (44, !0x3ff, "compute_pgm_rsrc3[31:10]"),
    (48, 0xc00, "compute_pgm_rsrc1[11:10] (priority)"),
    (48, 1 << 20, "compute_pgm_rsrc1[20] (privileged)"),
    (48, 1 << 22, "compute_pgm_rsrc1[22] (debug mode)"),
    (48, 3 << 24, "compute_pgm_rsrc1[25:24] (bulky, debugger)"),
    (48, 3 << 27, "compute_pgm_rsrc1[28:27]"),
    (
        52,
        1 << 6,
        "compute_pgm_rsrc2[6] (trap handler: set by the packet processor)",
    ),
    (
        52,
        3 << 13,
        "compute_pgm_rsrc2[14:13] (exceptions: set by the packet processor)",
    ),
    (
        52,
        0x1ff << 15,
        "compute_pgm_rsrc2[23:15] (LDS size: set by the packet processor)",
    ),
    (52, 1 << 31, "compute_pgm_rsrc2[31]"),
    (56, 0xf380, "kernel_code_properties[9:7] and [15:12]"),
    (56, 0xffff_0000, "kernarg_preload (not on gfx11)"),
    (60, u32::MAX, "bytes 60 to 63"),
];

/// User SGPRs there are (RDNA3 ISA manual 3.12: COMPUTE_USER_DATA_0 to 15).
const MOST_USER_SGPRS: u32 = 16;

/// Checks a kernel's descriptor.
pub(super) fn check(object: &CodeObject, kernel: &Kernel, graph: &Graph, options: &Options, raw: &mut Vec<Raw>) {
    let d = &kernel.descriptor;
    if let Some(bytes) = object.bytes(kernel.descriptor_vaddr, DESCRIPTOR_BYTES as u64) {
        bits(bytes, d, raw);
    }
    metadata(kernel, raw);
    target(object, raw);
    arguments(kernel, raw);
    sgprs(kernel, graph, raw);
    limits(d, raw);
    user_sgprs(d, raw);
    let target = object.target.with_wave_size(d.wave_size());
    init16(d, &target, graph, raw);
    if options.compiled {
        floats(d, raw);
        unfilled(d, graph, raw);
    }
}

/// The arithmetic the IR promises: to nearest, ties to even, denormals kept.
fn floats(d: &KernelDescriptor, raw: &mut Vec<Raw>) {
    let f = d.float_mode();
    for (what, round, denorm) in [
        ("32-bit", f.round_32, f.denorm_32),
        ("16- and 64-bit", f.round_16_64, f.denorm_16_64),
    ] {
        if round != Round::NearestEven {
            let text = format!("{what} floats round by mode {} ({round:?})", round as u32);
            raw.push(Raw::new("float-mode", None, text, "mode 0, to the nearest even"));
        }
        if denorm != Denorm::Keep {
            let text = format!("denormals of {what} floats have mode {} ({denorm:?})", denorm as u32);
            raw.push(Raw::new("float-mode", None, text, "mode 3, which keeps them"));
        }
    }
}

/// An SGPR that is read on some path before anything has filled it.
fn unfilled(d: &KernelDescriptor, graph: &Graph, raw: &mut Vec<Raw>) {
    let s = d.initial_sgprs();
    // The user SGPRs that no input is enabled for hold nothing; they lie between the inputs and the system SGPRs.
    let filled = (0..s.inputs).chain(d.user_sgprs()..s.count);
    let set = filled.fold(u64::MAX, |set, r| set & !(1u64.checked_shl(r).unwrap_or(0)));
    if let Some(at) = first_read(graph, set) {
        let text = "it reads an SGPR that neither the launch nor an instruction before it has filled";
        let fix = "enable the input in the descriptor, or write the register first";
        raw.push(Raw::new("unfilled-sgpr", Some(at), text, fix));
    }
}

fn bits(bytes: &[u8], d: &KernelDescriptor, raw: &mut Vec<Raw>) {
    let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    for &(at, mask, what) in RESERVED {
        let value = word(at) & mask;
        if value != 0 {
            let text = format!("{what} must be 0, there is {:#x}", value >> mask.trailing_zeros());
            raw.push(Raw::new("descriptor-bits", None, text, "0"));
        }
    }
    let mut wrong = |text: &str, fix: &str| raw.push(Raw::new("descriptor-bits", None, text, fix));
    if d.rsrc2 >> 11 & 3 == 3 {
        wrong(
            "compute_pgm_rsrc2[12:11] is 3: work-items have three ids",
            ".amdhsa_system_vgpr_workitem_id 0, 1 or 2",
        );
    }
    if !d.mem_ordered() {
        wrong(
            "compute_pgm_rsrc1[30] (MEM_ORDERED) is 0: loads return in any order and waits for counts mean nothing",
            ".amdhsa_memory_ordered 1",
        );
    }
    if d.properties & (1 | 1 << 5) != 0 {
        wrong(
            "kernel_code_properties ask for a private segment buffer or flat scratch init: these cards keep the scratch base themselves",
            ".amdhsa_user_sgpr_private_segment_buffer 0 and .amdhsa_user_sgpr_flat_scratch_init 0",
        );
    }
    if d.wave_size() == 32 && d.rsrc3 & 15 != 0 {
        wrong(
            "shared VGPRs exist for waves of 64 lanes only",
            ".amdhsa_shared_vgpr_count 0",
        );
    }
}

/// More than there is, and scratch memory that is asked for and not enabled.
fn limits(d: &KernelDescriptor, raw: &mut Vec<Raw>) {
    if d.vgprs() > GFX1100.max_vgprs {
        let text = format!(
            "the descriptor asks for {} VGPRs, a wave can have {}",
            d.vgprs(),
            GFX1100.max_vgprs
        );
        raw.push(Raw::new("vgpr-count", None, text, ".amdhsa_next_free_vgpr 256 at most"));
    }
    if d.group_segment_bytes > GFX1100.max_lds {
        let (have, most) = (d.group_segment_bytes, GFX1100.max_lds);
        let text = format!("the descriptor asks for {have} bytes of LDS, a workgroup can have {most}");
        let mut r = Raw::new("lds-size", None, text, "a smaller .amdhsa_group_segment_fixed_size");
        r.severity = Severity::Error;
        raw.push(r);
    }
    let told = raw.iter().any(|r| r.rule == "scratch-size");
    if d.private_segment_bytes > 0 && !d.scratch_enabled() && !told {
        let text = format!(
            "the descriptor asks for {} bytes of scratch and does not enable it",
            d.private_segment_bytes
        );
        raw.push(Raw::new("scratch-size", None, text, ".amdhsa_enable_private_segment 1"));
    }
}

fn metadata(kernel: &Kernel, raw: &mut Vec<Raw>) {
    let (Some(m), d) = (&kernel.metadata, &kernel.descriptor) else {
        return;
    };
    let mut differ = |what: &str, metadata: u32, descriptor: u32| {
        let text = format!("{what}: the metadata says {metadata}, the descriptor {descriptor}");
        raw.push(Raw::new("metadata-mismatch", None, text, "the same number in both"));
    };
    if d.kernarg_bytes != 0 && d.kernarg_bytes != m.kernarg_bytes {
        differ("bytes of arguments", m.kernarg_bytes, d.kernarg_bytes);
    }
    if d.group_segment_bytes != m.lds_bytes {
        differ("bytes of LDS", m.lds_bytes, d.group_segment_bytes);
    }
    if d.private_segment_bytes != m.scratch_bytes {
        differ("bytes of scratch", m.scratch_bytes, d.private_segment_bytes);
    }
    // The descriptor counts in granules, and may ask for more to hold back waves.
    if m.vgprs > d.vgprs() {
        differ("VGPRs", m.vgprs, d.vgprs());
    }
    if let Some((what, fix)) = m.impossible_group() {
        raw.push(Raw::new(
            "metadata-mismatch",
            None,
            format!("the metadata asks for {what}"),
            fix,
        ));
    }
    if m.wgp_mode.is_some_and(|on| on != d.wgp_mode()) {
        let text = format!(
            "workgroup processor mode: the metadata says {}, the descriptor {}",
            u32::from(!d.wgp_mode()),
            u32::from(d.wgp_mode())
        );
        let fix = ".amdhsa_workgroup_processor_mode and .workgroup_processor_mode alike";
        raw.push(Raw::new("metadata-mismatch", None, text, fix));
    }
    if m.wave_size != 0 && m.wave_size != d.wave_size() {
        let text = format!(
            "waves of {} lanes in the metadata, of {} in the descriptor",
            m.wave_size,
            d.wave_size()
        );
        raw.push(Raw::new("wave-size", None, text, "the same wave size in both"));
    }
}

/// The chip of the metadata and that of the ELF header, which loaders go by.
fn target(object: &CodeObject, raw: &mut Vec<Raw>) {
    let Some(named) = object.named_target.as_deref().filter(|n| *n != object.target.name) else {
        return;
    };
    let text = format!("the metadata is for {named}, e_flags for {}", object.target.name);
    raw.push(Raw::new(
        "metadata-mismatch",
        None,
        text,
        "amdhsa.target of the same chip",
    ));
}

/// Arguments that cannot all be passed: they overlap, or lie beyond the argument block. A pointer that is not aligned can be,
/// though it breaks the rule of AMDGPUUsage ("the offset must be a multiple of the alignment required by the argument").
/// Of values the alignment is not known: a structure may have that of its bytes.
fn arguments(kernel: &Kernel, raw: &mut Vec<Raw>) {
    let Some(m) = &kernel.metadata else { return };
    let name = |(k, a): (usize, &Arg)| match a.name.as_str() {
        "" => format!("argument {k} ({})", a.kind.name()),
        name => format!("argument {k} (`{name}`)"),
    };
    let end = |a: &Arg| u64::from(a.offset) + u64::from(a.size);
    let mut all: Vec<(usize, &Arg)> = m.args.iter().enumerate().filter(|(_, a)| a.size > 0).collect();
    for &(k, a) in &all {
        if end(a) > m.kernarg_bytes.into() {
            let text = format!(
                "{} ends at byte {}, the argument block at {}",
                name((k, a)),
                end(a),
                m.kernarg_bytes
            );
            let fix = "a larger .kernarg_segment_size, or another .offset";
            raw.push(Raw::new("arguments", None, text, fix));
        }
        if a.kind == ArgKind::GlobalBuffer && a.offset % 8 != 0 {
            let text = format!("{} is a pointer at byte {}, no multiple of 8", name((k, a)), a.offset);
            let mut r = Raw::new("arguments", None, text, "an .offset that is a multiple of 8");
            r.severity = Severity::Warning;
            raw.push(r);
        }
    }
    all.sort_by_key(|(_, a)| a.offset);
    for pair in all.windows(2) {
        let [first, second] = [pair[0], pair[1]];
        if end(first.1) > second.1.offset.into() {
            let text = format!(
                "{} ends at byte {}, {} begins at {}",
                name(first),
                end(first.1),
                name(second),
                second.1.offset
            );
            raw.push(Raw::new("arguments", None, text, "offsets that do not overlap"));
        }
    }
}

/// SGPRs that kernels can name, and VCC, which the metadata counts with them.
const MOST_SGPRS: u32 = 106 + 2;

/// The metadata's SGPR count, which tools show and gfx11 does not need: every wave has all of them.
fn sgprs(kernel: &Kernel, graph: &Graph, raw: &mut Vec<Raw>) {
    let Some(have) = kernel.metadata.as_ref().map(|m| m.sgprs).filter(|&n| n != 0) else {
        return;
    };
    let mut wrong = |at, text: String, fix: String| {
        let mut r = Raw::new("metadata-mismatch", at, text, fix);
        r.severity = Severity::Warning;
        raw.push(r);
    };
    if have > MOST_SGPRS {
        let text = format!("the metadata counts {have} SGPRs, a wave has 106 and VCC");
        wrong(None, text, format!(".sgpr_count {MOST_SGPRS} at most"));
    }
    let steps = || graph.steps.iter().filter(|s| !s.guessed);
    let highest = |s: &Step| {
        let named = [0, 1].map(|k| (s.facts.sread[k] | s.facts.swrite[k]) & NAMED[k]);
        (0..2)
            .rev()
            .find(|&k| named[k] != 0)
            .map(|k| 63 - named[k].leading_zeros() + 64 * k as u32)
    };
    let most = steps().filter_map(highest).max();
    let Some(most) = most.filter(|&r| r >= have) else {
        return;
    };
    let first = steps().find(|s| highest(s).is_some_and(|r| r >= have));
    let text = format!("the code uses SGPRs up to s{most}, the metadata counts {have}");
    wrong(first.map(|s| s.at), text, format!(".sgpr_count {}", most + 1));
}

/// s0 to s105 as a set of scalar registers.
const NAMED: [u64; 2] = [u64::MAX, (1 << (106 - 64)) - 1];

fn user_sgprs(d: &KernelDescriptor, raw: &mut Vec<Raw>) {
    let (have, need) = (d.user_sgprs(), d.initial_sgprs().inputs);
    if have < need || have > MOST_USER_SGPRS {
        let text =
            format!("{have} user SGPRs are declared, the enabled inputs take {need}, there are {MOST_USER_SGPRS}");
        raw.push(Raw::new(
            "user-sgprs",
            None,
            text,
            format!(".amdhsa_user_sgpr_count {need}"),
        ));
    }
}

/// [`Rule::UserSgprInit16`]: the launch fills fewer than 16 SGPRs, and the code reads one of the system ones it fills.
fn init16(d: &KernelDescriptor, target: &Target, graph: &Graph, raw: &mut Vec<Raw>) {
    let entry = Rule::UserSgprInit16.entry();
    let s = d.initial_sgprs();
    if s.count >= 16 || !(entry.applies)(target) {
        return;
    }
    let system = (d.user_sgprs()..s.count).fold(0u64, |set, r| set | 1 << r);
    if let Some(at) = first_read(graph, system) {
        let more = 16 - s.count + d.user_sgprs();
        let mut r = Raw::new(
            entry.name,
            Some(at),
            format!("{} ({} are initialised)", entry.triggered_by, s.count),
            format!(".amdhsa_user_sgpr_count {more}"),
        );
        r.severity = entry.severity;
        raw.push(r);
    }
}

/// The first instruction that reads one of these SGPRs as the launch left it.
fn first_read(graph: &Graph, set: u64) -> Option<u64> {
    let mut inputs = vec![0u64; graph.blocks.len()];
    let mut work: Vec<usize> = graph.entries.first().copied().into_iter().collect();
    work.iter().for_each(|&b| inputs[b] = set);
    while let Some(b) = work.pop() {
        let block = &graph.blocks[b];
        let mut left = inputs[b];
        for step in &graph.steps[block.steps.clone()] {
            if step.facts.sread[0] & left != 0 {
                return Some(step.at);
            }
            left &= !step.facts.swrite[0];
        }
        for &n in &block.next {
            if inputs[n] | left != inputs[n] {
                inputs[n] |= left;
                work.push(n);
            }
        }
    }
    None
}
