//! Checks of indices, where the kernel or its launch asks for them.
//!
//! An index is checked where its place is named, once, before anything is read or written there: as in Rust. What cannot
//! be out of range by its making (the elements of iterators, indices with a known largest value) has no check.

use crate::check::{Bound, Site};
use crate::func::Value;
use crate::op::{LdsId, OpKind, Pred};
use crate::stage::{Place, Root, Stage, Val};
use crate::ty::Ty;

/// What a view is a part of.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    /// A row of the matrix in a buffer.
    Row(Value),
    /// A range of a view.
    Range(Value),
}

/// How far the definition of an index is followed for its largest value.
const DEPTH: u32 = 8;

impl Stage {
    /// Remembers what a view is a part of.
    pub(crate) fn part_of(&mut self, view: Value, part: Part) {
        self.parts.insert(view, part);
    }

    /// What a view is, in the user's words.
    fn words(&self, view: Value) -> String {
        let name = self.b.func().values[view.0 as usize].name.as_ref();
        let part = self.parts.get(&view).map(|part| match part {
            Part::Row(of) => format!("a row of {}", self.words(*of)),
            Part::Range(of) => format!("a part of {}", self.words(*of)),
        });
        match (name, part) {
            (Some(name), Some(part)) => format!("`{name}` ({part})"),
            (Some(name), None) => format!("`{name}`"),
            (None, Some(part)) => part,
            (None, None) => "a slice".into(),
        }
    }

    /// `x[i]` of a view.
    pub(crate) fn check_element(&mut self, view: Value, index: Value) {
        if self.checked {
            let len = self.b.op1(OpKind::BufferLen, &[view]);
            let of = self.words(view);
            self.check(Pred::Lt, [index, len], [index, len], of, Bound::Length);
        }
    }

    /// `&m[r]` of a matrix.
    pub(crate) fn check_row(&mut self, m: &[Value; 4], row: Value) {
        if self.checked {
            let of = self.words(m[0]);
            self.check(Pred::Lt, [row, m[1]], [row, m[1]], of, Bound::Rows);
        }
    }

    /// `a[i]` of a `Shared` array.
    pub(crate) fn check_shared(&mut self, lds: LdsId, index: Value, len: u32) {
        if self.checked {
            let of = format!("`{}`", self.b.func().lds[lds.0 as usize].name);
            let len = self.u32(len);
            self.check(Pred::Lt, [index, len], [index, len], of, Bound::Length);
        }
    }

    /// `a[i]` of an array in registers. An index known while staging is judged there.
    pub(crate) fn check_array(&mut self, place: Option<&Place>, index: Value, len: usize) {
        if !self.checked || self.known_bits(index).is_some() {
            return;
        }
        let name = match place {
            Some(Place {
                root: Root::Var(id),
                path,
            }) if path.is_empty() => self.slots[id.0].name,
            _ => "",
        };
        let of = match name {
            "" => "an array".into(),
            name => format!("`{name}`"),
        };
        let len = self.u32(len as u32);
        self.check(Pred::Lt, [index, len], [index, len], of, Bound::Length);
    }

    /// `&x[lo..hi]`.
    pub(crate) fn checked_subview(&mut self, view: Value, lo: Value, hi: Value) -> Val {
        let of = self.words(view);
        self.check(Pred::Le, [lo, hi], [lo, hi], of.clone(), Bound::Order);
        let len = self.b.op1(OpKind::BufferLen, &[view]);
        self.check(Pred::Le, [hi, len], [hi, len], of, Bound::End);
        let n = self.int_op(OpKind::Sub, hi, lo);
        let offset = self.convert(lo, crate::ty::Scalar::U64);
        let part = self.b.op1(OpKind::View, &[view, offset, n]);
        self.part_of(part, Part::Range(view));
        Val::View(part)
    }

    /// `tile.frag(block, k)`.
    pub(crate) fn check_fragment(&mut self, tile: Value, block: Value, k: Value) {
        let Ty::LdsTile(ty) = self.ty(tile) else { return };
        if !self.checked {
            return;
        }
        let name = self.b.func().values[tile.0 as usize].name.as_ref();
        let of = name.map_or("a tile".into(), |n| format!("`{n}`"));
        let blocks = self.u32(ty.rows / 16);
        self.check(Pred::Lt, [block, blocks], [block, blocks], of.clone(), Bound::Blocks);
        let (ends, cols) = (self.u32((ty.cols + 1).saturating_sub(16)), self.u32(ty.cols));
        self.check(Pred::Lt, [k, ends], [k, cols], of, Bound::Columns);
    }

    /// Checks `left pred right` at the current place; `say`: the two numbers of the report.
    fn check(&mut self, pred: Pred, [left, right]: [Value; 2], say: [Value; 2], of: String, bound: Bound) {
        let most = self.most(left);
        let least = self.known_bits(right).unwrap_or(0);
        if most < least || (pred == Pred::Le && most == least) {
            return;
        }
        let ok = self.pure(OpKind::Cmp { pred }, &[left, right]);
        let span = self.b.span();
        let site = self.b.func_mut().site(Site { span, of, bound });
        self.b.op0(OpKind::Check { site }, &[ok, say[0], say[1]]);
    }

    /// A number that a `u32` is never above, from its definition.
    pub(crate) fn most(&self, v: Value) -> u64 {
        self.most_of(v, DEPTH)
    }

    fn most_of(&self, v: Value, depth: u32) -> u64 {
        const ANY: u64 = u32::MAX as u64;
        if let Some(n) = self.known_bits(v) {
            return n;
        }
        let func = self.b.func();
        let op = func.ops.iter().rev().find(|op| op.results.contains(&v));
        let (Some(op), true) = (op, depth > 0) else { return ANY };
        let arg = |n: usize| match func.ty(op.args[n]) {
            Ty::U32 => self.most_of(op.args[n], depth - 1),
            _ => ANY,
        };
        let n = match op.kind {
            OpKind::LaneId => 31,
            OpKind::WaveId => u64::from(func.waves().saturating_sub(1)),
            OpKind::LocalId => u64::from(func.group.saturating_sub(1)),
            OpKind::Add => arg(0) + arg(1),
            OpKind::Mul => arg(0) * arg(1),
            OpKind::Div => match self.known_bits(op.args[1]) {
                Some(by) if by > 0 => arg(0) / by,
                _ => ANY,
            },
            OpKind::Rem => match self.known_bits(op.args[1]) {
                Some(by) if by > 0 => by - 1,
                _ => ANY,
            },
            OpKind::Min | OpKind::And => arg(0).min(arg(1)),
            _ => ANY,
        };
        // what is above may have wrapped
        n.min(ANY)
    }
}
