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
}

/// What an instruction does to the virtual registers it names.
pub struct Effects {
    /// Registers whose earlier value ends here.
    pub kills: Vec<VReg>,
    /// Registers written (killed or not).
    pub defs: Vec<VReg>,
    /// Registers read; true: read late, until the results are written.
    pub uses: Vec<(VReg, bool)>,
}

/// The effects of an instruction.
pub fn effects(m: &MFunc, inst: &MInst) -> Effects {
    let mut e = Effects {
        kills: Vec::new(),
        defs: Vec::new(),
        uses: Vec::new(),
    };
    for (access, o) in inst.accesses().into_iter().zip(&inst.operands) {
        let MOperand::Virt(s) = *o else { continue };
        if access.use_ {
            e.uses.push((s.reg, access.late));
        }
        if access.def {
            e.defs.push(s.reg);
            let whole = m.is_whole(s) && !access.use_;
            if whole && (!m.info(s.reg).sticky || inst.op == MOp::ImplicitDef) {
                e.kills.push(s.reg);
            } else {
                e.uses.push((s.reg, false)); // what is not written must survive
            }
        }
    }
    e
}

/// Computes liveness.
pub fn liveness(m: &MFunc) -> Liveness {
    let n = m.vregs.len();
    let effects: Vec<Vec<Effects>> = m
        .blocks
        .iter()
        .map(|b| b.insts.iter().map(|i| effects(m, i)).collect())
        .collect();
    let live_in = live_in(m, &effects, n);
    let mut first = Vec::with_capacity(m.blocks.len() + 1);
    let mut count = 0;
    for b in &m.blocks {
        first.push(count);
        count += b.insts.len() as u32;
    }
    first.push(count);

    let mut segments: Vec<Vec<Segment>> = vec![Vec::new(); n];
    for b in (0..m.blocks.len()).rev() {
        let mut live = out_of(m, b, &live_in, n);
        let (begin, end) = (2 * first[b], 2 * first[b + 1]);
        let mut until = vec![0u32; n];
        for (i, word) in live.0.iter().enumerate() {
            for bit in 0..64 {
                if word >> bit & 1 == 1 {
                    until[i * 64 + bit] = end;
                }
            }
        }
        for (i, e) in effects[b].iter().enumerate().rev() {
            let at = 2 * (first[b] + i as u32);
            for &d in &e.defs {
                if !live.has(d) {
                    // Never read: it still occupies its register where it is written.
                    until[d.0 as usize] = at + 2;
                    live.insert(d);
                }
            }
            for &k in &e.kills {
                segments[k.0 as usize].push(Segment {
                    start: at + 1,
                    end: until[k.0 as usize],
                });
                live.remove(k);
            }
            for &(u, late) in &e.uses {
                let end = if late { at + 2 } else { at + 1 };
                let slot = &mut until[u.0 as usize];
                *slot = if live.has(u) { (*slot).max(end) } else { end };
                live.insert(u);
            }
        }
        for (i, word) in live.0.iter().enumerate() {
            for bit in 0..64 {
                if word >> bit & 1 == 1 {
                    segments[i * 64 + bit].push(Segment {
                        start: begin,
                        end: until[i * 64 + bit],
                    });
                }
            }
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

fn live_in(m: &MFunc, effects: &[Vec<Effects>], n: usize) -> Vec<Set> {
    // Per block: read before killed, and killed.
    let summary: Vec<(Set, Set)> = effects
        .iter()
        .map(|insts| {
            let (mut gen, mut kill) = (Set::new(n), Set::new(n));
            for e in insts.iter().rev() {
                for &k in &e.kills {
                    kill.insert(k);
                    gen.remove(k);
                }
                for &(u, _) in &e.uses {
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
