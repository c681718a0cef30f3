//! How a kernel parameter looks from the host.
//!
//! A device type in a kernel's signature maps to the type of a field of its launch struct: scalars to themselves, what is
//! read by all to `&Buffer`, what is written to `&mut Buffer`, so that rustc itself refuses a launch whose arguments alias.
//! The parameter that owns an output also gives the grid.

use bytemuck::Pod;
use t0_ir::surface::{bf16, f16, Atomic, Groups, Lanes, Mat, Number, Tile, Waves};
use t0_ir::{Access, ParamKind, Scalar};

use crate::buffer::{Buffer, MatBuffer};
use crate::error::Result;
use crate::kernel::Args;

/// A type that can be a kernel parameter.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a kernel parameter",
    label = "not a kernel parameter",
    note = "read by all: a scalar, `&[T]`, `&Mat<T>`; owned in parts: `&mut Lanes<T>`, `&mut Waves<[T]>`, `&mut Groups<Tile<T, R, C>>`; shared: `&[Atomic<T>]`",
    note = "element types are f64, f32, f16, bf16, i8 … i64, u8 … u64 and usize; `bool` is a scalar parameter only"
)]
pub trait Param {
    /// The type of the launch struct's field.
    type Host;

    /// What it is in the kernarg segment.
    const KIND: ParamKind;

    /// Adds the argument, and the grid if this parameter owns the output.
    ///
    /// # Errors
    /// A buffer of another device, too long, or used twice; a grid that disagrees with another output's.
    fn bind(host: &Self::Host, name: &'static str, args: &mut Args) -> Result<()>;
}

macro_rules! scalar_params {
    ($($t:ty, $s:ident;)*) => { $(
        impl Param for $t {
            type Host = $t;
            const KIND: ParamKind = ParamKind::Scalar(Scalar::$s);

            fn bind(host: &$t, _: &'static str, args: &mut Args) -> Result<()> {
                args.scalar(*host);
                Ok(())
            }
        }
    )* };
}

scalar_params! {
    bool, Bool; i8, I8; i16, I16; i32, I32; i64, I64; u8, U8; u16, U16; u32, U32; u64, U64;
    f16, F16; bf16, Bf16; f32, F32; f64, F64;
}

impl Param for usize {
    type Host = usize;
    const KIND: ParamKind = ParamKind::Scalar(Scalar::U32);

    fn bind(host: &usize, name: &'static str, args: &mut Args) -> Result<()> {
        args.size(name, *host)
    }
}

/// An element of a buffer: its type on the device.
pub trait Element: Pod + t0_ir::surface::Scalar {
    /// Type on the device.
    const SCALAR: Scalar;
}

macro_rules! elements {
    ($($t:ty, $s:ident;)*) => { $(
        impl Element for $t {
            const SCALAR: Scalar = Scalar::$s;
        }

        impl<'h> Param for &'h [$t] {
            type Host = &'h Buffer<$t>;
            const KIND: ParamKind = ParamKind::Slice(Scalar::$s, Access::Read);

            fn bind(host: &Self::Host, name: &'static str, args: &mut Args) -> Result<()> {
                args.buffer(name, host, Access::Read)
            }
        }
    )* };
}

elements! {
    i8, I8; i16, I16; i32, I32; i64, I64; u8, U8; u16, U16; u32, U32; u64, U64;
    f16, F16; bf16, Bf16; f32, F32; f64, F64;
}

impl<'h, T: Element + Number> Param for &'h [Atomic<T>] {
    type Host = &'h mut Buffer<T>;
    const KIND: ParamKind = ParamKind::Slice(T::SCALAR, Access::Atomic);

    fn bind(host: &Self::Host, name: &'static str, args: &mut Args) -> Result<()> {
        args.buffer(name, host, Access::Atomic)
    }
}

impl<'h, T: Element> Param for &'h Mat<T> {
    type Host = &'h MatBuffer<T>;
    const KIND: ParamKind = ParamKind::Mat(T::SCALAR, Access::Read);

    fn bind(host: &Self::Host, name: &'static str, args: &mut Args) -> Result<()> {
        args.mat(name, host, Access::Read)
    }
}

impl<'h, T: Element> Param for &'h mut Lanes<T> {
    type Host = &'h mut Buffer<T>;
    const KIND: ParamKind = ParamKind::Slice(T::SCALAR, Access::Write);

    fn bind(host: &Self::Host, name: &'static str, args: &mut Args) -> Result<()> {
        args.buffer(name, host, Access::Write)?;
        args.grid_lanes(name, host.len())
    }
}

impl<'h, T: Element> Param for &'h mut Waves<[T]> {
    type Host = &'h mut MatBuffer<T>;
    const KIND: ParamKind = ParamKind::Mat(T::SCALAR, Access::Write);

    fn bind(host: &Self::Host, name: &'static str, args: &mut Args) -> Result<()> {
        args.mat(name, host, Access::Write)?;
        args.grid_waves(name, host.rows())
    }
}

impl<'h, T: Element, const R: usize, const C: usize> Param for &'h mut Groups<Tile<T, R, C>> {
    type Host = &'h mut MatBuffer<T>;
    const KIND: ParamKind = ParamKind::Mat(T::SCALAR, Access::Write);

    fn bind(host: &Self::Host, name: &'static str, args: &mut Args) -> Result<()> {
        args.mat(name, host, Access::Write)?;
        let tiles = |n: usize, size: usize| n.div_ceil(size.max(1));
        args.grid_groups(name, tiles(host.cols(), C), tiles(host.rows(), R))
    }
}
