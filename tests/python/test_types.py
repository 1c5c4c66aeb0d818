# SPDX-License-Identifier: MIT
"""The types are those that mypy sees, and the stub has what the module has."""

import inspect
import os
import pathlib
import re
import subprocess
import sys

import pytest

import heddle

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_mypy_accepts_the_module_and_its_use(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "mypy.ini").write_text("[mypy]\nstrict = True\nallow_any_generics = True\nallow_untyped_calls = True\n"
                                       "[mypy-dask.*,distributed.*,tqdm.*]\nfollow_imports = skip\nignore_missing_imports = True\n")
    # NumPy's stubs take half a minute where they are read for the first time.
    cache = os.environ.get("HEDDLE_MYPY_CACHE", str(tmp_path / "cache"))
    done = subprocess.run([sys.executable, "-m", "mypy", "--config-file", str(tmp_path / "mypy.ini"), "--cache-dir", cache, str(ROOT / "python" / "heddle"),
                           str(ROOT / "tests" / "python" / "typed.py")], capture_output=True, text=True, env={**os.environ, "MYPYPATH": str(ROOT / "python")}, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_stub_has_what_the_module_has():
    stub = (ROOT / "python" / "heddle" / "_heddle.pyi").read_text()
    native = heddle._heddle
    public = {name for name in vars(native) if not name.startswith("_")}
    for name in public:
        assert re.search(rf"^(def|class) {name}\b|^{name}:", stub, re.M), name
        thing = getattr(native, name)
        if not inspect.isclass(thing):
            continue
        body = re.search(rf"^class {name}\b.*?(?=^\S|\Z)", stub, re.M | re.S).group(0)
        for member in vars(thing):
            if not member.startswith("_") and not (name == "Error"):
                assert f"def {member}(" in body, f"{name}.{member}"
    for name in heddle.__all__:
        thing = getattr(heddle, name)
        assert thing.__doc__ or not callable(thing), name


def test_a_missing_numpy_is_said(tmp_path):
    (tmp_path / "numpy.py").write_text("raise ImportError('no numpy here')\n")
    path = os.pathsep.join([str(tmp_path), *sys.path])
    done = subprocess.run([sys.executable, "-c", "import heddle"], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path})
    assert done.returncode != 0 and "heddle needs NumPy, which this Python has not (Debian: python3-numpy" in done.stderr


def test_the_module_has_the_version_of_the_program():
    program = os.environ.get("HEDDLE_PROGRAM", str(ROOT / "build" / "dev" / "src" / "tools" / "heddle"))
    environment = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}  # a sanitized program has its own run-time
    said = subprocess.run([program, "--version"], capture_output=True, text=True, env=environment, check=True).stdout
    assert said.split()[:2] == ["heddle", heddle.__version__]
