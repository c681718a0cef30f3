//! SOP1, SOP2, SOPC: the scalar ALU. Semantics: RDNA3 ISA manual 16.1 to 16.3.

use t0_backend_rdna3::isa::{Sop1, Sop2, Sopc};

use super::{hwreg, salu_float, scalar32, scalar64, Env, Fault, Step};
use crate::program::{Dst, Instr, Src};
use crate::wave::{Wave, EXEC, M0};

#[inline(always)]
fn set32(w: &mut Wave, i: &Instr, v: u32) {
    if let Dst::S(r) = i.dst[0] {
        w.set_s(usize::from(r), v);
    }
}

#[inline(always)]
fn set64(w: &mut Wave, i: &Instr, v: u64) {
    if let Dst::S(r) = i.dst[0] {
        w.set_s64(usize::from(r), v);
    }
}

/// Result and SCC = result is not zero.
#[inline(always)]
fn set32z(w: &mut Wave, i: &Instr, v: u32) {
    set32(w, i, v);
    w.scc = v != 0;
}

#[inline(always)]
fn set64z(w: &mut Wave, i: &Instr, v: u64) {
    set64(w, i, v);
    w.scc = v != 0;
}

/// Result and an explicit SCC.
#[inline(always)]
fn set32c(w: &mut Wave, i: &Instr, v: u32, scc: bool) {
    set32(w, i, v);
    w.scc = scc;
}

/// The old value of a destination that is also read.
fn old64(w: &Wave, i: &Instr) -> u64 {
    match i.dst[0] {
        Dst::S(r) => w.s64(usize::from(r)),
        _ => 0,
    }
}

