#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""forgiven.py MANIFEST: programs that break rules of Vulkan, which other drivers forgive, on the driver of MANIFEST.

SDL's testvulkan acquires a picture with a semaphore whose last wait may not have run; it must end when it is asked to. GStreamer's
vulkanimageidentity and vulkancolorconvert take sets from pools that have too few descriptors; what comes out is what went in. The exit code 77 says
that something can't be had here, or that HEDDLE_TEST_CLIENTS is not set.
"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile

import screen

TESTVULKAN = "/usr/libexec/installed-tests/SDL2/testvulkan"
FRAMES, WIDTH, HEIGHT = 5, 64, 48


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def environment_of(manifest, **more):
    return dict(os.environ, VK_DRIVER_FILES=manifest, VK_ICD_FILENAMES=manifest, **more)


def ends(manifest):
    """testvulkan changes its whole window's color from picture to picture, until it is told to end."""
    with screen.Server(800, 600) as server, tempfile.TemporaryFile() as said:
        program = subprocess.Popen([TESTVULKAN], stdout=said, stderr=subprocess.STDOUT,
                                   env=environment_of(manifest, DISPLAY=server.display, SDL_VIDEODRIVER="x11"))
        colors = set()

        def seen():
            colors.add(server.picture()[300][3 * 400:3 * 400 + 3])
            return len(colors) > 3

        shown = screen.wait_for(seen, lambda: program.poll() is not None)
        program.send_signal(signal.SIGTERM)
        try:
            program.wait(screen.HANGS)
        except subprocess.TimeoutExpired:
            program.kill()
            program.wait()
        if shown and program.returncode == 0:
            print("testvulkan ends")
            return True
        said.seek(0)
        print(f"testvulkan {'shows pictures' if shown else 'shows nothing'} and ends with {program.returncode}:\n"
              f"{said.read().decode(errors='replace')[-2000:]}")
        return False


def passes(manifest, element, folder):
    """The frames of a test film on their way through an element, and as they were."""
    films = []
    for name, steps in ((element, ["vulkanupload", "!", element, "!", "vulkandownload", "!"]), ("plain", ["identity", "!"])):
        path = os.path.join(folder, name)
        done = subprocess.run(["gst-launch-1.0", "-q", "videotestsrc", f"num-buffers={FRAMES}", "!",
                               f"video/x-raw,format=BGRA,width={WIDTH},height={HEIGHT}", "!", *steps,
                               f"video/x-raw,format=BGRA,width={WIDTH},height={HEIGHT}", "!", "filesink", f"location={path}"],
                              env=environment_of(manifest, GST_REGISTRY=os.path.join(folder, "registry")), timeout=screen.HANGS, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            print(f"GStreamer with {name} ends with {done.returncode}:\n{done.stdout[-2000:]}")
            return False
        with open(path, "rb") as file:
            films.append(file.read())
    same = films[0] == films[1] and len(films[0]) == FRAMES * WIDTH * HEIGHT * 4
    print(f"{element}: the frames are {'as they were' if same else 'others'}")
    return same


def has_element(name):
    return shutil.which("gst-launch-1.0") is not None and subprocess.run(["gst-inspect-1.0", "--exists", name], check=False).returncode == 0


def main():
    manifest = sys.argv[1]
    if os.environ.get("HEDDLE_TEST_CLIENTS") is None:
        skip("HEDDLE_TEST_CLIENTS is not set ('./dev test --clients')")
    results = []
    if os.path.exists(TESTVULKAN) and shutil.which("Xvfb"):
        results += [ends(manifest) for _ in range(2)]
    else:
        print("libsdl2-tests or Xvfb are not installed")
    if has_element("vulkanimageidentity"):
        with tempfile.TemporaryDirectory() as folder:
            results += [passes(manifest, element, folder) for element in ("vulkanimageidentity", "vulkancolorconvert")]
    else:
        print("gstreamer1.0-plugins-bad and gstreamer1.0-tools are not installed")
    if not results:
        skip("no program of these is installed")
    sys.exit(0 if all(results) else 1)


main()
