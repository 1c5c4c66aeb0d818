# SPDX-License-Identifier: MIT
"""What the Python tests share: the batch oracle, a seeded generator, small images."""

import base64
import json
import os
import subprocess

import hypothesis
import numpy as np
import pytest

import heddle

hypothesis.settings.register_profile("heddle", deadline=None, derandomize=True, max_examples=int(os.environ.get("HEDDLE_TEST_EXAMPLES", "25")),
                                     suppress_health_check=list(hypothesis.HealthCheck))
hypothesis.settings.load_profile("heddle")


class Oracle:
    """`heddle batch`, one request at a time."""

    def __init__(self):
        program = os.environ.get("HEDDLE_PROGRAM", "build/dev/src/tools/heddle")
        self.process = subprocess.Popen([program, "batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
                                        env={k: v for k, v in os.environ.items() if k != "LD_PRELOAD"})  # a sanitized program has its own run-time

    def ask(self, request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def define(self, image):
        """A surface of the image's texels; its name."""
        kind = {"2d": "2d", "1d": "1d", "3d": "3d", "cube": "cube"}[image.type]
        data, packed, at = [], image.packed(), 0
        d = heddle.describe_format(image.format)
        element, (bw, bh) = d["element_bytes"], d["block"]
        for level in range(image.levels):
            w, h, depth = image.level_size(level)
            slices = depth if kind == "3d" else image.layers * (6 if kind == "cube" else 1) * image.samples
            size = -(-w // bw) * -(-h // bh) * element
            data.append([packed[at + k * size:at + (k + 1) * size].hex() for k in range(slices)])
            at += slices * size
        surface = {"surface": "s", "type": kind, "format": image.format, "width": image.width, "levels": image.levels, "samples": image.samples, "data": data}
        if kind != "1d":
            surface["height"] = image.height
        if kind == "3d":
            surface["depth"] = image.depth
        else:
            surface["layers"] = image.layers * (6 if kind == "cube" else 1)
            surface["array"] = image.is_array
        answer = self.ask({"define": surface})
        assert "error" not in answer, answer
        self.words = ",seamless_cube=true" if kind == "cube" else ""  # as the library has it where nothing is said

    def run(self, op, sampler, lanes, **members):
        """(lanes, 4) words of an operation on the surface that was defined last."""
        params = {k: {"base64": base64.b64encode(np.broadcast_to(np.asarray(v), lanes).astype(np.uint32 if np.asarray(v).dtype.kind in "iu" else np.float32).tobytes()).decode()}
                  for k, v in members.pop("params").items()}
        answer = self.ask({"op": op, "surface": "s", "sampler": (sampler or "nearest") + self.words, "lanes": lanes, "params": params, **members})
        assert "error" not in answer, answer
        return np.stack([np.array([int(w, 16) for w in answer["channels"][c]], np.uint32) for c in "RGBA"], -1)


@pytest.fixture(scope="session")
def oracle():
    found = Oracle()
    yield found
    found.process.stdin.close()
    found.process.wait()


@pytest.fixture
def rng():
    return np.random.default_rng(22)


def words(array):
    return np.ascontiguousarray(array).view(np.uint32)
