// SPDX-License-Identifier: MIT
// Fragment shaders: inputs, targets, discarding, samples.
// Rules: SPV-18, SPV-22, SPV-33.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shader.hpp"
#include "spirv/newer_opcodes.hpp"
#include "support/process.hpp"

using namespace heddle;
using namespace heddle::test;

namespace {

class Fragments : public ::testing::TestWithParam<unsigned> {
 protected:
  spirv::CompileOptions options() const {
    spirv::CompileOptions o;
    o.simd = GetParam();
    return o;
  }
};
INSTANTIATE_TEST_SUITE_P(Simd, Fragments, ::testing::Values(8u, 16u, 32u));

/// A shader that reads its sample runs once for each: number, position (IMG section 16), coverage bit, input at the
/// sample; depth is sent.
TEST_P(Fragments, RunForEachSample) {
  const std::string toml = R"(
[images.color]
format = "R32G32B32A32_FLOAT"
size = [8, 8]
samples = 4
save = "color.bin"
[images.ids]
format = "R32G32B32A32_UINT"
size = [8, 8]
samples = 4
save = "ids.bin"
[images.z]
format = "R32_FLOAT"
size = [8, 8]
samples = 4
fill = [1.0]
save = "z.bin"
[pixels]
targets = ["color", "ids"]
depth = "z"
state = { depth_test = true, depth_write = true, depth_func = "LESS" }
)";
  const job::RunResult outcome = run_shader(load_shader("fragment/samples.spvasm"), toml, options());
  ASSERT_TRUE(outcome.succeeded) << messages(outcome.diagnostics);
  const std::vector<float> color = output_as<float>(outcome, "color.bin"), z = output_as<float>(outcome, "z.bin");
  const std::vector<std::uint32_t> ids = output_as<std::uint32_t>(outcome, "ids.bin");
  ASSERT_EQ(color.size(), 1024u);
  ASSERT_EQ(z.size(), 256u);
  const float positions[4][2] = {{0.375f, 0.125f}, {0.875f, 0.375f}, {0.125f, 0.625f}, {0.625f, 0.875f}};
  for (unsigned s = 0; s < 4; ++s)
    for (unsigned y = 0; y < 8; ++y)
      for (unsigned x = 0; x < 8; ++x) {
        const std::size_t at = (s * 8 + y) * 8 + x;
        const float px = positions[s][0], py = positions[s][1];
        EXPECT_THAT(std::vector<float>(&color[4 * at], &color[4 * at] + 4),
                    ::testing::ElementsAre(px, py, (static_cast<float>(x) + px) / 8, (static_cast<float>(y) + py) / 8));
        EXPECT_THAT(std::vector<std::uint32_t>(&ids[4 * at], &ids[4 * at] + 4),
                    ::testing::ElementsAre(s, 1u << s, x, 0u));
        EXPECT_EQ(z[at], static_cast<float>(y) + py > 6 ? 0.25f : 0.75f);
      }
}

// PIX-11: what a quad votes for is seen by its lanes, and needs no capability of groups.
TEST_P(Fragments, VotesOfQuadsSeeOtherLanes) {
  spirv::Module module = assemble_shader(R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %v %color
OpExecutionMode %main OriginUpperLeft
OpDecorate %v Location 0
OpDecorate %v Flat
OpDecorate %color Location 0
%void = OpTypeVoid
%function = OpTypeFunction %void
%bool = OpTypeBool
%float = OpTypeFloat 32
%in = OpTypePointer Input %float
%out = OpTypePointer Output %float
%zero = OpConstant %float 0
%one = OpConstant %float 1
%v = OpVariable %in Input
%color = OpVariable %out Output
%main = OpFunction %void None %function
%label = OpLabel
%x = OpLoad %float %v
%more = OpFOrdGreaterThan %bool %x %one
%vote = OpCopyObject %bool %more
%result = OpSelect %float %vote %one %zero
OpStore %color %result
OpReturn
OpFunctionEnd
)");
  const auto says = [&](std::string_view word) {
    base::Diagnostics warnings;
    const auto compiled = spirv::compile(module, options(), warnings);
    EXPECT_TRUE(compiled.ok());
    return compiled.ok() && compiled->text.find(word) != std::string::npos;
  };
  EXPECT_TRUE(says("own_subspans"));
  EXPECT_TRUE(says("own_lanes"));
  for (auto& instruction : module.instructions)
    if (instruction.opcode == 83) instruction.opcode = spirv::kGroupNonUniformQuadAny;  // OpCopyObject: the same words
  EXPECT_TRUE(says("own_subspans"));
  EXPECT_FALSE(says("own_lanes"));
}

