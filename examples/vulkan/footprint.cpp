// Which texels of a texture does a view need? A plain Vulkan program for VK_NV_shader_image_footprint, written as for
// an NVIDIA card: one compute shader asks for the footprint of each pixel's trilinear sample and marks it in a 64-bit
// image with atomics. Writes a picture: the view, and beside it the texture's levels with the marked groups bright.
// usage: vulkan_footprint PICTURE.png [TURN]
#include <vulkan/vulkan.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>

namespace {

constexpr std::uint32_t kWidth = 720, kHeight = 480, kTexture = 512, kLevels = 7, kMarks = kTexture / 32;

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "vulkan_footprint: %s\n", why.c_str());
  std::exit(1);
}
void check(VkResult result, const char* what) {
  if (result != VK_SUCCESS) fail(std::string(what) + " failed: VkResult " + std::to_string(result));
}

/// Everything of one run; the process ends with it.
struct Program {
  VkInstance instance{};
  VkPhysicalDevice physical{};
  VkDevice device{};
  VkQueue queue{};
  std::uint32_t family = 0;
  VkCommandPool pool{};
  VkCommandBuffer commands{};

  struct Buffer {
    VkBuffer buffer{};
    std::uint8_t* bytes = nullptr;
  };
  struct Image {
    VkImage image{};
    VkImageView view{};
  };

  void open();
  void choose_device();
  [[nodiscard]] VkDeviceMemory allocate(const VkMemoryRequirements& needs, VkMemoryPropertyFlags wanted) const;
  [[nodiscard]] Buffer make_buffer(VkDeviceSize size) const;
  [[nodiscard]] Image make_image(VkFormat format, std::uint32_t width, std::uint32_t height, std::uint32_t levels,
                                 std::uint32_t layers, VkImageViewType type, VkImageUsageFlags usage) const;
  void change_layout(const Image& image, VkImageLayout from, VkImageLayout to, VkAccessFlags before,
                     VkAccessFlags after) const;
  [[nodiscard]] VkPipeline make_pipeline(VkPipelineLayout layout) const;
};

bool has_extension(VkPhysicalDevice device, const char* name) {
  std::uint32_t count = 0;
  vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> list(count);
  vkEnumerateDeviceExtensionProperties(device, nullptr, &count, list.data());
  return std::any_of(list.begin(), list.end(),
                     [&](const VkExtensionProperties& e) { return std::strcmp(e.extensionName, name) == 0; });
}

constexpr std::array<const char*, 2> kExtensions{VK_NV_SHADER_IMAGE_FOOTPRINT_EXTENSION_NAME,
                                                 VK_EXT_SHADER_IMAGE_ATOMIC_INT64_EXTENSION_NAME};

void Program::choose_device() {
  std::uint32_t count = 0;
  vkEnumeratePhysicalDevices(instance, &count, nullptr);
  std::vector<VkPhysicalDevice> list(count);
  vkEnumeratePhysicalDevices(instance, &count, list.data());
  std::string seen;
  for (const VkPhysicalDevice candidate : list) {
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(candidate, &properties);
    const bool good = std::all_of(kExtensions.begin(), kExtensions.end(),
                                  [&](const char* name) { return has_extension(candidate, name); });
    seen +=
        std::string("\n  ") + properties.deviceName + (good ? "" : ": has no footprints or no 64-bit image atomics");
    if (good && physical == VK_NULL_HANDLE) {
      physical = candidate;
      std::printf("device: %s\n", properties.deviceName);
    }
  }
  if (physical == VK_NULL_HANDLE) fail("no device has what it takes:" + (seen.empty() ? " there is none" : seen));
}

