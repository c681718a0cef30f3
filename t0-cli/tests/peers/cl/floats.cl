// Floating-point arithmetic: exact operations, sequences the compiler builds (division, square root), approximations.
#include "peer.h"

kernel void exact32(global float *y, global int *z, global const float *a, global const float *b, uint n) {
    uint i = gid();
    if (i >= n) return;
    float p = a[i], q = b[i];
    uint o = 16 * i;
    y[o + 0] = p + q;
    y[o + 1] = p - q;
    y[o + 2] = p * q;
    y[o + 3] = __builtin_fmaf(p, q, -p);
    y[o + 4] = p / q;
    y[o + 5] = __builtin_sqrtf(p);
    y[o + 6] = __builtin_floorf(p);
    y[o + 7] = __builtin_ceilf(p);
    y[o + 8] = __builtin_truncf(p);
    y[o + 9] = __builtin_rintf(p);
    y[o + 10] = __builtin_fminf(p, q);
    y[o + 11] = __builtin_fmaxf(p, q);
    y[o + 12] = __builtin_copysignf(p, q) + __builtin_fabsf(q);
    y[o + 13] = __builtin_ldexpf(p, (int)(i % 64) - 32);
    y[o + 14] = (float)(half)p;
    y[o + 15] = 1.0f / q;
    z[4 * i] = (p < q) | (p <= q) << 1 | (p == q) << 2 | (p != q) << 3 | (p > q) << 4 | (p >= q) << 5 |
               __builtin_isunordered(p, q) << 6 | __builtin_islessgreater(p, q) << 7;
    z[4 * i + 1] = __builtin_isinf(p) | __builtin_isnan(p) << 1 | __builtin_isnormal(p) << 2 | __builtin_isfinite(p) << 3 |
                   !!__builtin_signbit(p) << 4;
    z[4 * i + 2] = (int)(uint)__builtin_fminf(__builtin_fmaxf(p, 0.0f), 4294967040.0f);
    z[4 * i + 3] = (int)__builtin_fminf(__builtin_fmaxf(p, -2147483648.0f), 2147483520.0f);
}

kernel void exact64(global double *y, global int *z, global const double *a, global const double *b, uint n) {
    uint i = gid();
    if (i >= n) return;
    double p = a[i], q = b[i];
    uint o = 16 * i;
    y[o + 0] = p + q;
    y[o + 1] = p - q;
    y[o + 2] = p * q;
    y[o + 3] = __builtin_fma(p, q, -p);
    y[o + 4] = p / q;
    y[o + 5] = __builtin_sqrt(p);
    y[o + 6] = __builtin_floor(p);
    y[o + 7] = __builtin_ceil(p);
    y[o + 8] = __builtin_trunc(p);
    y[o + 9] = __builtin_rint(p);
    y[o + 10] = __builtin_fmin(p, q);
    y[o + 11] = __builtin_fmax(p, q);
    y[o + 12] = __builtin_copysign(p, q) + __builtin_fabs(q);
    y[o + 13] = __builtin_ldexp(p, (int)(i % 64) - 32);
    y[o + 14] = (double)(float)p;
    y[o + 15] = 1.0 / q;
    z[4 * i] = (p < q) | (p <= q) << 1 | (p == q) << 2 | (p != q) << 3 | (p > q) << 4 | (p >= q) << 5 |
               __builtin_isunordered(p, q) << 6 | __builtin_islessgreater(p, q) << 7;
    z[4 * i + 1] = __builtin_isinf(p) | __builtin_isnan(p) << 1 | __builtin_isnormal(p) << 2 | __builtin_isfinite(p) << 3 |
                   !!__builtin_signbit(p) << 4;
    z[4 * i + 2] = (int)__builtin_fmin(__builtin_fmax(p, -2147483648.0), 2147483647.0);
    z[4 * i + 3] = (int)(uint)__builtin_fmin(__builtin_fmax(p, 0.0), 4294967295.0);
}

kernel void exact16(global half *y, global int *z, global const half *a, global const half *b, uint n) {
    uint i = gid();
    if (i >= n) return;
    half p = a[i], q = b[i];
    uint o = 12 * i;
    y[o + 0] = p + q;
    y[o + 1] = p - q;
    y[o + 2] = p * q;
    y[o + 3] = __builtin_fmaf16(p, q, -p);
    y[o + 4] = p / q;
    y[o + 5] = __builtin_sqrtf16(p);
    y[o + 6] = __builtin_floorf16(p);
    y[o + 7] = __builtin_ceilf16(p);
    y[o + 8] = __builtin_rintf16(p);
    y[o + 9] = __builtin_fminf16(p, q);
    y[o + 10] = __builtin_fmaxf16(p, q);
    y[o + 11] = __builtin_truncf16(p) + __builtin_fabsf16(q);
    z[i] = (p < q) | (p <= q) << 1 | (p == q) << 2 | (p != q) << 3 | (p > q) << 4 | (p >= q) << 5 |
           (int)(short)(p == p && __builtin_fabsf16(p) < 30000 ? p : 0) << 8;
}

