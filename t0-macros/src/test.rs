//! `#[kernel_test]`: the function as written, and a test that runs it for many cases or one.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned, ToTokens};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Error, Expr, ExprLit, FnArg, ItemFn, Lit, LitStr, Meta, Result, ReturnType, Token, Type};

use crate::attr::Errors;

/// Cases of a test that does not say how many.
const CASES: usize = 64;
const UNKNOWN: &str = "unknown argument; there are `cases = N`, `case = \"…\"`, `checked` and `instructions = N`";

/// `cases = 64` or `case = "n=3"`
enum Cases {
    Random(usize),
    One(LitStr),
}

/// The cases, `checked`, and how many instructions a wave may execute.
struct TestArgs {
    cases: Cases,
    checked: bool,
    instructions: Option<u64>,
}

impl Default for TestArgs {
    fn default() -> TestArgs {
        TestArgs {
            cases: Cases::Random(CASES),
            checked: false,
            instructions: None,
        }
    }
}

impl Parse for TestArgs {
    fn parse(input: ParseStream) -> Result<Self> {
        let (mut out, mut checked, mut instructions) = (None, false, None);
        for arg in Punctuated::<Meta, Token![,]>::parse_terminated(input)? {
            let arg = match arg {
                Meta::Path(p) if p.is_ident("checked") && !checked => {
                    checked = true;
                    continue;
                }
                Meta::Path(p) if p.is_ident("checked") => return Err(Error::new_spanned(p, "`checked` stands twice")),
                Meta::NameValue(arg) => arg,
                other => return Err(Error::new_spanned(other, UNKNOWN)),
            };
            let literal = match &arg.value {
                Expr::Lit(ExprLit { lit, .. }) => Some(lit),
                _ => None,
            };
            if arg.path.is_ident("instructions") {
                let n = match literal {
                    Some(Lit::Int(n)) => n.base10_parse::<u64>().ok().filter(|&n| n > 0),
                    _ => None,
                };
                let help = "say how many instructions a wave may execute: `instructions = 10_000_000`";
                let n = n.ok_or_else(|| Error::new_spanned(&arg.value, help))?;
                if instructions.replace(n).is_some() {
                    return Err(Error::new_spanned(&arg.path, "`instructions` stands twice"));
                }
                continue;
            }
            let parsed = match (arg.path.is_ident("cases"), arg.path.is_ident("case"), literal) {
                (true, _, Some(Lit::Int(n))) => match n.base10_parse::<usize>() {
                    Ok(n) if n > 0 => Cases::Random(n),
                    _ => return Err(Error::new_spanned(n, "a test runs at least one case")),
                },
                (true, ..) => {
                    return Err(Error::new_spanned(
                        &arg.value,
                        "say how many cases to run: `cases = 64`",
                    ))
                }
                (_, true, Some(Lit::Str(s))) => Cases::One(s.clone()),
                (_, true, _) => {
                    let help = "a case is the text a failing test prints: `case = \"n=3 x=0:1\"`";
                    return Err(Error::new_spanned(&arg.value, help));
                }
                _ => return Err(Error::new_spanned(&arg.path, UNKNOWN)),
            };
            if out.replace(parsed).is_some() {
                return Err(Error::new_spanned(
                    &arg.path,
                    "a test has either `cases` or one `case`; remove one",
                ));
            }
        }
        let cases = out.unwrap_or(Cases::Random(CASES));
        Ok(TestArgs {
            cases,
            checked,
            instructions,
        })
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
            TestArgs::default()
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
    let (test, plan) = match &args.cases {
        Cases::Random(n) => (quote!(cases), quote!(::t0::testing::Plan::cases(#n))),
        Cases::One(s) => (quote!(case), quote!(::t0::testing::Plan::case(#s))),
    };
    let checked = args.checked.then(|| quote!(.checked()));
    let instructions = args.instructions.map(|n| quote!(.instructions(#n)));
    // Where a failing test says it panicked: at the function.
    let run = quote_spanned! {name.span()=>
        ::t0::testing::run(#text, &#plan #checked #instructions, super::#name)
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
                #run
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
