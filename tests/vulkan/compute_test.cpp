// SPDX-License-Identifier: MIT
// Compute pipelines and descriptors.

#include <array>
#include <cstdlib>
#include <functional>
#include <thread>

#include "vulkan/device.hpp"

namespace heddle::test {
namespace {

constexpr VkDescriptorType kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;

/// One storage buffer in set 0, binding 0, and what a test adds.
struct OneBuffer {
  explicit OneBuffer(std::uint64_t bytes = 4096, std::vector<VulkanDevice::Binding> more = {},
                     std::uint32_t push_bytes = 0, const std::vector<const char*>& extensions = {})
      : v(extensions) {
    bindings = std::move(more);
    bindings.insert(bindings.begin(), {0, kStorage});
    out = v.buffer(bytes);
    set_layout = v.set_layout(bindings);
    set = v.set(set_layout, bindings);
    layout = v.layout({set_layout}, push_bytes);
    v.write(set, 0, kStorage, out);
  }
  VkResult run(VkPipeline pipeline, std::uint32_t x = 1, std::uint32_t y = 1, std::uint32_t z = 1,
               const std::vector<std::uint32_t>& offsets = {}) {
    return v.run([&](VkCommandBuffer c) {
      bind(c, pipeline, offsets);
      vkCmdDispatch(c, x, y, z);
    });
  }
  void bind(VkCommandBuffer c, VkPipeline pipeline, const std::vector<std::uint32_t>& offsets = {}) const {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set,
                            static_cast<std::uint32_t>(offsets.size()), offsets.data());
  }
  VulkanDevice v;
  std::vector<VulkanDevice::Binding> bindings;
  VulkanDevice::Buffer out;
  VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
  VkDescriptorSet set = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
};

const std::string kHead =
    "#version 450\nlayout(local_size_x = 32) in;\nlayout(binding = 0) buffer Out { uint o[]; };\n";

TEST(VulkanCompute, InvocationsKnowWhereTheyAre) {
  HEDDLE_NEED_SHADERS();
  OneBuffer t;
  const auto pipeline = t.v.pipeline(kHead +
                                         "void main() {\n"
                                         "  uint i = gl_GlobalInvocationID.x + 64u * gl_GlobalInvocationID.y;\n"
                                         "  o[i] = gl_WorkGroupID.x | gl_WorkGroupID.y << 4 | gl_NumWorkGroups.x << 8 "
                                         "| gl_NumWorkGroups.y << 12 | gl_LocalInvocationIndex << 16;\n}\n",
                                     t.layout);
  ASSERT_EQ(t.run(pipeline, 2, 3), VK_SUCCESS);
  EXPECT_EQ(t.out.word(0), 0x3200u);
  EXPECT_EQ(t.out.word(64 * 2 + 63), 31u << 16 | 0x3221u);
}

// Mesa's zink names the capability of Vulkan's memory model in modules of SPIR-V 1.3 without its extension.
TEST(VulkanCompute, AMemoryModelWithoutItsExtension) {
  HEDDLE_NEED_SHADERS();
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) GTEST_SKIP() << "breaks the rules on purpose";
  OneBuffer t;
  std::vector<std::uint32_t> words =
      compile_compute(kHead + "void main() { o[gl_LocalInvocationIndex] = 7u + gl_LocalInvocationIndex; }\n");
  constexpr std::uint32_t kCapability = 17 | 2u << 16, kMemoryModel = 14 | 3u << 16, kVulkanMemoryModel = 5345;
  for (std::size_t at = 5; at < words.size(); at += words[at] >> 16)
    if (words[at] == kMemoryModel) words[at + 2] = 3;  // Vulkan
  words.insert(words.begin() + 5, {kCapability, kVulkanMemoryModel});
  EXPECT_EQ(t.run(t.v.pipeline_of(words, t.layout)), VK_SUCCESS);
  EXPECT_EQ(t.out.word(5), 12u);
}

