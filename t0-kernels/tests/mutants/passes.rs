//! Bugs of compiler passes, planted into the IR.

use std::collections::BTreeSet;

use t0::ir::{Effect, Func, Op, OpId, OpKind, Ty};

use crate::ir::{before, defining, in_list, index, lines, number, order, replace_uses, same_list, Maker};
use crate::registers::spread;

impl Maker<'_> {
    /// The operations that fit, at most some of them.
    pub fn places(&self, f: &Func, fits: impl Fn(&Func, &Op) -> bool) -> Vec<OpId> {
        let all: Vec<OpId> = order(f).into_iter().filter(|&id| fits(f, f.op(id))).collect();
        spread(&all)
    }

    /// Everything of this part.
    pub fn passes(&mut self) {
        self.behind_the_end();
        self.unrelated();
        self.old_versions();
        self.dropped_stores();
        self.early_loads();
        self.aliases();
        self.swizzle();
    }

    /// Hoisting out of a loop that puts the operation behind the terminator.
    fn behind_the_end(&mut self) {
        let f = self.lowered.clone();
        let mut lists: Vec<Vec<OpId>> = vec![f.body.ops.clone()];
        lists.extend(f.ops.iter().flat_map(|o| &o.regions).map(|r| r.ops.clone()));
        let ends = |id: &OpId| matches!(f.op(*id).kind, OpKind::Yield | OpKind::Condition);
        let moved: Vec<OpId> = lists
            .iter()
            .filter(|list| list.len() > 1 && list.last().is_some_and(ends))
            .map(|list| list[0])
            .filter(|id| order(&f).contains(id))
            .collect();
        for id in spread(&moved) {
            let mut new = f.clone();
            in_list(&mut new, id, |list, k| {
                let op = list.remove(k);
                list.push(op);
            });
            let what = format!("`{}` behind the end of its block", f.op(id).kind.row().name);
            let m = self.push("LICM behind the terminator", what, self.spot(&f, id), new);
            m.rules = &["verifier"];
        }
    }

    /// Operations of one kind merged though nothing of them is equal: a key that stands for "not known".
    fn unrelated(&mut self) {
        let f = self.lowered.clone();
        let pure = |op: &Op| op.kind.row().effect == Effect::Pure && op.args.len() == 2 && op.results.len() == 1;
        let all: Vec<OpId> = order(&f).into_iter().filter(|&id| pure(f.op(id))).collect();
        let mut pairs = Vec::new();
        for (n, &a) in all.iter().enumerate() {
            let fits = |b: &&OpId| {
                let (x, y) = (f.op(a), f.op(**b));
                let distinct = x.args.iter().all(|v| !y.args.contains(v));
                x.kind == y.kind && f.ty(x.results[0]) == f.ty(y.results[0]) && distinct && same_list(&f, a, **b)
            };
            pairs.extend(all[n + 1..].iter().find(fits).map(|&b| (a, b)));
        }
        for (a, b) in spread(&pairs) {
            let mut new = f.clone();
            replace_uses(&mut new, f.op(b).results[0], f.op(a).results[0]);
            let what = format!("two unrelated `{}` merged", f.op(a).kind.row().name);
            self.push("CSE with a key that is unknown", what, self.spot(&f, b), new);
        }
    }

    /// `x = x + 1` removed, and uses that name the value before it: registers that were not renamed.
    fn old_versions(&mut self) {
        let f = self.lowered.clone();
        let update = |f: &Func, op: &Op| {
            matches!(op.kind, OpKind::Add | OpKind::Sub) && f.ty(op.args[0]) == f.ty(op.results[0]) && !zero(f, op)
        };
        for id in self.places(&f, update) {
            let mut new = f.clone();
            let op = f.op(id);
            replace_uses(&mut new, op.results[0], op.args[0]);
            let what = format!("`{}` taken for its first operand", op.kind.row().name);
            self.push("self-update removed", what, self.spot(&f, id), new);
        }
    }

    /// Stores that dead-code elimination takes for operations without effect.
    fn dropped_stores(&mut self) {
        let f = self.lowered.clone();
        let store = |_: &Func, op: &Op| {
            matches!(op.kind, OpKind::Store | OpKind::LdsStore { .. } | OpKind::Atomic { .. })
                && op.results.iter().all(|r| !f.ops.iter().any(|o| o.args.contains(r)))
        };
        for id in self.places(&f, store) {
            let mut new = f.clone();
            in_list(&mut new, id, |list, k| {
                list.remove(k);
            });
            let what = format!("`{}` removed", f.op(id).kind.row().name);
            self.push("store without effect", what, self.spot(&f, id), new);
        }
    }

    /// A load from LDS that moves over the store before it.
    fn early_loads(&mut self) {
        let f = self.lowered.clone();
        let shared = |op: &Op| matches!(op.kind, OpKind::LdsLoad { .. } | OpKind::LdsFragLoad { .. });
        let mut moves = Vec::new();
        for id in order(&f) {
            let mut list = Vec::new();
            in_list(&mut f.clone(), id, |l, _| list = l.clone());
            let Some(k) = list.iter().position(|&o| o == id) else {
                continue;
            };
            let Some(s) = list[..k]
                .iter()
                .rposition(|&o| matches!(f.op(o).kind, OpKind::LdsStore { .. }))
            else {
                continue;
            };
            let made: BTreeSet<_> = list[s..k].iter().flat_map(|&o| &f.op(o).results).collect();
            if shared(f.op(id)) && f.op(id).args.iter().all(|a| !made.contains(a)) {
                moves.push((id, s));
            }
        }
        let suffers = lines(&f, |op| index(op).is_some());
        for (id, s) in spread(&moves) {
            let mut new = f.clone();
            new.lds.iter_mut().for_each(|l| l.tile = false); // else the compiler would put barriers back
            in_list(&mut new, id, |list, k| {
                let op = list.remove(k);
                list.insert(s, op);
            });
            let what = "a load from LDS moved over the store before it".to_string();
            let m = self.push("load before its store", what, self.spot(&f, id), new);
            m.suffers = suffers.clone();
        }
    }

    /// Two arrays in LDS that lie in the same place.
    fn aliases(&mut self) {
        let f = self.lowered.clone();
        if f.lds.len() < 2 {
            return;
        }
        let first = |kind: &OpKind| match kind {
            OpKind::LdsStore { lds, .. } => Some(*lds),
            _ => None,
        };
        for id in self.places(&f, |_, op| first(&op.kind).is_some_and(|l| l.0 == 1)) {
            let mut new = f.clone();
            if let OpKind::LdsStore { lds, .. } = &mut new.op_mut(id).kind {
                lds.0 = 0;
            }
            let what = format!("`{}` stored where `{}` is", f.lds[1].name, f.lds[0].name);
            let m = self.push("LDS arrays overlap", what, self.spot(&f, id), new);
            m.suffers = lines(&f, |op| index(op).is_some());
        }
    }

    /// A swizzle of LDS addresses that loads have and stores do not.
    fn swizzle(&mut self) {
        let f = self.lowered.clone();
        let frag = |_: &Func, op: &Op| matches!(op.kind, OpKind::LdsFragLoad { .. });
        for id in self.places(&f, frag) {
            let mut new = f.clone();
            let old = f.op(id).args[0];
            let (seven, bits) = (number(&mut new, id, 7, u32s()), number(&mut new, id, 3, u32s()));
            let row = before(&mut new, id, OpKind::Shr, vec![old, seven], Ty::U32);
            let low = before(&mut new, id, OpKind::And, vec![row, bits], Ty::U32);
            let four = number(&mut new, id, 4, u32s());
            let by = before(&mut new, id, OpKind::Shl, vec![low, four], Ty::U32);
            new.op_mut(id).args[0] = before(&mut new, id, OpKind::Xor, vec![old, by], Ty::U32);
            let what = "LDS address swizzled in the load only".to_string();
            let m = self.push("swizzle on one side", what, self.spot(&f, id), new);
            m.suffers = lines(&f, |op| index(op).is_some());
        }
    }
}

fn u32s() -> t0::ir::Scalar {
    t0::ir::Scalar::U32
}

/// Whether an addition or subtraction changes nothing.
fn zero(f: &Func, op: &Op) -> bool {
    crate::ir::constant(f, op.args[1]) == Some(0) || defining(f, op.args[0]).is_none()
}
