//! Global memory, buffers, scalar loads, LDS, atomics and the faults they raise.
#![allow(clippy::unwrap_used)]

use crate::common::*;
use t0_sim::wave::Row;

const BUF: u64 = 0x40_0000;
const GUARD: u32 = 0xa5a5_a5a5;

fn lanes(f: impl Fn(u32) -> u32) -> Row {
    std::array::from_fn(|l| f(l as u32))
}

/// A machine with `n` dwords 1000, 1001, .. at BUF, a raw descriptor of exactly `bytes` in s[4:7].
fn machine(n: usize, bytes: u32) -> Machine {
    let mut m = Machine::new();
    m.buffer(BUF, "data", &(0..n as u32).map(|i| 1000 + i).collect::<Vec<_>>());
    m.set_s64(4, BUF).set_s(6, bytes).set_s(7, 0x3100_4000);
    m.set_s64(2, BUF);
    m
}

#[test]
fn global_addresses_and_widths() {
    let mut m = machine(256, 1024);
    m.set_v(0, lanes(|l| 16 * l)).set_v(1, lanes(|_| 0));
    m.run("global_load_b128 v[4:7], v0, s[2:3]\nglobal_load_b32 v8, v0, s[2:3] offset:-4096\ns_waitcnt vmcnt(0)")
        .unwrap_err();
    m.run("global_load_b128 v[4:7], v0, s[2:3]\nglobal_load_b96 v[8:10], v0, s[2:3] offset:4\ns_waitcnt vmcnt(0)")
        .unwrap();
    assert_eq!((m.v(4)[3], m.v(7)[3], m.v(8)[3], m.v(10)[3]), (1012, 1015, 1013, 1015));
    // 64-bit addresses in register pairs, signed offset.
    m.set_v(10, lanes(|l| BUF as u32 + 8 * l + 8))
        .set_v(11, lanes(|_| (BUF >> 32) as u32));
    m.run("global_load_b64 v[12:13], v[10:11], off offset:-8\ns_waitcnt vmcnt(0)")
        .unwrap();
    assert_eq!((m.v(12)[5], m.v(13)[5]), (1010, 1011));
    // Sub-dword loads and stores, both halves.
    m.set_v(0, lanes(|l| 4 * l))
        .set_v(14, lanes(|l| 0x8081_8283 + l))
        .set_v(16, [0x5555_5555; 32])
        .set_v(17, [0x5555_5555; 32]);
    m.run("global_store_b32 v0, v14, s[2:3]\nglobal_load_u8 v20, v0, s[2:3] offset:1\nglobal_load_i8 v21, v0, s[2:3] offset:1\nglobal_load_u16 v22, v0, s[2:3] offset:2\nglobal_load_i16 v23, v0, s[2:3] offset:2\nglobal_load_d16_b16 v16, v0, s[2:3]\nglobal_load_d16_hi_b16 v17, v0, s[2:3]\ns_waitcnt vmcnt(0)").unwrap();
    assert_eq!(
        (m.v(20)[0], m.v(21)[0], m.v(22)[0], m.v(23)[0]),
        (0x82, 0xffff_ff82, 0x8081, 0xffff_8081)
    );
    assert_eq!((m.v(16)[0], m.v(17)[0]), (0x5555_8283, 0x8283_5555));
    m.run("global_store_b8 v0, v14, s[2:3] offset:3\nglobal_store_b16 v0, v14, s[2:3]\nglobal_store_d16_hi_b16 v0, v14, s[2:3]").unwrap();
    assert_eq!(m.memory(BUF, 1)[0], 0x8381_8081);
    // Misaligned dwords are fine.
    m.set_v(0, lanes(|l| 4 * l + 1));
    m.run("global_load_b32 v20, v0, s[2:3]\ns_waitcnt vmcnt(0)").unwrap();
    assert_eq!(m.v(20)[0], 0x8183_8180);
    // EXEC gates lanes.
    m.set_v(0, lanes(|l| 4 * l)).set_v(1, [9; 32]).set_s(126, 0b10);
    m.run("global_store_b32 v0, v1, s[2:3]").unwrap();
    let mem = m.memory(BUF, 3);
    assert_eq!((mem[1], mem[2]), (9, 0x8581_8081));
}

