//! Calls of associated functions, lifted constants, const generics, device functions.

use crate::eval::eval;
use crate::eval::Const;
use crate::func::Value;
use crate::op::{OpKind, Pred, Rmw};
use crate::stage::desc::Lifted;
use crate::stage::{At, Lift, Stage, TArg, TyDesc, Val};
use crate::ty::{Scalar, Ty};

/// How deep device functions may call each other: they are inlined, so this only stops recursion.
const MAX_CALLS: u32 = 64;

impl Stage {
    /// A Rust constant.
    pub fn lift<T: Lift>(&mut self, x: T) -> Val {
        let lifted = x.lift();
        self.lifted(&lifted)
    }

    fn lifted(&mut self, x: &Lifted) -> Val {
        match x {
            Lifted::Scalar(ty, bits) => Val::V(self.constant(*ty, *bits)),
            Lifted::Array(xs) => Val::Array(xs.iter().map(|x| self.lifted(x)).collect()),
            Lifted::Mark(m) => Val::Mark(m),
        }
    }

    /// A const generic argument.
    pub fn generic(&mut self, n: i64, ty: &TyDesc, at: At) -> Val {
        self.at(at);
        let ty = ty.scalar().unwrap_or(Scalar::U32);
        let c = Const::new(ty, n as u64);
        if c.int() != i128::from(n) {
            return self.fail(
                format!("{n} does not fit `{ty}`"),
                "use a number that fits the const generic's type",
            );
        }
        Val::V(self.constant(ty, c.bits))
    }

    /// `Type::name::<targs>(args)`
    pub fn assoc(&mut self, ty: &TyDesc, name: &'static str, targs: &[TArg], args: &[Val], at: At) -> Val {
        self.at(at);
        match (ty.named(), name, args) {
            (Some("Lds"), "load", [tile]) => self.lds_load(tile),
            (Some("Acc"), "zero", []) => self.acc_zero(ty),
            (Some("Shared"), "new", []) => self.shared(ty),
            (Some(_), _, [recv, rest @ ..]) => self.method(name, recv, targs, rest, at),
            _ => match ty {
                TyDesc::Scalar(s) => self.scalar_assoc(*s, name, args, at),
                _ => self.fail(
                    format!("`{name}` of this type is not known on the device"),
                    "call a `#[device]` function by its name",
                ),
            },
        }
    }

    fn scalar_assoc(&mut self, ty: Scalar, name: &'static str, args: &[Val], at: At) -> Val {
        match (name, args) {
            ("from_bits", [bits]) => {
                let Some(v) = self.value(bits) else {
                    return self.poison();
                };
                let from = super::method::bits_of(ty);
                if !self.expect(v, from) {
                    return self.poison();
                }
                Val::V(self.bitcast(v, ty))
            }
            ("from_f32", [x]) => self.convert_from(Scalar::F32, ty, x),
            ("from_f64", [x]) => self.convert_from(Scalar::F64, ty, x),
            ("from", [x]) => match self.value(x) {
                Some(v) => Val::V(self.convert(v, ty)),
                None => self.poison(),
            },
            ("default", []) => Val::V(self.constant(ty, 0)),
            (_, [recv, rest @ ..]) => {
                if let Some(v) = self.value(recv) {
                    if self.is_open(v) {
                        self.expect(v, ty);
                    }
                }
                self.method(name, recv, &[], rest, at)
            }
            _ => self.fail(
                format!("`{ty}::{name}` is not known on the device"),
                "use a method of the device vocabulary",
            ),
        }
    }

    fn convert_from(&mut self, from: Scalar, to: Scalar, x: &Val) -> Val {
        let Some(v) = self.value(x) else { return self.poison() };
        if !self.expect(v, from) {
            return self.poison();
        }
        Val::V(self.convert(v, to))
    }

    /// `T::NAME` of a type parameter.
    pub fn assoc_const(&mut self, ty: &TyDesc, name: &'static str, at: At) -> Val {
        self.at(at);
        let Some(s) = ty.scalar() else { return self.poison() };
        let number = match name {
            "ZERO" => 0,
            "ONE" => 1,
            _ => {
                return self.fail(
                    format!("`{name}` of a type parameter is not known on the device"),
                    "use `ZERO` or `ONE`",
                )
            }
        };
        let one = Const::new(Scalar::I32, number);
        match eval(&OpKind::Cast, &[one], Ty::Scalar(s)) {
            Some(c) => Val::V(self.constant(s, c.bits)),
            None => Val::V(self.constant(s, number)),
        }
    }

    /// Stages the body of a device function in place.
    pub fn call(&mut self, name: &'static str, body: &dyn Fn(&mut Stage) -> Val) -> Val {
        if self.calls >= MAX_CALLS {
            return self.fail(
                format!("`{name}` calls itself: device functions are inlined and cannot be recursive"),
                "write it as a loop",
            );
        }
        self.calls += 1;
        let mark = self.slots.len();
        let span = self.b.span();
        let out = body(self);
        self.b.set_span(span);
        self.slots.truncate(mark);
        self.calls -= 1;
        out
    }

    /// A type parameter that was not given: what the arguments whose types name it tell. Literals adopt the type of the
    /// others; if all are literals, what uses them tells it later.
    pub fn infer_ty_of(&mut self, args: &[&Val]) -> TyDesc {
        let mut open: Option<Value> = None;
        for arg in args {
            let target = match self.target(arg) {
                Val::Array(vs) => vs.first().cloned().unwrap_or(Val::Poison),
                other => other,
            };
            match target {
                Val::V(v) if self.is_open(v) => match open {
                    Some(first) => {
                        self.unify(first, v);
                    }
                    None => open = Some(v),
                },
                _ => match self.infer_ty(arg) {
                    TyDesc::Infer => {}
                    known => return known,
                },
            }
        }
        TyDesc::Infer
    }

