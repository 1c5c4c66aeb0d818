// SPDX-License-Identifier: MIT
// What the command line says of itself: help, man pages, completions. Every example of --help is run.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "support/process.hpp"

namespace fs = std::filesystem;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

namespace heddle::test {
namespace {

const std::string kProgram = fs::absolute(HEDDLE_PROGRAM).string();

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// The commands that --help lists.
std::vector<std::string> commands() {
  std::vector<std::string> names;
  bool listed = false;
  for (const std::string& line : lines_of(run({kProgram, "--help"}).out)) {
    if (line == "Subcommands:") {
      listed = true;
    } else if (line.empty()) {
      listed = false;
    } else if (listed && line.starts_with("  ") && line[2] != ' ') {
      names.push_back(line.substr(2, line.find(' ', 2) - 2));
    }
  }
  return names;
}

/// The lines under "Examples:" that begin with the program's name.
std::vector<std::string> examples(const std::string& help) {
  std::vector<std::string> found;
  for (const std::string& line : lines_of(help))
    if (line.starts_with("  heddle ")) found.push_back(line.substr(2));
  return found;
}

/// A program that presents frames; not there without the Vulkan driver.
const fs::path kPresenter = fs::path(kProgram).parent_path() / ".." / ".." / "tests" / "frame_presenter";

/// The files that the examples name.
void make_files(const fs::path& folder) {
  write_text(folder / "image.pfm", "Pf\n2 2\n-1.0\n" + std::string(16, '1'));
  ASSERT_EQ(run({kProgram, "sample", "image.pfm", "--grid", "16x16", "-o", "brick.png"}, {}, folder).exit_code, 0);
  fs::copy_file("examples/first.visaasm", folder / "kernel.visaasm");
  ASSERT_EQ(run({kProgram, "as", "kernel.visaasm", "-o", "kernel.isa"}, {}, folder).exit_code, 0);
  write_text(folder / "shader.frag", R"(#version 450
layout(binding = 0) uniform sampler2D brick;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
void main() { color = texture(brick, uv); }
)");
  write_text(folder / "shader.comp", R"(#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Data { float data[]; };
void main() { data[gl_GlobalInvocationID.x] *= 2.0; }
)");
  write_text(folder / "job.toml", R"(program = "kernel.visaasm"
[images.T6]
file = "brick.png"
[images.T7]
format = "rgba8"
size = [16, 16]
save = "out.png"
[samplers.S0]
filter = "nearest"
[pixels]
targets = ["T7"]
[pixels.inputs]
u = "uv.x"
v = "uv.y"
)");
  std::filesystem::copy(std::filesystem::absolute("tests/data/opencl-dump/dump"), folder / "dump");
  if (fs::exists(kPresenter)) fs::copy_file(kPresenter, folder / "program");
  fs::copy_file("tests/tools/fake_deqp.py", folder / "deqp");
  write_text(folder / "cases.txt", "dEQP-FAKE.a.pass_1\n");
  write_text(folder / "suite.toml", "[[deqp]]\ndeqp = \"./deqp\"\ncaselists = [\"cases.txt\"]\n");
  write_text(folder / "requests.jsonl",
             R"({"op": "tile_offset", "tile": "x", "bpe": 4, "pitch": 512, "u": 100, "v": 9})"
             "\n");
  const std::string
      load =
          R"({"op": "ld", "lanes": 1, "surface": {"type": "2d", "format": "R8_UINT", "width": 1, "height": 1, "data": [["05"]]}, "channels": "R"})"
          "\n",
      five = R"({"id": null, "channels": {"R": [5]}})"
             "\n";
  write_text(folder / "asked.jsonl", load);
  write_text(folder / "recorded.jsonl", five);
  write_text(folder / "both.jsonl", load + five);
}

/// It is a program of the machine at hand, which loads no driver for another.
bool runs_vulkaninfo() {
#if defined(HEDDLE_EMULATED)
  return false;
#else
  return have_program("vulkaninfo");
#endif
}

TEST(Help, EveryExampleWorks) {
  if (!have_program("glslangValidator")) GTEST_SKIP() << "glslangValidator is not installed";
  const TemporaryFolder folder;
  make_files(folder.path());
  for (const std::string& command : commands()) {
    const std::vector<std::string> list = examples(run({kProgram, "help", command}).out);
    EXPECT_FALSE(list.empty()) << command;
    for (const std::string& line : list) {
      if (command == "vulkan" && !runs_vulkaninfo()) continue;
      if (command == "golden" && !fs::exists(kPresenter)) continue;
      const Outcome o = run({"/bin/sh", "-c", "heddle() { '" + kProgram + "' \"$@\"; }; " + line}, {}, folder.path());
      EXPECT_EQ(o.exit_code, 0) << line << "\n" << o.err;
      EXPECT_FALSE(o.out.empty() && o.err.find("error") != std::string::npos) << line;
    }
  }
}

TEST(Help, AsCommands) {
  EXPECT_EQ(run({kProgram, "help"}).out, run({kProgram, "--help"}).out);
  EXPECT_EQ(run({kProgram, "help", "batch"}).out, run({kProgram, "batch", "--help"}).out);
  EXPECT_EQ(run({kProgram, "version"}).out, run({kProgram, "--version"}).out);
  EXPECT_EQ(run({kProgram, "version"}).exit_code, 0);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{kProgram, "help", "bach"}, {kProgram, "bach"}}) {
    EXPECT_EQ(run(words).exit_code, 2);
    EXPECT_THAT(run(words).err, HasSubstr("did you mean 'batch'"));
  }
}

