// SPDX-License-Identifier: MIT
#pragma once
// The draws of scripts: pipelines, passes, and the attachments that only they write.

#include <array>
#include <span>
#include <vector>

#include "vulkan/device.hpp"
#include "vulkan/stress/script.hpp"

namespace heddle::test {

class Draws {
 public:
  static constexpr std::uint32_t kSide = 32;  ///< of the attachments
  Draws(VulkanDevice& device, VkDescriptorSetLayout set);
  /// Before a script's first command. `target`: the R32_UINT image that is the first color, `width` x `height` large.
  void begin(VkCommandBuffer c, VkImageView target, std::uint32_t width, std::uint32_t height);
  /// A pass with one draw or several. `buffers` give vertices, indices and the numbers of indirect draws.
  void record(VkCommandBuffer c, const StressCommand& s, VkDescriptorSet set,
              std::span<const VulkanDevice::Buffer> buffers);
  /// Copies what is in the attachments to be read after the submission.
  void read(VkCommandBuffer c);
  [[nodiscard]] std::vector<std::vector<std::uint8_t>> contents() const;
  /// What belongs to a script's target.
  void end();

 private:
  VkRenderPass pass(bool clear);
  void make_pipelines();
  VkPipeline pipeline(const VkGraphicsPipelineCreateInfo& common, std::size_t number);
  void begin_pass(VkCommandBuffer c, const StressCommand& s, const VkRect2D& area);
  void draw(VkCommandBuffer c, const StressCommand& s, std::span<const VulkanDevice::Buffer> buffers, std::uint32_t n);

  VulkanDevice& v_;
  VkPipelineLayout layout_;
  std::array<VkRenderPass, 2> passes_{};  ///< that load, that clear
  std::vector<VkPipeline> pipelines_;
  PFN_vkCmdBeginRenderingKHR begin_rendering_ = nullptr;
  PFN_vkCmdEndRenderingKHR end_rendering_ = nullptr;
  VulkanDevice::Image color_, depth_;
  VkImageView color_view_, depth_view_, target_ = VK_NULL_HANDLE;
  VkExtent2D extent_{};
  VkFramebuffer framebuffer_ = VK_NULL_HANDLE;
  VulkanDevice::Buffer color_bytes_, depth_bytes_, stencil_bytes_, indirect_;
};

}  // namespace heddle::test