pub(super) fn sop2(w: &mut Wave, i: &Instr, op: Sop2) -> Step {
    use Sop2::*;
    let (a, b) = (scalar32(w, i.src[0]), scalar32(w, i.src[1]));
    let (ia, ib) = (a as i32, b as i32);
    let wide = |w: &Wave| (scalar64(w, i.src[0]), scalar64(w, i.src[1]));
    let carry = u64::from(w.scc);
    match op {
        s_add_f32 | s_sub_f32 | s_min_f32 | s_max_f32 | s_mul_f32 | s_fmaak_f32 | s_fmamk_f32 | s_fmac_f32
        | s_cvt_pk_rtz_f16_f32 | s_add_f16 | s_sub_f16 | s_min_f16 | s_max_f16 | s_mul_f16 | s_fmac_f16 => {
            return salu_float::sop2(w, i, op)
        }
        s_add_u32 => set32c(w, i, a.wrapping_add(b), a.checked_add(b).is_none()),
        s_sub_u32 => set32c(w, i, a.wrapping_sub(b), b > a),
        s_add_i32 => set32c(w, i, a.wrapping_add(b), ia.checked_add(ib).is_none()),
        s_sub_i32 => set32c(w, i, a.wrapping_sub(b), ia.checked_sub(ib).is_none()),
        s_addc_u32 => {
            let t = u64::from(a) + u64::from(b) + carry;
            set32c(w, i, t as u32, t >> 32 != 0);
        }
        s_subb_u32 => {
            let borrow = u64::from(b) + carry > u64::from(a);
            set32c(w, i, a.wrapping_sub(b).wrapping_sub(carry as u32), borrow);
        }
        s_absdiff_i32 => set32z(w, i, ia.wrapping_sub(ib).wrapping_abs() as u32),
        s_lshl_b32 => set32z(w, i, a << (b & 31)),
        s_lshr_b32 => set32z(w, i, a >> (b & 31)),
        s_ashr_i32 => set32z(w, i, (ia >> (b & 31)) as u32),
        s_lshl_b64 => set64z(w, i, scalar64(w, i.src[0]) << (b & 63)),
        s_lshr_b64 => set64z(w, i, scalar64(w, i.src[0]) >> (b & 63)),
        s_ashr_i64 => set64z(w, i, (scalar64(w, i.src[0]) as i64 >> (b & 63)) as u64),
        s_lshl1_add_u32 | s_lshl2_add_u32 | s_lshl3_add_u32 | s_lshl4_add_u32 => {
            let n = op as u32 - s_lshl1_add_u32 as u32 + 1;
            let t = (u64::from(a) << n) + u64::from(b);
            set32c(w, i, t as u32, t >> 32 != 0);
        }
        s_min_i32 => set32c(w, i, ia.min(ib) as u32, ia < ib),
        s_min_u32 => set32c(w, i, a.min(b), a < b),
        s_max_i32 => set32c(w, i, ia.max(ib) as u32, ia >= ib),
        s_max_u32 => set32c(w, i, a.max(b), a >= b),
        s_and_b32 => set32z(w, i, a & b),
        s_or_b32 => set32z(w, i, a | b),
        s_xor_b32 => set32z(w, i, a ^ b),
        s_nand_b32 => set32z(w, i, !(a & b)),
        s_nor_b32 => set32z(w, i, !(a | b)),
        s_xnor_b32 => set32z(w, i, !(a ^ b)),
        s_and_not1_b32 => set32z(w, i, a & !b),
        s_or_not1_b32 => set32z(w, i, a | !b),
        s_and_b64 | s_or_b64 | s_xor_b64 | s_nand_b64 | s_nor_b64 | s_xnor_b64 | s_and_not1_b64 | s_or_not1_b64 => {
            let (x, y) = wide(w);
            let r = match op {
                s_and_b64 => x & y,
                s_or_b64 => x | y,
                s_xor_b64 => x ^ y,
                s_nand_b64 => !(x & y),
                s_nor_b64 => !(x | y),
                s_xnor_b64 => !(x ^ y),
                s_and_not1_b64 => x & !y,
                _ => x | !y,
            };
            set64z(w, i, r);
        }
        s_bfe_u32 => set32z(w, i, field(u64::from(a), b & 31, b >> 16 & 127) as u32),
        s_bfe_i32 => set32z(w, i, field_signed(u64::from(a), b & 31, b >> 16 & 127, 32) as u32),
        s_bfe_u64 => set64z(w, i, field(scalar64(w, i.src[0]), b & 63, b >> 16 & 127)),
        s_bfe_i64 => set64z(w, i, field_signed(scalar64(w, i.src[0]), b & 63, b >> 16 & 127, 64)),
        s_bfm_b32 => set32(w, i, ((1u32 << (a & 31)) - 1) << (b & 31)),
        s_bfm_b64 => set64(w, i, ((1u64 << (a & 63)) - 1) << (b & 63)),
        s_mul_i32 => set32(w, i, a.wrapping_mul(b)),
        s_mul_hi_u32 => set32(w, i, ((u64::from(a) * u64::from(b)) >> 32) as u32),
        s_mul_hi_i32 => set32(w, i, ((i64::from(ia) * i64::from(ib)) >> 32) as u32),
        s_cselect_b32 => set32(w, i, if w.scc { a } else { b }),
        s_cselect_b64 => {
            let (x, y) = wide(w);
            set64(w, i, if w.scc { x } else { y });
        }
        s_pack_ll_b32_b16 => set32(w, i, (a & 0xffff) | b << 16),
        s_pack_lh_b32_b16 => set32(w, i, (a & 0xffff) | (b & 0xffff_0000)),
        s_pack_hh_b32_b16 => set32(w, i, a >> 16 | (b & 0xffff_0000)),
        s_pack_hl_b32_b16 => set32(w, i, a >> 16 | b << 16),
    }
    Ok(())
}

/// `len` bits of `x` from bit `at`.
fn field(x: u64, at: u32, len: u32) -> u64 {
    let mask = if len >= 64 { u64::MAX } else { (1 << len) - 1 };
    (x >> at) & mask
}

/// A signed field of a `bits`-wide value: the value is sign-extended before the shift.
fn field_signed(x: u64, at: u32, len: u32, bits: u32) -> u64 {
    if len == 0 {
        return 0;
    }
    let x = ((x << (64 - bits)) as i64 >> (64 - bits)) >> at;
    let keep = len.min(64);
    ((x << (64 - keep)) >> (64 - keep)) as u64
}

