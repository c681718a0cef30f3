//! Short names for the `u32` arithmetic that addresses are made of, and what is known of a value's size.

use crate::build::Builder;
use crate::func::Value;
use crate::op::{OpKind, Pred};
use crate::passes::rewrite::Rewriter;

/// Unsigned 32-bit arithmetic on values; constant operands that change nothing build nothing.
pub(crate) trait Arith {
    /// `a + b`.
    fn add(&mut self, a: Value, b: Value) -> Value;
    /// `a + c`.
    fn add_const(&mut self, a: Value, c: u32) -> Value;
    /// `a * b`.
    fn mul(&mut self, a: Value, b: Value) -> Value;
    /// `a * c`.
    fn mul_const(&mut self, a: Value, c: u32) -> Value;
    /// `a & c`.
    fn and_const(&mut self, a: Value, c: u32) -> Value;
    /// `a / c` and `a % c` for `a < limit`.
    fn div_rem(&mut self, a: Value, c: u32, limit: u32) -> (Value, Value);
    /// `a < b`.
    fn lt(&mut self, a: Value, b: Value) -> Value;
    /// `if c { a } else { b }`.
    fn select(&mut self, c: Value, a: Value, b: Value) -> Value;
    /// How much of `total` is left from `at` on: `total - at`, 0 if `at` is past it.
    fn left(&mut self, total: Value, at: Value) -> Value;
    /// [`Arith::left`] from a constant on.
    fn left_const(&mut self, total: Value, at: u32) -> Value;
}

impl Arith for Builder {
    fn add(&mut self, a: Value, b: Value) -> Value {
        self.op1(OpKind::Add, &[a, b])
    }

    fn add_const(&mut self, a: Value, c: u32) -> Value {
        if c == 0 {
            return a;
        }
        let c = self.u32(c);
        self.add(a, c)
    }

    fn mul(&mut self, a: Value, b: Value) -> Value {
        self.op1(OpKind::Mul, &[a, b])
    }

    fn mul_const(&mut self, a: Value, c: u32) -> Value {
        if c == 1 {
            return a;
        }
        let (kind, c) = match c.is_power_of_two() {
            true => (OpKind::Shl, self.u32(c.trailing_zeros())),
            false => (OpKind::Mul, self.u32(c)),
        };
        self.op1(kind, &[a, c])
    }

    fn and_const(&mut self, a: Value, c: u32) -> Value {
        let c = self.u32(c);
        self.op1(OpKind::And, &[a, c])
    }

    fn div_rem(&mut self, a: Value, c: u32, limit: u32) -> (Value, Value) {
        if c == 1 {
            return (a, self.u32(0));
        }
        let quotient = if c.is_power_of_two() {
            let by = self.u32(c.trailing_zeros());
            let rem = self.and_const(a, c - 1);
            return (self.op1(OpKind::Shr, &[a, by]), rem);
        } else if let Some((factor, shift)) = reciprocal(c, limit) {
            let (factor, shift) = (self.u32(factor), self.u32(shift));
            let product = self.mul(a, factor);
            self.op1(OpKind::Shr, &[product, shift])
        } else {
            let c = self.u32(c);
            self.op1(OpKind::Div, &[a, c])
        };
        let whole = self.mul_const(quotient, c);
        (quotient, self.op1(OpKind::Sub, &[a, whole]))
    }

    fn lt(&mut self, a: Value, b: Value) -> Value {
        self.op1(OpKind::Cmp { pred: Pred::Lt }, &[a, b])
    }

    fn select(&mut self, c: Value, a: Value, b: Value) -> Value {
        self.op1(OpKind::Select, &[c, a, b])
    }

    fn left(&mut self, total: Value, at: Value) -> Value {
        let at = self.op1(OpKind::Min, &[total, at]);
        self.op1(OpKind::Sub, &[total, at])
    }

    fn left_const(&mut self, total: Value, at: u32) -> Value {
        if at == 0 {
            return total;
        }
        let at = self.u32(at);
        self.left(total, at)
    }
}

/// `(m, s)` with `n / d == (n * m) >> s` in 32 bits for all `n < limit`.
///
/// With m = ⌈2^s / d⌉ and e = m·d − 2^s the product is n/d·2^s plus n·e/d, and the quotient is right as long as n·e < 2^s
/// (Granlund and Montgomery, "Division by invariant integers using multiplication", 1994).
fn reciprocal(d: u32, limit: u32) -> Option<(u32, u32)> {
    let (d, last) = (u64::from(d), u64::from(limit.saturating_sub(1)));
    (0..32u32).find_map(|s| {
        let m = (1u64 << s).div_ceil(d);
        let e = m * d - (1u64 << s);
        (last * e < 1 << s && last * m < 1 << 32).then_some((m as u32, s))
    })
}

/// The largest value a new value can have, where the operations that make it show one.
pub(crate) fn bounded(r: &mut Rewriter<'_>, v: Value) -> Option<u32> {
    let (group, waves) = (r.old.group, r.old.waves());
    let op = r.def(v)?;
    let (kind, args) = (op.kind.clone(), op.args.clone());
    match kind {
        OpKind::Const { bits, .. } => u32::try_from(bits).ok(),
        OpKind::LocalId => Some(group - 1),
        OpKind::LaneId => Some(31),
        OpKind::WaveId => Some(waves - 1),
        OpKind::Add => bounded(r, args[0])?.checked_add(bounded(r, args[1])?),
        OpKind::Mul => bounded(r, args[0])?.checked_mul(bounded(r, args[1])?),
        OpKind::And => match (bounded(r, args[0]), bounded(r, args[1])) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        },
        OpKind::Rem => match r.const_bits(args[1])? {
            0 => None,
            d => u32::try_from(d - 1).ok(),
        },
        OpKind::Div => match r.const_bits(args[1])? {
            0 => None,
            d => Some((u64::from(bounded(r, args[0])?) / d) as u32),
        },
        OpKind::Shr => Some(bounded(r, args[0])? >> (r.const_bits(args[1])? & 31)),
        OpKind::Shl => bounded(r, args[0])?.checked_mul(1 << (r.const_bits(args[1])? & 31)),
        _ => None,
    }
}

/// A `u32` as a value and a constant that add up to it: the constant may go into an instruction because the sum does not wrap.
pub(crate) fn split_const(r: &mut Rewriter<'_>, v: Value) -> (Option<Value>, u32) {
    if let Some(bits) = r.const_bits(v) {
        return (None, bits as u32);
    }
    let args = match r.def(v) {
        Some(op) if op.kind == OpKind::Add => [op.args[0], op.args[1]],
        _ => return (Some(v), 0),
    };
    for (x, c) in [(args[0], args[1]), (args[1], args[0])] {
        if let (Some(c), Some(most)) = (r.const_bits(c), bounded(r, x)) {
            if u64::from(most) + c < u64::from(u32::MAX) {
                return (Some(x), c as u32);
            }
        }
    }
    (Some(v), 0)
}

#[cfg(test)]
mod tests {
    use super::reciprocal;

    #[test]
    fn reciprocals_are_exact() {
        for d in 1..200u32 {
            for limit in [64, 1024, 8192] {
                if let Some((m, s)) = reciprocal(d, limit) {
                    for n in 0..limit {
                        assert_eq!((n * m) >> s, n / d, "{n} / {d}");
                    }
                }
            }
            assert!(reciprocal(d, 8192).is_some(), "{d}");
        }
        assert_eq!(reciprocal(7, u32::MAX), None);
    }
}
