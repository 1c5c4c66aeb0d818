# SPDX-License-Identifier: MIT
"""Queries, levels of detail and sample_unorm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Sequence

import numpy as np

from . import _heddle
from ._heddle import Image, Sampler
from ._messages import check_image, sampler_of

if TYPE_CHECKING:
    import numpy.typing as npt  # NumPy 1.19, that of Debian 11, has none


class ImageSize(NamedTuple):
    """What an image says of a level (messages resinfo and sampleinfo)."""

    width: int
    height: int
    depth: int
    layers: int
    levels: int
    samples: int


def query(image: Image, level: int = 0) -> ImageSize:
    """Sizes of a level in texels, layers (or cubes) of arrays, levels and samples; 0 where there is no such level."""
    check_image(image, "query")
    return ImageSize(*_heddle._query(image, level))


def lod(image: Image, sampler: Sampler | str, ddx: Sequence[npt.ArrayLike], ddy: Sequence[npt.ArrayLike]) -> npt.NDArray[np.float32]:
    """The level of detail for derivatives.

    Parameters
    ----------
    ddx, ddy : sequence of array_like of float
        Derivatives of each normalized coordinate with respect to the screen's x and y; all of them broadcast.

    Returns
    -------
    ndarray, shape of the derivatives + (2,), float32
        The level that `sample` uses, and the level before it is clamped to the image's levels and the sampler's range.
    """
    check_image(image, "lod")
    dimensions = {"1d": 1, "2d": 2, "3d": 3, "cube": 3}.get(image.type)
    if dimensions is None:
        _heddle._fail("a buffer has no levels")
        raise AssertionError
    if len(ddx) != dimensions or len(ddy) != dimensions:
        _heddle._fail(f"'ddx' and 'ddy' have {len(ddx)} and {len(ddy)} parts; the image has {dimensions} coordinates")
    parts = np.broadcast_arrays(*(np.asarray(d, np.float32) for d in (*ddx, *ddy)))
    parameters: dict[str, Any] = {}
    for name, dx, dy in zip("uvr", parts[:dimensions], parts[dimensions:]):
        zero = np.zeros_like(dx)
        parameters[name] = np.stack([np.stack([zero, dx], -1), np.stack([dy, dx + dy], -1)], -2)
    result: npt.NDArray[np.float32] = _heddle.operation("lod", image, sampler, quads=True, **parameters)[..., 0, 0, :2]
    return result


def sample_unorm(image: Image, sampler: Sampler | str, u: npt.ArrayLike, v: npt.ArrayLike, du: npt.ArrayLike, dv: npt.ArrayLike, *,
                 channels: str = "rgba", format: str = "16-full") -> npt.NDArray[np.uint16]:
    """Blocks of 8 x 4 filtered pixels in fixed point (message sample_unorm).

    Parameters
    ----------
    u, v : array_like of float
        Coordinates of pixel (0, 0).
    du, dv : array_like of float
        Steps to the next pixel.
    channels : str
        Letters of 'rgba' (UNO-8); the others are 0.
    format : {'16-full', '16-downsampled', '8-full', '8-downsampled'}

    Returns
    -------
    ndarray, shape of the coordinates + (4, 8, 4), uint16
        Rows, columns, R G B A; 0xFF00 is 1.0.
    """
    check_image(image, "sample_unorm")
    sampler = sampler_of(sampler, "sample_unorm")
    parts = np.broadcast_arrays(*(np.asarray(p, np.float32) for p in (u, v, du, dv)))
    requests = np.ascontiguousarray(np.stack(parts, -1))
    result = np.zeros(requests.shape[:-1] + (4, 8, 4), np.uint16)
    if result.size:
        _heddle._unorm(image, sampler, requests, channels, format, result)
    return result
