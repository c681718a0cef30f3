//! What a card says of single matters: the next step of occupancy, limits, advice, launches that no card can have.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use common::{folder, json, t0, NO_MEMORY};

/// A loop in which all lanes load the same dword.
const UNIFORM: &str = r#"
.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
.text
.globl k
.p2align 8
.type k,@function
k:
  s_load_b64 s[4:5], s[0:1], 0x0
  v_mov_b32 v1, 0
  s_mov_b32 s8, 100
  s_waitcnt lgkmcnt(0)
.Ltop:
  global_load_b32 v2, v1, s[4:5]
  s_sub_u32 s8, s8, 1
  s_cmp_lg_u32 s8, 0
  s_waitcnt vmcnt(0)
  s_cbranch_scc1 .Ltop
  s_endpgm
.Lend:
.size k, .Lend-k
.fill 64, 4, 0xbf9f0000
.rodata
.p2align 6
.amdhsa_kernel k
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 16
  .amdhsa_kernarg_size 8
  .amdhsa_user_sgpr_count 2
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
.end_amdhsa_kernel
"#;

/// A kernel with these VGPRs, bytes of LDS and work-items that does `body`; the file of its code object.
fn kernel(name: &str, [vgprs, lds, items]: [u32; 3], body: &str) -> String {
    let dir = folder(name);
    let text = format!(
        ".amdgcn_target \"amdgcn-amd-amdhsa--gfx1100\"\n.text\n.globl k\n.p2align 8\n.type k,@function\nk:\n{body}\ns_endpgm\n\
         .Lend:\n.size k,.Lend-k\n.rodata\n.p2align 6\n.amdhsa_kernel k\n.amdhsa_group_segment_fixed_size {lds}\n\
         .amdhsa_next_free_vgpr {vgprs}\n.amdhsa_next_free_sgpr 8\n.amdhsa_workgroup_processor_mode 1\n\
         .amdhsa_wavefront_size32 1\n.end_amdhsa_kernel\n.amdgpu_metadata\n---\namdhsa.version: [1, 2]\namdhsa.kernels:\n  \
         - .name: k\n    .symbol: k.kd\n    .kernarg_segment_size: 0\n    .kernarg_segment_align: 4\n    \
         .group_segment_fixed_size: {lds}\n    .private_segment_fixed_size: 0\n    .wavefront_size: 32\n    .sgpr_count: 8\n    \
         .vgpr_count: {vgprs}\n    .max_flat_workgroup_size: {items}\n...\n.end_amdgpu_metadata\n"
    );
    let [source, object] = ["k.s", "k.co"].map(|f| dir.join(f).to_str().unwrap().to_string());
    std::fs::write(&source, text).unwrap();
    let made = t0(&["asm", &source, "-o", &object]);
    assert_eq!(made.status, 0, "{}", made.err);
    object
}

#[test]
fn the_next_step_of_occupancy_names_all_that_is_in_the_way() {
    let card = |what, items: u32| {
        let object = kernel("steps", what, "s_nop 0");
        t0(&["card", &object, "--grid", "1", "--block", &items.to_string()]).out
    };
    // Both leave four workgroups of eight waves; a fifth needs 10 waves on each SIMD, and a fifth of 128 KB.
    let both = card([182, 32768, 256], 256);
    let want = "occupancy: 8 waves/SIMD, limited by vgpr; 8 → 10 waves needs ≤ 144 VGPRs: free 38, and ≤ 25600 bytes of LDS: free 7168\n";
    assert!(both.contains(want), "{both}");
    let lds = card([182, 40960, 256], 256);
    assert!(
        lds.contains("6 → 8 waves needs ≤ 32768 bytes of LDS: free 8192\n"),
        "{lds}"
    );
    let vgprs = card([200, 0, 256], 256);
    assert!(vgprs.contains("needs ≤ 192 VGPRs: free 8\n"), "{vgprs}");
    // Two workgroups of a wave: a third leaves a wave on the fullest SIMD, as before.
    let small = card([16, 65536, 32], 32);
    assert!(
        small.contains("2 → 3 workgroups a WGP needs ≤ 43008 bytes of LDS: free 22528\n"),
        "{small}"
    );
}

