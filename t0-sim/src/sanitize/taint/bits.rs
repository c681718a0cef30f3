//! A value with its undefined bits, and what integer operations make of them.
//!
//! Each operation gives the undefined bits of its result: exactly for bit operations and for shifts by known amounts.
//! Sums, comparisons and extremes are judged by the smallest and the largest value their operands may have; carries grow
//! with the operands, so a carry that is the same for both is the same for all between. Products are undefined from
//! their lowest undefined bit up.

/// Up to 64 bits: their value, and which are undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bits {
    pub v: u64,
    pub t: u64,
}

impl Bits {
    pub fn new(v: u64, t: u64) -> Bits {
        Bits { v, t }
    }

    pub fn known(v: u64) -> Bits {
        Bits { v, t: 0 }
    }

    pub fn and(self, b: Bits) -> Bits {
        Bits::new(self.v & b.v, self.t & (b.v | b.t) | b.t & (self.v | self.t))
    }

    pub fn or(self, b: Bits) -> Bits {
        Bits::new(self.v | b.v, self.t & (!b.v | b.t) | b.t & (!self.v | self.t))
    }

    pub fn xor(self, b: Bits) -> Bits {
        Bits::new(self.v ^ b.v, self.t | b.t)
    }

    pub fn not(self) -> Bits {
        Bits::new(!self.v, self.t)
    }

    /// A shift: `op` is applied to value and undefined bits when the amount, of which `width - 1` counts, is known.
    pub fn shift(self, by: Bits, width: u32, op: impl Fn(u64, u32) -> u64) -> Bits {
        let n = (by.v & u64::from(width - 1)) as u32;
        match by.t & u64::from(width - 1) {
            0 => Bits::new(op(self.v, n), op(self.t, n)),
            _ if self.v | self.t == 0 => Bits::known(0),
            _ => Bits::new(0, ones(width)),
        }
    }

    pub fn shl(self, by: Bits, width: u32) -> Bits {
        self.shift(by, width, |x, n| x << n & ones(width))
    }

    pub fn shr(self, by: Bits, width: u32) -> Bits {
        self.shift(by, width, |x, n| (x & ones(width)) >> n)
    }

    pub fn sar(self, by: Bits, width: u32) -> Bits {
        self.shift(by, width, |x, n| (sign(x, width) >> n) as u64 & ones(width))
    }

    /// The field of `len` bits from bit `at`, both of which count five (or six) bits.
    pub fn field(self, at: Bits, len: Bits, width: u32, signed: bool) -> Bits {
        if len.t & 127 != 0 || at.t & u64::from(width - 1) != 0 {
            return any(self.t | 1, width);
        }
        let (at, len) = ((at.v as u32) & (width - 1), len.v as u32);
        let cut = |x: u64| match len {
            0 => 0,
            _ if signed => {
                let n = len.min(width);
                sign((sign(x, width) >> at) as u64 & ones(n), n) as u64 & ones(width)
            }
            _ => (x & ones(width)) >> at & ones(len.min(64)),
        };
        Bits::new(cut(self.v), cut(self.t))
    }

    /// One of two values; the same bits of both need no choice.
    pub fn select(choose: Bits, yes: Bits, no: Bits) -> Bits {
        match (choose.t & 1, choose.v & 1) {
            (0, 1) => yes,
            (0, _) => no,
            _ => Bits::new(yes.v, yes.t | no.t | (yes.v ^ no.v)),
        }
    }

    /// The smallest and the largest value.
    fn range(self, width: u32, signed: bool) -> (i128, i128) {
        let (v, t) = (self.v & ones(width), self.t & ones(width));
        let (lo, hi) = (v & !t, v | t);
        if !signed {
            return (lo.into(), hi.into());
        }
        // The smallest value has the sign, if nobody knows it, and the largest has not.
        let top = t & 1 << (width - 1);
        (sign(lo | top, width).into(), sign(hi & !top, width).into())
    }

