// Steps of a single-precision matrix product on RDNA3, after the descriptions in "Optimizing Matrix Multiplication on RDNA3"
// (S. Vince, 2025): row-major C = A B of n x n.
#define LOCAL __local
#define BARRIER do { __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); __builtin_amdgcn_s_barrier(); __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"); } while (0)

__attribute__((reqd_work_group_size(16, 16, 1)))
__kernel void naive(__global const float *a, __global const float *b, __global float *c, int n) {
    int row = __builtin_amdgcn_workgroup_id_y() * 16 + __builtin_amdgcn_workitem_id_y(), col = __builtin_amdgcn_workgroup_id_x() * 16 + __builtin_amdgcn_workitem_id_x();
    if (row < n && col < n) {
        float sum = 0;
        for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
        c[row * n + col] = sum;
    }
}

__attribute__((reqd_work_group_size(32, 32, 1)))
__kernel void tile(__global const float *a, __global const float *b, __global float *c, int n) {
    LOCAL float as[32][32], bs[32][32];
    int x = __builtin_amdgcn_workitem_id_x(), y = __builtin_amdgcn_workitem_id_y();
    int row = __builtin_amdgcn_workgroup_id_y() * 32 + y, col = __builtin_amdgcn_workgroup_id_x() * 32 + x;
    float sum = 0;
    for (int t = 0; t < n; t += 32) {
        bs[y][x] = b[n * (y + t) + col];
        as[y][x] = a[n * row + t + x];
        BARRIER;
        for (int k = 0; k < 32; k++) sum += as[y][k] * bs[k][x];
        BARRIER;
    }
    c[row * n + col] = sum;
}

// TM x TN values a work-item: a tile of 4 x 4 repeated over the wave's tile, 8 x 4 work-items a wave.
#define BODY(THREADS, WN, PAD, BUFFERED)                                                                     \
    enum { BN = 128, BM = 128, BK = 8, T = 4, WM = BN * BM / (THREADS / 32) / WN,                            \
           IN = WN / 32, IM = WM / 16, LOADS = BM * BK / THREADS };                                          \
    LOCAL float as[BK][BM + PAD], bs[BK][BN];                                                                \
    int id = __builtin_amdgcn_workitem_id_x(), wave = id / 32, lane = id % 32;                                                \
    int wx = wave % (BN / WN), wy = wave / (BN / WN), lx = lane % 8, ly = lane / 8;                          \
    int row0 = __builtin_amdgcn_workgroup_id_y() * BM, col0 = __builtin_amdgcn_workgroup_id_x() * BN;                                            \
    float acc[IM * T][IN * T] = {{0}};                                                                       \
    float ta[LOADS], tb[LOADS];                                                                              \
    _Pragma("unroll") for (int i = 0; i < LOADS; i++) {                                                      \
        int ea = id + i * THREADS;                                                                           \
        ta[i] = a[(row0 + ea / BK) * n + ea % BK];                                                           \
        tb[i] = b[(ea / BN) * n + col0 + ea % BN];                                                           \
    }                                                                                                        \
    for (int t = 0; t < n; t += BK) {                                                                        \
        if (!BUFFERED && t > 0) {                                                                            \
            _Pragma("unroll") for (int i = 0; i < LOADS; i++) {                                              \
                int ea = id + i * THREADS;                                                                   \
                ta[i] = a[(row0 + ea / BK) * n + t + ea % BK];                                               \
                tb[i] = b[(t + ea / BN) * n + col0 + ea % BN];                                               \
            }                                                                                                \
        }                                                                                                    \
        _Pragma("unroll") for (int i = 0; i < LOADS; i++) {                                                  \
            int ea = id + i * THREADS;                                                                       \
            as[ea % BK][ea / BK] = ta[i];                                                                    \
            bs[ea / BN][ea % BN] = tb[i];                                                                    \
        }                                                                                                    \
        BARRIER;                                                                        \
        if (BUFFERED && t + BK < n) {                                                                        \
            _Pragma("unroll") for (int i = 0; i < LOADS; i++) {                                              \
                int ea = id + i * THREADS;                                                                   \
                ta[i] = a[(row0 + ea / BK) * n + t + BK + ea % BK];                                          \
                tb[i] = b[(t + BK + ea / BN) * n + col0 + ea % BN];                                          \
            }                                                                                                \
        }                                                                                                    \
        _Pragma("unroll") for (int k = 0; k < BK; k++) {                                                     \
            float ra[IM * T], rb[IN * T];                                                                    \
            _Pragma("unroll") for (int i = 0; i < IM; i++)                                                   \
                _Pragma("unroll") for (int j = 0; j < T; j++)                                                \
                    ra[i * T + j] = as[k][wy * WM + i * 16 + ly * T + j];                                    \
            _Pragma("unroll") for (int i = 0; i < IN; i++)                                                   \
                _Pragma("unroll") for (int j = 0; j < T; j++)                                                \
                    rb[i * T + j] = bs[k][wx * WN + i * 32 + lx * T + j];                                    \
            _Pragma("unroll") for (int i = 0; i < IM * T; i++)                                               \
                _Pragma("unroll") for (int j = 0; j < IN * T; j++)                                           \
                    acc[i][j] = fma(ra[i], rb[j], acc[i][j]);                                                \
        }                                                                                                    \
        BARRIER;                                                                        \
    }                                                                                                        \
    _Pragma("unroll") for (int i = 0; i < IM * T; i++)                                                       \
        _Pragma("unroll") for (int j = 0; j < IN * T; j++)                                                   \
            c[(row0 + wy * WM + i / T * 16 + ly * T + i % T) * n + col0 + wx * WN + j / T * 32 + lx * T + j % T] = acc[i][j];

__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void registers(__global const float *a, __global const float *b, __global float *c, int n) { BODY(256, 64, 0, 0) }

__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void buffered(__global const float *a, __global const float *b, __global float *c, int n) { BODY(256, 64, 0, 1) }

// 16 x 8 values a work-item, in CU mode.
__attribute__((reqd_work_group_size(128, 1, 1)))
__kernel void padded(__global const float *a, __global const float *b, __global float *c, int n) { BODY(128, 128, 4, 1) }
