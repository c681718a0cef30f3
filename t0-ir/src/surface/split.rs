//! Who owns which part of an output.
//!
//! An output is split by its type in the kernel's signature, and the grid follows from it. Iterating the split yields only
//! what the runner owns, so two work-items never write the same element: no index arithmetic, no bounds test, no `unsafe`.

use std::marker::PhantomData;

use super::{arg, described, device, elem, slice_of, DeviceIter, Scalar, Tile, TileAt};
use crate::stage::TArg;

/// A vector of which each work-item owns one element.
///
/// `for (i, y) in y` runs the body once for each work-item that owns an element `y: &mut T` with index `i: usize`.
/// Grid: ⌈length / group size⌉ workgroups.
#[derive(Debug)]
pub struct Lanes<T>(PhantomData<T>);

impl<T: Scalar> Lanes<T> {
    /// Number of elements.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        device()
    }
}

impl<'a, T: Scalar> IntoIterator for &'a mut Lanes<T> {
    type Item = (usize, &'a mut T);
    type IntoIter = DeviceIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        device()
    }
}

/// A matrix of which each wave owns one row: `Waves<[T]>`.
///
/// `for (r, out) in y` runs the body once for each wave that owns a row `out: &mut WaveSlice<T>` with index `r: usize`.
/// Grid: ⌈rows / waves per group⌉ workgroups.
#[derive(Debug)]
pub struct Waves<S: ?Sized>(PhantomData<S>);

impl<T: Scalar> Waves<[T]> {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        device()
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        device()
    }
}

impl<'a, T: Scalar> IntoIterator for &'a mut Waves<[T]> {
    type Item = (usize, &'a mut WaveSlice<T>);
    type IntoIter = DeviceIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        device()
    }
}

/// The row a wave owns; its lanes own every 32nd element of it.
#[derive(Debug)]
pub struct WaveSlice<T>(PhantomData<T>);

impl<T: Scalar> WaveSlice<T> {
    /// Number of elements.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        device()
    }

    /// The elements this lane owns, with their indices: `lane`, `lane + 32`, …
    pub fn lanes_mut(&mut self) -> DeviceIter<(usize, &mut T)> {
        device()
    }
}

/// A matrix of which each workgroup owns one tile: `Groups<Tile<T, R, C>>`.
///
/// `for (at, c) in c` runs the body once per workgroup, with the tile `c: &mut Tile<T, R, C>` and where it lies, `at: TileAt`.
/// Grid: ⌈columns / C⌉ × ⌈rows / R⌉ workgroups. Tiles at the border are masked: what lies outside is not written.
#[derive(Debug)]
pub struct Groups<S: ?Sized>(PhantomData<S>);

impl<T: Scalar, const R: usize, const C: usize> Groups<Tile<T, R, C>> {
    /// Number of rows of the matrix.
    pub fn rows(&self) -> usize {
        device()
    }

    /// Number of columns of the matrix.
    pub fn cols(&self) -> usize {
        device()
    }
}

impl<'a, T: Scalar, const R: usize, const C: usize> IntoIterator for &'a mut Groups<Tile<T, R, C>> {
    type Item = (TileAt, &'a mut Tile<T, R, C>);
    type IntoIter = DeviceIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        device()
    }
}

described!("Lanes", [T: Scalar] Lanes<T> = elem::<T>());
described!("Waves", [T: Scalar] Waves<[T]> = vec![TArg::Ty(slice_of::<T>())]);
described!("Groups", [T: Scalar, const R: usize, const C: usize] Groups<Tile<T, R, C>> = vec![arg::<Tile<T, R, C>>()]);
