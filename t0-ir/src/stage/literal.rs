//! Bare literals: values whose type is still open.
//!
//! `0.0` in `let mut sum = 0.0` is an f32 because of what is added to it three lines later. A literal starts with an open
//! type, shared with every value computed from it (a *class*); the first typed value the class meets closes it, and all its
//! members change type at once, wherever they already stand in the IR. What is never closed falls back as in rustc: `i32`,
//! `f64`. Constants of the class get their bits when it closes, from the digits as written: an f32 literal is rounded once.

use std::collections::HashMap;

use crate::diag::Diag;
use crate::func::{Func, OpId, Region, Span, Value};
use crate::op::OpKind;
use crate::stage::{Stage, Val};
use crate::ty::{Scalar, Ty};

/// A literal as written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Digits {
    Int(u128),
    Float(&'static str),
}

impl Digits {
    /// The literal's bits as a `ty`; `None` if it does not fit.
    fn bits(self, ty: Scalar) -> Option<u64> {
        match self {
            Digits::Int(n) if ty.is_int() => {
                let max = if ty.is_signed() {
                    1u128 << (ty.bits() - 1)
                } else {
                    (1u128 << ty.bits()) - 1
                };
                (n <= max).then_some(n as u64)
            }
            Digits::Int(n) => Digits::float(&n.to_string(), ty),
            Digits::Float(text) => Digits::float(text, ty),
        }
    }

    fn float(text: &str, ty: Scalar) -> Option<u64> {
        match ty {
            Scalar::F32 => text.parse::<f32>().ok().map(|x| u64::from(x.to_bits())),
            Scalar::F64 => text.parse::<f64>().ok().map(f64::to_bits),
            _ => None,
        }
    }
}

#[derive(Clone, Debug, Default)]
struct Class {
    float: bool,
    members: Vec<Value>,
    literals: Vec<(OpId, Value, Digits)>,
}

/// The open classes.
#[derive(Debug, Default)]
pub(crate) struct Open {
    class_of: HashMap<Value, usize>,
    classes: Vec<Class>,
    /// Values whose type rustc knows from something staging does not see, with where they stand.
    no_fallback: Vec<(Value, Span)>,
    /// Indices of loops built as `for`, which counts 32 bits, with where the loops stand.
    counted: Vec<(Value, Span)>,
}

impl Stage {
    /// An integer literal; `ty` from its suffix or from the cast around it.
    pub fn int(&mut self, digits: u128, ty: Option<Scalar>) -> Val {
        self.literal(Digits::Int(digits), ty)
    }

    /// A float literal.
    pub fn float(&mut self, digits: &'static str, ty: Option<Scalar>) -> Val {
        self.literal(Digits::Float(digits), ty)
    }

    /// `true`, `false`.
    pub fn boolean(&mut self, b: bool) -> Val {
        Val::V(self.bool(b))
    }

    fn literal(&mut self, digits: Digits, ty: Option<Scalar>) -> Val {
        if let Some(ty) = ty {
            return match digits.bits(ty) {
                Some(bits) => Val::V(self.constant(ty, bits)),
                None => self.too_big(ty),
            };
        }
        let float = matches!(digits, Digits::Float(_));
        let fallback = if float { Scalar::F64 } else { Scalar::I32 };
        let v = self.b.constant(fallback, 0);
        let op = OpId(self.b.func().ops.len() as u32 - 1);
        self.open.class_of.insert(v, self.open.classes.len());
        self.open.classes.push(Class {
            float,
            members: vec![v],
            literals: vec![(op, v, digits)],
        });
        Val::V(v)
    }

    fn too_big(&mut self, ty: Scalar) -> Val {
        self.fail(
            format!("this number does not fit `{ty}`"),
            "a `usize` is a 32-bit index on the device; use a smaller number or a 64-bit type",
        )
    }

    /// Is the value's type still open?
    pub(crate) fn is_open(&self, v: Value) -> bool {
        self.open.class_of.contains_key(&v)
    }

    /// Bits of a literal whose type is open, as an integer.
    pub(crate) fn open_bits(&self, v: Value) -> Option<u64> {
        let class = self.open.classes.get(*self.open.class_of.get(&v)?)?;
        let (_, _, digits) = class.literals.iter().find(|l| l.1 == v)?;
        match digits {
            Digits::Int(n) => u64::try_from(*n).ok(),
            Digits::Float(_) => None,
        }
    }

    /// `new` has the type of `like`, open or not.
    pub(crate) fn follow(&mut self, new: Value, like: Value) {
        if let Some(&c) = self.open.class_of.get(&like) {
            if self.open.class_of.insert(new, c).is_none() {
                self.open.classes[c].members.push(new);
            }
        }
    }

