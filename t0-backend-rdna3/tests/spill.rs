//! The checker of spilled code finds planted errors; limits and what cannot be spilled.
#![allow(clippy::unwrap_used)]

mod common;

use common::random;
use t0_backend_rdna3::isa::Flags;
use t0_backend_rdna3::mir::{Class, MFunc, MInst};
use t0_backend_rdna3::passes::check_spills::check_spills;
use t0_backend_rdna3::passes::liveness::liveness;
use t0_backend_rdna3::passes::schedule;
use t0_backend_rdna3::passes::spill::{step, Step};

fn peak(m: &MFunc) -> [u32; 2] {
    schedule::peak(m, &liveness(m))
}

/// Random code with three quarters of the registers it needs, of one class.
fn spilled(seed: u64, class: Class) -> Option<Step> {
    let m = random(seed);
    let limit = peak(&m)[usize::from(class == Class::V)] * 3 / 4;
    step(&m, class, limit, &[]).filter(|s| !s.values.is_empty())
}

#[test]
fn no_more_is_alive_than_allowed() {
    let mut spilling = 0;
    for seed in 0..60 {
        for (k, class) in [Class::S, Class::V].into_iter().enumerate() {
            let limit = peak(&random(seed))[k] * 3 / 4;
            let Some(s) = spilled(seed, class) else { continue };
            spilling += 1;
            assert_eq!(check_spills(&s, class), Vec::<String>::new(), "seed {seed}");
            assert!(
                peak(&s.after)[k] <= limit,
                "seed {seed}: {} of {limit}\n{}",
                peak(&s.after)[k],
                s.after
            );
        }
    }
    assert!(spilling > 60, "{spilling}");
}

/// Without `at`, the added instruction of a block.
fn without(s: &Step, block: usize, at: usize) -> Step {
    let mut s = s.clone();
    s.after.blocks[block].insts.remove(at);
    s.origin[block].remove(at);
    s
}

/// The place an added instruction goes to, and whether it loads.
fn place(i: &MInst) -> Option<(String, bool)> {
    let op = i.opcode()?;
    let offset = |d: u32| i.mods.offset as u32 / 4 + d;
    let data = |k: usize| i.operands[k].virt().map_or(0, |s| s.count);
    Some(match op.name() {
        "v_writelane_b32" => (format!("{} {}", i.operands[0], i.operands[2]), false),
        "v_readlane_b32" => (format!("{} {}", i.operands[1], i.operands[2]), true),
        name if name.starts_with("scratch_load") => {
            (format!("{:?}", (0..data(0)).map(offset).collect::<Vec<_>>()), true)
        }
        name if name.starts_with("scratch_store") => {
            (format!("{:?}", (0..data(1)).map(offset).collect::<Vec<_>>()), false)
        }
        _ => return None,
    })
}

/// Every instruction with its block and its place there.
fn all(m: &MFunc) -> impl Iterator<Item = (usize, usize, &MInst)> {
    (0..)
        .zip(&m.blocks)
        .flat_map(|(b, x)| (0..).zip(&x.insts).map(move |(at, i)| (b, at, i)))
}

/// Whether an added instruction changes what is computed: a store that is only followed by others changes nothing.
fn matters(m: &MFunc, b: usize, at: usize) -> bool {
    let Some((home, load)) = place(&m.blocks[b].insts[at]) else {
        return false;
    };
    let mut later = all(m).filter(|x| (x.0, x.1) > (b, at)).filter_map(|x| place(x.2));
    load || later.find(|p| p.0 == home).is_some_and(|p| p.1)
}

#[test]
fn every_missing_store_and_load_is_found() {
    let mut planted = [0; 2];
    for seed in 0..40 {
        for (k, class) in [Class::S, Class::V].into_iter().enumerate() {
            let Some(s) = spilled(seed, class) else { continue };
            let added = |b: usize, at: usize| s.origin[b][at].is_none();
            for (b, at, i) in all(&s.after).filter(|&(b, at, _)| added(b, at)) {
                if matters(&s.after, b, at) {
                    planted[k] += 1;
                    let wrong = check_spills(&without(&s, b, at), class);
                    assert!(!wrong.is_empty(), "seed {seed}: without {i} at bb{b}:{at}\n{}", s.after);
                }
            }
        }
    }
    assert!(planted.iter().all(|&n| n > 200), "{planted:?}");
}

#[test]
fn a_wrong_place_is_found() {
    let mut planted = 0;
    for seed in 0..40 {
        let Some(s) = spilled(seed, Class::V) else { continue };
        for (b, block) in s.after.blocks.iter().enumerate() {
            for (at, _) in block
                .insts
                .iter()
                .enumerate()
                .filter(|(_, i)| i.opcode().is_some_and(|o| o.row().flags.has(Flags::SCRATCH)))
                .filter(|&(at, _)| matters(&s.after, b, at))
            {
                let mut other = s.clone();
                other.after.blocks[b].insts[at].mods.offset += 4 * s.dwords as i32;
                planted += 1;
                assert!(
                    !check_spills(&other, Class::V).is_empty(),
                    "seed {seed}: bb{b}:{at}\n{}",
                    s.after
                );
            }
        }
    }
    assert!(planted > 200, "{planted}");
}

/// A store under the EXEC of a part of the lanes only is not one of the value.
#[test]
fn a_store_that_comes_too_late_for_the_lanes_is_found() {
    let mut planted = 0;
    for seed in 0..400 {
        let Some(s) = spilled(seed, Class::V) else { continue };
        for (b, block) in s.after.blocks.iter().enumerate() {
            for at in 0..block.insts.len().saturating_sub(1) {
                let store = block.insts[at]
                    .opcode()
                    .is_some_and(|o| o.name().starts_with("scratch_store"));
                // Over the other stores before it.
                let narrows = (at + 1..block.insts.len()).find(|&n| s.origin[b][n].is_some());
                let narrows = narrows.filter(|&n| block.insts[n].writes_exec());
                if let (true, Some(n)) = (store, narrows) {
                    let mut late = s.clone();
                    late.after.blocks[b].insts[at..=n].rotate_left(1);
                    late.origin[b][at..=n].rotate_left(1);
                    planted += 1;
                    assert!(
                        !check_spills(&late, Class::V).is_empty(),
                        "seed {seed}: bb{b}:{at}\n{}",
                        s.after
                    );
                }
            }
        }
    }
    assert!(planted > 3, "{planted}");
}
