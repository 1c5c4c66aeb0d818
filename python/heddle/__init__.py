"""GPU image instructions on the CPU: textures as NumPy arrays, render targets, and programs.

    import heddle
    brick = heddle.Image("brick.png", mips=True)
    smooth = heddle.Sampler("linear,repeat,mip=linear")
    colours = heddle.sample(brick, smooth, u, v)          # u and v broadcast; the results have shape (..., 4)

Everything that is refused raises `heddle.Error`, whose `diagnostics` are objects.
"""

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
from ._footprints import Footprints, footprint, footprint_map, footprint_texels
from ._kernel import Kernel, Plan, Trace
from ._program import CheckReport, Program, assemble, check, compile, disassemble
from ._queries import ImageSize, lod, query, sample_unorm
from ._targets import RenderTarget

__version__ = "0.1.0"

__all__ = [
    "Buffer", "CheckReport", "Diagnostic", "Error", "Footprints", "Image", "ImageSize", "Kernel", "Note", "Place", "Plan", "Program",
    "RenderTarget", "Report", "Sampler", "Trace", "assemble", "check", "compile", "describe_format", "disassemble", "explain",
    "explain_index", "footprint", "footprint_dtype", "footprint_map", "footprint_texels", "formats", "gather", "group_size", "load", "lod",
    "operation", "operations", "platforms", "query", "sample", "sample_compare", "sample_grad", "sample_level", "sample_unorm",
]