// Examples first, limits with their defaults last.
TEST(Help, BeginsWithExamplesAndEndsWithLimits) {
  const std::string help = run({kProgram, "help", "run"}).out;
  EXPECT_LT(help.find("Examples:"), help.find("\nOptions:"));
  for (const char* heading : {"\nOptions:", "\nCompute:", "\nPixels:", "\nObservers:"})
    EXPECT_LT(help.find(heading), help.find("\nLimits:")) << heading;
  EXPECT_THAT(help, ContainsRegex("--max-surface N +bytes of one surface \\(default 2GiB\\)"));
  EXPECT_THAT(help, ContainsRegex("--max-steps N +instructions executed \\(default none\\)"));
  const std::string vulkan = run({kProgram, "help", "vulkan"}).out;
  EXPECT_THAT(vulkan, HasSubstr("heddle vulkan [OPTIONS] PROGRAM ARGS..."));
  // All that it refuses to start a program for, and what it reads itself.
  for (const char* name : {"HEDDLE_FRAME_PLAN", "HEDDLE_CACHE_DIR", "HEDDLE_VECTORS", "MESA_LOADER_DRIVER_OVERRIDE"})
    EXPECT_THAT(vulkan, HasSubstr(std::string("\n  ") + name + "\n"));
}

// A man page for each command, with every option of its --help.
TEST(Manual, HasEveryOption) {
  for (const std::string& command : commands()) {
    const std::string page = run({kProgram, "help", command, "--man"}).out;
    EXPECT_TRUE(page.starts_with(".TH HEDDLE-")) << command;
    EXPECT_THAT(page, HasSubstr(".SH EXAMPLES")) << command;
    for (const std::string& line : lines_of(run({kProgram, "help", command}).out)) {
      const auto dashes = line.find("--");
      if (!line.starts_with("  -") || dashes == std::string::npos) continue;
      std::string name = line.substr(dashes + 2, line.find_first_of(" ,", dashes) - dashes - 2);
      for (std::size_t at = 0; (at = name.find('-', at)) != std::string::npos; at += 2) name.insert(at, "\\");
      EXPECT_THAT(page, HasSubstr("\\-\\-" + name)) << command;
    }
  }
  EXPECT_THAT(run({kProgram, "help", "--man"}).out, HasSubstr(".BR heddle\\-run (1)"));
}

/// What bash offers for the last of the words.
std::string completed(const std::string& words, int at) {
  return run({"bash", "-c",
              "source <('" + kProgram + "' completion bash); COMP_WORDS=(" + words +
                  "); COMP_CWORD=" + std::to_string(at) + "; _heddle; echo \"${COMPREPLY[@]}\""})
      .out;
}

