# SPDX-License-Identifier: MIT
"""A screen for clients: an X server without one, whose pictures can be taken; and how long anything is waited for."""
import os
import struct
import subprocess
import sys
import tempfile
import time

# Seconds after which something hangs, on a machine however busy: what ends, ends long before. No result depends on it.
HANGS = 1200


def wait_for(holds, fails=lambda: False):
    """True when it holds; False where it fails before, or never holds."""
    end = time.monotonic() + HANGS
    while time.monotonic() < end:
        failed = fails()
        if holds():
            return True
        if failed:
            return False
        time.sleep(0.05)
    return False


class Server:
    """Xvfb, whose screen of width x height pixels lies in a file, without some extensions. Where it does not start, the test is skipped (exit code 77)."""

    def __init__(self, width, height, without=()):
        self.width, self.height = width, height
        self.without = [word for extension in without for word in ("-extension", extension)]

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen(
            ["Xvfb", "-displayfd", "1", "-screen", "0", f"{self.width}x{self.height}x24", "-fbdir", self.folder.name, "-nolisten", "tcp"]
            + self.without,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        number = self.process.stdout.readline().decode().strip()
        if not number:
            print("skipped: Xvfb does not start")
            sys.exit(77)
        self.display = f":{number}"
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()

    def picture(self):
        """Rows of the screen, red, green and blue of each pixel (the file is an XWD)."""
        with open(os.path.join(self.folder.name, "Xvfb_screen0"), "rb") as file:
            data = file.read()
        header = struct.unpack(">25I", data[:100])
        first, pitch = header[0] + header[19] * 12, header[12]
        rows = []
        for y in range(self.height):
            row = data[first + y * pitch:first + y * pitch + self.width * 4]
            rgb = bytearray(self.width * 3)
            rgb[0::3], rgb[1::3], rgb[2::3] = row[2::4], row[1::4], row[0::4]
            rows.append(bytes(rgb))
        return rows
