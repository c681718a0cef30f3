//! Decides what the intervals of the operands decide (see [`crate::analysis::ranges`]): comparisons, above all those that keep an index
//! inside of an array, and what is always one number. A minimum, a mask or a remainder that changes nothing is its operand.
//!
//! Only conditions and operands become simpler here; `simplify` does what follows.

use crate::analysis::ranges::{Interval, Ranges};
use crate::diag::Diags;
use crate::eval::Const;
use crate::func::{Func, OpId, Value};
use crate::op::{Convergent, Effect, OpKind};

/// Decides.
///
/// # Errors
/// None.
pub fn run(func: &mut Func) -> Result<(), Diags> {
    let mut constants: Vec<(OpId, Const)> = Vec::new();
    let mut map: Vec<Value> = (0..func.values.len() as u32).map(Value).collect();
    Ranges::walk(func, &mut |ranges, id| {
        if let Some(c) = constant(func, ranges, id) {
            constants.push((id, c));
        } else if let Some(v) = operand(func, ranges, id) {
            // Operands come first, so that theirs is known.
            map[func.op(id).results[0].0 as usize] = map[v.0 as usize];
        }
    });
    for (id, c) in constants {
        let op = func.op_mut(id);
        op.kind = OpKind::Const { ty: c.ty, bits: c.bits };
        op.args.clear();
    }
    for op in &mut func.ops {
        op.args.iter_mut().for_each(|a| *a = map[a.0 as usize]);
    }
    Ok(())
}

/// The only number an operation can have as its result.
fn constant(func: &Func, ranges: &Ranges, id: OpId) -> Option<Const> {
    let op = func.op(id);
    let row = op.kind.row();
    let [result] = op.results[..] else { return None };
    let ty = func.ty(result).scalar().filter(|t| !t.is_float())?;
    if row.effect != Effect::Pure || row.convergent != Convergent::No || matches!(op.kind, OpKind::Const { .. }) {
        return None;
    }
    let n = ranges.get(result).single()?;
    Some(Const::new(ty, n as u64))
}

/// The operand an operation always has as its result.
fn operand(func: &Func, ranges: &Ranges, id: OpId) -> Option<Value> {
    let op = func.op(id);
    let [a, b] = op.args[..] else { return None };
    let [result] = op.results[..] else { return None };
    if func.ty(result).scalar().is_none_or(|t| t.is_float()) {
        return None;
    }
    let (x, y) = (ranges.get(a), ranges.get(b));
    match op.kind {
        OpKind::Min if x.hi <= y.lo => Some(a),
        OpKind::Min if y.hi <= x.lo => Some(b),
        OpKind::Max if x.lo >= y.hi => Some(a),
        OpKind::Max if y.lo >= x.hi => Some(b),
        OpKind::Rem if x.lo >= 0 && x.hi < y.lo => Some(a),
        OpKind::And if masks_nothing(x, y) => Some(a),
        OpKind::And if masks_nothing(y, x) => Some(b),
        _ => None,
    }
}

/// Is every number in `x` the same without the bits that the one number in `mask` lacks?
fn masks_nothing(x: Interval, mask: Interval) -> bool {
    x.lo >= 0 && mask.single().is_some_and(|m| m >= x.hi && m & (m + 1) == 0)
}
