//! Types and compile-time numbers as data.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Expr, GenericArgument, Lit, PathArguments, Type, TypePath};

use super::{Name, Twin};
use crate::subset::GENERIC_TYPES;

impl Twin {
    /// An expression of type `TyDesc`.
    pub fn ty(&mut self, ty: &Type) -> TokenStream {
        match ty {
            Type::Path(p) => self.path_ty(p),
            Type::Paren(p) => self.ty(&p.elem),
            Type::Group(g) => self.ty(&g.elem),
            Type::Reference(r) => {
                let to = self.ty(&r.elem);
                quote!(::t0::__private::TyDesc::Ref(::std::boxed::Box::new(#to)))
            }
            Type::Slice(s) => {
                let of = self.ty(&s.elem);
                quote!(::t0::__private::TyDesc::Slice(::std::boxed::Box::new(#of)))
            }
            Type::Array(a) => {
                let of = self.ty(&a.elem);
                let n = self.number(&a.len);
                quote!(::t0::__private::TyDesc::Array(::std::boxed::Box::new(#of), (#n) as u64))
            }
            Type::Tuple(t) => {
                let of: Vec<_> = t.elems.iter().map(|t| self.ty(t)).collect();
                quote!(::t0::__private::TyDesc::Tuple(::std::vec![#(#of),*]))
            }
            _ => quote!(::t0::__private::TyDesc::Infer),
        }
    }

    fn path_ty(&mut self, p: &TypePath) -> TokenStream {
        if p.qself.is_some() {
            return quote!(::t0::__private::TyDesc::Infer);
        }
        if let Some(name) = p.path.get_ident() {
            if let Some(Name::Type(var)) = self.look_up(&name.to_string()) {
                return quote!(#var.clone());
            }
        }
        let Some(last) = p.path.segments.last() else {
            return quote!(::t0::__private::TyDesc::Infer);
        };
        let name = last.ident.to_string();
        if GENERIC_TYPES.contains(&name.as_str()) {
            let args = self.ty_args(&name, &last.arguments);
            return quote!(::t0::__private::TyDesc::Named(#name, ::std::vec![#(#args),*]));
        }
        match last.arguments {
            PathArguments::None => quote!({
                #[allow(unused_imports)]
                use ::t0::__private::UnknownTy as _;
                (&::t0::__private::Probe::<#p>::NEW).desc()
            }),
            _ => quote!(::t0::__private::TyDesc::Infer),
        }
    }

    /// Arguments of a type of the vocabulary: its numbers come after its types.
    fn ty_args(&mut self, name: &str, args: &PathArguments) -> Vec<TokenStream> {
        let PathArguments::AngleBracketed(args) = args else {
            return Vec::new();
        };
        let types = usize::from(!name.is_empty());
        let args = args.args.iter().filter(|a| !matches!(a, GenericArgument::Lifetime(_)));
        args.enumerate()
            .map(|(i, a)| self.generic_arg(a, Some(i >= types)))
            .collect()
    }

    /// A generic argument; `number`: is it a number, where that is known?
    fn generic_arg(&mut self, arg: &GenericArgument, number: Option<bool>) -> TokenStream {
        match arg {
            GenericArgument::Const(e) => self.const_arg(e),
            GenericArgument::Type(Type::Path(p)) if p.qself.is_none() && self.is_number(p, number) => {
                let e = Expr::Path(syn::ExprPath {
                    attrs: Vec::new(),
                    qself: None,
                    path: p.path.clone(),
                });
                self.const_arg(&e)
            }
            GenericArgument::Type(t) => {
                let t = self.ty(t);
                quote!(::t0::__private::TArg::Ty(#t))
            }
            other => {
                self.errors.at(
                    other,
                    "this generic argument is not in the kernel subset; use types and numbers",
                );
                quote!(::t0::__private::TArg::Const(0))
            }
        }
    }

    fn const_arg(&mut self, e: &Expr) -> TokenStream {
        let n = self.number(e);
        quote!(::t0::__private::TArg::Const(#n))
    }

    /// A path among generic arguments reads as a type; is it a number? Known names and places decide, else capitals.
    fn is_number(&self, p: &TypePath, number: Option<bool>) -> bool {
        let Some(name) = p.path.segments.last().map(|s| s.ident.to_string()) else {
            return false;
        };
        match self.look_up(&name) {
            Some(Name::Const(..)) => true,
            Some(Name::Type(_)) => false,
            _ => number.unwrap_or_else(|| {
                name.len() > 1
                    && name
                        .chars()
                        .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
            }),
        }
    }

    /// Generic arguments of a call, as `TArg`s.
    pub fn turbofish(&mut self, args: &PathArguments, numbers: bool) -> Vec<TokenStream> {
        match args {
            PathArguments::AngleBracketed(a) => self.turbofish_args(a, numbers),
            _ => Vec::new(),
        }
    }

    /// The same for a method.
    pub fn turbofish_args(&mut self, args: &syn::AngleBracketedGenericArguments, numbers: bool) -> Vec<TokenStream> {
        let args = args.args.iter().filter(|a| !matches!(a, GenericArgument::Lifetime(_)));
        args.map(|a| self.generic_arg(a, numbers.then_some(true))).collect()
    }

    /// A compile-time number as an `i64` expression.
    pub fn number(&mut self, e: &Expr) -> TokenStream {
        match e {
            Expr::Lit(l) => match &l.lit {
                Lit::Int(n) => match n.base10_parse::<i64>() {
                    Ok(n) => quote!(#n),
                    Err(_) => self.not_a_number(e),
                },
                Lit::Bool(b) => {
                    let n = i64::from(b.value);
                    quote!(#n)
                }
                _ => self.not_a_number(e),
            },
            Expr::Path(p) => match p.path.get_ident().and_then(|i| self.look_up(&i.to_string())) {
                Some(Name::Const(var, _)) => quote!(#var),
                Some(_) => self.not_a_number(e),
                None => quote!(((#p) as i64)),
            },
            Expr::Paren(p) => self.number(&p.expr),
            Expr::Group(g) => self.number(&g.expr),
            Expr::Block(b) => match b.block.stmts.as_slice() {
                [syn::Stmt::Expr(e, None)] => self.number(e),
                _ => self.not_a_number(e),
            },
            Expr::Cast(c) => self.number(&c.expr),
            Expr::Unary(u) if matches!(u.op, syn::UnOp::Neg(_)) => {
                let n = self.number(&u.expr);
                quote!((-(#n)))
            }
            Expr::Binary(b) => {
                use syn::BinOp;
                let method = match b.op {
                    BinOp::Add(_) => quote!(wrapping_add),
                    BinOp::Sub(_) => quote!(wrapping_sub),
                    BinOp::Mul(_) => quote!(wrapping_mul),
                    BinOp::Div(_) => quote!(checked_div),
                    BinOp::Rem(_) => quote!(checked_rem),
                    _ => return self.not_a_number(e),
                };
                let (l, r) = (self.number(&b.left), self.number(&b.right));
                match b.op {
                    BinOp::Div(_) | BinOp::Rem(_) => quote!(i64::#method(#l, #r).unwrap_or(0)),
                    _ => quote!(i64::#method(#l, #r)),
                }
            }
            _ => self.not_a_number(e),
        }
    }

    fn not_a_number(&mut self, e: &Expr) -> TokenStream {
        self.errors.at(
            e,
            "this compile-time number is not in the kernel subset; use literals, const generics, `const` items and + - * / % of them",
        );
        quote!(0i64)
    }
}
