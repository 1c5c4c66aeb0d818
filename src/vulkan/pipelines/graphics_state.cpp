#include "vulkan/pipelines/graphics_state.hpp"

#include <span>

namespace heddle::vulkan {
namespace {

struct Entry {
  VkDynamicState state;
  PipelineParts part;  ///< that it belongs to
  void (*copy)(const GraphicsState& from, GraphicsState& to);
};

/// change(from, to) for each attachment.
template <typename Change>
void for_each_blend(const GraphicsState& from, GraphicsState& to, const Change& change) {
  for (std::size_t i = 0; i < from.blend.size(); ++i) change(from.blend[i], to.blend[i]);
}

void copy_stencil_operations(const VkStencilOpState& from, VkStencilOpState& to) {
  to.failOp = from.failOp;
  to.passOp = from.passOp;
  to.depthFailOp = from.depthFailOp;
  to.compareOp = from.compareOp;
}

#define HEDDLE_COPY [](const GraphicsState& from, GraphicsState& to)
#define HEDDLE_MEMBER(state, part, member)                              \
  {VK_DYNAMIC_STATE_##state, part, HEDDLE_COPY{to.member = from.member; \
  }                                                                     \
  }

constexpr Entry kEntries[] = {
    HEDDLE_MEMBER(PRIMITIVE_TOPOLOGY, kVertexInputPart, topology),
    HEDDLE_MEMBER(PRIMITIVE_RESTART_ENABLE, kVertexInputPart, restart),
    HEDDLE_MEMBER(VERTEX_INPUT_BINDING_STRIDE, kVertexInputPart, strides),
    {VK_DYNAMIC_STATE_VERTEX_INPUT_EXT, kVertexInputPart,
     [](const GraphicsState&, GraphicsState&) {}},  // has a structure of its own
    // before the rasterizer
    HEDDLE_MEMBER(VIEWPORT, kVertexPart, viewports), HEDDLE_MEMBER(SCISSOR, kVertexPart, scissors),
    HEDDLE_MEMBER(VIEWPORT_WITH_COUNT, kVertexPart, viewport_count),
    HEDDLE_MEMBER(SCISSOR_WITH_COUNT, kVertexPart, scissor_count),
    HEDDLE_MEMBER(DEPTH_CLIP_NEGATIVE_ONE_TO_ONE_EXT, kVertexPart, negative_one_to_one),
    HEDDLE_MEMBER(LINE_WIDTH, kVertexPart, line_width),
    HEDDLE_MEMBER(LINE_RASTERIZATION_MODE_EXT, kVertexPart, line_mode),
    HEDDLE_MEMBER(LINE_STIPPLE_ENABLE_EXT, kVertexPart, stipple),
    {VK_DYNAMIC_STATE_LINE_STIPPLE_EXT, kVertexPart, HEDDLE_COPY{to.stipple_factor = from.stipple_factor;
to.stipple_pattern = from.stipple_pattern;
}  // namespace
}  // namespace heddle::vulkan
, {VK_DYNAMIC_STATE_DEPTH_BIAS, kVertexPart, HEDDLE_COPY{to.bias_constant = from.bias_constant;
to.bias_clamp = from.bias_clamp;
to.bias_slope = from.bias_slope;
}
}
, HEDDLE_MEMBER(DEPTH_BIAS_ENABLE, kVertexPart, depth_bias),
    HEDDLE_MEMBER(DEPTH_CLAMP_ENABLE_EXT, kVertexPart, depth_clamp),
    HEDDLE_MEMBER(DEPTH_CLIP_ENABLE_EXT, kVertexPart, depth_clip), HEDDLE_MEMBER(CULL_MODE, kVertexPart, cull),
    HEDDLE_MEMBER(FRONT_FACE, kVertexPart, front_face), HEDDLE_MEMBER(POLYGON_MODE_EXT, kVertexPart, polygon_mode),
    HEDDLE_MEMBER(CONSERVATIVE_RASTERIZATION_MODE_EXT, kVertexPart, conservative),
    HEDDLE_MEMBER(PROVOKING_VERTEX_MODE_EXT, kVertexPart, provoking),
    HEDDLE_MEMBER(RASTERIZER_DISCARD_ENABLE, kVertexPart, discard),
    // tests
    HEDDLE_MEMBER(DEPTH_TEST_ENABLE, kFragmentPart, depth_test),
    HEDDLE_MEMBER(DEPTH_WRITE_ENABLE, kFragmentPart, depth_write),
    HEDDLE_MEMBER(DEPTH_COMPARE_OP, kFragmentPart, depth_compare),
    HEDDLE_MEMBER(DEPTH_BOUNDS_TEST_ENABLE, kFragmentPart, bounds_test),
    {VK_DYNAMIC_STATE_DEPTH_BOUNDS, kFragmentPart, HEDDLE_COPY{to.least_bound = from.least_bound;
to.greatest_bound = from.greatest_bound;
}
}
, HEDDLE_MEMBER(STENCIL_TEST_ENABLE, kFragmentPart, stencil_test),
    {VK_DYNAMIC_STATE_STENCIL_OP, kFragmentPart, HEDDLE_COPY{copy_stencil_operations(from.front, to.front);
copy_stencil_operations(from.back, to.back);
}
}
, {VK_DYNAMIC_STATE_STENCIL_COMPARE_MASK, kFragmentPart, HEDDLE_COPY{to.front.compareMask = from.front.compareMask;
to.back.compareMask = from.back.compareMask;
}
}
, {VK_DYNAMIC_STATE_STENCIL_WRITE_MASK, kFragmentPart, HEDDLE_COPY{to.front.writeMask = from.front.writeMask;
to.back.writeMask = from.back.writeMask;
}
}
, {VK_DYNAMIC_STATE_STENCIL_REFERENCE, kFragmentPart, HEDDLE_COPY{to.front.reference = from.front.reference;
to.back.reference = from.back.reference;
}
}
,
    // colors
    HEDDLE_MEMBER(RASTERIZATION_SAMPLES_EXT, kOutputPart, samples),
    HEDDLE_MEMBER(SAMPLE_LOCATIONS_ENABLE_EXT, kOutputPart, moves_samples),
    HEDDLE_MEMBER(SAMPLE_LOCATIONS_EXT, kOutputPart, positions),
    HEDDLE_MEMBER(SAMPLE_MASK_EXT, kOutputPart, sample_mask),
    HEDDLE_MEMBER(ALPHA_TO_COVERAGE_ENABLE_EXT, kOutputPart, alpha_to_coverage),
    HEDDLE_MEMBER(ALPHA_TO_ONE_ENABLE_EXT, kOutputPart, alpha_to_one),
    HEDDLE_MEMBER(LOGIC_OP_ENABLE_EXT, kOutputPart, logic_op_enable),
    HEDDLE_MEMBER(LOGIC_OP_EXT, kOutputPart, logic_op), HEDDLE_MEMBER(BLEND_CONSTANTS, kOutputPart, constants),
    HEDDLE_MEMBER(COLOR_WRITE_ENABLE_EXT, kOutputPart, written_colors),
    {VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT, kOutputPart,
     HEDDLE_COPY{for_each_blend(from, to, [](const auto& a, auto& b) { b.blendEnable = a.blendEnable; });
}
}
, {VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT, kOutputPart,
   HEDDLE_COPY{for_each_blend(from, to, [](const auto& a, auto& b) { b.colorWriteMask = a.colorWriteMask; });
}
}
, {VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT, kOutputPart,
   HEDDLE_COPY{for_each_blend(from, to, [](const auto& a, auto& b) {
     b.srcColorBlendFactor = a.srcColorBlendFactor;
     b.dstColorBlendFactor = a.dstColorBlendFactor;
     b.colorBlendOp = a.colorBlendOp;
     b.srcAlphaBlendFactor = a.srcAlphaBlendFactor;
     b.dstAlphaBlendFactor = a.dstAlphaBlendFactor;
     b.alphaBlendOp = a.alphaBlendOp;
   });
}
}
,
}
;
#undef HEDDLE_MEMBER
#undef HEDDLE_COPY
static_assert(std::size(kEntries) <= 64);

}  // namespace

