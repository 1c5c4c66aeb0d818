#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""piglit.py MANIFEST FOLDER [LIST]: piglit's shader tests, through Mesa's zink, on the driver of MANIFEST and on lavapipe, side by side. The
driver must pass every test that lavapipe passes. FOLDER gets a list of results for each.

The tests are those of Debian's package piglit that LIST names, one a line (piglit_stages.txt); without it those that ask for at most GL 2.1 with
GLSL 1.20, or ES 2.0, but EXCEPTIONS. The exit code 77 says that something can't be had here, or that HEDDLE_TEST_CLIENTS is not set.
"""
import json
import os
import re
import select
import shutil
import subprocess
import sys
import threading
import time

import screen

PIGLIT = "/usr/lib/x86_64-linux-gnu/piglit"
LAVAPIPE = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"
LEAST = 2000          # tests that the package must have, and that must pass
AT_A_TIME = 600       # tests in one process: their names must fit in a command line

# Left out: what they expect is not what the rules say that Heddle follows.
EXCEPTIONS = {
    "tests/spec/glsl-1.20/execution/clipping/vs-clip-vertex-primitives.shader_test":
        "a line from (20, 20.5) to (30, 20.5): both ends lie on corners of diamonds, and are moved to the left (RAS-3)",
    "tests/spec/glsl-1.20/execution/fs-underflow-mul-compare-zero.shader_test": "2^-149 shall be 0; the driver keeps denormals",
    "tests/spec/glsl-1.20/execution/fs-underflow-pow-compare-zero.shader_test": "2^-149 shall be 0; the driver keeps denormals",
}


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def version(text, name):
    """What a [require] section asks of `name`: (major, minor), None where it asks nothing; upper bounds are no demand."""
    found = re.search(rf"^{name}\s*(?:>=|==|=)\s*(\d+)\.(\d+)", text, re.M)
    return (int(found.group(1)), int(found.group(2))) if found else None


def demands(path):
    """What a test asks for: ES or not, its version, that of GLSL; None where it names none."""
    with open(path, errors="replace") as file:
        text = file.read()
    section = re.search(r"^\[require\](.*?)^\[", text, re.M | re.S)
    needs = section.group(1) if section else ""
    es = version(needs, "GL ES"), version(needs, "GLSL ES")
    return (True, *es) if any(es) else (False, version(needs, "GL"), version(needs, "GLSL"))


def runner_of(path):
    """The program that runs a test, and whether GL 2.1 or ES 2.0 is enough for it."""
    is_es, api, glsl = demands(path)
    if is_es:
        old = (api or (2, 0)) <= (2, 0) and (glsl or (1, 0)) <= (1, 0)
        return "shader_runner_gles2" if old else "shader_runner_gles3", old
    old = bool(api or glsl) and (api or (1, 0)) <= (2, 1) and (glsl or (1, 10)) <= (1, 20)
    return "shader_runner", old


def find_tests():
    """Paths by runner, relative to PIGLIT, in order."""
    tests = {}
    for root, folders, files in os.walk(PIGLIT):
        folders.sort()
        for name in sorted(files):
            if not name.endswith(".shader_test"):
                continue
            path = os.path.join(root, name)
            runner, old = runner_of(path)
            relative = os.path.relpath(path, PIGLIT)
            if old and relative not in EXCEPTIONS:
                tests.setdefault(runner, []).append(relative)
    return tests


def listed_tests(path):
    """The same, of a list; a line that begins with # says something of it."""
    tests = {}
    with open(path) as file:
        names = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    for name in names:
        if not os.path.exists(os.path.join(PIGLIT, name)):
            sys.exit(f"{PIGLIT} has no {name}")
        tests.setdefault(runner_of(os.path.join(PIGLIT, name))[0], []).append(name)
    return tests


