//! Bugs of lowerings and of kernel authors, planted into the IR.

use std::collections::BTreeSet;

use t0::ir::{Func, Op, OpId, OpKind, Pred, Role, Scalar, Ty, Value};

use crate::code::source;
use crate::ir::{before, constant, defining, in_list, lines, number, order, replace_uses, stores, Maker};

/// An `if` that keeps all lanes but one from doing what they all would do alike.
pub const ALIKE: &str = "if lane::id() == 0 {";

const F32: Ty = Ty::Scalar(Scalar::F32);

impl Maker<'_> {
    /// Everything of this part.
    pub fn language(&mut self) {
        self.loop_bounds();
        self.comparisons();
        self.conditions();
        self.partials();
        self.used_atomics();
        self.truncation();
        self.reciprocal();
        self.ignored_strides();
        self.half_of_a_tile();
        self.pairing();
    }

    /// A changed copy of each operation that fits.
    fn change(
        &mut self,
        f: &Func,
        class: &'static str,
        what: &str,
        places: Vec<OpId>,
        change: impl Fn(&mut Func, OpId),
    ) {
        for id in places {
            let mut new = f.clone();
            change(&mut new, id);
            let spot = self.spot(f, id);
            self.push(class, what.into(), spot, new);
        }
    }

    /// One iteration instead of all, and the last one missing: what a K that is no multiple of the step loses.
    fn loop_bounds(&mut self) {
        let f = self.lowered.clone();
        let loops = self.places(&f, |_, op| matches!(op.kind, OpKind::For { .. }));
        self.change(
            &f,
            "loop ends early",
            "the first iteration only",
            loops.clone(),
            |f, id| {
                let [lo, step] = [f.op(id).args[0], f.op(id).args[2]];
                let ty = f.ty(lo);
                f.op_mut(id).args[1] = before(f, id, OpKind::Add, vec![lo, step], ty);
            },
        );
        self.change(
            &f,
            "loop ends early",
            "the last iteration is missing",
            loops,
            |f, id| {
                let [hi, step] = [f.op(id).args[1], f.op(id).args[2]];
                let ty = f.ty(hi);
                // A loop of no iteration stays one.
                let least = before(f, id, OpKind::Max, vec![hi, step], ty);
                f.op_mut(id).args[1] = before(f, id, OpKind::Sub, vec![least, step], ty);
            },
        );
    }

    /// Operands of a comparison the wrong way round, as where an immediate may stand on one side only.
    fn comparisons(&mut self) {
        let f = self.lowered.clone();
        let ordered = |op: &Op| {
            let pred = matches!(
                op.kind,
                OpKind::Cmp {
                    pred: Pred::Lt | Pred::Le | Pred::Gt | Pred::Ge
                }
            );
            pred && op.args[0] != op.args[1]
        };
        let all = self.places(&f, |_, op| ordered(op));
        self.change(&f, "comparison reversed", "operands swapped", all, |f, id| {
            f.op_mut(id).args.swap(0, 1)
        });
    }

    /// What is done under a condition is done always.
    fn conditions(&mut self) {
        let f = self.lowered.clone();
        for id in self.places(&f, |_, op| op.kind == OpKind::If) {
            let mut new = f.clone();
            new.op_mut(id).args[0] = number(&mut new, id, 1, Scalar::Bool);
            let only = only_past_the_end(&f, id);
            let spot = self.spot(&f, id);
            let m = self.push("access before its bounds check", "`if true`".into(), spot, new);
            let why =
                "where the condition is false the stores are at or past the length, and such stores write nothing";
            let alike = "all lanes store the same value in the same place";
            let uniform = m.planted.as_ref().is_some_and(|s| source(s).contains(ALIKE));
            m.equivalent = only.then(|| why.into()).or(uniform.then(|| alike.into()));
        }
    }

    /// Partial results that overwrite each other instead of being added up.
    fn partials(&mut self) {
        let f = self.lowered.clone();
        let silent = |f: &Func, op: &Op| {
            matches!(op.kind, OpKind::Atomic { .. }) && f.ops.iter().all(|o| !o.args.contains(&op.results[0]))
        };
        let all = self.places(&f, silent);
        let from = self.out.len();
        self.change(
            &f,
            "partial results not added up",
            "a store for the atomic",
            all,
            |f, id| {
                let op = f.op_mut(id);
                op.kind = OpKind::Store;
                op.results.clear();
            },
        );
        for m in &mut self.out[from..] {
            m.suffers = stores(&f);
        }
    }

    /// One lane's old value for all: the shortcut of a wave-wide atomic where the result is used.
    fn used_atomics(&mut self) {
        let f = self.lowered.clone();
        for id in self.places(&f, |_, op| matches!(op.kind, OpKind::Atomic { .. })) {
            let old = f.op(id).results[0];
            let users: Vec<OpId> = order(&f).into_iter().filter(|&u| f.op(u).args.contains(&old)).collect();
            for user in users {
                let mut new = f.clone();
                let zero = number(&mut new, user, 0, Scalar::U32);
                let one = before(&mut new, user, OpKind::WaveBroadcast, vec![old, zero], f.ty(old));
                let args = &mut new.op_mut(user).args;
                args.iter_mut().filter(|a| **a == old).for_each(|a| *a = one);
                let what = "the old value of lane 0 for all lanes".to_string();
                self.push("shortcut of a used atomic", what, self.spot(&f, user), new);
            }
        }
    }

    /// Products of bf16 that are cut off.
    fn truncation(&mut self) {
        let f = self.lowered.clone();
        let bf16 = Ty::Scalar(Scalar::Bf16);
        let rounded = |f: &Func, op: &Op| {
            let to = op.results.first().map(|r| f.ty(*r)) == Some(bf16);
            to && (op.kind == OpKind::Mul || op.kind == OpKind::Cast && f.ty(op.args[0]) == F32)
        };
        let all = self.places(&f, rounded);
        self.change(&f, "bf16 cut off", "truncated instead of rounded", all, |f, id| {
            let op = f.op(id).clone();
            let wide = match op.kind {
                OpKind::Mul => {
                    let args = op
                        .args
                        .iter()
                        .map(|&a| before(f, id, OpKind::Cast, vec![a], F32))
                        .collect();
                    before(f, id, OpKind::Mul, args, F32)
                }
                _ => op.args[0],
            };
            let bits = before(f, id, OpKind::Bitcast, vec![wide], Ty::U32);
            let sixteen = number(f, id, 16, Scalar::U32);
            let high = before(f, id, OpKind::Shr, vec![bits, sixteen], Ty::U32);
            let half = before(f, id, OpKind::Cast, vec![high], Ty::Scalar(Scalar::U16));
            let op = f.op_mut(id);
            (op.kind, op.args) = (OpKind::Bitcast, vec![half]);
        });
    }

    /// Quotients by way of a float.
    fn reciprocal(&mut self) {
        let f = self.lowered.clone();
        let all = self.places(&f, |f, op| {
            op.kind == OpKind::Div && f.ty(op.results[0]) == Ty::U32 && constant(f, op.args[1]).is_none()
        });
        self.change(&f, "division by a float reciprocal", "no correction", all, |f, id| {
            let args = f.op(id).args.clone();
            let args = args
                .into_iter()
                .map(|a| before(f, id, OpKind::Cast, vec![a], F32))
                .collect();
            let quotient = before(f, id, OpKind::Div, args, F32);
            let op = f.op_mut(id);
            (op.kind, op.args) = (OpKind::Cast, vec![quotient]);
        });
    }

    /// The number of columns for the distance of rows.
    fn ignored_strides(&mut self) {
        let mut at = 0;
        for p in self.staged.params.clone() {
            let n = p.kind.values().len();
            if n == 4 {
                let [cols, stride] = [2, 3].map(|k| self.staged.body.args[at + k]);
                let mut f = self.staged.clone();
                let touched = lines(&f, |op| op.args.contains(&stride));
                replace_uses(&mut f, stride, cols);
                let same = self.case.shots.iter().all(|s| match s.args.get(self.parameter(at)) {
                    Some(crate::case::Arg::Mat(_, [rows, cols, stride])) => cols == stride || *rows < 2,
                    _ => true,
                });
                if !same {
                    let what = format!("columns of `{}` for its stride", p.name);
                    self.push("stride of padded rows", what, None, f).touched = touched;
                }
            }
            at += n;
        }
    }

    /// Which parameter has the value number `at`.
    fn parameter(&self, at: usize) -> usize {
        let mut first = 0;
        let params = &self.staged.params;
        let known = params.iter().position(|p| {
            first += p.kind.values().len();
            at < first
        });
        known.unwrap_or(params.len())
    }

    /// Half of the rows of a tile are loaded.
    fn half_of_a_tile(&mut self) {
        let f = self.staged.clone();
        let all = self.places(&f, |_, op| matches!(op.kind, OpKind::TileLoad { .. }));
        self.change(
            &f,
            "half of a tile loaded",
            "rows past half of them are zeros",
            all,
            |f, id| {
                let rows = f.op(id).args[1];
                let one = number(f, id, 1, Scalar::U32);
                f.op_mut(id).args[1] = before(f, id, OpKind::Shr, vec![rows, one], Ty::U32);
            },
        );
    }

    /// Neighbours exchanged where halves should be.
    fn pairing(&mut self) {
        let f = self.lowered.clone();
        let mirror = |f: &Func, op: &Op| op.kind == OpKind::Sub && constant(f, op.args[0]) == Some(63);
        let all = self.places(&f, mirror);
        self.change(&f, "wrong partner", "lane ^ 1 for 63 - lane", all, |f, id| {
            let lane = f.op(id).args[1];
            let one = number(f, id, 1, Scalar::U32);
            let op = f.op_mut(id);
            (op.kind, op.args) = (OpKind::Xor, vec![lane, one]);
        });
    }

    /// Indices one too large in a kernel that checks them, before they are checked; and loops that run once too often.
    pub fn checked(&mut self) {
        let Some(f) = self.case.checked.clone() else { return };
        let (all, shots) = (self.out.len(), self.case.in_range());
        let mut seen = BTreeSet::new();
        for id in order(&f) {
            let OpKind::Check { site } = f.op(id).kind else {
                continue;
            };
            // A fragment that is used again is checked again, and not read again.
            if !seen.insert((site, f.op(id).args[1].0)) {
                continue;
            }
            let Some(cmp) = defining(&f, f.op(id).args[0]) else {
                continue;
            };
            let mut new = f.clone();
            let old = f.op(id).args[1];
            let one = number(&mut new, cmp, 1, Scalar::U32);
            let more = before(&mut new, cmp, OpKind::Add, vec![old, one], f.ty(old));
            let touched: BTreeSet<OpId> = accesses(&f, id, old).into_iter().chain([cmp, id]).collect();
            for id in touched {
                let args = &mut new.op_mut(id).args;
                args.iter_mut().filter(|a| **a == old).for_each(|a| *a = more);
            }
            let what = format!("index + 1 in {}", self.site(&f, id));
            let spot = self.spot(&f, id);
            let m = self.push("checked index off by one", what, spot.clone(), new);
            m.suffers = spot.into_iter().collect();
        }
        let loops = order(&f)
            .into_iter()
            .filter(|&id| matches!(f.op(id).kind, OpKind::For { .. }));
        let loops: Vec<OpId> = loops.filter(|&id| checks_counter(&f, id)).collect();
        let from = self.out.len();
        self.change(
            &f,
            "loop runs once too often",
            "its indices are checked",
            loops.clone(),
            |f, id| {
                let [hi, step] = [f.op(id).args[1], f.op(id).args[2]];
                let ty = f.ty(hi);
                f.op_mut(id).args[1] = before(f, id, OpKind::Add, vec![hi, step], ty);
            },
        );
        for (m, id) in self.out[from..].iter_mut().zip(loops) {
            // Where the numbers are known at compile time, the compiler says so.
            m.rules = &["index-out-of-bounds", "verifier"];
            m.suffers = inside(&f, id);
        }
        self.out[all..].iter_mut().for_each(|m| m.shots = Some(shots.clone()));
    }

    /// What a check is about.
    fn site(&self, f: &Func, id: OpId) -> String {
        match f.op(id).kind {
            OpKind::Check { site } => f.sites[site as usize].of.clone(),
            _ => String::new(),
        }
    }
}

