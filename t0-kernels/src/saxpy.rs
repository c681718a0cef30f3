//! `y ← a·x + y`: one element per lane.

use t0::prelude::*;

/// `y ← a·x + y`; x and y equally long.
#[kernel(group = 256)]
pub fn saxpy(a: f32, x: &[f32], y: &mut Lanes<f32>) {
    for (i, y) in y {
        *y += a * x[i];
    }
}
