GROUP_OF_256 kernel void saxpy(float a, global const float *restrict x, global float *restrict y, uint n) {
    uint i = GROUP * 256 + ITEM;
    if (i < n) y[i] += a * x[i];
}
