//! The hazards of [`crate::errata`] on every path.
//!
//! Method: every state in which a path can reach a block is kept apart and walked through it once, as in the pass that
//! inserts the fixes. States remember which instruction set a trap; where that makes too many of them, they are made again
//! without. Invariant: without a `check-incomplete` finding, every path was looked at.

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

/// Hits by step and rule.
type Hits = BTreeMap<(usize, Rule), Hit>;

/// Checks the hazards.
pub(super) fn check(graph: &Graph, target: &Target, raw: &mut Vec<Raw>) {
    let looks_back = graph.steps.iter().any(|s| s.facts.looks_back(target));
    let start = State::new(target, looks_back);
    let named = solve(graph, &start, true);
    let (hits, forgotten) = match named {
        (hits, None) => (hits, None),
        _ => solve(graph, &start, false),
    };
    if let Some(block) = forgotten {
        let at = graph.blocks.get(block).map(|b| graph.steps[b.steps.start].at);
        let text = format!("more than {MOST} different states lead here: hazards across this place are not looked for");
        raw.push(Raw::new(
            "check-incomplete",
            at,
            text,
            "s_waitcnt_depctr 0 before branches that lead here",
        ));
    }
    for ((k, _), hit) in hits {
        raw.push(finding(graph, k, &hit));
    }
}

/// Walks every state through every block. Also the first block whose states were too many, if any; `named`: states know
/// which instruction set a trap, and the walk stops there.
fn solve(graph: &Graph, start: &State, named: bool) -> (Hits, Option<usize>) {
    let mut inputs: Vec<BTreeSet<State>> = vec![BTreeSet::new(); graph.blocks.len()];
    let mut forgotten: Option<usize> = None;
    let mut hits = Hits::new();
    let mut scratch = Vec::new();
    let mut work: Vec<(usize, State)> = Vec::new();
    for &b in &graph.entries {
        if inputs[b].insert(start.clone()) {
            work.push((b, start.clone()));
        }
    }
    let most = if named { MOST_NAMED } else { MOST };
    // Nothing can be wrong with an end, whatever led there, once it has been looked at.
    let ends = |b: usize| graph.steps[graph.blocks[b].steps.start].facts.end;
    while let Some((b, mut state)) = work.pop() {
        let block = &graph.blocks[b];
        for k in block.steps.clone() {
            let f: &Facts = &graph.steps[k].facts;
            if !(state.armed() || f.matters()) {
                continue;
            }
            state.hits(f, &mut scratch);
            for hit in scratch.drain(..) {
                hits.entry((k, hit.rule)).or_insert(hit);
            }
            state.issue(f, if named { k as u32 } else { 0 });
        }
        if matches!(block.leaves, Leaves::Calls(_)) {
            state = start.clone();
        }
        for &n in &block.next {
            if inputs[n].contains(&state) || ends(n) && !inputs[n].is_empty() {
                continue;
            }
            if inputs[n].len() >= most {
                forgotten = forgotten.or(Some(n));
                if named {
                    return (hits, forgotten);
                }
                continue;
            }
            inputs[n].insert(state.clone());
            work.push((n, state.clone()));
        }
    }
    if !named {
        // Without numbers nobody knows who set the trap.
        hits.values_mut().for_each(|h| h.by = None);
    }
    (hits, forgotten)
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
