// SPDX-License-Identifier: MIT
#pragma once
// Plays scripts on a driver.

#include <memory>
#include <optional>
#include <vector>

#include "vulkan/device.hpp"
#include "vulkan/stress/draws.hpp"
#include "vulkan/stress/script.hpp"

namespace heddle::test {

class Player {
 public:
  /// `manifest`: of the driver; empty: Heddle's.
  explicit Player(const std::string& manifest = {});
  /// What buffers and images hold in the end: the bytes of each. Nothing where the driver has no memory left.
  std::optional<std::vector<std::vector<std::uint8_t>>> play(const Script& script);
  VulkanDevice v;

 private:
  struct Target {
    VkImage image = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    VkImageView view = VK_NULL_HANDLE;
  };
  bool make_images(const Script& script);
  void destroy_images();
  void record(VkCommandBuffer c, const StressCommand& command);
  void transfer(VkCommandBuffer c, const StressCommand& command);
  void dispatch(VkCommandBuffer c, const StressCommand& command);

  std::vector<VulkanDevice::Buffer> buffers_, readback_;
  VkSampler sampler_ = VK_NULL_HANDLE;
  VulkanDevice::Buffer indirect_;
  std::vector<Target> images_;
  VkDescriptorSet set_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  std::vector<VkPipeline> pipelines_;
  std::unique_ptr<Draws> draws_;
};

}  // namespace heddle::test
