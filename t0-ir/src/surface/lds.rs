//! Tiles in LDS.

use std::marker::PhantomData;

use super::{described, device, shaped, Frag, Scalar, TileRef};

/// An R×C tile in LDS: written once by the whole workgroup, then read-only. The compiler places the barriers.
#[derive(Debug)]
pub struct Lds<T, const R: usize, const C: usize>(PhantomData<T>);

impl<T: Scalar, const R: usize, const C: usize> Lds<T, R, C> {
    /// Loads a block of a matrix; what lies outside the matrix is 0. All waves of the group must reach it.
    pub fn load(_tile: TileRef<'_, T, R, C>) -> Self {
        device()
    }

    /// The 16×16 input fragment of rows `16·block …` and columns `k … k + 16`.
    pub fn frag(&self, _block: usize, _k: usize) -> Frag<T> {
        device()
    }
}

described!("Lds", [T: Scalar, const R: usize, const C: usize] Lds<T, R, C> = shaped::<T, R, C>());
