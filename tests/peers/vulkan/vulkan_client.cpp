#include "peers/vulkan/vulkan_client.hpp"

#include <cstring>
#include <algorithm>
#include <functional>
#include <map>

#include "support/process.hpp"

namespace heddle::test {

#define HEDDLE_VK(call)                                                                    \
  do {                                                                                     \
    const VkResult result_of_call = (call);                                                \
    if (result_of_call != VK_SUCCESS) return #call " gave " + std::to_string(result_of_call); \
  } while (false)

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
  VkPhysicalDeviceFeatures available, wanted{};
  vkGetPhysicalDeviceFeatures(client->physical_, &available);
  wanted.imageCubeArray = available.imageCubeArray;
  wanted.shaderImageGatherExtended = available.shaderImageGatherExtended;
  wanted.samplerAnisotropy = available.samplerAnisotropy;
  wanted.logicOp = available.logicOp;
  wanted.dualSrcBlend = available.dualSrcBlend;
  VkPhysicalDeviceVulkan12Features twelve{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  VkPhysicalDeviceVulkan12Features twelve_available{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  VkPhysicalDeviceFeatures2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &twelve_available, {}};
  vkGetPhysicalDeviceFeatures2(client->physical_, &all);
  twelve.samplerMirrorClampToEdge = twelve_available.samplerMirrorClampToEdge;
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
  static const std::unique_ptr<VulkanClient> instance =
      have_program("glslangValidator") ? VulkanClient::create("llvmpipe", reason)
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

std::vector<std::uint32_t> VulkanClient::compile(const std::string& glsl, const std::string& stage, std::string& why) {
  static std::map<std::string, std::vector<std::uint32_t>> cache;
  if (const auto at = cache.find(stage + glsl); at != cache.end()) return at->second;
  TemporaryFolder folder;
  write_text(folder / "shader", glsl);
  const Outcome outcome = run({"glslangValidator", "-V", "--target-env", "vulkan1.2", "-S", stage, "-o", (folder / "shader.spv").string(), (folder / "shader").string()});
  if (outcome.exit_code != 0) {
    why = outcome.out + outcome.err;
    return {};
  }
  const std::vector<std::uint8_t> bytes = read_bytes(folder / "shader.spv");
  std::vector<std::uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  return cache[stage + glsl] = words;
}

/// All objects of one call, destroyed in reverse order of creation.
struct VulkanClient::Work {
  explicit Work(VulkanClient& owner) : client(owner) {}
  ~Work() {
    for (auto f = undo.rbegin(); f != undo.rend(); ++f) (*f)();
  }
  VulkanClient& client;
  std::vector<std::function<void()>> undo;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
  VkPipelineLayout pipeline_layout = VK_NULL_HANDLE;
  VkDescriptorSet set = VK_NULL_HANDLE;

  struct Buffer {
    VkBuffer buffer = VK_NULL_HANDLE;
    void* mapped = nullptr;
    std::size_t size = 0;
  };
  std::vector<Buffer> buffers;  // one for each binding (images: the staging buffer)

  VkDevice device() const { return client.device_; }

  std::uint32_t memory_type(std::uint32_t bits, VkMemoryPropertyFlags flags) const {
    VkPhysicalDeviceMemoryProperties properties;
    vkGetPhysicalDeviceMemoryProperties(client.physical_, &properties);
    for (std::uint32_t i = 0; i < properties.memoryTypeCount; ++i)
      if ((bits >> i & 1) != 0 && (properties.memoryTypes[i].propertyFlags & flags) == flags) return i;
    return 0;
  }

  std::string make_buffer(std::size_t size, VkBufferUsageFlags usage, Buffer& out) {
    out.size = size;
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = size < 4 ? 4 : size;
    info.usage = usage | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    HEDDLE_VK(vkCreateBuffer(device(), &info, nullptr, &out.buffer));
    undo.push_back([d = device(), b = out.buffer] { vkDestroyBuffer(d, b, nullptr); });
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device(), out.buffer, &needs);
    VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    allocate.allocationSize = needs.size;
    allocate.memoryTypeIndex = memory_type(needs.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    VkDeviceMemory memory;
    HEDDLE_VK(vkAllocateMemory(device(), &allocate, nullptr, &memory));
    undo.push_back([d = device(), memory] { vkFreeMemory(d, memory, nullptr); });
    HEDDLE_VK(vkBindBufferMemory(device(), out.buffer, memory, 0));
    HEDDLE_VK(vkMapMemory(device(), memory, 0, VK_WHOLE_SIZE, 0, &out.mapped));
    return {};
  }

  std::string make_image(const VkImageCreateInfo& info, VkImage& image) {
    HEDDLE_VK(vkCreateImage(device(), &info, nullptr, &image));
    undo.push_back([d = device(), image] { vkDestroyImage(d, image, nullptr); });
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(device(), image, &needs);
    VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    allocate.allocationSize = needs.size;
    allocate.memoryTypeIndex = memory_type(needs.memoryTypeBits, 0);
    VkDeviceMemory memory;
    HEDDLE_VK(vkAllocateMemory(device(), &allocate, nullptr, &memory));
    undo.push_back([d = device(), memory] { vkFreeMemory(d, memory, nullptr); });
    HEDDLE_VK(vkBindImageMemory(device(), image, memory, 0));
    return {};
  }

  std::string make_view(VkImage image, VkImageViewType type, VkFormat format, const VkImageSubresourceRange& range, const VkComponentMapping& swizzle, VkImageView& view) {
    VkImageViewCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    info.image = image;
    info.viewType = type;
    info.format = format;
    info.components = swizzle;
    info.subresourceRange = range;
    HEDDLE_VK(vkCreateImageView(device(), &info, nullptr, &view));
    undo.push_back([d = device(), view] { vkDestroyImageView(d, view, nullptr); });
    return {};
  }

  void barrier(VkImage image, const VkImageSubresourceRange& range, VkImageLayout from, VkImageLayout to) const {
    VkImageMemoryBarrier b{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
    b.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
    b.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    b.oldLayout = from;
    b.newLayout = to;
    b.image = image;
    b.subresourceRange = range;
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 0, nullptr, 1, &b);
  }

  std::string begin() {
    VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    allocate.commandPool = client.pool_;
    allocate.commandBufferCount = 1;
    HEDDLE_VK(vkAllocateCommandBuffers(device(), &allocate, &commands));
    undo.push_back([this] { vkFreeCommandBuffers(device(), client.pool_, 1, &commands); });
    VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    HEDDLE_VK(vkBeginCommandBuffer(commands, &info));
    return {};
  }

  std::string submit() {
    HEDDLE_VK(vkEndCommandBuffer(commands));
    VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    info.commandBufferCount = 1;
    info.pCommandBuffers = &commands;
    HEDDLE_VK(vkQueueSubmit(client.queue_, 1, &info, VK_NULL_HANDLE));
    HEDDLE_VK(vkQueueWaitIdle(client.queue_));
    return {};
  }

  std::string upload(const PeerImage& in, const Buffer& staging, VkImage image) const {
    const VkImageAspectFlags aspect = in.depth_aspect ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT;
    const VkImageSubresourceRange range{aspect, 0, in.levels, 0, in.layers};
    barrier(image, range, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    std::vector<VkBufferImageCopy> copies;
    std::size_t offset = 0, texels = 0;
    for (std::uint32_t level = 0; level < in.levels; ++level)
      texels += std::size_t{std::max(1u, in.width >> level)} * std::max(1u, in.height >> level) * std::max(1u, in.depth >> level) * in.layers;
    if (texels == 0 || in.data.size() % texels != 0) return "image data do not fit the size";
    const std::size_t bytes = in.data.size() / texels;
    for (std::uint32_t level = 0; level < in.levels; ++level) {
      VkBufferImageCopy copy{};
      copy.bufferOffset = offset;
      copy.imageSubresource = {aspect, level, 0, in.layers};
      copy.imageExtent = {std::max(1u, in.width >> level), std::max(1u, in.height >> level), std::max(1u, in.depth >> level)};
      offset += bytes * copy.imageExtent.width * copy.imageExtent.height * copy.imageExtent.depth * in.layers;
      copies.push_back(copy);
    }
    vkCmdCopyBufferToImage(commands, staging.buffer, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, static_cast<std::uint32_t>(copies.size()), copies.data());
    barrier(image, range, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    return {};
  }

  /// Images uploaded, buffers filled, one descriptor set.
  std::string bind(const std::vector<PeerBinding>& bindings) {
    std::vector<VkDescriptorSetLayoutBinding> layout;
    std::vector<VkDescriptorPoolSize> sizes = {{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 16}, {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 16}};
    for (std::uint32_t i = 0; i < bindings.size(); ++i)
      layout.push_back({i, bindings[i].image != nullptr ? VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_ALL, nullptr});
    VkDescriptorSetLayoutCreateInfo layout_info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    layout_info.bindingCount = static_cast<std::uint32_t>(layout.size());
    layout_info.pBindings = layout.data();
    HEDDLE_VK(vkCreateDescriptorSetLayout(device(), &layout_info, nullptr, &set_layout));
    undo.push_back([this] { vkDestroyDescriptorSetLayout(device(), set_layout, nullptr); });
    VkPipelineLayoutCreateInfo pipeline_info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    pipeline_info.setLayoutCount = 1;
    pipeline_info.pSetLayouts = &set_layout;
    HEDDLE_VK(vkCreatePipelineLayout(device(), &pipeline_info, nullptr, &pipeline_layout));
    undo.push_back([this] { vkDestroyPipelineLayout(device(), pipeline_layout, nullptr); });
    VkDescriptorPoolCreateInfo pool_info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    pool_info.maxSets = 1;
    pool_info.poolSizeCount = static_cast<std::uint32_t>(sizes.size());
    pool_info.pPoolSizes = sizes.data();
    VkDescriptorPool pool;
    HEDDLE_VK(vkCreateDescriptorPool(device(), &pool_info, nullptr, &pool));
    undo.push_back([d = device(), pool] { vkDestroyDescriptorPool(d, pool, nullptr); });
    VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    allocate.descriptorPool = pool;
    allocate.descriptorSetCount = 1;
    allocate.pSetLayouts = &set_layout;
    HEDDLE_VK(vkAllocateDescriptorSets(device(), &allocate, &set));
    for (std::uint32_t i = 0; i < bindings.size(); ++i) {
      const PeerBinding& b = bindings[i];
      VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
      write.dstSet = set;
      write.dstBinding = i;
      write.descriptorCount = 1;
      write.descriptorType = layout[i].descriptorType;
      VkDescriptorImageInfo image_info{};
      VkDescriptorBufferInfo buffer_info{};
      buffers.emplace_back();
      const std::vector<std::uint8_t>& bytes = b.image != nullptr ? b.image->data : *b.buffer;
      if (std::string why = make_buffer(bytes.size(), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, buffers.back()); !why.empty()) return why;
      std::memcpy(buffers.back().mapped, bytes.data(), bytes.size());
      if (b.image != nullptr) {
        const PeerImage& in = *b.image;
        VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
        const bool cube = in.view == VK_IMAGE_VIEW_TYPE_CUBE || in.view == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
        const bool flat = in.view == VK_IMAGE_VIEW_TYPE_1D || in.view == VK_IMAGE_VIEW_TYPE_1D_ARRAY;
        info.flags = cube ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0;
        info.imageType = flat ? VK_IMAGE_TYPE_1D : in.view == VK_IMAGE_VIEW_TYPE_3D ? VK_IMAGE_TYPE_3D : VK_IMAGE_TYPE_2D;
        info.format = in.format;
        info.extent = {in.width, in.height, in.depth};
        info.mipLevels = in.levels;
        info.arrayLayers = in.layers;
        info.samples = VK_SAMPLE_COUNT_1_BIT;
        info.tiling = VK_IMAGE_TILING_OPTIMAL;
        info.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
        VkImage image;
        if (std::string why = make_image(info, image); !why.empty()) return why;
        const VkImageSubresourceRange range{static_cast<VkImageAspectFlags>(in.depth_aspect ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT), 0, in.levels, 0, in.layers};
        if (std::string why = make_view(image, in.view, in.format, range, in.swizzle, image_info.imageView); !why.empty()) return why;
        HEDDLE_VK(vkCreateSampler(device(), &b.sampler, nullptr, &image_info.sampler));
        undo.push_back([d = device(), s = image_info.sampler] { vkDestroySampler(d, s, nullptr); });
        image_info.imageLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
        if (std::string why = upload(in, buffers.back(), image); !why.empty()) return why;
        write.pImageInfo = &image_info;
      } else {
        buffer_info = {buffers.back().buffer, 0, VK_WHOLE_SIZE};
        write.pBufferInfo = &buffer_info;
      }
      vkUpdateDescriptorSets(device(), 1, &write, 0, nullptr);
    }
    return {};
  }

  void read_back(std::vector<PeerBinding>& bindings) const {
    for (std::size_t i = 0; i < bindings.size(); ++i)
      if (bindings[i].buffer != nullptr) std::memcpy(bindings[i].buffer->data(), buffers[i].mapped, bindings[i].buffer->size());
  }

  std::string make_module(const std::vector<std::uint32_t>& words, VkShaderModule& module) {
    VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    info.codeSize = words.size() * 4;
    info.pCode = words.data();
    HEDDLE_VK(vkCreateShaderModule(device(), &info, nullptr, &module));
    undo.push_back([d = device(), module] { vkDestroyShaderModule(d, module, nullptr); });
    return {};
  }
};

std::string VulkanClient::compute(const std::string& glsl, std::vector<PeerBinding>& bindings, std::uint32_t groups) {
  std::string why;
  const std::vector<std::uint32_t> words = compile(glsl, "comp", why);
  if (words.empty()) return why;
  Work work(*this);
  if (why = work.begin(); !why.empty()) return why;
  if (why = work.bind(bindings); !why.empty()) return why;
  VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, nullptr, 0, VK_SHADER_STAGE_COMPUTE_BIT, VK_NULL_HANDLE, "main", nullptr};
  if (why = work.make_module(words, info.stage.module); !why.empty()) return why;
  info.layout = work.pipeline_layout;
  VkPipeline pipeline;
  HEDDLE_VK(vkCreateComputePipelines(device_, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline));
  work.undo.push_back([d = device_, pipeline] { vkDestroyPipeline(d, pipeline, nullptr); });
  vkCmdBindPipeline(work.commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vkCmdBindDescriptorSets(work.commands, VK_PIPELINE_BIND_POINT_COMPUTE, work.pipeline_layout, 0, 1, &work.set, 0, nullptr);
  vkCmdDispatch(work.commands, groups, 1, 1);
  if (why = work.submit(); !why.empty()) return why;
  work.read_back(bindings);
  return {};
}

std::string VulkanClient::draw(const std::string& fragment_glsl, std::vector<PeerBinding>& bindings, PeerDraw& d) {
  static const std::string kVertex =
      "#version 450\nvoid main() { vec2 p = vec2(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1); gl_Position = vec4(p, 0, 1); }\n";
  std::string why;
  const std::vector<std::uint32_t> vertex = compile(kVertex, "vert", why), fragment = compile(fragment_glsl, "frag", why);
  if (vertex.empty() || fragment.empty()) return why;
  Work work(*this);
  if (why = work.begin(); !why.empty()) return why;
  if (why = work.bind(bindings); !why.empty()) return why;
  Work::Buffer staging;
  if (why = work.make_buffer(d.target.size(), 0, staging); !why.empty()) return why;
  std::memcpy(staging.mapped, d.target.data(), d.target.size());
  VkImageCreateInfo image_info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  image_info.imageType = VK_IMAGE_TYPE_2D;
  image_info.format = d.format;
  image_info.extent = {d.width, d.height, 1};
  image_info.mipLevels = image_info.arrayLayers = 1;
  image_info.samples = VK_SAMPLE_COUNT_1_BIT;
  image_info.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  VkImage target;
  if (why = work.make_image(image_info, target); !why.empty()) return why;
  const VkImageSubresourceRange range{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  VkImageView view;
  if (why = work.make_view(target, VK_IMAGE_VIEW_TYPE_2D, d.format, range, {}, view); !why.empty()) return why;
  VkBufferImageCopy copy{};
  copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  copy.imageExtent = image_info.extent;
  work.barrier(target, range, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  vkCmdCopyBufferToImage(work.commands, staging.buffer, target, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
  work.barrier(target, range, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);

  VkAttachmentDescription attachment{};
  attachment.format = d.format;
  attachment.samples = VK_SAMPLE_COUNT_1_BIT;
  attachment.loadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
  attachment.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  attachment.initialLayout = attachment.finalLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
  const VkAttachmentReference reference{0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
  VkSubpassDescription subpass{};
  subpass.colorAttachmentCount = 1;
  subpass.pColorAttachments = &reference;
  VkRenderPassCreateInfo pass_info{VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO};
  pass_info.attachmentCount = pass_info.subpassCount = 1;
  pass_info.pAttachments = &attachment;
  pass_info.pSubpasses = &subpass;
  VkRenderPass pass;
  HEDDLE_VK(vkCreateRenderPass(device_, &pass_info, nullptr, &pass));
  work.undo.push_back([dev = device_, pass] { vkDestroyRenderPass(dev, pass, nullptr); });
  VkFramebufferCreateInfo frame_info{VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO};
  frame_info.renderPass = pass;
  frame_info.attachmentCount = 1;
  frame_info.pAttachments = &view;
  frame_info.width = d.width;
  frame_info.height = d.height;
  frame_info.layers = 1;
  VkFramebuffer frame;
  HEDDLE_VK(vkCreateFramebuffer(device_, &frame_info, nullptr, &frame));
  work.undo.push_back([dev = device_, frame] { vkDestroyFramebuffer(dev, frame, nullptr); });

  VkPipelineShaderStageCreateInfo stages[2] = {
      {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, nullptr, 0, VK_SHADER_STAGE_VERTEX_BIT, VK_NULL_HANDLE, "main", nullptr},
      {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, nullptr, 0, VK_SHADER_STAGE_FRAGMENT_BIT, VK_NULL_HANDLE, "main", nullptr}};
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
  blend.attachmentCount = 1;
  blend.pAttachments = &d.blend;
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
  vkCmdBeginRenderPass(work.commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
  vkCmdBindPipeline(work.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  vkCmdBindDescriptorSets(work.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, work.pipeline_layout, 0, 1, &work.set, 0, nullptr);
  vkCmdDraw(work.commands, 3, 1, 0, 0);
  vkCmdEndRenderPass(work.commands);
  work.barrier(target, range, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
  vkCmdCopyImageToBuffer(work.commands, target, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, staging.buffer, 1, &copy);
  if (why = work.submit(); !why.empty()) return why;
  std::memcpy(d.target.data(), staging.mapped, d.target.size());
  work.read_back(bindings);
  return {};
}

}  // namespace heddle::test
