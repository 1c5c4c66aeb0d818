# SPDX-License-Identifier: MIT
"""What is tried of the wheel, where the archive is unpacked: a sampled image, and a kernel that the compiler made."""

import pathlib
import sys

import numpy

import heddle

folder = next(p for p in pathlib.Path(".").glob("heddle-*-linux-*") if p.is_dir())
image = heddle.Image(numpy.full((2, 2, 4), 255, numpy.uint8))
assert heddle.sample(image, "linear", numpy.zeros(3), numpy.zeros(3)).shape == (3, 4)
target = heddle.Image.empty(width=16, height=16)
report = heddle.Kernel(heddle.Program(str(folder / "examples/first.visaasm"))).run(
    images={"T6": image}, samplers={"S0": "nearest"}, targets={"T7": target}, inputs={"u": "uv.x", "v": "uv.y"})
assert numpy.asarray(target).any() and "fast engine" in repr(report), repr(report)
print(f"Python's module works: Python {sys.version_info[0]}.{sys.version_info[1]}, NumPy {numpy.__version__}")
