// SPDX-License-Identifier: MIT
#pragma once
// What tests of the sanitizer share: devices with checks on, memory that the host never maps, and what was said.

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
