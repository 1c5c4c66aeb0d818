#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The archive: heddle-VERSION-linux-ARCHITECTURE.tar.xz, one folder that needs nothing but the C library.

usage: archive.py BUILD LIBRARIES OUT

BUILD is a build folder, of this machine or for arm64 (target.py), LIBRARIES what packaging/libraries made for the same. OUT gets the archive, the wheel that is in it, the package for
Node, the SBOM and SHA256SUMS. SOURCE_DATE_EPOCH is the time of every file; default the last commit's.
"""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE))

import link  # noqa: E402
import pack  # noqa: E402
import pythons  # noqa: E402
import sbom  # noqa: E402
import symbols  # noqa: E402
import target as targets  # noqa: E402

GLIBC = "2_31"
OPENED = ("libheddle_jit.so", link.ASTC, link.RUNTIME)  # by what is beside them


def version():
    return re.search(r"^project\(heddle VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)[1]


def description():
    return re.search(r'DESCRIPTION "([^"]+)"', (ROOT / "CMakeLists.txt").read_text())[1]


def bits():
    return re.search(r"kBits = (\d+)", (ROOT / "src/base/bits/bits.hpp").read_text())[1]


def filled(name, **words):
    text = (HERE / "files" / name).read_text()
    for key, value in words.items():
        text = text.replace(f"@{key}@", value)
    if missing := re.search(r"@[A-Z]+@", text):
        sys.exit(f"archive.py: {name}: nothing stands for {missing[0]}")
    return text


def installed(build, work):
    """What `cmake --install` gives, for the files that are not linked anew."""
    for component in ("program", "dev", "vulkan", "layer"):
        link.run(["cmake", "--install", build, "--component", component, "--prefix", work])
    return work


def copy_shared_files(prefix, folder):
    for place in ("include", "share/man", "share/bash-completion", "share/zsh", "share/fish", "share/doc/heddle"):
        shutil.copytree(prefix / place, folder / place, dirs_exist_ok=True)
    for place in ("vulkan/icd.d/heddle_icd.json", "vulkan/explicit_layer.d/VkLayer_heddle_footprint.json"):
        manifest = json.loads((prefix / "share" / place).read_text())
        part = manifest["ICD"] if "ICD" in manifest else manifest["layer"]
        part["library_path"] = "../../../lib/heddle/" + pathlib.Path(part["library_path"]).name
        output = folder / "share" / place
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(json.dumps(manifest, indent=4) + "\n")
    shutil.copy(ROOT / "LICENSE", folder / "LICENSE")


def write_examples(build, target, folder):
    """The first example of the gallery, with its texture."""
    place = folder / "examples"
    place.mkdir()
    textures = link.run([*target.runner, build / "examples/make_textures", place, "brick.png"])
    if not (place / "brick.png").exists():
        sys.exit(f"archive.py: make_textures drew no brick.png\n{textures}")
    shutil.copy(ROOT / "examples/first.visaasm", place)
    job = (ROOT / "examples/first.toml").read_text()
    (place / "first.toml").write_text(job.replace("textures/brick.png", "brick.png").replace("../out/first.png", "first.png"))


def write_library_files(prefix, folder):
    words = {"VERSION": version(), "DESCRIPTION": description()}
    cmake = folder / "lib/cmake/heddle"
    cmake.mkdir(parents=True)
    (cmake / "heddle-config.cmake").write_text(filled("heddle-config.cmake"))
    shutil.copy(next(prefix.glob("lib*/**/heddle-config-version.cmake")), cmake)
    (folder / "lib/pkgconfig").mkdir()
    (folder / "lib/pkgconfig/heddle.pc").write_text(filled("heddle.pc", **words))


def write_wheel(linker, folder, when):
    """One wheel, with a module for each Python and the library that all of them open."""
    scratch, those = linker.maps / "python", pythons.all_of(linker.libraries)
    shutil.rmtree(scratch, ignore_errors=True)
    files = {f"heddle/{p.name}": p.read_bytes() for p in (ROOT / "python/heddle").iterdir() if p.suffix in (".py", ".pyi") or p.name == "py.typed"}
    for python in those:
        module = pythons.link_module(linker, python, scratch)
        files[f"heddle/{module.name}"] = module.read_bytes()
    for place in ("lib/libheddle.so", *(f"lib/heddle/{name}" for name in OPENED)):
        files[f"heddle/{pathlib.Path(place).name}"] = (folder / place).read_bytes()
    text = (ROOT / "python/pyproject.toml").read_text()
    summary, needed = (re.search(rf'^{key} = "(.+)"', text, re.MULTILINE)[1] for key in ("description", "requires-python"))
    metadata = (f"Metadata-Version: 2.1\nName: heddle\nVersion: {version()}\nSummary: {summary}\nLicense: MIT\n"
                f"Requires-Python: {needed}\nRequires-Dist: numpy\n")  # fmt: skip
    tag = pythons.tag(those, GLIBC, linker.target.name)
    output = folder / "python" / f"heddle-{version()}-{tag}.whl"
    output.parent.mkdir()
    pack.write_wheel(output, "heddle", version(), tag, files, metadata, when)
    return output


def write_readme(target, those, folder):
    words = {"VERSION": version(), "BITS": bits(), "ARCHITECTURE": target.name, "TITLE": target.title, "TAG": pythons.tag(those, GLIBC, target.name),
             "PYTHONS": f"Python {pythons.words_of(those)}"}  # fmt: skip
    (folder / "README.md").write_text(filled("README.md", **words))


def write_sums(folder, output):
    paths = sorted(p for p in folder.rglob("*") if p.is_file() and p != output)
    output.write_text("".join(f"{hashlib.sha256(p.read_bytes()).hexdigest()}  {p.relative_to(folder).as_posix()}\n" for p in paths))


def make_tree(build, libraries, folder, when):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    linker = link.Linker(build, libraries, folder)
    linker.link_all()
    prefix = installed(build, linker.maps / "prefix")
    copy_shared_files(prefix, folder)
    write_examples(pathlib.Path(build).resolve(), linker.target, folder)
    write_library_files(prefix, folder)
    wheel = write_wheel(linker, folder, when)
    if found := [*symbols.findings(folder), *symbols.findings(linker.maps / "python")]:
        sys.exit("archive.py: " + "\n".join(found[:20]))
    write_readme(linker.target, pythons.all_of(libraries), folder)
    parts = sbom.Parts(build, libraries, linker.target.system)
    for path in sorted(linker.maps.glob("*.map")):
        parts.add_map(path, path.stem)
    parts.add((*parts.owner(linker.target.libraries / "libastcenc.so.4.2.0")[:2], "libastcenc3d"), link.ASTC, "STATIC_LINK")
    parts.add_headers()
    parts.add_python_headers()
    sbom.write(parts, folder, folder.name, version(), when)
    write_sums(folder, folder / "SHA256SUMS")
    return wheel


def make_node_package(folder, target, output, when):
    """The driver as a package for Node, as `npm pack` would lay it out."""
    stage = output.parent / "node" / "package"
    shutil.rmtree(stage.parent, ignore_errors=True)
    shutil.copytree(HERE / "node", stage)
    for name in ("package.json", "README.md"):
        text = (HERE / "node" / name).read_text()
        for word, its in (("heddle-webgpu", target.npm), ("0.0.0", version()), ('"x64"', f'"{target.node}"'), ("on x86-64", f"on {target.title}")):
            text = text.replace(word, its)
        (stage / name).write_text(text)
    for name in ("libvulkan_heddle.so", *OPENED):
        shutil.copy(folder / "lib/heddle" / name, stage / name)
    manifest = json.loads((folder / "share/vulkan/icd.d/heddle_icd.json").read_text())
    manifest["ICD"]["library_path"] = "./libvulkan_heddle.so"
    (stage / "heddle_icd.json").write_text(json.dumps(manifest, indent=2) + "\n")
    shutil.copy(ROOT / "LICENSE", stage)
    shutil.copytree(folder / "licenses", stage / "licenses")
    shutil.copy(folder / "sbom.spdx.json", stage)
    pack.pack_gzip(stage, output, when)
    shutil.rmtree(stage.parent)


def main():
    build, libraries, out = sys.argv[1:4]
    out = pathlib.Path(out).resolve()
    if "SOURCE_DATE_EPOCH" not in os.environ:
        os.environ["SOURCE_DATE_EPOCH"] = link.run(["git", "-C", ROOT, "log", "-1", "--format=%ct"]).strip()
    when = pack.epoch()
    target = targets.of_build(build)
    name = f"heddle-{version()}-linux-{target.name}"
    folder = out / name
    wheel = make_tree(build, libraries, folder, when)
    pack.pack(folder, out / f"{name}.tar.xz", when)
    shutil.copy(wheel, out)
    shutil.copy(folder / "sbom.spdx.json", out / f"{name}.spdx.json")
    make_node_package(folder, target, out / f"{target.npm}-{version()}.tgz", when)
    made = sorted(p for p in out.iterdir() if p.is_file() and p.name != "SHA256SUMS")
    (out / "SHA256SUMS").write_text("".join(f"{hashlib.sha256(p.read_bytes()).hexdigest()}  {p.name}\n" for p in made))
    for path in made:
        print(f"{path.stat().st_size / 1e6:6.1f} MB  {path.relative_to(pathlib.Path.cwd()) if path.is_relative_to(pathlib.Path.cwd()) else path}")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main()
