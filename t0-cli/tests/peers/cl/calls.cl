// Functions that are not inlined: calls, arguments in registers and on the stack, calls through pointers, recursion.
#include "peer.h"

#define NOINLINE __attribute__((noinline))

NOINLINE uint mix(uint a, uint b) { return (a ^ b * 2654435761u) + (a << 5 | a >> 27); }

NOINLINE ulong mix64(ulong a, uint b) { return (a * 6364136223846793005ul + b) ^ a >> 29; }

NOINLINE void swap_if(uint *a, uint *b) {
    if (*a > *b) {
        uint t = *a;
        *a = *b;
        *b = t;
    }
}

NOINLINE uint many(uint a, ulong b, ushort c, float d, uint4 e, double f, ulong4 g, uint8 h, uint16 i, uint j) {
    return a + (uint)b * 3 + c * 5 + (uint)d * 7 + e.x + e.w + (uint)f * 11 + (uint)(g.y >> 32) + h.s7 + i.s3 * 13 +
           i.sf + j;
}

struct big {
    uint v[24];
};

NOINLINE struct big make(uint seed) {
    struct big b;
    for (uint k = 0; k < 24; k++) b.v[k] = mix(seed, k);
    return b;
}

NOINLINE uint pick(struct big b, uint i) { return b.v[i % 24]; }

kernel void chains(global uint *y, global ulong *z, global const uint *x, uint n) {
    uint i = gid();
    if (i >= n) return;
    uint v = x[i];
    // Different lanes call a different number of times.
    for (uint k = 0; k < (v & 7); k++) v = mix(v, k);
    z[i] = mix64(mix64((ulong)v << 20, i), v);
    uint a = v, b = mix(v, 1), c = mix(v, 2);
    swap_if(&a, &b);
    swap_if(&b, &c);
    swap_if(&a, &b);
    y[i] = a / 2 + b / 4 + c / 8 + many(a, (ulong)b << 32 | c, (ushort)b, (float)(i & 255), (uint4)(i, a, b, c), (double)i,
               (ulong4)(a, (ulong)b << 32, c, i), (uint8)(i), (uint16)(i + 1), c);
}

kernel void structs(global uint *y, global const uint *x, uint n) {
    uint i = gid();
    if (i >= n) return;
    struct big b = make(x[i]);
    b.v[i % 24] += 5;
    y[i] = pick(b, x[i]) + pick(make(i), i * 5);
}

// Two FLAT loads under way at once, waited for one after the other.
NOINLINE void exchange(uint *a, uint *b) {
    uint t = *a;
    *a = *b;
    *b = t;
}

kernel void exchanges(global uint *y, uint n) {
    uint i = gid();
    if (2 * i + 1 < n) exchange(y + 2 * i, y + 2 * i + 1);
}

// Recursion: the compiler cannot tell how much stack it takes, and says too little.
NOINLINE uint ackermann(uint m, uint n) {
    if (m == 0) return n + 1;
    if (n == 0) return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

kernel void recursion(global uint *y, uint n) {
    uint i = gid();
    if (i < n) y[i] = ackermann(i % 3, i % 5);
}

#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable

NOINLINE uint plus_(uint a, uint b) { return a + b; }
NOINLINE uint minus_(uint a, uint b) { return a - b; }
NOINLINE uint times_(uint a, uint b) { return a * b; }
NOINLINE uint shift_(uint a, uint b) { return a << (b & 31); }

typedef uint (*binary)(uint, uint);

// A different function in every lane: the compiler loops over the distinct addresses.
kernel void pointers(global uint *y, global const uint *x, uint n) {
    uint i = gid();
    if (i >= n) return;
    binary f = i % 4 == 0 ? plus_ : i % 4 == 1 ? minus_ : i % 4 == 2 ? times_ : shift_;
    y[i] = f(x[i], i);
}
