//! Hazards, errata and silent traps of gfx11: one table for everybody.
//!
//! Problem: some sequences of valid instructions give wrong results on the card, because the hardware does not interlock
//! them or because of a fault in the silicon. Method: every one is an entry of [`ERRATA`], found by one state machine
//! ([`State`]) that looks at instructions in the order they execute. The compiler's pass `fix_hazards` inserts what
//! [`Fix`] says, the static checker walks every path with it, the simulated card walks the path taken with it: the three
//! cannot disagree. Invariant: a rule is decided in `state` (sequences) or `local` (single instructions) and nowhere else.
//!
//! Adding one: an entry here, its trigger in one of the two files, and a file in `tests/files/errata` with a triggering
//! sequence, its mended form and a near miss that must stay silent.

mod facts;
mod local;
mod state;

pub(crate) use facts::first;
pub use facts::{Facts, SSet, VSet};
pub use state::{Hit, State};

use crate::isa::{Inst, Operand, Reg, Sopp, Vop1};
use crate::target::{Feature, Target};

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Doubtful: sources disagree, or it may be meant.
    Warning,
    /// Wrong results, or worse, on the card.
    Error,
}

impl std::fmt::Display for Severity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Severity::Warning => "warning",
            Severity::Error => "error",
        })
    }
}

/// The rules, one per entry of [`ERRATA`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)] // the entries say what they are
pub enum Rule {
    ValuTransUse,
    WmmaAfterD,
    WmmaOverlap,
    VcmpxPermlane,
    VcmpxPermlaneNop,
    ValuPartialForwarding,
    ValuMaskWrite,
    ValuMaskWriteValu,
    Wave64SameSgpr,
    LdsDirectValu,
    LdsDirectVmem,
    DeallocVgprsNop,
    DeallocVgprsScratch,
    CacheInvInClause,
    VopdParity,
    VopdAfterDpp,
    MadOverlap,
    PkFmacConstant,
    PkFmacDpp,
    F16IntegerConstant,
    UserSgprInit16,
    FlatOffset,
    ScratchNegativeBase,
    FloatAtomicFineGrained,
}

/// Where a rule can be decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// From the instructions alone.
    Code,
    /// From the kernel descriptor.
    Descriptor,
    /// Only from the values a run has in its registers: found by the simulated card.
    Values,
}

/// One entry.
#[derive(Clone, Copy, Debug)]
pub struct Erratum {
    /// The rule.
    pub rule: Rule,
    /// Stable name in reports: LLVM's or ACO's where they have one.
    pub name: &'static str,
    /// Error or warning.
    pub severity: Severity,
    /// Where it is decided.
    pub scope: Scope,
    /// Which cards (and wave sizes) have it.
    pub applies: fn(&Target) -> bool,
    /// Triggered by.
    pub triggered_by: &'static str,
    /// Mitigated by.
    pub mitigated_by: &'static str,
    /// Where it is known from.
    pub source: &'static str,
    /// When the source said so: year and month.
    pub date: &'static str,
}

const ALL: fn(&Target) -> bool = |_| true;
const WAVE64: fn(&Target) -> bool = |t| t.wave_size == 64;
const GFX110X: fn(&Target) -> bool = |t| t.has(Feature::ValuTransUseHazard);

