//! Results that do not depend on the number of host threads, and code that only register jumps reach.
#![allow(clippy::unwrap_used)]

use crate::common::*;
use t0_sim::driver::{ExecFault, PageFlags, Vm};
use t0_sim::{Launch, RunStats, Simulator};

const KERNEL: u64 = 0x10_0000;
const ARGS: u64 = 0x20_0000;
const OUT: u64 = 0x30_0000;

/// Runs `groups` groups of 32 on cleared memory of `n` dwords; s[2:3] is its address, s13 the group.
fn go(text: &str, groups: u32, n: usize, threads: usize) -> (Result<RunStats, ExecFault>, Vec<u32>) {
    with_lds(text, groups, n, threads, 0)
}

/// The same with LDS, of which a compute unit has 64 KiB.
fn with_lds(text: &str, groups: u32, n: usize, threads: usize, lds: u32) -> (Result<RunStats, ExecFault>, Vec<u32>) {
    let simulator = Simulator::new().with_threads(threads);
    seeded(text, (groups, 1), n, simulator, lds)
}

/// The same with groups of several waves.
fn seeded(
    text: &str,
    (groups, waves): (u32, u32),
    n: usize,
    simulator: Simulator,
    lds: u32,
) -> (Result<RunStats, ExecFault>, Vec<u32>) {
    let vm = Vm::new().unwrap();
    let text = format!("s_load_b64 s[2:3], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n{text}\ns_endpgm");
    Kernel::default().load(&vm, KERNEL, "kernel", &text);
    pointers(&vm, ARGS, &[OUT]);
    let out = vm.map_fresh(OUT, 4 * n as u64, PageFlags::ALL, "out").unwrap();
    // SAFETY: `map_fresh` gave 4 * n bytes.
    (0..n).for_each(|k| unsafe { out.cast::<u32>().add(k).write(0) });
    let launch = Launch {
        descriptor: KERNEL,
        kernarg: ARGS,
        grid: [32 * waves * groups, 1, 1],
        workgroup: [32 * waves, 1, 1],
        lds,
    };
    let result = simulator.run(&launch, &vm);
    let memory = read(&vm, OUT, n);
    (result, memory)
}

/// Some work whose length depends on the group, so that threads overtake each other.
const DELAY: &str = "
    s_mul_i32 s20, s13, 0x9e37
    s_and_b32 s20, s20, 0x3ff
    s_add_u32 s20, s20, 1
    delay:
    s_sub_u32 s20, s20, 1
    s_cmp_lg_u32 s20, 0
    s_cbranch_scc1 delay";

#[test]
fn float_atomics_add_up_in_the_same_order() {
    // Every lane adds 1 / (group + 3) to one of 4 sums: the rounding depends on the order.
    let text = format!(
        "{DELAY}
        v_and_b32 v1, 3, v0
        v_lshlrev_b32 v1, 2, v1
        s_add_u32 s4, s13, 3
        v_cvt_f32_u32 v2, s4
        v_rcp_f32 v2, v2
        global_atomic_add_f32 v1, v2, s[2:3]"
    );
    let (_, want) = go(&text, 300, 4, 1);
    assert!(f32::from_bits(want[0]) > 1.0);
    for threads in [2, 3, 8] {
        assert_eq!(go(&text, 300, 4, threads).1, want, "{threads} threads");
    }
}

#[test]
fn old_values_of_atomics_are_handed_out_in_the_order_of_groups() {
    // One lane takes a ticket and writes its group there.
    let text = format!(
        "{DELAY}
        s_mov_b32 exec_lo, 1
        v_mov_b32 v1, 0
        v_mov_b32 v2, 1
        global_atomic_add_u32 v3, v1, v2, s[2:3] glc
        s_waitcnt vmcnt(0)
        v_lshlrev_b32 v3, 2, v3
        v_mov_b32 v4, s13
        global_store_b32 v3, v4, s[2:3] offset:4"
    );
    for threads in [1, 4] {
        let memory = go(&text, 200, 201, threads).1;
        assert_eq!(memory[0], 200);
        assert_eq!(memory[1..], (0..200).collect::<Vec<u32>>(), "{threads} threads");
    }
}

