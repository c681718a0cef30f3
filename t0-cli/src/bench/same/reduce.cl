GROUP_OF_256 kernel void reduce(global const float *restrict x, global float *total, uint n) {
    local float parts[8];
    uint i = GROUP * 256 + ITEM;
    float part = wave_sum(i < n ? x[i] : 0.0f);
    if (LANE == 0) parts[WAVE] = part;
    barrier_of_group();
    if (ITEM == 0) {
        float sum = 0;
        for (uint w = 0; w < 8; w++) sum += parts[w];
        __builtin_amdgcn_global_atomic_fadd_f32(total, sum);
    }
}
