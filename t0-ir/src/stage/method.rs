//! Methods by name.

use crate::eval::mask;
use crate::func::Value;
use crate::op::{OpKind, Pred};
use crate::stage::{At, Iter, Place, Root, Stage, TArg, TilePlace, Val};
use crate::ty::{Scalar, Ty};

impl Stage {
    /// `recv.name::<targs>(args)`; the receiver as a place.
    pub fn method(&mut self, name: &'static str, recv: &Val, targs: &[TArg], args: &[Val], at: At) -> Val {
        self.at(at);
        let target = self.target(recv);
        match (&target, name, args) {
            (Val::Poison | Val::Never | Val::Uninit, ..) => Val::Poison,
            (_, "clone" | "to_owned", []) => self.full(&target),
            (Val::View(b) | Val::Lanes(b) | Val::Atomics(b), "len", []) => Val::V(self.b.op1(OpKind::BufferLen, &[*b])),
            (Val::View(b), "is_empty", []) => {
                let (len, zero) = (self.b.op1(OpKind::BufferLen, &[*b]), self.u32(0));
                Val::V(self.compare(Pred::Eq, len, zero))
            }
            (Val::View(b), "lanes" | "lanes_mut", []) => iter(Iter::Lanes(*b)),
            (Val::View(b), "iter", []) => iter(Iter::Elems(*b)),
            (Val::View(b), "get_unchecked", [i]) => match self.index_value(i) {
                Some(i) => {
                    self.check_element(*b, i);
                    Val::Ref(Box::new(Place::elem(*b, i)))
                }
                None => self.poison(),
            },
            (Val::Array(vs), "iter", []) => iter(Iter::Items(vs.clone())),
            (Val::Array(vs), "len", []) => Val::V(self.u32(vs.len() as u32)),
            (Val::Shared { len, .. }, "len", []) => Val::V(self.u32(*len)),
            (Val::Mat(m) | Val::Waves(m) | Val::Groups(m, ..), "rows", []) => Val::V(m[1]),
            (Val::Mat(m) | Val::Waves(m) | Val::Groups(m, ..), "cols", []) => Val::V(m[2]),
            (Val::Mat(m), "tile", _) => self.tile(m, targs, args),
            (Val::Lds(t), "frag", _) => self.lds_frag(*t, args),
            (Val::Tile(t), "transposed", []) => Val::Tile(TilePlace {
                rows: t.cols,
                cols: t.rows,
                transposed: !t.transposed,
                ..t.clone()
            }),
            (Val::Tile(t), "store", [acc]) => self.tile_store(t, acc),
            (Val::Acc(_), "frags_mut", []) => self.frags_mut(recv),
            (Val::Acc(_), "mma_nt", _) => self.mma_nt(recv, args),
            (Val::Iter(i), ..) => self.iter_method(i, name, args),
            (Val::Ref(p), ..) if matches!(p.root, Root::Atomic(..) | Root::LdsAtomic(..)) => {
                self.atomic(&p.root, name, args)
            }
            _ => match self.value(&target) {
                Some(v) => self.scalar_method(name, v, args),
                None => self.poison(),
            },
        }
    }

    fn iter_method(&mut self, i: &Iter, name: &'static str, args: &[Val]) -> Val {
        match (i, name, args) {
            (Iter::Range(r), "step_by", [n]) if r.step.is_none() => {
                let mut r = r.clone();
                r.step = self.index_value(n);
                iter(Iter::Range(r))
            }
            (Iter::Range(r), "rev", []) if !r.rev => {
                let mut r = r.clone();
                r.rev = true;
                r.rev_first = r.step.is_none();
                iter(Iter::Range(r))
            }
            (Iter::Elems(_) | Iter::Items(_), "enumerate", []) => iter(Iter::Enumerate(Box::new(i.clone()))),
            (Iter::Range(_) | Iter::Elems(_) | Iter::Items(_), "into_iter" | "copied" | "cloned", []) => {
                iter(i.clone())
            }
            _ => self.fail(
                format!("`{name}` is not an iterator method the device has here"),
                "ranges have `step_by` and `rev` (once each), slices and arrays `iter` and `enumerate`",
            ),
        }
    }

