//! Every kind of access is shown, with the right lanes, addresses and sizes.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use t0_backend_rdna3::isa;
use t0_backend_rdna3::target::GFX1100;

use super::{Code, Kind, Sanitizer, Touch};
use crate::aperture::Space;
use crate::driver::{PageFlags, Vm};
use crate::exec::{run, Env, Polls};
use crate::group::Setup;
use crate::mem::{Global, Lds};
use crate::num::Numerics;
use crate::program::{Program, FETCH};
use crate::wave::{Wave, EXEC};

/// One access of one lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    index: u32,
    lane: u32,
    space: Space,
    kind: Kind,
    at: u64,
    bytes: u32,
    scalar: bool,
}

impl Seen {
    /// Of the lowest lane of an access, and how many lanes there were.
    pub fn of(w: &Wave, t: &Touch) -> Seen {
        let l = t.lanes.trailing_zeros().min(31);
        Seen {
            index: t.instr.index,
            lane: l + 32 * w.half() as u32 + 1000 * t.lanes.count_ones(),
            space: t.space,
            kind: t.kind,
            at: t.at[l as usize],
            bytes: t.bytes,
            scalar: t.instr.class == isa::Class::Smem,
        }
    }
}

const BUFFER: u64 = 0x10_0000;

/// Runs the lines on one wave with v0 = 16 * lane, v[2:3] = BUFFER + 16 * lane, s[0:1] = BUFFER, s[4:7] a raw buffer of
/// 256 bytes there, s[8:11] the same swizzled by 4 bytes over 8 records of 8 bytes.
fn shown(lanes: u32, text: &str) -> Vec<(u32, u32, Space, Kind, u64, u32)> {
    let vm = Vm::new().unwrap();
    vm.map_fresh(BUFFER, 4096, PageFlags::ALL, "buffer").unwrap();
    let lines = text.lines().map(str::trim).filter(|l| !l.is_empty());
    let code: Vec<u8> = lines
        .flat_map(|l| [l, "s_waitcnt vmcnt(0) lgkmcnt(0)"])
        .chain(["s_endpgm"])
        .flat_map(|l| isa::encode(&isa::parse(l, &GFX1100).unwrap(), &GFX1100).unwrap())
        .collect();
    let fetch = |at: u64| code.iter().skip(at as usize).take(FETCH).copied().collect();
    let program = Program::decode(&fetch, &GFX1100.with_wave_size(lanes), 32);
    let mut w = Wave::with_lanes(lanes, 32, 0x3f0);
    for l in 0..lanes as usize {
        w.set_lane(0, l, 16 * l as u32);
        w.set_lane(2, l, BUFFER as u32 + 16 * l as u32);
        w.set_lane(3, l, 0);
        w.set_lane(4, l, 1 << 16);
    }
    w.set_s64(0, BUFFER);
    let raw = [BUFFER as u32, 0, 256, 3 << 28];
    let swizzled = [BUFFER as u32, 8 << 16 | 1 << 30, 8, 0];
    for (k, v) in raw.into_iter().chain(swizzled).enumerate() {
        w.set_s(4 + k, v);
    }
    w.scratch = crate::Scratch {
        base: BUFFER + 1024,
        bytes: 16,
    };
    let (mut mem, mut lds) = (Global::new(&vm), Lds::new(1024));
    let setup = Setup {
        lanes,
        vgprs: 32,
        mode: 0x3f0,
        user: Vec::new(),
        dispatch_id: 0,
        rsrc2: 0,
        lds: 1024,
        scratch: None,
        entry: 0,
        kernarg: 0..0,
        grid: [1; 3],
        workgroup: [1; 3],
        budget: 1000,
        numerics: Numerics::Fast,
        wgp_mode: true,
        resident: 1,
        order: 0,
    };
    let code = Code {
        ordered: false,
        spins: false,
        rust: false,
    };
    let mut watch = Arc::new(Sanitizer::new(&vm, &setup, code, None, &[])).watch(0);
    let mut env = Env {
        program: &program,
        mem: &mut mem,
        lds: &mut lds,
        entry: 0,
        waves: 1,
        tally: None,
        token: true,
        order: 0,
        polls: &mut Polls::default(),
        trace: None,
        watch: Some(&mut watch),
    };
    run(&mut w, &mut env, 1000).map_err(|f| f.kind.to_string()).unwrap();
    let all = watch.shown.iter();
    all.map(|s| (s.lane / 1000, s.lane % 1000, s.space, s.kind, s.at, s.bytes))
        .collect()
}

