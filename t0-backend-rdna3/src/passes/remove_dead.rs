//! Removes instructions whose results nobody reads.
//!
//! Selection makes some values it turns out not to need (the length of a buffer, a 64-bit offset taken apart). Method:
//! counts the reads of every virtual register, removes ALU instructions and copies that only write unread ones, and
//! repeats for what those read. An instruction that writes SCC stays if a later one reads it before the next write.
//!
//! Before that goes what restores EXEC for nobody, at the end of a kernel: a move to EXEC after which every way reaches the end, or
//! another move, without an instruction that looks at EXEC.

use crate::isa::inst::specs_of;
use crate::isa::{Class, Flags, Operand, Reg, Role, Sop1};
use crate::mir::{MFunc, MInst, MOp, MOperand};

/// Runs the pass.
pub fn remove_dead(m: &mut MFunc) {
    remove_exec_moves(m);
    let mut reads = vec![0u32; m.vregs.len()];
    for i in m.blocks.iter().flat_map(|b| &b.insts) {
        count(i, |r| reads[r] += 1);
    }
    loop {
        let mut removed = false;
        for b in &mut m.blocks {
            // SCC is not live at the end of a block: branches that read it end the block.
            let mut scc = false;
            for at in (0..b.insts.len()).rev() {
                let i = &b.insts[at];
                let flags = i.opcode().map_or(Flags::NONE, |o| o.row().flags);
                if is_dead(i, &reads) && !(scc && flags.has(Flags::W_SCC)) {
                    count(i, |r| reads[r] -= 1);
                    b.insts.remove(at);
                    removed = true;
                    continue;
                }
                scc = (scc && !flags.has(Flags::W_SCC)) || flags.has(Flags::R_SCC);
            }
        }
        if !removed {
            return;
        }
    }
}

/// Removes moves to EXEC that nothing sees.
fn remove_exec_moves(m: &mut MFunc) {
    let n = m.blocks.len();
    let mut live = vec![false; n];
    loop {
        let before = live.clone();
        for b in (0..n).rev() {
            let out = m.successors(b).iter().any(|&s| live[s]);
            live[b] = m.blocks[b].insts.iter().rev().fold(out, exec_before);
        }
        if live == before {
            break;
        }
    }
    for b in 0..n {
        let mut needed = m.successors(b).iter().any(|&s| live[s]);
        for at in (0..m.blocks[b].insts.len()).rev() {
            let i = &m.blocks[b].insts[at];
            let unseen = moves_to_exec(i) && !needed;
            needed = exec_before(needed, i);
            if unseen {
                m.blocks[b].insts.remove(at);
            }
        }
    }
}

/// Whether EXEC is looked at from an instruction on, given whether it is after it.
fn exec_before(after: bool, i: &MInst) -> bool {
    let exec = MOperand::Isa(Operand::Reg(Reg::EXEC));
    let named = i.accesses().iter().zip(&i.operands).any(|(a, o)| a.use_ && *o == exec);
    let reads = match i.op {
        MOp::Isa(op) => {
            let flags = op.row().flags;
            flags.has(Flags::R_EXEC) && !flags.has(Flags::IGNORES_EXEC)
        }
        // It may become a move between vector registers.
        MOp::Copy => true,
        MOp::ImplicitDef => false,
    };
    named || reads || (after && !moves_to_exec(i))
}

fn moves_to_exec(i: &MInst) -> bool {
    let plain = i.opcode() == Some(Sop1::s_mov_b32.into());
    plain && i.operands[0] == MOperand::Isa(Operand::Reg(Reg::EXEC))
}

/// Calls `f` for every register an instruction reads without writing it (an accumulator does not keep itself alive).
fn count(i: &MInst, mut f: impl FnMut(usize)) {
    for (a, o) in i.accesses().iter().zip(&i.operands) {
        if let (true, false, MOperand::Virt(s)) = (a.use_, a.def, o) {
            f(s.reg.0 as usize);
        }
    }
}

fn is_dead(i: &MInst, reads: &[u32]) -> bool {
    let unread = |o: &MOperand| matches!(o, MOperand::Virt(s) if reads[s.reg.0 as usize] == 0);
    match i.op {
        MOp::Copy | MOp::ImplicitDef => unread(&i.operands[0]),
        MOp::Isa(op) => {
            let row = op.row();
            let removable = row.class == Class::Salu || row.class.is_valu() || row.class == Class::Smem;
            let hidden = [Flags::W_VCC, Flags::W_EXEC, Flags::W_M0, Flags::MODE]
                .iter()
                .any(|&f| row.flags.has(f));
            let mut results = specs_of(row, i.enc, i.mods.glc)
                .zip(&i.operands)
                .filter(|(s, _)| s.role != Role::Src)
                .peekable();
            removable && !hidden && results.peek().is_some() && results.all(|(_, o)| unread(o))
        }
    }
}
