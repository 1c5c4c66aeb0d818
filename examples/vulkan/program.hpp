// SPDX-License-Identifier: MIT
// What the examples share: a device, buffers, images, shaders. Everything lives until the process ends, and what fails
// ends it with a message.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <string>
#include <vector>

namespace example {

[[noreturn]] void fail(const std::string& why);
void check(VkResult result, const char* what);

struct Buffer {
  VkBuffer buffer{};
  std::uint8_t* bytes = nullptr;  ///< mapped, coherent
};
struct Image {
  VkImage image{};
  VkImageView view{};
};

/// What a program asks for, beside footprints, which every device must have.
struct Wishes {
  std::uint32_t version = VK_API_VERSION_1_1;
  VkQueueFlags queue = VK_QUEUE_COMPUTE_BIT;
  bool wide_integers = true;              ///< 64-bit integers in shaders
  VkPhysicalDeviceFeatures features{};    ///< shaderInt64 is added for wide marks
  VkPhysicalDeviceFeatures when_there{};  ///< on where the device has them
  void* next = nullptr;                   ///< structures of further features
};

struct Program {
  VkInstance instance{};
  VkPhysicalDevice physical{};
  VkDevice device{};
  VkQueue queue{};
  std::uint32_t family = 0;
  VkCommandPool pool{};
  VkCommandBuffer commands{};

  void open(const Wishes& wishes);
  [[nodiscard]] Buffer make_buffer(VkDeviceSize size,
                                   VkBufferUsageFlags usage = 0) const;  ///< copies are always allowed
  [[nodiscard]] Image make_image(VkFormat format, std::uint32_t width, std::uint32_t height, std::uint32_t levels,
                                 std::uint32_t layers, VkImageViewType type, VkImageUsageFlags usage) const;
  [[nodiscard]] VkImageView make_view(VkImage image, VkImageViewType type, VkFormat format, VkImageAspectFlags aspect,
                                      std::uint32_t levels, std::uint32_t layers) const;
  /// Of a kind that the object takes.
  [[nodiscard]] VkDeviceMemory allocate(VkDeviceSize size, const VkMemoryRequirements& needs) const;
  [[nodiscard]] VkShaderModule load_shader(const std::string& name) const;  ///< examples/vulkan/NAME.spv
  /// Of all levels and layers.
  void change_layout(const Image& image, VkImageLayout from, VkImageLayout to, VkAccessFlags before,
                     VkAccessFlags after, VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT) const;
  void begin() const;  ///< records commands anew
  void run() const;    ///< submits them and waits

 private:
  void choose_device(const Wishes& wishes);
  void create_device(const Wishes& wishes);
  [[nodiscard]] VkDeviceMemory allocate(const VkMemoryRequirements& needs, VkMemoryPropertyFlags wanted) const;
};

}  // namespace example
