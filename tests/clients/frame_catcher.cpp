// SPDX-License-Identifier: MIT
// A library for LD_PRELOAD: copies frames that a Vulkan program presents, by their numbers, whatever the time. The
// program links libvulkan and asks it for the commands of swapchains.
//
// HEDDLE_FRAMES=3,40   presented pictures, counted from 0, that are written to HEDDLE_FRAME_FOLDER/3.ppm ...
// HEDDLE_FRAME_STOPS=1  behind each, when it was presented, its number goes to standard output, and the program goes on
// when it
//                       has read a line.

#include <dlfcn.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "frame_catcher: %s\n", what);
  std::_Exit(1);
}

struct Catcher {
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VkExtent2D extent{};
  std::vector<VkImage> images;
  std::set<unsigned> frames;
  std::string folder;
  bool stops = false;
  unsigned next = 0;
  PFN_vkGetInstanceProcAddr instance_proc = nullptr;
  PFN_vkGetDeviceProcAddr device_proc = nullptr;

  Catcher() {
    const auto text = [](const char* name) {
      const char* value = std::getenv(name);
      return std::string(value == nullptr ? "" : value);
    };
    std::istringstream list(text("HEDDLE_FRAMES"));
    for (std::string number; std::getline(list, number, ',');) {
      if (number.empty() || number.size() > 9 || number.find_first_not_of("0123456789") != std::string::npos)
        fail("HEDDLE_FRAMES takes numbers of frames between commas, such as 3,40");
      frames.insert(static_cast<unsigned>(std::strtoul(number.c_str(), nullptr, 10)));
    }
    folder = text("HEDDLE_FRAME_FOLDER");
    stops = !text("HEDDLE_FRAME_STOPS").empty();
  }
};

Catcher& catcher() {
  static Catcher one;
  return one;
}

void check(VkResult result, const char* what) {
  if (result != VK_SUCCESS) fail(what);
}

/// The command of libvulkan that a function here stands before.
template <typename F>
F real(const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}
template <typename F>
F of_device(const char* name) {
  return reinterpret_cast<F>(catcher().device_proc(catcher().device, name));
}

std::uint32_t visible_memory(std::uint32_t allowed) {
  VkPhysicalDeviceMemoryProperties memory{};
  real<PFN_vkGetPhysicalDeviceMemoryProperties>("vkGetPhysicalDeviceMemoryProperties")(catcher().physical, &memory);
  constexpr VkMemoryPropertyFlags kWanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i)
    if ((allowed >> i & 1u) != 0 && (memory.memoryTypes[i].propertyFlags & kWanted) == kWanted) return i;
  fail("no memory that can be read");
}

void write_picture(const std::uint8_t* blue_first, const std::string& path) {
  const auto [width, height] = catcher().extent;
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) fail("a frame can't be written");
  std::fprintf(file, "P6\n%u %u\n255\n", width, height);
  for (std::size_t k = 0; k < std::size_t{width} * height; ++k, blue_first += 4)
    for (const int c : {2, 1, 0}) std::fputc(blue_first[c], file);
  std::fclose(file);
}

