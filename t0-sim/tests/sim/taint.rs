//! Undefined values: pairs of programs, one that uses such a value and one that only looks like it.

use crate::common::*;
use t0_sim::driver::{Finding, PageFlags, Vm};
use t0_sim::{Launch, Simulator};

const KERNEL: u64 = 0x10_0000;
const ARGS: u64 = 0x20_0000;
const DATA: u64 = 0x30_0000;
/// Nobody has written it.
const FRESH: u64 = 0x40_0000;

/// s[4:5] = DATA, s[6:7] = FRESH, v1 = 4 * lane, v2 = 0.
const BEGIN: &str = "
    s_load_b128 s[4:7], s[0:1], 0x0
    v_and_b32 v1, 0x3ff, v0
    v_lshlrev_b32 v1, 2, v1
    v_mov_b32 v2, 0
    s_waitcnt lgkmcnt(0)";

struct Bench {
    vm: Vm,
    lanes: u32,
    launches: u64,
}

impl Bench {
    fn new(lanes: u32) -> Bench {
        let vm = Vm::new().unwrap();
        pointers(&vm, ARGS, &[DATA, FRESH]);
        vm.map_fresh(DATA, 4096, PageFlags::ALL, "data").unwrap();
        vm.map_fresh(FRESH, 4096, PageFlags::ALL, "fresh").unwrap();
        vm.set_unwritten(FRESH, 4096);
        Bench { vm, lanes, launches: 0 }
    }

    fn run_on(&mut self, items: u32, text: &str) -> Vec<Finding> {
        let at = KERNEL + 0x100_0000 * self.launches;
        self.launches += 1;
        let kernel = Kernel {
            private: 64,
            lds: 1024,
            lanes: self.lanes,
            ..Kernel::default()
        };
        let text = format!("{BEGIN}\n{text}\ns_endpgm");
        let text = if self.lanes == 64 {
            text.replace("s_mov_b32 exec_lo, 0xff", "s_mov_b64 exec, 0xff")
                .replace("vcc_lo", "vcc")
        } else {
            text
        };
        kernel.load(&self.vm, at, "taint", &text);
        let launch = Launch {
            descriptor: at,
            kernarg: ARGS,
            grid: [items, 1, 1],
            workgroup: [items, 1, 1],
            lds: 1024,
        };
        let run = Simulator::new().with_sanitizer(true).run(&launch, &self.vm);
        // An undefined address leads anywhere.
        let mut found = run.map_or_else(|e| e.findings, |s| s.findings);
        // Warnings of hazards are not the point here.
        found.retain(|f| f.rule == "uninitialised");
        found
    }

    fn run(&mut self, text: &str) -> Vec<Finding> {
        self.run_on(self.lanes, text)
    }
}

fn run(text: &str) -> Vec<Finding> {
    Bench::new(32).run(text)
}

/// The one finding of a program, in waves of both sizes.
fn dirty(text: &str) -> Finding {
    for lanes in [64, 32] {
        let found = Bench::new(lanes).run(text);
        let [f] = &found[..] else {
            panic!("{lanes} lanes: {text}: {found:#?}")
        };
        assert_eq!(f.rule, "uninitialised", "{f}");
        if lanes == 32 {
            return f.clone();
        }
    }
    unreachable!()
}

fn clean(text: &str) {
    for lanes in [32, 64] {
        let found = Bench::new(lanes).run(text);
        assert!(found.is_empty(), "{lanes} lanes: false alarm: {text}: {found:#?}");
    }
}

/// Lines that make v10 from others; whether storing it is a use of an undefined value.
fn store(lines: &str, used: bool) {
    let text = format!("{lines}\nglobal_store_b32 v1, v10, s[4:5]");
    match used {
        true => assert!(
            dirty(&text).text.contains("is used as data for global memory"),
            "{text}"
        ),
        false => clean(&text),
    }
}

