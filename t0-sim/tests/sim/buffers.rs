//! Buffer descriptors: swizzled layouts, the lane number as index, every range check.
#![allow(clippy::unwrap_used)]

use std::collections::HashMap;

use crate::common::*;
use t0_sim::wave::Row;

const BUF: u64 = 0x40_0000;

fn lanes(f: impl Fn(u32) -> u32) -> Row {
    std::array::from_fn(|l| f(l as u32))
}

/// dword3 of a descriptor.
fn word3(oob: u32, index_stride: u32, add_tid: bool) -> u32 {
    oob << 28 | u32::from(add_tid) << 23 | index_stride << 21 | 0x14 << 12 | 0xfac
}

/// 2048 dwords 1000, 1001 ... at BUF and a descriptor of them in s[4:7].
fn machine(stride: u32, swizzle: u32, records: u32, word3: u32) -> Machine {
    let mut m = Machine::new();
    m.buffer(BUF, "data", &(0..2048u32).map(|i| 1000 + i).collect::<Vec<_>>());
    m.set_s64(4, BUF | u64::from(swizzle << 30 | stride << 16) << 32)
        .set_s(6, records)
        .set_s(7, word3);
    m
}

/// Byte of every (record, offset): memory holds, block by block of `n` records, the first element of each record of
/// the block, then their second elements, and so on.
fn layout(stride: u32, n: u32, element: u32, records: u32) -> HashMap<(u32, u32), u32> {
    let (mut map, mut at) = (HashMap::new(), 0);
    for block in 0..records.div_ceil(n) {
        for e in 0..stride / element {
            for r in 0..n {
                for b in 0..element {
                    map.insert((block * n + r, e * element + b), at);
                    at += 1;
                }
            }
        }
    }
    map
}

#[test]
fn swizzled_buffers_interleave_records() {
    for (swizzle, element) in [(1, 4), (2, 8), (3, 16)] {
        for (index_stride, n) in [(0, 8), (1, 16), (2, 32), (3, 64)] {
            let stride = 32;
            let map = layout(stride, n, element, 64);
            let mut m = machine(stride, swizzle, 40, word3(0, index_stride, false));
            // Records in scattered order, three of them out of range.
            let index = |l: u32| (l * 11 + 3) % 43;
            let offset = |l: u32| 4 * (l % 8);
            m.set_v(0, lanes(index)).set_v(1, lanes(offset)).set_v(9, [7; 32]);
            m.run("buffer_load_b64 v[2:3], v[0:1], s[4:7], 0 idxen offen\nbuffer_load_u8 v4, v[0:1], s[4:7], 0 idxen offen offset:1\ns_waitcnt vmcnt(0)")
                .unwrap();
            for l in 0..32u32 {
                let want = |o: u32| match map.get(&(index(l), o)) {
                    Some(at) if index(l) < 40 => 1000 + at / 4,
                    _ => 0,
                };
                let got = (m.v(2)[l as usize], m.v(3)[l as usize], m.v(4)[l as usize]);
                let byte = want(offset(l)) >> 8 & 0xff;
                assert_eq!(got, (want(offset(l)), want(offset(l) + 4), byte), "{element} {n} {l}");
            }
            // The lane number is the index.
            let mut m = machine(stride, swizzle, 64, word3(0, index_stride, true));
            m.set_v(1, lanes(offset)).set_v(2, lanes(|l| l));
            m.run("buffer_store_b32 v2, v1, s[4:7], 0 offen\ns_waitcnt_vscnt null, 0")
                .unwrap();
            let mut want: Vec<u32> = (0..2048).map(|i| 1000 + i).collect();
            for l in 0..32 {
                want[map[&(l, offset(l))] as usize / 4] = l;
            }
            assert!(m.memory(BUF, 2048) == want, "{element} {n}");
        }
    }
}

