// c = a bt', bf16 in, f32 out; a is m x k, bt is n x k. Sizes are multiples of the tile, so that nothing is masked.
// A tile of 128 x 128 per workgroup, 64 x 32 of it per wave; k in steps of 32, two buffers in LDS, the next step on its way.
typedef short bf16x8 __attribute__((ext_vector_type(8)));
typedef short bf16x16 __attribute__((ext_vector_type(16)));
typedef float f32x8 __attribute__((ext_vector_type(8)));
// Elements of a row in LDS: eight more than the tile's, against bank conflicts.
#define ROW 40

GROUP_OF_256 kernel void gemm(global const short *restrict a, global const short *restrict bt, global float *restrict c,
                              uint n, uint k) {
    local short ta[2][128 * ROW], tb[2][128 * ROW];
    uint lane = LANE, wave = WAVE, row0 = __builtin_amdgcn_workgroup_id_y() * 128, col0 = GROUP * 128;
    uint wr = wave / 4 * 64, wc = wave % 4 * 32;
    // Eight elements of two rows of each tile.
    uint r = ITEM / 4, e = ITEM % 4 * 8;
    global const short *pa = a + (row0 + r) * k + e, *pb = bt + (col0 + r) * k + e;
    uint at = r * ROW + e, next_rows = 64 * k;
    bf16x8 a0 = *(global const bf16x8 *)pa, a1 = *(global const bf16x8 *)(pa + next_rows);
    bf16x8 b0 = *(global const bf16x8 *)pb, b1 = *(global const bf16x8 *)(pb + next_rows);
    f32x8 acc[4][2] = {{0}};
    uint buffer = 0;
    for (uint k0 = 0; k0 < k; k0 += 32) {
        *(local bf16x8 *)&ta[buffer][at] = a0;
        *(local bf16x8 *)&ta[buffer][at + 64 * ROW] = a1;
        *(local bf16x8 *)&tb[buffer][at] = b0;
        *(local bf16x8 *)&tb[buffer][at + 64 * ROW] = b1;
        barrier_of_group();
        if (k0 + 32 < k) {
            pa += 32;
            pb += 32;
            a0 = *(global const bf16x8 *)pa;
            a1 = *(global const bf16x8 *)(pa + next_rows);
            b0 = *(global const bf16x8 *)pb;
            b1 = *(global const bf16x8 *)(pb + next_rows);
        }
        _Pragma("unroll") for (uint kk = 0; kk < 32; kk += 16) {
            bf16x16 fa[4], fb[2];
            _Pragma("unroll") for (uint i = 0; i < 4; i++)
                __builtin_memcpy(&fa[i], &ta[buffer][(wr + 16 * i + lane % 16) * ROW + kk], sizeof(bf16x16));
            _Pragma("unroll") for (uint j = 0; j < 2; j++)
                __builtin_memcpy(&fb[j], &tb[buffer][(wc + 16 * j + lane % 16) * ROW + kk], sizeof(bf16x16));
            _Pragma("unroll") for (uint i = 0; i < 4; i++)
                _Pragma("unroll") for (uint j = 0; j < 2; j++)
                    acc[i][j] = __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(fa[i], fb[j], acc[i][j]);
        }
        buffer ^= 1;
    }
    _Pragma("unroll") for (uint i = 0; i < 4; i++)
        _Pragma("unroll") for (uint j = 0; j < 2; j++)
            _Pragma("unroll") for (uint v = 0; v < 8; v++)
                c[(row0 + wr + 16 * i + 2 * v + lane / 16) * n + col0 + wc + 16 * j + lane % 16] = acc[i][j][v];
}
