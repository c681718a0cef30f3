//! `for`: ranges, the ownership iterators, and loops that are unrolled while staging.

use crate::func::Value;
use crate::op::{OpKind, Pred};
use crate::stage::check::Part;
use crate::stage::{At, Iter, Loop, Place, Proj, Range, Stage, TilePlace, Val, VarId};
use crate::ty::{Scalar, Ty};

/// Lanes of a wave.
const WAVE: u32 = 32;

type Each<'b> = &'b dyn Fn(&mut Stage, Value);

impl Stage {
    /// `lo..hi`, `lo..=hi`
    pub fn range(&mut self, lo: &Val, hi: &Val, inclusive: bool, at: At) -> Val {
        self.at(at);
        let (Some(lo), Some(hi)) = (self.value(lo), self.value(hi)) else {
            return self.poison();
        };
        if !self.unify(lo, hi) {
            return self.poison();
        }
        Val::Iter(Box::new(Iter::Range(Range {
            lo,
            hi,
            inclusive,
            step: None,
            rev: false,
            rev_first: false,
        })))
    }

    /// `for item in iter { body }`
    pub fn for_(&mut self, iter: &Val, lp: Loop, body: &dyn Fn(&mut Stage, &Val), at: At) -> Val {
        self.at(at);
        let mark = self.slots.len();
        match self.target(iter) {
            Val::Iter(iter) => self.for_iter(&iter, lp, body),
            Val::View(buf) => self.for_iter(&Iter::Elems(buf), lp, body),
            Val::Array(vs) => self.for_iter(&Iter::Items(vs), lp, body),
            Val::Lanes(buf) => self.for_lanes(buf, lp, body),
            Val::Waves(m) => self.for_waves(m, lp, body),
            Val::Groups(m, rows, cols) => self.for_groups(m, rows, cols, lp, body),
            Val::Poison | Val::Never => {}
            _ => {
                self.fail(
                    "the device cannot loop over this",
                    "loop over a range, a slice, or what `Lanes`, `Waves`, `Groups`, `lanes()` and `frags_mut()` give",
                );
            }
        }
        self.slots.truncate(mark);
        Val::Unit
    }

    fn for_iter(&mut self, iter: &Iter, lp: Loop, body: &dyn Fn(&mut Stage, &Val)) {
        match iter {
            Iter::Range(r) => self.range_loop(r, lp, &|s, i| body(s, &Val::V(i))),
            Iter::Lanes(buf) => {
                let lane = self.pure(OpKind::LaneId, &[]);
                self.stripe(*buf, lane, WAVE, lp, &|s, i| {
                    let item = Val::Tuple(vec![Val::V(i), Val::Ref(Box::new(Place::elem(*buf, i)))]);
                    body(s, &item);
                });
            }
            Iter::Elems(buf) => {
                let zero = self.u32(0);
                self.stripe(*buf, zero, 1, lp, &|s, i| {
                    body(s, &Val::Ref(Box::new(Place::elem(*buf, i))))
                });
            }
            Iter::Items(vs) => self.unrolled(vs.clone(), lp, body),
            Iter::Enumerate(inner) => match &**inner {
                Iter::Elems(buf) => {
                    let zero = self.u32(0);
                    self.stripe(*buf, zero, 1, lp, &|s, i| {
                        body(
                            s,
                            &Val::Tuple(vec![Val::V(i), Val::Ref(Box::new(Place::elem(*buf, i)))]),
                        );
                    });
                }
                Iter::Items(vs) => {
                    let items = vs
                        .iter()
                        .enumerate()
                        .map(|(i, v)| Val::Tuple(vec![Val::V(self.u32(i as u32)), v.clone()]));
                    let items = items.collect();
                    self.unrolled(items, lp, body);
                }
                _ => {
                    self.fail(
                        "only slices and arrays can be enumerated on the device",
                        "count in a local of your own",
                    );
                }
            },
            Iter::Frags(place) => {
                let Val::Acc(acc) = self.read_place(place) else { return };
                let i: Vec<Value> = (0..acc.bm).map(|n| self.offset(acc.row, n)).collect();
                let j: Vec<Value> = (0..acc.bn).map(|n| self.offset(acc.col, n)).collect();
                let mut items = Vec::new();
                for (m, &i) in i.iter().enumerate() {
                    for (n, &j) in j.iter().enumerate() {
                        let frag = place.then(Proj::Frag(m * acc.bn as usize + n));
                        items.push(Val::Tuple(vec![Val::V(i), Val::V(j), Val::Ref(Box::new(frag))]));
                    }
                }
                self.unrolled(items, lp, body);
            }
        }
    }

