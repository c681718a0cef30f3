//! Waits are there, exact, and each of them is needed.
#![allow(clippy::unwrap_used)]

use t0_backend_rdna3::check::{check_code, Finding};
use t0_backend_rdna3::isa::{parse, Class, Opcode};
use t0_backend_rdna3::passes::encode::encode;
use t0_backend_rdna3::passes::fix_hazards::fix_hazards;
use t0_backend_rdna3::passes::insert_waits::insert_waits;
use t0_backend_rdna3::passes::phys::{PFunc, PInst};
use t0_backend_rdna3::target::GFX1100;
use t0_ir::testing::Rng;
use t0_ir::Span;

/// Blocks of assembly; `-> n` at the end of a line makes it a branch to block n, `!` marks a load of memory others write.
fn func(blocks: &[&str]) -> PFunc {
    let line = |l: &str| {
        let (text, target) = match l.split_once("->") {
            Some((t, n)) => (format!("{} 0", t.trim()), Some(n.trim().parse().unwrap())),
            None => (l.trim_end_matches('!').trim().to_string(), None),
        };
        let inst = parse(&text, &GFX1100).unwrap_or_else(|e| panic!("{text}: {e}"));
        PInst {
            target,
            shared: l.ends_with('!'),
            ..PInst::new(inst, Span::default())
        }
    };
    let lines = |b: &&str| b.lines().map(str::trim).filter(|l| !l.is_empty()).map(line).collect();
    PFunc {
        blocks: blocks.iter().map(lines).collect(),
    }
}

/// What the static checker, which walks every path with other means than the pass, finds in the code as bytes.
fn missing(p: &PFunc) -> Vec<Finding> {
    let code = encode(p, &GFX1100, &[]).unwrap();
    let mut found = check_code(&code.bytes, &GFX1100);
    found.retain(|f| f.rule == "missing-wait" || f.rule == "barrier-without-wait");
    found
}

fn with_waits(blocks: &[&str]) -> Vec<String> {
    let mut p = func(blocks);
    insert_waits(&mut p);
    assert_eq!(missing(&p), vec![]);
    p.to_string().lines().map(|l| l.trim().to_string()).collect()
}

fn waits(blocks: &[&str]) -> Vec<String> {
    with_waits(blocks)
        .into_iter()
        .filter(|l| l.contains("waitcnt") || l.contains("gl0_inv"))
        .collect()
}

