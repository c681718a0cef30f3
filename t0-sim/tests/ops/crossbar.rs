//! LDS instructions that move data between lanes or take their address from the wave: swizzles, permutations, counters,
//! lane-number addresses and the conditional exchange. Source of every model: the manual's pseudocode.
#![allow(clippy::unwrap_used)]

use crate::common::{assemble_for, Machine, Rng};
use t0_backend_rdna3::isa::{Class, Opcode};
use t0_backend_rdna3::target::GFX1100;

const SIZE: usize = 4096;

/// Machines of both wave sizes with random registers v0..v7, EXEC and LDS.
fn machines(rng: &mut Rng) -> [Machine; 2] {
    let mut both = [Machine::new(), Machine::wave64()];
    for m in &mut both {
        for r in 0..8 {
            (0..m.wave.lanes() as usize).for_each(|l| m.wave.set_lane(r, l, rng.u32()));
        }
        for r in [126, 127] {
            m.wave.sgpr[r] = if rng.u32() % 3 == 0 { u32::MAX } else { rng.u32() };
        }
        m.lds = (0..SIZE / 4).flat_map(|_| rng.u32().to_le_bytes()).collect();
    }
    both
}

fn run(m: &mut Machine, text: &str) {
    let text = format!("{text}\ns_waitcnt lgkmcnt(0)\ns_endpgm");
    let code = assemble_for(&text, &GFX1100.with_wave_size(m.wave.lanes()));
    m.run_code(&code).unwrap_or_else(|e| panic!("{text}: {e}"));
}
fn row(m: &Machine, r: usize) -> Vec<u32> {
    (0..m.wave.lanes() as usize).map(|l| m.wave.lane(r, l)).collect()
}
fn on(exec: u64, l: usize) -> bool {
    exec >> l & 1 == 1
}
fn dword(lds: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(lds[at..at + 4].try_into().unwrap())
}

/// The lane whose value lane `i` receives.
fn swizzled(offset: u32, i: u32) -> u32 {
    let low = i & 31;
    let j = if offset >= 0xe000 {
        let mask = offset & 31;
        let reversed = (0..5).fold(0, |r, k| r | (low >> k & 1) << (4 - k));
        reversed >> mask.count_ones() | low & mask
    } else if offset >= 0xc000 {
        // Rotation by bits 9:5, towards lower lanes when bit 10 is clear, within the lanes that agree in the mask.
        let (mask, n) = (offset & 31, offset >> 5 & 31);
        let moved = if offset >> 10 & 1 == 0 { low + n } else { low + 32 - n };
        low & mask | moved & !mask & 31
    } else if offset >= 0x8000 {
        low & !3 | offset >> (2 * (low & 3)) & 3
    } else {
        let (and, or, xor) = (offset & 31, offset >> 5 & 31, offset >> 10 & 31);
        (low & and | or) ^ xor
    };
    i & 32 | j
}

#[test]
fn swizzles() {
    let mut rng = Rng(0x5_1122_3344_5566);
    for round in 0..120 {
        let offset = match round % 4 {
            0 => rng.u32() & 0x7fff,
            1 => 0x8000 | rng.u32() & 0xff,
            2 => 0xc000 | rng.u32() & 0x7ff,
            _ => 0xe000 | rng.u32() & 31,
        };
        for mut m in machines(&mut rng) {
            let (src, old, exec) = (row(&m, 0), row(&m, 1), m.wave.whole_exec());
            run(&mut m, &format!("ds_swizzle_b32 v1, v0 offset:{offset}"));
            for (l, got) in row(&m, 1).into_iter().enumerate() {
                let from = swizzled(offset, l as u32) as usize;
                let want = match (on(exec, l), on(exec, from)) {
                    (false, _) => old[l],
                    (_, false) => 0,
                    _ => src[from],
                };
                assert_eq!(got, want, "offset {offset:#x} lane {l} exec {exec:#x}");
            }
        }
    }
}

/// Permutations of a wave64 stay within its halves: the crossbar serves 32 lanes at a time (lane numbers modulo 32).
#[test]
fn permutations() {
    let mut rng = Rng(0x6_1122_3344_5566);
    for round in 0..60 {
        for mut m in machines(&mut rng) {
            let offset = [0, 4, 124, rng.u32() & 0xffff][round % 4];
            let (address, data, exec, n) = (row(&m, 0), row(&m, 1), m.wave.whole_exec(), m.wave.lanes() as usize);
            let target = |l: usize| l & 32 | (address[l].wrapping_add(offset) / 4 % 32) as usize;
            let old = [row(&m, 2), row(&m, 3)];
            run(
                &mut m,
                &format!("ds_permute_b32 v2, v0, v1 offset:{offset}\nds_bpermute_b32 v3, v0, v1 offset:{offset}"),
            );
            let mut pushed = vec![0; n];
            for l in (0..n).filter(|&l| on(exec, l)) {
                pushed[target(l)] = data[l];
            }
            let (push, pull) = (row(&m, 2), row(&m, 3));
            for l in 0..n {
                let pulled = if on(exec, target(l)) { data[target(l)] } else { 0 };
                let want = if on(exec, l) {
                    (pushed[l], pulled)
                } else {
                    (old[0][l], old[1][l])
                };
                assert_eq!(
                    (push[l], pull[l]),
                    want,
                    "{n} lanes, lane {l}, offset {offset:#x} exec {exec:#x}"
                );
            }
        }
    }
}