#[test]
fn atomics_that_only_commute_need_no_order() {
    let text = format!("{DELAY}\nv_and_b32 v1, 7, v0\nv_lshlrev_b32 v1, 2, v1\nglobal_atomic_add_u32 v1, v0, s[2:3]");
    let want = go(&text, 500, 8, 1).1;
    assert_eq!(want[0], 500 * (8 + 16 + 24));
    assert_eq!(go(&text, 500, 8, 4).1, want);
}

#[test]
fn a_barrier_of_all_groups_lets_everybody_through() {
    // Each group counts itself in and polls until all have: group 0 waits for the last.
    let text = "s_mov_b32 exec_lo, 1
        v_mov_b32 v1, 0
        v_mov_b32 v2, 1
        global_atomic_add_u32 v3, v1, v2, s[2:3] glc
        s_waitcnt vmcnt(0)
        poll:
        global_load_b32 v4, v1, s[2:3] glc
        s_waitcnt vmcnt(0)
        v_readfirstlane_b32 s5, v4
        s_cmp_lg_u32 s5, 100
        s_cbranch_scc1 poll
        s_lshl_b32 s6, s13, 2
        v_mov_b32 v5, s6
        global_store_b32 v5, v3, s[2:3] offset:4";
    let (stats, want) = go(text, 100, 101, 1);
    assert_eq!(want[1..], (0..100).collect::<Vec<u32>>());
    for threads in [2, 5] {
        let (again, memory) = go(text, 100, 101, threads);
        assert_eq!(memory, want);
        // Even the number of polls is the same.
        assert_eq!(again.unwrap(), stats.as_ref().unwrap().clone());
    }
}

#[test]
fn groups_without_contact_see_the_lowest_fault_and_the_same_counts() {
    // Groups 37 and above leave the buffer.
    let text = format!("{DELAY}\ns_lshl_b32 s4, s13, 12\nv_mov_b32 v1, s4\nglobal_store_b32 v1, v0, s[2:3]");
    for threads in [1, 2, 7] {
        let e = go(&text, 90, 37 * 1024, threads).0.unwrap_err();
        assert_eq!(e.workgroup, Some([37, 0, 0]), "{threads} threads");
    }
    let one = go(&text, 30, 37 * 1024, 1).0.unwrap();
    assert_eq!(go(&text, 30, 37 * 1024, 4).0.unwrap(), one);
}

#[test]
fn functions_called_by_address_are_decoded_when_they_are_reached() {
    // The function lies behind the end of the kernel; only its distance is known.
    let text = "s_getpc_b64 s[4:5]
        s_add_u32 s4, s4, 36
        s_addc_u32 s5, s5, 0
        v_mov_b32 v5, 7
        s_swappc_b64 s[30:31], s[4:5]
        v_lshlrev_b32 v6, 2, v0
        global_store_b32 v6, v5, s[2:3]
        s_endpgm
        s_code_end
        v_mul_u32_u24 v5, 6, v5
        s_setpc_b64 s[30:31]";
    for threads in [1, 4] {
        let (stats, memory) = go(text, 8, 32, threads);
        assert_eq!(memory, [42; 32]);
        // Each of the 12 instructions counts once, also the jump that had to wait for its code.
        assert_eq!(stats.unwrap().instructions, 8 * 12);
    }
    let e = go("s_mov_b64 s[4:5], 0x40000\ns_setpc_b64 s[4:5]", 1, 1, 1)
        .0
        .unwrap_err()
        .to_string();
    assert!(e.contains("no code"), "{e}");
}

#[test]
fn a_single_wave_follows_register_jumps_too() {
    let mut m = Machine::new();
    m.run("s_mov_b64 s[4:5], 16\ns_setpc_b64 s[4:5]\ns_endpgm\ns_code_end\ns_movk_i32 s6, 5")
        .unwrap();
    assert_eq!(m.s(6), 5);
}

