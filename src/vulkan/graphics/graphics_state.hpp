#pragma once
// The fixed functions' state of draws. A pipeline has all of it; what a command may change is in the executor too.

#include <vulkan/vulkan.h>

#include <array>
#include <cstdint>

#include "vulkan/device/limits.hpp"

namespace heddle::vulkan {

struct GraphicsState {
  // vertex input
  std::array<std::uint32_t, kMostVertexBindings> strides{};
  VkPrimitiveTopology topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  VkBool32 restart = VK_FALSE;
  // rasterization
  std::array<VkViewport, kMostViewports> viewports{};
  std::array<VkRect2D, kMostViewports> scissors{};
  std::uint32_t viewport_count = 0, scissor_count = 0;
  VkBool32 discard = VK_FALSE;
  VkCullModeFlags cull = VK_CULL_MODE_NONE;
  VkFrontFace front_face = VK_FRONT_FACE_COUNTER_CLOCKWISE;
  float line_width = 1;
  std::uint32_t stipple_factor = 1;
  std::uint16_t stipple_pattern = 0xffff;
  VkBool32 depth_bias = VK_FALSE;
  float bias_constant = 0, bias_clamp = 0, bias_slope = 0;
  // depth and stencil
  VkBool32 depth_test = VK_FALSE, depth_write = VK_FALSE, bounds_test = VK_FALSE, stencil_test = VK_FALSE;
  VkCompareOp depth_compare = VK_COMPARE_OP_ALWAYS;
  float least_bound = 0, greatest_bound = 1;
  VkStencilOpState front{}, back{};
  // colours
  VkBool32 logic_op_enable = VK_FALSE;
  VkLogicOp logic_op = VK_LOGIC_OP_COPY;
  std::array<VkPipelineColorBlendAttachmentState, kMostColors> blend{};
  std::array<float, 4> constants{};
};

/// Bit i: the i-th entry of the table in graphics_state.cpp is set by commands, not by the pipeline.
using DynamicStates = std::uint64_t;

[[nodiscard]] DynamicStates dynamic_states(const VkPipelineDynamicStateCreateInfo* info);
/// What a pipeline that is bound sets: all but what is dynamic.
void copy_static(const GraphicsState& from, DynamicStates dynamic, GraphicsState& to);

}  // namespace heddle::vulkan
