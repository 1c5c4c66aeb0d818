// SPDX-License-Identifier: MIT
// The sanitizer looks at transfers: the stages of fills, results of queries, what copies pass on.
// Rules: run-memory-unwritten, run-barrier-missing.

#include "vulkan/command_world.hpp"

namespace heddle::test {
namespace {

/// A barrier that names the stages of Vulkan 1.3.
void barrier2(World& w, VkCommandBuffer c, VkPipelineStageFlags2 from, VkPipelineStageFlags2 to) {
  VkMemoryBarrier2 b{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
  b.srcStageMask = from;
  b.srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT;
  b.dstStageMask = to;
  b.dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT;
  VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
  info.memoryBarrierCount = 1;
  info.pMemoryBarriers = &b;
  w.v.proc<PFN_vkCmdPipelineBarrier2>("vkCmdPipelineBarrier2KHR")(c, &info);
}

// Fills and updates of buffers are clears as well as copies.
TEST(VulkanCommandChecks, FillsAreOrderedByEitherStage) {
  HEDDLE_NEED_SHADERS();
  const std::uint32_t word = 1;
  for (const VkPipelineStageFlags2 stage : {VK_PIPELINE_STAGE_2_CLEAR_BIT, VK_PIPELINE_STAGE_2_COPY_BIT})
    run_all({{"a fill, an update, a shader", [&](World& w, VkCommandBuffer c) {
                vkCmdFillBuffer(c, w.a.buffer, 0, VK_WHOLE_SIZE, 0);
                barrier2(w, c, stage, stage);
                vkCmdUpdateBuffer(c, w.a.buffer, 0, 4, &word);
                barrier2(w, c, stage, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT);
                w.dispatch(c, kPass);
              }}});
  run_all({{"the stage of blits",
            [](World& w, VkCommandBuffer c) {
              vkCmdFillBuffer(c, w.a.buffer, 0, VK_WHOLE_SIZE, 0);
              barrier2(w, c, VK_PIPELINE_STAGE_2_BLIT_BIT, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT);
              w.dispatch(c, kPass);
            },
            {"run-barrier-missing", {"write by vkCmdFillBuffer, command 1"}}}});
}

/// The time as a result of a query, 8 bytes at the start of `a`.
void copy_results(World& w, VkCommandBuffer c) {
  VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = 2;
  VkQueryPool pool = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateQueryPool(w.v.device, &info, nullptr, &pool), VK_SUCCESS);
  w.v.later([d = w.v.device, pool] { vkDestroyQueryPool(d, pool, nullptr); });
  vkCmdResetQueryPool(c, pool, 0, 2);
  vkCmdWriteTimestamp(c, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 0);
  // The second one is not available: its bytes stay unwritten.
  vkCmdCopyQueryPoolResults(c, pool, 0, 2, w.a.buffer, 0, 8, VK_QUERY_RESULT_64_BIT);
}

TEST(VulkanCommandChecks, ResultsOfQueriesAreLookedAt) {
  HEDDLE_NEED_SHADERS();
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) GTEST_SKIP() << "the layer wants the queries to have ended";
  const auto ordered = [](World& w, VkCommandBuffer c, const std::string& body) {
    copy_results(w, c);
    barrier(c, kTransfer, kTransferWrites, kCompute, kReads);
    w.dispatch(c, body);
  };
  run_all({
      {"results without a barrier",
       [](World& w, VkCommandBuffer c) {
         copy_results(w, c);
         w.dispatch(c, "  if (i < 2u) b.y[i] = a.x[i];\n");
       },
       {"run-barrier-missing", {"write by vkCmdCopyQueryPoolResults"}}},
      {"what results do not take",
       [&](World& w, VkCommandBuffer c) { ordered(w, c, kPass); },
       {"run-memory-unwritten", {"invocation (2, 0, 0)"}}},
      {"results behind a barrier",
       [&](World& w, VkCommandBuffer c) { ordered(w, c, "  if (i < 2u) b.y[i] = a.x[i];\n"); }},
  });
}

// Copies pass on byte by byte what was written, whatever the two places are in their words and pages.
TEST(VulkanCommandChecks, CopiesPassOnWhatWasWritten) {
  HEDDLE_NEED_SHADERS();
  const auto copied = [](VkDeviceSize shift, const std::string& body) {
    return [shift, body](World& w, VkCommandBuffer c) {
      constexpr VkDeviceSize kSize = 3 * 4096;
      const VulkanDevice::Buffer from = device_buffer(w.v, kSize), to = device_buffer(w.v, 2 * kSize);
      vkCmdFillBuffer(c, from.buffer, 4000, 196, 0);  // over the end of a page
      barrier(c, kTransfer, kTransferWrites, kTransfer, kTransferReads | kTransferWrites);
      const VkBufferCopy all{0, shift, kSize}, part{shift + 4000 - 5, 0, 206};
      vkCmdCopyBuffer(c, from.buffer, to.buffer, 1, &all);
      barrier(c, kTransfer, kTransferWrites, kTransfer, kTransferReads | kTransferWrites);
      vkCmdFillBuffer(c, w.a.buffer, 0, VK_WHOLE_SIZE, 0);
      barrier(c, kTransfer, kTransferWrites, kTransfer, kTransferWrites);
      vkCmdCopyBuffer(c, to.buffer, w.a.buffer, 1, &part);  // bytes 5 to 200 of 206 are written
      barrier(c, kTransfer, kTransferWrites, kCompute, kReads);
      w.dispatch(c, body);
    };
  };
  for (const VkDeviceSize shift : {0, 1, 63, 64, 4093}) {
    SCOPED_TRACE(shift);
    run_all({
        {"what was written", copied(shift, "  for (uint k = 2u + i; k < 50u; k += 16u) b.y[k] = a.x[k];\n")},
        {"what lies behind the rest", copied(shift, "  if (i == 0u) b.y[0] = a.x[52];\n")},
        {"the word before", copied(shift, "  if (i == 0u) b.y[0] = a.x[1];\n"), {"run-memory-unwritten", {}}},
        {"the word behind", copied(shift, "  if (i == 0u) b.y[0] = a.x[50];\n"), {"run-memory-unwritten", {}}},
    });
  }
}

}  // namespace
}  // namespace heddle::test
