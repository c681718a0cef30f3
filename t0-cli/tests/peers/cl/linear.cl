// One work-item an element.
#include "peer.h"

kernel void saxpy(global float *y, global const float *x, float a, uint n) {
    uint i = gid();
    if (i < n) y[i] += a * x[i];
}

// Every work-item handles several elements, a grid apart.
kernel void saxpy_strided(global float *y, global const float *x, float a, uint n, uint groups) {
    for (uint i = gid(); i < n; i += groups * SX) y[i] = __builtin_fmaf(a, x[i], y[i]);
}

kernel void fill_bytes(global uchar *y, uint n, uint seed) {
    uint i = gid();
    if (i < n) y[i] = (uchar)(i * 7 + seed);
}

// Loads and stores of every width, and vectors that do not fill a power of two.
kernel void widths(global const char *a, global const ushort *b, global const ulong2 *c, global const float *d3,
                   global long *out, global uint4 *out4, uint n) {
    uint i = gid();
    if (i >= n) return;
    float3 d = (float3)(d3[3 * i], d3[3 * i + 1], d3[3 * i + 2]);
    out[i] = (long)a[i] + (long)b[i] + (long)(c[i].x ^ c[i].y) + (long)(d.x + d.y + d.z);
    out4[i] = (uint4)((uint)a[i], (uint)b[i], (uint)(c[i].x >> 32), (uint)(int)d.z);
}

// Words that are not aligned: the compiler may use one load, the card allows it.
kernel void unaligned(global const uchar *bytes, global uint *w, global ulong *d, uint n) {
    uint i = gid();
    if (i >= n) return;
    uint a;
    ulong b;
    __builtin_memcpy(&a, bytes + 5 * i + 1, 4);
    __builtin_memcpy(&b, bytes + 3 * i + 1, 8);
    w[i] = a;
    d[i] = b;
}

// Halves of registers: two 16-bit loads into one register, stores of the high half.
kernel void halves(global const short *x, global short2 *y, global uchar2 *z, uint n) {
    uint i = gid();
    if (i >= n) return;
    short2 v = (short2)(x[i], x[n - 1 - i]);
    y[i] = v.yx * (short2)(3, -5);
    z[i] = (uchar2)((uchar)(v.x >> 8), (uchar)v.y);
}

struct packet {
    uint n;
    uchar tag;
    ushort scale[3];
    float4 bias;
    ulong big;
};

// A structure by value: arguments that are not words.
kernel void by_value(global float4 *y, struct packet p, uchar first, short second, long third, half h, double d) {
    uint i = gid();
    if (i >= p.n) return;
    y[i] = (float4)((float)p.tag + first, (float)(second * p.scale[i % 3]), (float)(third + (long)p.big), (float)h) +
           p.bias * (float)d;
}

constant uint table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
global uint counter[2] = {5, 7};

// Constants and variables of the program: addresses relative to the code.
kernel void program_scope(global uint *y, uint n) {
    uint i = gid();
    if (i >= n) return;
    y[i] = table[i & 15] * counter[i & 1];
}

// Every index and size in three dimensions.
kernel void grid3(global uint *y, uint wx, uint wy) {
    uint x = GX * SX + LX, yy = GY * SY + LY, z = GZ * SZ + LZ;
    uint i = (z * wy + yy) * wx + x;
    uint packed = LX | LY << 4 | LZ << 8 | GX << 12 | GY << 16 | GZ << 20 | SX << 24 | SY << 27 | SZ << 30;
    y[i] = packed;
}

// Sizes the launch gives in hidden arguments and in the dispatch packet.
kernel void launch_sizes(global uint *y) {
    uint group = __builtin_amdgcn_workgroup_id_y() | __builtin_amdgcn_workgroup_id_z();
    uint item = __builtin_amdgcn_workitem_id_y() | __builtin_amdgcn_workitem_id_z();
    if ((gid() | group | item) != 0) return;
    constant uint *hidden = (constant uint *)__builtin_amdgcn_implicitarg_ptr();
    constant ushort *sizes = (constant ushort *)__builtin_amdgcn_implicitarg_ptr();
    constant uchar *packet = (constant uchar *)__builtin_amdgcn_dispatch_ptr();
    for (uint d = 0; d < 3; d++) {
        y[d] = hidden[d];
        y[3 + d] = sizes[6 + d];
        y[6 + d] = *(constant ushort *)(packet + 4 + 2 * d);
        y[9 + d] = *(constant uint *)(packet + 12 + 4 * d);
    }
    y[12] = sizes[32];
    y[13] = __builtin_amdgcn_grid_size_x();
}
