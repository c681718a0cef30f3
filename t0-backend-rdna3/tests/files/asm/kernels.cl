// Kernels of many kinds, for comparing the assembler and the disassembler with LLVM's on what clang makes of them.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define LANE __builtin_amdgcn_workitem_id_x()
#define ID (__builtin_amdgcn_workgroup_id_x() * 64 + LANE)

__constant float table[4] = {1, 2, 3, 4};

__attribute__((noinline)) static float helper(float a, float b) { return a * b + 3.0f; }

kernel void saxpy(global float *y, global const float *x, float a, int n) {
    int i = ID;
    if (i < n) y[i] = helper(a, x[i]) + table[i & 3];
}
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void reverse(global float *y) {
    local float t[64];
    t[LANE] = y[LANE];
    __builtin_amdgcn_s_barrier();
    y[LANE] = t[63 - LANE];
}
kernel void sum(global float *y, global const float4 *x, int n) {
    float s = 0;
    for (int i = LANE; i < n; i += 64) s += x[i].x * x[i].y + x[i].z - x[i].w;
    y[ID] = s;
}
kernel void divide(global int *y, global const int *x, global ulong *z) {
    y[ID] = x[ID] / x[ID + 1];
    z[ID] = z[ID] % (ulong)(x[ID] | 1);
}
kernel void doubles(global double *y, global const double *x) { y[ID] = x[ID] * x[ID] + 1.5 / x[ID]; }
kernel void halves(global half2 *y, global const half2 *x, global half *z) {
    y[ID] = x[ID] * x[ID] + y[ID];
    z[ID] = z[ID] + (half)0.1f;
}
kernel void private_array(global int *y, int k) {
    int t[32];
    for (int i = 0; i < 32; i++) t[i] = y[i] ^ i;
    y[ID] = t[k & 31];
}
kernel void atomics(global int *y, local int *l) {
    __atomic_fetch_add(&y[LANE & 3], 1, __ATOMIC_RELAXED);
    __atomic_fetch_max(&l[0], y[4], __ATOMIC_SEQ_CST);
    y[5] = l[0];
}
kernel void switches(global int *y, int n) {
    int v = y[ID];
    switch (n) {
    case 0: v *= 3; break;
    case 1: v += 5; break;
    case 2: v = v << (n + 2); break;
    case 7: while (v > 3) v = v / 2 - 1; break;
    default: v = ~v;
    }
    y[ID] = v;
}
kernel void bytes(global uchar *y, global const ushort *x) { y[ID] = (uchar)(x[ID] >> 3) + y[ID + 1]; }
kernel void many(global float *y, global const float *x) {
    float a[24];
    for (int i = 0; i < 24; i++) a[i] = x[i * 64 + LANE];
    for (int j = 0; j < 24; j++)
        for (int i = 0; i < 24; i++) a[i] += a[j] * x[i];
    for (int i = 0; i < 24; i++) y[i * 64 + LANE] = a[i];
}
kernel void lanes(global uint *y) {
    uint v = y[ID];
    y[ID] = __builtin_amdgcn_readfirstlane(v) + __builtin_amdgcn_ds_bpermute(LANE * 4 ^ 4, v);
}

static void append(constant const char *s, global char *o) {
    while (*s) *o++ = *s++;
}
kernel void strings(global char *o, global float *f, int i, int n) {
    append("hello, world\n", o);
    append("value %d of %f\n", o + 20);
    append("hello, world\n", o + 40);
    append("", o + 60);
    f[i] = table[n & 3];
    char bytes[16] = "sixteen bytes ok";
    constant char *names[2] = {"one", "two"};
    o[61] = bytes[n & 15];
    o[62] = names[n & 1][1];
}
