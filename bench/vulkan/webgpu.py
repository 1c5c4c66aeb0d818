#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""webgpu.py FOLDER NAME=MANIFEST...: what a WebGPU program on Dawn waits for on Vulkan drivers, as a Markdown table.

FOLDER has npm's webgpu, as tests/clients/webgpu.py installs it. Each number is of a process of its own on one processor, without
caches, drivers in turns; the best of some rounds counts.
"""
import json
import os
import subprocess
import sys
import tempfile

import programs

ROUNDS = 7
HERE = os.path.dirname(os.path.abspath(__file__))


def measure(folder, manifest):
    """What webgpu.mjs prints; None where it fails."""
    with tempfile.TemporaryDirectory() as empty:
        environment = dict(os.environ, VK_DRIVER_FILES=manifest, VK_ICD_FILENAMES=manifest, LP_NUM_THREADS="1")
        for variable in ("HEDDLE_CACHE_DIR", "XDG_CACHE_HOME", "MESA_SHADER_CACHE_DIR"):
            environment[variable] = empty
        text = programs.run(["node", os.path.join(HERE, "webgpu.mjs"), folder], environment, 1, 120)
    try:
        return json.loads((text or "").strip().splitlines()[-1])
    except (ValueError, IndexError):
        return None


ROWS = [("to the first texel, from asking for an adapter", lambda f: f["first"]["clock"]),
        ("a pipeline of 37 comparing samples, to its result", lambda f: f["pipeline"]["clock"]),
        ("the same, processor time", lambda f: f["pipeline"]["processor"]),
        ("another compare function, to its result", lambda f: min(state["clock"] for state in f["states"])),
        ("the slowest of five, processor time", lambda f: max(state["processor"] for state in f["states"]))]


def main():
    if len(sys.argv) < 3 or not all("=" in word for word in sys.argv[2:]):
        sys.exit("usage: webgpu.py FOLDER NAME=MANIFEST...")
    folder = os.path.abspath(sys.argv[1])
    drivers = [word.split("=", 1) for word in sys.argv[2:]]
    if not os.path.exists(os.path.join(folder, "node_modules", "webgpu")):
        sys.exit(f"webgpu.py: {folder} has no npm package webgpu (tests/clients/webgpu.py installs it): nothing is measured")
    found = {name: [] for name, _ in drivers}
    for _ in range(ROUNDS):
        for name, manifest in drivers:
            figures = measure(folder, manifest)
            if figures is not None:
                found[name].append(figures)
    rows = [["what", *(name for name, _ in drivers), "better peer / Heddle", "wanted"]]
    for text, figure_of in ROWS:
        best = [min(map(figure_of, found[name]), default=None) for name, _ in drivers]
        others = [value for value in best[1:] if value is not None]
        ratio = f"{min(others) / best[0]:.2f}" if best[0] and others else "-"
        rows.append([text, *("-" if value is None else f"{value:.3g} ms" for value in best), ratio, "1.0"])
    programs.print_table(rows)


if __name__ == "__main__":
    main()
