//! SOPK: scalar register and 16-bit immediate. One line per instruction, see [`super`] for the notation.

use super::{imm, lit, sd, sds, sk, NULL};
use crate::isa::row::ImmKind::*;
use crate::isa::row::Ty::*;

rows! {
    /// SOPK: scalar register and 16-bit immediate.
    Sopk; [];
    0 s_movk_i32 Salu [sd(I32), imm(Signed)];
    1 s_version Control [imm(Version)];
    2 s_cmovk_i32 Salu [sds(I32), imm(Signed)] R_SCC;
    3 s_cmpk_eq_i32 Salu [sk(I32), imm(Signed)] W_SCC;
    4 s_cmpk_lg_i32 Salu [sk(I32), imm(Signed)] W_SCC;
    5 s_cmpk_gt_i32 Salu [sk(I32), imm(Signed)] W_SCC;
    6 s_cmpk_ge_i32 Salu [sk(I32), imm(Signed)] W_SCC;
    7 s_cmpk_lt_i32 Salu [sk(I32), imm(Signed)] W_SCC;
    8 s_cmpk_le_i32 Salu [sk(I32), imm(Signed)] W_SCC;
    9 s_cmpk_eq_u32 Salu [sk(U32), imm(Hex)] W_SCC;
    10 s_cmpk_lg_u32 Salu [sk(U32), imm(Hex)] W_SCC;
    11 s_cmpk_gt_u32 Salu [sk(U32), imm(Hex)] W_SCC;
    12 s_cmpk_ge_u32 Salu [sk(U32), imm(Hex)] W_SCC;
    13 s_cmpk_lt_u32 Salu [sk(U32), imm(Hex)] W_SCC;
    14 s_cmpk_le_u32 Salu [sk(U32), imm(Hex)] W_SCC;
    15 s_addk_i32 Salu [sds(I32), imm(Signed)] W_SCC;
    16 s_mulk_i32 Salu [sds(I32), imm(Signed)];
    17 s_getreg_b32 Salu [sd(B32), imm(HwReg)] MODE;
    18 s_setreg_b32 Salu [imm(HwReg), sk(B32)] MODE;
    19 s_setreg_imm32_b32 Salu [imm(HwReg), lit(B32)] MODE;
    20 s_call_b64 Branch [sd(U64), imm(Branch)] TERMINATOR;
    22 s_subvector_loop_begin Branch [sds(B32), imm(Branch)] TERMINATOR R_EXEC W_EXEC;
    23 s_subvector_loop_end Branch [sds(B32), imm(Branch)] TERMINATOR R_EXEC W_EXEC;
    24 s_waitcnt_vscnt Wait [NULL, imm(Hex)];
    25 s_waitcnt_vmcnt Wait [NULL, imm(Hex)];
    26 s_waitcnt_expcnt Wait [NULL, imm(Hex)];
    27 s_waitcnt_lgkmcnt Wait [NULL, imm(Hex)];
}
