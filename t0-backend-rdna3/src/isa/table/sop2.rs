//! SOP2: two scalar sources. One line per instruction, see [`super`] for the notation.

use super::{s0, s1, sd};
use crate::isa::row::Ty::*;

rows! {
    /// SOP2: two scalar sources.
    Sop2; [];
    0 s_add_u32 Salu [sd(U32), s0(U32), s1(U32)] COMMUTES W_SCC;
    1 s_sub_u32 Salu [sd(U32), s0(U32), s1(U32)] W_SCC;
    2 s_add_i32 Salu [sd(I32), s0(I32), s1(I32)] COMMUTES W_SCC;
    3 s_sub_i32 Salu [sd(I32), s0(I32), s1(I32)] W_SCC;
    4 s_addc_u32 Salu [sd(U32), s0(U32), s1(U32)] COMMUTES W_SCC R_SCC;
    5 s_subb_u32 Salu [sd(U32), s0(U32), s1(U32)] W_SCC R_SCC;
    6 s_absdiff_i32 Salu [sd(I32), s0(I32), s1(I32)] COMMUTES W_SCC;
    8 s_lshl_b32 Salu [sd(U32), s0(U32), s1(U32)] W_SCC;
    9 s_lshl_b64 Salu [sd(U64), s0(U64), s1(U32)] W_SCC;
    10 s_lshr_b32 Salu [sd(U32), s0(U32), s1(U32)] W_SCC;
    11 s_lshr_b64 Salu [sd(U64), s0(U64), s1(U32)] W_SCC;
    12 s_ashr_i32 Salu [sd(I32), s0(I32), s1(U32)] W_SCC;
    13 s_ashr_i64 Salu [sd(I64), s0(I64), s1(U32)] W_SCC;
    14 s_lshl1_add_u32 Salu [sd(U32), s0(U32), s1(U32)] W_SCC;
    15 s_lshl2_add_u32 Salu [sd(U32), s0(U32), s1(U32)] W_SCC;
    16 s_lshl3_add_u32 Salu [sd(U32), s0(U32), s1(U32)] W_SCC;
    17 s_lshl4_add_u32 Salu [sd(U32), s0(U32), s1(U32)] W_SCC;
    18 s_min_i32 Salu [sd(I32), s0(I32), s1(I32)] COMMUTES W_SCC;
    19 s_min_u32 Salu [sd(U32), s0(U32), s1(U32)] COMMUTES W_SCC;
    20 s_max_i32 Salu [sd(I32), s0(I32), s1(I32)] COMMUTES W_SCC;
    21 s_max_u32 Salu [sd(U32), s0(U32), s1(U32)] COMMUTES W_SCC;
    22 s_and_b32 Salu [sd(U32), s0(U32), s1(U32)] COMMUTES W_SCC;
    23 s_and_b64 Salu [sd(U64), s0(U64), s1(U64)] COMMUTES W_SCC;
    24 s_or_b32 Salu [sd(U32), s0(U32), s1(U32)] COMMUTES W_SCC;
    25 s_or_b64 Salu [sd(U64), s0(U64), s1(U64)] COMMUTES W_SCC;
    26 s_xor_b32 Salu [sd(U32), s0(U32), s1(U32)] COMMUTES W_SCC;
    27 s_xor_b64 Salu [sd(U64), s0(U64), s1(U64)] COMMUTES W_SCC;
    28 s_nand_b32 Salu [sd(U32), s0(U32), s1(U32)] COMMUTES W_SCC;
    29 s_nand_b64 Salu [sd(U64), s0(U64), s1(U64)] COMMUTES W_SCC;
    30 s_nor_b32 Salu [sd(U32), s0(U32), s1(U32)] COMMUTES W_SCC;
    31 s_nor_b64 Salu [sd(U64), s0(U64), s1(U64)] COMMUTES W_SCC;
    32 s_xnor_b32 Salu [sd(U32), s0(U32), s1(U32)] COMMUTES W_SCC;
    33 s_xnor_b64 Salu [sd(U64), s0(U64), s1(U64)] COMMUTES W_SCC;
    34 s_and_not1_b32 Salu [sd(U32), s0(U32), s1(U32)] W_SCC;
    35 s_and_not1_b64 Salu [sd(U64), s0(U64), s1(U64)] W_SCC;
    36 s_or_not1_b32 Salu [sd(U32), s0(U32), s1(U32)] W_SCC;
    37 s_or_not1_b64 Salu [sd(U64), s0(U64), s1(U64)] W_SCC;
    38 s_bfe_u32 Salu [sd(U32), s0(U32), s1(U32)] W_SCC;
    39 s_bfe_i32 Salu [sd(I32), s0(I32), s1(U32)] W_SCC;
    40 s_bfe_u64 Salu [sd(U64), s0(U64), s1(U32)] W_SCC;
    41 s_bfe_i64 Salu [sd(I64), s0(I64), s1(U32)] W_SCC;
    42 s_bfm_b32 Salu [sd(U32), s0(U32), s1(U32)];
    43 s_bfm_b64 Salu [sd(U64), s0(U32), s1(U32)];
    44 s_mul_i32 Salu [sd(I32), s0(I32), s1(I32)] COMMUTES;
    45 s_mul_hi_u32 Salu [sd(U32), s0(U32), s1(U32)] COMMUTES;
    46 s_mul_hi_i32 Salu [sd(I32), s0(I32), s1(I32)] COMMUTES;
    48 s_cselect_b32 Salu [sd(B32), s0(B32), s1(B32)] R_SCC;
    49 s_cselect_b64 Salu [sd(B64), s0(B64), s1(B64)] R_SCC;
    50 s_pack_ll_b32_b16 Salu [sd(B32), s0(B32), s1(B32)];
    51 s_pack_lh_b32_b16 Salu [sd(B32), s0(B32), s1(B32)];
    52 s_pack_hh_b32_b16 Salu [sd(B32), s0(B32), s1(B32)];
    53 s_pack_hl_b32_b16 Salu [sd(B32), s0(B32), s1(B32)];
}
