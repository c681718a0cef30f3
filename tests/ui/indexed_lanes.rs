//! A lane has its own element of an output and no other.
use t0::prelude::*;

#[kernel(group = 32)]
pub fn shifted(y: &mut Lanes<f32>) {
    let n = y.len();
    for i in 0..n {
        y[i + 1] = 0.0;
    }
}

/// A local of the same name can be indexed.
#[kernel(group = 32)]
pub fn local(y: &mut Lanes<f32>) {
    for (i, y) in y {
        let y2 = [1.0f32, 2.0];
        let v = y;
        let y = y2;
        *v = y[i % 2];
    }
}

fn main() {}
