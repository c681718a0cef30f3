//! Waves of 64 lanes: two passes, masks of two registers, instructions that reach across the halves.
#![allow(clippy::unwrap_used)]

use crate::common::*;
use t0_sim::driver::{PageFlags, Vm};
use t0_sim::{Launch, Simulator};

/// Lane numbers in v0.
fn machine() -> Machine {
    let mut m = Machine::wave64();
    m.set_v64(0, |l| l as u32);
    m
}

fn bits(f: impl Fn(usize) -> bool) -> u64 {
    (0..64).fold(0, |m, l| m | u64::from(f(l)) << l)
}

fn s64(m: &Machine, r: usize) -> u64 {
    m.wave.s64(r)
}

#[test]
fn compares_write_both_halves_and_selects_read_them() {
    let mut m = machine();
    m.run("v_cmp_lt_u32 vcc_lo, 40, v0\nv_cndmask_b32 v1, 7, v0, vcc_lo")
        .unwrap();
    assert_eq!(s64(&m, 106), bits(|l| l > 40));
    assert_eq!(
        m.v64(1),
        (0..64).map(|l| if l > 40 { l } else { 7 }).collect::<Vec<_>>()
    );
    // A half without active lanes still has its mask bits cleared.
    m.wave.set_s64(126, 0xff);
    m.wave.set_s64(4, u64::MAX);
    m.run("v_cmp_eq_u32 s4, 3, v0").unwrap();
    assert_eq!(s64(&m, 4), 8);
}

#[test]
fn inactive_lanes_of_either_half_keep_their_values() {
    let mut m = machine();
    let exec = bits(|l| l % 3 == 0);
    m.wave.set_s64(126, exec);
    m.set_v64(1, |_| 1000);
    m.run("v_lshlrev_b32 v1, 1, v0").unwrap();
    let want = |l: u32| if l % 3 == 0 { 2 * l } else { 1000 };
    assert_eq!(m.v64(1), (0..64).map(want).collect::<Vec<_>>());
}

#[test]
fn exec_of_64_bits_is_saved_and_decides_branches() {
    let mut m = machine();
    m.run(
        "v_cmp_gt_u32 vcc_lo, 36, v0
        s_and_saveexec_b64 s[4:5], vcc
        v_mov_b32 v1, 5
        s_mov_b32 s6, 1
        s_mov_b32 exec_lo, 0
        s_cbranch_execz wrong
        s_mov_b32 s6, 2
        s_mov_b32 exec_hi, 0
        s_cbranch_execnz wrong
        s_mov_b32 s6, 3
        s_mov_b32 vcc_lo, 0
        s_cbranch_vccz wrong
        s_mov_b32 s6, 4
        wrong:",
    )
    .unwrap();
    assert_eq!(s64(&m, 4), u64::MAX);
    assert_eq!(m.s(6), 4);
    let poison = t0_sim::wave::POISON;
    assert_eq!(
        m.v64(1),
        (0..64).map(|l| if l < 36 { 5 } else { poison }).collect::<Vec<_>>()
    );
}

#[test]
fn cmpx_narrows_exec_once() {
    let mut m = machine();
    m.run("v_cmpx_le_u32 30, v0\nv_cmpx_gt_u32 35, v0\nv_mov_b32 v1, 1")
        .unwrap();
    assert_eq!(s64(&m, 126), bits(|l| (30..35).contains(&l)));
    assert_eq!(
        (0..64).filter(|&l| m.wave.lane(1, l) == 1).collect::<Vec<_>>(),
        [30, 31, 32, 33, 34]
    );
}

#[test]
fn carries_go_through_masks_of_64_bits() {
    let mut m = machine();
    m.set_v64(2, |l| if l % 2 == 1 { u32::MAX } else { 5 });
    m.set_v64(3, |l| l as u32);
    m.run("v_add_co_u32 v4, vcc_lo, v2, 1\nv_add_co_ci_u32 v5, vcc_lo, v3, v3, vcc_lo")
        .unwrap();
    assert_eq!(m.v64(5), (0..64).map(|l| 2 * l + l % 2).collect::<Vec<_>>());
    assert_eq!(s64(&m, 106), 0);
}

