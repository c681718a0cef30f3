#define ADD_RELAXED(P, N, SCOPE) __opencl_atomic_fetch_add(P, N, __ATOMIC_RELAXED, SCOPE)

GROUP_OF_256 kernel void histogram(global const uint *restrict x, global atomic_uint *bins, uint n) {
    local atomic_uint counts[256];
    ((local uint *)counts)[ITEM] = 0;
    barrier_of_group();
    for (uint k = 0; k < 4; k++) {
        uint i = GROUP * 1024 + 256 * k + ITEM;
        if (i < n) ADD_RELAXED(&counts[x[i] % 256], 1, __OPENCL_MEMORY_SCOPE_WORK_GROUP);
    }
    barrier_of_group();
    ADD_RELAXED(&bins[ITEM], ((local uint *)counts)[ITEM], __OPENCL_MEMORY_SCOPE_DEVICE);
}
