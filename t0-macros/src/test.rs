//! `#[kernel_test]`: the function as written, and a test that runs it for many cases or one.

use proc_macro2::TokenStream;
use quote::{quote, ToTokens};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{
    Attribute, Error, Expr, ExprLit, FnArg, ItemFn, Lit, LitStr, MetaNameValue, Result, ReturnType, Token, Type,
};

use crate::attr::Errors;

/// Cases of a test that does not say how many.
const CASES: usize = 64;

/// `cases = 64` or `case = "n=3"`
enum TestArgs {
    Cases(usize),
    Case(LitStr),
}

impl Parse for TestArgs {
    fn parse(input: ParseStream) -> Result<Self> {
        let mut out = None;
        for arg in Punctuated::<MetaNameValue, Token![,]>::parse_terminated(input)? {
            let literal = match &arg.value {
                Expr::Lit(ExprLit { lit, .. }) => Some(lit),
                _ => None,
            };
            let parsed = match (arg.path.is_ident("cases"), arg.path.is_ident("case"), literal) {
                (true, _, Some(Lit::Int(n))) => match n.base10_parse::<usize>() {
                    Ok(n) if n > 0 => TestArgs::Cases(n),
                    _ => return Err(Error::new_spanned(n, "a test runs at least one case")),
                },
                (true, ..) => {
                    return Err(Error::new_spanned(
                        &arg.value,
                        "say how many cases to run: `cases = 64`",
                    ))
                }
                (_, true, Some(Lit::Str(s))) => TestArgs::Case(s.clone()),
                (_, true, _) => {
                    let help = "a case is the text a failing test prints: `case = \"n=3 x=0:1\"`";
                    return Err(Error::new_spanned(&arg.value, help));
                }
                _ => {
                    let help = "unknown argument; there are `cases = N` and `case = \"…\"`";
                    return Err(Error::new_spanned(&arg.path, help));
                }
            };
            if out.replace(parsed).is_some() {
                return Err(Error::new_spanned(
                    &arg.path,
                    "a test has either `cases` or one `case`; remove one",
                ));
            }
        }
        Ok(out.unwrap_or(TestArgs::Cases(CASES)))
    }
}

/// Expands `#[kernel_test]`.
pub fn expand(args: TokenStream, item: TokenStream) -> TokenStream {
    let mut f = match syn::parse2::<ItemFn>(item.clone()) {
        Ok(f) => f,
        Err(e) => {
            let e = e.to_compile_error();
            return quote!(#item #e);
        }
    };
    let mut errors = Errors::default();
    check_signature(&f, &mut errors);
    let args = match syn::parse2::<TestArgs>(args) {
        Ok(args) => args,
        Err(e) => {
            errors.push(e);
            TestArgs::Cases(CASES)
        }
    };
    if !errors.is_empty() {
        let errors = errors.tokens();
        return quote!(#f #errors);
    }
    let (of_test, of_function): (Vec<Attribute>, Vec<Attribute>) = std::mem::take(&mut f.attrs)
        .into_iter()
        .partition(|a| a.path().is_ident("ignore") || a.path().is_ident("should_panic"));
    let cfg: Vec<&Attribute> = of_function.iter().filter(|a| a.path().is_ident("cfg")).collect();
    let (name, text) = (&f.sig.ident, f.sig.ident.to_string());
    let (test, case, cases) = match &args {
        TestArgs::Cases(n) => (quote!(cases), quote!(::core::option::Option::None), *n),
        TestArgs::Case(s) => (quote!(case), quote!(::core::option::Option::Some(#s)), 1),
    };
    quote! {
        #[cfg(test)]
        #(#of_function)*
        #f

        #(#cfg)*
        #[cfg(test)]
        mod #name {
            #[test]
            #(#of_test)*
            fn #test() {
                ::t0::testing::run(#text, #case, #cases, super::#name)
            }
        }
    }
}

fn check_signature(f: &ItemFn, errors: &mut Errors) {
    let sig = &f.sig;
    let words: [Option<&dyn ToTokens>; 4] = [
        sig.asyncness.as_ref().map(|t| t as &dyn ToTokens),
        sig.unsafety.as_ref().map(|t| t as &dyn ToTokens),
        sig.constness.as_ref().map(|t| t as &dyn ToTokens),
        sig.abi.as_ref().map(|t| t as &dyn ToTokens),
    ];
    for word in words.into_iter().flatten() {
        errors.at(word.to_token_stream(), "a kernel test is a plain `fn`; remove this");
    }
    if !sig.generics.params.is_empty() {
        errors.at(
            &sig.generics,
            "a kernel test is not generic; write one test for each instance that calls a generic function",
        );
    }
    if let ReturnType::Type(_, ty) = &sig.output {
        errors.at(
            ty,
            "a kernel test returns nothing; it says what is wrong through `t.expect` or `t.fail`",
        );
    }
    let takes_a_test = match sig.inputs.iter().collect::<Vec<_>>()[..] {
        [FnArg::Typed(t)] => matches!(&*t.ty, Type::Reference(r) if r.mutability.is_some()),
        _ => false,
    };
    if !takes_a_test {
        errors.at(
            &sig.ident,
            "a kernel test takes its case: `fn name(t: &mut KernelTest)`",
        );
    }
}
