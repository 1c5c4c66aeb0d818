#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""programs.py NAME=MANIFEST...: frames a second of vkcube and glmark2-es2 on Vulkan drivers, as a Markdown table.

Both draw into windows of an X server without a screen; OpenGL ES goes through Mesa's zink. Each driver runs with one processor and
with two, in turns, and the best of some rounds counts. The first driver is compared with the better of the others; one that is named
`+NAME` has a ratio of its own. What is not installed, or does not run on a driver, shows as `-`.
"""
import os
import re
import shutil
import subprocess
import sys
import time

ROUNDS = 1
CUBE_ROUNDS = 7  # a third of a second each: where the X server runs decides more
CUBE_FRAMES = 300
SCENES = ["texture:texture-filter=linear", "shading:shading=phong", "bump:bump-render=height", "effect2d:kernel=1,1,1,1,1;1,1,1,1,1;1,1,1,1,1;",
          "pulsar:quads=5", "refract", "terrain", "desktop:effect=blur", "buffer:update-method=map:interleave=false"]
SECONDS = 10  # of each scene, as glmark2 has them


def environment_of(manifest, display, threads):
    own = {"DISPLAY": display, "VK_DRIVER_FILES": manifest, "VK_ICD_FILENAMES": manifest, "MESA_LOADER_DRIVER_OVERRIDE": "zink",
           "GALLIUM_DRIVER": "zink", "LIBGL_ALWAYS_SOFTWARE": "1", "LP_NUM_THREADS": str(threads), "vblank_mode": "0",
           # Mesa's threads of GL lose the draws of some scenes where a driver makes zink offer ES 2.0 alone.
           "mesa_glthread": "false"}
    return dict(os.environ, **own)


def run(words, environment, threads, limit):
    """Output of a program on the first `threads` processors; None where it fails."""
    processors = sorted(os.sched_getaffinity(0))[:threads]
    try:
        done = subprocess.run(words, env=environment, timeout=limit, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", preexec_fn=lambda: os.sched_setaffinity(0, processors))
    except (subprocess.TimeoutExpired, OSError):
        return None
    return done.stdout if done.returncode == 0 else None


def cube(environment, threads):
    """Frames a second, without what it takes to start: two runs, the longer one less the shorter one."""
    times = []
    for frames in (10, 10 + CUBE_FRAMES):
        start = time.monotonic()
        if run(["vkcube", "--c", str(frames), "--present_mode", "0", "--width", "800", "--height", "600"], environment, threads, 120) is None:
            return None
        times.append(time.monotonic() - start)
    return CUBE_FRAMES / (times[1] - times[0]) if times[1] > times[0] else None


def scene(name, environment, threads):
    text = run(["glmark2-es2", "-s", "800x600", "-b", f"{name}:duration={SECONDS}.0"], environment, threads, 60 + 10 * SECONDS)
    found = re.search(r"FPS: (\d+)", text or "")
    return float(found.group(1)) if found and "zink" in text else None


class Server:
    """Xvfb."""

    def __enter__(self):
        self.process = subprocess.Popen(["Xvfb", "-displayfd", "1", "-screen", "0", "1024x768x24", "-nolisten", "tcp"],
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.display = ":" + self.process.stdout.readline().decode().strip()
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def figure(value):
    return "-" if value is None else f"{value:.0f}" if value >= 10 else f"{value:.1f}"


def ratio(own, others):
    return f"{own / max(others):.2f}" if own is not None and others else "-"


def table(drivers, threads, display):
    """Rows of cells."""
    names = ([("vkcube", cube)] if shutil.which("vkcube") else []) + (
        [("glmark2-es2 " + s, lambda e, t, s=s: scene(s, e, t)) for s in SCENES] if shutil.which("glmark2-es2") else [])
    for name, measure in names:
        for count in threads:
            best = {}
            for _ in range(CUBE_ROUNDS if measure is cube else ROUNDS):
                for driver, manifest in drivers:
                    value = measure(environment_of(manifest, display, count), count)
                    if value is not None:
                        best[driver] = max(best.get(driver, 0), value)
            figures = [best.get(driver) for driver, _ in drivers]
            peers = [best[driver] for driver, _ in drivers[1:] if not driver.startswith("+") and driver in best]
            yield [name, str(count), *map(figure, figures), ratio(figures[0], peers), "1.2" if measure is cube else "1.3",
                   *(ratio(figures[0], [best[driver]] if driver in best else []) for driver, _ in drivers if driver.startswith("+"))]
            print(f"{name}, {count}: {', '.join(map(figure, figures))}", file=sys.stderr)


def print_table(rows):
    """Markdown; the first row is the head."""
    widths = [max(len(row[c]) for row in rows) for c in range(len(rows[0]))]
    for number, row in enumerate(rows):
        print("| " + " | ".join(cell.ljust(w) if c == 0 else cell.rjust(w) for c, (cell, w) in enumerate(zip(row, widths))) + " |")
        if number == 0:
            print("|" + "|".join("-" * (w + 2) if c == 0 else "-" * (w + 1) + ":" for c, w in enumerate(widths)) + "|")


def main():
    drivers = [word.split("=", 1) for word in sys.argv[1:]]
    if shutil.which("Xvfb") is None:
        sys.exit("programs.py: Xvfb is not installed: no programs are measured")
    threads = [count for count in (1, 2) if count <= len(os.sched_getaffinity(0))]
    with Server() as server:
        names = [name.removeprefix("+") for name, _ in drivers]
        own = [f"/ {name[1:]}" for name, _ in drivers if name.startswith("+")]
        rows = [["program", "threads", *names, "Heddle / better peer", "wanted", *own], *table(drivers, threads, server.display)]
    print_table(rows)


if __name__ == "__main__":
    main()