#[test]
fn uses_say_where_the_value_was_born() {
    let f = dirty("global_store_b32 v1, v9, s[4:5]");
    assert_eq!(
        f.text,
        "v9 (lane 0) is used as data for global memory but was never written"
    );
    assert_eq!(
        (f.site.lane, f.site.instruction.as_str()),
        (0, "global_store_b32 v1, v9, s[4:5]")
    );
    let f = dirty("v_mov_b32 v10, v9\nglobal_store_b32 v1, v10, s[4:5]");
    assert_eq!(
        f.text,
        "v10 (lane 0) is used as data for global memory but comes from v9, which was never written"
    );
    let f = dirty("ds_load_b32 v10, v1 offset:64\ns_waitcnt lgkmcnt(0)\nglobal_store_b32 v1, v10, s[4:5]");
    let load = "holds what `ds_load_b32 v10, v1 offset:64` at +0x1c read from the LDS at offset 0x40, which nobody has written";
    assert!(f.text.ends_with(load), "{}", f.text);
    let f = dirty("scratch_load_b32 v10, off, off offset:8\ns_waitcnt vmcnt(0)\nglobal_store_b32 v1, v10, s[4:5]");
    assert!(
        f.text.contains("read from private memory at offset 0x8, which"),
        "{}",
        f.text
    );
    let f = dirty("global_load_b32 v10, v1, s[6:7] offset:16\ns_waitcnt vmcnt(0)\nglobal_store_b32 v1, v10, s[4:5]");
    assert!(f.text.contains("read from byte 16 of `fresh`, which"), "{}", f.text);
    // Once per instruction, whatever the number of waves.
    let f = Bench::new(32).run_on(128, "global_store_b32 v1, v9, s[4:5]");
    assert_eq!((f.len(), f[0].site.wave), (1, 0));
}

#[test]
fn every_use() {
    let text = |t: &str| dirty(t).text;
    assert!(text("global_load_b32 v4, v9, s[4:5]\ns_waitcnt vmcnt(0)").starts_with("v9 (lane 0) is used as an address"));
    assert!(text(
        "v_mov_b32 v8, s4\nv_mov_b32 v7, 0\nv_and_b32 v9, 0, v9\nv_cndmask_b32 v9, v9, v20, vcc_lo\nds_store_b32 v9, v2"
    )
    .contains("an address"));
    assert!(text("s_cmp_eq_u32 s40, 0\ns_cbranch_scc1 0")
        .starts_with("scc is used as the condition of a branch but comes from s40"));
    assert!(text("v_cmp_eq_u32 vcc_lo, 0, v9\ns_nop 4\ns_cbranch_vccnz 0")
        .starts_with("vcc_lo (lane 0) is used as the condition"));
    assert!(text("v_cmpx_eq_u32 0, v9").contains("is used as the mask of active lanes"));
    assert!(text("global_atomic_add_u32 v1, v9, s[4:5]").contains("an operand of an atomic"));
    assert!(
        text("global_atomic_add_u32 v1, v2, s[6:7]").starts_with("an atomic works on memory that was never written")
    );
    assert!(
        text("s_and_b32 s40, s40, 0xfc\ns_load_b32 s8, s[4:5], s40\ns_waitcnt lgkmcnt(0)")
            .starts_with("s40 is used as an address")
    );
    let exec32 = run("s_and_saveexec_b32 s8, s40");
    assert!(
        exec32[0]
            .text
            .starts_with("s40 (lane 0) is used as the mask of active lanes"),
        "{exec32:#?}"
    );
}

#[test]
fn registers_the_packet_defines() {
    clean("v_mov_b32 v10, v0\nglobal_store_b32 v1, v10, s[4:5]\nv_mov_b32 v10, s13\nv_add_nc_u32 v10, s14, v10\nv_add_nc_u32 v10, s15, v10\nv_add_nc_u32 v10, s0, v10\nglobal_store_b32 v1, v10, s[4:5]");
    store("v_mov_b32 v10, s9", true);
    // Lanes behind the last work-item have no v0; they are off.
    let text = "global_store_b32 v1, v0, s[4:5]";
    assert!(Bench::new(32).run_on(20, text).is_empty());
    let all = "s_mov_b32 exec_lo, -1\nv_mov_b32 v1, 0\nglobal_store_b32 v1, v0, s[4:5]";
    let found = Bench::new(32).run_on(20, all);
    assert!(
        found.iter().any(|f| f.rule == "uninitialised" && f.site.lane == 20),
        "{found:#?}"
    );
}

