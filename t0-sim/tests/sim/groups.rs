//! Whole dispatches: initial state, barriers, LDS between waves, several workgroups, faults, endless loops.
#![allow(clippy::unwrap_used)]

use crate::common::*;
use t0_sim::driver::{PageFlags, Vm};
use t0_sim::{Launch, Simulator};

const KERNEL: u64 = 0x10_0000;
const ARGS: u64 = 0x20_0000;
const OUT: u64 = 0x30_0000;

/// A machine with the kernel loaded, `out` of `n` dwords and its address as the only argument.
fn setup(kernel: &Kernel, n: usize, text: &str) -> Vm {
    let vm = Vm::new().unwrap();
    kernel.load(&vm, KERNEL, "test_kernel", text);
    pointers(&vm, ARGS, &[OUT]);
    let out = vm.map_fresh(OUT, 4 * n as u64, PageFlags::ALL, "out").unwrap();
    for k in 0..n {
        // SAFETY: `map_fresh` gave 4 * n bytes.
        unsafe { out.cast::<u32>().add(k).write(0xffff_ffff) };
    }
    vm
}

fn launch(grid: [u32; 3], workgroup: [u32; 3], lds: u32) -> Launch {
    Launch {
        descriptor: KERNEL,
        kernarg: ARGS,
        grid,
        workgroup,
        lds,
    }
}

/// Stores v1 to out[group * group size + local id], one-dimensional.
const STORE: &str = "
    s_load_b64 s[2:3], s[0:1], 0x0
    v_and_b32 v2, 0x3ff, v0
    s_waitcnt lgkmcnt(0)
    v_mad_u32_u24 v2, s13, s12, v2
    v_lshlrev_b32 v2, 2, v2
    global_store_b32 v2, v1, s[2:3]
    s_nop 0
    s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)
    s_endpgm";

#[test]
fn ids_cover_the_grid_and_edges_are_masked() {
    let text = format!("s_movk_i32 s12, 0x40\nv_mov_b32 v1, v0\n{STORE}");
    let vm = setup(&Kernel::default(), 256, &text);
    let s = Simulator::new().run(&launch([150, 1, 1], [64, 1, 1], 0), &vm).unwrap();
    assert_eq!((s.workgroups, s.waves), (3, 5));
    let out = read(&vm, OUT, 256);
    for (i, v) in out.iter().enumerate() {
        assert_eq!(*v, if i < 150 { i as u32 % 64 } else { u32::MAX }, "{i}");
    }
}

#[test]
fn groups_no_cu_has_room_for_are_refused() {
    let kernel = |vgprs, wgp| Kernel {
        vgprs,
        wgp,
        ..Kernel::default()
    };
    let run = |kernel: Kernel, items| {
        let vm = setup(&kernel, 1, "s_endpgm");
        Simulator::new().run(&launch([items, 1, 1], [items, 1, 1], 0), &vm)
    };
    let refused = run(kernel(256, false), 352).unwrap_err().to_string();
    for part in [
        "a workgroup of 352 work-items is 11 waves of 256 VGPRs",
        "a CU has room for 10 such waves",
        "at most 320 work-items, or at most 240 VGPRs",
        "would never start",
    ] {
        assert!(refused.contains(part), "{refused}");
    }
    assert_eq!(run(kernel(256, false), 320).unwrap().waves, 10);
    assert_eq!(run(kernel(256, true), 352).unwrap().waves, 11);
    assert_eq!(run(kernel(96, false), 1024).unwrap().waves, 32);
}

#[test]
fn three_dimensional_ids_are_packed_x_first() {
    // out[linear local id] = v0, one group of 4 x 3 x 5.
    let text = "
        s_load_b64 s[2:3], s[0:1], 0x0
        v_and_b32 v1, 0x3ff, v0
        v_bfe_u32 v2, v0, 10, 10
        v_bfe_u32 v3, v0, 20, 10
        v_mad_u32_u24 v2, v3, 3, v2
        v_mad_u32_u24 v2, v2, 4, v1
        v_lshlrev_b32 v2, 2, v2
        s_waitcnt lgkmcnt(0)
        global_store_b32 v2, v0, s[2:3]
        s_endpgm";
    let vm = setup(&Kernel::default(), 64, text);
    Simulator::new().run(&launch([4, 3, 5], [4, 3, 5], 0), &vm).unwrap();
    let out = read(&vm, OUT, 64);
    for z in 0..5 {
        for y in 0..3 {
            for x in 0..4 {
                assert_eq!(out[(z * 12 + y * 4 + x) as usize], x | y << 10 | z << 20);
            }
        }
    }
    assert_eq!(out[60], u32::MAX);
}

