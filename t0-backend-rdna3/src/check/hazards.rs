//! The hazards of [`crate::errata`] on every path.
//!
//! Method: a forward dataflow over the blocks with the state machine of the table. The traps of a state do not depend on
//! each other, so the states of paths that meet are added up; only those with different latest VALU instructions, where code has
//! a rule that looks at these, are kept apart. States remember which instruction set a trap; where that makes too many of
//! them, they are made again without. Invariant: without a `check-incomplete` finding, every path was looked at.

use super::graph::{Graph, Leaves};
use super::Raw;
use crate::errata::{Facts, Fix, Hit, Rule, State};
use crate::isa::scalar_name;
use crate::target::Target;
use std::collections::{BTreeMap, BTreeSet};

/// States of a block before they are made without numbers.
const MOST_NAMED: usize = 64;
/// States of a block before what led there is forgotten.
const MOST: usize = 512;
/// The same for all blocks together: so many, and so many more for each block.
const MOST_ALL: usize = 20_000;
const MOST_EACH: usize = 16;

/// Hits by step and rule.
type Hits = BTreeMap<(usize, Rule), Hit>;

/// Checks the hazards.
pub(super) fn check(graph: &Graph, target: &Target, raw: &mut Vec<Raw>) {
    let mut solver = Solver::new(graph, target, true);
    solver.run();
    if solver.forgotten.is_some() {
        solver = Solver::new(graph, target, false);
        solver.run();
        // Without numbers nobody knows who set the trap.
        solver.hits.values_mut().for_each(|h| h.by = None);
    }
    if let Some(block) = solver.forgotten {
        let at = graph.blocks.get(block).map(|b| graph.steps[b.steps.start].at);
        let text = "too many different states lead here: hazards across this place are not looked for";
        raw.push(Raw::new(
            "check-incomplete",
            at,
            text,
            "s_waitcnt_depctr 0 before branches that lead here",
        ));
    }
    let endless: Vec<u64> = raw
        .iter()
        .filter(|r| r.rule == "missing-end")
        .filter_map(|r| r.at)
        .collect();
    for ((k, _), hit) in solver.hits {
        // Behind a freeing of the VGPRs only the end may come; where it is the end that is missing, that has been told.
        let behind = hit.rule == Rule::DeallocVgprsScratch && !graph.steps[k].facts.dealloc;
        let block = || graph.blocks.iter().find(|b| b.steps.contains(&k));
        if behind && !endless.is_empty() && block().is_some_and(|b| endless.contains(&graph.steps[b.steps.end - 1].at))
        {
            continue;
        }
        raw.push(finding(graph, k, &hit));
    }
}

struct Solver<'a> {
    graph: &'a Graph,
    /// Number of each block in the order of work.
    order: Vec<usize>,
    start: State,
    /// VALU instructions back that rules look at, and whether at what they read.
    reach: usize,
    reads: bool,
    /// States know which instruction set a trap.
    named: bool,
    /// The states a block can begin in, by the latest VALU instructions.
    inputs: Vec<Vec<State>>,
    states: usize,
    hits: Hits,
    /// The first block whose states were too many.
    forgotten: Option<usize>,
    /// Number of a block, the block, which of its states.
    work: BTreeSet<(usize, usize, usize)>,
}

impl<'a> Solver<'a> {
    fn new(graph: &'a Graph, target: &Target, named: bool) -> Solver<'a> {
        let reach = State::reach(graph.steps.iter().map(|s| &s.facts), target);
        Solver {
            graph,
            order: graph.order(),
            start: State::new(target, reach > 0),
            reach,
            reads: graph.steps.iter().any(|s| s.facts.lds_direct.is_some()),
            named,
            inputs: vec![Vec::new(); graph.blocks.len()],
            states: 0,
            hits: Hits::new(),
            forgotten: None,
            work: BTreeSet::new(),
        }
    }

    fn arrive(&mut self, block: usize, state: &State) {
        let slots = &mut self.inputs[block];
        let which = match slots.iter().position(|s| s.same_recent(state)) {
            Some(i) => {
                if !slots[i].join(state) {
                    return;
                }
                i
            }
            None => {
                let most = if self.named { MOST_NAMED } else { MOST };
                let all = MOST_ALL + MOST_EACH * self.graph.blocks.len();
                if slots.len() >= most || self.states >= all {
                    self.forgotten = self.forgotten.or(Some(block));
                    return;
                }
                self.states += 1;
                slots.push(state.clone());
                slots.len() - 1
            }
        };
        self.work.insert((self.order[block], block, which));
    }

    fn run(&mut self) {
        for &b in &self.graph.entries {
            self.arrive(b, &self.start.clone());
        }
        while let Some((_, b, which)) = self.work.pop_first() {
            if self.named && self.forgotten.is_some() {
                return;
            }
            let mut state = self.inputs[b][which].clone();
            self.walk(b, &mut state);
            state.forget(self.reach, self.reads);
            for &n in &self.graph.blocks[b].next {
                self.arrive(n, &state);
            }
        }
    }

    /// Takes a state through a block.
    fn walk(&mut self, b: usize, state: &mut State) {
        let block = &self.graph.blocks[b];
        let mut found = Vec::new();
        for k in block.steps.clone() {
            let f: &Facts = &self.graph.steps[k].facts;
            if !(state.armed() || f.matters()) {
                continue;
            }
            state.hits(f, &mut found);
            for hit in found.drain(..) {
                let slot = self.hits.entry((k, hit.rule)).or_insert(hit);
                if hit.by < slot.by {
                    *slot = hit;
                }
            }
            state.issue(f, if self.named { k as u32 } else { 0 });
        }
        if matches!(block.leaves, Leaves::Calls(_)) {
            *state = self.start.clone();
        }
    }
}

fn finding(graph: &Graph, k: usize, hit: &Hit) -> Raw {
    let entry = hit.rule.entry();
    let by = hit.by.and_then(|by| graph.steps.get(by as usize));
    let register = hit.reg.map(|(file, r)| match file {
        'v' => format!("v{r}"),
        _ => scalar_name(r),
    });
    let mut text = String::new();
    if let Some(r) = &register {
        text += &format!("{r}: ");
    }
    text += entry.triggered_by;
    if let Some(by) = by {
        text += &format!(" (after {})", by.text());
    }
    let fix = match hit.fix {
        Fix::Rewrite => entry.mitigated_by.to_owned(),
        fix => fix.inst().map_or_else(String::new, |i| format!("{i} before it")),
    };
    Raw {
        rule: entry.name,
        severity: entry.severity,
        at: Some(graph.steps[k].at),
        register,
        related: by.map(|s| s.at),
        text,
        fix,
    }
}
