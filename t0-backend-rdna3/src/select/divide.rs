//! Division by constants: a multiplication by the reciprocal, exact for all dividends.
//!
//! Sources: Granlund and Montgomery, "Division by invariant integers using multiplication", 1994 (unsigned); Warren,
//! "Hacker's Delight", 10-1 and 10-8 (signed, and even divisors). Numbers of fewer than 32 bits come extended to 32.

use super::{Select, X};
use crate::isa::{Sop2, Vop2, Vop3};
use crate::mir::{Class, Sub};

/// `n / d` for 32 bits without sign: the upper half of `(n >> before) * factor`, shifted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Unsigned {
    factor: u32,
    before: u32,
    /// The factor has a 33rd bit: half of what is left of `n` is added before the shift, which is one less.
    long: bool,
    shift: u32,
}

/// `n / d` for 32 bits with sign: the upper half of `n * factor`, plus `n` times `add`, shifted, and one more if that is negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Signed {
    factor: i32,
    add: i32,
    shift: u32,
}

/// For a divisor above 2 that is no power of two.
fn unsigned(d: u32) -> Unsigned {
    let d = u64::from(d);
    let short = |before: u32| {
        let d = d >> before;
        (0..32u32).find_map(|shift| {
            let power = 1u64 << 32 << shift;
            let factor = power.div_ceil(d);
            let error = factor * d - power;
            // The dividend has 32 − `before` bits; the error must stay below a unit of the quotient.
            (factor >> 32 == 0 && error <= 1 << (shift + before)).then_some(Unsigned {
                factor: factor as u32,
                before,
                long: false,
                shift,
            })
        })
    };
    short(0)
        .or_else(|| short(d.trailing_zeros()).filter(|_| d % 2 == 0))
        .unwrap_or_else(|| {
            let bits = 64 - (d - 1).leading_zeros();
            let factor = (1u128 << (32 + bits)).div_ceil(u128::from(d)) - (1 << 32);
            Unsigned {
                factor: factor as u32,
                before: 0,
                long: true,
                shift: bits - 1,
            }
        })
}

/// For a divisor whose absolute value is above 2 and no power of two.
fn signed(d: i32) -> Signed {
    let size = u64::from(d.unsigned_abs());
    let t = (1u64 << 31) + u64::from(d < 0);
    let most = t - 1 - t % size;
    let find = |p: u32| {
        let power = 1u128 << p;
        let rest = u128::from(size) - power % u128::from(size);
        (power > u128::from(most) * rest).then(|| ((power + rest) / u128::from(size)) as u64)
    };
    let (p, factor) = (32..64).find_map(|p| find(p).map(|f| (p, f))).unwrap_or((64, 0)); // there is one below 64: Warren, 10-3
    let factor = if d < 0 {
        (factor as i32).wrapping_neg()
    } else {
        factor as i32
    };
    Signed {
        factor,
        add: i32::from(d > 0 && factor < 0) - i32::from(d < 0 && factor > 0),
        shift: p - 32,
    }
}

