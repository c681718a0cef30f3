//! Loads of kernel arguments that the kernel does not have.
//!
//! Method: a forward dataflow over the kernel's own blocks of the pairs of SGPRs that may hold the address of the arguments as
//! the launch gave it; a scalar load through one, at a constant offset, that begins at or behind the end of the arguments
//! reads what nobody put there. One that begins within them may end behind them, since compilers load more than they need, but
//! not behind the cache line of 64 bytes. Called functions are not looked at, nor kernels whose descriptor does not say how many
//! bytes their arguments have. Source: LLVM AMDGPUUsage, "Kernel Descriptor", KERNARG_SIZE.

use super::graph::{Graph, Leaves, Step};
use super::Raw;
use crate::isa::{Class, Inst, Opcode, Operand, Reg, RegFile, Sop1};
use crate::object::Kernel;

/// Bytes of a cache line of the scalar unit.
const LINE: u64 = 64;

/// Checks the kernel itself.
pub(super) fn check(graph: &Graph, kernel: &Kernel, raw: &mut Vec<Raw>) {
    let d = &kernel.descriptor;
    let first = d.initial_sgprs().kernarg_ptr.filter(|_| d.kernarg_bytes > 0);
    let (Some(&entry), Some(first)) = (graph.entries.first(), first) else {
        return;
    };
    // A bit for each pair that begins at an even SGPR.
    let mut inputs = vec![0u64; graph.blocks.len()];
    inputs[entry] = pair(first);
    let mut work = vec![entry];
    while let Some(b) = work.pop() {
        let block = &graph.blocks[b];
        let steps = &graph.steps[block.steps.clone()];
        let mut holds = steps.iter().fold(inputs[b], step);
        if matches!(block.leaves, Leaves::Calls(_)) {
            holds = 0;
        }
        for &n in &block.next {
            if holds & !inputs[n] != 0 {
                inputs[n] |= holds;
                work.push(n);
            }
        }
    }
    for (block, &input) in graph.blocks.iter().zip(&inputs) {
        let mut holds = input;
        for s in &graph.steps[block.steps.clone()] {
            raw.extend(load(s, holds, d.kernarg_bytes));
            holds = step(holds, s);
        }
    }
}

/// The bit of the pair of SGPRs that `r` is the first of.
pub(super) fn pair(r: u32) -> u64 {
    match r % 2 {
        0 => 1u64.checked_shl(r / 2).unwrap_or(0),
        _ => 0,
    }
}

fn scalar(o: &Operand) -> Option<Reg> {
    o.reg().filter(|r| r.file == RegFile::S)
}

/// Goes over an instruction: a move of a pair copies, everything else that writes one replaces what is there.
pub(super) fn step(holds: u64, s: &Step) -> u64 {
    let written = (0..64).filter(|k| s.facts.swrite[k / 32] >> (2 * (k % 32)) & 3 != 0);
    let kept = holds & !written.fold(0, |m, k| m | 1 << k);
    match &s.inst {
        Some(i) if i.op == Opcode::Sop1(Sop1::s_mov_b64) => match &i.operands[..] {
            [Operand::Reg(to), from] if scalar(from).is_some_and(|r| holds & pair(r.index) != 0) => {
                kept | pair(to.index)
            }
            _ => kept,
        },
        _ => kept,
    }
}

/// The offset of a scalar load, when it is constant.
fn offset(i: &Inst) -> Option<i64> {
    match i.operands.get(2)? {
        Operand::Imm(n) => Some(*n),
        Operand::Reg(r) if r.is_null() => Some(i.mods.offset.into()),
        _ => None,
    }
}

/// What a scalar load through a pair of `holds` at a constant offset loads into, and that offset.
pub(super) fn loaded(i: &Inst, holds: u64) -> Option<(Reg, i64)> {
    if i.row().class != Class::Smem || !i.row().name.starts_with("s_load_") {
        return None;
    }
    let base = i.operands.get(1).and_then(scalar)?;
    let from = offset(i).filter(|_| holds & pair(base.index) != 0)?;
    Some((i.operands.first().and_then(scalar)?, from))
}

fn load(s: &Step, holds: u64, size: u32) -> Option<Raw> {
    let (into, from) = loaded(s.inst.as_ref()?, holds)?;
    let to = from + 4 * i64::from(into.count);
    let whole = from >= size.into();
    if from >= 0 && !whole && to <= u64::from(size).next_multiple_of(LINE) as i64 {
        return None;
    }
    let text = format!("it loads bytes {from} to {to} of the kernel's arguments, which have {size}");
    let fix = "a smaller offset, or .amdhsa_kernarg_size and .kernarg_segment_size";
    Some(Raw::new("arguments-out-of-bounds", Some(s.at), text, fix))
}