    /// `base + n`
    pub(crate) fn offset(&mut self, base: Value, n: u32) -> Value {
        let n = self.u32(n);
        self.int_op(OpKind::Add, base, n)
    }

    /// Indices `first, first + step, …` below the length of a view.
    fn stripe(&mut self, buf: Value, first: Value, step: u32, lp: Loop, body: Each) {
        let len = self.b.op1(OpKind::BufferLen, &[buf]);
        let step = (step != 1).then(|| self.u32(step));
        let r = Range {
            lo: first,
            hi: len,
            inclusive: false,
            step,
            rev: false,
            rev_first: false,
        };
        self.range_loop(&r, lp, body);
    }

    /// One iteration after the other, while staging.
    fn unrolled(&mut self, items: Vec<Val>, lp: Loop, body: &dyn Fn(&mut Stage, &Val)) {
        if lp.stages > 0 {
            self.fail(
                "a loop over parts of a value cannot be pipelined",
                "remove `#[pipeline]`: this loop is unrolled",
            );
        }
        let out = lp.exits.then(|| self.slot("left", Val::V(Value(0))));
        if let Some(out) = out {
            self.slots[out.0].val = Val::V(self.bool(false));
        }
        for item in &items {
            match out {
                Some(out) => {
                    let left = self.flag_value(out);
                    self.if_value(left, &|_| Val::Unit, &|s| {
                        s.iteration(lp, Some(out), &|s| body(s, item));
                        Val::Unit
                    });
                }
                None => self.iteration(lp, None, &|s| body(s, item)),
            }
        }
    }

    /// The single iteration of an ownership loop, for those work-items that own something.
    fn owned(&mut self, owns: Option<Value>, lp: Loop, body: &dyn Fn(&mut Stage)) {
        if lp.unroll || lp.stages > 0 {
            self.fail(
                "a loop over what is owned has one iteration",
                "put the attribute on the loop inside it",
            );
        }
        match owns {
            Some(c) => {
                self.if_value(
                    c,
                    &|s| {
                        s.iteration(lp, None, body);
                        Val::Unit
                    },
                    &|_| Val::Unit,
                );
            }
            None => self.iteration(lp, None, body),
        }
    }

    /// Index of the work-item in the grid.
    pub(crate) fn thread_index(&mut self) -> Value {
        let group = self.pure(OpKind::GroupId { axis: 0 }, &[]);
        let size = self.b.func().group;
        let size = self.u32(size);
        let base = self.int_op(OpKind::Mul, group, size);
        let local = self.pure(OpKind::LocalId, &[]);
        self.int_op(OpKind::Add, base, local)
    }

    fn for_lanes(&mut self, buf: Value, lp: Loop, body: &dyn Fn(&mut Stage, &Val)) {
        let i = self.thread_index();
        let len = self.b.op1(OpKind::BufferLen, &[buf]);
        let owns = self.pure(OpKind::Cmp { pred: Pred::Lt }, &[i, len]);
        let item = Val::Tuple(vec![Val::V(i), Val::Ref(Box::new(Place::elem(buf, i)))]);
        self.owned(Some(owns), lp, &|s| body(s, &item));
    }

    fn for_waves(&mut self, m: [Value; 4], lp: Loop, body: &dyn Fn(&mut Stage, &Val)) {
        let group = self.pure(OpKind::GroupId { axis: 0 }, &[]);
        let waves = self.b.func().waves();
        let waves = self.u32(waves);
        let base = self.int_op(OpKind::Mul, group, waves);
        let wave = self.pure(OpKind::WaveId, &[]);
        let r = self.int_op(OpKind::Add, base, wave);
        let owns = self.pure(OpKind::Cmp { pred: Pred::Lt }, &[r, m[1]]);
        self.owned(Some(owns), lp, &|s| {
            let row = s.view_at(&m, r, m[2]);
            s.part_of(row, Part::Row(m[0]));
            body(s, &Val::Tuple(vec![Val::V(r), Val::View(row)]));
        });
    }

    fn for_groups(&mut self, m: [Value; 4], rows: u32, cols: u32, lp: Loop, body: &dyn Fn(&mut Stage, &Val)) {
        let mut origin = |axis, size| {
            let group = self.pure(OpKind::GroupId { axis }, &[]);
            let size = self.u32(size);
            self.int_op(OpKind::Mul, group, size)
        };
        let (col, row) = (origin(0, cols), origin(1, rows));
        self.name(row, "at.row");
        self.name(col, "at.col");
        let at = Val::Struct(vec![("row", Val::V(row)), ("col", Val::V(col))]);
        let tile = Val::Tile(TilePlace {
            mat: m,
            row,
            col,
            rows,
            cols,
            transposed: false,
        });
        let item = Val::Tuple(vec![at, tile]);
        self.owned(None, lp, &|s| body(s, &item));
    }

