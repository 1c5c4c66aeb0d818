// SPDX-License-Identifier: MIT
// Dispatches, draws and queries without what they need.

#include <array>
#include <limits>

#include "vulkan/mistakes.hpp"

namespace heddle::test {
namespace {

const Mistake kMistakes[] = {
    // Dispatches.
    {"DispatchWithoutPipeline", [](Things&, VkCommandBuffer b) { vkCmdDispatch(b, 1, 1, 1); }},
    {"DispatchWithoutSets",
     [](Things& t, VkCommandBuffer b) {
       vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_COMPUTE, t.compute);
       vkCmdDispatch(b, 1, 1, 1);
     }},
    {"DispatchWithUnwrittenSets",
     [](Things& t, VkCommandBuffer b) {
       vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_COMPUTE, t.compute);
       bind_set(t, b, VK_PIPELINE_BIND_POINT_COMPUTE);
       vkCmdDispatch(b, 1, 1, 1);
     }},
    {"DispatchWithANullSet",
     [](Things& t, VkCommandBuffer b) {
       const VkDescriptorSet none = VK_NULL_HANDLE;
       vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_COMPUTE, t.compute);
       vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_COMPUTE, t.layout, 0, 1, &none, 0, nullptr);
       vkCmdDispatch(b, 1, 1, 1);
     }},
    {"DispatchWithAnotherLayoutsSet",
     [](Things& t, VkCommandBuffer b) {
       const auto other = t.v.set_layout({{3, VK_DESCRIPTOR_TYPE_SAMPLER}});
       const auto set = t.v.set(other, {{3, VK_DESCRIPTOR_TYPE_SAMPLER}});
       vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_COMPUTE, t.compute);
       vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_COMPUTE, t.layout, 0, 1, &set, 0, nullptr);
       vkCmdDispatch(b, 1, 1, 1);
     }},
    {"SetsBeyondTheLayout",
     [](Things& t, VkCommandBuffer b) {
       const std::array<VkDescriptorSet, 3> sets{t.set, t.set, t.set};
       vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_COMPUTE, t.layout, 0, 3, sets.data(), 0, nullptr);
       vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_COMPUTE, t.layout, 1000, 3, sets.data(), 0, nullptr);
       vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_COMPUTE, t.layout, UINT32_MAX, 1, sets.data(), 0, nullptr);
     }},
    {"BuffersWithoutMemoryInSets",
     [](Things& t, VkCommandBuffer b) {
       VulkanDevice::Buffer bare;
       bare.buffer = t.unbound;
       t.v.write(t.set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, bare);
       vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_COMPUTE, t.compute);
       bind_set(t, b, VK_PIPELINE_BIND_POINT_COMPUTE);
       vkCmdDispatch(b, 1, 1, 1);
     }},
    {"RangesBeyondTheBufferInSets",
     [](Things& t, VkCommandBuffer b) {
       t.v.write(t.set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, t.small, kFar, VK_WHOLE_SIZE);
       t.v.write(t.set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, t.small, 0, kFar);
       vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_COMPUTE, t.compute);
       bind_set(t, b, VK_PIPELINE_BIND_POINT_COMPUTE);
       vkCmdDispatch(b, 1, 1, 1);
     }},
    {"UpdatesBeyondTheLayout",
     [](Things& t, VkCommandBuffer) {
       t.v.write(t.set, 9, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, t.small);
       t.v.write(t.set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, t.small, 0, VK_WHOLE_SIZE, 1000000);
       t.v.write(t.set, 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_NULL_HANDLE, VK_NULL_HANDLE);
       t.v.write(t.set, 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_NULL_HANDLE, VK_NULL_HANDLE);
       VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
       write.dstSet = t.set;
       write.descriptorCount = 1;
       write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
       vkUpdateDescriptorSets(t.v.device, 1, &write, 0, nullptr);
       write.dstSet = VK_NULL_HANDLE;
       vkUpdateDescriptorSets(t.v.device, 1, &write, 0, nullptr);
       VkCopyDescriptorSet copied{VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET};
       copied.srcSet = copied.dstSet = t.set;
       copied.dstBinding = 7;
       copied.descriptorCount = 100000;
       vkUpdateDescriptorSets(t.v.device, 0, nullptr, 1, &copied);
     }},
    {"IndirectBeyond",
     [](Things& t, VkCommandBuffer b) {
       vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_COMPUTE, t.compute);
       bind_set(t, b, VK_PIPELINE_BIND_POINT_COMPUTE);
       vkCmdDispatchIndirect(b, t.small.buffer, 60);
       vkCmdDispatchIndirect(b, t.small.buffer, kFar);
       vkCmdDispatchIndirect(b, t.unbound, 0);
       vkCmdDispatchIndirect(b, VK_NULL_HANDLE, 0);
     }},
    {"PushConstantsBeyond",
     [](Things& t, VkCommandBuffer b) {
       const std::array<std::uint32_t, 256> words{};
       vkCmdPushConstants(b, t.layout, VK_SHADER_STAGE_COMPUTE_BIT, 128, sizeof words, words.data());
       vkCmdPushConstants(b, t.layout, VK_SHADER_STAGE_COMPUTE_BIT, UINT32_MAX - 3, 16, words.data());
     }},
    // Draws.
    {"DrawWithoutPipeline", [](Things& t, VkCommandBuffer b) { t.render(b, [&] { vkCmdDraw(b, 3, 1, 0, 0); }); }},
    {"DrawOutsideRendering",
     [](Things& t, VkCommandBuffer b) {
       bind(b, t.covering);
       vkCmdDraw(b, 3, 1, 0, 0);
     }},
    {"DrawWithoutBuffers",
     [](Things& t, VkCommandBuffer b) {
       t.render(b, [&] {
         bind(b, t.draw);
         vkCmdDraw(b, 3, 1, 0, 0);
         vkCmdDrawIndexed(b, 3, 1, 0, 0, 0);
       });
     }},
    {"DrawFromBuffersWithoutMemory",
     [](Things& t, VkCommandBuffer b) {
       const VkDeviceSize zero = 0;
       t.render(b, [&] {
         bind(b, t.draw);
         vkCmdBindVertexBuffers(b, 0, 1, &t.unbound, &zero);
         vkCmdBindIndexBuffer(b, t.unbound, 0, VK_INDEX_TYPE_UINT32);
         vkCmdDrawIndexed(b, 3, 1, 0, 0, 0);
         vkCmdDrawIndirect(b, t.unbound, 0, 1, 16);
       });
     }},
    {"DrawBeyondTheBuffers",
     [](Things& t, VkCommandBuffer b) {
       const std::array<VkDeviceSize, 2> offsets{kFar, 60};
       const std::array<VkBuffer, 2> buffers{t.small.buffer, t.small.buffer};
       t.render(b, [&] {
         bind(b, t.draw);
         vkCmdBindVertexBuffers(b, 0, 2, buffers.data(), offsets.data());
         vkCmdBindVertexBuffers(b, UINT32_MAX, 2, buffers.data(), offsets.data());
         vkCmdDraw(b, 3, 1, UINT32_MAX - 1, UINT32_MAX);
         vkCmdBindIndexBuffer(b, t.small.buffer, kFar, VK_INDEX_TYPE_UINT32);
         vkCmdDrawIndexed(b, 3, 1, UINT32_MAX - 1, INT32_MIN, 0);
         vkCmdBindIndexBuffer(b, t.small.buffer, 62, VK_INDEX_TYPE_UINT16);
         vkCmdDrawIndexed(b, 300, 1, 0, INT32_MAX, 0);
       });
     }},
    {"IndirectDrawsBeyond",
     [](Things& t, VkCommandBuffer b) {
       t.render(b, [&] {
         bind(b, t.covering);
         vkCmdDrawIndirect(b, t.small.buffer, 56, 4, 16);
         vkCmdDrawIndirect(b, t.small.buffer, kFar, 1, 16);
         vkCmdDrawIndirect(b, t.small.buffer, 0, UINT32_MAX, UINT32_MAX);
         vkCmdDrawIndirect(b, t.small.buffer, 0, 3, 0);
         vkCmdDrawIndexedIndirect(b, t.small.buffer, 0, 1, 20);
         vkCmdDrawIndirect(b, VK_NULL_HANDLE, 0, 1, 16);
       });
     }},
    {"ClearsOfAttachmentsBeyond",
     [](Things& t, VkCommandBuffer b) {
       t.render(b, [&] {
         const VkClearAttachment clears[] = {{VK_IMAGE_ASPECT_COLOR_BIT, 0, {}},
                                             {VK_IMAGE_ASPECT_COLOR_BIT, 9, {}},
                                             {VK_IMAGE_ASPECT_STENCIL_BIT, 0, {}},
                                             {VK_IMAGE_ASPECT_DEPTH_BIT, 0, {}}};
         const VkClearRect rects[] = {{{{-5, -5}, {900, 900}}, 0, 9},
                                      {{{INT32_MAX, INT32_MAX}, {UINT32_MAX, UINT32_MAX}}, UINT32_MAX, 3},
                                      {{{2, 2}, {0, 0}}, 0, 0}};
         vkCmdClearAttachments(b, 4, clears, 3, rects);
       });
     }},
    {"StrangeDynamicState",
     [](Things& t, VkCommandBuffer b) {
       const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
       const VkViewport viewports[] = {{nan, nan, nan, nan, nan, nan},
                                       {0, 0, inf, inf, -inf, inf},
                                       {-1e38f, 1e38f, 1e38f, -1e38f, 5, -5},
                                       {0, 0, 0, 0, 0, 0}};
       const VkRect2D scissors[] = {{{INT32_MIN, INT32_MIN}, {UINT32_MAX, UINT32_MAX}},
                                    {{INT32_MAX, INT32_MAX}, {UINT32_MAX, UINT32_MAX}},
                                    {{-3, -3}, {2, 2}}};
       t.render(b, [&] {
         bind(b, t.dynamic);
         vkCmdDraw(b, 3, 1, 0, 0);  // nothing was set
         for (const VkViewport& v : viewports)
           for (const VkRect2D& s : scissors) {
             vkCmdSetViewport(b, 0, 1, &v);
             vkCmdSetScissor(b, 0, 1, &s);
             vkCmdSetLineWidth(b, nan);
             vkCmdSetDepthBias(b, nan, inf, -inf);
             vkCmdSetBlendConstants(b, std::array{nan, inf, -inf, 0.0f}.data());
             vkCmdDraw(b, 3, 1, 0, 0);
           }
         vkCmdSetViewport(b, 15, 3, viewports);
         vkCmdSetScissor(b, UINT32_MAX, 3, scissors);
       });
     }},
    {"RenderingBeyondTheAttachments",
     [](Things& t, VkCommandBuffer b) {
       t.c.width = t.c.height = 10000;
       t.render(b, [&] {
         bind(b, t.covering);
         vkCmdDraw(b, 3, 1, 0, 0);
       });
       t.c.width = t.c.height = 8;
     }},
    {"RenderingOfNothing",
     [](Things& t, VkCommandBuffer b) {
       VkRenderingAttachmentInfo none{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
       VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
       info.renderArea = {{-7, 3}, {UINT32_MAX, UINT32_MAX}};
       info.layerCount = 0;
       info.colorAttachmentCount = 1;
       info.pColorAttachments = &none;
       info.pDepthAttachment = &none;
       t.v.proc<PFN_vkCmdBeginRenderingKHR>("vkCmdBeginRendering")(b, &info);
       bind(b, t.covering);
       vkCmdDraw(b, 3, 1, 0, 0);
       t.v.proc<PFN_vkCmdEndRenderingKHR>("vkCmdEndRendering")(b);
     }},
    {"EndsWithoutBeginnings",
     [](Things& t, VkCommandBuffer b) {
       t.v.proc<PFN_vkCmdEndRenderingKHR>("vkCmdEndRendering")(b);
       vkCmdEndRenderPass(b);
       vkCmdNextSubpass(b, VK_SUBPASS_CONTENTS_INLINE);
       vkCmdEndQuery(b, t.occlusion, 0);
     }},
    // Queries.
    {"QueriesBeyondTheirPool",
     [](Things& t, VkCommandBuffer b) {
       vkCmdResetQueryPool(b, t.occlusion, 1, 900);
       vkCmdResetQueryPool(b, t.occlusion, UINT32_MAX, 2);
       vkCmdBeginQuery(b, t.occlusion, 9, 0);
       vkCmdEndQuery(b, t.occlusion, 9);
       vkCmdWriteTimestamp(b, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, t.times, 77);
       vkCmdCopyQueryPoolResults(b, t.occlusion, 0, 90, t.small.buffer, 0, 8, VK_QUERY_RESULT_64_BIT);
       vkCmdCopyQueryPoolResults(b, t.occlusion, 0, 2, t.small.buffer, 60, 8, VK_QUERY_RESULT_64_BIT);
       vkCmdCopyQueryPoolResults(b, t.occlusion, 0, 2, t.small.buffer, kFar, kFar, 0);
       vkCmdCopyQueryPoolResults(b, t.occlusion, UINT32_MAX, 2, t.unbound, 0, 8, 0);
       std::array<std::uint64_t, 4> words{};
       (void)vkGetQueryPoolResults(t.v.device, t.occlusion, 1, 50, sizeof words, words.data(), 8,
                                   VK_QUERY_RESULT_64_BIT);
       (void)vkGetQueryPoolResults(t.v.device, t.occlusion, UINT32_MAX, 2, sizeof words, words.data(), 8, 0);
       (void)vkGetQueryPoolResults(t.v.device, t.occlusion, 0, 2, 4, words.data(), 8, VK_QUERY_RESULT_64_BIT);
     }},
};

class VulkanDrawMistakes : public Mistakes {};
TEST_P(VulkanDrawMistakes, DoNoHarm) { do_no_harm(); }

INSTANTIATE_TEST_SUITE_P(All, VulkanDrawMistakes, testing::ValuesIn(kMistakes), mistake_name);

}  // namespace
}  // namespace heddle::test
