# SPDX-License-Identifier: MIT
"""render.py FOLDER: pictures and an array that the tests compare, made by Heddle's Python module without a GPU."""
import pathlib
import sys

import numpy as np

import heddle


def checks(size):
    y, x = np.indices((size, size))
    odd = (x // 8 + y // 8) % 2
    return heddle.Image(np.stack([odd * 180 + 40, odd * 60 + 90, 200 - odd * 90, odd * 0 + 255], -1).astype(np.uint8), mips=True)


def floor(width, height):
    """Coordinates of a floor in perspective, in blocks of 2 x 2 pixels for derivatives."""
    y, x = np.indices((height, width), dtype=np.float32)
    away = 1 / (0.06 + (y + 0.5) / height)
    return (x / width - 0.5).astype(np.float32) * away, away.astype(np.float32)


def main(folder):
    u, v = floor(64, 48)
    for name, sampler in (("trilinear", "trilinear,repeat"), ("anisotropic", "anisotropic,repeat,max_anisotropy=8")):
        picture = heddle.sample(checks(128), sampler, u, v, quads=True)
        heddle.Image(np.rint(np.clip(picture, 0, 1) * 255).astype(np.uint8)).save(folder / f"{name}.png")
        picture.astype("<f4").tofile(folder / f"{name}.bin")  # each bit of it


main(pathlib.Path(sys.argv[1]))
