//! The iterations whose tiles lie inside their matrices.
//!
//! Problem: a tile at the end of the K axis, or of a matrix whose rows are no whole chunks, is loaded with a test for each
//! chunk, and where a tile's buffer lies changes from iteration to iteration; both cost vector instructions in the loop.
//! Method: the iterations before the last ones get a loop of their own,
//! ```text
//! for i in (lo..lo + n·step).step_by(N·step) {
//!     for p in 0..N (written out) {
//!         s = tile_fetch[inside] m(i + (p + d)·step)
//!         t = tile_at p; work on t
//!         tile_commit s, buffer p + d
//!     }
//! }
//! ```
//! with as many iterations n, a multiple of N, as make all its fetches lie inside; where columns are no whole chunks there
//! are none. Its buffers are constants, and what it fetches needs no test of columns. The loop after it does the rest, whatever that is.
//!
//! A tile's place along the loop must be the index itself, on one axis; the other axis must not change in the loop.

use std::collections::HashMap;

use super::{Plan, Tile};
use crate::func::{OpId, Value};
use crate::op::{Inside, OpKind, Pred, CHUNK_OUTSIDE};
use crate::passes::lower_tiles::arith::Arith;
use crate::passes::rewrite::Rewriter;
use crate::ty::Ty;

/// The loop over the iterations whose fetches lie inside.
pub(super) struct Full {
    /// Where the iterations after it begin.
    pub end: Value,
    /// Step of the index from one iteration of the original loop to the next.
    pub step: u32,
    /// What is known of each tile's fetches.
    pub inside: Vec<Inside>,
}

/// A tile's place and shape, in new values; `None` is the loop's index.
struct Where {
    buf: Value,
    rows: Value,
    cols: Value,
    stride: Value,
    row: Option<Value>,
    col: Option<Value>,
}

/// Finds out whether a loop has such iterations, and builds their number in front of it; `bounds`: lo, hi, step.
pub(super) fn full(r: &mut Rewriter<'_>, plan: &Plan, bounds: [Value; 3]) -> Option<Full> {
    let [lo, hi, step] = bounds;
    let step = u32::try_from(r.const_bits(step)?).ok().filter(|&s| s > 0)?;
    let places: Option<Vec<Where>> = plan.tiles.iter().map(|t| place(r, plan, t)).collect();
    let places = places?;
    if r.b.func().ty(lo) != Ty::U32 || places.iter().any(|w| w.row.is_none() == w.col.is_none()) {
        return None;
    }
    // Then the numbers below do not wrap.
    let along = |(t, w): (&Tile, &Where)| t.layout.source()[usize::from(w.row.is_some())];
    if plan.tiles.iter().zip(&places).any(|x| step > along(x)) {
        return None;
    }
    let mut possible = r.b.constant(crate::ty::Scalar::Bool, 1);
    let mut count: Option<Value> = None;
    for (t, w) in plan.tiles.iter().zip(&places) {
        let ok = usable(r, t, w, lo, step);
        possible = r.b.op1(OpKind::And, &[possible, ok]);
        let (total, size) = match w.row {
            None => (w.rows, t.layout.source()[0]),
            Some(_) => (w.cols, t.layout.source()[1]),
        };
        let n = fitting(r, total, size, lo, step);
        count = Some(match count {
            Some(c) => r.b.op1(OpKind::Min, &[c, n]),
            None => n,
        });
    }
    let end = end_of(r, plan, (possible, count?), (lo, hi, step));
    let inside = places.iter().map(|w| match w.row {
        None => Inside::All,
        Some(_) => Inside::Columns,
    });
    Some(Full {
        end,
        step,
        inside: inside.collect(),
    })
}

