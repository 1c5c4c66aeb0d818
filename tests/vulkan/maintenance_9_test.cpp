// SPDX-License-Identifier: MIT
// VK_KHR_maintenance9, 10 and 11.

#include <gmock/gmock.h>

#include <array>
#include <bit>

#include "vulkan/canvas.hpp"
#include "vulkan/feature_kit.hpp"

namespace heddle::test {
namespace {

using testing::Each;
using testing::ElementsAre;

constexpr const char *kNine = "VK_KHR_maintenance9", *kTen = "VK_KHR_maintenance10", *kEleven = "VK_KHR_maintenance11";
constexpr std::uint32_t kWhite = 0xffffffff;

// --- 9 ---

// A device without queues makes pipelines.
TEST(VulkanMaintenance9, DevicesNeedNoQueue) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  const VkInstance instance = make_instance();
  const VkPhysicalDeviceMaintenance9FeaturesKHR on{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_9_FEATURES_KHR,
                                                   nullptr, VK_TRUE};
  VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &on};
  info.enabledExtensionCount = 1;
  info.ppEnabledExtensionNames = &kNine;
  VkDevice device = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateDevice(physical_device(instance), &info, nullptr, &device), VK_SUCCESS);
  const auto words = compile_compute("#version 450\nvoid main() {}\n");
  const VkShaderModuleCreateInfo code{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0, words.size() * 4,
                                      words.data()};
  VkShaderModule module = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateShaderModule(device, &code, nullptr, &module), VK_SUCCESS);
  const VkPipelineLayoutCreateInfo layouts{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  VkPipelineLayout layout = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreatePipelineLayout(device, &layouts, nullptr, &layout), VK_SUCCESS);
  VkComputePipelineCreateInfo pipelines{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  pipelines.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                     nullptr,
                     0,
                     VK_SHADER_STAGE_COMPUTE_BIT,
                     module,
                     "main",
                     nullptr};
  pipelines.layout = layout;
  VkPipeline pipeline = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &pipelines, nullptr, &pipeline), VK_SUCCESS);
  EXPECT_EQ(vkDeviceWaitIdle(device), VK_SUCCESS);
  vkDestroyPipeline(device, pipeline, nullptr);
  vkDestroyPipelineLayout(device, layout, nullptr);
  vkDestroyShaderModule(device, module, nullptr);
  vkDestroyDevice(device, nullptr);
  vkDestroyInstance(instance, nullptr);
}

