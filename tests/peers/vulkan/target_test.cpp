// SPDX-License-Identifier: MIT
// Render-target writes with blending against lavapipe: the same colors, targets and blend state through both (OM-9 to
// OM-14).

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "image/format.hpp"
#include "image/output_state.hpp"
#include "image/surface.hpp"
#include "peers/vulkan/vulkan_client.hpp"
#include "render_target/render_target.hpp"
#include "support/process.hpp"
#include "texture/point.hpp"

namespace heddle::test {
namespace {

using image::BlendFactor;
using image::BlendFunction;

constexpr std::uint32_t kWidth = 16, kHeight = 8;

struct Factor {
  BlendFactor ours;
  VkBlendFactor theirs;
};
const Factor kFactors[] = {{BlendFactor::Zero, VK_BLEND_FACTOR_ZERO},
                           {BlendFactor::One, VK_BLEND_FACTOR_ONE},
                           {BlendFactor::SrcColor, VK_BLEND_FACTOR_SRC_COLOR},
                           {BlendFactor::InvSrcColor, VK_BLEND_FACTOR_ONE_MINUS_SRC_COLOR},
                           {BlendFactor::DstColor, VK_BLEND_FACTOR_DST_COLOR},
                           {BlendFactor::SrcAlpha, VK_BLEND_FACTOR_SRC_ALPHA},
                           {BlendFactor::InvSrcAlpha, VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA},
                           {BlendFactor::DstAlpha, VK_BLEND_FACTOR_DST_ALPHA},
                           {BlendFactor::InvDstAlpha, VK_BLEND_FACTOR_ONE_MINUS_DST_ALPHA},
                           {BlendFactor::ConstColor, VK_BLEND_FACTOR_CONSTANT_COLOR},
                           {BlendFactor::SrcAlphaSaturate, VK_BLEND_FACTOR_SRC_ALPHA_SATURATE}};
struct Function {
  BlendFunction ours;
  VkBlendOp theirs;
};
const Function kFunctions[] = {{BlendFunction::Add, VK_BLEND_OP_ADD},
                               {BlendFunction::Subtract, VK_BLEND_OP_SUBTRACT},
                               {BlendFunction::ReverseSubtract, VK_BLEND_OP_REVERSE_SUBTRACT},
                               {BlendFunction::Min, VK_BLEND_OP_MIN},
                               {BlendFunction::Max, VK_BLEND_OP_MAX}};

/// One draw over a target with random content; returns the largest difference of any channel, in decoded units.
double compare(VulkanClient& vulkan, const char* format, const Factor& source, const Factor& destination,
               const Function& function, bool blend, unsigned seed) {
  image::Surface target;
  target.format = image::find_format(format)->format;
  target.width = kWidth;
  target.height = kHeight;
  EXPECT_TRUE(image::allocate(target).ok());
  std::mt19937 random(seed);
  const auto unit_value = [&] { return static_cast<float>(random() % 1021) / 1020.0f; };
  for (std::uint32_t y = 0; y < kHeight; ++y)
    for (std::uint32_t x = 0; x < kWidth; ++x) {
      image::Texel t;
      for (int c = 0; c < 4; ++c) t.set(c, unit_value());
      image::store(target, 0, 0, x, y, t);
    }
  std::vector<float> colors(kWidth * kHeight * 4);
  for (float& c : colors) c = unit_value();
  PeerDraw draw;
  draw.width = kWidth;
  draw.height = kHeight;
  draw.format = static_cast<VkFormat>(*image::vulkan_format(target.format));
  draw.target = target.memory->copy();
  draw.blend.blendEnable = blend ? VK_TRUE : VK_FALSE;
  draw.blend.srcColorBlendFactor = draw.blend.srcAlphaBlendFactor = source.theirs;
  draw.blend.dstColorBlendFactor = draw.blend.dstAlphaBlendFactor = destination.theirs;
  draw.blend.colorBlendOp = draw.blend.alphaBlendOp = function.theirs;
  draw.blend.colorWriteMask = 0xf;
  image::OutputState state;
  state.blend[0].enable = blend;
  state.blend[0].src_color = source.ours;
  state.blend[0].dst_color = destination.ours;
  state.blend[0].color_func = function.ours;
  for (std::size_t c = 0; c < 4; ++c) state.constant[c] = draw.blend_constants[c] = 0.25f * static_cast<float>(c + 1);
  std::vector<std::uint8_t> in(colors.size() * 4);
  std::memcpy(in.data(), colors.data(), in.size());
  std::vector<PeerBinding> bindings(1);
  bindings[0].buffer = &in;
  const std::string why = vulkan.draw(
      "#version 450\nlayout(set = 0, binding = 0) readonly buffer In { vec4 colors[]; };\nlayout(location = 0) out "
      "vec4 o;\n"
      "void main() { o = colors[int(gl_FragCoord.y) * 16 + int(gl_FragCoord.x)]; }\n",
      bindings, draw);
  EXPECT_EQ(why, "");
  for (std::uint32_t y = 0; y < kHeight; ++y)
    for (std::uint32_t x = 0; x < kWidth; ++x) {
      const float* c = &colors[(y * kWidth + x) * 4];
      render_target::write_pixel(target, x, y, {c[0], c[1], c[2], c[3]}, state);
    }
  image::Surface theirs = target;
  theirs.memory = std::make_shared<image::Memory>(draw.target);
  double worst = 0;
  for (std::uint32_t y = 0; y < kHeight; ++y)
    for (std::uint32_t x = 0; x < kWidth; ++x)
      for (int c = 0; c < 4; ++c)
        worst = std::max(worst, std::fabs(static_cast<double>(image::fetch(target, 0, 0, x, y, false).texel.f(c)) -
                                          static_cast<double>(image::fetch(theirs, 0, 0, x, y, false).texel.f(c))));
  return worst;
}

#define HEDDLE_NEED_LAVAPIPE()                    \
  std::string why_not;                            \
  VulkanClient* const vulkan = lavapipe(why_not); \
  if (vulkan == nullptr) GTEST_SKIP() << "lavapipe: " << why_not

// OM-12: quantization without blending. UNORM8 within a tie (NUM-50 rounds to even), floats exactly, halves within
// lavapipe's truncation.
TEST(LavapipeTargets, PlainWrites) {
  HEDDLE_NEED_LAVAPIPE();
  EXPECT_LE(compare(*vulkan, "R8G8B8A8_UNORM", kFactors[1], kFactors[0], kFunctions[0], false, 1), 1.0 / 255 + 1e-6);
  EXPECT_LE(compare(*vulkan, "R32G32B32A32_FLOAT", kFactors[1], kFactors[0], kFunctions[0], false, 2), 0.0);
  EXPECT_LE(compare(*vulkan, "R16G16B16A16_FLOAT", kFactors[1], kFactors[0], kFunctions[0], false, 3), 1.0 / 1024);
  EXPECT_LE(compare(*vulkan, "B5G6R5_UNORM", kFactors[1], kFactors[0], kFunctions[0], false, 4), 1.0 / 31 + 1e-6);
  EXPECT_LE(compare(*vulkan, "R10G10B10A2_UNORM", kFactors[1], kFactors[0], kFunctions[0], false, 5), 1.0 / 3 + 1e-6);
}

// OM-9, OM-20, OM-21: every factor and function. lavapipe blends RGBA8 in 8 bits (off by up to 1.4 steps); floats agree
// to rounding.
TEST(LavapipeTargets, BlendingAgrees) {
  HEDDLE_NEED_LAVAPIPE();
  unsigned seed = 10;
  for (const Function& function : kFunctions)
    for (const Factor& source : kFactors)
      for (const Factor& destination : kFactors) {
        if (destination.ours == BlendFactor::SrcAlphaSaturate) continue;
        if (!test_all() && (seed++ % 3) != 0) continue;
        const std::string what = "function " + std::to_string(static_cast<int>(function.ours)) + " source " +
                                 std::to_string(static_cast<int>(source.ours)) + " destination " +
                                 std::to_string(static_cast<int>(destination.ours));
        EXPECT_LE(compare(*vulkan, "R32G32B32A32_FLOAT", source, destination, function, true, seed), 3e-7) << what;
        EXPECT_LE(compare(*vulkan, "R8G8B8A8_UNORM", source, destination, function, true, seed), 2.0 / 255 + 1e-6)
            << what;
      }
}

}  // namespace
}  // namespace heddle::test