#[test]
fn workgroup_numbers_reach_their_sgprs() {
    let text = "
        s_load_b64 s[2:3], s[0:1], 0x0
        s_mul_i32 s4, s15, 6
        s_mul_i32 s5, s14, 2
        s_add_u32 s4, s4, s5
        s_add_u32 s4, s4, s13
        v_mov_b32 v1, s4
        v_lshlrev_b32 v2, 2, v1
        s_waitcnt lgkmcnt(0)
        global_store_b32 v2, v1, s[2:3]
        s_endpgm";
    let vm = setup(&Kernel::default(), 32, text);
    let s = Simulator::new().run(&launch([2, 3, 4], [1, 1, 1], 0), &vm).unwrap();
    assert_eq!(s.workgroups, 24);
    let out = read(&vm, OUT, 32);
    (0..24).for_each(|i| assert_eq!(out[i], i as u32));
    assert_eq!(out[24], u32::MAX);
}

/// Every work-item of a 256-wide group writes its id to LDS and reads the id of its mirror image.
const EXCHANGE: &str = "
    s_movk_i32 s12, 0x100
    v_and_b32 v5, 0x3ff, v0
    v_lshlrev_b32 v6, 2, v5
    ds_store_b32 v6, v5
    s_waitcnt lgkmcnt(0)
    s_barrier
    v_sub_nc_u32 v7, 0x3fc, v6
    ds_load_b32 v1, v7
    s_waitcnt lgkmcnt(0)";

#[test]
fn a_barrier_orders_lds_between_waves() {
    let vm = setup(
        &Kernel {
            lds: 1024,
            ..Kernel::default()
        },
        2048,
        &format!("{EXCHANGE}\n{STORE}"),
    );
    let launch = launch([2048, 1, 1], [256, 1, 1], 1024);
    for threads in [1, 4] {
        let s = Simulator::new().with_threads(threads).run(&launch, &vm).unwrap();
        assert_eq!((s.workgroups, s.waves, s.wmma), (8, 64, 0));
        for (i, v) in read(&vm, OUT, 2048).into_iter().enumerate() {
            assert_eq!(v, 255 - i as u32 % 256);
        }
    }
    // Without the barrier the first wave reads what nobody wrote yet.
    let vm = setup(
        &Kernel {
            lds: 1024,
            ..Kernel::default()
        },
        2048,
        &format!("{}\n{STORE}", EXCHANGE.replace("s_barrier", "")),
    );
    Simulator::new().run(&launch, &vm).unwrap();
    assert_eq!(read(&vm, OUT, 1)[0], t0_sim::wave::POISON);
}

#[test]
fn ended_waves_do_not_hold_a_barrier() {
    // Wave 0 ends at once; the others meet at the barrier.
    let text = format!(
        "v_cmp_gt_u32 vcc_lo, 32, v0\ns_cbranch_vccnz out\n{EXCHANGE}\nv_mov_b32 v1, 5\n{STORE}\nout:\ns_endpgm"
    );
    let vm = setup(
        &Kernel {
            lds: 1024,
            rsrc2: 7 << 7,
            ..Kernel::default()
        },
        256,
        &text,
    );
    Simulator::new()
        .run(&launch([256, 1, 1], [256, 1, 1], 1024), &vm)
        .unwrap();
    let out = read(&vm, OUT, 256);
    assert_eq!((out[31], out[32], out[255]), (u32::MAX, 5, 5));
}

#[test]
fn waves_of_a_group_may_wait_for_each_other() {
    // Wave 0 spins until wave 1 has set a flag in LDS.
    let text = "
        v_mov_b32 v2, 0
        v_cmp_gt_u32 vcc_lo, 32, v0
        s_cbranch_vccz other
        spin:
        ds_load_b32 v3, v2
        s_waitcnt lgkmcnt(0)
        v_readfirstlane_b32 s4, v3
        s_cmp_lg_u32 s4, 1
        s_cbranch_scc1 spin
        s_endpgm
        other:
        v_mov_b32 v3, 1
        ds_store_b32 v2, v3
        s_endpgm";
    let vm = setup(
        &Kernel {
            lds: 16,
            rsrc2: 7 << 7,
            ..Kernel::default()
        },
        16,
        text,
    );
    Simulator::new().run(&launch([64, 1, 1], [64, 1, 1], 16), &vm).unwrap();
}

