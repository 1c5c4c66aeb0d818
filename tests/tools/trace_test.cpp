// SPDX-License-Identifier: MIT
// What traces and dumps of registers show of shaders and OpenCL kernels: predicates, the pixel's lane, lines and names
// of the source.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "support/process.hpp"

namespace fs = std::filesystem;
using heddle::test::Outcome;
using heddle::test::write_text;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

const std::string kProgram = fs::absolute(HEDDLE_PROGRAM).string();
const std::string kDump = fs::absolute("tests/data/opencl-dump/dump").string();

/// Four pixels by four, two blocks of eight lanes: the pixel 3,1 is the last of the second 2x2 block.
constexpr const char* kShader = R"(#version 450
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
void main() {
  vec3 tint = vec3(uv, 0.25);
  float k = 0.0;
  int count = 0;
  if (uv.x > 0.5) k += tint.y;
  color = vec4(tint * k, float(count));
}
)";

class Traces : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!heddle::test::have_program("glslangValidator")) GTEST_SKIP() << "glslangValidator is not installed";
    write_text(folder / "s.frag", kShader);
  }
  Outcome heddle(std::vector<std::string> words) {
    words.insert(words.begin(), kProgram);
    return heddle::test::run(words, {}, folder.path());
  }
  Outcome draw(const std::vector<std::string>& more) {
    std::vector<std::string> words{"run", "s.frag", "--target", "color=o.bin:rgba8:4x4", "--simd", "8", "-q"};
    words.insert(words.end(), more.begin(), more.end());
    return heddle(words);
  }
  heddle::test::TemporaryFolder folder;
};

TEST_F(Traces, PredicatesThePixelsLaneAndTheSourcesLine) {
  Outcome o = draw({"--trace-file", "-", "--trace-lines", "8"});
  // The right half of the pixels: the second block of each thread.
  EXPECT_THAT(o.out, AllOf(HasSubstr("(s.frag:8) lanes 000000ff: cmp.gt"), HasSubstr(" [cond = 000000f0]\n")));
  EXPECT_THAT(o.out, HasSubstr("goto (M1, 8) endif [cond = 000000f0]\n"));  // read by its predicate
  EXPECT_THAT(o.out, Not(HasSubstr("s.frag:5")));
  o = draw({"--trace-file", "-", "--trace-lines", "s.frag:8", "--trace-pixel", "3,1"});
  EXPECT_THAT(o.out, AllOf(HasSubstr("(s.frag:8) lanes 000000ff (pixel 3,1 is lane 7): cmp.gt"),
                           HasSubstr(" [cond = 000000f0, lane 7: true]\n")));
  o = draw({"--trace-file", "-", "--trace-lines", "8", "--trace-pixel", "0,0"});
  EXPECT_THAT(o.out, AllOf(HasSubstr("(pixel 0,0 is lane 0)"), HasSubstr(" [cond = 000000f0, lane 0: false]\n")));
}

TEST_F(Traces, RegistersByTheSourcesLinesNamesAndTypes) {
  Outcome o = draw({"--dump-registers", "6", "--trace-pixel", "3,1"});
  EXPECT_THAT(o.out, HasSubstr("registers of group 0,0,0 thread 0 (pixel 3,1 is lane 7) after s.frag:6:\n"));
  EXPECT_THAT(o.out, HasSubstr("(vec2 uv, x): 0.125 0.375 0.125 0.375 0.625 0.875 0.625 <0.875>\n"));
  EXPECT_THAT(o.out, HasSubstr("(vec3 tint, y): 0.125 0.125 0.375 0.375 0.125 0.125 0.375 <0.375>\n"));
  EXPECT_THAT(o.out, HasSubstr("(float k): 0 0 0 0 0 0 0 <0>\n"));
  EXPECT_THAT(o.out, Not(HasSubstr("(int count)")));             // its line comes later
  EXPECT_THAT(o.out, HasSubstr("subspans ud: 0 0 0 2 0 0 0 "));  // no element for each lane: nothing is marked
  o = draw({"--dump-registers", "s.frag:8", "--trace-pixel", "3,1"});
  EXPECT_THAT(o.out, AllOf(HasSubstr("(float k): 0 0 0 0 0.125 0.125 0.375 <0.375>\n"), HasSubstr("(int count): "),
                           HasSubstr("cond predicate: 000000f0, lane 7: true\n")));
  EXPECT_EQ(draw({"--dump-registers", "end"}).out.find('<'), std::string::npos);
}

