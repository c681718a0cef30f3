//! The checked copy: the user's function without the attributes rustc does not know.

use proc_macro2::TokenStream;
use quote::quote;
use syn::visit_mut::{self, VisitMut};
use syn::{ExprForLoop, ExprLoop, ExprWhile, ItemFn};

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

/// The function for rustc to check. Lints that give advice for host code only are off.
pub fn checked(f: &ItemFn) -> TokenStream {
    let mut f = f.clone();
    Strip.visit_item_fn_mut(&mut f);
    quote! {
        #[allow(
            dead_code, clippy::too_many_arguments, clippy::needless_range_loop, clippy::manual_memcpy, clippy::ptr_arg,
            clippy::trivially_copy_pass_by_ref, clippy::explicit_counter_loop, clippy::never_loop, clippy::needless_pass_by_ref_mut
        )]
        #f
    }
}
