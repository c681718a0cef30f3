//! Dual-issue pairs: every operation in both halves, and halves that read what the other writes.
#![allow(clippy::unwrap_used)]

use crate::common::*;
use t0_sim::wave::Row;

/// A half as dual-issue text and as the ordinary instruction; `D`, `A`, `B` stand for registers.
const HALVES: [(&str, &str); 13] = [
    ("v_dual_fmac_f32 D, A, B", "v_fmac_f32 D, A, B"),
    (
        "v_dual_fmaak_f32 D, A, B, 0x40490fdb",
        "v_fmaak_f32 D, A, B, 0x40490fdb",
    ),
    (
        "v_dual_fmamk_f32 D, A, 0x40490fdb, B",
        "v_fmamk_f32 D, A, 0x40490fdb, B",
    ),
    ("v_dual_mul_f32 D, A, B", "v_mul_f32 D, A, B"),
    ("v_dual_add_f32 D, A, B", "v_add_f32 D, A, B"),
    ("v_dual_sub_f32 D, A, B", "v_sub_f32 D, A, B"),
    ("v_dual_subrev_f32 D, A, B", "v_subrev_f32 D, A, B"),
    ("v_dual_mul_dx9_zero_f32 D, A, B", "v_mul_dx9_zero_f32 D, A, B"),
    ("v_dual_mov_b32 D, A", "v_mov_b32 D, A"),
    ("v_dual_cndmask_b32 D, A, B", "v_cndmask_b32 D, A, B, vcc_lo"),
    ("v_dual_max_f32 D, A, B", "v_max_f32 D, A, B"),
    ("v_dual_min_f32 D, A, B", "v_min_f32 D, A, B"),
    ("v_dual_dot2acc_f32_f16 D, A, B", "v_dot2acc_f32_f16 D, A, B"),
];
const Y_ONLY: [(&str, &str); 3] = [
    ("v_dual_add_nc_u32 D, A, B", "v_add_nc_u32 D, A, B"),
    ("v_dual_lshlrev_b32 D, A, B", "v_lshlrev_b32 D, A, B"),
    ("v_dual_and_b32 D, A, B", "v_and_b32 D, A, B"),
];

fn fill(text: &str, [d, a, b]: [&str; 3]) -> String {
    text.replace('D', d).replace('A', a).replace('B', b)
}

fn machine(seed: u64) -> Machine {
    let mut m = Machine::new();
    let mut r = Rng(seed);
    for v in 0..8 {
        let row: Row = std::array::from_fn(|_| {
            if r.u32() % 3 == 0 {
                EDGES_F32[r.u32() as usize % EDGES_F32.len()]
            } else {
                // Exponents that make sums of products meet.
                (r.u32() & 0x80ff_ffff) | (0x38 + r.u32() % 8) << 24
            }
        });
        m.set_v(v, row);
    }
    m.set_s(106, r.u32());
    m.wave.set_s(126, r.u32() | 1);
    m
}

#[test]
fn every_pair_gives_what_its_halves_give_alone() {
    let mut seed = 0x9e37_79b9_7f4a_7c15;
    for x in HALVES {
        for y in HALVES.iter().chain(&Y_ONLY) {
            seed += 2;
            let (of_x, of_y) = (["v4", "v0", "v2"], ["v5", "v1", "v3"]);
            let mut dual = machine(seed);
            dual.run(&format!("{} :: {}", fill(x.0, of_x), fill(y.0, of_y)))
                .unwrap();
            let mut alone = machine(seed);
            alone.run(&format!("{}\n{}", fill(x.1, of_x), fill(y.1, of_y))).unwrap();
            for r in 0..8 {
                assert_eq!(dual.v(r), alone.v(r), "v{r} of {} :: {}", x.0, y.0);
            }
            // The final s_endpgm counts as well.
            assert_eq!(dual.wave.issued, 2);
        }
    }
}

#[test]
fn both_halves_read_the_old_registers() {
    let mut m = Machine::new();
    let (a, b): (Row, Row) = (
        std::array::from_fn(|l| l as u32),
        std::array::from_fn(|l| 100 + l as u32),
    );
    // X writes what Y reads.
    m.set_v(0, a).set_v(1, b);
    m.run("v_dual_mov_b32 v0, v3 :: v_dual_mov_b32 v1, v0").unwrap();
    assert_eq!(m.v(1), a);
    // Y writes what X reads.
    m.set_v(0, a).set_v(1, b);
    m.run("v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v1, v2").unwrap();
    assert_eq!(m.v(0), b);
    // Both: an exchange.
    m.set_v(0, a).set_v(1, b);
    m.wave.set_s(126, 0xffff_0000);
    m.run("v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v1, v0").unwrap();
    for l in 0..32 {
        let (p, q) = if l < 16 { (a[l], b[l]) } else { (b[l], a[l]) };
        assert_eq!((m.v(0)[l], m.v(1)[l]), (p, q), "lane {l}");
    }
}

#[test]
fn pairs_are_watched_for_loads_and_transcendentals_and_refused_in_wave64() {
    let mut m = Machine::new();
    m.buffer(0x10_0000, "data", &[0; 64]);
    m.set_s64(2, 0x10_0000).set_v(9, [0; 32]);
    let e = m
        .run("global_load_b32 v3, v9, s[2:3]\nv_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v5, v3")
        .unwrap_err()
        .to_string();
    assert!(e.contains("v3") && e.contains("vmcnt"), "{e}");
    let e = Machine::new()
        .run("v_exp_f32 v3, v1\nv_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v5, v3")
        .unwrap_err()
        .to_string();
    assert!(e.contains("valu-trans-use"), "{e}");
    let e = Machine::wave64()
        .run("v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v1, v2")
        .unwrap_err()
        .to_string();
    // The decoder knows no such instruction there.
    assert!(e.contains("illegal instruction"), "{e}");
}