    /// Both have the same type from now on. `false` (and a finding) if they cannot.
    pub(crate) fn unify(&mut self, a: Value, b: Value) -> bool {
        match (self.open.class_of.get(&a).copied(), self.open.class_of.get(&b).copied()) {
            (Some(x), Some(y)) => {
                self.join(x, y);
                true
            }
            (Some(_), None) => self.close(a, self.ty(b)),
            (None, Some(_)) => self.close(b, self.ty(a)),
            (None, None) if self.ty(a) == self.ty(b) => true,
            (None, None) => {
                let (a, b) = (self.ty(a), self.ty(b));
                self.mismatch(&a.to_string(), &b.to_string())
            }
        }
    }

    /// The value has this scalar type from now on.
    pub(crate) fn expect(&mut self, v: Value, ty: Scalar) -> bool {
        if self.is_open(v) {
            return self.close(v, Ty::Scalar(ty));
        }
        self.ty(v) == Ty::Scalar(ty) || {
            let have = self.ty(v);
            self.mismatch(&have.to_string(), ty.name())
        }
    }

    fn mismatch(&mut self, a: &str, b: &str) -> bool {
        self.fail(
            format!("a value of type `{a}` meets one of type `{b}` here"),
            "rustc accepted this, so the type of a literal was guessed wrong: write it with its type, as in `0.0f32`",
        );
        false
    }

    fn join(&mut self, x: usize, y: usize) {
        if x == y {
            return;
        }
        let moved = std::mem::take(&mut self.open.classes[y]);
        for &m in &moved.members {
            self.open.class_of.insert(m, x);
        }
        let to = &mut self.open.classes[x];
        to.float |= moved.float;
        to.members.extend(moved.members);
        to.literals.extend(moved.literals);
    }

    fn close(&mut self, v: Value, ty: Ty) -> bool {
        let Some(&c) = self.open.class_of.get(&v) else {
            return true;
        };
        let float = self.open.classes[c].float;
        let scalar = match ty {
            Ty::Scalar(s) if if float { s.is_float() } else { s.is_int() } => s,
            _ => return self.mismatch(if float { "{float}" } else { "{integer}" }, &ty.to_string()),
        };
        let class = std::mem::take(&mut self.open.classes[c]);
        for m in class.members {
            self.open.class_of.remove(&m);
            self.b.func_mut().values[m.0 as usize].ty = Ty::Scalar(scalar);
        }
        for (op, v, digits) in class.literals {
            match digits.bits(scalar) {
                Some(bits) => {
                    self.b.func_mut().op_mut(op).kind = OpKind::Const { ty: scalar, bits };
                    self.known.insert(v, bits);
                }
                None => {
                    let span = self.b.func().op(op).span;
                    let saved = self.b.span();
                    self.b.set_span(span);
                    self.too_big(scalar);
                    self.b.set_span(saved);
                }
            }
        }
        true
    }

    /// The type of this value, if open, has to be found: to fall back would be to guess.
    pub(crate) fn no_fallback(&mut self, v: Value) {
        if self.is_open(v) {
            let span = self.b.span();
            self.open.no_fallback.push((v, span));
        }
    }

    /// This index of a `for`, if open, has to become one of 32 bits.
    pub(crate) fn counted(&mut self, v: Value) {
        if self.is_open(v) {
            let span = self.b.span();
            self.open.counted.push((v, span));
        }
    }

    /// Gives what is still open rustc's fallback type.
    pub(crate) fn close_literals(&mut self) {
        for (v, span) in std::mem::take(&mut self.open.no_fallback) {
            if self.is_open(v) {
                let diag = Diag::new(span, "the type of this number is not known to the device compiler");
                self.diag(diag.help("write the number with its type where it is made, as in `250u8`"));
            }
        }
        for c in 0..self.open.classes.len() {
            let class = &self.open.classes[c];
            let ty = if class.float { Ty::Scalar(Scalar::F64) } else { Ty::I32 };
            if let Some(&v) = class.members.first() {
                self.close(v, ty);
            }
        }
        for (v, span) in std::mem::take(&mut self.open.counted) {
            let ty = self.scalar(v);
            if !matches!(ty, Scalar::U32 | Scalar::I32) {
                let message = format!("this loop counts a `{ty}`, which is known only from what follows it");
                let help = format!("write the type at an end of the range, as in `0..10{ty}`");
                self.diag(Diag::new(span, message).help(help));
            }
        }
    }
}

/// Removes casts from a type to itself: the source's type was still open when the cast was built.
pub(crate) fn drop_identity_casts(func: &mut Func) {
    let mut same = HashMap::new();
    for op in &func.ops {
        if op.kind == OpKind::Cast && func.ty(op.args[0]) == func.ty(op.results[0]) {
            same.insert(op.results[0], op.args[0]);
        }
    }
    if same.is_empty() {
        return;
    }
    for op in &mut func.ops {
        for a in &mut op.args {
            while let Some(&b) = same.get(a) {
                *a = b;
            }
        }
    }
    let dead: Vec<bool> = func
        .ops
        .iter()
        .map(|o| o.results.first().is_some_and(|r| same.contains_key(r)))
        .collect();
    let keep = |region: &mut Region| region.ops.retain(|id| !dead[id.0 as usize]);
    keep(&mut func.body);
    for op in &mut func.ops {
        op.regions.iter_mut().for_each(keep);
    }
}
