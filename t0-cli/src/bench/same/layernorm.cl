GROUP_OF_256 kernel void layernorm(float eps, global const float *restrict x, global const float *restrict weight,
                                   global const float *restrict bias, global float *restrict y, uint rows, uint cols) {
    uint r = GROUP * 8 + WAVE;
    if (r >= rows) return;
    x += (ulong)r * cols;
    y += (ulong)r * cols;
    float sum = 0;
    for (uint c = LANE; c < cols; c += 32) sum += x[c];
    float mean = wave_sum(sum) / (float)cols;
    float squares = 0;
    for (uint c = LANE; c < cols; c += 32) {
        float d = x[c] - mean;
        squares += d * d;
    }
    float scale = 1.0f / __builtin_sqrtf(wave_sum(squares) / (float)cols + eps);
    for (uint c = LANE; c < cols; c += 32) y[c] = (x[c] - mean) * scale * weight[c] + bias[c];
}
