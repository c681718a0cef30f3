//! Matrix product with WMMA: LDS tiles, two buffers, the next tile in flight while this one is multiplied.

use t0::prelude::*;

/// `c ← a · btᵀ`, bf16 in, f32 out: a is M×K, bt is N×K, c is M×N, any sizes. One BM×BN tile of c per workgroup of eight
/// waves, K in steps of BK.
#[kernel(group = 256)]
pub fn gemm<const BM: usize, const BN: usize, const BK: usize>(
    a: &Mat<bf16>,
    bt: &Mat<bf16>,
    c: &mut Groups<Tile<f32, BM, BN>>,
) {
    for (at, c) in c {
        let mut acc = Acc::<f32, BM, BN>::zero();
        #[pipeline(stages = 2)]
        for k in (0..a.cols()).step_by(BK) {
            let ta = Lds::load(a.tile::<BM, BK>(at.row, k));
            let tb = Lds::load(bt.tile::<BN, BK>(at.col, k));
            #[unroll]
            for kk in (0..BK).step_by(16) {
                for (i, j, d) in acc.frags_mut() {
                    *d = wmma(ta.frag(i, kk), tb.frag(j, kk), *d);
                }
            }
        }
        c.store(acc);
    }
}

/// `c ← a · b`: like [`fn@gemm`], but b is K×N. Its tiles are transposed on their way to LDS.
#[kernel(group = 256)]
pub fn gemm_nn<const BM: usize, const BN: usize, const BK: usize>(
    a: &Mat<bf16>,
    b: &Mat<bf16>,
    c: &mut Groups<Tile<f32, BM, BN>>,
) {
    for (at, c) in c {
        let mut acc = Acc::<f32, BM, BN>::zero();
        #[pipeline(stages = 2)]
        for k in (0..a.cols()).step_by(BK) {
            let ta = Lds::load(a.tile::<BM, BK>(at.row, k));
            let tb = Lds::load(b.tile::<BK, BN>(k, at.col).transposed());
            #[unroll]
            for kk in (0..BK).step_by(16) {
                for (i, j, d) in acc.frags_mut() {
                    *d = wmma(ta.frag(i, kk), tb.frag(j, kk), *d);
                }
            }
        }
        c.store(acc);
    }
}

/// `c ← aᵀ · b`: a is K×M, b is K×N.
#[kernel(group = 256)]
pub fn gemm_tn<const BM: usize, const BN: usize, const BK: usize>(
    a: &Mat<bf16>,
    b: &Mat<bf16>,
    c: &mut Groups<Tile<f32, BM, BN>>,
) {
    for (at, c) in c {
        let mut acc = Acc::<f32, BM, BN>::zero();
        #[pipeline(stages = 2)]
        for k in (0..a.rows()).step_by(BK) {
            let ta = Lds::load(a.tile::<BK, BM>(k, at.row).transposed());
            let tb = Lds::load(b.tile::<BK, BN>(k, at.col).transposed());
            #[unroll]
            for kk in (0..BK).step_by(16) {
                for (i, j, d) in acc.frags_mut() {
                    *d = wmma(ta.frag(i, kk), tb.frag(j, kk), *d);
                }
            }
        }
        c.store(acc);
    }
}
