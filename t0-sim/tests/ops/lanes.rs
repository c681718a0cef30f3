//! Instructions that move data between lanes or registers: lane reads and writes, permutations, swaps, relative moves.
#![allow(clippy::unwrap_used)]

use crate::common::{Machine, Rng};

/// Machines of both wave sizes with every lane of v0..v15 different and random EXEC.
fn machines(rng: &mut Rng) -> [Machine; 2] {
    let mut both = [Machine::new(), Machine::wave64()];
    for m in &mut both {
        for r in 0..16 {
            m.set_v64_any(r, |l| (r as u32) << 24 | 0x100 * l as u32 | rng.u32() & 0xff);
        }
        m.wave.sgpr[126] = rng.u32();
        m.wave.sgpr[127] = rng.u32();
    }
    both
}

trait Fill {
    fn set_v64_any(&mut self, r: usize, f: impl FnMut(usize) -> u32);
    fn row(&self, r: usize) -> Vec<u32>;
    fn exec_bits(&self) -> u64;
}
impl Fill for Machine {
    fn set_v64_any(&mut self, r: usize, mut f: impl FnMut(usize) -> u32) {
        for l in 0..self.wave.lanes() as usize {
            self.wave.set_lane(r, l, f(l));
        }
    }
    fn row(&self, r: usize) -> Vec<u32> {
        (0..self.wave.lanes() as usize).map(|l| self.wave.lane(r, l)).collect()
    }
    fn exec_bits(&self) -> u64 {
        self.wave.whole_exec()
    }
}

#[test]
fn read_and_write_one_lane() {
    let mut rng = Rng(0x1234_9876_5555);
    for round in 0..40 {
        for mut m in machines(&mut rng) {
            let n = m.wave.lanes();
            // The lane number is taken modulo the wave size; EXEC does not matter.
            let lane = rng.u32();
            m.set_s(4, lane).set_s(5, 0xabcd_0000 + round);
            let v = m.row(1);
            m.run("v_readlane_b32 s6, v1, s4").unwrap();
            assert_eq!(m.s(6), v[(lane % n) as usize]);
            let old = m.row(2);
            m.run("v_writelane_b32 v2, s5, s4").unwrap();
            for (l, (got, old)) in m.row(2).into_iter().zip(old).enumerate() {
                let want = if l as u32 == lane % n { 0xabcd_0000 + round } else { old };
                assert_eq!(got, want);
            }
            if round % 5 == 0 {
                m.set_s64(126, if round % 10 == 0 { 0 } else { 1 << 63 });
            }
            let exec = m.exec_bits();
            let first = if exec == 0 { 0 } else { exec.trailing_zeros() as usize };
            m.run("v_readfirstlane_b32 s7, v1").unwrap();
            assert_eq!(m.s(7), v[first], "exec {exec:#x}");
        }
    }
}

