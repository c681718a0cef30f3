//! MIMG: image loads, stores, atomics, sampling and ray intersection. One line per instruction, see [`super`] for the
//! notation.
//!
//! An address is `addr(extra, gradients, lod)`: `extra` dwords (offset, depth reference, bias), then gradients, then the
//! coordinates of the dimension with a level of detail (or clamp, or mip) behind them when `lod` says so. Source: LLVM 19
//! (`SIInstrInfo`'s MIMG base opcodes, seen through `llvm-mc`).

use super::op;
use crate::isa::row::{Field, Gradients, ImgAddr, ImgData, Kind, OperandSpec, Role, Ty};

rows! {
    /// MIMG: images.
    Mimg; [R_EXEC];
    0 image_load VmemLoad [LOADED, COORDS, RSRC256];
    1 image_load_mip VmemLoad [LOADED, COORDS_LOD, RSRC256];
    2 image_load_pck VmemLoad [LOADED, COORDS, RSRC256] NO_D16;
    3 image_load_pck_sgn VmemLoad [LOADED, COORDS, RSRC256] NO_D16;
    4 image_load_mip_pck VmemLoad [LOADED, COORDS_LOD, RSRC256] NO_D16;
    5 image_load_mip_pck_sgn VmemLoad [LOADED, COORDS_LOD, RSRC256] NO_D16;
    6 image_store VmemStore [STORED, COORDS, RSRC256];
    7 image_store_mip VmemStore [STORED, COORDS_LOD, RSRC256];
    8 image_store_pck VmemStore [STORED, COORDS, RSRC256] NO_D16;
    9 image_store_mip_pck VmemStore [STORED, COORDS_LOD, RSRC256] NO_D16;
    10 image_atomic_swap VmemAtomic [ATOMIC, COORDS, RSRC256] NO_D16;
    11 image_atomic_cmpswap VmemAtomic [CMPSWAP, COORDS, RSRC256] NO_D16;
    12 image_atomic_add VmemAtomic [ATOMIC, COORDS, RSRC256] NO_D16;
    13 image_atomic_sub VmemAtomic [ATOMIC, COORDS, RSRC256] NO_D16;
    14 image_atomic_smin VmemAtomic [ATOMIC, COORDS, RSRC256] NO_D16;
    15 image_atomic_umin VmemAtomic [ATOMIC, COORDS, RSRC256] NO_D16;
    16 image_atomic_smax VmemAtomic [ATOMIC, COORDS, RSRC256] NO_D16;
    17 image_atomic_umax VmemAtomic [ATOMIC, COORDS, RSRC256] NO_D16;
    18 image_atomic_and VmemAtomic [ATOMIC, COORDS, RSRC256] NO_D16;
    19 image_atomic_or VmemAtomic [ATOMIC, COORDS, RSRC256] NO_D16;
    20 image_atomic_xor VmemAtomic [ATOMIC, COORDS, RSRC256] NO_D16;
    21 image_atomic_inc VmemAtomic [ATOMIC, COORDS, RSRC256] NO_D16;
    22 image_atomic_dec VmemAtomic [ATOMIC, COORDS, RSRC256] NO_D16;
    23 image_get_resinfo VmemLoad [LOADED, MIP, RSRC256] NO_D16;
    24 image_msaa_load VmemLoad [MSAA, COORDS, RSRC256];
    25 image_bvh_intersect_ray VmemLoad [RAY, ray(1), RSRC128];
    26 image_bvh64_intersect_ray VmemLoad [RAY, ray(2), RSRC128];
    27 image_sample VmemLoad [LOADED, COORDS, RSRC256, SAMP];
    28 image_sample_d VmemLoad [LOADED, addr(0, Gradients::Full, false), RSRC256, SAMP];
    29 image_sample_l VmemLoad [LOADED, COORDS_LOD, RSRC256, SAMP];
    30 image_sample_b VmemLoad [LOADED, addr(1, Gradients::None, false), RSRC256, SAMP];
    31 image_sample_lz VmemLoad [LOADED, COORDS, RSRC256, SAMP];
    32 image_sample_c VmemLoad [LOADED, addr(1, Gradients::None, false), RSRC256, SAMP];
    33 image_sample_c_d VmemLoad [LOADED, addr(1, Gradients::Full, false), RSRC256, SAMP];
    34 image_sample_c_l VmemLoad [LOADED, addr(1, Gradients::None, true), RSRC256, SAMP];
    35 image_sample_c_b VmemLoad [LOADED, addr(2, Gradients::None, false), RSRC256, SAMP];
    36 image_sample_c_lz VmemLoad [LOADED, addr(1, Gradients::None, false), RSRC256, SAMP];
    37 image_sample_o VmemLoad [LOADED, addr(1, Gradients::None, false), RSRC256, SAMP];
    38 image_sample_d_o VmemLoad [LOADED, addr(1, Gradients::Full, false), RSRC256, SAMP];
    39 image_sample_l_o VmemLoad [LOADED, addr(1, Gradients::None, true), RSRC256, SAMP];
    40 image_sample_b_o VmemLoad [LOADED, addr(2, Gradients::None, false), RSRC256, SAMP];
    41 image_sample_lz_o VmemLoad [LOADED, addr(1, Gradients::None, false), RSRC256, SAMP];
    42 image_sample_c_o VmemLoad [LOADED, addr(2, Gradients::None, false), RSRC256, SAMP];
    43 image_sample_c_d_o VmemLoad [LOADED, addr(2, Gradients::Full, false), RSRC256, SAMP];
    44 image_sample_c_l_o VmemLoad [LOADED, addr(2, Gradients::None, true), RSRC256, SAMP];
    45 image_sample_c_b_o VmemLoad [LOADED, addr(3, Gradients::None, false), RSRC256, SAMP];
    46 image_sample_c_lz_o VmemLoad [LOADED, addr(2, Gradients::None, false), RSRC256, SAMP];
    47 image_gather4 VmemLoad [GATHERED, COORDS, RSRC256, SAMP];
    48 image_gather4_l VmemLoad [GATHERED, COORDS_LOD, RSRC256, SAMP];
    49 image_gather4_b VmemLoad [GATHERED, addr(1, Gradients::None, false), RSRC256, SAMP];
    50 image_gather4_lz VmemLoad [GATHERED, COORDS, RSRC256, SAMP];
    51 image_gather4_c VmemLoad [GATHERED, addr(1, Gradients::None, false), RSRC256, SAMP];
    52 image_gather4_c_lz VmemLoad [GATHERED, addr(1, Gradients::None, false), RSRC256, SAMP];
    53 image_gather4_o VmemLoad [GATHERED, addr(1, Gradients::None, false), RSRC256, SAMP];
    54 image_gather4_lz_o VmemLoad [GATHERED, addr(1, Gradients::None, false), RSRC256, SAMP];
    55 image_gather4_c_lz_o VmemLoad [GATHERED, addr(2, Gradients::None, false), RSRC256, SAMP];
    56 image_get_lod VmemLoad [LOADED, COORDS, RSRC256, SAMP] NO_D16;
    57 image_sample_d_g16 VmemLoad [LOADED, addr(0, Gradients::Half, false), RSRC256, SAMP];
    58 image_sample_c_d_g16 VmemLoad [LOADED, addr(1, Gradients::Half, false), RSRC256, SAMP];
    59 image_sample_d_o_g16 VmemLoad [LOADED, addr(1, Gradients::Half, false), RSRC256, SAMP];
    60 image_sample_c_d_o_g16 VmemLoad [LOADED, addr(2, Gradients::Half, false), RSRC256, SAMP];
    64 image_sample_cl VmemLoad [LOADED, COORDS_LOD, RSRC256, SAMP];
    65 image_sample_d_cl VmemLoad [LOADED, addr(0, Gradients::Full, true), RSRC256, SAMP];
    66 image_sample_b_cl VmemLoad [LOADED, addr(1, Gradients::None, true), RSRC256, SAMP];
    67 image_sample_c_cl VmemLoad [LOADED, addr(1, Gradients::None, true), RSRC256, SAMP];
    68 image_sample_c_d_cl VmemLoad [LOADED, addr(1, Gradients::Full, true), RSRC256, SAMP];
    69 image_sample_c_b_cl VmemLoad [LOADED, addr(2, Gradients::None, true), RSRC256, SAMP];
    70 image_sample_cl_o VmemLoad [LOADED, addr(1, Gradients::None, true), RSRC256, SAMP];
    71 image_sample_d_cl_o VmemLoad [LOADED, addr(1, Gradients::Full, true), RSRC256, SAMP];
    72 image_sample_b_cl_o VmemLoad [LOADED, addr(2, Gradients::None, true), RSRC256, SAMP];
    73 image_sample_c_cl_o VmemLoad [LOADED, addr(2, Gradients::None, true), RSRC256, SAMP];
    74 image_sample_c_d_cl_o VmemLoad [LOADED, addr(2, Gradients::Full, true), RSRC256, SAMP];
    75 image_sample_c_b_cl_o VmemLoad [LOADED, addr(3, Gradients::None, true), RSRC256, SAMP];
    84 image_sample_c_d_cl_g16 VmemLoad [LOADED, addr(1, Gradients::Half, true), RSRC256, SAMP];
    85 image_sample_d_cl_o_g16 VmemLoad [LOADED, addr(1, Gradients::Half, true), RSRC256, SAMP];
    86 image_sample_c_d_cl_o_g16 VmemLoad [LOADED, addr(2, Gradients::Half, true), RSRC256, SAMP];
    95 image_sample_d_cl_g16 VmemLoad [LOADED, addr(0, Gradients::Half, true), RSRC256, SAMP];
    96 image_gather4_cl VmemLoad [GATHERED, COORDS_LOD, RSRC256, SAMP];
    97 image_gather4_b_cl VmemLoad [GATHERED, addr(1, Gradients::None, true), RSRC256, SAMP];
    98 image_gather4_c_cl VmemLoad [GATHERED, addr(1, Gradients::None, true), RSRC256, SAMP];
    99 image_gather4_c_l VmemLoad [GATHERED, addr(1, Gradients::None, true), RSRC256, SAMP];
    100 image_gather4_c_b VmemLoad [GATHERED, addr(2, Gradients::None, false), RSRC256, SAMP];
    101 image_gather4_c_b_cl VmemLoad [GATHERED, addr(2, Gradients::None, true), RSRC256, SAMP];
    144 image_gather4h VmemLoad [GATHERED, COORDS, RSRC256, SAMP];
}

