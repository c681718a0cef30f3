// One workgroup a row, reductions through LDS or between lanes.
#include "peer.h"

#define LOG2E 1.44269504088896340736f

static float group_sum(local float *s, float v) {
    s[LX] = v;
    group_barrier();
    for (uint step = SX / 2; step > 0; step /= 2) {
        if (LX < step) s[LX] += s[LX + step];
        group_barrier();
    }
    float r = s[0];
    group_barrier();
    return r;
}

static float group_max(local float *s, float v) {
    s[LX] = v;
    group_barrier();
    for (uint step = SX / 2; step > 0; step /= 2) {
        if (LX < step) s[LX] = __builtin_fmaxf(s[LX], s[LX + step]);
        group_barrier();
    }
    float r = s[0];
    group_barrier();
    return r;
}

kernel void softmax(global float *y, global const float *x, uint cols) {
    local float s[256];
    global const float *row = x + GX * cols;
    float m = -__builtin_inff();
    for (uint i = LX; i < cols; i += SX) m = __builtin_fmaxf(m, row[i]);
    m = group_max(s, m);
    float sum = 0;
    for (uint i = LX; i < cols; i += SX) sum += __builtin_exp2f((row[i] - m) * LOG2E);
    sum = group_sum(s, sum);
    for (uint i = LX; i < cols; i += SX) y[GX * cols + i] = __builtin_exp2f((row[i] - m) * LOG2E) / sum;
}

// The whole exponential, with the compiler's range reduction.
kernel void softmax_exp(global half *y, global const half *x, uint cols) {
    local float s[256];
    global const half *row = x + GX * cols;
    float m = -__builtin_inff();
    for (uint i = LX; i < cols; i += SX) m = __builtin_fmaxf(m, (float)row[i]);
    m = group_max(s, m);
    float sum = 0;
    for (uint i = LX; i < cols; i += SX) sum += __builtin_expf((float)row[i] - m);
    sum = group_sum(s, sum);
    for (uint i = LX; i < cols; i += SX) y[GX * cols + i] = (half)(__builtin_expf((float)row[i] - m) / sum);
}

kernel void rmsnorm(global float *y, global const float *x, global const float *w, uint cols, float eps) {
    local float s[256];
    float sum = 0;
    for (uint i = LX; i < cols; i += SX) sum = __builtin_fmaf(x[GX * cols + i], x[GX * cols + i], sum);
    sum = group_sum(s, sum);
    float scale = 1.0f / __builtin_sqrtf(sum / (float)cols + eps);
    for (uint i = LX; i < cols; i += SX) y[GX * cols + i] = x[GX * cols + i] * scale * w[i];
}

// Dynamic LDS, its size given at launch.
kernel void reverse_rows(global uint *y, global const uint *x, local uint *row, uint cols) {
    for (uint i = LX; i < cols; i += SX) row[i] = x[GX * cols + i];
    group_barrier();
    for (uint i = LX; i < cols; i += SX) y[GX * cols + i] = row[cols - 1 - i];
}
