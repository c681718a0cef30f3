//! Registers that are read although nothing on any way there has written them.
//!
//! Method: a forward dataflow over the kernel's own blocks of the registers that may have been written, on whatever path. A
//! register outside of that set holds what another wave left in it. Moves carry that on: a copy of such a register is as
//! undefined. A called function may have written everything, and functions are not looked at: what they save for
//! their callers need never have been set. Compilers compute with undefined values where the result does not matter (the
//! high half of a sum of which the low half is wanted, lanes that a mask leaves out), so of operands of more than one register
//! only addresses have to be defined as a whole, and of others at least one register.
//! Source: LLVM AMDGPUUsage, "Initial Kernel Execution State" (SGPRs by the descriptor, v0 with the work-item ids, EXEC); what
//! VCC holds at first is not said there.

use super::graph::{Graph, Leaves, Step};
use super::Raw;
use crate::errata::{SSet, Severity, VSet};
use crate::isa::{scalar_name, Class, Field, Flags, Inst, Kind, Opcode, Operand, Reg, RegFile, Sop1, Vop1};
use crate::object::KernelDescriptor;
use std::collections::BTreeSet;

/// EXEC as bits of the second word of a set of scalar registers.
const EXEC: u64 = 3 << (126 - 64);
/// Scalar registers from 108 on: trap temporaries (another rule's business), NULL, M0, EXEC.
const SPECIAL: u64 = u64::MAX << (108 - 64);

/// What a register is read for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Address,
    /// Decides where control goes or which lanes are active.
    Control,
    /// Is stored or exported.
    Data,
    Value,
}

/// Registers that may have been written.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Written {
    v: VSet,
    s: SSet,
    scc: bool,
}

impl Written {
    const ALL: Written = Written {
        v: [u64::MAX; 4],
        s: [u64::MAX; 2],
        scc: true,
    };

    /// What the launch fills.
    fn at_launch(d: &KernelDescriptor) -> Written {
        let given = d.initial_sgprs();
        let mut w = Written {
            v: [1, 0, 0, 0],
            s: [0, SPECIAL],
            scc: false,
        };
        (0..given.inputs)
            .chain(d.user_sgprs()..given.count)
            .for_each(|r| w.set(Reg::sn(r, 1), true));
        w
    }

    fn has(&self, file: RegFile, r: u32) -> bool {
        let word = (r / 64) as usize;
        let set = match file {
            RegFile::V => self.v.get(word),
            RegFile::S => self.s.get(word),
        };
        set.is_none_or(|w| w >> (r % 64) & 1 == 1)
    }

    fn set(&mut self, reg: Reg, to: bool) {
        for r in reg.index..reg.index + reg.count {
            let word = (r / 64) as usize;
            let set = match reg.file {
                RegFile::V => self.v.get_mut(word),
                RegFile::S => self.s.get_mut(word),
            };
            if let Some(w) = set {
                *w = *w & !(1 << (r % 64)) | u64::from(to) << (r % 64);
            }
        }
    }

    fn add(&mut self, v: &VSet, s: &SSet) {
        self.v.iter_mut().zip(v).for_each(|(a, b)| *a |= b);
        self.s.iter_mut().zip(s).for_each(|(a, b)| *a |= b);
    }

    fn covers(&self, v: &VSet, s: &SSet) -> bool {
        let all = |have: &[u64], need: &[u64]| have.iter().zip(need).all(|(h, n)| n & !h == 0);
        all(&self.v, v) && all(&self.s, s)
    }

    /// The first register of an operand that makes its use wrong.
    fn missing(&self, reg: Reg, what: Use) -> Option<u32> {
        let all = || reg.index..reg.index + reg.count;
        let first = all().find(|&r| !self.has(reg.file, r))?;
        let whole = matches!(what, Use::Address | Use::Control) || !all().any(|r| self.has(reg.file, r));
        whole.then_some(first)
    }

    /// Goes over an instruction.
    fn step(&mut self, s: &Step) {
        let Some(i) = &s.inst else { return };
        if indirect(i) {
            // Which register it writes is in M0.
            *self = Written::ALL;
            return;
        }
        match copy(i) {
            Some((to, from)) => {
                for k in 0..to.count {
                    let one = |r: Reg| Reg {
                        index: r.index + k,
                        count: 1,
                        ..r
                    };
                    let defined = self.has(from.file, from.index + k);
                    // Lanes that are not active keep what they have.
                    if defined || to.file == RegFile::S {
                        self.set(one(to), defined);
                    }
                }
            }
            None => self.add(&s.facts.vwrite, &s.facts.swrite),
        }
        self.scc |= i.flags().has(Flags::W_SCC);
    }
}

/// Which registers it touches is in M0.
fn indirect(i: &Inst) -> bool {
    use {Sop1::*, Vop1::*};
    matches!(
        i.op,
        Opcode::Vop1(v_movreld_b32 | v_movrels_b32 | v_movrelsd_b32 | v_movrelsd_2_b32)
            | Opcode::Sop1(s_movreld_b32 | s_movreld_b64 | s_movrels_b32 | s_movrels_b64 | s_movrelsd_2_b32)
    )
}

