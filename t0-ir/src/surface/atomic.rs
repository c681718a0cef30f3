//! Atomics: memory that several work-items write.

use std::marker::PhantomData;

use super::{described, device, elem, Number};
use crate::stage::{Lift, Lifted};

/// Memory order: only the atomicity of the operation itself.
#[derive(Clone, Copy, Debug)]
pub struct Relaxed;

/// Scope: all work-items on the device.
#[derive(Clone, Copy, Debug)]
pub struct Device;

/// Scope: the work-items of one workgroup.
#[derive(Clone, Copy, Debug)]
pub struct Group;

impl Lift for Relaxed {
    fn lift(self) -> Lifted {
        Lifted::Mark("Relaxed")
    }
}

impl Lift for Device {
    fn lift(self) -> Lifted {
        Lifted::Mark("Device")
    }
}

impl Lift for Group {
    fn lift(self) -> Lifted {
        Lifted::Mark("Group")
    }
}

/// A scope an atomic operation can have.
pub trait Scope {}
impl Scope for Device {}
impl Scope for Group {}

/// An element several work-items may write: `&[Atomic<T>]` as a parameter, `Shared<[Atomic<T>; N]>` in LDS.
///
/// Every operation returns the old value. Order and scope are explicit: `x[i].fetch_add(1, Relaxed, Device)`.
#[derive(Debug)]
pub struct Atomic<T>(PhantomData<T>);

macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        impl<T: Number> Atomic<T> {
            $( $(#[$doc])*
            #[allow(unused_variables)]
            pub fn $name(&self, value: T, order: Relaxed, scope: impl Scope) -> T {
                device()
            } )*
        }
    };
}

operations! {
    /// Adds; integers wrap.
    fetch_add;
    /// Keeps the smaller value.
    fetch_min;
    /// Keeps the larger value.
    fetch_max;
    /// Bitwise and; integers only.
    fetch_and;
    /// Bitwise or; integers only.
    fetch_or;
    /// Bitwise exclusive or; integers only.
    fetch_xor;
    /// Replaces.
    swap;
}

described!("Atomic", [T: Number] Atomic<T> = elem::<T>());
