#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""chromium.py MANIFEST PICTURE.png: a WebGL 2 page in headless Chromium, whose ANGLE draws on the driver of MANIFEST.

The page (webgl/scene.html) has textures with mipmaps, a frame buffer object and instances. Its picture is compared with the one on
Chromium's own SwiftShader, with Chromium's own use of Vulkan and without. The exit code 77 says that something can't be had here, or that HEDDLE_TEST_CLIENTS is not set.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

import pictures
import screen

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "webgl", "scene.html")


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def run(angle, manifest, folder, what, more):
    """Chromium's standard output; `angle`: which device draws; `more`: flags."""
    environment = dict(os.environ, XDG_RUNTIME_DIR=folder)
    for variable in ("VK_DRIVER_FILES", "VK_ICD_FILENAMES"):
        environment.pop(variable, None)
        if manifest:
            environment[variable] = manifest
    arguments = ["--headless=new", "--no-sandbox", "--disable-gpu-sandbox", "--ignore-gpu-blocklist", "--use-gl=angle",
                 f"--use-angle={angle}", "--enable-unsafe-swiftshader", f"--user-data-dir={folder}/{angle}",
                 "--window-size=640,600", "--hide-scrollbars", "--virtual-time-budget=10000", *more, what, "file://" + PAGE]
    done = subprocess.run(["chromium", *arguments], env=environment, timeout=screen.HANGS, check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors="replace")
    return done.stdout, done.stderr


def draw(angle, manifest, folder, wanted, path, more=()):
    page, messages = run(angle, manifest, folder, "--dump-dom", more)
    title = re.search(r"<title>(.*)</title>", page)
    if not title or wanted not in title.group(1):
        sys.exit(f"the page is not drawn by {wanted}: {title.group(1) if title else page}\n{messages}")
    print(title.group(1))
    _, messages = run(angle, manifest, folder, f"--screenshot={path}", more)
    if not os.path.exists(path):
        sys.exit(f"no screenshot:\n{messages}")
    return pictures.read_png(path)


def main():
    manifest, path = sys.argv[1:3]
    if os.environ.get("HEDDLE_TEST_CLIENTS") is None:
        skip("HEDDLE_TEST_CLIENTS is not set ('./dev test --clients')")
    if shutil.which("chromium") is None:
        skip("chromium is not installed")
    if os.path.exists(path):
        os.remove(path)
    with tempfile.TemporaryDirectory() as folder:
        mine = draw("vulkan", manifest, folder, "Heddle", path)
        # Chromium itself draws its pages on the driver too; it asks for YCbCr conversion.
        own = draw("vulkan", manifest, folder, "Heddle", os.path.join(folder, "own.png"),
                   ("--use-vulkan=native", "--enable-features=Vulkan"))
        theirs = draw("swiftshader", None, folder, "SwiftShader", os.path.join(folder, "other.png"))
    if pictures.colors(mine) < 1000:
        sys.exit("the picture is empty")
    for what, picture in (("ANGLE", mine), ("all of Chromium", own)):
        differs = pictures.difference(picture, theirs)
        print(f"{what} on Vulkan: {100 * differs:.3f} % of the values are more than 24 away from SwiftShader's")
        if differs > 0.002:
            sys.exit("the picture is not SwiftShader's")


main()