    /// Row `r` of a matrix; a row past the end has no element.
    pub(crate) fn row_view(&mut self, m: &[Value; 4], r: Value) -> Value {
        if self.checked {
            let row = self.view_at(m, r, m[2]);
            self.part_of(row, Part::Row(m[0]));
            return row;
        }
        let inside = self.pure(OpKind::Cmp { pred: Pred::Lt }, &[r, m[1]]);
        let none = self.u32(0);
        let len = self.select_value(inside, m[2], none);
        self.view_at(m, r, len)
    }

    fn view_at(&mut self, m: &[Value; 4], r: Value, len: Value) -> Value {
        let (r, stride) = (self.convert(r, Scalar::U64), self.convert(m[3], Scalar::U64));
        let offset = self.pure(OpKind::Mul, &[r, stride]);
        self.b.op1(OpKind::View, &[m[0], offset, len])
    }

    /// `&x[lo..hi]`; empty if the range does not lie inside.
    pub(crate) fn subview(&mut self, buf: Value, r: &Range) -> Val {
        if !self.expect(r.lo, Scalar::U32) || r.step.is_some() || r.rev {
            return self.poison();
        }
        let hi = if r.inclusive { self.offset(r.hi, 1) } else { r.hi };
        if self.checked {
            return self.checked_subview(buf, r.lo, hi);
        }
        let len = self.b.op1(OpKind::BufferLen, &[buf]);
        let ordered = self.pure(OpKind::Cmp { pred: Pred::Le }, &[r.lo, hi]);
        let ends = self.pure(OpKind::Cmp { pred: Pred::Le }, &[hi, len]);
        let inside = self.both(ordered, ends);
        let n = self.int_op(OpKind::Sub, hi, r.lo);
        let none = self.u32(0);
        let n = self.select_value(inside, n, none);
        let offset = self.convert(r.lo, Scalar::U64);
        Val::View(self.b.op1(OpKind::View, &[buf, offset, n]))
    }

    /// A loop over a range: an IR `for` where that says it, else a `while` over the index.
    fn range_loop(&mut self, r: &Range, lp: Loop, body: Each) {
        if r.step.and_then(|s| self.known_bits(s)) == Some(0) {
            self.fail("a step of 0 never ends", "use a step of at least 1");
            return;
        }
        let narrow = self.is_open(r.lo) || matches!(self.scalar(r.lo), Scalar::U32 | Scalar::I32);
        let end = self.exclusive_end(r);
        match end {
            Some(hi) if narrow && !lp.exits => {
                let step = self.step_as(r, r.lo);
                let base = r.rev.then(|| self.mirror(r, hi, step));
                self.counted(r.lo);
                self.for_op([r.lo, hi, step], lp.hints(), &|s, k| {
                    let i = match base {
                        Some(base) => s.pure(OpKind::Sub, &[base, k]),
                        None => k,
                    };
                    s.iteration(lp, None, &|s| body(s, i));
                });
            }
            _ => {
                if lp.unroll || lp.stages > 0 {
                    self.fail(
                        "this loop can be neither unrolled nor pipelined",
                        "such a loop counts a `u32`, `usize` or `i32` up to an end that is not included, and is not left early",
                    );
                    return;
                }
                self.walk(r, lp, body);
            }
        }
    }

    /// `k ↦ base − k` turns the way around: base = lo + last index.
    fn mirror(&mut self, r: &Range, hi: Value, step: Value) -> Value {
        let one = self.like(1, r.lo);
        let last = self.pure(OpKind::Sub, &[hi, one]);
        let last = if r.rev_first || r.step.is_none() {
            last
        } else {
            self.last_stepped(r.lo, last, step)
        };
        self.pure(OpKind::Add, &[last, r.lo])
    }

    /// `lo + (last − lo) / step · step`, unsigned.
    fn last_stepped(&mut self, lo: Value, last: Value, step: Value) -> Value {
        let span = self.pure(OpKind::Sub, &[last, lo]);
        let (span, step) = (self.as_unsigned(span), self.as_unsigned(step));
        let n = self.pure(OpKind::Div, &[span, step]);
        let up = self.pure(OpKind::Mul, &[n, step]);
        let up = if self.is_open(lo) {
            up
        } else {
            self.bitcast(up, self.scalar(lo))
        };
        self.pure(OpKind::Add, &[lo, up])
    }