// Packed halves.
kernel void packed16(global half2 *y, global const half2 *a, global const half2 *b, global const half2 *c, uint n) {
    uint i = gid();
    if (i >= n) return;
    half2 p = a[i], q = b[i], r = c[i];
    y[6 * i + 0] = p + q;
    y[6 * i + 1] = p * q;
    y[6 * i + 2] = __builtin_elementwise_fma(p, q, r);
    y[6 * i + 3] = __builtin_elementwise_fma((half2)(p.y, p.x), -q, (half2)(r.x, r.x));
    y[6 * i + 4] = __builtin_elementwise_max(__builtin_elementwise_min(p, q), r);
    y[6 * i + 5] = -p * q.yx - r;
}

// Sums of products in f32.
kernel void mixed16(global float *y, global const half2 *a, global const half2 *b, global const float *c, uint n) {
    uint i = gid();
    if (i >= n) return;
    half2 p = a[i], q = b[i];
    y[4 * i] = __builtin_fmaf((float)p.x, (float)q.y, c[i]);
    y[4 * i + 1] = (float)(half)__builtin_fmaf((float)p.y, c[i], (float)q.x);
    y[4 * i + 2] = __builtin_amdgcn_fdot2(p, q, c[i], false);
    y[4 * i + 3] = (float)p.x * (float)q.x + (float)p.y * (float)q.y;
}

kernel void conversions(global ulong *y, global double *d, global float *f, global const double *a, global const ulong *b,
                        uint n) {
    uint i = gid();
    if (i >= n) return;
    double p = a[i];
    // Within range of the target: beyond it is undefined in C.
    y[6 * i + 0] = (ulong)(long)p;
    y[6 * i + 1] = (ulong)__builtin_fabs(p);
    y[6 * i + 2] = (ulong)(int)(p / 4294967296.0);
    y[6 * i + 3] = (uint)__builtin_fabs(p / 4294967296.0);
    y[6 * i + 4] = (ulong)(long)(float)p;
    y[6 * i + 5] = (ulong)(float)__builtin_fabs(p);
    ulong q = b[i];
    d[4 * i + 0] = (double)q;
    d[4 * i + 1] = (double)(long)q;
    d[4 * i + 2] = (double)(uint)q;
    d[4 * i + 3] = (double)(int)q;
    f[8 * i + 0] = (float)q;
    f[8 * i + 1] = (float)(long)q;
    f[8 * i + 2] = (float)(uint)q;
    f[8 * i + 3] = (float)(int)q;
    f[8 * i + 4] = (float)(uchar)(q >> 8);
    f[8 * i + 5] = (float)(short)(q >> 16);
    f[8 * i + 6] = (float)(half)(short)q;
    f[8 * i + 7] = (float)(half)(ushort)(q >> 20);
}

// Approximations of the hardware with the compiler's scaling around them.
kernel void approximate(global float *y, global const float *a, uint n) {
    uint i = gid();
    if (i >= n) return;
    float p = a[i];
    uint o = 10 * i;
    y[o + 0] = __builtin_exp2f(p);
    y[o + 1] = __builtin_expf(p);
    y[o + 2] = __builtin_log2f(__builtin_fabsf(p));
    y[o + 3] = __builtin_logf(__builtin_fabsf(p));
    y[o + 4] = __builtin_log10f(__builtin_fabsf(p));
    y[o + 5] = __builtin_sinf(p);
    y[o + 6] = __builtin_cosf(p);
    y[o + 7] = __builtin_amdgcn_rcpf(p);
    y[o + 8] = __builtin_amdgcn_rsqf(__builtin_fabsf(p));
    y[o + 9] = __builtin_amdgcn_fractf(p);
}

kernel void approximate16(global half *y, global const half *a, uint n) {
    uint i = gid();
    if (i >= n) return;
    half p = a[i];
    y[5 * i] = __builtin_exp2f16(p);
    y[5 * i + 1] = __builtin_expf16(p);
    y[5 * i + 2] = __builtin_log2f16(__builtin_fabsf16(p));
    y[5 * i + 3] = __builtin_sinf16(p);
    y[5 * i + 4] = __builtin_cosf16(p);
}

// Classes, exponents, three-way operations.
kernel void parts(global float *y, global int *z, global const float *a, global const float *b, global const double *c,
                  uint n) {
    uint i = gid();
    if (i >= n) return;
    float p = a[i], q = b[i];
    double d = c[i];
    y[4 * i] = __builtin_amdgcn_frexp_mantf(p);
    y[4 * i + 1] = __builtin_amdgcn_fmed3f(p, q, 1.0f);
    y[4 * i + 2] = __builtin_fmaxf(__builtin_fmaxf(p, q), (float)i);
    y[4 * i + 3] = (float)__builtin_amdgcn_frexp_mant(d);
    z[4 * i] = __builtin_amdgcn_frexp_expf(p);
    z[4 * i + 1] = __builtin_amdgcn_frexp_exp(d);
    z[4 * i + 2] = __builtin_amdgcn_classf(p, 0x264) | __builtin_amdgcn_class(d, 0x198) << 1;
    z[4 * i + 3] = (int)__builtin_amdgcn_perm(__builtin_astype(p, uint), __builtin_astype(q, uint), 0x0c050a01);
}
