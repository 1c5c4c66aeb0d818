# SPDX-License-Identifier: MIT
"""What mypy checks of the module's types; test_types.py runs it. Lines marked with `ignore` are wrong on purpose."""

import numpy as np

import heddle

image: heddle.Image = heddle.Image(np.zeros((4, 4, 4), np.uint8), mips=True)
sampler = heddle.Sampler("linear,repeat", max_lod=3)
width: int = image.view(level=1).width
colors = heddle.sample(image, sampler, [0.1, 0.2], 0.5, offset=(1, 2))
texels: list[np.ndarray] = list(heddle.footprint_map(image, sampler, 0.5, 0.5, lod=0))
report: heddle.CheckReport = heddle.check("text")
places: list[int | None] = [d.place.line for d in report.findings]
run: heddle.Report = heddle.Kernel(heddle.compile("text", stage="comp")).run(buffers={"a": np.zeros(4)}, groups=(1, 2))
size: heddle.ImageSize = heddle.query(image, 1)
found: heddle.Exploration = heddle.explore("job.toml", images={"wall": image}, trace=[(1, 2)])
bits: np.ndarray = found.commands[0].history(1, 2)[-1].after
lines: list[str] = [found.commands[0].trace(1, 2).step(k).source for k in range(3)]
target = heddle.RenderTarget(image, blend={"src_color": "one"})
target.write(0, 0, [1, 2, 3, 4])
heddle.sample_level(image, sampler, 0.5, 0.5)  # type: ignore[call-arg]
heddle.sample(image, "linear", 0.5, 0.5)
heddle.sample(image, 5, 0.5, 0.5)  # type: ignore[arg-type]
heddle.Image.empty(widht=3)  # type: ignore[call-arg]
image.width = 3  # type: ignore[misc]
