// C = A·B with the matrix instructions: A is m×k, B is k×n, C is m×n, all in rows. A workgroup of four waves makes a
// 32×32 tile of C, a wave a 16×16 one; tiles of A and B go through LDS, elements outside of the matrices are zero.
// Layout of the fragments: RDNA3 ISA manual, 7.9 "Wave Matrix Multiply Accumulate".
#include "peer.h"

#ifdef __AMDGCN_WAVEFRONT_SIZE__
#define WAVE_LANES __AMDGCN_WAVEFRONT_SIZE__
#else
#define WAVE_LANES 32
#endif
#if WAVE_LANES == 64
#define W(NAME) __builtin_amdgcn_wmma_##NAME##_w64
#else
#define W(NAME) __builtin_amdgcn_wmma_##NAME##_w32
#endif
// Elements of C in a lane.
#define ACC (256 / WAVE_LANES)

typedef half half16 __attribute__((ext_vector_type(16)));
typedef short short16v __attribute__((ext_vector_type(16)));
typedef float accf __attribute__((ext_vector_type(ACC)));
typedef int acci __attribute__((ext_vector_type(ACC)));
typedef half acch __attribute__((ext_vector_type(2 * ACC)));
typedef short accb __attribute__((ext_vector_type(2 * ACC)));

// Loads a 32-row tile `D[r][k]` from rows `row..` and columns `col..` of `x`, or of its transposed.
#define LOAD(T, D, X, ROW, COL, ROWS, COLS, STRIDE, TRANSPOSED)                                   \
    for (uint e = LX; e < 32 * 16; e += SX) {                                                     \
        uint r = e / 16, k = e % 16;                                                              \
        uint i = (ROW) + r, j = (COL) + k;                                                        \
        T v = 0;                                                                                  \
        if (i < (ROWS) && j < (COLS)) v = X[TRANSPOSED ? j * (STRIDE) + i : i * (STRIDE) + j];    \
        D[r][k] = v;                                                                              \
    }

// Row of C that element `e` of a lane holds.
#define ROW_OF(e) (WAVE_LANES == 64 ? (e) * 4 + l / 16 : (e) * 2 + l / 16)

#define GEMM(NAME, T, TC, FRAG, ACCT, EACH, MULTIPLY)                                             \
    kernel void NAME(global TC *c, global const T *a, global const T *b, uint m, uint n, uint kk) { \
        local T ta[32][16], tb[32][16];                                                           \
        uint l = LX % WAVE_LANES, w = LX / WAVE_LANES;                                            \
        uint wr = w / 2 * 16, wc = w % 2 * 16;                                                    \
        ACCT acc = 0;                                                                             \
        for (uint k0 = 0; k0 < kk; k0 += 16) {                                                    \
            LOAD(T, ta, a, GY * 32, k0, m, kk, kk, 0)                                             \
            LOAD(T, tb, b, GX * 32, k0, n, kk, n, 1)                                              \
            group_barrier();                                                                      \
            FRAG fa, fb;                                                                          \
            __builtin_memcpy(&fa, &ta[wr + l % 16][0], sizeof(FRAG));                             \
            __builtin_memcpy(&fb, &tb[wc + l % 16][0], sizeof(FRAG));                             \
            acc = MULTIPLY;                                                                       \
            group_barrier();                                                                      \
        }                                                                                         \
        uint col = GX * 32 + wc + l % 16;                                                         \
        for (uint e = 0; e < ACC; e++) {                                                          \
            uint row = GY * 32 + wr + ROW_OF(e);                                                  \
            if (row < m && col < n) c[row * n + col] = EACH;                                      \
        }                                                                                         \
    }

GEMM(gemm_f16, half, float, half16, accf, acc[e], W(f32_16x16x16_f16)(fa, fb, acc))
GEMM(gemm_bf16, short, float, short16v, accf, acc[e], W(f32_16x16x16_bf16)(fa, fb, acc))
GEMM(gemm_u8, uchar, int, int4, acci, acc[e], W(i32_16x16x16_iu8)(false, fa, false, fb, acc, false))
GEMM(gemm_i8, uchar, int, int4, acci, acc[e], W(i32_16x16x16_iu8)(true, fa, true, fb, acc, false))
// Signed times unsigned, the sum kept within an int.
GEMM(gemm_iu8, uchar, int, int4, acci, acc[e], W(i32_16x16x16_iu8)(true, fa, false, fb, acc, true))
// Results in the low halves.
GEMM(gemm_f16_f16, half, half, half16, acch, acc[2 * e], W(f16_16x16x16_f16)(fa, fb, acc, false))
// Results in the high halves.
GEMM(gemm_bf16_bf16, short, short, short16v, accb, acc[2 * e + 1], W(bf16_16x16x16_bf16)(fa, fb, acc, true))

// Products of 4-bit numbers, eight to a word: `a` holds m rows of k/2 bytes, `b` n rows.
kernel void gemm_i4(global int *c, global const uint2 *a, global const uint2 *b, uint n) {
    uint l = LX;
    uint2 ra = a[GY * 16 + l % 16], rb = b[GX * 16 + l % 16];
    acci acc = 0;
    int2 fa = (int2)(ra.x, ra.y), fb = (int2)(rb.x, rb.y);
    acc = W(i32_16x16x16_iu4)(true, fa, true, fb, acc, false);
    for (uint e = 0; e < ACC; e++) c[(GY * 16 + ROW_OF(e)) * n + GX * 16 + l % 16] = acc[e];
}
