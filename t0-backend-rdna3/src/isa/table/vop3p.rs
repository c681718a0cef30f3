//! VOP3P: packed, mixed precision, dot products and WMMA. One line per instruction, see [`super`] for the notation.

use super::{c2, r0, r1, v0, v1, v2, vd, vds};
use crate::isa::row::Ty::*;

rows! {
    /// VOP3P: packed, mixed precision, dot products and WMMA.
    Vop3p; [];
    0 v_pk_mad_i16 Valu [vd(PkI16), v0(PkI16), v1(PkI16), v2(PkI16)] COMMUTES CLAMP NO_DPP R_EXEC;
    1 v_pk_mul_lo_u16 Valu [vd(PkU16), v0(PkU16), v1(PkU16)] COMMUTES CLAMP NO_DPP R_EXEC;
    2 v_pk_add_i16 Valu [vd(PkI16), v0(PkI16), v1(PkI16)] COMMUTES CLAMP NO_DPP R_EXEC;
    3 v_pk_sub_i16 Valu [vd(PkI16), v0(PkI16), v1(PkI16)] CLAMP NO_DPP R_EXEC;
    4 v_pk_lshlrev_b16 Valu [vd(PkU16), v0(PkU16), v1(PkU16)] CLAMP NO_DPP R_EXEC;
    5 v_pk_lshrrev_b16 Valu [vd(PkU16), v0(PkU16), v1(PkU16)] CLAMP NO_DPP R_EXEC;
    6 v_pk_ashrrev_i16 Valu [vd(PkI16), v0(PkU16), v1(PkI16)] CLAMP NO_DPP R_EXEC;
    7 v_pk_max_i16 Valu [vd(PkI16), v0(PkI16), v1(PkI16)] COMMUTES CLAMP NO_DPP R_EXEC;
    8 v_pk_min_i16 Valu [vd(PkI16), v0(PkI16), v1(PkI16)] COMMUTES CLAMP NO_DPP R_EXEC;
    9 v_pk_mad_u16 Valu [vd(PkU16), v0(PkU16), v1(PkU16), v2(PkU16)] COMMUTES CLAMP NO_DPP R_EXEC;
    10 v_pk_add_u16 Valu [vd(PkU16), v0(PkU16), v1(PkU16)] COMMUTES CLAMP NO_DPP R_EXEC;
    11 v_pk_sub_u16 Valu [vd(PkU16), v0(PkU16), v1(PkU16)] CLAMP NO_DPP R_EXEC;
    12 v_pk_max_u16 Valu [vd(PkU16), v0(PkU16), v1(PkU16)] COMMUTES CLAMP NO_DPP R_EXEC;
    13 v_pk_min_u16 Valu [vd(PkU16), v0(PkU16), v1(PkU16)] COMMUTES CLAMP NO_DPP R_EXEC;
    14 v_pk_fma_f16 Valu [vd(PkF16), v0(PkF16), v1(PkF16), v2(PkF16)] COMMUTES CLAMP NO_DPP R_EXEC;
    15 v_pk_add_f16 Valu [vd(PkF16), v0(PkF16), v1(PkF16)] COMMUTES CLAMP NO_DPP R_EXEC;
    16 v_pk_mul_f16 Valu [vd(PkF16), v0(PkF16), v1(PkF16)] COMMUTES CLAMP NO_DPP R_EXEC;
    17 v_pk_min_f16 Valu [vd(PkF16), v0(PkF16), v1(PkF16)] COMMUTES CLAMP NO_DPP R_EXEC;
    18 v_pk_max_f16 Valu [vd(PkF16), v0(PkF16), v1(PkF16)] COMMUTES CLAMP NO_DPP R_EXEC;
    19 v_dot2_f32_f16 Valu [vd(F32), v0(PkF16), v1(PkF16), v2(F32)] COMMUTES CLAMP R_EXEC;
    22 v_dot4_i32_iu8 Valu [vd(I32), v0(PkIu8), v1(PkIu8), v2(I32)] COMMUTES CLAMP NO_DPP R_EXEC;
    23 v_dot4_u32_u8 Valu [vd(U32), v0(PkU8), v1(PkU8), v2(U32)] COMMUTES CLAMP NO_DPP R_EXEC;
    24 v_dot8_i32_iu4 Valu [vd(I32), v0(PkIu4), v1(PkIu4), v2(I32)] COMMUTES CLAMP NO_DPP R_EXEC;
    25 v_dot8_u32_u4 Valu [vd(U32), v0(PkU4), v1(PkU4), v2(U32)] COMMUTES CLAMP NO_DPP R_EXEC;
    26 v_dot2_f32_bf16 Valu [vd(F32), v0(PkBf16), v1(PkBf16), v2(F32)] COMMUTES CLAMP NO_DPP R_EXEC;
    32 v_fma_mix_f32 Valu [vd(F32), v0(MixF32), v1(MixF32), v2(MixF32)] COMMUTES CLAMP R_EXEC;
    33 v_fma_mixlo_f16 Valu [vds(F16), v0(MixF32), v1(MixF32), v2(MixF32)] COMMUTES D16 CLAMP R_EXEC;
    34 v_fma_mixhi_f16 Valu [vds(F16), v0(MixF32), v1(MixF32), v2(MixF32)] COMMUTES D16 CLAMP R_EXEC;
    64 v_wmma_f32_16x16x16_f16 Wmma [vd(F32x8), r0(F16x16), r1(F16x16), c2(F32x8)] NO_DPP IGNORES_EXEC;
    65 v_wmma_f32_16x16x16_bf16 Wmma [vd(F32x8), r0(Bf16x16), r1(Bf16x16), c2(F32x8)] NO_DPP IGNORES_EXEC;
    66 v_wmma_f16_16x16x16_f16 Wmma [vd(F16x8), r0(F16x16), r1(F16x16), c2(F16x8)] NO_DPP IGNORES_EXEC;
    67 v_wmma_bf16_16x16x16_bf16 Wmma [vd(Bf16x8), r0(Bf16x16), r1(Bf16x16), c2(Bf16x8)] NO_DPP IGNORES_EXEC;
    68 v_wmma_i32_16x16x16_iu8 Wmma [vd(I32x8), r0(Iu8x16), r1(Iu8x16), c2(I32x8)] CLAMP NO_DPP IGNORES_EXEC;
    69 v_wmma_i32_16x16x16_iu4 Wmma [vd(I32x8), r0(Iu4x16), r1(Iu4x16), c2(I32x8)] CLAMP NO_DPP IGNORES_EXEC;
}
