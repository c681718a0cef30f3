//! Matrix fragments and their multiplication.

use std::marker::PhantomData;

use half::{bf16, f16};

use super::{described, device, device_fn, elem, shaped, DeviceIter, Lds, Scalar};

/// A wave's 16×16 block of an input: 16 elements in each lane.
#[derive(Clone, Copy, Debug)]
pub struct Frag<T>(PhantomData<T>);

/// A wave's 16×16 block of an accumulator: 8 elements in each lane.
#[derive(Clone, Copy, Debug)]
pub struct AccFrag<T>(PhantomData<T>);

/// The R×C accumulator of a workgroup, in registers: its 16×16 blocks are shared out over the waves of the group.
///
/// Each wave has a rectangle of blocks, as near to square as divides evenly; a shape that cannot be divided is refused.
#[derive(Debug)]
pub struct Acc<T, const R: usize, const C: usize>(PhantomData<T>);

impl<T: Scalar, const R: usize, const C: usize> Acc<T, R, C> {
    /// All zero. Needs its type: `Acc::<f32, 128, 128>::zero()`.
    pub fn zero() -> Self {
        device()
    }

    /// This wave's blocks: block row, block column, fragment. The loop is unrolled.
    pub fn frags_mut(&mut self) -> DeviceIter<(usize, usize, &mut AccFrag<T>)> {
        device()
    }

    /// `self += a · bᵀ`: one WMMA for each 16×16×16 block.
    pub fn mma_nt<E: WmmaInto<T>, const K: usize>(&mut self, _a: &Lds<E, R, K>, _b: &Lds<E, C, K>) {
        device()
    }
}

/// An input type that the matrix unit multiplies into accumulators of `C`.
#[diagnostic::on_unimplemented(
    message = "no WMMA instruction multiplies `{Self}` into an accumulator of `{C}`",
    label = "not a pair of WMMA types",
    note = "supported pairs: bf16 into f32, f16 into f32; convert the inputs with `bf16::from_f32` or `f16::from_f32`"
)]
pub trait WmmaInto<C>: Scalar {}

impl WmmaInto<f32> for bf16 {}
impl WmmaInto<f32> for f16 {}

device_fn! {
    /// `c + a · bᵀ` on 16×16 blocks; all lanes of the wave must reach it.
    wmma[E: WmmaInto<C>, C: Scalar](a: Frag<E>, b: Frag<E>, c: AccFrag<C>) -> AccFrag<C> => |s, args| s.wmma(args)
}

described!("Frag", [T: Scalar] Frag<T> = elem::<T>());
described!("AccFrag", [T: Scalar] AccFrag<T> = elem::<T>());
described!("Acc", [T: Scalar, const R: usize, const C: usize] Acc<T, R, C> = shaped::<T, R, C>());
