//! What is known about numbers where code is being emitted, from their definitions and from the conditions around: what divides
//! them, and what they are below of that is no constant (`t0_ir::analysis::ranges` knows of those).

use super::Select;
use crate::mir::Sub;
use t0_ir::{OpKind, ParamKind, Pred, Scalar, Ty, Value};

/// How far definitions are followed.
const DEPTH: u32 = 12;

/// Facts that hold inside the constructs around the current place.
#[derive(Default)]
pub struct Facts {
    /// `index < length`.
    below: Vec<(Value, Value)>,
    /// A multiple of a power of two.
    multiple: Vec<(Value, u32)>,
    /// Quotients there are: dividend, divisor, quotient.
    quotients: Vec<(Value, Value, Sub)>,
}

/// How many facts there were.
#[derive(Clone, Copy)]
pub struct Mark {
    below: usize,
    multiple: usize,
    quotients: usize,
}

impl Select<'_> {
    /// How many facts there are, to go back to at the end of a construct.
    pub(super) fn facts_mark(&self) -> Mark {
        Mark {
            below: self.facts.below.len(),
            multiple: self.facts.multiple.len(),
            quotients: self.facts.quotients.len(),
        }
    }

    /// Forgets the facts since a mark.
    pub(super) fn facts_reset(&mut self, mark: Mark) {
        self.facts.below.truncate(mark.below);
        self.facts.multiple.truncate(mark.multiple);
        self.facts.quotients.truncate(mark.quotients);
    }

    /// Notes a quotient.
    pub(super) fn note_quotient(&mut self, args: &[Value], q: Sub) {
        self.facts.quotients.push((args[0], args[1], q));
    }

    /// The quotient of two numbers, if there is one already.
    pub(super) fn quotient(&self, args: &[Value]) -> Option<Sub> {
        let same = |&&(a, b, _): &&(Value, Value, Sub)| [a, b] == *args;
        self.facts.quotients.iter().find(same).map(|&(.., q)| q)
    }

    /// Notes that `index < length`.
    pub(super) fn assume_below(&mut self, index: Value, length: Value) {
        self.facts.below.push((index, length));
    }

    /// Notes what follows from a condition being true.
    pub(super) fn assume(&mut self, cond: Value) {
        let Some(id) = self.def[cond.0 as usize] else { return };
        let op = self.f.op(id);
        let args = &op.args;
        let unsigned = args.first().is_some_and(|&a| self.ty(a) == Ty::U32);
        match op.kind {
            OpKind::Cmp { pred: Pred::Lt } if unsigned => self.assume_below(args[0], args[1]),
            OpKind::Cmp { pred: Pred::Gt } if unsigned => self.assume_below(args[1], args[0]),
            OpKind::Cmp { pred: Pred::Eq } if unsigned => {
                for (x, zero) in [(args[0], args[1]), (args[1], args[0])] {
                    if self.number(zero) == Some(0) {
                        self.assume_low_bits_zero(x);
                    }
                }
            }
            OpKind::And => {
                self.assume(args[0]);
                self.assume(args[1]);
            }
            _ => {}
        }
    }

    /// `x & (2^k - 1)` is 0.
    fn assume_low_bits_zero(&mut self, masked: Value) {
        let Some(op) = self.def[masked.0 as usize].map(|id| self.f.op(id)) else {
            return;
        };
        if op.kind != OpKind::And {
            return;
        }
        for (x, mask) in [(op.args[0], op.args[1]), (op.args[1], op.args[0])] {
            if let Some(m) = self.number(mask).map(|k| k as u32 + 1).filter(|m| m.is_power_of_two()) {
                self.assume_multiple(x, m);
            }
        }
    }

    fn assume_multiple(&mut self, x: Value, m: u32) {
        self.facts.multiple.push((x, m));
        // An `or` has zeros where all its operands have.
        if let Some(op) = self.def[x.0 as usize]
            .map(|id| self.f.op(id))
            .filter(|o| o.kind == OpKind::Or)
        {
            op.args.iter().for_each(|&a| self.assume_multiple(a, m));
        }
    }

    /// The constant a value is defined as.
    fn number(&self, v: Value) -> Option<u64> {
        match self.def[v.0 as usize].map(|id| &self.f.op(id).kind) {
            Some(OpKind::Const { bits, .. }) => Some(*bits),
            _ => None,
        }
    }

    /// Whether an index is a multiple of the power of two `m`, or the largest `u32`, which is past the end of every view.
    pub(super) fn index_is_multiple(&self, v: Value, m: u32) -> bool {
        let op = self.def[v.0 as usize].map(|id| self.f.op(id));
        match op.map(|o| (&o.kind, &o.args)) {
            Some((OpKind::Const { bits, .. }, _)) if *bits == u64::from(u32::MAX) => true,
            Some((OpKind::Select, args)) => args[1..].iter().all(|&a| self.index_is_multiple(a, m)),
            _ => self.is_multiple(v, m, DEPTH),
        }
    }

    /// Whether a number is a multiple of the power of two `m`.
    fn is_multiple(&self, v: Value, m: u32, depth: u32) -> bool {
        if self.facts.multiple.iter().any(|&(x, known)| x == v && known >= m) {
            return true;
        }
        if let Some(k) = self.number(v) {
            return k % u64::from(m) == 0;
        }
        if depth == 0 {
            return false;
        }
        let known = |v: Value| self.is_multiple(v, m, depth - 1);
        if let Some(&id) = self.loops.get(&v) {
            let args = &self.f.op(id).args;
            return known(args[0]) && known(args[2]);
        }
        let Some(op) = self.def[v.0 as usize].map(|id| self.f.op(id)) else {
            return false;
        };
        let args = &op.args;
        match op.kind {
            OpKind::Add | OpKind::Sub | OpKind::Or | OpKind::Xor => args.iter().all(|&a| known(a)),
            OpKind::Min | OpKind::Max => args.iter().all(|&a| known(a)),
            OpKind::Select => args[1..].iter().all(|&a| known(a)),
            OpKind::And | OpKind::Mul => args.iter().any(|&a| known(a)),
            OpKind::Shl => match self.number(args[1]) {
                Some(k) => 1u64 << (k & 31) >= u64::from(m) || known(args[0]),
                None => false,
            },
            OpKind::Cast => matches!(self.ty(args[0]), Ty::U32 | Ty::Scalar(Scalar::U64)) && known(args[0]),
            OpKind::BufferLen => self.length_is_multiple(args[0], m, depth - 1),
            _ => false,
        }
    }

    /// Whether the length of a view is a multiple of the power of two `m`.
    pub(super) fn view_is_multiple(&self, view: Value, m: u32) -> bool {
        self.length_is_multiple(view, m, DEPTH)
    }

    fn length_is_multiple(&self, view: Value, m: u32, depth: u32) -> bool {
        let is_len_of = |v: Value| {
            let op = self.def[v.0 as usize].map(|id| self.f.op(id));
            op.is_some_and(|o| o.kind == OpKind::BufferLen && o.args[0] == view)
        };
        if self.facts.multiple.iter().any(|&(x, known)| known >= m && is_len_of(x)) {
            return true;
        }
        if let Some(op) = self.def[view.0 as usize].map(|id| self.f.op(id)) {
            return op.kind == OpKind::View && depth > 0 && self.is_multiple(op.args[2], m, depth - 1);
        }
        // A matrix is (rows - 1) * stride + cols elements long, or 0.
        let mut first = 0;
        for p in &self.f.params {
            let values = &self.f.body.args[first..];
            first += p.kind.values().len();
            if let (ParamKind::Mat(..), true) = (p.kind, values[0] == view) {
                return depth > 0 && values[2..4].iter().all(|&v| self.is_multiple(v, m, depth - 1));
            }
        }
        false
    }

    /// Whether a condition around this place says that the first number is below the second.
    pub(super) fn known_below(&self, index: Value, length: Value) -> bool {
        self.facts.below.contains(&(index, length))
    }

    /// Whether a condition around this place says that the index is below the view's length.
    pub(super) fn below_length(&self, index: Value, view: Value) -> bool {
        let view_len = self.def[view.0 as usize]
            .map(|id| self.f.op(id))
            .filter(|o| o.kind == OpKind::View)
            .map(|o| o.args[2]);
        self.facts.below.iter().any(|&(i, len)| {
            let of = self.def[len.0 as usize].map(|id| self.f.op(id));
            let is_len = of.is_some_and(|o| o.kind == OpKind::BufferLen && o.args[0] == view);
            i == index && (is_len || Some(len) == view_len)
        })
    }
}
