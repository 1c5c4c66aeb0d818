#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""felt.py PAGE.md PICTURE.svg [--check]: bars of what people feel, from the tables of docs/performance.md.

Each bar is a peer's time over Heddle's (frames a second the other way around): the better peer's where a table has several. The scale
is logarithmic. Rows that the page lacks are left out, and told. `--check`: exit code 1 where the picture is not the one of these
tables.
"""
import html
import math
import sys

HEADS = ("better peer / Heddle", "Heddle / better peer", "ratio", "lavapipe / Heddle", "peer / Heddle")
ONE, TWO = "One thread", "Two threads"
DRIVER = "One Vulkan client on every driver"

# (group, [(label, heading, row)]): a row of both driver tables has two bars, and so has a program.
GROUPS = [
    ("Starting", [
        ("a process, to its first result", "A process, to its first result", "without caches"),
        ("the same, compiled before", "A process, to its first result", "with what an earlier process compiled"),
        ("a WebGPU program, to its first texel", "WebGPU", "to the first texel, from asking for an adapter"),
        ("a new graphics pipeline, to its first triangle", DRIVER, "a new graphics pipeline, to its first triangle"),
        ("make a pipeline", DRIVER, "make a pipeline, cold"),
        ("WebGPU: a pipeline of 37 samples, to its result", "WebGPU", "a pipeline of 37 comparing samples, to its result"),
        ("WebGPU: another compare function", "WebGPU", "another compare function, to its result"),
        ("a new sampler state, everything in place", DRIVER, "a new sampler state for a pipeline of 37 samples"),
        ("first run, 16 texture operations", "The first run of a kernel", "16 operations, cold"),
        ("first run, 256 texture operations", "The first run of a kernel", "256 operations, cold"),
    ]),
    ("Drawing", [
        ("a frame, bilinear", DRIVER, "frame, bilinear: pixel"),
        ("1,000,000 small triangles", DRIVER, "1,000,000 small triangles: triangle"),
        ("with depth test and colors", DRIVER, "the same with depth test and colors: triangle"),
        ("of a geometry shader", DRIVER, "250,000 triangles, of each four by a geometry shader: triangle"),
        ("of meshlets", DRIVER, "1,000,000 triangles of meshlets of 64 vertices and 124 triangles: triangle"),
        ("10,000 draws", DRIVER, "10,000 draws of a triangle: draw"),
        ("10,000 draws that choose a buffer", DRIVER, "10,000 draws of a triangle that choose one of 8 uniform buffers: draw"),
    ]),
    ("Computing", [
        ("a dispatch of 64 invocations", DRIVER, "dispatch of 64 invocations, 1000 in a command buffer"),
        ("a dispatch, submitted and waited for", DRIVER, "dispatch, submitted and waited for"),
        ("a bilinear sample", DRIVER, "sample, bilinear"),
        ("64 multiplications", DRIVER, "64 multiplications"),
    ]),
    ("Programs", [
        ("vkcube", "Programs", "vkcube"),
        ("glmark2: texture", "Programs", "glmark2-es2 texture:texture-filter=linear"),
        ("shading", "Programs", "glmark2-es2 shading:shading=phong"),
        ("bump", "Programs", "glmark2-es2 bump:bump-render=height"),
        ("effect2d", "Programs", "glmark2-es2 effect2d:kernel=1,1,1,1,1;1,1,1,1,1;1,1,1,1,1;"),
        ("pulsar", "Programs", "glmark2-es2 pulsar:quads=5"),
        ("refract", "Programs", "glmark2-es2 refract"),
        ("terrain", "Programs", "glmark2-es2 terrain"),
        ("desktop", "Programs", "glmark2-es2 desktop:effect=blur"),
        ("buffer", "Programs", "glmark2-es2 buffer:update-method=map:interleave=false"),
    ]),
    ("Test suites, processor time, beside lavapipe", [
        ("piglit: GL 2.1, ES 2.0", "Test suites", "piglit, all 3,382 `shader_test` files of GL 2.1 and ES 2.0 (3,305 pass on both)"),
        ("piglit: stages of GL 3.2 to 4.6", "Test suites", "piglit, 198 of stages, GL 3.2 to 4.6 (`tests/clients/piglit_stages.txt`)"),
        ("Khronos: six groups", "Test suites", "Khronos, six groups, seed 20261203"),
        ("Khronos: nine groups", "Test suites", "Khronos, nine groups, a second sample"),
        ("Khronos: loops over descriptors", "Test suites", "Khronos, `descriptor_indexing.*_in_loop*`, 48 cases"),
        ("WebGPU, stratified", "Test suites", "WebGPU, 421 cases that pass on both"),
    ]),
]

LEFT, WIDTH, BAR, GAP = 330, 560, 9, 7  # of names; of the scale; of a bar; between rows
LEAST, MOST = 0.25, 64


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def ratios_of(page):
    """{(section, sub-heading): [(row, second column, ratio)]}."""
    found, section, part, head = {}, "", "", None
    for line in page.splitlines():
        if line.startswith("## "):
            section, part, head = line[3:].strip(), "", None
        elif line.startswith("### "):
            part, head = line[4:].strip(), None
        elif not line.startswith("|"):
            head = None
        elif head is None:
            head = cells(line)
        elif not set(line) <= set("|-: "):
            row = cells(line)
            column = next((head.index(name) for name in HEADS if name in head), None)
            if column is None:
                continue
            try:
                ratio = float(row[column])
            except ValueError:
                continue
            if head[column] == "ratio" and "SwiftShader" in head and "Heddle" in head:  # of lavapipe alone: the better peer's
                ours = seconds(row[head.index("Heddle")])
                ratio = min(filter(None, (seconds(row[c]) for c, name in enumerate(head) if "lavapipe" in name or name == "SwiftShader"))) / ours
            found.setdefault((section, part), []).append((row[0], row[1], ratio))
    return found


def seconds(cell):
    """Of "1.24 s", "83 ms"; None for what is none."""
    words = cell.split()
    scale = {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
    return float(words[0]) * scale[words[1]] if len(words) == 2 and words[1] in scale else None


def find(found, heading, row):
    """One bar, or with one thread and two."""
    if heading == DRIVER:
        return [ratio for part in (ONE, TWO) for name, _, ratio in found.get((DRIVER, part), []) if name == row]
    return [ratio for (section, part), rows in found.items() if heading in (section, part) for name, _, ratio in rows if name == row]


def place(ratio):
    return LEFT + WIDTH * math.log(min(max(ratio, LEAST), MOST) / LEAST) / math.log(MOST / LEAST)


def draw(page):
    found = ratios_of(page)
    text, y = [], 62
    for group, rows in GROUPS:
        y += 10
        text.append(f'<text x="12" y="{y + 4}" font-weight="bold">{html.escape(group)}</text>')
        y += 14
        for label, heading, row in rows:
            ratios = find(found, heading, row)
            if not ratios:
                print(f"felt.py: the page has no row '{row}' under '{heading}'", file=sys.stderr)
                continue
            text.append(f'<text x="{LEFT - 8}" y="{y + BAR * len(ratios) / 2 + 4:.1f}" text-anchor="end">{html.escape(label)}</text>')
            for number, ratio in enumerate(ratios):
                end = place(ratio)
                color = ("#2f6f9f", "#a9c8df")[number] if ratio >= 1 else ("#b5533c", "#e3b4a8")[number]
                first, last = sorted((place(1), end))
                text.append(f'<rect x="{first:.1f}" y="{y}" width="{max(last - first, 0.5):.1f}" height="{BAR}" fill="{color}"/>')
                x, anchor = (end + 4, "start") if ratio >= 1 else (place(1) + 4, "start")
                text.append(f'<text x="{x:.1f}" y="{y + 8}" font-size="9" text-anchor="{anchor}">{ratio:.2f}</text>')
                y += BAR
            y += GAP
    height = y + 12
    lines = []
    for tick in (0.25, 0.5, 1, 2, 4, 8, 16, 32, 64):
        x = place(tick)
        style = 'stroke="#222" stroke-width="1.2"' if tick == 1 else 'stroke="#ddd"'
        lines.append(f'<line x1="{x:.1f}" y1="56" x2="{x:.1f}" y2="{height - 8}" {style}/>')
        lines.append(f'<text x="{x:.1f}" y="50" text-anchor="middle" fill="#555">{tick:g}</text>')
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 60}" height="{height}" font-family="sans-serif" font-size="11">',
        f'<rect width="{LEFT + WIDTH + 60}" height="{height}" fill="#fff"/>',
        '<text x="12" y="20" font-size="15" font-weight="bold">What people feel: how many times faster Heddle is than the better peer</text>',
        '<text x="12" y="38" fill="#555">dark: one thread; light: two. Red: slower. The scale is logarithmic.</text>',
        *lines, *text, "</svg>", ""])


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: felt.py PAGE.md PICTURE.svg [--check]")
    with open(sys.argv[1], encoding="utf-8") as file:
        picture = draw(file.read())
    if "--check" not in sys.argv:
        with open(sys.argv[2], "w", encoding="utf-8") as file:
            file.write(picture)
        return
    with open(sys.argv[2], encoding="utf-8") as file:
        if file.read() != picture:
            sys.exit(f"felt.py: {sys.argv[2]} is not the picture of {sys.argv[1]}: bench/felt.py {sys.argv[1]} {sys.argv[2]} draws it")


main()
