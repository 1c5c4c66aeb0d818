#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws docs/house.svg: the folders of src/ and who includes whom, as the sources have it.

usage: docs/house.py          writes the picture
       docs/house.py --check  exit code 1 where the picture is not what the sources say

An arrow that follows from others (a includes b, b includes c) is left out. What a program of include/heddle/ includes
belongs to library/, which is over it.
"""

import html
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "house.svg"

# Folder: the middle of its box, its kind, what lives there. The rows come from the includes.
FOLDERS = {
    "base": (490, "ground", "results, diagnostics, files"),
    "image": (620, "ground", "formats, surfaces, samplers"),
    "isa": (330, "ground", "the vISA program model"),
    "texture": (620, "unit", "gather, sample, load, footprint"),
    "render_target": (720, "unit", "writes, blending, depth"),
    "machine": (400, "engine", "registers, masks, regions"),
    "instructions": (480, "engine", "a folder for each family"),
    "binary": (125, "form", ".isa, both ways"),
    "text": (595, "form", ".visaasm, both ways"),
    "verify": (360, "form", "rules, explain"),
    "engine": (830, "engine", "reference, and jit through LLVM"),
    "pipeline": (800, "engine", "vertices, raster, pixels, compute"),
    "spirv": (430, "form", "modules; compile: shaders to vISA"),
    "shader_interface": (880, "form", "what a shader says of itself"),
    "job": (560, "way in", "job files, names bound"),
    "vulkan": (880, "way in", "the Vulkan driver"),
    "explore": (590, "way in", "a run as a page"),
    "library": (270, "way in", "behind include/heddle"),
    "tools": (270, "way in", "the heddle program"),
}
COLORS = {"ground": "#f6f3ec", "unit": "#dfeadf", "form": "#e6e8f2", "engine": "#f5e2cf", "way in": "#efe3ee"}
KINDS = {
    "way in": "ways in", "engine": "running programs", "form": "programs in and out", "unit": "image hardware",
    "ground": "what all stand on",
}
WIDTH, BOX, HEIGHT, STEP, MARGIN = 1040, 210, 46, 76, 20


def read_includes():
    """Folder: the set of folders that its files include."""
    folders = sorted(path.name for path in (ROOT / "src").iterdir() if path.is_dir())
    include = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([a-z_]+)/', re.MULTILINE)
    found = {folder: set() for folder in folders}
    for folder in folders:
        for path in (ROOT / "src" / folder).rglob("*"):
            if path.suffix in (".cpp", ".hpp", ".inc"):
                found[folder].update(include.findall(path.read_text(encoding="utf-8")))
    for folder, names in found.items():
        if "heddle" in names and folder != "library":
            names.add("library")
        found[folder] = {name for name in names if name in found and name != folder}
    return found


def reachable(includes, folder, seen=None):
    seen = set() if seen is None else seen
    for other in includes[folder]:
        if other not in seen:
            seen.add(other)
            reachable(includes, other, seen)
    return seen


def reduced(includes):
    """Without what follows from others."""
    below = {folder: reachable(includes, folder) for folder in includes}
    for folder, others in below.items():
        if folder in others:
            sys.exit(f"docs/house.py: src/{folder} includes itself through others")
    return {folder: sorted(a for a in names if not any(a in below[b] for b in names))
            for folder, names in includes.items()}


def draw(includes):
    missing = sorted(set(includes) - set(FOLDERS))
    gone = sorted(set(FOLDERS) - set(includes))
    if missing or gone:
        sys.exit(f"docs/house.py: a row of FOLDERS is missing or too many: {' '.join(missing + gone)}")
    arrows = reduced(includes)
    row = {}

    def row_of(folder):
        if folder not in row:
            row[folder] = 1 + max((row_of(other) for other in arrows[folder]), default=-1)
        return row[folder]

    top = max(row_of(folder) for folder in includes)
    height = MARGIN * 2 + top * STEP + HEIGHT
    y = {folder: MARGIN + (top - row[folder]) * STEP for folder in includes}
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        'font-family="DejaVu Sans, Arial, sans-serif" font-size="14">',
        "  <!-- Written by docs/house.py. -->",
        "  <style>",
        "    rect.box{stroke:#4a4238;stroke-width:1.5} .t{font-weight:bold} .s{font-size:11.5px;fill:#444}",
        "    line{stroke:#4a4238;stroke-width:1.4;fill:none}",
        "  </style>",
        '  <defs><marker id="a" markerWidth="9" markerHeight="9" refX="8" refY="4" orient="auto">'
        '<path d="M0,0 L8,4 L0,8 z" fill="#4a4238"/></marker></defs>',
        f'  <rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
    ]
    for folder in FOLDERS:
        for other in arrows[folder]:
            x1, x2 = FOLDERS[folder][0], FOLDERS[other][0]
            # Arrows leave and arrive a little on the side that they come from.
            lean = max(-70, min(70, (x2 - x1) // 4))
            lines.append(f'  <line x1="{x1 + lean}" y1="{y[folder] + HEIGHT}" x2="{x2 - lean}" y2="{y[other] - 1}" '
                         'marker-end="url(#a)"/>')
    for folder, (x, kind, words) in FOLDERS.items():
        lines.append(f'  <rect class="box" x="{x - BOX // 2}" y="{y[folder]}" width="{BOX}" height="{HEIGHT}" rx="6" '
                     f'fill="{COLORS[kind]}"/>')
        lines.append(f'  <text class="t" x="{x}" y="{y[folder] + 19}" text-anchor="middle">{folder}/</text>')
        lines.append(f'  <text class="s" x="{x}" y="{y[folder] + 36}" text-anchor="middle">{html.escape(words)}</text>')
    for k, (kind, words) in enumerate(KINDS.items()):
        at = height - MARGIN - (len(KINDS) - k) * 22
        lines.append(f'  <rect class="box" x="{WIDTH - 190}" y="{at}" width="16" height="14" fill="{COLORS[kind]}"/>')
        lines.append(f'  <text class="s" x="{WIDTH - 166}" y="{at + 11}">{words}</text>')
    lines.append(f'  <text class="s" x="{MARGIN}" y="{height - MARGIN}">a → b: a includes b</text>')
    lines.append("</svg>")
    return "\n".join(lines) + "\n"


def main():
    text = draw(read_includes())
    if sys.argv[1:] == ["--check"]:
        if not PICTURE.exists() or PICTURE.read_text(encoding="utf-8") != text:
            sys.exit("docs/house.svg is not what the includes of src/ say: docs/house.py draws it anew")
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        PICTURE.write_text(text, encoding="utf-8")


main()
