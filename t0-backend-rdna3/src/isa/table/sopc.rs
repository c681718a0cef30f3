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
}
