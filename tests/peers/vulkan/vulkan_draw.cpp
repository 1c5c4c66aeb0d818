// SPDX-License-Identifier: MIT
// Full-screen draws: targets, render pass, pipeline.
#include <cstring>

#include "peers/vulkan/vulkan_work.hpp"

namespace heddle::test {
namespace {

constexpr VkImageSubresourceRange kColor{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
constexpr VkImageSubresourceRange kDepth{VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, 1};

VkImageCreateInfo image_of(VkFormat format, VkExtent3D extent, VkSampleCountFlagBits samples, VkImageUsageFlags usage) {
  VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = format;
  info.extent = extent;
  info.mipLevels = info.arrayLayers = 1;
  info.samples = samples;
  info.usage = usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  return info;
}

VkAttachmentDescription attachment_of(VkFormat format, VkSampleCountFlagBits samples, VkImageLayout layout) {
  VkAttachmentDescription a{};
  a.format = format;
  a.samples = samples;
  a.loadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
  a.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  a.initialLayout = a.finalLayout = layout;
  return a;
}

}  // namespace

/// The targets of one draw.
struct VulkanClient::Targets {
  Work& work;
  const PeerDraw& draw;
  std::vector<PeerTarget> list;
  std::vector<Work::Buffer> staging;
  std::vector<VkImage> images;
  std::vector<VkImageView> views;  ///< colors, then depth
  std::vector<VkAttachmentDescription> attachments;
  VkBufferImageCopy copy{};

  Targets(Work& w, const PeerDraw& d) : work(w), draw(d), list{{d.format, d.target}} {
    list.insert(list.end(), d.more.begin(), d.more.end());
    copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    copy.imageExtent = {d.width, d.height, 1};
  }

  /// Images with what is in them before, and their views.
  std::string make() {
    for (const PeerTarget& target : list)
      if (std::string why = make_color(target); !why.empty()) return why;
    return draw.depth ? make_depth() : std::string{};
  }

