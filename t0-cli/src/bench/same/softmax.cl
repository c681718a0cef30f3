GROUP_OF_256 kernel void softmax(global const float *restrict x, global float *restrict y, uint rows, uint cols) {
    uint r = GROUP * 8 + WAVE;
    if (r >= rows) return;
    x += (ulong)r * cols;
    y += (ulong)r * cols;
    float max = -__builtin_inff();
    for (uint c = LANE; c < cols; c += 32) max = __builtin_fmaxf(max, x[c]);
    max = wave_max(max);
    float sum = 0;
    for (uint c = LANE; c < cols; c += 32) sum += __builtin_expf(x[c] - max);
    float scale = 1.0f / wave_sum(sum);
    for (uint c = LANE; c < cols; c += 32) y[c] = __builtin_expf(x[c] - max) * scale;
}
