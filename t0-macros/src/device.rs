//! `#[device]`: a function that kernels call. It is inlined while staging.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::visit::{self, Visit};
use syn::{FnArg, GenericParam, ItemFn, Pat, Type};

use crate::attr::Errors;
use crate::twin::{source, Twin};
use crate::{exits, strip};

/// Expands `#[device]`.
pub fn expand(args: TokenStream, item: TokenStream) -> TokenStream {
    let f = match syn::parse2::<ItemFn>(item.clone()) {
        Ok(f) => f,
        Err(e) => {
            let e = e.to_compile_error();
            return quote!(#item #e);
        }
    };
    let mut twin = Twin::new();
    if !args.is_empty() {
        twin.errors.at(args, "`#[device]` has no arguments");
    }
    check_signature(&f, &mut twin.errors);
    let body = body(&f, &mut twin);
    let checked = strip::checked(&f, None);
    let errors = twin.errors.tokens();
    let (vis, name, stage) = (&f.vis, &f.sig.ident, twin.stage());
    let body = if twin.errors.is_empty() {
        body
    } else {
        quote!(::t0::__private::Val::Poison)
    };
    quote! {
        #checked

        #[doc(hidden)]
        #[allow(non_camel_case_types, dead_code)]
        #vis struct #name {
            _private: (),
        }

        impl #name {
            #[doc(hidden)]
            #[allow(unused, non_snake_case, clippy::all)]
            pub fn __stage(
                #stage: &mut ::t0::__private::Stage,
                __targs: &[::t0::__private::TArg],
                __args: &[::t0::__private::Val],
                __at: ::t0::__private::At,
            ) -> ::t0::__private::Val {
                #body
            }
        }

        #errors
    }
}

fn check_signature(f: &ItemFn, errors: &mut Errors) {
    if let Some(a) = &f.sig.asyncness {
        errors.at(a, "a device function cannot be `async`; remove it");
    }
    if let Some(a) = &f.sig.abi {
        errors.at(a, "a device function has no ABI; remove `extern`");
    }
    if let Some(v) = &f.sig.variadic {
        errors.at(v, "a device function has a fixed number of parameters; list them");
    }
}

