// SPDX-License-Identifier: MIT
// heddle run --check warn of geometry and tessellation: what one stage does not write and the next one reads.
// Rules: run-undefined-register.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "support/process.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kProgram = fs::absolute(HEDDLE_PROGRAM).string();

/// Bodies of the stages, behind their declarations; a stage without one is left out.
struct Case {
  const char* name;
  std::string vertex;
  std::string geometry, control, evaluation;
  std::string finding;  ///< empty: none
};

const std::string kVertex =
                      "#version 450\nlayout(location = 0) out vec2 v;\nvoid main() {\n"
                      "  vec2 p = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);\n"
                      "  gl_Position = vec4(p * 4.0 - 1.0, 0.0, 1.0);\n",
                  kGeometry =
                      "#version 450\nlayout(triangles) in;\nlayout(triangle_strip, max_vertices = 3) out;\n"
                      "layout(location = 0) in vec2 v[];\nlayout(location = 0) out vec2 uv;\nvoid main() {\n",
                  kControl =
                      "#version 450\nlayout(vertices = 3) out;\nlayout(location = 0) in vec2 v[];\n"
                      "layout(location = 0) out vec2 w[];\nlayout(location = 1) patch out vec2 all;\n"
                      "#define I gl_InvocationID\nvoid main() {\n"
                      "  gl_out[I].gl_Position = gl_in[I].gl_Position;\n",
                  kEvaluation =
                      "#version 450\nlayout(triangles) in;\nlayout(location = 0) in vec2 w[];\n"
                      "layout(location = 1) patch in vec2 all;\nlayout(location = 0) out vec2 uv;\n"
                      "vec4 at(int i) { return gl_in[i].gl_Position * gl_TessCoord[i]; }\nvoid main() {\n"
                      "  gl_Position = at(0) + at(1) + at(2);\n",
                  kFragment =
                      "#version 450\nlayout(location = 0) in vec2 uv;\nlayout(location = 0) out vec4 color;\n"
                      "void main() { color = vec4(uv, 0, 1); }\n";

const std::string kWrites = "  v = p;\n", kOneWrites = "  if (gl_VertexIndex == 1) v = p;\n",
                  kLevels =
                      "  gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = 2.0;\n"
                      "  gl_TessLevelInner[0] = 2.0;\n",
                  kPasses = "  w[I] = v[I];\n", kTakes = "  uv = w[0] + w[1] + w[2];\n";

std::string each_vertex(const std::string& before, const std::string& inside) {
  return before + "  for (int i = 0; i < 3; ++i) {\n" + inside + "    EmitVertex();\n  }\n";
}
const std::string kPlaced = "    gl_Position = gl_in[i].gl_Position;\n";

class StageChecks : public ::testing::TestWithParam<Case> {};

TEST_P(StageChecks, FindWhatNobodyWrote) {
  if (!have_program("glslangValidator")) GTEST_SKIP() << "glslangValidator is not installed";
  const Case& c = GetParam();
  const TemporaryFolder folder;
  write_text(folder / "a.frag", kFragment);
  std::vector<std::string> words{kProgram,
                                 "run",
                                 (folder / "a.frag").string(),
                                 "--vertices",
                                 "3",
                                 "--size",
                                 "8x8",
                                 "--check",
                                 "warn",
                                 "--target",
                                 "color=" + (folder / "o.bin").string() + ":rgba8"};
  const auto stage = [&](const char* flag, const char* file, const std::string& head, const std::string& body) {
    if (body.empty()) return;
    write_text(folder / file, head + body + "}\n");
    words.insert(words.end(), {flag, (folder / file).string()});
  };
  stage("--vertex", "a.vert", kVertex, c.vertex);
  stage("--geometry-shader", "a.geom", kGeometry, c.geometry);
  stage("--tessellation-control", "a.tesc", kControl, c.control);
  stage("--tessellation-evaluation", "a.tese", kEvaluation, c.evaluation);
  const Outcome outcome = run(words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  if (c.finding.empty()) {
    EXPECT_THAT(outcome.err, Not(HasSubstr(", 0 written\n")));  // something is drawn
    EXPECT_THAT(outcome.err, Not(HasSubstr("warning"))) << outcome.err;
    return;
  }
  EXPECT_THAT(outcome.err, HasSubstr("[run-undefined-register]"));
  EXPECT_THAT(outcome.err, HasSubstr(c.finding));
  *std::ranges::find(words, "warn") = "error";
  EXPECT_EQ(run(words).exit_code, 1);
}

INSTANTIATE_TEST_SUITE_P(
    Geometry, StageChecks,
    ::testing::Values(
        Case{"sound", kWrites, each_vertex("", kPlaced + "    uv = v[i];\n"), "", "", ""},
        Case{"never", kWrites, each_vertex("", kPlaced), "", "", "input uv_x is read, but the stage before"},
        // Behind EmitVertex outputs are undefined, though many a device keeps them.
        Case{"before_the_first", kWrites, each_vertex("  uv = v[0];\n", kPlaced), "", "",
             "input uv_x is read, but the stage before"},
        Case{"half_before_the_first", kWrites, each_vertex("  uv = v[0];\n", kPlaced + "    uv.x = v[i].x;\n"), "", "",
             "input uv_y is read, but the stage before"},
        Case{"position_before_the_first", kWrites,
             each_vertex("", "    if (i != 1) gl_Position = gl_in[i].gl_Position;\n    uv = v[i];\n"), "", "",
             "did not write all of its position (gl_Position)"},
        Case{"input_of_two_vertices", kOneWrites, each_vertex("", kPlaced + "    uv = v[i];\n"), "", "",
             "is read before anything was written to it"},
        Case{"input_of_no_vertex", "  \n", each_vertex("", kPlaced + "    uv = v[i] * 2.0;\n"), "", "",
             "is read before anything was written to it"},
        Case{"what_is_read", "  v.x = p.x;\n", each_vertex("", kPlaced + "    uv = vec2(v[i].x);\n"), "", "", ""}),
    [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Tessellation, StageChecks,
    ::testing::Values(
        Case{"sound", kWrites, "", kPasses + kLevels, kTakes, ""},
        Case{"patch", kWrites, "", kPasses + kLevels + "  all = v[0];\n", "  uv = all;\n", ""},
        Case{"patch_never", kWrites, "", kPasses + kLevels, "  uv = all;\n", "is read before anything"},
        Case{"two_of_three", kWrites, "", "  if (I < 2) w[I] = v[I];\n" + kLevels, kTakes,
             "is read before anything was written to it"},
        Case{"two_of_two", kWrites, "", "  if (I < 2) w[I] = v[I];\n" + kLevels, "  uv = w[0] + w[1];\n", ""},
        Case{"of_the_vertices", kOneWrites, "", kPasses + kLevels, kTakes, "is read before anything"},
        Case{"by_the_evaluation", kWrites, "", kPasses + kLevels, "  if (gl_TessCoord.x > 0.7) uv = w[0];\n",
             "input uv_x is read, but the stage before"},
        Case{"read_by_others", kWrites, "", "  if (I == 0) w[I] = v[I];\n  barrier();\n  all = w[1];\n" + kLevels,
             "  uv = all;\n", "is read before anything"},
        Case{"inner_level", kWrites, "",
             kPasses + "  gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = 1.0;\n", kTakes,
             "did not write gl_TessLevelInner[0] for patch 0 of the draw"}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace heddle::test
