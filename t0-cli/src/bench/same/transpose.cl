GROUP_OF_256 kernel void transpose(global const float *restrict x, global float *restrict y, uint rows, uint cols) {
    // Rows one element longer than the tile: those of a column lie in different banks.
    local float tile[32][33];
    uint tiles = (cols + 31) / 32;
    uint row = GROUP / tiles * 32, col = GROUP % tiles * 32;
    uint lane = LANE, wave = WAVE;
    for (uint r = wave; r < 32; r += 8)
        if (row + r < rows && col + lane < cols) tile[r][lane] = x[(row + r) * cols + col + lane];
    barrier_of_group();
    for (uint c = wave; c < 32; c += 8)
        if (col + c < cols && row + lane < rows) y[(col + c) * rows + row + lane] = tile[lane][c];
}
