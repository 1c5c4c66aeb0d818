// SPDX-License-Identifier: MIT
// Messages by their ids, each provoked from the command line or by a line of heddle batch.

#include <gtest/gtest.h>

#include <filesystem>

#include "support/process.hpp"

namespace fs = std::filesystem;

namespace heddle {
namespace {

const std::string kProgram = fs::absolute(HEDDLE_PROGRAM).string();
constexpr const char* kKernel =
    ".version 4.1\n.kernel \"k\"\n.decl V32 v_type=G type=ud num_elts=16 align=GRF\n.decl T6 v_type=T num_elts=1\n"
    "mov (M1, 16) V32(0,0)<1> 0x0:ud\nret (M1_NM, 1)\n";

/// Files, the command, and what must come of it.
struct Case {
  const char* id;
  int exit_code;
  std::vector<std::pair<const char*, const char*>> files;
  std::vector<std::string> command;
};

const Case kCases[] = {
    {"file-read", 3, {}, {"dis", "."}},
    {"dump-missing", 1, {{"empty/readme", ""}}, {"val", "empty"}},
    {"dump-kernels",
     1,
     {{"d/a.visaasm", ".version 4.1\n.kernel \"a\"\n    ret (M1_NM, 1)\n"},
      {"d/b.visaasm", ".version 4.1\n.kernel \"b\"\n    ret (M1_NM, 1)\n"}},
     {"run", "d"}},
    {"dump-platform", 1, {{"d/a.visaasm", ".version 4.1\n.kernel \"a\"\n    ret (M1_NM, 1)\n"}}, {"run", "d"}},
    {"file-read", 3, {}, {"val", "/dev/zero"}},
    {"job-engine", 0, {}, {"run", "k.visaasm", "--groups", "1", "--engine", "fast", "--check", "warn"}},
    {"mesh-format",
     1,
     {{"m.txt", "x"}, {"j.toml", "program = \"k.visaasm\"\n[pixels]\ngeometry = \"m.txt\"\n"}},
     {"run", "j.toml"}},
    {"usage-flag", 2, {}, {"run", "k.visaasm", "--groups", "1", "--buffer", "T6"}},
    {"zeinfo-syntax", 1, {{"z.yaml", "[kernels"}}, {"run", "k.visaasm", "--zeinfo", "z.yaml", "--groups", "1"}},
    {"zeinfo-value", 1, {{"z.isa", "CISA\4\1"}}, {"run", "k.visaasm", "--zeinfo", "z.isa", "--groups", "1"}},
    {"zeinfo-value",
     1,
     {{"d.visaasm",
       ".version 4.1\n.kernel \"k\"\n.decl a v_type=G type=ud num_elts=1\n.input a offset=32 size=4\n.kernel_attr "
       "OutputAsmPath=\"dump/OCL_asm12_simd16_entry_0001.asm\"\nret (M1_NM, 1)\n"}},
     {"run", "d.visaasm", "--groups", "1", "--arg", "factor=2"}},  // the C program's name: none of the dump's inputs
    {"bind-missing",
     1,
     {{"d.visaasm",
       ".version 4.1\n.kernel \"k\"\n.decl a v_type=G type=ud num_elts=1\n.decl b v_type=G type=ud num_elts=1\n.input "
       "a "
       "offset=32 size=4\n.input b offset=36 size=4\n.kernel_attr "
       "OutputAsmPath=\"dump/OCL_asm12_simd16_entry_0001.asm\"\nret (M1_NM, 1)\n"}},
     {"run", "d.visaasm", "--groups", "1", "--arg", "a=2"}},
    {"zeinfo-value",
     1,
     {{"z.yaml", "kernels:\n - name: other\n"}},
     {"run", "k.visaasm", "--zeinfo", "z.yaml", "--groups", "1"}},
};

TEST(Messages, OfCommandsHaveTheirIds) {
  for (const Case& c : kCases) {
    const test::TemporaryFolder folder;
    test::write_text(folder / "k.visaasm", kKernel);
    for (const auto& [name, text] : c.files) {
      std::filesystem::create_directories((folder / name).parent_path());
      test::write_text(folder / name, text);
    }
    std::vector<std::string> words{kProgram};
    words.insert(words.end(), c.command.begin(), c.command.end());
    const test::Outcome outcome = test::run(words, {}, folder.path());
    EXPECT_EQ(outcome.exit_code, c.exit_code) << c.id << "\n" << outcome.err;
    EXPECT_NE(outcome.err.find(std::string("[") + c.id + "]"), std::string::npos) << c.id << "\n" << outcome.err;
  }
}

TEST(Messages, OfBatchHaveTheirIds) {
  const std::pair<const char*, const char*> kLines[] = {
      {"batch-op", R"({"op":"frobnicate"})"},
      {"batch-missing", R"({"op":"sample"})"},
      {"batch-type", R"({"op":3})"},
      {"batch-key", R"({"op":"convert","from":"F","to":"HF","values":["00000000"],"valeus":1})"},
      {"batch-value", R"({"op":"ld","surface":{"type":"2d","format":"NONE","width":1,"height":1},"params":{}})"},
      {"state-size", R"({"op":"decode_state","struct":"SAMPLER_STATE","gen":"9","dwords":[0]})"},
  };
  for (const auto& [id, line] : kLines) {
    const test::Outcome outcome = test::run({kProgram, "batch", "-"}, std::string(line) + "\n");
    EXPECT_NE(outcome.out.find(std::string("\"id\":\"") + id + "\""), std::string::npos) << line << "\n" << outcome.out;
  }
}

/// Without glslangValidator in PATH a shader's text cannot be compiled.
TEST(Messages, GlslNeedsItsCompiler) {
  const test::TemporaryFolder folder;
  test::write_text(folder / "s.comp", "#version 450\nvoid main() {}\n");
  const test::Outcome outcome =
      test::run({"/usr/bin/env", "PATH=/nowhere", kProgram, "compile", (folder / "s.comp").string()});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find("[glsl-compiler]"), std::string::npos) << outcome.err;
}

/// The reader of standard output has gone: nothing is said and nothing is lost but the output; a file that is written
/// to it is an error.
TEST(Messages, AClosedPipe) {
  const std::string batch =
      "yes '{\"op\":\"convert\",\"from\":\"F\",\"to\":\"HF\",\"values\":[\"00000000\"]}' | head -20000 | " + kProgram +
      " batch - | head -1 >/dev/null; echo ${PIPESTATUS[2]}";
  const test::Outcome outcome = test::run({"/bin/bash", "-c", batch});
  EXPECT_EQ(outcome.err.find("file-pipe"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.out, "3\n");
}

}  // namespace
}  // namespace heddle
