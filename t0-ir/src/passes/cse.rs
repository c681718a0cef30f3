//! Computes equal expressions once.
//!
//! Two pure operations with the same attributes, operands and result type have the same result. The first one stands for
//! the second where it dominates it: in the same region before it, or in a region around it. Tables are therefore kept per
//! open region. Collectives may be merged too, since all lanes that reach the second reach the first, and so may
//! the fragments read from a tile and what is loaded from parameters that nobody writes. A check of what an earlier one found true goes.

use std::collections::HashMap;

use super::rewrite::{rewrite, Rewrite, Rewriter};
use crate::analysis::uniform::Uniform;
use crate::diag::Diags;
use crate::func::{Func, OpId, Value};
use crate::op::{Effect, OpKind};
use crate::ty::Ty;

/// Merges equal expressions.
///
/// # Errors
/// None.
pub fn run(func: &mut Func) -> Result<(), Diags> {
    let uniform = Uniform::of(func);
    rewrite(
        func,
        &mut Cse {
            uniform,
            scopes: vec![Table::new()],
        },
    )
}

/// By name and new operands: attributes, result type, result.
type Table = HashMap<(&'static str, Vec<Value>), Vec<(OpKind, Ty, Value)>>;

struct Cse {
    /// Of the old function.
    uniform: Uniform,
    scopes: Vec<Table>,
}

impl Rewrite for Cse {
    fn op(&mut self, r: &mut Rewriter<'_>, id: OpId) -> Result<(), Diags> {
        let op = r.old.op(id);
        if !op.regions.is_empty() {
            let mut regions = Vec::new();
            for region in &op.regions {
                self.scopes.push(Table::new());
                regions.push(r.region(self, region)?);
                self.scopes.pop();
            }
            r.emit_copy(id, op.kind.clone(), regions);
            return Ok(());
        }
        if let OpKind::Check { .. } = op.kind {
            return self.check(r, id);
        }
        let [result] = op.results[..] else {
            return r.copy(self, id);
        };
        let like_pure = match op.kind {
            OpKind::TileFrag => true, // a tile does not change while its value is in use
            OpKind::Load => self.uniform.read_only(r.old, op.args[0]),
            _ => op.kind.row().effect == Effect::Pure,
        };
        if !like_pure {
            return r.copy(self, id);
        }
        let ty = r.old.ty(result);
        let key = (op.kind.row().name, r.get_all(&op.args));
        let known = self.scopes.iter().filter_map(|s| s.get(&key)).flatten();
        if let Some(&(_, _, v)) = known.clone().find(|(k, t, _)| *k == op.kind && *t == ty) {
            r.set(result, v);
            return Ok(());
        }
        r.copy(self, id)?;
        let entry = (op.kind.clone(), ty, r.get(result));
        if let Some(scope) = self.scopes.last_mut() {
            scope.entry(key).or_default().push(entry);
        }
        Ok(())
    }
}

impl Cse {
    /// A check whose condition a dominating check has found true in all lanes that are left is not made again.
    fn check(&mut self, r: &mut Rewriter<'_>, id: OpId) -> Result<(), Diags> {
        let op = r.old.op(id);
        let ok = r.get(op.args[0]);
        let key = (op.kind.row().name, vec![ok]);
        if self.scopes.iter().any(|s| s.contains_key(&key)) {
            return Ok(());
        }
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(key, vec![(op.kind.clone(), Ty::BOOL, ok)]);
        }
        r.copy(self, id)
    }
}
