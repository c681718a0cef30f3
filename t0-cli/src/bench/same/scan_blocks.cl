#define SHIFTED(V, N) ((uint)__builtin_amdgcn_update_dpp(0, (int)(V), 0x110 + N, 15, 15, true))

GROUP_OF_256 kernel void scan_blocks(global const uint *restrict x, global uint *restrict y, global uint *restrict totals, uint n) {
    local uint sums[8];
    uint i = GROUP * 256 + ITEM, lane = LANE, wave = WAVE;
    uint v = i < n ? x[i] : 0;
    v += SHIFTED(v, 1);
    v += SHIFTED(v, 2);
    v += SHIFTED(v, 4);
    v += SHIFTED(v, 8);
    uint first_row = __builtin_amdgcn_readlane(v, 15);
    if (lane >= 16) v += first_row;
    if (lane == 31) sums[wave] = v;
    barrier_of_group();
    uint before = 0;
    for (uint w = 0; w < 7; w++)
        if (w < wave) before += sums[w];
    if (ITEM == 255) totals[GROUP] = before + v;
    if (i < n) y[i] = before + v;
}
