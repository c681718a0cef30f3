//! Blocks, `let` and patterns.

use proc_macro2::Ident;
use quote::quote;
use syn::spanned::Spanned;
use syn::{Block, Expr, Item, Local, Pat, Stmt, Type};

use super::{at, Name, Twin};
use crate::device::{is_lanes, is_read_only};
use crate::{exits, subset};

impl Twin {
    /// A block's statements and value, in the current list and scope.
    pub fn block(&mut self, b: &Block) -> Ident {
        self.stmts(&b.stmts)
    }

    fn stmts(&mut self, stmts: &[Stmt]) -> Ident {
        for (i, s) in stmts.iter().enumerate() {
            let last = i + 1 == stmts.len();
            let value = self.stmt(s);
            if last {
                return match (s, value) {
                    (Stmt::Expr(_, None), Some(v)) => v,
                    (Stmt::Expr(_, Some(_)), Some(v)) if exits::stmt(s) => self.emit(quote!(#v.diverges())),
                    _ => self.unit(),
                };
            }
            if exits::stmt(s) {
                let stage = self.stage();
                let rest = self.closure(|t| t.stmts(&stmts[i + 1..]));
                return self.emit(quote!(#stage.guard(#rest)));
            }
        }
        self.unit()
    }

    fn stmt(&mut self, s: &Stmt) -> Option<Ident> {
        match s {
            Stmt::Local(l) => {
                self.local(l);
                None
            }
            Stmt::Expr(e, _) => Some(self.expr(e)),
            Stmt::Macro(m) => Some(self.refuse(&m.mac, subset::macro_call(&m.mac))),
            Stmt::Item(i) => {
                self.item(i);
                None
            }
        }
    }

    /// Constants inside a kernel are re-emitted; other items belong outside.
    fn item(&mut self, i: &Item) {
        match i {
            Item::Const(_) | Item::Use(_) => self.push(quote!(#i)),
            _ => self.errors.at(
                i,
                "only `const` and `use` items are in the kernel subset; move this one out of the kernel",
            ),
        }
    }

    fn local(&mut self, l: &Local) {
        let Some(init) = &l.init else {
            let (name, ty) = match &l.pat {
                Pat::Type(t) => (&*t.pat, self.ty(&t.ty)),
                other => (other, quote!(::t0::__private::TyDesc::Infer)),
            };
            match name {
                Pat::Ident(i) => {
                    let (stage, name) = (self.stage(), text(&i.ident));
                    let var = self.fresh(&name, i.ident.span());
                    self.push(quote!(let #var = #stage.declare(#name, &#ty);));
                    self.define(i.ident.to_string(), Name::Local(var));
                }
                other => self
                    .errors
                    .at(other, "a kernel's `let` without a value declares one name; split it up"),
            }
            return;
        };
        if let Some((_, diverge)) = &init.diverge {
            self.errors.at(
                diverge,
                "`let … else` is not in the kernel subset; use `if` and `return`",
            );
            return;
        }
        let value = self.expr(&init.expr);
        self.bind(&l.pat, &value);
    }

    /// Binds a pattern to a value.
    pub fn bind(&mut self, p: &Pat, value: &Ident) {
        let stage = self.stage();
        match p {
            Pat::Ident(i) if i.by_ref.is_none() && i.subpat.is_none() => {
                let name = text(&i.ident);
                let var = self.fresh(&name, i.ident.span());
                let method = if i.mutability.is_some() {
                    quote!(var)
                } else {
                    quote!(bind)
                };
                self.push(quote!(let #var = #stage.#method(#name, &#value);));
                self.define(i.ident.to_string(), Name::Local(var));
            }
            Pat::Wild(_) => {}
            Pat::Paren(p) => self.bind(&p.pat, value),
            Pat::Reference(r) => {
                let place = at(r);
                let inner = self.emit(quote!(#stage.deref(&#value, #place)));
                self.bind(&r.pat, &inner);
            }
            Pat::Tuple(t) => {
                for (n, p) in t.elems.iter().enumerate() {
                    if let Pat::Rest(r) = p {
                        self.errors.at(
                            r,
                            "`..` in a pattern is not in the kernel subset; name every part or write `_`",
                        );
                        return;
                    }
                    let part = self.emit(quote!(#stage.part(&#value, #n)));
                    self.bind(p, &part);
                }
            }
            Pat::Type(t) => {
                let ty = self.ty(&t.ty);
                let typed = self.emit(quote!(#stage.ascribe(&#value, &#ty)));
                self.bind(&t.pat, &typed);
            }
            other => self.errors.at(other, subset::pat(other)),
        }
    }

    /// The name of a parameter of type `ty`; gives the variable that holds it.
    pub fn parameter(&mut self, name: &Ident, ty: &Type) -> Ident {
        let var = self.fresh(&text(name), name.span());
        let what = match () {
            () if is_read_only(ty) => Name::ReadOnly(var.clone()),
            () if is_lanes(ty) => Name::Lanes(var.clone()),
            () => Name::Local(var.clone()),
        };
        self.define(name.to_string(), what);
        var
    }

    /// A block as an expression: its own scope, the same list.
    pub fn scoped_block(&mut self, b: &Block) -> Ident {
        self.scopes.push(Vec::new());
        let v = self.block(b);
        self.scopes.pop();
        v
    }

    /// `place = value`, after what is on the right.
    pub fn assign(&mut self, left: &Expr, right: &Expr) -> Ident {
        let value = self.expr(right);
        self.no_exits([left]);
        if matches!(left, Expr::Infer(_)) {
            return self.unit();
        }
        let stage = self.stage();
        let place_at = at(&left.span());
        if exits::expr(right) {
            let write = self.closure(|t| {
                let stage = t.stage();
                let place = t.written(left);
                t.emit(quote!(#stage.assign(&#place, &#value, #place_at)))
            });
            return self.emit(quote!(#stage.guard(#write)));
        }
        let place = self.written(left);
        self.emit(quote!(#stage.assign(&#place, &#value, #place_at)))
    }

    /// The place that is written; refuses what is read by all.
    pub fn written(&mut self, e: &Expr) -> Ident {
        if let Some(base) = self.read_only_base(e) {
            return self.refuse(e, subset::read_only(base));
        }
        match e {
            Expr::Path(_) | Expr::Index(_) | Expr::Field(_) | Expr::Unary(_) | Expr::Paren(_) | Expr::Group(_) => {
                self.place(e)
            }
            other => self.refuse(
                other,
                "this cannot be assigned to in a kernel; assign to a local, a field, an element or `*reference`",
            ),
        }
    }

    fn read_only_base<'e>(&self, e: &'e Expr) -> Option<&'e Ident> {
        match e {
            Expr::Index(i) => match &*i.expr {
                Expr::Path(p) => {
                    let name = p.path.get_ident()?;
                    matches!(self.look_up(&name.to_string()), Some(Name::ReadOnly(_))).then_some(name)
                }
                inner => self.read_only_base(inner),
            },
            Expr::Paren(p) => self.read_only_base(&p.expr),
            _ => None,
        }
    }
}

/// The name as text, without `r#`.
pub fn text(i: &Ident) -> String {
    i.to_string().trim_start_matches("r#").to_string()
}