    /// Sum with a carry, and whether the carry out is undefined.
    pub fn add_carry(self, b: Bits, carry: Bits, width: u32) -> (Bits, bool) {
        let ((a0, a1), (b0, b1), (c0, c1)) = (self.range(width, false), b.range(width, false), carry.range(1, false));
        let (lo, hi) = (a0 + b0 + c0, a1 + b1 + c1);
        let v = self.v.wrapping_add(b.v).wrapping_add(carry.v & 1);
        let t = self.t | b.t | (lo ^ hi) as u64;
        (Bits::new(v & ones(width), t & ones(width)), (lo ^ hi) >> width != 0)
    }

    /// Difference with a borrow, and whether the borrow out is undefined.
    pub fn sub_borrow(self, b: Bits, borrow: Bits, width: u32) -> (Bits, bool) {
        let ((a0, a1), (b0, b1), (c0, c1)) = (self.range(width, false), b.range(width, false), borrow.range(1, false));
        let (lo, hi) = (a0 - b1 - c1, a1 - b0 - c0);
        let v = self.v.wrapping_sub(b.v).wrapping_sub(borrow.v & 1);
        let t = self.t | b.t | (lo ^ hi) as u64;
        (Bits::new(v & ones(width), t & ones(width)), (lo < 0) != (hi < 0))
    }

    pub fn add(self, b: Bits, width: u32) -> Bits {
        self.add_carry(b, Bits::known(0), width).0
    }

    pub fn sub(self, b: Bits, width: u32) -> Bits {
        self.sub_borrow(b, Bits::known(0), width).0
    }

    /// Product: its lowest undefined bit is an undefined one of a factor times the lowest bit that may be set of the other.
    pub fn mul(self, b: Bits, width: u32) -> Bits {
        let (a, b) = (self.cut(width), b.cut(width));
        let first = |x: Bits, y: Bits| x.t.trailing_zeros() + (y.v | y.t).trailing_zeros();
        let known = match (a.t, b.t) {
            (0, 0) => 64,
            _ => first(a, b).min(first(b, a)),
        };
        Bits::new(a.v.wrapping_mul(b.v) & ones(width), ones(width) & !ones(known))
    }

    /// What depends on every bit of both, unless one of them is 0.
    pub fn unless_zero(self, b: Bits, width: u32) -> Bits {
        let zero = |x: Bits| (x.v | x.t) & ones(width) == 0;
        any(if zero(self) || zero(b) { 0 } else { self.t | b.t }, width)
    }

    pub fn cut(self, width: u32) -> Bits {
        Bits::new(self.v & ones(width), self.t & ones(width))
    }

    /// Whether a comparison of integers (`op` as instructions are named) has the same result whatever the undefined bits
    /// are.
    pub fn told(self, op: &str, b: Bits, width: u32, signed: bool) -> bool {
        let ((a0, a1), (b0, b1)) = (self.range(width, signed), b.range(width, signed));
        match op {
            "lt" | "ge" => a1 < b0 || a0 >= b1,
            "gt" | "le" => a0 > b1 || a1 <= b0,
            "eq" | "ne" | "lg" => self.differ(b, width),
            _ => false,
        }
    }

    /// The smaller or the larger one.
    pub fn extreme(self, b: Bits, largest: bool, width: u32, signed: bool) -> Bits {
        let ((a0, a1), (b0, b1)) = (self.range(width, signed), b.range(width, signed));
        if a1 <= b0 {
            return if largest { b } else { self };
        }
        if b1 <= a0 {
            return if largest { self } else { b };
        }
        match (largest, signed) {
            // Not above the smaller one of the largest values.
            (false, false) => Bits::new(0, ones(128 - a1.min(b1).leading_zeros())),
            _ => any(self.t | b.t, width),
        }
    }

    /// Whether both are different in a bit that both have defined.
    pub fn differ(self, b: Bits, width: u32) -> bool {
        (self.v ^ b.v) & !(self.t | b.t) & ones(width) != 0
    }
}

