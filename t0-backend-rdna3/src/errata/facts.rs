//! What the rules read of one instruction, worked out once.

use super::{local, Hit};
use crate::isa::{
    Class, Family, Flags, Inst, Kind, Opcode, Operand, OperandSpec, Reg, RegFile, Sop1, Sopk, Sopp, Ty, Vop1, Vop3,
};
use crate::target::Target;

/// A set of VGPRs: bit r of word r/64.
pub type VSet = [u64; 4];
/// A set of scalar registers by hardware number (VCC 106, M0 125, EXEC 126).
pub type SSet = [u64; 2];

/// MSG_DEALLOC_VGPRS (RDNA3 ISA manual, S_SENDMSG).
const DEALLOC_VGPRS: i64 = 3;

/// What the rules read of an instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Runs on the vector ALU.
    pub valu: bool,
    /// By the transcendental unit.
    pub trans: bool,
    /// Matrix multiply: the registers of A and B.
    pub wmma: Option<VSet>,
    /// `v_nop`.
    pub v_nop: bool,
    /// `s_nop`.
    pub s_nop: bool,
    /// Waits by itself for all VALU results before it issues: memory, LDS, exports.
    pub waits_for_valu: bool,
    /// Vector memory or LDS.
    pub memory: bool,
    /// Scalar ALU.
    pub salu: bool,
    /// Branches or jumps; the scalar registers that decide are read by the scalar ALU.
    pub branch: bool,
    /// VGPRs read.
    pub vread: VSet,
    /// VGPRs written.
    pub vwrite: VSet,
    /// Lanes or bits of the VGPRs written may stay as they were although EXEC has the lane: DPP, single lanes, 16-bit
    /// results, registers that M0 chooses.
    pub partial: bool,
    /// Scalar registers read.
    pub sread: SSet,
    /// Scalar registers written.
    pub swrite: SSet,
    /// Of a wave of 64 lanes.
    pub wave64: bool,
    /// Scalar registers a VALU instruction reads as lane mask.
    pub masks: SSet,
    /// A VALU instruction that reads a scalar register other than masks, or a literal.
    pub other_scalar: bool,
    /// Different VGPR operands a VALU instruction of a 64-lane wave reads; a run of registers is one.
    pub vector_sources: u32,
    /// Moves data between lanes: DPP, permlane.
    pub cross_lane: bool,
    /// `v_permlane*`: its source.
    pub permlane: Option<u32>,
    /// Dual issue: VGPRs that both halves read through one port with one parity.
    pub same_parity: Option<VSet>,
    /// Dual-issue pair.
    pub vopd: bool,
    /// Value of an `s_waitcnt_depctr`.
    pub depctr: Option<u32>,
    /// Instructions an `s_clause` covers.
    pub clause: Option<u32>,
    /// Cache invalidation.
    pub cache_inv: bool,
    /// `s_sendmsg` that frees the VGPRs.
    pub dealloc: bool,
    /// Jumps through a register: a call, or its return.
    pub call: bool,
    /// The wave ends.
    pub end: bool,
    /// Store to scratch memory.
    pub scratch_store: bool,
    /// Waits for all stores.
    pub stores_done: bool,
    /// LDS-direct load: destination and `wait_vdst`.
    pub lds_direct: Option<(u32, u32)>,
    /// What is wrong with the instruction by itself.
    pub local: Vec<Hit>,
}

/// Whether two sets have a register in common.
pub(crate) fn overlap<const N: usize>(a: &[u64; N], b: &[u64; N]) -> bool {
    a.iter().zip(b).any(|(x, y)| x & y != 0)
}

/// The first register in both sets.
pub(crate) fn first<const N: usize>(a: &[u64; N], b: &[u64; N]) -> Option<u32> {
    (0..N).find_map(|k| {
        let both = a[k] & b[k];
        (both != 0).then(|| both.trailing_zeros() + 64 * k as u32)
    })
}

/// Adds a run of registers, as far as the set goes.
fn add<const N: usize>(set: &mut [u64; N], mut first: u32, mut count: u32) {
    while let Some(word) = set.get_mut((first / 64) as usize).filter(|_| count > 0) {
        let bit = first % 64;
        let n = count.min(64 - bit);
        *word |= (u64::MAX >> (64 - n)) << bit;
        first += n;
        count -= n;
    }
}

fn add_reg(v: &mut VSet, s: &mut SSet, r: Reg) {
    match r.file {
        RegFile::V => add(v, r.index, r.count),
        RegFile::S => add(s, r.index, r.count),
    }
}

pub(crate) fn of_regs(regs: &[Reg]) -> (VSet, SSet) {
    let (mut v, mut s) = ([0; 4], [0; 2]);
    regs.iter().for_each(|&r| add_reg(&mut v, &mut s, r));
    (v, s)
}

fn imm(inst: &Inst) -> Option<i64> {
    inst.operands.iter().find_map(|o| match o {
        Operand::Imm(v) => Some(*v),
        _ => None,
    })
}

/// Whether a VALU instruction may leave lanes or bits of its VGPR results as they were. 16-bit results keep the other half of
/// the register (RDNA3 ISA manual 7.2.1; LLVM's true16 instructions).
fn writes_in_part(inst: &Inst) -> bool {
    let row = inst.row();
    let narrow = |s: &OperandSpec| s.is_dst() && (s.ty.bits() < 32 || inst.keeps_half(s));
    inst.enc.is_dpp()
        || row.class == Class::ValuLane
        || row.flags.has(Flags::R_M0)
        || inst.spec_list().iter().any(narrow)
}

