// SPDX-License-Identifier: MIT
#include "vulkan/execution/state_commands.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "vulkan/execution/context/command_context.hpp"
#include "vulkan/generated/commands.hpp"
#include "vulkan/pipelines/pipeline_state.hpp"

namespace heddle::vulkan {
namespace {

template <typename T, std::size_t N>
void set_range(std::array<T, N>& to, std::uint32_t first, const T* from, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count && std::size_t{first} + i < N; ++i) to[first + i] = from[i];
}

/// change(face) for each face that is named.
template <typename Change>
void set_faces(GraphicsState& state, VkStencilFaceFlags faces, const Change& change) {
  if ((faces & VK_STENCIL_FACE_FRONT_BIT) != 0) change(state.front);
  if ((faces & VK_STENCIL_FACE_BACK_BIT) != 0) change(state.back);
}

}  // namespace

void StateCommands::run(const commands::SetViewport& c) {
  set_range(context_.state.viewports, c.firstViewport, c.pViewports, c.viewportCount);
}
void StateCommands::run(const commands::SetViewportWithCount& c) {
  context_.state.viewport_count = std::min(c.viewportCount, kMaxViewports);
  set_range(context_.state.viewports, 0, c.pViewports, c.viewportCount);
}
void StateCommands::run(const commands::SetScissor& c) {
  set_range(context_.state.scissors, c.firstScissor, c.pScissors, c.scissorCount);
}
void StateCommands::run(const commands::SetScissorWithCount& c) {
  context_.state.scissor_count = std::min(c.scissorCount, kMaxViewports);
  set_range(context_.state.scissors, 0, c.pScissors, c.scissorCount);
}
void StateCommands::run(const commands::SetDiscardRectangleEXT& c) {
  set_range(context_.state.discard_rectangles, c.firstDiscardRectangle, c.pDiscardRectangles, c.discardRectangleCount);
}
void StateCommands::run(const commands::SetDiscardRectangleEnableEXT& c) {
  context_.state.discard_test = c.discardRectangleEnable;
}
void StateCommands::run(const commands::SetDiscardRectangleModeEXT& c) {
  context_.state.discard_mode = c.discardRectangleMode;
}
void StateCommands::run(const commands::SetFragmentShadingRateKHR& c) {
  if (c.pFragmentSize != nullptr) context_.state.fragment_size = *c.pFragmentSize;
  std::copy_n(c.combinerOps, context_.state.combiners.size(), context_.state.combiners.begin());
}
void StateCommands::run(const commands::SetLineWidth& c) { context_.state.line_width = c.lineWidth; }
void StateCommands::run(const commands::SetLineStipple& c) {
  context_.state.stipple_factor = c.lineStippleFactor;
  context_.state.stipple_pattern = c.lineStipplePattern;
}
void StateCommands::run(const commands::SetDepthBias& c) {
  context_.state.bias_constant = c.depthBiasConstantFactor;
  context_.state.bias_clamp = c.depthBiasClamp;
  context_.state.bias_slope = c.depthBiasSlopeFactor;
  context_.state.bias_unit = VK_DEPTH_BIAS_REPRESENTATION_LEAST_REPRESENTABLE_VALUE_FORMAT_EXT;
}
void StateCommands::run(const commands::SetDepthBias2EXT& c) {
  const VkDepthBiasInfoEXT& info = *c.pDepthBiasInfo;
  context_.state.bias_constant = info.depthBiasConstantFactor;
  context_.state.bias_clamp = info.depthBiasClamp;
  context_.state.bias_slope = info.depthBiasSlopeFactor;
  context_.state.bias_unit = depth_bias_unit(info.pNext);
}
void StateCommands::run(const commands::SetDepthBiasEnable& c) { context_.state.depth_bias = c.depthBiasEnable; }
void StateCommands::run(const commands::SetBlendConstants& c) {
  std::copy_n(c.blendConstants, 4, context_.state.constants.begin());
}
void StateCommands::run(const commands::SetDepthBounds& c) {
  context_.state.least_bound = c.minDepthBounds;
  context_.state.greatest_bound = c.maxDepthBounds;
}
void StateCommands::run(const commands::SetDepthBoundsTestEnable& c) {
  context_.state.bounds_test = c.depthBoundsTestEnable;
}
void StateCommands::run(const commands::SetStencilCompareMask& c) {
  set_faces(context_.state, c.faceMask, [&](VkStencilOpState& face) { face.compareMask = c.compareMask; });
}
void StateCommands::run(const commands::SetStencilWriteMask& c) {
  set_faces(context_.state, c.faceMask, [&](VkStencilOpState& face) { face.writeMask = c.writeMask; });
}
void StateCommands::run(const commands::SetStencilReference& c) {
  set_faces(context_.state, c.faceMask, [&](VkStencilOpState& face) { face.reference = c.reference; });
}
void StateCommands::run(const commands::SetStencilOp& c) {
  set_faces(context_.state, c.faceMask, [&](VkStencilOpState& face) {
    face.failOp = c.failOp;
    face.passOp = c.passOp;
    face.depthFailOp = c.depthFailOp;
    face.compareOp = c.compareOp;
  });
}
void StateCommands::run(const commands::SetStencilTestEnable& c) { context_.state.stencil_test = c.stencilTestEnable; }
void StateCommands::run(const commands::SetDepthTestEnable& c) { context_.state.depth_test = c.depthTestEnable; }
void StateCommands::run(const commands::SetDepthWriteEnable& c) { context_.state.depth_write = c.depthWriteEnable; }
void StateCommands::run(const commands::SetDepthCompareOp& c) { context_.state.depth_compare = c.depthCompareOp; }
void StateCommands::run(const commands::SetCullMode& c) { context_.state.cull = c.cullMode; }
void StateCommands::run(const commands::SetFrontFace& c) { context_.state.front_face = c.frontFace; }
void StateCommands::run(const commands::SetPrimitiveTopology& c) { context_.state.topology = c.primitiveTopology; }
void StateCommands::run(const commands::SetPrimitiveRestartEnable& c) {
  context_.state.restart = c.primitiveRestartEnable;
}
void StateCommands::run(const commands::SetRasterizerDiscardEnable& c) {
  context_.state.discard = c.rasterizerDiscardEnable;
}
void StateCommands::run(const commands::SetPatchControlPointsEXT& c) {
  context_.state.patch_vertices = c.patchControlPoints;
}
void StateCommands::run(const commands::SetTessellationDomainOriginEXT& c) {
  context_.state.domain_origin = c.domainOrigin;
}
void StateCommands::run(const commands::SetLogicOpEXT& c) { context_.state.logic_op = c.logicOp; }