#[test]
fn loads_in_order_are_waited_for_by_count() {
    let got = waits(&["
        buffer_load_b32 v1, v0, s[0:3], 0 offen
        buffer_load_b32 v2, v0, s[0:3], 0 offen
        buffer_load_b32 v3, v0, s[0:3], 0 offen
        v_add_f32_e32 v4, v1, v1
        v_add_f32_e32 v4, v3, v1
        s_endpgm"]);
    assert_eq!(got, ["s_waitcnt vmcnt(2)", "s_waitcnt vmcnt(0)"]);
}

#[test]
fn an_overwrite_waits_too_and_a_store_does_not() {
    let got = waits(&["
        ds_load_b32 v1, v0
        ds_load_b32 v2, v0
        v_mov_b32_e32 v1, 0
        ds_store_b32 v0, v1
        v_mov_b32_e32 v0, 1
        s_endpgm"]);
    assert_eq!(got, ["s_waitcnt lgkmcnt(1)"]);
}

#[test]
fn scalar_loads_are_waited_to_zero_and_so_is_lds_beside_them() {
    let got = waits(&["
        s_load_b32 s4, s[0:1], 0x0
        s_load_b32 s5, s[0:1], 0x4
        ds_load_b32 v1, v0
        v_add_f32_e32 v2, v1, v1
        s_mov_b32 s6, s4
        s_endpgm"]);
    assert_eq!(got, ["s_waitcnt lgkmcnt(0)"]);
}

#[test]
fn loads_and_lds_have_counters_of_their_own() {
    let got = waits(&["
        buffer_load_b32 v1, v0, s[0:3], 0 offen
        ds_load_b32 v2, v0
        v_add_f32_e32 v3, v1, v2
        s_endpgm"]);
    assert_eq!(got, ["s_waitcnt vmcnt(0) lgkmcnt(0)"]);
}

#[test]
fn a_loop_keeps_its_prefetch_in_flight() {
    // The load of the next iteration stays under way over the branch and is waited for where it is used.
    let got = with_waits(&[
        "buffer_load_b32 v1, v0, s[0:3], 0 offen",
        "buffer_load_b32 v2, v0, s[0:3], 0 offen
         v_add_f32_e32 v3, v1, v3
         v_mov_b32_e32 v1, v2
         buffer_load_b32 v2, v0, s[0:3], 0 offen
         s_cbranch_scc1 -> 1",
        "s_endpgm",
    ]);
    let waits: Vec<&String> = got.iter().filter(|l| l.contains("waitcnt")).collect();
    // v2 is loaded again while the load from the iteration before may be under way: vmcnt(0) at the head.
    assert_eq!(waits, ["s_waitcnt vmcnt(0)", "s_waitcnt vmcnt(0)"]);
}

#[test]
fn a_release_waits_for_what_others_may_see() {
    let got = with_waits(&["
        buffer_load_b32 v1, v0, s[0:3], 0 offen !
        buffer_load_b32 v4, v0, s[4:7], 0 offen
        buffer_store_b32 v2, v0, s[0:3], 0 offen
        ds_store_b32 v0, v2
        s_waitcnt_vscnt null, 0x0
        buffer_atomic_swap_b32 v3, v0, s[8:11], 0 offen
        s_endpgm"]);
    let want = ["s_waitcnt vmcnt(1) lgkmcnt(0)", "s_waitcnt_vscnt null, 0x0"];
    let at = got.iter().position(|l| l.contains("ds_store")).unwrap();
    assert_eq!(got[at + 1..at + 3], want);
    // The release is one wait, whatever is under way.
    let flushes = got.iter().filter(|l| l.contains("vscnt")).count();
    assert_eq!(flushes, 1, "{got:?}");
}

#[test]
fn an_acquire_waits_for_the_flag_before_it_empties_the_caches() {
    let got = with_waits(&["
        buffer_store_b32 v2, v0, s[0:3], 0 offen
        buffer_load_b32 v1, v0, s[8:11], 0 offen glc !
        buffer_gl1_inv
        buffer_gl0_inv
        s_endpgm"]);
    let want = [
        "s_waitcnt vmcnt(0)",
        "s_waitcnt_vscnt null, 0x0",
        "buffer_gl1_inv",
        "buffer_gl0_inv",
        "s_endpgm",
    ];
    assert_eq!(got[3..], want);
}

#[test]
fn a_barrier_waits_for_lds_stores_and_shared_loads_only() {
    let got = waits(&["
        buffer_load_b32 v1, v0, s[0:3], 0 offen
        ds_store_b32 v0, v2
        s_barrier
        v_mov_b32_e32 v3, v1
        s_endpgm"]);
    assert_eq!(got, ["s_waitcnt lgkmcnt(0)", "s_waitcnt vmcnt(0)"]);
    let got = waits(&["
        buffer_load_b32 v1, v0, s[0:3], 0 offen !
        buffer_load_b32 v4, v0, s[4:7], 0 offen
        buffer_store_b32 v2, v0, s[0:3], 0 offen
        s_barrier
        s_endpgm"]);
    assert_eq!(
        got,
        ["s_waitcnt vmcnt(1)", "s_waitcnt_vscnt null, 0x0", "buffer_gl0_inv"]
    );
}

#[test]
fn paths_that_meet_take_the_stronger_wait() {
    let got = waits(&[
        "buffer_load_b32 v1, v0, s[0:3], 0 offen
         s_cbranch_scc1 -> 2",
        "buffer_load_b32 v2, v0, s[0:3], 0 offen",
        "v_mov_b32_e32 v3, v1
         s_endpgm",
    ]);
    assert_eq!(got, ["s_waitcnt vmcnt(0)"]);
}

/// Random straight lines with a loop around.
fn random(seed: u64) -> PFunc {
    let mut rng = Rng::new(seed);
    let mut block = |n: usize| {
        let mut text = String::new();
        for _ in 0..n {
            let (a, b, c) = (rng.below(8), rng.below(8), rng.below(8));
            text += &match rng.below(7) {
                0 => format!("buffer_load_b32 v{a}, v{b}, s[0:3], 0 offen\n"),
                1 => format!("buffer_load_b64 v[{a}:{}], v{b}, s[0:3], 0 offen\n", a + 1),
                2 => format!("ds_load_b32 v{a}, v{b}\n"),
                3 => format!("ds_store_b32 v{a}, v{b}\n"),
                4 => format!("s_load_b32 s{}, s[16:17], 0x0\n", 8 + a),
                5 => format!("v_add_f32_e32 v{a}, s{}, v{c}\n", 8 + b),
                _ => format!("v_mul_f32_e32 v{a}, v{b}, v{c}\n"),
            };
        }
        text
    };
    let (a, b, c) = (block(6), block(8), block(5));
    func(&[&a, &(b + "s_cbranch_scc1 -> 1"), &(c + "s_endpgm")])
}

#[test]
fn random_code_is_covered_and_every_wait_is_needed() {
    let mut removed = 0;
    for seed in 0..60 {
        let mut p = random(seed);
        insert_waits(&mut p);
        assert_eq!(missing(&p), vec![], "{p}");
        for b in 0..p.blocks.len() {
            for i in 0..p.blocks[b].len() {
                if p.blocks[b][i].inst.row().class != Class::Wait {
                    continue;
                }
                let mut less = p.clone();
                less.blocks[b].remove(i);
                // Loads of one kind arrive in order: the pass waits before one overwrites another, the card need not.
                let before_load = less.blocks[b]
                    .get(i)
                    .is_some_and(|n| matches!(n.inst.row().class, Class::VmemLoad | Class::LdsLoad));
                let found = !missing(&less).is_empty();
                removed += usize::from(found);
                assert!(found || before_load, "bb{b}:{i} is not needed\n{p}");
            }
        }
    }
    assert!(removed > 100, "{removed}");
}

fn hazards(blocks: &[&str]) -> Vec<String> {
    let mut p = func(blocks);
    fix_hazards(&mut p, &GFX1100);
    let all = p.to_string();
    all.lines()
        .map(str::trim)
        .filter(|l| l.contains("v_nop") || l.contains("depctr"))
        .map(String::from)
        .collect()
}

#[test]
fn wmma_that_reads_the_result_of_the_last_needs_a_nop() {
    let feed = "v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]";
    let reads_a = "v_wmma_f32_16x16x16_f16 v[24:31], v[0:7], v[16:23], v[24:31]";
    let accumulates = "v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]";
    assert_eq!(hazards(&[&format!("{feed}\n{reads_a}")]), ["v_nop"]);
    assert_eq!(hazards(&[&format!("{feed}\n{accumulates}")]), [""; 0]);
    assert_eq!(hazards(&[&format!("{feed}\nv_mov_b32_e32 v40, 0\n{reads_a}")]), [""; 0]);
    // Over the back edge of a loop.
    assert_eq!(
        hazards(&[
            "s_nop 0",
            &format!("{reads_a}\n{feed}\ns_cbranch_scc1 -> 1"),
            "s_endpgm"
        ]),
        ["v_nop"]
    );
}

#[test]
fn a_transcendental_result_is_waited_for() {
    let near = "v_exp_f32_e32 v0, v1\nv_add_f32_e32 v2, v0, v0";
    assert_eq!(hazards(&[near]).len(), 1);
    let filler = "v_mov_b32_e32 v9, 0\n";
    let after = |n: usize| format!("v_exp_f32_e32 v0, v1\n{}v_add_f32_e32 v2, v0, v0", filler.repeat(n));
    assert_eq!(hazards(&[&after(5)]).len(), 1);
    assert_eq!(hazards(&[&after(6)]).len(), 0);
    assert_eq!(
        hazards(&["v_exp_f32_e32 v0, v1\nds_store_b32 v3, v0\nv_add_f32_e32 v2, v0, v0"]).len(),
        0
    );
    // Written over in some lanes only: the others still hold the late result.
    let part = |write: &str| {
        let head = "v_cmp_lt_f32_e32 vcc_lo, 1.0, v1\nv_exp_f32_e32 v0, v1\ns_and_saveexec_b32 s2, vcc_lo\ns_cbranch_execz -> 2";
        let tail = "s_or_b32 exec_lo, exec_lo, s2\nv_add_f32_e32 v2, v0, v0\ns_endpgm";
        hazards(&[head, write, tail])
    };
    assert_eq!(part("v_mov_b32_e32 v0, 0"), ["s_waitcnt_depctr 0xfff"]);
    let all = "v_exp_f32_e32 v0, v1\nv_mov_b32_e32 v0, 0\nv_add_f32_e32 v2, v0, v0";
    assert_eq!(hazards(&[all]), [""; 0]);
    assert!(Opcode::from_name("v_exp_f32").is_some());
}