    pub(super) fn unknown(&mut self, name: &str, what: &str) -> Val {
        self.fail(
            format!("`{name}` is not a method of {what} on the device"),
            "the device's methods are listed in the documentation of `t0::prelude`",
        )
    }

    pub(crate) fn scalar_method(&mut self, name: &'static str, v: Value, args: &[Val]) -> Val {
        let Ty::Scalar(ty) = self.ty(v) else {
            return self.unknown(name, "a fragment");
        };
        let mut rest = Vec::new();
        for a in args {
            match self.value(a) {
                Some(a) => rest.push(a),
                None => return self.poison(),
            }
        }
        let out = match rest.as_slice() {
            [] => self.method0(name, v, ty),
            &[a] => self.method1(name, v, a, ty),
            &[a, b] => self.method2(name, v, a, b),
            _ => None,
        };
        match out {
            Some(v) => Val::V(v),
            None => self.unknown(name, &format!("`{ty}`")),
        }
    }

    fn method0(&mut self, name: &str, v: Value, ty: Scalar) -> Option<Value> {
        let kind = match name {
            "abs" | "wrapping_abs" => OpKind::Abs,
            "sqrt" => OpKind::Sqrt,
            "exp" => OpKind::Exp,
            "exp2" => OpKind::Exp2,
            "ln" => OpKind::Ln,
            "log2" => OpKind::Log2,
            "sin" => OpKind::Sin,
            "cos" => OpKind::Cos,
            "floor" => OpKind::Floor,
            "ceil" => OpKind::Ceil,
            "trunc" => OpKind::Trunc,
            "round_ties_even" => OpKind::RoundEven,
            "wrapping_neg" => OpKind::Neg,
            "count_ones" => OpKind::CountOnes,
            "leading_zeros" => OpKind::LeadingZeros,
            "trailing_zeros" => OpKind::TrailingZeros,
            "reverse_bits" => OpKind::ReverseBits,
            _ => return self.method0_composed(name, v, ty),
        };
        Some(self.pure(kind, &[v]))
    }

    /// Methods without an operation of their own.
    fn method0_composed(&mut self, name: &str, v: Value, ty: Scalar) -> Option<Value> {
        Some(match name {
            "to_f32" => self.convert(v, Scalar::F32),
            "to_f64" => self.convert(v, Scalar::F64),
            "to_bits" if ty.is_float() => self.bitcast(v, bits_of(ty)),
            "recip" => {
                let one = self.one(ty);
                self.pure(OpKind::Div, &[one, v])
            }
            "fract" => {
                let t = self.pure(OpKind::Trunc, &[v]);
                self.pure(OpKind::Sub, &[v, t])
            }
            "is_nan" => self.compare(Pred::Ne, v, v),
            "is_infinite" | "is_finite" => {
                let a = self.pure(OpKind::Abs, &[v]);
                let inf = self.constant(ty, infinity(ty));
                self.compare(if name == "is_finite" { Pred::Lt } else { Pred::Eq }, a, inf)
            }
            "count_zeros" => {
                let v = self.pure(OpKind::Not, &[v]);
                self.pure(OpKind::CountOnes, &[v])
            }
            "is_power_of_two" => {
                let n = self.pure(OpKind::CountOnes, &[v]);
                let one = self.u32(1);
                self.compare(Pred::Eq, n, one)
            }
            _ => return None,
        })
    }

    fn method1(&mut self, name: &str, v: Value, a: Value, ty: Scalar) -> Option<Value> {
        let kind = match name {
            "min" => OpKind::Min,
            "max" => OpKind::Max,
            "wrapping_add" => OpKind::Add,
            "wrapping_sub" => OpKind::Sub,
            "wrapping_mul" => OpKind::Mul,
            "wrapping_div" => OpKind::Div,
            "wrapping_rem" => OpKind::Rem,
            "wrapping_shl" | "wrapping_shr" => {
                let a = self.shift_amount(a);
                return Some(self.pure(
                    if name == "wrapping_shl" {
                        OpKind::Shl
                    } else {
                        OpKind::Shr
                    },
                    &[v, a],
                ));
            }
            "rotate_left" | "rotate_right" => return Some(self.rotate(name == "rotate_left", v, a, ty)),
            _ => return self.method1_composed(name, v, a, ty),
        };
        self.unify(v, a).then(|| self.pure(kind, &[v, a]))
    }