/// The new EXEC of an `s_OP_saveexec` or `s_OP_wrexec`.
fn new_exec(op: Sop1, s: u64, e: u64) -> u64 {
    use Sop1::*;
    match op {
        s_and_saveexec_b32 | s_and_saveexec_b64 => s & e,
        s_or_saveexec_b32 | s_or_saveexec_b64 => s | e,
        s_xor_saveexec_b32 | s_xor_saveexec_b64 => s ^ e,
        s_nand_saveexec_b32 | s_nand_saveexec_b64 => !(s & e),
        s_nor_saveexec_b32 | s_nor_saveexec_b64 => !(s | e),
        s_xnor_saveexec_b32 | s_xnor_saveexec_b64 => !(s ^ e),
        s_and_not0_saveexec_b32 | s_and_not0_saveexec_b64 | s_and_not0_wrexec_b32 | s_and_not0_wrexec_b64 => !s & e,
        s_or_not0_saveexec_b32 | s_or_not0_saveexec_b64 => !s | e,
        s_and_not1_saveexec_b32 | s_and_not1_saveexec_b64 | s_and_not1_wrexec_b32 | s_and_not1_wrexec_b64 => s & !e,
        _ => s | !e,
    }
}

fn exec_op32(w: &mut Wave, i: &Instr, op: Sop1, return_new: bool) {
    let old = w.exec();
    let new = new_exec(op, u64::from(scalar32(w, i.src[0])), u64::from(old)) as u32;
    w.sgpr[EXEC] = new;
    set32(w, i, if return_new { new } else { old });
    w.scc = new != 0;
}

fn exec_op64(w: &mut Wave, i: &Instr, op: Sop1, return_new: bool) {
    let old = w.s64(EXEC);
    let new = new_exec(op, scalar64(w, i.src[0]), old);
    w.set_s64(EXEC, new);
    set64(w, i, if return_new { new } else { old });
    w.scc = new != 0;
}

fn count_or_minus1(n: u32, limit: u32) -> u32 {
    if n >= limit {
        u32::MAX
    } else {
        n
    }
}

