//! MTBUF: typed buffers, the format named by the instruction. One line per instruction, see [`super`] for the notation.
//!
//! UNVERIFIED(hw): loads of one or three 16-bit components keep the other half of their last register.

use super::{bd, bs, bx, SOFFSET, SRSRC, VADDR};
use crate::isa::row::Ty::*;

rows! {
    /// MTBUF: typed buffers.
    Mtbuf; [R_EXEC];
    0 tbuffer_load_format_x VmemLoad [bd(B32), VADDR, SRSRC, SOFFSET];
    1 tbuffer_load_format_xy VmemLoad [bd(B64), VADDR, SRSRC, SOFFSET];
    2 tbuffer_load_format_xyz VmemLoad [bd(B96), VADDR, SRSRC, SOFFSET];
    3 tbuffer_load_format_xyzw VmemLoad [bd(B128), VADDR, SRSRC, SOFFSET];
    4 tbuffer_store_format_x VmemStore [bs(B32), VADDR, SRSRC, SOFFSET];
    5 tbuffer_store_format_xy VmemStore [bs(B64), VADDR, SRSRC, SOFFSET];
    6 tbuffer_store_format_xyz VmemStore [bs(B96), VADDR, SRSRC, SOFFSET];
    7 tbuffer_store_format_xyzw VmemStore [bs(B128), VADDR, SRSRC, SOFFSET];
    8 tbuffer_load_d16_format_x VmemLoad [bx(B32), VADDR, SRSRC, SOFFSET] D16;
    9 tbuffer_load_d16_format_xy VmemLoad [bd(B32), VADDR, SRSRC, SOFFSET];
    10 tbuffer_load_d16_format_xyz VmemLoad [bx(B64), VADDR, SRSRC, SOFFSET] D16;
    11 tbuffer_load_d16_format_xyzw VmemLoad [bd(B64), VADDR, SRSRC, SOFFSET];
    12 tbuffer_store_d16_format_x VmemStore [bs(B32), VADDR, SRSRC, SOFFSET];
    13 tbuffer_store_d16_format_xy VmemStore [bs(B32), VADDR, SRSRC, SOFFSET];
    14 tbuffer_store_d16_format_xyz VmemStore [bs(B64), VADDR, SRSRC, SOFFSET];
    15 tbuffer_store_d16_format_xyzw VmemStore [bs(B64), VADDR, SRSRC, SOFFSET];
}
