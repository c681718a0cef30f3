//! Types of IR values.
//!
//! A value is what one lane holds: a scalar, a short vector, a lane's share of a WMMA fragment, a view of global
//! memory, or a handle of a tile. `usize` in a kernel is [`Scalar::U32`]: a 32-bit index.

use std::fmt;

/// An element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scalar {
    /// One bit; in registers a lane mask, in memory one byte.
    Bool,
    /// 8-bit signed integer.
    I8,
    /// 16-bit signed integer.
    I16,
    /// 32-bit signed integer.
    I32,
    /// 64-bit signed integer.
    I64,
    /// 8-bit unsigned integer.
    U8,
    /// 16-bit unsigned integer.
    U16,
    /// 32-bit unsigned integer; also `usize`.
    U32,
    /// 64-bit unsigned integer.
    U64,
    /// IEEE binary16.
    F16,
    /// bfloat16.
    Bf16,
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
}

impl Scalar {
    /// Every scalar, in declaration order.
    pub const ALL: [Scalar; 13] = {
        use Scalar::*;
        [Bool, I8, I16, I32, I64, U8, U16, U32, U64, F16, Bf16, F32, F64]
    };

    /// Name as written in Rust and in the text form.
    pub fn name(self) -> &'static str {
        match self {
            Scalar::Bool => "bool",
            Scalar::I8 => "i8",
            Scalar::I16 => "i16",
            Scalar::I32 => "i32",
            Scalar::I64 => "i64",
            Scalar::U8 => "u8",
            Scalar::U16 => "u16",
            Scalar::U32 => "u32",
            Scalar::U64 => "u64",
            Scalar::F16 => "f16",
            Scalar::Bf16 => "bf16",
            Scalar::F32 => "f32",
            Scalar::F64 => "f64",
        }
    }

    /// Size in memory, in bytes.
    pub fn bytes(self) -> u32 {
        match self {
            Scalar::Bool | Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 | Scalar::F16 | Scalar::Bf16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::I64 | Scalar::U64 | Scalar::F64 => 8,
        }
    }

    /// Width in bits; 1 for `bool`.
    pub fn bits(self) -> u32 {
        if self == Scalar::Bool {
            1
        } else {
            self.bytes() * 8
        }
    }

    /// Is this a floating-point type?
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::F16 | Scalar::Bf16 | Scalar::F32 | Scalar::F64)
    }

    /// Is this an integer type (`bool` is not)?
    pub fn is_int(self) -> bool {
        !self.is_float() && self != Scalar::Bool
    }

    /// Is this a signed integer type?
    pub fn is_signed(self) -> bool {
        matches!(self, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64)
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Which operand of a WMMA a fragment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// A 16×16 block of an input: lane `l` holds row (A) or column (B) `l & 15`, 16 consecutive k along its registers;
    /// lanes 16–31 repeat lanes 0–15. A and B have the same layout for `A·Bᵀ`.
    Input,
    /// A 16×16 block of C/D: register `v` of lane `l` holds row `2v + (l >> 4)`, column `l & 15`.
    Acc,
}

/// The type of an IR value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    /// One element per lane.
    Scalar(Scalar),
    /// A short vector per lane: 2, 4 or 8 elements, at most 16 bytes.
    Vec(Scalar, u32),
    /// A lane's share of a 16×16 block (`Frag<E>`); elements per lane: 16 for inputs, 8 for accumulators.
    Frag(Role, Scalar),
    /// A bounded view of global memory: base address and length in elements.
    Buffer(Scalar),
    /// A tile in registers on its way from global memory to LDS, shared out over the workgroup.
    Staged(TileTy),
    /// A tile in LDS.
    LdsTile(TileTy),
}

/// Element type and shape of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TileTy {
    /// Element type.
    pub elem: Scalar,
    /// Rows.
    pub rows: u32,
    /// Columns.
    pub cols: u32,
}

impl Ty {
    /// `bool`.
    pub const BOOL: Ty = Ty::Scalar(Scalar::Bool);
    /// `u32`, also `usize`.
    pub const U32: Ty = Ty::Scalar(Scalar::U32);
    /// `i32`.
    pub const I32: Ty = Ty::Scalar(Scalar::I32);
    /// `f32`.
    pub const F32: Ty = Ty::Scalar(Scalar::F32);

    /// The scalar of a scalar type.
    pub fn scalar(self) -> Option<Scalar> {
        match self {
            Ty::Scalar(s) => Some(s),
            _ => None,
        }
    }

    /// The element type of any type.
    pub fn elem(self) -> Scalar {
        match self {
            Ty::Scalar(s) | Ty::Vec(s, _) | Ty::Frag(_, s) | Ty::Buffer(s) => s,
            Ty::Staged(t) | Ty::LdsTile(t) => t.elem,
        }
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ty::Scalar(s) => write!(f, "{s}"),
            Ty::Vec(s, n) => write!(f, "{s}x{n}"),
            Ty::Frag(Role::Input, s) => write!(f, "frag<{s}>"),
            Ty::Frag(Role::Acc, s) => write!(f, "acc<{s}>"),
            Ty::Buffer(s) => write!(f, "buf<{s}>"),
            Ty::Staged(t) => write!(f, "staged<{} {}x{}>", t.elem, t.rows, t.cols),
            Ty::LdsTile(t) => write!(f, "ldstile<{} {}x{}>", t.elem, t.rows, t.cols),
        }
    }
}