TEST(VulkanCompute, PushAndSpecializationConstants) {
  HEDDLE_NEED_SHADERS();
  OneBuffer t(4096, {}, 16);
  const std::array<VkSpecializationMapEntry, 4> entries{{{1, 0, 4}, {2, 4, 4}, {3, 8, 4}, {99, 0, 4}}};
  struct {
    std::uint32_t number = 40;
    float scale = 2.5f;
    VkBool32 yes = VK_TRUE;
  } values;
  const VkSpecializationInfo special{entries.size(), entries.data(), sizeof values, &values};
  const auto pipeline = t.v.pipeline(
      kHead +
          "layout(constant_id = 1) const uint number = 1;\nlayout(constant_id = 2) const float scale = 1;\n"
          "layout(constant_id = 3) const bool yes = false;\nlayout(push_constant) uniform P { uint a; float b; };\n"
          "void main() { if (gl_LocalInvocationIndex == 0u) { o[0] = number + a; o[1] = floatBitsToUint(scale * b);\n"
          "  o[2] = yes ? 1u : 0u; } }\n",
      t.layout, &special);
  struct {
    std::uint32_t a = 2;
    float b = 4;
  } push;
  ASSERT_EQ(t.v.run([&](VkCommandBuffer c) {
    t.bind(c, pipeline);
    vkCmdPushConstants(c, t.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, &push);
    vkCmdDispatch(c, 1, 1, 1);
  }),
            VK_SUCCESS);
  EXPECT_EQ(t.out.word(0), 42u);
  EXPECT_EQ(t.out.word(1), 0x41200000u);
  EXPECT_EQ(t.out.word(2), 1u);
}

TEST(VulkanCompute, ArraysOfBuffersAndDynamicOffsets) {
  HEDDLE_NEED_SHADERS();
  OneBuffer t(4096, {{1, kStorage, 3}, {2, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC}});
  const auto numbers = t.v.buffer(1024);
  for (std::uint32_t i = 0; i < 256; ++i) numbers.set(i, i);
  for (std::uint32_t i = 0; i < 3; ++i) t.v.write(t.set, 1, kStorage, numbers, 64 * i, 16, i);
  t.v.write(t.set, 2, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, numbers, 16, 16);
  const auto pipeline = t.v.pipeline(
      kHead +
          "layout(binding = 1) readonly buffer In { uint i[]; } b[3];\nlayout(binding = 2) uniform U { uvec4 u; };\n"
          "void main() { uint n = gl_LocalInvocationIndex; if (n < 3u) o[n] = b[n].i[1]; if (n == 3u) o[3] = u.y;\n"
          "  if (n == 4u) o[4] = b[1].i.length(); if (n == 5u) o[5] = b[1].i[4]; }\n",
      t.layout);
  ASSERT_EQ(t.run(pipeline, 1, 1, 1, {256}), VK_SUCCESS);
  EXPECT_EQ(t.out.word(0), 1u);
  EXPECT_EQ(t.out.word(1), 17u);
  EXPECT_EQ(t.out.word(2), 33u);
  EXPECT_EQ(t.out.word(3), (16 + 256) / 4 + 1u);
  EXPECT_EQ(t.out.word(4), 4u);
  EXPECT_EQ(t.out.word(5), 0u) << "behind the range";
  ASSERT_EQ(t.run(pipeline, 1, 1, 1, {512}), VK_SUCCESS);
  EXPECT_EQ(t.out.word(3), (16 + 512) / 4 + 1u);
}

TEST(VulkanCompute, ImagesAreSampledThroughViews) {
  HEDDLE_NEED_SHADERS();
  OneBuffer t(4096, {{1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER}, {2, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE}});
  auto info = VulkanDevice::image_info(VK_FORMAT_R8G8B8A8_UNORM, 4, 4);
  info.mipLevels = 2;
  info.arrayLayers = 2;
  const auto image = t.v.image(info);
  info.usage |= VK_IMAGE_USAGE_STORAGE_BIT;
  info.mipLevels = 1;
  const auto target = t.v.image(info);
  const auto view =
      t.v.view(image.image, info.format, VK_IMAGE_VIEW_TYPE_2D, {VK_IMAGE_ASPECT_COLOR_BIT, 1, 1, 1, 1},
               {VK_COMPONENT_SWIZZLE_B, VK_COMPONENT_SWIZZLE_ONE, VK_COMPONENT_SWIZZLE_R, VK_COMPONENT_SWIZZLE_ZERO});
  const auto storage =
      t.v.view(target.image, info.format, VK_IMAGE_VIEW_TYPE_2D, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 1, 1});
  t.v.write(t.set, 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, view, t.v.sampler(VK_FILTER_LINEAR));
  t.v.write(t.set, 2, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, storage, VK_NULL_HANDLE);
  const auto pipeline = t.v.pipeline(
      kHead +
          "layout(binding = 1) uniform sampler2D s;\nlayout(binding = 2, rgba8) uniform image2D t;\n"
          "void main() { if (gl_LocalInvocationIndex == 0u) { o[0] = packUnorm4x8(textureLod(s, vec2(0.5), 0));\n"
          "  ivec2 z = textureSize(s, 0); o[1] = uint(z.x | z.y << 8 | textureQueryLevels(s) << 16);\n"
          "  imageStore(t, ivec2(3, 2), vec4(1, 0.5, 0, 1)); } }\n",
      t.layout);
  const VkClearColorValue value{.float32 = {0.2f, 0.4f, 1, 1}};
  const VkImageSubresourceRange second{VK_IMAGE_ASPECT_COLOR_BIT, 1, 1, 1, 1};
  const auto back = t.v.buffer(64);
  ASSERT_EQ(t.v.run([&](VkCommandBuffer c) {
    vkCmdClearColorImage(c, image.image, VK_IMAGE_LAYOUT_GENERAL, &value, 1, &second);
    t.bind(c, pipeline);
    vkCmdDispatch(c, 1, 1, 1);
    const VkBufferImageCopy region{0, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 1}, {0, 0, 0}, {4, 4, 1}};
    vkCmdCopyImageToBuffer(c, target.image, VK_IMAGE_LAYOUT_GENERAL, back.buffer, 1, &region);
  }),
            VK_SUCCESS);
  EXPECT_EQ(t.out.word(0), 0x0033ffffu);
  EXPECT_EQ(t.out.word(1), 0x010202u);
  EXPECT_EQ(back.word(2 * 4 + 3), 0xff0080ffu);
  EXPECT_EQ(back.word(0), 0u);
}

