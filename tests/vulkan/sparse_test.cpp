// SPDX-License-Identifier: MIT
// Buffers and images that have memory in parts. Rules: SPR-1 to SPR-4, VKF-8.

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "vulkan/canvas.hpp"
#include "vulkan/feature_kit.hpp"

namespace heddle::test {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint64_t kPage = 65536;
constexpr VkImageCreateFlags kInParts = VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT;

struct Sparse {
  VulkanDevice v;

  /// Memory of so many pages, with its bytes.
  VulkanDevice::Buffer memory(std::uint64_t pages) { return v.buffer(pages * kPage); }
  VkResult bind(const VkBindSparseInfo& info) const {
    const VkResult result = vkQueueBindSparse(v.queue, 1, &info, VK_NULL_HANDLE);
    return result == VK_SUCCESS ? vkQueueWaitIdle(v.queue) : result;
  }
  VkResult bind(VkBuffer buffer, const VkSparseMemoryBind& bind_one) const {
    const VkSparseBufferMemoryBindInfo one{buffer, 1, &bind_one};
    VkBindSparseInfo info{VK_STRUCTURE_TYPE_BIND_SPARSE_INFO};
    info.bufferBindCount = 1;
    info.pBufferBinds = &one;
    return bind(info);
  }
  VkResult bind_opaque(VkImage image, const VkSparseMemoryBind& bind_one) const {
    const VkSparseImageOpaqueMemoryBindInfo one{image, 1, &bind_one};
    VkBindSparseInfo info{VK_STRUCTURE_TYPE_BIND_SPARSE_INFO};
    info.imageOpaqueBindCount = 1;
    info.pImageOpaqueBinds = &one;
    return bind(info);
  }
  VkResult bind(VkImage image, const VkSparseImageMemoryBind& bind_one) const {
    const VkSparseImageMemoryBindInfo one{image, 1, &bind_one};
    VkBindSparseInfo info{VK_STRUCTURE_TYPE_BIND_SPARSE_INFO};
    info.imageBindCount = 1;
    info.pImageBinds = &one;
    return bind(info);
  }
  VkBuffer buffer(std::uint64_t size, VkBufferUsageFlags more_usage = 0) {
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.flags = VK_BUFFER_CREATE_SPARSE_BINDING_BIT | VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT |
                 VK_BUFFER_CREATE_SPARSE_ALIASED_BIT;
    info.size = size;
    info.usage = more_usage | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                 VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    VkBuffer made = VK_NULL_HANDLE;
    EXPECT_EQ(vkCreateBuffer(v.device, &info, nullptr, &made), VK_SUCCESS);
    v.later([this, made] { vkDestroyBuffer(v.device, made, nullptr); });
    return made;
  }
  VkImage image(VkImageCreateInfo info, VkImageCreateFlags flags = kInParts) {
    info.flags |= flags;
    VkImage made = VK_NULL_HANDLE;
    EXPECT_EQ(vkCreateImage(v.device, &info, nullptr, &made), VK_SUCCESS);
    v.later([this, made] { vkDestroyImage(v.device, made, nullptr); });
    return made;
  }
  VkSparseImageMemoryRequirements parts(VkImage image) const {
    std::uint32_t count = 0;
    vkGetImageSparseMemoryRequirements(v.device, image, &count, nullptr);
    EXPECT_EQ(count, 1u);
    VkSparseImageMemoryRequirements to{};
    vkGetImageSparseMemoryRequirements(v.device, image, &count, &to);
    return to;
  }
  std::uint64_t size(VkImage image) const {
    VkMemoryRequirements r;
    vkGetImageMemoryRequirements(v.device, image, &r);
    EXPECT_EQ(r.alignment, kPage);
    return r.size;
  }
  void make_general(VkImage image) {
    ASSERT_EQ(
        v.run([&](VkCommandBuffer c) { change_layout(c, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL); }),
        VK_SUCCESS);
  }
  /// `from`: its layout.
  void clear(VkImage image, std::uint32_t value, VkImageLayout from = VK_IMAGE_LAYOUT_UNDEFINED) {
    VkClearColorValue color{};
    std::ranges::fill(color.uint32, value);
    const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0,
                                      VK_REMAINING_ARRAY_LAYERS};
    ASSERT_EQ(v.run([&](VkCommandBuffer c) {
      change_layout(c, image, from, VK_IMAGE_LAYOUT_GENERAL);
      vkCmdClearColorImage(c, image, VK_IMAGE_LAYOUT_GENERAL, &color, 1, &all);
      barrier(c);
    }),
              VK_SUCCESS);
  }
  /// A level's texels of 4 bytes.
  std::vector<std::uint32_t> read(VkImage image, VkExtent3D extent, std::uint32_t level = 0, std::uint32_t layer = 0) {
    const std::size_t count = std::size_t{extent.width} * extent.height * extent.depth;
    const auto out = v.buffer(count * 4);
    VkBufferImageCopy region{};
    region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, layer, 1};
    region.imageExtent = extent;
    EXPECT_EQ(v.run([&](VkCommandBuffer c) {
      barrier(c);
      vkCmdCopyImageToBuffer(c, image, VK_IMAGE_LAYOUT_GENERAL, out.buffer, 1, &region);
      barrier(c);
    }),
              VK_SUCCESS);
    std::vector<std::uint32_t> values;
    for (std::size_t i = 0; i < count; ++i) values.push_back(out.word(i));
    return values;
  }
};

VkImageCreateInfo image_info(VkFormat format, VkExtent3D extent, std::uint32_t levels = 1) {
  VkImageCreateInfo info = VulkanDevice::image_info(format, extent.width, extent.height);
  info.imageType = extent.depth > 1 ? VK_IMAGE_TYPE_3D : VK_IMAGE_TYPE_2D;
  info.extent = extent;
  info.mipLevels = levels;
  info.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
               VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  return info;
}

std::uint32_t word_at(const VulkanDevice::Buffer& buffer, std::uint64_t byte) { return buffer.word(byte / 4); }

// Two of four pages have memory, in the order 1, 0 of the allocation; the others are zeros, whatever is written.
TEST(VulkanSparse, BuffersHaveMemoryInPlaces_SPR2) {
  Sparse s;
  const VkBuffer buffer = s.buffer(4 * kPage);
  VkMemoryRequirements r;
  vkGetBufferMemoryRequirements(s.v.device, buffer, &r);
  EXPECT_EQ(r.size, 4 * kPage);
  EXPECT_EQ(r.alignment, kPage);
  const auto memory = s.memory(2), out = s.v.buffer(4 * kPage);
  ASSERT_EQ(s.bind(buffer, {kPage, kPage, memory.memory, kPage, 0}), VK_SUCCESS);
  ASSERT_EQ(s.bind(buffer, {3 * kPage, kPage, memory.memory, 0, 0}), VK_SUCCESS);
  const VkBufferCopy all{0, 0, 4 * kPage};
  ASSERT_EQ(s.v.run([&](VkCommandBuffer c) {
    vkCmdFillBuffer(c, buffer, 0, VK_WHOLE_SIZE, 5);
    barrier(c);
    vkCmdFillBuffer(c, buffer, 3 * kPage, kPage, 6);
    barrier(c);
    vkCmdCopyBuffer(c, buffer, out.buffer, 1, &all);
    barrier(c);
  }),
            VK_SUCCESS);
  for (const std::uint64_t page : {0u, 1u, 2u, 3u})
    for (const std::uint64_t at : {page * kPage, page * kPage + kPage - 4})
      EXPECT_EQ(word_at(out, at), (std::array{0u, 5u, 0u, 6u}[page])) << at;
  EXPECT_EQ(word_at(memory, kPage), 5u);  // the buffer's page 1 is the allocation's page 1
  EXPECT_EQ(word_at(memory, 0), 6u);
  // Without memory the page is zeros again; the allocation keeps its bytes.
  ASSERT_EQ(s.bind(buffer, {kPage, kPage, VK_NULL_HANDLE, 0, 0}), VK_SUCCESS);
  ASSERT_EQ(s.v.run([&](VkCommandBuffer c) {
    vkCmdCopyBuffer(c, buffer, out.buffer, 1, &all);
    barrier(c);
  }),
            VK_SUCCESS);
  EXPECT_EQ(word_at(out, kPage), 0u);
  EXPECT_EQ(word_at(memory, kPage), 5u);
}

