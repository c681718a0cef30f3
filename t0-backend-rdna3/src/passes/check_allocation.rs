//! Checks a register assignment without trusting the allocator.
//!
//! Problem: an allocator that is wrong once in a thousand kernels is worse than none. Method, after regalloc2's checker:
//! a forward dataflow over the code as it was before allocation keeps, for every physical register, the set of virtual
//! dwords it is known to hold; paths that meet keep what both agree on. Every read must find its virtual dword in the
//! register it was given. Nothing of the allocator's data is used but the assignment itself.
//!
//! A write that leaves lanes or dwords alone must find its own register there before it writes.

use super::allocate::{physical, Assignment};
use crate::isa::{Operand, Reg, RegFile};
use crate::mir::{MFunc, MInst, MOp, MOperand, Sub, VReg};
use std::collections::BTreeSet;

/// A virtual dword.
type Dword = (VReg, u32);

/// A read that does not find its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Wrong {
    /// Block and instruction.
    pub at: (usize, usize),
    /// The virtual register expected.
    pub expected: Sub,
    /// The physical register looked in.
    pub found_in: Reg,
    /// The instruction.
    pub inst: String,
}

/// What each physical register holds; SGPRs first, then VGPRs.
#[derive(Clone, PartialEq)]
struct State(Vec<Vec<Dword>>);

const SCALARS: usize = 128;

fn slot(r: Reg, i: u32) -> usize {
    match r.file {
        RegFile::S => (r.index + i) as usize,
        RegFile::V => SCALARS + (r.index + i) as usize,
    }
}

impl State {
    /// Forgets where a dword is.
    fn forget(&mut self, dword: Dword) {
        for set in self.0.iter_mut().filter(|s| !s.is_empty()) {
            set.retain(|d| *d != dword);
        }
    }

    fn define(&mut self, m: &MFunc, a: &Assignment, s: Sub) {
        let r = physical(m, a, s);
        for k in 0..s.count {
            let dword = (s.reg, s.at + k);
            self.forget(dword);
            let set = &mut self.0[slot(r, k)];
            set.clear();
            set.push(dword);
        }
    }

    fn holds(&self, m: &MFunc, a: &Assignment, s: Sub) -> bool {
        let r = physical(m, a, s);
        (0..s.count).all(|k| self.0[slot(r, k)].contains(&(s.reg, s.at + k)))
    }
}

/// Checks an assignment: every read that does not find its value. Empty for a correct one.
pub fn check_allocation(m: &MFunc, a: &Assignment) -> Vec<Wrong> {
    let blank = State(vec![Vec::new(); SCALARS + 256]);
    let mut inputs: Vec<Option<State>> = vec![None; m.blocks.len()];
    if !inputs.is_empty() {
        inputs[0] = Some(blank);
    }
    let mut wrong = Vec::new();
    if !disjoint_operands(m, a, &mut wrong) {
        return wrong;
    }
    let mut work: BTreeSet<usize> = BTreeSet::from([0]);
    while let Some(b) = work.pop_first() {
        let Some(mut state) = inputs[b].clone() else { continue };
        for inst in &m.blocks[b].insts {
            step(m, a, inst, &mut state, &mut |_, _| {});
        }
        for s in m.successors(b) {
            let changed = match &mut inputs[s] {
                slot @ None => {
                    *slot = Some(state.clone());
                    true
                }
                Some(old) => meet(old, &state),
            };
            if changed {
                work.insert(s);
            }
        }
    }
    for (b, input) in inputs.iter().enumerate() {
        let Some(mut state) = input.clone() else { continue };
        for (i, inst) in m.blocks[b].insts.iter().enumerate() {
            step(m, a, inst, &mut state, &mut |s, r| {
                wrong.push(Wrong {
                    at: (b, i),
                    expected: s,
                    found_in: r,
                    inst: inst.to_string(),
                });
            });
        }
    }
    wrong
}

/// Keeps what both states agree on; true if that is less than before.
fn meet(old: &mut State, new: &State) -> bool {
    let mut changed = false;
    for (o, n) in old.0.iter_mut().zip(&new.0) {
        let before = o.len();
        o.retain(|d| n.contains(d));
        changed |= o.len() != before;
    }
    changed
}

fn step(m: &MFunc, a: &Assignment, inst: &MInst, state: &mut State, report: &mut dyn FnMut(Sub, Reg)) {
    let accesses = inst.accesses();
    for (access, o) in accesses.iter().zip(&inst.operands) {
        let MOperand::Virt(s) = *o else { continue };
        let keeps_lanes = access.def && m.info(s.reg).sticky && inst.op != MOp::ImplicitDef;
        if (access.use_ || keeps_lanes) && !state.holds(m, a, s) {
            report(s, physical(m, a, s));
        }
    }
    if let (MOp::Copy, Some(&MOperand::Virt(to))) = (inst.op, inst.operands.first()) {
        return copy(m, a, to, inst.operands[1], state);
    }
    for (access, o) in accesses.iter().zip(&inst.operands) {
        match *o {
            MOperand::Virt(s) if access.def => state.define(m, a, s),
            MOperand::Isa(Operand::Reg(r)) if access.def => {
                for k in 0..r.count {
                    if let Some(set) = state.0.get_mut(slot(r, k)) {
                        set.clear();
                    }
                }
            }
            _ => {}
        }
    }
}

/// After a copy the destination holds its own dwords and all that the source held.
fn copy(m: &MFunc, a: &Assignment, to: Sub, from: MOperand, state: &mut State) {
    let r = physical(m, a, to);
    let held: Vec<Vec<Dword>> = match from {
        MOperand::Virt(f) => {
            let src = physical(m, a, f);
            (0..to.count).map(|k| state.0[slot(src, k)].clone()).collect()
        }
        _ => vec![Vec::new(); to.count as usize],
    };
    for k in 0..to.count {
        state.forget((to.reg, to.at + k));
    }
    for (k, mut held) in held.into_iter().enumerate() {
        let sticky = m.info(to.reg).sticky;
        // Other lanes of a sticky register keep their values, so nothing else is known to be there.
        if sticky {
            held.clear();
        }
        held.retain(|d| d.0 != to.reg);
        held.push((to.reg, to.at + k as u32));
        state.0[slot(r, k as u32)] = held;
    }
}

/// Two results of one instruction, or a result and a source read late, must not share a register.
fn disjoint_operands(m: &MFunc, a: &Assignment, wrong: &mut Vec<Wrong>) -> bool {
    for (b, block) in m.blocks.iter().enumerate() {
        for (i, inst) in block.insts.iter().enumerate() {
            let accesses = inst.accesses();
            for (x, ox) in accesses
                .iter()
                .zip(&inst.operands)
                .enumerate()
                .filter(|(_, (a, _))| a.def)
            {
                for (y, oy) in accesses.iter().zip(&inst.operands).enumerate() {
                    let (MOperand::Virt(p), MOperand::Virt(q)) = (*ox.1, *oy.1) else {
                        continue;
                    };
                    let clash = x != y && (oy.0.late || (oy.0.def && x < y));
                    if clash && physical(m, a, p).overlaps(physical(m, a, q)) {
                        let found_in = physical(m, a, q);
                        wrong.push(Wrong {
                            at: (b, i),
                            expected: q,
                            found_in,
                            inst: inst.to_string(),
                        });
                    }
                }
            }
        }
    }
    wrong.is_empty()
}