#[test]
fn groups_may_wait_for_later_groups() {
    // Every group adds one to a counter and waits until all 40 have: more groups than threads.
    let text = "
        s_load_b64 s[2:3], s[0:1], 0x0
        v_mov_b32 v1, 0
        v_mov_b32 v2, 1
        s_mov_b32 exec_lo, 1
        s_waitcnt lgkmcnt(0)
        global_atomic_add_u32 v1, v2, s[2:3]
        spin:
        s_sleep 1
        global_load_b32 v3, v1, s[2:3] glc
        s_waitcnt vmcnt(0)
        v_readfirstlane_b32 s4, v3
        s_cmp_lg_u32 s4, 39
        s_cbranch_scc1 spin
        s_endpgm";
    let vm = setup(&Kernel::default(), 16, text);
    Simulator::new()
        .run(&launch([40 * 32, 1, 1], [32, 1, 1], 0), &vm)
        .unwrap();
}

#[test]
fn the_first_faulting_group_is_reported_whatever_the_threads_do() {
    // Groups 5 and up store far outside of everything.
    let text = format!("s_movk_i32 s12, 0x20\nv_mov_b32 v1, v0\ns_cmp_lt_u32 s13, 5\ns_cbranch_scc1 fine\ns_movk_i32 s13, 0x1000\nfine:\n{STORE}");
    let vm = setup(&Kernel::default(), 1024, &text);
    for threads in [1, 2, 4] {
        let e = Simulator::new()
            .with_threads(threads)
            .run(&launch([1024, 1, 1], [32, 1, 1], 0), &vm)
            .unwrap_err();
        assert_eq!(
            (e.workgroup, e.wave, e.lane, e.kernel.as_deref()),
            (Some([5, 0, 0]), Some(0), Some(0), Some("test_kernel"))
        );
        let text = e.to_string();
        assert!(
            text.contains("global_store_b32 v2, v1, s[2:3]") && text.contains("past the end of `out`"),
            "{text}"
        );
    }
}

#[test]
fn endless_loops_end_with_a_backtrace() {
    let text = "v_cmp_gt_u32 vcc_lo, 32, v0\ns_cbranch_vccnz spin\ns_barrier\ns_endpgm\nspin:\ns_branch spin";
    let vm = setup(
        &Kernel {
            rsrc2: 7 << 7,
            ..Kernel::default()
        },
        16,
        text,
    );
    let e = Simulator::new()
        .with_budget(50_000)
        .run(&launch([64, 1, 1], [64, 1, 1], 0), &vm)
        .unwrap_err()
        .to_string();
    assert!(
        e.contains("50000")
            && e.contains("workgroup (0, 0, 0) wave 0 running at +0x10 `s_branch ")
            && e.contains("workgroup (0, 0, 0) wave 1 waiting at the barrier at +0x8 `s_barrier`"),
        "{e}"
    );
}

#[test]
fn descriptors_that_contradict_the_launch_are_refused() {
    let vm = setup(
        &Kernel {
            lds: 1024,
            ..Kernel::default()
        },
        16,
        "s_endpgm",
    );
    let e = Simulator::new()
        .run(&launch([32, 1, 1], [32, 1, 1], 512), &vm)
        .unwrap_err()
        .to_string();
    assert!(e.contains("512 bytes of LDS") && e.contains("1024"), "{e}");
    let vm = setup(
        &Kernel {
            user_sgprs: 1,
            ..Kernel::default()
        },
        16,
        "s_endpgm",
    );
    let e = Simulator::new()
        .run(&launch([32, 1, 1], [32, 1, 1], 0), &vm)
        .unwrap_err()
        .to_string();
    assert!(e.contains("2 user SGPRs"), "{e}");
    let e = Simulator::new()
        .run(
            &Launch {
                descriptor: 0x9999_0000,
                ..launch([1, 1, 1], [1, 1, 1], 0)
            },
            &vm,
        )
        .unwrap_err()
        .to_string();
    assert!(e.contains("0x99990000"), "{e}");
}
