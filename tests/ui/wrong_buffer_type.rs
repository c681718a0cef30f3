use t0::prelude::*;

#[kernel(group = 256)]
pub fn scale(a: f32, x: &[f32], y: &mut Lanes<f32>) {
    for (i, y) in y {
        *y = a * x[i];
    }
}

fn wrong(q: &Queue, x: &Buffer<u32>, y: &mut Buffer<f32>) {
    let _ = q.launch(scale { a: 2.0, x, y });
}

fn main() {}
