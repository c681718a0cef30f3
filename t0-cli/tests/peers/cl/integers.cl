// Integer arithmetic that takes the compiler more than one instruction.
#include "peer.h"

#define DIVIDE(NAME, T)                                                                           \
    kernel void NAME(global T *q, global T *r, global const T *a, global const T *b, uint n) {    \
        uint i = gid();                                                                           \
        if (i >= n) return;                                                                       \
        q[i] = a[i] / b[i];                                                                       \
        r[i] = a[i] % b[i];                                                                       \
    }

DIVIDE(divide_u8, uchar)
DIVIDE(divide_i16, short)
DIVIDE(divide_u32, uint)
DIVIDE(divide_i32, int)
DIVIDE(divide_u64, ulong)
DIVIDE(divide_i64, long)

kernel void constants(global uint *y, global ulong *z, global const uint *a, global const ulong *b, uint n) {
    uint i = gid();
    if (i >= n) return;
    y[i] = a[i] / 7 + a[i] % 10 + (uint)((int)a[i] / -13) + (uint)((int)a[i] % 1000);
    z[i] = b[i] / 7 + b[i] % 10 + (ulong)((long)b[i] / -13) + (ulong)((long)b[i] % 1000);
}

kernel void wide(global ulong *y, global const ulong *a, global const ulong *b, uint n) {
    uint i = gid();
    if (i >= n) return;
    ulong p = a[i], q = b[i];
    __int128 w = (__int128)(long)p * (long)q;
    unsigned __int128 u = (unsigned __int128)p * q;
    y[8 * i + 0] = p * q;
    y[8 * i + 1] = (ulong)(w >> 64);
    y[8 * i + 2] = (ulong)(u >> 64);
    y[8 * i + 3] = p << (q & 63);
    y[8 * i + 4] = p >> (q & 63);
    y[8 * i + 5] = (ulong)((long)p >> (q & 63));
    y[8 * i + 6] = p + q + (p + q < p);
    y[8 * i + 7] = (ulong)((long)p < (long)q ? (long)p - (long)q : (long)q - (long)p) ^ (p < q ? p : q);
}

kernel void bits(global uint *y, global const uint *a, global const uint *b, uint n) {
    uint i = gid();
    if (i >= n) return;
    uint p = a[i], q = b[i];
    ulong w = (ulong)p << 32 | q;
    uint o = 16 * i;
    y[o + 0] = p ? __builtin_clz(p) : 32;
    y[o + 1] = p ? __builtin_ctz(p) : 32;
    y[o + 2] = __builtin_popcount(p);
    y[o + 3] = __builtin_bitreverse32(p);
    y[o + 4] = __builtin_bswap32(p);
    y[o + 5] = w ? __builtin_clzl(w) : 64;
    y[o + 6] = w ? __builtin_ctzl(w) : 64;
    y[o + 7] = __builtin_popcountl(w);
    y[o + 8] = __builtin_elementwise_add_sat(p, q);
    y[o + 9] = __builtin_elementwise_sub_sat(p, q);
    y[o + 10] = (uint)__builtin_elementwise_add_sat((int)p, (int)q);
    y[o + 11] = (uint)__builtin_elementwise_sub_sat((int)p, (int)q);
    y[o + 12] = p << (q & 31) | p >> (-q & 31);
    y[o + 13] = p >> (q & 15) & 0x3ff;
    y[o + 14] = (uint)((int)(p << 7) >> 19);
    y[o + 15] = (uint)__builtin_abs((int)p) + (p & ~q) + (~(p ^ q)) + (p > q ? p - q : q - p);
}

// 8- and 16-bit vectors: packed instructions and byte selects.
kernel void narrow(global ushort *y, global uchar *z, global const ushort2 *a, global const ushort2 *b,
                   global const uchar4 *c, uint n) {
    uint i = gid();
    if (i >= n) return;
    ushort2 p = a[i], q = b[i];
    short2 s = __builtin_astype(p, short2), t = __builtin_astype(q, short2);
    ushort2 r[8] = {p + q,
                    p - q,
                    p * q,
                    p << (q & (ushort)15),
                    p >> (q & (ushort)15),
                    __builtin_astype(s >> (t & (short)15), ushort2),
                    __builtin_elementwise_min(p, q) ^ __builtin_astype(__builtin_elementwise_max(s, t), ushort2),
                    __builtin_elementwise_add_sat(p, q) + __builtin_astype(__builtin_elementwise_sub_sat(s, t), ushort2)};
    for (uint k = 0; k < 8; k++) {
        y[16 * i + 2 * k] = r[k].x;
        y[16 * i + 2 * k + 1] = r[k].y;
    }
    uchar4 v = c[i];
    z[4 * i] = v.w + v.x;
    z[4 * i + 1] = v.z * v.y;
    z[4 * i + 2] = v.x >> (v.y & 7);
    z[4 * i + 3] = (uchar)(((uint)v.x + v.y + v.z + v.w) / 4);
}

// Dot products of bytes and half bytes.
kernel void dots(global int *y, global const uint *a, global const uint *b, uint n) {
    uint i = gid();
    if (i >= n) return;
    int p = (int)a[i], q = (int)b[i];
    y[6 * i] = __builtin_amdgcn_sudot4(true, p, true, q, 100, false);
    y[6 * i + 1] = (int)__builtin_amdgcn_udot4(a[i], b[i], 100, false);
    y[6 * i + 2] = __builtin_amdgcn_sudot4(true, p, false, q, 2147480000, true);
    y[6 * i + 3] = __builtin_amdgcn_sudot8(true, p, true, q, 7, false);
    y[6 * i + 4] = (int)__builtin_amdgcn_udot8(a[i], b[i], 7, false);
    y[6 * i + 5] = __builtin_amdgcn_sudot8(false, p, true, q, -2147483000, true);
}