/// The lowest `n` bits.
pub(super) fn ones(n: u32) -> u64 {
    match n {
        0 => 0,
        n if n >= 64 => u64::MAX,
        n => (1 << n) - 1,
    }
}

/// Sign-extends the lowest `width` bits.
pub(super) fn sign(x: u64, width: u32) -> i64 {
    (x << (64 - width)) as i64 >> (64 - width)
}

/// Undefined from the lowest undefined bit of an operand up.
pub(super) fn up(t: u64, width: u32) -> Bits {
    let t = t & ones(width);
    Bits::new(0, (t | t.wrapping_neg()) & ones(width))
}

/// All bits depend on all bits.
pub(super) fn any(t: u64, width: u32) -> Bits {
    Bits::new(0, if t == 0 { 0 } else { ones(width) })
}

/// Operation, width and signedness of a comparison of integers, by the instruction's name.
pub(super) fn comparison(name: &str) -> Option<(&str, u32, bool)> {
    let (rest, ty) = name.rsplit_once('_')?;
    let (start, op) = rest.rsplit_once('_')?;
    if !matches!(start, "v_cmp" | "v_cmpx" | "s_cmp" | "s_cmpk") {
        return None;
    }
    let signed = ty.starts_with('i');
    let width = ty.strip_prefix(['i', 'u'])?.parse().ok()?;
    Some((op, width, signed))
}

