use t0::prelude::*;

#[kernel(group = 256)]
pub fn scatter(x: &[f32], y: &mut Lanes<f32>) {
    for (i, y) in y {
        x[i] = *y;
    }
}

fn main() {}
