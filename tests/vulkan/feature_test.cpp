// SPDX-License-Identifier: MIT
// Features that are offered, each in a shader that needs it.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "vulkan/device.hpp"

namespace heddle::test {
namespace {

constexpr VkDescriptorType kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
constexpr VkDescriptorType kInline = VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;

const std::string kHead =
    "#version 450\nlayout(local_size_x = 16) in;\nlayout(binding = 0) buffer Out { uint o[]; };\n";

TEST(VulkanFeatures, InlineUniformBlocks) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v({VK_EXT_INLINE_UNIFORM_BLOCK_EXTENSION_NAME});
  const auto set_layout = v.set_layout({{0, kStorage}, {1, kInline, 32}});
  VkDescriptorPoolInlineUniformBlockCreateInfo blocks{
      VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_INLINE_UNIFORM_BLOCK_CREATE_INFO, nullptr, 2};
  const VkDescriptorPoolSize sizes[] = {{kStorage, 2}, {kInline, 64}};
  VkDescriptorPoolCreateInfo pools{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, &blocks, 0, 2, 2, sizes};
  VkDescriptorPool pool = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateDescriptorPool(v.device, &pools, nullptr, &pool), VK_SUCCESS);
  VkDescriptorSet sets[2] = {};
  for (VkDescriptorSet& set : sets) {
    VkDescriptorSetAllocateInfo one{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, pool, 1, &set_layout};
    ASSERT_EQ(vkAllocateDescriptorSets(v.device, &one, &set), VK_SUCCESS);
  }
  const auto out = v.buffer(64);
  const auto write = [&](VkDescriptorSet set, std::uint32_t offset, const std::vector<std::uint32_t>& words) {
    VkWriteDescriptorSetInlineUniformBlock block{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK, nullptr,
                                                 static_cast<std::uint32_t>(words.size() * 4), words.data()};
    VkWriteDescriptorSet w{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, &block};
    w.dstSet = set;
    w.dstBinding = 1;
    w.dstArrayElement = offset;
    w.descriptorCount = block.dataSize;
    w.descriptorType = kInline;
    vkUpdateDescriptorSets(v.device, 1, &w, 0, nullptr);
  };
  v.write(sets[0], 0, kStorage, out);
  v.write(sets[1], 0, kStorage, out);
  write(sets[0], 0, {1, 2, 3, 4, 5, 6, 7, 8});
  write(sets[0], 16, {50, 60});
  VkCopyDescriptorSet copy{VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET, nullptr, sets[0], 1, 8, sets[1], 1, 4, 16};
  vkUpdateDescriptorSets(v.device, 0, nullptr, 1, &copy);
  const auto layout = v.layout({set_layout});
  const auto pipeline = v.pipeline(kHead +
                                       "layout(binding = 1) uniform U { uvec4 u[2]; };\n"
                                       "void main() { uint n = gl_LocalInvocationIndex; if (n < 8u) o[n] = "
                                       "u[n / 4u][n % 4u]; }\n",
                                   layout);
  const auto run = [&](VkDescriptorSet set) {
    return v.run([&](VkCommandBuffer c) {
      vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
      vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
      vkCmdDispatch(c, 1, 1, 1);
    });
  };
  const auto expect = [&](const std::vector<std::uint32_t>& words) {
    for (std::size_t i = 0; i < words.size(); ++i) EXPECT_EQ(out.word(i), words[i]) << i;
  };
  ASSERT_EQ(run(sets[0]), VK_SUCCESS);
  expect({1, 2, 3, 4, 50, 60, 7, 8});
  ASSERT_EQ(run(sets[1]), VK_SUCCESS);
  expect({0, 3, 4, 50, 60, 0, 0, 0});
  write(sets[1], 0, {9});
  ASSERT_EQ(run(sets[1]), VK_SUCCESS);
  expect({9, 3, 4, 50, 60, 0, 0, 0});
  vkDestroyDescriptorPool(v.device, pool, nullptr);
}

