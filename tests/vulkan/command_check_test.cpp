// The sanitizer looks from command to command: memory that nobody has written, missing barriers, layouts of images.
// Rules: run-memory-unwritten, run-barrier-missing, run-barrier-unwatched, run-image-layout.

#include <cstdlib>
#include <functional>
#include <map>

#include "vulkan/checks.hpp"

namespace heddle::test {
namespace {

constexpr VkDescriptorType kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
constexpr VkPipelineStageFlags kCompute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                               kTransfer = VK_PIPELINE_STAGE_TRANSFER_BIT;
constexpr VkAccessFlags kReads = VK_ACCESS_SHADER_READ_BIT, kWrites = VK_ACCESS_SHADER_WRITE_BIT,
                        kTransferWrites = VK_ACCESS_TRANSFER_WRITE_BIT, kTransferReads = VK_ACCESS_TRANSFER_READ_BIT;

const std::string kHead =
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
  VulkanDevice v;
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

void run_all(const std::vector<Case>& cases) {
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    World w;
    const VkResult done = w.v.run([&](VkCommandBuffer c) { one.record(w, c); });
    EXPECT_EQ(done, VK_SUCCESS);
    expect_found(w.v.messages, one.expected);
  }
}

const char* const kFill = "  a.x[i] = i;\n";              // line 7
const char* const kPass = "  b.y[i] = a.x[i] + 1u;\n";    // line 7
const char* const kCount = "  atomicAdd(a.x[0], 1u);\n";  // line 7

TEST(VulkanCommandChecks, UnwrittenMemoryIsFound) {
  HEDDLE_NEED_SHADERS();
  run_all({
      {"a buffer that nobody wrote",
       [](World& w, VkCommandBuffer c) { w.dispatch(c, kPass); },
       {"run-memory-unwritten", {"shader:7:", "'a' (set 0, binding 0", "invocation (0, 0, 0)"}}},
      {"a counter that nobody cleared",
       [](World& w, VkCommandBuffer c) { w.dispatch(c, kCount); },
       {"run-memory-unwritten", {"shader:7:", "atomic operation"}}},
      {"the part behind what was written",
       [](World& w, VkCommandBuffer c) {
         vkCmdFillBuffer(c, w.a.buffer, 0, 32, 0);
         barrier(c, kTransfer, kTransferWrites, kCompute, kReads);
         w.dispatch(c, kPass);
       },
       {"run-memory-unwritten", {"shader:7:", "invocation (8, 0, 0)"}}},
      {"a copy of memory that nobody wrote",
       [](World& w, VkCommandBuffer c) {
         w.copy(c, w.b, w.a);
         barrier(c, kTransfer, kTransferWrites, kCompute, kReads);
         w.dispatch(c, kPass);
       },
       {"run-memory-unwritten", {"shader:7:"}}},
      {"groups of an indirect dispatch",
       [](World& w, VkCommandBuffer c) {
         w.dispatch(c, "  b.y[i] = i;\n");
         vkCmdDispatchIndirect(c, w.a.buffer, 0);
       },
       {"run-memory-unwritten", {"vkCmdDispatchIndirect, command 4", "the indirect command"}}},
  });
}

TEST(VulkanCommandChecks, MissingBarriersAreFound) {
  HEDDLE_NEED_SHADERS();
  run_all({
      {"a read behind a dispatch's write",
       [](World& w, VkCommandBuffer c) {
         w.dispatch(c, kFill);
         w.dispatch(c, kPass);
       },
       {"run-barrier-missing", {"shader:7:", "read of", "write by vkCmdDispatch, command 3", "'a'"}}},
      {"a write behind a read",
       [](World& w, VkCommandBuffer c) {
         w.clear(c);
         w.dispatch(c, kPass);
         w.dispatch(c, kFill);
       },
       {"run-barrier-missing", {"shader:7:", "write of", "read by vkCmdDispatch"}}},
      {"a dispatch behind a fill",
       [](World& w, VkCommandBuffer c) {
         vkCmdFillBuffer(c, w.a.buffer, 0, VK_WHOLE_SIZE, 0);
         w.dispatch(c, kPass);
       },
       {"run-barrier-missing", {"shader:7:", "write by vkCmdFillBuffer, command 1"}}},
      {"a copy behind a dispatch",
       [](World& w, VkCommandBuffer c) {
         const VkDebugUtilsLabelEXT label{VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, nullptr, "a label", {}};
         w.v.proc<PFN_vkCmdBeginDebugUtilsLabelEXT>("vkCmdBeginDebugUtilsLabelEXT")(c, &label);
         w.name(w.a, "particles");
         w.dispatch(c, kFill);
         w.copy(c, w.a, w.staging, 64);
         w.v.proc<PFN_vkCmdEndDebugUtilsLabelEXT>("vkCmdEndDebugUtilsLabelEXT")(c);
       },
       {"run-barrier-missing",
        {"vkCmdCopyBuffer, command 5", "read of buffer 'particles'", "write by vkCmdDispatch, command 4",
         "in 'a label'"}}},
      {"a barrier of other stages",
       [](World& w, VkCommandBuffer c) {
         w.dispatch(c, kFill);
         barrier(c, kTransfer, kTransferWrites, kCompute, kReads);
         w.dispatch(c, kPass);
       },
       {"run-barrier-missing", {"shader:7:"}}},
      {"a barrier that makes nothing visible",
       [](World& w, VkCommandBuffer c) {
         w.dispatch(c, kFill);
         barrier(c, kCompute, 0, kCompute, 0);
         w.dispatch(c, kPass);
       },
       {"run-barrier-missing", {"shader:7:"}}},
      {"a barrier of another buffer",
       [](World& w, VkCommandBuffer c) {
         w.dispatch(c, kFill);
         const VkBufferMemoryBarrier b{VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
                                       nullptr,
                                       kWrites,
                                       kReads,
                                       VK_QUEUE_FAMILY_IGNORED,
                                       VK_QUEUE_FAMILY_IGNORED,
                                       w.b.buffer,
                                       0,
                                       VK_WHOLE_SIZE};
         vkCmdPipelineBarrier(c, kCompute, kCompute, 0, 0, nullptr, 1, &b, 0, nullptr);
         w.dispatch(c, kPass);
       },
       {"run-barrier-missing", {"shader:7:"}}},
      {"an indirect dispatch behind the shader that counts its groups",
       [](World& w, VkCommandBuffer c) {
         w.dispatch(c, "  if (i < 3u) a.x[i] = 1u;\n");
         barrier(c, kCompute, kWrites, kCompute, kReads);
         vkCmdDispatchIndirect(c, w.a.buffer, 0);
       },
       {"run-barrier-missing", {"vkCmdDispatchIndirect, command 5", "vkCmdDispatch, command 3"}}},
  });
}

TEST(VulkanCommandChecks, SoundCommandsSayNothing) {
  HEDDLE_NEED_SHADERS();
  run_all({
      {"each behind the last one by barriers",
       [](World& w, VkCommandBuffer c) {
         w.copy(c, w.staging, w.a);
         barrier(c, kTransfer, kTransferWrites, kCompute, kReads);
         w.dispatch(c, kPass);
         barrier(c, kCompute, kWrites, kTransfer, kTransferReads);
         w.copy(c, w.b, w.staging, 64);
       }},
      {"a barrier of this buffer",
       [](World& w, VkCommandBuffer c) {
         w.dispatch(c, kFill);
         const VkBufferMemoryBarrier b{VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
                                       nullptr,
                                       kWrites,
                                       kReads,
                                       VK_QUEUE_FAMILY_IGNORED,
                                       VK_QUEUE_FAMILY_IGNORED,
                                       w.a.buffer,
                                       0,
                                       VK_WHOLE_SIZE};
         vkCmdPipelineBarrier(c, kCompute, kCompute, 0, 0, nullptr, 1, &b, 0, nullptr);
         w.dispatch(c, kPass);
       }},
      {"a write behind a read needs execution alone",
       [](World& w, VkCommandBuffer c) {
         w.clear(c);
         w.dispatch(c, kPass);
         barrier(c, kCompute, 0, kCompute, 0);
         w.dispatch(c, kFill);
       }},
      {"a chain of two barriers",
       [](World& w, VkCommandBuffer c) {
         w.dispatch(c, kFill);
         barrier(c, kCompute, kWrites, kTransfer, kTransferReads);
         barrier(c, kTransfer, 0, kCompute, kReads);
         w.dispatch(c, kPass);
       }},
      {"halves of their own",
       [](World& w, VkCommandBuffer c) {
         w.dispatch(c, kFill);
         w.dispatch(c, "  a.x[16u + i] = i;\n");
       }},
      {"atomic operations of two dispatches",
       [](World& w, VkCommandBuffer c) {
         w.clear(c);
         w.dispatch(c, kCount, 4);
         w.dispatch(c, kCount, 4);
       }},
      {"two that read",
       [](World& w, VkCommandBuffer c) {
         w.clear(c);
         w.dispatch(c, "  if (a.x[i] == 1u) b.y[i] = 1u;\n");
         w.dispatch(c, "  if (a.x[i] == 2u) b.y[i] = 2u;\n");
       }},
      {"groups that a shader counted",
       [](World& w, VkCommandBuffer c) {
         w.dispatch(c, "  if (i < 3u) a.x[i] = 1u;\n  b.y[i] = 0u;\n");
         barrier(c, kCompute, kWrites, VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT | kCompute,
                 VK_ACCESS_INDIRECT_COMMAND_READ_BIT | kWrites);
         vkCmdDispatchIndirect(c, w.a.buffer, 0);
       }},
      {"a block whose padding nobody wrote",
       [](World& w, VkCommandBuffer c) {
         const std::uint32_t one = 1;
         for (const VkDeviceSize offset : {0, 16, 20, 24, 32}) vkCmdUpdateBuffer(c, w.a.buffer, offset, 4, &one);
         barrier(c, kTransfer, kTransferWrites, kCompute, VK_ACCESS_UNIFORM_READ_BIT);
         w.dispatch_block(c);
       }},
      {"an event between them",
       [](World& w, VkCommandBuffer c) {
         const VkEventCreateInfo info{VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
         VkEvent event = VK_NULL_HANDLE;
         ASSERT_EQ(vkCreateEvent(w.v.device, &info, nullptr, &event), VK_SUCCESS);
         w.v.later([d = w.v.device, event] { vkDestroyEvent(d, event, nullptr); });
         w.dispatch(c, kFill);
         vkCmdSetEvent(c, event, kCompute);
         const VkMemoryBarrier b{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, kWrites, kReads};
         vkCmdWaitEvents(c, 1, &event, kCompute, kCompute, 1, &b, 0, nullptr, 0, nullptr);
         w.dispatch(c, kPass);
       }},
  });
}

TEST(VulkanCommandChecks, SubmissionsThatWereWaitedForAreOrdered) {
  HEDDLE_NEED_SHADERS();
  World w;
  for (const char* body : {kFill, kPass, kFill})
    ASSERT_EQ(w.v.run([&](VkCommandBuffer c) { w.dispatch(c, body); }), VK_SUCCESS);
  expect_found(w.v.messages, {});
}

TEST(VulkanCommandChecks, MorePiecesThanAreWatchedAreSaid) {
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr)
    GTEST_SKIP() << "the layer compares each region with each other";
  const ChecksOn on;
  VulkanDevice v;
  v.expects_messages = true;
  constexpr std::uint32_t kPieces = (1u << 20) + 16;
  const VulkanDevice::Buffer from = v.buffer(64), to = device_buffer(v, std::uint64_t{8} * kPieces);
  std::vector<VkBufferCopy> regions(kPieces);
  for (std::uint32_t k = 0; k < kPieces; ++k) regions[k] = {0, std::uint64_t{8} * k, 4};
  EXPECT_EQ(v.run([&](VkCommandBuffer c) { vkCmdCopyBuffer(c, from.buffer, to.buffer, kPieces, regions.data()); }),
            VK_SUCCESS);
  expect_found(v.messages, {"run-barrier-unwatched", {"vkCmdCopyBuffer, command 1"}});
}

// --- images ---

/// A colour image of 8 x 8 texels that is not in any layout yet, unlike those of VulkanDevice.
VkImage fresh_image(VulkanDevice& v) {
  VkImageCreateInfo info = VulkanDevice::image_info(VK_FORMAT_R8G8B8A8_UNORM, 8, 8);
  VkImage image = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateImage(v.device, &info, nullptr, &image), VK_SUCCESS);
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(v.device, image, &needs);
  const VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, needs.size, 0};
  VkDeviceMemory memory = VK_NULL_HANDLE;
  EXPECT_EQ(vkAllocateMemory(v.device, &allocate, nullptr, &memory), VK_SUCCESS);
  EXPECT_EQ(vkBindImageMemory(v.device, image, memory, 0), VK_SUCCESS);
  v.later([d = v.device, image, memory] {
    vkDestroyImage(d, image, nullptr);
    vkFreeMemory(d, memory, nullptr);
  });
  return image;
}

