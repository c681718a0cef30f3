//! Edge detection on a grey picture: the Sobel filter, one wave per row.

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
