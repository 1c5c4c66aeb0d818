// SPDX-License-Identifier: MIT
// Descriptor arrays of thousands, chosen from at run time: lanes that mean the same element go together.

#include <cstdlib>

#include "vulkan/device.hpp"

namespace heddle::test {
namespace {

constexpr VkDescriptorType kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
constexpr VkDescriptorType kCombined = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;

/// A set whose binding 1 is an array of a variable length, partially bound and updated after it was bound.
struct Indexed {
  Indexed(VkDescriptorType type, std::uint32_t most, std::uint32_t count)
      : v({VK_EXT_DESCRIPTOR_INDEXING_EXTENSION_NAME}) {
    out = v.buffer(4096);
    const VkDescriptorSetLayoutBinding bindings[] = {{0, kStorage, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr},
                                                     {1, type, most, VK_SHADER_STAGE_COMPUTE_BIT, nullptr}};
    const VkDescriptorBindingFlags flags[] = {0, VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT |
                                                     VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT |
                                                     VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT};
    VkDescriptorSetLayoutBindingFlagsCreateInfo flagged{
        VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO, nullptr, 2, flags};
    VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, &flagged,
                                         VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT, 2, bindings};
    EXPECT_EQ(vkCreateDescriptorSetLayout(v.device, &info, nullptr, &set_layout), VK_SUCCESS);
    v.later([d = v.device, l = set_layout] { vkDestroyDescriptorSetLayout(d, l, nullptr); });
    const VkDescriptorPoolSize sizes[] = {{kStorage, 1 + count}, {type, count}};
    VkDescriptorPoolCreateInfo pools{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                     nullptr,
                                     VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT,
                                     1,
                                     type == kStorage ? 1u : 2u,
                                     sizes};
    VkDescriptorPool pool = VK_NULL_HANDLE;
    EXPECT_EQ(vkCreateDescriptorPool(v.device, &pools, nullptr, &pool), VK_SUCCESS);
    v.later([d = v.device, pool] { vkDestroyDescriptorPool(d, pool, nullptr); });
    VkDescriptorSetVariableDescriptorCountAllocateInfo variable{
        VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO, nullptr, 1, &count};
    VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, &variable, pool, 1,
                                         &set_layout};
    EXPECT_EQ(vkAllocateDescriptorSets(v.device, &allocate, &set), VK_SUCCESS);
    layout = v.layout({set_layout});
    v.write(set, 0, kStorage, out);
  }
  /// `before`: after the set was bound, before the buffer is submitted.
  VkResult run(VkPipeline pipeline, const std::function<void()>& before = {}) {
    return v.run([&](VkCommandBuffer c) {
      vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
      vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
      vkCmdDispatch(c, 1, 1, 1);
      if (before) before();
    });
  }
  VulkanDevice v;
  VulkanDevice::Buffer out;
  VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
  VkDescriptorSet set = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
};

const std::string kHead =
    "#version 450\n#extension GL_EXT_nonuniform_qualifier : require\nlayout(local_size_x = 64) in;\n"
    "layout(binding = 0) buffer Out { uint o[]; };\n";