/// Operations of the same line behind a check that use the index it checks.
fn accesses(f: &Func, check: OpId, index: Value) -> Vec<OpId> {
    let mut list = Vec::new();
    in_list(&mut f.clone(), check, |l, k| list = l[k + 1..].to_vec());
    let line = |id: OpId| (f.op(id).span.file, f.op(id).span.line);
    let same = |id: &OpId| line(*id) == line(check) && f.op(*id).args.contains(&index);
    list.into_iter().filter(same).collect()
}

/// Whether a loop checks its own counter as an index.
fn checks_counter(f: &Func, id: OpId) -> bool {
    let region = &f.op(id).regions[0];
    let i = region.args[0];
    let checks = |id: &OpId| matches!(f.op(*id).kind, OpKind::Check { .. }) && f.op(*id).args[1] == i;
    region.ops.iter().any(checks)
}

/// The lines of a loop's body.
fn inside(f: &Func, id: OpId) -> BTreeSet<String> {
    let spans = f.op(id).regions[0]
        .ops
        .iter()
        .map(|&o| f.op(o).span)
        .filter(|s| s.line > 0);
    spans
        .map(|s| format!("{}:{}", f.files[s.file as usize], s.line))
        .collect()
}

/// Whether all that an `if` does where its condition is false is to store past the length of what it stores to.
fn only_past_the_end(f: &Func, id: OpId) -> bool {
    let op = f.op(id);
    let Some(cmp) = defining(f, op.args[0]).map(|d| f.op(d)) else {
        return false;
    };
    let other = op.regions[1].ops.len() == 1;
    if cmp.kind != (OpKind::Cmp { pred: Pred::Lt }) || !op.results.is_empty() || !other {
        return false;
    }
    let past = |o: &Op| {
        let len = |v: Value| {
            defining(f, v)
                .map(|d| f.op(d))
                .filter(|d| d.kind == OpKind::BufferLen)
                .map(|d| d.args[0])
        };
        o.args[1] == cmp.args[0] && len(cmp.args[1]) == Some(o.args[0])
    };
    let harmless = |o: &Op| match o.kind.row().effect {
        t0::ir::Effect::Pure | t0::ir::Effect::Read => o.kind.row().convergent == t0::ir::Convergent::No,
        t0::ir::Effect::Write => o.kind == OpKind::Store && past(o) && !vector(f, o),
        t0::ir::Effect::Control => o.kind == OpKind::Yield,
    };
    op.regions[0].ops.iter().all(|&o| harmless(f.op(o)))
}

fn vector(f: &Func, store: &Op) -> bool {
    matches!(f.ty(store.args[2]), Ty::Vec(..) | Ty::Frag(Role::Acc, _))
}
