//! The cycle model's caches, memory, atomics and dispatcher.

use crate::common::*;
use t0_sim::driver::{PageFlags, Vm};
use t0_sim::timing::{Costs, Timing};
use t0_sim::{Launch, Simulator};

const KERNEL: u64 = 0x10_0000;
const ARGS: u64 = 0x20_0000;
const OUT: u64 = 0x1_0000_0000;
const IN: u64 = 0x2_0000_0000;
const MIB: u64 = 1 << 20;

/// Runs `groups` workgroups of `items` work-items with two buffers of `bytes` each as arguments.
fn run(text: &str, bytes: u64, groups: u32, items: u32) -> Timing {
    let vm = Vm::new().unwrap();
    let kernel = Kernel {
        vgprs: 24,
        wgp: true,
        ..Kernel::default()
    };
    kernel.load(&vm, KERNEL, "k", text);
    vm.map_fresh(OUT, bytes, PageFlags::ALL, "out").unwrap();
    vm.map_fresh(IN, bytes, PageFlags::ALL, "in").unwrap();
    pointers(&vm, ARGS, &[OUT, IN]);
    let launch = Launch {
        descriptor: KERNEL,
        kernarg: ARGS,
        grid: [groups * items, 1, 1],
        workgroup: [items, 1, 1],
        lds: 0,
    };
    let sim = Simulator::new().with_sampling();
    sim.run(&launch, &vm).unwrap();
    let t = sim.take_recordings().remove(0).time(&Costs::default(), false);
    assert!(
        t.memory.iter().chain([&t.dispatch]).all(|&b| b <= 1.0),
        "{:?} {}",
        t.memory,
        t.dispatch
    );
    t
}

/// `out` and `in` in s[4:7], v0 the number of the work-item in the launch, in workgroups of 256.
const BEGIN: &str = "s_load_b128 s[4:7], s[0:1], 0x0\nv_and_b32 v0, 0x3ff, v0\ns_lshl_b32 s8, s13, 8\n\
    v_add_nc_u32 v0, s8, v0\ns_waitcnt lgkmcnt(0)\n";

/// Copies 16 bytes a work-item, `mib` MiB in all, out of buffers of `of` MiB.
fn copy(mib: u64, of: u64) -> Timing {
    let body = "v_lshlrev_b32 v0, 4, v0\nglobal_load_b128 v[1:4], v0, s[6:7]\ns_waitcnt vmcnt(0)\n\
        global_store_b128 v0, v[1:4], s[4:5]\ns_endpgm";
    run(&format!("{BEGIN}{body}"), of * MIB, (mib * MIB / 4096) as u32, 256)
}

/// GB/s of such a copy, reads and writes.
fn rate(mib: u64, t: &Timing) -> f64 {
    (2 * mib * MIB) as f64 / t.seconds() / 1e9
}

#[test]
fn data_that_do_not_fit_the_cache_come_from_dram() {
    // The data sheet says 960 GB/s.
    for mib in [64, 256] {
        let t = copy(mib, mib);
        let rate = rate(mib, &t);
        assert!((700.0..=960.0).contains(&rate), "{mib} MiB: {rate} GB/s");
        assert!(t.far.dram > 0.99 && t.memory[4] > 0.9, "{:?} {:?}", t.far, t.memory);
        assert!(
            (t.touched as f64 / (2 * mib * MIB) as f64 - 1.0).abs() < 0.01,
            "{}",
            t.touched
        );
    }
    // What fits was left there by the launch before; 3.5 TB/s are its peak.
    let t = copy(32, 32);
    let rate = rate(32, &t);
    assert!((960.0..3500.0).contains(&rate), "{rate} GB/s");
    assert_eq!(t.far.dram, 0.0);
    // Two MiB fit the L2.
    assert_eq!(copy(1, 1).far.beyond_l2, 0.0);
}

