//! The LDS: what happens at its end, lane permutations, float atomics, findings.
#![allow(clippy::unwrap_used)]

use crate::common::*;
use t0_sim::driver::{FindingKind, PageFlags, Severity, Vm};
use t0_sim::wave::Row;
use t0_sim::{Launch, Simulator};

fn lanes(f: impl Fn(u32) -> u32) -> Row {
    std::array::from_fn(|l| f(l as u32))
}

fn bytes(n: usize) -> Vec<u8> {
    (0..n).map(|k| (3 * k + 1) as u8).collect()
}

fn le(b: &[u8], at: usize) -> u32 {
    (0..4).fold(0, |v, k| v | u32::from(b.get(at + k).copied().unwrap_or(0)) << (8 * k))
}

/// Loads of every width at every alignment, against plain byte arithmetic.
#[test]
fn wide_accesses_at_any_address() {
    let text = bytes(4096);
    for (n, op) in [(1, "b32 v4"), (2, "b64 v[4:5]"), (3, "b96 v[4:6]"), (4, "b128 v[4:7]")] {
        let (width, regs) = op.split_once(' ').unwrap();
        for (start, step) in [(0u32, 4 * n), (1, 4 * n), (64, 4), (2, 20), (1000, 0)] {
            for exec in [u32::MAX, 0x8000_7ffe] {
                let mut m = Machine::new();
                m.lds = text.clone();
                m.set_v(0, lanes(|l| start + step * l)).set_s(126, exec);
                for r in 4..8 {
                    m.set_v(r, [0x77; 32]);
                }
                m.run(&format!("ds_load_{width} {regs}, v0 offset:8\ns_waitcnt lgkmcnt(0)"))
                    .unwrap();
                for l in 0..32 {
                    for k in 0..n {
                        let at = (start + step * l + 8 + 4 * k) as usize;
                        let want = if exec >> l & 1 == 1 { le(&text, at) } else { 0x77 };
                        assert_eq!(m.v(4 + k as usize)[l as usize], want, "{op} {start} {step} {l} {k}");
                    }
                }
                // Stores: ascending lanes on a plain array.
                let mut want = text.clone();
                for l in (0..32).filter(|l| exec >> l & 1 == 1) {
                    for k in 0..n {
                        let at = (start + step * l + 8 + 4 * k) as usize;
                        want[at..at + 4].copy_from_slice(&(0x0101_0000 * k + l).to_le_bytes());
                    }
                }
                for k in 0..n {
                    m.set_v(4 + k as usize, lanes(|l| 0x0101_0000 * k + l));
                }
                m.run(&format!("ds_store_{width} v0, {regs} offset:8")).unwrap();
                assert!(m.lds == want, "{op} {start} {step}");
                assert!(m.wave.findings.seen().is_empty());
            }
        }
    }
}

#[test]
fn what_lies_outside_reads_zero_and_is_dropped_dword_by_dword() {
    let mut m = Machine::new();
    m.lds = bytes(256);
    let before = m.lds.clone();
    m.set_v(0, lanes(|l| if l == 3 { 248 } else { 16 * (l % 8) }));
    m.run("ds_load_b128 v[4:7], v0\ns_waitcnt lgkmcnt(0)").unwrap();
    assert_eq!(
        [m.v(4)[3], m.v(5)[3], m.v(6)[3], m.v(7)[3]],
        [le(&before, 248), le(&before, 252), 0, 0]
    );
    assert_eq!(m.v(7)[2], le(&before, 44));
    let seen = m.wave.findings.seen().to_vec();
    assert_eq!((seen.len(), seen[0].at, seen[0].lane, seen[0].count), (1, 0, 3, 1));
    assert_eq!(
        seen[0].kind,
        FindingKind::LdsOutOfRange {
            address: 248,
            len: 16,
            size: 256,
            write: false,
            wanted: None,
        }
    );
    // A store of 12 bytes, the first 8 inside.
    let mut m = Machine::new();
    m.lds = before.clone();
    m.set_v(0, lanes(|_| 248))
        .set_v(1, [11; 32])
        .set_v(2, [12; 32])
        .set_v(3, [13; 32])
        .set_s(126, 1);
    m.run("ds_store_b96 v0, v[1:3]\nds_add_u32 v0, v1 offset:8\nds_store_b8 v0, v1 offset:8\nds_load_u16 v5, v0 offset:7\ns_waitcnt lgkmcnt(0)")
        .unwrap();
    assert_eq!((le(&m.lds, 248), le(&m.lds, 252)), (11, 12));
    assert_eq!((&m.lds[..248], m.lds.len(), m.v(5)[0]), (&before[..248], 256, 0));
    let seen = m.wave.findings.seen();
    assert_eq!(seen.iter().map(|s| s.at).collect::<Vec<_>>(), [0, 1, 2, 3]);
    // Addresses wrap at 32 bits, far away is outside.
    let mut m = Machine::new();
    m.lds = before.clone();
    m.set_v(0, lanes(|l| if l == 0 { 0xffff_fffc } else { 0x8000_0000 }));
    m.run("ds_load_b32 v1, v0 offset:8\ns_waitcnt lgkmcnt(0)").unwrap();
    assert_eq!((m.v(1)[0], m.v(1)[1]), (le(&before, 4), 0));
    assert_eq!(m.wave.findings.seen()[0].count, 31);
}

