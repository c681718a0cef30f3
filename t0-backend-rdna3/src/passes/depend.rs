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

use petgraph::graph::{DiGraph, NodeIndex};

use crate::isa::{Class as Unit, Flags, Operand, Reg, RegFile, Row};
use crate::mir::{MFunc, MInst, MOp, MOperand, VReg};

/// Nodes of a block by number, and by how many cycles one must follow another.
pub(super) type Dag = DiGraph<(), u32>;

/// What is moved as one: an instruction, with the IMPLICIT_DEFs of what it is the first to touch before it.
pub(super) struct Node<'a> {
    /// Positions in the block.
    pub at: Vec<usize>,
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
        for (k, inst) in insts.iter().enumerate() {
            let names: Vec<VReg> = inst.operands.iter().filter_map(|o| o.virt()).map(|s| s.reg).collect();
            let mut at: Vec<usize> = Vec::new();
            let mut undefined = Vec::new();
            for r in names {
                if let Some(def) = open.remove(&r) {
                    at.push(def);
                    undefined.push(r);
                }
                if inst.op == MOp::ImplicitDef {
                    open.insert(r, k);
                }
            }
            if inst.op != MOp::ImplicitDef || !undefined.is_empty() {
                open.retain(|_, &mut def| def != k);
                at.push(k);
                nodes.push(Node { at, inst, undefined });
            }
        }
        // Those of registers that nothing else touches here.
        nodes.extend(open.into_iter().map(|(r, k)| Node {
            at: vec![k],
            inst: &insts[k],
            undefined: vec![r],
        }));
        nodes.sort_by_key(|n| n.at.last().copied());
        nodes
    }

    /// The virtual registers it names, each once.
    pub fn registers(&self) -> Vec<VReg> {
        let mut all: Vec<VReg> = self
            .inst
            .operands
            .iter()
            .filter_map(|o| o.virt())
            .map(|s| s.reg)
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// A dword that instructions read and write, or a memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Place {
    Virt(u32, u32),
    Phys(RegFile, u32),
    /// The MODE register.
    Mode,
    /// Global memory that the launch may write.
    Global,
    Lds,
    /// A dword of scratch memory, from its address's scalar register on.
    Scratch(u32),
    /// The order of what has other effects.
    World,
}

