#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""wayland.py MANIFEST PICTURE.png: Debian's vkcube on a surface of Wayland: weston without a screen, on the driver of MANIFEST.

The driver records what it presents (HEDDLE_GOLDEN); a screenshot of the compositor must show one of these frames, texel by texel. The exit code 77
says that something can't be had here.
"""
import glob
import os
import shutil
import signal
import subprocess
import sys
import tempfile

import pictures
import screen

WIDTH, HEIGHT = 1024, 768
TRIES = 20  # pictures of the screen
PROGRAMS = ("weston", "weston-screenshooter", "vkcube-wayland")


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


class Compositor:
    """weston, which draws into memory."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        os.chmod(self.folder.name, 0o700)
        self.environment = dict(os.environ, XDG_RUNTIME_DIR=self.folder.name, WAYLAND_DISPLAY="heddle", XDG_PICTURES_DIR=self.folder.name)
        self.environment.pop("DISPLAY", None)
        self.process = subprocess.Popen(
            ["weston", "--backend=headless-backend.so", "--use-pixman", f"--width={WIDTH}", f"--height={HEIGHT}", "--no-config",
             "--debug", "--idle-time=0", "--socket=heddle", f"--log={self.folder.name}/log"],
            env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if not screen.wait_for(lambda: os.path.exists(os.path.join(self.folder.name, "heddle")), lambda: self.process.poll() is not None):
            skip("weston does not start without a screen")
        return self

    def __exit__(self, *_):
        self.end()
        self.folder.cleanup()

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def picture(self):
        """Rows of the screen."""
        for old in glob.glob(os.path.join(self.folder.name, "*.png")):
            os.remove(old)
        subprocess.run(["weston-screenshooter"], env=self.environment, cwd=self.folder.name, check=True, timeout=screen.HANGS, stdout=subprocess.DEVNULL)
        found = glob.glob(os.path.join(self.folder.name, "*.png"))
        if not found:
            sys.exit("weston-screenshooter left no picture")
        return rgb(pictures.read_png(found[0]))


def rgb(rows):
    """Rows of red, green and blue, whether the file has alpha or not."""
    return [bytes(row) for row in rows]


def shows(rows, frame):
    """Whether the frame stands anywhere on the screen: the shell puts windows where it likes."""
    for top in range(len(rows) - len(frame) + 1):
        at = rows[top].find(frame[0])
        while at >= 0:
            if at % 3 == 0 and all(rows[top + y][at:at + len(row)] == row for y, row in enumerate(frame)):
                return True
            at = rows[top].find(frame[0], at + 1)
    return False


def main():
    manifest, to = (os.path.abspath(path) for path in sys.argv[1:3])
    for name in PROGRAMS:
        if shutil.which(name) is None:
            skip(f"{name} is not installed")
    with Compositor() as compositor, tempfile.TemporaryDirectory() as frames:
        environment = dict(compositor.environment, VK_DRIVER_FILES=manifest, VK_ICD_FILENAMES=manifest, HEDDLE_GOLDEN=frames)
        cube = subprocess.Popen(["vkcube-wayland", "--c", "100000"], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

        def recorded():
            return sorted(name[:-4] for name in os.listdir(frames) if name.endswith(".txt"))

        if not screen.wait_for(lambda: len(recorded()) >= 8, lambda: cube.poll() is not None):
            sys.exit(f"vkcube-wayland ended with {cube.poll()}: {cube.stderr.read().decode(errors='replace')}")
        # A compositor shows a frame when it gets to it, on a busy machine long after it was presented: any of them may be on the screen, or none
        # yet. The cube stands still while they are compared.
        for _ in range(TRIES):
            shown = compositor.picture()
            cube.send_signal(signal.SIGSTOP)
            pictures.write_png(to, shown)
            names = recorded()
            for name in reversed(names):
                frame = rgb(pictures.read_png(os.path.join(frames, name + ".png")))
                if shows(shown, frame):
                    cube.kill()
                    cube.wait()
                    print(f"the screen shows frame {int(name)} of those that were presented, {len(frame[0]) // 3}x{len(frame)}")
                    return
            cube.send_signal(signal.SIGCONT)
            if not screen.wait_for(lambda: len(recorded()) > len(names), lambda: cube.poll() is not None):
                sys.exit(f"vkcube-wayland ended with {cube.poll()}: {cube.stderr.read().decode(errors='replace')}")
        cube.kill()
        cube.wait()
        sys.exit(f"the screen shows none of the {len(names)} frames that were presented: {to}")


main()
