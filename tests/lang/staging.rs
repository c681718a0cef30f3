//! Kernels as IR.
#![allow(missing_docs, clippy::unwrap_used)]

use t0::ir::{text, verify};
use t0::prelude::*;

/// y ← a·x + y
#[kernel(group = 256)]
pub fn saxpy(a: f32, x: &[f32], y: &mut Lanes<f32>) {
    for (i, y) in y {
        *y += a * x[i];
    }
}

/// Each row of y ← softmax of the row of x; one wave per row.
#[kernel(group = 256)]
pub fn softmax(x: &Mat<f32>, y: &mut Waves<[f32]>) {
    for (r, out) in y {
        let row = &x[r];
        let mut max = f32::NEG_INFINITY;
        for (_, &v) in row.lanes() {
            max = max.max(v);
        }
        let max = wave::max(max);
        let mut sum = 0.0;
        for (_, &v) in row.lanes() {
            sum += (v - max).exp();
        }
        let scale = 1.0 / wave::sum(sum);
        for (c, o) in out.lanes_mut() {
            *o = (row[c] - max).exp() * scale;
        }
    }
}

/// C ← A·Bᵀ, bf16 in, f32 out; one BM×BN tile of C per workgroup.
#[kernel(group = 256)]
pub fn gemm<const BM: usize, const BN: usize, const BK: usize>(
    a: &Mat<bf16>,
    bt: &Mat<bf16>,
    c: &mut Groups<Tile<f32, BM, BN>>,
) {
    for (at, c) in c {
        let mut acc = Acc::<f32, BM, BN>::zero();
        #[pipeline(stages = 2)]
        for k in (0..a.cols()).step_by(BK) {
            let ta = Lds::load(a.tile::<BM, BK>(at.row, k));
            let tb = Lds::load(bt.tile::<BN, BK>(at.col, k));
            #[unroll]
            for kk in (0..BK).step_by(16) {
                for (i, j, d) in acc.frags_mut() {
                    *d = wmma(ta.frag(i, kk), tb.frag(j, kk), *d);
                }
            }
        }
        c.store(acc);
    }
}

/// out[0] += sum of x
#[kernel(group = 256, grid = x.len())]
pub fn reduce(x: &[f32], out: &[Atomic<f32>]) {
    let mut part = Shared::<[f32; 8]>::new();
    let i = thread::index();
    let v = if i < x.len() { x[i] } else { 0.0 };
    let sum = wave::sum(v);
    if lane::id() == 0 {
        part[wave::id()] = sum;
    }
    group::barrier();
    if wave::id() == 0 {
        let v = if lane::id() < part.len() { part[lane::id()] } else { 0.0 };
        let total = wave::sum(v);
        if lane::id() == 0 {
            out[0].fetch_add(total, Relaxed, Device);
        }
    }
}

/// Stages, verifies and compares with the recorded text.
fn golden<K: Kernel>(name: &str) {
    let f = K::stage().unwrap();
    if let Err(d) = verify::verify(&f) {
        panic!("{}\n{}", d.render(&f.files), text::print(&f));
    }
    let got = text::print(&f);
    crate::golden(&format!("{name}.t0"), &got);
    verify::verify(&text::parse(&got).unwrap()).unwrap();
}

#[test]
fn saxpy_is_guarded_by_its_output() {
    golden::<saxpy>("saxpy");
}

#[test]
fn softmax_is_one_wave_per_row() {
    golden::<softmax>("softmax");
}

#[test]
fn gemm_shares_its_accumulator_out() {
    golden::<gemm<128, 128, 32>>("gemm");
}

#[test]
fn reduce_at_the_simt_level() {
    golden::<reduce>("reduce");
}

#[test]
fn any_constants_can_be_staged() {
    let f = gemm::<0, 0, 0>::ENTRY.stage(&[64, 32, 48]).unwrap();
    assert_eq!(f.name, "gemm_64_32_48");
    assert_eq!(gemm::<0, 0, 0>::ENTRY.display(&[64, 32, 48]), "gemm::<64,32,48>");
    verify::verify(&f).unwrap();
}

#[test]
fn entries_say_what_a_kernel_is() {
    let all: &[&t0::KernelEntry] = t0::kernels![saxpy, softmax, gemm, reduce];
    assert_eq!(
        all.iter().map(|e| e.name).collect::<Vec<_>>(),
        ["saxpy", "softmax", "gemm", "reduce"]
    );
    assert_eq!(all[2].consts, ["BM", "BN", "BK"]);
    let params: Vec<String> = all
        .iter()
        .flat_map(|e| e.params)
        .map(|p| format!("{}: {}", p.name, p.ty))
        .collect();
    assert_eq!(
        params,
        [
            "a: f32",
            "x: &[f32]",
            "y: &mut Lanes<f32>",
            "x: &Mat<f32>",
            "y: &mut Waves<[f32]>",
            "a: &Mat<bf16>",
            "bt: &Mat<bf16>",
            "c: &mut Groups<Tile<f32, BM, BN>>",
            "x: &[f32]",
            "out: &[Atomic<f32>]"
        ]
    );
    assert!(all[0].file.ends_with("tests/lang/staging.rs") && all[0].module.ends_with("staging") && all[0].line > 5);
}

/// A parameter that only the grid names is used.
#[deny(unused_variables)]
mod grid_only {
    use t0::prelude::*;

    #[kernel(group = 32, grid = n)]
    pub fn count(n: usize, total: &[Atomic<u32>]) {
        total[0].fetch_add(1, Relaxed, Device);
    }
}

#[test]
fn the_grid_may_be_a_number_of_its_own() {
    let gpu = crate::watched();
    let mut total = gpu.upload(&[0u32]).unwrap();
    let launch = grid_only::count {
        n: 64,
        total: &mut total,
    };
    gpu.queue().unwrap().launch(launch).unwrap();
    assert_eq!(total.to_vec().unwrap(), [64]);
}

macro_rules! adds {
    ($name:ident, $n:expr) => {
        #[kernel(group = 64)]
        pub fn $name(x: &[u32], y: &mut Lanes<u32>) {
            for (i, y) in y {
                *y = plus(x[i]) + $n;
            }
        }
    };
}

adds!(adds_two, 2);

#[device]
fn plus(x: u32, // ü
) -> u32 {
    x + 1
}

/// What a kernel comes from is told apart from what its file holds later; of a kernel that a macro writes nobody knows it.
#[test]
fn sources_are_kept_where_they_are_known() {
    let func = adds_two::stage().unwrap();
    let own = std::fs::read_to_string(file!()).unwrap();
    let found = |file: &str| func.sources.iter().map(|(_, e)| e.is_in(file)).collect::<Vec<_>>();
    assert_eq!(found(&own), [true, true], "the parameters and the body of `plus`");
    assert_eq!(found(&own.replace("x + 1", "x + 2")), [true, false]);
    assert_eq!(found(&own.replace("// ü", "// u")), [false, true]);
    let listing = adds_two::listing(GFX1100).unwrap();
    assert!(
        listing.contains("adds!(adds_two, 2);") && !listing.contains("source changed"),
        "{listing}"
    );
}
