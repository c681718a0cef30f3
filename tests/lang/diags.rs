//! What only staging or the verifier can see is said with its place and a way out.

use t0::ir::verify;
use t0::prelude::*;

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

/// All findings of staging, or else of the verifier, as text.
fn report<K: Kernel>(consts: &[i64]) -> String {
    match K::ENTRY.stage(consts) {
        Err(d) => d.render(&[K::ENTRY.file.to_string()]),
        Ok(f) => match verify::verify(&f) {
            Err(d) => d.render(&f.files),
            Ok(()) => "nothing found".to_string(),
        },
    }
}

fn check(got: &str, want: &str) {
    assert_eq!(got.trim(), want.trim(), "got:\n{got}");
}

#[test]
fn collective_under_divergent_control_flow() {
    check(&report::<divergent_sum>(&[]), DIVERGENT_SUM);
}

#[test]
fn barrier_behind_a_divergent_return() {
    check(&report::<barrier_after_return>(&[]), BARRIER);
}

#[test]
fn accumulator_that_cannot_be_shared_out() {
    check(&report::<uneven<64>>(&[64]), UNEVEN);
    check(&report::<uneven<64>>(&[24]), NO_BLOCKS);
    check(&report::<uneven<64>>(&[]), NO_CONSTANTS);
}

#[test]
fn recursion() {
    check(&report::<recursive>(&[]), RECURSION);
}

#[test]
fn index_known_to_be_out_of_range() {
    check(&report::<out_of_range<0>>(&[2]), OUT_OF_RANGE);
}

const UNEVEN: &str = r"
error: the 4×4 blocks of this 64×64 accumulator cannot be shared out evenly over the 3 waves of the group
  --> tests/lang/diags.rs:25:19
   |
25 |         let acc = Acc::<f32, N, 64>::zero();
   |                   ^^^
   |
help: choose a group of fewer waves or a larger tile: some split of 3 into two factors must divide 4 and 4
";

const NO_BLOCKS: &str = r"
error: an accumulator of 24×64 does not consist of 16×16 blocks
  --> tests/lang/diags.rs:25:19
   |
25 |         let acc = Acc::<f32, N, 64>::zero();
   |                   ^^^
   |
help: make both sides multiples of 16
";

const NO_CONSTANTS: &str = r"
error: `uneven` has 1 const generics (N), 0 values were given
  --> tests/lang/diags.rs:23:1
   |
23 | pub fn uneven<const N: usize>(c: &mut Groups<Tile<f32, N, 64>>) {
   | ^^^
   |
help: give one number for each
";

const BARRIER: &str = r"
error: `group::barrier` needs every lane of the workgroup here
  --> tests/lang/diags.rs:18:5
   |
18 |     group::barrier();
   |     ^^^^^^^^^^^^^^
   |
note: the condition here differs from lane to lane
  --> tests/lang/diags.rs:15:8
   |
15 |     if lane::id() > 3 {
   |        ^^^^^^^^
note: because the lane's number differs from lane to lane
  --> tests/lang/diags.rs:15:8
   |
15 |     if lane::id() > 3 {
   |        ^^^^^^^^
help: move it out of the condition, or make the condition the same for the whole workgroup
";

const DIVERGENT_SUM: &str = r"
error: `wave::sum` needs every lane of the wave here
 --> tests/lang/diags.rs:9:14
  |
9 |         *y = wave::sum(x[i]);
  |              ^^^^^^^^^
  |
note: the condition here differs from lane to lane
 --> tests/lang/diags.rs:8:19
  |
8 |     for (i, y) in y {
  |                   ^
note: because the work-item's index differs from lane to lane
 --> tests/lang/diags.rs:8:19
  |
8 |     for (i, y) in y {
  |                   ^
help: move it out of the condition (lanes without data can take part with a neutral value), or make the condition the same for the whole wave
";

const OUT_OF_RANGE: &str = r"
error: index 2 is out of range: the length is 2
  --> tests/lang/diags.rs:50:14
   |
50 |         *y = t[N];
   |              ^
   |
help: use an index below the length
";

const RECURSION: &str = r"
error: `forever` calls itself: device functions are inlined and cannot be recursive
  --> tests/lang/diags.rs:35:9
   |
35 |         forever(n - 1)
   |         ^^^^^^^
   |
help: write it as a loop
";
