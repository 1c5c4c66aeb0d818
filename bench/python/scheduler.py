#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Requests a second of heddle.distributed.sweep with 1 and 2 workers, beside `heddle batch` alone; what a task of the scheduler costs.

usage: PYTHONPATH=... HEDDLE_PROGRAM=.../heddle bench/python/scheduler.py
"""

import json
import os
import subprocess
import time

from distributed import Client, LocalCluster

import heddle.distributed as hd


def requests(count):
    yield {"define": {"surface": "s", "type": "2d", "format": "rgba8", "width": 64, "height": 64, "fill": "80c0ff20"}}
    for k in range(count):
        yield {"id": k, "op": "sample_lz", "lanes": 64, "surface": "s", "sampler": "linear,repeat", "uv": [k / count, .25]}


def main(count=20000):
    lines = "\n".join(map(json.dumps, requests(count))) + "\n"
    began = time.perf_counter()
    subprocess.run([os.environ["HEDDLE_PROGRAM"], "batch"], input=lines, capture_output=True, text=True, check=True)
    print(f"heddle batch alone: {count / (time.perf_counter() - began):.0f} requests/s", flush=True)
    for workers in (1, 2):
        with LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None, memory_limit=None) as cluster, Client(cluster) as client:
            hd.sweep(requests(2000), client)
            for chunk in (100, 500, 2000):
                began = time.perf_counter()
                hd.sweep(requests(count), client, chunk=chunk)
                seconds = time.perf_counter() - began
                print(f"{workers} workers, {chunk} requests a task: {count / seconds:.0f} requests/s", flush=True)
            began = time.perf_counter()
            client.gather([client.submit(int, k, pure=False) for k in range(1000)])
            print(f"{workers} workers: {(time.perf_counter() - began):.3f} ms of the scheduler for an empty task", flush=True)


if __name__ == "__main__":
    main()
