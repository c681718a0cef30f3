//! LDSDIR: interpolation parameters and LDS broadcast. One line per instruction, see [`super`] for the notation.

use super::{vd, ATTR};
use crate::isa::row::Ty::*;

rows! {
    /// LDSDIR: reads of LDS without an address register.
    Ldsdir; [R_EXEC];
    0 lds_param_load LdsDir [vd(B32), ATTR] R_M0;
    1 lds_direct_load LdsDir [vd(B32)] R_M0;
}
