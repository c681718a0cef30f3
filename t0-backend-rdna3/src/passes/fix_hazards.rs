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

/// The ways a block can be reached, each once.
type States = Vec<State>;

/// Runs the pass.
pub fn fix_hazards(p: &mut PFunc, target: &Target) {
    let target = &target.with_wave_size(WAVE_SIZE);
    // Successors are asked of the blocks as they were.
    let successors: Vec<Vec<usize>> = (0..p.blocks.len()).map(|b| p.successors(b)).collect();
    let blocks: Vec<Vec<Known>> = std::mem::take(&mut p.blocks)
        .into_iter()
        .map(|b| b.into_iter().map(|i| known(i, target)).collect())
        .collect();
    let looks_back = blocks.iter().flatten().any(|(_, f)| f.looks_back(target));
    let start = State::new(target, looks_back);
    let mut inputs: Vec<States> = vec![Vec::new(); blocks.len()];
    let mut flushed = vec![false; blocks.len()];
    // The fixes of each block's last walk, which saw all its inputs when there is nothing left to do.
    let mut fixes: Vec<Vec<(usize, Known)>> = vec![Vec::new(); blocks.len()];
    let mut work = BTreeSet::new();
    if let Some(entry) = inputs.first_mut() {
        entry.push(start.clone());
        work.insert(0);
    }
    while let Some(b) = work.pop_first() {
        let outs;
        (fixes[b], outs) = walk(&blocks[b], &inputs[b], target);
        for &s in &successors[b] {
            if flushed[s] {
                continue;
            }
            let before = inputs[s].len();
            let new = outs.iter().filter(|o| !inputs[s].contains(o)).cloned();
            let new: States = new.collect();
            inputs[s].extend(new);
            if inputs[s].len() > MOST {
                flushed[s] = true;
                inputs[s] = vec![start.clone()];
                work.insert(s);
            } else if inputs[s].len() != before {
                work.insert(s);
            }
        }
    }
    for (b, (block, fixes)) in blocks.into_iter().zip(fixes).enumerate() {
        let mut insts = Vec::with_capacity(block.len() + fixes.len() + 2);
        if flushed[b] {
            let span = block.first().map_or_else(Default::default, |(i, _)| i.span);
            let flush = [Fix::Depctr(0), Fix::VNop];
            let flush = flush.into_iter().filter_map(Fix::inst);
            insts.extend(flush.map(|i| PInst::new(i, span)));
        }
        let mut fixes = fixes.into_iter().peekable();
        for (at, (i, _)) in block.into_iter().enumerate() {
            while let Some((_, (fix, _))) = fixes.next_if(|f| f.0 == at) {
                insts.push(fix);
            }
            insts.push(i);
        }
        p.blocks.push(insts);
    }
}

fn known(i: PInst, target: &Target) -> Known {
    let facts = Facts::of(&i.inst, target);
    (i, facts)
}

/// The fixes a block needs, each with the place of the instruction it stands before, and the states at its end.
fn walk(block: &[Known], inputs: &States, target: &Target) -> (Vec<(usize, Known)>, States) {
    let mut states = inputs.clone();
    let mut fixes = Vec::new();
    for (at, (i, facts)) in block.iter().enumerate() {
        // One fix can leave another trap, seldom more.
        for _ in 0..4 {
            let Some(fix) = fix_for(&states, facts) else { break };
            let new = known(PInst::new(fix, i.span), target);
            step(&mut states, &new.1);
            fixes.push((at, new));
        }
        step(&mut states, facts);
    }
    (fixes, states)
}

fn fix_for(states: &States, facts: &Facts) -> Option<Inst> {
    let mut hits: Vec<Hit> = Vec::new();
    states.iter().for_each(|s| s.hits(facts, &mut hits));
    hits.iter().map(|h| h.fix).filter_map(Fix::inst).next()
}

fn step(states: &mut States, facts: &Facts) {
    for s in states.iter_mut() {
        // Which instruction set a trap is no matter here: all get the same number.
        s.issue(facts, 0);
    }
    // Two ways become one where they differ no more.
    if states.len() > 1 {
        states.sort_unstable();
        states.dedup();
    }
}
