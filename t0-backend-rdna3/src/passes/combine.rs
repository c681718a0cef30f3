//! Two instructions in one.
//!
//! Problem: selection makes one instruction of each IR operation; the machine has instructions that do two of them, takes signs
//! of floats as modifiers and adds a constant to an address. Method: every instruction looks at those that define its operands;
//! the rules (`rules`), one after the other, say what both become. Bit for bit the same, or not at all: floats are never
//! contracted.
//!
//! An instruction goes into its reader when nothing else reads its result, both are in one block and find the same operands and
//! the same EXEC, and SCC after it does not matter. What both become reads no more scalar values and literals than one
//! instruction may, so that [`super::legalize`] has nothing to move.

mod ranges;
mod rules;

use std::collections::HashSet;

use self::ranges::Range;
use crate::isa::{Enc, Flags, Mods, Opcode, Operand, Reg, RegFile};
use crate::mir::{Class, MFunc, MInst, MOp, MOperand, VReg, VRegInfo};
use crate::select::emit::natural_enc;

/// Runs the pass.
pub fn combine(m: &mut MFunc) {
    let mut code = Code::of(m);
    for at in 0..code.insts.len() {
        while let Some(found) = rules::ALL.iter().find_map(|rule| rule(&code, at)) {
            code.replace(at, found);
        }
    }
    let mut left = code.insts.into_iter();
    for (b, n) in code.lengths.into_iter().enumerate() {
        m.blocks[b].insts = left.by_ref().take(n).flatten().collect();
    }
}

/// What an instruction becomes, and the instructions that it makes needless.
struct Combined {
    inst: MInst,
    gone: Vec<usize>,
}

/// The instructions of all blocks in a row, those that were taken in gone, and what is known of them.
struct Code {
    insts: Vec<Option<MInst>>,
    /// Instructions of each block at first.
    lengths: Vec<usize>,
    block: Vec<usize>,
    /// Writes of EXEC before each instruction.
    exec: Vec<u32>,
    /// Whether something reads SCC as each leaves it.
    scc: Vec<bool>,
    vregs: Vec<VRegInfo>,
    /// Where each register is written, in order, and how many operands read it.
    defs: Vec<Vec<usize>>,
    uses: Vec<u32>,
    ranges: Vec<Range>,
}

impl Code {
    fn of(m: &mut MFunc) -> Code {
        let ranges = ranges::of(m);
        let mut code = Code {
            insts: Vec::new(),
            lengths: m.blocks.iter().map(|b| b.insts.len()).collect(),
            block: Vec::new(),
            exec: Vec::new(),
            scc: Vec::new(),
            vregs: m.vregs.clone(),
            defs: vec![Vec::new(); m.vregs.len()],
            uses: vec![0; m.vregs.len()],
            ranges,
        };
        let mut exec = 0;
        for (b, block) in m.blocks.iter_mut().enumerate() {
            let insts = std::mem::take(&mut block.insts);
            code.scc.extend(scc_read(&insts));
            for i in insts {
                code.block.push(b);
                code.exec.push(exec);
                exec += u32::from(writes_exec(&i));
                code.count(&i, 1);
                for (a, o) in i.accesses().iter().zip(&i.operands) {
                    if let (true, MOperand::Virt(s)) = (a.def, o) {
                        code.defs[s.reg.0 as usize].push(code.insts.len());
                    }
                }
                code.insts.push(Some(i));
            }
        }
        code
    }

    fn count(&mut self, i: &MInst, by: i32) {
        for (a, o) in i.accesses().iter().zip(&i.operands) {
            if let (true, MOperand::Virt(s)) = (a.use_, o) {
                let uses = &mut self.uses[s.reg.0 as usize];
                *uses = uses.wrapping_add_signed(by);
            }
        }
    }

    fn replace(&mut self, at: usize, found: Combined) {
        for k in found.gone.into_iter().chain([at]) {
            if let Some(old) = self.insts[k].take() {
                self.count(&old, -1);
            }
        }
        self.count(&found.inst, 1);
        self.insts[at] = Some(found.inst);
    }

