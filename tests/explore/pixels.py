#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pixels.py HEDDLE BUILD [PIXELS] [PROGRAM...]: random pixels of programs: their last traced values are the attachments' bits.

For each pixel of a target: what was there before the command is what its first fragment found, each fragment finds what the one before it
left, and the last one leaves the bits that the attachment has, as it was drawn. And what a fragment sent is what its traced thread has in
the registers of its target write; where nothing blends, an attachment of floats has these bits, and one of bytes their nearest numbers.

Programs: jobs of examples/ (their names), vulkan_* of BUILD/examples, vkcube, glmark2 (a scene of OpenGL ES through zink) and dawn (WebGPU in
Node); by default those that are quick, with HEDDLE_TEST_ALL every one that is installed. Needs the Python module (PYTHONPATH). The exit code 77
says that it is missing.
"""
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import numpy as np

    import heddle
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "clients"))
QUICK = ["mips", "sobel", "vulkan_terrain"]
EVERY = ["mips", "mip-viewer", "environment", "footprint-floor", "sobel", "shadow-3-filters", "bicubic", "vulkan_terrain", "vkcube", "glmark2", "dawn"]
COMMANDS = 6  # of a captured program
BEFORE = {"shadow-3-filters": "shadow-1-depth"}  # the job that makes what another reads
WRITE = re.compile(r"^(?:\([^)]*\) )?rt_write\S* \(M(\d), (\d+)\) (.*)$")


def capture(program, build, folder):
    """The commands of a program as jobs in `folder`; False where it can't be had. One that fails ends the test."""
    def draw(words, environment):
        done = subprocess.run(words, env=environment, check=False, stdout=subprocess.DEVNULL)
        if done.returncode != 0:
            sys.exit(f"{program}: {words[0]} ended with {done.returncode}")
        return True

    manifest = str(build / "lib" / "heddle_icd.json")
    own = dict(os.environ, VK_DRIVER_FILES=manifest, VK_ICD_FILENAMES=manifest, HEDDLE_CAPTURE=folder)
    if program.startswith("vulkan_"):
        path = build / "examples" / program
        if not path.exists():
            return False
        return draw([path, os.path.join(folder, "picture.png")], own)
    if program == "dawn":
        modules = ROOT / "build" / "clients" / "node_modules"
        if shutil.which("node") is None or not (modules / "webgpu").exists():
            return False
        words = ["node", ROOT / "tests" / "clients" / "webgpu" / "scene.mjs", modules.parent, os.path.join(folder, "picture.png")]
        return draw(words, own)
    words = {"vkcube": ["vkcube", "--c", "3", "--width", "300", "--height", "300"],
             "glmark2": ["glmark2-es2", "--validate", "-s", "200x150", "-b", "texture:texture-filter=mipmap"]}[program]
    if shutil.which(words[0]) is None or shutil.which("Xvfb") is None:
        return False
    import screen
    own.update(MESA_LOADER_DRIVER_OVERRIDE="zink", GALLIUM_DRIVER="zink", LIBGL_ALWAYS_SOFTWARE="1", HEDDLE_FRAME_PLAN="frames=0..1")
    with screen.Server(640, 480) as server:
        return draw(words, dict(own, DISPLAY=server.display))


