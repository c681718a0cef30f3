// What the kernels here share. No device library is linked: indices and barriers come straight from the compiler.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define LX __builtin_amdgcn_workitem_id_x()
#define LY __builtin_amdgcn_workitem_id_y()
#define LZ __builtin_amdgcn_workitem_id_z()
#define GX __builtin_amdgcn_workgroup_id_x()
#define GY __builtin_amdgcn_workgroup_id_y()
#define GZ __builtin_amdgcn_workgroup_id_z()
#define SX ((uint)__builtin_amdgcn_workgroup_size_x())
#define SY ((uint)__builtin_amdgcn_workgroup_size_y())
#define SZ ((uint)__builtin_amdgcn_workgroup_size_z())
#define WAVE __builtin_amdgcn_wavefrontsize()

typedef ushort bf16_bits;

static uint gid(void) { return GX * SX + LX; }

static void group_barrier(void) {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

// Lane number in the wave.
static uint lane(void) { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0)); }