// Queries are used as they were created, and events are set without what they order.
TEST(VulkanMaintenance9, QueriesAndEventsNeedNoPreparation) {
  HEDDLE_NEED_NEWER();
  VulkanDevice v({kNine});
  VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
  info.flags = VK_QUERY_POOL_CREATE_RESET_BIT_KHR;
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = 1;
  VkQueryPool queries = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateQueryPool(v.device, &info, nullptr, &queries), VK_SUCCESS);
  const VkEventCreateInfo events{VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
  VkEvent event = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateEvent(v.device, &events, nullptr, &event), VK_SUCCESS);
  std::uint64_t time = 0;
  EXPECT_EQ(vkGetQueryPoolResults(v.device, queries, 0, 1, 8, &time, 8, VK_QUERY_RESULT_64_BIT), VK_NOT_READY);
  ASSERT_EQ(v.run([&](VkCommandBuffer c) {
    VkMemoryBarrier2 stages{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
    stages.srcStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
    VkDependencyInfo order{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    order.dependencyFlags = VK_DEPENDENCY_ASYMMETRIC_EVENT_BIT_KHR;
    order.memoryBarrierCount = 1;
    order.pMemoryBarriers = &stages;
    vkCmdSetEvent2(c, event, &order);
    stages.dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
    vkCmdWaitEvents2(c, 1, &event, &order);
    vkCmdWriteTimestamp(c, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, queries, 0);
  }),
            VK_SUCCESS);
  EXPECT_EQ(vkGetQueryPoolResults(v.device, queries, 0, 1, 8, &time, 8, VK_QUERY_RESULT_64_BIT), VK_SUCCESS);
  EXPECT_NE(time, 0u);
  EXPECT_EQ(vkGetEventStatus(v.device, event), VK_EVENT_SET);
  vkDestroyEvent(v.device, event, nullptr);
  vkDestroyQueryPool(v.device, queries, nullptr);
}

// Counting, reversing, inserting and extracting bits of 64 and of 16.
TEST(VulkanMaintenance9, BitsOfAnyWidth) {
  HEDDLE_NEED_NEWER();
  const auto words = assemble(
      "OpCapability Shader\nOpCapability Int64\nOpCapability Int16\nOpMemoryModel Logical GLSL450\n"
      "OpEntryPoint GLCompute %main \"main\"\nOpExecutionMode %main LocalSize 1 1 1\n"
      "OpDecorate %run ArrayStride 4\nOpMemberDecorate %block 0 Offset 0\nOpDecorate %block BufferBlock\n"
      "OpDecorate %o DescriptorSet 0\nOpDecorate %o Binding 0\n"
      "%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%uint = OpTypeInt 32 0\n%ulong = OpTypeInt 64 0\n"
      "%ushort = OpTypeInt 16 0\n%run = OpTypeRuntimeArray %uint\n%block = OpTypeStruct %run\n"
      "%pblock = OpTypePointer Uniform %block\n%puint = OpTypePointer Uniform %uint\n%o = OpVariable %pblock Uniform\n"
      "%c0 = OpConstant %uint 0\n%c1 = OpConstant %uint 1\n%c2 = OpConstant %uint 2\n%c3 = OpConstant %uint 3\n"
      "%c4 = OpConstant %uint 4\n%c12 = OpConstant %uint 12\n%c20 = OpConstant %uint 20\n%c32 = OpConstant %uint 32\n"
      "%w32 = OpConstant %ulong 32\n%main = OpFunction %void None %fn\n%entry = OpLabel\n"
      "%p0 = OpAccessChain %puint %o %c0 %c0\n%p1 = OpAccessChain %puint %o %c0 %c1\n"
      "%p2 = OpAccessChain %puint %o %c0 %c2\n%p3 = OpAccessChain %puint %o %c0 %c3\n%p4 = OpAccessChain %puint %o %c0 "
      "%c4\n"
      "%low = OpLoad %uint %p0\n%high = OpLoad %uint %p1\n%l = OpUConvert %ulong %low\n%h = OpUConvert %ulong %high\n"
      "%hs = OpShiftLeftLogical %ulong %h %w32\n%x = OpBitwiseOr %ulong %hs %l\n%s = OpUConvert %ushort %low\n"
      "%count = OpBitCount %ulong %x\n%count32 = OpUConvert %uint %count\nOpStore %p0 %count32\n"
      "%rev = OpBitReverse %ulong %x\n%rev32 = OpUConvert %uint %rev\nOpStore %p1 %rev32\n"
      "%field = OpBitFieldUExtract %ulong %x %c20 %c32\n%field32 = OpUConvert %uint %field\nOpStore %p2 %field32\n"
      "%rs = OpBitReverse %ushort %s\n%rs32 = OpUConvert %uint %rs\nOpStore %p3 %rs32\n"
      "%in = OpBitFieldInsert %ushort %s %rs %c4 %c12\n%in32 = OpUConvert %uint %in\nOpStore %p4 %in32\n"
      "OpReturn\nOpFunctionEnd\n");
  if (words.empty()) GTEST_SKIP() << "spirv-as is not installed";
  VulkanDevice v({kNine});
  const std::vector<VulkanDevice::Binding> bindings{{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
  const auto sets = v.set_layout(bindings);
  const auto set = v.set(sets, bindings);
  const auto out = v.buffer(64);
  v.write(set, 0, bindings[0].type, out);
  const auto layout = v.layout({sets});
  const VkPipeline pipeline = v.pipeline_of(words, layout);
  constexpr std::uint32_t kLow = 0x89abcdef, kHigh = 0x01234567;
  out.set(0, kLow), out.set(1, kHigh);
  ASSERT_EQ(v.run([&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdDispatch(c, 1, 1, 1);
  }),
            VK_SUCCESS);
  constexpr std::uint64_t kBits = std::uint64_t{kHigh} << 32 | kLow;
  const auto reversed = [](std::uint64_t value, int bits) {
    std::uint64_t to = 0;
    for (int i = 0; i < bits; ++i) to |= (value >> i & 1) << (bits - 1 - i);
    return static_cast<std::uint32_t>(to);
  };
  const std::uint32_t turned = reversed(kLow & 0xffff, 16);
  EXPECT_EQ(out.word(0), static_cast<std::uint32_t>(std::popcount(kBits)));
  EXPECT_EQ(out.word(1), reversed(kBits, 64));
  EXPECT_EQ(out.word(2), static_cast<std::uint32_t>(kBits >> 20));
  EXPECT_EQ(out.word(3), turned);
  EXPECT_EQ(out.word(4), (kLow & 0xf) | (turned << 4 & 0xffff));
}

// What no attribute gives is what the property says.
TEST(VulkanMaintenance9, AttributesThatNobodyGives) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  Canvas c(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT, {kNine});
  VkPhysicalDeviceMaintenance9PropertiesKHR says{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_9_PROPERTIES_KHR};
  VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &says};
  vkGetPhysicalDeviceProperties2(c.v.physical, &properties);
  const bool one = says.defaultVertexAttributeValue == VK_DEFAULT_VERTEX_ATTRIBUTE_VALUE_ZERO_ZERO_ZERO_ONE_KHR;
  PipelineState s;
  s.vertex =
      "#version 450\nlayout(location = 3) in vec4 a;\nlayout(location = 0) out vec4 o;\nvoid main() {\n"
      "  gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0, 1);\n"
      "  o = vec4(a == vec4(0, 0, 0, " +
      std::string(one ? "1" : "0") + ") ? 1 : 0);\n}\n";
  s.fragment =
      "#version 450\nlayout(location = 0) in vec4 i;\nlayout(location = 0) out vec4 o;\nvoid main() { o = i; }\n";
  const VkPipeline pipeline = c.pipeline(s);
  c.draw([&](VkCommandBuffer b) {
    vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdDraw(b, 3, 1, 0, 0);
  });
  EXPECT_THAT(c.pixels(), Each(kWhite));
}

// --- 10 ---

/// Four samples, of which draws cover the second: white, at depth 0.25. Each way to make one of them.
TEST(VulkanMaintenance10, ImagesAreResolvedInAllWays) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  Canvas c(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_D32_SFLOAT, VK_SAMPLE_COUNT_4_BIT, {kTen});
  const VkSampleMask second = 0b0010;
  PipelineState s;
  s.vertex = covering_vertices("0.25");
  s.fragment = one_color("vec4(1)");
  s.samples.rasterizationSamples = VK_SAMPLE_COUNT_4_BIT;
  s.samples.pSampleMask = &second;
  s.depth.depthTestEnable = s.depth.depthWriteEnable = VK_TRUE;
  s.depth.depthCompareOp = VK_COMPARE_OP_LESS;
  const VkPipeline pipeline = c.pipeline(s);
  const auto end = c.v.proc<PFN_vkCmdEndRendering2KHR>("vkCmdEndRendering2KHR");
  ASSERT_NE(end, nullptr);
  ASSERT_EQ(c.v.run([&](VkCommandBuffer b) {
    c.begin(b, true);
    vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdDraw(b, 3, 1, 0, 0);
    const VkRenderingEndInfoKHR info{VK_STRUCTURE_TYPE_RENDERING_END_INFO_KHR};
    end(b, &info);
  }),
            VK_SUCCESS);
  EXPECT_THAT(c.pixels(), Each(0x40404040u));  // what the pass resolved
  const auto depth = c.attachment(VK_FORMAT_D32_SFLOAT, VK_SAMPLE_COUNT_1_BIT);
  const auto resolve = [&](const Canvas::Attachment& from, const Canvas::Attachment& to, VkImageAspectFlags aspect,
                           VkResolveModeFlagBits mode) {
    const VkResolveImageModeInfoKHR modes{VK_STRUCTURE_TYPE_RESOLVE_IMAGE_MODE_INFO_KHR, nullptr, 0, mode,
                                          VK_RESOLVE_MODE_NONE};
    const VkImageResolve2 region{
        VK_STRUCTURE_TYPE_IMAGE_RESOLVE_2, nullptr, {aspect, 0, 0, 1}, {}, {aspect, 0, 0, 1}, {}, {4, 4, 1}};
    const VkResolveImageInfo2 info{VK_STRUCTURE_TYPE_RESOLVE_IMAGE_INFO_2,
                                   &modes,
                                   from.image.image,
                                   VK_IMAGE_LAYOUT_GENERAL,
                                   to.image.image,
                                   VK_IMAGE_LAYOUT_GENERAL,
                                   1,
                                   &region};
    EXPECT_EQ(c.v.run([&](VkCommandBuffer b) { vkCmdResolveImage2(b, &info); }), VK_SUCCESS);
    std::uint32_t word = 0;
    std::memcpy(&word, c.read(to, 4, aspect).data(), 4);
    return word;
  };
  const auto color = [&](VkResolveModeFlagBits mode) {
    return resolve(c.colors[0], c.resolved[0], VK_IMAGE_ASPECT_COLOR_BIT, mode);
  };
  EXPECT_EQ(color(VK_RESOLVE_MODE_SAMPLE_ZERO_BIT), 0u);
  EXPECT_EQ(color(VK_RESOLVE_MODE_AVERAGE_BIT), 0x40404040u);
  const auto of_depth = [&](VkResolveModeFlagBits mode) {
    return std::bit_cast<float>(resolve(c.depth, depth, VK_IMAGE_ASPECT_DEPTH_BIT, mode));
  };
  EXPECT_EQ(of_depth(VK_RESOLVE_MODE_SAMPLE_ZERO_BIT), 1);
  EXPECT_EQ(of_depth(VK_RESOLVE_MODE_MIN_BIT), 0.25f);
  EXPECT_EQ(of_depth(VK_RESOLVE_MODE_MAX_BIT), 1);
}

