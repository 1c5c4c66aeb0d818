// SPDX-License-Identifier: MIT
// heddle run prints what shaders (debugPrintfEXT) and OpenCL kernels (printf) print.
// Rules: SPV-37.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "support/process.hpp"

namespace fs = std::filesystem;
using heddle::test::have_program;
using heddle::test::Outcome;
using heddle::test::write_text;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

const std::string kProgram = fs::absolute(HEDDLE_PROGRAM).string();

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

class Print : public ::testing::Test {
 protected:
  Outcome run(const std::string& name, const std::string& source, std::vector<std::string> more) {
    const std::string path = (folder_ / name).string();
    write_text(path, source);
    std::vector<std::string> words{kProgram, "run", path};
    words.insert(words.end(), more.begin(), more.end());
    return heddle::test::run(words);
  }
  heddle::test::TemporaryFolder folder_;
};

const char* kCompute =
    "#version 450\n"
    "#extension GL_EXT_debug_printf : enable\n"
    "#extension GL_EXT_shader_explicit_arithmetic_types : enable\n"
    "layout(local_size_x = 40) in;\n"
    "void main() {\n"
    "  uint i = gl_GlobalInvocationID.x;\n"
    "  if (i % 30u == 3u) {\n"
    "    debugPrintfEXT(\"one %u: %v3f %ul\\n\", i, vec3(i, 0.5, -1), uint64_t(i) << 40);\n"
    "    debugPrintfEXT(\"two %u \\\"%d%%\\\" %f %d\", i, int(i) - 50, float16_t(1.5), i > 10u);\n"
    "  }\n"
    "}\n";

class PrintOnEngine : public Print, public ::testing::WithParamInterface<const char*> {};

TEST_P(PrintOnEngine, InAnInvocationsOrder) {
  if (!have_program("glslangValidator")) GTEST_SKIP() << "glslangValidator is not installed";
  for (const char* simd : {"8", "16", "32"}) {
    const Outcome o = run("p.comp", kCompute, {"--groups", "2", "--engine", GetParam(), "--simd", simd});
    ASSERT_EQ(o.exit_code, 0) << o.err;
    std::vector<std::string> lines = lines_of(o.out);
    for (const char* i : {"3", "33", "63"}) {
      const auto one =
          std::ranges::find_if(lines, [&](auto& l) { return l.starts_with(std::string("one ") + i + ":"); });
      const auto two =
          std::ranges::find_if(lines, [&](auto& l) { return l.starts_with(std::string("two ") + i + " "); });
      EXPECT_TRUE(one != lines.end() && two != lines.end() && one < two) << o.out;
    }
    std::ranges::sort(lines);
    EXPECT_THAT(lines, ::testing::ElementsAre("one 33: 33.000000, 0.500000, -1.000000 36283883716608",
                                              "one 3: 3.000000, 0.500000, -1.000000 3298534883328",
                                              "one 63: 63.000000, 0.500000, -1.000000 69269232549888",
                                              "two 3 \"-47%\" 1.500000 0", "two 33 \"-17%\" 1.500000 1",
                                              "two 63 \"13%\" 1.500000 1"));
  }
}

TEST_P(PrintOnEngine, FormatsMayNameHandles) {
  if (!have_program("glslangValidator")) GTEST_SKIP() << "glslangValidator is not installed";
  const Outcome o = run("p.comp",
                        "#version 450\n#extension GL_EXT_debug_printf : enable\nlayout(local_size_x = 1) in;\n"
                        "void main() { debugPrintfEXT(\"S31: %u %%bss:\", 7u); }\n",
                        {"--groups", "1", "--engine", GetParam()});
  EXPECT_EQ(o.out.substr(0, o.out.find('\n')), "S31: 7 %bss:") << o.err;
}

// The instruction is non-semantic: what cannot be printed refuses no shader.
TEST_P(PrintOnEngine, WhatCannotBePrintedStays) {
  if (!have_program("spirv-as")) GTEST_SKIP() << "spirv-as is not installed";
  const Outcome o = run("p.spvasm",
                        "OpCapability Shader\nOpExtension \"SPV_KHR_non_semantic_info\"\n"
                        "%p = OpExtInstImport \"NonSemantic.DebugPrintf\"\nOpMemoryModel Logical GLSL450\n"
                        "OpEntryPoint GLCompute %main \"main\"\nOpExecutionMode %main LocalSize 1 1 1\n"
                        "%format = OpString \"text %s %u\"\n%text = OpString \"t\"\n%void = OpTypeVoid\n"
                        "%fn = OpTypeFunction %void\n%uint = OpTypeInt 32 0\n%seven = OpConstant %uint 7\n"
                        "%main = OpFunction %void None %fn\n%l = OpLabel\n"
                        "%a = OpExtInst %void %p 1 %format %text %seven\n"
                        "%b = OpExtInst %void %p 1 %seven %seven\n%c = OpExtInst %void %p 1 %main\n"
                        "OpReturn\nOpFunctionEnd\n",
                        {"--groups", "1", "--engine", GetParam()});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(o.out.substr(0, o.out.find('\n')), "text %s %u");
}

