//! Lets an instruction write where its result is copied to.
//!
//! Problem: a value that joins others is computed into a register of its own and then copied to the join's register; when
//! that one keeps the values of other lanes, the allocator cannot give both the same place. Method: `t = op …; phi = t`
//! becomes `phi = op …` when nothing else reads `t`, both are in one block, nothing between them touches `phi` or EXEC,
//! and `op` writes active lanes only, as the copy did. So do the parts that a tuple is put together of; its IMPLICIT_DEF moves
//! in front of them.
//!
//! Scalar registers have no lanes to keep. What is made alone and copied into a tuple, such as a length that goes into a descriptor,
//! is made in its place in the tuple at once and read from there ever after, if nothing else is written to that place: it is
//! made once, so it is the same wherever it is read.

use super::liveness::{each_effect, Effect};
use crate::isa::inst::specs_of;
use crate::isa::{Flags, Operand, Reg, Role};
use crate::mir::{Class, MFunc, MInst, MOp, MOperand, Sub, VReg};
use std::collections::HashMap;

/// Runs the pass.
pub fn forward_copies(m: &mut MFunc) {
    let (mut defs, mut uses) = (vec![0u32; m.vregs.len()], vec![0u32; m.vregs.len()]);
    for i in m.blocks.iter().flat_map(|b| &b.insts) {
        for (a, o) in i.accesses().iter().zip(&i.operands) {
            if let MOperand::Virt(s) = o {
                defs[s.reg.0 as usize] += u32::from(a.def);
                uses[s.reg.0 as usize] += u32::from(a.use_);
            }
        }
    }
    make_in_tuples(m, &defs);
    let once = |r: VReg| defs[r.0 as usize] == 1 && uses[r.0 as usize] == 1;
    for b in 0..m.blocks.len() {
        let mut at = 0;
        while at < m.blocks[b].insts.len() {
            match copy_of_one_use(m, &m.blocks[b].insts[at], &once) {
                Some((to, from)) if forward(m, b, at, to, from) => {
                    m.blocks[b].insts.remove(at);
                }
                _ => at += 1,
            }
        }
    }
}

/// Destination and source of a copy between vector registers whose source has no other use.
fn copy_of_one_use(m: &MFunc, i: &MInst, once: &impl Fn(VReg) -> bool) -> Option<(Sub, Sub)> {
    let (MOp::Copy, MOperand::Virt(to), MOperand::Virt(from)) = (i.op, *i.operands.first()?, *i.operands.get(1)?)
    else {
        return None;
    };
    let vector = m.info(to.reg).class == Class::V && m.info(from.reg).class == Class::V;
    (vector && m.is_whole(from) && once(from.reg)).then_some((to, from))
}

/// Rewrites the definition of `from` in the same block, if it is one that may write `to` instead.
fn forward(m: &mut MFunc, b: usize, copy: usize, to: Sub, from: Sub) -> bool {
    let insts = &m.blocks[b].insts;
    let touches = |i: &MInst, at: Sub| {
        let meets = |s: &Sub| s.reg == at.reg && s.at < at.at + at.count && at.at < s.at + s.count;
        i.operands.iter().any(|o| matches!(o, MOperand::Virt(s) if meets(s)))
    };
    let Some(def) = insts[..copy].iter().rposition(|i| touches(i, from)) else {
        return false;
    };
    let between = &insts[def + 1..copy];
    let all = Sub {
        at: 0,
        count: m.info(to.reg).width,
        reg: to.reg,
    };
    let begins = |i: &MInst| i.op == MOp::ImplicitDef && matches!(i.operands[..], [MOperand::Virt(s)] if s == all);
    let begin = between.iter().position(begins);
    let after = begin.map_or(0, |n| n + 1);
    if between[after..].iter().any(|i| touches(i, to))
        || between[..after.saturating_sub(1)].iter().any(|i| touches(i, all))
        || between.iter().any(writes_exec)
    {
        return false;
    }
    let inst = &insts[def];
    let MOp::Isa(op) = inst.op else { return false };
    let row = op.row();
    let masked = row.flags.has(Flags::R_EXEC) && !row.flags.has(Flags::IGNORES_EXEC);
    let mut results = specs_of(row, inst.enc, inst.mods.glc)
        .zip(&inst.operands)
        .filter(|(s, _)| s.role != Role::Src);
    let plain = results
        .next()
        .is_some_and(|(s, o)| s.role == Role::Dst && *o == MOperand::Virt(from));
    let mut whole = false;
    each_effect(m, inst, |r, e| whole |= (r, e) == (from.reg, Effect::Kill));
    if !(masked && plain && whole) {
        return false;
    }
    let insts = &mut m.blocks[b].insts;
    insts[def].operands[0] = to.into();
    if let Some(begin) = begin {
        insts[def..=def + 1 + begin].rotate_right(1);
    }
    true
}

