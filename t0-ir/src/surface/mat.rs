//! Matrices and rows, read by all.

use std::marker::PhantomData;
use std::ops::Index;

use super::{described, device, elem, DeviceIter, Scalar, TileRef};

/// A row-major matrix with any row stride, read by all.
#[derive(Debug)]
pub struct Mat<T>(PhantomData<T>);

impl<T: Scalar> Mat<T> {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        device()
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        device()
    }

    /// The R×C block from element (`row`, `col`) on; what lies outside the matrix reads as 0.
    #[allow(unused_variables)]
    pub fn tile<const R: usize, const C: usize>(&self, row: usize, col: usize) -> TileRef<'_, T, R, C> {
        device()
    }
}

/// `&x[r]` is row `r`; a row past the end is empty.
impl<T: Scalar> Index<usize> for Mat<T> {
    type Output = [T];

    fn index(&self, _row: usize) -> &[T] {
        device()
    }
}

/// Sharing a slice out over the lanes of a wave.
pub trait LaneSlice<T> {
    /// This lane's elements with their indices: `lane`, `lane + 32`, …
    fn lanes(&self) -> DeviceIter<(usize, &T)>;
}

impl<T: Scalar> LaneSlice<T> for [T] {
    fn lanes(&self) -> DeviceIter<(usize, &T)> {
        device()
    }
}

described!("Mat", [T: Scalar] Mat<T> = elem::<T>());
