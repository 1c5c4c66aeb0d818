#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the objects of an archive's folder need and show.

usage: symbols.py FOLDER       exit code 1 and a line for each finding

They need no library but the C library's and each other, none of its symbols newer than glibc 2.31, and show nothing that another
library of the same process could have too: LLVM's, Mesa's or libstdc++'s symbols. Libraries show what they are there for. They do not name the folder of the sources, so
that they are the same bytes wherever they are built.
"""

import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import target as targets  # noqa: E402

SOURCES = pathlib.Path(__file__).resolve().parents[1]
C_LIBRARY = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", *(one.loader for one in targets.TARGETS.values())}
OWN = {"libheddle_astcenc.so", "libheddle++.so", "libheddle.so"}
OLDEST = (2, 31)
# What each object shows, beside these nothing.
SHOWN = {
    "heddle": r"(_IO_stdin_used|__(data_start|bss_start)|data_start|_end|_edata|environ|__environ|_environ)$",
    "libheddle_jit.so": r"heddle_jit_module$",
    "libvulkan_heddle.so": r"vk_icd\w+$",
    "libVkLayer_heddle_footprint.so": r"vk\w+$",
    "libheddle.so": r"_ZN?\w*6heddle",
    "_heddle": r"PyInit__heddle$",
    # Both are opened for their own symbols (packaging/astc.cpp), or found by versions that only their user names.
    "libheddle_astcenc.so": r".*",
    "libheddle++.so": r".*",
}
MODULES = "$ORIGIN/../lib/heddle"  # where the archive has what the program opens


def out(*words):
    return subprocess.run([str(w) for w in words], text=True, capture_output=True, check=True).stdout


def is_object(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def findings_of(path):
    name = path.name
    needed = set(re.findall(r"\(NEEDED\).*\[(.+)\]", out("readelf", "-d", path)))
    for library in sorted(needed - C_LIBRARY - OWN):
        yield f"{name} needs {library}"
    for line in out("nm", "-D", "--undefined-only", "--with-symbol-versions", path).splitlines():
        match = re.search(r"(\S+)@GLIBC_(\d+)\.(\d+)", line)
        if match and (int(match[2]), int(match[3])) > OLDEST:
            yield f"{name} needs {match[1]} of glibc {match[2]}.{match[3]}"
    if f"{SOURCES}/".encode() in path.read_bytes():
        yield f"{name} names {SOURCES}, where it was built"
    allowed = next((pattern for key, pattern in SHOWN.items() if name == key or (key == "_heddle" and name.startswith("_heddle."))), None)
    if allowed is None:
        yield f"{name} is not in the list of what an archive has"
        return
    shown = [line.split()[-1].split("@")[0] for line in out("nm", "-D", "--defined-only", path).splitlines()]
    for symbol in shown:
        if not re.match(allowed, symbol):
            yield f"{name} shows {symbol}"
    paths = [word for line in re.findall(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", out("readelf", "-d", path)) for word in line.split(":")]
    if name == "heddle" and MODULES not in paths:
        yield f"{name} does not look for its compiler in {MODULES}"
    if name != "heddle" and not any(re.match(allowed, symbol) for symbol in shown):
        yield f"{name} shows nothing, so that nobody can use it"


def findings(folder):
    objects = sorted(p for p in pathlib.Path(folder).rglob("*") if p.is_file() and not p.is_symlink() and is_object(p))
    if not objects:
        yield f"{folder} has no object"
    for path in objects:
        yield from findings_of(path)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = list(findings(sys.argv[1]))
    print("\n".join(found[:40]), end="\n" if found else "")
    sys.exit(1 if found else 0)