TEST_P(PrintOnEngine, ALimitIsSaid) {
  if (!have_program("glslangValidator")) GTEST_SKIP() << "glslangValidator is not installed";
  const Outcome o =
      run("p.comp",
          "#version 450\n#extension GL_EXT_debug_printf : enable\nlayout(local_size_x = 64) in;\n"
          "void main() { for (int i = 0; i < 100; ++i) debugPrintfEXT(\"%u\", gl_GlobalInvocationID.x); }\n",
          {"--groups", "25", "--engine", GetParam()});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_THAT(o.err, HasSubstr("prints more than fits into 1048576 bytes: later messages are missing "
                               "[run-messages-full]"));
  EXPECT_EQ(lines_of(o.out).size(), (1048576 / 4 - 1) / 2);
}

INSTANTIATE_TEST_SUITE_P(Engines, PrintOnEngine, ::testing::Values("reference", "fast"));

TEST_F(Print, ChecksFindNothingInMessages) {
  if (!have_program("glslangValidator")) GTEST_SKIP() << "glslangValidator is not installed";
  const Outcome o = run("p.comp", kCompute, {"--groups", "2", "--check", "warn"});
  EXPECT_EQ(o.exit_code, 0);
  EXPECT_THAT(o.err, Not(HasSubstr("warning")));
  EXPECT_EQ(lines_of(o.out).size(), 6u);
}

TEST_F(Print, FragmentsPrintWhereTheyAreCovered) {
  if (!have_program("glslangValidator")) GTEST_SKIP() << "glslangValidator is not installed";
  const char* shader =
      "#version 450\n#extension GL_EXT_debug_printf : enable\nlayout(location = 0) out vec4 color;\n"
      "void main() { debugPrintfEXT(\"at %v2f\", gl_FragCoord.xy); color = vec4(1); }\n";
  for (const char* engine : {"reference", "fast"}) {
    const std::string target = "color=" + (folder_ / "out.png").string() + ":rgba8:3x1";
    const Outcome o = run("p.frag", shader, {"--target", target, "--engine", engine});
    EXPECT_EQ(o.exit_code, 0) << o.err;
    std::vector<std::string> lines = lines_of(o.out);
    std::ranges::sort(lines);
    EXPECT_THAT(lines,
                ::testing::ElementsAre("at 0.500000, 0.500000", "at 1.500000, 0.500000", "at 2.500000, 0.500000"));
  }
}

TEST_F(Print, WhereResultsGoToStandardOutput) {
  if (!have_program("glslangValidator")) GTEST_SKIP() << "glslangValidator is not installed";
  const char* shader =
      "#version 450\n#extension GL_EXT_debug_printf : enable\nlayout(binding = 0) buffer B { uint x[]; } b;\n"
      "void main() { debugPrintfEXT(\"told\"); b.x[0] = 0x41414141u; }\n";
  const Outcome o = run("p.comp", shader, {"--buffer", "b=-:u32:1", "--groups", "1"});
  EXPECT_THAT(o.out + o.err, HasSubstr("told\n"));
  const Outcome json = run("p.comp", shader, {"--buffer", "b=u32:1", "--groups", "1", "--format", "json"});
  EXPECT_THAT(json.out, HasSubstr("{\"printed\":\"told\"}\n")) << json.err;
}

TEST_F(Print, OpenClKernels) {
  if (!have_program("ocloc")) GTEST_SKIP() << "ocloc is not installed";
  const std::string source = (folder_ / "k.cl").string(), dump = (folder_ / "dump").string(),
                    bin = (folder_ / "bin").string();
  write_text(source,
             "__kernel void k(__global float* x, int n) {\n"
             "  int i = get_global_id(0);\n"
             "  printf(\"i = %d f = %1.3f s = %s\\n\", i, x[i], \"word\");\n"
             "  if (i == n) printf(\"v = %v4f hex %#x%%\\n\", (float4)(1, 2, 3, x[i]), i);\n"
             "  if (i == n) printf(\"long %ld %c %v2hhd\\n\", (long)i << 40, 'a' + i, (char2)(-1, 5));\n"
             "}\n");
  const Outcome made =
      heddle::test::run({"sh", "-c",
                         "cd " + folder_.path().string() + " && IGC_ShaderDumpEnable=1 IGC_DumpToCustomDir=" + dump +
                             " ocloc compile -file k.cl -device skl -out_dir " + bin +
                             " --format zebin && cp dump/*entry_0001.visaasm k.visaasm"});
  ASSERT_EQ(made.exit_code, 0) << made.out << made.err;
  for (const char* engine : {"reference", "fast"}) {
    const Outcome o =
        heddle::test::run({kProgram, "run", (folder_ / "k.visaasm").string(), "--zeinfo", bin + "/k_Gen9core.bin",
                           "--arg", "n=2", "--buffer", "x=f32:4", "--global", "4", "--local", "4", "--engine", engine});
    ASSERT_EQ(o.exit_code, 0) << o.err;
    std::vector<std::string> lines = lines_of(o.out);
    std::ranges::sort(lines);
    EXPECT_THAT(lines,
                ::testing::ElementsAre("i = 0 f = 0.000 s = word", "i = 1 f = 0.000 s = word",
                                       "i = 2 f = 0.000 s = word", "i = 3 f = 0.000 s = word",
                                       "long 2199023255552 c -1,5", "v = 1.000000,2.000000,3.000000,0.000000 hex 0x2%"))
        << o.err;
  }
}

}  // namespace
