#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""webgpu.py MANIFEST FOLDER PICTURE.png: the programs of tests/clients/webgpu on Dawn (npm's webgpu) and the driver of MANIFEST.

npm installs Dawn's binding below FOLDER where it is not there yet. The scene is compared with that of another driver, if
bench/unpack-peers has put one into FOLDER/../peers. The exit code 77 says that something can't be had here.
"""
import os
import shutil
import subprocess
import sys

import screen

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "webgpu")
PACKAGE = "webgpu@0.6.2"


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def install(folder):
    if os.path.exists(os.path.join(folder, "node_modules", "webgpu")):
        return
    os.makedirs(folder, exist_ok=True)
    try:
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--prefix", folder, PACKAGE], check=True, timeout=screen.HANGS,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except (subprocess.SubprocessError, OSError):
        shutil.rmtree(os.path.join(folder, "node_modules"), ignore_errors=True)
        skip(f"npm can't install {PACKAGE}")


def run(program, manifest, *arguments):
    environment = dict(os.environ, VK_DRIVER_FILES=manifest, VK_ICD_FILENAMES=manifest)
    done = subprocess.run(["node", os.path.join(HERE, program), *arguments], env=environment, timeout=screen.HANGS, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(done.stdout)
    if done.returncode != 0:
        print(f"{program} ended with {done.returncode}")
    return done.returncode == 0


def main():
    manifest, folder, picture = sys.argv[1:4]
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            skip(f"{program} is not installed")
    install(folder)
    good = run("compute.mjs", manifest, folder)
    other = []
    for peer in ("lavapipe-newest", "swiftshader"):
        peer_manifest = os.path.join(folder, "..", "peers", f"{peer}.json")
        peer_picture = f"{picture}.{peer}.png"
        if not other and os.path.exists(peer_manifest) and run("scene.mjs", peer_manifest, folder, peer_picture):
            other = [peer_picture]
    if not other:
        print("no other driver is there (bench/unpack-peers): the picture is not compared")
    good = run("scene.mjs", manifest, folder, picture, *other) and good
    sys.exit(0 if good else 1)


main()
