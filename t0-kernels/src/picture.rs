//! Filters on grey pictures, one wave per row: edges by Sobel, and any of 3 × 3 weights.

use t0::prelude::*;

/// `y` ← gradient magnitude of `x`, rounded towards zero and saturated at 255; both rows × cols. Pixels outside the picture
/// repeat its border.
#[kernel(group = 256)]
pub fn edges(x: &Mat<u8>, y: &mut Waves<[u8]>) {
    for (r, out) in y {
        let above = &x[r.max(1) - 1];
        let here = &x[r];
        let below = &x[(r + 1).min(x.rows() - 1)];

        for (c, o) in out.lanes_mut() {
            let left = c.max(1) - 1;
            let right = (c + 1).min(x.cols() - 1);
            let gx = above[right] as i32 + 2 * here[right] as i32 + below[right] as i32
                - (above[left] as i32 + 2 * here[left] as i32 + below[left] as i32);
            let gy = below[left] as i32 + 2 * below[c] as i32 + below[right] as i32
                - (above[left] as i32 + 2 * above[c] as i32 + above[right] as i32);
            *o = ((gx * gx + gy * gy) as f32).sqrt() as u8;
        }
    }
}

/// `y` ← sums of 3 × 3 neighbours of `x` by `weight`, its nine elements row by row; both rows × cols. Pixels outside the picture
/// repeat its border.
#[kernel(group = 256)]
pub fn conv3x3(x: &Mat<f32>, weight: &[f32], y: &mut Waves<[f32]>) {
    for (r, out) in y {
        let above = &x[r.max(1) - 1];
        let here = &x[r];
        let below = &x[(r + 1).min(x.rows() - 1)];

        for (c, o) in out.lanes_mut() {
            let left = c.max(1) - 1;
            let right = (c + 1).min(x.cols() - 1);
            let mut sum = above[left] * weight[0];
            sum = above[c].mul_add(weight[1], sum);
            sum = above[right].mul_add(weight[2], sum);
            sum = here[left].mul_add(weight[3], sum);
            sum = here[c].mul_add(weight[4], sum);
            sum = here[right].mul_add(weight[5], sum);
            sum = below[left].mul_add(weight[6], sum);
            sum = below[c].mul_add(weight[7], sum);
            *o = below[right].mul_add(weight[8], sum);
        }
    }
}
