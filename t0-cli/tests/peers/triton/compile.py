#!/usr/bin/env python3
"""Compiles the Triton kernels for gfx1100 and writes, for each case, what is needed to run and check it without Triton.

    compile.py DIR      writes DIR/CASE.hsaco, DIR/CASE/*.npy (inputs and expected results) and DIR/cases.json

Inputs come from seeded generators, expected results from NumPy in f64 or integers. No GPU is needed.
"""
import json
import os
import pathlib
import sys
import zlib

os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")

import numpy as np
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import kernels as K

TARGET = GPUTarget("hip", "gfx1100", 32)
TYPES = {"f16": "fp16", "bf16": "bf16", "f32": "fp32", "i8": "i8", "i32": "i32"}


def bf16_bits(x):
    """The nearest bf16 of f32 numbers, as bits: NumPy has no such type."""
    u = np.asarray(x, np.float32).view(np.uint32)
    return ((u + 0x7FFF + (u >> 16 & 1)) >> 16).astype(np.uint16)


def encode(x, ty):
    """Numbers as the kernel's type; and what they then are."""
    if ty == "bf16":
        bits = bf16_bits(x)
        return bits, (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    a = np.asarray(x).astype({"f16": np.float16, "f32": np.float32, "i8": np.int8, "i32": np.int32}[ty])
    return a, a.astype(np.float64)


class Case:
    """A kernel, its launch, its arguments and what must come out."""

    def __init__(self, name, fn, constants, warps, stages=1):
        self.name, self.fn, self.constants, self.warps, self.stages = name, fn, constants, warps, stages
        self.args, self.signature, self.grid = [], {}, [1, 1, 1]
        self.rng = np.random.default_rng(zlib.crc32(name.encode()))

    def _parameter(self):
        return self.fn.arg_names[len(self.args)]

    def read(self, x, ty):
        """An input array; returns its numbers as the kernel sees them."""
        self.signature[self._parameter()] = "*" + TYPES[ty]
        data, seen = encode(x, ty)
        self.args.append({"kind": "in", "data": data})
        return seen

    def change(self, before, ty, result):
        """An array that is read and written; integers, compared exactly."""
        self.signature[self._parameter()] = "*" + TYPES[ty]
        self.args.append({"kind": "inout", "data": encode(before, ty)[0], "expected": np.asarray(result)})

    def write(self, shape, ty):
        """An output, whose expected values `expect` gives."""
        self.signature[self._parameter()] = "*" + TYPES[ty]
        self.args.append({"kind": "out", "type": ty, "shape": list(shape)})

    def value(self, v, ty):
        self.signature[self._parameter()] = TYPES[ty]
        self.args.append({"kind": "value", "text": f"{ty}:{v}"})

    def expect(self, index, values, tolerance):
        """What output `index` must hold: exact (tolerance 0) or within `tolerance`, an array or a number."""
        values = np.asarray(values)
        self.args[index]["expected"] = values
        self.args[index]["tolerance"] = np.broadcast_to(np.asarray(tolerance, np.float64), values.shape)

    def compile(self, out):
        signature = {**self.signature, **{c: "constexpr" for c in self.constants}}
        pointers = [i for i, t in enumerate(signature.values()) if t.startswith("*")]
        attrs = {(i,): [["tt.divisibility", 16]] for i in pointers}
        source = ASTSource(fn=self.fn, signature=signature, constexprs=self.constants, attrs=attrs)
        made = triton.compile(source, target=TARGET, options={"num_warps": self.warps, "num_stages": self.stages})
        (out / f"{self.name}.hsaco").write_bytes(made.asm["hsaco"])
        folder = out / self.name
        folder.mkdir(exist_ok=True)
        args = []
        for i, a in enumerate(self.args):
            entry = {k: v for k, v in a.items() if k in ("kind", "text", "type", "shape")}
            for key in ("data", "expected", "tolerance"):
                if key in a:
                    entry[key] = f"{self.name}/{key}{i}.npy"
                    np.save(out / entry[key], np.ascontiguousarray(a[key]))
            args.append(entry)
        # Scratch memory for global and profile data: two more pointers, which these kernels do not use.
        args += [{"kind": "value", "text": "u64:0"}] * 2
        crc = {str(i): crc_of(a["expected"]) for i, a in enumerate(self.args) if exact(a)}
        return {
            "name": self.name, "kernel": made.metadata.name, "hsaco": f"{self.name}.hsaco", "grid": self.grid,
            "block": self.warps * 32, "lds": made.metadata.shared, "args": args, "crc": crc,
        }


def exact(arg):
    return "expected" in arg and not np.any(arg.get("tolerance", 0))


def crc_of(a):
    """CRC-32 of the numbers as little-endian i64: the same wherever it is computed."""
    return zlib.crc32(np.ascontiguousarray(a).astype("<i8").tobytes())


def add_case(ty, n, warps):
    c = Case(f"add_{ty}_{n}", K.add, {"BLOCK": 256}, warps)
    x = c.read(c.rng.standard_normal(n) if ty != "i32" else c.rng.integers(-2**30, 2**30, n), ty)
    y = c.read(c.rng.standard_normal(n) if ty != "i32" else c.rng.integers(-2**30, 2**30, n), ty)
    c.write([n], ty)
    c.value(n, "i32")
    # One rounding to the type; f16 and bf16 sums may be rounded to f32 first.
    unit = {"i32": 0, "f32": 2.0**-24, "f16": 2.0**-11, "bf16": 2.0**-8}[ty]
    c.expect(2, x + y if ty != "i32" else (x + y).astype(np.int64), np.abs(x + y) * unit * 1.01)
    c.grid = [-(-n // 256), 1, 1]
    return c


def softmax_case(ty, rows, cols, warps):
    c = Case(f"softmax_{ty}_{rows}x{cols}_{warps}", K.softmax, {"BLOCK": 1 << (cols - 1).bit_length()}, warps)
    c.write([rows, cols], ty)
    x = c.read(c.rng.standard_normal((rows, cols)) * 4, ty)
    c.value(cols, "i32")
    c.value(cols, "i32")
    e = np.exp(x - x.max(axis=1, keepdims=True))
    y = e / e.sum(axis=1, keepdims=True)
    unit = {"f32": 0, "f16": 2.0**-11, "bf16": 2.0**-8}[ty]
    c.expect(0, y, y * (unit + 1e-5) + (2.0**-24 if ty == "f16" else 0))
    c.grid = [rows, 1, 1]
    return c


def layernorm_case(rows, cols, warps):
    c = Case(f"layernorm_{rows}x{cols}_{warps}", K.layernorm, {"BLOCK": 1 << (cols - 1).bit_length()}, warps)
    c.write([rows, cols], "f32")
    x, w, b = (c.read(c.rng.standard_normal(s), "f32") for s in ((rows, cols), cols, cols))
    c.value(cols, "i32")
    c.value(1e-5, "f32")
    d = x - x.mean(axis=1, keepdims=True)
    y = d / np.sqrt((d * d).mean(axis=1, keepdims=True) + 1e-5) * w + b
    c.expect(0, y, 4e-6 * (1 + np.abs(y) + np.abs(x * w)))
    c.grid = [rows, 1, 1]
    return c


def matmul_case(ty, shape, tile, warps, stages, small=False):
    (m, n, k), (bm, bn, bk) = shape, tile
    name = f"matmul_{ty}_{m}x{n}x{k}_{bm}x{bn}x{bk}_w{warps}_s{stages}" + ("_exact" if small else "")
    c = Case(name, K.matmul, {"BM": bm, "BN": bn, "BK": bk}, warps, stages)
    if ty == "i8":
        draw = lambda s: c.rng.integers(-128, 128, s)
    elif small:
        draw = lambda s: c.rng.integers(-3, 4, s)
    else:
        draw = lambda s: c.rng.uniform(-1, 1, s)
    a, b = c.read(draw((m, k)), ty), c.read(draw((k, n)), ty)
    c.write([m, n], "i32" if ty == "i8" else "f32")
    for v in shape:
        c.value(v, "i32")
    exactly = ty == "i8" or small
    # Every addition may lose a unit of f32, in whatever order.
    bound = 0 if exactly else (k + 16) * 2.0**-23 * (np.abs(a) @ np.abs(b))
    c.expect(2, (a @ b).astype(np.int64) if exactly else a @ b, bound)
    c.grid = [-(-m // bm), -(-n // bn), 1]
    return c


def histogram_case(n):
    c = Case(f"histogram_{n}", K.histogram, {"BLOCK": 256}, 4)
    x = c.rng.integers(0, 37, n)
    before = np.arange(37)
    c.change(before, "i32", before + np.bincount(x, minlength=37))
    c.read(x, "i32")
    c.value(n, "i32")
    c.grid = [-(-n // 256), 1, 1]
    return c


def running_sum_case(rows, cols):
    c = Case(f"running_sum_{rows}x{cols}", K.running_sum, {"BLOCK": 1 << (cols - 1).bit_length()}, 4)
    c.write([rows, cols], "i32")
    x = c.read(c.rng.integers(-1000, 1000, (rows, cols)), "i32")
    c.value(cols, "i32")
    c.expect(0, np.cumsum(x, axis=1).astype(np.int64), 0)
    c.grid = [rows, 1, 1]
    return c


def sort_case(rows, cols):
    c = Case(f"sort_{rows}x{cols}", K.sort_rows, {"BLOCK": cols}, 4)
    c.write([rows, cols], "i32")
    x = c.read(c.rng.integers(-2**31, 2**31, (rows, cols)), "i32")
    c.expect(0, np.sort(x, axis=1).astype(np.int64), 0)
    c.grid = [rows, 1, 1]
    return c


def attention_case(ty, heads, length, d, warps):
    c = Case(f"attention_{ty}_{heads}x{length}x{d}_w{warps}", K.attention, {"D": d, "BM": 64, "BN": 32}, warps)
    shape = (heads, length, d)
    c.write(shape, ty)
    q, k, v = (c.read(c.rng.standard_normal(shape), ty) for _ in range(3))
    c.value(length, "i32")
    c.value(d**-0.5, "f32")
    s = q @ k.transpose(0, 2, 1) * d**-0.5
    e = np.exp(s - s.max(axis=2, keepdims=True))
    p = e / e.sum(axis=2, keepdims=True)
    # Weights are rounded to the type before they meet v, the result once more.
    unit = {"f16": 2.0**-11, "bf16": 2.0**-8}[ty]
    c.expect(0, p @ v, 2 * unit * (p @ np.abs(v)) + unit * np.abs(p @ v) + 1e-5)
    c.grid = [-(-length // 64), heads, 1]
    return c


def cases():
    for ty, n, warps in [("f32", 1, 4), ("f32", 1009, 4), ("f16", 777, 1), ("bf16", 777, 2), ("i32", 2048, 8)]:
        yield add_case(ty, n, warps)
    for ty, rows, cols, warps in [("f32", 3, 781, 4), ("f32", 2, 33, 1), ("f16", 5, 256, 2), ("bf16", 2, 1000, 8)]:
        yield softmax_case(ty, rows, cols, warps)
    yield layernorm_case(4, 500, 2)
    for ty in ("f16", "bf16"):
        for warps in (1, 2, 4, 8):
            for stages in (1, 2):
                yield matmul_case(ty, (65, 100, 77), (64, 64, 32), warps, stages, small=warps in (1, 8))
    yield matmul_case("f16", (128, 128, 128), (128, 128, 32), 8, 2)
    yield matmul_case("f16", (33, 17, 1), (32, 32, 16), 4, 1)
    yield matmul_case("f32", (40, 33, 20), (32, 32, 16), 4, 1)
    yield matmul_case("i8", (65, 100, 77), (64, 64, 32), 4, 1)
    yield matmul_case("i8", (64, 64, 128), (64, 64, 32), 2, 2)
    yield histogram_case(1000)
    yield running_sum_case(3, 500)
    yield sort_case(2, 256)
    yield attention_case("f16", 2, 100, 64, 4)
    yield attention_case("bf16", 1, 65, 32, 2)


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    made = []
    for case in cases():
        made.append(case.compile(out))
        print(case.name, flush=True)
    # The inputs and results whose sums are recorded: another NumPy that draws other numbers shows here.
    recorded = json.loads((pathlib.Path(__file__).parent / "expected.json").read_text())
    sums = {c["name"]: c["crc"] for c in made if c["crc"]}
    if "--record" in sys.argv:
        (pathlib.Path(__file__).parent / "expected.json").write_text(json.dumps(sums, indent=1, sort_keys=True) + "\n")
    elif sums != recorded:
        sys.exit(f"expected results differ from expected.json: {sorted(k for k in sums if sums[k] != recorded.get(k))}")
    (out / "cases.json").write_text(json.dumps({"triton": triton.__version__, "cases": made}, indent=1) + "\n")


if __name__ == "__main__":
    main()
