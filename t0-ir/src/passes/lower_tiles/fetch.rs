//! A tile from global memory into the lanes' registers, from there into LDS, and an accumulator to global memory.

use crate::build::Builder;
use crate::func::{Func, LdsAlloc, OpId, Value};
use crate::op::{LdsId, OpKind, Pred, CHUNK_OUTSIDE};
use crate::passes::rewrite::Rewriter;
use crate::ty::{Scalar, Ty};

use super::arith::{split_const, Arith};
use super::layout::Layout;
use super::{transpose, Place};

/// A new allocation for `slots` copies of a tile.
pub(crate) fn new_alloc(func: &mut Func, name: Option<&str>, layout: &Layout, slots: u32) -> LdsId {
    let name = match name {
        Some(name) => name.to_string(),
        None => format!("tile{}", func.lds.len()),
    };
    func.new_lds(LdsAlloc {
        name,
        bytes: layout.bytes() * slots,
        align: 16,
        slots,
        elem: None,
        tile: true,
        swizzled: layout.swizzle.is_some(),
    })
}

/// The part of a matrix from a tile's origin on.
struct Window {
    /// View whose element 0 is the tile's element (0, 0).
    view: Value,
    /// Rows of the matrix from the tile's first one on.
    rows: Value,
    /// Columns of the matrix from the tile's first one on.
    cols: Value,
    /// Row stride of the matrix.
    stride: Value,
}

impl Window {
    /// From `buf, rows, cols, stride, row, col`.
    fn new(b: &mut Builder, args: &[Value]) -> Window {
        let [buf, rows, cols, stride, row, col] = [args[0], args[1], args[2], args[3], args[4], args[5]];
        let len = b.op1(OpKind::BufferLen, &[buf]);
        let at = b.mul(row, stride);
        let at = b.add(at, col);
        // 32 bits are enough: where (row, col) is inside the matrix, its index is below the length, which is 32-bit; where it is
        // not, the index may wrap, but then the masks keep every access out. The comparison keeps the view inside its buffer
        // whatever the shape says.
        let inside = b.lt(at, len);
        let zero = b.u32(0);
        let rest = b.op1(OpKind::Sub, &[len, at]);
        let rest = b.select(inside, rest, zero);
        let at = b.select(inside, at, zero);
        let at = b.op1_as(OpKind::Cast, &[at], Ty::Scalar(Scalar::U64));
        Window {
            view: b.op1(OpKind::View, &[buf, at, rest]),
            rows: b.left(rows, row),
            cols: b.left(cols, col),
            stride,
        }
    }
}

/// Where a lane's chunk lies in its tile's block of the matrix: row `row + row_const`, from column `col` on.
#[derive(Clone, Copy)]
pub(super) struct Chunk {
    pub row: Value,
    pub row_const: u32,
    pub col: Value,
}

/// The chunks of a lane. Where the group covers whole rows at a time, all of a lane's chunks have the same column and
/// rows a constant apart.
fn chunks(b: &mut Builder, l: &Layout) -> Vec<Chunk> {
    if l.transposed {
        return transpose::chunks(b, l);
    }
    let id = b.op1(OpKind::LocalId, &[]);
    if l.group % l.per_row == 0 {
        let first = chunk(b, l, id);
        let rows = l.group / l.per_row;
        return (0..l.per_lane)
            .map(|n| Chunk {
                row_const: n * rows,
                ..first
            })
            .collect();
    }
    let mut nth = |n| {
        let id = b.add_const(id, n * l.group);
        chunk(b, l, id)
    };
    (0..l.per_lane).map(&mut nth).collect()
}

fn chunk(b: &mut Builder, l: &Layout, id: Value) -> Chunk {
    let (row, n) = b.div_rem(id, l.per_row, l.group * l.per_lane);
    let col = b.mul_const(n, l.chunk);
    Chunk { row, row_const: 0, col }
}

/// The index and row test of a chunk in a window.
struct Access {
    index: Value,
    row_ok: Value,
    col: Value,
}

