// Commands that set the state of draws.

#include <algorithm>
#include <span>

#include "vulkan/execution/executor.hpp"
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

void Executor::run(const commands::SetViewport& c) {
  set_range(state_.viewports, c.firstViewport, c.pViewports, c.viewportCount);
}
void Executor::run(const commands::SetViewportWithCount& c) {
  state_.viewport_count = std::min(c.viewportCount, kMaxViewports);
  set_range(state_.viewports, 0, c.pViewports, c.viewportCount);
}
void Executor::run(const commands::SetScissor& c) {
  set_range(state_.scissors, c.firstScissor, c.pScissors, c.scissorCount);
}
void Executor::run(const commands::SetScissorWithCount& c) {
  state_.scissor_count = std::min(c.scissorCount, kMaxViewports);
  set_range(state_.scissors, 0, c.pScissors, c.scissorCount);
}
void Executor::run(const commands::SetLineWidth& c) { state_.line_width = c.lineWidth; }
void Executor::run(const commands::SetLineStippleEXT& c) {
  state_.stipple_factor = c.lineStippleFactor;
  state_.stipple_pattern = c.lineStipplePattern;
}
void Executor::run(const commands::SetDepthBias& c) {
  state_.bias_constant = c.depthBiasConstantFactor;
  state_.bias_clamp = c.depthBiasClamp;
  state_.bias_slope = c.depthBiasSlopeFactor;
}
void Executor::run(const commands::SetDepthBiasEnable& c) { state_.depth_bias = c.depthBiasEnable; }
void Executor::run(const commands::SetBlendConstants& c) { std::copy_n(c.blendConstants, 4, state_.constants.begin()); }
void Executor::run(const commands::SetDepthBounds& c) {
  state_.least_bound = c.minDepthBounds;
  state_.greatest_bound = c.maxDepthBounds;
}
void Executor::run(const commands::SetDepthBoundsTestEnable& c) { state_.bounds_test = c.depthBoundsTestEnable; }
void Executor::run(const commands::SetStencilCompareMask& c) {
  set_faces(state_, c.faceMask, [&](VkStencilOpState& face) { face.compareMask = c.compareMask; });
}
void Executor::run(const commands::SetStencilWriteMask& c) {
  set_faces(state_, c.faceMask, [&](VkStencilOpState& face) { face.writeMask = c.writeMask; });
}
void Executor::run(const commands::SetStencilReference& c) {
  set_faces(state_, c.faceMask, [&](VkStencilOpState& face) { face.reference = c.reference; });
}
void Executor::run(const commands::SetStencilOp& c) {
  set_faces(state_, c.faceMask, [&](VkStencilOpState& face) {
    face.failOp = c.failOp;
    face.passOp = c.passOp;
    face.depthFailOp = c.depthFailOp;
    face.compareOp = c.compareOp;
  });
}
void Executor::run(const commands::SetStencilTestEnable& c) { state_.stencil_test = c.stencilTestEnable; }
void Executor::run(const commands::SetDepthTestEnable& c) { state_.depth_test = c.depthTestEnable; }
void Executor::run(const commands::SetDepthWriteEnable& c) { state_.depth_write = c.depthWriteEnable; }
void Executor::run(const commands::SetDepthCompareOp& c) { state_.depth_compare = c.depthCompareOp; }
void Executor::run(const commands::SetCullMode& c) { state_.cull = c.cullMode; }
void Executor::run(const commands::SetFrontFace& c) { state_.front_face = c.frontFace; }
void Executor::run(const commands::SetPrimitiveTopology& c) { state_.topology = c.primitiveTopology; }
void Executor::run(const commands::SetPrimitiveRestartEnable& c) { state_.restart = c.primitiveRestartEnable; }
void Executor::run(const commands::SetRasterizerDiscardEnable& c) { state_.discard = c.rasterizerDiscardEnable; }
void Executor::run(const commands::SetLogicOpEXT& c) { state_.logic_op = c.logicOp; }

// --- of pipelines without these states ---

