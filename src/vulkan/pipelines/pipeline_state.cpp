// SPDX-License-Identifier: MIT
#include "vulkan/pipelines/pipeline_state.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "vulkan/device/device.hpp"
#include "vulkan/objects/passes/render_pass.hpp"

namespace heddle::vulkan {
namespace {

void take_vertex_input(const VkGraphicsPipelineCreateInfo& info, GraphicsPipeline& to) {
  if (info.pInputAssemblyState != nullptr) {
    to.state.topology = info.pInputAssemblyState->topology;
    to.state.restart = info.pInputAssemblyState->primitiveRestartEnable;
  }
  if (info.pVertexInputState == nullptr || is_dynamic(info, VK_DYNAMIC_STATE_VERTEX_INPUT_EXT)) return;
  const VkPipelineVertexInputStateCreateInfo& input = *info.pVertexInputState;
  auto& divisors = to.input.divisors;
  for (const VkVertexInputBindingDescription& b :
       std::span(input.pVertexBindingDescriptions, input.vertexBindingDescriptionCount)) {
    if (b.binding >= kMaxVertexBindings) continue;
    if (divisors.size() <= b.binding) divisors.resize(b.binding + 1);
    to.state.strides[b.binding] = b.stride;
    if (b.inputRate == VK_VERTEX_INPUT_RATE_INSTANCE) divisors[b.binding] = 1;
  }
  if (const auto* list = find_in_chain<VkPipelineVertexInputDivisorStateCreateInfoEXT>(
          input.pNext, VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO_EXT))
    for (const VkVertexInputBindingDivisorDescriptionEXT& d :
         std::span(list->pVertexBindingDivisors, list->vertexBindingDivisorCount))
      if (d.binding < divisors.size() && divisors[d.binding]) divisors[d.binding] = d.divisor;
  for (const VkVertexInputAttributeDescription& a :
       std::span(input.pVertexAttributeDescriptions, input.vertexAttributeDescriptionCount))
    to.input.attributes.push_back({a.location, a.binding, a.format, a.offset});
}

/// What extensions add to the rasterizer's state.
void take_chain(const void* chain, GraphicsState& to) {
  if (const auto* clip = find_in_chain<VkPipelineRasterizationDepthClipStateCreateInfoEXT>(
          chain, VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_DEPTH_CLIP_STATE_CREATE_INFO_EXT))
    to.depth_clip = clip->depthClipEnable == VK_TRUE;
  if (const auto* conservative = find_in_chain<VkPipelineRasterizationConservativeStateCreateInfoEXT>(
          chain, VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_CONSERVATIVE_STATE_CREATE_INFO_EXT))
    to.conservative = conservative->conservativeRasterizationMode;
  if (const auto* provoking = find_in_chain<VkPipelineRasterizationProvokingVertexStateCreateInfoEXT>(
          chain, VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_PROVOKING_VERTEX_STATE_CREATE_INFO_EXT))
    to.provoking = provoking->provokingVertexMode;
  if (const auto* stream = find_in_chain<VkPipelineRasterizationStateStreamCreateInfoEXT>(
          chain, VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_STREAM_CREATE_INFO_EXT))
    to.stream = stream->rasterizationStream;
  if (const auto* line = find_in_chain<VkPipelineRasterizationLineStateCreateInfoEXT>(
          chain, VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_EXT)) {
    to.line_mode = line->lineRasterizationMode;
    to.stipple = line->stippledLineEnable;
    to.stipple_factor = line->lineStippleFactor;
    to.stipple_pattern = line->lineStipplePattern;
  }
}

void take_rasterization(const VkPipelineRasterizationStateCreateInfo* r, GraphicsState& s) {
  if (r == nullptr) return;
  take_chain(r->pNext, s);
  s.depth_clamp = r->depthClampEnable;
  s.polygon_mode = r->polygonMode;
  s.discard = r->rasterizerDiscardEnable;
  s.cull = r->cullMode;
  s.front_face = r->frontFace;
  s.depth_bias = r->depthBiasEnable;
  s.bias_constant = r->depthBiasConstantFactor;
  s.bias_clamp = r->depthBiasClamp;
  s.bias_slope = r->depthBiasSlopeFactor;
  s.bias_unit = depth_bias_unit(r->pNext);
  s.line_width = r->lineWidth;
}

/// Of pipelines with shaders of patches: others may have anything there.
void take_tessellation(const VkGraphicsPipelineCreateInfo& info, GraphicsState& s) {
  const std::span<const VkPipelineShaderStageCreateInfo> stages(info.pStages, info.stageCount);
  const bool given = std::ranges::any_of(stages, [](const VkPipelineShaderStageCreateInfo& stage) {
    return stage.stage == VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT ||
           stage.stage == VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT;
  });
  if (!given || info.pTessellationState == nullptr) return;
  s.patch_vertices = info.pTessellationState->patchControlPoints;
  if (const auto* origin = find_in_chain<VkPipelineTessellationDomainOriginStateCreateInfo>(
          info.pTessellationState->pNext, VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_DOMAIN_ORIGIN_STATE_CREATE_INFO))
    s.domain_origin = origin->domainOrigin;
}

void take_shading_rate(const void* chain, GraphicsState& s) {
  const auto* rate = find_in_chain<VkPipelineFragmentShadingRateStateCreateInfoKHR>(
      chain, VK_STRUCTURE_TYPE_PIPELINE_FRAGMENT_SHADING_RATE_STATE_CREATE_INFO_KHR);
  if (rate == nullptr) return;
  s.fragment_size = rate->fragmentSize;
  std::copy_n(rate->combinerOps, s.combiners.size(), s.combiners.begin());
}

void take_viewports(const VkGraphicsPipelineCreateInfo& info, GraphicsState& s) {
  const auto given = [&](const void* list, VkDynamicState set, VkDynamicState set_with_count) {
    return list != nullptr && !is_dynamic(info, set) && !is_dynamic(info, set_with_count);
  };
  if (const auto* v = info.pViewportState; v != nullptr) {
    s.viewport_count = std::min(v->viewportCount, kMaxViewports);
    s.scissor_count = std::min(v->scissorCount, kMaxViewports);
    if (const auto* control = find_in_chain<VkPipelineViewportDepthClipControlCreateInfoEXT>(
            v->pNext, VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_DEPTH_CLIP_CONTROL_CREATE_INFO_EXT))
      s.negative_one_to_one = control->negativeOneToOne;
    if (const auto* range = find_in_chain<VkPipelineViewportDepthClampControlCreateInfoEXT>(
            v->pNext, VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_DEPTH_CLAMP_CONTROL_CREATE_INFO_EXT);
        range != nullptr && !is_dynamic(info, VK_DYNAMIC_STATE_DEPTH_CLAMP_RANGE_EXT))
      s.clamp_range = clamp_range(range->depthClampMode, range->pDepthClampRange);
    if (given(v->pViewports, VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT))
      std::copy_n(v->pViewports, s.viewport_count, s.viewports.begin());
    if (given(v->pScissors, VK_DYNAMIC_STATE_SCISSOR, VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT))
      std::copy_n(v->pScissors, s.scissor_count, s.scissors.begin());
  }
}

void take_discard_rectangles(const VkGraphicsPipelineCreateInfo& info, GraphicsState& s) {
  const auto* d = find_in_chain<VkPipelineDiscardRectangleStateCreateInfoEXT>(
      info.pNext, VK_STRUCTURE_TYPE_PIPELINE_DISCARD_RECTANGLE_STATE_CREATE_INFO_EXT);
  if (d == nullptr) return;
  s.discard_mode = d->discardRectangleMode;
  s.discard_count = std::min(d->discardRectangleCount, pipeline::DiscardRectangles::kMax);
  s.discard_test = s.discard_count != 0 ? VK_TRUE : VK_FALSE;
  if (d->pDiscardRectangles != nullptr && !is_dynamic(info, VK_DYNAMIC_STATE_DISCARD_RECTANGLE_EXT))
    std::copy_n(d->pDiscardRectangles, s.discard_count, s.discard_rectangles.begin());
}

void take_depth_stencil(const VkPipelineDepthStencilStateCreateInfo* d, GraphicsState& s) {
  if (d == nullptr) return;
  s.depth_test = d->depthTestEnable;
  s.depth_write = d->depthWriteEnable;
  s.depth_compare = d->depthCompareOp;
  s.bounds_test = d->depthBoundsTestEnable;
  s.least_bound = d->minDepthBounds;
  s.greatest_bound = d->maxDepthBounds;
  s.stencil_test = d->stencilTestEnable;
  s.front = d->front;
  s.back = d->back;
}

/// Which attachments the pipeline draws to; state of those that it lacks is ignored, and may lie anywhere.
struct Attachments {
  std::uint32_t colors = 0;  ///< a bit for each location
  VkImageAspectFlags depth_stencil = 0;
};
constexpr VkImageAspectFlags kDepthStencil = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
Attachments attachments_of(const VkGraphicsPipelineCreateInfo& info, PipelineParts parts) {
  Attachments has;
  if (info.renderPass != VK_NULL_HANDLE) {
    const RenderPass& pass = *from_handle(info.renderPass);
    if (info.subpass >= pass.subpasses.size()) return has;
    const RenderPass::Subpass& subpass = pass.subpasses[info.subpass];
    for (std::size_t i = 0; i < std::min<std::size_t>(subpass.colors.size(), kMaxColors); ++i)
      if (subpass.colors[i]) has.colors |= 1u << i;
    if (subpass.depth_stencil) has.depth_stencil = kDepthStencil;
    return has;
  }
  const auto* at = find_in_chain<VkRenderingAttachmentLocationInfo>(
      info.pNext, VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_LOCATION_INFO);
  const auto location = [&](std::uint32_t i) {
    const bool given = at != nullptr && at->pColorAttachmentLocations != nullptr && i < at->colorAttachmentCount;
    return given ? at->pColorAttachmentLocations[i] : i;
  };
  if (const auto* r =
          find_in_chain<VkPipelineRenderingCreateInfo>(info.pNext, VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO);
      r != nullptr && (parts & kOutputPart) != 0) {
    for (std::uint32_t i = 0; i < std::min(r->colorAttachmentCount, kMaxColors); ++i)
      if (r->pColorAttachmentFormats[i] != VK_FORMAT_UNDEFINED && location(i) < kMaxColors)
        has.colors |= 1u << location(i);
    if (r->depthAttachmentFormat != VK_FORMAT_UNDEFINED) has.depth_stencil |= VK_IMAGE_ASPECT_DEPTH_BIT;
    if (r->stencilAttachmentFormat != VK_FORMAT_UNDEFINED) has.depth_stencil |= VK_IMAGE_ASPECT_STENCIL_BIT;
  }
  // A library of fragment shaders does not know the formats yet, and must have the state.
  if ((parts & kOutputPart) == 0) has.depth_stencil = kDepthStencil;
  return has;
}

/// Aspects of attachments whose accesses need no barrier from draw to draw.
VkImageAspectFlags ordered_depth_stencil(const VkPipelineDepthStencilStateCreateInfo* d) {
  if (d == nullptr) return 0;
  VkImageAspectFlags ordered = 0;
  if ((d->flags & VK_PIPELINE_DEPTH_STENCIL_STATE_CREATE_RASTERIZATION_ORDER_ATTACHMENT_DEPTH_ACCESS_BIT_EXT) != 0)
    ordered |= VK_IMAGE_ASPECT_DEPTH_BIT;
  if ((d->flags & VK_PIPELINE_DEPTH_STENCIL_STATE_CREATE_RASTERIZATION_ORDER_ATTACHMENT_STENCIL_ACCESS_BIT_EXT) != 0)
    ordered |= VK_IMAGE_ASPECT_STENCIL_BIT;
  return ordered;
}
VkImageAspectFlags ordered_colors(const VkPipelineColorBlendStateCreateInfo* b) {
  constexpr auto kOrdered = VK_PIPELINE_COLOR_BLEND_STATE_CREATE_RASTERIZATION_ORDER_ATTACHMENT_ACCESS_BIT_EXT;
  return b != nullptr && (b->flags & kOrdered) != 0 ? VK_IMAGE_ASPECT_COLOR_BIT : 0;
}

void take_samples(const VkGraphicsPipelineCreateInfo& info, GraphicsState& s) {
  const VkPipelineMultisampleStateCreateInfo* m = info.pMultisampleState;
  if (m == nullptr) return;
  if (const auto* moved = find_in_chain<VkPipelineSampleLocationsStateCreateInfoEXT>(
          m->pNext, VK_STRUCTURE_TYPE_PIPELINE_SAMPLE_LOCATIONS_STATE_CREATE_INFO_EXT)) {
    s.moves_samples = moved->sampleLocationsEnable;
    // Positions that are dynamic, or never used, may lie anywhere.
    if (!is_dynamic(info, VK_DYNAMIC_STATE_SAMPLE_LOCATIONS_EXT) &&
        (moved->sampleLocationsEnable == VK_TRUE || is_dynamic(info, VK_DYNAMIC_STATE_SAMPLE_LOCATIONS_ENABLE_EXT)))
      s.positions = sample_positions(moved->sampleLocationsInfo);
  }
  s.samples = m->rasterizationSamples;
  if (m->pSampleMask != nullptr) s.sample_mask = m->pSampleMask[0];
  s.alpha_to_coverage = m->alphaToCoverageEnable;
  s.alpha_to_one = m->alphaToOneEnable;
}

void take_colors(const VkPipelineColorBlendStateCreateInfo* b, GraphicsState& s) {
  if (b == nullptr) return;
  s.logic_op_enable = b->logicOpEnable;
  s.logic_op = b->logicOp;
  if (b->pAttachments != nullptr)
    std::copy_n(b->pAttachments, std::min(b->attachmentCount, kMaxColors), s.blend.begin());
  std::copy_n(b->blendConstants, 4, s.constants.begin());
  if (const auto* advanced = find_in_chain<VkPipelineColorBlendAdvancedStateCreateInfoEXT>(
          b->pNext, VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_ADVANCED_STATE_CREATE_INFO_EXT))
    s.advanced.fill({VK_BLEND_OP_ZERO_EXT, advanced->srcPremultiplied, advanced->dstPremultiplied,
                     advanced->blendOverlap, VK_FALSE});
  const auto* writes = find_in_chain<VkPipelineColorWriteCreateInfoEXT>(
      b->pNext, VK_STRUCTURE_TYPE_PIPELINE_COLOR_WRITE_CREATE_INFO_EXT);
  if (writes == nullptr || writes->pColorWriteEnables == nullptr) return;
  for (std::uint32_t i = 0; i < std::min(writes->attachmentCount, kMaxColors); ++i)
    if (writes->pColorWriteEnables[i] == VK_FALSE) s.written_colors &= ~(1u << i);
}

}  // namespace

VkDepthBiasRepresentationEXT depth_bias_unit(const void* chain) {
  const auto* info =
      find_in_chain<VkDepthBiasRepresentationInfoEXT>(chain, VK_STRUCTURE_TYPE_DEPTH_BIAS_REPRESENTATION_INFO_EXT);
  return info != nullptr ? info->depthBiasRepresentation
                         : VK_DEPTH_BIAS_REPRESENTATION_LEAST_REPRESENTABLE_VALUE_FORMAT_EXT;
}

SamplePositions sample_positions(const VkSampleLocationsInfoEXT& info) {
  const auto sixteenths = [](float place) {
    return static_cast<std::uint8_t>(std::lround(std::clamp(place, 0.0f, kMaxSamplePosition) * 16));
  };
  SamplePositions positions;
  const std::uint32_t given = std::min<std::uint32_t>(info.sampleLocationsPerPixel, info.sampleLocationsCount);
  positions.count = std::min<std::uint32_t>(given, static_cast<std::uint32_t>(positions.at.size()));
  for (std::uint32_t s = 0; s < positions.count; ++s)  // a grid of one pixel
    positions.at[s] = {sixteenths(info.pSampleLocations[s].x), sixteenths(info.pSampleLocations[s].y)};
  return positions;
}

bool is_dynamic(const VkGraphicsPipelineCreateInfo& info, VkDynamicState state) {
  const auto* d = info.pDynamicState;
  return d != nullptr && std::find(d->pDynamicStates, d->pDynamicStates + d->dynamicStateCount, state) !=
                             d->pDynamicStates + d->dynamicStateCount;
}

bool rasterizes(const GraphicsPipeline& pipeline) {
  return pipeline.state.discard == VK_FALSE || has_state(pipeline.dynamic, VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE);
}

bool shades_samples(const VkGraphicsPipelineCreateInfo& info) {
  const auto* m = info.pMultisampleState;
  if (m == nullptr || m->sampleShadingEnable == VK_FALSE) return false;
  // Where commands say how many samples there are, there may be the most.
  const bool dynamic = is_dynamic(info, VK_DYNAMIC_STATE_RASTERIZATION_SAMPLES_EXT);
  const auto samples = static_cast<float>(dynamic ? kMaxSamples : std::uint32_t{m->rasterizationSamples});
  return std::ceil(m->minSampleShading * samples) > 1;
}

void take_state(const VkGraphicsPipelineCreateInfo& info, PipelineParts parts, GraphicsPipeline& to) {
  if ((parts & kVertexInputPart) != 0) take_vertex_input(info, to);
  to.dynamic |= dynamic_states(info.pDynamicState, parts);
  if ((parts & kVertexPart) != 0) {
    take_tessellation(info, to.state);
    take_rasterization(info.pRasterizationState, to.state);
  }
  if (rasterizes(to)) {
    if ((parts & kVertexPart) != 0) {
      take_viewports(info, to.state);
      take_shading_rate(info.pNext, to.state);
      take_discard_rectangles(info, to.state);
    }
    const Attachments has = attachments_of(info, parts);
    if ((parts & kFragmentPart) != 0) {
      if (has.depth_stencil != 0) {
        take_depth_stencil(info.pDepthStencilState, to.state);
        to.ordered |= ordered_depth_stencil(info.pDepthStencilState);
      }
      to.pixels.per_sample = shades_samples(info);
      to.pixels.sample_shading =
          info.pMultisampleState != nullptr && info.pMultisampleState->sampleShadingEnable == VK_TRUE;
    }
    if ((parts & kOutputPart) != 0) {
      take_samples(info, to.state);
      to.colors = has.colors;
      to.tested = has.depth_stencil;
      if (has.colors != 0) {
        take_colors(info.pColorBlendState, to.state);
        to.ordered |= ordered_colors(info.pColorBlendState);
      }
    }
  }
}

}  // namespace heddle::vulkan
