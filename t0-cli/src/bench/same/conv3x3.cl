GROUP_OF_256 kernel void conv3x3(global const float *restrict x, global const float *restrict weight, global float *restrict y,
                                 uint rows, uint cols) {
    uint r = GROUP * 8 + WAVE;
    if (r >= rows) return;
    global const float *above = x + (ulong)(r > 0 ? r - 1 : 0) * cols;
    global const float *here = x + (ulong)r * cols;
    global const float *below = x + (ulong)(r + 1 < rows ? r + 1 : r) * cols;
    y += (ulong)r * cols;
    for (uint c = LANE; c < cols; c += 32) {
        uint left = c > 0 ? c - 1 : 0, right = c + 1 < cols ? c + 1 : c;
        float sum = above[left] * weight[0];
        sum += above[c] * weight[1];
        sum += above[right] * weight[2];
        sum += here[left] * weight[3];
        sum += here[c] * weight[4];
        sum += here[right] * weight[5];
        sum += below[left] * weight[6];
        sum += below[c] * weight[7];
        y[c] = sum + below[right] * weight[8];
    }
}