class Run:
    """All tests on one driver."""

    def __init__(self, name, manifest, tests):
        self.name = name
        self.tests = tests
        self.results = {}  # path: pass, warn, fail, skip, crash, timeout
        self.seconds = 0   # of processors, but for processes that hung
        self.environment = dict(os.environ, VK_DRIVER_FILES=manifest, VK_ICD_FILENAMES=manifest, MESA_LOADER_DRIVER_OVERRIDE="zink",
                                GALLIUM_DRIVER="zink", LIBGL_ALWAYS_SOFTWARE="1", PIGLIT_PLATFORM="surfaceless_egl",
                                PIGLIT_SOURCE_DIR=PIGLIT)

    def all(self):
        for runner, paths in self.tests.items():
            left = list(paths)
            while left:
                done = self.some(runner, left[:AT_A_TIME])
                left = left[done:]

    def some(self, runner, paths):
        """Runs tests in one process and returns how many have a result; the last one may have crashed or hung."""
        process = subprocess.Popen([f"{PIGLIT}/bin/{runner}", *paths, "-auto", "-fbo", "-report-subtests"], cwd=PIGLIT,
                                   env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        current, pending, hung = -1, b"", False
        while True:
            if not select.select([process.stdout], [], [], screen.HANGS)[0]:
                process.kill()
                hung = True
            data = os.read(process.stdout.fileno(), 65536)
            if not data:
                break
            *lines, pending = (pending + data).split(b"\n")
            for line in lines:
                text = line.decode(errors="replace")
                if text.startswith("PIGLIT TEST: "):
                    current = int(text.split()[2]) - 1
                elif text.startswith("PIGLIT: {"):
                    said = json.loads(text[8:])
                    if "subtest" in said:
                        self.results[paths[current]] = next(iter(said["subtest"].values()))
                    elif len(paths) == 1:  # a single test has no number and no name
                        current, self.results[paths[0]] = 0, said["result"]
        if hung:
            status = process.wait()
        else:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = status = os.waitstatus_to_exitcode(status)
            self.seconds += usage.ru_utime + usage.ru_stime
        if current + 1 == len(paths) and paths[current] in self.results and not hung:
            return len(paths)
        at = max(current, 0)
        self.results.setdefault(paths[at], "timeout" if hung else "crash" if status < 0 else "fail")
        return at + 1

    def count(self, *kinds):
        return sum(1 for result in self.results.values() if result in kinds)

    def save(self, folder):
        with open(os.path.join(folder, f"piglit-{self.name}.txt"), "w") as file:
            file.writelines(f"{result} {path}\n" for path, result in sorted(self.results.items()))


def show_progress(runs, total, begin):
    if sys.stderr.isatty():
        done = min(len(run.results) for run in runs)
        sys.stderr.write(f"\r\033[Kpiglit: {done} of {total} tests, {time.monotonic() - begin:.0f} s")
        sys.stderr.flush()


def run_all(runs, total):
    threads = [threading.Thread(target=run.all, daemon=True) for run in runs]
    begin = time.monotonic()
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        show_progress(runs, total, begin)
        time.sleep(1)
    if sys.stderr.isatty():
        sys.stderr.write("\r\033[K")


def good(result):
    return result in ("pass", "warn")


def main():
    manifest, folder, *lists = sys.argv[1:]
    if os.environ.get("HEDDLE_TEST_CLIENTS") is None:
        skip("HEDDLE_TEST_CLIENTS is not set ('./dev test --clients')")
    if shutil.which("piglit") is None or not os.path.exists(f"{PIGLIT}/bin/shader_runner"):
        skip("piglit is not installed")
    tests = listed_tests(lists[0]) if lists else find_tests()
    total = sum(map(len, tests.values()))
    least = total if lists else LEAST
    if total < least:
        sys.exit(f"only {total} tests of GL 2.1 and ES 2.0 are in {PIGLIT}")
    mine = Run("heddle", manifest, tests)
    runs = [mine] + ([Run("lavapipe", LAVAPIPE, tests)] if os.path.exists(LAVAPIPE) else [])
    run_all(runs, total)
    os.makedirs(folder, exist_ok=True)
    for run in runs:
        run.save(folder)
        print(f"{run.name}: {run.count('pass', 'warn')} of {total} pass, {run.count('fail', 'timeout')} fail, "
              f"{run.count('crash')} crash, {run.count('skip')} are skipped; {run.seconds:.1f} s of processors")
    if mine.count("pass", "warn") < least:
        for path, result in sorted(mine.results.items()) if lists else []:
            if not good(result):
                print(f"{result}: {path}")
        sys.exit(f"fewer than {least} tests pass")
    if len(runs) == 1:
        print("lavapipe is not installed: the results are not compared")
        return
    worse = [path for path, result in sorted(runs[1].results.items())
             if good(result) and not good(mine.results.get(path))]
    for path in worse:
        print(f"{mine.results.get(path)} here, passes on lavapipe: {path}")
    if worse:
        sys.exit(1)


main()