#[test]
fn bank_conflicts_are_named_where_the_lds_is_not_the_limit() {
    // Every lane of a wave in bank 0, and the result waited for.
    let read = "v_lshlrev_b32_e32 v1, 7, v0\n".to_string()
        + &"ds_load_b32 v2, v1\ns_waitcnt lgkmcnt(0)\ns_sleep 1\n".repeat(40);
    let object = kernel("conflicts", [8, 4096, 32], &read);
    let v = json(&t0(&["card", &object, "--grid", "96", "--block", "32", "--json"]));
    assert!(
        v["limiter"].as_str().unwrap().starts_with("latency"),
        "{}",
        v["limiter"]
    );
    assert!(
        v["advice"].to_string().contains("bank conflicts, most at"),
        "{}",
        v["advice"]
    );
}

#[test]
fn what_the_l0_hands_out_is_a_limit() {
    // All waves load the same 128 bytes, of their own code, again and again, many loads under way.
    let loads = "s_getpc_b64 s[0:1]\nv_lshlrev_b32_e32 v1, 2, v0\nv_and_b32_e32 v1, 0x7c, v1\n".to_string()
        + &"global_load_b32 v2, v1, s[0:1]\n".repeat(64)
        + "s_waitcnt vmcnt(0)";
    let object = kernel("l0", [8, 0, 256], &loads);
    let v = json(&t0(&["card", &object, "--grid", "1000", "--block", "256", "--json"]));
    assert!(
        v["limiter"].as_str().unwrap().starts_with("l0: busy"),
        "{}",
        v["limiter"]
    );
    assert!(v["utilisation"]["l0"].as_f64().unwrap() > 0.9, "{}", v["utilisation"]);
    let advice = v["advice"].to_string();
    assert!(
        advice.contains("use each value that was loaded more often") && !advice.contains("under way"),
        "{advice}"
    );
}

#[test]
fn a_launch_in_which_nothing_waits_has_no_advice_about_waiting() {
    let object = kernel("empty", [1, 0, 32], "");
    let text = t0(&["card", &object, "--grid", "1000", "--block", "32"]).out;
    assert!(text.contains("limiter: nothing: waves never wait"), "{text}");
    assert!(!text.contains("and waves wait"), "{text}");
}

#[test]
fn launches_no_card_can_have_are_refused_before_the_device_is_opened() {
    let dir = folder("impossible");
    let path = |name: &str| dir.join(name).to_str().unwrap().to_owned();
    std::fs::write(path("k.s"), NO_MEMORY).unwrap();
    assert_eq!(t0(&["asm", &path("k.s"), "-o", &path("k.co")]).err, "");
    let check = |args: &[&str], expected: &str| {
        let ran = t0(args);
        assert!(ran.status == 2 && ran.err.contains(expected), "{args:?}: {}", ran.err);
    };
    check(&["card", "saxpy", "--lds", "99999999"], "write at most 65536");
    let file = path("k.co");
    check(
        &["card", &file, "--grid", "1", "--block", "2048"],
        "--block 2048 has 2048 work-items",
    );
    check(
        &[
            "trace", &file, "--grid", "1", "--block", "64", "--lds", "70000", "-o", "t.json",
        ],
        "--lds 70000",
    );
    // 32 waves of 256 registers on four SIMDs of 1536.
    std::fs::write(path("wide.s"), NO_MEMORY.replace("vgpr 8", "vgpr 256")).unwrap();
    assert_eq!(t0(&["asm", &path("wide.s"), "-o", &path("wide.co")]).err, "");
    for command in ["card", "run"] {
        check(
            &[command, &path("wide.co"), "--grid", "1", "--block", "1024"],
            "--block 1024: a workgroup of 1024 work-items is 32 waves of 256 VGPRs",
        );
    }
    // More work-items than 64 bits count.
    let most = "4294967295,4294967295,4294967295";
    let ran = t0(&["card", &file, "--grid", most, "--block", "1"]);
    assert!(
        ran.status == 1 && ran.err.contains("more than 2^64 work-items"),
        "{}",
        ran.err
    );
}

