#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A shader debugged: a blur whose buffer lacks its last weight, and which leaves its image. The checks say where, the trace how often, the page shows it as a
notebook would.

usage: debug_shader.py [FOLDER]      leaves debugged.html and debugged.png there (default: out)
"""

import pathlib
import sys

import numpy as np

import heddle

BLUR = """#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0, rgba8) uniform readonly image2D source;
layout(set = 0, binding = 1, rgba8) uniform writeonly image2D target;
layout(set = 0, binding = 2) buffer Weights { float weights[]; };
void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  vec4 sum = vec4(0);
  for (int k = -4; k <= 4; ++k) sum += weights[k + 4] * imageLoad(source, PLACE);
  imageStore(target, at, sum);
}
"""


def run(weights, place):
    kernel = heddle.Kernel(heddle.compile(BLUR.replace("PLACE", place), stage="comp", name="blur.comp"))
    y, x = np.mgrid[:64, :64]
    source = heddle.Image(np.stack([x * 4, y * 4, (x // 8 + y // 8) % 2 * 200 + 55, x * 0 + 255], -1).astype(np.uint8))
    target = heddle.Image.empty(width=64, height=64)
    report = kernel.run(images={"source": source, "target": target}, buffers={"0.2": weights}, size=(64, 64), checks="warn", trace=dict(lines=False))
    return kernel, source, target, report


def main(folder):
    kernel, source, wrong, report = run(np.full(8, 1 / 9, np.float32), "at + ivec2(k, 0)")  # a weight is missing, and the edges
    print(f"{sum(report.findings.values())} findings: {report.findings}")
    print(report.diagnostics[0])
    nine = np.full(9, 1 / 9, np.float32)
    print("with nine weights:", run(nine, "at + ivec2(k, 0)")[3].findings)
    _, _, right, fine = run(nine, "clamp(at + ivec2(k, 0), ivec2(0), ivec2(63))")
    print("inside the image:", fine.findings or "no findings")
    folder.mkdir(parents=True, exist_ok=True)
    table = kernel.trace._repr_html_()
    (folder / "debugged.html").write_text("<!doctype html><meta charset='utf-8'><title>A shader debugged</title><h1>Findings</h1><pre>" +
                                          "".join(str(d).replace("<", "&lt;") for d in report.diagnostics[:5]) + "</pre><h1>Instructions</h1>" + table)
    pictures = [np.asarray(i) for i in (source, wrong, right)] + [np.asarray(kernel.trace.texels("source"))]
    heddle.Image(np.repeat(np.repeat(np.concatenate(pictures, 1), 4, 0), 4, 1)).save(folder / "debugged.png")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