#[test]
fn launches_report_what_they_swallowed() {
    let vm = Vm::new().unwrap();
    let text = "
        v_and_b32 v0, 0x3ff, v0
        s_lshl_b32 s4, s13, 8
        v_lshl_add_u32 v1, v0, 2, s4
        ds_store_b32 v1, v0
        ds_load_b32 v2, v1 offset:4
        s_waitcnt lgkmcnt(0)
        s_endpgm";
    Kernel {
        lds: 1024,
        ..Kernel::default()
    }
    .load(&vm, 0x10_0000, "reach", text);
    let launch = Launch {
        descriptor: 0x10_0000,
        kernarg: 0,
        grid: [64 * 6, 1, 1],
        workgroup: [64, 1, 1],
        lds: 1024,
    };
    for threads in [1, 4] {
        let s = Simulator::new().with_threads(threads).run(&launch, &vm).unwrap();
        let [store, load] = &s.findings[..] else {
            panic!("{:?}", s.findings)
        };
        // Groups 0..=3 start at 0, 256, 512, 768: the load of group 3's last item ends at 1028, groups 4 and 5 are out.
        assert_eq!(
            (store.site.workgroup, store.site.wave, store.site.lane, store.count),
            ([4, 0, 0], 0, 0, 128)
        );
        assert_eq!(
            (load.site.workgroup, load.site.wave, load.site.lane, load.count),
            ([3, 0, 0], 1, 31, 129)
        );
        assert_eq!((load.rule, load.severity), ("lds-out-of-bounds", Severity::Error));
        let text = load.to_string();
        for want in [
            "LDS read of 4 bytes at 0x400 ends outside of the workgroup's 1024 bytes: it reads 0",
            "kernel `reach`",
            "`ds_load_b32 v2, v1 offset:4`",
            "workgroup (3, 0, 0) wave 1 lane 31",
            "129 accesses",
        ] {
            assert!(text.contains(want), "`{text}` lacks `{want}`");
        }
    }
    vm.map_fresh(0x20_0000, 64, PageFlags::ALL, "unused").unwrap();
}

/// Lane maps of all modes, spelled out as the manual does.
#[test]
fn swizzles() {
    let run = |offset: u32, exec: u32| {
        let mut m = Machine::new();
        m.set_v(0, lanes(|l| 100 + l)).set_v(1, [7; 32]).set_s(126, exec);
        m.run(&format!("ds_swizzle_b32 v1, v0 offset:{offset}\ns_waitcnt lgkmcnt(0)"))
            .unwrap();
        m.v(1)
    };
    let check = |offset: u32, from: &dyn Fn(u32) -> u32| {
        for exec in [u32::MAX, 0x0ff0_1234] {
            let want = lanes(|l| match (exec >> l & 1, exec >> from(l) & 1) {
                (0, _) => 7,
                (_, 0) => 0,
                _ => 100 + from(l),
            });
            assert_eq!(run(offset, exec), want, "{offset:#x}");
        }
    };
    for (and, or, xor) in [(31, 0, 1), (0x1e, 0, 0), (0x10, 3, 8), (31, 0, 31), (0, 5, 0)] {
        check(xor << 10 | or << 5 | and, &|l| ((l & and) | or) ^ xor);
    }
    for quad in [0b00_01_10_11u32, 0b11_10_01_00, 0b10_10_10_10] {
        check(0x8000 | quad, &|l| l / 4 * 4 + (quad >> (2 * (l % 4)) & 3));
    }
    // Rotation by n within the lanes whose masked bits agree.
    for n in [0, 1, 5, 31] {
        check(0xc000 | n << 5, &|l| (l + n) % 32);
        check(0xc000 | 1 << 10 | n << 5, &|l| (l + 32 - n) % 32);
        check(0xc000 | n << 5 | 0x18, &|l| l / 8 * 8 + (l + n) % 8);
    }
    // FFT: bits reversed; a mask keeps the low bits and reverses the rest.
    let reversed = |l: u32, bits: u32| (0..bits).fold(0, |r, k| r | (l >> k & 1) << (bits - 1 - k));
    check(0xe000, &|l| reversed(l, 5));
    check(0xe01f, &|l| l);
    check(0xe010, &|l| reversed(l, 5) >> 1 | l & 16);
}

#[test]
fn float_atomics_obey_the_denormal_mode() {
    let tiny = 0x0000_1000u32;
    for (mode, want) in [(MODE, 2 * tiny), (MODE & !0x30, 0)] {
        let mut m = Machine::new();
        m.wave.set_mode(mode);
        m.lds = tiny.to_le_bytes().repeat(32);
        m.set_v(0, lanes(|l| 4 * l)).set_v(1, [tiny; 32]);
        m.run("ds_add_rtn_f32 v2, v0, v1\ns_waitcnt lgkmcnt(0)").unwrap();
        assert_eq!((m.v(2)[9], le(&m.lds, 36)), (tiny, want));
    }
    // Rounding to nearest whatever MODE says: 1 + 2^-24 + a bit more.
    let mut m = Machine::new();
    m.wave.set_mode(MODE | 3);
    m.lds = 1.0f32.to_bits().to_le_bytes().repeat(32);
    m.set_v(0, lanes(|l| 4 * l)).set_v(1, [0x3380_0001; 32]);
    m.run("ds_add_f32 v0, v1").unwrap();
    assert_eq!(le(&m.lds, 0), 1.0f32.to_bits() + 1);
}
