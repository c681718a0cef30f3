//! Tiles of matrices in global memory.

use std::marker::PhantomData;

use super::{described, device, shaped, Acc, Scalar};

/// An R×C block of an input matrix, named but not loaded: see [`super::Mat::tile`].
#[derive(Clone, Copy, Debug)]
pub struct TileRef<'a, T, const R: usize, const C: usize>(PhantomData<&'a T>);

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