    fn rotate(&mut self, left: bool, v: Value, a: Value, ty: Scalar) -> Value {
        let a = self.shift_amount(a);
        let zero = self.u32(0);
        let back = self.pure(OpKind::Sub, &[zero, a]); // shifts are modulo the width
        let u = self.bitcast(v, Stage::unsigned(ty));
        let (l, r) = if left { (a, back) } else { (back, a) };
        let (l, r) = (self.pure(OpKind::Shl, &[u, l]), self.pure(OpKind::Shr, &[u, r]));
        let out = self.pure(OpKind::Or, &[l, r]);
        self.bitcast(out, ty)
    }

    fn method1_composed(&mut self, name: &str, v: Value, a: Value, ty: Scalar) -> Option<Value> {
        if !self.unify(v, a) {
            return None;
        }
        let unsigned = !ty.is_signed() && ty.is_int();
        Some(match name {
            "copysign" if ty.is_float() => {
                let u = bits_of(ty);
                let sign = self.constant(u, 1 << (ty.bits() - 1));
                let rest = self.constant(u, mask(u) >> 1);
                let (x, s) = (self.bitcast(v, u), self.bitcast(a, u));
                let (x, s) = (self.pure(OpKind::And, &[x, rest]), self.pure(OpKind::And, &[s, sign]));
                let out = self.pure(OpKind::Or, &[x, s]);
                self.bitcast(out, ty)
            }
            "saturating_sub" if unsigned => {
                let m = self.pure(OpKind::Min, &[v, a]);
                self.pure(OpKind::Sub, &[v, m])
            }
            "saturating_add" if unsigned => {
                let sum = self.pure(OpKind::Add, &[v, a]);
                let over = self.compare(Pred::Lt, sum, v);
                let max = self.constant(ty, mask(ty));
                self.select_value(over, max, sum)
            }
            "abs_diff" if unsigned => {
                let (hi, lo) = (self.pure(OpKind::Max, &[v, a]), self.pure(OpKind::Min, &[v, a]));
                self.pure(OpKind::Sub, &[hi, lo])
            }
            "div_ceil" if unsigned => {
                let q = self.pure(OpKind::Div, &[v, a]);
                let r = self.pure(OpKind::Rem, &[v, a]);
                let zero = self.constant(ty, 0);
                let more = self.compare(Pred::Ne, r, zero);
                let more = self.convert(more, ty);
                self.pure(OpKind::Add, &[q, more])
            }
            _ => return None,
        })
    }

    fn method2(&mut self, name: &str, v: Value, a: Value, b: Value) -> Option<Value> {
        if !self.unify(v, a) || !self.unify(v, b) {
            return None;
        }
        match name {
            "mul_add" => Some(self.pure(OpKind::MulAdd, &[v, a, b])),
            "clamp" => {
                // as std writes it: a NaN stays one
                let low = self.compare(Pred::Lt, v, a);
                let v = self.select_value(low, a, v);
                let high = self.compare(Pred::Gt, v, b);
                Some(self.select_value(high, b, v))
            }
            _ => None,
        }
    }

    /// 1 in a float type.
    fn one(&mut self, ty: Scalar) -> Value {
        let bits = crate::eval::round(ty, 1.0).bits;
        self.constant(ty, bits)
    }
}

fn iter(i: Iter) -> Val {
    Val::Iter(Box::new(i))
}

/// The unsigned integer as wide as a float.
pub(crate) fn bits_of(ty: Scalar) -> Scalar {
    match ty.bytes() {
        2 => Scalar::U16,
        4 => Scalar::U32,
        _ => Scalar::U64,
    }
}

fn infinity(ty: Scalar) -> u64 {
    crate::eval::round(ty, f64::INFINITY).bits
}
