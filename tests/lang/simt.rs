//! Waves, LDS, atomics, views and tiles on the simulated card, against sums done on the host.

use t0::prelude::*;

const N: usize = 777;

fn values() -> Vec<f32> {
    (0..N).map(|i| ((i * 37) % 101) as f32 - 50.0).collect()
}

fn gpu() -> (Gpu, Queue) {
    let gpu = crate::watched();
    let q = gpu.queue().unwrap();
    (gpu, q)
}

#[device]
fn weighted(x: &[f32], i: usize, w: f32) -> f32 {
    let mut s = 0.0;
    for (k, &v) in x.iter().enumerate() {
        if k > 4 {
            break;
        }
        s += v * w;
    }
    s + x[i]
}

#[kernel(group = 128)]
pub fn slices(n: usize, x: &[f32], y: &mut Lanes<f32>) {
    for (i, y) in y {
        let lo = i.min(x.len() - 3);
        let part = &x[lo..lo + 3];
        let mut s = weighted(x, i, 0.5);
        for v in part {
            s += *v;
        }
        let outside = &x[n..n + 1];
        *y = s + part[0] + outside.len() as f32 + outside[0] + part.len() as f32;
    }
}

#[test]
fn slices_subviews_and_iterators() {
    let (gpu, q) = gpu();
    let x = values();
    let buf = gpu.upload(&x).unwrap();
    let mut y = gpu.upload(&vec![0.0f32; N]).unwrap();
    q.launch(slices {
        n: N,
        x: &buf,
        y: &mut y,
    })
    .unwrap();
    let first: f32 = x[..5].iter().fold(0.0, |s, v| s + v * 0.5);
    for (i, y) in y.to_vec().unwrap().into_iter().enumerate() {
        let lo = i.min(N - 3);
        let s = x[lo..lo + 3].iter().fold(first + x[i], |s, v| s + v);
        // `outside` does not lie inside x, so it is empty and reads as 0
        assert_eq!(y, s + x[lo] + 0.0 + 3.0, "element {i}");
    }
}

#[kernel(group = 64)]
pub fn wave_functions(x: &[u32], y: &mut Waves<[u32]>) {
    for (r, out) in y {
        let v = x[r * 32 + lane::id()];
        let odd = v % 2 == 1;
        let results = [
            wave::sum(v),
            wave::min(v),
            wave::max(v),
            wave::scan(v),
            wave::shuffle(v, 31 - lane::id()),
            wave::shuffle_xor(v, 5),
            wave::broadcast(v, 7),
            wave::ballot(odd),
            wave::any(v == 3) as u32,
            wave::all(v < 1000) as u32,
        ];
        for (c, o) in out.lanes_mut() {
            *o = results[c / 32];
        }
    }
}

#[test]
fn wave_functions_are_what_they_say() {
    let (gpu, q) = gpu();
    let rows = 5;
    let x: Vec<u32> = (0..rows * 32).map(|i| (i * 73 % 97) as u32).collect();
    let buf = gpu.upload(&x).unwrap();
    let mut y = gpu.upload_mat(rows, 320, &vec![0u32; rows * 320]).unwrap();
    q.launch(wave_functions { x: &buf, y: &mut y }).unwrap();
    let y = y.to_vec().unwrap();
    for r in 0..rows {
        let w = &x[r * 32..r * 32 + 32];
        let ballot = (0..32).fold(0u32, |b, l| b | (w[l] % 2) << l);
        for l in 0..32 {
            let want = [
                w.iter().sum(),
                *w.iter().min().unwrap(),
                *w.iter().max().unwrap(),
                w[..=l].iter().sum(),
                w[31 - l],
                w[l ^ 5],
                w[7],
                ballot,
                w.contains(&3) as u32,
                1,
            ];
            for (k, want) in want.into_iter().enumerate() {
                assert_eq!(y[r * 320 + k * 32 + l], want, "row {r}, lane {l}, function {k}");
            }
        }
    }
}

#[kernel(group = 256, grid = x.len())]
pub fn histogram(x: &[f32], bins: &[Atomic<u32>], largest: &[Atomic<i32>]) {
    let counts = Shared::<[Atomic<u32>; 16]>::new();
    if thread::local() < 16 {
        counts[thread::local()].swap(0, Relaxed, Group);
    }
    group::barrier();
    let i = thread::index();
    if i < x.len() {
        counts[x[i].abs() as usize % 16].fetch_add(1, Relaxed, Group);
        largest[0].fetch_max(x[i] as i32, Relaxed, Device);
    }
    group::barrier();
    if thread::local() < 16 {
        let n = counts[thread::local()].fetch_add(0, Relaxed, Group);
        bins[thread::local()].fetch_add(n, Relaxed, Device);
    }
}

#[test]
fn atomics_in_lds_and_memory() {
    let (gpu, q) = gpu();
    let x = values();
    let buf = gpu.upload(&x).unwrap();
    let mut bins = gpu.upload(&[0u32; 16]).unwrap();
    let mut largest = gpu.upload(&[i32::MIN]).unwrap();
    q.launch(histogram {
        x: &buf,
        bins: &mut bins,
        largest: &mut largest,
    })
    .unwrap();
    let mut want = [0u32; 16];
    x.iter().for_each(|v| want[v.abs() as usize % 16] += 1);
    assert_eq!(bins.to_vec().unwrap(), want);
    assert_eq!(largest.to_vec().unwrap(), [50]);
}

/// One K step of a product, for any shapes.
#[device]
fn step<const R: usize, const C: usize, const K: usize>(
    acc: &mut Acc<f32, R, C>,
    a: &Lds<f16, R, K>,
    b: &Lds<f16, C, K>,
) {
    acc.mma_nt(a, b);
}

