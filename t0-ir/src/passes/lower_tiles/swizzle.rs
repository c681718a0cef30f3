//! Where the chunks of a tile's rows lie when they are not padded.
//!
//! Problem: a fragment load reads 16 bytes of each of 16 rows, 8 lanes at a time, and these must fall on different groups of
//! four banks (of 32); a store of a chunk by each lane must, too. Rows that are a power of two long and lie one after the other
//! have the same columns in the same banks. Method: 16-byte chunk `c` of row `r` lies at chunk `c xor s(r)` of its row, with
//! `s(r) = (r / d) mod n`: n chunks of a row, at most the 8 that fill the banks once, and d rows that do it together (8 / n). Then
//! 8 consecutive rows at one column fall on 8 different groups, and 8 consecutive chunks of a row, or of rows one after the other, do, too.
//! Padding does the same for loads, and costs LDS that other workgroups could use.
//!
//! A fragment's two halves of 16 bytes are then not neighbours, so it is loaded by two addresses. Every column it begins in must
//! be a whole chunk: what is not known to be keeps its tile padded.

use std::collections::HashMap;

use crate::build::Builder;
use crate::func::{Func, OpId, Region, Value};
use crate::op::OpKind;
use crate::ty::TileTy;

use super::arith::Arith;

/// Bytes that lie together.
pub(crate) const UNIT: u32 = 16;
/// Units that fill the 32 banks of 4 bytes once.
const LINE: u32 = 8;
/// How far the making of a column is followed.
const DEPTH: u32 = 16;

/// The exchange of chunks: s(r) = (r / `rows`) mod `chunks`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Swizzle {
    rows: u32,
    chunks: u32,
}

impl Swizzle {
    /// That of tiles of a type, if their rows are a power of two long and more than one unit.
    pub fn of(ty: TileTy) -> Option<Swizzle> {
        let row = ty.cols.checked_mul(ty.elem.bytes())?;
        let units = row / UNIT;
        (row % UNIT == 0 && units.is_power_of_two() && units > 1).then(|| Swizzle {
            rows: (LINE / units).max(1),
            chunks: units.min(LINE),
        })
    }

    /// Bytes within which chunks are exchanged.
    pub fn span(self) -> u32 {
        UNIT * self.chunks
    }

    /// Rows after which it repeats.
    pub fn period(self) -> u32 {
        self.rows * self.chunks
    }

    /// What a byte's place in row `row` is combined with by exclusive or.
    pub fn turn(self, b: &mut Builder, row: Value) -> Value {
        let by = b.u32(self.rows.trailing_zeros());
        let turned = match self.rows {
            1 => row,
            _ => b.op1(OpKind::Shr, &[row, by]),
        };
        let turn = b.and_const(turned, self.chunks - 1);
        b.mul_const(turn, UNIT)
    }

    /// The same as a number.
    #[cfg(test)]
    pub fn turn_of(self, row: u32) -> u32 {
        UNIT * ((row / self.rows) % self.chunks)
    }
}

/// Which tiles are only read in whole chunks.
#[derive(Default)]
pub(crate) struct WholeChunks {
    defs: HashMap<Value, OpId>,
    /// First value and step of loops, by their index.
    indices: HashMap<Value, [Value; 2]>,
    /// Columns of the fragments of each tile.
    columns: HashMap<Value, Vec<Value>>,
}

impl WholeChunks {
    /// Looks at all fragments of a function.
    pub fn of(func: &Func) -> WholeChunks {
        let mut all = WholeChunks::default();
        all.region(func, &func.body);
        all
    }

    fn region(&mut self, func: &Func, region: &Region) {
        for &id in &region.ops {
            let op = func.op(id);
            self.defs.extend(op.results.iter().map(|&v| (v, id)));
            match op.kind {
                OpKind::TileFrag => self.columns.entry(op.args[0]).or_default().push(op.args[2]),
                OpKind::For { .. } => {
                    self.indices.insert(op.regions[0].args[0], [op.args[0], op.args[2]]);
                }
                _ => {}
            }
            op.regions.iter().for_each(|r| self.region(func, r));
        }
    }

