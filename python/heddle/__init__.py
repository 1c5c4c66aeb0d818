# SPDX-License-Identifier: MIT
"""GPU image instructions on the CPU: textures as NumPy arrays, render targets, and programs.

    import heddle
    brick = heddle.Image("brick.png", mips=True)
    smooth = heddle.Sampler("linear,repeat,mip=linear")
    colors = heddle.sample(brick, smooth, u, v)          # u and v broadcast; the results have shape (..., 4)

Everything that is refused raises `heddle.Error`, whose `diagnostics` are objects.
"""

try:
    import numpy as _numpy  # noqa: F401
except ImportError as _missing:
    raise ImportError("heddle needs NumPy, which this Python has not (Debian: python3-numpy; pip install numpy)") from _missing

try:
    import importlib as _importlib

    _importlib.import_module("._heddle", __name__)
except ModuleNotFoundError as _missing:
    if _missing.name != "heddle._heddle":
        raise
    import glob as _glob
    import os as _os
    import sys as _sys

    _built = [_os.path.basename(_path) for _path in _glob.glob(_os.path.join(_os.path.dirname(__file__), "_heddle*.so"))]
    _why = (
        f"it was built for another Python ({_built[0]}; this is {_sys.version.split()[0]})"
        if _built
        else "it is not built: './dev build' makes it in build/dev/python ('./dev run' builds the program alone)"
    )
    raise ImportError(f"the compiled part of heddle is missing: {_why}", name=_missing.name) from _missing

from . import _heddle, _messages
from ._heddle import (
    Buffer,
    Diagnostic,
    Error,
    Image,
    Note,
    Place,
    Report,
    Sampler,
    describe_format,
    explain,
    explain_index,
    footprint_dtype,
    formats,
    gather,
    group_size,
    load,
    operation,
    operations,
    platforms,
    sample,
    sample_compare,
    sample_grad,
    sample_level,
)
from ._bounds import Bounds, FeedbackBounds, FeedbackMaps, bounds, feedback, footprint_bytes
from ._explore import Exploration, explore
from ._footprints import Footprints, footprint, footprint_map, footprint_texels
from ._kernel import Kernel, Plan, Trace
from ._program import CheckReport, Program, assemble, check, compile, disassemble
from ._queries import ImageSize, lod, query, sample_unorm
from ._targets import RenderTarget

for _name in ("describe_format", "explain", "explain_index", "formats", "group_size", "operation", "operations", "platforms"):
    globals()[_name] = _messages.plain(getattr(_heddle, _name), _name)
for _class in (Image, Sampler):
    _messages.plain_methods(_class)

__version__ = _heddle.__version__

__all__ = [
    "Bounds", "Buffer", "CheckReport", "Diagnostic", "Error", "Exploration", "FeedbackBounds", "FeedbackMaps", "Footprints", "Image", "ImageSize", "Kernel", "Note", "Place", "Plan", "Program",
    "RenderTarget", "Report", "Sampler", "Trace", "assemble", "bounds", "check", "compile", "describe_format", "disassemble", "explain",
    "explain_index", "explore", "feedback", "footprint", "footprint_bytes", "footprint_dtype", "footprint_map", "footprint_texels", "formats", "gather", "group_size", "load", "lod",
    "operation", "operations", "platforms", "query", "sample", "sample_compare", "sample_grad", "sample_level", "sample_unorm",
]
