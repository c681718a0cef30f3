use t0::prelude::*;

#[kernel(group = 256)]
pub fn too_much(x: &[f32], y: &mut Lanes<f32>) {
    let square = |a: f32| a * a;
    let list = vec![1.0f32; 4];
    for (i, y) in y {
        assert!(i < 10);
        if let Some(v) = x.get(i) {
            *y = square(v.powf(2.0)) + list[0];
        }
    }
}

fn main() {}
