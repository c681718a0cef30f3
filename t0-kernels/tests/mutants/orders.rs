//! Memory orders: atomics and fences of workgroup scope where other workgroups are meant, and fences that are missing.
//!
//! Data that is handed over is no atomic one; safe Rust of t0 has no such data between workgroups, so the kernel stands here as IR.

use std::collections::BTreeSet;

use t0::ir::{text, Op, OpKind, Order, Scope};

use crate::case::{Arg, Buf, Case, Wrong};
use crate::ir::{constant, in_list, lines, order, Maker};
use crate::subjects::{shot, words};

/// The name of the kernel that hands data over, which gets bugs of these classes only.
pub const HAND_OVER: &str = "hand over (IR)";

/// Group 0 writes data and sets a flag; group 1 waits for the flag and copies the data.
const TEXT: &str = include_str!("../../../t0-sim/tests/sim/hand_over.ir");

/// The kernel and its launch.
pub fn hand_over_case() -> Case {
    let args = vec![Arg::Slice(Buf::poisoned(256), 64), Arg::Slice(words(&[0]), 1)];
    let want = words(&(0..32).chain(0..32).collect::<Vec<u32>>()).pieces[0].1.clone();
    let check = move |b: &[Vec<u8>]| match b[0].iter().zip(&want).position(|(g, w)| g != w) {
        Some(i) => Err(Wrong::value(0, i & !3, 4, format!("element {} is wrong", i / 4))),
        None => Ok(()),
    };
    let func = text::parse(TEXT).unwrap();
    Case::of_func(HAND_OVER, func, vec![shot(args, [2, 1, 1], check)])
}

/// Whether an operation is an atomic one of global memory.
fn atomic(op: &Op) -> bool {
    matches!(op.kind, OpKind::Atomic { .. } | OpKind::AtomicLoad { .. })
}

impl Maker<'_> {
    /// Everything of this module.
    pub fn orders(&mut self) {
        let f = self.lowered.clone();
        let data = lines(&f, |op| matches!(op.kind, OpKind::Load | OpKind::Store));
        for id in order(&f) {
            self.narrow(id, &data);
            if !matches!(f.op(id).kind, OpKind::Fence { .. }) {
                continue;
            }
            let mut new = f.clone();
            in_list(&mut new, id, |list, k| {
                list.remove(k);
            });
            let m = self.push("missing fence", "removed".into(), self.spot(&f, id), new);
            m.rules = &["global-race"];
            m.suffers = data.clone();
        }
    }

    /// Workgroup scope for the device's. A release is the same at both scopes.
    fn narrow(&mut self, id: t0::ir::OpId, data: &BTreeSet<String>) {
        let f = self.lowered.clone();
        let mut new = f.clone();
        match &mut new.op_mut(id).kind {
            OpKind::Atomic { scope, .. }
            | OpKind::AtomicLoad { scope }
            | OpKind::Fence {
                scope,
                order: Order::Acquire | Order::AcqRel,
            } if *scope == Scope::Device => *scope = Scope::Group,
            _ => return,
        }
        let op = f.op(id);
        let what = format!("`{}` of workgroup scope", op.kind.row().name);
        let m = self.push("scope too narrow", what, self.spot(&f, id), new);
        if !atomic(op) {
            (m.rules, m.suffers) = (&["global-race"], data.clone());
            return;
        }
        (m.rules, m.suffers) = (&["scope-too-narrow"], lines(&f, atomic));
        if constant(&f, op.args[1]).is_none() {
            m.equivalent = Some("every work-item has an element of its own, which no other workgroup uses".into());
        }
    }
}
