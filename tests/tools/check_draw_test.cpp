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
  std::string vertex;    ///< the body behind kVertexHead
  std::string fragment;  ///< behind kHead
  std::string finding;   ///< empty: none
  std::vector<std::string> more = {};
  std::string target = "rgba8";
};

class DrawChecks : public ::testing::TestWithParam<Case> {};

TEST_P(DrawChecks, FindWhatNobodyWrote) {
  if (!have_program("glslangValidator")) GTEST_SKIP() << "glslangValidator is not installed";
  const Case& c = GetParam();
  const TemporaryFolder folder;
  write_text(folder / "a.vert", kVertexHead + c.vertex + "}\n");
  write_text(folder / "a.frag", kHead + c.fragment);
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
