// SPDX-License-Identifier: MIT
#include "vulkan/dynamic_states.hpp"

namespace heddle::test {
namespace {

template <typename T>
const T* find(const void* chain, VkStructureType type) {
  for (const auto* s = static_cast<const VkBaseInStructure*>(chain); s != nullptr; s = s->pNext)
    if (s->sType == type) return reinterpret_cast<const T*>(s);
  return nullptr;
}

/// Calls a command by its name.
template <typename F, typename... Arguments>
void call(const Canvas& c, const char* name, Arguments... arguments) {
  const auto command = c.v.proc<F>(name);
  ASSERT_NE(command, nullptr) << name;
  command(arguments...);
}
#define CALL(name, ...) call<PFN_##name>(c, #name, b, __VA_ARGS__)

void set_vertex_input(const Canvas& c, VkCommandBuffer b, const PipelineState& s) {
  std::vector<VkVertexInputBindingDescription2EXT> bindings;
  for (const VkVertexInputBindingDescription& from : s.bindings) {
    bindings.push_back({VK_STRUCTURE_TYPE_VERTEX_INPUT_BINDING_DESCRIPTION_2_EXT, nullptr, from.binding, from.stride,
                        from.inputRate, 1});
    for (const VkVertexInputBindingDivisorDescriptionEXT& d : s.divisors)
      if (d.binding == from.binding) bindings.back().divisor = d.divisor;
  }
  std::vector<VkVertexInputAttributeDescription2EXT> attributes;
  for (const VkVertexInputAttributeDescription& from : s.attributes)
    attributes.push_back({VK_STRUCTURE_TYPE_VERTEX_INPUT_ATTRIBUTE_DESCRIPTION_2_EXT, nullptr, from.location,
                          from.binding, from.format, from.offset});
  CALL(vkCmdSetVertexInputEXT, static_cast<std::uint32_t>(bindings.size()), bindings.data(),
       static_cast<std::uint32_t>(attributes.size()), attributes.data());
  CALL(vkCmdSetPrimitiveTopologyEXT, s.topology);
  CALL(vkCmdSetPrimitiveRestartEnableEXT, s.restart);
}

void set_raster(const Canvas& c, VkCommandBuffer b, const PipelineState& s) {
  const VkViewport viewport =
      s.viewport.value_or(VkViewport{0, 0, static_cast<float>(c.width), static_cast<float>(c.height), 0, 1});
  const VkRect2D scissor = s.scissor.value_or(VkRect2D{{0, 0}, {c.width, c.height}});
  CALL(vkCmdSetViewportWithCountEXT, 1u, &viewport);
  CALL(vkCmdSetScissorWithCountEXT, 1u, &scissor);
  const auto* control = find<VkPipelineViewportDepthClipControlCreateInfoEXT>(
      s.viewport_chain, VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_DEPTH_CLIP_CONTROL_CREATE_INFO_EXT);
  CALL(vkCmdSetDepthClipNegativeOneToOneEXT, control != nullptr ? control->negativeOneToOne : VK_FALSE);
  const VkPipelineRasterizationStateCreateInfo& r = s.raster;
  CALL(vkCmdSetRasterizerDiscardEnableEXT, r.rasterizerDiscardEnable);
  CALL(vkCmdSetPolygonModeEXT, r.polygonMode);
  const auto* conservative = find<VkPipelineRasterizationConservativeStateCreateInfoEXT>(
      r.pNext, VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_CONSERVATIVE_STATE_CREATE_INFO_EXT);
  CALL(vkCmdSetConservativeRasterizationModeEXT, conservative != nullptr
                                                     ? conservative->conservativeRasterizationMode
                                                     : VK_CONSERVATIVE_RASTERIZATION_MODE_DISABLED_EXT);
  CALL(vkCmdSetCullModeEXT, r.cullMode);
  CALL(vkCmdSetFrontFaceEXT, r.frontFace);
  CALL(vkCmdSetDepthBiasEnableEXT, r.depthBiasEnable);
  vkCmdSetDepthBias(b, r.depthBiasConstantFactor, r.depthBiasClamp, r.depthBiasSlopeFactor);
  vkCmdSetLineWidth(b, r.lineWidth);
  CALL(vkCmdSetDepthClampEnableEXT, r.depthClampEnable);
  const auto* clip = find<VkPipelineRasterizationDepthClipStateCreateInfoEXT>(
      r.pNext, VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_DEPTH_CLIP_STATE_CREATE_INFO_EXT);
  CALL(vkCmdSetDepthClipEnableEXT,
       clip != nullptr ? clip->depthClipEnable : static_cast<VkBool32>(r.depthClampEnable == VK_FALSE));
  const auto* provoking = find<VkPipelineRasterizationProvokingVertexStateCreateInfoEXT>(
      r.pNext, VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_PROVOKING_VERTEX_STATE_CREATE_INFO_EXT);
  CALL(vkCmdSetProvokingVertexModeEXT,
       provoking != nullptr ? provoking->provokingVertexMode : VK_PROVOKING_VERTEX_MODE_FIRST_VERTEX_EXT);
  VkPipelineRasterizationLineStateCreateInfoEXT line{
      VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_EXT};
  line.lineStippleFactor = 1;
  if (const auto* given = find<VkPipelineRasterizationLineStateCreateInfoEXT>(r.pNext, line.sType)) line = *given;
  CALL(vkCmdSetLineRasterizationModeEXT, line.lineRasterizationMode);
  CALL(vkCmdSetLineStippleEnableEXT, line.stippledLineEnable);
  CALL(vkCmdSetLineStippleEXT, line.lineStippleFactor, line.lineStipplePattern);
}

void set_depth_stencil(const Canvas& c, VkCommandBuffer b, const VkPipelineDepthStencilStateCreateInfo& d) {
  CALL(vkCmdSetDepthTestEnableEXT, d.depthTestEnable);
  CALL(vkCmdSetDepthWriteEnableEXT, d.depthWriteEnable);
  CALL(vkCmdSetDepthCompareOpEXT, d.depthCompareOp);
  CALL(vkCmdSetDepthBoundsTestEnableEXT, d.depthBoundsTestEnable);
  vkCmdSetDepthBounds(b, d.minDepthBounds, d.maxDepthBounds);
  CALL(vkCmdSetStencilTestEnableEXT, d.stencilTestEnable);
  const auto face = [&](VkStencilFaceFlags which, const VkStencilOpState& from) {
    CALL(vkCmdSetStencilOpEXT, which, from.failOp, from.passOp, from.depthFailOp, from.compareOp);
    vkCmdSetStencilCompareMask(b, which, from.compareMask);
    vkCmdSetStencilWriteMask(b, which, from.writeMask);
    vkCmdSetStencilReference(b, which, from.reference);
  };
  face(VK_STENCIL_FACE_FRONT_BIT, d.front);
  face(VK_STENCIL_FACE_BACK_BIT, d.back);
}

void set_colors(const Canvas& c, VkCommandBuffer b, const PipelineState& s) {
  const VkSampleMask every = ~0u;
  CALL(vkCmdSetRasterizationSamplesEXT, c.count);
  CALL(vkCmdSetSampleMaskEXT, c.count, s.samples.pSampleMask != nullptr ? s.samples.pSampleMask : &every);
  CALL(vkCmdSetAlphaToCoverageEnableEXT, s.samples.alphaToCoverageEnable);
  CALL(vkCmdSetAlphaToOneEnableEXT, s.samples.alphaToOneEnable);
  CALL(vkCmdSetLogicOpEnableEXT, s.colors.logicOpEnable);
  CALL(vkCmdSetLogicOpEXT, s.colors.logicOp);
  vkCmdSetBlendConstants(b, s.colors.blendConstants);
  const auto* writes =
      find<VkPipelineColorWriteCreateInfoEXT>(s.colors.pNext, VK_STRUCTURE_TYPE_PIPELINE_COLOR_WRITE_CREATE_INFO_EXT);
  std::vector<VkBool32> enables, written(c.colors.size(), VK_TRUE);
  std::vector<VkColorBlendEquationEXT> equations;
  std::vector<VkColorComponentFlags> masks;
  VkPipelineColorBlendAttachmentState all{};
  all.colorWriteMask = 15;
  for (std::size_t i = 0; i < c.colors.size(); ++i) {
    const VkPipelineColorBlendAttachmentState& a = i < s.blend.size() ? s.blend[i] : all;
    enables.push_back(a.blendEnable);
    masks.push_back(a.colorWriteMask);
    equations.push_back({a.srcColorBlendFactor, a.dstColorBlendFactor, a.colorBlendOp, a.srcAlphaBlendFactor,
                         a.dstAlphaBlendFactor, a.alphaBlendOp});
    if (writes != nullptr) written[i] = writes->pColorWriteEnables[i];
  }
  const auto count = static_cast<std::uint32_t>(enables.size());
  CALL(vkCmdSetColorWriteEnableEXT, count, written.data());
  CALL(vkCmdSetColorBlendEnableEXT, 0u, count, enables.data());
  CALL(vkCmdSetColorBlendEquationEXT, 0u, count, equations.data());
  CALL(vkCmdSetColorWriteMaskEXT, 0u, count, masks.data());
}

}  // namespace

std::vector<const char*> dynamic_state_extensions() {
  return {VK_EXT_EXTENDED_DYNAMIC_STATE_EXTENSION_NAME,   VK_EXT_EXTENDED_DYNAMIC_STATE_2_EXTENSION_NAME,
          VK_EXT_EXTENDED_DYNAMIC_STATE_3_EXTENSION_NAME, VK_EXT_VERTEX_INPUT_DYNAMIC_STATE_EXTENSION_NAME,
          VK_EXT_COLOR_WRITE_ENABLE_EXTENSION_NAME,       VK_EXT_LINE_RASTERIZATION_EXTENSION_NAME,
          VK_EXT_PROVOKING_VERTEX_EXTENSION_NAME,         VK_EXT_DEPTH_CLIP_ENABLE_EXTENSION_NAME,
          VK_EXT_DEPTH_CLIP_CONTROL_EXTENSION_NAME,       VK_EXT_CONSERVATIVE_RASTERIZATION_EXTENSION_NAME};
}

PipelineState without_states(const PipelineState& from) {
  PipelineState s;
  s.vertex = from.vertex;
  s.fragment = from.fragment;
  s.layout = from.layout;
  s.view_mask = from.view_mask;
  s.pass = from.pass;
  s.subpass = from.subpass;
  s.libraries = from.libraries;
  s.samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;  // not dynamic: sample shading
  s.samples.sampleShadingEnable = from.samples.sampleShadingEnable;
  s.samples.minSampleShading = from.samples.minSampleShading;
  s.topology = VK_PRIMITIVE_TOPOLOGY_LINE_LIST;
  // What commands set differs from what anybody wants.
  s.viewport = VkViewport{0, 0, 1, 1, 0, 0};
  s.scissor = VkRect2D{};
  s.raster.rasterizerDiscardEnable = VK_TRUE;
  s.raster.cullMode = VK_CULL_MODE_FRONT_AND_BACK;
  s.raster.polygonMode = VK_POLYGON_MODE_POINT;
  s.depth.depthTestEnable = s.depth.stencilTestEnable = VK_TRUE;
  s.depth.depthCompareOp = VK_COMPARE_OP_NEVER;
  s.dynamic = {VK_DYNAMIC_STATE_VERTEX_INPUT_EXT,
               VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY,
               VK_DYNAMIC_STATE_PRIMITIVE_RESTART_ENABLE,
               VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT,
               VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT,
               VK_DYNAMIC_STATE_DEPTH_CLIP_NEGATIVE_ONE_TO_ONE_EXT,
               VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE,
               VK_DYNAMIC_STATE_POLYGON_MODE_EXT,
               VK_DYNAMIC_STATE_CONSERVATIVE_RASTERIZATION_MODE_EXT,
               VK_DYNAMIC_STATE_CULL_MODE,
               VK_DYNAMIC_STATE_FRONT_FACE,
               VK_DYNAMIC_STATE_DEPTH_BIAS_ENABLE,
               VK_DYNAMIC_STATE_DEPTH_BIAS,
               VK_DYNAMIC_STATE_LINE_WIDTH,
               VK_DYNAMIC_STATE_DEPTH_CLAMP_ENABLE_EXT,
               VK_DYNAMIC_STATE_DEPTH_CLIP_ENABLE_EXT,
               VK_DYNAMIC_STATE_PROVOKING_VERTEX_MODE_EXT,
               VK_DYNAMIC_STATE_LINE_RASTERIZATION_MODE_EXT,
               VK_DYNAMIC_STATE_LINE_STIPPLE_ENABLE_EXT,
               VK_DYNAMIC_STATE_LINE_STIPPLE_EXT,
               VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE,
               VK_DYNAMIC_STATE_DEPTH_WRITE_ENABLE,
               VK_DYNAMIC_STATE_DEPTH_COMPARE_OP,
               VK_DYNAMIC_STATE_DEPTH_BOUNDS_TEST_ENABLE,
               VK_DYNAMIC_STATE_DEPTH_BOUNDS,
               VK_DYNAMIC_STATE_STENCIL_TEST_ENABLE,
               VK_DYNAMIC_STATE_STENCIL_OP,
               VK_DYNAMIC_STATE_STENCIL_COMPARE_MASK,
               VK_DYNAMIC_STATE_STENCIL_WRITE_MASK,
               VK_DYNAMIC_STATE_STENCIL_REFERENCE,
               VK_DYNAMIC_STATE_RASTERIZATION_SAMPLES_EXT,
               VK_DYNAMIC_STATE_SAMPLE_MASK_EXT,
               VK_DYNAMIC_STATE_ALPHA_TO_COVERAGE_ENABLE_EXT,
               VK_DYNAMIC_STATE_ALPHA_TO_ONE_ENABLE_EXT,
               VK_DYNAMIC_STATE_LOGIC_OP_ENABLE_EXT,
               VK_DYNAMIC_STATE_LOGIC_OP_EXT,
               VK_DYNAMIC_STATE_BLEND_CONSTANTS,
               VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT,
               VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT,
               VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT,
               VK_DYNAMIC_STATE_COLOR_WRITE_ENABLE_EXT};
  return s;
}

void set_states(const Canvas& canvas, VkCommandBuffer commands, const PipelineState& state) {
  set_vertex_input(canvas, commands, state);
  set_raster(canvas, commands, state);
  set_depth_stencil(canvas, commands, state.depth);
  set_colors(canvas, commands, state);
}

}  // namespace heddle::test
