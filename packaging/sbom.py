# SPDX-License-Identifier: MIT
"""What is inside the archive, from what the linker took and what the compiler read: an SPDX document, and the license of each part."""

import datetime
import functools
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

# Licenses by source package, as Debian's copyright files and the projects say. A source that is not here stops the packing.
LICENSES = {
    "astc-encoder": "Apache-2.0", "cli11": "BSD-3-Clause", "fmtlib": "MIT", "gcc-10": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "gcc-12": "GPL-3.0-or-later WITH GCC-exception-3.1", "glibc": "LGPL-2.1-or-later", "imath": "BSD-3-Clause",
    "khronos-opencl-headers": "Apache-2.0", "libjpeg-turbo": "IJG AND BSD-3-Clause AND Zlib", "libspng": "BSD-2-Clause", "libstb": "MIT OR Unlicense", "libwebp": "BSD-3-Clause", "libyaml": "MIT",
    "libzstd": "BSD-3-Clause OR GPL-2.0-only", "llvm-toolchain-19": "Apache-2.0 WITH LLVM-exception", "nlohmann-json3": "MIT", "numpy": "BSD-3-Clause",
    "onetbb": "Apache-2.0", "openexr": "BSD-3-Clause", "pybind11": "BSD-3-Clause", "python3.9": "PSF-2.0", "python3.11": "PSF-2.0", "python3.13": "PSF-2.0", "simdjson": "Apache-2.0 OR MIT",
    "spirv-headers": "MIT", "spirv-tools": "Apache-2.0", "tomlplusplus": "MIT", "vulkan-loader": "Apache-2.0 OR MIT", "zlib": "Zlib",
}  # fmt: skip
# Declarations of the C library and the kernel: what is used of them is not inside.
OUTSIDE = {"glibc", "linux"}


def lines(*words):
    return subprocess.run([str(w) for w in words], text=True, capture_output=True, check=False).stdout.splitlines()


@functools.cache
def installed_files():
    """{path: package}, as dpkg has written it down."""
    return {line: path.name[: -len(".list")] for path in pathlib.Path("/var/lib/dpkg/info").glob("*.list") for line in path.read_text().splitlines()}


@functools.cache
def sources():
    """{package: (source, version of the source)}"""
    rows = (line.split(" ") for line in lines("dpkg-query", "-W", "-f=${binary:Package} ${source:Package} ${source:Version}\n"))
    return {name: (source, version) for package, source, version in rows for name in {package, package.split(":")[0]}}


@functools.cache
def unpacked_files(system):
    """{path: (source, version of the source, package)}, as cmake/arm64-root has written it down."""
    rows = (line.split("\t") for line in (system / ".files").read_text().splitlines())
    return {str(system / path): (source, version, package) for package, source, version, path in rows}


@functools.cache
def owner(path, system=pathlib.Path("/")):
    """(source, version of the source, package) of a file of the system, or of one that is unpacked in a folder."""
    if system != pathlib.Path("/"):
        for name in (path, str(pathlib.Path(path).resolve())):
            if name in unpacked_files(system):
                return unpacked_files(system)[name]
        sys.exit(f"sbom.py: no package of {system} has {path}, which is linked")
    for name in (path, str(pathlib.Path(path).resolve())):
        for candidate in (name, re.sub("^/usr(?=/lib)", "", name)):
            if package := installed_files().get(candidate):
                return (*sources()[package], package)
    sys.exit(f"sbom.py: no package has {path}, which is linked")


