//! Long launches, of which the cycle model plays back a part.

use crate::common::*;
use t0_sim::driver::{PageFlags, Vm};
use t0_sim::timing::{Costs, Rounds, Timing};
use t0_sim::{Launch, Simulator};

const KERNEL: u64 = 0x10_0000;
const ARGS: u64 = 0x20_0000;
const DATA: u64 = 0x1_0000_0000;
const BYTES: u64 = 64 << 20;
/// WGPs of the card.
const WGPS: u32 = 48;
/// LDS of a WGP.
const LDS: u32 = 128 << 10;

/// A kernel, and how it is launched.
struct Case {
    text: String,
    items: u32,
    /// Groups a WGP has LDS for.
    resident: u32,
    wgp: bool,
}

impl Case {
    fn new(text: &str, items: u32, resident: u32) -> Case {
        Case {
            text: text.to_string(),
            items,
            resident,
            wgp: true,
        }
    }

    fn launch(&self, groups: u32, rounds: Rounds) -> Timing {
        let vm = Vm::new().unwrap();
        let kernel = Kernel {
            vgprs: 48,
            lds: LDS / self.resident / 512 * 512,
            wgp: self.wgp,
            ..Kernel::default()
        };
        kernel.load(&vm, KERNEL, "k", &self.text);
        vm.map_fresh(DATA, BYTES, PageFlags::ALL, "data").unwrap();
        pointers(&vm, ARGS, &[DATA]);
        let launch = Launch {
            descriptor: KERNEL,
            kernarg: ARGS,
            grid: [groups * self.items, 1, 1],
            workgroup: [self.items, 1, 1],
            lds: kernel.lds,
        };
        let sim = Simulator::new().with_sampling().with_rounds(rounds);
        sim.run(&launch, &vm).unwrap();
        sim.take_recordings().remove(0).time(&Costs::default(), false)
    }

    /// Cycles without those of the launch itself, with `n` groups on each WGP.
    fn cycles(&self, n: u32, rounds: Rounds) -> u64 {
        self.launch(n * WGPS, rounds).cycles - u64::from(Costs::default().dispatch)
    }
}

/// Pointer in s[4:5], number of the work-item in v0, four times that in v4.
const BEGIN: &str = "s_load_b64 s[4:5], s[0:1], 0x0\nv_and_b32 v0, 0x3ff, v0\nv_mov_b32 v1, 1.0\nv_mov_b32 v2, 1.0\n\
    v_lshlrev_b32 v4, 2, v0\ns_waitcnt lgkmcnt(0)\n";

/// A loop of `body` that goes round as often as s20 says.
fn looped(body: &str) -> String {
    format!("again:\n{body}\ns_sub_i32 s20, s20, 1\ns_cmp_lg_u32 s20, 0\ns_cbranch_scc1 again\ns_endpgm")
}

/// The same after the beginning, `n` times.
fn rounds(n: u32, body: &str) -> String {
    format!("{BEGIN}s_movk_i32 s20, {n}\n{}", looped(body))
}

/// Multiply-adds that wait for each other.
fn chain(n: usize) -> String {
    format!("{BEGIN}{}s_endpgm", "v_fma_f32 v1, v1, v2, v1\n".repeat(n))
}

/// And such that do not.
fn free() -> String {
    let all: String = (0..32).map(|k| format!("v_fma_f32 v{}, v1, v2, v2\n", 8 + k)).collect();
    rounds(4, &all)
}

/// Waves of a group that go round once to eight times.
fn mixed() -> String {
    let body = "v_fma_f32 v1, v1, v2, v1\n".repeat(32);
    format!(
        "{BEGIN}v_readfirstlane_b32 s8, v0\ns_lshr_b32 s8, s8, 5\ns_and_b32 s8, s8, 7\ns_add_i32 s20, s8, 1\n{}",
        looped(&body)
    )
}

