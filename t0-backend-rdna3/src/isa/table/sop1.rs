//! SOP1: one scalar source. One line per instruction, see [`super`] for the notation.

use super::{s0, sd, sds, sr0};
use crate::isa::row::Ty::*;

rows! {
    /// SOP1: one scalar source.
    Sop1; [];
    0 s_mov_b32 Salu [sd(B32), s0(B32)];
    1 s_mov_b64 Salu [sd(B64), s0(B64)];
    2 s_cmov_b32 Salu [sds(B32), s0(B32)] R_SCC;
    3 s_cmov_b64 Salu [sds(B64), s0(B64)] R_SCC;
    4 s_brev_b32 Salu [sd(U32), s0(U32)];
    5 s_brev_b64 Salu [sd(U64), s0(U64)];
    8 s_ctz_i32_b32 Salu [sd(I32), s0(U32)];
    9 s_ctz_i32_b64 Salu [sd(I32), s0(U64)];
    10 s_clz_i32_u32 Salu [sd(I32), s0(U32)];
    11 s_clz_i32_u64 Salu [sd(I32), s0(U64)];
    12 s_cls_i32 Salu [sd(I32), s0(I32)];
    13 s_cls_i32_i64 Salu [sd(I32), s0(I64)];
    14 s_sext_i32_i8 Salu [sd(I32), s0(B32)];
    15 s_sext_i32_i16 Salu [sd(I32), s0(B32)];
    16 s_bitset0_b32 Salu [sds(B32), s0(U32)];
    17 s_bitset0_b64 Salu [sds(B64), s0(U32)];
    18 s_bitset1_b32 Salu [sds(B32), s0(U32)];
    19 s_bitset1_b64 Salu [sds(B64), s0(U32)];
    20 s_bitreplicate_b64_b32 Salu [sd(U64), s0(U32)];
    21 s_abs_i32 Salu [sd(I32), s0(I32)] W_SCC;
    22 s_bcnt0_i32_b32 Salu [sd(I32), s0(U32)] W_SCC;
    23 s_bcnt0_i32_b64 Salu [sd(I32), s0(U64)] W_SCC;
    24 s_bcnt1_i32_b32 Salu [sd(I32), s0(U32)] W_SCC;
    25 s_bcnt1_i32_b64 Salu [sd(I32), s0(U64)] W_SCC;
    26 s_quadmask_b32 Salu [sd(U32), s0(U32)] W_SCC;
    27 s_quadmask_b64 Salu [sd(U64), s0(U64)] W_SCC;
    28 s_wqm_b32 Salu [sd(U32), s0(U32)] W_SCC;
    29 s_wqm_b64 Salu [sd(U64), s0(U64)] W_SCC;
    30 s_not_b32 Salu [sd(U32), s0(U32)] W_SCC;
    31 s_not_b64 Salu [sd(U64), s0(U64)] W_SCC;
    32 s_and_saveexec_b32 Salu [sd(U32), s0(U32)] W_SCC R_EXEC W_EXEC;
    33 s_and_saveexec_b64 Salu [sd(U64), s0(U64)] W_SCC R_EXEC W_EXEC;
    34 s_or_saveexec_b32 Salu [sd(U32), s0(U32)] W_SCC R_EXEC W_EXEC;
    35 s_or_saveexec_b64 Salu [sd(U64), s0(U64)] W_SCC R_EXEC W_EXEC;
    36 s_xor_saveexec_b32 Salu [sd(U32), s0(U32)] W_SCC R_EXEC W_EXEC;
    37 s_xor_saveexec_b64 Salu [sd(U64), s0(U64)] W_SCC R_EXEC W_EXEC;
    38 s_nand_saveexec_b32 Salu [sd(U32), s0(U32)] W_SCC R_EXEC W_EXEC;
    39 s_nand_saveexec_b64 Salu [sd(U64), s0(U64)] W_SCC R_EXEC W_EXEC;
    40 s_nor_saveexec_b32 Salu [sd(U32), s0(U32)] W_SCC R_EXEC W_EXEC;
    41 s_nor_saveexec_b64 Salu [sd(U64), s0(U64)] W_SCC R_EXEC W_EXEC;
    42 s_xnor_saveexec_b32 Salu [sd(U32), s0(U32)] W_SCC R_EXEC W_EXEC;
    43 s_xnor_saveexec_b64 Salu [sd(U64), s0(U64)] W_SCC R_EXEC W_EXEC;
    44 s_and_not0_saveexec_b32 Salu [sd(U32), s0(U32)] W_SCC R_EXEC W_EXEC;
    45 s_and_not0_saveexec_b64 Salu [sd(U64), s0(U64)] W_SCC R_EXEC W_EXEC;
    46 s_or_not0_saveexec_b32 Salu [sd(U32), s0(U32)] W_SCC R_EXEC W_EXEC;
    47 s_or_not0_saveexec_b64 Salu [sd(U64), s0(U64)] W_SCC R_EXEC W_EXEC;
    48 s_and_not1_saveexec_b32 Salu [sd(U32), s0(U32)] W_SCC R_EXEC W_EXEC;
    49 s_and_not1_saveexec_b64 Salu [sd(U64), s0(U64)] W_SCC R_EXEC W_EXEC;
    50 s_or_not1_saveexec_b32 Salu [sd(U32), s0(U32)] W_SCC R_EXEC W_EXEC;
    51 s_or_not1_saveexec_b64 Salu [sd(U64), s0(U64)] W_SCC R_EXEC W_EXEC;
    52 s_and_not0_wrexec_b32 Salu [sd(U32), s0(U32)] W_SCC R_EXEC W_EXEC;
    53 s_and_not0_wrexec_b64 Salu [sd(U64), s0(U64)] W_SCC R_EXEC W_EXEC;
    54 s_and_not1_wrexec_b32 Salu [sd(U32), s0(U32)] W_SCC R_EXEC W_EXEC;
    55 s_and_not1_wrexec_b64 Salu [sd(U64), s0(U64)] W_SCC R_EXEC W_EXEC;
    71 s_getpc_b64 Salu [sd(U64)];
    72 s_setpc_b64 Branch [sr0(U64)] TERMINATOR;
    73 s_swappc_b64 Branch [sd(U64), sr0(U64)] TERMINATOR;
}
