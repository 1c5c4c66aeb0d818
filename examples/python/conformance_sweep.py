#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A conformance sweep over Dask: requests of `heddle batch` go to the workers, and each answer is laid beside the one that lavapipe, Mesa's
driver for CPUs, gave to the same request (records/, made by tests/peers/vulkan/records_test.cpp). Another driver's records, and the requests
they answer, are named behind the folder.

usage: HEDDLE_PROGRAM=.../heddle conformance_sweep.py [FOLDER [RECORDS REQUESTS]]      leaves sweep.png there (default: out)

The picture has a row for each request and a column for each of its lanes: Heddle's colors, the other's, and how far they are apart (white: 4 of
255 and more). The table counts it: lavapipe filters RGBA8 with 8 bit integers, the hardware with 8 bit weights of exact texels. One answer
stands out: there the level is exactly 1.5 and the mip filter nearest, which Vulkan lets a driver round up or down.
"""

import json
import pathlib
import sys
from collections import defaultdict

import numpy as np
from distributed import Client, LocalCluster

import heddle
import heddle.distributed as hd

RECORDS = pathlib.Path(__file__).resolve().parent / "records"
TOLERANCE = 2 / 255


def values(answer):
    """(lanes, 4) numbers of an answer; lanes that are not active are 0."""
    columns = [[int(word, 16) if word else 0 for word in answer["channels"][c]] for c in "RGBA"]
    return np.array(columns, np.uint32).view(np.float32).T


def apart(answer, other):
    return np.abs(values(answer).astype(float) - values(other))


def close(request, answer, other):
    """What counts as the same: an error is none."""
    return "channels" in answer and np.all(apart(answer, other) <= TOLERANCE)


def picture(ours, theirs):
    """Rows of requests, columns of lanes, three times; each place 6 x 6 pixels."""
    rows = []
    for answer, other in zip(ours, theirs):
        colors = [np.clip(values(a), 0, 1) for a in (answer, other)]
        gap = np.clip(apart(answer, other).max(1) * 255 / 4, 0, 1)[:, None].repeat(4, 1)
        rows.append(np.concatenate([colors[0], np.zeros((1, 4)), colors[1], np.zeros((1, 4)), gap]))
    pixels = np.stack(rows)
    pixels[..., 3] = 1
    return heddle.Image(np.rint(pixels.repeat(6, 0).repeat(6, 1) * 255).astype(np.uint8))


def main(folder, records=RECORDS / "lavapipe.jsonl", requests=RECORDS / "requests.jsonl"):
    ours = []
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        summary = hd.sweep(requests, client, answers=lambda answer: ours.append(json.loads(answer)), oracle=records, same=close, chunk=20, progress=True)
    print(f"{summary.requests} requests, {summary.errors} errors, {summary.compared} compared, {summary.different} apart by more than {TOLERANCE * 255:.0f} of 255")
    for number, request, answer, other in summary.differences:
        print(f"  answer {number}: {request[:150]}")

    asked = [json.loads(line) for line in open(requests)]
    asked = [request for request in asked if "op" in request]
    theirs = [json.loads(line) for line in open(records)]
    pairs = [(request, a, b) for request, a, b in zip(asked, ours, theirs) if "channels" in a and "channels" in b]
    kinds = defaultdict(list)
    for request, answer, other in pairs:
        kinds[request["surface"], request["op"], str(request.get("sampler", "")).split(",")[0]].append(apart(answer, other))
    print(f"{'surface':8} {'operation':10} {'filter':8} {'values':>7} {'the same':>9}   furthest apart, of 255")
    for (surface, op, sampler), gaps in kinds.items():
        gaps = np.concatenate(gaps)
        print(f"{surface:8} {op:10} {sampler:8} {gaps.size:7} {np.mean(gaps == 0):9.1%}   {gaps.max() * 255:.2f}")
    folder.mkdir(parents=True, exist_ok=True)
    picture(*zip(*((a, b) for _, a, b in pairs))).save(folder / "sweep.png")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "out"), *sys.argv[2:4])