TEST(VulkanCompute, NullDescriptorsReadZero) {
  HEDDLE_NEED_SHADERS();
  OneBuffer t(4096, {{1, kStorage}, {2, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER}}, 0,
              {VK_EXT_ROBUSTNESS_2_EXTENSION_NAME});
  t.v.write(t.set, 1, kStorage, VulkanDevice::Buffer{});
  t.v.write(t.set, 2, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_NULL_HANDLE, t.v.sampler(VK_FILTER_NEAREST));
  const auto pipeline =
      t.v.pipeline(kHead +
                       "layout(binding = 1) buffer In { uint i[]; };\nlayout(binding = 2) uniform sampler2D s;\n"
                       "void main() { if (gl_LocalInvocationIndex == 0u) { o[0] = i[3] + 5u; i[3] = 1u;\n"
                       "  o[1] = packUnorm4x8(textureLod(s, vec2(0.5), 0)) + 6u; } }\n",
                   t.layout);
  ASSERT_EQ(t.run(pipeline), VK_SUCCESS);
  EXPECT_EQ(t.out.word(0), 5u);
  EXPECT_EQ(t.out.word(1), 6u);
}

TEST(VulkanCompute, TemplatesAndPushDescriptors) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v({VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME});
  const auto in = v.buffer(64), out = v.buffer(64);
  in.set(0, 11);
  in.set(4, 22);
  const auto pushed =
      v.set_layout({{0, kStorage}, {1, kStorage}}, VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR);
  const auto plain = v.set_layout({{0, kStorage}});
  const auto set = v.set(plain, {{0, kStorage}});
  const auto layout = v.layout({pushed, plain});
  const VkDescriptorUpdateTemplateEntry entry{0, 0, 1, kStorage, 8, 0};
  VkDescriptorUpdateTemplateCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO};
  info.descriptorUpdateEntryCount = 1;
  info.pDescriptorUpdateEntries = &entry;
  info.templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET;
  info.descriptorSetLayout = plain;
  VkDescriptorUpdateTemplate made = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateDescriptorUpdateTemplate(v.device, &info, nullptr, &made), VK_SUCCESS);
  struct {
    std::uint64_t other = 0;
    VkDescriptorBufferInfo buffer{};
  } data;
  data.buffer = {in.buffer, 16, 16};
  vkUpdateDescriptorSetWithTemplate(v.device, set, made, &data);
  vkDestroyDescriptorUpdateTemplate(v.device, made, nullptr);
  const auto pipeline =
      v.pipeline(kHead +
                     "layout(binding = 1) buffer A { uint a[]; };\n"
                     "layout(set = 1, binding = 0) buffer B { uint b[]; };\n"
                     "void main() { if (gl_LocalInvocationIndex == 0u) o[0] = a[0] * 100u + b[0]; }\n",
                 layout);
  const auto push = v.proc<PFN_vkCmdPushDescriptorSetKHR>("vkCmdPushDescriptorSetKHR");
  ASSERT_NE(push, nullptr);
  ASSERT_EQ(v.run([&](VkCommandBuffer c) {
    const VkDescriptorBufferInfo buffers[] = {{out.buffer, 0, VK_WHOLE_SIZE}, {in.buffer, 0, VK_WHOLE_SIZE}};
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.descriptorCount = 2;  // goes on into binding 1
    write.descriptorType = kStorage;
    write.pBufferInfo = buffers;
    push(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &write);
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 1, 1, &set, 0, nullptr);
    vkCmdDispatch(c, 1, 1, 1);
  }),
            VK_SUCCESS);
  EXPECT_EQ(out.word(0), 1122u);
}