/// Counts the group in and polls until `all` have.
fn meet(all: u32) -> String {
    format!(
        "s_mov_b32 exec_lo, 1
        v_mov_b32 v1, 0
        v_mov_b32 v2, 1
        global_atomic_add_u32 v3, v1, v2, s[2:3] glc
        s_waitcnt vmcnt(0)
        poll:
        s_sleep 1
        global_load_b32 v4, v1, s[2:3] glc
        s_waitcnt vmcnt(0)
        v_readfirstlane_b32 s5, v4
        s_cmp_lg_u32 s5, {all}
        s_cbranch_scc1 poll"
    )
}

#[test]
fn a_barrier_over_as_many_groups_as_a_card_holds_opens() {
    // One wave of 96 registers each: 16 on each of 192 SIMDs.
    let (stats, memory) = go(&meet(3072), 3072, 1, 2);
    assert_eq!((stats.unwrap().workgroups, memory[0]), (3072, 3072));
    // All of the LDS of a compute unit each: one on each of 96.
    let (stats, memory) = with_lds(&meet(96), 96, 1, 2, 65536);
    assert_eq!((stats.unwrap().workgroups, memory[0]), (96, 96));
}

#[test]
fn a_barrier_over_more_groups_than_a_card_holds_is_a_deadlock_that_says_so() {
    let said = [1, 4].map(|threads| with_lds(&meet(97), 97, 1, threads, 65536).0.unwrap_err().to_string());
    assert!(
        said[0].starts_with("deadlock: 96 of 97 workgroups are resident"),
        "{}",
        said[0]
    );
    assert!(said[0].contains("96 waves of 96 workgroups, first workgroup (0, 0, 0) wave 0, running at +0x28 `global_load_b32 v4, v1, s[2:3] glc`"), "{}", said[0]);
    assert_eq!(said[0], said[1]);
}

#[test]
fn chains_in_reverse_order_are_not_slow() {
    // Group n waits for what group n + 1 writes; the last one waits for nobody. With and without ordered polls.
    for cache in ["glc", ""] {
        let text = format!(
            "s_mov_b32 exec_lo, 1
            s_lshl_b32 s6, s13, 2
            v_mov_b32 v1, s6
            v_mov_b32 v2, 1
            s_cmp_eq_u32 s13, 63
            s_cbranch_scc1 done
            poll:
            global_load_b32 v4, v1, s[2:3] offset:4 {cache}
            s_waitcnt vmcnt(0)
            v_readfirstlane_b32 s5, v4
            s_cmp_lg_u32 s5, 1
            s_cbranch_scc1 poll
            done:
            global_store_b32 v1, v2, s[2:3]"
        );
        let (stats, memory) = go(&text, 64, 64, 1);
        let stats = stats.unwrap();
        assert_eq!(memory, [1; 64]);
        // Each of 64 * 64 / 2 turns of waiting groups is a short one.
        let each = if cache == "glc" { 200 } else { 8 * 4096 };
        assert!(stats.instructions < 2048 * each + 10_000, "{}", stats.instructions);
    }
}

