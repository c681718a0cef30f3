//! MUBUF: untyped buffers. One line per instruction, see [`super`] for the notation.

use super::{bd, bs, bx, SOFFSET, SRSRC, VADDR};
use crate::isa::row::Ty::*;

rows! {
    /// MUBUF: untyped buffers.
    Mubuf; [R_EXEC];
    16 buffer_load_u8 VmemLoad [bd(B32), VADDR, SRSRC, SOFFSET];
    17 buffer_load_i8 VmemLoad [bd(B32), VADDR, SRSRC, SOFFSET];
    18 buffer_load_u16 VmemLoad [bd(B32), VADDR, SRSRC, SOFFSET];
    19 buffer_load_i16 VmemLoad [bd(B32), VADDR, SRSRC, SOFFSET];
    20 buffer_load_b32 VmemLoad [bd(B32), VADDR, SRSRC, SOFFSET];
    21 buffer_load_b64 VmemLoad [bd(B64), VADDR, SRSRC, SOFFSET];
    22 buffer_load_b96 VmemLoad [bd(B96), VADDR, SRSRC, SOFFSET];
    23 buffer_load_b128 VmemLoad [bd(B128), VADDR, SRSRC, SOFFSET];
    24 buffer_store_b8 VmemStore [bs(B32), VADDR, SRSRC, SOFFSET];
    25 buffer_store_b16 VmemStore [bs(B32), VADDR, SRSRC, SOFFSET];
    26 buffer_store_b32 VmemStore [bs(B32), VADDR, SRSRC, SOFFSET];
    27 buffer_store_b64 VmemStore [bs(B64), VADDR, SRSRC, SOFFSET];
    28 buffer_store_b96 VmemStore [bs(B96), VADDR, SRSRC, SOFFSET];
    29 buffer_store_b128 VmemStore [bs(B128), VADDR, SRSRC, SOFFSET];
    30 buffer_load_d16_u8 VmemLoad [bx(B32), VADDR, SRSRC, SOFFSET] D16;
    31 buffer_load_d16_i8 VmemLoad [bx(B32), VADDR, SRSRC, SOFFSET] D16;
    32 buffer_load_d16_b16 VmemLoad [bx(B32), VADDR, SRSRC, SOFFSET] D16;
    33 buffer_load_d16_hi_u8 VmemLoad [bx(B32), VADDR, SRSRC, SOFFSET] D16;
    34 buffer_load_d16_hi_i8 VmemLoad [bx(B32), VADDR, SRSRC, SOFFSET] D16;
    35 buffer_load_d16_hi_b16 VmemLoad [bx(B32), VADDR, SRSRC, SOFFSET] D16;
    36 buffer_store_d16_hi_b8 VmemStore [bs(B32), VADDR, SRSRC, SOFFSET];
    37 buffer_store_d16_hi_b16 VmemStore [bs(B32), VADDR, SRSRC, SOFFSET];
    43 buffer_gl0_inv VmemInv [] IGNORES_EXEC;
    44 buffer_gl1_inv VmemInv [] IGNORES_EXEC;
    51 buffer_atomic_swap_b32 VmemAtomic [bx(B32), VADDR, SRSRC, SOFFSET];
    52 buffer_atomic_cmpswap_b32 VmemAtomic [bx(B64), VADDR, SRSRC, SOFFSET];
    53 buffer_atomic_add_u32 VmemAtomic [bx(U32), VADDR, SRSRC, SOFFSET];
    54 buffer_atomic_sub_u32 VmemAtomic [bx(U32), VADDR, SRSRC, SOFFSET];
    55 buffer_atomic_csub_u32 VmemAtomic [bx(U32), VADDR, SRSRC, SOFFSET] RTN;
    56 buffer_atomic_min_i32 VmemAtomic [bx(I32), VADDR, SRSRC, SOFFSET];
    57 buffer_atomic_min_u32 VmemAtomic [bx(U32), VADDR, SRSRC, SOFFSET];
    58 buffer_atomic_max_i32 VmemAtomic [bx(I32), VADDR, SRSRC, SOFFSET];
    59 buffer_atomic_max_u32 VmemAtomic [bx(U32), VADDR, SRSRC, SOFFSET];
    60 buffer_atomic_and_b32 VmemAtomic [bx(B32), VADDR, SRSRC, SOFFSET];
    61 buffer_atomic_or_b32 VmemAtomic [bx(B32), VADDR, SRSRC, SOFFSET];
    62 buffer_atomic_xor_b32 VmemAtomic [bx(B32), VADDR, SRSRC, SOFFSET];
    63 buffer_atomic_inc_u32 VmemAtomic [bx(U32), VADDR, SRSRC, SOFFSET];
    64 buffer_atomic_dec_u32 VmemAtomic [bx(U32), VADDR, SRSRC, SOFFSET];
    65 buffer_atomic_swap_b64 VmemAtomic [bx(B64), VADDR, SRSRC, SOFFSET];
    66 buffer_atomic_cmpswap_b64 VmemAtomic [bx(B128), VADDR, SRSRC, SOFFSET];
    67 buffer_atomic_add_u64 VmemAtomic [bx(U64), VADDR, SRSRC, SOFFSET];
    68 buffer_atomic_sub_u64 VmemAtomic [bx(U64), VADDR, SRSRC, SOFFSET];
    69 buffer_atomic_min_i64 VmemAtomic [bx(I64), VADDR, SRSRC, SOFFSET];
    70 buffer_atomic_min_u64 VmemAtomic [bx(U64), VADDR, SRSRC, SOFFSET];
    71 buffer_atomic_max_i64 VmemAtomic [bx(I64), VADDR, SRSRC, SOFFSET];
    72 buffer_atomic_max_u64 VmemAtomic [bx(U64), VADDR, SRSRC, SOFFSET];
    73 buffer_atomic_and_b64 VmemAtomic [bx(B64), VADDR, SRSRC, SOFFSET];
    74 buffer_atomic_or_b64 VmemAtomic [bx(B64), VADDR, SRSRC, SOFFSET];
    75 buffer_atomic_xor_b64 VmemAtomic [bx(B64), VADDR, SRSRC, SOFFSET];
    76 buffer_atomic_inc_u64 VmemAtomic [bx(U64), VADDR, SRSRC, SOFFSET];
    77 buffer_atomic_dec_u64 VmemAtomic [bx(U64), VADDR, SRSRC, SOFFSET];
    80 buffer_atomic_cmpswap_f32 VmemAtomic [bx(B64), VADDR, SRSRC, SOFFSET];
    81 buffer_atomic_min_f32 VmemAtomic [bx(F32), VADDR, SRSRC, SOFFSET];
    82 buffer_atomic_max_f32 VmemAtomic [bx(F32), VADDR, SRSRC, SOFFSET];
    86 buffer_atomic_add_f32 VmemAtomic [bx(F32), VADDR, SRSRC, SOFFSET];
}
