# SPDX-License-Identifier: MIT
"""`pip install --no-build-isolation --no-deps python/` in the project's folder: CMake builds the native part, without network.

HEDDLE_BUILD names a build folder to take it from or to make it in, a relative one below the project's; default build/release.
"""

import os
import pathlib
import re
import shutil
import subprocess

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parents[1]
VERSION = re.search(r"^project\(heddle VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)[1]


class CMakeBuild(build_ext):
    def build_extension(self, ext):
        # pip starts this in python/, whatever folder it was called in.
        build = (ROOT / (os.environ.get("HEDDLE_BUILD") or "build/release")).resolve()
        if build.exists() and not build.is_dir():
            raise SystemExit(f"HEDDLE_BUILD is '{build}', which is no folder: it takes a folder with a build, or one that is made; default build/release")
        if not (build / "CMakeCache.txt").exists():
            subprocess.run(["cmake", "-S", str(ROOT), "-B", str(build), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_COMPILER=clang++-19",
                            "-DHEDDLE_TESTS=OFF"], check=True)
        subprocess.run(["cmake", "--build", str(build), "--target", "heddle_python"], check=True)
        target = pathlib.Path(self.get_ext_fullpath(ext.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        made = next((build / "python" / "heddle").glob("_heddle*.so"))
        shutil.copy2(made, target)
        compiler = build / "lib" / "libheddle_jit.so"  # found beside the module ($ORIGIN)
        if compiler.exists():
            shutil.copy2(compiler, target.parent)


setup(version=VERSION, ext_modules=[Extension("heddle._heddle", [])], cmdclass={"build_ext": CMakeBuild})
