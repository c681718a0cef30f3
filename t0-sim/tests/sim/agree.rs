//! The rules for loads in flight twice: the static checker, which walks every path, and the simulated card, which takes one.
//! Random code has to be judged alike by both; they share nothing but the table of instructions.

use t0_backend_rdna3::check::check_code;
use t0_backend_rdna3::target::GFX1100;
use t0_ir::testing::Rng;

use crate::common::*;

const BUF: u64 = 0x10_0000;

/// v0 and v\[10:11\] are addresses of `BUF` and LDS, s\[2:3\] its base, s20 and on decide branches; nothing random writes them.
fn machine(decisions: usize) -> Machine {
    let mut m = Machine::new();
    m.buffer(BUF, "data", &[5; 1024]);
    m.set_s64(2, BUF);
    (0..4).for_each(|k| {
        m.set_s(20 + k, (decisions >> k & 1) as u32);
    });
    m.set_v(0, std::array::from_fn(|l| 4 * l as u32));
    m.set_v(10, std::array::from_fn(|l| BUF as u32 + 4 * l as u32));
    m.set_v(11, [0; 32]);
    m.lds = vec![7; 4096];
    m
}

fn line(r: &mut Rng) -> String {
    let v = 1 + r.below(6);
    let other = 1 + r.below(6);
    let s = 8 + 2 * r.below(3);
    let text = match r.below(26) {
        0 | 1 => format!("global_load_b32 v{v}, v0, s[2:3]"),
        2 => format!("global_load_b64 v[{v}:{}], v0, s[2:3]", v + 1),
        3 | 4 => format!("flat_load_b32 v{v}, v[10:11]"),
        5 => format!("flat_store_b32 v[10:11], v{v}"),
        6 | 7 => format!("ds_load_b32 v{v}, v0"),
        8 => format!("ds_store_b32 v0, v{v}"),
        9 => format!("ds_bpermute_b32 v{v}, v0, v{other}"),
        10 => format!("ds_add_rtn_u32 v{v}, v0, v{other}"),
        11 | 12 => format!("s_load_b32 s{s}, s[2:3], 0x0"),
        13 => format!("s_load_b64 s[{s}:{}], s[2:3], 0x0", s + 1),
        14 => "s_dcache_inv".into(),
        15 => format!("global_atomic_add_u32 v{v}, v0, v{other}, s[2:3] glc"),
        16 => format!("flat_atomic_add_u32 v{v}, v[10:11], v{other} glc"),
        17 => format!("global_load_d16_b16 v{v}, v0, s[2:3]"),
        18 => format!("global_load_d16_hi_b16 v{v}, v0, s[2:3]"),
        19 => format!("global_store_d16_hi_b16 v0, v{v}, s[2:3]"),
        20 => format!("global_store_b16 v0, v{v}, s[2:3]"),
        21 => format!("ds_load_u16_d16 v{v}, v0"),
        22 => format!("v_mov_b32 v{v}, 1"),
        23 => format!("v_add_nc_u32 v8, v{v}, v{other}"),
        24 => format!("s_add_u32 s{s}, s{}, 1", s + r.below(2)),
        _ => format!("v_mov_b32 v8, s{s}"),
    };
    // Waits are as frequent as they have to be for a part of the code to be right.
    match r.below(4) {
        0 => {
            let counts = [0, 0, 0, 1, 1, 2, 3, 63];
            let (vm, lgkm) = (r.pick(&counts), r.pick(&counts));
            match r.below(4) {
                0 => format!("{text}\ns_waitcnt_vmcnt null, {vm}\n"),
                1 => format!("{text}\ns_waitcnt_lgkmcnt null, {lgkm}\n"),
                _ => format!("{text}\ns_waitcnt vmcnt({vm}) lgkmcnt({lgkm})\n"),
            }
        }
        _ => text + "\n",
    }
}

fn lines(r: &mut Rng, n: usize) -> String {
    (0..n).map(|_| line(r)).collect()
}