fn body(f: &ItemFn, twin: &mut Twin) -> TokenStream {
    let stage = twin.stage();
    let name = f.sig.ident.to_string();
    twin.define_generics(&f.sig.generics);
    let generics = generics(f, twin);
    let mut params = Vec::new();
    let mut patterns = Vec::new();
    for (i, input) in f.sig.inputs.iter().enumerate() {
        let FnArg::Typed(t) = input else {
            twin.errors.at(
                input,
                "methods are not in the kernel subset; pass the value as a parameter",
            );
            continue;
        };
        let ty = twin.ty(&t.ty);
        let value = twin.fresh("arg", proc_macro2::Span::call_site());
        params.push(quote!(let #value = #stage.ascribe(&__args[#i], &#ty);));
        patterns.push((&*t.pat, value));
    }
    let result = match &f.sig.output {
        syn::ReturnType::Type(_, ty) => twin.ty(ty),
        syn::ReturnType::Default => quote!(::t0::__private::TyDesc::Infer),
    };
    let returns = exits::returns(&f.block);
    let inner = twin.nested(|t| {
        for (p, value) in &patterns {
            match p {
                Pat::Ident(_) | Pat::Wild(_) | Pat::Tuple(_) | Pat::Reference(_) => t.bind(p, value),
                other => t.errors.at(other, crate::subset::pat(other)),
            }
        }
        t.scoped_block(&f.block)
    });
    let inner = if returns {
        quote!(#stage.function(&|#stage: &mut ::t0::__private::Stage| { #inner }))
    } else {
        inner
    };
    let sources = [f.sig.paren_token.span, f.block.brace_token.span].map(|s| source(&stage, s));
    quote! {
        #(#sources)*
        #stage.at(__at);
        #generics
        #(#params)*
        let __result = #stage.call(#name, &|#stage: &mut ::t0::__private::Stage| { #inner });
        #stage.ascribe(&__result, &#result)
    }
}

/// Variables for the generics: from the turbofish, else from the arguments whose types name them.
fn generics(f: &ItemFn, twin: &mut Twin) -> TokenStream {
    let stage = twin.stage();
    let mut out = Vec::new();
    let given = f
        .sig
        .generics
        .params
        .iter()
        .filter(|p| !matches!(p, GenericParam::Lifetime(_)));
    for (i, p) in given.enumerate() {
        match p {
            GenericParam::Type(t) => {
                let Some(var) = twin.generic_var(&t.ident) else {
                    continue;
                };
                let args = find(f, &t.ident).map(|(k, _)| quote!(&__args[#k]));
                let infer = quote!(#stage.infer_ty_of(&[#(#args),*]));
                out.push(quote! {
                    let #var = match __targs.get(#i) {
                        Some(::t0::__private::TArg::Ty(t)) if *t != ::t0::__private::TyDesc::Infer => t.clone(),
                        _ => #infer,
                    };
                });
            }
            GenericParam::Const(c) => {
                let Some(var) = twin.generic_var(&c.ident) else {
                    continue;
                };
                let infer = match find(f, &c.ident).next() {
                    Some((k, n)) => quote!(#stage.infer_const(&__args[#k], #n)),
                    None => quote!(0),
                };
                out.push(quote! {
                    let #var: i64 = match __targs.get(#i) {
                        Some(::t0::__private::TArg::Const(n)) => *n,
                        _ => #infer,
                    };
                });
            }
            GenericParam::Lifetime(_) => {}
        }
    }
    quote!(#(#out)*)
}

/// The parameters whose types name a generic, and how many numbers stand before it in that type's arguments.
fn find<'f>(f: &'f ItemFn, name: &'f Ident) -> impl Iterator<Item = (usize, usize)> + 'f {
    struct Find<'a> {
        name: &'a Ident,
        found: Option<usize>,
    }
    impl<'a> Visit<'a> for Find<'_> {
        fn visit_path(&mut self, p: &'a syn::Path) {
            if p.is_ident(self.name) {
                self.found.get_or_insert(0);
            }
            for s in &p.segments {
                if let syn::PathArguments::AngleBracketed(a) = &s.arguments {
                    let numbers = a.args.iter().skip(1);
                    for (n, arg) in numbers.enumerate() {
                        if is_ident(arg, self.name) {
                            self.found.get_or_insert(n);
                        }
                    }
                }
            }
            visit::visit_path(self, p);
        }
    }
    f.sig.inputs.iter().enumerate().filter_map(move |(k, input)| {
        let FnArg::Typed(t) = input else { return None };
        let mut v = Find { name, found: None };
        v.visit_type(&t.ty);
        v.found.map(|n| (k, n))
    })
}

fn is_ident(arg: &syn::GenericArgument, name: &Ident) -> bool {
    match arg {
        syn::GenericArgument::Type(Type::Path(p)) => p.path.is_ident(name),
        syn::GenericArgument::Const(syn::Expr::Path(p)) => p.path.is_ident(name),
        _ => false,
    }
}

/// `&mut Lanes<T>`.
pub fn is_lanes(ty: &Type) -> bool {
    match ty {
        Type::Reference(r) => {
            matches!(&*r.elem, Type::Path(p) if p.path.segments.last().is_some_and(|s| s.ident == "Lanes"))
        }
        _ => false,
    }
}

/// Parameters of kernels and device functions that are read by all.
pub fn is_read_only(ty: &Type) -> bool {
    match ty {
        Type::Reference(r) if r.mutability.is_none() => match &*r.elem {
            Type::Slice(s) => {
                !matches!(&*s.elem, Type::Path(p) if p.path.segments.last().is_some_and(|s| s.ident == "Atomic"))
            }
            Type::Path(p) => p.path.segments.last().is_some_and(|s| s.ident == "Mat"),
            _ => false,
        },
        _ => false,
    }
}
