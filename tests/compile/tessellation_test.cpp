// SPDX-License-Identifier: MIT
// Shaders of patches: their interface lines, lanes and barriers. What they compute, tests of the driver show.
// Rules: TES-11 to TES-13.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "shader.hpp"
#include "shader_interface/interface.hpp"
#include "support/process.hpp"
#include "text/text.hpp"

using namespace heddle;
using namespace heddle::test;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

std::string source(const std::string& name) {
  return read_text(std::string(HEDDLE_SOURCE_DIR) + "/tests/data/spirv/tessellation/" + name + ".spvasm");
}
std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}
std::string compiled(const std::string& text, unsigned simd = 16) {
  spirv::CompileOptions options;
  options.simd = simd;
  const CompiledShader shader = compile_shader(assemble_shader(text), options);
  EXPECT_TRUE(shader.ok) << shader.messages;
  return shader.text;
}

TEST(TessellationShaders, SayWhatTheyReadAndWrite_TES12_TES13) {
  const std::string control = compiled(source("control")), evaluation = compiled(source("evaluation"));
  EXPECT_THAT(control, HasSubstr("\"heddle: stage tessellation control 4\""));
  EXPECT_THAT(control, HasSubstr("\"heddle: tessellation\""));
  // The levels stand at the start of the patch's record.
  for (int k = 0; k < 4; ++k)
    EXPECT_THAT(control, HasSubstr(fmt::format("patch_output {} tess_level_outer {} f32 gl_TessLevelOuter", 4 * k, k)));
  for (int k = 0; k < 2; ++k)
    EXPECT_THAT(control,
                HasSubstr(fmt::format("patch_output {} tess_level_inner {} f32 gl_TessLevelInner", 16 + 4 * k, k)));
  // Point sizes and distances that nobody writes are not there.
  EXPECT_THAT(control, HasSubstr(" position 0 f32 smooth gl_Position"));
  EXPECT_THAT(control, Not(HasSubstr("point_size")));
  EXPECT_THAT(control, HasSubstr("record_input"));
  EXPECT_THAT(evaluation, HasSubstr("\"heddle: tessellation quads equal ccw\""));
  EXPECT_THAT(evaluation, HasSubstr("patch_input"));
  EXPECT_THAT(evaluation, HasSubstr(" tess_level_inner 0 f32 gl_TessLevelInner"));
  EXPECT_THAT(evaluation, HasSubstr("tess_coord.x\""));
  EXPECT_THAT(evaluation, Not(HasSubstr("tess_coord.z")));
  // Arrays of blocks have a location for each element.
  for (const int location : {6, 7}) {
    EXPECT_THAT(control, HasSubstr(fmt::format(" {} 3 f32 blks\"", location)));
    EXPECT_THAT(evaluation, HasSubstr(fmt::format(" {} 3 f32 blks\"", location)));
  }
}

// All invocations of a patch stand in one thread, whose lanes run in step: a barrier is a fence.
TEST(TessellationShaders, HavePatchesInOneThread_TES11) {
  const std::string control = source("control");
  EXPECT_THAT(compiled(control), HasSubstr("\n    fence_global.E"));
  EXPECT_THAT(compiled(control), Not(HasSubstr("\n    barrier")));
  const auto lanes = [&](const std::string& vertices, unsigned asked) {
    const std::string text = compiled(with(control, "OutputVertices 4", "OutputVertices " + vertices), asked);
    const std::size_t at = text.find("SimdSize=");
    return at == std::string::npos ? std::string() : text.substr(at + 9, text.find('\n', at) - at - 9);
  };
  EXPECT_EQ(lanes("8", 8), "8");
  EXPECT_EQ(lanes("9", 8), "16");
  EXPECT_EQ(lanes("16", 16), "16");
  EXPECT_EQ(lanes("17", 16), "32");
  EXPECT_EQ(lanes("32", 8), "32");
  EXPECT_EQ(lanes("1", 32), "32");
  for (const char* vertices : {"0", "33", "4294967295"}) {
    const CompiledShader refused =
        compile_shader(assemble_shader(with(control, "OutputVertices 4", fmt::format("OutputVertices {}", vertices))));
    EXPECT_FALSE(refused.ok) << vertices;
  }
}

/// The messages about an interface with one line changed.
std::string complaint(const std::string& name, const std::string& from, const std::string& to) {
  const std::string text = with(compiled(source(name)), from, to);
  base::Diagnostics diagnostics;
  const auto program = text::parse(text, "changed.visaasm", {}, diagnostics);
  EXPECT_TRUE(program.has_value());
  if (program) (void)shader_interface::read_interface(*program, program->objects.front(), diagnostics);
  return messages(diagnostics);
}

TEST(TessellationShaders, LinesThatMakeNoSenseAreReported_TES13) {
  EXPECT_EQ(complaint("control", "stage tessellation control 4", "stage tessellation control 3"), "");
  EXPECT_THAT(complaint("control", "control 4", "control 33"), HasSubstr("the number of vertices is '33'"));
  EXPECT_THAT(complaint("control", "control 4", "control 0"), HasSubstr("a patch has no vertices"));
  EXPECT_THAT(complaint("evaluation", "quads equal", "squares equal"), HasSubstr("'squares' is no word about patches"));
  EXPECT_THAT(complaint("control", "patch_output 0 ", "patch_output 65532 "),
              HasSubstr("does not lie in the record of a patch"));
  EXPECT_THAT(complaint("control", "patch_output 0 ", "patch_output 2 "),
              HasSubstr("does not lie in the record of a patch"));
  EXPECT_THAT(complaint("control", "tess_level_outer 0", "tess_level_outer 4"), HasSubstr("the component is '4'"));
  EXPECT_THAT(complaint("evaluation", " patch_inputs ", " patch_outputs "), HasSubstr("has lines 'surface' of"));
}

}  // namespace