    /// An instruction without modifiers, in a form that takes all operands.
    fn plain(&self, at: usize) -> Option<&MInst> {
        let i = self.insts[at].as_ref()?;
        let op = i.opcode()?;
        (i.mods == Mods::for_op(op) && matches!(i.enc, Enc::Natural | Enc::E64)).then_some(i)
    }

    /// The instruction that makes an operand of `at`, when it can do so at `at` as well.
    fn inner(&self, at: usize, o: MOperand) -> Option<usize> {
        let r = o.virt()?.reg;
        let (info, [def]) = (self.vregs[r.0 as usize], self.defs[r.0 as usize].as_slice()) else {
            return None;
        };
        let def = *def;
        let once = info.width == 1 && !info.sticky && self.uses[r.0 as usize] == 1;
        let near = def < at && self.block[def] == self.block[at] && !self.scc[def];
        let lanes = info.class == Class::S || self.exec[def] == self.exec[at];
        let sources = &self.plain(def)?.operands[1..];
        let same = sources.iter().all(|o| match o {
            MOperand::Virt(s) => !self.written_between(s.reg, def, at),
            MOperand::Isa(o) => matches!(o, Operand::Const(_) | Operand::Literal(_)),
            MOperand::Block(_) => false,
        });
        (once && near && lanes && same).then_some(def)
    }

    fn written_between(&self, r: VReg, from: usize, to: usize) -> bool {
        let defs = &self.defs[r.0 as usize];
        defs.get(defs.partition_point(|&k| k <= from)).is_some_and(|&k| k < to)
    }

    fn range(&self, o: MOperand) -> Range {
        ranges::operand(&self.ranges, o)
    }

    /// `op` in the place of `at`, with these sources, if one instruction can read them all.
    fn combined(&self, at: usize, op: impl Into<Opcode>, sources: &[MOperand], gone: &[usize]) -> Option<Combined> {
        let (op, old) = (op.into(), self.insts[at].as_ref()?);
        let mut operands = vec![*old.operands.first()?];
        operands.extend_from_slice(sources);
        let inst = MInst {
            op: MOp::Isa(op),
            enc: natural_enc(op),
            operands,
            mods: Mods::for_op(op),
            ..old.clone()
        };
        let gone = gone.to_vec();
        self.readable(&inst).then_some(Combined { inst, gone })
    }

    /// Whether the sources are within the limits of `legalize`.
    fn readable(&self, i: &MInst) -> bool {
        let scalar = |o: &&MOperand| match o {
            MOperand::Virt(s) => self.vregs[s.reg.0 as usize].class == Class::S,
            MOperand::Isa(Operand::Reg(r)) => r.file == RegFile::S && !r.is_null(),
            MOperand::Isa(Operand::Literal(_)) => true,
            _ => false,
        };
        let scalars: HashSet<&MOperand> = i.operands[1..].iter().filter(scalar).collect();
        let literals = scalars
            .iter()
            .filter(|o| matches!(o, MOperand::Isa(Operand::Literal(_))));
        literals.count() <= 1 && (scalars.len() <= 2 || !is_vector(i))
    }
}

/// Of each instruction of a block, whether something reads SCC before it is written again. No block passes SCC on.
fn scc_read(insts: &[MInst]) -> Vec<bool> {
    let mut read = false;
    let mut all: Vec<bool> = Vec::with_capacity(insts.len());
    for i in insts.iter().rev() {
        all.push(read);
        let flags = i.opcode().map_or(Flags::NONE, |o| o.row().flags);
        let named = i.operands.contains(&MOperand::Isa(Operand::Special(Reg::SCC.index)));
        read = (read && !flags.has(Flags::W_SCC)) || flags.has(Flags::R_SCC) || named;
    }
    all.reverse();
    all
}

/// Whether the VALU runs it.
fn is_vector(i: &MInst) -> bool {
    i.opcode().is_some_and(|o| o.row().class.is_valu())
}

fn writes_exec(i: &MInst) -> bool {
    let implicit = i.opcode().is_some_and(|o| o.row().flags.has(Flags::W_EXEC));
    let exec = MOperand::Isa(Operand::Reg(Reg::EXEC));
    implicit || i.accesses().iter().zip(&i.operands).any(|(a, o)| a.def && *o == exec)
}