/// Destination and source of a move of registers.
fn copy(i: &Inst) -> Option<(Reg, Reg)> {
    let moves = match i.op {
        Opcode::Vop1(Vop1::v_mov_b32) => !i.enc.is_dpp() && i.mods == crate::isa::Mods::for_op(i.op),
        Opcode::Sop1(Sop1::s_mov_b32 | Sop1::s_mov_b64) => true,
        _ => false,
    };
    let reg = |k: usize| i.operands.get(k).and_then(|o| o.reg());
    let (to, from) = (reg(0)?, reg(1)?);
    let whole = (from.index..from.index + from.count).all(|r| from.file == RegFile::V || r < 108);
    // EXEC is no place to keep something in: what is moved there decides which lanes are active.
    let kept = to.file == RegFile::V || to.index < 108;
    (moves && whole && kept && to.count == from.count).then_some((to, from))
}

/// What an instruction reads, and for what.
fn uses(s: &Step, i: &Inst, out: &mut Vec<(Use, Reg)>) {
    let row = i.row();
    let memory = row.class.is_vmem() || row.class.is_lds() || matches!(row.class, Class::Smem | Class::Export);
    let steers = s.facts.branch || s.facts.salu && s.facts.swrite[1] & EXEC != 0;
    for (spec, o) in i.specs().zip(&i.operands) {
        let Operand::Reg(r) = *o else { continue };
        // A lane (or half) is written into what need not hold anything yet; the others keep what they have.
        let kept = spec.is_dst() && (row.class == Class::ValuLane || i.flags().has(Flags::D16));
        if !spec.is_src() || r.is_null() || kept {
            continue;
        }
        let what = match spec.field {
            Field::Addr | Field::Saddr | Field::Sbase | Field::Soffset | Field::Srsrc | Field::Ssamp => Use::Address,
            Field::Vaddr | Field::Nsa(_) => Use::Address,
            _ if memory => Use::Data,
            _ if steers => Use::Control,
            _ => Use::Value,
        };
        // A lane mask is as wide as the wave.
        let mask = matches!(spec.kind, Kind::Mask | Kind::Vcc) && !s.facts.wave64;
        out.push((what, if mask { Reg { count: 1, ..r } } else { r }));
    }
    if i.flags().has(Flags::R_VCC) {
        let vcc = Reg::vcc(if s.facts.wave64 { 64 } else { 32 });
        out.push((if s.facts.branch { Use::Control } else { Use::Value }, vcc));
    }
}

/// Checks the kernel itself.
pub(super) fn check(graph: &Graph, d: &KernelDescriptor, raw: &mut Vec<Raw>) {
    let Some(&entry) = graph.entries.first() else { return };
    let order = graph.order();
    let mut inputs: Vec<Option<Written>> = vec![None; graph.blocks.len()];
    inputs[entry] = Some(Written::at_launch(d));
    let mut work = BTreeSet::from([(order[entry], entry)]);
    while let Some((_, b)) = work.pop_first() {
        let Some(mut written) = inputs[b] else { continue };
        let block = &graph.blocks[b];
        graph.steps[block.steps.clone()].iter().for_each(|s| written.step(s));
        if matches!(block.leaves, Leaves::Calls(_)) {
            written = Written::ALL;
        }
        for &n in &block.next {
            let mut all = inputs[n].unwrap_or(written);
            all.add(&written.v, &written.s);
            all.scc |= written.scc;
            if inputs[n] != Some(all) {
                inputs[n] = Some(all);
                work.insert((order[n], n));
            }
        }
    }
    let mut told = raw
        .iter()
        .filter(|r| r.rule == "unfilled-sgpr")
        .filter_map(|r| r.at)
        .collect();
    for (b, input) in inputs.into_iter().enumerate() {
        let Some(mut written) = input else { continue };
        for s in &graph.steps[graph.blocks[b].steps.clone()] {
            report(s, &mut written, &mut told, raw);
            written.step(s);
        }
    }
}

fn report(s: &Step, written: &mut Written, told: &mut BTreeSet<u64>, raw: &mut Vec<Raw>) {
    let Some(i) = &s.inst else { return };
    if i.flags().has(Flags::R_SCC) && !written.scc {
        written.scc = true;
        let what = if s.facts.branch { Use::Control } else { Use::Value };
        if told.insert(s.at) {
            raw.push(finding(s.at, what, "scc".into()));
        }
    }
    if written.covers(&s.facts.vread, &s.facts.sread) || copy(i).is_some() || indirect(i) {
        return;
    }
    let mut all = Vec::new();
    uses(s, i, &mut all);
    for (what, reg) in all {
        let Some(r) = written.missing(reg, what) else { continue };
        // Told once: what follows from it is no mistake of its own.
        written.set(reg, true);
        if !told.insert(s.at) {
            continue;
        }
        let name = match reg.file {
            RegFile::V => format!("v{r}"),
            RegFile::S => scalar_name(r),
        };
        raw.push(finding(s.at, what, name));
    }
}

fn finding(at: u64, what: Use, name: String) -> Raw {
    let purpose = match what {
        Use::Address => "as an address",
        Use::Control => "to decide where control goes or which lanes are active",
        Use::Data => "as data that leaves the wave",
        Use::Value => "for a computation",
    };
    let text =
        format!("{name} is read {purpose}, and neither the launch nor any instruction on the way here has written it");
    let fix = "write the register first, or enable the input in the descriptor";
    let mut found = Raw::new("uninitialised", Some(at), text, fix);
    if matches!(what, Use::Data | Use::Value) {
        found.severity = Severity::Warning;
    }
    found.register = Some(name);
    found
}
