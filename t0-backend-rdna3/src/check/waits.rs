//! Loads in flight: which load feeds which use, on every path.
//!
//! Method: a forward dataflow over the blocks of what may be in flight ([`Flight`]). That is exact for every load by itself,
//! because the path with the fewest operations behind it is the last one on which a wait ends it. A touch of a register in
//! flight is a finding; the walk goes on as if the wait that mends it stood there.
//!
//! Calls: what is in flight at a call is in flight in the called function, and what is in flight where that returns is behind
//! the call. A function is walked once for each different flight it is called with, so that callers do not see each
//! other's loads. LLVM waits for everything at the start of a function and before its return, and that is what is taken for
//! granted where the function (or the caller) is not known: nothing is in flight behind such a call, and a function that
//! such a call may lead to has to return with nothing in flight.
//!
//! Rules and exceptions are those of the simulated card (t0-sim, `wait`): loads of one in-order kind may write the same
//! register without a wait in between, a D16 load is in flight for one half of its register, data registers of stores need
//! no wait, the 64th operation of a queue stalls until the first is done. Source: RDNA3 ISA manual 4.4, LLVM
//! `SIInsertWaitcnts`.

use super::flight::{Code, Flight, Touch, Wait};
use super::graph::{Graph, Leaves};
use super::Raw;
use crate::isa::{Flags, Opcode};
use std::collections::{BTreeMap, BTreeSet};

/// Different flights a function is walked with; more are joined.
const MOST_CALLS: usize = 8;

/// A function as it is called with one flight.
struct Walk {
    /// What is in flight at its first instruction.
    start: Flight,
    /// What is in flight at the beginning of its blocks.
    inputs: BTreeMap<usize, Flight>,
    /// Where it is called: walk and block.
    callers: BTreeSet<(usize, usize)>,
    /// What is in flight where it returns, if it does.
    end: Option<Flight>,
    /// Nobody knows who calls it.
    guessed: bool,
}

struct Solver<'a> {
    graph: &'a Graph,
    code: &'a Code<'a>,
    /// Number of each block in the order of work.
    order: Vec<usize>,
    walks: Vec<Walk>,
    /// Walks by first block.
    of: BTreeMap<usize, Vec<usize>>,
    /// Number of a block, the block, its walk.
    work: BTreeSet<(usize, usize, usize)>,
    /// Calls that do not come back, as far as can be seen: what is behind them starts with nothing in flight.
    lost: BTreeSet<(usize, usize)>,
}