#[test]
fn lane_access_reaches_across_the_halves() {
    let mut m = machine();
    m.wave.set_s64(126, 1 << 45 | 1 << 50);
    m.set_s(8, 105);
    m.set_v64(2, |l| 3 * l as u32);
    m.run(
        "v_readlane_b32 s4, v2, 40
        v_readlane_b32 s5, v2, s8
        v_readfirstlane_b32 s6, v2
        v_mov_b32 v1, 0
        v_writelane_b32 v1, 9, 63",
    )
    .unwrap();
    // Lane numbers count modulo 64.
    assert_eq!((m.s(4), m.s(5), m.s(6)), (120, 123, 135));
    assert_eq!((m.wave.lane(1, 63), m.wave.lane(1, 45)), (9, 0));
    m.wave.set_s64(126, 0);
    m.run("v_readfirstlane_b32 s6, v0").unwrap();
    assert_eq!(m.s(6), 0);
}

#[test]
fn permlane64_exchanges_the_halves_under_exec() {
    let mut m = machine();
    m.set_v64(1, |_| 99);
    m.wave.set_s64(126, 0x0000_00ff_0000_0003);
    m.run("v_permlane64_b32 v1, v0").unwrap();
    let want = |l: u32| match l {
        0 | 1 => l + 32,
        32..=39 => l - 32,
        _ => 99,
    };
    assert_eq!(m.v64(1), (0..64).map(want).collect::<Vec<_>>());
}

#[test]
fn mbcnt_counts_lanes_of_the_whole_wave() {
    let mut m = machine();
    m.set_s64(4, 0xf0f0_1234_5678_9abc);
    m.run("v_mbcnt_lo_u32_b32 v1, s4, 0\nv_mbcnt_hi_u32_b32 v1, s5, v1")
        .unwrap();
    let want = |l: u32| (0xf0f0_1234_5678_9abcu64 & ((1u64 << l) - 1)).count_ones();
    assert_eq!(m.v64(1), (0..64).map(want).collect::<Vec<_>>());
}

#[test]
fn dpp_rows_of_the_upper_half_have_their_own_mask_bits() {
    let mut m = machine();
    m.set_v64(1, |_| 99);
    m.run("v_mov_b32_dpp v1, v0 row_shr:1 row_mask:0xa bank_mask:0xf bound_ctrl:1")
        .unwrap();
    let want = |l: u32| match (l / 16 % 2, l % 16) {
        (0, _) => 99,
        (_, 0) => 0,
        _ => l - 1,
    };
    assert_eq!(m.v64(1), (0..64).map(want).collect::<Vec<_>>());
    m.set_v64(1, |_| 99);
    m.run("v_mov_b32_dpp v1, v0 quad_perm:[0,0,0,0] row_mask:0x4 bank_mask:0xf")
        .unwrap();
    let want = |l: u32| if l / 16 == 2 { l & !3 } else { 99 };
    assert_eq!(m.v64(1), (0..64).map(want).collect::<Vec<_>>());
}

#[test]
fn permlanex16_stays_within_a_half() {
    let mut m = machine();
    m.set_s(4, 0x7654_3210).set_s(5, 0xfedc_ba98);
    m.run("v_permlanex16_b32 v1, v0, s4, s5").unwrap();
    assert_eq!(m.v64(1), (0..64).map(|l| l ^ 16).collect::<Vec<_>>());
}