/// A device, one storage buffer, and a pipeline of a GLSL shader.
std::vector<std::uint32_t> run_glsl(const std::string& glsl, const std::vector<const char*>& extensions,
                                    std::uint32_t words = 64) {
  VulkanDevice v(extensions);
  const auto out = v.buffer(std::uint64_t{words} * 4);
  const auto set_layout = v.set_layout({{0, kStorage}});
  const auto set = v.set(set_layout, {{0, kStorage}});
  v.write(set, 0, kStorage, out);
  const auto layout = v.layout({set_layout});
  const auto pipeline = v.pipeline(glsl, layout);
  EXPECT_EQ(v.run([&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdDispatch(c, 2, 1, 1);
  }),
            VK_SUCCESS);
  std::vector<std::uint32_t> list;
  for (std::uint32_t i = 0; i < words; ++i) list.push_back(out.word(i));
  return list;
}

TEST(VulkanFeatures, AtomicsOf64Bits) {
  HEDDLE_NEED_SHADERS();
  const auto words = run_glsl(
      "#version 450\n#extension GL_EXT_shader_atomic_int64 : require\n"
      "#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require\nlayout(local_size_x = 16) in;\n"
      "layout(binding = 0) buffer Out { uint64_t sum, most, shared_sum; };\nshared uint64_t s;\n"
      "void main() { uint64_t n = uint64_t(gl_GlobalInvocationID.x) << 31; if (gl_LocalInvocationIndex == 0u) s = 0;\n"
      "  barrier(); atomicAdd(sum, n); atomicMax(most, n); atomicAdd(s, n); barrier();\n"
      "  if (gl_GlobalInvocationID.x == 16u) shared_sum = s; }\n",
      {VK_KHR_SHADER_ATOMIC_INT64_EXTENSION_NAME}, 6);
  const auto value = [&](std::size_t at) { return words[2 * at] | std::uint64_t{words[2 * at + 1]} << 32; };
  EXPECT_EQ(value(0), std::uint64_t{31 * 32 / 2} << 31);
  EXPECT_EQ(value(1), std::uint64_t{31} << 31);
  EXPECT_EQ(value(2), std::uint64_t{31 * 32 / 2 - 15 * 16 / 2} << 31);
}

TEST(VulkanFeatures, MultisampledStorageImages) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v;
  const std::vector<VulkanDevice::Binding> bindings{{0, kStorage}, {1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE}};
  const auto set_layout = v.set_layout(bindings);
  const auto set = v.set(set_layout, bindings);
  const auto layout = v.layout({set_layout});
  const auto out = v.buffer(256);
  VkImageCreateInfo info = VulkanDevice::image_info(VK_FORMAT_R32_UINT, 2, 2);
  info.samples = VK_SAMPLE_COUNT_4_BIT;
  info.usage = VK_IMAGE_USAGE_STORAGE_BIT;
  VkImageFormatProperties can;
  ASSERT_EQ(vkGetPhysicalDeviceImageFormatProperties(v.physical, info.format, info.imageType, info.tiling, info.usage,
                                                     0, &can),
            VK_SUCCESS);
  EXPECT_NE(can.sampleCounts & VK_SAMPLE_COUNT_4_BIT, 0u);
  const auto image = v.image(info);
  v.write(set, 0, kStorage, out);
  v.write(set, 1, bindings[1].type, v.view(image.image, VK_FORMAT_R32_UINT), VK_NULL_HANDLE);
  const auto pipeline =
      v.pipeline(kHead +
                     "layout(binding = 1, r32ui) uniform uimage2DMS i;\n"
                     "void main() { int n = int(gl_LocalInvocationIndex); ivec2 at = ivec2(n & 1, n >> 1 & 1);\n"
                     "  imageStore(i, at, n >> 2, uvec4(100 + n)); memoryBarrierImage(); barrier();\n"
                     "  o[n] = imageLoad(i, at, 3 - (n >> 2)).r; }\n",
                 layout);
  ASSERT_EQ(v.run([&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdDispatch(c, 1, 1, 1);
  }),
            VK_SUCCESS);
  for (std::uint32_t n = 0; n < 16; ++n) EXPECT_EQ(out.word(n), 100 + (n & 3) + 4 * (3 - (n >> 2))) << n;
}

