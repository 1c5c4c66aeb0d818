// SPDX-License-Identifier: MIT
// VK_KHR_maintenance5, VK_KHR_maintenance6, VK_KHR_map_memory2: forms of older commands with more in them.

#include <algorithm>

#include "vulkan/canvas.hpp"

namespace heddle::test {
namespace {

constexpr VkDescriptorType kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
constexpr std::uint32_t kWhite = 0xffffffff;
constexpr const char *kFive = "VK_KHR_maintenance5", *kSix = "VK_KHR_maintenance6";

std::size_t white(const std::vector<std::uint32_t>& pixels) {
  return static_cast<std::size_t>(std::ranges::count(pixels, kWhite));
}

TEST(VulkanMaintenance5, IndexBuffersEndWhereTheirRangeEnds) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  Canvas c(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT, {kFive});
  PipelineState s;
  s.vertex = covering_vertices();
  s.fragment = one_color("vec4(1)");
  const VkPipeline pipeline = c.pipeline(s);
  const auto indices = c.v.buffer(32);
  for (std::uint32_t i = 0; i < 8; ++i) indices.set(i, i == 3 ? 1 : i == 4 ? 2 : 0);
  const auto bind_indices = c.v.proc<PFN_vkCmdBindIndexBuffer2>("vkCmdBindIndexBuffer2KHR");
  ASSERT_NE(bind_indices, nullptr);
  const auto drawn = [&](VkDeviceSize size) {
    c.draw([&](VkCommandBuffer b) {
      vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      bind_indices(b, indices.buffer, 8, size, VK_INDEX_TYPE_UINT32);  // 0, 1, 2
      vkCmdDrawIndexed(b, 3, 1, 0, 0, 0);
    });
    return white(c.pixels());
  };
  EXPECT_EQ(drawn(VK_WHOLE_SIZE), 16u);
  EXPECT_EQ(drawn(12), 16u);
  EXPECT_EQ(drawn(8), 0u) << "the third index is outside, and 0";
}

TEST(VulkanMaintenance5, PointsHaveSizeOneWhereNobodySaysIt) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  Canvas c(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT, {kFive});
  PipelineState s;
  s.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
  s.vertex = "#version 450\nvoid main() { gl_Position = vec4(0.25, 0.25, 0, 1); }\n";
  s.fragment = one_color("vec4(1)");
  const VkPipeline pipeline = c.pipeline(s);
  c.draw([&](VkCommandBuffer b) {
    vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdDraw(b, 1, 1, 0, 0);
  });
  EXPECT_EQ(white(c.pixels()), 1u);
  EXPECT_EQ(c.pixels()[2 * 4 + 2], kWhite);
}

// Flags in structures of their own stand in place of those that have no room.
TEST(VulkanMaintenance5, FlagsOfSixtyFourBits) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  VulkanDevice v({kFive});
  const VkBufferUsageFlags2CreateInfo usage{VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO, nullptr,
                                            VK_BUFFER_USAGE_2_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_2_TRANSFER_SRC_BIT};
  const VkBufferCreateInfo buffers{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, &usage, 0, 256};
  VkBuffer buffer = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateBuffer(v.device, &buffers, nullptr, &buffer), VK_SUCCESS);
  vkDestroyBuffer(v.device, buffer, nullptr);
  const auto words = compile_compute("#version 450\nvoid main() {}\n");
  const VkShaderModuleCreateInfo code{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0, 4 * words.size(),
                                      words.data()};
  VkPipelineCreateFlags2CreateInfo flags{VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO, nullptr, 0};
  VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, &flags};
  info.flags = VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT;  // not looked at
  info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, &code, 0, VK_SHADER_STAGE_COMPUTE_BIT, {}, "main"};
  info.layout = v.layout({});
  VkPipeline pipeline = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateComputePipelines(v.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline), VK_SUCCESS)
      << "a shader's code needs no module";
  vkDestroyPipeline(v.device, pipeline, nullptr);
  flags.flags = VK_PIPELINE_CREATE_2_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT;
  info.flags = 0;
  EXPECT_EQ(vkCreateComputePipelines(v.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
            VK_PIPELINE_COMPILE_REQUIRED);
  EXPECT_EQ(pipeline, VK_NULL_HANDLE);
}