/// (oob_select, swizzle, stride, records): which of 4 dwords at (index, offset) exist.
#[test]
fn range_checks_of_every_mode() {
    type Rule = fn(index: u32, end: u32) -> bool;
    let cases: [(u32, u32, u32, u32, Rule); 6] = [
        (0, 0, 16, 5, |i, end| i < 5 && end <= 16),
        (1, 0, 16, 5, |i, _| i < 5),
        (2, 0, 16, 1, |_, _| true),
        (2, 0, 16, 0, |_, _| false),
        (3, 0, 16, 20, |_, end| end <= 20),
        (3, 1, 16, 5, |i, end| i < 5 && end <= 16),
    ];
    for (oob, swizzle, stride, records, exists) in cases {
        let index = |l: u32| l % 8;
        let offset = |l: u32| 4 * (l / 8);
        let what = format!("oob {oob} swizzle {swizzle}");
        let start = || {
            let mut m = machine(stride, swizzle, records, word3(oob, 0, false));
            m.set_v(0, lanes(index)).set_v(1, lanes(offset));
            m
        };
        let place = |i: u32, o: u32| match swizzle {
            0 => i * stride + o,
            _ => layout(stride, 8, 4, 16)[&(i, o % stride)] + o / stride * stride * 8,
        };
        let mut m = start();
        m.run("buffer_load_b128 v[4:7], v[0:1], s[4:7], 0 idxen offen\ns_waitcnt vmcnt(0)")
            .unwrap();
        for l in 0..32u32 {
            for k in 0..4 {
                let o = offset(l) + 4 * k;
                let want = if exists(index(l), o + 4) {
                    1000 + place(index(l), o) / 4
                } else {
                    0
                };
                assert_eq!(m.v(4 + k as usize)[l as usize], want, "{what} lane {l} dword {k}");
            }
        }
        // Stores keep what does not exist out; atomics are all or nothing.
        let mut m = start();
        for k in 0..3 {
            m.set_v(4 + k, lanes(|l| 0x100 * k as u32 + l));
        }
        m.run("buffer_store_b96 v[4:6], v[0:1], s[4:7], 0 idxen offen\ns_waitcnt_vscnt null, 0")
            .unwrap();
        let mut want: Vec<u32> = (0..2048).map(|i| 1000 + i).collect();
        for l in 0..32u32 {
            for k in 0..3 {
                let o = offset(l) + 4 * k;
                if exists(index(l), o + 4) {
                    want[place(index(l), o) as usize / 4] = 0x100 * k + l;
                }
            }
        }
        assert!(m.memory(BUF, 2048) == want, "{what}");
        if swizzle == 0 {
            let mut m = start();
            m.set_v(1, lanes(|l| 8 * (l / 8))).set_v(4, [1; 32]).set_v(5, [0; 32]);
            m.run("buffer_atomic_add_u64 v[4:5], v[0:1], s[4:7], 0 idxen offen glc\ns_waitcnt vmcnt(0)")
                .unwrap();
            for l in 0..32u32 {
                let o = 8 * (l / 8);
                let at = place(index(l), o) / 4;
                let mine = exists(index(l), o + 8);
                // Linear modes that check the index only let offsets run into the next record: count the visits.
                let visits = (0..l)
                    .filter(|&p| exists(index(p), 8 * (p / 8) + 8) && place(index(p), 8 * (p / 8)) / 4 == at)
                    .count() as u32;
                let want = if mine { 1000 + at + visits } else { 0 };
                assert_eq!(m.v(4)[l as usize], want, "{what} lane {l}");
                assert_eq!(m.v(5)[l as usize], if mine { 1001 + at } else { 0 }, "{what} lane {l}");
            }
        }
    }
}

#[test]
fn the_scalar_offset_counts_in_raw_range_checks() {
    let mut m = machine(0, 0, 64, word3(3, 0, false));
    m.set_v(0, lanes(|l| 4 * l)).set_s(8, 20);
    m.run("buffer_load_b32 v1, v0, s[4:7], s8 offen offset:8\ns_waitcnt vmcnt(0)")
        .unwrap();
    for l in 0..32u32 {
        let want = if 4 * l + 28 + 4 <= 64 { 1007 + l } else { 0 };
        assert_eq!(m.v(1)[l as usize], want);
    }
    // An all-zero descriptor: loads zero, stores nothing.
    m.set_s64(4, 0).set_s64(6, 0).set_v(1, [5; 32]);
    m.run("buffer_store_b32 v1, v0, s[4:7], 0 offen\nbuffer_load_b32 v1, v0, s[4:7], 0 offen\ns_waitcnt vmcnt(0)")
        .unwrap();
    assert_eq!(m.v(1), [0; 32]);
}
