#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""browser.py HEDDLE FOLDER: tests/explore/browser.mjs and defects.mjs, the explorer's page in Chromium.
browser.py HEDDLE firefox: tests/explore/firefox.mjs, the same in Firefox ESR, which needs nothing of npm.

npm's playwright-core and axe-core are taken from FOLDER/node_modules; with HEDDLE_TEST_CLIENTS (./dev test --clients) npm
installs them there. The exit code 77 says that something can't be had here.
"""
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGES = ("playwright-core@1.65.1", "axe-core@4.14.1")


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def firefox(program):
    found = shutil.which("firefox-esr")
    if found is None:
        skip("firefox-esr is not installed")
    if shutil.which("node") is None:
        skip("node is not installed")
    sys.exit(subprocess.run(["node", os.path.join(HERE, "firefox.mjs"), program, found], check=False).returncode)


def main():
    if sys.argv[2] == "firefox":
        firefox(os.path.abspath(sys.argv[1]))
    program, folder = (os.path.abspath(path) for path in sys.argv[1:3])
    chromium = shutil.which("chromium")
    if chromium is None:
        skip("chromium is not installed")
    if shutil.which("node") is None:
        skip("node is not installed")
    modules = os.path.join(folder, "node_modules")
    if not all(os.path.exists(os.path.join(modules, package.split("@")[0])) for package in PACKAGES):
        if "HEDDLE_TEST_CLIENTS" not in os.environ or shutil.which("npm") is None:
            skip(f"npm's {' and '.join(PACKAGES)} are not in {modules}: ./dev test --clients installs them")
        os.makedirs(folder, exist_ok=True)
        done = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--prefix", folder, *PACKAGES], check=False,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if done.returncode != 0:
            skip(f"npm can't install {' '.join(PACKAGES)}")
    codes = [subprocess.run(["node", os.path.join(HERE, script), program, modules, chromium], check=False).returncode
             for script in ("browser.mjs", "defects.mjs")]
    sys.exit(max(codes))


main()
