#include "vulkan/graphics/graphics_state.hpp"

#include <span>

namespace heddle::vulkan {
namespace {

struct Entry {
  VkDynamicState state;
  void (*copy)(const GraphicsState& from, GraphicsState& to);
};

#define HEDDLE_MEMBER(state, member) \
  {VK_DYNAMIC_STATE_##state, [](const GraphicsState& from, GraphicsState& to) { to.member = from.member; }}

constexpr Entry kEntries[] = {
    {VK_DYNAMIC_STATE_VIEWPORT, [](const GraphicsState& from, GraphicsState& to) { to.viewports = from.viewports; }},
    {VK_DYNAMIC_STATE_SCISSOR, [](const GraphicsState& from, GraphicsState& to) { to.scissors = from.scissors; }},
    HEDDLE_MEMBER(LINE_WIDTH, line_width),
    {VK_DYNAMIC_STATE_DEPTH_BIAS,
     [](const GraphicsState& from, GraphicsState& to) {
       to.bias_constant = from.bias_constant;
       to.bias_clamp = from.bias_clamp;
       to.bias_slope = from.bias_slope;
     }},
    HEDDLE_MEMBER(BLEND_CONSTANTS, constants),
    {VK_DYNAMIC_STATE_DEPTH_BOUNDS,
     [](const GraphicsState& from, GraphicsState& to) {
       to.least_bound = from.least_bound;
       to.greatest_bound = from.greatest_bound;
     }},
    {VK_DYNAMIC_STATE_STENCIL_COMPARE_MASK,
     [](const GraphicsState& from, GraphicsState& to) {
       to.front.compareMask = from.front.compareMask;
       to.back.compareMask = from.back.compareMask;
     }},
    {VK_DYNAMIC_STATE_STENCIL_WRITE_MASK,
     [](const GraphicsState& from, GraphicsState& to) {
       to.front.writeMask = from.front.writeMask;
       to.back.writeMask = from.back.writeMask;
     }},
    {VK_DYNAMIC_STATE_STENCIL_REFERENCE,
     [](const GraphicsState& from, GraphicsState& to) {
       to.front.reference = from.front.reference;
       to.back.reference = from.back.reference;
     }},
    {VK_DYNAMIC_STATE_LINE_STIPPLE_EXT,
     [](const GraphicsState& from, GraphicsState& to) {
       to.stipple_factor = from.stipple_factor;
       to.stipple_pattern = from.stipple_pattern;
     }},
    HEDDLE_MEMBER(CULL_MODE, cull),
    HEDDLE_MEMBER(FRONT_FACE, front_face),
    HEDDLE_MEMBER(PRIMITIVE_TOPOLOGY, topology),
    {VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT,
     [](const GraphicsState& from, GraphicsState& to) { to.viewport_count = from.viewport_count; }},
    {VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT,
     [](const GraphicsState& from, GraphicsState& to) { to.scissor_count = from.scissor_count; }},
    HEDDLE_MEMBER(VERTEX_INPUT_BINDING_STRIDE, strides),
    HEDDLE_MEMBER(DEPTH_TEST_ENABLE, depth_test),
    HEDDLE_MEMBER(DEPTH_WRITE_ENABLE, depth_write),
    HEDDLE_MEMBER(DEPTH_COMPARE_OP, depth_compare),
    HEDDLE_MEMBER(DEPTH_BOUNDS_TEST_ENABLE, bounds_test),
    HEDDLE_MEMBER(STENCIL_TEST_ENABLE, stencil_test),
    {VK_DYNAMIC_STATE_STENCIL_OP,
     [](const GraphicsState& from, GraphicsState& to) {
       const auto operations = [](const VkStencilOpState& a, VkStencilOpState& b) {
         b.failOp = a.failOp;
         b.passOp = a.passOp;
         b.depthFailOp = a.depthFailOp;
         b.compareOp = a.compareOp;
       };
       operations(from.front, to.front);
       operations(from.back, to.back);
     }},
    HEDDLE_MEMBER(RASTERIZER_DISCARD_ENABLE, discard),
    HEDDLE_MEMBER(DEPTH_BIAS_ENABLE, depth_bias),
    HEDDLE_MEMBER(PRIMITIVE_RESTART_ENABLE, restart),
    HEDDLE_MEMBER(LOGIC_OP_EXT, logic_op),
    // What no command changes.
    {VK_DYNAMIC_STATE_MAX_ENUM,
     [](const GraphicsState& from, GraphicsState& to) {
       to.logic_op_enable = from.logic_op_enable;
       to.blend = from.blend;
     }},
};
#undef HEDDLE_MEMBER

}  // namespace

DynamicStates dynamic_states(const VkPipelineDynamicStateCreateInfo* info) {
  DynamicStates found = 0;
  if (info == nullptr) return found;
  const auto add = [&](VkDynamicState state) {
    for (std::size_t i = 0; i < std::size(kEntries); ++i)
      if (kEntries[i].state == state) found |= DynamicStates{1} << i;
  };
  for (const VkDynamicState state : std::span(info->pDynamicStates, info->dynamicStateCount)) {
    add(state);
    // The count comes with the values.
    if (state == VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT) add(VK_DYNAMIC_STATE_VIEWPORT);
    if (state == VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT) add(VK_DYNAMIC_STATE_SCISSOR);
  }
  return found;
}

void copy_static(const GraphicsState& from, DynamicStates dynamic, GraphicsState& to) {
  for (std::size_t i = 0; i < std::size(kEntries); ++i)
    if ((dynamic >> i & 1u) == 0) kEntries[i].copy(from, to);
}

}  // namespace heddle::vulkan
