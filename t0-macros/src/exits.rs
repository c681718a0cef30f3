//! Which syntax leaves early: `return`, and `break` or `continue` out of it.
//!
//! What follows such a statement is staged under a flag, so the answer must not be "no" when it could be "yes".

use syn::visit::{self, Visit};
use syn::{
    Expr, ExprBreak, ExprClosure, ExprContinue, ExprForLoop, ExprLoop, ExprReturn, ExprWhile, Item, Label, Lifetime,
};

#[derive(Default)]
struct Exits<'a> {
    depth: usize,
    labels: Vec<&'a Lifetime>,
    leaves: bool,
    breaks: bool,
}

impl<'a> Exits<'a> {
    fn jump(&mut self, label: Option<&Lifetime>, is_break: bool) {
        let out = match label {
            None => self.depth == 0,
            Some(l) => !self.labels.iter().any(|k| k.ident == l.ident),
        };
        self.leaves |= out;
        self.breaks |= out && is_break;
    }

    fn inside(&mut self, label: Option<&'a Label>, walk: impl FnOnce(&mut Self)) {
        self.depth += 1;
        let n = self.labels.len();
        self.labels.extend(label.map(|l| &l.name));
        walk(self);
        self.labels.truncate(n);
        self.depth -= 1;
    }
}

impl<'a> Visit<'a> for Exits<'a> {
    fn visit_expr_return(&mut self, e: &'a ExprReturn) {
        self.leaves = true;
        visit::visit_expr_return(self, e);
    }

    fn visit_expr_break(&mut self, e: &'a ExprBreak) {
        self.jump(e.label.as_ref(), true);
        visit::visit_expr_break(self, e);
    }

    fn visit_expr_continue(&mut self, e: &'a ExprContinue) {
        self.jump(e.label.as_ref(), false);
    }

    fn visit_expr_for_loop(&mut self, e: &'a ExprForLoop) {
        self.visit_expr(&e.expr);
        self.inside(e.label.as_ref(), |s| s.visit_block(&e.body));
    }

    fn visit_expr_while(&mut self, e: &'a ExprWhile) {
        self.inside(e.label.as_ref(), |s| {
            s.visit_expr(&e.cond);
            s.visit_block(&e.body);
        });
    }

    fn visit_expr_loop(&mut self, e: &'a ExprLoop) {
        self.inside(e.label.as_ref(), |s| s.visit_block(&e.body));
    }

    fn visit_expr_closure(&mut self, _: &'a ExprClosure) {}

    fn visit_item(&mut self, _: &'a Item) {}
}

/// Does a statement leave what is around it?
pub fn stmt(s: &syn::Stmt) -> bool {
    let mut v = Exits::default();
    v.visit_stmt(s);
    v.leaves
}

/// Does an expression leave what is around it?
pub fn expr(e: &Expr) -> bool {
    let mut v = Exits::default();
    v.visit_expr(e);
    v.leaves
}

/// Does the body of a loop or function leave it or its iteration?
pub fn block(b: &syn::Block) -> bool {
    let mut v = Exits::default();
    v.visit_block(b);
    v.leaves
}

/// Does the body of a `loop` hold a `break` out of it?
pub fn breaks(b: &syn::Block) -> bool {
    let mut v = Exits::default();
    v.visit_block(b);
    v.breaks
}

/// Is there a `return` in a function's body?
pub fn returns(b: &syn::Block) -> bool {
    struct Returns(bool);
    impl<'a> Visit<'a> for Returns {
        fn visit_expr_return(&mut self, _: &'a ExprReturn) {
            self.0 = true;
        }
        fn visit_expr_closure(&mut self, _: &'a ExprClosure) {}
        fn visit_item(&mut self, _: &'a Item) {}
    }
    let mut v = Returns(false);
    v.visit_block(b);
    v.0
}
