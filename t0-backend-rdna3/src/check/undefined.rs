//! Registers that are read although nothing on any way there has written them.
//!
//! Method: a forward dataflow over the kernel's own blocks of the registers that may have been written, on whatever path. A
//! register outside of that set holds what another wave left in it. Moves carry that on: a copy of such a register is as
//! undefined. A called function may have written everything, and functions are not looked at: what they save for
//! their callers need never have been set. Compilers compute with undefined values where the result does not matter (the
//! high half of a sum of which the low half is wanted, lanes that a mask leaves out), so of operands of more than one register
//! only addresses have to be defined as a whole, and of others at least one register. What a scalar load through the address
//! of the arguments gets from where no argument lies is as if nobody had written it: nobody writes padding.
//! Source: LLVM AMDGPUUsage, "Initial Kernel Execution State" (SGPRs by the descriptor, v0 with the work-item ids, EXEC); what
//! VCC holds at first is not said there.

use super::arguments;
use super::graph::{Graph, Leaves, Step};
use super::Raw;
use crate::errata::{SSet, Severity, VSet};
use crate::isa::{scalar_name, Class, Field, Flags, Inst, Kind, Opcode, Operand, Reg, RegFile, Sop1, Vop1};
use crate::object::{Kernel, KernelDescriptor};
use std::collections::BTreeSet;
use std::ops::Range;

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
    /// Pairs of SGPRs that hold the address of the arguments, as `arguments` numbers them.
    args: u64,
    /// SGPRs that hold padding of the arguments.
    padding: SSet,
}

impl Written {
    const ALL: Written = Written {
        v: [u64::MAX; 4],
        s: [u64::MAX; 2],
        scc: true,
        args: 0,
        padding: [0; 2],
    };

    /// What the launch fills.
    fn at_launch(d: &KernelDescriptor) -> Written {
        let given = d.initial_sgprs();
        let mut w = Written {
            v: [1, 0, 0, 0],
            s: [0, SPECIAL],
            scc: false,
            args: given.kernarg_ptr.map_or(0, arguments::pair),
            padding: [0; 2],
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

    /// A load from `holes` in the arguments leaves its destination as nobody has written it.
    fn pad(&mut self, i: &Inst, holes: &[Range<u32>]) {
        let Some((into, from)) = arguments::loaded(i, self.args) else {
            return;
        };
        for k in 0..into.count {
            let at = from + 4 * i64::from(k);
            let inside = |h: &Range<u32>| at >= h.start.into() && at + 4 <= h.end.into();
            let r = Reg::sn(into.index + k, 1);
            if holes.iter().any(inside) && r.index < 108 {
                self.set(r, false);
                self.padding[(r.index / 64) as usize] |= 1 << (r.index % 64);
            }
        }
    }

    /// Goes over an instruction.
    fn step(&mut self, s: &Step, holes: &[Range<u32>]) {
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
                    if to.file == RegFile::S {
                        let of = |r: u32| ((r / 64) as usize, r % 64);
                        let ((w, b), (v, a)) = (of(to.index + k), of(from.index + k));
                        let held = from.file == RegFile::S && self.padding[v & 1] >> a & 1 == 1;
                        self.padding[w & 1] = self.padding[w & 1] & !(1 << b) | u64::from(held) << b;
                    }
                }
            }
            None => {
                self.add(&s.facts.vwrite, &s.facts.swrite);
                (0..2).for_each(|k| self.padding[k] &= !s.facts.swrite[k]);
                self.pad(i, holes);
            }
        }
        self.args = arguments::step(self.args, s);
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
pub(super) fn check(graph: &Graph, kernel: &Kernel, raw: &mut Vec<Raw>) {
    let (d, holes) = (&kernel.descriptor, kernel.padding());
    let Some(&entry) = graph.entries.first() else { return };
    let order = graph.order();
    let mut inputs: Vec<Option<Written>> = vec![None; graph.blocks.len()];
    inputs[entry] = Some(Written::at_launch(d));
    let mut work = BTreeSet::from([(order[entry], entry)]);
    while let Some((_, b)) = work.pop_first() {
        let Some(mut written) = inputs[b] else { continue };
        let block = &graph.blocks[b];
        graph.steps[block.steps.clone()]
            .iter()
            .for_each(|s| written.step(s, &holes));
        if matches!(block.leaves, Leaves::Calls(_)) {
            written = Written::ALL;
        }
        for &n in &block.next {
            let mut all = inputs[n].unwrap_or(written);
            all.add(&written.v, &written.s);
            all.scc |= written.scc;
            all.args &= written.args;
            (0..2).for_each(|k| all.padding[k] |= written.padding[k]);
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
            written.step(s, &holes);
        }
    }
}

fn report(s: &Step, written: &mut Written, told: &mut BTreeSet<u64>, raw: &mut Vec<Raw>) {
    let Some(i) = &s.inst else { return };
    if i.flags().has(Flags::R_SCC) && !written.scc {
        written.scc = true;
        let what = if s.facts.branch { Use::Control } else { Use::Value };
        if told.insert(s.at) {
            raw.push(finding(s.at, what, "scc".into(), false));
        }
    }
    if written.covers(&s.facts.vread, &s.facts.sread) || copy(i).is_some() || indirect(i) {
        return;
    }
    let mut all = Vec::new();
    uses(s, i, &mut all);
    for (what, reg) in all {
        let Some(r) = written.missing(reg, what) else { continue };
        let padding = reg.file == RegFile::S && written.padding[(r / 64) as usize & 1] >> (r % 64) & 1 == 1;
        // Told once: what follows from it is no mistake of its own.
        written.set(reg, true);
        if !told.insert(s.at) {
            continue;
        }
        let name = match reg.file {
            RegFile::V => format!("v{r}"),
            RegFile::S => scalar_name(r),
        };
        raw.push(finding(s.at, what, name, padding));
    }
}

fn finding(at: u64, what: Use, name: String, padding: bool) -> Raw {
    let purpose = match what {
        Use::Address => "as an address",
        Use::Control => "to decide where control goes or which lanes are active",
        Use::Data => "as data that leaves the wave",
        Use::Value => "for a computation",
    };
    let (why, fix) = match padding {
        true => (
            "and holds bytes of the kernel's arguments that no argument covers: nobody writes padding",
            "the offset of an argument, or an argument there in the metadata",
        ),
        false => (
            "and neither the launch nor any instruction on the way here has written it",
            "write the register first, or enable the input in the descriptor",
        ),
    };
    let text = format!("{name} is read {purpose}, {why}");
    let mut found = Raw::new("uninitialised", Some(at), text, fix);
    if matches!(what, Use::Data | Use::Value) {
        found.severity = Severity::Warning;
    }
    found.register = Some(name);
    found
}