/// Waits for the queue, then copies a picture that is ready to be presented.
void copy_picture(VkQueue queue, VkImage image, const std::string& path) {
  Catcher& c = catcher();
  check(real<PFN_vkDeviceWaitIdle>("vkDeviceWaitIdle")(c.device), "the device is lost");
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = VkDeviceSize{4} * c.extent.width * c.extent.height;
  info.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  VkBuffer buffer = VK_NULL_HANDLE;
  check(real<PFN_vkCreateBuffer>("vkCreateBuffer")(c.device, &info, nullptr, &buffer), "vkCreateBuffer");
  VkMemoryRequirements needs{};
  real<PFN_vkGetBufferMemoryRequirements>("vkGetBufferMemoryRequirements")(c.device, buffer, &needs);
  const VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, needs.size,
                                      visible_memory(needs.memoryTypeBits)};
  VkDeviceMemory memory = VK_NULL_HANDLE;
  check(real<PFN_vkAllocateMemory>("vkAllocateMemory")(c.device, &allocate, nullptr, &memory), "vkAllocateMemory");
  check(real<PFN_vkBindBufferMemory>("vkBindBufferMemory")(c.device, buffer, memory, 0), "vkBindBufferMemory");
  const VkCommandPoolCreateInfo pools{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr, 0, 0};
  VkCommandPool pool = VK_NULL_HANDLE;
  check(real<PFN_vkCreateCommandPool>("vkCreateCommandPool")(c.device, &pools, nullptr, &pool), "vkCreateCommandPool");
  const VkCommandBufferAllocateInfo one{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool,
                                        VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
  VkCommandBuffer commands = VK_NULL_HANDLE;
  check(real<PFN_vkAllocateCommandBuffers>("vkAllocateCommandBuffers")(c.device, &one, &commands),
        "vkAllocateCommandBuffers");
  const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  check(real<PFN_vkBeginCommandBuffer>("vkBeginCommandBuffer")(commands, &begin), "vkBeginCommandBuffer");
  VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
  barrier.srcAccessMask = barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image;
  barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  const auto change = [&](VkImageLayout from, VkImageLayout to) {
    barrier.oldLayout = from;
    barrier.newLayout = to;
    real<PFN_vkCmdPipelineBarrier>("vkCmdPipelineBarrier")(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                                           VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 0,
                                                           nullptr, 1, &barrier);
  };
  change(VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
  VkBufferImageCopy region{};
  region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  region.imageExtent = {c.extent.width, c.extent.height, 1};
  real<PFN_vkCmdCopyImageToBuffer>("vkCmdCopyImageToBuffer")(commands, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                                             buffer, 1, &region);
  change(VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
  check(real<PFN_vkEndCommandBuffer>("vkEndCommandBuffer")(commands), "vkEndCommandBuffer");
  VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands;
  check(real<PFN_vkQueueSubmit>("vkQueueSubmit")(queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
  check(real<PFN_vkDeviceWaitIdle>("vkDeviceWaitIdle")(c.device), "the device is lost");
  void* bytes = nullptr;
  check(real<PFN_vkMapMemory>("vkMapMemory")(c.device, memory, 0, VK_WHOLE_SIZE, 0, &bytes), "vkMapMemory");
  write_picture(static_cast<const std::uint8_t*>(bytes), path);
  real<PFN_vkDestroyCommandPool>("vkDestroyCommandPool")(c.device, pool, nullptr);
  real<PFN_vkDestroyBuffer>("vkDestroyBuffer")(c.device, buffer, nullptr);
  real<PFN_vkFreeMemory>("vkFreeMemory")(c.device, memory, nullptr);
}

// --- the commands of swapchains ---

VKAPI_ATTR VkResult VKAPI_CALL create_swapchain(VkDevice device, const VkSwapchainCreateInfoKHR* info,
                                                const VkAllocationCallbacks* allocator, VkSwapchainKHR* made) {
  VkSwapchainCreateInfoKHR with_copies = *info;
  with_copies.imageUsage |= VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  const VkResult result =
      of_device<PFN_vkCreateSwapchainKHR>("vkCreateSwapchainKHR")(device, &with_copies, allocator, made);
  if (result != VK_SUCCESS) return result;
  const auto list = of_device<PFN_vkGetSwapchainImagesKHR>("vkGetSwapchainImagesKHR");
  std::uint32_t count = 0;
  check(list(device, *made, &count, nullptr), "vkGetSwapchainImagesKHR");
  catcher().images.resize(count);
  check(list(device, *made, &count, catcher().images.data()), "vkGetSwapchainImagesKHR");
  catcher().extent = info->imageExtent;
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL present(VkQueue queue, const VkPresentInfoKHR* info) {
  Catcher& c = catcher();
  const unsigned number = c.next++;
  const bool wanted = c.frames.count(number) != 0;
  if (wanted)
    copy_picture(queue, c.images.at(info->pImageIndices[0]), c.folder + "/" + std::to_string(number) + ".ppm");
  const VkResult result = of_device<PFN_vkQueuePresentKHR>("vkQueuePresentKHR")(queue, info);
  if (wanted && c.stops) {
    check(real<PFN_vkDeviceWaitIdle>("vkDeviceWaitIdle")(c.device), "the device is lost");
    const std::string line = std::to_string(number) + "\n";
    if (write(STDOUT_FILENO, line.data(), line.size()) < 0) fail("nobody reads the numbers");
    for (char byte = 0; byte != '\n';)
      if (read(STDIN_FILENO, &byte, 1) != 1) fail("nobody says when to go on");
  }
  return result;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL proc_of_device(VkDevice device, const char* name) {
  catcher().device = device;
  if (std::strcmp(name, "vkCreateSwapchainKHR") == 0) return reinterpret_cast<PFN_vkVoidFunction>(create_swapchain);
  if (std::strcmp(name, "vkQueuePresentKHR") == 0) return reinterpret_cast<PFN_vkVoidFunction>(present);
  return catcher().device_proc(device, name);
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vkGetInstanceProcAddr(VkInstance instance, const char* name) {
  Catcher& c = catcher();
  if (c.instance_proc == nullptr) c.instance_proc = real<PFN_vkGetInstanceProcAddr>("vkGetInstanceProcAddr");
  const PFN_vkVoidFunction found = c.instance_proc(instance, name);
  if (std::strcmp(name, "vkGetDeviceProcAddr") != 0) return found;
  c.device_proc = reinterpret_cast<PFN_vkGetDeviceProcAddr>(found);
  return reinterpret_cast<PFN_vkVoidFunction>(proc_of_device);
}

__attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL vkCreateDevice(
    VkPhysicalDevice physical, const VkDeviceCreateInfo* info, const VkAllocationCallbacks* allocator, VkDevice* made) {
  catcher().physical = physical;
  return real<PFN_vkCreateDevice>("vkCreateDevice")(physical, info, allocator, made);
}
}