TEST(VulkanMaintenance5, LayoutsWithoutAnImage) {
  HEDDLE_NEED_NEWER();
  VulkanDevice v({kFive});
  VkImageCreateInfo info = VulkanDevice::image_info(VK_FORMAT_R16G16_UNORM, 24, 12);
  info.mipLevels = 3;
  info.arrayLayers = 2;
  info.tiling = VK_IMAGE_TILING_LINEAR;
  info.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  const auto image = v.image(info);
  const auto of_image = v.proc<PFN_vkGetImageSubresourceLayout2>("vkGetImageSubresourceLayout2KHR");
  const auto of_info = v.proc<PFN_vkGetDeviceImageSubresourceLayout>("vkGetDeviceImageSubresourceLayoutKHR");
  for (std::uint32_t level = 0; level < 3; ++level)
    for (std::uint32_t layer = 0; layer < 2; ++layer) {
      const VkImageSubresource2 which{
          VK_STRUCTURE_TYPE_IMAGE_SUBRESOURCE_2, nullptr, {VK_IMAGE_ASPECT_COLOR_BIT, level, layer}};
      VkSubresourceLayout old{};
      vkGetImageSubresourceLayout(v.device, image.image, &which.imageSubresource, &old);
      VkSubresourceLayout2 a{VK_STRUCTURE_TYPE_SUBRESOURCE_LAYOUT_2}, b{VK_STRUCTURE_TYPE_SUBRESOURCE_LAYOUT_2};
      of_image(v.device, image.image, &which, &a);
      const VkDeviceImageSubresourceInfo asked{VK_STRUCTURE_TYPE_DEVICE_IMAGE_SUBRESOURCE_INFO, nullptr, &info, &which};
      of_info(v.device, &asked, &b);
      EXPECT_GE(old.rowPitch, (24u >> level) * 4);
      EXPECT_EQ(std::memcmp(&a.subresourceLayout, &old, sizeof old), 0);
      EXPECT_EQ(std::memcmp(&b.subresourceLayout, &old, sizeof old), 0);
    }
  VkExtent2D granularity{};
  const VkRenderingAreaInfo area{VK_STRUCTURE_TYPE_RENDERING_AREA_INFO};
  v.proc<PFN_vkGetRenderingAreaGranularity>("vkGetRenderingAreaGranularityKHR")(v.device, &area, &granularity);
  EXPECT_EQ(granularity.width, 1u);
  EXPECT_EQ(granularity.height, 1u);
}

// A1B5G5R5: alpha in the highest bit, red in the lowest five; A8: alpha alone. What is left of a layer count is all.
TEST(VulkanMaintenance5, NewFormatsAndAllLayersThatAreLeft) {
  HEDDLE_NEED_NEWER();
  VulkanDevice v({kFive});
  const auto cleared = [&](VkFormat format, VkClearColorValue color, std::uint32_t bytes) {
    VkImageCreateInfo info = VulkanDevice::image_info(format, 2, 1);
    info.arrayLayers = 3;
    info.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    const auto from = v.image(info), to = v.image(info);
    const auto out = v.buffer(64);
    const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, VK_REMAINING_ARRAY_LAYERS};
    VkImageCopy copy{};
    copy.srcSubresource = copy.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, VK_REMAINING_ARRAY_LAYERS};
    copy.extent = {2, 1, 1};
    VkBufferImageCopy region{};
    region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, VK_REMAINING_ARRAY_LAYERS};
    region.imageExtent = {2, 1, 1};
    const VkClearColorValue zero{};
    EXPECT_EQ(v.run([&](VkCommandBuffer c) {
      vkCmdClearColorImage(c, from.image, VK_IMAGE_LAYOUT_GENERAL, &color, 1, &all);
      vkCmdClearColorImage(c, to.image, VK_IMAGE_LAYOUT_GENERAL, &zero, 1, &all);
      barrier(c);
      vkCmdCopyImage(c, from.image, VK_IMAGE_LAYOUT_GENERAL, to.image, VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
      barrier(c);
      vkCmdCopyImageToBuffer(c, to.image, VK_IMAGE_LAYOUT_GENERAL, out.buffer, 1, &region);
    }),
              VK_SUCCESS);
    std::vector<std::uint32_t> texels;
    for (std::uint32_t i = 0; i < 6; ++i)
      texels.push_back(bytes == 1 ? out.bytes[i] : out.bytes[2 * i] | std::uint32_t{out.bytes[2 * i + 1]} << 8);
    return texels;
  };
  const std::uint32_t red_and_half_green = 0x8000u | 16u << 5 | 31u;
  EXPECT_EQ(cleared(VK_FORMAT_A1B5G5R5_UNORM_PACK16, {{1, 0.5f, 0, 1}}, 2),
            (std::vector<std::uint32_t>{0, 0, red_and_half_green, red_and_half_green, red_and_half_green,
                                        red_and_half_green}));
  EXPECT_EQ(cleared(VK_FORMAT_A8_UNORM, {{1, 1, 1, 0.2f}}, 1), (std::vector<std::uint32_t>{0, 0, 51, 51, 51, 51}));
}