impl Solver<'_> {
    fn again(&mut self, walk: usize, block: usize) {
        self.work.insert((self.order[block], block, walk));
    }

    fn arrive(&mut self, walk: usize, block: usize, flight: &Flight) {
        let changed = match self.walks[walk].inputs.get_mut(&block) {
            Some(old) => old.meet(flight),
            None => {
                self.walks[walk].inputs.insert(block, flight.clone());
                true
            }
        };
        if changed {
            self.again(walk, block);
        }
    }

    /// The walk of a function that is called with this in flight.
    fn called(&mut self, entry: usize, mut flight: Flight, guessed: bool) -> usize {
        // Compilers' functions begin with a wait: all their calls are alike.
        flight.wait(self.code.effects[self.graph.blocks[entry].steps.start].wait, self.code);
        let known = self.of.entry(entry).or_default();
        let same = |w: &&usize| self.walks[**w].start == flight && self.walks[**w].guessed == guessed;
        if let Some(&w) = known.iter().find(same) {
            return w;
        }
        let last = known.iter().rev().copied().find(|&w| !self.walks[w].guessed);
        if let (true, Some(w), false) = (known.len() >= MOST_CALLS, last, guessed) {
            self.walks[w].start.meet(&flight);
            self.arrive(w, entry, &flight);
            return w;
        }
        let w = self.walks.len();
        known.push(w);
        self.walks.push(Walk {
            start: flight.clone(),
            inputs: BTreeMap::new(),
            callers: BTreeSet::new(),
            end: None,
            guessed,
        });
        self.arrive(w, entry, &flight);
        w
    }

    fn returns(&mut self, walk: usize, flight: &Flight) {
        let w = &mut self.walks[walk];
        let changed = match &mut w.end {
            Some(old) => old.meet(flight),
            slot => {
                *slot = Some(flight.clone());
                true
            }
        };
        if changed {
            for (caller, block) in w.callers.clone() {
                self.again(caller, block);
            }
        }
    }

    /// Takes a block: what is in flight behind it goes to where control goes.
    fn block(&mut self, walk: usize, block: usize) {
        let Some(mut flight) = self.walks[walk].inputs.get(&block).cloned() else {
            return;
        };
        let (graph, code) = (self.graph, self.code);
        let b = &graph.blocks[block];
        for k in b.steps.clone() {
            flight.step(k, code, &mut |_, _, _| {});
        }
        match b.leaves {
            Leaves::No => {}
            Leaves::Calls(None) => flight = Flight::default(),
            Leaves::Calls(Some(entry)) => match self.behind(walk, block, entry, flight) {
                Some(end) => flight = end,
                None => return,
            },
            Leaves::Tail(entry) => {
                if let Some(end) = self.behind(walk, block, entry, flight) {
                    self.returns(walk, &end);
                }
                return;
            }
            Leaves::Returns => return self.returns(walk, &flight),
        }
        for &n in &b.next {
            self.arrive(walk, n, &flight);
        }
    }

    /// What is in flight behind a call; `None` if it does not come back, as far as is known yet.
    fn behind(&mut self, walk: usize, block: usize, entry: usize, flight: Flight) -> Option<Flight> {
        let callee = self.called(entry, flight, false);
        self.walks[callee].callers.insert((walk, block));
        let lost = self.lost.contains(&(walk, block)).then(Flight::default);
        self.walks[callee].end.clone().or(lost)
    }

    fn run(&mut self) {
        loop {
            while let Some((_, block, walk)) = self.work.pop_first() {
                self.block(walk, block);
            }
            let behind: Vec<(usize, usize)> = self
                .walks
                .iter()
                .filter(|w| w.end.is_none())
                .flat_map(|w| &w.callers)
                .copied()
                .collect();
            for call in behind {
                if self.lost.insert(call) {
                    self.again(call.0, call.1);
                }
            }
            if self.work.is_empty() {
                return;
            }
        }
    }
}

/// What is wrong, each told once: by instruction, load and register.
type Found = BTreeMap<(usize, usize, String), (Touch, Wait)>;

/// Checks the waits. `one_wave`: workgroups are one wave, whose barriers do nothing.
pub(super) fn check(graph: &Graph, one_wave: bool, raw: &mut Vec<Raw>) {
    let code = Code::new(&graph.steps);
    let mut solver = Solver {
        graph,
        code: &code,
        order: graph.order(),
        walks: Vec::new(),
        of: BTreeMap::new(),
        work: BTreeSet::new(),
        lost: BTreeSet::new(),
    };
    if let Some(&entry) = graph.entries.first() {
        solver.called(entry, Flight::default(), false);
    }
    for &entry in &graph.guesses {
        solver.called(entry, Flight::default(), true);
    }
    solver.run();
    let mut found = Found::new();
    let mut unknown: BTreeMap<usize, Raw> = BTreeMap::new();
    for walk in solver.walks {
        for (b, mut flight) in walk.inputs {
            let block = &graph.blocks[b];
            for k in block.steps.clone() {
                if let Some((vector, from)) = chosen(&code, k).filter(|_| !unknown.contains_key(&k)) {
                    let open = flight.load_from(&code, vector, from);
                    unknown.extend(open.map(|l| (k, raw_chosen(&code, k, l))));
                }
                flight.step(k, &code, &mut |flight, k, touches| {
                    let all = touches.iter().fold(Wait::default(), |all, t| all.and(t.wait));
                    for t in touches {
                        let slot = found.entry((k, t.load, t.register.clone()));
                        let (_, wait) = slot.or_insert_with(|| (t.clone(), all));
                        *wait = wait.and(all);
                    }
                    if code.effects[k].barrier && touches.is_empty() && !one_wave {
                        raw.extend(at_barrier(flight, &code, k));
                    }
                });
            }
            if walk.guessed && block.leaves == Leaves::Returns {
                raw.extend(flight.loads(&code).map(|l| at_return(&code, block.steps.end - 1, l)));
            }
        }
    }
    raw.extend(found.iter().map(|((k, _, _), (t, wait))| missing(&code, *k, t, *wait)));
    raw.extend(unknown.into_values());
}

