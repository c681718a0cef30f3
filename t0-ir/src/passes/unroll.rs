//! Replaces the loops marked `#[unroll]` by their iterations.
//!
//! The body is built once per iteration with the index as a constant; operations are simplified on the way, so that inner
//! loops whose bounds depend on an outer index have constant bounds too.

use super::rewrite::{rewrite, Rewrite, Rewriter};
use super::simplify;
use crate::diag::{Diag, Diags};
use crate::eval::Const;
use crate::func::{Func, OpId};
use crate::op::OpKind;

/// Most iterations of one loop.
pub const MAX_ITERATIONS: u64 = 4096;

/// Most operations of the function while loops are being unrolled.
pub const MAX_OPS: usize = 1 << 18;

/// Unrolls.
///
/// # Errors
/// Bounds that are not known at compile time, and loops of too many iterations.
pub fn run(func: &mut Func) -> Result<(), Diags> {
    let marked = |f: &Func| {
        f.ops
            .iter()
            .any(|op| matches!(op.kind, OpKind::For { hints } if hints.unroll))
    };
    if marked(func) {
        rewrite(func, &mut Unroll)?;
    }
    Ok(())
}

struct Unroll;

impl Rewrite for Unroll {
    fn op(&mut self, r: &mut Rewriter<'_>, id: OpId) -> Result<(), Diags> {
        match r.old.op(id).kind {
            OpKind::For { hints } if hints.unroll => self.unroll(r, id),
            _ => simplify::visit(self, r, id),
        }
    }
}

impl Unroll {
    fn unroll(&mut self, r: &mut Rewriter<'_>, id: OpId) -> Result<(), Diags> {
        let op = r.old.op(id);
        let args = r.get_all(&op.args);
        let Some((lo, step, count)) = simplify::trip_count(r, [args[0], args[1], args[2]]) else {
            return Err(self.unknown(r, id).into());
        };
        if count > MAX_ITERATIONS {
            let text = format!("`#[unroll]` would make {count} copies of this loop's body, more than {MAX_ITERATIONS}");
            return Err(Diag::new(op.span, text)
                .help("unroll an inner loop of fewer rounds instead")
                .into());
        }
        iterations(self, r, id, (lo, step, count))
    }

    fn unknown(&self, r: &mut Rewriter<'_>, id: OpId) -> Diag {
        let op = r.old.op(id);
        let mut unknown = Vec::new();
        for (i, what) in ["start", "end", "step"].into_iter().enumerate() {
            let v = r.get(op.args[i]);
            if r.const_bits(v).is_none() {
                unknown.push(what);
            }
        }
        let which = unknown.join(" and the ");
        let verb = if unknown.len() == 1 { "is" } else { "are" };
        Diag::new(
            op.span,
            format!("`#[unroll]` needs a range known at compile time; the {which} of this one {verb} not"),
        )
        .help("use constants or const generics for the range, or drop `#[unroll]`")
    }
}

/// Builds the iterations of a loop: first index, step and number.
///
/// # Errors
/// Too many operations, and what the pass finds.
pub(super) fn iterations(
    pass: &mut impl Rewrite,
    r: &mut Rewriter<'_>,
    id: OpId,
    (lo, step, count): (Const, i128, u64),
) -> Result<(), Diags> {
    let op = r.old.op(id);
    let region = &op.regions[0];
    let mut carried = r.get_all(&op.args[3..]);
    for n in 0..count {
        if r.b.func().ops.len() > MAX_OPS {
            let text = format!("`#[unroll]` makes more than {MAX_OPS} operations of this kernel");
            return Err(Diag::new(op.span, text).help("unroll fewer of the nested loops").into());
        }
        r.b.set_span(op.span);
        let index = Const::new(lo.ty, (lo.int() + i128::from(n) * step) as u64);
        let i = r.b.constant(index.ty, index.bits);
        r.set(region.args[0], i);
        r.set_all(&region.args[1..], &carried);
        carried = r.inline(pass, region)?.1;
    }
    r.set_all(&op.results, &carried);
    Ok(())
}
