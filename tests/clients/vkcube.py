#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""vkcube.py MANIFEST CATCHER PICTURE.png: Debian's vkcube on the driver of MANIFEST, in a window of an X server without a screen.

The cube turns by the same angle from picture to picture. CATCHER (frame_catcher.cpp) copies pictures by their numbers: the screen must show
each as it was copied, by a server that reads the driver's memory and by one that can't, and lavapipe's of the same number must be like it,
where lavapipe is installed; nothing depends on the time. Then the window gets another size, which the cube must follow. The exit code 77 says that something can't be had here.
"""
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile

import pictures
import screen

LAVAPIPE = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"
WIDTH, HEIGHT = 640, 640
FRAMES = [0, 1, 17, 58]
BACKGROUND = bytes([51, 51, 51])


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def window_rectangle(rows):
    """Left, top, right, bottom of what is not the black of the screen."""
    lines = [y for y, row in enumerate(rows) if BACKGROUND in row]
    if not lines:
        return None
    row = rows[lines[0]]
    columns = [x for x in range(WIDTH) if row[3 * x:3 * x + 3] == BACKGROUND]
    return columns[0], lines[0], columns[-1] + 1, lines[-1] + 1


class Cube:
    """vkcube, whose pictures FRAMES go to `folder`; with `stops` it stands still behind each, until go_on()."""

    def __init__(self, server, manifest, catcher, folder, count, stops=False):
        os.makedirs(folder)
        self.folder = folder
        environment = dict(os.environ, DISPLAY=server.display, VK_DRIVER_FILES=manifest, VK_ICD_FILENAMES=manifest, LD_PRELOAD=catcher,
                           HEDDLE_FRAMES=",".join(map(str, FRAMES)), HEDDLE_FRAME_FOLDER=folder)
        if stops:
            environment["HEDDLE_FRAME_STOPS"] = "1"
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(["vkcube", "--c", str(count)], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.errors)

    def fail(self, what):
        self.errors.seek(0)
        print(self.errors.read().decode(errors="replace"))
        sys.exit(f"{what}; vkcube ended with {self.process.poll()}")

    def stands_at(self, frame):
        """The picture was presented, and stays."""
        while True:
            line = self.process.stdout.readline()
            if not line:
                self.process.wait()
                self.fail(f"picture {frame} was not presented")
            if line.strip() == str(frame).encode():
                return

    def go_on(self):
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()

    def run(self):
        if self.process.wait() != 0:
            self.fail("the cube stopped")

    def picture(self, frame):
        return pictures.read_ppm(os.path.join(self.folder, f"{frame}.ppm"))

    def stop(self):
        self.process.terminate()
        self.process.wait()


def check_screen(rows, picture, frame):
    """The window shows what was presented."""
    where = window_rectangle(rows)
    shown = [row[3 * where[0]:3 * where[2]] for row in rows[where[1]:where[3]]] if where else []
    if shown != picture:
        sys.exit(f"the screen does not show picture {frame}: {pictures.difference(shown, picture, 0):.3%} of the values differ")


def check_without_shared_memory(manifest, catcher, folder, mine):
    """A server that shares no memory, as one on another machine, gets the same pictures through the connection."""
    with screen.Server(WIDTH, HEIGHT, without=["MIT-SHM"]) as server:
        cube = Cube(server, manifest, catcher, folder, FRAMES[-1] + 1, stops=True)
        for frame in FRAMES:
            cube.stands_at(frame)
            check_screen(server.picture(), mine[frame], frame)
            cube.go_on()
        cube.run()


def resize(server, width, height):
    """Gives the cube's window another size, as a window manager would."""
    x = ctypes.CDLL("libX11.so.6")
    x.XOpenDisplay.restype = ctypes.c_void_p
    display = ctypes.c_void_p(x.XOpenDisplay(server.display.encode()))
    x.XDefaultRootWindow.restype = ctypes.c_ulong
    root = ctypes.c_ulong(x.XDefaultRootWindow(display))
    parent, children, count = ctypes.c_ulong(), ctypes.POINTER(ctypes.c_ulong)(), ctypes.c_uint()
    x.XQueryTree(display, root, ctypes.byref(root), ctypes.byref(parent), ctypes.byref(children), ctypes.byref(count))
    for i in range(count.value):
        x.XResizeWindow(display, ctypes.c_ulong(children[i]), width, height)
    x.XCloseDisplay(display)


def follows(server, cube, size):
    """Whether the window shows a cube of that size at last."""
    def shown(rows):
        where = window_rectangle(rows)
        return where is not None and (where[2] - where[0], where[3] - where[1]) == size and pictures.colors(rows) >= 100
    return screen.wait_for(lambda: shown(server.picture()), lambda: cube.process.poll() is not None)


def main():
    manifest, catcher, path = sys.argv[1:4]
    for program in ("Xvfb", "vkcube"):
        if shutil.which(program) is None:
            skip(f"{program} is not installed")
    with screen.Server(WIDTH, HEIGHT) as server, tempfile.TemporaryDirectory() as folder:
        cube = Cube(server, manifest, catcher, os.path.join(folder, "mine"), 1000000000, stops=True)
        for frame in FRAMES:
            cube.stands_at(frame)
            check_screen(server.picture(), cube.picture(frame), frame)
            cube.go_on()
        mine = {frame: cube.picture(frame) for frame in FRAMES}
        pictures.write_png(path, mine[FRAMES[-1]])
        resize(server, 300, 200)
        if not follows(server, cube, (300, 200)):
            cube.fail("the cube does not follow its window")
        cube.stop()
        check_without_shared_memory(manifest, catcher, os.path.join(folder, "sent"), mine)
        if not os.path.exists(LAVAPIPE):
            print("lavapipe is not installed: the pictures are not compared")
            return
        cube = Cube(server, LAVAPIPE, catcher, os.path.join(folder, "theirs"), FRAMES[-1] + 1)
        cube.run()
        shares = {frame: pictures.difference(mine[frame], cube.picture(frame)) for frame in FRAMES}
        if pictures.difference(mine[FRAMES[-1]], cube.picture(FRAMES[0])) < 0.02:
            sys.exit("the cube does not turn")
    print("; ".join(f"picture {frame}: {share:.3%} of the values differ by more than 24 from lavapipe's" for frame, share in shares.items()))
    if max(shares.values()) > 0.004:
        sys.exit("a picture is not like lavapipe's of the same number")


main()
