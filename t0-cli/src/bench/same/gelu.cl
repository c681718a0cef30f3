GROUP_OF_256 kernel void gelu(global const float *restrict x, global float *restrict y, uint n) {
    uint i = GROUP * 256 + ITEM;
    if (i < n) {
        float v = x[i];
        // -2u
        float t = v * (v * v * -0.071354814f - 1.595769f);
        y[i] = v / (1.0f + __builtin_expf(t));
    }
}
