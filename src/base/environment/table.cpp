// SPDX-License-Identifier: MIT
#include <algorithm>
#include <iterator>
#include <string>

#include <fmt/format.h>

#include "base/environment/environment.hpp"

namespace heddle::base {
namespace {

using enum VariableReader;
using enum VariableType;

constexpr EnvironmentVariable kTable[] = {
    {.name = "HEDDLE_CHECK",
     .reader = Driver,
     .type = Word,
     .takes = "off warn error",
     .standard = "off",
     .meaning = "the reference engine runs every shader and reports what it does wrong; with error, a process with "
                "findings ends with exit code 5",
     .otherwise = "warn"},
    {.name = "HEDDLE_CHECK_FORMAT",
     .reader = Driver,
     .type = Word,
     .takes = "text json",
     .standard = "text",
     .meaning =
         "how findings are written to standard error: as messages with the source line, or one JSON object a line",
     .otherwise = "text"},
    {.name = "HEDDLE_CHECK_MARK",
     .reader = Driver,
     .type = File,
     .takes = "the path of a file",
     .standard = "none",
     .meaning =
         "a file that gets a byte when a process has its first finding; heddle vulkan --check error sets it, and "
         "so knows of findings in the processes that a program starts"},
    {.name = "HEDDLE_TRACE",
     .reader = Driver,
     .type = Invocation,
     .takes = "X,Y,Z, X,Y or X: whole numbers",
     .standard = "nothing is traced",
     .meaning = "prints each instruction that the compute invocation with this global id executes, to standard error; "
                "where no dispatch had it, a process that ends by exit says so"},
    {.name = "HEDDLE_TIME_LIMIT",
     .reader = Driver,
     .type = Seconds,
     .takes = "a time from 0.001 to 100000000 seconds, such as 30, 500ms, 2min or 1h",
     .standard = "10 seconds",
     .meaning = "processor time that a submission may take without progress before its device is lost",
     .least = 0.001,
     .most = 1e8},
    {.name = "HEDDLE_DEVICE_MEMORY",
     .reader = Driver,
     .type = Bytes,
     .takes = "a size from 64KiB on, such as 2GiB, 512MiB, 4GB or a number of bytes",
     .standard = "what the machine has",
     .meaning = "the size of the memory heap that the driver offers",
     .least = 65536},
    {.name = "HEDDLE_CAPTURE",
     .reader = Driver,
     .type = Folder,
     .takes = "the path of a folder",
     .standard = "nothing is captured",
     .meaning = "every dispatch and draw is written there as a job file"},
    {.name = "HEDDLE_GOLDEN",
     .reader = Driver,
     .type = Folder,
     .takes = "the path of a folder",
     .standard = "no frames are recorded",
     .meaning = "frames that the program presents are written there, with their hashes; heddle golden sets it"},
    {.name = "HEDDLE_FRAME_PLAN",
     .reader = Driver,
     .type = Plan,
     .takes = "words: frames=0..9,20 shard=2/4 of=targets objects=a,b last=20",
     .standard = "all presented frames",
     .meaning = "which frames HEDDLE_GOLDEN writes: their numbers, every fourth from the second on, render targets, "
                "or images and buffers of these names, in place of what is presented; the process ends behind the "
                "frame `last`. HEDDLE_CAPTURE writes the "
                "commands of these frames, counted by what is presented",
     .former = "HEDDLE_GOLDEN_PLAN"},
    {.name = "HEDDLE_VECTORS",
     .reader = Everything,
     .type = Word,
     .takes = "all v2 v3 v4",
     .standard = "all",
     .meaning = "the newest level of x86-64 whose vector instructions are used, also where the processor has more; v2 "
                "has no fast engine. Results are the same with any of them",
     .otherwise = "all"},
    {.name = "HEDDLE_TEXELS",
     .reader = Driver,
     .type = Folder,
     .takes = "the path of a folder",
     .standard = "nothing is counted",
     .meaning = "how often each texel of each image was read and written, by what, is written there when the process "
                "ends (docs/texels.md)"},
    {.name = "HEDDLE_TEXELS_BY",
     .reader = Driver,
     .type = Word,
     .takes = "frame draw",
     .standard = "frame",
     .meaning = "of HEDDLE_TEXELS: what has counts of its own, a frame or each command",
     .otherwise = "frame"},
    {.name = "HEDDLE_INTERPRET",
     .reader = Everything,
     .type = Word,
     .takes = "off on",
     .standard = "on",
     .meaning =
         "whether programs that have run little are interpreted, until compiling them is worth it; with off they "
         "are compiled before they run. Results are the same",
     .otherwise = "on"},
    {.name = "HEDDLE_CACHE_DIR",
     .reader = Everything,
     .type = Cache,
     .takes = "the path of a folder; set to nothing: no cache",
     .standard = "heddle/kernels in the user's cache folder",
     .meaning = "where compiled kernels and shaders are kept"},
    {.name = "XDG_CACHE_HOME",
     .reader = Everything,
     .takes = "an absolute path; another is passed over, as the XDG specification says",
     .standard = "~/.cache",
     .meaning = "the user's cache folder"},
    {.name = "HOME",
     .reader = Everything,
     .takes = "an absolute path; another is passed over",
     .standard = "no cache, where HEDDLE_CACHE_DIR and XDG_CACHE_HOME are not set either",
     .meaning = "the user's home: ~"},
    {.name = "NO_COLOR",
     .reader = Program,
     .takes = "any text but none",
     .standard = "colors on a terminal",
     .meaning = "messages have no colors"},
    {.name = "CLICOLOR_FORCE",
     .reader = Program,
     .takes = "any text but none and 0",
     .standard = "colors on a terminal",
     .meaning = "messages have colors also where they go to a file or a pipe; NO_COLOR outweighs it"},
    {.name = "MESA_LOADER_DRIVER_OVERRIDE",
     .reader = Program,
     .takes = "the name of one of Mesa's drivers",
     .standard = "Mesa chooses",
     .meaning = "with zink (OpenGL over Vulkan) heddle vulkan sets LIBGL_ALWAYS_SOFTWARE=1 where it is not set, which "
                "X servers without a GPU, such as Xvfb, need"},
    {.name = "HEDDLE_CONFORMANCE_VERSION",
     .reader = Driver,
     .type = Word,
     .takes = "none 1.0 1.1 1.2 1.3 1.4",
     .standard = "none",
     .meaning = "the version of Khronos's tests that the driver says it passed (conformanceVersion). It was never "
                "submitted, so that only none is true; but programs on wgpu, such as Deno, do not see a driver that "
                "says so, and see it with 1.4",
     .otherwise = "none"},

    {.name = "HEDDLE_PROGRAM",
     .reader = Python,
     .takes = "the path of the program heddle",
     .standard = "heddle on the PATH",
     .meaning = "what heddle.explore starts, and heddle.distributed on each worker; tests: the program that is tried"},
    {.name = "HEDDLE_BUILD",
     .reader = Python,
     .takes = "the path of a folder; a relative one is below the project's",
     .standard = "build/release",
     .meaning = "where pip install ./python builds, or finds what is built"},

    {.name = "HEDDLE_COMPILER_SOCKET",
     .takes = "the path of a socket",
     .meaning = "who compiles for programs that an emulator runs (tests/emulated)"},
    {.name = "HEDDLE_TEST_ALL", .takes = "anything", .meaning = "the slow sweeps run too (./dev test --all)"},
    {.name = "HEDDLE_FRAMES",
     .takes = "numbers between commas",
     .meaning = "frames that the catcher of tests/clients copies"},
    {.name = "HEDDLE_FRAME_FOLDER", .takes = "the path of a folder", .meaning = "where the catcher writes them"},
    {.name = "HEDDLE_FRAME_STOPS", .takes = "anything", .meaning = "the catcher stands still behind each frame"},
    {.name = "HEDDLE_TEST_CLIENTS",
     .takes = "anything",
     .meaning = "the clients that take long run (./dev test --clients)"},
    {.name = "HEDDLE_TEST_VALIDATION",
     .takes = "anything",
     .meaning =
         "tests of the driver run under Khronos's validation layer; above: those of the footprint layer below it"},
    {.name = "HEDDLE_TEST_CHECKS",
     .takes = "anything",
     .meaning = "tests of the driver listen to the sanitizer's findings"},
    {.name = "HEDDLE_TEST_SEED",
     .takes = "a number",
     .meaning = "the one seed of a random test of the driver or of shaders"},
    {.name = "HEDDLE_TEST_EXAMPLES", .takes = "a number", .meaning = "examples of each property test in Python (25)"},
    {.name = "HEDDLE_TEST_EXIT", .takes = "a word", .meaning = "how the child of a test of the driver ends"},
    {.name = "HEDDLE_TEST_PEER", .takes = "a manifest", .meaning = "another driver for one test of features"},
    {.name = "HEDDLE_TEST_VULKAN_DEVICE",
     .takes = "a part of a name",
     .meaning = "the device that tests beside peers use"},
    {.name = "HEDDLE_UPDATE_TABLES", .takes = "anything", .meaning = "tests write generated pages of docs/ anew"},
    {.name = "HEDDLE_UPDATE_GOLDEN",
     .takes = "anything",
     .meaning = "the test of compiled shaders writes tests/data/compile anew"},
    {.name = "HEDDLE_UPDATE_BITS", .takes = "anything", .meaning = "tests write the hashes of tests/data/bits anew"},
    {.name = "HEDDLE_RECORD", .takes = "anything", .meaning = "tests beside peers write their records anew"},
    {.name = "HEDDLE_GALLERY_THUMBNAILS",
     .takes = "a folder",
     .meaning = "where the test of the gallery leaves thumbnails"},
    {.name = "HEDDLE_MYPY_CACHE", .takes = "a folder", .meaning = "mypy's cache"},
    {.name = "HEDDLE_KEEP_SHADERS", .takes = "a folder", .meaning = "where tests of the compiler leave their shaders"},
    {.name = "HEDDLE_KEEP_MUTANTS", .takes = "a folder", .meaning = "where the test of mutated modules leaves them"},
    {.name = "HEDDLE_MUTANT", .takes = "a seed", .meaning = "one mutated module alone"},
    {.name = "HEDDLE_MUTANTS", .takes = "a number", .meaning = "how many mutated modules (300)"},
    {.name = "HEDDLE_FIRST_MUTANT", .takes = "a seed", .meaning = "the first of them (1)"},
    {.name = "HEDDLE_JIT_SEED", .takes = "a seed", .meaning = "one random program alone, printed"},
    {.name = "HEDDLE_JIT_FIRST", .takes = "a seed", .meaning = "the first random program"},
    {.name = "HEDDLE_JIT_LISTING", .takes = "anything", .meaning = "tests of the fast engine print the machine code"},
    {.name = "HEDDLE_SIMD_SEED", .takes = "a seed", .meaning = "one random case of the texture unit alone"},
    {.name = "HEDDLE_SIMD_CASES", .takes = "a number", .meaning = "how many random cases of the texture unit"},
    {.name = "HEDDLE_TRANSFER_SEED", .takes = "a seed", .meaning = "one random transfer alone"},
    {.name = "HEDDLE_STRESS", .takes = "a number", .meaning = "how many random command streams"},
    {.name = "HEDDLE_STRESS_SEED", .takes = "a seed", .meaning = "the first of them"},
    {.name = "HEDDLE_STRESS_PEER", .takes = "a manifest", .meaning = "another driver to which they are compared"},
    {.name = "HEDDLE_LAYER_LENIENT",
     .reader = Layer,
     .takes = "1 (or on, yes, true), or 0 (off, no, false)",
     .standard = "its shader is refused",
     .meaning = "a footprint that the layer cannot rewrite answers zero, with a warning"},
    {.name = "HEDDLE_LAYER_FORCE",
     .reader = Layer,
     .takes = "1 (or on, yes, true), or 0 (off, no, false)",
     .standard = "such devices keep their own",
     .meaning = "footprints are rewritten on devices that have the extension, too"},
    {.name = "HEDDLE_FRESH", .takes = "a name", .meaning = "the one OpenCL kernel that is written anew and compared"},
    {.name = "HEDDLE_FRESH_SEED", .takes = "a seed", .meaning = "of which seed it is written"},
    {.name = "HEDDLE_FRESH_FROM", .takes = "a folder", .meaning = "OpenCL kernels that are taken from there"},
    {.name = "HEDDLE_FRESH_KEEP", .takes = "a folder", .meaning = "where OpenCL kernels that differ are left"},
    {.name = "HEDDLE_BENCH_CORES",
     .takes = "a list of cores",
     .meaning = "set by the benchmark beside peers for its children"},
    {.name = "FUZZ_SEED", .takes = "a number", .meaning = "the seed of ./dev fuzz (1)"},
    {.name = "FUZZ_RUNS", .takes = "a number", .meaning = "inputs of each fuzz target in .ci/short-fuzz (3000)"},
};

constexpr std::size_t kRead = static_cast<std::size_t>(Variable::MesaDriver) + 1;
static_assert(kTable[static_cast<std::size_t>(Variable::Check)].name == "HEDDLE_CHECK");
static_assert(kTable[static_cast<std::size_t>(Variable::TimeLimit)].name == "HEDDLE_TIME_LIMIT");
static_assert(kTable[static_cast<std::size_t>(Variable::CacheFolder)].name == "HEDDLE_CACHE_DIR");
static_assert(kTable[kRead - 1].name == "MESA_LOADER_DRIVER_OVERRIDE");

constexpr std::string_view kIntroduction =
    "# Environment variables\n"
    "\n"
    "Everything that Heddle reads from the environment. The table in `src/base/environment/table.cpp` is its source:\n"
    "`HEDDLE_UPDATE_TABLES=1 build/dev/tests/test_base --gtest_filter='Environment.*'` writes it, a test compares.\n"
    "`man heddle` and `man heddle-vulkan` have the first parts too.\n"
    "\n"
    "A variable that is set to nothing is as if it were not set, where the table does not say otherwise.\n"
    "A value that a variable does not take is reported on standard error (`environment-value`), once, with what is "
    "taken\n"
    "in its place: a word is taken for the word that is nearest, whoever sets `HEDDLE_CHECK` to anything but a form "
    "of\n"
    "*no* gets checks, and a size or time that cannot be read leaves what holds without the variable.\n"
    "A name that looks like a mistyped one, or that a variable had before, is reported too (`environment-name`:\n"
    "`HEDDLE_CHEK`).\n"
    "So is a folder or file that cannot be made or written. `heddle vulkan` refuses to start the program in all\n"
    "these cases (exit code 2); `import heddle` in Python warns, C++ programs ask "
    "`heddle::environment_problems()`.\n"
    "\n"
    "Sizes take `KiB`, `MiB`, `GiB`, `TiB` (powers of 1024) and `kB`, `MB`, `GB`, `TB` (powers of 1000), times `us`,\n"
    "`ms`, `s`, `min`, `h`; plain numbers are bytes and seconds.\n";

constexpr std::string_view kOthers =
    "\n"
    "Beside these, libraries read their own: `VK_DRIVER_FILES` and `VK_ICD_FILENAMES` name the driver's manifest to\n"
    "Khronos's loader (`heddle vulkan` sets both), `DISPLAY` the X server to libxcb, `PATH` and `TMPDIR` say where\n"
    "`glslangValidator` is found and where its files are for the time that it runs.\n";

std::string takes(const EnvironmentVariable& row) {
  if (row.type != Word) return std::string(row.takes);
  std::string text;
  for (const char c : row.takes) text += c == ' ' ? std::string("`, `") : std::string(1, c);
  return "`" + text + "`";
}

std::string table(VariableReader reader, std::string_view heading) {
  const bool read = reader != Development;
  std::string text = fmt::format("\n## {}\n\n| variable | takes |{} meaning |\n|---|---|{}---|\n", heading,
                                 read ? " not set |" : "", read ? "---|" : "");
  for (const EnvironmentVariable& row : kTable) {
    if (row.reader != reader) continue;
    text += fmt::format("| `{}` | {} |", row.name, takes(row));
    if (read) text += fmt::format(" {} |", row.standard);
    text += fmt::format(" {} |\n", row.meaning);
  }
  return text;
}

}  // namespace

std::span<const EnvironmentVariable> environment_variables() { return kTable; }

const EnvironmentVariable& environment_variable(Variable variable) {
  return kTable[static_cast<std::size_t>(variable)];
}

std::string environment_page() {
  return std::string(kIntroduction) + table(Driver, "The Vulkan driver") +
         table(Everything, "Caches: the program, the library, the driver and the Python module") +
         table(Program, "The program") + table(Layer, "The footprint layer") + table(Python, "Python") +
         std::string(kOthers) + table(Development, "Tests and benchmarks of the repository");
}

}  // namespace heddle::base
