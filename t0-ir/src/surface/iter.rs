//! What `for` loops over.

use std::marker::PhantomData;

use super::device;

/// An iterator of the device: only `for` uses it.
#[derive(Debug)]
pub struct DeviceIter<T>(PhantomData<T>);

impl<T> Iterator for DeviceIter<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        device()
    }
}
