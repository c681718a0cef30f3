// Buffer instructions: reads past the end give 0, writes past the end do nothing.
#include "peer.h"

kernel void clipped(global uint *y, global const uint *x, uint n, uint limit) {
    __amdgpu_buffer_rsrc_t in = __builtin_amdgcn_make_buffer_rsrc((global void *)x, 0, (int)(limit * 4), 0x31004000);
    __amdgpu_buffer_rsrc_t out = __builtin_amdgcn_make_buffer_rsrc(y, 0, (int)(limit * 4), 0x31004000);
    uint i = gid();
    uint a = __builtin_amdgcn_raw_buffer_load_b32(in, (int)(i * 4), 0, 0);
    uint2 b = __builtin_amdgcn_raw_buffer_load_b64(in, (int)(i * 8 + 8), 0, 0);
    uint4 c = __builtin_amdgcn_raw_buffer_load_b128(in, (int)(i * 16), 0, 0);
    uchar d = __builtin_amdgcn_raw_buffer_load_b8(in, (int)(i * 4 + 1), 0, 0);
    ushort e = __builtin_amdgcn_raw_buffer_load_b16(in, (int)(i * 4 + 2), 0, 0);
    uint r = a + b.x * 3 + b.y * 5 + c.x * 7 + c.y * 11 + c.z * 13 + c.w * 17 + d * 19 + e * 23;
    __builtin_amdgcn_raw_buffer_store_b32(r, out, (int)(i * 4), 0, 0);
}