#[test]
fn a_launch_that_runs_says_where_its_waves_stand() {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::Arc;
    use t0_sim::driver::{Dispatch, Executor, Watch};
    let vm = Vm::new().unwrap();
    // Group 0 ends, wave 0 of the others spins, wave 1 waits for it.
    let text = "s_cmp_eq_u32 s13, 0\ns_cbranch_scc1 out\nv_cmp_gt_u32 vcc_lo, 32, v0\ns_cbranch_vccnz spin\ns_barrier\nspin:\ns_branch spin\nout:\ns_endpgm";
    Kernel {
        rsrc2: 7 << 7,
        ..Kernel::default()
    }
    .load(&vm, KERNEL, "kernel", text);
    let d = Dispatch {
        packet: t0_kfd::aql::DispatchPacket {
            kernel_object: KERNEL,
            grid: [64 * 5, 1, 1],
            workgroup: [64, 1, 1],
            ..Default::default()
        },
        dimensions: 1,
        packet_va: 0,
        queue_va: 0,
        dispatch_id: 0,
        scratch: None,
        cancel: Arc::new(AtomicBool::new(false)),
        watch: Arc::new(Watch::default()),
    };
    let said = std::thread::scope(|s| {
        let runs = s.spawn(|| Simulator::new().with_threads(2).dispatch(&d, &vm));
        let ask = || {
            d.watch
                .ask(std::time::Duration::from_millis(200))
                .unwrap_or_default()
                .join("; ")
        };
        let said = (0..100)
            .map(|_| ask())
            // All that have started must have reached their places.
            .find(|t| {
                t.contains("1 of 5 workgroups have ended, 4 have started")
                    && t.contains("4 waves of 4 workgroups, first")
            });
        d.cancel.store(true, Ordering::Release);
        assert!(runs.join().unwrap().is_err());
        said.unwrap()
    });
    assert!(
        said.contains("4 waves of 4 workgroups, first workgroup (1, 0, 0) wave 0, running at +0x14 `s_branch "),
        "{said}"
    );
    assert!(
        said.contains(
            "4 waves of 4 workgroups, first workgroup (1, 0, 0) wave 1, waiting at the barrier at +0x10 `s_barrier`"
        ),
        "{said}"
    );
}

/// What a program writes in several orders of waves: per seed the same for any number of threads.
fn orders(text: &str, groups: u32, waves: u32, n: usize) -> Vec<Vec<u32>> {
    let run = |seed, threads| {
        let simulator = Simulator::new().with_threads(threads).with_order_seed(seed);
        let (result, memory) = seeded(text, (groups, waves), n, simulator, 1024);
        result.unwrap_or_else(|e| panic!("{e}"));
        memory
    };
    let all: Vec<Vec<u32>> = (0..9).map(|seed| run(seed, 1)).collect();
    for (seed, want) in all.iter().enumerate() {
        assert_eq!(run(seed as u64, 3), *want, "seed {seed}");
    }
    all
}

/// Each wave takes a ticket of the LDS and stores it.
const TICKETS: &str = "v_and_b32 v0, 0x3ff, v0
    v_mov_b32 v4, 0
    v_mov_b32 v5, 1
    v_lshlrev_b32 v1, 2, v0
    s_mov_b32 exec_lo, 1
    {0}
    ds_add_rtn_u32 v6, v4, v5
    s_waitcnt lgkmcnt(0)
    {1}
    global_store_b32 v1, v6, s[2:3]";

#[test]
fn tickets_depend_on_the_order_of_waves() {
    let waves = |memory: &Vec<u32>| [0, 32, 64, 96].map(|k| memory[k]);
    let tickets = orders(&TICKETS.replace("{0}", "").replace("{1}", ""), 1, 4, 128);
    // The LDS starts with what somebody left.
    let tickets: Vec<[u32; 4]> = tickets
        .iter()
        .map(|m| waves(m).map(|t| t.wrapping_sub(*waves(m).iter().min().unwrap())))
        .collect();
    assert_eq!(tickets[0], [0, 1, 2, 3]);
    assert!(tickets[1..].iter().any(|t| *t != tickets[0]), "{tickets:?}");
    for t in &tickets {
        let mut all = t.to_vec();
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2, 3]);
    }
    // Behind a barrier every wave reads the same sum.
    let sum = "s_barrier\nds_load_b32 v6, v4\ns_waitcnt lgkmcnt(0)\nv_sub_nc_u32 v6, v6, v6";
    let sums = orders(&TICKETS.replace("{0}", "").replace("{1}", sum), 1, 4, 128);
    assert!(sums.iter().all(|m| m == &sums[0]));
}

#[test]
fn groups_change_places_too() {
    let text = "v_mov_b32 v4, 0
        v_mov_b32 v5, 1
        v_mov_b32 v1, s13
        v_lshlrev_b32 v1, 2, v1
        s_mov_b32 exec_lo, 1
        global_atomic_add_u32 v6, v4, v5, s[2:3] offset:64 glc
        s_waitcnt vmcnt(0)
        global_store_b32 v1, v6, s[2:3]";
    let all = orders(text, 16, 1, 17);
    assert_eq!(all[0][..16], (0..16).collect::<Vec<u32>>());
    assert!(all[1..].iter().any(|m| m != &all[0]));
    for m in &all {
        let mut tickets = m[..16].to_vec();
        tickets.sort_unstable();
        assert_eq!(tickets, (0..16).collect::<Vec<u32>>());
    }
}

