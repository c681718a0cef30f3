//! Read-modify-write operations, shared by LDS, global and buffer atomics.

use crate::num::{is_nan32, FpMode, Round};

/// What an atomic does with the old value and its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rmw {
    /// Replace.
    Swap,
    /// Replace when equal to the second operand.
    CmpSwap,
    /// The same with f32 (f64) equality.
    CmpSwapF,
    /// Add.
    Add,
    /// Subtract.
    Sub,
    /// Operand minus old.
    RSub,
    /// Subtract, clamped at zero.
    CSub,
    /// Signed minimum.
    MinI,
    /// Unsigned minimum.
    MinU,
    /// Signed maximum.
    MaxI,
    /// Unsigned maximum.
    MaxU,
    /// And.
    And,
    /// Or.
    Or,
    /// Exclusive or.
    Xor,
    /// Wrapping increment up to the operand.
    Inc,
    /// Wrapping decrement from the operand.
    Dec,
    /// Clear the bits of the first operand, set those of the second.
    MskOr,
    /// `old >= a ? old - a : old + b`.
    Wrap,
    /// f32 add, rounded to nearest whatever MODE says.
    AddF,
    /// f32 or f64 minimum.
    MinF,
    /// f32 or f64 maximum.
    MaxF,
}

/// Width of an atomic in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// 32 bits.
    W32,
    /// 64 bits.
    W64,
}

impl Width {
    /// Bytes of memory.
    pub fn bytes(self) -> u64 {
        match self {
            Width::W32 => 4,
            Width::W64 => 8,
        }
    }
}

/// Memory atomics flush denormals (manual 13); the LDS keeps them (manual 12, "handles denormals").
const MEMORY_FP: FpMode = FpMode {
    round32: Round::Nearest,
    round16: Round::Nearest,
    denorm32: 0,
    denorm16: 3,
    ieee: false,
    dx10_clamp: false,
    fp16_ovfl: false,
};

/// An f32 atomic add in memory, which flushes denormals on both sides.
pub fn add_flush32(old: u32, a: u32) -> u32 {
    let m = MEMORY_FP;
    m.out32(add32(m.in32(old), m.in32(a)))
}

fn add32(x: u32, y: u32) -> u32 {
    let s = (f32::from_bits(x) + f32::from_bits(y)).to_bits();
    if is_nan32(s) {
        crate::num::nan32(&[x, y])
    } else {
        s
    }
}

fn add64(x: u64, y: u64) -> u64 {
    (f64::from_bits(x) + f64::from_bits(y)).to_bits()
}

/// What each operation makes of memory, for one width.
macro_rules! apply {
    ($(#[$doc:meta])* $name:ident, $u:ident, $i:ident, $f:ident, $add:expr) => {
        $(#[$doc])*
        pub fn $name(op: Rmw, old: $u, a: $u, b: $u) -> $u {
            let (fo, fa) = ($f::from_bits(old), $f::from_bits(a));
            match op {
                Rmw::Swap => a,
                Rmw::CmpSwap => {
                    if old == b {
                        a
                    } else {
                        old
                    }
                }
                Rmw::CmpSwapF => {
                    if fo == $f::from_bits(b) {
                        a
                    } else {
                        old
                    }
                }
                Rmw::Add => old.wrapping_add(a),
                Rmw::Sub => old.wrapping_sub(a),
                Rmw::RSub => a.wrapping_sub(old),
                Rmw::CSub => old.saturating_sub(a),
                Rmw::MinI => (old as $i).min(a as $i) as $u,
                Rmw::MinU => old.min(a),
                Rmw::MaxI => (old as $i).max(a as $i) as $u,
                Rmw::MaxU => old.max(a),
                Rmw::And => old & a,
                Rmw::Or => old | a,
                Rmw::Xor => old ^ a,
                Rmw::Inc => {
                    if old >= a {
                        0
                    } else {
                        old + 1
                    }
                }
                Rmw::Dec => {
                    if old == 0 || old > a {
                        a
                    } else {
                        old - 1
                    }
                }
                Rmw::MskOr => (old & !a) | b,
                Rmw::Wrap => {
                    if old >= a {
                        old - a
                    } else {
                        old.wrapping_add(b)
                    }
                }
                Rmw::AddF => $add(old, a),
                Rmw::MinF => {
                    if fa < fo {
                        a
                    } else {
                        old
                    }
                }
                Rmw::MaxF => {
                    if fa > fo {
                        a
                    } else {
                        old
                    }
                }
            }
        }
    };
}

apply! {
    /// The new value of a dword.
    apply32, u32, i32, f32, add32
}
apply! {
    /// The new value of a quadword.
    apply64, u64, i64, f64, add64
}
