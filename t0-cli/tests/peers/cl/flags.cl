// Waves and workgroups that wait for each other by locks and flags, as textbooks have them.
#include "peer.h"

#define DEVICE memory_scope_device
#define GROUP memory_scope_work_group
#define RELAXED memory_order_relaxed
#define ACQUIRE memory_order_acquire
#define RELEASE memory_order_release
#define FENCE(order) __builtin_amdgcn_fence(order, "agent")

static uint is_first(void) { return LX % WAVE == 0; }

// Locks in the LDS: exchanged, compared and swapped, tickets.
kernel void exchanged(global uint *sums) {
    local uint d;
    local atomic_uint lock;
    if (LX == 0) {
        __opencl_atomic_store(&lock, 0, RELAXED, GROUP);
        d = 0;
    }
    group_barrier();
    if (is_first()) {
        while (__opencl_atomic_exchange(&lock, 1, ACQUIRE, GROUP))
            ;
        d += LX + 1;
        __opencl_atomic_exchange(&lock, 0, RELEASE, GROUP);
    }
    group_barrier();
    if (LX == 0) sums[GX] = d;
}

kernel void compared(global uint *sums) {
    local uint d;
    local atomic_uint lock;
    if (LX == 0) {
        __opencl_atomic_store(&lock, 0, RELAXED, GROUP);
        d = 0;
    }
    group_barrier();
    if (is_first()) {
        uint old;
        do old = 0;
        while (!__opencl_atomic_compare_exchange_strong(&lock, &old, 1, ACQUIRE, RELAXED, GROUP));
        d += LX + 1;
        __opencl_atomic_store(&lock, 0, RELEASE, GROUP);
    }
    group_barrier();
    if (LX == 0) sums[GX] = d;
}

kernel void tickets_in_lds(global uint *sums) {
    local uint d;
    local atomic_uint next, now;
    if (LX == 0) {
        __opencl_atomic_store(&next, 0, RELAXED, GROUP);
        __opencl_atomic_store(&now, 0, RELAXED, GROUP);
        d = 0;
    }
    group_barrier();
    if (is_first()) {
        uint mine = __opencl_atomic_fetch_add(&next, 1, RELAXED, GROUP);
        while (__opencl_atomic_load(&now, ACQUIRE, GROUP) != mine)
            ;
        d += LX + 1;
        __opencl_atomic_store(&now, mine + 1, RELEASE, GROUP);
    }
    group_barrier();
    if (LX == 0) sums[GX] = d;
}

// The same with the lock opened before the sum is stored: a race.
kernel void opened_early(global uint *sums) {
    local uint d;
    local atomic_uint lock;
    if (LX == 0) {
        __opencl_atomic_store(&lock, 0, RELAXED, GROUP);
        d = 0;
    }
    group_barrier();
    if (is_first()) {
        while (__opencl_atomic_exchange(&lock, 1, ACQUIRE, GROUP))
            ;
        uint v = d;
        __opencl_atomic_exchange(&lock, 0, RELEASE, GROUP);
        d = v + LX + 1;
    }
    group_barrier();
    if (LX == 0) sums[GX] = d;
}

// One fence, an unrelated store, and a flag for each of the other workgroups.
kernel void one_fence(global atomic_uint *flags, global uint *data, global uint *log, global uint *out, uint n) {
    if (LX != 0) return;
    if (GX == 0) {
        *data = 42;
        FENCE(RELEASE);
        *log = 7;
        for (uint k = 1; k < n; k++) __opencl_atomic_store(&flags[k], 1, RELAXED, DEVICE);
        out[0] = 42;
    } else {
        while (__opencl_atomic_load(&flags[GX], ACQUIRE, DEVICE) == 0)
            ;
        out[GX] = *data;
    }
}

// All waves store and fence, one of them tells.
kernel void told_by_one(global atomic_uint *flag, global uint *data, global uint *out) {
    if (GX == 0) {
        data[LX] = LX;
        FENCE(RELEASE);
        group_barrier();
        if (LX == 0) __opencl_atomic_store(flag, 1, RELAXED, DEVICE);
        out[LX] = LX;
    } else {
        if (LX == 0)
            while (__opencl_atomic_load(flag, RELAXED, DEVICE) == 0)
                ;
        group_barrier();
        FENCE(ACQUIRE);
        out[gid()] = data[LX];
    }
}

// Each workgroup waits for the one before it and tells the next; only the first one has stored anything.
kernel void passed_on(global atomic_uint *flags, global uint *data, global uint *out) {
    if (LX != 0) return;
    if (GX == 0) *data = 9;
    else
        while (__opencl_atomic_load(&flags[GX - 1], ACQUIRE, DEVICE) == 0)
            ;
    __opencl_atomic_store(&flags[GX], 1, RELEASE, DEVICE);
    out[GX] = GX == 0 ? 9 : *data;
}

// A lock that readers hold, who store nothing under it.
kernel void read_under_lock(global atomic_uint *lock, global uint *data, global uint *out) {
    if (LX != 0) return;
    while (__opencl_atomic_exchange(lock, 1, ACQUIRE, DEVICE))
        ;
    uint v = *data;
    __opencl_atomic_store(lock, 0, RELEASE, DEVICE);
    out[GX] = v;
}

// What is told from a value nobody has defined.
kernel void told_from_nothing(global uint *out) {
    local uint s[64];
    if (LX < 32) s[LX] = 1;
    group_barrier();
    out[LX] = s[LX] != 0;
}