#[test]
fn bit_operations_are_exact() {
    store("v_and_b32 v10, 0xff, v9", true);
    store("v_and_b32 v10, 0, v9", false);
    store("v_and_b32 v10, 0xff, v9\nv_lshrrev_b32 v10, 8, v10", false);
    store("v_or_b32 v10, -1, v9", false);
    store("v_or_b32 v10, 15, v9", true);
    store("v_xor_b32 v10, v9, v9", false);
    store("v_xor_b32 v10, v9, v8", true);
    store("v_sub_nc_u32 v10, v9, v9", false);
    store("v_lshlrev_b32 v10, 16, v9\nv_and_b32 v10, 0xffff, v10", false);
    store("v_lshlrev_b32 v10, 16, v9\nv_lshrrev_b32 v10, 16, v10", true);
    store("v_lshrrev_b32 v10, v9, v2", false);
    store("v_lshrrev_b32 v10, v9, v1", true);
    store("v_bfe_u32 v10, v9, 8, 8", true);
    store("v_and_b32 v9, 0xff, v9\nv_bfe_u32 v10, v9, 8, 8", false);
    store("v_bfi_b32 v10, 0xffff, v1, v9", true);
    store("v_bfi_b32 v10, -1, v1, v9", false);
    store("v_perm_b32 v10, v1, v9, 0x7060504", false);
    store("v_perm_b32 v10, v1, v9, 0x7060500", true);
    store("v_alignbit_b32 v10, v1, v9, 16\nv_lshrrev_b32 v10, 16, v10", false);
    store("v_alignbit_b32 v10, v1, v9, 16", true);
    store("v_lshl_or_b32 v10, v9, 16, v1\nv_and_b32 v10, 0xffff, v10", false);
    store("v_lshl_or_b32 v10, v9, 16, v1", true);
    store("v_and_or_b32 v10, v9, 0, v1", false);
    store("v_and_or_b32 v10, v9, 1, v1", true);
    // Carries go up.
    store(
        "v_lshlrev_b32 v9, 16, v9\nv_add_nc_u32 v10, v9, v1\nv_and_b32 v10, 0xffff, v10",
        false,
    );
    store("v_add_nc_u32 v10, v9, v1\nv_and_b32 v10, 0xffff, v10", true);
    store(
        "v_lshlrev_b32 v9, 16, v9\nv_mul_lo_u32 v10, v9, v1\nv_and_b32 v10, 0xffff, v10",
        false,
    );
    // And only as far as they can: the low byte is undefined, its sum with 0x100 has no other bits.
    let byte = "v_and_b32 v9, 0xff, v9";
    store(
        &format!("{byte}\nv_add_nc_u32 v10, 0x100, v9\nv_lshrrev_b32 v10, 8, v10"),
        false,
    );
    store(
        &format!("{byte}\nv_add_nc_u32 v10, 0x1ff, v9\nv_lshrrev_b32 v10, 8, v10"),
        true,
    );
    store(
        &format!("{byte}\nv_sub_nc_u32 v10, 0x1ff, v9\nv_lshrrev_b32 v10, 8, v10"),
        false,
    );
    store(
        &format!("{byte}\nv_sub_nc_u32 v10, 0x100, v9\nv_lshrrev_b32 v10, 8, v10"),
        true,
    );
    // Nothing times 0 is 0, but for an f32: it may be infinite.
    store("v_mul_lo_u32 v10, v9, v2", false);
    store("v_mul_hi_u32 v10, v9, v2", false);
    store("v_mad_u64_u32 v[10:11], null, v9, v2, 0", false);
    store("v_mad_u32_u24 v10, v9, v2, v1", false);
    store("v_mul_u32_u24 v10, v9, v1", true);
    store("v_mul_dx9_zero_f32 v10, v9, v2", false);
    store("v_mul_f32 v10, v9, v2", true);
    store("v_min_u32 v10, v9, v2", false);
    store("v_min_u32 v10, 0xff, v9\nv_lshrrev_b32 v10, 8, v10", false);
    store("v_max_u32 v10, v9, v2", true);
    store(&format!("{byte}\nv_max_u32 v10, 0xff, v9"), false);
    store(&format!("{byte}\nv_max_i32 v10, 0x7f, v9"), true);
    store("v_cvt_f32_ubyte1 v10, v9", true);
    store("v_and_b32 v9, 0xffff00ff, v9\nv_cvt_f32_ubyte1 v10, v9", false);
}

/// The same register twice: the result is known, whatever the register holds, but for floats, which may be NaN.
#[test]
fn a_number_compared_with_itself() {
    let select = "v_cndmask_b32 v10, v1, v2, vcc_lo";
    for op in ["eq_u32", "ne_u32", "lt_i32", "ge_u32"] {
        store(&format!("v_cmp_{op} vcc_lo, v9, v9\n{select}"), false);
    }
    store(&format!("v_cmp_eq_u64 vcc_lo, v[8:9], v[8:9]\n{select}"), false);
    store(&format!("v_cmp_eq_u32 vcc_lo, v8, v9\n{select}"), true);
    store(&format!("v_cmp_eq_f32 vcc_lo, v9, v9\n{select}"), true);
    store(
        "v_sub_co_u32 v10, vcc_lo, v9, v9\nv_cndmask_b32 v10, v10, v2, vcc_lo",
        false,
    );
    store("v_xnor_b32 v10, v9, v9", false);
    store("v_sub_nc_i32 v10, v9, v9", false);
    store("v_sub_f32 v10, v9, v9", true);
    clean("s_cmp_eq_u32 s40, s40\ns_cbranch_scc1 0");
    clean("s_xnor_b32 s40, s40, s40\ns_cmp_eq_u32 s40, 0\ns_cbranch_scc1 0");
    dirty("s_cmp_eq_u32 s40, s41\ns_cbranch_scc1 0");
}

