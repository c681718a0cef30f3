#!/usr/bin/env python3
"""Launches what compile.py wrote with `t0 run` on the simulated card and compares the results.

    run.py DIR [--t0 PATH] [--sanitize | --check] [CASE…]

With --check the code objects are not launched but given to `t0 check`, whose findings are failures but for those of TRUE_CHECK.
With --sanitize a finding of the simulated card's sanitizer is a failure too, even a warning, but for those of TRUE.

Only NumPy is needed here. Exit status 0: everything is as expected.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import time

import numpy as np

# Warnings that are true findings in Triton's code: its LLVM is older than llvm/llvm-project#220348, which this rule is from.
TRUE = {"vopd-parity"}
# And that the launch must give the LDS, as Triton's launcher does (see `command`).
TRUE_CHECK = TRUE | {"lds-size"}


def numbers(a, ty):
    if ty == "bf16":
        return (a.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return a.astype(np.float64) if a.dtype.kind == "f" else a.astype(np.int64)


def command(t0, folder, case, sanitize):
    line = [t0, "run", str(folder / case["hsaco"]), "--kernel", case["kernel"], "--device", "sim", "--json"]
    line += ["--grid", ",".join(map(str, case["grid"])), "--block", str(case["block"])]
    if case["lds"]:
        # Triton declares no LDS in the code object: its launcher asks for it.
        line += ["--lds", str(case["lds"])]
    outputs = {}
    for i, a in enumerate(case["args"]):
        to = folder / case["name"] / f"result{i}.npy"
        if a["kind"] == "value":
            text = a["text"]
        elif a["kind"] == "in":
            text = f"in:{folder / a['data']}"
        elif a["kind"] == "inout":
            text = f"inout:{folder / a['data']}:{to}"
            outputs[i] = to
        else:
            text = f"out:{to}:{a['type']}:{'x'.join(map(str, a['shape']))}"
            outputs[i] = to
        line += ["--arg", text]
    return line + ["--sanitize"] * sanitize, outputs


def static(t0, folder, case):
    """What `t0 check` finds that is not explained, or nothing."""
    ran = subprocess.run([t0, "check", str(folder / case["hsaco"]), "--json"], capture_output=True, text=True)
    if not ran.stdout:
        return ran.stderr.strip()
    kernels = json.loads(ran.stdout)["kernels"]
    if not kernels:
        return "no kernel was found in it"
    wrong = [f for k in kernels for f in k["findings"] if f["rule"] not in TRUE_CHECK]
    return "; ".join(f"{f['rule']} at {f['offset']:#x}: {f['text']}" for f in wrong) or None


def check(case, folder, outputs):
    """What is wrong with the results, or nothing."""
    for i, path in outputs.items():
        a = case["args"][i]
        got, want = numbers(np.load(path), a.get("type")), np.load(folder / a["expected"])
        tolerance = np.load(folder / a["tolerance"]) if "tolerance" in a else np.zeros(want.shape)
        error = np.abs(got - want)
        wrong = ~(error <= tolerance)
        if wrong.any():
            at = tuple(int(v) for v in np.argwhere(wrong)[0])
            return f"argument {i}: {int(wrong.sum())} of {wrong.size} are wrong, first {at}: {got[at]}, expected {want[at]}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--t0", default="t0")
    parser.add_argument("--sanitize", action="store_true", help="watch every access and follow undefined values")
    parser.add_argument("--check", action="store_true", help="only what `t0 check` says")
    parser.add_argument("cases", nargs="*", help="only these")
    options = parser.parse_intermixed_args()
    document = json.loads((options.folder / "cases.json").read_text())
    chosen = [c for c in document["cases"] if not options.cases or c["name"] in options.cases]
    failed = 0
    for case in chosen if options.check else []:
        start = time.monotonic()
        why = static(options.t0, options.folder, case)
        failed += why is not None
        print(f"{'FAILED' if why else 'ok':6} {case['name']} ({time.monotonic() - start:.2f} s)" + (f": {why}" if why else ""), flush=True)
    for case in [] if options.check else chosen:
        line, outputs = command(options.t0, options.folder, case, options.sanitize)
        for path in outputs.values():
            path.unlink(missing_ok=True)
        start = time.monotonic()
        ran = subprocess.run(line, capture_output=True, text=True)
        seconds = time.monotonic() - start
        found = [] if ran.returncode else json.loads(ran.stdout)["findings"]
        if ran.returncode or any(f["rule"] not in TRUE for f in found):
            why = (ran.stdout + ran.stderr).strip()
        else:
            why = check(case, options.folder, outputs)
        failed += why is not None
        instructions = "" if ran.returncode else f", {json.loads(ran.stdout)['wave_instructions']} wave instructions"
        print(f"{'FAILED' if why else 'ok':6} {case['name']} ({seconds:.2f} s{instructions})" + (f": {why}" if why else ""), flush=True)
    print(f"{len(chosen) - failed} of {len(chosen)} Triton {document['triton']} kernels are right")
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
