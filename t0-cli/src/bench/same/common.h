// What the kernels share. No device library is linked: indices, barriers and lane operations come from the compiler's builtins.
#define GROUP ((uint)__builtin_amdgcn_workgroup_id_x())
#define ITEM ((uint)__builtin_amdgcn_workitem_id_x())
#define LANE (ITEM % 32)
// The same in each lane, which the compiler would not see.
#define WAVE ((uint)__builtin_amdgcn_readfirstlane(ITEM / 32))
#define GROUP_OF_256 __attribute__((reqd_work_group_size(256, 1, 1)))
typedef float float4v __attribute__((ext_vector_type(4)));

static inline void barrier_of_group(void) {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

// Lanes of a row of 16 by DPP, the other row by a permutation: as the reductions of rocPRIM and of the device library do.
#define OVER_LANES(V, OP)                                                                                                \
    V = OP(V, __builtin_astype(__builtin_amdgcn_update_dpp(0, __builtin_astype(V, int), 0x161, 15, 15, true), float));   \
    V = OP(V, __builtin_astype(__builtin_amdgcn_update_dpp(0, __builtin_astype(V, int), 0x162, 15, 15, true), float));   \
    V = OP(V, __builtin_astype(__builtin_amdgcn_update_dpp(0, __builtin_astype(V, int), 0x164, 15, 15, true), float));   \
    V = OP(V, __builtin_astype(__builtin_amdgcn_update_dpp(0, __builtin_astype(V, int), 0x168, 15, 15, true), float));   \
    V = OP(V, __builtin_astype(__builtin_amdgcn_permlanex16(0, __builtin_astype(V, uint), 0x76543210, 0xfedcba98, false, true), float));
#define ADD(A, B) ((A) + (B))


// The same in each lane. Told so, clang 19 also keeps from moving the permutation into a branch that a single lane takes, where
// the other row is off.
static inline float uniform(float v) {
    return __builtin_astype(__builtin_amdgcn_readfirstlane(__builtin_astype(v, int)), float);
}
static inline float wave_sum(float v) { OVER_LANES(v, ADD) return uniform(v); }
static inline float wave_max(float v) { OVER_LANES(v, __builtin_fmaxf) return uniform(v); }