    /// What one argument tells of a type parameter.
    fn infer_ty(&mut self, arg: &Val) -> TyDesc {
        let target = self.target(arg);
        let ty = match &target {
            Val::V(v) => match self.ty(*v) {
                Ty::Scalar(s) => s,
                other => other.elem(),
            },
            Val::View(b) | Val::Atomics(b) | Val::Lanes(b) => self.elem(*b),
            Val::Mat(m) | Val::Waves(m) | Val::Groups(m, ..) => self.elem(m[0]),
            Val::Tile(t) => self.elem(t.mat[0]),
            Val::Lds(t) => self.ty(*t).elem(),
            Val::Acc(a) => a.frags.first().map_or(Scalar::F32, |&f| self.ty(f).elem()),
            Val::Shared { elem, .. } => *elem,
            Val::Array(vs) => match vs.first() {
                Some(v) => return self.infer_ty(&v.clone()),
                None => return TyDesc::Infer,
            },
            Val::Ref(_) => match self.value(&target) {
                Some(v) => self.ty(v).elem(),
                None => return TyDesc::Infer,
            },
            _ => return TyDesc::Infer,
        };
        TyDesc::Scalar(ty)
    }

    /// Const parameters that were not given, from an argument whose type has them: shape or length.
    pub fn infer_const(&mut self, arg: &Val, n: usize) -> i64 {
        let pair = match self.target(arg) {
            Val::Array(vs) => [vs.len() as i64, 0],
            Val::Shared { len, .. } => [i64::from(len), 0],
            Val::Acc(a) => [i64::from(a.rows), i64::from(a.cols)],
            Val::Tile(t) => [i64::from(t.rows), i64::from(t.cols)],
            Val::Groups(_, r, c) => [i64::from(r), i64::from(c)],
            Val::Lds(t) => match self.ty(t) {
                Ty::LdsTile(t) => [i64::from(t.rows), i64::from(t.cols)],
                _ => [0, 0],
            },
            _ => [0, 0],
        };
        pair.get(n).copied().unwrap_or(0)
    }

    // ---- the functions of the vocabulary (surface) ----

    /// A value of the place the work-item is at.
    pub(crate) fn whereabouts(&mut self, kind: OpKind) -> Val {
        Val::V(self.pure(kind, &[]))
    }

    /// Reduction over the wave.
    pub(crate) fn wave_reduce(&mut self, op: Rmw, args: &[Val]) -> Val {
        self.wave_op(OpKind::WaveReduce { op }, args)
    }

    /// An operation on one value over the wave.
    pub(crate) fn wave_op(&mut self, kind: OpKind, args: &[Val]) -> Val {
        let Some(v) = args.first().and_then(|v| self.value(v)) else {
            return self.poison();
        };
        // unlike `pure`, never folded: the sum of a constant over the lanes is not the constant
        let same = matches!(kind.row().result, crate::op::ResultRule::Operand(_));
        let out = self.b.op1(kind, &[v]);
        if same {
            self.follow(out, v);
        }
        Val::V(out)
    }

    /// A value from another lane.
    pub(crate) fn wave_from(&mut self, kind: OpKind, args: &[Val]) -> Val {
        let [v, lane] = args else { return self.poison() };
        let (Some(v), Some(lane)) = (self.value(v), self.index_value(lane)) else {
            return self.poison();
        };
        let out = self.b.op1(kind, &[v, lane]);
        self.follow(out, v);
        Val::V(out)
    }

    /// `wave::shuffle_xor`: the mask is part of the instruction.
    pub(crate) fn wave_xor(&mut self, args: &[Val]) -> Val {
        let [v, m] = args else { return self.poison() };
        let (Some(_), Some(m)) = (self.value(v), self.index_value(m)) else {
            return self.poison();
        };
        match self.known_bits(m) {
            Some(m) if m < 32 => self.wave_op(OpKind::WaveShuffleXor { mask: m as u32 }, &args[..1]),
            Some(m) => self.fail(format!("mask {m} leaves the wave of 32 lanes"), "use a mask below 32"),
            None => self.fail(
                "the mask of `wave::shuffle_xor` must be known at compile time",
                "use a literal or a const generic, or `wave::shuffle(x, lane::id() ^ mask)`",
            ),
        }
    }

    /// Does any (all) of the wave's lanes say yes?
    pub(crate) fn wave_vote(&mut self, all: bool, args: &[Val]) -> Val {
        let Some(mut v) = args.first().and_then(|v| self.value(v)) else {
            return self.poison();
        };
        if all {
            v = self.pure(OpKind::Not, &[v]);
        }
        let votes = self.b.op1(OpKind::WaveBallot, &[v]);
        let none = self.u32(0);
        let pred = if all { Pred::Eq } else { Pred::Ne };
        Val::V(self.compare(pred, votes, none))
    }

    /// `group::barrier()`
    pub(crate) fn barrier(&mut self) -> Val {
        self.b.op0(OpKind::Barrier, &[]);
        Val::Unit
    }

    /// `group::size()`
    pub(crate) fn group_size(&mut self) -> Val {
        let n = self.b.func().group;
        Val::V(self.u32(n))
    }

    /// `thread::index()`
    pub(crate) fn thread(&mut self) -> Val {
        Val::V(self.thread_index())
    }
}
