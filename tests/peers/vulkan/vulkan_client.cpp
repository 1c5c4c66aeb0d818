#include "peers/vulkan/vulkan_client.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>

#include "peers/vulkan/vulkan_work.hpp"
#include "support/process.hpp"

namespace heddle::test {

VkSamplerCreateInfo peer_sampler(VkFilter filter, VkSamplerMipmapMode mip, VkSamplerAddressMode address) {
  VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  info.magFilter = info.minFilter = filter;
  info.mipmapMode = mip;
  info.addressModeU = info.addressModeV = info.addressModeW = address;
  info.maxLod = VK_LOD_CLAMP_NONE;
  info.maxAnisotropy = 1;
  info.borderColor = VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK;
  return info;
}

std::unique_ptr<VulkanClient> VulkanClient::create(const std::string& name, std::string& why) {
  std::unique_ptr<VulkanClient> client(new VulkanClient);
  VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.apiVersion = VK_API_VERSION_1_2;
  VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  info.pApplicationInfo = &application;
  if (const VkResult r = vkCreateInstance(&info, nullptr, &client->instance_); r != VK_SUCCESS) {
    why = "no Vulkan instance (" + std::to_string(r) + ")";
    return nullptr;
  }
  std::uint32_t count = 16;
  VkPhysicalDevice devices[16];
  vkEnumeratePhysicalDevices(client->instance_, &count, devices);
  for (std::uint32_t i = 0; i < count; ++i) {
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(devices[i], &properties);
    if (std::string(properties.deviceName).find(name) == std::string::npos) continue;
    client->physical_ = devices[i];
    client->name_ = properties.deviceName;
  }
  if (client->physical_ == VK_NULL_HANDLE) {
    why = "no Vulkan device named '" + name + "'";
    return nullptr;
  }
  const float priority = 1;
  VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  // Whatever shaders may ask for, except what only costs time.
  VkPhysicalDeviceVulkan12Features twelve{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  VkPhysicalDeviceFeatures2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &twelve, {}};
  vkGetPhysicalDeviceFeatures2(client->physical_, &all);
  VkPhysicalDeviceFeatures& wanted = all.features;
  wanted.robustBufferAccess = VK_FALSE;
  VkDeviceCreateInfo device{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &twelve};
  device.queueCreateInfoCount = 1;
  device.pQueueCreateInfos = &queue;
  device.pEnabledFeatures = &wanted;
  if (const VkResult r = vkCreateDevice(client->physical_, &device, nullptr, &client->device_); r != VK_SUCCESS) {
    why = "no Vulkan logical device (" + std::to_string(r) + ")";
    return nullptr;
  }
  vkGetDeviceQueue(client->device_, 0, 0, &client->queue_);
  VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  vkCreateCommandPool(client->device_, &pool, nullptr, &client->pool_);
  return client;
}

VulkanClient* lavapipe(std::string& why) {
  static std::string reason;
  static const std::unique_ptr<VulkanClient> instance = have_program("glslangValidator")
                                                            ? VulkanClient::create("llvmpipe", reason)
                                                            : (reason = "glslangValidator is not installed", nullptr);
  why = reason;
  return instance.get();
}

VulkanClient::~VulkanClient() {
  if (pool_ != VK_NULL_HANDLE) vkDestroyCommandPool(device_, pool_, nullptr);
  if (device_ != VK_NULL_HANDLE) vkDestroyDevice(device_, nullptr);
  if (instance_ != VK_NULL_HANDLE) vkDestroyInstance(instance_, nullptr);
}

VkFormatFeatureFlags VulkanClient::features(VkFormat format) const {
  VkFormatProperties properties;
  vkGetPhysicalDeviceFormatProperties(physical_, format, &properties);
  return properties.optimalTilingFeatures;
}

std::vector<std::uint32_t> VulkanClient::compile(const PeerShader& shader, const std::string& stage, std::string& why) {
  if (!shader.words.empty()) return shader.words;
  const std::string& glsl = shader.glsl;
  static std::map<std::string, std::vector<std::uint32_t>> cache;
  if (const auto at = cache.find(stage + glsl); at != cache.end()) return at->second;
  TemporaryFolder folder;
  write_text(folder / "shader", glsl);
  const Outcome outcome = run({"glslangValidator", "-V", "--target-env", "vulkan1.2", "-S", stage, "-o",
                               (folder / "shader.spv").string(), (folder / "shader").string()});
  if (outcome.exit_code != 0) {
    why = outcome.out + outcome.err;
    return {};
  }
  const std::vector<std::uint8_t> bytes = read_bytes(folder / "shader.spv");
  std::vector<std::uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  return cache[stage + glsl] = words;
}

std::string VulkanClient::compute(const PeerShader& shader, std::vector<PeerBinding>& bindings, std::uint32_t groups,
                                  const std::vector<std::uint8_t>& push) {
  std::string why;
  const std::vector<std::uint32_t> words = compile(shader, "comp", why);
  if (words.empty()) return why;
  Work work(*this);
  if (why = work.begin(); !why.empty()) return why;
  if (why = work.bind(bindings, push); !why.empty()) return why;
  VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                nullptr,
                0,
                VK_SHADER_STAGE_COMPUTE_BIT,
                VK_NULL_HANDLE,
                "main",
                nullptr};
  if (why = work.make_module(words, info.stage.module); !why.empty()) return why;
  info.layout = work.pipeline_layout;
  VkPipeline pipeline;
  HEDDLE_VK(vkCreateComputePipelines(device_, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline));
  work.undo.push_back([d = device_, pipeline] { vkDestroyPipeline(d, pipeline, nullptr); });
  vkCmdBindPipeline(work.commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  work.use(VK_PIPELINE_BIND_POINT_COMPUTE, push);
  vkCmdDispatch(work.commands, groups, 1, 1);
  work.fetch_images(bindings);
  if (why = work.submit(); !why.empty()) return why;
  work.read_back(bindings);
  return {};
}

std::string VulkanClient::draw(const PeerShader& fragment_shader, std::vector<PeerBinding>& bindings, PeerDraw& d) {
  static const std::string kVertex =
      "#version 450\nvoid main() { vec2 p = vec2(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1); "
      "gl_Position = vec4(p, 0, 1); }\n";
  std::string why;
  const std::vector<std::uint32_t> vertex = compile(kVertex, "vert", why),
                                   fragment = compile(fragment_shader, "frag", why);
  if (vertex.empty() || fragment.empty()) return why;
  Work work(*this);
  if (why = work.begin(); !why.empty()) return why;
  if (why = work.bind(bindings, d.push); !why.empty()) return why;
  std::vector<PeerTarget> targets{{d.format, d.target}};
  targets.insert(targets.end(), d.more.begin(), d.more.end());
  const VkImageSubresourceRange range{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  VkBufferImageCopy copy{};
  copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  copy.imageExtent = {d.width, d.height, 1};
  std::vector<Work::Buffer> staging(targets.size());
  std::vector<VkImage> images(targets.size());
  std::vector<VkImageView> views(targets.size());
  std::vector<VkAttachmentDescription> attachments;
  std::vector<VkAttachmentReference> references;
  for (std::size_t k = 0; k < targets.size(); ++k) {
    if (why = work.make_buffer(targets[k].texels.size(), 0, staging[k]); !why.empty()) return why;
    std::memcpy(staging[k].mapped, targets[k].texels.data(), targets[k].texels.size());
    VkImageCreateInfo image_info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    image_info.imageType = VK_IMAGE_TYPE_2D;
    image_info.format = targets[k].format;
    image_info.extent = copy.imageExtent;
    image_info.mipLevels = image_info.arrayLayers = 1;
    image_info.samples = VK_SAMPLE_COUNT_1_BIT;
    image_info.usage =
        VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    if (why = work.make_image(image_info, images[k]); !why.empty()) return why;
    if (why = work.make_view(images[k], VK_IMAGE_VIEW_TYPE_2D, targets[k].format, range, {}, views[k]); !why.empty())
      return why;
    work.barrier(images[k], range, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdCopyBufferToImage(work.commands, staging[k].buffer, images[k], VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
    work.barrier(images[k], range, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    VkAttachmentDescription attachment{};
    attachment.format = targets[k].format;
    attachment.samples = VK_SAMPLE_COUNT_1_BIT;
    attachment.loadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
    attachment.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    attachment.initialLayout = attachment.finalLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    attachments.push_back(attachment);
    references.push_back({static_cast<std::uint32_t>(k), VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL});
  }
  const auto count = static_cast<std::uint32_t>(targets.size());
  VkSubpassDescription subpass{};
  subpass.colorAttachmentCount = count;
  subpass.pColorAttachments = references.data();
  VkRenderPassCreateInfo pass_info{VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO};
  pass_info.attachmentCount = count;
  pass_info.subpassCount = 1;
  pass_info.pAttachments = attachments.data();
  pass_info.pSubpasses = &subpass;
  VkRenderPass pass;
  HEDDLE_VK(vkCreateRenderPass(device_, &pass_info, nullptr, &pass));
  work.undo.push_back([dev = device_, pass] { vkDestroyRenderPass(dev, pass, nullptr); });
  VkFramebufferCreateInfo frame_info{VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO};
  frame_info.renderPass = pass;
  frame_info.attachmentCount = count;
  frame_info.pAttachments = views.data();
  frame_info.width = d.width;
  frame_info.height = d.height;
  frame_info.layers = 1;
  VkFramebuffer frame;
  HEDDLE_VK(vkCreateFramebuffer(device_, &frame_info, nullptr, &frame));
  work.undo.push_back([dev = device_, frame] { vkDestroyFramebuffer(dev, frame, nullptr); });

  VkPipelineShaderStageCreateInfo stages[2] = {{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, nullptr, 0,
                                                VK_SHADER_STAGE_VERTEX_BIT, VK_NULL_HANDLE, "main", nullptr},
                                               {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, nullptr, 0,
                                                VK_SHADER_STAGE_FRAGMENT_BIT, VK_NULL_HANDLE, "main", nullptr}};
  if (why = work.make_module(vertex, stages[0].module); !why.empty()) return why;
  if (why = work.make_module(fragment, stages[1].module); !why.empty()) return why;
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
  multisample.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
  VkPipelineColorBlendStateCreateInfo blend{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
  const std::vector<VkPipelineColorBlendAttachmentState> blends(count, d.blend);
  blend.attachmentCount = count;
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
  info.pColorBlendState = &blend;
  info.layout = work.pipeline_layout;
  info.renderPass = pass;
  VkPipeline pipeline;
  HEDDLE_VK(vkCreateGraphicsPipelines(device_, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline));
  work.undo.push_back([dev = device_, pipeline] { vkDestroyPipeline(dev, pipeline, nullptr); });

  VkRenderPassBeginInfo begin{VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO};
  begin.renderPass = pass;
  begin.framebuffer = frame;
  begin.renderArea = scissor;
  for (unsigned k = 0; k < d.passes; ++k) {
    vkCmdBeginRenderPass(work.commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(work.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    work.use(VK_PIPELINE_BIND_POINT_GRAPHICS, d.push);
    vkCmdDraw(work.commands, 3, 1, 0, 0);
    vkCmdEndRenderPass(work.commands);
  }
  for (std::size_t k = 0; k < targets.size(); ++k) {
    work.barrier(images[k], range, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkCmdCopyImageToBuffer(work.commands, images[k], VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, staging[k].buffer, 1, &copy);
  }
  work.fetch_images(bindings);
  if (why = work.submit(); !why.empty()) return why;
  std::memcpy(d.target.data(), staging[0].mapped, d.target.size());
  for (std::size_t k = 0; k < d.more.size(); ++k)
    std::memcpy(d.more[k].texels.data(), staging[k + 1].mapped, d.more[k].texels.size());
  work.read_back(bindings);
  return {};
}

}  // namespace heddle::test
