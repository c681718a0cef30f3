//! How many barriers and fragment loads stand where.

use super::gemm::{lower, Form, Gemm};
use crate::func::{Func, Region};
use crate::op::OpKind;
use crate::passes::{optimize, PassOptions};

/// Barriers outside loops and in loops, wherever they stand.
fn barriers(f: &Func) -> [usize; 2] {
    count(f, &f.body, false, &|kind| *kind == OpKind::Barrier)
}

/// Operations of a kind outside loops and in loops.
fn count(f: &Func, region: &Region, in_loop: bool, what: &dyn Fn(&OpKind) -> bool) -> [usize; 2] {
    let mut n = [0, 0];
    for &id in &region.ops {
        let op = f.op(id);
        if what(&op.kind) {
            n[usize::from(in_loop)] += 1;
        }
        let looping = in_loop || matches!(op.kind, OpKind::For { .. } | OpKind::While);
        for r in &op.regions {
            let [outside, inside] = count(f, r, looping, what);
            n[0] += outside;
            n[1] += inside;
        }
    }
    n
}

#[test]
fn one_per_iteration_when_double_buffered() {
    for (stages, outside) in [(0, 0), (1, 0), (2, 0), (3, 1), (4, 1)] {
        for (bm, bn, bk) in [(64, 64, 16), (16, 128, 32), (128, 16, 48)] {
            let mut f = Gemm::new([bm, bn, bk], [1, 1], stages).build();
            lower(&mut f);
            let want = [outside, in_loops(stages)];
            assert_eq!(barriers(&f), want, "{stages} stages, {bm}×{bn}×{bk}");
        }
    }
}

/// Barriers of a turn through all buffers, in the loop of tiles that lie inside, and of an iteration, in the loop for the rest.
/// With three buffers or more the tile that is read was committed long ago: one barrier serves two iterations.
fn in_loops(stages: u32) -> usize {
    match stages {
        0 => 2,
        1 => 2 + 2,
        2 => 2 + 1,
        n => n.div_ceil(2) as usize + 1,
    }
}

#[test]
fn before_an_inner_loop_that_only_reads() {
    for form in [Form::InnerLoop, Form::SpareWave, Form::Persistent] {
        for stages in 0..4 {
            let g = Gemm {
                form,
                ..Gemm::new([32, 32, 32], [2, 1], stages)
            };
            let mut f = g.build();
            lower(&mut f);
            // With three buffers the barrier of an iteration stands before its commits, and the first tiles need one of their
            // own. The persistent form is a loop around everything: with two buffers the commits of the first tiles of the
            // next round must wait for the last reads.
            let want = match (form, stages) {
                (Form::Persistent, 2 | 3) => [0, 1 + in_loops(stages)],
                (_, 3) => [1, in_loops(stages)],
                _ => [0, in_loops(stages)],
            };
            assert_eq!(barriers(&f), want, "{g:?}");
        }
    }
}

#[test]
fn a_fragment_is_loaded_once() {
    // 4×4 blocks per wave: 4 + 4 fragments for 16 multiplications, twice along k, in three iterations that are written out.
    let mut f = Gemm::new([128, 128, 32], [2, 2], 2).build();
    optimize(&mut f, &PassOptions::default()).unwrap();
    assert_eq!(count(&f, &f.body, false, &|k| *k == OpKind::Wmma), [0, 96]);
    let loads = count(&f, &f.body, false, &|k| matches!(k, OpKind::LdsFragLoad { .. }));
    assert_eq!(loads, [0, 48]);
}