/// Makes scalars in the tuples they are copied to. `defs`: how many instructions write each register.
fn make_in_tuples(m: &mut MFunc, defs: &[u32]) {
    // Every write of a part of a tuple; those of the beginning of its life are not counted.
    let mut written: HashMap<(VReg, u32), u32> = HashMap::new();
    for i in m
        .blocks
        .iter()
        .flat_map(|b| &b.insts)
        .filter(|i| i.op != MOp::ImplicitDef)
    {
        for (a, o) in i.accesses().iter().zip(&i.operands) {
            if let (true, MOperand::Virt(s)) = (a.def, o) {
                (s.at..s.at + s.count).for_each(|k| *written.entry((s.reg, k)).or_default() += 1);
            }
        }
    }
    let mut moved: HashMap<VReg, Sub> = HashMap::new();
    for b in 0..m.blocks.len() {
        let mut at = 0;
        while at < m.blocks[b].insts.len() {
            let place = scalar_copy(m, &m.blocks[b].insts[at], defs)
                .filter(|(to, from)| written[&(to.reg, to.at)] == 1 && !moved.contains_key(&from.reg));
            match place {
                Some((to, from)) if begin_before(m, b, at, to, from) => {
                    m.blocks[b].insts.remove(at);
                    moved.insert(from.reg, to);
                }
                _ => at += 1,
            }
        }
    }
    for o in m
        .blocks
        .iter_mut()
        .flat_map(|b| &mut b.insts)
        .flat_map(|i| &mut i.operands)
    {
        if let MOperand::Virt(s) = o {
            if let Some(to) = moved.get(&s.reg) {
                *s = *to;
            }
        }
    }
}

/// Destination and source of a copy of a scalar that is made once into a part of a tuple.
fn scalar_copy(m: &MFunc, i: &MInst, defs: &[u32]) -> Option<(Sub, Sub)> {
    let (MOp::Copy, MOperand::Virt(to), MOperand::Virt(from)) = (i.op, *i.operands.first()?, *i.operands.get(1)?)
    else {
        return None;
    };
    let [a, b] = [m.info(to.reg), m.info(from.reg)];
    let scalars = a.class == Class::S && b.class == Class::S && !a.sticky && !b.sticky;
    (scalars && a.width > 1 && to.count == 1 && b.width == 1 && defs[from.reg.0 as usize] == 1).then_some((to, from))
}

/// Has the life of a tuple begin before the instruction of the same block that makes the scalar; whether that can be.
fn begin_before(m: &mut MFunc, b: usize, copy: usize, to: Sub, from: Sub) -> bool {
    let names = |i: &MInst, r: VReg| i.operands.iter().any(|o| matches!(o, MOperand::Virt(s) if s.reg == r));
    let begins = |i: &MInst| i.op == MOp::ImplicitDef && names(i, to.reg);
    let begun = m.blocks.iter().flat_map(|b| &b.insts).filter(|i| begins(i)).count();
    let insts = &mut m.blocks[b].insts;
    let Some(def) = insts[..copy].iter().position(|i| names(i, from.reg)) else {
        return false;
    };
    let accesses = insts[def].accesses();
    let mut written = accesses.iter().zip(&insts[def].operands);
    let writes = written.any(|(a, o)| a.def && *o == MOperand::Virt(from));
    // Copies of physical registers stay where they are, next to each other.
    let made = writes && matches!(insts[def].op, MOp::Isa(_));
    match insts[..copy].iter().position(begins) {
        Some(begin) if made && begun == 1 => {
            if begin > def {
                let first = insts.remove(begin);
                insts.insert(def, first);
            }
            true
        }
        _ => false,
    }
}

fn writes_exec(i: &MInst) -> bool {
    let implicit = i.opcode().is_some_and(|o| o.row().flags.has(Flags::W_EXEC));
    implicit || i.operands.first() == Some(&MOperand::Isa(Operand::Reg(Reg::EXEC)))
}