#[test]
fn memory_and_lds_serve_all_lanes_and_name_the_one_at_fault() {
    let mut m = machine();
    m.buffer(0x10_0000, "data", &(0..1024).map(|i| 7 * i).collect::<Vec<u32>>());
    m.set_s64(2, 0x10_0000);
    m.lds = vec![0; 256];
    m.run(
        "v_lshlrev_b32 v1, 2, v0
        global_load_b32 v2, v1, s[2:3]
        s_waitcnt vmcnt(0)
        ds_store_b32 v1, v2
        s_waitcnt lgkmcnt(0)
        v_xor_b32 v3, 0xfc, v1
        ds_load_b32 v4, v3
        s_waitcnt lgkmcnt(0)
        global_store_b32 v1, v4, s[2:3]",
    )
    .unwrap();
    assert_eq!(
        m.memory(0x10_0000, 64),
        (0..64).map(|l| 7 * (63 - l)).collect::<Vec<_>>()
    );
    m.set_v64(1, |l| if l == 41 { 0x7000_0000 } else { 0 });
    let e = m.run("global_load_b32 v2, v1, s[2:3]").unwrap_err();
    assert_eq!(e.lane, Some(41));
}

#[test]
fn launched_groups_have_packed_ids_in_waves_of_64() {
    const OUT: u64 = 0x30_0000;
    let vm = Vm::new().unwrap();
    Kernel {
        lanes: 64,
        vgprs: 20,
        rsrc2: 1 << 7 | 2 << 11,
        ..Kernel::default()
    }
    .load(
        &vm,
        0x10_0000,
        "ids",
        // out[group * 150 + wave-relative index] = v0, written with the position LDS-free: x + 10 * y.
        "s_load_b64 s[2:3], s[0:1], 0x0
        v_and_b32 v1, 0x3ff, v0
        v_bfe_u32 v2, v0, 10, 10
        v_mul_u32_u24 v3, 10, v2
        v_add_nc_u32 v1, v1, v3
        s_mul_i32 s4, s13, 150
        v_add_lshl_u32 v1, v1, s4, 2
        s_mov_b64 s[6:7], exec
        s_bcnt1_i32_b64 s8, s[6:7]
        v_lshl_or_b32 v4, s8, 24, v0
        s_waitcnt lgkmcnt(0)
        global_store_b32 v1, v4, s[2:3]
        s_endpgm",
    );
    pointers(&vm, 0x20_0000, &[OUT]);
    vm.map_fresh(OUT, 4096, PageFlags::ALL, "out").unwrap();
    let launch = Launch {
        descriptor: 0x10_0000,
        kernarg: 0x20_0000,
        grid: [20, 15, 1],
        workgroup: [10, 15, 1],
        lds: 0,
    };
    let s = Simulator::new().run(&launch, &vm).unwrap();
    assert_eq!((s.workgroups, s.waves), (2, 6));
    let want = |i: u32| {
        let item = i % 150;
        let active = if item < 128 { 64 } else { 22 };
        (item % 10) | (item / 10) << 10 | active << 24
    };
    assert_eq!(read(&vm, OUT, 300), (0..300).map(want).collect::<Vec<_>>());
}

#[test]
fn wave64_counts_vector_registers_by_four() {
    let vm = Vm::new().unwrap();
    let kernel = Kernel {
        lanes: 64,
        vgprs: 20,
        ..Kernel::default()
    };
    kernel.load(&vm, 0x10_0000, "k", "v_mov_b32 v19, 0\ns_endpgm");
    kernel.load(&vm, 0x20_0000, "k2", "v_mov_b32 v20, 0\ns_endpgm");
    let launch = |descriptor| Launch {
        descriptor,
        kernarg: 0,
        grid: [64, 1, 1],
        workgroup: [64, 1, 1],
        lds: 0,
    };
    Simulator::new().run(&launch(0x10_0000), &vm).unwrap();
    let e = Simulator::new().run(&launch(0x20_0000), &vm).unwrap_err().to_string();
    assert!(e.contains("v20") && e.contains("20 VGPRs"), "{e}");
}
