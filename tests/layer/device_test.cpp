// SPDX-License-Identifier: MIT
// What an application sees of the layer: lists, features, devices with and without the extension, refusals.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "layer/layer_test.hpp"

namespace heddle::test {
namespace {

constexpr const char* kExtension = VK_NV_SHADER_IMAGE_FOOTPRINT_EXTENSION_NAME;

class LayerOnDevices : public LayerTest {};
HEDDLE_LAYER_SUITE(LayerOnDevices);

bool is_extension(const VkExtensionProperties& e) { return std::strcmp(e.extensionName, kExtension) == 0; }

TEST_P(LayerOnDevices, TheExtensionIsListedOnce) {
  std::uint32_t count = 0;
  ASSERT_EQ(vkEnumerateDeviceExtensionProperties(device().physical, nullptr, &count, nullptr), VK_SUCCESS);
  std::vector<VkExtensionProperties> list(count);
  ASSERT_EQ(vkEnumerateDeviceExtensionProperties(device().physical, nullptr, &count, list.data()), VK_SUCCESS);
  EXPECT_EQ(std::ranges::count_if(list, is_extension), 1);
  std::uint32_t fewer = count - 1;
  EXPECT_EQ(vkEnumerateDeviceExtensionProperties(device().physical, nullptr, &fewer, list.data()), VK_INCOMPLETE);
  EXPECT_EQ(fewer, count - 1);
  std::uint32_t own = 0;
  ASSERT_EQ(vkEnumerateDeviceExtensionProperties(device().physical, "VK_LAYER_HEDDLE_footprint", &own, nullptr),
            VK_SUCCESS);
  EXPECT_EQ(own, 1u);
  ASSERT_EQ(vkEnumerateDeviceExtensionProperties(device().physical, "VK_LAYER_HEDDLE_footprint", &own, list.data()),
            VK_SUCCESS);
  EXPECT_TRUE(is_extension(list[0]));
  EXPECT_EQ(list[0].specVersion, 2u);
}

VkPhysicalDeviceShaderImageFootprintFeaturesNV footprint_features() {
  return {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_IMAGE_FOOTPRINT_FEATURES_NV, nullptr, VK_FALSE};
}

TEST_P(LayerOnDevices, TheFeatureIsThere) {
  auto footprints = footprint_features();
  VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &footprints, {}};
  vkGetPhysicalDeviceFeatures2(device().physical, &features);
  EXPECT_EQ(footprints.imageFootprint, VK_TRUE);
}

// Drivers do not see the structure; the application's chain is only read (LayerChains has it in constant memory).
TEST_P(LayerOnDevices, TheChainStaysAsItIs) {
  device().expects_messages = true;  // the loader's own, about an extension that nobody has
  VkPhysicalDeviceVulkan12Features last{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  auto footprints = footprint_features();
  footprints.imageFootprint = VK_TRUE;
  footprints.pNext = &last;
  VkPhysicalDeviceVulkan11Features first{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &footprints};
  const float priority = 1;
  const VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, nullptr, 0, 0, 1, &priority};
  VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &first};
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = 1;
  info.ppEnabledExtensionNames = &kExtension;
  VkDevice made = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateDevice(device().physical, &info, nullptr, &made), VK_SUCCESS);
  EXPECT_EQ(first.pNext, &footprints);
  EXPECT_EQ(footprints.pNext, &last);
  vkDestroyDevice(made, nullptr);
  info.enabledExtensionCount = 0;  // a feature without its extension is a slip that drivers pass over
  ASSERT_EQ(vkCreateDevice(device().physical, &info, nullptr, &made), VK_SUCCESS);
  EXPECT_EQ(first.pNext, &footprints);
  vkDestroyDevice(made, nullptr);
  const char* unknown[] = {kExtension, "VK_HEDDLE_none"};
  info.enabledExtensionCount = 2;
  info.ppEnabledExtensionNames = unknown;
  EXPECT_EQ(vkCreateDevice(device().physical, &info, nullptr, &made), VK_ERROR_EXTENSION_NOT_PRESENT);
  EXPECT_EQ(first.pNext, &footprints);
}