// --- of pipelines without these states ---

void StateCommands::run(const commands::SetVertexInputEXT& c) {
  context_.input = {};
  for (const VkVertexInputBindingDescription2EXT& b :
       std::span(c.pVertexBindingDescriptions, c.vertexBindingDescriptionCount)) {
    if (b.binding >= kMaxVertexBindings) continue;
    context_.state.strides[b.binding] = b.stride;
    if (b.inputRate != VK_VERTEX_INPUT_RATE_INSTANCE) continue;
    if (context_.input.divisors.size() <= b.binding) context_.input.divisors.resize(b.binding + 1);
    context_.input.divisors[b.binding] = b.divisor;
  }
  for (const VkVertexInputAttributeDescription2EXT& a :
       std::span(c.pVertexAttributeDescriptions, c.vertexAttributeDescriptionCount))
    context_.input.attributes.push_back({a.location, a.binding, a.format, a.offset});
}
void StateCommands::run(const commands::SetDepthClampEnableEXT& c) { context_.state.depth_clamp = c.depthClampEnable; }
void StateCommands::run(const commands::SetDepthClampRangeEXT& c) {
  context_.state.clamp_range = clamp_range(c.depthClampMode, c.pDepthClampRange);
}
void StateCommands::run(const commands::SetDepthClipEnableEXT& c) {
  context_.state.depth_clip = c.depthClipEnable == VK_TRUE;
}
void StateCommands::run(const commands::SetDepthClipNegativeOneToOneEXT& c) {
  context_.state.negative_one_to_one = c.negativeOneToOne;
}
void StateCommands::run(const commands::SetPolygonModeEXT& c) { context_.state.polygon_mode = c.polygonMode; }
void StateCommands::run(const commands::SetConservativeRasterizationModeEXT& c) {
  context_.state.conservative = c.conservativeRasterizationMode;
}
void StateCommands::run(const commands::SetProvokingVertexModeEXT& c) {
  context_.state.provoking = c.provokingVertexMode;
}
void StateCommands::run(const commands::SetRasterizationStreamEXT& c) { context_.state.stream = c.rasterizationStream; }
void StateCommands::run(const commands::SetLineRasterizationModeEXT& c) {
  context_.state.line_mode = c.lineRasterizationMode;
}
void StateCommands::run(const commands::SetLineStippleEnableEXT& c) { context_.state.stipple = c.stippledLineEnable; }
void StateCommands::run(const commands::SetRasterizationSamplesEXT& c) {
  context_.state.samples = c.rasterizationSamples;
}
void StateCommands::run(const commands::SetSampleMaskEXT& c) {
  context_.state.sample_mask = c.pSampleMask != nullptr ? c.pSampleMask[0] : ~0u;
}
void StateCommands::run(const commands::SetSampleLocationsEnableEXT& c) {
  context_.state.moves_samples = c.sampleLocationsEnable;
}
void StateCommands::run(const commands::SetSampleLocationsEXT& c) {
  context_.state.positions = sample_positions(*c.pSampleLocationsInfo);
}
void StateCommands::run(const commands::SetAlphaToCoverageEnableEXT& c) {
  context_.state.alpha_to_coverage = c.alphaToCoverageEnable;
}
void StateCommands::run(const commands::SetAlphaToOneEnableEXT& c) { context_.state.alpha_to_one = c.alphaToOneEnable; }
void StateCommands::run(const commands::SetLogicOpEnableEXT& c) { context_.state.logic_op_enable = c.logicOpEnable; }
void StateCommands::run(const commands::SetColorBlendEnableEXT& c) {
  for (std::uint32_t i = 0; i < c.attachmentCount && c.firstAttachment + i < kMaxColors; ++i)
    context_.state.blend[c.firstAttachment + i].blendEnable = c.pColorBlendEnables[i];
}
void StateCommands::run(const commands::SetColorBlendEquationEXT& c) {
  for (std::uint32_t i = 0; i < c.attachmentCount && c.firstAttachment + i < kMaxColors; ++i) {
    const VkColorBlendEquationEXT& from = c.pColorBlendEquations[i];
    VkPipelineColorBlendAttachmentState& to = context_.state.blend[c.firstAttachment + i];
    to.srcColorBlendFactor = from.srcColorBlendFactor;
    to.dstColorBlendFactor = from.dstColorBlendFactor;
    to.colorBlendOp = from.colorBlendOp;
    to.srcAlphaBlendFactor = from.srcAlphaBlendFactor;
    to.dstAlphaBlendFactor = from.dstAlphaBlendFactor;
    to.alphaBlendOp = from.alphaBlendOp;
  }
}
/// Of this command and SetColorBlendEquationEXT the last one says the operation.
void StateCommands::run(const commands::SetColorBlendAdvancedEXT& c) {
  for (std::uint32_t i = 0; i < c.attachmentCount && c.firstAttachment + i < kMaxColors; ++i) {
    const VkColorBlendAdvancedEXT& from = c.pColorBlendAdvanced[i];
    context_.state.advanced[c.firstAttachment + i] = from;
    VkPipelineColorBlendAttachmentState& to = context_.state.blend[c.firstAttachment + i];
    to.colorBlendOp = to.alphaBlendOp = from.advancedBlendOp;
  }
}
void StateCommands::run(const commands::SetColorWriteMaskEXT& c) {
  for (std::uint32_t i = 0; i < c.attachmentCount && c.firstAttachment + i < kMaxColors; ++i)
    context_.state.blend[c.firstAttachment + i].colorWriteMask = c.pColorWriteMasks[i];
}
void StateCommands::run(const commands::SetColorWriteEnableEXT& c) {
  for (std::uint32_t i = 0; i < c.attachmentCount && i < kMaxColors; ++i)
    context_.state.written_colors =
        (context_.state.written_colors & ~(1u << i)) | (c.pColorWriteEnables[i] == VK_TRUE ? 1u << i : 0);
}

}  // namespace heddle::vulkan
