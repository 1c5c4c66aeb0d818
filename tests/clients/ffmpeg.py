#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ffmpeg.py MANIFEST: Vulkan filters of Debian's ffmpeg on the driver of MANIFEST, against its CPU filters by PSNR.

The exit code 77 says that something can't be had here, or that HEDDLE_TEST_CLIENTS is not set.
"""
import os
import re
import shutil
import subprocess
import sys

import screen

# The blur's samples lie between four texels, in each of its two passes: the CPU takes their means first. What its passes do where
# the picture ends, and the first picture of several planes, are wrong on every driver, and left out.
MEANS = "convolution=" + ":".join(f"{plane}m=1 1 0 1 1 0 0 0 0:{plane}rdiv=0.25" for plane in range(4))
INSIDE = "crop=iw-32:ih-32"
# What runs on the driver, what on the CPU, and the PSNR in dB that the two must reach. Pictures are sources 0 and 1.
CASES = {
    "scale": ("[0]format=rgba,hwupload,scale_vulkan=w=640:h=480,hwdownload,format=rgba[a]",
              "[1]format=rgba,scale=w=640:h=480:flags=bilinear[b]", 45),
    "overlay": ("[0]format=rgba,hwupload[p];[2]format=rgba,hwupload[q];[p][q]overlay_vulkan=x=40:y=30,hwdownload,format=rgba[a]",
                "[1]format=rgba[r];[3]format=rgba[s];[r][s]overlay=x=40:y=30:format=gbrp,format=rgba[b]", 60),
    # Two planes: what ffmpeg 5.1 uploads into three differs from run to run, on lavapipe as well.
    "overlay of planes": ("[0]format=nv12,hwupload[p];[2]format=nv12,hwupload[q];[p][q]overlay_vulkan=x=40:y=30,hwdownload,"
                          "format=nv12,format=yuv420p[a]",
                          "[1]format=yuv420p[r];[3]format=yuv420p[s];[r][s]overlay=x=40:y=30:format=yuv420,format=yuv420p[b]", 60),
    # Its invocations outside the picture return before the barrier.
    "avgblur": (f"[0]format=rgba,hwupload,avgblur_vulkan=sizeX=5:sizeY=3,hwdownload,format=rgba,{INSIDE}[a]",
                f"[1]format=rgba,format=gbrap,{MEANS},{MEANS},avgblur=sizeX=5:sizeY=3,format=rgba,{INSIDE}[b]", 34),
}


def main():
    manifest = sys.argv[1]
    if os.environ.get("HEDDLE_TEST_CLIENTS") is None or shutil.which("ffmpeg") is None:
        print("skipped: ffmpeg is not installed, or HEDDLE_TEST_CLIENTS is not set ('./dev test --clients')")
        sys.exit(77)
    environment = dict(os.environ, VK_DRIVER_FILES=manifest, VK_ICD_FILENAMES=manifest)
    failed = []
    for name, (vulkan, cpu, wanted) in CASES.items():
        sources = ["testsrc2=s=320x240:d=0.4"] * 2 + (["testsrc=s=64x64:d=0.4"] * 2 if "[2]" in vulkan else [])
        inputs = [word for source in sources for word in ("-f", "lavfi", "-i", source)]
        done = subprocess.run(
            ["ffmpeg", "-hide_banner", "-nostdin", "-loglevel", "info", "-init_hw_device", "vulkan=v:0", "-filter_hw_device", "v", *inputs,
             "-filter_complex", f"{vulkan};{cpu};[a][b]psnr", "-f", "null", "-"],
            env=environment, timeout=screen.HANGS, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        found = re.search(r"PSNR .*average:(\S+)", done.stdout)
        reached = float(found.group(1)) if found and done.returncode == 0 else -1.0
        print(f"{name}: {reached} dB, wanted {wanted}")
        if not reached >= wanted:
            print(done.stdout[-2000:])
            failed.append(name)
    sys.exit(f"wrong: {', '.join(failed)}" if failed else 0)


main()