// A line of a volume's texels, a row of a flat image, and an image of one dimension are copied into each other.
TEST(VulkanMaintenance5, ImagesOfAnyTypesAreCopied) {
  HEDDLE_NEED_NEWER();
  VulkanDevice v({kFive});
  const auto make = [&](VkImageType type, std::uint32_t height, std::uint32_t depth) {
    VkImageCreateInfo info = VulkanDevice::image_info(VK_FORMAT_R32_UINT, 4, height);
    info.imageType = type;
    info.extent.depth = depth;
    info.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    return v.image(info).image;
  };
  const VkImage line = make(VK_IMAGE_TYPE_1D, 1, 1), flat = make(VK_IMAGE_TYPE_2D, 3, 1),
                volume = make(VK_IMAGE_TYPE_3D, 2, 2);
  const auto in = v.buffer(16), out = v.buffer(16);
  for (std::uint32_t i = 0; i < 4; ++i) in.set(i, 10 + i);
  const VkImageSubresourceLayers layer{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  const VkExtent3D row{4, 1, 1};
  EXPECT_EQ(v.run([&](VkCommandBuffer c) {
    VkBufferImageCopy region{};
    region.imageSubresource = layer;
    region.imageExtent = row;
    vkCmdCopyBufferToImage(c, in.buffer, line, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    barrier(c);
    const VkImageCopy up{layer, {0, 0, 0}, layer, {0, 2, 0}, row};
    vkCmdCopyImage(c, line, VK_IMAGE_LAYOUT_GENERAL, flat, VK_IMAGE_LAYOUT_GENERAL, 1, &up);
    barrier(c);
    const VkImageCopy deeper{layer, {0, 2, 0}, layer, {0, 1, 1}, row};
    vkCmdCopyImage(c, flat, VK_IMAGE_LAYOUT_GENERAL, volume, VK_IMAGE_LAYOUT_GENERAL, 1, &deeper);
    barrier(c);
    region.imageOffset = {0, 1, 1};
    vkCmdCopyImageToBuffer(c, volume, VK_IMAGE_LAYOUT_GENERAL, out.buffer, 1, &region);
  }),
            VK_SUCCESS);
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(out.word(i), 10 + i);
}

// Each element of a binding says whether it was bound.
TEST(VulkanMaintenance6, BindingsHaveAResultEach) {
  HEDDLE_NEED_NEWER();
  VulkanDevice v({kSix});
  const VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, nullptr, 0, 256,
                                VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
  VkBuffer buffers[3];
  for (VkBuffer& b : buffers) ASSERT_EQ(vkCreateBuffer(v.device, &info, nullptr, &b), VK_SUCCESS);
  const VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, 256, 0};
  VkDeviceMemory memory = VK_NULL_HANDLE;
  ASSERT_EQ(vkAllocateMemory(v.device, &allocate, nullptr, &memory), VK_SUCCESS);
  VkResult results[3] = {VK_ERROR_UNKNOWN, VK_ERROR_UNKNOWN, VK_ERROR_UNKNOWN};
  VkBindMemoryStatus status[3];
  VkBindBufferMemoryInfo binds[3];
  for (std::uint32_t i = 0; i < 3; ++i) {
    status[i] = {VK_STRUCTURE_TYPE_BIND_MEMORY_STATUS, nullptr, &results[i]};
    binds[i] = {VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO, &status[i], buffers[i], memory, i == 1 ? 128u : 0u};
  }
  EXPECT_EQ(vkBindBufferMemory2(v.device, 3, binds), VK_ERROR_OUT_OF_DEVICE_MEMORY);
  EXPECT_EQ(results[0], VK_SUCCESS);
  EXPECT_EQ(results[1], VK_ERROR_OUT_OF_DEVICE_MEMORY) << "half of it lies behind the memory";
  EXPECT_EQ(results[2], VK_SUCCESS);
  for (const VkBuffer b : buffers) vkDestroyBuffer(v.device, b, nullptr);
  vkFreeMemory(v.device, memory, nullptr);
}

/// A compute and a graphics pipeline that both add a push constant and a buffer's word to what they write.
class BothPoints : public testing::Test {
 protected:
  BothPoints()
      : c(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
          {kSix, VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME}) {
    c.v.stages = kStages;
    in = c.v.buffer(64), out = c.v.buffer(64);
    in.set(0, 7);
  }
  void make(VkDescriptorSetLayoutCreateFlags flags) {
    sets = c.v.set_layout(bindings, flags);
    const VkPushConstantRange range{kStages, 0, 8};
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.setLayoutCount = 1;
    info.pSetLayouts = &sets;
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    ASSERT_EQ(vkCreatePipelineLayout(c.v.device, &info, nullptr, &layout), VK_SUCCESS);
    c.v.later([d = c.v.device, l = layout] { vkDestroyPipelineLayout(d, l, nullptr); });
    const std::string head =
        "#version 450\nlayout(binding = 0) buffer O { uint o[]; };\nlayout(binding = 1) buffer I { uint i[]; };\n"
        "layout(push_constant) uniform P { uint a, b; };\n";
    compute = c.v.pipeline(head + "void main() { o[0] = i[0] + a + b; }\n", layout);
    PipelineState s;
    s.layout = layout;
    s.vertex = covering_vertices();
    s.fragment = head + "layout(location = 0) out vec4 r;\nvoid main() { o[1] = i[0] * a * b; r = vec4(1); }\n";
    graphics = c.pipeline(s);
  }
  /// What both wrote, when `bind` has bound the buffers.
  void run(const std::function<void(VkCommandBuffer)>& bind) {
    out.set(0, 0), out.set(1, 0);
    const std::uint32_t first = 100, second = 3;
    VkPushConstantsInfo push{VK_STRUCTURE_TYPE_PUSH_CONSTANTS_INFO, nullptr, layout, kStages, 0, 4, &first};
    const auto push_constants = c.v.proc<PFN_vkCmdPushConstants2>("vkCmdPushConstants2KHR");
    ASSERT_EQ(c.v.run([&](VkCommandBuffer b) {
      bind(b);
      push_constants(b, &push);
      push.offset = 4;
      push.pValues = &second;
      push_constants(b, &push);
      vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_COMPUTE, compute);
      vkCmdDispatch(b, 1, 1, 1);
      barrier(b);
      c.begin(b, true);
      vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics);
      vkCmdDraw(b, 3, 1, 0, 0);
      c.end(b);
    }),
              VK_SUCCESS);
    EXPECT_EQ(out.word(0), 110u);
    EXPECT_EQ(out.word(1), 2100u);
  }
  static constexpr VkShaderStageFlags kStages = VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
  const std::vector<VulkanDevice::Binding> bindings{{0, kStorage}, {1, kStorage}};
  Canvas c;
  VulkanDevice::Buffer in, out;
  VkDescriptorSetLayout sets = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline compute = VK_NULL_HANDLE, graphics = VK_NULL_HANDLE;
};

