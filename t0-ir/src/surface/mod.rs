//! The device vocabulary: what kernels are written in, as ordinary Rust for rustc and rust-analyzer to check.
//!
//! Nothing here runs on the host: the bodies panic, because a kernel's checked copy is never called. What a function means
//! is next to it: the closure after `=>` builds its IR when a kernel's twin is staged. Each function has a hidden struct of
//! the same name in the type namespace that carries that closure, so the twin finds it through the user's own imports.
//!
//! One file per idea: `split` (who owns which part of an output), `mat`, `tile`, `lds`, `frag` (the tile level), `place`
//! (`group`, `lane`, `thread`), `wave`, `shared`, `atomic`, `scalar`, `iter`.

mod atomic;
mod frag;
mod iter;
mod lds;
mod mat;
mod place;
mod scalar;
mod shared;
mod split;
mod tile;
pub mod wave;

pub use atomic::{
    fence, AcqRel, Acquire, Atomic, Device, FenceOrder, Group, LoadOrder, Relaxed, Release, RmwOrder, Scope, StoreOrder,
};
pub use frag::{wmma, Acc, AccFrag, Frag, WmmaInto};
pub use half::{bf16, f16};
pub use iter::DeviceIter;
pub use lds::Lds;
pub use mat::{LaneSlice, Mat};
pub use place::{group, lane, thread};
pub use scalar::{Number, Scalar, Signed};
pub use shared::Shared;
pub use split::{Groups, Lanes, WaveSlice, Waves};
pub use tile::{Half, Tile, TileAt, TileRef};

use crate::stage::{Described, TArg, TyDesc};

/// The body of everything that exists on the device only.
pub(crate) fn device<T>() -> T {
    unreachable!("device-only: a kernel is launched, not called")
}

/// A type argument.
pub(crate) fn arg<T: Described + ?Sized>() -> TArg {
    TArg::Ty(T::desc())
}

/// A function of the vocabulary: its signature for rustc, its meaning for staging.
macro_rules! device_fn {
    ($(#[$doc:meta])* $name:ident $([$($generic:tt)*])? ($($arg:ident: $ty:ty),*) $(-> $ret:ty)? => $meaning:expr) => {
        $(#[$doc])*
        #[allow(unused_variables, clippy::extra_unused_type_parameters)]
        pub fn $name $(<$($generic)*>)? ($($arg: $ty),*) $(-> $ret)? {
            $crate::surface::device()
        }

        #[doc(hidden)]
        #[allow(non_camel_case_types)]
        #[derive(Debug)]
        pub struct $name {
            _private: (),
        }

        impl $name {
            #[doc(hidden)]
            pub fn __stage(
                s: &mut $crate::stage::Stage,
                _: &[$crate::stage::TArg],
                args: &[$crate::stage::Val],
                at: $crate::stage::At,
            ) -> $crate::stage::Val {
                s.at(at);
                let meaning: fn(&mut $crate::stage::Stage, &[$crate::stage::Val]) -> $crate::stage::Val = $meaning;
                meaning(s, args)
            }
        }
    };
}
pub(crate) use device_fn;

/// Describes a type of the vocabulary by its name and arguments.
macro_rules! described {
    ($name:literal, [$($generic:tt)*] $ty:ty = $args:expr) => {
        impl<$($generic)*> $crate::stage::Described for $ty {
            fn desc() -> $crate::stage::TyDesc {
                $crate::stage::TyDesc::Named($name, $args)
            }
        }
    };
}
pub(crate) use described;

/// A scalar's description as the first argument.
pub(crate) fn elem<T: Described>() -> Vec<TArg> {
    vec![TArg::Ty(T::desc())]
}

/// Element and shape.
pub(crate) fn shaped<T: Described, const R: usize, const C: usize>() -> Vec<TArg> {
    let n = |n: usize| TArg::Const(i64::try_from(n).unwrap_or(i64::MAX));
    vec![TArg::Ty(T::desc()), n(R), n(C)]
}

/// The description of a slice.
pub(crate) fn slice_of<T: Described>() -> TyDesc {
    TyDesc::Slice(Box::new(T::desc()))
}
