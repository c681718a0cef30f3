//! Checks spilled code without trusting what spilled it.
//!
//! Problem: a value that comes back from memory too early, too late or for too few lanes is wrong in silence. Method, as in
//! `check_allocation`: a forward dataflow keeps for every added register and every place in memory or lanes the dwords of the
//! code before that it holds now; every instruction of the code before must be there, in its order, and find in an added
//! register the dwords it read. Used of the pass is only the way from the new instructions to the old ones.
//!
//! Lanes: what an added vector register holds it holds under the EXEC of now, so a write of EXEC ends it. A register that is
//! written for some lanes at a time must have its other lanes in the place that it is stored to.

use super::spill::Step;
use crate::isa::{Class as Unit, Flags, Operand, Vop3};
use crate::mir::{Class, MFunc, MInst, MOp, MOperand, Sub, VReg};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A dword of the code before.
type Dword = (VReg, u32);

/// Where a dword can be.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Place {
    /// Of an added register.
    Register(VReg, u32),
    /// A dword of scratch memory.
    Memory(u32),
    Lane(VReg, u32),
}

/// What is where.
#[derive(Clone, Default, PartialEq)]
struct State {
    held: BTreeMap<Place, BTreeSet<Dword>>,
    /// Homes that held a dword until some lanes of it were written.
    other_lanes: BTreeSet<(Place, Dword)>,
    /// Dwords without a value: any place has them.
    undefined: BTreeSet<Dword>,
    /// Dwords that got their first value under the EXEC of now.
    fresh: BTreeSet<Dword>,
}

struct Checker<'a> {
    step: &'a Step,
    class: Class,
    /// Dwords by the one cheap instruction that makes them.
    made: HashMap<String, BTreeSet<Dword>>,
    /// Addresses in added scalar registers.
    bases: HashMap<VReg, u32>,
    wrong: Vec<String>,
}