def inputs(heddle_program, program, build, folder):
    """What is explored: a job, or a folder with some of the program's draws; None where it can't be had."""
    job = ROOT / "examples" / f"{program}.toml"
    if job.exists():
        if program in BEFORE:
            (ROOT / "out").mkdir(exist_ok=True)
            subprocess.run([heddle_program, "run", "-q", ROOT / "examples" / f"{BEFORE[program]}.toml"], check=True)
        return job
    if not capture(program, build, folder):
        return None
    jobs = sorted(name for name in os.listdir(folder) if name.endswith(".toml"))
    drawing = [name for name in jobs if "[pixels]" in pathlib.Path(folder, name).read_text()]
    step = max(1, len(drawing) // COMMANDS)
    chosen = set(drawing[::step][:COMMANDS])
    for name in jobs:
        if name not in chosen:
            os.remove(os.path.join(folder, name))
    if not chosen:
        sys.exit(f"{program}: no draw was captured")
    return folder


def sent_in_registers(thread):
    """The words that the lane's last target write sends: those of each row of four registers that its operands make."""
    for number in range(len(thread) - 1, -1, -1):
        step = thread.step(number)
        found = WRITE.match(step.text)
        if not found or not step.lanes[thread.lane]:
            continue
        lane = thread.lane - 4 * (int(found[1]) - 1)
        values = thread.values(number)
        words = []
        for operand in found[3].split():
            name, _, offset = operand.rpartition(".")
            if name not in values or not offset.isdigit():
                continue
            data = values[name].data.ravel()
            width = 2 if data.dtype.itemsize == 2 else 4
            at = int(offset) + width * lane
            raw = data.tobytes()[at:at + width]
            words.append(int(np.frombuffer(raw, np.float16).astype(np.float32).view(np.uint32)[0]) if width == 2 else int.from_bytes(raw, "little"))
        return [words[k:k + 4] for k in range(len(words) - 3)]
    return []


def check_stored(command, image, fragment):
    """Without blending: floats as they were sent, bytes the nearest."""
    blend = command.index["blend"]
    if image["samples"] > 1 or image["srgb"] or image["values"] != "float" or not blend or any(b["enable"] for b in blend) or "logic" in command.index["state"]:
        return False
    sent, after = fragment.color.view(np.float32).astype(np.float64), fragment.after.view(np.float32)
    channels = ["RGBA".index(c) for c in image["channels"]]
    if image["unorm"] and image["bits"] == 8:
        # The nearest of 255 steps; halves, as far as binary32 tells them, go either way.
        away = np.abs(after.astype(np.float64) - np.clip(sent, 0, 1)) * 255
        assert (away[channels] <= 0.5 + 2 ** -14).all(), f"{sent} is stored as {after}"
        return True
    if not image["unorm"] and image["bits"] == 32:
        assert (fragment.after[channels] == fragment.color[channels]).all(), f"{fragment.color} is stored as {fragment.after}"
        return True
    return False


def check_pixel(command, x, y):
    """Fragments that were checked, and how many of them by arithmetic too."""
    images = command.index["images"]
    history = command.history(x, y)
    last = {}
    traced = converted = 0
    for number, fragment in enumerate(history):
        if fragment.fate != "written":
            continue
        image = images[fragment.target]
        place = (fragment.target, fragment.slice)
        channels = ["RGBA".index(c) for c in image["channels"]]
        level = image["shownLevel"]
        if image["role"] == "target":
            found = last[place] if place in last else command.image(image["name"], "before", level, fragment.slice)[y, x].view(np.uint32)
            assert (fragment.before[channels] == found).all(), f"fragment {number} found {fragment.before}, not {found}"
            thread = command.trace(x, y, number)
            assert tuple(thread.places[thread.lane][:2]) == (x, y)
            assert list(map(int, fragment.color)) in sent_in_registers(thread), f"fragment {number} sent {fragment.color}, which its registers don't hold"
            converted += check_stored(command, image, fragment)
            traced += 1
        last[place] = fragment.after[channels]
    for (target, place), bits in last.items():
        image = images[target]
        if image["role"] not in ("target", "depth"):
            continue
        stored = command.image(image["name"], "after", image["shownLevel"], place)[y, x].view(np.uint32)
        assert (stored == bits[:len(stored)]).all(), f"{image['name']} has {stored}, the last fragment left {bits}"
    return traced, converted


def explore(what, trace, program):
    return heddle.explore(what, trace=trace, budget=1 << 30, program=program)


def check(name, build, program, count, chance):
    """Pixels, fragments, those that were checked by arithmetic; None where the program can't be had."""
    with tempfile.TemporaryDirectory() as folder:
        what = inputs(program, name, build, folder)
        if what is None:
            return None
        first = explore(what, [(0, 0)], program)
        draws = [c for c in first.commands if c.kind == "draw" and any(i["role"] == "target" for i in c.index["images"])]
        if not draws:
            sys.exit(f"{name}: it has no draw to a target")
        for command in first.commands:
            assert not command.index["differs"], f"{name}, command {command.number}: the engines differ in {command.index['differs']}"
        target = next(i for i in draws[0].index["images"] if i["role"] == "target")
        width, height = (max(1, target[side] >> target["shownLevel"]) for side in ("width", "height"))
        # Pixels that something was drawn to; others say nothing.
        pixels, tries = [], 0
        while len(pixels) < count and tries < 100 * count:
            tries += 1
            x, y = chance.randrange(width), chance.randrange(height)
            if any(command.history(x, y) for command in draws):
                pixels.append((x, y))
        found = explore(what, pixels, program)
        fragments = converted = 0
        for x, y in pixels:
            for command in found.commands:
                if command.kind == "draw" and command.history(x, y):
                    try:
                        more = check_pixel(command, x, y)
                    except (AssertionError, heddle.Error) as problem:
                        sys.exit(f"{name}, command {command.number}, pixel {x}, {y}: {problem}")
                    fragments += more[0]
                    converted += more[1]
        return len(pixels), fragments, converted


def main():
    program, build = sys.argv[1], pathlib.Path(sys.argv[2])
    everything = "HEDDLE_TEST_ALL" in os.environ
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 1000 if everything else 60
    names = sys.argv[4:] or (EVERY if everything else QUICK)
    seed = int(os.environ.get("HEDDLE_TEST_SEED", "37"))
    chance = random.Random(seed)
    os.chdir(ROOT)
    seen = 0
    for name in names:
        result = check(name, build, program, -(-count // len(names)), chance)
        if result is None:
            print(f"{name}: not here", flush=True)
            continue
        print(f"{name}: {result[0]} pixels, {result[1]} fragments traced, {result[2]} of them stored by arithmetic", flush=True)
        seen += result[0]
    print(f"{seen} pixels, seed {seed}: every last traced value is the attachment's bits")
    if seen == 0:
        sys.exit(77)


main()
