#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The printers of debug/ in gdb and in lldb. usage: printers_test.py gdb|lldb PROGRAM. Exit code 77: no such debugger."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXPECTED = {
    "general": "(-)V33(1,2)<8;8,1>",
    "raw": "V34.64",
    "null_raw": "%null",
    "immediate": "0x3f800000:f",
    "indirect": "r[A2(0),-16]<1>:hf",
    "predicate": "P1",
    "surface_index": "T6",
    "resolved": "General 33 f at byte 1056 of 1024 to 1152, contiguous",
    "surface": "Dim2 R8G8B8A8_UNORM 256x128, 9 levels, Y, no memory 'brick'",
    "buffer": "Buffer R8G8B8A8_UNORM, 10 entries, no memory",
    "tap": "Texel (3, 4) of slice 5, from (-1, 4, 0), no weight",
    "value": "%12 {variable 40:f+32, 0x7:ud} pointer to %9 in Registers",
    "part": "variable 40:f+32",
    "none": "none",
}


def command(debugger, program):
    if debugger == "gdb":
        words = [f"source {ROOT}/debug/heddle_gdb.py", "break show", "run", "up"]
        words += [f"print {name}" for name in EXPECTED]
        return ["gdb", "-nx", "-batch"] + [part for word in words for part in ("-ex", word)] + [program]
    words = [f"command script import {ROOT}/debug/heddle_lldb.py", "breakpoint set --name show", "run", "up"]
    words += [f"frame variable {name}" for name in EXPECTED]
    return [lldb_name(), "--no-lldbinit", "--batch"] + [part for word in words for part in ("-o", word)] + [program]


def lldb_name():
    return next((name for name in ("lldb", "lldb-19") if shutil.which(name)), "lldb")


def main():
    debugger, program = sys.argv[1:]
    if shutil.which(lldb_name() if debugger == "lldb" else debugger) is None:
        print(f"skipped: {debugger} is not installed")
        return 77
    environment = {name: value for name, value in os.environ.items() if name not in ("DEBUGINFOD_URLS", "PYTHONPATH")}
    result = subprocess.run(command(debugger, program), env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                            text=True, timeout=600)
    output = result.stdout + result.stderr
    if any(word in output for word in ("ptrace: Operation not permitted", "Could not trace the inferior", "'A' packet returned an error")):
        print(f"skipped: {debugger} may not start programs here")
        return 77
    if debugger == "gdb":
        shown = dict(zip(EXPECTED, re.findall(r"^\$\d+ = (.*)$", output, re.M)))
    else:
        shown = dict(re.findall(r"^\([^)]*\) (\w+) = (.*)$", output, re.M))
    missing = [name for name, text in EXPECTED.items() if shown.get(name) != text]
    for name in missing:
        print(f"{name} is shown as {shown.get(name)!r}, not as {EXPECTED[name]!r}")
    if missing:
        print(output)
    return 1 if missing else 0


sys.exit(main())
