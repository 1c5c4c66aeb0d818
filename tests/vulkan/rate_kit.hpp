// SPDX-License-Identifier: MIT
#pragma once
// Draws whose fragments may be several pixels, and what the specification makes of their rates.

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <vector>

#include "vulkan/canvas.hpp"

namespace heddle::test {

inline constexpr auto kKeep = VK_FRAGMENT_SHADING_RATE_COMBINER_OP_KEEP_KHR;
using Combiner = VkFragmentShadingRateCombinerOpKHR;

struct Size {
  std::uint32_t width = 1, height = 1;
  bool operator==(const Size&) const = default;
};

/// The code of a size: logarithms of the height in bits 1:0, of the width in bits 3:2.
[[nodiscard]] inline std::uint32_t code_of(const Size& s) {
  return static_cast<std::uint32_t>(std::countr_zero(s.height) | std::countr_zero(s.width) << 2);
}
[[nodiscard]] inline Size size_of(std::uint32_t code) { return {1u << (code >> 2 & 3), 1u << (code & 3)}; }

/// What the specification makes of a size with so many samples: the greatest area, then the least sum.
[[nodiscard]] inline Size clamped(const Size& wanted, std::uint32_t samples) {
  Size best;
  for (const std::uint32_t w : {4u, 2u, 1u})
    for (const std::uint32_t h : {4u, 2u, 1u}) {
      if (w > wanted.width || h > wanted.height || (w * h > 1 && w * h * samples > 16)) continue;
      const auto better = [&](const Size& a, const Size& b) {
        if (a.width * a.height != b.width * b.height) return a.width * a.height > b.width * b.height;
        return a.width + a.height < b.width + b.height;
      };
      if (better({w, h}, best)) best = {w, h};
    }
  return best;
}
[[nodiscard]] inline Size combined(Combiner op, const Size& a, const Size& b) {
  const auto one = [&](std::uint32_t x, std::uint32_t y) {
    switch (op) {
      case VK_FRAGMENT_SHADING_RATE_COMBINER_OP_REPLACE_KHR:
        return y;
      case VK_FRAGMENT_SHADING_RATE_COMBINER_OP_MIN_KHR:
        return std::min(x, y);
      case VK_FRAGMENT_SHADING_RATE_COMBINER_OP_MAX_KHR:
        return std::max(x, y);
      case VK_FRAGMENT_SHADING_RATE_COMBINER_OP_MUL_KHR:
        return x * y;
      default:
        return x;
    }
  };
  return {one(a.width, b.width), one(a.height, b.height)};
}

inline constexpr std::uint32_t kWidth = 44, kHeight = 28;

/// A canvas of four floats a pixel, a depth attachment, and a count of invocations in the buffer of binding 0.
struct RateCanvas : Canvas {
  explicit RateCanvas(std::uint32_t samples = 1, bool integers = false)
      : Canvas(kWidth, kHeight, {integers ? VK_FORMAT_R32G32B32A32_UINT : VK_FORMAT_R32G32B32A32_SFLOAT},
               VK_FORMAT_D32_SFLOAT, static_cast<VkSampleCountFlagBits>(samples),
               {VK_KHR_FRAGMENT_SHADING_RATE_EXTENSION_NAME, VK_EXT_PROVOKING_VERTEX_EXTENSION_NAME}) {
    const std::vector<VulkanDevice::Binding> bindings{{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
    const VkDescriptorSetLayout of_set = v.set_layout(bindings);
    layout = v.layout({of_set});
    set = v.set(of_set, bindings);
    counts = v.buffer(64);
    v.write(set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, counts);
    set_rate = v.proc<PFN_vkCmdSetFragmentShadingRateKHR>("vkCmdSetFragmentShadingRateKHR");
  }

  /// Draws `vertices`; the size is the pipeline's, or set by a command.
  void run(PipelineState s, const Size& size, Combiner first = kKeep, Combiner second = kKeep, bool dynamic = false,
           std::uint32_t vertices = 3) {
    VkPipelineFragmentShadingRateStateCreateInfoKHR rate{
        VK_STRUCTURE_TYPE_PIPELINE_FRAGMENT_SHADING_RATE_STATE_CREATE_INFO_KHR};
    rate.fragmentSize = dynamic ? VkExtent2D{1, 1} : VkExtent2D{size.width, size.height};
    rate.combinerOps[0] = dynamic ? kKeep : first;
    rate.combinerOps[1] = dynamic ? kKeep : second;
    s.chain = &rate;
    if (dynamic) s.dynamic.push_back(VK_DYNAMIC_STATE_FRAGMENT_SHADING_RATE_KHR);
    s.layout = layout;
    s.samples.rasterizationSamples = count;
    if (s.vertex.empty()) s.vertex = covering_vertices();
    std::memset(counts.bytes, 0, counts.size);
    const VkPipeline pipeline = this->pipeline(s);
    draw([&](VkCommandBuffer c) {
      vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 0, nullptr);
      const VkExtent2D extent{size.width, size.height};
      const Combiner ops[2] = {first, second};
      if (dynamic) set_rate(c, &extent, ops);
      vkCmdDraw(c, vertices, 1, 0, 0);
    });
  }
  /// Four numbers of each pixel.
  template <typename T>
  std::vector<std::array<T, 4>> drawn() {
    const std::vector<std::uint8_t> bytes = read(resolved.empty() ? colors[0] : resolved[0], 16);
    std::vector<std::array<T, 4>> values(bytes.size() / 16);
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkDescriptorSet set = VK_NULL_HANDLE;
  VulkanDevice::Buffer counts;
  PFN_vkCmdSetFragmentShadingRateKHR set_rate = nullptr;
};

inline const std::string kRateHead =
    "#version 450\n#extension GL_EXT_fragment_shading_rate : require\n"
    "layout(binding = 0) buffer Counts { uint invocations; };\nlayout(location = 0) out vec4 o;\n";
/// The fragment's place, its code, and how far the next one is.
inline const std::string kPlace =
    kRateHead +
    "void main() {\n  if (!gl_HelperInvocation) atomicAdd(invocations, 1u);\n"
    "  o = vec4(gl_FragCoord.xy, gl_ShadingRateEXT, dFdx(gl_FragCoord.x) * 8 + dFdy(gl_FragCoord.y));\n}\n";

[[nodiscard]] inline std::array<float, 4> place(std::uint32_t x, std::uint32_t y, const Size& s) {
  const auto middle = [](std::uint32_t at, std::uint32_t size) {
    return static_cast<float>(at / size * size) + static_cast<float>(size) / 2;
  };
  return {middle(x, s.width), middle(y, s.height), static_cast<float>(code_of(s)),
          static_cast<float>(s.width * 8 + s.height)};
}

}  // namespace heddle::test