/// Every entry, in the order of [`Rule`].
#[rustfmt::skip]
pub const ERRATA: &[Erratum] = &[
    Erratum {
        rule: Rule::ValuTransUse, name: "valu-trans-use", severity: Severity::Error, scope: Scope::Code, applies: GFX110X,
        triggered_by: "a VALU instruction reads a VGPR that a transcendental wrote, with at most 5 VALU and at most 1 transcendental issued in between",
        mitigated_by: "s_waitcnt_depctr 0xfff (va_vdst 0) before the read, a memory instruction, or more VALU in between",
        source: "LLVM GCNHazardRecognizer::fixVALUTransUseHazard, Mesa ACO README-ISA", date: "2022-10",
    },
    Erratum {
        rule: Rule::WmmaAfterD, name: "wmma-after-d", severity: Severity::Error, scope: Scope::Code, applies: ALL,
        triggered_by: "A or B of a v_wmma overlaps D of the v_wmma before it, no VALU instruction in between",
        mitigated_by: "v_nop or any independent VALU instruction in between; C may be the previous D",
        source: "RDNA3 ISA manual 7.9, LLVM fixWMMAHazards, llvm/llvm-project#76143", date: "2023-12",
    },
    Erratum {
        rule: Rule::WmmaOverlap, name: "wmma-overlap", severity: Severity::Error, scope: Scope::Code, applies: ALL,
        triggered_by: "D of a v_wmma overlaps its own A or B, or its C without being C: D is written while they are still read",
        mitigated_by: "other registers for D",
        source: "LLVM VOP3PInstructions.td (D early-clobber unless tied to C)", date: "2022-07",
    },
    Erratum {
        rule: Rule::VcmpxPermlane, name: "vcmpx-permlane", severity: Severity::Error, scope: Scope::Code, applies: ALL,
        triggered_by: "v_permlane* after a VALU write of EXEC (v_cmpx), no VALU instruction in between",
        mitigated_by: "v_mov_b32 of the source to itself in between",
        source: "LLVM fixVcmpxPermlaneHazards, Mesa ACO README-ISA (VcmpxPermlaneHazard)", date: "2020-05",
    },
    Erratum {
        rule: Rule::VcmpxPermlaneNop, name: "vcmpx-permlane-nop", severity: Severity::Warning, scope: Scope::Code, applies: ALL,
        triggered_by: "v_permlane* after v_cmpx with nothing but v_nop in between: AMD's text quoted in LLVM says v_nop is enough on gfx11, ACO and LLVM's code do not count it",
        mitigated_by: "v_mov_b32 of the source to itself instead of v_nop",
        source: "llvm/llvm-project#78856 against Mesa ACO README-ISA", date: "2024-01",
    },
    Erratum {
        rule: Rule::ValuPartialForwarding, name: "valu-partial-forwarding", severity: Severity::Error, scope: Scope::Code, applies: WAVE64,
        triggered_by: "a VALU instruction reads two VGPRs as different operands, one written before and one after a SALU write of EXEC, with fewer than 3 VALU between the two writes and fewer than 5 between the second and the read",
        mitigated_by: "s_waitcnt_depctr 0xfff (va_vdst 0) before the read",
        source: "LLVM fixVALUPartialForwardingHazard, Mesa ACO README-ISA", date: "2022-10",
    },
    Erratum {
        rule: Rule::ValuMaskWrite, name: "valu-mask-write", severity: Severity::Error, scope: Scope::Code, applies: WAVE64,
        triggered_by: "a VALU instruction read an SGPR as lane mask, a SALU instruction writes it afterwards, and then SALU or VALU reads it",
        mitigated_by: "s_waitcnt_depctr sa_sdst(0) after the write; a VALU read of another SGPR or a literal before it",
        source: "LLVM fixVALUMaskWriteHazard, Mesa ACO README-ISA", date: "2022-10",
    },
    // A warning: LLVM to 20 and what it compiled leave these out, and no failure on a card is told of.
    Erratum {
        rule: Rule::ValuMaskWriteValu, name: "valu-mask-write-valu", severity: Severity::Warning, scope: Scope::Code, applies: WAVE64,
        triggered_by: "a VALU instruction read an SGPR as lane mask, a VALU instruction writes it afterwards, and then SALU or VALU reads it",
        mitigated_by: "s_waitcnt_depctr va_sdst(0) or va_vcc(0) after the write; a VALU read of another SGPR or a literal before it",
        source: "llvm/llvm-project#138663 (LLVM 21)", date: "2025-05",
    },
    Erratum {
        rule: Rule::Wave64SameSgpr, name: "wave64-same-sgpr", severity: Severity::Warning, scope: Scope::Code, applies: WAVE64,
        triggered_by: "a VALU instruction of a 64-lane wave reads an SGPR as value and writes it: its second pass sees the new value",
        mitigated_by: "another SGPR for the result",
        source: "RDNA3 ISA manual 7.2.3; clang 19 -O0 writes v_cmp over its own source, so a warning. UNVERIFIED(hw): what the second pass reads", date: "2023-02",
    },
    Erratum {
        rule: Rule::LdsDirectValu, name: "lds-direct-valu", severity: Severity::Error, scope: Scope::Code, applies: ALL,
        triggered_by: "lds_direct_load or lds_param_load writes a VGPR that a VALU instruction read or wrote, with more VALU still outstanding than its wait_vdst allows for (any, with a transcendental)",
        mitigated_by: "a smaller wait_vdst, or s_waitcnt_depctr 0xfff before it",
        source: "LLVM fixLdsDirectVALUHazard, Mesa ACO README-ISA (LdsDirectVALUHazard)", date: "2022-06",
    },
    Erratum {
        rule: Rule::LdsDirectVmem, name: "lds-direct-vmem", severity: Severity::Error, scope: Scope::Code, applies: ALL,
        triggered_by: "lds_direct_load or lds_param_load writes a VGPR that a memory instruction before it uses, no VALU in between",
        mitigated_by: "a VALU instruction, or s_waitcnt_depctr vm_vsrc(0), in between",
        source: "LLVM fixLdsDirectVMEMHazard, Mesa ACO README-ISA (LdsDirectVMEMHazard)", date: "2022-06",
    },
    Erratum {
        rule: Rule::DeallocVgprsNop, name: "dealloc-vgprs-nop", severity: Severity::Error, scope: Scope::Code, applies: ALL,
        triggered_by: "s_sendmsg MSG_DEALLOC_VGPRS without an s_nop right before it",
        mitigated_by: "s_nop 0 before the message",
        source: "LLVM SIInsertWaitcnts (gfx11 s_nop before dealloc), llvm/llvm-project#72245, Mesa ACO", date: "2023-11",
    },
    Erratum {
        rule: Rule::DeallocVgprsScratch, name: "dealloc-vgprs-scratch", severity: Severity::Error, scope: Scope::Code, applies: ALL,
        triggered_by: "s_sendmsg MSG_DEALLOC_VGPRS while a store to scratch memory is outstanding, or followed by anything but s_endpgm",
        mitigated_by: "s_waitcnt_vscnt null, 0x0 before the message, or no message",
        source: "llvm/llvm-project#77439, #112765, #178401, #178748", date: "2026-01",
    },
    Erratum {
        rule: Rule::CacheInvInClause, name: "cache-inv-in-clause", severity: Severity::Error, scope: Scope::Code, applies: ALL,
        triggered_by: "a cache invalidation (s_dcache_inv, s_gl1_inv, buffer_gl*_inv) inside an s_clause",
        mitigated_by: "end the clause before it",
        source: "RDNA3 ISA manual 5.2 and 8.3", date: "2023-02",
    },
    Erratum {
        rule: Rule::VopdParity, name: "vopd-parity", severity: Severity::Warning, scope: Scope::Code, applies: ALL,
        triggered_by: "both halves of a dual-issue pair read a VGPR of the same parity through the same source port (both src0 or both src1) and one of the two was written by one of the 4 VALU instructions before",
        mitigated_by: "sources of opposite parity, or s_waitcnt_depctr 0xfff before the pair",
        source: "llvm/llvm-project#220348; UNVERIFIED(hw): how many instructions back the producer may be", date: "2026-09",
    },
    Erratum {
        rule: Rule::VopdAfterDpp, name: "vopd-after-dpp", severity: Severity::Warning, scope: Scope::Code, applies: |t| t.name == "gfx1150",
        triggered_by: "a dual-issue pair reads a VGPR that a DPP or permlane instruction wrote as one of the 4 VALU instructions before",
        mitigated_by: "s_waitcnt_depctr 0xfff before the pair, or two instructions instead of the pair",
        source: "ROCm/aotriton#183 (gfx1150 wrong, gfx1151 clean; not shown for gfx110x)", date: "2026-06",
    },
    Erratum {
        rule: Rule::MadOverlap, name: "mad-u64-overlap", severity: Severity::Error, scope: Scope::Code, applies: GFX110X,
        triggered_by: "the VGPR result of v_mad_u64_u32 or v_mad_i64_i32 overlaps one of its sources (but for its low half in the high half of the addend, which is anything where only 32 bits are wanted)",
        mitigated_by: "other registers for the result",
        source: "llvm/llvm-project#57610, #59358, #79460, #108353 (FeatureMADIntraFwdBug, gfx11.0 only)", date: "2024-01",
    },
    Erratum {
        rule: Rule::PkFmacConstant, name: "pk-fmac-constant", severity: Severity::Warning, scope: Scope::Code, applies: ALL,
        triggered_by: "v_pk_fmac_f16 with an inline constant: gfx11 puts it into both halves, gfx10 into the low one; tools disagree",
        mitigated_by: "the constant in a register or as a literal",
        source: "llvm/llvm-project#94116 (measured on Navi31)", date: "2024-06",
    },
    Erratum {
        rule: Rule::PkFmacDpp, name: "pk-fmac-dpp", severity: Severity::Error, scope: Scope::Code, applies: ALL,
        triggered_by: "v_pk_fmac_f16 with DPP: it does not work on RDNA3, although the manual lists it",
        mitigated_by: "v_mov_b32 with DPP first, then v_pk_fmac_f16",
        source: "Mesa ACO README-ISA", date: "2023-06",
    },
    Erratum {
        rule: Rule::F16IntegerConstant, name: "f16-integer-constant", severity: Severity::Warning, scope: Scope::Code, applies: ALL,
        triggered_by: "a float inline constant as the integer source of a 16-bit class test or ldexp: the hardware reads it as f16, some tools as f32",
        mitigated_by: "the value in a register",
        source: "llvm/llvm-project#58167", date: "2022-10",
    },
    Erratum {
        rule: Rule::UserSgprInit16, name: "user-sgpr-init16", severity: Severity::Error, scope: Scope::Descriptor, applies: |t| t.has(Feature::UserSgprInit16Bug) && t.wave_size == 32,
        triggered_by: "a 32-lane kernel with fewer than 16 SGPRs initialised at launch (user plus system SGPRs) that uses the system ones",
        mitigated_by: "a higher user SGPR count in the descriptor, so that both together are 16",
        source: "LLVM FeatureUserSGPRInit16Bug (gfx1100, gfx1102)", date: "2022-08",
    },
    Erratum {
        rule: Rule::FlatOffset, name: "flat-offset", severity: Severity::Error, scope: Scope::Values, applies: ALL,
        triggered_by: "the address register of a flat access is outside of the aperture its offset brings it into: the aperture is chosen by the register alone",
        mitigated_by: "add the offset to the register; global_* or ds_* where the space is known",
        source: "ROCm/ROCm#4389, llvm/llvm-project#153001, #165427", date: "2026-08",
    },
    Erratum {
        rule: Rule::ScratchNegativeBase, name: "scratch-negative-base", severity: Severity::Error, scope: Scope::Values, applies: ALL,
        triggered_by: "the register part of a scratch address is negative, its offset brings it back",
        mitigated_by: "add the offset to the register",
        source: "llvm/llvm-project#70634, #78193, #130616", date: "2024-01",
    },
    Erratum {
        rule: Rule::FloatAtomicFineGrained, name: "float-atomic-fine-grained", severity: Severity::Error, scope: Scope::Values, applies: ALL,
        triggered_by: "a float atomic on fine-grained (host or uncached) memory: the card drops the addition without a fault",
        mitigated_by: "a compare-and-swap loop, or VRAM",
        source: "triton-lang/triton#10371, #10408, ROCm/hrx-system#255", date: "2026-07",
    },
];