/// Structures with padding: of three bytes, of a dword, of bits.
#[test]
fn structures_are_copied_with_their_padding() {
    // byte, 3 of padding, dword, dword of padding, dword: through LDS.
    let fill = "v_lshlrev_b32 v3, 2, v1
        ds_store_b8 v3, v1
        ds_store_b32 v3, v1 offset:4
        ds_store_b32 v3, v1 offset:12
        s_waitcnt lgkmcnt(0)
        ds_load_b128 v[12:15], v3
        s_waitcnt lgkmcnt(0)";
    let copy = "global_store_b128 v3, v[12:15], s[4:5]";
    clean(&format!("{fill}\n{copy}"));
    // Moved on by instructions that only move.
    clean(&format!("{fill}\nv_mov_b32 v10, v12\nglobal_store_b32 v3, v10, s[4:5]"));
    clean(&format!(
        "{fill}\nv_perm_b32 v10, v12, v13, 0x3020704\nglobal_store_b32 v3, v10, s[4:5]"
    ));
    // Computed with, or nothing else but padding.
    dirty(&format!(
        "{fill}\nv_add_nc_u32 v10, 1, v12\nglobal_store_b32 v3, v10, s[4:5]"
    ));
    dirty(&format!("{fill}\nglobal_store_b32 v3, v14, s[4:5]"));
    dirty(&format!("{fill}\nglobal_store_b64 v3, v[8:9], s[4:5]"));
    dirty(&format!(
        "{fill}\nv_cmp_eq_u32 vcc_lo, 0, v12\ns_nop 4\ns_cbranch_vccnz 0"
    ));
    // Told from padding: one undefined bit, which nobody copied.
    dirty(&format!(
        "{fill}\nv_mov_b32 v8, 1\nv_cmp_ne_u32 vcc_lo, 0, v12\nv_cndmask_b32 v10, v2, v8, vcc_lo\nglobal_store_b32 v3, v10, s[4:5]"
    ));
    dirty(&format!(
        "{fill}\nv_readfirstlane_b32 s9, v12\ns_and_b32 s9, s9, 0x100\ns_cselect_b32 s9, 1, 0\nv_mov_b32 v10, s9\nglobal_store_b32 v3, v10, s[4:5]"
    ));
    // Bit fields are copied with others'.
    clean(&format!(
        "{fill}\nv_and_b32 v10, 0x1ff, v12\nglobal_store_b32 v3, v10, s[4:5]"
    ));
    // What was stored stays undefined, and is reported where it is used.
    let there_and_back = format!("{fill}\nglobal_store_b128 v3, v[12:15], s[6:7]\ns_waitcnt_vscnt null, 0x0\nglobal_load_b128 v[16:19], v3, s[6:7]\ns_waitcnt vmcnt(0)");
    clean(&format!("{there_and_back}\nglobal_store_b128 v3, v[16:19], s[4:5]"));
    clean(&format!(
        "{there_and_back}\nv_and_b32 v10, 0xff, v16\nglobal_store_b32 v3, v10, s[4:5]"
    ));
    dirty(&format!("{there_and_back}\nglobal_store_b32 v3, v18, s[4:5]"));
    // From global memory that nobody has written to the end.
    let partly = "v_lshlrev_b32 v3, 2, v1\nglobal_store_b8 v3, v1, s[6:7]\nglobal_store_b64 v3, v[1:2], s[6:7] offset:8\ns_waitcnt_vscnt null, 0x0\nglobal_load_b128 v[12:15], v3, s[6:7]\ns_waitcnt vmcnt(0)";
    clean(&format!("{partly}\n{copy}"));
}

