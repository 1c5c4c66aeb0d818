#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A feedback map of a walk through a scene: which texels of each level the frames of a walk over a floor read, added up.

usage: feedback.py [FOLDER]      leaves feedback.png there (default: out)
"""

import pathlib
import sys

import numpy as np

import heddle
from anisotropy import floor_texture, floor_view
from heddle import notebook


def main(folder):
    image = floor_texture()
    sampler = heddle.Sampler("anisotropic,repeat,mip=linear,max_anisotropy=4")
    total = None
    for step in range(12):  # a walk in an arc
        u, v, ddx, ddy = floor_view(48, 36)
        near = (np.arange(36) > 3)[:, None] & np.ones((1, 48), bool)
        angle, x, y = step * .08, .2 + step * .02, .1 + step * .04
        turn = lambda a, b: (np.cos(angle) * a - np.sin(angle) * b, np.sin(angle) * a + np.cos(angle) * b)
        uu, vv = turn(u * .12, v * .12)
        dx, dy = turn(*(d * .12 for d in ddx)), turn(*(d * .12 for d in ddy))
        found = heddle.footprint_map(image, sampler, ((uu + x) % 1)[near], ((vv + y) % 1)[near], ddx=[d[near] for d in dx], ddy=[d[near] for d in dy], mode="extended")
        total = found if total is None else [a + b for a, b in zip(total, found)]
    size = 256
    panels = [notebook.enlarge(notebook.pixels_of(image), size)]
    for level, counts in enumerate(total[:4]):
        heat = np.sqrt(counts / max(1, counts.max()))[..., None]
        dark = notebook.pixels_of(image, level)[..., :3] * .3
        color = np.where(heat > 0, np.array([255, 90, 0]) * heat + np.array([40, 20, 120]) * (1 - heat), dark)
        panels.append(notebook.enlarge(np.concatenate([np.rint(color), np.full(color.shape[:2] + (1,), 255)], -1).astype(np.uint8), size))
        print(f"level {level}: {np.count_nonzero(counts)} of {counts.size} texels were read, {int(counts.sum())} times")
    folder.mkdir(parents=True, exist_ok=True)
    heddle.Image(np.concatenate(panels, 1)).save(folder / "feedback.png")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
