#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""beside_test.py MANIFEST: the driver in one process with another LLVM, whose symbols everybody sees, and with lavapipe.

Each device of the process computes; the exit code 77 says that what is needed can't be had here.
"""

import glob
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

TRY = pathlib.Path(__file__).resolve().parents[2] / "packaging/try"


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def run(folder, manifests, *first):
    environment = dict(os.environ, VK_DRIVER_FILES=":".join(manifests), VK_ICD_FILENAMES=":".join(manifests))
    done = subprocess.run([folder / "squares", folder / "squares.spv", *first], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(done.stdout)
    devices = [line.split(":")[0] for line in done.stdout.splitlines() if line.endswith("256 numbers are right")]
    if done.returncode != 0 or not any("Heddle" in d for d in devices):
        sys.exit(f"Heddle's device did not compute beside {manifests[1:] or first}")
    return devices


def main():
    for program in ("clang-19", "glslangValidator"):
        if shutil.which(program) is None:
            skip(f"{program} is not installed")
    tried = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run(["glslangValidator", "-V", TRY / "squares.comp", "-o", folder / "squares.spv"], check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["clang-19", "-O1", TRY / "squares.c", "-o", folder / "squares", "-ldl"], check=True)
        for library in sorted({os.path.realpath(p) for p in glob.glob("/usr/lib/x86_64-linux-gnu/libLLVM-*.so*") + glob.glob("/usr/lib/x86_64-linux-gnu/libLLVM.so*")}):
            run(folder, [sys.argv[1]], library)
            tried += 1
        for manifest in glob.glob("/usr/share/vulkan/icd.d/lvp_icd*.json"):
            for order in ([sys.argv[1], manifest], [manifest, sys.argv[1]]):
                if len(run(folder, order)) < 2:
                    sys.exit("lavapipe did not compute beside Heddle")
            tried += 1
    if tried == 0:
        skip("there is no other LLVM and no lavapipe")


if __name__ == "__main__":
    main()
