//! The register allocation checker finds planted errors; the allocator keeps loops free of moves.
#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeSet;

use common::random;
use t0_backend_rdna3::check::{check_code, Finding};
use t0_backend_rdna3::mir::{MFunc, MOp, MOperand, VReg};
use t0_backend_rdna3::passes::allocate::{allocate, Assignment};
use t0_backend_rdna3::passes::check_allocation::check_allocation;
use t0_backend_rdna3::passes::encode::encode;
use t0_backend_rdna3::passes::fix_hazards::fix_hazards;
use t0_backend_rdna3::passes::insert_waits::insert_waits;
use t0_backend_rdna3::passes::liveness::{each_effect, liveness, Effect};
use t0_backend_rdna3::passes::phys::{expand, PFunc};
use t0_backend_rdna3::target::GFX1100;
use t0_backend_rdna3::{compile, CompileError, Options};
use t0_ir::{Builder, Func, OpKind, Param, ParamKind, Role, Scalar, Ty, Value};

/// Registers connected by copies may rightly share a place; each gets the number of its family.
fn families(m: &MFunc) -> Vec<usize> {
    let mut family: Vec<usize> = (0..m.vregs.len()).collect();
    for i in m.blocks.iter().flat_map(|b| &b.insts).filter(|i| i.op == MOp::Copy) {
        if let (MOperand::Virt(a), MOperand::Virt(b)) = (i.operands[0], i.operands[1]) {
            let (from, to) = (family[b.reg.0 as usize], family[a.reg.0 as usize]);
            family.iter_mut().filter(|f| **f == from).for_each(|f| *f = to);
        }
    }
    family
}

/// Registers written once, whole, and read afterwards.
fn simple(m: &MFunc) -> Vec<bool> {
    let mut defs = vec![0; m.vregs.len()];
    let mut kills = vec![0; m.vregs.len()];
    let mut uses = vec![0; m.vregs.len()];
    for i in m.blocks.iter().flat_map(|b| &b.insts) {
        each_effect(m, i, |r, e| match e {
            Effect::Def => defs[r.0 as usize] += 1,
            Effect::Kill => kills[r.0 as usize] += 1,
            Effect::Use | Effect::LateUse => uses[r.0 as usize] += 1,
        });
    }
    (0..m.vregs.len())
        .map(|r| defs[r] == 1 && kills[r] == 1 && uses[r] > 0)
        .collect()
}

#[test]
fn assignments_of_random_kernels_are_right() {
    for seed in 0..60 {
        let m = random(seed);
        let a = allocate(&m, &GFX1100).unwrap();
        assert_eq!(check_allocation(&m, &a), vec![], "seed {seed}");
    }
}

fn missing_waits(code: &PFunc) -> Vec<Finding> {
    let bytes = encode(code, &GFX1100, &[]).unwrap().bytes;
    let mut found = check_code(&bytes, &GFX1100);
    found.retain(|f| f.rule == "missing-wait");
    found
}

#[test]
fn waits_of_random_kernels_are_complete() {
    for seed in 0..40 {
        let m = random(seed);
        let a = allocate(&m, &GFX1100).unwrap();
        let mut code = expand(&m, &a);
        let bare = missing_waits(&code).len();
        insert_waits(&mut code);
        fix_hazards(&mut code, &GFX1100);
        assert!(bare > 0, "seed {seed} needs no waits");
        assert_eq!(missing_waits(&code), vec![], "seed {seed}\n{code}");
    }
}

#[test]
fn every_planted_clash_is_found() {
    let mut planted = 0;
    for seed in 0..12 {
        let m = random(seed);
        let a = allocate(&m, &GFX1100).unwrap();
        let (family, simple, live) = (families(&m), simple(&m), liveness(&m));
        let n = m.vregs.len();
        for x in 0..n {
            for y in (x + 1..n).step_by(11) {
                let same_kind = m.vregs[x].class == m.vregs[y].class && m.vregs[x].width == m.vregs[y].width;
                let both = live.segments[x]
                    .iter()
                    .any(|s| live.segments[y].iter().any(|t| s.start < t.end && t.start < s.end));
                if !(same_kind && both && simple[x] && simple[y] && family[x] != family[y]) {
                    continue;
                }
                let mut wrong = a.clone();
                wrong.base[y] = wrong.base[x];
                planted += 1;
                assert!(
                    !check_allocation(&m, &wrong).is_empty(),
                    "seed {seed}: %{x} and %{y} share a place\n{m}"
                );
            }
        }
    }
    assert!(planted > 200, "only {planted} errors planted");
}