pub(super) fn sop1(w: &mut Wave, env: &Env, i: &Instr, op: Sop1) -> Step {
    use Sop1::*;
    let a = scalar32(w, i.src[0]);
    let x = scalar64(w, i.src[0]);
    match op {
        s_mov_b32 => set32(w, i, a),
        s_movrels_b32 => set32(w, i, w.sgpr[relative(w, i.src[0], w.sgpr[M0], 1)?]),
        s_movrels_b64 => set64(w, i, w.s64(relative(w, i.src[0], w.sgpr[M0], 2)?)),
        s_movreld_b32 => w.set_s(relative(w, of(i.dst[0]), w.sgpr[M0], 1)?, a),
        s_movreld_b64 => w.set_s64(relative(w, of(i.dst[0]), w.sgpr[M0], 2)?, x),
        s_movrelsd_2_b32 => {
            let from = relative(w, i.src[0], w.sgpr[M0] & 0x3ff, 1)?;
            let to = relative(w, of(i.dst[0]), w.sgpr[M0] >> 16 & 0x3ff, 1)?;
            w.set_s(to, w.sgpr[from]);
        }
        s_rfe_b64 => return Err(Fault::unsupported("s_rfe_b64 returns from a trap handler")),
        s_sendmsg_rtn_b32 => set32(w, i, hwreg::ask(w, i.imm as u32)? as u32),
        s_sendmsg_rtn_b64 => set64(w, i, hwreg::ask(w, i.imm as u32)?),
        s_ceil_f32 | s_floor_f32 | s_trunc_f32 | s_rndne_f32 | s_cvt_f32_i32 | s_cvt_f32_u32 | s_cvt_i32_f32
        | s_cvt_u32_f32 | s_cvt_f16_f32 | s_cvt_f32_f16 | s_cvt_hi_f32_f16 | s_ceil_f16 | s_floor_f16 | s_trunc_f16
        | s_rndne_f16 => return salu_float::sop1(w, i, op),
        s_mov_b64 => set64(w, i, x),
        s_cmov_b32 => {
            if w.scc {
                set32(w, i, a);
            }
        }
        s_cmov_b64 => {
            if w.scc {
                set64(w, i, x);
            }
        }
        s_brev_b32 => set32(w, i, a.reverse_bits()),
        s_brev_b64 => set64(w, i, x.reverse_bits()),
        s_ctz_i32_b32 => set32(w, i, count_or_minus1(a.trailing_zeros(), 32)),
        s_ctz_i32_b64 => set32(w, i, count_or_minus1(x.trailing_zeros(), 64)),
        s_clz_i32_u32 => set32(w, i, count_or_minus1(a.leading_zeros(), 32)),
        s_clz_i32_u64 => set32(w, i, count_or_minus1(x.leading_zeros(), 64)),
        s_cls_i32 => set32(w, i, cls32(a)),
        s_cls_i32_i64 => set32(w, i, count_or_minus1((x ^ (x as i64 >> 63) as u64).leading_zeros(), 64)),
        s_sext_i32_i8 => set32(w, i, a as i8 as u32),
        s_sext_i32_i16 => set32(w, i, a as i16 as u32),
        s_bitset0_b32 => set32(w, i, old64(w, i) as u32 & !(1 << (a & 31))),
        s_bitset1_b32 => set32(w, i, old64(w, i) as u32 | 1 << (a & 31)),
        s_bitset0_b64 => set64(w, i, old64(w, i) & !(1 << (a & 63))),
        s_bitset1_b64 => set64(w, i, old64(w, i) | 1 << (a & 63)),
        s_bitreplicate_b64_b32 => set64(
            w,
            i,
            (0..32).fold(0, |r, k| r | (u64::from(a >> k & 1) * (3 << (2 * k)))),
        ),
        s_abs_i32 => set32z(w, i, (a as i32).wrapping_abs() as u32),
        s_bcnt0_i32_b32 => set32z(w, i, a.count_zeros()),
        s_bcnt0_i32_b64 => set32z(w, i, x.count_zeros()),
        s_bcnt1_i32_b32 => set32z(w, i, a.count_ones()),
        s_bcnt1_i32_b64 => set32z(w, i, x.count_ones()),
        s_quadmask_b32 => set32z(w, i, quadmask(u64::from(a)) as u32),
        s_quadmask_b64 => set64z(w, i, quadmask(x)),
        s_wqm_b32 => set32z(w, i, whole_quads(u64::from(a)) as u32),
        s_wqm_b64 => set64z(w, i, whole_quads(x)),
        s_not_b32 => set32z(w, i, !a),
        s_not_b64 => set64z(w, i, !x),
        s_and_saveexec_b32
        | s_or_saveexec_b32
        | s_xor_saveexec_b32
        | s_nand_saveexec_b32
        | s_nor_saveexec_b32
        | s_xnor_saveexec_b32
        | s_and_not0_saveexec_b32
        | s_or_not0_saveexec_b32
        | s_and_not1_saveexec_b32
        | s_or_not1_saveexec_b32 => exec_op32(w, i, op, false),
        s_and_saveexec_b64
        | s_or_saveexec_b64
        | s_xor_saveexec_b64
        | s_nand_saveexec_b64
        | s_nor_saveexec_b64
        | s_xnor_saveexec_b64
        | s_and_not0_saveexec_b64
        | s_or_not0_saveexec_b64
        | s_and_not1_saveexec_b64
        | s_or_not1_saveexec_b64 => exec_op64(w, i, op, false),
        s_and_not0_wrexec_b32 | s_and_not1_wrexec_b32 => exec_op32(w, i, op, true),
        s_and_not0_wrexec_b64 | s_and_not1_wrexec_b64 => exec_op64(w, i, op, true),
        s_getpc_b64 => set64(w, i, after(env, i)),
        s_setpc_b64 => jump(w, env, x)?,
        s_swappc_b64 => {
            jump(w, env, x)?;
            set64(w, i, after(env, i));
        }
    }
    Ok(())
}

/// A destination as a source operand.
fn of(d: Dst) -> Src {
    match d {
        Dst::S(r) => Src::S(r),
        _ => Src::None,
    }
}

