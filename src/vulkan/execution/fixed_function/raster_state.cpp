// SPDX-License-Identifier: MIT
#include "vulkan/execution/fixed_function/raster_state.hpp"

#include <algorithm>
#include <array>

#include "pipeline/raster/shading_rate.hpp"
#include "vulkan/objects/images/image_view.hpp"

namespace heddle::vulkan {

pipeline::Topology topology_of(VkPrimitiveTopology topology) {
  using pipeline::Topology;
  switch (topology) {
    case VK_PRIMITIVE_TOPOLOGY_POINT_LIST:
      return Topology::PointList;
    case VK_PRIMITIVE_TOPOLOGY_LINE_LIST:
      return Topology::LineList;
    case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP:
      return Topology::LineStrip;
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP:
      return Topology::TriangleStrip;
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN:
      return Topology::TriangleFan;
    case VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY:
      return Topology::LineListAdjacency;
    case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY:
      return Topology::LineStripAdjacency;
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY:
      return Topology::TriangleListAdjacency;
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY:
      return Topology::TriangleStripAdjacency;
    case VK_PRIMITIVE_TOPOLOGY_PATCH_LIST:
      return Topology::PatchList;
    default:
      return Topology::TriangleList;
  }
}

namespace {

pipeline::Cull cull_of(VkCullModeFlags cull) {
  switch (cull) {
    case VK_CULL_MODE_FRONT_BIT:
      return pipeline::Cull::Front;
    case VK_CULL_MODE_BACK_BIT:
      return pipeline::Cull::Back;
    case VK_CULL_MODE_FRONT_AND_BACK:
      return pipeline::Cull::FrontAndBack;
    default:
      return pipeline::Cull::None;
  }
}

pipeline::Conservative conservative_of(VkConservativeRasterizationModeEXT mode) {
  switch (mode) {
    case VK_CONSERVATIVE_RASTERIZATION_MODE_OVERESTIMATE_EXT:
      return pipeline::Conservative::Over;
    case VK_CONSERVATIVE_RASTERIZATION_MODE_UNDERESTIMATE_EXT:
      return pipeline::Conservative::Under;
    default:
      return pipeline::Conservative::Off;
  }
}

pipeline::LineMode line_mode_of(VkLineRasterizationModeEXT mode) {
  switch (mode) {
    case VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT:
      return pipeline::LineMode::Bresenham;
    case VK_LINE_RASTERIZATION_MODE_RECTANGULAR_SMOOTH_EXT:
      return pipeline::LineMode::Smooth;
    default:
      return pipeline::LineMode::Rectangular;
  }
}

pipeline::RateCombiner combiner_of(VkFragmentShadingRateCombinerOpKHR op) {
  switch (op) {
    case VK_FRAGMENT_SHADING_RATE_COMBINER_OP_REPLACE_KHR:
      return pipeline::RateCombiner::Replace;
    case VK_FRAGMENT_SHADING_RATE_COMBINER_OP_MIN_KHR:
      return pipeline::RateCombiner::Minimum;
    case VK_FRAGMENT_SHADING_RATE_COMBINER_OP_MAX_KHR:
      return pipeline::RateCombiner::Maximum;
    case VK_FRAGMENT_SHADING_RATE_COMBINER_OP_MUL_KHR:
      return pipeline::RateCombiner::Multiply;
    default:
      return pipeline::RateCombiner::Keep;
  }
}

/// Bits of a fixed-point depth; 0: it is binary32, or there is none.
unsigned depth_bits(const ImageView* depth) {
  if (depth == nullptr || !depth->attachment.depth) return 0;
  const image::FormatInfo& format = depth->attachment.depth->info();
  return format.channels[0].type == image::ChannelType::Float ? 0 : format.channels[0].bits;
}

/// RAS-6: the unit of a bias is that of the depth's format, or as the state says.
pipeline::DepthBias bias_of(const GraphicsState& state, unsigned bits) {
  constexpr unsigned kMantissa = 23;
  pipeline::DepthBias bias{state.bias_constant, state.bias_slope, state.bias_clamp, bits};
  if (state.bias_unit == VK_DEPTH_BIAS_REPRESENTATION_FLOAT_EXT) {
    bias.constant *= 2;  // halves
    bias.bits = 1;
  } else if (state.bias_unit == VK_DEPTH_BIAS_REPRESENTATION_LEAST_REPRESENTABLE_VALUE_FORCE_UNORM_EXT && bits == 0) {
    bias.bits = kMantissa + 1;
  }
  return bias;
}

/// RAS-11.
pipeline::DiscardRectangles discards_of(const GraphicsState& state) {
  pipeline::DiscardRectangles to;
  to.mode = state.discard_mode == VK_DISCARD_RECTANGLE_MODE_INCLUSIVE_EXT ? pipeline::DiscardMode::Inclusive
                                                                          : pipeline::DiscardMode::Exclusive;
  to.count = state.discard_count;
  constexpr std::uint32_t kMaxExtent = INT32_MAX;
  for (std::uint32_t i = 0; i < to.count; ++i) {
    const VkRect2D& r = state.discard_rectangles[i];
    to.at[i] = {r.offset.x, r.offset.y, static_cast<std::int32_t>(std::min(r.extent.width, kMaxExtent)),
                static_cast<std::int32_t>(std::min(r.extent.height, kMaxExtent))};
  }
  return to;
}

/// What is in both, as x, y, width, height.
std::array<std::int32_t, 4> intersection(const VkRect2D& a, const VkRect2D& b) {
  const auto end = [](std::int32_t offset, std::uint32_t extent) { return std::int64_t{offset} + extent; };
  const std::int64_t left = std::max(a.offset.x, b.offset.x), top = std::max(a.offset.y, b.offset.y),
                     right = std::min(end(a.offset.x, a.extent.width), end(b.offset.x, b.extent.width)),
                     bottom = std::min(end(a.offset.y, a.extent.height), end(b.offset.y, b.extent.height));
  return {static_cast<std::int32_t>(left), static_cast<std::int32_t>(top),
          static_cast<std::int32_t>(std::clamp<std::int64_t>(right - left, 0, INT32_MAX)),
          static_cast<std::int32_t>(std::clamp<std::int64_t>(bottom - top, 0, INT32_MAX))};
}

}  // namespace

std::shared_ptr<const pipeline::ShadingRates> shading_rates_of(const GraphicsPipeline& pipeline,
                                                               const GraphicsState& state, const Rendering& rendering) {
  const auto size_of = [](const VkExtent2D& extent) { return pipeline::FragmentSize{extent.width, extent.height}; };
  const pipeline::PixelPlan& plan = pipeline.pixels.program->plan();
  if (pipeline.pixels.sample_shading || state.conservative != VK_CONSERVATIVE_RASTERIZATION_MODE_DISABLED_EXT)
    return nullptr;
  pipeline::ShadingRates rates;
  rates.draw = size_of(state.fragment_size);
  for (std::size_t k = 0; k < rates.combiners.size(); ++k) rates.combiners[k] = combiner_of(state.combiners[k]);
  rates.samples = plan.samples;
  if (const ImageView* view = rendering.shading_rate; view != nullptr && view->attachment.color &&
                                                      rendering.shading_rate_texel.width >= pipeline::kRateCell &&
                                                      rendering.shading_rate_texel.height >= pipeline::kRateCell) {
    rates.attachment = view->attachment.color.object();
    rates.texel_width = rendering.shading_rate_texel.width;
    rates.texel_height = rendering.shading_rate_texel.height;
  }
  if (rates.is_plain(pipeline.pixels.primitive_rates)) return nullptr;
  return std::make_shared<const pipeline::ShadingRates>(std::move(rates));
}

void set_raster_state(const GraphicsState& state, const Rendering& rendering, std::uint32_t view,
                      pipeline::RasterState& to) {
  to.width = rendering.width;
  to.height = rendering.height;
  to.viewport_count = std::max(1u, state.viewport_count);
  for (std::uint32_t i = 0; i < to.viewport_count; ++i) {
    const VkViewport& v = state.viewports[i];
    to.viewports[i] = {v.x, v.y, v.width, v.height, v.minDepth, v.maxDepth};
    to.scissors[i] = intersection(state.scissors[i], rendering.area);
  }
  to.view = to.layer = view;
  to.layers = std::max(rendering.layers, view + 1);
  to.sample_mask = state.sample_mask;
  to.depth_clip = state.depth_clip.value_or(state.depth_clamp == VK_FALSE);
  to.negative_one_to_one = state.negative_one_to_one == VK_TRUE;
  to.polygon_mode = state.polygon_mode == VK_POLYGON_MODE_LINE    ? pipeline::PolygonMode::Line
                    : state.polygon_mode == VK_POLYGON_MODE_POINT ? pipeline::PolygonMode::Point
                                                                  : pipeline::PolygonMode::Fill;
  to.conservative = conservative_of(state.conservative);
  to.cull = cull_of(state.cull);
  to.front_ccw = state.front_face == VK_FRONT_FACE_COUNTER_CLOCKWISE;
  to.depth_bias.reset();
  if (state.depth_bias == VK_TRUE) to.depth_bias = bias_of(state, depth_bits(rendering.depth));
  to.discards.reset();
  if (state.discard_test == VK_TRUE) to.discards = discards_of(state);
  to.line_mode = line_mode_of(state.line_mode);
  to.line_width = state.line_width;
  to.line_stipple.reset();
  if (state.stipple == VK_TRUE) to.line_stipple = {std::max(1u, state.stipple_factor), state.stipple_pattern};
}

}  // namespace heddle::vulkan
