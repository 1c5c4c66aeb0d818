# SPDX-License-Identifier: MIT
"""Variables of the environment that mean nothing: import heddle warns, pip install refuses. Rules: environment-value, environment-name."""

import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def imported(*flags, **variables):
    return subprocess.run([sys.executable, *flags, "-c", "import heddle; print('there')"], env={**os.environ, **variables}, capture_output=True, text=True)


@pytest.mark.parametrize("name, value, said", [
    ("HEDDLE_VECTORS", "avx9", "HEDDLE_VECTORS takes all, v2, v3 or v4"),
    ("HEDDLE_VECTORS", "-1", "it is taken for all"),
    ("HEDDLE_CACHE_DIR", "/dev/null", "it is no folder"),
    ("HEDDLE_" "CACHEDIR", "x", "did you mean HEDDLE_CACHE_DIR?"),
])
def test_import_warns(name, value, said):
    done = imported(**{name: value})
    assert done.returncode == 0 and done.stdout == "there\n"
    assert "RuntimeWarning" in done.stderr and said in done.stderr
    assert imported("-W", "error::RuntimeWarning", **{name: value}).returncode == 1


@pytest.mark.parametrize("name, value", [("HEDDLE_VECTORS", "v3"), ("HEDDLE_VECTORS", ""), ("HEDDLE_CACHE_DIR", "")])
def test_import_is_silent_otherwise(name, value):
    assert "Warning" not in imported(**{name: value}).stderr


def test_a_program_that_is_none_is_named(monkeypatch):
    pytest.importorskip("dask")
    import heddle
    import heddle.distributed

    monkeypatch.setenv("HEDDLE_PROGRAM", "/nonexistent/heddle")
    with pytest.raises(heddle.Error, match="'/nonexistent/heddle' can't be run on .*: No such file or directory; program= or HEDDLE_PROGRAM names"):
        heddle.distributed._answer((), ['{"op": "resinfo"}'], heddle.distributed._program(None))


def test_a_relative_build_folder_is_below_the_project(tmp_path):
    pytest.importorskip("setuptools")
    done = subprocess.run([sys.executable, str(ROOT / "python" / "setup.py"), "-q", "build_ext", "--build-temp", str(tmp_path), "--build-lib", str(tmp_path)],
                          cwd=tmp_path, env={**os.environ, "HEDDLE_BUILD": "python/setup.py"}, capture_output=True, text=True)
    assert done.returncode == 1
    assert f"HEDDLE_BUILD is '{ROOT / 'python' / 'setup.py'}', which is no folder: it takes a folder with a build" in done.stderr
