//! Operators and casts.

use crate::eval::{eval, Const};
use crate::func::Value;
use crate::op::{OpKind, Pred};
use crate::stage::{At, Root, Stage, TyDesc, Val};
use crate::ty::{Scalar, Ty};

/// A binary operator.
#[allow(missing_docs)] // named like the operators' traits
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl BinOp {
    fn pred(self) -> Option<Pred> {
        Some(match self {
            BinOp::Eq => Pred::Eq,
            BinOp::Ne => Pred::Ne,
            BinOp::Lt => Pred::Lt,
            BinOp::Le => Pred::Le,
            BinOp::Gt => Pred::Gt,
            BinOp::Ge => Pred::Ge,
            _ => return None,
        })
    }

    fn kind(self) -> OpKind {
        match self {
            BinOp::Add => OpKind::Add,
            BinOp::Sub => OpKind::Sub,
            BinOp::Mul => OpKind::Mul,
            BinOp::Div => OpKind::Div,
            BinOp::Rem => OpKind::Rem,
            BinOp::And => OpKind::And,
            BinOp::Or => OpKind::Or,
            BinOp::Xor => OpKind::Xor,
            BinOp::Shl => OpKind::Shl,
            BinOp::Shr => OpKind::Shr,
            BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => OpKind::Cmp {
                pred: self.pred().unwrap_or(Pred::Eq),
            },
        }
    }
}

/// A unary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnOp {
    /// `-a`
    Neg,
    /// `!a`
    Not,
}

impl Stage {
    /// `a op b`
    pub fn binary(&mut self, op: BinOp, a: &Val, b: &Val, at: At) -> Val {
        self.at(at);
        let (Some(x), Some(y)) = (self.value(a), self.value(b)) else {
            return self.poison();
        };
        Val::V(match op {
            BinOp::Shl | BinOp::Shr => {
                let y = self.shift_amount(y);
                self.pure(op.kind(), &[x, y])
            }
            _ => {
                if !self.unify(x, y) {
                    return self.poison();
                }
                match op.pred() {
                    Some(pred) => self.compare(pred, x, y),
                    None => self.pure(op.kind(), &[x, y]),
                }
            }
        })
    }

    /// The number of bits to shift by, as the `u32` the operation takes.
    pub(crate) fn shift_amount(&mut self, y: Value) -> Value {
        if self.is_open(y) {
            self.expect(y, Scalar::U32);
        }
        match self.scalar(y) {
            Scalar::U32 => y,
            _ => self.convert(y, Scalar::U32),
        }
    }

    /// A comparison of two values of one type; those of `bool` are boolean arithmetic.
    pub(crate) fn compare(&mut self, pred: Pred, x: Value, y: Value) -> Value {
        if self.ty(x) != Ty::BOOL {
            return self.pure(OpKind::Cmp { pred }, &[x, y]);
        }
        let (kind, x, y, negate) = match pred {
            Pred::Ne => (OpKind::Xor, x, y, false),
            Pred::Eq => (OpKind::Xor, x, y, true),
            // x < y is !x & y; x <= y is !(y < x)
            Pred::Lt => (OpKind::And, self.pure(OpKind::Not, &[x]), y, false),
            Pred::Gt => (OpKind::And, self.pure(OpKind::Not, &[y]), x, false),
            Pred::Le => (OpKind::And, self.pure(OpKind::Not, &[y]), x, true),
            Pred::Ge => (OpKind::And, self.pure(OpKind::Not, &[x]), y, true),
        };
        let v = self.pure(kind, &[x, y]);
        if negate {
            self.pure(OpKind::Not, &[v])
        } else {
            v
        }
    }

    /// `-a`, `!a`
    pub fn unary(&mut self, op: UnOp, a: &Val, at: At) -> Val {
        self.at(at);
        let Some(x) = self.value(a) else { return self.poison() };
        let kind = match op {
            UnOp::Neg => OpKind::Neg,
            UnOp::Not => OpKind::Not,
        };
        Val::V(self.pure(kind, &[x]))
    }

    /// A pure operation whose row gives its result type: folded if everything is known.
    pub(crate) fn pure(&mut self, kind: OpKind, args: &[Value]) -> Value {
        if let Some(v) = self.fold(&kind, args) {
            return v;
        }
        let like = match kind.row().result {
            crate::op::ResultRule::Operand(n) => Some(args[n]),
            _ => None,
        };
        let v = self.b.op1(kind, args);
        if let Some(like) = like {
            self.follow(v, like);
        }
        v
    }

    fn fold(&mut self, kind: &OpKind, args: &[Value]) -> Option<Value> {
        let mut known = Vec::with_capacity(args.len());
        for &a in args {
            if self.is_open(a) {
                return None;
            }
            known.push(Const::new(self.ty(a).scalar()?, *self.known.get(&a)?));
        }
        let result = match kind.row().result {
            crate::op::ResultRule::Operand(n) => self.ty(args[n]),
            crate::op::ResultRule::Always(t) => t,
            _ => return None,
        };
        let c = eval(kind, &known, result)?;
        Some(self.constant(c.ty, c.bits))
    }