TEST(VulkanIndexing, ThousandsOfTextures) {
  HEDDLE_NEED_SHADERS();
  constexpr std::uint32_t kCount = 3000;
  Indexed t(kCombined, 4096, kCount);
  const VkSampler sampler = t.v.sampler(VK_FILTER_NEAREST);
  // 8 images, each seen by many descriptors.
  std::vector<VkImageView> views;
  for (std::uint32_t i = 0; i < 8; ++i) {
    const auto image = t.v.image(VulkanDevice::image_info(VK_FORMAT_R32_UINT, 2, 2));
    ASSERT_EQ(t.v.run([&](VkCommandBuffer c) {
      VkClearColorValue value{};
      value.uint32[0] = 100 + i;
      const VkImageSubresourceRange range{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
      vkCmdClearColorImage(c, image.image, VK_IMAGE_LAYOUT_GENERAL, &value, 1, &range);
    }),
              VK_SUCCESS);
    views.push_back(t.v.view(image.image, VK_FORMAT_R32_UINT));
  }
  // Every third one is left unbound.
  for (std::uint32_t k = 0; k < kCount; ++k)
    if (k % 3 != 2) t.v.write(t.set, 1, kCombined, views[k % 8], sampler, k);
  const auto pipeline =
      t.v.pipeline(kHead +
                       "layout(binding = 1) uniform usampler2D images[];\n"
                       "void main() { uint n = gl_LocalInvocationIndex; uint k = n / 2u * 93u;\n"
                       "  o[n] = textureLod(images[nonuniformEXT(k)], vec2(0.5), 0.0).r * 10000u + k; }\n",
                   t.layout);
  ASSERT_EQ(t.run(pipeline), VK_SUCCESS);
  for (std::uint32_t n = 0; n < 64; ++n) EXPECT_EQ(t.out.word(n), (100 + n / 2 * 93 % 8) * 10000 + n / 2 * 93) << n;
  // The set is bound already.
  ASSERT_EQ(t.run(pipeline, [&] { t.v.write(t.set, 1, kCombined, views[7], sampler, 93); }), VK_SUCCESS);
  EXPECT_EQ(t.out.word(2), 107u * 10000 + 93);
  EXPECT_EQ(t.out.word(4), (100u + 186 % 8) * 10000 + 186);
}

TEST(VulkanIndexing, BuffersAreReadWrittenAndCountedByElement) {
  HEDDLE_NEED_SHADERS();
  Indexed t(kStorage, 1 << 18, 1000);
  const auto data = t.v.buffer(1000 * 16);
  for (std::uint32_t k = 0; k < 1000; ++k) {
    data.set(std::size_t{k} * 4, k);
    t.v.write(t.set, 1, kStorage, data, std::uint64_t{k} * 16, k % 2 == 0 ? 16 : 8, k);
  }
  const auto pipeline =
      t.v.pipeline(kHead +
                       "layout(binding = 1) buffer B { uint word; uint sum; uint list[]; } b[];\n"
                       "void main() { uint n = gl_LocalInvocationIndex; uint k = (n * 37u) % 61u * 16u + n % 2u;\n"
                       "  o[n] = b[nonuniformEXT(k)].word + 10000u * uint(b[nonuniformEXT(k)].list.length());\n"
                       "  atomicAdd(b[nonuniformEXT(n / 16u)].sum, n);\n"
                       "  if (n % 2u == 0u) b[nonuniformEXT(k)].list[0] = n; }\n",
                   t.layout);
  ASSERT_EQ(t.run(pipeline), VK_SUCCESS);
  for (std::uint32_t n = 0; n < 64; ++n) {
    const std::uint32_t k = n * 37 % 61 * 16 + n % 2;
    EXPECT_EQ(t.out.word(n), k + 10000 * (k % 2 == 0 ? 2 : 0)) << n;
    if (n % 2 == 0 && n < 61) {
      EXPECT_EQ(data.word(std::size_t{k} * 4 + 2), n) << n;
    }
  }
  for (std::uint32_t group = 0; group < 4; ++group)
    EXPECT_EQ(data.word(std::size_t{group} * 4 + 1), 16 * (16 * group) + 120) << group;
}

// Storage images, and images and samplers chosen each by its own index.
TEST(VulkanIndexing, ImagesAndSamplersApart) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v({VK_EXT_DESCRIPTOR_INDEXING_EXTENSION_NAME});
  const std::vector<VulkanDevice::Binding> bindings{{0, kStorage},
                                                    {1, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 40},
                                                    {2, VK_DESCRIPTOR_TYPE_SAMPLER, 20},
                                                    {3, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 40}};
  const auto set_layout = v.set_layout(bindings);
  const auto set = v.set(set_layout, bindings);
  const auto layout = v.layout({set_layout});
  const auto out = v.buffer(4096);
  v.write(set, 0, kStorage, out);
  VkImageCreateInfo info = VulkanDevice::image_info(VK_FORMAT_R32_SFLOAT, 2, 1);
  info.usage |= VK_IMAGE_USAGE_STORAGE_BIT;
  const auto texels = v.buffer(8);
  std::vector<VulkanDevice::Image> images;
  for (std::uint32_t k = 0; k < 40; ++k) {
    images.push_back(v.image(info));
    const float values[] = {static_cast<float>(k), static_cast<float>(k + 100)};
    std::memcpy(texels.bytes, values, 8);
    ASSERT_EQ(v.run([&](VkCommandBuffer c) {
      const VkBufferImageCopy region{0, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {}, {2, 1, 1}};
      vkCmdCopyBufferToImage(c, texels.buffer, images[k].image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    }),
              VK_SUCCESS);
    const auto view = v.view(images[k].image, VK_FORMAT_R32_SFLOAT);
    v.write(set, 1, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, view, VK_NULL_HANDLE, k);
    v.write(set, 3, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, view, VK_NULL_HANDLE, k);
  }
  // Odd samplers filter, even ones take the nearest texel.
  const VkSampler nearest = v.sampler(VK_FILTER_NEAREST), linear = v.sampler(VK_FILTER_LINEAR);
  for (std::uint32_t k = 0; k < 20; ++k)
    v.write(set, 2, VK_DESCRIPTOR_TYPE_SAMPLER, VK_NULL_HANDLE, k % 2 == 0 ? nearest : linear, k);
  const auto pipeline = v.pipeline(
      kHead +
          "layout(binding = 1) uniform texture2D images[40];\nlayout(binding = 2) uniform sampler samplers[20];\n"
          "layout(binding = 3, r32f) uniform image2D stored[40];\n"
          "void main() { uint n = gl_LocalInvocationIndex; uint k = n * 7u % 40u, s = n % 20u;\n"
          "  o[n] = uint(textureLod(sampler2D(images[nonuniformEXT(k)], samplers[nonuniformEXT(s)]), vec2(0.5, 0.5), "
          "0.0).r);\n"
          "  if (n < 40u) imageStore(stored[nonuniformEXT(39u - n)], ivec2(1, 0), vec4(float(n) + 0.5));\n"
          "  o[64u + n] = uint(imageLoad(stored[nonuniformEXT(n % 40u)], ivec2(0, 0)).r);\n"
          "  o[128u + n] = uint(imageSize(stored[nonuniformEXT(n % 40u)]).x); }\n",
      layout);
  const auto run = [&] {
    return v.run([&](VkCommandBuffer c) {
      vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
      vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
      vkCmdDispatch(c, 1, 1, 1);
    });
  };
  ASSERT_EQ(run(), VK_SUCCESS);
  for (std::uint32_t n = 0; n < 64; ++n) {
    EXPECT_EQ(out.word(64 + n), n % 40) << n;
    EXPECT_EQ(out.word(128 + n), 2u) << n;
  }
  ASSERT_EQ(run(), VK_SUCCESS);  // texel 1 of image k is 39 - k + 0.5 now
  for (std::uint32_t n = 0; n < 64; ++n) {
    const float k = static_cast<float>(n * 7 % 40), other = 39 - k + 0.5f;
    EXPECT_EQ(out.word(n), static_cast<std::uint32_t>(n % 2 == 0 ? other : (k + other) / 2)) << n;
  }
}

// A sampler of its own beside a large array of samplers: elements of the array are not taken for it.
TEST(VulkanIndexing, ASamplerBesideAnArrayOfSamplers) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v({VK_EXT_DESCRIPTOR_INDEXING_EXTENSION_NAME});
  const std::vector<VulkanDevice::Binding> bindings{{0, kStorage},
                                                    {1, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE},
                                                    {2, VK_DESCRIPTOR_TYPE_SAMPLER},
                                                    {3, VK_DESCRIPTOR_TYPE_SAMPLER, 20}};
  const auto set_layout = v.set_layout(bindings);
  const auto set = v.set(set_layout, bindings);
  const auto layout = v.layout({set_layout}, 4);
  const auto out = v.buffer(256), texels = v.buffer(8);
  v.write(set, 0, kStorage, out);
  const auto image = v.image(VulkanDevice::image_info(VK_FORMAT_R32_SFLOAT, 2, 1));
  const float values[] = {10, 20};
  std::memcpy(texels.bytes, values, 8);
  ASSERT_EQ(v.run([&](VkCommandBuffer c) {
    const VkBufferImageCopy region{0, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {}, {2, 1, 1}};
    vkCmdCopyBufferToImage(c, texels.buffer, image.image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
  }),
            VK_SUCCESS);
  v.write(set, 1, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, v.view(image.image, VK_FORMAT_R32_SFLOAT), VK_NULL_HANDLE);
  // Alone: the nearest texel. Of the array elements 0, 3, 6 ... filter, the others repeat.
  v.write(set, 2, VK_DESCRIPTOR_TYPE_SAMPLER, VK_NULL_HANDLE, v.sampler(VK_FILTER_NEAREST));
  const VkSampler linear = v.sampler(VK_FILTER_LINEAR),
                  repeat = v.sampler(VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT);
  for (std::uint32_t k = 0; k < 20; ++k)
    v.write(set, 3, VK_DESCRIPTOR_TYPE_SAMPLER, VK_NULL_HANDLE, k % 3 == 0 ? linear : repeat, k);
  const auto pipeline = v.pipeline(
      kHead +
          "layout(binding = 1) uniform texture2D image;\nlayout(binding = 2) uniform sampler alone;\n"
          "layout(binding = 3) uniform sampler many[20];\nlayout(push_constant) uniform P { uint p; };\n"
          "void main() { uint n = gl_LocalInvocationIndex;\n"
          "  if (n < 20u) o[n] = uint(textureLod(sampler2D(image, many[nonuniformEXT(n)]), vec2(0.5, 0.5), 0.0).r);\n"
          "  if (n == 20u) o[n] = uint(textureLod(sampler2D(image, alone), vec2(0.5, 0.5), 0.0).r);\n"
          "  if (n == 21u) o[n] = uint(textureLod(sampler2D(image, many[p]), vec2(1.25, 0.5), 0.0).r);\n"
          "  if (n == 22u) o[n] = uint(textureLod(sampler2D(image, alone), vec2(1.25, 0.5), 0.0).r); }\n",
      layout);
  const std::uint32_t chosen = 1;
  ASSERT_EQ(v.run([&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdPushConstants(c, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &chosen);
    vkCmdDispatch(c, 1, 1, 1);
  }),
            VK_SUCCESS);
  // The middle of two texels is 15 where they are mixed; else that of the right one.
  for (std::uint32_t k = 0; k < 20; ++k) EXPECT_EQ(out.word(k), k % 3 == 0 ? 15u : 20u) << k;
  EXPECT_EQ(out.word(20), 20u);
  EXPECT_EQ(out.word(21), 10u) << "1.25 repeats at 0.25";
  EXPECT_EQ(out.word(22), 20u) << "1.25 is beyond the last texel";
}

// EXE-3: elements of one mutable binding are of two kinds; an index that the compiler does not know chooses among those
// of the kind that the shader names. Arrays of few and of many elements.
TEST(VulkanIndexing, ElementsOfTwoKinds) {
  HEDDLE_NEED_SHADERS();
  for (const std::uint32_t count : {4u, 40u}) {
    VulkanDevice v({VK_EXT_DESCRIPTOR_INDEXING_EXTENSION_NAME, VK_EXT_MUTABLE_DESCRIPTOR_TYPE_EXTENSION_NAME});
    const VkDescriptorType types[] = {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, kCombined, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE};
    const VkMutableDescriptorTypeListEXT lists[] = {{0, nullptr}, {3, types}};
    const VkMutableDescriptorTypeCreateInfoEXT of{VK_STRUCTURE_TYPE_MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT, nullptr, 2,
                                                  lists};
    const VkDescriptorSetLayoutBinding bindings[] = {
        {0, kStorage, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr},
        {1, VK_DESCRIPTOR_TYPE_MUTABLE_EXT, count, VK_SHADER_STAGE_COMPUTE_BIT, nullptr}};
    const VkDescriptorSetLayoutCreateInfo layouts{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, &of, 0, 2,
                                                  bindings};
    VkDescriptorSetLayout sets = VK_NULL_HANDLE;
    ASSERT_EQ(vkCreateDescriptorSetLayout(v.device, &layouts, nullptr, &sets), VK_SUCCESS);
    v.later([d = v.device, sets] { vkDestroyDescriptorSetLayout(d, sets, nullptr); });
    const VkDescriptorSet set = v.set(sets, {{0, kStorage}, {1, VK_DESCRIPTOR_TYPE_MUTABLE_EXT, count}});
    const auto layout = v.layout({sets}, 4);
    const auto out = v.buffer(256), in = v.buffer(16);
    in.set(0, 77);
    v.write(set, 0, kStorage, out);
    VkImageCreateInfo info = VulkanDevice::image_info(VK_FORMAT_R32_UINT, 1, 1);
    info.usage |= VK_IMAGE_USAGE_STORAGE_BIT;
    const auto image = v.image(info);
    const VkImageView view = v.view(image.image, VK_FORMAT_R32_UINT);
    VkClearColorValue color{};
    color.uint32[0] = 55;
    const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    ASSERT_EQ(v.run([&](VkCommandBuffer c) {
      vkCmdClearColorImage(c, image.image, VK_IMAGE_LAYOUT_GENERAL, &color, 1, &all);
    }),
              VK_SUCCESS);
    const VkSampler sampler = v.sampler(VK_FILTER_NEAREST);
    for (std::uint32_t k = 0; k < count; ++k)
      if (k % 4 == 0)
        v.write(set, 1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, in, 0, VK_WHOLE_SIZE, k);
      else if (k % 4 == 3)
        v.write(set, 1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, view, VK_NULL_HANDLE, k);
      else
        v.write(set, 1, kCombined, view, sampler, k);
    const std::string array = "[" + std::to_string(count) + "]";
    const auto result = [&](const std::string& declaration, const std::string& value, std::uint32_t index) {
      const auto pipeline = v.pipeline(
          "#version 450\nlayout(binding = 0) buffer O { uint o; };\n"
          "layout(push_constant) uniform P { uint p; };\nlayout(binding = 1" +
              declaration + array + ";\nvoid main() { o = " + value + "; }\n",
          layout);
      out.set(0, 0);
      EXPECT_EQ(v.run([&](VkCommandBuffer c) {
        vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
        vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
        vkCmdPushConstants(c, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &index);
        vkCmdDispatch(c, 1, 1, 1);
      }),
                VK_SUCCESS)
          << count << (v.messages.empty() ? std::string() : v.messages.back());
      return out.word(0);
    };
    EXPECT_EQ(result(") uniform usampler2D s", "textureLod(s[p], vec2(0.5), 0.0).r", 1), 55u);
    EXPECT_EQ(result(") uniform usampler2D s", "texelFetch(s[p], ivec2(0), 0).r", 2), 55u);
    EXPECT_EQ(result(") uniform U { uint u; } b", "b[p].u", count - 4), 77u);
    EXPECT_EQ(result(", r32ui) uniform uimage2D i", "imageLoad(i[p], ivec2(0)).r", 3), 55u);
    EXPECT_EQ(result(", r32ui) uniform uimage2D i", "imageAtomicAdd(i[p], ivec2(0), 2u)", 3), 55u);
    EXPECT_EQ(result(", r32ui) uniform uimage2D i", "imageLoad(i[p], ivec2(0)).r", count - 1), 57u);
  }
}

}  // namespace
}  // namespace heddle::test