#[test]
fn vector_memory() {
    use Kind::*;
    use Space::Global as G;
    let seen = shown(
        32,
        "global_load_b64 v[8:9], v[2:3], off offset:8
        global_store_b128 v0, v[8:11], s[0:1] offset:16
        global_load_d16_hi_u8 v8, v0, s[0:1]
        global_atomic_add_u32 v0, v8, s[0:1] offset:4
        global_load_addtid_b32 v8, s[0:1] offset:12
        flat_store_b16 v[2:3], v8
        s_load_b256 s[16:23], s[0:1], 0x20",
    );
    let want = [
        (32, 0, G, Load, BUFFER + 8, 8),
        (32, 0, G, Store, BUFFER + 16, 16),
        (32, 0, G, Load, BUFFER, 1),
        (32, 0, G, Atomic, BUFFER + 4, 4),
        (32, 0, G, Load, BUFFER + 12, 4),
        (32, 0, G, Store, BUFFER, 2),
        (1, 0, G, Load, BUFFER + 0x20, 32),
    ];
    assert_eq!(seen, want);
}

#[test]
fn lanes_that_are_off_are_not_shown() {
    let text = "s_mov_b32 exec_lo, 0xf0
        global_load_b32 v8, v0, s[0:1]
        s_mov_b32 exec_lo, 0
        global_load_b32 v8, v0, s[0:1]";
    assert_eq!(EXEC, 126);
    let seen = shown(32, text);
    assert_eq!(seen, [(4, 4, Space::Global, Kind::Load, BUFFER + 64, 4)]);
}

#[test]
fn buffers_show_what_their_range_check_lets_through() {
    use Kind::*;
    use Space::Global as G;
    // 256 bytes: sixteen lanes of 16 bytes; with an offset of 8 the last of them has two dwords.
    let seen = shown(
        32,
        "buffer_load_b32 v8, v0, s[4:7], 0 offen
        buffer_store_b128 v[8:11], v0, s[4:7], 0 offen offset:8
        s_buffer_load_b64 s[16:17], s[4:7], 0xfc",
    );
    let want = [
        (16, 0, G, Load, BUFFER, 4),
        (16, 0, G, Store, BUFFER + 8, 4),
        (16, 0, G, Store, BUFFER + 12, 4),
        (15, 0, G, Store, BUFFER + 16, 4),
        (15, 0, G, Store, BUFFER + 20, 4),
        (1, 0, G, Load, BUFFER + 0xfc, 4),
    ];
    assert_eq!(seen, want);
    // Record 0: dwords 0 and 4 * 8 apart.
    let swizzled = shown(32, "s_mov_b32 exec_lo, 1\nbuffer_load_b64 v[8:9], off, s[8:11], 0");
    assert_eq!(swizzled, [(1, 0, G, Load, BUFFER, 4), (1, 0, G, Load, BUFFER + 32, 4)]);
}

#[test]
fn local_and_private_memory() {
    use Kind::*;
    use Space::{Private as P, Shared as S};
    let seen = shown(
        32,
        "ds_load_b32 v8, v0 offset:4
        ds_store_2addr_b64 v0, v[8:9], v[10:11] offset0:1 offset1:3
        ds_add_u32 v0, v8
        ds_store_b8 v0, v8 offset:3
        s_mov_b32 m0, 8
        ds_store_addtid_b32 v8 offset:4
        ds_append v8 offset:16
        flat_load_b32 v8, v[3:4]
        scratch_store_b64 off, v[8:9], off offset:8
        ds_swizzle_b32 v8, v0 offset:0x8000",
    );
    let want = [
        (32, 0, S, Load, 4, 4),
        (32, 0, S, Store, 8, 8),
        (32, 0, S, Store, 24, 8),
        (32, 0, S, Atomic, 0, 4),
        (32, 0, S, Store, 3, 1),
        (32, 0, S, Store, 12, 4),
        (1, 0, S, Atomic, 24, 4),
        (32, 0, S, Load, 0, 4),
        (32, 0, P, Store, 8, 8),
    ];
    assert_eq!(seen, want);
}

#[test]
fn both_halves_of_a_wave_of_64_lanes() {
    let seen = shown(64, "global_load_b32 v8, v0, s[0:1]");
    let of = |lane: u32, at: u64| (32, lane, Space::Global, Kind::Load, BUFFER + at, 4);
    assert_eq!(seen, [of(0, 0), of(32, 512)]);
}
