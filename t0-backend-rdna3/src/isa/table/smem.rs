//! SMEM: scalar memory. One line per instruction, see [`super`] for the notation.

use super::{perm, sbase, sdata, SOFF};
use crate::isa::row::Ty::*;

rows! {
    /// SMEM: scalar memory.
    Smem; [];
    0 s_load_b32 Smem [sdata(B32), sbase(B64), SOFF];
    1 s_load_b64 Smem [sdata(B64), sbase(B64), SOFF];
    2 s_load_b128 Smem [sdata(B128), sbase(B64), SOFF];
    3 s_load_b256 Smem [sdata(B256), sbase(B64), SOFF];
    4 s_load_b512 Smem [sdata(B512), sbase(B64), SOFF];
    8 s_buffer_load_b32 Smem [sdata(B32), sbase(B128), SOFF];
    9 s_buffer_load_b64 Smem [sdata(B64), sbase(B128), SOFF];
    10 s_buffer_load_b128 Smem [sdata(B128), sbase(B128), SOFF];
    11 s_buffer_load_b256 Smem [sdata(B256), sbase(B128), SOFF];
    12 s_buffer_load_b512 Smem [sdata(B512), sbase(B128), SOFF];
    32 s_gl1_inv SmemInv [];
    33 s_dcache_inv SmemInv [];
    34 s_atc_probe Smem [perm(), sbase(B64), SOFF];
    35 s_atc_probe_buffer Smem [perm(), sbase(B128), SOFF];
}
