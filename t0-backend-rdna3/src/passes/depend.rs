//! What must stay in order within a block.
//!
//! Problem: the scheduler may move an instruction only where it finds the same registers and the same memory. Method: a directed
//! graph over the block's instructions; an edge says "after, and at least so many cycles after". Registers count dword by
//! dword, so that the parts of a tuple are written in any order. SCC, VCC, EXEC, M0 and other physical registers are registers, too.
//!
//! Memory: global memory the launch may write, and LDS, each keep stores in order with loads and stores; loads of memory
//! that nobody writes go anywhere. Barriers, fences, messages and whatever else has an effect beyond registers and
//! memory keep their place among each other and among all accesses to memory. Scratch memory is the wave's own: its dwords count like
//! registers.

use std::collections::HashMap;

use crate::isa::{Class as Unit, Flags, Operand, Reg, RegFile, Row};
use crate::mir::{MFunc, MInst, MOp, MOperand, VReg};

/// What is moved as one: an instruction, with the IMPLICIT_DEFs of what it is the first to touch before it.
pub(super) struct Node<'a> {
    /// Positions in the block of the IMPLICIT_DEFs.
    pub before: Vec<usize>,
    /// Position of the instruction.
    pub at: usize,
    /// The instruction.
    pub inst: &'a MInst,
    /// Registers that the IMPLICIT_DEFs before it name.
    pub undefined: Vec<VReg>,
}

impl<'a> Node<'a> {
    /// The nodes of a block, in order.
    pub fn all(insts: &'a [MInst]) -> Vec<Node<'a>> {
        let mut open: HashMap<VReg, usize> = HashMap::new();
        let mut nodes = Vec::with_capacity(insts.len());
        for (at, inst) in insts.iter().enumerate() {
            let (mut before, mut undefined) = (Vec::new(), Vec::new());
            let mut named = None;
            for s in inst.operands.iter().filter_map(|o| o.virt()) {
                if !open.is_empty() {
                    if let Some(def) = open.remove(&s.reg) {
                        before.push(def);
                        undefined.push(s.reg);
                    }
                }
                named = Some(s.reg);
            }
            match named {
                Some(r) if inst.op == MOp::ImplicitDef && undefined.is_empty() => {
                    open.insert(r, at);
                }
                _ => nodes.push(Node {
                    before,
                    at,
                    inst,
                    undefined,
                }),
            }
        }
        // Those of registers that nothing else touches here.
        nodes.extend(open.into_iter().map(|(r, at)| Node {
            before: Vec::new(),
            at,
            inst: &insts[at],
            undefined: vec![r],
        }));
        nodes.sort_by_key(|n| n.at);
        nodes
    }
}

/// Nodes of a block by number, and by how many cycles one must follow another.
pub(super) struct Dag {
    /// Where the edges of each node begin, and the end of all.
    first: Vec<u32>,
    /// Where edges lead, and cycles.
    to: Vec<(u32, u32)>,
    /// Edges that lead to each node.
    pub incoming: Vec<u32>,
}

impl Dag {
    fn new(nodes: usize, edges: &[(u32, u32, u32)]) -> Dag {
        let (mut first, mut incoming) = (vec![0; nodes + 1], vec![0; nodes]);
        for &(from, to, _) in edges {
            first[from as usize + 1] += 1;
            incoming[to as usize] += 1;
        }
        for k in 0..nodes {
            first[k + 1] += first[k];
        }
        let mut next = first.clone();
        let mut all = vec![(0, 0); edges.len()];
        for &(from, to, cycles) in edges {
            let slot = &mut next[from as usize];
            all[*slot as usize] = (to, cycles);
            *slot += 1;
        }
        Dag {
            first,
            to: all,
            incoming,
        }
    }

    /// The nodes after one, and the cycles between.
    pub fn after(&self, node: usize) -> &[(u32, u32)] {
        &self.to[self.first[node] as usize..self.first[node + 1] as usize]
    }
}

/// Numbers of what instructions read and write: physical registers first, then these, then dwords of virtual registers and of
/// scratch memory as they come.
const VGPRS: u32 = 256;
/// The MODE register.
const MODE: u32 = 512;
/// Global memory that the launch may write.
const GLOBAL: u32 = 513;
const LDS: u32 = 514;
/// The order of what has other effects.
const WORLD: u32 = 515;
const FIRST: u32 = 516;

#[derive(Clone, Copy)]
struct Known {
    /// The last write, and whether the instruction made it, not an IMPLICIT_DEF before it.
    write: Option<(u32, bool)>,
    /// The last read since then, in [`Places::reads`].
    read: Option<u32>,
    /// Only the order of accesses counts.
    memory: bool,
}

/// What is known of what instructions read and write.
struct Places {
    known: Vec<Known>,
    /// Reads: the node, and the read before it.
    reads: Vec<(u32, Option<u32>)>,
    /// The number of the first dword of each virtual register that was met.
    virt: HashMap<VReg, u32, Multiply>,
    scratch: HashMap<u32, u32>,
}

/// A quick hash of small numbers.
#[derive(Clone, Copy, Default)]
struct Multiply(u64);

impl std::hash::BuildHasher for Multiply {
    type Hasher = Multiply;
    fn build_hasher(&self) -> Multiply {
        Multiply(0)
    }
}

impl std::hash::Hasher for Multiply {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&b| self.write_u32(u32::from(b)));
    }
    fn write_u32(&mut self, n: u32) {
        self.0 = (self.0 ^ u64::from(n))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(32);
    }
}

