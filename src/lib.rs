//! GPU kernels in Rust for AMD RDNA3.
//!
//! A kernel is a Rust function with `#[kernel]`; it is checked by rustc, compiled to machine code in this process and
//! launched as a struct literal. With no GPU in the machine it runs on a simulated card that executes the same bytes.
//!
//! ```
//! use t0::prelude::*;
//!
//! /// y ← a·x + y
//! #[kernel(group = 256)]
//! pub fn saxpy(a: f32, x: &[f32], y: &mut Lanes<f32>) {
//!     for (i, y) in y {
//!         *y += a * x[i];
//!     }
//! }
//!
//! assert_eq!(saxpy::ENTRY.group, 256);
//! ```
#![forbid(unsafe_code)]

pub use t0_ir::surface::*;
pub use t0_macros::{device, kernel, kernel_test};
pub use t0_runtime::*;

pub use t0_ir as ir;
pub use t0_ir::stage::{Kernel, KernelEntry};

/// What a kernel and its launch need: `use t0::prelude::*;`.
///
/// # What a kernel may say
/// * `let`, `let mut`, assignment, arithmetic, comparison, `as`, blocks, tuples, arrays, structs with named fields;
/// * `if`/`else` (also as expressions), `match` on integers and `bool`, `for` over ranges (`step_by`, `rev`), slices, arrays and
///   the iterators below, `while`, `loop`, `break`, `continue` (with labels), early `return`;
/// * calls of `#[device]` functions, which are inlined and may be generic over types and numbers; `const` items.
///
/// Everything else is refused with a sentence at its place. An early exit that differs from lane to lane makes what follows it
/// lane-dependent: collectives (`wave::*`, `group::barrier`, `Lds::load`, `wmma`, `store`) are then refused.
///
/// # Methods
/// * floats: `abs ceil clamp copysign cos exp exp2 floor fract is_finite is_infinite is_nan ln log2 max min mul_add recip
///   round_ties_even sin sqrt to_bits trunc`, `f32::from_bits`; f16 and bf16: `from_f32`, `to_f32`;
/// * integers: `abs_diff clamp count_ones count_zeros div_ceil is_power_of_two leading_zeros max min reverse_bits rotate_left
///   rotate_right saturating_add saturating_sub trailing_zeros` and `wrapping_{abs,add,div,mul,neg,rem,shl,shr,sub}`;
/// * slices: `len is_empty iter enumerate lanes get_unchecked`, `&x[a..b]`; matrices: `rows cols tile`, `&x[r]`;
/// * outputs: `for (i, y) in y` over [`Lanes`], [`Waves`] (then `lanes_mut`) and [`Groups`] (then `store`);
/// * tiles: `transposed` (16 bits an element), [`Lds::load`], `frag`, [`Acc::zero`], `frags_mut`, `mma_nt`;
/// * atomics: `load store swap fetch_{add,min,max,and,or,xor}`, with order and scope, and [`fence`].
///
/// An index out of range reads 0 and writes nothing; with `#[kernel(checked)]` or `Queue::with_checked` it stops the kernel, and
/// whoever waits for it gets [`crate::Error::OutOfRange`].
///
/// On a loop: `#[unroll]`; `#[pipeline(stages = 2)]` keeps the tiles of the next iteration in flight.
pub mod prelude {
    pub use t0_backend_rdna3::target::GFX1100;
    pub use t0_ir::stage::Kernel;
    pub use t0_ir::surface::{
        bf16, f16, fence, group, lane, thread, wave, wmma, Acc, AccFrag, AcqRel, Acquire, Atomic, Device, Frag, Group,
        Groups, LaneSlice, Lanes, Lds, Mat, Number, Relaxed, Release, Scalar, Shared, Signed, Tile, TileAt, TileRef,
        WaveSlice, Waves,
    };
    pub use t0_macros::{device, kernel, kernel_test};
    pub use t0_runtime::{Buffer, Compile, Gpu, MatBuffer, Queue};
}

/// The registry entries of kernels, for a list of all kernels of a crate; generic ones without their arguments.
///
/// ```
/// # use t0::prelude::*;
/// # #[kernel(group = 64)]
/// # pub fn fill<const N: u32>(y: &mut Lanes<u32>) { for (_, y) in y { *y = N; } }
/// pub fn all() -> &'static [&'static t0::KernelEntry] {
///     t0::kernels![fill]
/// }
/// assert_eq!(all()[0].consts, ["N"]);
/// ```
#[macro_export]
macro_rules! kernels {
    ($($kernel:path),* $(,)?) => {
        &[$(<$kernel as $crate::Kernel>::ENTRY),*]
    };
}

/// What the attributes' expansions name; not for use by hand.
#[doc(hidden)]
pub mod __private {
    pub use t0_ir::at;
    pub use t0_ir::stage::{
        field_ty, stage_kernel, At, BinOp, Kernel, KernelEntry, Loop, ParamDesc, Probe, Stage, TArg, TyDesc, UnOp,
        UnknownTy, Val,
    };
    pub use t0_ir::{Diags, Func, Scalar as ScalarTy};
    pub use t0_runtime::{Args, Error, KernelKey, Launch, Param};
}
