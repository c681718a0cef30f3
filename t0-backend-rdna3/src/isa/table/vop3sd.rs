//! VOP3 with a scalar destination beside the vector one. One line per instruction, see [`super`] for the notation.

use super::{v0, v1, v2, vd, MASK_D};
use crate::isa::row::Ty::*;

rows! {
    /// VOP3 with a scalar destination beside the vector one.
    Vop3sd; [R_EXEC];
    764 v_div_scale_f32 Valu [vd(F32), MASK_D, v0(F32), v1(F32), v2(F32)] CLAMP OMOD NO_DPP;
    765 v_div_scale_f64 ValuF64 [vd(F64), MASK_D, v0(F64), v1(F64), v2(F64)] CLAMP OMOD NO_DPP;
    766 v_mad_u64_u32 ValuMul [vd(U64), MASK_D, v0(U32), v1(U32), v2(U64)] COMMUTES CLAMP NO_DPP;
    767 v_mad_i64_i32 ValuMul [vd(I64), MASK_D, v0(I32), v1(I32), v2(I64)] COMMUTES CLAMP NO_DPP;
    768 v_add_co_u32 Valu [vd(U32), MASK_D, v0(U32), v1(U32)] COMMUTES CLAMP;
    769 v_sub_co_u32 Valu [vd(U32), MASK_D, v0(U32), v1(U32)] CLAMP;
    770 v_subrev_co_u32 Valu [vd(U32), MASK_D, v0(U32), v1(U32)] CLAMP;
}