// One of four samples is white: a quarter of the light, or a quarter of the number that is stored.
TEST(VulkanMaintenance10, TransferFunctionsOfResolvesAreChosen_TRF15) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  Canvas c(4, 4, {VK_FORMAT_R8G8B8A8_SRGB}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_4_BIT, {kTen});
  VkPhysicalDeviceMaintenance10PropertiesKHR tenth{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_10_PROPERTIES_KHR};
  VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &tenth, {}};
  vkGetPhysicalDeviceProperties2(c.v.physical, &all);
  EXPECT_EQ(tenth.resolveSrgbFormatAppliesTransferFunction, VK_TRUE);
  EXPECT_EQ(tenth.resolveSrgbFormatSupportsTransferFunctionControl, VK_TRUE);
  const VkSampleMask second = 0b0010;
  PipelineState s;
  s.vertex = covering_vertices();
  s.fragment = one_color("vec4(1)");
  s.samples.rasterizationSamples = VK_SAMPLE_COUNT_4_BIT;
  s.samples.pSampleMask = &second;
  const VkPipeline pipeline = c.pipeline(s);
  constexpr std::uint32_t kLight = 0x40898989, kStored = 0x40404040;  // sRGB of 0.25 is 137; alpha is linear
  const auto drawn = [&](VkRenderingAttachmentFlagsKHR flags) {
    const VkRenderingAttachmentFlagsInfoKHR more{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_FLAGS_INFO_KHR, nullptr, flags};
    VkRenderingAttachmentInfo color{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO, &more};
    color.imageView = c.colors[0].view;
    color.imageLayout = color.resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL;
    color.resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
    color.resolveImageView = c.resolved[0].view;
    color.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    color.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
    info.renderArea.extent = {4, 4};
    info.layerCount = 1;
    info.colorAttachmentCount = 1;
    info.pColorAttachments = &color;
    EXPECT_EQ(c.v.run([&](VkCommandBuffer b) {
      c.v.proc<PFN_vkCmdBeginRenderingKHR>("vkCmdBeginRenderingKHR")(b, &info);
      vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      vkCmdDraw(b, 3, 1, 0, 0);
      c.end(b);
    }),
              VK_SUCCESS);
    return c.pixels();
  };
  EXPECT_THAT(drawn(0), Each(kLight));
  EXPECT_THAT(drawn(VK_RENDERING_ATTACHMENT_RESOLVE_ENABLE_TRANSFER_FUNCTION_BIT_KHR), Each(kLight));
  EXPECT_THAT(drawn(VK_RENDERING_ATTACHMENT_RESOLVE_SKIP_TRANSFER_FUNCTION_BIT_KHR), Each(kStored));
  const auto resolved = [&](VkResolveImageFlagsKHR flags) {
    const VkResolveImageModeInfoKHR modes{VK_STRUCTURE_TYPE_RESOLVE_IMAGE_MODE_INFO_KHR, nullptr, flags,
                                          VK_RESOLVE_MODE_AVERAGE_BIT, VK_RESOLVE_MODE_NONE};
    const VkImageSubresourceLayers layer{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    const VkImageResolve2 region{VK_STRUCTURE_TYPE_IMAGE_RESOLVE_2, nullptr, layer, {}, layer, {}, {4, 4, 1}};
    const VkResolveImageInfo2 info{VK_STRUCTURE_TYPE_RESOLVE_IMAGE_INFO_2,
                                   &modes,
                                   c.colors[0].image.image,
                                   VK_IMAGE_LAYOUT_GENERAL,
                                   c.resolved[0].image.image,
                                   VK_IMAGE_LAYOUT_GENERAL,
                                   1,
                                   &region};
    EXPECT_EQ(c.v.run([&](VkCommandBuffer b) { vkCmdResolveImage2(b, &info); }), VK_SUCCESS);
    return c.pixels();
  };
  EXPECT_THAT(resolved(VK_RESOLVE_IMAGE_ENABLE_TRANSFER_FUNCTION_BIT_KHR), Each(kLight));
  EXPECT_THAT(resolved(VK_RESOLVE_IMAGE_SKIP_TRANSFER_FUNCTION_BIT_KHR), Each(kStored));
  // Of a render pass object.
  const auto passed = [&](VkAttachmentDescriptionFlags of_result) {
    VkAttachmentDescription attachments[2]{};
    for (VkAttachmentDescription& a : attachments) {
      a.format = VK_FORMAT_R8G8B8A8_SRGB;
      a.samples = VK_SAMPLE_COUNT_1_BIT;
      a.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
      a.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
      a.initialLayout = a.finalLayout = VK_IMAGE_LAYOUT_GENERAL;
    }
    attachments[0].samples = VK_SAMPLE_COUNT_4_BIT;
    attachments[1].flags = of_result;
    const VkAttachmentReference color{0, VK_IMAGE_LAYOUT_GENERAL}, result{1, VK_IMAGE_LAYOUT_GENERAL};
    VkSubpassDescription subpass{};
    subpass.colorAttachmentCount = 1;
    subpass.pColorAttachments = &color;
    subpass.pResolveAttachments = &result;
    VkRenderPassCreateInfo pass{VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO};
    pass.attachmentCount = 2;
    pass.pAttachments = attachments;
    pass.subpassCount = 1;
    pass.pSubpasses = &subpass;
    VkRenderPass made = VK_NULL_HANDLE;
    EXPECT_EQ(vkCreateRenderPass(c.v.device, &pass, nullptr, &made), VK_SUCCESS);
    const VkImageView views[] = {c.colors[0].view, c.resolved[0].view};
    const VkFramebufferCreateInfo frame{VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO, nullptr, 0, made, 2, views, 4, 4, 1};
    VkFramebuffer framebuffer = VK_NULL_HANDLE;
    EXPECT_EQ(vkCreateFramebuffer(c.v.device, &frame, nullptr, &framebuffer), VK_SUCCESS);
    s.pass = made;
    const VkPipeline in_pass = c.pipeline(s);
    const VkClearValue clear[2]{};
    const VkRenderPassBeginInfo begin{
        VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, nullptr, made, framebuffer, {{0, 0}, {4, 4}}, 2, clear};
    EXPECT_EQ(c.v.run([&](VkCommandBuffer b) {
      vkCmdBeginRenderPass(b, &begin, VK_SUBPASS_CONTENTS_INLINE);
      vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, in_pass);
      vkCmdDraw(b, 3, 1, 0, 0);
      vkCmdEndRenderPass(b);
    }),
              VK_SUCCESS);
    vkDestroyFramebuffer(c.v.device, framebuffer, nullptr);
    vkDestroyRenderPass(c.v.device, made, nullptr);
    return c.pixels();
  };
  EXPECT_THAT(passed(0), Each(kLight));
  EXPECT_THAT(passed(VK_ATTACHMENT_DESCRIPTION_RESOLVE_SKIP_TRANSFER_FUNCTION_BIT_KHR), Each(kStored));
}