impl Select<'_> {
    /// Quotient or remainder by a constant that is not 0.
    pub(super) fn divide_by(&mut self, quotient: bool, is_signed: bool, n: X, d: u32) -> Sub {
        let class = self.class(n);
        // The remainder has the sign of the dividend, whatever that of the divisor is.
        let d = if is_signed && !quotient {
            (d as i32).unsigned_abs()
        } else {
            d
        };
        let q = match is_signed {
            true => self.divide_signed(class, n, d as i32),
            false => self.divide_unsigned(class, n, d),
        };
        if quotient {
            return q;
        }
        let bits = d.trailing_zeros();
        let product = match (class, d.is_power_of_two()) {
            (Class::S, true) => self.s(Sop2::s_lshl_b32, &[q.into(), bits.into()]),
            (Class::S, false) => self.s(Sop2::s_mul_i32, &[q.into(), d.into()]),
            (Class::V, true) => self.v(Vop2::v_lshlrev_b32, &[bits.into(), q.into()]),
            (Class::V, false) => self.v(Vop3::v_mul_lo_u32, &[q.into(), d.into()]),
        };
        self.minus(class, n, product.into())
    }

    fn divide_unsigned(&mut self, class: Class, n: X, d: u32) -> Sub {
        if d.is_power_of_two() {
            return self.right(class, n, d.trailing_zeros());
        }
        let u = unsigned(d);
        let from = match u.before {
            0 => n,
            by => self.right(class, n, by).into(),
        };
        let high = match class {
            Class::S => self.s(Sop2::s_mul_hi_u32, &[from, u.factor.into()]),
            Class::V => self.v(Vop3::v_mul_hi_u32, &[from, u.factor.into()]),
        };
        if !u.long {
            return self.right(class, high.into(), u.shift);
        }
        let left = self.minus(class, n, high.into());
        let half = self.right(class, left.into(), 1);
        let sum = self.plus(class, half.into(), high.into());
        self.right(class, sum.into(), u.shift)
    }

    fn divide_signed(&mut self, class: Class, n: X, d: i32) -> Sub {
        match d {
            1 => return self.plus(class, n, 0.into()),
            -1 => return self.minus(class, 0.into(), n),
            _ => {}
        }
        if d.unsigned_abs().is_power_of_two() {
            // Rounded towards 0: negative dividends get the divisor less one more.
            let bits = d.unsigned_abs().trailing_zeros();
            let sign = self.right_signed(class, n, 31);
            let more = self.right(class, sign.into(), 32 - bits);
            let sum = self.plus(class, n, more.into());
            let q = self.right_signed(class, sum.into(), bits);
            return if d > 0 {
                q
            } else {
                self.minus(class, 0.into(), q.into())
            };
        }
        let s = signed(d);
        let factor = X::K(s.factor as u32);
        let mut high = match class {
            Class::S => self.s(Sop2::s_mul_hi_i32, &[n, factor]),
            Class::V => self.v(Vop3::v_mul_hi_i32, &[n, factor]),
        };
        high = match s.add {
            1 => self.plus(class, high.into(), n),
            -1 => self.minus(class, high.into(), n),
            _ => high,
        };
        let q = self.right_signed(class, high.into(), s.shift);
        let negative = self.right(class, q.into(), 31);
        self.plus(class, q.into(), negative.into())
    }

    pub(super) fn plus(&mut self, class: Class, a: X, b: X) -> Sub {
        match class {
            Class::S => self.s(Sop2::s_add_u32, &[a, b]),
            Class::V => self.v(Vop2::v_add_nc_u32, &[a, b]),
        }
    }

    pub(super) fn minus(&mut self, class: Class, a: X, b: X) -> Sub {
        match class {
            Class::S => self.s(Sop2::s_sub_u32, &[a, b]),
            Class::V => self.v(Vop2::v_sub_nc_u32, &[a, b]),
        }
    }

    fn right(&mut self, class: Class, x: X, by: u32) -> Sub {
        match (class, x) {
            (_, X::R(s)) if by == 0 => s,
            (Class::S, _) => self.s(Sop2::s_lshr_b32, &[x, by.into()]),
            (Class::V, _) => self.v(Vop2::v_lshrrev_b32, &[by.into(), x]),
        }
    }

    pub(super) fn right_signed(&mut self, class: Class, x: X, by: u32) -> Sub {
        match (class, x) {
            (_, X::R(s)) if by == 0 => s,
            (Class::S, _) => self.s(Sop2::s_ashr_i32, &[x, by.into()]),
            (Class::V, _) => self.v(Vop2::v_ashrrev_i32, &[by.into(), x]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_unsigned(n: u32, u: Unsigned) -> u32 {
        let high = ((u64::from(n >> u.before) * u64::from(u.factor)) >> 32) as u32;
        match u.long {
            false => high >> u.shift,
            true => (high + ((n - high) >> 1)) >> u.shift,
        }
    }

    fn by_signed(n: i32, s: Signed) -> i32 {
        let high = ((i64::from(n) * i64::from(s.factor)) >> 32) as i32;
        let q = high.wrapping_add(n.wrapping_mul(s.add)) >> s.shift;
        q.wrapping_add((q as u32 >> 31) as i32)
    }

    /// Divisors and, for each, dividends around its multiples and the ends.
    fn divisors() -> impl Iterator<Item = u32> {
        let large = (2..32).flat_map(|k| (0..7).map(move |n| (1u32 << k).wrapping_add(n).wrapping_sub(3)));
        (3..2000)
            .chain(large)
            .chain([641, 6_700_417, 0x5555_5555, 0xaaaa_aaab, u32::MAX, u32::MAX - 1])
    }

    fn dividends(d: u32) -> impl Iterator<Item = u32> {
        let most = u32::MAX / d;
        let factors = (0..40)
            .chain((0..40).map(move |k| most.wrapping_sub(k)))
            .chain((0..32).map(|k| 1 << k));
        let around = move |k: u32| [0, 1, 2].map(|o| d.wrapping_mul(k).wrapping_add(o).wrapping_sub(1));
        let ends = [0, 1, u32::MAX, u32::MAX - 1, 1 << 31, (1 << 31) - 1, (1 << 31) + 1];
        factors.flat_map(around).chain(ends)
    }

    #[test]
    fn unsigned_quotients_are_exact() {
        let mut long = 0;
        for d in divisors().filter(|d| *d > 2 && !d.is_power_of_two()) {
            let u = unsigned(d);
            long += u32::from(u.long);
            for n in dividends(d) {
                assert_eq!(by_unsigned(n, u), n / d, "{n} / {d}: {u:?}");
            }
        }
        assert!(long > 100, "{long}");
        assert!(unsigned(7).long && !unsigned(3).long && unsigned(14).before == 1);
    }

    #[test]
    fn signed_quotients_are_exact() {
        for size in divisors() {
            for d in [size as i32, (size as i32).wrapping_neg()] {
                if d.unsigned_abs() < 3 || d.unsigned_abs().is_power_of_two() {
                    continue;
                }
                let s = signed(d);
                for n in dividends(size).map(|n| n as i32) {
                    assert_eq!(by_signed(n, s), n.wrapping_div(d), "{n} / {d}: {s:?}");
                }
            }
        }
    }
}