/// `v_perm_b32`: bytes of `a` and `b` chosen by `c`.
pub(super) fn perm(a: Bits, b: Bits, c: Bits) -> Bits {
    let t = (a.t & ones(32)) << 32 | b.t & ones(32);
    let byte = |k: u32| {
        if c.t >> (8 * k) & 0xff != 0 {
            return 0xff;
        }
        match c.v >> (8 * k) & 0xff {
            s @ 0..=7 => t >> (8 * s) & 0xff,
            s @ 8..=11 => {
                let top = 15 + 16 * (s - 8);
                if t >> top & 1 == 1 {
                    0xff
                } else {
                    0
                }
            }
            _ => 0,
        }
    };
    Bits::new(0, (0..4).fold(0, |r, k| r | byte(k) << (8 * k)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn half() -> Bits {
        // The high half is undefined.
        Bits::new(0x1234, 0xffff_0000)
    }

    #[test]
    fn constants_take_undefined_bits_away() {
        assert_eq!(half().and(Bits::known(0xffff)).t, 0);
        assert_eq!(half().and(Bits::known(0x1_00ff)).t, 0x1_0000);
        assert_eq!(half().or(Bits::known(0xffff_0000)).t, 0);
        assert_eq!(half().shr(Bits::known(16), 32).t, 0xffff);
        assert_eq!(half().shl(Bits::known(16), 32).t, 0);
        assert_eq!(half().sar(Bits::known(24), 32).t, 0xffff_ffff);
        assert_eq!(half().field(Bits::known(4), Bits::known(8), 32, false).t, 0);
        assert_eq!(half().field(Bits::known(12), Bits::known(8), 32, true).t, 0xffff_fff0);
    }

    /// All values of 4 bits with all undefined bits, by trying: no bit that is the same in all results is undefined
    /// after an exact operation, and none that differs is defined after any.
    fn try_all(exact: bool, op: impl Fn(u64, u64) -> u64, bits: impl Fn(Bits, Bits) -> u64) {
        let fill = |v: u64, t: u64| (0..16u64).filter(move |m| m & !t == 0).map(move |m| v & !t | m);
        for (av, at, bv, bt) in (0..1 << 16).map(|k: u64| (k & 15, k >> 4 & 15, k >> 8 & 15, k >> 12)) {
            let (mut ones, mut zeros) = (0, 0);
            for a in fill(av, at) {
                for b in fill(bv, bt) {
                    ones |= op(a, b);
                    zeros |= !op(a, b);
                }
            }
            let (got, differs) = (bits(Bits::new(av, at), Bits::new(bv, bt)), ones & zeros);
            let wrong = if exact { got != differs } else { differs & !got != 0 };
            assert!(!wrong, "{av:x} {at:x} {bv:x} {bt:x}: {got:b}, not {differs:b}");
        }
    }

    #[test]
    fn sums_products_and_comparisons_of_all_small_numbers() {
        let none = Bits::known(0);
        let carry = |(b, out): (Bits, bool)| b.t | u64::from(out) << 4;
        try_all(true, |a, b| a + b, |a, b| carry(a.add_carry(b, none, 4)));
        try_all(
            true,
            |a, b| a.wrapping_sub(b) & 31,
            |a, b| carry(a.sub_borrow(b, none, 4)),
        );
        try_all(false, |a, b| (a * b) & 15, |a, b| a.mul(b, 4).t);
        try_all(false, |a, b| a.min(b), |a, b| a.extreme(b, false, 4, false).t);
        try_all(false, |a, b| a.max(b), |a, b| a.extreme(b, true, 4, false).t);
        let signed = |x: u64| sign(x, 4);
        try_all(
            false,
            |a, b| signed(a).max(signed(b)) as u64 & 15,
            |a, b| a.extreme(b, true, 4, true).t,
        );
        let told = |op: &'static str, s: bool| move |a: Bits, b: Bits| u64::from(!a.told(op, b, 4, s));
        try_all(true, |a, b| u64::from(a < b), told("lt", false));
        try_all(true, |a, b| u64::from(a <= b), told("le", false));
        try_all(true, |a, b| u64::from(signed(a) > signed(b)), told("gt", true));
        try_all(true, |a, b| u64::from(signed(a) >= signed(b)), told("ge", true));
        // Without undefined bits `eq` is not told, but nobody asks then.
        try_all(false, |a, b| u64::from(a == b), told("eq", false));
    }

    #[test]
    fn sums_are_undefined_from_the_lowest_bit_up() {
        assert_eq!(half().add(Bits::known(1), 32).t, 0xffff_0000);
        assert_eq!(Bits::new(0x10, 0xf).add(Bits::known(0x10), 32).t, 0xf);
        assert_eq!(half().mul(Bits::known(0), 32).t, 0);
        assert_eq!(half().mul(Bits::known(0x100), 32).t, 0xff00_0000);
        assert_eq!(half().unless_zero(Bits::known(0), 32).t, 0);
        assert_eq!(up(0x10, 32).t, 0xffff_fff0);
        assert_eq!(up(0, 32).t, 0);
        assert_eq!(any(0x10, 16).t, 0xffff);
    }

    #[test]
    fn unknown_amounts_spoil_everything_but_zero() {
        let by = Bits::new(0, 1);
        assert_eq!(Bits::known(3).shl(by, 32).t, 0xffff_ffff);
        assert_eq!(Bits::known(0).shl(by, 32).t, 0);
        // Bit 5 of the amount does not count.
        assert_eq!(Bits::known(3).shl(Bits::new(0, 32), 32).t, 0);
    }

    #[test]
    fn a_choice_between_equal_bits_is_none() {
        let unknown = Bits::new(0, 1);
        assert_eq!(Bits::select(unknown, Bits::known(5), Bits::known(4)).t, 1);
        assert_eq!(Bits::select(Bits::known(1), Bits::known(5), half()).t, 0);
        assert_eq!(Bits::select(Bits::known(0), Bits::known(5), half()).t, 0xffff_0000);
    }

    #[test]
    fn bytes_are_moved() {
        // Byte 0 of b, byte 7 (the top of a), a sign, and a zero.
        let sel = Bits::known(0x0c_09_07_00);
        assert_eq!(perm(half(), half(), sel).t, 0x00_ff_ff_00);
        assert!(Bits::known(1).differ(Bits::new(0, 2), 32));
        assert!(!Bits::known(2).differ(Bits::new(0, 2), 32));
    }
}
