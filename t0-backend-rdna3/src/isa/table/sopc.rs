//! SOPC: scalar compare into SCC. One line per instruction, see [`super`] for the notation.

use super::{s0, s1};
use crate::isa::row::Ty::*;

rows! {
    /// SOPC: scalar compare into SCC.
    Sopc; [W_SCC];
    0 s_cmp_eq_i32 Salu [s0(I32), s1(I32)] COMMUTES;
    1 s_cmp_lg_i32 Salu [s0(I32), s1(I32)] COMMUTES;
    2 s_cmp_gt_i32 Salu [s0(I32), s1(I32)];
    3 s_cmp_ge_i32 Salu [s0(I32), s1(I32)];
    4 s_cmp_lt_i32 Salu [s0(I32), s1(I32)];
    5 s_cmp_le_i32 Salu [s0(I32), s1(I32)];
    6 s_cmp_eq_u32 Salu [s0(U32), s1(U32)] COMMUTES;
    7 s_cmp_lg_u32 Salu [s0(U32), s1(U32)] COMMUTES;
    8 s_cmp_gt_u32 Salu [s0(U32), s1(U32)];
    9 s_cmp_ge_u32 Salu [s0(U32), s1(U32)];
    10 s_cmp_lt_u32 Salu [s0(U32), s1(U32)];
    11 s_cmp_le_u32 Salu [s0(U32), s1(U32)];
    12 s_bitcmp0_b32 Salu [s0(U32), s1(U32)];
    13 s_bitcmp1_b32 Salu [s0(U32), s1(U32)];
    14 s_bitcmp0_b64 Salu [s0(U64), s1(U32)];
    15 s_bitcmp1_b64 Salu [s0(U64), s1(U32)];
    16 s_cmp_eq_u64 Salu [s0(U64), s1(U64)] COMMUTES;
    17 s_cmp_lg_u64 Salu [s0(U64), s1(U64)] COMMUTES;
    65 s_cmp_lt_f32 Salu [s0(F32), s1(F32)] SALU_FLOAT;
    66 s_cmp_eq_f32 Salu [s0(F32), s1(F32)] SALU_FLOAT COMMUTES;
    67 s_cmp_le_f32 Salu [s0(F32), s1(F32)] SALU_FLOAT;
    68 s_cmp_gt_f32 Salu [s0(F32), s1(F32)] SALU_FLOAT;
    69 s_cmp_lg_f32 Salu [s0(F32), s1(F32)] SALU_FLOAT COMMUTES;
    70 s_cmp_ge_f32 Salu [s0(F32), s1(F32)] SALU_FLOAT;
    71 s_cmp_o_f32 Salu [s0(F32), s1(F32)] SALU_FLOAT COMMUTES;
    72 s_cmp_u_f32 Salu [s0(F32), s1(F32)] SALU_FLOAT COMMUTES;
    73 s_cmp_nge_f32 Salu [s0(F32), s1(F32)] SALU_FLOAT;
    74 s_cmp_nlg_f32 Salu [s0(F32), s1(F32)] SALU_FLOAT COMMUTES;
    75 s_cmp_ngt_f32 Salu [s0(F32), s1(F32)] SALU_FLOAT;
    76 s_cmp_nle_f32 Salu [s0(F32), s1(F32)] SALU_FLOAT;
    77 s_cmp_neq_f32 Salu [s0(F32), s1(F32)] SALU_FLOAT COMMUTES;
    78 s_cmp_nlt_f32 Salu [s0(F32), s1(F32)] SALU_FLOAT;
    81 s_cmp_lt_f16 Salu [s0(F16), s1(F16)] SALU_FLOAT;
    82 s_cmp_eq_f16 Salu [s0(F16), s1(F16)] SALU_FLOAT COMMUTES;
    83 s_cmp_le_f16 Salu [s0(F16), s1(F16)] SALU_FLOAT;
    84 s_cmp_gt_f16 Salu [s0(F16), s1(F16)] SALU_FLOAT;
    85 s_cmp_lg_f16 Salu [s0(F16), s1(F16)] SALU_FLOAT COMMUTES;
    86 s_cmp_ge_f16 Salu [s0(F16), s1(F16)] SALU_FLOAT;
    87 s_cmp_o_f16 Salu [s0(F16), s1(F16)] SALU_FLOAT COMMUTES;
    88 s_cmp_u_f16 Salu [s0(F16), s1(F16)] SALU_FLOAT COMMUTES;
    89 s_cmp_nge_f16 Salu [s0(F16), s1(F16)] SALU_FLOAT;
    90 s_cmp_nlg_f16 Salu [s0(F16), s1(F16)] SALU_FLOAT COMMUTES;
    91 s_cmp_ngt_f16 Salu [s0(F16), s1(F16)] SALU_FLOAT;
    92 s_cmp_nle_f16 Salu [s0(F16), s1(F16)] SALU_FLOAT;
    93 s_cmp_neq_f16 Salu [s0(F16), s1(F16)] SALU_FLOAT COMMUTES;
    94 s_cmp_nlt_f16 Salu [s0(F16), s1(F16)] SALU_FLOAT;
}
