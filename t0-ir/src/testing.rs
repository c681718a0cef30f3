//! Random kernels for differential tests: well-typed, terminating, free of races, the same for the same seed.
//!
//! A kernel reads input slices at any index, computes in straight lines, branches and loops, and writes each result to
//! a place of its own, so that what it leaves in memory does not depend on the order of lanes, waves and groups. Bits of a
//! NaN never become visible as integers, and signalling NaNs never arise, since their handling is not part of the IR's meaning.

pub mod file;
mod generate;
mod shrink;

use crate::eval::Const;
use crate::func::{Func, ParamKind};
use crate::interp::{Arg, Memory};
use crate::op::OpKind;
use crate::ty::Scalar;

pub use generate::random_case;
pub use shrink::shrink;

/// A generator of pseudo-random numbers (SplitMix64: G. Steele et al., "Fast splittable pseudorandom number generators", 2014).
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// A generator; equal seeds give equal numbers.
    pub fn new(seed: u64) -> Rng {
        Rng(seed)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n` (which is not 0).
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of several items.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// A value of a type: often a special one (zeros, ones, extremes, infinities, quiet NaN), else of any size.
    pub fn scalar(&mut self, s: Scalar) -> Const {
        let c = if s.is_float() {
            self.float(s)
        } else {
            Const::new(s, self.int())
        };
        if c.is_nan() {
            crate::eval::round(s, f64::NAN)
        } else {
            c
        }
    }

    fn int(&mut self) -> u64 {
        match self.below(4) {
            0 => self.pick(&[0, 1, 2, u64::MAX, 1 << 31, (1 << 31) - 1, 1 << 63, 31, 32]),
            1 => self.bits() % 100,
            2 => (self.bits() % 100).wrapping_neg(),
            _ => self.bits(),
        }
    }

    fn float(&mut self, s: Scalar) -> Const {
        let specials = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            2.0,
            3.0,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            65504.0,
        ];
        match self.below(4) {
            0 => crate::eval::round(s, self.pick(&specials)),
            1 => crate::eval::round(s, self.below(2000) as f64 / 16.0 - 60.0),
            _ => Const::new(s, self.bits()),
        }
    }
}

/// What random kernels may contain.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// About how many operations.
    pub ops: usize,
    /// Branches and loops.
    pub control: bool,
    /// Wave collectives, where all lanes come by.
    pub collectives: bool,
    /// An exchange through LDS with barriers, where all waves come by.
    pub lds: bool,
    /// Atomics on a buffer (results unused, so that their order does not show).
    pub atomics: bool,
    /// Vector loads and stores.
    pub vectors: bool,
    /// Element types in use; `bool` and `u32` always are.
    pub types: &'a [Scalar],
    /// May an operation on operands of this type give a result of that type?
    pub allow: &'a dyn Fn(&OpKind, Scalar, Scalar) -> bool,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            ops: 60,
            control: true,
            collectives: true,
            lds: true,
            atomics: true,
            vectors: true,
            types: &[Scalar::I32, Scalar::F32, Scalar::F16, Scalar::Bf16],
            allow: &|_, _, _| true,
        }
    }
}

/// A kernel with a launch of it.
#[derive(Clone, Debug)]
pub struct Case {
    /// The kernel.
    pub func: Func,
    /// Arguments; slices are buffers of `memory`.
    pub args: Vec<Arg>,
    /// Memory before the launch: inputs random, outputs poisoned.
    pub memory: Memory,
    /// Grid.
    pub groups: [u32; 3],
}

impl Case {
    /// Are two memories after the launch the same? NaNs of a float buffer all count as one.
    ///
    /// # Errors
    /// The first difference, in words.
    pub fn compare(&self, a: &Memory, b: &Memory) -> Result<(), String> {
        for (p, arg) in self.func.params.iter().zip(&self.args) {
            let (s, base) = match (p.kind, arg) {
                (ParamKind::Slice(s, _), &Arg::Slice { base, .. }) => (s, base),
                (ParamKind::Mat(s, _), &Arg::Mat { base, .. }) => (s, base),
                _ => continue,
            };
            let (Some(x), Some(y)) = (a.buffer(base), b.buffer(base)) else {
                return Err(format!("{} is missing", p.name));
            };
            let n = s.bytes() as usize;
            for (i, (x, y)) in x.chunks(n).zip(y.chunks(n)).enumerate() {
                let read = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |v, &b| v << 8 | u64::from(b));
                let (x, y) = (read(x), read(y));
                if x != y && !Const::new(s, x).same(Const::new(s, y)) {
                    return Err(format!("{}[{i}] is {x:#x} in one and {y:#x} in the other", p.name));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "testing/tests.rs"]
mod tests;
