// SPDX-License-Identifier: MIT
#include "vulkan/canvas.hpp"

#include <cstring>

namespace heddle::test {

std::string covering_vertices(const std::string& z) {
  return "#version 450\nvoid main() { gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, " +
         z + ", 1); }\n";
}
std::string one_color(const std::string& color) {
  return "#version 450\nlayout(location = 0) out vec4 o;\nvoid main() { o = " + color + "; }\n";
}

namespace {

/// Integers have no mean.
bool is_integer(VkFormat format) {
  return format == VK_FORMAT_R16G16_UINT || format == VK_FORMAT_R8G8B8A8_SINT || format == VK_FORMAT_R32_UINT ||
         format == VK_FORMAT_R8G8B8A8_UINT;
}

std::vector<const char*> with_rendering(std::vector<const char*> extensions) {
  for (const char* name : {VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME, VK_KHR_DEPTH_STENCIL_RESOLVE_EXTENSION_NAME,
                           VK_KHR_CREATE_RENDERPASS_2_EXTENSION_NAME})
    extensions.push_back(name);
  return extensions;
}

}  // namespace

Canvas::Canvas(std::uint32_t w, std::uint32_t h, std::vector<VkFormat> formats, VkFormat depth_format,
               VkSampleCountFlagBits sample_count, std::vector<const char*> more_extensions, const char* manifest)
    : v(with_rendering(std::move(more_extensions)), manifest), width(w), height(h), count(sample_count) {
  v.stages = VK_SHADER_STAGE_ALL_GRAPHICS;
  begin_rendering_ = v.proc<PFN_vkCmdBeginRenderingKHR>("vkCmdBeginRenderingKHR");
  end_rendering_ = v.proc<PFN_vkCmdEndRenderingKHR>("vkCmdEndRenderingKHR");
  for (const VkFormat format : formats) {
    colors.push_back(attachment(format, count));
    if (count != VK_SAMPLE_COUNT_1_BIT) resolved.push_back(attachment(format, VK_SAMPLE_COUNT_1_BIT));
  }
  if (depth_format != VK_FORMAT_UNDEFINED) depth = attachment(depth_format, count);
  plain_layout = v.layout({});
}

Canvas::Attachment Canvas::attachment(VkFormat format, VkSampleCountFlagBits samples, VkImageUsageFlags more_usage,
                                      std::uint32_t layers) {
  Attachment made;
  made.format = format;
  VkImageCreateInfo info = VulkanDevice::image_info(format, width, height);
  const bool color = aspects_of(format) == VK_IMAGE_ASPECT_COLOR_BIT;
  info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | more_usage |
               (color ? VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT : VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
  info.samples = samples;
  info.arrayLayers = layers;
  made.image = v.image(info);
  made.view = v.view(made.image.image, format, layers > 1 ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D,
                     {aspects_of(format), 0, 1, 0, layers});
  return made;
}

VkPipeline Canvas::pipeline(const PipelineState& s) {
  std::vector<VkPipelineShaderStageCreateInfo> stages;
  const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo lanes{
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO, nullptr, s.subgroup_size};
  const auto add = [&](VkShaderModule module, VkShaderStageFlagBits stage) {
    stages.push_back({VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, s.subgroup_size != 0 ? &lanes : nullptr, 0,
                      stage, module, "main", nullptr});
  };
  if (!s.vertex.empty()) add(v.module(s.vertex, "vert"), VK_SHADER_STAGE_VERTEX_BIT);
  if (!s.control.empty()) add(v.module(s.control, "tesc"), VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT);
  if (!s.evaluation.empty()) add(v.module(s.evaluation, "tese"), VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT);
  if (!s.geometry.empty()) add(v.module(s.geometry, "geom"), VK_SHADER_STAGE_GEOMETRY_BIT);
  // Mesh shaders, and what reads their primitives' outputs, need SPIR-V 1.4.
  const auto newer = [&](const std::string& glsl, const char* stage) {
    return v.module(compile_shader(glsl, stage, false, "vulkan1.2"));
  };
  if (!s.task.empty()) add(newer(s.task, "task"), VK_SHADER_STAGE_TASK_BIT_EXT);
  if (!s.mesh.empty()) add(newer(s.mesh, "mesh"), VK_SHADER_STAGE_MESH_BIT_EXT);
  if (!s.fragment.empty())
    add(s.mesh.empty() ? v.module(s.fragment, "frag") : newer(s.fragment, "frag"), VK_SHADER_STAGE_FRAGMENT_BIT);
  if (!s.fragment_words.empty()) add(v.module(s.fragment_words), VK_SHADER_STAGE_FRAGMENT_BIT);
  VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
  input.vertexBindingDescriptionCount = static_cast<std::uint32_t>(s.bindings.size());
  input.pVertexBindingDescriptions = s.bindings.data();
  input.vertexAttributeDescriptionCount = static_cast<std::uint32_t>(s.attributes.size());
  input.pVertexAttributeDescriptions = s.attributes.data();
  const VkPipelineVertexInputDivisorStateCreateInfoEXT divisors{
      VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO_EXT, nullptr,
      static_cast<std::uint32_t>(s.divisors.size()), s.divisors.data()};
  if (!s.divisors.empty()) input.pNext = &divisors;
  const VkPipelineInputAssemblyStateCreateInfo assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
                                                        nullptr, 0, s.topology, s.restart};
  VkPipelineTessellationStateCreateInfo patches{VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO};
  patches.patchControlPoints = s.patch_vertices;
  const VkPipelineTessellationDomainOriginStateCreateInfo origin{
      VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_DOMAIN_ORIGIN_STATE_CREATE_INFO, nullptr,
      s.domain_origin.value_or(VK_TESSELLATION_DOMAIN_ORIGIN_UPPER_LEFT)};
  if (s.domain_origin) patches.pNext = &origin;
  const VkViewport viewport =
      s.viewport.value_or(VkViewport{0, 0, static_cast<float>(width), static_cast<float>(height), 0, 1});
  const VkRect2D scissor = s.scissor.value_or(VkRect2D{{0, 0}, {width, height}});
  VkPipelineViewportStateCreateInfo viewports{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
  const std::vector<VkViewport> all_viewports = s.viewports.empty() ? std::vector{viewport} : s.viewports;
  const std::vector<VkRect2D> all_scissors(all_viewports.size(), scissor);
  viewports.pNext = s.viewport_chain;
  viewports.viewportCount = viewports.scissorCount = static_cast<std::uint32_t>(all_viewports.size());
  viewports.pViewports = all_viewports.data();
  viewports.pScissors = all_scissors.data();
  VkPipelineMultisampleStateCreateInfo samples = s.samples;
  if (samples.rasterizationSamples == 0) samples.rasterizationSamples = count;
  std::vector<VkPipelineColorBlendAttachmentState> blend = s.blend;
  VkPipelineColorBlendAttachmentState all{};
  all.colorWriteMask = 15;
  blend.resize(std::max(blend.size(), colors.size()), all);
  VkPipelineColorBlendStateCreateInfo color_state = s.colors;
  color_state.attachmentCount = static_cast<std::uint32_t>(blend.size());
  color_state.pAttachments = blend.data();
  const VkPipelineDynamicStateCreateInfo dynamic{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO, nullptr, 0,
                                                 static_cast<std::uint32_t>(s.dynamic.size()), s.dynamic.data()};
  std::vector<VkFormat> formats;
  for (const Attachment& a : colors) formats.push_back(a.format);
  VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
  rendering.viewMask = s.view_mask;
  rendering.colorAttachmentCount = static_cast<std::uint32_t>(formats.size());
  rendering.pColorAttachmentFormats = formats.data();
  const VkImageAspectFlags aspects = depth.view != VK_NULL_HANDLE ? aspects_of(depth.format) : 0;
  if ((aspects & VK_IMAGE_ASPECT_DEPTH_BIT) != 0) rendering.depthAttachmentFormat = depth.format;
  if ((aspects & VK_IMAGE_ASPECT_STENCIL_BIT) != 0) rendering.stencilAttachmentFormat = depth.format;
  if (s.rendering) s.rendering(rendering);
  VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO};
  rendering.pNext = s.chain;
  info.pNext = s.pass == VK_NULL_HANDLE ? &rendering : s.chain;
  info.stageCount = static_cast<std::uint32_t>(stages.size());
  info.pStages = stages.data();
  if (s.mesh.empty()) {
    info.pVertexInputState = &input;
    info.pInputAssemblyState = &assembly;
  }
  if (!s.control.empty()) info.pTessellationState = &patches;
  info.pViewportState = &viewports;
  info.pRasterizationState = &s.raster;
  info.pMultisampleState = &samples;
  info.pDepthStencilState = &s.depth;
  info.pColorBlendState = &color_state;
  info.pDynamicState = s.dynamic.empty() ? nullptr : &dynamic;
  info.layout = s.layout != VK_NULL_HANDLE ? s.layout : plain_layout;
  info.renderPass = s.pass;
  info.subpass = s.subpass;
  info.flags = s.flags;
  VkPipeline made = VK_NULL_HANDLE;
  if (s.libraries) {
    const std::vector<VkPipeline> parts = libraries(info);
    const VkPipelineLibraryCreateInfoKHR linked{VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR, nullptr,
                                                static_cast<std::uint32_t>(parts.size()), parts.data()};
    VkGraphicsPipelineCreateInfo link{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &linked, s.flags};
    link.layout = info.layout;
    EXPECT_EQ(vkCreateGraphicsPipelines(v.device, VK_NULL_HANDLE, 1, &link, nullptr, &made), VK_SUCCESS);
    for (const VkPipeline part : parts) vkDestroyPipeline(v.device, part, nullptr);
  } else {
    EXPECT_EQ(vkCreateGraphicsPipelines(v.device, VK_NULL_HANDLE, 1, &info, nullptr, &made), VK_SUCCESS)
        << (v.messages.empty() ? std::string() : v.messages.back());
  }
  for (const VkPipelineShaderStageCreateInfo& stage : stages) vkDestroyShaderModule(v.device, stage.module, nullptr);
  v.later([d = v.device, made] { vkDestroyPipeline(d, made, nullptr); });
  return made;
}

std::vector<VkPipeline> Canvas::libraries(const VkGraphicsPipelineCreateInfo& info) {
  std::vector<VkPipeline> made;
  for (const VkGraphicsPipelineLibraryFlagBitsEXT part :
       {VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT,
        VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT,
        VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT,
        VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT}) {
    const VkGraphicsPipelineLibraryCreateInfoEXT library{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT,
                                                         const_cast<void*>(info.pNext),
                                                         static_cast<VkGraphicsPipelineLibraryFlagsEXT>(part)};
    VkGraphicsPipelineCreateInfo one = info;
    one.pNext = &library;
    one.flags |= VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
    const VkShaderStageFlags stage = part == VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT
                                         ? (VK_SHADER_STAGE_ALL_GRAPHICS & ~VK_SHADER_STAGE_FRAGMENT_BIT) |
                                               VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT
                                     : part == VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT
                                         ? VK_SHADER_STAGE_FRAGMENT_BIT
                                         : 0;
    std::vector<VkPipelineShaderStageCreateInfo> stages;
    for (std::uint32_t i = 0; i < info.stageCount; ++i)
      if ((info.pStages[i].stage & stage) != 0) stages.push_back(info.pStages[i]);
    one.stageCount = static_cast<std::uint32_t>(stages.size());
    one.pStages = stages.data();
    // What belongs to other parts is not given: it must not be read.
    const auto only = [&](auto& state, VkGraphicsPipelineLibraryFlagsEXT parts) {
      if ((parts & part) == 0) state = nullptr;
    };
    only(one.pVertexInputState, VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT);
    only(one.pInputAssemblyState, VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT);
    only(one.pTessellationState, VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT);
    only(one.pViewportState, VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT);
    only(one.pRasterizationState, VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT);
    only(one.pDepthStencilState, VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT);
    only(one.pMultisampleState, VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT |
                                    VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT);
    only(one.pColorBlendState, VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT);
    VkPipeline pipeline = VK_NULL_HANDLE;
    EXPECT_EQ(vkCreateGraphicsPipelines(v.device, VK_NULL_HANDLE, 1, &one, nullptr, &pipeline), VK_SUCCESS);
    made.push_back(pipeline);
  }
  return made;
}

void Canvas::begin(VkCommandBuffer commands, bool clear, VkRenderingFlags flags) {
  const auto attach = [&](VkImageView view) {
    VkRenderingAttachmentInfo a{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
    a.imageView = view;
    a.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
    a.loadOp = clear ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD;
    a.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    return a;
  };
  std::vector<VkRenderingAttachmentInfo> list;
  for (std::size_t i = 0; i < colors.size(); ++i) {
    list.push_back(attach(colors[i].view));
    if (resolved.empty()) continue;
    list.back().resolveMode =
        is_integer(colors[i].format) ? VK_RESOLVE_MODE_SAMPLE_ZERO_BIT : VK_RESOLVE_MODE_AVERAGE_BIT;
    list.back().resolveImageView = resolved[i].view;
    list.back().resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL;
  }
  VkRenderingAttachmentInfo depth_info = attach(depth.view);
  depth_info.clearValue.depthStencil = {1, 0};
  VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO, rendering_chain};
  info.flags = flags;
  info.renderArea = {{0, 0}, {width, height}};
  info.layerCount = 1;
  info.colorAttachmentCount = static_cast<std::uint32_t>(list.size());
  info.pColorAttachments = list.data();
  const VkImageAspectFlags aspects = depth.view != VK_NULL_HANDLE ? aspects_of(depth.format) : 0;
  if ((aspects & VK_IMAGE_ASPECT_DEPTH_BIT) != 0) info.pDepthAttachment = &depth_info;
  if ((aspects & VK_IMAGE_ASPECT_STENCIL_BIT) != 0) info.pStencilAttachment = &depth_info;
  begin_rendering_(commands, &info);
}

void Canvas::draw(const std::function<void(VkCommandBuffer)>& record, bool clear) {
  EXPECT_EQ(v.run([&](VkCommandBuffer c) {
    begin(c, clear);
    record(c);
    end(c);
  }),
            VK_SUCCESS);
}

std::vector<std::uint8_t> Canvas::read(const Attachment& from, std::uint32_t texel_bytes, VkImageAspectFlags aspect,
                                       std::uint32_t layer) {
  const std::uint64_t size = std::uint64_t{width} * height * texel_bytes;
  const VulkanDevice::Buffer to = v.buffer(size);
  VkBufferImageCopy region{};
  region.imageSubresource = {aspect != 0 ? aspect : aspects_of(from.format), 0, layer, 1};
  region.imageExtent = {width, height, 1};
  EXPECT_EQ(v.run([&](VkCommandBuffer c) {
    barrier(c);
    vkCmdCopyImageToBuffer(c, from.image.image, VK_IMAGE_LAYOUT_GENERAL, to.buffer, 1, &region);
  }),
            VK_SUCCESS);
  return {to.bytes, to.bytes + size};
}

std::vector<std::uint32_t> Canvas::pixels(std::size_t number) {
  const std::vector<std::uint8_t> bytes = read(resolved.empty() ? colors[number] : resolved[number]);
  std::vector<std::uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

}  // namespace heddle::test