TEST(VulkanMaintenance10, NoSampleMaskIsAllSamples) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  Canvas c(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
           {kTen, VK_EXT_EXTENDED_DYNAMIC_STATE_3_EXTENSION_NAME});
  PipelineState s;
  s.vertex = covering_vertices();
  s.fragment = one_color("vec4(1)");
  s.dynamic = {VK_DYNAMIC_STATE_SAMPLE_MASK_EXT};
  const VkPipeline pipeline = c.pipeline(s);
  const auto set = c.v.proc<PFN_vkCmdSetSampleMaskEXT>("vkCmdSetSampleMaskEXT");
  const auto drawn = [&](const VkSampleMask* mask) {
    c.draw([&](VkCommandBuffer b) {
      vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      set(b, VK_SAMPLE_COUNT_1_BIT, mask);
      vkCmdDraw(b, 3, 1, 0, 0);
    });
    return c.pixels();
  };
  const VkSampleMask none = 0;
  EXPECT_THAT(drawn(&none), Each(0u));
  EXPECT_THAT(drawn(nullptr), Each(kWhite));
}

// Depth and stencil go to buffers and back in every queue.
TEST(VulkanMaintenance10, FormatsSayWhichQueuesCopyThem) {
  HEDDLE_NEED_NEWER();
  const VulkanDevice v({kTen});
  const auto features = [&](VkFormat format) {
    VkFormatProperties3 more{VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3};
    VkFormatProperties2 all{VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, &more, {}};
    vkGetPhysicalDeviceFormatProperties2(v.physical, format, &all);
    return more.optimalTilingFeatures;
  };
  constexpr VkFormatFeatureFlags2 kDepth = VK_FORMAT_FEATURE_2_DEPTH_COPY_ON_TRANSFER_QUEUE_BIT_KHR |
                                           VK_FORMAT_FEATURE_2_DEPTH_COPY_ON_COMPUTE_QUEUE_BIT_KHR,
                                  kStencil = VK_FORMAT_FEATURE_2_STENCIL_COPY_ON_TRANSFER_QUEUE_BIT_KHR |
                                             VK_FORMAT_FEATURE_2_STENCIL_COPY_ON_COMPUTE_QUEUE_BIT_KHR;
  EXPECT_EQ(features(VK_FORMAT_D32_SFLOAT) & (kDepth | kStencil), kDepth);
  EXPECT_EQ(features(VK_FORMAT_S8_UINT) & (kDepth | kStencil), kStencil);
  EXPECT_EQ(features(VK_FORMAT_D24_UNORM_S8_UINT) & (kDepth | kStencil), kDepth | kStencil);
  EXPECT_EQ(features(VK_FORMAT_R8G8B8A8_UNORM) & (kDepth | kStencil), 0u);
}