    fn as_unsigned(&mut self, v: Value) -> Value {
        if self.is_open(v) {
            return v;
        }
        self.bitcast(v, Stage::unsigned(self.scalar(v)))
    }

    /// The end that is not included, if there is such a number.
    fn exclusive_end(&mut self, r: &Range) -> Option<Value> {
        if !r.inclusive {
            return Some(r.hi);
        }
        let max = match self.scalar(r.hi) {
            s if s.is_signed() => (1u64 << (s.bits() - 1)) - 1,
            s => crate::eval::mask(s),
        };
        let hi = self.known_bits(r.hi).filter(|&n| n < max)?;
        Some(self.like(hi + 1, r.hi))
    }

    /// A number of the type of `like`.
    fn like(&mut self, n: u64, like: Value) -> Value {
        if !self.is_open(like) {
            return self.constant(self.scalar(like), n);
        }
        match self.int(u128::from(n), None) {
            Val::V(v) => {
                self.unify(v, like);
                v
            }
            _ => like,
        }
    }

    /// The step in the type of the index; a step past the type's end is its end.
    fn step_as(&mut self, r: &Range, like: Value) -> Value {
        let Some(step) = r.step else { return self.like(1, like) };
        let scalar = self.scalar(like);
        let max = match scalar {
            s if s.is_signed() => (1u64 << (s.bits() - 1)) - 1,
            s => crate::eval::mask(s),
        };
        match self.known_bits(step) {
            Some(n) => self.like(n.min(max), like),
            None if self.is_open(like) => {
                self.expect(like, Scalar::U32);
                step
            }
            None => {
                let step = if max < u64::from(u32::MAX) {
                    let max = self.u32(max as u32);
                    self.pure(OpKind::Min, &[step, max])
                } else {
                    step
                };
                self.convert(step, scalar)
            }
        }
    }

    /// A range as a `while` over (index, go on?): no index ever wraps, any integer type, left early if need be.
    fn walk(&mut self, r: &Range, lp: Loop, body: Each) {
        let step = self.step_as(r, r.lo);
        let pred = if r.inclusive { Pred::Le } else { Pred::Lt };
        let some = self.pure(OpKind::Cmp { pred }, &[r.lo, r.hi]);
        let first = if r.rev { self.walk_last(r, step) } else { r.lo };
        let mark = self.slots.len();
        let (i, go) = (self.slot("", Val::V(first)), self.slot("", Val::V(some)));
        let out = lp.exits.then(|| self.slot("left", Val::Unit));
        if let Some(out) = out {
            self.slots[out.0].val = Val::V(self.bool(false));
        }
        let cond = |s: &mut Stage| {
            let go = s.flag_value(go);
            let Some(out) = out else { return go };
            let left = s.flag_value(out);
            let stay = s.pure(OpKind::Not, &[left]);
            s.both(go, stay)
        };
        self.while_op(&cond, &|s| {
            let now = s.flag_value(i);
            s.iteration(lp, out, &|s| body(s, now));
            s.advance(r, step, now, (i, go));
        });
        self.slots.truncate(mark);
    }

    fn walk_last(&mut self, r: &Range, step: Value) -> Value {
        let one = self.like(1, r.lo);
        let last = if r.inclusive {
            r.hi
        } else {
            self.pure(OpKind::Sub, &[r.hi, one])
        };
        if r.rev_first || r.step.is_none() {
            last
        } else {
            self.last_stepped(r.lo, last, step)
        }
    }

    /// The next index and whether there is one.
    fn advance(&mut self, r: &Range, step: Value, now: Value, (i, go): (VarId, VarId)) {
        let (end, kind) = if r.rev {
            (r.lo, OpKind::Sub)
        } else {
            (r.hi, OpKind::Add)
        };
        let (from, to) = if r.rev { (now, end) } else { (end, now) };
        let left = self.pure(OpKind::Sub, &[from, to]);
        let (left, by) = (self.as_unsigned(left), self.as_unsigned(step));
        // what is left of the range, counted from here: the end itself counts when it is included
        let pred = if r.rev || r.inclusive { Pred::Ge } else { Pred::Gt };
        let more = self.pure(OpKind::Cmp { pred }, &[left, by]);
        let next = self.pure(kind, &[now, step]);
        self.slots[i.0].val = Val::V(next);
        self.slots[go.0].val = Val::V(more);
    }

    /// Type of the elements of what is a buffer.
    pub(crate) fn elem(&self, buf: Value) -> Scalar {
        match self.ty(buf) {
            Ty::Buffer(s) => s,
            other => other.elem(),
        }
    }
}