#[test]
fn faults_name_everything() {
    let mut m = machine(1024, 4096); // one page exactly
    m.set_v(0, lanes(|l| 4096 - 4 * 30 + 4 * l));
    let e = m.run("global_load_b32 v1, v0, s[2:3]").unwrap_err();
    assert_eq!((e.lane, e.pc), (Some(30), Some(0)));
    let text = e.to_string();
    for want in [
        "0x401000",
        "`data`",
        "just past the end of",
        "global_load_b32 v1, v0, s[2:3]",
        "lane 30",
        "+0x0",
    ] {
        assert!(text.contains(want), "`{text}` lacks `{want}`");
    }
    let e = m
        .run("s_nop 0\ns_load_b64 s[8:9], s[2:3], 0x1000")
        .unwrap_err()
        .to_string();
    assert!(e.contains("s_load_b64 s[8:9]") && e.contains("+0x4"), "{e}");
    m.set_v(0, lanes(|_| 2));
    let e = m.run("global_atomic_add_u32 v0, v1, s[2:3]").unwrap_err().to_string();
    assert!(e.contains("not aligned to 4"), "{e}");
}

#[test]
fn raw_buffers_clip_at_their_last_byte() {
    // 10 dwords and 2 bytes.
    let mut m = machine(64, 42);
    m.set_v(0, lanes(|l| 4 * l)).set_v(1, lanes(|l| 7 + l));
    m.run("buffer_load_b32 v2, v0, s[4:7], 0 offen\nbuffer_load_u16 v3, v0, s[4:7], 0 offen\nbuffer_load_u8 v5, v0, s[4:7], 0 offen offset:1\ns_waitcnt vmcnt(0)").unwrap();
    for l in 0..32 {
        assert_eq!(m.v(2)[l], if l < 10 { 1000 + l as u32 } else { 0 }, "dword {l}");
        assert_eq!(m.v(3)[l], if l < 11 { 1000 + l as u32 } else { 0 }, "half {l}");
        assert_eq!(m.v(5)[l], if l < 11 { 3 } else { 0 }, "byte {l}");
    }
    // Wide loads clip per dword, stores drop per dword.
    m.set_v(0, lanes(|l| 4 * (l + 8)));
    m.run("buffer_load_b128 v[8:11], v0, s[4:7], 0 offen\ns_waitcnt vmcnt(0)")
        .unwrap();
    assert_eq!([8, 9, 10, 11].map(|r| m.v(r)[0]), [1008, 1009, 0, 0]);
    m.set_v(0, lanes(|l| 4 * l));
    m.run("buffer_store_b32 v1, v0, s[4:7], 0 offen").unwrap();
    let mem = m.memory(BUF, 32);
    assert_eq!((mem[9], mem[10], mem[31]), (16, 1010, 1031));
    // Huge and negative-looking offsets do not wrap around.
    m.set_v(0, lanes(|l| 0xffff_fff8 + 4 * (l % 2)));
    m.run("buffer_load_b32 v2, v0, s[4:7], 0 offen offset:16\nbuffer_store_b32 v1, v0, s[4:7], 0 offen offset:8\ns_waitcnt vmcnt(0)").unwrap();
    assert_eq!(m.v(2), [0; 32]);
    assert_eq!(m.memory(BUF, 1)[0], 7);
    // soffset is added and checked.
    m.set_v(0, lanes(|l| 4 * l)).set_s(8, 36);
    m.run("buffer_load_b32 v2, v0, s[4:7], s8 offen\nbuffer_load_b32 v3, off, s[4:7], 0 offset:8\ns_waitcnt vmcnt(0)")
        .unwrap();
    assert_eq!((m.v(2)[0], m.v(2)[1], m.v(3)[31]), (16, 0, 9));
    // Atomics: all or nothing; the old value returns with glc.
    m.set_v(0, lanes(|_| 0)).set_v(1, lanes(|_| 1));
    m.run("buffer_atomic_add_u32 v1, v0, s[4:7], 0 offen glc\ns_waitcnt vmcnt(0)")
        .unwrap();
    assert_eq!((m.v(1)[0], m.v(1)[31], m.memory(BUF, 1)[0]), (7, 38, 39));
    m.set_v(0, lanes(|_| 40)).set_v(1, lanes(|_| 1));
    m.run("buffer_atomic_add_u32 v1, v0, s[4:7], 0 offen glc\ns_waitcnt vmcnt(0)")
        .unwrap();
    assert_eq!((m.v(1)[4], m.memory(BUF, 11)[10]), (0, 1010));
    // An all-zero descriptor reads zero and swallows stores.
    m.set_s64(4, 0).set_s64(6, 0).set_v(0, lanes(|l| 4 * l));
    m.run("buffer_load_b32 v2, v0, s[4:7], 0 offen\nbuffer_store_b32 v1, v0, s[4:7], 0 offen\ns_waitcnt vmcnt(0)")
        .unwrap();
    assert_eq!(m.v(2), [0; 32]);
    // Outside of the allocation but inside of the descriptor: a fault, not silence.
    m.set_s64(4, BUF)
        .set_s(6, 1 << 20)
        .set_s(7, 0x3100_4000)
        .set_v(0, lanes(|_| 1 << 19));
    assert!(m.run("buffer_load_b32 v2, v0, s[4:7], 0 offen").is_err());
}