TEST_F(BothPoints, OneBindingOfSetsIsForAllItsStages) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  make(0);
  const VkDescriptorSet set = c.v.set(sets, bindings);
  c.v.write(set, 0, kStorage, out);
  c.v.write(set, 1, kStorage, in);
  const auto bind = c.v.proc<PFN_vkCmdBindDescriptorSets2>("vkCmdBindDescriptorSets2KHR");
  run([&](VkCommandBuffer b) {
    const VkBindDescriptorSetsInfo info{
        VK_STRUCTURE_TYPE_BIND_DESCRIPTOR_SETS_INFO, nullptr, kStages, layout, 0, 1, &set};
    bind(b, &info);
  });
}

TEST_F(BothPoints, PushedDescriptorsAreForAllTheirStages) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  make(VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR);
  const VkDescriptorBufferInfo buffers[] = {{out.buffer, 0, VK_WHOLE_SIZE}, {in.buffer, 0, VK_WHOLE_SIZE}};
  VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
  write.descriptorCount = 2;
  write.descriptorType = kStorage;
  write.pBufferInfo = buffers;
  const VkPushDescriptorSetInfo info{
      VK_STRUCTURE_TYPE_PUSH_DESCRIPTOR_SET_INFO, nullptr, kStages, layout, 0, 1, &write};
  const auto push = c.v.proc<PFN_vkCmdPushDescriptorSet2>("vkCmdPushDescriptorSet2KHR");
  run([&](VkCommandBuffer b) { push(b, &info); });

  const auto push_by_template =
      c.v.proc<PFN_vkCmdPushDescriptorSetWithTemplate2>("vkCmdPushDescriptorSetWithTemplate2KHR");
  std::vector<VkDescriptorUpdateTemplate> templates;
  const VkDescriptorUpdateTemplateEntry entry{0, 0, 2, kStorage, 0, sizeof buffers[0]};
  for (const VkPipelineBindPoint point : {VK_PIPELINE_BIND_POINT_COMPUTE, VK_PIPELINE_BIND_POINT_GRAPHICS}) {
    VkDescriptorUpdateTemplateCreateInfo made{VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO};
    made.descriptorUpdateEntryCount = 1;
    made.pDescriptorUpdateEntries = &entry;
    made.templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR;
    made.pipelineBindPoint = point;
    made.pipelineLayout = layout;
    ASSERT_EQ(vkCreateDescriptorUpdateTemplate(c.v.device, &made, nullptr, &templates.emplace_back()), VK_SUCCESS);
  }
  run([&](VkCommandBuffer b) {
    for (const VkDescriptorUpdateTemplate t : templates) {
      const VkPushDescriptorSetWithTemplateInfo by{
          VK_STRUCTURE_TYPE_PUSH_DESCRIPTOR_SET_WITH_TEMPLATE_INFO, nullptr, t, layout, 0, buffers};
      push_by_template(b, &by);
    }
  });
  for (const VkDescriptorUpdateTemplate t : templates) vkDestroyDescriptorUpdateTemplate(c.v.device, t, nullptr);

  // Without a layout nothing is pushed, and the application hears of it.
  c.v.expects_messages = true;
  VkPushDescriptorSetInfo none = info;
  none.layout = VK_NULL_HANDLE;
  EXPECT_EQ(c.v.run([&](VkCommandBuffer b) { push(b, &none); }), VK_SUCCESS);
  ASSERT_FALSE(c.v.messages.empty());
  EXPECT_NE(c.v.messages.back().find("vkCmdPushDescriptorSet2: layout"), std::string::npos) << c.v.messages.back();
}

