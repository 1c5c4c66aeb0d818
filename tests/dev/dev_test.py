#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The script ./dev, in a folder of its own where every program that it calls is a stand-in that writes its words to a log."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

STAND_IN = """#!/bin/sh
echo "${0##*/} $*" >>"$LOG"
"""
# Answers as a program of GoogleTest does, and makes a note of what it was started with.
TEST_PROGRAM = """#!/bin/sh
case "$*" in
  *--gtest_list_tests*Gathr*) exit 0 ;;
  *--gtest_list_tests*) printf 'Gather.\\n  Order\\nSample.\\n  Lod\\n'; exit 0 ;;
esac
echo "${0##*/} $*" >>"$LOG"
echo "cache $HEDDLE_CACHE_DIR" >>"$LOG"
for process in /proc/[0-9]*; do
  read -r number _ _ parent _ <"$process/stat" 2>/dev/null || continue
  [ "$parent" != "$PPID" ] || [ "$number" = $$ ] || echo "beside $number" >>"$LOG"
done
echo "the program's own output"
"""
# Makes a socket at its first word, and waits.
LISTENER = """exec python3 -c 'import socket, sys, time; socket.socket(socket.AF_UNIX).bind(sys.argv[1]); time.sleep(60)' "$1"
"""


def runs(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().split()[2] not in "ZX"
    except OSError:
        return False


class Dev(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="heddle-dev-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.log = self.folder / "log"
        for name in ("dev", "CMakePresets.json"):
            shutil.copy(ROOT / name, self.folder / name)
        for test in ("texture/gather_test.cpp", "job/runs_test.cpp", "peers/vulkan/sample_test.cpp", "vulkan/stress/stress_test.cpp"):
            self.write(f"tests/{test}", "")
        self.write("tests/fuzz/texture_simd.cpp", "")
        for program in ("texture", "job", "peers_vulkan"):
            self.write(f"build/dev/tests/test_{program}", TEST_PROGRAM)
        self.write("build/dev/examples/make_textures", STAND_IN)
        for program in ("apt-get", "cmake", "ctest", "clang-format-19", "git", "nproc", "sleep"):
            self.stand_in(program)
        self.stand_in("dpkg-query", "echo 'install ok installed'\n")
        self.stand_in("nproc", "echo 7\n")
        self.stand_in("sudo", 'exec "$@"\n')

    def write(self, path, text):
        path = self.folder / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def stand_in(self, program, more=""):
        self.write(f"bin/{program}", STAND_IN + more)

    def dev(self, *words, exit_code=0):
        self.log.write_text("")
        environment = dict(os.environ, PATH=f"{self.folder}/bin:{os.environ['PATH']}", LOG=str(self.log))
        for name in ("MANPATH", "PYTHONPATH", "HEDDLE_CACHE_DIR"):
            environment.pop(name, None)
        result = subprocess.run([str(self.folder / "dev"), *words], env=environment, stdin=subprocess.DEVNULL,
                                capture_output=True, text=True, timeout=120)
        self.assertEqual(result.returncode, exit_code, result.stdout + result.stderr)
        return result

    def logged(self, program):
        return [line for line in self.log.read_text().splitlines() if line.split()[0] == program]

    def test_help_lists_every_preset(self):
        presets = json.loads((ROOT / "CMakePresets.json").read_text())
        text = self.dev("help").stdout
        for preset in presets["buildPresets"]:
            words = next(row["displayName"] for row in presets["configurePresets"] if row["name"] == preset["name"])
            self.assertRegex(text, rf"\n  {preset['name']} +{words.replace('+', '[+]')}\n")
        self.assertEqual(text, self.dev().stdout)
        for words in (["package", "--help"], ["test", "-h"], ["build", "--help"]):
            self.assertEqual(text, self.dev(*words).stdout)
            self.assertEqual(self.log.read_text(), "")

    def test_mistyped_words(self):
        for words, expected in (
            (["biuld"], "there is no command 'biuld'; did you mean 'build'?"),
            (["build", "relase"], "there is no preset 'relase'; did you mean 'release'?"),
            (["test", "--sanitise"], "unknown option '--sanitise' of test; did you mean '--sanitize'?"),
            (["test", "textrue"], "there is no test program 'textrue'; did you mean 'texture'?"),
            (["test", "stress"], "there is no test program 'stress'; did you mean 'vulkan/stress'?"),
            (["test", "texture", "A", "B"], "'B' is one word too many"),
            (["test", "-R"], "-R needs a regular expression"),
            (["fuzz", "texture_sim"], "there is no fuzz target 'texture_sim'; did you mean 'texture_simd'?"),
            (["fuzz", "texture_simd", "1m"], "'1m' is no number of seconds"),
            (["fuzz", "texture_simd", "5", "x"], "'x' is one word too many"),
        ):
            self.assertIn(expected, self.dev(*words, exit_code=2).stderr)
        far = self.dev("xylophone", exit_code=2).stderr
        self.assertNotIn("did you mean", far)
        self.assertIn("usage:", far)

    def test_one_fuzz_target_is_built_alone(self):
        self.dev("fuzz", "texture_sim", exit_code=2)
        self.assertEqual(self.logged("cmake"), [])
        self.write("build/fuzz/tests/fuzz/fuzz_texture_simd", TEST_PROGRAM)
        self.dev("fuzz", "texture_simd", "7")
        self.assertEqual(self.logged("cmake")[-1].split()[:5], ["cmake", "--build", "--preset", "fuzz", "--target=fuzz_texture_simd"])
        self.assertIn("-max_total_time=7", self.logged("fuzz_texture_simd")[0])

    def test_one_program_with_a_filter(self):
        result = self.dev("test", "texture", "Gather*")
        self.assertIn("the program's own output", result.stdout)
        self.assertEqual(self.logged("cmake")[-1].split()[:5], ["cmake", "--build", "--preset", "dev", "--target=test_texture"])
        self.assertEqual(self.logged("test_texture"), ["test_texture --gtest_filter=Gather*"])
        self.assertEqual(self.logged("cache"), [f"cache {self.folder}/build/dev/kernels"])
        self.assertEqual(self.logged("ctest") + self.logged("clang-format-19"), [])

    def test_one_program_by_its_other_names(self):
        for name in ("peers/vulkan", "tests/peers/vulkan", "test_peers_vulkan"):
            self.dev("test", name)
            self.assertEqual(self.logged("test_peers_vulkan"), ["test_peers_vulkan --gtest_filter=*"])

    def test_programs_for_arm64(self):
        for script in ("cmake/arm64-root", "cmake/run-arm64"):
            self.write(script, STAND_IN + ('exec "$@"\n' if "run" in script else ""))
        self.write("build/arm64/tests/test_texture", TEST_PROGRAM)
        self.write("build/dev/tests/heddle_emulated_compiler", STAND_IN + LISTENER)
        self.dev("test", "--arm64", "texture", "Gather*")
        (root,) = self.logged("arm64-root")
        self.assertEqual(root.split()[1], "build/arm64-root")
        self.assertIn("libc6-dev", root.split())
        targets = [line.split()[3:6] for line in self.logged("cmake") if "--build" in line]
        self.assertEqual(targets[0], ["arm64", "--target=test_texture", "--target=heddle_jit_elsewhere"])
        self.assertEqual(targets[1][:2], ["dev", "--target=heddle_emulated_compiler"])
        (compiler,) = self.logged("heddle_emulated_compiler")
        self.assertEqual(compiler.split()[2], "build/arm64/src/engine/kernels_arm64.bc")
        self.assertFalse(os.path.exists(compiler.split()[1]))  # it ended with ./dev
        self.assertEqual(self.logged("run-arm64")[-1], "run-arm64 build/arm64/tests/test_texture --gtest_filter=Gather*")
        self.assertEqual(self.logged("test_texture"), ["test_texture --gtest_filter=Gather*"])
        self.assertRegex(self.dev("test", "--arm64").stderr, "qemu run base image .* layer/rewriter: some 20 minutes of processor time")
        self.assertRegex(self.logged("run-arm64")[-1], r"^run-arm64 ctest --test-dir build/arm64 .* -R \^\(base\|.*\|bits/arm64\|.*\)\(/part-\[0-9\]\+\)\?\$$")
        (built,) = [line.split() for line in self.logged("cmake") if "--target=test_base" in line]
        for target in ("test_base", "test_compile", "test_vulkan_texels", "vulkan_terrain", "heddle_jit_elsewhere"):
            self.assertIn(f"--target={target}", built)
        self.assertIn("qemu run all tests that need no other programs: about an hour", self.dev("test", "--arm64", "--all").stderr)
        self.assertRegex(self.logged("run-arm64")[-1], "^run-arm64 ctest --test-dir build/arm64 ")
        self.assertNotIn(" -R ", self.logged("run-arm64")[-1])
        (*_, everything) = [line for line in self.logged("cmake") if "--build --preset arm64" in line]
        self.assertNotIn("--target", everything)

    def test_without_qemu_it_says_what_is_missing(self):
        self.write("cmake/run-arm64", (ROOT / "cmake/run-arm64").read_text())
        (self.folder / "only").mkdir()
        for program in ("env", "bash", "dirname", "realpath"):
            (self.folder / "only" / program).symlink_to(shutil.which(program))
        result = subprocess.run([str(self.folder / "cmake/run-arm64"), "true"], env={"PATH": f"{self.folder}/only"}, capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stderr), (1, "run-arm64: qemu-aarch64 is missing (Debian: qemu-user)\n"))
        # ./dev gets it from Debian, or ends with what apt says.
        self.stand_in("dpkg-query", 'case "$*" in *qemu-user) exit 1 ;; esac\necho "install ok installed"\n')
        self.stand_in("apt-get", 'case "$*" in *install*) echo "E: Unable to locate package qemu-user"; exit 100 ;; esac\n')
        error = self.dev("test", "--arm64", "texture", exit_code=1).stderr
        self.assertIn("installing: qemu-user\n", error)
        self.assertIn("E: Unable to locate package qemu-user", error)
        self.assertEqual(self.logged("cmake"), [])

    def test_instructions_on_arm64(self):
        for script in ("cmake/arm64-root", "cmake/run-arm64"):
            self.write(script, STAND_IN)
        self.stand_in("clang-19")
        self.dev("bench", "quick", "--arm64", "--filter", "frame")
        self.assertIn("--target=bench_quick", self.logged("cmake")[-1])
        self.assertIn("bench/quick/qemu_count.c", self.logged("clang-19")[-1])
        self.assertEqual(self.logged("run-arm64"), ["run-arm64 build/arm64/bench/bench_quick --plugin "
                                                    f"{self.folder}/build/arm64/bench/qemu_count.so --filter frame"])
        self.assertIn("--arm64 is for './dev bench quick'", self.dev("bench", "peers", "--arm64", exit_code=2).stderr)

    def test_bench_is_built_for_continuous_integration(self):
        self.dev("bench", "--build")
        self.assertIn("--preset dev -DHEDDLE_BENCH=ON", "\n".join(self.logged("cmake")))
        self.assertIn("--target=benchmarks", self.logged("cmake")[-2])
        self.assertIn("-DHEDDLE_BENCH=OFF", self.logged("cmake")[-1])
        self.assertIn("leave 'peers' out", self.dev("bench", "--build", "peers", exit_code=2).stderr)

    def test_packages_do_not_follow_the_clock_or_the_umask(self):
        self.write("packaging/libraries", STAND_IN)
        self.write("packaging/archive.py", "import os\nopen(os.environ['LOG'], 'a').write(f\"archive.py {os.environ['SOURCE_DATE_EPOCH']}\\n\")\n")
        self.write("build/package/packages/one.deb", "")
        self.stand_in("cpack", 'echo "made at $SOURCE_DATE_EPOCH with $(umask)" >>"$LOG"\n')
        self.stand_in("git", "echo 1700000000\n")
        before = os.umask(0o077)
        self.addCleanup(os.umask, before)
        self.dev("package")
        self.assertEqual(self.logged("made"), ["made at 1700000000 with 0022"])
        self.assertEqual(self.logged("archive.py"), ["archive.py 1700000000"])
        self.assertIn("git log -1 --format=%ct", self.logged("git"))

    def test_the_archive_of_arm64(self):
        for script in ("cmake/arm64-root", "packaging/libraries", "packaging/try-arm64", "packaging/try-node"):
            self.write(script, STAND_IN)
        self.write("packaging/archive.py", "import os, sys\nopen(os.environ['LOG'], 'a').write('archive.py ' + ' '.join(sys.argv[1:]) + '\\n')\n")
        self.dev("package", "--arm64")
        self.assertEqual(len(self.logged("arm64-root")), 1)
        self.assertIn(["cmake", "--build", "--preset", "packagearm64"], [line.split()[:4] for line in self.logged("cmake")])
        self.assertEqual(self.logged("libraries"), ["libraries build/libraries-aarch64 aarch64"])
        self.assertEqual(self.logged("archive.py"), ["archive.py build/packagearm64 build/libraries-aarch64 build/packagearm64/archive"])
        self.assertEqual(self.logged("try-arm64") + self.logged("try-node"), [])
        self.dev("package", "--arm64", "--check")
        self.assertEqual(self.logged("try-arm64"), ["try-arm64 build/packagearm64/archive/heddle-*-linux-aarch64.tar.xz build/libraries-aarch64"])
        self.assertEqual(self.logged("try-node"), ["try-node build/packagearm64/archive/heddle-webgpu-arm64-*.tgz build/libraries-aarch64/node"])

    def test_textures_are_drawn_for_examples(self):
        self.dev("test", "job")
        self.assertIn("--target=make_textures", self.logged("cmake")[-1])
        self.assertEqual(self.logged("make_textures"), ["make_textures examples/textures"])

    def test_a_filter_that_matches_nothing(self):
        message = self.dev("test", "texture", "Gathr.*", exit_code=2).stderr
        self.assertIn("no test of 'texture' matches 'Gathr.*'; did you mean 'Gather'?", message)
        self.assertEqual(self.logged("test_texture"), [])

    def test_every_processor_works(self):
        self.dev("test")
        self.assertIn(" -j7 ", self.logged("ctest")[0])
        self.assertNotRegex((ROOT / "dev").read_text(), r"-[jP] ?[0-9]")

    def test_the_time_at_the_end(self):
        self.stand_in("cmake", "/bin/sleep 2\n")
        self.assertRegex(self.dev("build", "dev", "heddle").stderr, r"dev: build took 0 min [2-9] s\n$")
        self.assertNotIn("took", self.dev("help").stderr)

    def test_busy_processes_end(self):
        self.dev("test", "--loaded", "texture")
        busy = [line.split()[1] for line in self.logged("beside")]
        self.assertEqual(len(busy), 20)
        end = time.monotonic() + 60
        while any(runs(number) for number in busy):
            self.assertLess(time.monotonic(), end, "the busy processes go on")
            time.sleep(0.1)

    def test_another_apt_is_waited_for(self):
        self.stand_in("dpkg-query", "exit 1\n")
        self.stand_in("apt-get", 'case "$*" in *update*) [ "$(grep -c "^apt-get update" "$LOG")" -ge 3 ] || '
                                 '{ echo "E: Could not get lock /var/lib/apt/lists/lock" >&2; exit 100; } ;; esac\n')
        message = self.dev("fuzz").stderr
        self.assertEqual(message.count("waiting for another apt to end"), 1)
        self.assertEqual(self.logged("sleep"), ["sleep 5", "sleep 5"])
        install = self.logged("apt-get")[-1]
        self.assertIn("-o DPkg::Lock::Timeout=600 install", install)
        self.assertIn("clang-19", install)

    def test_lists_that_cannot_be_read_are_not_waited_for(self):
        self.stand_in("dpkg-query", "exit 1\n")
        self.stand_in("apt-get", 'case "$*" in *update*) echo "E: Temporary failure resolving" >&2; exit 100 ;; esac\n')
        self.assertNotIn("waiting", self.dev("fuzz").stderr)
        self.assertEqual(self.logged("sleep"), [])

    def test_a_package_that_cannot_be_installed(self):
        self.stand_in("dpkg-query", "exit 1\n")
        self.stand_in("apt-get", 'case "$*" in *install*) echo "E: Unable to locate package" ; exit 100 ;; esac\n')
        self.assertIn("E: Unable to locate package", self.dev("fuzz", exit_code=1).stderr)
        self.assertEqual(self.logged("cmake"), [])

    def test_run_says_where_the_program_is(self):
        self.write("examples/run-gallery", STAND_IN)
        said = self.dev("run").stdout
        self.assertIn("the program: build/dev/src/tools/heddle ('./dev shell' finds it as heddle; or: export PATH=", said)
        self.assertEqual(self.logged("run-gallery"), [f"run-gallery {self.folder}/build/dev/src/tools/heddle"])

    def test_shell(self):
        self.assertIn("nothing is built yet", self.dev("shell", exit_code=1).stderr)
        self.write("build/dev/src/tools/heddle", '#!/bin/sh\necho "heddle 0.1.0"\n')
        find = ("sh", "-c", "command -v heddle; echo $MANPATH; echo ${PYTHONPATH-none}")
        tools = f"{self.folder}/build/dev/src/tools"
        self.assertEqual(self.dev("shell", *find).stdout.splitlines(), [f"{tools}/heddle", f"{tools}/pages:", "none"])
        self.write("build/dev/python/heddle/_heddle.so", "")
        self.assertEqual(self.dev("shell", *find).stdout.splitlines()[2], f"{self.folder}/build/dev/python")
        self.dev("shell", "sh", "-c", "exit 3", exit_code=3)


if __name__ == "__main__":
    sys.exit(unittest.main())
