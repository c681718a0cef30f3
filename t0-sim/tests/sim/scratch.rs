//! Private memory: addressing forms, swizzle, limits, and whole launches.
#![allow(clippy::unwrap_used)]

use crate::common::*;
use t0_sim::driver::{ExecFaultKind, PageFlags, Vm};
use t0_sim::wave::Row;
use t0_sim::{Launch, Scratch, Simulator};

const AREA: u64 = 0x50_0000;
const GUARD: u32 = 0xa5a5_a5a5;

fn lanes(f: impl Fn(u32) -> u32) -> Row {
    std::array::from_fn(|l| f(l as u32))
}

/// Lanes with 64 bytes each at AREA + 128, guard dwords around.
fn machine(lanes: u32) -> Machine {
    let mut m = if lanes == 64 { Machine::wave64() } else { Machine::new() };
    m.buffer(AREA, "area", &vec![GUARD; 16 * lanes as usize + 64]);
    m.wave.scratch = Scratch {
        base: AREA + 128,
        bytes: 64,
    };
    m
}

/// The dword at byte `offset` (a multiple of 4) of a lane's private memory.
fn private(m: &Machine, count: u32, lane: u32, offset: u32) -> u32 {
    let index = offset / 4 * count + lane;
    m.memory(AREA + 128 + 4 * u64::from(index), 1)[0]
}

fn guards_stand(m: &Machine, count: u32) {
    assert_eq!(m.memory(AREA, 32), [GUARD; 32]);
    assert_eq!(m.memory(AREA + 128 + 64 * u64::from(count), 32), [GUARD; 32]);
}

#[test]
fn every_addressing_form_reaches_the_same_place() {
    let mut m = machine(32);
    m.set_v(0, lanes(|_| 8)).set_v(1, lanes(|l| 100 + l)).set_s(4, 12);
    m.run(
        "scratch_store_b32 off, v1, off offset:4
        scratch_store_b32 v0, v1, off offset:16
        scratch_store_b32 off, v1, s4 offset:4
        scratch_store_b32 v0, v1, s4
        scratch_store_b32 v0, v1, s4 offset:-16
        s_waitcnt_vscnt null, 0
        scratch_load_b32 v2, off, off offset:24
        scratch_load_b32 v3, off, s4 offset:8
        scratch_load_b32 v4, v0, off offset:-4
        scratch_load_b32 v5, v0, s4 offset:4
        s_waitcnt vmcnt(0)",
    )
    .unwrap();
    for l in 0..32 {
        for offset in (0..64).step_by(4) {
            let want = if [4, 16, 20, 24].contains(&offset) {
                100 + l
            } else {
                GUARD
            };
            assert_eq!(private(&m, 32, l, offset), want, "lane {l} offset {offset}");
        }
    }
    assert_eq!((m.v(2)[5], m.v(3)[5], m.v(4)[5], m.v(5)[5]), (105, 105, 105, 105));
    guards_stand(&m, 32);
}

#[test]
fn different_offsets_and_inactive_lanes() {
    let mut m = machine(32);
    m.set_v(0, lanes(|l| 4 * (l % 13)))
        .set_v(1, lanes(|l| 7 * l))
        .set_v(2, lanes(|l| 7 * l + 1))
        .set_v(3, lanes(|l| 7 * l + 2))
        .set_v(4, lanes(|l| 7 * l + 3))
        .set_v(8, [9; 32])
        .set_s(126, 0x5555_5555);
    m.run("scratch_store_b128 v0, v[1:4], off\ns_waitcnt_vscnt null, 0\nscratch_load_b96 v[8:10], v0, off offset:4\ns_waitcnt vmcnt(0)")
        .unwrap();
    for l in 0..32u32 {
        let start = 4 * (l % 13);
        for offset in (0..64).step_by(4) {
            let inside = l % 2 == 0 && (start..start + 16).contains(&offset);
            let want = if inside { 7 * l + (offset - start) / 4 } else { GUARD };
            assert_eq!(private(&m, 32, l, offset), want, "lane {l} offset {offset}");
        }
        let want = if l % 2 == 0 { 7 * l + 1 } else { 9 };
        assert_eq!(m.v(8)[l as usize], want);
    }
    guards_stand(&m, 32);
}

