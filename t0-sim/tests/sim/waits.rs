//! The traps for loads in flight and for hazards: noise on wrong code, silence on right code.
#![allow(clippy::unwrap_used)]

use crate::common::*;
use t0_sim::wave::Wave;

const BUF: u64 = 0x10_0000;

fn machine() -> Machine {
    let mut m = Machine::new();
    m.buffer(BUF, "data", &(0..1024).map(|i| i * 3).collect::<Vec<u32>>());
    m.set_s64(2, BUF);
    m.set_v(0, std::array::from_fn(|l| 4 * l as u32));
    m.lds = vec![7; 4096];
    m
}

fn fails(text: &str, want: &[&str]) {
    let e = machine().run(text).expect_err(text).to_string();
    for w in want {
        assert!(e.contains(w), "`{e}` does not mention `{w}`");
    }
}

fn passes(text: &str) {
    machine().run(text).unwrap_or_else(|e| panic!("{text}\n{e}"));
}

#[test]
fn vmem_needs_its_wait() {
    fails(
        "global_load_b32 v1, v0, s[2:3]\nv_add_nc_u32 v2, v1, v1",
        &["v1 is read", "global_load_b32 v1", "vmcnt", "+0x8", "v_add_nc_u32"],
    );
    fails("global_load_b32 v1, v0, s[2:3]\nv_mov_b32 v1, 0", &["v1 is written"]);
    passes("global_load_b32 v1, v0, s[2:3]\ns_waitcnt vmcnt(0)\nv_add_nc_u32 v2, v1, v1");
    passes("global_load_b32 v1, v0, s[2:3]\ns_waitcnt_vmcnt null, 0x0\nv_add_nc_u32 v2, v1, v1");
    // Address registers are free at once, other registers are nobody's business.
    passes("global_load_b32 v1, v0, s[2:3]\nv_mov_b32 v0, 0\nv_mov_b32 v2, v3");
    // A load may overwrite its own address.
    passes("global_load_b32 v0, v0, s[2:3]\ns_waitcnt vmcnt(0)\nv_mov_b32 v1, v0");
}

#[test]
fn vmem_retires_in_order() {
    let two = "global_load_b32 v1, v0, s[2:3]\nglobal_load_b32 v2, v0, s[2:3] offset:128\n";
    passes(&format!("{two}s_waitcnt vmcnt(1)\nv_mov_b32 v3, v1"));
    fails(
        &format!("{two}s_waitcnt vmcnt(1)\nv_mov_b32 v3, v2"),
        &["v2 is read", "offset:128"],
    );
    fails(&format!("{two}s_waitcnt vmcnt(2)\nv_mov_b32 v3, v1"), &["v1 is read"]);
    fails(&format!("{two}s_waitcnt lgkmcnt(0)\nv_mov_b32 v3, v1"), &["v1 is read"]);
    // Loads of one kind may land on one register without a wait; the last one counts.
    passes(
        "global_load_b32 v1, v0, s[2:3]\nglobal_load_b32 v1, v0, s[2:3] offset:4\ns_waitcnt vmcnt(0)\nv_mov_b32 v2, v1",
    );
    fails(
        "global_load_b32 v1, v0, s[2:3]\nglobal_load_b32 v1, v0, s[2:3] offset:4\ns_waitcnt vmcnt(1)\nv_mov_b32 v2, v1",
        &["v1 is read", "offset:4"],
    );
}

#[test]
fn stores_do_not_occupy_vmcnt_and_free_their_data() {
    passes("v_mov_b32 v1, 1\nglobal_store_b32 v0, v1, s[2:3]\nv_mov_b32 v1, 2");
    fails(
        "global_load_b32 v1, v0, s[2:3]\nglobal_store_b32 v0, v1, s[2:3] offset:4",
        &["v1 is read", "global_store_b32"],
    );
    // The store is no load: one load is outstanding, vmcnt(0) is needed.
    passes("global_load_b32 v1, v0, s[2:3]\nglobal_store_b32 v0, v2, s[2:3]\ns_waitcnt vmcnt(0)\nv_mov_b32 v3, v1");
}

