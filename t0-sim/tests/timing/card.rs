//! What a card says and advises, of kernels whose limits are known by construction.

use crate::common::*;
use t0_backend_rdna3::listing::Listing;
use t0_backend_rdna3::object::{write, CodeObject, KernelCode, Resources};
use t0_backend_rdna3::target::GFX1100;
use t0_sim::card::{Card, Modelled};
use t0_sim::driver::{PageFlags, Vm};
use t0_sim::timing::{Costs, Timing};
use t0_sim::{Launch, Simulator};

const KERNEL: u64 = 0x10_0000;
const ARGS: u64 = 0x20_0000;
const DATA: u64 = 0x100_0000;

fn listing(text: &str, lds: u32, items: u32) -> Listing {
    let kernel = KernelCode {
        name: "k".into(),
        code: assemble(text),
        resources: Resources {
            vgprs: 96,
            sgprs: 32,
            lds_bytes: lds,
            ..Resources::default()
        },
        args: vec![],
        lds: vec![],
        max_group_size: items,
        required_group_size: None,
        spills: [0; 2],
        lines: vec![],
        atomics: vec![],
        sources: Vec::new(),
    };
    let object = CodeObject::parse(&write(&GFX1100, &[kernel]).unwrap()).unwrap();
    Listing::new(&object, &object.kernels[0])
}

/// The card of a launch of `groups` workgroups of `items`; v0 is the work-item, s[2:3] the address of 1 MiB of zeros.
fn launched(text: &str, groups: u32, items: u32) -> (Card, Timing) {
    let text =
        format!("s_load_b64 s[2:3], s[0:1], 0x0\nv_and_b32 v0, 0x3ff, v0\ns_waitcnt lgkmcnt(0)\n{text}\ns_endpgm");
    let vm = Vm::new().unwrap();
    let kernel = Kernel {
        lds: 8192,
        ..Kernel::default()
    };
    kernel.load(&vm, KERNEL, "k", &text);
    vm.map_fresh(DATA, 1 << 20, PageFlags::ALL, "data").unwrap();
    pointers(&vm, ARGS, &[DATA]);
    let launch = Launch {
        descriptor: KERNEL,
        kernarg: ARGS,
        grid: [groups * items, 1, 1],
        workgroup: [items, 1, 1],
        lds: kernel.lds,
    };
    let sim = Simulator::new().with_timing();
    sim.run(&launch, &vm).unwrap();
    let recording = sim.take_recordings().remove(0);
    let t = recording.time(&Costs::default(), false);
    (Card::new(&listing(&text, 8192, items), Some((&recording, &t))), t)
}

fn modelled(c: &Card) -> &Modelled {
    c.modelled.as_ref().unwrap()
}

fn looped(n: u32, body: &str) -> String {
    format!("s_movk_i32 s20, {n}\nagain:\n{body}\ns_sub_i32 s20, s20, 1\ns_cmp_lg_u32 s20, 0\ns_cbranch_scc1 again")
}

/// The first advice has these words.
fn first(c: &Card, words: &[&str]) {
    let all = &c.advice;
    assert!(words.iter().all(|w| all[0].contains(w)), "{words:?} in {all:#?}");
}

fn nowhere(c: &Card, word: &str) {
    assert!(!c.advice.iter().any(|a| a.contains(word)), "{word} in {:#?}", c.advice);
}

#[test]
fn operations_are_those_of_lanes_that_are_on() {
    let body = looped(100, &"v_fmac_f32 v4, v1, v2\n".repeat(8));
    let (all, t) = launched(&body, 96, 64);
    assert_eq!(t.flops, f64::from(2 * 800 * 96 * 64));
    assert_eq!(modelled(&all).lanes_active, Some(1.0));
    assert!(!all.to_string().contains("lanes active"));

    let (one, t) = launched(&format!("s_mov_b32 exec_lo, 1\n{body}"), 96, 64);
    assert_eq!(t.flops, f64::from(2 * 800 * 96 * 2), "a lane of each wave");
    assert!(one.to_string().contains("lanes active: 3."), "{one}");
}

#[test]
fn lanes_that_are_off_are_the_advice_where_the_valu_is_the_limit() {
    let body = looped(
        100,
        &(0..16)
            .map(|k| format!("v_fma_f32 v{}, v1, v2, v3\n", 10 + k))
            .collect::<String>(),
    );
    let (c, _) = launched(&format!("s_mov_b32 exec_lo, 0xff\n{body}"), 48 * 8, 256);
    first(&c, &["75 % of the lanes are off", "v_fma_f32"]);
    let m = modelled(&c);
    // What holds the VALU is the loop, not what young waves stand at.
    let limiting = m.limiting.as_ref().unwrap();
    assert_eq!(limiting.unit, "valu");
    assert!(limiting.by_instruction[0].at.instruction.starts_with("v_fma_f32"));
    assert!(
        (limiting.by_instruction[0].share - 1.0 / 16.0).abs() < 0.01,
        "{limiting:?}"
    );
    assert!(m.queued > 0.5 && m.stalls.iter().all(|s| s.why != "unit busy"), "{m:?}");
    let text = c.to_string();
    assert!(
        text.contains("time of valu by instruction") && !text.contains("waits by instruction"),
        "{text}"
    );
}

