//! Waits for memory.
//!
//! Problem: loads write their registers later; who reads or overwrites such a register first must wait, and for as little
//! as possible. Method: a forward dataflow over the blocks keeps, per counter and register with an access under way, how
//! many later accesses of the counter there are (its age). Loads of one kind return in order, so waiting until the counter
//! is down to the age is enough; scalar loads return in any order, so while one is under way LGKMcnt is waited to 0. Paths
//! that meet keep the smaller age, which asks for the stronger wait.
//!
//! `s_barrier` waits for nothing itself. What the IR promises about it needs, before it: LDS accesses and stores done, and
//! loads done from memory that the launch may write (other waves may write it after the barrier). After it, when the kernel
//! reads such memory, the L0 cache is invalidated: in WGP mode the waves of a group sit on two CUs with an L0 each.
//!
//! Fences wait for the same: a release comes as `s_waitcnt_vscnt null, 0x0`, in front of which the other waits go, an acquire as
//! cache invalidations, before which everything is waited for, among it what the atomic read.
//!
//! FLAT accesses count in both counters and return in the order of neither; the compiler makes none (it knows the space of
//! every access), and the pass insists on that.
//!
//! `s_endpgm` waits by itself. Sources: RDNA3 ISA manual 4.4, 16.5; LLVM `SIInsertWaitcnts`, AMDGPUUsage memory model GFX11.

use super::phys::{PFunc, PInst};
use super::WAVE_SIZE;
use crate::isa::{Class, Inst, Mubuf, Opcode, Operand, Reg, RegFile, Sopk, Sopp, Vop3};
use std::collections::BTreeSet;
use t0_ir::Span;

/// Ages above this are done: a counter stops at 63 (RDNA3 ISA manual 4.4).
const MAX_COUNT: u32 = 63;

/// Loads more than it needs that an instruction waits for, so that those behind it need no wait.
const JOINED: u32 = 3;

/// Places that accesses under way go to: SGPRs, VGPRs behind them, and the memory that others may write.
const PLACES: usize = SHARED + 1;
const VGPRS: usize = 256;
const SHARED: usize = 512;

fn places(r: Reg) -> std::ops::Range<usize> {
    let first = match r.file {
        RegFile::S => r.index as usize,
        RegFile::V => VGPRS + r.index as usize,
    };
    first..first + r.count as usize
}

/// The accesses of a counter that are under way: ages are told by numbers of issue, so that growing older costs nothing.
#[derive(Clone, Debug)]
struct Ages {
    /// Number of the last access.
    now: u32,
    /// Those up to this number are done.
    done: u32,
    /// The number of the access that goes to each place.
    issued: Box<[u32; PLACES]>,
}

impl Default for Ages {
    fn default() -> Ages {
        Ages {
            now: MAX_COUNT,
            done: MAX_COUNT,
            issued: Box::new([0; PLACES]),
        }
    }
}

impl Ages {
    /// How many accesses came after the one that goes to a place.
    fn of(&self, place: usize) -> Option<u32> {
        let at = self.issued[place];
        (at > self.done).then(|| self.now - at)
    }

    fn older(&mut self, by: u32) {
        self.now += by;
        self.waited(MAX_COUNT);
    }

    /// No more than `n` are left.
    fn waited(&mut self, n: u32) {
        self.done = self.done.max(self.now - n);
    }

    /// The access that just counted goes to a place.
    fn start(&mut self, place: usize) {
        // One that does not count is no older than what is done.
        self.now = self.now.max(self.done + 1);
        self.issued[place] = self.now;
    }

    /// Takes over the younger of what goes to each place; true if that changed something.
    fn meet(&mut self, other: &Ages) -> bool {
        let mut changed = false;
        for place in 0..PLACES {
            let (mine, theirs) = (self.of(place), other.of(place));
            let younger = theirs.filter(|&t| mine.is_none_or(|m| t < m));
            changed |= younger.is_some();
            self.issued[place] = younger.or(mine).map_or(0, |age| self.now - age);
        }
        self.done = self.now - MAX_COUNT;
        changed
    }
}

/// What is under way.
#[derive(Clone, Default, Debug)]
struct State {
    vm: Ages,
    lgkm: Ages,
    /// Some LDS access is under way, with or without a result.
    lds: bool,
    /// Some scalar load is under way.
    smem: bool,
    /// Some store is under way.
    stores: bool,
}

/// Counts to wait for; `None`: not at all.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
struct Wait {
    vm: Option<u32>,
    lgkm: Option<u32>,
    vs: bool,
}

/// The wait for all stores that makes a release; there are no other waits yet.
fn is_flush(i: &PInst) -> bool {
    i.inst.op == Opcode::from(Sopk::s_waitcnt_vscnt)
}

fn tighten(slot: &mut Option<u32>, n: u32) {
    *slot = Some(slot.map_or(n, |old| old.min(n)));
}

