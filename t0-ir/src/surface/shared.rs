//! LDS by hand: an array shared by the workgroup.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

use super::{described, device};
use crate::stage::{Described, TArg};

/// `Shared<[T; N]>`: N elements in LDS, seen by all work-items of the group.
///
/// Its contents are arbitrary at first. Between a write and a read by another work-item there must be a
/// [`super::group::barrier`]. Elements may be `Atomic<T>`.
#[derive(Debug)]
pub struct Shared<S: ?Sized>(PhantomData<S>);

impl<T, const N: usize> Shared<[T; N]> {
    /// Reserves the array. Needs its type: `Shared::<[f32; 256]>::new()`.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        device()
    }

    /// N.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        device()
    }
}

impl<T, const N: usize> Index<usize> for Shared<[T; N]> {
    type Output = T;

    fn index(&self, _i: usize) -> &T {
        device()
    }
}

impl<T, const N: usize> IndexMut<usize> for Shared<[T; N]> {
    fn index_mut(&mut self, _i: usize) -> &mut T {
        device()
    }
}

described!("Shared", [T: Described, const N: usize] Shared<[T; N]> = vec![TArg::Ty(<[T; N]>::desc())]);
