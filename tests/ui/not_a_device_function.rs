use t0::prelude::*;

fn square(x: f32) -> f32 {
    x * x
}

#[kernel(group = 256)]
pub fn calls(x: &[f32], y: &mut Lanes<f32>) {
    for (i, y) in y {
        *y = square(x[i]);
    }
}

fn main() {}
