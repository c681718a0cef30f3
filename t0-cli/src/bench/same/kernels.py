"""Kernels of the list as the tutorials of Triton write them, for gfx1100 and one size: kernels.py DIR N. No GPU is needed.

Writes a code object for each and prints one JSON document: names, launches, and Triton's version.
"""
import json
import pathlib
import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def saxpy(a, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(y_ptr + i, a * tl.load(x_ptr + i, mask=mask) + tl.load(y_ptr + i, mask=mask), mask=mask)


@triton.jit
def saxpy_rows(a, x_ptr, y_ptr, fours, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < 4 * fours
    tl.store(y_ptr + i, a * tl.load(x_ptr + i, mask=mask) + tl.load(y_ptr + i, mask=mask), mask=mask)


@triton.jit
def gelu(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    v = tl.load(x_ptr + i, mask=mask)
    y = v / (1.0 + tl.exp(v * (v * v * -0.071354814 - 1.595769)))
    tl.store(y_ptr + i, y, mask=mask)


@triton.jit
def softmax(x_ptr, y_ptr, rows, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    mask = i < cols
    x = tl.load(x_ptr + row * cols + i, mask=mask, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * cols + i, e / tl.sum(e, axis=0), mask=mask)


@triton.jit
def rmsnorm(eps, x_ptr, w_ptr, y_ptr, rows, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    mask = i < cols
    x = tl.load(x_ptr + row * cols + i, mask=mask, other=0.0)
    scale = 1.0 / tl.sqrt(tl.sum(x * x, axis=0) / cols + eps)
    tl.store(y_ptr + row * cols + i, x * scale * tl.load(w_ptr + i, mask=mask), mask=mask)


@triton.jit
def layernorm(eps, x_ptr, w_ptr, b_ptr, y_ptr, rows, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    mask = i < cols
    x = tl.load(x_ptr + row * cols + i, mask=mask, other=0.0)
    d = tl.where(mask, x - tl.sum(x, axis=0) / cols, 0.0)
    scale = 1.0 / tl.sqrt(tl.sum(d * d, axis=0) / cols + eps)
    y = d * scale * tl.load(w_ptr + i, mask=mask) + tl.load(b_ptr + i, mask=mask)
    tl.store(y_ptr + row * cols + i, y, mask=mask)


@triton.jit
def transpose(x_ptr, y_ptr, rows, cols, TILE: tl.constexpr):
    tiles = tl.cdiv(cols, TILE)
    r = tl.program_id(0) // tiles * TILE + tl.arange(0, TILE)
    c = tl.program_id(0) % tiles * TILE + tl.arange(0, TILE)
    x = tl.load(x_ptr + r[:, None] * cols + c[None, :], mask=(r[:, None] < rows) & (c[None, :] < cols))
    tl.store(y_ptr + c[:, None] * rows + r[None, :], tl.trans(x), mask=(c[:, None] < cols) & (r[None, :] < rows))


@triton.jit
def reduce(x_ptr, total_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(total_ptr, tl.sum(tl.load(x_ptr + i, mask=i < n, other=0.0), axis=0), sem="relaxed")


@triton.jit
def scan_blocks(x_ptr, y_ptr, totals_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0)
    tl.store(y_ptr + i, tl.cumsum(x, axis=0), mask=i < n)
    tl.store(totals_ptr + tl.program_id(0), tl.sum(x, axis=0))


def build(out, fn, types, constants, warps, grid):
    names = [a for a in fn.arg_names if a not in constants]
    signature = {**dict(zip(names, types)), **{c: "constexpr" for c in constants}}
    attrs = {(i,): [["tt.divisibility", 16]] for i, t in enumerate(types) if t not in ("fp32",)}
    source = ASTSource(fn=fn, signature=signature, constexprs=constants, attrs=attrs)
    made = triton.compile(source, target=GPUTarget("hip", "gfx1100", 32), options={"num_warps": warps, "num_stages": 1})
    name = made.metadata.name
    (out / f"{name}.hsaco").write_bytes(made.asm["hsaco"])
    return {"name": name, "lds": made.metadata.shared, "group": 32 * warps, "groups": grid}


def main():
    out, n = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    f, i, u = "*fp32", "i32", "*i32"
    row = {"BLOCK": triton.next_power_of_2(n)}
    kernels = [
        build(out, saxpy, ["fp32", f, f, i], {"BLOCK": 256}, 8, n * n // 256),
        build(out, saxpy_rows, ["fp32", f, f, i], {"BLOCK": 1024}, 8, n * n // 1024),
        build(out, softmax, [f, f, i, i], row, 1, n),
        build(out, rmsnorm, ["fp32", f, f, f, i, i], row, 1, n),
        build(out, layernorm, ["fp32", f, f, f, f, i, i], row, 1, n),
        build(out, transpose, [f, f, i, i], {"TILE": 32}, 8, (n // 32) ** 2),
        build(out, reduce, [f, f, i], {"BLOCK": 256}, 8, n * n // 256),
        build(out, gelu, [f, f, i], {"BLOCK": 256}, 8, n * n // 256),
        build(out, scan_blocks, [u, u, u, i], {"BLOCK": 256}, 8, n * n // 256),
    ]
    print(json.dumps({"version": triton.__version__, "kernels": kernels}))


if __name__ == "__main__":
    main()