// SPV-29: the residency of a storage cube's texels. Nothing is sparse here: all are there.
TEST(VulkanFeatures, SparseReadsOfStorageCubes) {
  HEDDLE_NEED_SHADERS();
  for (const VkFormat format : {VK_FORMAT_R32_UINT, VK_FORMAT_R64_UINT}) {
    VulkanDevice v({VK_EXT_SHADER_IMAGE_ATOMIC_INT64_EXTENSION_NAME});
    const bool wide = format == VK_FORMAT_R64_UINT;
    const std::vector<VulkanDevice::Binding> bindings{{0, kStorage}, {1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE}};
    const auto set_layout = v.set_layout(bindings);
    const auto set = v.set(set_layout, bindings);
    const auto layout = v.layout({set_layout});
    const auto out = v.buffer(256);
    VkImageCreateInfo info = VulkanDevice::image_info(format, 2, 2);
    info.arrayLayers = 12;
    info.flags = VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT;
    info.usage = VK_IMAGE_USAGE_STORAGE_BIT;
    const auto image = v.image(info);
    v.write(set, 0, kStorage, out);
    v.write(set, 1, bindings[1].type,
            v.view(image.image, format, VK_IMAGE_VIEW_TYPE_CUBE_ARRAY, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 12}),
            VK_NULL_HANDLE);
    const std::string texel = wide ? "u64vec4" : "uvec4", image_type = wide ? "r64ui) uniform u64imageCubeArray i;\n"
                                                                            : "r32ui) uniform uimageCubeArray i;\n";
    const auto pipeline = v.pipeline(
        "#version 450\n#extension GL_ARB_sparse_texture2 : enable\n"
        "#extension GL_EXT_shader_image_int64 : enable\n"
        "#extension GL_EXT_shader_explicit_arithmetic_types_int64 : enable\n"
        "layout(local_size_x = 16) in;\nlayout(binding = 0) buffer O { uint o[]; };\n"
        "layout(binding = 1, " +
            image_type +
            "void main() { int n = int(gl_LocalInvocationIndex); ivec3 at = ivec3(n & 1, n >> 1 & 1, n >> 2);\n"
            "  imageStore(i, at, " +
            texel + "(100 + n)); memoryBarrierImage(); barrier(); " + texel +
            " t;\n  int code = sparseImageLoadARB(i, ivec3(at.xy, 3 - at.z), t);\n"
            "  o[n] = uint(t.r) + (sparseTexelsResidentARB(code) ? 1000 : 0); }\n",
        layout);
    ASSERT_EQ(v.run([&](VkCommandBuffer c) {
      vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
      vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
      vkCmdDispatch(c, 1, 1, 1);
    }),
              VK_SUCCESS);
    for (std::uint32_t n = 0; n < 16; ++n) EXPECT_EQ(out.word(n), 1100 + (n & 3) + 4 * (3 - (n >> 2))) << n;
  }
}