// SPV-33: no message goes to a target that is not there, unless alpha to coverage needs its alpha.
TEST_P(Fragments, OutputsWithoutATargetSendNothing) {
  const auto text = [&](std::uint32_t targets, bool alpha_to_coverage) {
    spirv::CompileOptions o = options();
    o.targets = targets;
    o.alpha_to_coverage = alpha_to_coverage;
    base::Diagnostics warnings;
    const auto compiled = spirv::compile(load_shader("fragment/samples.spvasm"), o, warnings);
    EXPECT_TRUE(compiled.ok());
    return compiled.ok() ? compiled->text : std::string();
  };
  const auto count = [](const std::string& in, std::string_view what) {
    std::size_t found = 0;
    for (std::size_t at = in.find(what); at != std::string::npos; at = in.find(what, at + 1)) ++found;
    return found;
  };
  const std::size_t pieces = GetParam() == 32 ? 2 : 1;
  EXPECT_EQ(count(text(~0u, false), "rt_write_3d"), 2 * pieces);
  for (const std::uint32_t location : {0u, 1u}) {
    const std::string one = text(1u << location, false);
    EXPECT_EQ(count(one, "rt_write_3d"), pieces) << one;
    EXPECT_EQ(count(one, " target"), 1u) << one;
    EXPECT_EQ(count(one, location == 0 ? " target 0" : " target/integers 1"), 1u) << one;
    EXPECT_EQ(count(one, "LRTW"), pieces) << one;
  }
  // Depth is sent in any case.
  const std::string none = text(0, false);
  EXPECT_EQ(count(none, "rt_write_3d"), pieces) << none;
  EXPECT_EQ(count(none, "no_target"), 1u) << none;
  EXPECT_EQ(count(text(2, true), "rt_write_3d"), 2 * pieces);
}

/// Discarded pixels keep what the targets held; the others still get derivatives from the whole quad; integer targets;
/// flat inputs by location.
TEST_P(Fragments, DiscardKeepsTheTargets) {
  const std::string toml = R"(
[images."out.0"]
format = "R32G32B32A32_FLOAT"
size = [8, 8]
fill = [9, 9, 9, 9]
save = "color.bin"
[images.ids]
format = "R32G32_SINT"
size = [8, 8]
fill = [77, 77]
save = "ids.bin"
[pixels]
[pixels.inputs]
"in.3" = 5
)";
  const job::RunResult outcome = run_shader(load_shader("fragment/discard.spvasm"), toml, options());
  ASSERT_TRUE(outcome.succeeded) << messages(outcome.diagnostics);
  const std::vector<float> color = output_as<float>(outcome, "color.bin");
  const std::vector<std::int32_t> ids = output_as<std::int32_t>(outcome, "ids.bin");
  ASSERT_EQ(color.size(), 256u);
  ASSERT_EQ(ids.size(), 128u);
  for (int y = 0; y < 8; ++y)
    for (int x = 0; x < 8; ++x) {
      const std::size_t at = static_cast<std::size_t>(y * 8 + x);
      if (((x ^ y) & 1) == 1) {
        EXPECT_EQ(color[4 * at], 9.0f);
        EXPECT_EQ(ids[2 * at], 77);
        continue;
      }
      const float u = (static_cast<float>(x) + 0.5f) / 8, v = (static_cast<float>(y) + 0.5f) / 8;
      const auto square = [](int n) {
        return (static_cast<float>(n) + 0.5f) / 8 * ((static_cast<float>(n) + 0.5f) / 8);
      };
      EXPECT_THAT(std::vector<float>(&color[4 * at], &color[4 * at] + 4),
                  ::testing::ElementsAre(u, v, square(x | 1) - square(x & ~1), 1.0f));
      EXPECT_EQ(ids[2 * at], x < 4 ? x : -1);
      EXPECT_EQ(ids[2 * at + 1], x < 4 ? 5 : y);
    }
}