#[test]
fn counters_and_lane_number_addresses() {
    let mut rng = Rng(0x7_1122_3344_5566);
    for round in 0..40 {
        for mut m in machines(&mut rng) {
            let n = m.wave.lanes() as usize;
            // The upper half of M0 has no part in addresses of lane numbers.
            let base = rng.u32() as usize % 256 * 4;
            let offset = rng.u32() as usize % 256 * 4;
            let at = base + offset;
            let exec = m.wave.whole_exec();
            m.set_s(125, base as u32 | if round % 2 == 0 { 0 } else { 0xabcd_0000 });
            let (lds, old, data) = (m.lds.clone(), row(&m, 2), row(&m, 1));
            run(&mut m, &format!("ds_load_addtid_b32 v2 offset:{offset}"));
            for (l, got) in row(&m, 2).into_iter().enumerate() {
                assert_eq!(got, if on(exec, l) { dword(&lds, at + 4 * l) } else { old[l] });
            }
            run(&mut m, &format!("ds_store_addtid_b32 v1 offset:{offset}"));
            for k in 0..SIZE / 4 {
                let l = (4 * k).wrapping_sub(at) / 4;
                let want = if l < n && on(exec, l) {
                    data[l]
                } else {
                    dword(&lds, 4 * k)
                };
                assert_eq!(dword(&m.lds, 4 * k), want, "dword {k}, base {base} offset {offset}");
            }
            m.set_s(125, base as u32);
            let (before, count) = (dword(&m.lds, at), exec.count_ones());
            let old = [3, 4, 5].map(|r| row(&m, r));
            run(
                &mut m,
                &format!("ds_append v3 offset:{offset}\nds_append v4 offset:{offset}\nds_consume v5 offset:{offset}"),
            );
            let steps = [0, count, 2 * count];
            for k in 0..3 {
                for (l, got) in row(&m, 3 + k).into_iter().enumerate() {
                    // UNVERIFIED(hw): the pseudocode counts the whole wave at once and hands every lane the same value.
                    let want = if on(exec, l) {
                        before.wrapping_add(steps[k])
                    } else {
                        old[k][l]
                    };
                    assert_eq!(got, want, "{n} lanes, counter {k}, lane {l} exec {exec:#x}");
                }
            }
            assert_eq!(dword(&m.lds, at), before.wrapping_add(count));
        }
    }
}

/// Both dwords of an 8-byte cell are returned; the one whose data has its top bit set is replaced by the other 31 bits.
#[test]
fn conditional_exchange() {
    let mut rng = Rng(0x8_1122_3344_5566);
    for _ in 0..40 {
        for mut m in machines(&mut rng) {
            let n = m.wave.lanes() as usize;
            let offset = rng.u32() % 256;
            // The low three bits of the sum do not count; lanes meet at one cell now and then, in ascending order.
            (0..n).for_each(|l| m.wave.set_lane(0, l, rng.u32() % 1024));
            let (address, data) = (row(&m, 0), [row(&m, 2), row(&m, 3)]);
            let (exec, old, mut lds) = (m.wave.whole_exec(), [row(&m, 4), row(&m, 5)], m.lds.clone());
            run(
                &mut m,
                &format!("ds_condxchg32_rtn_b64 v[4:5], v0, v[2:3] offset:{offset}"),
            );
            let got = [row(&m, 4), row(&m, 5)];
            for l in 0..n {
                let at = (address[l] + offset) as usize & 0xfff8;
                for k in 0..2 {
                    if !on(exec, l) {
                        assert_eq!(got[k][l], old[k][l]);
                        continue;
                    }
                    assert_eq!(got[k][l], dword(&lds, at + 4 * k), "lane {l} dword {k} at {at:#x}");
                    if data[k][l] >> 31 == 1 {
                        let v = data[k][l] & 0x7fff_ffff;
                        lds[at + 4 * k..at + 4 * k + 4].copy_from_slice(&v.to_le_bytes());
                    }
                }
            }
            assert_eq!(m.lds, lds);
        }
    }
}

#[test]
fn every_lane_instruction_of_the_lds_is_here() {
    let names: Vec<_> = Opcode::all()
        .filter(|op| op.row().class == Class::LdsLane)
        .map(|op| op.name())
        .collect();
    assert_eq!(names, ["ds_nop", "ds_swizzle_b32", "ds_permute_b32", "ds_bpermute_b32"]);
}

/// The same addresses in global memory: scalar base, offset, four bytes per lane.
#[test]
fn global_addresses_of_lane_numbers() {
    let mut rng = Rng(0xd_1122_3344_5566);
    for offset in [-64i64, 0, 128] {
        for mut m in machines(&mut rng) {
            let words: Vec<u32> = (0..256).map(|_| rng.u32()).collect();
            m.buffer(0x40_0000, "data", &words);
            m.set_s64(2, 0x40_0100);
            let first = (0x100 + offset) as usize / 4;
            let (exec, old, data) = (m.wave.whole_exec(), row(&m, 4), row(&m, 5));
            run(
                &mut m,
                &format!(
                    "global_load_addtid_b32 v4, s[2:3] offset:{offset}\ns_waitcnt vmcnt(0)\n\
                     global_store_addtid_b32 v5, s[2:3] offset:{offset}\ns_waitcnt_vscnt null, 0"
                ),
            );
            let (got, memory) = (row(&m, 4), m.memory(0x40_0000, 256));
            for l in 0..got.len() {
                assert_eq!(got[l], if on(exec, l) { words[first + l] } else { old[l] });
            }
            for (k, v) in memory.into_iter().enumerate() {
                let l = k.wrapping_sub(first);
                assert_eq!(
                    v,
                    if l < got.len() && on(exec, l) {
                        data[l]
                    } else {
                        words[k]
                    }
                );
            }
        }
    }
}
