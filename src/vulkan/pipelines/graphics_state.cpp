// SPDX-License-Identifier: MIT
#include "vulkan/pipelines/graphics_state.hpp"

#include <span>

namespace heddle::vulkan {
namespace {

/// A state that commands may set in place of the pipeline.
struct Row {
  VkDynamicState state;
  PipelineParts part;  ///< that it belongs to
  void (*copy)(const GraphicsState& from, GraphicsState& to);
  VkDynamicState also = VK_DYNAMIC_STATE_MAX_ENUM;  ///< set by the same command
};

using State = GraphicsState;
using Blend = VkPipelineColorBlendAttachmentState;
using Stencil = VkStencilOpState;

template <auto... kMembers>
void copy([[maybe_unused]] const State& from, [[maybe_unused]] State& to) {
  ((to.*kMembers = from.*kMembers), ...);
}
template <auto... kMembers>
void copy_faces(const State& from, State& to) {
  ((to.front.*kMembers = from.front.*kMembers), ...);
  ((to.back.*kMembers = from.back.*kMembers), ...);
}
template <auto... kMembers>
void copy_blends(const State& from, State& to) {
  for (std::size_t i = 0; i < from.blend.size(); ++i) ((to.blend[i].*kMembers = from.blend[i].*kMembers), ...);
}

// clang-format off
constexpr Row kRows[] = {
    {VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY, kVertexInputPart, copy<&State::topology>},
    {VK_DYNAMIC_STATE_PRIMITIVE_RESTART_ENABLE, kVertexInputPart, copy<&State::restart>},
    {VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE, kVertexInputPart, copy<&State::strides>},
    // The rest of the vertex input has a structure of its own.
    {VK_DYNAMIC_STATE_VERTEX_INPUT_EXT, kVertexInputPart, copy<>, VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE},

    // before the rasterizer
    {VK_DYNAMIC_STATE_PATCH_CONTROL_POINTS_EXT, kVertexPart, copy<&State::patch_vertices>},
    {VK_DYNAMIC_STATE_TESSELLATION_DOMAIN_ORIGIN_EXT, kVertexPart, copy<&State::domain_origin>},
    {VK_DYNAMIC_STATE_VIEWPORT, kVertexPart, copy<&State::viewports>},
    {VK_DYNAMIC_STATE_SCISSOR, kVertexPart, copy<&State::scissors>},
    {VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT, kVertexPart, copy<&State::viewport_count>, VK_DYNAMIC_STATE_VIEWPORT},
    {VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT, kVertexPart, copy<&State::scissor_count>, VK_DYNAMIC_STATE_SCISSOR},
    {VK_DYNAMIC_STATE_DEPTH_CLIP_NEGATIVE_ONE_TO_ONE_EXT, kVertexPart, copy<&State::negative_one_to_one>},
    {VK_DYNAMIC_STATE_LINE_WIDTH, kVertexPart, copy<&State::line_width>},
    {VK_DYNAMIC_STATE_LINE_RASTERIZATION_MODE_EXT, kVertexPart, copy<&State::line_mode>},
    {VK_DYNAMIC_STATE_LINE_STIPPLE_ENABLE_EXT, kVertexPart, copy<&State::stipple>},
    {VK_DYNAMIC_STATE_LINE_STIPPLE_EXT, kVertexPart, copy<&State::stipple_factor, &State::stipple_pattern>},
    {VK_DYNAMIC_STATE_DEPTH_BIAS, kVertexPart,
     copy<&State::bias_constant, &State::bias_clamp, &State::bias_slope, &State::bias_unit>},
    {VK_DYNAMIC_STATE_DEPTH_BIAS_ENABLE, kVertexPart, copy<&State::depth_bias>},
    {VK_DYNAMIC_STATE_DEPTH_CLAMP_ENABLE_EXT, kVertexPart, copy<&State::depth_clamp>},
    {VK_DYNAMIC_STATE_DEPTH_CLAMP_RANGE_EXT, kVertexPart, copy<&State::clamp_range>},
    {VK_DYNAMIC_STATE_DEPTH_CLIP_ENABLE_EXT, kVertexPart, copy<&State::depth_clip>},
    {VK_DYNAMIC_STATE_CULL_MODE, kVertexPart, copy<&State::cull>},
    {VK_DYNAMIC_STATE_FRONT_FACE, kVertexPart, copy<&State::front_face>},
    {VK_DYNAMIC_STATE_POLYGON_MODE_EXT, kVertexPart, copy<&State::polygon_mode>},
    {VK_DYNAMIC_STATE_CONSERVATIVE_RASTERIZATION_MODE_EXT, kVertexPart, copy<&State::conservative>},
    {VK_DYNAMIC_STATE_PROVOKING_VERTEX_MODE_EXT, kVertexPart, copy<&State::provoking>},
    {VK_DYNAMIC_STATE_FRAGMENT_SHADING_RATE_KHR, kVertexPart, copy<&State::fragment_size, &State::combiners>},
    {VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE, kVertexPart, copy<&State::discard>},
    {VK_DYNAMIC_STATE_DISCARD_RECTANGLE_EXT, kVertexPart, copy<&State::discard_rectangles>},
    {VK_DYNAMIC_STATE_DISCARD_RECTANGLE_ENABLE_EXT, kVertexPart, copy<&State::discard_test>},
    {VK_DYNAMIC_STATE_DISCARD_RECTANGLE_MODE_EXT, kVertexPart, copy<&State::discard_mode>},
    {VK_DYNAMIC_STATE_RASTERIZATION_STREAM_EXT, kVertexPart, copy<&State::stream>},

    // tests
    {VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE, kFragmentPart, copy<&State::depth_test>},
    {VK_DYNAMIC_STATE_DEPTH_WRITE_ENABLE, kFragmentPart, copy<&State::depth_write>},
    {VK_DYNAMIC_STATE_DEPTH_COMPARE_OP, kFragmentPart, copy<&State::depth_compare>},
    {VK_DYNAMIC_STATE_DEPTH_BOUNDS_TEST_ENABLE, kFragmentPart, copy<&State::bounds_test>},
    {VK_DYNAMIC_STATE_DEPTH_BOUNDS, kFragmentPart, copy<&State::least_bound, &State::greatest_bound>},
    {VK_DYNAMIC_STATE_STENCIL_TEST_ENABLE, kFragmentPart, copy<&State::stencil_test>},
    {VK_DYNAMIC_STATE_STENCIL_OP, kFragmentPart,
     copy_faces<&Stencil::failOp, &Stencil::passOp, &Stencil::depthFailOp, &Stencil::compareOp>},
    {VK_DYNAMIC_STATE_STENCIL_COMPARE_MASK, kFragmentPart, copy_faces<&Stencil::compareMask>},
    {VK_DYNAMIC_STATE_STENCIL_WRITE_MASK, kFragmentPart, copy_faces<&Stencil::writeMask>},
    {VK_DYNAMIC_STATE_STENCIL_REFERENCE, kFragmentPart, copy_faces<&Stencil::reference>},

    // colors
    {VK_DYNAMIC_STATE_RASTERIZATION_SAMPLES_EXT, kOutputPart, copy<&State::samples>},
    {VK_DYNAMIC_STATE_SAMPLE_LOCATIONS_ENABLE_EXT, kOutputPart, copy<&State::moves_samples>},
    {VK_DYNAMIC_STATE_SAMPLE_LOCATIONS_EXT, kOutputPart, copy<&State::positions>},
    {VK_DYNAMIC_STATE_SAMPLE_MASK_EXT, kOutputPart, copy<&State::sample_mask>},
    {VK_DYNAMIC_STATE_ALPHA_TO_COVERAGE_ENABLE_EXT, kOutputPart, copy<&State::alpha_to_coverage>},
    {VK_DYNAMIC_STATE_ALPHA_TO_ONE_ENABLE_EXT, kOutputPart, copy<&State::alpha_to_one>},
    {VK_DYNAMIC_STATE_LOGIC_OP_ENABLE_EXT, kOutputPart, copy<&State::logic_op_enable>},
    {VK_DYNAMIC_STATE_LOGIC_OP_EXT, kOutputPart, copy<&State::logic_op>},
    {VK_DYNAMIC_STATE_BLEND_CONSTANTS, kOutputPart, copy<&State::constants>},
    {VK_DYNAMIC_STATE_COLOR_WRITE_ENABLE_EXT, kOutputPart, copy<&State::written_colors>},
    {VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT, kOutputPart, copy_blends<&Blend::blendEnable>},
    {VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT, kOutputPart, copy_blends<&Blend::colorWriteMask>},
    {VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT, kOutputPart,
     copy_blends<&Blend::srcColorBlendFactor, &Blend::dstColorBlendFactor, &Blend::colorBlendOp,
                 &Blend::srcAlphaBlendFactor, &Blend::dstAlphaBlendFactor, &Blend::alphaBlendOp>},
    // The operation is one of the equation's.
    {VK_DYNAMIC_STATE_COLOR_BLEND_ADVANCED_EXT, kOutputPart, copy<&State::advanced>,
     VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT},
};
// clang-format on
static_assert(std::size(kRows) <= 64);  // bits of DynamicStates

/// Its bit; 0 where it is none of the driver's, or of other parts.
DynamicStates bit_of(VkDynamicState state, PipelineParts parts) {
  for (std::size_t i = 0; i < std::size(kRows); ++i)
    if (kRows[i].state == state) return (kRows[i].part & parts) != 0 ? DynamicStates{1} << i : 0;
  return 0;
}
VkDynamicState companion_of(VkDynamicState state) {
  for (const Row& row : kRows)
    if (row.state == state) return row.also;
  return VK_DYNAMIC_STATE_MAX_ENUM;
}

}  // namespace

DynamicStates dynamic_states(const VkPipelineDynamicStateCreateInfo* info, PipelineParts parts) {
  DynamicStates found = 0;
  if (info == nullptr) return found;
  for (const VkDynamicState state : std::span(info->pDynamicStates, info->dynamicStateCount))
    found |= bit_of(state, parts) | bit_of(companion_of(state), parts);
  return found;
}

DynamicStates all_dynamic_states() { return ~DynamicStates{} >> (64 - std::size(kRows)); }

bool has_state(DynamicStates states, VkDynamicState state) { return (states & bit_of(state, kAllParts)) != 0; }

void copy_static(const GraphicsState& from, DynamicStates dynamic, GraphicsState& to) {
  for (std::size_t i = 0; i < std::size(kRows); ++i)
    if ((dynamic >> i & 1u) == 0) kRows[i].copy(from, to);
  to.discard_count = from.discard_count;
}

void copy_parts(const GraphicsState& from, PipelineParts parts, GraphicsState& to) {
  for (const Row& row : kRows)
    if ((row.part & parts) != 0) row.copy(from, to);
  if ((kVertexPart & parts) != 0) to.discard_count = from.discard_count;
}

}  // namespace heddle::vulkan