#[test]
fn accesses_that_touch_nothing_are_none() {
    let dir = folder("bounds");
    let path = |name: &str| dir.join(name).to_str().unwrap().to_owned();
    // Of a hundred rounds only the first has lanes: the loads of the others touch no line.
    let mask = "s_cmp_eq_u32 s8, 100\n  s_cselect_b32 exec_lo, -1, 0\n  global_load";
    let beyond = UNIFORM.replace("global_load", mask);
    std::fs::write(path("k.s"), beyond).unwrap();
    assert_eq!(t0(&["asm", &path("k.s"), "-o", &path("k.co")]).err, "");
    let launch = ["--grid", "4", "--block", "64", "--arg", "out:x.npy:f32:4096:1"];
    let v = json(&t0(&[&["card", &path("k.co"), "--json"], &launch[..]].concat()));
    assert_eq!(v["coalescing"]["lines"], 1.0, "{v}");
}

#[test]
fn lanes_that_load_the_same_dword_are_not_told_to_load_wider() {
    let dir = folder("uniform");
    let path = |name: &str| dir.join(name).to_str().unwrap().to_owned();
    let advice = |text: &str| {
        std::fs::write(path("k.s"), text).unwrap();
        assert_eq!(t0(&["asm", &path("k.s"), "-o", &path("k.co")]).err, "");
        let file = path("k.co");
        let launch = ["--grid", "400", "--block", "256", "--arg", "out:x.npy:f32:4096:1"];
        let v = json(&t0(&[&["card", &file, "--json"], &launch[..]].concat()));
        assert_eq!(v["coalescing"]["lines"], 1.0, "{v}");
        v["advice"].to_string()
    };
    let wider = "lanes side by side load";
    let same = advice(UNIFORM);
    assert!(!same.contains(wider), "{same}");
    let apart = advice(&UNIFORM.replace("v_mov_b32 v1, 0", "v_lshlrev_b32 v1, 2, v0"));
    assert!(apart.contains(wider), "{apart}");
}

#[test]
fn a_card_with_many_loops_is_a_page_still() {
    let dir = folder("loops");
    let path = |name: &str| dir.join(name).to_str().unwrap().to_owned();
    // Each with one instruction more than the one before.
    let one = |k: usize| {
        let add = "  v_add_f32 v0, v0, v0\n".repeat(k + 1);
        format!("  s_mov_b32 s4, 3\n.L{k}:\n{add}  s_sub_u32 s4, s4, 1\n  s_cmp_lg_u32 s4, 0\n  s_cbranch_scc1 .L{k}\n")
    };
    let loops: String = (0..20).map(one).collect();
    let (head, rest) = NO_MEMORY.split_once("  s_mov_b32 s4, 9").unwrap();
    let text = format!("{head}{loops}  s_mov_b32 s4, 9{rest}");
    std::fs::write(path("k.s"), text).unwrap();
    assert_eq!(t0(&["asm", &path("k.s"), "-o", &path("k.co")]).err, "");
    let file = path("k.co");
    for launch in [&[][..], &["--grid", "4", "--block", "64"]] {
        let ran = t0(&[&["card", &file], launch].concat());
        let shown: Vec<&str> = ran.out.lines().filter(|l| l.starts_with("  loop ")).collect();
        assert_eq!(shown.len(), 12, "{}", ran.out);
        assert!(
            ran.out.contains("  9 more loops with less in them; JSON has all\n"),
            "{}",
            ran.out
        );
        assert!(
            shown.iter().any(|l| l.contains(": 23 instructions (20 VALU")),
            "{}",
            ran.out
        );
        assert!(!shown.iter().any(|l| l.contains("(1 VALU")), "{}", ran.out);
        let v = json(&t0(&[&["card", &file, "--json"], launch].concat()));
        assert_eq!(v["loops"].as_array().unwrap().len(), 21);
    }
}
