//! Random machine code: whatever a program does, the simulator comes back with registers or with a named fault.
//!
//! Instructions are drawn as bits, row by row of the instruction table, and kept when they decode, so every operand
//! form the decoder knows comes up. `T0_FUZZ_SECONDS` sets how long the random programs run.
#![allow(clippy::unwrap_used)]

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::time::{Duration, Instant};

use crate::common::{read, Kernel, Machine, Rng, MODE};
use t0_backend_rdna3::isa::{self, Class, Family, Flags, Inst, Opcode, RegFile};
use t0_backend_rdna3::target::GFX1100;
use t0_sim::driver::{ExecFault, PageFlags, Vm};
use t0_sim::wave::{Wave, WaveState};
use t0_sim::{Launch, Simulator};

/// Prefix of the first dword, position of the opcode, fields that may hold anything. Source: AMD's machine-readable
/// RDNA3 ISA.
fn layout(f: Family) -> Option<(u32, u32, &'static [(u32, u32)])> {
    const SRC: [(u32, u32); 4] = [(32, 9), (41, 9), (50, 9), (0, 8)];
    const VOP3: &[(u32, u32)] = &[
        SRC[0],
        SRC[1],
        SRC[2],
        SRC[3],
        (15, 1),
        (11, 1),
        (12, 1),
        (13, 1),
        (14, 1),
        (8, 3),
        (61, 3),
        (59, 2),
    ];
    const VOP3SD: &[(u32, u32)] = &[SRC[0], SRC[1], SRC[2], SRC[3], (15, 1), (8, 7), (61, 3), (59, 2)];
    const VOP3P: &[(u32, u32)] = &[SRC[0], SRC[1], SRC[2], SRC[3], (15, 1), (11, 3), (8, 3), (61, 3)];
    const VOPD: &[(u32, u32)] = &[(0, 9), (9, 8), (17, 5), (32, 9), (41, 8), (49, 7), (56, 8)];
    const DS: &[(u32, u32)] = &[(0, 8), (8, 8), (32, 8), (40, 8), (48, 8), (56, 8)];
    const FLAT: &[(u32, u32)] = &[
        (0, 12),
        (12, 1),
        (13, 1),
        (14, 1),
        (15, 1),
        (32, 8),
        (40, 8),
        (55, 1),
        (56, 8),
    ];
    const BUF: &[(u32, u32)] = &[
        (0, 12),
        (12, 1),
        (13, 1),
        (14, 1),
        (32, 8),
        (40, 8),
        (48, 5),
        (53, 1),
        (54, 1),
        (55, 1),
        (56, 8),
    ];
    const SMEM: &[(u32, u32)] = &[(0, 6), (6, 7), (13, 1), (14, 1), (32, 20), (52, 1)];
    Some(match f {
        Family::Sop1 => (0b1_0111_1101 << 23, 8, &[(0, 8), (16, 7)]),
        Family::Sop2 => (0b10 << 30, 23, &[(0, 8), (8, 8), (16, 7)]),
        Family::Sopc => (0b1_0111_1110 << 23, 16, &[(0, 8), (8, 8)]),
        Family::Sopk => (0b1011 << 28, 23, &[(0, 16), (16, 7)]),
        Family::Sopp => (0b1_0111_1111 << 23, 16, &[(0, 16)]),
        Family::Vop1 => (0b011_1111 << 25, 9, &[(0, 9), (17, 8)]),
        Family::Vop2 => (0, 25, &[(0, 9), (9, 8), (17, 8)]),
        Family::Vopc => (0b011_1110 << 25, 17, &[(0, 9), (9, 8)]),
        Family::Vop3 => (0b11_0101 << 26, 16, VOP3),
        Family::Vop3sd => (0b11_0101 << 26, 16, VOP3SD),
        Family::Vop3p => (0b1100_1100 << 24, 16, VOP3P),
        Family::Vopdx => (0b11_0010 << 26, 22, VOPD),
        Family::Ds => (0b11_0110 << 26, 18, DS),
        Family::Flat => (0b11_0111 << 26, 18, FLAT),
        Family::Mubuf => (0b11_1000 << 26, 18, BUF),
        Family::Mtbuf => (0b11_1010 << 26, 15, BUF),
        Family::Smem => (0b11_1101 << 26, 18, SMEM),
        _ => return None,
    })
}