#[test]
fn choices_and_masks() {
    store("v_cmp_gt_u32 vcc_lo, 1, v2\nv_cndmask_b32 v10, v9, v1, vcc_lo", false);
    store("v_cmp_gt_u32 vcc_lo, 1, v2\nv_cndmask_b32 v10, v1, v9, vcc_lo", true);
    store("v_cmp_gt_u32 vcc_lo, 1, v9\nv_cndmask_b32 v10, v1, v2, vcc_lo", true);
    store("v_cmp_gt_u32 vcc_lo, 1, v9\nv_cndmask_b32 v10, v1, v1, vcc_lo", false);
    // Bits that differ whatever the undefined ones are.
    store(
        "v_or_b32 v9, 1, v9\nv_cmp_eq_u32 vcc_lo, 0, v9\nv_cndmask_b32 v10, v1, v2, vcc_lo",
        false,
    );
    // A byte is below 256, whatever it is.
    let byte = "v_and_b32 v9, 0xff, v9";
    store(
        &format!("{byte}\nv_cmp_gt_u32 vcc_lo, 0x100, v9\nv_cndmask_b32 v10, v1, v2, vcc_lo"),
        false,
    );
    store(
        &format!("{byte}\nv_cmp_gt_u32 vcc_lo, 0xff, v9\nv_cndmask_b32 v10, v1, v2, vcc_lo"),
        true,
    );
    store(
        &format!("{byte}\nv_cmp_gt_i32 vcc_lo, 0, v9\nv_cndmask_b32 v10, v1, v2, vcc_lo"),
        false,
    );
    clean("s_and_b32 s40, s40, 15\ns_cmp_gt_u32 s40, 15\ns_cbranch_scc1 0");
    clean("s_and_b32 s40, s40, 15\ns_cmpk_lt_u32 s40, 0x8000\ns_cbranch_scc1 0");
    dirty("s_and_b32 s40, s40, 15\ns_cmp_gt_u32 s40, 14\ns_cbranch_scc1 0");
    clean("s_and_b32 s40, s40, 15\ns_add_u32 s40, s40, 1\ns_addc_u32 s41, 0, 0\ns_cmp_eq_u32 s41, 0\ns_cbranch_scc1 0");
    dirty(
        "s_and_b32 s40, s40, 15\ns_add_u32 s40, s40, -8\ns_addc_u32 s41, 0, 0\ns_cmp_eq_u32 s41, 0\ns_cbranch_scc1 0",
    );
    // Lanes that are off have 0 in a compare's mask.
    clean("s_mov_b32 exec_lo, 0xff\nv_mov_b32 v9, 0\nv_cmp_eq_u32 vcc_lo, 0, v9\ns_cbranch_vccz 0");
    let found =
        run("s_mov_b32 s40, exec_lo\ns_and_not1_b32 s41, s41, s40\ns_or_b32 s41, s41, 1\ns_and_saveexec_b32 s8, s41");
    assert!(found.is_empty(), "{found:#?}");
    let found = run("s_or_b32 s41, s41, 1\ns_and_saveexec_b32 s8, s41");
    assert_eq!(found.len(), 1, "{found:#?}");
    // A set bit that is known decides a test for zero.
    assert!(run("s_or_b32 s41, s41, 1\ns_cbranch_scc1 0").is_empty());
    assert_eq!(run("s_and_b32 s41, s41, 1\ns_cbranch_scc1 0").len(), 1);
    assert!(run("s_cselect_b32 s41, 0, 0\ns_and_b32 s41, s41, 1\ns_cbranch_scc1 0").is_empty());
}

#[test]
fn halves() {
    store(
        "v_and_b32 v9, 0xffff, v1\nv_mov_b16 v9.h, v8.l\nv_and_b32 v10, 0xffff, v9",
        false,
    );
    store("v_mov_b16 v9.h, v2.l\nv_lshrrev_b32 v10, 16, v9", false);
    store("v_mov_b16 v9.l, v2.l\nv_lshrrev_b32 v10, 16, v9", true);
    store("v_mov_b16 v9.l, v2.l\nv_cvt_f32_f16 v10, v9.l", false);
    store("v_mov_b16 v9.l, v2.l\nv_cvt_f32_f16 v10, v9.h", true);
    store("v_mov_b16 v9.l, v2.l\nv_pk_add_f16 v10, v9, v9 op_sel_hi:[0,0]", false);
    store("v_mov_b16 v9.l, v2.l\nv_pk_add_f16 v10, v9, v9", true);
    store(
        "v_mov_b16 v9.l, v2.l\nv_fma_mix_f32 v10, v9, v2, v2 op_sel_hi:[1,0,0]",
        false,
    );
    store(
        "v_mov_b16 v9.l, v2.l\nv_fma_mix_f32 v10, v9, v2, v2 op_sel:[1,0,0] op_sel_hi:[1,0,0]",
        true,
    );
    store("v_cvt_pk_rtz_f16_f32 v9, v2, v8\nv_and_b32 v10, 0xffff, v9", false);
    let d16 = "global_load_d16_b16 v9, v1, s[4:5]\ns_waitcnt vmcnt(0)";
    clean(&format!("{d16}\nglobal_store_b16 v1, v9, s[4:5]"));
    dirty(&format!("{d16}\nglobal_store_d16_hi_b16 v1, v9, s[4:5]"));
}

