//! Profiles and fidelity reports of small kernels whose data flow is known.
#![allow(clippy::unwrap_used)]

use crate::common::*;
use t0_sim::driver::{PageFlags, Vm};
use t0_sim::fidelity::{Fidelity, Report, Sink};
use t0_sim::{Launch, Numerics, Profile, Simulator};

/// Runs a kernel of two workgroups of two waves; `s[2:3]` is a buffer, `v1` the byte offset of a work-item.
fn profile(body: &str, numerics: Numerics) -> Profile {
    let vm = Vm::new().unwrap();
    let text =
        format!("s_load_b64 s[2:3], s[0:1], 0x0\nv_lshlrev_b32 v1, 2, v0\ns_waitcnt lgkmcnt(0)\n{body}\ns_endpgm");
    Kernel {
        rsrc2: 1 << 7,
        lds: 1024,
        ..Kernel::default()
    }
    .load(&vm, 0x10_0000, "kernel", &text);
    pointers(&vm, 0x20_0000, &[0x30_0000]);
    vm.map_fresh(0x30_0000, 1 << 16, PageFlags::ALL, "data").unwrap();
    let launch = Launch {
        descriptor: 0x10_0000,
        kernarg: 0x20_0000,
        grid: [128, 1, 1],
        workgroup: [64, 1, 1],
        lds: 1024,
    };
    let sim = Simulator::new().with_threads(2).with_numerics(numerics).with_profile();
    let stats = sim.run(&launch, &vm).unwrap();
    let mut all = sim.take_profiles();
    let profile = all.pop().unwrap();
    assert!(all.is_empty() && sim.take_profiles().is_empty());
    assert_eq!(profile.instructions(), stats.instructions);
    profile
}

fn report(body: &str) -> Report {
    Report::of(&profile(body, Numerics::Fast))
}

fn sinks(r: &Report) -> [bool; 3] {
    [Sink::Address, Sink::Branch, Sink::Memory].map(|s| r.reaches(s))
}

#[test]
fn counts_follow_loops_and_branches() {
    let p = profile(
        "s_movk_i32 s4, 0x5\nloop:\nv_add_f32 v2, v1, v1\ns_sub_u32 s4, s4, 1\ns_cmp_lg_u32 s4, 0\ns_cbranch_scc1 loop\n\
         s_branch end\nv_mul_f32 v2, v1, v1\nend:\n",
        Numerics::Fast,
    );
    let count = |name: &str| p.by_opcode().iter().find(|o| o.name == name).map(|o| o.count);
    // Four waves, five rounds.
    assert_eq!(count("v_add_f32"), Some(20));
    assert_eq!(count("s_cbranch_scc1"), Some(20));
    assert_eq!(count("s_movk_i32"), Some(4));
    assert_eq!(count("v_mul_f32"), None);
    let classes = p.by_class();
    assert_eq!(classes.iter().find(|c| c.0 == "valu").unwrap().1, 24);
    assert_eq!(classes.iter().map(|c| c.1).sum::<u64>(), p.instructions());
}

#[test]
fn exact_programs_say_so() {
    let r = report("v_add_f32 v2, v1, v1\nglobal_store_b32 v1, v2, s[2:3]");
    assert!(r.is_exact() && r.reached.is_empty(), "{r}");
    assert!(
        r.to_string().contains("no approximate result reaches an address"),
        "{r}"
    );
}