// glslang writes no rounding modes: OpDecorate is put into its module.
TEST(VulkanFeatures, ConversionsRoundToZero) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v({VK_KHR_16BIT_STORAGE_EXTENSION_NAME});
  std::vector<std::uint32_t> words = compile_compute(
      "#version 450\n#extension GL_EXT_shader_16bit_storage : require\nlayout(local_size_x = 16) in;\n"
      "layout(binding = 0) buffer In { float i[16]; };\nlayout(binding = 1) buffer Out { float16_t o[16]; };\n"
      "void main() { o[gl_LocalInvocationIndex] = float16_t(i[gl_LocalInvocationIndex]); }\n");
  ASSERT_FALSE(words.empty());
  std::uint32_t converted = 0;
  std::size_t place = 0;
  for (std::size_t at = 5; at < words.size(); at += words[at] >> 16) {
    const std::uint32_t opcode = words[at] & 0xffff;
    if (opcode == 71 && place == 0) place = at;    // OpDecorate
    if (opcode == 115) converted = words[at + 2];  // OpFConvert
  }
  ASSERT_NE(place, 0u);
  ASSERT_NE(converted, 0u);
  const std::uint32_t decorate[] = {4u << 16 | 71, converted, 39, 1};  // FPRoundingMode RTZ
  words.insert(words.begin() + static_cast<std::ptrdiff_t>(place), std::begin(decorate), std::end(decorate));
  const auto in = v.buffer(64), out = v.buffer(64);
  const std::vector<VulkanDevice::Binding> bindings{{0, kStorage}, {1, kStorage}};
  const auto set_layout = v.set_layout(bindings);
  const auto set = v.set(set_layout, bindings);
  const auto layout = v.layout({set_layout});
  v.write(set, 0, kStorage, in);
  v.write(set, 1, kStorage, out);
  const float values[16] = {1.0f,     1.0009f, 1.00195301f, -1.0009999f, 65519.0f, 65536.0f, -1e30f,   INFINITY,
                            2.49e-8f, 6.0e-8f, -1.1e-7f,    0.33333334f, 2049.0f,  2051.0f,  -2051.0f, 0.0f};
  const std::uint16_t expected[16] = {0x3c00, 0x3c00, 0x3c01, 0xbc01, 0x7bff, 0x7bff, 0xfbff, 0x7c00,
                                      0,      1,      0x8001, 0x3555, 0x6800, 0x6801, 0xe801, 0};
  std::memcpy(in.bytes, values, sizeof values);
  const VkPipeline pipeline = v.pipeline_of(words, layout);
  EXPECT_EQ(v.run([&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdDispatch(c, 1, 1, 1);
  }),
            VK_SUCCESS);
  for (std::size_t n = 0; n < 16; ++n) {
    std::uint16_t half = 0;
    std::memcpy(&half, out.bytes + 2 * n, 2);
    EXPECT_EQ(half, expected[n]) << values[n];
  }
}

// Constants of several types with one number: each reads the bytes as its own type. glslang gives every constant a
// number of its own, which is changed here.
TEST(VulkanFeatures, SpecializationConstantsShareANumber) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v;
  std::vector<std::uint32_t> words = compile_compute(
      "#version 450\nlayout(constant_id = 4) const float a = 17;\nlayout(constant_id = 5) const int b = 18;\n"
      "layout(constant_id = 6) const uint d = 19;\nlayout(binding = 0) buffer O { uint o[4]; };\n"
      "void main() { o[0] = floatBitsToUint(a); o[1] = uint(b); o[2] = d; }\n");
  ASSERT_FALSE(words.empty());
  for (std::size_t at = 5; at < words.size(); at += words[at] >> 16)
    if ((words[at] & 0xffff) == 71 && words[at + 2] == 1) words[at + 3] = 4;  // OpDecorate SpecId
  const std::vector<VulkanDevice::Binding> bindings{{0, kStorage}};
  const auto set_layout = v.set_layout(bindings);
  const auto set = v.set(set_layout, bindings);
  const auto layout = v.layout({set_layout});
  const auto out = v.buffer(64);
  v.write(set, 0, kStorage, out);
  const std::uint32_t bits = 0x40200001;
  const VkSpecializationMapEntry entry{4, 0, 4};
  const VkSpecializationInfo special{1, &entry, 4, &bits};
  const VkPipeline pipeline = v.pipeline_of(words, layout, &special);
  EXPECT_EQ(v.run([&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdDispatch(c, 1, 1, 1);
  }),
            VK_SUCCESS);
  for (std::uint32_t n = 0; n < 3; ++n) EXPECT_EQ(out.word(n), bits) << n;
}

