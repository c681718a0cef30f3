//! When each virtual register holds a value that is still needed.
//!
//! Method: backward dataflow over the blocks on bit sets, then one backward walk per block that turns it into segments.
//! Instruction `i` (counted over the whole function) reads at position 2i and writes at 2i + 1; a segment is a half-open
//! range of positions. A definition ends the life of the previous value only if it writes the whole register and every
//! lane: not for sticky registers (but IMPLICIT_DEF always does).

use crate::mir::{MFunc, MInst, MOp, MOperand, VReg};

/// A half-open range of positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Segment {
    /// First position.
    pub start: u32,
    /// One past the last position.
    pub end: u32,
}

/// Liveness of a function.
pub struct Liveness {
    /// Per virtual register: its segments, sorted and disjoint.
    pub segments: Vec<Vec<Segment>>,
    /// Number of the first instruction of each block; one more entry for the end.
    pub first: Vec<u32>,
}

impl Liveness {
    /// Positions there are.
    pub fn positions(&self) -> usize {
        2 * self.first.last().copied().unwrap_or(0) as usize + 2
    }
}

/// A set of virtual registers.
#[derive(Clone, PartialEq)]
struct Set(Vec<u64>);

impl Set {
    fn new(n: usize) -> Set {
        Set(vec![0; n.div_ceil(64)])
    }
    fn has(&self, r: VReg) -> bool {
        self.0[r.0 as usize / 64] >> (r.0 % 64) & 1 == 1
    }
    fn insert(&mut self, r: VReg) {
        self.0[r.0 as usize / 64] |= 1 << (r.0 % 64);
    }
    fn remove(&mut self, r: VReg) {
        self.0[r.0 as usize / 64] &= !(1 << (r.0 % 64));
    }
    fn members(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(i, &word)| {
            let rest = std::iter::successors(Some(word), |w| Some(w & w.wrapping_sub(1)));
            let ones = rest.take_while(|w| *w != 0);
            ones.map(move |w| i * 64 + w.trailing_zeros() as usize)
        })
    }
}

/// What an instruction does to a virtual register it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Writes it.
    Def,
    /// Its earlier value ends here.
    Kill,
    /// Reads it, or leaves a part of it as it is.
    Use,
    /// Reads it until the results are written.
    LateUse,
}

/// Calls `f` with each effect of an instruction.
pub fn each_effect(m: &MFunc, inst: &MInst, mut f: impl FnMut(VReg, Effect)) {
    for (access, o) in inst.accesses().iter().zip(&inst.operands) {
        let MOperand::Virt(s) = *o else { continue };
        if access.use_ {
            f(s.reg, if access.late { Effect::LateUse } else { Effect::Use });
        }
        if access.def {
            f(s.reg, Effect::Def);
            let whole = m.is_whole(s) && !access.use_;
            if whole && (!m.info(s.reg).sticky || inst.op == MOp::ImplicitDef) {
                f(s.reg, Effect::Kill);
            } else {
                f(s.reg, Effect::Use); // what is not written must survive
            }
        }
    }
}

/// The effects of all instructions of a block, one after the other.
#[derive(Default)]
struct Effects {
    all: Vec<(VReg, Effect)>,
    /// Where those of each instruction end.
    ends: Vec<u32>,
}

impl Effects {
    fn of(m: &MFunc, insts: &[MInst]) -> Effects {
        let mut out = Effects::default();
        for i in insts {
            each_effect(m, i, |r, e| out.all.push((r, e)));
            out.ends.push(out.all.len() as u32);
        }
        out
    }

    /// By instruction, the last first.
    fn backwards(&self) -> impl Iterator<Item = (usize, &[(VReg, Effect)])> {
        (0..self.ends.len()).rev().map(|k| {
            let from = k.checked_sub(1).map_or(0, |before| self.ends[before]);
            (k, &self.all[from as usize..self.ends[k] as usize])
        })
    }
}

