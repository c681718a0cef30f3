//! Undefined bits through WMMA: element (i, j) of D depends on row i of A, column j of B and its own element of C.
//!
//! Layout as in `exec::wmma`: lanes 0..=15 hold the rows of A and the columns of B; the elements of row i of C and D lie
//! in lanes 16 * (i & 1) + j of register i >> 1, or in a wave of 64 lanes of register i >> 2 in half (i >> 1) & 1.

use t0_backend_rdna3::isa::{Opcode, Vop3p};

use super::bits::any;
use super::{Born, Taint};
use crate::program::{Dst, Instr, Src};
use crate::wave::Wave;

pub(super) fn flow(t: &mut Taint, w: &Wave, i: &Instr) {
    let (Opcode::Vop3p(op), Dst::V(d)) = (i.op, i.dst[0]) else {
        return;
    };
    let regs = match op {
        Vop3p::v_wmma_i32_16x16x16_iu8 => 4,
        Vop3p::v_wmma_i32_16x16x16_iu4 => 2,
        _ => 8,
    };
    let field = match op {
        Vop3p::v_wmma_f16_16x16x16_f16 | Vop3p::v_wmma_bf16_16x16x16_bf16 => {
            0xffffu32 << (16 * (i.mods.op_sel >> 2 & 1))
        }
        _ => u32::MAX,
    };
    let line = |k: usize, lane: usize| {
        let Src::V(r) = i.src[k] else { return None };
        let first = t.first(0, r.into(), regs, 1 << lane)?;
        Some(first.2)
    };
    let rows: [Option<Born>; 16] = std::array::from_fn(|k| line(0, k));
    let columns: [Option<Born>; 16] = std::array::from_fn(|k| line(1, k));
    let mut new = Vec::with_capacity(256);
    for (y, row) in rows.iter().enumerate() {
        let (half, v) = if w.lanes() == 64 {
            (y >> 1 & 1, y >> 2)
        } else {
            (0, y >> 1)
        };
        for (x, column) in columns.iter().enumerate() {
            let lane = 16 * (y & 1) + x;
            let old = match i.src[2] {
                Src::V(c) => t.lane(half, usize::from(c) + v, lane),
                _ => (0, Born::NONE),
            };
            let old = Some(old.1).filter(|_| old.0 & field != 0);
            let born = row.or(*column).or(old);
            let bits = any(u64::from(born.is_some()), 32).t as u32;
            new.push((half, usize::from(d) + v, lane, bits, born.unwrap_or(Born::NONE)));
        }
    }
    for (half, r, lane, bits, born) in new {
        t.set_lane(half, r, lane, field, bits, born);
    }
}