void Program::open() {
  VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.apiVersion = VK_API_VERSION_1_1;
  VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  info.pApplicationInfo = &application;
  check(vkCreateInstance(&info, nullptr, &instance), "vkCreateInstance");
  choose_device();
  std::uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
  while (family < count && (families[family].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) ++family;
  if (family == count) fail("the device has no queue for compute shaders");
  VkPhysicalDeviceShaderImageFootprintFeaturesNV footprints{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_IMAGE_FOOTPRINT_FEATURES_NV};
  VkPhysicalDeviceShaderImageAtomicInt64FeaturesEXT atomics{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_IMAGE_ATOMIC_INT64_FEATURES_EXT, &footprints};
  VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &atomics, {}};
  vkGetPhysicalDeviceFeatures2(physical, &features);
  if (footprints.imageFootprint == VK_FALSE || atomics.shaderImageInt64Atomics == VK_FALSE ||
      features.features.shaderInt64 == VK_FALSE)
    fail("the device lists the extensions and lacks a feature of theirs");
  features.features = {};
  features.features.shaderInt64 = VK_TRUE;
  atomics.sparseImageInt64Atomics = VK_FALSE;
  const float priority = 1;
  VkDeviceQueueCreateInfo queues{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queues.queueFamilyIndex = family;
  queues.queueCount = 1;
  queues.pQueuePriorities = &priority;
  VkDeviceCreateInfo create{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features};
  create.queueCreateInfoCount = 1;
  create.pQueueCreateInfos = &queues;
  create.enabledExtensionCount = kExtensions.size();
  create.ppEnabledExtensionNames = kExtensions.data();
  check(vkCreateDevice(physical, &create, nullptr, &device), "vkCreateDevice");
  vkGetDeviceQueue(device, family, 0, &queue);
  VkCommandPoolCreateInfo pools{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  pools.queueFamilyIndex = family;
  check(vkCreateCommandPool(device, &pools, nullptr, &pool), "vkCreateCommandPool");
  VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool,
                                       VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
  check(vkAllocateCommandBuffers(device, &allocate, &commands), "vkAllocateCommandBuffers");
}

VkDeviceMemory Program::allocate(const VkMemoryRequirements& needs, VkMemoryPropertyFlags wanted) const {
  VkPhysicalDeviceMemoryProperties types;
  vkGetPhysicalDeviceMemoryProperties(physical, &types);
  for (std::uint32_t type = 0; type < types.memoryTypeCount; ++type) {
    if ((needs.memoryTypeBits >> type & 1) == 0 || (types.memoryTypes[type].propertyFlags & wanted) != wanted) continue;
    const VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, needs.size, type};
    VkDeviceMemory memory{};
    check(vkAllocateMemory(device, &info, nullptr, &memory), "vkAllocateMemory");
    return memory;
  }
  fail("the device has no memory of the kind that is needed");
}

Program::Buffer Program::make_buffer(VkDeviceSize size) const {
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = size;
  info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  Buffer made;
  check(vkCreateBuffer(device, &info, nullptr, &made.buffer), "vkCreateBuffer");
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device, made.buffer, &needs);
  const VkDeviceMemory memory =
      allocate(needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  check(vkBindBufferMemory(device, made.buffer, memory, 0), "vkBindBufferMemory");
  void* bytes = nullptr;
  check(vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, &bytes), "vkMapMemory");
  made.bytes = static_cast<std::uint8_t*>(bytes);
  return made;
}

Program::Image Program::make_image(VkFormat format, std::uint32_t width, std::uint32_t height, std::uint32_t levels,
                                   std::uint32_t layers, VkImageViewType type, VkImageUsageFlags usage) const {
  VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = format;
  info.extent = {width, height, 1};
  info.mipLevels = levels;
  info.arrayLayers = layers;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.usage = usage;
  Image made;
  check(vkCreateImage(device, &info, nullptr, &made.image), "vkCreateImage");
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(device, made.image, &needs);
  check(vkBindImageMemory(device, made.image, allocate(needs, 0), 0), "vkBindImageMemory");
  VkImageViewCreateInfo view{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
  view.image = made.image;
  view.viewType = type;
  view.format = format;
  view.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, levels, 0, layers};
  check(vkCreateImageView(device, &view, nullptr, &made.view), "vkCreateImageView");
  return made;
}

void Program::change_layout(const Image& image, VkImageLayout from, VkImageLayout to, VkAccessFlags before,
                            VkAccessFlags after) const {
  VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
  barrier.srcAccessMask = before;
  barrier.dstAccessMask = after;
  barrier.oldLayout = from;
  barrier.newLayout = to;
  barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image.image;
  barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS};
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr,
                       0, nullptr, 1, &barrier);
}

