#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Anisotropy explained: a checkered floor seen at a flat angle, with three filters, and the texels that one pixel reads.

usage: anisotropy.py [FOLDER]      leaves anisotropy.png there (default: out)
"""

import pathlib
import sys

import numpy as np

import heddle
from heddle import notebook

WIDTH, HEIGHT = 320, 240


def floor_texture(size=256):
    y, x = np.mgrid[:size, :size]
    checks = ((x // 16 + y // 16) % 2)[..., None] * np.array([120, 90, 40]) + np.array([60, 70, 110])
    lines = (np.minimum(x % 64, y % 64) < 3)[..., None]
    return heddle.Image(np.concatenate([np.where(lines, [250, 240, 220], checks), np.full((size, size, 1), 255)], -1).astype(np.uint8), mips=True)


def floor_view(width, height):
    """Coordinates on the floor for each pixel below the horizon, and their exact derivatives."""
    x = (np.arange(width) + .5) / width - .5
    y = (np.arange(height) + .5) / height + .03  # below the horizon
    depth = .35 / y[:, None]
    u = x * depth * 2.2
    v = np.broadcast_to(depth * 2.2, u.shape)
    ddx = (np.broadcast_to(depth * 2.2 / width, u.shape), np.zeros_like(u))
    ddy = (-u / y[:, None] / height, -v / y[:, None] / height)
    return u, v, ddx, ddy


def main(folder):
    image = floor_texture()
    u, v, ddx, ddy = floor_view(WIDTH, HEIGHT)
    pictures = []
    pixel = (40, 200)  # row and column of the pixel that is explained
    for words in ("linear,repeat,mip=nearest", "linear,repeat,mip=linear", "anisotropic,repeat,mip=linear,max_anisotropy=16"):
        sampler = heddle.Sampler(words)
        picture = np.rint(np.clip(heddle.sample_grad(image, sampler, u, v, ddx=ddx, ddy=ddy), 0, 1) * 255).astype(np.uint8)
        picture[pixel[0] - 2:pixel[0] + 3, pixel[1] - 2:pixel[1] + 3] = [255, 0, 0, 255]
        request = dict(u=u[pixel] % 1, v=v[pixel] % 1, ddx=[d[pixel] for d in ddx], ddy=[d[pixel] for d in ddy], coarse=False, mode="extended", conservative=False)
        below = notebook.footprint_pixels(image, sampler, request, smallest=1024)
        lod = heddle.lod(image, sampler, [d[pixel] for d in ddx], [d[pixel] for d in ddy])
        touched = sum(int(m.sum()) for m in heddle.footprint_map(image, sampler, u[pixel] % 1, v[pixel] % 1, ddx=request["ddx"], ddy=request["ddy"], mode="extended"))
        print(f"{words}: level {lod[0]:.2f}, {touched} texels for the red pixel")
        left, top = (int(np.clip(c * n - WIDTH / 2, 0, n - WIDTH)) for c, n in ((request["u"], below.shape[1]), (request["v"], below.shape[0])))
        pictures.append(np.concatenate([picture, below[top:top + WIDTH, left:left + WIDTH]]))
    folder.mkdir(parents=True, exist_ok=True)
    heddle.Image(np.concatenate(pictures, 1)).save(folder / "anisotropy.png")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
