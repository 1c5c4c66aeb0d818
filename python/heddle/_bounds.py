# SPDX-License-Identifier: MIT
"""What any device may answer, sampler feedback, and the bytes of a footprint."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Sequence

import numpy as np

from . import _heddle
from ._heddle import Image, Sampler
from ._messages import check_image, sampler_of

if TYPE_CHECKING:
    import numpy.typing as npt  # NumPy 1.19, that of Debian 11, has none


class Bounds(NamedTuple):
    """The least and the greatest value of each channel (shape + (4,), float64; infinite where all is allowed), and the
    rule that most of the freedom of each element comes from."""

    low: npt.NDArray[np.float64]
    high: npt.NDArray[np.float64]
    rules: npt.NDArray[np.str_]


class FeedbackMaps(NamedTuple):
    """MIN_MIP (a level for each region; 255: none) and MIP_REGION_USED of each level (255 or 0): rows, columns."""

    min_mip: npt.NDArray[np.uint8]
    used: list[npt.NDArray[np.uint8]]


class FeedbackBounds(NamedTuple):
    """The least and the greatest maps that the specification allows (FP-34)."""

    least: FeedbackMaps
    greatest: FeedbackMaps


def _elements(**given: Any) -> tuple[dict[str, Any], tuple[int, ...]]:
    """The arrays that are given, flat, and the shape that they have together."""
    named = {name: value for name, value in given.items() if value is not None}
    arrays = np.broadcast_arrays(*(np.asarray(value, np.float32) for value in named.values()))
    return {name: np.ascontiguousarray(array).reshape(-1) for name, array in zip(named, arrays)}, arrays[0].shape


def _derivatives(ddx: Sequence[npt.ArrayLike] | None, ddy: Sequence[npt.ArrayLike] | None) -> dict[str, Any]:
    if (ddx is None) != (ddy is None):
        _heddle._fail("'ddx' and 'ddy' are given together")
    if ddx is None or ddy is None:
        return {}
    if len(ddx) != len(ddy) or len(ddx) not in (1, 2, 3):
        _heddle._fail("'ddx' and 'ddy' have one part for each coordinate")
    parts = {f"d{axis}dx": part for axis, part in zip("uvr", ddx)}
    parts.update({f"d{axis}dy": part for axis, part in zip("uvr", ddy)})
    return {"dudx": 0, "dudy": 0, **parts}


def bounds(image: Image, sampler: Sampler | str, u: npt.ArrayLike, v: npt.ArrayLike = 0, r: npt.ArrayLike | None = None, *,
           index: npt.ArrayLike | None = None, lod: npt.ArrayLike | None = None, ddx: Sequence[npt.ArrayLike] | None = None,
           ddy: Sequence[npt.ArrayLike] | None = None, ref: npt.ArrayLike | None = None, gather: int | None = None,
           api: str = "vulkan", sub_texel_bits: int = 0, mipmap_bits: int = 0) -> Bounds:
    """What any device may answer to samples (rules BND-1 to BND-16).

    Parameters
    ----------
    u, v, r, index : array_like of float
        Coordinates, or a cube's direction; layer or cube of arrays.
    lod, ddx, ddy, ref : array_like of float
        As of `sample_level`, `sample_grad` and `sample_compare`; without them level 0.
    gather : int
        Gathers of this channel in place of samples.
    api : {'vulkan', 'd3d11', 'webgpu'}
        Whose rules decide.
    sub_texel_bits, mipmap_bits : int
        What the device promises, 1 to 16; 0: the least that the API asks for.

    Returns
    -------
    Bounds
        low, high, rules
    """
    check_image(image, "bounds")
    sampler = sampler_of(sampler, "bounds")
    given, shape = _elements(u=u, v=v, r=r, index=index, lod=lod, ref=ref, **_derivatives(ddx, ddy))
    low, high, rules = _heddle._bounds(image, sampler, given, -1 if gather is None else gather, api, sub_texel_bits, mipmap_bits)
    return Bounds(low.reshape(shape + (4,)), high.reshape(shape + (4,)), np.array(rules, dtype=str).reshape(shape))


def feedback(image: Image, sampler: Sampler | str, u: npt.ArrayLike, v: npt.ArrayLike, *, region: tuple[int, int],
             lod: npt.ArrayLike | None = None, ddx: Sequence[npt.ArrayLike] | None = None, ddy: Sequence[npt.ArrayLike] | None = None,
             form: str = "spread", merge_tail: bool = False, layer: int = 0) -> tuple[FeedbackMaps, FeedbackBounds]:
    """Sampler feedback as Direct3D 12 has it, for what samples of a 2D image read (rules FP-28 to FP-30, FP-34).

    Parameters
    ----------
    u, v, lod, ddx, ddy : array_like of float
        As of `sample_level` and `sample_grad`.
    region : (int, int)
        Width and height of the regions: powers of two from 4 to half the image.
    form : {'spread', 'point'}
        How MIN_MIP covers the regions of the first level.
    merge_tail : bool
        Record levels smaller than a region as the first of them.
    layer : int
        Of an array.

    Returns
    -------
    FeedbackMaps, FeedbackBounds
        The maps, and the least and the greatest that the specification allows.
    """
    check_image(image, "feedback")
    sampler = sampler_of(sampler, "feedback")
    if form not in ("spread", "point"):
        _heddle._fail(f"unknown form '{form}'; one of: spread point")
    given, _ = _elements(u=u, v=v, index=layer or None, lod=lod, **_derivatives(ddx, ddy))
    maps, least, greatest = _heddle._feedback(image, sampler, given, tuple(region), form == "point", merge_tail, layer)
    return FeedbackMaps(*maps), FeedbackBounds(FeedbackMaps(*least), FeedbackMaps(*greatest))


def footprint_bytes(image: Image, texels: npt.ArrayLike, *, tile: str = "tile4", line: int = 64, page: int = 4096) -> dict[str, Any]:
    """Which cache lines and pages a set of texels occupies in a tiling of the hardware (FP-35).

    Parameters
    ----------
    texels : array_like of int, shape (n, 4)
        Level, slice (layer, or z), x, y of each.
    tile : {'linear', 'x', 'y', 'w', 'tile4', 'tile64', 'ys', 'yf'}
    line, page : int
        Bytes of a cache line and of a page, powers of two.

    Returns
    -------
    dict
        elements, bytes, image_bytes; lines and pages: arrays (n, 2) with the first byte of each and how many bytes of
        touched elements lie in it.
    """
    check_image(image, "footprint_bytes")
    places = np.asarray(texels)
    if places.ndim != 2 or places.shape[1] != 4 or (places.size != 0 and not np.issubdtype(places.dtype, np.integer)):
        _heddle._fail("'texels' has rows of four integers: level, slice, x, y")
    if places.size != 0 and (places.min() < 0 or places.max() > 0xFFFFFFFF):
        _heddle._fail("'texels' has integers from 0 to 2**32 - 1")
    return _heddle._footprint_bytes(image, places.astype(np.uint32), tile, line, page)  # type: ignore[no-any-return]