TEST(VulkanCompute, IndirectAndBaseDispatches) {
  HEDDLE_NEED_SHADERS();
  OneBuffer t;
  const auto pipeline = t.v.pipeline(
      kHead + "void main() { atomicAdd(o[gl_WorkGroupID.x], 1u + gl_NumWorkGroups.x * 0x10000u); }\n", t.layout);
  const auto counts = t.v.buffer(16);
  counts.set(1, 3), counts.set(2, 1), counts.set(3, 1);
  ASSERT_EQ(t.v.run([&](VkCommandBuffer c) {
    t.bind(c, pipeline);
    vkCmdDispatchIndirect(c, counts.buffer, 4);
    vkCmdDispatchBase(c, 10, 0, 0, 2, 1, 1);
  }),
            VK_SUCCESS);
  EXPECT_EQ(t.out.word(2), 32u + 32 * 0x30000u);
  EXPECT_EQ(t.out.word(3), 0u);
  EXPECT_EQ(t.out.word(9), 0u);
  EXPECT_EQ(t.out.word(11), 32u + 32 * 0x20000u);
}

TEST(VulkanCompute, SharedMemoryAndBarriers) {
  HEDDLE_NEED_SHADERS();
  OneBuffer t;
  const auto pipeline = t.v.pipeline(
      "#version 450\nlayout(local_size_x = 256) in;\nlayout(binding = 0) buffer Out { uint o[]; };\nshared uint "
      "s[256];\n"
      "void main() { uint n = gl_LocalInvocationIndex; s[n] = n; barrier();\n"
      "  for (uint k = 128u; k > 0u; k >>= 1) { if (n < k) s[n] += s[n + k]; barrier(); }\n"
      "  if (n == 0u) o[gl_WorkGroupID.x] = s[0]; }\n",
      t.layout);
  ASSERT_EQ(t.run(pipeline, 100), VK_SUCCESS);
  for (std::size_t i = 0; i < 100; ++i) ASSERT_EQ(t.out.word(i), 255u * 128) << i;
}

// SPV-38: subgroups that ended count as arrived, whichever of them, at each of several barriers, on both engines.
TEST(VulkanCompute, SubgroupsThatEndedAreNotWaitedFor) {
  HEDDLE_NEED_SHADERS();
  for (const bool checks : {false, true}) {
    if (checks) setenv("HEDDLE_CHECK", "warn", 1);
    OneBuffer t(4096, {}, 4);
    unsetenv("HEDDLE_CHECK");
    t.v.expects_messages = true;
    const auto pipeline = t.v.pipeline(
        "#version 450\nlayout(local_size_x = 64) in;\nlayout(binding = 0) buffer Out { uint o[]; };\n"
        "layout(push_constant) uniform P { uint gone; };\nshared uint s[64];\n"
        "void main() { uint i = gl_LocalInvocationIndex;\n  s[i] = 0u;\n  if ((gone >> (i / 16u) & 1u) != 0u) return;\n"
        "  for (uint step = 1u; step < 4u; ++step) { s[i] += i * step; barrier(); "
        "uint other = s[i ^ 16u]; barrier(); s[i] += other; }\n"
        "  if (i == 63u) return;\n  barrier();\n  o[64u * gl_WorkGroupID.x + i] = s[i] + 1u; }\n",
        t.layout);
    for (const std::uint32_t gone : {0u, 1u, 2u, 4u, 8u, 3u, 5u, 10u, 7u, 14u}) {
      std::memset(t.out.bytes, 0, 4096);
      ASSERT_EQ(t.v.run([&](VkCommandBuffer c) {
        t.bind(c, pipeline);
        vkCmdPushConstants(c, t.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &gone);
        vkCmdDispatch(c, 3, 1, 1);
      }),
                VK_SUCCESS);
      const auto is_gone = [&](std::uint32_t i) { return (gone >> i / 16 & 1) != 0; };
      std::array<std::uint32_t, 64> s{};
      for (std::uint32_t step = 1; step < 4; ++step) {
        for (std::uint32_t i = 0; i < 64; ++i)
          if (!is_gone(i)) s[i] += i * step;
        const auto before = s;
        for (std::uint32_t i = 0; i < 64; ++i)
          if (!is_gone(i)) s[i] += before[i ^ 16];
      }
      for (std::uint32_t i = 0; i < 192; ++i)
        ASSERT_EQ(t.out.word(i), is_gone(i % 64) || i % 64 == 63 ? 0 : s[i % 64] + 1) << gone << ' ' << i;
    }
  }
}