// rgba4OpaqueBlackSwizzled: an opaque black border of four bits a channel has no other channel for its alpha.
TEST(VulkanMaintenance10, OpaqueBlackIsThatOfTheFormat) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  for (const VkFormat format : {VK_FORMAT_B4G4R4A4_UNORM_PACK16, VK_FORMAT_R4G4B4A4_UNORM_PACK16}) {
    VulkanDevice v({kTen});
    TexelImage of;
    of.format = format;
    of.width = of.height = 1;
    of.levels = {{0xff, 0xff}};
    const auto image = make_image(v, of);
    VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
    info.addressModeU = info.addressModeV = info.addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER;
    info.borderColor = VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK;
    VkSampler sampler = VK_NULL_HANDLE;
    ASSERT_EQ(vkCreateSampler(v.device, &info, nullptr, &sampler), VK_SUCCESS);
    FeatureRun f(v);
    f.image(3, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, v.view(image.image, format), sampler);
    const auto words =
        f.run("#version 450\n" + kFeatureHead +
              "layout(binding = 3) uniform sampler2D s;\nvoid main() {\n  vec4 c = texture(s, vec2(4));\n"
              "  for (int k = 0; k < 4; ++k) o[k] = uint(c[k]);\n}\n");
    ASSERT_GE(words.size(), 4u);
    EXPECT_THAT((std::vector(words.begin(), words.begin() + 4)), ElementsAre(0, 0, 0, 1)) << format;
    vkDestroySampler(v.device, sampler, nullptr);
  }
}

