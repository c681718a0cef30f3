//! Element types.

use half::{bf16, f16};
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Rem, RemAssign, Sub, SubAssign};

use crate::stage::Described;

/// What a buffer can hold and a lane can compute with: `bool`, integers of 8 to 64 bits, `usize` (32 bits on the device),
/// f16, bf16, f32, f64.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an element type of the device",
    note = "element types are f64, f32, f16, bf16, i8 … i64, u8 … u64, usize and bool"
)]
pub trait Scalar: Copy + PartialEq + PartialOrd + Default + Described + 'static {}

/// A scalar that can be added up: every one but `bool`.
pub trait Number:
    Scalar
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Rem<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
    + RemAssign
{
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
}

/// A number with a sign.
pub trait Signed: Number + Neg<Output = Self> {}

impl Scalar for bool {}

macro_rules! numbers {
    ($($t:ty: $zero:expr, $one:expr;)*) => { $(
        impl Scalar for $t {}
        impl Number for $t {
            const ZERO: Self = $zero;
            const ONE: Self = $one;
        }
    )* };
}

numbers! {
    i8: 0, 1; i16: 0, 1; i32: 0, 1; i64: 0, 1; isize: 0, 1;
    u8: 0, 1; u16: 0, 1; u32: 0, 1; u64: 0, 1; usize: 0, 1;
    f32: 0.0, 1.0; f64: 0.0, 1.0;
    f16: f16::ZERO, f16::ONE;
    bf16: bf16::ZERO, bf16::ONE;
}

macro_rules! signed {
    ($($t:ty)*) => { $( impl Signed for $t {} )* };
}
signed!(i8 i16 i32 i64 isize f32 f64 f16 bf16);
