#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The Python module beside the C++ library, OpenCV and SciPy: one run, one thread, the best of several times.

usage: PYTHONPATH=build/release/python bench/python/speed.py [C++ program of bench/python/native.cpp]
"""

import subprocess
import sys
import time

import numpy as np

import heddle


def best(function, times=9):
    """Seconds of the fastest call; the first one warms up."""
    function()
    found = []
    for _ in range(times):
        began = time.perf_counter()
        function()
        found.append(time.perf_counter() - began)
    return min(found)


def native(program):
    """The times of the C++ library by name, in seconds."""
    if program is None:
        return {}
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    return {name: float(value) for name, value in (line.split() for line in done.stdout.splitlines())}


def row(name, ours, others):
    print(f"| {name} | {ours * 1e3:.3f} ms | " + ", ".join(f"{who} {value * 1e3:.3f} ms: {ours / value:.2f} times" for who, value in others.items() if value) + " |", flush=True)


def bilinear(cpp):
    rng = np.random.default_rng(1)
    u, v = rng.random((2, 1_000_000), np.float32)
    byte, single = rng.integers(0, 256, (1024, 1024, 4), np.uint8), rng.random((1024, 1024), np.float32)
    sampler = heddle.Sampler("linear,clamp_to_edge")
    for name, texels in (("RGBA8", byte), ("float32", single)):
        image, out = heddle.Image(texels), np.empty((1_000_000, 4), np.float32)
        ours = best(lambda: heddle.sample(image, sampler, u, v, out=out))
        others = {"C++": cpp.get(f"bilinear_{name}")}
        try:
            import cv2

            cv2.setNumThreads(1)
            x, y = (u * 1024 - .5).reshape(1000, 1000), (v * 1024 - .5).reshape(1000, 1000)
            others["OpenCV remap"] = best(lambda: cv2.remap(texels, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE))
        except ImportError:
            print("note: OpenCV is not installed (Debian: python3-opencv)", file=sys.stderr)
        try:
            from scipy.ndimage import map_coordinates

            places = np.stack([v * 1024 - .5, u * 1024 - .5])
            channels = [texels] if texels.ndim == 2 else [texels[..., c].astype(np.float32) for c in range(4)]
            others["SciPy map_coordinates"] = best(lambda: [map_coordinates(c, places, order=1, mode="nearest") for c in channels], 2)
        except ImportError:
            print("note: SciPy is not installed (Debian: python3-scipy)", file=sys.stderr)
        row(f"bilinear, 1 M coordinates, {name} 1024x1024", ours, others)


def calls():
    image, sampler = heddle.Image(np.zeros((64, 64, 4), np.uint8)), heddle.Sampler("linear,repeat")

    def loop():
        for _ in range(100_000):
            heddle.sample(image, sampler, .3, .4)

    seconds = best(loop, 4)
    print(f"| 100,000 calls with one coordinate | {seconds * 1e3:.1f} ms | {seconds * 10:.2f} microseconds a call |", flush=True)


def decoding(cpp):
    rng = np.random.default_rng(2)
    for name, format in (("BC7", "BC7_UNORM"), ("ASTC 4x4", "ASTC_LDR_2D_4X4_FLT16")):
        if format not in heddle.formats():
            format = next(f for f in heddle.formats() if f.startswith("ASTC") and "4X4" in f and "LDR" in f)
        blocks = rng.integers(0, 256, 1024 * 1024, np.uint8)
        image = heddle.Image(blocks, format=format, width=1024, height=1024)
        others = {"C++": cpp.get("decode_" + name.split()[0])}
        if name.startswith("ASTC"):
            others |= {"libastcenc, floats": cpp.get("astcenc_floats"), "libastcenc, bytes": cpp.get("astcenc_bytes")}
        row(f"decode {name} 1024x1024", best(image.decode), others)


KERNEL = """
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 8 8 1
OpName %data "data"
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %floats ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %data DescriptorSet 0
OpDecorate %data Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%uint3 = OpTypeVector %uint 3
%pin = OpTypePointer Input %uint3
%id = OpVariable %pin Input
%floats = OpTypeRuntimeArray %float
%block = OpTypeStruct %floats
%pb = OpTypePointer StorageBuffer %block
%pf = OpTypePointer StorageBuffer %float
%data = OpVariable %pb StorageBuffer
%zero = OpConstant %uint 0
%side = OpConstant %uint 64
%half = OpConstant %float 0.5
%main = OpFunction %void None %fn
%l = OpLabel
%g = OpLoad %uint3 %id
%x = OpCompositeExtract %uint %g 0
%y = OpCompositeExtract %uint %g 1
%r = OpIMul %uint %y %side
%i = OpIAdd %uint %r %x
%p = OpAccessChain %pf %data %zero %i
%v = OpLoad %float %p
%m = OpFMul %float %v %half
OpStore %p %m
OpReturn
OpFunctionEnd
"""


def kernels():
    kernel, buffer = heddle.Kernel(heddle.compile(KERNEL)), heddle.Buffer(64 * 64 * 4)
    given = dict(buffers={"data": buffer}, size=(64, 64), threads=1)
    for _ in range(300):
        kernel.run(**given)
    time.sleep(1)  # the second tier
    plan = kernel.prepare(**given)
    inside = [plan().run_seconds for _ in range(3000)]
    row("kernel run 64x64, Kernel.run", best(lambda: [kernel.run(**given) for _ in range(1000)], 5) / 1000, {"C++ engine alone": min(inside)})
    row("kernel run 64x64, kept plan", best(lambda: [plan() for _ in range(1000)], 5) / 1000, {"C++ engine alone": min(inside)})


if __name__ == "__main__":
    times = native(sys.argv[1] if len(sys.argv) > 1 else None)
    print("| work | Python | beside |\n|---|---|---|")
    bilinear(times)
    calls()
    decoding(times)
    kernels()
