use t0::prelude::*;

#[kernel(group = 256)]
pub fn saxpy(a: u32, x: &[f32], y: &mut Lanes<f32>) {
    for (i, y) in y {
        *y += a * x[i];
    }
}

fn main() {}