TEST(VulkanCompute, SecondaryAndRepeatedBuffers) {
  HEDDLE_NEED_SHADERS();
  OneBuffer t;
  const auto pipeline = t.v.pipeline(kHead + "void main() { atomicAdd(o[0], 1u); }\n", t.layout);
  const auto secondary = t.v.commands(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
  t.v.begin(secondary, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
  t.bind(secondary, pipeline);
  vkCmdDispatch(secondary, 1, 1, 1);
  ASSERT_EQ(vkEndCommandBuffer(secondary), VK_SUCCESS);
  const auto primary = t.v.commands();
  t.v.begin(primary, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
  vkCmdExecuteCommands(primary, 1, &secondary);
  vkCmdExecuteCommands(primary, 1, &secondary);
  ASSERT_EQ(vkEndCommandBuffer(primary), VK_SUCCESS);
  VkSubmitInfo work{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  work.commandBufferCount = 1;
  work.pCommandBuffers = &primary;
  for (int i = 0; i < 5; ++i) ASSERT_EQ(vkQueueSubmit(t.v.queue, 1, &work, VK_NULL_HANDLE), VK_SUCCESS);
  ASSERT_EQ(vkQueueWaitIdle(t.v.queue), VK_SUCCESS);
  EXPECT_EQ(t.out.word(0), 5u * 2 * 32);
}

TEST(VulkanCompute, SubgroupsHaveTheSizeThatIsAskedFor) {
  HEDDLE_NEED_SHADERS();
  OneBuffer t(4096, {}, 0, {VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME});
  const auto words = compile_compute(
      "#version 450\n#extension GL_KHR_shader_subgroup_basic : require\n"
      "layout(local_size_x = 64) in;\nlayout(binding = 0) buffer Out { uint o[]; };\n"
      "void main() { if (gl_LocalInvocationIndex == 0u) { o[0] = gl_SubgroupSize; o[1] = gl_NumSubgroups; } }\n");
  VkShaderModuleCreateInfo code{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0, words.size() * 4,
                                words.data()};
  VkShaderModule module = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateShaderModule(t.v.device, &code, nullptr, &module), VK_SUCCESS);
  for (const std::uint32_t size : {8u, 16u, 32u}) {
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo required{
        VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO, nullptr, size};
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  &required,
                  0,
                  VK_SHADER_STAGE_COMPUTE_BIT,
                  module,
                  "main",
                  nullptr};
    info.layout = t.layout;
    VkPipeline pipeline = VK_NULL_HANDLE;
    ASSERT_EQ(vkCreateComputePipelines(t.v.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline), VK_SUCCESS);
    ASSERT_EQ(t.run(pipeline), VK_SUCCESS);
    EXPECT_EQ(t.out.word(0), size);
    EXPECT_EQ(t.out.word(1), 64 / size);
    vkDestroyPipeline(t.v.device, pipeline, nullptr);
  }
  vkDestroyShaderModule(t.v.device, module, nullptr);
}

TEST(VulkanCompute, PipelinesAreMadeOnSeveralThreads) {
  HEDDLE_NEED_SHADERS();
  OneBuffer t;
  std::vector<VkPipeline> made(4);
  std::vector<std::string> sources;
  for (std::size_t i = 0; i < made.size(); ++i)
    sources.push_back(kHead + "void main() { o[" + std::to_string(i) + "] = " + std::to_string(100 + i) + "u; }\n");
  std::vector<std::vector<std::uint32_t>> words;
  for (const std::string& source : sources) words.push_back(compile_compute(source));
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < made.size(); ++i)
    threads.emplace_back([&, i] {
      VkShaderModuleCreateInfo code{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0, words[i].size() * 4,
                                    words[i].data()};
      VkShaderModule module = VK_NULL_HANDLE;
      (void)vkCreateShaderModule(t.v.device, &code, nullptr, &module);
      VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
      info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                    nullptr,
                    0,
                    VK_SHADER_STAGE_COMPUTE_BIT,
                    module,
                    "main",
                    nullptr};
      info.layout = t.layout;
      (void)vkCreateComputePipelines(t.v.device, VK_NULL_HANDLE, 1, &info, nullptr, &made[i]);
      vkDestroyShaderModule(t.v.device, module, nullptr);
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < made.size(); ++i) {
    ASSERT_EQ(t.run(made[i]), VK_SUCCESS);
    EXPECT_EQ(t.out.word(i), 100 + i);
    vkDestroyPipeline(t.v.device, made[i], nullptr);
  }
}

// VK_NV_shader_image_footprint as it is written for a GPU: a 2x2 sample in the middle of an image touches four blocks.
TEST(VulkanFootprint, MarksWhatASampleTouches) {
  HEDDLE_NEED_SHADERS();
  OneBuffer t(4096, {{1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER}}, 0, {VK_NV_SHADER_IMAGE_FOOTPRINT_EXTENSION_NAME});
  auto info = VulkanDevice::image_info(VK_FORMAT_R8G8B8A8_UNORM, 64, 64);
  info.mipLevels = 3;
  const auto view = t.v.view(t.v.image(info).image, info.format);
  t.v.write(t.set, 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, view, t.v.sampler(VK_FILTER_LINEAR));
  const auto pipeline = t.v.pipeline(
      "#version 450\n#extension GL_NV_shader_texture_footprint : require\nlayout(local_size_x = 32) in;\n"
      "layout(binding = 0) buffer Out { uint o[]; };\nlayout(binding = 1) uniform sampler2D s;\n"
      "void main() { if (gl_LocalInvocationIndex != 0u) return; gl_TextureFootprint2DNV f;\n"
      "  bool one = textureFootprintLodNV(s, vec2(0.5), 1.0, 1, false, f);\n"
      "  o[0] = uint(bitCount(f.mask.x) + bitCount(f.mask.y)); o[1] = f.lod; o[2] = f.granularity; o[3] = one ? 1u : "
      "0u;\n}\n",
      t.layout);
  ASSERT_EQ(t.run(pipeline), VK_SUCCESS);
  EXPECT_EQ(t.out.word(0), 4u);
  EXPECT_EQ(t.out.word(1), 1u);
  EXPECT_EQ(t.out.word(3), 1u);
}

// HEDDLE_CHECK=warn: found, placed, once; a sound shader says nothing.
TEST(VulkanSanitizer, AnAccessOutsideIsReportedOnce) {
  HEDDLE_NEED_SHADERS();
  setenv("HEDDLE_CHECK", "warn", 1);
  OneBuffer t(64);
  t.v.expects_messages = true;
  unsetenv("HEDDLE_CHECK");
  const auto sound = t.v.pipeline(
      kHead + "void main() { if (gl_LocalInvocationIndex < 16u) o[gl_LocalInvocationIndex] = 1u; }\n", t.layout);
  const auto faulty = t.v.pipeline(kHead + "void main() { o[gl_LocalInvocationIndex] = 2u; }\n", t.layout);
  ASSERT_EQ(t.run(sound), VK_SUCCESS);
  EXPECT_TRUE(t.v.messages.empty()) << t.v.messages[0];
  ASSERT_EQ(t.run(faulty), VK_SUCCESS);
  ASSERT_EQ(t.run(faulty), VK_SUCCESS);
  ASSERT_EQ(t.v.messages.size(), 1u);
  EXPECT_NE(t.v.messages[0].find("compute shader 'main', "), std::string::npos) << t.v.messages[0];
  EXPECT_NE(t.v.messages[0].find("lie outside"), std::string::npos) << t.v.messages[0];
  EXPECT_EQ(t.out.word(15), 2u);
}

TEST(VulkanCompute, AShaderThatIsNoneIsRefused) {
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) GTEST_SKIP() << "breaks the rules on purpose";
  VulkanDevice v;
  const std::vector<std::uint32_t> words{0x07230203, 0x00010000, 0, 1, 0};
  VkShaderModuleCreateInfo code{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0, words.size() * 4,
                                words.data()};
  VkShaderModule module = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateShaderModule(v.device, &code, nullptr, &module), VK_SUCCESS);
  VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                nullptr,
                0,
                VK_SHADER_STAGE_COMPUTE_BIT,
                module,
                "main",
                nullptr};
  info.layout = v.layout({});
  VkPipeline pipeline = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateComputePipelines(v.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline), VK_ERROR_UNKNOWN);
  EXPECT_EQ(pipeline, VkPipeline{});
  ASSERT_FALSE(v.messages.empty());
  EXPECT_TRUE(v.messages[0].starts_with("vulkan-pipeline: compute shader 'main' is refused: ")) << v.messages[0];
  vkDestroyShaderModule(v.device, module, nullptr);
}