const std::array<VkDescriptorType, 3> kTypes{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                             VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE};

VkPipeline Program::make_pipeline(VkPipelineLayout layout) const {
  const std::string file = std::string(FOOTPRINT_SHADERS) + "/footprint.comp.spv";
  std::ifstream stream(file, std::ios::binary);
  const std::vector<char> code{std::istreambuf_iterator<char>(stream), {}};
  if (code.empty()) fail("cannot read " + file);
  std::vector<std::uint32_t> words(code.size() / 4);
  std::memcpy(words.data(), code.data(), words.size() * 4);
  VkShaderModuleCreateInfo module{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  module.codeSize = words.size() * 4;
  module.pCode = words.data();
  VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                nullptr,
                0,
                VK_SHADER_STAGE_COMPUTE_BIT,
                {},
                "main",
                nullptr};
  check(vkCreateShaderModule(device, &module, nullptr, &info.stage.module), "vkCreateShaderModule");
  info.layout = layout;
  VkPipeline pipeline{};
  check(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline), "vkCreateComputePipelines");
  return pipeline;
}

/// Tiles of a colour each, with joints; level after level, RGBA8.
std::vector<std::uint8_t> draw_texture() {
  std::vector<std::uint8_t> all;
  for (std::uint32_t level = 0; level < kLevels; ++level) {
    const std::uint32_t edge = kTexture >> level;
    for (std::uint32_t y = 0; y < edge; ++y)
      for (std::uint32_t x = 0; x < edge; ++x) {
        const std::uint32_t scale = 1u << level, u = x * scale, v = y * scale, tile = u / 32 * 7 + v / 32 * 13;
        const bool joint = level < 4 && (u % 32 < 2 || v % 32 < 2);
        const double shade = joint ? 0.45 : 0.75 + 0.25 * std::sin(tile * 1.7);
        all.push_back(static_cast<std::uint8_t>(205 * shade));
        all.push_back(static_cast<std::uint8_t>((150 + tile % 5 * 14) * shade));
        all.push_back(static_cast<std::uint8_t>((95 + tile % 3 * 30) * shade));
        all.push_back(255);
      }
  }
  return all;
}