// LOD-8: the least level of a view counts the levels of the image, also where the view begins behind the first one.
TEST(VulkanFeatures, LeastLevelsOfViewsCountFromTheImage) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v({VK_EXT_IMAGE_VIEW_MIN_LOD_EXTENSION_NAME});
  const std::vector<VulkanDevice::Binding> bindings{{0, kStorage}, {1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER}};
  const auto set_layout = v.set_layout(bindings);
  const auto layout = v.layout({set_layout});
  const auto out = v.buffer(64);
  VkImageCreateInfo info = VulkanDevice::image_info(VK_FORMAT_R32_SFLOAT, 16, 16);
  info.mipLevels = 5;
  const auto image = v.image(info);
  ASSERT_EQ(v.run([&](VkCommandBuffer c) {
    for (std::uint32_t level = 0; level < 5; ++level) {
      const VkClearColorValue number{{static_cast<float>(level), 0, 0, 0}};
      const VkImageSubresourceRange range{VK_IMAGE_ASPECT_COLOR_BIT, level, 1, 0, 1};
      vkCmdClearColorImage(c, image.image, VK_IMAGE_LAYOUT_GENERAL, &number, 1, &range);
    }
  }),
            VK_SUCCESS);
  const auto pipeline = v.pipeline(kHead +
                                       "layout(binding = 1) uniform sampler2D i;\nvoid main() {\n"
                                       "  uint n = gl_LocalInvocationIndex;\n"
                                       "  o[n] = uint(textureLod(i, vec2(0.5), float(n & 3)).r); }\n",
                                   layout);
  for (std::uint32_t base = 0; base < 4; ++base)
    for (std::uint32_t least = base; least < 5; ++least) {
      const VkImageViewMinLodCreateInfoEXT from{VK_STRUCTURE_TYPE_IMAGE_VIEW_MIN_LOD_CREATE_INFO_EXT, nullptr,
                                                static_cast<float>(least)};
      const VkImageViewCreateInfo seen{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                       &from,
                                       0,
                                       image.image,
                                       VK_IMAGE_VIEW_TYPE_2D,
                                       VK_FORMAT_R32_SFLOAT,
                                       {},
                                       {VK_IMAGE_ASPECT_COLOR_BIT, base, 5 - base, 0, 1}};
      VkImageView view = VK_NULL_HANDLE;
      ASSERT_EQ(vkCreateImageView(v.device, &seen, nullptr, &view), VK_SUCCESS);
      v.later([d = v.device, view] { vkDestroyImageView(d, view, nullptr); });
      const auto set = v.set(set_layout, bindings);
      v.write(set, 0, kStorage, out);
      v.write(set, 1, bindings[1].type, view, v.sampler(VK_FILTER_NEAREST));
      ASSERT_EQ(v.run([&](VkCommandBuffer c) {
        vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
        vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
        vkCmdDispatch(c, 1, 1, 1);
      }),
                VK_SUCCESS);
      for (std::uint32_t n = 0; n < 4; ++n)
        EXPECT_EQ(out.word(n), std::min(4u, std::max(base + n, least))) << base << ' ' << least;
    }
}