/// What is wrong with a step; empty for a correct one.
pub fn check_spills(step: &Step, class: Class) -> Vec<String> {
    let mut c = Checker {
        step,
        class,
        made: made(&step.before),
        bases: bases(step),
        wrong: Vec::new(),
    };
    let before = &step.before;
    let mut inputs: Vec<Option<State>> = vec![None; before.blocks.len()];
    if let Some(entry) = inputs.first_mut() {
        *entry = Some(State::default());
    }
    let mut work = BTreeSet::from([0]);
    while let Some(b) = work.pop_first() {
        let Some(mut state) = inputs.get(b).cloned().flatten() else {
            continue;
        };
        c.block(b, &mut state);
        for s in before.successors(b) {
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
    c.wrong.clear();
    for (b, input) in inputs.into_iter().enumerate() {
        if let Some(mut state) = input {
            c.block(b, &mut state);
        }
    }
    c.wrong
}

/// What an instruction does, without the register it does it to.
fn deed(i: &MInst) -> String {
    format!("{:?} {:?} {:?} {:?}", i.op, i.enc, i.mods, &i.operands[1..])
}

/// Dwords that one instruction makes from constants and registers that are written once.
fn made(m: &MFunc) -> HashMap<String, BTreeSet<Dword>> {
    let mut writers: BTreeMap<Dword, Vec<&MInst>> = BTreeMap::new();
    for i in m
        .blocks
        .iter()
        .flat_map(|b| &b.insts)
        .filter(|i| i.op != MOp::ImplicitDef)
    {
        let accesses = i.accesses();
        let written = accesses.iter().zip(&i.operands).filter(|(a, _)| a.def);
        for s in written.filter_map(|(_, o)| o.virt()) {
            (s.at..s.at + s.count).for_each(|d| writers.entry((s.reg, d)).or_default().push(i));
        }
    }
    let once = |d: Dword| writers.get(&d).is_some_and(|w| w.len() == 1) && !m.info(d.0).sticky;
    let mut made: HashMap<String, BTreeSet<Dword>> = HashMap::new();
    for (&d, w) in writers.iter().filter(|w| once(*w.0)) {
        let sources = w[0].operands[1..].iter().all(|o| match o {
            MOperand::Virt(s) => (s.at..s.at + s.count).all(|k| once((s.reg, k))),
            MOperand::Isa(Operand::Reg(_)) | MOperand::Block(_) => false,
            MOperand::Isa(_) => true,
        });
        let alu = w[0].opcode().is_some_and(|o| {
            let row = o.row();
            matches!(row.class, Unit::Valu | Unit::Salu) && !row.flags.has(Flags::W_SCC) && !row.flags.has(Flags::R_SCC)
        });
        if alu && sources && w[0].operands[0].virt().is_some_and(|s| s.count == 1) {
            made.entry(deed(w[0])).or_default().insert(d);
        }
    }
    made
}

/// Scalar registers that the step added for addresses.
fn bases(step: &Step) -> HashMap<VReg, u32> {
    let added = step
        .after
        .blocks
        .iter()
        .flat_map(|b| &b.insts)
        .zip(step.origin.iter().flatten());
    let base = |i: &MInst| match i.operands[..] {
        [MOperand::Virt(to), MOperand::Isa(Operand::Literal(l))] => Some((to.reg, l)),
        _ => None,
    };
    added.filter(|a| a.1.is_none()).filter_map(|a| base(a.0)).collect()
}

impl State {
    /// Keeps what both states agree on; true if that is less than before.
    fn meet(&mut self, other: &State) -> bool {
        let before = self.clone();
        let places: BTreeSet<Place> = self.held.keys().chain(other.held.keys()).copied().collect();
        let mut held = BTreeMap::new();
        for p in places {
            let both = |d: &Dword| self.has(p, *d) && other.has(p, *d);
            let (mine, theirs) = (self.held.get(&p), other.held.get(&p));
            let all = mine.into_iter().chain(theirs).flatten();
            let kept: BTreeSet<Dword> = all.copied().filter(both).collect();
            if !kept.is_empty() {
                held.insert(p, kept);
            }
        }
        self.held = held;
        self.undefined.retain(|d| other.undefined.contains(d));
        *self != before
    }

    fn has(&self, p: Place, d: Dword) -> bool {
        self.undefined.contains(&d) || self.held.get(&p).is_some_and(|h| h.contains(&d))
    }

    /// A dword gets a new value.
    fn forget(&mut self, d: Dword) {
        for (&p, set) in &mut self.held {
            if set.remove(&d) {
                self.other_lanes.insert((p, d));
            }
        }
        if self.undefined.remove(&d) {
            self.fresh.insert(d);
        }
    }
}

impl Checker<'_> {
    fn is_added(&self, r: VReg) -> bool {
        r.0 as usize >= self.step.before.vregs.len()
    }

    fn is_keeper(&self, r: VReg) -> bool {
        self.step.lanes.contains(&r)
    }

    fn block(&mut self, b: usize, state: &mut State) {
        let step = self.step;
        let before = &step.before.blocks[b].insts;
        let mut next = 0;
        for (i, origin) in step.after.blocks[b].insts.iter().zip(&step.origin[b]) {
            let Some(origin) = *origin else {
                self.added(i, state);
                continue;
            };
            let origin = origin as usize;
            for gone in &before[next.min(origin)..origin] {
                self.gone(gone, state);
            }
            if origin < next {
                self.wrong.push(format!("`{i}` is out of order"));
            }
            next = origin + 1;
            self.kept(&before[origin], i, state);
        }
        before[next..].iter().for_each(|gone| self.gone(gone, state));
        state.held.retain(|p, _| !matches!(p, Place::Register(..)));
        state.other_lanes.clear();
        state.fresh.clear();
    }

    /// An instruction of the code before that has none any more.
    fn gone(&mut self, i: &MInst, state: &mut State) {
        let dwords = |o: &MOperand| {
            o.virt()
                .into_iter()
                .flat_map(|s| (s.at..s.at + s.count).map(move |d| (s.reg, d)))
        };
        match i.op {
            MOp::ImplicitDef => dwords(&i.operands[0]).for_each(|d| {
                state.forget(d);
                state.undefined.insert(d);
            }),
            MOp::Copy => {
                for (to, from) in dwords(&i.operands[0]).zip(dwords(&i.operands[1])) {
                    state.forget(to);
                    state.held.values_mut().filter(|h| h.contains(&from)).for_each(|h| {
                        h.insert(to);
                    });
                    if state.undefined.contains(&from) {
                        state.undefined.insert(to);
                    }
                }
            }
            MOp::Isa(_) => {
                let made = self.made.get(&deed(i));
                if !dwords(&i.operands[0]).all(|d| made.is_some_and(|m| m.contains(&d))) {
                    self.wrong.push(format!("`{i}` is missing"));
                }
            }
        }
    }

    /// An instruction of the code before, and what it is now.
    fn kept(&mut self, old: &MInst, new: &MInst, state: &mut State) {
        let same = old.op == new.op && old.enc == new.enc && old.mods == new.mods && old.atomic == new.atomic;
        if !same || old.shared != new.shared || old.operands.len() != new.operands.len() {
            self.wrong.push(format!("`{old}` became `{new}`"));
            return;
        }
        let accesses = old.accesses();
        for ((a, from), to) in accesses.iter().zip(&old.operands).zip(&new.operands) {
            match (from, to) {
                (MOperand::Virt(from), MOperand::Virt(to)) if from != to => {
                    let fits = from.count == to.count && self.is_added(to.reg);
                    let has = |k| state.has(Place::Register(to.reg, to.at + k), (from.reg, from.at + k));
                    if !fits || (a.use_ && !(0..from.count).all(has)) {
                        self.wrong.push(format!("`{new}` does not find {from} in {to}"));
                    }
                }
                _ if from != to => self.wrong.push(format!("`{old}` became `{new}`")),
                _ => {}
            }
        }
        let undefined = old.op == MOp::ImplicitDef;
        for ((_, from), to) in accesses
            .iter()
            .zip(&old.operands)
            .zip(&new.operands)
            .filter(|x| x.0 .0.def)
        {
            let (MOperand::Virt(from), MOperand::Virt(to)) = (*from, *to) else {
                continue;
            };
            for k in 0..from.count {
                let dword = (from.reg, from.at + k);
                state.forget(dword);
                if undefined {
                    state.undefined.insert(dword);
                }
                if from != to {
                    state
                        .held
                        .insert(Place::Register(to.reg, to.at + k), BTreeSet::from([dword]));
                }
            }
        }
        if new.writes_exec() && self.class == Class::V {
            state.held.retain(|p, _| !matches!(p, Place::Register(..)));
            state.other_lanes.clear();
            state.fresh.clear();
        }
    }

    /// An instruction that was not there before.
    fn added(&mut self, i: &MInst, state: &mut State) {
        let written = i
            .accesses()
            .iter()
            .zip(&i.operands)
            .filter(|(a, _)| a.def)
            .map(|(_, o)| *o)
            .collect::<Vec<_>>();
        let allowed = |o: &MOperand| o.virt().is_some_and(|s| self.is_added(s.reg));
        if !written.iter().all(allowed) {
            self.wrong.push(format!("`{i}` was added and changes an old register"));
            return;
        }
        let Some((regs, places, store)) = self.transfer(i) else {
            for s in written
                .iter()
                .filter_map(|o| o.virt())
                .filter(|s| !self.is_keeper(s.reg))
            {
                let made = self
                    .made
                    .get(&deed(i))
                    .filter(|_| s.count == 1)
                    .cloned()
                    .unwrap_or_default();
                (s.at..s.at + s.count).for_each(|k| {
                    state.held.insert(Place::Register(s.reg, k), made.clone());
                });
            }
            return;
        };
        for (k, place) in (0..).zip(places) {
            let register = Place::Register(regs.reg, regs.at + k);
            let (from, to) = if store { (register, place) } else { (place, register) };
            let mut held = state.held.get(&from).cloned().unwrap_or_default();
            if store && self.class == Class::V {
                held.retain(|d| {
                    let whole = !self.step.before.info(d.0).sticky || state.fresh.contains(d) || state.has(to, *d);
                    whole || state.other_lanes.contains(&(to, *d))
                });
            }
            state.held.insert(to, held);
        }
    }

    /// The register, the places and the direction of a move between them.
    fn transfer(&self, i: &MInst) -> Option<(Sub, Vec<Place>, bool)> {
        let op = i.opcode()?;
        if op.row().flags.has(Flags::SCRATCH) {
            let store = op.row().class == Unit::VmemStore;
            let base = match i.operands[2] {
                MOperand::Virt(s) => *self.bases.get(&s.reg)?,
                _ => 0,
            };
            let regs = i.operands[usize::from(store)].virt()?;
            let first = (base + i.mods.offset as u32) / 4;
            return Some((regs, (first..first + regs.count).map(Place::Memory).collect(), store));
        }
        let number = |o: MOperand| match o {
            MOperand::Isa(o) => o.const_int(),
            _ => None,
        };
        let lane = |keeper: Sub| Some(vec![Place::Lane(keeper.reg, number(i.operands[2])? as u32)]);
        let (to, from) = (i.operands[0].virt()?, i.operands[1].virt()?);
        match op {
            _ if op == Vop3::v_writelane_b32.into() && self.is_keeper(to.reg) => Some((from, lane(to)?, true)),
            _ if op == Vop3::v_readlane_b32.into() && self.is_keeper(from.reg) => Some((to, lane(from)?, false)),
            _ => None,
        }
    }
}
