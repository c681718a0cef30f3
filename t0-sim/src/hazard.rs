//! Hazards the gfx11 hardware does not interlock: code that runs into one gets stale data on the card.
//!
//! Each entry: what triggers it, what mitigates it. Sources: LLVM 19 `GCNHazardRecognizer.cpp`
//! (`fixVALUTransUseHazard`, `fixWMMAHazards`, `fixVcmpxPermlaneHazards`), Mesa ACO `README-ISA.md`.

use crate::program::Instr;
use t0_backend_rdna3::isa::{Class, Flags, Inst, Opcode, Vop3};
use t0_backend_rdna3::target::{Feature, Target};

/// VALU instructions that may stand between without ending the VALUTransUse hazard.
const TRANS_VALUS: u64 = 5;
/// Transcendentals that may stand between without ending it.
const TRANS_TRANS: u64 = 1;
/// Recent transcendental writes worth remembering: the window holds no more.
const WINDOW: usize = 8;

/// A recent transcendental.
#[derive(Clone, Copy, Debug, Default)]
struct Trans {
    reg: u32,
    pc: u32,
    valu: u64,
    trans: u64,
}

/// A broken rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hazard {
    /// Triggered by: a VALU reads a VGPR a transcendental wrote with at most 5 VALU and at most 1 transcendental
    /// between. Mitigated by: `s_waitcnt_depctr va_vdst(0)`, a memory instruction, or more VALU between.
    ValuTransUse {
        /// The register.
        reg: u32,
        /// Program index of the transcendental.
        by: u32,
    },
    /// Triggered by: a WMMA whose A or B overlaps D of the WMMA right before it. Mitigated by: `v_nop` or any other
    /// VALU instruction between.
    WmmaAfterD {
        /// The first shared register.
        reg: u32,
        /// Program index of the earlier WMMA.
        by: u32,
    },
    /// Triggered by: `v_permlane*` right after `v_cmpx_*`. Mitigated by: any VALU between.
    VcmpxPermlane {
        /// Program index of the compare.
        by: u32,
    },
}

impl Hazard {
    /// Program index of the instruction that set the trap.
    pub fn by(self) -> u32 {
        match self {
            Hazard::ValuTransUse { by, .. } | Hazard::WmmaAfterD { by, .. } | Hazard::VcmpxPermlane { by } => by,
        }
    }
}

impl std::fmt::Display for Hazard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Hazard::ValuTransUse { reg, .. } => write!(
                f,
                "VALUTransUse hazard: v{reg} is read too soon after a transcendental wrote it; put `s_waitcnt_depctr 0xfff` before the read"
            ),
            Hazard::WmmaAfterD { reg, .. } => write!(
                f,
                "WMMA hazard: v{reg} is A or B here and D of the WMMA right before; put `v_nop` or another VALU instruction between"
            ),
            Hazard::VcmpxPermlane { .. } => {
                write!(f, "v_permlane right after v_cmpx reads a stale EXEC; put `v_nop` between")
            }
        }
    }
}

/// Recent instructions of a wave that endanger the next ones.
#[derive(Clone, Debug, Default)]
pub struct Hazards {
    valu: u64,
    transes: u64,
    recent: [Trans; WINDOW],
    /// Entries of `recent` in use.
    live: usize,
    wmma: Option<([u64; 4], u32)>,
    cmpx: Option<u32>,
    /// True when one of the three above can bite.
    armed: bool,
}

impl Hazards {
    /// Checks a VALU instruction about to execute and notes it.
    #[inline(always)]
    pub fn valu(&mut self, i: &Instr, pc: u32) -> Option<Hazard> {
        let bad = if self.armed { self.check(i) } else { None };
        self.valu += 1;
        if i.endangers {
            self.note(i, pc);
        }
        bad
    }

    fn check(&mut self, i: &Instr) -> Option<Hazard> {
        let mut kept = 0;
        let mut bad = None;
        for k in 0..self.live {
            let t = self.recent[k];
            if self.valu - t.valu > TRANS_VALUS || self.transes - t.trans > TRANS_TRANS {
                continue;
            }
            if i.vread[(t.reg / 64) as usize] >> (t.reg % 64) & 1 == 1 {
                bad = Some(Hazard::ValuTransUse { reg: t.reg, by: t.pc });
            }
            self.recent[kept] = t;
            kept += 1;
        }
        self.live = kept;
        let (wmma, cmpx) = (self.wmma.take(), self.cmpx.take());
        self.armed = kept > 0;
        if let (Some((d, by)), Class::Wmma) = (wmma, i.class) {
            bad = bad.or(wmma_overlap(i, &d).map(|reg| Hazard::WmmaAfterD { reg, by }));
        }
        if let (Some(by), Opcode::Vop3(Vop3::v_permlane16_b32 | Vop3::v_permlanex16_b32)) = (cmpx, i.op) {
            bad = bad.or(Some(Hazard::VcmpxPermlane { by }));
        }
        bad
    }

    fn note(&mut self, i: &Instr, pc: u32) {
        self.armed = true;
        match i.class {
            Class::Wmma => self.wmma = Some((i.vwrite, pc)),
            Class::ValuTrans => {
                self.transes += 1;
                if let crate::program::Dst::V(reg) = i.dst[0] {
                    if self.live == WINDOW {
                        self.recent.copy_within(1.., 0);
                        self.live -= 1;
                    }
                    self.recent[self.live] = Trans {
                        reg: u32::from(reg),
                        pc,
                        valu: self.valu,
                        trans: self.transes,
                    };
                    self.live += 1;
                }
            }
            _ => self.cmpx = Some(pc),
        }
    }

    /// Everything the vector ALU had in flight has been written: a memory instruction issued, or
    /// `s_waitcnt_depctr va_vdst(0)`.
    #[inline]
    pub fn valu_done(&mut self) {
        self.live = 0;
    }
}

/// True for an instruction that can set a trap for a later one. gfx115x waits for transcendentals by itself.
pub fn endangers(inst: &Inst, target: &Target) -> bool {
    let row = inst.row();
    row.class == Class::Wmma
        || row.class == Class::ValuTrans && target.has(Feature::ValuTransUseHazard)
        || matches!(inst.op, Opcode::Vopc(_)) && row.flags.has(Flags::W_EXEC)
}

/// The first register of A or B that lies in `d`. C may overlap: the hardware interlocks accumulation chains.
fn wmma_overlap(i: &Instr, d: &[u64; 4]) -> Option<u32> {
    if i.vread.iter().zip(d).all(|(read, d)| read & d == 0) {
        return None;
    }
    let regs = |ops: usize| match i.op.row().operands.get(ops) {
        Some(spec) => spec.ty.regs(),
        None => 0,
    };
    (0..2).find_map(|k| match i.src[k] {
        crate::program::Src::V(first) => {
            (u32::from(first)..u32::from(first) + regs(k + 1)).find(|r| d[(r / 64) as usize] >> (r % 64) & 1 == 1)
        }
        _ => None,
    })
}
