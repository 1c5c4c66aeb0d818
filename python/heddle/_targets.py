# SPDX-License-Identifier: MIT
"""Render targets: what a pixel shader's output does to color, depth and stencil images."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Mapping, Sequence

import numpy as np

from . import _heddle
from ._heddle import Image

if TYPE_CHECKING:
    import numpy.typing as npt  # NumPy 1.19, that of Debian 11, has none


def _image(given: Any, format: str | None = None) -> Image:
    """An image, or the array that is one: what is written to it must arrive in it."""
    if not isinstance(given, np.ndarray):
        return given  # type: ignore[no-any-return]
    if not (given.flags.c_contiguous and given.flags.writeable):
        _heddle._fail("the array of a target is not contiguous and writable: what is written to it would be lost")
    return Image(given, format=format)


def _images(given: Any) -> list[Image]:
    return [_image(given)] if isinstance(given, (Image, np.ndarray)) else [_image(one) for one in given]


class RenderTarget:
    """Color, depth and stencil images with the state of the output merger.

    Parameters
    ----------
    color : Image or ndarray, or a sequence of them
        At most 8. Arrays are written in place.
    depth : Image or ndarray of float32, optional
        R32_FLOAT, R24_UNORM_X8_TYPELESS or R16_UNORM.
    stencil : Image or ndarray of uint8, optional
        R8_UINT.
    blend : dict or sequence of dict, optional
        For each target: src_color, dst_color, color_op, src_alpha, dst_alpha, alpha_op, write (four bools), enable. Factors: zero, one,
        src_color, inv_src_color, dst_color, inv_dst_color, src_alpha, inv_src_alpha, dst_alpha, inv_dst_alpha, constant_color,
        inv_constant_color, constant_alpha, inv_constant_alpha, src_alpha_saturate, or Vulkan's words (one_minus_src_color ...);
        operations: add, subtract, reverse_subtract, min, max.
    blend_constant : four floats, optional
    depth_test, depth_write : bool
    depth_compare : str
        depth OP stored depth: 'less' ...
    stencil_test : dict, optional
        compare, fail, depth_fail, pass, reference, read_mask, write_mask.
    """

    def __init__(self, color: Image | npt.NDArray[Any] | Sequence[Image | npt.NDArray[Any]] = (), *, depth: Image | npt.NDArray[np.float32] | None = None,
                 stencil: Image | npt.NDArray[np.uint8] | None = None,
                 blend: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None, blend_constant: Sequence[float] | None = None,
                 depth_test: bool = False, depth_write: bool = False, depth_compare: str = "less",
                 stencil_test: Mapping[str, Any] | None = None) -> None:
        self.color = _images(color)
        self.depth = depth = None if depth is None else _image(depth)
        self.stencil = stencil = None if stencil is None else _image(stencil, "R8_UINT")
        one = [blend] if isinstance(blend, Mapping) else list(blend or ())
        self.state: dict[str, Any] = {"blend": [dict(b) for b in one] or None, "blend_constant": list(blend_constant) if blend_constant else None,
                                      "depth_test": depth_test, "depth_write": depth_write, "depth_compare": depth_compare,
                                      "stencil_test": dict(stencil_test) if stencil_test is not None else None}
        _heddle._write_pixels(self.color, depth, stencil, self.state, {"x": np.zeros(0, np.int32), "colors": [[0] * 4] * len(self.color)}, None)

    def write(self, x: npt.ArrayLike, y: npt.ArrayLike, *colors: npt.ArrayLike, layer: npt.ArrayLike | None = None,
              depth: npt.ArrayLike | None = None, coverage: npt.ArrayLike | None = None,
              progress: Callable[[float], Any] | None = None) -> None:
        """Writes pixels one after the other, in C order: later ones blend over earlier ones.

        Parameters
        ----------
        x, y : array_like of int
            Texels of the targets; pixels outside are dropped.
        *colors : array_like, shape (..., 4)
            R, G, B, A for each target: floats, or integers where the target's format has them.
        layer : array_like of int, optional
            Layer, z or face.
        depth : array_like of float, optional
            0 to 1.
        coverage : array_like of int, optional
            Bit k: sample k of the pixel is covered; default: all.

        Raises
        ------
        Error
            usage-argument and the rules' (RTW-10, OM-8).
        """
        if len(colors) != len(self.color):
            _heddle._fail(f"{len(colors)} colors are given for {len(self.color)} targets")
        pixels: dict[str, Any] = {"x": x, "y": y, "colors": []}
        for name, value in (("layer", layer), ("depth", depth), ("coverage", coverage)):
            if value is not None:
                pixels[name] = value
        for color in colors:
            array = np.asarray(color)
            if array.ndim == 0 or array.shape[-1] != 4:
                _heddle._fail(f"colors have four parts in their last axis, not shape {array.shape}")
            pixels["colors"].append([array[..., c] for c in range(4)])
        _heddle._write_pixels(self.color, self.depth, self.stencil, self.state, pixels, progress)

    def resolve(self, target: int = 0) -> Image:
        """The mean of each pixel's samples (integer formats: sample 0) as an image of one sample (OM-23)."""
        source = self.color[target]
        description = source._description()
        description["samples"] = 1
        image = Image.empty(**description)
        _heddle._resolve(source, image)
        return image
