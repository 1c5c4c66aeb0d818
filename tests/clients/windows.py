#!/usr/bin/env python3
"""windows.py MANIFEST FOLDER: programs that show one picture in a window, on the driver of MANIFEST and on lavapipe.

vkd3d-triangle: Direct3D 12 on Vulkan. mpv: a film that stands still, by its own renderer and by libplacebo's. The pictures of the driver
are left in FOLDER. The exit code 77 says that something can't be had here, or that HEDDLE_TEST_CLIENTS is not set.
"""
import os
import re
import shutil
import subprocess
import sys
import time

import pictures
import screen

LAVAPIPE = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"
WIDTH, HEIGHT = 800, 640


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def environment_of(manifest):
    return dict(os.environ, VK_DRIVER_FILES=manifest, VK_ICD_FILENAMES=manifest)


def device_of(manifest):
    """mpv takes a driver for processors only by its name."""
    text = subprocess.run(["vulkaninfo", "--summary"], env=environment_of(manifest), check=True, timeout=60, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True).stdout
    return re.search(r"deviceName\s*= (.*)", text).group(1)


def film(folder):
    path = os.path.join(folder, "film.mkv")
    subprocess.run(["ffmpeg", "-loglevel", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=320x180:rate=10", "-t", "2", "-pix_fmt",
                    "yuv420p", path], check=True, timeout=60)
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


def picture_of(name, words, manifest):
    """The first picture that stays as it is for half a second; the screen is black before."""
    with screen.Server(WIDTH, HEIGHT) as server:
        environment = dict(environment_of(manifest), DISPLAY=server.display)
        program = subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            last, end = None, time.monotonic() + 60
            while time.monotonic() < end:
                time.sleep(0.5)
                now = server.picture()
                if now == last and pictures.colors(now) > 20:
                    return now
                last = now
                if program.poll() is not None:
                    sys.exit(f"{name} ended with {program.returncode}: {program.stderr.read().decode(errors='replace')}")
            sys.exit(f"{name} shows nothing on {manifest}")
        finally:
            program.kill()
            program.wait()


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
        mine = picture_of(name, words(manifest), manifest)
        pictures.write_png(os.path.join(folder, name.replace(" ", "").replace("=", "-") + ".png"), mine)
        if not os.path.exists(LAVAPIPE):
            print(f"{name}: lavapipe is not installed: the picture is not compared")
            continue
        share = pictures.difference(mine, picture_of(name, words(LAVAPIPE), LAVAPIPE), 8)
        print(f"{name}: {100 * share:.3f} % of the values differ by more than 8 from lavapipe's")
        if share > 0.001:
            bad.append(name)
    if bad:
        sys.exit("not like lavapipe's pictures: " + ", ".join(bad))


main()
