#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""blender.py MANIFEST FOLDER: Debian's Blender through Mesa's zink on the driver of MANIFEST.

Workbench and Eevee render a scene with a texture, a subdivided surface, shadows and occlusion; lavapipe's pictures of it, where it is installed,
must be like them. The pictures stay in FOLDER. The exit code 77 says that something can't be had here, or that HEDDLE_TEST_CLIENTS is not set.
"""
import os
import shutil
import subprocess
import sys

import pictures
import screen

LAVAPIPE = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"
ENGINES = ["BLENDER_WORKBENCH", "BLENDER_EEVEE"]
WIDTH, HEIGHT = 320, 240
SCENE = f"""
import bpy, sys
folder = sys.argv[-1]
scene = bpy.context.scene
bpy.data.objects.remove(bpy.data.objects["Cube"])
bpy.ops.mesh.primitive_monkey_add(size=2.5, location=(0, 0, 0.6))
monkey = bpy.context.object
monkey.modifiers.new("smooth", "SUBSURF").render_levels = 2
bpy.ops.mesh.primitive_plane_add(size=12, location=(0, 0, -0.8))
plane = bpy.context.object
for thing, scale in ((plane, 9), (monkey, 4)):
    material = bpy.data.materials.new(thing.name)
    material.use_nodes = True
    nodes, links = material.node_tree.nodes, material.node_tree.links
    image = bpy.data.images.new(thing.name, 64, 64)
    image.pixels = [v for y in range(64) for x in range(64)
                    for v in ((x * scale % 64 / 64, y / 64, 0.5, 1) if (x // 8 + y // 8) % 2 else (0.8, 0.7, x / 64, 1))]
    image.pack()
    texture = nodes.new("ShaderNodeTexImage")
    texture.image = image
    links.new(texture.outputs["Color"], nodes["Principled BSDF"].inputs["Base Color"])
    thing.data.materials.append(material)
scene.display.shading.color_type = "TEXTURE"
scene.display.shading.show_shadows = True
scene.display.shading.show_cavity = True
scene.eevee.use_gtao = True
scene.eevee.use_ssr = True
scene.eevee.use_bloom = True
scene.eevee.taa_render_samples = 2
scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = {WIDTH}, {HEIGHT}, 100
scene.render.image_settings.color_mode = "RGB"
for engine in {ENGINES}:
    scene.render.engine = engine
    scene.render.filepath = folder + "/" + engine + ".png"
    bpy.ops.render.render(write_still=True)
"""


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def render(display, manifest, folder):
    """The pictures of both engines, None where there is none, what Blender said, and its exit code."""
    os.makedirs(folder, exist_ok=True)
    for engine in ENGINES:
        if os.path.exists(os.path.join(folder, engine + ".png")):
            os.remove(os.path.join(folder, engine + ".png"))
    environment = dict(os.environ, DISPLAY=display, VK_DRIVER_FILES=manifest, VK_ICD_FILENAMES=manifest, MESA_LOADER_DRIVER_OVERRIDE="zink",
                       GALLIUM_DRIVER="zink", LIBGL_ALWAYS_SOFTWARE="1", mesa_glthread="false")
    done = subprocess.run(["blender", "-b", "--factory-startup", "--python-exit-code", "1", "--python-expr", SCENE, "--", folder], env=environment, timeout=screen.HANGS,
                          check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    paths = [os.path.join(folder, engine + ".png") for engine in ENGINES]
    return [pictures.read_png(path) if os.path.exists(path) else None for path in paths], f"{done.stdout}\nexit code {done.returncode}", done.returncode


def main():
    manifest, folder = sys.argv[1:3]
    if os.environ.get("HEDDLE_TEST_CLIENTS") is None:
        skip("HEDDLE_TEST_CLIENTS is not set ('./dev test --clients')")
    for program in ("blender", "Xvfb"):
        if shutil.which(program) is None:
            skip(f"{program} is not installed")
    with screen.Server(640, 480) as server:
        own, text, code = render(server.display, manifest, os.path.join(folder, "heddle"))
        if "zink (Heddle" not in text:
            sys.exit(f"Blender does not draw on Heddle:\n{text}")
        for engine, picture in zip(ENGINES, own):
            if picture is None:
                sys.exit(f"{engine} renders nothing:\n{text}")
            if pictures.colors(picture) < 1000:
                sys.exit(f"{engine}: the picture has {pictures.colors(picture)} colors")
        if code != 0:
            sys.exit(f"Blender ends with the exit code {code}:\n{text}")
        if not os.path.exists(LAVAPIPE):
            print("lavapipe is not installed: nothing to compare with")
            return
        for engine, picture, peer in zip(ENGINES, own, render(server.display, LAVAPIPE, os.path.join(folder, "lavapipe"))[0]):
            if peer is None:  # that of Debian 12 crashes in Eevee
                print(f"{engine}: nothing to compare with, lavapipe renders nothing")
                continue
            apart = pictures.difference(picture, peer)
            print(f"{engine}: {100 * apart:.3f} % of the values differ from lavapipe's by more than 24")
            if apart > 0.005:
                sys.exit(f"{engine} renders another picture than with lavapipe: {folder}")


main()
