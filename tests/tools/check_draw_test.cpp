// SPDX-License-Identifier: MIT
// heddle run --check warn of drawings: values after discard, outputs and varyings that nothing was written to.
// Rules: run-undefined-register.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/process.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const std::string kProgram = fs::absolute(HEDDLE_PROGRAM).string();

const std::string kVertexHead =
                      "#version 450\nlayout(location = 0) out vec2 uv;\nvoid main() {\n"
                      "  vec2 p = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);\n",
                  kPosition = "  gl_Position = vec4(p * 4.0 - 1.0, 0.0, 1.0);\n",
                  kHead = "#version 450\nlayout(location = 0) in vec2 uv;\nlayout(location = 0) out vec4 color;\n";

struct Case {
  const char* name;
  std::string vertex;    ///< the body behind kVertexHead, or the whole shader
  std::string fragment;  ///< behind kHead, or the whole
  std::string finding;   ///< empty: none
  std::vector<std::string> more = {};
  std::string target = "rgba8";
};

class DrawChecks : public ::testing::TestWithParam<Case> {};

TEST_P(DrawChecks, FindWhatNobodyWrote) {
  if (!have_program("glslangValidator")) GTEST_SKIP() << "glslangValidator is not installed";
  const Case& c = GetParam();
  const TemporaryFolder folder;
  const auto whole = [](const std::string& text) { return text.starts_with("#version"); };
  write_text(folder / "a.vert", whole(c.vertex) ? c.vertex : kVertexHead + c.vertex + "}\n");
  write_text(folder / "a.frag", whole(c.fragment) ? c.fragment : kHead + c.fragment);
  std::vector<std::string> words{kProgram,
                                 "run",
                                 (folder / "a.frag").string(),
                                 "--vertex",
                                 (folder / "a.vert").string(),
                                 "--vertices",
                                 "3",
                                 "--size",
                                 "16x16",
                                 "--check",
                                 "warn",
                                 "--target",
                                 "color=" + (folder / "o.bin").string() + ":" + c.target};
  words.insert(words.end(), c.more.begin(), c.more.end());
  const Outcome outcome = run(words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  if (c.finding.empty()) {
    EXPECT_THAT(outcome.err, testing::Not(HasSubstr("warning"))) << outcome.err;
    return;
  }
  EXPECT_THAT(outcome.err, HasSubstr("[run-undefined-register]"));
  EXPECT_THAT(outcome.err, HasSubstr(c.finding));
  words[std::find(words.begin(), words.end(), "warn") - words.begin()] = "error";
  EXPECT_EQ(run(words).exit_code, 1);
}

const std::string kUv = "  uv = p;\n", kWhole = "void main() { color = vec4(uv, 0, 1); }\n";

/// Types of 16 and 64 bits, in the interface too.
const std::string kTypes =
    "#version 450\n#extension GL_EXT_shader_explicit_arithmetic_types : enable\n"
    "#extension GL_EXT_shader_16bit_storage : enable\n";
const std::string kHalfOutput = kTypes + "layout(location = 0) in vec2 uv;\nlayout(location = 0) out f16vec4 color;\n",
                  kTwoColors =
                      "#version 450\nlayout(location = 0) in vec2 uv;\nlayout(location = 0, index = 0) out vec4 "
                      "color;\nlayout(location = 0, index = 1) out vec4 other;\n";
const std::vector<std::string> kBySecondColor{"--state",
                                              "blend={enable=true,src_color=\"SRC1_COLOR\",dst_color=\"ZERO\"}"},
    kBySecondAlpha{"--state", "blend={enable=true,src_color=\"ONE\",dst_color=\"INV_SRC1_ALPHA\"}"};

/// A vertex shader whose output `v` of a type is the body's, and a fragment shader that may read it.
std::string wide_vertex(const std::string& type, const std::string& body) {
  return kTypes + "layout(location = 0) out vec2 uv;\nlayout(location = 1) flat out " + type +
         " v;\nvoid main() {\n  vec2 p = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);\n"
         "  gl_Position = vec4(p * 4.0 - 1.0, 0.0, 1.0);\n  uv = p;\n" +
         body + "}\n";
}
std::string wide_fragment(const std::string& type, const std::string& condition) {
  return kTypes + "layout(location = 0) in vec2 uv;\nlayout(location = 1) flat in " + type +
         " v;\nlayout(location = 0) out vec4 color;\nlayout(push_constant) uniform P { int use; } k;\n"
         "void main() {\n  color = vec4(uv, 0, 1);\n  if (" +
         condition + ") color.x = float(v);\n}\n";
}

INSTANTIATE_TEST_SUITE_P(
    Outputs, DrawChecks,
    ::testing::Values(
        Case{"halves", kPosition + kUv, kHalfOutput + "void main() { color = f16vec4(uv, 0, 1); }\n", ""},
        Case{"halves_partly", kPosition + kUv, kHalfOutput + "void main() { color.xy = f16vec2(uv); }\n",
             "output color_z"},
        Case{"halves_never", kPosition + kUv, kHalfOutput + "void main() { }\n", "output color_x"},
        Case{"halves_that_the_format_lacks",
             kPosition + kUv,
             kHalfOutput + "void main() { color.xy = f16vec2(uv); }\n",
             "",
             {},
             "rg8"},
        Case{"sample_mask", kPosition + kUv, "void main() { color = vec4(1); gl_SampleMask[0] = 1; }\n", ""},
        Case{"sample_mask_partly", kPosition + kUv,
             "void main() { color = vec4(1); if (uv.x > 0.5) gl_SampleMask[0] = 1; }\n", "output sample_mask"},
        Case{"two_colors", kPosition + kUv, kTwoColors + "void main() { color = vec4(1); other = vec4(uv, 0, 1); }\n",
             "", kBySecondColor},
        Case{"second_color_partly", kPosition + kUv,
             kTwoColors + "void main() { color = vec4(1); if (uv.x > 0.5) other = vec4(1); }\n",
             "output red of the second color is stored", kBySecondColor},
        Case{"second_color_unread", kPosition + kUv,
             kTwoColors + "void main() { color = vec4(1); if (uv.x > 0.5) other = vec4(1); }\n", ""},
        Case{"second_alpha_alone", kPosition + kUv, kTwoColors + "void main() { color = vec4(1); other.w = 0.5; }\n",
             "", kBySecondAlpha},
        Case{"second_alpha_never", kPosition + kUv,
             kTwoColors + "void main() { color = vec4(1); other.xyz = vec3(0.5); }\n",
             "output alpha of the second color is stored", kBySecondAlpha},
        Case{"first_color_of_two", kPosition + kUv,
             kTwoColors + "void main() { color.xzw = vec3(1); other = vec4(1); }\n", "output green is stored",
             kBySecondColor}),
    [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(Varyings, DrawChecks,
                         ::testing::Values(Case{"half",
                                                wide_vertex("float16_t", "  v = float16_t(1);\n"),
                                                wide_fragment("float16_t", "k.use != 0"),
                                                "",
                                                {"--arg", "push={use=1}"}},
                                           Case{"half_partly",
                                                wide_vertex("float16_t",
                                                            "  if (gl_VertexIndex != 0) v = float16_t(1);\n"),
                                                wide_fragment("float16_t", "k.use != 0"),
                                                "is read before anything was written to it",
                                                {"--arg", "push={use=1}"}},
                                           Case{"half_unread",
                                                wide_vertex("float16_t", ""),
                                                wide_fragment("float16_t", "k.use != 0"),
                                                "",
                                                {"--arg", "push={use=0}"}},
                                           Case{"double",
                                                wide_vertex("double", "  v = 1.0lf;\n"),
                                                wide_fragment("double", "k.use != 0"),
                                                "",
                                                {"--arg", "push={use=1}"}},
                                           Case{"double_partly",
                                                wide_vertex("double", "  if (gl_VertexIndex != 0) v = 1.0lf;\n"),
                                                wide_fragment("double", "k.use != 0"),
                                                "is read before anything was written to it",
                                                {"--arg", "push={use=1}"}},
                                           Case{"double_unread",
                                                wide_vertex("double", ""),
                                                wide_fragment("double", "k.use != 0"),
                                                "",
                                                {"--arg", "push={use=0}"}}),
                         [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Cases, DrawChecks,
    ::testing::Values(
        Case{"sound", kPosition + kUv, kWhole, ""},
        Case{"after_discard", kPosition + kUv,
             "void main() {\n  if (uv.x > 0.37) discard;\n  float a;\n  color = vec4(a);\n}\n",
             "is read before anything was written to it"},
        Case{"killed_alone", kPosition + kUv,
             "void main() {\n  float s;\n  if (uv.x > 0.37) discard; else s = uv.y;\n  color = vec4(s);\n}\n", ""},
        Case{"output_partly", kPosition + kUv, "void main() { if (uv.x > 0.5) color = vec4(1); }\n",
             "output color_x is stored, but nothing was written to it"},
        Case{"output_never", kPosition + kUv, "void main() { }\n", "output color_x is stored"},
        Case{"output_half", kPosition + kUv, "void main() { color.xy = uv; }\n", "output color_z is stored"},
        Case{"format_lacks_it", kPosition + kUv, "void main() { color.xy = uv; }\n", "", {}, "rg8"},
        Case{"write_mask_lacks_it",
             kPosition + kUv,
             "void main() { color.xy = uv; }\n",
             "",
             {"--state", "blend={write_disable=\"BA\"}"}},
        Case{"blended_alpha",
             kPosition + kUv,
             "void main() { color.xyz = vec3(uv, 1); }\n",
             "output color_w is stored",
             {"--state", "blend={enable=true,src_color=\"SRC_ALPHA\",dst_color=\"ZERO\",write_disable=\"A\"}"}},
        Case{"discarded_output", kPosition + kUv, "void main() { if (uv.x > 0.37) discard; color = vec4(1); }\n", ""},
        Case{"varying_partly", kPosition + "  if (gl_VertexIndex == 1) uv = p;\n", kWhole,
             "input uv_x is read, but the stage before has not written it"},
        Case{"varying_never", kPosition, kWhole, "input uv_x is read"},
        Case{"varying_half", kPosition + "  uv.x = p.x;\n", kWhole, "input uv_y is read"},
        Case{"varying_unread", kPosition + "  uv.x = p.x;\n", "void main() { color = vec4(uv.x); }\n", ""},
        Case{"varying_unread_now",
             kPosition,
             "layout(push_constant) uniform P { int use; } k;\nvoid main() { color = vec4(1); if (k.use != 0) color.xy "
             "= uv; }\n",
             "",
             {"--arg", "push={use=0}"}},
        Case{"position_partly", "  if (gl_VertexIndex != 1)" + kPosition + kUv, kWhole,
             "did not write all of its position (gl_Position) for vertex 1 of the draw"}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace heddle::test
