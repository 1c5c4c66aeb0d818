// SPDX-License-Identifier: MIT
// heddle run --check warn: reports name the lines that a shader was written on.
// Rules: SPV-36, run-surface-bounds, run-race.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/process.hpp"

namespace fs = std::filesystem;
using heddle::test::have_program;
using heddle::test::Outcome;
using heddle::test::write_text;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

const std::string kProgram = fs::absolute(HEDDLE_PROGRAM).string();

const char* kShader =
    "#version 450\n"
    "layout(local_size_x = 16) in;\n"
    "layout(binding = 0) buffer A { float x[]; } a;\n"
    "layout(binding = 1) buffer B { uint y[]; } b;\n"
    "float far(uint i) {\n"
    "  return a.x[i + 8];\n"  // 6
    "}\n"
    "void main() {\n"
    "  uint i = gl_LocalInvocationID.x;\n"
    "  if (i == 0) b.y[0] += 2;\n"  // 10
    "  a.x[i] = far(i);\n"          // 11
    "}\n";

class Checks : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!have_program("glslangValidator")) GTEST_SKIP() << "glslangValidator is not installed";
    shader_ = (folder_ / "far.comp").string();
    write_text(shader_, kShader);
  }
  Outcome run(const std::string& program, std::vector<std::string> more = {}) const {
    std::vector<std::string> words{kProgram,   "run",     program,    "--check", "warn",      "--buffer", "a=f32:16",
                                   "--buffer", "b=u32:4", "--groups", "2",       "--threads", "1"};
    words.insert(words.end(), more.begin(), more.end());
    return heddle::test::run(words);
  }
  heddle::test::TemporaryFolder folder_;
  std::string shader_;
};

TEST_F(Checks, GlslIsNamedByItsLines) {
  const Outcome o = run(shader_);
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_THAT(o.err, HasSubstr(shader_ + ":6: warning: 4 bytes at offset 0x40 lie outside"));
  EXPECT_THAT(o.err, HasSubstr("invocation (8, 0, 0): (8, 0, 0) of workgroup (0, 0, 0)"));
  EXPECT_THAT(o.err, HasSubstr("  return a.x[i + 8];"));
  EXPECT_THAT(o.err, Not(HasSubstr(".visaasm")));
}

TEST_F(Checks, ARaceNamesBothPlaces) {
  const Outcome o = run(shader_);
  EXPECT_THAT(o.err, HasSubstr(shader_ + ":10: warning: "));
  EXPECT_THAT(o.err, HasSubstr(shader_ + ":10: note: the other access: write, invocation (0, 0, 0)"));
  EXPECT_THAT(o.err, HasSubstr("[run-race]"));
}

TEST_F(Checks, KeepNamesTheCompiledLinesToo) {
  const std::string kept = (folder_ / "kept.visaasm").string();
  const Outcome o = run(shader_, {"--keep", kept});
  EXPECT_THAT(o.err, HasSubstr(shader_ + ":6: warning"));
  EXPECT_THAT(o.err, HasSubstr(kept + ":"));
  EXPECT_THAT(o.err, HasSubstr("note: in the program that it was compiled to"));
  // A text is its own source; a container is not read by anyone.
  const Outcome text = run(kept);
  EXPECT_THAT(text.err, HasSubstr(kept + ":"));
  EXPECT_THAT(text.err, Not(HasSubstr(shader_ + ":6: warning")));
  const std::string binary = (folder_ / "kept.isa").string();
  ASSERT_EQ(heddle::test::run({kProgram, "as", kept, "-o", binary}).exit_code, 0);
  EXPECT_THAT(run(binary).err, HasSubstr(shader_ + ":6: warning"));
}

TEST_F(Checks, DebugLinesOfNonSemanticInformation) {
  const std::string spv = (folder_ / "far.spv").string();
  const Outcome made = heddle::test::run({"glslangValidator", "-V", "-gVS", "-o", spv, shader_});
  if (made.exit_code != 0) GTEST_SKIP() << "this glslangValidator has no -gVS";
  EXPECT_THAT(run(spv).err, HasSubstr("far.comp:6: warning: 4 bytes at offset 0x40"));
}

TEST_F(Checks, AnAssemblyIsItsOwnSource) {
  if (!have_program("spirv-dis")) GTEST_SKIP() << "spirv-dis is not installed";
  const std::string spv = (folder_ / "far.spv").string(), text = (folder_ / "far.spvasm").string();
  ASSERT_EQ(heddle::test::run({"glslangValidator", "-V", "-o", spv, shader_}).exit_code, 0);
  ASSERT_EQ(heddle::test::run({"spirv-dis", spv, "-o", text}).exit_code, 0);
  const Outcome o = run(text);
  EXPECT_THAT(o.err, HasSubstr(text + ":"));
  EXPECT_THAT(o.err, HasSubstr("OpLoad"));
}

}  // namespace
