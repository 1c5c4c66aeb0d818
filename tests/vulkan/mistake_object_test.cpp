// SPDX-License-Identifier: MIT
// Objects that are made, bound and executed wrongly.

#include <array>
#include <limits>

#include "vulkan/mistakes.hpp"

namespace heddle::test {
namespace {

const Mistake kMistakes[] = {
    // Command buffers and memory.
    {"NothingIsExecuted",
     [](Things& t, VkCommandBuffer b) {
       const VkCommandBuffer never = t.v.commands(VK_COMMAND_BUFFER_LEVEL_SECONDARY), none = VK_NULL_HANDLE;
       vkCmdExecuteCommands(b, 1, &never);
       vkCmdExecuteCommands(b, 1, &none);
       vkCmdExecuteCommands(b, 1, &b);
     }},
    {"NothingIsSubmitted",
     [](Things& t, VkCommandBuffer) {
       const VkCommandBuffer buffers[] = {VK_NULL_HANDLE, t.v.commands(VK_COMMAND_BUFFER_LEVEL_SECONDARY)};
       VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
       info.commandBufferCount = 2;
       info.pCommandBuffers = buffers;
       (void)vkQueueSubmit(t.v.queue, 1, &info, VK_NULL_HANDLE);
       (void)vkQueueWaitIdle(t.v.queue);
     }},
    {"BarriersOfNothing",
     [](Things&, VkCommandBuffer b) {
       VkImageMemoryBarrier image{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
       image.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
       VkBufferMemoryBarrier buffer{VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER};
       buffer.size = VK_WHOLE_SIZE;
       vkCmdPipelineBarrier(b, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 1,
                            &buffer, 1, &image);
     }},
    {"ADepthViewIsNoColor",
     [](Things& t, VkCommandBuffer b) {
       VkRenderingAttachmentInfo color{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
       color.imageView = t.c.depth.view;
       color.imageLayout = kGeneral;
       VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
       info.renderArea = {{0, 0}, {8, 8}};
       info.layerCount = info.colorAttachmentCount = 1;
       info.pColorAttachments = &color;
       t.v.proc<PFN_vkCmdBeginRenderingKHR>("vkCmdBeginRendering")(b, &info);
       bind(b, t.covering);
       vkCmdDraw(b, 3, 1, 0, 0);
       t.v.proc<PFN_vkCmdEndRenderingKHR>("vkCmdEndRendering")(b);
     }},
    {"CommandsThatNeverBegan",
     [](Things& t, VkCommandBuffer) {
       const VkCommandBuffer never = t.v.commands();
       VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
       info.commandBufferCount = 1;
       info.pCommandBuffers = &never;
       (void)vkQueueSubmit(t.v.queue, 1, &info, VK_NULL_HANDLE);
       (void)vkEndCommandBuffer(never);
       vkCmdDispatch(never, 1, 1, 1);
       (void)vkQueueSubmit(t.v.queue, 1, &info, VK_NULL_HANDLE);
       (void)vkQueueWaitIdle(t.v.queue);
     }},
    {"MapsBeyond",
     [](Things& t, VkCommandBuffer) {
       void* at = nullptr;
       VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, 4096, 0};
       VkDeviceMemory memory = VK_NULL_HANDLE;
       EXPECT_EQ(vkAllocateMemory(t.v.device, &info, nullptr, &memory), VK_SUCCESS);
       EXPECT_NE(vkMapMemory(t.v.device, memory, kFar, VK_WHOLE_SIZE, 0, &at), VK_SUCCESS);
       EXPECT_NE(vkMapMemory(t.v.device, memory, 0, kFar, 0, &at), VK_SUCCESS);
       vkUnmapMemory(t.v.device, memory);
       (void)vkBindBufferMemory(t.v.device, t.unbound, memory, kFar);
       (void)vkBindBufferMemory(t.v.device, t.unbound, VK_NULL_HANDLE, 0);
       (void)vkBindImageMemory(t.v.device, t.unbound_image, memory, kFar);
       const VkMappedMemoryRange range{VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, nullptr, memory, kFar, kFar};
       (void)vkFlushMappedMemoryRanges(t.v.device, 1, &range);
       info.memoryTypeIndex = 17;
       VkDeviceMemory other = VK_NULL_HANDLE;
       (void)vkAllocateMemory(t.v.device, &info, nullptr, &other);
       vkFreeMemory(t.v.device, other, nullptr);
       vkFreeMemory(t.v.device, memory, nullptr);
     }},
    {"ViewsBeyondTheImage",
     [](Things& t, VkCommandBuffer b) {
       VkImageViewCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
       info.image = t.image;
       info.viewType = VK_IMAGE_VIEW_TYPE_2D;
       info.format = VK_FORMAT_R8G8B8A8_UNORM;
       const VkImageSubresourceRange ranges[] = {
           {VK_IMAGE_ASPECT_COLOR_BIT, 5, 1, 0, 1}, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 9, 0, 1},
           {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 7, 1}, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 1, 9},
           {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 0, 0}, {VK_IMAGE_ASPECT_COLOR_BIT, UINT32_MAX, 2, UINT32_MAX, 2}};
       const VkSampler sampler = t.v.sampler(VK_FILTER_LINEAR);
       t.v.write(t.set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, t.small);
       for (const VkImageViewType type : {VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_VIEW_TYPE_CUBE, VK_IMAGE_VIEW_TYPE_3D,
                                          VK_IMAGE_VIEW_TYPE_2D_ARRAY, VK_IMAGE_VIEW_TYPE_1D})
         for (const VkImageSubresourceRange& range : ranges) {
           info.viewType = type;
           info.subresourceRange = range;
           VkImageView view = VK_NULL_HANDLE;
           if (vkCreateImageView(t.v.device, &info, nullptr, &view) != VK_SUCCESS) continue;
           t.v.later([device = t.v.device, view] { vkDestroyImageView(device, view, nullptr); });
           t.v.write(t.set, 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, view, sampler);
           const VkCommandBuffer own = t.v.commands();
           t.v.begin(own);
           vkCmdBindPipeline(own, VK_PIPELINE_BIND_POINT_COMPUTE, t.compute);
           bind_set(t, own, VK_PIPELINE_BIND_POINT_COMPUTE);
           vkCmdDispatch(own, 1, 1, 1);
           (void)t.v.submit(own);
         }
       (void)b;
     }},
    {"ViewsOfOtherFormats",
     [](Things& t, VkCommandBuffer) {
       VkImageViewCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
       info.image = t.image;
       info.viewType = VK_IMAGE_VIEW_TYPE_2D;
       info.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
       const VkSampler sampler = t.v.sampler(VK_FILTER_LINEAR);
       t.v.write(t.set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, t.small);
       for (const VkFormat format : {VK_FORMAT_UNDEFINED, VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_BC7_UNORM_BLOCK,
                                     VK_FORMAT_D32_SFLOAT, VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, VK_FORMAT_MAX_ENUM}) {
         info.format = format;
         VkImageView view = VK_NULL_HANDLE;
         if (vkCreateImageView(t.v.device, &info, nullptr, &view) != VK_SUCCESS) continue;
         t.v.later([device = t.v.device, view] { vkDestroyImageView(device, view, nullptr); });
         t.v.write(t.set, 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, view, sampler);
         const VkCommandBuffer own = t.v.commands();
         t.v.begin(own);
         vkCmdBindPipeline(own, VK_PIPELINE_BIND_POINT_COMPUTE, t.compute);
         bind_set(t, own, VK_PIPELINE_BIND_POINT_COMPUTE);
         vkCmdDispatch(own, 1, 1, 1);
         (void)t.v.submit(own);
       }
     }},
    {"ResourcesOfNoSize",
     [](Things& t, VkCommandBuffer) {
       VkImageCreateInfo info = VulkanDevice::image_info(VK_FORMAT_R8G8B8A8_UNORM, 0, 0);
       VkImage made = VK_NULL_HANDLE;
       const auto attempt = [&] {
         made = VK_NULL_HANDLE;
         if (vkCreateImage(t.v.device, &info, nullptr, &made) != VK_SUCCESS) return;
         VkMemoryRequirements needs;
         vkGetImageMemoryRequirements(t.v.device, made, &needs);
         vkDestroyImage(t.v.device, made, nullptr);
       };
       attempt();
       info.extent = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
       attempt();
       info.extent = {8, 8, 1};
       info.mipLevels = 99;
       attempt();
       info.mipLevels = info.arrayLayers = 0;
       attempt();
       info.mipLevels = 1;
       info.arrayLayers = UINT32_MAX;
       attempt();
       info.arrayLayers = 1;
       info.format = VK_FORMAT_MAX_ENUM;
       attempt();
       info.format = VK_FORMAT_R8G8B8A8_UNORM;
       info.samples = static_cast<VkSampleCountFlagBits>(3);
       attempt();
       for (const std::uint64_t size : {std::uint64_t{0}, kFar, UINT64_MAX}) {
         VkBufferCreateInfo buffer{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
         buffer.size = size;
         buffer.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
         VkBuffer b = VK_NULL_HANDLE;
         if (vkCreateBuffer(t.v.device, &buffer, nullptr, &b) != VK_SUCCESS) continue;
         VkMemoryRequirements needs;
         vkGetBufferMemoryRequirements(t.v.device, b, &needs);
         vkDestroyBuffer(t.v.device, b, nullptr);
       }
     }},
    {"SamplersOfStrangeNumbers",
     [](Things& t, VkCommandBuffer) {
       const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
       t.v.write(t.set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, t.small);
       const VkImageView view =
           t.v.view(t.image, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_VIEW_TYPE_2D, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 2, 0, 1});
       for (const float number : {nan, inf, -inf, 1e38f, -1e38f}) {
         VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
         info.magFilter = info.minFilter = VK_FILTER_LINEAR;
         info.mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR;
         info.minLod = info.maxLod = info.mipLodBias = info.maxAnisotropy = number;
         info.anisotropyEnable = VK_TRUE;
         VkSampler sampler = VK_NULL_HANDLE;
         ASSERT_EQ(vkCreateSampler(t.v.device, &info, nullptr, &sampler), VK_SUCCESS);
         t.v.later([device = t.v.device, sampler] { vkDestroySampler(device, sampler, nullptr); });
         t.v.write(t.set, 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, view, sampler);
         const VkCommandBuffer own = t.v.commands();
         t.v.begin(own);
         vkCmdBindPipeline(own, VK_PIPELINE_BIND_POINT_COMPUTE, t.compute);
         bind_set(t, own, VK_PIPELINE_BIND_POINT_COMPUTE);
         vkCmdDispatch(own, 1, 1, 1);
         (void)t.v.submit(own);
       }
     }},
    {"PipelinesOfNothing",
     [](Things& t, VkCommandBuffer) {
       VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
       info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
       info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
       info.stage.pName = "main";
       info.layout = t.layout;
       VkPipeline made = VK_NULL_HANDLE;
       EXPECT_NE(vkCreateComputePipelines(t.v.device, VK_NULL_HANDLE, 1, &info, nullptr, &made), VK_SUCCESS);
       info.stage.module = t.v.module("#version 450\nvoid main() {}\n", "comp");
       t.v.later([device = t.v.device, module = info.stage.module] { vkDestroyShaderModule(device, module, nullptr); });
       info.stage.pName = "another";
       EXPECT_NE(vkCreateComputePipelines(t.v.device, VK_NULL_HANDLE, 1, &info, nullptr, &made), VK_SUCCESS);
       info.stage.pName = "main";
       info.layout = VK_NULL_HANDLE;
       (void)vkCreateComputePipelines(t.v.device, VK_NULL_HANDLE, 1, &info, nullptr, &made);
       vkDestroyPipeline(t.v.device, made, nullptr);
       VkGraphicsPipelineCreateInfo graphics{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO};
       VkPipelineShaderStageCreateInfo stage = info.stage;
       stage.stage = VK_SHADER_STAGE_VERTEX_BIT;
       graphics.stageCount = 1;
       graphics.pStages = &stage;
       graphics.layout = t.layout;
       made = VK_NULL_HANDLE;
       (void)vkCreateGraphicsPipelines(t.v.device, VK_NULL_HANDLE, 1, &graphics, nullptr, &made);
       vkDestroyPipeline(t.v.device, made, nullptr);
       graphics.stageCount = 0;
       made = VK_NULL_HANDLE;
       (void)vkCreateGraphicsPipelines(t.v.device, VK_NULL_HANDLE, 1, &graphics, nullptr, &made);
       vkDestroyPipeline(t.v.device, made, nullptr);
     }},
    {"NothingIsDestroyed",
     [](Things& t, VkCommandBuffer) {
       VkDevice d = t.v.device;
       vkDestroyBuffer(d, VK_NULL_HANDLE, nullptr);
       vkDestroyBufferView(d, VK_NULL_HANDLE, nullptr);
       vkDestroyCommandPool(d, VK_NULL_HANDLE, nullptr);
       vkDestroyDescriptorPool(d, VK_NULL_HANDLE, nullptr);
       vkDestroyDescriptorSetLayout(d, VK_NULL_HANDLE, nullptr);
       vkDestroyEvent(d, VK_NULL_HANDLE, nullptr);
       vkDestroyFence(d, VK_NULL_HANDLE, nullptr);
       vkDestroyFramebuffer(d, VK_NULL_HANDLE, nullptr);
       vkDestroyImage(d, VK_NULL_HANDLE, nullptr);
       vkDestroyImageView(d, VK_NULL_HANDLE, nullptr);
       vkDestroyPipeline(d, VK_NULL_HANDLE, nullptr);
       vkDestroyPipelineCache(d, VK_NULL_HANDLE, nullptr);
       vkDestroyPipelineLayout(d, VK_NULL_HANDLE, nullptr);
       vkDestroyQueryPool(d, VK_NULL_HANDLE, nullptr);
       vkDestroyRenderPass(d, VK_NULL_HANDLE, nullptr);
       vkDestroySampler(d, VK_NULL_HANDLE, nullptr);
       vkDestroySemaphore(d, VK_NULL_HANDLE, nullptr);
       vkDestroyShaderModule(d, VK_NULL_HANDLE, nullptr);
       vkFreeMemory(d, VK_NULL_HANDLE, nullptr);
       const VkCommandBuffer none = VK_NULL_HANDLE;
       vkFreeCommandBuffers(d, t.v.pool, 1, &none);
     }},
};

class VulkanObjectMistakes : public Mistakes {};
TEST_P(VulkanObjectMistakes, DoNoHarm) { do_no_harm(); }

INSTANTIATE_TEST_SUITE_P(All, VulkanObjectMistakes, testing::ValuesIn(kMistakes), mistake_name);

}  // namespace
}  // namespace heddle::test
