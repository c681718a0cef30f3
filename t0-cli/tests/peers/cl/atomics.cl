// Atomic operations on global memory and LDS, of every width, and what is built from them.
#include "peer.h"

#define RELAXED memory_order_relaxed, memory_scope_device
#define GROUP memory_order_relaxed, memory_scope_work_group

// Counts of bytes, gathered in LDS first.
kernel void histogram(global atomic_uint *bins, global const uchar *x, uint n) {
    local atomic_uint s[256];
    for (uint i = LX; i < 256; i += SX) __opencl_atomic_store(&s[i], 0, GROUP);
    group_barrier();
    for (uint i = gid(); i < n; i += 4 * SX) __opencl_atomic_fetch_add(&s[x[i]], 1, GROUP);
    group_barrier();
    for (uint i = LX; i < 256; i += SX) {
        uint v = __opencl_atomic_load(&s[i], GROUP);
        if (v) __opencl_atomic_fetch_add(&bins[i], v, RELAXED);
    }
}

// Every integer operation of 32 bits without a result.
kernel void integers32(global atomic_uint *u, global atomic_int *s, global const uint *x, uint n) {
    uint i = gid();
    if (i >= n) return;
    uint v = x[i];
    __opencl_atomic_fetch_add(&u[0], v, RELAXED);
    __opencl_atomic_fetch_sub(&u[1], v, RELAXED);
    __opencl_atomic_fetch_and(&u[2], v | 0x0f0f0f0f, RELAXED);
    __opencl_atomic_fetch_or(&u[3], v & 0x01010101 << (i & 7), RELAXED);
    __opencl_atomic_fetch_xor(&u[4], v, RELAXED);
    __opencl_atomic_fetch_min(&u[5], v, RELAXED);
    __opencl_atomic_fetch_max(&u[6], v, RELAXED);
    __opencl_atomic_fetch_min(&s[0], (int)v, RELAXED);
    __opencl_atomic_fetch_max(&s[1], (int)v, RELAXED);
}

// The same of 64 bits.
kernel void integers64(global atomic_ulong *u, global atomic_long *s, global const ulong *x, uint n) {
    uint i = gid();
    if (i >= n) return;
    ulong v = x[i];
    __opencl_atomic_fetch_add(&u[0], v, RELAXED);
    __opencl_atomic_fetch_sub(&u[1], v, RELAXED);
    __opencl_atomic_fetch_and(&u[2], v | 0x0f0f0f0f0f0f0f0ful, RELAXED);
    __opencl_atomic_fetch_or(&u[3], v & 0x0101010101010101ul << (i & 7), RELAXED);
    __opencl_atomic_fetch_xor(&u[4], v, RELAXED);
    __opencl_atomic_fetch_min(&u[5], v, RELAXED);
    __opencl_atomic_fetch_max(&u[6], v, RELAXED);
    __opencl_atomic_fetch_min(&s[0], (long)v, RELAXED);
    __opencl_atomic_fetch_max(&s[1], (long)v, RELAXED);
}

// The same in LDS, 32 and 64 bits; a workgroup's results follow each other.
kernel void integers_local(global uint *out, global ulong *out64, global const uint *x, uint n) {
    local atomic_uint u[7];
    local atomic_ulong w[7];
    if (LX < 7) {
        __opencl_atomic_store(&u[LX], LX == 2 || LX == 5 ? ~0u : 0, GROUP);
        __opencl_atomic_store(&w[LX], LX == 2 || LX == 5 ? ~0ul : 0, GROUP);
    }
    group_barrier();
    if (gid() < n) {
        uint v = x[gid()];
        ulong d = (ulong)v * 0x100000001ul ^ (ulong)gid() << 20;
        __opencl_atomic_fetch_add(&u[0], v, GROUP);
        __opencl_atomic_fetch_sub(&u[1], v, GROUP);
        __opencl_atomic_fetch_and(&u[2], v | 0x0f0f0f0f, GROUP);
        __opencl_atomic_fetch_or(&u[3], v & 0x01010101, GROUP);
        __opencl_atomic_fetch_xor(&u[4], v, GROUP);
        __opencl_atomic_fetch_min(&u[5], v, GROUP);
        __opencl_atomic_fetch_max(&u[6], v, GROUP);
        __opencl_atomic_fetch_add(&w[0], d, GROUP);
        __opencl_atomic_fetch_sub(&w[1], d, GROUP);
        __opencl_atomic_fetch_and(&w[2], d | 0x0f0f0f0f0f0f0f0ful, GROUP);
        __opencl_atomic_fetch_or(&w[3], d & 0x0101010101010101ul, GROUP);
        __opencl_atomic_fetch_xor(&w[4], d, GROUP);
        __opencl_atomic_fetch_min(&w[5], d, GROUP);
        __opencl_atomic_fetch_max(&w[6], d, GROUP);
    }
    group_barrier();
    if (LX < 7) {
        out[GX * 7 + LX] = __opencl_atomic_load(&u[LX], GROUP);
        out64[GX * 7 + LX] = __opencl_atomic_load(&w[LX], GROUP);
    }
}

