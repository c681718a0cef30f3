//! Puts barriers between the accesses to tiles in LDS.
//!
//! The lanes of a group share out the writing of a tile and then read all of it, so a read after a write and a write after a
//! read need a barrier between them. Two writes never do: `lower_tiles` gives each byte of a tile's allocation one lane that
//! writes it, always the same. Only allocations made for tiles ([`crate::LdsAlloc::tile`]) are looked after; `Shared` ones are
//! the kernel author's.
//!
//! Method: a walk in program order with the set of accesses since the last barrier, on any way that leads here. An access
//! that conflicts with one of them gets a barrier directly before it: as late as possible, so that whatever stands before
//! it overlaps with the waiting. Loops are walked until the set at their head no longer grows; a barrier that a loop needs only
//! because of what came before it goes before the loop, where it is passed once.
//!
//! Slots: in the loop that fills an allocation with several buffers (the innermost one that both reads and writes it, see
//! `pipeline_lds`), slot `s` is buffer `cur + s`. `cur` moves on by one from iteration to iteration, so an access to slot `s`
//! becomes one to slot `s − 1` (modulo the number of buffers) on the way back to the loop's head. Before that loop `cur` is 0; after
//! it, it is not known and the access counts for every slot. A loop that goes through all buffers in an iteration
//! ([`crate::LoopHints::turns`]) leaves `cur` at 0: there a slot is the same buffer before, in and after it.
//!
//! Invariant: a barrier only stands where all lanes of the group come by together. Where they do not, tiles can only be read
//! (the verifier sees to that), and the barrier goes before the construct they part in.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::uniform::{Uniform, Uniformity};
use crate::diag::Diags;
use crate::func::{Func, OpId, Region};
use crate::op::{LdsId, OpKind};

/// Places the barriers that tiles need.
///
/// # Errors
/// None so far.
pub fn run(func: &mut Func) -> Result<(), Diags> {
    if func.lds.iter().all(|a| !a.tile) {
        return Ok(());
    }
    let uniform = Uniform::of(func);
    let mut placer = Placer {
        func,
        uniform: &uniform,
        home: homes(func),
        before: BTreeSet::new(),
        loops: Vec::new(),
    };
    placer.region(&func.body, State::new());
    let before = placer.before;
    let mut body = std::mem::take(&mut func.body);
    insert(func, &mut body, &before);
    func.body = body;
    Ok(())
}

/// An access to a tile's allocation. Slot `None` stands for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Access {
    lds: LdsId,
    slot: Option<u32>,
    write: bool,
}

/// Accesses since the last barrier.
type State = BTreeSet<Access>;

fn conflict(a: Access, b: Access) -> bool {
    a.lds == b.lds && a.write != b.write && (a.slot == b.slot || a.slot.is_none() || b.slot.is_none())
}

struct Placer<'a> {
    func: &'a Func,
    uniform: &'a Uniform,
    /// The loops that an allocation with several buffers is pipelined in.
    home: BTreeMap<LdsId, Vec<OpId>>,
    /// Operations that get a barrier before them.
    before: BTreeSet<OpId>,
    /// The loops around the present place.
    loops: Vec<OpId>,
}

