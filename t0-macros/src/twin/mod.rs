//! The twin: the user's syntax as calls of the stage.
//!
//! Expressions become a flat list of `let t = stage.op(&a, &b, place);`, blocks become closures. User locals are renamed to
//! fresh names and every generated local has mixed-site hygiene, so no name of the user can meet one of the macro's. Only
//! the calls of `at!()` carry the user's span as it is: that is what makes `line!()` name the user's token.

mod expr;
mod flow;
mod matching;
mod stmt;
mod types;

use proc_macro2::extra::DelimSpan;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Generics};

use crate::attr::Errors;

/// What a name of the user stands for.
#[derive(Clone)]
pub enum Name {
    /// A local: a `Val` in this Rust variable.
    Local(Ident),
    /// A parameter that is read by all.
    ReadOnly(Ident),
    /// An output with an element per lane, which cannot be indexed.
    Lanes(Ident),
    /// A const generic: an `i64` in this variable, and its type.
    Const(Ident, TokenStream),
    /// A type parameter: a `TyDesc` in this variable.
    Type(Ident),
}

/// Translates one function.
pub struct Twin {
    scopes: Vec<Vec<(String, Name)>>,
    out: Vec<Vec<TokenStream>>,
    fresh: usize,
    /// What is outside the subset.
    pub errors: Errors,
    stage: Ident,
}

impl Twin {
    /// A translator with nothing in scope.
    pub fn new() -> Twin {
        Twin {
            scopes: vec![Vec::new()],
            out: vec![Vec::new()],
            fresh: 0,
            errors: Errors::default(),
            stage: Ident::new("stage", Span::mixed_site()),
        }
    }

    /// The variable that holds the stage.
    pub fn stage(&self) -> Ident {
        self.stage.clone()
    }

    /// A new variable.
    pub fn fresh(&mut self, hint: &str, span: Span) -> Ident {
        self.fresh += 1;
        format_ident!(
            "__{}_{}",
            hint.trim_start_matches("r#"),
            self.fresh,
            span = Span::mixed_site().located_at(span)
        )
    }

    /// Brings a name into the innermost scope.
    pub fn define(&mut self, name: String, what: Name) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.push((name, what));
        }
    }

    fn look_up(&self, name: &str) -> Option<&Name> {
        self.scopes
            .iter()
            .rev()
            .flat_map(|s| s.iter().rev())
            .find(|n| n.0 == name)
            .map(|n| &n.1)
    }

    /// The const generics and type parameters of a function, from the variables that hold them.
    pub fn define_generics(&mut self, generics: &Generics) {
        for c in generics.const_params() {
            let var = self.fresh(&c.ident.to_string(), c.ident.span());
            let ty = self.ty(&c.ty);
            self.define(c.ident.to_string(), Name::Const(var, ty));
        }
        for t in generics.type_params() {
            let var = self.fresh(&t.ident.to_string(), t.ident.span());
            self.define(t.ident.to_string(), Name::Type(var));
        }
    }

    /// The variable of a const generic or type parameter.
    pub fn generic_var(&self, name: &Ident) -> Option<Ident> {
        match self.look_up(&name.to_string()) {
            Some(Name::Const(v, _) | Name::Type(v)) => Some(v.clone()),
            _ => None,
        }
    }

    /// Adds a statement.
    pub fn push(&mut self, tokens: TokenStream) {
        if let Some(out) = self.out.last_mut() {
            out.push(tokens);
        }
    }

    /// Adds `let t = value;` and gives `t`.
    fn emit(&mut self, value: TokenStream) -> Ident {
        let t = self.fresh("t", Span::call_site());
        self.push(quote!(let #t = #value;));
        t
    }

    /// Collects what `f` adds, with its value, as the inside of a block; opens a scope.
    pub fn nested(&mut self, f: impl FnOnce(&mut Twin) -> Ident) -> TokenStream {
        self.scopes.push(Vec::new());
        self.out.push(Vec::new());
        let value = f(self);
        let stmts = self.out.pop().unwrap_or_default();
        self.scopes.pop();
        quote!(#(#stmts)* ::core::clone::Clone::clone(&#value))
    }

    /// A closure over the stage.
    fn closure(&mut self, f: impl FnOnce(&mut Twin) -> Ident) -> TokenStream {
        let stage = self.stage();
        let body = self.nested(f);
        quote!(&|#stage: &mut ::t0::__private::Stage| { #body })
    }

    /// `()`
    pub fn unit(&mut self) -> Ident {
        self.emit(quote!(::t0::__private::Val::Unit))
    }

    /// Reports something outside the subset and goes on.
    fn refuse(&mut self, tokens: impl quote::ToTokens, message: impl std::fmt::Display) -> Ident {
        self.errors.at(tokens, message);
        self.emit(quote!(::t0::__private::Val::Poison))
    }

    /// Refuses early exits inside parts of an expression.
    fn no_exits<'e>(&mut self, parts: impl IntoIterator<Item = &'e Expr>) {
        for e in parts {
            if crate::exits::expr(e) {
                self.errors.at(e, crate::subset::EXIT_INSIDE);
            }
        }
    }
}

/// Tells the stage which text stands in two delimiters, where rustc knows it.
pub fn source(stage: &Ident, within: DelimSpan) -> TokenStream {
    let Some(text) = within.join().source_text() else {
        return TokenStream::new();
    };
    let (first, last) = (at(&within.open()), at(&within.close()));
    quote!(#stage.source(#first, #last, #text);)
}

/// The place of a token, as the stage wants it.
pub fn at(tokens: &impl Spanned) -> TokenStream {
    let span = tokens.span();
    quote_spanned!(span=> ::t0::__private::at!())
}