impl State {
    fn needs(&self, i: &PInst) -> Wait {
        let mut w = Wait::default();
        let mut touch = |r: Reg| {
            for k in places(r) {
                if let Some(age) = self.vm.of(k) {
                    tighten(&mut w.vm, age);
                }
                if let Some(age) = self.lgkm.of(k) {
                    tighten(&mut w.lgkm, if self.smem { 0 } else { age });
                }
            }
        };
        i.inst.each_read(WAVE_SIZE, &mut touch);
        i.inst.each_write(WAVE_SIZE, &mut touch);
        let fence = is_flush(i) || i.inst.row().class == Class::VmemInv;
        if fence || i.inst.row().class == Class::Barrier {
            if let Some(age) = self.vm.of(SHARED) {
                tighten(&mut w.vm, age);
            }
            if self.lds || self.smem {
                w.lgkm = Some(0);
            }
            w.vs = self.stores && !is_flush(i);
        }
        w
    }

    fn waited(&mut self, w: Wait) {
        if let Some(n) = w.vm {
            self.vm.waited(n);
        }
        if let Some(n) = w.lgkm {
            self.lgkm.waited(n);
            if n == 0 {
                self.lds = false;
                self.smem = false;
            }
        }
        if w.vs {
            self.stores = false;
        }
    }

    fn issued(&mut self, i: &PInst) {
        let count = i.inst.wait();
        debug_assert!(
            count.vm == 0 || count.lgkm == 0,
            "`{}` counts in VMcnt and LGKMcnt: select an instruction of one address space",
            i.inst
        );
        self.vm.older(count.vm);
        // While scalar loads are under way every wait is for 0, so an age is not looked at and must not expire.
        if !self.smem && i.inst.row().class != Class::Smem {
            self.lgkm.older(count.lgkm);
        }
        if count.vm > 0 {
            i.inst
                .each_write(WAVE_SIZE, |r| places(r).for_each(|k| self.vm.start(k)));
            if i.shared {
                self.vm.start(SHARED);
            }
        }
        if count.lgkm > 0 {
            i.inst
                .each_write(WAVE_SIZE, |r| places(r).for_each(|k| self.lgkm.start(k)));
            match i.inst.row().class {
                Class::Smem => self.smem = true,
                _ => self.lds = true,
            }
        }
        self.stores |= count.vs > 0;
        self.stores &= !is_flush(i);
    }

    /// Joins what is under way on another path; true if that added something.
    fn meet(&mut self, other: &State) -> bool {
        let flags = |s: &State| [s.lds, s.smem, s.stores];
        let before = flags(self);
        let mut changed = self.vm.meet(&other.vm);
        changed |= self.lgkm.meet(&other.lgkm);
        self.lds |= other.lds;
        self.smem |= other.smem;
        self.stores |= other.stores;
        changed || flags(self) != before
    }
}