/// Where a tile is, if the loop's index says so directly.
fn place(r: &mut Rewriter<'_>, plan: &Plan, t: &Tile) -> Option<Where> {
    let old = r.old;
    let region = &old.op(plan.id).regions[0];
    let mut consts: HashMap<Value, OpId> = HashMap::new();
    for &id in &region.ops {
        let op = old.op(id);
        if matches!(op.kind, OpKind::Const { .. }) {
            consts.insert(op.results[0], id);
        }
    }
    let mut outside = |v: Value| match (r.try_get(v), consts.get(&v)) {
        (Some(new), _) => Some(new),
        (None, Some(&id)) => Some(r.b.op1_as(old.op(id).kind.clone(), &[], old.ty(v))),
        (None, None) => None,
    };
    let args = &old.op(t.load).args;
    let index = region.args[0];
    let mut along = |v: Value| match v == index {
        true => Some(None),
        false => outside(v).map(Some),
    };
    let (row, col) = (along(args[4])?, along(args[5])?);
    Some(Where {
        buf: outside(args[0])?,
        rows: outside(args[1])?,
        cols: outside(args[2])?,
        stride: outside(args[3])?,
        row,
        col,
    })
}

/// Whether a tile's columns are whole chunks, its matrix is small enough, and what does not change in the loop is inside.
fn usable(r: &mut Rewriter<'_>, t: &Tile, w: &Where, lo: Value, step: u32) -> Value {
    let l = &t.layout;
    let b = &mut r.b;
    let shape = b.op1(OpKind::Or, &[w.cols, w.stride]);
    let mut odd = b.op1(OpKind::Or, &[shape, w.col.unwrap_or(lo)]);
    if w.col.is_none() {
        let step = b.u32(step);
        odd = b.op1(OpKind::Or, &[odd, step]);
    }
    let odd = b.and_const(odd, l.chunk - 1);
    let zero = b.u32(0);
    let whole = b.op1(OpKind::Cmp { pred: Pred::Eq }, &[odd, zero]);
    let len = b.op1(OpKind::BufferLen, &[w.buf]);
    let most = b.u32(CHUNK_OUTSIDE / l.ty.elem.bytes());
    let small = b.lt(len, most);
    let inside = match (w.row, w.col) {
        (_, Some(col)) => {
            let left = b.left(w.cols, col);
            let need = b.u32(l.source()[1] - 1);
            b.lt(need, left)
        }
        (Some(row), None) => b.lt(row, w.rows),
        (None, None) => whole,
    };
    let ok = b.op1(OpKind::And, &[whole, small]);
    b.op1(OpKind::And, &[ok, inside])
}

/// How many of the places lo, lo + step … have `size` rows or columns of `total` behind them.
fn fitting(r: &mut Rewriter<'_>, total: Value, size: u32, lo: Value, step: u32) -> Value {
    let b = &mut r.b;
    let left = b.left(total, lo);
    let first = b.left_const(left, size - 1);
    div_ceil(r, first, step)
}

fn div_ceil(r: &mut Rewriter<'_>, v: Value, by: u32) -> Value {
    let up = r.b.add_const(v, by - 1);
    r.b.div_rem(up, by, u32::MAX).0
}

/// The index behind the last iteration of the loop.
fn end_of(
    r: &mut Rewriter<'_>,
    plan: &Plan,
    (possible, fitting): (Value, Value),
    (lo, hi, step): (Value, Value, u32),
) -> Value {
    let b = &mut r.b;
    let inside = b.left_const(fitting, plan.in_flight());
    let all = b.left(hi, lo);
    let most = b.u32(u32::MAX - (step - 1)); // so that rounding up does not wrap; the few left out are done by the loop behind
    let all = b.op1(OpKind::Min, &[all, most]);
    let all = div_ceil(r, all, step);
    let b = &mut r.b;
    let n = b.op1(OpKind::Min, &[inside, all]);
    let (turns, _) = b.div_rem(n, plan.stages, u32::MAX);
    let length = b.mul_const(turns, plan.stages * step);
    let zero = b.u32(0);
    let length = b.select(possible, length, zero);
    b.add(lo, length)
}