const fn data(role: Role, kind: ImgData) -> OperandSpec {
    op(role, Field::Vdata, Kind::ImgData(kind), Ty::B32)
}
const LOADED: OperandSpec = data(Role::Dst, ImgData::Texel);
const STORED: OperandSpec = data(Role::Src, ImgData::Texel);
const GATHERED: OperandSpec = data(Role::Dst, ImgData::Gather);
const MSAA: OperandSpec = data(Role::Dst, ImgData::Msaa);
const ATOMIC: OperandSpec = data(Role::DstSrc, ImgData::Atomic);
const CMPSWAP: OperandSpec = data(Role::DstSrc, ImgData::CmpSwap);
const RAY: OperandSpec = data(Role::Dst, ImgData::Ray);

const fn address(a: ImgAddr) -> OperandSpec {
    op(Role::Src, Field::Vaddr, Kind::ImgAddr(a), Ty::B32)
}
const fn addr(extra: u32, gradients: Gradients, lod: bool) -> OperandSpec {
    address(ImgAddr::Texel {
        extra,
        gradients,
        coords: true,
        lod,
    })
}
const COORDS: OperandSpec = addr(0, Gradients::None, false);
const COORDS_LOD: OperandSpec = addr(0, Gradients::None, true);
/// A mip level and no coordinates.
const MIP: OperandSpec = address(ImgAddr::Texel {
    extra: 0,
    gradients: Gradients::None,
    coords: false,
    lod: true,
});
/// Ray: node pointer of `node` dwords, extent, origin, direction, inverse direction.
const fn ray(node: u32) -> OperandSpec {
    address(ImgAddr::Ray { node })
}
const RSRC128: OperandSpec = op(Role::Src, Field::Srsrc, Kind::SBase, Ty::B128);
const RSRC256: OperandSpec = op(Role::Src, Field::Srsrc, Kind::SBase, Ty::B256);
const SAMP: OperandSpec = op(Role::Src, Field::Ssamp, Kind::SBase, Ty::B128);