TEST(VulkanMaintenance6, WithoutAnIndexBufferEveryIndexIsZero) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  Canvas c(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
           {kSix, VK_EXT_ROBUSTNESS_2_EXTENSION_NAME});
  PipelineState s;
  s.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
  s.vertex =
      "#version 450\nvoid main() { gl_PointSize = 1; gl_Position = vec4(gl_VertexIndex == 5 ? 0.25 : -0.75, 0.25, 0, "
      "1); "
      "}\n";
  s.fragment = one_color("vec4(1)");
  const VkPipeline pipeline = c.pipeline(s);
  c.draw([&](VkCommandBuffer b) {
    vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdBindIndexBuffer(b, VK_NULL_HANDLE, 0, VK_INDEX_TYPE_UINT32);
    vkCmdDrawIndexed(b, 3, 1, 0, 5, 0);
  });
  EXPECT_EQ(white(c.pixels()), 1u);
  EXPECT_EQ(c.pixels()[2 * 4 + 2], kWhite) << "index 0, and 5 is added";
}

TEST(VulkanMapMemory2, MapsAndUnmaps) {
  HEDDLE_NEED_NEWER();
  VulkanDevice v({"VK_KHR_map_memory2"});
  const auto buffer = v.buffer(64);
  buffer.set(4, 0x1234);
  vkUnmapMemory(v.device, buffer.memory);
  VkMemoryMapInfo info{VK_STRUCTURE_TYPE_MEMORY_MAP_INFO, nullptr, 0, buffer.memory, 16, 8};
  void* mapped = nullptr;
  ASSERT_EQ(v.proc<PFN_vkMapMemory2>("vkMapMemory2KHR")(v.device, &info, &mapped), VK_SUCCESS);
  EXPECT_EQ(*static_cast<std::uint32_t*>(mapped), 0x1234u);
  const VkMemoryUnmapInfo unmap{VK_STRUCTURE_TYPE_MEMORY_UNMAP_INFO, nullptr, 0, buffer.memory};
  EXPECT_EQ(v.proc<PFN_vkUnmapMemory2>("vkUnmapMemory2KHR")(v.device, &unmap), VK_SUCCESS);
  info.size = 1 << 20;
  EXPECT_EQ(v.proc<PFN_vkMapMemory2>("vkMapMemory2KHR")(v.device, &info, &mapped), VK_ERROR_MEMORY_MAP_FAILED);
}

