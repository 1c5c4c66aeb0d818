#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles functions.glsl and prints functions.inc: the words of its module, without what nothing reads.

usage: words.py > functions.inc
"""

import pathlib
import struct
import subprocess
import sys
import tempfile

NAME, MEMBER_NAME, SOURCE, ENTRY_POINT, EXECUTION_MODE = 5, 6, 3, 15, 16
FOLDER = pathlib.Path(__file__).resolve().parent


def compile_words():
    """The words that glslangValidator makes, with functions that nothing calls."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "functions.spv"
        subprocess.run(["glslangValidator", "--quiet", "--keep-uncalled", "-V", "--target-env", "vulkan1.0", "-S", "vert", "-o", path,
                        FOLDER / "functions.glsl"], check=True)
        data = path.read_bytes()
    return struct.unpack(f"<{len(data) // 4}I", data)


def is_kept(instruction):
    """Names only of the functions that the rewriter calls."""
    opcode = instruction[0] & 0xFFFF
    if opcode == NAME:
        return struct.pack(f"<{len(instruction) - 2}I", *instruction[2:]).startswith(b"footprint_")
    return opcode not in (MEMBER_NAME, SOURCE, ENTRY_POINT, EXECUTION_MODE)


def main():
    """Prints the file."""
    words = compile_words()
    kept, at = list(words[:5]), 5
    while at < len(words):
        count = words[at] >> 16
        if is_kept(words[at:at + count]):
            kept += words[at:at + count]
        at += count
    print("// SPDX-License-Identifier: MIT")
    print("// Written by layer/rewriter/words.py from layer/rewriter/functions.glsl.")
    print("// clang-format off")
    for first in range(0, len(kept), 12):
        print(" ".join(f"0x{word:x}," for word in kept[first:first + 12]))


if __name__ == "__main__":
    sys.exit(main())