/// A random instruction of a row: its bytes and what they decode to.
fn draw(op: Opcode, rng: &mut Rng, lanes: u32) -> Option<(Vec<u8>, Inst)> {
    let target = GFX1100.with_wave_size(lanes);
    let row = op.row();
    let (prefix, shift, fields) = layout(row.family)?;
    let e64 = row.e64_code().filter(|_| rng.u32() % 3 == 0);
    let (prefix, shift, fields, code) = match e64 {
        Some(code) => {
            let (p, s, f) = layout(if rng.u32() % 2 == 0 {
                Family::Vop3
            } else {
                Family::Vop3sd
            })?;
            (p, s, f, code)
        }
        None => (prefix, shift, fields, row.code),
    };
    let mut base = u64::from(prefix) | u64::from(code) << shift;
    if row.family == Family::Flat {
        base |= if row.flags.has(Flags::GLOBAL) {
            2 << 16
        } else if row.flags.has(Flags::SCRATCH) {
            1 << 16
        } else {
            0
        };
    }
    for _ in 0..60 {
        let mut word = base;
        for &(at, width) in fields {
            let any = rng.u64() & ((1 << width) - 1);
            let v = match (width, rng.u32() % 8) {
                (_, 0 | 1) => 0,
                // Vector registers the wave has, scalar registers that exist.
                (9, 2..=5) => 256 + any % 24,
                (8, 2..=5) => any % 24,
                (7, 2..=5) => any % 108,
                (12.., 2..=5) => any % 64,
                _ => any,
            };
            word |= v << at;
        }
        if row.family == Family::Vop3p && rng.u32() % 4 != 0 {
            word |= 1 << 14 | 3 << 59;
        }
        if row.family == Family::Flat {
            word |= if rng.u32() % 2 == 0 {
                124 << 48
            } else {
                (rng.u64() % 52 * 2) << 48
            };
        }
        if row.family == Family::Smem {
            word |= if rng.u32() % 2 == 0 {
                124 << 57
            } else {
                (rng.u64() % 108) << 57
            };
        }
        let mut bytes = word.to_le_bytes().to_vec();
        bytes.extend(rng.u64().to_le_bytes());
        if let Ok((inst, n)) = isa::decode(&bytes, &target) {
            if inst.op == op {
                bytes.truncate(n);
                return Some((bytes, inst));
            }
        }
    }
    None
}

fn rows() -> Vec<Opcode> {
    Opcode::all().filter(|op| layout(op.row().family).is_some()).collect()
}

/// A machine with memory under the scalar registers that address it and registers full of small and large values.
fn machine(rng: &mut Rng, lanes: u32) -> Machine {
    let mut m = Machine::new();
    m.wave = Wave::with_lanes(lanes, 32, MODE);
    m.buffer(0x10_0000, "data", &[0x3f80_0000; 1024]);
    m.lds = vec![0; 2048];
    refill(&mut m, rng);
    m
}

fn refill(m: &mut Machine, rng: &mut Rng) {
    let lanes = m.wave.lanes() as usize;
    for r in 0..m.wave.vgprs() as usize {
        let kind = rng.u32() % 4;
        for l in 0..lanes {
            let v = match kind {
                0 => 4 * l as u32,
                1 => rng.u32(),
                // The two halves of an address.
                _ if r % 2 == 0 => 0x10_0000 + 8 * l as u32,
                _ => 0,
            };
            m.wave.set_lane(r, l, v);
        }
    }
    for r in 0..108 {
        let v = match rng.u32() % 4 {
            0 => rng.u32(),
            1 => rng.u32() % 64,
            _ => [0x10_0000, 0, 4096, 0x31016fac][r % 4],
        };
        m.wave.set_s(r, v);
    }
    m.set_s(125, rng.u32() % 64);
    m.set_s(126, if rng.u32() % 3 == 0 { rng.u32() } else { u32::MAX });
    m.set_s(127, if rng.u32() % 3 == 0 { rng.u32() } else { u32::MAX });
    let mode = if rng.u32() % 2 == 0 {
        MODE
    } else {
        rng.u32() & 0x80_03ff
    };
    m.wave.set_mode(mode);
}

