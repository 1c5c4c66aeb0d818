// SPDX-License-Identifier: MIT
#pragma once
// What an application must not do, and what a cheap check keeps from being a crash: the driver goes on, and so does its
// next work. Nothing is said of what such commands do.

#include "vulkan/canvas.hpp"

namespace heddle::test {

inline constexpr std::uint64_t kFar = 1ull << 40;
inline constexpr VkImageLayout kGeneral = VK_IMAGE_LAYOUT_GENERAL;

/// Things that are made right, for commands that use them wrongly.
struct Things {
  Things();
  /// In rendering to the canvas.
  void render(VkCommandBuffer b, const std::function<void()>& record) {
    c.begin(b, true);
    record();
    c.end(b);
  }
  Canvas c;
  VulkanDevice& v;
  VulkanDevice::Buffer small;
  VkImage image = VK_NULL_HANDLE, blocks = VK_NULL_HANDLE, unbound_image = VK_NULL_HANDLE;
  VkBuffer unbound = VK_NULL_HANDLE;
  VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
  VkDescriptorSet set = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline compute = VK_NULL_HANDLE, draw = VK_NULL_HANDLE, covering = VK_NULL_HANDLE, dynamic = VK_NULL_HANDLE;
  VkQueryPool occlusion = VK_NULL_HANDLE, times = VK_NULL_HANDLE;
};

struct Mistake {
  const char* name;
  void (*make)(Things& t, VkCommandBuffer b);
};

inline void bind(VkCommandBuffer b, VkPipeline pipeline) {
  vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
}
inline void bind_set(Things& t, VkCommandBuffer b, VkPipelineBindPoint point) {
  vkCmdBindDescriptorSets(b, point, t.layout, 0, 1, &t.set, 0, nullptr);
}

class Mistakes : public testing::TestWithParam<Mistake> {
 protected:
  /// Makes it, then looks whether work behind it is right.
  void do_no_harm() const;
};
[[nodiscard]] inline std::string mistake_name(const testing::TestParamInfo<Mistake>& info) { return info.param.name; }

}  // namespace heddle::test