#[test]
fn lanes_are_followed() {
    let half = "v_mov_b32 v9, v2\ns_mov_b32 exec_lo, 0xff\nv_mov_b32 v9, v8\ns_mov_b32 exec_lo, -1";
    let found = run(&format!("{half}\nglobal_store_b32 v1, v9, s[4:5]"));
    assert_eq!((found.len(), found[0].site.lane), (1, 0));
    assert!(run(&format!(
        "{half}\ns_mov_b32 exec_lo, 0xffffff00\nglobal_store_b32 v1, v9, s[4:5]"
    ))
    .is_empty());
    // A row rotated by 8 lanes swaps its halves.
    let moved = |body: &str, lane: Option<u32>| {
        let found = run(&format!("{half}\n{body}\nglobal_store_b32 v1, v10, s[4:5]"));
        assert_eq!(found.first().map(|f| f.site.lane), lane, "{body}: {found:#?}");
    };
    moved("v_mov_b32_dpp v10, v9 row_ror:8 row_mask:0xf bank_mask:0xf", Some(8));
    moved("v_mov_b32_dpp v10, v9 row_share:9 row_mask:0xf bank_mask:0xf", None);
    moved("v_permlanex16_b32 v10, v9, 0, 0", Some(16));
    moved(
        "v_mov_b32 v7, 36\nds_bpermute_b32 v10, v7, v9\ns_waitcnt lgkmcnt(0)",
        None,
    );
    moved(
        "v_mov_b32 v7, 4\nds_bpermute_b32 v10, v7, v9\ns_waitcnt lgkmcnt(0)",
        Some(0),
    );
    moved(
        "ds_swizzle_b32 v10, v9 offset:swizzle(BROADCAST,32,9)\ns_waitcnt lgkmcnt(0)",
        None,
    );
    moved(
        "ds_swizzle_b32 v10, v9 offset:swizzle(SWAP,16)\ns_waitcnt lgkmcnt(0)",
        Some(16),
    );
    moved("v_readlane_b32 s8, v9, 9\nv_mov_b32 v10, s8", None);
    moved("v_readlane_b32 s8, v9, 3\nv_mov_b32 v10, s8", Some(0));
    moved("v_readfirstlane_b32 s8, v9\nv_mov_b32 v10, s8", Some(0));
    // A lane of a register nobody wrote, as spilled scalars are kept.
    clean("v_writelane_b32 v9, s4, 3\nv_readlane_b32 s8, v9, 3\nv_mov_b32 v10, s8\nglobal_store_b32 v1, v10, s[4:5]");
    dirty("v_writelane_b32 v9, s4, 3\nv_readlane_b32 s8, v9, 4\nv_mov_b32 v10, s8\nglobal_store_b32 v1, v10, s[4:5]");
}

#[test]
fn pairs_and_wide_operations() {
    let dual = "v_dual_mov_b32 v10, v2 :: v_dual_mov_b32 v11, v9";
    assert!(run(&format!("{dual}\nglobal_store_b32 v1, v10, s[4:5]")).is_empty());
    assert_eq!(run(&format!("{dual}\nglobal_store_b32 v1, v11, s[4:5]")).len(), 1);
    // Both halves read before either writes.
    let swap = "v_mov_b32 v10, v2\nv_dual_mov_b32 v10, v11 :: v_dual_mov_b32 v11, v10";
    assert!(run(&format!("{swap}\nglobal_store_b32 v1, v11, s[4:5]")).is_empty());
    assert_eq!(run(&format!("{swap}\nglobal_store_b32 v1, v10, s[4:5]")).len(), 1);
    store("v_mov_b32 v8, v2\nv_lshrrev_b64 v[10:11], 32, v[8:9]", true);
    store("v_mov_b32 v8, v2\nv_lshlrev_b64 v[10:11], 32, v[8:9]", false);
    store("v_mov_b32 v8, v2\nv_mad_u64_u32 v[10:11], null, v1, v1, v[8:9]", false);
    store("v_mov_b32 v8, v2\nv_add_f64 v[10:11], v[8:9], v[8:9]", true);
    // The carry.
    store(
        "v_add_co_u32 v8, vcc_lo, v9, v1\nv_cndmask_b32 v10, v1, v2, vcc_lo",
        true,
    );
    store(
        "v_add_co_u32 v8, vcc_lo, v2, v1\nv_cndmask_b32 v10, v1, v2, vcc_lo",
        false,
    );
}