TEST_F(Traces, LinesThatAreNowhere) {
  Outcome o = draw({"--dump-registers", "99"});
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_THAT(o.err, AllOf(HasSubstr("--dump-registers 99: no instruction comes from there"),
                           HasSubstr("lines that have some: 5 6 7 8 9")));
  o = draw({"--trace", "--trace-lines", "other.frag:5"});
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_THAT(o.err, HasSubstr("no instruction comes from a file 'other.frag'"));
  for (const char* wrong : {"7-3", "x", "s.frag:", ":7", "1-2-3"}) {
    EXPECT_EQ(draw({"--trace", "--trace-lines", wrong}).exit_code, 2) << wrong;
    EXPECT_EQ(draw({"--dump-registers", wrong}).exit_code, 2) << wrong;
  }
}

TEST_F(Traces, TheKeptTextHasLinesOfItsOwn) {
  ASSERT_EQ(draw({"--keep", "k.visaasm"}).exit_code, 0);
  const std::string text = heddle::test::read_text(folder / "k.visaasm");
  const auto line =
      1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find("    cmp.gt")), '\n');
  for (const std::string& lines : {std::to_string(line), "k.visaasm:" + std::to_string(line)}) {
    const Outcome o = draw({"--keep", "k.visaasm", "--trace-file", "-", "--trace-lines", lines});
    EXPECT_THAT(o.out, HasSubstr("line " + std::to_string(line) + " (s.frag:8) lanes 000000ff: cmp.gt"));
    EXPECT_THAT(o.out, Not(HasSubstr("mov")));
  }
}

TEST_F(Traces, HlslHasItsOwnWords) {
  write_text(folder / "s.frag.hlsl",
             "float4 main(float2 uv : TEXCOORD0) : SV_Target0 {\n  float3 tint = float3(uv, 0.25);\n  return "
             "float4(tint, 1);\n}\n");
  const Outcome o = heddle({"run", "s.frag.hlsl", "--size", "4x4", "--target", "out.0=o.bin:rgba8:4x4", "--input",
                            "in.0=uv", "--dump-registers", "end", "-q"});
  EXPECT_THAT(o.out, HasSubstr("(float2 uv, x): 0.125")) << o.err;
  EXPECT_THAT(o.out, Not(HasSubstr("(vec")));
}

class OpenclTraces : public Traces {
 protected:
  void SetUp() override {}
  Outcome second(const std::vector<std::string>& more) {
    std::vector<std::string> words{"run", kDump, "--lenient", "--kernel", "second", "--global", "8"};
    words.insert(words.end(), more.begin(), more.end());
    return heddle(words);
  }
};

TEST_F(OpenclTraces, LinesOfFunctionsAndOfTheSource) {
  const Outcome o = second({"--buffer", "o=i32:8", "--trace-file", "-", "--trace-lines", "two.cl:2", "-q"});
  EXPECT_THAT(o.out, AllOf(HasSubstr("_f0.visaasm:70 (two.cl:2) lanes 000000ff: cmp.lt (M1, 8) P1"),
                           HasSubstr(" 0x2:d [P1 = 00000003]\n")));
  EXPECT_THAT(o.out, Not(HasSubstr("two.cl:4")));
  const Outcome own = second({"--buffer", "o=i32:8", "--trace-file", "-", "--trace-lines",
                              "OCL_asmf6c1af8d6f277ad2_simd8_entry_0002_f0.visaasm:70", "-q"});
  EXPECT_THAT(own.out, HasSubstr("cmp.lt (M1, 8) P1"));
  EXPECT_THAT(own.out, Not(HasSubstr("goto")));
}

TEST_F(OpenclTraces, ReportsNameTheSource) {
  const Outcome o = second({"--buffer", "o=i32:4", "--check", "warn"});
  EXPECT_THAT(o.err, AllOf(HasSubstr("/kernels/two.cl:4: warning: 4 bytes at offset 0x10 lie outside o of 16 bytes"),
                           HasSubstr("_simd8_entry_0002.visaasm:107:5: note: in the program that it was compiled to")));
}

}  // namespace
