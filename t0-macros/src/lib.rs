//! Attributes of t0.
//!
//! `#[kernel]` and `#[device]` emit a function twice: as the user wrote it, for rustc and rust-analyzer to check, and as a
//! *twin* that builds IR when it is run (`twin/`). The macro knows no hardware and no types: whatever it does not
//! understand is refused with one sentence at the user's tokens (`subset.rs`), all refusals together, and the checked copy
//! is emitted all the same, so that rustc's own errors appear too. Arbitrary tokens never make it panic.
#![forbid(unsafe_code)]

mod attr;
mod device;
mod exits;
mod kernel;
mod strip;
mod subset;
mod test;
#[cfg(test)]
mod tests;
mod twin;

use proc_macro::TokenStream;

/// Makes a function a GPU kernel.
///
/// `#[kernel(group = 256)]`: work-items per workgroup, a multiple of 32 up to 1024. The grid follows from the output that
/// the kernel owns (`&mut Lanes`, `&mut Waves`, `&mut Groups`). A kernel that owns none says how many work-items it has:
/// `#[kernel(group = 256, grid = x.len())]`, an expression over the launch arguments that gives a `usize`.
///
/// `#[kernel(group = 256, checked)]`: every index of the kernel is compared with its length on the device; at the first one out of
/// range the kernel stops, and whoever waits for its results gets an error with the place, the index and the length. Without it
/// such an index reads 0 and writes nothing. `Queue::with_checked` does the same for all kernels launched through a queue.
///
/// The kernel becomes a struct of the same name with the parameters as fields: `queue.launch(saxpy { a: 2.0, x: &x, y: &mut y })`.
#[proc_macro_attribute]
pub fn kernel(args: TokenStream, item: TokenStream) -> TokenStream {
    kernel::expand(args.into(), item.into()).into()
}

/// Makes a function callable from kernels. It is inlined; generics, const generics and early `return` are fine.
#[proc_macro_attribute]
pub fn device(args: TokenStream, item: TokenStream) -> TokenStream {
    device::expand(args.into(), item.into()).into()
}

/// Makes a function a property test of a kernel.
///
/// The function takes a `&mut KernelTest`, draws shapes, values and buffers from it by name, launches, and compares with a
/// reference on the CPU:
///
/// ```ignore
/// use t0::testing::{KernelTest, Tolerance};
///
/// #[kernel_test(cases = 64)]
/// fn saxpy_is_right(t: &mut KernelTest) {
///     let n = t.shape("n", 0..=2000);
///     let a = t.scalar::<f32>("a");
///     let x = t.input::<f32>("x", n);
///     let mut y = t.inout::<f32>("y", n);
///     t.launch(saxpy { a, x: &x, y: &mut y });
///     t.expect(&y, |i| a * x[i] + y.before()[i], Tolerance::EXACT);
/// }
/// ```
///
/// It becomes the test `saxpy_is_right::cases`, which runs it for `cases` cases (64 if it does not say; `T0_TEST_CASES` overrides it)
/// from a fixed seed (`T0_TEST_SEED`). Sizes are mostly the awkward ones, matrices have gaps between their rows, outputs are
/// poison before the launch, guard bands lie around every buffer, and optimised and unoptimised code are compared. A failing case
/// is made as small as possible and printed as a test to paste: `#[kernel_test(case = "n=3 x=0:1")]` runs that one case.
/// `checked` has indices checked; `instructions = N` lets a wave execute N instructions before it counts as an endless loop.
///
/// `#[ignore]` and `#[should_panic]` go to the test.
#[proc_macro_attribute]
pub fn kernel_test(args: TokenStream, item: TokenStream) -> TokenStream {
    test::expand(args.into(), item.into()).into()
}
