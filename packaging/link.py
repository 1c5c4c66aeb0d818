#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Links what a build folder has built once more, for the archive: nothing but the C library stays outside.

usage: link.py BUILD LIBRARIES FOLDER

Takes the link commands of BUILD from ninja, so objects and archives are those of the Debian packages; shared libraries become
archives of LIBRARIES (packaging/libraries) or of Debian, the C library that of the oldest release. FOLDER gets the tree of the
archive, and FOLDER.maps a map of each link, which says which members of which archives are inside.
"""

import pathlib
import re
import shlex
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import target as targets  # noqa: E402

# What is linked, and where it lies in the archive.
TARGETS = {
    "heddle": "bin/heddle",
    "heddle_jit": "lib/heddle/libheddle_jit.so",
    "vulkan_heddle": "lib/heddle/libvulkan_heddle.so",
    "VkLayer_heddle_footprint": "lib/heddle/libVkLayer_heddle_footprint.so",
}
# What those show whose own link command does not say it.
SHOWN = {"heddle_jit": "heddle_jit_module", "heddle_python": "PyInit__heddle"}
# Archives whose symbols are the interface of libheddle.so, and what a program's own search path finds the compiler by.
DOORS = ("result", "image", "program", "shader", "run")
ASTC, RUNTIME = "libheddle_astcenc.so", "libheddle++.so"  # see bundle_astc


def run(words, **options):
    done = subprocess.run([str(w) for w in words], text=True, capture_output=True, **options)
    if done.returncode != 0:
        sys.exit(f"link.py: {words[0]} failed\n{' '.join(map(str, words))[-2000:]}\n{done.stderr[-4000:]}")
    return done.stdout


class Linker:
    def __init__(self, build, libraries, folder):
        self.build, self.libraries, self.folder = (pathlib.Path(p).resolve() for p in (build, libraries, folder))
        self.target = targets.of_build(self.build)
        self.maps = self.folder.with_name(self.folder.name + ".maps")
        self.maps.mkdir(parents=True, exist_ok=True)
        # An archive, so that --exclude-libs hides what is in it.
        self.shims = self.maps / "libshims.a"
        self.shims.unlink(missing_ok=True)
        run(["llvm-ar-19", "rcsD", self.shims, self.compiled("old_glibc.c"), self.compiled("astc.cpp", "-DASTCENC_DYNAMIC_LIBRARY")])
        unwinder = self.libraries / "unwinder"
        unwinder.mkdir(exist_ok=True)
        root = self.libraries / "root"
        (unwinder / "libgcc_eh.a").write_bytes((root / "usr/lib/gcc" / self.target.triple / "10/libgcc_eh.a").read_bytes())
        self.closed = [
            "-fuse-ld=lld-19", *self.target.words[:1], f"--sysroot={root}", f"--gcc-install-dir={self.target.compiler}", f"-L{unwinder}", "-static-libstdc++", "-static-libgcc", "-pthread",
            "-Wl,--gc-sections", "-Wl,--exclude-libs,ALL", "-Wl,-Bsymbolic", "-Wl,--as-needed", "-Wl,-z,relro", "-Wl,-s",
        ]  # fmt: skip

    def compiled(self, source, *more):
        compiler = ["clang-19"] if source.endswith(".c") else ["clang++-19", "-std=c++20", "-fvisibility=hidden"]
        output = self.maps / f"{source}.o"
        run([*compiler, *self.target.words, "-O2", "-fPIC", f"-ffile-prefix-map={HERE}=.", "-Wall", "-Wextra", *more, "-c", HERE / source, "-o", output])
        return output

    def command(self, target):
        """The words of ninja's last command for a target, without its output and the shell around it."""
        text = run(["ninja", "-C", self.build, "-t", "commands", target]).splitlines()[-1]
        # A shell would take the backslash of "\\$ORIGIN" away.
        words = [w.replace("\\$", "$") for w in shlex.split(re.sub(r"^: && | && :\s*$", "", text))]
        at = words.index("-o")
        return words[:at] + words[at + 2 :]

    def archive_of(self, word):
        """The archive in place of a shared library of Debian."""
        name = re.match(r"lib(.+?)(-3_1)?\.so", pathlib.Path(word).name)[1]
        for place in (self.libraries / "lib", self.target.libraries):
            if (place / f"lib{name}.a").exists():
                return place / f"lib{name}.a"
        sys.exit(f"link.py: there is no archive of {word}; packaging/libraries makes those that Debian does not have")

    def words_for(self, words):
        words = [w for w in words if "libastcenc" not in w]
        system = str(self.target.system / "usr/lib")
        return [self.archive_of(w) if w.startswith(f"{system}/") and ".so" in w else w for w in words]

    def link(self, name, words, place, left_out=()):
        """One program or library, with its map; without the words `left_out`."""
        output = self.folder / place
        output.parent.mkdir(parents=True, exist_ok=True)
        closed = [w for w in self.closed if w not in left_out]
        run([*words, self.shims, *closed, f"-Wl,-Map={self.maps / name}.map", "-ldl", "-lrt", "-lm", "-o", output], cwd=self.build)
        return output

    def link_target(self, target, place):
        words = self.words_for(self.command(target))
        if target in SHOWN:
            script = self.maps / f"{target}.script"
            script.write_text(f"{{ global: {SHOWN[target]}; local: *; }};\n")
            words.append(f"-Wl,--version-script={script}")
        if place.startswith("bin/"):  # the objects' own says where Debian's packages have the modules
            words.append("-Wl,-rpath,$ORIGIN/../lib/heddle")
        return self.link(target, words, place)

    def link_all(self):
        self.bundle_astc()
        for target, place in TARGETS.items():
            self.link_target(target, place)
        self.link_library()

    def bundle_astc(self):
        """Debian has no archive of libastcenc, which is opened when an ASTC image comes: its own library, with the few
        functions that it takes from libstdc++ and libgcc_s in one beside it, because an older system's do not have them all."""
        library = (self.target.libraries / "libastcenc.so").resolve()
        (self.folder / "lib/heddle").mkdir(parents=True, exist_ok=True)
        versions = {}
        for line in run(["nm", "-D", "--undefined-only", "--with-symbol-versions", library]).splitlines():
            if match := re.match(r" *[Uw] (\w+)@((?:GLIBCXX|CXXABI|GCC)_[\d.]+)$", line):
                versions.setdefault(match[2], []).append(match[1])
        script = self.maps / "runtime.script"
        script.write_text("".join(f"{v} {{ global: {'; '.join(s)}; }};\n" for v, s in sorted(versions.items())) + "HEDDLE { local: *; };\n")
        wanted = [f"-Wl,-u,{s}" for symbols in versions.values() for s in symbols]
        # In the compiler's archive the unwinder is hidden.
        unwinder = self.maps / "libunwinder.a"
        run(["llvm-objcopy-19", "--set-symbol-visibility=_Unwind_Resume=default", self.libraries / "unwinder/libgcc_eh.a", unwinder])
        root = [w for w in self.closed if w not in ("-Wl,--exclude-libs,ALL", "-Wl,--as-needed")]
        run(["clang++-19", "-shared", f"-Wl,--version-script={script}", f"-Wl,-soname,{RUNTIME}", "-Wl,-z,nodelete", *wanted,
             self.shims, unwinder, *root, f"-Wl,-Map={self.maps / 'runtime'}.map", "-o", self.folder / "lib/heddle" / RUNTIME])  # fmt: skip
        output = self.folder / "lib/heddle" / ASTC
        shutil.copyfile(library, output)
        output.chmod(0o755)
        for words in (["--set-soname", ASTC], ["--set-rpath", "$ORIGIN"], ["--replace-needed", "libstdc++.so.6", RUNTIME],
                      ["--replace-needed", "libgcc_s.so.1", RUNTIME]):  # fmt: skip
            run(["patchelf", *words, output])
        return output

    def link_library(self):
        """libheddle.so: all of the library; only its public functions can be seen. They come from archives, so the script alone
        hides the others: --exclude-libs would hide these, too. The compiler is in the folder heddle, or, in a wheel, beside it."""
        words = self.words_for(self.command("heddle_python"))
        archives = [w for w in words if str(w).endswith((".a", ".so")) or str(w).startswith("-l")]
        doors = [self.build / "src/library" / f"libheddle-{door}.a" for door in DOORS]
        symbols = set()
        for line in run(["nm", "--defined-only", "--extern-only", *doors]).splitlines():
            field = line.split()
            if len(field) == 3 and re.match(r"_Z(TI|TS|TV|N[VKO]*|NK)?6?heddle|_Z(TI|TS|TV)?N[VKO]*6heddle", field[2]):
                symbols.add(field[2])
        script = self.maps / "libheddle.script"
        script.write_text("{ global:\n" + "".join(f"  {s};\n" for s in sorted(symbols)) + "local: *; };\n")
        return self.link("libheddle", [
            "clang++-19", "-shared", f"-Wl,--version-script={script}", "-Wl,-soname,libheddle.so", "-Wl,-z,nodelete", "-Wl,-z,defs",
            "-Wl,-rpath,$ORIGIN/heddle:$ORIGIN", *[f"-Wl,-u,{s}" for s in sorted(symbols)], *archives,
        ], "lib/libheddle.so", left_out=["-Wl,--exclude-libs,ALL"])  # fmt: skip


def main():
    Linker(*sys.argv[1:4]).link_all()


if __name__ == "__main__":
    main()