#[test]
fn structured_buffers_check_index_and_offset() {
    let mut m = machine(64, 0);
    // Stride 8, 5 records, oob_select 0.
    m.set_s(5, 8 << 16).set_s(6, 5).set_s(7, 0x0000_4000);
    m.set_v(0, lanes(|l| l)).set_v(1, lanes(|l| 4 * (l % 3)));
    m.run("buffer_load_b32 v2, v0, s[4:7], 0 idxen offset:4\nbuffer_load_b32 v3, v[0:1], s[4:7], 0 idxen offen\ns_waitcnt vmcnt(0)").unwrap();
    for l in 0..32u32 {
        assert_eq!(m.v(2)[l as usize], if l < 5 { 1001 + 2 * l } else { 0 });
        let offset = 4 * (l % 3);
        assert_eq!(
            m.v(3)[l as usize],
            if l < 5 && offset < 8 {
                1000 + 2 * l + offset / 4
            } else {
                0
            }
        );
    }
}

#[test]
fn scalar_loads() {
    let mut m = machine(64, 40);
    m.set_s(20, 8);
    m.run("s_load_b256 s[24:31], s[2:3], 0x10\ns_load_b32 s32, s[2:3], s20 offset:0x4\ns_buffer_load_b128 s[40:43], s[4:7], 0x20\ns_load_b64 s[44:45], s[2:3], 0x7\ns_waitcnt lgkmcnt(0)").unwrap();
    assert_eq!((m.s(24), m.s(31), m.s(32)), (1004, 1011, 1003));
    assert_eq!([40, 41, 42, 43].map(|r| m.s(r)), [1008, 1009, 0, 0]);
    assert_eq!((m.s(44), m.s(45)), (1001, 1002));
}

#[test]
fn atomics() {
    let mut m = machine(64, 256);
    let run = |m: &mut Machine, op: &str, start: u32, data: Row| -> (u32, Row) {
        m.buffer_set(BUF, start);
        m.set_v(0, [0; 32]).set_v(1, data);
        m.run(&format!(
            "global_atomic_{op} v2, v0, v1, s[2:3] glc\ns_waitcnt vmcnt(0)"
        ))
        .unwrap();
        (m.memory(BUF, 1)[0], m.v(2))
    };
    let (end, old) = run(&mut m, "add_u32", 10, lanes(|l| l));
    assert_eq!((end, old[0], old[3]), (10 + 496, 10, 13));
    assert_eq!(run(&mut m, "sub_u32", 1000, [1; 32]).0, 968);
    assert_eq!(run(&mut m, "min_i32", 5, lanes(|l| l.wrapping_sub(9))).0 as i32, -9);
    assert_eq!(run(&mut m, "min_u32", 5, lanes(|l| l.wrapping_sub(3) | 2)).0, 2);
    assert_eq!(run(&mut m, "max_u32", 5, lanes(|l| l)).0, 31);
    assert_eq!(run(&mut m, "or_b32", 0, lanes(|l| 1 << l)).0, u32::MAX);
    assert_eq!(run(&mut m, "xor_b32", 0, [1; 32]).0, 0);
    assert_eq!(run(&mut m, "swap_b32", 0, lanes(|l| l)).0, 31);
    assert_eq!(run(&mut m, "inc_u32", 0, [9; 32]).0, 2);
    assert_eq!(run(&mut m, "dec_u32", 0, [9; 32]).0, 8);
    let (end, old) = run(&mut m, "add_f32", 0, lanes(|l| (l as f32).to_bits()));
    assert_eq!((f32::from_bits(end), f32::from_bits(old[4])), (496.0, 6.0));
    assert_eq!(
        f32::from_bits(run(&mut m, "max_f32", 0, lanes(|l| (l as f32).to_bits())).0),
        31.0
    );
    // Compare and swap: data, then compare value. 64-bit add with carry into the high word.
    m.buffer_set(BUF, 3);
    m.set_v(1, lanes(|l| l + 4)).set_v(2, lanes(|l| l + 3));
    m.run("global_atomic_cmpswap_b32 v3, v0, v[1:2], s[2:3] glc\ns_waitcnt vmcnt(0)")
        .unwrap();
    assert_eq!((m.memory(BUF, 1)[0], m.v(3)[31]), (35, 34));
    m.buffer_set(BUF, 0xffff_ffff);
    let high = m.memory(BUF, 2)[1];
    m.set_v(1, [1; 32]).set_v(2, [0; 32]).set_s(126, 1);
    m.run("global_atomic_add_u64 v0, v[1:2], s[2:3]").unwrap();
    assert_eq!(m.memory(BUF, 2), [0, high + 1]);
}

