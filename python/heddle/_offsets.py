# SPDX-License-Identifier: MIT
"""Offsets of each element: operations that take them as parameters, or packed into words (PKO-1)."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _heddle

_DIMENSIONS = {"1d": 1, "2d": 2, "3d": 3, "cube": 3, "buffer": 1}


def _parts(given: dict[str, Any], low: int, high: int) -> list[np.ndarray[Any, Any]]:
    parts = []
    for part in given.pop("offset"):
        values = np.asarray(part)
        if values.dtype.kind not in "iu":
            raise TypeError(f"'offset' takes integers, not {values.dtype}")
        if values.size and (values.min() < low or values.max() > high):
            _heddle._fail(f"an offset is outside {low} to {high} texels")
        parts.append(values.astype(np.int64))
    return parts


def _pack(parts: list[np.ndarray[Any, Any]], bits: int, start: int = 0) -> Any:
    word: Any = np.zeros((), np.uint32)
    for number, part in enumerate(parts):
        word = word | ((part & ((1 << bits) - 1)) << (start + number * bits)).astype(np.uint32)
    return word


def _level_bits(level: Any) -> Any:
    """A level as a word whose low 12 bits are free."""
    return np.asarray(level, np.float32).view(np.uint32) & np.uint32(0xFFFFF000)


def _layer_bits(image: Any, given: dict[str, Any]) -> Any:
    """The array index that packed words of 2D images carry in their low 12 bits (C15)."""
    layer = given.pop("layer", None)
    if layer is None:
        return np.uint32(0)
    index = np.rint(np.clip(np.asarray(layer, np.float64), 0, 4095)).astype(np.uint32)
    return index


def _common(given: dict[str, Any]) -> dict[str, Any]:
    for name in ("out", "progress"):
        if given.pop(name, None) is not None:
            _heddle._fail(f"'{name}' is not taken with offsets for each element")
    return {name: given.pop(name) for name in ("residency", "threads", "platform", "quads", "channel") if name in given}


def _point(image: Any, given: dict[str, Any]) -> dict[str, Any]:
    count = _DIMENSIONS[image.type]
    point = {name: given.pop(name) for name in "uvr"[:count]}
    layer = given.pop("layer", None)
    if layer is not None:
        if not image.is_array:
            _heddle._fail("the image is no array: it has no layers")
        point[{1: "v", 2: "r", 3: "ai"}[count]] = layer
    return point


def _gradients(image: Any, given: dict[str, Any]) -> dict[str, Any]:
    count = _DIMENSIONS[image.type]
    ddx, ddy = given.pop("ddx"), given.pop("ddy")
    if len(ddx) != count or len(ddy) != count:
        _heddle._fail("'ddx' and 'ddy' have one part for each coordinate")
    return {f"d{name}d{side}": list_[k] for side, list_ in (("x", ddx), ("y", ddy)) for k, name in enumerate("uvr"[:count])}


def _first(result: Any, residency: bool) -> Any:
    return (result[0][..., 0], result[1]) if residency else result[..., 0]


def _sample(given: dict[str, Any]) -> Any:
    image, sampler = given.pop("image"), given.pop("sampler")
    parts = _parts(given, -8, 7)
    common = _common(given)
    compares = "ref" in given
    quads = bool(common.get("quads"))
    parameters: dict[str, Any] = {}
    if "min_lod" in given:
        _heddle._fail("'min_lod' is not taken with offsets for each element")
    if "ddx" in given:
        parameters.update(_gradients(image, given))
        key = "offuv_r" if compares else "offuvr_r"
        parameters[key] = _pack(parts, 4, 12) | (_layer_bits(image, given) if image.type == "2d" else np.uint32(0))
        name = "sample_po_d_c" if compares else "sample_po_d"
    elif "bias" in given:
        parameters["bias_offuvr"] = _level_bits(given.pop("bias")) | _pack(parts, 4)
        name = "sample_po_b_c" if compares else "sample_po_b"
    elif quads:
        if compares:
            parameters["offuv_r"] = _pack(parts, 4, 12) | (_layer_bits(image, given) if image.type == "2d" else np.uint32(0))
        else:
            parameters["offuvr"] = _pack(parts, 4)
        name = "sample_po_c" if compares else "sample_po"
    else:
        parameters["lod_offuv" if compares else "lod_offuvr"] = _level_bits(given.pop("lod", 0)) | _pack(parts, 4)
        name = "sample_po_l_c" if compares else "sample_po_l"
    parameters.update(_point(image, given))
    if compares:
        parameters["ref"] = given.pop("ref")
    result = _heddle.operation(name, image, sampler, **common, **parameters)
    return _first(result, bool(common.get("residency"))) if compares else result


def sample(**given: Any) -> Any:
    return _sample(given)


sample_level = sample_grad = sample_compare = sample


def gather(**given: Any) -> Any:
    image, sampler = given.pop("image"), given.pop("sampler")
    parts = _parts(given, -32, 31)
    if len(parts) != 2:
        _heddle._fail("gathers take the offsets of u and v")
    common = _common(given)
    compares = "ref" in given
    quads = bool(common.get("quads"))
    parameters: dict[str, Any] = {}
    if "bias" in given:
        parameters["bias_offuv"] = _level_bits(given.pop("bias")) | _pack(parts, 6)
        name = "gather4_po_b"
    elif "lod" in given:
        parameters["lod_offuv"] = _level_bits(given.pop("lod")) | _pack(parts, 6)
        name = "gather4_po_l_c" if compares else "gather4_po_l"
    elif quads:
        if compares:
            parameters["offuv_r"] = _pack(parts, 6, 12) | (_layer_bits(image, given) if image.type == "2d" else np.uint32(0))
        else:
            parameters["offuv"] = _pack(parts, 6)
        name = "gather4_po_i_c" if compares else "gather4_po_i"
    else:
        parameters["offu"], parameters["offv"] = parts
        name = "gather4_po_c" if compares else "gather4_po"
    parameters.update(_point(image, given))
    if "ai" in parameters:
        _heddle._fail("gathers with offsets for each element take no cubes")
    if compares:
        parameters["ref"] = given.pop("ref")
    return _heddle.operation(name, image, sampler, **common, **parameters)
