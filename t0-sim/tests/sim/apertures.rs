//! FLAT instructions: each lane goes where its address points.
#![allow(clippy::unwrap_used)]

use crate::common::*;
use t0_sim::aperture::{PRIVATE_BASE, SHARED_BASE};
use t0_sim::driver::FindingKind;
use t0_sim::wave::Row;
use t0_sim::Scratch;

const BUF: u64 = 0x40_0000;
const AREA: u64 = 0x50_0000;
const GUARD: u32 = 0xa5a5_a5a5;

fn lanes(f: impl Fn(usize) -> u32) -> Row {
    std::array::from_fn(f)
}

/// Lane l: l % 3 == 0 global, 1 LDS, 2 private memory; each at 16 * l (private: at 8).
fn machine() -> (Machine, [u64; 32]) {
    let mut m = Machine::new();
    m.buffer(BUF, "data", &(0..1024).collect::<Vec<_>>());
    m.buffer(AREA, "area", &[GUARD; 32 * 8]);
    m.lds = (0..1024u32).map(|k| k as u8).collect();
    m.wave.scratch = Scratch { base: AREA, bytes: 32 };
    let at: [u64; 32] = std::array::from_fn(|l| match l % 3 {
        0 => BUF + 16 * l as u64,
        1 => SHARED_BASE + 16 * l as u64,
        _ => PRIVATE_BASE + 8,
    });
    m.set_v(2, lanes(|l| at[l] as u32))
        .set_v(3, lanes(|l| (at[l] >> 32) as u32));
    (m, at)
}

#[test]
fn loads_and_stores_of_mixed_lanes() {
    let (mut m, _) = machine();
    m.set_v(4, lanes(|l| 0x100 + l as u32))
        .set_v(5, lanes(|l| 0x200 + l as u32));
    m.run("flat_store_b64 v[2:3], v[4:5] offset:4\ns_waitcnt lgkmcnt(0)\ns_waitcnt_vscnt null, 0\nflat_load_b96 v[6:8], v[2:3]\ns_waitcnt vmcnt(0) lgkmcnt(0)")
        .unwrap();
    for l in 0..32 {
        let first = match l % 3 {
            0 => 4 * l as u32,
            1 => u32::from_le_bytes(std::array::from_fn(|k| (16 * l + k) as u8)),
            _ => GUARD,
        };
        assert_eq!(
            [m.v(6)[l], m.v(7)[l], m.v(8)[l]],
            [first, 0x100 + l as u32, 0x200 + l as u32],
            "lane {l}"
        );
    }
    // Every other dword of the three memories stayed.
    let data = m.memory(BUF, 1024);
    let area = m.memory(AREA, 256);
    for k in 0..1024u32 {
        let (l, part) = (k / 4, k % 4);
        let hit = l < 32 && l % 3 == 0 && (1..3).contains(&part);
        assert_eq!(data[k as usize], if hit { 0x100 * part + l } else { k });
    }
    for k in 0..256 {
        let (dword, l) = (k / 32, k % 32);
        let hit = l % 3 == 2 && (3..5).contains(&dword);
        let want = if hit {
            0x100 * (dword as u32 - 2) + l as u32
        } else {
            GUARD
        };
        assert_eq!(area[k], want);
    }
    for k in 0..1024 {
        let (l, byte) = (k / 16, k % 16);
        if !(l < 32 && l % 3 == 1 && (4..12).contains(&byte)) {
            assert_eq!(m.lds[k], k as u8);
        }
    }
}

#[test]
fn atomics_of_mixed_lanes() {
    let (mut m, _) = machine();
    // Private memory: atomics act on the lane's own dword.
    m.set_v(4, lanes(|l| 1000 * l as u32));
    m.run("flat_atomic_add_u32 v5, v[2:3], v4 glc\ns_waitcnt vmcnt(0) lgkmcnt(0)\nflat_load_b32 v6, v[2:3]\ns_waitcnt vmcnt(0) lgkmcnt(0)")
        .unwrap();
    for l in 0..32 {
        let old = match l % 3 {
            0 => 4 * l as u32,
            1 => u32::from_le_bytes(std::array::from_fn(|k| (16 * l + k) as u8)),
            _ => GUARD,
        };
        assert_eq!(
            (m.v(5)[l], m.v(6)[l]),
            (old, old.wrapping_add(1000 * l as u32)),
            "lane {l}"
        );
    }
}

#[test]
fn the_aperture_is_chosen_before_the_offset_is_added() {
    let (mut m, _) = machine();
    // Four bytes below the LDS: a global address, whatever the offset says.
    let below = SHARED_BASE - 4;
    m.set_v(2, [below as u32; 32]).set_v(3, [(below >> 32) as u32; 32]);
    let e = m.run("flat_load_b32 v5, v[2:3] offset:8").unwrap_err();
    assert!(e.to_string().contains("no memory is mapped there"), "{e}");
    // Beyond the 4 GiB of an aperture.
    m.set_v(2, [0; 32]).set_v(3, [0x1_0001; 32]);
    let e = m.run("flat_load_b32 v5, v[2:3]").unwrap_err();
    assert!(e.to_string().contains("aperture"), "{e}");
    m.lds = (0..1024u32).map(|k| k as u8).collect();
    // Outside of the LDS, inside of its aperture.
    m.set_v(2, [1020; 32]).set_v(3, [0x1_0000; 32]);
    m.run("flat_load_b64 v[5:6], v[2:3]\ns_waitcnt vmcnt(0) lgkmcnt(0)")
        .unwrap();
    assert_eq!((m.v(5)[0], m.v(6)[0]), (u32::from_le_bytes([252, 253, 254, 255]), 0));
    let seen = m.wave.findings.seen();
    let kind = FindingKind::LdsOutOfRange {
        address: 1020,
        len: 8,
        size: 1024,
        write: false,
        wanted: None,
    };
    assert_eq!(
        (seen.len(), seen[0].kind, seen[0].lane, seen[0].count),
        (1, kind, 0, 32)
    );
    // Outside of private memory.
    m.set_v(2, [32; 32]).set_v(3, [0x2_0000; 32]);
    let e = m.run("flat_load_b32 v5, v[2:3]").unwrap_err();
    assert!(e.to_string().contains("scratch access of 4 bytes at 0x20"), "{e}");
}

#[test]
fn apertures_as_operands() {
    let mut m = Machine::new();
    m.run("s_mov_b64 s[4:5], src_shared_base\ns_mov_b64 s[6:7], src_private_base\ns_mov_b64 s[8:9], src_shared_limit\ns_mov_b64 s[10:11], src_private_limit")
        .unwrap();
    assert_eq!(
        [4, 6, 8, 10].map(|r| m.wave.s64(r)),
        [1 << 48, 2 << 48, (1 << 48) + 0xffff_ffff, (2 << 48) + 0xffff_ffff]
    );
}
