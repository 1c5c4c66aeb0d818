// SPDX-License-Identifier: MIT
#pragma once
// Tests of the driver call it as an application does: through Khronos's loader, which finds it by its manifest.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "vulkan/generated/newer.hpp"

namespace heddle::test {

/// Words of a GLSL shader, with its lines if `debug`; `stage`, `target`: as glslangValidator names them ("comp", "vert"
/// ...). Empty where that is not installed.
[[nodiscard]] std::vector<std::uint32_t> compile_shader(const std::string& glsl, const std::string& stage,
                                                        bool debug = false, const std::string& target = "vulkan1.1");
[[nodiscard]] inline std::vector<std::uint32_t> compile_compute(const std::string& glsl) {
  return compile_shader(glsl, "comp");
}

#define HEDDLE_NEED_SHADERS() \
  if (compile_compute("#version 450\nvoid main() {}\n").empty()) GTEST_SKIP() << "glslangValidator is not installed"

/// Debian's validation layers do not know names of newer.txt, and refuse them.
#define HEDDLE_NEED_NEWER() \
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) GTEST_SKIP() << "newer than the validation layers"

[[nodiscard]] VkImageAspectFlags aspects_of(VkFormat format);

/// An instance and a device with the features of the extensions, without any those of Vulkan 1.3; destroys what it
/// made.
class VulkanDevice {
 public:
  /// `message` hears what the driver says through VK_EXT_debug_utils.
  /// `manifest`: of another driver than Heddle's.
  explicit VulkanDevice(const std::vector<const char*>& extensions = {}, const std::string& manifest = {});
  ~VulkanDevice();
  VulkanDevice(const VulkanDevice&) = delete;
  VulkanDevice& operator=(const VulkanDevice&) = delete;

  struct Buffer {
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    std::uint8_t* bytes = nullptr;
    std::uint64_t size = 0;
    [[nodiscard]] std::uint32_t word(std::size_t at) const {
      std::uint32_t value = 0;
      std::memcpy(&value, bytes + 4 * at, 4);
      return value;
    }
    void set(std::size_t at, std::uint32_t value) const { std::memcpy(bytes + 4 * at, &value, 4); }
  };
  Buffer buffer(std::uint64_t size, VkBufferUsageFlags more_usage = 0);
  struct Image {
    VkImage image = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
  };
  Image image(const VkImageCreateInfo& info);  ///< in the layout GENERAL
  [[nodiscard]] static VkImageCreateInfo image_info(VkFormat format, std::uint32_t width, std::uint32_t height);
  VkImageView view(VkImage image, VkFormat format, VkImageViewType type = VK_IMAGE_VIEW_TYPE_2D,
                   VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0,
                                                    VK_REMAINING_ARRAY_LAYERS},
                   VkComponentMapping swizzle = {});
  VkSampler sampler(VkFilter filter, VkSamplerAddressMode address = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE);

  struct Binding {
    std::uint32_t binding;
    VkDescriptorType type;
    std::uint32_t count = 1;
  };
  VkDescriptorSetLayout set_layout(const std::vector<Binding>& bindings, VkDescriptorSetLayoutCreateFlags flags = 0,
                                   VkDescriptorBindingFlags binding_flags = 0);
  VkPipelineLayout layout(const std::vector<VkDescriptorSetLayout>& sets, std::uint32_t push_bytes = 0);
  VkShaderModule module(const std::string& glsl, const std::string& stage);
  VkShaderModule module(const std::vector<std::uint32_t>& words);  ///< whoever asks destroys it
  VkDescriptorSet set(VkDescriptorSetLayout layout, const std::vector<Binding>& bindings,
                      VkDescriptorPoolCreateFlags flags = 0);
  void write(VkDescriptorSet set, std::uint32_t binding, VkDescriptorType type, const Buffer& buffer,
             std::uint64_t offset = 0, std::uint64_t range = VK_WHOLE_SIZE, std::uint32_t element = 0);
  void write(VkDescriptorSet set, std::uint32_t binding, VkDescriptorType type, VkImageView view, VkSampler sampler,
             std::uint32_t element = 0);
  VkPipeline pipeline(const std::string& glsl, VkPipelineLayout layout, const VkSpecializationInfo* special = nullptr);
  /// The same of SPIR-V's words.
  VkPipeline pipeline_of(const std::vector<std::uint32_t>& words, VkPipelineLayout layout,
                         const VkSpecializationInfo* special = nullptr,
                         VkPipelineShaderStageCreateFlags stage_flags = 0);

  VkCommandBuffer commands(VkCommandBufferLevel level = VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  void begin(VkCommandBuffer buffer, VkCommandBufferUsageFlags flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
  /// Ends, submits, waits for it.
  VkResult submit(VkCommandBuffer buffer);
  /// Records, submits, waits.
  VkResult run(const std::function<void(VkCommandBuffer)>& record);

  template <typename F>
  [[nodiscard]] F proc(const char* name) const {
    return reinterpret_cast<F>(vkGetDeviceProcAddr(device, name));
  }
  void later(std::function<void()> undo) { undo_.push_back(std::move(undo)); }

  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;
  VkCommandPool pool = VK_NULL_HANDLE;
  VkShaderStageFlags stages = VK_SHADER_STAGE_COMPUTE_BIT;  ///< that layouts are for
  std::vector<std::string> messages;                        ///< "id: text"
  VkPipelineCreateFlags pipeline_flags = 0;                 ///< of those that compute
  bool debug_shaders = false;                               ///< shaders of `pipeline` get debug information
  bool expects_messages = false;                            ///< validation, checks: else one is a failure

 private:
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  std::vector<std::function<void()>> undo_;
};

/// A barrier of all memory; without arguments of everything before it and behind it.
inline void barrier(VkCommandBuffer c, VkPipelineStageFlags from = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                    VkAccessFlags from_access = VK_ACCESS_MEMORY_WRITE_BIT,
                    VkPipelineStageFlags to = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                    VkAccessFlags to_access = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT) {
  const VkMemoryBarrier b{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, from_access, to_access};
  vkCmdPipelineBarrier(c, from, to, 0, 1, &b, 0, nullptr, 0, nullptr);
}

/// A change of the layout of a whole image, after and before everything.
inline void change_layout(VkCommandBuffer c, VkImage image, VkImageLayout from, VkImageLayout to,
                          VkImageAspectFlags aspects = VK_IMAGE_ASPECT_COLOR_BIT) {
  VkImageMemoryBarrier b{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
  b.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  b.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  b.oldLayout = from;
  b.newLayout = to;
  b.srcQueueFamilyIndex = b.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  b.image = image;
  b.subresourceRange = {aspects, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS};
  vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 0,
                       nullptr, 1, &b);
}

/// An instance whose only driver is Heddle's, or that of a manifest; every extension of instances on.
[[nodiscard]] VkInstance make_instance(const std::string& manifest = {});
/// Lavapipe stays in the process if it is there, so that what it leaves is known as its own (tests/leak-sanitizer.txt).
void keep_lavapipe();
/// The driver's only physical device.
[[nodiscard]] VkPhysicalDevice physical_device(VkInstance instance);

}  // namespace heddle::test
