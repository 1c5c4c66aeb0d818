#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a streaming program loads beside what its frames read, in numbers.

    heddle vulkan --texels counts vulkan_streaming picture.png
    python3 streaming_texels.py counts/texels.json [IMAGE]

IMAGE is the number or the name of the streamed image; without it the image of the most uploaded bytes is taken. Over-fetch is
what was loaded and never read by a shader, under-fetch what was read and never loaded, by texels and by the tiles of 64 x 64
texels that are loaded at a time. Exit code 1 where there is under-fetch, or a tile was loaded in vain.
"""
import json
import sys


def chosen_image(images, wanted):
    if wanted is None:
        return max(images, key=lambda image: image["bytes_uploaded"])
    for image in images:
        if wanted in (str(image["image"]), image["name"]):
            return image
    sys.exit(f"no image is {wanted}")


def share(part, whole):
    return f"{part} ({100 * part / whole:.1f} %)" if whole else "0"


def main(arguments):
    if len(arguments) not in (2, 3):
        sys.exit(__doc__)
    with open(arguments[1], encoding="utf-8") as file:
        summary = json.load(file)
    image = chosen_image(summary["images"], arguments[2] if len(arguments) == 3 else None)
    levels = image["by_level"]
    print(f"image {image['image']} {image['name']}: {image['extent'][0]} x {image['extent'][1]}, {image['levels']} levels")
    print("level  tiles loaded  never read  tiles read  never loaded  texels loaded  of those read")
    for level in levels:
        tiles = level["region_64x64"]
        loaded = level["texels_uploaded"]
        if loaded or level["texels_read"]:
            read = share(loaded - level["texels_uploaded_never_read"], loaded)
            print(f"{level['level']:5}  {tiles['uploaded']:12}  {tiles['uploaded_never_read']:10}  {tiles['read']:10}  "
                  f"{tiles['read_never_uploaded']:12}  {loaded:13}  {read:>13}")

    def total(key):
        return sum(level[key] for level in levels)

    def tiles(key):
        return sum(level["region_64x64"][key] for level in levels)

    over, under = tiles("uploaded_never_read"), total("texels_read_never_uploaded")
    inside = share(total("texels_uploaded_never_read"), total("texels_uploaded"))
    print(f"over-fetch: {over} of {tiles('uploaded')} tiles; within tiles {inside} of the texels")
    print(f"under-fetch: {under} texels, {tiles('read_never_uploaded')} tiles")
    return 1 if under or over else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