#[test]
fn a_launch_smaller_than_the_card_is_told_so_first() {
    let body = looped(300, &"v_fma_f32 v4, v4, v2, v3\n".repeat(8));
    let (c, _) = launched(&body, 12, 256);
    let m = modelled(&c);
    assert_eq!((m.wgps, m.balance), ((12, 48), 0.25));
    // Eight waves on four SIMDs.
    assert!((1.8..=2.0).contains(&m.waves_per_simd), "{}", m.waves_per_simd);
    first(&c, &["only 12 of 48 WGPs have workgroups"]);
    assert!(c.to_string().contains("card: 12 of 48 WGPs have workgroups, "), "{c}");
}

#[test]
fn scattered_lanes_are_named() {
    // 64 bytes from lane to lane: 16 lines of 128 bytes, 4 of 64 bytes used.
    let text = |shift: u32| {
        format!(
            "v_lshlrev_b32 v1, {shift}, v0\n{}",
            looped(20, "global_load_b32 v2, v1, s[2:3] glc\ns_waitcnt vmcnt(0)")
        )
    };
    let (far, _) = launched(&text(6), 48 * 8, 256);
    let c = modelled(&far).coalescing.as_ref().unwrap();
    let worst = c.worst.as_ref().unwrap();
    assert_eq!((c.lines, c.used, worst.lines, worst.used), (16.0, 0.0625, 16.0, 0.0625));
    first(
        &far,
        &[
            "only 6 % of the bytes that are moved are used",
            "global_load_b32 v2, v1, s[2:3]",
        ],
    );
    let (near, _) = launched(&text(2), 48 * 8, 256);
    let c = modelled(&near).coalescing.as_ref().unwrap();
    assert_eq!((c.lines, c.used, &c.worst), (1.0, 1.0, &None));
    nowhere(&near, "are used");
    assert!(
        near.to_string()
            .contains("memory: 1.0 lines an access, 100.0 % of the bytes moved are used\n"),
        "{near}"
    );
}

#[test]
fn what_helps_against_waiting_for_loads_depends_on_the_code() {
    let addresses = "v_lshlrev_b32 v1, 2, v0\nv_mov_b32 v3, v1\n";
    let (chain, _) = launched(
        &format!(
            "{addresses}{}",
            looped(
                400,
                "global_load_b32 v1, v1, s[2:3]\nv_add_nc_u32 v3, 64, v3\ns_waitcnt vmcnt(0)\nv_add_nc_u32 v1, v1, v3"
            )
        ),
        48 * 32,
        64,
    );
    first(&chain, &["vmcnt", "pointer chasing"]);
    let (rolled, _) = launched(
        &format!(
            "{addresses}{}",
            looped(
                400,
                "global_load_b32 v2, v1, s[2:3]\nv_add_nc_u32 v1, 0x400, v1\ns_waitcnt vmcnt(0)\nv_add_f32 v3, v3, v2"
            )
        ),
        48 * 32,
        64,
    );
    first(&rolled, &["1 load is under way there: unroll the loop"]);
    nowhere(&rolled, "pointer chasing");
    // A wide load needs no wider one.
    let (straight, _) = launched(
        "v_lshlrev_b32 v1, 4, v0\nglobal_load_b128 v[4:7], v1, s[2:3]\nglobal_load_b128 v[8:11], v1, s[2:3] offset:1024\ns_waitcnt vmcnt(0)\nv_add_f32 v3, v4, v8",
        48 * 100,
        64,
    );
    let advice = straight.advice.join("\n");
    assert!(
        advice.contains("2 loads are under way there and the code goes straight on"),
        "{advice}"
    );
    assert!(
        !advice.contains("b128, four") && !advice.contains("next round"),
        "{advice}"
    );
    let (narrow, _) = launched(
        &format!("{addresses}global_load_b32 v4, v1, s[2:3]\ns_waitcnt vmcnt(0)\nv_add_f32 v3, v4, v4"),
        48 * 100,
        64,
    );
    assert!(
        narrow.advice.join("\n").contains("b128, four elements"),
        "{:#?}",
        narrow.advice
    );
}

#[test]
fn waiting_at_a_barrier_is_the_barriers() {
    // The first wave of a workgroup comes late.
    let body = "v_readfirstlane_b32 s4, v0\ns_cmp_lg_u32 s4, 0\ns_cbranch_scc1 early\ns_sleep 20\nearly:\ns_barrier\nv_mov_b32 v9, 0";
    let (c, _) = launched(&looped(20, body), 96, 128);
    let top = &modelled(&c).stalls[0];
    assert_eq!((top.at.instruction.as_str(), top.why), ("s_barrier", "barrier"), "{c}");
}