/// Offsets of what the checker finds.
fn found(text: &str) -> Vec<u64> {
    let found = check_code(&assemble(&format!("{text}\ns_endpgm")), &GFX1100);
    assert!(found.iter().all(|f| f.rule == "missing-wait"), "{text}\n{found:?}");
    found.iter().filter_map(|f| f.at.as_ref()).map(|a| a.offset).collect()
}

/// Where the simulated card stops.
fn stops(text: &str, decisions: usize) -> Option<u64> {
    let e = machine(decisions).run(text).err()?;
    assert!(e.to_string().contains("still in flight"), "{text}\n{e}");
    e.pc
}

#[test]
fn straight_code_is_judged_alike() {
    let mut r = Rng::new(8);
    let (mut right, mut wrong) = (0, 0);
    for _ in 0..1500 {
        let n = 2 + r.below(9);
        let text = lines(&mut r, n);
        let (first, stop) = (found(&text).first().copied(), stops(&text, 0));
        assert_eq!(first, stop, "the checker's first place and the simulator's\n{text}");
        *(if stop.is_some() { &mut wrong } else { &mut right }) += 1;
    }
    assert!(right > 200 && wrong > 200, "{right} right, {wrong} wrong");
}

#[test]
fn long_queues_are_judged_alike() {
    let mut r = Rng::new(63);
    for n in [61, 62, 63, 64] {
        for load in [
            "global_load_b32 v7, v0, s[2:3]",
            "ds_load_b32 v7, v0",
            "flat_load_b32 v7, v[10:11]",
        ] {
            for _ in 0..6 {
                let head = lines(&mut r, 3);
                let text = format!("{head}{}{}", format!("{load}\n").repeat(n), lines(&mut r, 3));
                assert_eq!(found(&text).first().copied(), stops(&text, 0), "{text}");
            }
        }
    }
}

/// Branches over parts of the code: what is wrong on no path is right, and the other way round.
#[test]
fn branching_code_is_judged_alike() {
    let mut r = Rng::new(9);
    let (mut right, mut wrong) = (0, 0);
    for _ in 0..300 {
        let branches = 1 + r.below(3);
        let mut text = lines(&mut r, 2);
        for k in 0..branches {
            // A diamond, or a part that is left out.
            let (then, other) = (r.below(3), r.below(2) * 2);
            text += &format!(
                "s_cmp_eq_u32 s{}, 0\ns_cbranch_scc1 else{k}\n{}",
                20 + k,
                lines(&mut r, then)
            );
            text += &format!(
                "s_branch join{k}\nelse{k}:\n{}join{k}:\n{}",
                lines(&mut r, other),
                lines(&mut r, 1)
            );
        }
        let places = found(&text);
        let stops: Vec<u64> = (0..1 << branches).filter_map(|d| stops(&text, d)).collect();
        assert_eq!(places.is_empty(), stops.is_empty(), "{places:x?} {stops:x?}\n{text}");
        // Behind its first finding the checker goes on as if the wait were there, so later ones may be missing.
        let first = stops.iter().min();
        assert!(
            first.is_none_or(|s| places.iter().any(|p| p <= s)),
            "{places:x?} {stops:x?}\n{text}"
        );
        *(if stops.is_empty() { &mut right } else { &mut wrong }) += 1;
    }
    assert!(right > 30 && wrong > 30, "{right} right, {wrong} wrong");
}

/// Loops: what goes wrong in three rounds is found.
#[test]
fn loops_hide_nothing_from_the_checker() {
    let mut r = Rng::new(10);
    let mut wrong = 0;
    for _ in 0..300 {
        let (before, within, behind) = (r.below(3), 2 + r.below(4), r.below(2));
        let text = format!(
            "{}s_mov_b32 s24, 3\nhead:\n{}s_sub_u32 s24, s24, 1\ns_cmp_lg_u32 s24, 0\ns_cbranch_scc1 head\n{}",
            lines(&mut r, before),
            lines(&mut r, within),
            lines(&mut r, behind)
        );
        if stops(&text, 0).is_some() {
            wrong += 1;
            assert!(!found(&text).is_empty(), "{text}");
        }
    }
    assert!(wrong > 30, "{wrong}");
}
