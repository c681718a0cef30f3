use t0::prelude::*;

#[kernel(group = 256)]
pub fn saxpy(a: f32, x: &[f32], y: &mut Lanes<f32>) {
    for (i, y) in y {
        *y += a * x[i];
    }
}

fn aliased(q: &Queue, mut y: Buffer<f32>) {
    let _ = q.launch(saxpy { a: 2.0, x: &y, y: &mut y });
}

fn main() {}
