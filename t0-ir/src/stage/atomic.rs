//! Atomics and fences.
//!
//! The IR's atomics order nothing but themselves: an order becomes a fence before the operation (release) or behind it (acquire).
//! On gfx11 both have the same code, as LLVM AMDGPUUsage, memory model GFX11 gives it for atomics with an order and for fences. A
//! store is a swap whose old value nobody asks for: both take place in the L2 (or the LDS), and unlike a plain store it stays
//! recognisable as an atomic.

use crate::op::{OpKind, Order, Rmw, Scope};
use crate::stage::{Root, Stage, Val};
use crate::ty::Ty;

impl Stage {
    /// `x[i].name(args)`.
    pub(super) fn atomic(&mut self, root: &Root, name: &'static str, args: &[Val]) -> Val {
        let op = match name {
            "load" => None,
            "fetch_add" => Some(Rmw::Add),
            "fetch_min" => Some(Rmw::Min),
            "fetch_max" => Some(Rmw::Max),
            "fetch_and" => Some(Rmw::And),
            "fetch_or" => Some(Rmw::Or),
            "fetch_xor" => Some(Rmw::Xor),
            "swap" | "store" => Some(Rmw::Swap),
            _ => return self.unknown(name, "an atomic"),
        };
        let [value @ .., order, scope] = args else {
            return self.poison();
        };
        let (order, scope) = (order_of(&self.full(order)), scope_of(&self.full(scope)));
        let value = match value.first() {
            None => None,
            Some(v) => match self.value(v) {
                Some(v) => Some(v),
                None => return self.poison(),
            },
        };
        let elem = match *root {
            Root::Atomic(buf, _) => self.elem(buf),
            Root::LdsAtomic(_, _, elem) => elem,
            _ => return self.poison(),
        };
        if value.is_some_and(|v| !self.expect(v, elem)) {
            return self.poison();
        }
        if order.is_some_and(Order::releases) {
            self.fence_of(Order::Release, scope);
        }
        let old = match (root.clone(), op, value) {
            (Root::Atomic(buf, i), Some(op), Some(v)) => self.b.op1(OpKind::Atomic { op, scope }, &[buf, i, v]),
            (Root::Atomic(buf, i), ..) => self.b.op1(OpKind::AtomicLoad { scope }, &[buf, i]),
            (Root::LdsAtomic(lds, at, _), Some(op), Some(v)) => {
                self.b.op1(OpKind::LdsAtomic { lds, base: 0, op }, &[at, v])
            }
            (Root::LdsAtomic(lds, at, elem), ..) => {
                let kind = OpKind::LdsAtomicLoad { lds, base: 0 };
                self.b.op1_as(kind, &[at], Ty::Scalar(elem))
            }
            _ => return self.poison(),
        };
        if order.is_some_and(Order::acquires) {
            self.fence_of(Order::Acquire, scope);
        }
        match name {
            "store" => Val::Unit,
            _ => Val::V(old),
        }
    }

    /// `fence(order, scope)`.
    pub(crate) fn fence(&mut self, args: &[Val]) -> Val {
        let [order, scope] = args else { return self.poison() };
        match order_of(&self.full(order)) {
            Some(order) => {
                let scope = scope_of(&self.full(scope));
                self.fence_of(order, scope);
            }
            None => return self.poison(),
        }
        Val::Unit
    }

    fn fence_of(&mut self, order: Order, scope: Scope) {
        self.b.op0(OpKind::Fence { order, scope }, &[]);
    }
}

/// `None`: relaxed.
fn order_of(mark: &Val) -> Option<Order> {
    match mark {
        Val::Mark("Acquire") => Some(Order::Acquire),
        Val::Mark("Release") => Some(Order::Release),
        Val::Mark("AcqRel") => Some(Order::AcqRel),
        _ => None,
    }
}

fn scope_of(mark: &Val) -> Scope {
    match mark {
        Val::Mark("Group") => Scope::Group,
        _ => Scope::Device,
    }
}