// --- 11 ---

// A shader that reads an array of a view that is none, and the other way round: the one layer is read.
TEST(VulkanMaintenance11, OneLayerIsAnArrayOrNone) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  VulkanDevice v({kEleven});
  TexelImage of;
  of.format = VK_FORMAT_R32_UINT;
  of.width = of.height = 1;
  of.layers = 1;
  of.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT;
  of.flags = VK_IMAGE_CREATE_ALIAS_SINGLE_LAYER_DESCRIPTOR_BIT_KHR;
  of.levels = {bytes_of(std::vector<std::uint32_t>{55})};
  const auto image = make_image(v, of);
  const VkImageView flat = v.view(image.image, of.format),
                    array = v.view(image.image, of.format, VK_IMAGE_VIEW_TYPE_2D_ARRAY);
  const VkSampler sampler = v.sampler(VK_FILTER_NEAREST);
  FeatureRun f(v);
  f.image(3, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, array, sampler);
  f.image(4, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, flat, sampler);
  f.image(5, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, array);
  f.image(6, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, flat);
  const auto words =
      f.run("#version 450\n" + kFeatureHead +
            "layout(binding = 3) uniform usampler2D a;\nlayout(binding = 4) uniform usampler2DArray b;\n"
            "layout(binding = 5, r32ui) uniform uimage2D c;\nlayout(binding = 6, r32ui) uniform uimage2DArray d;\n"
            "void main() {\n  o[0] = texture(a, vec2(0.5)).r;\n  o[1] = texture(b, vec3(0.5, 0.5, 0)).r;\n"
            "  o[2] = texelFetch(a, ivec2(0), 0).r;\n  o[3] = texelFetch(b, ivec3(0), 0).r;\n"
            "  o[4] = imageLoad(c, ivec2(0)).r;\n  o[5] = imageLoad(d, ivec3(0)).r;\n}\n");
  ASSERT_GE(words.size(), 6u);
  EXPECT_THAT((std::vector(words.begin(), words.begin() + 6)), Each(55u));
}