// Anisotropy is for samplers that filter in either direction; others take single texels from the level of the longer
// derivative.
TEST(VulkanFeatures, AnisotropyIsForSamplersThatFilter) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v;
  const std::vector<VulkanDevice::Binding> bindings{{0, kStorage}, {1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER}};
  const auto set_layout = v.set_layout(bindings);
  const auto layout = v.layout({set_layout});
  const auto out = v.buffer(64);
  VkImageCreateInfo info = VulkanDevice::image_info(VK_FORMAT_R32_SFLOAT, 16, 16);
  info.mipLevels = 5;
  const auto image = v.image(info);
  ASSERT_EQ(v.run([&](VkCommandBuffer c) {
    for (std::uint32_t level = 0; level < 5; ++level) {
      const VkClearColorValue number{{static_cast<float>(level), 0, 0, 0}};
      const VkImageSubresourceRange range{VK_IMAGE_ASPECT_COLOR_BIT, level, 1, 0, 1};
      vkCmdClearColorImage(c, image.image, VK_IMAGE_LAYOUT_GENERAL, &number, 1, &range);
    }
  }),
            VK_SUCCESS);
  const auto view = v.view(image.image, VK_FORMAT_R32_SFLOAT);
  const auto pipeline =
      v.pipeline(kHead +
                     "layout(binding = 1) uniform sampler2D i;\nvoid main() {\n"
                     "  o[0] = uint(textureGrad(i, vec2(0.5), vec2(0.5, 0), vec2(0, 1.0 / 16)).r); }\n",
                 layout);
  for (const unsigned linear : {0u, 1u, 2u, 3u}) {
    VkSamplerCreateInfo how{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
    how.magFilter = (linear & 1) != 0 ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
    how.minFilter = (linear & 2) != 0 ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
    how.anisotropyEnable = VK_TRUE;
    how.maxAnisotropy = 16;
    how.maxLod = VK_LOD_CLAMP_NONE;
    VkSampler sampler = VK_NULL_HANDLE;
    ASSERT_EQ(vkCreateSampler(v.device, &how, nullptr, &sampler), VK_SUCCESS);
    v.later([d = v.device, sampler] { vkDestroySampler(d, sampler, nullptr); });
    const auto set = v.set(set_layout, bindings);
    v.write(set, 0, kStorage, out);
    v.write(set, 1, bindings[1].type, view, sampler);
    ASSERT_EQ(v.run([&](VkCommandBuffer c) {
      vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
      vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
      vkCmdDispatch(c, 1, 1, 1);
    }),
              VK_SUCCESS);
    EXPECT_EQ(out.word(0), linear == 0 ? 3u : 0u) << linear;  // eight texels long, one wide
  }
}

struct StoredImage {
  const char *dimension, *at, *layout;
  VkFormat format;
  VkImageType type;
  VkImageViewType view;
  VkExtent3D extent;
  std::uint32_t layers;
};

/// What a shader reads from storage images inside and outside, on one engine.
std::vector<std::uint32_t> read_stored(const StoredImage& s, bool reference) {
  if (reference) setenv("HEDDLE_CHECK", "warn", 1);
  VulkanDevice v;
  unsetenv("HEDDLE_CHECK");
  v.expects_messages = true;  // of the accesses outside
  const std::vector<VulkanDevice::Binding> bindings{{0, kStorage}, {1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE}};
  const auto set_layout = v.set_layout(bindings);
  const auto set = v.set(set_layout, bindings);
  const auto layout = v.layout({set_layout});
  const auto out = v.buffer(512 * 16), texels = v.buffer(64 << 10);
  std::uint32_t random = 99;
  // Halves that are numbers: the bits of others may change on the way.
  for (std::uint32_t i = 0; i < texels.size / 4; ++i)
    texels.set(i, (random = random * 1664525 + 1013904223) & 0x3bff3bff);
  VkImageCreateInfo info = VulkanDevice::image_info(s.format, s.extent.width, s.extent.height);
  info.imageType = s.type;
  info.extent = s.extent;
  info.arrayLayers = s.layers;
  info.mipLevels = 2;
  info.usage |= VK_IMAGE_USAGE_STORAGE_BIT;
  if (s.view == VK_IMAGE_VIEW_TYPE_CUBE) info.flags = VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT;
  const auto image = v.image(info);
  const VkExtent3D half{std::max(1u, s.extent.width / 2), std::max(1u, s.extent.height / 2),
                        std::max(1u, s.extent.depth / 2)};
  EXPECT_EQ(v.run([&](VkCommandBuffer c) {
    for (std::uint32_t level = 0; level < 2; ++level) {
      const VkBufferImageCopy region{
          0, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, s.layers}, {}, level == 0 ? s.extent : half};
      vkCmdCopyBufferToImage(c, texels.buffer, image.image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    }
  }),
            VK_SUCCESS);
  v.write(set, 0, kStorage, out);
  const VkImageSubresourceRange second{VK_IMAGE_ASPECT_COLOR_BIT, 1, 1, 0, s.layers};
  v.write(set, 1, bindings[1].type, v.view(image.image, s.format, s.view, second), VK_NULL_HANDLE);
  const std::string kind = s.format == VK_FORMAT_R32_UINT || s.format == VK_FORMAT_R8G8B8A8_UINT ? "u" : "";
  const auto pipeline = v.pipeline(
      "#version 450\nlayout(local_size_x = 64) in;\nlayout(binding = 0) buffer Out { uvec4 o[]; };\nlayout(binding = "
      "1, " +
          std::string(s.layout) + ") uniform readonly " + kind + s.dimension +
          " i;\nvoid main() { int n = int(gl_GlobalInvocationID.x), x = n % 8 - 1, y = n / 8 % 8 - 1, z = n / 64 - 1;\n"
          "  o[n] = " +
          (kind.empty() ? "floatBitsToUint(imageLoad(i, " : "uvec4(imageLoad(i, ") + s.at + ")); }\n",
      layout);
  EXPECT_EQ(v.run([&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdDispatch(c, 8, 1, 1);
  }),
            VK_SUCCESS);
  std::vector<std::uint32_t> words;
  for (std::uint32_t i = 0; i < 512 * 4; ++i) words.push_back(out.word(i));
  return words;
}