#[test]
fn permutations_within_and_across_rows() {
    let mut rng = Rng(0x9999_1111_2222);
    for round in 0..60 {
        for mut m in machines(&mut rng) {
            let (lo, hi) = (rng.u32(), rng.u32());
            m.set_s(4, lo).set_s(5, hi);
            let select = u64::from(lo) | u64::from(hi) << 32;
            let (fi, bound) = (round & 1, round >> 1 & 1);
            for (name, cross) in [("v_permlane16_b32", 0), ("v_permlanex16_b32", 1)] {
                // Destination and source may be one register.
                let d = if round % 3 == 0 { 1 } else { 2 };
                let (src, old, exec) = (m.row(1), m.row(d), m.exec_bits());
                m.run(&format!("{name} v{d}, v1, s4, s5 op_sel:[{fi},{bound}]"))
                    .unwrap();
                for (l, got) in m.row(d).into_iter().enumerate() {
                    let from = ((l / 16) ^ cross) * 16 + (select >> (4 * (l % 16)) & 15) as usize;
                    // op_sel[0] reads disabled lanes; without it they give 0 under op_sel[1], else nothing is written
                    // (LLVM llvm.amdgcn.permlane16).
                    let want = if exec >> l & 1 == 0 {
                        old[l]
                    } else if fi == 1 || exec >> from & 1 == 1 {
                        src[from]
                    } else if bound == 1 {
                        0
                    } else {
                        old[l]
                    };
                    assert_eq!(got, want, "{name} lane {l} fi {fi} bound {bound} exec {exec:#x}");
                }
            }
            let (src, old, exec, n) = (m.row(3), m.row(4), m.exec_bits(), m.wave.lanes());
            m.run("v_permlane64_b32 v4, v3").unwrap();
            for (l, got) in m.row(4).into_iter().enumerate() {
                let want = if n == 64 && exec >> l & 1 == 1 {
                    src[l ^ 32]
                } else {
                    old[l]
                };
                assert_eq!(got, want);
            }
            let (a, b, exec) = (m.row(5), m.row(6), m.exec_bits());
            m.run("v_swap_b32 v5, v6").unwrap();
            for l in 0..n as usize {
                let want = if exec >> l & 1 == 1 { (b[l], a[l]) } else { (a[l], b[l]) };
                assert_eq!((m.row(5)[l], m.row(6)[l]), want);
            }
        }
    }
}

/// Register numbers shifted by M0: bits 9:0 move the source, bits 25:16 the destination where the two differ.
#[test]
fn vector_moves_relative_to_m0() {
    let mut rng = Rng(0x6060_7070_8080);
    for mut m in machines(&mut rng) {
        for (s, d) in [(0usize, 0usize), (3, 1), (1, 4)] {
            let exec = m.exec_bits();
            let mut go = |text: &str, m0: usize, from: usize, to: usize, swap: bool| {
                m.set_s(125, m0 as u32);
                let before: Vec<Vec<u32>> = (0..16).map(|r| m.row(r)).collect();
                m.run(text).unwrap();
                for r in 0..16 {
                    for (l, got) in m.row(r).into_iter().enumerate() {
                        let on = exec >> l & 1 == 1;
                        let want = if on && r == to {
                            before[from][l]
                        } else if on && swap && r == from {
                            before[to][l]
                        } else {
                            before[r][l]
                        };
                        assert_eq!(got, want, "{text} M0 {m0:#x} v{r} lane {l}");
                    }
                }
            };
            go("v_movrels_b32 v10, v2", s, 2 + s, 10, false);
            go("v_movreld_b32 v10, v2", d, 2, 10 + d, false);
            go("v_movrelsd_b32 v10, v2", s, 2 + s, 10 + s, false);
            go("v_movrelsd_2_b32 v10, v2", s | d << 16, 2 + s, 10 + d, false);
            go("v_swaprel_b32 v10, v2", s | d << 16, 2 + s, 10 + d, true);
        }
    }
}

#[test]
fn half_register_moves() {
    let mut rng = Rng(0x1616_1616);
    for mut m in machines(&mut rng) {
        for (text, high, from_high) in [
            ("v_mov_b16 v3.l, v4.h", false, true),
            ("v_mov_b16 v3.h, v4.l", true, false),
            ("v_mov_b16 v3.h, v3.l", true, false),
        ] {
            let source = if text.contains("v4") { 4 } else { 3 };
            let (old, src, exec) = (m.row(3), m.row(source), m.exec_bits());
            m.run(text).unwrap();
            for (l, got) in m.row(3).into_iter().enumerate() {
                let half = src[l] >> (16 * u32::from(from_high)) & 0xffff;
                let want = match (exec >> l & 1 == 1, high) {
                    (false, _) => old[l],
                    (true, false) => old[l] & 0xffff_0000 | half,
                    (true, true) => old[l] & 0xffff | half << 16,
                };
                assert_eq!(got, want, "{text} lane {l}");
            }
        }
    }
}
