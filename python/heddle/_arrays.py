# SPDX-License-Identifier: MIT
"""How arrays become images: dtypes, shapes, channels."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

_SUFFIX = {"u1": "UNORM", "u2": "UNORM", "i1": "SNORM", "i2": "SNORM", "f2": "FLOAT", "f4": "FLOAT", "u4": "UINT", "i4": "SINT"}
_NAMED_SIZES = ("width", "height", "depth", "layers", "levels", "samples")
_AXES = {"1d": 1, "2d": 2, "3d": 3, "cube": 3, "buffer": 1}


def _fail(message: str) -> Any:
    from . import _heddle

    return _heddle._fail(message)


def default_format(dtype: np.dtype[Any], channels: int, srgb: bool = False) -> str:
    """The format of texels with so many channels of that dtype."""
    key = f"{dtype.kind}{dtype.itemsize}"
    suffix = _SUFFIX.get(key)
    if suffix is None:
        raise TypeError(f"no format has texels of dtype {dtype}; name a format, or use one of: int8 uint8 int16 uint16 float16 int32 uint32 float32")
    bits = dtype.itemsize * 8
    if channels not in (1, 2, 3, 4):
        return str(_fail(f"texels have 1 to 4 channels, not {channels}; the last axis of (h, w, c) counts them"))
    name = "".join(f"{letter}{bits}" for letter in "RGBA"[:channels])
    if srgb and suffix == "UNORM" and bits == 8:
        suffix = "UNORM_SRGB"
    return f"{name}_{suffix}"


def _dtype_of(description: dict[str, Any]) -> tuple[np.dtype[Any], int] | None:
    if description["dtype"] is None:
        return None
    letter, channels = description["dtype"]
    return np.dtype(letter), channels


def _split(array: np.ndarray[Any, Any], kind: str, has_layers: bool, bare: bool) -> tuple[tuple[int, ...], int]:
    """Sizes without the channels, and the number of channels (`bare`: the array has none)."""
    axes = _AXES[kind] + (1 if has_layers and kind in ("1d", "2d") else 0)
    if array.ndim == axes + 1 and not bare:
        return array.shape[:-1], array.shape[-1]
    if array.ndim == axes:
        return array.shape, 1
    _fail(f"an image of type {kind}{' with layers' if has_layers else ''} takes arrays of {axes} or {axes + 1} axes, not of shape {array.shape}")
    raise AssertionError


def _sizes(shape: tuple[int, ...], kind: str, has_layers: bool) -> dict[str, Any]:
    sizes: dict[str, Any] = {"width": shape[-1]}
    if kind in ("2d", "3d", "cube"):
        sizes["height"] = shape[-2]
    if kind == "3d":
        sizes["depth"] = shape[0]
    elif kind == "cube":
        if shape[0] % 6:
            _fail(f"a cube has 6 faces for each of its layers; the array has {shape[0]}")
        sizes["layers"] = shape[0] // 6
    elif has_layers:
        sizes["layers"] = shape[0]
    return sizes


def _has_layers(array: np.ndarray[Any, Any], kind: str, wanted: bool | None) -> bool:
    if wanted is not None:
        return wanted
    return (kind == "2d" and array.ndim == 4) or (kind == "1d" and array.ndim == 3)


def _writable_bytes(levels: list[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
    """The bytes of all levels, of the array itself where it is one that can be written."""
    if len(levels) == 1:
        array = levels[0]
        if array.flags.c_contiguous and array.flags.writeable and array.dtype.isnative:
            return array.reshape(-1).view(np.uint8)
        return np.array(array, dtype=array.dtype.newbyteorder("="), order="C").reshape(-1).view(np.uint8)
    return np.concatenate([np.ascontiguousarray(a, dtype=a.dtype.newbyteorder("=")).reshape(-1).view(np.uint8) for a in levels])


def plan_image(source: Any, *, format: str | None = None, type: str | None = None, mips: bool = False, srgb: bool = False,
               bc7: bool = False, array: bool | None = None, **sizes: int) -> tuple[Any, ...]:
    """What Image() does: ("load", path, srgb, mips, bc7), ("decode", bytes, srgb, mips, bc7) or ("wrap", bytes, options, mips)."""
    for name in sizes:
        if name not in _NAMED_SIZES:
            raise TypeError(f"Image() has no argument '{name}'")
    if isinstance(source, (str, os.PathLike)):
        if format is not None or type is not None or sizes:
            _fail("a file says its own format and size; use view(format=) to read its texels as another one")
        return ("load", os.fspath(source), srgb, mips, bc7)
    kind = type or "2d"
    if kind not in _AXES:
        _fail(f"unknown type '{kind}'; one of: 1d 2d 3d cube buffer")
    if isinstance(source, bytes) and not sizes:
        return ("decode", source, srgb, mips, bc7)
    if bc7:
        _fail("bc7 is for the blocks of a KTX2 file; of bytes and arrays, format= says what they are")
    if "width" in sizes:  # bytes of a format
        raw = np.frombuffer(source, dtype=np.uint8) if isinstance(source, (bytes, bytearray, memoryview)) else np.asarray(source)
        options: dict[str, Any] = {"type": kind, "format": format or "R8G8B8A8_UNORM", **sizes}
        if array is not None:
            options["array"] = array
        return ("wrap", _writable_bytes([raw]), options, mips)
    if sizes:
        _fail("sizes are the arrays' own; with `width` the source is taken as bytes")
    levels = [np.asarray(level) for level in source] if isinstance(source, (list, tuple)) else [np.asarray(source)]
    if not levels or any(level.size == 0 for level in levels):
        _fail("an image has at least one texel")
    return _plan_levels(levels, format, kind, mips, srgb, array)


def _plan_levels(levels: list[np.ndarray[Any, Any]], format: str | None, kind: str, mips: bool, srgb: bool, array: bool | None) -> tuple[Any, ...]:
    from . import _heddle

    first = levels[0]
    has_layers = _has_layers(first, kind, array)
    description = _heddle.describe_format(format) if format is not None else None
    wanted = _dtype_of(description) if description is not None else None
    shape, channels = _split(first, kind, has_layers, False)
    if description is None:
        description = _heddle.describe_format(default_format(first.dtype, channels, srgb))
        wanted = _dtype_of(description)
    options = {"type": kind, "format": description["name"], "levels": len(levels), "array": has_layers, **_sizes(shape, kind, has_layers)}
    if wanted is not None and first.dtype.newbyteorder("=") == wanted[0] and channels == wanted[1]:
        _check_levels(levels, options, kind, has_layers, wanted[1])
        return ("wrap", _writable_bytes(levels), options, mips)
    element = description["element_bytes"]
    if description["block"] == (1, 1) and first.dtype.kind in "ui" and channels * first.dtype.itemsize == element and not description["writable"]:
        return ("wrap", _writable_bytes(levels), options, mips)
    return ("wrap", _encoded(levels, description, options, channels), options, mips)


def unpacked(options: dict[str, Any], texels: bytes) -> Any:
    """Of a pickle."""
    from . import _heddle

    return _heddle.Image._unpacked(options, texels)


def _check_levels(levels: list[np.ndarray[Any, Any]], options: dict[str, Any], kind: str, has_layers: bool, channels: int) -> None:
    for number, level in enumerate(levels):
        if level.dtype != levels[0].dtype:
            _fail(f"level {number} has dtype {level.dtype}, level 0 {levels[0].dtype}")
        shape, found = _split(level, kind, has_layers, False)
        sizes = _sizes(shape, kind, has_layers)
        for side in ("width", "height", "depth"):
            if side in sizes and sizes[side] != max(1, options[side] >> number):
                _fail(f"level {number} has {side} {sizes[side]}; {max(1, options[side] >> number)} follows from level 0")
        if sizes.get("layers", 1) != options.get("layers", 1) or found != channels:
            _fail(f"level {number} has another number of layers or channels than level 0")


def _encoded(levels: list[np.ndarray[Any, Any]], description: dict[str, Any], options: dict[str, Any], channels: int) -> np.ndarray[Any, Any]:
    """Texels converted to a format that has another layout than the arrays."""
    from . import _heddle

    name = description["name"]
    if not description["writable"]:
        _fail(f"numbers are not encoded to {name}; give the bytes of its elements with width= and height=")
    for level in levels:
        if level.dtype.kind not in "fiub":
            raise TypeError(f"texels are numbers, not {level.dtype}")
    image = _heddle.Image.empty(**options)
    numbers = np.dtype(description["numbers"])
    for number, level in enumerate(levels):
        shape, count = _split(level, options["type"], options["array"], False)
        if count > 4:
            _fail(f"texels have 1 to 4 channels, not {count}")
        if numbers.kind != "f" and level.dtype.kind == "f":
            raise TypeError(f"texels of {name} are integers, not {level.dtype}")
        words = np.zeros(shape + (4,), numbers)
        words[..., 3] = 1
        values = level.reshape(shape + (count,))
        if numbers.kind == "f" and level.dtype.kind in "ui":  # whole numbers stand for the part of their largest
            largest = np.iinfo(level.dtype).max
            values = np.clip(values.astype(np.float64) / largest, -1, 1)
        words[..., :count] = values
        image._encode(number, np.ascontiguousarray(words))
    return np.frombuffer(bytearray(image.packed()), np.uint8)
