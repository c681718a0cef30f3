// Transposition through an LDS tile whose rows are one element longer than the tile.
#include "peer.h"

#define TRANSPOSE(NAME, T)                                                                        \
    kernel void NAME(global T *y, global const T *x, uint rows, uint cols) {                      \
        local T tile[32][33];                                                                     \
        uint c = GX * 32 + LX;                                                                    \
        for (uint r = LY; r < 32; r += SY)                                                        \
            if (GY * 32 + r < rows && c < cols) tile[r][LX] = x[(GY * 32 + r) * cols + c];        \
        group_barrier();                                                                          \
        uint c2 = GY * 32 + LX;                                                                   \
        for (uint r = LY; r < 32; r += SY)                                                        \
            if (GX * 32 + r < cols && c2 < rows) y[(GX * 32 + r) * rows + c2] = tile[LX][r];      \
    }

TRANSPOSE(transpose_u8, uchar)
TRANSPOSE(transpose_u16, ushort)
TRANSPOSE(transpose_u32, uint)
TRANSPOSE(transpose_u64, ulong)
TRANSPOSE(transpose_u128, uint4)
