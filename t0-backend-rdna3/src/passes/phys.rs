//! Machine code over physical registers, and its making: operands get their registers, copies become moves or nothing,
//! branches to the next block disappear.

use super::allocate::{physical, Assignment};
use crate::isa::{Inst, Opcode, Operand, Reg, RegFile, Sop1, Vop1};
use crate::mir::{MFunc, MInst, MOp, MOperand};
use t0_ir::{Scope, Span};

/// An instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct PInst {
    /// The instruction; a branch distance is filled in by `encode`.
    pub inst: Inst,
    /// Block a branch goes to.
    pub target: Option<usize>,
    /// Source place.
    pub span: Span,
    /// Reads global memory that the launch may also write.
    pub shared: bool,
    /// Scope of an atomic operation.
    pub atomic: Option<Scope>,
}

impl PInst {
    /// An instruction the passes add, with the place of the one it is for.
    pub fn new(inst: Inst, span: Span) -> PInst {
        PInst {
            inst,
            target: None,
            span,
            shared: false,
            atomic: None,
        }
    }

    /// The mnemonic.
    pub fn name(&self) -> &'static str {
        self.inst.row().name
    }
}

/// A kernel: blocks in order, each ending in at most one branch.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct PFunc {
    /// Blocks.
    pub blocks: Vec<Vec<PInst>>,
}

impl PFunc {
    /// Blocks that may run after block `b`.
    pub fn successors(&self, b: usize) -> Vec<usize> {
        let last = self.blocks[b].last();
        let mut out: Vec<usize> = last.and_then(|i| i.target).into_iter().collect();
        let ends = last.is_some_and(|i| matches!(i.name(), "s_branch" | "s_endpgm"));
        if !ends && b + 1 < self.blocks.len() {
            out.push(b + 1);
        }
        out
    }
}

impl std::fmt::Display for PFunc {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, b) in self.blocks.iter().enumerate() {
            writeln!(f, "bb{i}:")?;
            for inst in b {
                match inst.target {
                    Some(t) => writeln!(f, "  {} bb{t}", inst.name())?,
                    None => writeln!(f, "  {}", inst.inst)?,
                }
            }
        }
        Ok(())
    }
}

/// Rewrites code to physical registers.
pub fn expand(m: &MFunc, a: &Assignment) -> PFunc {
    let mut out = PFunc::default();
    for block in &m.blocks {
        let mut insts = Vec::new();
        for inst in &block.insts {
            expand_inst(m, a, inst, &mut insts);
        }
        out.blocks.push(insts);
    }
    drop_branches_to_next(&mut out);
    out
}

fn operand(m: &MFunc, a: &Assignment, o: MOperand) -> Operand {
    match o {
        MOperand::Virt(s) => Operand::Reg(physical(m, a, s)),
        MOperand::Isa(o) => o,
        MOperand::Block(_) => Operand::Imm(0),
    }
}

fn expand_inst(m: &MFunc, a: &Assignment, inst: &MInst, out: &mut Vec<PInst>) {
    match inst.op {
        MOp::ImplicitDef => {}
        MOp::Copy => {
            if let (Operand::Reg(to), Operand::Reg(from)) =
                (operand(m, a, inst.operands[0]), operand(m, a, inst.operands[1]))
            {
                moves(to, from, inst.span, out);
            }
        }
        MOp::Isa(op) => {
            let target = inst.operands.iter().find_map(|o| match o {
                MOperand::Block(b) => Some(b.0 as usize),
                _ => None,
            });
            let operands: Vec<Operand> = inst.operands.iter().map(|&o| operand(m, a, o)).collect();
            let inst_out = Inst {
                op,
                enc: inst.enc,
                operands,
                mods: inst.mods,
                vopd_y: None,
            };
            out.push(PInst {
                inst: inst_out,
                target,
                span: inst.span,
                shared: inst.shared,
                atomic: inst.atomic,
            });
        }
    }
}

/// Moves `from` to `to`, in the order that reads each register before it is overwritten.
fn moves(to: Reg, from: Reg, span: Span, out: &mut Vec<PInst>) {
    if to == from {
        return;
    }
    let mut k = 0;
    let mut steps = Vec::new();
    while k < to.count {
        let pair = to.file == RegFile::S && k + 1 < to.count && (to.index + k) % 2 == 0 && (from.index + k) % 2 == 0;
        let n = if pair { 2 } else { 1 };
        steps.push((k, n));
        k += n;
    }
    if to.index > from.index {
        steps.reverse();
    }
    for (k, n) in steps {
        let part = |r: Reg| {
            Operand::Reg(Reg {
                index: r.index + k,
                count: n,
                ..r
            })
        };
        let op: Opcode = match (to.file, n) {
            (RegFile::V, _) => Vop1::v_mov_b32.into(),
            (RegFile::S, 1) => Sop1::s_mov_b32.into(),
            (RegFile::S, _) => Sop1::s_mov_b64.into(),
        };
        out.push(PInst::new(Inst::new(op, vec![part(to), part(from)]), span));
    }
}

fn drop_branches_to_next(p: &mut PFunc) {
    for b in (0..p.blocks.len()).rev() {
        let Some(target) = p.blocks[b].last().and_then(|i| i.target) else {
            continue;
        };
        if target > b && p.blocks[b + 1..target].iter().all(Vec::is_empty) {
            p.blocks[b].pop();
        }
    }
}