#[kernel(group = 64)]
pub fn product<const BM: usize, const BN: usize, const PIPE: bool>(
    a: &Mat<f16>,
    bt: &Mat<f16>,
    c: &mut Groups<Tile<f32, BM, BN>>,
) {
    for (at, c) in c {
        let mut acc = Acc::<f32, BM, BN>::zero();
        if PIPE {
            #[pipeline(stages = 2)]
            for k in (0..a.cols()).step_by(32) {
                let ta = Lds::load(a.tile::<BM, 32>(at.row, k));
                let tb = Lds::load(bt.tile::<BN, 32>(at.col, k));
                step(&mut acc, &ta, &tb);
            }
        } else {
            for k in (0..a.cols()).step_by(32) {
                let ta = Lds::load(a.tile::<BM, 32>(at.row, k));
                let tb = Lds::load(bt.tile::<BN, 32>(at.col, k));
                step(&mut acc, &ta, &tb);
            }
        }
        c.store(acc);
    }
}

fn check_product(launch: impl Fn(&Queue, &MatBuffer<f16>, &MatBuffer<f16>, &mut MatBuffer<f32>)) {
    let (gpu, q) = gpu();
    let (m, n, k) = (37, 50, 45);
    let small = |i: usize| f16::from_f32((i * 7 % 9) as f32 - 4.0);
    let a: Vec<f16> = (0..m * k).map(small).collect();
    let b: Vec<f16> = (0..n * k).map(|i| small(i + 3)).collect();
    let (x, y) = (gpu.upload_mat(m, k, &a).unwrap(), gpu.upload_mat(n, k, &b).unwrap());
    let mut z = gpu.upload_mat(m, n, &vec![f32::NAN; m * n]).unwrap();
    launch(&q, &x, &y, &mut z);
    let z = z.to_vec().unwrap();
    for i in 0..m {
        for j in 0..n {
            // small whole numbers: exact in any order
            let want: f32 = (0..k).map(|l| a[i * k + l].to_f32() * b[j * k + l].to_f32()).sum();
            assert_eq!(z[i * n + j], want, "element {i}, {j}");
        }
    }
}

#[test]
fn tiles_through_device_functions() {
    check_product(|q, a, bt, c| {
        q.launch(product::<32, 32, false> { a, bt, c }).unwrap();
    });
    check_product(|q, a, bt, c| {
        q.launch(product::<16, 32, true> { a, bt, c }).unwrap();
    });
}

#[kernel(group = 32, grid = 32)]
pub fn shared_outside(n: usize, y: &[Atomic<u32>]) {
    let mut t = Shared::<[u32; 32]>::new();
    let mut u = Shared::<[u32; 32]>::new();
    let v = Shared::<[Atomic<u32>; 32]>::new();
    t[lane::id()] = 1;
    u[lane::id()] = 2;
    v[lane::id()].swap(3, Relaxed, Group);
    group::barrier();
    if lane::id() == 0 {
        t[n] = 9;
        v[n].fetch_add(9, Relaxed, Group);
    }
    group::barrier();
    y[lane::id()].fetch_add(
        t[lane::id()] + u[lane::id()] + v[lane::id()].fetch_add(0, Relaxed, Group),
        Relaxed,
        Device,
    );
    if lane::id() == 0 {
        y[32].fetch_add(t[n], Relaxed, Device);
    }
}

#[test]
fn shared_indices_out_of_range_read_0_and_write_nothing() {
    // To the sanitizer each is a mistake; here it is about what happens.
    let options = t0::SimOptions {
        sanitize: Some(false),
        ..t0::SimOptions::default()
    };
    let gpu = Gpu::simulated_with(&options).unwrap();
    let q = gpu.queue().unwrap();
    for n in [
        32,
        33,
        40,
        63,
        64,
        100,
        1 << 14,
        1 << 28,
        1 << 30,
        (1 << 30) + 33,
        u32::MAX as usize,
    ] {
        let mut y = gpu.upload(&[0u32; 33]).unwrap();
        q.launch(shared_outside { n, y: &mut y }).unwrap();
        let mut want = [6u32; 33];
        want[32] = 0;
        assert_eq!(y.to_vec().unwrap(), want, "n = {n}");
    }
}

/// Elements of arrays in registers at any index: out of range they read 0 and are not written.
#[kernel(group = 32)]
pub fn local_arrays(at: &[u32], y: &mut Lanes<u32>) {
    for (i, y) in y {
        let mut a = [11u32, 12, 13];
        let pairs = [(1u32, 2.5f32), (3, 4.5)];
        let k = at[i] as usize;
        a[k] = 77;
        let p = pairs[k];
        *y = a[k] + 1000 * (a[0] + a[1] + a[2]) + 1_000_000 * (p.0 + p.1 as u32);
    }
}

#[test]
fn an_index_of_a_local_array_out_of_range_reads_0_and_writes_nothing() {
    let (gpu, q) = gpu();
    let at: Vec<u32> = vec![0, 1, 2, 3, 4, 5, 1 << 31, u32::MAX];
    let buf = gpu.upload(&at).unwrap();
    let mut y = gpu.upload(&vec![0u32; at.len()]).unwrap();
    q.launch(local_arrays { at: &buf, y: &mut y }).unwrap();
    let want = |k: u32| {
        let mut a = [11, 12, 13];
        let mut seen = 0;
        if let Some(x) = a.get_mut(k as usize) {
            (*x, seen) = (77, 77);
        }
        let p = match k {
            0 => 1 + 2,
            1 => 3 + 4,
            _ => 0,
        };
        seen + 1000 * a.iter().sum::<u32>() + 1_000_000 * p
    };
    let want: Vec<u32> = at.into_iter().map(want).collect();
    assert_eq!(y.to_vec().unwrap(), want);
}