fn lds() -> String {
    let body = "ds_load_b128 v[8:11], v5\nds_load_b128 v[12:15], v5\ns_waitcnt lgkmcnt(0)\nv_add_f32 v1, v8, v12\n";
    format!(
        "{BEGIN}v_lshlrev_b32 v5, 4, v0\nv_and_b32 v5, 0xff0, v5\ns_movk_i32 s20, 4\n{}",
        looped(&body.repeat(4))
    )
}

fn barriers() -> String {
    let body = "ds_store_b32 v4, v1\ns_waitcnt lgkmcnt(0)\ns_barrier\nds_load_b32 v6, v4\ns_waitcnt lgkmcnt(0)\n\
        v_fma_f32 v1, v6, v2, v1\ns_barrier\n";
    rounds(4, &body.repeat(4))
}

/// Loads, of each group other data.
fn loads() -> String {
    let body =
        "v_add_nc_u32 v6, 0x10000, v6\nglobal_load_b32 v7, v6, s[4:5]\ns_waitcnt vmcnt(0)\nv_add_f32 v1, v1, v7\n";
    format!(
        "{BEGIN}s_mul_i32 s8, s13, 0x1100\nv_add_nc_u32 v6, s8, v4\ns_movk_i32 s20, 8\n{}",
        looped(body)
    )
}

/// Loads of a table that all groups share, which stays in the L0.
fn table() -> String {
    let body = "v_add_nc_u32 v6, 0x800, v6\nglobal_load_b32 v7, v6, s[4:5]\ns_waitcnt vmcnt(0)\nv_add_f32 v1, v1, v7\n";
    format!("{BEGIN}v_mov_b32 v6, v4\ns_movk_i32 s20, 8\n{}", looped(body))
}

fn wmma() -> String {
    let clear: String = (8..48).map(|k| format!("v_mov_b32 v{k}, 0\n")).collect();
    let of = |c: u32| {
        format!(
            "v_wmma_f32_16x16x16_f16 v[{c}:{0}], v[32:39], v[40:47], v[{c}:{0}]\n",
            c + 7
        )
    };
    format!(
        "{BEGIN}{clear}s_movk_i32 s20, 2\n{}",
        looped(&[16, 24].map(of).concat().repeat(4))
    )
}

/// How far the least rounds may be off. Of 1040 launches like those below the worst was 3.4 % off, the mean was 0.2 %.
const FEW: f64 = 0.03;
/// And as many as can be afforded: 1.1 %, and 0.01 %.
const MANY: f64 = 0.015;

#[test]
fn part_of_a_queue_tells_of_all_of_it() {
    let cu = Case {
        wgp: false,
        ..Case::new(&chain(256), 96, 8)
    };
    let cases = [
        ("chain, large groups", Case::new(&chain(256), 768, 2)),
        ("chain, odd groups", Case::new(&chain(256), 192, 5)),
        ("chain, CU mode", cu),
        ("free", Case::new(&free(), 96, 10)),
        ("mixed", Case::new(&mixed(), 256, 3)),
        ("mixed, large groups", Case::new(&mixed(), 1024, 2)),
        ("lds", Case::new(&lds(), 192, 5)),
        ("barriers", Case::new(&barriers(), 256, 3)),
        ("loads", Case::new(&loads(), 256, 5)),
        ("loads of one group", Case::new(&loads(), 1024, 1)),
        ("table", Case::new(&table(), 256, 2)),
        ("wmma", Case::new(&wmma(), 32, 10)),
    ];
    for (name, case) in cases {
        let r = case.launch(WGPS, Rounds::Least).groups.1 as u32;
        let n = 12 * r + r / 2;
        let (part, all) = (case.cycles(n, Rounds::Least), case.cycles(n, Rounds::All));
        let error = part as f64 / all as f64 - 1.0;
        assert!(error.abs() < FEW, "{name}, {n} groups, {r} at once: {part} for {all}");
    }
}