#[test]
fn a_matrix_product_is_undefined_by_rows_and_columns() {
    // A in v[16:23], B in v[24:31], C and D in v[32:39]; lane 3 of A is undefined, then lane 3 of B.
    let zeros: String = (16..40).map(|r| format!("v_mov_b32 v{r}, 0\n")).collect();
    let spoilt = |r: u32| format!("{zeros}s_mov_b32 exec_lo, 8\nv_mov_b32 v{r}, v9\ns_mov_b32 exec_lo, -1\n");
    let wmma = "v_wmma_f32_16x16x16_f16 v[32:39], v[16:23], v[24:31], v[32:39]\nv_nop\n";
    let lanes = |r: u32, d: u32| {
        let found = run(&format!("{}{wmma}global_store_b32 v1, v{d}, s[4:5]", spoilt(r)));
        found.first().map(|f| (f.site.lane, f.count))
    };
    // Row 3 is in lanes 16 to 31 of the second register of D.
    assert_eq!(lanes(18, 32), None);
    assert_eq!(lanes(18, 33).map(|f| f.0), Some(16));
    assert_eq!(lanes(18, 34), None);
    // Column 3 is in lanes 3 and 19 of all of them.
    assert_eq!(lanes(26, 32).map(|f| f.0), Some(3));
    assert_eq!(lanes(26, 39).map(|f| f.0), Some(3));
    assert_eq!(lanes(32, 33), None);
    assert_eq!(lanes(32, 32).map(|f| f.0), Some(3));
}

#[test]
fn memory_of_the_workgroup_and_the_lane() {
    let read = "s_waitcnt lgkmcnt(0) vmcnt(0)\nds_load_b32 v10, v1\ns_waitcnt lgkmcnt(0)";
    store(&format!("ds_store_b32 v1, v2\n{read}"), false);
    store(read, true);
    // Spilling an undefined value is no use; loading it again is none either.
    clean(&format!("ds_store_b32 v1, v9\n{read}"));
    let f = dirty(&format!(
        "ds_store_b32 v1, v9\n{read}\nglobal_store_b32 v1, v10, s[4:5]"
    ));
    assert!(f.text.contains("comes from v9, which was never written"), "{}", f.text);
    store(&format!("ds_store_b8 v1, v2\n{read}\nv_and_b32 v10, 0xff, v10"), false);
    store(
        &format!("ds_store_b8 v1, v2\n{read}\nv_and_b32 v10, 0x1ff, v10\nv_add_nc_u32 v10, 1, v10"),
        true,
    );
    let spill = "scratch_store_b64 off, v[8:9], off offset:8\ns_waitcnt_vscnt null, 0x0\nscratch_load_b64 v[10:11], off, off offset:8\ns_waitcnt vmcnt(0)";
    clean(&format!("v_mov_b32 v8, v2\n{spill}"));
    store(&format!("v_mov_b32 v8, v2\n{spill}"), false);
    store(&format!("v_mov_b32 v9, v2\n{spill}"), true);
    // The sign of an undefined byte is undefined, its zero extension is defined.
    store(
        "ds_load_u8 v10, v1\ns_waitcnt lgkmcnt(0)\nv_lshrrev_b32 v10, 8, v10",
        false,
    );
    store(
        "ds_load_i8 v10, v1\ns_waitcnt lgkmcnt(0)\nv_lshrrev_b32 v10, 8, v10",
        true,
    );
    store(
        "ds_load_2addr_b32 v[10:11], v1 offset0:1 offset1:2\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v10, v2",
        false,
    );
    store(
        "ds_load_2addr_b32 v[9:10], v1 offset0:1 offset1:2\ns_waitcnt lgkmcnt(0)",
        true,
    );
    // A counter in the LDS starts at what somebody left.
    store("ds_add_rtn_u32 v10, v2, v1\ns_waitcnt lgkmcnt(0)", true);
    store(
        "ds_store_b32 v2, v2\ns_waitcnt lgkmcnt(0)\nds_add_rtn_u32 v10, v2, v1\ns_waitcnt lgkmcnt(0)",
        false,
    );
}

#[test]
fn padding_of_a_structure_may_be_copied() {
    let copy = "scratch_store_b32 off, v2, off\ns_waitcnt_vscnt null, 0x0\nscratch_load_b64 v[10:11], off, off\ns_waitcnt vmcnt(0)\nv_lshlrev_b32 v3, 1, v1";
    clean(&format!("{copy}\nglobal_store_b64 v3, v[10:11], s[4:5]"));
    dirty(&format!("{copy}\nglobal_store_b32 v3, v11, s[4:5]"));
    dirty("v_mov_b32 v10, 0\nv_lshlrev_b32 v3, 1, v1\nglobal_store_b64 v3, v[10:11], s[4:5]");
}

