#!/usr/bin/env python3
"""A conformance sweep over Dask: every request goes to the workers, every answer is laid beside a second oracle's. Here that is bilinear
filtering in binary64 by NumPy, rounded; the picture shows where the 8 bit weights of the hardware give another byte. A file of recorded
answers, such as another driver's, is given as the second argument, and its requests as the third.

usage: HEDDLE_PROGRAM=.../heddle conformance_sweep.py [FOLDER [ANSWERS REQUESTS]]      leaves sweep.png there (default: out)
"""

import pathlib
import struct
import sys

import numpy as np
from distributed import Client, LocalCluster

import heddle
import heddle.distributed as hd

SIDE = 64
TEXELS = np.random.default_rng(1).integers(0, 256, (8, 8), np.uint8)


def requests():
    yield {"define": {"surface": "noise", "type": "2d", "format": "r8", "width": 8, "height": 8, "data": [[TEXELS.tobytes().hex()]]}}
    for k in range(SIDE * SIDE):
        yield {"id": k, "op": "sample_lz", "lanes": 1, "surface": "noise", "sampler": "linear,clamp_to_edge", "uv": [(k % SIDE + .37) / SIDE, (k // SIDE + .37) / SIDE], "channels": "R"}


def ideal(u, v):
    x, y = np.clip(u * 8 - .5, 0, 7), np.clip(v * 8 - .5, 0, 7)
    i, j = int(x), int(y)
    rows = [TEXELS[min(j + b, 7), min(i + a, 7)] * (x - i if a else 1 - x + i) * (y - j if b else 1 - y + j) for a in (0, 1) for b in (0, 1)]
    return sum(rows) / 255


def main(folder, recorded=None, asked=None):
    values = {}

    def note(answer):
        import json
        content = json.loads(answer)
        if "channels" in content and isinstance(content["id"], int):
            values[content["id"]] = struct.unpack(">f", bytes.fromhex(content["channels"]["R"][0]))[0]

    def second(request):
        return {"channels": {"R": [struct.pack(">f", ideal(*request["uv"])).hex()]}}

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        summary = hd.sweep(asked or requests(), client, answers=note, oracle=recorded or second, progress=True)
    print(f"{summary.requests} requests, {summary.errors} errors, {summary.compared} compared, {summary.different} different")
    if asked:
        return
    ours = np.array([values[k] for k in range(SIDE * SIDE)]).reshape(SIDE, SIDE)
    other = np.array([ideal((k % SIDE + .37) / SIDE, (k // SIDE + .37) / SIDE) for k in range(SIDE * SIDE)]).reshape(SIDE, SIDE)
    apart = np.abs(ours - other)
    print(f"the largest difference is {apart.max() * 255:.2f} of 255")
    shown = np.stack([np.concatenate([ours, apart / apart.max()], 1)] * 3 + [np.ones((SIDE, 2 * SIDE))], -1)
    folder.mkdir(parents=True, exist_ok=True)
    heddle.Image(np.repeat(np.repeat(np.rint(shown * 255).astype(np.uint8), 6, 0), 6, 1)).save(folder / "sweep.png")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "out"), *sys.argv[2:4])