/// A move whose registers M0 chooses: whether they are vector registers, and the lowest it may be.
fn chosen(code: &Code<'_>, k: usize) -> Option<(bool, u32)> {
    let inst = code.steps[k].inst.as_ref()?;
    let f = &code.steps[k].facts;
    let lowest = |read: &[u64], write: &[u64]| {
        let name = inst.row().name;
        let (from, to) = (!name.contains("_movreld_"), !name.contains("_movrels_"));
        let set = |k: usize| if from { read[k] } else { 0 } | if to { write[k] } else { 0 };
        (0..64 * read.len() as u32).find(|r| set(*r as usize / 64) >> (r % 64) & 1 == 1)
    };
    match inst.op {
        _ if !inst.row().flags.has(Flags::R_M0) => None,
        Opcode::Vop1(_) => Some((true, lowest(&f.vread, &f.vwrite)?)),
        Opcode::Sop1(_) => Some((false, lowest(&f.sread, &f.swrite)?)),
        _ => None,
    }
}

fn raw_chosen(code: &Code<'_>, k: usize, (load, register, wait): (usize, String, Wait)) -> Raw {
    let load = &code.steps[load];
    let text = format!(
        "M0 chooses a register of this move: whether it is {register} is not looked at, and {} may be in flight",
        load.text()
    );
    let mut raw = Raw::new(
        "check-incomplete",
        Some(code.steps[k].at),
        text,
        format!("{wait} before it, if it may be; the simulated card knows M0"),
    );
    raw.register = Some(register);
    raw.related = Some(load.at);
    raw
}

fn missing(code: &Code<'_>, k: usize, t: &Touch, wait: Wait) -> Raw {
    let (at, load) = (code.steps[k].at, &code.steps[t.load]);
    let what = if t.written { "overwritten" } else { "read" };
    let state = if t.guard {
        "may still have to read it"
    } else {
        "may be in flight"
    };
    let text = format!("{} is {what} while {} {state}", t.register, load.text());
    let mut raw = Raw::new("missing-wait", Some(at), text, format!("{wait} before it"));
    raw.register = Some(t.register.clone());
    raw.related = Some(load.at);
    raw
}

/// A load in flight where a function returns to nobody knows whom (LLVM `SIInsertWaitcnts`: all waits must be resolved at
/// call return).
fn at_return(code: &Code<'_>, k: usize, (load, register, wait): (usize, String, Wait)) -> Raw {
    let load = &code.steps[load];
    let text = format!(
        "{register} may not be there at the return: {} may be in flight, and callers do not wait for it",
        load.text()
    );
    let mut raw = Raw::new(
        "missing-wait",
        Some(code.steps[k].at),
        text,
        format!("{wait} before it"),
    );
    raw.register = Some(register);
    raw.related = Some(load.at);
    raw
}

/// Stores to LDS that other waves may not see behind the barrier (LLVM AMDGPUUsage, memory model GFX10-GFX11: a release
/// waits for lgkmcnt(0) before s_barrier).
fn at_barrier(flight: &Flight, code: &Code<'_>, k: usize) -> Option<Raw> {
    let (at, store) = (code.steps[k].at, &code.steps[flight.lds_store(code)?]);
    let text = format!("{} may not be done at the barrier", store.text());
    let mut raw = Raw::new("barrier-without-wait", Some(at), text, "s_waitcnt lgkmcnt(0) before it");
    raw.related = Some(store.at);
    Some(raw)
}