fn those(of: &[(VReg, Effect)], kinds: [Effect; 2]) -> impl Iterator<Item = (VReg, Effect)> + '_ {
    of.iter().copied().filter(move |e| kinds.contains(&e.1))
}

/// Computes liveness.
pub fn liveness(m: &MFunc) -> Liveness {
    let n = m.vregs.len();
    let effects: Vec<Effects> = m.blocks.iter().map(|b| Effects::of(m, &b.insts)).collect();
    let live_in = live_in(m, &effects, n);
    let mut first = Vec::with_capacity(m.blocks.len() + 1);
    let mut count = 0;
    for b in &m.blocks {
        first.push(count);
        count += b.insts.len() as u32;
    }
    first.push(count);

    let mut segments: Vec<Vec<Segment>> = vec![Vec::new(); n];
    // Only of what is live.
    let mut until = vec![0u32; n];
    for b in (0..m.blocks.len()).rev() {
        let mut live = out_of(m, b, &live_in, n);
        let (begin, end) = (2 * first[b], 2 * first[b + 1]);
        live.members().for_each(|r| until[r] = end);
        for (i, e) in effects[b].backwards() {
            let at = 2 * (first[b] + i as u32);
            for (d, _) in those(e, [Effect::Def; 2]) {
                if !live.has(d) {
                    // Never read: it still occupies its register where it is written.
                    until[d.0 as usize] = at + 2;
                    live.insert(d);
                }
            }
            for (k, _) in those(e, [Effect::Kill; 2]) {
                segments[k.0 as usize].push(Segment {
                    start: at + 1,
                    end: until[k.0 as usize],
                });
                live.remove(k);
            }
            for (u, how) in those(e, [Effect::Use, Effect::LateUse]) {
                let end = if how == Effect::LateUse { at + 2 } else { at + 1 };
                let slot = &mut until[u.0 as usize];
                *slot = if live.has(u) { (*slot).max(end) } else { end };
                live.insert(u);
            }
        }
        for r in live.members() {
            segments[r].push(Segment {
                start: begin,
                end: until[r],
            });
        }
    }
    for s in &mut segments {
        s.sort_unstable();
        merge(s);
    }
    Liveness { segments, first }
}

/// Joins touching and overlapping segments of a sorted list.
pub fn merge(s: &mut Vec<Segment>) {
    let mut out: Vec<Segment> = Vec::with_capacity(s.len());
    for seg in s.drain(..).filter(|s| s.start < s.end) {
        match out.last_mut() {
            Some(last) if last.end >= seg.start => last.end = last.end.max(seg.end),
            _ => out.push(seg),
        }
    }
    *s = out;
}

fn out_of(m: &MFunc, b: usize, live_in: &[Set], n: usize) -> Set {
    let mut out = Set::new(n);
    for s in m.successors(b) {
        for (o, i) in out.0.iter_mut().zip(&live_in[s].0) {
            *o |= i;
        }
    }
    out
}

fn live_in(m: &MFunc, effects: &[Effects], n: usize) -> Vec<Set> {
    // Per block: read before killed, and killed.
    let summary: Vec<(Set, Set)> = effects
        .iter()
        .map(|insts| {
            let (mut gen, mut kill) = (Set::new(n), Set::new(n));
            for (_, e) in insts.backwards() {
                for (k, _) in those(e, [Effect::Kill; 2]) {
                    kill.insert(k);
                    gen.remove(k);
                }
                for (u, _) in those(e, [Effect::Use, Effect::LateUse]) {
                    gen.insert(u);
                    kill.remove(u);
                }
            }
            (gen, kill)
        })
        .collect();
    let mut live: Vec<Set> = vec![Set::new(n); m.blocks.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for b in (0..m.blocks.len()).rev() {
            let mut s = out_of(m, b, &live, n);
            for (w, (g, k)) in s.0.iter_mut().zip(summary[b].0 .0.iter().zip(&summary[b].1 .0)) {
                *w = (*w & !k) | g;
            }
            if s != live[b] {
                live[b] = s;
                changed = true;
            }
        }
    }
    live
}
