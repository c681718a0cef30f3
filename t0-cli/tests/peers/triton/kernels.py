"""Triton kernels that are compiled for gfx1100 and run on the simulated card."""
import triton
import triton.language as tl


@triton.jit
def add(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    x = tl.load(x_ptr + i, mask=mask)
    y = tl.load(y_ptr + i, mask=mask)
    tl.store(z_ptr + i, x + y, mask=mask)


@triton.jit
def softmax(y_ptr, x_ptr, stride, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    mask = i < cols
    x = tl.load(x_ptr + row * stride + i, mask=mask, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    y = e / tl.sum(e, axis=0)
    tl.store(y_ptr + row * stride + i, y.to(y_ptr.dtype.element_ty), mask=mask)


@triton.jit
def layernorm(y_ptr, x_ptr, w_ptr, b_ptr, cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    mask = i < cols
    x = tl.load(x_ptr + row * cols + i, mask=mask, other=0.0)
    mean = tl.sum(x, axis=0) / cols
    d = tl.where(mask, x - mean, 0.0)
    var = tl.sum(d * d, axis=0) / cols
    w = tl.load(w_ptr + i, mask=mask, other=0.0)
    b = tl.load(b_ptr + i, mask=mask, other=0.0)
    tl.store(y_ptr + row * cols + i, d * tl.rsqrt(var + eps) * w + b, mask=mask)


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=tl.float32 if a_ptr.dtype.element_ty.is_floating() else tl.int32)
    for k0 in range(0, k, BK):
        a = tl.load(a_ptr + rm[:, None] * k + (k0 + rk)[None, :], mask=(rm[:, None] < m) & ((k0 + rk)[None, :] < k), other=0)
        b = tl.load(b_ptr + (k0 + rk)[:, None] * n + rn[None, :], mask=((k0 + rk)[:, None] < k) & (rn[None, :] < n), other=0)
        acc = tl.dot(a, b, acc)
    c = acc.to(c_ptr.dtype.element_ty)
    tl.store(c_ptr + rm[:, None] * n + rn[None, :], c, mask=(rm[:, None] < m) & (rn[None, :] < n))


@triton.jit
def histogram(bins_ptr, x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    x = tl.load(x_ptr + i, mask=mask, other=0)
    tl.atomic_add(bins_ptr + x, 1, mask=mask)


@triton.jit
def running_sum(y_ptr, x_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    mask = i < cols
    x = tl.load(x_ptr + row * cols + i, mask=mask, other=0)
    tl.store(y_ptr + row * cols + i, tl.cumsum(x, axis=0), mask=mask)


@triton.jit
def sort_rows(y_ptr, x_ptr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    tl.store(y_ptr + row * BLOCK + i, tl.sort(tl.load(x_ptr + row * BLOCK + i)))


@triton.jit
def attention(o_ptr, q_ptr, k_ptr, v_ptr, length, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rd = tl.arange(0, D)
    base = tl.program_id(1) * length * D
    q = tl.load(q_ptr + base + rm[:, None] * D + rd[None, :], mask=rm[:, None] < length, other=0.0)
    top = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for n0 in range(0, length, BN):
        rn = n0 + tl.arange(0, BN)
        k = tl.load(k_ptr + base + rn[None, :] * D + rd[:, None], mask=rn[None, :] < length, other=0.0)
        s = tl.dot(q, k) * scale
        s = tl.where(rn[None, :] < length, s, -float("inf"))
        new = tl.maximum(top, tl.max(s, axis=1))
        p = tl.exp(s - new[:, None])
        shrink = tl.exp(top - new)
        v = tl.load(v_ptr + base + rn[:, None] * D + rd[None, :], mask=rn[:, None] < length, other=0.0)
        acc = acc * shrink[:, None] + tl.dot(p.to(q.dtype), v)
        total = total * shrink + tl.sum(p, axis=1)
        top = new
    acc = acc / total[:, None]
    tl.store(o_ptr + base + rm[:, None] * D + rd[None, :], acc.to(o_ptr.dtype.element_ty), mask=rm[:, None] < length)
