"""Writes the assembly text of a code object whose first kernel has more than 5,000 instructions, and a small second one.

Usage: large.py OUT.s. Loops in loops, branches over rarely used code behind the end, every functional group, and a register
pressure that rises and falls: what makes a listing slow or hard to read. It can be launched without arguments.
"""
import sys

ROUNDS = 60


def block(k):
    """About 85 instructions: an outer loop with an inner one, LDS, matrix and transcendental instructions, a rare branch."""
    top = 16 + k % 12 * 14
    out = [f"  s_mov_b32 s4, 2", f".Louter{k}:", "  s_mov_b32 s5, 2"]
    out += [f"  v_mov_b32 v{r}, 0x{r + k:x}" for r in range(16, top + 16)][:24]
    out += [f".Linner{k}:"]
    out += [f"  v_fma_f32 v{16 + r % 8}, v{16 + r % 8}, v{17 + r % 8}, v{r % 8}" for r in range(16)]
    out += [f"  v_exp_f32 v{r}, v{r}" for r in range(4)]
    out += ["  ds_store_b32 v0, v1", "  ds_load_b32 v2, v0", "  s_waitcnt lgkmcnt(0)", "  v_add_f32 v3, v3, v2"]
    out += ["  s_sub_u32 s5, s5, 1", "  s_cmp_lg_u32 s5, 0", f"  s_cbranch_scc1 .Linner{k}"]
    out += ["  v_wmma_f32_16x16x16_f16 v[200:207], v[184:191], v[192:199], v[200:207]"]
    out += [f"  s_cmp_eq_u32 s4, 77", f"  s_cbranch_scc1 .Lrare{k}", f".Lback{k}:"]
    out += [f"  v_add_nc_u32 v{r}, v{r}, v{r + 1}" for r in range(16, 36)]
    out += ["  s_barrier", "  s_sub_u32 s4, s4, 1", "  s_cmp_lg_u32 s4, 0", f"  s_cbranch_scc1 .Louter{k}"]
    return out


def rare(k):
    return [f".Lrare{k}:", "  v_mov_b32 v3, 1.0", f"  s_branch .Lback{k}"]


def kernel(name, body):
    return [f".globl {name}", ".p2align 8", f".type {name},@function", f"{name}:", *body, f".Lend_{name}:",
            f".size {name}, .Lend_{name}-{name}"]


def descriptor(name, vgprs):
    return [f".amdhsa_kernel {name}", f"  .amdhsa_next_free_vgpr {vgprs}", "  .amdhsa_next_free_sgpr 16",
            "  .amdhsa_group_segment_fixed_size 4096", ".end_amdhsa_kernel"]


def main():
    start = ["  v_lshlrev_b32 v0, 2, v0"] + [f"  v_mov_b32 v{r}, 0" for r in range(1, 208)]
    large = start + [line for k in range(ROUNDS) for line in block(k)] + ["  s_endpgm"] + [line for k in range(ROUNDS) for line in rare(k)]
    text = ['.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"', ".text", *kernel("large", large),
            *kernel("small", ["  v_mov_b32 v1, 0", "  v_add_f32 v1, v1, v1", "  s_endpgm"]),
            ".fill 64, 4, 0xbf9f0000", ".rodata", ".p2align 6", *descriptor("large", 208), *descriptor("small", 8)]
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write("\n".join(text) + "\n")


main()
