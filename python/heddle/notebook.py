# SPDX-License-Identifier: MIT
"""How things show themselves in a notebook: images, footprints, programs, traces."""

from __future__ import annotations

import html
import os
import tempfile
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _heddle

if TYPE_CHECKING:
    import numpy.typing as npt  # NumPy 1.19, that of Debian 11, has none

_SMALLEST = 256  # pixels that a picture is made larger to


def png(pixels: npt.NDArray[np.uint8]) -> bytes:
    """(h, w, 4) bytes as a PNG file."""
    image = _heddle.Image(np.ascontiguousarray(pixels))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "picture.png")
        image.save(path)
        with open(path, "rb") as file:
            return file.read()


def pixels_of(image: Any, level: int = 0, slice: int = 0) -> npt.NDArray[np.uint8]:
    """A level as (h, w, 4) bytes for the eye: linear colors of sRGB formats encoded again, others scaled where they leave 0 to 1."""
    texels = image.decode(level)
    if texels.ndim == 2:
        texels = texels[np.newaxis]
    if texels.ndim == 4:
        texels = texels[slice]
    values = texels.astype(np.float64)
    color = np.nan_to_num(values[..., :3])
    if texels.dtype.kind != "f" or color.max(initial=0) > 1 or color.min(initial=0) < 0:
        low, high = float(color.min(initial=0)), float(color.max(initial=0))
        color = (color - low) / max(high - low, 1e-30)
    if "SRGB" in image.format:
        color = np.where(color <= 0.0031308, color * 12.92, 1.055 * np.power(np.maximum(color, 1e-12), 1 / 2.4) - 0.055)
    channels = {c[0] for c in _heddle.describe_format(image.format)["channels"]}
    if channels == {"R"}:
        color = np.repeat(color[..., :1], 3, -1)
    alpha = np.clip(np.nan_to_num(values[..., 3:]), 0, 1) if texels.dtype.kind == "f" else np.ones_like(values[..., 3:])
    pixels: npt.NDArray[np.uint8] = np.rint(np.concatenate([np.clip(color, 0, 1), alpha], -1) * 255).astype(np.uint8)
    return pixels


def enlarge(pixels: npt.NDArray[np.uint8], smallest: int = _SMALLEST) -> npt.NDArray[np.uint8]:
    """Whole pixels, repeated until the longer side has `smallest`."""
    factor = max(1, -(-smallest // max(pixels.shape[:2])))
    return np.repeat(np.repeat(pixels, factor, 0), factor, 1)


def image_png(image: Any) -> bytes:
    return png(enlarge(pixels_of(image)))


def footprint_pixels(image: Any, sampler: Any, request: dict[str, Any], smallest: int = 512) -> npt.NDArray[np.uint8]:
    """The texture, darkened, with the texels that the samples read in orange, brighter for more; the level that is read most."""
    maps = _heddle._footprint_map(image, sampler, {**request, "granularity": 1}, None)
    level = max(range(len(maps)), key=lambda k: int(maps[k].sum()))
    counts = maps[level]
    slice = 0
    if counts.ndim == 3:
        slice = int(counts.sum(axis=(1, 2)).argmax())
        counts = counts[slice]
    picture = pixels_of(image, level, slice).astype(np.float64)
    picture[..., 3] = 255
    part = (counts / max(1, counts.max()))[..., np.newaxis]
    mark = np.array([255.0, 140.0, 20.0])
    touched = counts[..., np.newaxis] > 0
    picture[..., :3] = np.where(touched, picture[..., :3] * 0.3 + mark * (0.3 + 0.4 * part), picture[..., :3] * 0.35)
    return enlarge(np.rint(picture).astype(np.uint8), smallest)


def footprint_png(image: Any, sampler: Any, request: dict[str, Any]) -> bytes:
    return png(footprint_pixels(image, sampler, request))


_STYLE = {"error": "#c62828", "warning": "#b26a00", "note": "#1565c0"}


def program_html(program: Any) -> str:
    """The listing with each finding below its line."""
    report = program.check()
    text = program.source or program.text
    by_line: dict[int, list[Any]] = {}
    rest = []
    for finding in report.findings:
        if program.source and finding.place.line:
            by_line.setdefault(finding.place.line, []).append(finding)
        else:
            rest.append(finding)
    rows = []
    for number, line in enumerate(text.splitlines(), 1):
        rows.append(f'<span style="color:#999">{number:>4}</span>  {html.escape(line)}')
        for finding in by_line.get(number, ()):
            rows.append(_finding(finding, 6 + max(0, (finding.place.column or 1) - 1)))
    rows += [_finding(finding, 0) for finding in rest]
    title = f"{html.escape(program.file)}: {', '.join(map(html.escape, program.kernels))}; {program.instructions} instructions; {html.escape(report.fits)}"
    return f'<div><b>{title}</b><pre style="line-height:1.25">' + "\n".join(rows) + "</pre></div>"


def _finding(finding: Any, indent: int) -> str:
    color = _STYLE.get(finding.severity, "#333")
    return f'{" " * indent}<span style="color:{color}">^ {finding.severity}: {html.escape(finding.message)} [{finding.id}]</span>'


def trace_html(trace: Any) -> str:
    """A table: executions, lanes, instruction; the most executed lines are the darkest."""
    most = max([int(row["executions"]) for row in trace.table] or [1]) or 1
    rows = []
    for row in trace.table:
        part = int(row["executions"]) / most
        shade = f"rgba(255,140,20,{0.05 + 0.45 * part:.2f})" if row["executions"] else "transparent"
        counts = (str(row["executions"]), str(row["lanes"])) if row["executions"] else ("", "")
        rows.append(f'<tr style="background:{shade}"><td style="text-align:right">{counts[0]}</td><td style="text-align:right">{counts[1]}</td>'
                    f'<td style="text-align:left"><code>{html.escape(row["text"])}</code></td></tr>')
    return "<table><tr><th>executions</th><th>lanes</th><th>instruction</th></tr>" + "".join(rows) + "</table>"