impl Facts {
    /// The facts of an instruction on a card and wave size.
    pub fn of(inst: &Inst, target: &Target) -> Facts {
        let row = inst.row();
        let flags = inst.flags();
        let valu = row.class.is_valu();
        let memory = row.class.is_vmem() || row.class.is_lds();
        let (mut vread, mut sread) = ([0; 4], [0; 2]);
        inst.each_read(target.wave_size, |r| add_reg(&mut vread, &mut sread, r));
        let (mut vwrite, mut swrite) = ([0; 4], [0; 2]);
        inst.each_write(target.wave_size, |r| add_reg(&mut vwrite, &mut swrite, r));
        let mut f = Facts {
            valu,
            // Of the f64 instructions these, too: LLVM's VOP1 rows say TRANS, and clang waits behind them.
            trans: row.class == Class::ValuTrans
                || matches!(
                    inst.op,
                    Opcode::Vop1(Vop1::v_rcp_f64 | Vop1::v_rsq_f64 | Vop1::v_sqrt_f64)
                ),
            v_nop: matches!(inst.op, Opcode::Vop1(Vop1::v_nop)),
            s_nop: matches!(inst.op, Opcode::Sopp(Sopp::s_nop)),
            waits_for_valu: memory || row.class == Class::Export,
            memory,
            salu: row.class == Class::Salu,
            branch: row.class == Class::Branch,
            vread,
            vwrite,
            sread,
            swrite,
            wave64: target.wave_size == 64,
            vopd: inst.vopd_y.is_some(),
            cache_inv: matches!(row.class, Class::SmemInv | Class::VmemInv),
            call: matches!(inst.op, Opcode::Sop1(Sop1::s_setpc_b64 | Sop1::s_swappc_b64)),
            end: row.class == Class::End,
            scratch_store: row.class == Class::VmemStore && flags.has(Flags::SCRATCH),
            ..Facts::default()
        };
        match inst.op {
            Opcode::Sopp(Sopp::s_waitcnt_depctr) => f.depctr = imm(inst).map(|v| v as u32),
            Opcode::Sopp(Sopp::s_clause) => f.clause = imm(inst).map(|v| (v as u32 & 63) + 1),
            Opcode::Sopp(Sopp::s_sendmsg) => f.dealloc = imm(inst) == Some(DEALLOC_VGPRS),
            Opcode::Sopk(Sopk::s_waitcnt_vscnt) => f.stores_done = imm(inst).is_some_and(|n| n & 63 == 0),
            Opcode::Vop3(Vop3::v_permlane16_b32 | Vop3::v_permlanex16_b32) | Opcode::Vop1(Vop1::v_permlane64_b32) => {
                f.permlane = inst.operands.get(1).and_then(|o| o.reg()).map(|r| r.index);
            }
            _ => {}
        }
        f.cross_lane = inst.enc.is_dpp() || f.permlane.is_some();
        f.partial = valu && writes_in_part(inst);
        if row.family == Family::Ldsdir {
            f.lds_direct = inst
                .operands
                .first()
                .and_then(|o| o.reg())
                .map(|r| (r.index, inst.mods.wait));
        }
        if valu {
            f.vector_facts(inst, target);
        }
        f.local = local::hits(inst, &f, target);
        f
    }

    fn vector_facts(&mut self, inst: &Inst, target: &Target) {
        let row = inst.row();
        if row.class == Class::Wmma {
            let inputs: Vec<Reg> = inst.operands.iter().skip(1).take(2).filter_map(|o| o.reg()).collect();
            self.wmma = Some(of_regs(&inputs).0);
        }
        if row.flags.has(Flags::R_VCC) {
            add(&mut self.masks, 106, target.wave_size / 32);
        }
        // Counted for waves of 64 only: nobody else asks.
        let mut vectors: Vec<Reg> = Vec::new();
        for (spec, o) in inst.spec_list().iter().zip(&inst.operands) {
            if let (Some(r), true) = (o.reg(), spec.is_src()) {
                if self.wave64 && r.file == RegFile::V && !vectors.contains(&r) {
                    vectors.push(r);
                }
            }
            let mask = spec.ty == Ty::Mask || matches!(spec.kind, Kind::Mask | Kind::Vcc);
            match o {
                Operand::Reg(r) if r.file == RegFile::S && spec.is_src() && !r.is_null() => {
                    if mask {
                        add(&mut self.masks, r.index, target.wave_size / 32);
                    } else {
                        self.other_scalar = true;
                    }
                }
                Operand::Literal(_) => self.other_scalar = true,
                _ => {}
            }
        }
        self.vector_sources = vectors.len() as u32;
        if inst.vopd_y.is_some() {
            self.same_parity = local::same_parity(inst);
        }
    }

    /// True when the instruction can set a trap or run into one by itself, so that [`State`](super::State) must see it even
    /// when nothing is pending.
    pub fn matters(&self) -> bool {
        self.trans
            || self.wmma.is_some()
            || self.valu && self.swrite[1] >> (126 - 64) & 1 == 1
            || !self.local.is_empty()
            || self.clause.is_some()
            || self.dealloc
            || self.scratch_store
            || self.stores_done
            || self.s_nop
            || self.masks != [0; 2] && self.wave64
            || self.lds_direct.is_some()
    }

    /// True for an instruction whose rule looks at the VALU writes before it.
    pub fn looks_back(&self, target: &Target) -> bool {
        self.same_parity.is_some()
            || self.lds_direct.is_some()
            || self.vopd && target.name == "gfx1150"
            || target.wave_size == 64 && self.salu && self.swrite[1] >> (126 - 64) & 3 != 0
    }
}
