//! Removes what nobody needs: operations without effect whose results are not used, and values that regions hand on and loops
//! carry in vain.
//!
//! Method: mark from the operations that write. An operation that is needed needs its operands and the construct it is
//! in; a result of an `if` needs what both sides yield; a carried value, where its result or argument is needed, needs what
//! it starts from and what each round hands on. A `while` is always needed: it may be meant to run for ever. What is needed then
//! moves to new arenas, without copies, so that values and operations are numbered in structured order.

use crate::analysis::uniform::terminator;
use crate::diag::Diags;
use crate::func::{Func, Op, OpId, Region, Span, Value, ValueInfo};
use crate::op::{Effect, OpKind};

/// Removes dead code.
///
/// # Errors
/// None.
pub fn run(func: &mut Func) -> Result<(), Diags> {
    let mut sweep = Sweep {
        live: Live::of(func),
        ops: std::mem::take(&mut func.ops),
        values: std::mem::take(&mut func.values),
        new_ops: Vec::new(),
        new_values: Vec::new(),
        map: Vec::new(),
    };
    sweep.new_ops.reserve(sweep.ops.len());
    sweep.new_values.reserve(sweep.values.len());
    sweep.map.resize(sweep.values.len(), Value(u32::MAX));
    sweep.region(&mut func.body);
    func.ops = sweep.new_ops;
    func.values = sweep.new_values;
    Ok(())
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

/// Takes the needed operations and values over into new arenas, in structured order.
struct Sweep {
    live: Live,
    ops: Vec<Op>,
    values: Vec<ValueInfo>,
    new_ops: Vec<Op>,
    new_values: Vec<ValueInfo>,
    /// The number of each value in the new arena.
    map: Vec<Value>,
}

impl Sweep {
    fn value(&mut self, v: &mut Value) {
        let info = &mut self.values[v.0 as usize];
        let name = info.name.take();
        self.new_values.push(ValueInfo { ty: info.ty, name });
        let new = Value(self.new_values.len() as u32 - 1);
        self.map[v.0 as usize] = new;
        *v = new;
    }

    fn region(&mut self, region: &mut Region) {
        region.args.iter_mut().for_each(|a| self.value(a));
        region.ops.retain_mut(|id| {
            let kind = &self.ops[id.0 as usize].kind;
            let keep = self.live.ops[id.0 as usize] || matches!(kind, OpKind::Yield | OpKind::Condition);
            if keep {
                *id = self.op(*id);
            }
            keep
        });
    }

    fn op(&mut self, id: OpId) -> OpId {
        let mut op = self.take(id);
        if !op.regions.is_empty() {
            self.cut(&mut op);
            op.regions.iter_mut().for_each(|r| self.region(r));
        }
        for a in &mut op.args {
            *a = self.map[a.0 as usize];
        }
        op.results.iter_mut().for_each(|r| self.value(r));
        self.new_ops.push(op);
        OpId(self.new_ops.len() as u32 - 1)
    }

    fn take(&mut self, id: OpId) -> Op {
        let nothing = Op {
            kind: OpKind::Yield,
            args: Vec::new(),
            results: Vec::new(),
            regions: Vec::new(),
            span: Span::default(),
        };
        std::mem::replace(&mut self.ops[id.0 as usize], nothing)
    }

    /// Takes away what a construct hands on or carries in vain.
    fn cut(&mut self, op: &mut Op) {
        let keep: Vec<bool> = match op.kind {
            OpKind::If => op.results.iter().map(|&v| self.live.is(v)).collect(),
            _ => (0..op.results.len()).map(|i| self.carried(op, i)).collect(),
        };
        if keep.iter().all(|&k| k) {
            return;
        }
        cut(&mut op.results, 0, &keep);
        let (args, region_args) = match op.kind {
            OpKind::If => (None, None),
            OpKind::For { .. } => (Some(3), Some(1)),
            _ => (Some(0), Some(0)),
        };
        if let Some(from) = args {
            cut(&mut op.args, from, &keep);
        }
        for (i, region) in op.regions.iter_mut().enumerate() {
            if let Some(from) = region_args {
                cut(&mut region.args, from, &keep);
            }
            if let Some(end) = region.ops.last() {
                // The first operand of the condition of a `while` is no value that is handed on.
                let from = usize::from(op.kind == OpKind::While && i == 0);
                cut(&mut self.ops[end.0 as usize].args, from, &keep);
            }
        }
    }

    /// Is position `i` of what a loop carries needed, as its result or in any of its regions?
    fn carried(&self, op: &Op, i: usize) -> bool {
        let first = usize::from(matches!(op.kind, OpKind::For { .. }));
        self.live.is(op.results[i]) || op.regions.iter().any(|r| self.live.is(r.args[first + i]))
    }
}

/// Leaves those values, from a position on, whose flag is set.
fn cut(values: &mut Vec<Value>, from: usize, keep: &[bool]) {
    let mut at = 0;
    values.retain(|_| {
        at += 1;
        at <= from || keep[at - 1 - from]
    });
}