/// Runs code on the machine; a panic is reported with the code.
fn run(m: &mut Machine, code: &[u8]) -> Result<(), ExecFault> {
    m.wave.state = WaveState::Running;
    let lds = std::mem::take(&mut m.lds);
    let sim = Simulator::new().with_budget(300);
    let (wave, vm) = (&mut m.wave, &m.vm);
    let out = catch_unwind(AssertUnwindSafe(|| sim.run_wave(code, wave, lds, vm)));
    m.lds = vec![0; 2048];
    match out {
        Ok(r) => r.map(drop),
        Err(_) => {
            let text: Vec<String> = isa::disassemble(code, 0, &GFX1100.with_wave_size(m.wave.lanes()))
                .map(|(at, i, _)| format!("{at:#x} {}", i.map_or_else(|e| e.to_string(), |i| i.to_string())))
                .collect();
            panic!(
                "the simulator panicked on a wave of {} lanes:\n{}",
                m.wave.lanes(),
                text.join("\n")
            );
        }
    }
}

const END: [u8; 4] = 0xbfb0_0000u32.to_le_bytes();

#[test]
fn every_row_alone() {
    let mut rng = Rng(0xf00d_f00d_0001);
    let mut drawn = 0;
    let (mut ended, mut total) = (0, 0);
    for lanes in [32, 64] {
        let mut m = machine(&mut rng, lanes);
        for op in rows() {
            for _ in 0..3 {
                let Some((mut code, _)) = draw(op, &mut rng, lanes) else {
                    continue;
                };
                drawn += 1;
                code.extend(END);
                code.extend(END);
                refill(&mut m, &mut rng);
                total += 1;
                ended += u32::from(run(&mut m, &code).is_ok());
            }
        }
    }
    // The generator reaches nearly all rows, and many instructions do something.
    assert!(
        drawn > 4 * rows().len(),
        "{drawn} instructions of {} rows",
        rows().len()
    );
    assert!(3 * ended > total, "{ended} of {total} programs ended");
}

/// A program of random instructions with short branches; rows that mostly fault are rare.
fn program(rng: &mut Rng, rows: &[Opcode], lanes: u32) -> Vec<u8> {
    let mut code = Vec::new();
    for _ in 0..4 + rng.u32() % 24 {
        let op = rows[rng.u32() as usize % rows.len()];
        let class = op.row().class;
        let rare = class.is_vmem() || matches!(class, Class::Smem | Class::Msg | Class::End | Class::Barrier);
        if rare && rng.u32() % 4 != 0 {
            continue;
        }
        if op.row().family == Family::Sopp && class == Class::Branch {
            let back = rng.u32() % 24;
            let word = 0xbf80_0000 | op.row().code << 16 | (back.wrapping_sub(8) & 0xffff);
            code.extend(word.to_le_bytes());
        } else if let Some((bytes, _)) = draw(op, rng, lanes) {
            code.extend(bytes);
        }
    }
    code.extend(END);
    code
}

