#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The packing: the same bytes from the same files, what a wheel says of itself, what is found in objects and maps."""

import base64
import csv
import hashlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest
import unittest.mock
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "packaging"))
sys.dont_write_bytecode = True

import archive  # noqa: E402
import pack  # noqa: E402
import pythons  # noqa: E402
import sbom  # noqa: E402
import symbols  # noqa: E402
import target as targets  # noqa: E402

WHEN = 1700000001  # odd: a zip counts two seconds at a time


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, path, text, mode=0o644):
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        place.chmod(mode)
        return place


class Tar(InFolder):
    FILES = {"b/two": ("2\n", 0o644), "b/one": ("1\n", 0o755), "a": ("a\n", 0o644), "b-c": ("c\n", 0o644)}

    def tree(self, name, order, umask, seconds):
        """The same files, made in another order, with other modes for the group and other times."""
        for path in order:
            text, mode = self.FILES[path]
            os.utime(self.write(f"{name}/top/{path}", text, mode & ~umask), (seconds, seconds))
        os.symlink("a", self.folder / name / "top/link")
        pack.pack(self.folder / name / "top", self.folder / f"{name}.tar.xz", WHEN)
        return (self.folder / f"{name}.tar.xz").read_bytes()

    def test_the_same_files_give_the_same_bytes(self):
        first = self.tree("first", sorted(self.FILES), 0, 1)
        self.assertEqual(first, self.tree("second", sorted(self.FILES, reverse=True), 0o077, 99999999))

    def test_another_byte_gives_other_bytes(self):
        first = self.tree("first", sorted(self.FILES), 0, 1)
        self.write("first/top/a", "A\n")
        pack.pack(self.folder / "first/top", self.folder / "again.tar.xz", WHEN)
        self.assertNotEqual(first, (self.folder / "again.tar.xz").read_bytes())

    def test_members(self):
        with tarfile.open(fileobj=io.BytesIO(self.tree("first", sorted(self.FILES), 0, 1))) as tar:
            members = tar.getmembers()
        self.assertEqual([m.name for m in members], ["top", "top/a", "top/b", "top/b-c", "top/b/one", "top/b/two", "top/link"])
        self.assertEqual({(m.mtime, m.uid, m.gid, m.uname, m.gname) for m in members}, {(WHEN, 0, 0, "", "")})
        self.assertEqual([oct(m.mode) for m in members if m.isreg()], ["0o644", "0o644", "0o755", "0o644"])

    def test_gzip_has_no_name_and_the_given_time(self):
        self.write("top/a", "a\n")
        for name in ("one.tgz", "two.tgz"):
            pack.pack_gzip(self.folder / "top", self.folder / name, WHEN)
        data = (self.folder / "one.tgz").read_bytes()
        self.assertEqual(data, (self.folder / "two.tgz").read_bytes())
        self.assertEqual(int.from_bytes(data[4:8], "little"), WHEN)

    def test_the_time_must_be_given(self):
        self.write("top/a", "a\n")
        environment = {k: v for k, v in os.environ.items() if k != "SOURCE_DATE_EPOCH"}
        words = [sys.executable, "-B", ROOT / "packaging/pack.py", self.folder / "top", self.folder / "x.tar.xz"]
        done = subprocess.run(words, env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("SOURCE_DATE_EPOCH", done.stderr)
        self.assertEqual(subprocess.run(words, env=environment | {"SOURCE_DATE_EPOCH": "12"}).returncode, 0)


class Wheel(InFolder):
    FILES = {"heddle/b.py": b"b = 1\n", "heddle/_heddle.so": b"\x7fELF", "heddle/a.py": b""}
    TAG = "cp311-cp311-manylinux_2_31_x86_64"

    def wheel(self, files):
        output = self.folder / f"heddle-1.2.3-{self.TAG}.whl"
        pack.write_wheel(output, "heddle", "1.2.3", self.TAG, files, "Metadata-Version: 2.1\nName: heddle\nVersion: 1.2.3\n", WHEN)
        return output

    def test_the_same_files_give_the_same_bytes(self):
        first = self.wheel(self.FILES).read_bytes()
        self.assertEqual(first, self.wheel(dict(reversed(self.FILES.items()))).read_bytes())

    def test_the_record_has_each_file_with_its_hash(self):
        with zipfile.ZipFile(self.wheel(self.FILES)) as wheel:
            rows = {row[0]: row[1:] for row in csv.reader(io.StringIO(wheel.read("heddle-1.2.3.dist-info/RECORD").decode()))}
            self.assertEqual(set(rows), set(wheel.namelist()))
            for name in wheel.namelist():
                if name.endswith("RECORD"):
                    continue
                kind, value = rows[name][0].split("=", 1)
                digest = base64.urlsafe_b64decode(value + "=" * (-len(value) % 4))
                self.assertEqual((kind, digest, int(rows[name][1])), ("sha256", hashlib.sha256(wheel.read(name)).digest(), len(wheel.read(name))))
            self.assertIn(f"Tag: {self.TAG}\n", wheel.read("heddle-1.2.3.dist-info/WHEEL").decode())
            self.assertEqual({m.compress_type for m in wheel.infolist()}, {zipfile.ZIP_STORED})


    def test_a_wheel_for_several_pythons_has_a_tag_for_each(self):
        self.TAG = "cp39.cp311-cp39.cp311-linux_x86_64"
        with zipfile.ZipFile(self.wheel(self.FILES)) as wheel:
            text = wheel.read("heddle-1.2.3.dist-info/WHEEL").decode()
        self.assertEqual(re.findall("^Tag: (.+)$", text, re.MULTILINE),
                         ["cp39-cp39-linux_x86_64", "cp39-cp311-linux_x86_64", "cp311-cp39-linux_x86_64", "cp311-cp311-linux_x86_64"])


class Pythons(InFolder):
    def libraries(self, *versions):
        for version in versions:
            self.write(f"libraries/python/{version}/.complete", f"bullseye\tlibpython{version}-dev\tpython{version}\t{version}.2-1\n")
            self.write(f"libraries/python/{version}/usr/include/python{version}/Python.h", "")
            self.write(f"libraries/python/{version}/usr/lib/numpy/core/include/numpy/arrayobject.h", "")
        return self.folder / "libraries"

    def test_the_one_at_hand_is_among_them_in_order(self):
        libraries = self.libraries("3.99", "3.2")
        (self.folder / "libraries/python/3.98").mkdir()  # was broken off
        own = sys.version_info.minor
        those = pythons.all_of(libraries)
        self.assertEqual([one.title for one in those], ["3.2", f"3.{own}", "3.99"])
        self.assertEqual([one.headers is None for one in those], [False, True, False])
        self.assertEqual(pythons.tag(those, "2_31", "x86_64"), f"cp32.cp3{own}.cp399-cp32.cp3{own}.cp399-manylinux_2_31_x86_64")
        self.assertEqual(pythons.words_of(those), f"3.2, 3.{own} and 3.99")
        self.assertEqual([pythons.words_of(those[:1]), pythons.words_of(those[:2])], ["3.2", f"3.2 and 3.{own}"])
        self.assertEqual([one.minor for one in pythons.all_of(self.libraries(f"3.{own}"))], [2, own, 99])

    def test_a_command_for_another_python(self):
        other = next(one for one in pythons.all_of(self.libraries("3.2")) if one.minor == 2)
        words = ["ccache", "clang++", "-isystem", "/usr/lib/python3/dist-packages/numpy/core/include", "-isystem", "/usr/include/python3.11", "-isystem", "/kept",
                 "-MD", "-MT", "a.o", "-MF", "a.o.d", "-o", "a.o", "-c", "a.cpp"]  # fmt: skip
        place = other.headers
        self.assertEqual(pythons.other_command(words, other, "out/a.o"),
                         ["ccache", "clang++", "-isystem", "/kept", "-MD", "-MT", "out/a.o", "-MF", "out/a.o.d", "-o", "out/a.o",
                          "-isystem", f"{place}/usr/include/python3.2", "-isystem", f"{place}/usr/lib/numpy/core/include", "-isystem", f"{place}/usr/include",
                          "-c", "a.cpp"])  # fmt: skip


class Symbols(InFolder):
    def build(self, name, source, *words):
        text = self.write("source.c", source)
        output = self.folder / "tree" / name
        output.parent.mkdir(exist_ok=True)
        subprocess.run(["clang-19", "-shared", "-fPIC", text, "-o", output, *words], check=True)
        return list(symbols.findings(self.folder / "tree"))

    def test_what_is_allowed(self):
        self.assertEqual(self.build("libvulkan_heddle.so", "int vk_icdGetInstanceProcAddr(void) { return 1; }"), [])

    def test_symbols_of_another_llvm_are_found(self):
        found = self.build("libheddle_jit.so", "int heddle_jit_module(void) { return 1; } int LLVMContextCreate(void) { return 2; }")
        self.assertEqual(found, ["libheddle_jit.so shows LLVMContextCreate"])

    def test_the_library_shows_its_own_namespace_alone(self):
        found = self.build("libheddle.so", "void _ZN6heddle5Image4loadEv(void) {} void _ZN4llvm5Image4loadEv(void) {} void _ZNSt6vectorIiE4sizeEv(void) {}")
        self.assertEqual(found, ["libheddle.so shows _ZN4llvm5Image4loadEv", "libheddle.so shows _ZNSt6vectorIiE4sizeEv"])

    def test_a_library_that_shows_nothing_is_found(self):
        found = self.build("libheddle.so", "__attribute__((visibility(\"hidden\"))) void _ZN6heddle5Image4loadEv(void) {}")
        self.assertEqual(found, ["libheddle.so shows nothing, so that nobody can use it"])

    def test_a_program_that_does_not_find_its_compiler_is_found(self):
        program = "int shown(void) { return 1; }"
        hidden = ("-fvisibility=hidden",)
        self.assertEqual(self.build("heddle", program, *hidden, "-Wl,-rpath,$ORIGIN/../lib/x86_64-linux-gnu/heddle"),
                         ["heddle does not look for its compiler in $ORIGIN/../lib/heddle"])
        self.assertEqual(self.build("heddle", program, *hidden, "-Wl,-rpath,$ORIGIN/../lib/x86_64-linux-gnu/heddle", "-Wl,-rpath,$ORIGIN/../lib/heddle"), [])

    def test_other_libraries_are_found(self):
        found = self.build("libvulkan_heddle.so", "const char* zlibVersion(void); const char* vk_icdName(void) { return zlibVersion(); }", "-lz")
        self.assertEqual(found, ["libvulkan_heddle.so needs libz.so.1"])

    def test_a_newer_c_library_is_found(self):
        found = self.build("libvulkan_heddle.so", "unsigned arc4random(void); unsigned vk_icdName(void) { return arc4random(); }")
        self.assertEqual(found, ["libvulkan_heddle.so needs arc4random of glibc 2.36"])

    def test_the_folder_of_the_sources_is_found(self):
        found = self.build("libvulkan_heddle.so", f'const char* vk_icdName(void) {{ return "{ROOT}/src/base/file.cpp"; }}')
        self.assertEqual(found, [f"libvulkan_heddle.so names {ROOT}, where it was built"])

    def test_unknown_objects_and_empty_folders_are_found(self):
        self.assertEqual(self.build("libother.so", ""), ["libother.so is not in the list of what an archive has"])
        (self.folder / "empty").mkdir()
        self.assertEqual(len(list(symbols.findings(self.folder / "empty"))), 1)


class Sbom(InFolder):
    def parts(self, system=pathlib.Path("/")):
        self.write("libraries/made.tsv", "libfmt.a\tfmtlib\t9.1\tabc\tlibfmt-dev\n")
        self.write("libraries/root/.complete", "libc6-dev_2.31-1_amd64.deb\nlibgcc-10-dev_10.2-1_amd64.deb\n")
        (self.folder / "build").mkdir()
        return sbom.Parts(self.folder / "build", self.folder / "libraries", system)

    def test_what_the_linker_took_is_found(self):
        source = self.write("source.cpp", "#include <zlib.h>\nint main() { return zlibVersion()[0]; }\n")
        map_file = self.folder / "program.map"
        subprocess.run(["clang++-19", "-fuse-ld=lld-19", source, "/usr/lib/x86_64-linux-gnu/libz.a", f"-Wl,-Map={map_file}", "-o", self.folder / "program"], check=True)
        parts = self.parts()
        parts.add_map(map_file, "program")
        found = {source: entry for (source, _), entry in parts.found.items()}
        self.assertEqual((found["zlib"]["inside"], found["zlib"]["how"]), ({"program"}, "STATIC_LINK"))
        self.assertNotIn("libzstd", found)

    def test_archives_made_here_and_the_older_system_are_known(self):
        parts = self.parts()
        libraries = parts.libraries
        self.assertEqual(parts.part_of(libraries / "lib/libfmt.a"), ("fmtlib", "9.1", "libfmt-dev"))
        self.assertEqual(parts.part_of(libraries / "root/usr/lib/x86_64-linux-gnu/crt1.o"), ("glibc", "2.31-1", "libc6-dev"))
        self.assertEqual(parts.part_of(libraries / "unwinder/libgcc_eh.a"), ("gcc-10", "10.2-1", "libgcc-10-dev"))
        self.assertIsNone(parts.part_of(parts.build / "src/base/libheddle_base.a"))

    def test_unpacked_packages_of_another_architecture_are_known(self):
        system = self.folder / "arm64-root"
        self.write("arm64-root/.files", "libzstd-dev\tlibzstd\t1.5.4\tusr/lib/aarch64-linux-gnu/libzstd.a\n")
        map_file = self.write("program.map", "VMA LMA Size Align Out In Symbol\n"
                              f"201000 201000 10 4 {system}/usr/lib/aarch64-linux-gnu/libzstd.a(common.o):(.text)\n")  # fmt: skip
        parts = self.parts(system)
        parts.add_map(map_file, "program")
        self.assertEqual(set(parts.found), {("libzstd", "1.5.4")})
        with self.assertRaisesRegex(SystemExit, "no package of .*arm64-root has .*libother.a"):
            parts.part_of(system / "usr/lib/aarch64-linux-gnu/libother.a")

    def test_headers_are_found_however_the_compiler_names_them(self):
        system = self.folder / "arm64-root"
        self.write("arm64-root/.files", "libcli11-dev\tcli11\t2.3\tusr/include/CLI/App.hpp\nlibtomlplusplus-dev\ttomlplusplus\t3.3\tusr/include/toml++/toml.h\n"
                   "libstb-dev\tlibstb\t0.0\tusr/include/stb/stb_image.h\n")  # fmt: skip
        parts = self.parts(system)
        log = f"""src/tools/CMakeFiles/heddle.dir/main.cpp.o: #deps 2, deps mtime 1 (VALID)
    {system}/usr/include/CLI/App.hpp
    ../arm64-root/usr/include/toml++/toml.h

tests/CMakeFiles/test_base.dir/base_test.cpp.o: #deps 1, deps mtime 1 (VALID)
    ../arm64-root/usr/include/stb/stb_image.h
"""
        with unittest.mock.patch.object(sbom, "lines", lambda *words: log.splitlines()):
            parts.add_headers()
        self.assertEqual(set(parts.found), {("cli11", "2.3"), ("tomlplusplus", "3.3")})

    def test_the_document(self):
        parts = self.parts()
        parts.add(("fmtlib", "9.1", "libfmt-dev"), "heddle", "STATIC_LINK")
        parts.add(("nlohmann-json3", "3.11", "nlohmann-json3-dev"), "headers", "BUILD_DEPENDENCY_OF")
        program = self.write("tree/bin/heddle", "program")
        one = sbom.document(parts, self.folder / "tree", "heddle-1", "1", WHEN)
        self.assertEqual(one, json.loads(json.dumps(sbom.document(parts, self.folder / "tree", "heddle-1", "1", WHEN))))
        self.assertEqual((one["spdxVersion"], one["creationInfo"]["created"]), ("SPDX-2.3", "2023-11-14T22:13:21Z"))
        self.assertEqual({p["name"]: p["licenseDeclared"] for p in one["packages"]}, {"heddle": "MIT", "fmtlib": "MIT", "nlohmann-json3": "MIT"})
        ids = {"SPDXRef-DOCUMENT"} | {p["SPDXID"] for p in one["packages"] + one["files"]}
        self.assertEqual(len(ids), 1 + len(one["packages"]) + len(one["files"]))
        for relation in one["relationships"]:
            self.assertLessEqual({relation["spdxElementId"], relation["relatedSpdxElement"]}, ids)
        checksums = {c["algorithm"]: c["checksumValue"] for c in one["files"][0]["checksums"]}
        self.assertEqual(checksums["SHA256"], hashlib.sha256(program.read_bytes()).hexdigest())

    def test_headers_of_other_pythons_are_parts(self):
        self.write("libraries/python/3.9/.complete", "bullseye\tlibpython3.9-dev\tpython3.9\t3.9.2-1\nbullseye\tlibpython3.9-minimal\tpython3.9\t3.9.2-1\n")
        self.write("libraries/python/3.9/usr/share/doc/libpython3.9-minimal/copyright", "its license")
        parts = self.parts()
        parts.add_python_headers()
        (self.folder / "tree").mkdir()
        sbom.write(parts, self.folder / "tree", "heddle-1", "1", WHEN)
        self.assertEqual((self.folder / "tree/licenses/python3.9.txt").read_text(), "its license")
        (one,) = [p for p in json.loads((self.folder / "tree/sbom.spdx.json").read_text())["packages"] if p["name"] == "python3.9"]
        self.assertEqual((one["versionInfo"], one["licenseDeclared"]), ("3.9.2-1", "PSF-2.0"))
        self.assertIn("distro=bullseye", one["externalRefs"][0]["referenceLocator"])

    def test_a_part_without_a_license_stops_the_packing(self):
        parts = self.parts()
        parts.add(("nobody-knows", "1", "nobody-knows"), "heddle", "STATIC_LINK")
        (self.folder / "tree").mkdir()
        with self.assertRaisesRegex(SystemExit, "license of nobody-knows"):
            sbom.document(parts, self.folder / "tree", "heddle-1", "1", WHEN)


class Target(InFolder):
    def build(self, processor):
        """A build folder on this machine for another one, as CMake writes it down."""
        self.write(f"{processor}/CMakeFiles/3.25.1/CMakeSystem.cmake",
                   f'set(CMAKE_HOST_SYSTEM_PROCESSOR "x86_64")\nset(CMAKE_SYSTEM_PROCESSOR "{processor}")\n')  # fmt: skip
        return self.folder / processor

    def test_a_build_folder_says_what_it_is_for(self):
        for name in ("x86_64", "aarch64"):
            self.assertEqual(targets.of_build(self.build(name)).name, name)

    def test_an_archive_of_another_processor_is_refused(self):
        with self.assertRaisesRegex(SystemExit, "no build folder for x86_64 or aarch64"):
            targets.of_build(self.build("riscv64"))
        with self.assertRaisesRegex(SystemExit, "no build folder"):
            targets.of_build(self.folder)

    def test_packages_for_node_differ_in_name_and_processor(self):
        self.assertEqual([(one.npm, one.node) for one in targets.TARGETS.values()], [("heddle-webgpu", "x64"), ("heddle-webgpu-arm64", "arm64")])


class Papers(unittest.TestCase):
    def test_the_readme_is_filled_in(self):
        for name, target in targets.TARGETS.items():
            with tempfile.TemporaryDirectory() as folder:
                archive.write_readme(target, [pythons.Python(9, pathlib.Path("/")), pythons.Python(11)], pathlib.Path(folder))
                text = (pathlib.Path(folder) / "README.md").read_text()
            self.assertIsNone(re.search(r"@[A-Z]+@", text))
            self.assertIn(f"heddle-{archive.version()}-linux-{name}.tar.xz", text)
            self.assertRegex(text, rf"python/heddle-{archive.version()}-cp39\.cp311-cp39\.cp311-manylinux_2_31_{name}\.whl")
            self.assertIn("has a wheel for Python 3.9 and 3.11", text)
        with self.assertRaisesRegex(SystemExit, "@BITS@"):
            archive.filled("README.md", VERSION="1", TITLE="", ARCHITECTURE="", TAG="", PYTHONS="")

    def test_ci_takes_four_lines(self):
        yaml = re.search(r"```yaml\n(.*?)```", (ROOT / "packaging/files/README.md").read_text(), re.DOTALL)[1]
        self.assertEqual([line[:7] for line in yaml.splitlines()], ["- run: "] * 4)


if __name__ == "__main__":
    unittest.main()
