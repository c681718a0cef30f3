//! Rebuilding a function operation by operation: what most passes are made of.
//!
//! A pass that changes a function does not patch it in place: it walks the old function in structured order and builds a
//! new one. For each operation it decides: copy it ([`Rewriter::copy`]), build something else ([`Rewriter::b`]) and say
//! which new values stand for the old results ([`Rewriter::set`]), or build nothing. The invariant that keeps this simple:
//! when an operation is visited, all values it uses have a new value.

use crate::build::Builder;
use crate::diag::Diags;
use crate::func::{Func, Op, OpId, Region, Value};
use crate::op::OpKind;

/// What a pass does with each operation.
pub trait Rewrite {
    /// Visits an operation of the old function (never a terminator). It must give every result that is used a new value.
    ///
    /// # Errors
    /// What the pass finds wrong with the kernel.
    fn op(&mut self, r: &mut Rewriter<'_>, id: OpId) -> Result<(), Diags>;
}

/// A rewrite that copies everything: it renumbers values and operations in structured order and drops what no region names.
pub struct Identity;

impl Rewrite for Identity {
    fn op(&mut self, r: &mut Rewriter<'_>, id: OpId) -> Result<(), Diags> {
        r.copy(self, id)
    }
}

/// The old function, the new one under construction, and which new value stands for which old one.
pub struct Rewriter<'a> {
    /// The function being rewritten.
    pub old: &'a Func,
    /// Builds the new function.
    pub b: Builder,
    map: Vec<Option<Value>>,
    defs: Vec<Option<OpId>>,
    seen_ops: usize,
}

/// Rewrites a function. On an error the function is unchanged.
///
/// # Errors
/// What the pass finds wrong with the kernel.
pub fn rewrite(func: &mut Func, pass: &mut impl Rewrite) -> Result<(), Diags> {
    let mut start = Func::new(func.name.clone(), func.group, Vec::new());
    start.params = func.params.clone();
    start.lds = func.lds.clone();
    start.files = func.files.clone();
    start.sources = func.sources.clone();
    start.span = func.span;
    start.sites = func.sites.clone();
    let mut r = Rewriter {
        old: func,
        b: Builder::new(start),
        map: vec![None; func.values.len()],
        defs: Vec::new(),
        seen_ops: 0,
    };
    for &arg in &func.body.args {
        let info = func.values[arg.0 as usize].clone();
        let new = r.b.func_mut().new_value(info.ty, info.name);
        r.map[arg.0 as usize] = Some(new);
    }
    let args: Vec<Value> = r.get_all(&func.body.args);
    for &id in &func.body.ops {
        r.visit(pass, id)?;
    }
    let mut new = r.b.finish();
    new.body.args = args;
    *func = new;
    Ok(())
}