// VK_EXT_memory_budget, VK_EXT_memory_priority, VK_EXT_pageable_device_local_memory.
TEST(VulkanMemory, TellsWhatIsUsedOfTheHeap) {
  VulkanDevice v({VK_EXT_MEMORY_BUDGET_EXTENSION_NAME, VK_EXT_MEMORY_PRIORITY_EXTENSION_NAME,
                  VK_EXT_PAGEABLE_DEVICE_LOCAL_MEMORY_EXTENSION_NAME});
  const auto used = [&] {
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
    std::ranges::fill(budget.heapBudget, 1u);
    VkPhysicalDeviceMemoryProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, &budget, {}};
    vkGetPhysicalDeviceMemoryProperties2(v.physical, &all);
    EXPECT_EQ(all.memoryProperties.memoryHeapCount, 1u);
    EXPECT_EQ(budget.heapBudget[0], all.memoryProperties.memoryHeaps[0].size);
    EXPECT_EQ(budget.heapBudget[1], 0u);
    return budget.heapUsage[0];
  };
  EXPECT_EQ(used(), 0u);
  const VkMemoryPriorityAllocateInfoEXT priority{VK_STRUCTURE_TYPE_MEMORY_PRIORITY_ALLOCATE_INFO_EXT, nullptr, 0.25f};
  const VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &priority, 1 << 20, 0};
  VkDeviceMemory memory = VK_NULL_HANDLE;
  ASSERT_EQ(vkAllocateMemory(v.device, &allocate, nullptr, &memory), VK_SUCCESS);
  EXPECT_EQ(used(), 1u << 20);
  void* mapped = nullptr;
  ASSERT_EQ(vkMapMemory(v.device, memory, 0, VK_WHOLE_SIZE, 0, &mapped), VK_SUCCESS);
  std::memset(mapped, 0x5a, 1 << 20);
  const auto set_priority = v.proc<PFN_vkSetDeviceMemoryPriorityEXT>("vkSetDeviceMemoryPriorityEXT");
  ASSERT_NE(set_priority, nullptr);
  set_priority(v.device, memory, 0);
  EXPECT_EQ(static_cast<std::uint8_t*>(mapped)[(1 << 20) - 1], 0x5a) << "memory of no importance keeps what it holds";
  vkFreeMemory(v.device, memory, nullptr);
  EXPECT_EQ(used(), 0u);
}

}  // namespace
}  // namespace heddle::test