#[test]
fn so_does_the_part_that_short_kernels_are_afforded() {
    for (name, case) in [
        ("chain", Case::new(&chain(256), 96, 5)),
        ("mixed", Case::new(&mixed(), 192, 3)),
        ("loads", Case::new(&loads(), 96, 3)),
    ] {
        let r = case.launch(WGPS, Rounds::Least).groups.1 as u32;
        let n = 60 * r + 1;
        let (part, all) = (case.cycles(n, Rounds::Afforded), case.cycles(n, Rounds::All));
        let error = part as f64 / all as f64 - 1.0;
        assert!(error.abs() < MANY, "{name}, {n} groups, {r} at once: {part} for {all}");
    }
}

#[test]
fn more_groups_never_take_less_time() {
    let cu = |text: &str, items, resident| Case {
        wgp: false,
        ..Case::new(text, items, resident)
    };
    for (name, case, most) in [
        ("chain", Case::new(&chain(128), 768, 2), 21),
        ("mixed", Case::new(&mixed(), 192, 3), 24),
        ("mixed, CU mode", cu(&mixed(), 96, 4), 30),
        ("lds, CU mode", cu(&lds(), 768, 2), 20),
        ("lds", Case::new(&lds(), 96, 2), 21),
        ("barriers", Case::new(&barriers(), 192, 1), 12),
        ("loads", Case::new(&loads(), 96, 2), 21),
        ("wmma", Case::new(&wmma(), 96, 2), 21),
    ] {
        let mut before = 0;
        for n in 1..=most {
            let cycles = case.cycles(n, Rounds::Least);
            assert!(cycles >= before, "{name}: {n} groups take {cycles}, one fewer {before}");
            before = cycles;
        }
    }
}

#[test]
fn no_unit_is_faster_than_its_rate_in_a_launch_of_any_length() {
    let groups = 48_000;
    let n = u64::from(groups / WGPS);
    let sizes = [(768, 2), (192, 10), (32, 32), (96, 21), (256, 8), (1024, 2)];
    for (rounds, sizes) in [(Rounds::Least, &sizes[..]), (Rounds::Afforded, &sizes[..2])] {
        for &(items, resident) in sizes {
            let waves = n * u64::from(items / 32);
            let least = |text: &str, of_a_wave: u64, near: f64| {
                let t = Case::new(text, items, resident).launch(groups, rounds);
                let (cycles, least) = (t.cycles - u64::from(Costs::default().dispatch), waves * of_a_wave / 4);
                assert!(
                    cycles >= least,
                    "{items} items, {rounds:?}: {cycles} cycles, the VALU needs {least}"
                );
                assert!(
                    (cycles as f64) < near * least as f64,
                    "{items} items, {rounds:?}: {cycles} cycles, the VALU needs {least}"
                );
            };
            // What the VALU has to do for a wave, the beginning included. Of so many waves that it is the limit.
            least(&chain(256), 256 + 4, 1.25);
            least(&free(), 4 * 32 + 4, 1.25);
            let wave = |k: u64| 32 * (k % 8 + 1) + 5;
            let of_a_group: u64 = (0..u64::from(items / 32)).map(wave).sum();
            let t = Case::new(&mixed(), items, resident).launch(groups, rounds);
            assert!(t.cycles >= n * of_a_group / 4, "{items} items: {} cycles", t.cycles);
        }
        // Two matrix instructions of 32 cycles four times in each of two rounds.
        let t = Case::new(&wmma(), 96, 21).launch(groups, rounds);
        assert!(t.cycles >= n * 3 * 16 * 32 / 4, "{}", t.cycles);
        // The dispatcher of four WGPs starts a wave a cycle.
        let t = Case::new("s_endpgm", 96, 32).launch(groups, rounds);
        assert!(t.cycles >= n * 3 * 4, "{}", t.cycles);
        // An LDS of 32 banks gives a wave's 16 bytes a lane in four cycles, in WGP mode in 1.7 times as many.
        let t = Case::new(&lds(), 192, 10).launch(groups, rounds);
        assert!(t.cycles >= n * 6 * 32 * 4 * 17 / 20, "{}", t.cycles);
    }
}
