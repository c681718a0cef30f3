//! The order of instructions within blocks.
//!
//! Problem: a wave issues in order and waits for what is not there yet. Selection leaves the order of the source, in which
//! loads stand next to their uses. Method: list scheduling, forwards, of each block's graph of dependences
//! (`depend`): of the instructions whose operands are there by now, the one with the longest way to the block's end.
//! So loads go first and what needs them last, and the matrix products stand between.
//!
//! Registers: an order that hides more keeps more values alive. While more are alive than `limits` allows, or would be,
//! what ends lives goes first, and otherwise what stands first; not what has to wait for memory, as long as there is something
//! else. `limits` is a wish: the caller allocates and falls back to the
//! old order when it is not met.
//!
//! An IMPLICIT_DEF goes right before the first part of its register. The branch stays last.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::depend::{cost, depend, Dag, Node};
use super::liveness::Liveness;
use crate::isa::Class as Unit;
use crate::mir::{Class, MFunc, MInst, VReg};

/// Most instructions that are looked at for one that keeps the registers within their limits.
const WINDOW: usize = 32;
/// Cycles an instruction may have to wait and still be taken for the registers it gives back: longer than the LDS takes.
const PATIENCE: u32 = 100;

/// Runs the pass. `live`: the liveness of `m`; `limits`: scalar and vector registers that may be alive at once.
pub fn schedule(m: &mut MFunc, live: &Liveness, limits: [u32; 2]) {
    let mut numbers = vec![UNKNOWN; m.vregs.len()];
    for b in 0..m.blocks.len() {
        let (first, end) = (2 * live.first[b], 2 * live.first[b + 1]);
        let insts = &m.blocks[b].insts;
        let body = insts.len() - usize::from(insts.last().is_some_and(ends_block));
        if body < 2 {
            continue;
        }
        let nodes = Node::all(&insts[..body]);
        let order = Scheduler::new(m, &nodes, live, (first, end), limits, &mut numbers).run();
        let of = |k: usize| nodes[k].before.iter().copied().chain([nodes[k].at]);
        let order: Vec<usize> = order.into_iter().flat_map(of).collect();
        let mut old: Vec<Option<MInst>> = std::mem::take(&mut m.blocks[b].insts).into_iter().map(Some).collect();
        let tail = old.split_off(body);
        let scheduled = order.into_iter().map(|k| old[k].take());
        m.blocks[b].insts = scheduled.chain(tail).flatten().collect();
    }
}

/// Registers of each class alive at once, where most are. `live`: the liveness of `m`.
pub fn peak(m: &MFunc, live: &Liveness) -> [u32; 2] {
    let end = 2 * live.first.last().copied().unwrap_or(0) as usize + 2;
    let mut most = [0; 2];
    for (n, class) in [Class::S, Class::V].into_iter().enumerate() {
        let mut change = vec![0i64; end + 1];
        for (info, segments) in m.vregs.iter().zip(&live.segments).filter(|(i, _)| i.class == class) {
            for s in segments {
                change[s.start as usize] += i64::from(info.width);
                change[s.end as usize] -= i64::from(info.width);
            }
        }
        let now = change.iter().scan(0, |sum, c| {
            *sum += c;
            Some(*sum)
        });
        most[n] = now.max().unwrap_or(0) as u32;
    }
    most
}

fn ends_block(i: &MInst) -> bool {
    let unit = i.opcode().map(|o| o.row().class);
    matches!(unit, Some(Unit::Branch | Unit::End))
}

/// A block on its way to a new order.
struct Scheduler<'a> {
    nodes: &'a [Node<'a>],
    dag: Dag,
    /// Longest way from the issue of each instruction to the block's end, in cycles.
    height: Vec<u32>,
    /// Instructions each still waits for.
    missing: Vec<u32>,
    /// Cycle from which each can issue, as far as it is known.
    ready: Vec<u32>,
    /// Instructions that wait for none any more.
    free: BTreeSet<usize>,
    /// Those of them whose time has come, by what they hold up.
    due: BTreeSet<(Reverse<u32>, usize)>,
    /// The others, by their time.
    later: BTreeSet<(u32, usize)>,
    /// The registers of the block.
    registers: Vec<Register>,
    /// Registers of each instruction, each once, one instruction after the other, and where they begin.
    named: Vec<u32>,
    first: Vec<u32>,
    pressure: [i64; 2],
    limits: [i64; 2],
}

/// No number yet.
const UNKNOWN: u32 = u32::MAX;

/// A register that instructions of the block name.
struct Register {
    class: usize,
    width: i64,
    /// Instructions that have still to read or write it.
    users: u32,
    alive: bool,
    /// Alive behind the block.
    out: bool,
}