// Tickets: results of atomics are all different; exchanges hand a token around.
kernel void tickets(global atomic_uint *next, global atomic_ulong *next64, global atomic_uint *token, global uint *seen,
                    global uint *seen64, global uint *got, uint n) {
    uint i = gid();
    if (i >= n) return;
    uint t = __opencl_atomic_fetch_add(next, 1, memory_order_acq_rel, memory_scope_device);
    seen[t] = i;
    ulong t64 = __opencl_atomic_fetch_add(next64, 3ul, memory_order_seq_cst, memory_scope_all_svm_devices);
    seen64[t64 / 3] = i;
    got[i] = __opencl_atomic_exchange(token, i, RELAXED);
}

// Wrapping counters.
kernel void wrapping(global uint *up, global uint *down, global uint *seen_up, global uint *seen_down, uint limit, uint n) {
    uint i = gid();
    if (i >= n) return;
    seen_up[i] = __builtin_amdgcn_atomic_inc32(up, limit, __ATOMIC_RELAXED, "agent");
    seen_down[i] = __builtin_amdgcn_atomic_dec32(down, limit, __ATOMIC_RELAXED, "agent");
}

// Sums of floats: small integers, so that every order gives the same.
kernel void float_adds(global float *sums, global double *sum64, global float *group_sums, global const float *x, uint n) {
    local float s;
    if (LX == 0) s = 0;
    group_barrier();
    if (gid() < n) {
        float v = x[gid()];
        __builtin_amdgcn_global_atomic_fadd_f32(&sums[gid() % 3], v);
        __builtin_amdgcn_ds_faddf(&s, v, 0, 0, false);
        // There is no such instruction on gfx11: a loop of compare-and-swap.
        __opencl_atomic_fetch_add((global atomic_double *)sum64, (double)v, RELAXED);
    }
    group_barrier();
    if (LX == 0) group_sums[GX] = s;
}

// Loops of compare-and-swap by hand: the largest float; a product modulo a prime.
kernel void swap_loops(global atomic_uint *largest, global atomic_uint *product, global atomic_ulong *product64,
                       global const float *x, uint n) {
    local atomic_uint s;
    if (LX == 0) __opencl_atomic_store(&s, 1, GROUP);
    group_barrier();
    if (gid() < n) {
        float v = x[gid()];
        uint old = __opencl_atomic_load(largest, RELAXED);
        while (__builtin_astype(old, float) < v &&
               !__opencl_atomic_compare_exchange_weak(largest, &old, __builtin_astype(v, uint), memory_order_relaxed,
                                                      memory_order_relaxed, memory_scope_device))
            ;
        uint factor = gid() % 65520 + 1, p = __opencl_atomic_load(&s, GROUP);
        while (!__opencl_atomic_compare_exchange_strong(&s, &p, p * factor % 65521, memory_order_relaxed,
                                                        memory_order_relaxed, memory_scope_work_group))
            ;
        ulong q = __opencl_atomic_load(product64, RELAXED);
        while (!__opencl_atomic_compare_exchange_strong(product64, &q, q * factor % 4294967291ul, memory_order_relaxed,
                                                        memory_order_relaxed, memory_scope_device))
            ;
    }
    group_barrier();
    if (LX == 0) {
        uint factor = __opencl_atomic_load(&s, GROUP), p = __opencl_atomic_load(product, RELAXED);
        while (!__opencl_atomic_compare_exchange_strong(product, &p, p * factor % 65521, memory_order_relaxed,
                                                        memory_order_relaxed, memory_scope_device))
            ;
    }
}

// The workgroup that finishes last adds up what the others left.
kernel void last_group(global uint *sum, global uint *partial, global atomic_uint *done, global const uint *x, uint n,
                       uint groups) {
    local uint s[64];
    local uint last;
    s[LX] = gid() < n ? x[gid()] : 0;
    group_barrier();
    if (LX == 0) {
        uint t = 0;
        for (uint i = 0; i < SX; i++) t += s[i];
        partial[GX] = t;
        last = __opencl_atomic_fetch_add(done, 1, memory_order_acq_rel, memory_scope_device) == groups - 1;
    }
    group_barrier();
    if (last && LX == 0) {
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
        uint t = 0;
        for (uint g = 0; g < groups; g++) t += partial[g];
        *sum = t;
    }
}

// Running sums over all workgroups: each waits for the one before it.
kernel void chained_scan(global uint *y, global const uint *x, global atomic_uint *flags, global uint *carry, uint n) {
    local uint s[64];
    local uint before;
    s[LX] = gid() < n ? x[gid()] : 0;
    group_barrier();
    for (uint step = 1; step < SX; step *= 2) {
        uint v = LX >= step ? s[LX - step] : 0;
        group_barrier();
        s[LX] += v;
        group_barrier();
    }
    if (LX == 0) {
        uint b = 0;
        if (GX > 0) {
            while (__opencl_atomic_load(&flags[GX - 1], memory_order_acquire, memory_scope_device) == 0)
                __builtin_amdgcn_s_sleep(1);
            b = carry[GX - 1];
        }
        carry[GX] = b + s[SX - 1];
        __opencl_atomic_store(&flags[GX], 1, memory_order_release, memory_scope_device);
        before = b;
    }
    group_barrier();
    if (gid() < n) y[gid()] = before + s[LX];
}
