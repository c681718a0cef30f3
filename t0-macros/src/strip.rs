//! The checked copy: the user's function without the attributes rustc does not know.

use proc_macro2::TokenStream;
use quote::quote;
use syn::visit::Visit;
use syn::visit_mut::{self, VisitMut};
use syn::{parse_quote, Expr, ExprForLoop, ExprLoop, ExprWhile, FnArg, Ident, ItemFn, Pat, PatType};

use crate::attr::is_loop_attr;

struct Strip;

impl VisitMut for Strip {
    fn visit_expr_for_loop_mut(&mut self, e: &mut ExprForLoop) {
        e.attrs.retain(|a| !is_loop_attr(a));
        visit_mut::visit_expr_for_loop_mut(self, e);
    }

    fn visit_expr_while_mut(&mut self, e: &mut ExprWhile) {
        e.attrs.retain(|a| !is_loop_attr(a));
        visit_mut::visit_expr_while_mut(self, e);
    }

    fn visit_expr_loop_mut(&mut self, e: &mut ExprLoop) {
        e.attrs.retain(|a| !is_loop_attr(a));
        visit_mut::visit_expr_loop_mut(self, e);
    }
}

/// Names of the parameters.
fn parameters(f: &ItemFn) -> impl Iterator<Item = Ident> + '_ {
    f.sig.inputs.iter().filter_map(|a| match a {
        FnArg::Typed(PatType { pat, .. }) => match &**pat {
            Pat::Ident(i) => Some(i.ident.clone()),
            _ => None,
        },
        FnArg::Receiver(_) => None,
    })
}

/// Single names in an expression.
fn names(e: &Expr) -> Vec<Ident> {
    struct Names(Vec<Ident>);
    impl<'a> Visit<'a> for Names {
        fn visit_expr_path(&mut self, p: &'a syn::ExprPath) {
            self.0.extend(p.path.get_ident().cloned());
        }
    }
    let mut names = Names(Vec::new());
    names.visit_expr(e);
    names.0
}

/// The function for rustc to check. Lints that give advice for host code only are off. Parameters that only the grid names are used,
/// too.
pub fn checked(f: &ItemFn, grid: Option<&Expr>) -> TokenStream {
    let mut f = f.clone();
    Strip.visit_item_fn_mut(&mut f);
    let named = grid.map(names).unwrap_or_default();
    let used: Vec<syn::Stmt> = parameters(&f)
        .filter(|p| named.contains(p))
        .map(|p| parse_quote!(let _ = &#p;))
        .collect();
    f.block.stmts.splice(0..0, used);
    quote! {
        #[allow(
            dead_code, clippy::too_many_arguments, clippy::needless_range_loop, clippy::manual_memcpy, clippy::ptr_arg,
            clippy::trivially_copy_pass_by_ref, clippy::explicit_counter_loop, clippy::never_loop, clippy::needless_pass_by_ref_mut
        )]
        #f
    }
}