TEST(Completion, OfBash) {
  EXPECT_EQ(completed("heddle ru", 1), "run\n");
  EXPECT_EQ(completed("heddle run --engine ''", 3), "fast reference\n");
  EXPECT_EQ(completed("heddle run --max-se", 2), "--max-seconds\n");
  EXPECT_EQ(completed("heddle dis exampl", 2), "examples\n");
  // Words where a flag takes words, files where it takes a file, nothing where it takes anything else.
  EXPECT_EQ(completed("heddle val --platform DG", 3), "DG2\n");
  EXPECT_EQ(completed("heddle run --summary exampl", 3), "examples\n");
  EXPECT_EQ(completed("heddle compile -o exampl", 3), "examples\n");
  EXPECT_EQ(completed("heddle run --size exampl", 3), "\n");
  EXPECT_EQ(completed("heddle help vu", 2), "vulkan\n");
  // The shell takes '=' for a word of its own.
  EXPECT_EQ(completed("heddle run --engine = fa", 4), "fast\n");
  EXPECT_EQ(completed("heddle run --engine =", 3), "fast reference\n");
  EXPECT_EQ(completed("heddle val --platform = DG", 4), "DG2\n");
  EXPECT_EQ(completed("heddle run --image brick = exampl", 5), "examples\n");
  // Folders alone, and the words of arguments.
  EXPECT_EQ(completed("heddle golden check x --differences exampl", 5), "examples\n");
  EXPECT_EQ(completed("heddle golden check x --differences READ", 5), "\n");
  EXPECT_EQ(completed("heddle golden re", 2), "record\n");
  EXPECT_EQ(completed("heddle state de", 2), "decode\n");
  EXPECT_EQ(completed("heddle state decode CC_VIEW", 3), "CC_VIEWPORT\n");
  EXPECT_EQ(completed("heddle completion f", 2), "fish\n");
  EXPECT_EQ(completed("heddle sample --op sample_d_", 3), "sample_d_c\n");
  EXPECT_EQ(completed("heddle gather --channel ''", 3), "R G B A\n");
  EXPECT_THAT(completed("heddle val --target-env vulk", 3), HasSubstr("vulkan1.3"));
  EXPECT_THAT(completed("heddle vulkan bas", 2), HasSubstr("bash"));
  EXPECT_EQ(completed("heddle explain visa-sample4-ch", 2), "visa-sample4-channel\n");
  EXPECT_EQ(completed("heddle explain .dec", 2), ".decl\n");
  EXPECT_EQ(completed("heddle explain --refer", 2), "--reference\n");
  EXPECT_THAT(completed("heddle explain GA-", 2), HasSubstr("GA-4"));
  EXPECT_THAT(completed("heddle explain rt_w", 2), HasSubstr("rt_write"));
}

TEST(Completion, OfTheOtherShells) {
  const std::string fish = run({kProgram, "completion", "fish"}).out;
  for (const std::string& command : commands())
    EXPECT_THAT(fish, HasSubstr("-n __fish_use_subcommand -f -a " + command + " "));
  EXPECT_THAT(fish, HasSubstr("__fish_seen_subcommand_from golden' -a 'record check merge'"));
  EXPECT_THAT(fish, HasSubstr(" -l texels -x -a '(__fish_complete_directories)'"));
  EXPECT_THAT(run({kProgram, "completion", "zsh"}).out, HasSubstr("bashcompinit"));
  EXPECT_EQ(run({kProgram, "completion", "tcsh"}).exit_code, 2);
}

// "-" is standard output of pictures, too.
TEST(Help, PicturesToStandardOutput) {
  const TemporaryFolder folder;
  make_files(folder.path());
  const std::string png = "\x89PNG";
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"sample", "brick.png", "--grid", "4x4", "-o", "-"},
        {"footprint", "brick.png", "--uv", "0.4,0.6", "-o", "-"},
        {"run", "kernel.visaasm", "-q", "--image", "T6=brick.png", "--sampler", "S0=nearest", "--target",
         "T7=-.png:rgba8:8x8", "--input", "u=uv.x", "--input", "v=uv.y"}}) {
    std::vector<std::string> line{kProgram};
    line.insert(line.end(), words.begin(), words.end());
    const Outcome o = run(line, {}, folder.path());
    EXPECT_EQ(o.exit_code, 0) << words[0] << o.err;
    EXPECT_TRUE(o.out.starts_with(png)) << words[0];
  }
  EXPECT_FALSE(fs::exists(folder / "-.png"));
}

// Affinity counts, not the number of processors: nothing is asked of oneTBB that it cannot give.
TEST(Help, OneProcessorIsEnough) {
  if (!have_program("taskset")) GTEST_SKIP() << "taskset is not installed";
  const TemporaryFolder folder;
  make_files(folder.path());
  for (const char* threads : {"1", "4"}) {
    const Outcome o = run({"taskset", "-c", "0", kProgram, "run", "job.toml", "--threads", threads}, {}, folder.path());
    EXPECT_EQ(o.exit_code, 0);
    EXPECT_THAT(o.err, Not(HasSubstr("Warning")));
  }
  EXPECT_THAT(run({"taskset", "-c", "0", kProgram, "run", "job.toml"}, {}, folder.path()).err, HasSubstr("1 thread\n"));
}

}  // namespace
}  // namespace heddle::test
