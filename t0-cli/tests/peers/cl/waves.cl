// Lanes of a wave talking to each other.
#include "peer.h"

kernel void votes(global ulong *y, global const uint *x, uint n) {
    uint i = gid();
    uint v = i < n ? x[i] : 0;
#if __AMDGCN_WAVEFRONT_SIZE__ == 64
    ulong odd = __builtin_amdgcn_ballot_w64(v & 1);
#else
    ulong odd = __builtin_amdgcn_ballot_w32(v & 1);
#endif
    ulong active = 0;
    if (i < n && v % 3 == 0) active = __builtin_amdgcn_read_exec();
    if (i < n) {
        y[3 * i] = odd;
        y[3 * i + 1] = active;
        y[3 * i + 2] = lane() | (ulong)__builtin_amdgcn_readfirstlane(v) << 32;
    }
}

kernel void shuffles(global uint *y, global const uint *x, uint n) {
    uint i = gid();
    uint v = i < n ? x[i] : 7;
    uint l = lane();
    // Within the half of a wave64: lanes 0-31 and 32-63 do not see each other here.
    uint other = (l & 32) | ((l * 5 + 3) & 31);
    uint r[12];
    r[0] = __builtin_amdgcn_ds_bpermute(other * 4, v);
    r[1] = __builtin_amdgcn_ds_permute(other * 4, v);
    r[2] = __builtin_amdgcn_ds_swizzle(v, 0x401f);          // lane ^ 16
    r[3] = __builtin_amdgcn_ds_swizzle(v, 0x801b);          // reversed fours
    r[4] = __builtin_amdgcn_update_dpp(v + 1, v, 0x111, 0xf, 0xf, false); // row shifted right by one
    r[5] = __builtin_amdgcn_update_dpp(0, v, 0x140, 0xf, 0xf, true);      // row mirrored
    r[6] = __builtin_amdgcn_update_dpp(v + 2, v, 0xb1, 0x5, 0x6, false);  // pairs swapped in some rows and banks
    r[7] = __builtin_amdgcn_mov_dpp8(v, 0x53977d);
    r[8] = __builtin_amdgcn_permlane16(v + 3, v, 0x84c03fa1, 0x27b6e5d9, false, false);
    r[9] = __builtin_amdgcn_permlanex16(v + 4, v, 0x01234567, 0x89abcdef, false, true);
    r[10] = __builtin_amdgcn_readlane(v, 13);
    r[11] = __builtin_amdgcn_update_dpp(v, v, 0x155, 0xf, 0xf, false);    // lane 5 of each row
    // All lanes write: in a branch clang would let lanes read from others that are switched off.
    for (uint k = 0; k < 12; k++) y[12 * i + k] = r[k];
}

// Sums over a wave by rows first, in every lane, then between halves.
kernel void wave_sum(global uint *y, global const uint *x, uint n) {
    uint i = gid();
    uint v = i < n ? x[i] : 0;
    v += __builtin_amdgcn_update_dpp(0, v, 0xb1, 0xf, 0xf, true);
    v += __builtin_amdgcn_update_dpp(0, v, 0x4e, 0xf, 0xf, true);
    v += __builtin_amdgcn_update_dpp(0, v, 0x141, 0xf, 0xf, true);
    v += __builtin_amdgcn_update_dpp(0, v, 0x140, 0xf, 0xf, true);
    v += __builtin_amdgcn_permlanex16(v, v, 0x76543210, 0xfedcba98, false, false);
    if (WAVE == 64) v += __builtin_amdgcn_permlane64(v);
    if (i < n) y[i] = v;
}

// Lanes that go different ways, meet and part again.
kernel void divergence(global uint *y, global const uint *x, uint n) {
    uint i = gid();
    if (i >= n) return;
    uint v = x[i], steps = 0;
    while (v != 1 && steps < 200) {
        if (v & 1) {
            if (v > 1000000) break;
            v = 3 * v + 1;
        } else {
            v /= 2;
            if (v % 5 == 0) continue;
        }
        steps++;
    }
    uint r = 0;
    switch (steps % 9) {
    case 0: r = v; break;
    case 1: r = v * 3;
    case 2: r += 17; break;
    case 3: for (uint k = 0; k < v % 11; k++) r ^= k * v; break;
    case 4: r = v ? 1000 / v : 5; break;
    case 6: r = steps << 3; break;
    case 7: return;
    default: r = ~v;
    }
    y[i] = r + steps;
}

// A loop with two entries.
kernel void irreducible(global uint *y, global const uint *x, uint n) {
    uint i = gid();
    if (i >= n) return;
    uint v = x[i] % 1000, k = 0, acc = 0;
    if (v & 1) goto second;
first:
    acc = acc * 3 + v;
    k++;
second:
    acc ^= k * 7 + v;
    v -= v > 3 ? 3 : v;
    if (v && k < 400) goto first;
    y[i] = acc;
}
