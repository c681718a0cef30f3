//! Arguments of the attributes.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Error, Expr, ExprLit, Lit, MetaNameValue, Result, Token};

/// `group = 256, grid = x.len(), checked`
pub struct KernelArgs {
    /// Work-items per workgroup.
    pub group: Expr,
    /// Number of work-items, for a kernel that owns no output.
    pub grid: Option<Expr>,
    /// Are its indices checked?
    pub checked: bool,
}

/// One of them.
enum KernelArg {
    Value(MetaNameValue),
    Word(syn::Path),
}

impl Parse for KernelArg {
    fn parse(input: ParseStream) -> Result<Self> {
        let path: syn::Path = input.parse()?;
        if !input.peek(Token![=]) {
            return Ok(KernelArg::Word(path));
        }
        Ok(KernelArg::Value(MetaNameValue {
            path,
            eq_token: input.parse()?,
            value: input.parse()?,
        }))
    }
}

impl Parse for KernelArgs {
    fn parse(input: ParseStream) -> Result<Self> {
        let (mut group, mut grid, mut checked) = (None, None, false);
        let twice = |path: &syn::Path| Error::new_spanned(path, "this argument is given twice; remove one");
        for arg in Punctuated::<KernelArg, Token![,]>::parse_terminated(input)? {
            let arg = match arg {
                KernelArg::Value(arg) => arg,
                KernelArg::Word(path) if path.is_ident("checked") => {
                    if std::mem::replace(&mut checked, true) {
                        return Err(twice(&path));
                    }
                    continue;
                }
                KernelArg::Word(path) => return Err(unknown(&path)),
            };
            let slot = if arg.path.is_ident("group") {
                &mut group
            } else if arg.path.is_ident("grid") {
                &mut grid
            } else {
                return Err(unknown(&arg.path));
            };
            if slot.replace(arg.value).is_some() {
                return Err(twice(&arg.path));
            }
        }
        let group = group.ok_or_else(|| input.error("say how large a workgroup is: `#[kernel(group = 256)]`"))?;
        check_group(&group)?;
        Ok(KernelArgs { group, grid, checked })
    }
}

fn unknown(path: &syn::Path) -> Error {
    Error::new_spanned(
        path,
        "unknown kernel argument; there are `group = N`, `grid = EXPRESSION` and `checked`",
    )
}

fn check_group(group: &Expr) -> Result<()> {
    if let Expr::Lit(ExprLit { lit: Lit::Int(n), .. }) = group {
        let n = n.base10_parse::<u32>().unwrap_or(0);
        if n == 0 || n % 32 != 0 || n > 1024 {
            return Err(Error::new_spanned(
                group,
                "a workgroup has a multiple of 32 work-items, at most 1024",
            ));
        }
    }
    Ok(())
}

/// What the attributes of a loop say.
#[derive(Clone, Copy, Default)]
pub struct LoopAttrs {
    /// `#[unroll]`
    pub unroll: bool,
    /// `#[pipeline(stages = N)]`
    pub stages: u32,
}

/// Is this an attribute for the twin, unknown to rustc?
pub fn is_loop_attr(attr: &Attribute) -> bool {
    attr.path().is_ident("unroll") || attr.path().is_ident("pipeline")
}

/// Reads the attributes of a loop.
pub fn loop_attrs(attrs: &[Attribute]) -> Result<LoopAttrs> {
    let mut out = LoopAttrs::default();
    for attr in attrs {
        if attr.path().is_ident("unroll") {
            attr.meta
                .require_path_only()
                .map_err(|_| Error::new_spanned(attr, "`#[unroll]` has no arguments"))?;
            out.unroll = true;
        } else if attr.path().is_ident("pipeline") {
            out.stages = stages(attr)?;
        }
    }
    Ok(out)
}

fn stages(attr: &Attribute) -> Result<u32> {
    let wrong = || Error::new_spanned(attr, "say how many LDS buffers to use: `#[pipeline(stages = 2)]`");
    let arg: MetaNameValue = attr.parse_args().map_err(|_| wrong())?;
    match (&arg.value, arg.path.is_ident("stages")) {
        (Expr::Lit(ExprLit { lit: Lit::Int(n), .. }), true) => match n.base10_parse::<u32>() {
            Ok(n) if (1..=8).contains(&n) => Ok(n),
            _ => Err(Error::new_spanned(n, "a pipeline has 1 to 8 stages")),
        },
        _ => Err(wrong()),
    }
}

/// A list of errors to report together.
#[derive(Default)]
pub struct Errors(Option<Error>);

impl Errors {
    /// Adds one at the tokens it is about.
    pub fn at(&mut self, tokens: impl ToTokens, message: impl std::fmt::Display) {
        self.push(Error::new_spanned(tokens, message));
    }

    /// Adds one.
    pub fn push(&mut self, error: Error) {
        match &mut self.0 {
            Some(all) => all.combine(error),
            none => *none = Some(error),
        }
    }

    /// Are there any?
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// All as `compile_error!` calls.
    pub fn tokens(&self) -> TokenStream {
        self.0.as_ref().map(Error::to_compile_error).unwrap_or_default()
    }
}