impl Placer<'_> {
    fn region(&mut self, region: &Region, mut state: State) -> State {
        for &id in &region.ops {
            let op = self.func.op(id);
            if op.kind == OpKind::Barrier {
                state.clear();
            } else if let Some(access) = self.access(id) {
                self.meet(id, &[access], &mut state);
            } else if !op.regions.is_empty() {
                state = match self.together(&op.regions[0]) {
                    true => self.control(id, state),
                    false => self.divergent(id, state),
                };
            }
        }
        state
    }

    /// Do all lanes of the group run this region together?
    fn together(&self, region: &Region) -> bool {
        region
            .ops
            .last()
            .is_none_or(|&t| self.uniform.control(t).level == Uniformity::Group)
    }

    fn access(&self, id: OpId) -> Option<Access> {
        let (lds, slot, write) = tile_access(self.func, id)?;
        let slot = match self.func.lds[lds.0 as usize].slots {
            0 | 1 => Some(0),
            _ => self.home.contains_key(&lds).then_some(slot),
        };
        Some(Access { lds, slot, write })
    }

    /// Accesses meet those since the last barrier, at an operation that may get one before it.
    fn meet(&mut self, id: OpId, accesses: &[Access], state: &mut State) {
        if state.iter().any(|&s| accesses.iter().any(|&a| conflict(a, s))) {
            assert_eq!(
                self.uniform.control(id).level,
                Uniformity::Group,
                "place_barriers: a tile is read and written under divergent control in `{}`",
                self.func.name
            );
            self.before.insert(id);
        }
        if self.before.contains(&id) {
            state.clear();
        }
        state.extend(accesses);
    }

    /// An operation whose regions the lanes of the group do not run together.
    fn divergent(&mut self, id: OpId, mut state: State) -> State {
        let mut inner = Vec::new();
        each_op(self.func, &self.func.op(id).regions, &mut |id| {
            inner.extend(self.access(id))
        });
        let mixed = inner.iter().any(|&a| inner.iter().any(|&b| conflict(a, b)));
        assert!(
            !mixed,
            "place_barriers: a tile is read and written under divergent control in `{}`",
            self.func.name
        );
        self.meet(id, &inner, &mut state);
        state
    }

    fn control(&mut self, id: OpId, entry: State) -> State {
        let op = self.func.op(id);
        let mut any = false;
        each_op(self.func, &op.regions, &mut |inner| {
            any |= self.func.op(inner).kind == OpKind::Barrier || self.access(inner).is_some();
        });
        if !any {
            return entry;
        }
        if op.kind == OpKind::If {
            let mut out = self.region(&op.regions[0], entry.clone());
            out.extend(self.region(&op.regions[1], entry));
            return out;
        }
        let alone = self.round(id, State::new()); // and with it the barriers the loop needs by itself
        if self.before.contains(&id) {
            return alone;
        }
        let needed = self.before.clone();
        let out = self.round(id, entry);
        if self.before == needed {
            return out;
        }
        self.before = needed;
        self.before.insert(id);
        alone
    }

    /// Walks a loop until nothing changes; what is pending after it.
    fn round(&mut self, id: OpId, entry: State) -> State {
        let regions = &self.func.op(id).regions;
        self.loops.push(id);
        let mut head = entry.clone();
        let out = loop {
            let placed = self.before.len();
            // `for` is left from its head, `while` after its first region.
            let mut leave = head.clone();
            let mut end = head.clone();
            for (n, r) in regions.iter().enumerate() {
                end = self.region(r, end);
                if n + 1 < regions.len() {
                    leave.clone_from(&end);
                }
            }
            if self.before.len() != placed {
                head.clone_from(&entry); // what stood here may be behind a barrier now
                continue;
            }
            let grown: State = head
                .iter()
                .copied()
                .chain(end.into_iter().map(|a| self.back_edge(id, a)))
                .collect();
            if grown == head {
                break leave;
            }
            head = grown;
        };
        self.loops.pop();
        out.into_iter().map(|a| self.leave(id, a)).collect()
    }

    /// An access of the last iteration, seen from this one.
    fn back_edge(&self, of: OpId, a: Access) -> Access {
        let slots = self.func.lds[a.lds.0 as usize].slots;
        let slot = match (self.home.get(&a.lds), a.slot) {
            (Some(home), Some(s)) if home.contains(&of) && !self.turns(of) => Some((s + slots - 1) % slots),
            (Some(home), _) if !home.iter().any(|h| self.loops.contains(h)) => None,
            (_, slot) => slot,
        };
        Access { slot, ..a }
    }

    /// Does the loop go through all buffers in an iteration?
    fn turns(&self, of: OpId) -> bool {
        matches!(self.func.op(of).kind, OpKind::For { hints } if hints.turns)
    }

    /// An access seen from after the loop.
    fn leave(&self, of: OpId, a: Access) -> Access {
        match self.home.get(&a.lds) {
            Some(home) if home.contains(&of) && !self.turns(of) => Access { slot: None, ..a },
            _ => a,
        }
    }
}

/// Allocation, slot and whether it writes, of an operation that accesses a tile's allocation.
fn tile_access(func: &Func, id: OpId) -> Option<(LdsId, u32, bool)> {
    let (lds, slot, write) = match func.op(id).kind {
        OpKind::LdsLoad { lds, slot, .. } | OpKind::LdsFragLoad { lds, slot, .. } => (lds, slot, false),
        OpKind::LdsStore { lds, slot, .. } => (lds, slot, true),
        OpKind::LdsAtomic { lds, .. } => (lds, 0, true),
        OpKind::LdsAtomicLoad { lds, .. } => (lds, 0, false),
        _ => return None,
    };
    func.lds[lds.0 as usize].tile.then_some((lds, slot, write))
}

fn each_op(func: &Func, regions: &[Region], f: &mut impl FnMut(OpId)) {
    for region in regions {
        for &id in &region.ops {
            f(id);
            each_op(func, &func.op(id).regions, f);
        }
    }
}

/// For each allocation with several buffers, the innermost loops that both read and write it.
fn homes(func: &Func) -> BTreeMap<LdsId, Vec<OpId>> {
    fn walk(func: &Func, region: &Region, homes: &mut BTreeMap<LdsId, Vec<OpId>>) {
        for &id in &region.ops {
            let op = func.op(id);
            op.regions.iter().for_each(|r| walk(func, r, homes));
            if !matches!(op.kind, OpKind::For { .. } | OpKind::While) {
                continue;
            }
            let (mut read, mut written, mut inside) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
            each_op(func, &op.regions, &mut |inner| {
                inside.insert(inner);
            });
            each_op(func, &op.regions, &mut |inner| match tile_access(func, inner) {
                Some((lds, _, true)) => drop(written.insert(lds)),
                Some((lds, _, false)) => drop(read.insert(lds)),
                None => {}
            });
            for &lds in read.intersection(&written) {
                let known: &mut Vec<OpId> = homes.entry(lds).or_default();
                let inner = known.iter().any(|h| inside.contains(h));
                if func.lds[lds.0 as usize].slots > 1 && !inner {
                    known.push(id);
                }
            }
        }
    }
    let mut homes = BTreeMap::new();
    walk(func, &func.body, &mut homes);
    homes
}

fn insert(func: &mut Func, region: &mut Region, before: &BTreeSet<OpId>) {
    let mut ops = Vec::with_capacity(region.ops.len());
    for &id in &region.ops {
        if before.contains(&id) {
            let span = func.op(id).span;
            ops.push(func.new_op(OpKind::Barrier, Vec::new(), &[], Vec::new(), span));
        }
        let mut regions = std::mem::take(&mut func.op_mut(id).regions);
        for r in &mut regions {
            insert(func, r, before);
        }
        func.op_mut(id).regions = regions;
        ops.push(id);
    }
    region.ops = ops;
}
