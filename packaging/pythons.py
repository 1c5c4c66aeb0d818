# SPDX-License-Identifier: MIT
"""The Python module for several Pythons, in one wheel: pybind11 has no stable interface, so each has an object of its own, compiled with its
headers and NumPy's. All of them open one libheddle.so beside them, which is the archive's own, byte for byte."""

import concurrent.futures
import dataclasses
import os
import pathlib
import re
import shlex
import subprocess
import sys
import sysconfig

import link

# Folders of the Python at hand and its NumPy, in the place of which others come.
OWN_HEADERS = re.compile(r"/numpy/(_?core)/include$|/include/python3\.\d+$")


@dataclasses.dataclass(frozen=True, order=True)
class Python:
    minor: int  # of 3.MINOR
    headers: pathlib.Path | None = None  # what packaging/libraries unpacked; None: the Python at hand

    @property
    def tag(self):
        return f"cp3{self.minor}"

    @property
    def title(self):
        return f"3.{self.minor}"

    def module(self, triple):
        """The name of its extension modules' files."""
        return f"_heddle.cpython-3{self.minor}-{triple}.so"

    def folders(self):
        """Where the compiler finds Python.h, NumPy's headers and, if they came with it, pybind11's."""
        numpy = next(self.headers.rglob("numpy/arrayobject.h")).parents[1]
        return [self.headers / "usr/include" / f"python{self.title}", numpy, self.headers / "usr/include"]


def all_of(libraries):
    """The Python at hand and those whose headers are in LIBRARIES, oldest first."""
    own = Python(int(sysconfig.get_config_var("py_version_nodot")[1:]))
    others = (Python(int(p.name.split(".")[1]), p) for p in (pathlib.Path(libraries).resolve() / "python").glob("3.*") if (p / ".complete").exists())
    return sorted([own, *(one for one in others if one.minor != own.minor)], key=lambda one: one.minor)


def tag(pythons, glibc, processor):
    """As wheels for several Pythons have it (PEP 425)."""
    names = ".".join(one.tag for one in pythons)
    return f"{names}-{names}-manylinux_{glibc}_{processor}"


def words_of(pythons):
    """3.9, 3.11 and 3.13"""
    names = [one.title for one in pythons]
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def other_command(words, python, output):
    """The words of a compiler's command, for another Python's headers and another output."""
    kept, at = [], 0
    while at < len(words):
        if words[at] == "-isystem" and OWN_HEADERS.search(words[at + 1]):
            at += 2
        elif words[at] in ("-o", "-MT", "-MF"):
            kept += [words[at], f"{output}.d" if words[at] == "-MF" else str(output)]
            at += 2
        else:
            kept.append(words[at])
            at += 1
    begin = kept.index("-c")
    return kept[:begin] + [word for folder in python.folders() for word in ("-isystem", str(folder))] + kept[begin:]


def objects(linker, python):
    """The module's objects for a Python: those of the build folder, or compiled as these were."""
    own = [w for w in linker.command("heddle_python") if w.endswith(".o")]
    if python.headers is None:
        return own
    commands = {}
    for line in link.run(["ninja", "-C", linker.build, "-t", "commands", "heddle_python"]).splitlines():
        words = shlex.split(line)
        if "-c" in words and words[words.index("-o") + 1] in own:
            commands[words[words.index("-o") + 1]] = words
    folder = linker.maps / "objects" / python.title
    folder.mkdir(parents=True, exist_ok=True)
    made, waiting = [], []
    for name in own:
        if "/src/" not in name:  # no file of Python's
            made.append(name)
            continue
        made.append(str(folder / pathlib.Path(name).name))
        waiting.append(other_command(commands[name], python, made[-1]))
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for done in pool.map(lambda words: subprocess.run(words, cwd=linker.build, text=True, capture_output=True), waiting):
            if done.returncode != 0:
                sys.exit(f"pythons.py: Python {python.title}: {' '.join(done.args)[-2000:]}\n{done.stderr[-4000:]}")
    return made


def link_module(linker, python, folder):
    """The module of a Python, which looks for libheddle.so beside it."""
    words = linker.command("heddle_python")
    words = [w for w in words[: next(k for k, w in enumerate(words) if w.endswith(".o"))] if "-rpath" not in w]
    script = linker.maps / "heddle_python.script"
    script.write_text(f"{{ global: {link.SHOWN['heddle_python']}; local: *; }};\n")
    library, place = linker.folder / "lib/libheddle.so", folder / python.module(linker.target.triple)
    module = linker.link(f"heddle_python-{python.title}", [
        *words, f"-Wl,--version-script={script}", "-Wl,-rpath,$ORIGIN", *objects(linker, python), library,
    ], os.path.relpath(place, linker.folder))  # fmt: skip
    # What is missing is Python's, which no linker sees, and nothing of Heddle's.
    missing = {line.split()[-1] for line in link.run(["nm", "-D", "--undefined-only", module]).splitlines() if "6heddle" in line}
    shown = {line.split()[-1] for line in link.run(["nm", "-D", "--defined-only", library]).splitlines()}
    if missing - shown:
        sys.exit(f"pythons.py: {library.name} does not show {', '.join(sorted(missing - shown)[:20])}")
    return module