// Bindings that go on where others end, in the buffer, in the memory or in both.
TEST(VulkanSparse, BindingsFollowEachOther_SPR2) {
  Sparse s;
  constexpr std::uint32_t kPages = 6, kBound[kPages] = {1, 2, 0, 9, 9, 3};  // the memory's page of each; 9: none
  const VkBuffer buffer = s.buffer(kPages * kPage);
  const auto memory = s.memory(4), other = s.memory(1), out = s.v.buffer(kPages * kPage);
  ASSERT_EQ(s.bind(buffer, {4 * kPage, kPage, other.memory, 0, 0}), VK_SUCCESS);  // is taken away again
  std::vector<VkSparseMemoryBind> binds;
  for (std::uint32_t page = 0; page < kPages; ++page)
    binds.push_back({page * kPage, kPage, kBound[page] == 9 ? VK_NULL_HANDLE : memory.memory,
                     kBound[page] == 9 ? 0 : kBound[page] * kPage, 0});
  const VkSparseBufferMemoryBindInfo all{buffer, kPages, binds.data()};
  VkBindSparseInfo info{VK_STRUCTURE_TYPE_BIND_SPARSE_INFO};
  info.bufferBindCount = 1;
  info.pBufferBinds = &all;
  ASSERT_EQ(s.bind(info), VK_SUCCESS);
  for (std::uint32_t page = 0; page < 4; ++page) memory.set(page * kPage / 4, 10 + page);
  other.set(0, 20);
  const VkBufferCopy whole{0, 0, kPages * kPage};
  ASSERT_EQ(s.v.run([&](VkCommandBuffer c) {
    vkCmdCopyBuffer(c, buffer, out.buffer, 1, &whole);
    barrier(c);
  }),
            VK_SUCCESS);
  for (std::uint32_t page = 0; page < kPages; ++page)
    EXPECT_EQ(word_at(out, page * kPage), kBound[page] == 9 ? 0 : 10 + kBound[page]) << page;
}

