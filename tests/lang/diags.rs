//! What only staging or the verifier can see is said with its place and a way out.

use t0::ir::passes::{self, PassOptions};
use t0::ir::verify;
use t0::prelude::*;

use crate::golden;

#[kernel(group = 256)]
pub fn divergent_sum(x: &[f32], y: &mut Lanes<f32>) {
    for (i, y) in y {
        *y = wave::sum(x[i]);
    }
}

#[kernel(group = 64, grid = x.len())]
pub fn barrier_after_return(x: &[u32], y: &[Atomic<u32>]) {
    if lane::id() > 3 {
        return;
    }
    group::barrier();
    y[0].fetch_add(x[0], Relaxed, Device);
}

#[kernel(group = 96)]
pub fn uneven<const N: usize>(c: &mut Groups<Tile<f32, N, 64>>) {
    for (_, c) in c {
        let acc = Acc::<f32, N, 64>::zero();
        c.store(acc);
    }
}

#[device]
fn forever(n: u32) -> u32 {
    if n == 0 {
        1
    } else {
        forever(n - 1)
    }
}

#[kernel(group = 32)]
pub fn recursive(y: &mut Lanes<u32>) {
    for (i, y) in y {
        *y = forever(i as u32);
    }
}

#[kernel(group = 32)]
pub fn out_of_range<const N: usize>(y: &mut Lanes<u32>) {
    let t = [1u32, 2];
    for (_, y) in y {
        *y = t[N];
    }
}

#[kernel(group = 256)]
pub fn deep_pipeline<const BK: usize>(a: &Mat<bf16>, c: &mut Groups<Tile<f32, 128, 128>>) {
    for (at, c) in c {
        let mut acc = Acc::<f32, 128, 128>::zero();
        #[pipeline(stages = 3)]
        for k in (0..a.cols()).step_by(BK) {
            let ta = Lds::load(a.tile::<128, BK>(at.row, k));
            let tb = Lds::load(a.tile::<128, BK>(at.col, k));
            acc.mma_nt(&ta, &tb);
        }
        c.store(acc);
    }
}

#[kernel(group = 64)]
pub fn nothing_to_pipeline(x: &[f32], y: &mut Lanes<f32>) {
    for (i, y) in y {
        #[pipeline(stages = 2)]
        for k in 0..i {
            *y += x[k];
        }
    }
}

struct Inner {
    n: u32,
}

struct Outer {
    parts: (Inner, u8),
}

#[kernel(group = 32)]
pub fn unknown_literal(y: &mut Lanes<u32>) {
    for (_, y) in y {
        let o = Outer {
            parts: (Inner { n: 1 }, 250),
        };
        *y = o.parts.0.n + o.parts.1.wrapping_add(10) as u32;
    }
}

#[kernel(group = 32)]
pub fn late_index<const N: usize>(y: &mut Lanes<u32>) {
    for (_, y) in y {
        let mut m = 5;
        for j in 0..N as u64 as usize {
            m = j;
        }
        let mut n = 5;
        for j in 0..10 {
            n = j;
        }
        let z: u64 = n;
        *y = z as u32 + m as u32;
    }
}

/// All findings of staging, or else of the verifier, or else of the passes, as text.
fn report<K: Kernel>(consts: &[i64]) -> String {
    match K::ENTRY.stage(consts) {
        Err(d) => d.render(&[K::ENTRY.file.to_string()]),
        Ok(mut f) => match verify::verify(&f).and_then(|()| passes::optimize(&mut f, &PassOptions::default())) {
            Err(d) => d.render(&f.files),
            Ok(_) => "nothing found".to_string(),
        },
    }
}

fn check(got: &str, name: &str) {
    golden(&format!("{name}.txt"), &format!("{got}\n"));
}

#[test]
fn collective_under_divergent_control_flow() {
    check(&report::<divergent_sum>(&[]), "divergent_sum");
}

#[test]
fn barrier_behind_a_divergent_return() {
    check(&report::<barrier_after_return>(&[]), "barrier");
}

#[test]
fn accumulator_that_cannot_be_shared_out() {
    check(&report::<uneven<64>>(&[64]), "uneven");
    check(&report::<uneven<64>>(&[24]), "no_blocks");
    check(&report::<uneven<64>>(&[]), "no_constants");
}

#[test]
fn loops_that_cannot_be_pipelined() {
    check(&report::<deep_pipeline<64>>(&[64]), "deep_pipeline");
    check(&report::<nothing_to_pipeline>(&[]), "nothing_to_pipeline");
}

#[test]
fn recursion() {
    check(&report::<recursive>(&[]), "recursion");
}

#[test]
fn index_known_to_be_out_of_range() {
    check(&report::<out_of_range<0>>(&[2]), "out_of_range");
}

#[test]
fn a_literal_is_never_guessed_inside_a_struct() {
    let got = report::<unknown_literal>(&[]);
    assert!(got.contains("the type of this number is not known"), "{got}");
    assert!(got.contains("250u8") && got.contains("diags.rs"), "{got}");
}

#[test]
fn a_loop_index_that_turns_out_wide() {
    let got = report::<late_index<3>>(&[3]);
    assert!(
        got.contains("this loop counts a `u64`") && got.contains("0..10u64"),
        "{got}"
    );
}
