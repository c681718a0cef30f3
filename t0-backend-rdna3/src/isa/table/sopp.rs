//! SOPP: program control. One line per instruction, see [`super`] for the notation.

use super::imm;
use crate::isa::row::ImmKind::*;

rows! {
    /// SOPP: program control.
    Sopp; [];
    0 s_nop Control [imm(Dec)];
    1 s_setkill Control [imm(Dec)];
    2 s_sethalt Control [imm(Dec)];
    3 s_sleep Control [imm(Dec)];
    4 s_set_inst_prefetch_distance Control [imm(Hex)];
    5 s_clause Control [imm(Hex)];
    7 s_delay_alu Control [imm(DelayAlu)];
    8 s_waitcnt_depctr Wait [imm(DepCtr)];
    9 s_waitcnt Wait [imm(WaitCnt)];
    10 s_wait_idle Wait [];
    11 s_wait_event Wait [imm(Hex)];
    16 s_trap Msg [imm(Dec)];
    17 s_round_mode Control [imm(Hex)] MODE;
    18 s_denorm_mode Control [imm(Dec)] MODE;
    19 s_singleuse_vdst Control [imm(Hex)] SINGLE_USE;
    31 s_code_end Control [];
    32 s_branch Branch [imm(Branch)] TERMINATOR;
    33 s_cbranch_scc0 Branch [imm(Branch)] TERMINATOR R_SCC;
    34 s_cbranch_scc1 Branch [imm(Branch)] TERMINATOR R_SCC;
    35 s_cbranch_vccz Branch [imm(Branch)] TERMINATOR R_VCC;
    36 s_cbranch_vccnz Branch [imm(Branch)] TERMINATOR R_VCC;
    37 s_cbranch_execz Branch [imm(Branch)] TERMINATOR R_EXEC;
    38 s_cbranch_execnz Branch [imm(Branch)] TERMINATOR R_EXEC;
    39 s_cbranch_cdbgsys Branch [imm(Branch)] TERMINATOR;
    40 s_cbranch_cdbguser Branch [imm(Branch)] TERMINATOR;
    41 s_cbranch_cdbgsys_or_user Branch [imm(Branch)] TERMINATOR;
    42 s_cbranch_cdbgsys_and_user Branch [imm(Branch)] TERMINATOR;
    48 s_endpgm End [imm(Optional)] TERMINATOR;
    49 s_endpgm_saved End [] TERMINATOR;
    52 s_wakeup Control [];
    53 s_setprio Control [imm(Dec)];
    54 s_sendmsg Msg [imm(SendMsg)] R_M0;
    55 s_sendmsghalt Msg [imm(SendMsg)] R_M0;
    56 s_incperflevel Control [imm(Dec)];
    57 s_decperflevel Control [imm(Dec)];
    58 s_ttracedata Control [] R_M0;
    59 s_ttracedata_imm Control [imm(Hex)];
    60 s_icache_inv Control [];
    61 s_barrier Barrier [];
}
