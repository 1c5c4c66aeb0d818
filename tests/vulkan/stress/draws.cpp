// SPDX-License-Identifier: MIT
#include "vulkan/stress/draws.hpp"

#include <algorithm>
#include <cstring>

namespace heddle::test {
namespace {

constexpr VkFormat kColor = VK_FORMAT_R8G8B8A8_UNORM, kDepth = VK_FORMAT_D32_SFLOAT_S8_UINT,
                   kTarget = VK_FORMAT_R32_UINT;

// Places are quarters of pixels, depths 64ths and the same all over a primitive, colors 255ths: exact on every driver.
const std::string kVertex =
    "#version 450\nlayout(location = 0) in uint w;\nlayout(location = 1) in uint e;\n"
    "layout(push_constant) uniform P { uint from, to, value, count; };\nlayout(location = 0) flat out uint id;\n"
    "void main() { uvec2 at = uvec2(w, w >> 8) % 129u;\n"
    "  float z = float((value + uint(gl_InstanceIndex) * 7u) % 65u) / 64.0;\n"
    "  gl_Position = vec4(vec2(at) / 64.0 - 1.0, z, 1.0);\n"
    "  id = e * 5u + uint(gl_InstanceIndex) + (value >> 8); }\n";
const std::string kFragmentHead =
    "#version 450\nlayout(location = 0) flat in uint id;\nlayout(binding = 0) buffer B { uint w[]; } b[4];\n"
    "layout(push_constant) uniform P { uint from, to, value, count; };\n"
    "layout(location = 0) out uint a;\nlayout(location = 1) out vec4 c;\n"
    "void main() { uvec2 at = uvec2(gl_FragCoord.xy);\n  a = id + at.x * 3u + at.y * 129u;\n"
    "  c = vec4(uvec4(id, id >> 8, at.x * 7u, at.y * 5u) % 256u) / 255.0;\n";

/// What differs between the pipelines.
struct Kind {
  VkPrimitiveTopology topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  bool restart = false, depth = false, stencil = false, blend = false, logic = false, instanced = false;
  const char* body = "}\n";
};
constexpr std::array<Kind, kDrawKinds> kKinds{{
    {},
    {.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, .restart = true, .depth = true},
    {.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN, .stencil = true},
    {.depth = true, .blend = true, .instanced = true},
    {.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, .logic = true},
    {.depth = true, .stencil = true, .body = "  if ((at.x + id) % 3u == 0u) discard; }\n"},
    {.instanced = true,
     .body = "  a ^= b[from].w[(at.x + at.y * 32u) % 4096u]; atomicAdd(b[to].w[id % 4096u], 1u); }\n"},
}};

VkStencilOpState stencil_state(VkStencilOp pass, VkStencilOp depth_fail) {
  return {VK_STENCIL_OP_INVERT, pass, depth_fail, VK_COMPARE_OP_GREATER_OR_EQUAL, 0x3f, 0xff, 0};
}

/// Depth, stencil and blending of a kind.
struct Output {
  Output(const Kind& kind, std::size_t number) {
    depth.depthTestEnable = depth.depthWriteEnable = kind.depth ? VK_TRUE : VK_FALSE;
    depth.depthCompareOp = VK_COMPARE_OP_GREATER_OR_EQUAL;
    depth.stencilTestEnable = kind.stencil ? VK_TRUE : VK_FALSE;
    depth.front = stencil_state(VK_STENCIL_OP_INCREMENT_AND_WRAP, VK_STENCIL_OP_ZERO);
    depth.back = stencil_state(VK_STENCIL_OP_REPLACE, VK_STENCIL_OP_DECREMENT_AND_CLAMP);
    VkPipelineColorBlendAttachmentState& blended = blends[1];
    blends[0].colorWriteMask = blended.colorWriteMask = 15;
    blended.blendEnable = kind.blend ? VK_TRUE : VK_FALSE;
    blended.srcColorBlendFactor = blended.dstColorBlendFactor = VK_BLEND_FACTOR_ONE;
    blended.srcAlphaBlendFactor = blended.dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE;
    blended.alphaBlendOp = VK_BLEND_OP_MIN;
    if (number % 2 == 1) blended.colorWriteMask = VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_B_BIT;
    colors.logicOpEnable = kind.logic ? VK_TRUE : VK_FALSE;
    colors.logicOp = VK_LOGIC_OP_XOR;
    colors.attachmentCount = 2;
    colors.pAttachments = blends.data();
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  std::array<VkPipelineColorBlendAttachmentState, 2> blends{};
  VkPipelineDepthStencilStateCreateInfo depth{VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
  VkPipelineColorBlendStateCreateInfo colors{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
};

}  // namespace

Draws::Draws(VulkanDevice& device, VkDescriptorSetLayout set) : v_(device) {
  layout_ = v_.layout({set}, 16);
  const auto attachment = [&](VkFormat format, VkImageUsageFlags usage) {
    VkImageCreateInfo info = VulkanDevice::image_info(format, kSide, kSide);
    info.usage = usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    return v_.image(info);
  };
  color_ = attachment(kColor, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
  depth_ = attachment(kDepth, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
  color_view_ = v_.view(color_.image, kColor);
  depth_view_ = v_.view(depth_.image, kDepth, VK_IMAGE_VIEW_TYPE_2D,
                        {VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT, 0, 1, 0, 1});
  passes_ = {pass(false), pass(true)};
  make_pipelines();
  begin_rendering_ = v_.proc<PFN_vkCmdBeginRenderingKHR>("vkCmdBeginRenderingKHR");
  end_rendering_ = v_.proc<PFN_vkCmdEndRenderingKHR>("vkCmdEndRenderingKHR");
  color_bytes_ = v_.buffer(kSide * kSide * 4);
  depth_bytes_ = v_.buffer(kSide * kSide * 4);
  stencil_bytes_ = v_.buffer(kSide * kSide);
  indirect_ = v_.buffer(sizeof(VkDrawIndexedIndirectCommand));
}

VkRenderPass Draws::pass(bool clear) {
  std::array<VkAttachmentDescription, 3> attachments{};
  constexpr std::array kFormats{kTarget, kColor, kDepth};
  for (std::size_t i = 0; i < attachments.size(); ++i) {
    VkAttachmentDescription& a = attachments[i];
    a.format = kFormats[i];
    a.samples = VK_SAMPLE_COUNT_1_BIT;
    a.loadOp = a.stencilLoadOp = clear ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD;
    a.storeOp = a.stencilStoreOp = VK_ATTACHMENT_STORE_OP_STORE;
    a.initialLayout = a.finalLayout = VK_IMAGE_LAYOUT_GENERAL;
  }
  const VkAttachmentReference colors[] = {{0, VK_IMAGE_LAYOUT_GENERAL}, {1, VK_IMAGE_LAYOUT_GENERAL}},
                              depth{2, VK_IMAGE_LAYOUT_GENERAL};
  VkSubpassDescription subpass{};
  subpass.colorAttachmentCount = 2;
  subpass.pColorAttachments = colors;
  subpass.pDepthStencilAttachment = &depth;
  VkRenderPassCreateInfo info{VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO};
  info.attachmentCount = static_cast<std::uint32_t>(attachments.size());
  info.pAttachments = attachments.data();
  info.subpassCount = 1;
  info.pSubpasses = &subpass;
  VkRenderPass made = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateRenderPass(v_.device, &info, nullptr, &made), VK_SUCCESS);
  v_.later([d = v_.device, made] { vkDestroyRenderPass(d, made, nullptr); });
  return made;
}

VkPipeline Draws::pipeline(const VkGraphicsPipelineCreateInfo& common, std::size_t number) {
  const Kind& kind = kKinds[number];
  const VkShaderModule vertex = v_.module(kVertex, "vert"), fragment = v_.module(kFragmentHead + kind.body, "frag");
  const VkPipelineShaderStageCreateInfo stages[] = {{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, nullptr, 0,
                                                     VK_SHADER_STAGE_VERTEX_BIT, vertex, "main", nullptr},
                                                    {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, nullptr, 0,
                                                     VK_SHADER_STAGE_FRAGMENT_BIT, fragment, "main", nullptr}};
  const VkVertexInputBindingDescription bindings[] = {
      {0, 4, VK_VERTEX_INPUT_RATE_VERTEX},
      {1, 8, kind.instanced ? VK_VERTEX_INPUT_RATE_INSTANCE : VK_VERTEX_INPUT_RATE_VERTEX}};
  const VkVertexInputAttributeDescription attributes[] = {{0, 0, VK_FORMAT_R32_UINT, 0}, {1, 1, VK_FORMAT_R16_UINT, 2}};
  VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
  input.vertexBindingDescriptionCount = input.vertexAttributeDescriptionCount = 2;
  input.pVertexBindingDescriptions = bindings;
  input.pVertexAttributeDescriptions = attributes;
  const VkPipelineInputAssemblyStateCreateInfo assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
                                                        nullptr, 0, kind.topology, kind.restart ? VK_TRUE : VK_FALSE};
  VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
  raster.lineWidth = 1;
  raster.cullMode = number % 3 == 1 ? VK_CULL_MODE_BACK_BIT : VK_CULL_MODE_NONE;
  const Output output(kind, number);
  VkGraphicsPipelineCreateInfo info = common;
  info.stageCount = 2;
  info.pStages = stages;
  info.pVertexInputState = &input;
  info.pInputAssemblyState = &assembly;
  info.pRasterizationState = &raster;
  info.pDepthStencilState = &output.depth;
  info.pColorBlendState = &output.colors;
  VkPipeline made = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateGraphicsPipelines(v_.device, VK_NULL_HANDLE, 1, &info, nullptr, &made), VK_SUCCESS);
  for (const VkShaderModule module : {vertex, fragment}) vkDestroyShaderModule(v_.device, module, nullptr);
  v_.later([d = v_.device, made] { vkDestroyPipeline(d, made, nullptr); });
  return made;
}

/// Each kind for a render pass, then each for dynamic rendering.
void Draws::make_pipelines() {
  const VkViewport viewport{0, 0, kSide, kSide, 0, 1};
  VkPipelineViewportStateCreateInfo viewports{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
  viewports.viewportCount = viewports.scissorCount = 1;
  viewports.pViewports = &viewport;
  VkPipelineMultisampleStateCreateInfo samples{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
  samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
  constexpr VkDynamicState kDynamic[] = {VK_DYNAMIC_STATE_SCISSOR, VK_DYNAMIC_STATE_STENCIL_REFERENCE};
  const VkPipelineDynamicStateCreateInfo dynamic{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO, nullptr, 0, 2,
                                                 kDynamic};
  constexpr VkFormat kFormats[] = {kTarget, kColor};
  const VkPipelineRenderingCreateInfo rendering{
      VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO, nullptr, 0, 2, kFormats, kDepth, kDepth};
  VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO};
  info.pViewportState = &viewports;
  info.pMultisampleState = &samples;
  info.pDynamicState = &dynamic;
  info.layout = layout_;
  info.renderPass = passes_[0];
  for (std::size_t k = 0; k < kDrawKinds; ++k) pipelines_.push_back(pipeline(info, k));
  info.pNext = &rendering;
  info.renderPass = VK_NULL_HANDLE;
  for (std::size_t k = 0; k < kDrawKinds; ++k) pipelines_.push_back(pipeline(info, k));
}

void Draws::begin(VkCommandBuffer c, VkImageView target, std::uint32_t width, std::uint32_t height) {
  target_ = target;
  extent_ = {std::min(width, kSide), std::min(height, kSide)};
  const VkImageView views[] = {target_, color_view_, depth_view_};
  VkFramebufferCreateInfo info{VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO};
  info.renderPass = passes_[0];
  info.attachmentCount = 3;
  info.pAttachments = views;
  info.width = extent_.width;
  info.height = extent_.height;
  info.layers = 1;
  EXPECT_EQ(vkCreateFramebuffer(v_.device, &info, nullptr, &framebuffer_), VK_SUCCESS);
  const VkClearColorValue zero{};
  const VkClearDepthStencilValue far{0.5f, 7};
  const VkImageSubresourceRange color{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
      depth{VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT, 0, 1, 0, 1};
  vkCmdClearColorImage(c, color_.image, VK_IMAGE_LAYOUT_GENERAL, &zero, 1, &color);
  vkCmdClearDepthStencilImage(c, depth_.image, VK_IMAGE_LAYOUT_GENERAL, &far, 1, &depth);
}

void Draws::end() {
  vkDestroyFramebuffer(v_.device, framebuffer_, nullptr);
  framebuffer_ = VK_NULL_HANDLE;
}

/// By a render pass, or by dynamic rendering where that is asked for.
void Draws::begin_pass(VkCommandBuffer c, const StressCommand& s, const VkRect2D& area) {
  std::array<VkClearValue, 3> clear{};
  clear[0].color.uint32[0] = s.value;
  clear[1].color.float32[1] = 1;
  clear[2].depthStencil = {static_cast<float>(s.value % 65) / 64, s.value >> 3 & 0xff};
  if (s.dynamic) {
    std::array<VkRenderingAttachmentInfo, 3> attachments{};
    const VkImageView views[] = {target_, color_view_, depth_view_};
    for (std::size_t i = 0; i < attachments.size(); ++i) {
      VkRenderingAttachmentInfo& a = attachments[i];
      a.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO;
      a.imageView = views[i];
      a.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
      a.loadOp = s.clears ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD;
      a.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
      a.clearValue = clear[i];
    }
    VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
    info.renderArea = area;
    info.layerCount = 1;
    info.colorAttachmentCount = 2;
    info.pColorAttachments = attachments.data();
    info.pDepthAttachment = info.pStencilAttachment = &attachments[2];
    return begin_rendering_(c, &info);
  }
  VkRenderPassBeginInfo begin{VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO};
  begin.renderPass = passes_[s.clears ? 1 : 0];
  begin.framebuffer = framebuffer_;
  begin.renderArea = area;
  begin.clearValueCount = static_cast<std::uint32_t>(clear.size());
  begin.pClearValues = clear.data();
  vkCmdBeginRenderPass(c, &begin, VK_SUBPASS_CONTENTS_INLINE);
}

void Draws::draw(VkCommandBuffer c, const StressCommand& s, std::span<const VulkanDevice::Buffer> buffers,
                 std::uint32_t n) {
  if (s.kind == StressCommand::Kind::Draw) return vkCmdDraw(c, s.vertices, s.instances, s.source / 4 + n, n);
  // Of 8 bits, so that no index leaves the vertex buffers: what is read there is each driver's own.
  vkCmdBindIndexBuffer(c, buffers[s.from].buffer, s.source + n, VK_INDEX_TYPE_UINT8_EXT);
  if (s.direct)
    return vkCmdDrawIndexed(c, s.vertices, s.instances, s.value % 100, static_cast<std::int32_t>(s.value % 300),
                            s.value % 5);
  vkCmdDrawIndexedIndirect(c, indirect_.buffer, 0, 1, sizeof(VkDrawIndexedIndirectCommand));
}

void Draws::record(VkCommandBuffer c, const StressCommand& s, VkDescriptorSet set,
                   std::span<const VulkanDevice::Buffer> buffers) {
  const auto side = [](std::uint32_t size, std::uint32_t pick, std::int32_t& offset, std::uint32_t& extent) {
    extent = 1 + pick % size;
    offset = static_cast<std::int32_t>((pick >> 8) % (size - extent + 1));
  };
  VkRect2D area{};
  side(extent_.width, s.value, area.offset.x, area.extent.width);
  side(extent_.height, s.value >> 5, area.offset.y, area.extent.height);
  const VkDrawIndexedIndirectCommand numbers{s.vertices, s.instances, s.value % 100,
                                             static_cast<std::int32_t>(s.value % 300), s.value % 5};
  if (s.kind == StressCommand::Kind::DrawIndexed && !s.direct) {
    vkCmdUpdateBuffer(c, indirect_.buffer, 0, sizeof numbers, &numbers);
    const VkMemoryBarrier written{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_TRANSFER_WRITE_BIT,
                                  VK_ACCESS_INDIRECT_COMMAND_READ_BIT};
    vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT, 0, 1, &written, 0,
                         nullptr, 0, nullptr);
  }
  begin_pass(c, s, s.clears ? area : VkRect2D{{}, extent_});
  vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines_[s.draws + (s.dynamic ? kDrawKinds : 0)]);
  vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_GRAPHICS, layout_, 0, 1, &set, 0, nullptr);
  const std::uint32_t push[4] = {s.from, s.to, s.value, 0};
  vkCmdPushConstants(c, layout_, v_.stages, 0, sizeof push, push);
  vkCmdSetScissor(c, 0, 1, &area);
  vkCmdSetStencilReference(c, VK_STENCIL_FACE_FRONT_AND_BACK, s.value >> 2 & 0xff);
  const VkBuffer vertices[] = {buffers[s.from].buffer, buffers[s.from].buffer};
  const VkDeviceSize offsets[] = {0, s.target / 8 * 4};
  vkCmdBindVertexBuffers(c, 0, 2, vertices, offsets);
  draw(c, s, buffers, 0);
  if (s.mirrored) draw(c, s, buffers, 1);
  if (s.dynamic)
    end_rendering_(c);
  else
    vkCmdEndRenderPass(c);
}

void Draws::read(VkCommandBuffer c) {
  const auto copy = [&](VkImage image, VkImageAspectFlags aspect, const VulkanDevice::Buffer& to) {
    const VkBufferImageCopy region{0, 0, 0, {aspect, 0, 0, 1}, {}, {kSide, kSide, 1}};
    vkCmdCopyImageToBuffer(c, image, VK_IMAGE_LAYOUT_GENERAL, to.buffer, 1, &region);
  };
  copy(color_.image, VK_IMAGE_ASPECT_COLOR_BIT, color_bytes_);
  copy(depth_.image, VK_IMAGE_ASPECT_DEPTH_BIT, depth_bytes_);
  copy(depth_.image, VK_IMAGE_ASPECT_STENCIL_BIT, stencil_bytes_);
}

std::vector<std::vector<std::uint8_t>> Draws::contents() const {
  std::vector<std::vector<std::uint8_t>> all;
  for (const VulkanDevice::Buffer* b : {&color_bytes_, &depth_bytes_, &stencil_bytes_})
    all.emplace_back(b->bytes, b->bytes + b->size);
  return all;
}

}  // namespace heddle::test