// SUB-5: sets are counted; descriptors are not, of which many programs name fewer than they use, or none of a type.
TEST(VulkanCompute, ThePoolRunsOutOfSets) {
  HEDDLE_NEED_SHADERS();
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) GTEST_SKIP() << "the layer counts descriptors";
  VulkanDevice v;
  const auto layout = v.set_layout({{0, kStorage, 2}, {1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE}});
  const VkDescriptorPoolSize size{kStorage, 1};
  VkDescriptorPoolCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                  nullptr,
                                  VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT,
                                  2,
                                  1,
                                  &size};
  VkDescriptorPool pool = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateDescriptorPool(v.device, &info, nullptr, &pool), VK_SUCCESS);
  VkDescriptorSetAllocateInfo one{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, pool, 1, &layout};
  VkDescriptorSet sets[3] = {};
  EXPECT_EQ(vkAllocateDescriptorSets(v.device, &one, &sets[0]), VK_SUCCESS);
  EXPECT_EQ(vkAllocateDescriptorSets(v.device, &one, &sets[1]), VK_SUCCESS);
  EXPECT_EQ(vkAllocateDescriptorSets(v.device, &one, &sets[2]), VK_ERROR_OUT_OF_POOL_MEMORY);
  EXPECT_EQ(vkFreeDescriptorSets(v.device, pool, 1, &sets[0]), VK_SUCCESS);
  EXPECT_EQ(vkAllocateDescriptorSets(v.device, &one, &sets[0]), VK_SUCCESS);
  EXPECT_EQ(vkResetDescriptorPool(v.device, pool, 0), VK_SUCCESS);
  EXPECT_EQ(vkAllocateDescriptorSets(v.device, &one, &sets[0]), VK_SUCCESS);
  EXPECT_EQ(vkAllocateDescriptorSets(v.device, &one, &sets[1]), VK_SUCCESS);
  const auto buffer = v.buffer(64), other = v.buffer(64);
  v.write(sets[1], 0, kStorage, buffer);
  v.write(sets[1], 0, kStorage, other, 0, VK_WHOLE_SIZE, 1);
  const auto pipeline_layout = v.layout({layout});
  const auto pipeline = v.pipeline(
      "#version 450\nlayout(binding = 0) buffer B { uint o[]; } b[2];\nvoid main() { b[0].o[0] = 5u; b[1].o[0] = 6u; "
      "}\n",
      pipeline_layout);
  EXPECT_EQ(v.run([&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_layout, 0, 1, &sets[1], 0, nullptr);
    vkCmdDispatch(c, 1, 1, 1);
  }),
            VK_SUCCESS);
  EXPECT_EQ(buffer.word(0), 5u);
  EXPECT_EQ(other.word(0), 6u);
  vkDestroyDescriptorPool(v.device, pool, nullptr);
}