#[test]
fn random_programs() {
    let seconds = std::env::var("T0_FUZZ_SECONDS").ok().and_then(|s| s.parse().ok());
    let end = Instant::now() + seconds.map_or(Duration::from_millis(1500), Duration::from_secs);
    let seed = std::env::var("T0_FUZZ_SEED").ok().and_then(|s| s.parse().ok());
    let mut rng = Rng(seed.unwrap_or(0x5eed_5eed_5eed));
    let rows = rows();
    while Instant::now() < end {
        let lanes = 32 << (rng.u32() & 1);
        let mut m = machine(&mut rng, lanes);
        for _ in 0..20 {
            refill(&mut m, &mut rng);
            let code = program(&mut rng, &rows, lanes);
            // A fault and an endless loop are fine; `run` reports a panic.
            let _ = run(&mut m, &code);
        }
    }
}

/// Registers the kernel frame below needs afterwards.
fn keeps_the_frame(i: &Inst) -> bool {
    let has = |r: &isa::Reg| r.file == RegFile::S || r.index + r.count <= 32;
    i.reads(32).iter().all(has)
        && i.writes(32).iter().all(|r| {
            r.file == RegFile::S && r.index + r.count <= 90 && r.index >= 16
                || r.file == RegFile::V && r.index + r.count <= 20
        })
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let mut rng = Rng(0x7412_ead5);
    let alu: Vec<Opcode> = rows()
        .into_iter()
        .filter(|op| {
            let r = op.row();
            (r.class == Class::Salu || r.class.is_valu()) && r.feature().is_none()
        })
        .collect();
    let mut ended = 0;
    for _ in 0..24 {
        let mut text = String::from(
            "s_load_b64 s[2:3], s[0:1], null
             s_waitcnt lgkmcnt(0)
             v_and_b32 v30, 0x3ff, v0
             s_lshl_b32 s4, s13, 8
             v_lshl_add_u32 v30, v30, 2, s4\n",
        );
        for r in 1..20 {
            text += &format!("v_mad_u32_u24 v{r}, v30, {}, {r}\n", 7 * r + 1);
        }
        for r in 16..106 {
            text += &format!("s_mov_b32 s{r}, {:#x}\n", rng.u32());
        }
        for _ in 0..30 {
            let op = alu[rng.u32() as usize % alu.len()];
            if let Some((_, i)) = draw(op, &mut rng, 32).filter(|(_, i)| keeps_the_frame(i)) {
                text += &format!("{i}\ns_waitcnt_depctr 0xfff\n");
            }
        }
        for r in 1..8 {
            text += &format!("global_store_b32 v30, v{r}, s[2:3]\nv_add_nc_u32 v30, 0x1000, v30\n");
        }
        text += "s_endpgm";
        let run = |threads: usize| {
            let vm = Vm::new().unwrap();
            let kernel = Kernel {
                vgprs: 32,
                ..Kernel::default()
            };
            kernel.load(&vm, 0x10_0000, "kernel", &text);
            vm.map_fresh(0x20_0000, 4096, PageFlags::ALL, "args").unwrap();
            let out = vm.map_fresh(0x30_0000, 0x8000, PageFlags::ALL, "out").unwrap();
            for k in 0..0x2000 {
                // SAFETY: the buffer has 0x8000 bytes.
                unsafe { out.cast::<u32>().add(k).write(0) };
            }
            let args = vm
                .resolve(0x20_0000, 8, t0_sim::driver::Access::Write)
                .unwrap()
                .as_ptr();
            // SAFETY: the arguments have a page.
            unsafe { args.cast::<u64>().write(0x30_0000) };
            let launch = Launch {
                descriptor: 0x10_0000,
                kernarg: 0x20_0000,
                grid: [64 * 16, 1, 1],
                workgroup: [64, 1, 1],
                lds: 0,
            };
            match Simulator::new().with_threads(threads).run(&launch, &vm) {
                Ok(s) => Ok((s.instructions, read(&vm, 0x30_0000, 0x2000))),
                Err(e) => Err(e.to_string()),
            }
        };
        let first = run(1);
        ended += u32::from(first.is_ok());
        assert_eq!(first, run(2), "two threads:\n{text}");
        assert_eq!(first, run(4), "four threads:\n{text}");
    }
    assert!(ended >= 8, "only {ended} of 24 programs ended");
}