  std::string make_color(const PeerTarget& target) {
    VkImage& image = images.emplace_back();
    Work::Buffer& buffer = staging.emplace_back();
    if (std::string why = work.make_buffer(target.texels.size(), 0, buffer); !why.empty()) return why;
    std::memcpy(buffer.mapped, target.texels.data(), target.texels.size());
    const VkImageCreateInfo info =
        image_of(target.format, copy.imageExtent, draw.samples, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
    if (std::string why = work.make_image(info, image); !why.empty()) return why;
    if (std::string why = work.make_view(image, VK_IMAGE_VIEW_TYPE_2D, target.format, kColor, {}, views.emplace_back());
        !why.empty())
      return why;
    work.barrier(image, kColor, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    if (draw.samples == VK_SAMPLE_COUNT_1_BIT) {
      vkCmdCopyBufferToImage(work.commands, buffer.buffer, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
    } else {
      const VkClearColorValue zero{};
      vkCmdClearColorImage(work.commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &zero, 1, &kColor);
    }
    work.barrier(image, kColor, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    attachments.push_back(attachment_of(target.format, draw.samples, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL));
    return {};
  }

  std::string make_depth() {
    constexpr VkFormat kFormat = VK_FORMAT_D32_SFLOAT;
    constexpr VkImageLayout kLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
    VkImage image = VK_NULL_HANDLE;
    const VkImageCreateInfo info =
        image_of(kFormat, copy.imageExtent, draw.samples, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
    if (std::string why = work.make_image(info, image); !why.empty()) return why;
    if (std::string why = work.make_view(image, VK_IMAGE_VIEW_TYPE_2D, kFormat, kDepth, {}, views.emplace_back());
        !why.empty())
      return why;
    work.barrier(image, kDepth, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    const VkClearDepthStencilValue far_away{1.0f, 0};
    vkCmdClearDepthStencilImage(work.commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &far_away, 1, &kDepth);
    work.barrier(image, kDepth, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, kLayout);
    attachments.push_back(attachment_of(kFormat, draw.samples, kLayout));
    return {};
  }

  std::string make_pass(VkRenderPass& pass, VkFramebuffer& frame) {
    std::vector<VkAttachmentReference> references;
    for (std::uint32_t k = 0; k < list.size(); ++k) references.push_back({k, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL});
    const VkAttachmentReference depth{static_cast<std::uint32_t>(list.size()),
                                      VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
    VkSubpassDescription subpass{};
    subpass.colorAttachmentCount = static_cast<std::uint32_t>(references.size());
    subpass.pColorAttachments = references.data();
    subpass.pDepthStencilAttachment = draw.depth ? &depth : nullptr;
    VkRenderPassCreateInfo pass_info{VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO};
    pass_info.attachmentCount = static_cast<std::uint32_t>(attachments.size());
    pass_info.subpassCount = 1;
    pass_info.pAttachments = attachments.data();
    pass_info.pSubpasses = &subpass;
    HEDDLE_VK(vkCreateRenderPass(work.device(), &pass_info, nullptr, &pass));
    work.undo.push_back([device = work.device(), pass] { vkDestroyRenderPass(device, pass, nullptr); });
    VkFramebufferCreateInfo frame_info{VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO};
    frame_info.renderPass = pass;
    frame_info.attachmentCount = pass_info.attachmentCount;
    frame_info.pAttachments = views.data();
    frame_info.width = draw.width;
    frame_info.height = draw.height;
    frame_info.layers = 1;
    HEDDLE_VK(vkCreateFramebuffer(work.device(), &frame_info, nullptr, &frame));
    work.undo.push_back([device = work.device(), frame] { vkDestroyFramebuffer(device, frame, nullptr); });
    return {};
  }

  /// Records what brings the texels back to the staging buffers.
  std::string fetch() {
    for (std::size_t k = 0; k < list.size(); ++k) {
      VkImage from = images[k];
      work.barrier(from, kColor, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
      if (draw.samples != VK_SAMPLE_COUNT_1_BIT) {
        VkImage flat = VK_NULL_HANDLE;
        if (std::string why =
                work.make_image(image_of(list[k].format, copy.imageExtent, VK_SAMPLE_COUNT_1_BIT, 0), flat);
            !why.empty())
          return why;
        work.barrier(flat, kColor, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
        const VkImageResolve resolve{copy.imageSubresource, {}, copy.imageSubresource, {}, copy.imageExtent};
        vkCmdResolveImage(work.commands, from, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, flat,
                          VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &resolve);
        work.barrier(flat, kColor, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
        from = flat;
      }
      vkCmdCopyImageToBuffer(work.commands, from, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, staging[k].buffer, 1, &copy);
    }
    return {};
  }
};

std::string VulkanClient::make_pipeline(Work& work, const PeerDraw& d, const std::vector<std::uint32_t>& vertex,
                                        const std::vector<std::uint32_t>& fragment, VkRenderPass pass,
                                        VkPipeline& pipeline) {
  VkPipelineShaderStageCreateInfo stages[2] = {{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, nullptr, 0,
                                                VK_SHADER_STAGE_VERTEX_BIT, VK_NULL_HANDLE, "main", nullptr},
                                               {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, nullptr, 0,
                                                VK_SHADER_STAGE_FRAGMENT_BIT, VK_NULL_HANDLE, "main", nullptr}};
  if (std::string why = work.make_module(vertex, stages[0].module); !why.empty()) return why;
  if (std::string why = work.make_module(fragment, stages[1].module); !why.empty()) return why;
  VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
  VkPipelineInputAssemblyStateCreateInfo assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
  assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  const VkViewport viewport{0, 0, static_cast<float>(d.width), static_cast<float>(d.height), 0, 1};
  const VkRect2D scissor{{0, 0}, {d.width, d.height}};
  VkPipelineViewportStateCreateInfo viewports{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
  viewports.viewportCount = viewports.scissorCount = 1;
  viewports.pViewports = &viewport;
  viewports.pScissors = &scissor;
  VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
  raster.lineWidth = 1;
  VkPipelineMultisampleStateCreateInfo multisample{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
  multisample.rasterizationSamples = d.samples;
  VkPipelineDepthStencilStateCreateInfo depth{VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
  depth.depthTestEnable = depth.depthWriteEnable = d.depth ? VK_TRUE : VK_FALSE;
  depth.depthCompareOp = d.depth.value_or(VK_COMPARE_OP_ALWAYS);
  VkPipelineColorBlendStateCreateInfo blend{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
  const std::vector<VkPipelineColorBlendAttachmentState> blends(1 + d.more.size(), d.blend);
  blend.attachmentCount = static_cast<std::uint32_t>(blends.size());
  blend.pAttachments = blends.data();
  blend.logicOpEnable = d.logic_op_enable ? VK_TRUE : VK_FALSE;
  blend.logicOp = d.logic_op;
  std::memcpy(blend.blendConstants, d.blend_constants, sizeof d.blend_constants);
  VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO};
  info.stageCount = 2;
  info.pStages = stages;
  info.pVertexInputState = &input;
  info.pInputAssemblyState = &assembly;
  info.pViewportState = &viewports;
  info.pRasterizationState = &raster;
  info.pMultisampleState = &multisample;
  info.pDepthStencilState = d.depth ? &depth : nullptr;
  info.pColorBlendState = &blend;
  info.layout = work.pipeline_layout;
  info.renderPass = pass;
  HEDDLE_VK(vkCreateGraphicsPipelines(device_, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline));
  work.undo.push_back([device = device_, pipeline] { vkDestroyPipeline(device, pipeline, nullptr); });
  return {};
}

std::string VulkanClient::draw(const PeerShader& fragment_shader, std::vector<PeerBinding>& bindings, PeerDraw& d) {
  static const PeerShader kFullScreen =
      "#version 450\nvoid main() { vec2 p = vec2(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1); "
      "gl_Position = vec4(p, 0, 1); }\n";
  std::string why;
  const std::vector<std::uint32_t> vertex = compile(d.vertex.value_or(kFullScreen), "vert", why),
                                   fragment = compile(fragment_shader, "frag", why);
  if (vertex.empty() || fragment.empty()) return why;
  Work work(*this);
  if (why = work.begin(); !why.empty()) return why;
  if (why = work.bind(bindings, d.push); !why.empty()) return why;
  Targets targets(work, d);
  if (why = targets.make(); !why.empty()) return why;
  VkRenderPassBeginInfo begin{VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO};
  begin.renderArea = {{0, 0}, {d.width, d.height}};
  if (why = targets.make_pass(begin.renderPass, begin.framebuffer); !why.empty()) return why;
  VkPipeline pipeline = VK_NULL_HANDLE;
  if (why = make_pipeline(work, d, vertex, fragment, begin.renderPass, pipeline); !why.empty()) return why;
  const auto pass = [&] {
    vkCmdBeginRenderPass(work.commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(work.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    work.use(VK_PIPELINE_BIND_POINT_GRAPHICS, d.push);
    vkCmdDraw(work.commands, d.vertices, 1, 0, 0);
    vkCmdEndRenderPass(work.commands);
  };
  pass();
  if (d.timing != nullptr)
    if (why = work.time(pass, *d.timing); !why.empty()) return why;
  if (why = targets.fetch(); !why.empty()) return why;
  work.fetch_images(bindings);
  if (why = work.submit(); !why.empty()) return why;
  std::memcpy(d.target.data(), targets.staging[0].mapped, d.target.size());
  for (std::size_t k = 0; k < d.more.size(); ++k)
    std::memcpy(d.more[k].texels.data(), targets.staging[k + 1].mapped, d.more[k].texels.size());
  work.read_back(bindings);
  return {};
}

}  // namespace heddle::test