class Parts:
    """Source packages, by what they are inside of. `system`: the root folder of the packages that were linked."""

    def __init__(self, build, libraries, system=pathlib.Path("/")):
        self.build, self.libraries, self.system = pathlib.Path(build).resolve(), pathlib.Path(libraries).resolve(), system
        made = (self.libraries / "made.tsv").read_text().splitlines()
        self.made = {f[0]: (f[1], f[2], f[4]) for f in (line.split("\t") for line in made)}
        self.checksums = {f[1]: f[3] for f in (line.split("\t") for line in made)}
        self.root_packages = dict(re.match(r"(.+?)_(.+)_", name).groups() for name in (self.libraries / "root/.complete").read_text().split())
        # Of other Pythons' headers: {(source, version of the source): (release, package, where it is unpacked)}
        self.python_packages = {}
        for path in sorted((self.libraries / "python").glob("*/.complete")):
            for release, package, source, version in (line.split("\t") for line in path.read_text().splitlines()):
                self.python_packages.setdefault((source, version), (release, package, path.parent))
        self.found = {}  # (source, version): {"package": ..., "inside": {files}, "how": ...}

    def add(self, part, inside, how):
        entry = self.found.setdefault(part[:2], {"package": part[2], "inside": set(), "how": how})
        entry["inside"].add(inside)
        if how == "STATIC_LINK":
            entry["how"] = how

    def part_of(self, path):
        """Whose a linked file is; None: Heddle's own."""
        path = pathlib.Path(path)
        if path.name in self.made and path.is_relative_to(self.libraries / "lib"):
            return self.made[path.name]
        root = self.libraries / "root"
        if path.is_relative_to(root) or path.is_relative_to(self.libraries / "unwinder") or path.name == "libunwinder.a":
            compiler = "gcc" in str(path.relative_to(root)) if path.is_relative_to(root) else True
            package = "libgcc-10-dev" if compiler else "libc6-dev"
            return ("gcc-10" if compiler else "glibc", self.root_packages[package].replace("%3a", ":"), package)
        return self.owner(path) if str(path).startswith(self.folders("usr/", "lib")) else None

    def folders(self, *names):
        """Folders of the system, as paths begin with them: of this machine, and of the one that is built for."""
        return tuple(f"{root}{name}" for root in {"/", f"{self.system}/".replace("//", "/")} for name in names)

    def owner(self, path):
        """(source, version of the source, package) of a file of the system."""
        return owner(str(path), self.system if pathlib.Path(path).is_relative_to(self.system) else pathlib.Path("/"))

    def add_map(self, path, inside):
        """What the linker's map names: FILE or FILE(MEMBER), then the section."""
        for name in set(re.findall(r"^\s*[0-9a-f]+\s+[0-9a-f]+(?:\s+[0-9a-f]+)?\s+\d+\s+([^\s:(]+\.(?:a|o|so[.\d]*))[(:]", pathlib.Path(path).read_text(errors="replace"), re.MULTILINE)):
            place = pathlib.Path(name) if name.startswith("/") else self.build / name
            part = self.part_of(place if name.startswith("/") else place.resolve())
            if part is not None and ".so" not in place.name:
                self.add(part, inside, "STATIC_LINK")

    def add_headers(self):
        """What the compiler read of other projects: libraries of headers have nothing that the linker would name."""
        headers, ours = set(), False
        place = "(?:" + "|".join(map(re.escape, sorted(self.folders("usr/")))) + ")(?:include|lib/llvm-19/include|lib/python3/dist-packages)/"
        for line in lines("ninja", "-C", self.build, "-t", "deps"):
            if not line.startswith(" "):
                ours = line.startswith(("src/", "layer/", "python/"))
            elif ours and (path := os.path.normpath(self.build / line.strip())) and re.match(place, path):  # some are named from the build folder
                headers.add(path)
        for folder in sorted({re.match(f"{place}[^/]+", h)[0] for h in headers}):
            example = next(h for h in sorted(headers) if h.startswith(folder))
            part = self.owner(example)
            if part[0] not in OUTSIDE and part[0] not in {s for s, _ in self.found}:
                self.add(part, "headers", "BUILD_DEPENDENCY_OF")

    def add_python_headers(self):
        """What the module is compiled with for the Pythons of other releases."""
        for part, (_, package, _) in self.python_packages.items():
            self.add((*part, package), "headers", "BUILD_DEPENDENCY_OF")

    def release(self, source, version, package):
        """Debian's name of the release that a part is of."""
        if (source, version) in self.python_packages:
            return self.python_packages[source, version][0]
        return "bullseye" if package in self.root_packages else "bookworm"