impl Rewriter<'_> {
    /// The new value of an old one.
    ///
    /// # Panics
    /// If it has none: a bug of the pass, or a function the verifier would reject.
    pub fn get(&self, old: Value) -> Value {
        match self.map[old.0 as usize] {
            Some(new) => new,
            None => panic!("rewrite: %{} of `{}` has no new value", old.0, self.old.name),
        }
    }

    /// The new value of an old one, if it has one.
    pub fn try_get(&self, old: Value) -> Option<Value> {
        self.map[old.0 as usize]
    }

    /// The new values of old ones, in order.
    pub fn get_all(&self, old: &[Value]) -> Vec<Value> {
        old.iter().map(|&v| self.get(v)).collect()
    }

    /// Lets `new` stand for `old` from now on; a new value without a name takes the old one's.
    pub fn set(&mut self, old: Value, new: Value) {
        self.map[old.0 as usize] = Some(new);
        let name = &self.old.values[old.0 as usize].name;
        let info = &mut self.b.func_mut().values[new.0 as usize];
        if info.name.is_none() && name.is_some() {
            info.name.clone_from(name);
        }
    }

    /// [`Rewriter::set`] for several values.
    pub fn set_all(&mut self, old: &[Value], new: &[Value]) {
        for (&o, &n) in old.iter().zip(new) {
            self.set(o, n);
        }
    }

    /// The operation that defines a new value; `None` for arguments of regions and values of open regions' owners.
    pub fn def(&mut self, new: Value) -> Option<&Op> {
        let func = self.b.func();
        self.defs.resize(func.values.len(), None);
        for (i, op) in func.ops.iter().enumerate().skip(self.seen_ops) {
            for r in &op.results {
                self.defs[r.0 as usize] = Some(OpId(i as u32));
            }
        }
        self.seen_ops = func.ops.len();
        self.defs[new.0 as usize].map(|id| func.op(id))
    }

    /// The bits of a new value that is a constant.
    pub fn const_bits(&mut self, new: Value) -> Option<u64> {
        match self.def(new)?.kind {
            OpKind::Const { bits, .. } => Some(bits),
            _ => None,
        }
    }

    /// Visits an operation with its source place as the builder's.
    ///
    /// # Errors
    /// What the pass says.
    pub fn visit(&mut self, pass: &mut impl Rewrite, id: OpId) -> Result<(), Diags> {
        self.b.set_span(self.old.op(id).span);
        pass.op(self, id)
    }

    /// Copies an operation; the operations in its regions are visited.
    ///
    /// # Errors
    /// What the pass says.
    pub fn copy(&mut self, pass: &mut impl Rewrite, id: OpId) -> Result<(), Diags> {
        let op = self.old.op(id);
        self.copy_as(pass, id, op.kind.clone())
    }

    /// Copies an operation with another kind (same operands, results and regions).
    ///
    /// # Errors
    /// What the pass says.
    pub fn copy_as(&mut self, pass: &mut impl Rewrite, id: OpId, kind: OpKind) -> Result<(), Diags> {
        let op = self.old.op(id);
        let mut regions = Vec::with_capacity(op.regions.len());
        for region in &op.regions {
            regions.push(self.region(pass, region)?);
        }
        self.emit_copy(id, kind, regions);
        Ok(())
    }

    /// Builds an operation with the operands, result types and place of an old one, and regions already rebuilt.
    pub fn emit_copy(&mut self, id: OpId, kind: OpKind, regions: Vec<Region>) {
        let op = self.old.op(id);
        self.b.set_span(op.span);
        let args = self.get_all(&op.args);
        if let [result] = op.results[..] {
            let new = self.b.append(kind, args, &[self.old.ty(result)], regions)[0];
            return self.set(result, new);
        }
        let tys: Vec<_> = op.results.iter().map(|&v| self.old.ty(v)).collect();
        let results = self.b.emit(kind, &args, &tys, regions);
        self.set_all(&op.results, &results);
    }

    /// Rebuilds a region with fresh arguments, its terminator included.
    ///
    /// # Errors
    /// What the pass says.
    pub fn region(&mut self, pass: &mut impl Rewrite, region: &Region) -> Result<Region, Diags> {
        let tys: Vec<_> = region.args.iter().map(|&v| self.old.ty(v)).collect();
        let args = self.b.begin_region(&tys);
        self.set_all(&region.args, &args);
        let (kind, values) = self.inline(pass, region)?;
        Ok(self.b.end_region(kind, &values))
    }

    /// Rebuilds a region with only some of its arguments and of what its terminator hands on. Those left out need no new
    /// value.
    ///
    /// # Errors
    /// What the pass says.
    pub fn region_some(
        &mut self,
        pass: &mut impl Rewrite,
        region: &Region,
        keep_args: &[bool],
        keep_values: &[bool],
    ) -> Result<Region, Diags> {
        let old_args = kept(&region.args, keep_args);
        let tys: Vec<_> = old_args.iter().map(|&v| self.old.ty(v)).collect();
        let args = self.b.begin_region(&tys);
        self.set_all(&old_args, &args);
        let end = self.old.op(self.operations(pass, region)?);
        let values = self.get_all(&kept(&end.args, keep_values));
        Ok(self.b.end_region(end.kind.clone(), &values))
    }

    /// Visits a region's operations into the open region (its arguments must have new values) and hands out its terminator
    /// with new operands, not built; the builder's source place is the terminator's.
    ///
    /// # Errors
    /// What the pass says.
    pub fn inline(&mut self, pass: &mut impl Rewrite, region: &Region) -> Result<(OpKind, Vec<Value>), Diags> {
        let end = self.old.op(self.operations(pass, region)?);
        Ok((end.kind.clone(), self.get_all(&end.args)))
    }

    /// Visits all operations of a region but its terminator, which it hands out.
    fn operations(&mut self, pass: &mut impl Rewrite, region: &Region) -> Result<OpId, Diags> {
        let Some((&last, ops)) = region.ops.split_last() else {
            panic!("rewrite: a region of `{}` has no terminator", self.old.name);
        };
        for &id in ops {
            self.visit(pass, id)?;
        }
        self.b.set_span(self.old.op(last).span);
        Ok(last)
    }
}

/// The items whose flag is set.
pub fn kept<T: Copy>(items: &[T], keep: &[bool]) -> Vec<T> {
    items.iter().zip(keep).filter(|(_, &k)| k).map(|(&x, _)| x).collect()
}

/// The function renumbered in structured order, without the values and operations no region names.
pub fn canonical(func: &Func) -> Func {
    let mut new = func.clone();
    if let Err(diags) = rewrite(&mut new, &mut Identity) {
        panic!("rewrite: copying `{}` failed: {diags}", func.name); // Identity never errs
    }
    new
}
