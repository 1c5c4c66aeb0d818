// SPDX-License-Identifier: MIT
#include "vulkan/execution/fixed_function/output_state.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "vulkan/objects/images/image_view.hpp"

namespace heddle::vulkan {
namespace {

using image::BlendFactor;
using image::LogicOp;
using image::StencilOp;

/// The value at a Vulkan enumerator's number; the first one for a number that Vulkan does not have.
template <typename T, std::size_t N>
T at(const std::array<T, N>& list, int number) {
  return list[number >= 0 && static_cast<std::size_t>(number) < N ? static_cast<std::size_t>(number) : 0];
}

BlendFactor factor_of(VkBlendFactor factor) {
  constexpr std::array kFactors{
      BlendFactor::Zero,         BlendFactor::One,           BlendFactor::SrcColor,         BlendFactor::InvSrcColor,
      BlendFactor::DstColor,     BlendFactor::InvDstColor,   BlendFactor::SrcAlpha,         BlendFactor::InvSrcAlpha,
      BlendFactor::DstAlpha,     BlendFactor::InvDstAlpha,   BlendFactor::ConstColor,       BlendFactor::InvConstColor,
      BlendFactor::ConstAlpha,   BlendFactor::InvConstAlpha, BlendFactor::SrcAlphaSaturate, BlendFactor::Src1Color,
      BlendFactor::InvSrc1Color, BlendFactor::Src1Alpha,     BlendFactor::InvSrc1Alpha};
  return at(kFactors, factor);
}

LogicOp logic_of(VkLogicOp op) {
  constexpr std::array kOperations{LogicOp::Clear,        LogicOp::And,        LogicOp::AndReverse, LogicOp::Copy,
                                   LogicOp::AndInverted,  LogicOp::Noop,       LogicOp::Xor,        LogicOp::Or,
                                   LogicOp::Nor,          LogicOp::Equiv,      LogicOp::Invert,     LogicOp::OrReverse,
                                   LogicOp::CopyInverted, LogicOp::OrInverted, LogicOp::Nand,       LogicOp::Set};
  return at(kOperations, op);
}

image::CompareFunction compare_of(VkCompareOp op) {
  using enum image::CompareFunction;
  constexpr std::array kFunctions{Never, Less, Equal, Lequal, Greater, Notequal, Gequal, Always};
  return at(kFunctions, op);
}

image::StencilFace face_of(const VkStencilOpState& from) {
  constexpr std::array kOperations{StencilOp::Keep,    StencilOp::Zero,   StencilOp::Replace, StencilOp::IncrSat,
                                   StencilOp::DecrSat, StencilOp::Invert, StencilOp::Incr,    StencilOp::Decr};
  return {compare_of(from.compareOp),
          at(kOperations, from.failOp),
          at(kOperations, from.depthFailOp),
          at(kOperations, from.passOp),
          static_cast<std::uint8_t>(from.compareMask),
          static_cast<std::uint8_t>(from.writeMask),
          static_cast<std::uint8_t>(from.reference)};
}

/// Vulkan: fixed-point targets clamp what goes into a blend, others do not.
bool is_fixed_point(const image::FormatInfo& format) {
  return std::any_of(format.channels.begin(), format.channels.begin() + format.channel_count,
                     [](const image::Channel& c) {
                       return c.type == image::ChannelType::Unorm || c.type == image::ChannelType::Snorm;
                     });
}

/// OM-27: a target with a color of fewer than 8 bits.
bool is_coarse(const image::FormatInfo& format) {
  return std::any_of(format.channels.begin(), format.channels.begin() + format.channel_count,
                     [](const image::Channel& c) {
                       return c.type == image::ChannelType::Unorm && c.bits < 8 && c.name != 'A' && c.name != 'X';
                     });
}

/// OM-26: the enumerators follow each other.
image::AdvancedBlend advanced_of(VkBlendOp op, const VkColorBlendAdvancedEXT& from) {
  image::AdvancedBlend to;
  if (op < VK_BLEND_OP_ZERO_EXT || op > VK_BLEND_OP_BLUE_EXT) return to;
  to.op = static_cast<image::AdvancedBlendOp>(op - VK_BLEND_OP_ZERO_EXT + 1);
  constexpr std::array kOverlaps{image::BlendOverlap::Uncorrelated, image::BlendOverlap::Disjoint,
                                 image::BlendOverlap::Conjoint};
  to.overlap = at(kOverlaps, from.blendOverlap);
  to.straight_source = from.srcPremultiplied == VK_FALSE;
  to.straight_destination = from.dstPremultiplied == VK_FALSE;
  to.clamped = from.clampResults == VK_TRUE;
  return to;
}

image::BlendEntry blend_of(const VkPipelineColorBlendAttachmentState& from, const VkColorBlendAdvancedEXT& advanced,
                           const GraphicsState& state, const image::FormatInfo& format) {
  image::BlendEntry to;
  to.enable = from.blendEnable == VK_TRUE && format.value_class == image::ValueClass::Float;
  to.src_color = factor_of(from.srcColorBlendFactor);
  to.dst_color = factor_of(from.dstColorBlendFactor);
  to.color_func = static_cast<image::BlendFunction>(std::min<unsigned>(from.colorBlendOp, VK_BLEND_OP_MAX));
  to.src_alpha = factor_of(from.srcAlphaBlendFactor);
  to.dst_alpha = factor_of(from.dstAlphaBlendFactor);
  to.alpha_blend_func = static_cast<image::BlendFunction>(std::min<unsigned>(from.alphaBlendOp, VK_BLEND_OP_MAX));
  to.advanced = advanced_of(from.colorBlendOp, advanced);
  for (unsigned c = 0; c < 4; ++c) to.write_disable[c] = (from.colorWriteMask >> c & 1u) == 0;
  to.pre_blend_clamp = is_fixed_point(format);
  // Logic operations do nothing to floats and sRGB, and leave blending off.
  const bool logic = state.logic_op_enable == VK_TRUE;
  if (logic) to.enable = false;
  to.logic_op_enable =
      logic && !format.is_srgb() && (is_fixed_point(format) || format.value_class != image::ValueClass::Float);
  to.logic_op = logic_of(state.logic_op);
  return to;
}

/// What depths are clamped to (OM-6), viewport by viewport. What is not clamped may be outside of 0 to 1 where the
/// format can hold it.
void set_depth_ranges(const GraphicsState& state, const Rendering& rendering, ClampedDepths clamped,
                      image::OutputState& to) {
  to.depth_range = {std::numeric_limits<float>::lowest(), std::numeric_limits<float>::max()};
  const image::Surface* depth =
      rendering.depth != nullptr ? attachment_of(*rendering.depth, VK_IMAGE_ASPECT_DEPTH_BIT).get() : nullptr;
  const bool to_one =
      depth != nullptr && depth->format == image::Format::R32_FLOAT ? clamped.floating_point : clamped.fixed_point;
  if (to_one) to.depth_range = {0, 1};
  if (state.depth_clamp == VK_FALSE) return;
  to.viewport_count = static_cast<std::uint8_t>(std::min<std::size_t>(state.viewport_count, to.viewports.size()));
  for (std::size_t i = 0; i < to.viewport_count; ++i) {
    const VkViewport& v = state.viewports[i];
    const VkDepthClampRangeEXT range = state.clamp_range.value_or(
        VkDepthClampRangeEXT{std::min(v.minDepth, v.maxDepth), std::max(v.minDepth, v.maxDepth)});
    const auto inside = [&](float z) { return to_one ? std::clamp(z, 0.0f, 1.0f) : z; };
    to.viewports[i] = {inside(range.minDepthClamp), inside(range.maxDepthClamp)};
  }
}

}  // namespace

image::OutputState output_state(const GraphicsPipeline& pipeline, const GraphicsState& state,
                                const Rendering& rendering, ClampedDepths clamped) {
  image::OutputState to;
  to.independent_alpha = true;
  to.logic_op_integers = true;
  to.alpha_to_coverage = state.alpha_to_coverage == VK_TRUE;
  to.alpha_to_coverage_single = true;
  to.alpha_to_one = state.alpha_to_one == VK_TRUE;
  std::copy(state.constants.begin(), state.constants.end(), to.constant.begin());
  for (std::size_t n = 0; n < pipeline.pixels.targets.size() && n < to.blend.size(); ++n) {
    const std::uint32_t location = pipeline.pixels.targets[n].location;
    const ImageView* view = location < kMaxColors ? rendering.colors[location] : nullptr;
    if (view == nullptr || !view->attachment.color) continue;
    const std::uint32_t number = rendering.at_location[location];  // not ~0, as the location has a view
    to.blend[n] = blend_of(state.blend[number], state.advanced[number], state, view->attachment.color->info());
    to.dither = to.dither || (rendering.dithers && is_coarse(view->attachment.color->info()));
    if ((state.written_colors >> number & 1u) == 0) std::ranges::fill(to.blend[n].write_disable, true);
  }
  const auto tests = [&](const ImageView* view, VkImageAspectFlags aspect) {
    return view != nullptr && (pipeline.tested & aspect) != 0 && attachment_of(*view, aspect);
  };
  const bool has_depth = tests(rendering.depth, VK_IMAGE_ASPECT_DEPTH_BIT);
  to.depth_test = has_depth && state.depth_test == VK_TRUE;
  to.depth_write = to.depth_test && state.depth_write == VK_TRUE;
  to.depth_func = compare_of(state.depth_compare);
  to.depth_bounds_test = has_depth && state.bounds_test == VK_TRUE;
  to.depth_bounds = {state.least_bound, state.greatest_bound};
  set_depth_ranges(state, rendering, clamped, to);
  to.stencil_test = tests(rendering.stencil, VK_IMAGE_ASPECT_STENCIL_BIT) && state.stencil_test == VK_TRUE;
  to.stencil_write = to.stencil_test;
  to.double_sided = true;
  to.front = face_of(state.front);
  to.back = face_of(state.back);
  return to;
}

}  // namespace heddle::vulkan