TEST(VulkanPipelineCache, DataComesBackAndDamageIsIgnored) {
  HEDDLE_NEED_SHADERS();
  OneBuffer t(
      4096, {}, 0,
      {VK_EXT_PIPELINE_CREATION_CACHE_CONTROL_EXTENSION_NAME, VK_EXT_PIPELINE_CREATION_FEEDBACK_EXTENSION_NAME});
  const auto words = compile_compute(kHead + "void main() { o[gl_LocalInvocationIndex] = 12345u; }\n");
  VkShaderModuleCreateInfo code{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0, words.size() * 4,
                                words.data()};
  VkShaderModule module = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateShaderModule(t.v.device, &code, nullptr, &module), VK_SUCCESS);
  const auto cache_of = [&](const std::vector<std::uint8_t>& data) {
    VkPipelineCacheCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO, nullptr, 0, data.size(), data.data()};
    VkPipelineCache cache = VK_NULL_HANDLE;
    EXPECT_EQ(vkCreatePipelineCache(t.v.device, &info, nullptr, &cache), VK_SUCCESS);
    return cache;
  };
  /// Whether the cache had it; `only`: it must.
  const auto make = [&](VkPipelineCache cache, bool only, VkResult& result) {
    VkPipelineCreationFeedback feedback{}, stage{};
    VkPipelineCreationFeedbackCreateInfo asks{VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO, nullptr,
                                              &feedback, 1, &stage};
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, &asks};
    info.flags = only ? VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT : 0;
    info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  nullptr,
                  0,
                  VK_SHADER_STAGE_COMPUTE_BIT,
                  module,
                  "main",
                  nullptr};
    info.layout = t.layout;
    VkPipeline pipeline = VK_NULL_HANDLE;
    result = vkCreateComputePipelines(t.v.device, cache, 1, &info, nullptr, &pipeline);
    vkDestroyPipeline(t.v.device, pipeline, nullptr);
    return (feedback.flags & VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT) != 0;
  };
  VkResult result = VK_SUCCESS;
  const VkPipelineCache empty = cache_of({});
  EXPECT_FALSE(make(empty, true, result));
  EXPECT_EQ(result, VK_PIPELINE_COMPILE_REQUIRED);
  EXPECT_FALSE(make(empty, false, result));
  EXPECT_EQ(result, VK_SUCCESS);
  EXPECT_TRUE(make(empty, true, result));
  std::size_t size = 0;
  ASSERT_EQ(vkGetPipelineCacheData(t.v.device, empty, &size, nullptr), VK_SUCCESS);
  std::vector<std::uint8_t> data(size);
  ASSERT_EQ(vkGetPipelineCacheData(t.v.device, empty, &size, data.data()), VK_SUCCESS);
  ASSERT_GT(size, 200u);
  for (std::size_t room : {std::size_t{0}, std::size_t{16}, std::size_t{31}}) {
    std::uint8_t little[32] = {};
    EXPECT_EQ(vkGetPipelineCacheData(t.v.device, empty, &room, little), VK_INCOMPLETE);
    EXPECT_EQ(room, 0u);
    EXPECT_EQ(little[0], 0u);
  }
  const VkPipelineCache full = cache_of(data);
  EXPECT_TRUE(make(full, true, result));
  EXPECT_EQ(result, VK_SUCCESS);
  std::vector<VkPipelineCache> bad;
  for (const std::size_t at : {std::size_t{0}, std::size_t{20}, std::size_t{40}, size / 2, size - 1}) {
    auto damaged = data;
    damaged[at] ^= 0x40;
    bad.push_back(cache_of(damaged));
    EXPECT_FALSE(make(bad.back(), true, result)) << at;
    EXPECT_EQ(result, VK_PIPELINE_COMPILE_REQUIRED) << at;
  }
  for (const std::size_t length : {std::size_t{10}, std::size_t{33}, std::size_t{60}, size - 1}) {
    bad.push_back(cache_of({data.begin(), data.begin() + static_cast<std::ptrdiff_t>(length)}));
    EXPECT_FALSE(make(bad.back(), true, result)) << length;
  }
  EXPECT_EQ(vkMergePipelineCaches(t.v.device, bad[0], 1, &full), VK_SUCCESS);
  EXPECT_TRUE(make(bad[0], true, result));
  for (const VkPipelineCache cache : bad) vkDestroyPipelineCache(t.v.device, cache, nullptr);
  vkDestroyPipelineCache(t.v.device, empty, nullptr);
  vkDestroyPipelineCache(t.v.device, full, nullptr);
  vkDestroyShaderModule(t.v.device, module, nullptr);
}

