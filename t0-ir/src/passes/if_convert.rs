//! Replaces an `if` by both of its sides and selections between what they yield, where that takes fewer instructions than
//! going around one of them.
//!
//! A side may be computed in vain if it has only cheap operations without effect. A load counts as one where its index is below the
//! length by the condition itself: out of range it reads 0 and asks nothing of the memory. Loads from LDS are not made in vain:
//! what they read may not have been written yet. Changes in place: the operations of the sides move to where the `if` was.

use crate::analysis::uniform::{terminator, Uniform, Uniformity};
use crate::diag::Diags;
use crate::func::{Func, Op, OpId, Value};
use crate::op::{OpKind, Pred};
use crate::ty::Ty;

/// Instructions a condition that differs between lanes costs: saving the mask of lanes, a branch, putting the mask back, and a
/// copy for what is yielded.
const LANES: u32 = 4;
/// Those of a condition of the whole wave: a branch and a jump over the other side, and a copy.
const WAVE: u32 = 3;

/// Converts.
///
/// # Errors
/// None.
pub fn run(func: &mut Func) -> Result<(), Diags> {
    if !func
        .ops
        .iter()
        .any(|op| op.kind == OpKind::If && !op.results.is_empty())
    {
        return Ok(());
    }
    let mut defs = vec![None; func.values.len()];
    for (i, op) in func.ops.iter().enumerate() {
        for &v in &op.results {
            defs[v.0 as usize] = Some(OpId(i as u32));
        }
    }
    let mut pass = Convert {
        uniform: Uniform::of(func),
        defs,
        func,
    };
    let mut body = std::mem::take(&mut pass.func.body);
    pass.operations(&mut body.ops);
    pass.func.body = body;
    Ok(())
}

struct Convert<'a> {
    func: &'a mut Func,
    uniform: Uniform,
    defs: Vec<Option<OpId>>,
}

impl Convert<'_> {
    fn operations(&mut self, ops: &mut Vec<OpId>) {
        let mut out = Vec::with_capacity(ops.len());
        for &id in ops.iter() {
            let mut regions = std::mem::take(&mut self.func.op_mut(id).regions);
            regions.iter_mut().for_each(|r| self.operations(&mut r.ops));
            self.func.op_mut(id).regions = regions;
            match self.pays(self.func.op(id)) {
                true => self.convert(id, &mut out),
                false => out.push(id),
            }
        }
        *ops = out;
    }

    /// Is the operation an `if` that is better done without?
    fn pays(&self, op: &Op) -> bool {
        let scalars = op.results.iter().all(|&v| self.func.ty(v).scalar().is_some());
        if op.kind != OpKind::If || op.results.is_empty() || !scalars {
            return false;
        }
        let limit = match self.uniform.value(op.args[0]) {
            Uniformity::Lane => LANES,
            _ => WAVE,
        };
        let mut sum = op.results.len() as u32 - 1;
        for (region, truth) in op.regions.iter().zip([true, false]) {
            for &id in &region.ops {
                match self.cost(self.func.op(id), op.args[0], truth) {
                    Some(cost) => sum += cost,
                    None => return false,
                }
            }
        }
        sum <= limit
    }

    /// Instructions of an operation that may be done in vain.
    fn cost(&self, op: &Op, cond: Value, truth: bool) -> Option<u32> {
        use OpKind::{
            Add, And, Bitcast, Cmp, Const, Max, Min, Mul, Not, Or, Select, Shl, Shr, Sub, VecGet, Xor, Yield,
        };
        let words = |v: &Value| self.func.ty(*v).elem().bytes().div_ceil(4);
        match op.kind {
            Yield | Const { .. } | VecGet { .. } | Bitcast => Some(0),
            Add | Sub | And | Or | Xor | Not | Shl | Shr | Min | Max | Select => Some(words(&op.results[0])),
            Cmp { .. } => Some(words(&op.args[0])),
            Mul if self.func.ty(op.results[0]) == Ty::F32 => Some(1),
            OpKind::BufferLen | OpKind::LaneId | OpKind::LocalId | OpKind::WaveId | OpKind::GroupId { .. } => Some(0),
            OpKind::Load if truth && self.says_below(cond, op.args[1], op.args[0]) => Some(1),
            _ => None,
        }
    }

    /// Is the condition true only where the index is below the length of the view?
    fn says_below(&self, cond: Value, index: Value, view: Value) -> bool {
        let Some(op) = self.def(cond) else { return false };
        match op.kind {
            OpKind::And => op.args.iter().any(|&c| self.says_below(c, index, view)),
            OpKind::Cmp { pred: Pred::Lt } => op.args[0] == index && self.is_length(op.args[1], view),
            OpKind::Cmp { pred: Pred::Gt } => op.args[1] == index && self.is_length(op.args[0], view),
            _ => false,
        }
    }

    fn is_length(&self, n: Value, view: Value) -> bool {
        let of = |op: &Op| op.kind == OpKind::BufferLen && op.args[0] == view;
        let part = |op: &Op| op.kind == OpKind::View && op.args[2] == n;
        self.def(n).is_some_and(of) || self.def(view).is_some_and(part)
    }

    fn def(&self, v: Value) -> Option<&Op> {
        self.defs[v.0 as usize].map(|id| self.func.op(id))
    }

    fn convert(&mut self, id: OpId, out: &mut Vec<OpId>) {
        let op = self.func.op(id).clone();
        let yields: Vec<Vec<Value>> = op.regions.iter().map(|r| terminator(self.func, r).to_vec()).collect();
        for region in &op.regions {
            out.extend(region.ops.split_last().map_or(&[][..], |(_, ops)| ops));
        }
        for (i, &result) in op.results.iter().enumerate() {
            let args = vec![op.args[0], yields[0][i], yields[1][i]];
            let select = self.func.new_op(OpKind::Select, args, &[], Vec::new(), op.span);
            self.func.op_mut(select).results.push(result);
            self.defs[result.0 as usize] = Some(select);
            out.push(select);
        }
    }
}