impl Places {
    fn new(nodes: usize) -> Places {
        let blank = |k: u32| Known {
            write: None,
            read: None,
            memory: k >= MODE,
        };
        let mut known: Vec<Known> = Vec::with_capacity(FIRST as usize + 2 * nodes);
        known.extend((0..FIRST).map(blank));
        Places {
            known,
            reads: Vec::with_capacity(3 * nodes),
            virt: HashMap::with_capacity_and_hasher(nodes, Multiply::default()),
            scratch: HashMap::new(),
        }
    }

    fn add(known: &mut Vec<Known>, n: u32, memory: bool) -> u32 {
        let first = known.len() as u32;
        let blank = Known {
            write: None,
            read: None,
            memory,
        };
        known.extend((0..n).map(|_| blank));
        first
    }

    fn dwords(&mut self, m: &MFunc, r: VReg) -> u32 {
        let known = &mut self.known;
        *self
            .virt
            .entry(r)
            .or_insert_with(|| Self::add(known, m.info(r).width, false))
    }

    fn scratch(&mut self, dword: u32) -> u32 {
        let known = &mut self.known;
        *self.scratch.entry(dword).or_insert_with(|| Self::add(known, 1, true))
    }
}

/// Cycles from an instruction's issue until its result can be used, and until the next instruction of the wave issues: from
/// the cycle model's table, memory a little less than there, because other waves are not always there to wait with.
pub(super) fn cost(i: &MInst) -> (u32, u32) {
    let Some(op) = i.opcode() else { return (0, 0) };
    match op.row().class {
        Unit::Valu | Unit::ValuLane => (5, 1),
        Unit::Valu64 => (6, 2),
        Unit::ValuMul => (8, 4),
        Unit::ValuTrans => (10, 1),
        Unit::ValuF64 => (38, 16),
        Unit::Wmma => (34, 32),
        Unit::LdsLoad | Unit::LdsAtomic | Unit::LdsLane => (80, 4),
        Unit::LdsStore => (20, 4),
        Unit::VmemLoad | Unit::VmemAtomic => (500, 4),
        Unit::Smem => (200, 1),
        Unit::Salu => (2, 1),
        _ => (1, 1),
    }
}

/// What one instruction reads and writes.
#[derive(Default)]
struct Touched {
    reads: Vec<u32>,
    writes: Vec<u32>,
}

