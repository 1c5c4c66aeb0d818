#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""windows.py MANIFEST FOLDER: programs that show one picture in a window, on the driver of MANIFEST and on lavapipe.

vkd3d-triangle: Direct3D 12 on Vulkan. mpv: a film that stands still, by its own renderer and by libplacebo's. The pictures of the driver
are left in FOLDER. The exit code 77 says that something can't be had here, or that HEDDLE_TEST_CLIENTS is not set.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

import pictures
import screen

LAVAPIPE = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"
WIDTH, HEIGHT = 800, 640
MOST = 0.001  # share of the values that may differ


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def environment_of(manifest):
    return dict(os.environ, VK_DRIVER_FILES=manifest, VK_ICD_FILENAMES=manifest)


def device_of(manifest):
    """mpv takes a driver for processors only by its name."""
    text = subprocess.run(["vulkaninfo", "--summary"], env=environment_of(manifest), check=True, timeout=screen.HANGS, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True).stdout
    return re.search(r"deviceName\s*= (.*)", text).group(1)


def film(folder):
    path = os.path.join(folder, "film.mkv")
    subprocess.run(["ffmpeg", "-loglevel", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=320x180:rate=10", "-t", "2", "-pix_fmt",
                    "yuv420p", path], check=True, timeout=screen.HANGS)
    return path


def programs(folder):
    """Name: how it is run on a driver. What is not installed is left out."""
    found = {}
    if shutil.which("vkd3d-triangle"):
        found["vkd3d-triangle"] = lambda manifest: ["vkd3d-triangle"]
    else:
        print("vkd3d-demos is not installed")
    if shutil.which("mpv") and shutil.which("ffmpeg") and shutil.which("vulkaninfo"):
        path = film(folder)
        for output in ("gpu", "gpu-next"):
            found[f"mpv --vo={output}"] = lambda manifest, output=output: [
                "mpv", "--no-config", "--really-quiet", f"--vo={output}", "--gpu-api=vulkan", "--gpu-context=x11vk", "--gpu-sw",
                f"--vulkan-device={device_of(manifest)}", "--no-osc", "--no-audio", "--pause", "--start=1", "--geometry=640x360+0+0", path]
    else:
        print("mpv, ffmpeg or vulkan-tools are not installed")
    return found


class Program:
    """A program that shows a picture in a window of an X server of its own."""

    def __init__(self, name, words, manifest):
        self.name, self.manifest = name, manifest
        self.server = screen.Server(WIDTH, HEIGHT).__enter__()
        self.errors = tempfile.TemporaryFile()
        environment = dict(environment_of(manifest), DISPLAY=self.server.display)
        self.process = subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL, stderr=self.errors)

    def picture(self):
        """What is on the screen, once something is; the program must live."""
        if self.process.poll() is not None:
            self.errors.seek(0)
            sys.exit(f"{self.name} ended with {self.process.returncode} on {self.manifest}: {self.errors.read().decode(errors='replace')}")
        rows = self.server.picture()
        return rows if pictures.colors(rows) > 20 else None

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.server.__exit__()


def compare(name, words, manifest):
    """The driver's picture, and the share of values that differ from lavapipe's; None where that is not installed. The pictures stand
    still at last, whenever that is: they are looked at until they are alike."""
    programs = [Program(name, words(m), m) for m in (manifest, LAVAPIPE) if os.path.exists(m)]
    last = {"mine": None, "share": None}

    def alike():
        seen = [program.picture() for program in programs]
        if None in seen:
            return False
        last["mine"] = seen[0]
        if len(seen) == 1:
            return True
        last["share"] = pictures.difference(*seen, 8)
        return last["share"] <= MOST

    try:
        if not screen.wait_for(alike) and last["mine"] is None:
            sys.exit(f"{name} shows nothing")
        return last["mine"], last["share"]
    finally:
        for program in programs:
            program.stop()


def main():
    manifest, folder = sys.argv[1:3]
    if os.environ.get("HEDDLE_TEST_CLIENTS") is None:
        skip("HEDDLE_TEST_CLIENTS is not set ('./dev test --clients')")
    if shutil.which("Xvfb") is None:
        skip("Xvfb is not installed")
    os.makedirs(folder, exist_ok=True)
    found = programs(folder)
    if not found:
        skip("no program of these is installed")
    bad = []
    for name, words in found.items():
        mine, share = compare(name, words, manifest)
        pictures.write_png(os.path.join(folder, name.replace(" ", "").replace("=", "-") + ".png"), mine)
        if share is None:
            print(f"{name}: lavapipe is not installed: the picture is not compared")
            continue
        print(f"{name}: {100 * share:.3f} % of the values differ by more than 8 from lavapipe's")
        if share > MOST:
            bad.append(name)
    if bad:
        sys.exit("not like lavapipe's pictures: " + ", ".join(bad))


main()
