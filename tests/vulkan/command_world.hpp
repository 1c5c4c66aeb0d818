// SPDX-License-Identifier: MIT
#pragma once
// What tests of commands that are checked share: two buffers, shaders that read and write them, cases.

#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "vulkan/checks.hpp"

namespace heddle::test {

inline constexpr VkDescriptorType kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
inline constexpr VkPipelineStageFlags kCompute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                      kTransfer = VK_PIPELINE_STAGE_TRANSFER_BIT;
inline constexpr VkAccessFlags kReads = VK_ACCESS_SHADER_READ_BIT, kWrites = VK_ACCESS_SHADER_WRITE_BIT,
                               kTransferWrites = VK_ACCESS_TRANSFER_WRITE_BIT,
                               kTransferReads = VK_ACCESS_TRANSFER_READ_BIT;

inline const std::string kHead =
    "#version 450\n"                                   // 1
    "layout(local_size_x = 16) in;\n"                  // 2
    "layout(binding = 0) buffer A { uint x[]; } a;\n"  // 3
    "layout(binding = 1) buffer B { uint y[]; } b;\n"  // 4
    "void main() {\n"                                  // 5
    "  uint i = gl_LocalInvocationIndex;\n";           // 6

/// Two storage buffers of 256 bytes that the host never maps, and one that it does.
struct World {
  World() {
    v.expects_messages = v.debug_shaders = true;
    const std::vector<VulkanDevice::Binding> bindings{{0, kStorage}, {1, kStorage}};
    a = device_buffer(v, 256);
    b = device_buffer(v, 256);
    staging = v.buffer(256);
    const VkDescriptorSetLayout sets = v.set_layout(bindings);
    set = v.set(sets, bindings);
    layout = v.layout({sets});
    v.write(set, 0, kStorage, a);
    v.write(set, 1, kStorage, b);
  }
  void dispatch(VkCommandBuffer c, const std::string& body, std::uint32_t groups = 1) {
    VkPipeline& pipeline = pipelines[body];
    if (pipeline == VK_NULL_HANDLE) pipeline = v.pipeline(kHead + body + "}\n", layout);
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdDispatch(c, groups, 1, 1);
  }
  void name(const VulkanDevice::Buffer& buffer, const char* text) const {
    const VkDebugUtilsObjectNameInfoEXT info{VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT, nullptr,
                                             VK_OBJECT_TYPE_BUFFER, reinterpret_cast<std::uint64_t>(buffer.buffer),
                                             text};
    EXPECT_EQ(v.proc<PFN_vkSetDebugUtilsObjectNameEXT>("vkSetDebugUtilsObjectNameEXT")(v.device, &info), VK_SUCCESS);
  }
  /// Reads the members of a uniform block in `a`.
  void dispatch_block(VkCommandBuffer c) {
    const std::vector<VulkanDevice::Binding> bindings{{0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER}, {1, kStorage}};
    const VkDescriptorSetLayout sets = v.set_layout(bindings);
    const VkDescriptorSet blocks = v.set(sets, bindings);
    const VkPipelineLayout with_block = v.layout({sets});
    v.write(blocks, 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, a);
    v.write(blocks, 1, kStorage, b);
    const VkPipeline pipeline = v.pipeline(
        "#version 450\nlayout(local_size_x = 16) in;\nlayout(binding = 0) uniform U { uint a; uvec3 b; uint c[1]; } "
        "u;\n"
        "layout(binding = 1) buffer B { uint y[]; } b;\n"
        "void main() { b.y[gl_LocalInvocationIndex] = u.a + u.b.x + u.b.y + u.b.z + u.c[0]; }\n",
        with_block);
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, with_block, 0, 1, &blocks, 0, nullptr);
    vkCmdDispatch(c, 1, 1, 1);
  }
  /// Zeros for both, and a barrier behind them.
  void clear(VkCommandBuffer c) const {
    vkCmdFillBuffer(c, a.buffer, 0, VK_WHOLE_SIZE, 0);
    vkCmdFillBuffer(c, b.buffer, 0, VK_WHOLE_SIZE, 0);
    barrier(c, kTransfer, kTransferWrites, kCompute | kTransfer, kReads | kWrites | kTransferWrites);
  }
  void copy(VkCommandBuffer c, const VulkanDevice::Buffer& from, const VulkanDevice::Buffer& to,
            std::uint64_t size = 256) const {
    const VkBufferCopy region{0, 0, size};
    vkCmdCopyBuffer(c, from.buffer, to.buffer, 1, &region);
  }
  const ChecksOn on;
  VulkanDevice v{{VK_KHR_SYNCHRONIZATION_2_EXTENSION_NAME}};
  VulkanDevice::Buffer a, b, staging;
  VkDescriptorSet set = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  std::map<std::string, VkPipeline> pipelines;
};

struct Case {
  const char* name;
  std::function<void(World&, VkCommandBuffer)> record;
  Expected expected{};
};

inline void run_all(const std::vector<Case>& cases) {
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    World w;
    const VkResult done = w.v.run([&](VkCommandBuffer c) { one.record(w, c); });
    EXPECT_EQ(done, VK_SUCCESS);
    expect_found(w.v.messages, one.expected);
  }
}

inline const char* const kFill = "  a.x[i] = i;\n";              // line 7
inline const char* const kPass = "  b.y[i] = a.x[i] + 1u;\n";    // line 7
inline const char* const kCount = "  atomicAdd(a.x[0], 1u);\n";  // line 7

}  // namespace heddle::test