// Lists of one family are none that is shared, and buffers' offsets are any.
TEST(VulkanMaintenance11, SharingNeedsNoSecondFamily) {
  HEDDLE_NEED_NEWER();
  VulkanDevice v({kEleven});
  const std::uint32_t family = 1;
  VkImageCreateInfo info = VulkanDevice::image_info(VK_FORMAT_R8_UINT, 4, 4);
  info.sharingMode = VK_SHARING_MODE_CONCURRENT;
  info.queueFamilyIndexCount = 1;
  info.pQueueFamilyIndices = &family;
  const auto image = v.image(info);
  const auto from = v.buffer(64), to = v.buffer(64);
  for (std::uint32_t i = 0; i < 64; ++i) from.bytes[i] = static_cast<std::uint8_t>(i);
  const VkCommandPoolCreateInfo pools{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr, 0, family};
  VkCommandPool pool = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateCommandPool(v.device, &pools, nullptr, &pool), VK_SUCCESS);
  const VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool,
                                             VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
  VkCommandBuffer c = VK_NULL_HANDLE;
  ASSERT_EQ(vkAllocateCommandBuffers(v.device, &allocate, &c), VK_SUCCESS);
  v.begin(c);
  VkBufferImageCopy region{3, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {1, 1, 0}, {2, 2, 1}};
  vkCmdCopyBufferToImage(c, from.buffer, image.image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
  barrier(c);
  region.bufferOffset = 7;
  vkCmdCopyImageToBuffer(c, image.image, VK_IMAGE_LAYOUT_GENERAL, to.buffer, 1, &region);
  ASSERT_EQ(vkEndCommandBuffer(c), VK_SUCCESS);
  const VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO, nullptr, 0, nullptr, nullptr, 1, &c, 0, nullptr};
  VkQueue queue = VK_NULL_HANDLE;
  vkGetDeviceQueue(v.device, family, 0, &queue);
  ASSERT_EQ(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE), VK_SUCCESS);
  ASSERT_EQ(vkQueueWaitIdle(queue), VK_SUCCESS);
  EXPECT_THAT((std::vector<std::uint8_t>(to.bytes + 7, to.bytes + 11)), ElementsAre(3, 4, 5, 6));
  vkDestroyCommandPool(v.device, pool, nullptr);
}

}  // namespace
}  // namespace heddle::test
