# SPDX-License-Identifier: MIT
"""The architectures that an archive is made for: their names, and where their compiler and libraries lie."""

import dataclasses
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[1]


@dataclasses.dataclass(frozen=True)
class Target:
    name: str  # in the names of archives and wheels
    title: str  # in sentences
    triple: str  # Debian's folder of its libraries
    loader: str  # the C library's
    node: str  # process.arch of Node
    system: pathlib.Path  # the root folder of its Debian packages

    @property
    def npm(self):
        """The package's name for Node: a registry has one file for a name and a version."""
        return "heddle-webgpu" if self.node == "x64" else f"heddle-webgpu-{self.node}"

    @property
    def libraries(self):
        return self.system / "usr/lib" / self.triple

    @property
    def compiler(self):
        return self.system / "usr/lib/gcc" / self.triple / "12"

    @property
    def words(self):
        """What a compiler of this machine is told, to compile for it: the target, the root folder."""
        return [] if self.system == pathlib.Path("/") else [f"--target={self.triple}", f"--sysroot={self.system}"]

    @property
    def runner(self):
        """What comes before a program for it, to run it on this machine."""
        return [] if self.system == pathlib.Path("/") else [f"qemu-{self.name}", "-L", self.system]


TARGETS = {
    one.name: one
    for one in (
        Target("x86_64", "x86-64", "x86_64-linux-gnu", "ld-linux-x86-64.so.2", "x64", pathlib.Path("/")),
        # Unpacked by cmake/arm64-root.
        Target("aarch64", "arm64", "aarch64-linux-gnu", "ld-linux-aarch64.so.1", "arm64", ROOT / "build/arm64-root"),
    )
}


def of_build(build):
    """The target of a build folder: the processor that CMake has written down."""
    for path in sorted(pathlib.Path(build).glob("CMakeFiles/*/CMakeSystem.cmake")):
        for one in TARGETS.values():
            if f'set(CMAKE_SYSTEM_PROCESSOR "{one.name}")' in path.read_text():
                return one
    raise SystemExit(f"{build} is no build folder for {' or '.join(TARGETS)}")