#[test]
fn what_is_touched_counts_and_not_what_is_allocated() {
    let (small, large) = (copy(8, 8), copy(8, 256));
    assert_eq!(small.cycles, large.cycles);
    assert_eq!((small.far, small.touched), (large.far, large.touched));
}

#[test]
fn atomics_of_one_dword_take_turns() {
    let lanes = 1024 * 256;
    let of = |offset: &str| {
        let body = format!("{offset}\nv_mov_b32 v2, 1\nglobal_atomic_add_u32 v1, v2, s[4:5]\ns_endpgm");
        run(&format!("{BEGIN}{body}"), MIB, 1024, 256)
    };
    let hot = of("v_mov_b32 v1, 0");
    let cold = of("v_lshlrev_b32 v1, 2, v0");
    // All dwords of one line: lanes of a wave do not meet, waves do.
    let line = of("v_and_b32 v1, 15, v0\nv_lshlrev_b32 v1, 2, v1");
    assert!(hot.cycles > lanes && hot.cycles < 2 * lanes, "{}", hot.cycles);
    assert!(hot.memory[5] > 0.9, "{:?}", hot.memory);
    assert!(cold.cycles < hot.cycles / 10, "{} {}", cold.cycles, hot.cycles);
    assert!(
        cold.cycles < line.cycles && line.cycles < hot.cycles / 4,
        "{} {} {}",
        cold.cycles,
        line.cycles,
        hot.cycles
    );
    // One lane of each group: not slower than a cycle for each.
    let one = of("v_cmpx_eq_u32 0, v0\nv_mov_b32 v1, 0");
    assert!(one.cycles < cold.cycles + 2048, "{} {}", one.cycles, cold.cycles);
}

#[test]
fn scalar_loads_wait_longer_for_what_lies_farther_away() {
    let rounds = 8192;
    // Addresses as a generator of random numbers gives them, one after the other, another series in each group.
    let chase = |bytes: u64| {
        let text = format!(
            "s_load_b128 s[4:7], s[0:1], 0x0\ns_mul_i32 s8, s13, 0x9e3779b1\ns_movk_i32 s20, {rounds}\n\
             s_waitcnt lgkmcnt(0)\nagain:\ns_mul_i32 s8, s8, 0x19660d\ns_add_i32 s8, s8, 0x3c6ef35f\n\
             s_and_b32 s9, s8, {:#x}\ns_load_b32 s10, s[6:7], s9\ns_waitcnt lgkmcnt(0)\n\
             s_sub_i32 s20, s20, 1\ns_cmp_lg_u32 s20, 0\ns_cbranch_scc1 again\ns_endpgm",
            bytes - 64
        );
        // The buffers are equally large; what is touched differs.
        let t = run(&text, 512 * MIB, 192, 32);
        t.played.0 as f64 / f64::from(rounds)
    };
    let [l2, mall, dram] = [MIB, 32 * MIB, 512 * MIB].map(chase);
    let c = Costs::default();
    let near = |more: f64, latency: u32| (more - f64::from(latency - c.l2)).abs() < 40.0;
    assert!(near(mall - l2, c.mall_scalar), "{l2} {mall}");
    assert!(near(dram - l2, c.dram + c.mall_scalar - c.mall), "{l2} {dram}");
}

#[test]
fn a_shader_array_starts_a_wave_a_cycle() {
    let t = run("s_endpgm", MIB, 65_536, 256);
    // Twelve arrays, eight waves a workgroup.
    let least = 65_536 * 8 / 12;
    let waves = t.cycles - u64::from(Costs::default().dispatch);
    // The pace of the launch comes from its first groups, which gives a cycle of a hundred.
    assert!(
        waves > least - least / 100 && waves < least + 2000,
        "{waves} of {least}"
    );
    // Of the part that is played back, which begins with waves that have to fetch their code.
    assert!(t.dispatch > 0.7, "{}", t.dispatch);
}
