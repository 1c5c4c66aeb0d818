#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""texels_picture.py FOLDER PICTURE.png: of what `heddle vulkan --texels FOLDER` wrote, the map of the image that is sampled most, and a line
that says what was read of it. examples/run-gallery calls it.
"""
import base64
import json
import pathlib
import re
import sys


def main(folder, picture):
    images = json.loads((folder / "texels.json").read_text())["images"]
    most = max(images, key=lambda image: image["counts"].get("sampled", 0))
    if "sampled" not in most["counts"]:
        sys.exit(f"{folder}: no image is sampled")
    page = (folder / "index.html").read_text()
    section = page[page.index(f'<h2 id="{most["image"]:03}"'):]
    png = re.search(r'alt="[^"]*reads by shaders[^"]*" src="data:image/png;base64,([^"]*)"', section).group(1)
    picture.write_bytes(base64.b64decode(png))
    share = 100 * most["texels_read"] / most["texels"]
    print(f"{most['format']}, {most['levels']} levels: {most['counts']['sampled']} reads by samples; {most['texels_read']} of {most['texels']} "
          f"texels are read ({share:.1f} %), of levels {most['least_level']} to {most['greatest_level']}")


main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
