// SPDX-License-Identifier: MIT
// The sanitizer looks from command to command: memory that nobody has written, missing barriers, layouts of images.
// Rules: run-memory-unwritten, run-barrier-missing, run-barrier-unwatched, run-image-layout.

#include "vulkan/command_world.hpp"

namespace heddle::test {
namespace {

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

TEST(VulkanCommandChecks, SecondaryBuffersCountTheirOwnCommands) {
  HEDDLE_NEED_SHADERS();
  run_all({{"a copy behind a secondary buffer",
            [](World& w, VkCommandBuffer c) {
              const VkCommandBuffer second = w.v.commands(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
              const VkCommandBufferInheritanceInfo inherits{VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
              const VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr,
                                                  VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, &inherits};
              ASSERT_EQ(vkBeginCommandBuffer(second, &info), VK_SUCCESS);
              for (const VkDeviceSize at : {0, 64, 128}) vkCmdFillBuffer(second, w.b.buffer, at, 64, 0);
              ASSERT_EQ(vkEndCommandBuffer(second), VK_SUCCESS);
              vkCmdExecuteCommands(c, 1, &second);
              vkCmdFillBuffer(c, w.a.buffer, 0, VK_WHOLE_SIZE, 0);
              w.copy(c, w.a, w.staging, 64);
            },
            {"run-barrier-missing", {"vkCmdCopyBuffer, command 3", "write by vkCmdFillBuffer, command 2"}}}});
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

TEST(VulkanCommandChecks, ShadersSayThatTooManyPiecesAreWatched) {
  HEDDLE_NEED_SHADERS();
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr)
    GTEST_SKIP() << "the layer compares each region with each other";
  setenv("HEDDLE_TIME_LIMIT", "100", 1);  // a million pieces take 10 seconds under AddressSanitizer
  World w;
  unsetenv("HEDDLE_TIME_LIMIT");
  constexpr std::uint32_t kPieces = (1u << 20) - 1;  // and one that is read: what the map has room for
  const VulkanDevice::Buffer to = device_buffer(w.v, std::uint64_t{8} * kPieces);
  std::vector<VkBufferCopy> regions(kPieces);
  for (std::uint32_t k = 0; k < kPieces; ++k) regions[k] = {0, std::uint64_t{8} * k, 4};
  EXPECT_EQ(w.v.run([&](VkCommandBuffer c) {
    vkCmdCopyBuffer(c, w.staging.buffer, to.buffer, kPieces, regions.data());
    w.dispatch(c, kFill);
  }),
            VK_SUCCESS);
  expect_found(w.v.messages, {"run-barrier-unwatched", {"vkCmdDispatch, command 4"}});
}

// --- images ---

/// A color image of 8 x 8 texels that is not in any layout yet, unlike those of VulkanDevice.
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

// A barrier of some levels and layers orders those alone.
TEST(VulkanCommandChecks, BarriersOfPartsOfImages) {
  const auto cleared = [](std::uint32_t level, std::uint32_t layer, VkImageSubresourceRange part) {
    return [=](World& w, VkCommandBuffer c) {
      VkImageCreateInfo info = VulkanDevice::image_info(VK_FORMAT_R8G8B8A8_UNORM, 8, 8);
      info.mipLevels = 3;
      info.arrayLayers = 4;
      const VulkanDevice::Image image = w.v.image(info);
      const VkClearColorValue value{};
      const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 3, 0, 4};
      vkCmdClearColorImage(c, image.image, VK_IMAGE_LAYOUT_GENERAL, &value, 1, &all);
      VkImageMemoryBarrier b{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
      b.srcAccessMask = kTransferWrites;
      b.dstAccessMask = kTransferReads;
      b.oldLayout = b.newLayout = VK_IMAGE_LAYOUT_GENERAL;
      b.srcQueueFamilyIndex = b.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
      b.image = image.image;
      b.subresourceRange = part;
      vkCmdPipelineBarrier(c, kTransfer, kTransfer, 0, 0, nullptr, 0, nullptr, 1, &b);
      const VkBufferImageCopy region{0, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, level, layer, 1}, {0, 0, 0}, {2, 2, 1}};
      vkCmdCopyImageToBuffer(c, image.image, VK_IMAGE_LAYOUT_GENERAL, w.staging.buffer, 1, &region);
    };
  };
  const Expected missing{"run-barrier-missing", {"vkCmdCopyImageToBuffer", "write by vkCmdClearColorImage"}};
  const VkImageAspectFlags color = VK_IMAGE_ASPECT_COLOR_BIT;
  run_all({
      {"the whole image", cleared(2, 3, {color, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS})},
      {"two levels", cleared(2, 0, {color, 1, 2, 0, 4})},
      {"another level", cleared(0, 3, {color, 1, 2, 0, 4}), missing},
      {"two layers of two levels", cleared(1, 2, {color, 0, 2, 1, 2})},
      {"another layer", cleared(0, 3, {color, 0, 2, 1, 2}), missing},
      {"the first layer of the next level", cleared(1, 0, {color, 0, 2, 1, 2}), missing},
  });
}

}  // namespace
}  // namespace heddle::test
