//! Removes what nobody needs: operations without effect whose results are not used, and values that regions hand on and loops
//! carry in vain.
//!
//! Method: mark from the operations that write. An operation that is needed needs its operands and the construct it is
//! in; a result of an `if` needs what both sides yield; a carried value, where its result or argument is needed, needs what
//! it starts from and what each round hands on. A `while` is always needed: it may be meant to run for ever.

use super::rewrite::{kept, rewrite, Rewrite, Rewriter};
use crate::analysis::uniform::terminator;
use crate::diag::Diags;
use crate::func::{Func, OpId, Region, Value};
use crate::op::{Effect, OpKind};
use crate::ty::Ty;

/// Removes dead code.
///
/// # Errors
/// None.
pub fn run(func: &mut Func) -> Result<(), Diags> {
    let live = Live::of(func);
    rewrite(func, &mut Dce { live })
}

/// What defines a value: an operation, and for a region's argument its position.
#[derive(Clone, Copy)]
struct Site {
    op: OpId,
    /// Position among the results, or among the arguments of a region.
    at: usize,
    is_arg: bool,
}

struct Live {
    values: Vec<bool>,
    ops: Vec<bool>,
    sites: Vec<Option<Site>>,
    parents: Vec<Option<OpId>>,
    work: Vec<Value>,
}

impl Live {
    fn of(func: &Func) -> Live {
        let mut live = Live {
            values: vec![false; func.values.len()],
            ops: vec![false; func.ops.len()],
            sites: vec![None; func.values.len()],
            parents: vec![None; func.ops.len()],
            work: Vec::new(),
        };
        let mut roots = Vec::new();
        live.index(func, &func.body, None, &mut roots);
        for id in roots {
            live.need_op(func, id);
        }
        while let Some(v) = live.work.pop() {
            if let Some(site) = live.sites[v.0 as usize] {
                live.need_op(func, site.op);
                live.follow(func, site);
            }
        }
        live
    }

    fn index(&mut self, func: &Func, region: &Region, parent: Option<OpId>, roots: &mut Vec<OpId>) {
        for &op in &region.ops {
            self.parents[op.0 as usize] = parent;
            let o = func.op(op);
            for (at, r) in o.results.iter().enumerate() {
                self.sites[r.0 as usize] = Some(Site { op, at, is_arg: false });
            }
            for inner in &o.regions {
                for (at, a) in inner.args.iter().enumerate() {
                    self.sites[a.0 as usize] = Some(Site { op, at, is_arg: true });
                }
                self.index(func, inner, Some(op), roots);
            }
            if o.kind.row().effect == Effect::Write || o.kind == OpKind::While {
                roots.push(op);
            }
        }
    }

    fn need(&mut self, v: Value) {
        if !std::mem::replace(&mut self.values[v.0 as usize], true) {
            self.work.push(v);
        }
    }

    fn need_op(&mut self, func: &Func, id: OpId) {
        if std::mem::replace(&mut self.ops[id.0 as usize], true) {
            return;
        }
        if let Some(parent) = self.parents[id.0 as usize] {
            self.need_op(func, parent);
        }
        let op = func.op(id);
        match op.kind {
            OpKind::For { .. } => op.args[..3].iter().for_each(|&a| self.need(a)),
            OpKind::While => self.need(terminator(func, &op.regions[0])[0]),
            _ => op.args.iter().for_each(|&a| self.need(a)),
        }
    }

    /// What a needed value needs beyond its operation.
    fn follow(&mut self, func: &Func, site: Site) {
        let op = func.op(site.op);
        match op.kind {
            OpKind::If => {
                for r in &op.regions {
                    self.need(terminator(func, r)[site.at]);
                }
            }
            OpKind::For { .. } => {
                if let Some(i) = site.at.checked_sub(usize::from(site.is_arg)) {
                    self.need(op.args[i + 3]);
                    self.need(terminator(func, &op.regions[0])[i]);
                }
            }
            OpKind::While => {
                self.need(op.args[site.at]);
                self.need(terminator(func, &op.regions[0])[site.at + 1]);
                self.need(terminator(func, &op.regions[1])[site.at]);
            }
            _ => {}
        }
    }

    fn is(&self, v: Value) -> bool {
        self.values[v.0 as usize]
    }
}

struct Dce {
    live: Live,
}

impl Rewrite for Dce {
    fn op(&mut self, r: &mut Rewriter<'_>, id: OpId) -> Result<(), Diags> {
        if !self.live.ops[id.0 as usize] {
            return Ok(());
        }
        let op = r.old.op(id);
        let keep: Vec<bool> = match op.kind {
            OpKind::If => op.results.iter().map(|&v| self.live.is(v)).collect(),
            OpKind::For { .. } | OpKind::While => (0..op.results.len()).map(|i| self.carried(r.old, id, i)).collect(),
            _ => return r.copy(self, id),
        };
        let with_first: Vec<bool> = std::iter::once(true).chain(keep.iter().copied()).collect();
        let (args, values): (&[&[bool]], &[&[bool]]) = match op.kind {
            OpKind::If => (&[&[], &[]], &[&keep, &keep]),
            OpKind::For { .. } => (&[&with_first], &[&keep]),
            _ => (&[&keep, &keep], &[&with_first, &keep]),
        };
        let mut regions = Vec::new();
        for ((region, a), v) in op.regions.iter().zip(args).zip(values) {
            regions.push(r.region_some(self, region, a, v)?);
        }
        let mut operands = op.args.clone();
        match op.kind {
            OpKind::For { .. } => {
                operands.truncate(3);
                operands.extend(kept(&op.args[3..], &keep));
            }
            OpKind::While => operands = kept(&op.args, &keep),
            _ => {}
        }
        let results = kept(&op.results, &keep);
        let tys: Vec<Ty> = results.iter().map(|&v| r.old.ty(v)).collect();
        let operands = r.get_all(&operands);
        r.b.set_span(op.span);
        let new = r.b.emit(op.kind.clone(), &operands, &tys, regions);
        r.set_all(&results, &new);
        Ok(())
    }
}

impl Dce {
    /// Is position `i` of what a loop carries needed, as its result or in any of its regions?
    fn carried(&self, func: &Func, id: OpId, i: usize) -> bool {
        let op = func.op(id);
        let first = usize::from(matches!(op.kind, OpKind::For { .. }));
        self.live.is(op.results[i]) || op.regions.iter().any(|r| self.live.is(r.args[first + i]))
    }
}