/// The register `index` after the one an instruction names. Only s0 to s105 and VCC may be reached; the index of a
/// pair is even (RDNA3 manual 3.3.1.3 and 3.3.1.4).
fn relative(w: &Wave, named: Src, index: u32, regs: u32) -> Step<usize> {
    let Src::S(first) = named else {
        return Err(Fault::rule("a relative move needs a scalar register"));
    };
    let at = (u64::from(first) + u64::from(index)) & !u64::from(regs - 1);
    if at + u64::from(regs) > 108 {
        return Err(Fault::rule(format!(
            "M0 ({:#x}) leads from s{first} to s{at}, behind the scalar registers",
            w.sgpr[M0]
        )));
    }
    Ok(at as usize)
}

/// The address of the instruction after this one.
fn after(env: &Env, i: &Instr) -> u64 {
    env.entry.wrapping_add(i.offset).wrapping_add(u64::from(i.size))
}

/// Goes on at an address; asks for its code when it has not been decoded.
fn jump(w: &mut Wave, env: &Env, to: u64) -> Step {
    let offset = to.wrapping_sub(env.entry);
    match env.program.at_offset(offset) {
        Some(index) => w.pc = index,
        None => {
            let mut f = Fault::rule(format!(
                "jump to {to:#x}, where there is no code: not mapped for execution, or not a multiple of 4"
            ));
            f.jump = (to % 4 == 0).then_some(offset);
            return Err(f);
        }
    }
    Ok(())
}

/// Leading bits equal to the sign, or -1 when all are.
pub(super) fn cls32(a: u32) -> u32 {
    count_or_minus1((a ^ (a as i32 >> 31) as u32).leading_zeros(), 32)
}

fn quadmask(x: u64) -> u64 {
    (0..16).fold(0, |r, k| r | u64::from(x >> (4 * k) & 15 != 0) << k)
}

fn whole_quads(x: u64) -> u64 {
    (0..16).fold(0, |r, k| if x >> (4 * k) & 15 != 0 { r | 15 << (4 * k) } else { r })
}

pub(super) fn sopc(w: &mut Wave, i: &Instr, op: Sopc) -> Step {
    use Sopc::*;
    let (a, b) = (scalar32(w, i.src[0]), scalar32(w, i.src[1]));
    let (ia, ib) = (a as i32, b as i32);
    w.scc = match op {
        s_cmp_lt_f32 | s_cmp_eq_f32 | s_cmp_le_f32 | s_cmp_gt_f32 | s_cmp_lg_f32 | s_cmp_ge_f32 | s_cmp_o_f32
        | s_cmp_u_f32 | s_cmp_nge_f32 | s_cmp_nlg_f32 | s_cmp_ngt_f32 | s_cmp_nle_f32 | s_cmp_neq_f32
        | s_cmp_nlt_f32 | s_cmp_lt_f16 | s_cmp_eq_f16 | s_cmp_le_f16 | s_cmp_gt_f16 | s_cmp_lg_f16 | s_cmp_ge_f16
        | s_cmp_o_f16 | s_cmp_u_f16 | s_cmp_nge_f16 | s_cmp_nlg_f16 | s_cmp_ngt_f16 | s_cmp_nle_f16 | s_cmp_neq_f16
        | s_cmp_nlt_f16 => salu_float::compare(w, i, op),
        s_cmp_eq_i32 | s_cmp_eq_u32 => a == b,
        s_cmp_lg_i32 | s_cmp_lg_u32 => a != b,
        s_cmp_gt_i32 => ia > ib,
        s_cmp_ge_i32 => ia >= ib,
        s_cmp_lt_i32 => ia < ib,
        s_cmp_le_i32 => ia <= ib,
        s_cmp_gt_u32 => a > b,
        s_cmp_ge_u32 => a >= b,
        s_cmp_lt_u32 => a < b,
        s_cmp_le_u32 => a <= b,
        s_bitcmp0_b32 => a >> (b & 31) & 1 == 0,
        s_bitcmp1_b32 => a >> (b & 31) & 1 == 1,
        s_bitcmp0_b64 => scalar64(w, i.src[0]) >> (b & 63) & 1 == 0,
        s_bitcmp1_b64 => scalar64(w, i.src[0]) >> (b & 63) & 1 == 1,
        s_cmp_eq_u64 => scalar64(w, i.src[0]) == scalar64(w, i.src[1]),
        s_cmp_lg_u64 => scalar64(w, i.src[0]) != scalar64(w, i.src[1]),
    };
    Ok(())
}
