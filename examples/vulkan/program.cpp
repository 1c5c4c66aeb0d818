// SPDX-License-Identifier: MIT
#include "program.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

namespace example {

void fail(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(1);
}
void check(VkResult result, const char* what) {
  if (result != VK_SUCCESS) fail(std::string(what) + " failed: VkResult " + std::to_string(result));
}

namespace {

bool has_extension(VkPhysicalDevice device, const char* name) {
  std::uint32_t count = 0;
  vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> list(count);
  vkEnumerateDeviceExtensionProperties(device, nullptr, &count, list.data());
  return std::any_of(list.begin(), list.end(),
                     [&](const VkExtensionProperties& e) { return std::strcmp(e.extensionName, name) == 0; });
}

}  // namespace

void Program::choose_device(const Wishes& wishes) {
  std::uint32_t count = 0;
  vkEnumeratePhysicalDevices(instance, &count, nullptr);
  std::vector<VkPhysicalDevice> list(count);
  vkEnumeratePhysicalDevices(instance, &count, list.data());
  std::string seen;
  for (const VkPhysicalDevice candidate : list) {
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(candidate, &properties);
    const bool extended = has_extension(candidate, VK_NV_SHADER_IMAGE_FOOTPRINT_EXTENSION_NAME);
    const bool good = extended && properties.apiVersion >= wishes.version;
    seen += std::string("\n  ") + properties.deviceName;
    if (!good) seen += extended ? ": its Vulkan is too old" : ": has no footprints";
    if (good && physical == VK_NULL_HANDLE) {
      physical = candidate;
      std::printf("device: %s\n", properties.deviceName);
    }
  }
  if (physical == VK_NULL_HANDLE) fail("no device has what it takes:" + (seen.empty() ? " there is none" : seen));
}

void Program::open(const Wishes& wishes) {
  VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.apiVersion = wishes.version;
  VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  info.pApplicationInfo = &application;
  check(vkCreateInstance(&info, nullptr, &instance), "vkCreateInstance");
  choose_device(wishes);
  std::uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
  while (family < count && (families[family].queueFlags & wishes.queue) != wishes.queue) ++family;
  if (family == count) fail("the device has no queue for such shaders");
  create_device(wishes);
  vkGetDeviceQueue(device, family, 0, &queue);
  VkCommandPoolCreateInfo pools{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  pools.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  pools.queueFamilyIndex = family;
  check(vkCreateCommandPool(device, &pools, nullptr, &pool), "vkCreateCommandPool");
  const VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool,
                                             VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
  check(vkAllocateCommandBuffers(device, &allocate, &commands), "vkAllocateCommandBuffers");
}

/// Those of `wanted` that are `there`, too: the structure is one of VkBool32 alone.
static void add_features(const VkPhysicalDeviceFeatures& wanted, const VkPhysicalDeviceFeatures& there,
                         VkPhysicalDeviceFeatures& to) {
  constexpr std::size_t kCount = sizeof(VkPhysicalDeviceFeatures) / sizeof(VkBool32);
  std::array<VkBool32, kCount> w, t, all;
  std::memcpy(w.data(), &wanted, sizeof wanted);
  std::memcpy(t.data(), &there, sizeof there);
  std::memcpy(all.data(), &to, sizeof to);
  for (std::size_t k = 0; k < kCount; ++k)
    if (w[k] == VK_TRUE && t[k] == VK_TRUE) all[k] = VK_TRUE;
  std::memcpy(&to, all.data(), sizeof to);
}

void Program::create_device(const Wishes& wishes) {
  VkPhysicalDeviceShaderImageFootprintFeaturesNV footprints{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_IMAGE_FOOTPRINT_FEATURES_NV};
  VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &footprints, {}};
  vkGetPhysicalDeviceFeatures2(physical, &features);
  if (footprints.imageFootprint == VK_FALSE) fail("the device lists the extension and lacks its feature");
  if (wishes.wide_integers && features.features.shaderInt64 == VK_FALSE) fail("the device has no 64-bit integers");
  const VkPhysicalDeviceFeatures there = features.features;
  features.features = wishes.features;
  features.features.shaderInt64 = wishes.wide_integers ? VK_TRUE : VK_FALSE;
  add_features(wishes.when_there, there, features.features);
  footprints.pNext = wishes.next;
  const float priority = 1;
  VkDeviceQueueCreateInfo queues{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queues.queueFamilyIndex = family;
  queues.queueCount = 1;
  queues.pQueuePriorities = &priority;
  VkDeviceCreateInfo create{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features};
  create.queueCreateInfoCount = 1;
  create.pQueueCreateInfos = &queues;
  const std::array extensions{VK_NV_SHADER_IMAGE_FOOTPRINT_EXTENSION_NAME};
  create.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  create.ppEnabledExtensionNames = extensions.data();
  check(vkCreateDevice(physical, &create, nullptr, &device), "vkCreateDevice");
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

VkDeviceMemory Program::allocate(VkDeviceSize size, const VkMemoryRequirements& needs) const {
  return allocate(VkMemoryRequirements{size, needs.alignment, needs.memoryTypeBits}, 0);
}

Buffer Program::make_buffer(VkDeviceSize size, VkBufferUsageFlags usage) const {
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = size;
  info.usage = usage | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
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

Image Program::make_image(VkFormat format, std::uint32_t width, std::uint32_t height, std::uint32_t levels,
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
  const bool depth = (usage & VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT) != 0;
  made.view = make_view(made.image, type, format, depth ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT, levels,
                        layers);
  return made;
}

VkImageView Program::make_view(VkImage image, VkImageViewType type, VkFormat format, VkImageAspectFlags aspect,
                               std::uint32_t levels, std::uint32_t layers) const {
  VkImageViewCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
  info.image = image;
  info.viewType = type;
  info.format = format;
  info.subresourceRange = {aspect, 0, levels, 0, layers};
  VkImageView view{};
  check(vkCreateImageView(device, &info, nullptr, &view), "vkCreateImageView");
  return view;
}

VkShaderModule Program::load_shader(const std::string& name) const {
  const std::string file = EXAMPLE_FOLDER "/" + name + ".spv";  // beside the sources, wherever the program is started
  std::ifstream stream(file, std::ios::binary);
  const std::vector<char> code{std::istreambuf_iterator<char>(stream), {}};
  if (code.empty()) fail("cannot read " + file);
  std::vector<std::uint32_t> words(code.size() / 4);
  std::memcpy(words.data(), code.data(), words.size() * 4);
  VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  info.codeSize = words.size() * 4;
  info.pCode = words.data();
  VkShaderModule module{};
  check(vkCreateShaderModule(device, &info, nullptr, &module), "vkCreateShaderModule");
  return module;
}

void Program::change_layout(const Image& image, VkImageLayout from, VkImageLayout to, VkAccessFlags before,
                            VkAccessFlags after, VkImageAspectFlags aspect) const {
  VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
  barrier.srcAccessMask = before;
  barrier.dstAccessMask = after;
  barrier.oldLayout = from;
  barrier.newLayout = to;
  barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image.image;
  barrier.subresourceRange = {aspect, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS};
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr,
                       0, nullptr, 1, &barrier);
}

void Program::begin() const {
  const VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  check(vkBeginCommandBuffer(commands, &info), "vkBeginCommandBuffer");
}

void Program::run() const {
  const VkMemoryBarrier to_host{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_TRANSFER_WRITE_BIT,
                                VK_ACCESS_HOST_READ_BIT};
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0, nullptr,
                       0, nullptr);
  check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
  VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands;
  check(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
  check(vkQueueWaitIdle(queue), "vkQueueWaitIdle");
}

}  // namespace example
