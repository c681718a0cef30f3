//! Moves what a loop computes anew in each round, with the same result, out in front of it.
//!
//! An operation moves if it is pure, asks nothing of the other lanes and has all its operands from outside of the loop (or from
//! operations that moved). Doing so is safe even if the loop has no round: pure operations are defined for all operands.
//! Operations inside an `if` stay: they might never be needed. Constants move only when something that moves needs them.

use std::collections::{HashMap, HashSet};

use super::rewrite::{rewrite, Rewrite, Rewriter};
use crate::diag::Diags;
use crate::func::{Func, OpId, Region, Value};
use crate::op::{Convergent, Effect, OpKind};

/// Hoists.
///
/// # Errors
/// None.
pub fn run(func: &mut Func) -> Result<(), Diags> {
    let is_loop = |k: &OpKind| matches!(k, OpKind::For { .. } | OpKind::While);
    if !func.ops.iter().any(|op| is_loop(&op.kind)) {
        return Ok(());
    }
    let consts = func.ops.iter().enumerate().filter_map(|(i, op)| match op.kind {
        OpKind::Const { .. } => Some((op.results[0], OpId(i as u32))),
        _ => None,
    });
    let mut pass = Licm {
        consts: consts.collect(),
        moved: HashSet::new(),
    };
    rewrite(func, &mut pass)
}

struct Licm {
    /// Constants by the value they define.
    consts: HashMap<Value, OpId>,
    moved: HashSet<OpId>,
}

impl Rewrite for Licm {
    fn op(&mut self, r: &mut Rewriter<'_>, id: OpId) -> Result<(), Diags> {
        if self.moved.contains(&id) {
            return Ok(());
        }
        let op = r.old.op(id);
        if matches!(op.kind, OpKind::For { .. } | OpKind::While) {
            for region in &op.regions {
                self.hoist(r, region)?;
            }
        }
        r.copy(self, id)
    }
}

impl Licm {
    /// Builds what can move out of a region of a loop, and of the loops in it.
    fn hoist(&mut self, r: &mut Rewriter<'_>, region: &Region) -> Result<(), Diags> {
        for &id in &region.ops {
            let op = r.old.op(id);
            if matches!(op.kind, OpKind::For { .. } | OpKind::While) {
                for inner in &op.regions {
                    self.hoist(r, inner)?;
                }
                continue;
            }
            let row = op.kind.row();
            let movable = row.effect == Effect::Pure && row.convergent == Convergent::No;
            let outside = |v: &Value| r.try_get(*v).is_some() || self.consts.contains_key(v);
            if !movable || matches!(op.kind, OpKind::Const { .. }) || !op.args.iter().all(outside) {
                continue;
            }
            for &a in &op.args {
                if r.try_get(a).is_none() {
                    self.build(r, self.consts[&a])?;
                }
            }
            self.build(r, id)?;
        }
        Ok(())
    }

    fn build(&mut self, r: &mut Rewriter<'_>, id: OpId) -> Result<(), Diags> {
        r.visit(self, id)?;
        self.moved.insert(id);
        Ok(())
    }
}