#[test]
fn ds_counts_are_graduated() {
    let three = "ds_load_b32 v1, v0\nds_load_b32 v2, v0 offset:128\nds_load_b128 v[4:7], v0\n";
    passes(&format!("{three}s_waitcnt lgkmcnt(2)\nv_mov_b32 v9, v1"));
    fails(
        &format!("{three}s_waitcnt lgkmcnt(2)\nv_mov_b32 v9, v2"),
        &["v2 is read", "lgkmcnt"],
    );
    passes(&format!("{three}s_waitcnt lgkmcnt(1)\nv_mov_b32 v9, v2"));
    fails(
        &format!("{three}s_waitcnt lgkmcnt(1)\nv_mov_b32 v9, v7"),
        &["v7 is read"],
    );
    passes(&format!("{three}s_waitcnt lgkmcnt(0)\nv_mov_b32 v9, v7"));
    // A store takes a place in the queue.
    passes("ds_load_b32 v1, v0\nds_store_b32 v0, v2\ns_waitcnt lgkmcnt(1)\nv_mov_b32 v3, v1");
    // Halves of one register from two loads.
    passes("ds_load_u16_d16 v1, v0\nds_load_u16_d16_hi v1, v0 offset:2\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v2, v1");
}

#[test]
fn smem_is_out_of_order() {
    fails(
        "s_load_b32 s8, s[2:3], 0x0\ns_mov_b32 s9, s8",
        &["s8 is read", "s_load_b32", "lgkmcnt"],
    );
    passes("s_load_b32 s8, s[2:3], 0x0\ns_waitcnt lgkmcnt(0)\ns_mov_b32 s9, s8");
    fails(
        "s_load_b64 s[8:9], s[2:3], 0x0\ns_load_b32 s10, s[2:3], 0x8\ns_waitcnt lgkmcnt(1)\ns_mov_b32 s12, s9",
        &["s9 is read"],
    );
    // DS and SMEM together: only zero is safe.
    fails(
        "ds_load_b32 v1, v0\ns_load_b32 s8, s[2:3], 0x0\ns_waitcnt lgkmcnt(1)\nv_mov_b32 v2, v1",
        &["v1 is read"],
    );
    passes("ds_load_b32 v1, v0\ns_load_b32 s8, s[2:3], 0x0\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v2, s8");
    fails(
        "s_load_b64 vcc, s[2:3], 0x0\nv_cndmask_b32 v1, v2, v3, vcc_lo",
        &["vcc_lo is read"],
    );
}

#[test]
fn lds_behind_a_scalar_load_is_counted() {
    // At most one operation is left: were it the first LDS load, the second would be left, too.
    passes(
        "s_load_b32 s8, s[2:3], 0x0\nds_load_b32 v1, v0\nds_load_b32 v2, v0\ns_waitcnt lgkmcnt(1)\nv_mov_b32 v3, v1",
    );
    fails(
        "s_load_b32 s8, s[2:3], 0x0\nds_load_b32 v1, v0\nds_load_b32 v2, v0\ns_waitcnt lgkmcnt(1)\nv_mov_b32 v3, v2",
        &["v2 is read", "ds_load_b32 v2"],
    );
    fails(
        "s_load_b32 s8, s[2:3], 0x0\nds_load_b32 v1, v0\nds_load_b32 v2, v0\ns_waitcnt lgkmcnt(1)\ns_mov_b32 s9, s8",
        &["s8 is read"],
    );
}