// The driver's own limits are asked for without the layer.
TEST_P(LayerOnDevices, LimitsLeaveRoomForTheHiddenBuffers) {
  VkPhysicalDeviceProperties with{}, without{};
  vkGetPhysicalDeviceProperties(device().physical, &with);
  device_.reset();
  layer_.reset();
  const VkInstance instance = make_instance(manifest());
  vkGetPhysicalDeviceProperties(physical_device(instance), &without);
  vkDestroyInstance(instance, nullptr);
  const std::uint32_t sets = without.limits.maxBoundDescriptorSets;
  ASSERT_GT(without.limits.maxPerStageDescriptorUniformBuffers, sets);
  EXPECT_EQ(with.limits.maxBoundDescriptorSets, sets);
  EXPECT_EQ(with.limits.maxPerStageDescriptorUniformBuffers,
            std::max(12u, without.limits.maxPerStageDescriptorUniformBuffers - sets));  // Vulkan's least
  EXPECT_EQ(with.limits.maxDescriptorSetUniformBuffers,
            std::max(72u, without.limits.maxDescriptorSetUniformBuffers - sets));
}

constexpr const char* kShader =
    "#version 450\n#extension GL_NV_shader_texture_footprint : require\n"
    "layout(binding = 0) uniform sampler2D s;\nlayout(std430, binding = 1) buffer Out { uvec4 o; };\n"
    "void main() {\n  gl_TextureFootprint2DNV f;\n"
    "  bool single = textureFootprintLodNV(s, vec2(0.5), 0.0, 1, false, f);\n"
    "  o = uvec4(f.anchor, f.mask);\n}\n";

/// A module whose query is of an array, which no device has.
std::vector<std::uint32_t> wrong_module() {
  std::vector<std::uint32_t> words = compile_compute(kShader);
  for (std::size_t at = 5; at < words.size(); at += words[at] >> 16)
    if ((words[at] & 0xffffu) == 25) words[at + 5] = 1;  // OpTypeImage, Arrayed
  return words;
}

TEST_P(LayerOnDevices, WhatCannotBeRewrittenIsRefusedWithAMessage) {
  device().expects_messages = true;
  const std::vector<std::uint32_t> words = wrong_module();
  const VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0, words.size() * 4,
                                      words.data()};
  VkShaderModule module = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateShaderModule(device().device, &info, nullptr, &module), VK_ERROR_UNKNOWN);
  const auto said = [&](const std::string& what) {
    return std::ranges::any_of(device().messages,
                               [&](const std::string& m) { return m.find(what) != std::string::npos; });
  };
  EXPECT_TRUE(said("VK_LAYER_HEDDLE_footprint: OpImageSampleFootprintNV"));
  EXPECT_TRUE(said("arrayed"));
  for (const char* yes : {"1", "yes", "ON", "true"}) {
    setenv("HEDDLE_LAYER_LENIENT", yes, 1);
    EXPECT_EQ(vkCreateShaderModule(device().device, &info, nullptr, &module), VK_SUCCESS) << yes;
    vkDestroyShaderModule(device().device, module, nullptr);
  }
  // What says no is none, and what says neither is told and is none.
  for (const char* no : {"", "0", "no", "off", "False", "perhaps"}) {
    setenv("HEDDLE_LAYER_LENIENT", no, 1);
    EXPECT_EQ(vkCreateShaderModule(device().device, &info, nullptr, &module), VK_ERROR_UNKNOWN) << no;
  }
  unsetenv("HEDDLE_LAYER_LENIENT");
}

// The module of a stage may stand in its chain.
TEST_P(LayerOnDevices, ModulesInTheChainOfAStageAreRewrittenToo) {
  const auto d = open({VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME, VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME});
  QueryKit kit(*d, {2, {64, 64, 1}, 7},
               {sampler_info(VK_FILTER_NEAREST, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST)});
  const VkPipelineLayout layout = d->layout({kit.set_layout()});
  const std::vector<std::uint32_t> words = compile_compute(kShader);
  const VkShaderModuleCreateInfo code{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0, words.size() * 4,
                                      words.data()};
  VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                &code,
                0,
                VK_SHADER_STAGE_COMPUTE_BIT,
                VK_NULL_HANDLE,
                "main",
                nullptr};
  info.layout = layout;
  VkPipeline pipeline = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateComputePipelines(d->device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline), VK_SUCCESS);
  EXPECT_EQ(info.stage.pNext, &code);
  const VulkanDevice::Buffer out = d->buffer(16);
  const VkDescriptorSet set = kit.set();
  d->write(set, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, out);
  ASSERT_EQ(d->run([&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdDispatch(c, 1, 1, 1);
    barrier(c);
  }),
            VK_SUCCESS);
  // NEAREST at (32, 32): group 16 of 2 x 2 texels, set 2, bit 0.
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(out.word(k), (std::array<std::uint32_t, 4>{2, 2, 1, 0}[k]));
  vkDestroyPipeline(d->device, pipeline, nullptr);
}