/// Builds a fetch: the lane's chunks as vectors. Operands as of `tile_fetch`; the place must be the same for the whole group.
///
/// If columns, stride and first column are all whole chunks, so is every row's part inside the matrix, and a chunk is one
/// wide load that is taken or not. Otherwise each element is loaded on its own.
pub(super) fn fetch(b: &mut Builder, l: &Layout, args: &[Value]) -> Vec<Value> {
    let w = Window::new(b, args);
    let accesses: Vec<Access> = chunks(b, l)
        .iter()
        .enumerate()
        .map(|(n, c)| access(b, l, &w, n as u32, c))
        .collect();
    let shape = b.op1(OpKind::Or, &[args[2], args[3]]);
    let shape = b.op1(OpKind::Or, &[shape, args[5]]);
    let odd = b.and_const(shape, l.chunk - 1);
    let zero = b.u32(0);
    let whole = b.op1(OpKind::Cmp { pred: Pred::Eq }, &[odd, zero]);
    let tys = vec![l.chunk_ty(); accesses.len()];
    b.if_(
        whole,
        &tys,
        |b| accesses.iter().map(|a| load_chunk(b, l, &w, a)).collect(),
        |b| accesses.iter().map(|a| load_elements(b, l, &w, a)).collect(),
    )
}

/// The same for a tile inside its matrix (see [`crate::op::Inside`]): where a lane reads and where the wave does are apart, so
/// that what changes from tile to tile along a loop is one number for the wave.
/// It begins `ahead` rows and columns after the place in `args`.
pub(super) fn fetch_inside(b: &mut Builder, l: &Layout, args: &[Value], ahead: [u32; 2], all_rows: bool) -> Vec<Value> {
    let [buf, rows, stride, row, col] = [args[0], args[1], args[3], args[4], args[5]];
    let size = l.ty.elem.bytes();
    let base = ahead[1] * size;
    let line = b.mul_const(stride, size);
    let (down, mut along) = (b.mul(row, line), b.mul_const(col, size));
    if ahead[0] != 0 {
        // Added to what does not change along the loop.
        let ahead = b.mul_const(line, ahead[0]);
        along = b.add(along, ahead);
    }
    let wave = b.add(down, along);
    let left = b.left(rows, row);
    let all = chunks(b, l);
    let chunk = |(n, c): (usize, Chunk)| {
        let index = b.mul(c.row, stride);
        let mut index = b.add(index, c.col);
        if c.row_const != 0 {
            let rows = b.mul_const(stride, c.row_const);
            index = b.add(index, rows);
        }
        let mut lane = b.mul_const(index, size);
        let tile = b.u32(l.source()[0]); // chunks past the tile count as rows past it
        let rows = match (all_rows, l.is_partial(n as u32)) {
            (true, false) => None,
            (true, true) => Some(tile),
            (false, false) => Some(left),
            (false, true) => Some(b.op1(OpKind::Min, &[left, tile])),
        };
        if let Some(rows) = rows {
            let rows = b.left_const(rows, c.row_const);
            let ok = b.lt(c.row, rows);
            let nowhere = b.u32(CHUNK_OUTSIDE);
            lane = b.select(ok, lane, nowhere);
        }
        b.op1_as(OpKind::LoadChunk { base }, &[buf, lane, wave], l.chunk_ty())
    };
    all.into_iter().enumerate().map(chunk).collect()
}

fn access(b: &mut Builder, l: &Layout, w: &Window, n: u32, c: &Chunk) -> Access {
    let mut rows = w.rows;
    if l.is_partial(n) {
        let all = b.u32(l.source()[0]); // chunks past the tile count as rows past it
        rows = b.op1(OpKind::Min, &[rows, all]);
    }
    rows = b.left_const(rows, c.row_const);
    let index = b.mul(c.row, w.stride);
    let mut index = b.add(index, c.col);
    if c.row_const != 0 {
        let rows = b.mul_const(w.stride, c.row_const);
        index = b.add(index, rows);
    }
    Access {
        index,
        row_ok: b.lt(c.row, rows),
        col: c.col,
    }
}

/// `index` where `ok`, else an index past the end of every view.
fn masked(b: &mut Builder, ok: Value, index: Value) -> Value {
    let nowhere = b.u32(u32::MAX);
    b.select(ok, index, nowhere)
}

