#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files of other packages that the objects of a build folder depend on are there, as ninja spells them: it takes "lib/.." away, also where lib is a
link, and builds everything anew each time for the sake of one that is not there.

usage: dependencies_test.py BUILD FOLDER        FOLDER: where the packages are
"""

import os
import pathlib
import re
import subprocess
import sys

build, folder = (pathlib.Path(word).resolve() for word in sys.argv[1:])
log = subprocess.run(["ninja", "-C", build, "-t", "deps"], text=True, capture_output=True, check=True).stdout
named = {os.path.normpath(build / path) for path in re.findall(r"^    (\S.*)$", log, re.MULTILINE)}
inside = sorted(path for path in named if path.startswith(f"{folder}/"))
if not inside:
    sys.exit(f"no object of {build} depends on a file of {folder}")
if missing := [path for path in inside if not os.path.exists(path)]:
    sys.exit("\n".join([f"{len(missing)} of {len(inside)} files that objects depend on are not there:", *missing[:10]]))
print(f"{len(inside)} files, all there")
