//! Vectors: `saxpy` and `gelu`, one element per lane; at the SIMT level `reduce`, a sum (lanes → waves by `wave::sum`, waves → group
//! through LDS, groups by one atomic each), `scan_blocks` by the same steps, and `histogram`, counted in LDS.

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

/// `y ← x·Φ(x)` in its form by tanh, `x / (1 + exp(-2u))` with `u = √(2/π)·(x + 0.044715·x³)`; x and y equally long.
#[kernel(group = 256)]
pub fn gelu(x: &[f32], y: &mut Lanes<f32>) {
    for (i, y) in y {
        let v = x[i];
        // -2u
        let t = v * (v * v).mul_add(-0.071_354_814, -1.595_769);
        *y = v / (1.0 + t.exp());
    }
}

/// `bins[v] += n`, n the number of elements of x that are v modulo 256; 256 bins. Four elements a work-item, counted in LDS.
#[kernel(group = 256, grid = x.len().div_ceil(4))]
pub fn histogram(x: &[u32], bins: &[Atomic<u32>]) {
    let counts = Shared::<[Atomic<u32>; 256]>::new();
    let t = thread::local();
    counts[t].store(0, Relaxed, Group);
    group::barrier();

    #[unroll]
    for k in 0..4 {
        let i = group::id() * 1024 + 256 * k + t;
        if i < x.len() {
            counts[(x[i] % 256) as usize].fetch_add(1, Relaxed, Group);
        }
    }
    group::barrier();
    bins[t].fetch_add(counts[t].load(Relaxed, Group), Relaxed, Device);
}

/// `y` ← inclusive prefix sums of x within each block of 256 elements, `totals[b]` ← the sum of block b; sums wrap. x and y
/// equally long, an element of `totals` for each block, the last one included.
#[kernel(group = 256)]
pub fn scan_blocks(x: &[u32], y: &mut Lanes<u32>, totals: &[Atomic<u32>]) {
    let mut sums = Shared::<[u32; 8]>::new();
    let i = thread::index();
    let mut v = 0;
    if i < x.len() {
        v = x[i];
    }
    let in_wave = wave::scan(v);
    if lane::id() == 31 {
        sums[wave::id()] = in_wave;
    }
    group::barrier();

    let mut before = 0;
    #[unroll]
    for w in 0..7 {
        if w < wave::id() {
            before += sums[w];
        }
    }
    if thread::local() == 255 {
        totals[group::id()].store(before + in_wave, Relaxed, Device);
    }
    for (_, y) in y {
        *y = before + in_wave;
    }
}