// One page at two places of a buffer, and in another buffer: what a shader writes to one is read at all.
TEST(VulkanSparse, PagesOfBuffersAreShared_SPR2) {
  HEDDLE_NEED_SHADERS();
  Sparse s;
  const VkBuffer a = s.buffer(2 * kPage), b = s.buffer(kPage);
  const auto memory = s.memory(1);
  for (const std::uint64_t at : {std::uint64_t{0}, kPage})
    ASSERT_EQ(s.bind(a, {at, kPage, memory.memory, 0, 0}), VK_SUCCESS);
  ASSERT_EQ(s.bind(b, {0, kPage, memory.memory, 0, 0}), VK_SUCCESS);
  const std::vector<VulkanDevice::Binding> bindings = {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
  const VkDescriptorSetLayout sets = s.v.set_layout(bindings);
  const VkPipelineLayout layout = s.v.layout({sets});
  const VkDescriptorSet set = s.v.set(sets, bindings);
  VulkanDevice::Buffer whole;
  whole.buffer = a;
  s.v.write(set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, whole);
  const VkPipeline pipeline = s.v.pipeline(
      "#version 450\nlayout(binding = 0, std430) buffer B { uint b[]; };\nvoid main() { b[3] = 11; b[16384 + 4] = 12; "
      "}\n",
      layout);
  ASSERT_EQ(s.v.run([&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdDispatch(c, 1, 1, 1);
    barrier(c);
  }),
            VK_SUCCESS);
  EXPECT_EQ(memory.word(3), 11u);
  EXPECT_EQ(memory.word(4), 12u);
  const auto out = s.v.buffer(32);
  const VkBufferCopy start{0, 0, 32};
  ASSERT_EQ(s.v.run([&](VkCommandBuffer c) {
    vkCmdCopyBuffer(c, b, out.buffer, 1, &start);
    barrier(c);
  }),
            VK_SUCCESS);
  EXPECT_EQ(out.word(3), 11u);
  EXPECT_EQ(out.word(4), 12u);
}

// The blocks of 64 KiB of the specification's tables, in texels.
TEST(VulkanSparse, BlocksHaveStandardShapes_SPR1) {
  Sparse s;
  struct Row {
    VkFormat format;
    VkImageType type;
    std::uint32_t samples;
    VkExtent3D block;
  };
  const Row rows[] = {{VK_FORMAT_R8_UINT, VK_IMAGE_TYPE_2D, 1, {256, 256, 1}},
                      {VK_FORMAT_R16_UINT, VK_IMAGE_TYPE_2D, 1, {256, 128, 1}},
                      {VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_2D, 1, {128, 128, 1}},
                      {VK_FORMAT_R32G32_UINT, VK_IMAGE_TYPE_2D, 1, {128, 64, 1}},
                      {VK_FORMAT_R32G32B32A32_UINT, VK_IMAGE_TYPE_2D, 1, {64, 64, 1}},
                      {VK_FORMAT_BC1_RGBA_UNORM_BLOCK, VK_IMAGE_TYPE_2D, 1, {512, 256, 1}},
                      {VK_FORMAT_BC7_UNORM_BLOCK, VK_IMAGE_TYPE_2D, 1, {256, 256, 1}},
                      {VK_FORMAT_D16_UNORM, VK_IMAGE_TYPE_2D, 1, {256, 128, 1}},
                      {VK_FORMAT_R8_UINT, VK_IMAGE_TYPE_3D, 1, {64, 32, 32}},
                      {VK_FORMAT_R16_UINT, VK_IMAGE_TYPE_3D, 1, {32, 32, 32}},
                      {VK_FORMAT_R32_UINT, VK_IMAGE_TYPE_3D, 1, {32, 32, 16}},
                      {VK_FORMAT_R32G32_UINT, VK_IMAGE_TYPE_3D, 1, {32, 16, 16}},
                      {VK_FORMAT_R32G32B32A32_UINT, VK_IMAGE_TYPE_3D, 1, {16, 16, 16}},
                      {VK_FORMAT_R8_UINT, VK_IMAGE_TYPE_2D, 2, {128, 256, 1}},
                      {VK_FORMAT_R32_UINT, VK_IMAGE_TYPE_2D, 2, {64, 128, 1}},
                      {VK_FORMAT_R16_UINT, VK_IMAGE_TYPE_2D, 4, {128, 64, 1}},
                      {VK_FORMAT_R32_UINT, VK_IMAGE_TYPE_2D, 4, {64, 64, 1}},
                      {VK_FORMAT_R32G32_UINT, VK_IMAGE_TYPE_2D, 8, {32, 32, 1}},
                      {VK_FORMAT_R32_UINT, VK_IMAGE_TYPE_2D, 8, {32, 64, 1}},
                      {VK_FORMAT_R32G32B32A32_UINT, VK_IMAGE_TYPE_2D, 16, {16, 16, 1}}};
  const auto block = [&](VkFormat format, VkImageType type, std::uint32_t samples) {
    std::uint32_t count = 1;
    VkSparseImageFormatProperties p{};
    vkGetPhysicalDeviceSparseImageFormatProperties(s.v.physical, format, type,
                                                   static_cast<VkSampleCountFlagBits>(samples),
                                                   VK_IMAGE_USAGE_SAMPLED_BIT, VK_IMAGE_TILING_OPTIMAL, &count, &p);
    return std::pair(count, p);
  };
  for (const Row& row : rows) {
    const auto [count, p] = block(row.format, row.type, row.samples);
    ASSERT_EQ(count, 1u) << row.format;
    EXPECT_EQ(p.flags, 0u);
    EXPECT_THAT((std::array{p.imageGranularity.width, p.imageGranularity.height, p.imageGranularity.depth}),
                ElementsAre(row.block.width, row.block.height, row.block.depth))
        << row.format << " " << row.samples;
  }
  EXPECT_EQ(block(VK_FORMAT_D32_SFLOAT_S8_UINT, VK_IMAGE_TYPE_2D, 1).first, 0u);  // two aspects
  EXPECT_EQ(block(VK_FORMAT_R8_UINT, VK_IMAGE_TYPE_1D, 1).first, 0u);
  EXPECT_EQ(block(VK_FORMAT_R10X6_UNORM_PACK16, VK_IMAGE_TYPE_2D, 1).first, 0u);  // bits that say nothing
  EXPECT_EQ(block(VK_FORMAT_R12X4G12X4_UNORM_2PACK16, VK_IMAGE_TYPE_2D, 1).first, 0u);
}

// 512x256 texels of 4 bytes are 4x2 blocks, level 1 is 2x1; level 2 is lower than a block: the tail.
TEST(VulkanSparse, LevelsArePartsOrTheTail_SPR3) {
  Sparse s;
  VkImageCreateInfo info = image_info(VK_FORMAT_R32_UINT, {512, 256, 1}, 4);
  info.arrayLayers = 2;
  const VkImage image = s.image(info);
  const VkSparseImageMemoryRequirements parts = s.parts(image);
  EXPECT_EQ(parts.imageMipTailFirstLod, 2u);
  EXPECT_EQ(parts.imageMipTailSize, kPage);  // (128 * 64 + 64 * 32) texels
  EXPECT_EQ(parts.imageMipTailOffset, 2 * 10 * kPage);
  EXPECT_EQ(parts.imageMipTailStride, kPage);
  EXPECT_EQ(s.size(image), (2 * 10 + 2) * kPage);
  const auto memory = s.memory(3);
  const VkImageSubresource second{VK_IMAGE_ASPECT_COLOR_BIT, 1, 1};
  ASSERT_EQ(s.bind(image, VkSparseImageMemoryBind{second, {128, 0, 0}, {128, 128, 1}, memory.memory, 0, 0}),
            VK_SUCCESS);
  ASSERT_EQ(s.bind_opaque(image, {parts.imageMipTailOffset + parts.imageMipTailStride, kPage, memory.memory, kPage, 0}),
            VK_SUCCESS);
  s.clear(image, 9);
  const auto level1 = s.read(image, {256, 128, 1}, 1, 1);
  for (std::uint32_t i = 0; i < level1.size(); ++i) ASSERT_EQ(level1[i], i % 256 < 128 ? 0u : 9u) << i;
  EXPECT_THAT(s.read(image, {256, 128, 1}, 1, 0), Each(0u));
  EXPECT_THAT(s.read(image, {128, 64, 1}, 2, 1), Each(9u));
  EXPECT_THAT(s.read(image, {64, 32, 1}, 3, 1), Each(9u));
  EXPECT_THAT(s.read(image, {128, 64, 1}, 2, 0), Each(0u));
  ASSERT_EQ(s.bind(image, VkSparseImageMemoryBind{second, {128, 0, 0}, {128, 128, 1}, VK_NULL_HANDLE, 0, 0}),
            VK_SUCCESS);
  EXPECT_THAT(s.read(image, {256, 128, 1}, 1, 1), Each(0u));
}

// Block (1, 0) of four: a shader stores everywhere, and asks where texels are.
TEST(VulkanSparse, ShadersSeeWhatIsResident_SPR3) {
  HEDDLE_NEED_SHADERS();
  for (const char* const texel : {"int code = sparseTexelFetchARB(t, p, 0, texel);",
                                  "int code = sparseTextureLodARB(t, (vec2(p) + 0.5) / 256.0, 0.0, texel);"}) {
    Sparse s;
    const VkImage image = s.image(image_info(VK_FORMAT_R32_SFLOAT, {256, 256, 1}));
    const auto memory = s.memory(1);
    ASSERT_EQ(s.bind(image,
                     VkSparseImageMemoryBind{
                         {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0}, {128, 0, 0}, {128, 128, 1}, memory.memory, 0, 0}),
              VK_SUCCESS);
    s.clear(image, 0);
    const VkImageView view = s.v.view(image, VK_FORMAT_R32_SFLOAT);
    FeatureRun stored(s.v);
    stored.image(3, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, view);
    (void)stored.run("#version 450\n" + kFeatureHead +
                     "layout(binding = 3, r32f) uniform image2D i;\n"
                     "void main() { uint n = gl_LocalInvocationIndex;\n"
                     "  imageStore(i, ivec2(16 * n, 8 * n), vec4(1.0 + n)); o[n] = 0; }\n");
    FeatureRun seen(s.v);
    seen.image(3, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, view, s.v.sampler(VK_FILTER_NEAREST));
    const auto o =
        seen.run("#version 450\n#extension GL_ARB_sparse_texture2 : require\n" + kFeatureHead +
                 "layout(binding = 3) uniform sampler2D t;\n"
                 "void main() { uint n = gl_LocalInvocationIndex; ivec2 p = ivec2(16 * n, 8 * n); vec4 texel;\n  " +
                 texel + "\n  o[n] = uint(texel.r) + (sparseTexelsResidentARB(code) ? 100u : 0u); }\n");
    for (std::uint32_t n = 0; n < 16; ++n) EXPECT_EQ(o[n], n < 8 ? 0 : 101 + n) << texel << " " << n;
  }
}

// Two blocks side by side, the left with memory: a draw that adds to what is there, twice; an atomic addition by a
// shader returns zero where there is none, and stays nowhere.
TEST(VulkanSparse, DrawsAndAtomicsKeepNothingWithoutMemory_SPR3) {
  HEDDLE_NEED_SHADERS();
  Canvas c(256, 128);
  VulkanDevice& v = c.v;
  VkImageCreateInfo info = image_info(VK_FORMAT_R8G8B8A8_UNORM, {256, 128, 1});
  info.flags = kInParts;
  info.usage |= VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  const auto memory = v.buffer(kPage);
  VkImage image = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateImage(v.device, &info, nullptr, &image), VK_SUCCESS);
  v.later([d = v.device, image] { vkDestroyImage(d, image, nullptr); });
  const VkSparseImageMemoryBind left{{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0}, {0, 0, 0}, {128, 128, 1}, memory.memory, 0, 0};
  const VkSparseImageMemoryBindInfo of_image{image, 1, &left};
  VkBindSparseInfo bind{VK_STRUCTURE_TYPE_BIND_SPARSE_INFO};
  bind.imageBindCount = 1;
  bind.pImageBinds = &of_image;
  ASSERT_EQ(vkQueueBindSparse(v.queue, 1, &bind, VK_NULL_HANDLE), VK_SUCCESS);
  ASSERT_EQ(vkQueueWaitIdle(v.queue), VK_SUCCESS);
  PipelineState s;
  s.vertex = covering_vertices();
  s.fragment = one_color("vec4(0.2, 0.4, 0, 0.2)");  // 51, 102, 0, 51
  s.blend = {{VK_TRUE, VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ONE, VK_BLEND_OP_ADD, VK_BLEND_FACTOR_ONE,
              VK_BLEND_FACTOR_ONE, VK_BLEND_OP_ADD, 15}};
  const VkPipeline pipeline = c.pipeline(s);
  VkRenderingAttachmentInfo color{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
  color.imageView = v.view(image, info.format);
  color.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
  color.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  VkRenderingInfo pass{VK_STRUCTURE_TYPE_RENDERING_INFO};
  pass.renderArea.extent = {256, 128};
  pass.layerCount = 1;
  pass.colorAttachmentCount = 1;
  pass.pColorAttachments = &color;
  const auto begin = v.proc<PFN_vkCmdBeginRenderingKHR>("vkCmdBeginRenderingKHR");
  const auto end = v.proc<PFN_vkCmdEndRenderingKHR>("vkCmdEndRenderingKHR");
  const auto out = v.buffer(256 * 128 * 4);
  VkBufferImageCopy region{};
  region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  region.imageExtent = info.extent;
  ASSERT_EQ(v.run([&](VkCommandBuffer b) {
    change_layout(b, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    begin(b, &pass);
    vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdDraw(b, 3, 1, 0, 0);
    vkCmdDraw(b, 3, 1, 0, 0);
    end(b);
    barrier(b);
    vkCmdCopyImageToBuffer(b, image, VK_IMAGE_LAYOUT_GENERAL, out.buffer, 1, &region);
    barrier(b);
  }),
            VK_SUCCESS);
  for (std::uint32_t i = 0; i < 256 * 128; ++i) ASSERT_EQ(out.word(i), i % 256 < 128 ? 0x6600cc66u : 0u) << i;
}

// An atomic addition returns zero where there is no memory, and stays nowhere.
TEST(VulkanSparse, AtomicsKeepNothingWithoutMemory_SPR3) {
  HEDDLE_NEED_SHADERS();
  Sparse s;
  const VkImage image = s.image(image_info(VK_FORMAT_R32_UINT, {256, 128, 1}));
  const auto memory = s.memory(1);
  ASSERT_EQ(
      s.bind(image,
             VkSparseImageMemoryBind{{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0}, {0, 0, 0}, {128, 128, 1}, memory.memory, 0, 0}),
      VK_SUCCESS);
  s.clear(image, 0);
  FeatureRun added(s.v);
  added.image(3, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, s.v.view(image, VK_FORMAT_R32_UINT));
  const auto o = added.run("#version 450\n" + kFeatureHead +
                           "layout(binding = 3, r32ui) uniform uimage2D i;\n"
                           "void main() { uint n = gl_LocalInvocationIndex; ivec2 p = ivec2(16 * n, 5);\n"
                           "  imageAtomicAdd(i, p, 7 + n); memoryBarrierImage(); o[n] = imageAtomicAdd(i, p, 1u); }\n");
  for (std::uint32_t n = 0; n < 16; ++n) EXPECT_EQ(o[n], n < 8 ? 7 + n : 0) << n;
}

// The same of floats: sums, the least and the greatest; and of 64-bit integers, whose blocks are 128 x 64.
TEST(VulkanSparse, AtomicsOfFloatsKeepNothingWithoutMemory_SPR3) {
  HEDDLE_NEED_SHADERS();
  Sparse s{VulkanDevice({VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME, VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME})};
  const VkImage image = s.image(image_info(VK_FORMAT_R32_SFLOAT, {256, 128, 1}));
  const auto memory = s.memory(1);
  ASSERT_EQ(
      s.bind(image,
             VkSparseImageMemoryBind{{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0}, {0, 0, 0}, {128, 128, 1}, memory.memory, 0, 0}),
      VK_SUCCESS);
  s.clear(image, 0);
  FeatureRun added(s.v);
  added.image(3, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, s.v.view(image, VK_FORMAT_R32_SFLOAT));
  const auto o = added.run(
      "#version 450\n#extension GL_EXT_shader_atomic_float : require\n"
      "#extension GL_EXT_shader_atomic_float2 : require\n" +
      kFeatureHead +
      "layout(binding = 3, r32f) uniform image2D i;\n"
      "void main() { uint n = gl_LocalInvocationIndex; ivec2 p = ivec2(16 * n, 5); float v = float(7 + n);\n"
      "  imageAtomicAdd(i, p, v); imageAtomicMin(i, p + ivec2(1), -v); imageAtomicMax(i, p + ivec2(2), v);\n"
      "  imageAtomicExchange(i, p + ivec2(3), v); memoryBarrierImage();\n"
      "  o[n] = uint(imageAtomicAdd(i, p, 1.0)); o[16 + n] = uint(-imageAtomicMin(i, p + ivec2(1), 0.0));\n"
      "  o[32 + n] = uint(imageAtomicMax(i, p + ivec2(2), 0.0));\n"
      "  o[48 + n] = uint(imageAtomicExchange(i, p + ivec2(3), 0.0)); }\n");
  for (std::uint32_t n = 0; n < 64; ++n) EXPECT_EQ(o[n], n % 16 < 8 ? 7 + n % 16 : 0) << n;
}

TEST(VulkanSparse, AtomicsOf64BitsKeepNothingWithoutMemory_SPR3) {
  HEDDLE_NEED_SHADERS();
  Sparse s{VulkanDevice({VK_EXT_SHADER_IMAGE_ATOMIC_INT64_EXTENSION_NAME})};
  VkImageCreateInfo info = image_info(VK_FORMAT_R64_UINT, {256, 64, 1});
  info.usage &= ~VkImageUsageFlags{VK_IMAGE_USAGE_SAMPLED_BIT};
  const VkImage image = s.image(info);
  const auto memory = s.memory(1);
  ASSERT_EQ(
      s.bind(image,
             VkSparseImageMemoryBind{{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0}, {0, 0, 0}, {128, 64, 1}, memory.memory, 0, 0}),
      VK_SUCCESS);
  s.clear(image, 0);
  FeatureRun added(s.v);
  added.image(3, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, s.v.view(image, VK_FORMAT_R64_UINT));
  const auto o = added.run(
      "#version 460\n#extension GL_EXT_shader_image_int64 : require\n"
      "#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require\n" +
      kFeatureHead +
      "layout(binding = 3, r64ui) uniform u64image2D i;\n"
      "void main() { uint n = gl_LocalInvocationIndex; ivec2 p = ivec2(16 * n, 5);\n"
      "  imageAtomicAdd(i, p, uint64_t(7 + n) << 32 | uint64_t(n)); memoryBarrierImage();\n"
      "  uint64_t was = imageAtomicMax(i, p, uint64_t(1)); o[n] = uint(was >> 32); o[16 + n] = uint(was); }\n");
  for (std::uint32_t n = 0; n < 16; ++n) {
    EXPECT_EQ(o[n], n < 8 ? 7 + n : 0) << n;
    EXPECT_EQ(o[16 + n], n < 8 ? n : 0) << n;
  }
}

// A volume of 2x1x2 blocks of 32x32x16 texels: one of them.
TEST(VulkanSparse, VolumesHaveBlocks_SPR3) {
  Sparse s;
  const VkImage image = s.image(image_info(VK_FORMAT_R32_UINT, {64, 32, 32}));
  const auto memory = s.memory(1);
  ASSERT_EQ(s.bind(image,
                   VkSparseImageMemoryBind{
                       {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0}, {32, 0, 16}, {32, 32, 16}, memory.memory, 0, 0}),
            VK_SUCCESS);
  s.clear(image, 3);
  const auto all = s.read(image, {64, 32, 32});
  for (std::uint32_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], i % 64 >= 32 && i / (64 * 32) >= 16 ? 3u : 0u) << i;
}

class VulkanSparseSamples : public testing::TestWithParam<std::uint32_t> {};
// Two blocks side by side, the left with memory: both are cleared, then resolved.
TEST_P(VulkanSparseSamples, BlocksHoldAllSamplesOfTheirPixels_SPR3) {
  Sparse s;
  const std::uint32_t samples = GetParam();
  const std::uint32_t width = 128 / (samples >= 8 ? 4 : samples >= 2 ? 2 : 1) / (samples >= 32 ? 2 : 1);
  const std::uint32_t height = 128 / (samples >= 16 ? 4 : samples >= 4 ? 2 : 1);
  VkImageCreateInfo info = image_info(VK_FORMAT_R8G8B8A8_UNORM, {2 * width, height, 1});
  info.samples = static_cast<VkSampleCountFlagBits>(samples);
  info.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
               VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  const VkImage image = s.image(info);
  EXPECT_EQ(s.size(image), 2 * kPage);
  const auto memory = s.memory(1);
  ASSERT_EQ(s.bind(image,
                   VkSparseImageMemoryBind{
                       {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0}, {0, 0, 0}, {width, height, 1}, memory.memory, 0, 0}),
            VK_SUCCESS);
  const VkImageView view = s.v.view(image, info.format);
  VkRenderingAttachmentInfo color{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
  color.imageView = view;
  color.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
  color.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  color.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  color.clearValue.color = {{1, 1, 1, 1}};
  VkRenderingInfo pass{VK_STRUCTURE_TYPE_RENDERING_INFO};
  pass.renderArea.extent = {2 * width, height};
  pass.layerCount = 1;
  pass.colorAttachmentCount = 1;
  pass.pColorAttachments = &color;
  VkImageCreateInfo plain = VulkanDevice::image_info(info.format, 2 * width, height);
  plain.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  const auto resolved = s.v.image(plain);
  VkImageResolve region{};
  region.srcSubresource = region.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  region.extent = info.extent;
  ASSERT_EQ(s.v.run([&](VkCommandBuffer c) {
    change_layout(c, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    vkCmdBeginRendering(c, &pass);
    vkCmdEndRendering(c);
    barrier(c);
    vkCmdResolveImage(c, image, VK_IMAGE_LAYOUT_GENERAL, resolved.image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    barrier(c);
  }),
            VK_SUCCESS);
  const auto all = s.read(resolved.image, info.extent);
  for (std::uint32_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], i % (2 * width) < width ? 0xffffffffu : 0u) << i;
}
INSTANTIATE_TEST_SUITE_P(Counts, VulkanSparseSamples, testing::Values(2u, 4u, 8u, 16u),
                         [](const auto& info) { return "Of" + std::to_string(info.param); });

// A block of memory in two images, and a tail of three levels in two: a clear of one is read from the other.
TEST(VulkanSparse, ImagesAlias_SPR4) {
  Sparse s;
  constexpr VkImageCreateFlags kAliased = kInParts | VK_IMAGE_CREATE_SPARSE_ALIASED_BIT;
  const VkImageCreateInfo info = image_info(VK_FORMAT_R32_UINT, {200, 128, 1}, 4);  // the second block is cut
  const VkImage a = s.image(info, kAliased), b = s.image(info, kAliased);
  const VkSparseImageMemoryRequirements parts = s.parts(a);
  const auto memory = s.memory(3);
  for (const VkImage image : {a, b}) {
    ASSERT_EQ(s.bind(image,
                     VkSparseImageMemoryBind{
                         {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0}, {0, 0, 0}, {200, 128, 1}, memory.memory, 0, 0}),
              VK_SUCCESS);
    ASSERT_EQ(s.bind_opaque(image, {parts.imageMipTailOffset, kPage, memory.memory, 2 * kPage, 0}), VK_SUCCESS);
  }
  for (const VkImage image : {a, b}) s.make_general(image);
  s.clear(a, 21, VK_IMAGE_LAYOUT_GENERAL);
  for (const std::uint32_t level : {0u, 1u, 3u})
    EXPECT_THAT(s.read(b, {200u >> level, 128u >> level, 1}, level), Each(21u)) << level;
  s.clear(b, 22, VK_IMAGE_LAYOUT_GENERAL);
  EXPECT_THAT(s.read(a, {200, 128, 1}), Each(22u));
  EXPECT_THAT(s.read(a, {50, 32, 1}, 2), Each(22u));
  EXPECT_EQ(memory.word(0), 22u);  // texel (0, 0) of a block is its first
}

// What was written to memory is there when the memory is bound again, to another block too, though the image does not
// alias; memory that other blocks had keeps theirs.
TEST(VulkanSparse, MemoryKeepsTexels_SPR4) {
  Sparse s;
  const VkImage image = s.image(image_info(VK_FORMAT_R32_UINT, {256, 128, 1}));
  const auto first = s.memory(2), second = s.memory(2);
  const auto bind_both = [&](const VulkanDevice::Buffer& memory) {
    ASSERT_EQ(s.bind(image, {{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0}, {}, {256, 128, 1}, memory.memory, 0, 0}), VK_SUCCESS);
  };
  bind_both(first);
  s.clear(image, 5);
  bind_both(second);
  EXPECT_THAT(s.read(image, {256, 128, 1}), Each(0u));  // of nobody: zeros
  s.clear(image, 6, VK_IMAGE_LAYOUT_GENERAL);
  // The first page of `first` was the left block's and becomes the right one's.
  ASSERT_EQ(s.bind(image, {{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0}, {128, 0, 0}, {128, 128, 1}, first.memory, 0, 0}),
            VK_SUCCESS);
  const auto mixed = s.read(image, {256, 128, 1});
  for (std::uint32_t i = 0; i < mixed.size(); ++i) ASSERT_EQ(mixed[i], i % 256 < 128 ? 6u : 5u) << i;
  // Unbound, and back: the right block's 6 lies in `second` still.
  ASSERT_EQ(s.bind(image, {{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0}, {}, {256, 128, 1}, VK_NULL_HANDLE, 0, 0}), VK_SUCCESS);
  EXPECT_THAT(s.read(image, {256, 128, 1}), Each(0u));
  bind_both(second);
  EXPECT_THAT(s.read(image, {256, 128, 1}), Each(6u));
}

// A block gets memory that another one still has, and that one gets its memory: both have each other's texels.
TEST(VulkanSparse, BlocksChangeMemory_SPR4) {
  Sparse s;
  const VkImage image = s.image(image_info(VK_FORMAT_R32_UINT, {256, 128, 1}));
  const auto memory = s.memory(2);
  const auto bind = [&](std::int32_t x, VkDeviceMemory bytes, VkDeviceSize page) {
    ASSERT_EQ(s.bind(image, {{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0}, {x, 0, 0}, {128, 128, 1}, bytes, 65536 * page, 0}),
              VK_SUCCESS);
  };
  const auto expect = [&](std::uint32_t left, std::uint32_t right) {
    const auto texels = s.read(image, {256, 128, 1});
    for (std::uint32_t i = 0; i < texels.size(); ++i) ASSERT_EQ(texels[i], i % 256 < 128 ? left : right) << i;
  };
  bind(0, memory.memory, 0);
  bind(128, memory.memory, 1);
  s.clear(image, 5);
  bind(128, VK_NULL_HANDLE, 0);
  s.clear(image, 6, VK_IMAGE_LAYOUT_GENERAL);
  bind(128, memory.memory, 1);
  expect(6, 5);
  bind(0, memory.memory, 1);
  bind(128, memory.memory, 0);
  expect(5, 6);
  // What becomes zero is zero when it comes back.
  s.clear(image, 0, VK_IMAGE_LAYOUT_GENERAL);
  bind(0, VK_NULL_HANDLE, 0);
  bind(0, memory.memory, 1);
  expect(0, 0);
}

// --- images of several planes ---

constexpr VkFormat kTwoPlanes = VK_FORMAT_G8_B8R8_2PLANE_420_UNORM;
constexpr std::uint32_t kSide = 512;  // 2x2 blocks of luma, 1x2 blocks of chroma

struct SparsePlanes : Sparse {
  static constexpr VkImageAspectFlagBits kLuma = VK_IMAGE_ASPECT_PLANE_0_BIT, kChroma = VK_IMAGE_ASPECT_PLANE_1_BIT;

  VkImage planes(VkImageCreateFlags flags = kInParts) {
    VkImageCreateInfo info = VulkanDevice::image_info(kTwoPlanes, kSide, kSide);
    info.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    return image(info, flags);
  }
  static VkExtent3D extent_of(VkImageAspectFlags plane) {
    return plane == kLuma ? VkExtent3D{kSide, kSide, 1} : VkExtent3D{kSide / 2, kSide / 2, 1};
  }
  static std::size_t bytes_of(VkImageAspectFlags plane) { return plane == kLuma ? kSide * kSide : kSide * kSide / 2; }
  /// Every byte of a plane.
  void fill(VkImage image, VkImageAspectFlags plane, std::uint8_t value) {
    const auto from = v.buffer(bytes_of(plane));
    std::memset(from.bytes, value, bytes_of(plane));
    VkBufferImageCopy region{};
    region.imageSubresource = {plane, 0, 0, 1};
    region.imageExtent = extent_of(plane);
    ASSERT_EQ(v.run([&](VkCommandBuffer c) {
      vkCmdCopyBufferToImage(c, from.buffer, image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
      barrier(c);
    }),
              VK_SUCCESS);
  }
  std::vector<std::uint8_t> bytes(VkImage image, VkImageAspectFlags plane) {
    const auto to = v.buffer(bytes_of(plane));
    VkBufferImageCopy region{};
    region.imageSubresource = {plane, 0, 0, 1};
    region.imageExtent = extent_of(plane);
    EXPECT_EQ(v.run([&](VkCommandBuffer c) {
      barrier(c);
      vkCmdCopyImageToBuffer(c, image, VK_IMAGE_LAYOUT_GENERAL, to.buffer, 1, &region);
      barrier(c);
    }),
              VK_SUCCESS);
    return {to.bytes, to.bytes + bytes_of(plane)};
  }
  /// What a texture of all planes with this conversion and filter stores as buffer 0 in a shader whose main is `body`,
  /// with `count` invocations of number n: the words.
  std::vector<std::uint32_t> sample(VkImage image, VkSamplerYcbcrConversionCreateInfo info, VkFilter own,
                                    std::uint32_t count, const std::string& body) {
    info.sType = VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_CREATE_INFO;
    info.format = kTwoPlanes;
    VkSamplerYcbcrConversionInfo conversion{VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_INFO};
    EXPECT_EQ(vkCreateSamplerYcbcrConversion(v.device, &info, nullptr, &conversion.conversion), VK_SUCCESS);
    v.later([d = v.device, made = conversion.conversion] { vkDestroySamplerYcbcrConversion(d, made, nullptr); });
    VkSamplerCreateInfo samplers{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, &conversion};
    samplers.addressModeU = samplers.addressModeV = samplers.addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
    samplers.magFilter = samplers.minFilter = own;
    VkSampler sampler = VK_NULL_HANDLE;
    EXPECT_EQ(vkCreateSampler(v.device, &samplers, nullptr, &sampler), VK_SUCCESS);
    v.later([d = v.device, sampler] { vkDestroySampler(d, sampler, nullptr); });
    const VkImageViewCreateInfo views{
        VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, &conversion, 0, image, VK_IMAGE_VIEW_TYPE_2D, kTwoPlanes, {},
        {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    VkImageView view = VK_NULL_HANDLE;
    EXPECT_EQ(vkCreateImageView(v.device, &views, nullptr, &view), VK_SUCCESS);
    v.later([d = v.device, view] { vkDestroyImageView(d, view, nullptr); });
    const VkDescriptorSetLayoutBinding bindings[] = {
        {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr},
        {1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_COMPUTE_BIT, &sampler}};
    const VkDescriptorSetLayoutCreateInfo layouts{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, nullptr, 0, 2,
                                                  bindings};
    VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
    EXPECT_EQ(vkCreateDescriptorSetLayout(v.device, &layouts, nullptr, &set_layout), VK_SUCCESS);
    v.later([d = v.device, set_layout] { vkDestroyDescriptorSetLayout(d, set_layout, nullptr); });
    const VkDescriptorSet set =
        v.set(set_layout, {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}, {1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER}});
    const auto out = v.buffer(64);
    v.write(set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, out);
    v.write(set, 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, view, VK_NULL_HANDLE);
    const VkPipelineLayout layout = v.layout({set_layout});
    const VkPipeline pipeline = v.pipeline(
        "#version 450\n#extension GL_ARB_sparse_texture2 : require\nlayout(local_size_x = " + std::to_string(count) +
            ") in;\nlayout(binding = 0) buffer Out { uint o[]; };\n"
            "layout(binding = 1) uniform sampler2D t;\n"
            "void main() {\n  uint n = gl_LocalInvocationIndex; vec4 texel;\n" +
            body + "}\n",
        layout);
    EXPECT_EQ(v.run([&](VkCommandBuffer c) {
      vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
      vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
      vkCmdDispatch(c, 1, 1, 1);
    }),
              VK_SUCCESS);
    std::vector<std::uint32_t> words;
    for (std::uint32_t k = 0; k < count; ++k) words.push_back(out.word(k));
    return words;
  }
};

// Each plane has blocks of its own, by the bytes of its elements, one plane behind the other.
TEST(VulkanSparse, PlanesHaveBlocksOfTheirOwn_SPR1) {
  SparsePlanes s;
  std::uint32_t count = 0;
  vkGetPhysicalDeviceSparseImageFormatProperties(s.v.physical, kTwoPlanes, VK_IMAGE_TYPE_2D, VK_SAMPLE_COUNT_1_BIT,
                                                 VK_IMAGE_USAGE_SAMPLED_BIT, VK_IMAGE_TILING_OPTIMAL, &count, nullptr);
  EXPECT_EQ(count, 2u);
  const VkImage image = s.planes();
  EXPECT_EQ(s.size(image), 6 * kPage);
  vkGetImageSparseMemoryRequirements(s.v.device, image, &count, nullptr);
  ASSERT_EQ(count, 2u);
  std::array<VkSparseImageMemoryRequirements, 2> parts{};
  vkGetImageSparseMemoryRequirements(s.v.device, image, &count, parts.data());
  for (std::uint32_t i = 0; i < 2; ++i) {
    const VkSparseImageFormatProperties& properties = parts[i].formatProperties;
    EXPECT_EQ(properties.aspectMask, i == 0 ? SparsePlanes::kLuma : SparsePlanes::kChroma);
    EXPECT_EQ(properties.imageGranularity.width, 256u);
    EXPECT_EQ(properties.imageGranularity.height, i == 0 ? 256u : 128u);
    EXPECT_EQ(parts[i].imageMipTailFirstLod, 1u);
    EXPECT_EQ(parts[i].imageMipTailSize, 0u);
  }
  // Padded bits, planes that lie apart, and pairs of texels have no blocks.
  VkImageFormatProperties can;
  for (const VkFormat format : {VK_FORMAT_G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16, VK_FORMAT_G8B8G8R8_422_UNORM})
    EXPECT_EQ(vkGetPhysicalDeviceImageFormatProperties(s.v.physical, format, VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL,
                                                       VK_IMAGE_USAGE_SAMPLED_BIT, kInParts, &can),
              VK_ERROR_FORMAT_NOT_SUPPORTED);
  EXPECT_EQ(vkGetPhysicalDeviceImageFormatProperties(s.v.physical, kTwoPlanes, VK_IMAGE_TYPE_2D,
                                                     VK_IMAGE_TILING_OPTIMAL, VK_IMAGE_USAGE_SAMPLED_BIT,
                                                     kInParts | VK_IMAGE_CREATE_DISJOINT_BIT, &can),
            VK_ERROR_FORMAT_NOT_SUPPORTED);
}

// The upper right block of luma by its place, the lower one of chroma by its bytes: the last of six pages.
TEST(VulkanSparse, PlanesAreBoundInParts_SPR3) {
  SparsePlanes s;
  const VkImage image = s.planes();
  const auto memory = s.memory(2);
  ASSERT_EQ(s.bind(image, {{SparsePlanes::kLuma, 0, 0}, {256, 0, 0}, {256, 256, 1}, memory.memory, 0, 0}), VK_SUCCESS);
  ASSERT_EQ(s.bind_opaque(image, {5 * kPage, kPage, memory.memory, kPage, 0}), VK_SUCCESS);
  s.make_general(image);
  s.fill(image, SparsePlanes::kLuma, 0x55);
  s.fill(image, SparsePlanes::kChroma, 0x66);
  const auto luma = s.bytes(image, SparsePlanes::kLuma), chroma = s.bytes(image, SparsePlanes::kChroma);
  for (std::size_t i = 0; i < luma.size(); ++i) ASSERT_EQ(luma[i], i % kSide >= 256 && i / kSide < 256 ? 0x55 : 0) << i;
  for (std::size_t i = 0; i < chroma.size(); ++i) ASSERT_EQ(chroma[i], i / kSide >= 128 ? 0x66 : 0) << i;
  // Without their memory they are zeros; chroma by its place.
  ASSERT_EQ(s.bind(image, {{SparsePlanes::kChroma, 0, 0}, {0, 128, 0}, {256, 128, 1}, VK_NULL_HANDLE, 0, 0}),
            VK_SUCCESS);
  EXPECT_THAT(s.bytes(image, SparsePlanes::kChroma), Each(0));
  EXPECT_EQ(s.bytes(image, SparsePlanes::kLuma), luma);
}

TEST(VulkanSparse, PlanesAlias_SPR4) {
  SparsePlanes s;
  const auto memory = s.memory(1);
  std::array<VkImage, 2> images{};
  for (VkImage& image : images) {
    image = s.planes(kInParts | VK_IMAGE_CREATE_SPARSE_ALIASED_BIT);
    ASSERT_EQ(s.bind(image, {{SparsePlanes::kChroma, 0, 0}, {}, {256, 128, 1}, memory.memory, 0, 0}), VK_SUCCESS);
    s.make_general(image);
  }
  s.fill(images[0], SparsePlanes::kChroma, 0x77);
  const auto seen = s.bytes(images[1], SparsePlanes::kChroma);
  for (std::size_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i], i / kSide < 128 ? 0x77 : 0) << i;
  EXPECT_EQ(memory.bytes[0], 0x77);
}

// A texel is resident where all its planes are. Luma has memory on the right, chroma above.
TEST(VulkanSparse, ShadersSeeWhichPlanesAreResident_SPR3) {
  HEDDLE_NEED_SHADERS();
  SparsePlanes s;
  const VkImage image = s.planes();
  const auto memory = s.memory(3);
  ASSERT_EQ(s.bind(image, {{SparsePlanes::kLuma, 0, 0}, {256, 0, 0}, {256, 512, 1}, memory.memory, 0, 0}), VK_SUCCESS);
  ASSERT_EQ(s.bind(image, {{SparsePlanes::kChroma, 0, 0}, {}, {256, 128, 1}, memory.memory, 2 * kPage, 0}), VK_SUCCESS);
  s.make_general(image);
  EXPECT_THAT(
      s.sample(image, {}, VK_FILTER_NEAREST, 4,
               "  int code = sparseTextureLodARB(t, vec2(0.25 + 0.5 * float(n & 1u), 0.25 + 0.5 * float(n >> 1)), 0.0, "
               "texel);\n  o[n] = sparseTexelsResidentARB(code) ? 1u : 2u;\n"),
      ElementsAre(2, 1, 2, 2));
}

// The code is that of the texels which the filter of chroma reads, not of those that the sampler's own filter would
// take, nor of those without weight (C26), as at 127, 127.25 and 127.5: rows 0 to 127 of chroma have memory, 128 to 255
// have none; all of luma has.
TEST(VulkanSparse, ResidencyIsOfTheTexelsThatAreRead_SPR3) {
  HEDDLE_NEED_SHADERS();
  constexpr std::array kRows{126.25f, 126.75f, 127.0f,   127.125f, 127.25f, 127.375f,
                             127.5f,  127.75f, 127.875f, 128.0f,   128.25f, 128.625f};
  std::string rows;
  for (const float row : kRows) rows += (rows.empty() ? "" : ", ") + std::to_string(row);
  SparsePlanes s;
  const VkImage image = s.planes();
  const auto memory = s.memory(5);
  ASSERT_EQ(s.bind(image, {{SparsePlanes::kLuma, 0, 0}, {}, {512, 512, 1}, memory.memory, 0, 0}), VK_SUCCESS);
  ASSERT_EQ(s.bind(image, {{SparsePlanes::kChroma, 0, 0}, {}, {256, 128, 1}, memory.memory, 4 * kPage, 0}), VK_SUCCESS);
  s.make_general(image);
  /// The last row that a filter takes whose weight isn't 0.
  const auto last = [](VkFilter filter, float at) {
    return filter == VK_FILTER_NEAREST ? std::floor(at) : std::ceil(at - 0.5f);
  };
  for (const VkFilter chroma : {VK_FILTER_NEAREST, VK_FILTER_LINEAR})
    for (const VkFilter own : {VK_FILTER_NEAREST, VK_FILTER_LINEAR})
      for (const VkChromaLocation place : {VK_CHROMA_LOCATION_COSITED_EVEN, VK_CHROMA_LOCATION_MIDPOINT})
        for (const VkBool32 whole : {VK_FALSE, VK_TRUE}) {
          VkSamplerYcbcrConversionCreateInfo info{};
          info.xChromaOffset = info.yChromaOffset = place;
          info.chromaFilter = chroma;
          info.forceExplicitReconstruction = whole;
          const auto codes =
              s.sample(image, info, own, kRows.size(),
                       "  const float rows[] = {" + rows +
                           "};\n  int code = sparseTextureLodARB(t, vec2(0.4, rows[n] / 256.0), 0.0, texel);\n"
                           "  o[n] = sparseTexelsResidentARB(code) ? 1u : 2u;\n");
          const bool cosited = place == VK_CHROMA_LOCATION_COSITED_EVEN && chroma == VK_FILTER_LINEAR;  // VKF-8
          for (std::size_t n = 0; n < kRows.size(); ++n) {
            // Explicitly: chroma of the rows of the image that the sampler's own filter takes.
            const float in_image = whole != 0 ? last(own, 2 * kRows[n]) / 2 + 0.25f : kRows[n];
            EXPECT_EQ(codes[n], last(chroma, in_image + (cosited ? 0.25f : 0.0f)) < 128 ? 1u : 2u)
                << kRows[n] << ' ' << chroma << ' ' << own << ' ' << place << ' ' << whole;
          }
        }
}

// The same along columns: those from 256 on of 512 have no memory.
TEST(VulkanSparse, ResidencyIsOfTheColumnsThatAreRead_SPR3) {
  HEDDLE_NEED_SHADERS();
  constexpr std::array kColumns{254.25f, 254.75f, 255.125f, 255.375f, 255.625f, 255.875f, 256.25f, 256.625f};
  SparsePlanes s;
  VkImageCreateInfo wide = VulkanDevice::image_info(kTwoPlanes, 1024, 256);
  wide.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  const VkImage image = s.image(wide, kInParts);
  const auto memory = s.memory(5);
  ASSERT_EQ(s.bind(image, {{SparsePlanes::kLuma, 0, 0}, {}, {1024, 256, 1}, memory.memory, 0, 0}), VK_SUCCESS);
  ASSERT_EQ(s.bind(image, {{SparsePlanes::kChroma, 0, 0}, {}, {256, 128, 1}, memory.memory, 4 * kPage, 0}), VK_SUCCESS);
  s.make_general(image);
  for (const VkFilter chroma : {VK_FILTER_NEAREST, VK_FILTER_LINEAR})
    for (const VkFilter own : {VK_FILTER_NEAREST, VK_FILTER_LINEAR})
      for (const VkChromaLocation place : {VK_CHROMA_LOCATION_COSITED_EVEN, VK_CHROMA_LOCATION_MIDPOINT}) {
        VkSamplerYcbcrConversionCreateInfo info{};
        info.xChromaOffset = info.yChromaOffset = place;
        info.chromaFilter = chroma;
        const auto codes =
            s.sample(image, info, own, 8,
                     "  const float x[8] = {254.25, 254.75, 255.125, 255.375, 255.625, 255.875, 256.25, 256.625};\n"
                     "  int code = sparseTextureLodARB(t, vec2(x[n] / 512.0, 0.4), 0.0, texel);\n"
                     "  o[n] = sparseTexelsResidentARB(code) ? 1u : 2u;\n");
        const bool cosited = place == VK_CHROMA_LOCATION_COSITED_EVEN;
        const float more = chroma == VK_FILTER_NEAREST ? 0.0f : cosited ? 0.75f : 0.5f;  // VKF-8
        for (std::size_t n = 0; n < kColumns.size(); ++n)
          EXPECT_EQ(codes[n], std::floor(kColumns[n] + more) < 256 ? 1u : 2u)
              << kColumns[n] << ' ' << chroma << ' ' << own << ' ' << place;
      }
}

/// The last row of chroma that stands for a row of luma.
int last_chroma_row(int row, VkFilter chroma) {
  if (chroma == VK_FILTER_NEAREST) return row / 2;
  return row % 2 == 0 ? row / 2 : row / 2 + 1;  // cosited, it has the place of that one; else it lies between two
}

// With reconstruction the sampler's filter takes texels of luma, and each of them its own ones of chroma.
TEST(VulkanSparse, ResidencyIsOfTheTexelsThatAreReconstructed_SPR3) {
  HEDDLE_NEED_SHADERS();
  constexpr std::array kPlaces{251.3f, 252.3f, 253.3f, 253.8f, 254.8f, 255.3f, 255.8f, 256.3f};  // of rows of luma
  SparsePlanes s;
  const VkImage image = s.planes();
  const auto memory = s.memory(5);
  ASSERT_EQ(s.bind(image, {{SparsePlanes::kLuma, 0, 0}, {}, {512, 512, 1}, memory.memory, 0, 0}), VK_SUCCESS);
  ASSERT_EQ(s.bind(image, {{SparsePlanes::kChroma, 0, 0}, {}, {256, 128, 1}, memory.memory, 4 * kPage, 0}), VK_SUCCESS);
  s.make_general(image);
  for (const VkFilter chroma : {VK_FILTER_NEAREST, VK_FILTER_LINEAR})
    for (const VkFilter own : {VK_FILTER_NEAREST, VK_FILTER_LINEAR})
      for (const VkChromaLocation place : {VK_CHROMA_LOCATION_COSITED_EVEN, VK_CHROMA_LOCATION_MIDPOINT}) {
        VkSamplerYcbcrConversionCreateInfo info{};
        info.xChromaOffset = info.yChromaOffset = place;
        info.chromaFilter = chroma;
        info.forceExplicitReconstruction = VK_TRUE;
        const auto codes = s.sample(image, info, own, 8,
                                    "  const float y[8] = {251.3, 252.3, 253.3, 253.8, 254.8, 255.3, 255.8, 256.3};\n"
                                    "  int code = sparseTextureLodARB(t, vec2(0.4, y[n] / 512.0), 0.0, texel);\n"
                                    "  o[n] = sparseTexelsResidentARB(code) ? 1u : 2u;\n");
        for (std::size_t n = 0; n < kPlaces.size(); ++n) {
          const int last =
              static_cast<int>(own == VK_FILTER_LINEAR ? std::floor(kPlaces[n] + 0.5f) : std::floor(kPlaces[n]));
          // Cosited, a row of even number reads its neighbor with the weight 0, which may count or not.
          if (last == 254 && chroma == VK_FILTER_LINEAR && place == VK_CHROMA_LOCATION_COSITED_EVEN) continue;
          EXPECT_EQ(codes[n], last_chroma_row(last, chroma) < 128 ? 1u : 2u)
              << kPlaces[n] << ' ' << chroma << ' ' << own << ' ' << place;
        }
      }
}

// Without residency an image is bound whole, by its bytes.
TEST(VulkanSparse, ImagesAreBoundWhole_SPR2) {
  Sparse s;
  const VkImage image = s.image(image_info(VK_FORMAT_R32_UINT, {256, 256, 1}), VK_IMAGE_CREATE_SPARSE_BINDING_BIT);
  const std::uint64_t size = s.size(image);
  EXPECT_EQ(size, 4 * kPage);
  const auto memory = s.memory(4);
  for (std::uint64_t at = 0; at < size; at += kPage)  // the pages in the opposite order
    ASSERT_EQ(s.bind_opaque(image, {at, kPage, memory.memory, size - kPage - at, 0}), VK_SUCCESS);
  s.clear(image, 4);
  EXPECT_THAT(s.read(image, {256, 256, 1}), Each(4u));
  EXPECT_EQ(word_at(memory, 3 * kPage), 4u);
}

// The queue binds when it comes to it, behind the work that was submitted before, and work behind it sees it.
TEST(VulkanSparse, BindingsStandInTheQueue_SPR2) {
  Sparse s;
  const VkBuffer buffer = s.buffer(kPage);
  const auto memory = s.memory(1);
  const VkSemaphoreTypeCreateInfo timeline{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr,
                                           VK_SEMAPHORE_TYPE_TIMELINE, 0};
  const VkSemaphoreCreateInfo make{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &timeline};
  VkSemaphore semaphore = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateSemaphore(s.v.device, &make, nullptr, &semaphore), VK_SUCCESS);
  s.v.later([&] { vkDestroySemaphore(s.v.device, semaphore, nullptr); });
  const auto fill = [&](std::uint32_t value) {
    const VkCommandBuffer c = s.v.commands();
    s.v.begin(c);
    vkCmdFillBuffer(c, buffer, 0, VK_WHOLE_SIZE, value);
    EXPECT_EQ(vkEndCommandBuffer(c), VK_SUCCESS);
    return c;
  };
  const VkCommandBuffer before = fill(7), behind = fill(8);
  // The first fill waits for the host: by then the binding has long been given to the queue.
  const std::uint64_t one = 1;
  const VkTimelineSemaphoreSubmitInfo value{
      VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, nullptr, 1, &one, 0, nullptr};
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO, &value};
  submit.waitSemaphoreCount = 1;
  submit.pWaitSemaphores = &semaphore;
  submit.pWaitDstStageMask = &stage;
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &before;
  ASSERT_EQ(vkQueueSubmit(s.v.queue, 1, &submit, VK_NULL_HANDLE), VK_SUCCESS);
  const VkSparseMemoryBind bind{0, kPage, memory.memory, 0, 0};
  const VkSparseBufferMemoryBindInfo binds{buffer, 1, &bind};
  VkBindSparseInfo info{VK_STRUCTURE_TYPE_BIND_SPARSE_INFO};
  info.bufferBindCount = 1;
  info.pBufferBinds = &binds;
  ASSERT_EQ(vkQueueBindSparse(s.v.queue, 1, &info, VK_NULL_HANDLE), VK_SUCCESS);
  const VkSemaphoreSignalInfo signal{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, semaphore, 1};
  ASSERT_EQ(vkSignalSemaphore(s.v.device, &signal), VK_SUCCESS);
  ASSERT_EQ(vkQueueWaitIdle(s.v.queue), VK_SUCCESS);
  EXPECT_EQ(memory.word(0), 0u);  // the page had no memory yet
  VkSubmitInfo second{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  second.commandBufferCount = 1;
  second.pCommandBuffers = &behind;
  ASSERT_EQ(vkQueueSubmit(s.v.queue, 1, &second, VK_NULL_HANDLE), VK_SUCCESS);
  ASSERT_EQ(vkQueueWaitIdle(s.v.queue), VK_SUCCESS);
  EXPECT_EQ(memory.word(0), 8u);
}

// The bytes of an image in parts: its blocks, row after row, then the tail. Block 1 of 2x2 is the upper right one.
TEST(VulkanSparse, BlocksAreBoundByBytesToo_SPR3) {
  Sparse s;
  const VkImage image = s.image(image_info(VK_FORMAT_R32_UINT, {256, 256, 1}, 3));
  EXPECT_EQ(s.size(image), 6 * kPage);  // 2x2 blocks, one of level 1, the tail
  const auto memory = s.memory(2);
  ASSERT_EQ(s.bind_opaque(image, {kPage, kPage, memory.memory, 0, 0}), VK_SUCCESS);
  ASSERT_EQ(s.bind_opaque(image, {5 * kPage, kPage, memory.memory, kPage, 0}), VK_SUCCESS);
  s.clear(image, 6);
  const auto all = s.read(image, {256, 256, 1});
  for (std::uint32_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], i % 256 >= 128 && i / 256 < 128 ? 6u : 0u) << i;
  EXPECT_THAT(s.read(image, {128, 128, 1}, 1), Each(0u));
  EXPECT_THAT(s.read(image, {64, 64, 1}, 2), Each(6u));
}

// Shaders reach sparse buffers by their addresses, and see what is bound later.
TEST(VulkanSparse, BuffersHaveAddresses_SPR2) {
  HEDDLE_NEED_SHADERS();
  Sparse s;
  const VkBuffer buffer = s.buffer(2 * kPage, VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
  const auto memory = s.memory(1);
  ASSERT_EQ(s.bind(buffer, {kPage, kPage, memory.memory, 0, 0}), VK_SUCCESS);
  const VkBufferDeviceAddressInfo of{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr, buffer};
  const VkDeviceAddress address = vkGetBufferDeviceAddress(s.v.device, &of);
  const VkPipelineLayout layout = s.v.layout({}, 8);
  const VkPipeline pipeline = s.v.pipeline(
      "#version 450\n#extension GL_EXT_buffer_reference : require\n"
      "layout(buffer_reference, std430) buffer Words { uint w[]; };\n"
      "layout(push_constant) uniform P { Words at; };\n"
      "void main() { at.w[0] = 5; at.w[16384] = 40 + at.w[1]; }\n",
      layout);
  ASSERT_EQ(s.v.run([&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdPushConstants(c, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 8, &address);
    vkCmdDispatch(c, 1, 1, 1);
    barrier(c);
  }),
            VK_SUCCESS);
  EXPECT_EQ(memory.word(0), 40u);
}

// What cannot be bound is said (vulkan-sparse-bind), and passed over.
TEST(VulkanSparse, WrongBindingsAreSaid_SPR3) {
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) GTEST_SKIP() << "wrong on purpose";
  Sparse s;
  s.v.expects_messages = true;
  const VkBuffer buffer = s.buffer(2 * kPage);
  const VkImage image = s.image(image_info(VK_FORMAT_R32_UINT, {256, 256, 1}));
  const auto memory = s.memory(1);
  const auto is_said = [&](const char* text) {
    ASSERT_FALSE(s.v.messages.empty());
    EXPECT_THAT(s.v.messages.back(), HasSubstr(text));
    s.v.messages.clear();
  };
  EXPECT_EQ(s.bind(buffer, {kPage, 2 * kPage, memory.memory, 0, 0}), VK_SUCCESS);  // beyond both ends
  is_said("131072 bytes at byte 65536 of a buffer can't be bound");
  EXPECT_EQ(s.bind(buffer, {100, kPage, memory.memory, 0, 0}), VK_SUCCESS);
  is_said("at multiples of 65536");
  const VkImageSubresource first{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0}, none{VK_IMAGE_ASPECT_COLOR_BIT, 1, 0};
  EXPECT_EQ(s.bind(image, VkSparseImageMemoryBind{first, {64, 0, 0}, {128, 128, 1}, memory.memory, 0, 0}), VK_SUCCESS);
  is_said("128x128x1 texels at (64, 0, 0) of level 0, layer 0 of an image can't be bound");
  EXPECT_EQ(s.bind(image, VkSparseImageMemoryBind{none, {0, 0, 0}, {128, 128, 1}, memory.memory, 0, 0}), VK_SUCCESS);
  is_said("of level 1");
  EXPECT_EQ(s.bind(image, VkSparseImageMemoryBind{first, {0, 0, 0}, {256, 256, 1}, memory.memory, 0, 0}), VK_SUCCESS);
  is_said("the memory begins at a multiple of 65536 and is long enough");
  EXPECT_EQ(s.bind_opaque(image, {4 * kPage, kPage, memory.memory, 0, 0}),
            VK_SUCCESS);  // it has four blocks and no tail
  is_said("of an image can't be bound");
  EXPECT_EQ(s.bind(buffer, {0, 100, memory.memory, 0, 0}), VK_SUCCESS);  // a part of a page
  is_said("100 bytes at byte 0");
  EXPECT_EQ(s.bind(VkBuffer{}, {0, kPage, memory.memory, 0, 0}), VK_SUCCESS);
  is_said("can't be bound");
  // What stands behind a wrong one is bound.
  const VkSparseMemoryBind both[] = {{100, kPage, memory.memory, 0, 0}, {0, kPage, memory.memory, 0, 0}};
  const VkSparseBufferMemoryBindInfo of_buffer{buffer, 2, both};
  VkBindSparseInfo info{VK_STRUCTURE_TYPE_BIND_SPARSE_INFO};
  info.bufferBindCount = 1;
  info.pBufferBinds = &of_buffer;
  EXPECT_EQ(s.bind(info), VK_SUCCESS);
  ASSERT_EQ(s.v.run([&](VkCommandBuffer c) {
    vkCmdFillBuffer(c, buffer, 0, kPage, 3);
    barrier(c);
  }),
            VK_SUCCESS);
  EXPECT_EQ(memory.word(0), 3u);
  // What follows in both is bound together, but for what can't be.
  const VkSparseMemoryBind row[] = {{0, kPage, memory.memory, 0, 0}, {kPage, kPage, memory.memory, kPage, 0}};
  const VkSparseBufferMemoryBindInfo of_row{buffer, 2, row};
  info.pBufferBinds = &of_row;
  ASSERT_EQ(s.bind(buffer, {0, kPage, VK_NULL_HANDLE, 0, 0}), VK_SUCCESS);
  s.v.messages.clear();
  EXPECT_EQ(s.bind(info), VK_SUCCESS);
  EXPECT_EQ(s.v.messages.size(), 1u);
  is_said("65536 bytes at byte 65536 of a buffer can't be bound");
  ASSERT_EQ(s.v.run([&](VkCommandBuffer c) {
    vkCmdFillBuffer(c, buffer, 0, kPage, 4);
    barrier(c);
  }),
            VK_SUCCESS);
  EXPECT_EQ(memory.word(0), 4u);
  // Too large, and impossible.
  VkBufferCreateInfo large{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  large.flags = VK_BUFFER_CREATE_SPARSE_BINDING_BIT;
  large.size = std::uint64_t{1} << 45;
  large.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  VkBuffer no_buffer = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateBuffer(s.v.device, &large, nullptr, &no_buffer), VK_ERROR_OUT_OF_DEVICE_MEMORY);
  VkImageCreateInfo wide = image_info(VK_FORMAT_R32_UINT, {1 << 20, 4, 1});
  wide.flags = kInParts;
  const VkDeviceImageMemoryRequirements asked{VK_STRUCTURE_TYPE_DEVICE_IMAGE_MEMORY_REQUIREMENTS, nullptr, &wide};
  std::uint32_t count = 9;
  vkGetDeviceImageSparseMemoryRequirements(s.v.device, &asked, &count, nullptr);
  EXPECT_EQ(count, 0u);
}

}  // namespace
}  // namespace heddle::test
