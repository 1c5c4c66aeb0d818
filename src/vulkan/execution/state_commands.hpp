// SPDX-License-Identifier: MIT
#pragma once
// Commands that set what later ones depend on: pipelines, descriptors, buffers, the state of draws, conditions, labels.

#include <vulkan/vulkan.h>

#include <cstdint>

#include "vulkan/commands/command.hpp"

namespace heddle::vulkan {

struct BindPoint;
struct CommandContext;

class StateCommands {
 public:
  explicit StateCommands(CommandContext& context) : context_(context) {}

  // --- what is bound (bind_commands.cpp) ---
  void run(const commands::BindPipeline& c);
  void run(const commands::BindShadersEXT& c);
  void run(const commands::BindDescriptorSets& c);
  void run(const commands::BindDescriptorSets2& c);
  void run(const commands::PushDescriptorSet& c);
  void run(const commands::BindDescriptorBuffersEXT& c);
  void run(const commands::SetDescriptorBufferOffsetsEXT& c);
  void run(const commands::PushConstants& c);
  void run(const commands::PushConstants2& c);
  void run(const commands::BindVertexBuffers& c);
  void run(const commands::BindVertexBuffers2& c);
  void run(const commands::BindIndexBuffer& c);
  void run(const commands::BindTransformFeedbackBuffersEXT& c);
  void run(const commands::BeginTransformFeedbackEXT& c);
  void run(const commands::EndTransformFeedbackEXT& c);
  void run(const commands::BindIndexBuffer2& c);
  void run(const commands::BeginConditionalRenderingEXT& c);
  void run(const commands::EndConditionalRenderingEXT& c);
  void run(const commands::BeginDebugUtilsLabelEXT& c);
  void run(const commands::EndDebugUtilsLabelEXT& c);

  // --- the state of draws (state_commands.cpp) ---
  void run(const commands::SetViewport& c);
  void run(const commands::SetViewportWithCount& c);
  void run(const commands::SetScissor& c);
  void run(const commands::SetScissorWithCount& c);
  void run(const commands::SetDiscardRectangleEXT& c);
  void run(const commands::SetDiscardRectangleEnableEXT& c);
  void run(const commands::SetDiscardRectangleModeEXT& c);
  void run(const commands::SetFragmentShadingRateKHR& c);
  void run(const commands::SetLineWidth& c);
  void run(const commands::SetLineStipple& c);
  void run(const commands::SetDepthBias& c);
  void run(const commands::SetDepthBias2EXT& c);
  void run(const commands::SetDepthBiasEnable& c);
  void run(const commands::SetBlendConstants& c);
  void run(const commands::SetDepthBounds& c);
  void run(const commands::SetDepthBoundsTestEnable& c);
  void run(const commands::SetStencilCompareMask& c);
  void run(const commands::SetStencilWriteMask& c);
  void run(const commands::SetStencilReference& c);
  void run(const commands::SetStencilOp& c);
  void run(const commands::SetStencilTestEnable& c);
  void run(const commands::SetDepthTestEnable& c);
  void run(const commands::SetDepthWriteEnable& c);
  void run(const commands::SetDepthCompareOp& c);
  void run(const commands::SetCullMode& c);
  void run(const commands::SetFrontFace& c);
  void run(const commands::SetPrimitiveTopology& c);
  void run(const commands::SetPrimitiveRestartEnable& c);
  void run(const commands::SetRasterizerDiscardEnable& c);
  void run(const commands::SetPatchControlPointsEXT& c);
  void run(const commands::SetTessellationDomainOriginEXT& c);
  void run(const commands::SetLogicOpEXT& c);
  void run(const commands::SetVertexInputEXT& c);
  void run(const commands::SetDepthClampEnableEXT& c);
  void run(const commands::SetDepthClampRangeEXT& c);
  void run(const commands::SetDepthClipEnableEXT& c);
  void run(const commands::SetDepthClipNegativeOneToOneEXT& c);
  void run(const commands::SetPolygonModeEXT& c);
  void run(const commands::SetConservativeRasterizationModeEXT& c);
  void run(const commands::SetProvokingVertexModeEXT& c);
  void run(const commands::SetRasterizationStreamEXT& c);
  void run(const commands::SetLineRasterizationModeEXT& c);
  void run(const commands::SetLineStippleEnableEXT& c);
  void run(const commands::SetRasterizationSamplesEXT& c);
  void run(const commands::SetSampleMaskEXT& c);
  void run(const commands::SetSampleLocationsEnableEXT& c);
  void run(const commands::SetSampleLocationsEXT& c);
  void run(const commands::SetAlphaToCoverageEnableEXT& c);
  void run(const commands::SetAlphaToOneEnableEXT& c);
  void run(const commands::SetLogicOpEnableEXT& c);
  void run(const commands::SetColorBlendEnableEXT& c);
  void run(const commands::SetColorBlendEquationEXT& c);
  void run(const commands::SetColorBlendAdvancedEXT& c);
  void run(const commands::SetColorWriteMaskEXT& c);
  void run(const commands::SetColorWriteEnableEXT& c);

 private:
  [[nodiscard]] BindPoint& point_of(bool compute);
  void push_constants(std::uint32_t offset, std::uint32_t size, const void* values);
  void bind_index_buffer(VkBuffer buffer, VkDeviceSize offset, VkDeviceSize size, VkIndexType type);
  void bind_vertex_buffer(std::uint32_t binding, VkBuffer buffer, VkDeviceSize offset, VkDeviceSize size);

  CommandContext& context_;
};

}  // namespace heddle::vulkan
