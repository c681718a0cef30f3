//! Replaces short loops by their iterations: constant bounds, few rounds, few operations, none of which asks other lanes.
//!
//! With the index a constant, addresses become constants, too, and the loads of all rounds can be on their way together.
//! `unroll` does the work; this chooses.

use super::rewrite::{rewrite, Rewrite, Rewriter};
use super::{simplify, unroll};
use crate::diag::Diags;
use crate::func::{Func, OpId, Region, Value};
use crate::op::{Convergent, OpKind};

/// Most iterations.
const MAX_ITERATIONS: u64 = 16;

/// Most operations of all iterations, constants not counted.
const MAX_OPS: u64 = 64;

/// Unrolls.
///
/// # Errors
/// None.
pub fn run(func: &mut Func) -> Result<(), Diags> {
    let short: Vec<bool> = (0..func.ops.len() as u32).map(|id| is_short(func, OpId(id))).collect();
    if short.contains(&true) {
        rewrite(func, &mut Short { short })?;
    }
    Ok(())
}

/// A loop that is to be unrolled? Its bounds may yet turn out not to be constants.
fn is_short(func: &Func, id: OpId) -> bool {
    let op = func.op(id);
    let OpKind::For { hints } = op.kind else { return false };
    hints.stages == 0 && !hints.turns && operations(func, &op.regions[0]).is_some_and(|n| n <= MAX_OPS)
}

/// Operations of a region, constants not counted; `None`: some are not to be repeated.
fn operations(func: &Func, region: &Region) -> Option<u64> {
    let mut sum = 0;
    for &id in &region.ops {
        let op = func.op(id);
        if op.kind.row().convergent != Convergent::No || matches!(op.kind, OpKind::For { .. } | OpKind::While) {
            return None;
        }
        sum += u64::from(!matches!(op.kind, OpKind::Const { .. } | OpKind::Yield));
        for inner in &op.regions {
            sum += operations(func, inner)?;
        }
    }
    Some(sum)
}

struct Short {
    /// Operations of the old function that [`is_short`].
    short: Vec<bool>,
}

impl Rewrite for Short {
    fn op(&mut self, r: &mut Rewriter<'_>, id: OpId) -> Result<(), Diags> {
        let op = r.old.op(id);
        if self.short[id.0 as usize] {
            let args: Vec<Value> = r.get_all(&op.args);
            if let Some((lo, step, count)) = simplify::trip_count(r, [args[0], args[1], args[2]]) {
                let ops = operations(r.old, &op.regions[0]).unwrap_or(MAX_OPS + 1);
                if count <= MAX_ITERATIONS && count * ops <= MAX_OPS {
                    return unroll::iterations(self, r, id, (lo, step, count));
                }
            }
        }
        r.copy(self, id)
    }
}
