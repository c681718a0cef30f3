//! Rows of a matrix, one wave per row: softmax, norms, `a·x + y`.

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

/// Each row of `y` ← the same row of `x` divided by the root of its mean square (plus `eps`), times `weight`; x and y are
/// rows × cols, `weight` has cols elements.
#[kernel(group = 256)]
pub fn rmsnorm(eps: f32, x: &Mat<f32>, weight: &[f32], y: &mut Waves<[f32]>) {
    for (r, out) in y {
        let row = &x[r];
        let mut squares = 0.0f32;
        for (_, &v) in row.lanes() {
            squares = v.mul_add(v, squares);
        }
        let scale = 1.0 / (wave::sum(squares) / x.cols() as f32 + eps).sqrt();

        for (c, o) in out.lanes_mut() {
            *o = row[c] * scale * weight[c];
        }
    }
}

/// Each row of `y` ← the same row of `x` less its mean, divided by its deviation (the root of the variance plus `eps`), times
/// `weight`, plus `bias`; x and y are rows × cols, `weight` and `bias` have cols elements.
#[kernel(group = 256)]
pub fn layernorm(eps: f32, x: &Mat<f32>, weight: &[f32], bias: &[f32], y: &mut Waves<[f32]>) {
    for (r, out) in y {
        let row = &x[r];
        let cols = x.cols() as f32;
        let mut sum = 0.0f32;
        for (_, &v) in row.lanes() {
            sum += v;
        }
        let mean = wave::sum(sum) / cols;

        // The squares of the differences, not the difference of the squares, which cancel.
        let mut squares = 0.0f32;
        for (_, &v) in row.lanes() {
            let d = v - mean;
            squares = d.mul_add(d, squares);
        }
        let scale = 1.0 / (wave::sum(squares) / cols + eps).sqrt();

        for (c, o) in out.lanes_mut() {
            *o = ((row[c] - mean) * scale).mul_add(weight[c], bias[c]);
        }
    }
}

/// `y ← a·x + y`; both rows × cols. Rows of 128 are four elements a work-item.
#[kernel(group = 256)]
pub fn saxpy_rows(a: f32, x: &Mat<f32>, y: &mut Waves<[f32]>) {
    for (r, out) in y {
        let row = &x[r];
        for (c, o) in out.lanes_mut() {
            *o += a * row[c];
        }
    }
}