impl Machine {
    fn buffer_set(&mut self, va: u64, v: u32) {
        let p = self.vm.resolve(va, 4, t0_sim::driver::Access::Write).unwrap().as_ptr();
        // SAFETY: `resolve` vouches for 4 bytes.
        unsafe { p.cast::<u32>().write(v) };
    }
}

#[test]
fn lds_stores_loads_and_bounds() {
    let mut m = Machine::new();
    m.lds = vec![0; 256];
    m.set_v(0, lanes(|l| 8 * l))
        .set_v(1, lanes(|l| 100 + l))
        .set_v(2, lanes(|l| 200 + l));
    m.run("ds_store_b64 v0, v[1:2]\ns_waitcnt lgkmcnt(0)\nds_load_b64 v[4:5], v0\nds_load_2addr_b32 v[6:7], v0 offset0:1 offset1:2\nds_load_b128 v[8:11], v0 offset:8\ns_waitcnt lgkmcnt(0)").unwrap();
    assert_eq!((m.v(4)[9], m.v(5)[9], m.v(6)[9], m.v(7)[9]), (109, 209, 209, 110));
    // The last two lanes reach beyond the 256 bytes: zero, dword by dword.
    assert_eq!(
        (m.v(8)[29], m.v(11)[29], m.v(8)[30], m.v(11)[30], m.v(8)[31]),
        (130, 231, 131, 0, 0)
    );
    m.set_v(0, lanes(|l| 256 + 4 * l)).set_v(1, [GUARD; 32]);
    let before = m.lds.clone();
    m.run("ds_store_b32 v0, v1\nds_load_b32 v2, v0\nds_add_rtn_u32 v3, v0, v1\ns_waitcnt lgkmcnt(0)")
        .unwrap();
    assert_eq!((m.v(2)[0], m.v(3)[0], &m.lds), (0, 0, &before));
    // Atomics with and without return, halves, stride64.
    m.lds = vec![0; 1024];
    m.set_v(0, [16; 32]).set_v(1, lanes(|l| l + 1));
    m.run("ds_add_u32 v0, v1\nds_max_rtn_u32 v2, v0, v1 offset:4\nds_add_f32 v0, v3 offset:8\ns_waitcnt lgkmcnt(0)\nds_load_b32 v4, v0\ns_waitcnt lgkmcnt(0)").unwrap();
    assert_eq!((m.v(4)[0], m.v(2)[31]), (528, 31));
    m.set_v(0, lanes(|l| 2 * l))
        .set_v(1, lanes(|l| 0x7000 + l | 0x9000_0000));
    m.run("ds_store_b16 v0, v1\nds_store_b16_d16_hi v0, v1 offset:64\ns_waitcnt lgkmcnt(0)\nds_load_u16 v2, v0\nds_load_i16 v3, v0 offset:64\nds_load_u8 v5, v0 offset:1\ns_waitcnt lgkmcnt(0)").unwrap();
    assert_eq!((m.v(2)[7], m.v(3)[7], m.v(5)[7]), (0x7007, 0xffff_9000, 0x70));
    m.set_v(0, lanes(|l| 4 * l))
        .set_v(1, lanes(|l| l))
        .set_v(2, lanes(|l| 50 + l));
    m.run("ds_store_2addr_stride64_b32 v0, v1, v2 offset0:0 offset1:1\ns_waitcnt lgkmcnt(0)\nds_load_b32 v3, v0 offset:256\ns_waitcnt lgkmcnt(0)").unwrap();
    assert_eq!(m.v(3)[6], 56);
    // Compare-and-store: new value first, compare value second.
    m.set_v(0, [0; 32]).set_v(1, [77; 32]).set_v(2, [0; 32]).set_s(126, 1);
    m.run("ds_cmpstore_rtn_b32 v3, v0, v1, v2\ns_waitcnt lgkmcnt(0)")
        .unwrap();
    assert_eq!((m.v(3)[0], u32::from_le_bytes(m.lds[..4].try_into().unwrap())), (0, 77));
}
