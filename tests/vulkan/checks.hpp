#pragma once
// What tests of the sanitizer share: devices with checks on, memory that the host never maps, barriers, and what was
// said.

#include <cstdlib>
#include <string>
#include <vector>

#include "vulkan/device.hpp"

namespace heddle::test {

/// Devices that are made while it lives have HEDDLE_CHECK=warn.
struct ChecksOn {
  ChecksOn() { setenv("HEDDLE_CHECK", "warn", 1); }
  ~ChecksOn() { unsetenv("HEDDLE_CHECK"); }
  ChecksOn(const ChecksOn&) = delete;
  ChecksOn& operator=(const ChecksOn&) = delete;
};

/// A buffer whose memory is never mapped: nobody has written it.
inline VulkanDevice::Buffer device_buffer(VulkanDevice& v, std::uint64_t size) {
  VulkanDevice::Buffer made;
  made.size = size;
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = size;
  info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
               VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
               VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT |
               VK_BUFFER_USAGE_INDEX_BUFFER_BIT;
  EXPECT_EQ(vkCreateBuffer(v.device, &info, nullptr, &made.buffer), VK_SUCCESS);
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(v.device, made.buffer, &needs);
  VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, needs.size, 0};
  EXPECT_EQ(vkAllocateMemory(v.device, &allocate, nullptr, &made.memory), VK_SUCCESS);
  EXPECT_EQ(vkBindBufferMemory(v.device, made.buffer, made.memory, 0), VK_SUCCESS);
  v.later([d = v.device, made] {
    vkDestroyBuffer(d, made.buffer, nullptr);
    vkFreeMemory(d, made.memory, nullptr);
  });
  return made;
}

/// A barrier of all memory.
inline void barrier(VkCommandBuffer c, VkPipelineStageFlags from, VkAccessFlags from_access, VkPipelineStageFlags to,
                    VkAccessFlags to_access) {
  const VkMemoryBarrier b{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, from_access, to_access};
  vkCmdPipelineBarrier(c, from, to, 0, 1, &b, 0, nullptr, 0, nullptr);
}

/// A change of the layout of a whole color image, after and before everything.
inline void change_layout(VkCommandBuffer c, VkImage image, VkImageLayout from, VkImageLayout to) {
  VkImageMemoryBarrier b{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
  b.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  b.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  b.oldLayout = from;
  b.newLayout = to;
  b.srcQueueFamilyIndex = b.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  b.image = image;
  b.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS};
  vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 0,
                       nullptr, 1, &b);
}

/// What must be found: messages of one id, one of which has all these words; what validation layers say beside it does
/// not count. Without an id: nothing.
struct Expected {
  const char* id = nullptr;
  std::vector<std::string> words{};
};

inline void expect_found(const std::vector<std::string>& messages, const Expected& expected) {
  std::string all;
  for (const std::string& m : messages) all += m + "\n";
  if (expected.id == nullptr) {
    EXPECT_EQ(all, "");
    return;
  }
  bool found = false;
  for (const std::string& m : messages) {
    if (!m.starts_with("run-")) continue;
    EXPECT_EQ(m.substr(0, m.find(':')), expected.id) << all;
    bool has_all = true;
    for (const std::string& word : expected.words) has_all = has_all && m.find(word) != std::string::npos;
    found = found || has_all;
  }
  EXPECT_TRUE(found) << all;
}

}  // namespace heddle::test