DynamicStates dynamic_states(const VkPipelineDynamicStateCreateInfo* info, PipelineParts parts) {
  DynamicStates found = 0;
  if (info == nullptr) return found;
  const auto add = [&](VkDynamicState state) {
    for (std::size_t i = 0; i < std::size(kEntries); ++i)
      if (kEntries[i].state == state && (kEntries[i].part & parts) != 0) found |= DynamicStates{1} << i;
  };
  for (const VkDynamicState state : std::span(info->pDynamicStates, info->dynamicStateCount)) {
    add(state);
    // The count comes with the values, strides with the rest of the vertex input.
    if (state == VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT) add(VK_DYNAMIC_STATE_VIEWPORT);
    if (state == VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT) add(VK_DYNAMIC_STATE_SCISSOR);
    if (state == VK_DYNAMIC_STATE_VERTEX_INPUT_EXT) add(VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE);
  }
  return found;
}

bool has_state(DynamicStates states, VkDynamicState state) {
  for (std::size_t i = 0; i < std::size(kEntries); ++i)
    if (kEntries[i].state == state) return (states >> i & 1u) != 0;
  return false;
}

void copy_static(const GraphicsState& from, DynamicStates dynamic, GraphicsState& to) {
  for (std::size_t i = 0; i < std::size(kEntries); ++i)
    if ((dynamic >> i & 1u) == 0) kEntries[i].copy(from, to);
}

void copy_parts(const GraphicsState& from, PipelineParts parts, GraphicsState& to) {
  for (const Entry& entry : kEntries)
    if ((entry.part & parts) != 0) entry.copy(from, to);
}

}  // namespace heddle::vulkan
