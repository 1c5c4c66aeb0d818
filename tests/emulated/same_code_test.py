#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""same_code_test.py FOLDER PROGRAM [ARGUMENT...]: the program compiles its kernels twice, once with the LLVM that is in it and
once with that of the machine at hand (FOLDER: the module that asks it). The code is the same, byte by byte."""

import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77


def objects(elsewhere, program):
    """The object files that the program keeps, sorted; the first tier's and the second's."""
    with tempfile.TemporaryDirectory(prefix="heddle-code-") as cache:
        environment = dict(os.environ, HEDDLE_CACHE_DIR=cache, HEDDLE_INTERPRET="off")
        environment.pop("LD_LIBRARY_PATH", None)
        if elsewhere:
            environment["LD_LIBRARY_PATH"] = elsewhere
        subprocess.run(program, env=environment, check=True)
        files = [file.read_bytes() for file in pathlib.Path(cache).glob("*.kernel")]
        return sorted(data[data.index(b"\x7fELF"):] for data in files)


def main():
    folder, *program = sys.argv[1:]
    if "HEDDLE_COMPILER_SOCKET" not in os.environ:
        print("skipped: nobody compiles at HEDDLE_COMPILER_SOCKET ('./dev test --arm64' starts who does)")
        return SKIPPED
    if not any(pathlib.Path(folder).glob("libheddle_jit*")):
        print(f"{folder} has no compiler module: build heddle_jit_elsewhere")
        return 1
    inside, elsewhere = objects(None, program), objects(folder, program)
    print(f"{len(inside)} object files, {sum(map(len, inside))} bytes")
    if not inside or inside != elsewhere:
        differ = sum(a != b for a, b in zip(inside, elsewhere))
        print(f"with the machine's LLVM: {len(elsewhere)} object files, {differ} of them others")
        return 1
    return 0


sys.exit(main())