/// Runs the pass.
pub fn insert_waits(p: &mut PFunc) {
    let mut inputs: Vec<Option<State>> = vec![None; p.blocks.len()];
    if !inputs.is_empty() {
        inputs[0] = Some(State::default());
    }
    let mut work = BTreeSet::from([0]);
    while let Some(b) = work.pop_first() {
        let Some(mut state) = inputs.get(b).cloned().flatten() else {
            continue;
        };
        for i in &p.blocks[b] {
            let w = state.needs(i);
            state.waited(w);
            state.issued(i);
        }
        for s in p.successors(b) {
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
    let invalidate = p.blocks.iter().flatten().any(|i| i.shared);
    for (b, input) in inputs.into_iter().enumerate() {
        let Some(mut state) = input else { continue };
        let insts = std::mem::take(&mut p.blocks[b]);
        let mut waits: Vec<Wait> = insts
            .iter()
            .map(|i| {
                let w = state.needs(i);
                state.waited(w);
                state.issued(i);
                w
            })
            .collect();
        join_waits(&insts, &mut waits);
        let mut out = Vec::with_capacity(insts.len());
        for (i, w) in insts.into_iter().zip(waits) {
            push_wait(w, i.span, &mut out);
            let (barrier, span) = (i.inst.row().class == Class::Barrier, i.span);
            out.push(i);
            if barrier && invalidate {
                out.push(PInst::new(Inst::new(Mubuf::buffer_gl0_inv, vec![]), span));
            }
        }
        p.blocks[b] = out;
    }
}

/// Waits once instead of a few times: where matrix products, LDS stores or byte permutations across lanes, as a transposed tile
/// needs, that follow one another wait each for a later load than the one before, the first waits for up to [`JOINED`] loads more.
/// Their loads were issued together and come one after the other; elsewhere the first is not held up by loads that others need.
fn join_waits(insts: &[PInst], waits: &mut [Wait]) {
    for k in 0..insts.len() {
        let unit = insts[k].inst.row().class;
        if !joins(&insts[k]) {
            continue;
        }
        let mut rest = k + 1;
        while rest < insts.len() && insts[rest].inst.row().class == unit && joins(&insts[rest]) {
            rest += 1;
        }
        let issues = insts[k].inst.wait();
        let (head, tail) = waits.split_at_mut(k + 1);
        let (first, tail) = (&mut head[k], &mut tail[..rest - k - 1]);
        if issues.vm == 0 {
            join(&mut first.vm, tail.iter_mut().map(|w| &mut w.vm));
        }
        if issues.lgkm == 0 {
            join(&mut first.lgkm, tail.iter_mut().map(|w| &mut w.lgkm));
        }
    }
}

fn joins(i: &PInst) -> bool {
    let permutes = i.inst.op == Opcode::from(Vop3::v_perm_b32) && i.inst.enc.is_dpp();
    permutes || matches!(i.inst.row().class, Class::Wmma | Class::LdsStore)
}

fn join<'w>(first: &mut Option<u32>, later: impl Iterator<Item = &'w mut Option<u32>>) {
    let Some(n) = *first else { return };
    for w in later {
        match *w {
            Some(fewer) if n - fewer.min(n) <= JOINED => *first = w.take(),
            Some(_) => return,
            None => {}
        }
    }
}

fn push_wait(w: Wait, span: Span, out: &mut Vec<PInst>) {
    if w.vm.is_some() || w.lgkm.is_some() {
        let vm = w.vm.unwrap_or(MAX_COUNT);
        let lgkm = w.lgkm.unwrap_or(MAX_COUNT);
        let imm = i64::from(vm << 10 | lgkm << 4 | 7); // EXPcnt 7: not waited for
        out.push(PInst::new(Inst::new(Sopp::s_waitcnt, vec![Operand::Imm(imm)]), span));
    }
    if w.vs {
        let inst = Inst::new(Sopk::s_waitcnt_vscnt, vec![Operand::Reg(Reg::NULL), Operand::Imm(0)]);
        out.push(PInst::new(inst, span));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::isa::parse;
    use crate::target::GFX1100;

    fn issue(text: &str) -> State {
        let mut state = State::default();
        state.issued(&PInst::new(parse(text, &GFX1100).unwrap(), Span::default()));
        state
    }

    #[test]
    fn accesses_of_one_space_count_once() {
        let under_way = |a: &Ages| (0..PLACES).filter(|&k| a.of(k).is_some()).count();
        let global = issue("global_load_b32 v1, v0, s[4:5]");
        assert_eq!((under_way(&global.vm), under_way(&global.lgkm)), (1, 0));
        let lds = issue("ds_load_b32 v1, v0");
        assert_eq!((under_way(&lds.vm), under_way(&lds.lgkm), lds.lds), (0, 1, true));
    }

    fn with_waits(lines: &[&str]) -> Vec<String> {
        let inst = |l: &&str| PInst::new(parse(l, &GFX1100).unwrap(), Span::default());
        let mut p = PFunc {
            blocks: vec![lines.iter().map(inst).collect()],
        };
        insert_waits(&mut p);
        p.blocks[0].iter().map(|i| i.inst.to_string()).collect()
    }

    #[test]
    fn stores_of_loads_in_a_row_wait_once() {
        let loads = [
            "buffer_load_b32 v1, v0, s[0:3], 0 offen",
            "buffer_load_b32 v2, v0, s[0:3], 0 offen",
        ];
        let stores = ["ds_store_b32 v0, v1", "ds_store_b32 v0, v2"];
        let all = with_waits(&[loads[0], loads[1], stores[0], stores[1]]);
        assert_eq!(all[2..], ["s_waitcnt vmcnt(0)", stores[0], stores[1]]);
        // Another instruction between them has its own time to pass.
        let all = with_waits(&[loads[0], loads[1], stores[0], "s_nop 0", stores[1]]);
        assert_eq!(all[2..4], ["s_waitcnt vmcnt(1)", stores[0]]);
        assert_eq!(all[5..], ["s_waitcnt vmcnt(0)", stores[1]]);
    }

    #[test]
    fn what_issues_in_the_counter_is_not_waited_past() {
        // The second load counts in VMcnt itself: the wait behind it is for another number.
        let lines = [
            "buffer_load_b32 v1, v0, s[0:3], 0 offen",
            "buffer_load_b32 v2, v0, s[0:3], 0 offen",
            "buffer_load_b32 v3, v1, s[0:3], 0 offen",
            "buffer_load_b32 v4, v2, s[0:3], 0 offen",
        ];
        let all = with_waits(&lines);
        let waits: Vec<&String> = all.iter().filter(|l| l.starts_with("s_waitcnt")).collect();
        assert_eq!(waits, ["s_waitcnt vmcnt(1)", "s_waitcnt vmcnt(1)"]);
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "counts in VMcnt and LGKMcnt")]
    fn a_flat_access_is_refused() {
        issue("flat_load_b32 v1, v[2:3]");
    }
}