/// clang -O2 waits so for the first of two flat loads, and for the second with a flat store behind it.
#[test]
fn flat_is_in_order_and_counts_on_both_sides() {
    let address = "v_mov_b32 v5, s3\nv_add_nc_u32 v4, s2, v0\n";
    let two = format!("{address}flat_load_b32 v1, v[4:5]\nflat_load_b32 v2, v[4:5] offset:4\n");
    passes(&format!("{two}s_waitcnt vmcnt(1) lgkmcnt(1)\nv_mov_b32 v3, v1"));
    fails(
        &format!("{two}s_waitcnt vmcnt(1) lgkmcnt(1)\nv_mov_b32 v3, v2"),
        &["v2 is read"],
    );
    fails(
        &format!("{two}s_waitcnt vmcnt(1)\nv_mov_b32 v3, v1"),
        &["v1 is read", "lgkmcnt"],
    );
    fails(
        &format!("{two}s_waitcnt lgkmcnt(1)\nv_mov_b32 v3, v1"),
        &["v1 is read", "vmcnt"],
    );
    passes(&format!(
        "{two}s_waitcnt vmcnt(1) lgkmcnt(1)\nflat_store_b32 v[4:5], v1 offset:8\ns_waitcnt vmcnt(0) lgkmcnt(1)\nv_mov_b32 v3, v2"
    ));
    // In order with others of both sides.
    passes(&format!(
        "{address}flat_load_b32 v1, v[4:5]\nglobal_load_b32 v2, v0, s[2:3]\nds_load_b32 v3, v0\n\
         s_waitcnt vmcnt(1) lgkmcnt(1)\nv_mov_b32 v6, v1"
    ));
    fails(
        &format!("{address}flat_load_b32 v1, v[4:5]\ns_load_b32 s8, s[2:3], 0x0\ns_waitcnt vmcnt(0) lgkmcnt(1)\nv_mov_b32 v6, v1"),
        &["v1 is read", "lgkmcnt"],
    );
    // What is written over it has to wait: it is not known on which side it comes.
    fails(
        &format!("{address}flat_load_b32 v1, v[4:5]\nglobal_load_b32 v1, v0, s[2:3]"),
        &["v1 is written"],
    );
    fails(
        &format!("{address}flat_load_b32 v1, v[4:5]\nflat_load_b32 v1, v[4:5]"),
        &["v1 is written"],
    );
}

#[test]
fn transcendental_results_need_distance() {
    fails(
        "v_mov_b32 v1, 1.0\nv_exp_f32 v2, v1\nv_add_f32 v3, v2, v2",
        &["valu-trans-use", "v2", "v_exp_f32"],
    );
    passes("v_mov_b32 v1, 1.0\nv_exp_f32 v2, v1\ns_waitcnt_depctr 0xfff\nv_add_f32 v3, v2, v2");
    let gap = |n: usize| {
        format!(
            "v_mov_b32 v1, 1.0\nv_exp_f32 v2, v1\n{}v_add_f32 v3, v2, v2",
            "v_mov_b32 v9, 0\n".repeat(n)
        )
    };
    fails(&gap(5), &["valu-trans-use"]);
    passes(&gap(6));
    // Two further transcendentals end the hazard, one does not.
    fails(
        "v_mov_b32 v1, 1.0\nv_exp_f32 v2, v1\nv_exp_f32 v4, v1\nv_add_f32 v3, v2, v2",
        &["valu-trans-use"],
    );
    passes("v_mov_b32 v1, 1.0\nv_exp_f32 v2, v1\nv_exp_f32 v4, v1\nv_exp_f32 v5, v1\nv_add_f32 v3, v2, v2");
    // A memory instruction waits for the VALU by itself.
    passes("v_mov_b32 v1, 1.0\nv_exp_f32 v2, v1\nds_store_b32 v0, v2\nv_add_f32 v3, v2, v2");
    // SALU instructions do not help.
    fails(
        "v_mov_b32 v1, 1.0\nv_exp_f32 v2, v1\ns_nop 7\nv_add_f32 v3, v2, v2",
        &["valu-trans-use"],
    );
}