#[test]
fn a_coalescing_that_loses_a_value_is_found() {
    // %1 = copy %0; %1 = %1 + 1; then both are read: sharing a register is wrong.
    let copy = |m: &MFunc| {
        let whole = |o: &MOperand| o.virt().filter(|&s| m.is_whole(s));
        let mut copies = m.blocks.iter().flat_map(|b| &b.insts).filter(|i| i.op == MOp::Copy);
        copies.find_map(|i| Some((whole(&i.operands[0])?, whole(&i.operands[1])?)))
    };
    let (mut m, (to, from)) = (0..40)
        .map(random)
        .find_map(|m| copy(&m).map(|c| (m, c)))
        .expect("a kernel with a copy");
    let a = allocate(&m, &GFX1100).unwrap();
    let broken = Assignment {
        base: (0..m.vregs.len())
            .map(|r| {
                if VReg(r as u32) == to.reg {
                    a.base[from.reg.0 as usize]
                } else {
                    a.base[r]
                }
            })
            .collect(),
        ..a
    };
    let before = check_allocation(&m, &broken).len();
    // The same with the destination written again while the source is still needed.
    let block = m.blocks.len() - 1;
    let mut again = m.blocks[0].insts[0].clone();
    again.op = MOp::ImplicitDef;
    again.operands = vec![to.into()];
    let mut read = again.clone();
    read.op = MOp::Copy;
    let spare = m.vreg(m.info(from.reg).class, from.count);
    read.operands = vec![spare.into(), from.into()];
    m.blocks[block].insts.splice(0..0, [again, read]);
    let longer = Assignment {
        base: broken.base.iter().copied().chain([100]).collect(),
        ..broken
    };
    assert!(check_allocation(&m, &longer).len() > before);
}

/// A kernel that carries `n` accumulators round a loop of WMMAs.
fn accumulators(n: usize, group: u32) -> Func {
    let params = vec![Param {
        name: "n".into(),
        kind: ParamKind::Scalar(Scalar::U32),
    }];
    let mut b = Builder::new(Func::new("many", group, params));
    let zero = b.f32(0.0);
    let acc = Ty::Frag(Role::Acc, Scalar::F32);
    let init: Vec<Value> = (0..n).map(|_| b.op1_as(OpKind::FragSplat, &[zero], acc)).collect();
    let one = b.constant(Scalar::Bf16, 0x3f80);
    let input = b.op1_as(OpKind::FragSplat, &[one], Ty::Frag(Role::Input, Scalar::Bf16));
    let (lo, step) = (b.u32(0), b.u32(1));
    let sums = b.for_([lo, Value(0), step], Default::default(), &init, |b, _, acc| {
        acc.iter().map(|&c| b.op1(OpKind::Wmma, &[input, input, c])).collect()
    });
    let lds = b.func_mut().new_lds(t0_ir::LdsAlloc {
        name: "out".into(),
        bytes: 4096,
        align: 16,
        slots: 1,
        elem: None,
        tile: false,
        swizzled: false,
    });
    for (i, s) in sums.into_iter().enumerate() {
        let x = b.op1(OpKind::VecGet { index: i as u32 % 8 }, &[s]);
        let at = b.u32(4 * i as u32);
        b.op0(OpKind::LdsStore { lds, base: 0, slot: 0 }, &[at, x]);
    }
    b.finish()
}

#[test]
fn carried_accumulators_need_no_moves() {
    let c = compile(
        &accumulators(4, 32),
        &GFX1100,
        &Options {
            keep_text: true,
            check: true,
            ..Options::default()
        },
    )
    .unwrap();
    let text = &c.mir_text.unwrap()[1];
    let body: Vec<&str> = text
        .lines()
        .skip_while(|l| !l.contains("s_cbranch_scc0"))
        .take_while(|l| !l.contains("s_cbranch_scc1"))
        .collect();
    assert_eq!(body.iter().filter(|l| l.contains("wmma")).count(), 4, "{text}");
    let moves: BTreeSet<&&str> = body.iter().filter(|l| l.contains("v_mov")).collect();
    assert!(moves.is_empty(), "{moves:?}");
}

#[test]
fn what_one_instruction_needs_is_an_error_that_says_how_many() {
    // A product of matrices alone reads and writes 16 and more.
    let options = Options {
        max_vgprs: Some(12),
        ..Options::default()
    };
    match compile(&accumulators(4, 32), &GFX1100, &options) {
        Err(CompileError::Registers {
            what: "VGPRs",
            needed,
            limit: 12,
            ..
        }) => assert!(needed > 12, "{needed}"),
        other => panic!("{:?}", other.map(|c| c.resources)),
    }
}

#[test]
fn a_large_group_leaves_fewer_registers_per_wave() {
    let compiled = |n, group| compile(&accumulators(n, group), &GFX1100, &Options::default()).unwrap();
    assert!(compiled(22, 32).warnings.is_empty());
    assert!(compiled(24, 32).warnings.is_empty());
    // 32 waves are 8 per SIMD: 192 VGPRs each.
    let c = compiled(24, 1024);
    assert!(
        c.resources.vgprs <= 192 && c.resources.scratch_bytes > 0,
        "{:?}",
        c.resources
    );
    assert!(c.warnings.0[0].message.contains("192 VGPRs"), "{:?}", c.warnings);
}
