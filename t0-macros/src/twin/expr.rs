//! Expressions.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{quote, ToTokens};
use syn::spanned::Spanned;
use syn::{
    BinOp, Expr, ExprBinary, ExprCall, ExprCast, ExprMethodCall, ExprPath, ExprRange, ExprStruct, Lit, Member, Path,
    PathArguments, RangeLimits, Type, UnOp,
};

use super::stmt::text;
use super::{at, Name, Twin};
use crate::subset;

impl Twin {
    /// The value of an expression.
    pub fn expr(&mut self, e: &Expr) -> Ident {
        let stage = self.stage();
        match e {
            Expr::Lit(l) => self.literal(&l.lit, e, None),
            Expr::Paren(p) => self.expr(&p.expr),
            Expr::Group(g) => self.expr(&g.expr),
            Expr::Path(p) => self.path(p),
            Expr::Unary(u) => self.unary(u),
            Expr::Binary(b) => self.binary(b),
            Expr::Assign(a) => self.assign(&a.left, &a.right),
            Expr::Index(_) | Expr::Field(_) => {
                let place = at(e);
                let p = self.place(e);
                self.emit(quote!(#stage.load(&#p, #place)))
            }
            Expr::Reference(r) => {
                self.no_exits([&*r.expr]);
                let (place, mutable) = (at(e), r.mutability.is_some());
                let p = self.place(&r.expr);
                self.emit(quote!(#stage.reference(#mutable, &#p, #place)))
            }
            Expr::Cast(c) => self.cast(c),
            Expr::MethodCall(m) => self.method(m),
            Expr::Call(c) => self.call(c),
            Expr::Range(r) => self.range(r),
            Expr::Tuple(t) => {
                self.no_exits(&t.elems);
                let parts: Vec<_> = t.elems.iter().map(|e| self.expr(e)).collect();
                self.emit(quote!(#stage.tuple(&[#(#parts.clone()),*])))
            }
            Expr::Array(a) => {
                self.no_exits(&a.elems);
                let parts: Vec<_> = a.elems.iter().map(|e| self.expr(e)).collect();
                self.emit(quote!(#stage.array(&[#(#parts.clone()),*])))
            }
            Expr::Repeat(r) => {
                self.no_exits([&*r.expr]);
                let (v, n, place) = (self.expr(&r.expr), self.number(&r.len), at(e));
                self.emit(quote!(#stage.repeat(&#v, #n, #place)))
            }
            Expr::Struct(s) => self.structure(s),
            Expr::If(i) => self.if_(i),
            Expr::ForLoop(f) => self.for_(f),
            Expr::While(w) => self.while_(w),
            Expr::Loop(l) => self.loop_(l),
            Expr::Match(m) => self.match_(m),
            Expr::Block(b) if b.label.is_none() => self.scoped_block(&b.block),
            Expr::Block(b) => self.refuse(
                &b.label,
                "labelled blocks are not in the kernel subset; use `if` and `else`",
            ),
            Expr::Unsafe(u) => self.scoped_block(&u.block),
            Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) => self.jump(e),
            Expr::Macro(m) => self.refuse(&m.mac, subset::macro_call(&m.mac)),
            other => self.refuse(other, subset::expr(other)),
        }
    }

    /// The place an expression stands for, or its value if it is none.
    pub fn place(&mut self, e: &Expr) -> Ident {
        let stage = self.stage();
        match e {
            Expr::Paren(p) => self.place(&p.expr),
            Expr::Group(g) => self.place(&g.expr),
            Expr::Path(p) => match p.path.get_ident().and_then(|i| self.look_up(&i.to_string())) {
                Some(Name::Local(v) | Name::ReadOnly(v) | Name::Lanes(v)) => v.clone(),
                _ => self.path(p),
            },
            // `*r` as a place is what the reference points to: the reference's value
            Expr::Unary(u) if matches!(u.op, UnOp::Deref(_)) => self.expr(&u.expr),
            Expr::Index(i) => {
                self.no_exits([&*i.expr, &*i.index]);
                if let Expr::Path(p) = &*i.expr {
                    let name = p.path.get_ident().map(|n| n.to_string()).unwrap_or_default();
                    if let Some(Name::Lanes(_)) = self.look_up(&name) {
                        return self.refuse(e, subset::lanes_index(&name));
                    }
                }
                let place = at(e);
                let (base, index) = (self.place(&i.expr), self.expr(&i.index));
                self.emit(quote!(#stage.index(&#base, &#index, #place)))
            }
            Expr::Field(f) => {
                self.no_exits([&*f.base]);
                let place = at(&f.member);
                let base = self.place(&f.base);
                let name = match &f.member {
                    Member::Named(n) => text(n),
                    Member::Unnamed(n) => n.index.to_string(),
                };
                self.emit(quote!(#stage.field(&#base, #name, #place)))
            }
            other => self.expr(other),
        }
    }

    fn path(&mut self, p: &ExprPath) -> Ident {
        let stage = self.stage();
        if let Some(q) = &p.qself {
            return self.refuse(
                &q.ty,
                "`<T as Trait>::…` is not in the kernel subset; name the item through its type",
            );
        }
        if let Some(name) = p.path.get_ident() {
            return match self.look_up(&name.to_string()).cloned() {
                Some(Name::Local(v) | Name::ReadOnly(v) | Name::Lanes(v)) => self.emit(quote!(#stage.read(&#v))),
                Some(Name::Const(v, ty)) => {
                    let place = at(name);
                    self.emit(quote!(#stage.generic(#v, &#ty, #place)))
                }
                _ => self.emit(quote!(#stage.lift(#p))),
            };
        }
        if let [first, last] = p.path.segments.iter().collect::<Vec<_>>().as_slice() {
            if let Some(Name::Type(var)) = self.look_up(&first.ident.to_string()).cloned() {
                let (name, place) = (text(&last.ident), at(last));
                return self.emit(quote!(#stage.assoc_const(&#var, #name, #place)));
            }
        }
        self.emit(quote!(#stage.lift(#p)))
    }

    /// A literal; `cast`: the scalar type it is cast to.
    pub fn literal(&mut self, l: &Lit, whole: &dyn ToTokens, cast: Option<TokenStream>) -> Ident {
        let stage = self.stage();
        let value = match l {
            Lit::Bool(b) => quote!(#stage.boolean(#b)),
            Lit::Byte(b) => {
                let n = u128::from(b.value());
                quote!(#stage.int(#n, ::core::option::Option::Some(::t0::__private::ScalarTy::U8)))
            }
            Lit::Int(n) if matches!(n.suffix(), "f32" | "f64") => {
                let (digits, suffix) = (n.base10_digits(), self.suffix(n.suffix(), l));
                quote!(#stage.float(#digits, #suffix))
            }
            Lit::Int(n) if n.base10_digits().starts_with('-') => return self.negative(n, l),
            Lit::Int(n) => {
                let Ok(digits) = n.base10_parse::<u128>() else {
                    return self.refuse(l, "this number is too large for a kernel; use at most 64 bits");
                };
                let suffix = cast.unwrap_or_else(|| self.suffix(n.suffix(), l));
                quote!(#stage.int(#digits, #suffix))
            }
            Lit::Float(x) => {
                let digits = x.base10_digits();
                let suffix = cast.unwrap_or_else(|| self.suffix(x.suffix(), l));
                quote!(#stage.float(#digits, #suffix))
            }
            _ => {
                return self.refuse(
                    whole.to_token_stream(),
                    "text is not in the kernel subset; use numbers and `bool`",
                )
            }
        };
        let place = at(l);
        self.push(quote!(#stage.at(#place);));
        self.emit(value)
    }

    /// A literal in a pattern carries its sign.
    fn negative(&mut self, n: &syn::LitInt, l: &Lit) -> Ident {
        let Ok(digits) = n.base10_digits().trim_start_matches('-').parse::<u128>() else {
            return self.refuse(l, "this number is too large for a kernel; use at most 64 bits");
        };
        let (stage, place) = (self.stage(), at(l));
        let suffix = self.suffix(n.suffix(), l);
        let c = self.emit(quote!(#stage.int(#digits, #suffix)));
        self.emit(quote!(#stage.unary(::t0::__private::UnOp::Neg, &#c, #place)))
    }

    /// The type a literal's suffix names.
    pub fn suffix(&mut self, suffix: &str, l: &Lit) -> TokenStream {
        let name = match suffix {
            "" => return quote!(::core::option::Option::None),
            "usize" => "U32",
            "isize" => "I32",
            "i8" => "I8",
            "i16" => "I16",
            "i32" => "I32",
            "i64" => "I64",
            "u8" => "U8",
            "u16" => "U16",
            "u32" => "U32",
            "u64" => "U64",
            "f32" => "F32",
            "f64" => "F64",
            _ => {
                self.errors
                    .at(l, "the device has no such number type; use at most 64 bits");
                return quote!(::core::option::Option::None);
            }
        };
        let name = Ident::new(name, l.span());
        quote!(::core::option::Option::Some(::t0::__private::ScalarTy::#name))
    }

    fn unary(&mut self, u: &syn::ExprUnary) -> Ident {
        self.no_exits([&*u.expr]);
        let stage = self.stage();
        let place = at(&u.op);
        let v = self.expr(&u.expr);
        match u.op {
            UnOp::Deref(_) => self.emit(quote!(#stage.deref(&#v, #place))),
            UnOp::Neg(_) => self.emit(quote!(#stage.unary(::t0::__private::UnOp::Neg, &#v, #place))),
            UnOp::Not(_) => self.emit(quote!(#stage.unary(::t0::__private::UnOp::Not, &#v, #place))),
            _ => self.refuse(u, "this operator is not in the kernel subset; use `-`, `!` and `*`"),
        }
    }

    fn binary(&mut self, b: &ExprBinary) -> Ident {
        self.no_exits([&*b.left]);
        let stage = self.stage();
        let place = at(&b.op);
        if let BinOp::And(_) | BinOp::Or(_) = b.op {
            return self.logical(b, matches!(b.op, BinOp::And(_)));
        }
        let Some((op, assigns)) = operator(&b.op) else {
            return self.refuse(
                b.op,
                "this operator is not in the kernel subset; use Rust's arithmetic and comparisons",
            );
        };
        let op = Ident::new(op, b.op.span());
        let op = quote!(::t0::__private::BinOp::#op);
        self.no_exits([&*b.right]);
        if assigns {
            let value = self.expr(&b.right);
            let target = self.written(&b.left);
            return self.emit(quote!(#stage.assign_op(#op, &#target, &#value, #place)));
        }
        let (l, r) = (self.expr(&b.left), self.expr(&b.right));
        self.emit(quote!(#stage.binary(#op, &#l, &#r, #place)))
    }

    /// `&&` and `||`: the right side is staged under the left unless it is plain arithmetic.
    fn logical(&mut self, b: &ExprBinary, and: bool) -> Ident {
        self.no_exits([&*b.right]);
        let stage = self.stage();
        let place = at(&b.op);
        let l = self.expr(&b.left);
        if is_plain(&b.right) {
            let r = self.expr(&b.right);
            let op = if and { quote!(And) } else { quote!(Or) };
            return self.emit(quote!(#stage.binary(::t0::__private::BinOp::#op, &#l, &#r, #place)));
        }
        let r = self.closure(|t| t.expr(&b.right));
        self.emit(quote!(#stage.short_circuit(#and, &#l, #r, #place)))
    }

    fn cast(&mut self, c: &ExprCast) -> Ident {
        self.no_exits([&*c.expr]);
        let (stage, place) = (self.stage(), at(&c.as_token));
        let ty = self.ty(&c.ty);
        let (v, method) = match (&*c.expr, kind_of(&c.ty)) {
            // rustc gives a bare literal the type it is cast to, if that is of its own kind
            (Expr::Lit(l), Some(float)) if is_bare(&l.lit) == Some(float) => {
                (self.literal(&l.lit, c, Some(quote!((#ty).scalar()))), quote!(cast))
            }
            (Expr::Lit(_), _) => (self.expr(&c.expr), quote!(cast_literal)),
            _ => (self.expr(&c.expr), quote!(cast)),
        };
        self.emit(quote!(#stage.#method(&#v, &#ty, #place)))
    }

    fn range(&mut self, r: &ExprRange) -> Ident {
        let (Some(lo), Some(hi)) = (&r.start, &r.end) else {
            return self.refuse(r, "an open range is not in the kernel subset; write both ends");
        };
        self.no_exits([&**lo, &**hi]);
        let (stage, place) = (self.stage(), at(&r.limits));
        let inclusive = matches!(r.limits, RangeLimits::Closed(_));
        let (lo, hi) = (self.expr(lo), self.expr(hi));
        self.emit(quote!(#stage.range(&#lo, &#hi, #inclusive, #place)))
    }

    fn method(&mut self, m: &ExprMethodCall) -> Ident {
        self.no_exits([&*m.receiver]);
        self.no_exits(&m.args);
        let name = text(&m.method);
        let (stage, place) = (self.stage(), at(&m.method));
        let recv = self.place(&m.receiver);
        let args: Vec<_> = m.args.iter().map(|a| self.expr(a)).collect();
        if !subset::METHODS.contains(&name.as_str()) {
            return self.refuse(&m.method, subset::method(&name));
        }
        let targs = m
            .turbofish
            .as_ref()
            .map(|t| self.turbofish_args(t, name == "tile"))
            .unwrap_or_default();
        self.emit(quote!(#stage.method(#name, &#recv, &[#(#targs),*], &[#(#args.clone()),*], #place)))
    }

    fn call(&mut self, c: &ExprCall) -> Ident {
        self.no_exits(&c.args);
        let Expr::Path(ExprPath { qself: None, path, .. }) = &*c.func else {
            return self.refuse(
                &c.func,
                "only functions named by a path can be called in a kernel; use a `#[device]` function",
            );
        };
        let args: Vec<_> = c.args.iter().map(|a| self.expr(a)).collect();
        let (stage, place) = (self.stage(), at(path));
        let Some(last) = path.segments.last() else {
            return self.unit();
        };
        if let Some(ty) = self.type_prefix(path) {
            let (name, targs) = (text(&last.ident), self.turbofish(&last.arguments, false));
            return self.emit(quote!(#stage.assoc(&#ty, #name, &[#(#targs),*], &[#(#args.clone()),*], #place)));
        }
        if path.get_ident().is_some_and(|i| self.look_up(&i.to_string()).is_some()) {
            return self.refuse(
                path,
                "only named functions can be called in a kernel; use a `#[device]` function",
            );
        }
        if starts_upper(&last.ident) {
            return self.refuse(path, "tuple structs and enums with fields are not in the kernel subset; use a tuple or a struct with named fields");
        }
        let targs = self.turbofish(&last.arguments, false);
        let mut name: Path = path.clone();
        if let Some(last) = name.segments.last_mut() {
            last.arguments = PathArguments::None;
        }
        self.emit(quote!(<#name>::__stage(#stage, &[#(#targs),*], &[#(#args.clone()),*], #place)))
    }

    /// The type in `Type::function`, where the path is one.
    fn type_prefix(&mut self, path: &Path) -> Option<TokenStream> {
        let n = path.segments.len();
        let owner = path.segments.iter().nth(n.checked_sub(2)?)?;
        let name = owner.ident.to_string();
        let scalar = matches!(
            name.as_str(),
            "bool"
                | "i8"
                | "i16"
                | "i32"
                | "i64"
                | "isize"
                | "u8"
                | "u16"
                | "u32"
                | "u64"
                | "usize"
                | "f16"
                | "bf16"
                | "f32"
                | "f64"
        );
        if !scalar && !starts_upper(&owner.ident) {
            return None;
        }
        let mut prefix = path.clone();
        prefix.segments.pop();
        prefix.segments.pop_punct();
        Some(self.ty(&Type::Path(syn::TypePath {
            qself: None,
            path: prefix,
        })))
    }

    fn structure(&mut self, s: &ExprStruct) -> Ident {
        let stage = self.stage();
        if let Some(rest) = &s.rest {
            return self.refuse(rest, "`..base` is not in the kernel subset; write every field");
        }
        let mut fields = Vec::new();
        for f in &s.fields {
            self.no_exits([&f.expr]);
            let name = match &f.member {
                Member::Named(n) => text(n),
                Member::Unnamed(n) => n.index.to_string(),
            };
            let v = self.expr(&f.expr);
            let (ty, place) = (self.field_ty(s, &f.member), at(&f.expr));
            let v = self.emit(quote!(#stage.field_value(&#v, &#ty, #place)));
            fields.push(quote!((#name, #v.clone())));
        }
        self.emit(quote!(#stage.structure(&[#(#fields),*])))
    }

    /// The type of a struct's field, told by rustc. The twin is not generic: a type that names the function's generics
    /// cannot be written in it.
    fn field_ty(&self, s: &ExprStruct, member: &Member) -> TokenStream {
        if s.qself.is_some() || self.names_generic(s.path.to_token_stream()) {
            return quote!(::t0::__private::TyDesc::Infer);
        }
        let path = &s.path;
        let (whole, part) = (
            Ident::new("whole", Span::mixed_site()),
            Ident::new("part", Span::mixed_site()),
        );
        quote!({
            #[allow(unused_imports)]
            use ::t0::__private::UnknownTy as _;
            (&::t0::__private::field_ty(|#whole| match #whole {
                #path { #member: #part, .. } => #part,
                #[allow(unreachable_patterns)]
                _ => loop {},
            })).desc()
        })
    }

    fn names_generic(&self, tokens: TokenStream) -> bool {
        tokens.into_iter().any(|t| match t {
            TokenTree::Ident(i) => matches!(self.look_up(&i.to_string()), Some(Name::Type(_) | Name::Const(..))),
            TokenTree::Group(g) => self.names_generic(g.stream()),
            _ => false,
        })
    }
}

fn starts_upper(i: &Ident) -> bool {
    i.to_string().starts_with(|c: char| c.is_uppercase())
}

/// Is a literal without suffix a float? `None`: has a suffix, or is no number.
fn is_bare(l: &Lit) -> Option<bool> {
    match l {
        Lit::Int(n) if n.suffix().is_empty() => Some(false),
        Lit::Float(x) if x.suffix().is_empty() => Some(true),
        _ => None,
    }
}

/// Does a type's name say that it is a float or an integer?
fn kind_of(t: &Type) -> Option<bool> {
    let Type::Path(p) = t else { return None };
    match p.path.get_ident()?.to_string().as_str() {
        "f32" | "f64" => Some(true),
        "i8" | "i16" | "i32" | "i64" | "isize" | "u8" | "u16" | "u32" | "u64" | "usize" => Some(false),
        _ => None,
    }
}

/// Arithmetic on locals and literals, which may be computed whether it is needed or not.
fn is_plain(e: &Expr) -> bool {
    match e {
        Expr::Lit(_) | Expr::Path(_) => true,
        Expr::Paren(p) => is_plain(&p.expr),
        Expr::Group(g) => is_plain(&g.expr),
        Expr::Field(f) => is_plain(&f.base),
        Expr::Cast(c) => is_plain(&c.expr),
        Expr::Unary(u) => !matches!(u.op, UnOp::Deref(_)) && is_plain(&u.expr),
        Expr::Binary(b) => {
            operator(&b.op).is_none_or(|(_, assigns)| !assigns) && is_plain(&b.left) && is_plain(&b.right)
        }
        _ => false,
    }
}

/// The stage's name of an operator, and whether it assigns. `None`: `&&`, `||`, unknown.
fn operator(op: &BinOp) -> Option<(&'static str, bool)> {
    Some(match op {
        BinOp::Add(_) => ("Add", false),
        BinOp::Sub(_) => ("Sub", false),
        BinOp::Mul(_) => ("Mul", false),
        BinOp::Div(_) => ("Div", false),
        BinOp::Rem(_) => ("Rem", false),
        BinOp::BitAnd(_) => ("And", false),
        BinOp::BitOr(_) => ("Or", false),
        BinOp::BitXor(_) => ("Xor", false),
        BinOp::Shl(_) => ("Shl", false),
        BinOp::Shr(_) => ("Shr", false),
        BinOp::Eq(_) => ("Eq", false),
        BinOp::Ne(_) => ("Ne", false),
        BinOp::Lt(_) => ("Lt", false),
        BinOp::Le(_) => ("Le", false),
        BinOp::Gt(_) => ("Gt", false),
        BinOp::Ge(_) => ("Ge", false),
        BinOp::AddAssign(_) => ("Add", true),
        BinOp::SubAssign(_) => ("Sub", true),
        BinOp::MulAssign(_) => ("Mul", true),
        BinOp::DivAssign(_) => ("Div", true),
        BinOp::RemAssign(_) => ("Rem", true),
        BinOp::BitAndAssign(_) => ("And", true),
        BinOp::BitOrAssign(_) => ("Or", true),
        BinOp::BitXorAssign(_) => ("Xor", true),
        BinOp::ShlAssign(_) => ("Shl", true),
        BinOp::ShrAssign(_) => ("Shr", true),
        _ => return None,
    })
}
