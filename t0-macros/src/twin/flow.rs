//! Control flow.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{Expr, ExprForLoop, ExprIf, ExprLoop, ExprWhile, Label};

use super::stmt::text;
use super::{at, Twin};
use crate::attr::{is_loop_attr, loop_attrs, LoopAttrs};
use crate::exits;

impl Twin {
    pub(super) fn if_(&mut self, e: &ExprIf) -> Ident {
        self.no_exits([&*e.cond]);
        let stage = self.stage();
        let cond = self.expr(&e.cond);
        let place = at(&e.cond);
        let then = self.closure(|t| t.block(&e.then_branch));
        let otherwise = self.closure(|t| match &e.else_branch {
            Some((_, e)) => t.expr(e),
            None => t.unit(),
        });
        self.emit(quote!(#stage.if_(&#cond, #then, #otherwise, #place)))
    }

    /// What the stage is told of a loop.
    fn loop_info(
        &mut self,
        label: Option<&Label>,
        attrs: &[syn::Attribute],
        counted: bool,
        exits: bool,
    ) -> TokenStream {
        let hints = loop_attrs(attrs).unwrap_or_else(|e| {
            self.errors.push(e);
            LoopAttrs::default()
        });
        for attr in attrs.iter().filter(|a| is_loop_attr(a)) {
            if !counted {
                self.errors.at(
                    attr,
                    "only `for` loops can be unrolled or pipelined; write this loop as a `for` over a range",
                );
            } else if exits {
                self.errors.at(
                    attr,
                    "a loop that is left early can be neither unrolled nor pipelined; remove the attribute or the exit",
                );
            }
        }
        let label = match label {
            Some(l) => {
                let name = text(&l.name.ident);
                quote!(::core::option::Option::Some(#name))
            }
            None => quote!(::core::option::Option::None),
        };
        let (unroll, stages) = (hints.unroll, hints.stages);
        quote!(::t0::__private::Loop { label: #label, exits: #exits, unroll: #unroll, stages: #stages })
    }

    pub(super) fn for_(&mut self, e: &ExprForLoop) -> Ident {
        self.no_exits([&*e.expr]);
        let stage = self.stage();
        let iter = self.iterated(&e.expr);
        let place = at(&e.expr);
        let info = self.loop_info(e.label.as_ref(), &e.attrs, true, exits::block(&e.body));
        let item = self.fresh("item", proc_macro2::Span::call_site());
        let body = self.nested(|t| {
            t.bind(&e.pat, &item);
            t.scoped_block(&e.body)
        });
        self.emit(
            quote!(#stage.for_(&#iter, #info, &|#stage: &mut ::t0::__private::Stage, #item: &::t0::__private::Val| {
            let _ = { #body };
        }, #place)),
        )
    }

    /// What a `for` loops over: `x`, `&x` and `&mut x` alike.
    fn iterated(&mut self, e: &Expr) -> Ident {
        match e {
            Expr::Paren(p) => self.iterated(&p.expr),
            Expr::Reference(r) => self.place(&r.expr),
            Expr::Path(_) => self.place(e),
            other => self.expr(other),
        }
    }

    pub(super) fn while_(&mut self, e: &ExprWhile) -> Ident {
        if let Expr::Let(l) = &*e.cond {
            return self.refuse(l, crate::subset::expr(&e.cond));
        }
        self.no_exits([&*e.cond]);
        let stage = self.stage();
        let place = at(&e.cond);
        let info = self.loop_info(e.label.as_ref(), &e.attrs, false, exits::block(&e.body));
        let cond = self.closure(|t| t.expr(&e.cond));
        let body = self.closure(|t| t.block(&e.body));
        self.emit(quote!(#stage.while_(#cond, #info, #body, #place)))
    }

    pub(super) fn loop_(&mut self, e: &ExprLoop) -> Ident {
        let stage = self.stage();
        let place = at(&e.loop_token);
        let info = self.loop_info(e.label.as_ref(), &e.attrs, false, exits::block(&e.body));
        let body = self.closure(|t| t.block(&e.body));
        let cond = quote!(&|#stage: &mut ::t0::__private::Stage| #stage.boolean(true));
        let out = self.emit(quote!(#stage.while_(#cond, #info, #body, #place)));
        if exits::breaks(&e.body) {
            out
        } else {
            self.emit(quote!(::t0::__private::Val::Never))
        }
    }

    pub(super) fn jump(&mut self, e: &Expr) -> Ident {
        let stage = self.stage();
        let place = at(e);
        match e {
            Expr::Break(b) => {
                if let Some(v) = &b.expr {
                    return self.refuse(
                        v,
                        "`break` with a value is not in the kernel subset; assign it to a local before the `break`",
                    );
                }
                let label = label(b.label.as_ref());
                self.emit(quote!(#stage.break_(#label, #place)))
            }
            Expr::Continue(c) => {
                let label = label(c.label.as_ref());
                self.emit(quote!(#stage.continue_(#label, #place)))
            }
            Expr::Return(r) => {
                let value = match &r.expr {
                    Some(v) => {
                        self.no_exits([&**v]);
                        self.expr(v)
                    }
                    None => self.unit(),
                };
                self.emit(quote!(#stage.return_(&#value, #place)))
            }
            other => self.refuse(other, crate::subset::expr(other)),
        }
    }
}

fn label(l: Option<&syn::Lifetime>) -> TokenStream {
    match l {
        Some(l) => {
            let name = text(&l.ident);
            quote!(::core::option::Option::Some(#name))
        }
        None => quote!(::core::option::Option::None),
    }
}
