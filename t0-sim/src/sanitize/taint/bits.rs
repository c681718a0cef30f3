//! A value with its undefined bits, and what integer operations make of them.
//!
//! Each operation gives the undefined bits of its result: exactly for bit operations and for shifts by known amounts;
//! sums and products are undefined from the lowest undefined bit up, because carries go that way.

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

/// Sums, differences and products: undefined from the lowest undefined bit of an operand up.
pub(super) fn up(t: u64, width: u32) -> Bits {
    let t = t & ones(width);
    Bits::new(0, (t | t.wrapping_neg()) & ones(width))
}

/// All bits depend on all bits.
pub(super) fn any(t: u64, width: u32) -> Bits {
    Bits::new(0, if t == 0 { 0 } else { ones(width) })
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

    #[test]
    fn sums_are_undefined_from_the_lowest_bit_up() {
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