/// Inputs at other places of the pixel, in a triangle with perspective.
TEST_P(Fragments, InterpolateElsewhereInThePixel) {
  const TemporaryFolder folder;
  // w = 1, 3, 1; the triangle covers the target and more.
  write_text(folder / "mesh.json",
             R"({"position": [[-1, -1, 0.5, 1], [9, -3, 1.5, 3], [-1, 3, 0.5, 1]], "triangles": [[0, 1, 2]],
                "attributes": {"uv": [[0, 0], [1, 0], [0, 1]], "plain": [[0, 0], [1, 0], [0, 1]]}})");
  const std::string toml = R"(
[images.moved]
format = "R32G32B32A32_FLOAT"
size = [8, 8]
save = "moved.bin"
[images.others]
format = "R32G32B32A32_FLOAT"
size = [8, 8]
save = "others.bin"
[pixels]
targets = ["moved", "others"]
geometry = ")" + (folder / "mesh.json").string() +
                           "\"\n";
  const job::RunResult outcome = run_shader(load_shader("fragment/interpolate.spvasm"), toml, options());
  ASSERT_TRUE(outcome.succeeded) << messages(outcome.diagnostics);
  const std::vector<float> moved = output_as<float>(outcome, "moved.bin"),
                           others = output_as<float>(outcome, "others.bin");
  ASSERT_EQ(moved.size(), 256u);
  ASSERT_EQ(others.size(), 256u);
  // Screen: the corners are at pixels (0, 0), (16, 0), (0, 16): barycentric coordinates are x / 16 and y / 16.
  const auto smooth = [](double x, double y, int c) {
    const double b1 = x / 16, b2 = y / 16, b0 = 1 - b1 - b2;
    return (c == 0 ? b1 / 3 : b2) / (b0 + b1 / 3 + b2);
  };
  for (int y = 0; y < 8; ++y)
    for (int x = 0; x < 8; ++x) {
      const std::size_t at = static_cast<std::size_t>(y * 8 + x) * 4;
      const double cx = x + 0.5, cy = y + 0.5;
      EXPECT_NEAR(moved[at], smooth(cx + 0.25, cy - 0.375, 0), 1e-5);
      EXPECT_NEAR(moved[at + 1], smooth(cx + 0.25, cy - 0.375, 1), 1e-5);
      EXPECT_NEAR(moved[at + 2], (cx + 0.25) / 16, 1e-5);
      EXPECT_NEAR(moved[at + 3], (cy - 0.375) / 16, 1e-5);
      EXPECT_NEAR(others[at], smooth(cx, cy, 0), 1e-5);
      EXPECT_NEAR(others[at + 1], smooth(cx, cy, 1), 1e-5);
      EXPECT_NEAR(others[at + 2], smooth(cx, cy + 0.5, 1), 1e-5);
    }
}

/// Three interpolations elsewhere in the pixel share the inputs that they need.
TEST_P(Fragments, InterpolationsShareTheirInputs) {
  const CompiledShader c = compile_shader(load_shader("fragment/interpolate.spvasm"), options());
  ASSERT_TRUE(c.ok) << c.messages;
  const std::string line = " position.w";
  const std::size_t first = c.text.find(line);
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(c.text.find(line, first + 1), std::string::npos);
}

}  // namespace
