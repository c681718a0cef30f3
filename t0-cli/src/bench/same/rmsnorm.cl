GROUP_OF_256 kernel void rmsnorm(float eps, global const float *restrict x, global const float *restrict weight,
                                 global float *restrict y, uint rows, uint cols) {
    uint r = GROUP * 8 + WAVE;
    if (r >= rows) return;
    x += (ulong)r * cols;
    y += (ulong)r * cols;
    float squares = 0;
    for (uint c = LANE; c < cols; c += 32) squares += x[c] * x[c];
    float scale = 1.0f / __builtin_sqrtf(wave_sum(squares) / (float)cols + eps);
    for (uint c = LANE; c < cols; c += 32) y[c] = x[c] * scale * weight[c];
}