// Pipelines of one entry share its program and nothing else.
TEST(VulkanPipelineCache, PipelinesFromTheCacheStandAlone) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v;
  const std::vector<VulkanDevice::Binding> bindings{{0, kStorage}};
  const auto set_layout = v.set_layout(bindings);
  const auto layout = v.layout({set_layout}, 4);
  const VkShaderModule module = v.module(
      "#version 450\nlayout(binding = 0) buffer B { uint o[]; };\n"
      "layout(push_constant) uniform P { uint p; };\nvoid main() { o[0] += p; }\n",
      "comp");
  v.later([device = v.device, module] { vkDestroyShaderModule(device, module, nullptr); });
  VkPipelineCacheCreateInfo caches{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  VkPipelineCache cache = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreatePipelineCache(v.device, &caches, nullptr, &cache), VK_SUCCESS);
  VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                nullptr,
                0,
                VK_SHADER_STAGE_COMPUTE_BIT,
                module,
                "main",
                nullptr};
  info.layout = layout;
  VkPipeline pipelines[3] = {};
  VkDescriptorSet sets[3] = {};
  VulkanDevice::Buffer buffers[3];
  for (std::uint32_t i = 0; i < 3; ++i) {
    ASSERT_EQ(vkCreateComputePipelines(v.device, cache, 1, &info, nullptr, &pipelines[i]), VK_SUCCESS);
    buffers[i] = v.buffer(64);
    buffers[i].set(0, 1000 * i);
    sets[i] = v.set(set_layout, bindings);
    v.write(sets[i], 0, kStorage, buffers[i]);
  }
  vkDestroyPipeline(v.device, pipelines[0], nullptr);
  vkDestroyPipelineCache(v.device, cache, nullptr);
  ASSERT_EQ(v.run([&](VkCommandBuffer c) {
    for (std::uint32_t turn = 0; turn < 4; ++turn) {
      const std::uint32_t i = 1 + turn % 2, add = 1 + turn;
      vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipelines[i]);
      vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &sets[i], 0, nullptr);
      vkCmdPushConstants(c, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &add);
      vkCmdDispatch(c, 1, 1, 1);
    }
  }),
            VK_SUCCESS);
  EXPECT_EQ(buffers[0].word(0), 0u);
  EXPECT_EQ(buffers[1].word(0), 1004u);
  EXPECT_EQ(buffers[2].word(0), 2006u);
  for (std::uint32_t i = 1; i < 3; ++i) vkDestroyPipeline(v.device, pipelines[i], nullptr);
}

}  // namespace
}  // namespace heddle::test
