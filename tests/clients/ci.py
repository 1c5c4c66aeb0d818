#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ci.py HEDDLE FOLDER PROJECT: a project of examples/ci, as its README says to use it.

PROJECT is node, ctest, pytest or playwright. npm's packages are taken from FOLDER/node_modules; with HEDDLE_TEST_CLIENTS (./dev test
--clients) npm installs them there. The pages of playwright have no recorded frames: they are recorded, and drawn twenty times by one browser
of another process, which must give the same bytes each time and need no more memory. The exit code 77 says that something can't be had here.
"""
import glob
import hashlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading

import screen

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "ci")


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def need(*programs):
    for program in programs:
        if shutil.which(program) is None:
            skip(f"{program} is not installed")


def run(*words, folder, good=(0,)):
    done = subprocess.run(words, cwd=folder, check=False, timeout=screen.HANGS, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(done.stdout)
    if done.returncode not in good:
        sys.exit(f"{' '.join(words)} ended with {done.returncode}")
    return done.stdout


def install(project, modules):
    """node_modules of the project: links to what is in FOLDER, installed there where it is missing."""
    with open(os.path.join(project, "package.json"), encoding="utf-8") as file:
        packages = json.load(file)["dependencies"]
    if not all(os.path.exists(os.path.join(modules, "node_modules", name)) for name in packages):
        if "HEDDLE_TEST_CLIENTS" not in os.environ:
            skip(f"npm's {' and '.join(packages)} are not in {modules}: ./dev test --clients installs them")
        os.makedirs(modules, exist_ok=True)
        words = ["npm", "install", "--no-audit", "--no-fund", "--prefix", modules, *(f"{name}@{version}" for name, version in packages.items())]
        if subprocess.run(words, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode != 0:
            skip(f"npm can't install {' '.join(packages)}")
    os.symlink(os.path.join(modules, "node_modules"), os.path.join(project, "node_modules"))


def check_changed(project, file, before, after, words, first=None):
    """A program that draws something else is found out: `words` fail, behind `first`, which does not."""
    path = os.path.join(project, file)
    with open(path, encoding="utf-8") as source:
        text = source.read()
    assert before in text, f"{file} has no '{before}'"
    with open(path, "w", encoding="utf-8") as source:
        source.write(text.replace(before, after))
    if first:
        run(*first, folder=project)
    run(*words, folder=project, good=(1, 8))


def node(project, modules):
    need("node", "npm")
    install(project, modules)
    run("npm", "test", folder=project)
    check_changed(project, "scene.mjs", "250, 210, 90", "250, 210, 91", ("npm", "test"))


def ctest(project, _):
    need("cmake", "ctest", "glslangValidator")
    run("cmake", "-B", "build", folder=project)
    run("cmake", "--build", "build", folder=project)
    run("ctest", "--test-dir", "build", "--output-on-failure", folder=project)
    check_changed(project, "plasma.comp", "2.0 - time", "2.001 - time", ("ctest", "--test-dir", "build"), ("cmake", "--build", "build"))


def pytest(project, _):
    words = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
    if subprocess.run([sys.executable, "-c", "import pytest, numpy, heddle"], check=False, stderr=subprocess.DEVNULL).returncode != 0:
        skip("Python has no pytest, NumPy or heddle")
    # golden.json says python3: the one that has the module, whichever comes first elsewhere.
    own = os.path.join(project, "own")
    os.mkdir(own)
    os.symlink(sys.executable, os.path.join(own, "python3"))
    os.environ["PATH"] = own + os.pathsep + os.environ["PATH"]
    run(*words, folder=project)
    check_changed(project, "render.py", "180 + 40", "180 + 41", words)


def resident(root):
    """KiB of anonymous memory of the browser's GPU process below a process."""
    children = {}
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                children.setdefault(int(file.read().rsplit(")", 1)[1].split()[1]), []).append(int(path.split("/")[2]))
        except OSError:
            pass
    todo = [root]
    while todo:
        process = todo.pop()
        todo += children.get(process, [])
        try:
            with open(f"/proc/{process}/cmdline", encoding="utf-8") as file:
                if "--type=gpu-process" not in file.read():
                    continue
            with open(f"/proc/{process}/status", encoding="utf-8") as file:
                return next(int(line.split()[1]) for line in file if line.startswith("RssAnon"))
        except OSError:
            pass
    return 0


def draw_often(heddle, project, folder, times):
    """The pages again and again in one browser; by pages drawn, the memory of the GPU process each time that it was looked at."""
    process = subprocess.Popen([heddle, "vulkan", "node", "shots.mjs", folder, str(times)], cwd=project)
    memory, done = {}, threading.Event()

    def watch():
        while not done.wait(0.2):
            if kib := resident(process.pid):  # none before it starts, and when it has ended
                pages = len(glob.glob(os.path.join(folder, "*.png")))
                memory.setdefault(pages, []).append(kib)

    watcher = threading.Thread(target=watch)
    watcher.start()
    process.wait(timeout=screen.HANGS)
    done.set()
    watcher.join()
    if process.returncode != 0:
        sys.exit("a page could not be drawn")
    return memory


def playwright(project, modules):
    need("node", "npm", "chromium")
    if "HEDDLE_TEST_CLIENTS" not in os.environ:
        skip("HEDDLE_TEST_CLIENTS is not set ('./dev test --clients')")
    install(project, modules)
    run("npm", "run", "record", folder=project)
    times = 20
    names = sorted(os.path.splitext(name)[0] for name in os.listdir(os.path.join(project, "pages")) if name.endswith(".html"))
    pages = times * len(names)
    with tempfile.TemporaryDirectory() as folder:
        memory = draw_often("heddle", project, folder, times)
        for name in names:
            hashes = {hashlib.sha256(open(file, "rb").read()).hexdigest() for file in glob.glob(os.path.join(folder, f"{name}-*.png"))}
            if len(hashes) != 1:
                sys.exit(f"{name}: {times} screenshots are {len(hashes)} pictures")
    run("npm", "test", folder=project)
    # What it keeps between two pages: the least of a round, where it was looked at often enough to meet one. The first round is left out, in
    # which it fills its own stores; of the others the middle of the last ones is beside the middle of the first ones.
    rounds = {}
    for drawn, seen in memory.items():
        rounds.setdefault(drawn // len(names), []).extend(seen)
    later = [min(rounds[number]) for number in sorted(rounds) if 0 < number < times and len(rounds[number]) >= len(names)]
    if len(later) < 6:
        return print(f"{pages} pages: the same pictures; the GPU process was not seen often enough to tell its memory")
    if statistics.median(later[-3:]) > statistics.median(later[:3]) + 16 * 1024:
        sys.exit(f"the GPU process grows: {later} KiB, by rounds")
    print(f"{pages} pages: the same pictures; KiB of the GPU process by rounds: {later}")


def main():
    heddle, modules, name = sys.argv[1:4]
    if not os.path.exists(os.path.join(os.path.dirname(heddle), "..", "..", "lib", "heddle_icd.json")):
        skip("this build has no driver")
    os.environ["PATH"] = os.pathsep.join([os.path.dirname(os.path.abspath(heddle)), os.environ["PATH"]])
    with tempfile.TemporaryDirectory() as folder:
        project = os.path.join(folder, name)
        shutil.copytree(os.path.join(EXAMPLES, name), project, ignore=shutil.ignore_patterns("node_modules", "build"))
        {"node": node, "ctest": ctest, "pytest": pytest, "playwright": playwright}[name](project, os.path.abspath(modules))


main()
