//! Parts of the work-item id that the descriptor does not ask for.
//!
//! v0 holds the id at launch: x in bits 9:0, and as far as compute_pgm_rsrc2[12:11] asks for them y in bits 19:10 and z in bits
//! 29:20. Method: a forward dataflow over the kernel's own blocks of the registers that may hold v0 as the launch left it; a
//! `v_bfe_u32` that takes just y or z out of one is a read of it. Other ways to take a part out (shifts, masks) may be
//! arithmetic on x and are let pass, and called functions are not looked at. Workgroup ids that are not asked for
//! are SGPRs that nothing fills, which `undefined` finds. Source: LLVM AMDGPUUsage, "Initial Kernel Execution State".

use super::graph::{Graph, Leaves, Step};
use super::Raw;
use crate::errata::VSet;
use crate::isa::{Mods, Opcode, Operand, RegFile, Vop1, Vop3};
use crate::object::KernelDescriptor;

/// Bits of y and z: the first, and what the part is called.
static PARTS: [(u32, &str); 2] = [(10, "y"), (20, "z")];
/// Bits of a part.
const BITS: u32 = 10;

/// Checks the kernel itself.
pub(super) fn check(graph: &Graph, d: &KernelDescriptor, raw: &mut Vec<Raw>) {
    let missing = PARTS
        .get(d.work_item_dims().saturating_sub(1) as usize..)
        .unwrap_or_default();
    let Some(&entry) = graph.entries.first().filter(|_| !missing.is_empty()) else {
        return;
    };
    let mut inputs: Vec<VSet> = vec![[0; 4]; graph.blocks.len()];
    inputs[entry][0] = 1;
    let mut work = vec![entry];
    let mut found: Option<(u64, &str)> = None;
    while let Some(b) = work.pop() {
        let block = &graph.blocks[b];
        let mut holds = inputs[b];
        for s in &graph.steps[block.steps.clone()] {
            let part = missing.iter().find(|(first, _)| takes(s, *first, &holds));
            if let Some((_, name)) = part.filter(|_| found.is_none_or(|(at, _)| s.at < at)) {
                found = Some((s.at, *name));
            }
            step(s, &mut holds);
        }
        if matches!(block.leaves, Leaves::Calls(_)) {
            holds = [0; 4];
        }
        for &n in &block.next {
            let all: VSet = std::array::from_fn(|k| inputs[n][k] | holds[k]);
            if inputs[n] != all {
                inputs[n] = all;
                work.push(n);
            }
        }
    }
    if let Some((at, name)) = found {
        let text = format!("it reads the {name} part of the work-item id, which the descriptor does not ask for");
        let value = if name == "y" { 1 } else { 2 };
        let fix = format!(".amdhsa_system_vgpr_workitem_id {value}");
        raw.push(Raw::new("unfilled-work-item-id", Some(at), text, fix));
    }
}

fn has(set: &VSet, r: u32) -> bool {
    set.get((r / 64) as usize).is_some_and(|w| w >> (r % 64) & 1 == 1)
}

/// Whether the instruction takes the part that begins at bit `first` out of a register that holds the id.
fn takes(s: &Step, first: u32, holds: &VSet) -> bool {
    let Some(i) = s.inst.as_ref().filter(|i| i.op == Opcode::Vop3(Vop3::v_bfe_u32)) else {
        return false;
    };
    let number = |o: &Operand, n: u32| {
        matches!(o, Operand::Const(c) if c.checked_sub(128) == Some(n)) || *o == Operand::Literal(n)
    };
    match &i.operands[..] {
        [_, Operand::Reg(r), at, bits] => {
            r.file == RegFile::V && has(holds, r.index) && number(at, first) && number(bits, BITS)
        }
        _ => false,
    }
}

/// Goes over an instruction: a plain move copies, everything else that writes a register replaces what is there.
fn step(s: &Step, holds: &mut VSet) {
    let Some(i) = &s.inst else { return };
    let copies = i.op == Opcode::Vop1(Vop1::v_mov_b32) && !i.enc.is_dpp() && i.mods == Mods::for_op(i.op);
    let from = match i.operands.get(1) {
        Some(Operand::Reg(r)) if copies && r.file == RegFile::V => has(holds, r.index),
        _ => false,
    };
    for (h, w) in holds.iter_mut().zip(&s.facts.vwrite) {
        *h = if from { *h | w } else { *h & !w };
    }
}