VkBufferImageCopy whole_image() {
  VkBufferImageCopy region{};
  region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  region.imageExtent = {8, 8, 1};
  return region;
}

TEST(VulkanCommandChecks, LayoutsThatDisagreeAreFound) {
  HEDDLE_NEED_SHADERS();
  constexpr VkImageLayout kTarget = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                          kSource = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, kNone = VK_IMAGE_LAYOUT_UNDEFINED;
  const VkBufferImageCopy region = whole_image();
  run_all({
      {"a copy into an image in no layout",
       [&](World& w, VkCommandBuffer c) {
         vkCmdCopyBufferToImage(c, w.staging.buffer, fresh_image(w.v), kTarget, 1, &region);
       },
       {"run-image-layout",
        {"vkCmdCopyBufferToImage, command 1", "in the layout UNDEFINED", "dstImageLayout says TRANSFER_DST_OPTIMAL"}}},
      {"a copy out of a target",
       [&](World& w, VkCommandBuffer c) {
         VkImage image = fresh_image(w.v);
         change_layout(c, image, kNone, kTarget);
         vkCmdCopyBufferToImage(c, w.staging.buffer, image, kTarget, 1, &region);
         barrier(c, kTransfer, kTransferWrites, kTransfer, kTransferReads | kTransferWrites);
         vkCmdCopyImageToBuffer(c, image, kSource, w.staging.buffer, 1, &region);
       },
       {"run-image-layout", {"vkCmdCopyImageToBuffer, command 4", "in the layout TRANSFER_DST_OPTIMAL"}}},
      {"a barrier from another layout",
       [&](World& w, VkCommandBuffer c) {
         VkImage image = fresh_image(w.v);
         change_layout(c, image, kNone, kTarget);
         change_layout(c, image, VK_IMAGE_LAYOUT_GENERAL, kSource);
       },
       {"run-image-layout", {"vkCmdPipelineBarrier, command 2", "oldLayout says GENERAL"}}},
      {"layouts that fit",
       [&](World& w, VkCommandBuffer c) {
         VkImage image = fresh_image(w.v);
         change_layout(c, image, kNone, kTarget);
         vkCmdCopyBufferToImage(c, w.staging.buffer, image, kTarget, 1, &region);
         change_layout(c, image, kTarget, kSource);
         barrier(c, kTransfer, 0, kTransfer, 0);
         vkCmdCopyImageToBuffer(c, image, kSource, w.staging.buffer, 1, &region);
       }},
  });
}

}  // namespace
}  // namespace heddle::test