/// The graph of a block's nodes, without the branch that ends it.
pub(super) fn depend(m: &MFunc, nodes: &[Node<'_>]) -> Dag {
    let mut places = Places::new(nodes.len());
    let mut edges: Vec<(u32, u32, u32)> = Vec::with_capacity(4 * nodes.len());
    let mut t = Touched::default();
    let mut writes: Vec<(u32, bool)> = Vec::new();
    for (k, node) in (0..).zip(nodes) {
        t.reads.clear();
        t.writes.clear();
        touched(m, node.inst, &mut places, &mut t);
        writes.clear();
        writes.extend(t.writes.iter().map(|&p| (p, true)));
        for &r in &node.undefined {
            let first = places.dwords(m, r);
            let dwords = first..first + m.info(r).width;
            writes.extend(dwords.filter(|p| !t.writes.contains(p)).map(|p| (p, false)));
        }
        writes.sort_unstable();
        writes.dedup();
        for &p in &t.reads {
            let at = &mut places.known[p as usize];
            if let Some((w, _)) = at.write {
                edges.push((w, k, latency(&nodes[w as usize], at.memory)));
            }
            places.reads.push((k, at.read));
            at.read = Some(places.reads.len() as u32 - 1);
        }
        for &(p, made) in &writes {
            let at = &mut places.known[p as usize];
            let mut read = at.read.take();
            while let Some((by, before)) = read.map(|r| places.reads[r as usize]) {
                if by != k {
                    edges.push((by, k, 0));
                }
                read = before;
            }
            if let Some((w, by_it)) = at.write.replace((k, made)) {
                let cycles = if by_it {
                    rewrite(&nodes[w as usize], at.memory)
                } else {
                    1
                };
                edges.push((w, k, cycles));
            }
        }
    }
    Dag::new(nodes.len(), &edges)
}

/// Cycles from a write of a place to a read: of memory only the order counts.
fn latency(write: &Node<'_>, memory: bool) -> u32 {
    if memory {
        0
    } else {
        cost(write.inst).0
    }
}

/// Cycles from a write of a place to another: what is loaded must have come.
fn rewrite(write: &Node<'_>, memory: bool) -> u32 {
    let loads = write.inst.opcode().is_some_and(|o| {
        matches!(
            o.row().class,
            Unit::VmemLoad | Unit::VmemAtomic | Unit::Smem | Unit::LdsLoad | Unit::LdsAtomic | Unit::LdsLane
        )
    });
    if loads {
        latency(write, memory)
    } else {
        1
    }
}

/// What an instruction reads and writes.
fn touched(m: &MFunc, inst: &MInst, places: &mut Places, t: &mut Touched) {
    for (access, o) in inst.accesses().iter().zip(&inst.operands) {
        let dwords = match *o {
            MOperand::Virt(s) => {
                let first = places.dwords(m, s.reg) + s.at;
                first..first + s.count
            }
            MOperand::Isa(Operand::Reg(r)) if !r.is_null() => physical(r),
            MOperand::Isa(Operand::Special(253)) => physical(Reg::SCC),
            _ => continue,
        };
        if access.use_ {
            t.reads.extend(dwords.clone());
        }
        if access.def {
            // A result under EXEC keeps what other lanes hold: it comes after the write before it, as any other.
            t.writes.extend(dwords);
        }
    }
    if let MOp::Isa(op) = inst.op {
        implicit(op.row().flags, &mut t.reads, &mut t.writes);
        mode(op.row(), &mut t.reads, &mut t.writes);
        match op.row().flags.has(Flags::SCRATCH) {
            true => scratch(inst, op.row().class, places, t),
            false => memory(inst, op.row().class, &mut t.reads, &mut t.writes),
        }
    } else if let (MOp::Copy, Some(MOperand::Virt(to))) = (inst.op, inst.operands.first()) {
        if m.info(to.reg).class == crate::mir::Class::V {
            t.reads.extend(physical(Reg::EXEC)); // becomes v_mov_b32
        }
    }
}

fn physical(r: Reg) -> std::ops::Range<u32> {
    let first = match r.file {
        RegFile::S => r.index,
        RegFile::V => VGPRS + r.index,
    };
    first..first + r.count.max(1)
}

/// Only spilled values are there. Pages behind different address registers are taken for one.
fn scratch(inst: &MInst, unit: Unit, places: &mut Places, t: &mut Touched) {
    let data = inst.operands.iter().filter_map(|o| o.virt()).map(|s| s.count).max();
    let first = inst.mods.offset as u32 / 4;
    let dwords = (first..first + data.unwrap_or(1)).map(|d| places.scratch(d));
    match unit {
        Unit::VmemStore => t.writes.extend(dwords),
        _ => t.reads.extend(dwords),
    }
}

/// Rounding and denormals: every vector instruction may go by them.
fn mode(row: &Row, reads: &mut Vec<u32>, writes: &mut Vec<u32>) {
    if row.flags.has(Flags::MODE) {
        writes.push(MODE);
    } else if row.class.is_valu() {
        reads.push(MODE);
    }
}

/// SCC, VCC, EXEC and M0.
fn implicit(flags: Flags, reads: &mut Vec<u32>, writes: &mut Vec<u32>) {
    let vcc = Reg::vcc(super::WAVE_SIZE);
    for (read, write, r) in [
        (Flags::R_SCC, Flags::W_SCC, Reg::SCC),
        (Flags::R_VCC, Flags::W_VCC, vcc),
        (Flags::R_EXEC, Flags::W_EXEC, Reg::EXEC),
        (Flags::R_M0, Flags::W_M0, Reg::M0),
    ] {
        if flags.has(read) {
            reads.extend(physical(r));
        }
        if flags.has(write) {
            writes.extend(physical(r));
        }
    }
}

fn memory(inst: &MInst, unit: Unit, reads: &mut Vec<u32>, writes: &mut Vec<u32>) {
    match unit {
        Unit::VmemLoad | Unit::Smem if inst.shared => reads.extend([GLOBAL, WORLD]),
        Unit::VmemLoad | Unit::Smem => {}
        Unit::VmemStore | Unit::VmemAtomic => {
            writes.push(GLOBAL);
            reads.push(WORLD);
        }
        Unit::LdsLoad => reads.extend([LDS, WORLD]),
        Unit::LdsStore | Unit::LdsAtomic => {
            writes.push(LDS);
            reads.push(WORLD);
        }
        Unit::Salu
        | Unit::Valu
        | Unit::ValuTrans
        | Unit::ValuMul
        | Unit::Valu64
        | Unit::ValuF64
        | Unit::ValuLane
        | Unit::Wmma
        | Unit::LdsLane => {}
        Unit::Control
        | Unit::Branch
        | Unit::End
        | Unit::Wait
        | Unit::Barrier
        | Unit::Msg
        | Unit::SmemInv
        | Unit::VmemInv
        | Unit::LdsDir
        | Unit::Export => writes.extend([WORLD, GLOBAL, LDS]),
    }
}
