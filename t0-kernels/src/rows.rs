//! Softmax over the rows of a matrix: one wave per row, three sweeps.

use t0::prelude::*;

/// Each row of `y` ← softmax of the same row of `x`; both rows × cols.
#[kernel(group = 256)]
pub fn softmax(x: &Mat<f32>, y: &mut Waves<[f32]>) {
    for (r, out) in y {
        let row = &x[r];

        // The largest element is subtracted first, so that no exponential overflows.
        let mut max = f32::NEG_INFINITY;
        for (_, &v) in row.lanes() {
            max = max.max(v);
        }
        let max = wave::max(max);

        let mut sum = 0.0;
        for (_, &v) in row.lanes() {
            sum += (v - max).exp();
        }
        let scale = 1.0 / wave::sum(sum);

        for (c, o) in out.lanes_mut() {
            *o = (row[c] - max).exp() * scale;
        }
    }
}