/// Waves that wait for each other get their turns in any order.
#[test]
fn flags_work_in_every_order() {
    let text = "v_and_b32 v0, 0x3ff, v0
        v_lshrrev_b32 v3, 5, v0
        v_readfirstlane_b32 s8, v3
        v_mov_b32 v4, 0
        v_mov_b32 v5, 1
        v_lshlrev_b32 v1, 2, v0
        ds_store_b32 v4, v4
        s_waitcnt lgkmcnt(0)
        s_barrier
        s_cmp_eq_u32 s8, 3
        s_cbranch_scc0 spin
        ds_store_b32 v4, v5
        s_endpgm
        spin:
        ds_load_b32 v6, v4
        s_waitcnt lgkmcnt(0)
        v_readfirstlane_b32 s9, v6
        s_cmp_eq_u32 s9, 1
        s_cbranch_scc0 spin
        global_store_b32 v1, v5, s[2:3]";
    let all = orders(text, 3, 4, 128);
    assert!(all.iter().all(|m| m == &all[0] && m[..96].iter().all(|&v| v == 1)));
}

/// Two atomics are no update: in some order another group comes between them, and counts get lost.
#[test]
fn updates_of_two_atomics_lose_counts_in_some_order() {
    let text = |update: &str| {
        format!(
            "v_mov_b32 v4, 0
            v_mov_b32 v5, 0
            s_mov_b32 exec_lo, 1
            {update}"
        )
    };
    let lost = text(
        "global_atomic_add_u32 v6, v4, v5, s[2:3] glc
        s_waitcnt vmcnt(0)
        v_add_nc_u32 v6, 1, v6
        global_atomic_swap_b32 v4, v6, s[2:3]",
    );
    let all = orders(&lost, 16, 1, 1);
    assert_eq!(all[0], [16]);
    assert!(all[1..].iter().all(|m| m[0] < 16), "{all:?}");
    let right = text("v_mov_b32 v5, 1\nglobal_atomic_add_u32 v6, v4, v5, s[2:3] glc");
    assert!(orders(&right, 16, 1, 1).iter().all(|m| m[0] == 16));
}

/// A flag that is set before what it stands for: in some order another group sees the flag and not the value.
#[test]
fn a_flag_before_its_data_is_seen_in_some_order() {
    let text = |first: u32, second: u32| {
        format!(
            "v_mov_b32 v4, 0
            v_mov_b32 v5, 1
            v_mov_b32 v7, 0
            s_mov_b32 exec_lo, 1
            s_cmp_eq_u32 s13, 0
            s_cbranch_scc0 wait
            global_atomic_swap_b32 v4, v5, s[2:3] offset:{first}
            s_waitcnt_vscnt null, 0x0
            global_atomic_swap_b32 v4, v5, s[2:3] offset:{second}
            s_endpgm
            wait:
            global_atomic_add_u32 v6, v4, v7, s[2:3] glc
            s_waitcnt vmcnt(0)
            v_readfirstlane_b32 s9, v6
            s_cmp_eq_u32 s9, 1
            s_cbranch_scc0 wait
            global_atomic_add_u32 v6, v4, v7, s[2:3] offset:4 glc
            s_waitcnt vmcnt(0)
            global_atomic_add_u32 v4, v6, s[2:3] offset:8"
        )
    };
    let seen = |first, second| -> Vec<u32> { orders(&text(first, second), 9, 1, 3).iter().map(|m| m[2]).collect() };
    assert!(seen(4, 0).iter().all(|&n| n == 8), "the data first");
    let early = seen(0, 4);
    assert_eq!(early[0], 8);
    assert!(early.iter().any(|&n| n < 8), "{early:?}");
}
