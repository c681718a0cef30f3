//! The cycle model against itself: what must hold whatever its constants are.

use crate::common::*;
use t0_sim::driver::Vm;
use t0_sim::timing::{Costs, Source, Stall, Timing, Unit, CONSTANTS, STALLS, UNITS};
use t0_sim::{Launch, RunStats, Simulator};

const KERNEL: u64 = 0x10_0000;
const ARGS: u64 = 0x20_0000;

/// Runs `groups` workgroups of `items` work-items.
fn run(kernel: &Kernel, text: &str, groups: u32, items: u32) -> (RunStats, Timing) {
    let vm = Vm::new().unwrap();
    kernel.load(&vm, KERNEL, "k", text);
    pointers(&vm, ARGS, &[0]);
    let launch = Launch {
        descriptor: KERNEL,
        kernarg: ARGS,
        grid: [groups * items, 1, 1],
        workgroup: [items, 1, 1],
        lds: kernel.lds,
    };
    let sim = Simulator::new().with_timing();
    let stats = sim.run(&launch, &vm).unwrap();
    (stats, sim.take_recordings().remove(0).time(&Costs::default(), true))
}

fn unit(t: &Timing, u: Unit) -> f64 {
    t.units[UNITS.iter().position(|x| *x == u).unwrap()]
}

fn stalled(t: &Timing, s: Stall) -> u64 {
    t.stalls()[STALLS.iter().position(|x| *x == s).unwrap()]
}

/// A loop of `body` that goes round `n` times.
fn looped(n: u32, body: &str) -> String {
    format!("s_movk_i32 s20, {n}\nagain:\n{body}\ns_sub_i32 s20, s20, 1\ns_cmp_lg_u32 s20, 0\ns_cbranch_scc1 again\ns_endpgm")
}

#[test]
fn what_is_issued_is_what_was_executed() {
    let body = "v_add_f32 v1, v2, v3\nds_store_b32 v4, v1\ns_waitcnt lgkmcnt(0)\ns_barrier\nds_load_b32 v5, v4\ns_waitcnt lgkmcnt(0)";
    let text = format!(
        "v_and_b32 v0, 0x3ff, v0\nv_mov_b32 v2, v0\nv_mov_b32 v3, 1.0\nv_lshlrev_b32 v4, 2, v0\n{}",
        looped(9, body)
    );
    let kernel = Kernel {
        lds: 1024,
        ..Kernel::default()
    };
    let (stats, t) = run(&kernel, &text, 1, 256);
    assert_eq!(t.sites.iter().map(|s| s.issued).sum::<u64>(), stats.instructions);
    assert_eq!(t.issues.len() as u64, stats.instructions);
    // No wave issues twice in a cycle, no unit of a SIMD either.
    let mut seen = std::collections::HashSet::new();
    for i in &t.issues {
        assert!(seen.insert((i.group, i.wave, i.time)), "{i:?}");
        assert!(i.from <= i.time && i.time < i.until, "{i:?}");
    }
}

#[test]
fn no_unit_is_faster_than_its_rate() {
    let add: String = (0..64)
        .map(|k| format!("v_add_f32 v{}, v1, v2\n", 3 + k % 32))
        .collect();
    let setup = "v_mov_b32 v1, 1.0\nv_mov_b32 v2, 2.0\n";
    let (_, t) = run(
        &Kernel {
            vgprs: 48,
            ..Kernel::default()
        },
        &format!("{setup}{}", looped(50, &add)),
        48 * 32,
        64,
    );
    let valu = unit(&t, Unit::Valu);
    assert!((0.9..=1.0).contains(&valu), "{valu}");

    let trans: String = (0..16).map(|k| format!("v_exp_f32 v{}, v1\n", 3 + k)).collect();
    let (stats, t) = run(
        &Kernel {
            vgprs: 48,
            ..Kernel::default()
        },
        &format!("{setup}{}", looped(50, &trans)),
        48,
        512,
    );
    let rate = (50 * 16 * 16) as f64 / t.played.0 as f64 / 4.0;
    assert!(
        rate <= 0.25,
        "{rate} transcendental instructions a cycle and SIMD, {stats:?}"
    );
}