// The fast engine reads typed surfaces as the texture unit's load does; the results are those of the reference engine,
// outside as well (LD-3).
TEST(VulkanFeatures, StorageImagesAreReadAlikeByBothEngines) {
  HEDDLE_NEED_SHADERS();
  const VkExtent3D flat{10, 9, 1};
  const StoredImage images[] = {
      {"image2D", "ivec2(x, y)", "rgba8", VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, flat, 1},
      {"image2D", "ivec2(x, y)", "rgba8_snorm", VK_FORMAT_R8G8B8A8_SNORM, VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, flat,
       1},
      {"image2D", "ivec2(x, y)", "rgba16f", VK_FORMAT_R16G16B16A16_SFLOAT, VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D,
       flat, 1},
      {"image2D", "ivec2(x, y)", "r32f", VK_FORMAT_R32_SFLOAT, VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, flat, 1},
      {"image2D", "ivec2(x, y)", "rgba8ui", VK_FORMAT_R8G8B8A8_UINT, VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, flat, 1},
      {"image2DArray", "ivec3(x, y, z)", "r32ui", VK_FORMAT_R32_UINT, VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D_ARRAY,
       flat, 3},
      {"image1DArray",
       "ivec2(x, y)",
       "r32ui",
       VK_FORMAT_R32_UINT,
       VK_IMAGE_TYPE_1D,
       VK_IMAGE_VIEW_TYPE_1D_ARRAY,
       {9, 1, 1},
       4},
      {"image3D",
       "ivec3(x, y, z)",
       "rgba32f",
       VK_FORMAT_R32G32B32A32_SFLOAT,
       VK_IMAGE_TYPE_3D,
       VK_IMAGE_VIEW_TYPE_3D,
       {8, 7, 6},
       1},
      {"imageCube",
       "ivec3(x, y, z)",
       "rgba8",
       VK_FORMAT_R8G8B8A8_UNORM,
       VK_IMAGE_TYPE_2D,
       VK_IMAGE_VIEW_TYPE_CUBE,
       {8, 8, 1},
       6},
  };
  for (const StoredImage& s : images) {
    const auto fast = read_stored(s, false), slow = read_stored(s, true);
    EXPECT_EQ(fast, slow) << s.dimension << " " << s.layout;
    EXPECT_NE(std::count(fast.begin(), fast.end(), 0u), static_cast<std::ptrdiff_t>(fast.size())) << s.dimension;
  }
}

}  // namespace
}  // namespace heddle::test
