//! Hazards that the hardware leaves to software. Two of gfx11's can occur in code made here:
//!
//! * WMMA then WMMA. Triggered by: A or B of a `v_wmma` overlapping the result of the `v_wmma` before it, no VALU
//!   instruction in between. Mitigated by: `v_nop`. Source: RDNA3 ISA manual 7.9, LLVM `fixWMMAHazards`.
//! * VALUTransUse. Triggered by: a VALU instruction reading a VGPR that a transcendental wrote, with at most 5 VALU and at
//!   most 1 transcendental instruction issued in between. Mitigated by: `s_waitcnt_depctr` va_vdst(0). Source: LLVM
//!   `fixVALUTransUseHazard`, ACO README-ISA. VMEM, DS and SALU reads of SGPRs wait by themselves.
//!
//! The others of gfx11 need wave64, `v_cmpx` before a permlane, LDS-direct loads or freed VGPRs, which code made here does
//! not contain.
//!
//! Method: a forward dataflow over the blocks, since both can span a branch.

use super::phys::{PFunc, PInst};
use super::WAVE_SIZE;
use crate::isa::{Class, Inst, Operand, Reg, RegFile, Sopp, Vop1};
use crate::target::{Feature, Target};
use std::collections::{BTreeMap, BTreeSet};

/// va_vdst(0): all VALU results written (LLVM emits the same value).
const VA_VDST_0: i64 = 0x0fff;

#[derive(Clone, PartialEq, Default)]
struct State {
    /// Results of WMMAs that may be the last VALU instruction.
    wmma: BTreeSet<(u32, u32)>,
    /// VGPRs written by a transcendental: VALU and transcendental instructions issued since.
    trans: BTreeMap<u32, (u32, u32)>,
}

#[derive(PartialEq, Clone, Copy)]
enum Fix {
    Nop,
    Depctr,
}

impl State {
    fn fix(&self, i: &PInst, has_trans_hazard: bool) -> Option<Fix> {
        let class = i.inst.row().class;
        if class == Class::Wmma {
            let inputs: Vec<Reg> = i.inst.operands[1..3].iter().filter_map(|o| o.reg()).collect();
            let hit = self
                .wmma
                .iter()
                .any(|&(at, n)| inputs.iter().any(|r| r.overlaps(Reg::vn(at, n))));
            if hit {
                return Some(Fix::Nop);
            }
        }
        if has_trans_hazard && class.is_valu() {
            let reads = i.inst.reads(WAVE_SIZE);
            let hit = reads
                .iter()
                .filter(|r| r.file == RegFile::V)
                .flat_map(|r| r.index..r.index + r.count)
                .any(|v| self.trans.get(&v).is_some_and(|&(valu, trans)| valu <= 5 && trans <= 1));
            if hit {
                return Some(Fix::Depctr);
            }
        }
        None
    }

    fn fixed(&mut self, fix: Fix) {
        match fix {
            Fix::Nop => {
                self.wmma.clear();
                self.valu(false);
            }
            Fix::Depctr => self.trans.clear(),
        }
    }

    fn valu(&mut self, trans: bool) {
        for (valu, t) in self.trans.values_mut() {
            *valu += 1;
            *t += u32::from(trans);
        }
        self.trans.retain(|_, &mut (valu, t)| valu <= 5 && t <= 1);
    }

    fn issued(&mut self, i: &PInst) {
        let class = i.inst.row().class;
        if class.is_vmem() || class.is_lds() {
            self.trans.clear(); // these wait for all VALU results before they issue
        }
        if !class.is_valu() {
            return;
        }
        let trans = class == Class::ValuTrans;
        self.valu(trans);
        self.wmma.clear();
        for r in i.inst.writes(WAVE_SIZE).into_iter().filter(|r| r.file == RegFile::V) {
            for v in r.index..r.index + r.count {
                self.trans.remove(&v);
                if trans {
                    self.trans.insert(v, (0, 0));
                }
            }
            if class == Class::Wmma {
                self.wmma.insert((r.index, r.count));
            }
        }
    }

    fn meet(&mut self, other: &State) -> bool {
        let before = self.clone();
        self.wmma.extend(&other.wmma);
        for (&v, &(valu, trans)) in &other.trans {
            let mine = self.trans.entry(v).or_insert((valu, trans));
            *mine = (mine.0.min(valu), mine.1.min(trans));
        }
        *self != before
    }
}

/// Runs the pass.
pub fn fix_hazards(p: &mut PFunc, target: &Target) {
    let trans = target.has(Feature::ValuTransUseHazard);
    let mut inputs: Vec<Option<State>> = vec![None; p.blocks.len()];
    if !inputs.is_empty() {
        inputs[0] = Some(State::default());
    }
    let mut work = BTreeSet::from([0]);
    while let Some(b) = work.pop_first() {
        let Some(mut state) = inputs.get(b).cloned().flatten() else {
            continue;
        };
        for i in &p.blocks[b] {
            if let Some(fix) = state.fix(i, trans) {
                state.fixed(fix);
            }
            state.issued(i);
        }
        for s in p.successors(b) {
            let changed = match &mut inputs[s] {
                slot @ None => {
                    *slot = Some(state.clone());
                    true
                }
                Some(old) => old.meet(&state),
            };
            if changed {
                work.insert(s);
            }
        }
    }
    for (b, input) in inputs.into_iter().enumerate() {
        let Some(mut state) = input else { continue };
        let insts = std::mem::take(&mut p.blocks[b]);
        let mut out = Vec::with_capacity(insts.len());
        for i in insts {
            if let Some(fix) = state.fix(&i, trans) {
                let inst = match fix {
                    Fix::Nop => Inst::new(Vop1::v_nop, vec![]),
                    Fix::Depctr => Inst::new(Sopp::s_waitcnt_depctr, vec![Operand::Imm(VA_VDST_0)]),
                };
                out.push(PInst::new(inst, i.span));
                state.fixed(fix);
            }
            state.issued(&i);
            out.push(i);
        }
        p.blocks[b] = out;
    }
}
