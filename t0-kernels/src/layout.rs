//! Transposition: a tile goes through LDS, so that reads and writes both run along rows.

use t0::prelude::*;

/// `y ← xᵀ`: x is rows × cols, y has rows · cols elements, those of a column of x behind each other. One tile of 32 × 32 per
/// workgroup, four elements a work-item.
///
/// A tile that is written element by element has no owned form: the writes are atomic, in no order.
#[kernel(group = 256, grid = x.rows().div_ceil(32) * x.cols().div_ceil(32) * 256)]
pub fn transpose(x: &Mat<f32>, y: &[Atomic<f32>]) {
    // Rows one element longer than the tile: those of a column lie in different banks.
    let mut tile = Shared::<[f32; 1056]>::new();
    let tiles = x.cols().div_ceil(32);
    let row = group::id() / tiles * 32;
    let col = group::id() % tiles * 32;

    #[unroll]
    for k in 0..4 {
        let r = wave::id() + 8 * k;
        tile[33 * r + lane::id()] = x[row + r][col + lane::id()];
    }
    group::barrier();

    #[unroll]
    for k in 0..4 {
        let c = wave::id() + 8 * k;
        if col + c < x.cols() && row + lane::id() < x.rows() {
            y[(col + c) * x.rows() + row + lane::id()].store(tile[33 * lane::id() + c], Relaxed, Device);
        }
    }
}
