// SPDX-License-Identifier: MIT
// Arrays of descriptors of every kind, indexed by values that are alike or differ, and written after they were bound.

#include <array>

#include "vulkan/feature_kit.hpp"

namespace heddle::test {
namespace {

constexpr std::uint32_t kElements = 4;

/// One kind of descriptor whose element k gives 100 + k.
struct Kind {
  VkDescriptorType type;
  const char* declared;  ///< at binding 1, with `[4]`
  const char* read;      ///< of element K, an uint
};
constexpr Kind kKinds[] = {
    {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, "uniform U { uint first; } a[4]", "a[K].first"},
    {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, "buffer B { uint first; } a[4]", "a[K].first"},
    {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, "uniform usampler2D a[4]", "textureLod(a[K], vec2(0.5), 0).r"},
    {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, "uniform uimage2D a[4]", "imageLoad(a[K], ivec2(0)).r"},
    {VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, "uniform usamplerBuffer a[4]", "texelFetch(a[K], 0).r"},
    {VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, "uniform uimageBuffer a[4]", "imageLoad(a[K], 0).r"},
};

/// Elements of every kind, so that each can be written.
struct Elements {
  explicit Elements(VulkanDevice& device) : v(device), sampler(v.sampler(VK_FILTER_NEAREST)) {
    for (std::uint32_t k = 0; k < 2 * kElements; ++k) {
      const std::uint32_t value = 100 + k;
      buffers.push_back(v.buffer(256));
      buffers.back().set(0, value);
      TexelImage from;
      from.format = VK_FORMAT_R32_UINT;
      from.width = from.height = 1;
      from.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT;
      from.levels = {bytes_of(std::vector<std::uint32_t>{value})};
      images.push_back(v.view(make_image(v, from).image, from.format));
      VkBufferViewCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO};
      info.buffer = buffers.back().buffer;
      info.format = VK_FORMAT_R32_UINT;
      info.range = 4;
      VkBufferView view = VK_NULL_HANDLE;
      EXPECT_EQ(vkCreateBufferView(v.device, &info, nullptr, &view), VK_SUCCESS);
      v.later([d = v.device, view] { vkDestroyBufferView(d, view, nullptr); });
      texels.push_back(view);
    }
  }
  void write(VkDescriptorSet set, VkDescriptorType type, std::uint32_t element, std::uint32_t with) {
    if (type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER || type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER)
      return v.write(set, 1, type, buffers[with], 0, 256, element);
    if (type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER || type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE)
      return v.write(set, 1, type, images[with], sampler, element);
    VkWriteDescriptorSet one{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    one.dstSet = set;
    one.dstBinding = 1;
    one.dstArrayElement = element;
    one.descriptorCount = 1;
    one.descriptorType = type;
    one.pTexelBufferView = &texels[with];
    vkUpdateDescriptorSets(v.device, 1, &one, 0, nullptr);
  }
  VulkanDevice& v;
  VkSampler sampler;
  std::vector<VulkanDevice::Buffer> buffers;
  std::vector<VkImageView> images;
  std::vector<VkBufferView> texels;
};

/// A pipeline that reads the elements of a kind: `index` of invocation n.
std::string shader_of(const Kind& kind, const std::string& index) {
  std::string read = kind.read;
  read.replace(read.find('K'), 1, index);
  return "#version 460\n#extension GL_EXT_nonuniform_qualifier : require\n"
         "#extension GL_EXT_shader_image_load_formatted : require\n" +
         kFeatureHead + "layout(binding = 1) " + kind.declared +
         ";\nlayout(push_constant) uniform P { uint chosen; };\n"
         "void main() { uint n = gl_LocalInvocationIndex; o[n] = " +
         read + "; }\n";
}

TEST(VulkanDescriptors, ArraysOfEveryKindAreIndexed) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v;
  Elements elements(v);
  for (const Kind& kind : kKinds) {
    SCOPED_TRACE(kind.declared);
    const std::vector<VulkanDevice::Binding> bindings{{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER},
                                                      {1, kind.type, kElements}};
    const auto set_layout = v.set_layout(bindings);
    const auto layout = v.layout({set_layout}, 16);
    const auto set = v.set(set_layout, bindings);
    const auto out = v.buffer(256);
    v.write(set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, out);
    for (std::uint32_t k = 0; k < kElements; ++k) elements.write(set, kind.type, k, k);
    for (const bool differ : {false, true}) {
      const auto pipeline = v.pipeline(shader_of(kind, differ ? "nonuniformEXT(n * 7u % 4u)" : "chosen"), layout);
      const std::uint32_t chosen = 2;
      ASSERT_EQ(v.run([&](VkCommandBuffer c) {
        vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
        vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
        vkCmdPushConstants(c, layout, v.stages, 0, 4, &chosen);
        vkCmdDispatch(c, 1, 1, 1);
      }),
                VK_SUCCESS);
      for (std::uint32_t n = 0; n < 16; ++n) EXPECT_EQ(out.word(n), 100 + (differ ? n * 7 % 4 : 2)) << differ << n;
    }
  }
}

// Element 2 is written after the set was bound; element 3, which nobody uses, while the work is in the queue.
TEST(VulkanDescriptors, EveryKindIsUpdatedAfterBinding) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v;
  Elements elements(v);
  for (const Kind& kind : kKinds) {
    SCOPED_TRACE(kind.declared);
    const std::vector<VulkanDevice::Binding> bindings{{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER},
                                                      {1, kind.type, kElements}};
    const auto set_layout = v.set_layout(bindings, VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT,
                                         VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT |
                                             VK_DESCRIPTOR_BINDING_UPDATE_UNUSED_WHILE_PENDING_BIT |
                                             VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT);
    const auto layout = v.layout({set_layout}, 16);
    const auto set = v.set(set_layout, bindings, VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT);
    const auto out = v.buffer(256);
    v.write(set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, out);
    elements.write(set, kind.type, 2, 0);
    const auto pipeline = v.pipeline(shader_of(kind, "chosen"), layout);
    const std::uint32_t chosen = 2;
    const VkCommandBuffer c = v.commands();
    v.begin(c, 0);
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdPushConstants(c, layout, v.stages, 0, 4, &chosen);
    vkCmdDispatch(c, 1, 1, 1);
    ASSERT_EQ(vkEndCommandBuffer(c), VK_SUCCESS);
    VkSubmitInfo work{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    work.commandBufferCount = 1;
    work.pCommandBuffers = &c;
    for (const std::uint32_t with : {5u, 6u}) {
      elements.write(set, kind.type, 2, with);
      ASSERT_EQ(vkQueueSubmit(v.queue, 1, &work, VK_NULL_HANDLE), VK_SUCCESS);
      elements.write(set, kind.type, 3, with);
      ASSERT_EQ(vkQueueWaitIdle(v.queue), VK_SUCCESS);
      for (std::uint32_t n = 0; n < 16; ++n) EXPECT_EQ(out.word(n), 100 + with) << n;
    }
  }
}

TEST(VulkanDescriptors, InlineBlocksAreUpdatedAfterBinding) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v;
  const std::vector<VulkanDevice::Binding> bindings{{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER},
                                                    {1, VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, 16}};
  const auto set_layout = v.set_layout(bindings, VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT,
                                       VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT);
  const auto layout = v.layout({set_layout});
  VkDescriptorPoolInlineUniformBlockCreateInfo blocks{
      VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_INLINE_UNIFORM_BLOCK_CREATE_INFO, nullptr, 1};
  const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1},
                                        {VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, 16}};
  const VkDescriptorPoolCreateInfo pools{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                         &blocks,
                                         VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT,
                                         1,
                                         2,
                                         sizes};
  VkDescriptorPool pool = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateDescriptorPool(v.device, &pools, nullptr, &pool), VK_SUCCESS);
  v.later([d = v.device, pool] { vkDestroyDescriptorPool(d, pool, nullptr); });
  VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, pool, 1, &set_layout};
  VkDescriptorSet set = VK_NULL_HANDLE;
  ASSERT_EQ(vkAllocateDescriptorSets(v.device, &allocate, &set), VK_SUCCESS);
  const auto out = v.buffer(64);
  v.write(set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, out);
  const auto pipeline = v.pipeline("#version 460\n" + kFeatureHead +
                                       "layout(binding = 1) uniform U { uvec4 u; };\n"
                                       "void main() { uint n = gl_LocalInvocationIndex; o[n] = u[n % 4u]; }\n",
                                   layout);
  ASSERT_EQ(v.run([&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdDispatch(c, 1, 1, 1);
    const std::array<std::uint32_t, 4> words{7, 8, 9, 10};
    const VkWriteDescriptorSetInlineUniformBlock block{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK,
                                                       nullptr, 16, words.data()};
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, &block};
    write.dstSet = set;
    write.dstBinding = 1;
    write.descriptorCount = 16;
    write.descriptorType = VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;
    vkUpdateDescriptorSets(v.device, 1, &write, 0, nullptr);
  }),
            VK_SUCCESS);
  for (std::uint32_t n = 0; n < 16; ++n) EXPECT_EQ(out.word(n), 7 + n % 4) << n;
}