fn load_chunk(b: &mut Builder, l: &Layout, w: &Window, a: &Access) -> Value {
    let ok = b.lt(a.col, w.cols);
    let ok = b.op1(OpKind::And, &[a.row_ok, ok]);
    let index = masked(b, ok, a.index);
    b.op1_as(OpKind::Load, &[w.view, index], l.chunk_ty())
}

fn load_elements(b: &mut Builder, l: &Layout, w: &Window, a: &Access) -> Value {
    let elems: Vec<Value> = (0..l.chunk)
        .map(|e| {
            let col = b.add_const(a.col, e);
            let ok = b.lt(col, w.cols);
            let ok = b.op1(OpKind::And, &[a.row_ok, ok]);
            let index = b.add_const(a.index, e);
            let index = masked(b, ok, index);
            b.op1_as(OpKind::Load, &[w.view, index], Ty::Scalar(l.ty.elem))
        })
        .collect();
    b.op1_as(OpKind::VecBuild, &elems, l.chunk_ty())
}

/// Builds a commit: the lane's chunks into a tile's place in LDS.
pub(super) fn commit(r: &mut Rewriter<'_>, place: &Place, staged: &[Value]) {
    let l = &place.layout;
    if l.transposed {
        return transpose::commit(r, place, staged);
    }
    let (place_offset, place_base) = split_const(r, place.offset);
    let b = &mut r.b;
    for (n, (c, &value)) in chunks(b, l).iter().zip(staged).enumerate() {
        let row = b.mul_const(c.row, l.stride);
        let mut col = b.mul_const(c.col, l.ty.elem.bytes());
        if let Some(swizzle) = l.swizzle {
            let own = b.add_const(c.row, c.row_const % swizzle.period());
            let turn = swizzle.turn(b, own);
            col = b.op1(OpKind::Xor, &[col, turn]);
        }
        let mut offset = b.add(row, col);
        if let Some(at) = place_offset {
            offset = b.add(offset, at);
        }
        let kind = OpKind::LdsStore {
            lds: place.lds,
            base: c.row_const * l.stride + place_base,
            slot: place.slot,
        };
        carried(b, l, n as u32, c, &[(kind, offset, value)]);
    }
}

/// Stores what the lanes hold of chunk number `n` where it is one of the tile.
pub(super) fn carried(b: &mut Builder, l: &Layout, n: u32, c: &Chunk, stores: &[(OpKind, Value, Value)]) {
    let store = |b: &mut Builder| {
        for (kind, offset, value) in stores {
            b.op0(kind.clone(), &[*offset, *value]);
        }
        Vec::new()
    };
    if !l.is_partial(n) {
        store(b);
        return;
    }
    // `saturating_sub`: the last chunk of a group that covers more than the tile starts past it for no lane.
    let rows = b.u32(l.source()[0].saturating_sub(c.row_const));
    let carries = b.lt(c.row, rows);
    b.if_(carries, &[], store, |_| Vec::new());
}

/// Builds a `tile_store`: register `v` of a lane goes to row `2v + (lane >> 4)`, column `lane & 15`.
pub(super) fn store(r: &mut Rewriter<'_>, id: OpId) {
    let args = r.get_all(&r.old.op(id).args);
    let (frag, to) = (args[6], r.b.func().ty(args[0]).elem());
    let from = r.b.func().ty(frag).elem();
    let b = &mut r.b;
    let w = Window::new(b, &args[..6]);
    let lane = b.op1(OpKind::LaneId, &[]);
    let col = b.and_const(lane, 15);
    let four = b.u32(4);
    let row = b.op1(OpKind::Shr, &[lane, four]);
    let col_ok = b.lt(col, w.cols);
    let index = b.mul(row, w.stride);
    let first = b.add(index, col);
    for v in 0..8 {
        let rows = b.left_const(w.rows, 2 * v);
        let ok = b.lt(row, rows);
        let ok = b.op1(OpKind::And, &[ok, col_ok]);
        let mut index = first;
        if v > 0 {
            let down = b.mul_const(w.stride, 2 * v);
            index = b.add(first, down);
        }
        let index = masked(b, ok, index);
        let mut value = b.op1(OpKind::VecGet { index: v }, &[frag]);
        if to != from {
            value = b.op1_as(OpKind::Cast, &[value], Ty::Scalar(to));
        }
        b.op0(OpKind::Store, &[w.view, index, value]);
    }
}
