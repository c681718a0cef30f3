//! VOP2: two vector sources. One line per instruction, see [`super`] for the notation.

use super::{lit, r1, v0, vd, vds, VCC_D, VCC_S};
use crate::isa::row::Ty::*;

rows! {
    /// VOP2: two vector sources.
    Vop2; [R_EXEC];
    1 v_cndmask_b32 Valu [vd(B32), v0(B32).with_neg(), r1(B32).with_neg(), VCC_S];
    2 v_dot2acc_f32_f16 Valu [vds(F32), v0(PkF16), r1(PkF16)] COMMUTES NO_E64;
    3 v_add_f32 Valu [vd(F32), v0(F32), r1(F32)] COMMUTES CLAMP OMOD;
    4 v_sub_f32 Valu [vd(F32), v0(F32), r1(F32)] CLAMP OMOD;
    5 v_subrev_f32 Valu [vd(F32), v0(F32), r1(F32)] CLAMP OMOD;
    6 v_fmac_dx9_zero_f32 Valu [vds(F32), v0(F32), r1(F32)] COMMUTES CLAMP OMOD NO_DPP;
    7 v_mul_dx9_zero_f32 Valu [vd(F32), v0(F32), r1(F32)] COMMUTES CLAMP OMOD;
    8 v_mul_f32 Valu [vd(F32), v0(F32), r1(F32)] COMMUTES CLAMP OMOD;
    9 v_mul_i32_i24 Valu [vd(I32), v0(I32), r1(I32)] COMMUTES CLAMP;
    10 v_mul_hi_i32_i24 Valu [vd(I32), v0(I32), r1(I32)] COMMUTES;
    11 v_mul_u32_u24 Valu [vd(U32), v0(U32), r1(U32)] COMMUTES CLAMP;
    12 v_mul_hi_u32_u24 Valu [vd(U32), v0(U32), r1(U32)] COMMUTES;
    15 v_min_f32 Valu [vd(F32), v0(F32), r1(F32)] COMMUTES CLAMP OMOD;
    16 v_max_f32 Valu [vd(F32), v0(F32), r1(F32)] COMMUTES CLAMP OMOD;
    17 v_min_i32 Valu [vd(I32), v0(I32), r1(I32)] COMMUTES;
    18 v_max_i32 Valu [vd(I32), v0(I32), r1(I32)] COMMUTES;
    19 v_min_u32 Valu [vd(U32), v0(U32), r1(U32)] COMMUTES;
    20 v_max_u32 Valu [vd(U32), v0(U32), r1(U32)] COMMUTES;
    24 v_lshlrev_b32 Valu [vd(U32), v0(U32), r1(U32)];
    25 v_lshrrev_b32 Valu [vd(U32), v0(U32), r1(U32)];
    26 v_ashrrev_i32 Valu [vd(I32), v0(U32), r1(I32)];
    27 v_and_b32 Valu [vd(U32), v0(U32), r1(U32)] COMMUTES;
    28 v_or_b32 Valu [vd(U32), v0(U32), r1(U32)] COMMUTES;
    29 v_xor_b32 Valu [vd(U32), v0(U32), r1(U32)] COMMUTES;
    30 v_xnor_b32 Valu [vd(U32), v0(U32), r1(U32)] COMMUTES;
    32 v_add_co_ci_u32 Valu [vd(U32), VCC_D, v0(U32), r1(U32), VCC_S] COMMUTES CLAMP;
    33 v_sub_co_ci_u32 Valu [vd(U32), VCC_D, v0(U32), r1(U32), VCC_S] CLAMP;
    34 v_subrev_co_ci_u32 Valu [vd(U32), VCC_D, v0(U32), r1(U32), VCC_S] CLAMP;
    37 v_add_nc_u32 Valu [vd(U32), v0(U32), r1(U32)] COMMUTES CLAMP;
    38 v_sub_nc_u32 Valu [vd(U32), v0(U32), r1(U32)] CLAMP;
    39 v_subrev_nc_u32 Valu [vd(U32), v0(U32), r1(U32)] CLAMP;
    43 v_fmac_f32 Valu [vds(F32), v0(F32), r1(F32)] COMMUTES CLAMP OMOD;
    44 v_fmamk_f32 Valu [vd(F32), v0(F32), lit(F32), r1(F32)] NO_E64 NO_DPP;
    45 v_fmaak_f32 Valu [vd(F32), v0(F32), r1(F32), lit(F32)] NO_E64 NO_DPP;
    47 v_cvt_pk_rtz_f16_f32 Valu [vd(PkF16), v0(F32), r1(F32)] CLAMP OMOD;
    50 v_add_f16 Valu [vd(F16), v0(F16), r1(F16)] COMMUTES CLAMP OMOD;
    51 v_sub_f16 Valu [vd(F16), v0(F16), r1(F16)] CLAMP OMOD;
    52 v_subrev_f16 Valu [vd(F16), v0(F16), r1(F16)] CLAMP OMOD;
    53 v_mul_f16 Valu [vd(F16), v0(F16), r1(F16)] COMMUTES CLAMP OMOD;
    54 v_fmac_f16 Valu [vds(F16), v0(F16), r1(F16)] COMMUTES CLAMP OMOD OPSEL;
    55 v_fmamk_f16 Valu [vd(F16), v0(F16), lit(F16), r1(F16)] NO_E64 NO_DPP;
    56 v_fmaak_f16 Valu [vd(F16), v0(F16), r1(F16), lit(F16)] NO_E64 NO_DPP;
    57 v_max_f16 Valu [vd(F16), v0(F16), r1(F16)] COMMUTES CLAMP OMOD;
    58 v_min_f16 Valu [vd(F16), v0(F16), r1(F16)] COMMUTES CLAMP OMOD;
    // LLVM prints constants of the exponent operand as f16; the hardware reads their bits as i16.
    59 v_ldexp_f16 Valu [vd(F16), v0(F16), r1(F16)] CLAMP OMOD;
    60 v_pk_fmac_f16 Valu [vds(PkF16), v0(PkF16), r1(PkF16)] COMMUTES NO_E64;
}
