//! `match` on integers and `bool`: a chain of comparisons.

use proc_macro2::Ident;
use quote::quote;
use syn::{Arm, Expr, ExprMatch, Pat};

use super::{at, Twin};
use crate::subset;

impl Twin {
    pub(super) fn match_(&mut self, e: &ExprMatch) -> Ident {
        self.no_exits([&*e.expr]);
        if e.arms.is_empty() {
            return self.refuse(e, "a `match` without arms is not in the kernel subset; remove it");
        }
        let value = self.expr(&e.expr);
        self.arms(&value, &e.arms)
    }

    /// The first arm that fits; rustc has checked that one does, so the last needs no test.
    fn arms(&mut self, value: &Ident, arms: &[Arm]) -> Ident {
        let (arm, rest) = match arms {
            [arm, rest @ ..] => (arm, rest),
            [] => return self.unit(),
        };
        let stage = self.stage();
        let test = if rest.is_empty() {
            None
        } else {
            self.test(value, &arm.pat)
        };
        let guard = arm.guard.as_ref().map(|g| &*g.1);
        if test.is_none() && guard.is_none() {
            return self.arm_body(value, arm);
        }
        let place = at(&arm.pat);
        let cond = match (test, guard) {
            (Some(test), None) => test,
            (test, Some(guard)) => {
                self.no_exits([guard]);
                let holds = self.closure(|t| {
                    t.bind_arm(value, &arm.pat);
                    t.expr(guard)
                });
                let test = test.unwrap_or_else(|| self.emit(quote!(#stage.boolean(true))));
                self.emit(quote!(#stage.short_circuit(true, &#test, #holds, #place)))
            }
            (None, None) => return self.arm_body(value, arm),
        };
        let then = self.closure(|t| t.arm_body(value, arm));
        let otherwise = self.closure(|t| t.arms(value, rest));
        self.emit(quote!(#stage.if_(&#cond, #then, #otherwise, #place)))
    }

    fn arm_body(&mut self, value: &Ident, arm: &Arm) -> Ident {
        self.scopes.push(Vec::new());
        self.bind_arm(value, &arm.pat);
        let v = self.expr(&arm.body);
        self.scopes.pop();
        v
    }

    fn bind_arm(&mut self, value: &Ident, p: &Pat) {
        match p {
            Pat::Ident(i) if is_constant(&i.ident) => {}
            Pat::Ident(_) => self.bind(p, value),
            _ => {}
        }
    }

    /// Does the value fit the pattern? `None`: always.
    fn test(&mut self, value: &Ident, p: &Pat) -> Option<Ident> {
        let stage = self.stage();
        let place = at(p);
        match p {
            Pat::Wild(_) => None,
            Pat::Ident(i) if i.subpat.is_none() && i.by_ref.is_none() && !is_constant(&i.ident) => None,
            Pat::Ident(i) if i.subpat.is_none() => {
                let c = self.emit(quote!(#stage.lift(#i)));
                Some(self.equal(value, &c, p))
            }
            Pat::Path(path) => {
                let c = self.emit(quote!(#stage.lift(#path)));
                Some(self.equal(value, &c, p))
            }
            Pat::Lit(l) => {
                let c = self.literal(&l.lit, l, None);
                Some(self.equal(value, &c, p))
            }
            Pat::Paren(p) => self.test(value, &p.pat),
            Pat::Or(o) => {
                let mut any: Option<Ident> = None;
                for case in &o.cases {
                    let one = self.test(value, case)?;
                    any = Some(match any {
                        Some(a) => self.emit(quote!(#stage.binary(::t0::__private::BinOp::Or, &#a, &#one, #place))),
                        None => one,
                    });
                }
                any
            }
            Pat::Range(r) => {
                let low = r.start.as_ref().map(|e| self.compare_bound(value, e, quote!(Ge), p));
                let op = if matches!(r.limits, syn::RangeLimits::Closed(_)) {
                    quote!(Le)
                } else {
                    quote!(Lt)
                };
                let high = r.end.as_ref().map(|e| self.compare_bound(value, e, op, p));
                match (low, high) {
                    (Some(a), Some(b)) => {
                        Some(self.emit(quote!(#stage.binary(::t0::__private::BinOp::And, &#a, &#b, #place))))
                    }
                    (a, b) => a.or(b),
                }
            }
            other => Some(self.refuse(other, subset::pat(other))),
        }
    }

    fn compare_bound(&mut self, value: &Ident, bound: &Expr, op: proc_macro2::TokenStream, p: &Pat) -> Ident {
        let stage = self.stage();
        let place = at(p);
        let bound = self.expr(bound);
        self.emit(quote!(#stage.binary(::t0::__private::BinOp::#op, &#value, &#bound, #place)))
    }

    fn equal(&mut self, value: &Ident, c: &Ident, p: &Pat) -> Ident {
        let stage = self.stage();
        let place = at(p);
        self.emit(quote!(#stage.binary(::t0::__private::BinOp::Eq, &#value, &#c, #place)))
    }
}

/// A name in capitals in a pattern is a constant.
fn is_constant(i: &Ident) -> bool {
    let s = i.to_string();
    s.chars()
        .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
        && s.chars().any(|c| c.is_ascii_uppercase())
}
