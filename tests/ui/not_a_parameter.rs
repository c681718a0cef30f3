use t0::prelude::*;

#[kernel(group = 256)]
pub fn named(name: String, y: &mut Lanes<f32>) {
    for (_, y) in y {
        *y = 0.0;
    }
}

#[kernel(group = 256)]
pub fn no_output(x: &[f32]) {
    let _ = x[0];
}

#[kernel(group = 100)]
pub fn odd_group(y: &mut Lanes<f32>) {
    for (_, y) in y {
        *y = 0.0;
    }
}

fn main() {}
