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