#[test]
fn wmma_operands_need_distance_from_the_result() {
    let w = |d: u32, a: u32, b: u32, c: u32| {
        format!(
            "v_wmma_f32_16x16x16_f16 v[{}:{}], v[{}:{}], v[{}:{}], v[{}:{}]\n",
            d,
            d + 7,
            a,
            a + 7,
            b,
            b + 7,
            c,
            c + 7
        )
    };
    fails(&(w(16, 0, 8, 16) + &w(32, 16, 8, 32)), &["wmma-after-d", "v16"]);
    fails(&(w(16, 0, 8, 16) + &w(32, 0, 20, 32)), &["wmma-after-d"]);
    passes(&(w(16, 0, 8, 16) + "v_nop\n" + &w(32, 16, 8, 32)));
    passes(&(w(16, 0, 8, 16) + &w(16, 0, 8, 16)));
    passes(&(w(16, 0, 8, 16) + &w(24, 0, 8, 16)));
}

#[test]
fn permlane_after_cmpx_is_caught() {
    fails("v_cmpx_eq_u32 v0, v0\nv_permlane16_b32 v1, v0, s4, s5", &["v_cmpx"]);
    passes("v_cmpx_eq_u32 v0, v0\nv_nop\nv_permlane16_b32 v1, v0, s4, s5");
}

#[test]
fn registers_beyond_the_allocation_and_the_end_of_code_stop() {
    let mut m = machine();
    m.wave = Wave::new(16, MODE);
    let e = m.run("v_mov_b32 v16, 0").unwrap_err().to_string();
    assert!(e.contains("v16") && e.contains("16 VGPRs"), "{e}");
    fails("s_code_end", &["s_code_end"]);
    let e = machine()
        .run_code(&[0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0])
        .unwrap_err()
        .to_string();
    assert!(e.contains("illegal instruction ffffffff") && e.contains("+0x0"), "{e}");
    // Bytes never reached do not matter.
    let mut code = assemble("s_endpgm");
    code.extend([0xff; 8]);
    machine().run_code(&code).unwrap();
    let e = machine().run("loop:\ns_branch loop").unwrap_err().to_string();
    assert!(e.contains("did not end within 100000"), "{e}");
}

/// M0 chooses the registers: those that are named do not count.
#[test]
fn registers_that_m0_chooses() {
    let load = "global_load_b32 v3, v0, s[2:3]\n";
    fails(
        &format!("s_mov_b32 m0, 1\n{load}v_movrels_b32 v5, v2"),
        &["v3 is read", "vmcnt"],
    );
    fails(
        &format!("s_mov_b32 m0, 1\n{load}v_movreld_b32 v2, v5"),
        &["v3 is written"],
    );
    fails(
        &format!("s_mov_b32 m0, 0x10002\n{load}v_swaprel_b32 v2, v5"),
        &["v3 is read"],
    );
    passes(&format!("s_mov_b32 m0, 2\n{load}v_movrels_b32 v5, v2"));
    passes(&format!("s_mov_b32 m0, 1\n{load}v_movrels_b32 v5, v3"));
    passes(&format!(
        "s_mov_b32 m0, 1\n{load}s_waitcnt vmcnt(0)\nv_movrels_b32 v5, v2"
    ));
    let load = "s_load_b64 s[8:9], s[2:3], 0x0\n";
    fails(
        &format!("s_mov_b32 m0, 2\n{load}s_movrels_b32 s12, s6"),
        &["s8 is read", "lgkmcnt"],
    );
    fails(
        &format!("s_mov_b32 m0, 2\n{load}s_movrels_b64 s[12:13], s[6:7]"),
        &["s8 is read"],
    );
    fails(
        &format!("s_mov_b32 m0, 3\n{load}s_movreld_b32 s6, s12"),
        &["s9 is written"],
    );
    passes(&format!("s_mov_b32 m0, 4\n{load}s_movrels_b32 s12, s6"));
    passes(&format!("s_mov_b32 m0, 2\n{load}s_movreld_b32 s8, s12"));
}