impl<'a> Scheduler<'a> {
    /// `numbers`: by virtual register, all unknown.
    fn new(
        m: &'a MFunc,
        nodes: &'a [Node<'a>],
        live: &Liveness,
        (start, end): (u32, u32),
        limits: [u32; 2],
        numbers: &mut [u32],
    ) -> Self {
        let dag = depend(m, nodes);
        let mut registers: Vec<Register> = Vec::new();
        let (mut named, mut first) = (Vec::with_capacity(3 * nodes.len()), vec![0]);
        let mut met: Vec<VReg> = Vec::new();
        for node in nodes {
            let begin = named.len();
            for s in node.inst.operands.iter().filter_map(|o| o.virt()) {
                let number = &mut numbers[s.reg.0 as usize];
                if *number == UNKNOWN {
                    *number = registers.len() as u32;
                    met.push(s.reg);
                    let at = |p: u32, q: u32| {
                        live.segments[s.reg.0 as usize]
                            .iter()
                            .any(|s| s.start <= p && s.end > q)
                    };
                    registers.push(Register {
                        class: class(m, s.reg),
                        width: i64::from(m.info(s.reg).width),
                        users: 0,
                        alive: at(start, start),
                        out: at(end - 1, end - 1),
                    });
                }
                if !named[begin..].contains(number) {
                    named.push(*number);
                    registers[*number as usize].users += 1;
                }
            }
            first.push(named.len() as u32);
        }
        met.into_iter().for_each(|r| numbers[r.0 as usize] = UNKNOWN);
        let mut pressure = [0; 2];
        for (r, segments) in (0..).map(VReg).zip(&live.segments) {
            if segments.iter().any(|s| s.start <= start && s.end > start) {
                pressure[class(m, r)] += i64::from(m.info(r).width);
            }
        }
        let missing = dag.incoming.clone();
        let mut s = Scheduler {
            height: heights(&dag, nodes),
            ready: vec![0; nodes.len()],
            free: BTreeSet::new(),
            due: BTreeSet::new(),
            later: BTreeSet::new(),
            missing,
            nodes,
            dag,
            registers,
            named,
            first,
            pressure,
            limits: limits.map(i64::from),
        };
        for k in 0..nodes.len() {
            if s.missing[k] == 0 {
                s.release(k);
            }
        }
        s
    }

    /// The new order.
    fn run(mut self) -> Vec<usize> {
        let mut order = Vec::with_capacity(self.nodes.len());
        let mut now = 0;
        while !self.free.is_empty() {
            if self.due.is_empty() {
                now = now.max(self.later.first().map_or(now, |l| l.0));
            }
            while let Some(&(at, k)) = self.later.first().filter(|l| l.0 <= now) {
                self.later.remove(&(at, k));
                self.due.insert((Reverse(self.height[k]), k));
            }
            let Some(k) = self.choose(now) else { continue };
            now = now.max(self.ready[k]);
            self.issue(k, now);
            now += cost(self.nodes[k].inst).1;
            order.push(k);
        }
        order
    }

    /// The next instruction: the one that holds up most, if there are registers for it.
    fn choose(&self, now: u32) -> Option<usize> {
        let over = |k: usize| {
            let change = self.change(k);
            (0..2).any(|c| change[c] > 0 && self.pressure[c] + change[c] > self.limits[c])
        };
        let wanted = self.due.iter().take(WINDOW).map(|d| d.1);
        let fits = wanted.clone().find(|&k| !over(k));
        fits.or_else(|| {
            let first = self.free.iter().take(WINDOW).copied();
            first.min_by_key(|&k| {
                let change = self.change(k);
                let worst = (0..2).map(|c| change[c] * i64::from(self.pressure[c] + change[c] > self.limits[c]));
                (self.ready[k] > now + PATIENCE, worst.sum::<i64>(), k)
            })
        })
    }

    fn named(&self, k: usize) -> &[u32] {
        &self.named[self.first[k] as usize..self.first[k + 1] as usize]
    }

    /// How the registers alive change with an instruction.
    fn change(&self, k: usize) -> [i64; 2] {
        let mut change = [0; 2];
        for &r in self.named(k) {
            let r = &self.registers[r as usize];
            let last = r.users == 1 && !r.out;
            match (r.alive, last) {
                (true, true) => change[r.class] -= r.width,
                (false, false) => change[r.class] += r.width,
                _ => {}
            }
        }
        change
    }

    fn issue(&mut self, k: usize, now: u32) {
        self.free.remove(&k);
        self.due.remove(&(Reverse(self.height[k]), k));
        self.later.remove(&(self.ready[k], k));
        let change = self.change(k);
        (0..2).for_each(|c| self.pressure[c] += change[c]);
        for n in self.first[k]..self.first[k + 1] {
            let r = &mut self.registers[self.named[n as usize] as usize];
            r.users -= 1;
            r.alive = r.users > 0 || r.out;
        }
        for e in 0..self.dag.after(k).len() {
            let (to, cycles) = self.dag.after(k)[e];
            let to = to as usize;
            self.ready[to] = self.ready[to].max(now + cycles);
            self.missing[to] -= 1;
            if self.missing[to] == 0 {
                self.release(to);
            }
        }
    }

    fn release(&mut self, k: usize) {
        self.free.insert(k);
        self.later.insert((self.ready[k], k));
    }
}

fn class(m: &MFunc, r: VReg) -> usize {
    usize::from(m.info(r).class == Class::V)
}

/// Longest ways to the end; edges lead from lower to higher numbers.
fn heights(dag: &Dag, nodes: &[Node<'_>]) -> Vec<u32> {
    let mut height = vec![0; nodes.len()];
    for k in (0..nodes.len()).rev() {
        let (latency, _) = cost(nodes[k].inst);
        let after = dag.after(k).iter().map(|&(to, cycles)| cycles + height[to as usize]);
        let most = after.fold(latency, u32::max);
        height[k] = most;
    }
    height
}