#[test]
fn approximate_results_are_followed_to_where_they_arrive() {
    let r = report("v_exp_f32 v2, v1\nv_nop\nv_nop\nv_nop\nv_nop\nv_nop\nv_nop\nv_add_f32 v3, v2, v2\nglobal_store_b32 v1, v3, s[2:3]");
    assert_eq!(sinks(&r), [false, false, true], "{r}");
    let exp = r.opcodes.iter().find(|(o, _)| o.name == "v_exp_f32").unwrap();
    assert!(matches!(exp.1, Fidelity::Approximate { .. }) && exp.0.count == 4);
    assert_eq!(
        (r.reached[0].text.as_str(), r.reached[0].count),
        ("global_store_b32 v1, v3, s[2:3]", 4)
    );
    // Overwritten under the first EXEC: clean again.
    let wait = "s_waitcnt_depctr 0xfff\n";
    let r = report(&format!(
        "v_exp_f32 v2, v1\n{wait}v_mov_b32 v2, 0\nglobal_store_b32 v1, v2, s[2:3]"
    ));
    assert_eq!(sinks(&r), [false; 3], "{r}");
    // An address, through LDS; the loop makes the load come before the store.
    let through = format!(
        "ds_store_b32 v1, v1\ns_mov_b32 s4, 2\nloop:\nds_load_b32 v3, v1\ns_waitcnt lgkmcnt(0)\nv_and_b32 v3, 60, v3\n\
         global_load_b32 v4, v3, s[2:3]\ns_waitcnt vmcnt(0)\nv_rcp_f32 v2, v1\n{wait}ds_store_b32 v1, v2\ns_sub_u32 s4, s4, 1\n\
         s_cmp_lg_u32 s4, 0\ns_cbranch_scc1 loop\n"
    );
    assert_eq!(sinks(&report(&through)), [true, false, true]);
    // EXEC, and everything it masks.
    let r = report(&format!(
        "v_sqrt_f32 v2, v1\n{wait}v_cmp_lt_f32 vcc_lo, 1.0, v2\ns_and_b32 exec_lo, exec_lo, vcc_lo\nglobal_store_b32 v1, v1, s[2:3]"
    ));
    assert!(sinks(&r)[1], "{r}");
}

#[test]
fn matrix_products_are_judged_by_mode_and_their_copies_compared() {
    let body =
        "v_wmma_f32_16x16x16_f16 v[24:31], v[8:15], v[16:23], 0\nv_wmma_i32_16x16x16_iu4 v[32:39], v[8:9], v[10:11], 0";
    for (numerics, word) in [(Numerics::Fast, "order of k"), (Numerics::Silicon, "gfx1151")] {
        let r = Report::of(&profile(body, numerics));
        assert_eq!(r.numerics, numerics);
        let of = |name: &str| r.opcodes.iter().find(|(o, _)| o.name == name).unwrap().1;
        let Fidelity::Approximate { why, .. } = of("v_wmma_f32_16x16x16_f16") else {
            panic!("{r}")
        };
        assert!(why.contains(word), "{why}");
        assert_eq!(of("v_wmma_i32_16x16x16_iu4"), Fidelity::Exact);
        // Nobody wrote the operands: every lane has the same poison.
        assert_eq!(r.uneven_tiles, 0);
    }
    let r = report(&format!("v_mov_b32 v9, v0\nv_mov_b32 v20, v0\n{body}"));
    // Both instructions read v9; 4 waves.
    assert_eq!(r.uneven_tiles, 8, "{r}");
}

#[test]
fn the_halves_of_a_pair_are_kept_apart() {
    let dual = |pair: &str, stored: &str| {
        report(&format!(
            "v_exp_f32 v2, v1\nv_mov_b32 v3, 1.0\nv_nop\nv_nop\nv_nop\nv_nop\nv_nop\n{pair}\nglobal_store_b32 v1, {stored}, s[2:3]"
        ))
    };
    let pair = "v_dual_mov_b32 v5, 0 :: v_dual_add_f32 v4, v2, v3";
    assert_eq!(sinks(&dual(pair, "v5")), [false; 3]);
    assert_eq!(sinks(&dual(pair, "v4")), [false, false, true]);
    // Both halves read what was there before the pair: v2 is exact after it, v5 is not.
    let swap = "v_dual_mov_b32 v2, v3 :: v_dual_mov_b32 v5, v2";
    assert_eq!(sinks(&dual(swap, "v2")), [false; 3]);
    assert_eq!(sinks(&dual(swap, "v5")), [false, false, true]);
    // An accumulator is a source of its own half.
    let acc = "v_dual_fmac_f32 v2, v3, v3 :: v_dual_mov_b32 v5, 0";
    assert_eq!(sinks(&dual(acc, "v2")), [false, false, true]);
}
