# SPDX-License-Identifier: MIT
"""Texel footprints: which texels samples read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Sequence

import numpy as np

from . import _heddle
from ._heddle import Image, Sampler
from ._messages import check_image, sampler_of

if TYPE_CHECKING:
    import numpy.typing as npt  # NumPy 1.19, that of Debian 11, has none


class Footprints(np.ndarray):  # NumPy 1.19 has no ndarray[...]
    """Footprints as a structured array (dtype `footprint_dtype`): single_level, anchor, offset, mask, lod, granularity. One of them
    draws itself over its texture in a notebook."""

    image: Any
    sampler: Any
    request: Any

    def __array_finalize__(self, source: Any) -> None:
        self.image = getattr(source, "image", None)
        self.sampler = getattr(source, "sampler", None)
        self.request = getattr(source, "request", None)

    def _repr_png_(self) -> bytes | None:
        if self.image is None or self.size == 0 or self.request is None:
            return None
        from . import notebook

        return notebook.footprint_png(self.image, self.sampler, self.request)


def _request(u: Any, v: Any, r: Any, granularity: int, coarse: bool, lod: Any, ddx: Any, ddy: Any, bias: Any, min_lod: Any, mode: str,
             conservative: bool) -> dict[str, Any]:
    given = {"u": u, "v": v, "r": r, "lod": lod, "ddx": ddx, "ddy": ddy, "bias": bias, "min_lod": min_lod}
    request: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    request.update(granularity=granularity, coarse=coarse, mode=mode, conservative=conservative)
    return request


def footprint(image: Image, sampler: Sampler | str, u: npt.ArrayLike, v: npt.ArrayLike, r: npt.ArrayLike | None = None, *, granularity: int = 1,
              coarse: bool = False, lod: npt.ArrayLike | None = None, ddx: Sequence[npt.ArrayLike] | None = None,
              ddy: Sequence[npt.ArrayLike] | None = None, bias: npt.ArrayLike | None = None, min_lod: npt.ArrayLike | None = None,
              mode: str = "strict", conservative: bool = False, progress: Callable[[float], Any] | None = None) -> Footprints:
    """Which groups of texels samples would read, as OpImageSampleFootprintNV answers it. Images of type 2d and 3d.

    Parameters
    ----------
    u, v, r : array_like of float
        Normalized coordinates.
    granularity : int
        Size of a group; `group_size` tells.
    coarse : bool
        The coarser of the two levels that a trilinear filter reads.
    lod, ddx, ddy, bias, min_lod : optional
        The level, or derivatives (one part for each coordinate), levels added and least.
    mode : {'strict', 'lenient', 'extended'}
        What happens to requests that the extension's rules refuse (FP-21).
    conservative : bool
        A superset that holds for samplers of less precision too (FP-22).

    Returns
    -------
    Footprints, shape of the coordinates
        Structured: single_level, anchor (3), offset (3), mask, lod, granularity.

    Raises
    ------
    Error
        usage-argument, footprint-address-mode, footprint-granularity-value, footprint-not-encodable ...
    """
    check_image(image, "footprint")
    sampler = sampler_of(sampler, "footprint")
    request = _request(u, v, r, granularity, coarse, lod, ddx, ddy, bias, min_lod, mode, conservative)
    result = _heddle._footprint(image, sampler, request, progress).view(Footprints)
    result.image, result.sampler, result.request = image, sampler, request
    return result  # type: ignore[no-any-return]


def footprint_map(image: Image, sampler: Sampler | str, u: npt.ArrayLike, v: npt.ArrayLike, r: npt.ArrayLike | None = None, *,
                  coarse: bool = False, lod: npt.ArrayLike | None = None, ddx: Sequence[npt.ArrayLike] | None = None,
                  ddy: Sequence[npt.ArrayLike] | None = None, bias: npt.ArrayLike | None = None, min_lod: npt.ArrayLike | None = None,
                  mode: str = "strict", conservative: bool = False,
                  progress: Callable[[float], Any] | None = None) -> list[npt.NDArray[np.uint32]]:
    """How many of the samples read each texel: what a view touches, added up.

    Parameters as of `footprint`. Both levels of a trilinear filter count; with coarse=True the coarser one alone.

    Returns
    -------
    list of ndarray, (h, w) or (depth, h, w), uint32
        One for each level of the image.
    """
    check_image(image, "footprint_map")
    sampler = sampler_of(sampler, "footprint_map")
    request = _request(u, v, r, 1, coarse, lod, ddx, ddy, bias, min_lod, mode, conservative)
    return _heddle._footprint_map(image, sampler, request, progress)  # type: ignore[no-any-return]


def footprint_texels(image: Image, sampler: Sampler | str, u: float, v: float, r: float | None = None, *, granularity: int = 1, coarse: bool = False,
                     lod: float | None = None, ddx: Sequence[float] | None = None, ddy: Sequence[float] | None = None,
                     bias: float | None = None, min_lod: float | None = None, mode: str = "strict", conservative: bool = False) -> dict[str, Any]:
    """The footprint of one sample as lists: single_level, border, lod, granularity, groups, texels ((x, y, z), sorted)."""
    check_image(image, "footprint_texels")
    sampler = sampler_of(sampler, "footprint_texels")
    request = _request(u, v, r, granularity, coarse, lod, ddx, ddy, bias, min_lod, mode, conservative)
    return _heddle._footprint_texels(image, sampler, request)  # type: ignore[no-any-return]
