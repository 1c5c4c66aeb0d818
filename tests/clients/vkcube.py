#!/usr/bin/env python3
"""vkcube.py MANIFEST PICTURE.png: Debian's vkcube on the driver of MANIFEST, in a window of an X server without a screen.

A turning cube shows 90 pictures. Some that were taken are looked for among those of lavapipe, where that is installed; then the
window gets another size, which the cube must follow. The exit code 77 says that something can't be had here.
"""
import ctypes
import os
import shutil
import subprocess
import sys
import time

import pictures
import screen

LAVAPIPE = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"
WIDTH, HEIGHT = 640, 640
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


def start_cube(server, manifest):
    environment = dict(os.environ, DISPLAY=server.display, VK_DRIVER_FILES=manifest, VK_ICD_FILENAMES=manifest)
    return subprocess.Popen(["vkcube", "--c", "100000"], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def wait_for_picture(server, cube, wanted=lambda rows: window_rectangle(rows) is not None):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        rows = server.picture()
        if wanted(rows):
            return rows
        if cube.poll() is not None:
            print(cube.stderr.read().decode())
            sys.exit(f"vkcube ended with {cube.returncode}")
        time.sleep(0.05)
    sys.exit("vkcube shows nothing")


def take_pictures(server, cube, count):
    wait_for_picture(server, cube)
    pictures = []
    for i in range(count):
        time.sleep(0.017 + 0.003 * (i % 7))
        pictures.append(server.picture())
    return pictures


def stop(cube):
    cube.terminate()
    cube.wait()


def small(rows):
    """Every fifth pixel of every fifth row, for comparisons."""
    return b"".join(bytes(row[3 * x + c] for x in range(0, WIDTH, 5) for c in range(3)) for row in rows[::5])


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


def main():
    manifest, path = sys.argv[1:3]
    for program in ("Xvfb", "vkcube"):
        if shutil.which(program) is None:
            skip(f"{program} is not installed")
    environment = dict(os.environ, VK_DRIVER_FILES=manifest, VK_ICD_FILENAMES=manifest)
    with screen.Server(WIDTH, HEIGHT) as server:
        environment["DISPLAY"] = server.display
        subprocess.run(["vkcube", "--c", "100"], env=environment, check=True, timeout=120, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        cube = start_cube(server, manifest)
        mine = take_pictures(server, cube, 8)
        pictures.write_png(path, mine[0])
        resize(server, 300, 200)
        after = wait_for_picture(server, cube, lambda rows: (lambda r: r and (r[2] - r[0], r[3] - r[1]) == (300, 200))(window_rectangle(rows)))
        stop(cube)
        if pictures.colors(after) < 100:
            sys.exit("the smaller window shows no cube")
        if not os.path.exists(LAVAPIPE):
            print("lavapipe is not installed: the pictures are not compared")
            return
        cube = start_cube(server, LAVAPIPE)
        theirs = [small(rows) for rows in take_pictures(server, cube, 40)]
        stop(cube)
    best = min(pictures.difference([a], [b]) for a in map(small, mine) for b in theirs)
    print(f"nearest to a picture of lavapipe: {100 * best:.3f} % of the values differ by more than 24")
    if best > 0.004:
        sys.exit("no picture is like one of lavapipe's")


main()