    /// A binary operation on integers, with the identities of 0 and 1.
    pub(crate) fn int_op(&mut self, kind: OpKind, x: Value, y: Value) -> Value {
        match (&kind, self.known_bits(x), self.known_bits(y)) {
            (OpKind::Add | OpKind::Sub, _, Some(0)) | (OpKind::Mul | OpKind::Div, _, Some(1)) => x,
            (OpKind::Add, Some(0), _) | (OpKind::Mul, Some(1), _) => y,
            _ => self.pure(kind, &[x, y]),
        }
    }

    /// `a as ty`
    pub fn cast(&mut self, a: &Val, ty: &TyDesc, at: At) -> Val {
        self.at(at);
        let Some(x) = self.value(a) else { return self.poison() };
        match ty.scalar() {
            Some(s) => Val::V(self.convert(x, s)),
            None if *ty == TyDesc::Infer => Val::V(x),
            None => self.fail("the device casts between numbers only", "cast to a number type"),
        }
    }

    /// A literal cast to a type of another kind (`3 as f32`): rustc gives it its fallback type first.
    pub fn cast_literal(&mut self, a: &Val, ty: &TyDesc, at: At) -> Val {
        self.at(at);
        if let Val::V(v) = a {
            if self.is_open(*v) {
                let float = self.ty(*v) == Ty::Scalar(Scalar::F64);
                self.expect(*v, if float { Scalar::F64 } else { Scalar::I32 });
            }
        }
        self.cast(a, ty, at)
    }

    /// Rust's `as` between scalars.
    pub(crate) fn convert(&mut self, x: Value, to: Scalar) -> Value {
        if !self.is_open(x) {
            if self.ty(x) == Ty::Scalar(to) {
                return x;
            }
            if let (Some(s), Some(&bits)) = (self.ty(x).scalar(), self.known.get(&x)) {
                if let Some(c) = eval(&OpKind::Cast, &[Const::new(s, bits)], Ty::Scalar(to)) {
                    return self.constant(c.ty, c.bits);
                }
            }
        }
        self.b.op1_as(OpKind::Cast, &[x], Ty::Scalar(to))
    }

    /// The same bits as another type of the same width.
    pub(crate) fn bitcast(&mut self, x: Value, to: Scalar) -> Value {
        if self.ty(x) == Ty::Scalar(to) {
            return x;
        }
        if let Some(&bits) = self.known.get(&x) {
            return self.constant(to, bits);
        }
        self.b.op1_as(OpKind::Bitcast, &[x], Ty::Scalar(to))
    }

    /// `let x: ty = val`: closes the type of a literal.
    pub fn ascribe(&mut self, val: &Val, ty: &TyDesc) -> Val {
        match (val, ty) {
            (Val::V(v), TyDesc::Scalar(s)) if self.is_open(*v) => {
                self.expect(*v, *s);
            }
            (Val::Array(vs), TyDesc::Array(e, _)) => vs.iter().for_each(|v| {
                self.ascribe(v, e);
            }),
            (Val::Tuple(vs), TyDesc::Tuple(ts)) => vs.iter().zip(ts).for_each(|(v, t)| {
                self.ascribe(v, t);
            }),
            (Val::Ref(p), TyDesc::Ref(to)) if matches!(p.root, Root::Var(_)) => {
                let behind = self.read_place(p);
                self.ascribe(&behind, to);
            }
            // a shared reference to a local is its value
            (_, TyDesc::Ref(to)) if !matches!(val, Val::Ref(_)) => {
                self.ascribe(val, to);
            }
            (Val::Array(vs), TyDesc::Slice(e)) => vs.iter().for_each(|v| {
                self.ascribe(v, e);
            }),
            _ => {}
        }
        val.clone()
    }

    /// The value of a struct's field of this type. Literals take the type; where it is not known, what uses them has to
    /// tell it: rustc knows the field's type, so its fallback for literals would be wrong here.
    pub fn field_value(&mut self, val: &Val, ty: &TyDesc, at: At) -> Val {
        self.at(at);
        if *ty == TyDesc::Infer {
            for v in val.leaves() {
                self.no_fallback(v);
            }
        }
        self.ascribe(val, ty)
    }

    /// `(a, b)`
    pub fn tuple(&mut self, parts: &[Val]) -> Val {
        if parts.is_empty() {
            return Val::Unit;
        }
        Val::Tuple(parts.to_vec())
    }

    /// `[a, b]`
    pub fn array(&mut self, parts: &[Val]) -> Val {
        for pair in parts.windows(2) {
            if let (Val::V(a), Val::V(b)) = (&pair[0], &pair[1]) {
                self.unify(*a, *b);
            }
        }
        Val::Array(parts.to_vec())
    }

    /// `[a; N]`
    pub fn repeat(&mut self, val: &Val, n: i64, at: At) -> Val {
        self.at(at);
        match usize::try_from(n) {
            Ok(n) if n <= 256 => Val::Array(vec![val.clone(); n]),
            _ => self.fail(
                format!("an array of {n} elements does not fit into registers"),
                "use at most 256 elements, or `Shared` for larger ones",
            ),
        }
    }

    /// `Name { field: val }`
    pub fn structure(&mut self, fields: &[(&'static str, Val)]) -> Val {
        Val::Struct(fields.to_vec())
    }
}
