//! Tiles that are transposed on their way from the matrix to LDS.
//!
//! Problem: a fragment's lanes read 16 elements that are neighbours along k. In a matrix whose rows run across k they are a row
//! apart, while memory is read 16 bytes of a row at a time. Method: a pair of neighbouring lanes carries four rows of 8
//! columns, the even lane rows 0 and 2, the odd one rows 1 and 3. A byte permutation across the two ([`OpKind::WavePerm`], one
//! instruction) makes one dword of two rows out of the dwords that both hold of the same two columns, for the left column in the
//! even lane, for the right one in the odd. Two such dwords are four elements along k, and go to LDS as one store of 8 bytes:
//!
//! ```text
//! columns            0 1   2 3   4 5   6 7
//! even lane  row 0   a b   c d   e f   g h      stores  a i A I  in row 0 of the tile, c k C K in row 2, …
//! odd lane   row 1   i j   k l   m n   o p      stores  b j B J  in row 1,             d l D L in row 3, …
//! even lane  row 2   A B   C D   E F   G H
//! odd lane   row 3   I J   K L   M N   O P
//! ```
//!
//! Which pair carries which rows decides what 16 lanes that store together meet in the banks: 8 bytes of two neighbouring rows of
//! the tile, at eight places along them. Rows of 64 bytes have just eight such places, two rows of them fill the banks. In
//! longer ones the second row's chunks are exchanged in twos (see [`super::swizzle`]), so every other chunk is taken. Rows of 32
//! bytes have too few places, and in padded ones some lanes meet: those stores take longer.

use crate::build::Builder;
use crate::func::Value;
use crate::op::OpKind;
use crate::passes::rewrite::Rewriter;
use crate::ty::{Scalar, Ty};

use super::arith::{split_const, Arith};
use super::fetch::{carried, Chunk};
use super::layout::Layout;
use super::Place;

/// Rows of a pair of lanes.
const ROWS: u32 = 4;
/// Pairs of lanes that store together.
const TOGETHER: u32 = 8;

/// The chunks of a lane, in twos: rows r and r + 2.
pub(super) fn chunks(b: &mut Builder, l: &Layout) -> Vec<Chunk> {
    let id = b.op1(OpKind::LocalId, &[]);
    let (pair, odd) = b.div_rem(id, 2, l.group);
    let mut out = Vec::new();
    for n in 0..l.per_lane / 2 {
        let pair = b.add_const(pair, n * (l.group / 2));
        let (block, across) = place_of(b, l, pair);
        let first = b.mul_const(block, ROWS);
        let row = b.add(first, odd);
        let col = b.mul_const(across, l.chunk);
        out.extend([0, 2].map(|row_const| Chunk { row, row_const, col }));
    }
    out
}

/// Which four rows and which chunk of them pair number `pair` carries.
fn place_of(b: &mut Builder, l: &Layout, pair: Value) -> (Value, Value) {
    let blocks = l.source()[0] / ROWS;
    let limit = l.group / 2 * (l.per_lane / 2);
    if blocks % TOGETHER != 0 {
        return b.div_rem(pair, l.per_row, limit);
    }
    let (rest, low) = b.div_rem(pair, TOGETHER, limit);
    let (high, across) = b.div_rem(rest, l.per_row, limit);
    if blocks % (2 * TOGETHER) != 0 {
        let high = b.mul_const(high, TOGETHER);
        return (b.add(high, low), across);
    }
    // A chunk of the tile's row is two blocks.
    let (half, every_other) = (b.and_const(low, 1), b.and_const(low, 6));
    let (left_out, turn) = (b.and_const(high, 1), b.and_const(high, !1));
    let every_other = b.mul_const(every_other, 2);
    let left_out = b.mul_const(left_out, 2);
    let turn = b.mul_const(turn, TOGETHER);
    let block = b.add(half, every_other);
    let high = b.add(left_out, turn);
    (b.add(block, high), across)
}

/// Builds a commit: the lane's chunks into a tile's place in LDS.
pub(super) fn commit(r: &mut Rewriter<'_>, place: &Place, staged: &[Value]) {
    let l = &place.layout;
    let (place_offset, place_base) = split_const(r, place.offset);
    let b = &mut r.b;
    let id = b.op1(OpKind::LocalId, &[]);
    let odd = b.and_const(id, 1);
    let pick = pick(b, odd);
    let chunks = chunks(b, l);
    for (n, (c, values)) in chunks.chunks(2).zip(staged.chunks(2)).enumerate() {
        let dwords: Vec<Vec<Value>> = values.iter().map(|&v| exchanged(b, v, pick)).collect();
        let first = b.and_const(c[0].row, !(ROWS - 1));
        let along = b.mul_const(first, l.ty.elem.bytes());
        let row = b.add(c[0].col, odd);
        let mut line = b.mul_const(row, l.stride);
        if let Some(at) = place_offset {
            line = b.add(line, at);
        }
        let mut store = |d: u32| {
            let mut along = along;
            if let Some(swizzle) = l.swizzle {
                // A chunk's columns are all the rows after which it repeats.
                let own = b.add_const(odd, 2 * d);
                let turn = swizzle.turn(b, own);
                along = b.op1(OpKind::Xor, &[along, turn]);
            }
            let offset = b.add(line, along);
            let both: Vec<Value> = dwords.iter().map(|v| v[d as usize]).collect();
            let value = b.op1_as(OpKind::VecBuild, &both, Ty::Vec(Scalar::U32, 2));
            let kind = OpKind::LdsStore {
                lds: place.lds,
                base: 2 * d * l.stride + place_base,
                slot: place.slot,
            };
            (kind, offset, value)
        };
        let stores: Vec<_> = (0..l.chunk / 2).map(&mut store).collect();
        carried(b, l, 2 * n as u32, &c[0], &stores);
    }
}

/// Even lanes take the low halves, their own lower; odd ones the high halves, their own higher.
fn pick(b: &mut Builder, odd: Value) -> Value {
    let (even_pick, odd_pick) = (b.u32(0x0504_0100), b.u32(0x0302_0706));
    let one = b.u32(1);
    let is_even = b.lt(odd, one);
    b.select(is_even, even_pick, odd_pick)
}

/// The dwords of a chunk, each put together with that of the neighbouring lane.
fn exchanged(b: &mut Builder, chunk: Value, pick: Value) -> Vec<Value> {
    let dwords = b.op1_as(OpKind::Bitcast, &[chunk], Ty::Vec(Scalar::U32, 4));
    let one = |index| {
        let own = b.op1(OpKind::VecGet { index }, &[dwords]);
        b.op1(OpKind::WavePerm { mask: 1 }, &[own, pick])
    };
    (0..4).map(one).collect()
}