#[test]
fn parts_of_dwords_and_misaligned_dwords() {
    let mut m = machine(32);
    m.set_v(0, lanes(|_| 0))
        .set_v(1, lanes(|l| 0x8182_8384 + l))
        .set_v(5, [0x5555_5555; 32])
        .set_v(6, [0x5555_5555; 32]);
    m.run(
        "scratch_store_b32 off, v1, off offset:6
        scratch_store_b8 off, v1, off offset:1
        scratch_store_d16_hi_b16 off, v1, off offset:2
        scratch_store_d16_hi_b8 off, v1, off offset:12
        scratch_store_b16 v0, v1, off offset:15
        s_waitcnt_vscnt null, 0
        scratch_load_b32 v2, off, off offset:6
        scratch_load_i8 v3, off, off offset:1
        scratch_load_u16 v4, v0, off offset:7
        scratch_load_d16_b16 v5, off, off offset:2
        scratch_load_d16_hi_u8 v6, off, off offset:12
        scratch_load_u16 v7, v0, off offset:15
        s_waitcnt vmcnt(0)",
    )
    .unwrap();
    for l in 0..32u32 {
        // Bytes 0.. of the lane, worked out on a plain array.
        let mut b = [0xa5u8; 64];
        let v = (0x8182_8384 + l).to_le_bytes();
        b[6..10].copy_from_slice(&v);
        b[1] = v[0];
        b[2..4].copy_from_slice(&v[2..4]);
        b[12] = v[2];
        b[15..17].copy_from_slice(&v[..2]);
        for o in (0..64).step_by(4) {
            let want = u32::from_le_bytes(b[o..o + 4].try_into().unwrap());
            assert_eq!(private(&m, 32, l, o as u32), want, "lane {l} offset {o}");
        }
        let half = |o: usize| u32::from(u16::from_le_bytes([b[o], b[o + 1]]));
        let k = l as usize;
        assert_eq!(m.v(2)[k], 0x8182_8384 + l);
        assert_eq!(m.v(3)[k], b[1] as i8 as u32);
        assert_eq!(m.v(4)[k], half(7));
        assert_eq!(m.v(5)[k], 0x5555_0000 | half(2));
        assert_eq!(m.v(6)[k], u32::from(b[12]) << 16 | 0x5555);
        assert_eq!(m.v(7)[k], half(15));
    }
    guards_stand(&m, 32);
}

#[test]
fn waves_of_64_interleave_64_lanes() {
    let mut m = machine(64);
    m.set_v64(1, |l| 1000 + l as u32).set_v64(2, |l| 4 * (l as u32 % 5));
    m.run("scratch_store_b32 off, v1, off offset:32\nscratch_store_b32 v2, v1, off\ns_waitcnt_vscnt null, 0\nscratch_load_b32 v3, off, off offset:32\ns_waitcnt vmcnt(0)")
        .unwrap();
    for l in 0..64u32 {
        assert_eq!(private(&m, 64, l, 32), 1000 + l);
        assert_eq!(private(&m, 64, l, 4 * (l % 5)), 1000 + l);
    }
    assert_eq!(m.v64(3), (1000..1064).collect::<Vec<_>>());
    guards_stand(&m, 64);
}

#[test]
fn accesses_outside_the_private_segment_fault() {
    let aperture = |e: ExecFaultKind| match e {
        ExecFaultKind::OutOfAperture {
            space,
            address,
            len,
            size,
        } => (space, address, len, size),
        other => panic!("{other}"),
    };
    let mut m = machine(32);
    m.set_v(0, lanes(|l| if l == 17 { 61 } else { 0 })).set_v(1, [0; 32]);
    let e = m.run("scratch_load_b32 v2, v0, off").unwrap_err();
    assert_eq!(e.lane, Some(17));
    assert!(
        e.to_string()
            .contains("scratch access of 4 bytes at 0x3d is outside of its 64 bytes"),
        "{e}"
    );
    assert_eq!(aperture(e.kind), ("scratch", 61, 4, 64));
    // A negative base does not come back through the offset.
    m.set_v(0, lanes(|_| -8i32 as u32));
    let e = m.run("scratch_store_b32 v0, v1, off offset:16").unwrap_err();
    assert_eq!(e.lane, Some(0));
    assert_eq!(aperture(e.kind), ("scratch", 0xffff_fff8 + 16, 4, 64));
    let e = m.run("scratch_store_b128 off, v[4:7], off offset:-4").unwrap_err();
    assert_eq!(aperture(e.kind), ("scratch", -4i64 as u64, 16, 64));
    guards_stand(&m, 32);
    m.wave.scratch = Scratch::default();
    let e = m.run("scratch_load_b32 v2, off, off").unwrap_err();
    assert!(e.to_string().contains("private_segment_size is 0"), "{e}");
}

