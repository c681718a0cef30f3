//! Checks the waits of a kernel by walking it.
//!
//! Method, unlike the pass's: concrete queues of outstanding accesses along many random paths through the code. An access
//! finishes only when a wait instruction says so, scalar loads only by a wait for 0, so any register that is touched while
//! a queue still has it is a missing wait.

use super::phys::PFunc;
use super::WAVE_SIZE;
use crate::isa::{Class, Operand, Reg, RegFile};
use std::collections::{HashSet, VecDeque};

/// A register touched before its access was waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingWait {
    /// Block and instruction.
    pub at: (usize, usize),
    /// The register, or what a barrier should have waited for.
    pub what: String,
}

#[derive(Default)]
struct Queues {
    vm: VecDeque<(Vec<Reg>, bool)>,
    /// Registers; scalar load?
    lgkm: VecDeque<(Vec<Reg>, bool)>,
    vs: usize,
}

impl Queues {
    fn wait_vm(&mut self, n: usize) {
        while self.vm.len() > n {
            self.vm.pop_front();
        }
    }
    fn wait_lgkm(&mut self, n: usize) {
        // Scalar loads count once or twice and finish in any order: only 0 says anything while there is one.
        if n == 0 || self.lgkm.iter().all(|(_, scalar)| !scalar) {
            while self.lgkm.len() > n {
                self.lgkm.pop_front();
            }
        }
    }
}

/// Walks `walks` random paths of at most `steps` instructions; what was missing.
pub fn check_waits(p: &PFunc, seed: u64, walks: usize, steps: usize) -> Vec<MissingWait> {
    let mut random = seed | 1;
    let mut next = move || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    let mut seen = HashSet::new();
    let mut missing = Vec::new();
    for _ in 0..walks {
        let (mut block, mut left) = (0, steps);
        let mut q = Queues::default();
        while left > 0 && block < p.blocks.len() {
            for (i, inst) in p.blocks[block].iter().enumerate() {
                left = left.saturating_sub(1);
                if let Some(what) = step(inst, &mut q) {
                    if seen.insert((block, i)) {
                        missing.push(MissingWait { at: (block, i), what });
                    }
                }
            }
            let successors = p.successors(block);
            if successors.is_empty() {
                break;
            }
            block = successors[next() as usize % successors.len()];
        }
    }
    missing
}

fn step(i: &super::phys::PInst, q: &mut Queues) -> Option<String> {
    let row = i.inst.row();
    let imm = i.inst.operands.iter().find_map(|o| match o {
        Operand::Imm(n) => Some(*n as usize),
        _ => None,
    });
    match (row.name, imm) {
        ("s_waitcnt", Some(n)) => {
            q.wait_vm(n >> 10 & 63);
            q.wait_lgkm(n >> 4 & 63);
            return None;
        }
        ("s_waitcnt_vscnt", Some(n)) => {
            q.vs = q.vs.min(n);
            return None;
        }
        _ => {}
    }
    let touched: Vec<Reg> = i
        .inst
        .reads(WAVE_SIZE)
        .into_iter()
        .chain(i.inst.writes(WAVE_SIZE))
        .collect();
    let pending = q.vm.iter().chain(&q.lgkm).flat_map(|(regs, _)| regs);
    let mut problem = pending
        .clone()
        .find(|p| touched.iter().any(|t| t.overlaps(**p)))
        .map(|r| {
            format!(
                "{}{} used by {}",
                if r.file == RegFile::S { "s" } else { "v" },
                r.index,
                i.inst
            )
        });
    let unfinished = q.vs > 0 || !q.lgkm.is_empty() || q.vm.iter().any(|(_, shared)| *shared);
    if row.class == Class::Barrier && unfinished {
        problem = Some(format!("{} accesses at the barrier", q.vs + q.lgkm.len() + q.vm.len()));
    }
    let count = i.inst.wait();
    if count.vm > 0 {
        q.vm.push_back((i.inst.writes(WAVE_SIZE), i.shared));
    }
    if count.lgkm > 0 {
        q.lgkm.push_back((i.inst.writes(WAVE_SIZE), row.class == Class::Smem));
    }
    q.vs += count.vs as usize;
    problem
}
