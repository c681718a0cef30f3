//! How the descriptor of each view is made: by elements or by bytes, whole or its address alone.
//!
//! Method: every access says what it needs of its view. Views that may be the same one (results and carried values) and a view
//! that differs between lanes and the one it is part of share a descriptor, so they agree; the needs are handed on until nothing
//! changes.

use t0_ir::{Func, OpKind, Region, Ty, Value};

/// What is known of the views of a kernel, by value.
#[derive(Debug, Default)]
pub struct Views {
    bytes: Vec<bool>,
    accessed: Vec<bool>,
    part_of: Vec<bool>,
}

impl Views {
    /// Of the views of `f`; `uniform[v]`: is value `v` the same in all lanes of a wave?
    pub fn of(f: &Func, uniform: &[bool]) -> Views {
        let n = f.values.len();
        let mut views = Views {
            bytes: vec![false; n],
            accessed: vec![false; n],
            part_of: vec![false; n],
        };
        let (mut same, mut parts) = (Vec::new(), Vec::new());
        for op in &f.ops {
            let view = op.args.first().copied();
            let wide = match op.kind {
                OpKind::Load => matches!(f.ty(op.results[0]), Ty::Vec(..)),
                OpKind::Store => matches!(f.ty(op.args[2]), Ty::Vec(..)),
                OpKind::LoadChunk { .. } => true,
                OpKind::Atomic { .. } | OpKind::AtomicLoad { .. } => false,
                OpKind::View => {
                    let of_wave = op.args[1..].iter().all(|v| uniform[v.0 as usize]);
                    parts.push((op.args[0], op.results[0], of_wave));
                    continue;
                }
                _ => {
                    same.extend(joined(f, op));
                    continue;
                }
            };
            let Some(v) = view else { continue };
            views.accessed[v.0 as usize] = true;
            views.bytes[v.0 as usize] |= wide;
        }
        same.retain(|(a, _)| matches!(f.ty(*a), Ty::Buffer(_)));
        for (a, b) in &same {
            // They meet in registers of their own, so each needs all of its descriptor.
            views.accessed[a.0 as usize] = true;
            views.accessed[b.0 as usize] = true;
        }
        while views.spread(&same, &parts) {}
        views
    }

    /// Hands needs on once; whether something changed.
    fn spread(&mut self, same: &[(Value, Value)], parts: &[(Value, Value, bool)]) -> bool {
        let mut changed = false;
        for &(a, b) in same {
            changed |= hand(&mut self.bytes, a, b) | hand(&mut self.bytes, b, a);
        }
        for &(whole, part, of_wave) in parts {
            if !of_wave || self.part_of[whole.0 as usize] {
                // It has no descriptor of its own.
                changed |= !std::mem::replace(&mut self.part_of[part.0 as usize], true);
                changed |= hand(&mut self.bytes, part, whole) | hand(&mut self.bytes, whole, part);
                changed |= hand(&mut self.accessed, part, whole);
            } else if !self.accessed[whole.0 as usize] {
                // Nobody minds how it is made: as its parts are, which inherit it.
                changed |= hand(&mut self.bytes, part, whole);
            }
        }
        changed
    }

    /// Whether the view is addressed by elements; else by bytes.
    pub fn by_element(&self, v: Value) -> bool {
        !self.bytes[v.0 as usize]
    }

    /// Whether something is read or written through the view itself, not through a view of it alone.
    pub fn accessed(&self, v: Value) -> bool {
        self.accessed[v.0 as usize]
    }
}

/// Hands a need on; whether it is new there.
fn hand(all: &mut [bool], from: Value, to: Value) -> bool {
    let new = all[from.0 as usize] && !all[to.0 as usize];
    all[to.0 as usize] |= new;
    new
}

/// Pairs of values of which one may be the other, by this operation.
fn joined(f: &Func, op: &t0_ir::Op) -> Vec<(Value, Value)> {
    let ends = |r: &Region| match r.ops.last() {
        Some(&id) => f.op(id).args.clone(),
        None => Vec::new(),
    };
    let mut out = Vec::new();
    let mut pair = |a: &[Value], b: &[Value]| out.extend(a.iter().copied().zip(b.iter().copied()));
    match op.kind {
        OpKind::Select => op.args[1..].iter().for_each(|&a| pair(&[a], &op.results)),
        OpKind::If => op.regions.iter().for_each(|r| pair(&ends(r), &op.results)),
        OpKind::For { .. } => {
            let carried = &op.regions[0].args[1..];
            pair(&op.args[3..], carried);
            pair(&ends(&op.regions[0]), carried);
            pair(carried, &op.results);
        }
        OpKind::While => {
            let (head, body) = (&op.regions[0], &op.regions[1]);
            pair(&op.args, &head.args);
            let on = ends(head);
            pair(on.get(1..).unwrap_or_default(), &body.args);
            pair(on.get(1..).unwrap_or_default(), &op.results);
            pair(&ends(body), &head.args);
        }
        _ => {}
    }
    out
}