#[test]
fn matrix_instructions_keep_to_256_operations_a_cycle() {
    // A begins in bank 2, B in bank 3, C in bank 0; then A in that of C.
    let body = |a: u32| -> String {
        let of = |c: u32| {
            format!(
                "v_wmma_f32_16x16x16_f16 v[{c}:{0}], v[{a}:{1}], v[11:18], v[{c}:{0}]\n",
                c + 7,
                a + 7
            )
        };
        [32, 40, 48, 56].map(of).concat()
    };
    let clear: String = (2..64).map(|k| format!("v_mov_b32 v{k}, 0\n")).collect();
    let kernel = Kernel {
        vgprs: 72,
        ..Kernel::default()
    };
    let rate = |a: u32| {
        let (stats, t) = run(&kernel, &format!("{clear}{}", looped(400, &body(a))), 48 * 8, 128);
        assert!(t.wmma > 0.98 && t.wmma <= 1.0, "{}", t.wmma);
        stats.wmma as f64 / 48.0 * 8192.0 / t.played.0 as f64 / 4.0
    };
    let clean = rate(2);
    assert!(
        (0.98 * 256.0..=256.0).contains(&clean),
        "{clean} operations a cycle and SIMD"
    );
    // 34 cycles instead of 32, measured on a gfx1151.
    let clash = rate(4);
    assert!((clash / clean - 32.0 / 34.0).abs() < 0.005, "{clash} after {clean}");
}

#[test]
fn more_waves_hide_more_latency() {
    let chain = "v_add_f32 v1, v1, v2\n".repeat(32);
    let text = format!("v_mov_b32 v1, 0\nv_mov_b32 v2, 1.0\n{}", looped(100, &chain));
    let mut before = 0.0;
    // Five hide it; of more the oldest go first, so that the last ones are alone in the end.
    for waves in [1, 2, 3, 4, 5] {
        // Waves of one workgroup are spread over the four SIMDs.
        let kernel = Kernel {
            vgprs: 24,
            wgp: true,
            ..Kernel::default()
        };
        let (_, t) = run(&kernel, &text, 1, 32 * 4 * waves);
        let valu = unit(&t, Unit::Valu);
        assert!(valu >= before - 0.02, "{waves} waves: {valu} after {before}");
        if waves == 1 {
            assert!((0.15..0.2).contains(&valu), "a result takes five cycles: {valu}");
            assert!(stalled(&t, Stall::Result) > 0);
        }
        before = valu;
    }
    assert!(before > 0.85, "{before}");
}

#[test]
fn conflicts_are_counted_and_cost_time() {
    let text = |shift: u32| {
        let body = "ds_load_b32 v5, v4\n".repeat(8) + "s_waitcnt lgkmcnt(0)";
        format!(
            "v_and_b32 v0, 0x1f, v0\nv_lshlrev_b32 v4, {shift}, v0\n{}",
            looped(10, &body)
        )
    };
    let kernel = Kernel {
        lds: 8192,
        ..Kernel::default()
    };
    let (_, clean) = run(&kernel, &text(2), 1, 32);
    let (_, clash) = run(&kernel, &text(7), 1, 32);
    let conflicts = |t: &Timing| t.sites.iter().map(|s| s.conflicts).sum::<u64>();
    assert_eq!(conflicts(&clean), 0);
    // 32 lanes in one bank: 31 passes more for each of 80 loads.
    assert_eq!(conflicts(&clash), 80 * 31);
    assert!(
        clash.played.0 > clean.played.0 + 80 * 25,
        "{} {}",
        clash.played.0,
        clean.played.0
    );
}

#[test]
fn the_same_for_any_number_of_threads_and_when_sampled() {
    let text = looped(30, "v_add_f32 v1, v1, v2\ns_barrier");
    let text = format!("v_mov_b32 v1, 0\nv_mov_b32 v2, 1.0\n{text}");
    let vm = Vm::new().unwrap();
    Kernel::default().load(&vm, KERNEL, "k", &text);
    pointers(&vm, ARGS, &[0]);
    let launch = Launch {
        descriptor: KERNEL,
        kernarg: ARGS,
        grid: [256 * 5000, 1, 1],
        workgroup: [256, 1, 1],
        lds: 0,
    };
    let cycles = |sim: Simulator| {
        let stats = sim.run(&launch, &vm).unwrap();
        (
            sim.take_recordings().remove(0).time(&Costs::default(), false).cycles,
            stats.workgroups,
        )
    };
    let (all, ran) = cycles(Simulator::new().with_timing().with_threads(1));
    assert_eq!(ran, 5000);
    assert_eq!(cycles(Simulator::new().with_timing().with_threads(2)), (all, 5000));
    let (sampled, ran) = cycles(Simulator::new().with_sampling());
    assert_eq!(sampled, all);
    assert!(ran < 1000, "{ran}");
}

#[test]
fn every_constant_can_be_varied() {
    for c in CONSTANTS {
        assert!(
            Costs::default().varied(c.name, c.value).unwrap() == Costs::default(),
            "{}",
            c.name
        );
        assert!(
            Costs::default().varied(c.name, c.value + 1).unwrap() != Costs::default(),
            "{}",
            c.name
        );
        let (Source::Measured(why) | Source::Documented(why) | Source::Fitted(why) | Source::Assumed(why)) = c.source;
        assert!(why.len() > 4 && !c.what.is_empty(), "{}", c.name);
    }
    assert_eq!(Costs::default().varied("no such", 1), None);
}