/// The view, and beside it the levels of the texture: a group of 4 x 4 texels is bright where it is marked.
std::vector<std::uint8_t> compose(const std::uint8_t* view, const std::uint64_t* marks,
                                  const std::vector<std::uint8_t>& texture, std::uint32_t width) {
  std::vector<std::uint8_t> picture(std::size_t{width} * kHeight * 4, 255);
  for (std::uint32_t y = 0; y < kHeight; ++y)
    std::memcpy(&picture[std::size_t{y} * width * 4], view + std::size_t{y} * kWidth * 4, kWidth * 4);
  std::uint32_t left = kWidth + 16, top = 16;
  std::size_t first = 0;
  for (std::uint32_t level = 0; level < kLevels; ++level) {
    const std::uint32_t edge = kTexture >> level, shown = std::max(8u, edge * 3 / 5);
    for (std::uint32_t y = 0; y < shown && top + y < kHeight; ++y)
      for (std::uint32_t x = 0; x < shown && left + x < width; ++x) {
        const std::uint32_t u = x * edge / shown, v = y * edge / shown;
        const std::uint64_t word = marks[(std::size_t{level} * kMarks + v / 32) * kMarks + u / 32];
        const bool marked = (word >> (v / 4 % 8 * 8 + u / 4 % 8) & 1) != 0;
        const std::uint8_t* texel = &texture[first + (std::size_t{v} * edge + u) * 4];
        std::uint8_t* at = &picture[(std::size_t{top + y} * width + left + x) * 4];
        for (int c = 0; c < 3; ++c) at[c] = static_cast<std::uint8_t>(marked ? texel[c] : 200 + texel[c] / 12);
      }
    first += std::size_t{edge} * edge * 4;
    if (level == 0)
      top += shown + 12;
    else
      left += shown + 8;
  }
  return picture;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: vulkan_footprint PICTURE.png [TURN]\n");
    return 2;
  }
  const float camera[2] = {argc > 2 ? std::strtof(argv[2], nullptr) : 0.5f, 0.6f};
  Program p;
  p.open();
  const std::vector<std::uint8_t> texels = draw_texture();
  const Program::Image texture =
      p.make_image(VK_FORMAT_R8G8B8A8_UNORM, kTexture, kTexture, kLevels, 1, VK_IMAGE_VIEW_TYPE_2D,
                   VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
  constexpr VkImageUsageFlags kWritten =
      VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  const Program::Image marks =
      p.make_image(VK_FORMAT_R64_UINT, kMarks, kMarks, 1, kLevels, VK_IMAGE_VIEW_TYPE_2D_ARRAY, kWritten);
  const Program::Image view =
      p.make_image(VK_FORMAT_R8G8B8A8_UNORM, kWidth, kHeight, 1, 1, VK_IMAGE_VIEW_TYPE_2D, kWritten);
  const Program::Buffer upload = p.make_buffer(texels.size());
  std::memcpy(upload.bytes, texels.data(), texels.size());
  const Program::Buffer picture = p.make_buffer(kWidth * kHeight * 4),
                        bits = p.make_buffer(kMarks * kMarks * kLevels * 8);

  VkSamplerCreateInfo trilinear{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  trilinear.magFilter = trilinear.minFilter = VK_FILTER_LINEAR;
  trilinear.mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR;
  trilinear.addressModeU = trilinear.addressModeV = trilinear.addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
  trilinear.maxLod = VK_LOD_CLAMP_NONE;
  VkSampler sampler{};
  check(vkCreateSampler(p.device, &trilinear, nullptr, &sampler), "vkCreateSampler");

  std::array<VkDescriptorSetLayoutBinding, 3> slots{};
  for (std::uint32_t k = 0; k < slots.size(); ++k) slots[k] = {k, kTypes[k], 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  VkDescriptorSetLayoutCreateInfo set_info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
  set_info.bindingCount = slots.size();
  set_info.pBindings = slots.data();
  VkDescriptorSetLayout set_layout{};
  check(vkCreateDescriptorSetLayout(p.device, &set_info, nullptr, &set_layout), "vkCreateDescriptorSetLayout");
  const VkPushConstantRange push{VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof camera};
  VkPipelineLayoutCreateInfo layout_info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  layout_info.setLayoutCount = 1;
  layout_info.pSetLayouts = &set_layout;
  layout_info.pushConstantRangeCount = 1;
  layout_info.pPushConstantRanges = &push;
  VkPipelineLayout layout{};
  check(vkCreatePipelineLayout(p.device, &layout_info, nullptr, &layout), "vkCreatePipelineLayout");
  const std::array<VkDescriptorPoolSize, 2> sizes{
      {{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1}, {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 2}}};
  VkDescriptorPoolCreateInfo pool_info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  pool_info.maxSets = 1;
  pool_info.poolSizeCount = sizes.size();
  pool_info.pPoolSizes = sizes.data();
  VkDescriptorPool descriptors{};
  check(vkCreateDescriptorPool(p.device, &pool_info, nullptr, &descriptors), "vkCreateDescriptorPool");
  const VkDescriptorSetAllocateInfo set_allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, descriptors,
                                                 1, &set_layout};
  VkDescriptorSet set{};
  check(vkAllocateDescriptorSets(p.device, &set_allocate, &set), "vkAllocateDescriptorSets");
  const std::array<VkDescriptorImageInfo, 3> images{{{sampler, texture.view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL},
                                                     {VK_NULL_HANDLE, marks.view, VK_IMAGE_LAYOUT_GENERAL},
                                                     {VK_NULL_HANDLE, view.view, VK_IMAGE_LAYOUT_GENERAL}}};
  for (std::uint32_t k = 0; k < images.size(); ++k) {
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = set;
    write.dstBinding = k;
    write.descriptorCount = 1;
    write.descriptorType = kTypes[k];
    write.pImageInfo = &images[k];
    vkUpdateDescriptorSets(p.device, 1, &write, 0, nullptr);
  }
  const VkPipeline pipeline = p.make_pipeline(layout);

  const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  check(vkBeginCommandBuffer(p.commands, &begin), "vkBeginCommandBuffer");
  p.change_layout(texture, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 0,
                  VK_ACCESS_TRANSFER_WRITE_BIT);
  std::array<VkBufferImageCopy, kLevels> copies{};
  VkDeviceSize offset = 0;
  for (std::uint32_t level = 0; level < kLevels; ++level) {
    const std::uint32_t edge = kTexture >> level;
    copies[level].bufferOffset = offset;
    copies[level].imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, 1};
    copies[level].imageExtent = {edge, edge, 1};
    offset += VkDeviceSize{edge} * edge * 4;
  }
  vkCmdCopyBufferToImage(p.commands, upload.buffer, texture.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, kLevels,
                         copies.data());
  p.change_layout(texture, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                  VK_ACCESS_TRANSFER_WRITE_BIT, VK_ACCESS_SHADER_READ_BIT);
  p.change_layout(marks, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 0,
                  VK_ACCESS_TRANSFER_WRITE_BIT);
  const VkClearColorValue zero{};
  const VkImageSubresourceRange whole{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, kLevels};
  vkCmdClearColorImage(p.commands, marks.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &zero, 1, &whole);
  p.change_layout(marks, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_GENERAL, VK_ACCESS_TRANSFER_WRITE_BIT,
                  VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
  p.change_layout(view, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL, 0, VK_ACCESS_SHADER_WRITE_BIT);
  vkCmdBindPipeline(p.commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vkCmdBindDescriptorSets(p.commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
  vkCmdPushConstants(p.commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof camera, camera);
  vkCmdDispatch(p.commands, (kWidth + 7) / 8, (kHeight + 7) / 8, 1);
  for (const Program::Image& image : {marks, view})
    p.change_layout(image, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_ACCESS_SHADER_WRITE_BIT,
                    VK_ACCESS_TRANSFER_READ_BIT);
  VkBufferImageCopy back{};
  back.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  back.imageExtent = {kWidth, kHeight, 1};
  vkCmdCopyImageToBuffer(p.commands, view.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, picture.buffer, 1, &back);
  back.imageSubresource.layerCount = kLevels;
  back.imageExtent = {kMarks, kMarks, 1};
  vkCmdCopyImageToBuffer(p.commands, marks.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, bits.buffer, 1, &back);
  VkMemoryBarrier to_host{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_TRANSFER_WRITE_BIT,
                          VK_ACCESS_HOST_READ_BIT};
  vkCmdPipelineBarrier(p.commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0,
                       nullptr, 0, nullptr);
  check(vkEndCommandBuffer(p.commands), "vkEndCommandBuffer");
  VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &p.commands;
  check(vkQueueSubmit(p.queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
  check(vkQueueWaitIdle(p.queue), "vkQueueWaitIdle");

  std::vector<std::uint64_t> words(kMarks * kMarks * kLevels);
  std::memcpy(words.data(), bits.bytes, words.size() * 8);
  for (std::uint32_t level = 0; level < kLevels; ++level) {
    std::uint64_t count = 0;
    for (std::uint32_t k = 0; k < kMarks * kMarks; ++k)
      count += __builtin_popcountll(words[level * kMarks * kMarks + k]);
    const std::uint64_t groups = std::uint64_t{kTexture >> level} * (kTexture >> level) / 16;
    std::printf("level %u: %llu of %llu groups of 4 x 4 texels are needed\n", level,
                static_cast<unsigned long long>(count), static_cast<unsigned long long>(groups));
  }
  constexpr std::uint32_t kPicture = kWidth + 16 + kTexture * 3 / 5 + 16;
  const std::vector<std::uint8_t> composed = compose(picture.bytes, words.data(), texels, kPicture);
  if (stbi_write_png(argv[1], kPicture, kHeight, 4, composed.data(), kPicture * 4) == 0)
    fail(std::string("cannot write ") + argv[1]);
  return 0;
}
