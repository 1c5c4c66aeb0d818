# SPDX-License-Identifier: MIT
"""The examples run as scripts and leave their pictures."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

import heddle

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"


def run(name, folder):
    """What the example says."""
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(heddle.__file__).parents[1])}
    done = subprocess.run([sys.executable, str(FOLDER / f"{name}.py"), str(folder)], capture_output=True, text=True, cwd=folder.parent, env=environment, timeout=1200)
    assert done.returncode == 0, done.stderr
    return done.stdout


def picture(path):
    pixels = np.asarray(heddle.Image(path))
    assert pixels[..., :3].std() > 10, "the picture is empty"
    return pixels


def test_anisotropy(tmp_path):
    said = run("anisotropy", tmp_path / "out")
    texels = [int(n) for n in re.findall(r"(\d+) texels", said)]
    assert len(texels) == 3 and texels[2] > texels[1] > texels[0]  # the longer the footprint, the more texels
    assert picture(tmp_path / "out" / "anisotropy.png").shape == (560, 960, 4)


def test_feedback(tmp_path):
    said = run("feedback", tmp_path / "out")
    levels = [tuple(map(int, found)) for found in re.findall(r"level \d: (\d+) of (\d+) texels were read", said)]
    assert len(levels) == 4 and all(0 < read <= texels for read, texels in levels)
    assert picture(tmp_path / "out" / "feedback.png").shape == (256, 5 * 256, 4)


@pytest.mark.skipif(shutil.which("glslangValidator") is None, reason="glslangValidator is not installed")
def test_debug_shader(tmp_path):
    said = run("debug_shader", tmp_path / "out")
    assert "blur.comp:9" in said and "inside the image: no findings" in said
    assert picture(tmp_path / "out" / "debugged.png").shape == (256, 1024, 4)
    assert "blur.comp:9" in (tmp_path / "out" / "debugged.html").read_text()


def test_conformance_sweep(tmp_path):
    pytest.importorskip("distributed")
    said = run("conformance_sweep", tmp_path / "out")
    # One level of exactly 1.5, which lavapipe rounds up.
    assert "60 requests, 0 errors, 60 compared, 1 apart by more than 2 of 255" in said
    gathers = [line.split() for line in said.splitlines() if " gather4 " in line]
    assert [g[0] for g in gathers] == ["bytes", "srgb", "tens", "halves", "floats"]
    assert all(float(g[-1]) < 0.5 for g in gathers)  # the right texels, to the last bits
    assert picture(tmp_path / "out" / "sweep.png").shape == (360, 300, 4)