#[test]
fn each_limit_has_its_own_advice() {
    let salu: String = (0..32).map(|k| format!("s_add_u32 s{}, s4, 1\n", 24 + k % 8)).collect();
    let (c, _) = launched(&looped(100, &salu), 48 * 8, 256);
    first(&c, &["the scalar unit is busy"]);
    let (c, _) = launched(
        &looped(100, &"v_exp_f32 v3, v1\nv_exp_f32 v4, v1\n".repeat(8)),
        48 * 8,
        256,
    );
    first(&c, &["the transcendental unit is busy"]);
    let (c, _) = launched(
        &looped(100, &"v_mul_lo_u32 v3, v1, v2\nv_mul_lo_u32 v4, v1, v2\n".repeat(8)),
        48 * 8,
        256,
    );
    first(&c, &["32-bit integer products hold the VALU four cycles"]);
    nowhere(&c, "nothing stands out");
}

#[test]
fn conflicts_of_stores_that_cost_nothing_are_no_advice() {
    let store = |shift: u32| {
        format!(
            "v_lshlrev_b32 v1, {shift}, v0\n{}",
            looped(50, &"ds_store_b32 v1, v0\n".repeat(8))
        )
    };
    let (clean, _) = launched(&store(2), 48 * 4, 256);
    let (two, _) = launched(&store(3), 48 * 4, 256);
    assert_eq!(modelled(&clean).cycles, modelled(&two).cycles);
    let b = &modelled(&two).bank_conflicts;
    assert_eq!((2 * b.lds, b.lds_time), (b.lds_passes, 0.0));
    nowhere(&two, "bank conflicts");
    // 32 lanes in eight banks: four passes for loads.
    let load = format!(
        "v_and_b32 v1, 31, v0\nv_lshlrev_b32 v1, 4, v1\n{}",
        looped(50, &format!("{}s_waitcnt lgkmcnt(0)", "ds_load_b32 v2, v1\n".repeat(8)))
    );
    let (c, _) = launched(&load, 48 * 4, 256);
    first(
        &c,
        &["75 % of the time of the LDS are bank conflicts", "ds_load_b32 v2, v1"],
    );
}

#[test]
fn banks_of_matrix_instructions_are_named_where_these_are_the_limit() {
    // A and B begin in the same bank: two cycles more than 32.
    let body: String = [32, 40, 48, 56]
        .map(|c| {
            format!(
                "v_wmma_f32_16x16x16_f16 v[{c}:{}], v[4:11], v[12:19], v[{c}:{}]\n",
                c + 7,
                c + 7
            )
        })
        .concat();
    let clear: String = (1..64).map(|k| format!("v_mov_b32 v{k}, 0\n")).collect();
    let (c, _) = launched(&format!("{clear}{}", looped(100, &body)), 48 * 8, 128);
    let advice = c.advice.join("\n");
    assert!(
        advice.contains("6 % of the time of the matrix units is lost to register banks"),
        "{advice}"
    );
    assert!(advice.contains("the matrix units are busy"), "{advice}");

    // Products of integers are no floating-point operations.
    let body = "v_wmma_i32_16x16x16_iu8 v[32:39], v[4:7], v[9:12], v[32:39]\nv_wmma_i32_16x16x16_iu8 v[40:47], v[4:7], v[9:12], v[40:47]\n";
    let (c, t) = launched(&format!("{clear}{}", looped(100, body)), 48 * 8, 128);
    assert_eq!((t.flops, t.integer_ops), (0.0, (200u64 * 8192 * 4 * 48 * 8) as f64));
    let text = c.to_string();
    assert!(text.contains(" TOP/s") && !text.contains("FLOP/s,"), "{text}");
}

#[test]
fn code_that_did_not_run_gets_no_advice() {
    let text = "s_cmp_eq_u32 s20, s20\ns_cbranch_scc1 past\nagain:\nscratch_load_b32 v5, off, off\ns_waitcnt vmcnt(0)\ns_cbranch_scc1 again\npast:\nv_mov_b32 v1, 0";
    let (c, _) = launched(text, 48, 64);
    assert_eq!((c.loops.len(), c.loops[0].rounds, c.loops[0].scratch), (1, Some(0), 1));
    nowhere(&c, "private memory");
    assert!(c.to_string().contains("; not run in this launch\n"), "{c}");
    // Not launched, what stands in the code is all there is to say.
    let c = Card::new(&listing(&format!("{text}\ns_endpgm"), 0, 64), None);
    first(&c, &["has 1 instruction for private memory"]);
    assert_eq!(c.advice.len(), 2, "{:#?}", c.advice);
    assert!(c.advice[1].contains("launch it"));
}

#[test]
fn a_card_leaves_out_what_nobody_has() {
    let (c, _) = launched("v_add_f32 v1, v1, v1", 1, 32);
    let text = c.to_string();
    for absent in [
        "bank conflicts",
        " 0.0 %",
        "0 of 0",
        "1 workgroups",
        " 0.00 ",
        "misses of",
    ] {
        assert!(!text.contains(absent), "{absent} in\n{text}");
    }
    assert!(text.contains("; 1 workgroup, 1 at once\n"), "{text}");
    // 2400 MHz, 192 SIMDs, 64 operations a cycle, and twice that in pairs.
    assert!(
        text.contains("roofline: nothing comes from beyond the L2; f32 multiply-adds 29.5 (59.0 if all were in pairs)"),
        "{text}"
    );
}
