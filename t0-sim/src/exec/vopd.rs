//! VOPD: two vector instructions in one. Semantics: RDNA3 ISA manual 7.6.
//!
//! Both halves read the old registers and write afterwards. The decoder has turned each half into the ordinary
//! instruction it stands for and put first the half whose result the other does not read, so that running them one
//! after the other is the same; only when each reads what the other writes, a row has to be kept aside.

use t0_backend_rdna3::isa::{Inst, Opcode, Operand, Reg, Vop1, Vop2, Vopdx, Vopdy};

use super::{vop1, vop2, Fault, Step};
use crate::program::{Dst, Instr};
use crate::wave::Wave;

/// The halves of a dual-issue pair as ordinary instructions.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    /// To run first.
    pub first: Instr,
    /// To run second.
    pub second: Instr,
    /// True when the second half reads the first's result register, too.
    pub crossed: bool,
}

impl Pair {
    /// Orders two halves.
    pub fn new(x: Instr, y: Instr) -> Pair {
        let reads = |a: &Instr, b: &Instr| a.vread.iter().zip(&b.vwrite).any(|(r, w)| r & w != 0);
        let (y_reads_x, x_reads_y) = (reads(&y, &x), reads(&x, &y));
        let (first, second) = if y_reads_x { (y, x) } else { (x, y) };
        Pair {
            first,
            second,
            crossed: y_reads_x && x_reads_y,
        }
    }
}

/// The ordinary instructions of a pair, X then Y.
pub(crate) fn halves(x: Vopdx, y: Vopdy, operands: &[Operand]) -> [Inst; 2] {
    let own = x.row().operands.len().min(operands.len());
    let (of_x, of_y) = operands.split_at(own);
    [ordinary(x_meaning(x), of_x), ordinary(y_meaning(y), of_y)]
}

fn ordinary(op: Opcode, operands: &[Operand]) -> Inst {
    let mut operands = operands.to_vec();
    if op == Opcode::Vop2(Vop2::v_cndmask_b32) {
        // Dual-issue instructions exist in wave32 only.
        operands.push(Operand::Reg(Reg::vcc(32)));
    }
    Inst::new(op, operands)
}

/// The instruction a half stands for: the thirteen both halves have, and those only one has.
macro_rules! meaning {
    ($op:expr, $half:ident; $($own:ident => $single:ident),*) => {
        Opcode::Vop2(match $op {
            $half::v_dual_fmac_f32 => Vop2::v_fmac_f32,
            $half::v_dual_fmaak_f32 => Vop2::v_fmaak_f32,
            $half::v_dual_fmamk_f32 => Vop2::v_fmamk_f32,
            $half::v_dual_mul_f32 => Vop2::v_mul_f32,
            $half::v_dual_add_f32 => Vop2::v_add_f32,
            $half::v_dual_sub_f32 => Vop2::v_sub_f32,
            $half::v_dual_subrev_f32 => Vop2::v_subrev_f32,
            $half::v_dual_mul_dx9_zero_f32 => Vop2::v_mul_dx9_zero_f32,
            $half::v_dual_mov_b32 => return Opcode::Vop1(Vop1::v_mov_b32),
            $half::v_dual_cndmask_b32 => Vop2::v_cndmask_b32,
            $half::v_dual_max_f32 => Vop2::v_max_f32,
            $half::v_dual_min_f32 => Vop2::v_min_f32,
            $half::v_dual_dot2acc_f32_f16 => Vop2::v_dot2acc_f32_f16,
            $($half::$own => Vop2::$single,)*
        })
    };
}

fn x_meaning(op: Vopdx) -> Opcode {
    meaning!(op, Vopdx;)
}

fn y_meaning(op: Vopdy) -> Opcode {
    meaning!(op, Vopdy; v_dual_add_nc_u32 => v_add_nc_u32, v_dual_lshlrev_b32 => v_lshlrev_b32, v_dual_and_b32 => v_and_b32)
}

pub(super) fn exec(w: &mut Wave, i: &Instr) -> Step {
    let Some(p) = i.pair.as_deref() else {
        return Err(Fault::rule("half of a dual-issue pair without the other"));
    };
    let (Dst::V(r), true) = (p.first.dst[0], p.crossed) else {
        half(w, &p.first)?;
        return half(w, &p.second);
    };
    let r = usize::from(r);
    let old = *w.v(r);
    half(w, &p.first)?;
    let new = std::mem::replace(w.v_mut(r), old);
    half(w, &p.second)?;
    *w.v_mut(r) = new;
    Ok(())
}

#[inline(always)]
fn half(w: &mut Wave, i: &Instr) -> Step {
    match i.op {
        Opcode::Vop2(op) => vop2::exec(w, i, op),
        Opcode::Vop1(op) => vop1::exec(w, i, op),
        _ => Ok(()),
    }
}