#[test]
fn an_output_that_a_kernel_forgets_to_write() {
    let second = "global_load_b32 v10, v1, s[6:7]\ns_waitcnt vmcnt(0)\nglobal_store_b32 v1, v10, s[4:5]";
    for (threads, first) in [
        "global_store_b32 v1, v2, s[6:7]",
        "s_mov_b32 exec_lo, 0xff\nglobal_store_b32 v1, v2, s[6:7]",
    ]
    .into_iter()
    .enumerate()
    {
        let mut b = Bench::new(32);
        assert!(b.run(first).is_empty());
        let found = b.run(second);
        let lanes: Vec<u32> = found.iter().map(|f| f.site.lane).collect();
        assert_eq!(lanes, [vec![], vec![8]][threads], "{found:#?}");
    }
    // What the host writes counts, and memory that goes is forgotten.
    let mut b = Bench::new(32);
    b.vm.set_written(FRESH, 128);
    assert!(b.run(second).is_empty());
    assert_eq!(
        b.run("global_load_b32 v10, v1, s[6:7] offset:124\ns_waitcnt vmcnt(0)\nglobal_store_b32 v1, v10, s[4:5]")
            .len(),
        1
    );
    // A store of an undefined value is reported, and so is its use in a later launch.
    let mut b = Bench::new(32);
    assert_eq!(b.run("global_store_b32 v1, v9, s[6:7]").len(), 1);
    assert_eq!(b.run(second).len(), 1);
    let mut b = Bench::new(32);
    b.vm.unmap(FRESH);
    b.vm.forget(FRESH);
    b.vm.map_fresh(FRESH, 4096, PageFlags::ALL, "again").unwrap();
    assert!(b.run(second).is_empty());
    // A launch without the sanitizer may have written anything.
    let mut b = Bench::new(32);
    b.vm.forget_unwritten();
    assert!(b.run(second).is_empty());
}

#[test]
fn buffers_and_scalars_from_memory() {
    let s = "s_load_b64 s[8:9], s[6:7], 0x8\ns_waitcnt lgkmcnt(0)";
    let f = dirty(&format!("{s}\nv_mov_b32 v10, s9\nglobal_store_b32 v1, v10, s[4:5]"));
    assert!(f.text.contains("read from byte 12 of `fresh`"), "{}", f.text);
    clean(s);
    let buffer = "s_mov_b32 s8, s6\ns_mov_b32 s9, s7\ns_mov_b32 s10, 64\ns_mov_b32 s11, 0x30000000\nbuffer_load_b32 v10, v1, s[8:11], 0 offen\ns_waitcnt vmcnt(0)";
    store(buffer, true);
    // What is out of the buffer's range is 0 and defined.
    store(&buffer.replace("s10, 64", "s10, 0"), false);
    assert!(
        dirty("s_mov_b32 s10, 64\nbuffer_load_b32 v10, v1, s[20:23], 0 offen\ns_waitcnt vmcnt(0)")
            .text
            .contains("a buffer descriptor")
    );
}

/// M0 chooses the registers: those that are named do not count.
#[test]
fn registers_that_m0_chooses() {
    let scalar = "s_mov_b32 m0, 20\ns_mov_b32 s9, 7\ns_mov_b32 s10, 7";
    store(&format!("{scalar}\ns_movreld_b32 s10, s9\nv_mov_b32 v10, s30"), false);
    store(&format!("{scalar}\ns_movreld_b32 s10, s9\nv_mov_b32 v10, s31"), true);
    store(&format!("{scalar}\ns_movrels_b32 s11, s9\nv_mov_b32 v10, s11"), true);
    store(
        &format!("{scalar}\ns_mov_b64 s[28:29], 0\ns_movrels_b64 s[12:13], s[8:9]\nv_mov_b32 v10, s13"),
        false,
    );
    let vector = "s_mov_b32 m0, 1\nv_mov_b32 v8, 7\nv_mov_b32 v10, 0";
    store(&format!("{vector}\nv_movrels_b32 v10, v8"), true);
    store(&format!("{vector}\nv_movrels_b32 v10, v7"), false);
    store(&format!("{vector}\nv_movreld_b32 v10, v9\nv_mov_b32 v10, v11"), true);
    store(&format!("{vector}\nv_movreld_b32 v19, v8\nv_mov_b32 v10, v20"), false);
}