def license_file(parts, source, version, package):
    """Debian's copyright file of a part."""
    if (source, version) in parts.python_packages:  # the folder of one package of a source has it, the others' are links to that
        unpacked = parts.python_packages[source, version][2]
        return next((unpacked / "usr/share/doc").glob(f"*{source}*/copyright")).read_bytes()
    for folder in (parts.libraries / "root/usr/share/doc", parts.system / "usr/share/doc"):
        for name in (package, package.split(":")[0]):
            if (folder / name / "copyright").is_file() and (folder.is_relative_to(parts.libraries) == (package in parts.root_packages)):
                return (folder / name / "copyright").read_bytes()
    # libgcc-10-dev's folder is a link to that of gcc-10-base, which has the same text as gcc-12's.
    if source.startswith("gcc-"):
        return (parts.system / "usr/share/doc/gcc-12-base/copyright").read_bytes()
    sys.exit(f"sbom.py: {package} has no copyright file")


def checksum(path, kind):
    return hashlib.new(kind, pathlib.Path(path).read_bytes()).hexdigest()


def spdx_id(text):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", text)


def package_entry(parts, source, version, entry):
    if source not in LICENSES:
        sys.exit(f"sbom.py: the license of {source} is not in the table")
    release = parts.release(source, version, entry["package"])
    one = {
        "SPDXID": spdx_id(f"Package-{source}-{version}"), "name": source, "versionInfo": version, "supplier": "Organization: Debian",
        "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": LICENSES[source], "licenseDeclared": LICENSES[source],
        "copyrightText": "NOASSERTION", "comment": f"in {', '.join(sorted(entry['inside']))}; license text: licenses/{source}.txt",
        "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                          "referenceLocator": f"pkg:deb/debian/{source}@{version}?arch=source&distro={release}".replace("+", "%2B")}],
    }  # fmt: skip
    if source in parts.checksums and release == "bookworm":
        one["sourceInfo"] = f"built from Debian's source; SHA-256 of its .dsc: {parts.checksums[source]}"
    return one


def document(parts, folder, name, version, when):
    """The SPDX document of the tree `folder`."""
    top = {"SPDXID": "SPDXRef-Package-heddle", "name": "heddle", "versionInfo": version, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
           "licenseConcluded": "MIT", "licenseDeclared": "MIT", "copyrightText": "NOASSERTION", "primaryPackagePurpose": "ARCHIVE"}  # fmt: skip
    packages, relations, files = [top], [], []
    for (source, its_version), entry in sorted(parts.found.items()):
        one = package_entry(parts, source, its_version, entry)
        packages.append(one)
        if entry["how"] == "STATIC_LINK":
            relations.append((top["SPDXID"], "STATIC_LINK", one["SPDXID"]))
        else:
            relations.append((one["SPDXID"], "BUILD_DEPENDENCY_OF", top["SPDXID"]))
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and re.search(r"\.so$|\.whl$|bin/heddle$", str(p))):
        place = path.relative_to(folder).as_posix()
        files.append({"SPDXID": spdx_id(f"File-{place}"), "fileName": f"./{place}", "licenseConcluded": "NOASSERTION", "copyrightText": "NOASSERTION",
                      "checksums": [{"algorithm": k.upper(), "checksumValue": checksum(path, k)} for k in ("sha1", "sha256")]})  # fmt: skip
        relations.append((top["SPDXID"], "CONTAINS", files[-1]["SPDXID"]))
    relations.insert(0, ("SPDXRef-DOCUMENT", "DESCRIBES", top["SPDXID"]))
    content = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
        "creationInfo": {"created": datetime.datetime.fromtimestamp(when, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
                         "creators": ["Tool: heddle packaging/sbom.py"]},
        "packages": packages, "files": files,
        "relationships": [{"spdxElementId": a, "relationshipType": r, "relatedSpdxElement": b} for a, r, b in relations],
    }  # fmt: skip
    # The same content has the same name.
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    content["documentNamespace"] = f"https://spdx.org/spdxdocs/{name}-{digest[:32]}"
    return content


def write(parts, folder, name, version, when):
    licenses = folder / "licenses"
    licenses.mkdir(exist_ok=True)
    for (source, its_version), entry in parts.found.items():
        (licenses / f"{source}.txt").write_bytes(license_file(parts, source, its_version, entry["package"]))
    (folder / "sbom.spdx.json").write_text(json.dumps(document(parts, folder, name, version, when), indent=1) + "\n")