/// Two stores, a barrier, a read back through private memory of every work-item; results to the buffer.
#[test]
fn whole_launches_keep_the_waves_apart() {
    const OUT: u64 = 0x30_0000;
    let vm = Vm::new().unwrap();
    let text = "
        s_load_b64 s[2:3], s[0:1], 0x0
        v_and_b32 v0, 0x3ff, v0
        s_lshl_b32 s4, s13, 7
        v_add_nc_u32 v1, s4, v0
        scratch_load_b32 v4, off, off
        scratch_store_b32 off, v1, off offset:8
        s_waitcnt_vscnt null, 0
        s_barrier
        scratch_load_b32 v2, off, off offset:8
        v_lshlrev_b32 v3, 3, v1
        s_waitcnt vmcnt(0) lgkmcnt(0)
        v_mov_b32 v5, v4
        v_mov_b32 v4, v2
        global_store_b64 v3, v[4:5], s[2:3]
        s_endpgm";
    let kernel = Kernel {
        private: 16,
        ..Kernel::default()
    };
    kernel.load(&vm, 0x10_0000, "spill", text);
    pointers(&vm, 0x20_0000, &[OUT]);
    vm.map_fresh(OUT, 8 * 128 * 300, PageFlags::ALL, "out").unwrap();
    let launch = Launch {
        descriptor: 0x10_0000,
        kernarg: 0x20_0000,
        grid: [128 * 300, 1, 1],
        workgroup: [128, 1, 1],
        lds: 0,
    };
    for threads in [1, 3] {
        let before = vm.generation();
        Simulator::new().with_threads(threads).run(&launch, &vm).unwrap();
        assert_ne!(vm.generation(), before, "private memory was mapped");
        assert_eq!(vm.table().mappings().len(), 3, "and is gone");
        let out = read(&vm, OUT, 2 * 128 * 300);
        for (n, pair) in out.chunks_exact(2).enumerate() {
            assert_eq!(pair, [n as u32, t0_sim::wave::POISON]);
        }
    }
}

/// A function behind the kernel, one before it, both reached only through registers; the second keeps the return
/// address on the stack.
#[test]
fn calls_reach_code_that_nothing_else_reaches() {
    const OUT: u64 = 0x30_0000;
    const KERNEL: u64 = 0x10_0000;
    let vm = Vm::new().unwrap();
    // The function before the kernel lies in its own buffer, 64 KiB below.
    let before = assemble("v_mul_u32_u24 v1, 3, v1\ns_setpc_b64 s[30:31]");
    let p = vm.map_fresh(KERNEL - 0x1_0000, 4096, PageFlags::ALL, "before").unwrap();
    for (k, b) in before.iter().enumerate() {
        // SAFETY: a fresh page.
        unsafe { p.add(k).write(*b) };
    }
    let main = |after: usize| {
        // The padding makes the distance a literal.
        let padding = "\ns_nop 0".repeat(16);
        format!(
            "s_load_b64 s[2:3], s[0:1], 0x0
            s_mov_b32 s32, 0
            v_and_b32 v1, 0x3ff, v0
            v_lshlrev_b32 v0, 2, v1
            s_getpc_b64 s[4:5]
            s_add_u32 s4, s4, {after}
            s_addc_u32 s5, s5, 0
            s_swappc_b64 s[30:31], s[4:5]
            s_waitcnt lgkmcnt(0)
            global_store_b32 v0, v1, s[2:3]
            s_endpgm{padding}"
        )
    };
    let function = format!(
        "s_add_u32 s32, s32, 16
        v_writelane_b32 v5, s30, 0
        v_writelane_b32 v5, s31, 1
        scratch_store_b32 off, v5, s32
        v_add_nc_u32 v1, 7, v1
        s_mov_b32 s4, {:#x}
        s_mov_b32 s5, 0
        s_swappc_b64 s[30:31], s[4:5]
        v_add_nc_u32 v1, 1, v1
        s_waitcnt_vscnt null, 0
        scratch_load_b32 v6, off, s32
        s_waitcnt vmcnt(0)
        v_readlane_b32 s30, v6, 0
        v_readlane_b32 s31, v6, 1
        s_sub_u32 s32, s32, 16
        s_setpc_b64 s[30:31]",
        KERNEL - 0x1_0000
    );
    // From the instruction after s_getpc_b64 to the function; a literal of the same size whatever the number.
    let rest = main(0x1234);
    let tail = rest.split_once("s_getpc_b64 s[4:5]\n").unwrap().1;
    let text = format!("{}\n{function}", main(assemble(tail).len()));
    assert_eq!(assemble(&main(assemble(tail).len())).len(), assemble(&rest).len());
    Kernel {
        private: 64,
        ..Kernel::default()
    }
    .load(&vm, KERNEL, "caller", &text);
    pointers(&vm, 0x20_0000, &[OUT]);
    vm.map_fresh(OUT, 4096, PageFlags::ALL, "out").unwrap();
    let launch = Launch {
        descriptor: KERNEL,
        kernarg: 0x20_0000,
        grid: [64, 1, 1],
        workgroup: [64, 1, 1],
        lds: 0,
    };
    let s = Simulator::new().run(&launch, &vm).unwrap();
    assert_eq!(
        read(&vm, OUT, 64),
        (0..64).map(|n| 3 * (n + 7) + 1).collect::<Vec<u32>>()
    );
    assert_eq!(s.instructions, 2 * (11 + 16 + 2), "calls are counted once");
    // A jump to where no code is.
    vm.unmap(KERNEL - 0x1_0000);
    let e = Simulator::new().run(&launch, &vm).unwrap_err();
    assert!(e.to_string().contains("where there is no code"), "{e}");
}
