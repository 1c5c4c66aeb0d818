# SPDX-License-Identifier: MIT
"""Each frame of golden/ is a test. Record them with: heddle golden record golden --files -- python3 render.py {}"""
import functools
import pathlib
import subprocess
import xml.etree.ElementTree as xml

import pytest

HERE = pathlib.Path(__file__).parent


@functools.cache
def results():
    """Name and failure of each frame; the program runs once."""
    report = HERE / "results.xml"
    report.unlink(missing_ok=True)
    done = subprocess.run(["heddle", "golden", "check", "golden", "--junit", report], cwd=HERE, check=False, capture_output=True, text=True)
    if not report.exists():
        return [("run", done.stderr)]
    return [(case.get("name"), case.findtext("failure")) for case in xml.parse(report).iter("testcase")]


@pytest.mark.parametrize("name, failure", results())
def test_frame(name, failure):
    assert failure is None, f"{name}: {failure}"