#[derive(Default)]
struct Known {
    /// The last write, and whether the instruction made it, not an IMPLICIT_DEF before it.
    write: Option<(usize, bool)>,
    reads: Vec<usize>,
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

/// The graph of a block's nodes, without the branch that ends it.
pub(super) fn depend(m: &MFunc, nodes: &[Node<'_>]) -> Dag {
    let mut dag = Dag::with_capacity(nodes.len(), 4 * nodes.len());
    let mut known: HashMap<Place, Known> = HashMap::new();
    for (k, node) in nodes.iter().enumerate() {
        dag.add_node(());
        let (reads, made) = places(m, node.inst);
        let undefined = node.undefined.iter();
        let undefined = undefined.flat_map(|&r| (0..m.info(r).width).map(move |d| Place::Virt(r.0, d)));
        let mut writes: Vec<(Place, bool)> = made.iter().map(|&p| (p, true)).collect();
        writes.extend(undefined.filter(|p| !made.contains(p)).map(|p| (p, false)));
        writes.sort_unstable();
        writes.dedup();
        for &p in &reads {
            let at = known.entry(p).or_default();
            if let Some((w, _)) = at.write {
                edge(&mut dag, w, k, latency(&nodes[w], p));
            }
            at.reads.push(k);
        }
        for &(p, made) in &writes {
            let at = known.entry(p).or_default();
            for r in std::mem::take(&mut at.reads) {
                if r != k {
                    edge(&mut dag, r, k, 0);
                }
            }
            if let Some((w, by_it)) = at.write.replace((k, made)) {
                edge(&mut dag, w, k, if by_it { rewrite(&nodes[w], p) } else { 1 });
            }
        }
    }
    dag
}

/// Cycles from a write of a place to a read: of memory only the order counts.
fn latency(write: &Node<'_>, p: Place) -> u32 {
    match p {
        Place::Virt(..) | Place::Phys(..) => cost(write.inst).0,
        Place::Mode | Place::Global | Place::Lds | Place::Scratch(_) | Place::World => 0,
    }
}

/// Cycles from a write of a place to another: what is loaded must have come.
fn rewrite(write: &Node<'_>, p: Place) -> u32 {
    let loads = write.inst.opcode().is_some_and(|o| {
        matches!(
            o.row().class,
            Unit::VmemLoad | Unit::VmemAtomic | Unit::Smem | Unit::LdsLoad | Unit::LdsAtomic | Unit::LdsLane
        )
    });
    if loads {
        latency(write, p)
    } else {
        1
    }
}

fn edge(dag: &mut Dag, from: usize, to: usize, cycles: u32) {
    dag.add_edge(NodeIndex::new(from), NodeIndex::new(to), cycles);
}

/// What an instruction reads and writes.
fn places(m: &MFunc, inst: &MInst) -> (Vec<Place>, Vec<Place>) {
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    for (access, o) in inst.accesses().iter().zip(&inst.operands) {
        let dwords: Vec<Place> = match *o {
            MOperand::Virt(s) => (s.at..s.at + s.count).map(|d| Place::Virt(s.reg.0, d)).collect(),
            MOperand::Isa(Operand::Reg(r)) if !r.is_null() => physical(r).collect(),
            MOperand::Isa(Operand::Special(253)) => physical(Reg::SCC).collect(),
            _ => continue,
        };
        if access.use_ {
            reads.extend(&dwords);
        }
        if access.def {
            // A result under EXEC keeps what other lanes hold: it comes after the write before it, as any other.
            writes.extend(&dwords);
        }
    }
    if let MOp::Isa(op) = inst.op {
        implicit(op.row().flags, &mut reads, &mut writes);
        mode(op.row(), &mut reads, &mut writes);
        memory(inst, op.row().class, &mut reads, &mut writes);
    } else if let (MOp::Copy, Some(MOperand::Virt(to))) = (inst.op, inst.operands.first()) {
        if m.info(to.reg).class == crate::mir::Class::V {
            reads.extend(physical(Reg::EXEC)); // becomes v_mov_b32
        }
    }
    (reads, writes)
}

fn physical(r: Reg) -> impl Iterator<Item = Place> {
    (r.index..r.index + r.count.max(1)).map(move |i| Place::Phys(r.file, i))
}

/// Rounding and denormals: every vector instruction may go by them.
fn mode(row: &Row, reads: &mut Vec<Place>, writes: &mut Vec<Place>) {
    if row.flags.has(Flags::MODE) {
        writes.push(Place::Mode);
    } else if row.class.is_valu() {
        reads.push(Place::Mode);
    }
}

/// SCC, VCC, EXEC and M0.
fn implicit(flags: Flags, reads: &mut Vec<Place>, writes: &mut Vec<Place>) {
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

fn memory(inst: &MInst, unit: Unit, reads: &mut Vec<Place>, writes: &mut Vec<Place>) {
    use Place::{Global, Lds, World};
    if inst.opcode().is_some_and(|o| o.row().flags.has(Flags::SCRATCH)) {
        // Only spilled values are there. Pages behind different address registers are taken for one.
        let data = inst.operands.iter().filter_map(|o| o.virt()).map(|s| s.count).max();
        let first = inst.mods.offset as u32 / 4;
        let dwords = (first..first + data.unwrap_or(1)).map(Place::Scratch);
        match unit {
            Unit::VmemStore => writes.extend(dwords),
            _ => reads.extend(dwords),
        }
        return;
    }
    match unit {
        Unit::VmemLoad | Unit::Smem if inst.shared => reads.extend([Global, World]),
        Unit::VmemLoad | Unit::Smem => {}
        Unit::VmemStore | Unit::VmemAtomic => {
            writes.push(Global);
            reads.push(World);
        }
        Unit::LdsLoad => reads.extend([Lds, World]),
        Unit::LdsStore | Unit::LdsAtomic => {
            writes.push(Lds);
            reads.push(World);
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
        | Unit::Export => writes.extend([World, Global, Lds]),
    }
}
