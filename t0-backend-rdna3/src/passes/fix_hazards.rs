//! Hazards that the hardware leaves to software: inserts what [`crate::errata`] says.
//!
//! Method: every state in which a path can reach a block, kept apart (they differ in the last few instructions only, so
//! there are few); an instruction that runs into a trap on any of them gets the entry's fix in front. Invariant: walked
//! with the same state machine, no path of the result has a finding that an instruction in front could mend.

use super::phys::{PFunc, PInst};
use super::WAVE_SIZE;
use crate::errata::{Facts, Fix, Hit, State};
use crate::isa::Inst;
use crate::target::Target;
use std::collections::BTreeSet;

/// States of a block before what paths did before it is forgotten: everything is waited for there instead.
const MOST: usize = 64;

/// An instruction and its facts.
type Known = (PInst, Facts);

/// Runs the pass.
pub fn fix_hazards(p: &mut PFunc, target: &Target) {
    let target = &target.with_wave_size(WAVE_SIZE);
    let blocks: Vec<Vec<Known>> = std::mem::take(&mut p.blocks)
        .into_iter()
        .map(|b| b.into_iter().map(|i| known(i, target)).collect())
        .collect();
    let looks_back = blocks.iter().flatten().any(|(_, f)| f.looks_back(target));
    let start = State::new(target, looks_back);
    // Successors are asked of the blocks as they were.
    p.blocks = blocks
        .iter()
        .map(|b| b.iter().map(|(i, _)| i.clone()).collect())
        .collect();
    let mut inputs: Vec<BTreeSet<State>> = vec![BTreeSet::new(); blocks.len()];
    let mut flushed = vec![false; blocks.len()];
    let mut work = BTreeSet::new();
    if let Some(entry) = inputs.first_mut() {
        entry.insert(start.clone());
        work.insert(0);
    }
    while let Some(b) = work.pop_first() {
        let (_, outs) = walk(&blocks[b], &inputs[b], target);
        for s in p.successors(b) {
            if flushed[s] {
                continue;
            }
            let before = inputs[s].len();
            inputs[s].extend(outs.iter().cloned());
            if inputs[s].len() > MOST {
                flushed[s] = true;
                inputs[s] = BTreeSet::from([start.clone()]);
                work.insert(s);
            } else if inputs[s].len() != before {
                work.insert(s);
            }
        }
    }
    for (b, block) in blocks.into_iter().enumerate() {
        let (mut insts, _) = walk(&block, &inputs[b], target);
        if flushed[b] {
            let span = insts.first().map_or_else(Default::default, |i| i.span);
            let flush = [Fix::Depctr(0), Fix::VNop];
            let flush = flush.into_iter().filter_map(Fix::inst).map(|i| PInst::new(i, span));
            insts.splice(0..0, flush);
        }
        p.blocks[b] = insts;
    }
}

fn known(i: PInst, target: &Target) -> Known {
    let facts = Facts::of(&i.inst, target);
    (i, facts)
}

/// The block with its fixes, and the states at its end.
fn walk(block: &[Known], inputs: &BTreeSet<State>, target: &Target) -> (Vec<PInst>, BTreeSet<State>) {
    let mut states = inputs.clone();
    let mut out = Vec::with_capacity(block.len());
    for (i, facts) in block {
        // One fix can leave another trap, seldom more.
        for _ in 0..4 {
            let Some(fix) = fix_for(&states, facts) else { break };
            let inst: Inst = fix;
            let new = known(PInst::new(inst, i.span), target);
            states = step(&states, &new.1);
            out.push(new.0);
        }
        states = step(&states, facts);
        out.push(i.clone());
    }
    (out, states)
}

fn fix_for(states: &BTreeSet<State>, facts: &Facts) -> Option<Inst> {
    let mut hits: Vec<Hit> = Vec::new();
    states.iter().for_each(|s| s.hits(facts, &mut hits));
    hits.iter().map(|h| h.fix).filter_map(Fix::inst).next()
}

fn step(states: &BTreeSet<State>, facts: &Facts) -> BTreeSet<State> {
    // Which instruction set a trap is no matter here: all get the same number.
    let next = |s: &State| {
        let mut s = s.clone();
        s.issue(facts, 0);
        s
    };
    states.iter().map(next).collect()
}
