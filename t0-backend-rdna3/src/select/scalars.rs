//! Which uniform values are needed in scalar registers.
//!
//! Problem: the VALU makes some uniform numbers (quotients, numbers from floats, what the LDS holds), and everything the SALU then
//! needs of them would be computed there, too, and be read out at each use. Method: who needs a number in a scalar register says so
//! (places of views, bounds of loops, conditions of branches), and what the SALU can compute of such a number hands it on to its
//! operands. Such a value is read out once, where it is made.

use std::collections::HashSet;
use t0_ir::{Func, Op, OpKind, Region, Scalar, Ty, Value};

/// By value: whether something needs it in scalar registers. `tested`: conditions that only branches and the like look at.
pub fn scalars(f: &Func, uniform: &[bool], tested: &HashSet<Value>) -> Vec<bool> {
    let mut needed = vec![false; f.values.len()];
    loop {
        let mut changed = false;
        for op in f.ops.iter().rev() {
            for v in needs(f, op, &needed, uniform, tested) {
                let number = matches!(f.ty(v), Ty::Scalar(s) if s.is_int() && s != Scalar::Bool);
                if number && uniform[v.0 as usize] && !needed[v.0 as usize] {
                    needed[v.0 as usize] = true;
                    changed = true;
                }
            }
        }
        if !changed {
            return needed;
        }
    }
}

/// Uniform conditions that nothing but branches, casts to integers and selects of uniform integers use. Selects that turn out to need vector
/// registers make a mask from SCC.
pub fn tested(f: &Func, uniform: &[bool]) -> HashSet<Value> {
    let mut tested = HashSet::new();
    let mut other = HashSet::new();
    for op in &f.ops {
        let integer = |v: &Value| matches!(f.ty(*v), Ty::Scalar(s) if s.is_int()) && uniform[v.0 as usize];
        let consumes = match op.kind {
            OpKind::If | OpKind::Condition | OpKind::Check { .. } => true,
            OpKind::Cast => integer(&op.results[0]),
            OpKind::Select => op.results.iter().all(integer) && op.args[1..].iter().all(integer),
            _ => false,
        };
        for (i, &a) in op.args.iter().enumerate() {
            if i == 0 && consumes && uniform[a.0 as usize] {
                tested.insert(a);
            } else {
                other.insert(a);
            }
        }
    }
    tested.difference(&other).copied().collect()
}

/// What an operation needs in scalar registers.
fn needs(f: &Func, op: &Op, needed: &[bool], uniform: &[bool], tested: &HashSet<Value>) -> Vec<Value> {
    use OpKind as K;
    let all = |vs: &[Value]| vs.iter().all(|v| uniform[v.0 as usize]);
    let result = op.results.first().is_some_and(|r| needed[r.0 as usize]);
    match &op.kind {
        K::View if all(&op.args[1..]) => op.args[1..].to_vec(),
        K::LoadChunk { .. } => vec![op.args[2]],
        K::Cmp { .. } if tested.contains(&op.results[0]) => op.args.clone(),
        K::Add
        | K::Sub
        | K::Mul
        | K::Neg
        | K::And
        | K::Or
        | K::Xor
        | K::Not
        | K::Shl
        | K::Shr
        | K::Min
        | K::Max
        | K::Div
        | K::Rem
        | K::Cast
            if result =>
        {
            op.args.clone()
        }
        K::Select if result => op.args[1..].to_vec(),
        // Where they meet they are in scalar registers.
        K::If => op
            .regions
            .iter()
            .flat_map(|r| joined(f, r, &op.results, uniform))
            .collect(),
        K::For { .. } if all(&op.args[..3]) => {
            let mut out = op.args[..3].to_vec();
            out.extend(joined(f, &op.regions[0], &op.results, uniform));
            out
        }
        _ => Vec::new(),
    }
}

/// What a region hands on to uniform results.
fn joined(f: &Func, r: &Region, results: &[Value], uniform: &[bool]) -> Vec<Value> {
    let Some(&last) = r.ops.last() else { return Vec::new() };
    let values = f.op(last).args.iter().zip(results);
    values.filter(|(_, r)| uniform[r.0 as usize]).map(|(&v, _)| v).collect()
}