// Descriptors that are pushed are not followed: a NEAREST sampler is taken for one that reads the neighbors, too.
TEST_P(LayerOnDevices, SamplersThatAreNotFollowedAreTakenForLinear) {
  const auto lists_push = [&] {
    std::uint32_t count = 0;
    vkEnumerateDeviceExtensionProperties(device().physical, nullptr, &count, nullptr);
    std::vector<VkExtensionProperties> list(count);
    vkEnumerateDeviceExtensionProperties(device().physical, nullptr, &count, list.data());
    return std::ranges::any_of(list, [](const VkExtensionProperties& e) {
      return std::strcmp(e.extensionName, VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME) == 0;
    });
  };
  if (!lists_push()) GTEST_SKIP() << "the device has no push descriptors";
  const auto d = open({VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME});
  const QueryKit kit(*d, {2, {64, 64, 1}, 7},
                     {sampler_info(VK_FILTER_NEAREST, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST)});
  const VkDescriptorSetLayout pushed =
      d->set_layout({{0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER}, {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}},
                    VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR);
  const VkPipelineLayout layout = d->layout({pushed});
  const VkPipeline pipeline = d->pipeline(kShader, layout);
  const VulkanDevice::Buffer out = d->buffer(16);
  const VkDescriptorImageInfo image{kit.sampler(0), kit.view(), VK_IMAGE_LAYOUT_GENERAL};
  const VkDescriptorBufferInfo buffer{out.buffer, 0, VK_WHOLE_SIZE};
  VkWriteDescriptorSet writes[2] = {{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET}, {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET}};
  writes[0].descriptorCount = writes[1].descriptorCount = writes[1].dstBinding = 1;
  writes[0].descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
  writes[0].pImageInfo = &image;
  writes[1].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  writes[1].pBufferInfo = &buffer;
  const auto push = d->proc<PFN_vkCmdPushDescriptorSetKHR>("vkCmdPushDescriptorSetKHR");
  ASSERT_EQ(d->run([&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    push(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 2, writes);
    vkCmdDispatch(c, 1, 1, 1);
    barrier(c);
  }),
            VK_SUCCESS);
  // Texels 31 and 32 on both axes: groups 15 and 16, bits 7 and 0 of rows 7 and 0.
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(out.word(k), (std::array<std::uint32_t, 4>{2, 2, 0x81, 0x81000000}[k]));
}

// A device that has the extension keeps it: what it is given has the instruction.
TEST(LayerOnHeddle, DevicesThatHaveTheExtensionPassThrough) {
  HEDDLE_NEED_SHADERS();
  const WithLayer layer;
  VulkanDevice device({kExtension}, HEDDLE_VULKAN_MANIFEST);
  device.expects_messages = true;
  const std::vector<std::uint32_t> words =
      wrong_module();  // refused by the layer, not by the driver's vkCreateShaderModule
  const VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0, words.size() * 4,
                                      words.data()};
  VkShaderModule module = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateShaderModule(device.device, &info, nullptr, &module), VK_SUCCESS);
  vkDestroyShaderModule(device.device, module, nullptr);
  QueryKit kit(device, {2, {64, 64, 1}, 7},
               {sampler_info(VK_FILTER_LINEAR, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_LINEAR)});
  LayerQuery query;
  query.p = {0.4f, 0.7f, 0};
  query.lod = 2.25f;
  EXPECT_EQ(kit.ask(Form::Lod, 0, {query})[0], kit.expected(Form::Lod, 0, query, {}));
}

// An application that does not ask for the extension is none of the layer's business.
TEST(LayerOnLavapipe, DevicesWithoutTheExtensionPassThrough) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_LAVAPIPE();
  const WithLayer layer;
  VulkanDevice device({}, lavapipe_manifest());
  const std::vector<std::uint32_t> words = wrong_module();
  const VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0, words.size() * 4,
                                      words.data()};
  VkShaderModule module = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateShaderModule(device.device, &info, nullptr, &module), VK_SUCCESS);
  vkDestroyShaderModule(device.device, module, nullptr);
}

}  // namespace
}  // namespace heddle::test