void Executor::run(const commands::SetVertexInputEXT& c) {
  input_ = {};
  for (const VkVertexInputBindingDescription2EXT& b :
       std::span(c.pVertexBindingDescriptions, c.vertexBindingDescriptionCount)) {
    if (b.binding >= kMaxVertexBindings) continue;
    state_.strides[b.binding] = b.stride;
    if (b.inputRate != VK_VERTEX_INPUT_RATE_INSTANCE) continue;
    if (input_.divisors.size() <= b.binding) input_.divisors.resize(b.binding + 1);
    input_.divisors[b.binding] = b.divisor;
  }
  for (const VkVertexInputAttributeDescription2EXT& a :
       std::span(c.pVertexAttributeDescriptions, c.vertexAttributeDescriptionCount))
    input_.attributes.push_back({a.location, a.binding, a.format, a.offset});
}
void Executor::run(const commands::SetDepthClampEnableEXT& c) { state_.depth_clamp = c.depthClampEnable; }
void Executor::run(const commands::SetDepthClipEnableEXT& c) { state_.depth_clip = c.depthClipEnable == VK_TRUE; }
void Executor::run(const commands::SetDepthClipNegativeOneToOneEXT& c) {
  state_.negative_one_to_one = c.negativeOneToOne;
}
void Executor::run(const commands::SetPolygonModeEXT& c) { state_.polygon_mode = c.polygonMode; }
void Executor::run(const commands::SetConservativeRasterizationModeEXT& c) {
  state_.conservative = c.conservativeRasterizationMode;
}
void Executor::run(const commands::SetProvokingVertexModeEXT& c) { state_.provoking = c.provokingVertexMode; }
void Executor::run(const commands::SetLineRasterizationModeEXT& c) { state_.line_mode = c.lineRasterizationMode; }
void Executor::run(const commands::SetLineStippleEnableEXT& c) { state_.stipple = c.stippledLineEnable; }
void Executor::run(const commands::SetRasterizationSamplesEXT& c) { state_.samples = c.rasterizationSamples; }
void Executor::run(const commands::SetSampleMaskEXT& c) {
  state_.sample_mask = c.pSampleMask != nullptr ? c.pSampleMask[0] : ~0u;
}
void Executor::run(const commands::SetSampleLocationsEnableEXT& c) { state_.moves_samples = c.sampleLocationsEnable; }
void Executor::run(const commands::SetSampleLocationsEXT& c) {
  state_.positions = sample_positions(*c.pSampleLocationsInfo);
}
void Executor::run(const commands::SetAlphaToCoverageEnableEXT& c) {
  state_.alpha_to_coverage = c.alphaToCoverageEnable;
}
void Executor::run(const commands::SetAlphaToOneEnableEXT& c) { state_.alpha_to_one = c.alphaToOneEnable; }
void Executor::run(const commands::SetLogicOpEnableEXT& c) { state_.logic_op_enable = c.logicOpEnable; }
void Executor::run(const commands::SetColorBlendEnableEXT& c) {
  for (std::uint32_t i = 0; i < c.attachmentCount && c.firstAttachment + i < kMaxColors; ++i)
    state_.blend[c.firstAttachment + i].blendEnable = c.pColorBlendEnables[i];
}
void Executor::run(const commands::SetColorBlendEquationEXT& c) {
  for (std::uint32_t i = 0; i < c.attachmentCount && c.firstAttachment + i < kMaxColors; ++i) {
    const VkColorBlendEquationEXT& from = c.pColorBlendEquations[i];
    VkPipelineColorBlendAttachmentState& to = state_.blend[c.firstAttachment + i];
    to.srcColorBlendFactor = from.srcColorBlendFactor;
    to.dstColorBlendFactor = from.dstColorBlendFactor;
    to.colorBlendOp = from.colorBlendOp;
    to.srcAlphaBlendFactor = from.srcAlphaBlendFactor;
    to.dstAlphaBlendFactor = from.dstAlphaBlendFactor;
    to.alphaBlendOp = from.alphaBlendOp;
  }
}
void Executor::run(const commands::SetColorWriteMaskEXT& c) {
  for (std::uint32_t i = 0; i < c.attachmentCount && c.firstAttachment + i < kMaxColors; ++i)
    state_.blend[c.firstAttachment + i].colorWriteMask = c.pColorWriteMasks[i];
}
void Executor::run(const commands::SetColorWriteEnableEXT& c) {
  for (std::uint32_t i = 0; i < c.attachmentCount && i < kMaxColors; ++i)
    state_.written_colors = (state_.written_colors & ~(1u << i)) | (c.pColorWriteEnables[i] == VK_TRUE ? 1u << i : 0);
}

// --- vertex and index buffers ---

void Executor::bind_vertex_buffer(std::uint32_t binding, VkBuffer buffer, VkDeviceSize offset, VkDeviceSize size) {
  if (binding >= kMaxVertexBindings) return;
  vertex_buffers_[binding] = {};
  bound_buffers_[binding] = buffer;
  if (buffer == VK_NULL_HANDLE) return;
  const std::span<std::uint8_t> all = from_handle(buffer)->range(offset, VK_WHOLE_SIZE);
  vertex_buffers_[binding] = all.first(static_cast<std::size_t>(std::min<std::uint64_t>(size, all.size())));
}

void Executor::run(const commands::BindVertexBuffers& c) {
  for (std::uint32_t i = 0; i < c.bindingCount; ++i)
    bind_vertex_buffer(c.firstBinding + i, c.pBuffers[i], c.pOffsets[i], VK_WHOLE_SIZE);
}
void Executor::run(const commands::BindVertexBuffers2& c) {
  for (std::uint32_t i = 0; i < c.bindingCount; ++i) {
    const std::uint32_t binding = c.firstBinding + i;
    bind_vertex_buffer(binding, c.pBuffers[i], c.pOffsets[i], c.pSizes == nullptr ? VK_WHOLE_SIZE : c.pSizes[i]);
    if (c.pStrides != nullptr && binding < kMaxVertexBindings)
      state_.strides[binding] = static_cast<std::uint32_t>(c.pStrides[i]);
  }
}
void Executor::run(const commands::BindIndexBuffer& c) {
  indices_ = {};
  index_buffer_ = c.buffer;
  if (c.buffer != VK_NULL_HANDLE) indices_ = from_handle(c.buffer)->range(c.offset, VK_WHOLE_SIZE);
  index_bytes_ = c.indexType == VK_INDEX_TYPE_UINT32 ? 4 : c.indexType == VK_INDEX_TYPE_UINT16 ? 2 : 1;
}

}  // namespace heddle::vulkan
