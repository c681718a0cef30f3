// Private memory: arrays indexed by values known only at run time, spills, addresses handed on.
#include "peer.h"

// Sorts 24 numbers a work-item by insertion.
kernel void sort24(global uint *x, uint n) {
    uint i = gid();
    if (i >= n) return;
    uint a[24];
    for (uint k = 0; k < 24; k++) a[k] = x[i * 24 + k];
#pragma nounroll
    for (uint k = 1; k < 24; k++) {
        uint v = a[k];
        uint j = k;
        while (j > 0 && a[j - 1] > v) {
            a[j] = a[j - 1];
            j--;
        }
        a[j] = v;
    }
    for (uint k = 0; k < 24; k++) x[i * 24 + k] = a[k];
}

// Elements of every width, permuted through private memory.
kernel void permute(global ulong *y, global const uint *key, uint n) {
    uint i = gid();
    if (i >= n) return;
    uchar b[20];
    ushort h[20];
    ulong d[20];
    short sh[20];
    char sb[20];
    for (uint k = 0; k < 20; k++) {
        b[k] = (uchar)(i + 31 * k);
        h[k] = (ushort)(i * 77 + 1001 * k);
        d[k] = (ulong)i << 33 | k * 0x10001ul;
        sh[k] = (short)(i * 313 - 5000 * k);
        sb[k] = (char)(i * 3 - 17 * k);
    }
    uint j = key[i] % 20;
    for (uint k = 0; k < 9; k++) {
        uint t = (j * 7 + 3) % 20;
        uchar tb = b[j]; b[j] = b[t]; b[t] = tb;
        ushort th = h[j]; h[j] = h[t]; h[t] = th;
        ulong td = d[j]; d[j] = d[t]; d[t] = td;
        sh[j] += sh[t];
        sb[j] -= sb[t];
        j = t;
    }
    ulong sum = 0;
    for (uint k = 0; k < 20; k++) sum = sum * 31 + b[k] + h[k] + d[k] + (ulong)(long)sh[k] + (ulong)(long)sb[k];
    y[i] = sum;
}

// Wide vectors in private memory.
kernel void vectors(global uint4 *y, global const uint *key, uint n) {
    uint i = gid();
    if (i >= n) return;
    uint4 v[12];
    uint2 u[12];
    for (uint k = 0; k < 12; k++) {
        v[k] = (uint4)(i, k, i * k, i ^ k);
        u[k] = (uint2)(i + k, i - k);
    }
    uint a = key[i] % 12, b = key[i] / 12 % 12;
    uint4 t = v[a];
    v[a] = v[b] + (uint4)(u[b], u[a]);
    v[b] = t;
    uint4 sum = 0;
    for (uint k = 0; k < 12; k++) sum = sum * 5 + v[k];
    y[i] = sum;
}

struct node {
    uint value;
    uint next;
};

// A linked list in private memory.
kernel void list(global uint *y, global const uint *order, uint n) {
    uint i = gid();
    if (i >= n) return;
    struct node nodes[17];
    uint head = 16;
    nodes[16].value = i;
    nodes[16].next = 99;
    for (uint k = 0; k < 16; k++) {
        uint at = (order[i] >> (k % 8) * 4 & 15) ^ k & 8;
        nodes[k].value = at * 3 + k;
        nodes[k].next = head;
        head = k;
    }
    uint sum = 0, steps = 0;
    while (head != 99 && steps < 100) {
        sum = sum * 7 + nodes[head].value;
        head = nodes[head].next;
        steps++;
    }
    y[i] = sum + steps;
}

// More values alive than registers: with a bound of waves the compiler must spill.
__attribute__((amdgpu_num_vgpr(32))) kernel void spills(global float *y, global const float *x, uint n) {
    uint i = gid();
    if (i >= n) return;
    float v[48];
#pragma unroll
    for (uint k = 0; k < 48; k++) v[k] = x[(i + k) % n] * (float)(k + 1);
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
    float sum = 0;
#pragma unroll
    for (uint k = 0; k < 48; k++) sum = sum * 0.5f + v[47 - k] + v[(k * 5) % 48];
    y[i] = sum;
}

// One pointer to private, local or global memory: known only at run time.
kernel void any_space(global uint *y, global uint *x, uint n) {
    local uint s[256];
    uint p[4] = {gid(), 2, 3, 4};
    s[LX] = LX * 3;
    group_barrier();
    uint i = gid();
    if (i < n) {
        uint *q = i % 3 == 0 ? (uint *)&p[i & 3] : i % 3 == 1 ? (uint *)&s[(LX + 5) % SX] : (uint *)&x[i];
        uint before = *q;
        if (i % 3 != 1) *q = before * 2 + 1;
        y[i] = before + (i % 3 == 0 ? p[0] + p[1] + p[2] + p[3] : i % 3 == 1 ? 0 : x[i]);
    }
}

// Atomics through a pointer to either space.
kernel void any_space_atomic(global uint *y, global uint *sums, uint n) {
    local uint s;
    if (LX == 0) s = 0;
    group_barrier();
    uint i = gid();
    if (i < n) {
        uint *q = i % 2 ? &s : (uint *)&sums[0];
        __opencl_atomic_fetch_add((atomic_uint *)q, i, memory_order_relaxed, memory_scope_device);
    }
    group_barrier();
    if (LX == 0) y[GX] = s;
}
