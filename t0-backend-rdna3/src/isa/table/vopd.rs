//! VOPD: two vector instructions issued as one. One line per half, see [`super`] for the notation.
//!
//! Fields of the halves sit in different places and the second half knows three more operations, so each half is a
//! family of its own; one machine instruction is a [`Vopdx`] with a [`Vopdy`]. The select reads VCC without naming it.

pub use x::Vopdx;
pub use y::Vopdy;

mod x {
    use super::super::{lit, r1, v0, vd, vds};
    use crate::isa::row::Ty::*;

    rows! {
        /// First half of a dual-issue pair.
        Vopdx; [R_EXEC];
        0 v_dual_fmac_f32 Valu [vds(F32), v0(F32), r1(F32)] NO_E64 NO_DPP;
        1 v_dual_fmaak_f32 Valu [vd(F32), v0(F32), r1(F32), lit(F32)] NO_E64 NO_DPP;
        2 v_dual_fmamk_f32 Valu [vd(F32), v0(F32), lit(F32), r1(F32)] NO_E64 NO_DPP;
        3 v_dual_mul_f32 Valu [vd(F32), v0(F32), r1(F32)] NO_E64 NO_DPP;
        4 v_dual_add_f32 Valu [vd(F32), v0(F32), r1(F32)] NO_E64 NO_DPP;
        5 v_dual_sub_f32 Valu [vd(F32), v0(F32), r1(F32)] NO_E64 NO_DPP;
        6 v_dual_subrev_f32 Valu [vd(F32), v0(F32), r1(F32)] NO_E64 NO_DPP;
        7 v_dual_mul_dx9_zero_f32 Valu [vd(F32), v0(F32), r1(F32)] NO_E64 NO_DPP;
        8 v_dual_mov_b32 Valu [vd(B32), v0(B32)] NO_E64 NO_DPP;
        9 v_dual_cndmask_b32 Valu [vd(B32), v0(B32), r1(B32)] NO_E64 NO_DPP R_VCC;
        10 v_dual_max_f32 Valu [vd(F32), v0(F32), r1(F32)] NO_E64 NO_DPP;
        11 v_dual_min_f32 Valu [vd(F32), v0(F32), r1(F32)] NO_E64 NO_DPP;
        12 v_dual_dot2acc_f32_f16 Valu [vds(F32), v0(PkF16), r1(PkF16)] NO_E64 NO_DPP;
    }
}

mod y {
    use super::super::{lit, y0, y1, yd, yds};
    use crate::isa::row::Ty::*;

    rows! {
        /// Second half of a dual-issue pair.
        Vopdy; [R_EXEC];
        0 v_dual_fmac_f32 Valu [yds(F32), y0(F32), y1(F32)] NO_E64 NO_DPP;
        1 v_dual_fmaak_f32 Valu [yd(F32), y0(F32), y1(F32), lit(F32)] NO_E64 NO_DPP;
        2 v_dual_fmamk_f32 Valu [yd(F32), y0(F32), lit(F32), y1(F32)] NO_E64 NO_DPP;
        3 v_dual_mul_f32 Valu [yd(F32), y0(F32), y1(F32)] NO_E64 NO_DPP;
        4 v_dual_add_f32 Valu [yd(F32), y0(F32), y1(F32)] NO_E64 NO_DPP;
        5 v_dual_sub_f32 Valu [yd(F32), y0(F32), y1(F32)] NO_E64 NO_DPP;
        6 v_dual_subrev_f32 Valu [yd(F32), y0(F32), y1(F32)] NO_E64 NO_DPP;
        7 v_dual_mul_dx9_zero_f32 Valu [yd(F32), y0(F32), y1(F32)] NO_E64 NO_DPP;
        8 v_dual_mov_b32 Valu [yd(B32), y0(B32)] NO_E64 NO_DPP;
        9 v_dual_cndmask_b32 Valu [yd(B32), y0(B32), y1(B32)] NO_E64 NO_DPP R_VCC;
        10 v_dual_max_f32 Valu [yd(F32), y0(F32), y1(F32)] NO_E64 NO_DPP;
        11 v_dual_min_f32 Valu [yd(F32), y0(F32), y1(F32)] NO_E64 NO_DPP;
        12 v_dual_dot2acc_f32_f16 Valu [yds(F32), y0(PkF16), y1(PkF16)] NO_E64 NO_DPP;
        16 v_dual_add_nc_u32 Valu [yd(U32), y0(U32), y1(U32)] NO_E64 NO_DPP;
        17 v_dual_lshlrev_b32 Valu [yd(U32), y0(U32), y1(U32)] NO_E64 NO_DPP;
        18 v_dual_and_b32 Valu [yd(U32), y0(U32), y1(U32)] NO_E64 NO_DPP;
    }
}
