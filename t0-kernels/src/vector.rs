//! Vectors: `saxpy`, one element per lane; `reduce`, a sum at the SIMT level: lanes → waves by `wave::sum`, waves → group through
//! LDS, groups by one atomic each.

use t0::prelude::*;

/// `y ← a·x + y`; x and y equally long.
#[kernel(group = 256)]
pub fn saxpy(a: f32, x: &[f32], y: &mut Lanes<f32>) {
    for (i, y) in y {
        *y += a * x[i];
    }
}

/// `total[0] += Σ x`. The groups' sums are added in no fixed order: exact where every partial sum is (integers below 2²⁴).
#[kernel(group = 256, grid = x.len())]
pub fn reduce(x: &[f32], total: &[Atomic<f32>]) {
    let mut parts = Shared::<[f32; 8]>::new();

    let i = thread::index();
    let mut v = 0.0;
    if i < x.len() {
        v = x[i];
    }
    let part = wave::sum(v);
    if lane::id() == 0 {
        parts[wave::id()] = part;
    }
    group::barrier();

    if thread::local() == 0 {
        let mut sum = 0.0;
        for w in 0..8 {
            sum += parts[w];
        }
        total[0].fetch_add(sum, Relaxed, Device);
    }
}