// VkPhysicalDeviceTexelBufferAlignmentProperties: a view begins at any texel.
TEST(VulkanDescriptors, TexelBuffersBeginAtAnyTexel) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v({VK_EXT_TEXEL_BUFFER_ALIGNMENT_EXTENSION_NAME});
  FeatureRun run(v);
  const auto buffer = v.buffer(256);
  for (std::uint32_t i = 0; i < 64; ++i) buffer.set(i, 1000 + i);
  for (const auto& [binding, type] :
       {std::pair{3u, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER}, {4u, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER}}) {
    VkBufferViewCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO};
    info.buffer = buffer.buffer;
    info.format = VK_FORMAT_R32_UINT;
    info.offset = std::uint64_t{4} * binding;
    info.range = 64;
    VkBufferView view = VK_NULL_HANDLE;
    ASSERT_EQ(vkCreateBufferView(v.device, &info, nullptr, &view), VK_SUCCESS);
    v.later([d = v.device, view] { vkDestroyBufferView(d, view, nullptr); });
    run.texels(binding, type, view);
  }
  const auto o = run.run("#version 460\n" + kFeatureHead +
                         "layout(binding = 3) uniform usamplerBuffer a;\nlayout(binding = 4, r32ui) uniform "
                         "uimageBuffer b;\nvoid main() { int n = int(gl_LocalInvocationIndex); o[n] = texelFetch(a, "
                         "n).r; o[16 + n] = imageLoad(b, n).r; o[32 + n] = imageLoad(b, 16 + n).r; }\n");
  for (std::uint32_t n = 0; n < 16; ++n) {
    EXPECT_EQ(o[n], 1003 + n) << n;
    EXPECT_EQ(o[16 + n], 1004 + n) << n;
    EXPECT_EQ(o[32 + n], 0u) << "beyond the view";
  }
}

}  // namespace
}  // namespace heddle::test
