"""A bf16 matrix product C = A B^T as the tutorials of Triton write it; compiled with Triton 3.9.0 for gfx1100: gemm_nt.py OUT.co"""
import pathlib
import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def gemm_nt(a_ptr, b_ptr, c_ptr, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    pid = tl.program_id(0)
    cols = tl.cdiv(n, BN)
    in_group = GROUP * cols
    first = pid // in_group * GROUP
    size = min(tl.cdiv(m, BM) - first, GROUP)
    pm = first + pid % in_group % size
    pn = pid % in_group // size
    rm = (pm * BM + tl.arange(0, BM)) % m
    rn = (pn * BN + tl.arange(0, BN)) % n
    rk = tl.arange(0, BK)
    a = a_ptr + rm[:, None] * k + rk[None, :]
    b = b_ptr + rn[None, :] * k + rk[:, None]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, tl.cdiv(k, BK)):
        acc = tl.dot(tl.load(a), tl.load(b), acc)
        a += BK
        b += BK
    cm, cn = pm * BM + tl.arange(0, BM), pn * BN + tl.arange(0, BN)
    tl.store(c_ptr + cm[:, None] * n + cn[None, :], acc.to(tl.bfloat16), mask=(cm[:, None] < m) & (cn[None, :] < n))


BM, BN, BK = 128, 128, 32
signature = {**{p: "*bf16" for p in ("a_ptr", "b_ptr", "c_ptr")}, **{p: "i32" for p in "mnk"}, **{p: "constexpr" for p in ("BM", "BN", "BK", "GROUP")}}
attrs = {(i,): [["tt.divisibility", 16]] for i in range(6)}
source = ASTSource(gemm_nt, signature, {"BM": BM, "BN": BN, "BK": BK, "GROUP": 8}, attrs)
made = triton.compile(source, target=GPUTarget("hip", "gfx1100", 32), options={"num_warps": 4, "num_stages": 2})
pathlib.Path(sys.argv[1]).write_bytes(made.asm["hsaco"])
print("LDS bytes", made.metadata.shared, "waves", made.metadata.num_warps)
