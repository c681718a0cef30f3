//! VINTERP: parameter interpolation. One line per instruction, see [`super`] for the notation.

use super::{r0, r1, r2, vd};
use crate::isa::row::Ty::*;

rows! {
    /// VINTERP: parameter interpolation.
    Vinterp; [R_EXEC];
    0 v_interp_p10_f32 Valu [vd(F32), r0(F32), r1(F32), r2(F32)] CLAMP;
    1 v_interp_p2_f32 Valu [vd(F32), r0(F32), r1(F32), r2(F32)] CLAMP;
    2 v_interp_p10_f16_f32 Valu [vd(F32), r0(F16), r1(F32), r2(F16)] CLAMP OPSEL;
    3 v_interp_p2_f16_f32 Valu [vd(F16), r0(F16), r1(F32), r2(F32)] CLAMP OPSEL;
    4 v_interp_p10_rtz_f16_f32 Valu [vd(F32), r0(F16), r1(F32), r2(F16)] CLAMP OPSEL;
    5 v_interp_p2_rtz_f16_f32 Valu [vd(F16), r0(F16), r1(F32), r2(F32)] CLAMP OPSEL;
}
