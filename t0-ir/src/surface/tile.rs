//! Tiles of matrices in global memory.

use std::marker::PhantomData;

use half::{bf16, f16};

use super::{described, device, shaped, Acc, Scalar};

/// An R×C block of an input matrix, named but not loaded: see [`super::Mat::tile`].
#[derive(Clone, Copy, Debug)]
pub struct TileRef<'a, T, const R: usize, const C: usize>(PhantomData<&'a T>);

impl<'a, T: Scalar, const R: usize, const C: usize> TileRef<'a, T, R, C> {
    /// The same block with rows and columns exchanged, still to be loaded: element (r, c) is the block's (c, r). The exchange is made on
    /// the way to LDS, once for the whole workgroup; loads of memory are as wide as without it.
    pub fn transposed(self) -> TileRef<'a, T, C, R>
    where
        T: Half,
    {
        device()
    }
}

/// Element types of 16 bits, whose tiles can be transposed.
#[diagnostic::on_unimplemented(
    message = "a tile of `{Self}` cannot be transposed on its way to LDS",
    label = "not a 16-bit float",
    note = "tiles of `bf16` and `f16` can; others are read from LDS in the order they lie in"
)]
pub trait Half: Scalar {}

impl Half for bf16 {}
impl Half for f16 {}

/// Where a tile lies in its matrix, in elements.
#[derive(Clone, Copy, Debug)]
pub struct TileAt {
    /// First row.
    pub row: usize,
    /// First column.
    pub col: usize,
}

/// The R×C block of an output that a workgroup owns.
#[derive(Debug)]
pub struct Tile<T, const R: usize, const C: usize>(PhantomData<T>);

impl<T: Scalar, const R: usize, const C: usize> Tile<T, R, C> {
    /// Writes an accumulator; what lies outside the matrix is not written. All waves of the group must reach it.
    pub fn store(&mut self, _acc: Acc<T, R, C>) {
        device()
    }
}

described!("Tile", [T: Scalar, const R: usize, const C: usize] Tile<T, R, C> = shaped::<T, R, C>());
