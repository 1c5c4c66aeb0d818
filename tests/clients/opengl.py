#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""opengl.py MANIFEST: OpenGL programs through Mesa's zink on the driver of MANIFEST: wflinfo, and glmark2's own checks of its scenes.

The exit code 77 says that something can't be had here, or that HEDDLE_TEST_CLIENTS is not set.
"""
import os
import re
import shutil
import subprocess
import sys

import screen

SCENES = ["build:use-vbo=true", "build:use-vbo=false", "texture:texture-filter=nearest", "texture:texture-filter=linear",
          "texture:texture-filter=mipmap", "shading:shading=gouraud", "shading:shading=phong", "shading:shading=blinn-phong-inf",
          "bump:bump-render=high-poly", "bump:bump-render=normals", "bump:bump-render=height",
          "effect2d:kernel=0,1,0;1,-4,1;0,1,0;", "effect2d:kernel=1,1,1,1,1;1,1,1,1,1;1,1,1,1,1;", "pulsar:quads=5",
          "buffer:update-method=map:interleave=false", "buffer:update-method=subdata:interleave=false",
          "buffer:update-method=map:interleave=true", "conditionals:fragment-steps=5:vertex-steps=0",
          "conditionals:fragment-steps=0:vertex-steps=5", "function:fragment-complexity=medium:fragment-steps=5",
          "loop:fragment-loop=false:fragment-steps=5:vertex-steps=5", "loop:fragment-steps=5:fragment-uniform=true:vertex-steps=5"]


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def run(environment, *arguments):
    done = subprocess.run(arguments, env=environment, timeout=screen.HANGS, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace")
    return done.stdout


def say_versions(environment):
    for api, wanted in (("gl", (4, 6)), ("gles3", (3, 2)), ("gles2", (2, 0))):
        text = run(environment, "wflinfo", "--platform=surfaceless_egl", f"--api={api}")
        version = re.search(r"version string: (?:OpenGL ES )?(\d+)\.(\d+)", text)
        if "zink (Heddle" not in text or not version or tuple(map(int, version.groups())) < wanted:
            sys.exit(f"wflinfo --api={api} does not say {wanted[0]}.{wanted[1]} on Heddle:\n{text}")
        print(f"{api}: {version.group(1)}.{version.group(2)}")


def check_scenes(environment):
    arguments = [word for scene in SCENES for word in ("-b", scene)]
    text = run(environment, "xvfb-run", "-a", "glmark2-es2", "--validate", "-s", "400x300", *arguments)
    if "zink (Heddle" not in text:
        sys.exit(f"glmark2-es2 does not draw on Heddle:\n{text}")
    good = len(re.findall(r"Validation: Success", text))
    print(f"glmark2-es2: {good} of {len(SCENES)} scenes right")
    if good != len(SCENES):
        sys.exit(text)


def main():
    manifest = sys.argv[1]
    if os.environ.get("HEDDLE_TEST_CLIENTS") is None:
        skip("HEDDLE_TEST_CLIENTS is not set ('./dev test --clients')")
    for program in ("wflinfo", "glmark2-es2", "xvfb-run", "xauth"):
        if shutil.which(program) is None:
            skip(f"{program} is not installed")
    # mesa_glthread: docs/vulkan.md
    environment = dict(os.environ, VK_DRIVER_FILES=manifest, VK_ICD_FILENAMES=manifest, MESA_LOADER_DRIVER_OVERRIDE="zink",
                       GALLIUM_DRIVER="zink", LIBGL_ALWAYS_SOFTWARE="1", mesa_glthread="false")
    say_versions(environment)
    check_scenes(environment)


main()