impl Rule {
    /// The entry.
    pub fn entry(self) -> &'static Erratum {
        &ERRATA[self as usize]
    }

    /// Stable name in reports.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// Error or warning.
    pub fn severity(self) -> Severity {
        self.entry().severity
    }
}

/// What goes before the instruction that would run into a trap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fix {
    /// `s_waitcnt_depctr` with this value.
    Depctr(u32),
    /// `v_nop`.
    VNop,
    /// `v_mov_b32` of this VGPR to itself.
    Mov(u32),
    /// `s_nop 0`.
    SNop,
    /// Nothing helps but other registers, operands or another order.
    Rewrite,
}

/// va_vdst(0): all VALU results written (LLVM emits the same value).
pub const VA_VDST_0: u32 = 0x0fff;
/// sa_sdst(0).
pub const SA_SDST_0: u32 = 0xfffe;
/// va_sdst(0).
pub const VA_SDST_0: u32 = 0xf1ff;
/// va_vcc(0).
pub const VA_VCC_0: u32 = 0xfffd;
/// vm_vsrc(0).
pub const VM_VSRC_0: u32 = 0xffe3;

impl Fix {
    /// The instruction to insert; `None` for [`Fix::Rewrite`].
    pub fn inst(self) -> Option<Inst> {
        Some(match self {
            Fix::Depctr(value) => Inst::new(Sopp::s_waitcnt_depctr, vec![Operand::Imm(value.into())]),
            Fix::VNop => Inst::new(Vop1::v_nop, vec![]),
            Fix::Mov(v) => Inst::new(Vop1::v_mov_b32, vec![Operand::Reg(Reg::v(v)), Operand::Reg(Reg::v(v))]),
            Fix::SNop => Inst::new(Sopp::s_nop, vec![Operand::Imm(0)]),
            Fix::Rewrite => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_in_the_order_of_the_rules_and_complete() {
        let mut names = std::collections::BTreeSet::new();
        for (i, e) in ERRATA.iter().enumerate() {
            assert_eq!(e.rule as usize, i, "{}", e.name);
            assert!(names.insert(e.name), "{} twice", e.name);
            assert!(!e.triggered_by.is_empty() && !e.mitigated_by.is_empty() && !e.source.is_empty());
            let (year, month) = e.date.split_once('-').map_or((0, 0), |(y, m)| {
                (y.parse::<u32>().unwrap_or(0), m.parse::<u32>().unwrap_or(0))
            });
            assert!((2019..2030).contains(&year) && (1..=12).contains(&month), "{}", e.name);
        }
        assert_eq!(ERRATA.len(), Rule::FloatAtomicFineGrained as usize + 1);
    }
}