    /// Whether all fragments of this tile begin in columns that are whole chunks.
    pub fn has(&self, func: &Func, tile: Value, ty: TileTy) -> bool {
        let elements = (UNIT / ty.elem.bytes().clamp(1, UNIT)).into();
        let mut columns = self.columns.get(&tile).into_iter().flatten();
        columns.all(|&k| self.multiple(func, k, elements, DEPTH))
    }

    fn multiple(&self, func: &Func, v: Value, of: u64, depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        if let Some(&[first, step]) = self.indices.get(&v) {
            return self.multiple(func, first, of, depth) && self.multiple(func, step, of, depth);
        }
        let Some(op) = self.defs.get(&v).map(|&id| func.op(id)) else {
            return false;
        };
        let known = |k: usize| self.multiple(func, op.args[k], of, depth);
        let constant = |v: Value| match self.defs.get(&v).map(|&id| &func.op(id).kind) {
            Some(OpKind::Const { bits, .. }) => Some(*bits),
            _ => None,
        };
        match op.kind {
            OpKind::Const { bits, .. } => bits % of == 0,
            // `of` is a power of two, so wrapping does no harm.
            OpKind::Add | OpKind::Sub => known(0) && known(1),
            OpKind::Mul | OpKind::And => known(0) || known(1),
            OpKind::Shl => known(0) || constant(op.args[1]).is_some_and(|n| (1 << (n & 31)) % of == 0),
            _ => false,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::ty::Scalar;

    fn tile(elem: Scalar, rows: u32, cols: u32) -> TileTy {
        TileTy { elem, rows, cols }
    }

    /// The groups of four banks that 16 bytes at (row, column in bytes) fall on.
    fn group(ty: TileTy, row: u32, at: u32) -> u32 {
        let bytes = ty.cols * ty.elem.bytes();
        (row * bytes + (at ^ Swizzle::of(ty).unwrap().turn_of(row))) / UNIT % LINE
    }

    #[test]
    fn eight_lanes_meet_in_no_bank() {
        for (elem, cols) in [
            (Scalar::Bf16, 16),
            (Scalar::Bf16, 32),
            (Scalar::F16, 64),
            (Scalar::Bf16, 256),
            (Scalar::I8, 32),
        ] {
            let ty = tile(elem, 64, cols);
            let bytes = ty.cols * ty.elem.bytes();
            for at in (0..bytes).step_by(UNIT as usize) {
                for first in (0..64).step_by(8) {
                    let mut groups: Vec<u32> = (first..first + 8).map(|row| group(ty, row, at)).collect();
                    groups.sort_unstable();
                    assert_eq!(groups, (0..8).collect::<Vec<_>>(), "{elem} {cols} column {at}");
                }
            }
            // Stores: neighbouring lanes have neighbouring chunks.
            for first in (0..64 * bytes / UNIT).step_by(8) {
                let chunks = first..first + 8;
                let mut groups: Vec<u32> = chunks.map(|n| group(ty, n * UNIT / bytes, n * UNIT % bytes)).collect();
                groups.sort_unstable();
                assert_eq!(groups, (0..8).collect::<Vec<_>>(), "{elem} {cols} chunks from {first}");
            }
        }
    }

    #[test]
    fn no_two_chunks_share_a_place() {
        let ty = tile(Scalar::Bf16, 16, 32);
        let place = |n: u32| n / 4 * 64 + ((n % 4 * UNIT) ^ Swizzle::of(ty).unwrap().turn_of(n / 4));
        let mut places: Vec<u32> = (0..64).map(place).collect();
        places.sort_unstable();
        assert_eq!(places, (0..64).map(|n| n * UNIT).collect::<Vec<_>>());
    }

    #[test]
    fn odd_rows_are_padded() {
        for (elem, cols) in [
            (Scalar::Bf16, 48),
            (Scalar::Bf16, 8),
            (Scalar::I8, 24),
            (Scalar::F64, 2),
        ] {
            assert_eq!(Swizzle::of(tile(elem, 16, cols)), None, "{elem} {cols}");
        }
    }
}
