//! Atomics: memory that several work-items write.

use std::marker::PhantomData;

use super::{described, device, device_fn, elem, Number};
use crate::stage::{Lift, Lifted};

macro_rules! marks {
    ($($(#[$doc:meta])* $name:ident;)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl Lift for $name {
            fn lift(self) -> Lifted {
                Lifted::Mark(stringify!($name))
            }
        }

    )* };
}

marks! {
    /// Memory order: only the atomicity of the operation itself.
    Relaxed;
    /// Memory order: who reads so sees what was written before the [`Release`] of the value it reads, and what comes after it
    /// in the program happens after it.
    Acquire;
    /// Memory order: what comes before it in the program is there for whoever reads the value with [`Acquire`].
    Release;
    /// Memory order: [`Acquire`] and [`Release`].
    AcqRel;
    /// Scope: all work-items on the device.
    Device;
    /// Scope: the work-items of one workgroup.
    Group;
}

/// A scope an atomic operation can have.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no scope",
    label = "not a scope",
    note = "a scope is `Device` (all work-items on the device) or `Group` (those of one workgroup)"
)]
pub trait Scope {}
impl Scope for Device {}
impl Scope for Group {}

/// An order of an operation that reads and writes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no memory order",
    label = "not an order",
    note = "`fetch_…` and `swap` take `Relaxed`, `Acquire`, `Release` or `AcqRel`, then the scope: `x[i].fetch_add(1, Relaxed, Device)`"
)]
pub trait RmwOrder {}
impl RmwOrder for Relaxed {}
impl RmwOrder for Acquire {}
impl RmwOrder for Release {}
impl RmwOrder for AcqRel {}

/// An order of an atomic load.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no memory order of a load",
    label = "not an order of a load",
    note = "`load` takes `Relaxed` or `Acquire`, then the scope: `x[i].load(Acquire, Device)`"
)]
pub trait LoadOrder {}
impl LoadOrder for Relaxed {}
impl LoadOrder for Acquire {}

/// An order of an atomic store.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no memory order of a store",
    label = "not an order of a store",
    note = "`store` takes the value, `Relaxed` or `Release`, then the scope: `x[i].store(1, Release, Device)`"
)]
pub trait StoreOrder {}
impl StoreOrder for Relaxed {}
impl StoreOrder for Release {}

/// An order of a fence.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no memory order of a fence",
    label = "not an order of a fence",
    note = "`fence` takes `Acquire`, `Release` or `AcqRel`, then the scope: `fence(Release, Device)`"
)]
pub trait FenceOrder {}
impl FenceOrder for Acquire {}
impl FenceOrder for Release {}
impl FenceOrder for AcqRel {}

/// An element several work-items may write: `&[Atomic<T>]` as a parameter, `Shared<[Atomic<T>; N]>` in LDS.
///
/// Order and scope are explicit: `x[i].fetch_add(1, Relaxed, Device)`. `fetch_…` and `swap` return the old value. Something is
/// handed over from one workgroup to another by a [`Release`] and an [`Acquire`], both at [`Device`] scope:
///
/// ```
/// # use t0_ir::surface::*;
/// # fn kernel(value: &[Atomic<u32>], ready: &[Atomic<u32>]) {
/// // one workgroup
/// value[0].store(42, Relaxed, Device);
/// ready[0].store(1, Release, Device);
/// // another one
/// while ready[0].load(Acquire, Device) == 0 {}
/// let v = value[0].load(Relaxed, Device);
/// # }
/// ```
#[derive(Debug)]
pub struct Atomic<T>(PhantomData<T>);

#[allow(unused_variables)]
impl<T: Number> Atomic<T> {
    /// The value.
    pub fn load(&self, order: impl LoadOrder, scope: impl Scope) -> T {
        device()
    }

    /// Replaces the value.
    pub fn store(&self, value: T, order: impl StoreOrder, scope: impl Scope) {
        device()
    }
}

device_fn! {
    /// Orders all memory accesses of the wave around it: with [`Release`] those before it are over for whoever acquires what an
    /// atomic behind it writes, with [`Acquire`] those behind it see what was released to an atomic read before it.
    fence[](order: impl FenceOrder, scope: impl Scope) => |s, args| s.fence(args)
}

macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        impl<T: Number> Atomic<T> {
            $( $(#[$doc])*
            #[allow(unused_variables)]
            pub fn $name(&self, value: T, order: impl RmwOrder, scope: impl Scope) -> T {
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
