//! `#[kernel]`: checked copy, launch struct, registry entry with the twin, launch.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned, ToTokens};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, ConstParam, FnArg, GenericParam, ItemFn, Lifetime, Pat, Type, TypeReference};

use crate::attr::{Errors, KernelArgs};
use crate::twin::{source, Twin};
use crate::{exits, strip};

/// A parameter.
struct Param {
    name: Ident,
    /// Type as written.
    ty: Type,
    /// Type with the launch struct's lifetime on its references.
    host: Type,
}

/// Expands `#[kernel]`.
pub fn expand(args: TokenStream, item: TokenStream) -> TokenStream {
    let f = match syn::parse2::<ItemFn>(item.clone()) {
        Ok(f) => f,
        Err(e) => {
            let e = e.to_compile_error();
            return quote!(#item #e);
        }
    };
    let mut twin = Twin::new();
    let args = match syn::parse2::<KernelArgs>(args) {
        Ok(a) => a,
        Err(e) => {
            let checked = strip::checked(&f, None);
            let e = e.to_compile_error();
            return quote!(#checked #e);
        }
    };
    let checked = strip::checked(&f, args.grid.as_ref());
    if !check_signature(&f, &mut twin.errors) {
        let errors = twin.errors.tokens();
        return quote!(#checked #errors);
    }
    let params = params(&f, &mut twin.errors);
    check_grid(&f, &args, &params, &mut twin.errors);
    let stage_fn = stage_fn(&f, &params, &mut twin);
    let launch_struct = launch_struct(&f, &params);
    let entry = entry_impl(&f, &args, &params, &stage_fn);
    let launch = launch_impl(&f, &args, &params);
    let errors = twin.errors.tokens();
    quote!(#checked #launch_struct #entry #launch #errors)
}

/// Refuses what no kernel can be; `false` if nothing can be made of the rest.
fn check_signature(f: &ItemFn, errors: &mut Errors) -> bool {
    let sig = &f.sig;
    let mut refuse = |t: Option<&dyn ToTokens>, why: &str| {
        if let Some(t) = t {
            errors.at(t.to_token_stream(), why);
        }
    };
    refuse(
        sig.asyncness.as_ref().map(|t| t as &dyn ToTokens),
        "a kernel cannot be `async`; remove it",
    );
    refuse(
        sig.unsafety.as_ref().map(|t| t as &dyn ToTokens),
        "a kernel cannot be `unsafe`; remove it",
    );
    refuse(
        sig.constness.as_ref().map(|t| t as &dyn ToTokens),
        "a kernel cannot be `const`; remove it",
    );
    refuse(
        sig.abi.as_ref().map(|t| t as &dyn ToTokens),
        "a kernel has no ABI; remove `extern`",
    );
    refuse(
        sig.variadic.as_ref().map(|t| t as &dyn ToTokens),
        "a kernel has a fixed number of parameters; list them",
    );
    if let syn::ReturnType::Type(_, ty) = &sig.output {
        errors.at(
            ty,
            "a kernel returns nothing; write the result to an output such as `&mut Lanes<f32>`",
        );
    }
    for p in &sig.generics.params {
        match p {
            GenericParam::Type(t) => errors.at(t, "a kernel has const generics only; write one kernel for each element type over a generic `#[device]` function"),
            GenericParam::Lifetime(l) => errors.at(l, "a kernel needs no lifetimes; remove them"),
            GenericParam::Const(c) if default_of(c).is_none() => errors.at(&c.ty, "const generics of a kernel are integers or `bool`"),
            GenericParam::Const(_) => {}
        }
    }
    if let Some(w) = &sig.generics.where_clause {
        errors.at(w, "a kernel has no `where` clause; put bounds on `#[device]` functions");
    }
    errors.is_empty()
}

fn params(f: &ItemFn, errors: &mut Errors) -> Vec<Param> {
    let mut out = Vec::new();
    for input in &f.sig.inputs {
        let FnArg::Typed(t) = input else {
            errors.at(input, "a kernel is a free function; remove `self`");
            continue;
        };
        match &*t.pat {
            Pat::Ident(i) if i.by_ref.is_none() && i.subpat.is_none() => {
                let mut host = (*t.ty).clone();
                AddLifetime.visit_type_mut(&mut host);
                out.push(Param {
                    name: i.ident.clone(),
                    ty: (*t.ty).clone(),
                    host,
                });
            }
            other => errors.at(
                other,
                "a kernel's parameter is a single name: it becomes a field of the launch struct",
            ),
        }
    }
    out
}

/// Does a parameter own a part of an output?
fn owns(p: &Param) -> bool {
    matches!(&p.ty, Type::Reference(r) if r.mutability.is_some())
}

fn check_grid(f: &ItemFn, args: &KernelArgs, params: &[Param], errors: &mut Errors) {
    let owned = params.iter().any(owns);
    match &args.grid {
        Some(g) if owned => errors.at(g, "the grid follows from the output this kernel owns; remove `grid`"),
        None if !owned => errors.at(
            &f.sig.ident,
            "this kernel owns no output, so say how many work-items it has: `#[kernel(group = 256, grid = x.len())]`",
        ),
        _ => {}
    }
}

struct AddLifetime;

impl VisitMut for AddLifetime {
    fn visit_type_reference_mut(&mut self, r: &mut TypeReference) {
        r.lifetime
            .get_or_insert_with(|| Lifetime::new("'h", r.and_token.span()));
        visit_mut::visit_type_reference_mut(self, r);
    }
}

fn has_reference(params: &[Param]) -> bool {
    struct Find(bool);
    impl<'a> syn::visit::Visit<'a> for Find {
        fn visit_type_reference(&mut self, _: &'a TypeReference) {
            self.0 = true;
        }
    }
    let mut v = Find(false);
    params.iter().for_each(|p| syn::visit::Visit::visit_type(&mut v, &p.ty));
    v.0
}

fn const_params(f: &ItemFn) -> Vec<&ConstParam> {
    f.sig.generics.const_params().collect()
}

/// The value that stands for a const generic where none is given: in the registry.
fn default_of(c: &ConstParam) -> Option<TokenStream> {
    let Type::Path(p) = &c.ty else { return None };
    match p.path.get_ident()?.to_string().as_str() {
        "bool" => Some(quote!(false)),
        "i8" | "i16" | "i32" | "i64" | "isize" | "u8" | "u16" | "u32" | "u64" | "usize" => Some(quote!(0)),
        _ => None,
    }
}

fn docs(f: &ItemFn) -> Vec<&Attribute> {
    f.attrs
        .iter()
        .filter(|a| a.path().is_ident("doc") || a.path().is_ident("cfg"))
        .collect()
}

/// Generics of the launch struct: as declared, and as used.
fn struct_generics(f: &ItemFn, params: &[Param]) -> (TokenStream, TokenStream, TokenStream) {
    let consts = const_params(f);
    let h = has_reference(params).then(|| quote!('h,));
    let declared = consts.iter().map(|c| {
        let (name, ty, default) = (&c.ident, &c.ty, default_of(c));
        quote!(const #name: #ty = #default)
    });
    let plain = consts.iter().map(|c| {
        let (name, ty) = (&c.ident, &c.ty);
        quote!(const #name: #ty)
    });
    let used = consts.iter().map(|c| &c.ident);
    (
        quote!(<#h #(#declared),*>),
        quote!(<#h #(#plain),*>),
        quote!(<#h #(#used),*>),
    )
}

fn launch_struct(f: &ItemFn, params: &[Param]) -> TokenStream {
    let (vis, name) = (&f.vis, &f.sig.ident);
    let (declared, ..) = struct_generics(f, params);
    let fields = params.iter().map(|p| {
        let (name, ty) = (&p.name, &p.host);
        let doc = format!("Argument `{}: {}`.", name, type_text(&p.ty));
        let host = quote_spanned!(p.ty.span()=> <#ty as ::t0::__private::Param>::Host);
        quote!(#[doc = #doc] pub #name: #host)
    });
    let docs = docs(f);
    let about = format!("Arguments of a launch of [`{name}`](fn@{name}).");
    quote! {
        #(#docs)*
        #[doc = ""]
        #[doc = #about]
        #[allow(non_camel_case_types)]
        #vis struct #name #declared {
            #(#fields,)*
        }
    }
}

/// A type as text, the way rustfmt would write it.
fn type_text(ty: &Type) -> String {
    let s = ty.to_token_stream().to_string();
    let s = s
        .replace(" < ", "<")
        .replace(" >", ">")
        .replace("< ", "<")
        .replace(" <", "<");
    s.replace("& ", "&")
        .replace("[ ", "[")
        .replace(" ]", "]")
        .replace(" ,", ",")
        .replace(" ;", ";")
        .replace(" :: ", "::")
}

/// `fn __stage(consts) -> Result<Func, Diags>`: not generic, so that any values of the const generics can be staged.
fn stage_fn(f: &ItemFn, params: &[Param], twin: &mut Twin) -> TokenStream {
    twin.define_generics(&f.sig.generics);
    let stage = twin.stage();
    let consts = Ident::new("consts", Span::mixed_site());
    let args = Ident::new("args", Span::mixed_site());
    let checked = Ident::new("checked", Span::mixed_site());
    let generics: Vec<TokenStream> = const_params(f)
        .iter()
        .enumerate()
        .filter_map(|(i, c)| twin.generic_var(&c.ident).map(|v| quote!(let #v: i64 = #consts[#i];)))
        .collect();
    let types: Vec<TokenStream> = params.iter().map(|p| twin.ty(&p.ty)).collect();
    let mut binds = Vec::new();
    for (i, p) in params.iter().enumerate() {
        let mutable = f.sig.inputs.iter().any(|a| {
            matches!(a, FnArg::Typed(t) if matches!(&*t.pat, Pat::Ident(id) if id.ident == p.name && id.mutability.is_some()))
        });
        let text = p.name.to_string();
        let var = twin.parameter(&p.name, &p.ty);
        let method = if mutable { quote!(var) } else { quote!(bind) };
        binds.push(quote!(let #var = #stage.#method(#text, &#args[#i]);));
    }
    let body = twin.nested(|t| t.scoped_block(&f.block));
    let body = if exits::returns(&f.block) {
        quote!(#stage.function(&|#stage: &mut ::t0::__private::Stage| { #body }))
    } else {
        body
    };
    let sources = [f.sig.paren_token.span, f.block.brace_token.span].map(|s| source(&stage, s));
    let body = if twin.errors.is_empty() {
        quote!(#(#sources)* #(#binds)* let _ = { #body };)
    } else {
        TokenStream::new()
    };
    let name = &f.sig.ident;
    let this = if has_reference(params) {
        quote!(#name<'static>)
    } else {
        quote!(#name)
    };
    quote! {
        #[allow(unused, non_snake_case, clippy::all)]
        fn __stage(#consts: &[i64], #checked: bool) -> ::core::result::Result<::t0::__private::Func, ::t0::__private::Diags> {
            ::t0::__private::stage_kernel(
                <#this as ::t0::__private::Kernel>::ENTRY,
                #consts,
                #checked,
                &|#consts: &[i64]| { #(#generics)* ::std::vec![#(#types),*] },
                &|#stage: &mut ::t0::__private::Stage, #consts: &[i64], #args: &[::t0::__private::Val]| {
                    #(#generics)*
                    #body
                },
            )
        }
    }
}

fn entry_impl(f: &ItemFn, args: &KernelArgs, params: &[Param], stage_fn: &TokenStream) -> TokenStream {
    let name = &f.sig.ident;
    let (_, generics, used) = struct_generics(f, params);
    let text = name.to_string();
    let (group, checked) = (&args.group, args.checked);
    let consts: Vec<&Ident> = const_params(f).iter().map(|c| &c.ident).collect();
    let const_names = consts.iter().map(|c| c.to_string());
    let descs = params.iter().map(|p| {
        let (n, ty, host) = (p.name.to_string(), type_text(&p.ty), &p.host);
        let kind = quote_spanned!(p.ty.span()=> <#host as ::t0::__private::Param>::KIND);
        quote!(::t0::__private::ParamDesc { name: #n, ty: #ty, kind: #kind })
    });
    let line = quote_spanned!(name.span()=> ::core::line!());
    let file = quote_spanned!(name.span()=> ::core::file!());
    quote! {
        impl #generics ::t0::__private::Kernel for #name #used {
            const ENTRY: &'static ::t0::__private::KernelEntry = {
                #stage_fn
                &::t0::__private::KernelEntry {
                    name: #text,
                    module: ::core::module_path!(),
                    file: #file,
                    line: #line,
                    group: (#group) as u32,
                    params: &[#(#descs),*],
                    consts: &[#(#const_names),*],
                    checked: #checked,
                    stage: __stage,
                }
            };

            fn consts() -> ::std::vec::Vec<i64> {
                ::std::vec![#(#consts as i64),*]
            }
        }
    }
}

fn launch_impl(f: &ItemFn, args: &KernelArgs, params: &[Param]) -> TokenStream {
    let name = &f.sig.ident;
    let (_, generics, used) = struct_generics(f, params);
    let list = Ident::new("list", Span::mixed_site());
    let binds = params.iter().map(|p| {
        let (n, text, host) = (&p.name, p.name.to_string(), &p.host);
        quote_spanned!(p.ty.span()=> <#host as ::t0::__private::Param>::bind(&self.#n, #text, #list)?;)
    });
    let grid = args.grid.as_ref().map(|g| {
        let views = params.iter().map(|p| {
            let (n, ty) = (&p.name, &p.ty);
            match ty {
                Type::Reference(_) => quote!(let #n = &self.#n;),
                _ => quote!(let #n = self.#n;),
            }
        });
        quote! {
            #[allow(unused_variables, clippy::unnecessary_cast)]
            let items = {
                #(#views)*
                (#g) as usize
            };
            #list.grid_lanes("grid", items)?;
        }
    });
    quote! {
        impl #generics ::t0::__private::Launch for #name #used {
            fn kernel(&self) -> ::t0::__private::KernelKey {
                ::t0::__private::KernelKey::new(
                    <Self as ::t0::__private::Kernel>::ENTRY,
                    <Self as ::t0::__private::Kernel>::consts(),
                )
            }

            fn bind(&self, #list: &mut ::t0::__private::Args) -> ::core::result::Result<(), ::t0::__private::Error> {
                #(#binds)*
                #grid
                ::core::result::Result::Ok(())
            }
        }
    }
}
