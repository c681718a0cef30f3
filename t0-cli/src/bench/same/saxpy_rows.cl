// Four elements that lie behind each other; n counts these fours.
GROUP_OF_256 kernel void saxpy_rows(float a, global const float4v *restrict x, global float4v *restrict y, uint n) {
    uint i = GROUP * 256 + ITEM;
    if (i < n) y[i] += a * x[i];
}
