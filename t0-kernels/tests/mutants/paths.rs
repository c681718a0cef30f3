//! Whether all waits are there: every path through the code with everything in flight on it, one by one.
//!
//! Problem: a mutant without a wait may be right all the same, when another wait covers it; that must be proven, and not by
//! the checker under test. Method: no joining of paths and no ages: the states are (instruction, queue of VMcnt, queue of
//! LGKMcnt, stores), explored until there is no new one. Source: RDNA3 ISA manual 4.4; LLVM AMDGPUUsage, memory model
//! GFX11 (before a barrier LDS accesses and stores are done).

use std::collections::HashSet;

use t0_backend_rdna3::isa::{Class, Inst, Opcode, Operand, Reg, Sopk, Sopp};

use crate::image::Image;

/// States after which the answer is "not known".
const MOST: usize = 400_000;
/// What a counter counts to.
const FULL: usize = 63;

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    at: usize,
    vm: Vec<usize>,
    lgkm: Vec<usize>,
    stores: bool,
}

/// An instruction that needs a wait which does not stand on some path before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// All waits are there; states explored.
    Covered(usize),
    /// This one touches what may be in flight.
    Missing(usize),
    Unknown,
}

struct Known {
    touches: Vec<Reg>,
    reads: Vec<Reg>,
    writes: Vec<Reg>,
    class: Class,
    vm: bool,
    lgkm: bool,
    store: bool,
    waits: [Option<usize>; 3],
}

fn known(inst: &Inst) -> Known {
    let count = inst.wait();
    let (reads, writes) = (inst.reads(32), inst.writes(32));
    Known {
        touches: reads.iter().chain(&writes).copied().collect(),
        reads,
        writes,
        class: inst.row().class,
        vm: count.vm > 0,
        lgkm: count.lgkm > 0,
        store: count.vs > 0,
        waits: waits(inst),
    }
}

/// Counts that a wait leaves of VMcnt, LGKMcnt and VScnt.
pub fn waits(inst: &Inst) -> [Option<usize>; 3] {
    let imm = inst.operands.iter().find_map(|o| match o {
        Operand::Imm(n) => Some(*n as usize),
        _ => None,
    });
    match (inst.op, imm) {
        (Opcode::Sopp(Sopp::s_waitcnt), Some(n)) => [Some(n >> 10 & 63), Some(n >> 4 & 63), None],
        (Opcode::Sopk(Sopk::s_waitcnt_vscnt), Some(n)) => [None, None, Some(n & 63)],
        _ => [None; 3],
    }
}

/// Explores everything.
pub fn explore(image: &Image) -> Answer {
    let code: Vec<Known> = image.insts.iter().map(|a| known(&a.inst)).collect();
    let shared = image.insts.iter().any(|a| a.inst.row().name == "buffer_gl0_inv");
    let start = State {
        at: 0,
        vm: vec![],
        lgkm: vec![],
        stores: false,
    };
    let mut seen = HashSet::from([start.clone()]);
    let mut work = vec![start];
    while let Some(mut s) = work.pop() {
        if seen.len() > MOST {
            return Answer::Unknown;
        }
        let k = &code[s.at];
        if !fine(&s, k, &code, shared) {
            return Answer::Missing(s.at);
        }
        step(&mut s, k, &code);
        for next in image.next(s.at) {
            let new = State { at: next, ..s.clone() };
            if seen.insert(new.clone()) {
                work.push(new);
            }
        }
    }
    Answer::Covered(seen.len())
}

/// Nothing in flight is touched, and nothing is in flight at a barrier that may not be.
fn fine(s: &State, k: &Known, code: &[Known], shared: bool) -> bool {
    let clash = |load: &usize| {
        let l = &code[*load];
        // Loads of one kind arrive in order, so a later one may have the same destination.
        let same = l.class == k.class && matches!(k.class, Class::VmemLoad | Class::LdsLoad);
        let touched = if same { &k.reads } else { &k.touches };
        l.writes.iter().any(|w| touched.iter().any(|t| t.overlaps(*w)))
    };
    if s.vm.iter().chain(&s.lgkm).any(clash) {
        return false;
    }
    let local = s.lgkm.iter().any(|&o| code[o].class.is_lds());
    k.class != Class::Barrier || !(local || shared && s.stores)
}

fn step(s: &mut State, k: &Known, code: &[Known]) {
    let newest = |q: &mut Vec<usize>, n: usize| drop(q.drain(..q.len().saturating_sub(n)));
    if let Some(n) = k.waits[0] {
        newest(&mut s.vm, n);
    }
    if let Some(n) = k.waits[1] {
        let ordered = s.lgkm.iter().all(|&o| code[o].class.is_lds());
        match n {
            0 => s.lgkm.clear(),
            n if ordered => newest(&mut s.lgkm, n),
            _ => {}
        }
    }
    s.stores &= k.waits[2] != Some(0);
    if k.vm {
        s.vm.push(s.at);
        newest(&mut s.vm, FULL);
    }
    if k.lgkm {
        s.lgkm.push(s.at);
        s.lgkm.truncate(FULL);
    }
    s.stores |= k.store;
}
